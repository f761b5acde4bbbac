//! Every published model behind one interface.
//!
//! A model is what it says about the *bare* robot: arms, forearms and platform, at a state whose kinematics are
//! solved. Rotor, payload, friction and external force are added here, in the same way for all, so that a comparison
//! shows the models and nothing else. Everything but the inverse dynamics follows from it, because every model is
//! affine in the acceleration.

use super::{ArmParameters, Moving, Parameters, Pose};
use crate::algebra::{Mat3, Vec3, difference, sum, three};
use crate::array::map;
use crate::scalar::Scalar;
use thiserror::Error;

/// A dynamic model of a Delta robot.
pub trait Model<S: Scalar> {
    /// Torques of the bare robot: no rotor, payload, friction or external force.
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3];

    /// Torques for a platform acceleration while the environment pushes with `force` on the platform, N m.
    fn torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        sum(self.rigid_torque(moving, acceleration, force), moving.dissipation_torque())
    }

    /// The same without friction.
    fn rigid_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        sum(self.bare_torque(moving, acceleration), additions(moving, acceleration, force))
    }

    /// Torques that hold the robot still, N m.
    fn gravity_torque(&self, pose: &Pose<'_, S>) -> [S; 3] {
        self.rigid_torque(&pose.moving(Vec3::zero()), Vec3::zero(), Vec3::zero())
    }

    /// Mass matrix in joint coordinates, kg m²: the torques of unit joint accelerations from rest, column by column.
    fn mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        let still = pose.moving(Vec3::zero());
        let held = self.gravity_torque(pose);
        let k = pose.inverse_jacobian().transpose();
        Mat3::from_columns(map(k.0, |column| Vec3(difference(self.rigid_torque(&still, column, Vec3::zero()), held))))
    }

    /// Mass matrix in platform coordinates, Jᵀ A J, kg.
    fn cartesian_mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        let j = pose.jacobian();
        j.transpose().product(self.mass_matrix(pose)).product(j)
    }

    /// Coriolis and centrifugal torque at zero joint acceleration, N m.
    fn coriolis(&self, moving: &Moving<'_, S>) -> [S; 3] {
        let drift = moving.platform_acceleration([S::zero(); 3]);
        difference(self.rigid_torque(moving, drift, Vec3::zero()), self.gravity_torque(&moving.pose))
    }

    /// Coriolis matrix in joint coordinates, N m s.
    ///
    /// The velocity torque is a quadratic form c(q̇); its polarisation [c(q̇ + u) − c(q̇ − u)]/4 is linear in u, and its
    /// matrix is the one of the Christoffel symbols, with Ȧ − 2C skew wherever the model comes from an energy.
    fn coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        let qd = moving.joint_velocity();
        let along = |u: [S; 3]| self.coriolis(&moving.pose.moving_joints(u));
        Mat3::from_columns(map([0, 1, 2], |i| {
            let u = three(|k| if k == i { S::one() } else { S::zero() });
            Vec3(difference(along(sum(qd, u)), along(difference(qd, u)))) * S::from_f64(0.25)
        }))
    }

    /// Coriolis matrix in platform coordinates, Jᵀ(C J + A J̇), kg/s.
    fn cartesian_coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        let j = moving.pose.jacobian();
        let inner =
            self.coriolis_matrix(moving).product(j) + self.mass_matrix(&moving.pose).product(moving.jacobian_rate());
        j.transpose().product(inner)
    }

    /// Platform acceleration under motor torques and a force on the platform: forward dynamics, m/s².
    fn acceleration(&self, moving: &Moving<'_, S>, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        let drift = moving.platform_acceleration([S::zero(); 3]);
        let missing = difference(torque, self.torque(moving, drift, force));
        let qdd = self.mass_matrix(&moving.pose).solve(Vec3(missing));
        moving.platform_acceleration(qdd.0)
    }
}

/// Torques of rotor, payload and external force, the same for every model.
pub(crate) fn additions<S: Scalar>(moving: &Moving<'_, S>, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
    let parameters = moving.pose.robot.parameters();
    let qdd = moving.joint_acceleration(acceleration);
    let rotors = three(|i| parameters.arms[i].reflected_rotor_inertia() * qdd[i]);
    let carried = (acceleration - parameters.gravity) * parameters.payload_mass - force;
    sum(rotors, moving.pose.torque_of_wrench(carried))
}

/// A model that cannot represent a robot says why.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("model `{model}` does not apply to this robot: {field} {reason}")]
pub struct ModelDoesNotApply {
    /// The model.
    pub model: &'static str,
    /// The field of the robot file that it cannot take.
    pub field: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What the models of one kinematic chain have in common: the driven link with its elbow mass as one body.
impl<S: Scalar> ArmParameters<S> {
    /// R = base radius − platform radius, m.
    pub fn radius(&self) -> S {
        self.base_radius - self.platform_radius
    }

    /// Inertia of upper arm and elbow mass about the motor axis, without the rotor, kg m².
    pub fn arm_axis_inertia(&self) -> S {
        let arm = &self.upper_arm;
        arm.inertia + arm.steiner() + arm.mass_at_elbow() * arm.length.square()
    }

    /// First moment of upper arm and elbow mass about the motor axis, kg m.
    pub fn arm_moment(&self) -> S {
        let arm = &self.upper_arm;
        arm.mass * arm.center_of_mass + arm.mass_at_elbow() * arm.length
    }

    /// First moment of the upper arm beside the line motor axis–elbow, along e′, kg m; `None` where its centre of mass is on it.
    pub fn arm_offset_moment(&self) -> Option<S> {
        self.upper_arm.center_of_mass_offset.map(|offset| self.upper_arm.mass * offset)
    }

    /// Distance of the forearm's centre of mass from the elbow over its length.
    pub fn rod_ratio(&self) -> S {
        self.forearm.center_of_mass / self.forearm.length
    }
}

/// Whether gravity points along −z: what a model derived for an upright robot needs.
pub(crate) fn is_upright(parameters: &Parameters<f64>) -> bool {
    let [x, y, z] = parameters.gravity.0;
    x == 0.0 && y == 0.0 && z <= 0.0
}
