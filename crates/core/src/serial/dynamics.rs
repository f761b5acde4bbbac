//! A serial arm as [`crate::dynamics`] sees it: by Newton and Euler's recursion and articulated bodies.

use super::kinematics::times;
use super::steering::tool_error;
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
        self.rigid_torque_at(&qdd)
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
        times(&self.pose.jacobian(), &self.qd)
    }
    #[inline(always)]
    fn tool_acceleration(&self, qdd: [S; N]) -> Twist<S> {
        self.tool_motion(qdd).2
    }
    #[inline(always)]
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; N] {
        self.pose.torque_of_wrench(wrench)
    }
    #[inline(always)]
    fn friction(&self) -> [S; N] {
        let mut torque = [S::zero(); N];
        self.add_friction(&mut torque);
        torque
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
        self.steered(tool, near)
    }
    #[inline(always)]
    fn margin(&self) -> S {
        self.pose.tool_margin()
    }
    #[inline(always)]
    fn null_space_torque(&self, torque: [S; N]) -> [S; N] {
        self.pose.null_space_part(torque)
    }
    /// Of the tool's whole frame where the joints move it, else of its point.
    #[inline(always)]
    fn tool_error(&self, reference: &Reference<S, N>) -> ToolError<S> {
        let goal = self.pose.robot.pose_unchecked(reference.q).moving(reference.qd);
        let (there, here) = ((goal.pose.tool(), goal.tool_velocity()), (self.pose.tool(), self.tool_velocity()));
        let [pose, velocity] = tool_error(self.pose.moves_frame(), there, here);
        ToolError { pose, velocity, acceleration: goal.tool_acceleration(reference.qdd) }
    }
}
