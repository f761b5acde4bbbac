//! Values that are compared exactly.
//!
//! Two expressions are equal as functions of their inputs if they are equal at random points of a large finite field
//! (Schwartz 1980, Zippel 1979): of degree d they agree by chance with probability d/2⁶¹, and two points are taken. Numbers are the
//! decimals that the robot file has: 0.3 is 3/10, and 0.300000000001 is another number. The sine and
//! cosine of an angle are a point of the circle s² + c² = 1, those of a sum of angles the product of two points; other
//! functions are random functions. So everything that follows from algebra and the addition theorems is found,
//! and nothing else is taken for equal.
//!
//! Beside that stands a sample with 32 digits: the sign and the size of a value, and of a constant its digits.

mod field;
mod twofold;

use dalembert_core::Scalar;
pub(crate) use field::FieldElement;
use std::f64::consts::PI;
use std::ops::{Add, Mul, Neg};
use std::sync::LazyLock;
pub(crate) use twofold::Twofold;

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExactNumber {
    pub exact: FieldElement,
    pub value: Twofold,
}

/// A value: at two points of the field, and a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExactValue {
    pub exact: [FieldElement; 2],
    pub sample: Twofold,
}

/// Sine and cosine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<T> {
    pub sin: T,
    pub cos: T,
}

impl ExactNumber {
    pub const ZERO: Self = Self { exact: FieldElement::ZERO, value: Twofold::plain(0.0) };
    pub const ONE: Self = Self { exact: FieldElement::ONE, value: Twofold::plain(1.0) };

    fn from_integer(n: u64) -> Self {
        Self { exact: FieldElement::integer(n), value: Twofold::integer(n) }
    }

    /// A number as it is written, in decimals; with more digits than anyone writes it is a computed one, and what its bits say.
    /// What is no finite number is unlike all others.
    pub fn new(x: f64) -> Self {
        if x < 0.0 {
            return -Self::new(-x);
        }
        if x.fract() == 0.0 && x < 9e15 {
            return Self { exact: FieldElement::integer(x as u64), value: Twofold::plain(x) };
        }
        if !x.is_finite() {
            return Self {
                exact: FieldElement::scattered(1, &[FieldElement::integer(x.to_bits() >> 3)]),
                value: Twofold::plain(x),
            };
        }
        if let Some(known) = surd(x) {
            return known;
        }
        let text = format!("{x:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.len() + part.len() > 15 {
            let bits = x.to_bits();
            let (mantissa, exponent) = match bits >> 52 {
                0 => (bits, -1074),
                exponent => (bits & ((1 << 52) - 1) | 1 << 52, exponent as i32 - 1075),
            };
            let power = FieldElement::power(2, exponent.unsigned_abs());
            let power = if exponent < 0 { power.inverse().unwrap_or(FieldElement::ZERO) } else { power };
            return Self { exact: FieldElement::integer(mantissa) * power, value: Twofold::plain(x) };
        }
        let digits: u64 = format!("{whole}{part}").parse().unwrap_or(0);
        let exponent = exponent.parse::<i32>().unwrap_or(0) - part.len() as i32;
        let size = exponent.unsigned_abs();
        let (tens, near) = (FieldElement::power(10, size), Twofold::ten_to(size));
        let (digits, digits_near) = (FieldElement::integer(digits), Twofold::integer(digits));
        let (exact, value) = match exponent < 0 {
            true => (digits * tens.inverse().unwrap_or(FieldElement::ZERO), digits_near / near),
            false => (digits * tens, digits_near * near),
        };
        // Far from 1 the powers of ten are not finite.
        Self { exact, value: if value.high == x { value } else { Twofold::plain(x) } }
    }

    pub fn is_negative(&self) -> bool {
        self.value.high < 0.0
    }

    pub fn as_f64(&self) -> f64 {
        self.value.high
    }

    pub fn over(self, other: Self) -> Self {
        match other.exact.inverse() {
            Some(inverse) => Self { exact: self.exact * inverse, value: self.value / other.value },
            None => Self::new(self.value.high / 0.0),
        }
    }

    pub fn sqrt(self) -> Self {
        match self.exact.sqrt().filter(|_| !self.is_negative()) {
            Some(exact) => Self { exact, value: self.value.sqrt() },
            None => Self::new(self.value.high.sqrt()),
        }
    }

    /// Sine and cosine of an angle in radians; multiples of 15 degrees, to the last digit of the number, are what they are.
    pub fn turn(radians: f64) -> Turn<Self> {
        let parts = (radians / (PI / 12.0)).round();
        if (radians - parts * (PI / 12.0)).abs() <= 4.0 * f64::EPSILON * radians.abs() && parts.abs() < 1e6 {
            let sine = |k: i64| {
                let k = k.rem_euclid(24);
                let size = fifteenths(if k % 12 > 6 { 12 - k % 12 } else { k % 12 });
                if k >= 12 { -size } else { size }
            };
            return Turn { sin: sine(parts as i64), cos: sine(parts as i64 + 6) };
        }
        let (sin, cos) = Scalar::sin_cos(radians);
        Self::on_circle(sin, cos)
    }

    /// The point of the circle that this sine and cosine mean: the nearest that is exactly on it.
    pub fn on_circle(sin: f64, cos: f64) -> Turn<Self> {
        let (s, c) = (sin.abs(), cos.abs());
        for k in 0..=6 {
            let (known_s, known_c) = (fifteenths(k), fifteenths(6 - k));
            if (s - known_s.as_f64()).abs() <= 2.0 * f64::EPSILON && (c - known_c.as_f64()).abs() <= 2.0 * f64::EPSILON
            {
                return Turn {
                    sin: if sin < 0.0 { -known_s } else { known_s },
                    cos: if cos < 0.0 { -known_c } else { known_c },
                };
            }
        }
        // By the tangent of half an angle of at most 45 degrees, so that all angles that are alike have one.
        let (small, large) = if s < c { (s, c) } else { (c, s) };
        let t = Self::new(small / (1.0 + large));
        let square = t * t;
        let below = Self::ONE + square;
        let (small, large) = ((t + t).over(below), (Self::ONE + -square).over(below));
        let (s, c) = if s < c { (small, large) } else { (large, small) };
        Turn { sin: if sin < 0.0 { -s } else { s }, cos: if cos < 0.0 { -c } else { c } }
    }
}

/// sin(k · 15°), k from 0 to 6.
fn fifteenths(k: i64) -> ExactNumber {
    // No decimals: those are looked up among these.
    let root = |n: u64| ExactNumber::from_integer(n).sqrt();
    let part = |n: u64| ExactNumber::ONE.over(ExactNumber::from_integer(n));
    match k {
        0 => ExactNumber::ZERO,
        1 => (root(2) * root(3) + -root(2)) * part(4),
        2 => part(2),
        3 => root(2) * part(2),
        4 => root(3) * part(2),
        5 => (root(2) * root(3) + root(2)) * part(4),
        _ => ExactNumber::ONE,
    }
}

/// A number that, to its last digit, is a sine of 15, 45, 60 or 75 degrees, or a root of 2, 3, 1/3 or 4/3.
fn surd(x: f64) -> Option<ExactNumber> {
    if !(0.25..1.75).contains(&x) {
        return None;
    }
    static KNOWN: LazyLock<[ExactNumber; 8]> = LazyLock::new(|| {
        let root = |n: u64| ExactNumber::from_integer(n).sqrt();
        let third = root(3).over(ExactNumber::from_integer(3));
        [fifteenths(1), fifteenths(3), fifteenths(4), fifteenths(5), root(2), root(3), third, third + third]
    });
    KNOWN.iter().find(|known| (x - known.as_f64()).abs() <= f64::EPSILON * known.as_f64()).copied()
}

impl Add for ExactNumber {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let exact = self.exact + other.exact;
        Self { exact, value: if exact.is_zero() { Twofold::default() } else { self.value + other.value } }
    }
}

impl Neg for ExactNumber {
    type Output = Self;
    fn neg(self) -> Self {
        if self.exact.is_zero() { self } else { Self { exact: -self.exact, value: -self.value } }
    }
}

impl Mul for ExactNumber {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { exact: self.exact * other.exact, value: self.value * other.value }
    }
}

impl From<ExactNumber> for ExactValue {
    fn from(number: ExactNumber) -> Self {
        Self { exact: [number.exact; 2], sample: number.value }
    }
}

impl ExactValue {
    /// What an input is: its sample, and a random place.
    pub fn random(seed: u64, sample: f64) -> Self {
        let place = |k: u64| FieldElement::scattered(seed, &[FieldElement::integer(k)]);
        Self { exact: [place(1), place(2)], sample: Twofold::plain(sample) }
    }

    /// A function of which nothing is known but that equal values give equal values.
    pub fn function(name: u64, of: &[Self], sample: f64) -> Self {
        let place =
            |k: usize| FieldElement::scattered(name, &of.iter().map(|value| value.exact[k]).collect::<Vec<_>>());
        Self { exact: [place(0), place(1)], sample: Twofold::plain(sample) }
    }

    pub fn is_zero(&self) -> bool {
        self.exact.iter().all(|x| x.is_zero())
    }

    /// A root; where the field has none, a random function.
    pub fn sqrt(self) -> Self {
        match self.exact.map(FieldElement::sqrt) {
            [Some(a), Some(b)] => Self { exact: [a, b], sample: self.sample.sqrt() },
            _ => Self::function(2, &[self], self.sample.high.sqrt()),
        }
    }

    pub fn over(self, other: Self) -> Self {
        match other.exact.map(FieldElement::inverse) {
            [Some(a), Some(b)] => {
                Self { exact: [self.exact[0] * a, self.exact[1] * b], sample: self.sample / other.sample }
            }
            _ => Self::function(3, &[self, other], self.sample.high / other.sample.high),
        }
    }

    /// A random point of the circle for an angle that is no sum.
    pub fn turn(self) -> Turn<Self> {
        let (sin, cos) = Scalar::sin_cos(self.sample.high);
        // On the circle to all digits.
        let (sin, cos) = (Twofold::plain(sin), Twofold::plain(cos));
        let size = (sin * sin + cos * cos).sqrt();
        let half = self.exact.map(|x| FieldElement::scattered(4, &[x]));
        let below = half.map(|t| (FieldElement::ONE + t * t).inverse().unwrap_or(FieldElement::ONE));
        Turn {
            sin: Self { exact: [0, 1].map(|k| (half[k] + half[k]) * below[k]), sample: sin / size },
            cos: Self {
                exact: [0, 1].map(|k| (FieldElement::ONE + -(half[k] * half[k])) * below[k]),
                sample: cos / size,
            },
        }
    }
}

impl Turn<ExactValue> {
    /// Of the sum of two angles.
    pub fn plus(self, other: Self) -> Self {
        Turn { sin: self.sin * other.cos + self.cos * other.sin, cos: self.cos * other.cos + -(self.sin * other.sin) }
    }

    pub fn back(self) -> Self {
        Turn { sin: -self.sin, cos: self.cos }
    }
}

impl Add for ExactValue {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            exact: [self.exact[0] + other.exact[0], self.exact[1] + other.exact[1]],
            sample: self.sample + other.sample,
        }
    }
}

impl Neg for ExactValue {
    type Output = Self;
    fn neg(self) -> Self {
        Self { exact: self.exact.map(|x| -x), sample: -self.sample }
    }
}

impl Mul for ExactValue {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            exact: [self.exact[0] * other.exact[0], self.exact[1] * other.exact[1]],
            sample: self.sample * other.sample,
        }
    }
}
