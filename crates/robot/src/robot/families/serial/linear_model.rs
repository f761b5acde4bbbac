//! Linear models of a serial arm, in its joints.

use super::{SerialArm, array};
use crate::Dual;
use crate::linear::Linearized;
use crate::robot::linear_model::{Coordinates, LinearizeError, Output, in_joints};
use crate::robot::{JointVector, Reason, State, StateError};
use crate::serial::Serial;
use crate::spatial::Wrench;

impl<const N: usize> SerialArm<N> {
    pub(super) fn linear_model(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        if coordinates != Coordinates::Joint {
            let text = "a serial arm has a linear model in joint coordinates only";
            return Err(StateError::new(Reason::NotOffered, text).into());
        }
        let [q, qd, tau] = [&state.joints.q, &state.joints.qd, torque].map(array::<N>);
        self.arm.at_joints(q).and_then(|pose| pose.try_moving(qd)?.try_acceleration(tau)).map_err(StateError::from)?;
        let lifted: Serial<Dual<f64, 1>, N> = self.arm.lift();
        in_joints(&lifted, &self.joints(), [q, qd, tau], wrench, outputs)
    }
}
