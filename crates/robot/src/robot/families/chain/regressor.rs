//! The matrix Y of chains: mass, first moments and inertia of every link and of what tools carry, and the rotors.

use super::tools::tools;
use super::{ChainRobot, three};
use crate::chain::{Chain, ChainError, ChainParameters, Part, ToolOwner};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, InvalidParameters, State};
use crate::serial::{Body, Inertia, Joint};

#[derive(Debug)]
struct ChainRegressor {
    robot: ChainRobot,
    columns: Columns<Asking>,
}

/// What gives a column: most are parts of the chain, which move with it.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // made once
enum Asking {
    Part(Part<f64>),
    Chain(Chain<f64>),
}

impl ChainRobot {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        let own = self.chain.parameters();
        let mut nothing = own.clone();
        for branch in &mut nothing.links {
            let link = &mut branch.link;
            (link.body, link.motor_inertia) = (Body::zero(), 0.0);
            (link.friction, link.armature, link.spring) = (None, None, None);
            branch.tip.iter_mut().for_each(|tip| tip.payload = Body::zero());
        }
        nothing.whole.payload = Body::zero();
        let with = |change: &dyn Fn(&mut ChainParameters<f64>)| {
            let mut parameters = nothing.clone();
            change(&mut parameters);
            self.chain.with_numbers(parameters)
        };
        // What a link weighs with this change.
        let body = |link: usize, change: &dyn Fn(&mut ChainParameters<f64>)| {
            let inertia = with(change).links().get(link).map(|link| link.inertia);
            Asking::Part(Part::Body(link, inertia.unwrap_or(Inertia::zero())))
        };
        let mut columns = Columns::new();
        for (i, branch) in own.links.iter().enumerate() {
            let (number, link) = ((i + 1).to_string(), branch.link);
            columns.body(&number, format!("link {number}"), Owner::Body, &link.body, |own| {
                body(i, &|parameters| parameters.links[i].link.body = own)
            });
            let unit = if link.joint == Joint::Revolute { "kg m^2" } else { "kg" };
            let about = format!("rotor and drive of joint {number}, at the joint");
            let asking = match link.armature {
                Some(_) => Asking::Chain(with(&|parameters| {
                    let own = &mut parameters.links[i].link;
                    (own.motor_inertia, own.armature) = (1.0, link.armature);
                })),
                None => Asking::Part(Part::Motor(i, 1.0)),
            };
            columns.number(format!("Ia{number}"), unit, about, link.motor_inertia, Owner::Rotor(i), asking);
            if let Some(tolerances) = self.tolerances.get(i) {
                tolerances.told(&link, &mut columns);
            }
            if link.spring.is_some() {
                let about = format!("springs of joint {number}, as the file has them");
                let asking = Asking::Chain(with(&|parameters| parameters.links[i].link.spring = link.spring));
                columns.number(format!("spring{number}"), "1", about, 1.0, Owner::Spring, asking);
            }
        }
        for (name, which) in tools(&self.links) {
            let of = |parameters: &ChainParameters<f64>| payload_of(&mut parameters.clone(), which).copied();
            let payload = of(own).unwrap_or(Body::zero());
            let link = match which {
                ToolOwner::Whole => own.links.len().saturating_sub(1),
                ToolOwner::Link(link) => link,
            };
            let (mark, title) = match self.is_arm() {
                true => ("_payload".to_owned(), "payload".to_owned()),
                false => (format!("_{name}"), format!("payload of {name}")),
            };
            columns.body(&mark, title, Owner::Payload, &payload, |own| {
                body(link, &|parameters| payload_of(parameters, which).into_iter().for_each(|place| *place = own))
            });
        }
        Box::new(ChainRegressor { robot: self.clone(), columns })
    }
}

/// What a tool carries.
pub(super) fn payload_of(parameters: &mut ChainParameters<f64>, which: ToolOwner) -> Option<&mut Body<f64>> {
    match which {
        ToolOwner::Whole => Some(&mut parameters.whole.payload),
        ToolOwner::Link(i) => Some(&mut parameters.links.get_mut(i)?.tip.as_mut()?.payload),
    }
}

/// Torques of a chain in a state of another one with as many joints.
fn rigid_torque(chain: &Chain<f64>, [q, qd, qdd]: [&[f64]; 3]) -> Vec<f64> {
    let moving = chain.at_joints(q).and_then(|pose| pose.moving(qd));
    moving.and_then(|moving| moving.rigid_torque(qdd)).unwrap_or_else(|_| vec![f64::NAN; q.len()])
}

impl Regressor for ChainRegressor {
    fn terms(&self) -> &[Term] {
        &self.columns.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.columns.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let [q, qd, qdd] = three(&state.joints);
        let fill = |y: &mut [f64]| -> Result<(), ChainError> {
            let moving = self.robot.chain.at_joints(q)?.moving(qd)?;
            let accelerating = moving.accelerating(qdd)?;
            self.columns.fill(q.len(), y, |asking, torque| match asking {
                Asking::Part(part) => torque.copy_from_slice(&accelerating.torque_of(part)),
                Asking::Chain(chain) => torque.copy_from_slice(&rigid_torque(chain, [q, qd, qdd])),
            });
            Ok(())
        };
        if fill(y).is_err() {
            y.fill(f64::NAN);
        }
    }

    fn weighed(&self, weights: Vec<f64>) -> Box<dyn Fn(&State) -> f64 + '_> {
        let (n, width) = (self.robot.chain.joints(), self.columns.terms.len().max(1));
        let mut bodies = vec![vec![Inertia::zero(); n]; n];
        let mut motors = vec![0.0; n];
        let mut chains = Vec::new();
        for (joint, row) in weights.chunks(width).enumerate().take(n) {
            for (asking, weight) in self.columns.weighed(row) {
                match asking {
                    Asking::Part(Part::Body(link, inertia)) => {
                        bodies[joint][*link] = bodies[joint][*link].plus(inertia.times(weight));
                    }
                    Asking::Part(Part::Motor(own, inertia)) if *own == joint => motors[joint] += inertia * weight,
                    Asking::Part(Part::Motor(..)) => {}
                    Asking::Chain(chain) => chains.push((chain, joint, weight)),
                }
            }
        }
        Box::new(move |state| {
            let [q, qd, qdd] = three(&state.joints);
            let parts = || -> Result<f64, ChainError> {
                let moving = self.robot.chain.at_joints(q)?.moving(qd)?;
                let accelerating = moving.accelerating(qdd)?;
                (0..n).try_fold(0.0, |sum, i| {
                    Ok(sum + accelerating.generalized_force_at(i, &bodies[i])? + motors[i] * qdd[i])
                })
            };
            let chains = chains.iter().map(|(chain, joint, weight)| rigid_torque(chain, [q, qd, qdd])[*joint] * weight);
            parts().unwrap_or(f64::NAN) + chains.sum::<f64>()
        })
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut values = Values(values);
        let mut links = Vec::new();
        for (i, link) in self.robot.chain.links().iter().enumerate() {
            links.push((values.body(&format!("link {}", i + 1))?, values.number()));
            if link.spring.is_some() {
                values.number();
            }
        }
        let tools = tools(&self.robot.links);
        let title = |name: &str| match self.robot.is_arm() {
            true => "the payload".to_owned(),
            false => format!("the payload of {name}"),
        };
        let payloads = tools.iter().map(|(name, which)| Ok((*which, values.body(&title(name))?)));
        let payloads = payloads.collect::<Result<Vec<_>, InvalidParameters>>()?;
        self.robot.with_parameters(|parameters| {
            for (branch, (body, rotor)) in parameters.links.iter_mut().zip(links) {
                (branch.link.body, branch.link.motor_inertia) = (body, rotor);
            }
            for (which, body) in payloads {
                payload_of(parameters, which).into_iter().for_each(|own| *own = body);
            }
        })
    }
}
