//! A control law around a program of torques: the reference from one place to another, computed torque, and the model, as one program.

use crate::program::{Check, Operation, Program, Quantity, Step, Value, ValueSource};

/// Computed torque along a straight line in the joints. From the torque of a robot, τ(q, q̇, q̈), it makes
///
/// ```text
/// s = elapsed / duration, from 0 to 1        b(s) = s³ (10 − 15 s + 6 s²)
/// r = start + (goal − start) b            the reference, at rest at both ends
/// τ = τ(q, q̇, r̈ + kd (ṙ − q̇) + kp (r − q))
/// ```
///
/// with the measured q and q̇; the outputs are τ and r. What friction the model has is that at the measured velocity. `None` for a
/// program that is not the torque of joint positions, velocities and accelerations.
pub fn computed_torque(torque: &Program) -> Option<Program> {
    let [q, qd, qdd] = &torque.inputs[..] else { return None };
    let [tau] = &torque.outputs[..] else { return None };
    let n = q.length;
    if [qd.length, qdd.length, tau.length] != [n; 3] || [&q.name, &qd.name, &qdd.name] != ["q", "qd", "qdd"] {
        return None;
    }
    let of = |order: &str| format!("{} of the joints", order);
    let inputs = vec![
        Quantity { meaning: of("measured positions"), ..q.clone() },
        Quantity { meaning: of("measured velocities"), ..qd.clone() },
        Quantity::new("start", n, "initial joint positions", &q.unit),
        Quantity::new("goal", n, "final joint positions", &q.unit),
        Quantity::new("elapsed", 1, "time since the motion began", "s"),
        Quantity::new("duration", 1, "of the motion, above 0", "s"),
        Quantity::new("kp", n, "gain of the position", "1/s^2"),
        Quantity::new("kd", n, "gain of the velocity", "1/s"),
    ];
    let constants = torque.steps.iter().filter(|step| step.constant).count();
    let mut law = LawSteps { steps: Vec::new(), first: constants };
    let input = |row: usize, i: usize| {
        let before: usize = inputs[..row].iter().map(|quantity| quantity.length).sum();
        Value::of(ValueSource::Input(before + i))
    };
    let (elapsed, duration) = (input(4, 0), input(5, 0));
    let s = law.push(Operation::Div(elapsed, duration));
    let (zero, one) = (Value::number(0.0), Value::number(1.0));
    let s = law.push(Operation::SelectLt([s, zero, zero, s]));
    let s = law.push(Operation::SelectLt([one, s, one, s]));
    let left = law.push(Operation::Add(one, s.minus()));
    let rate = law.push(Operation::Div(one, duration));
    // b, b′ = 30 s² (1 − s)² / T, b″ = 60 s (1 − s) (1 − 2 s) / T².
    let square = law.times(s, s);
    let inner = law.times(Value::number(6.0), s);
    let inner = law.push(Operation::Add(inner, Value::number(15.0).minus()));
    let inner = law.times(inner, s);
    let inner = law.push(Operation::Add(inner, Value::number(10.0)));
    let cube = law.times(square, s);
    let b = law.times(cube, inner);
    let bow = law.times(s, left);
    let bow_rate = law.times(bow, rate);
    let velocity = law.times(bow, bow_rate);
    let velocity = law.times(Value::number(30.0), velocity);
    let slope = law.push(Operation::Add(left, s.minus()));
    let acceleration = law.times(slope, bow_rate);
    let acceleration = law.times(acceleration, rate);
    let acceleration = law.times(Value::number(60.0), acceleration);
    let (mut wanted, mut reference) = (Vec::new(), Vec::new());
    for i in 0..n {
        let way = law.push(Operation::Add(input(3, i), input(2, i).minus()));
        let r = law.times(way, b);
        let r = law.push(Operation::Add(input(2, i), r));
        let rd = law.times(way, velocity);
        let rdd = law.times(way, acceleration);
        let off = law.push(Operation::Add(r, input(0, i).minus()));
        let slow = law.push(Operation::Add(rd, input(1, i).minus()));
        let by_position = law.times(input(6, i), off);
        let by_velocity = law.times(input(7, i), slow);
        let sum = law.push(Operation::Add(by_position, by_velocity));
        wanted.push(law.push(Operation::Add(rdd, sum)));
        reference.push(r);
    }
    // The model's own steps come behind those of the law, and read what is wanted where they read the acceleration.
    let shift = law.steps.len();
    let moved = |place: ValueSource| match place {
        ValueSource::Input(i) if i >= 2 * n => wanted[i - 2 * n].place,
        ValueSource::Step(i) if i >= constants => ValueSource::Step(i + shift),
        place => place,
    };
    let mut steps = torque.steps.clone();
    let mut model = steps.split_off(constants);
    for step in &mut model {
        step.operation.map_places(moved);
    }
    steps.extend(law.steps);
    steps.extend(model);
    let at = |value: Value| Value { place: moved(value.place), ..value };
    let mut checks: Vec<Check> =
        torque.checks.iter().map(|check| Check { margin: at(check.margin), ..check.clone() }).collect();
    let code = 1 + checks.iter().map(|check| check.code).max().unwrap_or(0);
    let meaning = "the duration is not above 0".to_owned();
    checks.push(Check { margin: duration, least: 0.0, sized: false, code, meaning });
    let mut conventions = torque.conventions.clone();
    conventions.push("Computed torque: tau(q, qd, rdd + kd (rd - qd) + kp (r - q)).".to_owned());
    conventions.push(
        "The reference r goes from start to goal with s^3 (10 - 15 s + 6 s^2), s = elapsed / duration.".to_owned(),
    );
    let stem = torque.name.strip_suffix("_torque").unwrap_or(&torque.name);
    Some(Program {
        name: format!("{stem}_computed_torque"),
        title: "computed torque along a motion from start to goal".to_owned(),
        inputs,
        outputs: vec![tau.clone(), Quantity::new("reference", n, "reference joint positions", &q.unit)],
        steps,
        checks,
        conventions,
        results: torque.results.iter().map(|&value| at(value)).chain(reference).collect(),
        ..torque.clone()
    })
}

/// The steps before those of the model.
struct LawSteps {
    steps: Vec<Step>,
    /// The number of the first of them.
    first: usize,
}

impl LawSteps {
    fn push(&mut self, operation: Operation) -> Value {
        let k = self.steps.len();
        // No model has such names.
        self.steps.push(Step { name: format!("tr{}", k + 1), operation, constant: false });
        Value::of(ValueSource::Step(self.first + k))
    }

    fn times(&mut self, a: Value, b: Value) -> Value {
        self.push(Operation::Mul(a, b))
    }
}
