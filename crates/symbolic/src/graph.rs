//! A graph of operations in which equal values are one node.
//!
//! A class is a value, known by what it is at two sample points; it remembers every operation that was found to give it.
//! Which operation is taken is decided later, when all outputs are known (`extract`).

use std::cell::RefCell;
use std::collections::HashMap;

/// Values that agree to this at both points are the same: well above the rounding of a few hundred operations (1e-13), and
/// two different values agree by chance once in 10²².
const SAME: f64 = 1e-11;

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

impl Group {
    pub(crate) fn bit(self) -> u8 {
        match self {
            Self::Parameter => 1,
            Self::Position => 2,
            Self::Velocity => 4,
            Self::Acceleration => 8,
        }
    }
}

/// The number of a class.
pub(crate) type Id = u32;

/// What an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Operand {
    /// A number, as bits so that it can be hashed.
    Number(u64),
    /// A class.
    Class(Id),
}

impl Operand {
    pub fn number(value: f64) -> Self {
        Self::Number(value.to_bits())
    }
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
            Self::Input(_) => ([Operand::Number(0); 4], 0),
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Div(a, b) | Self::Atan2(a, b) => {
                ([a, b, a, b], 2)
            }
            Self::Sin(a) | Self::Cos(a) | Self::Sqrt(a) | Self::Tanh(a) | Self::Exp(a) => ([a; 4], 1),
            Self::SelectLt(all) => (all, 4),
        };
        all.into_iter().take(count)
    }
}

/// A value with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub negated: bool,
    pub operand: Operand,
}

impl Signed {
    pub fn number(value: f64) -> Self {
        Self { negated: value < 0.0, operand: Operand::number(value.abs()) }
    }

    pub fn negate(self) -> Self {
        Self { negated: !self.negated, ..self }
    }

    pub fn flipped(self, flip: bool) -> Self {
        Self { negated: self.negated != flip, ..self }
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<f64> {
        match self.operand {
            Operand::Number(bits) => Some(if self.negated { -f64::from_bits(bits) } else { f64::from_bits(bits) }),
            Operand::Class(_) => None,
        }
    }
}

/// One way to compute a class: the operation gives the class's value or, if `negated`, its negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub op: Op,
    pub negated: bool,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub value: [f64; 2],
    /// The groups of inputs that it depends on, as bits.
    pub depends: u8,
    pub ways: Vec<Way>,
}

/// An input by name.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub name: String,
    pub group: Group,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub classes: Vec<Class>,
    pub inputs: Vec<Input>,
    by_op: HashMap<Op, Signed>,
    by_value: HashMap<u64, Vec<Id>>,
}

/// Where expressions live.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) inner: RefCell<Inner>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many different values it holds.
    pub fn len(&self) -> usize {
        self.inner.borrow().classes.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Inner {
    pub fn input(&mut self, name: &str, group: Group, samples: [f64; 2]) -> Signed {
        let number = self.inputs.len() as u32;
        self.inputs.push(Input { name: name.into(), group });
        let id = self.classes.len() as Id;
        self.classes.push(Class {
            value: samples,
            depends: group.bit(),
            ways: vec![Way { op: Op::Input(number), negated: false }],
        });
        self.remember(id);
        Signed { negated: false, operand: Operand::Class(id) }
    }

    fn remember(&mut self, id: Id) {
        if let Some(key) = key(self.classes[id as usize].value[0]) {
            self.by_value.entry(key).or_default().push(id);
        }
    }

    pub fn value(&self, operand: Operand) -> [f64; 2] {
        match operand {
            Operand::Number(bits) => [f64::from_bits(bits); 2],
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
    pub fn find(&self, value: [f64; 2]) -> Option<Signed> {
        let key = key(value[0])?;
        for key in [key, key.wrapping_sub(1), key.wrapping_add(1)] {
            for &id in self.by_value.get(&key).map_or(&[][..], Vec::as_slice) {
                let other = self.classes[id as usize].value;
                for negated in [false, true] {
                    let sign = if negated { -1.0 } else { 1.0 };
                    if (0..2).all(|k| (other[k] - sign * value[k]).abs() <= SAME * value[k].abs()) {
                        return Some(Signed { negated, operand: Operand::Class(id) });
                    }
                }
            }
        }
        None
    }

    /// The class of an operation: a known one if its value is known, else a new one.
    pub fn intern(&mut self, op: Op, value: [f64; 2]) -> Signed {
        if let Some(known) = self.by_op.get(&op) {
            return *known;
        }
        let depends = op.operands().fold(0, |all, operand| all | self.depends(operand));
        // What has the same value at both points does not depend on the inputs; a number says it best, unless parameters
        // are symbols.
        if depends & 1 == 0 && (value[0] - value[1]).abs() <= 1e-13 * value[0].abs() {
            return Signed::number(value[0]);
        }
        let signed = match self.find(value) {
            Some(known) => {
                let Operand::Class(id) = known.operand else { return known };
                let way = Way { op, negated: known.negated };
                let class = &mut self.classes[id as usize];
                if depends & !1 == 0 && class.depends & !1 != 0 {
                    // It turns out to be a constant of the robot: nothing is cheaper.
                    (class.ways, class.depends) = (vec![way], depends);
                } else if !class.ways.contains(&way) && !op.operands().any(|o| o == known.operand) {
                    class.ways.push(way);
                }
                known
            }
            None => {
                let id = self.classes.len() as Id;
                self.classes.push(Class { value, depends, ways: vec![Way { op, negated: false }] });
                self.remember(id);
                Signed { negated: false, operand: Operand::Class(id) }
            }
        };
        self.by_op.insert(op, signed);
        signed
    }

    /// The class of an operation that must not be taken for another one with the same value.
    pub fn intern_apart(&mut self, op: Op, value: [f64; 2]) -> Signed {
        if let Some(known) = self.by_op.get(&op) {
            return *known;
        }
        let depends = op.operands().fold(0, |all, operand| all | self.depends(operand));
        let operand = Operand::Class(self.classes.len() as Id);
        self.classes.push(Class { value, depends, ways: vec![Way { op, negated: false }] });
        let signed = Signed { negated: false, operand };
        self.by_op.insert(op, signed);
        signed
    }

    pub fn signed(&self, a: Signed) -> [f64; 2] {
        self.value(a.operand).map(|x| if a.negated { -x } else { x })
    }

    pub fn add(&mut self, a: Signed, b: Signed) -> Signed {
        if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
            return Signed::number(if (x + y).abs() <= 1e-14 * (x.abs() + y.abs()) { 0.0 } else { x + y });
        }
        if a.as_number() == Some(0.0) {
            return b;
        }
        if b.as_number() == Some(0.0) {
            return a;
        }
        let (x, y) = (self.signed(a), self.signed(b));
        let value = [x[0] + y[0], x[1] + y[1]];
        if (0..2).all(|k| value[k].abs() <= 1e-13 * (x[k].abs() + y[k].abs())) {
            return Signed::number(0.0);
        }
        // a + (b + number) → b + … only where both have numbers: numbers collect in one place.
        if let (Some(number), Some((rest, other))) = (a.as_number(), self.plus_number(b)) {
            return self.add(rest, Signed::number(number + other));
        }
        if let (Some(number), Some((rest, other))) = (b.as_number(), self.plus_number(a)) {
            return self.add(rest, Signed::number(number + other));
        }
        let (a, b) = if a.operand <= b.operand { (a, b) } else { (b, a) };
        let (op, flip) = if a.negated == b.negated {
            (Op::Add(a.operand, b.operand), a.negated)
        } else {
            (Op::Sub(a.operand, b.operand), a.negated)
        };
        let value = if flip { value.map(|x| -x) } else { value };
        self.intern(op, value).flipped(flip)
    }

    /// `x = rest + number`, if that is how `x` was made.
    fn plus_number(&self, x: Signed) -> Option<(Signed, f64)> {
        let Operand::Class(id) = x.operand else { return None };
        let way = self.classes[id as usize].ways[0];
        let (number, rest, minus) = match way.op {
            Op::Add(a @ Operand::Number(_), b) => (a, b, false),
            Op::Sub(a @ Operand::Number(_), b) => (a, b, true),
            _ => return None,
        };
        let number = Signed { negated: way.negated != x.negated, operand: number }.as_number()?;
        Some((Signed { negated: (way.negated != x.negated) != minus, operand: rest }, number))
    }

    /// `x = number · rest`, if that is how `x` was made.
    fn times_number(&self, x: Signed) -> Option<(Signed, f64)> {
        let Operand::Class(id) = x.operand else { return None };
        let way = self.classes[id as usize].ways[0];
        let Op::Mul(number @ Operand::Number(_), rest) = way.op else { return None };
        let number = Signed { negated: way.negated != x.negated, operand: number }.as_number()?;
        Some((Signed { negated: false, operand: rest }, number))
    }

    pub fn mul(&mut self, a: Signed, b: Signed) -> Signed {
        let negated = a.negated != b.negated;
        let (a, b) = if a.operand <= b.operand { (a, b) } else { (b, a) };
        if let Some(x) = a.as_number() {
            if let Some(y) = b.as_number() {
                return Signed::number((x * y).abs()).flipped(negated && x * y != 0.0);
            }
            if x == 0.0 {
                return Signed::number(0.0);
            }
            if x.abs() == 1.0 {
                return Signed { negated, operand: b.operand };
            }
            if let Some((rest, other)) = self.times_number(b) {
                let number = self.nearly_one(x * other);
                return self.mul(rest, Signed::number(number));
            }
        }
        let (x, y) = (self.value(a.operand), self.value(b.operand));
        self.intern(Op::Mul(a.operand, b.operand), [x[0] * y[0], x[1] * y[1]]).flipped(negated)
    }

    /// ±1 where rounding has left it beside.
    fn nearly_one(&self, x: f64) -> f64 {
        if (x.abs() - 1.0).abs() <= 4.0 * f64::EPSILON { x.signum() } else { x }
    }

    pub fn div(&mut self, a: Signed, b: Signed) -> Signed {
        let negated = a.negated != b.negated;
        match (a.as_number(), b.as_number()) {
            (Some(x), Some(y)) => {
                let number = self.nearly_one(x.abs() / y.abs());
                return Signed::number(number).flipped(negated && number != 0.0);
            }
            (Some(0.0), _) => return Signed::number(0.0),
            // A division by a constant is a multiplication.
            (None, Some(y)) => return self.mul(a, Signed::number(1.0 / y)),
            _ if a.operand == b.operand => return Signed::number(1.0).flipped(negated),
            _ => {}
        }
        let (x, y) = (self.value(a.operand), self.value(b.operand));
        self.intern(Op::Div(a.operand, b.operand), [x[0] / y[0], x[1] / y[1]]).flipped(negated)
    }

    /// A function of one value.
    pub fn function(&mut self, op: fn(Operand) -> Op, f: impl Fn(f64) -> f64, a: Signed) -> Signed {
        if let Some(x) = a.as_number() {
            return Signed::number(f(x));
        }
        let a = self.plain(a);
        let x = self.value(a);
        self.intern(op(a), x.map(f))
    }

    /// A value whose sign is part of it: functions take no signs.
    pub fn plain(&mut self, a: Signed) -> Operand {
        match a.as_number() {
            Some(x) => Operand::number(x),
            None if !a.negated => a.operand,
            None => {
                let value = self.signed(a);
                let op = Op::Sub(Operand::number(0.0), a.operand);
                // Not by value: it would be found as the negative of itself.
                self.intern_apart(op, value).operand
            }
        }
    }
}

/// Where values near this one are kept, whatever their sign.
fn key(value: f64) -> Option<u64> {
    (value.is_finite() && value != 0.0).then(|| value.abs().to_bits() >> 16)
}
