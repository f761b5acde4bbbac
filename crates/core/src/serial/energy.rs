//! Kinetic and potential energy.

use super::Joint;
use super::kinematics::{Attached, Moving, Pose};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// Potential energy against the base's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&self) -> S {
        let g = self.robot.gravity();
        let mut energy = S::zero();
        for (frame, link) in self.joint_frames().iter().zip(&self.robot.links) {
            let body = &link.inertia;
            energy = energy - g.dot(frame.origin) * body.mass - g.dot(frame.rotation * body.moment);
        }
        for (link, &q) in self.robot.links.iter().zip(&self.q) {
            if let Some(spring) = link.spring {
                energy = energy + spring.energy(q);
            }
        }
        energy
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Kinetic energy of links, payload, motors and, where they are counted, spinning armatures, J:
    /// ½ Σ (ω·I ω + 2 v·(ω × h) + m v² + I_m q̇²) + Σ q̇ s·ω.
    pub fn kinetic_energy(&self) -> S {
        let mut twice = S::zero();
        let (mut velocity, mut omega) = (Vec3::zero(), Vec3::zero());
        let links = &self.pose.robot.links;
        for i in 0..N {
            let (joint, link) = (&self.pose.joints[i], &links[i]);
            velocity = joint.down(velocity + omega.cross(joint.p));
            if link.joint == Joint::Prismatic {
                velocity[2] = velocity[2] + self.qd[i];
            }
            omega = self.omega[i];
            let body = &link.inertia;
            twice = twice
                + omega.dot(body.inertia * omega)
                + velocity.dot(omega.cross(body.moment)).times(2.0)
                + velocity.norm_squared() * body.mass
                + link.motor * self.qd[i].square();
            if let Some((k, spin)) = link.spin.and_then(|spin| spin.carrier.map(|k| (k, spin))) {
                twice = twice + (self.qd[i] * spin.momentum.dot(self.omega[k])).times(2.0);
            }
        }
        twice.times(0.5)
    }
}
