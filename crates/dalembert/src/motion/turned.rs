//! A tool that turns about the vertical axis while it moves.

use super::{Local, MotionState, Path, Point, RobotMotion, SharedMotion};
use crate::robot::{Target, ToolState};
use crate::{Mat3, Vec3};

/// Position of a tool, m, and its angle c about z, rad, whole turns counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned(pub [f64; 4]);

impl Turned {
    /// A position and an angle.
    pub fn new(position: Vec3<f64>, angle: f64) -> Self {
        let [x, y, z] = position.0;
        Self([x, y, z, angle])
    }

    /// Without the angle.
    pub fn position(&self) -> Vec3<f64> {
        let [x, y, z, _] = self.0;
        Vec3::new(x, y, z)
    }

    /// The angle alone.
    pub fn angle(&self) -> f64 {
        self.0[3]
    }
}

impl Point for Turned {
    const UNIT: &'static str = "m";
    fn from_components(_: usize, component: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(component))
    }
    fn components(&self) -> &[f64] {
        &self.0
    }
    /// Of the positions: an angle is no length.
    fn dot(&self, other: &Self) -> f64 {
        self.position().dot(other.position())
    }
    fn length(&self) -> f64 {
        self.position().length()
    }
    /// The angle says how the tool is turned.
    fn target(state: &MotionState<Self>, _: Mat3<f64>) -> Target {
        let all = [state.position, state.velocity, state.acceleration];
        let [position, velocity, acceleration] = all.map(|point| point.position());
        let tool = ToolState::translating(position, velocity, acceleration);
        Target::Tool(tool.turned(all.map(|point| point.angle())))
    }
    fn of_robot(motion: SharedMotion<Self>) -> RobotMotion {
        RobotMotion::Turning(motion)
    }
}

/// A path along which the tool turns from one angle to another, in proportion to the way. Its length is that of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnedPath<P> {
    /// Where it goes.
    pub path: P,
    /// At its beginning and at its end, rad.
    pub angles: [f64; 2],
}

impl<P: Path<Point = Vec3<f64>>> Path for TurnedPath<P> {
    type Point = Turned;
    fn length(&self) -> f64 {
        self.path.length()
    }
    fn at(&self, s: f64) -> Local<Turned> {
        let ([from, to], length) = (self.angles, self.length());
        let per_length = (to - from) / length;
        let Local { position, first, second, third } = self.path.at(s);
        Local {
            position: Turned::new(position, from + per_length * s.clamp(0.0, length)),
            first: Turned::new(first, per_length),
            second: Turned::new(second, 0.0),
            third: Turned::new(third, 0.0),
        }
    }
    fn breaks(&self) -> Vec<f64> {
        self.path.breaks()
    }
}
