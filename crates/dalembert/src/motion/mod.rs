//! Motions: where a robot's tool or its joints are at each time, how fast and how they accelerate.
//!
//! A [`Path`] says where to go, a motion [`Profile`] says when, and both together are a [`Travel`]. Everything that moves is
//! a [`Motion`]; motions follow each other in a [`Sequence`]. A [`RobotMotion`] is one that a robot can be asked to do. Position, velocity and acceleration come from formulas
//! and not from differences, so they fit each other to rounding.
//!
//! ```
//! use dalembert::Vec3;
//! use dalembert::motion::{Profile, Motion, Polyline, Travel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cycle = Polyline::pick_and_place(Vec3::new(0.0, 0.0, -0.9), Vec3::new(1.0, 0.0, 0.0), 0.305, 0.025, 0.020)?;
//! let travel = Travel::new(cycle, |length| Profile::sine_on_ramp(length, 0.2, 1.0))?;
//! let middle = travel.at(0.1);
//! assert!((middle.position[2] + 0.875).abs() < 1e-12 && middle.velocity[0] > 3.0);
//! # Ok(()) }
//! ```

mod choice;
mod compose;
mod conveyor;
mod curves;
mod cycle_map;
mod fit;
mod leg_limits;
mod linear_program;
mod mover;
pub mod named;
mod order;
mod path;
mod profile;
mod robot_motion;
mod sampled;
pub mod sizing;
mod table;
mod third_order;
mod time_optimal;

pub use choice::{Chosen, MotionPace, ProfileChoice, minimum_torque};
pub use compose::{
    BoxedMotion, Differenced, Direction, Dwell, PickAndPlace, RepeatError, Repeated, Sequence, SequenceError,
};
pub use conveyor::{BeltError, ConveyorPick};
pub use curves::{Arc, Polyline, SemiEllipse};
pub use cycle_map::{CycleMap, MapCell, MapGrid};
pub use fit::{ACTIVE, EXCESS, OnPath, PlanError, shortest, slowed};
pub use mover::{
    CannotDo, FrictionRange, JointSurvey, MotionSurvey, Mover, is_tolerated, keep_worst, length, worst_violations,
};
pub use named::TimedMotion;
pub use order::{MotionOrder, OrderError, Time, direction, form_of_path};
pub use path::{Local, Path, PathError, Reversed, Travel};
pub use profile::{MotionLimits, PathProgress, Profile, ProfileError};
pub use robot_motion::{RobotMotion, SharedMotion, Turned, TurnedPath, to_gcode};
pub use sampled::{SampledMotion, SamplesError};
pub use sizing::{Gear, MotorData, MotorList};
pub use table::{MotionFileError, MotionTable, is_file, waypoints};
pub use time_optimal::{TimeOptimal, time_optimal};

use crate::robot::{self, JointVector, Target, ToolState};
use crate::{Mat3, Vec3};
use std::fmt::Debug;

/// A point of the space in which a motion happens: of the tool (`Vec3<f64>`, of a Delta its platform; [`Turned`] with its angle)
/// or of the joints.
pub trait Point: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Unit of its numbers for robots whose joints turn, slide, or do one or the other.
    const UNITS: [&'static str; 3];
    /// The point with these numbers, as many as points of its space have.
    fn from_components(count: usize, component: impl FnMut(usize) -> f64) -> Self;
    /// Its numbers.
    fn components(&self) -> &[f64];
    /// What a state asks of a robot whose tool is turned like this (base frame).
    fn target(state: &MotionState<Self>, orientation: Mat3<f64>) -> Target;

    /// A motion of a robot that moves so; a tool that does not turn as it usually is.
    fn of_robot(motion: SharedMotion<Self>) -> RobotMotion;

    /// The origin of the same space.
    #[must_use]
    fn zero(&self) -> Self {
        Self::from_components(self.components().len(), |_| 0.0)
    }
    /// The point whose numbers are zero but for one.
    #[must_use]
    fn unit(&self, component: usize) -> Self {
        Self::from_components(self.components().len(), |i| if i == component { 1.0 } else { 0.0 })
    }
    /// `self + factor · other`.
    #[must_use]
    fn plus(&self, factor: f64, other: &Self) -> Self {
        let (own, other) = (self.components(), other.components());
        Self::from_components(own.len(), |i| other.get(i).map_or(own[i], |other| own[i] + factor * other))
    }
    /// `factor · self`.
    #[must_use]
    fn times(&self, factor: f64) -> Self {
        self.zero().plus(factor, self)
    }
    /// The inner product.
    fn dot(&self, other: &Self) -> f64 {
        self.components().iter().zip(other.components()).map(|(x, y)| x * y).sum()
    }
    /// Length of the vector.
    fn length(&self) -> f64 {
        mover::length(self.components())
    }
    /// Whether no number is NaN or infinite.
    fn is_finite(&self) -> bool {
        self.components().iter().all(|x| x.is_finite())
    }
}

impl Point for Vec3<f64> {
    const UNITS: [&'static str; 3] = ["m"; 3];
    fn from_components(_: usize, component: impl FnMut(usize) -> f64) -> Self {
        Vec3::from_fn(component)
    }
    fn components(&self) -> &[f64] {
        &self.0
    }
    fn target(state: &MotionState<Self>, orientation: Mat3<f64>) -> Target {
        let MotionState { position, velocity, acceleration } = *state;
        let mut tool = ToolState::translating(position, velocity, acceleration);
        tool.pose.rotation = orientation;
        Target::Tool(tool)
    }
    fn of_robot(motion: SharedMotion<Self>) -> RobotMotion {
        RobotMotion::Tool { motion, orientation: Mat3::diagonal(1.0) }
    }
}

impl Point for JointVector {
    const UNITS: [&'static str; 3] = ["rad", "m", "rad or m"];
    fn from_components(count: usize, component: impl FnMut(usize) -> f64) -> Self {
        JointVector::from_fn(count, component)
    }
    fn components(&self) -> &[f64] {
        self
    }
    fn target(state: &MotionState<Self>, _: Mat3<f64>) -> Target {
        let MotionState { position: q, velocity: qd, acceleration: qdd } = state.clone();
        Target::Joints(robot::JointState { q, qd, qdd })
    }
    fn of_robot(motion: SharedMotion<Self>) -> RobotMotion {
        RobotMotion::Joints(motion)
    }
}

/// Where something is, how fast it moves and how it accelerates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionState<P> {
    /// m, or rad per joint.
    pub position: P,
    /// m/s, or rad/s.
    pub velocity: P,
    /// m/s², or rad/s².
    pub acceleration: P,
}

/// The state of a platform, base frame.
pub type PlatformState = MotionState<Vec3<f64>>;

impl<P: Point> MotionState<P> {
    /// At rest.
    pub fn still(position: P) -> Self {
        Self { velocity: position.zero(), acceleration: position.zero(), position }
    }

    /// What it asks of a robot whose tool is turned like this (base frame).
    pub fn target(&self, orientation: Mat3<f64>) -> Target {
        P::target(self, orientation)
    }
}

/// A motion in time, from 0 to its duration. Before and after it rests.
pub trait Motion {
    /// What moves.
    type Point: Point;
    /// s.
    fn duration(&self) -> f64;
    /// The state at time `t`, s. Where the acceleration jumps, it is the one that follows.
    fn at(&self, t: f64) -> MotionState<Self::Point>;
    /// Times strictly between 0 and the duration at which the acceleration or its derivative jumps, in order.
    fn breaks(&self) -> Vec<f64> {
        Vec::new()
    }
}
