//! The formulas of a tree in lists of its own, with the tool that positions and forces mean; over any scalar.

use super::tools::Which;
use crate::Scalar;
use crate::Vec3;
use crate::serial::{SerialParameters, ToolMotion};
use crate::spatial::{Frame, Wrench};
use crate::tree::{
    BodyScratch, BranchParameters, LinkScratch, Tree, TreeError, TreeLink, TreeMoving, TreePose, tip_frame,
};

/// A tree ready for evaluation.
#[derive(Clone, Debug)]
pub struct Formulas<S> {
    links: Vec<TreeLink<S>>,
    gravity: Vec3<S>,
    /// The link that the tool is on, and the tool in the frame of its joint.
    joint: usize,
    tool: Frame<S>,
}

impl<S: Scalar> Formulas<S> {
    /// The tree with these parameters and this tool. None where there are no such links.
    pub fn new(branches: &[BranchParameters<S>], whole: &SerialParameters<S, 0>, which: Which) -> Option<Self> {
        let links = (0..branches.len()).map(|i| TreeLink::new(branches, i, whole)).collect::<Option<Vec<_>>>()?;
        let (joint, frame) = match which {
            Which::Whole => (branches.len().checked_sub(1)?, whole.tool),
            Which::Link(joint) => (joint, branches.get(joint)?.tip?.frame),
        };
        let tool = tip_frame(branches, joint, &frame, whole.convention)?;
        Tree::new(&links, whole.gravity).ok()?;
        Some(Self { links, gravity: whole.gravity, joint, tool })
    }

    /// The same with every number a scalar of another kind.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> Formulas<T> {
        Formulas {
            links: self.links.iter().map(|link| link.map(f)).collect(),
            gravity: self.gravity.map(f),
            joint: self.joint,
            tool: self.tool.map(f),
        }
    }

    /// The number of joints.
    pub fn joints(&self) -> usize {
        self.links.len()
    }

    /// The links in the frames of their joints.
    pub fn links(&self) -> &[TreeLink<S>] {
        &self.links
    }

    /// The tree itself.
    pub fn tree(&self) -> Result<Tree<'_, S>, TreeError> {
        Tree::new(&self.links, self.gravity)
    }

    /// Asks the tree at a pose.
    pub fn posed<R>(
        &self,
        q: &[S],
        ask: impl FnOnce(&mut TreePose<'_, S>) -> Result<R, TreeError>,
    ) -> Result<R, TreeError> {
        let (tree, mut room) = (self.tree()?, self.room());
        ask(&mut tree.at_joints(q, &mut room)?)
    }

    /// Asks the tree in a state.
    pub fn at<R>(
        &self,
        q: &[S],
        qd: &[S],
        ask: impl FnOnce(&mut TreeMoving<'_, S>) -> Result<R, TreeError>,
    ) -> Result<R, TreeError> {
        self.at_in(&mut self.room(), q, qd, ask)
    }

    /// The same in room that is kept.
    pub fn at_in<R>(
        &self,
        room: &mut [LinkScratch<S>],
        q: &[S],
        qd: &[S],
        ask: impl FnOnce(&mut TreeMoving<'_, S>) -> Result<R, TreeError>,
    ) -> Result<R, TreeError> {
        let tree = self.tree()?;
        let mut moving = tree.at_joints(q, room)?.moving(qd)?;
        ask(&mut moving)
    }

    /// Room for an evaluation.
    pub fn room(&self) -> Vec<LinkScratch<S>> {
        vec![LinkScratch::new(); self.links.len()]
    }

    /// One number per joint, as `fill` writes them in a state.
    fn filled(
        &self,
        q: &[S],
        qd: &[S],
        fill: impl FnOnce(&mut TreeMoving<'_, S>, &mut [S]) -> Result<(), TreeError>,
    ) -> Result<Vec<S>, TreeError> {
        let mut all = vec![S::zero(); self.links.len()];
        self.at(q, qd, |moving| fill(moving, &mut all))?;
        Ok(all)
    }

    /// Torques for accelerations, friction included, while the environment pushes with `wrench` on the tool.
    pub fn torque(&self, [q, qd, qdd]: [&[S]; 3], wrench: Option<Wrench<S>>) -> Result<Vec<S>, TreeError> {
        let mut torque = vec![S::zero(); self.links.len()];
        self.torque_in(&mut self.room(), [q, qd, qdd], wrench, &mut torque)?;
        Ok(torque)
    }

    /// The same in room that is kept.
    pub fn torque_in(
        &self,
        room: &mut [LinkScratch<S>],
        [q, qd, qdd]: [&[S]; 3],
        wrench: Option<Wrench<S>>,
        torque: &mut [S],
    ) -> Result<(), TreeError> {
        self.at_in(room, q, qd, |moving| {
            moving.torque(qdd, torque)?;
            let against = wrench.map(|wrench| Wrench { force: -wrench.force, moment: -wrench.moment });
            self.add(&mut moving.pose, against, torque)
        })
    }

    /// The same without friction.
    pub fn rigid_torque(&self, [q, qd, qdd]: [&[S]; 3]) -> Result<Vec<S>, TreeError> {
        self.filled(q, qd, |moving, torque| moving.rigid_torque(qdd, torque))
    }

    /// Adds what motors do that press with `wrench` at the tool.
    pub fn add(
        &self,
        pose: &mut TreePose<'_, S>,
        wrench: Option<Wrench<S>>,
        torque: &mut [S],
    ) -> Result<(), TreeError> {
        match wrench {
            Some(wrench) => pose.add_torque_of_wrench(Some(self.joint), &self.tool, wrench, torque),
            None => Ok(()),
        }
    }

    /// Torques of motors that press with `wrench` at the tool.
    pub fn carried(&self, q: &[S], wrench: Wrench<S>) -> Result<Vec<S>, TreeError> {
        let mut torque = vec![S::zero(); self.links.len()];
        self.posed(q, |pose| self.add(pose, Some(wrench), &mut torque))?;
        Ok(torque)
    }

    /// Torques that hold it.
    pub fn gravity_torque(&self, q: &[S]) -> Result<Vec<S>, TreeError> {
        let mut torque = vec![S::zero(); self.links.len()];
        self.posed(q, |pose| pose.gravity_torque(&mut torque))?;
        Ok(torque)
    }

    /// Friction at these speeds.
    pub fn friction(&self, qd: &[S]) -> Result<Vec<S>, TreeError> {
        self.filled(qd, qd, |moving, torque| moving.friction(torque))
    }

    /// C(q, q̇) q̇.
    pub fn coriolis(&self, q: &[S], qd: &[S]) -> Result<Vec<S>, TreeError> {
        let still = vec![S::zero(); qd.len()];
        self.filled(q, qd, |moving, torque| moving.coriolis(&still, torque))
    }

    /// Row by row.
    pub fn mass_matrix(&self, q: &[S]) -> Result<Vec<S>, TreeError> {
        let mut matrix = vec![S::zero(); self.links.len() * self.links.len()];
        self.posed(q, |pose| pose.mass_matrix(&mut matrix))?;
        Ok(matrix)
    }

    /// Accelerations under torques, friction included, and with what the environment does at the tool.
    pub fn acceleration(&self, [q, qd, tau]: [&[S]; 3], wrench: Option<Wrench<S>>) -> Result<Vec<S>, TreeError> {
        let mut torque = tau.to_vec();
        let (mut bodies, mut matrix) = self.room_of_bodies();
        self.filled(q, qd, |moving, qdd| {
            self.add(&mut moving.pose, wrench, &mut torque)?;
            moving.acceleration(&torque, qdd, &mut bodies, &mut matrix)
        })
    }

    /// Room for forward dynamics.
    pub fn room_of_bodies(&self) -> (Vec<BodyScratch<S>>, Vec<S>) {
        let n = self.links.len();
        let couples = self.links.iter().any(|link| link.spin.is_some());
        (vec![BodyScratch::new(); n], vec![S::zero(); if couples { n * n } else { 0 }])
    }

    /// Frame, velocity and acceleration of the tool.
    pub fn tool_motion(&self, [q, qd, qdd]: [&[S]; 3]) -> Result<ToolMotion<S>, TreeError> {
        self.at(q, qd, |moving| moving.tool_motion(Some(self.joint), &self.tool, qdd))
    }

    /// The frames of all joints in the base frame.
    pub fn frames(&self, q: &[S]) -> Result<Vec<Frame<S>>, TreeError> {
        self.posed(q, |pose| Ok(pose.frames().collect()))
    }
}
