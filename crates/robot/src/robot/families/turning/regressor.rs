//! The matrix Y of a robot with a fourth axis: that of the robot below, and columns for what moves with the axis. What the axis
//! asks of the platform goes to the other motors by the robot's own Jᵀ.

use super::{Translating, TurningRobot, of_robot};
use crate::Vec3;
use crate::dynamics::State as _;
use crate::robot::own::padded;
use crate::robot::regressor::{Columns, MassPart, Matter, Owner, Regressor, Term, set_terms};
use crate::robot::{InvalidParameters, State, StateError};
use crate::spatial::Wrench;
use crate::turning::{Asked, AxisState, FourthAxis, Shaft, ShaftBody, TurningLoad};
use std::sync::Arc;

/// An axis with what it carries, kg.
type AxisWithPayload = (FourthAxis<f64>, f64);

/// What of an axis and its payload torques are linear in. Of the height of what is carried nobody knows.
fn parts<'p, F>(robot: &TurningRobot<F>, (axis, payload): &'p mut AxisWithPayload) -> Vec<MassPart<'p>> {
    let mut all = Vec::new();
    let (own, gear_ratio) = (&robot.axis, axis.motor.gear_ratio);
    if own.shaft.is_none() {
        let (name, about) = ("m_motor4".to_owned(), "motor of the fourth axis, mass".to_owned());
        all.push(MassPart::number(name, "kg", about, Owner::Body, own.motor.mass, |mass| axis.motor.mass = mass));
    }
    let rotor = &mut axis.motor.rotor_inertia;
    all.push(MassPart::rotor(3, "kg m^2", own.reflected_rotor_inertia(), rotor, gear_ratio));
    if let Some(Shaft { tube, rod, .. }) = &mut axis.shaft {
        for (name, end, body) in [("tube", "upper end", tube), ("rod", "lower end", rod)] {
            let ShaftBody { mass, center_of_mass, inertia, axial_inertia } = body;
            let (symbol, about, value) = (format!("shaft_{name}"), format!("{name} of the shaft"), *axial_inertia);
            let (name, along) = (format!("Ix_{symbol}"), format!("{about}, inertia about its axis"));
            all.push(MassPart::line(symbol, about, end, [mass, center_of_mass, inertia]));
            all.push(MassPart::number(name, "kg m^2", along, Owner::Body, value, |value| *axial_inertia = value));
        }
    }
    let mut planar = |symbol: &str, about: &str, owner, mass, load: &'p mut TurningLoad<f64>, weighs| {
        let TurningLoad { center_of_mass: Vec3([x, y, _]), inertia } = load;
        all.push(MassPart::planar(symbol, about, owner, [mass, x, y, inertia], weighs));
    };
    planar("tool", "tool of the fourth axis", Owner::Body, &mut axis.tool_mass, &mut axis.tool, true);
    // How much is carried is a number of the robot below.
    planar("payload", "payload", Owner::Payload, payload, &mut axis.payload, false);
    all
}

impl<F: Translating> TurningRobot<F> {
    pub(super) fn matrix(&self) -> Result<Regressor, StateError> {
        let below = self.robot.regressor()?;
        let mut own = self.from_tool;
        own.motor.friction = None;
        if own.shaft.is_some() {
            own.motor.mass = 0.0;
        }
        let before = below.terms().len();
        let columns = Columns::of(self, &(own, self.robot.payload()), parts, |_, axis| axis, before);
        let is_mass = |term: &Term| term.owner == Owner::Payload && term.unit == "kg";
        let mass = below.terms().iter().position(is_mass);
        let mass = mass.ok_or_else(|| StateError::not_offered("a regressor", self.title()))?;
        let terms: Vec<Term> = below.terms().iter().chain(&columns.terms).cloned().collect();
        let first = terms.len() - 3;
        let is_payload = |matter: &Matter| *matter == Matter::Positive(mass);
        let whole = ("payload".to_owned(), Matter::Planar([mass, first, first + 1, first + 2]));
        let others = below.matter().iter().filter(|(_, matter)| !is_payload(matter)).cloned();
        let matter = others.chain(columns.matter.iter().cloned()).chain([whole]).collect();
        let (below, robot) = (Arc::new(below), self.clone());
        let (fill, with_terms) = (robot.clone(), below.clone());
        let fill = move |state: &State, y: &mut [f64]| fill.fill_rows(&below, &columns, state, y);
        Ok(Regressor::new(terms, matter, fill, move |values| {
            let (of_below, of_axis) = values.split_at(with_terms.terms().len().min(values.len()));
            let mut changed = robot.with_robot(with_terms.robot(of_below))?;
            let mut axis = (changed.axis, changed.robot.payload());
            set_terms(parts(&changed, &mut axis), of_axis)?;
            axis.0.check().map_err(|error| InvalidParameters(error.to_string()))?;
            changed.axis = axis.0;
            Ok(Box::new(changed.seen_from_tool()))
        }))
    }

    /// The columns of the robot below, then those of the axis.
    fn fill_rows(&self, of_below: &Regressor, of_axis: &Columns<AxisWithPayload>, state: &State, y: &mut [f64]) {
        let (count, own) = (of_below.terms().len(), of_axis.terms.len());
        let lower = of_robot(state);
        let (mut below, mut axis) = (vec![0.0; 3 * count], vec![0.0; 4 * own]);
        of_below.fill(&lower, &mut below);
        let (here, gravity) = (self.robot.here(&lower), self.robot.gravity());
        let [c, cd, cdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(|all| padded::<4>(all)[3]);
        let moving = [state.tool.pose.origin, state.tool.velocity.linear];
        of_axis.fill(4, &mut axis, |(axis, payload), torque| {
            let there = AxisState::new(axis, *payload, moving, [c, cd]);
            let Asked { force, torque: about } = there.asked(state.tool.acceleration.linear, cdd, gravity);
            torque[..3].copy_from_slice(&here.torque_of_wrench(Wrench::force(force)));
            torque[3] = about;
        });
        for (i, row) in y.chunks_mut(count + own).enumerate() {
            let (first, last) = row.split_at_mut(count);
            match below.get(i * count..(i + 1) * count) {
                Some(below) => first.copy_from_slice(below),
                // The robot below asks nothing of the fourth motor.
                None => first.fill(0.0),
            }
            last.copy_from_slice(&axis[i * own..(i + 1) * own]);
        }
    }
}
