//! What a robot can do and what its models say: reach, comparison of models, cost of evaluation, one state in full; linear
//! models, stability, maps over the workspace, sensitivities.

pub mod compare;
pub mod cost;
pub mod map;
pub mod operations;
pub mod report;
pub mod sensitivity;
pub mod weights;
