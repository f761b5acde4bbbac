//! The numbers that a program runs with: `f64`, or `f32` where half the digits are enough and memory or time are short.

use dalembert_core::Scalar;
use dalembert_core::scalar::fused::Fused;

/// `f64` or `f32`.
pub trait Float: sealed::Sealed + Scalar + Fused + PartialOrd + Default + Send + Sync + 'static {
    /// Whether it is the shorter of the two.
    const SINGLE: bool;
    /// No number.
    const NAN: Self;
    /// The size.
    fn size(self) -> Self;
    /// As `f64`.
    fn double(self) -> f64;
    /// √, rounded once.
    fn root(self) -> Self;
}

macro_rules! real {
    ($real:ty, $single:expr) => {
        impl Float for $real {
            const SINGLE: bool = $single;
            const NAN: Self = <$real>::NAN;
            #[inline(always)]
            fn size(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn double(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
        }
        impl sealed::Sealed for $real {}
    };
}

real!(f64, false);
real!(f32, true);

mod sealed {
    pub trait Sealed {}
}
