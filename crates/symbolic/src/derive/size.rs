//! How large the terms are that a value is the sum of: rounding is judged by them where they cancel.
//!
//! The operations are kept out of line: formulas over this scalar are built for every number of joints and run a few times only.

use dalembert_core::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value, and what it would be if nothing cancelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sized {
    pub value: f64,
    pub size: f64,
}

impl Add for Sized {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, size: self.size + other.size }
    }
}

impl Sub for Sized {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Sized {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        // As far as the other factor goes.
        let size = (self.size * other.value.abs()).max(self.value.abs() * other.size);
        Self { value: self.value * other.value, size }
    }
}

impl Div for Sized {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        Self { value: self.value / other.value, size: self.size / other.value.abs() }
    }
}

impl Neg for Sized {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

fn plain(value: f64) -> Sized {
    Sized { value, size: value.abs() }
}

impl Scalar for Sized {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }
    fn from_f64(value: f64) -> Self {
        plain(value)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.value);
        (plain(sin), plain(cos))
    }
    fn sqrt(self) -> Self {
        plain(self.value.sqrt())
    }
    fn atan2(self, x: Self) -> Self {
        plain(Scalar::atan2(self.value, x.value))
    }
    fn tanh(self) -> Self {
        plain(Scalar::tanh(self.value))
    }
    fn exp(self) -> Self {
        plain(Scalar::exp(self.value))
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        if self.value < limit.value { then } else { otherwise }
    }
}
