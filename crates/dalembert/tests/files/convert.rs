//! Conventions: there and back is the identity, and a converted state satisfies the source's own equations, which are written
//! here a second time, from the sources and not from the library. Power is the same in every convention, which ties the
//! signs of velocities, torques and forces together.

use dalembert::convert::{Convention, ConventionParameters, ConventionState, ConvertError, Converter};
use dalembert::delta::{Branch, Delta, Parameters};
use dalembert::{DeltaRobot, Vec3, robots as built_in};
use dalembert_proptest::{robots, states, symmetric_robots};
use proptest::prelude::*;

/// A robot without what the papers have no words for.
fn bare(robot: &Delta<f64>) -> Delta<f64> {
    let mut p = *robot.parameters();
    p.payload_mass = 0.0;
    p.gravity = Vec3::new(0.0, 0.0, -9.81);
    for arm in &mut p.arms {
        arm.upper_arm.elbow_mass = None;
    }
    Delta::new(p)
}

/// Uniform rods.
fn with_uniform_rods(robot: &Delta<f64>) -> Delta<f64> {
    let mut p = *robot.parameters();
    for arm in &mut p.arms {
        arm.forearm.center_of_mass = arm.forearm.length / 2.0;
        arm.forearm.inertia = arm.forearm.mass * arm.forearm.length.powi(2) / 12.0;
    }
    Delta::new(p)
}

/// What the page of TwinCAT asks for.
const TWINCAT: [&str; 9] = [
    "Inner arm length",
    "Outer arm length",
    "Displacement",
    "TCP displacement",
    "Inner arm mass",
    "Inner arm moment of inertia",
    "Outer arm mass",
    "Link mass",
    "TCP mass",
];

/// A number that a convention has for all arms.
fn number(p: &ConventionParameters, name: &str) -> f64 {
    p.get(name).unwrap()[0]
}

/// The tutorial's example: e = 115, f = 457.3, re = 232, rf = 112.
fn tutorial() -> ConventionParameters {
    let numbers = [("e", [115.0; 3]), ("f", [457.3; 3]), ("re", [232.0; 3]), ("rf", [112.0; 3])];
    ConventionParameters::new(Convention::Trossen, &numbers).unwrap()
}

/// A full state of the robot.
fn full_state(robot: &Delta<f64>, seed: dalembert_proptest::StateSeed) -> Option<ConventionState> {
    let state = seed.of(robot)?;
    let pose = robot.at_position(state.position, Branch::Out).ok()?;
    let moving = pose.moving(state.velocity);
    Some(ConventionState {
        position: state.position,
        velocity: state.velocity,
        acceleration: state.acceleration,
        force: state.force,
        q: Vec3(pose.joints()),
        qd: Vec3(moving.joint_velocity()),
        qdd: Vec3(moving.joint_acceleration(state.acceleration)),
        tau: Vec3(moving.torque_under(state.acceleration, state.force)),
    })
}

fn vectors(state: &ConventionState) -> [Vec3<f64>; 8] {
    let ConventionState { position, velocity, acceleration, force, q, qd, qdd, tau } = *state;
    [position, velocity, acceleration, force, q, qd, qdd, tau]
}

fn near(a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) -> bool {
    let size = b.0.iter().fold(f64::MIN_POSITIVE, |size: f64, x| size.max(x.abs()));
    a.0.iter().zip(b.0).all(|(a, b)| (a - b).abs() <= tolerance * size)
}

/// The distance of two points.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Rz(angle) v.
fn turned(v: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1], v[2]]
}

#[test]
fn names() {
    for convention in Convention::ALL {
        assert_eq!(Convention::parse(convention.name()), Some(convention));
    }
    assert_eq!(Convention::parse("nobody"), None);
    let names: Vec<&str> = Convention::ALL.iter().map(|convention| convention.name()).collect();
    assert_eq!(names, ["linuxcnc", "klipper", "trossen", "twincat", "asadi", "bortoff", "falezza"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn states_round_trip_and_keep_their_power(robot in symmetric_robots(), seed in states(), height in -1.0..1.0_f64) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        for convention in Convention::ALL {
            let converter = Converter::new(convention, &robot).unwrap().with_height(height);
            let there = converter.to_convention(&state);
            let back = converter.to_canonical(&there);
            for (a, b) in vectors(&back).into_iter().zip(vectors(&state)) {
                prop_assert!(near(a, b, 1e-14), "{convention:?}: {a:?} {b:?}");
            }
            let [metre, radian] = match convention {
                Convention::LinuxCnc | Convention::Trossen | Convention::TwinCat => [1000.0, 1f64.to_degrees()],
                Convention::Klipper => [1000.0, 1.0],
                Convention::Asadi | Convention::Bortoff | Convention::Falezza => [1.0, 1.0],
            };
            let ours = [state.tau.dot(state.qd), state.force.dot(state.velocity)];
            let theirs = [there.tau.dot(there.qd) / radian, there.force.dot(there.velocity) / metre];
            let scale = state.tau.norm_squared().sqrt() * state.qd.norm_squared().sqrt();
            prop_assert!((ours[0] - theirs[0]).abs() < 1e-13 * scale);
            let scale = state.force.norm_squared().sqrt() * state.velocity.norm_squared().sqrt();
            prop_assert!((ours[1] - theirs[1]).abs() < 1e-13 * scale);
        }
    }

    /// Conventions whose arms are anywhere take robots without symmetry.
    #[test]
    fn free_azimuths_round_trip(robot in robots(), seed in states()) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        for convention in [Convention::Klipper, Convention::Asadi, Convention::Falezza] {
            let converter = Converter::new(convention, &robot).unwrap();
            let back = converter.to_canonical(&converter.to_convention(&state));
            for (a, b) in vectors(&back).into_iter().zip(vectors(&state)) {
                prop_assert!(near(a, b, 1e-14));
            }
        }
    }

    #[test]
    fn geometries_round_trip(robot in symmetric_robots()) {
        let arms = robot.parameters().arms;
        let back = |convention| ConventionParameters::of(convention, robot.parameters()).map(|p| p.to_canonical().arms);
        for convention in [Convention::LinuxCnc, Convention::Trossen] {
            for (a, b) in arms.iter().zip(back(convention).unwrap()) {
                for (a, b) in [
                    (a.upper_arm.length, b.upper_arm.length),
                    (a.forearm.length, b.forearm.length),
                    (a.base_radius, b.base_radius),
                    (a.platform_radius, b.platform_radius),
                ] {
                    prop_assert!((a - b).abs() <= 1e-14 * a.abs());
                }
            }
        }
        if let Ok(back) = back(Convention::Klipper) {
            prop_assert!((back[0].base_radius - (arms[0].base_radius - arms[0].platform_radius)).abs() < 1e-15);
            for i in 0..3 {
                prop_assert_eq!(back[i].platform_radius, 0.0);
                prop_assert!((back[i].azimuth.cos - arms[i].azimuth.cos).abs() < 1e-15);
                prop_assert!((back[i].azimuth.sin - arms[i].azimuth.sin).abs() < 1e-15);
                let [a, b] = [back[i].upper_arm.length, arms[i].upper_arm.length];
                prop_assert!((a - b).abs() <= 1e-14 * b.abs());
            }
        } else {
            prop_assert!(arms[0].base_radius <= arms[0].platform_radius);
        }
    }

    /// The papers' parameters describe the same robot: the torques are the same after a trip through them.
    #[test]
    fn mechanisms_round_trip(robot in symmetric_robots(), seed in states()) {
        let robot = bare(&robot);
        let uniform = with_uniform_rods(&robot);
        for (robot, convention) in
            [(&robot, Convention::Asadi), (&robot, Convention::Bortoff), (&uniform, Convention::Falezza)]
        {
            let back = ConventionParameters::of(convention, robot.parameters()).unwrap().to_canonical();
            let Some(state) = full_state(robot, seed) else { return Ok(()) };
            // The way back puts the arms where the convention has them; a state follows through the convention's frame.
            let back = Delta::new(back);
            let there = Converter::new(convention, robot).unwrap().to_convention(&state);
            let state_back = Converter::new(convention, &back).unwrap().to_canonical(&there);
            let moving = back.at_position(state_back.position, Branch::Out).unwrap().moving(state_back.velocity);
            let tau = moving.torque_under(state_back.acceleration, state_back.force);
            prop_assert!(near(Vec3(moving.pose.joints()), state.q, 1e-11), "{convention:?}");
            prop_assert!(near(Vec3(tau), state.tau, 1e-10), "{convention:?} {tau:?} {:?}", state.tau);
        }
        prop_assert!(ConventionParameters::of(Convention::Falezza, robot.parameters()).is_err());
    }

    /// TwinCAT: whatever centre of mass is given, the inertia about the motor axis is the one that was said.
    #[test]
    fn twincat_round_trips(robot in symmetric_robots()) {
        let mut p = *with_uniform_rods(&bare(&robot)).parameters();
        for arm in &mut p.arms {
            arm.upper_arm.elbow_mass = Some(0.125);
            arm.motor.rotor_inertia = 0.0;
        }
        let said = ConventionParameters::of(Convention::TwinCat, &p).unwrap();
        prop_assert_eq!(number(&said, "Inner arm centre of mass"), p.arms[0].upper_arm.center_of_mass);
        let again = ConventionParameters::of(Convention::TwinCat, &said.to_canonical()).unwrap();
        for name in TWINCAT {
            let [a, b] = [number(&again, name), number(&said, name)];
            prop_assert!((a - b).abs() <= 1e-13 * b.abs());
        }
        prop_assert_eq!(number(&said, "Link mass"), 0.125);
    }

    /// LinuxCNC's own geometry: knees at −y, at 30° and at 150°, each a shin's length from the foot.
    #[test]
    fn linuxcnc_closes(robot in symmetric_robots(), seed in states()) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let said = ConventionParameters::of(Convention::LinuxCnc, robot.parameters()).unwrap();
        let [hip, foot, thigh, shin] =
            ["platformradius", "footradius", "thighlength", "shinlength"].map(|name| number(&said, name));
        let there = Converter::new(Convention::LinuxCnc, &robot).unwrap().to_convention(&state);
        let half_root_3 = 3.0_f64.sqrt() / 2.0;
        for (joint, (x, y)) in [(0.0, -1.0), (half_root_3, 0.5), (-half_root_3, 0.5)].into_iter().enumerate() {
            let angle = there.q[joint].to_radians();
            let out = hip - foot + thigh * angle.cos();
            // "Positive rotation is knee-downward", "Z points upward".
            let knee = [out * x, out * y, -thigh * angle.sin()];
            prop_assert!((distance(there.position.0, knee) - shin).abs() < 1e-10 * shin);
        }
    }

    /// Klipper's own geometry: elbows at the steppers' angles, heights from the bed, positive up.
    #[test]
    fn klipper_closes(robot in robots(), seed in states(), height in 0.5..2.0_f64) {
        // Klipper has one shoulder radius.
        let mut p = *robot.parameters();
        for arm in &mut p.arms {
            arm.base_radius = 0.5 * arm.upper_arm.length;
            arm.platform_radius = 0.2 * arm.upper_arm.length;
        }
        let robot = Delta::new(p);
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let said = ConventionParameters::of(Convention::Klipper, robot.parameters()).unwrap();
        let [radius, upper, lower, angles] =
            ["shoulder_radius", "upper_arm_length", "lower_arm_length", "angle"].map(|name| said.get(name).unwrap());
        let there = Converter::new(Convention::Klipper, &robot).unwrap().with_height(height).to_convention(&state);
        for arm in 0..3 {
            let angle = there.q[arm];
            let out = radius[arm] + upper[arm] * angle.cos();
            let up = 1000.0 * height + upper[arm] * angle.sin();
            let elbow = turned([out, 0.0, up], angles[arm].to_radians());
            let length = lower[arm];
            prop_assert!((distance(there.position.0, elbow) - length).abs() < 1e-10 * length);
        }
    }

    /// The tutorial's inverse kinematics gives the converted angles.
    #[test]
    fn trossen_agrees(robot in symmetric_robots(), seed in states()) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let g = ConventionParameters::of(Convention::Trossen, robot.parameters()).unwrap();
        let there = Converter::new(Convention::Trossen, &robot).unwrap().to_convention(&state);
        let [x, y, z] = there.position.0;
        let (sin120, cos120) = (3.0_f64.sqrt() / 2.0, -0.5);
        let angles = Vec3::new(
            trossen_angle(&g, x, y, z),
            trossen_angle(&g, x * cos120 + y * sin120, y * cos120 - x * sin120, z),
            trossen_angle(&g, x * cos120 - y * sin120, y * cos120 + x * sin120, z),
        );
        for i in 0..3 {
            prop_assert!((angles[i] - there.q[i]).abs() < 1e-9, "{angles:?} {:?}", there.q);
        }
    }

    /// Asadi & Heydari (4): U = X − R_i((R_b − R_a) + O_i L), |U| = l_K, with R_b, R_a, L along y.
    #[test]
    fn asadi_closes(robot in symmetric_robots(), seed in states()) {
        let robot = bare(&robot);
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let m = ConventionParameters::of(Convention::Asadi, robot.parameters()).unwrap();
        let there = Converter::new(Convention::Asadi, &robot).unwrap().to_convention(&state);
        prop_assert!(there.position[2] > 0.0);
        for i in 0..3 {
            // O_i (2) turns about x: [0, l, 0] becomes [0, l cos q, l sin q].
            let (sin, cos) = there.q[i].sin_cos();
            let [r_b, r_a, l_l, l_k] = ["r_b", "r_a", "l_L", "l_K"].map(|name| number(&m, name));
            let elbow = turned([0.0, r_b - r_a + l_l * cos, l_l * sin], m.get("phi").unwrap()[i]);
            prop_assert!((distance(there.position.0, elbow) - l_k).abs() < 1e-13 * l_k);
        }
    }

    /// Bortoff (4) with the missing l₀ − l₃, and (10): the three arm tips ψ, turned by ±120°, are the platform.
    #[test]
    fn bortoff_closes(robot in symmetric_robots(), seed in states()) {
        let robot = bare(&robot);
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let m = ConventionParameters::of(Convention::Bortoff, robot.parameters()).unwrap();
        let [l0, l1, l2, l3] = ["l0", "l1", "l2", "l3"].map(|name| number(&m, name));
        let there = Converter::new(Convention::Bortoff, &robot).unwrap().to_convention(&state);
        let third = std::f64::consts::TAU / 3.0;
        for (i, turn) in [0.0, third, -third].into_iter().enumerate() {
            let local = turned(there.position.0, -turn);
            let (s1, c1) = there.q[i].sin_cos();
            let elbow = [0.0, l0 - l3 + l1 * c1, l1 * s1];
            // φ₂ from x₂, φ₃ about it: what is left is that they reproduce the tip with a distal link of length l₂.
            let rod = [local[0], local[1] - elbow[1], local[2] - elbow[2]];
            let (phi2, phi3) = (rod[0].hypot(rod[2]).atan2(rod[1]), rod[0].atan2(rod[2]));
            let tip = [
                l2 * phi2.sin() * phi3.sin(),
                elbow[1] + l2 * phi2.cos(),
                elbow[2] + l2 * phi2.sin() * phi3.cos(),
            ];
            prop_assert!(distance(tip, local) < 1e-13);
        }
    }

    /// Falezza (2) with z down, the coherent reading: j = [(r + l₁ cθ) cα, (r + l₁ cθ) sα, +l₁ sθ], |x − j| = l₂.
    #[test]
    fn falezza_closes(robot in symmetric_robots(), seed in states()) {
        let robot = with_uniform_rods(&bare(&robot));
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let m = ConventionParameters::of(Convention::Falezza, robot.parameters()).unwrap();
        let [r_f, r_e, l_1, l_2] = ["r_f", "r_e", "l_1", "l_2"].map(|name| number(&m, name));
        let there = Converter::new(Convention::Falezza, &robot).unwrap().to_convention(&state);
        for i in 0..3 {
            let (sin, cos) = there.q[i].sin_cos();
            let joint = turned([r_f - r_e + l_1 * cos, 0.0, l_1 * sin], m.get("alpha").unwrap()[i]);
            prop_assert!((distance(there.position.0, joint) - l_2).abs() < 1e-13 * l_2);
        }
    }
}

/// The tutorial's angle in the YZ plane, degrees: the intersection of the elbow's circle with the forearm's sphere.
fn trossen_angle(g: &ConventionParameters, x0: f64, y0: f64, z0: f64) -> f64 {
    let [f, e, rf, re] = ["f", "e", "rf", "re"].map(|name| number(g, name));
    let tan30 = 1.0 / 3.0_f64.sqrt();
    let y1 = -0.5 * tan30 * f;
    let y0 = y0 - 0.5 * tan30 * e;
    // z = a + b y
    let a = (x0 * x0 + y0 * y0 + z0 * z0 + rf * rf - re * re - y1 * y1) / (2.0 * z0);
    let b = (y1 - y0) / z0;
    let d = -(a + b * y1).powi(2) + rf * (b * b * rf + rf);
    let yj = (y1 - a * b - d.sqrt()) / (b * b + 1.0);
    let zj = a + b * yj;
    // The tutorial writes atan(−zj/(y1 − yj)) and adds 180° where yj > y1.
    (-zj).atan2(y1 - yj).to_degrees()
}

#[test]
fn the_tutorials_example_robot() {
    // t = (f − e) tan 30°/2 = 98.81 mm.
    let p = tutorial().onto(*built_in::d3_1200().unwrap().delta.parameters());
    let t = 1000.0 * (p.arms[0].base_radius - p.arms[0].platform_radius);
    assert!((t - (457.3 - 115.0) * 30.0_f64.to_radians().tan() / 2.0).abs() < 1e-10);
    let robot = Delta::new(p);
    let q = robot.at_position(Vec3::new(0.0, 0.0, -0.2), Branch::Out).unwrap().joints();
    let g = ConventionParameters::of(Convention::Trossen, robot.parameters()).unwrap();
    assert!((q[0].to_degrees() - trossen_angle(&g, 0.0, 0.0, -200.0)).abs() < 1e-10);
}

/// Klipper's documentation: shoulder_radius = (delta_f − delta_e)/√12, with the tutorial's f and e.
#[test]
fn klipper_and_the_tutorial_agree() {
    let klipper = ConventionParameters::of(Convention::Klipper, &tutorial().to_canonical()).unwrap();
    assert!((number(&klipper, "shoulder_radius") - (457.3 - 115.0) / 12.0_f64.sqrt()).abs() < 1e-10);
    for (angle, expected) in klipper.get("angle").unwrap().into_iter().zip([270.0, 30.0, 150.0]) {
        assert!((angle - expected).abs() < 1e-12);
    }
}

/// The papers' printed parameters are the built-in robots.
#[test]
fn printed_parameters_are_the_built_in_robots() {
    use std::f64::consts::PI;
    let printed = [
        ("r_b", [0.2; 3]),
        ("r_a", [0.2; 3]),
        ("phi", [PI, -PI / 3.0, PI / 3.0]),
        ("l_L", [0.2; 3]),
        ("r_L", [0.3933; 3]),
        ("m_L", [0.116; 3]),
        ("I_L", [6.4345319e-4; 3]),
        ("l_K", [0.52; 3]),
        ("r_K", [0.5; 3]),
        ("M_K", [2.0 * 0.05788; 3]),
        ("I_K", [5.74769459e-3; 3]),
        ("I_mo", [0.0465475; 3]),
        ("m_P", [1.055; 3]),
        ("g", [9.81; 3]),
    ];
    let printed = ConventionParameters::new(Convention::Asadi, &printed).unwrap();
    same_robot(&printed.to_canonical(), built_in::asadi().unwrap().delta.parameters());
    let printed = [
        ("r_f", [0.25; 3]),
        ("r_e", [0.1; 3]),
        ("alpha", [0.0, 2.0 * PI / 3.0, 4.0 * PI / 3.0]),
        ("l_1", [0.375; 3]),
        ("a_1", [0.122; 3]),
        ("m_1", [1.40; 3]),
        ("I_1", [0.035; 3]),
        ("l_2", [0.9; 3]),
        ("m_2", [0.39; 3]),
        ("m_0", [0.94; 3]),
        ("I_3", [0.0; 3]),
        ("k_r", [1.0; 3]),
        ("g", [9.81; 3]),
    ];
    let printed = ConventionParameters::new(Convention::Falezza, &printed).unwrap();
    same_robot(&printed.to_canonical(), built_in::d3_1200().unwrap().delta.parameters());
}

fn same_robot(a: &Parameters<f64>, b: &Parameters<f64>) {
    let mut numbers = [Vec::new(), Vec::new()];
    for (p, numbers) in [a, b].into_iter().zip(&mut numbers) {
        p.map(|x| {
            numbers.push(x);
            x
        });
    }
    assert_eq!(numbers[0].len(), numbers[1].len());
    for (a, b) in numbers[0].iter().zip(&numbers[1]) {
        assert!((a - b).abs() <= 1e-15 * (1.0 + b.abs()), "{a} {b}");
    }
}

#[test]
fn twincat_units() {
    let mut p = *built_in::d3_1200().unwrap().delta.parameters();
    let said = ConventionParameters::of(Convention::TwinCat, &p).unwrap();
    let [inner, outer, displacement, tcp_displacement, _, inertia, outer_mass, link_mass, tcp_mass] =
        TWINCAT.map(|name| number(&said, name));
    assert_eq!((inner, outer), (375.0, 900.0));
    assert_eq!((displacement, tcp_displacement), (250.0, 100.0));
    assert!((inertia - 55_837.6).abs() < 1e-9);
    assert_eq!((outer_mass, link_mass, tcp_mass), (0.39, 0.0, 0.94));
    assert_eq!(number(&said, "Inner arm centre of mass"), 0.122);
    same_robot(&said.to_canonical(), &p);
    // What TwinCAT has no word for is not dropped.
    let refused = |p: &Parameters<f64>, expected: &str| {
        let error = ConventionParameters::of(Convention::TwinCat, p).unwrap_err();
        assert!(matches!(error, ConvertError::CannotSay { field, .. } if field == expected), "{error}");
    };
    p.arms[1].motor.rotor_inertia = 1e-4;
    refused(&p, "motor.rotor_inertia");
    p.arms[2].forearm.center_of_mass = 0.4;
    refused(&p, "forearm.inertia");
}

#[test]
fn what_cannot_be_said_is_refused() {
    let generic =
        dalembert::DeltaRobot::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/robots/generic.toml")).unwrap();
    let p = generic.delta.parameters();
    let error = Converter::new(Convention::LinuxCnc, &generic.delta).unwrap_err();
    assert!(matches!(error, ConvertError::Azimuths { arm: 2, .. }), "{error}");
    assert!(error.to_string().contains("270"), "{error}");
    assert!(ConventionParameters::of(Convention::LinuxCnc, p).is_err());
    let error = ConventionParameters::of(Convention::Klipper, p).unwrap_err();
    assert!(matches!(error, ConvertError::ArmsDiffer { .. }), "{error}");
    let error = ConventionParameters::of(Convention::Asadi, p).unwrap_err();
    assert!(matches!(error, ConvertError::CannotSay { field: "gravity", .. }), "{error}");

    let change = |change: fn(&mut Parameters<f64>)| {
        let mut p = *built_in::d3_1200().unwrap().delta.parameters();
        change(&mut p);
        ConventionParameters::of(Convention::Asadi, &p).unwrap_err().to_string()
    };
    assert!(change(|p| p.payload_mass = 1.0).contains("payload.mass"));
    assert!(change(|p| p.tool[2] = -0.1).contains("platform.tool"));
    assert!(change(|p| p.arms[0].upper_arm.elbow_mass = Some(0.1)).contains("upper_arm.elbow_mass"));
    assert!(change(|p| p.arms[2].upper_arm.length = 0.3).contains("upper_arm.length"));
    assert!(change(|p| p.arms[1].passive_damping = Some(0.1)).contains("passive_damping"));

    // Clockwise arms: the second is where the third should be.
    let mut clockwise = *built_in::d3_1200().unwrap().delta.parameters();
    clockwise.arms.swap(1, 2);
    let error = Converter::new(Convention::Trossen, &Delta::new(clockwise)).unwrap_err();
    assert!(matches!(error, ConvertError::Azimuths { arm: 2, off, .. } if (off.abs() - 120.0).abs() < 1e-9), "{error}");
}

/// A table in metres where the convention has millimetres, and the other way round: the robot is impossible or odd, and the unit is named.
#[test]
fn parameters_in_another_unit_are_told() {
    use dalembert::verbs::{ConvertParametersRequest, Outcome, convert_parameters};
    let robot = DeltaRobot::find("d3-1200").unwrap();
    let from = |convention, rows: &str| {
        let table = Some(("numbers.csv".to_owned(), rows.to_owned()));
        convert_parameters(&ConvertParametersRequest { robot: robot.clone(), convention, table }, &mut ())
    };
    let metres = "platformradius,0.25\nthighlength,0.375\nshinlength,0.9\nfootradius,0.1\n";
    let error = from(Convention::LinuxCnc, metres).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("lengths of `linuxcnc` are in mm"), "{error}");
    let one = from(Convention::LinuxCnc, &metres.replace("0.375", "375").replace("0.9", "900").replace("0.1", "100"));
    let one = one.unwrap();
    let [odd] = one.findings() else { panic!("{:?}", one.findings()) };
    assert!(
        odd.message.contains("larger than the base's 0.00025 m (lengths of `linuxcnc` are in mm)"),
        "{}",
        odd.message
    );
    assert!(
        from(Convention::LinuxCnc, "platformradius,250\nthighlength,375\nshinlength,900\nfootradius,100\n")
            .unwrap()
            .findings()
            .is_empty()
    );
}

/// The command's way: a table of a convention's numbers, and from it the robot that it came from.
#[test]
fn parameters_go_to_a_table_and_back() {
    use dalembert::verbs::{ConvertParametersRequest, convert_parameters};
    let ask = |robot: &DeltaRobot, convention, table: Option<&str>| {
        let table = table.map(|text| ("numbers.csv".to_owned(), text.to_owned()));
        convert_parameters(&ConvertParametersRequest { robot: robot.clone(), convention, table }, &mut ())
    };
    for (file, convention) in [
        ("asadi", Convention::LinuxCnc),
        ("d3-1200", Convention::Klipper),
        ("asadi", Convention::Trossen),
        ("d3-1200", Convention::TwinCat),
        ("asadi", Convention::Asadi),
        ("asadi", Convention::Bortoff),
        ("d3-1200", Convention::Falezza),
    ] {
        let mut robot = DeltaRobot::find(file).unwrap();
        // What a convention knows of: no friction, and rods that are uniform.
        robot = robot
            .changed(|p| {
                p.payload_mass = 0.0;
                for arm in &mut p.arms {
                    (arm.motor.friction, arm.passive_damping, arm.motor.rotor_inertia) = (None, None, 0.0);
                    (arm.upper_arm.elbow_mass, arm.motor.gear_ratio) = (None, 1.0);
                    arm.forearm.center_of_mass = arm.forearm.length / 2.0;
                    arm.forearm.inertia = arm.forearm.mass * arm.forearm.length * arm.forearm.length / 12.0;
                }
            })
            .unwrap();
        let told = ask(&robot, convention, None).unwrap_or_else(|error| panic!("{file} {convention:?}: {error}"));
        let back = ask(&robot, convention, Some(&told.text)).unwrap_or_else(|error| panic!("{convention:?}: {error}"));
        assert_eq!(told.parameters, back.parameters);
        let read = DeltaRobot::parse(&back.text).unwrap();
        let again = ask(&read, convention, None).unwrap();
        for ((name, before), (_, after)) in told.parameters.iter().zip(&again.parameters) {
            let near = (0..3).all(|i| (before[i] - after[i]).abs() <= 1e-14 * before[i].abs().max(1.0));
            assert!(near, "{convention:?} {name}: {before:?} {after:?}");
        }
        // What it does not say stays.
        assert_eq!(read.delta.parameters().platform_mass, robot.delta.parameters().platform_mass);
        assert!(read.source.unwrap().contains(convention.name()));
    }
    let robot = DeltaRobot::find("d3-1200").unwrap();
    for (text, expected) in [
        ("parameter,arm1\nplatformradius,100\n", "there is no `thighlength`, `shinlength`, `footradius`"),
        ("platformradius,100\nthigh,30\n", "line 2: unknown parameter `thigh`"),
        ("platformradius,100\nplatformradius,100\n", "line 2: `platformradius` is given twice"),
        ("platformradius,100,200,100\n", "one number for all arms"),
        ("platformradius,big\n", "must be a finite number"),
        ("platformradius\n", "has 0 numbers"),
    ] {
        let error = ask(&robot, Convention::LinuxCnc, Some(text)).unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
    }
    let impossible = "platformradius,5000\nthighlength,30\nshinlength,40\nfootradius,10\n";
    assert!(ask(&robot, Convention::LinuxCnc, Some(impossible)).is_err());
}
