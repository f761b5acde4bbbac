//! The scalar whose values are expressions.

use crate::exact::{ExactNumber, ExactValue};
use crate::graph::{Graph, Group, Id, Inner, Op, Operand, Signed};
use dalembert_core::Scalar;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An expression: a number, or a value of a [`Graph`]. Numbers meet a graph at their first operation with one.
#[derive(Clone, Copy)]
pub struct Expr<'g>(Atom<'g>);

#[derive(Clone, Copy)]
enum Atom<'g> {
    Number(ExactNumber),
    Class(&'g Graph, bool, Id),
}

impl Graph {
    /// An input with the value that it has at the sample point, which must be in the domain of what is computed from it.
    pub fn input(&self, name: &str, group: Group, sample: f64) -> Expr<'_> {
        let signed = self.inner.borrow_mut().input(name, group, sample);
        Expr::new(self, &self.inner.borrow(), signed)
    }
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Atom::Number(number) => write!(f, "{}", number.as_f64()),
            Atom::Class(graph, negated, id) => {
                let sign = if negated { "-" } else { "" };
                let input =
                    graph.inner.try_borrow().ok().and_then(|inner| match inner.classes[id as usize].ways[0].op {
                        Op::Input(number) => Some(inner.inputs[number as usize].name.clone()),
                        _ => None,
                    });
                write!(f, "{sign}{}", input.unwrap_or_else(|| format!("#{id}")))
            }
        }
    }
}

impl<'g> Expr<'g> {
    fn new(graph: &'g Graph, inner: &Inner, signed: Signed) -> Self {
        match (inner.as_number(signed), signed.operand) {
            (None, Operand::Class(id)) => Self(Atom::Class(graph, signed.negated, id)),
            (number, _) => Self(Atom::Number(number.unwrap_or(ExactNumber::ZERO))),
        }
    }

    /// The sine and cosine of an angle that are given as numbers, as a point that is exactly on the circle.
    pub(crate) fn on_circle(sin: f64, cos: f64) -> (Self, Self) {
        let turn = ExactNumber::on_circle(sin, cos);
        (Self(Atom::Number(turn.sin)), Self(Atom::Number(turn.cos)))
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<f64> {
        match self.0 {
            Atom::Number(number) => Some(number.as_f64()),
            Atom::Class(..) => None,
        }
    }

    /// Whether it is the constant zero.
    pub fn is_zero(self) -> bool {
        matches!(self.0, Atom::Number(number) if number.exact.is_zero())
    }

    /// Its value at the sample point.
    pub fn sample(self) -> f64 {
        self.value().sample.high
    }

    pub(crate) fn value(self) -> ExactValue {
        match self.0 {
            Atom::Number(number) => number.into(),
            Atom::Class(graph, negated, id) => {
                let value = graph.inner.borrow().classes[id as usize].value;
                if negated { -value } else { value }
            }
        }
    }

    /// What it is in its graph.
    pub(crate) fn signed(self, inner: &mut Inner) -> Signed {
        match self.0 {
            Atom::Number(number) => inner.number(number),
            Atom::Class(_, negated, id) => Signed { negated, operand: Operand::Class(id) },
        }
    }

    /// The class and the sign, or the number.
    pub(crate) fn class(self) -> Result<(bool, Id), ExactNumber> {
        match self.0 {
            Atom::Number(number) => Err(number),
            Atom::Class(_, negated, id) => Ok((negated, id)),
        }
    }

    fn graph(self) -> Option<&'g Graph> {
        match self.0 {
            Atom::Number(_) => None,
            Atom::Class(graph, ..) => Some(graph),
        }
    }

    fn binary(
        self,
        other: Self,
        numbers: impl Fn(ExactNumber, ExactNumber) -> ExactNumber,
        f: impl Fn(&mut Inner, Signed, Signed) -> Signed,
    ) -> Self {
        if let (Atom::Number(a), Atom::Number(b)) = (self.0, other.0) {
            return Self(Atom::Number(numbers(a, b)));
        }
        let Some(graph) = self.graph().or(other.graph()) else { return self };
        let mut inner = graph.inner.borrow_mut();
        let (a, b) = (self.signed(&mut inner), other.signed(&mut inner));
        let signed = f(&mut inner, a, b);
        Self::new(graph, &inner, signed)
    }

    fn unary(self, numbers: impl Fn(ExactNumber) -> ExactNumber, f: impl Fn(&mut Inner, Signed) -> Signed) -> Self {
        match self.0 {
            Atom::Number(number) => Self(Atom::Number(numbers(number))),
            Atom::Class(graph, negated, id) => {
                let mut inner = graph.inner.borrow_mut();
                let signed = f(&mut inner, Signed { negated, operand: Operand::Class(id) });
                Self::new(graph, &inner, signed)
            }
        }
    }
}

impl Add for Expr<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.binary(other, |a, b| a + b, |inner, a, b| inner.add(a, b))
    }
}

impl Sub for Expr<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Expr<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.binary(other, |a, b| a * b, |inner, a, b| inner.mul(a, b))
    }
}

impl Div for Expr<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.binary(other, ExactNumber::over, |inner, a, b| inner.div(a, b))
    }
}

impl Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        match self.0 {
            Atom::Number(number) => Self(Atom::Number(-number)),
            Atom::Class(graph, negated, id) => Self(Atom::Class(graph, !negated, id)),
        }
    }
}

/// What tells one unknown function from another.
const ATAN2: u64 = 11;
const TANH: u64 = 12;
const EXP: u64 = 13;
const SELECT_LT: u64 = 14;

impl Scalar for Expr<'_> {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }
    fn from_f64(value: f64) -> Self {
        Self(Atom::Number(ExactNumber::new(value)))
    }
    fn sin_cos(self) -> (Self, Self) {
        match self.0 {
            Atom::Number(number) => {
                let turn = ExactNumber::turn(number.as_f64());
                (Self(Atom::Number(turn.sin)), Self(Atom::Number(turn.cos)))
            }
            // sin(−x) = −sin x, so that a sign costs nothing.
            Atom::Class(_, true, _) => {
                let (sin, cos) = (-self).sin_cos();
                (-sin, cos)
            }
            Atom::Class(graph, _, id) => {
                let mut inner = graph.inner.borrow_mut();
                let (sin, cos) = inner.sin_cos(Operand::Class(id));
                (Self::new(graph, &inner, sin), Self::new(graph, &inner, cos))
            }
        }
    }
    fn sqrt(self) -> Self {
        self.unary(ExactNumber::sqrt, |inner, a| inner.sqrt(a))
    }
    fn atan2(self, x: Self) -> Self {
        let numbers = |y: ExactNumber, x: ExactNumber| ExactNumber::new(Scalar::atan2(y.as_f64(), x.as_f64()));
        self.binary(x, numbers, |inner, y, x| {
            let (y, x) = (inner.plain(y), inner.plain(x));
            let values = [inner.value(y), inner.value(x)];
            let sample = Scalar::atan2(values[0].sample.high, values[1].sample.high);
            inner.intern(Op::Atan2(y, x), ExactValue::function(ATAN2, &values, sample))
        })
    }
    fn tanh(self) -> Self {
        let numbers = |x: ExactNumber| ExactNumber::new(Scalar::tanh(x.as_f64()));
        self.unary(numbers, |inner, a| inner.function(Op::Tanh, TANH, Scalar::tanh, a))
    }
    fn exp(self) -> Self {
        let numbers = |x: ExactNumber| ExactNumber::new(Scalar::exp(x.as_f64()));
        self.unary(numbers, |inner, a| inner.function(Op::Exp, EXP, Scalar::exp, a))
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let all = [self, limit, then, otherwise];
        let [a, b, c, d] = all.map(Self::sample);
        if let (Some(_), Some(_)) = (self.as_number(), limit.as_number()) {
            return if a < b { then } else { otherwise };
        }
        let Some(graph) = all.iter().find_map(|e| e.graph()) else { return then };
        let mut inner = graph.inner.borrow_mut();
        let operands = all.map(|e| {
            let signed = e.signed(&mut inner);
            inner.plain(signed)
        });
        let values = operands.map(|operand| inner.value(operand));
        let value = ExactValue::function(SELECT_LT, &values, Scalar::select_lt(a, b, c, d));
        let signed = inner.intern(Op::SelectLt(operands), value);
        Self::new(graph, &inner, signed)
    }
}
