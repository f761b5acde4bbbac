//! What an evaluation of a parallel robot costs, from the state of its platform, counted and measured.

use super::{MODELS, moving};
use crate::parallel::{Moving, Parallel, Pose};
use crate::robot::State;
use crate::robot::operations::{Bench, Cost, Task};
use crate::spatial::{Frame, Twist, Wrench};
use crate::{Count, Operations, Tally};

/// Counts what `run` does in a state with every component of pose, velocity and acceleration a variable.
fn count<const N: usize>(
    robot: &Parallel<f64, N>,
    state: &State,
    run: impl for<'t> Fn(Pose<'_, Count<'t>, N>, Twist<Count<'t>>, Twist<Count<'t>>),
) -> Operations {
    let branches = moving(robot, state).pose.branches();
    let tally = Tally::new();
    let twist = |twist: Twist<f64>| Twist {
        linear: twist.linear.map(|x| tally.variable(x)),
        angular: twist.angular.map(|x| tally.variable(x)),
    };
    let frame = Frame {
        rotation: state.tool.pose.rotation.map(|x| tally.variable(x)),
        origin: state.tool.pose.origin.map(|x| tally.variable(x)),
    };
    // Lifted here, so that its parameters are constants and cost nothing.
    let lifted: Parallel<Count<'_>, N> = robot.lift();
    run(lifted.pose_unchecked(frame, branches), twist(state.tool.velocity), twist(state.tool.acceleration));
    tally.operations()
}

/// The cost of each task.
pub fn costs<const N: usize>(robot: &Parallel<f64, N>, bench: &Bench) -> Vec<Cost> {
    let Some(first) = bench.states.first() else { return Vec::new() };
    let cost = |task: Task, operations, seconds| {
        let program = if task == Task::Kinematics { task.as_str() } else { MODELS[0].name };
        Cost { program, task, operations, seconds }
    };
    let pose = |state: &State| robot.pose_unchecked(state.tool.pose, robot.branches());
    let at = |state: &State| -> Moving<'_, f64, N> { pose(state).moving(state.tool.velocity) };
    vec![
        cost(
            Task::Kinematics,
            count(robot, first, |pose, v, _| _ = pose.moving(v)),
            bench.time(&bench.states, |state| at(state)),
        ),
        cost(
            Task::Torque,
            count(robot, first, |pose, v, a| _ = pose.moving(v).torque(a, Wrench::zero())),
            bench.time(&bench.states, |state| at(state).torque(state.tool.acceleration, Wrench::zero())),
        ),
        cost(
            Task::Acceleration,
            count(robot, first, |pose, v, a| {
                // Any N numbers: what they are does not change the count.
                let torque = std::array::from_fn(|i| a.components()[i]);
                _ = pose.moving(v).acceleration(torque, Wrench::zero());
            }),
            bench.time(&bench.states, |state| at(state).acceleration([1.0; N], Wrench::zero())),
        ),
        cost(
            Task::MassMatrix,
            count(robot, first, |pose, _, _| _ = pose.mass_matrix(&pose.factors())),
            bench.time(&bench.states, |state| {
                let pose = pose(state);
                pose.mass_matrix(&pose.factors())
            }),
        ),
        cost(
            Task::Gravity,
            count(robot, first, |pose, _, _| _ = pose.gravity_torque(&pose.factors())),
            bench.time(&bench.states, |state| {
                let pose = pose(state);
                pose.gravity_torque(&pose.factors())
            }),
        ),
    ]
}
