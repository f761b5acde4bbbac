//! Kinematics: from joint angles to frames, velocities and Jacobians.
//!
//! Frame i (Craig): T = Rx(α) Tx(a) Rz(θ) Tz(d), so a vector goes up to the frame before by two plane rotations,
//!
//! ```text
//! up(v) = Rx(α) Rz(θ) v,   down(v) = Rz(−θ) Rx(−α) v                                                        (1)
//! p = (a, −d sin α, d cos α)                      origin of frame i in frame i−1                             (2)
//! ω_i = down(ω_(i−1)) + z q̇   (prismatic: without the last term)                                             (3)
//! ```

use super::{DhConvention, Joint, Link, Serial};
use crate::algebra::{Mat3, Sym3, Vec3, solve_in_place, three};
use crate::array::map;
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, Wrench};

/// A joint's frame in the frame before, at a pose: all that a step of a recursion needs of it.
pub(crate) trait Attached<S: Scalar> {
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

/// A chain at a pose: what the recursions go over. Every link comes after the one it hangs on.
pub(crate) trait Posed<S: Scalar> {
    /// How a joint is attached to the one before.
    type Step: Attached<S>;
    /// One of something for each joint: an array, or a vector where the number of joints is known at run time only.
    type PerJoint<T: Copy>: AsMut<[T]> + AsRef<[T]>;

    /// Joint positions.
    fn q(&self) -> &[S];
    /// One for each joint.
    fn links(&self) -> &[Link<S>];
    /// Of joint `i`.
    fn step(&self, i: usize) -> &Self::Step;
    /// The link that link `i` hangs on; none: the base.
    fn parent(&self, i: usize) -> Option<usize>;
    /// Acceleration of gravity, base frame.
    fn gravity(&self) -> Vec3<S>;
    /// The joints from the base to the tool.
    fn path(&self) -> impl Iterator<Item = usize>;
    /// The tool in the frame of the last of them.
    fn tool_frame(&self) -> &Frame<S>;
    /// The same for every joint.
    fn list<T: Copy>(&self, value: T) -> Self::PerJoint<T>;
    /// The solution of M x = `right` in its place, with the mass matrix M; its pivots are returned.
    fn solve_mass_matrix(&self, right: &mut [S]) -> Self::PerJoint<S>;

    /// What link `i` finds before it: mostly `last`, which the link before has left and which need not be fetched again.
    fn before<T>(&self, i: usize, last: T, base: T, at: impl FnOnce(usize) -> T) -> T;

    /// The links from one to the base.
    #[inline(always)]
    fn to_base(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        core::iter::successors(from, |&i| self.parent(i))
    }
}

/// (3) for any velocity vector.
#[inline(always)]
pub(crate) fn angular_velocities<S: Scalar, P: Posed<S>>(pose: &P, qd: &[S]) -> P::PerJoint<Vec3<S>> {
    let mut list = pose.list(Vec3::zero());
    let (omega, mut w) = (list.as_mut(), Vec3::zero());
    for i in 0..omega.len() {
        w = pose.step(i).down(pose.before(i, w, Vec3::zero(), |parent| omega[parent]));
        if pose.links()[i].joint == Joint::Revolute {
            w[2] = w[2] + qd[i];
        }
        omega[i] = w;
    }
    list
}

/// The frames of the joints (Craig's), base frame.
#[inline(always)]
pub(crate) fn joint_frames<S: Scalar, P: Posed<S>>(pose: &P) -> P::PerJoint<Frame<S>> {
    let mut list = pose.list(Frame::identity());
    let (frames, mut last) = (list.as_mut(), Frame::identity());
    for i in 0..frames.len() {
        last = pose.step(i).after(&pose.before(i, last, Frame::identity(), |parent| frames[parent]));
        frames[i] = last;
    }
    list
}

/// The tool frame from those of the joints, base frame.
#[inline(always)]
pub(crate) fn tool<S: Scalar>(pose: &impl Posed<S>, frames: &[Frame<S>]) -> Frame<S> {
    let before = pose.path().last().map_or(Frame::identity(), |joint| frames[joint]);
    S::step(|| before.then(pose.tool_frame()))
}

/// The columns of the geometric Jacobian of a point that the path moves, base frame; zero for joints that do not move it.
#[inline(always)]
fn jacobian<S: Scalar, P: Posed<S>>(pose: &P, frames: &[Frame<S>], point: Vec3<S>) -> P::PerJoint<Twist<S>> {
    let mut columns = pose.list(Twist::zero());
    for i in pose.path() {
        let axis = axis(&frames[i]);
        columns.as_mut()[i] = match pose.links()[i].joint {
            Joint::Revolute => Twist { linear: crossed(axis, point - frames[i].origin), angular: axis },
            Joint::Prismatic => Twist::translation(axis),
        };
    }
    columns
}

/// The columns of the Jacobian of the tool.
#[inline(always)]
pub(crate) fn columns<S: Scalar, P: Posed<S>>(pose: &P) -> P::PerJoint<Twist<S>> {
    let frames = joint_frames(pose);
    jacobian(pose, frames.as_ref(), tool(pose, frames.as_ref()).origin)
}

/// The time derivative of the columns of the Jacobian of the tool, at a point with a velocity.
#[inline(always)]
fn jacobian_rate<S: Scalar, P: Posed<S>>(
    pose: &P,
    qd: &[S],
    frames: &[Frame<S>],
    [tool, tool_velocity]: [Vec3<S>; 2],
) -> P::PerJoint<Twist<S>> {
    let mut rate = pose.list(Twist::zero());
    // Velocity of the joint's origin, and of the point of the link before that is there.
    let (mut velocity, mut omega, mut origin) = (Vec3::zero(), Vec3::zero(), Vec3::zero());
    for i in pose.path() {
        let (frame, axis) = (&frames[i], axis(&frames[i]));
        velocity = velocity + crossed(omega, frame.origin - origin);
        origin = frame.origin;
        // The axis turns with the link before.
        let turning = crossed(omega, axis);
        rate.as_mut()[i] = match pose.links()[i].joint {
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

/// The time derivative of [`columns`].
#[inline(always)]
pub(crate) fn column_rates<S: Scalar, P: Posed<S>>(pose: &P, qd: &[S]) -> P::PerJoint<Twist<S>> {
    let frames = joint_frames(pose);
    let tool = tool(pose, frames.as_ref()).origin;
    let velocity = times(jacobian(pose, frames.as_ref(), tool).as_ref(), qd);
    jacobian_rate(pose, qd, frames.as_ref(), [tool, velocity.linear])
}

/// J u for the columns of a Jacobian.
#[inline(always)]
pub fn times<S: Scalar>(columns: &[Twist<S>], u: &[S]) -> Twist<S> {
    let scaled =
        columns.iter().zip(u).map(|(column, &u)| Twist { linear: column.linear * u, angular: column.angular * u });
    scaled.fold(Twist::zero(), |sum, column| sum + column)
}

/// The tool's frame, its velocity and its acceleration J q̈ + J̇ q̇, base frame.
#[inline(always)]
pub(crate) fn tool_motion<S: Scalar>(pose: &impl Posed<S>, qd: &[S], qdd: &[S]) -> ToolMotion<S> {
    let frames = joint_frames(pose);
    let tool = tool(pose, frames.as_ref());
    let columns = jacobian(pose, frames.as_ref(), tool.origin);
    let velocity = times(columns.as_ref(), qd);
    let rate = jacobian_rate(pose, qd, frames.as_ref(), [tool.origin, velocity.linear]);
    (tool, velocity, times(columns.as_ref(), qdd) + times(rate.as_ref(), qd))
}

/// One joint at a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointPose<S> {
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

/// The arm at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'r, S, const N: usize> {
    /// The arm.
    pub robot: &'r Serial<S, N>,
    /// Joint positions, rad or m.
    pub q: [S; N],
    pub(crate) joints: [JointPose<S>; N],
}

/// The arm at a pose with a velocity.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'r, S, const N: usize> {
    /// The pose.
    pub pose: Pose<'r, S, N>,
    /// Joint velocities, rad/s or m/s.
    pub qd: [S; N],
    /// Angular velocity of each link in its joint frame, (3).
    pub(crate) omega: [Vec3<S>; N],
}

/// The tool's pose, velocity and acceleration.
pub type ToolMotion<S> = (Frame<S>, Twist<S>, Twist<S>);

/// A geometric Jacobian in the base frame: one column per joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobian<S, const N: usize> {
    /// Velocity of the tool point per joint velocity.
    pub linear: [Vec3<S>; N],
    /// Angular velocity of the tool per joint velocity.
    pub angular: [Vec3<S>; N],
}

impl<S: Scalar, const N: usize> Jacobian<S, N> {
    #[inline(always)]
    fn new(columns: [Twist<S>; N]) -> Self {
        Self { linear: map(columns, |column| column.linear), angular: map(columns, |column| column.angular) }
    }

    /// Velocity and angular velocity of the tool.
    #[inline(always)]
    pub fn times(&self, qd: [S; N]) -> Twist<S> {
        let column = |i: usize| Twist { linear: self.linear[i], angular: self.angular[i] };
        times(&crate::array::from_fn::<_, N>(column), &qd)
    }

    /// The joint torques that balance a wrench at the tool: Jᵀ w.
    #[inline(always)]
    pub fn transpose_times(&self, wrench: Wrench<S>) -> [S; N] {
        crate::array::from_fn(|i| self.linear[i].dot(wrench.force) + self.angular[i].dot(wrench.moment))
    }
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

impl<S: Scalar, const N: usize> Serial<S, N> {
    /// The pose with the joints at `q`. There is nothing that could fail; [`Serial::at_joints`] refuses what is not finite.
    #[inline(always)]
    pub fn pose_unchecked(&self, q: [S; N]) -> Pose<'_, S, N> {
        Pose { robot: self, q, joints: crate::array::from_fn(|i| JointPose::new(&self.links[i], q[i])) }
    }
}

impl<S: Scalar, const N: usize> Posed<S> for Pose<'_, S, N> {
    type Step = JointPose<S>;
    type PerJoint<T: Copy> = [T; N];

    #[inline(always)]
    fn q(&self) -> &[S] {
        &self.q
    }
    #[inline(always)]
    fn links(&self) -> &[Link<S>] {
        &self.robot.links
    }
    #[inline(always)]
    fn step(&self, i: usize) -> &JointPose<S> {
        &self.joints[i]
    }
    #[inline(always)]
    fn parent(&self, i: usize) -> Option<usize> {
        i.checked_sub(1)
    }
    #[inline(always)]
    fn gravity(&self) -> Vec3<S> {
        self.robot.gravity()
    }
    #[inline(always)]
    fn path(&self) -> impl Iterator<Item = usize> {
        0..N
    }
    #[inline(always)]
    fn tool_frame(&self) -> &Frame<S> {
        &self.robot.tool
    }
    #[inline(always)]
    fn list<T: Copy>(&self, value: T) -> [T; N] {
        [value; N]
    }
    #[inline(always)]
    fn solve_mass_matrix(&self, right: &mut [S]) -> [S; N] {
        let mut matrix = self.mass_matrix();
        solve_in_place(matrix.as_flattened_mut(), right);
        crate::array::from_fn(|k| matrix[k][k])
    }
    #[inline(always)]
    fn before<T>(&self, i: usize, last: T, base: T, _: impl FnOnce(usize) -> T) -> T {
        if i == 0 { base } else { last }
    }
}

impl<'r, S: Scalar, const N: usize> Pose<'r, S, N> {
    /// With joint velocities.
    #[inline(always)]
    pub fn moving(self, qd: [S; N]) -> Moving<'r, S, N> {
        Moving { omega: angular_velocities(&self, &qd), pose: self, qd }
    }

    /// The frame of each link, as its convention attaches it, in the base frame: forward kinematics.
    pub fn frames(&self) -> [Frame<S>; N] {
        let (mut frames, parameters) = (joint_frames(self), self.robot.parameters());
        if parameters.convention == DhConvention::Standard {
            for (frame, link) in frames.iter_mut().zip(&parameters.links) {
                *frame = frame.then(&link.moved(parameters.convention));
            }
        }
        frames
    }

    /// The tool frame in the base frame.
    #[inline(always)]
    pub fn tool(&self) -> Frame<S> {
        tool(self, &joint_frames(self))
    }

    /// The geometric Jacobian of the tool point, base frame.
    #[inline(always)]
    pub fn jacobian(&self) -> Jacobian<S, N> {
        Jacobian::new(columns(self))
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// The time derivative of [`Pose::jacobian`].
    #[inline(always)]
    pub fn jacobian_rate(&self) -> Jacobian<S, N> {
        Jacobian::new(column_rates(&self.pose, &self.qd))
    }

    /// The tool's frame, its velocity and its acceleration, all at once.
    #[inline]
    pub fn tool_motion(&self, qdd: [S; N]) -> ToolMotion<S> {
        tool_motion(&self.pose, &self.qd, &qdd)
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
