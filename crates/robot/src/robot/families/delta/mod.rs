//! Delta robots as a family.

mod batch;
mod carrying;
mod control;
mod drawing;
mod explain;
pub(in crate::robot) mod file;
mod linear_model;
mod map;
mod mechanism;
pub mod operations;
mod pair;
pub(super) mod reach;
mod regressor;
pub mod sensitivity;
pub mod stability;
mod usable;
mod warn;

pub use control::DeltaPlant;
pub use pair::{Carrier, Pair};
pub use reach::Reach;
pub use usable::{NotUsable, Usable, usable};

use crate::array::map;
use crate::batch::{ColumnsError, Groups, ManyOf, one_by_one};
use crate::delta::{AnyModel, ArmParameters, Assembly, Body, Branch, Delta, ModelName, Moving, Pose, Term};
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismResult};
use crate::parameter::{Field, Must, Place, Tolerance, Unit};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop};
use crate::robot::explanation::Explanation;
use crate::robot::families::DeltaRobot;
use crate::robot::linear_model::{LinearTask, LinearizeError};
use crate::robot::map::{self as maps, MapError, MapOptions};
use crate::robot::own::padded;
use crate::robot::parameters::{moved, visited};
use crate::robot::regressor::Regressor;
use crate::robot::{
    Canvas, Change, ColumnGroup, Derivations, Description, DoesNotApply, Extensions, Family, FamilyEquations, Form,
    InvalidParameters, Joint, JointKind, JointMatrix, JointState, JointVector, Kind, Load, Model, ModelSpec,
    MountedRobot, Number, ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolMass,
    ToolState, ToolTurns, UsableRegion,
};
use crate::spatial::{Frame, Wrench};
use crate::symbolic::derive::{self, DeriveError, Derived, Of, Request};
use crate::{Mat3, Vec3};
use dalembert_core::control::Law;
use sensitivity::{DeltaState, DeltaTorque};

pub(super) const MODELS: [ModelSpec; 9] = [
    ModelSpec::new("exact", "rigid-body dynamics without approximation"),
    ModelSpec::new("asadi", "Asadi & Heydari 2020, explicit M, C, G; exact"),
    ModelSpec::new("bortoff", "Bortoff 2018, nine coordinates and constraint forces; exact"),
    ModelSpec::new("codourey", "Codourey 1998 (57), forearms as uniform bars"),
    ModelSpec::new("codourey-simplified", "Codourey 1998 (58), forearm mass 2/3 at the elbow, 1/3 at the platform"),
    ModelSpec::new("falezza-complete", "Falezza et al. 2022, complete model, corrected; exact for uniform rods"),
    ModelSpec::new("falezza-complete-printed", "the same literally as printed"),
    ModelSpec::new(
        "falezza-simplified",
        "Falezza et al. 2022, simplified model, corrected: half and half, uniform arm",
    ),
    ModelSpec::new("falezza-simplified-printed", "the same literally as printed"),
];

pub(super) static KIND: Kind = Kind {
    name: "delta",
    title: "Delta robot",
    part_table: None,
    part: "arm",
    moved: "platform",
    form: Form::Tool,
    both_forms: true,
    tool_turns: ToolTurns::No,
    tool_offset: Vec3([0.0; 3]),
    usual_motion: "pick-and-place",
    usual_law: Law::ComputedTorque,
    has_shortest_times: true,
    same_motors: 3,
};

/// For drawing only.
static SPACING: Field =
    Field::new("forearm.spacing", "", "forearm spacing", Unit::Length, Must::NotNegative, Tolerance::None);

const GROUPS: [ColumnGroup; 4] = [
    ColumnGroup { name: "details", exact_only: false },
    ColumnGroup { name: "breakdown", exact_only: true },
    ColumnGroup { name: "tensions", exact_only: true },
    ColumnGroup { name: "lambda", exact_only: false },
];

/// The robot where it is in a state of its own. Inlined, so that a caller that needs a part of it computes that part.
#[inline(always)]
fn pose<'r>(robot: &'r Delta<f64>, state: &State) -> Pose<'r, f64> {
    match state.given {
        Form::Tool => robot.pose_unchecked(robot.platform_of(state.tool.pose.origin), elbows(&state.pick)),
        Form::Joints => robot.pose_from_joints_unchecked(padded(&state.joints.q), assembly(&state.pick)).0,
    }
}

/// The robot in a state of its own.
fn moving<'r>(robot: &'r Delta<f64>, state: &State) -> Moving<'r, f64> {
    match state.given {
        Form::Tool => pose(robot, state).moving(state.tool.velocity.linear),
        Form::Joints => pose(robot, state).moving_joints(padded(&state.joints.qd)),
    }
}

fn elbows(pick: &Pick) -> Branch {
    pick.elbows.unwrap_or(Branch::Out)
}

fn assembly(pick: &Pick) -> Assembly {
    pick.assembly.unwrap_or(Assembly::Below)
}

/// A platform that its joints do not mean, because others of the same joints are.
fn other_assembly(pose: &Pose<'_, f64>) -> StateError {
    let [here, meant] = match pose.assembly() {
        Assembly::Above => ["above", "below"],
        Assembly::Below => ["below", "above"],
    };
    let margin = pose.rod_determinant();
    let text = format!(
        "beyond a singular pose (type 2): the platform would be {here} the plane through its elbows, and its joints mean the place {meant} it \
         (margin {margin:.2e})"
    );
    StateError::new(Reason::Singular(margin), text).hint(match pose.position[2] > 0.0 {
        true => "z points up and the platform is at negative z: check the sign",
        false => "the assembly mode has to be chosen where the other one is meant",
    })
}

/// The joints of a motion of the platform.
fn joints_of(moving: &Moving<'_, f64>, acceleration: Vec3<f64>) -> JointState {
    let (q, qd, qdd) = (moving.pose.joints(), moving.joint_velocity(), moving.joint_acceleration(acceleration));
    JointState { q: q.into(), qd: qd.into(), qdd: qdd.into() }
}

/// Joint angles on the turn that `near` is on, where these are the same angles: beyond ±180° they keep their meaning.
fn same_turn(q: [f64; 3], near: Option<&JointVector>) -> [f64; 3] {
    const TURN: f64 = 2.0 * core::f64::consts::PI;
    /// Apart by more than this, in rad, they are other angles.
    const SAME: f64 = 1e-6;
    let Some(near) = near else { return q };
    crate::array::from_fn(|i| {
        let given = near.get(i).copied().filter(|near| near.is_finite());
        let turns = given.map_or(0.0, |given| ((given - q[i]) / TURN).round());
        let turned = q[i] + TURN * turns;
        // After many turns nothing is left of the angle.
        let same = turns.abs() < 1e6 && given.is_some_and(|given| (given - turned).abs() < SAME);
        if same { turned } else { q[i] }
    })
}

impl DeltaRobot {
    /// A model, where it applies.
    fn applying(&self, name: &str) -> Result<AnyModel<f64>, DoesNotApply> {
        let Some(model) = ModelName::parse(name) else {
            return Err(DoesNotApply::unknown(name, KIND.title, &MODELS));
        };
        let parameters = self.delta.parameters();
        model.applies_to(parameters).map_err(|error| DoesNotApply {
            model: name.to_owned(),
            message: error.to_string(),
            hint: Some(String::from("`exact` always applies")),
        })?;
        Ok(model.build(parameters))
    }

    /// The robot with its platform as it is given.
    fn with_platform(&self, tool: &ToolState, pick: &Pick) -> Result<Moving<'_, f64>, StateError> {
        Self::refuse_posture(pick)?;
        Self::refuse_turning(tool)?;
        let platform = self.delta.platform_of(tool.pose.origin);
        let pose = match (pick.elbows, &pick.near) {
            (None, Some(near)) => self.nearest(platform, near)?,
            _ => self.delta.at_position(platform, elbows(pick))?,
        };
        if pose.assembly() != assembly(pick) {
            return Err(other_assembly(&pose));
        }
        if tool.acceleration.linear != Vec3::zero() {
            pose.check_rates()?;
        }
        Ok(pose.try_moving(tool.velocity.linear)?)
    }

    /// The pose with each elbow where its joint is nearest to a given one; out where that is not known.
    fn nearest(&self, position: Vec3<f64>, near: &JointVector) -> Result<Pose<'_, f64>, StateError> {
        const TURN: f64 = core::f64::consts::TAU;
        let (mut pose, other) =
            (self.delta.at_position(position, Branch::Out)?, self.delta.pose_unchecked(position, Branch::In));
        let [usual, folded] = [pose.joints(), other.joints()];
        for (i, arm) in pose.arms.iter_mut().enumerate() {
            let off = |q: f64| near.get(i).map_or(0.0, |near| ((q - near) - TURN * ((q - near) / TURN).round()).abs());
            if off(folded[i]) < off(usual[i]) {
                *arm = other.arms[i];
            }
        }
        pose.check_reach()?;
        Ok(pose)
    }

    /// The robot with its joints as they are given.
    fn with_joints(&self, joints: &JointState, pick: &Pick) -> Result<Moving<'_, f64>, StateError> {
        Self::refuse_posture(pick)?;
        joints.check_count(3)?;
        Ok(self.delta.at_joints(padded(&joints.q), assembly(pick))?.try_moving_joints(padded(&joints.qd))?)
    }

    fn refuse_turning(tool: &ToolState) -> Result<(), StateError> {
        let turns = [tool.velocity.angular, tool.acceleration.angular] != [Vec3::zero(); 2];
        match turns || tool.pose.rotation != Mat3::diagonal(1.0) {
            true => Err(StateError::new(Reason::NotOffered, "the platform of a Delta robot does not turn")),
            false => Ok(()),
        }
    }

    fn refuse_posture(pick: &Pick) -> Result<(), StateError> {
        match pick.posture {
            None => Ok(()),
            Some(_) => Err(StateError::new(Reason::NotOffered, "a posture is for serial arms, not for a Delta robot")),
        }
    }
}

impl DeltaRobot {
    pub(super) fn joints(&self) -> Vec<Joint> {
        let arms = self.delta.parameters().arms.iter();
        arms.zip(self.limits)
            .map(|(arm, limits)| Joint {
                kind: JointKind::Revolute,
                limits,
                friction: arm.motor.friction,
                rotor_inertia: arm.reflected_rotor_inertia(),
                coupling: None,
            })
            .collect()
    }

    fn usable_region(&self, pick: &Pick, margin: f64) -> Result<UsableRegion, StateError> {
        let Reach { lowest, highest, .. } = Reach::of(&self.delta);
        let branch = elbows(pick);
        let what = Usable { branch, limits: Some(self.limits), transmission: margin, determinant: margin };
        let found = usable(&self.delta, &what, [lowest, highest], Usable::LAYERS);
        let found = found.map_err(|reason| StateError::new(Reason::NoPose, reason.to_string()))?;
        let of_tool = |heights: [f64; 2]| heights.map(|z| z + self.delta.parameters().tool[2]);
        let [cylinder, box_heights] = [found.cylinder, found.box_heights].map(of_tool);
        Ok(UsableRegion { cylinder, box_heights, ..found })
    }
}

impl Family for DeltaRobot {
    fn description(&self) -> Description {
        let parameters = self.delta.parameters();
        let lossless = |arm: &ArmParameters<f64>| arm.motor.friction.is_none() && arm.passive_damping.is_none();
        let pick = |elbows| Pick { elbows: Some(elbows), ..Pick::default() };
        Description {
            gravity: self.delta.gravity(),
            payload: parameters.payload_mass,
            is_lossless: parameters.arms.iter().all(lossless),
            solutions: vec![pick(Branch::Out), pick(Branch::In)],
            derivations: Derivations::all_but(
                &[],
                &[Of::Torque, Of::TorqueCartesian, Of::Mass, Of::Gravity, Of::Ik, Of::Fk],
            ),
            column_groups: &GROUPS,
            ..Description::new(Kind { tool_offset: parameters.tool, ..KIND }, self.joints(), &MODELS)
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        let robot = self.changed(|parameters| {
            let arms = parameters.arms.iter_mut();
            match *change {
                Change::Numbers(by) => moved(|visit| parameters.visit(visit), by),
                Change::Payload(mass) => parameters.payload_mass = mass,
                Change::Friction(friction) => {
                    arms.enumerate().for_each(|(i, arm)| arm.motor.friction = friction(i));
                }
                Change::NoRotors => arms.for_each(|arm| arm.motor.rotor_inertia = 0.0),
                Change::Gravity(gravity) => parameters.gravity = gravity,
                Change::ZeroOffsets(by) => arms.enumerate().for_each(|(i, arm)| {
                    arm.zero_offset = Some(arm.zero_offset.unwrap_or(0.0) + by(i)).filter(|&offset| offset != 0.0);
                }),
                Change::Tool(_) | Change::Springs(_) => {}
            }
        });
        match change {
            Change::Tool(_) | Change::Springs(_) => Err(change.not_offered(KIND.title)),
            _ => Ok(Box::new(robot.map_err(|error| InvalidParameters(error.to_string()))?)),
        }
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(shapes) => *shapes = drawing::drawing(self, base),
            Canvas::Sample(state, tracks) => drawing::draw(&self.delta, state, base, tracks),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            stability: Some(self),
            usable_region: Some(Box::new(|pick, margin| self.usable_region(pick, margin))),
            start: Some(Box::new(|target| self.start_at(target))),
            free_swing: Some(Box::new(|| self.swing())),
            operations: Some(Box::new(|bench| operations::costs(&self.delta, bench))),
            published_costs: Some(operations::beside_papers),
            ..Extensions::default()
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = visited(|visit| { *self.delta.parameters() }.visit(visit), |_| [0.0; 3]);
        for number in numbers.iter_mut().filter(|number| number.field.key == "base.azimuths") {
            number.value = number.value.rem_euclid(std::f64::consts::TAU);
        }
        let spacing = |(arm, spacing): (usize, &Option<f64>)| {
            spacing.map(|value| Number { field: &SPACING, place: Place::part(arm), value })
        };
        numbers.extend(self.spacing.iter().enumerate().filter_map(spacing));
        numbers
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        let moving = self.with_joints(joints, pick)?;
        let acceleration = moving.platform_acceleration(padded(&joints.qdd));
        let tool = ToolState::translating(moving.pose.tool(), moving.velocity, acceleration);
        Ok(State::new(Form::Joints, pick.clone(), joints.clone(), tool))
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let moving = self.with_platform(tool, pick)?;
        let mut joints = joints_of(&moving, tool.acceleration.linear);
        joints.q = same_turn(moving.pose.joints(), pick.near.as_ref()).into();
        let (mut given, mut pick) = (Form::Tool, pick.clone());
        if pick.elbows.is_none() && pick.near.is_some() {
            let branches @ [first, ..] = moving.pose.branches();
            match branches.iter().all(|&branch| branch == first) {
                true => pick.elbows = Some(first),
                // No choice of elbows says which of them point out: the joints do.
                false => (given, pick.assembly) = (Form::Joints, Some(moving.pose.assembly())),
            }
        }
        Ok(State::new(given, pick, joints, *tool))
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let (moving, acceleration, joints) = match target {
            Target::Tool(tool) => {
                let (moving, acceleration) = (self.with_platform(tool, pick)?, tool.acceleration.linear);
                let mut joints = joints_of(&moving, acceleration);
                joints.q = same_turn(moving.pose.joints(), pick.near.as_ref()).into();
                (moving, acceleration, joints)
            }
            Target::Joints(joints) => {
                let moving = self.with_joints(joints, pick)?;
                (moving, moving.platform_acceleration(padded(&joints.qdd)), joints.clone())
            }
        };
        Ok(Load {
            joints,
            torque: moving.torque(acceleration).into(),
            friction: moving.dissipation_torque().into(),
            ball_angles: Some(moving.pose.ball_angles().into()),
        })
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let Reach { center, radius, lowest, highest } = Reach::of(&self.delta).of_tool(&self.delta);
        let mut still = ToolState::translating(center, Vec3::zero(), Vec3::zero());
        still.pose.rotation = *orientation;
        Self::refuse_turning(&still)?;
        Self::refuse_posture(pick)?;
        Ok(ReachableSphere { center, radius, heights: Some([lowest, highest]), pick: pick.clone() })
    }

    /// The centre of its workspace.
    fn home(&self) -> Result<State, StateError> {
        let center = Reach::of(&self.delta).of_tool(&self.delta).center;
        self.at_tool(&ToolState::translating(center, Vec3::zero(), Vec3::zero()), &Pick::default())
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        Ok(Box::new(DeltaDynamics { robot: self.delta, model: self.applying(name)? }))
    }

    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        self.linear_model(task)
    }

    fn derive(&self, request: &Request, _: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        match request.abbreviation {
            None if request.of == Of::Regressor => {
                derive::delta_regressor(&self.delta, &self.regressor_columns().programs(), request)
            }
            None => derive::delta(&self.delta, request),
            Some(_) => Err(DeriveError::DoesNotApply {
                of: request.of,
                reason: "significance is for the explicit models of serial arms; a Delta's model is a closed formula"
                    .into(),
            }),
        }
    }

    fn field(&self, kind: maps::Kind, options: &MapOptions) -> Result<maps::Field<'_>, MapError> {
        self.map(kind, options)
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.sampled_loop(task)
    }

    fn equations_of_motion(&self, start: &State) -> Result<Option<FamilyEquations>, StateError> {
        self.explicit(start).map(Some)
    }

    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        self.parts(mechanism, name, base)
    }

    /// The platform keeps its motion while parameters change.
    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let of = |(state, push): &(State, Wrench<f64>)| {
            DeltaState::of(&moving(&self.delta, state), state.tool.acceleration.linear, push.force)
        };
        Ok(Box::new(DeltaTorque::new(&self.delta, self.follows, states.iter().map(of).collect(), per_part)))
    }

    fn regressor(&self) -> Result<Regressor, StateError> {
        Ok(self.matrix())
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        Some(DeltaRobot { name: name.to_owned(), source: source.map(str::to_owned), ..self.clone() }.to_toml())
    }
}

/// A Delta with one of its models.
#[derive(Clone, Copy, Debug)]
struct DeltaDynamics {
    robot: Delta<f64>,
    model: AnyModel<f64>,
}

impl Model for DeltaDynamics {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let moving = moving(&self.robot, state);
        self.model.as_model().torque(&moving, state.tool.acceleration.linear, wrench.force).into()
    }

    fn friction(&self, state: &State) -> JointVector {
        moving(&self.robot, state).dissipation_torque().into()
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let moving = moving(&self.robot, state);
        let acceleration = self.model.as_model().acceleration(&moving, padded(torque), wrench.force);
        let mut state = state.clone();
        state.tool.acceleration.linear = acceleration;
        state.joints.qdd = moving.joint_acceleration(acceleration).into();
        Ok(state)
    }

    fn gravity_torque(&self, state: &State) -> JointVector {
        self.model.as_model().gravity_torque(&pose(&self.robot, state)).into()
    }

    fn mass_matrix(&self, state: &State) -> JointMatrix {
        let mass = self.model.as_model().mass_matrix(&pose(&self.robot, state));
        JointMatrix::new(&map(mass.0, |row| row.0))
    }

    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        pose(&self.robot, state).torque_of_wrench(wrench.force).into()
    }

    fn ball_angles(&self, state: &State) -> Option<JointVector> {
        Some(pose(&self.robot, state).ball_angles().into())
    }

    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let moving = moving(&self.robot, state);
        let (pose, acceleration, force) = (&moving.pose, state.tool.acceleration.linear, wrench.force);
        let mut columns = Vec::new();
        let mut add = |stem: &str, suffix: &str, values: [f64; 3]| {
            columns.extend((1..).zip(values).map(|(arm, value)| (format!("{stem}{arm}{suffix}"), value)));
        };
        match group {
            "details" => {
                add("transmission", "", pose.transmission_margins());
                let ball = pose.ball_angles();
                columns.push((String::from("rod_determinant"), pose.rod_determinant()));
                columns.extend((1..).zip(ball).map(|(arm, angle)| (format!("ball{arm}"), angle)));
                for (name, angles) in ["gamma", "psi"].into_iter().zip(explain::passive_angles(pose)) {
                    columns.extend((1..).zip(angles).map(|(arm, angle)| (format!("{name}{arm}"), angle)));
                }
            }
            "breakdown" => {
                let parts = moving.breakdown(acceleration, force);
                Term::ALL.iter().for_each(|&term| add("tau", &format!("_{}", term.as_str()), parts.by_term(term)));
                Body::ALL.iter().for_each(|&body| add("tau", &format!("_{}", body.as_str()), parts.by_body(body)));
            }
            "tensions" => {
                let forces = moving.forearm_forces(acceleration, force);
                add("tension", "_platform", map(forces, |force| force.tension_at_platform));
                add("tension", "_elbow", map(forces, |force| force.tension_at_elbow));
            }
            "lambda" => {
                let [first, second] = explain::multipliers(&moving, acceleration);
                columns.extend((1..).zip(first.0.into_iter().chain(second.0)).map(|(k, x)| (format!("lambda{k}"), x)));
            }
            _ => {}
        }
        columns
    }

    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        let (moving, acceleration) = (moving(&self.robot, state), state.tool.acceleration.linear);
        Some(explain::explain(&moving, acceleration, wrench.force))
    }

    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        if let AnyModel::Exact = self.model {
            return batch::many(&self.robot, of, states, results);
        }
        let model = self.model.as_model();
        one_by_one(states, results, |[position, velocity, third]| {
            let platform = self.robot.platform_of(Vec3(position));
            let moving = self.robot.pose_unchecked(platform, Branch::Out).moving(Vec3(velocity));
            match of {
                ManyOf::Torques => model.torque(&moving, Vec3(third), Vec3::zero()),
                ManyOf::Accelerations => model.acceleration(&moving, third, Vec3::zero()).0,
            }
        })
    }

    fn motions(
        &self,
        given: Form,
        pick: &Pick,
        states: Groups<'_, 3>,
        results: &mut [&mut [f64]],
    ) -> Result<(), ColumnsError> {
        match (self.model, pick.posture, given) {
            (AnyModel::Exact, None, Form::Tool) if assembly(pick) == Assembly::Below => {
                batch::tool_motions(&self.robot, elbows(pick), states, results)
            }
            (AnyModel::Exact, None, Form::Joints) => batch::joint_motions(&self.robot, assembly(pick), states, results),
            _ => Err(ColumnsError::NotOffered),
        }
    }

    /// The gravity is what the holding torques carry at the platform: Jᵀ g.
    fn tool_mass(&self, state: &State) -> Option<ToolMass> {
        let pose = pose(&self.robot, state);
        let model = self.model.as_model();
        let gravity = pose.jacobian().transpose() * Vec3(model.gravity_torque(&pose));
        let mass = map(model.cartesian_mass_matrix(&pose).0, |row| row.0);
        Some(ToolMass { mass: JointMatrix::new(&mass), gravity: gravity.0.into() })
    }
}
