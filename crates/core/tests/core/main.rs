//! The core alone, without the library above it.

#![allow(clippy::disallowed_methods)] // made once, not in a formula

mod arms;
mod falezza;
mod inverse_kinematics;
mod limits;
mod no_std;
mod parallel;
mod pick_and_place;
mod sin_cos;
mod symbol_table;
mod trees;
mod turning;
mod ulps;
