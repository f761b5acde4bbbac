//! Trees of links: identities on random trees of 1 to 64 joints, and serial arms as trees.
//!
//! Errors are relative to the largest number of the same quantity. Sums over 64 links round to about √64 · 1e-16 of what cancels in them, and
//! long chains cancel a lot: the limits are near to what was seen, within a factor of ten.

use dalembert_core::algebra::Angle;
use dalembert_core::chain::{self, BranchParameters, Chain, ChainError, ChainParameters, TipParameters, ToolOwner};
use dalembert_core::friction::Friction;
use dalembert_core::serial::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use dalembert_core::spring::Spring;
use dalembert_core::{Dual, Scalar, Sym3, Vec3};

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn within(&mut self, size: f64) -> f64 {
        size * (2.0 * self.unit() - 1.0)
    }
    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
    fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3::from_fn(|_| self.within(size))
    }
    fn many(&mut self, count: usize, size: f64) -> Vec<f64> {
        (0..count).map(|_| self.within(size)).collect()
    }
    fn frame(&mut self, size: f64) -> Frame<f64> {
        Frame {
            rotation: roll_pitch_yaw([0; 3].map(|_| Angle::from_radians(self.within(3.0)))),
            origin: self.vector(size),
        }
    }
    fn body(&mut self) -> Body<f64> {
        let [a, b, c] = [0; 3].map(|_| 0.002 + 0.02 * self.unit());
        let inertia = Sym3::new([b + c, a + c, a + b, 0.0, 0.0, 0.0]).turned(self.frame(0.0).rotation);
        Body { mass: 0.2 + 2.0 * self.unit(), center_of_mass: self.vector(0.1), inertia }
    }
    fn link(&mut self) -> LinkParameters<f64> {
        let mut angle = || Angle::from_radians(self.within(3.0));
        let (alpha, theta_offset) = (angle(), angle());
        let friction = Friction { viscous: self.unit(), coulomb: self.unit(), static_friction: 1.5, ..Friction::NONE };
        LinkParameters {
            coupling: None,
            joint: if self.unit() < 0.25 { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow { alpha, a: self.within(0.3), d: self.within(0.3), theta_offset },
            body: self.body(),
            motor_inertia: 0.05 + self.unit(),
            gear_ratio: 20.0,
            friction: (self.unit() < 0.5).then_some(friction),
            armature: None,
            spring: (self.unit() < 0.3).then(|| Spring {
                stiffness: self.within(20.0),
                rest: self.within(1.0),
                sine: self.within(5.0),
                cosine: self.within(5.0),
                constant: self.within(1.0),
            }),
        }
    }
}

/// A tree as it is described.
#[derive(Clone)]
struct Described {
    branches: Vec<BranchParameters<f64>>,
    whole: SerialParameters<f64, 0>,
}

impl Described {
    fn random(random: &mut Random, joints: usize, convention: DhConvention) -> Self {
        let mut branches: Vec<BranchParameters<f64>> = Vec::new();
        for i in 0..joints {
            // Mostly the link before; else any, or the base.
            let parent = if random.unit() < 0.7 { i } else { random.below(i + 1) };
            let branch = random.unit() < 0.4;
            let tip = (random.unit() < 0.2).then(|| TipParameters { frame: random.frame(0.1), payload: random.body() });
            let mount = branch.then(|| random.frame(0.2));
            let mut link = random.link();
            if random.unit() < 0.1 {
                let axis = random.vector(1.0);
                let axis = axis * (1.0 / axis.norm_squared().sqrt());
                link.armature = Some(Armature { carrier: parent, axis });
            }
            branches.push(BranchParameters { link, parent, mount, tip });
        }
        let (tool, payload) = (random.frame(0.1), random.body());
        Self {
            branches,
            whole: SerialParameters { convention, base: None, gravity: random.vector(9.0), links: [], tool, payload },
        }
    }

    fn without_armatures(mut self) -> Self {
        self.branches.iter_mut().for_each(|branch| branch.link.armature = None);
        self
    }

    fn without_friction(mut self) -> Self {
        self.branches.iter_mut().for_each(|branch| branch.link.friction = None);
        self
    }

    fn parameters(&self) -> ChainParameters<f64> {
        ChainParameters { links: self.branches.clone(), whole: self.whole }
    }

    fn built(&self) -> Built<f64> {
        Built(Chain::new(self.parameters(), ToolOwner::Whole).unwrap())
    }
}

/// The same for evaluations, with its tool on the last link.
struct Built<S>(Chain<S>);

impl Built<f64> {
    fn lift<T: Scalar>(&self) -> Built<T> {
        Built(self.0.lift())
    }
}

impl<S: Scalar> Built<S> {
    fn n(&self) -> usize {
        self.0.joints()
    }
    fn zeros(&self) -> Vec<S> {
        vec![S::zero(); self.n()]
    }
    fn torque(&self, q: &[S], qd: &[S], qdd: &[S]) -> Vec<S> {
        self.0.torque([q, qd, qdd], None).unwrap()
    }
    fn acceleration(&self, q: &[S], qd: &[S], torque: &[S]) -> Vec<S> {
        self.0.acceleration([q, qd, torque], None).unwrap()
    }
    fn mass(&self, q: &[S]) -> Vec<S> {
        self.0.mass_matrix(q).unwrap()
    }
    fn gravity_torque(&self, q: &[S]) -> Vec<S> {
        self.0.gravity_torque(q).unwrap()
    }
    fn energy(&self, q: &[S], qd: &[S]) -> S {
        let moving = self.0.at_joints(q).unwrap().moving(qd).unwrap();
        moving.kinetic_energy() + moving.pose.potential_energy()
    }
    fn tool_motion(&self, q: &[S], qd: &[S], qdd: &[S]) -> (Frame<S>, Twist<S>, Twist<S>) {
        self.0.tool_motion([q, qd, qdd]).unwrap()
    }
}

#[track_caller]
fn same(what: &str, ours: &[f64], theirs: &[f64], most: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let scale = theirs.iter().fold(1e-300, |scale: f64, x| scale.max(x.abs()));
    let error = ours.iter().zip(theirs).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs())) / scale;
    assert!(error <= most, "{what}: {error:.1e}");
}

const CONVENTIONS: [DhConvention; 2] = [DhConvention::Modified, DhConvention::Standard];

/// Up to 64 joints, most of them few: they are cheap.
fn trees(each: usize, mut check: impl FnMut(&mut Random, Described)) {
    for (k, joints) in [1, 2, 3, 4, 5, 7, 9, 12, 17, 25, 40, 64].into_iter().enumerate() {
        for seed in 0..each {
            let mut random = Random((1000 * k + seed) as u64 + 7);
            (0..8).for_each(|_| _ = random.unit());
            let described = Described::random(&mut random, joints, CONVENTIONS[seed % 2]);
            check(&mut random, described);
        }
    }
}

/// Every quantity of a tree of one branch against the serial arm with as many joints, which is other code but for the steps.
#[test]
fn a_tree_of_one_branch_is_a_serial_arm() {
    fn check<const N: usize>(random: &mut Random, convention: DhConvention) {
        let Described { branches, whole } = Described::random(random, N, convention);
        let links: [LinkParameters<f64>; N] = std::array::from_fn(|i| {
            let mut link = branches[i].link;
            if let Some(armature) = &mut link.armature {
                armature.carrier = i;
            }
            link
        });
        let SerialParameters { gravity, tool, payload, .. } = whole;
        let arm = Serial::new(SerialParameters { convention, base: None, gravity, links, tool, payload });
        let chain = |i: usize| BranchParameters { link: links[i], parent: i, mount: None, tip: None };
        let tree = Described { branches: (0..N).map(chain).collect(), whole }.built();
        let [q, qd, qdd]: [[f64; N]; 3] = [2.0, 3.0, 9.0].map(|size| std::array::from_fn(|_| random.within(size)));
        let moving = arm.pose_unchecked(q).moving(qd);
        let most = 2e-14;
        same("torque", &tree.torque(&q, &qd, &qdd), &moving.torque(qdd), most);
        let tau = moving.torque(qdd);
        same("acceleration", &tree.acceleration(&q, &qd, &tau), &moving.acceleration(tau), 1e-12);
        same("mass", &tree.mass(&q), moving.pose.mass_matrix().as_flattened(), most);
        same("gravity", &tree.gravity_torque(&q), &moving.pose.gravity_torque(), most);
        let energy = moving.kinetic_energy() + moving.pose.potential_energy();
        same("energy", &[tree.energy(&q, &qd)], &[energy], 1e-13);
        let (frame, velocity, acceleration) = tree.tool_motion(&q, &qd, &qdd);
        let (other, faster, stronger) = moving.tool_motion(qdd);
        same(
            "tool",
            frame.rotation.0.map(|row| row.0).as_flattened(),
            other.rotation.0.map(|row| row.0).as_flattened(),
            most,
        );
        same("place", &frame.origin.0, &other.origin.0, most);
        same("velocity", &velocity.components(), &faster.components(), 1e-13);
        same("its change", &acceleration.components(), &stronger.components(), 1e-13);
    }
    let mut random = Random(3);
    for convention in CONVENTIONS {
        for _ in 0..20 {
            check::<1>(&mut random, convention);
            check::<2>(&mut random, convention);
            check::<3>(&mut random, convention);
            check::<6>(&mut random, convention);
            check::<8>(&mut random, convention);
        }
    }
}

/// M q̈ + h = τ with M by composite bodies and τ by Newton and Euler; M is symmetric, and what the velocities leave is gravity.
#[test]
fn torques_are_affine_in_accelerations() {
    trees(6, |random, tree| {
        let (tree, n) = (tree.built(), tree.branches.len());
        let [q, qd, qdd] = [2.0, 3.0, 9.0].map(|size| random.many(n, size));
        let (mass, bias) = (tree.mass(&q), tree.torque(&q, &qd, &tree.zeros()));
        let sum: Vec<f64> = (0..n).map(|i| bias[i] + (0..n).map(|j| mass[i * n + j] * qdd[j]).sum::<f64>()).collect();
        same("τ", &sum, &tree.torque(&q, &qd, &qdd), 1e-12);
        (0..n * n).for_each(|k| assert_eq!(mass[k], mass[k % n * n + k / n]));
        same("g", &tree.gravity_torque(&q), &tree.torque(&q, &tree.zeros(), &tree.zeros()), 1e-13);
        // Coriolis: what is left of the torque without gravity and friction.
        let friction = tree.0.friction(&qd);
        let coriolis = tree.0.at_joints(&q).unwrap().moving(&qd).unwrap().coriolis();
        let gravity = tree.gravity_torque(&q);
        let sum: Vec<f64> = (0..n).map(|i| coriolis[i] + gravity[i] + friction[i]).collect();
        same("h", &sum, &bias, 1e-12);
    });
}

/// Articulated bodies, or with armatures the mass matrix, give back the accelerations that Newton and Euler's torques were for.
#[test]
fn forward_and_inverse_dynamics_agree() {
    trees(6, |random, described| {
        for described in [described.clone(), described.without_armatures()] {
            let (tree, n) = (described.built(), described.branches.len());
            let [q, qd, qdd] = [2.0, 1.0, 9.0].map(|size| random.many(n, size));
            let back = tree.acceleration(&q, &qd, &tree.torque(&q, &qd, &qdd));
            // What rounding of the torques is worth in accelerations grows with the condition of the mass matrix.
            same("q̈", &back, &qdd, 1e-9);
        }
    });
}

/// The power of the motors is the change of the energy, which is differentiated exactly.
#[test]
fn power_is_the_change_of_energy() {
    type Time = Dual<f64, 1>;
    trees(4, |random, described| {
        let tree = described.without_friction().built();
        let n = tree.n();
        let [q, qd, qdd] = [2.0, 3.0, 9.0].map(|size| random.many(n, size));
        let along = |x: &[f64], rate: &[f64]| -> Vec<Time> {
            x.iter().zip(rate).map(|(&value, &rate)| Time { value, derivative: [rate] }).collect()
        };
        let energy = tree.lift::<Time>().energy(&along(&q, &qd), &along(&qd, &qdd));
        let tau = tree.torque(&q, &qd, &qdd);
        let power: f64 = tau.iter().zip(&qd).map(|(tau, qd)| tau * qd).sum();
        let size: f64 = tau.iter().zip(&qd).map(|(tau, qd)| (tau * qd).abs()).sum();
        assert!((energy.derivative[0] - power).abs() < 1e-12 * size, "{n}: {} {power}", energy.derivative[0]);
    });
}

/// What a tool does, by its derivatives along a motion; and its Jacobian by what it does, column by column.
#[test]
fn tools_move_as_their_jacobians_say() {
    type Time = Dual<Dual<f64, 1>, 1>;
    trees(3, |random, described| {
        let tree = described.built();
        let n = tree.n();
        let [q, qd, qdd] = [2.0, 3.0, 9.0].map(|size| random.many(n, size));
        // q + t q̇ + t²/2 q̈, with two derivatives by t.
        let along = |i: usize| Time {
            value: Dual { value: q[i], derivative: [qd[i]] },
            derivative: [Dual { value: qd[i], derivative: [qdd[i]] }],
        };
        let lifted = tree.lift::<Time>();
        let moved: Vec<Time> = (0..n).map(along).collect();
        let place = lifted.0.at_joints(&moved).unwrap().tool();
        let (frame, velocity, acceleration) = tree.tool_motion(&q, &qd, &qdd);
        same("place", &place.origin.0.map(|x| x.value.value), &frame.origin.0, 1e-14);
        same("velocity", &place.origin.0.map(|x| x.derivative[0].value), &velocity.linear.0, 1e-12);
        same("acceleration", &place.origin.0.map(|x| x.derivative[0].derivative[0]), &acceleration.linear.0, 1e-12);
        // Ṙ = [ω]× R.
        let spun = place.rotation.0.map(|row| row.0.map(|x| x.derivative[0].value));
        let said = dalembert_core::Mat3::skew(velocity.angular).product(frame.rotation).0.map(|row| row.0);
        same("ω", spun.as_flattened(), said.as_flattened(), 1e-12);

        let pose = tree.0.at_joints(&q).unwrap();
        let columns = pose.jacobian();
        let wrench = Wrench { force: random.vector(5.0), moment: random.vector(5.0) };
        let torque = pose.torque_of_wrench(wrench);
        let all = chain::times(&columns, &qd).components();
        same("J q̇", &all, &velocity.components(), 1e-12);
        let power: f64 = torque.iter().zip(&qd).map(|(tau, qd)| tau * qd).sum();
        let at_tool = velocity.linear.dot(wrench.force) + velocity.angular.dot(wrench.moment);
        assert!((power - at_tool).abs() < 1e-11 * (1.0 + at_tool.abs()), "{power} {at_tool}");
    });
}

/// Another order of the same branches: the same torques, accelerations and masses in another order.
#[test]
fn the_numbering_of_branches_does_not_matter() {
    trees(6, |random, described| {
        let n = described.branches.len();
        // Any order in which each link comes after its parent. The last stays last: it has the tool.
        let (mut order, mut left): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..n - 1).collect());
        while !left.is_empty() {
            let ready: Vec<usize> = (0..left.len())
                .filter(|&k| {
                    let parent = described.branches[left[k]].parent;
                    parent == 0 || order.contains(&(parent - 1))
                })
                .collect();
            order.push(left.remove(ready[random.below(ready.len())]));
        }
        order.push(n - 1);
        let new_number = |old: usize| if old == 0 { 0 } else { 1 + order.iter().position(|&k| k + 1 == old).unwrap() };
        let renumbered = order.iter().map(|&old| {
            let mut branch = described.branches[old];
            branch.parent = new_number(branch.parent);
            if let Some(armature) = &mut branch.link.armature {
                armature.carrier = new_number(armature.carrier);
            }
            branch
        });
        let other = Described { branches: renumbered.collect(), whole: described.whole }.built();
        let tree = described.built();
        let [q, qd, qdd] = [2.0, 3.0, 9.0].map(|size| random.many(n, size));
        let turned = |values: &[f64]| -> Vec<f64> { order.iter().map(|&old| values[old]).collect() };
        let torque = tree.torque(&q, &qd, &qdd);
        same("τ", &other.torque(&turned(&q), &turned(&qd), &turned(&qdd)), &turned(&torque), 1e-13);
        let back = other.acceleration(&turned(&q), &turned(&qd), &turned(&torque));
        same("q̈", &back, &turned(&qdd), 1e-9);
        let (mass, others) = (tree.mass(&q), other.mass(&turned(&q)));
        let expected: Vec<f64> = (0..n * n).map(|k| mass[order[k / n] * n + order[k % n]]).collect();
        same("M", &others, &expected, 1e-13);
    });
}

/// Two arms that stand side by side on one base feel nothing of each other, whatever frame they are mounted in.
#[test]
fn two_arms_on_one_base_are_two_arms() {
    let mut random = Random(11);
    for convention in CONVENTIONS {
        for _ in 0..20 {
            let [left, right] = [5, 9].map(|n| Described::random(&mut random, n, convention));
            let gravity = left.whole.gravity;
            let [here, there] = [random.frame(1.0), random.frame(1.0)];
            let mut branches = Vec::new();
            for (arm, mount) in [(&left, here), (&right, there)] {
                let first = branches.len();
                let last = first + arm.branches.len();
                for (i, branch) in arm.branches.iter().enumerate() {
                    let mut branch = *branch;
                    let moved = |number: usize| if number == 0 { 0 } else { number + first };
                    if branch.parent == 0 {
                        branch.mount = Some(branch.mount.map_or(mount, |own| mount.then(&own)));
                        // An armature on the base keeps its direction in the arm.
                        if let Some(armature) = branch.link.armature.as_mut().filter(|armature| armature.carrier == 0) {
                            armature.axis = mount.rotation * armature.axis;
                        }
                    }
                    branch.parent = moved(branch.parent);
                    if let Some(armature) = &mut branch.link.armature {
                        armature.carrier = moved(armature.carrier);
                    }
                    // The tool of the left arm is one of the tree's; both links may have one already.
                    if last == first + i + 1 && first == 0 {
                        branch.tip = None;
                        branch.tip = Some(TipParameters { frame: arm.whole.tool, payload: arm.whole.payload });
                    }
                    branches.push(branch);
                }
            }
            let both = Described { branches, whole: SerialParameters { gravity, ..right.whole } }.built();
            let mut torques = Vec::new();
            let [q, qd, qdd] = [2.0, 3.0, 9.0].map(|size| random.many(14, size));
            for (mut arm, mount, part) in [(left, here, 0..5), (right, there, 5..14)] {
                // Where the tool of the left arm replaces one of its last link, it does so here too.
                if part.start == 0
                    && let Some(last) = arm.branches.last_mut()
                {
                    last.tip = None;
                }
                arm.whole.gravity = mount.rotation.transpose() * gravity;
                torques.extend(arm.built().torque(&q[part.clone()], &qd[part.clone()], &qdd[part]));
            }
            same("both", &both.torque(&q, &qd, &qdd), &torques, 1e-13);
            same("back", &both.acceleration(&q, &qd, &torques), &qdd, 1e-10);
            let mass = both.mass(&q);
            assert!((0..5).all(|i| (5..14).all(|j| mass[i * 14 + j] == 0.0)));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let described = Described::random(&mut Random(5), 4, DhConvention::Modified).without_armatures();
    let tree = described.built();
    let error = tree.0.at_joints(&[0.0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "3 numbers are given for q, but the chain has 4 links");
    let zeros = [0.0; 4];
    let moving = tree.0.at_joints(&zeros).unwrap().moving(&zeros).unwrap();
    assert!(moving.torque(&[0.0; 5]).is_err());
    assert!(moving.acceleration(&[0.0; 3]).is_err());
    let refused = |described: &Described| Chain::new(described.parameters(), ToolOwner::Whole).unwrap_err();
    let mut wrong = described.clone();
    wrong.branches[1].parent = 3;
    assert_eq!(refused(&wrong), ChainError::Parent { link: 2, parent: 3 });
    let mut wrong = described.clone();
    wrong.branches[2].parent = 1;
    wrong.branches[2].link.armature = Some(Armature { carrier: 2, axis: Vec3::new(1.0, 0.0, 0.0) });
    assert_eq!(refused(&wrong), ChainError::Carrier { link: 3, carrier: 2 });
    // A chain without links has nothing to do.
    let none = Described { branches: Vec::new(), whole: described.whole }.built();
    none.torque(&[], &[], &[]);
}
