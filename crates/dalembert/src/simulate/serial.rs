//! A serial arm in its joint coordinates, through the articulated bodies of [`crate::serial`].

use super::{Energies, Residual, SimulationError, System, check_length};
use crate::SerialArm;
use crate::arm::{ArmError, ArmVisitor};
use crate::serial::Serial;

/// A serial arm with constant torques; a state is (q, q̇). There is no constraint that could drift.
#[derive(Clone, Debug)]
pub struct ExplicitArm {
    arm: SerialArm,
    torque: Vec<f64>,
}

impl ExplicitArm {
    /// The arm with constant joint torques, N m or N.
    pub fn new(arm: &SerialArm, torque: &[f64]) -> Result<Self, SimulationError> {
        check_length("torque", torque, arm.joints())?;
        Ok(Self { arm: arm.clone(), torque: torque.to_vec() })
    }

    /// The arm.
    pub fn arm(&self) -> &SerialArm {
        &self.arm
    }

    /// The torques.
    pub fn torque(&self) -> &[f64] {
        &self.torque
    }
}

impl System for ExplicitArm {
    fn size(&self) -> usize {
        2 * self.torque.len()
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        let n = self.torque.len();
        let (q, qd) = state.split_at(n);
        let (first, second) = rate.split_at_mut(n);
        first.copy_from_slice(qd);
        self.arm.acceleration(q, qd, &self.torque, second).map_err(|cause| SimulationError::Arm { time, cause })
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        struct Both<'a>(&'a [f64]);
        impl ArmVisitor for Both<'_> {
            type Output = Result<(f64, f64), ArmError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                let (q, qd) = self.0.split_at(N);
                let pose = arm.at_joints(std::array::from_fn(|i| q[i]))?;
                let potential = pose.potential_energy();
                Ok((pose.try_moving(std::array::from_fn(|i| qd[i]))?.kinetic_energy(), potential))
            }
        }
        check_length("state", state, self.size())?;
        let (kinetic, potential) = self.arm.visit(Both(state)).map_err(|cause| SimulationError::Arm { time, cause })?;
        let load = -self.torque.iter().zip(state).map(|(torque, q)| torque * q).sum::<f64>();
        Ok(Energies { kinetic, potential, load, dissipated: 0.0 })
    }

    fn residual(&mut self, _: f64, _: &[f64]) -> Result<Residual, SimulationError> {
        Ok(Residual::default())
    }
}
