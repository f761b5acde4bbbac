//! A robot as formulas and hot loops see it: whatever has joints that motors move and a tool that they move.
//!
//! Control laws, closed loops, linear models and sensitivities are written against these two traits; Deltas
//! ([`DeltaModel`](crate::delta::DeltaModel)) and serial arms ([`Serial`](crate::serial::Serial)) implement them, and so can
//! a family of one's own. N is the number of joints; q, q̇, q̈ and τ are arrays of N, what belongs to the tool is a
//! [`Frame`], a [`Twist`] or a [`Wrench`] in the base frame. Nothing is checked: where there is no such state, its numbers
//! are NaN.
//!
//! What a family has to write is [`Dynamics::at_joints`] and seven methods of [`State`]; all else follows from them, and is
//! overridden where the family knows a faster way. `crates/dalembert/examples/own_family/five_bar.rs` is one, complete.

use crate::algebra::{Vec3, difference, solve, sum};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};

/// What the robot should do at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference<S, const N: usize> {
    /// Joints.
    pub q: [S; N],
    /// Their velocities.
    pub qd: [S; N],
    /// Their accelerations.
    pub qdd: [S; N],
    /// Position, velocity and acceleration of the platform or tool. The Cartesian laws and the feed-forward of a Delta read
    /// those of the platform; a tool's frame has more to say, which they ask the arm's kinematics for.
    pub point: [Vec3<S>; 3],
}

/// A robot with its kinematics and dynamics.
pub trait Dynamics<S: Scalar, const N: usize> {
    /// The robot in a state.
    type At<'a>: State<S, N>
    where
        Self: 'a;

    /// The state of joints and their velocities.
    fn at_joints(&self, q: [S; N], qd: [S; N]) -> Self::At<'_>;

    /// The state of a tool pose and velocity, on the branch that the model was made for, where there is an inverse
    /// kinematics in closed form.
    #[inline(always)]
    fn at_tool(&self, _tool: Frame<S>, _velocity: Twist<S>) -> Option<Self::At<'_>> {
        None
    }

    /// Friction in that state, without the state where there is none.
    #[inline(always)]
    fn friction(&self, q: [S; N], qd: [S; N]) -> [S; N] {
        self.at_joints(q, qd).friction()
    }

    /// Torques for a reference, friction included. A model that finds the reference faster by platform than by joints may
    /// do so: both say the same.
    #[inline(always)]
    fn predicted(&self, reference: &Reference<S, N>) -> [S; N] {
        let state = self.at_joints(reference.q, reference.qd);
        sum(state.rigid_torque(reference.qdd), state.friction())
    }
}

/// A robot in a state: joints and their velocities. The first seven methods are what a family has to write.
pub trait State<S: Scalar, const N: usize> {
    /// Joints, rad or m, and their velocities.
    fn joints(&self) -> ([S; N], [S; N]);

    /// Torques for joint accelerations, without friction and external wrench, N m or N.
    fn rigid_torque(&self, qdd: [S; N]) -> [S; N];

    /// Torques that hold the robot here.
    fn gravity(&self) -> [S; N];

    /// Pose of the tool. A Delta's is its platform, which does not turn.
    fn tool(&self) -> Frame<S>;

    /// Velocity of the tool.
    fn tool_velocity(&self) -> Twist<S>;

    /// Acceleration of the tool for joint accelerations.
    fn tool_acceleration(&self, qdd: [S; N]) -> Twist<S>;

    /// Torques of motors that press with a wrench at the tool, Jᵀ w.
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; N];

    /// Friction at this velocity, which the motors have to supply.
    #[inline(always)]
    fn friction(&self) -> [S; N] {
        [S::zero(); N]
    }

    /// Inverse dynamics: torques for joint accelerations while the environment pushes with `wrench` on the tool, friction
    /// included.
    #[inline(always)]
    fn torque(&self, qdd: [S; N], wrench: Wrench<S>) -> [S; N] {
        difference(sum(self.rigid_torque(qdd), self.friction()), self.torque_of_wrench(wrench))
    }

    /// Forward dynamics: joint accelerations under motor torques and an external wrench, friction included.
    #[inline(always)]
    fn acceleration(&self, torque: [S; N], wrench: Wrench<S>) -> [S; N] {
        let missing = difference(torque, self.torque([S::zero(); N], wrench));
        solve(self.mass_matrix(), missing).0
    }

    /// A u, the mass matrix times a vector: every model is affine in the acceleration.
    #[inline(always)]
    fn mass_times(&self, u: [S; N]) -> [S; N] {
        difference(self.rigid_torque(u), self.rigid_torque([S::zero(); N]))
    }

    /// The mass matrix, column by column.
    #[inline(always)]
    fn mass_matrix(&self) -> [[S; N]; N] {
        let mut columns = [[S::zero(); N]; N];
        for (i, column) in columns.iter_mut().enumerate() {
            let mut unit = [S::zero(); N];
            unit[i] = S::one();
            *column = self.mass_times(unit);
        }
        crate::array::from_fn(|i| crate::array::from_fn(|j| columns[j][i]))
    }

    /// Joint accelerations that give the tool this acceleration, and otherwise are near to `near`. NaN where there are
    /// none, or where the family has no such formula.
    #[inline(always)]
    fn joint_acceleration(&self, _tool: Twist<S>, _near: [S; N]) -> [S; N] {
        [S::from_f64(f64::NAN); N]
    }

    /// How far [`State::joint_acceleration`] is from having no answer; 0 there, at most 1.
    #[inline(always)]
    fn margin(&self) -> S {
        S::one()
    }

    /// On which side the robot is of the poses in which its motors do not hold the tool (type 2): the sign changes where one is crossed.
    #[inline(always)]
    fn side(&self) -> S {
        S::one()
    }

    /// The part of motor torques that does not press at the tool.
    #[inline(always)]
    fn null_space_torque(&self, _torque: [S; N]) -> [S; N] {
        [S::zero(); N]
    }

    /// What the tool lacks of a reference: of its position, unless the family knows its rotation too.
    #[inline(always)]
    fn tool_error(&self, reference: &Reference<S, N>) -> ToolError<S> {
        let [position, velocity, acceleration] = reference.point;
        ToolError {
            pose: Twist::translation(position - self.tool().origin),
            velocity: Twist::translation(velocity - self.tool_velocity().linear),
            acceleration: Twist::translation(acceleration),
        }
    }

    /// Joint accelerations of a reference, seen from here.
    #[inline(always)]
    fn reference_acceleration(&self, reference: &Reference<S, N>) -> [S; N] {
        reference.qdd
    }

    /// Torques that damp joint velocities where a damper at the tool is not enough: A u, heavy joints more than light ones.
    #[inline(always)]
    fn damping_torque(&self, u: [S; N]) -> [S; N] {
        self.mass_times(u)
    }
}

/// What a tool lacks of a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolError<S> {
    /// Reference minus actual pose: m; rad as a vector along the axis.
    pub pose: Twist<S>,
    /// Reference minus actual velocity.
    pub velocity: Twist<S>,
    /// The reference's acceleration.
    pub acceleration: Twist<S>,
}
