//! Explicit, exact and fast dynamic models of Delta robots: describe, evaluate, compare.

pub mod analyze;
pub mod motion;
pub mod record;

pub use dalembert_core::*;
