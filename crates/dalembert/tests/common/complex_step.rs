//! Derivatives by the complex step: f(x + ih) = f(x) + ih f′(x) + O(h²), without cancellation, so h can be 1e-30 and the
//! derivative is as exact as the function. It shares no arithmetic with `Dual`: complex numbers come from num-complex.

use dalembert::Scalar;
use nalgebra::Complex;
use std::ops::{Add, Div, Mul, Neg, Sub};

const STEP: f64 = 1e-30;

/// A complex number as a scalar of formulas.
#[derive(Clone, Copy, Debug)]
pub struct ComplexStep(pub Complex<f64>);

impl ComplexStep {
    pub fn constant(value: f64) -> Self {
        Self(Complex::new(value, 0.0))
    }

    /// Moved along the direction that is differentiated, `rate` times the step.
    pub fn moved(value: f64, rate: f64) -> Self {
        Self(Complex::new(value, rate * STEP))
    }

    pub fn derivative(self) -> f64 {
        self.0.im / STEP
    }
}

macro_rules! operator {
    ($name:ident, $function:ident, $op:tt) => {
        impl $name for ComplexStep {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for ComplexStep {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Scalar for ComplexStep {
    fn from_f64(value: f64) -> Self {
        Self::constant(value)
    }
    fn sin_cos(self) -> (Self, Self) {
        (Self(self.0.sin()), Self(self.0.cos()))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    /// The imaginary part of log(x + iy), continued analytically: −i log((x + iy)/√(x² + y²)).
    fn atan2(self, x: Self) -> Self {
        let size = self.0 * self.0 + x.0 * x.0;
        let value = self.0.re.atan2(x.0.re);
        // d atan2 = (x dy − y dx)/(x² + y²), with the complex numbers themselves.
        let turned = (self.0 * x.0.re - x.0 * self.0.re) / size;
        Self(Complex::new(value, turned.im))
    }
    fn tanh(self) -> Self {
        Self(self.0.tanh())
    }
    fn exp(self) -> Self {
        Self(self.0.exp())
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        if self.0.re < limit.0.re { then } else { otherwise }
    }
}
