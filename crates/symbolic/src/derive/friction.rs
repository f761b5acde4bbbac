//! Friction is derived apart and then joined to the rigid program, wherever that has torques and joint velocities.
//!
//! Apart, because the graph knows values by what they are at its sample points: friction is worth looking at near
//! standstill, where tanh and exp are not yet 1 and 0, and rigid bodies are at speeds where nothing vanishes beside
//! gravity. What is searched for the fewest operations is the rigid program alone.

use super::symbols::{self, Symbols};
use super::{DeriveError, Of};
use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::{Graph, Group};
use crate::program::{Check, Operation, Program, ProgramParameter, Quantity, Step, Value, ValueSource};
use dalembert_core::Scalar;
use dalembert_core::friction::Friction;
use dalembert_core::scalar::Dual;
use dalembert_core::serial::Coupling;

/// The friction of each motor, and the joints that it turns with beyond its own; none of the latter where each has its own.
type Losses<'a> = (&'a [Option<Friction<f64>>], &'a [Option<Coupling<f64>>]);

/// The rigid program for these things with the friction of the joints.
pub(super) fn with_friction(
    mut program: Program,
    all: &[Of],
    losses: Losses<'_>,
    slides: &dyn Fn(usize) -> bool,
    symbolic: bool,
) -> Program {
    let velocities = offset(&program.inputs, "qd");
    if let Some(loss) = friction(losses, slides, symbolic, false) {
        let added: Vec<usize> = ["tau", "h"].iter().filter_map(|name| offset(&program.outputs, name)).collect();
        let moved = |of: &Of| matches!(of, Of::Acceleration | Of::AccelerationDerivatives);
        let taken = offset(&program.inputs, "tau").filter(|_| all.iter().any(moved));
        if taken.is_some() || !added.is_empty() {
            program = adding_losses(program, &loss, velocities, taken, &added);
        }
    }
    if let Some(slope) = friction(losses, slides, symbolic, true) {
        if let (Some(velocities), Some(a), Some(b)) =
            (velocities, offset(&program.outputs, "dqdd_dqd"), offset(&program.outputs, "dqdd_dtau"))
        {
            program = damped(program, &slope, velocities, [a, b]);
        }
        if let Some(added) = offset(&program.outputs, "dtau_dqd") {
            program = adding_losses(program, &on_diagonal(slope), velocities, None, &[added]);
        }
    }
    program
}

/// Where a quantity begins among others.
pub(super) fn offset(quantities: &[Quantity], name: &str) -> Option<usize> {
    let at = quantities.iter().position(|quantity| quantity.name == name)?;
    Some(quantities[..at].iter().map(|quantity| quantity.length).sum())
}

/// Values as the diagonal of a matrix, row by row.
fn on_diagonal(mut program: Program) -> Program {
    let n = program.results.len();
    let entry = |k: usize| if k / n == k % n { program.results[k / n] } else { Value::number(0.0) };
    program.results = (0..n * n).map(entry).collect();
    program
}

/// The program with friction, q̇ → torque, added to the results from `added` on and taken from the inputs from `taken` on. The joint
/// velocities are the inputs from `velocities` on; without it they are the last results, and dropped.
fn adding_losses(
    rigid: Program,
    friction: &Program,
    velocities: Option<usize>,
    taken: Option<usize>,
    added: &[usize],
) -> Program {
    let joints: usize = friction.inputs.iter().map(|quantity| quantity.length).sum();
    let width = friction.results.len();
    let mut inputs: Vec<Value> = (0..rigid.inputs.iter().map(|quantity| quantity.length).sum())
        .map(|i| Value::of(ValueSource::Input(i)))
        .collect();
    let mut whole = Program { steps: Vec::new(), checks: Vec::new(), results: Vec::new(), ..rigid.clone() };
    let mut loss = Vec::new();
    if let Some(from) = velocities {
        loss = append(&mut whole, friction, &inputs[from..from + joints]);
    }
    if let Some(from) = taken {
        let free = add(&mut whole, &inputs[from..from + joints], &loss, true);
        inputs.splice(from..from + joints, free);
    }
    let mut results = append(&mut whole, &rigid, &inputs);
    if velocities.is_none() {
        let velocities = results.split_off(results.len() - joints);
        loss = append(&mut whole, friction, &velocities);
    }
    for &from in added {
        let sums = add(&mut whole, &results[from..from + width], &loss, false);
        results.splice(from..from + width, sums);
    }
    whole.results = results;
    whole
}

/// Refuses a friction law of one's own: it has values, and no formula that could be written down.
pub(super) fn refuse_own_laws(of: Of, frictions: &[Option<Friction<f64>>]) -> Result<(), DeriveError> {
    match frictions.iter().position(|friction| friction.is_some_and(|friction| friction.own.is_some())) {
        Some(i) => {
            let law = format!("the friction of joint {} is a user-defined law", i + 1);
            Err(DeriveError::refused(of, format!("{law}, for which there is no formula")))
        }
        None => Ok(()),
    }
}

/// The program q̇ → friction torque of each joint, or (`slope`) its derivative, where no motor turns with several joints; `None` without friction.
fn friction(
    (frictions, couplings): Losses<'_>,
    slides: &dyn Fn(usize) -> bool,
    symbolic: bool,
    slope: bool,
) -> Option<Program> {
    if frictions.iter().all(Option::is_none) {
        return None;
    }
    let graph = Graph::new();
    let mut random = Random::new(1);
    let mut symbols = Symbols::new(&graph);
    let motors = frictions.iter().enumerate().map(|(i, given)| {
        let near = given.map_or(1.0, |given| given.smoothing_velocity);
        let sample = near * (3.0 + 2.0 * random.signed());
        let qd = graph.input(&format!("qd{}", i + 1), Group::Velocity, sample);
        let law = given.as_ref().map(|friction| match symbolic {
            true => {
                let mut make = |symbol, value| symbols.expr(symbol, value, &mut random);
                symbols::friction(friction, i, slides(i), &mut make)
            }
            false => friction.map(Scalar::from_f64),
        });
        (qd, law)
    });
    let mut results = Vec::new();
    if couplings.iter().all(Option::is_none) {
        results.extend(motors.map(|(qd, law)| lost(law, qd, slope)));
    } else {
        let motors: Vec<_> = motors.collect();
        results.resize(motors.len(), Expr::zero());
        for (i, (qd, law)) in motors.iter().enumerate() {
            let turns = || couplings[i].iter().flat_map(|coupling| coupling.turns().collect::<Vec<_>>());
            let rate = turns().fold(*qd, |sum, (k, ratio)| sum + motors[k].0.times(ratio));
            let loss = lost(*law, rate, slope);
            results[i] = results[i] + loss;
            turns().for_each(|(k, ratio)| results[k] = results[k] + loss.times(ratio));
        }
    }
    let quantity = |name| Quantity::new(name, frictions.len(), "", "");
    let signature = Program {
        inputs: vec![quantity("qd")],
        outputs: vec![quantity("friction")],
        parameters: symbols.parameters(),
        ..Program::default()
    };
    Some(graph.program(signature, &results, &[]))
}

/// What a motor loses at its rate, or the slope of that.
fn lost<'g>(law: Option<Friction<Expr<'g>>>, rate: Expr<'g>, slope: bool) -> Expr<'g> {
    match law {
        Some(law) if slope => {
            let moving = Dual { value: rate, derivative: [Expr::one()] };
            law.map(Dual::constant).torque(moving).derivative[0]
        }
        Some(law) => law.torque(rate),
        None => Scalar::from_f64(0.0),
    }
}

/// The values `a + b` or `a − b`, each a new step where there is something to add.
fn add(program: &mut Program, a: &[Value], b: &[Value], minus: bool) -> Vec<Value> {
    let zero = |value: &Value| matches!(value.place, ValueSource::Number(0.0));
    let mut sums = Vec::new();
    for (&a, &b) in a.iter().zip(b) {
        let b = Value { negated: b.negated != minus, ..b };
        if zero(&b) || zero(&a) {
            sums.push(if zero(&b) { a } else { b });
            continue;
        }
        let flip = a.negated && b.negated;
        let unsigned = |value: Value| Value { negated: value.negated && !flip, ..value };
        sums.push(Value { negated: flip, ..push(program, "t", Operation::Add(unsigned(a), unsigned(b)), false) });
    }
    sums
}

/// The program with A − B diag(slope) for its results A and B, n × n each, from these on: the slope of friction at the
/// joint velocities, which are the inputs from `velocities` on.
fn damped(mut program: Program, slope: &Program, velocities: usize, [a, b]: [usize; 2]) -> Program {
    let n = slope.results.len();
    let inputs: Vec<Value> = (0..n).map(|i| Value::of(ValueSource::Input(velocities + i))).collect();
    let slopes = append(&mut program, slope, &inputs);
    for k in 0..n * n {
        let (entry, slope) = (program.results[b + k], slopes[k % n]);
        let zero = |value: &Value| matches!(value.place, ValueSource::Number(0.0));
        if zero(&entry) || zero(&slope) {
            continue;
        }
        let product = push(&mut program, "t", Operation::Mul(entry.unsigned(), slope.unsigned()), false);
        let product = Value { negated: entry.negated != slope.negated, ..product };
        let before = program.results[a + k];
        program.results[a + k] = add(&mut program, &[before], &[product], true)[0];
    }
    program
}

/// All steps of `part` with these values as its inputs, and its checks; what its results have become.
fn append(program: &mut Program, part: &Program, inputs: &[Value]) -> Vec<Value> {
    let parameters: Vec<usize> = part.parameters.iter().map(|parameter| merged(program, parameter)).collect();
    // Only sums take signs: an input that comes negated becomes a step of its own where it is used at all.
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|&value| if value.negated { push(program, "t", Operation::Neg(value.unsigned()), false) } else { value })
        .collect();
    let mut steps: Vec<Value> = Vec::new();
    for step in &part.steps {
        let mut operation = step.operation;
        operation.map_places(|place| moved(place, &parameters, &inputs, &steps));
        let new = push(program, &step.name, operation, step.constant);
        steps.push(new);
    }
    let moved = |value: Value| Value { place: moved(value.place, &parameters, &inputs, &steps), ..value };
    let checks: Vec<Check> =
        part.checks.iter().map(|check| Check { margin: moved(check.margin), ..check.clone() }).collect();
    program.checks.extend(checks);
    part.results.iter().map(|&value| moved(value)).collect()
}

fn moved(place: ValueSource, parameters: &[usize], inputs: &[Value], steps: &[Value]) -> ValueSource {
    match place {
        ValueSource::Number(_) => place,
        ValueSource::Parameter(i) => ValueSource::Parameter(parameters[i]),
        ValueSource::Input(i) => inputs[i].place,
        ValueSource::Step(i) => steps[i].place,
    }
}

fn merged(program: &mut Program, parameter: &ProgramParameter) -> usize {
    match program.parameters.iter().position(|known| known.name == parameter.name) {
        Some(known) => known,
        None => {
            program.parameters.push(parameter.clone());
            program.parameters.len() - 1
        }
    }
}

/// A new step, called as wished or, if that is taken, by a number.
fn push(program: &mut Program, wished: &str, operation: Operation, constant: bool) -> Value {
    let taken = |name: &str| {
        program.steps.iter().any(|step| step.name == name)
            || program.parameters.iter().any(|parameter| parameter.name == name)
    };
    let mut name = wished.to_owned();
    let mut number = program.steps.len();
    while name == "t" || taken(&name) {
        number += 1;
        name = format!("t{number}");
    }
    program.steps.push(Step { name, operation, constant });
    Value::of(ValueSource::Step(program.steps.len() - 1))
}
