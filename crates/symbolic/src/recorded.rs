//! Formulas as steps. A formula runs once with the scalar [`RecordedScalar`]; its steps then run with numbers of any kind
//! ([`Program::evaluate_with`]), operation by operation as the formula itself would. So formulas are compiled for one scalar, not for numbers,
//! expressions, sizes and the derivatives of each.

use crate::program::{Operation, Program, Step, Value, ValueSource};
use dalembert_core::Scalar;
use dalembert_core::parameter::{Slot, Visit};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The steps of a formula while it runs.
#[derive(Debug, Default)]
pub(crate) struct FormulaTape(RefCell<Vec<Step>>);

/// A value on a tape, or a constant of the formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedScalar<'t> {
    tape: Option<&'t FormulaTape>,
    value: Value,
}

/// The results of a formula.
pub(crate) type RecordedRow<'t> = Vec<RecordedScalar<'t>>;

impl FormulaTape {
    /// What comes from a place.
    pub fn value(&self, place: ValueSource) -> RecordedScalar<'_> {
        RecordedScalar { tape: Some(self), value: Value { negated: false, place } }
    }

    /// So many inputs.
    pub fn inputs(&self, count: usize) -> Vec<RecordedScalar<'_>> {
        (0..count).map(|i| self.value(ValueSource::Input(i))).collect()
    }

    /// Makes a parameter of every number that is visited, in the order of [`numbers`].
    pub fn parameters<'t>(&'t self, visit_all: impl FnOnce(&mut Visit<'_, RecordedScalar<'t>>)) {
        let mut all = (0..).map(|i| self.value(ValueSource::Parameter(i)));
        visit_all(&mut |_, _, slot| each(slot, &mut |number| all.by_ref().take(1).for_each(|next| *number = next)));
    }

    /// The program of these results.
    pub fn program(&self, results: &[RecordedScalar<'_>]) -> Program {
        let results = results.iter().map(|result| result.value).collect();
        Program { steps: self.0.take(), results, ..Program::default() }
    }
}

/// All numbers that are visited.
pub(crate) fn numbers<S: Scalar>(visit_all: impl FnOnce(&mut Visit<'_, S>)) -> Vec<S> {
    let mut all = Vec::new();
    visit_all(&mut |_, _, slot| each(slot, &mut |number| all.push(*number)));
    all
}

fn each<S>(slot: Slot<'_, S>, f: &mut dyn FnMut(&mut S)) {
    match slot {
        Slot::Number(number) => f(number),
        Slot::Angle(angle) => [&mut angle.cos, &mut angle.sin].into_iter().for_each(f),
        Slot::Rotation(rotation) => rotation.0.iter_mut().flat_map(|row| &mut row.0).for_each(f),
    }
}

/// The result of an operation: a step, or of constants a constant.
fn push<'t, const N: usize>(
    all: [RecordedScalar<'t>; N],
    operation: fn([Value; N]) -> Operation,
) -> RecordedScalar<'t> {
    let operation = operation(all.map(|one| one.value));
    let Some(tape) = all.iter().find_map(|one| one.tape) else {
        return Scalar::from_f64(operation.result(|value| value.as_number().unwrap_or(f64::NAN)));
    };
    let mut steps = tape.0.borrow_mut();
    steps.push(Step { name: String::new(), operation, constant: false });
    tape.value(ValueSource::Step(steps.len() - 1))
}

impl Add for RecordedScalar<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        push([self, other], |[a, b]| Operation::Add(a, b))
    }
}

impl Sub for RecordedScalar<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for RecordedScalar<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        push([self, other], |[a, b]| Operation::Mul(a, b))
    }
}

impl Div for RecordedScalar<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        push([self, other], |[a, b]| Operation::Div(a, b))
    }
}

impl Neg for RecordedScalar<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: self.value.minus(), ..self }
    }
}

impl Scalar for RecordedScalar<'_> {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }
    fn from_f64(x: f64) -> Self {
        Self { tape: None, value: Value { negated: x.is_sign_negative(), place: ValueSource::Number(x.abs()) } }
    }
    fn sin_cos(self) -> (Self, Self) {
        (push([self], |[a]| Operation::Sin(a)), push([self], |[a]| Operation::Cos(a)))
    }
    fn sqrt(self) -> Self {
        push([self], |[a]| Operation::Sqrt(a))
    }
    fn atan2(self, x: Self) -> Self {
        push([self, x], |[y, x]| Operation::Atan2(y, x))
    }
    fn tanh(self) -> Self {
        push([self], |[a]| Operation::Tanh(a))
    }
    fn exp(self) -> Self {
        push([self], |[a]| Operation::Exp(a))
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        push([self, limit, then, otherwise], Operation::SelectLt)
    }
}
