//! What the search finds is right, on any arm, and as cheap as the documents say.
//!
//! The oracle is the core's own recursion in `f64`: it shares neither frames nor parameters nor formulas with the programs,
//! whose masses have been moved along axes and whose lengths may be in other units. A wrong move of a parameter would be off
//! by its size, far above the bound.

use crate::arms::searched_puma;
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};

use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Sym3, Vec3};
use dalembert_symbolic::derive::{Of, numbers};
use dalembert_symbolic::{Effort, Program, Quantity, Target, cheapest_serial};
use std::thread::Scope;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn row<const N: usize>(&mut self, size: f64) -> [f64; N] {
        [(); N].map(|()| size * self.next())
    }
}

/// An arm like those of factories (right angles, zero lengths) or, if `wild`, without any symmetry.
fn arm<const N: usize>(random: &mut Random, wild: bool, convention: DhConvention, prismatic: bool) -> Serial<f64, N> {
    let angle = |random: &mut Random| match wild {
        true => Angle::from_radians(3.0 * random.next()),
        false => Angle::from_radians((2.0 * random.next()).round() * std::f64::consts::FRAC_PI_2),
    };
    let some = |random: &mut Random, size: f64| if wild || random.next() > 0.0 { size * random.next() } else { 0.0 };
    let links = std::array::from_fn(|i| LinkParameters {
        coupling: None,
        joint: if prismatic && i % 3 == 1 { Joint::Prismatic } else { Joint::Revolute },
        dh: DhRow { alpha: angle(random), a: some(random, 0.5), d: some(random, 0.5), theta_offset: angle(random) },
        body: Body {
            mass: 1.0 + random.next(),
            center_of_mass: Vec3([(); 3].map(|()| some(random, 0.2))),
            inertia: Sym3::new([0.3, 0.4, 0.5, some(random, 0.1), some(random, 0.1), some(random, 0.1)]),
        },
        motor_inertia: 0.5 + 0.5 * random.next(),
        gear_ratio: 50.0,
        friction: None,
        armature: None,
        spring: None,
    });
    let gravity = if wild { Vec3(random.row(9.81)) } else { Vec3([0.0, 0.0, -9.81]) };
    let payload = Body { mass: 0.7, center_of_mass: Vec3([0.0, 0.02, 0.1]), inertia: Sym3::diagonal(0.01) };
    let tool = Frame { origin: Vec3([0.0, 0.0, 0.1]), ..Frame::identity() };
    Serial::new(SerialParameters { convention, base: None, gravity, links, tool, payload })
}

fn signature(of: Of, joints: usize) -> Program {
    let row = |name: &str, meaning: &str| Quantity::new(name, joints, meaning, "");
    let mut inputs = vec![row("q", "positions")];
    if matches!(of, Of::Torque | Of::Bias | Of::Coriolis) {
        inputs.push(row("qd", "velocities"));
    }
    if of == Of::Torque {
        inputs.push(row("qdd", "accelerations"));
    }
    let outputs = vec![match of {
        Of::Mass => Quantity::new("m", joints * joints, "mass matrix", ""),
        _ => row("tau", "torques"),
    }];
    Program { name: "arm".into(), inputs, outputs, ..Program::default() }
}

const QUANTITIES: [Of; 5] = [Of::Torque, Of::Bias, Of::Coriolis, Of::Mass, Of::Gravity];

/// Random states that a program is tried at.
const STATES: usize = 20;

/// Largest error over random states, relative to the largest component.
fn error<const N: usize>(arm: &Serial<f64, N>, of: Of, program: &Program, random: &mut Random) -> f64 {
    let mut worst: f64 = 0.0;
    for _ in 0..STATES {
        let (q, qd, qdd): ([f64; N], [f64; N], [f64; N]) = (random.row(3.0), random.row(2.0), random.row(5.0));
        let pose = arm.pose_unchecked(q);
        let (inputs, expected): (Vec<f64>, Vec<f64>) = match of {
            Of::Torque => ([q, qd, qdd].concat(), pose.moving(qd).torque(qdd).to_vec()),
            Of::Bias => ([q, qd].concat(), pose.moving(qd).torque([0.0; N]).to_vec()),
            Of::Coriolis => ([q, qd].concat(), pose.moving(qd).coriolis().to_vec()),
            Of::Gravity => (q.to_vec(), pose.moving([0.0; N]).torque([0.0; N]).to_vec()),
            _ => (q.to_vec(), pose.mass_matrix().as_flattened().to_vec()),
        };
        let scale = expected.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
        let got = program.evaluate(&inputs);
        assert_eq!(got.len(), expected.len());
        worst = expected.iter().zip(got).fold(worst, |m, (a, b)| m.max((a - b).abs() / scale));
    }
    worst
}

fn check<const N: usize>(arm: &Serial<f64, N>, effort: Effort, random: &mut Random) {
    for of in QUANTITIES {
        let programs = cheapest_serial(&|_| numbers(arm), of, &signature(of, N), Target::Count, effort, &mut |_| ());
        let error = error(arm, of, &programs[0], random);
        // A few hundred operations on numbers that cancel by a few orders: 1e-16 · 10² · 10².
        assert!(error < 1e-11, "{N} joints, {of:?}: {error:e}");
    }
}

#[test]
fn programs_of_random_arms_equal_newton_and_euler() {
    let random = &mut Random(5);
    for convention in [DhConvention::Modified, DhConvention::Standard] {
        for wild in [false, true] {
            for prismatic in [false, true] {
                check(&arm::<2>(random, wild, convention, prismatic), Effort::QUICK, random);
                check(&arm::<3>(random, wild, convention, prismatic), Effort::QUICK, random);
                check(&arm::<4>(random, wild, convention, prismatic), Effort::QUICK, random);
                check(&arm::<5>(random, wild, convention, prismatic), Effort::QUICK, random);
                check(&arm::<6>(random, wild, convention, prismatic), Effort::QUICK, random);
                check(&arm::<7>(random, wild, convention, prismatic), Effort::QUICK, random);
            }
        }
    }
}

/// The choices of the search, each of which moves parameters about. The arms are searched beside each other.
#[test]
fn searched_programs_equal_newton_and_euler() {
    fn begin<'s, const N: usize>(scope: &'s Scope<'s, '_>, arm: Serial<f64, N>, random: &mut Random) {
        let mut own = Random(random.0);
        for _ in 0..QUANTITIES.len() * STATES * 3 * N {
            random.next();
        }
        let effort = Effort { plans: 200, shortlist: 3, finalists: 1, rounds: 2 };
        scope.spawn(move || check(&arm, effort, &mut own));
    }
    let random = &mut Random(9);
    std::thread::scope(|scope| {
        for prismatic in [false, true] {
            for wild in [false, true] {
                begin(scope, arm::<3>(random, wild, DhConvention::Modified, prismatic), random);
                begin(scope, arm::<4>(random, wild, DhConvention::Standard, prismatic), random);
            }
            // Long arms have the freedoms that a search is for where they have zeros; without any they only take long.
            begin(scope, arm::<6>(random, false, DhConvention::Modified, prismatic), random);
        }
    });
}

#[test]
fn the_puma_is_as_cheap_as_we_say() {
    let arm = dalembert::robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    let random = &mut Random(3);
    // Operations found; the paper's own explicit model: 1,165 and 278.
    for (of, most) in [(Of::Torque, 256), (Of::Mass, 114), (Of::Gravity, 19)] {
        let search = || {
            cheapest_serial(&|_| numbers(&arm), of, &signature(of, 6), Target::Count, Effort::default(), &mut |_| ())
        };
        let program = match of {
            // Nothing but the search finds one.
            Of::Torque => searched_puma()[0].clone(),
            _ => search().remove(0),
        };
        let found = program.operations();
        assert!(found.arithmetic() <= most, "{of:?}: {found}");
        assert_eq!(found.sin_cos, 4, "q1 and q6 never appear, q2 + q3 does");
        let error = error(&arm, of, &program, random);
        assert!(error < 1e-13, "{of:?}: {error:e}");
    }
}
