//! The scalar whose values are trigonometric polynomials: the formulas of `dalembert-core` run with it.

use super::polynomial::{JointAngles, Polynomial};
use dalembert_core::Scalar;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::rc::Rc;

/// A parameter that stays a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolValue {
    /// As the papers write it: `m2`, `rx2`, `Ixx3`.
    pub name: String,
    /// Its value, SI.
    pub value: f64,
}

/// Symbols and the products of them that have occurred.
#[derive(Clone, Debug)]
pub struct SymbolTable {
    /// The symbols.
    pub symbols: Vec<SymbolValue>,
    /// Products as sorted lists of symbols; the first is the empty one, 1.
    products: Vec<Vec<u16>>,
    numbers: HashMap<Vec<u16>, u32>,
    known: HashMap<(u32, u32), u32>,
}

impl Default for SymbolTable {
    fn default() -> Self {
        Self {
            symbols: Vec::new(),
            products: vec![Vec::new()],
            numbers: HashMap::from([(Vec::new(), 0)]),
            known: HashMap::new(),
        }
    }
}

impl SymbolTable {
    /// The symbols of a product.
    pub fn product(&self, number: u32) -> impl Iterator<Item = &SymbolValue> {
        self.products[number as usize].iter().map(|&s| &self.symbols[s as usize])
    }

    /// The value of a product.
    pub fn value(&self, number: u32) -> f64 {
        self.product(number).map(|symbol| symbol.value).product()
    }

    fn number(&mut self, product: Vec<u16>) -> u32 {
        let next = self.products.len() as u32;
        let number = *self.numbers.entry(product.clone()).or_insert(next);
        if number == next {
            self.products.push(product);
        }
        number
    }

    fn multiply(&mut self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return a + b;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let mut product = self.products[a as usize].clone();
        product.extend_from_slice(&self.products[b as usize]);
        product.sort_unstable();
        let number = self.number(product);
        self.known.insert((a, b), number);
        number
    }
}

/// Where the polynomials of one derivation live.
#[derive(Debug)]
pub(crate) struct Arena {
    pub joints: JointAngles,
    polynomials: RefCell<Vec<Rc<Polynomial>>>,
    pub symbols: RefCell<SymbolTable>,
    /// Terms held, and the most that may be.
    size: Cell<usize>,
    most: usize,
    failure: Cell<Option<NotPolynomial>>,
}

/// Why a formula has no trigonometric polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotPolynomial {
    /// It uses this.
    Function(&'static str),
    /// It has too many terms.
    Size,
}

impl Arena {
    pub fn new(joints: JointAngles, most: usize) -> Self {
        Self {
            joints,
            polynomials: RefCell::default(),
            symbols: RefCell::default(),
            size: Cell::new(0),
            most,
            failure: Cell::new(None),
        }
    }

    /// The position of a joint.
    pub fn joint(&self, joint: usize) -> Trig<'_> {
        match self.joints.kinds[joint] {
            dalembert_core::serial::Joint::Revolute => Trig { arena: Some(self), value: TrigValue::Angle(joint as u8) },
            dalembert_core::serial::Joint::Prismatic => self.hold(Polynomial::slide(joint)),
        }
    }

    /// A symbolic parameter.
    pub fn symbol(&self, name: String, value: f64) -> Trig<'_> {
        let number = {
            let mut symbols = self.symbols.borrow_mut();
            let index = symbols.symbols.len() as u16;
            symbols.symbols.push(SymbolValue { name, value });
            symbols.number(vec![index])
        };
        self.hold(Polynomial::symbols(number))
    }

    /// What went wrong, if anything.
    pub fn failure(&self) -> Option<NotPolynomial> {
        self.failure.get()
    }

    fn hold(&self, polynomial: Polynomial) -> Trig<'_> {
        if let Some(number) = polynomial.as_number() {
            return Trig { arena: Some(self), value: TrigValue::Number(number) };
        }
        self.size.set(self.size.get() + polynomial.terms().len());
        if self.size.get() > self.most {
            return self.fail(NotPolynomial::Size);
        }
        let mut all = self.polynomials.borrow_mut();
        all.push(Rc::new(polynomial));
        Trig { arena: Some(self), value: TrigValue::Polynomial(all.len() as u32 - 1) }
    }

    fn fail(&self, failure: NotPolynomial) -> Trig<'_> {
        self.failure.set(self.failure.get().or(Some(failure)));
        Trig { arena: Some(self), value: TrigValue::Number(f64::NAN) }
    }
}

#[derive(Clone, Copy, Debug)]
enum TrigValue {
    Number(f64),
    Polynomial(u32),
    /// The angle of a revolute joint: good for its sine and cosine.
    Angle(u8),
}

/// A trigonometric polynomial that is `Copy`.
#[derive(Clone, Copy)]
pub(crate) struct Trig<'a> {
    arena: Option<&'a Arena>,
    value: TrigValue,
}

impl fmt::Debug for Trig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.value)
    }
}

impl<'a> Trig<'a> {
    /// The polynomial itself.
    pub fn polynomial(self) -> Rc<Polynomial> {
        match (self.value, self.arena) {
            (TrigValue::Polynomial(id), Some(arena)) => Rc::clone(&arena.polynomials.borrow()[id as usize]),
            (TrigValue::Number(number), _) => Rc::new(Polynomial::number(number)),
            _ => Rc::new(Polynomial::number(f64::NAN)),
        }
    }

    fn with(self, other: Self, numbers: fn(f64, f64) -> f64, f: impl Fn(&'a Arena, Self, Self) -> Self) -> Self {
        let arena = self.arena.or(other.arena);
        match (self.value, other.value, arena) {
            (TrigValue::Number(a), TrigValue::Number(b), _) => Self { arena, value: TrigValue::Number(numbers(a, b)) },
            (TrigValue::Angle(_), _, Some(arena)) | (_, TrigValue::Angle(_), Some(arena)) => {
                arena.fail(NotPolynomial::Function("arithmetic with an angle"))
            }
            (_, _, Some(arena)) => f(arena, self, other),
            (_, _, None) => self,
        }
    }

    fn number(self) -> Option<f64> {
        match self.value {
            TrigValue::Number(number) => Some(number),
            _ => None,
        }
    }

    fn refuse(self, what: &'static str, f: impl Fn(f64) -> f64) -> Self {
        match (self.number(), self.arena) {
            (Some(number), _) => Self { arena: self.arena, value: TrigValue::Number(f(number)) },
            (None, Some(arena)) => arena.fail(NotPolynomial::Function(what)),
            (None, None) => self,
        }
    }
}

impl Add for Trig<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self.number(), other.number()) {
            (Some(0.0), _) => other,
            (_, Some(0.0)) => self,
            _ => self.with(other, |a, b| a + b, |arena, a, b| arena.hold(a.polynomial().plus(&b.polynomial(), 1.0))),
        }
    }
}

impl Sub for Trig<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        match other.number() {
            Some(0.0) => self,
            _ => self.with(other, |a, b| a - b, |arena, a, b| arena.hold(a.polynomial().plus(&b.polynomial(), -1.0))),
        }
    }
}

impl Mul for Trig<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.with(
            other,
            |a, b| a * b,
            |arena, a, b| match (a.number(), b.number()) {
                (Some(1.0), _) => b,
                (_, Some(1.0)) => a,
                (Some(number), _) => arena.hold(b.polynomial().scaled(number)),
                (_, Some(number)) => arena.hold(a.polynomial().scaled(number)),
                _ => {
                    let mut symbols = arena.symbols.borrow_mut();
                    let product = a.polynomial().times(&b.polynomial(), &arena.joints, |a, b| symbols.multiply(a, b));
                    arena.hold(product)
                }
            },
        )
    }
}

impl Div for Trig<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.with(
            other,
            |a, b| a / b,
            |arena, a, b| match b.number() {
                Some(number) => arena.hold(a.polynomial().scaled(1.0 / number)),
                None => arena.fail(NotPolynomial::Function("division")),
            },
        )
    }
}

impl Neg for Trig<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.times(-1.0)
    }
}

impl Scalar for Trig<'_> {
    #[inline(never)]
    fn step<R>(formula: impl FnOnce() -> R) -> R {
        formula()
    }
    fn from_f64(value: f64) -> Self {
        Self { arena: None, value: TrigValue::Number(value) }
    }
    fn sin_cos(self) -> (Self, Self) {
        match (self.value, self.arena) {
            (TrigValue::Angle(j), Some(arena)) => {
                let of = |sine| arena.hold(Polynomial::of_angle(&arena.joints, j as usize, sine));
                (of(true), of(false))
            }
            _ => (
                self.refuse("the sine of an expression that is not a joint angle", |x| Scalar::sin_cos(x).0),
                self.refuse("the cosine of an expression that is not a joint angle", |x| Scalar::sin_cos(x).1),
            ),
        }
    }
    fn sqrt(self) -> Self {
        self.refuse("a square root", Scalar::sqrt)
    }
    fn atan2(self, x: Self) -> Self {
        self.with(x, Scalar::atan2, |arena, _, _| arena.fail(NotPolynomial::Function("an arc tangent")))
    }
    fn tanh(self) -> Self {
        self.refuse("a hyperbolic tangent", Scalar::tanh)
    }
    fn exp(self) -> Self {
        self.refuse("an exponential function", Scalar::exp)
    }
    fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
        match (self.number(), limit.number()) {
            (Some(a), Some(b)) if a < b => then,
            (Some(_), Some(_)) => otherwise,
            _ => self.with(limit, |a, _| a, |arena, _, _| arena.fail(NotPolynomial::Function("a choice"))),
        }
    }
}
