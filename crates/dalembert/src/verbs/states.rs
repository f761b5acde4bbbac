//! States that an analysis is about: one that is given, or those of a motion.

use super::motion::{MotionRequest, plan};
use super::{Observer, VerbError};
use crate::report::text::human;
use crate::robot::{JointVector, Robot, State};
use crate::spatial::Wrench;

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
        let cannot = |error| format!("{} at t = {} s: {error}", request.robot.name, human(t, 4));
        let state = setup.robot.at(&target, &request.pick);
        let state = state.map_err(|error| VerbError::new("motion-impossible", cannot(error)))?;
        Ok(TimedState { time: Some(t), ..state.into() })
    };
    let rows = state_times(motion.duration(), every)?.into_iter().map(row).collect::<Result<_, VerbError>>()?;
    Ok(MotionStates { caption: setup.caption(), rows, robot: setup.robot })
}
