//! What a robot can do and what its models say: reach, comparison of models, cost of evaluation, one state in full.

pub mod compare;
mod constants;
pub mod explain;
pub mod linear;
pub mod operations;
mod reach;
pub mod stability;

pub use constants::{LumpedConstant, lumped_constants};
pub use reach::Reach;
