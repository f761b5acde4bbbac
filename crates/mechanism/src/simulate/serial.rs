//! A serial arm in its joint coordinates, through the articulated bodies of [`crate::serial`].

use super::{Energies, Residual, SimulationError, System, check_length};
use crate::serial::{Moving, Serial};

/// A serial arm with constant torques; a state is (q, q̇). There is no constraint that could drift.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitArm<const N: usize> {
    arm: Serial<f64, N>,
    torque: [f64; N],
}

impl<const N: usize> ExplicitArm<N> {
    /// The arm with constant joint torques, N m or N.
    pub fn new(arm: &Serial<f64, N>, torque: [f64; N]) -> Self {
        Self { arm: *arm, torque }
    }

    /// The moving arm in a state.
    pub fn moving(&self, time: f64, state: &[f64]) -> Result<Moving<'_, f64, N>, SimulationError> {
        check_length("state", state, 2 * N)?;
        let pose = self.arm.at_joints(std::array::from_fn(|i| state[i]));
        let moving = pose.and_then(|pose| pose.try_moving(std::array::from_fn(|i| state[N + i])));
        moving.map_err(|cause| SimulationError::refused(time, cause))
    }
}

impl<const N: usize> System for ExplicitArm<N> {
    fn size(&self) -> usize {
        2 * N
    }

    fn set_torques(&mut self, torque: &[f64]) -> Result<(), SimulationError> {
        check_length("torque", torque, N)?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        let moving = self.moving(time, state)?;
        let qdd = moving.try_acceleration(self.torque).map_err(|cause| SimulationError::refused(time, cause))?;
        rate[..N].copy_from_slice(&moving.qd);
        rate[N..].copy_from_slice(&qdd);
        Ok(())
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        let moving = self.moving(time, state)?;
        let load = -self.torque.iter().zip(state).map(|(torque, q)| torque * q).sum::<f64>();
        let (kinetic, potential) = (moving.kinetic_energy(), moving.pose.potential_energy());
        Ok(Energies { kinetic, potential, load, dissipated: 0.0 })
    }

    fn residual(&mut self, _: f64, _: &[f64]) -> Result<Residual, SimulationError> {
        Ok(Residual::default())
    }
}
