//! Numbers with 32 digits: the unevaluated sum of two `f64` (Dekker 1971; Joldes, Muller and Popescu 2017).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// high + low, where high is the sum rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twofold {
    pub high: f64,
    low: f64,
}

fn two_sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let part = high - a;
    Twofold { high, low: (a - (high - part)) + (b - part) }
}

fn fast_two_sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    Twofold { high, low: if high.is_finite() { b - (high - a) } else { 0.0 } }
}

/// Veltkamp's split, so that no fused operation is needed: products of halves are exact.
fn two_product(a: f64, b: f64) -> Twofold {
    let split = |x: f64| {
        let big = 134_217_729.0 * x;
        let high = big - (big - x);
        (high, x - high)
    };
    let high = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    let low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
    Twofold { high, low: if low.is_finite() { low } else { 0.0 } }
}

impl Twofold {
    pub const fn plain(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    pub fn integer(n: u64) -> Self {
        let high = n as f64;
        // The rest is small, and exact.
        let low = if high >= 18_446_744_073_709_551_616.0 { 0.0 } else { (n as i128 - high as i128) as f64 };
        fast_two_sum(high, low)
    }

    pub fn sqrt(self) -> Self {
        let near = self.high.sqrt();
        if near == 0.0 || !near.is_finite() {
            return Self::plain(near);
        }
        let rest = self - two_product(near, near);
        fast_two_sum(near, rest.high / (2.0 * near))
    }

    /// 10 to the power of `n`.
    pub fn ten_to(n: u32) -> Self {
        let exact = |k: u32| Self::plain(10.0_f64.powi(k as i32)); // up to 22
        (0..n / 22).fold(exact(n % 22), |product, _| product * exact(22))
    }
}

impl Add for Twofold {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, t) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let v = fast_two_sum(s.high, s.low + t.high);
        fast_two_sum(v.high, t.low + v.low)
    }
}

impl Neg for Twofold {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Twofold {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Twofold {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        fast_two_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twofold {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || first == 0.0 {
            return Self::plain(first);
        }
        let rest = self - other * Self::plain(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::plain(second);
        fast_two_sum(first, second) + Self::plain(rest.high / other.high)
    }
}
