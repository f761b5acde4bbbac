//! Dynamics of chains by the recursions of [`serial`](crate::serial).

use super::{Chain, ChainError, ChainMoving, ChainPose, fits};
use crate::scalar::Scalar;
use crate::serial::check::{check_pivots, finite};
use crate::serial::kinematics::Links;
use crate::serial::steering::tool_error;
use crate::spatial::Twist;
use std::{vec, vec::Vec};

impl<S: Scalar> ChainPose<'_, S> {
    /// The mass matrix in joint coordinates, row by row, kg m² (prismatic: kg). Joints on different branches have no common entry but where an
    /// armature couples them.
    pub fn mass_matrix(&self) -> Vec<S> {
        self.robot.with_matrix(|matrix| {
            self.composite_rigid_bodies(matrix);
            matrix.to_vec()
        })
    }

    /// The same matrix by Newton–Euler with one unit acceleration after the other (Walker and Orin 1982, method 2).
    pub fn mass_matrix_walker_orin(&self) -> Vec<S> {
        let n = self.q.len();
        let mut matrix = vec![S::zero(); n * n];
        self.walker_orin(&mut matrix);
        matrix
    }

    /// The Christoffel symbols of the first kind: β^(i,jk) at `[i][j * n + k]`, kg m².
    pub fn christoffel(&self) -> Vec<Vec<S>> {
        let n = self.q.len();
        let mut symbols = vec![vec![S::zero(); n * n]; n];
        self.each_christoffel(|i, j, k, symbol| (symbols[i][j * n + k], symbols[i][k * n + j]) = (symbol, symbol));
        symbols
    }

    /// Of joint torques the part that does not press at the tool.
    pub fn null_space_torque(&self, torque: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.q.len(), "the torques", torque)?;
        Ok(self.null_space_part(torque.to_vec()))
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// Torques for joint accelerations, friction included, N m (prismatic: N).
    pub fn torque(&self, qdd: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(self.torque_at(qdd))
    }

    /// The same without friction.
    pub fn rigid_torque(&self, qdd: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(self.rigid_torque_at(qdd))
    }

    /// Joint accelerations under joint torques, friction included, rad/s² (prismatic: m/s²).
    pub fn acceleration(&self, torque: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.qd.len(), "the torques", torque)?;
        Ok(self.acceleration_and_pivots(torque.to_vec()).0)
    }

    /// Joint accelerations for an acceleration and an angular acceleration of the tool, base frame, near to `near`; with fewer than six
    /// joints before the tool the angular one is not heard. NaN within [`TOOL_SINGULAR`](crate::serial::TOOL_SINGULAR) of a singular pose.
    pub fn joint_acceleration(&self, tool: Twist<S>, near: &[S]) -> Result<Vec<S>, ChainError> {
        fits(self.qd.len(), "qdd", near)?;
        Ok(self.steered(tool, near.to_vec()))
    }

    /// What the tool lacks of the tool of another state: pose and velocity, of its whole frame where the joints move it, else of its point.
    pub fn tool_error(&self, goal: &Self) -> [Twist<S>; 2] {
        let tool = |at: &Self| {
            let (frame, velocity, _) = at.tool_motion_at(&at.pose.robot.list(S::zero()));
            (frame, velocity)
        };
        tool_error(self.pose.moves_frame(), tool(goal), tool(self))
    }
}

impl ChainMoving<'_, f64> {
    /// Forward dynamics, unless a joint has nothing to move.
    pub fn try_acceleration(&self, torque: &[f64]) -> Result<Vec<f64>, ChainError> {
        finite("tau", torque)?;
        fits(self.qd.len(), "the torques", torque)?;
        let (qdd, pivots) = self.acceleration_and_pivots(torque.to_vec());
        let (mass, n) = (self.pose.mass_matrix(), qdd.len());
        check_pivots(&pivots, |i| mass[i * n + i])?;
        Ok(qdd)
    }
}

impl<S: Scalar> Chain<S> {
    /// Torques that hold the chain still, springs included, N m (prismatic: N).
    pub fn gravity_torque(&self, q: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.at_joints(q)?.gravity_torque())
    }

    /// The mass matrix, row by row.
    pub fn mass_matrix(&self, q: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.at_joints(q)?.mass_matrix())
    }
}
