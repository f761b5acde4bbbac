//! What one part of a chain asks for, while the whole chain moves: the columns of regressors.

use super::{ChainError, ChainMoving, fits};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::serial::Inertia;
use crate::serial::kinematics::{Attached, Links};
use crate::serial::newton_euler::Motion;
use std::{vec, vec::Vec};

/// A part that is fixed to a link or drives a joint; both from 0.
#[derive(Clone, Copy, Debug)]
pub enum Part<S> {
    /// A body on a link, in the frame of the link's joint.
    Body(usize, Inertia<S>),
    /// The reflected inertia of a motor and its drive.
    Motor(usize, S),
}

/// The chain with a velocity and an acceleration.
#[derive(Clone, Debug)]
pub struct ChainAccelerating<'m, S: Scalar> {
    moving: &'m ChainMoving<'m, S>,
    qdd: &'m [S],
    motions: Vec<Motion<S>>,
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// With joint accelerations, in the chain's gravity.
    pub fn accelerating<'m>(&'m self, qdd: &'m [S]) -> Result<ChainAccelerating<'m, S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        let (pose, links) = (&self.pose, &self.pose.robot.links);
        let still = Motion { omega: Vec3::zero(), omega_dot: Vec3::zero(), acceleration: -pose.robot.base_gravity() };
        let mut motions: Vec<Motion<S>> = Vec::with_capacity(qdd.len());
        for (i, link) in links.iter().enumerate() {
            let before = link.parent.map_or(still, |parent| motions[parent]);
            motions.push(before.down(&pose.steps[i], link.joint, self.omega[i], [self.qd[i], qdd[i]]));
        }
        Ok(ChainAccelerating { moving: self, qdd, motions })
    }
}

impl<S: Scalar> ChainAccelerating<'_, S> {
    /// The torques that a part asks for, N m (prismatic: N). A part on a link that the chain has not asks for none.
    pub fn torque_of(&self, part: &Part<S>) -> Vec<S> {
        let pose = &self.moving.pose;
        let mut torque = vec![S::zero(); self.qdd.len()];
        match *part {
            Part::Body(link, inertia) if link < torque.len() => {
                let (mut force, mut moment) = self.motions[link].asks_of(&inertia);
                for i in pose.robot.to_base(Some(link)) {
                    torque[i] = pose.robot.links[i].joint.generalized_force(force, moment);
                    (force, moment) = pose.steps[i].wrench_up(force, moment);
                }
            }
            Part::Motor(joint, inertia) if joint < torque.len() => {
                let (link, all) = (&pose.robot.links[joint], &mut torque[..]);
                all[joint] = inertia * link.motor_rate(joint, self.qdd);
                link.couple(all[joint], all);
            }
            _ => {}
        }
        torque
    }

    /// What a joint feels of bodies on the links, one on each, N m (prismatic: N). Only those on and beyond its link matter.
    pub fn generalized_force_at(&self, joint: usize, bodies: &[Inertia<S>]) -> Result<S, ChainError> {
        let links = &self.moving.pose.robot.links;
        fits(links.len(), "the bodies", bodies)?;
        let mut hanging = vec![(Vec3::zero(), Vec3::zero()); links.len()];
        for i in (joint + 1..links.len()).rev() {
            // Of another branch.
            let Some(parent) = links[i].parent.filter(|&parent| parent >= joint) else { continue };
            let (force, moment) = self.motions[i].asks_of(&bodies[i]);
            let (force, moment) = self.moving.pose.steps[i].wrench_up(hanging[i].0 + force, hanging[i].1 + moment);
            let (before, about) = hanging[parent];
            hanging[parent] = (before + force, about + moment);
        }
        Ok(links.get(joint).map_or(S::zero(), |link| {
            let (force, moment) = self.motions[joint].asks_of(&bodies[joint]);
            link.joint.generalized_force(hanging[joint].0 + force, hanging[joint].1 + moment)
        }))
    }
}
