//! Logs: from the columns of a table to time, joint positions and joint torques in SI.

mod names;
mod read;

pub(super) use names::{factor, unit_in};

use crate::report::table::TableError;
use crate::robot::file::{Dimension, quantity};
use crate::suggest::closest;

/// Which columns of a table are the log. What is not given is found by the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// The column of time.
    pub time: Option<String>,
    /// Its unit: `s`, `ms`, `us`, `ns`.
    pub time_unit: Option<String>,
    /// Samples per second, of a log without times.
    pub rate: Option<f64>,
    /// The columns of positions, in the order of joints; one with `{}` stands for all, numbered from 0 or 1; so does the name of
    /// an array, whose columns are numbered from 1.
    pub position: Vec<String>,
    /// Their unit: `rad`, `deg`, `m`, `mm`.
    pub position_unit: Option<String>,
    /// The columns of torques, or of currents with [`Mapping::torque_constant`].
    pub torque: Vec<String>,
    /// Their unit: `N m`, `N`.
    pub torque_unit: Option<String>,
    /// Torque per unit of the torque column, N m/A: one for each joint, or one for all.
    pub torque_constant: Vec<f64>,
    /// Motor speed over joint speed, one for each joint; or the rows of the matrix R with q_motor = R q. Positions and
    /// torques are then those of the motors: q = R⁻¹ q_motor, τ = Rᵀ τ_motor.
    pub gear: Vec<f64>,
    /// Added to the joint positions, rad (m): one for each joint.
    pub offset: Vec<f64>,
}

/// The keys of a mapping file: the fields of [`Mapping`], and the file of the torques.
pub const KEYS: [&str; 11] = [
    "time",
    "time_unit",
    "rate",
    "position",
    "position_unit",
    "torque",
    "torque_unit",
    "torque_constant",
    "gear",
    "offset",
    "torque_file",
];

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum LogError {
    /// The table itself.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Columns that are missing or unclear, or an invalid mapping of them.
    #[error("{problem}")]
    Columns { problem: String, hint: String },
}

impl LogError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Table(error) => error.hint().map(str::to_owned),
            Self::Columns { hint, .. } => Some(hint.clone()),
        }
    }
}

pub(super) fn wrong_columns(problem: impl Into<String>, hint: impl Into<String>) -> LogError {
    LogError::Columns { problem: problem.into(), hint: hint.into() }
}

/// What was measured: SI, at the joint side.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Where it comes from.
    pub name: String,
    /// s.
    pub times: Vec<f64>,
    /// Positions of each joint, rad (m); NaN where there is none.
    pub positions: Vec<Vec<f64>>,
    /// Torques of each joint, N m (N).
    pub torques: Vec<Vec<f64>>,
    /// Velocities and accelerations of each joint, where the log has both.
    pub rates: Option<[Vec<Vec<f64>>; 2]>,
    /// How it was read: which columns, which units.
    pub notes: Vec<String>,
    /// What looks odd.
    pub warnings: Vec<String>,
}

impl Log {
    /// A log from arrays in memory, in SI at the joint side: times, then for each joint its positions and its torques.
    pub fn from_columns(
        name: &str,
        times: Vec<f64>,
        positions: Vec<Vec<f64>>,
        torques: Vec<Vec<f64>>,
    ) -> Result<Self, LogError> {
        let rows = times.len();
        for (what, columns) in [("positions", &positions), ("torques", &torques)] {
            if let Some(column) = columns.iter().find(|column| column.len() != rows) {
                let problem = format!("{what}: a joint has {} rows, but there are {rows} times", column.len());
                return Err(wrong_columns(problem, "give every column as many rows as there are times"));
            }
        }
        if positions.len() != torques.len() {
            let problem = format!("positions of {} joints, but torques of {}", positions.len(), torques.len());
            return Err(wrong_columns(problem, "give both for every joint"));
        }
        let (notes, warnings) = (Vec::new(), Vec::new());
        Ok(Self { name: name.to_owned(), times, positions, torques, rates: None, notes, warnings })
    }
}

impl Mapping {
    /// The mapping of a small TOML file whose keys are the fields of this struct, and the name of a second file that has
    /// the torques, where it names one.
    pub fn parse(text: &str) -> Result<(Self, Option<String>), LogError> {
        let table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| wrong_columns(error.message(), "it is TOML"))?;
        let mut all = Self::default();
        let mut torque_file = None;
        for (key, value) in &table {
            let wrong =
                |must: &str| wrong_columns(format!("`{key}` must be {must}"), "docs/identification.md has all keys");
            let text = |value: &toml::Value, must| value.as_str().map(str::to_owned).ok_or_else(|| wrong(must));
            let string = || text(value, "a text").map(Some);
            let strings = || match value {
                toml::Value::Array(many) => many.iter().map(|one| text(one, "a list of texts")).collect(),
                one => Ok(vec![text(one, "a text or a list of texts")?]),
            };
            let number = |value: &toml::Value, dimension: Dimension| match value {
                toml::Value::Float(x) if x.is_finite() => Ok(*x),
                toml::Value::Integer(x) => Ok(*x as f64),
                toml::Value::String(text) => quantity(text, dimension)
                    .map_err(|error| wrong_columns(format!("`{key}`: {}", error.problem), error.hint)),
                _ => Err(wrong("a number")),
            };
            let numbers = |dimension: Dimension| -> Result<Vec<f64>, LogError> {
                let list = value.as_array().ok_or_else(|| wrong("a list of numbers"))?;
                let rows = list.iter().map(|one| match one {
                    toml::Value::Array(row) => row.iter().map(|one| number(one, dimension)).collect(),
                    one => number(one, dimension).map(|one| vec![one]),
                });
                Ok(rows.collect::<Result<Vec<Vec<f64>>, _>>()?.concat())
            };
            match key.as_str() {
                "time" => all.time = string()?,
                "time_unit" => all.time_unit = string()?,
                "rate" => all.rate = Some(number(value, Dimension::Frequency)?),
                "position" => all.position = strings()?,
                "position_unit" => all.position_unit = string()?,
                "torque" => all.torque = strings()?,
                "torque_unit" => all.torque_unit = string()?,
                "torque_constant" => all.torque_constant = numbers(Dimension::Ratio)?,
                "gear" => all.gear = numbers(Dimension::GearRatio)?,
                "offset" => all.offset = numbers(Dimension::Angle)?,
                "torque_file" => torque_file = string()?,
                other => {
                    let near = closest(other, KEYS);
                    let hint =
                        near.map_or(format!("known keys: {}", KEYS.join(", ")), |k| format!("did you mean `{k}`?"));
                    return Err(wrong_columns(format!("unknown key `{other}`"), hint));
                }
            }
        }
        Ok((all, torque_file))
    }
}
