//! The matrix Y of parallel robots: arms, rods, carriages and struts, rotors, the platform and what it carries.

use super::{ParallelRobot, moving};
use crate::parallel::{Chain, LegParameters, Parallel, ParallelParameters, Rod, SlenderBody};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, InvalidParameters, State};
use crate::serial::Body;
use crate::spatial::Wrench;

#[derive(Debug)]
struct LegsRegressor<const N: usize> {
    robot: ParallelRobot<N>,
    columns: Columns<Parallel<f64, N>>,
}

/// A long body of a leg: its name, the end that it is measured from, and its three numbers.
type Long<'l> = (&'static str, &'static str, [&'l mut f64; 3]);

/// The long bodies of a leg, and its carriage.
fn parts(leg: &mut LegParameters<f64>) -> (Vec<Long<'_>>, Option<&mut f64>) {
    fn bar<'l>(name: &'static str, end: &'static str, bar: &'l mut SlenderBody<f64>) -> Long<'l> {
        (name, end, [&mut bar.mass, &mut bar.center_of_mass, &mut bar.inertia])
    }
    fn of_rod(rod: &mut Rod<f64>) -> Long<'_> {
        ("rod", "end at the motor", [&mut rod.mass, &mut rod.center_of_mass, &mut rod.inertia])
    }
    match &mut leg.chain {
        Chain::Rotary { arm, rod, .. } => (vec![bar("arm", "axis", arm), of_rod(rod)], None),
        Chain::Slider { carriage, rod, .. } => (vec![of_rod(rod)], Some(carriage)),
        Chain::Strut { cylinder, piston } => {
            let (cylinder, piston) = (bar("cylinder", "joint", cylinder), bar("piston", "joint", piston));
            (vec![cylinder, piston], None)
        }
    }
}

fn empty(mut leg: LegParameters<f64>) -> LegParameters<f64> {
    let (long, carriage) = parts(&mut leg);
    long.into_iter().flat_map(|(_, _, numbers)| numbers).chain(carriage).for_each(|number| *number = 0.0);
    (leg.motor.rotor_inertia, leg.motor.friction) = (0.0, None);
    leg
}

impl<const N: usize> ParallelRobot<N> {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        Box::new(LegsRegressor { robot: self.clone(), columns: self.regressor_columns() })
    }

    pub(super) fn regressor_columns(&self) -> Columns<Parallel<f64, N>> {
        let mut own = *self.robot.parameters();
        let bodies = ParallelParameters { platform: Body::zero(), payload: Body::zero(), ..own };
        let nothing = ParallelParameters { legs: own.legs.map(empty), ..bodies };
        let mut columns = Columns::new();
        for i in 0..N {
            let number = i + 1;
            let with = |change: &dyn Fn(&mut LegParameters<f64>)| {
                let mut parameters = nothing;
                change(&mut parameters.legs[i]);
                Parallel::new(parameters)
            };
            let (rotor, slides) = (own.legs[i].reflected_rotor_inertia(), own.legs[i].slides());
            let (long, carriage) = parts(&mut own.legs[i]);
            for (k, (name, end, numbers)) in long.into_iter().enumerate() {
                let (symbol, about) = (format!("{name}{number}"), format!("{name} {number}"));
                columns.line(&symbol, about, end, numbers.map(|number| *number), |line| {
                    with(&|leg| {
                        let place = parts(leg).0.swap_remove(k).2;
                        place.into_iter().zip(line).for_each(|(place, value)| *place = value);
                    })
                });
            }
            if let Some(mass) = carriage {
                let robot = with(&|leg| {
                    if let (_, Some(carriage)) = parts(leg) {
                        *carriage = 1.0;
                    }
                });
                let (name, about) = (format!("m_carriage{number}"), format!("carriage {number}, mass"));
                columns.number(name, "kg", about, *mass, Owner::Body, robot);
            }
            let robot = with(&|leg| leg.motor.rotor_inertia = 1.0 / leg.motor.gear_ratio.powi(2));
            let about = format!("rotor and drive of joint {number}, at the joint");
            let unit = if slides { "kg" } else { "kg m^2" };
            columns.number(format!("Ia{number}"), unit, about, rotor, Owner::Rotor(i), robot);
        }
        let with = |platform: Body<f64>, payload: Body<f64>| {
            Parallel::new(ParallelParameters { platform, payload, ..nothing })
        };
        let bodies = [("platform", Owner::Body, own.platform), ("payload", Owner::Payload, own.payload)];
        for (name, owner, body) in bodies {
            let robot = |body: Body<f64>| match owner {
                Owner::Payload => with(Body::zero(), body),
                _ => with(body, Body::zero()),
            };
            if ParallelParameters::<f64, N>::TURNS {
                columns.body(&format!("_{name}"), name.to_owned(), owner, &body, robot);
            } else {
                let robot = robot(Body { mass: 1.0, ..Body::zero() });
                columns.number(format!("m_{name}"), "kg", format!("{name}, mass"), body.mass, owner, robot);
            }
        }
        columns
    }
}

impl<const N: usize> Regressor for LegsRegressor<N> {
    fn terms(&self) -> &[Term] {
        &self.columns.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.columns.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        // All have the same legs: they move alike.
        let own = moving(&self.robot.robot, state);
        self.columns.fill(N, y, |robot, torque| {
            let mut other = own;
            other.pose.robot = robot;
            torque.copy_from_slice(&other.torque(state.tool.acceleration, Wrench::zero()));
        });
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut values = Values(values);
        let mut parameters = *self.robot.robot.parameters();
        for (i, leg) in parameters.legs.iter_mut().enumerate() {
            let (long, carriage) = parts(leg);
            for (name, _, numbers) in long {
                let line = values.line(&format!("{name} {}", i + 1))?;
                numbers.into_iter().zip(line).for_each(|(place, value)| *place = value);
            }
            if let Some(carriage) = carriage {
                *carriage = values.number();
            }
            leg.motor.rotor_inertia = values.number() / leg.motor.gear_ratio.powi(2);
        }
        if ParallelParameters::<f64, N>::TURNS {
            (parameters.platform, parameters.payload) = (values.body("the platform")?, values.body("the payload")?);
        } else {
            (parameters.platform.mass, parameters.payload.mass) = (values.number(), values.number());
        }
        self.robot.changed(|own| *own = parameters)
    }
}
