//! A state in full.

use dalembert::delta::Branch;
use dalembert::robot::explanation::{Explanation, Values};
use dalembert::robot::{JointState, Pick, ToolState};
use dalembert::spatial::Wrench;
use dalembert::{Robot, Vec3, robots};

/// The pieces shown add up to the library's torque; a forgotten term would be off by newton metres.
#[test]
fn what_is_explained_is_what_is_computed() -> Result<(), Box<dyn std::error::Error>> {
    for robot in [robots::asadi()?, robots::d3_1200()?] {
        let pose = robot.delta.at_position(Vec3::new(0.1, -0.05, -0.55), Branch::Out)?;
        let moving = pose.moving(Vec3::new(1.0, -2.0, 0.5));
        let (acceleration, force) = (Vec3::new(10.0, 20.0, -30.0), Vec3::new(1.0, 2.0, 3.0));
        let tool = ToolState::translating(moving.pose.position, moving.velocity, acceleration);
        let whole = Robot::new("a Delta", robot.clone());
        let explained = whole.explain(&whole.at_tool(&tool, &Pick::default())?, Wrench::force(force))?.torque;
        let computed = moving.torque_under(acceleration, force);
        for i in 0..3 {
            assert!((explained[i] - computed[i]).abs() < 1e-12, "{explained:?} {computed:?}");
        }
    }
    Ok(())
}

fn values<'e>(explained: &'e Explanation, section: &str, symbol: &str) -> &'e Values {
    let section = explained.sections.iter().find(|part| part.title == section).expect("the section");
    &section.quantities.iter().find(|quantity| quantity.symbol == symbol).expect("the quantity").values
}

/// The torques of an arm are those of its model, and the terms of (1) add up to them; its constants are those of Table A2.
#[test]
fn an_arm_is_explained_as_it_is_computed() -> Result<(), Box<dyn std::error::Error>> {
    let robot = Robot::find("puma560")?.with_payload(0.0)?;
    let joints = JointState {
        q: [0.3, -0.7, 1.1, 0.4, -0.8, 0.5].into(),
        qd: [0.9, -0.4, 0.7, 1.3, -1.1, 0.6].into(),
        qdd: [2.0, -3.0, 1.0, 4.0, -2.0, 5.0].into(),
    };
    let state = robot.at_joints(&joints, &Pick::default())?;
    let force = Vec3::new(3.0, -2.0, 7.0);
    let explained = robot.explain(&state, Wrench::force(force))?;
    let torque = robot.build_model("exact")?.torque(&state, Wrench { force, moment: Vec3::zero() });
    let mut sum = [0.0; 6];
    for term in ["A q̈", "B [q̇q̇]", "C [q̇²]", "g", "τ_f", "−Jᵀ w"] {
        let Values::PerJoint(values) = values(&explained, "Torque", term) else { panic!("{term}") };
        sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += value);
    }
    for i in 0..6 {
        assert!((explained.torque[i] - torque[i]).abs() < 1e-11, "{i}");
        assert!((sum[i] - torque[i]).abs() < 1e-11, "{i}");
    }
    // The force alone, by the difference of two torques.
    let without = robot.build_model("exact")?.torque(&state, Wrench::zero());
    let Values::PerJoint(pushed) = values(&explained, "Torque", "−Jᵀ w") else { panic!("a value for each joint") };
    assert!((0..6).all(|i| (pushed[i] - (torque[i] - without[i])).abs() < 1e-11));
    assert_eq!(values(&explained, "Lumped constants", "I23"), &Values::One(4e-5));
    // Another arm has no such constants, but all the rest.
    let other = Robot::find("puma560")?.with_payload(2.0)?;
    assert!(other.explain(&other.home()?, Wrench::zero()).is_ok());
    Ok(())
}

/// The papers' own terms of a Delta: Asadi's matrices give the torques of the bare robot, the passive angle ψ is the ball angle.
#[test]
fn a_delta_is_explained_in_the_papers_terms() -> Result<(), Box<dyn std::error::Error>> {
    let robot = Robot::find("d3-1200")?;
    let tool =
        ToolState::translating(Vec3::new(0.12, -0.2, -0.9), Vec3::new(1.5, 0.8, -0.6), Vec3::new(20.0, -30.0, 15.0));
    let state = robot.at_tool(&tool, &Pick::default())?;
    let explained = robot.explain(&state, Wrench::zero())?;
    let title = "Asadi and Heydari: M Ẍ + C Ẋ + G = Jᵀ τ, without rotors and payload";
    let matrix = |symbol: &str| match values(&explained, title, symbol) {
        Values::Matrix(rows) => rows.clone(),
        other => panic!("{other:?}"),
    };
    let Values::Vector(gravity) = values(&explained, title, "G") else { panic!("a vector") };
    let (m, c) = (matrix("M"), matrix("C"));
    let delta = robots::d3_1200()?.delta;
    let pose = delta.at_position(tool.pose.origin, Branch::Out)?;
    let (v, a) = (tool.velocity.linear, tool.acceleration.linear);
    let force = Vec3::from_fn(|i| (0..3).map(|j| m[i][j] * a[j] + c[i][j] * v[j]).sum::<f64>() + gravity[i]);
    let torque = pose.torque_of_wrench(force);
    assert!((0..3).all(|i| (torque[i] - explained.torque[i]).abs() < 1e-11), "{torque:?} {:?}", explained.torque);
    let Values::PerJoint(psi) = values(&explained, "Passive angles and constraint forces", "ψ") else {
        panic!("angles")
    };
    let ball = pose.ball_angles().map(f64::to_degrees);
    assert!((0..3).all(|i| (psi[i].abs() - ball[i].abs()).abs() < 1e-9), "{psi:?} {ball:?}");
    Ok(())
}
