//! The random robots are robots, and what must hold for any of them holds.

use dalembert::delta::{ArmParameters, Assembly, Model, ModelName};
use dalembert::limits::JointLimits;
use dalembert::robot::families::Follows;
use dalembert::serial::{DhConvention, Serial};
use dalembert::{DeltaRobot, Vec3};
use dalembert_proptest::{ArmKind, LEAST_MARGIN, Random, RandomArm, robots, states, symmetric_robots};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn size(v: Vec3<f64>) -> f64 {
    v.0.iter().fold(0.0, |size, x| size.max(x.abs()))
}

/// Most states fit most robots; a strategy that rejects nearly all of them would test nearly nothing.
#[test]
fn states_are_reached_and_varied() {
    let mut runner = TestRunner::deterministic();
    let (mut fit, mut lowest, mut highest) = (0, f64::INFINITY, f64::NEG_INFINITY);
    let total = 2000;
    for i in 0..total {
        let robot = if i % 2 == 0 {
            robots().new_tree(&mut runner).unwrap().current()
        } else {
            symmetric_robots().new_tree(&mut runner).unwrap().current()
        };
        let Some(state) = states().new_tree(&mut runner).unwrap().current().of(&robot) else { continue };
        fit += 1;
        let pose = robot.at_position(state.position, state.branch).unwrap();
        assert!(pose.rod_determinant().abs() > LEAST_MARGIN);
        for q in pose.joints() {
            lowest = q.min(lowest);
            highest = q.max(highest);
        }
    }
    println!("{fit} of {total} states fit; q from {lowest:.2} to {highest:.2} rad");
    assert!(fit > total / 2, "{fit}");
    assert!(lowest < -0.5 && highest > 1.0, "{lowest} {highest}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn azimuths_are_apart(robot in robots()) {
        let arms: [ArmParameters<f64>; 3] = robot.parameters().arms;
        for (i, k) in [(0, 1), (1, 2), (2, 0)] {
            let cos = arms[i].azimuth.cos * arms[k].azimuth.cos + arms[i].azimuth.sin * arms[k].azimuth.sin;
            prop_assert!(cos < 0.5, "{cos}");
        }
    }

    /// Inverse then forward, dynamics and kinematics, by every exact model.
    #[test]
    fn inverse_and_forward_are_inverse(robot in robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let pose = robot.at_position(state.position, state.branch).unwrap();
        let back = robot.at_joints(pose.joints(), Assembly::Below).unwrap();
        prop_assert!(size(back.position - state.position) < 1e-12);
        let moving = pose.moving(state.velocity);
        let torque = moving.torque_under(state.acceleration, state.force);
        let scale = size(state.acceleration) + size(moving.platform_acceleration([0.0; 3]));
        for model in [ModelName::Exact, ModelName::Asadi, ModelName::Bortoff] {
            let model = model.build(robot.parameters());
            let model: &dyn Model<f64> = model.as_model();
            let acceleration = model.acceleration(&moving, torque, state.force);
            prop_assert!(size(acceleration - state.acceleration) < 1e-9 * scale);
        }
    }

    /// Any robot survives being written and read.
    #[test]
    fn files_round_trip(delta in robots(), range in -1.5..0.0_f64, torque in prop::option::of(0.0..100.0_f64)) {
        let limits = JointLimits {
            range: [range, range + 2.0],
            max_torque: torque.unwrap_or(f64::INFINITY),
            ..JointLimits::NONE
        };
        let robot = DeltaRobot {
            name: "random".to_owned(),
            source: None,
            delta,
            limits: [limits, JointLimits::NONE, limits],
            spacing: [None; 3],
            follows: Follows::default(),
            warnings: Vec::new(),
        };
        let text = robot.to_toml();
        let back = DeltaRobot::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back.limits, robot.limits);
        let mut expected = *robot.delta.parameters();
        let some_elbow = expected.arms.iter().any(|arm| arm.upper_arm.elbow_mass.is_some());
        let some_offset = expected.arms.iter().any(|arm| arm.upper_arm.center_of_mass_offset.is_some());
        for (arm, back) in expected.arms.iter_mut().zip(&back.delta.parameters().arms) {
            // An angle has one rounding of its own (4.4e-16 near π) between pair and file.
            prop_assert!((arm.azimuth.cos - back.azimuth.cos).abs() < 1e-15);
            prop_assert!((arm.azimuth.sin - back.azimuth.sin).abs() < 1e-15);
            arm.azimuth = back.azimuth;
            arm.upper_arm.elbow_mass = some_elbow.then_some(arm.upper_arm.mass_at_elbow());
            arm.upper_arm.center_of_mass_offset =
                some_offset.then_some(arm.upper_arm.center_of_mass_offset.unwrap_or(0.0));
        }
        prop_assert_eq!(back.delta.parameters(), &expected);
    }
}

#[test]
fn random_arms_can_exist() {
    for seed in 0..50 {
        for kind in [ArmKind::ANYTHING, ArmKind::SQUARE] {
            let arm = Random(seed).arm::<5>(kind, DhConvention::Modified);
            Serial::try_new(*arm.parameters()).expect("a possible arm");
        }
    }
}
