//! A serial arm as [`crate::dynamics`] sees it: by Newton and Euler's recursion and articulated bodies.

use super::steering::{moves_frame, tool_error};
use super::{Moving, Serial};
use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};

impl<S: Scalar, const N: usize> Dynamics<S, N> for Serial<S, N> {
    type At<'a>
        = Moving<'a, S, N>
    where
        Self: 'a;

    #[inline(always)]
    fn at_joints(&self, q: [S; N], qd: [S; N]) -> Moving<'_, S, N> {
        self.pose_unchecked(q).moving(qd)
    }
}

impl<S: Scalar, const N: usize> State<S, N> for Moving<'_, S, N> {
    #[inline(always)]
    fn joints(&self) -> ([S; N], [S; N]) {
        (self.pose.q, self.qd)
    }
    #[inline(always)]
    fn rigid_torque(&self, qdd: [S; N]) -> [S; N] {
        Moving::rigid_torque(self, qdd)
    }
    #[inline(always)]
    fn gravity(&self) -> [S; N] {
        self.pose.gravity_torque()
    }
    #[inline(always)]
    fn tool(&self) -> Frame<S> {
        self.pose.tool()
    }
    #[inline(always)]
    fn tool_velocity(&self) -> Twist<S> {
        Moving::tool_velocity(self)
    }
    #[inline(always)]
    fn tool_acceleration(&self, qdd: [S; N]) -> Twist<S> {
        Moving::tool_acceleration(self, qdd)
    }
    #[inline(always)]
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; N] {
        self.pose.jacobian().transpose_times(wrench)
    }
    #[inline(always)]
    fn friction(&self) -> [S; N] {
        Moving::friction(self)
    }
    #[inline(always)]
    fn torque(&self, qdd: [S; N], wrench: Wrench<S>) -> [S; N] {
        self.torque_under(qdd, wrench)
    }
    #[inline(always)]
    fn acceleration(&self, torque: [S; N], wrench: Wrench<S>) -> [S; N] {
        self.acceleration_under(torque, wrench)
    }
    #[inline(always)]
    fn mass_matrix(&self) -> [[S; N]; N] {
        self.pose.mass_matrix()
    }
    #[inline(always)]
    fn joint_acceleration(&self, tool: Twist<S>, near: [S; N]) -> [S; N] {
        Moving::joint_acceleration(self, tool, near)
    }
    #[inline(always)]
    fn margin(&self) -> S {
        self.pose.tool_margin()
    }
    #[inline(always)]
    fn null_space_torque(&self, torque: [S; N]) -> [S; N] {
        self.pose.null_space_torque(torque)
    }
    /// Of the tool's whole frame where the joints move it, else of its point.
    #[inline(always)]
    fn tool_error(&self, reference: &Reference<S, N>) -> ToolError<S> {
        let goal = self.pose.robot.pose_unchecked(reference.q).moving(reference.qd);
        let (there, here) = ((goal.pose.tool(), goal.tool_velocity()), (self.pose.tool(), self.tool_velocity()));
        let [pose, velocity] = tool_error(moves_frame(&self.pose), there, here);
        ToolError { pose, velocity, acceleration: goal.tool_acceleration(reference.qdd) }
    }
}
