//! What a law asks of a robot, the same for Deltas and serial arms.

use crate::algebra::Vec3;
use crate::delta::{ArmParameters, Assembly, Delta, Model, Moving};
use crate::scalar::Scalar;
use crate::serial::{self, Serial, Wrench};

/// A robot as the controller knows it.
pub trait JointModel<S: Scalar, const N: usize> {
    /// The robot in a state.
    type State<'a>: JointState<S, N>
    where
        Self: 'a;

    /// The state of joints and their velocities. Unchecked: where there is no such state, its numbers are NaN.
    fn at(&self, q: [S; N], qd: [S; N]) -> Self::State<'_>;

    /// Friction in that state, without the state where there is none.
    #[inline(always)]
    fn friction(&self, q: [S; N], qd: [S; N]) -> [S; N] {
        self.at(q, qd).friction()
    }
}

/// What a law asks of a state.
pub trait JointState<S: Scalar, const N: usize> {
    /// Torques for joint accelerations, without friction.
    fn torque(&self, qdd: [S; N]) -> [S; N];

    /// Torques that hold the robot here.
    fn gravity(&self) -> [S; N];

    /// Friction at this velocity, which the motors have to supply.
    fn friction(&self) -> [S; N];

    /// Position and velocity of the point that is controlled: the Delta's platform, the arm's tool.
    fn point(&self) -> [Vec3<S>; 2];

    /// Torques that press with a force at that point.
    fn press(&self, force: Vec3<S>) -> [S; N];

    /// Joint accelerations that accelerate that point so; `None` where they are not determined.
    fn joint_acceleration(&self, acceleration: Vec3<S>) -> Option<[S; N]>;

    /// Â u: every model is affine in the acceleration.
    #[inline(always)]
    fn inertia_times(&self, u: [S; N]) -> [S; N] {
        let (with, without) = (self.torque(u), self.torque([S::zero(); N]));
        core::array::from_fn(|i| with[i] - without[i])
    }
}

/// A Delta with one of its models.
#[derive(Debug)]
pub struct DeltaModel<'r, S, M: ?Sized> {
    /// Its kinematics and what all models add in the same way.
    pub robot: &'r Delta<S>,
    /// Its dynamics.
    pub model: &'r M,
    /// Which of the two poses its joints mean.
    pub assembly: Assembly,
}

impl<S, M: ?Sized> Clone for DeltaModel<'_, S, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, M: ?Sized> Copy for DeltaModel<'_, S, M> {}

/// A Delta in a state.
#[derive(Debug)]
pub struct DeltaState<'a, S, M: ?Sized> {
    /// The stage of the evaluation.
    pub moving: Moving<'a, S>,
    model: &'a M,
}

impl<S: Scalar, M: Model<S> + ?Sized> JointModel<S, 3> for DeltaModel<'_, S, M> {
    type State<'a>
        = DeltaState<'a, S, M>
    where
        Self: 'a;

    #[inline(always)]
    fn at(&self, q: [S; 3], qd: [S; 3]) -> DeltaState<'_, S, M> {
        let (pose, _) = self.robot.pose_from_joints_unchecked(Vec3(q), self.assembly);
        DeltaState { moving: pose.moving_joints(Vec3(qd)), model: self.model }
    }

    #[inline(always)]
    fn friction(&self, q: [S; 3], qd: [S; 3]) -> [S; 3] {
        let none = |arm: &ArmParameters<S>| arm.motor.friction.is_none() && arm.passive_damping.is_none();
        if self.robot.parameters().arms.iter().all(none) { [S::zero(); 3] } else { self.at(q, qd).friction() }
    }
}

impl<S: Scalar, M: Model<S> + ?Sized> JointState<S, 3> for DeltaState<'_, S, M> {
    #[inline(always)]
    fn torque(&self, qdd: [S; 3]) -> [S; 3] {
        let acceleration = self.moving.platform_acceleration(Vec3(qdd));
        self.model.rigid_torque(&self.moving, acceleration, Vec3::zero()).0
    }
    #[inline(always)]
    fn gravity(&self) -> [S; 3] {
        self.model.gravity_torque(&self.moving.pose).0
    }
    #[inline(always)]
    fn friction(&self) -> [S; 3] {
        self.moving.dissipation_torque().0
    }
    #[inline(always)]
    fn point(&self) -> [Vec3<S>; 2] {
        [self.moving.pose.position, self.moving.velocity]
    }
    #[inline(always)]
    fn press(&self, force: Vec3<S>) -> [S; 3] {
        self.moving.pose.carry(force).0
    }
    #[inline(always)]
    fn joint_acceleration(&self, acceleration: Vec3<S>) -> Option<[S; 3]> {
        Some(self.moving.joint_acceleration(acceleration).0)
    }
}

impl<S: Scalar, const N: usize> JointModel<S, N> for Serial<S, N> {
    type State<'a>
        = serial::Moving<'a, S, N>
    where
        Self: 'a;

    #[inline(always)]
    fn at(&self, q: [S; N], qd: [S; N]) -> serial::Moving<'_, S, N> {
        self.pose_unchecked(q).moving(qd)
    }
}

impl<S: Scalar, const N: usize> JointState<S, N> for serial::Moving<'_, S, N> {
    #[inline(always)]
    fn torque(&self, qdd: [S; N]) -> [S; N] {
        self.rigid_torque(qdd)
    }
    #[inline(always)]
    fn gravity(&self) -> [S; N] {
        self.pose.gravity_torque()
    }
    #[inline(always)]
    fn friction(&self) -> [S; N] {
        serial::Moving::friction(self)
    }
    #[inline(always)]
    fn point(&self) -> [Vec3<S>; 2] {
        [self.pose.tool().origin, self.tool_velocity()[0]]
    }
    #[inline(always)]
    fn press(&self, force: Vec3<S>) -> [S; N] {
        self.pose.jacobian().transpose_times(Wrench { force, moment: Vec3::zero() })
    }
    fn joint_acceleration(&self, _: Vec3<S>) -> Option<[S; N]> {
        None // a point has three coordinates, an arm another number of joints in general
    }
}
