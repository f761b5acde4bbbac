//! Open chains as a family: any tree of revolute and prismatic joints, with as many as the file has.

mod breakdown;
mod constants;
mod control;
pub mod derived;
mod drawing;
mod explain;
pub(in crate::robot) mod file;
mod inverse;
mod kernel;
pub(in crate::robot) mod links;
mod long;
mod map;
mod mechanism;
mod models;
mod operations;
mod planning;
mod regressor;
mod sensitivity;
pub(in crate::robot) mod tolerance;

pub use constants::{LumpedConstant, lumped_constants};
pub(super) use models::MODELS;
pub use sensitivity::ChainTorque;

use self::kernel::Kernel;
use self::mechanism::MountedChain;
use crate::chain::{BranchParameters, Chain, ChainParameters, ToolOwner};
use crate::limits::JointLimits;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismError, add_arm};
use crate::parameter::{Field, Must, Place, Tolerance, Unit};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop};
use crate::robot::families::{NoArm, SerialLinks, SerialRobot};
use crate::robot::joints::motor_torques;
use crate::robot::linear_model::{LinearTask, LinearizeError};
use crate::robot::map::{self as maps, MapError, MapOptions};
use crate::robot::orientation::{attitude, rotation};
use crate::robot::parameters::{moved, visited};
use crate::robot::regressor::Regressor;
use crate::robot::{
    Canvas, Change, ColumnGroup, Derivations, Description, DoesNotApply, Extensions, Family, FamilyEquations, Form,
    InvalidParameters, Joint, JointKind, JointState, Kind, Load, Model, ModelSpec, MountedRobot, Number,
    ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolState, ToolTurns,
};
use crate::serial::{self, Body, DhConvention, PumaBranch, PumaGeometry};
use crate::simulate::ExplicitChain;
use crate::spatial::{Frame, Twist, Wrench};
use crate::symbolic::derive::{self, DeriveError, Derived, Of, Request};
use crate::{Mat3, Vec3};
use std::sync::Arc;

/// Inverse kinematics of velocities is refused where the least pivot of the Jacobian (lengths in metres) is below this
/// share of the largest: eight of sixteen digits would be gone.
const LEAST_PIVOT: f64 = 1e-8;

/// Of a tool that cannot be.
const NO_TWIST: Twist<f64> = Twist { linear: Vec3([f64::NAN; 3]), angular: Vec3([f64::NAN; 3]) };

pub(super) static KIND: Kind =
    Kind { part_table: Some("link"), tool_turns: ToolTurns::Freely, ..Kind::of_joints("serial", "serial arm") };

/// An arm has one tool, which is in its own columns.
static GROUPS: [ColumnGroup; 2] =
    [ColumnGroup { name: "breakdown", exact_only: true }, ColumnGroup { name: "details", exact_only: false }];

/// More links in a row than closed forms are for.
static LONG: Kind = Kind { title: "long serial arm", ..KIND };

/// Links that branch, that have mounts, or that carry tools of their own.
static TREE: Kind = Kind { title: "tree of links", ..KIND };

/// For information only.
pub(super) static BREAKAWAY: Field =
    Field::new("breakaway", "", "break-away torque", Unit::Torque, Must::Limit, Tolerance::None);

/// As robot files write it.
pub(super) fn convention_name(convention: DhConvention) -> &'static str {
    match convention {
        DhConvention::Modified => "modified-dh",
        DhConvention::Standard => "standard-dh",
    }
}

/// An open chain: its links as the file has them, and its formulas.
#[derive(Clone, Debug)]
pub struct ChainRobot {
    file: SerialRobot,
    chain: Chain<f64>,
    /// The same formulas where they are fastest.
    kernel: Arc<dyn Kernel>,
    /// The inverse kinematics of arms like the PUMA, or why it is none.
    geometry: Result<PumaGeometry, String>,
    /// That of any other path with up to eight joints.
    inverse: Option<serial::Inverse>,
    /// How the tool is turned on paths and in maps where nobody says it, base frame.
    orientation: Mat3<f64>,
}

/// Where a joint with this range is at home: at zero; else in the middle of the range or at its one end.
pub(super) fn home_of([low, high]: [f64; 2]) -> f64 {
    let middle = 0.5 * (low + high);
    if low <= 0.0 && high >= 0.0 {
        0.0
    } else if middle.is_finite() {
        middle
    } else {
        0.0_f64.max(low).min(high)
    }
}

fn three(joints: &JointState) -> [&[f64]; 3] {
    [&joints.q, &joints.qd, &joints.qdd]
}

fn size(v: crate::Vec3<f64>) -> f64 {
    v.norm_squared().sqrt()
}

/// The lengths of links and mounts from the base to the tool, m.
fn reach(chain: &Chain<f64>) -> f64 {
    let given = chain.parameters();
    let of_link = |&i: &usize| {
        let branch = &given.links[i];
        branch.link.dh.a.hypot(branch.link.dh.d) + branch.mount.map_or(0.0, |mount| size(mount.origin))
    };
    let tool = match chain.tool_owner() {
        ToolOwner::Whole => given.whole.tool.origin,
        ToolOwner::Link(i) => given.links[i].tip.map_or(Vec3::zero(), |tip| tip.frame.origin),
    };
    chain.path().iter().map(of_link).sum::<f64>() + size(tool)
}

fn refuse_elbows(pick: &Pick) -> Result<(), StateError> {
    if pick.elbows.is_some() || pick.assembly.is_some() {
        let text = "elbows out or in, and a platform below or above, are for Delta robots, not for a serial arm";
        return Err(StateError::new(Reason::NotOffered, text));
    }
    Ok(())
}

impl ChainRobot {
    /// The chain of a file.
    pub fn of_file(file: SerialRobot) -> Result<Self, NoArm> {
        let owner = file.arm.find_tool(file.arm.main_tool.as_deref()).unwrap_or(ToolOwner::Whole);
        Self::new(file, owner)
    }

    /// Its formulas.
    pub fn formulas(&self) -> &Chain<f64> {
        &self.chain
    }

    fn new(mut file: SerialRobot, owner: ToolOwner) -> Result<Self, NoArm> {
        let chain = file.arm.chain(owner)?;
        // A joint without limits of its own has none.
        file.limits.resize(chain.joints(), JointLimits::NONE);
        let driven = Self::joints_of(&chain, &file.limits);
        if motor_torques(&driven, &vec![1.0; driven.len()]).iter().any(|torque| torque.is_nan()) {
            return Err(NoArm::Undriven);
        }
        let geometry = match chain.serial::<6>() {
            Some(six) => PumaGeometry::new(&six).map_err(|error| error.to_string()),
            None => {
                let like = "named postures need an arm like the PUMA, with six joints in a row and a spherical wrist; this one has";
                Err(match chain.joints() {
                    6 => format!("{like} mounts or branches"),
                    joints => format!("{like} {joints} joints"),
                })
            }
        };
        let inverse = if geometry.is_ok() { None } else { path_inverse(&chain) };
        let kernel = kernel::of(&chain);
        let mut robot = Self { file, chain, kernel, geometry, inverse, orientation: pointing_down() };
        robot.orientation = usual_orientation(&robot);
        Ok(robot)
    }

    /// The same chain with other parameters.
    fn with_parameters(
        &self,
        change: impl FnOnce(&mut ChainParameters<f64>),
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut parameters = self.chain.parameters().clone();
        change(&mut parameters);
        let links = self.file.arm.with_parameters(parameters);
        self.with_links(links.map_err(|error| InvalidParameters(error.to_string()))?, self.chain.tool_owner())
    }

    fn with_links(&self, arm: SerialLinks, owner: ToolOwner) -> Result<Box<dyn Family>, InvalidParameters> {
        let chain = Self::new(SerialRobot { arm, ..self.file.clone() }, owner);
        Ok(Box::new(chain.map_err(|error| InvalidParameters(error.to_string()))?))
    }

    fn kind(&self) -> Kind {
        match (self.is_arm(), self.chain.is_in_a_row()) {
            (true, _) => KIND,
            (false, true) => LONG,
            (false, false) => TREE,
        }
    }

    /// Up to eight links in a row: one tool, the models of the PUMA, searches for the cheapest programs.
    fn is_arm(&self) -> bool {
        self.chain.is_in_a_row() && self.chain.joints() <= serial::MAX_JOINTS
    }

    pub(super) fn joints(&self) -> Vec<Joint> {
        Self::joints_of(&self.chain, &self.file.limits)
    }

    fn joints_of(chain: &Chain<f64>, limits: &[JointLimits]) -> Vec<Joint> {
        let joint = |(BranchParameters { link, .. }, limits): (&BranchParameters<f64>, &JointLimits)| Joint {
            kind: match link.joint {
                serial::Joint::Revolute => JointKind::Revolute,
                serial::Joint::Prismatic => JointKind::Prismatic,
            },
            limits: *limits,
            friction: link.friction,
            rotor_inertia: link.motor_inertia,
            coupling: link.coupling,
        };
        chain.parameters().links.iter().zip(limits).map(joint).collect()
    }

    /// The joints, from 0, whose motors or which other motors turn with several joints.
    pub(super) fn coupled(&self) -> impl Iterator<Item = usize> {
        let coupled = |(i, link): (usize, &serial::Link<f64>)| {
            link.coupling.map(|all| all.turns().map(|(k, _)| k).chain([i]).collect::<Vec<_>>())
        };
        self.chain.links().iter().enumerate().filter_map(coupled).flatten()
    }

    /// Those of the PUMA are for arms.
    fn models(&self) -> &'static [ModelSpec] {
        if self.is_arm() { &MODELS } else { &MODELS[..1] }
    }

    /// What the main tool carries.
    fn payload(&self) -> Body<f64> {
        let given = self.chain.parameters();
        match self.chain.tool_owner() {
            ToolOwner::Whole => given.whole.payload,
            ToolOwner::Link(i) => given.links[i].tip.map_or(Body::zero(), |tip| tip.payload),
        }
    }

    /// The names of the tools, where there are several, the main one first.
    fn tools(&self) -> Vec<String> {
        let mut all = self.file.arm.tools();
        all.sort_by_key(|(_, owner)| *owner != self.chain.tool_owner());
        all.into_iter().map(|(name, _)| name).collect()
    }

    /// Every tool with its name and the same chain for it.
    fn tips(&self) -> impl Iterator<Item = (String, Chain<f64>)> + '_ {
        let all = self.file.arm.tools().into_iter();
        all.filter_map(|(name, owner)| Some((name, self.file.arm.chain(owner).ok()?)))
    }
}

/// How a tool is usually turned: pointing down. With fewer than six joints, which may be unable to, as at home, unless they turn it in all
/// directions, or about one axis on which it points down.
fn usual_orientation(robot: &ChainRobot) -> Mat3<f64> {
    let down = pointing_down();
    if robot.path_length() >= 6 {
        return down;
    }
    let home = robot.home_joints();
    let Ok(home) = robot.chain.at_joints(&home) else { return down };
    let from_home = down.product(home.tool().rotation.transpose());
    let keeps = |axis: Vec3<f64>| size(from_home * axis - axis) < serial::NEARLY_REACHED;
    match robot.rank(3..6) {
        3 => down,
        1 if home.jacobian().iter().all(|column| keeps(column.angular)) => down,
        _ => home.tool().rotation,
    }
}

/// The inverse kinematics of the joints between the base and the tool, where they are at most eight; the others do not move it.
fn path_inverse(chain: &Chain<f64>) -> Option<serial::Inverse> {
    let zero = vec![0.0; chain.joints()];
    let pose = chain.at_joints(&zero).ok()?;
    let frames = pose.joint_frames();
    let path: Vec<_> = chain.path().iter().map(|&i| (chain.links()[i].joint, frames[i])).collect();
    serial::Inverse::of_path(&path, pose.tool())
}

fn pointing_down() -> Mat3<f64> {
    rotation([std::f64::consts::PI, 0.0, 0.0])
}

impl Family for ChainRobot {
    fn description(&self) -> Description {
        let whole = &self.chain.parameters().whole;
        let pick = |posture| Pick { posture: Some(posture), ..Pick::default() };
        let solutions = match self.geometry {
            Ok(_) => PumaBranch::ALL.map(pick).to_vec(),
            Err(_) => vec![Pick::default()],
        };
        let is_arm = self.is_arm();
        Description {
            gravity: whole.gravity,
            payload: self.payload().mass,
            tools: if is_arm { Vec::new() } else { self.tools() },
            choices: vec![("convention", convention_name(whole.convention))],
            column_groups: if is_arm { &GROUPS[..1] } else { &GROUPS },
            usual_orientation: self.orientation,
            solutions,
            derivations: Derivations::all_but(&[Of::TorqueCartesian, Of::Ik], &[Of::Torque, Of::Mass, Of::Gravity]),
            ..Description::new(self.kind(), self.joints(), self.models())
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        if let Change::Tool(name) = change {
            if self.is_arm() {
                return Err(change.not_offered(KIND.title));
            }
            let Some(owner) = self.file.arm.find_tool(Some(name)) else {
                let known = self.file.arm.known_tools(name);
                return Err(InvalidParameters(format!("there is no tool \"{name}\": {known}")));
            };
            return self.with_links(self.file.arm.clone(), owner);
        }
        let owner = self.chain.tool_owner();
        self.with_parameters(|parameters| {
            let links = parameters.links.iter_mut().map(|branch| &mut branch.link);
            match *change {
                Change::Numbers(by) => moved(|visit| parameters.visit(visit), by),
                Change::Payload(mass) => {
                    regressor::payload_of(parameters, owner).into_iter().for_each(|payload| payload.mass = mass);
                }
                Change::Friction(friction) => links.enumerate().for_each(|(i, link)| link.friction = friction(i)),
                Change::Springs(spring) => {
                    links.enumerate().for_each(|(i, link)| link.spring = spring(i, link.spring));
                }
                Change::ZeroOffsets(by) => links.enumerate().for_each(|(i, link)| match link.joint {
                    serial::Joint::Revolute => {
                        let angle = &mut link.dh.theta_offset;
                        (angle.sin, angle.cos) = angle.added_to(by(i).sin_cos());
                    }
                    serial::Joint::Prismatic => link.dh.d += by(i),
                }),
                Change::NoRotors => links.for_each(|link| (link.motor_inertia, link.armature) = (0.0, None)),
                Change::Gravity(gravity) => parameters.whole.gravity = gravity,
                Change::Tool(_) => {}
            }
        })
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(shapes) => *shapes = drawing::drawing(&self.chain, base),
            Canvas::Sample(state, tracks) => drawing::draw(&self.chain, state, base, tracks),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            operations: Some(Box::new(|bench| self.costs(bench))),
            published_costs: self.is_arm().then_some(operations::beside_papers),
            equations: Some(Box::new(|| derive::equations(&self.chain))),
            ..Extensions::default()
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let mut parameters = self.chain.parameters().clone();
        let mut numbers = visited(|visit| parameters.visit(visit), |rotation| attitude(*rotation));
        let breakaway = |(link, limits): (usize, &JointLimits)| {
            limits.breakaway.map(|value| Number { field: &BREAKAWAY, place: Place::part(link), value })
        };
        numbers.extend(self.file.limits.iter().enumerate().filter_map(breakaway));
        numbers
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        self.planned_load(target, pick)
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        self.roomiest(orientation, pick)
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        joints.check(self.chain.joints())?;
        refuse_elbows(pick)?;
        let (pose, velocity, acceleration) = self.kernel.tool_motion(three(joints))?;
        let tool = ToolState { pose, velocity, acceleration, turn: 0.0 };
        Ok(State::new(Form::Joints, pick.clone(), joints.clone(), tool))
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        refuse_elbows(pick)?;
        let q = self.with_path(&self.others(pick), &self.inverse(&tool.pose, pick)?);
        let [qd, qdd] = self.joint_rates(&q, tool)?;
        let joints = JointState { q, qd, qdd };
        if self.path_length() < 6 {
            // Where the joints have it, which is near to what was asked for.
            return self.at_joints(&joints, pick);
        }
        Ok(State::new(Form::Joints, pick.clone(), joints, *tool))
    }

    /// All joints at zero; where a range does not have it, in the middle of the range or at its one end.
    fn home(&self) -> Result<State, StateError> {
        self.at_joints(&JointState::at_rest(self.home_joints()), &Pick::default())
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        models::build(self, name)
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.sampled_loop(task)
    }

    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        self.linear_model(task)
    }

    fn derive(&self, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        match &request.abbreviation {
            None => derive::serial(&self.chain, request, progress),
            Some(wanted) => derive::abbreviated(&self.chain, &self.file.limits, request, wanted, progress),
        }
    }

    fn field(&self, kind: maps::Kind, options: &MapOptions) -> Result<maps::Field<'_>, MapError> {
        self.map(kind, options)
    }

    fn equations_of_motion(&self, start: &State) -> Result<Option<FamilyEquations>, StateError> {
        let state = [&start.joints.q[..], &start.joints.qd[..]].concat();
        Ok(Some((Box::new(ExplicitChain::new(&self.chain, vec![0.0; self.chain.joints()])), state)))
    }

    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> Result<Box<dyn MountedRobot>, MechanismError> {
        let part = add_arm(mechanism, name, &self.chain, base)?;
        Ok(Box::new(MountedChain { chain: self.chain.clone(), part }))
    }

    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        _per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let states = states.iter().map(|(state, push)| (state.joints.clone(), *push)).collect();
        Ok(Box::new(ChainTorque::new(self, states)?))
    }

    fn regressor(&self) -> Result<Regressor, StateError> {
        Ok(self.matrix())
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        let is_first = self.file.arm.find_tool(None) == Some(self.chain.tool_owner());
        let main_tool = if is_first { None } else { self.tools().into_iter().next() };
        let mut arm = self.file.arm.clone();
        arm.main_tool = main_tool;
        let (name, source) = (name.to_owned(), source.map(str::to_owned));
        Some(SerialRobot { name, source, arm, ..self.file.clone() }.to_toml())
    }
}
