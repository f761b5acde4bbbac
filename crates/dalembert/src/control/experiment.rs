//! Everything that a run needs, in one place: the robot as it is, the robot as the controller knows it, the motion, the
//! drives and sensors; and the run itself.

use super::closed_loop::{ClosedLoop, ControlError, Sample, Sampling, Setup};
use super::outcome::{Collector, Outcome};
use super::{
    Backlash, DeltaMechanics, DeltaModel, DeltaWish, Drive, Encoder, Gains, Impedance, JointModel, JointState, Law,
    Motors, Wish,
};
use crate::delta::{AnyModel, Branch, Delta, ModelName};
use crate::describe::{Dimension, Robot, quantity};
use crate::motion::Motion;
use crate::suggest::closest;
use crate::{Mat3, Vec3};
use std::f64::consts::TAU;
use std::sync::Arc;

/// More samples than this are not recorded.
const MOST_SAMPLES: f64 = 2e6;

/// A force of the environment on the platform for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// When it begins, s.
    pub start: f64,
    /// How long, s.
    pub duration: f64,
    /// Base frame, N.
    pub force: Vec3<f64>,
}

/// A law with its gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// How it is called in tables; its law's name, and its look-ahead where it was given.
    pub label: String,
    /// The law.
    pub law: Law,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
}

/// Why a text is no law.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TuningError {
    #[error("there is no law `{name}`")]
    Unknown { name: String },
    #[error("the law `{law}` does not look ahead, so it takes no time after @")]
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
                None => format!("laws are {}", names.join(", ")),
            }),
            Self::NoLook { .. } => Some(String::from("feedforward and feedforward+mass do")),
            Self::Time { .. } => Some(String::from("as in feedforward@2ms")),
        }
    }
}

/// A motion of the platform, of any kind.
pub type PlatformMotion = Arc<dyn Motion<Point = Vec3<f64>> + Send + Sync>;

/// What is to be tried.
#[derive(Clone)]
pub struct Experiment {
    /// The robot as it is.
    pub robot: Robot,
    /// The robot as the controller knows it: another payload, other masses, other friction.
    pub known: Robot,
    /// The controller's model of it.
    pub model: ModelName,
    /// How the motion is called.
    pub motion_name: String,
    /// The motion of the platform.
    pub motion: PlatformMotion,
    /// How many cycles the motion is made of.
    pub cycles: usize,
    /// How long the robot then holds, s: time to settle, or not.
    pub hold: f64,
    /// Of the elbows.
    pub branch: Branch,
    /// When the controller looks and acts.
    pub sampling: Sampling,
    /// The drives.
    pub drive: Drive,
    /// The sensors.
    pub encoder: Encoder,
    /// From outside.
    pub pushes: Vec<Push>,
    /// Of the regulators, rad/s.
    pub bandwidth: f64,
    /// Of the regulators; 1: no overshoot.
    pub damping_ratio: f64,
    /// The third pole of the laws with integral, over the bandwidth.
    pub slow_pole: f64,
    /// Of the law `impedance`, N/m; `None`: as stiff as the bandwidth makes the other laws.
    pub stiffness: Option<f64>,
    /// Of the laws that look ahead, s; `None`: what the drive and the sampling delay a slow signal by.
    pub look_ahead: Option<f64>,
    /// A joint that is farther off than this ends the run, rad.
    pub following_error: f64,
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { model, motion_name, sampling, drive, encoder, .. } = self;
        f.debug_struct("Experiment")
            .field("robot", &self.robot.name)
            .field("known", &self.known.name)
            .field("model", model)
            .field("motion", motion_name)
            .field("sampling", sampling)
            .field("drive", drive)
            .field("encoder", encoder)
            .finish_non_exhaustive()
    }
}

impl Experiment {
    /// A robot that its controller knows exactly, with usual drives and sensors.
    pub fn new(robot: Robot, motion_name: impl Into<String>, motion: PlatformMotion) -> Self {
        Self {
            known: robot.clone(),
            robot,
            model: ModelName::Exact,
            motion_name: motion_name.into(),
            motion,
            cycles: 1,
            hold: 0.1,
            branch: Branch::Out,
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

    /// T_m unless said otherwise: the current's rise, the delay, and half a sample for holding the command.
    pub fn usual_look_ahead(&self) -> f64 {
        self.drive.current_rise + (self.sampling.delay as f64 + 0.5) * self.sampling.period
    }

    /// A law with this experiment's bandwidth and damping.
    pub fn tuning(&self, law: Law) -> Tuning {
        let (omega, zeta) = (self.bandwidth, self.damping_ratio);
        let gains = if law.integrates() { Gains::pid(omega, zeta, self.slow_pole) } else { Gains::pd(omega, zeta) };
        let mass = self.mass_felt();
        Tuning {
            label: law.as_str().to_owned(),
            law,
            gains,
            impedance: Impedance::isotropic(self.stiffness.unwrap_or(mass * omega * omega), zeta, mass),
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

    /// Mass that the platform feels like at the start, the mean over the directions, kg.
    fn mass_felt(&self) -> f64 {
        let pose = self.known.delta.pose_unchecked(self.motion.at(0.0).position, self.branch);
        let mass: Mat3<f64> = pose.cartesian_mass_matrix();
        (mass[0][0] + mass[1][1] + mass[2][2]) / 3.0
    }

    /// Runs it under one law. `go_on` is told the time and may end the run.
    pub fn run(&self, tuning: &Tuning, go_on: &mut dyn FnMut(f64) -> bool) -> Result<Outcome, ControlError> {
        let parts = Parts::new(self)?;
        let mut closed = parts.closed_loop(self, tuning)?;
        let total = self.motion.duration() + self.hold;
        let samples = (total / self.sampling.period).round();
        if !(1.0..=MOST_SAMPLES).contains(&samples) {
            return Err(ControlError::Setting { what: "number of samples", value: samples, must: "1 to 2,000,000" });
        }
        let mut collector = Collector::new(self, tuning, closed.substeps(), samples as usize);
        let begun = std::time::Instant::now();
        let mut ended = Ok(());
        for _ in 0..=samples as u64 {
            let time = closed.time();
            if !go_on(time) {
                ended = Err(ControlError::Interrupted { time });
                break;
            }
            closed.force = self.force(time);
            match closed.step() {
                Ok(sample) => collector.add(&sample),
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        Ok(collector.finish(ended, begun.elapsed()))
    }

    /// What the environment pushes with from a sample to the next.
    fn force(&self, time: f64) -> Vec3<f64> {
        let acting = self.pushes.iter().filter(|push| (push.start..push.start + push.duration).contains(&time));
        acting.fold(Vec3::zero(), |sum, push| sum + push.force)
    }
}

/// What a loop over a Delta borrows.
#[derive(Debug)]
pub struct Parts {
    known: Delta<f64>,
    model: AnyModel<f64>,
    mechanics: DeltaMechanics,
    motors: Motors<3>,
}

/// The loop of an [`Experiment`].
pub type DeltaLoop<'p> = ClosedLoop<3, DeltaMechanics, DeltaModel<'p, f64, AnyModel<f64>>, DeltaWish<'p>>;

impl Parts {
    /// The robots of an experiment, ready to run.
    pub fn new(experiment: &Experiment) -> Result<Self, ControlError> {
        let Experiment { robot, known, .. } = experiment;
        for (what, value) in [
            ("duration of the motion", experiment.motion.duration()),
            ("bandwidth", experiment.bandwidth),
            ("damping ratio", experiment.damping_ratio),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ControlError::Setting { what, value, must: "positive and finite" });
            }
        }
        if !(experiment.hold >= 0.0 && experiment.hold.is_finite()) {
            let value = experiment.hold;
            return Err(ControlError::Setting { what: "time to hold", value, must: "zero or positive, and finite" });
        }
        experiment.model.applies_to(known.delta.parameters())?;
        let mut parameters = *robot.delta.parameters();
        let motors = Motors {
            max_torque: robot.limits.map(|limits| limits.max_torque),
            max_speed: robot.limits.map(|limits| limits.max_speed),
            rotor: parameters.arms.map(|arm| arm.reflected_rotor_inertia()),
            friction: parameters.arms.map(|arm| arm.motor.friction),
        };
        if let Some(Backlash { .. }) = experiment.drive.backlash {
            // Behind a gear with play rotor and friction are the motor's, not the arm's.
            for arm in &mut parameters.arms {
                arm.motor.rotor_inertia = 0.0;
                arm.motor.friction = None;
            }
        }
        Ok(Self {
            known: known.delta,
            model: experiment.model.build(known.delta.parameters()),
            mechanics: DeltaMechanics::new(&Delta::new(parameters), experiment.branch),
            motors,
        })
    }

    /// The loop at the start of the motion, at rest under the torques that the model holds it with.
    pub fn closed_loop<'p>(
        &'p self,
        experiment: &'p Experiment,
        tuning: &Tuning,
    ) -> Result<DeltaLoop<'p>, ControlError> {
        let wish = DeltaWish { robot: &self.known, branch: experiment.branch, motion: &*experiment.motion };
        let first = wish.at(0.0)?;
        let start = experiment
            .robot
            .delta
            .at_position(first.point[0], experiment.branch)
            .map_err(|cause| ControlError::OutOfReach { time: 0.0, cause })?;
        let assembly = start.assembly();
        let model = DeltaModel { robot: &self.known, model: &self.model, assembly };
        let still = model.at(first.q, [0.0; 3]);
        let inertia = [0, 1, 2].map(|i| {
            let unit = std::array::from_fn(|k| if k == i { 1.0 } else { 0.0 });
            still.inertia_times(unit)[i]
        });
        let setup = Setup {
            law: tuning.law,
            gains: tuning.gains,
            impedance: tuning.impedance,
            look_ahead: tuning.look_ahead,
            inertia,
            sampling: experiment.sampling,
            drive: experiment.drive,
            motors: self.motors,
            encoder: experiment.encoder,
            following_error: experiment.following_error,
        };
        let state = [start.position.0, first.point[1].0];
        ClosedLoop::new(self.mechanics, model, wish, setup, state, still.gravity())
    }
}

impl Sample<3> {
    /// How far the platform is off, m.
    pub fn error(&self) -> Vec3<f64> {
        self.point[0] - self.wanted.point[0]
    }
}
