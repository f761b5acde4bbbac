//! Exact kinematics, dynamics and control laws of Delta robots and serial arms: `no_std`, without allocation, without panics on
//! input. Every formula is written once and is generic over the number with which it is evaluated.
//!
//! `docs/conventions.md` states the conventions: SI units and radians, a right-handed base frame with z up, torques at the joint
//! side of the gear; the arm of a Delta is horizontal and points outward at `q = 0`, and `q` is positive downward.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "std")]
extern crate std;

pub mod algebra;
pub mod array;
#[cfg(feature = "std")]
pub mod chain;
pub mod control;
pub mod delta;
pub mod dynamics;
pub mod friction;
pub mod limits;
pub mod parallel;
pub mod parameter;
pub mod random;
pub mod scalar;
pub mod serial;
pub mod spatial;
pub mod spring;

pub mod turning;

pub use algebra::{Angle, Mat3, Sym3, Vec3};
pub use scalar::{Count, Dual, Lanes, Operations, Scalar, Tally};
