//! Exact kinematics and dynamics of Delta parallel robots: `no_std`, no allocation, no panic on input, every formula
//! written once and generic over the number it is evaluated with.
//!
//! Conventions (stated once, in `docs/conventions.md`): SI units and radians, base frame right-handed with z up,
//! `q = 0` horizontal outward and positive downward, torque at the joint side of the gear.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "std")]
extern crate std;

pub mod algebra;
pub mod control;
pub mod delta;
pub mod dynamics;
pub mod friction;
pub mod parameter;
pub mod scalar;
pub mod serial;
pub mod spatial;

pub use algebra::{Angle, Mat3, Sym3, Vec3};
pub use scalar::{Count, Dual, Lanes, Operations, Real, Scalar, Tally};
