//! Open chains: any tree of revolute and prismatic joints, with as many joints as are known at run time.
//!
//! Stages and recursions are those of [`serial`](crate::serial), with lists for arrays; what is different is who is before whom. Links are
//! numbered such that each comes after the one it hangs on (its parent), so one pass up and one pass down the list visit every link after, or
//! before, its parent.
//!
//! A joint is where its row of Denavit and Hartenberg says, by two plane rotations; with a mount before the row it is anywhere.

mod dynamics;
mod kinematics;
mod parameters;
mod part;

pub use crate::serial::times;
pub use kinematics::{ChainMoving, ChainPose};
pub use parameters::{BranchParameters, ChainParameters, TipParameters, ToolOwner};
pub use part::{ChainAccelerating, Part};

use crate::algebra::Vec3;
use crate::parameter::ParameterError;
use crate::scalar::Scalar;
use crate::serial::{Link, LinkParameters, Serial, SerialError, SerialParameters, ToolMotion};
use crate::spatial::{Frame, Wrench};
use std::vec::Vec;
use thiserror::Error;

/// An open chain ready for evaluation: its parameters and the constants lumped from them once.
#[derive(Clone, Debug)]
pub struct Chain<S> {
    parameters: ChainParameters<S>,
    links: Vec<Link<S>>,
    /// Whose tool positions and forces mean.
    owner: ToolOwner,
    /// That tool in the frame of its joint.
    tool: Frame<S>,
    /// The joints from the base to the tool.
    path: Vec<usize>,
    /// Gravity in the base frame.
    gravity: Vec3<S>,
}

/// What does not fit together. Links are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum ChainError {
    /// A list is not as long as the chain has links.
    #[error("{given} numbers are given for {what}, but the chain has {links} links")]
    Length { what: &'static str, links: usize, given: usize },
    /// A link hangs on itself or on a later one.
    #[error("link {link} hangs on link {parent}, which has to come before it")]
    Parent { link: usize, parent: usize },
    /// The motor of a joint is carried by a link that is not on the way from the base to the joint's own link.
    #[error("link {carrier} carries the motor of joint {link}, but is not between the base and link {link}")]
    Carrier { link: usize, carrier: usize },
    /// A motor turns with a joint that does not exist.
    #[error("the motor of joint {link} turns with joint {joint}, which does not exist")]
    Coupled { link: usize, joint: usize },
    /// The link has no tool.
    #[error("link {link} has no tool")]
    NoTool { link: usize },
    /// Numbers that are not finite, or a joint without inertia.
    #[error(transparent)]
    State(#[from] SerialError),
    /// A number that no chain can have.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// Refuses a list that is not as long as the chain has links.
fn fits<T>(links: usize, what: &'static str, list: &[T]) -> Result<(), ChainError> {
    match list.len() {
        given if given == links => Ok(()),
        given => Err(ChainError::Length { what, links, given }),
    }
}

impl<S: Scalar> Chain<S> {
    /// The chain with these parameters, whose positions and forces mean the tool of `owner`. The numbers are not checked; for `f64` use
    /// [`Chain::try_new`].
    pub fn new(parameters: ChainParameters<S>, owner: ToolOwner) -> Result<Self, ChainError> {
        let ChainParameters { links: given, .. } = &parameters;
        for (i, branch) in given.iter().enumerate() {
            let parents =
                || core::iter::successors(Some(i + 1), |&k| given.get(k.checked_sub(1)?).map(|own| own.parent));
            let coupled = branch.link.coupling.iter().flat_map(|coupling| coupling.turns());
            if let Some((joint, _)) = coupled.into_iter().find(|(joint, _)| *joint >= given.len()) {
                return Err(ChainError::Coupled { link: i + 1, joint: joint + 1 });
            }
            if branch.parent > i {
                return Err(ChainError::Parent { link: i + 1, parent: branch.parent });
            }
            if let Some(armature) = &branch.link.armature
                && !parents().any(|on_the_way| on_the_way == armature.carrier)
            {
                return Err(ChainError::Carrier { link: i + 1, carrier: armature.carrier });
            }
        }
        if let ToolOwner::Link(i) = owner
            && given.get(i).is_none_or(|branch| branch.tip.is_none())
        {
            return Err(ChainError::NoTool { link: i + 1 });
        }
        Ok(Self::lumped(parameters, owner))
    }

    /// The chain with links that are in order.
    fn lumped(parameters: ChainParameters<S>, owner: ToolOwner) -> Self {
        let ChainParameters { links: given, whole } = &parameters;
        let link = |(i, branch): (usize, &BranchParameters<S>)| {
            let own = branch.tip.iter().map(|tip| (&tip.frame, &tip.payload));
            let last = (i + 1 == given.len()).then_some((&whole.tool, &whole.payload));
            let parent = branch.parent.checked_sub(1);
            let by_number = |k: usize| given.get(k).map(|branch| &branch.link);
            Link::new(by_number, i, parent, branch.mount.as_ref(), whole.convention, own.chain(last))
        };
        let links: Vec<Link<S>> = given.iter().enumerate().map(link).collect();
        let (joint, frame) = match owner {
            ToolOwner::Whole => (links.len().checked_sub(1), whole.tool),
            ToolOwner::Link(i) => {
                let tip = given.get(i).and_then(|branch| branch.tip);
                (Some(i), tip.map_or(Frame::identity(), |tip| tip.frame))
            }
        };
        let moved = joint.and_then(|joint| given.get(joint)).map(|branch| branch.link.moved(whole.convention));
        let tool = moved.map_or(frame, |moved| moved.then(&frame));
        let mut path: Vec<usize> =
            core::iter::successors(joint, |&i| links.get(i).and_then(|link: &Link<S>| link.parent)).collect();
        path.reverse();
        Self { links, owner, tool, path, gravity: whole.base_gravity(), parameters }
    }

    /// The chain with the same structure and the numbers of `parameters`, of any kind.
    pub fn with_numbers<T: Scalar>(&self, mut parameters: ChainParameters<T>) -> Chain<T> {
        for (made, own) in parameters.links.iter_mut().zip(&self.parameters.links) {
            made.parent = own.parent;
        }
        parameters.links.truncate(self.links.len());
        Chain::lumped(parameters, self.owner)
    }

    /// What the chain was made from.
    pub fn parameters(&self) -> &ChainParameters<S> {
        &self.parameters
    }

    /// Whose tool positions and forces mean.
    pub fn tool_owner(&self) -> ToolOwner {
        self.owner
    }

    /// The number of joints.
    pub fn joints(&self) -> usize {
        self.links.len()
    }

    /// The links in the frames of their joints, each after its parent.
    pub fn links(&self) -> &[Link<S>] {
        &self.links
    }

    /// The joints from the base to the tool, from 0.
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// The acceleration of gravity, world frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.parameters.whole.gravity
    }

    /// The same in another gravity, world frame.
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vec3<S>) -> Self {
        self.parameters.whole.gravity = gravity;
        self.gravity = self.parameters.whole.base_gravity(); // no other lumped constant contains it
        self
    }

    /// The same with every number a scalar of another kind: what is lumped stays lumped.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> Chain<T> {
        Chain {
            parameters: self.parameters.map(f),
            links: self.links.iter().map(|link| link.map(f)).collect(),
            owner: self.owner,
            tool: self.tool.map(f),
            path: self.path.clone(),
            gravity: self.gravity.map(f),
        }
    }

    /// Whether each link hangs on the one before as its row says, and the tool is the one on the last link: what a serial arm is.
    pub fn is_in_a_row(&self) -> bool {
        let in_row =
            |(i, own): (usize, &BranchParameters<S>)| own.parent == i && own.mount.is_none() && own.tip.is_none();
        self.owner == ToolOwner::Whole && self.parameters.links.iter().enumerate().all(in_row)
    }

    /// The same as an arm whose number of joints is known at compile time, where it is one with so many joints in a row.
    pub fn serial<const N: usize>(&self) -> Option<Serial<S, N>> {
        if self.joints() != N || !self.is_in_a_row() {
            return None;
        }
        let SerialParameters { convention, gravity, base, tool, payload, .. } = self.parameters.whole;
        let links: [LinkParameters<S>; N] = crate::array::from_fn(|i| self.parameters.links[i].link);
        Some(Serial::new(SerialParameters { convention, gravity, base, links, tool, payload }))
    }
}

impl<S: Clone> From<&Chain<S>> for Chain<S> {
    fn from(chain: &Chain<S>) -> Self {
        chain.clone()
    }
}

impl<S: Scalar, const N: usize> From<&Serial<S, N>> for Chain<S> {
    fn from(arm: &Serial<S, N>) -> Self {
        let given = arm.parameters();
        let branch = |i: usize| BranchParameters { link: given.links[i], parent: i, mount: None, tip: None };
        let SerialParameters { convention, gravity, base, tool, payload, .. } = *given;
        let whole = SerialParameters { convention, gravity, base, links: [], tool, payload };
        Self {
            gravity: whole.base_gravity(),
            parameters: ChainParameters { links: (0..N).map(branch).collect(), whole },
            links: arm.links.to_vec(),
            owner: ToolOwner::Whole,
            tool: arm.tool,
            path: (0..N).collect(),
        }
    }
}

impl Chain<f64> {
    /// The chain with these parameters, if there can be such a chain.
    pub fn try_new(parameters: ChainParameters<f64>, owner: ToolOwner) -> Result<Self, ChainError> {
        parameters.check()?;
        Self::new(parameters, owner)
    }

    /// The same for another scalar, its parameters constants: what is lumped stays lumped.
    pub fn lift<T: Scalar>(&self) -> Chain<T> {
        self.map(T::from_f64)
    }
}

/// The questions of one call: a list for each of q, q̇, q̈ or τ.
impl<S: Scalar> Chain<S> {
    /// Torques for accelerations, friction included, while the environment pushes with `wrench` on the tool, N m (prismatic: N).
    pub fn torque(&self, [q, qd, qdd]: [&[S]; 3], wrench: Option<Wrench<S>>) -> Result<Vec<S>, ChainError> {
        let moving = self.at_joints(q)?.moving(qd)?;
        let mut torque = moving.torque(qdd)?;
        if let Some(wrench) = wrench {
            let carried = moving.pose.torque_of_wrench(wrench);
            torque.iter_mut().zip(carried).for_each(|(torque, carried)| *torque = *torque - carried);
        }
        Ok(torque)
    }

    /// Accelerations under torques, friction included, and with what the environment does at the tool.
    pub fn acceleration(&self, [q, qd, tau]: [&[S]; 3], wrench: Option<Wrench<S>>) -> Result<Vec<S>, ChainError> {
        let moving = self.at_joints(q)?.moving(qd)?;
        match wrench {
            None => moving.acceleration(tau),
            Some(wrench) => {
                let carried = moving.pose.torque_of_wrench(wrench);
                let all: Vec<S> = tau.iter().zip(carried).map(|(&torque, carried)| torque + carried).collect();
                moving.acceleration(&all)
            }
        }
    }

    /// Friction at the joints.
    pub fn friction(&self, qd: &[S]) -> Vec<S> {
        let mut torque: Vec<S> = self.links.iter().map(|_| S::zero()).collect();
        if fits(torque.len(), "qd", qd).is_ok() {
            crate::serial::add_friction(&self.links, qd, &mut torque);
        }
        torque
    }

    /// Frame, velocity and acceleration of the tool.
    pub fn tool_motion(&self, [q, qd, qdd]: [&[S]; 3]) -> Result<ToolMotion<S>, ChainError> {
        self.at_joints(q)?.moving(qd)?.tool_motion(qdd)
    }
}
