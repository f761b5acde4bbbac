//! What can stand in a cell.

use crate::mechanism::{FreeBody, Pendulum, PlanarBody};
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

/// How a body can move, where it starts and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyMotion {
    /// In space: centre, unit quaternion (w, x, y, z), velocity, angular velocity (body frame).
    Free([f64; 3], [f64; 4], [f64; 3], [f64; 3]),
    /// Only its place: centre and velocity.
    Point([f64; 3], [f64; 3]),
    /// In the x–z plane: x, z, angle from x towards z, and their rates.
    Planar([f64; 3], [f64; 3]),
    /// About a pivot, in a vertical plane along x: pivot, angle from x towards z, its rate, motor torque.
    Pendulum([f64; 3], f64, f64, Option<f64>),
}

/// A body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBody {
    /// kg.
    pub mass: f64,
    /// About its centre, own axes, kg m².
    pub inertia: [f64; 3],
    /// What it looks like.
    pub shape: BodyShape,
    /// How it moves.
    pub motion: BodyMotion,
}

impl BodyShape {
    /// Moments of inertia of a uniform body of this shape.
    pub fn inertia(self, mass: f64) -> [f64; 3] {
        match self {
            Self::Box([a, b, c]) => [b * b + c * c, a * a + c * c, a * a + b * b].map(|square| mass * square / 12.0),
            Self::Sphere(radius) => [0.4 * mass * radius * radius; 3],
            Self::Point => [0.0; 3],
        }
    }
}

impl SceneBody {
    /// Where its centre is from the pivot of a pendulum, along its own x axis, m: it hangs by its end.
    pub fn center(&self) -> f64 {
        match (self.motion, self.shape) {
            (BodyMotion::Pendulum(..), BodyShape::Box([length, ..])) => 0.5 * length,
            _ => 0.0,
        }
    }

    pub(super) fn free(&self) -> FreeBody {
        FreeBody { mass: self.mass, inertia: self.inertia }
    }

    pub(super) fn planar(&self) -> PlanarBody {
        PlanarBody { mass: self.mass, inertia: self.inertia[1] }
    }

    pub(super) fn pendulum(&self, pivot: [f64; 3]) -> Pendulum {
        let center_of_mass = self.center();
        let inertia = self.inertia[1] + self.mass * center_of_mass * center_of_mass; // Steiner
        Pendulum { pivot, mass: self.mass, center_of_mass, inertia }
    }

    /// Whether it moves in the x–z plane only.
    pub(super) fn is_planar(&self) -> bool {
        matches!(self.motion, BodyMotion::Planar(..) | BodyMotion::Pendulum(..))
    }
}
