//! The dynamic model of a tree: Newton and Euler's recursion, composite and articulated bodies.

use super::{LinkTree, pushing, three, vector};
use crate::robot::explanation::Explanation;
use crate::robot::families::serial::MODELS;
use crate::robot::orientation::attitude;
use crate::robot::{DoesNotApply, JointMatrix, JointVector, Model, State, StateError};
use crate::spatial::{Frame, Wrench};
use crate::tree::{LinkScratch, TreeStateError};
use std::sync::Mutex;

/// A model by its name.
pub(super) fn build(tree: &LinkTree, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
    match MODELS[0].is_called(name) {
        true => Ok(Box::new(Recursion { room: Mutex::new(tree.formulas.room()), tree: tree.clone() })),
        false => Err(DoesNotApply::unknown(name, tree.kind().title, &MODELS[..1])),
    }
}

#[derive(Debug)]
struct Recursion {
    tree: LinkTree,
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
        let formulas = &self.tree.formulas;
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
        let mut torque = JointVector::zero(self.tree.formulas.joints());
        let mut fill = |room: &mut [LinkScratch<f64>]| {
            self.tree.formulas.torque_in(room, three(&state.joints), pushing(wrench), &mut torque)
        };
        let filled = match self.room.try_lock() {
            Ok(mut room) => fill(&mut room),
            Err(_) => fill(&mut self.tree.formulas.room()),
        };
        if filled.is_err() {
            torque.fill(f64::NAN); // a state of another robot
        }
        torque
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let mut state = state.clone();
        state.joints.qdd = self.accelerations(&state, torque, wrench)?;
        let moved = self.tree.formulas.tool_motion(three(&state.joints)).map_err(TreeStateError::from)?;
        state.tool.acceleration = moved.2;
        Ok(state)
    }

    fn friction(&self, state: &State) -> JointVector {
        vector(self.tree.formulas.joints(), self.tree.formulas.friction(&state.joints.qd))
    }

    fn gravity_torque(&self, state: &State) -> JointVector {
        vector(self.tree.formulas.joints(), self.tree.formulas.gravity_torque(&state.joints.q))
    }

    fn mass_matrix(&self, state: &State) -> JointMatrix {
        let n = self.tree.formulas.joints();
        let entries = self.tree.formulas.mass_matrix(&state.joints.q);
        JointMatrix::of_rows(n, &entries.unwrap_or_else(|_| vec![f64::NAN; n * n]))
    }
    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        vector(self.tree.formulas.joints(), self.tree.formulas.carried(&state.joints.q, wrench))
    }

    /// Where every tool is, and how it is turned.
    fn columns(&self, _group: &str, state: &State, _wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let mut columns = Vec::new();
        for (name, formulas) in self.tree.tips() {
            let Ok((Frame { rotation, origin }, ..)) = formulas.tool_motion(three(&state.joints)) else { continue };
            let values = origin.0.into_iter().chain(attitude(rotation));
            let keys = ["x", "y", "z", "roll", "pitch", "yaw"].into_iter();
            columns.extend(keys.zip(values).map(|(key, value)| (format!("{name}_{key}"), value)));
        }
        columns
    }

    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        self.tree.explained(state, wrench).ok()
    }
}
