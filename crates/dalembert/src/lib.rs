//! Dalembert: exact, explicit and fast dynamic models of Deltas, other parallel robots and serial arms.
//!
//! ```
//! use dalembert::{Vec3, delta::Branch, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let pose = robot.at_position(Vec3::new(0.1, 0.0, -0.85), Branch::Out)?;
//! let moving = pose.moving(Vec3::new(1.0, 0.0, 0.0));
//! let torque = moving.torque(Vec3::new(0.0, 0.0, 10.0)); // inverse dynamics
//! let acceleration = moving.acceleration(torque); // forward dynamics
//! assert!((acceleration[2] - 10.0).abs() < 1e-12);
//! # Ok(()) }
//! ```
//!
//! The formulas are in [`dalembert_core`] and are re-exported here. This crate reads and writes robots, plans their motions,
//! simulates and controls them, analyses them, and converts the conventions of other software. Tables, charts and pages are in
//! [`report`], which knows no robot; the features `parquet` and `png` let it write such files. The feature `parallel` computes
//! maps, usable regions and sensitivities on all processors. `docs/glossary.md` explains the terms.
#![deny(unsafe_code)]

pub mod analyze;
pub mod cell;
pub mod control;
pub mod convert;
pub mod identify;
pub mod motion;
pub mod verbs;

pub use dalembert_compiled as compiled;
pub use dalembert_core::{Angle, Count, Dual, Lanes, Mat3, Operations, Scalar, Sym3, Tally, Vec3};
pub use dalembert_core::{
    algebra, chain, delta, dynamics, friction, limits, parallel, parameter, scalar, serial, spatial, spring, turning,
};
pub use dalembert_linear as linear;
pub use dalembert_mechanism::{mechanism, simulate};
pub use dalembert_report as report;
pub use dalembert_robot::{batch, robot, suggest, threads};
pub use dalembert_symbolic as symbolic;
pub use robot::Robot;
pub use robot::built_in as robots;
pub use robot::families::{DeltaRobot, ParallelRobot, SerialRobot};

/// The example of README.md, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
