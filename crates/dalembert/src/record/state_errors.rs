//! What a table of states or a row of it lacks, and the limits of the robot that a state passes.

use super::states::{AGREEMENT, Form, Task};
use crate::report::table::{Header, TableError};
use crate::report::text::human;
use dalembert_core::Vec3;
use dalembert_core::delta::{KinematicsError, Limits, ModelDoesNotApply};

/// A table that cannot be computed with, whatever its rows.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Columns that are not there.
    #[error("{} missing; the header is `{}`", list(columns), shortened(&found.join(",")))]
    Missing {
        /// What they are needed for.
        task: Task,
        /// Their names.
        columns: Vec<&'static str>,
        /// The names that are there.
        found: Vec<String>,
    },
    /// The model is not for this robot.
    #[error(transparent)]
    Model(#[from] ModelDoesNotApply),
    /// Breakdown or tensions of a model that has none.
    #[error("breakdown and tensions are those of the model `exact`, not of `{model}`")]
    OnlyExact {
        /// The model asked for.
        model: &'static str,
    },
}

fn list(columns: &[&str]) -> String {
    let names = columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if columns.len() == 1 { format!("column {names} is") } else { format!("columns {names} are") }
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

/// What a header without the right names most likely is.
fn misread(found: &[String], missing: &[&str]) -> Option<String> {
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

impl StateError {
    pub(super) fn missing(task: Task, columns: Vec<&'static str>, header: &Header) -> Self {
        Self::Missing { task, columns, found: header.names().to_vec() }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { columns, found, .. } if misread(found, columns).is_some() => {
                misread(found, columns).unwrap_or_default()
            }
            Self::Missing { task, .. } => match task {
                Task::InverseKinematics => "ik reads x,y,z and, where given, vx,vy,vz and ax,ay,az",
                Task::ForwardKinematics => "fk reads q1,q2,q3 and, where given, qd1,qd2,qd3 and qdd1,qdd2,qdd3",
                Task::Torque => {
                    "torque reads x,y,z,vx,vy,vz,ax,ay,az or q1..q3,qd1..qd3,qdd1..qdd3, and optionally fx,fy,fz; a robot at rest has zeros there"
                }
                Task::Acceleration => {
                    "accel reads x,y,z,vx,vy,vz or q1..q3,qd1..qd3, with tau1,tau2,tau3, and optionally fx,fy,fz"
                }
                Task::Mass(_) => "mass reads x,y,z or q1,q2,q3",
            }
            .to_owned(),
            Self::Model(_) => "`dalembert check ROBOT` lists the models that apply; `exact` always does".to_owned(),
            Self::OnlyExact { .. } => "leave out `--model`".to_owned(),
        }
    }
}

/// Why a row cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// A field.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The state is out of reach or singular.
    #[error("line {line}: {source}")]
    Kinematics {
        /// Line of the file.
        line: u64,
        /// Why.
        source: KinematicsError,
    },
    /// The state of a serial arm.
    #[error("line {line}: {source}")]
    Serial {
        /// Line of the file.
        line: u64,
        /// Why.
        source: super::serial_states::SerialRowError,
    },
    /// The two forms of the state contradict each other.
    #[error(
        "line {line}, column `{column}`: {given:?} does not agree with {computed:?}, computed from the {} form (more than {AGREEMENT:.0e} apart)",
        if *form == Form::Cartesian { "Cartesian" } else { "joint" }
    )]
    Disagreement {
        /// Line of the file.
        line: u64,
        /// The column.
        column: &'static str,
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
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Table(error) => error.hint().map(String::from),
            Self::Disagreement { form: Form::Cartesian, .. } => Some(
                "`--branch in` if the elbows point inward, `--from joints` if the joint columns are right; else remove the columns q1, qd1, …"
                    .to_owned(),
            ),
            Self::Disagreement { form: Form::Joints, .. } => Some(
                "`--assembly above` if the platform is above the elbows; else remove the Cartesian columns".to_owned(),
            ),
            Self::Kinematics { source: KinematicsError::OutOfReach { .. }, .. } => {
                Some("positions are in metres in the base frame, z up: the platform is at negative z".to_owned())
            }
            Self::Kinematics { source: KinematicsError::NoAssembly { .. }, .. } => {
                Some("joint angles are in radians, 0 is horizontal outward, positive is downward".to_owned())
            }
            Self::Kinematics {
                source: KinematicsError::ArmSingular { .. } | KinematicsError::PlatformSingular { .. },
                ..
            }
            | Self::Undetermined { .. } => Some("`ik --details` shows how far a pose is from being singular".to_owned()),
            Self::Limits { .. } => Some("without `--enforce-limits` a passed limit is only a warning".to_owned()),
            _ => None,
        }
    }
}

/// A limit of the robot that a state passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// `q`, `qd`, `tau` or `ball`.
    pub quantity: &'static str,
    /// 1, 2 or 3.
    pub arm: usize,
    /// The value.
    pub value: f64,
    /// The limit it passes.
    pub limit: f64,
}

impl Violation {
    /// The column it is about, as the column `limits` names it.
    pub fn column(&self) -> String {
        format!("{}{}", self.quantity, self.arm)
    }
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { quantity, arm, value, limit } = *self;
        let degrees = |radians: f64| human(radians.to_degrees(), 5);
        match quantity {
            "tau" => write!(f, "torque {arm} is {} N m, limit {} N m", human(value, 5), human(limit, 5)),
            "qd" => write!(f, "speed {arm} is {} rad/s, limit {} rad/s", human(value, 5), human(limit, 5)),
            "q" => write!(f, "joint {arm} is at {} deg, limit {} deg", degrees(value), degrees(limit)),
            _ => write!(f, "ball angle {arm} is {} deg, limit {} deg", degrees(value), degrees(limit)),
        }
    }
}

/// Which limits a state passes. Speeds and torques are checked where they are given.
pub fn violations(
    limits: &[Limits; 3],
    q: Vec3<f64>,
    ball: Vec3<f64>,
    qd: Option<Vec3<f64>>,
    tau: Option<Vec3<f64>>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    for (i, limit) in limits.iter().enumerate() {
        let mut note = |quantity, value: f64, [low, high]: [f64; 2]| {
            if value < low || value > high {
                let limit = if value < low { low } else { high };
                found.push(Violation { quantity, arm: i + 1, value, limit });
            }
        };
        note("q", q[i], limit.range);
        note("ball", ball[i], [-limit.max_ball_angle, limit.max_ball_angle]);
        if let Some(qd) = qd {
            note("qd", qd[i], [-limit.max_speed, limit.max_speed]);
        }
        if let Some(tau) = tau {
            note("tau", tau[i], [-limit.max_torque, limit.max_torque]);
        }
    }
    found
}
