//! A family of one's own: what follows from its formulas ([`crate::dynamics`]) alone.
//!
//! Write the formulas once, generic over the scalar; [`state_at_joints`], [`OfDynamics`],
//! [`closed_loop::in_joints`](super::closed_loop::in_joints) and [`linear_model::in_joints`](super::linear_model::in_joints)
//! make of them what a [`Family`](super::Family) is asked. The example `own_family` does it for a planar five-bar.

use super::{Form, JointMatrix, JointState, JointVector, Model, Pick, Reason, State, StateError, ToolState};
use crate::dynamics::{self, Dynamics};
use crate::spatial::Wrench;
use std::fmt::Debug;

/// The state with these joints; refused where the formulas have no answer.
pub fn state_at_joints<const N: usize>(
    robot: &impl Dynamics<f64, N>,
    joints: &JointState,
    pick: &Pick,
) -> Result<State, StateError> {
    joints.check(N)?;
    let [Some(q), Some(qd), Some(qdd)] = [&joints.q, &joints.qd, &joints.qdd].map(JointVector::array) else {
        return Err(StateError::new(Reason::NoPose, format!("q, qd and qdd have to have {N} numbers each")));
    };
    let at = robot.at_joints(q, qd);
    let tool = ToolState {
        pose: dynamics::State::tool(&at),
        velocity: dynamics::State::tool_velocity(&at),
        acceleration: dynamics::State::tool_acceleration(&at, qdd),
        turn: 0.0,
    };
    if !tool.pose.origin.0.iter().all(|x| x.is_finite()) {
        return Err(StateError::new(Reason::NoPose, "no pose of the robot has these joints"));
    }
    Ok(State::new(Form::Joints, pick.clone(), joints.clone(), tool))
}

/// The dynamic model that formulas give.
#[derive(Clone, Copy, Debug)]
pub struct OfDynamics<D, const N: usize>(pub D);

impl<D: Dynamics<f64, N>, const N: usize> OfDynamics<D, N> {
    fn at(&self, state: &State) -> D::At<'_> {
        let [q, qd] = [&state.joints.q, &state.joints.qd].map(padded);
        self.0.at_joints(q, qd)
    }
}

/// The first `N` numbers; where there are fewer, zeros follow. States come from the robot's own kinematics and have as many.
pub(super) fn padded<const N: usize>(values: &JointVector) -> [f64; N] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0))
}

impl<D: Dynamics<f64, N> + Debug + Send + Sync, const N: usize> Model for OfDynamics<D, N> {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        dynamics::State::torque(&self.at(state), padded(&state.joints.qdd), wrench).into()
    }
    fn friction(&self, state: &State) -> JointVector {
        dynamics::State::friction(&self.at(state)).into()
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let at = self.at(state);
        let qdd = dynamics::State::acceleration(&at, padded(torque), wrench);
        let mut state = state.clone();
        state.joints.qdd = qdd.into();
        state.tool.acceleration = dynamics::State::tool_acceleration(&at, qdd);
        Ok(state)
    }
    fn gravity_torque(&self, state: &State) -> JointVector {
        dynamics::State::gravity(&self.at(state)).into()
    }
    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        dynamics::State::torque_of_wrench(&self.at(state), wrench).into()
    }
    fn mass_matrix(&self, state: &State) -> JointMatrix {
        JointMatrix::new(&dynamics::State::mass_matrix(&self.at(state)))
    }
}
