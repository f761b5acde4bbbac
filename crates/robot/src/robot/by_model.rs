//! The equations of motion of any family: joints, through its exact model.

use super::{EquationsOfMotion, Family, JointState, JointVector, Model, Pick, Reason, State, StateError};
use crate::simulate::{Energies, Residual, SimulationError, System, check_length};
use crate::spatial::Wrench;
use std::sync::Arc;

/// A robot with constant torques; a state is (q, q̇) and the potential energy gained since the start, which a model knows
/// by its rate only: q̇ᵀ g.
#[derive(Debug)]
pub(super) struct ByModel {
    family: Arc<dyn Family>,
    model: Box<dyn Model>,
    pick: Pick,
    torque: JointVector,
}

impl ByModel {
    /// The robot without torques, and the state at the start.
    pub fn new(family: Arc<dyn Family>, start: &State) -> Result<(Self, Vec<f64>), StateError> {
        let model = family
            .build_model(family.description().exact())
            .map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        let JointState { q, qd, .. } = &start.joints;
        let state = [&q[..], &qd[..], &[0.0]].concat();
        Ok((Self { family, model, pick: start.pick.clone(), torque: JointVector::zero(q.len()) }, state))
    }
}

impl EquationsOfMotion for ByModel {
    fn robot_state(&self, time: f64, state: &[f64]) -> Result<State, SimulationError> {
        let n = self.torque.len();
        check_length("state", state, 2 * n + 1)?;
        let (q, qd) = (JointVector::new(&state[..n]), JointVector::new(&state[n..2 * n]));
        let joints = JointState { q, qd, qdd: JointVector::zero(n) };
        self.family.at_joints(&joints, &self.pick).map_err(|cause| SimulationError::StateError { time, cause })
    }
}

impl System for ByModel {
    fn size(&self) -> usize {
        2 * self.torque.len() + 1
    }

    fn set_torques(&mut self, torque: &[f64]) -> Result<(), SimulationError> {
        check_length("torque", torque, self.torque.len())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        let robot = self.robot_state(time, state)?;
        let moved = self.model.accelerated(&robot, &self.torque, Wrench::zero());
        let moved = moved.map_err(|cause| SimulationError::StateError { time, cause })?;
        let (n, qd) = (self.torque.len(), &robot.joints.qd);
        rate[..n].copy_from_slice(qd);
        rate[n..2 * n].copy_from_slice(&moved.joints.qdd);
        rate[2 * n] = dot(&self.model.gravity_torque(&robot), qd);
        Ok(())
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        let robot = self.robot_state(time, state)?;
        let JointState { q, qd, .. } = &robot.joints;
        let mass = self.model.mass_matrix(&robot);
        let kinetic = 0.5 * mass.iter().zip(&qd[..]).map(|(row, speed)| speed * dot(row, qd)).sum::<f64>();
        let potential = state[2 * self.torque.len()];
        Ok(Energies { kinetic, potential, load: -dot(&self.torque, q), dissipated: 0.0 })
    }

    /// There is no constraint that could drift.
    fn residual(&mut self, _: f64, _: &[f64]) -> Result<Residual, SimulationError> {
        Ok(Residual::default())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
