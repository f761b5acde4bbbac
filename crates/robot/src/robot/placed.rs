//! A robot that stands somewhere and moves: as a part of a mechanism, and by its own equations.

use super::State;
use crate::mechanism::{BodyPoint, Mechanism, MechanismError, PartId};
use crate::simulate::{SimulationError, System};

/// A robot inside a mechanism, as [`Family::add_to`](super::Family::add_to) has put it there.
pub trait MountedRobot {
    /// A point at `offset` from its tool, m.
    fn place(&self, offset: [f64; 3]) -> BodyPoint;

    /// The part that has a joint, and which of the part's coordinates the joint is.
    fn joint(&self, joint: usize) -> Option<(PartId, usize)>;

    /// Its coordinates and velocities in a state, in the order of its parts.
    fn coordinates(&self, state: &State) -> [Vec<f64>; 2];

    /// The robot's state at coordinates and velocities of the whole mechanism.
    fn state(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> Result<State, MechanismError>;

    /// The multipliers of the constraints that hold its own parts together: name, unit and meaning.
    fn multipliers(&self) -> Vec<(String, &'static str, String)> {
        Vec::new()
    }
}

/// A robot's own equations of motion, in coordinates of its choice.
pub trait EquationsOfMotion: System {
    /// The robot in a state of the system.
    fn robot_state(&self, time: f64, state: &[f64]) -> Result<State, SimulationError>;
}

/// A free swing: what a robot does under constant torques where nobody says more.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeSwing {
    /// Where it starts.
    pub start: State,
    /// Where its torques would hold it; without such a place there are none.
    pub held: Option<State>,
}
