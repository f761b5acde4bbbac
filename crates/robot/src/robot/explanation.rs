//! One state in full, as data: every intermediate quantity with its formula, for someone who computes along by hand.

use super::JointVector;
use super::joints::{Joint, JointKind};
use serde::Serialize;
use std::borrow::Cow;

/// The quantities of a state, and its torques as they follow from them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Where the equations are found, in sentences.
    #[serde(skip)]
    pub sources: &'static [&'static str],
    /// The steps of the computation.
    pub sections: Vec<Section>,
    /// The torques, N m (N).
    #[cfg_attr(feature = "schema", schemars(with = "Vec<f64>"))]
    pub torque: JointVector,
}

/// A step of the computation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// Its name.
    pub title: &'static str,
    /// The quantities in the order of computation.
    pub quantities: Vec<Quantity>,
}

/// What is said of a quantity: symbol, meaning, formula, equation and unit.
pub type Line = [&'static str; 5];

impl Section {
    /// The quantities of these lines with their values.
    pub fn new<const N: usize>(title: &'static str, lines: &[Line; N], values: [Values; N]) -> Self {
        let quantity = |(&[symbol, meaning, formula, equation, unit], values): (&Line, Values)| {
            Quantity::new(symbol, meaning, formula, equation, unit, values)
        };
        Self { title, quantities: lines.iter().zip(values).map(quantity).collect() }
    }
}

impl Explanation {
    /// With the units of joints that turn, slide, or do one or the other.
    pub(super) fn with_units_of(mut self, joints: &[Joint]) -> Self {
        let has = |kind| joints.iter().any(|joint| joint.kind == kind);
        if has(JointKind::Prismatic) {
            let turns = usize::from(has(JointKind::Revolute));
            for quantity in self.sections.iter_mut().flat_map(|section| &mut section.quantities) {
                let of_joints = matches!(quantity.values, Values::PerJoint(_) | Values::Matrix(_));
                let unit = UNITS.iter().find(|(turning, _)| of_joints && *turning == quantity.unit);
                quantity.unit = unit.map_or(quantity.unit, |(_, units)| units[turns]);
            }
        }
        self
    }
}

/// Of a quantity of joints: its unit where they turn, where all slide, and where some do.
const UNITS: [(&str, [&str; 2]); 5] = [
    ("rad", ["m", "rad or m"]),
    ("rad/s", ["m/s", "rad/s or m/s"]),
    ("rad/s²", ["m/s²", "rad/s² or m/s²"]),
    ("N m", ["N", "N m or N"]),
    ("kg m²", ["kg", "kg m², kg m or kg"]),
];

/// One quantity.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quantity {
    /// Its symbol.
    pub symbol: Cow<'static, str>,
    /// What it is.
    pub meaning: Cow<'static, str>,
    /// How it is computed.
    pub formula: &'static str,
    /// Where that stands: the equation of a paper, or of the head of a file of the library.
    pub equation: &'static str,
    /// Its unit; 1 where it has none.
    pub unit: &'static str,
    /// Its numbers.
    #[serde(flatten)]
    pub values: Values,
}

impl Quantity {
    /// One of which nothing has to be put together.
    pub fn new(
        symbol: &'static str,
        meaning: &'static str,
        formula: &'static str,
        equation: &'static str,
        unit: &'static str,
        values: Values,
    ) -> Self {
        Self { symbol: symbol.into(), meaning: meaning.into(), formula, equation, unit, values }
    }
}

/// The numbers of a quantity, and how they are arranged.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "shape", content = "value")]
pub enum Values {
    /// One.
    #[serde(rename = "number")]
    One(f64),
    /// One per joint.
    #[serde(rename = "per joint")]
    PerJoint(#[cfg_attr(feature = "schema", schemars(with = "Vec<f64>"))] JointVector),
    /// A vector in the base frame, or a column of numbers.
    #[serde(rename = "vector")]
    Vector([f64; 3]),
    /// A vector in the base frame for each joint.
    #[serde(rename = "vector per joint")]
    VectorPerJoint(Vec<[f64; 3]>),
    /// A matrix, by rows.
    #[serde(rename = "matrix by rows")]
    Matrix(Vec<Vec<f64>>),
}

impl Values {
    /// All of them, row by row.
    pub fn to_vec(&self) -> Vec<f64> {
        match self {
            Self::One(value) => vec![*value],
            Self::PerJoint(values) => values.to_vec(),
            Self::Vector(values) => values.to_vec(),
            Self::VectorPerJoint(vectors) => vectors.concat(),
            Self::Matrix(rows) => rows.concat(),
        }
    }
}
