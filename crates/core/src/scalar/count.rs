//! Counting what a formula costs.
//!
//! The rule: negation is free, an operation between constants is free (it happens once, at construction), and so is
//! a multiplication by 0 or ±1 or an addition of a constant 0, since a program written out for the robot would not contain it. Everything
//! else counts one, divisions and square roots included; a sine and cosine of one angle count as one pair.
//!
//! The operations are kept out of line: every formula is built over this scalar and runs once.

use super::Scalar;
use core::cell::Cell;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers of operations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions.
    pub additions: u32,
    /// Subtractions.
    pub subtractions: u32,
    /// Multiplications.
    pub multiplications: u32,
    /// Divisions.
    pub divisions: u32,
    /// Square roots.
    pub square_roots: u32,
    /// Pairs sine + cosine of one angle.
    pub sin_cos: u32,
    /// Other functions: arc tangent, exponential, hyperbolic tangent, selection.
    pub other: u32,
}

impl Operations {
    /// Everything but the trigonometric and other functions.
    pub fn arithmetic(&self) -> u32 {
        self.additions + self.subtractions + self.multiplications + self.divisions + self.square_roots
    }

    fn each(self, other: Self, f: fn(u32, u32) -> u32) -> Self {
        Self {
            additions: f(self.additions, other.additions),
            subtractions: f(self.subtractions, other.subtractions),
            multiplications: f(self.multiplications, other.multiplications),
            divisions: f(self.divisions, other.divisions),
            square_roots: f(self.square_roots, other.square_roots),
            sin_cos: f(self.sin_cos, other.sin_cos),
            other: f(self.other, other.other),
        }
    }
}

/// What was done, and what was done elsewhere.
impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
}

/// What was done since an earlier reading of the same tally.
impl Sub for Operations {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        self.each(earlier, |a, b| a - b)
    }
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} = {} + , {} - , {} × , {} ÷ , {} √ ; {} sin/cos, {} other",
            self.arithmetic(),
            self.additions,
            self.subtractions,
            self.multiplications,
            self.divisions,
            self.square_roots,
            self.sin_cos,
            self.other
        )
    }
}

/// Where the operations of [`Count`] values are added up.
#[derive(Debug, Default)]
pub struct Tally(Cell<Operations>);

impl Tally {
    /// A tally of zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// What has been counted so far.
    pub fn operations(&self) -> Operations {
        self.0.get()
    }

    /// An input of the formula to be counted.
    pub fn variable(&self, value: f64) -> Count<'_> {
        Count { value, tally: Some(self) }
    }

    fn note(&self, change: impl Fn(&mut Operations)) {
        let mut operations = self.0.get();
        change(&mut operations);
        self.0.set(operations);
    }
}

/// A number that counts what is done with it. Constants ([`Scalar::from_f64`]) belong to no tally and meet one at
/// their first operation with a variable.
#[derive(Clone, Copy)]
pub struct Count<'a> {
    value: f64,
    tally: Option<&'a Tally>,
}

impl fmt::Debug for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value, f)
    }
}

impl<'a> Count<'a> {
    /// The value that has been computed along.
    pub fn value(self) -> f64 {
        self.value
    }

    fn constant(value: f64) -> Self {
        Self { value, tally: None }
    }

    fn is_constant(self, value: f64) -> bool {
        self.tally.is_none() && self.value == value
    }

    /// Zero, one or minus one, known beforehand.
    fn is_trivial_factor(self) -> bool {
        self.is_constant(0.0) || self.is_constant(1.0) || self.is_constant(-1.0)
    }

    fn result(self, other: Self, value: f64, change: impl Fn(&mut Operations)) -> Self {
        let tally = self.tally.or(other.tally);
        if let Some(tally) = tally {
            tally.note(change);
        }
        Self { value, tally }
    }

    fn function(self, value: f64, change: impl Fn(&mut Operations)) -> Self {
        self.result(self, value, change)
    }
}

impl Add for Count<'_> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        if self.is_constant(0.0) {
            other
        } else if other.is_constant(0.0) {
            self
        } else {
            self.result(other, self.value + other.value, |o| o.additions += 1)
        }
    }
}

impl Sub for Count<'_> {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        if self.is_constant(0.0) {
            -other
        } else if other.is_constant(0.0) {
            self
        } else {
            self.result(other, self.value - other.value, |o| o.subtractions += 1)
        }
    }
}

impl Mul for Count<'_> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        if self.is_constant(0.0) || other.is_constant(0.0) {
            Self::constant(0.0)
        } else if self.is_trivial_factor() {
            Self { value, ..other }
        } else if other.is_trivial_factor() {
            Self { value, ..self }
        } else {
            self.result(other, value, |o| o.multiplications += 1)
        }
    }
}

impl Div for Count<'_> {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        if self.is_constant(0.0) {
            Self::constant(0.0)
        } else if other.is_constant(1.0) || other.is_constant(-1.0) {
            Self { value, ..self }
        } else {
            self.result(other, value, |o| o.divisions += 1)
        }
    }
}

impl Neg for Count<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Scalar for Count<'_> {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }
    fn from_f64(value: f64) -> Self {
        Self::constant(value)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.value);
        let sin = self.function(sin, |o| o.sin_cos += 1);
        (sin, Self { value: cos, ..sin })
    }
    fn sqrt(self) -> Self {
        self.function(Scalar::sqrt(self.value), |o| o.square_roots += 1)
    }
    fn atan2(self, x: Self) -> Self {
        self.result(x, Scalar::atan2(self.value, x.value), |o| o.other += 1)
    }
    fn tanh(self) -> Self {
        self.function(Scalar::tanh(self.value), |o| o.other += 1)
    }
    fn exp(self) -> Self {
        self.function(Scalar::exp(self.value), |o| o.other += 1)
    }
    /// One function, whatever it takes inside.
    fn through(self, curve: &dyn Fn(f64) -> [f64; 2]) -> Self {
        self.function(curve(self.value)[0], |o| o.other += 1)
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let value = Scalar::select_lt(self.value, limit.value, then.value, otherwise.value);
        let tally = self.tally.or(limit.tally).or(then.tally).or(otherwise.tally);
        if let Some(tally) = tally {
            tally.note(|o| o.other += 1);
        }
        Self { value, tally }
    }
}
