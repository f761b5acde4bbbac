//! What the robot should do: motions as joint references, by the kinematics that the controller knows.

use super::arm_subject::first;
use super::{ControlError, Reference};
use crate::Vec3;
use crate::delta::{Branch, Delta, KinematicsError};
use crate::motion::{Motion, PerJoint, PlatformState, State};
use crate::serial::Serial;

/// References as a function of time.
pub trait Wish<const N: usize> {
    /// What is wanted at a time, s.
    fn at(&self, time: f64) -> Result<Reference<f64, N>, ControlError>;
}

/// A motion of a Delta's platform, which rests when it has ended.
#[derive(Clone, Copy)]
pub struct DeltaWish<'m> {
    /// As the controller knows it.
    pub robot: &'m Delta<f64>,
    /// Of its elbows.
    pub branch: Branch,
    /// The motion.
    pub motion: &'m (dyn Motion<Point = Vec3<f64>> + Send + Sync),
}

impl Wish<3> for DeltaWish<'_> {
    #[inline]
    fn at(&self, time: f64) -> Result<Reference<f64, 3>, ControlError> {
        reference(self.robot, self.branch, self.motion.at(time))
            .map_err(|cause| ControlError::OutOfReach { time, cause })
    }
}

/// What a state of the platform asks of a Delta's joints.
#[inline]
pub(super) fn reference(
    robot: &Delta<f64>,
    branch: Branch,
    state: PlatformState,
) -> Result<Reference<f64, 3>, KinematicsError> {
    let PlatformState { position, velocity, acceleration } = state;
    let mut pose = robot.pose_unchecked(position, branch);
    // Negated so that NaN is refused too; the checked way then says why.
    if !(pose.transmission_margins().iter().all(|margin| margin.abs() > 1e-6)) {
        pose = robot.at_position(position, branch)?;
    }
    let moving = pose.moving(velocity);
    Ok(Reference {
        q: moving.pose.joints(),
        qd: moving.joint_velocity(),
        qdd: moving.joint_acceleration(acceleration),
        point: [position, velocity, acceleration],
    })
}

/// A motion of a serial arm in its joints, which rests when it has ended.
#[derive(Clone, Copy)]
pub struct ArmWish<'m, const N: usize> {
    /// As the controller knows it.
    pub arm: &'m Serial<f64, N>,
    /// The motion; only the first N joints are read.
    pub motion: &'m (dyn Motion<Point = PerJoint> + Send + Sync),
}

impl<const N: usize> Wish<N> for ArmWish<'_, N> {
    fn at(&self, time: f64) -> Result<Reference<f64, N>, ControlError> {
        let State { position, velocity, acceleration } = self.motion.at(time);
        let [q, qd, qdd] = [position, velocity, acceleration].map(|all| first(&all));
        let refused = |cause| ControlError::Arm { time, cause };
        let moving = self.arm.at_joints(q).map_err(refused)?.try_moving(qd).map_err(refused)?;
        let point = [moving.pose.tool().origin, moving.tool_velocity().linear, moving.tool_acceleration(qdd).linear];
        Ok(Reference { q, qd, qdd, point })
    }
}
