//! The short paths of a robot, against what they are short for.

use dalembert::robot::{JointMatrix, JointState, JointVector, Pick, Robot, State, ToolState};
use dalembert::spatial::Wrench;
use dalembert::symbolic::derive::Of;
use std::error::Error;

type Tested = Result<(), Box<dyn Error>>;

const NAMES: [&str; 5] = ["d3-1200", "asadi", "puma560", "linear-delta", "stewart"];

/// Near home, moving.
fn moving(robot: &Robot) -> Result<State, Box<dyn Error>> {
    let home = robot.home()?.joints.q;
    let each = |size: f64| JointVector::from_fn(home.len(), |i| size * (1.0 + i as f64).sin());
    let q = JointVector::from_fn(home.len(), |i| home[i] + 0.02 * (2.0 + i as f64).cos());
    Ok(robot.at_joints(&JointState { q, qd: each(0.4), qdd: each(1.5) }, &Pick::default())?)
}

#[test]
fn the_jacobian_gives_the_velocity_of_the_tool() -> Tested {
    for name in NAMES {
        let robot = Robot::find(name)?;
        let state = moving(&robot)?;
        let jacobian = robot.jacobian(&state)?;
        let velocity = [state.tool.velocity.linear.0, state.tool.velocity.angular.0].concat();
        for (k, expected) in velocity.iter().enumerate() {
            let found: f64 = jacobian.iter().zip(state.joints.qd.iter()).map(|(row, rate)| row[k] * rate).sum();
            assert!((found - expected).abs() < 1e-9, "{name} {k}: {found} {expected}");
        }
    }
    Ok(())
}

#[test]
fn derivatives_of_torques_are_those_of_differences() -> Tested {
    const STEP: f64 = 1e-6;
    for name in NAMES {
        let robot = Robot::find(name)?;
        let (state, model) = (moving(&robot)?, robot.build_model("exact")?);
        let found = robot.torque_derivatives(&state)?;
        let scale = model.torque(&state, Wrench::zero()).iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        #[allow(clippy::type_complexity)] // a matrix and the row of the state that it is the derivative by
        let parts: [(&JointMatrix, fn(&mut JointState) -> &mut JointVector); 3] = [
            (&found.dq, |joints| &mut joints.q),
            (&found.dqd, |joints| &mut joints.qd),
            (&found.dqdd, |joints| &mut joints.qdd),
        ];
        for (matrix, part) in parts {
            for j in 0..state.joints.q.len() {
                let at = |step: f64| -> Result<JointVector, Box<dyn Error>> {
                    let mut joints = state.joints.clone();
                    part(&mut joints)[j] += step;
                    Ok(model.torque(&robot.at_joints(&joints, &Pick::default())?, Wrench::zero()))
                };
                let (after, before) = (at(STEP)?, at(-STEP)?);
                for i in 0..after.len() {
                    let expected = (after[i] - before[i]) / (2.0 * STEP);
                    assert!((matrix[i][j] - expected).abs() < 1e-4 * scale, "{name}: {} {expected}", matrix[i][j]);
                }
            }
        }
    }
    Ok(())
}

/// The power of the torques is what the energy gains, where nothing is lost.
#[test]
fn energy_is_gained_by_the_power_of_the_motors() -> Tested {
    const STEP: f64 = 1e-5;
    for name in ["d3-1200", "asadi"] {
        let robot = Robot::find(name)?;
        let state = moving(&robot)?;
        assert!(robot.is_lossless());
        let JointState { q, qd, qdd } = &state.joints;
        let energy = |t: f64| -> Result<f64, Box<dyn Error>> {
            let q = JointVector::from_fn(3, |i| q[i] + t * qd[i] + 0.5 * t * t * qdd[i]);
            let joints = JointState { q, qd: JointVector::from_fn(3, |i| qd[i] + t * qdd[i]), qdd: qdd.clone() };
            let energy = robot.energy(&robot.at_joints(&joints, &Pick::default())?)?;
            Ok(energy.kinetic + energy.potential.ok_or("no potential")?)
        };
        let torque = robot.build_model("exact")?.torque(&state, Wrench::zero());
        let power: f64 = torque.iter().zip(qd.iter()).map(|(torque, rate)| torque * rate).sum();
        let gained = (energy(STEP)? - energy(-STEP)?) / (2.0 * STEP);
        assert!((power - gained).abs() < 1e-5 * power.abs().max(1.0), "{name}: {power} {gained}");
    }
    Ok(())
}

#[test]
fn every_solution_has_the_tool() -> Tested {
    for (name, least) in [("d3-1200", 2), ("puma560", 4)] {
        let robot = Robot::find(name)?;
        let tool = ToolState { ..moving(&robot)?.tool };
        let found = robot.solutions(&tool);
        assert!(found.len() >= least, "{name}: {}", found.len());
        for state in &found {
            let back = robot.at_joints(&state.joints, &Pick { elbows: None, posture: None, ..state.pick.clone() })?;
            let off = back.tool.pose.origin - tool.pose.origin;
            assert!(off.norm_squared().sqrt() < 1e-9, "{name}: {off:?}");
        }
        let same = |a: &State, b: &State| a.joints.q.iter().zip(b.joints.q.iter()).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(found.iter().enumerate().all(|(i, one)| found[..i].iter().all(|other| !same(one, other))), "{name}");
    }
    Ok(())
}

#[test]
fn programs_in_c_in_one_call() -> Tested {
    let source = Robot::find("puma560")?.c_source(Of::Gravity)?;
    assert!(source.contains("void puma560_gravity("), "{source}");
    Ok(())
}
