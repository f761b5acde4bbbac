//! What a robot can do and what its models say: reach, comparison of models, cost of evaluation, one state in full.

pub mod compare;
pub mod explain;
pub mod operations;
mod reach;

pub use reach::Reach;
