//! Motions of the platform, as functions of time.

mod pick_and_place;

pub use pick_and_place::{Direction, PickAndPlace};

use dalembert_core::Vec3;

/// Where the platform is, how fast it moves and how it accelerates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlatformState {
    /// m.
    pub position: Vec3<f64>,
    /// m/s.
    pub velocity: Vec3<f64>,
    /// m/s².
    pub acceleration: Vec3<f64>,
}
