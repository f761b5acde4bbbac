//! The scalar whose values are expressions.

use crate::graph::{Graph, Group, Op, Operand, Signed};
use dalembert_core::Scalar;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An expression: a number, or a value of a [`Graph`]. Numbers meet a graph at their first operation with one.
#[derive(Clone, Copy)]
pub struct Expr<'g> {
    graph: Option<&'g Graph>,
    pub(crate) signed: Signed,
}

impl Graph {
    /// An input with its values at the two sample points; they must be in the domain of what is computed from them, and
    /// random otherwise.
    pub fn input(&self, name: &str, group: Group, samples: [f64; 2]) -> Expr<'_> {
        Expr { graph: Some(self), signed: self.inner.borrow_mut().input(name, group, samples) }
    }
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.as_number() {
            return write!(f, "{number}");
        }
        let input = |graph: &Graph, id: u32| {
            let inner = graph.inner.try_borrow().ok()?;
            match inner.classes[id as usize].ways[0].op {
                Op::Input(number) => Some(inner.inputs[number as usize].name.clone()),
                _ => None,
            }
        };
        match (self.graph, self.signed.operand) {
            (Some(graph), Operand::Class(id)) if input(graph, id).is_some() => {
                let sign = if self.signed.negated { "-" } else { "" };
                write!(f, "{sign}{}", input(graph, id).unwrap_or_default())
            }
            _ => write!(f, "{:?}", self.signed),
        }
    }
}

impl<'g> Expr<'g> {
    /// The number, if it is one.
    pub fn as_number(self) -> Option<f64> {
        self.signed.as_number()
    }

    /// Whether it is the constant zero.
    pub fn is_zero(self) -> bool {
        self.as_number() == Some(0.0)
    }

    /// Whether it depends on no input but parameters.
    pub fn is_constant(self) -> bool {
        match self.graph {
            Some(graph) => graph.inner.borrow().depends(self.signed.operand) & !1 == 0,
            None => true,
        }
    }

    /// Its value at the first sample point.
    pub fn sample(self) -> f64 {
        let value = match (self.graph, self.signed.operand) {
            (Some(graph), operand) => graph.inner.borrow().value(operand)[0],
            (None, Operand::Number(bits)) => f64::from_bits(bits),
            (None, Operand::Class(_)) => f64::NAN,
        };
        if self.signed.negated { -value } else { value }
    }

    fn binary(self, other: Self, f: impl Fn(&mut crate::graph::Inner, Signed, Signed) -> Signed) -> Self {
        let graph = self.graph.or(other.graph);
        match graph {
            Some(g) => Self { graph, signed: f(&mut g.inner.borrow_mut(), self.signed, other.signed) },
            None => Self { graph, signed: f(&mut crate::graph::Inner::default(), self.signed, other.signed) },
        }
    }

    fn unary(self, op: fn(Operand) -> Op, f: impl Fn(f64) -> f64) -> Self {
        match (self.graph, self.as_number()) {
            (Some(graph), None) => {
                Self { graph: self.graph, signed: graph.inner.borrow_mut().function(op, f, self.signed) }
            }
            (_, number) => Self::from_f64(f(number.unwrap_or(f64::NAN))),
        }
    }
}

impl Add for Expr<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.binary(other, |inner, a, b| inner.add(a, b))
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
        self.binary(other, |inner, a, b| inner.mul(a, b))
    }
}

impl Div for Expr<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.binary(other, |inner, a, b| inner.div(a, b))
    }
}

impl Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        if self.is_zero() { self } else { Self { signed: self.signed.negate(), ..self } }
    }
}

impl Scalar for Expr<'_> {
    fn from_f64(value: f64) -> Self {
        Self { graph: None, signed: Signed::number(value) }
    }
    fn sin_cos(self) -> (Self, Self) {
        // sin(−x) = −sin x, so that a sign costs nothing.
        if self.signed.negated && self.as_number().is_none() {
            let (sin, cos) = (-self).sin_cos();
            return (-sin, cos);
        }
        (self.unary(Op::Sin, |x| Scalar::sin_cos(x).0), self.unary(Op::Cos, |x| Scalar::sin_cos(x).1))
    }
    fn sqrt(self) -> Self {
        self.unary(Op::Sqrt, Scalar::sqrt)
    }
    fn atan2(self, x: Self) -> Self {
        self.binary(x, |inner, y, x| {
            if let (Some(y), Some(x)) = (y.as_number(), x.as_number()) {
                return Signed::number(Scalar::atan2(y, x));
            }
            let (y, x) = (inner.plain(y), inner.plain(x));
            let (a, b) = (inner.value(y), inner.value(x));
            inner.intern(Op::Atan2(y, x), [Scalar::atan2(a[0], b[0]), Scalar::atan2(a[1], b[1])])
        })
    }
    fn tanh(self) -> Self {
        self.unary(Op::Tanh, Scalar::tanh)
    }
    fn exp(self) -> Self {
        self.unary(Op::Exp, Scalar::exp)
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let all = [self, limit, then, otherwise];
        let Some(graph) = all.iter().find_map(|e| e.graph) else {
            let [a, b, c, d] = all.map(|e| e.sample());
            return Self::from_f64(Scalar::select_lt(a, b, c, d));
        };
        let mut inner = graph.inner.borrow_mut();
        let operands = all.map(|e| inner.plain(e.signed));
        let values = operands.map(|o| inner.value(o));
        // At the sample points it is always one of its branches, and would be taken for that. So it is known by a value of
        // its own, near the one it has: what is computed from it is never mistaken for what is computed from a branch.
        let apart = inner.classes.len() as f64;
        let value = [0, 1].map(|k| {
            let branch = Scalar::select_lt(values[0][k], values[1][k], values[2][k], values[3][k]);
            branch + 0.03 * (1.0 + branch.abs()) * Scalar::sin_cos(1.0 + apart * (0.7 + k as f64)).0
        });
        Self { graph: Some(graph), signed: inner.intern_apart(Op::SelectLt(operands), value) }
    }
}
