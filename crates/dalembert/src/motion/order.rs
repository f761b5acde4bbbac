//! A motion as it is ordered: by the words and numbers of a command line or of an experiment file.
//!
//! ```
//! use dalembert::motion::{MotionOrder, ProfileChoice, Time};
//! use dalembert::robot::{Pick, Robot};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::find("d3-1200")?;
//! let order = MotionOrder { path: "semi-ellipse".into(), time: Some(Time::Cycle(0.4)), ..MotionOrder::default() };
//! assert_eq!(order.name(), "semi-ellipse 250 × 50 mm, sine-on-ramp");
//! assert!((order.timed(&robot, &Pick::default(), 1.0)?.motion.duration() - 0.4).abs() < 1e-12);
//! let swing = MotionOrder { path: "swing".into(), ..MotionOrder::default() };
//! assert!(swing.timed(&robot, &Pick::default(), 1.0)?.motion.duration() > 0.1);
//! let wrong = MotionOrder { profile: ProfileChoice::Parabolic, ratio: Some(2.0), ..order };
//! let error = wrong.timed(&robot, &Pick::default(), 1.0).err().unwrap();
//! assert_eq!(error.to_string(), "a ratio does not go with the profile parabolic");
//! # Ok(()) }
//! ```

use super::named::{self, Measures, MotionTask, Placement, SWING, TaskError, TimedMotion};
use super::{
    MotionFileError, MotionLimits, MotionPace, MotionTable, Mover, PathError, PlanError, ProfileChoice, RepeatError,
    is_file, waypoints,
};
use crate::limits::JointLimits;
use crate::robot::file::{Dimension, QuantityError, quantity};
use crate::robot::orientation::attitude;
use crate::robot::{Form, Kind, Pick, Robot, StateError, Target, ToolTurns};
use crate::{Mat3, Vec3};

/// How long a motion is to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    /// Each stroke, s.
    Stroke(f64),
    /// The whole motion once, with its rests, s; all its strokes take equally long.
    Cycle(f64),
}

/// Where to go, how, and when. What is `None` is as the name, the robot or the profile has it.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionOrder {
    /// One of [`named::names`] or points as in `line:P/P` for the tool ([`MotionTask::of_tool`]); [`SWING`] or poses as in
    /// `joints:Q/Q` for the joints ([`MotionTask::of_joints`]); or the name of a file: [`MotionTable`](super::MotionTable).
    pub path: String,
    /// Other measures than the name's.
    pub measures: Measures,
    /// Middle of a named motion, m; none: the centre of the workspace.
    pub center: Option<Vec3<f64>>,
    /// Horizontal direction of its strokes; none: x.
    pub direction: Option<Vec3<f64>>,
    /// Orientation that the tool keeps, base frame; none: pointing down.
    pub orientation: Option<Mat3<f64>>,
    /// Angle by which a tool that turns about z turns on each stroke, to and fro, rad; none: it keeps its orientation.
    pub turn: Option<f64>,
    /// What the robot carries, kg; none: as the name says, or else the robot's file.
    pub payload: Option<f64>,
    /// The motion profile; its own numbers are those below.
    pub profile: ProfileChoice,
    /// Peak of the acceleration over that of the deceleration, of [`ProfileChoice::SineOnRamp`].
    pub ratio: Option<f64>,
    /// Largest speed of what moves, m/s: of the point of the tool, or of the vector of the joints (rad/s).
    pub speed: Option<f64>,
    /// Its largest acceleration, the length of the vector, m/s².
    pub acceleration: Option<f64>,
    /// Its largest jerk, m/s³.
    pub jerk: Option<f64>,
    /// Largest speed of each joint, rad/s (m/s).
    pub joint_speed: Option<f64>,
    /// Its largest acceleration, rad/s².
    pub joint_acceleration: Option<f64>,
    /// Its largest jerk, rad/s³.
    pub joint_jerk: Option<f64>,
    /// Of [`ProfileChoice::TimeOptimal`], s; not together with a jerk limit, which finds its own.
    pub smoothing: Option<f64>,
    /// The part of the limits of torque and speed that the shortest time is planned with.
    pub share: Option<f64>,
    /// How long; none: as short as the limits allow.
    pub time: Option<Time>,
    /// How often.
    pub cycles: usize,
}

impl Default for MotionOrder {
    /// The 25/305/25 mm pick-and-place cycle by a sine on ramp, once, as fast as the robot can.
    fn default() -> Self {
        Self {
            path: String::from("pick-and-place"),
            measures: Measures::default(),
            center: None,
            direction: None,
            orientation: None,
            turn: None,
            payload: None,
            profile: ProfileChoice::SineOnRamp { ratio: 1.0 },
            ratio: None,
            speed: None,
            acceleration: None,
            jerk: None,
            joint_speed: None,
            joint_acceleration: None,
            joint_jerk: None,
            smoothing: None,
            share: None,
            time: None,
            cycles: 1,
        }
    }
}

/// Why an order cannot be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum OrderError {
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error("{cause} (planned with {share} of the limits)")]
    Derated { share: f64, cause: TaskError },
    #[error("a {what} does not go with the profile {}", profile.as_str())]
    NotOfProfile { what: &'static str, profile: ProfileChoice },
    #[error("a limit of the jerk finds the smoothing, so there is no room for another")]
    SmoothingAndJerk,
    #[error("the limit `{what}` is {value}, but must be positive")]
    NotPositive { what: &'static str, value: f64 },
    #[error("`{what}` is for paths of the tool, and this is a motion of joints")]
    NotOfJoints { what: &'static str },
    #[error(transparent)]
    NoTool(StateError),
    #[error(transparent)]
    File(#[from] MotionFileError),
    #[error("a {what} does not go with a motion from a file, which has its own")]
    NotOfFile { what: &'static str },
    #[error("{what} does not go with an object that two robots carry: its time has to be given")]
    NotOfPair { what: &'static str },
    #[error("the tool of a {kind} does not turn about z, so there is no turn on its way")]
    DoesNotTurn { kind: &'static str },
    #[error("a share of the limits goes with the shortest time, and here the time is given")]
    ShareOfGivenTime,
    #[error("the share of the limits is {0}, but must be above 0 and at most 1")]
    Share(f64),
    #[error("a cycle of {cycle} s leaves no time: the motion rests for {rest} s")]
    NoTime { cycle: f64, rest: f64 },
    #[error(transparent)]
    Repeat(#[from] RepeatError),
}

impl OrderError {
    /// The same where the limits that it is about are only a part of the robot's.
    pub(super) fn with_share(self, share: f64) -> Self {
        use PlanError::{NoDuration, Profile, TooShort};
        match self {
            Self::Task(TaskError::Plan { cause: NoDuration | Profile(_) | TooShort { .. }, .. }) => self,
            Self::Task(cause @ TaskError::Plan { .. }) if share != 1.0 => Self::Derated { share, cause },
            other => other,
        }
    }

    /// What is wrong with path or profile, if that is it.
    pub fn task(&self) -> Option<&TaskError> {
        match self {
            Self::Task(task) | Self::Derated { cause: task, .. } => Some(task),
            _ => None,
        }
    }

    /// Whether nothing limits the robot, so that there is no shortest time.
    pub fn is_without_limit(&self) -> bool {
        matches!(self.task(), Some(TaskError::Plan { cause: PlanError::NoLimit, .. }))
    }
}

/// Whether a path leads the tool of a robot or its joints. Points with three numbers lead the tool, so three joints are led by
/// `joints:` alone.
pub fn form_of_path(path: &str, robot: &Robot) -> Form {
    match path.split_once(':') {
        Some(("joints", _)) => Form::Joints,
        Some(("line" | "polyline", points)) => {
            let numbers = points.split('/').next().map_or(0, |first| first.split(',').count());
            if numbers == 3 || robot.joints().len() == 3 { Form::Tool } else { Form::Joints }
        }
        None if path == SWING => Form::Joints,
        _ => Form::Tool,
    }
}

impl MotionOrder {
    /// A path as fast as the robot can, by the usual profile.
    pub fn along(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// What a robot of a kind does unless somebody says otherwise.
    pub fn usual(kind: &Kind) -> Self {
        Self::along(kind.usual_motion)
    }

    /// As few words as tell it.
    pub fn name(&self) -> String {
        let times = if self.cycles == 1 { String::new() } else { format!(", {} times", self.cycles) };
        if is_file(&self.path) {
            return format!("{}{times}", self.path);
        }
        format!("{}, {}{times}", named::caption(&self.path, self.measures), self.profile.as_str())
    }

    /// The path as it is typed, or in a few words where that is long.
    pub fn path_name(&self) -> String {
        if self.path.len() < 60 { self.path.clone() } else { named::caption(&self.path, self.measures) }
    }

    /// What is ordered besides the path: first what places a path of the tool.
    fn given(&self) -> [(&'static str, bool); 18] {
        let Measures { width, height, blend } = self.measures;
        [
            ("center", self.center.is_some()),
            ("direction", self.direction.is_some()),
            ("orientation", self.orientation.is_some()),
            ("turn", self.turn.is_some()),
            ("width", width.is_some()),
            ("height", height.is_some()),
            ("blend", blend.is_some()),
            ("profile", self.profile != Self::default().profile),
            ("ratio", self.ratio.is_some()),
            ("speed", self.speed.is_some()),
            ("largest acceleration", self.acceleration.is_some()),
            ("jerk", self.jerk.is_some()),
            ("joint_speed", self.joint_speed.is_some()),
            ("joint_acceleration", self.joint_acceleration.is_some()),
            ("joint_jerk", self.joint_jerk.is_some()),
            ("smoothing", self.smoothing.is_some()),
            ("share", self.share.is_some()),
            ("time of the cycle", self.time.is_some()),
        ]
    }

    /// What is ordered that a motion from a file has already, if anything.
    pub(crate) fn beside_file(&self) -> Option<&'static str> {
        self.given().into_iter().find_map(|(what, given)| given.then_some(what))
    }

    /// What the robot carries, where the order says so, kg.
    pub fn payload(&self) -> Option<f64> {
        self.payload.or_else(|| named::payload(&self.path))
    }

    /// The motion profile with its numbers, without its path. A number that it has no use for is a mistake.
    pub fn profile_choice(&self) -> Result<ProfileChoice, OrderError> {
        use ProfileChoice::{DoubleS, SineOnRamp, TimeOptimal, Trapezoidal};
        let profile = self.profile;
        for (what, given, fits) in [
            ("ratio", self.ratio, matches!(profile, SineOnRamp { .. })),
            ("smoothing", self.smoothing, matches!(profile, TimeOptimal(_))),
        ] {
            if given.is_some() && !fits {
                return Err(OrderError::NotOfProfile { what, profile });
            }
        }
        if let Some(share) = self.share {
            if self.time.is_some() && !matches!(profile, TimeOptimal(_)) {
                return Err(OrderError::ShareOfGivenTime);
            }
            if !(share > 0.0 && share <= 1.0) {
                return Err(OrderError::Share(share));
            }
        }
        if self.smoothing.is_some() && (self.jerk.is_some() || self.joint_jerk.is_some()) {
            return Err(OrderError::SmoothingAndJerk);
        }
        Ok(match profile {
            Trapezoidal(own) => Trapezoidal(self.shape()?.or(own)),
            DoubleS(own) => DoubleS(self.shape()?.or(own)),
            SineOnRamp { ratio } => SineOnRamp { ratio: self.ratio.unwrap_or(ratio) },
            TimeOptimal(own) => TimeOptimal(self.smoothing.or(own)),
            plain => plain,
        })
    }

    /// Of what moves, and of each joint.
    fn limits(&self) -> Result<[MotionLimits; 2], OrderError> {
        let one = |what: &'static str, limit: Option<f64>| match limit.unwrap_or(f64::INFINITY) {
            value if value > 0.0 => Ok(value),
            value => Err(OrderError::NotPositive { what, value }),
        };
        Ok([
            MotionLimits {
                speed: one("speed", self.speed)?,
                acceleration: one("acceleration", self.acceleration)?,
                jerk: one("jerk", self.jerk)?,
            },
            MotionLimits {
                speed: one("joint_speed", self.joint_speed)?,
                acceleration: one("joint_acceleration", self.joint_acceleration)?,
                jerk: one("joint_jerk", self.joint_jerk)?,
            },
        ])
    }

    /// The limits that give a trapezoidal or double-S profile its shape; a speed alone gives none.
    fn shape(&self) -> Result<Option<MotionLimits>, OrderError> {
        let [moved, _] = self.limits()?;
        Ok((self.acceleration.is_some() || self.jerk.is_some()).then_some(moved))
    }

    /// How long a stroke takes, of so many with so much rest between them, s.
    pub fn pace(&self, strokes: usize, rest: f64) -> Result<MotionPace, OrderError> {
        match self.time {
            None => Ok(MotionPace::Shortest),
            Some(Time::Stroke(time)) => Ok(MotionPace::Duration(time)),
            Some(Time::Cycle(cycle)) if cycle > rest => Ok(MotionPace::Duration((cycle - rest) / strokes as f64)),
            Some(Time::Cycle(cycle)) => Err(OrderError::NoTime { cycle, rest }),
        }
    }

    /// The same with the measures that a robot has room for, where nobody has given others.
    #[must_use]
    pub fn sized(mut self, mover: &Mover) -> Self {
        if !self.path.contains(':') && !is_file(&self.path) {
            let Placement { center, direction, .. } = self.placement(mover);
            self.measures = named::measures_within(&self.path, self.measures, mover, [center, direction]);
        }
        self
    }

    /// What to say where these measures are not those that were asked for: how large the motion is and would have been.
    pub fn resized(&self, asked: &Self) -> Option<[String; 2]> {
        let captions = [self, asked].map(|order| named::caption(&order.path, order.measures));
        (captions[0] != captions[1]).then_some(captions)
    }

    /// Where a named motion is done.
    pub fn placement(&self, mover: &Mover) -> Placement {
        Placement {
            center: self.center.unwrap_or_else(|| mover.room().0),
            direction: self.direction.unwrap_or(Vec3::new(1.0, 0.0, 0.0)),
            measures: self.measures,
        }
    }

    /// Refuses a center or a direction that the path has no use for.
    pub fn check_place(&self) -> Result<(), OrderError> {
        let given = [("center", self.center.is_some()), ("direction", self.direction.is_some())];
        for ((what, given), has) in given.into_iter().zip(named::has_place(&self.path)) {
            if given && !has {
                return Err(TaskError::NoMeasure { what, path: named::caption(&self.path, self.measures) }.into());
            }
        }
        Ok(())
    }

    /// The robot as the motion needs it: moved by its tool or by its joints, with all of its limits.
    pub fn mover(&self, robot: &Robot, pick: &Pick) -> Result<Mover, OrderError> {
        match form_of_path(&self.path, robot) {
            Form::Joints => Ok(Mover::of_joints(robot, pick)),
            Form::Tool => {
                let mover = Mover::of_tool(robot, self.orientation, pick).map_err(OrderError::NoTool)?;
                let place = self.placement(&mover).center;
                Ok(mover.near(place))
            }
        }
    }

    /// The part of the limits of torque and speed that the motion is planned with.
    pub fn share(&self, usual: f64) -> f64 {
        self.share.unwrap_or(usual)
    }

    /// The robot with the limits that the motion is planned within.
    pub fn limited(&self, mover: &Mover, usual_share: f64) -> Result<Mover, OrderError> {
        let ([moved, each], share) = (self.limits()?, self.share(usual_share));
        let part = |_, own: JointLimits| JointLimits {
            max_torque: share * own.max_torque,
            max_speed: share * own.max_speed,
            ..own
        };
        Ok(mover.clone().limited(part).within(moved, each))
    }

    /// The motion of a robot, as often as it is ordered; `usual_share` of the limits is used where the order names no other.
    /// What the robot carries is its own affair: see [`MotionOrder::payload`].
    pub fn timed(&self, robot: &Robot, pick: &Pick, usual_share: f64) -> Result<TimedMotion, OrderError> {
        let order = self.clone().resolved(robot)?;
        order.timed_by(&order.mover(robot, pick)?, usual_share)
    }

    /// The same within the limits of a [`MotionOrder::mover`], which may be other than the robot's own.
    pub fn timed_by(&self, mover: &Mover, usual_share: f64) -> Result<TimedMotion, OrderError> {
        self.watched(mover, usual_share, &mut |_| {})
    }

    /// The same; `tick` is told the share of the planning that is done, from 0 to 1.
    pub fn watched(
        &self,
        mover: &Mover,
        usual_share: f64,
        tick: &mut dyn FnMut(f64),
    ) -> Result<TimedMotion, OrderError> {
        if is_file(&self.path) {
            let timed = self.timed_file(&mover.robot, |table| table.motion().and_then(|_| table.within(mover)))?;
            return Ok(TimedMotion { pick: mover.pick.clone(), ..timed });
        }
        let profile = self.profile_choice()?;
        let task = match form_of_path(&self.path, &mover.robot) {
            Form::Joints => {
                if let Some((what, _)) = self.given().into_iter().take(6).find(|(_, given)| *given) {
                    return Err(OrderError::NotOfJoints { what });
                }
                MotionTask::of_joints(&self.path, mover, self.measures.blend)?
            }
            Form::Tool => {
                let task = MotionTask::of_tool(&self.path, mover, self.placement(mover))?;
                self.check_place()?;
                match self.turn {
                    None => task,
                    Some(turn) => self.turning(task, mover, turn)?,
                }
            }
        };
        let (strokes, rest) = task.strokes();
        let pace = self.pace(strokes, rest)?;
        let timed = task
            .watched(&self.limited(mover, usual_share)?, &profile, pace, tick)
            .map_err(|error| OrderError::from(error).with_share(self.share(usual_share)))?;
        Ok(TimedMotion { motion: timed.motion.repeated(self.cycles)?, ..timed })
    }

    /// The motion in a file, as it is, if its rows pass a check.
    pub(crate) fn timed_file(
        &self,
        robot: &Robot,
        check: impl FnOnce(&MotionTable) -> Result<(), MotionFileError>,
    ) -> Result<TimedMotion, OrderError> {
        if let Some(what) = self.beside_file() {
            return Err(OrderError::NotOfFile { what });
        }
        let table = MotionTable::read(&self.path, robot)?;
        check(&table)?;
        let motion = table.motion()?;
        let strokes = vec![motion.duration()];
        let steps = motion.samples(2000);
        let step = |pair: &[(f64, Target)]| {
            let [a, b] = [pair[0].1.moved()[0], pair[1].1.moved()[0]];
            a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt()
        };
        let length = steps.windows(2).map(step).sum();
        let (motion, note) = (motion.repeated(self.cycles)?, table.note());
        Ok(TimedMotion { motion, pick: Pick::default(), length, strokes, optimal: None, note })
    }

    /// The same with the points of a file that has no times in the place of its name.
    pub fn resolved(mut self, robot: &Robot) -> Result<Self, OrderError> {
        if is_file(&self.path)
            && let Some(path) = waypoints(&self.path, robot)?
        {
            self.path = path;
        }
        Ok(self)
    }

    /// The same with a tool that turns by an angle on its way, from the orientation that it would keep.
    fn turning(&self, task: MotionTask, mover: &Mover, turn: f64) -> Result<MotionTask, OrderError> {
        let kind = mover.robot.kind();
        if kind.tool_turns != ToolTurns::AboutZ {
            return Err(OrderError::DoesNotTurn { kind: kind.title });
        }
        let [_, _, from] = attitude(mover.orientation);
        Ok(task
            .turning([from, from + turn])
            .ok_or_else(|| TaskError::NoMeasure { what: "turn", path: named::caption(&self.path, self.measures) })?)
    }

    /// What may have been meant, or may help a robot.
    pub fn hint(&self, error: &OrderError, robot: &Robot, pick: &Pick) -> Option<String> {
        let joints = robot.joints().len();
        let kind = robot.kind();
        let in_joints = form_of_path(&self.path, robot) == Form::Joints;
        match error {
            OrderError::File(error) => return error.hint(),
            OrderError::NotOfPair { .. } => {
                return Some(String::from("give the time of a cycle, and a profile that takes it"));
            }
            OrderError::NoTool(StateError { hint: Some(hint), .. }) => return Some((*hint).to_owned()),
            OrderError::NoTool(_) => {
                return Some(format!(
                    "every robot moves in its joints: {SWING}, or joints:Q/Q with poses Q of {joints} joints"
                ));
            }
            _ => {}
        }
        Some(match error.task()? {
            TaskError::Unknown { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
            TaskError::Number { hint, .. } => hint.clone(),
            TaskError::Kind { .. } | TaskError::Points { .. } | TaskError::Coordinates { .. } => format!(
                "line:P/P, polyline:P/P/P, arc:P/P/P with points x,y,z; joints:Q/Q with poses Q of {joints} joints; or the name \
                 of a motion"
            ),
            TaskError::Path(PathError::BlendTooLong { .. }) => String::from("a shorter blend, or more height"),
            TaskError::Plan { cause, .. } => match cause {
                PlanError::TooShort { .. } => "give more time, or none for the shortest; or larger limits".into(),
                PlanError::NoDuration => "give a time for the cycle".into(),
                PlanError::NoLimit => "give max_torque or max_speed in the robot file, or a time".into(),
                PlanError::CannotHold { .. } => String::from(match error {
                    OrderError::Derated { .. } => "a larger share of the limits, a lighter payload, or other poses",
                    _ => "a lighter payload, other poses, or a larger max_torque in the robot file",
                }),
                PlanError::Jumps => {
                    "double-s, 3-4-5, 4-5-6-7, sine-on-ramp and time-optimal keep a limit of the jerk".into()
                }
                PlanError::Smoothing(_) | PlanError::SmoothingOfThis { .. } | PlanError::Profile(_) => return None,
                _ => match self.unit_hint(robot, in_joints) {
                    Some(hint) => hint.to_owned(),
                    None if in_joints => "more time, a larger share of the limits, or other poses".into(),
                    None => self.room_hint(robot, &kind, pick)?,
                },
            },
            TaskError::Belt(_) | TaskError::Follow(_) => self.room_hint(robot, &kind, pick)?,
            _ => return None,
        })
    }

    /// What is said of points that are probably in another unit.
    fn unit_hint(&self, robot: &Robot, in_joints: bool) -> Option<&'static str> {
        let dimensions = if in_joints { named::dimensions(&robot.joints()) } else { vec![Dimension::Length; 3] };
        let (_, points) = named::points(&self.path, &dimensions).ok()??;
        let most = |dimension: Dimension| {
            let all = points.iter().flat_map(|point| point.iter().zip(&dimensions));
            all.filter(|(_, own)| **own == dimension).map(|(x, _)| x.abs()).fold(0.0, f64::max)
        };
        if most(Dimension::Angle) > std::f64::consts::TAU {
            Some("angles are in rad unless they have a unit, as in `45 deg`")
        } else if most(Dimension::Length) > 20.0 {
            Some("lengths are in m unless they have a unit, as in `300 mm`")
        } else {
            None
        }
    }

    /// Where the tool of a robot has room.
    fn room_hint(&self, robot: &Robot, kind: &Kind, pick: &Pick) -> Option<String> {
        let (Vec3([x, y, z]), room) = Mover::of_tool(robot, self.orientation, pick).ok()?.room();
        let turned = if kind.tool_turns == ToolTurns::Freely { ", orientation, posture" } else { "" };
        Some(format!(
            "the {} has most room about ({x:.3}, {y:.3}, {z:.3}) m, {room:.3} m around it: another center, direction, \
             width{turned} or path",
            kind.moved
        ))
    }
}

/// A horizontal direction as it is typed: `x`, `y`, or an angle from x.
pub fn direction(text: &str) -> Result<Vec3<f64>, QuantityError> {
    Ok(match text {
        "x" => Vec3::new(1.0, 0.0, 0.0),
        "y" => Vec3::new(0.0, 1.0, 0.0),
        angle => {
            let (sin, cos) = quantity(angle, Dimension::Angle)?.sin_cos();
            Vec3::new(cos, sin, 0.0)
        }
    })
}
