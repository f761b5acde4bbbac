//! What a table of states or a row of it lacks.

use super::{AGREEMENT, Task, columns, pushes};
use crate::report::table::{Header, TableError};
use crate::robot::{DoesNotApply, Form, Reason, Robot, StateError, Violation};

/// A table that cannot be computed with, whatever its rows.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TableMismatch {
    #[error("{} missing; the header is `{}`", list(columns), shortened(&found.join(",")))]
    Missing { columns: Vec<String>, found: Vec<String>, reads: String, at_rest: bool },
    #[error("there is a column `{found}` but none `{meant}`: capital and small letters differ")]
    Spelling { found: String, meant: String },
    #[error("there is a column `{column}`, but the robot has {joints} joints")]
    OtherRobot { column: String, joints: usize },
    #[error(transparent)]
    Model(#[from] DoesNotApply),
    #[error("breakdown and tensions are those of the model `exact`, not of `{model}`")]
    OnlyExact { model: String },
    #[error("a {kind} has no columns `{group}`")]
    NoSuchColumns { group: &'static str, kind: &'static str },
    #[error("the mass matrix of a {kind} is in joint coordinates only")]
    NoToolSpace { kind: &'static str },
    #[error("the robot has no usable pose: {0}")]
    NoHome(StateError),
}

fn list(columns: &[String]) -> String {
    let names = columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if columns.len() == 1 { format!("column {names} is") } else { format!("columns {names} are") }
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

/// What a header without the right names most likely is.
fn misread(found: &[String], missing: &[String]) -> Option<String> {
    if let [only] = found
        && let Some((_, separator)) =
            [(';', "semicolons"), ('\t', "tabs"), (' ', "blanks")].iter().find(|(sign, _)| only.trim().contains(*sign))
        && !only.starts_with('#')
    {
        return Some(format!("fields are separated by commas, not by {separator}, and the decimal sign is a point"));
    }
    if found[0].trim_start().starts_with(['#', '%', '/']) {
        return Some("there are no comments: the first line names the columns".to_owned());
    }
    if found.iter().all(|name| name.trim().parse::<f64>().is_ok()) {
        return Some("the first line names the columns, e.g. `x,y,z`; here it has numbers".to_owned());
    }
    let (name, meant) = missing
        .iter()
        .find_map(|meant| Some((found.iter().find(|name| name.trim().eq_ignore_ascii_case(meant))?, meant)))?;
    Some(format!("did you mean `{meant}` for `{}`? capital and small letters differ", name.trim()))
}

impl TableMismatch {
    pub(super) fn missing(task: Task, columns: Vec<String>, header: &Header, robot: &Robot) -> Self {
        let [_, tool @ ..] = self::columns(Form::Tool, robot);
        let is_rate =
            |name: &String| name.starts_with("qd") || tool.iter().flatten().any(|rate| *rate == name.as_str());
        let at_rest = task == Task::Torque && columns.iter().all(is_rate);
        Self::Missing { columns, found: header.names().to_vec(), reads: reads(task, robot), at_rest }
    }

    /// What a program compares, in kebab-case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { at_rest: true, .. } => "missing-rates",
            Self::Missing { .. } => "missing-columns",
            Self::Spelling { .. } => "column-spelling",
            Self::OtherRobot { .. } => "other-robot",
            Self::Model(_) => "model-does-not-apply",
            Self::OnlyExact { .. } => "only-exact",
            Self::NoSuchColumns { .. } => "no-such-columns",
            Self::NoToolSpace { .. } => "no-tool-space",
            Self::NoHome(_) => "no-home-pose",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { columns, found, reads, .. } => {
                Some(misread(found, columns).unwrap_or_else(|| reads.clone()))
            }
            Self::Spelling { found, meant } => {
                Some(format!("`{meant}` if it is meant to count; another name than `{found}` if it is not"))
            }
            Self::OtherRobot { .. } => {
                Some("is the table that of another robot? Another name if it is something else".to_owned())
            }
            Self::Model(error) => error.hint.clone(),
            Self::NoHome(refused) => refused.hint.map(str::to_owned),
            Self::OnlyExact { .. } | Self::NoSuchColumns { .. } | Self::NoToolSpace { .. } => None,
        }
    }
}

/// What a computation reads of a robot's states.
fn reads(task: Task, robot: &Robot) -> String {
    let n = robot.joints().len();
    let kind = robot.kind();
    let q = |orders: &[&str]| {
        let of = |stem: &&str| if n == 1 { format!("{stem}1") } else { format!("{stem}1..{stem}{n}") };
        orders.iter().map(of).collect::<Vec<_>>().join(",")
    };
    let tool = columns(Form::Tool, robot).map(|names| names.join(","));
    let either = |orders: usize| {
        let joints = q(&["q", "qd", "qdd"][..orders]);
        if kind.form == Form::Tool { format!("{} or {joints}", tool[..orders].join(",")) } else { joints }
    };
    let push = pushes(kind.tool_turns).concat().join(",");
    match task {
        Task::InverseKinematics => {
            format!("inverse kinematics reads {} and, where given, {} and {}", tool[0], tool[1], tool[2])
        }
        Task::ForwardKinematics => {
            format!("forward kinematics reads {} and, where given, {} and {}", q(&["q"]), q(&["qd"]), q(&["qdd"]))
        }
        Task::Torque => {
            format!("torque reads {}, and optionally {push}; a robot at rest has zeros there", either(3))
        }
        Task::Acceleration => format!("acceleration reads {}, with {}, and optionally {push}", either(2), q(&["tau"])),
        Task::Mass(_) => format!("the mass matrix reads {}", either(1)),
    }
}

/// Why a row cannot be computed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum RowError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("line {line}: {source}")]
    StateError { line: u64, source: StateError },
    #[error(
        "line {line}, column `{column}`: {given:?} does not agree with {computed:?}, computed from the {} form (more than {AGREEMENT:.0e} apart)",
        if *form == Form::Tool { "Cartesian" } else { "joint" }
    )]
    Disagreement { line: u64, column: String, given: f64, computed: f64, form: Form },
    #[error(
        "line {line}: `{column}` becomes {value}: the numbers of this row or of the robot are too large to compute with"
    )]
    Overflow { line: u64, column: String, value: f64 },
    #[error(
        "line {line}: `{column}` has no value (NaN): the state is singular for this model, or the robot's numbers are too large"
    )]
    Undetermined { line: u64, column: String },
    #[error("line {line}: {}", violations.iter().map(Violation::to_string).collect::<Vec<_>>().join(", "))]
    Limits { line: u64, violations: Vec<Violation> },
}

impl RowError {
    /// What a program compares, in kebab-case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Table(TableError::NotFinite { .. }) => "field-not-finite",
            Self::Table(_) => "bad-field",
            Self::StateError { source: StateError { reason: Reason::Singular(_), .. }, .. }
            | Self::Undetermined { .. } => "singular",
            Self::StateError { .. } => "state-refused",
            Self::Disagreement { form: Form::Tool, .. } => "joints-disagree",
            Self::Disagreement { form: Form::Joints, .. } => "tool-disagrees",
            Self::Overflow { .. } => "overflow",
            Self::Limits { .. } => "limit-violation",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Table(error) => error.hint().map(String::from),
            Self::StateError { source, .. } => source.hint.map(str::to_owned),
            _ => None,
        }
    }
}
