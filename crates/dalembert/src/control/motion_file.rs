//! A motion that a file has: a CSV with time, position, velocity and acceleration, as `trajectory` writes it.
//!
//! The columns are `t`, and for the platform of a Delta (or the object that two of them carry) `x,y,z`, `vx,vy,vz`,
//! `ax,ay,az`, for a serial arm `q1…`, `qd1…`, `qdd1…`; others are ignored. Velocities and accelerations are not made from
//! positions: differences of rounded numbers would be noise that a feed-forward law passes on. [`Sampled`] interpolates.

use super::{Experiment, Subject};
use crate::motion::{Impossible, MotionOrder, OrderError, Passed, Quantity, Repeated, Sampled, SamplesError, State};
use crate::report::table::{Reader, TableError};
use std::path::Path;
use std::sync::Arc;

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
    #[error("{file}: {cause}")]
    TooShort { file: String, cause: SamplesError },
    #[error("{file}, line {line}, column `{column}`: {cause}")]
    Row { file: String, line: u64, column: String, cause: SamplesError },
    #[error("{file}, line {line}, columns `{columns}`: {cause}")]
    OutOfReach { file: String, line: u64, columns: String, cause: Impossible },
    #[error("{file}, line {line}, columns `{columns}`: {passed}")]
    Limit { file: String, line: u64, columns: String, passed: Passed },
}

impl MotionFileError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { hint, .. } => return hint.clone(),
            Self::NoColumn { needed, .. } => {
                format!("needed are {needed}, in SI units, as `trajectory --out` writes them")
            }
            Self::Row { cause: SamplesError::Apart { .. }, .. } => {
                String::from("are all columns in SI units, and of the same motion?")
            }
            Self::Row { .. } | Self::TooShort { .. } => {
                String::from("rows go from rest to rest, each later than the one before")
            }
            Self::OutOfReach { .. } => String::from("`check` tells the reach; is the motion that of another robot?"),
            Self::Limit { .. } => String::from("a slower motion, or other limits in the robot's file"),
        })
    }
}

fn listed(names: &[String]) -> String {
    names.join(",")
}

impl<R: Subject> Experiment<R> {
    /// Lets the robot follow the motion in a file, as often as it is ordered. Each row has to be in reach of the robot as
    /// the controller knows it, and within the limits of angle and speed of the robot as it is.
    pub(super) fn follow_file(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        if let Some(what) = order.beside_file() {
            return Err(OrderError::NotOfFile { what });
        }
        let motion = self.read_motion(&order.path)?;
        (self.motion_name, self.cycles) = (order.name(), order.cycles);
        self.motion = match order.cycles {
            1 => Arc::new(motion),
            cycles => Arc::new(Repeated::new(motion, cycles)?),
        };
        Ok(())
    }

    fn read_motion(&self, name: &str) -> Result<Sampled<R::Point>, MotionFileError> {
        let file = || name.to_owned();
        let unreadable = |error: TableError| MotionFileError::Unreadable {
            file: file(),
            problem: error.to_string(),
            hint: error.hint().map(str::to_owned),
        };
        let input = std::fs::File::open(name).map_err(|error| MotionFileError::Unreadable {
            file: file(),
            problem: format!("cannot be read: {error}"),
            hint: None,
        })?;
        let mut reader = Reader::new(std::io::BufReader::new(input)).map_err(unreadable)?;
        let columns = self.known.columns();
        let place = |column: &String| {
            reader.header().position(column).map(|place| (place, column.clone())).ok_or_else(|| {
                let needed = format!("t,{}", columns.each_ref().map(|names| listed(names)).join(","));
                MotionFileError::NoColumn { file: file(), column: column.clone(), needed }
            })
        };
        let time = place(&String::from("t"))?;
        let places: Vec<(usize, String)> = columns.iter().flatten().map(place).collect::<Result<_, _>>()?;
        let (mut times, mut states, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let width = columns[0].len();
        while let Some(row) = reader.next_row().map_err(unreadable)? {
            let number = |(place, column): &(usize, String)| row.number(*place, column).map_err(unreadable);
            times.push(number(&time)?);
            let numbers: Vec<f64> = places.iter().map(number).collect::<Result<_, _>>()?;
            let point = |k: usize| R::point(&numbers[k * width..(k + 1) * width]);
            states.push(State { position: point(0), velocity: point(1), acceleration: point(2) });
            lines.push(row.line);
        }
        for (state, &line) in states.iter().zip(&lines) {
            let columns = |k: usize| listed(&columns[k]);
            // Torques are for the run to show.
            let first = |all: Vec<Passed>| all.into_iter().find(|passed| passed.quantity != Quantity::Torque);
            match R::strains(self, state).map(first) {
                Ok(None) => {}
                Ok(Some(passed)) => {
                    let columns = columns(usize::from(passed.quantity == Quantity::Speed));
                    return Err(MotionFileError::Limit { file: file(), line, columns, passed });
                }
                Err(cause) => {
                    return Err(MotionFileError::OutOfReach { file: file(), line, columns: columns(0), cause });
                }
            }
        }
        Sampled::new(&times, &states).map_err(|cause| {
            let column = match cause {
                SamplesError::Time { .. } | SamplesError::TooFew { .. } => String::from("t"),
                SamplesError::NotAtRest { component, .. } => columns[1][component].clone(),
                SamplesError::NotFinite { component, .. } | SamplesError::Apart { component, .. } => {
                    columns[0][component].clone()
                }
            };
            match cause.row() {
                Some(row) => MotionFileError::Row { file: file(), line: lines[row], column, cause },
                None => MotionFileError::TooShort { file: file(), cause },
            }
        })
    }
}
