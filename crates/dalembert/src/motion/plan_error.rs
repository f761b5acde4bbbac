//! Why there is no motion along a path.

use super::mover::place;
use super::{Path, Point, ProfileError};
use crate::robot::{StateError, Violation};
use std::fmt;

/// A place on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct OnPath {
    /// The path's parameter, in `unit`.
    pub s: f64,
    /// In `unit`.
    pub position: Vec<f64>,
    /// m, or rad for joints.
    pub unit: &'static str,
}

impl OnPath {
    pub(super) fn of<P: Path>(path: &P, s: f64) -> Self {
        Self { s, position: path.at(s).position.components().to_vec(), unit: P::Point::UNIT }
    }
}

impl fmt::Display for OnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { s, position, unit } = self;
        write!(f, "s = {s:.4} {unit}, {} {unit}", place(position))
    }
}

/// Why a path has no motion profile; times are in s.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum PlanError {
    /// A number of the profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("the path at {at}: {cause}")]
    InvalidParameters { at: OnPath, cause: Box<StateError> },
    /// Geometry alone exceeds a limit.
    #[error("the path at {at}: {violation}")]
    Range { at: OnPath, violation: Violation },
    /// Not even standing still.
    #[error("the robot cannot hold itself on the path at {at}: {violation}")]
    CannotHold { at: OnPath, violation: Violation },
    #[error("the limits do not let the robot get over {at}")]
    Stuck { at: OnPath },
    #[error("without a limit on torque or speed the motion would take no time")]
    NoLimit,
    /// A time-optimal motion cannot be hurried, and limits in numbers hold whatever the time.
    #[error("{wanted:.4} s is less than the shortest time along this path, {shortest:.4} s")]
    TooShort { wanted: f64, shortest: f64 },
    #[error("the minimum-torque profile is the one for a given duration, and none is given")]
    NoDuration,
    #[error("smoothing is {0} s, but must be positive and finite")]
    Smoothing(f64),
    #[error("the acceleration of this profile jumps, so no limit of the jerk holds, however long it takes")]
    Jumps,
    #[error(
        "smoothing is {window} s, but must be between {least:.1e} s and {most:.4} s: a millionth and one half of what the \
         motion takes without it"
    )]
    SmoothingOfThis { window: f64, least: f64, most: f64 },
}
