//! Kinetic and potential energy.

use super::Joint;
use super::kinematics::{Attached, Links, MovingOf, PoseOf};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'_, S, R, Q> {
    /// Potential energy against the world's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&self) -> S {
        let (links, g) = (self.robot.links(), self.robot.base().rotation * self.robot.base_gravity());
        let mut energy = S::zero();
        for (frame, link) in self.joint_frames().as_ref().iter().zip(links) {
            let body = &link.inertia;
            energy = energy - g.dot(frame.origin) * body.mass - g.dot(frame.rotation * body.moment);
        }
        for (link, &q) in links.iter().zip(self.q.as_ref()) {
            if let Some(spring) = link.spring {
                energy = energy + spring.energy(q);
            }
        }
        energy
    }
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> MovingOf<'_, S, R, Q> {
    /// Kinetic energy of links, payload, motors and, where they are counted, spinning armatures, J:
    /// ½ Σ (ω·I ω + 2 v·(ω × h) + m v² + I_m q̇²) + Σ q̇ s·ω.
    pub fn kinetic_energy(&self) -> S {
        let (pose, robot) = (&self.pose, self.pose.robot);
        let (qd, omega) = (self.qd.as_ref(), self.omega.as_ref());
        let mut velocities = robot.list(Vec3::zero());
        let velocities: &mut [Vec3<S>] = velocities.as_mut();
        let (mut twice, still) = (S::zero(), [Vec3::zero(); 2]);
        let mut last = still;
        for (i, link) in robot.links().iter().enumerate() {
            let [before, turning] = robot.before(i, last, still, |parent| [velocities[parent], omega[parent]]);
            let mut velocity = pose.step(i).down(before + turning.cross(pose.step(i).p()));
            if link.joint == Joint::Prismatic {
                velocity[2] = velocity[2] + qd[i];
            }
            velocities[i] = velocity;
            last = [velocity, omega[i]];
            let body = &link.inertia;
            twice = twice
                + omega[i].dot(body.inertia * omega[i])
                + velocity.dot(omega[i].cross(body.moment)).times(2.0)
                + velocity.norm_squared() * body.mass
                + link.motor * link.motor_rate(i, qd).square();
            if let Some((k, spin)) = link.spin.and_then(|spin| spin.carrier.map(|k| (k, spin))) {
                twice = twice + (qd[i] * spin.momentum.dot(omega[k])).times(2.0);
            }
        }
        twice.times(0.5)
    }
}
