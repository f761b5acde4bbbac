//! Motors that turn with more joints than their own, as those of wrists, of differentials and of ball-screw splines do.
//!
//! ```text
//! ν_i = q̇_i + Σ r_k q̇_k                          the motor's rate at the joint side of its gear: ν = K q̇         (1)
//! τ = Kᵀ τ_m                                     what the joints feel of the motors' torques                     (2)
//! ```
//!
//! Rotor and friction act at the motor's rate: the mass matrix has Kᵀ diag(I_m) K, the joints feel the friction Kᵀ f(K q̇).

use super::Link;
use crate::parameter::Must::Finite;
use crate::parameter::Tolerance::Known;
use crate::parameter::{Convert, Field, Place, Unit};
use crate::scalar::Scalar;

/// With so many joints beyond its own a motor may turn.
pub const COUPLED: usize = 2;

/// Rates of the motor per rate of the other joints.
static COUPLING: [Field; COUPLED] = [
    Field::new("coupling.ratio", "r", "rate of the motor per rate of another joint", Unit::Ratio, Finite, Known),
    Field::new("coupling.second_ratio", "s", "rate of the motor per rate of a second one", Unit::Ratio, Finite, Known),
];

/// What a motor turns with beyond its own joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling<S> {
    /// The numbers of the joints, from 1; 0: none.
    pub joints: [usize; COUPLED],
    /// r of (1) for each of them: rad/rad, m/rad, rad/m or m/m.
    pub ratios: [S; COUPLED],
}

impl<S: Scalar> Coupling<S> {
    /// The joints, from 0, and the ratio of each.
    #[inline(always)]
    pub fn turns(&self) -> impl Iterator<Item = (usize, S)> + '_ {
        self.joints.iter().zip(&self.ratios).filter_map(|(joint, &ratio)| Some((joint.checked_sub(1)?, ratio)))
    }

    /// The same with scalars of another kind.
    pub fn map<T: Scalar>(&self, f: impl FnMut(S) -> T) -> Coupling<T> {
        Coupling { joints: self.joints, ratios: crate::array::map(self.ratios, f) }
    }

    /// Converts the ratios that there are.
    pub(super) fn convert<T: Scalar>(&self, place: Place, each: &mut dyn Convert<S, T>) -> Coupling<T> {
        let ratio = |k: usize| match self.joints[k] {
            0 => T::zero(),
            _ => each.number(&COUPLING[k], place, self.ratios[k]),
        };
        Coupling { joints: self.joints, ratios: crate::array::from_fn(ratio) }
    }
}

impl<S: Scalar> Link<S> {
    /// (1): of the rates of all joints that of the motor of joint `i`, which is this link's.
    #[inline(always)]
    pub fn motor_rate(&self, i: usize, rates: &[S]) -> S {
        match &self.coupling {
            None => rates[i],
            Some(coupling) => coupling.turns().fold(rates[i], |sum, (k, ratio)| sum + rates[k] * ratio),
        }
    }

    /// (2): adds what the joints but the motor's own feel of its torque.
    #[inline(always)]
    pub(crate) fn couple(&self, torque: S, all: &mut [S]) {
        if let Some(coupling) = &self.coupling {
            coupling.turns().for_each(|(k, ratio)| all[k] = all[k] + torque * ratio);
        }
    }

    /// Adds to a mass matrix what the motor of joint `i` has beyond its entry on the diagonal.
    #[inline(always)]
    pub(super) fn couple_inertia(&self, i: usize, n: usize, matrix: &mut [S]) {
        let Some(coupling) = &self.coupling else { return };
        for (k, ratio) in coupling.turns() {
            let entry = self.motor * ratio;
            matrix[i * n + k] = matrix[i * n + k] + entry;
            matrix[k * n + i] = matrix[k * n + i] + entry;
            coupling.turns().for_each(|(l, other)| matrix[k * n + l] = matrix[k * n + l] + entry * other);
        }
    }
}

/// Adds the torques that motors have to supply against friction, as their joints feel them.
#[inline(always)]
pub fn add_friction<S: Scalar>(links: &[Link<S>], qd: &[S], torque: &mut [S]) {
    for (i, link) in links.iter().enumerate() {
        if let Some(friction) = link.friction {
            let loss = friction.torque(link.motor_rate(i, qd));
            torque[i] = torque[i] + loss;
            link.couple(loss, torque);
        }
    }
}
