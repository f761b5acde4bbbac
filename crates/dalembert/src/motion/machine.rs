//! A robot as a motion sees it: what a state asks of its joints, and what they may do.

use super::{EXCESS, Motion, Point, State};
use crate::analyze::Reach;
use crate::arm::MOST_JOINTS;
use crate::delta::{Branch, Delta, KinematicsError, Limits};
use crate::describe::Robot;
use crate::serial::{InverseError, SerialError};
use dalembert_core::Vec3;
use dalembert_core::friction::Friction;
use std::fmt;

/// One number per joint; those that a robot does not have are zero.
pub type PerJoint = [f64; MOST_JOINTS];

/// What a state asks of the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// rad.
    pub q: PerJoint,
    /// rad/s.
    pub qd: PerJoint,
    /// rad/s².
    pub qdd: PerJoint,
    /// N m, friction included.
    pub torque: PerJoint,
    /// The share of friction and damping in it, N m.
    pub friction: PerJoint,
    /// Ball-joint angles, rad; zero for serial arms.
    pub ball: PerJoint,
}

/// Why a state is not possible at all.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Impossible {
    /// A Delta does not get there.
    #[error(transparent)]
    Delta(#[from] KinematicsError),
    /// A number of a serial arm.
    #[error(transparent)]
    Arm(#[from] SerialError),
    /// The tool of a serial arm does not get there.
    #[error(transparent)]
    Tool(#[from] InverseError),
    /// The tool of a serial arm cannot go on in every direction.
    #[error(
        "the arm is stretched, folded or has two axes in line: the tool cannot go in every direction (margin {margin:.1e})"
    )]
    Singular {
        /// [`tool_margin`](crate::serial::Pose::tool_margin).
        margin: f64,
    },
    /// A joint of a serial arm has reached the end of its turn.
    #[error("joint {joint} would have to jump by a whole turn")]
    TurnsOver {
        /// From 1.
        joint: usize,
    },
}

/// What has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Below or above its range.
    JointAngle,
    /// Out of the arm's plane.
    BallAngle,
    /// Of a joint.
    Speed,
    /// Of a motor.
    Torque,
}

impl Quantity {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JointAngle => "joint angle",
            Self::BallAngle => "ball angle",
            Self::Speed => "speed",
            Self::Torque => "torque",
        }
    }
}

/// A limit that is passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// Which.
    pub quantity: Quantity,
    /// From 1.
    pub joint: usize,
    /// What it would be.
    pub value: f64,
    /// What it may be.
    pub limit: f64,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantity, joint, value, limit } = *self;
        let (name, unit, scale) = match quantity {
            Quantity::JointAngle => ("angle", "°", 180.0 / std::f64::consts::PI),
            Quantity::BallAngle => ("ball joint", "°", 180.0 / std::f64::consts::PI),
            Quantity::Speed => ("speed", " rad/s", 1.0),
            Quantity::Torque => ("torque", " N m", 1.0),
        };
        write!(f, "{name} of joint {joint} is {:.4}{unit}, its limit {:.4}{unit}", value * scale, limit * scale)
    }
}

impl Passed {
    /// How far beyond its limit, in the quantity's unit. Speed and torque are limited either way, an angle at one end.
    pub fn beyond(&self) -> f64 {
        match self.quantity {
            Quantity::Speed | Quantity::Torque => self.value.abs() - self.limit,
            Quantity::JointAngle | Quantity::BallAngle => (self.value - self.limit).abs(),
        }
    }

    /// Whether that is no more than a planned motion may leave between the points of its grid: [`EXCESS`] of a speed or torque.
    pub fn is_tolerated(&self) -> bool {
        match self.quantity {
            Quantity::Speed | Quantity::Torque => self.beyond() <= EXCESS * self.limit,
            Quantity::JointAngle | Quantity::BallAngle => false,
        }
    }
}

/// A robot that can be asked for loads.
pub trait Machine {
    /// What its motions move: the platform, or the joints.
    type Point: Point;
    /// Of each joint.
    fn limits(&self) -> &[Limits];
    /// What a state asks of it.
    fn load(&self, state: &State<Self::Point>) -> Result<Load, Impossible>;
    /// The friction at the motor of a joint (from 0), which is part of [`Load::friction`]; whatever else is in there must be
    /// proportional to the speed.
    fn friction(&self, joint: usize) -> Option<Friction<f64>>;

    /// The first geometric limit that a load passes.
    fn passed_range(&self, load: &Load) -> Option<Passed> {
        (0..self.limits().len()).find_map(|i| self.passed_angles(load, i).into_iter().flatten().next())
    }

    /// The geometric limits of a joint (from 0) that a load passes.
    fn passed_angles(&self, load: &Load, joint: usize) -> [Option<Passed>; 2] {
        let limits = &self.limits()[joint];
        let passed = |quantity, value, limit| Passed { quantity, joint: joint + 1, value, limit };
        let (q, ball) = (load.q[joint], load.ball[joint].abs());
        let [least, most] = limits.range;
        let end = if q < least { least } else { most };
        [
            (q < least || q > most).then(|| passed(Quantity::JointAngle, q, end)),
            (ball > limits.max_ball_angle).then(|| passed(Quantity::BallAngle, ball, limits.max_ball_angle)),
        ]
    }

    /// Every limit that a load passes.
    fn passed(&self, load: &Load) -> Vec<Passed> {
        let mut all = Vec::new();
        for (i, limits) in self.limits().iter().enumerate() {
            all.extend(self.passed_angles(load, i).into_iter().flatten());
            for (quantity, value, limit) in
                [(Quantity::Speed, load.qd[i], limits.max_speed), (Quantity::Torque, load.torque[i], limits.max_torque)]
            {
                if value.abs() > limit {
                    all.push(Passed { quantity, joint: i + 1, value, limit });
                }
            }
        }
        all
    }

    /// The speed or torque that is nearest to its limit (or furthest beyond), with its share of the limit.
    fn tightest(&self, load: &Load) -> (f64, Option<Passed>) {
        let mut worst = (0.0, None);
        for (i, limits) in self.limits().iter().enumerate() {
            for (quantity, value, limit) in
                [(Quantity::Speed, load.qd[i], limits.max_speed), (Quantity::Torque, load.torque[i], limits.max_torque)]
            {
                let share = value.abs() / limit;
                if share > worst.0 {
                    worst = (share, Some(Passed { quantity, joint: i + 1, value, limit }));
                }
            }
        }
        worst
    }
}

/// A robot that moves a point about.
pub trait Workspace: Machine<Point = Vec3<f64>> {
    /// Middle of where it can go, and how far it can go from there, m.
    fn middle(&self) -> (Vec3<f64>, f64);
    /// The same with only a part of its limits of torque and speed.
    #[must_use]
    fn spared(&self, share: f64) -> Self;
    /// The same for motions about a place, where that makes a difference.
    #[must_use]
    fn near(&self, place: Vec3<f64>) -> Self;
    /// Refuses a motion that passes no limit and yet cannot be followed from its beginning to its end.
    fn follow(&self, _motion: &dyn Motion<Point = Vec3<f64>>) -> Result<(), CannotDo> {
        Ok(())
    }
}

/// A part of the limits of torque and speed.
pub(super) fn spared(own: Limits, share: f64) -> Limits {
    Limits { max_torque: share * own.max_torque, max_speed: share * own.max_speed, ..own }
}

/// The same for a shorter slice.
pub(super) fn per_joint(values: &[f64]) -> PerJoint {
    let mut all = [0.0; MOST_JOINTS];
    all[..values.len()].copy_from_slice(values);
    all
}

/// A Delta robot with its limits.
#[derive(Clone, Copy, Debug)]
pub struct DeltaMachine {
    /// The robot.
    pub delta: Delta<f64>,
    /// Of each arm.
    pub limits: [Limits; 3],
    /// Its elbows.
    pub branch: Branch,
}

impl DeltaMachine {
    /// A robot with the limits of its file.
    pub fn new(robot: &Robot, branch: Branch) -> Self {
        Self { delta: robot.delta, limits: robot.limits, branch }
    }

    /// The same robot with another payload, kg.
    pub fn carrying(&self, payload: f64) -> Result<Self, crate::delta::ParameterError> {
        let parameters = crate::delta::Parameters { payload_mass: payload, ..*self.delta.parameters() };
        Ok(Self { delta: Delta::try_new(parameters)?, ..*self })
    }
}

impl Machine for DeltaMachine {
    type Point = Vec3<f64>;
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<Vec3<f64>>) -> Result<Load, Impossible> {
        let pose = self.delta.at_position(state.position, self.branch)?;
        let moving = pose.try_moving(state.velocity)?;
        Ok(Load {
            q: per_joint(&pose.joints()),
            qd: per_joint(&moving.joint_velocity()),
            qdd: per_joint(&moving.joint_acceleration(state.acceleration)),
            torque: per_joint(&moving.torque(state.acceleration)),
            friction: per_joint(&moving.dissipation_torque()),
            ball: per_joint(&pose.ball_angles()),
        })
    }
    fn friction(&self, joint: usize) -> Option<Friction<f64>> {
        self.delta.parameters().arms.get(joint)?.motor.friction
    }
}

impl Workspace for DeltaMachine {
    fn middle(&self) -> (Vec3<f64>, f64) {
        let reach = Reach::of(&self.delta);
        (reach.center, reach.radius)
    }
    fn spared(&self, share: f64) -> Self {
        Self { limits: self.limits.map(|own| spared(own, share)), ..*self }
    }
    fn near(&self, _place: Vec3<f64>) -> Self {
        *self
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
    pub cause: Impossible,
}

/// A point as text.
pub(super) fn place(position: &[f64]) -> String {
    let numbers: Vec<String> = position.iter().map(|x| format!("{x:.4}")).collect();
    format!("({})", numbers.join(", "))
}

/// What a joint goes through during a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointSurvey {
    /// Least and largest angle, rad.
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
pub struct Survey {
    /// s.
    pub duration: f64,
    /// Joint by joint.
    pub joints: Vec<JointSurvey>,
    /// Largest speed of the point that moves, m/s (rad/s).
    pub peak_speed: f64,
    /// Its largest acceleration, m/s² (rad/s²).
    pub peak_acceleration: f64,
    /// For each kind of limit that is passed, the worst place: when, and by how much.
    pub passed: Vec<(f64, Passed)>,
}

impl Survey {
    /// Goes through a motion at `samples` + 1 times.
    pub fn of<M: Machine>(
        machine: &M,
        motion: &(impl Motion<Point = M::Point> + ?Sized),
        samples: usize,
    ) -> Result<Self, CannotDo> {
        let limits = machine.limits();
        let start = JointSurvey { range: [f64::INFINITY, f64::NEG_INFINITY], ..Default::default() };
        let mut survey = Self {
            duration: motion.duration(),
            joints: vec![start; limits.len()],
            peak_speed: 0.0,
            peak_acceleration: 0.0,
            passed: Vec::new(),
        };
        let samples = samples.max(1);
        for k in 0..=samples {
            let time = survey.duration * k as f64 / samples as f64;
            let state = motion.at(time);
            let load = machine.load(&state).map_err(|cause| CannotDo {
                time,
                position: state.position.components().to_vec(),
                cause,
            })?;
            survey.peak_speed = survey.peak_speed.max(state.velocity.length());
            survey.peak_acceleration = survey.peak_acceleration.max(state.acceleration.length());
            // Trapezoidal rule: half weight at both ends.
            let weight = if k == 0 || k == samples { 0.5 } else { 1.0 } / samples as f64;
            for (i, joint) in survey.joints.iter_mut().enumerate() {
                let (q, qd, torque) = (load.q[i], load.qd[i], load.torque[i]);
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
            for passed in machine.passed(&load) {
                keep_worst(&mut survey.passed, time, passed);
            }
        }
        for joint in &mut survey.joints {
            joint.rms_speed = joint.rms_speed.sqrt();
            joint.rms_torque = joint.rms_torque.sqrt();
        }
        Ok(survey)
    }
}

/// Keeps the worst of each kind, and when it was.
pub fn keep_worst(worst: &mut Vec<(f64, Passed)>, time: f64, passed: Passed) {
    match worst.iter_mut().find(|(_, known)| known.quantity == passed.quantity) {
        Some(known) if known.1.beyond() < passed.beyond() => *known = (time, passed),
        Some(_) => {}
        None => worst.push((time, passed)),
    }
}

/// For each kind of limit that states of a motion pass, the worst place: when, and by how much. States that the robot cannot
/// be in are left to whoever moves it.
pub fn passed_limits<M: Machine>(
    machine: &M,
    states: impl IntoIterator<Item = (f64, State<M::Point>)>,
) -> Vec<(f64, Passed)> {
    let mut worst = Vec::new();
    for (time, state) in states {
        let Ok(load) = machine.load(&state) else { continue };
        for passed in machine.passed(&load) {
            keep_worst(&mut worst, time, passed);
        }
    }
    worst
}
