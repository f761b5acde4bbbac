//! Torques as a product of a matrix that knows the state and a vector that knows the bodies: τ = Y(q, q̇, q̈) π + friction.
//!
//! A rigid-body torque is linear in mass m, first moment m c and inertia about the origin of every body, in the inertia of
//! every rotor, and in damping. A column of Y is therefore the torque formula itself, of a robot whose parameters are zero
//! but for a one: nothing is derived twice, and Y π is the torque to rounding. First moments have no body of their own: the
//! column of m c_x is that of the mass 1 at x = 1 without inertia about the origin, minus that of the mass 1 at the origin.

use super::{Family, Impossible, State};
use std::fmt::Debug;

/// What a term of the torque belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A moving body.
    Body,
    /// The rotor and drive of a joint, from 0.
    Rotor(usize),
    /// What the tool carries.
    Payload,
    /// Damping beside the friction of the motors.
    Damping,
}

/// A parameter that torques are linear in, with its column of Y.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As papers and columns call it: `Ixx2`, `mz3`, `Ia1`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// In words: `link 2, inertia xx about the origin of its frame`.
    pub meaning: String,
    /// What the robot has.
    pub value: f64,
    /// What it belongs to.
    pub owner: Owner,
}

/// Terms that together have to be those of a body that can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A body in space.
    Body {
        /// m.
        mass: usize,
        /// m c.
        moments: [usize; 3],
        /// About the origin, with the signs of a tensor: xx, yy, zz, xy, yz, xz.
        inertia: [usize; 6],
    },
    /// A body on a line: mass, first moment, inertia about the origin.
    Line([usize; 3]),
    /// A number that is not negative.
    Positive(usize),
}

/// The matrix Y of a robot.
pub trait Regressor: Debug + Send + Sync {
    /// Its columns.
    fn terms(&self) -> &[Term];

    /// What its columns are made of, with the name of each: `link 2`.
    fn matter(&self) -> &[(String, Matter)];

    /// Y in a state of the robot, row by row: a row per joint, a number per term. `y` has room for all of them.
    fn fill(&self, state: &State, y: &mut [f64]);

    /// The same robot with other values of its terms, one for each; its friction stays.
    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, Impossible>;
}

/// Columns by unit robots: `torque` is the formula of the family, of a robot in a state, without friction of motors.
pub(crate) fn fill_by_units<R>(units: &[Unit<R>], joints: usize, y: &mut [f64], torque: impl Fn(&R, &mut [f64])) {
    let width = units.len();
    let mut column = [0.0; super::MOST_JOINTS];
    for (k, unit) in units.iter().enumerate() {
        torque(&unit.robot, &mut column[..joints]);
        for (i, value) in column[..joints].iter().enumerate() {
            let less = unit.minus.map_or(0.0, |other| y[i * width + other]);
            y[i * width + k] = value - less;
        }
    }
}

/// A robot whose parameters are zero but for a one, and the earlier column that its own is to be without.
#[derive(Clone, Debug)]
pub(crate) struct Unit<R> {
    pub robot: R,
    pub minus: Option<usize>,
}
