//! The matrix Y of serial arms: mass, first moments and inertia of every link and of the payload, and the rotors.

use super::{SerialArm, array};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, InvalidParameters, State};
use crate::serial::{self, Body, Inertia, LinkParameters, Part, Serial, SerialParameters};

#[derive(Debug)]
struct ArmRegressor<const N: usize> {
    arm: SerialArm<N>,
    columns: Columns<Asking<N>>,
}

/// What gives a column: most are parts of the arm, which move with it.
#[derive(Debug)]
enum Asking<const N: usize> {
    Part(Part<f64>),
    Arm(Box<Serial<f64, N>>),
}

impl<const N: usize> SerialArm<N> {
    pub(super) fn matrix(&self) -> Box<dyn Regressor> {
        let own = self.arm.parameters();
        let empty = |link: LinkParameters<f64>| LinkParameters {
            body: Body::zero(),
            motor_inertia: 0.0,
            friction: None,
            armature: None,
            spring: None,
            ..link
        };
        let nothing = SerialParameters { links: own.links.map(empty), payload: Body::zero(), ..*own };
        let mut columns = Columns::new();
        for i in 0..N {
            let number = (i + 1).to_string();
            columns.body(&number, format!("link {number}"), Owner::Body, &own.links[i].body, |body| {
                let mut parameters = nothing;
                parameters.links[i].body = body;
                Asking::Part(Part::Body(i, Serial::new(parameters).links()[i].inertia))
            });
            let mut parameters = nothing;
            parameters.links[i].motor_inertia = 1.0;
            parameters.links[i].armature = own.links[i].armature;
            let asking = match own.links[i].armature {
                Some(_) => Asking::Arm(Box::new(Serial::new(parameters))),
                None => Asking::Part(Part::Motor(i, 1.0)),
            };
            let unit = if own.links[i].joint == serial::Joint::Revolute { "kg m^2" } else { "kg" };
            let about = format!("rotor and drive of joint {number}, at the joint");
            let value = own.links[i].motor_inertia;
            columns.number(format!("Ia{number}"), unit, about, value, Owner::Rotor(i), asking);
            if let Some(tolerances) = self.tolerances.get(i) {
                tolerances.told(&own.links[i], &mut columns);
            }
            if own.links[i].spring.is_some() {
                let mut parameters = nothing;
                parameters.links[i].spring = own.links[i].spring;
                let about = format!("springs of joint {number}, as the file has them");
                let asking = Asking::Arm(Box::new(Serial::new(parameters)));
                columns.number(format!("spring{number}"), "1", about, 1.0, Owner::Spring, asking);
            }
        }
        columns.body("_payload", "payload".into(), Owner::Payload, &own.payload, |body| {
            let last = N.saturating_sub(1);
            let arm = Serial::new(SerialParameters { payload: body, ..nothing });
            Asking::Part(Part::Body(last, arm.links().get(last).map_or(Inertia::zero(), |link| link.inertia)))
        });
        Box::new(ArmRegressor { arm: self.clone(), columns })
    }
}

impl<const N: usize> Regressor for ArmRegressor<N> {
    fn terms(&self) -> &[Term] {
        &self.columns.terms
    }

    fn matter(&self) -> &[(String, Matter)] {
        &self.columns.matter
    }

    fn fill(&self, state: &State, y: &mut [f64]) {
        let [q, qd, qdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(array::<N>);
        // All have the same joints: they move alike.
        let own = self.arm.arm.pose_unchecked(q).moving(qd);
        let accelerating = own.accelerating(qdd);
        self.columns.fill(N, y, |asking, torque| {
            let asked = match asking {
                Asking::Part(part) => accelerating.torque_of(part),
                Asking::Arm(arm) => {
                    let mut other = own;
                    other.pose.robot = arm;
                    other.rigid_torque(qdd)
                }
            };
            torque.copy_from_slice(&asked);
        });
    }

    fn weighed(&self, weights: Vec<f64>) -> Box<dyn Fn(&State) -> f64 + '_> {
        let width = self.columns.terms.len().max(1);
        let mut bodies = [[Inertia::zero(); N]; N];
        let mut motors = [0.0; N];
        let mut arms = Vec::new();
        for (joint, row) in weights.chunks(width).enumerate().take(N) {
            for (asking, weight) in self.columns.weighed(row) {
                match asking {
                    Asking::Part(Part::Body(link, inertia)) => {
                        bodies[joint][*link] = bodies[joint][*link].plus(inertia.times(weight));
                    }
                    Asking::Part(Part::Motor(own, inertia)) if *own == joint => motors[joint] += inertia * weight,
                    Asking::Part(Part::Motor(..)) => {}
                    Asking::Arm(arm) => arms.push((arm, joint, weight)),
                }
            }
        }
        Box::new(move |state| {
            let [q, qd, qdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(array::<N>);
            let own = self.arm.arm.pose_unchecked(q).moving(qd);
            let accelerating = own.accelerating(qdd);
            let parts = (0..N).map(|i| accelerating.generalized_force_at(i, &bodies[i]) + motors[i] * qdd[i]);
            let arms = arms.iter().map(|(arm, joint, weight)| {
                let mut other = own;
                other.pose.robot = arm;
                other.rigid_torque(qdd)[*joint] * weight
            });
            parts.sum::<f64>() + arms.sum::<f64>()
        })
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut values = Values(values);
        let mut links = [(Body::zero(), 0.0); N];
        for (i, link) in links.iter_mut().enumerate() {
            *link = (values.body(&format!("link {}", i + 1))?, values.number());
            if self.arm.arm.parameters().links[i].spring.is_some() {
                values.number();
            }
        }
        let payload = values.body("the payload")?;
        self.arm.changed(|parameters| {
            for (link, (body, rotor)) in parameters.links.iter_mut().zip(links) {
                (link.body, link.motor_inertia) = (body, rotor);
            }
            parameters.payload = payload;
        })
    }
}
