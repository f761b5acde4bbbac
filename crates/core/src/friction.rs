//! Friction at a motor: viscous, Coulomb and Stribeck, smooth through standstill.

use crate::parameter::Tolerance::{Amount, Known};
use crate::parameter::{Field, Must, Place, Slot, Unit, Visit};
use crate::scalar::Scalar;

/// The parameters, in the order of [`Friction`]; their keys are those of the table `friction`.
pub static FIELDS: [Field; 5] = [
    Field::new("friction.viscous", "fv", "viscous friction", Unit::Damping, Must::NotNegative, Amount),
    Field::new("friction.coulomb", "fc", "Coulomb friction", Unit::Torque, Must::NotNegative, Amount),
    Field::new("friction.static", "fs", "static friction", Unit::Torque, Must::NotNegative, Amount),
    Field::new("friction.stribeck_velocity", "vs", "Stribeck velocity", Unit::Speed, Must::Positive, Amount),
    Field::new("friction.smoothing_velocity", "vo", "smoothing velocity", Unit::Speed, Must::Positive, Known),
];

/// Parameters of the friction torque at one motor, all at the joint side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction<S> {
    /// N m s/rad.
    pub viscous: S,
    /// Coulomb (dry) friction, N m.
    pub coulomb: S,
    /// Static (break-away) friction, N m; equal to `coulomb` where there is no Stribeck effect.
    pub static_friction: S,
    /// Stribeck velocity `v_s`, rad/s.
    pub stribeck_velocity: S,
    /// `v_0`, rad/s: below about this speed the sign of the velocity is smoothed by tanh.
    pub smoothing_velocity: S,
}

impl Friction<f64> {
    /// No friction at all.
    pub const NONE: Self =
        Self { viscous: 0.0, coulomb: 0.0, static_friction: 0.0, stribeck_velocity: 0.1, smoothing_velocity: 1e-3 };
}

impl<S> Friction<S> {
    /// Visits its parameters as `fields`: [`FIELDS`], or the same with other keys.
    pub fn visit(&mut self, fields: &'static [Field; 5], place: Place, visit: &mut Visit<'_, S>) {
        let Self { viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity } = self;
        let slots = [viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity];
        for (field, slot) in fields.iter().zip(slots) {
            visit(field, place, Slot::Number(slot));
        }
    }
}

impl<S: Scalar> Friction<S> {
    /// `τ_f = viscous·q̇ + [coulomb + (static − coulomb)·exp(−(q̇/v_s)²)]·tanh(q̇/v_0)`: what the motor has to supply.
    #[inline(always)]
    pub fn torque(&self, qd: S) -> S {
        let stribeck = (-(qd / self.stribeck_velocity).square()).exp();
        let dry = self.coulomb + (self.static_friction - self.coulomb) * stribeck;
        self.viscous * qd + dry * (qd / self.smoothing_velocity).tanh()
    }

    /// The same parameters as scalars of another kind.
    #[inline(always)]
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Friction<T> {
        Friction {
            viscous: f(self.viscous),
            coulomb: f(self.coulomb),
            static_friction: f(self.static_friction),
            stribeck_velocity: f(self.stribeck_velocity),
            smoothing_velocity: f(self.smoothing_velocity),
        }
    }
}
