//! Linear models of a chain, in its joints.

use super::{ChainRobot, models};
use crate::chain::ChainError;
use crate::linear::Linearized;
use crate::robot::linear_model::{Coordinates, Evaluated, LinearizeError, Output, linear_model};
use crate::robot::{JointVector, Reason, State, StateError};
use crate::spatial::Wrench;
use crate::{Dual, Scalar, Vec3};

impl ChainRobot {
    pub(super) fn linear_model(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        type Slope = Dual<f64, 1>;
        if coordinates != Coordinates::Joint {
            let text = format!("a {} has a linear model in joint coordinates only", self.kind().title);
            return Err(StateError::new(Reason::NotOffered, text).into());
        }
        let point = [&state.joints.q[..], &state.joints.qd, torque];
        let refused = |error: ChainError| LinearizeError::from(StateError::from(error));
        self.chain
            .try_moving(point[0], point[1])
            .and_then(|moving| moving.try_acceleration(torque))
            .map_err(refused)?;
        let lifted = self.chain.map(Slope::constant);
        let wrench = models::pushing(wrench).map(|wrench| wrench.map(Slope::constant));
        let evaluate = |q: &[Slope], qd: &[Slope], torque: &[Slope]| -> Result<Evaluated<Slope>, ChainError> {
            let rate = lifted.acceleration([q, qd, torque], wrench)?;
            let (frame, velocity, acceleration) = lifted.tool_motion([q, qd, &rate])?;
            let tool = [frame.origin, velocity.linear, acceleration.linear];
            Ok(Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool, rate })
        };
        linear_model(&self.joints(), [Output::Joints, Output::JointRates], point, outputs, |q, qd, torque| {
            evaluate(q, qd, torque).unwrap_or_else(|_| {
                // What does not fit together was refused above.
                let none = Slope::from_f64(f64::NAN);
                Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool: [Vec3([none; 3]); 3], rate: vec![none; q.len()] }
            })
        })
    }
}
