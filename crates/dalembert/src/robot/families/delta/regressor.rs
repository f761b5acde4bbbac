//! The matrix Y of Deltas: every arm and rod as a body on a line, elbow masses, rotors, damping of the passive joints,
//! platform and payload.

use super::moving;
use crate::delta::{ArmParameters, Delta, Forearm, Parameters, UpperArm};
use crate::robot::families::{DeltaRobot, Follows};
use crate::robot::regressor::{Matter, Owner, Regressor, Term, Unit, fill_by_units};
use crate::robot::{Family, Impossible, State};

#[derive(Debug)]
struct DeltaRegressor {
    robot: DeltaRobot,
    terms: Vec<Term>,
    matter: Vec<(String, Matter)>,
    units: Vec<Unit<Delta<f64>>>,
}

/// Mass, first moment and inertia about the origin of a body on a line.
fn about_origin([mass, center, inertia]: [f64; 3]) -> [f64; 3] {
    [mass, mass * center, inertia + mass * center * center]
}

/// Mass, centre and inertia about it.
fn about_center([mass, moment, inertia]: [f64; 3], name: &str) -> Result<[f64; 3], Impossible> {
    if [mass, moment, inertia] == [0.0; 3] {
        return Ok([0.0; 3]);
    }
    if mass.is_nan() || mass <= 0.0 {
        return Err(Impossible(format!("{name} would have the mass {mass} kg")));
    }
    let center = moment / mass;
    Ok([mass, center, inertia - moment * center])
}

fn empty(arm: ArmParameters<f64>) -> ArmParameters<f64> {
    let mut empty = arm;
    empty.upper_arm = UpperArm { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, elbow_mass: None, ..arm.upper_arm };
    empty.forearm = Forearm { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, ..arm.forearm };
    (empty.motor.rotor_inertia, empty.motor.friction, empty.passive_damping) = (0.0, None, None);
    empty
}

impl DeltaRegressor {
    fn add(&mut self, term: Term, minus: Option<usize>, parameters: Parameters<f64>) -> usize {
        self.terms.push(term);
        self.units.push(Unit { robot: Delta::new(parameters), minus });
        self.terms.len() - 1
    }

    fn add_line(
        &mut self,
        about: &str,
        symbol: &str,
        arm: usize,
        own: [f64; 3],
        set: impl Fn(&mut ArmParameters<f64>, [f64; 3]),
        nothing: &Parameters<f64>,
    ) {
        let values = about_origin(own);
        let about = format!("{about} {}", arm + 1);
        let first = self.terms.len();
        let with = |numbers: [f64; 3]| {
            let mut parameters = *nothing;
            set(&mut parameters.arms[arm], numbers);
            parameters
        };
        let term = |name: String, unit, meaning: &str, value| {
            let meaning = format!("{about}, {meaning}");
            Term { name: format!("{name}_{symbol}{}", arm + 1), unit, meaning, value, owner: Owner::Body }
        };
        self.add(term("m".into(), "kg", "mass", values[0]), None, with([1.0, 0.0, 0.0]));
        let moment = term("mx".into(), "kg m", "first moment along it", values[1]);
        self.add(moment, Some(first), with([1.0, 1.0, -1.0]));
        let inertia = term("I".into(), "kg m^2", "inertia about its upper end", values[2]);
        self.add(inertia, None, with([0.0, 0.0, 1.0]));
        self.matter.push((about, Matter::Line([first, first + 1, first + 2])));
    }

    fn add_number(
        &mut self,
        name: String,
        unit: &'static str,
        about: String,
        value: f64,
        owner: Owner,
        unit_robot: Parameters<f64>,
    ) {
        let index = self.add(Term { name, unit, meaning: about.clone(), value, owner }, None, unit_robot);
        self.matter.push((about, Matter::Positive(index)));
    }
}

impl DeltaRobot {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        let own = *self.delta.parameters();
        let nothing = Parameters { arms: own.arms.map(empty), platform_mass: 0.0, payload_mass: 0.0, ..own };
        let mut all = DeltaRegressor { robot: self.clone(), terms: Vec::new(), matter: Vec::new(), units: Vec::new() };
        for i in 0..3 {
            let (number, arm) = (i + 1, &own.arms[i]);
            let UpperArm { mass, center_of_mass, inertia, .. } = arm.upper_arm;
            let set = |arm: &mut ArmParameters<f64>, [mass, center, inertia]: [f64; 3]| {
                (arm.upper_arm.mass, arm.upper_arm.center_of_mass, arm.upper_arm.inertia) = (mass, center, inertia);
            };
            all.add_line("upper arm", "arm", i, [mass, center_of_mass, inertia], set, &nothing);
            if let Some(mass) = arm.upper_arm.elbow_mass {
                let mut unit = nothing;
                unit.arms[i].upper_arm.elbow_mass = Some(1.0);
                let about = format!("elbow {number}, mass");
                all.add_number(format!("m_elbow{number}"), "kg", about, mass, Owner::Body, unit);
            }
            let mut unit = nothing;
            unit.arms[i].motor.rotor_inertia = 1.0 / arm.motor.gear_ratio.powi(2);
            let about = format!("rotor and drive of joint {number}, at the joint");
            let rotor = arm.reflected_rotor_inertia();
            all.add_number(format!("Ia{number}"), "kg m^2", about, rotor, Owner::Rotor(i), unit);
            let Forearm { mass, center_of_mass, inertia, .. } = arm.forearm;
            let set = |arm: &mut ArmParameters<f64>, [mass, center, inertia]: [f64; 3]| {
                (arm.forearm.mass, arm.forearm.center_of_mass, arm.forearm.inertia) = (mass, center, inertia);
            };
            all.add_line("forearm", "rod", i, [mass, center_of_mass, inertia], set, &nothing);
            if let Some(damping) = arm.passive_damping {
                let mut unit = nothing;
                unit.arms[i].passive_damping = Some(1.0);
                let about = format!("forearm {number}, damping of its passive joints");
                all.add_number(format!("fp{number}"), "N m s/rad", about, damping, Owner::Damping, unit);
            }
        }
        let platform = Parameters { platform_mass: 1.0, ..nothing };
        all.add_number("m_platform".into(), "kg", "platform, mass".into(), own.platform_mass, Owner::Body, platform);
        let payload = Parameters { payload_mass: 1.0, ..nothing };
        all.add_number("m_payload".into(), "kg", "payload, mass".into(), own.payload_mass, Owner::Payload, payload);
        Box::new(all)
    }
}

impl Regressor for DeltaRegressor {
    fn terms(&self) -> &[Term] {
        &self.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let acceleration = state.tool.acceleration.linear;
        fill_by_units(&self.units, 3, y, |delta, torque| {
            // Without friction at motors this is the rigid torque and the damping of passive joints.
            torque.copy_from_slice(&moving(delta, state).torque(acceleration));
        });
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, Impossible> {
        let mut values = values.iter().copied();
        let mut next = || values.next().unwrap_or(0.0);
        let mut parameters = *self.robot.delta.parameters();
        for (i, arm) in parameters.arms.iter_mut().enumerate() {
            let line = about_center([next(), next(), next()], &format!("upper arm {}", i + 1))?;
            [arm.upper_arm.mass, arm.upper_arm.center_of_mass, arm.upper_arm.inertia] = line;
            arm.upper_arm.elbow_mass = arm.upper_arm.elbow_mass.map(|_| next());
            arm.motor.rotor_inertia = next() / arm.motor.gear_ratio.powi(2);
            let line = about_center([next(), next(), next()], &format!("forearm {}", i + 1))?;
            [arm.forearm.mass, arm.forearm.center_of_mass, arm.forearm.inertia] = line;
            arm.passive_damping = arm.passive_damping.map(|_| next());
        }
        (parameters.platform_mass, parameters.payload_mass) = (next(), next());
        let robot = self.robot.changed(|own| *own = parameters).map_err(|error| Impossible(error.to_string()))?;
        // Now every number is its own.
        let follows = Follows { static_friction: robot.follows.static_friction, ..Follows::default() };
        Ok(Box::new(DeltaRobot { follows, ..robot }))
    }
}
