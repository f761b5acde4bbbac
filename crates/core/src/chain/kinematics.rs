//! Kinematics of chains: from joint positions to frames, velocities and Jacobians.

use super::{Chain, ChainError, fits};
use crate::algebra::{Mat3, Sym3, Vec3, solve_in_place};
use crate::array::map;
use crate::scalar::Scalar;
use crate::serial::check::finite;
use crate::serial::kinematics::{
    Attached, JointPose, Posed, angular_velocities, axis, column_rates, columns, joint_frames, tool, tool_motion,
};
use crate::serial::{DhConvention, Joint, Link, ToolMotion};
use crate::spatial::{Frame, Twist, Wrench};
use std::{vec, vec::Vec};

/// One joint at a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChainStep<S> {
    /// As its row says.
    Row(JointPose<S>),
    /// Anywhere: the rotation is multiplied out.
    Mounted(Frame<S>),
}

impl<S: Scalar> ChainStep<S> {
    #[inline(always)]
    fn new(link: &Link<S>, q: S, (sin, cos): (S, S)) -> Self {
        let Some(Frame { rotation, origin }) = link.mount else {
            return Self::Row(JointPose::with(link, q, || (sin, cos)));
        };
        Self::Mounted(match link.joint {
            Joint::Revolute => {
                let turned = |row: Vec3<S>| Vec3([row[0] * cos + row[1] * sin, row[1] * cos - row[0] * sin, row[2]]);
                Frame { rotation: Mat3(map(rotation.0, turned)), origin }
            }
            Joint::Prismatic => Frame { rotation, origin: origin + axis(&Frame { rotation, origin }) * q },
        })
    }
}

impl<S: Scalar> Attached<S> for ChainStep<S> {
    #[inline(always)]
    fn p(&self) -> Vec3<S> {
        match self {
            Self::Row(row) => row.p,
            Self::Mounted(frame) => frame.origin,
        }
    }

    #[inline(always)]
    fn up(&self, v: Vec3<S>) -> Vec3<S> {
        match self {
            Self::Row(row) => row.up(v),
            Self::Mounted(frame) => S::step(|| frame.rotation * v),
        }
    }

    #[inline(always)]
    fn down(&self, v: Vec3<S>) -> Vec3<S> {
        match self {
            Self::Row(row) => row.down(v),
            Self::Mounted(Frame { rotation: Mat3([x, y, z]), .. }) => S::step(|| *x * v[0] + *y * v[1] + *z * v[2]),
        }
    }

    #[inline(always)]
    fn tensor_up(&self, tensor: Sym3<S>) -> Sym3<S> {
        match self {
            Self::Row(row) => row.tensor_up(tensor),
            Self::Mounted(frame) => tensor.turned(frame.rotation),
        }
    }

    #[inline(always)]
    fn frame(&self) -> Frame<S> {
        match self {
            Self::Row(row) => row.frame(),
            Self::Mounted(frame) => *frame,
        }
    }
}

/// Sines and cosines that are computed together.
const TOGETHER: usize = 4;

/// The chain at a pose.
#[derive(Clone, Debug)]
pub struct ChainPose<'a, S> {
    /// The chain.
    pub chain: &'a Chain<S>,
    /// Joint positions, rad or m; as many as the chain has links.
    pub q: &'a [S],
    pub(super) steps: Vec<ChainStep<S>>,
}

/// The chain at a pose with a velocity.
#[derive(Clone, Debug)]
pub struct ChainMoving<'a, S> {
    /// The pose.
    pub pose: ChainPose<'a, S>,
    /// Joint velocities, rad/s or m/s; as many as the chain has links.
    pub qd: &'a [S],
    pub(super) omega: Vec<Vec3<S>>,
}

impl<S: Scalar> Posed<S> for ChainPose<'_, S> {
    type Step = ChainStep<S>;
    type PerJoint<T: Copy> = Vec<T>;

    #[inline(always)]
    fn q(&self) -> &[S] {
        self.q
    }
    #[inline(always)]
    fn links(&self) -> &[Link<S>] {
        &self.chain.links
    }
    #[inline(always)]
    fn step(&self, i: usize) -> &ChainStep<S> {
        &self.steps[i]
    }
    #[inline(always)]
    fn parent(&self, i: usize) -> Option<usize> {
        self.chain.links[i].parent
    }
    #[inline(always)]
    fn gravity(&self) -> Vec3<S> {
        self.chain.gravity()
    }
    #[inline(always)]
    fn path(&self) -> impl Iterator<Item = usize> {
        self.chain.path.iter().copied()
    }
    #[inline(always)]
    fn tool_frame(&self) -> &Frame<S> {
        &self.chain.tool
    }
    #[inline(always)]
    fn list<T: Copy>(&self, value: T) -> Vec<T> {
        vec![value; self.steps.len()]
    }
    fn solve_mass_matrix(&self, right: &mut [S]) -> Vec<S> {
        let (mut matrix, n) = (self.mass_matrix(), right.len());
        solve_in_place(&mut matrix, right);
        (0..n).map(|k| matrix[k * n + k]).collect()
    }
    #[inline(always)]
    fn before<T>(&self, i: usize, last: T, base: T, at: impl FnOnce(usize) -> T) -> T {
        match self.chain.links[i].parent {
            Some(parent) if parent + 1 == i => last,
            Some(parent) => at(parent),
            None => base,
        }
    }
}

impl<S: Scalar> Chain<S> {
    /// The pose with the joints at `q`, rad or m, one for each link.
    pub fn at_joints<'a>(&'a self, q: &'a [S]) -> Result<ChainPose<'a, S>, ChainError> {
        fits(self.links.len(), "q", q)?;
        let mut steps = Vec::with_capacity(q.len());
        for (links, q) in self.links.chunks(TOGETHER).zip(q.chunks(TOGETHER)) {
            let angle = |i: usize| match (links.get(i).map(|link| link.joint), q.get(i)) {
                (Some(Joint::Revolute), Some(&q)) => q,
                _ => S::zero(),
            };
            let angles = S::sin_cos_each::<TOGETHER>(crate::array::from_fn(angle));
            steps.extend(links.iter().zip(q).zip(angles).map(|((link, &q), angle)| ChainStep::new(link, q, angle)));
        }
        Ok(ChainPose { chain: self, q, steps })
    }
}

impl Chain<f64> {
    /// The state with joints and velocities that are checked to be finite.
    pub fn try_moving<'a>(&'a self, q: &'a [f64], qd: &'a [f64]) -> Result<ChainMoving<'a, f64>, ChainError> {
        finite("q", q)?;
        finite("qd", qd)?;
        self.at_joints(q)?.moving(qd)
    }
}

impl<'a, S: Scalar> ChainPose<'a, S> {
    /// With joint velocities.
    pub fn moving(self, qd: &'a [S]) -> Result<ChainMoving<'a, S>, ChainError> {
        fits(self.steps.len(), "qd", qd)?;
        Ok(ChainMoving { omega: angular_velocities(&self, qd), pose: self, qd })
    }

    /// The frames of all joints (Craig's) in the base frame.
    pub fn joint_frames(&self) -> Vec<Frame<S>> {
        joint_frames(self)
    }

    /// The frame of each link, as its convention attaches it, in the base frame: forward kinematics.
    pub fn frames(&self) -> Vec<Frame<S>> {
        let (mut frames, given) = (joint_frames(self), self.chain.parameters());
        if given.whole.convention == DhConvention::Standard {
            for (frame, branch) in frames.iter_mut().zip(&given.links) {
                *frame = frame.then(&branch.link.moved(given.whole.convention));
            }
        }
        frames
    }

    /// The tool frame in the base frame.
    pub fn tool(&self) -> Frame<S> {
        tool(self, &joint_frames(self))
    }

    /// The geometric Jacobian of the tool point, base frame: one column per joint, zero for those that do not move it.
    pub fn jacobian(&self) -> Vec<Twist<S>> {
        columns(self)
    }

    /// The joint torques that balance a wrench at the tool: Jᵀ w.
    pub fn torque_of_wrench(&self, wrench: Wrench<S>) -> Vec<S> {
        let torque = |column: Twist<S>| column.linear.dot(wrench.force) + column.angular.dot(wrench.moment);
        self.jacobian().into_iter().map(torque).collect()
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// The time derivative of [`ChainPose::jacobian`].
    pub fn jacobian_rate(&self) -> Vec<Twist<S>> {
        column_rates(&self.pose, self.qd)
    }

    /// The tool's frame, its velocity and its acceleration, base frame.
    pub fn tool_motion(&self, qdd: &[S]) -> Result<ToolMotion<S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(tool_motion(&self.pose, self.qd, qdd))
    }
}
