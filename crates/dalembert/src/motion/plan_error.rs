//! Why there is no motion along a path.

use super::mover::place;
use super::{Path, Point};
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

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Out of reach.
    #[error("the path at {at}: {cause}")]
    InvalidParameters {
        /// Where.
        at: OnPath,
        /// Why.
        cause: Box<StateError>,
    },
    /// Geometry alone exceeds a limit.
    #[error("the path at {at}: {violation}")]
    Range {
        /// Where.
        at: OnPath,
        /// Which.
        violation: Violation,
    },
    /// Not even standing still.
    #[error("the robot cannot hold itself on the path at {at}: {violation}")]
    CannotHold {
        /// Where.
        at: OnPath,
        /// Which.
        violation: Violation,
    },
    /// The limits leave no motion over an interval.
    #[error("the limits do not let the robot get over {at}")]
    Stuck {
        /// Where.
        at: OnPath,
    },
    /// No limit is finite.
    #[error("without a limit on torque or speed the motion would take no time")]
    NoLimit,
    /// A number that cannot be.
    #[error("smoothing is {0} s, but must be positive and finite")]
    Smoothing(f64),
    /// A limit of the jerk for a profile that has jumps.
    #[error("the acceleration of this profile jumps, so no limit of the jerk holds, however long it takes")]
    Jumps,
    /// A time over which this motion cannot be smoothed.
    #[error(
        "smoothing is {window} s, but must be between {least:.1e} s and {most:.4} s: a millionth and one half of what the \
         motion takes without it"
    )]
    SmoothingOfThis {
        /// s.
        window: f64,
        /// s.
        least: f64,
        /// s.
        most: f64,
    },
}
