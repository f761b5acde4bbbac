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

/// One precision. `f32` takes its functions from `f64`, so that the one `sin_cos` stays the only one.
macro_rules! float {
    ($real:ty, $sin_cos_each:expr) => {
        impl Scalar for $real {
            #[inline(always)]
            fn times_what(self, function: impl FnOnce() -> Self) -> Self {
                if self == 0.0 { 0.0 } else { self * function() }
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $real
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = trig::sin_cos(f64::from(self));
                (sin as $real, cos as $real)
            }
            #[inline(always)]
            fn sin_cos_each<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
                $sin_cos_each(angles)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                sqrt(f64::from(self)) as $real
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                libm::atan2(f64::from(self), f64::from(x)) as $real
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                libm::tanh(f64::from(self)) as $real
            }
            #[inline(always)]
            fn exp(self) -> Self {
                libm::exp(f64::from(self)) as $real
            }
            #[inline(always)]
            fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
                curve(f64::from(self))[0] as $real
            }
            #[inline(always)]
            fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
                if self < limit { then } else { otherwise }
            }
        }
    };
}

/// Side by side.
#[inline(always)]
fn together<const N: usize>(angles: [f64; N]) -> [(f64, f64); N] {
    let (Lanes(sin), Lanes(cos)) = Lanes(angles).sin_cos();
    crate::array::from_fn(|i| (sin[i], cos[i]))
}

float!(f64, together);
float!(f32, |angles| crate::array::map(angles, Self::sin_cos));
