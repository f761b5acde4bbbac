//! What an evaluation of a tree costs, counted and measured.

use super::{Formulas, three};
use crate::robot::State;
use crate::robot::families::serial::MODELS;
use crate::robot::operations::{Bench, Cost, Task};
use crate::tree::{LinkScratch, TreeError};
use crate::{Count, Tally};

/// The cost of each task. Measured with room that is kept from call to call.
pub(super) fn costs(formulas: &Formulas<f64>, bench: &Bench) -> Vec<Cost> {
    let Some(first) = bench.states.first() else { return Vec::new() };
    let (Ok(tree), n) = (formulas.tree(), formulas.joints()) else { return Vec::new() };
    let (mut bodies, mut matrix) = formulas.room_of_bodies();
    let (mut room, mut out, mut square) = (vec![LinkScratch::new(); n], vec![0.0; n], vec![0.0; n * n]);
    let mut time = |task: Task| {
        bench.time(&bench.states, |state: &State| {
            let [q, qd, qdd] = three(&state.joints);
            let mut pose = tree.at_joints(q, &mut room)?;
            match task {
                Task::Torque => pose.moving(qd)?.torque(qdd, &mut out),
                Task::Acceleration => pose.moving(qd)?.acceleration(qdd, &mut out, &mut bodies, &mut matrix),
                Task::MassMatrix => pose.mass_matrix(&mut square),
                _ => pose.gravity_torque(&mut out),
            }
        })
    };
    let tasks = [Task::Torque, Task::Acceleration, Task::MassMatrix, Task::Gravity];
    let cost = |task| {
        let seconds = time(task);
        let operations = counted(formulas, first, task)?;
        Ok(Cost { program: MODELS[0].name, task, operations, seconds })
    };
    tasks.into_iter().map(cost).collect::<Result<_, TreeError>>().unwrap_or_default()
}

/// What a task does with every joint's position, velocity and acceleration a variable; parameters are constants.
fn counted(formulas: &Formulas<f64>, state: &State, task: Task) -> Result<crate::Operations, TreeError> {
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
