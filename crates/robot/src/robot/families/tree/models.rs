//! The dynamic model of a tree: Newton and Euler's recursion, composite and articulated bodies.

use super::{Formulas, pushing, three, vector};
use crate::robot::families::serial::MODELS;
use crate::robot::{DoesNotApply, JointMatrix, JointVector, Model, State, StateError};
use crate::spatial::Wrench;
use crate::tree::{LinkScratch, TreeStateError};
use std::sync::Mutex;

/// A model by its name.
pub(super) fn build(formulas: &Formulas<f64>, name: &str, title: &str) -> Result<Box<dyn Model>, DoesNotApply> {
    match MODELS[0].is_called(name) {
        true => Ok(Box::new(Recursion { formulas: formulas.clone(), room: Mutex::new(formulas.room()) })),
        false => Err(DoesNotApply::unknown(name, title, &MODELS[..1])),
    }
}

#[derive(Debug)]
struct Recursion {
    formulas: Formulas<f64>,
    /// Room for torques, kept from call to call: to make it anew takes half as long as the torques. Whoever finds it taken makes his own.
    room: Mutex<Vec<LinkScratch<f64>>>,
}

impl Recursion {
    fn accelerations(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
    ) -> Result<JointVector, TreeStateError> {
        let formulas = &self.formulas;
        let tree = formulas.tree()?;
        let mut room = formulas.room();
        let (mut bodies, mut matrix) = formulas.room_of_bodies();
        let mut moving = tree.try_moving(&state.joints.q, &state.joints.qd, &mut room)?;
        let (mut all, mut qdd) = (torque.clone(), JointVector::zero(formulas.joints()));
        formulas.add(&mut moving.pose, pushing(wrench), &mut all)?;
        moving.try_acceleration(&all, &mut qdd, &mut bodies, &mut matrix)?;
        Ok(qdd)
    }
}

impl Model for Recursion {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let mut torque = JointVector::zero(self.formulas.joints());
        let mut fill = |room: &mut [LinkScratch<f64>]| {
            self.formulas.torque_in(room, three(&state.joints), pushing(wrench), &mut torque)
        };
        let filled = match self.room.try_lock() {
            Ok(mut room) => fill(&mut room),
            Err(_) => fill(&mut self.formulas.room()),
        };
        if filled.is_err() {
            torque.fill(f64::NAN); // a state of another robot
        }
        torque
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let mut state = state.clone();
        state.joints.qdd = self.accelerations(&state, torque, wrench)?;
        let moved = self.formulas.tool_motion(three(&state.joints)).map_err(TreeStateError::from)?;
        state.tool.acceleration = moved.2;
        Ok(state)
    }

    fn friction(&self, state: &State) -> JointVector {
        vector(self.formulas.joints(), self.formulas.friction(&state.joints.qd))
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
