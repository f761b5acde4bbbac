//! A parallel robot as [`crate::dynamics`] sees it. Its tool is the frame of its platform.

use super::forward::orthonormal;
use super::{Moving, Parallel, QrFactors};
use crate::algebra::{Vec3, sum};
use crate::delta::Branch;
use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench, rotation_vector};
use core::cell::Cell;

/// Newton's steps to a platform that is nearby; the last of them is smaller than rounding.
const STEPS: usize = 5;

/// Where after that many steps this is left of the squares of the rods' lengths there is no such platform.
const MISS: f64 = 1e-10;

/// A parallel robot whose joints are taken to mean the platform next to one that is known.
#[derive(Clone, Debug)]
pub struct ParallelModel<S: Copy, const N: usize> {
    /// The robot.
    pub robot: Parallel<S, N>,
    /// The branches of its legs.
    pub branches: [Branch; N],
    near: Cell<Frame<S>>,
    steps: usize,
    follows: bool,
}

impl<S: Scalar, const N: usize> ParallelModel<S, N> {
    /// About a platform that is right for the joints to be asked for, and to first order for all that vary with them.
    pub fn about(robot: Parallel<S, N>, tool: Frame<S>) -> Self {
        Self { branches: robot.branches(), robot, near: Cell::new(tool), steps: 2, follows: false }
    }

    /// Beginning with a platform and always next to the last one: for motions in small steps.
    pub fn following(robot: Parallel<S, N>, tool: Frame<S>) -> Self {
        Self { follows: true, steps: STEPS, ..Self::about(robot, tool) }
    }
}

/// A parallel robot in a state.
#[derive(Debug)]
pub struct ParallelState<'a, S: Copy, const N: usize> {
    /// The stage of the evaluation.
    pub moving: Moving<'a, S, N>,
    /// The rods' matrix B in factors.
    pub factors: QrFactors<S, N>,
}

impl<'a, S: Scalar, const N: usize> ParallelState<'a, S, N> {
    /// The state of a stage of the evaluation.
    #[inline(always)]
    pub fn new(moving: Moving<'a, S, N>) -> Self {
        Self { factors: moving.pose.factors(), moving }
    }

    /// The robot with its joints at `q` and their velocities: the platform is found in so many steps from one that is `near`.
    #[inline(always)]
    fn of_joints(robot: &'a Parallel<S, N>, q: [S; N], qd: [S; N], near: Frame<S>, steps: usize) -> Self {
        let (mut pose, miss) = robot.pose_from_joints_unchecked(q, near, steps);
        let limit = S::from_f64(MISS * MISS);
        // Where the rods do not meet there is no state.
        let nothing = miss.select_lt(limit, S::zero(), S::from_f64(f64::NAN));
        pose.tool.origin = pose.tool.origin.map(|x| x + nothing);
        for leg in &mut pose.legs {
            leg.rod = leg.rod.map(|x| x + nothing);
        }
        let factors = pose.factors();
        Self { moving: pose.moving_joints(&factors, qd), factors }
    }
}

impl<S: Scalar, const N: usize> Dynamics<S, N> for ParallelModel<S, N> {
    type At<'a>
        = ParallelState<'a, S, N>
    where
        Self: 'a;

    #[inline(always)]
    fn at_joints(&self, q: [S; N], qd: [S; N]) -> ParallelState<'_, S, N> {
        let state = ParallelState::of_joints(&self.robot, q, qd, self.near.get(), self.steps);
        if self.follows {
            let tool = state.tool();
            self.near.set(Frame { rotation: orthonormal(tool.rotation), origin: tool.origin });
        }
        state
    }

    #[inline(always)]
    fn at_tool(&self, tool: Frame<S>, velocity: Twist<S>) -> Option<ParallelState<'_, S, N>> {
        Some(ParallelState::new(self.robot.pose_unchecked(tool, self.branches).moving(velocity)))
    }

    #[inline(always)]
    fn friction(&self, _: [S; N], qd: [S; N]) -> [S; N] {
        crate::array::from_fn(|i| match self.robot.parameters().legs[i].motor.friction {
            Some(friction) => friction.torque(qd[i]),
            None => S::zero(),
        })
    }
}

impl<S: Scalar, const N: usize> State<S, N> for ParallelState<'_, S, N> {
    #[inline(always)]
    fn joints(&self) -> ([S; N], [S; N]) {
        (self.moving.pose.joints(), self.moving.joint_velocity())
    }
    #[inline(always)]
    fn rigid_torque(&self, qdd: [S; N]) -> [S; N] {
        self.moving.rigid_torque(&self.factors, self.tool_acceleration(qdd), Wrench::zero())
    }
    #[inline(always)]
    fn gravity(&self) -> [S; N] {
        self.moving.pose.gravity_torque(&self.factors)
    }
    #[inline(always)]
    fn tool(&self) -> Frame<S> {
        self.moving.pose.tool
    }
    #[inline(always)]
    fn tool_velocity(&self) -> Twist<S> {
        self.moving.velocity.twist
    }
    #[inline(always)]
    fn tool_acceleration(&self, qdd: [S; N]) -> Twist<S> {
        self.moving.platform_acceleration(&self.factors, qdd)
    }
    #[inline(always)]
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; N] {
        self.moving.pose.torque_of_wrench(&self.factors, wrench)
    }
    #[inline(always)]
    fn friction(&self) -> [S; N] {
        self.moving.friction_torque()
    }
    #[inline(always)]
    fn torque(&self, qdd: [S; N], wrench: Wrench<S>) -> [S; N] {
        let rigid = self.moving.rigid_torque(&self.factors, self.tool_acceleration(qdd), wrench);
        sum(rigid, self.friction())
    }
    #[inline(always)]
    fn acceleration(&self, torque: [S; N], wrench: Wrench<S>) -> [S; N] {
        self.moving.joint_acceleration(self.moving.acceleration(torque, wrench))
    }
    #[inline(always)]
    fn mass_matrix(&self) -> [[S; N]; N] {
        self.moving.pose.mass_matrix(&self.factors)
    }
    /// A platform's acceleration determines the joints' wherever there is a pose.
    #[inline(always)]
    fn joint_acceleration(&self, tool: Twist<S>, _near: [S; N]) -> [S; N] {
        self.moving.joint_acceleration(tool)
    }
    /// The least of the legs' margins.
    #[inline(always)]
    fn margin(&self) -> S {
        let mut least = S::one();
        for margin in self.moving.pose.transmission_margins() {
            let size = margin.select_lt(S::zero(), -margin, margin);
            least = size.select_lt(least, size, least);
        }
        least
    }
    #[inline(always)]
    fn side(&self) -> S {
        self.factors.determinant()
    }
    /// Of the platform's whole frame where it turns, else of its point.
    #[inline(always)]
    fn tool_error(&self, reference: &Reference<S, N>) -> ToolError<S> {
        let goal = Self::of_joints(self.moving.pose.robot, reference.q, reference.qd, self.tool(), STEPS);
        let (frame, here) = (goal.tool(), self.tool());
        let turn = if N > 3 { rotation_vector(here.rotation, frame.rotation) } else { Vec3::zero() };
        ToolError {
            pose: Twist { linear: frame.origin - here.origin, angular: turn },
            velocity: goal.tool_velocity() - self.tool_velocity(),
            acceleration: goal.tool_acceleration(reference.qdd),
        }
    }
    /// None: a platform has no light and heavy directions worth the name.
    #[inline(always)]
    fn damping_torque(&self, _u: [S; N]) -> [S; N] {
        [S::zero(); N]
    }
}
