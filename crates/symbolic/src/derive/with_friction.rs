//! Friction joined to rigid programs, wherever they have torques and joint velocities.

use super::{Of, join};
use crate::program::{Program, Quantity, Value, ValueSource};
use dalembert_core::friction::Friction;

/// The rigid program for these things with the friction of the joints.
pub(super) fn with_friction(
    mut program: Program,
    all: &[Of],
    frictions: &[Option<Friction<f64>>],
    slides: &dyn Fn(usize) -> bool,
    symbolic: bool,
) -> Program {
    for slope in [false, true] {
        let Some(loss) = join::friction(frictions, slides, symbolic, slope) else { continue };
        let rubbing = rubbing(&program, all, slope);
        if slope
            && let (Some(velocities), Some(a), Some(b)) =
                (rubbing.velocities, offset(&program.outputs, "dqdd_dqd"), offset(&program.outputs, "dqdd_dtau"))
        {
            program = join::damped(program, &loss, velocities, [a, b]);
        }
        if rubbing.taken.is_some() || !rubbing.added.is_empty() {
            program = match slope {
                false => adding_losses(program, &loss, &rubbing),
                true => adding_losses(program, &on_diagonal(loss), &rubbing),
            };
        }
    }
    program
}

/// Where a quantity begins among others.
pub(super) fn offset(quantities: &[Quantity], name: &str) -> Option<usize> {
    let at = quantities.iter().position(|quantity| quantity.name == name)?;
    Some(quantities[..at].iter().map(|quantity| quantity.length).sum())
}

/// Where friction, or its slope, joins a program.
fn rubbing(program: &Program, all: &[Of], slope: bool) -> Rubbing {
    let velocities = offset(&program.inputs, "qd");
    if slope {
        return Rubbing { added: offset(&program.outputs, "dtau_dqd").into_iter().collect(), taken: None, velocities };
    }
    let added = ["tau", "h"].iter().filter_map(|name| offset(&program.outputs, name)).collect();
    let moved = |of: &Of| matches!(of, Of::Acceleration | Of::AccelerationDerivatives);
    let taken = offset(&program.inputs, "tau").filter(|_| all.iter().any(moved));
    Rubbing { added, taken, velocities }
}

/// Values as the diagonal of a matrix, row by row.
fn on_diagonal(mut program: Program) -> Program {
    let n = program.results.len();
    let entry = |k: usize| if k / n == k % n { program.results[k / n] } else { Value::number(0.0) };
    program.results = (0..n * n).map(entry).collect();
    program
}

/// Where friction joins a rigid program.
#[derive(Clone, Debug, Default)]
struct Rubbing {
    /// The results, from these on, that it is added to.
    added: Vec<usize>,
    /// The inputs, from this one on, that it is taken from.
    taken: Option<usize>,
    /// The joint velocities are the inputs from this one on; without it they are the last results, and dropped.
    velocities: Option<usize>,
}

/// The program with friction, q̇ → torque, joined to it.
fn adding_losses(rigid: Program, friction: &Program, rubbing: &Rubbing) -> Program {
    let joints: usize = friction.inputs.iter().map(|quantity| quantity.length).sum();
    let width = friction.results.len();
    let mut inputs: Vec<Value> = (0..rigid.inputs.iter().map(|quantity| quantity.length).sum())
        .map(|i| Value { negated: false, place: ValueSource::Input(i) })
        .collect();
    let mut whole = Program { steps: Vec::new(), checks: Vec::new(), results: Vec::new(), ..rigid.clone() };
    let mut loss = Vec::new();
    if let Some(from) = rubbing.velocities {
        loss = join::append(&mut whole, friction, &inputs[from..from + joints]);
    }
    if let Some(from) = rubbing.taken {
        let free = join::add(&mut whole, &inputs[from..from + joints], &loss, true);
        inputs.splice(from..from + joints, free);
    }
    let mut results = join::append(&mut whole, &rigid, &inputs);
    if rubbing.velocities.is_none() {
        let velocities = results.split_off(results.len() - joints);
        loss = join::append(&mut whole, friction, &velocities);
    }
    for &from in &rubbing.added {
        let sums = join::add(&mut whole, &results[from..from + width], &loss, false);
        results.splice(from..from + width, sums);
    }
    whole.results = results;
    whole
}
