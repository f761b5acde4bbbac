//! Two Deltas that carry one object together.
//!
//! The platforms of Deltas only translate, so an object held by both translates too: platform i stands at the object's
//! position plus a constant offset, and its velocity and acceleration are the object's. With the reference X_d of the
//! object, its error E and the acceleration a = Ẍ_d + k_p E + k_d Ė the object needs
//!
//! ```text
//! F = m (a − g)                                                                                              (1)
//! τ_i = τ̂_i(q, q̇, J_i a + J̇_i Ẋ_i) + K_iᵀ(σ_i F ± s)                                                         (2)
//! ```
//!
//! with shares σ₁ + σ₂ = 1 and the squeeze s, which presses the object from both sides and moves nothing. E is the mean of
//! what both robots measure: one reference for both, so that the two do not pull against each other over encoder errors.

use super::Gains;
use crate::algebra::{Vec3, sum};
use crate::array::map;
use crate::delta::{DeltaModel, Model};
use crate::dynamics::{Dynamics, State};
use crate::scalar::Scalar;
use crate::spatial::Wrench;

/// The object and its reference motion.
#[derive(Clone, Copy, Debug)]
pub struct CarriedObject<S> {
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
    /// Position, velocity and acceleration that it should have.
    pub reference: [Vec3<S>; 3],
}

/// (2): torques of both robots, each with its measured joints and their velocities. Friction at the velocities of the reference is the
/// caller's to add.
#[inline(always)]
pub fn carry_together<S: Scalar, M: Model<S>>(
    object: &CarriedObject<S>,
    gains: Gains<S>,
    robots: [&DeltaModel<S, M>; 2],
    joints: [[[S; 3]; 2]; 2],
) -> [[S; 3]; 2] {
    let state = |i: usize| robots[i].at_joints(joints[i][0], joints[i][1]);
    let states = [state(0), state(1)];
    let [first, second] = map([0, 1], |i| {
        let moving = &states[i].moving;
        [object.reference[0] - (moving.pose.tool() - object.offsets[i]), object.reference[1] - moving.velocity]
    });
    let half = S::from_f64(0.5);
    let (error, rate) = ((first[0] + second[0]) * half, (first[1] + second[1]) * half);
    let acceleration = object.reference[2] + error * gains.proportional + rate * gains.derivative;
    let force = (acceleration - object.gravity) * object.mass; // (1)
    let shares = [force * object.share + object.squeeze, force * (S::one() - object.share) - object.squeeze];
    map([0, 1], |i| {
        let inertial = states[i].rigid_torque(states[i].moving.joint_acceleration(acceleration));
        let pressed = states[i].torque_of_wrench(Wrench::force(shares[i]));
        sum(inertial, pressed) // (2)
    })
}
