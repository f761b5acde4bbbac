//! `f64` and `f32` as scalars.

use super::{Lanes, Scalar, trig};

/// Square root, correctly rounded with either implementation, so the bits do not depend on the feature `std`.
#[inline(always)]
pub(super) fn sqrt(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrt(x);
}

impl Scalar for f64 {
    #[inline(always)]
    fn times_what(self, function: impl FnOnce() -> Self) -> Self {
        if self == 0.0 { 0.0 } else { self * function() }
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        trig::sin_cos(self)
    }
    #[inline(always)]
    fn sin_cos_each<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
        let (Lanes(sin), Lanes(cos)) = Lanes(angles).sin_cos();
        crate::array::from_fn(|i| (sin[i], cos[i]))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        libm::tanh(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline(always)]
    fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        curve(self)[0]
    }
    #[inline(always)]
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        if self < limit { then } else { otherwise }
    }
}

/// `f32` takes its functions from `f64`, so that the one `sin_cos` stays the only one.
impl Scalar for f32 {
    #[inline(always)]
    fn times_what(self, function: impl FnOnce() -> Self) -> Self {
        if self == 0.0 { 0.0 } else { self * function() }
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = trig::sin_cos(f64::from(self));
        (sin as f32, cos as f32)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt(f64::from(self)) as f32
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        libm::atan2(f64::from(self), f64::from(x)) as f32
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        libm::tanh(f64::from(self)) as f32
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(f64::from(self)) as f32
    }
    #[inline(always)]
    fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        curve(f64::from(self))[0] as f32
    }
    #[inline(always)]
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        if self < limit { then } else { otherwise }
    }
}
