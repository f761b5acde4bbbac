//! Kinetic and potential energy.

use super::Joint;
use super::kinematics::{Attached, Moving, Pose, Posed, joint_frames};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

/// Potential energy against the base's origin, and of springs and counterbalances.
#[inline(always)]
pub(crate) fn potential_energy<S: Scalar>(pose: &impl Posed<S>) -> S {
    let g = pose.gravity();
    let mut energy = S::zero();
    for (frame, link) in joint_frames(pose).as_ref().iter().zip(pose.links()) {
        let body = &link.inertia;
        energy = energy - g.dot(frame.origin) * body.mass - g.dot(frame.rotation * body.moment);
    }
    for (link, &q) in pose.links().iter().zip(pose.q()) {
        if let Some(spring) = link.spring {
            energy = energy + spring.energy(q);
        }
    }
    energy
}

/// ½ Σ (ω·I ω + 2 v·(ω × h) + m v² + I_m q̇²) + Σ q̇ s·ω.
#[inline(always)]
pub(crate) fn kinetic_energy<S: Scalar>(pose: &impl Posed<S>, qd: &[S], omega: &[Vec3<S>]) -> S {
    let mut velocities = pose.list(Vec3::zero());
    let velocities: &mut [Vec3<S>] = velocities.as_mut();
    let (mut twice, still) = (S::zero(), [Vec3::zero(); 2]);
    let mut last = still;
    for (i, link) in pose.links().iter().enumerate() {
        let [before, turning] = pose.before(i, last, still, |parent| [velocities[parent], omega[parent]]);
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
            + link.motor * qd[i].square();
        if let Some((k, spin)) = link.spin.and_then(|spin| spin.carrier.map(|k| (k, spin))) {
            twice = twice + (qd[i] * spin.momentum.dot(omega[k])).times(2.0);
        }
    }
    twice.times(0.5)
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// Potential energy against the base's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&self) -> S {
        potential_energy(self)
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Kinetic energy of links, payload, motors and, where they are counted, spinning armatures, J.
    pub fn kinetic_energy(&self) -> S {
        kinetic_energy(&self.pose, &self.qd, &self.omega)
    }
}
