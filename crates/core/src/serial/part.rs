//! What one part of an arm asks for, while the whole arm moves: the columns of regressors.
//!
//! A body on link k asks for the force and moment (3) and (4) of `newton_euler.rs` there; the links before it pass them on
//! to the base. How the links move is computed once for all parts.

use super::kinematics::{Attached, Moving};
use super::newton_euler::Motion;
use super::{Inertia, Joint};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

/// A part that is fixed to a link or drives a joint; both from 0.
#[derive(Clone, Copy, Debug)]
pub enum Part<S> {
    /// A body on a link, in the frame of the link's joint.
    Body(usize, Inertia<S>),
    /// The reflected inertia of a motor and its drive.
    Motor(usize, S),
}

/// Passes a wrench from link to link: `joint` tells what each joint is, and how it is attached to the one before.
#[inline(always)]
pub(crate) fn pass_on<S: Scalar, A: Attached<S>>(
    wrench: (Vec3<S>, Vec3<S>),
    way: impl Iterator<Item = usize>,
    joint: impl Fn(usize) -> (Joint, A),
    torque: &mut [S],
) {
    let (mut force, mut moment) = wrench;
    for i in way {
        let (kind, attached) = joint(i);
        torque[i] = kind.generalized_force(force, moment);
        (force, moment) = attached.wrench_up(force, moment);
    }
}

/// The arm with a velocity and an acceleration.
#[derive(Clone, Copy, Debug)]
pub struct Accelerating<'r, S, const N: usize> {
    moving: Moving<'r, S, N>,
    qdd: [S; N],
    motions: [Motion<S>; N],
}

impl<'r, S: Scalar, const N: usize> Moving<'r, S, N> {
    /// With joint accelerations, in the arm's gravity.
    pub fn accelerating(self, qdd: [S; N]) -> Accelerating<'r, S, N> {
        let (pose, base) = (&self.pose, -self.pose.robot.gravity());
        let mut motion = Motion { omega: Vec3::zero(), omega_dot: Vec3::zero(), acceleration: base };
        let motions = core::array::from_fn(|i| {
            let joint = pose.robot.links[i].joint;
            motion = motion.down(&pose.joints[i], joint, self.omega[i], [self.qd[i], qdd[i]]);
            motion
        });
        Accelerating { moving: self, qdd, motions }
    }
}

impl<S: Scalar, const N: usize> Accelerating<'_, S, N> {
    /// The torques that a part asks for, N m (prismatic: N). A part on a link that the arm has not asks for none.
    pub fn torque_of(&self, part: &Part<S>) -> [S; N] {
        let mut torque = [S::zero(); N];
        let pose = &self.moving.pose;
        match *part {
            Part::Body(link, inertia) if link < N => {
                let joint = |i: usize| (pose.robot.links[i].joint, pose.joints[i]);
                pass_on(self.motions[link].asks_of(&inertia), (0..=link).rev(), joint, &mut torque);
            }
            Part::Motor(joint, inertia) if joint < N => torque[joint] = inertia * self.qdd[joint],
            _ => {}
        }
        torque
    }

    /// What a joint feels of bodies on the links, one on each, N m (prismatic: N). Those before the joint do not matter.
    pub fn generalized_force_at(&self, joint: usize, bodies: &[Inertia<S>; N]) -> S {
        let pose = &self.moving.pose;
        let (mut force, mut moment) = (Vec3::zero(), Vec3::zero());
        for i in (joint..N).rev() {
            let (own, about) = self.motions[i].asks_of(&bodies[i]);
            (force, moment) = (force + own, moment + about);
            if i > joint {
                (force, moment) = pose.joints[i].wrench_up(force, moment);
            }
        }
        pose.robot.links.get(joint).map_or(S::zero(), |link| link.joint.generalized_force(force, moment))
    }
}
