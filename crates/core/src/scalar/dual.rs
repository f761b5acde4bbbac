//! Exact derivatives by forward differentiation.

// The product and quotient rules mix operators, as they must.
#![allow(clippy::suspicious_arithmetic_impl)]

use super::Scalar;
use crate::array::{from_fn, map};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A value and its derivatives with respect to `N` chosen variables.
///
/// The value part is computed by exactly the operations of `S`, so it has the same bits as a plain evaluation.
/// `Dual<Dual<S, N>, N>` gives second derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S, const N: usize> {
    /// The value.
    pub value: S,
    /// Its partial derivatives.
    pub derivative: [S; N],
}

impl<S: Scalar, const N: usize> Dual<S, N> {
    /// A quantity that does not depend on the variables.
    #[inline(always)]
    pub fn constant(value: S) -> Self {
        Self { value, derivative: [S::zero(); N] }
    }

    /// The variable number `index`, from 0. There is none from `N` on: its derivatives are NaN, so that nobody takes them for zero.
    #[inline(always)]
    pub fn variable(value: S, index: usize) -> Self {
        let other = if index < N { S::zero() } else { S::from_f64(f64::NAN) };
        Self { value, derivative: from_fn(|i| if i == index { S::one() } else { other }) }
    }

    /// All `N` variables at once.
    #[inline(always)]
    pub fn variables(values: [S; N]) -> [Self; N] {
        from_fn(|i| Self::variable(values[i], i))
    }

    /// `value` with the derivatives of `self` scaled by `slope`: the chain rule of a function of one variable.
    #[inline(always)]
    fn chain(self, value: S, slope: S) -> Self {
        Self { value, derivative: map(self.derivative, |d| d * slope) }
    }
}

impl<S: Scalar, const N: usize> Add for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, derivative: from_fn(|i| self.derivative[i] + other.derivative[i]) }
    }
}

impl<S: Scalar, const N: usize> Sub for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, derivative: from_fn(|i| self.derivative[i] - other.derivative[i]) }
    }
}

impl<S: Scalar, const N: usize> Mul for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            derivative: from_fn(|i| self.derivative[i] * other.value + self.value * other.derivative[i]),
        }
    }
}

impl<S: Scalar, const N: usize> Div for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, derivative: from_fn(|i| (self.derivative[i] - value * other.derivative[i]) / other.value) }
    }
}

impl<S: Scalar, const N: usize> Neg for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, derivative: map(self.derivative, |d| -d) }
    }
}

impl<S: Scalar, const N: usize> Scalar for Dual<S, N> {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self::constant(S::from_f64(value))
    }

    /// A constant has no derivative to multiply with.
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        Self { value: self.value.times(factor), derivative: map(self.derivative, |d| d.times(factor)) }
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::from_f64(0.5) / root)
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        Self {
            value: self.value.atan2(x.value),
            derivative: from_fn(|i| (self.derivative[i] * x.value - x.derivative[i] * self.value) / square),
        }
    }

    #[inline(always)]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        self.chain(tanh, S::one() - tanh * tanh)
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp)
    }

    #[inline(always)]
    fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        self.chain(self.value.through(curve), self.value.through(&|x| [curve(x)[1], f64::NAN]))
    }

    #[inline(always)]
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        Self {
            value: self.value.select_lt(limit.value, then.value, otherwise.value),
            derivative: from_fn(|i| self.value.select_lt(limit.value, then.derivative[i], otherwise.derivative[i])),
        }
    }
}
