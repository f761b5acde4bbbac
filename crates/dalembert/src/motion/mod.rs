//! Motions: where a platform or the joints of an arm are at each time, how fast and how they accelerate.
//!
//! A [`Path`] says where to go, a [`Law`] of time says when, and both together are a [`Travel`]. Everything that moves is
//! a [`Motion`]; motions follow each other in a [`Sequence`]. Position, velocity and acceleration come from formulas
//! and not from differences, so they fit each other to rounding.
//!
//! ```
//! use dalembert::Vec3;
//! use dalembert::motion::{Law, Motion, Polyline, Travel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let door = Polyline::door(Vec3::new(0.0, 0.0, -0.9), Vec3::new(1.0, 0.0, 0.0), 0.305, 0.025, 0.020)?;
//! let travel = Travel::new(door, |length| Law::sine_on_ramp(length, 0.2, 1.0))?;
//! let middle = travel.at(0.1);
//! assert!((middle.position[2] + 0.875).abs() < 1e-12 && middle.velocity[0] > 3.0);
//! # Ok(()) }
//! ```

mod arcs;
mod arm_machine;
mod choice;
mod compose;
mod conveyor;
mod cycle_map;
mod ellipse;
mod fit;
mod friction_range;
mod gcode;
mod joint_order;
mod law;
mod machine;
pub mod named;
mod order;
mod path;
mod pick_and_place;
mod plan_error;
mod polyline;
mod sampled;
pub mod sizing;
mod smoothing;
mod time_optimal;
mod tool;

pub use arcs::Arc;
pub use arm_machine::{ArmMachine, JointsMachine};
pub use choice::{ChoiceError, Chosen, LawChoice, Pace, gentlest};
pub use compose::{BoxedMotion, RepeatError, Repeated, Rest, Sequence, SequenceError};
pub use conveyor::{BeltError, ConveyorPick};
pub use cycle_map::{CycleMap, MapCell, MapGrid};
pub use ellipse::SemiEllipse;
pub use fit::{ACTIVE, EXCESS, shortest, slowed};
pub use friction_range::FrictionRange;
pub use gcode::to_gcode;
pub use joint_order::{Padded, SWING, TimedJoints, is_of_joints};
pub use law::{Law, LawError, MotionLimits, Progress};
pub use machine::{
    CannotDo, DeltaMachine, Impossible, JointSurvey, Load, Machine, Passed, PerJoint, Quantity, Survey, Workspace,
    keep_worst, passed_limits,
};
pub use order::{LawName, MotionOrder, OrderError, Time, direction};
pub use path::{Local, Path, PathError, Reversed, Travel};
pub use pick_and_place::{Direction, PickAndPlace};
pub use plan_error::{OnPath, PlanError};
pub use polyline::Polyline;
pub use sampled::{Sampled, SamplesError, belong_together};
pub use smoothing::Smoothing;
pub use time_optimal::{Planning, TimeOptimal, time_optimal};
pub use tool::{NoTool, ToolMachine};

use dalembert_core::Vec3;
use std::fmt::Debug;

/// A point of the space in which a motion happens: of the platform (`Vec3<f64>`) or of the joints (`[f64; N]`).
pub trait Point: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The origin.
    const ORIGIN: Self;
    /// Unit of its numbers.
    const UNIT: &'static str;
    /// `self + factor · other`.
    #[must_use]
    fn plus(self, factor: f64, other: Self) -> Self;
    /// Its numbers.
    fn components(&self) -> &[f64];

    /// `factor · self`.
    #[must_use]
    fn times(self, factor: f64) -> Self {
        Self::ORIGIN.plus(factor, self)
    }
    /// Length of the vector.
    fn length(&self) -> f64 {
        self.components().iter().map(|x| x * x).sum::<f64>().sqrt()
    }
    /// Whether no number is NaN or infinite.
    fn is_finite(&self) -> bool {
        self.components().iter().all(|x| x.is_finite())
    }
}

impl Point for Vec3<f64> {
    const ORIGIN: Self = Vec3([0.0; 3]);
    const UNIT: &'static str = "m";
    fn plus(self, factor: f64, other: Self) -> Self {
        self + other * factor
    }
    fn components(&self) -> &[f64] {
        &self.0
    }
}

impl<const N: usize> Point for [f64; N] {
    const ORIGIN: Self = [0.0; N];
    const UNIT: &'static str = "rad";
    fn plus(mut self, factor: f64, other: Self) -> Self {
        for i in 0..N {
            self[i] += factor * other[i];
        }
        self
    }
    fn components(&self) -> &[f64] {
        self
    }
}

/// Where something is, how fast it moves and how it accelerates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<P> {
    /// m, or rad per joint.
    pub position: P,
    /// m/s, or rad/s.
    pub velocity: P,
    /// m/s², or rad/s².
    pub acceleration: P,
}

/// The state of a platform, base frame.
pub type PlatformState = State<Vec3<f64>>;

/// The state of the joints of a serial arm: q, q̇, q̈.
pub type JointState<const N: usize> = State<[f64; N]>;

impl<P: Point> State<P> {
    /// At rest.
    pub fn still(position: P) -> Self {
        Self { position, velocity: P::ORIGIN, acceleration: P::ORIGIN }
    }
}

/// A motion in time, from 0 to its duration. Before and after it rests.
pub trait Motion {
    /// What moves.
    type Point: Point;
    /// s.
    fn duration(&self) -> f64;
    /// The state at time `t`, s. Where the acceleration jumps, it is the one that follows.
    fn at(&self, t: f64) -> State<Self::Point>;
    /// Times strictly between 0 and the duration at which the acceleration or its derivative jumps, in order.
    fn breaks(&self) -> Vec<f64> {
        Vec::new()
    }
}
