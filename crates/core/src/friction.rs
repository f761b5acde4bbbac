//! Friction at a motor: viscous, Coulomb and Stribeck, smooth through standstill, and a law of one's own.
//!
//! What is measured at a motor need not look like [`Friction`]: implement [`FrictionLaw`] and give it as
//! [`Friction::own`]. Every robot, mechanism, planner and closed loop then has it.

use crate::parameter::Tolerance::{Amount, Known};
use crate::parameter::{ByFunction, ByVisit, Convert, Field, Must, Place, Unit, Visit, numbers};
use crate::scalar::{Dual, Scalar};
use core::fmt::Debug;
use core::ptr;

/// The parameters, in the order of [`Friction`]; their keys are those of the table `friction`.
pub static FIELDS: [Field; 5] = [
    Field::new("friction.viscous", "fv", "viscous friction", Unit::Damping, Must::NotNegative, Amount),
    Field::new("friction.coulomb", "fc", "Coulomb friction", Unit::Torque, Must::NotNegative, Amount),
    Field::new("friction.static", "fs", "static friction", Unit::Torque, Must::NotNegative, Amount).that_follows(),
    Field::new("friction.stribeck_velocity", "vs", "Stribeck velocity", Unit::Speed, Must::Positive, Amount),
    Field::new("friction.smoothing_velocity", "vo", "smoothing velocity", Unit::Speed, Must::Positive, Known),
];

/// The same in the table of a motor.
pub(crate) static MOTOR_FIELDS: [Field; 5] = [
    Field { key: "motor.friction.viscous", ..FIELDS[0] },
    Field { key: "motor.friction.coulomb", ..FIELDS[1] },
    Field { key: "motor.friction.static", ..FIELDS[2] },
    Field { key: "motor.friction.stribeck_velocity", ..FIELDS[3] },
    Field { key: "motor.friction.smoothing_velocity", ..FIELDS[4] },
];

/// Friction at a motor as a function of the joint's speed: what one brings from outside.
///
/// Formulas ask it with numbers of every kind; a value and a slope are enough for all of them but second derivatives, which
/// are NaN, and programs, which cannot be derived.
pub trait FrictionLaw: Debug + Sync {
    /// What the motor has to supply at a speed (rad/s, m/s), N m (N).
    fn torque(&self, speed: f64) -> f64;

    /// The derivative of [`FrictionLaw::torque`], N m s/rad.
    fn slope(&self, speed: f64) -> f64;

    /// What a motor at rest has to overcome before it moves, N m (N).
    fn break_away(&self) -> f64;

    /// The largest slope; simulations step accordingly. Usually it is that at standstill.
    fn steepest(&self) -> f64 {
        self.slope(0.0)
    }

    /// The least and the largest speed, of either sign, at which the torque may turn from rising to falling. Planners look
    /// between them for its extremes, in steps of 2 %.
    fn turns_between(&self) -> [f64; 2] {
        [1e-6, 1e3]
    }
}

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
    /// A law of one's own, which is added.
    pub own: Option<&'static dyn FrictionLaw>,
}

/// Laws are compared by address.
impl PartialEq for dyn FrictionLaw {
    fn eq(&self, other: &Self) -> bool {
        ptr::addr_eq(self, other)
    }
}

impl Friction<f64> {
    /// No friction at all.
    pub const NONE: Self = Self {
        viscous: 0.0,
        coulomb: 0.0,
        static_friction: 0.0,
        stribeck_velocity: 0.1,
        smoothing_velocity: 1e-3,
        own: None,
    };

    /// Its part without dry friction: viscous, and a law of one's own that holds nothing at rest.
    #[must_use]
    pub fn without_dry(&self) -> Self {
        Self { viscous: self.viscous, own: self.own.filter(|law| law.break_away() == 0.0), ..Self::NONE }
    }

    /// A law of one's own alone.
    pub const fn own(law: &'static dyn FrictionLaw) -> Self {
        Self { own: Some(law), ..Self::NONE }
    }

    /// None, but for the static friction: it is the Coulomb friction where a file does not say it.
    pub fn of_empty_file() -> Self {
        Self { static_friction: f64::NAN, ..Self::NONE }
    }

    /// The friction of a file: what is left out follows, and friction that is zero is none.
    pub fn of_file(self) -> Option<Self> {
        let static_friction = if self.static_friction.is_nan() { self.coulomb } else { self.static_friction };
        let any = self.viscous != 0.0 || self.coulomb != 0.0 || static_friction != 0.0;
        any.then_some(Self { static_friction, ..self })
    }
}

impl FrictionLaw for Friction<f64> {
    fn torque(&self, speed: f64) -> f64 {
        Self::torque(self, speed)
    }

    fn slope(&self, speed: f64) -> f64 {
        self.map(Dual::<f64, 1>::constant).torque(Dual::variable(speed, 0)).derivative[0]
    }

    fn break_away(&self) -> f64 {
        self.coulomb.max(self.static_friction) + self.own.map_or(0.0, |law| law.break_away())
    }

    fn steepest(&self) -> f64 {
        let dry = self.static_friction.max(self.coulomb) / self.smoothing_velocity;
        dry + self.viscous + self.own.map_or(0.0, |law| law.steepest())
    }

    /// Below, friction is a straight line; above, tanh and Stribeck's exponential have nothing left to change.
    fn turns_between(&self) -> [f64; 2] {
        let (v0, vs) = (self.smoothing_velocity, self.stribeck_velocity);
        let [low, high] = [1e-3 * v0.min(vs), 8.0 * v0.max(vs)];
        self.own.map(|law| law.turns_between()).map_or([low, high], |[least, most]| [low.min(least), high.max(most)])
    }
}

impl<S: Scalar> Friction<S> {
    /// `τ_f = viscous·q̇ + [coulomb + (static − coulomb)·exp(−(q̇/v_s)²)]·tanh(q̇/v_0)`, and what a law of one's own adds: what the
    /// motor has to supply.
    #[inline(always)]
    pub fn torque(&self, qd: S) -> S {
        S::step(|| {
            let stribeck = || (-(qd / self.stribeck_velocity).square()).exp();
            let dry = self.coulomb + (self.static_friction - self.coulomb).times_what(stribeck);
            let torque = self.viscous * qd + dry.times_what(|| (qd / self.smoothing_velocity).tanh());
            match self.own {
                Some(law) => torque + qd.through(&|speed| [law.torque(speed), law.slope(speed)]),
                None => torque,
            }
        })
    }

    /// Converts its parameters as `fields`: [`FIELDS`], or the same with other keys.
    #[inline(always)]
    pub(crate) fn convert<T: Scalar>(
        &self,
        fields: &'static [Field; 5],
        place: Place,
        each: &mut (impl Convert<S, T> + ?Sized),
    ) -> Friction<T> {
        let Self { viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity, own } = *self;
        let given = [viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity];
        let [viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity] =
            numbers(each, fields, place, given);
        Friction { viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity, own }
    }

    /// Visits its parameters as `fields`.
    pub fn visit(&mut self, fields: &'static [Field; 5], place: Place, visit: &mut Visit<'_, S>) {
        *self = self.convert(fields, place, &mut ByVisit(visit));
    }

    /// The same parameters as scalars of another kind.
    #[inline(always)]
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> Friction<T> {
        self.convert(&FIELDS, Place::WHOLE, &mut ByFunction(f))
    }
}
