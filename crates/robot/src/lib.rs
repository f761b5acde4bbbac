//! Robots: what a robot file gives, and what everything above the formulas asks of it.
//!
//! Most people depend on `dalembert`, which re-exports these modules.
#![deny(unsafe_code)] // but for the one place in `batch` that asks the processor what it can do

pub mod batch;
pub mod robot;
pub mod suggest;
pub mod threads;

pub use dalembert_compiled as compiled;
pub use dalembert_core::{Angle, Count, Dual, Lanes, Mat3, Operations, Scalar, Sym3, Tally, Vec3};
pub use dalembert_core::{
    algebra, array, chain, delta, dynamics, friction, limits, parallel, parameter, scalar, serial, spatial, spring,
    turning,
};
pub use dalembert_linear as linear;
pub use dalembert_mechanism::{mechanism, simulate, state_error};
pub use dalembert_report as report;
pub use dalembert_symbolic as symbolic;
pub use robot::Robot;
