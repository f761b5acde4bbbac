//! What a table of states or a row of it lacks.

use super::{AGREEMENT, Task, columns, pushes};
use crate::report::table::{Header, TableError};
use crate::robot::{DoesNotApply, Form, Reason, Robot, StateError, Violation};

/// A table that cannot be computed with, whatever its rows.
#[derive(Debug, thiserror::Error)]
pub enum TableMismatch {
    /// Columns that are not there.
    #[error("{} missing; the header is `{}`", list(columns), shortened(&found.join(",")))]
    Missing {
        /// Their names.
        columns: Vec<String>,
        /// The names that are there.
        found: Vec<String>,
        /// What the computation reads.
        reads: String,
    },
    /// A column that is spelt almost as one that is read where it is there.
    #[error("there is a column `{found}` but none `{meant}`: capital and small letters differ")]
    Spelling {
        /// As it is there.
        found: String,
        /// As it would be read.
        meant: String,
    },
    /// A column of a joint that the robot does not have.
    #[error("there is a column `{column}`, but the robot has {joints} joints")]
    OtherRobot {
        /// The column.
        column: String,
        /// How many joints there are.
        joints: usize,
    },
    /// The model is not for this robot.
    #[error(transparent)]
    Model(#[from] DoesNotApply),
    /// Columns that only the exact model has.
    #[error("breakdown and tensions are those of the model `exact`, not of `{model}`")]
    OnlyExact {
        /// The model asked for.
        model: String,
    },
    /// Columns that the robot does not have.
    #[error("a {kind} has no columns `{group}`")]
    NoSuchColumns {
        /// The group asked for.
        group: &'static str,
        /// What the robot is.
        kind: &'static str,
    },
    /// The position is that of the tool point anyway.
    #[error("the position of a {kind} is always that of its tool point")]
    AlreadyTool {
        /// What the robot is.
        kind: &'static str,
    },
    /// No mass matrix in coordinates of the tool.
    #[error("the mass matrix of a {kind} is in joint coordinates only")]
    NoToolSpace {
        /// What the robot is.
        kind: &'static str,
    },
    /// A robot without a pose to look at.
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
        Self::Missing { columns, found: header.names().to_vec(), reads: reads(task, robot) }
    }

    /// What a program compares, in kebab-case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing-columns",
            Self::Spelling { .. } => "column-spelling",
            Self::OtherRobot { .. } => "other-robot",
            Self::Model(_) => "model-does-not-apply",
            Self::OnlyExact { .. } => "only-exact",
            Self::NoSuchColumns { .. } => "no-such-columns",
            Self::AlreadyTool { .. } => "already-tool",
            Self::NoToolSpace { .. } => "no-tool-space",
            Self::NoHome(_) => "no-home-pose",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { columns, found, reads } => Some(misread(found, columns).unwrap_or_else(|| reads.clone())),
            Self::Spelling { found, meant } => {
                Some(format!("`{meant}` if it is meant to count; another name than `{found}` if it is not"))
            }
            Self::OtherRobot { .. } => {
                Some("is the table that of another robot? Another name if it is something else".to_owned())
            }
            Self::Model(error) => error.hint.clone(),
            Self::NoHome(refused) => refused.hint.map(str::to_owned),
            Self::OnlyExact { .. }
            | Self::NoSuchColumns { .. }
            | Self::AlreadyTool { .. }
            | Self::NoToolSpace { .. } => None,
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
pub enum RowError {
    /// A field.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The robot cannot be in this state.
    #[error("line {line}: {source}")]
    StateError {
        /// Line of the file.
        line: u64,
        /// Why.
        source: StateError,
    },
    /// The two forms of the state contradict each other.
    #[error(
        "line {line}, column `{column}`: {given:?} does not agree with {computed:?}, computed from the {} form (more than {AGREEMENT:.0e} apart)",
        if *form == Form::Tool { "Cartesian" } else { "joint" }
    )]
    Disagreement {
        /// Line of the file.
        line: u64,
        /// The column.
        column: String,
        /// What it says.
        given: f64,
        /// What the other form says.
        computed: f64,
        /// The form that counts.
        form: Form,
    },
    /// A number too large to compute with.
    #[error(
        "line {line}: `{column}` becomes {value}: the numbers of this row or of the robot are too large to compute with"
    )]
    Overflow {
        /// Line of the file.
        line: u64,
        /// The computed column.
        column: String,
        /// Its value.
        value: f64,
    },
    /// A result that is no number although the row's numbers are of a usual size.
    #[error(
        "line {line}: `{column}` has no value (NaN): the state is singular for this model, or the robot's numbers are too large"
    )]
    Undetermined {
        /// Line of the file.
        line: u64,
        /// The computed column.
        column: String,
    },
    /// Limits, where they are enforced.
    #[error("line {line}: {}", violations.iter().map(Violation::to_string).collect::<Vec<_>>().join(", "))]
    Limits {
        /// Line of the file.
        line: u64,
        /// All of them.
        violations: Vec<Violation>,
    },
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
