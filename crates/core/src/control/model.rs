//! What a law asks of a robot, the same for Deltas and serial arms.

use super::Reference;
use crate::algebra::{Vec3, sum};
use crate::delta::{ArmParameters, Assembly, Branch, Delta, Model, Moving};
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

    /// Torques for a wanted motion, friction included. A model that finds the reference faster by platform than by joints
    /// may do so: both say the same.
    #[inline(always)]
    fn predicted(&self, wanted: &Reference<S, N>) -> [S; N] {
        let state = self.at(wanted.q, wanted.qd);
        let (torque, friction) = (state.torque(wanted.qdd), state.friction());
        core::array::from_fn(|i| torque[i] + friction[i])
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

    /// What the Delta's platform or the arm's tool lacks of what is wanted.
    fn aim(&self, wanted: &Reference<S, N>) -> Aim<S>;

    /// Joint accelerations that accelerate platform or tool so, along and about, and otherwise are near to `near`. NaN
    /// where there are none.
    fn steer(&self, acceleration: [Vec3<S>; 2], near: [S; N]) -> [S; N];

    /// How far that is from having no answer; 0 there.
    fn steering_margin(&self) -> S;

    /// Joint accelerations of the wanted motion, seen from here.
    fn follow(&self, wanted: &Reference<S, N>) -> [S; N];

    /// Torques that press at platform or tool; a platform does not turn, whatever the moment.
    fn press(&self, wrench: Wrench<S>) -> [S; N];

    /// Of torques the part that presses nowhere there.
    fn idle(&self, torque: [S; N]) -> [S; N];

    /// Â u where a damper at the tool is not enough; a platform has no light and heavy directions worth the name.
    fn damp(&self, u: [S; N]) -> [S; N];

    /// Â u: every model is affine in the acceleration.
    #[inline(always)]
    fn inertia_times(&self, u: [S; N]) -> [S; N] {
        let (with, without) = (self.torque(u), self.torque([S::zero(); N]));
        core::array::from_fn(|i| with[i] - without[i])
    }
}

/// What platform or tool lacks of what is wanted: first along x, y, z, then about them. A platform does not turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim<S> {
    /// Wanted minus actual: m, rad as a vector along the axis.
    pub error: [Vec3<S>; 2],
    /// Wanted minus actual velocity, m/s, rad/s.
    pub rate: [Vec3<S>; 2],
    /// Wanted acceleration, m/s², rad/s².
    pub acceleration: [Vec3<S>; 2],
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
    /// Which of the two joints of each arm the platform of a wanted motion means.
    pub branch: Branch,
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
        let (pose, _) = self.robot.pose_from_joints_unchecked(q, self.assembly);
        DeltaState { moving: pose.moving_joints(qd), model: self.model }
    }

    #[inline(always)]
    fn friction(&self, q: [S; 3], qd: [S; 3]) -> [S; 3] {
        let none = |arm: &ArmParameters<S>| arm.motor.friction.is_none() && arm.passive_damping.is_none();
        if self.robot.parameters().arms.iter().all(none) { [S::zero(); 3] } else { self.at(q, qd).friction() }
    }

    /// From the platform: neither angles nor forward kinematics.
    #[inline(always)]
    fn predicted(&self, wanted: &Reference<S, 3>) -> [S; 3] {
        let [position, velocity, acceleration] = wanted.point;
        let moving = self.robot.pose_unchecked(position, self.branch).moving(velocity);
        sum(self.model.rigid_torque(&moving, acceleration, Vec3::zero()), moving.dissipation_torque())
    }
}

impl<S: Scalar, M: Model<S> + ?Sized> JointState<S, 3> for DeltaState<'_, S, M> {
    #[inline(always)]
    fn torque(&self, qdd: [S; 3]) -> [S; 3] {
        let acceleration = self.moving.platform_acceleration(qdd);
        self.model.rigid_torque(&self.moving, acceleration, Vec3::zero())
    }
    #[inline(always)]
    fn gravity(&self) -> [S; 3] {
        self.model.gravity_torque(&self.moving.pose)
    }
    #[inline(always)]
    fn friction(&self) -> [S; 3] {
        self.moving.dissipation_torque()
    }
    #[inline(always)]
    fn aim(&self, wanted: &Reference<S, 3>) -> Aim<S> {
        let [position, velocity, acceleration] = wanted.point;
        Aim {
            error: [position - self.moving.pose.position, Vec3::zero()],
            rate: [velocity - self.moving.velocity, Vec3::zero()],
            acceleration: [acceleration, Vec3::zero()],
        }
    }
    #[inline(always)]
    fn steer(&self, acceleration: [Vec3<S>; 2], _near: [S; 3]) -> [S; 3] {
        self.moving.joint_acceleration(acceleration[0])
    }
    /// A platform's acceleration determines the joints' wherever there is a pose.
    fn steering_margin(&self) -> S {
        S::one()
    }
    #[inline(always)]
    fn follow(&self, wanted: &Reference<S, 3>) -> [S; 3] {
        self.moving.joint_acceleration(wanted.point[2])
    }
    #[inline(always)]
    fn press(&self, wrench: Wrench<S>) -> [S; 3] {
        self.moving.pose.carry(wrench.force)
    }
    #[inline(always)]
    fn idle(&self, _torque: [S; 3]) -> [S; 3] {
        [S::zero(); 3]
    }
    #[inline(always)]
    fn damp(&self, _u: [S; 3]) -> [S; 3] {
        [S::zero(); 3]
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
    fn aim(&self, wanted: &Reference<S, N>) -> Aim<S> {
        let goal = self.pose.robot.pose_unchecked(wanted.q).moving(wanted.qd);
        let (frame, here) = (goal.pose.tool(), self.pose.tool());
        let (there, now) = (goal.tool_velocity(), self.tool_velocity());
        let spin = if serial::Pose::<S, N>::FRAME { there[1] - now[1] } else { Vec3::zero() };
        Aim {
            error: [frame.origin - here.origin, self.pose.tool_turn_to(&frame)],
            rate: [there[0] - now[0], spin],
            acceleration: goal.tool_acceleration(wanted.qdd),
        }
    }
    #[inline(always)]
    fn steer(&self, acceleration: [Vec3<S>; 2], near: [S; N]) -> [S; N] {
        serial::Moving::steer(self, acceleration, near)
    }
    fn steering_margin(&self) -> S {
        self.pose.tool_margin()
    }
    #[inline(always)]
    fn follow(&self, wanted: &Reference<S, N>) -> [S; N] {
        wanted.qdd
    }
    #[inline(always)]
    fn press(&self, wrench: Wrench<S>) -> [S; N] {
        self.pose.jacobian().transpose_times(wrench)
    }
    #[inline(always)]
    fn idle(&self, torque: [S; N]) -> [S; N] {
        self.pose.idle_torque(torque)
    }
    #[inline(always)]
    fn damp(&self, u: [S; N]) -> [S; N] {
        self.inertia_times(u)
    }
}
