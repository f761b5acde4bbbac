//! A program step by step with fused operations in software: whole numbers and shifts only, no instruction of the processor's for them.

use crate::flow::{Arithmetic, Flow, FusedOperation, Instruction, SignedOperand, ValueId};
use dalembert_core::Scalar;
use dalembert_core::scalar::fused::{DOUBLE, Fused, SineNumbers, sin_cos_fused};
use dalembert_symbolic::Program;
use std::collections::HashMap;

/// A number whose products and sums are fused by libm.
#[derive(Clone, Copy)]
struct Soft(f64);

impl Fused for Soft {
    fn numbers(self) -> &'static SineNumbers {
        &DOUBLE
    }

    fn number(self, x: f64) -> Self {
        Self(x)
    }

    fn plus(self, b: Self) -> Self {
        Self(self.0 + b.0)
    }

    fn less(self, b: Self) -> Self {
        Self(self.0 - b.0)
    }

    fn times(self, b: Self) -> Self {
        Self(self.0 * b.0)
    }

    fn times_plus(self, b: Self, c: Self) -> Self {
        Self(libm::fma(self.0, b.0, c.0))
    }

    fn less_times(self, b: Self, c: Self) -> Self {
        Self(libm::fma(-b.0, c.0, self.0))
    }

    fn in_quadrant(self, sin: Self, cos: Self) -> (Self, Self) {
        let (sin, cos) = self.0.in_quadrant(sin.0, cos.0);
        (Self(sin), Self(cos))
    }
}

/// The results of one state, which fails no check.
pub fn results(program: &Program, inputs: &[f64]) -> Vec<f64> {
    use Instruction::*;
    let flow = Flow::new(program);
    let mut values: HashMap<ValueId, f64> = HashMap::new();
    let fma = libm::fma;
    for instruction in &flow.instructions {
        let v = |column: ValueId| match column {
            ValueId::Input(i) => inputs[i],
            ValueId::Number(bits) => f64::from_bits(bits),
            column => values[&column],
        };
        let (written, value) = match *instruction {
            Two(Arithmetic::Add, w, [a, b]) => (w, v(a) + v(b)),
            Two(Arithmetic::Sub, w, [a, b]) => (w, v(a) - v(b)),
            Two(Arithmetic::Mul, w, [a, b]) => (w, v(a) * v(b)),
            Two(Arithmetic::Div, w, [a, b]) => (w, v(a) / v(b)),
            Fused(FusedOperation::Add, w, [a, b, c]) => (w, fma(v(a), v(b), v(c))),
            Fused(FusedOperation::Sub, w, [a, b, c]) => (w, fma(v(a), v(b), -v(c))),
            Fused(FusedOperation::Less, w, [a, b, c]) => (w, fma(-v(a), v(b), v(c))),
            Neg(w, a) => (w, -v(a)),
            Sqrt(w, a) => (w, libm::sqrt(v(a))),
            Atan2(w, [a, b]) => (w, Scalar::atan2(v(a), v(b))),
            Tanh(w, a) => (w, Scalar::tanh(v(a))),
            Exp(w, a) => (w, Scalar::exp(v(a))),
            SelectLt(w, [a, b, c, d]) => (w, if v(a) < v(b) { v(c) } else { v(d) }),
            SinCos([sine, cosine], a) => {
                let (sin, cos) = sin_cos_fused(Soft(v(a)));
                values.insert(sine, sin.0);
                (cosine, cos.0)
            }
        };
        values.insert(written, value);
    }
    let of = |result: &SignedOperand<ValueId>| match *result {
        SignedOperand::Number(x) => x,
        SignedOperand::Of { value: ValueId::Input(i), negated } => {
            if negated {
                -inputs[i]
            } else {
                inputs[i]
            }
        }
        SignedOperand::Of { value, negated } => {
            if negated {
                -values[&value]
            } else {
                values[&value]
            }
        }
    };
    flow.results.iter().map(of).collect()
}
