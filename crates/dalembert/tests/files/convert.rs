//! Conventions: there and back is the identity, and a converted state satisfies the source's own equations, which are written
//! here a second time, from the sources and not from the library. Power is the same in every convention, which ties the
//! signs of velocities, torques and forces together.

use dalembert::convert::{Convention, ConventionState, ConvertError, Converter, Geometry};
use dalembert::convert::{asadi, bortoff, falezza, klipper, linuxcnc, trossen, twincat};
use dalembert::delta::{Branch, Delta, Parameters};
use dalembert::{Vec3, robots as built_in};
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
            let metre = if convention.length_unit() == "mm" { 1000.0 } else { 1.0 };
            let radian = if convention.angle_unit() == "deg" { 180.0 / std::f64::consts::PI } else { 1.0 };
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
    fn geometries_round_trip(robot in symmetric_robots(), height in 0.1..1.0_f64) {
        let geometry = Geometry::of(robot.parameters());
        let same = |back: Geometry| {
            [
                (geometry.upper_arm, back.upper_arm),
                (geometry.forearm, back.forearm),
                (geometry.base_radius, back.base_radius),
                (geometry.platform_radius, back.platform_radius),
            ]
            .into_iter()
            .all(|(a, b)| near(Vec3(b), Vec3(a), 1e-14))
        };
        prop_assert!(same(linuxcnc::LinuxcncGeometry::from_canonical(&geometry).unwrap().to_canonical()));
        prop_assert!(same(trossen::TrossenGeometry::from_canonical(&geometry).unwrap().to_canonical()));
        if let Ok(klipper) = klipper::KlipperGeometry::from_canonical(&geometry, height) {
            let back = klipper.to_canonical();
            prop_assert!((klipper.shoulder_height - 1000.0 * height).abs() < 1e-10);
            prop_assert!((back.base_radius[0] - (geometry.base_radius[0] - geometry.platform_radius[0])).abs() < 1e-15);
            prop_assert_eq!(back.platform_radius, [0.0; 3]);
            for i in 0..3 {
                prop_assert!((back.azimuths[i].cos - geometry.azimuths[i].cos).abs() < 1e-15);
                prop_assert!((back.azimuths[i].sin - geometry.azimuths[i].sin).abs() < 1e-15);
            }
            prop_assert!(near(Vec3(back.upper_arm), Vec3(geometry.upper_arm), 1e-14));
        } else {
            prop_assert!(geometry.base_radius[0] <= geometry.platform_radius[0]);
        }
    }

    /// The papers' parameters describe the same robot: the torques are the same after a trip through them.
    #[test]
    fn mechanisms_round_trip(robot in symmetric_robots(), seed in states()) {
        let robot = bare(&robot);
        let uniform = with_uniform_rods(&robot);
        let asadi = asadi::AsadiParameters::from_canonical(robot.parameters()).unwrap();
        let bortoff = bortoff::BortoffParameters::from_canonical(robot.parameters()).unwrap();
        let falezza = falezza::FalezzaParameters::from_canonical(uniform.parameters()).unwrap();
        for (robot, convention, back) in [
            (&robot, Convention::Asadi, asadi.to_canonical()),
            (&robot, Convention::Bortoff, bortoff.to_canonical()),
            (&uniform, Convention::Falezza, falezza.to_canonical()),
        ] {
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
        prop_assert!(falezza::FalezzaParameters::from_canonical(robot.parameters()).is_err());
    }

    /// TwinCAT: whatever centre of mass is given, the inertia about the motor axis is the one that was said.
    #[test]
    fn twincat_round_trips(robot in symmetric_robots()) {
        let mut p = *with_uniform_rods(&bare(&robot)).parameters();
        for arm in &mut p.arms {
            arm.upper_arm.elbow_mass = Some(0.125);
            arm.motor.rotor_inertia = 0.0;
        }
        let (said, center_of_mass) = twincat::TwincatParameters::from_canonical(&p).unwrap();
        prop_assert_eq!(center_of_mass, p.arms[0].upper_arm.center_of_mass);
        let (again, _) = twincat::TwincatParameters::from_canonical(&said.to_canonical(center_of_mass)).unwrap();
        let numbers = |m: twincat::TwincatParameters| {
            [
                [m.inner_arm_length, m.outer_arm_length, m.displacement],
                [m.tcp_displacement, m.inner_arm_mass, m.inner_arm_inertia],
                [m.outer_arm_mass, m.link_mass, m.tcp_mass],
            ]
        };
        for (a, b) in numbers(again).as_flattened().iter().zip(numbers(said).as_flattened()) {
            prop_assert!((a - b).abs() <= 1e-13 * b.abs());
        }
        prop_assert_eq!(said.link_mass, 0.125);
    }

    /// LinuxCNC's own geometry: knees at −y, at 30° and at 150°, each a shin's length from the foot.
    #[test]
    fn linuxcnc_closes(robot in symmetric_robots(), seed in states()) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let g = linuxcnc::LinuxcncGeometry::from_canonical(&Geometry::of(robot.parameters())).unwrap();
        let there = Converter::new(Convention::LinuxCnc, &robot).unwrap().to_convention(&state);
        let half_root_3 = 3.0_f64.sqrt() / 2.0;
        for (joint, (x, y)) in [(0.0, -1.0), (half_root_3, 0.5), (-half_root_3, 0.5)].into_iter().enumerate() {
            let angle = there.q[joint].to_radians();
            let out = g.platform_radius - g.foot_radius + g.thigh_length * angle.cos();
            // "Positive rotation is knee-downward", "Z points upward".
            let knee = [out * x, out * y, -g.thigh_length * angle.sin()];
            prop_assert!((distance(there.position.0, knee) - g.shin_length).abs() < 1e-10 * g.shin_length);
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
        let g = klipper::KlipperGeometry::from_canonical(&Geometry::of(robot.parameters()), height).unwrap();
        let there = Converter::new(Convention::Klipper, &robot).unwrap().with_height(height).to_convention(&state);
        for arm in 0..3 {
            let angle = there.q[arm];
            let out = g.shoulder_radius + g.upper_arm_length[arm] * angle.cos();
            let up = g.shoulder_height + g.upper_arm_length[arm] * angle.sin();
            let elbow = turned([out, 0.0, up], g.angle[arm].to_radians());
            let length = g.lower_arm_length[arm];
            prop_assert!((distance(there.position.0, elbow) - length).abs() < 1e-10 * length);
        }
    }

    /// The tutorial's inverse kinematics gives the converted angles.
    #[test]
    fn trossen_agrees(robot in symmetric_robots(), seed in states()) {
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let g = trossen::TrossenGeometry::from_canonical(&Geometry::of(robot.parameters())).unwrap();
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
        let m = asadi::AsadiParameters::from_canonical(robot.parameters()).unwrap();
        let there = Converter::new(Convention::Asadi, &robot).unwrap().to_convention(&state);
        prop_assert!(there.position[2] > 0.0);
        for i in 0..3 {
            // O_i (2) turns about x: [0, l, 0] becomes [0, l cos q, l sin q].
            let (sin, cos) = there.q[i].sin_cos();
            let elbow = turned([0.0, m.r_b - m.r_a + m.l_l * cos, m.l_l * sin], m.phi[i]);
            prop_assert!((distance(there.position.0, elbow) - m.l_k).abs() < 1e-13 * m.l_k);
        }
    }

    /// Bortoff (4) with the missing l₀ − l₃, and (10): the three arm tips ψ, turned by ±120°, are the platform.
    #[test]
    fn bortoff_closes(robot in symmetric_robots(), seed in states()) {
        let robot = bare(&robot);
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let m = bortoff::BortoffParameters::from_canonical(robot.parameters()).unwrap();
        let there = Converter::new(Convention::Bortoff, &robot).unwrap().to_convention(&state);
        let third = std::f64::consts::TAU / 3.0;
        for (i, turn) in [0.0, third, -third].into_iter().enumerate() {
            let local = turned(there.position.0, -turn);
            let (s1, c1) = there.q[i].sin_cos();
            let elbow = [0.0, m.l0 - m.l3 + m.l1 * c1, m.l1 * s1];
            // φ₂ from x₂, φ₃ about it: what is left is that they reproduce the tip with a distal link of length l₂.
            let rod = [local[0], local[1] - elbow[1], local[2] - elbow[2]];
            let (phi2, phi3) = (rod[0].hypot(rod[2]).atan2(rod[1]), rod[0].atan2(rod[2]));
            let tip = [
                m.l2 * phi2.sin() * phi3.sin(),
                elbow[1] + m.l2 * phi2.cos(),
                elbow[2] + m.l2 * phi2.sin() * phi3.cos(),
            ];
            prop_assert!(distance(tip, local) < 1e-13);
        }
    }

    /// Falezza (2) with z down, the coherent reading: j = [(r + l₁ cθ) cα, (r + l₁ cθ) sα, +l₁ sθ], |x − j| = l₂.
    #[test]
    fn falezza_closes(robot in symmetric_robots(), seed in states()) {
        let robot = with_uniform_rods(&bare(&robot));
        let Some(state) = full_state(&robot, seed) else { return Ok(()) };
        let m = falezza::FalezzaParameters::from_canonical(robot.parameters()).unwrap();
        let there = Converter::new(Convention::Falezza, &robot).unwrap().to_convention(&state);
        for i in 0..3 {
            let (sin, cos) = there.q[i].sin_cos();
            let joint = turned([m.r_f - m.r_e + m.l_1 * cos, 0.0, m.l_1 * sin], m.alpha[i]);
            prop_assert!((distance(there.position.0, joint) - m.l_2).abs() < 1e-13 * m.l_2);
        }
    }
}

/// The tutorial's angle in the YZ plane, degrees: the intersection of the elbow's circle with the forearm's sphere.
fn trossen_angle(g: &trossen::TrossenGeometry, x0: f64, y0: f64, z0: f64) -> f64 {
    let tan30 = 1.0 / 3.0_f64.sqrt();
    let y1 = -0.5 * tan30 * g.f;
    let y0 = y0 - 0.5 * tan30 * g.e;
    // z = a + b y
    let a = (x0 * x0 + y0 * y0 + z0 * z0 + g.rf * g.rf - g.re * g.re - y1 * y1) / (2.0 * z0);
    let b = (y1 - y0) / z0;
    let d = -(a + b * y1).powi(2) + g.rf * (b * b * g.rf + g.rf);
    let yj = (y1 - a * b - d.sqrt()) / (b * b + 1.0);
    let zj = a + b * yj;
    // The tutorial writes atan(−zj/(y1 − yj)) and adds 180° where yj > y1.
    (-zj).atan2(y1 - yj).to_degrees()
}

#[test]
fn the_tutorials_example_robot() {
    // e = 115, f = 457.3, re = 232, rf = 112: t = (f − e) tan 30°/2 = 98.81 mm.
    let geometry = trossen::TrossenGeometry { e: 115.0, f: 457.3, re: 232.0, rf: 112.0 }.to_canonical();
    let t = 1000.0 * (geometry.base_radius[0] - geometry.platform_radius[0]);
    assert!((t - (457.3 - 115.0) * 30.0_f64.to_radians().tan() / 2.0).abs() < 1e-10);
    let p = geometry.with_masses_of(*built_in::d3_1200().unwrap().delta.parameters());
    let robot = Delta::new(p);
    let q = robot.at_position(Vec3::new(0.0, 0.0, -0.2), Branch::Out).unwrap().joints();
    let g = trossen::TrossenGeometry::from_canonical(&geometry).unwrap();
    assert!((q[0].to_degrees() - trossen_angle(&g, 0.0, 0.0, -200.0)).abs() < 1e-10);
}

/// Klipper's documentation: shoulder_radius = (delta_f − delta_e)/√12, with the tutorial's f and e.
#[test]
fn klipper_and_the_tutorial_agree() {
    let geometry = trossen::TrossenGeometry { e: 115.0, f: 457.3, re: 232.0, rf: 112.0 }.to_canonical();
    let klipper = klipper::KlipperGeometry::from_canonical(&geometry, 0.4129).unwrap();
    assert!((klipper.shoulder_radius - (457.3 - 115.0) / 12.0_f64.sqrt()).abs() < 1e-10);
    assert_eq!(klipper.shoulder_height, 412.9);
    for (angle, expected) in klipper.angle.into_iter().zip([270.0, 30.0, 150.0]) {
        assert!((angle - expected).abs() < 1e-12);
    }
}

/// The papers' printed parameters are the built-in robots.
#[test]
fn printed_parameters_are_the_built_in_robots() {
    use std::f64::consts::PI;
    let printed = asadi::AsadiParameters {
        r_b: 0.2,
        r_a: 0.2,
        phi: [PI, -PI / 3.0, PI / 3.0],
        l_l: 0.2,
        r_l: 0.3933,
        m_l: 0.116,
        i_l: 6.4345319e-4,
        l_k: 0.52,
        r_k: 0.5,
        m_k: 2.0 * 0.05788,
        i_k: 5.74769459e-3,
        i_mo: 0.0465475,
        m_p: 1.055,
        g: 9.81,
    };
    same_robot(&printed.to_canonical(), built_in::asadi().unwrap().delta.parameters());
    let printed = falezza::FalezzaParameters {
        r_f: 0.25,
        r_e: 0.1,
        alpha: [0.0, 2.0 * PI / 3.0, 4.0 * PI / 3.0],
        l_1: 0.375,
        a_1: 0.122,
        m_1: 1.40,
        i_1: 0.035,
        l_2: 0.9,
        m_2: 0.39,
        m_0: 0.94,
        i_3: 0.0,
        k_r: 1.0,
        g: 9.81,
    };
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
    let (m, center_of_mass) = twincat::TwincatParameters::from_canonical(&p).unwrap();
    assert_eq!((m.inner_arm_length, m.outer_arm_length), (375.0, 900.0));
    assert_eq!((m.displacement, m.tcp_displacement), (250.0, 100.0));
    assert!((m.inner_arm_inertia - 55_837.6).abs() < 1e-9);
    assert_eq!((m.outer_arm_mass, m.link_mass, m.tcp_mass), (0.39, 0.0, 0.94));
    assert_eq!(center_of_mass, 0.122);
    same_robot(&m.to_canonical(center_of_mass), &p);
    // What TwinCAT has no word for is not dropped.
    let refused = |p: &Parameters<f64>, expected: &str| {
        let error = twincat::TwincatParameters::from_canonical(p).unwrap_err();
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
    assert!(linuxcnc::LinuxcncGeometry::from_canonical(&Geometry::of(p)).is_err());
    let error = klipper::KlipperGeometry::from_canonical(&Geometry::of(p), 0.5).unwrap_err();
    assert!(matches!(error, ConvertError::ArmsDiffer { .. }), "{error}");
    let error = asadi::AsadiParameters::from_canonical(p).unwrap_err();
    assert!(matches!(error, ConvertError::CannotSay { field: "gravity", .. }), "{error}");

    let change = |change: fn(&mut Parameters<f64>)| {
        let mut p = *built_in::d3_1200().unwrap().delta.parameters();
        change(&mut p);
        asadi::AsadiParameters::from_canonical(&p).unwrap_err().to_string()
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
