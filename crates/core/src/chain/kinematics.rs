//! Kinematics of chains: from joint positions to frames, velocities and Jacobians.

use super::{Chain, ChainError, fits};
use crate::algebra::{Mat3, Sym3, Vec3};
use crate::array::map;
use crate::scalar::Scalar;
use crate::serial::check::finite;
use crate::serial::kinematics::{Attached, JointPose, Links, MovingOf, PoseOf, axis};
use crate::serial::{DhConvention, Joint, Link, LinkParameters, ToolMotion};
use crate::spatial::Frame;
use std::fmt::Debug;
use std::{vec, vec::Vec};

/// One joint at a pose.
#[derive(Clone, Copy, Debug)]
pub enum ChainStep<S> {
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

/// A chain at a pose.
pub type ChainPose<'a, S> = PoseOf<'a, S, Chain<S>, &'a [S]>;

/// A chain at a pose with a velocity.
pub type ChainMoving<'a, S> = MovingOf<'a, S, Chain<S>, &'a [S]>;

impl<S: Scalar> Links<S> for Chain<S> {
    type Step = ChainStep<S>;
    type PerJoint<T: Copy + Debug> = Vec<T>;

    #[inline(always)]
    fn links(&self) -> &[Link<S>] {
        &self.links
    }
    fn given(&self, i: usize) -> (&LinkParameters<S>, DhConvention) {
        (&self.parameters.links[i].link, self.parameters.whole.convention)
    }
    #[inline(always)]
    fn parent(&self, i: usize) -> Option<usize> {
        self.links[i].parent
    }
    #[inline(always)]
    fn base_gravity(&self) -> Vec3<S> {
        self.gravity
    }
    #[inline(always)]
    fn base(&self) -> Frame<S> {
        self.parameters.whole.base_frame()
    }
    #[inline(always)]
    fn path(&self) -> impl Iterator<Item = usize> {
        self.path.iter().copied()
    }
    #[inline(always)]
    fn tool_frame(&self) -> &Frame<S> {
        &self.tool
    }
    #[inline(always)]
    fn list<T: Copy + Debug>(&self, value: T) -> Vec<T> {
        vec![value; self.links.len()]
    }
    fn with_matrix<T>(&self, work: impl FnOnce(&mut [S]) -> T) -> T {
        work(&mut vec![S::zero(); self.links.len() * self.links.len()])
    }
    #[inline(always)]
    fn before<T>(&self, i: usize, last: T, base: T, at: impl FnOnce(usize) -> T) -> T {
        match self.links[i].parent {
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
        Ok(ChainPose { robot: self, q, steps })
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
        Ok(self.moving_at(qd))
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// The tool's frame, its velocity and its acceleration, world frame.
    pub fn tool_motion(&self, qdd: &[S]) -> Result<ToolMotion<S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(self.tool_motion_at(qdd))
    }
}
