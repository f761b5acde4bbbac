//! Torques of a tree as a function of its parameters.

use super::{Formulas, LinkTree, Parameters};
use crate::parameter::{Slot, Tolerance};
use crate::robot::families::serial::sensitivity::about;
use crate::robot::orientation::attitude;
use crate::robot::parameters::{Number, add, label, visited};
use crate::robot::{Family, JointState, Parameter, Pick, StateError, TorqueOfParameters};
use crate::serial::Joint;
use crate::spatial::Wrench;
use crate::{Mat3, Scalar};

/// The torques of a tree at one or more states of its joints, which are kept while parameters change.
pub struct TreeTorque<'r> {
    tree: &'r LinkTree,
    /// With what the environment pushes on the tool with, base frame.
    states: Vec<(JointState, Wrench<f64>)>,
    parameters: Vec<Parameter>,
}

impl<'r> TreeTorque<'r> {
    /// At states of the joints, which are checked, each with what the environment pushes on the tool with.
    pub fn new(tree: &'r LinkTree, states: Vec<(JointState, Wrench<f64>)>) -> Result<Self, StateError> {
        for (state, _) in &states {
            tree.at_joints(state, &Pick::default())?;
        }
        let mut own = tree.parameters();
        let numbers = visited(|visit| own.visit(visit), |rotation| attitude(*rotation));
        let parameters = numbers.iter().map(|number| tree.parameter(number)).collect();
        Ok(Self { tree, states, parameters })
    }
}

impl LinkTree {
    fn follows(&self, link: usize) -> bool {
        self.static_follows.get(link).copied().unwrap_or(false)
    }

    fn parameter(&self, &Number { field, place, value }: &Number) -> Parameter {
        let link = place.part;
        let slides = link.is_some_and(|link| self.arm.links()[link].joint == Joint::Prismatic);
        let follows = field.key == "friction.static" && link.is_some_and(|link| self.follows(link));
        let known = link
            .and_then(|link| self.tolerances.get(link))
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

/// A rotation with its angles roll, pitch and yaw changed:
/// Rz(yaw + δ₃) Ry(pitch + δ₂) Rx(roll + δ₁) = Rz(δ₃) [Rz(yaw) Ry(δ₂) Rz(−yaw)] R Rx(δ₁).
fn turned<S: Scalar>(rotation: Mat3<S>, yaw: f64, [roll, pitch, by]: [S; 3]) -> Mat3<S> {
    let (sin, cos) = yaw.sin_cos();
    about([0.0, 0.0, 1.0], by)
        .product(about([-sin, cos, 0.0], pitch))
        .product(rotation)
        .product(about([1.0, 0.0, 0.0], roll))
}

impl TorqueOfParameters for TreeTorque<'_> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        self.tree.joints().iter().map(|joint| joint.kind.units().torque).collect()
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let own = self.tree.parameters();
        let mut parameters: Parameters<S> = own.map(S::from_f64);
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
            if self.tree.follows(k)
                && let (Some(friction), Some(before)) = (&mut link.friction, &before.friction)
            {
                friction.static_friction = friction.static_friction + (friction.coulomb - S::from_f64(before.coulomb));
            }
            if let Some(armature) = &mut link.armature {
                // A file gives a direction: of any length.
                armature.axis = armature.axis * (S::one() / armature.axis.norm_squared().sqrt());
            }
        }
        let formulas = Formulas::new(parameters, self.tree.which).ok();
        let mut torques = Vec::with_capacity(self.tree.formulas.joints() * self.states.len());
        for (state, push) in &self.states {
            let [q, qd, qdd] =
                [&state.q, &state.qd, &state.qdd].map(|all| all.iter().map(|&x| S::from_f64(x)).collect::<Vec<S>>());
            let push = super::pushing(*push).map(|push| push.map(S::from_f64));
            let found = formulas.as_ref().and_then(|tree| tree.torque([&q, &qd, &qdd], push).ok());
            // Parameters change, links stay in order: there is always such a tree.
            torques.extend(found.unwrap_or_else(|| vec![S::from_f64(f64::NAN); q.len()]));
        }
        torques
    }
}
