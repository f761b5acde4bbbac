//! A robot as planners see it: what a state demands of its joints, and what they may do.

use super::{EXCESS, Motion, MotionLimits, MotionState, Point, RobotMotion};
use crate::delta::Branch;
use crate::limits::JointLimits;
use crate::robot::{Form, Joint, Load, Pick, Reason, Robot, StateError, Target, ToolTurns, Violation, violations};
use crate::{Mat3, Vec3};
use dalembert_core::friction::{Friction, FrictionLaw};
use std::f64::consts::PI;

/// A robot with the limits that a motion is planned within, and the solution of its kinematics that it stays on.
#[derive(Clone, Debug)]
pub struct Mover {
    /// The robot.
    pub robot: Robot,
    /// Its joints, with the limits that hold here.
    pub joints: Vec<Joint>,
    /// The limits of what moves: the point of the tool, or the vector of the joints.
    pub moved: MotionLimits,
    /// The limits of each joint; its speed is among its own limits too.
    pub each: MotionLimits,
    /// The solution of the kinematics that it stays on.
    pub pick: Pick,
    /// The orientation that its tool keeps, base frame.
    pub orientation: Mat3<f64>,
    /// Place with the most room for the tool and how far it can go from there, m; only where the tool goes along paths.
    room: Option<(Vec3<f64>, f64)>,
}

impl Mover {
    /// A robot that moves from pose to pose of its joints, with the limits of its file.
    pub fn of_joints(robot: &Robot, pick: &Pick) -> Self {
        Self {
            robot: robot.clone(),
            joints: robot.joints(),
            moved: MotionLimits::NONE,
            each: MotionLimits::NONE,
            pick: pick.clone(),
            orientation: Mat3::diagonal(1.0),
            room: None,
        }
    }

    /// A robot that moves its tool along paths, with the limits of its file. The tool keeps its orientation (base frame): the
    /// one that is given, or else pointing down, or as it is at rest where it does not turn freely.
    pub fn of_tool(robot: &Robot, orientation: Option<Mat3<f64>>, pick: &Pick) -> Result<Self, StateError> {
        let orientation = orientation.unwrap_or_else(|| robot.usual_orientation());
        let room = robot.reachable_sphere(&orientation, pick)?;
        let room_for = Some((room.center, room.radius));
        Ok(Self { pick: room.pick, orientation, room: room_for, ..Self::of_joints(robot, pick) })
    }

    /// The same with other limits, joint by joint.
    #[must_use]
    pub fn limited(mut self, limits: impl Fn(usize, JointLimits) -> JointLimits) -> Self {
        self.joints.iter_mut().enumerate().for_each(|(i, joint)| joint.limits = limits(i, joint.limits));
        self
    }

    /// The same with limits of what moves (the point of the tool, or the vector of the joints: lengths of the vectors of speed,
    /// acceleration and jerk) and of each joint, beside those of the robot.
    #[must_use]
    pub fn within(mut self, moved: MotionLimits, each: MotionLimits) -> Self {
        (self.moved, self.each) = (moved, each);
        self.limited(|_, own| JointLimits { max_speed: own.max_speed.min(each.speed), ..own })
    }

    /// The same for motions of the tool about a place: joints that can turn several times stay on the turn that they have there.
    #[must_use]
    pub fn near(mut self, place: Vec3<f64>) -> Self {
        if let Ok(load) = self.load(&MotionState::still(place)) {
            self.pick.near = Some(load.joints.q);
            if self.robot.kind().form == Form::Tool {
                // Elsewhere the joints may be nearer to these with the elbows folded.
                self.pick.elbows.get_or_insert(Branch::Out);
            }
        }
        self
    }

    /// Middle of where its tool can go, and how far it can go from there, m.
    pub fn room(&self) -> (Vec3<f64>, f64) {
        self.room.unwrap_or((Vec3::zero(), 0.0))
    }

    /// What a state demands of the joints.
    pub fn load<P: Point>(&self, state: &MotionState<P>) -> Result<Load, StateError> {
        self.load_of(&state.target(self.orientation))
    }

    /// What a target demands of the joints.
    pub fn load_of(&self, target: &Target) -> Result<Load, StateError> {
        self.robot.joint_load(target, &self.pick)
    }

    /// The first limit of a position or of a ball joint that a load exceeds: no time helps there.
    pub fn out_of_range(&self, load: &Load) -> Option<Violation> {
        violations(&self.joints, &load.joints.q, load.ball_angles.as_deref(), None, None).into_iter().next()
    }

    /// Every limit that a load exceeds.
    pub fn violations(&self, load: &Load) -> Vec<Violation> {
        let Load { joints, torque, ball_angles, .. } = load;
        violations(&self.joints, &joints.q, ball_angles.as_deref(), Some(&joints.qd), Some(torque))
    }

    /// The speed or torque that is nearest to its limit (or furthest beyond), with its share of the limit.
    pub fn tightest(&self, load: &Load) -> (f64, Option<Violation>) {
        use crate::robot::Quantity::{Speed, Torque};
        let mut worst = (0.0, None);
        for (i, joint) in self.joints.iter().enumerate() {
            let JointLimits { max_speed, max_torque, .. } = joint.limits;
            for (quantity, value, limit) in
                [(Speed, load.joints.qd[i], max_speed), (Torque, load.torque[i], max_torque)]
            {
                let share = value.abs() / limit;
                if share > worst.0 {
                    worst = (share, Some(Violation { quantity, kind: joint.kind, joint: i + 1, value, limit }));
                }
            }
        }
        worst
    }

    /// Refuses a motion of the tool that exceeds no limit and yet cannot be followed from its beginning to its end: a joint
    /// does not go on with another turn than where it comes from. Where the tool does not turn freely, its pose says on which turn they are.
    pub fn follow(&self, motion: &dyn Motion<Point = Vec3<f64>>) -> Result<(), CannotDo> {
        const SAMPLES: u32 = 2000;
        if self.robot.kind().tool_turns != ToolTurns::Freely {
            return Ok(());
        }
        let mut before: Option<Load> = None;
        for k in 0..=SAMPLES {
            let time = motion.duration() * f64::from(k) / f64::from(SAMPLES);
            let position = motion.at(time).position;
            let cannot = |cause| CannotDo::new(time, position.components(), cause);
            let load = self.load(&MotionState::still(position)).map_err(cannot)?;
            let jump = |before: &Load| {
                before.joints.q.iter().zip(load.joints.q.iter()).position(|(before, now)| (now - before).abs() > PI)
            };
            if let Some(i) = before.as_ref().and_then(jump) {
                let text = format!("joint {} would have to jump by a whole turn", i + 1);
                return Err(cannot(StateError::new(Reason::NoPose, text).at(i + 1)));
            }
            before = Some(load);
        }
        Ok(())
    }
}

/// A motion that a robot cannot do: when, where, why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at t = {time:.4} s, at {}: {cause}", place(.position))]
pub struct CannotDo {
    /// s.
    pub time: f64,
    /// m, or rad per joint.
    pub position: Vec<f64>,
    /// Why.
    pub cause: Box<StateError>,
}

impl CannotDo {
    /// The motion that fails there and then.
    pub fn new(time: f64, position: &[f64], cause: StateError) -> Self {
        Self { time, position: position.to_vec(), cause: Box::new(cause) }
    }
}

/// A point as text.
pub(super) fn place(position: &[f64]) -> String {
    let numbers: Vec<String> = position.iter().map(|x| format!("{x:.4}")).collect();
    format!("({})", numbers.join(", "))
}

/// Whether a violation is no more than a planned motion may leave between the points of its grid: [`EXCESS`] of a speed or
/// torque.
pub fn is_tolerated(violation: &Violation) -> bool {
    violation.quantity.is_driven() && violation.beyond() <= EXCESS * violation.limit.abs()
}

/// What a joint goes through during a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct JointSurvey {
    /// Least and largest position, rad.
    pub range: [f64; 2],
    /// Largest speed, rad/s.
    pub peak_speed: f64,
    /// Root mean square of the speed, rad/s.
    pub rms_speed: f64,
    /// Largest torque, N m.
    pub peak_torque: f64,
    /// Root mean square of the torque, N m.
    pub rms_torque: f64,
    /// Largest power that the joint gives, W.
    pub peak_power: f64,
    /// Largest power that the joint takes back, W.
    pub peak_braking: f64,
    /// Mean of the power that it gives while it gives, W: what a drive that cannot feed back takes.
    pub mean_power: f64,
}

/// What a robot goes through during a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSurvey {
    /// s.
    pub duration: f64,
    /// Joint by joint.
    pub joints: Vec<JointSurvey>,
    /// Largest speed of what moves, m/s (rad/s).
    pub peak_speed: f64,
    /// Its largest acceleration, m/s² (rad/s²).
    pub peak_acceleration: f64,
    /// For each kind of limit that is exceeded, the worst place: when, and by how much.
    pub violations: Vec<(f64, Violation)>,
}

impl MotionSurvey {
    /// Goes through a motion at `samples` + 1 times.
    pub fn of(mover: &Mover, motion: &RobotMotion, samples: usize) -> Result<Self, CannotDo> {
        let start = JointSurvey { range: [f64::INFINITY, f64::NEG_INFINITY], ..Default::default() };
        let mut survey = Self {
            duration: motion.duration(),
            joints: vec![start; mover.joints.len()],
            peak_speed: 0.0,
            peak_acceleration: 0.0,
            violations: Vec::new(),
        };
        let samples = samples.max(1);
        for k in 0..=samples {
            let time = survey.duration * k as f64 / samples as f64;
            let target = motion.at(time);
            let [position, velocity, acceleration] = target.moved();
            let cannot = |cause| CannotDo::new(time, position, cause);
            let load = mover.load_of(&target).map_err(cannot)?;
            survey.peak_speed = survey.peak_speed.max(length(velocity));
            survey.peak_acceleration = survey.peak_acceleration.max(length(acceleration));
            // Trapezoidal rule: half weight at both ends.
            let weight = if k == 0 || k == samples { 0.5 } else { 1.0 } / samples as f64;
            for (i, joint) in survey.joints.iter_mut().enumerate() {
                let (q, qd, torque) = (load.joints.q[i], load.joints.qd[i], load.torque[i]);
                let power = torque * qd;
                joint.range = [joint.range[0].min(q), joint.range[1].max(q)];
                joint.peak_speed = joint.peak_speed.max(qd.abs());
                joint.peak_torque = joint.peak_torque.max(torque.abs());
                joint.peak_power = joint.peak_power.max(power);
                joint.peak_braking = joint.peak_braking.max(-power);
                joint.rms_speed += weight * qd * qd;
                joint.rms_torque += weight * torque * torque;
                joint.mean_power += weight * power.max(0.0);
            }
            for violation in mover.violations(&load) {
                keep_worst(&mut survey.violations, time, violation);
            }
        }
        for joint in &mut survey.joints {
            joint.rms_speed = joint.rms_speed.sqrt();
            joint.rms_torque = joint.rms_torque.sqrt();
        }
        Ok(survey)
    }
}

/// Length of a vector.
pub fn length(components: &[f64]) -> f64 {
    components.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Keeps the worst of each kind, and when it was.
pub fn keep_worst(worst: &mut Vec<(f64, Violation)>, time: f64, violation: Violation) {
    match worst.iter_mut().find(|(_, known)| known.quantity == violation.quantity) {
        Some(known) if known.1.beyond() < violation.beyond() => *known = (time, violation),
        Some(_) => {}
        None => worst.push((time, violation)),
    }
}

/// For each kind of limit that states of a motion exceed, the worst place: when, and by how much. States that the robot cannot
/// be in are left to whoever moves it.
pub fn worst_violations<'t>(
    mover: &Mover,
    targets: impl IntoIterator<Item = &'t (f64, Target)>,
) -> Vec<(f64, Violation)> {
    let mut worst = Vec::new();
    for (time, target) in targets {
        let Ok(load) = mover.load_of(target) else { continue };
        for violation in mover.violations(&load) {
            keep_worst(&mut worst, *time, violation);
        }
    }
    worst
}

/// The least and the largest friction of a joint over an interval of speeds.
///
/// The friction torque is monotone but for a few speeds at which it turns: above standstill it rises to the break-away peak,
/// falls (Stribeck), and rises again (viscous). Between these the extremes are at the ends of an interval, so that looking
/// there and at the turns misses nothing, however narrow the peak is.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionRange {
    friction: Friction<f64>,
    turns: Vec<f64>,
}

impl FrictionRange {
    /// Finds them.
    pub fn new(friction: Friction<f64>) -> Self {
        let [low, high] = friction.turns_between();
        // 2 % apart: closer pairs of turns differ by nothing that matters.
        let steps = ((high / low).ln() / 0.02).ceil();
        let mut turns = Vec::new();
        if steps.is_finite() {
            let at = |k: f64| low * (high / low).powf(k / steps);
            for (sign, k) in [1.0, -1.0].into_iter().flat_map(|sign| (0..steps as u32).map(move |k| (sign, k))) {
                let [mut a, mut b] = [0.0, 1.0].map(|next| sign * at(f64::from(k) + next));
                let rises = friction.slope(a) > 0.0;
                if rises != (friction.slope(b) > 0.0) {
                    for _ in 0..50 {
                        let middle = 0.5 * (a + b);
                        if (friction.slope(middle) > 0.0) == rises {
                            a = middle;
                        } else {
                            b = middle;
                        }
                    }
                    turns.push(0.5 * (a + b));
                }
            }
        }
        Self { friction, turns }
    }

    /// At a speed, N m.
    pub fn torque(&self, speed: f64) -> f64 {
        self.friction.torque(speed)
    }

    /// Over all speeds from `low` to `high`, N m.
    pub fn over(&self, low: f64, high: f64) -> [f64; 2] {
        let ends = [self.torque(low), self.torque(high)];
        let mut range = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        for &turn in &self.turns {
            if low < turn && turn < high {
                let value = self.torque(turn);
                range = [range[0].min(value), range[1].max(value)];
            }
        }
        range
    }
}

/// The friction of each joint that has any.
pub(super) struct JointFriction(Vec<Option<FrictionRange>>);

impl JointFriction {
    pub fn of(mover: &Mover) -> Self {
        Self(mover.joints.iter().map(|joint| joint.friction.map(FrictionRange::new)).collect())
    }

    /// The joints that have any.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &FrictionRange)> {
        self.0.iter().enumerate().filter_map(|(i, friction)| Some((i, friction.as_ref()?)))
    }

    /// At a joint (from 0) and its speed, N m.
    pub fn torque(&self, joint: usize, speed: f64) -> f64 {
        self.0.get(joint).and_then(Option::as_ref).map_or(0.0, |friction| friction.torque(speed))
    }

    /// Largest share of a torque limit between two loads that follow each other: friction takes every value that it has at
    /// the speeds between theirs, so that a peak which lies between the two is not missed.
    pub fn share_between(&self, mover: &Mover, ends: [&Load; 2]) -> f64 {
        let mut largest = 0.0_f64;
        for (i, friction) in self.joints() {
            let [a, b] = ends.map(|load| load.joints.qd[i]);
            for extreme in friction.over(a.min(b), a.max(b)) {
                for load in ends {
                    let torque = load.torque[i] - friction.torque(load.joints.qd[i]) + extreme;
                    largest = largest.max(torque.abs() / mover.joints[i].limits.max_torque);
                }
            }
        }
        largest
    }
}
