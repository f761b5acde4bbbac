//! An open chain in its joint coordinates, through the articulated bodies of [`crate::chain`].

use super::{Energies, SimulationError, SimulationResult, System, check_length};
use crate::chain::{Chain, ChainMoving};

/// A chain with constant torques; a state is (q, q̇). There is no constraint that could drift.
#[derive(Clone, Debug)]
pub struct ExplicitChain {
    chain: Chain<f64>,
    torque: Vec<f64>,
}

impl ExplicitChain {
    /// The chain with constant joint torques, N m or N, as many as it has joints.
    pub fn new(chain: impl Into<Chain<f64>>, torque: Vec<f64>) -> Self {
        Self { chain: chain.into(), torque }
    }

    /// The moving chain in a state.
    pub fn moving<'a>(&'a self, time: f64, state: &'a [f64]) -> SimulationResult<ChainMoving<'a, f64>> {
        let n = self.chain.joints();
        check_length("state", state, 2 * n)?;
        let (q, qd) = state.split_at(n);
        self.chain.try_moving(q, qd).map_err(|cause| SimulationError::refused(time, cause))
    }
}

impl System for ExplicitChain {
    fn size(&self) -> usize {
        2 * self.chain.joints()
    }

    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        check_length("torque", torque, self.chain.joints())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        let moving = self.moving(time, state)?;
        let qdd = moving.try_acceleration(&self.torque).map_err(|cause| SimulationError::refused(time, cause))?;
        let (velocity, acceleration) = rate.split_at_mut(qdd.len());
        velocity.copy_from_slice(moving.qd);
        acceleration.copy_from_slice(&qdd);
        Ok(())
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        let moving = self.moving(time, state)?;
        let load = -self.torque.iter().zip(state).map(|(torque, q)| torque * q).sum::<f64>();
        let (kinetic, potential) = (moving.kinetic_energy(), moving.pose.potential_energy());
        Ok(Energies { kinetic, potential, load, dissipated: 0.0 })
    }
}
