//! A Delta with one of its models, as [`crate::dynamics`] sees it. Its tool is the centre of its platform.

use super::{ArmParameters, Assembly, Branch, Delta, Model, Moving};
use crate::algebra::{Vec3, sum};
use crate::array::map;
use crate::dynamics::{Dynamics, Reference, State};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};

/// A Delta with one of its models.
#[derive(Clone, Copy, Debug)]
pub struct DeltaModel<S, M> {
    /// Its kinematics and what all models add in the same way.
    pub robot: Delta<S>,
    /// Its dynamics.
    pub model: M,
    /// Which of the two poses its joints mean.
    pub assembly: Assembly,
    /// Which of the two joints of each arm a platform position means.
    pub branch: Branch,
}

/// A Delta in a state.
#[derive(Debug)]
pub struct DeltaState<'a, S, M> {
    /// The stage of the evaluation.
    pub moving: Moving<'a, S>,
    model: &'a M,
}

impl<'a, S: Scalar, M> DeltaState<'a, S, M> {
    /// A stage of the evaluation with a model.
    pub fn new(moving: Moving<'a, S>, model: &'a M) -> Self {
        Self { moving, model }
    }
}

impl<S: Scalar, M: Model<S>> Dynamics<S, 3> for DeltaModel<S, M> {
    type At<'a>
        = DeltaState<'a, S, M>
    where
        Self: 'a;

    #[inline(always)]
    fn at_joints(&self, q: [S; 3], qd: [S; 3]) -> DeltaState<'_, S, M> {
        let (pose, _) = self.robot.pose_from_joints_unchecked(q, self.assembly);
        DeltaState { moving: pose.moving_joints(qd), model: &self.model }
    }

    #[inline(always)]
    fn at_tool(&self, tool: Frame<S>, velocity: Twist<S>) -> Option<DeltaState<'_, S, M>> {
        let pose = self.robot.pose_unchecked(self.robot.platform_of(tool.origin), self.branch);
        Some(DeltaState { moving: pose.moving(velocity.linear), model: &self.model })
    }

    #[inline(always)]
    fn friction(&self, q: [S; 3], qd: [S; 3]) -> [S; 3] {
        let none = |arm: &ArmParameters<S>| arm.motor.friction.is_none() && arm.passive_damping.is_none();
        if self.robot.parameters().arms.iter().all(none) { [S::zero(); 3] } else { self.at_joints(q, qd).friction() }
    }

    /// From the platform: neither angles nor forward kinematics.
    #[inline(always)]
    fn predicted(&self, reference: &Reference<S, 3>) -> [S; 3] {
        let [position, velocity, acceleration] = reference.point;
        let moving = self.robot.pose_unchecked(self.robot.platform_of(position), self.branch).moving(velocity);
        sum(self.model.rigid_torque(&moving, acceleration, Vec3::zero()), moving.dissipation_torque())
    }
}

impl<S: Scalar, M: Model<S>> State<S, 3> for DeltaState<'_, S, M> {
    #[inline(always)]
    fn joints(&self) -> ([S; 3], [S; 3]) {
        (self.moving.pose.joints(), self.moving.joint_velocity())
    }
    #[inline(always)]
    fn rigid_torque(&self, qdd: [S; 3]) -> [S; 3] {
        let acceleration = self.moving.platform_acceleration(qdd);
        self.model.rigid_torque(&self.moving, acceleration, Vec3::zero())
    }
    #[inline(always)]
    fn gravity(&self) -> [S; 3] {
        self.model.gravity_torque(&self.moving.pose)
    }
    #[inline(always)]
    fn tool(&self) -> Frame<S> {
        Frame::at(self.moving.pose.tool())
    }
    #[inline(always)]
    fn tool_velocity(&self) -> Twist<S> {
        Twist::translation(self.moving.velocity)
    }
    #[inline(always)]
    fn tool_acceleration(&self, qdd: [S; 3]) -> Twist<S> {
        Twist::translation(self.moving.platform_acceleration(qdd))
    }
    /// A platform does not turn, whatever the moment.
    #[inline(always)]
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; 3] {
        self.moving.pose.torque_of_wrench(wrench.force)
    }
    #[inline(always)]
    fn friction(&self) -> [S; 3] {
        self.moving.dissipation_torque()
    }
    #[inline(always)]
    fn torque(&self, qdd: [S; 3], wrench: Wrench<S>) -> [S; 3] {
        self.model.torque(&self.moving, self.moving.platform_acceleration(qdd), wrench.force)
    }
    #[inline(always)]
    fn acceleration(&self, torque: [S; 3], wrench: Wrench<S>) -> [S; 3] {
        self.moving.joint_acceleration(self.model.acceleration(&self.moving, torque, wrench.force))
    }
    #[inline(always)]
    fn mass_matrix(&self) -> [[S; 3]; 3] {
        map(self.model.mass_matrix(&self.moving.pose).0, |row| row.0)
    }
    #[inline(always)]
    fn side(&self) -> S {
        self.moving.pose.rod_determinant()
    }
    /// A platform's acceleration determines the joints' wherever there is a pose.
    #[inline(always)]
    fn joint_acceleration(&self, tool: Twist<S>, _near: [S; 3]) -> [S; 3] {
        self.moving.joint_acceleration(tool.linear)
    }
    #[inline(always)]
    fn reference_acceleration(&self, reference: &Reference<S, 3>) -> [S; 3] {
        self.moving.joint_acceleration(reference.point[2])
    }
    /// None: a platform has no light and heavy directions worth the name.
    #[inline(always)]
    fn damping_torque(&self, _u: [S; 3]) -> [S; 3] {
        [S::zero(); 3]
    }
}
