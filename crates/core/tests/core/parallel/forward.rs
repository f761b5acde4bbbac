//! The platform of joints.

use super::{for_states, size};
use dalembert_core::Dual;
use dalembert_core::dynamics::{Dynamics, State};
use dalembert_core::parallel::{Chain, Parallel, ParallelError, ParallelModel};
use dalembert_core::spatial::Twist;

fn round_trip<const N: usize>() {
    let (mut refused, mut most_parts, mut most_steps, mut count) = (0, 0, 0, 0);
    for_states::<N>(40, false, |kind, robot, tool, _| {
        let q = robot.at_tool(tool).unwrap().joints();
        count += 1;
        match robot.at_joints(q) {
            Ok(found) => {
                assert!(found.bound <= 0.5 && found.residual < 1e-14, "{kind:?} {} {}", found.bound, found.residual);
                (most_parts, most_steps) = (found.parts.max(most_parts), found.steps.max(most_steps));
                let off = size((found.pose.tool.origin - tool.origin).0);
                let turned = (0..3).map(|i| size((found.pose.tool.rotation[i] - tool.rotation[i]).0));
                let off = turned.fold(off, f64::max);
                assert!(off < 1e-12 / found.pose.determinant().abs(), "{kind:?}: {off:.1e}");
            }
            Err(ParallelError::NoAssembly { .. }) => refused += 1,
            Err(error) => panic!("{kind:?}: {error}"),
        }
    });
    println!("{N} legs: {refused} of {count} refused, at most {most_parts} parts and {most_steps} steps");
    assert!(refused * 20 <= count, "{refused} of {count}");
    // Parts are as long as their bound allows: half of it each would take 64.
    assert!(most_parts < 50, "{most_parts} parts");
}

#[test]
fn forward_kinematics_inverts_inverse_kinematics() {
    round_trip::<3>();
    round_trip::<6>();
}

/// With arms that stand at half a turn at home the inverse kinematics says π of one platform and −π of the next: that is no way around.
#[test]
fn arms_are_followed_over_half_a_turn() {
    for_states::<6>(20, false, |kind, robot, tool, _| {
        let mut turned = *robot.parameters();
        for leg in &mut turned.legs {
            if let Chain::Rotary { axis, zero, length, arm, rod } = leg.chain {
                leg.chain = Chain::Rotary { axis, zero: -zero, length, arm, rod };
            }
        }
        let turned = Parallel::try_new(turned).unwrap();
        let [before, after] = [robot, &turned].map(|robot| robot.at_joints(robot.at_tool(tool).unwrap().joints()));
        match (before, after) {
            (Ok(before), Ok(after)) => {
                let off = size((before.pose.tool.origin - after.pose.tool.origin).0);
                assert!(off < 1e-12 / before.pose.determinant().abs(), "{kind:?}: {off:.1e}");
                assert_eq!(before.parts, after.parts, "{kind:?}");
            }
            (before, after) => assert_eq!(before.is_err(), after.is_err(), "{kind:?}"),
        }
    });
}

/// The derivatives that dual numbers carry through Newton's steps are the columns of K.
fn derivatives<const N: usize>() {
    for_states::<N>(6, false, |kind, robot, tool, _| {
        let q = robot.at_tool(tool).unwrap().joints();
        let model = ParallelModel::about(robot.lift::<Dual<f64, N>>(), tool.map(Dual::constant));
        let state = model.at_joints(Dual::variables(q), [Dual::constant(0.0); N]);
        let plain = ParallelModel::about(*robot, tool);
        let state_at = plain.at_joints(q, [0.0; N]);
        let columns = state_at.moving.pose.columns(&state_at.factors);
        let scale = columns.iter().map(|column| size(*column)).fold(0.0, f64::max);
        for (k, column) in columns.iter().enumerate() {
            for i in 0..3 {
                let found = state.tool().origin[i].derivative[k];
                assert!((found - column[i]).abs() < 1e-11 * scale, "{kind:?}: {found} {}", column[i]);
            }
        }
        // A joint's own velocity comes back.
        let moving = plain.at_joints(q, core::array::from_fn(|i| 0.1 * (i as f64 + 1.0)));
        let back = moving.moving.pose.along(moving.tool_velocity());
        for i in 0..N {
            assert!((back.legs[i].joint - 0.1 * (i as f64 + 1.0)).abs() < 1e-11, "{kind:?} {i}");
        }
        assert_eq!(plain.at_tool(tool, Twist::zero()).map(|state| state.joints().0), Some(q));
    });
}

#[test]
fn newtons_steps_carry_derivatives() {
    derivatives::<3>();
    derivatives::<6>();
}
