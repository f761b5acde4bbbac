//! One file per verb (`ik`, `fk`, `torque`, `accel` and `mass` share `rows`).

pub mod analysis;
pub mod check;
pub mod check_serial;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod explain;
pub mod ops;
pub mod robots;
pub mod rows;
pub mod simulate;
