//! What contacts need of a system, and what they tell.

use super::super::events::Action;
use super::super::{ContactId, SimulationResult, System};
use crate::Vec3;

/// A formulation whose bodies can touch something.
pub trait Touchable: System {
    /// How many coordinates say where the bodies are, and how many velocities the forces of [`Touchable::push`] act along.
    fn sizes(&self) -> [usize; 2];

    /// Coordinates and velocities of a state.
    fn read(&mut self, time: f64, state: &[f64], q: &mut [f64], v: &mut [f64]) -> SimulationResult<()>;

    /// Forces along the velocities that count in [`System::rate`] from now on.
    fn push(&mut self, force: &[f64]);

    /// Power given by prescribed motions and power taken by friction and damping of the motors, W, at the last rate.
    fn powers(&mut self, time: f64, state: &[f64]) -> SimulationResult<(f64, f64)>;

    /// Gets ready for [`Touchable::respond`] at a state.
    fn prepare(&mut self, time: f64, state: &[f64]) -> SimulationResult<()>;

    /// The change of the velocities by an impulse along them, in place.
    fn respond(&mut self, impulse: &mut [f64]);

    /// Adds a change to the velocities; returns the energy that prescribed motions gave to it with the last
    /// [`Touchable::respond`], J.
    fn kick(&mut self, time: f64, state: &mut [f64], change: &[f64]) -> SimulationResult<f64>;

    /// Refuses an action that the system cannot do.
    fn check_action(&self, what: &Action) -> SimulationResult<()>;

    /// Closes (attaches) or opens (releases) constraints by name; impulses of all that was closed, and the energies
    /// lost and given in it.
    fn switch(&mut self, time: f64, state: &mut [f64], what: &Action) -> SimulationResult<Switched>;
}

/// What attaching or releasing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Switched {
    /// The impulse of each constraint that was closed, N s or N m s: on its first place, base frame, as its
    /// multipliers are.
    pub impulses: Vec<(String, Vec<f64>)>,
    /// Energy lost in the impact, J.
    pub lost: f64,
    /// Energy that prescribed motions gave to it, J.
    pub given: f64,
}

/// Something that happened at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A point touched, and its compliance counts from now on.
    Touch {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
        /// Of the approach, m/s.
        speed: f64,
    },
    /// A point met with an impulse.
    Impact {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
        /// Of the approach, m/s.
        speed: f64,
        /// On the body that touches, base frame, N s.
        impulse: Vec3<f64>,
        /// Where, base frame, m.
        at: Vec3<f64>,
    },
    /// A point left.
    LiftOff {
        /// s.
        time: f64,
        /// Which.
        contact: ContactId,
    },
    /// Constraints were closed.
    Attached {
        /// s.
        time: f64,
        /// With these impulses.
        switched: Switched,
    },
    /// Constraints were opened.
    Released {
        /// s.
        time: f64,
        /// Their names.
        ties: Vec<String>,
    },
    /// The torques changed.
    Torque {
        /// s.
        time: f64,
    },
}

/// Force of a contact on the body that touches, over all its points.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactForce {
    /// Which.
    pub contact: ContactId,
    /// Its name.
    pub name: String,
    /// Base frame, N.
    pub force: Vec3<f64>,
    /// Sum of the normal forces of its points, N.
    pub normal: f64,
    /// Points that touch.
    pub points: usize,
}
