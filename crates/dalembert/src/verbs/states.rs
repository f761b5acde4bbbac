//! States that an analysis is about: one that is given, or those of a motion or a table.

use super::motion::{MotionRequest, plan};
use super::prelude::*;
use super::rows::{bad_row, mismatch, of_table};
use crate::report::table::{Reader, TableError};
use crate::robot::rows::{Evaluation, Task};
use std::io::Read;

/// A state that a robot is in at a time, while the environment pushes on its tool.
#[derive(Clone, Debug)]
pub struct TimedState {
    /// Where it is known, s.
    pub time: Option<f64>,
    /// The state.
    pub state: State,
    /// On the tool, N.
    pub wrench: Wrench<f64>,
    /// What was measured beside the motion, N m (N).
    pub measured: Option<JointVector>,
}

impl From<State> for TimedState {
    /// At no known time, without a force on the tool.
    fn from(state: State) -> Self {
        Self { time: None, state, wrench: Wrench::zero(), measured: None }
    }
}

/// The states of a motion, in order.
#[derive(Clone, Debug)]
pub struct MotionStates {
    /// The robot, with the payload that the name of the motion says.
    pub robot: Robot,
    /// The motion in words.
    pub caption: String,
    /// Its states.
    pub rows: Vec<TimedState>,
}

/// More states than an analysis needs, or memory holds.
pub const MAX_STATES: usize = 1_000_000;

/// The times of a motion, `every` seconds apart, and its end.
pub fn state_times(duration: f64, every: f64) -> Result<Vec<f64>, VerbError> {
    let steps = (duration / every - 1e-9).ceil().max(1.0);
    if steps.is_nan() || steps >= MAX_STATES as f64 {
        let message = format!("{steps:.0} states are too many");
        return Err(VerbError::new("too-many-rows", message).hint("a larger `every`"));
    }
    Ok((0..=steps as usize).map(|k| (k as f64 * every).min(duration)).collect())
}

/// Plans a motion and takes its states, `every` seconds apart.
pub fn motion_states(
    request: &MotionRequest,
    every: f64,
    observer: &mut dyn Observer,
) -> Result<MotionStates, VerbError> {
    let planned = plan(request, observer)?;
    let (setup, motion) = (planned.setup, planned.timed.motion);
    let row = |t: f64| {
        let target = setup.on_its_turn(t, motion.at(t))?;
        let at = format!("{} at t = {} s", request.robot.name, human(t, 4));
        let state = setup.robot.at(&target, &request.pick).map_err(failed("motion-impossible", &at))?;
        Ok(TimedState { time: Some(t), ..state.into() })
    };
    let rows = state_times(motion.duration(), every)?.into_iter().map(row).collect::<Result<_, VerbError>>()?;
    Ok(MotionStates { caption: setup.caption(), rows, robot: setup.robot })
}

/// Every row of a table as a state: its accelerations where the table has them, else those that its torques cause. `name` is what
/// messages call the table; `timed`: every state needs its time.
pub fn read_states(
    robot: &Robot,
    name: &str,
    input: Box<dyn Read + Send>,
    pick: Pick,
    timed: bool,
    observer: &mut dyn Observer,
) -> Result<Vec<TimedState>, VerbError> {
    let of_table = |error: TableError| of_table(name, error);
    let mut reader = Reader::new(input).map_err(of_table)?;
    let header = reader.header().clone();
    let has = |column: &str| header.position(column).is_some();
    let known = has("qdd1") || (robot.kind().form == Form::Tool && has("ax"));
    let task = if known || !has("tau1") { Task::Torque } else { Task::Acceleration };
    let rows = Evaluation { pick, ..Evaluation::new(task) }.bind(robot, &header);
    let rows = rows.map_err(|error| mismatch(name, &error))?;
    if timed && !has("t") {
        let message = format!("{name}: column `t` is missing: a model along a motion needs the times of its states");
        return Err(VerbError::new("missing-columns", message));
    }
    // Where the motion is known, torques are measured ones.
    let place = |i: usize| header.position(&format!("tau{i}")).map(|field| (format!("tau{i}"), field));
    let torques: Option<Vec<_>> = (1..=robot.joints().len()).map(place).collect();
    let measured = torques.filter(|_| known).unwrap_or_default();
    let mut states = Vec::new();
    while let Some(row) = reader.next_row().map_err(of_table)? {
        if states.len().is_multiple_of(4096) {
            observer.progress(f64::NAN, &format!("{} rows", states.len()));
        }
        if states.len() == MAX_STATES {
            let message = format!("{name} has more than {MAX_STATES} states");
            return Err(VerbError::new("too-many-states", message).hint("leave some out"));
        }
        let (state, wrench) = rows.describe(&row).map_err(|error| bad_row(name, &error))?;
        let time = header.position("t").map(|field| row.number(field, "t")).transpose().map_err(of_table)?;
        let mut torque = JointVector::zero(measured.len());
        for (value, (name, field)) in torque.iter_mut().zip(&measured) {
            *value = row.number(*field, name).map_err(of_table)?;
        }
        states.push(TimedState { time, state, wrench, measured: (!torque.is_empty()).then_some(torque) });
    }
    if states.is_empty() { Err(of_table(TableError::NoRows)) } else { Ok(states) }
}
