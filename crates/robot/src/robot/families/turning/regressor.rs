//! The matrix Y of a robot with a fourth axis: that of the robot below, and columns for what moves with the axis. What the axis
//! asks of the platform goes to the other motors by the robot's own Jᵀ.

use super::{Translating, TurningRobot, four, of_robot};
use crate::Vec3;
use crate::dynamics::State as _;
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, InvalidParameters, State, StateError};
use crate::spatial::Wrench;
use crate::turning::{Asked, AxisState, FourthAxis, Shaft, ShaftBody, TurningLoad};

#[derive(Debug)]
struct TurningRegressor<F> {
    robot: TurningRobot<F>,
    below: Box<dyn Regressor>,
    /// An axis with what it carries, kg.
    columns: Columns<(FourthAxis<f64>, f64)>,
    terms: Vec<Term>,
    matter: Vec<(String, Matter)>,
}

type PartOf = fn(&mut Shaft<f64>) -> &mut ShaftBody<f64>;

/// Mass, place and inertia about the own centre of what turns with the tool.
fn planar(mass: f64, TurningLoad { center_of_mass: Vec3([x, y, _]), inertia }: TurningLoad<f64>) -> [f64; 4] {
    [mass, x, y, inertia]
}

/// The same as it is described; of its height nobody knows.
fn carried(like: TurningLoad<f64>, [x, y, inertia]: [f64; 3]) -> TurningLoad<f64> {
    TurningLoad { center_of_mass: Vec3::new(x, y, like.center_of_mass[2]), inertia }
}

impl<F: Translating> TurningRobot<F> {
    pub(super) fn matrix(&self) -> Result<Box<dyn Regressor>, StateError> {
        let (own, below) = (self.axis, self.robot.regressor()?);
        let nothing = {
            let empty = |of: TurningLoad<f64>| carried(of, [0.0; 3]);
            let body = ShaftBody { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, axial_inertia: 0.0 };
            let mut axis = own;
            (axis.motor.mass, axis.motor.rotor_inertia, axis.motor.friction) = (0.0, 0.0, None);
            (axis.tool_mass, axis.tool, axis.payload) = (0.0, empty(own.tool), empty(own.payload));
            axis.shaft = own.shaft.map(|shaft| Shaft { tube: body, rod: body, ..shaft });
            axis
        };
        let with = |change: &dyn Fn(&mut FourthAxis<f64>)| {
            let mut axis = nothing;
            change(&mut axis);
            (axis, 0.0)
        };
        let mut columns = Columns::new();
        let mut number = |name: &str, unit, about: &str, value, owner, robot| {
            columns.number(name.to_owned(), unit, about.to_owned(), value, owner, robot);
        };
        if own.shaft.is_none() {
            let about = "motor of the fourth axis, mass";
            number("m_motor4", "kg", about, own.motor.mass, Owner::Body, with(&|axis| axis.motor.mass = 1.0));
        }
        let rotor = with(&|axis| axis.motor.rotor_inertia = 1.0 / axis.motor.gear_ratio.powi(2));
        let about = "rotor and drive of joint 4, at the joint";
        number("Ia4", "kg m^2", about, own.reflected_rotor_inertia(), Owner::Rotor(3), rotor);
        if let Some(shaft) = own.shaft {
            let place: [PartOf; 2] = [|shaft| &mut shaft.tube, |shaft| &mut shaft.rod];
            let parts = [("tube", "upper end", shaft.tube), ("rod", "lower end", shaft.rod)];
            for ((name, end, body), place) in parts.into_iter().zip(place) {
                let part =
                    |body: ShaftBody<f64>| with(&|axis| axis.shaft.iter_mut().for_each(|shaft| *place(shaft) = body));
                let ShaftBody { mass, center_of_mass, inertia, axial_inertia } = body;
                let (symbol, about) = (format!("shaft_{name}"), format!("{name} of the shaft"));
                columns.line(
                    &symbol,
                    about.clone(),
                    end,
                    [mass, center_of_mass, inertia],
                    |[mass, center, inertia]| {
                        part(ShaftBody { mass, center_of_mass: center, inertia, axial_inertia: 0.0 })
                    },
                );
                let robot = part(ShaftBody { mass: 0.0, center_of_mass: 0.0, inertia: 0.0, axial_inertia: 1.0 });
                let about = format!("{about}, inertia about its axis");
                columns.number(format!("Ix_{symbol}"), "kg m^2", about, axial_inertia, Owner::Body, robot);
            }
        }
        let of_tool = |[mass, x, y, inertia]: [f64; 4]| {
            with(&|axis| (axis.tool_mass, axis.tool) = (mass, carried(axis.tool, [x, y, inertia])))
        };
        columns.planar("tool", "tool of the fourth axis", Owner::Body, planar(own.tool_mass, own.tool), true, of_tool);
        // How much is carried is a number of the robot below.
        let count = below.terms().len();
        let is_mass = |term: &Term| term.owner == Owner::Payload && term.unit == "kg";
        let mass = below
            .terms()
            .iter()
            .position(is_mass)
            .ok_or_else(|| StateError::not_offered("a regressor", self.title()))?;
        let of_payload = |[mass, x, y, inertia]: [f64; 4]| {
            let mut axis = nothing;
            axis.payload = carried(axis.payload, [x, y, inertia]);
            (axis, mass)
        };
        let payload = planar(self.robot.payload(), own.payload);
        let first = count + columns.terms.len();
        columns.planar("payload", "payload", Owner::Payload, payload, false, of_payload);
        let terms = below.terms().iter().chain(&columns.terms).cloned().collect();
        let is_payload = |matter: &Matter| *matter == Matter::Positive(mass);
        let own = columns.matter.iter().map(|(name, matter)| (name.clone(), matter.after(count)));
        let whole = ("payload".to_owned(), Matter::Planar([mass, first, first + 1, first + 2]));
        let others = below.matter().iter().filter(|(_, matter)| !is_payload(matter)).cloned();
        let matter = others.chain(own).chain([whole]).collect();
        Ok(Box::new(TurningRegressor { robot: self.clone(), below, columns, terms, matter }))
    }
}

impl<F: Translating> Regressor for TurningRegressor<F> {
    fn terms(&self) -> &[Term] {
        &self.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let (width, count, own) = (self.terms.len(), self.below.terms().len(), self.columns.terms.len());
        let lower = of_robot(state);
        let (mut below, mut axis) = (vec![0.0; 3 * count], vec![0.0; 4 * own]);
        self.below.fill(&lower, &mut below);
        let (here, gravity) = (self.robot.robot.here(&lower), self.robot.robot.gravity());
        let [c, cd, cdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(|all| four(all)[3]);
        let moving = [state.tool.pose.origin, state.tool.velocity.linear];
        self.columns.fill(4, &mut axis, |(axis, payload), torque| {
            let there = AxisState::new(axis, *payload, moving, [c, cd]);
            let Asked { force, torque: about } = there.asked(state.tool.acceleration.linear, cdd, gravity);
            torque[..3].copy_from_slice(&here.torque_of_wrench(Wrench::force(force)));
            torque[3] = about;
        });
        for (i, row) in y.chunks_mut(width).enumerate() {
            let (first, last) = row.split_at_mut(count);
            match below.get(i * count..(i + 1) * count) {
                Some(below) => first.copy_from_slice(below),
                // The robot below asks nothing of the fourth motor.
                None => first.fill(0.0),
            }
            last.copy_from_slice(&axis[i * own..(i + 1) * own]);
        }
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let (of_below, of_axis) = values.split_at(self.below.terms().len().min(values.len()));
        let mut changed = self.robot.with_robot(self.below.robot(of_below))?;
        let mut values = Values(of_axis);
        let axis = &mut changed.axis;
        if axis.shaft.is_none() {
            axis.motor.mass = values.number();
        }
        axis.motor.rotor_inertia = values.number() / axis.motor.gear_ratio.powi(2);
        if let Some(shaft) = &mut axis.shaft {
            for (name, body) in [("tube", &mut shaft.tube), ("rod", &mut shaft.rod)] {
                [body.mass, body.center_of_mass, body.inertia] = values.line(&format!("the {name} of the shaft"))?;
                body.axial_inertia = values.number();
            }
        }
        axis.tool_mass = values.number();
        axis.tool = carried(axis.tool, values.planar(axis.tool_mass, "the tool")?);
        axis.payload = carried(axis.payload, values.planar(changed.robot.payload(), "the payload")?);
        axis.check().map_err(|error| InvalidParameters(error.to_string()))?;
        Ok(Box::new(changed))
    }
}
