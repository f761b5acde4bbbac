//! The matrix Y of parallel robots: arms, rods, carriages and struts, rotors, the platform and what it carries.

use super::{ParallelRobot, moving};
use crate::parallel::{Chain, Parallel, ParallelParameters, Rod, SlenderBody};
use crate::robot::State;
use crate::robot::regressor::{Columns, MassPart, Owner, Regressor, set_terms};
use crate::spatial::Wrench;

/// What of a parallel robot torques are linear in.
fn parts<'p, const N: usize>(
    robot: &ParallelRobot<N>,
    parameters: &'p mut ParallelParameters<f64, N>,
) -> Vec<MassPart<'p>> {
    let mut all = Vec::new();
    for (i, leg) in parameters.legs.iter_mut().enumerate() {
        let (n, own, gear_ratio) = (i + 1, &robot.robot.parameters().legs[i], leg.motor.gear_ratio);
        let mut line = |name: &str, end, numbers| {
            all.push(MassPart::line(format!("{name}{n}"), format!("{name} {n}"), end, numbers));
        };
        let mut bar = |name: &str, end, SlenderBody { mass, center_of_mass, inertia }: &'p mut SlenderBody<f64>| {
            line(name, end, [mass, center_of_mass, inertia]);
        };
        match &mut leg.chain {
            Chain::Rotary { arm, rod: Rod { mass, center_of_mass, inertia, .. }, .. } => {
                bar("arm", "axis", arm);
                line("rod", "end at the motor", [mass, center_of_mass, inertia]);
            }
            Chain::Slider { carriage, rod: Rod { mass, center_of_mass, inertia, .. }, .. } => {
                line("rod", "end at the motor", [mass, center_of_mass, inertia]);
                let (name, about) = (format!("m_carriage{n}"), format!("carriage {n}, mass"));
                all.push(MassPart::number(name, "kg", about, Owner::Body, *carriage, |mass| *carriage = mass));
            }
            Chain::Strut { cylinder, piston } => {
                bar("cylinder", "joint", cylinder);
                bar("piston", "joint", piston);
            }
        }
        let unit = if own.slides() { "kg" } else { "kg m^2" };
        let rotor = own.reflected_rotor_inertia();
        all.push(MassPart::rotor(i, unit, rotor, &mut leg.motor.rotor_inertia, gear_ratio));
    }
    let ParallelParameters { platform, payload, .. } = parameters;
    for (name, owner, body) in [("platform", Owner::Body, platform), ("payload", Owner::Payload, payload)] {
        all.push(if ParallelParameters::<f64, N>::TURNS {
            MassPart::body(format!("_{name}"), name.to_owned(), owner, body)
        } else {
            let (symbol, about, value) = (format!("m_{name}"), format!("{name}, mass"), body.mass);
            MassPart::number(symbol, "kg", about, owner, value, |mass| body.mass = mass)
        });
    }
    all
}

impl<const N: usize> ParallelRobot<N> {
    pub(super) fn matrix(&self) -> Regressor {
        let (columns, robot, own) = (self.regressor_columns(), self.clone(), self.robot);
        let (terms, matter) = (columns.terms.clone(), columns.matter.clone());
        let fill = move |state: &State, y: &mut [f64]| {
            // All have the same legs: they move alike.
            let own = moving(&own, state);
            columns.fill(N, y, |robot, torque| {
                let mut other = own;
                other.pose.robot = robot;
                torque.copy_from_slice(&other.torque(state.tool.acceleration, Wrench::zero()));
            });
        };
        Regressor::new(terms, matter, fill, move |values| {
            let mut parameters = *robot.robot.parameters();
            set_terms(parts(&robot, &mut parameters), values)?;
            robot.changed(|own| *own = parameters)
        })
    }

    pub(super) fn regressor_columns(&self) -> Columns<Parallel<f64, N>> {
        let mut own = *self.robot.parameters();
        own.legs.iter_mut().for_each(|leg| leg.motor.friction = None);
        Columns::of(self, &own, parts, |_, parameters| Parallel::new(parameters), 0)
    }
}
