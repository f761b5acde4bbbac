//! Robots and scenes as files and in other people's conventions.

mod convert;
mod describe;
mod scenes;
mod serial_describe;
mod suggest;
mod units;
