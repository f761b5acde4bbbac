//! One robot: what a robot file gives, and what everything above the formulas asks.
//!
//! A [`Robot`] is a name, a source, warnings, and a [`Family`]: the one interface between the formulas of a kind of robot
//! and every verb, planner, controller, analysis and report. Nothing outside of [`families`] asks which family it has.
//!
//! ```
//! use dalembert::robot::{Pick, Robot, ToolState};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for name in ["d3-1200", "puma560"] {
//!     let robot = Robot::find(name)?;
//!     let home = robot.home()?;
//!     let holding = robot.model("exact")?.gravity_torque(&home)?;
//!     assert_eq!(holding.len(), robot.joints().len());
//! }
//! # Ok(()) }
//! ```

pub mod built_in;
mod by_model;
mod cache;
pub mod closed_loop;
mod compile;
pub mod explanation;
pub mod families;
mod family;
pub mod file;
mod geometry;
mod joints;
mod judged;
pub mod linear_model;
pub mod map;
mod model;
pub mod operations;
pub mod orientation;
pub mod own;
pub(crate) mod parameters;
mod placed;
pub mod regressor;
pub mod rows;
mod short;
mod single_precision;
pub mod stability;
mod state;

pub use crate::state_error::{Reason, StateError};
pub use cache::{Cache, CacheError};
pub use compile::{CompileError, Origin};
pub use family::{
    Canvas, Change, ColumnGroup, Derivations, Description, Extensions, Family, FamilyEquations, InvalidParameters,
    Kind, ToolTurns, UsableRegion, Workspace,
};
pub use joints::{
    Joint, JointKind, JointMatrix, JointUnits, JointVector, MAX_JOINTS, PerJoint, Quantity, Sticking, Violation,
    by_kind, motor_rates, motor_torques, sticking, units_of, violations,
};
pub use judged::CONFIRMED;
pub use model::{DoesNotApply, Model, ModelSpec, RobotModel, ToolMass};
pub use parameters::{Number, Parameter, ParameterTorque, TorqueOfParameters};
pub use placed::{EquationsOfMotion, FreeSwing, MountedRobot};
pub use short::{Energy, TURN_COLUMNS, TorqueDerivatives, turn_row};
pub use single_precision::SinglePrecision;
pub use state::{Form, JointState, Load, Pick, ReachableSphere, State, Target, ToolState};

use self::closed_loop::{ControlError, Controller, LoopTask, SampledLoop};
use self::explanation::Explanation;
use self::file::{FileError, LoadError, Warning};
use self::geometry::Geometry;
use self::linear_model::{Coordinates, LinearTask, LinearizeError, Output};
use self::map::{Field, MapError, MapOptions};
use self::operations::{Bench, Cost, PaperTable};
use self::regressor::Regressor;
use self::stability::Stability;
use crate::friction::Friction;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismResult};
use crate::report::drawing::{Drawing, Track};
use crate::report::text::human;
use crate::spatial::{Frame, Wrench};
use crate::spring::Spring;
use crate::symbolic::derive::{DeriveError, Derived, Of, Request};
use crate::symbolic::explicit::LumpedConstants;
use crate::{Mat3, Vec3};
use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A robot: a family with a name.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// What its file says that is possible, but odd.
    pub warnings: Vec<Warning>,
    family: Arc<dyn Family>,
    description: Description,
    geometry: Geometry,
    /// The exact model, once it was asked for; none where the family has none.
    exact: Arc<OnceLock<Option<Box<dyn Model>>>>,
}

impl Robot {
    /// The robot that a text in the format of `docs/robot-files.md` describes, of whatever family.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        families::read(&file::Document::parse(text)?)
    }

    /// The robot in a file.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, LoadError> {
        file::load(path.as_ref(), Self::parse)
    }

    /// A built-in robot by its name, or else the robot in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        Self::find_with(name_or_path, &[])
    }

    /// The same, with changes of what its file says, each a key and a value: `forearm.mass=0.5`, `link.2.mass=500 g`. What follows
    /// from a number follows from the changed one, and the checks are those of a file.
    ///
    /// ```
    /// use dalembert::Robot;
    /// let heavier = Robot::find_with("d3-1200", &["payload.mass=2 kg".to_owned()])?;
    /// assert_eq!(heavier.payload(), 2.0);
    /// let error = Robot::find_with("d3-1200", &["payload.mas=2 kg".to_owned()]).unwrap_err();
    /// assert!(format!("{error:?}").contains("did you mean `mass`?"));
    /// # Ok::<(), dalembert::robot::file::LoadError>(())
    /// ```
    pub fn find_with(name_or_path: &str, changes: &[String]) -> Result<Self, LoadError> {
        file::find(name_or_path, changes, Self::parse)
    }
}

/// What it is made of.
impl Robot {
    /// A robot of a family, which may be one's own.
    pub fn new(name: impl Into<String>, family: impl Family) -> Self {
        Self::of_family(name.into(), None, Vec::new(), Box::new(family))
    }

    fn of_family(name: String, source: Option<String>, warnings: Vec<Warning>, family: Box<dyn Family>) -> Self {
        let description = family.description();
        let geometry = Geometry::of(&description, &family.numbers());
        Self { name, source, warnings, family: family.into(), description, geometry, exact: Arc::default() }
    }

    /// The same name and source for a changed family.
    pub fn with_family(&self, family: Box<dyn Family>) -> Self {
        Self::of_family(self.name.clone(), self.source.clone(), self.warnings.clone(), family)
    }

    /// Its family.
    pub fn family(&self) -> &dyn Family {
        &*self.family
    }

    /// The family where it is of this type.
    pub fn of_type<F: Family>(&self) -> Option<&F> {
        (self.family() as &dyn Any).downcast_ref()
    }

    /// What it is, as data.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What it is, in words.
    pub fn kind(&self) -> Kind {
        self.description.kind
    }

    /// Its driven joints, in order.
    pub fn joints(&self) -> Vec<Joint> {
        self.description.joints.clone()
    }

    /// Every number of the robot but the limits of its joints.
    pub fn numbers(&self) -> Vec<Number> {
        self.family.numbers()
    }

    /// What its file says beside numbers, by key.
    pub fn choices(&self) -> &[(&'static str, &'static str)] {
        &self.description.choices
    }

    /// Acceleration of gravity, base frame, m/s².
    pub fn gravity(&self) -> Vec3<f64> {
        self.description.gravity
    }

    /// Mass that it carries, kg.
    pub fn payload(&self) -> f64 {
        self.description.payload
    }

    /// The names of its tools, where it has several: that which positions, velocities and forces mean comes first.
    pub fn tools(&self) -> &[String] {
        &self.description.tools
    }

    /// Whether neither friction nor damping takes energy from it.
    pub fn is_lossless(&self) -> bool {
        self.description.is_lossless
    }

    /// The robot as a file, if its family has files. None with a friction law of one's own, which no file can hold.
    pub fn to_toml(&self) -> Option<String> {
        let mut frictions = self.description.joints.iter().filter_map(|joint| joint.friction);
        if frictions.any(|friction| friction.own.is_some()) {
            return None;
        }
        self.family.to_toml(&self.name, self.source.as_deref())
    }
}

/// The same robot with something changed.
impl Robot {
    /// With one thing changed.
    pub fn changed(&self, change: &Change<'_>) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.changed(change)?))
    }

    /// With its numbers moved, each by what `by` says of it.
    pub fn moved(&self, by: &dyn Fn(&Number) -> f64) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Numbers(by))
    }

    /// With another mass to carry, kg.
    pub fn with_payload(&self, mass: f64) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Payload(mass))
    }

    /// With another of its tools as the one that positions, velocities and forces mean.
    pub fn with_tool(&self, name: &str) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Tool(name))
    }

    /// With this friction at every motor.
    pub fn with_friction(&self, friction: Option<Friction<f64>>) -> Result<Self, InvalidParameters> {
        self.with_frictions(&|_| friction)
    }

    /// With other friction at its motors; `friction` is told the number of a joint, from 0.
    pub fn with_frictions(&self, friction: &dyn Fn(usize) -> Option<Friction<f64>>) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Friction(friction))
    }

    /// With the break-away torques of its file as dry friction, at rest and in motion.
    pub fn with_breakaway_friction(&self) -> Result<Self, InvalidParameters> {
        let joints = &self.description.joints;
        if joints.iter().all(|joint| joint.limits.breakaway.is_none()) {
            return Err(InvalidParameters(format!(
                "{} has no break-away torques: give `breakaway` in its file",
                self.name
            )));
        }
        self.with_frictions(&|joint| {
            let torque = joints.get(joint)?.limits.breakaway?;
            Some(Friction { coulomb: torque, static_friction: torque, ..Friction::NONE })
        })
    }

    /// With nothing but the viscous part of its friction.
    pub fn without_dry_friction(&self) -> Result<Self, InvalidParameters> {
        self.with_frictions(&|joint| Some(self.description.joints.get(joint)?.friction?.without_dry()))
    }

    /// With other springs and counterbalances at its joints; `spring` is told the number of a joint, from 0, and what it has.
    pub fn with_springs(
        &self,
        spring: &dyn Fn(usize, Option<Spring<f64>>) -> Option<Spring<f64>>,
    ) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Springs(spring))
    }

    /// With motors and gears that have no inertia of their own.
    pub fn without_rotors(&self) -> Result<Self, InvalidParameters> {
        match self.changed(&Change::NoRotors) {
            Err(_) if self.description.joints.iter().all(|joint| joint.rotor_inertia == 0.0) => Ok(self.clone()),
            changed => changed,
        }
    }

    /// In another acceleration of gravity, base frame, m/s².
    pub fn with_gravity(&self, gravity: Vec3<f64>) -> Result<Self, InvalidParameters> {
        self.changed(&Change::Gravity(gravity))
    }
}

/// Its states and its models.
impl Robot {
    /// The state with these joints: forward kinematics. Every list of joints has to have a number for each joint, or an error says which has not;
    /// velocities or accelerations that are left away are zero.
    pub fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        self.check_pick(pick)?;
        let joints = joints.completed(self.description.joints.len())?;
        Ok(self.own(self.family.at_joints(&joints, pick)?))
    }

    /// The state with this tool: inverse kinematics.
    pub fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        self.check_pick(pick)?;
        let state = self.family.at_tool(tool, pick).map_err(|error| self.in_metres(error, tool))?;
        Ok(self.own(state))
    }

    /// The state that is asked for.
    pub fn at(&self, target: &Target, pick: &Pick) -> Result<State, StateError> {
        match target {
            Target::Tool(tool) => self.at_tool(tool, pick),
            Target::Joints(joints) => self.at_joints(joints, pick),
        }
    }

    /// A state of its family, as one of this robot.
    fn own(&self, state: State) -> State {
        State { geometry: self.geometry, ..state }
    }

    /// Refuses a state of another robot, and one whose lists of joints have another length than this robot has joints.
    pub fn check_state(&self, state: &State) -> Result<(), StateError> {
        state.check(self.description.joints.len(), self.geometry)
    }

    fn check_pick(&self, pick: &Pick) -> Result<(), StateError> {
        let joints = self.description.joints.len();
        pick.near.as_ref().map_or(Ok(()), |near| StateError::ensure_length("near", joints, near.len()))
    }

    /// A refusal that says so where the position is one of millimetres: hundreds of times as far from the base as home, and a thousandth
    /// of it is not.
    fn in_metres(&self, mut error: StateError, tool: &ToolState) -> StateError {
        let of_reach = matches!(error.reason, Reason::TooFar(_) | Reason::TooClose(_) | Reason::NoPose);
        let Some(home) = of_reach.then(|| self.home().ok()).flatten() else { return error };
        let position = tool.pose.origin;
        let [far, home] = [position, home.tool.pose.origin].map(|place| place.norm_squared().sqrt());
        if !(far > 50.0 * home && far < 5000.0 * home) {
            return error;
        }
        let largest = position.0.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(far);
        error.text += &format!("; positions are in metres: {} looks like millimetres", human(largest, 6));
        error
    }

    /// A pose to look at: the centre of a Delta's workspace, an arm with all joints at zero.
    pub fn home(&self) -> Result<State, StateError> {
        Ok(self.own(self.family.home()?))
    }

    /// The largest sphere that the tool reaches while it keeps an orientation (base frame), and with which solution of the kinematics.
    pub fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        self.family.reachable_sphere(orientation, pick)
    }

    /// Where the tool can go, for robots that are given by their tool and can say it.
    pub fn workspace(&self) -> Option<Workspace> {
        self.family.workspace()
    }

    /// What a target demands of the joints, in one pass.
    pub fn joint_load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        self.check_pick(pick)?;
        match target {
            Target::Tool(tool) => self.family.load(target, pick).map_err(|error| self.in_metres(error, tool)),
            Target::Joints(joints) => match joints.completed(self.description.joints.len())? {
                Cow::Borrowed(_) => self.family.load(target, pick),
                Cow::Owned(joints) => self.family.load(&Target::Joints(joints), pick),
            },
        }
    }

    /// How its tool is turned on paths where nobody says it, base frame.
    pub fn usual_orientation(&self) -> Mat3<f64> {
        self.description.usual_orientation
    }

    /// The dynamic models, the exact one first.
    pub fn models(&self) -> &'static [ModelSpec] {
        self.description.models
    }

    /// A dynamic model by its name.
    pub fn model(&self, name: &str) -> Result<RobotModel, DoesNotApply> {
        let model = self.build_model(name)?;
        Ok(RobotModel { model, joints: self.description.joints.len(), geometry: self.geometry })
    }

    /// The first of the names of a dynamic model.
    pub fn model_name(&self, name: &str) -> Result<&'static str, DoesNotApply> {
        let spec = self.models().iter().find(|spec| spec.is_called(name));
        spec.map(|spec| spec.name).ok_or_else(|| DoesNotApply::unknown(name, self.kind().title, self.models()))
    }

    /// The same without the checks of [`RobotModel`]: for states that come from this robot beyond doubt.
    pub fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        self.family.build_model(self.model_name(name)?)
    }

    /// The linear model about a state with motor torques and a force of the environment on the tool. It is that of a motion
    /// where the torques are those of the state's accelerations, and of an equilibrium where the robot rests.
    pub fn linearize(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        self.check_state(state)?;
        StateError::ensure_length("torque", self.description.joints.len(), torque.len())?;
        self.family.linearize(&LinearTask { state, torque, wrench, coordinates, outputs })
    }

    /// The torques of states, each with the force of the environment on the tool, as a function of the robot's parameters.
    /// `per_part`: every arm has numbers of its own where arms are alike.
    pub fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        states.iter().try_for_each(|(state, _)| self.check_state(state))?;
        self.family.torque_of_parameters(states, per_part)
    }

    /// The matrix Y of torques that are linear in the bodies' parameters.
    pub fn regressor(&self) -> Result<Regressor, StateError> {
        self.family.regressor()
    }

    /// A quantity over the workspace.
    pub fn field(&self, kind: map::Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        self.family.field(kind, options)
    }

    /// The exact model, which is built once.
    fn exact(&self) -> Option<&dyn Model> {
        self.exact.get_or_init(|| self.build_model(self.description.exact()).ok()).as_deref()
    }

    /// The exact model for one of its states.
    fn exact_in(&self, state: &State) -> Result<&dyn Model, StateError> {
        self.check_state(state)?;
        self.exact().ok_or_else(|| StateError::not_offered("a model", self.kind().title))
    }

    /// Angles of passive ball joints, rad, one per joint; none where there are no such joints.
    pub fn ball_angles(&self, state: &State) -> Result<Option<JointVector>, StateError> {
        self.check_state(state)?;
        Ok(self.exact().and_then(|exact| exact.ball_angles(state)))
    }

    /// Torques that push with `wrench` (base frame) on what the tool touches or carries, Jᵀ w, N m (N).
    pub fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> Result<JointVector, StateError> {
        Ok(self.exact_in(state)?.torque_of_wrench(state, wrench))
    }

    /// Further columns that its states can have, by the names of their groups.
    pub fn column_groups(&self) -> &'static [ColumnGroup] {
        self.description.column_groups
    }

    /// The columns of a group, and their values in a state while the environment pushes with `wrench`.
    pub fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Result<Vec<(String, f64)>, StateError> {
        self.check_state(state)?;
        Ok(self.exact().map_or_else(Vec::new, |exact| exact.columns(group, state, wrench)))
    }

    /// A state in full: every intermediate quantity on the way to its torques while the environment pushes with `wrench`
    /// on the tool.
    pub fn explain(&self, state: &State, wrench: Wrench<f64>) -> Result<Explanation, StateError> {
        self.check_state(state)?;
        let explained = self.exact().and_then(|exact| exact.explain(state, wrench));
        explained.map(|found| found.with_units_of(&self.description.joints)).ok_or_else(|| {
            StateError::not_offered("an explanation step by step", self.kind().title)
                .hint("`torque` and `mass` compute its states")
        })
    }
}

/// Programs and costs.
impl Robot {
    /// Which programs can be derived.
    pub fn derivations(&self) -> &Derivations {
        &self.description.derivations
    }

    /// A derived program. `progress` is called with the share that is done, from 0 to 1.
    pub fn derive(&self, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        self.family.derive(request, progress)
    }

    /// The explicit model as people write it: lumped constants and elements.
    pub fn equations(&self) -> Result<LumpedConstants, DeriveError> {
        match self.family.extensions().equations {
            Some(equations) => equations(),
            None => {
                let reason = format!("a {} has no model in lumped constants", self.kind().title);
                Err(DeriveError::DoesNotApply { of: Of::Torque, reason })
            }
        }
    }

    /// What its models cost, counted and measured.
    pub fn operations(&self, bench: &Bench) -> Vec<Cost> {
        self.family.extensions().operations.map_or_else(Vec::new, |operations| operations(bench))
    }

    /// What papers say of these costs.
    pub fn published_costs(&self, costs: &[Cost]) -> Vec<PaperTable> {
        self.family.extensions().published_costs.map_or_else(Vec::new, |published| published(costs))
    }
}

/// How it moves and looks.
impl Robot {
    /// Why a control law is not for it; none: it is.
    pub fn refuses(&self, law: &dyn Controller) -> Option<&'static str> {
        (self.description.refuses)(law)
    }

    /// The robot under control, from sample to sample: it moves as it is, its controller has the model of the robot that it
    /// knows.
    pub fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.check_pick(task.pick).map_err(|cause| ControlError::of_reference(0.0, cause))?;
        self.family.closed_loop(task)
    }

    /// A state that simulations can start from.
    pub fn start(&self, target: &Target) -> Result<State, StateError> {
        let family = self.family();
        match target {
            Target::Tool(_) => Ok(self.own(family.start(target)?)),
            Target::Joints(joints) => {
                let joints = joints.completed(self.description.joints.len())?.into_owned();
                Ok(self.own(family.start(&Target::Joints(joints))?))
            }
        }
    }

    /// Adds it to a mechanism, on a base, with a motor on every joint in their order.
    pub fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        self.family.add_to(mechanism, name, base)
    }

    /// The largest regions about its axis that are usable throughout: within the limits, and with at least this margin from
    /// singularities. None for robots that cannot say it; else they, or why there are none.
    pub fn usable_region(&self, pick: &Pick, margin: f64) -> Option<Result<UsableRegion, StateError>> {
        self.family.extensions().usable_region.map(|region| region(pick, margin))
    }

    /// What else it can say of its stability under constant torques, beside [`stability::Held`].
    pub fn stability(&self) -> Option<&dyn Stability> {
        self.family.extensions().stability
    }

    /// A swing to look at: without torques from its home, unless the family knows a better one.
    pub fn free_swing(&self) -> Result<FreeSwing, StateError> {
        match self.family.extensions().free_swing {
            Some(swing) => {
                let FreeSwing { start, held } = swing()?;
                Ok(FreeSwing { start: self.own(start), held: held.map(|held| self.own(held)) })
            }
            None => Ok(FreeSwing { start: self.home()?, held: None }),
        }
    }

    /// Its equations of motion, without torques yet, and their state at the start: the family's own, or in its joints,
    /// through its exact model.
    pub fn equations_of_motion(&self, start: &State) -> Result<FamilyEquations, StateError> {
        self.check_state(start)?;
        if let Some(own) = self.family.equations_of_motion(start)? {
            return Ok(own);
        }
        let (system, state) = by_model::ByModel::new(self.family.clone(), start)?;
        Ok((Box::new(system), state))
    }

    /// What it looks like on a base, without samples yet.
    pub fn drawing(&self, base: &Frame<f64>) -> Drawing {
        let mut drawing = Drawing::default();
        self.family.draw(base, Canvas::Shapes(&mut drawing));
        drawing
    }

    /// Adds a sample to the tracks of its [`Robot::drawing`].
    pub fn draw(&self, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
        self.family.draw(base, Canvas::Sample(state, tracks));
    }
}
