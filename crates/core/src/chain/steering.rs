//! From the tool back to the joints, with the formulas of a serial arm.

use super::{ChainError, ChainMoving, ChainPose, fits};
use crate::scalar::Scalar;
use crate::serial::kinematics::{Posed, tool_motion};
use crate::serial::steering::{joint_acceleration, moves_frame, null_space_torque, tool_error, tool_margin};
use crate::spatial::Twist;
use std::vec::Vec;

impl<S: Scalar> ChainPose<'_, S> {
    /// How far the pose is from one in which the tool cannot go in every direction; 0 there, at most 1.
    pub fn tool_margin(&self) -> S {
        tool_margin(self)
    }

    /// Of joint torques the part that does not press at the tool.
    pub fn null_space_torque(&self, torque: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.q.len(), "the torques", torque)?;
        Ok(null_space_torque(self, torque.to_vec()))
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// Joint accelerations for an acceleration and an angular acceleration of the tool, base frame, near to `near`; with fewer than six
    /// joints before the tool the angular one is not heard. NaN within [`TOOL_SINGULAR`](crate::serial::TOOL_SINGULAR) of a singular pose.
    pub fn joint_acceleration(&self, tool: Twist<S>, near: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.qd.len(), "qdd", near)?;
        Ok(joint_acceleration(&self.pose, self.qd, tool, near.to_vec()))
    }

    /// What the tool lacks of the tool of another state: pose and velocity, of its whole frame where the joints move it, else of its point.
    pub fn tool_error(&self, goal: &Self) -> [Twist<S>; 2] {
        let tool = |at: &Self| {
            let (frame, velocity, _) = tool_motion(&at.pose, at.qd, &at.pose.list(S::zero()));
            (frame, velocity)
        };
        tool_error(moves_frame(&self.pose), tool(goal), tool(self))
    }
}
