//! Torques of a serial arm as a function of its parameters.

use super::{SerialArm, array};
use crate::parameter::{Slot, Tolerance};
use crate::robot::orientation::attitude;
use crate::robot::parameters::{Number, add, label, visited};
use crate::robot::{Family, JointState, Parameter, Pick, StateError, TorqueOfParameters};
use crate::serial::{Joint, LinkParameters, Serial, SerialParameters};
use crate::spatial::Wrench;
use crate::{Mat3, Scalar, Vec3};

/// The torques of a serial arm at one or more states of its joints, which are kept while parameters change.
pub struct ArmTorque<'r, const N: usize> {
    robot: &'r SerialArm<N>,
    /// Roll, pitch and yaw of the tool.
    tool: [f64; 3],
    /// With what the environment pushes on the tool with, base frame.
    states: Vec<(JointState, Wrench<f64>)>,
    parameters: Vec<Parameter>,
}

impl<'r, const N: usize> ArmTorque<'r, N> {
    /// At states of the joints, which are checked, each with what the environment pushes on the tool with.
    pub fn new(robot: &'r SerialArm<N>, states: Vec<(JointState, Wrench<f64>)>) -> Result<Self, StateError> {
        for (state, _) in &states {
            robot.at_joints(state, &Pick::default())?;
        }
        let tool = attitude(robot.arm.parameters().tool.rotation);
        let numbers = visited(|visit| { *robot.arm.parameters() }.visit(visit), |_| tool);
        let parameters = numbers.iter().map(|number| robot.parameter(number)).collect();
        Ok(Self { robot, tool, states, parameters })
    }
}

impl<const N: usize> SerialArm<N> {
    fn follows(&self, link: usize) -> bool {
        self.static_follows.get(link).copied().unwrap_or(false)
    }

    fn parameter(&self, &Number { field, place, value }: &Number) -> Parameter {
        let link = place.part;
        let slides = link.is_some_and(|link| self.arm.parameters().links[link].joint == Joint::Prismatic);
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

/// Rotation by an angle about a unit vector, exactly none for the angle zero: 1 + sin φ [n]× + (1 − cos φ) [n]×².
pub(in crate::robot::families) fn about<S: Scalar>(axis: [f64; 3], angle: S) -> Mat3<S> {
    let (sin, cos) = angle.sin_cos();
    let n = Mat3::skew(Vec3::from_f64(axis));
    Mat3::diagonal(S::one()) + n * sin + n.product(n) * (S::one() - cos)
}

impl<const N: usize> TorqueOfParameters for ArmTorque<'_, N> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        let unit = |link: &LinkParameters<f64>| if link.joint == Joint::Prismatic { "N" } else { "N m" };
        self.robot.arm.parameters().links.iter().map(unit).collect()
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let before: SerialParameters<S, N> = self.robot.arm.parameters().lift();
        let mut parameters = before;
        let mut turn = [S::zero(); 3];
        let mut changes = changes.iter();
        parameters.visit(&mut |_, place, slot| match (slot, changes.next()) {
            (Slot::Rotation(_), Some(&by)) => turn[place.component.unwrap_or(0)] = by,
            (slot, Some(&by)) => add(slot, by),
            (_, None) => {}
        });
        // Rz(yaw + δ₃) Ry(pitch + δ₂) Rx(roll + δ₁) = Rz(δ₃) [Rz(yaw) Ry(δ₂) Rz(−yaw)] R Rx(δ₁).
        let (sin, cos) = self.tool[2].sin_cos();
        let [roll, pitch, yaw] = turn;
        parameters.tool.rotation = about([0.0, 0.0, 1.0], yaw)
            .product(about([-sin, cos, 0.0], pitch))
            .product(before.tool.rotation)
            .product(about([1.0, 0.0, 0.0], roll));
        for (k, (link, before)) in parameters.links.iter_mut().zip(&before.links).enumerate() {
            if self.robot.follows(k)
                && let (Some(friction), Some(before)) = (&mut link.friction, &before.friction)
            {
                friction.static_friction = friction.static_friction + (friction.coulomb - before.coulomb);
            }
            if let Some(armature) = &mut link.armature {
                // A file gives a direction: of any length.
                armature.axis = armature.axis * (S::one() / armature.axis.norm_squared().sqrt());
            }
        }
        let robot = Serial::new(parameters);
        let mut torques = Vec::with_capacity(N * self.states.len());
        for (state, push) in &self.states {
            let [q, qd, qdd] = [&state.q, &state.qd, &state.qdd].map(|all| array::<N>(all).map(S::from_f64));
            let moving = robot.pose_unchecked(q).moving(qd);
            let mut torque = moving.torque(qdd);
            if *push != Wrench::zero() {
                let carried = moving.pose.jacobian().transpose_times(push.map(S::from_f64));
                torque = std::array::from_fn(|i| torque[i] - carried[i]);
            }
            torques.extend(torque);
        }
        torques
    }
}
