//! The matrix Y of Deltas: every arm and rod as a body on a line, elbow masses, rotors, damping of the passive joints,
//! platform and payload.

use super::moving;
use crate::delta::{ArmParameters, Delta, Forearm, Parameters, UpperArm};
use crate::robot::families::{DeltaRobot, Follows};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, InvalidParameters, State};

#[derive(Debug)]
struct DeltaRegressor {
    robot: DeltaRobot,
    columns: Columns<Delta<f64>>,
}

fn empty(arm: ArmParameters<f64>) -> ArmParameters<f64> {
    let mut empty = arm;
    empty.upper_arm = UpperArm { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, elbow_mass: None, ..arm.upper_arm };
    empty.forearm = Forearm { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, ..arm.forearm };
    (empty.motor.rotor_inertia, empty.motor.friction, empty.passive_damping) = (0.0, None, None);
    empty
}

impl DeltaRobot {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        Box::new(DeltaRegressor { robot: self.clone(), columns: self.regressor_columns() })
    }

    pub(super) fn regressor_columns(&self) -> Columns<Delta<f64>> {
        let own = *self.delta.parameters();
        let nothing = Parameters { arms: own.arms.map(empty), platform_mass: 0.0, payload_mass: 0.0, ..own };
        let mut columns = Columns::new();
        for (i, arm) in own.arms.iter().enumerate() {
            let number = i + 1;
            let with = |change: &dyn Fn(&mut ArmParameters<f64>)| {
                let mut parameters = nothing;
                change(&mut parameters.arms[i]);
                Delta::new(parameters)
            };
            let UpperArm { mass, center_of_mass, inertia, .. } = arm.upper_arm;
            let (symbol, about) = (format!("arm{number}"), format!("upper arm {number}"));
            columns.line(&symbol, about, "upper end", [mass, center_of_mass, inertia], |line| {
                with(&|arm| [arm.upper_arm.mass, arm.upper_arm.center_of_mass, arm.upper_arm.inertia] = line)
            });
            if let Some(mass) = arm.upper_arm.elbow_mass {
                let robot = with(&|arm| arm.upper_arm.elbow_mass = Some(1.0));
                let (name, about) = (format!("m_elbow{number}"), format!("elbow {number}, mass"));
                columns.number(name, "kg", about, mass, Owner::Body, robot);
            }
            let robot = with(&|arm| arm.motor.rotor_inertia = 1.0 / arm.motor.gear_ratio.powi(2));
            let about = format!("rotor and drive of joint {number}, at the joint");
            let rotor = arm.reflected_rotor_inertia();
            columns.number(format!("Ia{number}"), "kg m^2", about, rotor, Owner::Rotor(i), robot);
            let Forearm { mass, center_of_mass, inertia, .. } = arm.forearm;
            let (symbol, about) = (format!("rod{number}"), format!("forearm {number}"));
            columns.line(&symbol, about, "upper end", [mass, center_of_mass, inertia], |line| {
                with(&|arm| [arm.forearm.mass, arm.forearm.center_of_mass, arm.forearm.inertia] = line)
            });
            if let Some(damping) = arm.passive_damping {
                let robot = with(&|arm| arm.passive_damping = Some(1.0));
                let about = format!("forearm {number}, damping of its passive joints");
                columns.number(format!("fp{number}"), "N m s/rad", about, damping, Owner::Damping, robot);
            }
        }
        let platform = Delta::new(Parameters { platform_mass: 1.0, ..nothing });
        let about = "platform, mass".to_owned();
        columns.number("m_platform".into(), "kg", about, own.platform_mass, Owner::Body, platform);
        let payload = Delta::new(Parameters { payload_mass: 1.0, ..nothing });
        let about = "payload, mass".to_owned();
        columns.number("m_payload".into(), "kg", about, own.payload_mass, Owner::Payload, payload);
        columns
    }
}

impl Regressor for DeltaRegressor {
    fn terms(&self) -> &[Term] {
        &self.columns.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.columns.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let acceleration = state.tool.acceleration.linear;
        // All have the same lengths: they are in the same pose.
        let own = moving(&self.robot.delta, state);
        self.columns.fill(3, y, |delta, torque| {
            // Without friction at motors this is the rigid torque and the damping of passive joints.
            let mut other = own;
            other.pose.robot = delta;
            torque.copy_from_slice(&other.torque(acceleration));
        });
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut values = Values(values);
        let mut parameters = *self.robot.delta.parameters();
        for (i, arm) in parameters.arms.iter_mut().enumerate() {
            let line = values.line(&format!("upper arm {}", i + 1))?;
            [arm.upper_arm.mass, arm.upper_arm.center_of_mass, arm.upper_arm.inertia] = line;
            arm.upper_arm.elbow_mass = arm.upper_arm.elbow_mass.map(|_| values.number());
            arm.motor.rotor_inertia = values.number() / arm.motor.gear_ratio.powi(2);
            let line = values.line(&format!("forearm {}", i + 1))?;
            [arm.forearm.mass, arm.forearm.center_of_mass, arm.forearm.inertia] = line;
            arm.passive_damping = arm.passive_damping.map(|_| values.number());
        }
        (parameters.platform_mass, parameters.payload_mass) = (values.number(), values.number());
        let robot =
            self.robot.changed(|own| *own = parameters).map_err(|error| InvalidParameters(error.to_string()))?;
        // Now every number is its own.
        let follows = Follows { static_friction: robot.follows.static_friction, ..Follows::default() };
        Ok(Box::new(DeltaRobot { follows, ..robot }))
    }
}
