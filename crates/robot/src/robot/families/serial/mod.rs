//! Serial arms as a family, one for each number of joints.

mod constants;
mod control;
pub mod derived;
mod drawing;
mod explain;
pub(in crate::robot) mod file;
mod inverse;
mod linear_model;
pub(in crate::robot) mod links;
mod map;
mod mechanism;
mod models;
mod operations;
mod planning;
mod puma;
mod regressor;
pub mod sensitivity;
pub(in crate::robot) mod tolerance;

pub use constants::{LumpedConstant, lumped_constants};
pub(super) use models::MODELS;

use self::links::with_joints;
use crate::limits::JointLimits;
use crate::linear::Linearized;
use crate::mechanism::{Mechanism, MechanismError};
use crate::parameter::{Field, Must, Place, Tolerance, Unit};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop};
use crate::robot::families::tree::LinkTree;
use crate::robot::families::{LinkTolerances, NoArm, SerialLinks, SerialRobot, Surroundings};
use crate::robot::linear_model::{Coordinates, LinearizeError, Output};
use crate::robot::map::{self as maps, MapError, MapOptions};
use crate::robot::orientation::{attitude, rotation};
use crate::robot::parameters::{moved, visited};
use crate::robot::regressor::Regressor;
use crate::robot::{
    Canvas, Change, Derivations, Description, DoesNotApply, Extensions, Family, FamilyEquations, Form,
    InvalidParameters, Joint, JointKind, JointState, JointVector, Kind, Load, Model, MountedRobot, Number,
    ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolState, ToolTurns,
};
use crate::serial::{self, DhConvention, GeometryDoesNotApply, PumaBranch, PumaGeometry, Serial, SerialParameters};
use crate::spatial::{Frame, Wrench};
use crate::symbolic::derive::{self, DeriveError, Derived, Of, Request};
use crate::{Mat3, Vec3};
use dalembert_core::control::Law;
use std::any::Any;

/// Inverse kinematics of velocities is refused where the least pivot of the Jacobian (lengths in metres) is below this
/// share of the largest: eight of sixteen digits would be gone.
const LEAST_PIVOT: f64 = 1e-8;

pub(super) static KIND: Kind = Kind {
    name: "serial",
    title: "serial arm",
    part_table: Some("link"),
    part: "link",
    moved: "tool",
    form: Form::Joints,
    both_forms: false,
    tool_turns: ToolTurns::Freely,
    tool_offset: Vec3([0.0; 3]),
    usual_motion: "swing",
    usual_law: Law::ComputedTorque,
    has_shortest_times: true,
    same_motors: 1,
};

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

/// A serial arm with `N` joints.
#[derive(Clone, Debug)]
pub struct SerialArm<const N: usize> {
    arm: Serial<f64, N>,
    limits: Vec<JointLimits>,
    tolerances: Vec<LinkTolerances>,
    static_follows: Vec<bool>,
    /// The inverse kinematics of arms like the PUMA, or why it is none.
    geometry: Result<PumaGeometry, NotLikePuma>,
    /// That of any other arm.
    inverse: Option<serial::Inverse>,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
enum NotLikePuma {
    #[error(
        "postures with names, which maps go by, are those of arms like the PUMA, with six joints and a spherical wrist; this one has {0} joints"
    )]
    NotSix(usize),
    #[error(transparent)]
    Geometry(#[from] GeometryDoesNotApply),
}

/// The arm of a file, as the family of its number of joints.
pub(super) fn family(robot: SerialRobot) -> Result<Box<dyn Family>, NoArm> {
    fn boxed<const N: usize>(robot: SerialRobot) -> Result<Box<dyn Family>, NoArm> {
        Ok(Box::new(SerialArm::<N>::of_file(robot)?))
    }
    // Longer ones, and those that branch, go from link to link at run time.
    let short = if robot.arm.is_in_a_row() && robot.arm.main_tool().is_none() { robot.arm.joints() } else { 0 };
    with_joints!(short, boxed(robot), LinkTree::of_file(robot).map(|tree| Box::new(tree) as Box<dyn Family>))
}

/// The arm, where it has six joints.
fn of_six<const N: usize>(arm: &Serial<f64, N>) -> Option<&Serial<f64, 6>> {
    (arm as &dyn Any).downcast_ref()
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

/// The first `N` numbers; where there are fewer, zeros follow.
fn array<const N: usize>(values: &JointVector) -> [f64; N] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0))
}

impl<const N: usize> SerialArm<N> {
    /// The arm of a file with so many joints.
    pub fn of_file(file: SerialRobot) -> Result<Self, NoArm> {
        let SerialRobot { arm, limits, tolerances, static_follows, .. } = file;
        let arm = arm.arm().ok_or(NoArm::Joints(arm.joints()))?;
        Ok(Self::new(arm, limits, tolerances, static_follows))
    }

    /// Its formulas.
    pub fn formulas(&self) -> &Serial<f64, N> {
        &self.arm
    }

    fn new(
        arm: Serial<f64, N>,
        limits: Vec<JointLimits>,
        tolerances: Vec<LinkTolerances>,
        static_follows: Vec<bool>,
    ) -> Self {
        let geometry = match of_six(&arm) {
            Some(six) => PumaGeometry::new(six).map_err(NotLikePuma::from),
            None => Err(NotLikePuma::NotSix(N)),
        };
        let inverse = if geometry.is_ok() { None } else { serial::Inverse::new(&arm) };
        Self { arm, limits, tolerances, static_follows, geometry, inverse }
    }

    /// The same arm with other parameters.
    fn changed(
        &self,
        change: impl FnOnce(&mut SerialParameters<f64, N>),
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut parameters = *self.arm.parameters();
        change(&mut parameters);
        let arm = Serial::try_new(parameters).map_err(|error| InvalidParameters(error.to_string()))?;
        let Self { limits, tolerances, static_follows, .. } = self.clone();
        Ok(Box::new(Self::new(arm, limits, tolerances, static_follows)))
    }

    fn refuse_elbows(pick: &Pick) -> Result<(), StateError> {
        if pick.elbows.is_some() || pick.assembly.is_some() {
            let text = "elbows out or in, and a platform below or above, are for Delta robots, not for a serial arm";
            return Err(StateError::new(Reason::NotOffered, text));
        }
        Ok(())
    }
}

impl<const N: usize> SerialArm<N> {
    pub(super) fn joints(&self) -> Vec<Joint> {
        let links = self.arm.parameters().links.iter();
        links
            .zip(&self.limits)
            .map(|(link, limits)| Joint {
                kind: match link.joint {
                    serial::Joint::Revolute => JointKind::Revolute,
                    serial::Joint::Prismatic => JointKind::Prismatic,
                },
                limits: *limits,
                friction: link.friction,
                rotor_inertia: link.motor_inertia,
            })
            .collect()
    }
}

/// How a tool is usually turned.
fn pointing_down() -> Mat3<f64> {
    rotation([std::f64::consts::PI, 0.0, 0.0])
}

/// What can be derived.
const DERIVATIONS: [Of; 14] = [
    Of::Torque,
    Of::Mass,
    Of::Gravity,
    Of::Coriolis,
    Of::Bias,
    Of::Acceleration,
    Of::TorqueDerivatives,
    Of::AccelerationDerivatives,
    Of::TorqueParameterDerivatives,
    Of::AccelerationParameterDerivatives,
    Of::Regressor,
    Of::Jacobian,
    Of::JacobianRate,
    Of::Fk,
];

impl<const N: usize> Family for SerialArm<N> {
    fn description(&self) -> Description {
        let parameters = self.arm.parameters();
        let pick = |posture| Pick { posture: Some(posture), ..Pick::default() };
        let solutions = match self.geometry {
            Ok(_) => PumaBranch::ALL.map(pick).to_vec(),
            Err(_) => vec![Pick::default()],
        };
        Description {
            gravity: parameters.gravity,
            payload: parameters.payload.mass,
            choices: vec![("convention", convention_name(parameters.convention))],
            usual_orientation: pointing_down(),
            solutions,
            derivations: Derivations { all: &DERIVATIONS, interface: &[Of::Torque, Of::Mass, Of::Gravity] },
            ..Description::new(KIND, self.joints(), &MODELS)
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        if let Change::Tool(_) = change {
            return Err(change.not_offered(KIND.title));
        }
        self.changed(|parameters| {
            let links = parameters.links.iter_mut();
            match *change {
                Change::Numbers(by) => moved(|visit| parameters.visit(visit), by),
                Change::Payload(mass) => parameters.payload.mass = mass,
                Change::Friction(friction) => links.enumerate().for_each(|(i, link)| link.friction = friction(i)),
                Change::Springs(spring) => {
                    links.enumerate().for_each(|(i, link)| link.spring = spring(i, link.spring));
                }
                Change::NoRotors => links.for_each(|link| (link.motor_inertia, link.armature) = (0.0, None)),
                Change::Gravity(gravity) => parameters.gravity = gravity,
                Change::Tool(_) => {}
            }
        })
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(shapes) => *shapes = drawing::drawing(&self.arm, base),
            Canvas::Sample(state, tracks) => drawing::draw(&self.arm, state, base, tracks),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            operations: Some(Box::new(|bench| self.costs(bench.quick))),
            published_costs: Some(operations::beside_papers),
            equations: Some(Box::new(|| derive::equations(&self.arm))),
            ..Extensions::default()
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let parameters = *self.arm.parameters();
        let mut numbers = visited(|visit| { parameters }.visit(visit), |rotation| attitude(*rotation));
        let breakaway = |(link, limits): (usize, &JointLimits)| {
            limits.breakaway.map(|value| Number { field: &BREAKAWAY, place: Place::part(link), value })
        };
        numbers.extend(self.limits.iter().enumerate().filter_map(breakaway));
        numbers
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        self.planned_load(target, pick)
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        self.roomiest(orientation, pick)
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        joints.check_count(N)?;
        Self::refuse_elbows(pick)?;
        let [q, qd, qdd] = [&joints.q, &joints.qd, &joints.qdd].map(array::<N>);
        let moving = self.arm.at_joints(q)?.try_moving(qd)?;
        let (pose, velocity, acceleration) = moving.try_tool_motion(qdd)?;
        let tool = ToolState { pose, velocity, acceleration, turn: 0.0 };
        Ok(State { given: Form::Joints, pick: pick.clone(), joints: joints.clone(), tool })
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        Self::refuse_elbows(pick)?;
        let q = self.inverse(&tool.pose, pick)?;
        let [qd, qdd] = self.joint_rates(q, tool)?;
        let joints = JointState { q: q.into(), qd: qd.into(), qdd: qdd.into() };
        if N < 6 {
            // Where the joints have it, which is near to what was asked for.
            return self.at_joints(&joints, pick);
        }
        Ok(State { given: Form::Joints, pick: pick.clone(), joints, tool: *tool })
    }

    /// All joints at zero; where a range does not have it, in the middle of the range or at its one end.
    fn home(&self) -> Result<State, StateError> {
        let home = |i: usize| self.limits.get(i).map_or(0.0, |limits| home_of(limits.range));
        self.at_joints(&JointState::at_rest(std::array::from_fn::<f64, N, _>(home)), &Pick::default())
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        models::build(self, name)
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.sampled_loop(task)
    }

    fn linearize(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        self.linear_model(state, torque, wrench, coordinates, outputs)
    }

    fn derive(&self, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
        match &request.abbreviation {
            None => derive::serial(&self.arm, request, progress),
            Some(wanted) => derive::abbreviated(&self.arm, &self.limits, request, wanted, progress),
        }
    }

    fn field(&self, kind: maps::Kind, options: &MapOptions) -> Result<Box<dyn maps::Field + '_>, MapError> {
        self.map(kind, options)
    }

    fn equations_of_motion(&self, start: &State) -> Result<Option<FamilyEquations>, StateError> {
        self.explicit(start).map(Some)
    }

    fn add_to(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> Result<Box<dyn MountedRobot>, MechanismError> {
        self.part(mechanism, name, base)
    }

    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        _per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let states = states.iter().map(|(state, push)| (state.joints.clone(), *push)).collect();
        Ok(Box::new(sensitivity::ArmTorque::new(self, states)?))
    }

    fn regressor(&self) -> Result<Box<dyn Regressor>, StateError> {
        Ok(self.matrix())
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        let Self { limits, tolerances, static_follows, .. } = self.clone();
        let SerialParameters { convention, gravity, links, tool, payload } = *self.arm.parameters();
        let rest = Surroundings { convention, gravity, tool, payload };
        let arm = SerialLinks::try_new(&links, rest).ok()?;
        let (name, source, warnings) = (name.to_owned(), source.map(str::to_owned), Vec::new());
        Some(SerialRobot { name, source, arm, limits, tolerances, static_follows, warnings }.to_toml())
    }
}
