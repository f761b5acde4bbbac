//! The sampled closed loop of a robot: reference, control law, drive, plant, encoder, from sample to sample.
//!
//! ```text
//! motion ──► reference (q, q̇, q̈) ──► control law ──► limits, resolution, delay ──► current rise ──► gear ──► plant
//!                                       ▲                                                                  │
//!                                       └──── velocity by difference or observer ◄──── encoder ◄───────────┘
//! ```
//!
//! [`ClosedLoop`] knows no family: it is generic over the number of joints, the [`Plant`], the controller's model
//! ([`Dynamics`]), the reference and the [`ControlLaw`]. A family makes it with all types known
//! ([`Family::closed_loop`]) and gives it away as a [`SampledLoop`]: one virtual call
//! per sample. A family of one's own, in which joints are the coordinates, gets its loop from [`in_joints`].
//!
//! A control law of one's own implements [`Controller`].

mod drive;
mod encoder;
mod error;
mod law;
mod plant;
mod sampled;

pub use drive::{Backlash, Drive, Motors};
pub use encoder::{Encoder, Encoders, Reading, VelocityFrom};
pub use error::ControlError;
pub use law::{Controller, ControllerModel, JointFeedback};
pub(crate) use plant::check_side;
pub use plant::{InJoints, Plant, in_joints};
pub(crate) use sampled::is_cut;
pub use sampled::{ClosedLoop, MOST_DELAY, Setup};

use super::{Family, JointVector, Pick, Target};
use crate::Vec3;
use crate::mechanism::Mechanism;
use dalembert_core::control::{Gains, Impedance};
#[cfg(doc)]
use dalembert_core::{control::ControlLaw, dynamics::Dynamics};
use std::cell::OnceCell;

/// When the controller looks and acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// s.
    pub period: f64,
    /// Samples from reading to acting; 0: the command acts at the instant of its reading.
    pub delay: usize,
    /// Runge–Kutta steps per sample, at least; friction and gears that are stiff get more.
    pub substeps: usize,
    /// Samples from one look at the configuration to the next: what of the controller's model depends on the joints only is
    /// kept meanwhile (two rates; Armstrong, Khatib & Burdick 1986, Table 2).
    pub configuration_every: usize,
}

impl Sampling {
    /// 1 kHz, one sample of delay, four steps, the configuration at every sample.
    pub const USUAL: Self = Self { period: 1e-3, delay: 1, substeps: 4, configuration_every: 1 };
}

/// What a loop is made of, whatever the robot.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Gains of the regulator.
    pub gains: Gains<f64>,
    /// What the tool shall feel like under the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
    /// When the controller looks and acts.
    pub sampling: Sampling,
    /// The drives.
    pub drive: Drive,
    /// The sensors.
    pub encoder: Encoder,
    /// A joint whose tracking error exceeds this ends the run, as a drive does, rad (m).
    pub following_error: f64,
}

/// What a robot should do at each time: a motion, or a function of time.
pub trait Targets: Send + Sync {
    /// At a time, s.
    fn at(&self, time: f64) -> Target;

    /// Position, velocity and acceleration of a tool that does not turn, where that is all there is to say: a loop asks for
    /// it at every sample, and a whole target takes longer to hand over.
    fn point(&self, time: f64) -> Option<[Vec3<f64>; 3]> {
        let _ = time;
        None
    }
}

impl<F: Fn(f64) -> Target + Send + Sync> Targets for F {
    fn at(&self, time: f64) -> Target {
        self(time)
    }
}

/// What the loop of a robot is told: what the controller knows, what the robot should do, and how.
#[derive(Clone, Copy)]
pub struct LoopTask<'a> {
    /// The robot as the controller knows it.
    pub known: &'a dyn Family,
    /// The controller's model of it, by its name.
    pub model: &'a str,
    /// What the robot should do.
    pub motion: &'a dyn Targets,
    /// Which solution of the kinematics is meant.
    pub pick: &'a Pick,
    /// The control law.
    pub law: &'a dyn Controller,
    /// Gains, drives, sensors and sampling.
    pub settings: Settings,
    /// Where the loop keeps what it moves, if that is a mechanism.
    pub room: &'a LoopScratch,
}

/// Room for the mechanism that a loop moves, which outlives the loop.
#[derive(Default)]
pub struct LoopScratch(OnceCell<Mechanism>);

impl LoopScratch {
    /// Keeps the mechanism of one loop.
    pub fn keep(&self, mechanism: Mechanism) -> Result<&Mechanism, ControlError> {
        match self.0.get() {
            Some(_) => Err(ControlError::RoomTaken),
            None => Ok(self.0.get_or_init(|| mechanism)),
        }
    }
}

/// What there is at a sample.
#[derive(Clone, Debug)]
pub struct Sample {
    /// s.
    pub time: f64,
    /// True joints.
    pub q: JointVector,
    /// True joint velocities.
    pub qd: JointVector,
    /// True position and velocity of platform or tool.
    pub point: [Vec3<f64>; 2],
    /// Joints of the reference.
    pub reference: JointVector,
    /// Position, velocity and acceleration of platform or tool of the reference.
    pub reference_point: [Vec3<f64>; 3],
    /// Motor torque, N m (N).
    pub torque: JointVector,
    /// What the law asks for, N m (N).
    pub asked: JointVector,
    /// Whether a limit cut it, of any joint.
    pub cut: bool,
}

impl Sample {
    /// Tracking error of platform or tool, m.
    pub fn error(&self) -> Vec3<f64> {
        self.point[0] - self.reference_point[0]
    }
}

/// Name, unit and meaning of a column.
pub type Columns = Vec<(String, &'static str, String)>;

/// A robot under control, from sample to sample.
pub trait SampledLoop {
    /// Of the next sample, s.
    fn time(&self) -> f64;
    /// Runge–Kutta steps per sample.
    fn substeps(&self) -> usize;
    /// What the environment pushes with on platform or tool from now on, N.
    fn push(&mut self, force: Vec3<f64>);
    /// One sample: reads, computes, acts, and moves on to the next. What is returned is what there was when it was read.
    fn step(&mut self) -> Result<Sample, ControlError>;
    /// Further columns that it can record.
    fn columns(&self) -> Columns {
        Vec::new()
    }
    /// Their numbers at the last sample.
    fn values(&self) -> &[f64] {
        &[]
    }
    /// The force between two robots on one object that it is asked for, N; its error is the column `squeeze_error`.
    fn squeeze(&self) -> Option<Vec3<f64>> {
        None
    }
}
