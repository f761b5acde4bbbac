//! What an evaluation of a tree costs, counted and measured.

use super::{Formulas, three};
use crate::chain::ChainError;
use crate::robot::State;
use crate::robot::families::serial::MODELS;
use crate::robot::operations::{Bench, Cost, Task};
use crate::{Count, Tally};

/// The cost of each task. Measured with room that is kept from call to call.
pub(super) fn costs(formulas: &Formulas<f64>, bench: &Bench) -> Vec<Cost> {
    let Some(first) = bench.states.first() else { return Vec::new() };
    let time = |task: Task| {
        bench.time(&bench.states, |state: &State| {
            let all @ [q, ..] = three(&state.joints);
            match task {
                Task::Torque => formulas.torque(all, None),
                Task::Acceleration => formulas.acceleration(all, None),
                Task::MassMatrix => formulas.mass_matrix(q),
                _ => formulas.gravity_torque(q),
            }
        })
    };
    let tasks = [Task::Torque, Task::Acceleration, Task::MassMatrix, Task::Gravity];
    let cost = |task| {
        let seconds = time(task);
        let operations = counted(formulas, first, task)?;
        Ok(Cost { program: MODELS[0].name, task, operations, seconds })
    };
    tasks.into_iter().map(cost).collect::<Result<_, ChainError>>().unwrap_or_default()
}

/// What a task does with every joint's position, velocity and acceleration a variable; parameters are constants.
fn counted(formulas: &Formulas<f64>, state: &State, task: Task) -> Result<crate::Operations, ChainError> {
    let tally = Tally::new();
    let [q, qd, qdd] = three(&state.joints).map(|all| all.iter().map(|&x| tally.variable(x)).collect::<Vec<_>>());
    let lifted: Formulas<Count<'_>> = formulas.map(<Count<'_> as crate::Scalar>::from_f64);
    match task {
        Task::Torque => drop(lifted.torque([&q, &qd, &qdd], None)?),
        Task::Acceleration => drop(lifted.acceleration([&q, &qd, &qdd], None)?),
        Task::MassMatrix => drop(lifted.mass_matrix(&q)?),
        _ => drop(lifted.gravity_torque(&q)?),
    }
    Ok(tally.operations())
}
