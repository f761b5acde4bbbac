//! Kinematics: from joint angles to frames, velocities and Jacobians.
//!
//! Frame i (Craig): T = Rx(α) Tx(a) Rz(θ) Tz(d), so a vector goes up to the frame before by two plane rotations,
//!
//! ```text
//! up(v) = Rx(α) Rz(θ) v,   down(v) = Rz(−θ) Rx(−α) v                                                        (1)
//! p = (a, −d sin α, d cos α)                      origin of frame i in frame i−1                             (2)
//! ω_i = down(ω_(i−1)) + z q̇   (prismatic: without the last term)                                             (3)
//! ```

use super::{DhConvention, Joint, Link, LinkParameters, Serial};
use crate::algebra::{Mat3, Sym3, Vec3, three};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};
use core::fmt::Debug;

/// A joint's frame in the frame before, at a pose: all that a step of a recursion needs of it.
pub trait Attached<S: Scalar>: Copy + Debug {
    /// Its origin in the frame before.
    fn p(&self) -> Vec3<S>;
    /// A vector of this frame in the frame before.
    fn up(&self, v: Vec3<S>) -> Vec3<S>;
    /// A vector of the frame before in this frame.
    fn down(&self, v: Vec3<S>) -> Vec3<S>;
    /// A tensor of this frame in the axes of the frame before.
    fn tensor_up(&self, tensor: Sym3<S>) -> Sym3<S>;
    /// The frame itself.
    fn frame(&self) -> Frame<S>;

    /// The same in the frame that the one before is given in.
    #[inline(always)]
    fn after(&self, before: &Frame<S>) -> Frame<S> {
        S::step(|| before.then(&self.frame()))
    }

    /// A force and a moment about the origin of this frame, in the frame before and about its origin.
    #[inline(always)]
    fn wrench_up(&self, force: Vec3<S>, moment: Vec3<S>) -> (Vec3<S>, Vec3<S>) {
        S::step(|| {
            let force = self.up(force);
            (force, self.up(moment) + self.p().cross(force))
        })
    }
}

/// Links in a row or in a tree: what the recursions go over. Every link comes after the one it hangs on.
pub trait Links<S: Scalar> {
    /// How a joint is attached to the one before, at a pose.
    type Step: Attached<S>;
    /// One of something for each joint: an array, or a vector where the number of joints is known at run time only.
    type PerJoint<T: Copy + Debug>: AsMut<[T]> + AsRef<[T]> + Clone + Debug;

    /// One for each joint.
    fn links(&self) -> &[Link<S>];
    /// Link `i` as it is described, and how its row is meant.
    fn given(&self, i: usize) -> (&LinkParameters<S>, DhConvention);
    /// The link that link `i` hangs on; none: the base.
    fn parent(&self, i: usize) -> Option<usize>;
    /// Acceleration of gravity, base frame.
    fn base_gravity(&self) -> Vec3<S>;
    /// The base frame in the world.
    fn base(&self) -> Frame<S>;
    /// The joints from the base to the tool.
    fn path(&self) -> impl Iterator<Item = usize>;
    /// The tool in the frame of the last of them.
    fn tool_frame(&self) -> &Frame<S>;
    /// The same for every joint.
    fn list<T: Copy + Debug>(&self, value: T) -> Self::PerJoint<T>;
    /// Does something with a square matrix of zeros, row by row.
    fn with_matrix<T>(&self, work: impl FnOnce(&mut [S]) -> T) -> T;

    /// What link `i` finds before it: mostly `last`, which the link before has left and which need not be fetched again.
    fn before<T>(&self, i: usize, last: T, base: T, at: impl FnOnce(usize) -> T) -> T;

    /// The links from one to the base.
    #[inline(always)]
    fn to_base(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        core::iter::successors(from, |&i| self.parent(i))
    }
}

/// One joint at a pose.
#[derive(Clone, Copy, Debug)]
pub struct JointPose<S> {
    /// Sine and cosine of θ.
    pub theta: (S, S),
    /// Sine and cosine of α.
    pub alpha: (S, S),
    /// (2).
    pub p: Vec3<S>,
}

impl<S: Scalar> JointPose<S> {
    #[inline]
    fn new(link: &Link<S>, q: S) -> Self {
        Self::with(link, q, || q.sin_cos())
    }

    /// Sine and cosine of q where they are asked for.
    #[inline(always)]
    pub fn with(link: &Link<S>, q: S, sin_cos: impl FnOnce() -> (S, S)) -> Self {
        S::step(|| {
            let (theta, d) = match link.joint {
                Joint::Revolute => (link.theta.added_to(sin_cos()), link.d),
                Joint::Prismatic => ((link.theta.sin, link.theta.cos), link.d + q),
            };
            let (sin, cos) = (link.alpha.sin, link.alpha.cos);
            Self { theta, alpha: (sin, cos), p: Vec3([link.a, -(d * sin), d * cos]) }
        })
    }
}

/// By two plane rotations, (1).
impl<S: Scalar> Attached<S> for JointPose<S> {
    #[inline(always)]
    fn p(&self) -> Vec3<S> {
        self.p
    }

    #[inline(always)]
    fn up(&self, v: Vec3<S>) -> Vec3<S> {
        S::step(|| {
            let ((s, c), (sa, ca)) = (self.theta, self.alpha);
            let (x, y) = (c * v[0] - s * v[1], s * v[0] + c * v[1]);
            Vec3([x, ca * y - sa * v[2], sa * y + ca * v[2]])
        })
    }

    #[inline(always)]
    fn down(&self, v: Vec3<S>) -> Vec3<S> {
        S::step(|| {
            let ((s, c), (sa, ca)) = (self.theta, self.alpha);
            let (y, z) = (ca * v[1] + sa * v[2], ca * v[2] - sa * v[1]);
            Vec3([c * v[0] + s * y, c * y - s * v[0], z])
        })
    }

    #[inline(always)]
    fn tensor_up(&self, tensor: Sym3<S>) -> Sym3<S> {
        tensor.turned_about_z(self.theta).turned_about_x(self.alpha)
    }

    #[inline]
    fn frame(&self) -> Frame<S> {
        let unit = |i: usize| Vec3::from_fn(|k| if k == i { S::one() } else { S::zero() });
        Frame { rotation: Mat3::from_columns(three(|i| self.up(unit(i)))), origin: self.p }
    }
}

/// Links at a pose: [`Pose`] of a serial arm, [`ChainPose`](crate::chain::ChainPose) of a chain.
#[derive(Clone, Debug)]
pub struct PoseOf<'r, S: Scalar, R: Links<S>, Q> {
    /// The arm or chain.
    pub robot: &'r R,
    /// Joint positions, rad or m; as many as there are links.
    pub q: Q,
    pub(crate) steps: R::PerJoint<R::Step>,
}

/// Links at a pose with a velocity.
#[derive(Clone, Debug)]
pub struct MovingOf<'r, S: Scalar, R: Links<S>, Q> {
    /// The pose.
    pub pose: PoseOf<'r, S, R, Q>,
    /// Joint velocities, rad/s or m/s; as many as there are links.
    pub qd: Q,
    /// Angular velocity of each link in its joint frame, (3).
    pub(crate) omega: R::PerJoint<Vec3<S>>,
}

/// A serial arm at a pose.
pub type Pose<'r, S, const N: usize> = PoseOf<'r, S, Serial<S, N>, [S; N]>;

/// A serial arm at a pose with a velocity.
pub type Moving<'r, S, const N: usize> = MovingOf<'r, S, Serial<S, N>, [S; N]>;

impl<S: Scalar, const N: usize> Copy for Pose<'_, S, N> {}
impl<S: Scalar, const N: usize> Copy for Moving<'_, S, N> {}

/// The tool's pose, velocity and acceleration.
pub type ToolMotion<S> = (Frame<S>, Twist<S>, Twist<S>);

impl<'r, S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'r, S, R, Q> {
    #[inline(always)]
    pub(crate) fn step(&self, i: usize) -> &R::Step {
        &self.steps.as_ref()[i]
    }

    /// With joint velocities, as many as there are links.
    #[inline(always)]
    pub(crate) fn moving_at(self, qd: Q) -> MovingOf<'r, S, R, Q> {
        MovingOf { omega: self.angular_velocities(qd.as_ref()), pose: self, qd }
    }

    /// (3) for any velocity vector.
    #[inline(always)]
    pub(crate) fn angular_velocities(&self, qd: &[S]) -> R::PerJoint<Vec3<S>> {
        let mut list = self.robot.list(Vec3::zero());
        let (omega, mut w) = (list.as_mut(), Vec3::zero());
        for i in 0..omega.len() {
            w = self.step(i).down(self.robot.before(i, w, Vec3::zero(), |parent| omega[parent]));
            if self.robot.links()[i].joint == Joint::Revolute {
                w[2] = w[2] + qd[i];
            }
            omega[i] = w;
        }
        list
    }

    /// The frames of the joints (Craig's), world frame.
    #[inline(always)]
    pub fn joint_frames(&self) -> R::PerJoint<Frame<S>> {
        let base = self.robot.base();
        let mut list = self.robot.list(base);
        let (frames, mut last) = (list.as_mut(), base);
        for i in 0..frames.len() {
            last = self.step(i).after(&self.robot.before(i, last, base, |parent| frames[parent]));
            frames[i] = last;
        }
        list
    }

    /// The frame of each link, as its convention attaches it, in the world frame: forward kinematics.
    pub fn frames(&self) -> R::PerJoint<Frame<S>> {
        let mut frames = self.joint_frames();
        for (i, frame) in frames.as_mut().iter_mut().enumerate() {
            if let (link, convention @ DhConvention::Standard) = self.robot.given(i) {
                *frame = frame.then(&link.moved(convention));
            }
        }
        frames
    }

    /// The tool frame from those of the joints, world frame.
    #[inline(always)]
    fn tool_after(&self, frames: &[Frame<S>]) -> Frame<S> {
        let before = self.robot.path().last().map_or_else(|| self.robot.base(), |joint| frames[joint]);
        S::step(|| before.then(self.robot.tool_frame()))
    }

    /// The tool frame in the world frame.
    #[inline(always)]
    pub fn tool(&self) -> Frame<S> {
        self.tool_after(self.joint_frames().as_ref())
    }

    /// The columns of the geometric Jacobian of a point that the path moves.
    #[inline(always)]
    fn jacobian_of(&self, frames: &[Frame<S>], point: Vec3<S>) -> R::PerJoint<Twist<S>> {
        let mut columns = self.robot.list(Twist::zero());
        for i in self.robot.path() {
            let axis = axis(&frames[i]);
            columns.as_mut()[i] = match self.robot.links()[i].joint {
                Joint::Revolute => Twist { linear: crossed(axis, point - frames[i].origin), angular: axis },
                Joint::Prismatic => Twist::translation(axis),
            };
        }
        columns
    }

    /// The geometric Jacobian of the tool point, world frame: one column per joint, zero for those that do not move it.
    #[inline(always)]
    pub fn jacobian(&self) -> R::PerJoint<Twist<S>> {
        let frames = self.joint_frames();
        self.jacobian_of(frames.as_ref(), self.tool_after(frames.as_ref()).origin)
    }

    /// The joint torques that balance a wrench at the tool: Jᵀ w.
    #[inline(always)]
    pub fn torque_of_wrench(&self, wrench: Wrench<S>) -> R::PerJoint<S> {
        let mut torque = self.robot.list(S::zero());
        for (torque, column) in torque.as_mut().iter_mut().zip(self.jacobian().as_ref()) {
            *torque = column.linear.dot(wrench.force) + column.angular.dot(wrench.moment);
        }
        torque
    }
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> MovingOf<'_, S, R, Q> {
    /// The time derivative of the columns of the Jacobian of the tool, at a point with a velocity.
    #[inline(always)]
    fn jacobian_rate_of(&self, frames: &[Frame<S>], [tool, tool_velocity]: [Vec3<S>; 2]) -> R::PerJoint<Twist<S>> {
        let (robot, qd) = (self.pose.robot, self.qd.as_ref());
        let mut rate = robot.list(Twist::zero());
        // Velocity of the joint's origin, and of the point of the link before that is there.
        let (mut velocity, mut omega, mut origin) = (Vec3::zero(), Vec3::zero(), Vec3::zero());
        for i in robot.path() {
            let (frame, axis) = (&frames[i], axis(&frames[i]));
            velocity = velocity + crossed(omega, frame.origin - origin);
            origin = frame.origin;
            // The axis turns with the link before.
            let turning = crossed(omega, axis);
            rate.as_mut()[i] = match robot.links()[i].joint {
                Joint::Revolute => {
                    let linear = crossed(turning, tool - origin) + crossed(axis, tool_velocity - velocity);
                    omega = omega + axis * qd[i];
                    Twist { linear, angular: turning }
                }
                Joint::Prismatic => {
                    velocity = velocity + axis * qd[i];
                    Twist::translation(turning)
                }
            };
        }
        rate
    }

    /// The time derivative of [`PoseOf::jacobian`].
    #[inline(always)]
    pub fn jacobian_rate(&self) -> R::PerJoint<Twist<S>> {
        let frames = self.pose.joint_frames();
        let tool = self.pose.tool_after(frames.as_ref()).origin;
        let velocity = times(self.pose.jacobian_of(frames.as_ref(), tool).as_ref(), self.qd.as_ref());
        self.jacobian_rate_of(frames.as_ref(), [tool, velocity.linear])
    }

    /// The tool's frame, its velocity and its acceleration J q̈ + J̇ q̇, world frame.
    #[inline(always)]
    pub(crate) fn tool_motion_at(&self, qdd: &[S]) -> ToolMotion<S> {
        let frames = self.pose.joint_frames();
        let tool = self.pose.tool_after(frames.as_ref());
        let columns = self.pose.jacobian_of(frames.as_ref(), tool.origin);
        let velocity = times(columns.as_ref(), self.qd.as_ref());
        let rate = self.jacobian_rate_of(frames.as_ref(), [tool.origin, velocity.linear]);
        (tool, velocity, times(columns.as_ref(), qdd) + times(rate.as_ref(), self.qd.as_ref()))
    }
}

/// J u for the columns of a Jacobian.
#[inline(always)]
pub fn times<S: Scalar>(columns: &[Twist<S>], u: &[S]) -> Twist<S> {
    let scaled =
        columns.iter().zip(u).map(|(column, &u)| Twist { linear: column.linear * u, angular: column.angular * u });
    scaled.fold(Twist::zero(), |sum, column| sum + column)
}

/// The last axis.
#[inline(always)]
pub(crate) fn z<S: Scalar>(value: S) -> Vec3<S> {
    Vec3([S::zero(), S::zero(), value])
}

/// `v × z s`.
#[inline(always)]
pub(crate) fn cross_z<S: Scalar>(v: Vec3<S>, s: S) -> Vec3<S> {
    Vec3([v[1] * s, -(v[0] * s), S::zero()])
}

impl<S: Scalar, const N: usize> Links<S> for Serial<S, N> {
    type Step = JointPose<S>;
    type PerJoint<T: Copy + Debug> = [T; N];

    #[inline(always)]
    fn links(&self) -> &[Link<S>] {
        &self.links
    }
    fn given(&self, i: usize) -> (&LinkParameters<S>, DhConvention) {
        (&self.parameters.links[i], self.parameters.convention)
    }
    #[inline(always)]
    fn parent(&self, i: usize) -> Option<usize> {
        i.checked_sub(1)
    }
    #[inline(always)]
    fn base_gravity(&self) -> Vec3<S> {
        self.gravity
    }
    #[inline(always)]
    fn base(&self) -> Frame<S> {
        self.parameters.base_frame()
    }
    #[inline(always)]
    fn path(&self) -> impl Iterator<Item = usize> {
        0..N
    }
    #[inline(always)]
    fn tool_frame(&self) -> &Frame<S> {
        &self.tool
    }
    #[inline(always)]
    fn list<T: Copy + Debug>(&self, value: T) -> [T; N] {
        [value; N]
    }
    #[inline(always)]
    fn with_matrix<T>(&self, work: impl FnOnce(&mut [S]) -> T) -> T {
        work([[S::zero(); N]; N].as_flattened_mut())
    }
    #[inline(always)]
    fn before<T>(&self, i: usize, last: T, base: T, _: impl FnOnce(usize) -> T) -> T {
        if i == 0 { base } else { last }
    }
}

impl<S: Scalar, const N: usize> Serial<S, N> {
    /// The pose with the joints at `q`. There is nothing that could fail; [`Serial::at_joints`] refuses what is not finite.
    #[inline(always)]
    pub fn pose_unchecked(&self, q: [S; N]) -> Pose<'_, S, N> {
        Pose { robot: self, q, steps: crate::array::from_fn(|i| JointPose::new(&self.links[i], q[i])) }
    }
}

impl<'r, S: Scalar, const N: usize> Pose<'r, S, N> {
    /// With joint velocities.
    #[inline(always)]
    pub fn moving(self, qd: [S; N]) -> Moving<'r, S, N> {
        self.moving_at(qd)
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// The tool's frame, its velocity and its acceleration, all at once.
    #[inline]
    pub fn tool_motion(&self, qdd: [S; N]) -> ToolMotion<S> {
        self.tool_motion_at(&qdd)
    }
}

/// a × b, a step of its own.
#[inline(always)]
pub(crate) fn crossed<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    S::step(|| a.cross(b))
}

/// z of a joint's frame, base frame.
#[inline(always)]
pub(crate) fn axis<S: Scalar>(frame: &Frame<S>) -> Vec3<S> {
    Vec3::from_fn(|k| frame.rotation[k][2])
}
