//! Mechanisms: bodies and holonomic constraints that compose to equations of motion, and their simulation with contacts and events.
//!
//! Most people depend on `dalembert`, which re-exports both modules.
#![deny(unsafe_code)]

pub mod mechanism;
pub mod simulate;
pub mod state_error;

pub use dalembert_core::{Angle, Dual, Mat3, Scalar, Sym3, Vec3};
pub use dalembert_core::{
    algebra, array, chain, delta, friction, limits, parallel, parameter, serial, spatial, spring,
};
pub use dalembert_linear as linear;
