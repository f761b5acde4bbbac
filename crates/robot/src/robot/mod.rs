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
//!     let holding = robot.model("exact")?.gravity_torque(&home);
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
pub mod file;
mod joints;
mod judged;
pub mod linear_model;
mod load;
pub mod map;
mod model;
pub mod operations;
pub mod orientation;
pub mod own;
pub(crate) mod parameters;
mod placed;
pub mod regressor;
pub mod rows;
mod single_precision;
pub mod stability;
mod state;

pub use crate::state_error::{Reason, StateError};
pub use cache::{Cache, CacheError};
pub use compile::{CompileError, Origin};
pub use joints::{
    Joint, JointKind, JointMatrix, JointUnits, JointVector, MAX_JOINTS, Quantity, Sticking, Violation, sticking,
    units_of, violations,
};
pub use load::{Load, ReachableSphere};
pub use model::{DoesNotApply, Model, ModelSpec, ToolMass};
pub use parameters::{Number, Parameter, ParameterTorque, TorqueOfParameters};
pub use placed::{EquationsOfMotion, FreeSwing, MountedRobot};
pub use single_precision::SinglePrecision;
pub use state::{Form, JointState, Pick, State, Target, ToolState};

use self::explanation::Explanation;
use self::linear_model::{Coordinates, LinearizeError, Output};
use self::map::{Field, MapError, MapOptions};
use self::regressor::Regressor;
use self::stability::Stability;
use crate::friction::Friction;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismError};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::spatial::{Frame, Wrench};
use crate::spring::Spring;
use crate::symbolic::derive::{DeriveError, Derived, Of, Request};
use crate::symbolic::explicit::LumpedConstants;
use crate::{Mat3, Vec3};
use closed_loop::{ControlError, Controller, LoopTask, SampledLoop};
use dalembert_core::control::Law;
use file::Warning;
use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;

/// A kind of robot: its joints, its parameters, its kinematics and its dynamic models, for everything above the formulas.
///
/// Implement it to bring a robot of your own. States come validated out of [`Family::at_joints`] and [`Family::at_tool`], so
/// that a [`Model`] need not check them again.
pub trait Family: Debug + Send + Sync {
    /// What it is.
    fn kind(&self) -> Kind;

    /// Its driven joints, in order.
    fn joints(&self) -> Vec<Joint>;

    /// Every number of the robot but the limits of its joints, as its family visits them.
    fn numbers(&self) -> Vec<Number> {
        Vec::new()
    }

    /// The same robot with its numbers moved: each by what `by` says of it.
    fn moved(&self, by: &dyn Fn(&Number) -> f64) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = by;
        Err(InvalidParameters(format!("a {} does not list its numbers", self.kind().title)))
    }

    /// What its file says beside numbers, by key: how the rows of Denavit and Hartenberg are meant.
    fn choices(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Acceleration of gravity, base frame, m/s².
    fn gravity(&self) -> Vec3<f64>;

    /// Mass that it carries, kg.
    fn payload(&self) -> f64;

    /// The same robot with another mass to carry, kg; centre of mass and inertia of what it carries stay.
    fn with_payload(&self, mass: f64) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = mass;
        Err(InvalidParameters::not_offered("another payload", self.kind().title))
    }

    /// The names of its tools, where it has several: that which positions, velocities and forces mean comes first.
    fn tools(&self) -> Vec<String> {
        Vec::new()
    }

    /// The same robot with another of its tools as the one that positions, velocities and forces mean.
    fn with_tool(&self, name: &str) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = name;
        Err(InvalidParameters(format!("a {} has one tool", self.kind().title)))
    }

    /// The same robot with other friction at its motors; `friction` is told the number of a joint, from 0.
    fn with_frictions(
        &self,
        friction: &dyn Fn(usize) -> Option<Friction<f64>>,
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = friction;
        Err(InvalidParameters::not_offered("another friction", self.kind().title))
    }

    /// The same robot with other springs and counterbalances at its joints; `spring` is told the number of a joint, from 0, and
    /// what it has.
    fn with_springs(
        &self,
        spring: &dyn Fn(usize, Option<Spring<f64>>) -> Option<Spring<f64>>,
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = spring;
        Err(InvalidParameters::not_offered("springs at its joints", self.kind().title))
    }

    /// The same robot with motors and gears that have no inertia of their own.
    fn without_rotors(&self) -> Result<Box<dyn Family>, InvalidParameters> {
        match self.joints().iter().all(|joint| joint.rotor_inertia == 0.0) {
            true => Ok(self.clone_box()),
            false => Err(InvalidParameters(format!("the rotors of a {} cannot be taken out", self.kind().title))),
        }
    }

    /// The same robot in another acceleration of gravity, base frame, m/s².
    fn with_gravity(&self, gravity: Vec3<f64>) -> Result<Box<dyn Family>, InvalidParameters> {
        let _ = gravity;
        Err(InvalidParameters::not_offered("another gravity", self.kind().title))
    }

    /// Whether neither friction nor damping takes energy from it.
    fn is_lossless(&self) -> bool {
        self.joints().iter().all(|joint| joint.friction.is_none())
    }

    /// The state with these joints: forward kinematics.
    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError>;

    /// The state with this tool: inverse kinematics.
    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let _ = (tool, pick);
        Err(StateError::new(Reason::NotOffered, format!("a {} has no inverse kinematics here", self.kind().title)))
    }

    /// What a target demands of the joints, in one pass: planners ask it for thousands of states.
    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let state = match target {
            Target::Tool(tool) => self.at_tool(tool, pick)?,
            Target::Joints(joints) => self.at_joints(joints, pick)?,
        };
        let exact = self.models().first().map_or("exact", |spec| spec.name);
        let model = self.build_model(exact).map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        Ok(Load {
            torque: model.torque(&state, Wrench::zero()),
            friction: model.friction(&state),
            ball_angles: self.ball_angles(&state),
            joints: state.joints,
        })
    }

    /// How its tool is turned on paths where nobody says it, base frame.
    fn usual_orientation(&self) -> Mat3<f64> {
        Mat3::diagonal(1.0)
    }

    /// Where the tool has most room while it keeps an orientation (base frame), and with which solution of the kinematics.
    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let _ = orientation;
        match self.workspace() {
            Some(Workspace { center, radius, .. }) => Ok(ReachableSphere { center, radius, pick: pick.clone() }),
            None => {
                let text = format!("a {} does not move its tool along paths", self.kind().title);
                Err(StateError::new(Reason::NotOffered, text))
            }
        }
    }

    /// Angles of passive ball joints, rad, one per joint; none where there are no such joints.
    fn ball_angles(&self, state: &State) -> Option<JointVector> {
        let _ = state;
        None
    }

    /// A pose to look at: the centre of a Delta's workspace, an arm with all joints at zero.
    fn home(&self) -> Result<State, StateError>;

    /// Where the tool can go, for robots that can say it.
    fn workspace(&self) -> Option<Workspace> {
        None
    }

    /// The dynamic models, the exact one first.
    fn models(&self) -> &'static [ModelSpec];

    /// A dynamic model, where it applies. `name` is one of [`Family::models`].
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply>;

    /// Why a control law is not for it; none: it is.
    fn refuses(&self, law: &dyn Controller) -> Option<&'static str> {
        let _ = law;
        None
    }

    /// The robot under control, from sample to sample: it moves as it is, its controller has the model of the robot that it
    /// knows. [`closed_loop::in_joints`] makes it for robots whose coordinates are their joints.
    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let _ = task;
        Err(ControlError::NotOffered { kind: self.kind().title, what: "a closed loop" })
    }

    /// The linear model about a state with motor torques and a force of the environment on the tool. It is that of a motion
    /// where the torques are those of the state's accelerations, and of an equilibrium where the robot rests.
    /// [`linear_model::in_joints`] makes it from a robot's dynamics.
    fn linearize(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        let _ = (state, torque, wrench, coordinates, outputs);
        Err(StateError::not_offered("linear models", self.kind().title).into())
    }

    /// A state in full: every intermediate quantity on the way to its torques while the environment pushes with `wrench`
    /// on the tool.
    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Result<Explanation, StateError> {
        let _ = (state, wrench);
        Err(StateError::not_offered("an explanation step by step", self.kind().title)
            .hint("its torques and mass matrices can be computed"))
    }

    /// What its models cost, counted and measured.
    fn operations(&self, bench: &operations::Bench) -> Vec<operations::Cost> {
        let _ = bench;
        Vec::new()
    }

    /// What papers say of these costs.
    fn published_costs(&self, costs: &[operations::Cost]) -> Vec<operations::PaperTable> {
        let _ = costs;
        Vec::new()
    }

    /// Which programs can be derived.
    fn derivations(&self) -> Derivations {
        Derivations { all: &[], interface: &[] }
    }

    /// A derived program. `progress` is told the share that is done, from 0 to 1.
    fn derive(&self, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        let _ = progress;
        let reason = format!("no program can be derived for a {}", self.kind().title);
        Err(DeriveError::DoesNotApply { of: request.of, reason })
    }

    /// The explicit model as people write it: lumped constants and elements.
    fn equations(&self) -> Result<LumpedConstants, DeriveError> {
        let reason = format!("a {} has no model in lumped constants", self.kind().title);
        Err(DeriveError::DoesNotApply { of: Of::Torque, reason })
    }

    /// A quantity over the workspace. [`map::Mapper`] makes it for robots that can put their tool anywhere.
    fn field(&self, kind: map::Kind, options: &MapOptions) -> Result<Box<dyn Field + '_>, MapError> {
        let _ = (kind, options);
        Err(StateError::not_offered("maps", self.kind().title).into())
    }

    /// The largest regions about its axis that are usable throughout: within the limits, and with at least this margin from
    /// singularities. None for robots that cannot say it; else they, or why there are none.
    fn usable_region(&self, pick: &Pick, margin: f64) -> Option<Result<UsableRegion, StateError>> {
        let _ = (pick, margin);
        None
    }

    /// What else it can say of its stability under constant torques, beside [`stability::Held`].
    fn stability(&self) -> Option<&dyn Stability> {
        None
    }

    /// Further columns that its states can have, by the names of their groups.
    fn column_groups(&self) -> &'static [ColumnGroup] {
        &[]
    }

    /// The columns of a group, and their values in a state while the environment pushes with `force`.
    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let _ = (group, state, wrench);
        Vec::new()
    }

    /// Torques that push with `wrench` (base frame) on what the tool touches or carries, Jᵀ w, N m (N).
    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector;

    /// A state that simulations can start from.
    fn start(&self, target: &Target) -> Result<State, StateError> {
        match target {
            Target::Tool(tool) => self.at_tool(tool, &Pick::default()),
            Target::Joints(joints) => self.at_joints(joints, &Pick::default()),
        }
    }

    /// A swing to look at: without torques from its home, unless the family knows a better one.
    fn free_swing(&self) -> Result<FreeSwing, StateError> {
        Ok(FreeSwing { start: self.home()?, held: None })
    }

    /// Its own equations of motion, without torques yet, and their state at the start: in its joints, through its exact
    /// model, unless the family knows better ones.
    fn equations_of_motion(&self, start: &State) -> Result<(Box<dyn EquationsOfMotion>, Vec<f64>), StateError> {
        let (system, state) = by_model::ByModel::new(self.clone_box(), start)?;
        Ok((Box::new(system), state))
    }

    /// Adds it to a mechanism, on a base, with a motor on every joint in their order.
    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> Result<Box<dyn MountedRobot>, MechanismError> {
        let _ = (mechanism, base);
        Err(MechanismError::NotAPart { robot: name.to_owned() })
    }

    /// What it looks like on a base, without samples yet: a line from the base to the tool and the tool's path, unless the
    /// family knows better.
    fn drawing(&self, base: &Frame<f64>) -> Drawing {
        let line = vec![Anchor::fixed(base.origin.0), Anchor::on(0, [0.0; 3])];
        let shapes = vec![Shape::Line(Role::Arm, line), Shape::Trace(0)];
        Drawing { tracks: vec![Track::default()], shapes, ..Drawing::default() }
    }

    /// Adds a sample to the tracks of its [`Family::drawing`].
    fn draw(&self, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
        if let [tool] = tracks {
            tool.position.push(base.point(state.tool.pose.origin).0);
        }
    }

    /// The torques of states, each with the force of the environment on the tool, as a function of the robot's parameters.
    /// `per_part`: every arm's numbers for themselves where arms are alike.
    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let _ = (states, per_part);
        Err(StateError::new(Reason::NotOffered, format!("a {} does not list its parameters", self.kind().title)))
    }

    /// The matrix Y of torques that are linear in the bodies' parameters.
    fn regressor(&self) -> Result<Box<dyn Regressor>, StateError> {
        Err(StateError::not_offered("a regressor", self.kind().title))
    }

    /// The robot as a file that reads back as the same robot, for families that have files.
    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        let _ = (name, source);
        None
    }

    /// A copy.
    fn clone_box(&self) -> Box<dyn Family>;

    /// For the family itself, which sometimes meets another robot of its kind.
    fn as_any(&self) -> &dyn Any;
}

/// What a robot is, in words, and how its states are usually given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// As robot files write it: `delta`.
    pub name: &'static str,
    /// For people: `Delta robot`.
    pub title: &'static str,
    /// What it has several of: `arm`, `link`.
    pub part: &'static str,
    /// The tables of a file that describe these one by one, where there are such: `link`.
    pub part_table: Option<&'static str>,
    /// What its motions move: `platform`, `tool`.
    pub moved: &'static str,
    /// The form in which its states are usually given.
    pub form: Form,
    /// Whether every state is reported in both forms.
    pub both_forms: bool,
    /// Whether the tool turns as the joints move.
    pub tool_turns: ToolTurns,
    /// From the point that x, y, z mean to the tool point, m.
    pub tool_offset: Vec3<f64>,
    /// The motion that it does unless another is asked for, by its name in [`motion::named`](crate::motion::named).
    pub usual_motion: &'static str,
    /// The control law that moves it unless another is asked for.
    pub usual_law: Law,
    /// Whether planners find shortest times for it; else the time of a motion has to be given.
    pub has_shortest_times: bool,
    /// How many of its joints, from the first on, have the same motor.
    pub same_motors: usize,
}

/// How a tool turns as the joints move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTurns {
    /// Not at all.
    No,
    /// About the vertical axis z of the base frame: by the angle `c`.
    AboutZ,
    /// In all directions.
    Freely,
}

impl Kind {
    /// A robot whose states are given by its joints and whose tool does not turn: what a family of one's own starts from.
    pub fn of_joints(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            part: "link",
            part_table: None,
            moved: "tool",
            form: Form::Joints,
            both_forms: false,
            tool_turns: ToolTurns::No,
            tool_offset: Vec3::zero(),
            usual_motion: "swing",
            usual_law: Law::ComputedTorque,
            has_shortest_times: true,
            same_motors: 1,
        }
    }
}

/// Where a tool can go, about a vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workspace {
    /// Its middle, m.
    pub center: Vec3<f64>,
    /// How far around the middle every place is reached, m.
    pub radius: f64,
    /// Lowest and highest place on the vertical axis through the middle, m.
    pub heights: [f64; 2],
}

/// Programs that can be derived of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivations {
    /// All of them.
    pub all: &'static [Of],
    /// Those that make up an interface in C.
    pub interface: &'static [Of],
}

/// A cylinder and a box about the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsableRegion {
    /// Radius of the cylinder, m.
    pub cylinder_radius: f64,
    /// Its lower and upper end, m.
    pub cylinder: [f64; 2],
    /// Half the side of the box's square base along x and y, m.
    pub box_half_side: f64,
    /// Its lower and upper end, m.
    pub box_heights: [f64; 2],
}

/// A group of further columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnGroup {
    /// As an option names it: `details`.
    pub name: &'static str,
    /// Whether only the exact model has them.
    pub exact_only: bool,
}

/// A robot that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidParameters(pub String);

impl InvalidParameters {
    fn not_offered(what: &str, kind: &str) -> Self {
        Self(format!("a {kind} does not take {what} here"))
    }
}

/// A robot: a family with a name.
#[derive(Debug)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// What its file says that is possible, but odd.
    pub warnings: Vec<Warning>,
    family: Box<dyn Family>,
}

impl Robot {
    /// A robot of a family, which may be one's own.
    pub fn new(name: impl Into<String>, family: impl Family + 'static) -> Self {
        Self { name: name.into(), source: None, warnings: Vec::new(), family: Box::new(family) }
    }

    /// The same name and source for a changed family.
    pub fn with_family(&self, family: Box<dyn Family>) -> Self {
        let Self { name, source, warnings, .. } = self;
        Self { name: name.clone(), source: source.clone(), warnings: warnings.clone(), family }
    }

    /// The same robot with another mass to carry, kg.
    pub fn with_payload(&self, mass: f64) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.with_payload(mass)?))
    }

    /// The same robot with another of its tools as the one that positions, velocities and forces mean.
    pub fn with_tool(&self, name: &str) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.with_tool(name)?))
    }

    /// The same robot with this friction at every motor.
    pub fn with_friction(&self, friction: Option<Friction<f64>>) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.with_frictions(&|_| friction)?))
    }

    /// The same robot with the break-away torques of its file as dry friction, at rest and in motion.
    pub fn with_breakaway_friction(&self) -> Result<Self, InvalidParameters> {
        let joints = self.joints();
        let broken = |joint: usize| joints.get(joint)?.limits.breakaway;
        if (0..joints.len()).all(|joint| broken(joint).is_none()) {
            return Err(InvalidParameters(format!(
                "{} has no break-away torques: give `breakaway` in its file",
                self.name
            )));
        }
        let friction = |joint: usize| {
            let torque = broken(joint)?;
            Some(Friction { coulomb: torque, static_friction: torque, ..Friction::NONE })
        };
        Ok(self.with_family(self.family.with_frictions(&friction)?))
    }

    /// The same robot with nothing but the viscous part of its friction.
    pub fn without_dry_friction(&self) -> Result<Self, InvalidParameters> {
        let joints = self.joints();
        let smooth = |joint: usize| Some(joints.get(joint)?.friction?.without_dry());
        Ok(self.with_family(self.family.with_frictions(&smooth)?))
    }

    /// The same robot with motors and gears that have no inertia of their own.
    pub fn without_rotors(&self) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.without_rotors()?))
    }

    /// The same robot in another acceleration of gravity, base frame, m/s².
    pub fn with_gravity(&self, gravity: Vec3<f64>) -> Result<Self, InvalidParameters> {
        Ok(self.with_family(self.family.with_gravity(gravity)?))
    }

    /// The state that is asked for.
    pub fn at(&self, target: &Target, pick: &Pick) -> Result<State, StateError> {
        match target {
            Target::Tool(tool) => self.at_tool(tool, pick),
            Target::Joints(joints) => self.at_joints(joints, pick),
        }
    }

    /// A dynamic model by its name.
    pub fn model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        self.family.build_model(self.model_name(name)?)
    }

    /// The first of the names of a dynamic model.
    pub fn model_name(&self, name: &str) -> Result<&'static str, DoesNotApply> {
        let spec = self.models().iter().find(|spec| spec.is_called(name));
        spec.map(|spec| spec.name).ok_or_else(|| DoesNotApply::unknown(name, self.kind().title, self.models()))
    }

    /// The robot as a file, if its family has files. None with a friction law of one's own, which no file can hold.
    pub fn to_toml(&self) -> Option<String> {
        if self.joints().iter().any(|joint| joint.friction.is_some_and(|friction| friction.own.is_some())) {
            return None;
        }
        self.family.to_toml(&self.name, self.source.as_deref())
    }

    /// Its family.
    pub fn family(&self) -> &dyn Family {
        &*self.family
    }
}

impl Clone for Robot {
    fn clone(&self) -> Self {
        self.with_family(self.family.clone_box())
    }
}

impl Deref for Robot {
    type Target = dyn Family;
    fn deref(&self) -> &Self::Target {
        &*self.family
    }
}
