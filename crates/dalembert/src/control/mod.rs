//! Robots under control: experiments, their runs and what comes out of them.
//!
//! The sampled loop with its drives and sensors is [`robot::closed_loop`](crate::robot::closed_loop), the control laws are
//! [`dalembert_core::control`]; both are re-exported here. [`Experiment`] says everything that a run needs, runs it, and
//! sums it up; [`ExperimentFile`] reads it from a file. A control law of one's own implements [`Controller`].
//!
//! ```
//! use dalembert::control::{Experiment, Law};
//! use dalembert::motion::{Direction, PickAndPlace, RobotMotion};
//! use dalembert::robot::Robot;
//! use dalembert::Vec3;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let stroke = PickAndPlace {
//!     center: Vec3::new(0.0, 0.0, -0.85), width: 0.3, height: 0.025, stroke: 0.2, direction: Direction::Y,
//! };
//! let experiment = Experiment::new(Robot::find("d3-1200")?, "stroke", RobotMotion::translating(stroke));
//! let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
//! assert!(run.ended.is_ok() && run.summary.error_max < 1e-3);
//! # Ok(()) }
//! ```

mod conditions;
mod experiment;
mod file;
mod outcome;
mod rest;
mod run;

pub use crate::robot::closed_loop::{
    Backlash, ClosedLoop, Columns, ControlError, Controller, ControllerModel, Drive, Encoder, Encoders, InJoints,
    JointFeedback, LoopScratch, LoopTask, MOST_DELAY, Motors, Plant, Reading, Sample, SampledLoop, Sampling, Settings,
    Setup, Targets, VelocityFrom,
};
pub use crate::robot::families::{Carrier, Pair};
pub use dalembert_core::control::{
    CarriedObject, ControlLaw, Feedback, Gains, Impedance, Integral, Law, Limiter, carry_together, quantize,
};
pub use dalembert_core::dynamics::{Dynamics, Reference};
pub use experiment::{Experiment, Push, Tuning, TuningError};
pub use file::{ExperimentFile, Knowledge, SetupError, SimulationFile, find_robot};
pub use outcome::{ControlRun, ControlSummary, Squeeze, comparison, comparison_report, comparison_table};
pub use rest::{HeldJoint, Hold, RestVerdict, Unrest};
