//! The matrix Y of chains: mass, first moments and inertia of every link and of what tools carry, and the rotors.

use super::kernel::Kernel as _;
use super::{ChainRobot, three};
use crate::chain::{Chain, ChainError, ChainParameters, Part, ToolOwner};
use crate::robot::State;
use crate::robot::regressor::{Columns, MassPart, Owner, Regressor, set_terms};
use crate::serial::{Body, Inertia, Joint, LinkParameters};
use std::sync::Arc;

/// What gives a column: most are parts of the chain, which move with it.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // made once
enum Asking {
    Part(Part<f64>),
    Chain(Chain<f64>),
}

/// What of a chain torques are linear in.
fn parts<'p>(robot: &ChainRobot, parameters: &'p mut ChainParameters<f64>) -> Vec<MassPart<'p>> {
    let (mut all, mut carried) = (Vec::new(), Vec::new());
    let tools = robot.file.arm.tools();
    let titles = |name: &str| match robot.is_arm() {
        true => ("_payload".to_owned(), "payload".to_owned()),
        false => (format!("_{name}"), format!("payload of {name}")),
    };
    let mut tool = |owner, link: usize, payload: &'p mut Body<f64>| {
        if let Some((name, _)) = tools.iter().find(|(_, own)| *own == owner) {
            let (mark, title) = titles(name);
            carried.push(MassPart { link, ..MassPart::body(mark, title, Owner::Payload, payload) });
        }
    };
    let last = parameters.links.len().saturating_sub(1);
    tool(ToolOwner::Whole, last, &mut parameters.whole.payload);
    for (i, branch) in parameters.links.iter_mut().enumerate() {
        let (n, own) = ((i + 1).to_string(), &robot.chain.parameters().links[i].link);
        let known = robot.file.tolerances.get(i).map_or([0.0; 5], |tolerances| tolerances.half_widths(own));
        let [mass, xx, yy, zz, rotor] = known;
        let LinkParameters { body, motor_inertia, spring, joint, .. } = &mut branch.link;
        let about = format!("link {n}");
        all.push(MassPart {
            link: i,
            known: [mass, xx, yy, zz],
            ..MassPart::body(n.clone(), about, Owner::Body, body)
        });
        let unit = if *joint == Joint::Revolute { "kg m^2" } else { "kg" };
        let known = [rotor, 0.0, 0.0, 0.0];
        all.push(MassPart { known, ..MassPart::rotor(i, unit, own.motor_inertia, motor_inertia, 1.0) });
        if let Some(as_given) = own.spring {
            let about = format!("springs of joint {n}, as the file has them");
            let set = move |factor: f64| *spring = (factor != 0.0).then_some(as_given);
            all.push(MassPart::number(format!("spring{n}"), "1", about, Owner::Spring, 1.0, set));
        }
        branch.tip.iter_mut().for_each(|tip| tool(ToolOwner::Link(i), i, &mut tip.payload));
    }
    all.extend(carried);
    all
}

impl ChainRobot {
    pub(super) fn matrix(&self) -> Regressor {
        let mut own = self.chain.parameters().clone();
        for branch in &mut own.links {
            (branch.link.friction, branch.link.armature) = (None, None);
        }
        let build = |part: &MassPart<'_>, mut parameters: ChainParameters<f64>| {
            let armature = |i: usize| self.chain.parameters().links[i].link.armature;
            match part.owner {
                Owner::Rotor(i) if armature(i).is_none() && own.links[i].link.coupling.is_none() => {
                    return Asking::Part(Part::Motor(i, 1.0));
                }
                Owner::Rotor(i) => parameters.links[i].link.armature = armature(i),
                _ => {}
            }
            let chain = self.chain.with_numbers(parameters);
            match part.owner {
                Owner::Rotor(_) | Owner::Spring => Asking::Chain(chain),
                _ => {
                    let inertia = chain.links().get(part.link).map(|link| link.inertia);
                    Asking::Part(Part::Body(part.link, inertia.unwrap_or(Inertia::zero())))
                }
            }
        };
        let columns = Arc::new(Columns::of(self, &own, parts, build, 0));
        let (terms, matter) = (columns.terms.clone(), columns.matter.clone());
        let (robot, chain, of_weights) = (self.clone(), self.chain.clone(), (self.chain.clone(), columns.clone()));
        let fill = move |state: &State, y: &mut [f64]| {
            if fill_rows(&chain, &columns, three(&state.joints), y).is_err() {
                y.fill(f64::NAN);
            }
        };
        Regressor::new(terms, matter, fill, move |values| {
            let mut parameters = robot.chain.parameters().clone();
            set_terms(parts(&robot, &mut parameters), values)?;
            robot.with_parameters(|own| *own = parameters)
        })
        .weighed_by(move |weights| weighed(of_weights.0.clone(), &of_weights.1, weights))
    }
}

/// What a tool carries.
pub(super) fn payload_of(parameters: &mut ChainParameters<f64>, which: ToolOwner) -> Option<&mut Body<f64>> {
    match which {
        ToolOwner::Whole => Some(&mut parameters.whole.payload),
        ToolOwner::Link(i) => Some(&mut parameters.links.get_mut(i)?.tip.as_mut()?.payload),
    }
}

fn fill_rows(
    chain: &Chain<f64>,
    columns: &Columns<Asking>,
    [q, qd, qdd]: [&[f64]; 3],
    y: &mut [f64],
) -> Result<(), ChainError> {
    let moving = chain.at_joints(q)?.moving(qd)?;
    let accelerating = moving.accelerating(qdd)?;
    columns.fill(q.len(), y, |asking, torque| match asking {
        Asking::Part(part) => torque.copy_from_slice(&accelerating.torque_of(part)),
        Asking::Chain(chain) => torque.copy_from_slice(&chain.rigid_torque([q, qd, qdd])),
    });
    Ok(())
}

/// Σ weights · Y: what all weighted bodies together ask of each joint.
fn weighed(chain: Chain<f64>, columns: &Columns<Asking>, weights: &[f64]) -> Box<dyn Fn(&State) -> f64> {
    let (n, width) = (chain.joints(), columns.terms.len().max(1));
    let mut bodies = vec![vec![Inertia::zero(); n]; n];
    let mut motors = vec![0.0; n];
    let mut chains = Vec::new();
    for (joint, row) in weights.chunks(width).enumerate().take(n) {
        for (asking, weight) in columns.weighed(row) {
            match asking {
                Asking::Part(Part::Body(link, inertia)) => {
                    bodies[joint][*link] = bodies[joint][*link].plus(inertia.times(weight));
                }
                Asking::Part(Part::Motor(own, inertia)) if *own == joint => motors[joint] += inertia * weight,
                Asking::Part(Part::Motor(..)) => {}
                Asking::Chain(chain) => chains.push((chain.clone(), joint, weight)),
            }
        }
    }
    Box::new(move |state| {
        let [q, qd, qdd] = three(&state.joints);
        let parts = || -> Result<f64, ChainError> {
            let moving = chain.at_joints(q)?.moving(qd)?;
            let accelerating = moving.accelerating(qdd)?;
            (0..n).try_fold(0.0, |sum, i| {
                Ok(sum + accelerating.generalized_force_at(i, &bodies[i])? + motors[i] * qdd[i])
            })
        };
        let chains = chains.iter().map(|(chain, joint, weight)| chain.rigid_torque([q, qd, qdd])[*joint] * weight);
        parts().unwrap_or(f64::NAN) + chains.sum::<f64>()
    })
}
