//! Two Deltas that carry one object together.
//!
//! The platforms of Deltas only translate, so an object held by both translates too: platform i stands at the object's
//! position plus a constant offset, and its velocity and acceleration are the object's. With the wanted motion X_d of the
//! object, its error E and the wanted acceleration a = Ẍ_d + k_p E + k_d Ė the object needs
//!
//! ```text
//! F = m (a − g)                                                                                              (1)
//! τ_i = τ̂_i(q, q̇, J_i a + J̇_i Ẋ_i) + K_iᵀ(σ_i F ± s)                                                         (2)
//! ```
//!
//! with shares σ₁ + σ₂ = 1 and the squeeze s, which presses the object from both sides and moves nothing. E is the mean of
//! what both robots measure: one wish for both, so that the two do not pull against each other over encoder errors.

use super::{DeltaModel, Gains, JointModel, JointState};
use crate::algebra::{Vec3, sum};
use crate::delta::Model;
use crate::scalar::Scalar;
use crate::serial::Wrench;

/// The object and how it shall move.
#[derive(Clone, Copy, Debug)]
pub struct Carried<S> {
    /// kg.
    pub mass: S,
    /// m/s².
    pub gravity: Vec3<S>,
    /// From the object to each platform, m.
    pub offsets: [Vec3<S>; 2],
    /// σ of the first robot, 0…1.
    pub share: S,
    /// s: the force of the first platform on the object beyond its share, N; the second one presses against it.
    pub squeeze: Vec3<S>,
    /// Wanted position, velocity and acceleration.
    pub wanted: [Vec3<S>; 3],
}

/// (2): torques of both robots, each with its measured joints and their velocities. Friction at the wanted velocities is the
/// caller's to add.
#[inline(always)]
pub fn carry_together<S: Scalar, M: Model<S> + ?Sized>(
    object: &Carried<S>,
    gains: Gains<S>,
    robots: [&DeltaModel<'_, S, M>; 2],
    joints: [[[S; 3]; 2]; 2],
) -> [[S; 3]; 2] {
    let states = [0, 1].map(|i| robots[i].at(joints[i][0], joints[i][1]));
    let [first, second] = [0, 1].map(|i| {
        let moving = &states[i].moving;
        [object.wanted[0] - (moving.pose.position - object.offsets[i]), object.wanted[1] - moving.velocity]
    });
    let half = S::from_f64(0.5);
    let (error, rate) = ((first[0] + second[0]) * half, (first[1] + second[1]) * half);
    let acceleration = object.wanted[2] + error * gains.proportional + rate * gains.derivative;
    let force = (acceleration - object.gravity) * object.mass; // (1)
    let shares = [force * object.share + object.squeeze, force * (S::one() - object.share) - object.squeeze];
    [0, 1].map(|i| {
        let inertial = states[i].torque(states[i].moving.joint_acceleration(acceleration));
        let pressed = states[i].press(Wrench { force: shares[i], moment: Vec3::zero() });
        sum(inertial, pressed) // (2)
    })
}
