//! What a kind of robot is: the one interface between formulas and everything above them.

use super::closed_loop::{ControlError, Controller, LoopTask, SampledLoop};
use super::linear_model::{LinearTask, LinearizeError};
use super::map::{self, Field, MapError, MapOptions};
use super::operations::{Bench, Cost, PaperTable};
use super::regressor::Regressor;
use super::stability::Stability;
use super::{
    DoesNotApply, EquationsOfMotion, Form, FreeSwing, Joint, JointState, Load, Model, ModelSpec, MountedRobot, Number,
    ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolState,
};
use crate::friction::Friction;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismError, MechanismResult};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::spatial::{Frame, Wrench};
use crate::spring::Spring;
use crate::symbolic::derive::{DeriveError, Derived, Of, Request};
use crate::symbolic::explicit::LumpedConstants;
use crate::{Mat3, Vec3};
use dalembert_core::control::Law;
use std::any::Any;
use std::fmt::Debug;

/// A kind of robot: its numbers, its kinematics, its dynamic models, how it moves and how it looks.
///
/// Implement it to bring a robot of your own; [`Robot`](super::Robot) makes everything else of it. States come validated out
/// of [`Family::at_joints`] and [`Family::at_tool`], so that a [`Model`] need not check them again.
pub trait Family: Any + Debug + Send + Sync {
    /// What it is: joints, gravity, payload, models, and what can be asked of it.
    fn description(&self) -> Description;

    /// Every number of the robot but the limits of its joints, as its family visits them.
    fn numbers(&self) -> Vec<Number> {
        Vec::new()
    }

    /// The same robot with one thing changed.
    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        Err(change.not_offered(self.description().kind.title))
    }

    /// The state with these joints: forward kinematics.
    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError>;

    /// The state with this tool: inverse kinematics.
    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let _ = (tool, pick);
        let text = format!("a {} has no inverse kinematics here", self.description().kind.title);
        Err(StateError::new(Reason::NotOffered, text))
    }

    /// What a target demands of the joints, in one pass: planners ask it for thousands of states.
    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let state = match target {
            Target::Tool(tool) => self.at_tool(tool, pick)?,
            Target::Joints(joints) => self.at_joints(joints, pick)?,
        };
        let exact = self.description().exact();
        let model = self.build_model(exact).map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        Ok(Load {
            torque: model.torque(&state, Wrench::zero()),
            friction: model.friction(&state),
            ball_angles: model.ball_angles(&state),
            joints: state.joints,
        })
    }

    /// A pose to look at: the centre of a Delta's workspace, an arm with all joints at zero.
    fn home(&self) -> Result<State, StateError>;

    /// Where the tool has most room while it keeps an orientation (base frame), and with which solution of the kinematics.
    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let _ = (orientation, pick);
        let text = format!("a {} does not move its tool along paths", self.description().kind.title);
        Err(StateError::new(Reason::NotOffered, text))
    }

    /// A dynamic model, where it applies. `name` is one of [`Description::models`].
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply>;

    /// The linear model about a state with motor torques and a force of the environment on the tool. It is that of a motion
    /// where the torques are those of the state's accelerations, and of an equilibrium where the robot rests.
    /// [`linear_model::in_joints`](super::linear_model::in_joints) makes it from a robot's dynamics.
    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        let _ = task;
        Err(StateError::not_offered("linear models", self.description().kind.title).into())
    }

    /// The torques of states, each with the force of the environment on the tool, as a function of the robot's parameters.
    /// `per_part`: every arm's numbers for themselves where arms are alike.
    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let _ = (states, per_part);
        let text = format!("a {} does not list its parameters", self.description().kind.title);
        Err(StateError::new(Reason::NotOffered, text))
    }

    /// The matrix Y of torques that are linear in the bodies' parameters.
    fn regressor(&self) -> Result<Regressor, StateError> {
        Err(StateError::not_offered("a regressor", self.description().kind.title))
    }

    /// A quantity over the workspace. [`Field::new`] makes it for robots that can put their tool anywhere.
    fn field(&self, kind: map::Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        let _ = (kind, options);
        Err(StateError::not_offered("maps", self.description().kind.title).into())
    }

    /// A derived program. `progress` is told the share that is done, from 0 to 1.
    fn derive(&self, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        let _ = progress;
        let reason = format!("no program can be derived for a {}", self.description().kind.title);
        Err(DeriveError::DoesNotApply { of: request.of, reason })
    }

    /// The robot under control, from sample to sample: it moves as it is, its controller has the model of the robot that it
    /// knows. [`closed_loop::in_joints`](super::closed_loop::in_joints) makes it for robots whose coordinates are their joints.
    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let _ = task;
        Err(ControlError::NotOffered { kind: self.description().kind.title, what: "a closed loop" })
    }

    /// Its own equations of motion, without torques yet, and their state at the start. None: its joints move as its exact
    /// model says.
    fn equations_of_motion(&self, start: &State) -> Result<Option<FamilyEquations>, StateError> {
        let _ = start;
        Ok(None)
    }

    /// Adds it to a mechanism, on a base, with a motor on every joint in their order.
    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        let _ = (mechanism, base);
        Err(MechanismError::NotAPart { robot: name.to_owned() })
    }

    /// What it looks like on a base: a line from the base to the tool and the tool's path, unless the family knows better.
    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(drawing) => {
                let line = vec![Anchor::fixed(base.origin.0), Anchor::on(0, [0.0; 3])];
                drawing.shapes = vec![Shape::Line(Role::Arm, line), Shape::Trace(0)];
                drawing.tracks = vec![Track::default()];
            }
            Canvas::Sample(state, tracks) => {
                if let [tool] = tracks {
                    tool.position.push(base.point(state.tool.pose.origin).0);
                }
            }
        }
    }

    /// What only some kinds of robots can say.
    fn extensions(&self) -> Extensions<'_> {
        Extensions::default()
    }

    /// The robot as a file that reads back as the same robot, for families that have files.
    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        let _ = (name, source);
        None
    }
}

/// What follows from the others.
impl dyn Family {
    pub(super) fn kind(&self) -> Kind {
        self.description().kind
    }

    pub(super) fn joints(&self) -> Vec<Joint> {
        self.description().joints
    }

    /// The state that is asked for.
    pub fn at(&self, target: &Target, pick: &Pick) -> Result<State, StateError> {
        match target {
            Target::Tool(tool) => self.at_tool(tool, pick),
            Target::Joints(joints) => self.at_joints(joints, pick),
        }
    }

    /// A state that simulations can start from.
    pub fn start(&self, target: &Target) -> Result<State, StateError> {
        self.extensions().start.map_or_else(|| self.at(target, &Pick::default()), |start| start(target))
    }

    /// Where the tool can go, for robots that are given by their tool and can say it.
    pub fn workspace(&self) -> Option<Workspace> {
        let Description { kind, usual_orientation, .. } = self.description();
        if kind.form != Form::Tool {
            return None;
        }
        let ReachableSphere { center, radius, heights, .. } =
            self.reachable_sphere(&usual_orientation, &Pick::default()).ok()?;
        Some(Workspace { center, radius, heights: heights? })
    }
}

/// Equations of motion, and their state at the start.
pub type FamilyEquations = (Box<dyn EquationsOfMotion>, Vec<f64>);

/// What is drawn of a robot.
#[derive(Debug)]
pub enum Canvas<'a> {
    /// Its shapes, with tracks that have no samples yet.
    Shapes(&'a mut Drawing),
    /// A further sample of these tracks.
    Sample(&'a State, &'a mut [Track]),
}

/// A change of a robot.
#[non_exhaustive]
pub enum Change<'c> {
    /// Its numbers, each by what is said of it.
    Numbers(&'c dyn Fn(&Number) -> f64),
    /// The mass to carry, kg; centre of mass and inertia of what it carries stay.
    Payload(f64),
    /// Which of its tools positions, velocities and forces mean.
    Tool(&'c str),
    /// The friction at its motors, by the number of a joint, from 0.
    Friction(&'c dyn Fn(usize) -> Option<Friction<f64>>),
    /// Springs and counterbalances at its joints, by the number of a joint, from 0, and what it has.
    Springs(&'c dyn Fn(usize, Option<Spring<f64>>) -> Option<Spring<f64>>),
    /// The acceleration of gravity, base frame, m/s².
    Gravity(Vec3<f64>),
    /// What is to be added to the readings of its joints, by the number of a joint, from 0: their encoders' zeros are elsewhere.
    ZeroOffsets(&'c dyn Fn(usize) -> f64),
    /// Motors and gears without inertia of their own.
    NoRotors,
}

impl Change<'_> {
    /// Why a kind of robot does not take it.
    pub fn not_offered(&self, title: &str) -> InvalidParameters {
        let what = match self {
            Self::Numbers(_) => return InvalidParameters(format!("a {title} does not list its numbers")),
            Self::Tool(_) => return InvalidParameters(format!("a {title} has one tool")),
            Self::NoRotors => return InvalidParameters(format!("the rotors of a {title} cannot be taken out")),
            Self::Payload(_) => "another payload",
            Self::Friction(_) => "another friction",
            Self::Springs(_) => "springs at its joints",
            Self::Gravity(_) => "another gravity",
            Self::ZeroOffsets(_) => "zero offsets of these joints",
        };
        InvalidParameters(format!("a {title} does not take {what} here"))
    }
}

/// What a robot is, as data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Description {
    /// In words, and how its states are usually given.
    pub kind: Kind,
    /// Its driven joints, in order.
    pub joints: Vec<Joint>,
    /// Acceleration of gravity, base frame, m/s².
    pub gravity: Vec3<f64>,
    /// Mass that it carries, kg.
    pub payload: f64,
    /// The names of its tools, where it has several: that which positions, velocities and forces mean comes first.
    pub tools: Vec<String>,
    /// What its file says beside numbers, by key: how the rows of Denavit and Hartenberg are meant.
    pub choices: Vec<(&'static str, &'static str)>,
    /// Whether neither friction nor damping takes energy from it.
    pub is_lossless: bool,
    /// How its tool is turned on paths where nobody says it, base frame.
    pub usual_orientation: Mat3<f64>,
    /// The solutions of its inverse kinematics that have names.
    pub solutions: Vec<Pick>,
    /// The dynamic models, the exact one first.
    pub models: &'static [ModelSpec],
    /// Which programs can be derived.
    pub derivations: Derivations,
    /// Further columns that its states can have.
    pub column_groups: &'static [ColumnGroup],
    /// Why a control law is not for it; none: it is.
    pub refuses: fn(&dyn Controller) -> Option<&'static str>,
}

impl Description {
    /// A robot with these joints and models on Earth, which carries nothing and has no further abilities.
    pub fn new(kind: Kind, joints: Vec<Joint>, models: &'static [ModelSpec]) -> Self {
        Self {
            is_lossless: joints.iter().all(|joint| joint.friction.is_none()),
            kind,
            joints,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            payload: 0.0,
            tools: Vec::new(),
            choices: Vec::new(),
            usual_orientation: Mat3::diagonal(1.0),
            solutions: vec![Pick::default()],
            models,
            derivations: Derivations::default(),
            column_groups: &[],
            refuses: |_| None,
        }
    }

    /// The name of its exact model.
    pub fn exact(&self) -> &'static str {
        self.models.first().map_or("exact", |spec| spec.name)
    }
}

/// What only some kinds of robots can say; none of what the others cannot.
#[derive(Default)]
#[non_exhaustive]
#[allow(clippy::type_complexity)] // the answers are what they are
pub struct Extensions<'r> {
    /// What else it can say of its stability under constant torques, beside [`stability::Held`](super::stability::Held).
    pub stability: Option<&'r dyn Stability>,
    /// The largest regions about its axis that are usable throughout: within the limits, and with at least this margin from
    /// singularities.
    pub usable_region: Option<Box<dyn Fn(&Pick, f64) -> Result<UsableRegion, StateError> + 'r>>,
    /// A state that simulations can start from, where not every state is one.
    pub start: Option<Box<dyn Fn(&Target) -> Result<State, StateError> + 'r>>,
    /// A swing to look at that is better than one from its home.
    pub free_swing: Option<Box<dyn Fn() -> Result<FreeSwing, StateError> + 'r>>,
    /// What its models cost, counted and measured.
    pub operations: Option<Box<dyn Fn(&Bench) -> Vec<Cost> + 'r>>,
    /// What papers say of these costs.
    pub published_costs: Option<fn(&[Cost]) -> Vec<PaperTable>>,
    /// The explicit model as people write it: lumped constants and elements.
    pub equations: Option<Box<dyn Fn() -> Result<LumpedConstants, DeriveError> + 'r>>,
}

/// What a robot is, in words, and how its states are usually given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
    /// The motion that it does unless another is asked for, by its name in `dalembert::motion::named`.
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
    pub const fn of_joints(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            part: "link",
            part_table: None,
            moved: "tool",
            form: Form::Joints,
            both_forms: false,
            tool_turns: ToolTurns::No,
            tool_offset: Vec3([0.0; 3]),
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivations {
    /// All of them.
    pub all: Vec<Of>,
    /// Those that make up an interface in C.
    pub interface: &'static [Of],
}

impl Derivations {
    /// All that there are but some.
    pub fn all_but(not: &[Of], interface: &'static [Of]) -> Self {
        Self { all: Of::ALL.into_iter().filter(|of| !not.contains(of)).collect(), interface }
    }
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
