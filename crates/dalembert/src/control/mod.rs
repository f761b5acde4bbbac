//! Robots under control: the sampled loop, and the drives and sensors as they are.
//!
//! ```text
//! motion ──► wish (q, q̇, q̈ wanted) ──► law ──► limits, resolution, delay ──► current rise ──► gear ──► mechanics
//!                                       ▲                                                              │
//!                                       └── velocity by difference or observer ◄── encoder ◄───────────┘
//! ```
//!
//! The laws are in [`dalembert_core::control`] and re-exported here. [`ClosedLoop`] goes from sample to sample without
//! allocation; [`Experiment`] says everything that a run needs, runs it, and sums it up.
//!
//! ```
//! use dalembert::control::{Experiment, Law};
//! use dalembert::motion::{Direction, PickAndPlace};
//! use dalembert::{Vec3, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let stroke = PickAndPlace {
//!     center: Vec3::new(0.0, 0.0, -0.85), width: 0.3, height: 0.025, duration: 0.2, direction: Direction::Y,
//! };
//! let experiment = Experiment::new(robots::d3_1200()?, "stroke", std::sync::Arc::new(stroke));
//! let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
//! assert!(run.ended.is_ok() && run.summary.error_max < 1e-3);
//! # Ok(()) }
//! ```

mod arm_model;
mod arm_subject;
mod carrying;
mod closed_loop;
mod collector;
mod conditions;
mod delta_subject;
mod drive;
mod encoder;
mod experiment;
mod mechanics;
mod motion_file;
mod outcome;
mod planning;
mod rest;
mod tuning;
mod wish;

pub use arm_model::{PumaControl, PumaState};
pub use arm_subject::{ArmLoop, ArmParts};
pub use carrying::{Carrier, CarryLoop, CarryParts, Pair};
pub(crate) use closed_loop::grip_out_of_reach;
pub use closed_loop::{ClosedLoop, ControlError, MOST_DELAY, Sample, Sampling, Setup};
pub use dalembert_core::control::{
    Carried, ControlLaw, Feedback, Gains, Impedance, Integral, Law, Limiter, carry_together, quantize,
};
pub use dalembert_core::delta::{DeltaModel, DeltaState};
pub use dalembert_core::dynamics::{Dynamics, Reference};
pub use delta_subject::{DeltaLoop, Parts};
pub use drive::{Backlash, Drive, Motors};
pub use encoder::{Encoder, VelocityFrom};
pub use experiment::{Experiment, MotionOf, PlatformMotion, Subject};
pub use mechanics::{ArmMechanics, DeltaMechanics, Mechanics};
pub use motion_file::{MotionFileError, is_file};
pub use outcome::{Outcome, Squeeze, Summary, comparison, comparison_report};
pub use rest::Verdict;
pub use tuning::{Push, Tuning, TuningError};
pub use wish::{ArmWish, DeltaWish, Wish};
