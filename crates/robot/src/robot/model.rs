//! Dynamic models of a robot behind one interface.

use super::explanation::Explanation;
use super::geometry::Geometry;
use super::{Form, JointMatrix, JointVector, Pick, State, StateError};
use crate::batch::{ColumnsError, Groups, ManyOf};
use crate::spatial::Wrench;
use std::fmt::Debug;

/// The dynamic model of a [`Family`](super::Family). The states it is asked about come from the robot's own kinematics and are not checked again: users
/// have a [`RobotModel`], which does.
pub trait Model: Debug + Send + Sync {
    /// Torques of the motors for the accelerations of a state while the environment pushes with `wrench` on the tool,
    /// friction included: inverse dynamics, N m (N).
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector;

    /// The part of friction and damping in the torques of a state, N m (N).
    fn friction(&self, state: &State) -> JointVector;

    /// The state as it is with the accelerations that motor torques cause, friction included: forward dynamics.
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError>;

    /// Torques that hold the robot still, N m (N).
    fn gravity_torque(&self, state: &State) -> JointVector;

    /// Mass matrix in joint coordinates, kg m² (kg).
    fn mass_matrix(&self, state: &State) -> JointMatrix;

    /// Torques that push with `wrench` (base frame) on what the tool touches or carries, Jᵀ w, N m (N).
    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector;

    /// Angles of passive ball joints, rad, one per joint; none where there are no such joints.
    fn ball_angles(&self, state: &State) -> Option<JointVector> {
        let _ = state;
        None
    }

    /// The columns of a [group](super::ColumnGroup), and their values in a state while the environment pushes with `wrench`.
    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let _ = (group, state, wrench);
        Vec::new()
    }

    /// A state in full: every intermediate quantity on the way to its torques, for models that can say it.
    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        let _ = (state, wrench);
        None
    }

    /// Torques of many states, friction included. The groups are positions, velocities and accelerations in the form that the
    /// robot usually takes ([`super::Kind::form`]), one column per component. Nothing is checked per state: what is out of
    /// reach comes out as NaN.
    fn torques(&self, states: Groups<'_, 3>, torques: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.many(ManyOf::Torques, states, torques)
    }

    /// Accelerations of many states in the same form: positions, velocities and motor torques.
    fn accelerations(&self, states: Groups<'_, 3>, accelerations: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.many(ManyOf::Accelerations, states, accelerations)
    }

    /// Either of the two.
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        let _ = (of, states, results);
        Err(ColumnsError::NotOffered)
    }

    /// All that tables tell of many motions. The states are positions, velocities and accelerations of the form that is given; the results, a group
    /// of columns after the other, those of the other form, the torques (friction included) and the ball angles. The bits are those of
    /// one state at a time. Of a state that may have to be refused all torques are NaN.
    fn motions(
        &self,
        given: Form,
        pick: &Pick,
        states: Groups<'_, 3>,
        results: &mut [&mut [f64]],
    ) -> Result<(), ColumnsError> {
        let _ = (given, pick, states, results);
        Err(ColumnsError::NotOffered)
    }

    /// Mass matrix and gravity in the coordinates in which the tool moves, for robots with as many joints as these: its velocity
    /// and, where it turns, its angular velocity (of a tool that turns about z that about z).
    fn tool_mass(&self, state: &State) -> Option<ToolMass> {
        let _ = state;
        None
    }
}

/// A dynamic model of a [`Robot`](super::Robot), which refuses states of other robots ([`State`]) and lists with another length than the robot has
/// joints. The methods are those of [`Model`].
#[derive(Debug)]
pub struct RobotModel {
    pub(super) model: Box<dyn Model>,
    pub(super) joints: usize,
    pub(super) geometry: Geometry,
}

#[allow(missing_docs)] // as in `Model`
impl RobotModel {
    /// The model without these checks: for states that come from its robot beyond doubt.
    pub fn unchecked(&self) -> &dyn Model {
        &*self.model
    }

    fn of(&self, state: &State) -> Result<&dyn Model, StateError> {
        state.check(self.joints, self.geometry)?;
        Ok(&*self.model)
    }

    pub fn torque(&self, state: &State, wrench: Wrench<f64>) -> Result<JointVector, StateError> {
        Ok(self.of(state)?.torque(state, wrench))
    }

    pub fn friction(&self, state: &State) -> Result<JointVector, StateError> {
        Ok(self.of(state)?.friction(state))
    }

    pub fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        StateError::ensure_length("torque", self.joints, torque.len())?;
        self.of(state)?.accelerated(state, torque, wrench)
    }

    pub fn gravity_torque(&self, state: &State) -> Result<JointVector, StateError> {
        Ok(self.of(state)?.gravity_torque(state))
    }

    pub fn mass_matrix(&self, state: &State) -> Result<JointMatrix, StateError> {
        Ok(self.of(state)?.mass_matrix(state))
    }

    pub fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> Result<JointVector, StateError> {
        Ok(self.of(state)?.torque_of_wrench(state, wrench))
    }

    pub fn ball_angles(&self, state: &State) -> Result<Option<JointVector>, StateError> {
        Ok(self.of(state)?.ball_angles(state))
    }

    pub fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Result<Vec<(String, f64)>, StateError> {
        Ok(self.of(state)?.columns(group, state, wrench))
    }

    pub fn explain(&self, state: &State, wrench: Wrench<f64>) -> Result<Option<Explanation>, StateError> {
        Ok(self.of(state)?.explain(state, wrench))
    }

    pub fn tool_mass(&self, state: &State) -> Result<Option<ToolMass>, StateError> {
        Ok(self.of(state)?.tool_mass(state))
    }

    pub fn torques(&self, states: Groups<'_, 3>, torques: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.model.torques(states, torques)
    }

    pub fn accelerations(&self, states: Groups<'_, 3>, accelerations: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.model.accelerations(states, accelerations)
    }
}

/// What the tool feels like.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMass {
    /// kg, kg m and kg m².
    pub mass: JointMatrix,
    /// The force and the moment that hold it, N and N m.
    pub gravity: JointVector,
}

/// A model that a family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    /// Its name.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub summary: &'static str,
}

impl ModelSpec {
    /// A model with one name.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, aliases: &[], summary }
    }

    /// Whether a name means this model.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Why there is no such model of a robot. `{:#}` shows its hint too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoesNotApply {
    /// The model.
    pub model: String,
    /// Why not.
    pub message: String,
    /// What may help.
    pub hint: Option<String>,
}

impl std::fmt::Display for DoesNotApply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.hint.as_ref().filter(|_| f.alternate()) {
            Some(hint) => write!(f, "{} ({hint})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for DoesNotApply {}

impl DoesNotApply {
    pub(super) fn unknown(name: &str, title: &str, known: &[ModelSpec]) -> Self {
        let names: Vec<&str> = known.iter().map(|spec| spec.name).collect();
        Self {
            model: name.to_owned(),
            message: format!("`{name}` is not a model of a {title}"),
            hint: Some(format!("known are {}", names.join(", "))),
        }
    }
}
