//! Forward dynamics of a tree by articulated bodies, with the steps of a serial arm.

use super::{TreeError, TreeMoving, TreePose, fits};
use crate::algebra::{Vec3, solve_in_place};
use crate::scalar::Scalar;
use crate::serial::{Articulated, Attached, Freed, Inertia, Joint, cross_z, crossed, z};

/// What forward dynamics keeps of one link. Its content means nothing to others.
#[derive(Clone, Copy, Debug)]
pub struct BodyScratch<S> {
    body: Articulated<S>,
    free: Freed<S>,
    /// What an angular and a linear acceleration is beyond those of the frame before and of the joint.
    bias: [Vec3<S>; 2],
}

impl<S: Scalar> BodyScratch<S> {
    /// Room with nothing in it.
    pub fn new() -> Self {
        let none = Vec3::zero();
        Self {
            body: Articulated::of_link(&Inertia::zero(), none),
            free: Freed { column: (none, none), pivot: S::one(), rest: S::zero() },
            bias: [none; 2],
        }
    }

    /// What the joint had to move in the last forward dynamics: not positive where that is nothing.
    pub fn pivot(&self) -> S {
        self.free.pivot
    }
}

impl<S: Scalar> Default for BodyScratch<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar> TreeMoving<'_, S> {
    /// Joint accelerations under joint torques, friction included, rad/s² (prismatic: m/s²).
    ///
    /// Armatures that spin couple joints that articulated bodies keep apart: then the mass matrix is solved, and `matrix` is the room for it, as
    /// many numbers as the square of the number of links. Without armatures it is not looked at.
    pub fn acceleration(
        &mut self,
        torque: &[S],
        qdd: &mut [S],
        bodies: &mut [BodyScratch<S>],
        matrix: &mut [S],
    ) -> Result<(), TreeError> {
        fits(self.qd.len(), "the torques", torque)?;
        fits(self.qd.len(), "qdd", qdd)?;
        fits(self.qd.len(), "the room", bodies)?;
        if self.pose.tree.links.iter().any(|link| link.spin.is_some()) {
            self.solved(torque, qdd, bodies, matrix)
        } else {
            self.articulated(torque, qdd, bodies);
            Ok(())
        }
    }

    fn solved(
        &mut self,
        torque: &[S],
        qdd: &mut [S],
        bodies: &mut [BodyScratch<S>],
        matrix: &mut [S],
    ) -> Result<(), TreeError> {
        // The torques without accelerations; the room of the matrix has zeros for these.
        fits(torque.len() * torque.len(), "the room of the mass matrix", matrix)?;
        matrix.fill(S::zero());
        self.torque(&matrix[..torque.len()], qdd)?;
        self.pose.mass_matrix(matrix)?;
        for (qdd, &torque) in qdd.iter_mut().zip(torque) {
            *qdd = torque - *qdd;
        }
        solve_in_place(matrix, qdd);
        for (k, room) in bodies.iter_mut().enumerate() {
            room.free.pivot = matrix[k * qdd.len() + k];
        }
        Ok(())
    }

    fn articulated(&mut self, torque: &[S], qdd: &mut [S], bodies: &mut [BodyScratch<S>]) {
        let TreePose { tree, room } = &mut self.pose;
        for (i, ((link, &qd), own)) in tree.links.iter().zip(self.qd).zip(&mut *bodies).enumerate() {
            let (frame, omega) = (&room[i].frame, room[i].motion.omega);
            let before = link.parent.map_or(Vec3::zero(), |parent| room[parent].motion.omega);
            let curved = frame.down(crossed(before, crossed(before, frame.origin)));
            own.bias = match link.joint {
                Joint::Revolute => [cross_z(omega, qd), curved],
                Joint::Prismatic => [Vec3::zero(), curved + cross_z(omega, qd.times(2.0))],
            };
            own.body = Articulated::of_link(&link.inertia, omega);
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            let friction = link.friction.map(|friction| friction.torque(self.qd[i]));
            let rest = friction.map_or(torque[i], |friction| torque[i] - friction);
            let rest = link.spring.map_or(rest, |spring| rest - spring.torque(room[i].q));
            let own = &mut bodies[i];
            own.free = own.body.at_joint(link.joint, rest, link.motor);
            if let Some(parent) = link.parent {
                let up = own.body.freed(&own.free, own.bias).up(&room[i].frame);
                bodies[parent].body = bodies[parent].body.plus(up);
            }
        }
        for (i, (link, own)) in tree.links.iter().zip(bodies).enumerate() {
            let before = link.parent.map(|parent| &room[parent].motion);
            let (turning, acceleration) =
                before.map_or((Vec3::zero(), -tree.gravity), |before| (before.omega_dot, before.acceleration));
            let here = &mut room[i];
            let mut acceleration = here.frame.down(acceleration + crossed(turning, here.frame.origin)) + own.bias[1];
            let mut turning = here.frame.down(turning) + own.bias[0];
            qdd[i] = own.free.acceleration(turning, acceleration);
            match link.joint {
                Joint::Revolute => turning = turning + z(qdd[i]),
                Joint::Prismatic => acceleration = acceleration + z(qdd[i]),
            }
            (here.motion.omega_dot, here.motion.acceleration) = (turning, acceleration);
        }
    }
}
