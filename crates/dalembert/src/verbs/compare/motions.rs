//! The motions that models are compared over, as states.

use super::{CompareMotion, CompareRequest, CompareStroke, ComparedMotion};
use crate::analyze::compare::{Comparison, Timed, pick_and_place};
use crate::delta::Branch;
use crate::identify::{Log, PreparedLog, Preprocessing, likely_delay};
use crate::motion::{Direction, Mover, PickAndPlace, Polyline, Profile, Travel, named};
use crate::robot::Workspace;
use crate::verbs::prelude::*;
use crate::verbs::states::{MAX_STATES, TimedState, state_times};

/// The robot of a comparison, for its pages.
#[derive(Clone, Debug)]
pub struct Subject {
    pub robot: Robot,
    pub pick: Pick,
    /// What begins at which time.
    pub marks: Vec<(f64, String)>,
    /// Of the maps, m: that at which the tool is most.
    pub height: f64,
}

/// What is compared.
pub struct Input {
    pub what: String,
    pub motion: ComparedMotion,
    pub states: Vec<Timed>,
    /// Torques that were measured, one row for each state.
    pub measured: Option<Vec<Vec<f64>>>,
    /// The log that the states are of.
    pub log: Option<Logged>,
    pub subject: Subject,
}

impl Input {
    fn new(request: &CompareRequest, what: String, states: Vec<Timed>) -> Self {
        let CompareRequest { robot, pick, .. } = request;
        let motion = ComparedMotion::States { what: what.clone(), states: states.len(), payload: robot.payload() };
        let height = states.iter().map(|timed| timed.state.tool.pose.origin[2]).sum::<f64>() / states.len() as f64;
        let subject = Subject { robot: robot.clone(), pick: pick.clone(), marks: Vec::new(), height };
        Self { what, motion, states, measured: None, log: None, subject }
    }
}

/// The states of a request's motion.
pub fn input(request: &CompareRequest) -> Result<Input, VerbError> {
    match (&request.motion, request.robot.workspace()) {
        (CompareMotion::Log { log, preprocessing, delay }, _) => measured(request, log, preprocessing, *delay),
        (CompareMotion::States { what, states }, _) => given(request, what, states),
        (CompareMotion::Own(stroke), Some(workspace)) => strokes(request, stroke, workspace),
        (CompareMotion::Own(stroke), None) => through_joints(request, stroke.duration.unwrap_or(1.0)),
    }
}

fn given(request: &CompareRequest, what: &str, states: &[TimedState]) -> Result<Input, VerbError> {
    let timed = |row: &TimedState| {
        let no_time = || VerbError::new("no-times", "the table has no column `t`");
        let t = row.time.ok_or_else(|| no_time().hint("tracking errors need the times of states"))?;
        Ok(Timed { t, state: usual_form(&request.robot, &request.pick, t, row.state.clone())?, wrench: row.wrench })
    };
    let timed = states.iter().map(timed).collect::<Result<Vec<_>, VerbError>>()?;
    let measured = states.iter().map(|row| row.measured.as_ref().map(|torque| torque.to_vec())).collect();
    Ok(Input { measured, ..Input::new(request, what.to_owned(), timed) })
}

/// Smoothed states of all samples of a log.
fn measured(
    request: &CompareRequest,
    log: &Log,
    preprocessing: &Preprocessing,
    delay: Option<f64>,
) -> Result<Input, VerbError> {
    let CompareRequest { robot, pick, .. } = request;
    let (name, joints) = (&log.name, robot.joints());
    let run = PreparedLog::new(log, &joints, preprocessing).map_err(failed("bad-log", &format!("bad log: {name}")))?;
    let samples = run.q[0].len();
    if samples > MAX_STATES {
        let message = format!("{name}: {samples} states are too many");
        return Err(VerbError::new("log-too-long", message).hint("compare a part of it"));
    }
    let of = |values: &[Vec<f64>], k: usize| JointVector::from_fn(joints.len(), |i| values[i][k]);
    let timed = |k: usize| {
        let t = run.time(k);
        let state = JointState { q: of(&run.q, k), qd: of(&run.qd, k), qdd: of(&run.qdd, k) };
        let at = format!("{name}, t = {} s", human(t, 5));
        let state = robot.at_joints(&state, pick).map_err(failed("state-refused", &at))?;
        Ok(Timed { t, state: usual_form(robot, pick, t, state)?, wrench: Wrench::zero() })
    };
    let mut states: Vec<Timed> = Vec::with_capacity(samples);
    for k in 0..samples {
        match timed(k) {
            Ok(state) => states.push(state),
            Err(error) if run.used.binary_search(&k).is_ok() => return Err(error),
            // What does not count, a hole that was bridged say, need not be a state of the robot.
            Err(_) => {
                let near = match states.last() {
                    Some(before) => before.clone(),
                    None => timed(run.used[0])?,
                };
                states.push(Timed { t: run.time(k), ..near });
            }
        }
    }
    let log = Some(Logged { run, name: name.clone(), delay });
    Ok(Input { log, ..Input::new(request, name.clone(), states) })
}

/// A log whose states are compared.
pub struct Logged {
    run: PreparedLog,
    name: String,
    /// s, where it is given.
    pub delay: Option<f64>,
}

impl Logged {
    /// The models through the low-pass filter that the measured torques went through, at the samples that count.
    pub fn filtered(&self, comparison: Comparison) -> Result<Comparison, VerbError> {
        let filter = self.run.filter().map_err(failed("bad-log", &self.name))?;
        Ok(comparison.filtered(&|series| filter.filter(series), &self.run.used))
    }

    /// The delay of the torque with which the exact model leaves least, s.
    pub fn likely_delay(&self, comparison: &Comparison) -> f64 {
        /// States that are enough for it.
        const LOOKED_AT: usize = 3000;
        let (exact, used) = (&comparison.samples.exact, &self.run.used);
        let rows = || (0..used.len()).step_by(used.len().div_ceil(LOOKED_AT).max(1));
        let left = |joint: usize, delay: f64| -> f64 {
            let torque = |row: usize| self.run.torque(joint, used[row], delay);
            let size: f64 = rows().map(|row| torque(row).powi(2)).sum();
            let left: f64 = rows().map(|row| (exact.row(row)[joint] - torque(row)).powi(2)).sum();
            if size > 0.0 { left / size } else { 0.0 }
        };
        likely_delay(comparison.joints(), left)
    }

    /// The torques that were measured, one row for each sample that counts, with a delay taken back.
    pub fn torques(&self, delay: f64) -> Vec<Vec<f64>> {
        let joints = self.run.tau.len();
        self.run.used.iter().map(|&k| (0..joints).map(|i| self.run.torque(i, k, delay)).collect()).collect()
    }

    /// In words.
    pub fn caption(&self, delay: f64) -> String {
        format!(
            "{}: {} states of {} s in which it moves, models and torques low-pass filtered at {} Hz, torque {} ms later than the motion",
            self.name,
            self.run.used.len(),
            human(self.run.seconds(), 4),
            human(self.run.cutoff, 3),
            human(1e3 * delay, 3)
        )
    }
}

/// A state as the robot usually takes it, with the joints that it has.
fn usual_form(robot: &Robot, pick: &Pick, t: f64, state: State) -> Result<State, VerbError> {
    if state.given == robot.kind().form || robot.kind().form == Form::Joints {
        return Ok(state);
    }
    let time = format!("t = {} s", human(t, 4));
    let found = robot.at_tool(&state.tool, pick).map_err(failed("state-refused", &time))?;
    // Angles are the same a turn apart.
    let far = |(a, b): (&f64, &f64)| 1.0 - (a - b).cos() > 1e-6;
    if found.joints.q.iter().zip(state.joints.q.iter()).any(far) {
        let branch = branch_name(pick.elbows.unwrap_or_default());
        let message = format!("{time}: the elbows are not all on the branch `{branch}`");
        return Err(VerbError::new("mixed-elbows", message).hint("the published models know no mixed elbows"));
    }
    Ok(found)
}

/// As requests write it.
pub fn branch_name(branch: Branch) -> &'static str {
    match branch {
        Branch::Out => "out",
        Branch::In => "in",
    }
}

/// Forth and back in the middle of the workspace.
fn strokes(request: &CompareRequest, stroke: &CompareStroke, workspace: Workspace) -> Result<Input, VerbError> {
    let CompareRequest { robot, pick, .. } = request;
    let z = stroke.z.unwrap_or(workspace.center[2]);
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let size =
        Mover::of_tool(robot, None, pick).map_or(1.0, |mover| named::size_within("pick-and-place", &mover, &axes));
    let (width, height) = (stroke.width.unwrap_or(0.3 * size), stroke.height.unwrap_or(0.025 * size));
    let (duration, samples) = (stroke.duration.unwrap_or(1.0 / 6.0), stroke.samples.unwrap_or(500));
    let center = Vec3::new(0.0, 0.0, z);
    let motion = |direction| PickAndPlace { center, width, height, stroke: duration, direction };
    let motions = [Direction::X, Direction::Y].map(motion);
    let states = pick_and_place(robot, pick, &motions, samples).map_err(|error| {
        let direction = if error.t < 2.0 * duration { "x" } else { "y" };
        let message = format!("{}, stroke along {direction}: {error}", robot.name);
        VerbError::new("stroke-out-of-reach", message).hint(format!(
            "on its axis this robot reaches z = {} … {} m, and {} m around z = {} m",
            human(workspace.heights[0], 4),
            human(workspace.heights[1], 4),
            human(workspace.radius, 4),
            human(workspace.center[2], 4)
        ))
    })?;
    let what = format!(
        "{} × {} mm in {} s, forth and back along x, then y, at z = {} m",
        human(width * 1e3, 4),
        human(height * 1e3, 4),
        human(duration, 4),
        human(z, 4)
    );
    let mut input = Input::new(request, what, states);
    input.motion = ComparedMotion::Strokes { width, height, duration, z, samples_per_stroke: samples };
    input.subject.marks = vec![(0.0, "along x".to_owned()), (2.0 * duration, "along y".to_owned())];
    // The ends of the strokes, not their mean.
    input.subject.height = z;
    Ok(input)
}

/// Once through the middle half of the joint ranges, at most 2 rad; ± 0.5 where there is no range.
fn through_joints(request: &CompareRequest, duration: f64) -> Result<Input, VerbError> {
    let CompareRequest { robot, pick, .. } = request;
    let joints = robot.joints();
    let end = |sign: f64| {
        JointVector::from_fn(joints.len(), |i| match joints[i].limits.range {
            [low, high] if low.is_finite() && high.is_finite() => {
                0.5 * (low + high) + sign * (0.25 * (high - low)).min(1.0)
            }
            _ => 0.5 * sign,
        })
    };
    let path = Polyline::line(end(-1.0), end(1.0)).map_err(failed("motion-impossible", &robot.name))?;
    let profile = |length| Profile::polynomial345(length, duration);
    let travel = Travel::new(path, profile).map_err(failed("motion-impossible", &robot.name))?;
    let timed = |t: f64| {
        let state = crate::motion::Motion::at(&travel, t);
        let joints = JointState { q: state.position, qd: state.velocity, qdd: state.acceleration };
        let state = robot.at_joints(&joints, pick).map_err(failed("motion-impossible", &robot.name))?;
        Ok(Timed { t, state, wrench: Wrench::zero() })
    };
    let times = state_times(duration, duration / 1000.0)?;
    let states = times.into_iter().map(timed).collect::<Result<Vec<_>, VerbError>>()?;
    let what =
        format!("once through the middle half of the joint ranges in {} s (3-4-5 polynomial)", human(duration, 4));
    Ok(Input::new(request, what, states))
}
