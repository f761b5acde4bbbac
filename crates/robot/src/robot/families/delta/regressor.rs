//! The matrix Y of Deltas: every arm and rod as a body on a line (an arm with its centre of mass beside its line as one in a
//! plane), elbow masses, rotors, damping of the passive joints, platform and payload.

use super::moving;
use crate::delta::{Delta, Forearm, Parameters, UpperArm};
use crate::robot::families::{DeltaRobot, Follows};
use crate::robot::regressor::{Columns, MassPart, Owner, Regressor, set_terms};
use crate::robot::{Family, InvalidParameters, State};

/// A number that an arm may not have; zero is none.
fn some(number: f64) -> Option<f64> {
    (number != 0.0).then_some(number)
}

/// What of a Delta torques are linear in.
fn parts<'p>(robot: &DeltaRobot, parameters: &'p mut Parameters<f64>) -> Vec<MassPart<'p>> {
    let mut all = Vec::new();
    for (i, arm) in parameters.arms.iter_mut().enumerate() {
        let (n, own, gear_ratio) = (i + 1, &robot.delta.parameters().arms[i], arm.motor.gear_ratio);
        let UpperArm { mass, center_of_mass, center_of_mass_offset, inertia, elbow_mass, .. } = &mut arm.upper_arm;
        let (symbol, about) = (format!("arm{n}"), format!("upper arm {n}"));
        all.push(match center_of_mass_offset {
            // x along the arm, y beside it.
            Some(offset) => {
                MassPart::planar(&symbol, &about, Owner::Body, [mass, center_of_mass, offset, inertia], true)
            }
            None => MassPart::line(symbol, about, "upper end", [mass, center_of_mass, inertia]),
        });
        if let Some(mass) = own.upper_arm.elbow_mass {
            let (name, about) = (format!("m_elbow{n}"), format!("elbow {n}, mass"));
            all.push(MassPart::number(name, "kg", about, Owner::Body, mass, |mass| *elbow_mass = some(mass)));
        }
        let rotor = own.reflected_rotor_inertia();
        all.push(MassPart::rotor(i, "kg m^2", rotor, &mut arm.motor.rotor_inertia, gear_ratio));
        let Forearm { mass, center_of_mass, inertia, .. } = &mut arm.forearm;
        let numbers = [mass, center_of_mass, inertia];
        all.push(MassPart::line(format!("rod{n}"), format!("forearm {n}"), "upper end", numbers));
        if let Some(damping) = own.passive_damping {
            let (name, about) = (format!("fp{n}"), format!("forearm {n}, damping of its passive joints"));
            let set = |damping| arm.passive_damping = some(damping);
            all.push(MassPart::number(name, "N m s/rad", about, Owner::Damping, damping, set));
        }
    }
    let Parameters { platform_mass, payload_mass, .. } = parameters;
    for (name, owner, mass) in [("platform", Owner::Body, platform_mass), ("payload", Owner::Payload, payload_mass)] {
        let (symbol, about, value) = (format!("m_{name}"), format!("{name}, mass"), *mass);
        all.push(MassPart::number(symbol, "kg", about, owner, value, |value| *mass = value));
    }
    all
}

impl DeltaRobot {
    pub(super) fn matrix(&self) -> Regressor {
        let (columns, robot, own) = (self.regressor_columns(), self.clone(), self.delta);
        let (terms, matter) = (columns.terms.clone(), columns.matter.clone());
        let fill = move |state: &State, y: &mut [f64]| {
            // All have the same lengths: they are in the same pose.
            let own = moving(&own, state);
            columns.fill(3, y, |delta, torque| {
                // Without friction at motors this is the rigid torque and the damping of passive joints.
                let mut other = own;
                other.pose.robot = delta;
                torque.copy_from_slice(&other.torque(state.tool.acceleration.linear));
            });
        };
        Regressor::new(terms, matter, fill, move |values| robot.with_terms(values))
    }

    fn with_terms(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut parameters = *self.delta.parameters();
        set_terms(parts(self, &mut parameters), values)?;
        let changed = self.changed(|own| *own = parameters).map_err(|error| InvalidParameters(error.to_string()))?;
        // Now every number is its own.
        let follows = Follows { static_friction: changed.follows.static_friction, ..Follows::default() };
        Ok(Box::new(DeltaRobot { follows, ..changed }))
    }

    pub(super) fn regressor_columns(&self) -> Columns<Delta<f64>> {
        let mut own = *self.delta.parameters();
        own.arms.iter_mut().for_each(|arm| arm.motor.friction = None);
        Columns::of(self, &own, parts, |_, parameters| Delta::new(parameters), 0)
    }
}
