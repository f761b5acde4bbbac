//! The matrix Y of serial arms: mass, first moments and inertia of every link and of the payload, and the rotors.

use super::{SerialArm, array};
use crate::robot::regressor::{Columns, Matter, Owner, Regressor, Term, Values};
use crate::robot::{Family, Impossible, State};
use crate::serial::{self, Body, LinkParameters, Serial, SerialParameters};

#[derive(Debug)]
struct ArmRegressor<const N: usize> {
    arm: SerialArm<N>,
    columns: Columns<Serial<f64, N>>,
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
                Serial::new(parameters)
            });
            let mut parameters = nothing;
            parameters.links[i].motor_inertia = 1.0;
            parameters.links[i].armature = own.links[i].armature;
            let unit = if own.links[i].joint == serial::Joint::Revolute { "kg m^2" } else { "kg" };
            let about = format!("rotor and drive of joint {number}, at the joint");
            let (value, robot) = (own.links[i].motor_inertia, Serial::new(parameters));
            columns.number(format!("Ia{number}"), unit, about, value, Owner::Rotor(i), robot);
            if own.links[i].spring.is_some() {
                let mut parameters = nothing;
                parameters.links[i].spring = own.links[i].spring;
                let about = format!("springs of joint {number}, as the file has them");
                columns.number(format!("spring{number}"), "1", about, 1.0, Owner::Spring, Serial::new(parameters));
            }
        }
        columns.body("_payload", "payload".into(), Owner::Payload, &own.payload, |body| {
            Serial::new(SerialParameters { payload: body, ..nothing })
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
        self.columns.fill(N, y, |arm, torque| {
            let mut other = own;
            other.pose.robot = arm;
            torque.copy_from_slice(&other.rigid_torque(qdd));
        });
    }

    fn robot(&self, values: &[f64]) -> Result<Box<dyn Family>, Impossible> {
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
