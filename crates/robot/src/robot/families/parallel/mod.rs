//! Fully parallel robots as a family: three legs that translate a platform, or six that move it freely.

mod batch;
mod control;
mod drawing;
mod explain;
pub(in crate::robot) mod file;
mod map;
mod mechanism;
pub mod operations;
mod regressor;
mod sensitivity;

use crate::array::map;
use crate::batch::{ColumnsError, Groups, ManyOf};
use crate::delta::Branch;
use crate::limits::JointLimits;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismResult};
use crate::parallel::{Chain, LegParameters, Moving, Parallel, ParallelBody, ParallelParameters, Pose};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop};
use crate::robot::explanation::Explanation;
use crate::robot::families::delta::{self, reach::without_gap};
use crate::robot::linear_model::{LinearTask, LinearizeError};
use crate::robot::map::{self as maps, MapError, MapOptions};
use crate::robot::orientation::attitude;
use crate::robot::own::padded;
use crate::robot::parameters::{moved, visited};
use crate::robot::regressor::Regressor;
use crate::robot::{
    Canvas, Change, ColumnGroup, Derivations, Description, DoesNotApply, Extensions, Family, Form, InvalidParameters,
    Joint, JointKind, JointMatrix, JointState, JointVector, Kind, Load, Model, ModelSpec, MountedRobot, Number,
    ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolMass, ToolState, ToolTurns,
    violations,
};
use crate::spatial::{Frame, Twist, Wrench};
use crate::symbolic::derive::{self, DeriveError, Derived, Of, Request};
use crate::{Mat3, Vec3};

pub(super) const MODELS: [ModelSpec; 1] = [ModelSpec::new("exact", "rigid-body dynamics without approximation")];

pub(super) static KIND: Kind = Kind {
    name: "parallel",
    title: "parallel robot",
    part_table: Some("leg"),
    part: "leg",
    tool_turns: ToolTurns::Freely,
    same_motors: 1,
    ..delta::KIND
};

const GROUPS: [ColumnGroup; 3] = [
    ColumnGroup { name: "details", exact_only: false },
    ColumnGroup { name: "breakdown", exact_only: true },
    ColumnGroup { name: "tensions", exact_only: true },
];

/// A parallel robot with N legs.
#[derive(Clone, Debug)]
pub struct ParallelRobot<const N: usize> {
    robot: Parallel<f64, N>,
    limits: [JointLimits; N],
}

const TURN: f64 = std::f64::consts::TAU;

fn flipped(branch: Branch) -> Branch {
    match branch {
        Branch::Out => Branch::In,
        Branch::In => Branch::Out,
    }
}

/// The branches that are picked: the usual ones of the file, or the other of each leg.
fn branches<const N: usize>(robot: &Parallel<f64, N>, pick: &Pick) -> [Branch; N] {
    match pick.elbows {
        Some(Branch::In) => map(robot.branches(), flipped),
        _ => robot.branches(),
    }
}

/// The robot in a state of its own, from the form in which it was given.
fn moving<'r, const N: usize>(robot: &'r Parallel<f64, N>, state: &State) -> Moving<'r, f64, N> {
    match state.given {
        Form::Tool => robot.pose_unchecked(state.tool.pose, branches(robot, &state.pick)).moving(state.tool.velocity),
        Form::Joints => {
            let pose = robot.pose_of_both(state.tool.pose, padded(&state.joints.q));
            pose.moving_joints(&pose.factors(), padded(&state.joints.qd))
        }
    }
}

/// The larger of the swings of the two ball joints of each leg from where they are at home, rad.
fn ball_angles<const N: usize>(pose: &Pose<'_, f64, N>) -> [f64; N] {
    let (base, platform) = (pose.base_swings(), pose.platform_swings());
    crate::array::from_fn(|i| base[i].max(platform[i]))
}

impl<const N: usize> ParallelRobot<N> {
    /// Its formulas.
    pub fn formulas(&self) -> &Parallel<f64, N> {
        &self.robot
    }

    fn changed(
        &self,
        change: impl FnOnce(&mut ParallelParameters<f64, N>),
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut parameters = *self.robot.parameters();
        change(&mut parameters);
        let robot = Parallel::try_new(parameters).map_err(|error| InvalidParameters(error.to_string()))?;
        Ok(Box::new(Self { robot, ..self.clone() }))
    }

    fn refuse_pick(pick: &Pick) -> Result<(), StateError> {
        let text = match (pick.posture, pick.assembly) {
            (Some(_), _) => "a posture is for serial arms, not for a parallel robot",
            (_, Some(_)) => "a parallel robot is assembled as at its `home`; below or above is for Delta robots",
            _ => return Ok(()),
        };
        Err(StateError::new(Reason::NotOffered, text))
    }

    /// The robot with its platform as it is given.
    fn with_platform(&self, tool: &ToolState, pick: &Pick) -> Result<Moving<'_, f64, N>, StateError> {
        Self::refuse_pick(pick)?;
        let branches = match (pick.elbows, &pick.near) {
            (None, Some(near)) => self.nearest(&tool.pose, near),
            _ => branches(&self.robot, pick),
        };
        let pose = self.robot.at_tool_on(tool.pose, branches)?;
        let moving = pose.try_moving(tool.velocity)?;
        pose.try_moving(tool.acceleration)?;
        Ok(moving)
    }

    /// The branch of each leg on which its joint is nearest to a given one; the usual one where that is not known.
    fn nearest(&self, tool: &Frame<f64>, near: &JointVector) -> [Branch; N] {
        let usual = self.robot.branches();
        let joints = |branches| self.robot.pose_unchecked(*tool, branches).joints();
        let [own, other] = [joints(usual), joints(map(usual, flipped))];
        let off = |i: usize, q: f64| {
            let off = near.get(i).map_or(0.0, |near| q - near);
            let turns = if self.robot.parameters().legs[i].slides() { 0.0 } else { (off / TURN).round() };
            (off - TURN * turns).abs()
        };
        crate::array::from_fn(|i| if off(i, other[i]) < off(i, own[i]) { flipped(usual[i]) } else { usual[i] })
    }

    /// The robot with its joints as they are given.
    fn with_joints(&self, joints: &JointState, pick: &Pick) -> Result<Moving<'_, f64, N>, StateError> {
        Self::refuse_pick(pick)?;
        joints.check(N)?;
        let pose = self.robot.at_joints(padded(&joints.q))?.pose;
        Ok(pose.moving_joints(&pose.factors(), padded(&joints.qd)))
    }

    /// The joints of a motion of the platform; arms on the turn that `near` is on.
    fn joints_of(moving: &Moving<'_, f64, N>, acceleration: Twist<f64>, near: Option<&JointVector>) -> JointState {
        let (parameters, mut q) = (moving.pose.robot.parameters(), moving.pose.joints());
        for (i, q) in q.iter_mut().enumerate() {
            let near = near.and_then(|near| near.get(i)).filter(|near| near.is_finite());
            if let Some(turns) = near.map(|near| ((near - *q) / TURN).round()).filter(|turns| turns.abs() < 1e6)
                && !parameters.legs[i].slides()
            {
                *q += TURN * turns;
            }
        }
        JointState {
            q: q.into(),
            qd: moving.joint_velocity().into(),
            qdd: moving.joint_acceleration(acceleration).into(),
        }
    }

    fn load_of(moving: &Moving<'_, f64, N>, joints: JointState, acceleration: Twist<f64>) -> Load {
        Load {
            joints,
            torque: moving.torque(acceleration, Wrench::zero()).into(),
            friction: moving.friction_torque().into(),
            ball_angles: Some(ball_angles(&moving.pose).into()),
        }
    }

    /// Whether the platform can be there within the joint ranges, on home's side of the singular poses.
    fn is_usable(&self, tool: Frame<f64>, pick: &Pick, side: f64) -> bool {
        self.robot.at_tool_on(tool, branches(&self.robot, pick)).is_ok_and(|pose| {
            let joints = self.joints();
            pose.determinant() * side > 0.0
                && violations(&joints, &pose.joints(), Some(&ball_angles(&pose)), None, None).is_empty()
        })
    }

    /// No platform is farther from its home than this, m: rods, arms and ranges are not longer.
    fn farthest(&self) -> f64 {
        let home = self.robot.pose_unchecked(self.robot.home(), self.robot.branches());
        let reach = |i: usize| {
            let [low, high] = self.limits[i].range;
            let rod = home.legs[i].rod.norm_squared().sqrt();
            let arm = (home.near(i) - self.robot.parameters().legs[i].base).norm_squared().sqrt();
            let travel = if self.robot.parameters().legs[i].slides() && (high - low).is_finite() {
                high - low
            } else {
                2.0 * rod
            };
            2.0 * (rod + arm) + travel
        };
        (0..N).map(reach).fold(f64::INFINITY, f64::min)
    }

    /// The room about home at an orientation: how far along each of many horizontal directions, and down and up.
    fn room(&self, orientation: &Mat3<f64>, pick: &Pick) -> Option<ReachableSphere> {
        const DIRECTIONS: u32 = 48;
        let center = self.robot.home().origin;
        let at = |offset: Vec3<f64>| Frame { rotation: *orientation, origin: center + offset };
        let side = self.robot.at_tool_on(at(Vec3::zero()), branches(&self.robot, pick)).ok()?.determinant();
        let farthest = self.farthest();
        let free = |direction: Vec3<f64>| without_gap(|r| self.is_usable(at(direction * r), pick, side), farthest);
        let around = |k: u32| {
            let (sin, cos) = (f64::from(k) / f64::from(DIRECTIONS) * std::f64::consts::TAU).sin_cos();
            free(Vec3::new(cos, sin, 0.0))
        };
        let radius = (0..DIRECTIONS).map(around).fold(farthest, f64::min);
        let up = Vec3::new(0.0, 0.0, 1.0);
        let heights = Some([center[2] - free(-up), center[2] + free(up)]);
        Some(ReachableSphere { center, radius, heights, pick: pick.clone() })
    }
}

impl<const N: usize> ParallelRobot<N> {
    pub(super) fn joints(&self) -> Vec<Joint> {
        let legs = self.robot.parameters().legs.iter();
        legs.zip(&self.limits)
            .map(|(leg, limits)| Joint {
                kind: if leg.slides() { JointKind::Prismatic } else { JointKind::Revolute },
                limits: *limits,
                friction: leg.motor.friction,
                rotor_inertia: leg.reflected_rotor_inertia(),
                coupling: None,
            })
            .collect()
    }
}

impl<const N: usize> Family for ParallelRobot<N> {
    fn description(&self) -> Description {
        let (parameters, limits) = (self.robot.parameters(), &self.limits);
        let tool_turns = if N > 3 { ToolTurns::Freely } else { ToolTurns::No };
        let drive = |i: usize| (limits[i].max_torque, limits[i].max_speed, parameters.legs[i].slides());
        let same_motors = (0..N).take_while(|&i| drive(i) == drive(0)).count();
        let pick = |elbows| Pick { elbows: Some(elbows), ..Pick::default() };
        Description {
            gravity: self.robot.gravity(),
            payload: parameters.payload.mass,
            usual_orientation: self.robot.home().rotation,
            solutions: vec![pick(Branch::Out), pick(Branch::In)],
            derivations: Derivations::all_but(&[Of::Fk], &[Of::TorqueCartesian, Of::Ik]),
            column_groups: &GROUPS,
            ..Description::new(Kind { tool_turns, same_motors, ..KIND }, self.joints(), &MODELS)
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        if matches!(change, Change::Tool(_) | Change::Springs(_)) {
            return Err(change.not_offered(KIND.title));
        }
        if let Change::ZeroOffsets(by) = change {
            let is_strut = |leg: &LegParameters<f64>| matches!(leg.chain, Chain::Strut { .. });
            // The reading of a strut is a distance: where it is zero is nothing that a file could say.
            if self.robot.parameters().legs.iter().enumerate().any(|(i, leg)| is_strut(leg) && by(i) != 0.0) {
                return Err(change.not_offered("parallel robot with struts"));
            }
        }
        self.changed(|parameters| {
            let legs = parameters.legs.iter_mut();
            match *change {
                Change::ZeroOffsets(by) => legs.enumerate().for_each(|(i, leg)| match &mut leg.chain {
                    Chain::Rotary { axis, zero, .. } => {
                        let (sin, cos) = by(i).sin_cos();
                        *zero = *zero * cos + axis.cross(*zero) * sin;
                    }
                    Chain::Slider { direction, .. } => leg.base = leg.base + *direction * by(i),
                    Chain::Strut { .. } => {}
                }),
                Change::Numbers(by) => moved(|visit| parameters.visit(visit), by),
                Change::Payload(mass) => parameters.payload.mass = mass,
                Change::Friction(friction) => {
                    legs.enumerate().for_each(|(i, leg)| leg.motor.friction = friction(i));
                }
                Change::NoRotors => legs.for_each(|leg| leg.motor.rotor_inertia = 0.0),
                Change::Gravity(gravity) => parameters.gravity = gravity,
                Change::Tool(_) | Change::Springs(_) => {}
            }
        })
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(shapes) => *shapes = drawing::drawing(self, base),
            Canvas::Sample(state, tracks) => drawing::draw(&moving(&self.robot, state).pose, base, tracks),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            operations: Some(Box::new(|bench| operations::costs(&self.robot, bench))),
            ..Extensions::default()
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let parameters = *self.robot.parameters();
        visited(|visit| { parameters }.visit(visit), |rotation| attitude(*rotation))
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        let moving = self.with_joints(joints, pick)?;
        let acceleration = moving.platform_acceleration(&moving.pose.factors(), padded(&joints.qdd));
        let tool = ToolState { pose: moving.pose.tool, velocity: moving.velocity.twist, acceleration, turn: 0.0 };
        Ok(State::new(Form::Joints, pick.clone(), joints.clone(), tool))
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let moving = self.with_platform(tool, pick)?;
        if N > 3 {
            self.robot.check_assembly(&moving.pose)?;
        }
        let joints = Self::joints_of(&moving, tool.acceleration, pick.near.as_ref());
        // Legs on branches of their own: the joints say which.
        let found = moving.pose.branches();
        let mixed = found != branches(&self.robot, pick);
        let all = [Branch::Out, Branch::In].map(|elbows| Pick { elbows: Some(elbows), ..pick.clone() });
        match all.into_iter().find(|all| found == branches(&self.robot, all)) {
            Some(all) if mixed => Ok(State::new(Form::Tool, all, joints, *tool)),
            None if mixed => Ok(State::new(Form::Joints, pick.clone(), joints, *tool)),
            _ => Ok(State::new(Form::Tool, pick.clone(), joints, *tool)),
        }
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        match target {
            Target::Tool(tool) => {
                let moving = self.with_platform(tool, pick)?;
                let joints = Self::joints_of(&moving, tool.acceleration, pick.near.as_ref());
                Ok(Self::load_of(&moving, joints, tool.acceleration))
            }
            Target::Joints(joints) => {
                let moving = self.with_joints(joints, pick)?;
                let acceleration = moving.platform_acceleration(&moving.pose.factors(), padded(&joints.qdd));
                Ok(Self::load_of(&moving, joints.clone(), acceleration))
            }
        }
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        Self::refuse_pick(pick)?;
        let text = "turned like this, the platform cannot be at its home";
        self.room(orientation, pick).ok_or_else(|| StateError::new(Reason::NoPose, text))
    }

    /// That of its file.
    fn home(&self) -> Result<State, StateError> {
        let tool =
            ToolState { pose: self.robot.home(), velocity: Twist::zero(), acceleration: Twist::zero(), turn: 0.0 };
        self.at_tool(&tool, &Pick::default())
    }

    fn build_model(&self, _name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        Ok(Box::new(Exact(self.robot)))
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.sampled_loop(task)
    }

    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        self.linear_model(task)
    }

    fn derive(&self, request: &Request, _: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        match request.of {
            Of::Regressor => derive::parallel_regressor(&self.robot, &self.regressor_columns().programs(), request),
            _ => derive::parallel(&self.robot, request),
        }
    }

    fn field(&self, kind: maps::Kind, options: &MapOptions) -> Result<maps::Field<'_>, MapError> {
        self.map(kind, options)
    }

    fn regressor(&self) -> Result<Regressor, StateError> {
        Ok(self.matrix())
    }

    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        self.part(mechanism, name, base)
    }

    /// The platform keeps its motion while parameters change.
    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        _per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        Ok(Box::new(sensitivity::LegTorque::new(self, states)))
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        Some(file::write(self, name, source))
    }
}

/// The exact model.
#[derive(Clone, Copy, Debug)]
struct Exact<const N: usize>(Parallel<f64, N>);

impl<const N: usize> Model for Exact<N> {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        moving(&self.0, state).torque(state.tool.acceleration, wrench).into()
    }

    fn friction(&self, state: &State) -> JointVector {
        moving(&self.0, state).friction_torque().into()
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let moving = moving(&self.0, state);
        let mut state = state.clone();
        state.tool.acceleration = moving.acceleration(padded(torque), wrench);
        state.joints.qdd = moving.joint_acceleration(state.tool.acceleration).into();
        Ok(state)
    }

    fn gravity_torque(&self, state: &State) -> JointVector {
        let pose = moving(&self.0, state).pose;
        pose.gravity_torque(&pose.factors()).into()
    }

    fn mass_matrix(&self, state: &State) -> JointMatrix {
        let pose = moving(&self.0, state).pose;
        JointMatrix::new(&pose.mass_matrix(&pose.factors()))
    }

    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let pose = moving(&self.0, state).pose;
        pose.torque_of_wrench(&pose.factors(), wrench).into()
    }

    fn ball_angles(&self, state: &State) -> Option<JointVector> {
        Some(ball_angles(&moving(&self.0, state).pose).into())
    }

    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let moving = moving(&self.0, state);
        let (pose, acceleration) = (&moving.pose, state.tool.acceleration);
        let mut columns = Vec::new();
        let mut add = |stem: &str, suffix: &str, values: [f64; N]| {
            columns.extend((1..).zip(values).map(|(leg, value)| (format!("{stem}{leg}{suffix}"), value)));
        };
        match group {
            "details" => {
                add("transmission", "", pose.transmission_margins());
                add("ball", "", ball_angles(pose));
                columns.push((String::from("determinant"), pose.determinant()));
                columns.push((String::from("leg_distance"), pose.least_distance().0));
            }
            "breakdown" => {
                let parts = moving.breakdown(acceleration, wrench);
                add("tau", "_inertia", parts.inertia);
                add("tau", "_coriolis", parts.coriolis);
                add("tau", "_gravity", parts.gravity);
                add("tau", "_friction", parts.friction);
                add("tau", "_external", parts.wrench);
                for (body, torque) in ParallelBody::ALL.iter().zip(parts.bodies) {
                    add("tau", &format!("_{}", body.as_str()), torque);
                }
            }
            "tensions" => {
                let forces = moving.leg_forces(acceleration, wrench);
                let along = |i: usize| {
                    let rod = pose.legs[i].rod;
                    -forces[i].dot(rod) / rod.norm_squared().sqrt()
                };
                add("tension", "_platform", crate::array::from_fn(along));
            }
            _ => {}
        }
        columns
    }

    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        Some(explain::explain(&moving(&self.0, state), state.tool.acceleration, wrench))
    }

    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        batch::many(&self.0, of, states, results)
    }

    fn tool_mass(&self, state: &State) -> Option<ToolMass> {
        let moving = moving(&self.0, state);
        let (mass, gravity) = (moving.pose.platform_mass_matrix(), moving.platform_gravity());
        Some(ToolMass { mass: JointMatrix::new(&mass), gravity: gravity.into() })
    }
}
