//! What an evaluation costs, as data: counted operations and measured time, task by task and model by model.

use super::State;
use crate::Operations;
use serde::{Serialize, Serializer};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A computation whose cost is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A motion at an instant.
    Motion,
    /// Pose and rates from the tool's position and velocity; the same for all models.
    Kinematics,
    /// Torques from a state as the robot usually takes it, kinematics inside.
    Torque,
    /// Torques when the kinematics are solved.
    TorqueAlone,
    /// Forward dynamics, kinematics inside.
    Acceleration,
    /// Joint-space mass matrix, pose inside.
    MassMatrix,
    /// Holding torques, pose inside.
    Gravity,
    /// Mass matrix, velocity terms and gravity: what depends on the configuration, computed at a slow rate.
    Configuration,
    /// Torques when these are given: the fast rate.
    TorqueOfConfiguration,
}

impl Task {
    /// Those that need a model.
    pub const OF_MODELS: [Self; 7] = [
        Self::Torque,
        Self::TorqueAlone,
        Self::Acceleration,
        Self::MassMatrix,
        Self::Gravity,
        Self::Configuration,
        Self::TorqueOfConfiguration,
    ];

    /// A short name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Motion => "motion",
            Self::Kinematics => "kinematics",
            Self::Torque => "torque",
            Self::TorqueAlone => "torque-alone",
            Self::Acceleration => "acceleration",
            Self::MassMatrix => "mass-matrix",
            Self::Gravity => "gravity",
            Self::Configuration => "configuration",
            Self::TorqueOfConfiguration => "torque-of-configuration",
        }
    }
}

/// The cost of one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Which program: the name of a model, or of an algorithm beside the models.
    pub program: &'static str,
    /// What it computes.
    pub task: Task,
    /// Counted; parameters are constants, zeros and ones fold away.
    pub operations: Operations,
    /// Measured, one state at a time; none where nothing was measured.
    pub seconds: Option<f64>,
}

/// The cost of a program's task.
pub fn cost<'c>(costs: &'c [Cost], program: &str, task: Task) -> Option<&'c Cost> {
    costs.iter().find(|cost| cost.program == program && cost.task == task)
}

/// The programs in order, but for what is not of a model.
pub fn programs(costs: &[Cost]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for cost in costs.iter().filter(|cost| Task::OF_MODELS.contains(&cost.task)) {
        if !names.contains(&cost.program) {
            names.push(cost.program);
        }
    }
    names
}

/// How costs are found.
#[derive(Clone, Debug)]
pub struct Bench {
    /// States to measure with, at least one.
    pub states: Vec<State>,
    /// Time spent on each measurement; zero: only counted.
    pub budget: Duration,
    /// Without a search for the fewest operations.
    pub quick: bool,
}

impl Bench {
    /// Time per call, s: the best of many short runs over the inputs, so that an interrupted one does not count.
    pub fn time<I, R>(&self, inputs: &[I], mut program: impl FnMut(&I) -> R) -> Option<f64> {
        if self.budget.is_zero() || inputs.is_empty() {
            return None;
        }
        let mut pass = |passes: u32| {
            let start = Instant::now();
            for _ in 0..passes {
                for input in inputs {
                    black_box(program(black_box(input)));
                }
            }
            start.elapsed()
        };
        // As many passes as take about a twentieth of the budget.
        let mut passes = 1;
        while pass(passes) < self.budget / 20 && passes < 1 << 20 {
            passes *= 2;
        }
        let (begin, mut best) = (Instant::now(), Duration::MAX);
        while begin.elapsed() < self.budget {
            best = best.min(pass(passes));
        }
        Some(best.as_secs_f64() / f64::from(passes) / inputs.len() as f64)
    }
}

/// Figures that a paper publishes, beside ours.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PaperTable {
    /// The paper and what the figures are.
    pub title: &'static str,
    /// Heads of the columns; the first one names the rows.
    pub columns: Vec<&'static str>,
    /// One per program or ratio.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Vec<serde_json::Value>>"))]
    pub rows: Vec<Vec<Cell>>,
    /// What a reader has to know, in lines.
    #[serde(skip)]
    pub notes: &'static [&'static str],
}

/// A cell of such a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    None,
    /// Words.
    Text(String),
    /// A number, with so many decimals for people.
    Number(f64, usize),
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(value, 0) => serializer.serialize_i64(value.round() as i64),
            Self::Number(value, _) => serializer.serialize_f64(*value),
        }
    }
}

impl Cell {
    /// A count, where there is one.
    pub fn count(count: Option<u32>) -> Self {
        count.map_or(Self::None, |count| Self::Number(f64::from(count), 0))
    }
}
