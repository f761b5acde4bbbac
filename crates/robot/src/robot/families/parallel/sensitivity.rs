//! Torques of a parallel robot as a function of its parameters.

use super::{ParallelRobot, moving};
use crate::delta::Branch;
use crate::parallel::{Chain, LegParameters, Parallel, ParallelParameters};
use crate::parameter::{Slot, Unit};
use crate::robot::parameters::{Number, add, label};
use crate::robot::{Family, Parameter, State, ToolState, TorqueOfParameters};
use crate::spatial::{Twist, Wrench};
use crate::{Scalar, Vec3};

/// The torques of motions of the platform, which are kept while parameters change.
pub struct LegTorque<'r, const N: usize> {
    robot: &'r ParallelRobot<N>,
    /// With the branches of the legs, and what the environment pushes with.
    states: Vec<(ToolState, [Branch; N], Wrench<f64>)>,
    parameters: Vec<Parameter>,
}

impl<'r, const N: usize> LegTorque<'r, N> {
    pub fn new(robot: &'r ParallelRobot<N>, states: &[(State, Wrench<f64>)]) -> Self {
        let of =
            |(state, push): &(State, Wrench<f64>)| (state.tool, moving(&robot.robot, state).pose.branches(), *push);
        let parameter = |&Number { field, place, value }: &Number| {
            let leg = place.part.map(|leg| &robot.robot.parameters().legs[leg]);
            let slides = leg.is_some_and(LegParameters::slides);
            let linear = leg.is_some_and(|leg| slides && leg.motor.gear_ratio == 1.0);
            let label = label(field, place);
            Parameter {
                name: place.part.map_or(label.clone(), |leg| format!("leg{}.{label}", leg + 1)),
                unit: match field.unit {
                    Unit::RotorInertia if linear => "kg",
                    unit => unit.si(slides),
                },
                tolerance: field.tolerance,
                value,
                half_width: 0.0,
            }
        };
        let parameters = robot.numbers().iter().map(parameter).collect();
        Self { robot, states: states.iter().map(of).collect(), parameters }
    }
}

impl<const N: usize> TorqueOfParameters for LegTorque<'_, N> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        self.robot.joints().iter().map(|joint| joint.kind.units().torque).collect()
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let mut parameters: ParallelParameters<S, N> = self.robot.robot.parameters().lift();
        let mut changes = changes.iter();
        parameters.visit(&mut |_, _, slot| match (slot, changes.next()) {
            // Home has no part in the torques.
            (Slot::Rotation(_), _) | (_, None) => {}
            (slot, Some(&by)) => add(slot, by),
        });
        // A file gives directions: of any length, and an arm's across its axis.
        let unit = |v: Vec3<S>| v * (S::one() / v.norm_squared().sqrt());
        for leg in &mut parameters.legs {
            match &mut leg.chain {
                Chain::Rotary { axis, zero, .. } => {
                    *axis = unit(*axis);
                    *zero = unit(*zero - *axis * axis.dot(*zero));
                }
                Chain::Slider { direction, .. } => *direction = unit(*direction),
                Chain::Strut { .. } => {}
            }
        }
        let robot = Parallel::new(parameters);
        let lift = |twist: Twist<f64>| Twist {
            linear: twist.linear.map(S::from_f64),
            angular: twist.angular.map(S::from_f64),
        };
        let torque = |(tool, branches, push): &(ToolState, [Branch; N], Wrench<f64>)| {
            let moving = robot.pose_unchecked(tool.pose.map(S::from_f64), *branches).moving(lift(tool.velocity));
            moving.torque(lift(tool.acceleration), push.map(S::from_f64))
        };
        self.states.iter().flat_map(torque).collect()
    }
}
