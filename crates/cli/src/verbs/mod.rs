//! One file per verb (`ik`, `fk`, `torque`, `accel` and `mass` share `rows`).

pub mod analysis;
pub mod check;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod cycle;
pub mod derive;
pub mod explain;
pub mod measure;
pub mod motion;
pub mod ops;
pub mod paper;
pub mod robots;
pub mod rows;
pub mod simulate;
pub mod size;
pub mod source;
pub mod trajectory;
