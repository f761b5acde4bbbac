//! Everything that a run needs, in one place: the robot as it is, the robot as the controller knows it, the motion, the
//! drives and sensors.

use super::{
    ControlError, Controller, Drive, Encoder, Gains, Impedance, Law, LoopScratch, LoopTask, SampledLoop, Sampling,
    Settings, Targets,
};
use crate::Vec3;
use crate::motion::{
    Dwell, MotionOrder, MotionPace, OrderError, ProfileChoice, RobotMotion, Time, TimedMotion, form_of_path, is_file,
    is_tolerated,
};
use crate::robot::file::{Dimension, quantity};
use crate::robot::{Form, JointVector, Load, Model, Pick, Robot, State, StateError, Target, Violation, violations};
use crate::spatial::Wrench;
use crate::suggest::closest;
use std::f64::consts::TAU;
use std::ops::Range;

impl Targets for RobotMotion {
    fn at(&self, time: f64) -> Target {
        RobotMotion::at(self, time)
    }

    fn point(&self, time: f64) -> Option<[Vec3<f64>; 3]> {
        self.point(time)
    }
}

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name; the robot's, unless somebody gives it another.
    pub name: String,
    /// The robot as it is.
    pub robot: Robot,
    /// The robot as the controller knows it: another payload, other masses, other friction.
    pub known: Robot,
    /// The controller's model of it, by its name.
    pub model: String,
    /// Name of the motion.
    pub motion_name: String,
    /// The motion.
    pub motion: RobotMotion,
    /// How many cycles the motion is made of.
    pub cycles: usize,
    /// How long the robot then holds, s: time to settle, or not.
    pub hold: f64,
    /// Which solution of the kinematics is meant.
    pub pick: Pick,
    /// When the controller looks and acts.
    pub sampling: Sampling,
    /// The drives.
    pub drive: Drive,
    /// The sensors.
    pub encoder: Encoder,
    /// External forces on the tool, each with its time.
    pub pushes: Vec<Push>,
    /// Bandwidth of the regulators, rad/s.
    pub bandwidth: f64,
    /// Damping ratio of the regulators; 1: no overshoot.
    pub damping_ratio: f64,
    /// The third pole of the laws with integral, over the bandwidth.
    pub slow_pole: f64,
    /// Stiffness of the law `impedance`, N/m; `None`: as stiff as the bandwidth makes the other laws.
    pub stiffness: Option<f64>,
    /// Time by which some laws look ahead, s; `None`: what the drive and the sampling delay a slow signal by.
    pub look_ahead: Option<f64>,
    /// A joint whose tracking error exceeds this ends the run, rad (m).
    pub following_error: f64,
    /// Where the motion is smaller than its name says: its size, and the size of its name, in words.
    pub resized: Option<[String; 2]>,
}

impl Experiment {
    /// A robot that its controller knows exactly, with usual drives and sensors.
    pub fn new(robot: Robot, motion_name: impl Into<String>, motion: RobotMotion) -> Self {
        Self {
            name: robot.name.clone(),
            known: robot.clone(),
            robot,
            model: String::from("exact"),
            motion_name: motion_name.into(),
            motion,
            cycles: 1,
            hold: 0.1,
            pick: Pick::default(),
            sampling: Sampling::USUAL,
            drive: Drive::USUAL,
            encoder: Encoder::USUAL,
            pushes: Vec::new(),
            bandwidth: TAU * 12.0,
            damping_ratio: 1.0,
            slow_pole: 0.2,
            stiffness: None,
            look_ahead: None,
            following_error: 0.5,
            resized: None,
        }
    }

    /// What a report is headed by: its name, and the robot's where that is another.
    pub fn title(&self) -> String {
        let robot = &self.robot.name;
        if self.name == *robot { robot.clone() } else { format!("{}, {robot}", self.name) }
    }

    /// T_m unless said otherwise: the current's rise, the delay, and half a sample for holding the command.
    pub fn usual_look_ahead(&self) -> f64 {
        self.drive.current_rise + (self.sampling.delay as f64 + 0.5) * self.sampling.period
    }

    /// A control law, built in or one's own, with this experiment's bandwidth and damping.
    pub fn tuning(&self, law: impl Controller + 'static) -> Tuning {
        let (omega, zeta) = (self.bandwidth, self.damping_ratio);
        let gains = if law.integrates() { Gains::pid(omega, zeta, self.slow_pole) } else { Gains::pd(omega, zeta) };
        Tuning {
            label: law.name().to_owned(),
            law: Box::new(law),
            gains,
            impedance: self.impedance(),
            look_ahead: self.look_ahead.unwrap_or(self.usual_look_ahead()),
        }
    }

    /// A law by its name, with its look-ahead where the name ends with one: `pd`, `feedforward@2ms`, `feedforward@0`.
    pub fn parse_tuning(&self, text: &str) -> Result<Tuning, TuningError> {
        let (name, time) = match text.split_once('@') {
            Some((name, time)) => (name.trim(), Some(time.trim())),
            None => (text.trim(), None),
        };
        let law = Law::parse(name).ok_or_else(|| TuningError::Unknown { name: name.to_owned() })?;
        let mut tuning = self.tuning(law);
        if let Some(time) = time {
            if !law.looks_ahead() {
                return Err(TuningError::NoLook { law: law.as_str() });
            }
            tuning.look_ahead = match quantity(time, Dimension::Time) {
                Ok(value) if value >= 0.0 => value,
                _ => return Err(TuningError::Time { time: time.to_owned() }),
            };
            tuning.label = format!("{}@{time}", law.as_str());
        }
        Ok(tuning)
    }

    /// What platform, tool or object shall feel like under the law `impedance`: by the mass that it feels like at the start.
    fn impedance(&self) -> Impedance<f64> {
        let Self { known, motion, pick, bandwidth, damping_ratio, stiffness, .. } = self;
        let state = known.at(&motion.at(0.0), pick).ok();
        let Some((state, model)) = state.zip(known.build_model("exact").ok()) else {
            return Impedance::isotropic(stiffness.unwrap_or(0.0), *damping_ratio, 0.0);
        };
        let square = bandwidth * bandwidth;
        match model.tool_mass(&state) {
            // The means over the directions; of those that it turns in as well, if there are any. A stiffness that was asked
            // for changes the springs against turning in proportion.
            Some(apparent_mass) => {
                let mean = |of: Range<usize>| {
                    of.clone().map(|i| apparent_mass.mass[i][i]).sum::<f64>() / of.len().max(1) as f64
                };
                let (mass, inertia) = (mean(0..3), mean(3..apparent_mass.mass.len()));
                let stiffness = stiffness.unwrap_or(mass * square);
                let turning_stiffness = inertia * (stiffness / mass);
                Impedance {
                    turning_stiffness,
                    turning_damping: 2.0 * damping_ratio * (turning_stiffness * inertia).sqrt(),
                    ..Impedance::isotropic(stiffness, *damping_ratio, mass)
                }
            }
            None => {
                let [mass, inertia] = apparent_mass(&*model, &state);
                let square = stiffness.map_or(square, |stiffness| stiffness / mass);
                Impedance::of_tool(mass * square, inertia * square, 2.0 * damping_ratio * square.sqrt())
            }
        }
    }

    /// The robot under a control law, at the start of its motion.
    pub fn closed_loop<'a>(
        &'a self,
        tuning: &'a Tuning,
        room: &'a LoopScratch,
    ) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        if let Some(law) = tuning.law.built_in()
            && self.sampling.configuration_every > 1
            && !law.asks_at_configuration()
        {
            let why =
                "the configuration is looked at less often than at every sample, and it does not ask its model there";
            return Err(ControlError::LawDoesNotApply { law: tuning.label.clone(), why });
        }
        let settings = Settings {
            gains: tuning.gains,
            impedance: tuning.impedance,
            look_ahead: tuning.look_ahead,
            sampling: self.sampling,
            drive: self.drive,
            encoder: self.encoder,
            following_error: self.following_error,
        };
        let (known, model) = (self.known.family(), self.known.model_name(&self.model)?);
        let task = LoopTask { known, model, motion: &self.motion, pick: &self.pick, law: &*tuning.law, settings, room };
        self.robot.closed_loop(&task)
    }

    /// Refuses what no experiment can have.
    pub(super) fn check(&self) -> Result<(), ControlError> {
        let positive = |what, value: f64| (what, value, value > 0.0 && value.is_finite(), "positive and finite");
        let holds = self.hold >= 0.0 && self.hold.is_finite();
        all_true([
            positive("duration of the motion", self.motion.duration()),
            positive("bandwidth", self.bandwidth),
            positive("damping ratio", self.damping_ratio),
            ("time to hold", self.hold, holds, "zero or positive, and finite"),
        ])
    }
}

/// Refuses the first setting that is not what it must be.
pub(super) fn all_true<const N: usize>(
    settings: [(&'static str, f64, bool, &'static str); N],
) -> Result<(), ControlError> {
    match settings.into_iter().find(|(_, _, is_true, _)| !is_true) {
        Some((what, value, _, must)) => Err(ControlError::Setting { what, value, must }),
        None => Ok(()),
    }
}

/// Mass, kg, and inertia, kg m², that a tool feels like with all joints free: a force or moment over what it accelerates the
/// tool by in its own direction, the mean over the directions; those that move most count most.
fn apparent_mass(model: &dyn Model, state: &State) -> [f64; 2] {
    let held = model.gravity_torque(state);
    let mut sums = [0.0; 2];
    for k in 0..6 {
        let unit = Vec3::from_fn(|i| if i == k % 3 { 1.0 } else { 0.0 });
        let (force, moment) = if k < 3 { (unit, Vec3::zero()) } else { (Vec3::zero(), unit) };
        if let Ok(moved) = model.accelerated(state, &held, Wrench { force, moment }) {
            sums[k / 3] += moved.tool.acceleration.components()[k];
        }
    }
    // A tool that does not turn has no inertia to speak of.
    sums.map(|sum| if sum > 0.0 { 3.0 / sum } else { 0.0 })
}

/// Places of a motion at which a robot is asked whether it can be there.
const PLACES: usize = 500;

impl Experiment {
    /// The part of the limits of torque and speed that a motion without a time is planned with: the rest is for the controller.
    pub const SHARE: f64 = 0.7;

    /// Time of a stroke of a tool, and of joints, where neither an order nor a limit says how long it takes, s.
    pub const STROKES: [f64; 2] = [0.3, 1.0];

    /// A robot that does what is ordered and that its controller knows exactly, with usual drives and sensors.
    pub fn ordered(robot: Robot, order: &MotionOrder) -> Result<Self, OrderError> {
        let mut experiment = Self::resting(robot);
        experiment.follow(order)?;
        Ok(experiment)
    }

    /// A robot at rest at home, until it gets a motion to [`follow`](Experiment::follow).
    pub fn resting(robot: Robot) -> Self {
        let [of_tool, of_joints] = Self::STROKES;
        let rest = match robot.home() {
            Ok(State { tool, .. }) if robot.kind().form == Form::Tool => {
                RobotMotion::translating(Dwell { position: tool.pose.origin, duration: of_tool })
            }
            home => {
                let position = home.map_or(JointVector::zero(robot.joints().len()), |state| state.joints.q);
                RobotMotion::of_joints(Dwell { position, duration: of_joints })
            }
        };
        Self::new(robot, "rest", rest)
    }

    /// Lets the robot do what is ordered.
    ///
    /// The motion is planned for the robot as the controller knows it, within the limits of the robot as it is. Without a time
    /// it is as short as [`Experiment::SHARE`] of those limits allows; a robot without limits takes one of
    /// [`Experiment::STROKES`] for each stroke. What the robot carries is its own affair: [`MotionOrder::payload`] is what
    /// the order says of it. Along a path of the tool [`Experiment::pick`] becomes the solution of the kinematics that was planned.
    ///
    /// A path that is the name of a CSV with `t` is the motion in that file ([`MotionTable`](crate::motion::MotionTable)), taken as
    /// it is: each row has to be in reach, and within the limits of position and speed.
    pub fn follow(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        self.follow_watched(order, &mut |_| {})
    }

    /// The same; `tick` is told the share of the planning that is done, from 0 to 1.
    pub fn follow_watched(&mut self, order: &MotionOrder, tick: &mut dyn FnMut(f64)) -> Result<(), OrderError> {
        let order = &order.clone().resolved(&self.known)?;
        let (note, sized);
        if is_file(&order.path) {
            let timed = order.timed_file(&self.known, |table| table.check(|target| self.violations(target)))?;
            (self.motion, note, sized) = (timed.motion, timed.note, order.clone());
        } else {
            sized = self.sized(order);
            self.resized = sized.resized(order);
            (self.motion, self.pick, note) = match self.plan(&sized, tick) {
                Err(error) if error.is_without_limit() && order.time.is_none() => {
                    let [of_tool, of_joints] = Self::STROKES;
                    let stroke = match form_of_path(&order.path, &self.robot) {
                        Form::Tool => of_tool,
                        Form::Joints => of_joints,
                    };
                    self.plan(&MotionOrder { time: Some(Time::Stroke(stroke)), share: None, ..sized.clone() }, tick)
                }
                planned => planned,
            }?;
        }
        let note = note.map_or(String::new(), |note| format!(" ({note})"));
        (self.motion_name, self.cycles) = (sized.name() + &note, order.cycles);
        Ok(())
    }

    /// The order with the measures that there is room for.
    fn sized(&self, order: &MotionOrder) -> MotionOrder {
        match order.mover(&self.known, &self.pick) {
            Ok(mover) if self.robot.kind().has_shortest_times => order.clone().sized(&mover),
            _ => order.clone(),
        }
    }

    /// The motion that an order means for the robot as the controller knows it, within the limits of the robot as it is, and
    /// the solution of the kinematics that it is followed on; with [`TimedMotion::note`].
    fn plan(
        &self,
        order: &MotionOrder,
        tick: &mut dyn FnMut(f64),
    ) -> Result<(RobotMotion, Pick, Option<String>), OrderError> {
        let Self { robot, known, pick, .. } = self;
        let shortest = [
            ("a shortest time", matches!(order.pace(1, 0.0), Ok(MotionPace::Shortest))),
            ("the profile time-optimal", matches!(order.profile, ProfileChoice::TimeOptimal(_))),
            ("the profile minimum-torque", order.profile == ProfileChoice::MinimumTorque),
        ];
        if let Some((what, _)) = shortest.into_iter().find(|(_, asked)| *asked && !robot.kind().has_shortest_times) {
            return Err(OrderError::NotOfPair { what });
        }
        let joints = robot.joints();
        let mover = order.mover(known, pick)?;
        let mover = mover.limited(|i, own| joints.get(i).map_or(own, |joint| joint.limits));
        let TimedMotion { motion, note, .. } = order.watched(&mover, Self::SHARE, tick)?;
        if !robot.kind().has_shortest_times {
            // No planner has looked at the path.
            for (_, target) in motion.samples(PLACES) {
                known.at(&target, pick).and_then(|_| robot.at(&target, pick)).map_err(OrderError::NoTool)?;
            }
        }
        Ok((motion, mover.pick.clone(), note))
    }

    /// The limits that a target exceeds, as the controller knows the robot; or why the robot cannot be there at all.
    pub(super) fn violations(&self, target: &Target) -> Result<Vec<Violation>, StateError> {
        let Self { robot, known, pick, .. } = self;
        let Load { joints, torque, ball_angles, .. } = known.joint_load(target, pick)?;
        let mut all = violations(&robot.joints(), &joints.q, ball_angles.as_deref(), Some(&joints.qd), Some(&torque));
        all.retain(|violation| !is_tolerated(violation));
        Ok(all)
    }
}

/// A force of the environment on the platform or tool for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// When it begins, s.
    pub start: f64,
    /// How long, s.
    pub duration: f64,
    /// Base frame, N.
    pub force: Vec3<f64>,
}

/// A control law with its gains.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Its name in tables: that of the law, and its look-ahead where it was given.
    pub label: String,
    /// The law, built in or one's own.
    pub law: Box<dyn Controller>,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
}

/// Why a text is no control law.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TuningError {
    #[error("there is no control law `{name}`")]
    Unknown { name: String },
    #[error("the control law `{law}` does not look ahead, so it takes no time after @")]
    NoLook { law: &'static str },
    #[error("`{time}` after @ is no time")]
    Time { time: String },
}

impl TuningError {
    /// What may have been meant.
    pub fn hint(&self) -> Option<String> {
        let names = Law::ALL.map(Law::as_str);
        match self {
            Self::Unknown { name } => Some(match closest(name, names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("control laws are {}", names.join(", ")),
            }),
            Self::NoLook { .. } => Some(String::from("feedforward and feedforward+mass do")),
            Self::Time { .. } => Some(String::from("as in feedforward@2ms")),
        }
    }
}
