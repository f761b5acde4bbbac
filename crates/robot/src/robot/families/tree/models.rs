//! The dynamic model of a tree: Newton and Euler's recursion, composite and articulated bodies.

use super::{Formulas, pushing, three, vector};
use crate::chain::ChainError;
use crate::robot::families::serial::MODELS;
use crate::robot::{DoesNotApply, JointMatrix, JointVector, Model, State, StateError};
use crate::spatial::Wrench;

/// A model by its name.
pub(super) fn build(formulas: &Formulas<f64>, name: &str, title: &str) -> Result<Box<dyn Model>, DoesNotApply> {
    match MODELS[0].is_called(name) {
        true => Ok(Box::new(Recursion { formulas: formulas.clone() })),
        false => Err(DoesNotApply::unknown(name, title, &MODELS[..1])),
    }
}

#[derive(Debug)]
struct Recursion {
    formulas: Formulas<f64>,
}

impl Recursion {
    fn accelerations(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
    ) -> Result<JointVector, ChainError> {
        let moving = self.formulas.try_moving(&state.joints.q, &state.joints.qd)?;
        let mut all = torque.clone();
        if let Some(wrench) = pushing(wrench) {
            let carried = moving.pose.torque_of_wrench(wrench);
            all.iter_mut().zip(carried).for_each(|(torque, carried)| *torque += carried);
        }
        Ok(JointVector::new(&moving.try_acceleration(&all)?))
    }
}

impl Model for Recursion {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        vector(self.formulas.joints(), self.formulas.torque(three(&state.joints), pushing(wrench)))
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let mut state = state.clone();
        state.joints.qdd = self.accelerations(&state, torque, wrench)?;
        let moved = self.formulas.tool_motion(three(&state.joints))?;
        state.tool.acceleration = moved.2;
        Ok(state)
    }

    fn friction(&self, state: &State) -> JointVector {
        JointVector::new(&self.formulas.friction(&state.joints.qd))
    }

    fn gravity_torque(&self, state: &State) -> JointVector {
        vector(self.formulas.joints(), self.formulas.gravity_torque(&state.joints.q))
    }

    fn mass_matrix(&self, state: &State) -> JointMatrix {
        let n = self.formulas.joints();
        let entries = self.formulas.mass_matrix(&state.joints.q);
        JointMatrix::of_rows(n, &entries.unwrap_or_else(|_| vec![f64::NAN; n * n]))
    }
}
