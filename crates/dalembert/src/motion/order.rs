//! A motion as it is ordered: by the words and numbers of a command line or of an experiment file.
//!
//! ```
//! use dalembert::delta::Branch;
//! use dalembert::motion::{DeltaMachine, LawName, Motion, MotionOrder, Time};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let machine = DeltaMachine::new(&dalembert::robots::d3_1200()?, Branch::Out);
//! let order = MotionOrder { path: "semi-ellipse".into(), time: Some(Time::Cycle(0.4)), ..MotionOrder::default() };
//! assert_eq!(order.name(), "semi-ellipse 250 × 50 mm, sine-on-ramp");
//! assert!((order.timed(&machine, 1.0)?.motion.duration() - 0.4).abs() < 1e-12);
//! let wrong = MotionOrder { law: LawName::Parabolic, ratio: Some(2.0), ..order };
//! assert_eq!(wrong.timed(&machine, 1.0).err().unwrap().to_string(), "a ratio does not go with the profile parabolic");
//! # Ok(()) }
//! ```

use super::named::{self, Measures, Placement, Task, TaskError, Timed};
use super::{
    ChoiceError, LawChoice, MotionLimits, Pace, PathError, PlanError, Planning, RepeatError, Repeated, Smoothing,
    Workspace,
};
use crate::analyze::Reach;
use crate::control::{MotionFileError, grip_out_of_reach, is_file};
use crate::delta::{Delta, KinematicsError};
use crate::describe::{Dimension, QuantityError, quantity};
use dalembert_core::Vec3;

/// A law of time by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawName {
    /// Constant acceleration, then constant deceleration.
    Parabolic,
    /// The same with a cruise between.
    Trapezoidal,
    /// 3-4-5 polynomial.
    Polynomial345,
    /// 4-5-6-7 polynomial.
    Polynomial4567,
    /// Codourey's sine on ramp.
    SineOnRamp,
    /// Limited jerk.
    DoubleS,
    /// As fast as torques and speeds allow.
    TimeOptimal,
    /// The smallest torques for a given time.
    Gentlest,
}

impl LawName {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Parabolic,
        Self::Trapezoidal,
        Self::Polynomial345,
        Self::Polynomial4567,
        Self::SineOnRamp,
        Self::DoubleS,
        Self::TimeOptimal,
        Self::Gentlest,
    ];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parabolic => "parabolic",
            Self::Trapezoidal => "trapezoidal",
            Self::Polynomial345 => "3-4-5",
            Self::Polynomial4567 => "4-5-6-7",
            Self::SineOnRamp => "sine-on-ramp",
            Self::DoubleS => "double-s",
            Self::TimeOptimal => "time-optimal",
            Self::Gentlest => "gentlest",
        }
    }
}

/// How long a motion is to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    /// Each stroke, s.
    Stroke(f64),
    /// The whole motion once, with its rests, s; all its strokes take equally long.
    Cycle(f64),
}

/// Where to go, how, and when. What is `None` is as the name, the robot or the law has it.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionOrder {
    /// One of [`named::NAMES`], or points as in `line:P/P`: [`Task::new`]. Under control also the name of a CSV with the motion:
    /// [`Experiment::follow`](crate::control::Experiment::follow).
    pub path: String,
    /// Other measures than the name's.
    pub measures: Measures,
    /// Middle of a named motion, m; none: the centre of the workspace.
    pub center: Option<Vec3<f64>>,
    /// Horizontal direction of its strokes; none: x.
    pub direction: Option<Vec3<f64>>,
    /// What the robot carries, kg; none: as the name says, or else the robot's file.
    pub payload: Option<f64>,
    /// The law of time.
    pub law: LawName,
    /// Peak of the acceleration over that of the deceleration, of [`LawName::SineOnRamp`].
    pub ratio: Option<f64>,
    /// Along the path, of [`LawName::Trapezoidal`] and [`LawName::DoubleS`], m/s.
    pub speed: Option<f64>,
    /// The same, m/s².
    pub acceleration: Option<f64>,
    /// Of [`LawName::DoubleS`] and [`LawName::TimeOptimal`], m/s³.
    pub jerk: Option<f64>,
    /// Of [`LawName::TimeOptimal`], s; not beside a limit of the jerk, which finds its own.
    pub smoothing: Option<f64>,
    /// The part of the limits of torque and speed that the shortest time is planned with.
    pub share: Option<f64>,
    /// How long; none: as short as the limits allow.
    pub time: Option<Time>,
    /// How often.
    pub cycles: usize,
}

impl Default for MotionOrder {
    /// The 25/305/25 mm door by a sine on ramp, once, as fast as the robot can.
    fn default() -> Self {
        Self {
            path: String::from("door"),
            measures: Measures::default(),
            center: None,
            direction: None,
            payload: None,
            law: LawName::SineOnRamp,
            ratio: None,
            speed: None,
            acceleration: None,
            jerk: None,
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
    #[error("a {what} does not go with the profile {}", law.as_str())]
    NotOfLaw { what: &'static str, law: LawName },
    #[error("a limit of the jerk finds the smoothing, so there is no room for another")]
    SmoothingAndJerk,
    #[error("a {what} does not go with a motion of joints")]
    NotOfJoints { what: &'static str },
    #[error("`{path}` is no motion of a serial arm, which moves in its joints")]
    NotOfArms { path: String },
    #[error(transparent)]
    File(#[from] MotionFileError),
    #[error("a {what} does not go with a motion from a file, which has its own")]
    NotOfFile { what: &'static str },
    #[error("{what} does not go with an object that two robots carry: its time has to be given")]
    NotOfPair { what: &'static str },
    #[error("{}", grip_out_of_reach(*carrier, *time, cause))]
    GripOutOfReach { carrier: usize, time: f64, cause: KinematicsError },
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
    /// What may have been meant, or may help a robot.
    pub fn hint(&self, robot: &Delta<f64>) -> Option<String> {
        let task = match self {
            Self::Task(task) => task,
            Self::File(error) => return error.hint(),
            _ => return None,
        };
        Some(match task {
            TaskError::Unknown { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
            TaskError::Number { hint, .. } => hint.clone(),
            TaskError::Kind { .. } | TaskError::Points { .. } | TaskError::Coordinates { .. } => {
                String::from("line:P/P, polyline:P/P/P, arc:P/P/P with points x,y,z; or the name of a motion")
            }
            TaskError::Path(PathError::BlendTooLong { .. }) => String::from("a shorter blend, or more height"),
            TaskError::Choice { cause: ChoiceError::TooShort { .. }, .. } => {
                String::from("give more time, or none for the shortest; or a larger share of the limits")
            }
            TaskError::Choice { cause: ChoiceError::NoDuration, .. } => String::from("give a time for the cycle"),
            TaskError::Choice { cause: ChoiceError::Overdetermined, .. } => {
                String::from("leave out the time, or speed, acceleration and jerk")
            }
            TaskError::Choice { cause: ChoiceError::Plan(PlanError::NoLimit), .. } => {
                String::from("give max_torque or max_speed in [motor] of the robot file, or a time")
            }
            TaskError::Choice { cause: ChoiceError::Plan(PlanError::CannotHold { .. }), .. } => {
                String::from("a lighter payload, or a larger max_torque in [motor] of the robot file")
            }
            TaskError::Choice {
                cause:
                    ChoiceError::Plan(PlanError::Smoothing(_) | PlanError::SmoothingOfThis { .. } | PlanError::Jerk(_)),
                ..
            } => return None,
            TaskError::Choice { cause: ChoiceError::Plan(_), .. } | TaskError::Belt(_) => {
                let reach = Reach::of(robot);
                format!(
                    "the centre of the workspace is z = {:.4} m, around it {:.4} m are reached: another center, direction, \
                     width or path",
                    reach.center[2], reach.radius
                )
            }
            _ => return None,
        })
    }

    /// Whether the path is there, and its law of time is not.
    pub fn is_planning(&self) -> bool {
        matches!(self, Self::Task(TaskError::Choice { .. }))
    }

    /// Whether nothing limits the robot, so that there is no shortest time.
    pub fn is_without_limit(&self) -> bool {
        matches!(self, Self::Task(TaskError::Choice { cause: ChoiceError::Plan(PlanError::NoLimit), .. }))
    }
}

impl MotionOrder {
    /// As few words as tell it.
    pub fn name(&self) -> String {
        let times = if self.cycles == 1 { String::new() } else { format!(", {} times", self.cycles) };
        if is_file(&self.path) {
            return format!("{}{times}", self.path);
        }
        format!("{}, {}{times}", named::caption(&self.path, self.measures), self.law.as_str())
    }

    /// What is ordered that a motion from a file has already, if anything.
    pub(crate) fn beside_file(&self) -> Option<&'static str> {
        let Measures { width, height, blend } = self.measures;
        [
            ("center", self.center.is_some()),
            ("direction", self.direction.is_some()),
            ("width", width.is_some()),
            ("height", height.is_some()),
            ("blend", blend.is_some()),
            ("profile", self.law != Self::default().law),
            ("ratio", self.ratio.is_some()),
            ("speed", self.speed.is_some()),
            ("largest acceleration", self.acceleration.is_some()),
            ("jerk", self.jerk.is_some()),
            ("smoothing", self.smoothing.is_some()),
            ("share", self.share.is_some()),
            ("time of the cycle", self.time.is_some()),
        ]
        .into_iter()
        .find_map(|(what, given)| given.then_some(what))
    }

    /// What the robot carries, where the order says so, kg.
    pub fn payload(&self) -> Option<f64> {
        self.payload.or_else(|| named::payload(&self.path))
    }

    /// The law of time, without its path. A number that it has no use for is a mistake.
    pub fn law(&self) -> Result<LawChoice, OrderError> {
        let law = self.law;
        let limited = matches!(law, LawName::Trapezoidal | LawName::DoubleS);
        for (what, given, fits) in [
            ("ratio", self.ratio, law == LawName::SineOnRamp),
            ("speed", self.speed, limited),
            ("largest acceleration", self.acceleration, limited),
            ("jerk", self.jerk, matches!(law, LawName::DoubleS | LawName::TimeOptimal)),
            ("smoothing", self.smoothing, law == LawName::TimeOptimal),
        ] {
            if given.is_some() && !fits {
                return Err(OrderError::NotOfLaw { what, law });
            }
        }
        if let Some(share) = self.share {
            let follows = (limited && self.limits().is_some()) || (self.time.is_some() && law != LawName::TimeOptimal);
            if follows {
                return Err(OrderError::ShareOfGivenTime);
            }
            if !(share > 0.0 && share <= 1.0) {
                return Err(OrderError::Share(share));
            }
        }
        Ok(match law {
            LawName::Parabolic => LawChoice::Parabolic,
            LawName::Trapezoidal => LawChoice::Trapezoidal(self.limits()),
            LawName::Polynomial345 => LawChoice::Polynomial345,
            LawName::Polynomial4567 => LawChoice::Polynomial4567,
            LawName::SineOnRamp => LawChoice::SineOnRamp { ratio: self.ratio.unwrap_or(1.0) },
            LawName::DoubleS => LawChoice::DoubleS(self.limits()),
            LawName::Gentlest => LawChoice::Gentlest,
            LawName::TimeOptimal => {
                let smoothing = match (self.smoothing, self.jerk) {
                    (None, None) => None,
                    (Some(window), None) => Some(Smoothing::Window(window)),
                    (None, Some(jerk)) => Some(Smoothing::Jerk(jerk)),
                    (Some(_), Some(_)) => return Err(OrderError::SmoothingAndJerk),
                };
                LawChoice::TimeOptimal(Planning { smoothing, ..Planning::default() })
            }
        })
    }

    /// Those of the path, if any is given.
    fn limits(&self) -> Option<MotionLimits> {
        let Self { speed, acceleration, jerk, .. } = *self;
        let or_none = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
        (speed.is_some() || acceleration.is_some() || jerk.is_some()).then(|| MotionLimits {
            speed: or_none(speed),
            acceleration: or_none(acceleration),
            jerk: or_none(jerk),
        })
    }

    /// How long a stroke takes, of so many with so much rest between them, s.
    pub fn pace(&self, strokes: usize, rest: f64) -> Result<Pace, OrderError> {
        match self.time {
            None => Ok(Pace::Shortest),
            Some(Time::Stroke(time)) => Ok(Pace::Duration(time)),
            Some(Time::Cycle(cycle)) if cycle > rest => Ok(Pace::Duration((cycle - rest) / strokes as f64)),
            Some(Time::Cycle(cycle)) => Err(OrderError::NoTime { cycle, rest }),
        }
    }

    /// Where a named motion is done.
    pub fn placement(&self, machine: &impl Workspace) -> Placement {
        Placement {
            center: self.center.unwrap_or_else(|| machine.middle().0),
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

    /// The machine with the part of its limits of torque and speed that the order leaves it, or else `usual_share` of them.
    pub fn spared<W: Workspace>(&self, machine: &W, usual_share: f64) -> W {
        machine.spared(self.share.unwrap_or(usual_share))
    }

    /// The motion of a robot, as often as it is ordered; `usual_share` of the limits is used where the order names no other.
    /// The payload is the machine's own: see [`MotionOrder::payload`].
    pub fn timed(&self, machine: &impl Workspace, usual_share: f64) -> Result<Timed, OrderError> {
        let law = self.law()?;
        let task = Task::new(&self.path, machine, self.placement(machine))?;
        self.check_place()?;
        let (strokes, rest) = task.strokes();
        let pace = self.pace(strokes, rest)?;
        let timed = task.timed(&self.spared(machine, usual_share), &law, pace)?;
        Ok(match self.cycles {
            1 => timed,
            cycles => Timed { motion: Box::new(Repeated::new(timed.motion, cycles)?), ..timed },
        })
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
