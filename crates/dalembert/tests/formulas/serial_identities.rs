//! What must hold for every serial arm, checked on random ones: two to seven joints, both conventions, revolute and
//! prismatic, full inertia tensors, tool, payload, motors, and armatures on some.
//!
//! * Euler–Lagrange: the torque is d/dt ∂L/∂q̇ − ∂L/∂q of the energies, differentiated exactly by dual numbers. The
//!   energies here are an independent code: 4 × 4 transforms as the convention defines them, velocities of the centres
//!   of mass by differentiation. A wrong frame or a lost term is off in the first digits.
//! * M: composite bodies = Walker–Orin = ∂²T/∂q̇². Ṁ − 2C is skew. C q̇ is the velocity torque.
//! * Power: τ·q̇ is the rate of the energy. Forward ∘ inverse dynamics is the identity.
//! * Jacobian and its rate are the derivatives of the tool frame; the base wrench is what moves the whole arm.

use dalembert::dynamics::State as _;
use dalembert::serial::{Body, DhConvention, Joint, Pose, Serial, SerialParameters};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{Dual, Mat3, Scalar, Sym3, Vec3};
use dalembert_proptest::{ArmKind, Random, RandomArm};

/// Six in ten links with an armature elsewhere, or none.
fn kind(armatures: bool) -> ArmKind {
    ArmKind { armatures: if armatures { 0.6 } else { 0.0 }, ..ArmKind::ANYTHING }
}

/// The link frames as the convention defines them: products of elementary rotations and translations.
fn link_frames<S: Scalar, const N: usize>(p: &SerialParameters<S, N>, q: [S; N]) -> [Frame<S>; N] {
    let (o, l) = (S::zero(), S::one());
    let about_x = |(s, c): (S, S), a: S| Frame {
        rotation: Mat3([Vec3([l, o, o]), Vec3([o, c, -s]), Vec3([o, s, c])]),
        origin: Vec3([a, o, o]),
    };
    let about_z = |(s, c): (S, S), d: S| Frame {
        rotation: Mat3([Vec3([c, -s, o]), Vec3([s, c, o]), Vec3([o, o, l])]),
        origin: Vec3([o, o, d]),
    };
    let mut frame = Frame::identity();
    std::array::from_fn(|i| {
        let link = &p.links[i];
        let offset = (link.dh.theta_offset.sin, link.dh.theta_offset.cos);
        let z = match link.joint {
            Joint::Revolute => about_z(link.dh.theta_offset.added_to(q[i].sin_cos()), link.dh.d),
            Joint::Prismatic => about_z(offset, link.dh.d + q[i]),
        };
        let x = about_x((link.dh.alpha.sin, link.dh.alpha.cos), link.dh.a);
        frame = match p.convention {
            DhConvention::Modified => frame.then(&x).then(&z),
            DhConvention::Standard => frame.then(&z).then(&x),
        };
        frame
    })
}

/// Kinetic and potential energy from the frames alone; velocities by a dual number along q̇.
fn energies<S: Scalar, const N: usize>(p: &SerialParameters<S, N>, q: [S; N], qd: [S; N]) -> (S, S) {
    type Time<S> = Dual<S, 1>;
    let along: [Time<S>; N] = std::array::from_fn(|i| Dual { value: q[i], derivative: [qd[i]] });
    let frames = link_frames(&p.map(Time::constant), along);
    let half = S::from_f64(0.5);
    let (mut kinetic, mut potential) = (S::zero(), S::zero());
    let mut spins = [Vec3::zero(); N];
    let mut add = |frame: &Frame<Time<S>>, body: &Body<S>| {
        let center = frame.point(body.center_of_mass.map(Time::constant));
        let velocity = center.map(|x| x.derivative[0]);
        let rotation = frame.rotation.map(|x| x.value);
        let rate = frame.rotation.map(|x| x.derivative[0]);
        // Rᵀ Ṙ = [ω]× in the body's frame.
        let turn = rotation.transpose().product(rate);
        let omega = Vec3([turn[2][1], turn[0][2], turn[1][0]]);
        kinetic = kinetic + (velocity.norm_squared() * body.mass + omega.dot(body.inertia * omega)) * half;
        potential = potential - p.gravity.dot(center.map(|x| x.value)) * body.mass;
        omega
    };
    for i in 0..N {
        spins[i] = add(&frames[i], &p.links[i].body);
    }
    add(&frames[N - 1].then(&p.tool.map(Time::constant)), &p.payload);
    for (i, link) in p.links.iter().enumerate() {
        kinetic = kinetic + link.motor_inertia * qd[i].square() * half;
        if let Some(armature) = link.armature.filter(|armature| armature.carrier > 0) {
            let momentum = link.motor_inertia / link.gear_ratio * qd[i];
            kinetic = kinetic + momentum * armature.axis.dot(spins[armature.carrier - 1]);
        }
    }
    (kinetic, potential)
}

/// ∂²T/∂q̇² and d/dt ∂L/∂q̇ − ∂L/∂q, by nested dual numbers one direction at a time.
fn lagrange<const N: usize>(
    p: &SerialParameters<f64, N>,
    q: [f64; N],
    qd: [f64; N],
    qdd: [f64; N],
) -> ([f64; N], [[f64; N]; N]) {
    type Twice = Dual<Dual<f64, 1>, 1>;
    let number = |value: f64, inner: f64, outer: f64| Twice {
        value: Dual { value, derivative: [inner] },
        derivative: [Dual { value: outer, derivative: [0.0] }],
    };
    let lifted = p.map(|x| number(x, 0.0, 0.0));
    let unit = |i: usize, k: usize| if i == k { 1.0 } else { 0.0 };
    let torque = std::array::from_fn(|k| {
        // Outer: along q̇_k; inner: along the motion in time.
        let at: [Twice; N] = std::array::from_fn(|i| number(q[i], qd[i], 0.0));
        let rates: [Twice; N] = std::array::from_fn(|i| number(qd[i], qdd[i], unit(i, k)));
        let momentum_rate = energies(&lifted, at, rates).0.derivative[0].derivative[0];
        let moved: [Twice; N] = std::array::from_fn(|i| number(q[i], 0.0, unit(i, k)));
        let still: [Twice; N] = std::array::from_fn(|i| number(qd[i], 0.0, 0.0));
        let (kinetic, potential) = energies(&lifted, moved, still);
        momentum_rate - kinetic.derivative[0].value + potential.derivative[0].value
    });
    let mass = std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let at: [Twice; N] = std::array::from_fn(|j| number(q[j], 0.0, 0.0));
            let rates: [Twice; N] = std::array::from_fn(|j| number(qd[j], unit(i, j), unit(k, j)));
            energies(&lifted, at, rates).0.derivative[0].derivative[0]
        })
    });
    (torque, mass)
}

/// Equal to `tolerance` of the largest entry.
#[track_caller]
fn close(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    let scale = a.iter().chain(b).fold(1e-3, |m: f64, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what} entry {i}: {x} and {y}");
    }
}

fn every_arm(check: impl Fn(&mut Random, DhConvention, bool, usize)) {
    for seed in 0..24 {
        let convention = if seed % 2 == 0 { DhConvention::Modified } else { DhConvention::Standard };
        for joints in 2..=7 {
            check(&mut Random(seed * 100 + joints as u64), convention, seed % 3 == 2, joints);
        }
    }
}

/// Runs a generic check for 2 to 7 joints.
macro_rules! for_joints {
    ($joints:expr, $check:ident, $($argument:expr),*) => {
        match $joints {
            2 => $check::<2>($($argument),*),
            3 => $check::<3>($($argument),*),
            4 => $check::<4>($($argument),*),
            5 => $check::<5>($($argument),*),
            6 => $check::<6>($($argument),*),
            _ => $check::<7>($($argument),*),
        }
    };
}

#[test]
fn euler_lagrange() {
    fn check<const N: usize>(random: &mut Random, convention: DhConvention, armatures: bool) {
        let arm: Serial<f64, N> = random.arm(kind(armatures), convention);
        let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
        let pose = arm.at_joints(q).unwrap();
        let moving = pose.try_moving(qd).unwrap();
        let (torque, mass) = lagrange(arm.parameters(), q, qd, qdd);
        close("torque", &moving.torque(qdd), &torque, 1e-12);
        close("two rates", &pose.configuration().torque(qd, qdd), &torque, 1e-12);
        close("mass", pose.mass_matrix().as_flattened(), mass.as_flattened(), 1e-13);
        close("Walker-Orin", pose.mass_matrix_walker_orin().as_flattened(), mass.as_flattened(), 1e-13);
        let (kinetic, potential) = energies(arm.parameters(), q, qd);
        close("energies", &[moving.kinetic_energy(), pose.potential_energy()], &[kinetic, potential], 1e-13);
        let still = pose.moving([0.0; N]);
        close("gravity", &pose.gravity_torque(), &still.torque([0.0; N]), 1e-13);
        for (ours, theirs) in pose.frames().iter().zip(link_frames(arm.parameters(), q)) {
            close("frame", &ours.origin.0, &theirs.origin.0, 1e-14);
            let flat = |f: &Frame<f64>| f.rotation.0.map(|row| row.0);
            close("rotation", flat(ours).as_flattened(), flat(&theirs).as_flattened(), 1e-14);
        }
    }
    every_arm(|random, convention, armatures, n| for_joints!(n, check, random, convention, armatures));
}

#[test]
fn there_and_back() {
    fn check<const N: usize>(random: &mut Random, convention: DhConvention, armatures: bool) {
        let arm: Serial<f64, N> = random.arm(kind(armatures), convention);
        let pose = arm.at_joints(random.state(3.0)).unwrap();
        let moving = pose.try_moving(random.state(3.0)).unwrap();
        let qdd = random.state(10.0);
        let back = moving.try_acceleration(moving.torque(qdd)).unwrap();
        close("forward of inverse", &back, &qdd, 1e-10);
        let wrench = Wrench { force: random.vector(50.0), moment: random.vector(5.0) };
        let back = moving.acceleration_under(moving.torque_under(qdd, wrench), wrench);
        close("under a force", &back, &qdd, 1e-10);
    }
    every_arm(|random, convention, armatures, n| for_joints!(n, check, random, convention, armatures));
}

#[test]
fn skew_symmetry_and_power() {
    fn check<const N: usize>(random: &mut Random, convention: DhConvention, armatures: bool) {
        let arm: Serial<f64, N> = random.arm(kind(armatures), convention);
        let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
        let pose = arm.at_joints(q).unwrap();
        let moving = pose.moving(qd);
        let matrix = moving.coriolis_matrix();
        let product: [f64; N] = std::array::from_fn(|i| (0..N).map(|k| matrix[i][k] * qd[k]).sum());
        close("C qd", &product, &moving.coriolis(), 1e-13);

        // Everything along the motion in time.
        type Time = Dual<f64, 1>;
        let lifted = Serial::<Time, N>::new(arm.parameters().lift());
        let at: [Time; N] = std::array::from_fn(|i| Dual { value: q[i], derivative: [qd[i]] });
        let rates: [Time; N] = std::array::from_fn(|i| Dual { value: qd[i], derivative: [qdd[i]] });
        let later: Pose<'_, Time, N> = lifted.pose_unchecked(at);
        let mass = later.mass_matrix();
        for i in 0..N {
            for k in 0..N {
                let (rate, scale) = (mass[i][k].derivative[0], 1e-12 * (1.0 + mass[i][k].derivative[0].abs()));
                assert!((rate - matrix[i][k] - matrix[k][i]).abs() <= scale * 10.0, "skew {i}{k}");
            }
        }
        let power: f64 = moving.rigid_torque(qdd).iter().zip(qd).map(|(t, v)| t * v).sum();
        let energy = later.moving(rates).kinetic_energy() + later.potential_energy();
        close("power", &[power], &[energy.derivative[0]], 1e-11);

        // Jacobian, its rate, and the tool's motion.
        let tool = later.tool();
        let Twist { linear: velocity, angular: omega } = moving.tool_velocity();
        close("tool velocity", &velocity.0, &tool.origin.map(|x| x.derivative[0]).0, 1e-12);
        let turn = tool.rotation.map(|x| x.derivative[0]).product(tool.rotation.map(|x| x.value).transpose());
        close("tool rotation", &omega.0, &[turn[2][1], turn[0][2], turn[1][0]], 1e-12);
        let (jacobian, rate) = (later.jacobian(), moving.jacobian_rate());
        for i in 0..N {
            close("linear rate", &rate[i].linear.0, &jacobian[i].linear.map(|x| x.derivative[0]).0, 1e-12);
            close("angular rate", &rate[i].angular.0, &jacobian[i].angular.map(|x| x.derivative[0]).0, 1e-12);
        }
        let Twist { linear: acceleration, angular: turning } = moving.tool_acceleration(qdd);
        let Twist { linear: v, angular: w } = later.moving(rates).tool_velocity();
        close("tool acceleration", &acceleration.0, &v.map(|x| x.derivative[0]).0, 1e-12);
        close("tool turning", &turning.0, &w.map(|x| x.derivative[0]).0, 1e-12);
    }
    every_arm(|random, convention, armatures, n| for_joints!(n, check, random, convention, armatures));
}

/// The base carries the rate of the whole arm's momentum, less its weight.
#[test]
fn base_wrench_is_the_rate_of_momentum() {
    fn check<const N: usize>(random: &mut Random, convention: DhConvention) {
        let arm: Serial<f64, N> = random.arm(kind(false), convention);
        let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
        type Twice = Dual<Dual<f64, 1>, 1>;
        let p = arm.parameters().lift::<Twice>();
        // Second derivative along the motion: position, velocity, acceleration of every centre of mass.
        let at: [Twice; N] = std::array::from_fn(|i| Twice {
            value: Dual { value: q[i], derivative: [qd[i]] },
            derivative: [Dual { value: qd[i], derivative: [qdd[i]] }],
        });
        let frames = link_frames(&p, at);
        let mut force = arm.gravity() * 0.0;
        let mut bodies: Vec<(Frame<Twice>, Body<Twice>)> = (0..N).map(|i| (frames[i], p.links[i].body)).collect();
        bodies.push((frames[N - 1].then(&p.tool), p.payload));
        for (frame, body) in bodies {
            let acceleration = frame.point(body.center_of_mass).map(|x| x.derivative[0].derivative[0]);
            force = force + (acceleration - arm.gravity()) * body.mass.value.value;
        }
        let wrench = arm.at_joints(q).unwrap().moving(qd).base_wrench(qdd);
        close("base force", &wrench.force.0, &force.0, 1e-12);
        // A revolute first axis through the base's origin along z feels the moment about it.
        let first = &arm.parameters().links[0];
        if convention == DhConvention::Standard && first.joint == Joint::Revolute {
            let torque = arm.at_joints(q).unwrap().moving(qd).rigid_torque(qdd)[0] - first.motor_inertia * qdd[0];
            close("base moment", &[wrench.moment[2]], &[torque], 1e-12);
        }
    }
    every_arm(|random, convention, _, n| for_joints!(n, check, random, convention));
}

/// A payload of nothing changes no bit; a payload taken off again leaves what was there.
#[test]
fn payload_is_additive_and_reversible() {
    let mut random = Random(7);
    let loaded: Serial<f64, 6> = random.arm(kind(false), DhConvention::Modified);
    let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
    let torque = |payload: Body<f64>, inside: Body<f64>| {
        let mut parameters = *loaded.parameters();
        parameters.payload = payload;
        parameters.links[5].body = inside;
        Serial::try_new(parameters).unwrap().at_joints(q).unwrap().moving(qd).torque(qdd)
    };
    let body = loaded.parameters().links[5].body;
    let bare = torque(Body::zero(), body);
    let mut nothing = loaded.parameters().payload;
    (nothing.mass, nothing.inertia) = (0.0, Sym3::zero());
    assert_eq!(bare.map(f64::to_bits), torque(nothing, body).map(f64::to_bits));
    assert_ne!(bare, loaded.at_joints(q).unwrap().moving(qd).torque(qdd));
    // Link 6 carried as the payload of a link 6 without mass.
    let mut parameters = *loaded.parameters();
    parameters.tool = Frame::identity();
    parameters.payload = body;
    parameters.links[5].body = Body::zero();
    let carried = Serial::try_new(parameters).unwrap().at_joints(q).unwrap().moving(qd).torque(qdd);
    close("carried", &carried, &bare, 1e-13);
}

/// A joint that moves nothing is named; what is not finite is refused.
#[test]
fn the_edge_refuses() {
    use dalembert::serial::SerialError;
    let mut random = Random(3);
    let mut parameters = *random.arm::<3>(kind(false), DhConvention::Modified).parameters();
    parameters.links[2].body = Body::zero();
    parameters.links[2].motor_inertia = 0.0;
    parameters.payload = Body::zero();
    let arm = Serial::try_new(parameters).unwrap();
    let still = arm.at_joints([0.1, 0.2, 0.3]).unwrap().moving([0.0; 3]);
    assert!(matches!(still.try_acceleration([0.0; 3]), Err(SerialError::NoInertia { joint: 3, .. })));
    let error = arm.at_joints([0.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "q2 is NaN, not a finite number");
    for (field, spoil) in [
        ("mass", (|p| p.links[1].body.mass = -1.0) as fn(&mut SerialParameters<f64, 3>)),
        ("inertia", |p| p.links[1].body.inertia.xx = f64::NAN),
        ("inertia", |p| p.links[1].body.inertia.xy = 10.0),
        ("gear_ratio", |p| p.links[1].gear_ratio = 0.0),
        ("a", |p| p.links[1].dh.a = f64::INFINITY),
        ("alpha", |p| p.links[1].dh.alpha.cos = f64::NAN),
        ("gravity", |p| p.gravity[2] = f64::NAN),
        ("tool.rotation", |p| p.tool.rotation = Mat3::zero()),
        ("payload.mass", |p| p.payload.mass = f64::NAN),
    ] {
        let mut spoiled = parameters;
        spoil(&mut spoiled);
        assert_eq!(Serial::try_new(spoiled).unwrap_err().field, field);
    }
}
