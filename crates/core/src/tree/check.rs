//! The `f64` edge: parameters, states and margins become errors, those of a serial arm.

use super::{BodyScratch, BranchParameters, LinkScratch, Tree, TreeError, TreeMoving};
use crate::parameter::Place;
use crate::serial::{
    SerialError, SerialParameterError, SerialParameters, check_body, check_link, check_numbers, check_rotation, finite,
};

/// Refuses parameters that no tree can have; the last link carries the tool and the payload of `whole`.
pub fn check_parameters(
    branches: &[BranchParameters<f64>],
    whole: &SerialParameters<f64, 0>,
) -> Result<(), SerialParameterError> {
    for (i, branch) in branches.iter().enumerate() {
        let link = Some(i + 1);
        check_numbers(|visit| { *branch }.visit(Place::part(i), visit))?;
        check_link(&branch.link, i)?;
        check_rotation(branch.mount.rotation, "mount.rpy", link)?;
        if let Some(tip) = &branch.tip {
            check_rotation(tip.frame.rotation, "tool.rpy", link)?;
            check_body(&tip.payload, "payload.inertia", link)?;
        }
    }
    check_numbers(|visit| { *whole }.visit(visit))?;
    check_rotation(whole.tool.rotation, "tool.rotation", None)?;
    check_body(&whole.payload, "payload.inertia", None)
}

/// Why a state was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeStateError {
    /// Lists that are not as long as the tree has links.
    Tree(TreeError),
    /// Numbers that are not finite, or a joint without inertia.
    State(SerialError),
}

impl From<TreeError> for TreeStateError {
    fn from(error: TreeError) -> Self {
        Self::Tree(error)
    }
}

impl From<SerialError> for TreeStateError {
    fn from(error: SerialError) -> Self {
        Self::State(error)
    }
}

impl core::fmt::Display for TreeStateError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Tree(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TreeStateError {}

impl Tree<'_, f64> {
    /// The state with joints and velocities that are checked to be finite.
    pub fn try_moving<'a>(
        &'a self,
        q: &[f64],
        qd: &'a [f64],
        room: &'a mut [LinkScratch<f64>],
    ) -> Result<TreeMoving<'a, f64>, TreeStateError> {
        finite("q", q)?;
        finite("qd", qd)?;
        Ok(self.at_joints(q, room)?.moving(qd)?)
    }
}

impl TreeMoving<'_, f64> {
    /// Forward dynamics, unless a joint has nothing to move.
    pub fn try_acceleration(
        &mut self,
        torque: &[f64],
        qdd: &mut [f64],
        bodies: &mut [BodyScratch<f64>],
        matrix: &mut [f64],
    ) -> Result<(), TreeStateError> {
        finite("tau", torque)?;
        self.acceleration(torque, qdd, bodies, matrix)?;
        // Against rounding of the inertias that a pivot is the difference of, which the accelerations are not: they are kept elsewhere.
        self.pose.composites();
        let nothing = |i: &usize| bodies[*i].pivot() <= 1e-14 * self.pose.inertia(*i).abs();
        // A pivot of zero makes others NaN: the zero is to blame.
        let n = bodies.len();
        match (0..n).rev().find(nothing).or((0..n).find(|&i| bodies[i].pivot().is_nan())) {
            Some(i) => Err(SerialError::NoInertia { joint: i + 1, pivot: bodies[i].pivot() }.into()),
            None => Ok(()),
        }
    }
}
