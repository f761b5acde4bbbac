//! Kinematics of trees: from joint positions to frames, velocities and Jacobians.

use super::{LinkScratch, Tree, TreeError, TreeLink, fits};
use crate::algebra::{Sym3, Vec3};
use crate::scalar::Scalar;
use crate::serial::{Attached, Joint, Motion, ToolMotion, axis, crossed};
use crate::spatial::{Frame, Twist, Wrench};

/// By a rotation that is multiplied out: a mount may turn a joint in any way.
impl<S: Scalar> Attached<S> for Frame<S> {
    #[inline(always)]
    fn p(&self) -> Vec3<S> {
        self.origin
    }

    #[inline(always)]
    fn up(&self, v: Vec3<S>) -> Vec3<S> {
        S::step(|| self.rotation * v)
    }

    #[inline(always)]
    fn down(&self, v: Vec3<S>) -> Vec3<S> {
        S::step(|| {
            let [x, y, z] = self.rotation.0;
            x * v[0] + y * v[1] + z * v[2]
        })
    }

    #[inline(always)]
    fn tensor_up(&self, tensor: Sym3<S>) -> Sym3<S> {
        tensor.turned(self.rotation)
    }
}

/// Sines and cosines that are computed together.
const TOGETHER: usize = 4;

/// The tree at a pose.
#[derive(Debug)]
pub struct TreePose<'a, S> {
    pub(super) tree: Tree<'a, S>,
    /// As long as the tree has links.
    pub(super) room: &'a mut [LinkScratch<S>],
}

/// The tree at a pose with a velocity.
#[derive(Debug)]
pub struct TreeMoving<'a, S> {
    /// The pose.
    pub pose: TreePose<'a, S>,
    /// As long as the tree has links.
    pub(super) qd: &'a [S],
}

impl<S: Scalar> Tree<'_, S> {
    /// The pose with the joints at `q`, rad or m, one for each link.
    #[inline]
    pub fn at_joints<'a>(&'a self, q: &[S], room: &'a mut [LinkScratch<S>]) -> Result<TreePose<'a, S>, TreeError> {
        fits(self.links.len(), "q", q)?;
        fits(self.links.len(), "the room", room)?;
        let groups = self.links.chunks(TOGETHER).zip(room.chunks_mut(TOGETHER)).zip(q.chunks(TOGETHER));
        for ((links, room), q) in groups {
            let angle = |i: usize| match (links.get(i).map(|link| link.joint), q.get(i)) {
                (Some(Joint::Revolute), Some(&q)) => q,
                _ => S::zero(),
            };
            let angles = S::sin_cos_each::<TOGETHER>(core::array::from_fn(angle));
            for (((link, room), &q), angle) in links.iter().zip(room).zip(q).zip(angles) {
                (room.q, room.frame) = (q, link.frame(q, angle));
            }
        }
        Ok(TreePose { tree: *self, room })
    }
}

impl<'a, S: Scalar> TreePose<'a, S> {
    /// With joint velocities.
    #[inline]
    pub fn moving(self, qd: &'a [S]) -> Result<TreeMoving<'a, S>, TreeError> {
        fits(self.tree.links.len(), "qd", qd)?;
        let Self { tree, room } = self;
        let mut omega = Vec3::zero();
        for (i, (link, &qd)) in tree.links.iter().zip(qd).enumerate() {
            omega = room[i].frame.down(link.before(i, omega, Vec3::zero(), |parent| room[parent].motion.omega));
            if link.joint == Joint::Revolute {
                omega[2] = omega[2] + qd;
            }
            room[i].motion.omega = omega;
        }
        Ok(TreeMoving { pose: Self { tree, room }, qd })
    }

    /// The tree.
    pub fn tree(&self) -> Tree<'a, S> {
        self.tree
    }

    /// The frames of all joints in the base frame.
    #[inline]
    pub fn frames(&mut self) -> impl ExactSizeIterator<Item = Frame<S>> + '_ {
        for (i, link) in self.tree.links.iter().enumerate() {
            let own = self.room[i].frame;
            let in_base = link.parent.map_or(own, |parent| S::step(|| self.room[parent].in_base.then(&own)));
            self.room[i].in_base = in_base;
        }
        self.room.iter().map(|room| room.in_base)
    }

    /// A tool in the base frame that is given in the frame of a joint; of no joint: in the base frame.
    pub fn tool(&mut self, joint: Option<usize>, tool: &Frame<S>) -> Frame<S> {
        let way = self.tree.way(joint);
        way.fold(*tool, |tool, i| S::step(|| self.room[i].frame.then(&tool)))
    }

    /// The geometric Jacobian of a tool, base frame: one column per joint, zero for those that do not move it.
    pub fn jacobian(
        &mut self,
        joint: Option<usize>,
        tool: &Frame<S>,
        columns: &mut [Twist<S>],
    ) -> Result<(), TreeError> {
        fits(self.tree.links.len(), "the Jacobian", columns)?;
        columns.fill(Twist::zero());
        let point = self.point(joint, tool);
        for i in self.tree.way(joint) {
            columns[i] = self.column(i, point);
        }
        Ok(())
    }

    /// Adds to torques those of motors that press with a wrench at a tool, Jᵀ w.
    pub fn add_torque_of_wrench(
        &mut self,
        joint: Option<usize>,
        tool: &Frame<S>,
        wrench: Wrench<S>,
        torque: &mut [S],
    ) -> Result<(), TreeError> {
        fits(self.tree.links.len(), "the torques", torque)?;
        let point = self.point(joint, tool);
        for i in self.tree.way(joint) {
            let Twist { linear, angular } = self.column(i, point);
            torque[i] = torque[i] + linear.dot(wrench.force) + angular.dot(wrench.moment);
        }
        Ok(())
    }

    /// The point of a tool in the base frame, with the frames of all joints there.
    fn point(&mut self, joint: Option<usize>, tool: &Frame<S>) -> Vec3<S> {
        let _ = self.frames();
        joint.map_or(tool.origin, |joint| self.room[joint].in_base.point(tool.origin))
    }

    /// The column of a joint before a tool's point.
    fn column(&self, i: usize, point: Vec3<S>) -> Twist<S> {
        let frame = &self.room[i].in_base;
        let axis = axis(frame);
        match self.tree.links[i].joint {
            Joint::Revolute => Twist { linear: crossed(axis, point - frame.origin), angular: axis },
            Joint::Prismatic => Twist::translation(axis),
        }
    }
}

impl<S: Scalar> TreeLink<S> {
    /// What link `i` finds before it: mostly `last`, which the link before has left and which need not be fetched from the room again.
    #[inline(always)]
    pub(super) fn before<T>(&self, i: usize, last: T, base: T, room: impl FnOnce(usize) -> T) -> T {
        match self.parent {
            Some(parent) if parent + 1 == i => last,
            Some(parent) => room(parent),
            None => base,
        }
    }

    /// The velocity of the joint frame's origin, from the frame before.
    #[inline(always)]
    fn velocity(&self, frame: &Frame<S>, [velocity, omega]: [Vec3<S>; 2], qd: S) -> Vec3<S> {
        let mut velocity = frame.down(velocity + crossed(omega, frame.origin));
        if self.joint == Joint::Prismatic {
            velocity[2] = velocity[2] + qd;
        }
        velocity
    }
}

impl<S: Scalar> TreeMoving<'_, S> {
    /// Velocities of all joint frames' origins, in these frames.
    pub(super) fn velocities(&mut self) {
        let TreePose { tree, room } = &mut self.pose;
        for (i, (link, &qd)) in tree.links.iter().zip(self.qd).enumerate() {
            let before = link.parent.map(|parent| &room[parent]);
            let before = before.map_or([Vec3::zero(); 2], |before| [before.velocity, before.motion.omega]);
            room[i].velocity = link.velocity(&room[i].frame, before, qd);
        }
    }

    /// Frame, velocity and acceleration of a tool in the base frame, where it is given in the frame of a joint.
    pub fn tool_motion(
        &mut self,
        joint: Option<usize>,
        tool: &Frame<S>,
        qdd: &[S],
    ) -> Result<ToolMotion<S>, TreeError> {
        fits(self.qd.len(), "qdd", qdd)?;
        let frame = self.pose.tool(joint, tool);
        let Some(joint) = joint else { return Ok((frame, Twist::zero(), Twist::zero())) };
        self.velocities();
        self.accelerate(qdd, Vec3::zero(), |_, _| {});
        let LinkScratch { velocity, motion: Motion { omega, omega_dot, acceleration }, .. } = self.pose.room[joint];
        // From the joint's frame to the base frame.
        let up = |v: Vec3<S>| self.pose.tree.way(Some(joint)).fold(v, |v, i| self.pose.room[i].frame.up(v));
        let p = tool.origin;
        let linear = velocity + crossed(omega, p);
        let curved = acceleration + crossed(omega_dot, p) + crossed(omega, crossed(omega, p));
        Ok((
            frame,
            Twist { linear: up(linear), angular: up(omega) },
            Twist { linear: up(curved), angular: up(omega_dot) },
        ))
    }
}
