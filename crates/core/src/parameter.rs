//! What a robot's parameters are: one table per family, which files, checks, reports, symbols and derivatives all read.
//!
//! A family lists its [`Field`]s and visits its numbers once, each with its field, its place and the number itself. Whatever
//! speaks of parameters follows from that visit, so that a new parameter is one line in the table and one in the visit. What a
//! file that leaves a number out means stands in the robot of an empty file: NaN where it has to say it.

use crate::algebra::{Angle, Mat3, Vec3};

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
    /// N m/rad; N/m.
    Stiffness,
    /// rad; m.
    Position,
}

impl Unit {
    /// In SI, of a joint that turns or slides.
    pub fn si(self, slides: bool) -> &'static str {
        match self {
            Self::Length => "m",
            Self::Angle => "rad",
            Self::Mass => "kg",
            Self::Inertia => "kg m^2",
            Self::Acceleration => "m/s^2",
            Self::Ratio => "",
            Self::Damping => {
                if slides {
                    "N s/m"
                } else {
                    "N m s/rad"
                }
            }
            Self::Torque => {
                if slides {
                    "N"
                } else {
                    "N m"
                }
            }
            Self::Speed => {
                if slides {
                    "m/s"
                } else {
                    "rad/s"
                }
            }
            Self::MotorInertia => {
                if slides {
                    "kg"
                } else {
                    "kg m^2"
                }
            }
            Self::Stiffness => {
                if slides {
                    "N/m"
                } else {
                    "N m/rad"
                }
            }
            Self::Position => {
                if slides {
                    "m"
                } else {
                    "rad"
                }
            }
        }
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

/// A number that is not what it has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wrong {
    pub field: &'static Field,
    pub place: Place,
    pub value: f64,
    pub must: &'static str,
}

/// The first of the visited numbers that is not what it has to be.
pub(crate) fn first_wrong(visit_all: impl FnOnce(&mut Visit<'_, f64>)) -> Option<Wrong> {
    let mut wrong = None;
    visit_all(&mut |field, place, slot| {
        let (holds, value, must) = match slot {
            Slot::Number(value) => (field.must.holds(*value), *value, field.must.as_str()),
            Slot::Angle(angle) => {
                let unit = angle.cos * angle.cos + angle.sin * angle.sin;
                ((unit - 1.0).abs() < 1e-9, angle.radians(), "a finite angle")
            }
            // A rotation is looked at as a whole.
            Slot::Rotation(_) => return,
        };
        if !holds && wrong.is_none() {
            wrong = Some(Wrong { field, place, value, must });
        }
    });
    wrong
}

/// A number in a message, with an exponent where it would have a tail of zeros.
pub(crate) fn shown(f: &mut core::fmt::Formatter<'_>, value: f64) -> core::fmt::Result {
    let size = value.abs();
    if size >= 1e16 || (size > 0.0 && size < 1e-5) { write!(f, "{value:e}") } else { write!(f, "{value}") }
}
