//! A motion that a file has: a CSV with time, position, velocity and acceleration, as `trajectory` writes it; or with time and
//! position alone.
//!
//! The columns are `t` and those of a form in which states of the robot are given ([`rows`](crate::robot::rows)): for the tool
//! `x,y,z`, `vx,vy,vz`, `ax,ay,az` (with `c`, `cd`, `cdd` where it turns about z), for the joints `q1…`, `qd1…`, `qdd1…`; others
//! are ignored. A tool that turns freely has poses, `x,y,z,roll,pitch,yaw`, with `vx,vy,vz,wx,wy,wz` and `ax,ay,az,wdx,wdy,wdz` or alone; each of its rows becomes
//! one of the joints. [`SampledMotion`] interpolates. Where velocities and accelerations are missing, or the positions are rounded so much
//! that they do not belong to them, the motion is a smooth one near the positions ([`MotionTable::note`] tells how near). A file
//! without `t` has points to go through: [`waypoints`].

use super::sampled::{NearRows, agree, belong_together, drift, follow_each_other, last_decimal, near};
use super::{MotionState, Mover, Point, RobotMotion, SampledMotion, SamplesError, Turned, is_tolerated};
use crate::Vec3;
use crate::report::table::{Reader, TableError};
use crate::report::text::human;
use crate::robot::orientation::rotation;
use crate::robot::rows::columns;
use crate::robot::{
    Form, JointState, JointVector, Pick, Quantity, Robot, StateError, Target, ToolState, ToolTurns, Violation, by_kind,
};
use crate::spatial::{Frame, Twist};
use crate::symbolic::derive::Domain;
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
    #[error("{file}: there is a column `{column}`, but the robot has {joints} joints")]
    OtherRobot { file: String, column: String, joints: usize },
    #[error("{file}: {cause}")]
    TooShort { file: String, cause: SamplesError },
    #[error("{file}, column `{column}`: {cause}")]
    Column { file: String, column: String, cause: SamplesError, units: Option<&'static str> },
    #[error("{file}, line {line}, column `{column}`: {cause}")]
    Row { file: String, line: u64, column: String, cause: SamplesError, units: Option<&'static str> },
    #[error("{file}, line {line}, columns `{columns}`: {cause}")]
    OutOfReach { file: String, line: u64, columns: String, cause: Box<StateError>, large: bool },
    #[error("{file}, line {line}, columns `{columns}`: {violation}")]
    Limit { file: String, line: u64, columns: String, violation: Violation },
}

impl MotionFileError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Unreadable { hint, .. } => return hint.clone(),
            Self::NoColumn { needed, .. } => {
                return Some(format!(
                    "needed are {needed}, in SI units, as a written trajectory has them, or time and positions alone"
                ));
            }
            Self::Row { units: Some(units), .. } | Self::Column { units: Some(units), .. } => {
                return Some(format!("everything would fit if {units}; all columns are in SI units"));
            }
            Self::OtherRobot { .. } => "is the motion that of another robot?",
            Self::Row { cause: SamplesError::Apart { .. }, .. } => {
                "are all columns in SI units, and of the same motion?"
            }
            Self::OutOfReach { large: true, .. } => "are the positions millimetres? All columns are in SI units",
            Self::Column { .. } => "times are in seconds, velocities in m/s or rad/s",
            Self::Row { .. } | Self::TooShort { .. } => "rows go from rest to rest, each later than the one before",
            Self::OutOfReach { .. } => "is it beyond the reach of this robot, or the motion of another one?",
            Self::Limit { .. } => "a slower motion, or other limits in the robot's file",
        };
        Some(text.to_owned())
    }
}

/// The rows of a motion file: one motion, each row later than the one before.
#[derive(Clone, Debug)]
pub struct MotionTable {
    file: String,
    columns: [Vec<String>; 3],
    lines: Vec<u64>,
    times: Vec<f64>,
    targets: Vec<Target>,
    /// The motion through the rows, or why there is none.
    motion: Result<RobotMotion, SamplesError>,
    /// The unit that a column seems to have, where the columns belong together in no other.
    units: Option<&'static str>,
    /// Of positions.
    unit: &'static str,
    /// How far the motion is from the rows of the file where it has been smoothed, m (rad).
    smoothed: Option<f64>,
    /// Whether the file has velocities and accelerations.
    moving: bool,
}

/// The smooth motion near rows with positions alone or rounded ones; none where they are fine.
fn smoothed<P: Point>(
    times: &[f64],
    rows: &[MotionState<P>],
    moving: bool,
) -> Result<Option<NearRows<P>>, SamplesError> {
    let positions: Vec<P> = rows.iter().map(|row| row.position.clone()).collect();
    if moving {
        if follow_each_other(times, rows).is_err() || belong_together(times, rows).is_ok() {
            return Ok(None);
        }
        let components = positions.first().map_or(0, |first| first.components().len());
        let decimal = |i: usize| last_decimal(positions.iter().map(move |position| position.components()[i]));
        let moves = |i: &usize| positions.iter().any(|p| p.components()[*i] != positions[0].components()[*i]);
        // Two positions are off by half of a decimal each.
        let rounding = (0..components).filter(moves).map(decimal).fold(0.0, f64::max);
        // Rounding does not add up.
        let drifts = drift(times, rows) > 2.0 * rounding;
        if !(1e-9..=1.01e-3).contains(&rounding) || drifts || agree(times, rows, rounding).is_err() {
            return Ok(None);
        }
    }
    follow_each_other(times, rows)?;
    near(times, &positions).map(Some)
}

/// The unit that times or positions of rows seem to have: they are one motion in it.
fn likely_units<P: Point>(times: &[f64], rows: &[MotionState<P>]) -> Option<&'static str> {
    [
        ([1e-3, 1.0], "the times were milliseconds"),
        ([1.0, 1e-3], "the positions were millimetres"),
        ([1.0, 1e-2], "the positions were centimetres"),
        ([1.0, std::f64::consts::PI / 180.0], "the positions were degrees"),
    ]
    .into_iter()
    .find_map(|([time, length], text)| {
        let times: Vec<f64> = times.iter().map(|t| time * t).collect();
        let scaled = |row: &MotionState<P>| MotionState { position: row.position.times(length), ..row.clone() };
        belong_together(&times, &rows.iter().map(scaled).collect::<Vec<_>>()).is_ok().then_some(text)
    })
}

/// Rows of numbers, so many to a point.
fn states<P: Point>(numbers: &[Vec<f64>], width: usize) -> Vec<MotionState<P>> {
    let state = |row: &Vec<f64>| {
        let part = |k: usize| P::from_components(width, |i| row[k * width + i]);
        if row.len() == width {
            return MotionState::still(part(0));
        }
        MotionState { position: part(0), velocity: part(1), acceleration: part(2) }
    };
    numbers.iter().map(state).collect()
}

impl MotionTable {
    /// The motion of a robot in a file: in the form in which its states are usually given, or else in the other one where the
    /// robot has both.
    pub fn read(file: &str, robot: &Robot) -> Result<Self, MotionFileError> {
        let reader = open(file)?;
        let kind = robot.kind();
        // Positions, velocities and accelerations, or positions alone.
        let has = |form, groups: usize| {
            let names = columns(form, robot);
            names[..groups].iter().flatten().all(|name| reader.header().position(name).is_some())
        };
        let form = match kind.form {
            // Between rows joints are interpolated, not poses.
            _ if kind.tool_turns == ToolTurns::Freely => {
                // One of x, y, z says that poses are meant, though there may be more columns to them.
                if reader.header().position("x").is_some() && !has(Form::Joints, 1) { Form::Tool } else { Form::Joints }
            }
            usual if kind.both_forms => {
                let choices = [(usual, 3), (usual.other(), 3), (usual, 1), (usual.other(), 1)];
                choices.into_iter().find(|&(form, groups)| has(form, groups)).map_or(usual, |(form, _)| form)
            }
            usual => usual,
        };
        let joints = robot.joints().len();
        let more = format!("q{}", joints + 1);
        if form == Form::Joints && reader.header().position(&more).is_some() {
            return Err(MotionFileError::OtherRobot { file: file.to_owned(), column: more, joints });
        }
        Self::of(file, reader, form, columns(form, robot), robot)
    }

    fn of(
        file: &str,
        mut reader: Reader<std::fs::File>,
        form: Form,
        columns: [Vec<String>; 3],
        robot: &Robot,
    ) -> Result<Self, MotionFileError> {
        let place = |column: &String| {
            reader.header().position(column).map(|place| (place, column.clone())).ok_or_else(|| {
                let needed = format!("t,{}", columns.each_ref().map(|names| names.join(",")).join(","));
                MotionFileError::NoColumn { file: file.to_owned(), column: column.clone(), needed }
            })
        };
        let time = place(&String::from("t"))?;
        // Of velocities and accelerations all, or none.
        let moving = columns[1..].iter().flatten().any(|name| reader.header().position(name).is_some());
        let groups = if moving { 3 } else { 1 };
        let places: Vec<(usize, String)> = columns[..groups].iter().flatten().map(place).collect::<Result<_, _>>()?;
        let (mut lines, mut times, mut numbers) = (Vec::new(), Vec::new(), Vec::<Vec<f64>>::new());
        let wrong = |error| unreadable(file, &error);
        while let Some(row) = reader.next_row().map_err(wrong)? {
            let number = |(place, column): &(usize, String)| row.number(*place, column).map_err(wrong);
            times.push(number(&time)?);
            numbers.push(places.iter().map(number).collect::<Result<_, _>>()?);
            lines.push(row.line);
        }
        let width = columns[0].len();
        let poses = form == Form::Tool && width > 4;
        let joints = if poses { joints_of_poses(file, robot, &numbers, &lines, &columns[0])? } else { Vec::new() };
        let table = Self {
            file: file.to_owned(),
            columns: if poses { crate::robot::rows::columns(Form::Joints, robot) } else { columns },
            lines,
            times,
            targets: Vec::new(),
            motion: Err(SamplesError::TooFew { rows: 0 }),
            units: None,
            unit: "",
            smoothed: None,
            moving,
        };
        match form {
            Form::Tool if poses => table.through(joints, robot),
            Form::Tool if width == 4 => table.through(states::<Turned>(&numbers, width), robot),
            Form::Tool => table.through(states::<Vec3<f64>>(&numbers, width), robot),
            Form::Joints => table.through(states::<JointVector>(&numbers, width), robot),
        }
    }

    /// The same with these states, or with the smooth motion near them where they have positions alone or rounded ones.
    fn through<P: Point>(mut self, mut rows: Vec<MotionState<P>>, robot: &Robot) -> Result<Self, MotionFileError> {
        self.unit = by_kind(&robot.joints(), P::UNITS);
        if let Some(near) = smoothed(&self.times, &rows, self.moving).map_err(|cause| self.wrong(cause))? {
            self.lines = near.rows.iter().map(|&row| self.lines[row]).collect();
            (self.times, rows, self.smoothed) = (near.times, near.states, Some(near.deviation));
        }
        self.targets = rows.iter().map(|state| state.target(crate::Mat3::diagonal(1.0))).collect();
        self.motion = SampledMotion::new(&self.times, &rows).map(|motion| P::of_robot(Arc::new(motion)));
        if matches!(self.motion, Err(SamplesError::Apart { .. } | SamplesError::MotionPace { .. })) {
            self.units = likely_units(&self.times, &rows);
        }
        Ok(self)
    }

    /// What was done to the rows of the file, if anything.
    pub fn note(&self) -> Option<String> {
        let (size, unit) = if self.unit == "m" { (1e3, "mm") } else { (1.0, self.unit) };
        self.smoothed.map(|far| format!("smoothed, at most {} {unit} from its rows", human(size * far, 2)))
    }

    fn wrong(&self, cause: SamplesError) -> MotionFileError {
        let column = match cause {
            SamplesError::Time { .. } | SamplesError::TooFew { .. } => String::from("t"),
            SamplesError::NotAtRest { component, .. } => self.columns[usize::from(self.moving)][component].clone(),
            SamplesError::NotFinite { component, .. }
            | SamplesError::Apart { component, .. }
            | SamplesError::MotionPace { component, .. } => self.columns[0][component].clone(),
        };
        let (file, units) = (self.file.clone(), self.units);
        match cause.row() {
            Some(row) => MotionFileError::Row { file, line: self.lines[row], column, cause, units },
            None if matches!(cause, SamplesError::MotionPace { .. }) => {
                MotionFileError::Column { file, column, cause, units }
            }
            None => MotionFileError::TooShort { file, cause },
        }
    }

    /// Refuses rows that are no motion: fewer than two, times that do not grow, positions that do not follow from the velocities.
    pub fn consistent(self) -> Result<Self, MotionFileError> {
        match self.motion {
            Err(cause) if !matches!(cause, SamplesError::NotAtRest { .. }) => Err(self.wrong(cause)),
            _ => Ok(self),
        }
    }

    /// The rows: when, and what the robot is to do. A tool is turned as its robot usually has it.
    pub fn targets(&self) -> Vec<(f64, Target)> {
        self.times.iter().copied().zip(self.targets.iter().cloned()).collect()
    }

    /// Refuses rows that are out of reach, or beyond the limits of position and speed. Torques are for a run to show.
    pub fn within(&self, mover: &Mover) -> Result<(), MotionFileError> {
        self.check(|target| Ok(mover.violations(&mover.load_of(target)?)))
    }

    /// Refuses rows by what `violations` says of them, but for torques and what planners tolerate.
    pub fn check(
        &self,
        violations: impl Fn(&Target) -> Result<Vec<Violation>, StateError>,
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
                    // No arm is as long as that.
                    let large = target.moved()[0].iter().any(|x| x.abs() > 20.0) && target.form() == Form::Tool;
                    return Err(MotionFileError::OutOfReach { file, line, columns, cause, large });
                }
            }
        }
        Ok(())
    }

    /// What the joints do on the way: for programs that are to be right over this motion.
    pub fn domain(&self, robot: &Robot) -> Result<Domain, MotionFileError> {
        /// Between the rows, too.
        const SAMPLES: usize = 4000;
        let joints = robot.joints().len();
        self.check(|target| robot.at(target, &Pick::default()).map(|_| Vec::new()))?;
        let (mut speed, mut acceleration) = (vec![0.0_f64; joints], vec![0.0_f64; joints]);
        let mut position = vec![[f64::INFINITY, f64::NEG_INFINITY]; joints];
        for (_, target) in self.targets().into_iter().chain(self.motion()?.samples(SAMPLES)) {
            let Ok(state) = robot.at(&target, &Pick::default()) else { continue };
            let JointState { q, qd, qdd } = &state.joints;
            for i in 0..joints {
                position[i] = [position[i][0].min(q[i]), position[i][1].max(q[i])];
                speed[i] = speed[i].max(qd[i].abs());
                acceleration[i] = acceleration[i].max(qdd[i].abs());
            }
        }
        Ok(Domain { speed, acceleration, position, motion: Some(self.file.clone()) })
    }

    /// The motion through the rows, from rest to rest.
    pub fn motion(&self) -> Result<RobotMotion, MotionFileError> {
        self.motion.clone().map_err(|cause| self.wrong(cause))
    }
}

/// The joints of rows with poses of the tool, each next to those before.
fn joints_of_poses(
    file: &str,
    robot: &Robot,
    rows: &[Vec<f64>],
    lines: &[u64],
    columns: &[String],
) -> Result<Vec<MotionState<JointVector>>, MotionFileError> {
    let mut pick = Pick::default();
    let mut states = Vec::with_capacity(rows.len());
    for (row, &line) in rows.iter().zip(lines) {
        let three = |from: usize| Vec3::from_fn(|i| row.get(from + i).copied().unwrap_or(0.0));
        let twist = |from: usize| Twist { linear: three(from), angular: three(from + 3) };
        let pose = Frame { rotation: rotation(three(3).0), origin: three(0) };
        let tool = ToolState { pose, velocity: twist(6), acceleration: twist(12), turn: 0.0 };
        let state = robot.at_tool(&tool, &pick).map_err(|cause| MotionFileError::OutOfReach {
            file: file.to_owned(),
            line,
            columns: columns.join(","),
            cause: Box::new(cause),
            large: three(0).0.iter().any(|x| x.abs() > 20.0),
        })?;
        pick = state.followed();
        let JointState { q, qd, qdd } = state.joints;
        states.push(MotionState { position: q, velocity: qd, acceleration: qdd });
    }
    Ok(states)
}

/// The path through the points of a file that has no times, as it is typed (`polyline:P/P/…`, `joints:Q/Q/…`); none for a file
/// with times.
pub fn waypoints(file: &str, robot: &Robot) -> Result<Option<String>, MotionFileError> {
    let mut reader = open(file)?;
    if reader.header().position("t").is_some() {
        return Ok(None);
    }
    let form = [robot.kind().form, Form::Tool, Form::Joints]
        .into_iter()
        .find(|&form| columns(form, robot)[0].iter().all(|name| reader.header().position(name).is_some()));
    let Some(form) = form else {
        let needed = columns(robot.kind().form, robot)[0].join(",");
        return Err(MotionFileError::NoColumn { file: file.to_owned(), column: String::from("t"), needed });
    };
    let names = columns(form, robot)[0].clone();
    let places: Vec<usize> = names.iter().filter_map(|name| reader.header().position(name)).collect();
    let wrong = |error| unreadable(file, &error);
    let mut points: Vec<String> = Vec::new();
    while let Some(row) = reader.next_row().map_err(wrong)? {
        let number = |(place, name): (&usize, &String)| row.number(*place, name).map(|x| x.to_string()).map_err(wrong);
        points.push(places.iter().zip(&names).map(number).collect::<Result<Vec<_>, _>>()?.join(","));
    }
    let kind = if form == Form::Tool { "polyline" } else { "joints" };
    Ok(Some(format!("{kind}:{}", points.join("/"))))
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
