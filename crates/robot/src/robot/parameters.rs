//! Torques as a function of a robot's parameters: what sensitivities and tolerances are computed from.
//!
//! The parameters are those that a family visits ([`crate::parameter`]); the function is generic over the scalar like every
//! formula: with dual numbers it gives the derivatives, with plain ones a sample of a Monte Carlo run.

use crate::parameter::{Field, Place, Slot, Tolerance, Visit};
use crate::{Dual, Scalar};

/// A number of a robot file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As in the file, with the arm or link where it belongs to one: `upper_arm.mass`, `link2.mass`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// What its tolerance can be.
    pub tolerance: Tolerance,
    /// Its value.
    pub value: f64,
    /// Half width of the tolerance that the robot's file gives; zero where it gives none.
    pub half_width: f64,
}

impl Parameter {
    /// Half width of a tolerance that is a `share` of amounts and an `angle` of angles, rad.
    pub fn half_width(&self, share: f64, angle: f64) -> f64 {
        match self.tolerance {
            Tolerance::Amount => self.value.abs() * share,
            Tolerance::Angle => angle,
            Tolerance::Known | Tolerance::None => 0.0,
        }
    }
}

/// The torques of one or more states as a function of parameters.
pub trait TorqueOfParameters: Sync {
    /// The parameters, in the order of the changes.
    fn parameters(&self) -> &[Parameter];

    /// Units of the torques, one per joint: N m, or N where a joint slides.
    fn units(&self) -> Vec<&'static str>;

    /// The torques with every parameter changed by so much: those of the first state, then those of the second …
    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S>;
}

/// The same for the two scalars that analyses ask it with: what can be called through a pointer.
#[allow(missing_docs)] // as in `TorqueOfParameters`
pub trait ParameterTorque: Sync {
    fn parameters(&self) -> &[Parameter];
    fn units(&self) -> Vec<&'static str>;
    fn torque(&self, changes: &[f64]) -> Vec<f64>;
    /// The derivative of the torques with respect to parameter number `k`, exact.
    fn derivative(&self, k: usize) -> Vec<f64>;
}

impl<T: TorqueOfParameters> ParameterTorque for T {
    fn parameters(&self) -> &[Parameter] {
        TorqueOfParameters::parameters(self)
    }
    fn units(&self) -> Vec<&'static str> {
        TorqueOfParameters::units(self)
    }
    fn torque(&self, changes: &[f64]) -> Vec<f64> {
        TorqueOfParameters::torque(self, changes)
    }
    fn derivative(&self, k: usize) -> Vec<f64> {
        let mut changes = vec![Dual::<f64, 1>::constant(0.0); TorqueOfParameters::parameters(self).len()];
        changes[k] = Dual::variable(0.0, 0);
        TorqueOfParameters::torque(self, &changes).iter().map(|t| t.derivative[0]).collect()
    }
}

/// The name of a number within its arm, link or robot: the key, and its component where it has one.
pub(crate) fn label(field: &Field, place: Place) -> String {
    match place.component.and_then(|k| field.components.get(k)) {
        Some(component) => format!("{} {component}", field.key),
        None => field.key.to_owned(),
    }
}

/// A number of a robot: what it is, which of the robot's arms or links it belongs to, and its value in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// What it is.
    pub field: &'static Field,
    /// Whose it is.
    pub place: Place,
    /// An angle in rad.
    pub value: f64,
}

/// Everything that a visit comes by; an angle in rad, of a rotation the angle that `rotation` tells.
pub(crate) fn visited(
    visit_all: impl FnOnce(&mut Visit<'_, f64>),
    rotation: impl Fn(&crate::Mat3<f64>) -> [f64; 3],
) -> Vec<Number> {
    let mut all = Vec::new();
    visit_all(&mut |field, place, slot| {
        let value = match slot {
            Slot::Number(value) => *value,
            Slot::Angle(angle) => angle.radians(),
            Slot::Rotation(matrix) => rotation(matrix)[place.component.unwrap_or(0)],
        };
        all.push(Number { field, place, value });
    });
    all
}

/// Moves what a visit comes by, each by what `by` says of it; a rotation stays.
pub(crate) fn moved(visit_all: impl FnOnce(&mut Visit<'_, f64>), by: &dyn Fn(&Number) -> f64) {
    visit_all(&mut |field, place, slot| {
        let value = match &slot {
            Slot::Number(value) => **value,
            Slot::Angle(angle) => angle.radians(),
            Slot::Rotation(_) => 0.0,
        };
        let by = by(&Number { field, place, value });
        if by != 0.0 {
            add(slot, by);
        }
    });
}

/// Adds to a number; a rotation is left to whoever knows its angles.
pub(crate) fn add<S: Scalar>(slot: Slot<'_, S>, by: S) {
    match slot {
        Slot::Number(value) => *value = *value + by,
        Slot::Angle(angle) => (angle.sin, angle.cos) = angle.added_to(by.sin_cos()),
        Slot::Rotation(_) => {}
    }
}
