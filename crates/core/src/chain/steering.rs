//! From the tool back to the joints, with the formulas of a serial arm.

use super::{ChainError, ChainMoving, ChainPose, times};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::serial::TOOL_SINGULAR;
use crate::serial::recursions::lift;
use crate::spatial::{Twist, rotation_vector};
use std::{vec, vec::Vec};

impl<S: Scalar> ChainPose<'_, S> {
    /// Whether the joints move the tool's whole frame, and not only its point.
    pub fn moves_frame(&self) -> bool {
        self.chain.path().len() >= 6
    }

    /// J⁺ y with its margin. Joints that do not move the tool stay.
    fn lift(&self, y: Twist<S>) -> (Vec<S>, S) {
        let (columns, path) = (self.jacobian(), self.chain.path());
        let mut lifted = vec![S::zero(); path.len()];
        let margin = lift(self.moves_frame(), |k| columns[path[k]], y, &mut lifted);
        let mut all = vec![S::zero(); columns.len()];
        path.iter().zip(lifted).for_each(|(&i, lifted)| all[i] = lifted);
        (all, margin)
    }

    /// How far the pose is from one in which the tool cannot go in every direction; 0 there, at most 1.
    pub fn tool_margin(&self) -> S {
        self.lift(Twist::zero()).1
    }

    /// Of joint torques the part that does not press at the tool.
    pub fn null_space_torque(&self, torque: &[S]) -> Vec<S> {
        let pressing = match self.chain.path().len() {
            0..=3 | 6 => torque.iter().enumerate().map(|(i, &x)| self.chain.on_path(i, x)).collect(),
            _ => self.lift(times(&self.jacobian(), torque)).0,
        };
        torque.iter().zip(pressing).map(|(&torque, pressing)| torque - pressing).collect()
    }
}

impl<S: Scalar> super::Chain<S> {
    /// A number of a joint that moves the tool, or zero.
    fn on_path(&self, joint: usize, value: S) -> S {
        if self.path.contains(&joint) { value } else { S::zero() }
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// Joint accelerations for an acceleration and an angular acceleration of the tool, base frame, near to `near`; with fewer than six
    /// joints before the tool the angular one is not heard. NaN within [`TOOL_SINGULAR`] of a singular pose.
    pub fn joint_acceleration(&self, tool: Twist<S>, near: &[S]) -> Result<Vec<S>, ChainError> {
        let (more, margin) = self.pose.lift(tool - self.tool_motion(near)?.2);
        let least = S::from_f64(TOOL_SINGULAR);
        let sum = |(&near, more): (&S, S)| margin.select_lt(least, S::from_f64(f64::NAN), near + more);
        Ok(near.iter().zip(more).map(sum).collect())
    }

    /// What the tool lacks of the tool of another state: pose and velocity, of its whole frame where the joints move it, else of its point.
    pub fn tool_error(&self, goal: &Self) -> Result<[Twist<S>; 2], ChainError> {
        let still = vec![S::zero(); self.qd.len()];
        let ((frame, there, _), (here, now, _)) = (goal.tool_motion(&still)?, self.tool_motion(&still)?);
        let whole = self.pose.moves_frame();
        let turn = if whole { rotation_vector(here.rotation, frame.rotation) } else { Vec3::zero() };
        let spin = if whole { there.angular - now.angular } else { Vec3::zero() };
        Ok([
            Twist { linear: frame.origin - here.origin, angular: turn },
            Twist { linear: there.linear - now.linear, angular: spin },
        ])
    }
}
