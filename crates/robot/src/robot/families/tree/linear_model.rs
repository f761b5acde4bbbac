//! Linear models of a tree, in its joints.

use super::{LinkTree, pushing};
use crate::chain::ChainError;
use crate::linear::Linearized;
use crate::robot::linear_model::{Coordinates, EvaluatedOf, LinearizeError, Output, linear_model_of};
use crate::robot::{Family, JointVector, Reason, State, StateError};
use crate::spatial::Wrench;
use crate::{Dual, Scalar, Vec3};

impl LinkTree {
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
        let exact = self.build_model("exact").map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        exact.accelerated(state, torque, wrench)?;
        let lifted = self.formulas.map(Slope::constant);
        let wrench = pushing(wrench).map(|wrench| wrench.map(Slope::constant));
        let evaluate = |q: &[Slope], qd: &[Slope], torque: &[Slope]| -> Result<EvaluatedOf<Slope>, ChainError> {
            let rate = lifted.acceleration([q, qd, torque], wrench)?;
            let (frame, velocity, acceleration) = lifted.tool_motion([q, qd, &rate])?;
            let tool = [frame.origin, velocity.linear, acceleration.linear];
            Ok(EvaluatedOf { q: q.to_vec(), qd: qd.to_vec(), tool, rate })
        };
        let point = [&state.joints.q[..], &state.joints.qd, torque];
        linear_model_of(&self.joints(), [Output::Joints, Output::JointRates], point, outputs, |q, qd, torque| {
            evaluate(q, qd, torque).unwrap_or_else(|_| {
                // What does not fit together was refused above.
                let none = Slope::from_f64(f64::NAN);
                EvaluatedOf { q: q.to_vec(), qd: qd.to_vec(), tool: [Vec3([none; 3]); 3], rate: vec![none; q.len()] }
            })
        })
    }
}
