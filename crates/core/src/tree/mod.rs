//! Trees of links: long arms, and arms that branch, with as many joints as are known at run time.
//!
//! The steps from link to link are those of [`serial`](crate::serial); what is different is who is before whom. Links are numbered such that each
//! comes after the one it hangs on (its parent), so one pass up and one pass down the list visit every link after, or before, its
//! parent: the cost of a torque, of an acceleration and of all frames is proportional to the number of links.
//!
//! Nothing is allocated: the caller gives the room, one [`LinkScratch`] per link, and keeps it from call to call.
//!
//! ```
//! # use dalembert_core::tree::{LinkRoom, Tree, TreeError};
//! # fn example(tree: &Tree<'_, f64>, [q, qd, qdd]: [&[f64]; 3], room: &mut [LinkRoom<f64>], torque: &mut [f64]) -> Result<(), TreeError> {
//! let mut moving = tree.at_joints(q, room)?.moving(qd)?;   // frames, angular velocities
//! moving.torque(qdd, torque)?;                             // inverse dynamics
//! # Ok(()) }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `parameters.rs` | a link as it is described, and what is lumped from it |
//! | `kinematics.rs` | frames, velocities, Jacobians of tools |
//! | `newton_euler.rs` | torques, gravity, energy |
//! | `composite.rs` | the mass matrix |
//! | `articulated.rs` | forward dynamics |
//! | `check.rs` | the `f64` edge |

mod articulated;
mod check;
mod composite;
mod kinematics;
mod newton_euler;
mod parameters;

pub use articulated::BodyScratch;
pub use check::{TreeStateError, check_parameters};
pub use kinematics::{TreeMoving, TreePose};
pub use newton_euler::TreeAccelerating;
pub use parameters::{BranchParameters, TipParameters, TreeLink, tip_frame};

use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::serial::{Inertia, Motion};
use crate::spatial::Frame;
use core::fmt;

/// Links that hang on each other, ready for evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'t, S> {
    links: &'t [TreeLink<S>],
    gravity: Vec3<S>,
}

/// What an evaluation keeps of one link. Its content means nothing to others.
#[derive(Clone, Copy, Debug)]
pub struct LinkScratch<S> {
    /// Where the joint is.
    q: S,
    /// Of the joint in the frame of the parent's joint.
    frame: Frame<S>,
    /// In the joint's frame.
    motion: Motion<S>,
    force: Vec3<S>,
    moment: Vec3<S>,
    /// Velocity of the joint frame's origin, in that frame; where it was asked for.
    velocity: Vec3<S>,
    /// In the base frame; where it was asked for.
    in_base: Frame<S>,
    /// The link with all that hangs on it; where it was asked for.
    composite: Inertia<S>,
}

impl<S: Scalar> LinkScratch<S> {
    /// Room with nothing in it.
    pub fn new() -> Self {
        let none = Vec3::zero();
        Self {
            q: S::zero(),
            frame: Frame::identity(),
            motion: Motion { omega: none, omega_dot: none, acceleration: none },
            force: none,
            moment: none,
            velocity: none,
            in_base: Frame::identity(),
            composite: Inertia::zero(),
        }
    }
}

impl<S: Scalar> Default for LinkScratch<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// What does not fit together. Links are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// A list is not as long as the tree has links.
    Length {
        /// Which list.
        what: &'static str,
        /// What it should have.
        links: usize,
        /// What it has.
        given: usize,
    },
    /// A link hangs on itself or on a later one.
    Parent {
        /// From 1.
        link: usize,
        /// From 1.
        parent: usize,
    },
    /// The motor of a joint is carried by a link that is not on the way from the base to the joint's own link.
    Carrier {
        /// From 1.
        link: usize,
        /// From 1.
        carrier: usize,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length { what, links, given } => {
                write!(f, "{given} numbers are given for {what}, but the tree has {links} links")
            }
            Self::Parent { link, parent } => {
                write!(f, "link {link} hangs on link {parent}, which has to come before it")
            }
            Self::Carrier { link, carrier } => {
                write!(
                    f,
                    "link {carrier} carries the motor of joint {link}, but is not between the base and link {link}"
                )
            }
        }
    }
}

impl core::error::Error for TreeError {}

/// Refuses a list that is not as long as the tree has links.
fn fits<T>(links: usize, what: &'static str, list: &[T]) -> Result<(), TreeError> {
    match list.len() {
        given if given == links => Ok(()),
        given => Err(TreeError::Length { what, links, given }),
    }
}

impl<'t, S: Scalar> Tree<'t, S> {
    /// The tree of these links in this gravity (base frame, m/s²), if they are in order.
    pub fn new(links: &'t [TreeLink<S>], gravity: Vec3<S>) -> Result<Self, TreeError> {
        let tree = Self { links, gravity };
        for (i, link) in links.iter().enumerate() {
            if let Some(parent) = link.parent.filter(|&parent| parent >= i) {
                return Err(TreeError::Parent { link: i + 1, parent: parent + 1 });
            }
            if let Some(carrier) = link.spin.and_then(|spin| spin.carrier)
                && !tree.way(Some(i)).any(|on_the_way| on_the_way == carrier)
            {
                return Err(TreeError::Carrier { link: i + 1, carrier: carrier + 1 });
            }
        }
        Ok(tree)
    }

    /// The links, each after its parent.
    pub fn links(&self) -> &'t [TreeLink<S>] {
        self.links
    }

    /// The acceleration of gravity, base frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.gravity
    }

    /// The links from one to the base.
    pub fn way(&self, from: Option<usize>) -> impl Iterator<Item = usize> + use<'t, S> {
        let links = self.links;
        core::iter::successors(from, move |&i| links.get(i).and_then(|link| link.parent))
    }
}
