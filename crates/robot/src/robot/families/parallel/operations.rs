//! What an evaluation of a parallel robot costs, from the state of its platform, counted and measured.

use super::{MODELS, moving};
use crate::parallel::{Parallel, Pose};
use crate::robot::State;
use crate::robot::operations::{Bench, Cost, Task};
use crate::spatial::{Frame, Twist, Wrench};
use crate::{Count, Operations, Scalar, Tally};
use std::hint::black_box;

/// A task from a pose of the platform. The torques of the forward dynamics are any: their values do not matter for the cost.
#[inline(always)]
fn run<S: Scalar, const N: usize>(pose: Pose<'_, S, N>, velocity: Twist<S>, third: Twist<S>, task: Task) {
    match task {
        Task::Torque => _ = black_box(pose.moving(velocity).torque(third, Wrench::zero())),
        Task::Acceleration => {
            let torque = std::array::from_fn(|i| third.components()[i]);
            _ = black_box(pose.moving(velocity).acceleration(torque, Wrench::zero()));
        }
        Task::MassMatrix => _ = black_box(pose.mass_matrix(&pose.factors())),
        Task::Gravity => _ = black_box(pose.gravity_torque(&pose.factors())),
        _ => _ = black_box(pose.moving(velocity)),
    }
}

/// Counts what a task does in a state with every component of pose, velocity and acceleration a variable.
fn count<const N: usize>(robot: &Parallel<f64, N>, state: &State, task: Task) -> Operations {
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
    run(lifted.pose_unchecked(frame, branches), twist(state.tool.velocity), twist(state.tool.acceleration), task);
    tally.operations()
}

/// The cost of each task.
pub fn costs<const N: usize>(robot: &Parallel<f64, N>, bench: &Bench) -> Vec<Cost> {
    let Some(first) = bench.states.first() else { return Vec::new() };
    let cost = |task: Task| Cost {
        program: if task == Task::Kinematics { task.as_str() } else { MODELS[0].name },
        task,
        operations: count(robot, first, task),
        seconds: bench.time(&bench.states, |state| {
            let pose = robot.pose_unchecked(state.tool.pose, robot.branches());
            run(pose, state.tool.velocity, state.tool.acceleration, task);
        }),
    };
    [Task::Kinematics, Task::Torque, Task::Acceleration, Task::MassMatrix, Task::Gravity].map(cost).to_vec()
}
