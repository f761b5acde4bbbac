//! One answer per question: what every face of the library asks, and what it gets.
//!
//! Each verb of the command is a function here, `verb(&Request, &mut dyn Observer) -> Result<Outcome, VerbError>`. A request is a plain
//! struct with defaults; an outcome is a plain struct that serialises, with named [`Metric`]s and [`Finding`]s. The command, Python and a
//! page turn their arguments into a request and show the outcome; none of them computes. Charts, tables and pages are functions of an outcome.
//!
//! Texts here name no option of the command and no verb: they name what is missing or wrong, and the fields of a request.

pub mod bench;
pub mod calibrate;
pub mod check;
pub mod compare;
pub mod convert;
pub mod cycle;
pub mod derive;
pub mod excite;
pub mod explain;
mod guards;
pub mod identify;
pub mod linear;
pub mod map;
pub mod motion;
pub mod ops;
pub mod robots;
pub mod rows;
mod schema;
pub mod sensitivity;
pub mod simulate;
pub mod size;
pub mod smooth;
pub mod source;
pub mod stability;
pub mod states;
pub mod trajectory;

pub use check::{CheckHome, CheckModel, CheckOutcome, CheckRequest, check};
pub use compare::{
    CompareModel, CompareMotion, CompareOutcome, CompareRequest, CompareStroke, ComparedMotion, compare,
};
pub use convert::{
    ConvertDirection, ConvertParametersOutcome, ConvertParametersRequest, ConvertRequest, convert, convert_parameters,
};
pub use explain::{ExplainOutcome, ExplainRequest, ExplainState, explain};
pub use guards::{TOO_LARGE, TOO_LARGE_HINT, out_of_range, refused, require_computable, require_finite};
pub use ops::{OpsCost, OpsOutcome, OpsRequest, ops};
pub use robots::{
    FrictionDescription, JointDescription, PayloadDescription, RobotDescription, RobotsOutcome, WorkspaceDescription,
    robots,
};
pub use rows::{RowsMethod, RowsOutcome, RowsRequest, TableFormat, TableRequest, rows, rows_in_memory};
pub use source::RobotSource;
pub use states::{MAX_STATES, TimedState, read_states};

/// What nearly every verb uses.
mod prelude {
    pub use super::{Finding, Metric, Observer, Outcome, Severity, VerbError};
    pub(in crate::verbs) use super::{failed, metrics, stage};
    pub use super::{out_of_range, refused, require_computable, require_finite};
    pub use crate::Vec3;
    pub use crate::report::chart::{COLORS, Chart, Line, Panel, Picture, Series, color, range_of};
    pub use crate::report::recording::Recording;
    pub use crate::report::text::{Table, fixed, human};
    pub use crate::robot::{
        Form, Joint, JointKind, JointState, JointUnits, JointVector, Pick, Robot, State, StateError,
    };
    pub use crate::robot::{Target, ToolState, ToolTurns, by_kind, units_of};
    pub use crate::spatial::{Frame, Twist, Wrench};
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};
}

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Who watches long work, and may stop it. `()` watches nothing.
pub trait Observer: Send {
    /// A share of the work is done, from 0 to 1, NaN where nobody knows it; `stage` says what is under way, in a word or two.
    fn progress(&mut self, share: f64, stage: &str) {
        let _ = (share, stage);
    }

    /// Something that is reported while the work goes on: a bad row of a long table.
    fn found(&mut self, finding: &Finding) {
        let _ = finding;
    }

    /// Whether the work should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// Reports what begins, with the share that is done; an error where the work should stop.
fn stage(observer: &mut dyn Observer, share: f64, name: &str) -> Result<(), VerbError> {
    observer.progress(share, name);
    if observer.cancelled() { Err(VerbError::cancelled()) } else { Ok(()) }
}

/// A named number of an outcome: what a sweep collects.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Metric {
    /// Words in snake_case, joined by points: `torque.1.rms`.
    pub name: String,
    /// In SI units and radians.
    pub value: f64,
    /// Its SI unit, such as `N m`; empty for a ratio or a count.
    pub unit: Cow<'static, str>,
}

impl Metric {
    /// A metric.
    pub fn new(name: impl Into<String>, value: f64, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), value, unit: unit.into() }
    }
}

/// Metrics by name, value and unit, each name with the same text in front.
fn metrics<N: Display, U: Into<Cow<'static, str>>>(
    prefix: &str,
    all: impl IntoIterator<Item = (N, f64, U)>,
) -> impl Iterator<Item = Metric> {
    all.into_iter().map(move |(name, value, unit)| Metric::new(format!("{prefix}{name}"), value, unit))
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant, or a limit that is exceeded.
    Warning,
    /// The result must not be used.
    Error,
}

/// A number or a text of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum FindingValue {
    /// In SI units and radians.
    Number(f64),
    /// A name.
    Text(String),
}

impl From<f64> for FindingValue {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<usize> for FindingValue {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<&str> for FindingValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for FindingValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// Something that a verb noticed: a code that programs compare, the numbers behind it, and a sentence for people.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// In kebab-case, stable: `torque-limit-exceeded`.
    pub code: Cow<'static, str>,
    /// How serious it is.
    pub severity: Severity,
    /// One sentence, without options of the command.
    pub message: String,
    /// The numbers and names of the sentence.
    pub values: BTreeMap<Cow<'static, str>, FindingValue>,
}

impl Finding {
    /// A finding without numbers yet.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code: code.into(), severity, message: message.into(), values: BTreeMap::new() }
    }

    /// The same with a number or name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<FindingValue>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }
}

/// What a verb answers.
pub trait Outcome: Serialize {
    /// Its named numbers, in a stable order.
    fn metrics(&self) -> Vec<Metric>;

    /// What was noticed.
    fn findings(&self) -> &[Finding] {
        &[]
    }
}

/// Why a verb has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct VerbError {
    /// In kebab-case, stable: what a program compares. `cancelled` where the [`Observer`] stopped the work.
    pub code: Cow<'static, str>,
    /// What happened, where and by how much.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The error behind it.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl VerbError {
    /// An error in words.
    pub fn new(code: &'static str, message: impl Display) -> Self {
        Self { code: code.into(), message: message.to_string(), hint: None, source: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The work was stopped by its [`Observer`].
    pub fn cancelled() -> Self {
        Self::new("cancelled", "the work was stopped")
    }
}

/// An error with the name of what it is about in front.
fn failed<E: Display>(code: &'static str, whose: &str) -> impl Fn(E) -> VerbError {
    move |error| VerbError::new(code, format!("{whose}: {error}"))
}

impl From<crate::robot::DoesNotApply> for VerbError {
    fn from(error: crate::robot::DoesNotApply) -> Self {
        Self { hint: error.hint, ..Self::new("model-does-not-apply", error.message) }
    }
}
