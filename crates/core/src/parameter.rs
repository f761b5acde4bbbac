//! What a robot's parameters are: one table per family, which files, checks, reports, symbols and derivatives all read.
//!
//! A family lists its [`Field`]s and visits its numbers once, each with its field, its place and the number itself. Whatever
//! speaks of parameters follows from that visit, so that a new parameter is one line in the table and one in the visit. What a
//! file that leaves a number out means stands in the robot of an empty file: NaN where it has to say it.

use crate::algebra::{Angle, Mat3, Sym3, Vec3, three};
use crate::scalar::Scalar;
use crate::spatial::Frame;
use core::fmt;

/// What a number measures. The second of two units is that of a joint that slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Unit {
    Length,
    Angle,
    Mass,
    Inertia,
    Acceleration,
    Ratio,
    /// N m s/rad; N s/m.
    Damping,
    /// N m; N.
    Torque,
    /// rad/s; m/s.
    Speed,
    /// kg m²; kg.
    MotorInertia,
    /// At the motor's side of its gear: kg m²; of a motor that slides itself kg.
    RotorInertia,
    /// Motor speed over joint speed: 1; rad/m.
    GearRatio,
    /// N m/rad; N/m.
    Stiffness,
    /// rad; m.
    Position,
}

impl Unit {
    /// In SI, of a joint that turns or slides.
    pub fn si(self, slides: bool) -> &'static str {
        let [turning, sliding] = match self {
            Self::Length => ["m"; 2],
            Self::Angle => ["rad"; 2],
            Self::Mass => ["kg"; 2],
            Self::Inertia => ["kg m^2"; 2],
            Self::Acceleration => ["m/s^2"; 2],
            Self::Ratio => [""; 2],
            Self::Damping => ["N m s/rad", "N s/m"],
            Self::Torque => ["N m", "N"],
            Self::Speed => ["rad/s", "m/s"],
            Self::MotorInertia => ["kg m^2", "kg"],
            Self::RotorInertia => ["kg m^2"; 2],
            Self::GearRatio => ["", "rad/m"],
            Self::Stiffness => ["N m/rad", "N/m"],
            Self::Position => ["rad", "m"],
        };
        if slides { sliding } else { turning }
    }
}

/// What a number has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// Positive and finite.
    Positive,
    /// Zero or positive, and finite.
    NotNegative,
    /// Finite and not zero.
    NotZero,
    /// Finite.
    Finite,
    /// A number; infinite where there is no limit.
    Limit,
}

impl Must {
    /// Whether a value is so.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Positive => value.is_finite() && value > 0.0,
            Self::NotNegative => value.is_finite() && value >= 0.0,
            Self::NotZero => value.is_finite() && value != 0.0,
            Self::Finite => value.is_finite(),
            Self::Limit => !value.is_nan(),
        }
    }

    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive and finite",
            Self::NotNegative => "zero or positive, and finite",
            Self::NotZero => "finite and not zero",
            Self::Finite => "finite",
            Self::Limit => "a number, infinite where there is no limit",
        }
    }
}

/// What is left of an inertia of zero that was computed, kg m²: a kilogram a nanometre away. So little below zero is zero.
pub const ROUNDED_INERTIA: f64 = 1e-18;

/// What an error of a number can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// A length, a mass, an inertia, a friction: a share of it.
    Amount,
    /// An angle: so much, whatever its value; where zero is, is a convention.
    Angle,
    /// Known, or nothing that is made: gravity, gear ratios, directions.
    Known,
    /// It has no part in the torques.
    None,
}

/// A parameter of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key in robot files; of a part of the robot that is repeated, from the part's own table on.
    pub key: &'static str,
    /// What it is, for people.
    pub name: &'static str,
    /// Its symbol in derived programs.
    pub symbol: &'static str,
    /// What it measures.
    pub unit: Unit,
    /// What it has to be.
    pub must: Must,
    /// What its error can be.
    pub tolerance: Tolerance,
    /// The names of its components, where it has more than one.
    pub components: &'static [&'static str],
    /// Whether it follows from other numbers where a file leaves it out.
    pub follows: bool,
}

impl Field {
    /// One number.
    pub const fn new(
        key: &'static str,
        symbol: &'static str,
        name: &'static str,
        unit: Unit,
        must: Must,
        tolerance: Tolerance,
    ) -> Self {
        Self { key, name, symbol, unit, must, tolerance, components: &[], follows: false }
    }

    /// Several numbers with these names.
    pub const fn with_components(self, components: &'static [&'static str]) -> Self {
        Self { components, ..self }
    }

    /// A number that follows from others where a file leaves it out.
    pub const fn that_follows(self) -> Self {
        Self { follows: true, ..self }
    }
}

/// Gravity where a file says nothing else, base frame, m/s².
pub const EARTH: Vec3<f64> = Vec3([0.0, 0.0, -9.81]);

/// The components of a vector.
pub const AXES: [&str; 3] = ["x", "y", "z"];
/// The components of a tensor of inertia.
pub const TENSOR: [&str; 6] = ["xx", "yy", "zz", "xy", "yz", "xz"];
/// The two ends of a range.
pub const LEAST_AND_MOST: [&str; 2] = ["least", "most"];
/// The components of a rotation R = Rz(yaw) Ry(pitch) Rx(roll).
pub const ROLL_PITCH_YAW: [&str; 3] = ["roll", "pitch", "yaw"];

/// Which of a robot's parts, and which of a field's components, a number belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The arm or link, from 0.
    pub part: Option<usize>,
    /// From 0.
    pub component: Option<usize>,
}

impl Place {
    /// A number of the whole robot.
    pub const WHOLE: Self = Self { part: None, component: None };

    /// A number of an arm or link, from 0.
    pub fn part(part: usize) -> Self {
        Self { part: Some(part), component: None }
    }

    /// One of its components, from 0.
    #[must_use]
    pub fn component(self, component: usize) -> Self {
        Self { component: Some(component), ..self }
    }
}

/// A number of a robot, where it can be read and changed.
#[derive(Debug)]
pub enum Slot<'a, S> {
    /// As such.
    Number(&'a mut S),
    /// An angle, kept as its cosine and sine.
    Angle(&'a mut Angle<S>),
    /// One of the angles (the place's component) of a rotation.
    Rotation(&'a mut Mat3<S>),
}

/// What a visit does with each number.
pub type Visit<'v, S> = dyn FnMut(&'static Field, Place, Slot<'_, S>) + 'v;

/// A conversion of every number of a robot. Each family walks through its numbers once and builds a robot from the results: a visit returns
/// the numbers that it was given, a map those of another scalar.
pub(crate) trait Convert<S: Scalar, T: Scalar> {
    /// A number.
    fn number(&mut self, field: &'static Field, place: Place, value: S) -> T;

    /// An angle, kept as its cosine and sine.
    fn angle(&mut self, field: &'static Field, place: Place, angle: Angle<S>) -> Angle<T>;

    /// A rotation, whose angles are the field's components.
    fn rotation(&mut self, field: &'static Field, place: Place, rotation: Mat3<S>) -> Mat3<T>;

    /// A number that this robot has no field for.
    fn unlisted(&mut self, value: S) -> T;

    /// A vector, one number per component of the field.
    fn vector(&mut self, field: &'static Field, place: Place, v: Vec3<S>) -> Vec3<T> {
        Vec3(three(|k| self.number(field, place.component(k), v[k])))
    }

    /// A tensor of inertia, in the order of [`TENSOR`].
    fn tensor(&mut self, field: &'static Field, place: Place, tensor: Sym3<S>) -> Sym3<T> {
        let entries = tensor.entries();
        Sym3::new(crate::array::from_fn(|k| self.number(field, place.component(k), entries[k])))
    }

    /// A frame, by the fields of its origin and its rotation.
    fn frame(&mut self, [origin, rotation]: &'static [Field; 2], place: Place, frame: Frame<S>) -> Frame<T> {
        Frame {
            origin: self.vector(origin, place, frame.origin),
            rotation: self.rotation(rotation, place, frame.rotation),
        }
    }
}

/// Converts several numbers of one place, one for each field.
#[inline(always)]
pub(crate) fn numbers<S: Scalar, T: Scalar, const K: usize>(
    each: &mut (impl Convert<S, T> + ?Sized),
    fields: &'static [Field; K],
    place: Place,
    values: [S; K],
) -> [T; K] {
    crate::array::from_fn(|k| each.number(&fields[k], place, values[k]))
}

/// Converts every number by one function.
pub(crate) struct ByFunction<F>(pub F);

impl<S: Scalar, T: Scalar, F: FnMut(S) -> T> Convert<S, T> for ByFunction<F> {
    #[inline(always)]
    fn number(&mut self, _: &'static Field, _: Place, value: S) -> T {
        (self.0)(value)
    }
    fn angle(&mut self, _: &'static Field, _: Place, angle: Angle<S>) -> Angle<T> {
        angle.map(&mut self.0)
    }
    fn rotation(&mut self, _: &'static Field, _: Place, rotation: Mat3<S>) -> Mat3<T> {
        rotation.map(&mut self.0)
    }
    fn unlisted(&mut self, value: S) -> T {
        (self.0)(value)
    }
}

/// Shows every number to a visit, which may change it.
pub(crate) struct ByVisit<'a, 'v, S>(pub &'a mut Visit<'v, S>);

impl<S: Scalar> Convert<S, S> for ByVisit<'_, '_, S> {
    fn number(&mut self, field: &'static Field, place: Place, mut value: S) -> S {
        (self.0)(field, place, Slot::Number(&mut value));
        value
    }
    fn angle(&mut self, field: &'static Field, place: Place, mut angle: Angle<S>) -> Angle<S> {
        (self.0)(field, place, Slot::Angle(&mut angle));
        angle
    }
    fn rotation(&mut self, field: &'static Field, place: Place, mut rotation: Mat3<S>) -> Mat3<S> {
        for k in 0..3 {
            (self.0)(field, place.component(k), Slot::Rotation(&mut rotation));
        }
        rotation
    }
    fn unlisted(&mut self, value: S) -> S {
        value
    }
}

/// What a robot has several of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum PartKind {
    Arm,
    Leg,
    Link,
    FourthAxis,
}

/// A number that no robot can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterError {
    /// Its key in robot files.
    pub field: &'static str,
    /// The parts that the robot has several of.
    pub kind: PartKind,
    /// The arm, leg or link (from 1), where it belongs to one.
    pub part: Option<usize>,
    /// Its value.
    pub value: f64,
    /// What it has to be.
    pub must: &'static str,
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, kind, part, value, must } = *self;
        let (quote, name) = match kind {
            PartKind::Arm => ("", "arm"),
            PartKind::Leg => ("", "leg"),
            PartKind::Link | PartKind::FourthAxis => ("`", "link"),
        };
        write!(f, "{quote}{field}{quote}")?;
        if let Some(part) = part {
            write!(f, " of {name} {part}")?;
        }
        // With an exponent where it would have a tail of zeros.
        let size = value.abs();
        let short = size >= 1e16 || (size > 0.0 && size < 1e-5);
        if short {
            write!(f, " is {value:e}")?
        } else {
            write!(f, " is {value}")?
        }
        write!(f, ", but must be {must}")
    }
}

impl core::error::Error for ParameterError {}

impl PartKind {
    /// Refuses a number unless it is as it must be.
    pub(crate) fn ensure(
        self,
        ok: bool,
        field: &'static str,
        part: Option<usize>,
        value: f64,
        must: &'static str,
    ) -> Result<(), ParameterError> {
        if ok { Ok(()) } else { Err(ParameterError { field, kind: self, part, value, must }) }
    }

    /// Refuses the first of the visited numbers that is not what it has to be, each by itself.
    pub(crate) fn ensure_each(self, visit_all: impl FnOnce(&mut Visit<'_, f64>)) -> Result<(), ParameterError> {
        let mut all = Ok(());
        visit_all(&mut |field, place, slot| {
            let (holds, value, must) = match slot {
                Slot::Number(value) => {
                    let inertia = matches!(field.unit, Unit::Inertia | Unit::RotorInertia | Unit::MotorInertia);
                    let rounded = inertia && field.must == Must::NotNegative && value.abs() <= ROUNDED_INERTIA;
                    (rounded || field.must.holds(*value), *value, field.must.as_str())
                }
                Slot::Angle(angle) => {
                    let unit = angle.cos * angle.cos + angle.sin * angle.sin;
                    ((unit - 1.0).abs() < 1e-9, angle.radians(), "a finite angle")
                }
                // A rotation is looked at as a whole.
                Slot::Rotation(_) => return,
            };
            if all.is_ok() {
                all = self.ensure(holds, field.key, place.part.map(|part| part + 1), value, must);
            }
        });
        all
    }
}
