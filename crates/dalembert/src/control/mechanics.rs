//! What moves in the loop: accelerations from torques, joints from coordinates.

use super::ControlError;
use crate::Vec3;
use crate::delta::symmetric::Symmetric;
use crate::delta::{Branch, Delta, Moving, SINGULAR};
use crate::serial::Serial;
use crate::simulate::ElbowWatch;
use crate::spatial::Wrench;

/// A robot that torques move. Its coordinates are what its equations of motion are written in: of a Delta the platform's
/// position, of a serial arm its joints.
pub trait Mechanics<const N: usize> {
    /// Second derivative of the coordinates, NaN where there is none. `force` acts on the platform or tool.
    fn acceleration(&self, x: [f64; N], v: [f64; N], torque: [f64; N], force: Vec3<f64>) -> [f64; N];

    /// Joints and their velocities in a state that the robot can be in, seen at the end of a step.
    fn joints(&mut self, time: f64, x: [f64; N], v: [f64; N]) -> Result<[[f64; N]; 2], ControlError>;

    /// The same, unchecked: inside of a step.
    fn joints_unchecked(&self, x: [f64; N], v: [f64; N]) -> [[f64; N]; 2];

    /// Position and velocity of the platform or tool.
    fn point(&self, x: [f64; N], v: [f64; N]) -> [Vec3<f64>; 2];
}

/// A Delta: through the exact model, by its fast path where it has one.
#[derive(Clone, Copy, Debug)]
pub struct DeltaMechanics {
    robot: Delta<f64>,
    branch: Branch,
    /// For a symmetric robot without friction.
    fast: Option<Symmetric<f64>>,
    watch: ElbowWatch,
}

impl DeltaMechanics {
    /// The robot with its elbows on one branch.
    pub fn new(robot: &Delta<f64>, branch: Branch) -> Self {
        let lossless =
            robot.parameters().arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none());
        let fast = robot.symmetric().filter(|_| lossless && branch == Branch::Out);
        Self { robot: *robot, branch, fast, watch: ElbowWatch::default() }
    }

    fn moving(&self, x: [f64; 3], v: [f64; 3]) -> Moving<'_, f64> {
        self.robot.pose_unchecked(Vec3(x), self.branch).moving(Vec3(v))
    }
}

impl Mechanics<3> for DeltaMechanics {
    #[inline]
    fn acceleration(&self, x: [f64; 3], v: [f64; 3], torque: [f64; 3], force: Vec3<f64>) -> [f64; 3] {
        match &self.fast {
            Some(fast) if force.0 == [0.0; 3] => fast.acceleration(Vec3(x), Vec3(v), torque).0,
            _ => self.moving(x, v).acceleration_under(torque, force).0,
        }
    }

    #[inline]
    fn joints(&mut self, time: f64, x: [f64; 3], v: [f64; 3]) -> Result<[[f64; 3]; 2], ControlError> {
        let moving = self.robot.pose_unchecked(Vec3(x), self.branch).moving(Vec3(v));
        let stretched = moving.pose.transmission_margins().iter().all(|margin| margin.abs() > SINGULAR);
        if !(stretched && moving.pose.rod_determinant().abs() > SINGULAR) {
            self.robot.at_position(Vec3(x), self.branch).map_err(|cause| ControlError::Kinematics { time, cause })?;
        }
        self.watch.check(time, &moving).map_err(|cause| ControlError::Kinematics { time, cause })?;
        Ok([moving.pose.joints(), moving.joint_velocity()])
    }

    fn joints_unchecked(&self, x: [f64; 3], v: [f64; 3]) -> [[f64; 3]; 2] {
        let moving = self.moving(x, v);
        [moving.pose.joints(), moving.joint_velocity()]
    }

    #[inline]
    fn point(&self, x: [f64; 3], v: [f64; 3]) -> [Vec3<f64>; 2] {
        [Vec3(x), Vec3(v)]
    }
}

/// A serial arm, by its articulated bodies.
#[derive(Clone, Copy, Debug)]
pub struct ArmMechanics<const N: usize> {
    /// The arm.
    pub arm: Serial<f64, N>,
}

impl<const N: usize> Mechanics<N> for ArmMechanics<N> {
    fn acceleration(&self, x: [f64; N], v: [f64; N], torque: [f64; N], force: Vec3<f64>) -> [f64; N] {
        let moving = self.arm.pose_unchecked(x).moving(v);
        moving.acceleration_under(torque, Wrench { force, moment: Vec3::zero() })
    }

    fn joints(&mut self, time: f64, x: [f64; N], v: [f64; N]) -> Result<[[f64; N]; 2], ControlError> {
        let pose = self.arm.at_joints(x).map_err(|cause| ControlError::Arm { time, cause })?;
        pose.try_moving(v).map_err(|cause| ControlError::Arm { time, cause })?;
        Ok([x, v])
    }

    fn joints_unchecked(&self, x: [f64; N], v: [f64; N]) -> [[f64; N]; 2] {
        [x, v]
    }

    fn point(&self, x: [f64; N], v: [f64; N]) -> [Vec3<f64>; 2] {
        let moving = self.arm.pose_unchecked(x).moving(v);
        [moving.pose.tool().origin, moving.tool_velocity().linear]
    }
}
