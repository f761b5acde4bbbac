//! What can stand in a cell.

use crate::mechanism::FreeBody;
use crate::robot::{JointVector, Robot, State};
use crate::spatial::Frame;

/// A robot or body with its name.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name.
    pub name: String,
    /// What it is.
    pub item: MemberKind,
}

/// What a member is.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// A robot.
    Robot(Box<RobotMember>),
    /// A body.
    Body(SceneBody),
}

/// A robot at its place, with its start.
#[derive(Clone, Debug)]
pub struct RobotMember {
    /// The robot, in the gravity that its base sees.
    pub robot: Robot,
    /// Its base, scene frame.
    pub base: Frame<f64>,
    /// Where it starts, in its own frame.
    pub start: State,
    /// Constant motor torques, N m (N).
    pub torque: JointVector,
}

/// The outside of a body, about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyShape {
    /// Edges along the body's axes, m.
    Box([f64; 3]),
    /// Radius, m.
    Sphere(f64),
    /// A mass without extension.
    Point,
}

/// How a body can move, with its coordinates and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyMotion {
    /// In space: centre and unit quaternion (w, x, y, z); velocity and angular velocity (body frame).
    Free,
    /// Only its place: centre; velocity.
    Point,
    /// In the x–z plane: x, z, angle from x towards z; their rates.
    Planar,
    /// In a vertical plane along x: angle from x towards z; its rate.
    Pendulum {
        /// What it turns about, scene frame, m.
        pivot: [f64; 3],
        /// Of its motor, N m.
        torque: Option<f64>,
    },
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// kg.
    pub mass: f64,
    /// About its centre, own axes, kg m².
    pub inertia: [f64; 3],
    /// What it looks like.
    pub shape: BodyShape,
    /// How it moves.
    pub motion: BodyMotion,
    /// Its coordinates at the start.
    pub q: Vec<f64>,
    /// Its velocities there.
    pub v: Vec<f64>,
}

impl BodyShape {
    /// Moments of inertia of a uniform body of this shape.
    pub fn inertia(self, mass: f64) -> [f64; 3] {
        match self {
            Self::Box(size) => FreeBody::brick(size, mass).inertia,
            Self::Sphere(radius) => [0.4 * mass * radius * radius; 3],
            Self::Point => [0.0; 3],
        }
    }
}

impl SceneBody {
    /// Where its centre is from the pivot of a pendulum, along its own x axis, m: it hangs by its end.
    pub fn center(&self) -> f64 {
        match (self.motion, self.shape) {
            (BodyMotion::Pendulum { .. }, BodyShape::Box([length, ..])) => 0.5 * length,
            _ => 0.0,
        }
    }

    /// Whether it moves in the x–z plane only.
    pub(super) fn is_planar(&self) -> bool {
        matches!(self.motion, BodyMotion::Planar | BodyMotion::Pendulum { .. })
    }
}
