//! A robot of three joints with a fourth axis, as [`crate::dynamics`] sees it: its joints are those of the robot and c.

use super::{Asked, AxisState, FourthAxis};
use crate::algebra::{Mat3, Vec3, sum};
use crate::array::map;
use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};

/// A robot whose tool translates, with a fourth axis.
#[derive(Clone, Copy, Debug)]
pub struct Turning<D, S> {
    /// The robot without the axis; what it carries counts as a point at its platform's centre.
    pub robot: D,
    /// The axis.
    pub axis: FourthAxis<S>,
    /// What the robot carries, kg.
    pub payload: S,
    /// Acceleration of gravity, base frame, m/s².
    pub gravity: Vec3<S>,
}

/// The same in a state.
#[derive(Clone, Copy, Debug)]
pub struct TurningState<'a, T, S> {
    robot: T,
    axis: AxisState<'a, S>,
    gravity: Vec3<S>,
    turn: [S; 2],
}

impl<'a, T: State<S, 3>, S: Scalar> TurningState<'a, T, S> {
    /// The axis at c, ċ on a robot in a state of its own.
    #[inline(always)]
    pub fn new(robot: T, axis: &'a FourthAxis<S>, payload: S, gravity: Vec3<S>, turn: [S; 2]) -> Self {
        let axis = AxisState::new(axis, payload, [robot.tool().origin, robot.tool_velocity().linear], turn);
        Self { robot, axis, gravity, turn }
    }

    /// The axis.
    pub fn axis(&self) -> &AxisState<'a, S> {
        &self.axis
    }

    /// The robot without it.
    pub fn robot(&self) -> &T {
        &self.robot
    }

    /// Torques of all four motors for the loads of the axis.
    #[inline(always)]
    fn torques(&self, Asked { force, torque }: Asked<S>) -> [S; 4] {
        with(self.robot.torque_of_wrench(Wrench::force(force)), torque)
    }
}

#[inline(always)]
fn with<S: Copy>([a, b, c]: [S; 3], d: S) -> [S; 4] {
    [a, b, c, d]
}

#[inline(always)]
fn three<S: Copy>([a, b, c, _]: [S; 4]) -> [S; 3] {
    [a, b, c]
}

impl<S: Scalar, D: Dynamics<S, 3>> Dynamics<S, 4> for Turning<D, S> {
    type At<'a>
        = TurningState<'a, D::At<'a>, S>
    where
        Self: 'a;

    #[inline(always)]
    fn at_joints(&self, q: [S; 4], qd: [S; 4]) -> Self::At<'_> {
        let robot = self.robot.at_joints(three(q), three(qd));
        TurningState::new(robot, &self.axis, self.payload, self.gravity, [q[3], qd[3]])
    }

    /// The turn is the one next to zero.
    #[inline(always)]
    fn at_tool(&self, tool: Frame<S>, velocity: Twist<S>) -> Option<Self::At<'_>> {
        let robot = self.robot.at_tool(Frame::at(tool.origin), Twist::translation(velocity.linear))?;
        let c = tool.rotation[1][0].atan2(tool.rotation[0][0]);
        Some(TurningState::new(robot, &self.axis, self.payload, self.gravity, [c, velocity.angular[2]]))
    }

    #[inline(always)]
    fn friction(&self, q: [S; 4], qd: [S; 4]) -> [S; 4] {
        let own = self.axis.motor.friction.map_or(S::zero(), |friction| friction.torque(qd[3]));
        with(self.robot.friction(three(q), three(qd)), own)
    }
}

impl<S: Scalar, T: State<S, 3>> State<S, 4> for TurningState<'_, T, S> {
    #[inline(always)]
    fn joints(&self) -> ([S; 4], [S; 4]) {
        let (q, qd) = self.robot.joints();
        (with(q, self.turn[0]), with(qd, self.turn[1]))
    }

    #[inline(always)]
    fn rigid_torque(&self, qdd: [S; 4]) -> [S; 4] {
        let acceleration = self.robot.tool_acceleration(three(qdd)).linear;
        let asked = self.axis.asked(acceleration, qdd[3], self.gravity);
        sum(with(self.robot.rigid_torque(three(qdd)), S::zero()), self.torques(asked))
    }

    #[inline(always)]
    fn gravity(&self) -> [S; 4] {
        sum(with(self.robot.gravity(), S::zero()), self.torques(self.axis.holding(self.gravity)))
    }

    #[inline(always)]
    fn tool(&self) -> Frame<S> {
        let ((sin, cos), o) = (self.turn[0].sin_cos(), S::zero());
        let rotation = Mat3([Vec3([cos, -sin, o]), Vec3([sin, cos, o]), Vec3([o, o, S::one()])]);
        Frame { rotation, origin: self.robot.tool().origin }
    }

    #[inline(always)]
    fn tool_velocity(&self) -> Twist<S> {
        turning(self.robot.tool_velocity(), self.turn[1])
    }

    #[inline(always)]
    fn tool_acceleration(&self, qdd: [S; 4]) -> Twist<S> {
        turning(self.robot.tool_acceleration(three(qdd)), qdd[3])
    }

    /// Of a moment what is about the axis; the platform holds the rest without motors.
    #[inline(always)]
    fn torque_of_wrench(&self, wrench: Wrench<S>) -> [S; 4] {
        with(self.robot.torque_of_wrench(wrench), wrench.moment[2])
    }

    #[inline(always)]
    fn friction(&self) -> [S; 4] {
        with(self.robot.friction(), self.axis.friction())
    }

    /// Jᵀ M J with the axis's M in (X, c), beside the robot's own.
    #[inline(always)]
    fn mass_matrix(&self) -> [[S; 4]; 4] {
        let (o, one) = (S::zero(), S::one());
        let unit = |k: usize| Vec3::from_fn(|i| if i == k { one } else { o });
        // Jᵀ, column by column: row k of J.
        let rows = map([0, 1, 2], |k| self.robot.torque_of_wrench(Wrench::force(unit(k))));
        let own = self.robot.mass_matrix();
        let column = |k: usize| {
            let asked = match k {
                3 => self.axis.mass_times(Vec3::zero(), one),
                _ => self.axis.mass_times(Vec3::from_fn(|i| rows[i][k]), o),
            };
            let of_robot = if k < 3 { [own[0][k], own[1][k], own[2][k], o] } else { [o; 4] };
            sum(of_robot, self.torques(asked))
        };
        let columns = [column(0), column(1), column(2), column(3)];
        crate::array::from_fn(|i| crate::array::from_fn(|j| columns[j][i]))
    }

    #[inline(always)]
    fn joint_acceleration(&self, tool: Twist<S>, near: [S; 4]) -> [S; 4] {
        with(self.robot.joint_acceleration(tool, three(near)), tool.angular[2])
    }

    #[inline(always)]
    fn margin(&self) -> S {
        self.robot.margin()
    }

    #[inline(always)]
    fn side(&self) -> S {
        self.robot.side()
    }

    /// Whole turns count.
    #[inline(always)]
    fn tool_error(&self, reference: &Reference<S, 4>) -> ToolError<S> {
        let ToolError { pose, velocity, acceleration } = self.robot.tool_error(&of_robot(reference));
        ToolError {
            pose: turning(pose, reference.q[3] - self.turn[0]),
            velocity: turning(velocity, reference.qd[3] - self.turn[1]),
            acceleration: turning(acceleration, reference.qdd[3]),
        }
    }

    #[inline(always)]
    fn reference_acceleration(&self, reference: &Reference<S, 4>) -> [S; 4] {
        with(self.robot.reference_acceleration(&of_robot(reference)), reference.qdd[3])
    }

    #[inline(always)]
    fn damping_torque(&self, u: [S; 4]) -> [S; 4] {
        with(self.robot.damping_torque(three(u)), S::zero())
    }
}

#[inline(always)]
fn turning<S: Scalar>(robot: Twist<S>, about: S) -> Twist<S> {
    Twist { linear: robot.linear, angular: Vec3::new(S::zero(), S::zero(), about) }
}

#[inline(always)]
fn of_robot<S: Scalar>(reference: &Reference<S, 4>) -> Reference<S, 3> {
    let Reference { q, qd, qdd, point } = *reference;
    Reference { q: three(q), qd: three(qd), qdd: three(qdd), point }
}
