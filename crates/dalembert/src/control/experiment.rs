//! Everything that a run needs, in one place: the robot as it is, the robot as the controller knows it, the motion, the
//! drives and sensors; and the run itself. One robot and two that carry an object differ in what [`Subject`] says.

use super::collector::{Collector, Stage};
use super::outcome::Outcome;
use super::{
    ControlError, Controller, Drive, Encoder, Gains, Law, Push, SampledLoop, Sampling, Settings, Subject, Targets,
    Tuning, TuningError,
};
use crate::Vec3;
use crate::motion::RobotMotion;
use crate::robot::file::{Dimension, quantity};
use crate::robot::{Pick, Robot, Target};
use std::f64::consts::TAU;
use std::fmt::Debug;

/// More samples than this are not recorded.
const MOST_SAMPLES: f64 = 2e6;

/// Fewer samples than this do not show what a motion does.
const LEAST_SAMPLES: f64 = 20.0;

impl Targets for RobotMotion {
    fn at(&self, time: f64) -> Target {
        RobotMotion::at(self, time)
    }

    fn point(&self, time: f64) -> Option<[Vec3<f64>; 3]> {
        self.point(time)
    }
}

/// What is to be tried.
#[derive(Clone)]
pub struct Experiment<R: Subject = Robot> {
    /// Its name; the robot's, unless somebody gives it another.
    pub name: String,
    /// The robot as it is.
    pub robot: R,
    /// The robot as the controller knows it: another payload, other masses, other friction.
    pub known: R,
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
}

impl<R: Subject> Debug for Experiment<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { model, motion_name, sampling, drive, encoder, .. } = self;
        f.debug_struct("Experiment")
            .field("robot", &self.robot.name())
            .field("known", &self.known.name())
            .field("model", model)
            .field("motion", motion_name)
            .field("sampling", sampling)
            .field("drive", drive)
            .field("encoder", encoder)
            .finish_non_exhaustive()
    }
}

impl<R: Subject> Experiment<R> {
    /// A robot that its controller knows exactly, with usual drives and sensors.
    pub fn new(robot: R, motion_name: impl Into<String>, motion: RobotMotion) -> Self {
        Self {
            name: robot.name().to_owned(),
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
        }
    }

    /// What a report is headed by: its name, and the robot's where that is another.
    pub fn title(&self) -> String {
        let robot = self.robot.name();
        if self.name == robot { robot.to_owned() } else { format!("{}, {robot}", self.name) }
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
            impedance: R::impedance(self),
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

    /// Runs it under one law. `go_on` is told the time and may end the run.
    pub fn run(&self, tuning: &Tuning, go_on: &mut dyn FnMut(f64) -> bool) -> Result<Outcome, ControlError> {
        self.check()?;
        R::run(self, tuning, go_on)
    }

    /// Refuses what no experiment can have.
    fn check(&self) -> Result<(), ControlError> {
        for (what, value) in [
            ("duration of the motion", self.motion.duration()),
            ("bandwidth", self.bandwidth),
            ("damping ratio", self.damping_ratio),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ControlError::Setting { what, value, must: "positive and finite" });
            }
        }
        if !(self.hold >= 0.0 && self.hold.is_finite()) {
            let value = self.hold;
            return Err(ControlError::Setting { what: "time to hold", value, must: "zero or positive, and finite" });
        }
        Ok(())
    }

    /// What a loop is made of under a law.
    pub(super) fn settings(&self, tuning: &Tuning) -> Settings {
        Settings {
            gains: tuning.gains,
            impedance: tuning.impedance,
            look_ahead: tuning.look_ahead,
            sampling: self.sampling,
            drive: self.drive,
            encoder: self.encoder,
            following_error: self.following_error,
        }
    }

    /// Runs a loop over the motion and the hold, and sums it up.
    pub(super) fn record(
        &self,
        tuning: &Tuning,
        closed: &mut dyn SampledLoop,
        stage: Stage<'_>,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        let moving = self.motion.duration() / self.sampling.period;
        if moving < LEAST_SAMPLES {
            let what = "number of samples during the motion";
            return Err(ControlError::Setting {
                what,
                value: moving,
                must: "at least 20: what is between is not seen",
            });
        }
        let total = self.motion.duration() + self.hold;
        let samples = (total / self.sampling.period).round();
        if !(1.0..=MOST_SAMPLES).contains(&samples) {
            return Err(ControlError::Setting { what: "number of samples", value: samples, must: "1 to 2,000,000" });
        }
        let mut collector = Collector::new(self, tuning, stage, closed);
        let begun = std::time::Instant::now();
        let mut ended = Ok(());
        for _ in 0..=samples as u64 {
            let time = closed.time();
            if !go_on(time) {
                ended = Err(ControlError::Interrupted { time });
                break;
            }
            closed.push(self.force(time));
            match closed.step() {
                Ok(sample) => collector.add(&sample, closed.values()),
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        Ok(collector.finish(ended, begun.elapsed()))
    }

    /// What the environment pushes with from a sample to the next, the mean: a short push keeps its impulse.
    fn force(&self, time: f64) -> Vec3<f64> {
        let period = self.sampling.period;
        self.pushes.iter().fold(Vec3::zero(), |sum, push| {
            let overlap = (push.start + push.duration).min(time + period) - push.start.max(time);
            sum + push.force * (overlap.max(0.0) / period)
        })
    }
}
