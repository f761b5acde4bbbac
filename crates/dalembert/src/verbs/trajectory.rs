//! `trajectory`: a motion as a table, as G-code, as a picture.

use super::motion::{LimitViolation, MotionRequest, PlannedMotion, plan};
use super::prelude::*;
use super::smooth::state_columns;
use crate::motion::{JointSurvey, MotionSurvey, RobotMotion, length, to_gcode};

/// Plan a motion and tabulate it.
#[derive(Clone, Debug)]
pub struct TrajectoryRequest {
    /// Which motion.
    pub motion: MotionRequest,
    /// Time from row to row, s: all steps are equal. `None` is a millisecond, with further rows at each jump of the acceleration,
    /// which those who read the motion need to keep it within its limits.
    pub every: Option<f64>,
    /// Whether a limit that is exceeded is an error rather than a finding.
    pub enforce_limits: bool,
}

impl TrajectoryRequest {
    /// A row per millisecond and those at jumps; limits are findings.
    pub fn new(motion: MotionRequest) -> Self {
        Self { motion, every: None, enforce_limits: false }
    }
}

/// A planned motion and what it demands of the robot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrajectoryOutcome {
    /// Name of the robot.
    pub robot: String,
    /// Name or points of the path.
    pub path: String,
    /// Name of the motion profile.
    pub profile: &'static str,
    /// kg.
    pub payload: f64,
    /// Middle of a named motion, m.
    pub center: Option<[f64; 3]>,
    /// Orientation and posture of a tool that could turn, in words.
    pub held: Option<String>,
    /// Of the first stroke, m (rad).
    pub length: f64,
    /// s.
    pub duration: f64,
    /// Duration of each stroke, s.
    pub strokes: Vec<f64>,
    /// Duration of time-optimal profiles without smoothing, s.
    pub unsmoothed: Option<f64>,
    /// Share of the time that a limit is active, for time-optimal profiles.
    pub limit_active: Option<f64>,
    /// m/s³ (rad/s³); none where the acceleration jumps.
    pub peak_jerk: Option<f64>,
    /// m/s (rad/s).
    pub peak_speed: f64,
    /// m/s² (rad/s²).
    pub peak_acceleration: f64,
    /// Joint by joint.
    pub joints: Vec<JointSurvey>,
    /// For each kind of limit that is exceeded, the worst place.
    pub violations: Vec<LimitViolation>,
    /// The motion itself.
    #[serde(skip)]
    pub plan: PlannedMotion,
    #[serde(skip)]
    every: f64,
    /// Whether rows stand beside the jumps of the acceleration.
    #[serde(skip)]
    at_jumps: bool,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// More rows than anybody reads.
const MAX_ROWS: f64 = 1e7;

/// Plans a motion and surveys what it demands of each joint.
pub fn trajectory(request: &TrajectoryRequest, observer: &mut dyn Observer) -> Result<TrajectoryOutcome, VerbError> {
    let plan = plan(&request.motion, observer)?;
    let (setup, timed) = (&plan.setup, &plan.timed);
    let (duration, every) = (timed.motion.duration(), request.every.unwrap_or(1e-3));
    let rows = duration / every;
    if rows > MAX_ROWS {
        let message = format!("{} rows are too many, at most {MAX_ROWS:.0}", human(rows, 9));
        return Err(VerbError::new("too-many-rows", message).hint("a larger `every`"));
    }
    if rows.is_nan() || rows < 1.0 {
        let message = format!("every is {every} s, but the motion takes {duration:.4} s");
        return Err(VerbError::new("every", message));
    }
    let survey = MotionSurvey::of(&setup.mover, &timed.motion, 4000).map_err(|error| setup.cannot(error))?;
    let violations: Vec<LimitViolation> = survey.violations.iter().map(LimitViolation::new).collect();
    // What the planner leaves between the points of its grid is its tolerance, not a mistake.
    let exceeded = violations.iter().filter(|violation| !violation.is_tolerated());
    if let Some(violation) = exceeded.clone().next().filter(|_| request.enforce_limits) {
        let finding = violation.finding();
        let message = format!("{}, {}, {}", setup.robot.name, setup.caption(), finding.message);
        let hint = match violation.is_out_of_range() {
            false => "give more time, or none for the shortest",
            true => "give another center, direction or path",
        };
        return Err(VerbError { code: finding.code, ..VerbError::new("", message).hint(hint) });
    }
    let note = timed.note.iter().map(|note| format!("{}: {note}", setup.order.path_name()));
    let note = note.map(|note| Finding::new("path-deviation", Severity::Note, note));
    Ok(TrajectoryOutcome {
        robot: setup.robot.name.clone(),
        path: setup.order.path.clone(),
        profile: setup.order.profile.as_str(),
        payload: setup.payload,
        center: setup.center().map(|center| center.0),
        held: setup.held.clone(),
        length: timed.length,
        duration: survey.duration,
        strokes: timed.strokes.clone(),
        unsmoothed: timed.optimal.map(|optimal| optimal.0),
        limit_active: timed.optimal.map(|optimal| optimal.1),
        peak_jerk: Some(timed.motion.peak_jerk()).filter(|jerk| jerk.is_finite()),
        peak_speed: survey.peak_speed,
        peak_acceleration: survey.peak_acceleration,
        joints: survey.joints,
        findings: note.chain(setup.resized.clone()).chain(exceeded.map(LimitViolation::finding)).collect(),
        violations,
        every,
        at_jumps: request.every.is_none(),
        plan,
    })
}

impl Outcome for TrajectoryOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let per = |what: &str| format!("{}/{what}", self.unit());
        let peaks =
            [("peak_speed", self.peak_speed, per("s")), ("peak_acceleration", self.peak_acceleration, per("s^2"))];
        let mut all: Vec<Metric> = metrics("", [("duration", self.duration, "s")]).chain(metrics("", peaks)).collect();
        for (i, (joint, spec)) in self.joints.iter().zip(&self.plan.setup.mover.joints).enumerate() {
            let JointUnits { speed, torque, .. } = spec.kind.units();
            let of_joint = [
                ("peak_speed", joint.peak_speed, speed),
                ("peak_torque", joint.peak_torque, torque),
                ("rms_torque", joint.rms_torque, torque),
                ("peak_power", joint.peak_power, "W"),
                ("mean_power", joint.mean_power, "W"),
            ];
            all.extend(metrics(&format!("joint.{}.", i + 1), of_joint));
        }
        all
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl TrajectoryOutcome {
    /// The unit of what moves.
    pub fn unit(&self) -> String {
        match self.plan.setup.form() {
            Form::Tool => "m".to_owned(),
            Form::Joints => match units_of(&self.plan.setup.mover.joints, |units| units.position) {
                unit if unit.contains(' ') => format!("({unit})"),
                unit => unit,
            },
        }
    }

    /// LinuxCNC's G-code with inverse-time feed.
    pub fn gcode(&self) -> Result<String, VerbError> {
        let (setup, motion) = (&self.plan.setup, &self.plan.timed.motion);
        if setup.form() == Form::Joints {
            return Err(VerbError::new("not-of-joints", "G-code moves a point, and this is a motion of joints")
                .hint("a path of the tool, such as pick-and-place or line:P/P with points x,y,z"));
        }
        let kind = setup.robot.kind();
        let point =
            if kind.tool_offset == Vec3::zero() { format!("{} centre", kind.moved) } else { "tool point".into() };
        let point = match (kind.tool_turns, motion) {
            (_, RobotMotion::Turning(_)) => format!("{point}, C in degrees"),
            (ToolTurns::Freely, _) => format!("{}, kept turned as it is", kind.moved),
            _ => point,
        };
        let comment = format!("{}: {}", setup.robot.name, setup.caption());
        Ok(to_gcode(motion, self.every, &comment, &point))
    }

    /// Names, units and meanings of the columns of a recording.
    fn columns(&self, turns: bool) -> Vec<(String, &'static str, String)> {
        let mut columns = state_columns(&self.plan.setup.mover.joints);
        if self.plan.timed.motion.form() == Form::Tool {
            let of_tool = [
                (["x", "y", "z"], "m", "position", ("c", "rad", "angle of the tool")),
                (["vx", "vy", "vz"], "m/s", "velocity", ("cd", "rad/s", "its rate")),
                (["ax", "ay", "az"], "m/s^2", "acceleration", ("cdd", "rad/s^2", "its acceleration")),
            ];
            let group = |(names, unit, what, turn): ([&'static str; 3], _, _, _)| {
                names.map(|name| (name, unit, what)).into_iter().chain(turns.then_some(turn))
            };
            let of_tool = of_tool.into_iter().flat_map(group);
            columns.splice(1..1, of_tool.map(|(name, unit, what)| (name.to_owned(), unit, what.to_owned())));
        }
        columns
    }

    /// The motion row by row: t, the tool's position, velocity and acceleration, then joints and torques.
    pub fn recording(&self) -> Result<Recording, VerbError> {
        let (mover, motion, every) = (&self.plan.setup.mover, &self.plan.timed.motion, self.every);
        let turns = motion.form() == Form::Tool && mover.robot.kind().tool_turns == ToolTurns::AboutZ;
        let mut recording = Recording::new(self.columns(turns)).map_err(|error| VerbError::new("table", error))?;
        let steps = (motion.duration() / every - 1e-9).ceil().max(1.0) as usize;
        let end = motion.at(motion.duration());
        let turning = if let Target::Tool(tool) = &end { tool.velocity.angular } else { Vec3::zero() };
        let ends_at_rest = end.moved()[1].iter().chain(&turning.0).all(|speed| speed.abs() < AT_REST);
        // A motion that ends between two rows rests in the last.
        let mut times: Vec<f64> = (0..=steps).map(|k| k as f64 * every).collect();
        if self.at_jumps {
            times.extend(self.beside_jumps(ends_at_rest, steps as f64 * every));
            times.sort_by(f64::total_cmp);
        }
        for t in times {
            let (t, target) = match t > motion.duration() * (1.0 + 1e-9) {
                false => (t, motion.at(t.min(motion.duration()))),
                true if ends_at_rest => (t, resting(&end)),
                true => (motion.duration(), end.clone()),
            };
            let load = mover.load_of(&target).map_err(failed("table", &format!("at t = {t:.4} s")))?;
            let mut row = vec![t];
            if let Target::Tool(_) = &target {
                // A joint of a fourth axis is the angle of the tool.
                let turn = [&load.joints.q, &load.joints.qd, &load.joints.qdd].map(|joints| joints.last().copied());
                for (moved, turn) in target.moved().into_iter().zip(turn) {
                    row.extend_from_slice(moved);
                    row.extend(turn.filter(|_| turns));
                }
            }
            row.extend([load.joints.q, load.joints.qd, load.joints.qdd, load.torque].iter().flat_map(|v| v.to_vec()));
            recording.push(&row).map_err(|error| VerbError::new("table", error))?;
        }
        Ok(recording)
    }

    /// Times just before and just after the acceleration jumps, so that who reads the rows knows when it does. None where a
    /// row is already.
    fn beside_jumps(&self, ends_at_rest: bool, last: f64) -> Vec<f64> {
        /// Of the time between rows.
        const NEAR: f64 = 0.01;
        /// Of the largest acceleration.
        const JUMP: f64 = 1e-3;
        /// Closer ones are one: rounding would show between them.
        const SAME: f64 = 0.1;
        let (motion, near) = (&self.plan.timed.motion, NEAR * self.every);
        let acceleration = |t: f64| motion.at(t).moved()[2].to_vec();
        let jumps = |&t: &f64| {
            let moment = 1e-12 * motion.duration();
            let [before, after] = [t - moment, t + moment].map(acceleration);
            let by: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
            length(&by) > JUMP * self.peak_acceleration
        };
        let end = Some(motion.duration()).filter(|end| ends_at_rest && last - end > near);
        let mut breaks: Vec<f64> = motion.breaks().into_iter().chain(end).filter(jumps).collect();
        breaks.dedup_by(|next, last| *next - *last < SAME * near);
        let mut times = Vec::new();
        for (k, t) in breaks.iter().enumerate() {
            // Between two that are close to each other there is one row.
            let half = |other: Option<&f64>| other.map_or(f64::INFINITY, |other| 0.5 * (other - t).abs());
            times.push(t - near.min(half(k.checked_sub(1).and_then(|before| breaks.get(before)))));
            times.push(t + near.min(half(breaks.get(k + 1))));
        }
        times.dedup_by(|next, last| *next - *last < SAME * near);
        let beside_row = |t: &f64| (t / self.every - (t / self.every).round()).abs() > 0.5 * NEAR;
        times.retain(|t| *t > 0.0 && *t < last && beside_row(t));
        times
    }

    /// Speed, acceleration and torques over time.
    pub fn chart(&self) -> Chart {
        const POINTS: usize = 1500;
        let (setup, motion, unit) = (&self.plan.setup, &self.plan.timed.motion, self.unit());
        let joints = setup.mover.joints.len();
        let mut lines = vec![Vec::new(); 2 + joints];
        for (t, target) in motion.samples(POINTS) {
            let [_, velocity, acceleration] = target.moved();
            lines[0].push((t, length(velocity)));
            lines[1].push((t, length(acceleration)));
            if let Ok(load) = setup.mover.load_of(&target) {
                for i in 0..joints {
                    lines[2 + i].push((t, load.torque[i]));
                }
            }
        }
        let mut panels = lines.into_iter().enumerate().map(|(series, points)| Line { series, points });
        let mut panel =
            |title: &str, unit: &str, count: usize| Panel::new(title, unit, panels.by_ref().take(count).collect());
        let names = ["speed".to_owned(), "acceleration".to_owned()].into_iter();
        let names = names.chain((1..=joints).map(|i| format!("tau{i}")));
        let title = format!("{}: {}", self.robot, setup.order.path_name());
        Chart {
            panels: vec![
                panel("Speed", &format!("{unit}/s"), 1),
                panel("Acceleration", &format!("{unit}/s²"), 1),
                panel("Motor torques", &units_of(&setup.mover.joints, |units| units.torque), joints),
            ],
            series: names.enumerate().map(|(i, name)| Series::new(name, color(i), 1.6)).collect(),
            ..Chart::new(title, setup.caption(), "time, s", (0.0, motion.duration()))
        }
    }
}

/// What moves less than this at its end rests there, m/s or rad/s.
const AT_REST: f64 = 1e-9;

/// The same place, at rest.
fn resting(target: &Target) -> Target {
    match target {
        Target::Tool(tool) => Target::Tool(ToolState { velocity: Twist::zero(), acceleration: Twist::zero(), ..*tool }),
        Target::Joints(joints) => Target::Joints(JointState::at_rest(joints.q.clone())),
    }
}
