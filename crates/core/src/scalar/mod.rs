//! The number a formula is evaluated with.
//!
//! Every kinematic and dynamic formula of this library is written once, generic over [`Scalar`], without branches
//! and without allocation. What comes out depends on the number that goes in:
//!
//! | scalar | what comes out |
//! | --- | --- |
//! | `f64`, `f32` | the value |
//! | [`Lanes<N>`] | `N` states at once, bit for bit what `f64` gives |
//! | [`Dual<S, N>`] | the value and `N` exact derivatives; nests for higher order |
//! | [`Count`] | the value and the number of operations it took |
//!
//! A decision is not a branch: a formula returns its margins, and the `f64` edge turns a bad margin into an error.

mod count;
mod dual;
mod float;
#[cfg(feature = "std")]
pub mod fused;
mod lanes;
mod trig;

pub use count::{Count, Operations, Tally};
pub use dual::Dual;
#[cfg(feature = "std")]
pub use fused::sin_cos_fused;
pub use lanes::Lanes;
pub use trig::{SIN_COS_RANGE, sin_cos_reduced};

use crate::array::map;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A number that a formula can be evaluated with.
///
/// Deliberately small: ring operations, multiplication by a constant, and the handful of functions that rigid
/// bodies and friction need. There is no ordering and no NaN query, because a formula must not branch.
pub trait Scalar:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The constant `value`.
    fn from_f64(value: f64) -> Self;

    /// Sine and cosine, at most 1 ulp off for `|self| ≤` [`SIN_COS_RANGE`] and the same bits on every platform.
    fn sin_cos(self) -> (Self, Self);

    /// Sines and cosines of several angles, each as [`Scalar::sin_cos`] gives it: where it can be done together, it takes less time.
    #[inline(always)]
    fn sin_cos_each<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
        map(angles, Self::sin_cos)
    }

    /// Square root; NaN below zero.
    fn sqrt(self) -> Self;

    /// The angle of the point (`x`, `self`), in (−π, π].
    fn atan2(self, x: Self) -> Self;

    /// Hyperbolic tangent (smoothed Coulomb friction).
    fn tanh(self) -> Self;

    /// Exponential function (Stribeck friction).
    fn exp(self) -> Self;

    /// `then` where `self < limit`, otherwise `otherwise`: the only choice a formula may make, and both sides are
    /// always evaluated.
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self;

    /// A function of which only values and slopes are known, such as a measured curve. Numbers without a value, which are
    /// expressions, have no answer: NaN.
    #[inline(always)]
    fn through(self, _curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        Self::from_f64(f64::NAN)
    }

    /// A step of a formula. In line where speed counts; in a function of its own, one for arms of all lengths, where the formulas
    /// over this scalar are built for many robots and run seldom.
    #[inline(always)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }

    /// `self` times a function, which need not be asked for where `self` is zero: friction that a robot does not have costs nothing.
    #[inline(always)]
    fn times_what(self, function: impl FnOnce() -> Self) -> Self {
        self * function()
    }

    /// The constant zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }

    /// The constant one.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }

    /// `self` times a constant. (A method, because `f32 * f64` cannot be taught to the language from outside.)
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self * Self::from_f64(factor)
    }

    /// `self²`.
    #[inline(always)]
    fn square(self) -> Self {
        self * self
    }
}
