//! `N` numbers that go through a formula together.

use super::{Scalar, float, trig};
use crate::array::from_fn;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `N` `f64` side by side. Every operation is the `f64` operation lane by lane, so each lane has the bits that a
/// single evaluation would have; the compiler turns it into vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Lanes<N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self(from_fn(|i| f(self.0[i])))
    }
}

impl<const N: usize> Add for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const N: usize> Div for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl<const N: usize> Scalar for Lanes<N> {
    #[inline(always)]
    fn times_what(self, function: impl FnOnce() -> Self) -> Self {
        if self.0 == [0.0; N] { Self::zero() } else { self * function() }
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        // One lane out of range is as rare as a joint that has turned thirty thousand times.
        // Looked at together, not one after the other: one comparison of vectors.
        let near = self.0.iter().fold(true, |near, x| near & (x.abs() <= trig::SIN_COS_RANGE));
        // Into two arrays and by a plain loop: pairs would not become vector instructions.
        let (mut sin, mut cos) = ([0.0; N], [0.0; N]);
        if near {
            for i in 0..N {
                (sin[i], cos[i]) = trig::sin_cos_reduced(self.0[i]);
            }
        } else {
            for i in 0..N {
                (sin[i], cos[i]) = trig::sin_cos(self.0[i]);
            }
        }
        (Self(sin), Self(cos))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(float::sqrt)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        self.zip(x, libm::atan2)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        self.map(libm::tanh)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        self.map(libm::exp)
    }
    #[inline(always)]
    fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        self.map(|x| curve(x)[0])
    }
    #[inline(always)]
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        Self(from_fn(|i| if self.0[i] < limit.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}
