//! Factors that change nothing.

use crate::program::{Operation, Program, Value, ValueSource};

/// The program without factors of margins that are numbers (their limits have them instead), and without positive factors
/// that both arguments of an arc tangent have. What nothing needs any more is still there.
pub(super) fn without_factors(mut program: Program) -> Program {
    for check in &mut program.checks {
        while let ValueSource::Step(i) = check.margin.place
            && let Operation::Mul(a, b) = program.steps[i].operation
            && let (ValueSource::Number(x), other) | (other, ValueSource::Number(x)) = (a.place, b.place)
            && x != 0.0
            && (check.sized || (x > 0.0 && !a.negated && !b.negated))
        {
            check.margin.place = other;
            check.least /= x.abs();
        }
    }
    for i in 0..program.steps.len() {
        if let Operation::Atan2(y, x) = program.steps[i].operation
            && let Some((y, x)) = shortened(&program, y, x)
        {
            program.steps[i].operation = Operation::Atan2(y, x);
        }
    }
    program
}

/// Both values without a positive factor that they have in common.
fn shortened(program: &Program, y: Value, x: Value) -> Option<(Value, Value)> {
    let (a, b) = (factors(program, y)?, factors(program, x)?);
    for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        if a[k].place == b[l].place && positive(program, a[k].place) {
            return Some((a[1 - k], b[1 - l]));
        }
    }
    None
}

/// The factors of a product; the sign of it is with both of them.
fn factors(program: &Program, value: Value) -> Option<[Value; 2]> {
    let ValueSource::Step(i) = value.place else { return None };
    match program.steps[i].operation {
        Operation::Neg(a) => factors(program, Value { negated: value.negated == a.negated, ..a }),
        Operation::Mul(a, b) => {
            let negated = (value.negated != a.negated) != b.negated;
            Some([a, b].map(|factor| Value { negated, ..factor }))
        }
        _ => None,
    }
}

/// Whether a value cannot be negative, by what it is made of.
fn positive(program: &Program, place: ValueSource) -> bool {
    let of = |value: Value| !value.negated && positive(program, value.place);
    match place {
        ValueSource::Number(x) => x > 0.0,
        ValueSource::Step(i) => match program.steps[i].operation {
            Operation::Mul(a, b) => a == b || (of(a) && of(b)),
            Operation::Add(a, b) | Operation::Div(a, b) => of(a) && of(b),
            Operation::Sqrt(_) | Operation::Exp(_) => true,
            _ => false,
        },
        ValueSource::Input(_) | ValueSource::Parameter(_) => false,
    }
}
