//! Torques of a chain as a function of its parameters.

use super::ChainRobot;
use super::models::pushing;
use crate::parameter::{Slot, Tolerance};
use crate::robot::orientation::attitude;
use crate::robot::parameters::{Number, add, label, visited};
use crate::robot::{Family, JointState, Parameter, Pick, StateError, TorqueOfParameters};
use crate::serial::Joint;
use crate::spatial::Wrench;
use crate::{Mat3, Scalar, Vec3};

/// The torques of a chain at one or more states of its joints, which are kept while parameters change.
pub struct ChainTorque<'r> {
    robot: &'r ChainRobot,
    /// With what the environment pushes on the tool with, base frame.
    states: Vec<(JointState, Wrench<f64>)>,
    parameters: Vec<Parameter>,
}

impl<'r> ChainTorque<'r> {
    /// At states of the joints, which are checked, each with what the environment pushes on the tool with.
    pub fn new(robot: &'r ChainRobot, states: Vec<(JointState, Wrench<f64>)>) -> Result<Self, StateError> {
        for (state, _) in &states {
            robot.at_joints(state, &Pick::default())?;
        }
        let mut own = robot.chain.parameters().clone();
        let numbers = visited(|visit| own.visit(visit), |rotation| attitude(*rotation));
        let parameters = numbers.iter().map(|number| robot.parameter(number)).collect();
        Ok(Self { robot, states, parameters })
    }
}

impl ChainRobot {
    fn follows(&self, link: usize) -> bool {
        self.file.static_follows.get(link).copied().unwrap_or(false)
    }

    fn parameter(&self, &Number { field, place, value }: &Number) -> Parameter {
        let link = place.part;
        let slides = link.is_some_and(|link| self.chain.links()[link].joint == Joint::Prismatic);
        let follows = field.key == "friction.static" && link.is_some_and(|link| self.follows(link));
        let known = link
            .and_then(|link| self.file.tolerances.get(link))
            .and_then(|all| all.of(field.key, place.component.unwrap_or(0)));
        let label = label(field, place);
        Parameter {
            name: link.map_or(label.clone(), |link| format!("link{}.{label}", link + 1)),
            unit: field.unit.si(slides),
            tolerance: if follows { Tolerance::Known } else { field.tolerance },
            value,
            half_width: known.map_or(0.0, |tolerance| tolerance.of(value)),
        }
    }
}

/// Rotation by an angle about a unit vector, exactly none for the angle zero: 1 + sin φ [n]× + (1 − cos φ) [n]×².
fn about<S: Scalar>(axis: [f64; 3], angle: S) -> Mat3<S> {
    let (sin, cos) = angle.sin_cos();
    let n = Mat3::skew(Vec3::from_f64(axis));
    Mat3::diagonal(S::one()) + n * sin + n.product(n) * (S::one() - cos)
}

/// A rotation with its angles roll, pitch and yaw changed:
/// Rz(yaw + δ₃) Ry(pitch + δ₂) Rx(roll + δ₁) = Rz(δ₃) [Rz(yaw) Ry(δ₂) Rz(−yaw)] R Rx(δ₁).
fn turned<S: Scalar>(rotation: Mat3<S>, yaw: f64, [roll, pitch, by]: [S; 3]) -> Mat3<S> {
    let (sin, cos) = yaw.sin_cos();
    about([0.0, 0.0, 1.0], by)
        .product(about([-sin, cos, 0.0], pitch))
        .product(rotation)
        .product(about([1.0, 0.0, 0.0], roll))
}

impl TorqueOfParameters for ChainTorque<'_> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        self.robot.joints().iter().map(|joint| joint.kind.units().torque).collect()
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let own = self.robot.chain.parameters();
        let mut parameters = own.map(S::from_f64);
        let mut given = self.parameters.iter().zip(changes);
        let mut turn = [S::zero(); 3];
        parameters.visit(&mut |_, place, slot| match (slot, given.next()) {
            // The angles of a rotation come one after the other; the last one turns it.
            (Slot::Rotation(rotation), Some((parameter, &by))) => {
                turn[place.component.unwrap_or(0)] = by;
                if place.component == Some(2) {
                    *rotation = turned(*rotation, parameter.value, turn);
                }
            }
            (slot, Some((_, &by))) => add(slot, by),
            (_, None) => {}
        });
        for (k, (branch, before)) in parameters.links.iter_mut().zip(&own.links).enumerate() {
            let (link, before) = (&mut branch.link, &before.link);
            if self.robot.follows(k)
                && let (Some(friction), Some(before)) = (&mut link.friction, &before.friction)
            {
                friction.static_friction = friction.static_friction + (friction.coulomb - S::from_f64(before.coulomb));
            }
            if let Some(armature) = &mut link.armature {
                // A file gives a direction: of any length.
                armature.axis = armature.axis * (S::one() / armature.axis.norm_squared().sqrt());
            }
        }
        let chain = self.robot.chain.with_numbers(parameters);
        let mut torques = Vec::with_capacity(self.robot.chain.joints() * self.states.len());
        for (state, push) in &self.states {
            let [q, qd, qdd] =
                [&state.q, &state.qd, &state.qdd].map(|all| all.iter().map(|&x| S::from_f64(x)).collect::<Vec<S>>());
            let push = pushing(*push).map(|push| push.map(S::from_f64));
            let found = chain.torque([&q, &qd, &qdd], push);
            torques.extend(found.unwrap_or_else(|_| vec![S::from_f64(f64::NAN); q.len()]));
        }
        torques
    }
}
