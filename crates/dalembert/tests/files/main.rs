//! Robots and scenes as files and in other people's conventions.

#[path = "../common/mutation.rs"]
mod mutation;

mod convert;
mod describe;
mod fuzz;
mod scenes;
mod serial_describe;
mod suggest;
mod units;
