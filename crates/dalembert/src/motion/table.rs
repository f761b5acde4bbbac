//! A motion that a file has: a CSV with time, position, velocity and acceleration, as `trajectory` writes it.
//!
//! The columns are `t` and those of a form in which states of the robot are given ([`rows`](crate::robot::rows)): for the tool
//! `x,y,z`, `vx,vy,vz`, `ax,ay,az` (with `c`, `cd`, `cdd` where it turns about z), for the joints `q1…`, `qd1…`, `qdd1…`; others are ignored. Velocities and accelerations are
//! not made from positions: differences of rounded numbers would be noise that a feed-forward law passes on. [`Sampled`]
//! interpolates.

use super::sampled::belong_together;
use super::{Mover, Point, RobotMotion, Sampled, SamplesError, State, Turned, is_tolerated};
use crate::Vec3;
use crate::report::table::{Reader, TableError};
use crate::robot::rows::columns;
use crate::robot::{Form, JointVector, Quantity, Refused, Robot, Target, ToolTurns, Violation};
use std::path::Path;

/// Whether a path is the name of a file.
pub fn is_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// Why a file is no motion of a robot; lines are those of the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum MotionFileError {
    #[error("{file}: {problem}")]
    Unreadable { file: String, problem: String, hint: Option<String> },
    #[error("{file}: there is no column `{column}`")]
    NoColumn { file: String, column: String, needed: String },
    #[error("{file}: there is a column `{column}`, but the robot has {joints} joints")]
    OtherRobot { file: String, column: String, joints: usize },
    #[error("{file}: {cause}")]
    TooShort { file: String, cause: SamplesError },
    #[error("{file}, column `{column}`: {cause}")]
    Column { file: String, column: String, cause: SamplesError },
    #[error("{file}, line {line}, column `{column}`: {cause}")]
    Row { file: String, line: u64, column: String, cause: SamplesError },
    #[error("{file}, line {line}, columns `{columns}`: {cause}")]
    OutOfReach { file: String, line: u64, columns: String, cause: Box<Refused> },
    #[error("{file}, line {line}, columns `{columns}`: {violation}")]
    Limit { file: String, line: u64, columns: String, violation: Violation },
}

impl MotionFileError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { hint, .. } => return hint.clone(),
            Self::NoColumn { needed, .. } => {
                format!("needed are {needed}, in SI units, as `trajectory --out` writes them")
            }
            Self::OtherRobot { .. } => String::from("is the motion that of another robot?"),
            Self::Row { cause: SamplesError::Apart { .. }, .. } => {
                String::from("are all columns in SI units, and of the same motion?")
            }
            Self::Column { .. } => String::from("times are in seconds, velocities in m/s or rad/s"),
            Self::Row { .. } | Self::TooShort { .. } => {
                String::from("rows go from rest to rest, each later than the one before")
            }
            Self::OutOfReach { .. } => String::from("`check` tells the reach; is the motion that of another robot?"),
            Self::Limit { .. } => String::from("a slower motion, or other limits in the robot's file"),
        })
    }
}

/// The rows of a motion file: one motion, each row later than the one before.
#[derive(Clone, Debug)]
pub struct MotionTable {
    file: String,
    columns: [Vec<String>; 3],
    lines: Vec<u64>,
    times: Vec<f64>,
    rows: Rows,
}

#[derive(Clone, Debug)]
enum Rows {
    Tool(Vec<State<Vec3<f64>>>),
    Turning(Vec<State<Turned>>),
    Joints(Vec<State<JointVector>>),
}

impl MotionTable {
    /// The motion of a robot in a file: in the form in which its states are usually given, or else in the other one where the
    /// robot has both.
    pub fn read(file: &str, robot: &Robot) -> Result<Self, MotionFileError> {
        let reader = open(file)?;
        let kind = robot.kind();
        let absent = |form| columns(form, robot).iter().flatten().any(|name| reader.header().position(name).is_none());
        let form = match kind.form {
            // Between rows a tool is interpolated as a point.
            _ if kind.tool_turns == ToolTurns::Freely => Form::Joints,
            usual if kind.both_forms && absent(usual) && !absent(usual.other()) => usual.other(),
            usual => usual,
        };
        let joints = robot.joints().len();
        let more = format!("q{}", joints + 1);
        if form == Form::Joints && reader.header().position(&more).is_some() {
            return Err(MotionFileError::OtherRobot { file: file.to_owned(), column: more, joints });
        }
        Self::of(file, reader, form, columns(form, robot))
    }

    fn of(
        file: &str,
        mut reader: Reader<std::fs::File>,
        form: Form,
        columns: [Vec<String>; 3],
    ) -> Result<Self, MotionFileError> {
        let place = |column: &String| {
            reader.header().position(column).map(|place| (place, column.clone())).ok_or_else(|| {
                let needed = format!("t,{}", columns.each_ref().map(|names| names.join(",")).join(","));
                MotionFileError::NoColumn { file: file.to_owned(), column: column.clone(), needed }
            })
        };
        let time = place(&String::from("t"))?;
        let places: Vec<(usize, String)> = columns.iter().flatten().map(place).collect::<Result<_, _>>()?;
        let (mut lines, mut times, mut numbers) = (Vec::new(), Vec::new(), Vec::<Vec<f64>>::new());
        let wrong = |error| unreadable(file, &error);
        while let Some(row) = reader.next_row().map_err(wrong)? {
            let number = |(place, column): &(usize, String)| row.number(*place, column).map_err(wrong);
            times.push(number(&time)?);
            numbers.push(places.iter().map(number).collect::<Result<_, _>>()?);
            lines.push(row.line);
        }
        fn states<P: Point>(numbers: &[Vec<f64>], width: usize, point: impl Fn(&[f64]) -> P) -> Vec<State<P>> {
            let state = |row: &Vec<f64>| {
                let part = |k: usize| point(&row[k * width..(k + 1) * width]);
                State { position: part(0), velocity: part(1), acceleration: part(2) }
            };
            numbers.iter().map(state).collect()
        }
        let width = columns[0].len();
        let rows = match form {
            Form::Tool if width == 4 => {
                Rows::Turning(states(&numbers, width, |row| Turned::new(Vec3::from_fn(|i| row[i]), row[3])))
            }
            Form::Tool => Rows::Tool(states(&numbers, width, |row| Vec3::from_fn(|i| row[i]))),
            Form::Joints => Rows::Joints(states(&numbers, width, JointVector::new)),
        };
        Ok(Self { file: file.to_owned(), columns, lines, times, rows })
    }

    fn wrong(&self, cause: SamplesError) -> MotionFileError {
        let column = match cause {
            SamplesError::Time { .. } | SamplesError::TooFew { .. } => String::from("t"),
            SamplesError::NotAtRest { component, .. } => self.columns[1][component].clone(),
            SamplesError::NotFinite { component, .. }
            | SamplesError::Apart { component, .. }
            | SamplesError::Pace { component, .. } => self.columns[0][component].clone(),
        };
        let file = self.file.clone();
        match cause.row() {
            Some(row) => MotionFileError::Row { file, line: self.lines[row], column, cause },
            None if matches!(cause, SamplesError::Pace { .. }) => MotionFileError::Column { file, column, cause },
            None => MotionFileError::TooShort { file, cause },
        }
    }

    /// Refuses rows that are no motion: fewer than two, times that do not grow, positions that do not follow from the velocities.
    pub fn consistent(self) -> Result<Self, MotionFileError> {
        let rows = self.times.len();
        let found = match &self.rows {
            _ if rows < 2 => Err(SamplesError::TooFew { rows }),
            Rows::Tool(rows) => belong_together(&self.times, rows),
            Rows::Turning(rows) => belong_together(&self.times, rows),
            Rows::Joints(rows) => belong_together(&self.times, rows),
        };
        found.map_err(|cause| self.wrong(cause))?;
        Ok(self)
    }

    /// The rows: when, and what the robot is to do. A tool is turned as its robot usually has it.
    pub fn targets(&self) -> Vec<(f64, Target)> {
        fn of<P: Point>(times: &[f64], rows: &[State<P>]) -> Vec<(f64, Target)> {
            times.iter().zip(rows).map(|(&time, state)| (time, state.target(crate::Mat3::diagonal(1.0)))).collect()
        }
        match &self.rows {
            Rows::Tool(rows) => of(&self.times, rows),
            Rows::Turning(rows) => of(&self.times, rows),
            Rows::Joints(rows) => of(&self.times, rows),
        }
    }

    /// Refuses rows that are out of reach, or beyond the limits of position and speed. Torques are for a run to show.
    pub fn within(&self, mover: &Mover) -> Result<(), MotionFileError> {
        self.check(|target| Ok(mover.violations(&mover.load_of(target)?)))
    }

    /// Refuses rows by what `violations` says of them, but for torques and what planners tolerate.
    pub fn check(
        &self,
        violations: impl Fn(&Target) -> Result<Vec<Violation>, Refused>,
    ) -> Result<(), MotionFileError> {
        let counts = |violation: &Violation| violation.quantity != Quantity::Torque && !is_tolerated(violation);
        for ((_, target), &line) in self.targets().iter().zip(&self.lines) {
            let columns = |k: usize| self.columns[k].join(",");
            let file = || self.file.clone();
            match violations(target).map(|all| all.into_iter().find(counts)) {
                Ok(None) => {}
                Ok(Some(violation)) => {
                    let columns = columns(usize::from(violation.quantity == Quantity::Speed));
                    return Err(MotionFileError::Limit { file: file(), line, columns, violation });
                }
                Err(cause) => {
                    let (file, columns, cause) = (file(), columns(0), Box::new(cause));
                    return Err(MotionFileError::OutOfReach { file, line, columns, cause });
                }
            }
        }
        Ok(())
    }

    /// The motion through the rows, from rest to rest.
    pub fn motion(&self) -> Result<RobotMotion, MotionFileError> {
        let wrong = |cause| self.wrong(cause);
        Ok(match &self.rows {
            Rows::Tool(rows) => RobotMotion::translating(Sampled::new(&self.times, rows).map_err(wrong)?),
            Rows::Turning(rows) => RobotMotion::turning(Sampled::new(&self.times, rows).map_err(wrong)?),
            Rows::Joints(rows) => RobotMotion::of_joints(Sampled::new(&self.times, rows).map_err(wrong)?),
        })
    }
}

fn unreadable(file: &str, error: &TableError) -> MotionFileError {
    // Other verbs can leave a row out; a motion needs every one.
    let hint = error.hint().filter(|_| !matches!(error, TableError::NotFinite { .. }));
    MotionFileError::Unreadable { file: file.to_owned(), problem: error.to_string(), hint: hint.map(str::to_owned) }
}

fn open(file: &str) -> Result<Reader<std::fs::File>, MotionFileError> {
    let input = std::fs::File::open(file).map_err(|error| MotionFileError::Unreadable {
        file: file.to_owned(),
        problem: format!("cannot be read: {error}"),
        hint: None,
    })?;
    Reader::new(input).map_err(|error| unreadable(file, &error))
}
