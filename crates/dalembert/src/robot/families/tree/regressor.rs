//! The matrix Y of trees: mass, first moments and inertia of every link and of what tools carry, and the rotors.

use super::tools::{Which, tools};
use super::{Formulas, LinkTree, Parameters, three};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, Impossible, State};
use crate::serial::{Body, Joint};

#[derive(Debug)]
struct TreeRegressor {
    tree: LinkTree,
    /// None where there is no such tree, which cannot be.
    columns: Columns<Option<Formulas<f64>>>,
}

impl LinkTree {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        let own = self.parameters();
        let mut nothing = own.clone();
        for branch in &mut nothing.branches {
            let link = &mut branch.link;
            (link.body, link.motor_inertia) = (Body::zero(), 0.0);
            (link.friction, link.armature, link.spring) = (None, None, None);
            branch.tip.iter_mut().for_each(|tip| tip.payload = Body::zero());
        }
        nothing.whole.payload = Body::zero();
        let with = |change: &dyn Fn(&mut Parameters<f64>)| {
            let mut parameters = nothing.clone();
            change(&mut parameters);
            Formulas::new(&parameters.branches, &parameters.whole, self.which)
        };
        let mut columns = Columns::new();
        for (i, branch) in own.branches.iter().enumerate() {
            let (number, link) = ((i + 1).to_string(), branch.link);
            columns.body(&number, format!("link {number}"), Owner::Body, &link.body, |body| {
                with(&|parameters| parameters.branches[i].link.body = body)
            });
            let unit = if link.joint == Joint::Revolute { "kg m^2" } else { "kg" };
            let about = format!("rotor and drive of joint {number}, at the joint");
            let robot = with(&|parameters| {
                let own = &mut parameters.branches[i].link;
                (own.motor_inertia, own.armature) = (1.0, link.armature);
            });
            columns.number(format!("Ia{number}"), unit, about, link.motor_inertia, Owner::Rotor(i), robot);
            if link.spring.is_some() {
                let about = format!("springs of joint {number}, as the file has them");
                let robot = with(&|parameters| parameters.branches[i].link.spring = link.spring);
                columns.number(format!("spring{number}"), "1", about, 1.0, Owner::Spring, robot);
            }
        }
        for (name, which) in tools(&self.arm) {
            let of = |parameters: &Parameters<f64>| payload_of(&mut parameters.clone(), which).copied();
            let payload = of(&own).unwrap_or(Body::zero());
            columns.body(&format!("_{name}"), format!("payload of {name}"), Owner::Payload, &payload, |body| {
                with(&|parameters| payload_of(parameters, which).into_iter().for_each(|own| *own = body))
            });
        }
        Box::new(TreeRegressor { tree: self.clone(), columns })
    }
}

/// What a tool carries.
fn payload_of(parameters: &mut Parameters<f64>, which: Which) -> Option<&mut Body<f64>> {
    match which {
        Which::Whole => Some(&mut parameters.whole.payload),
        Which::Link(i) => Some(&mut parameters.branches.get_mut(i)?.tip.as_mut()?.payload),
    }
}

impl Regressor for TreeRegressor {
    fn terms(&self) -> &[Term] {
        &self.columns.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.columns.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        self.columns.fill(self.tree.formulas.joints(), y, |tree, torque| {
            let found = tree.as_ref().and_then(|tree| tree.rigid_torque(three(&state.joints)).ok());
            match found {
                Some(found) => torque.copy_from_slice(&found),
                None => torque.fill(f64::NAN),
            }
        });
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, Impossible> {
        let mut values = Values(values);
        let mut links = Vec::new();
        for (i, link) in self.tree.formulas.links().iter().enumerate() {
            links.push((values.body(&format!("link {}", i + 1))?, values.number()));
            if link.spring.is_some() {
                values.number();
            }
        }
        let payloads = tools(&self.tree.arm).into_iter();
        let payloads = payloads.map(|(name, which)| Ok((which, values.body(&format!("the payload of {name}"))?)));
        let payloads = payloads.collect::<Result<Vec<_>, Impossible>>()?;
        self.tree.changed(|parameters| {
            for (branch, (body, rotor)) in parameters.branches.iter_mut().zip(links) {
                (branch.link.body, branch.link.motor_inertia) = (body, rotor);
            }
            for (which, body) in payloads {
                payload_of(parameters, which).into_iter().for_each(|own| *own = body);
            }
        })
    }
}
