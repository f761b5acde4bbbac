//! A graph of operations in which equal values are one node.
//!
//! A class is a value, known exactly (`exact`); it remembers every operation that was found to give it.
//! Which operation is taken is decided later, when all outputs are known (`extract`).

use crate::exact::{ExactNumber, ExactValue, FieldElement, Turn};
use crate::target::{OperationWeights, Target};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A fast hash for trusted keys.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(26) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
    fn write_isize(&mut self, x: isize) {
        self.write_u64(x as u64);
    }
}

pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// A constant of the robot: what is computed from these alone is computed once and costs nothing.
    Parameter,
    /// A joint position or a pose.
    Position,
    /// A velocity.
    Velocity,
    /// An acceleration, or a torque.
    Acceleration,
}

/// The number of a class.
pub(crate) type Id = u32;

/// What an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Operand {
    /// A number that is not negative, by its place among the graph's.
    Number(u32),
    /// A class.
    Class(Id),
}

impl Operand {
    pub const ZERO: Self = Self::Number(0);
    pub const ONE: Self = Self::Number(1);
    pub const TWO: Self = Self::Number(2);
}

/// One operation. Signs are kept outside: see [`Signed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Input(u32),
    Add(Operand, Operand),
    Sub(Operand, Operand),
    Mul(Operand, Operand),
    Div(Operand, Operand),
    Sin(Operand),
    Cos(Operand),
    Sqrt(Operand),
    Atan2(Operand, Operand),
    Tanh(Operand),
    Exp(Operand),
    SelectLt([Operand; 4]),
}

impl Op {
    /// What it works on.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        let (all, count) = match *self {
            Self::Input(_) => ([Operand::ZERO; 4], 0),
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Div(a, b) | Self::Atan2(a, b) => {
                ([a, b, a, b], 2)
            }
            Self::Sin(a) | Self::Cos(a) | Self::Sqrt(a) | Self::Tanh(a) | Self::Exp(a) => ([a; 4], 1),
            Self::SelectLt(all) => (all, 4),
        };
        all.into_iter().take(count)
    }

    /// The classes among that.
    pub fn classes(&self) -> impl Iterator<Item = Id> {
        self.operands().filter_map(|operand| if let Operand::Class(id) = operand { Some(id) } else { None })
    }
}

/// A value with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub negated: bool,
    pub operand: Operand,
}

impl Signed {
    pub const ZERO: Self = Self::plus(Operand::ZERO);
    pub const ONE: Self = Self::plus(Operand::ONE);

    pub const fn plus(operand: Operand) -> Self {
        Self { negated: false, operand }
    }

    pub fn negate(self) -> Self {
        Self { negated: !self.negated, ..self }
    }

    pub fn flipped(self, flip: bool) -> Self {
        Self { negated: self.negated != flip && self.operand != Operand::ZERO, ..self }
    }
}

/// One way to compute a class: the operation gives the class's value or, if `negated`, its negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ENode {
    pub op: Op,
    pub negated: bool,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub value: ExactValue,
    /// The groups of inputs that it depends on, as bits.
    pub depends: u8,
    pub ways: Vec<ENode>,
}

impl Class {
    /// Whether it depends on parameters alone: computed once.
    pub fn is_constant(&self) -> bool {
        self.depends & !1 == 0
    }
}

/// An input by name.
#[derive(Clone, Debug)]
pub(crate) struct GraphInput {
    pub name: String,
    pub group: Group,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub classes: Vec<Class>,
    pub inputs: Vec<GraphInput>,
    pub numbers: Vec<ExactNumber>,
    by_op: QuickMap<Op, Signed>,
    by_value: QuickMap<u64, Vec<Id>>,
    by_number: QuickMap<u64, Vec<u32>>,
    /// Numbers by their first digits, where those that agree to rounding are one.
    near: Option<QuickMap<u64, u32>>,
    /// Sines and cosines of requested angles.
    turns: QuickMap<Id, Turn<ExactValue>>,
    /// What operations cost.
    pub weights: OperationWeights,
}

/// Where expressions live.
#[derive(Debug)]
pub struct Graph {
    pub(crate) inner: RefCell<Inner>,
}

impl Graph {
    /// An empty graph, for programs with the fewest operations.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self::for_target(Target::Count)
    }

    /// An empty graph, for programs that are cheap on a machine.
    pub fn for_target(target: Target) -> Self {
        let mut inner = Inner { weights: target.weights(), ..Inner::default() };
        for number in [0.0, 1.0, 2.0] {
            inner.number(ExactNumber::new(number));
        }
        Self { inner: RefCell::new(inner) }
    }

    /// The same for formulas whose constants are rounded already: constants that agree to 1e-13 are one.
    pub(crate) fn of_rounded(target: Target) -> Self {
        let graph = Self::for_target(target);
        graph.inner.borrow_mut().near = Some(QuickMap::default());
        graph
    }

    /// How many different values it holds.
    pub(crate) fn len(&self) -> usize {
        self.inner.borrow().classes.len()
    }
}

impl Inner {
    pub fn input(&mut self, name: &str, group: Group, sample: f64) -> Signed {
        let number = self.inputs.len() as u32;
        self.inputs.push(GraphInput { name: name.into(), group });
        let value = ExactValue::random(1000 + u64::from(number), sample);
        let way = ENode { op: Op::Input(number), negated: false };
        Signed::plus(Operand::Class(self.new_class(value, 1 << group as u8, way)))
    }

    fn new_class(&mut self, value: ExactValue, depends: u8, way: ENode) -> Id {
        let id = self.classes.len() as Id;
        self.classes.push(Class { value, depends, ways: vec![way] });
        self.by_value.entry(value.exact[0].without_sign()).or_default().push(id);
        id
    }

    /// A number among the graph's.
    pub fn number(&mut self, number: ExactNumber) -> Signed {
        let places = self.by_number.entry(number.exact.without_sign()).or_default();
        for &place in places.iter() {
            let known = self.numbers[place as usize].exact;
            for negated in [false, true] {
                if number.exact == if negated { -known } else { known } {
                    return Signed { negated, operand: Operand::Number(place) };
                }
            }
        }
        let (place, negated) = (self.numbers.len() as u32, number.is_negative());
        if let Some(near) = &mut self.near {
            let size = number.as_f64().abs();
            // Twelve bits off the end: 1e-12 to either side.
            let key = size.to_bits() >> 12;
            for key in [key, key.wrapping_sub(1), key + 1] {
                if let Some(&place) = near.get(&key)
                    && (self.numbers[place as usize].as_f64() - size).abs() <= 1e-13 * size
                {
                    return Signed { negated, operand: Operand::Number(place) };
                }
            }
            near.insert(key, place);
        }
        places.push(place);
        self.numbers.push(if negated { -number } else { number });
        Signed { negated, operand: Operand::Number(place) }
    }

    /// The number, if it is one.
    pub fn as_number(&self, signed: Signed) -> Option<ExactNumber> {
        match signed.operand {
            Operand::Number(place) => {
                let number = self.numbers[place as usize];
                Some(if signed.negated { -number } else { number })
            }
            Operand::Class(_) => None,
        }
    }

    pub fn value(&self, operand: Operand) -> ExactValue {
        match operand {
            Operand::Number(place) => self.numbers[place as usize].into(),
            Operand::Class(id) => self.classes[id as usize].value,
        }
    }

    pub fn depends(&self, operand: Operand) -> u8 {
        match operand {
            Operand::Number(_) => 0,
            Operand::Class(id) => self.classes[id as usize].depends,
        }
    }

    /// The class with this value or its negative.
    pub fn find(&self, value: &ExactValue) -> Option<Signed> {
        self.find_by(value.exact[0], || *value)
    }

    /// The same; the whole value is asked for only if there is a candidate.
    pub fn find_by(&self, first: FieldElement, whole: impl FnOnce() -> ExactValue) -> Option<Signed> {
        let candidates = self.by_value.get(&first.without_sign())?;
        let value = whole();
        for &id in candidates {
            let other = &self.classes[id as usize].value;
            for negated in [false, true] {
                let same = (0..2).all(|k| other.exact[k] == if negated { -value.exact[k] } else { value.exact[k] });
                // A root has a sign of its own in the field.
                let sign = other.sample.high * value.sample.high;
                if same && (sign.is_nan() || (sign < 0.0) == negated) {
                    return Some(Signed { negated, operand: Operand::Class(id) });
                }
            }
        }
        None
    }

    /// The class of an operation: a known one if its value is known, else a new one.
    pub fn intern(&mut self, op: Op, value: ExactValue) -> Signed {
        if let Some(known) = self.by_op.get(&op) {
            return *known;
        }
        let depends = op.operands().fold(0, |all, operand| all | self.depends(operand));
        // What has the same value at both points does not depend on the inputs: it is a number.
        if value.exact[0] == value.exact[1] {
            return self.number(ExactNumber { exact: value.exact[0], value: value.sample });
        }
        let signed = match self.find(&value) {
            Some(known) => {
                let Operand::Class(id) = known.operand else { return known };
                let way = ENode { op, negated: known.negated };
                let class = &mut self.classes[id as usize];
                if depends & !1 == 0 && !class.is_constant() {
                    // It turns out to be a constant of the robot: nothing is cheaper.
                    // (A choice that was made among the others stays one.)
                    class.ways.fill(way);
                    class.depends = depends;
                } else {
                    self.add_way(id, way);
                }
                known
            }
            None => Signed::plus(Operand::Class(self.new_class(value, depends, ENode { op, negated: false }))),
        };
        self.by_op.insert(op, signed);
        signed
    }

    /// Another way to a class. What is constant is computed from constants.
    pub fn add_way(&mut self, id: Id, way: ENode) {
        /// More of them cost time and bring nothing.
        const MAX_ENODES: usize = 64;
        let constant = way.op.operands().all(|operand| self.depends(operand) & !1 == 0);
        let class = &mut self.classes[id as usize];
        let itself = way.op.classes().any(|class| class == id);
        if !itself && (constant || !class.is_constant()) && class.ways.len() < MAX_ENODES && !class.ways.contains(&way)
        {
            class.ways.push(way);
        }
    }

    /// The class of an operation that must not be taken for another one with the same value.
    fn intern_apart(&mut self, op: Op, value: ExactValue) -> Signed {
        if let Some(known) = self.by_op.get(&op) {
            return *known;
        }
        let depends = op.operands().fold(0, |all, operand| all | self.depends(operand));
        let signed = Signed::plus(Operand::Class(self.classes.len() as Id));
        self.classes.push(Class { value, depends, ways: vec![ENode { op, negated: false }] });
        self.by_op.insert(op, signed);
        signed
    }

    pub fn signed(&self, a: Signed) -> ExactValue {
        let value = self.value(a.operand);
        if a.negated { -value } else { value }
    }

    pub fn add(&mut self, a: Signed, b: Signed) -> Signed {
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            return self.number(x + y);
        }
        if a.operand == Operand::ZERO {
            return b;
        }
        if b.operand == Operand::ZERO {
            return a;
        }
        let value = self.signed(a) + self.signed(b);
        if value.is_zero() {
            return Signed::ZERO;
        }
        // a + (b + number) → b + … only where both have numbers: numbers collect in one place.
        for (a, b) in [(a, b), (b, a)] {
            if let (Some(number), Some((rest, other))) = (self.as_number(a), self.plus_number(b)) {
                let sum = self.number(number + other);
                return self.add(rest, sum);
            }
        }
        let (a, b) = if a.operand <= b.operand { (a, b) } else { (b, a) };
        let (op, flip) = if a.negated == b.negated {
            (Op::Add(a.operand, b.operand), a.negated)
        } else {
            (Op::Sub(a.operand, b.operand), a.negated)
        };
        self.intern(op, if flip { -value } else { value }).flipped(flip)
    }

    /// `x = rest + number`, if that is how `x` was made.
    fn plus_number(&self, x: Signed) -> Option<(Signed, ExactNumber)> {
        let Operand::Class(id) = x.operand else { return None };
        let way = self.classes[id as usize].ways[0];
        let (number, rest, minus) = match way.op {
            Op::Sub(Operand::ZERO, _) => return None,
            Op::Add(a @ Operand::Number(_), b) => (a, b, false),
            Op::Sub(a @ Operand::Number(_), b) => (a, b, true),
            _ => return None,
        };
        let negated = way.negated != x.negated;
        let number = self.as_number(Signed { negated, operand: number })?;
        Some((Signed { negated: negated != minus, operand: rest }, number))
    }

    /// `x = number · rest`, if that is how `x` was made.
    fn times_number(&self, x: Signed) -> Option<(Signed, ExactNumber)> {
        let Operand::Class(id) = x.operand else { return None };
        let way = self.classes[id as usize].ways[0];
        let Op::Mul(number @ Operand::Number(_), rest) = way.op else { return None };
        let number = self.as_number(Signed { negated: way.negated != x.negated, operand: number })?;
        Some((Signed::plus(rest), number))
    }

    pub fn mul(&mut self, a: Signed, b: Signed) -> Signed {
        let negated = a.negated != b.negated;
        let (a, b) = if a.operand <= b.operand { (a, b) } else { (b, a) };
        if let Some(x) = self.as_number(a) {
            if let Some(y) = self.as_number(b) {
                return self.number(x * y);
            }
            if a.operand == Operand::ZERO {
                return Signed::ZERO;
            }
            if a.operand == Operand::ONE {
                return Signed { negated, operand: b.operand };
            }
            if let Some((rest, other)) = self.times_number(b) {
                let number = self.number(x * other);
                return self.mul(rest, number);
            }
        }
        let value = self.value(a.operand) * self.value(b.operand);
        self.intern(Op::Mul(a.operand, b.operand), value).flipped(negated)
    }

    pub fn div(&mut self, a: Signed, b: Signed) -> Signed {
        let negated = a.negated != b.negated;
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x.over(y)),
            (Some(_), None) if a.operand == Operand::ZERO => return Signed::ZERO,
            // A division by a constant is a multiplication.
            (None, Some(y)) => {
                let inverse = self.number(ExactNumber::ONE.over(y));
                return self.mul(a, inverse);
            }
            _ if a.operand == b.operand => return Signed::ONE.flipped(negated),
            _ => {}
        }
        let value = self.value(a.operand).over(self.value(b.operand));
        self.intern(Op::Div(a.operand, b.operand), value).flipped(negated)
    }

    /// A function of one class of which nothing is known.
    pub fn function(&mut self, op: fn(Operand) -> Op, name: u64, f: impl Fn(f64) -> f64, a: Signed) -> Signed {
        let a = self.plain(a);
        let x = self.value(a);
        self.intern(op(a), ExactValue::function(name, &[x], f(x.sample.high)))
    }

    pub fn sqrt(&mut self, a: Signed) -> Signed {
        let a = self.plain(a);
        self.intern(Op::Sqrt(a), self.value(a).sqrt())
    }

    /// Sine and cosine of a class.
    pub fn sin_cos(&mut self, angle: Operand) -> (Signed, Signed) {
        let Turn { sin, cos } = self.turn(angle);
        (self.intern(Op::Sin(angle), sin), self.intern(Op::Cos(angle), cos))
    }

    fn turn(&mut self, angle: Operand) -> Turn<ExactValue> {
        let id = match angle {
            Operand::Number(place) => {
                let Turn { sin, cos } = ExactNumber::turn(self.numbers[place as usize].as_f64());
                return Turn { sin: sin.into(), cos: cos.into() };
            }
            Operand::Class(id) => id,
        };
        if let Some(known) = self.turns.get(&id) {
            return *known;
        }
        let ENode { op, negated } = self.classes[id as usize].ways[0];
        let turn = match op {
            Op::Sub(Operand::ZERO, a) => self.turn(a).back(),
            Op::Add(a, b) => self.turn(a).plus(self.turn(b)),
            Op::Sub(a, b) => self.turn(a).plus(self.turn(b).back()),
            Op::Mul(Operand::TWO, a) => self.turn(a).plus(self.turn(a)),
            _ => self.classes[id as usize].value.turn(),
        };
        let turn = if negated { turn.back() } else { turn };
        self.turns.insert(id, turn);
        turn
    }

    /// A value whose sign is part of it: functions take no signs.
    pub fn plain(&mut self, a: Signed) -> Operand {
        if !a.negated {
            return a.operand;
        }
        let value = self.signed(a);
        // Not by value: it would be found as the negative of itself.
        self.intern_apart(Op::Sub(Operand::ZERO, a.operand), value).operand
    }
}
