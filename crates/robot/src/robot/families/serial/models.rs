//! The dynamic models of serial arms: Newton–Euler for all, and those of the PUMA 560.

use super::derived::Puma560;
use super::{SerialArm, array, of_six};
use crate::Vec3;
use crate::batch::{ColumnsError, Groups, one_by_one};
use crate::report::text::human;
use crate::robot::orientation::attitude;
use crate::robot::parameters::{label, visited};
use crate::robot::{DoesNotApply, JointMatrix, JointVector, Model, ModelSpec, Robot, State, StateError};
use crate::serial::puma::{Constants, PumaModel};
use crate::serial::{self, Moving, Serial, SerialParameters};
use crate::spatial::Wrench;

pub(in crate::robot::families) const MODELS: [ModelSpec; 5] = [
    ModelSpec {
        name: "newton-euler",
        aliases: &["exact"],
        summary: "serial arms: recursive Newton–Euler, exact (`exact` means the same)",
    },
    ModelSpec {
        name: "explicit",
        aliases: &[],
        summary: "PUMA 560: Armstrong et al. 1986, Tables A2 and A4–A7; exact",
    },
    ModelSpec {
        name: "explicit-a3",
        aliases: &[],
        summary: "PUMA 560: the same with the printed constants of Table A3",
    },
    ModelSpec { name: "abbreviated", aliases: &[], summary: "PUMA 560: the same after the 1 % significance criterion" },
    ModelSpec { name: "derived", aliases: &[], summary: "PUMA 560: the derived program; exact" },
];

/// The formulas of a model of the PUMA 560.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in loops")]
pub(super) enum PumaFormulas {
    Tables(PumaModel<f64>),
    Derived(Puma560),
}

fn refused(name: &str, why: impl std::fmt::Display) -> DoesNotApply {
    DoesNotApply {
        model: name.to_owned(),
        message: format!("model `{name}` does not apply to this robot: {why}"),
        hint: Some(String::from("`newton-euler` always applies")),
    }
}

/// The numbers that are in the printed tables and in the derived programs: those of the built-in PUMA 560.
fn built_in() -> Result<SerialParameters<f64, 6>, String> {
    let robot = Robot::find("puma560").map_err(|error| error.to_string())?;
    let arm = robot.as_any().downcast_ref::<SerialArm<6>>().ok_or("the built-in puma560 has not six joints")?;
    Ok(*arm.arm.parameters())
}

/// How an arm differs from the one whose numbers are in a model: three of the differences at most.
fn differences(arm: &SerialParameters<f64, 6>, known: &SerialParameters<f64, 6>) -> String {
    let numbers = |p: &SerialParameters<f64, 6>| visited(|visit| { *p }.visit(visit), |rotation| attitude(*rotation));
    let known = numbers(known);
    let mut told = Vec::new();
    for own in numbers(arm) {
        let other = known.iter().find(|other| other.field.key == own.field.key && other.place == own.place);
        let link = own.place.part.map_or(String::new(), |link| format!("link {}: ", link + 1));
        let (name, unit) = (label(own.field, own.place), own.field.unit.si(false));
        let value = |value: f64| format!("{} {unit}", human(value, 6)).trim_end().to_owned();
        match other {
            Some(other) if other.value == own.value => {}
            Some(other) => told.push(format!("{link}{name} {} instead of {}", value(own.value), value(other.value))),
            None => told.push(format!("{link}{name} {}, which that has not", value(own.value))),
        }
    }
    match told.len() {
        0..=3 => told.join("; "),
        more => format!("{}; and {} more", told[..3].join("; "), more - 3),
    }
}

/// Refuses a model with numbers of its own to an arm that is not, as `same` sees it, the one that they belong to.
pub(super) fn must_be_built_in(
    name: &str,
    arm: &SerialParameters<f64, 6>,
    same: impl Fn(&SerialParameters<f64, 6>) -> bool,
) -> Result<(), DoesNotApply> {
    let known = built_in().map_err(|error| refused(name, error))?;
    if same(&known) {
        return Ok(());
    }
    let found = differences(arm, &known);
    let why = format!("its numbers are those of the built-in puma560, and this arm has {found}");
    let hint = "`explicit` takes the numbers of an arm like the PUMA 560, `newton-euler` those of any arm";
    Err(DoesNotApply { hint: Some(hint.into()), ..refused(name, why) })
}

/// The formulas of a model of the PUMA 560, if they are those of an arm.
pub(super) fn puma_formulas(arm: &Serial<f64, 6>, name: &str) -> Result<PumaFormulas, DoesNotApply> {
    let own = arm.parameters();
    if let Some(k) = own.links.iter().position(|link| link.spring.is_some()) {
        let error = serial::puma::DoesNotApply {
            field: "spring",
            link: Some(k + 1),
            assumed: "left out: the models know none",
        };
        return Err(refused(name, error));
    }
    let model = match name {
        "derived" => return Puma560::new(arm).map(PumaFormulas::Derived),
        "explicit" => PumaModel::explicit(own),
        "explicit-a3" => PumaModel::explicit_a3(),
        "abbreviated" => PumaModel::Abbreviated,
        _ => return Err(DoesNotApply::unknown(name, "serial arm", &MODELS)),
    };
    Constants::applies_to(own).map_err(|error| refused(name, error))?;
    if name != "explicit" {
        // Friction is added outside; what else is not in Table A2 has no part in the torques.
        must_be_built_in(name, own, |known| Constants::new(known) == Constants::new(own))?;
    }
    Ok(PumaFormulas::Tables(model))
}

/// A model of an arm, if it applies.
pub(super) fn build<const N: usize>(arm: &Serial<f64, N>, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
    if name == MODELS[0].name {
        return Ok(Box::new(NewtonEuler { arm: *arm }));
    }
    let Some(&arm) = of_six(arm) else {
        let error = serial::puma::DoesNotApply { field: "link", link: None, assumed: "six links" };
        return Err(refused(name, error));
    };
    Ok(match puma_formulas(&arm, name)? {
        PumaFormulas::Tables(model) => Box::new(Tables { model, arm }),
        PumaFormulas::Derived(program) => Box::new(Derived { program, arm }),
    })
}

fn moving<'r, const N: usize>(arm: &'r Serial<f64, N>, state: &State) -> Moving<'r, f64, N> {
    arm.pose_unchecked(array(&state.joints.q)).moving(array(&state.joints.qd))
}

/// What a wrench at the tool asks of the joints, Jᵀ w; nothing where there is none.
fn carried<const N: usize>(moving: &Moving<'_, f64, N>, wrench: Wrench<f64>) -> Option<[f64; N]> {
    let none = wrench.force == Vec3::zero() && wrench.moment == Vec3::zero();
    (!none).then(|| moving.pose.jacobian().transpose_times(wrench))
}

/// Torques less what the environment does.
fn without<const N: usize>(tau: [f64; N], moving: &Moving<'_, f64, N>, wrench: Wrench<f64>) -> JointVector {
    match carried(moving, wrench) {
        Some(carried) => std::array::from_fn::<f64, N, _>(|i| tau[i] - carried[i]).into(),
        None => tau.into(),
    }
}

/// Torques and what the environment does.
fn with<const N: usize>(tau: &JointVector, moving: &Moving<'_, f64, N>, wrench: Wrench<f64>) -> [f64; N] {
    let tau: [f64; N] = array(tau);
    match carried(moving, wrench) {
        Some(carried) => std::array::from_fn(|i| tau[i] + carried[i]),
        None => tau,
    }
}

fn accelerated<const N: usize>(state: &State, moving: &Moving<'_, f64, N>, qdd: [f64; N]) -> State {
    let mut state = state.clone();
    state.joints.qdd = qdd.into();
    state.tool.acceleration = moving.tool_acceleration(qdd);
    state
}

/// Recursive Newton–Euler, composite and articulated bodies: exact.
#[derive(Clone, Copy, Debug)]
struct NewtonEuler<const N: usize> {
    arm: Serial<f64, N>,
}

impl<const N: usize> Model for NewtonEuler<N> {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let moving = moving(&self.arm, state);
        without(moving.torque(array(&state.joints.qdd)), &moving, wrench)
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let moving = moving(&self.arm, state);
        let qdd = moving.try_acceleration(with(torque, &moving, wrench))?;
        Ok(accelerated(state, &moving, qdd))
    }
    fn friction(&self, state: &State) -> JointVector {
        moving(&self.arm, state).friction().into()
    }
    fn gravity_torque(&self, state: &State) -> JointVector {
        moving(&self.arm, state).pose.gravity_torque().into()
    }
    fn mass_matrix(&self, state: &State) -> JointMatrix {
        JointMatrix::new(&moving(&self.arm, state).pose.mass_matrix())
    }
    fn torques(&self, states: Groups<'_, 3>, torques: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        one_by_one(states, torques, |[q, qd, qdd]| self.arm.pose_unchecked(q).moving(qd).torque(qdd))
    }
    fn accelerations(&self, states: Groups<'_, 3>, accelerations: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        one_by_one(states, accelerations, |[q, qd, tau]| self.arm.pose_unchecked(q).moving(qd).acceleration(tau))
    }
}

/// Armstrong's tables.
#[derive(Clone, Copy, Debug)]
struct Tables {
    arm: Serial<f64, 6>,
    model: PumaModel<f64>,
}

impl Tables {
    /// A q̈ = τ − torque without acceleration.
    fn acceleration(&self, moving: &Moving<'_, f64, 6>, tau: [f64; 6]) -> [f64; 6] {
        let bias = self.model.torque(moving, [0.0; 6]);
        let rest = std::array::from_fn(|i| tau[i] - bias[i]);
        self.model.matrices(moving.pose.q).solve(rest)
    }
}

impl Model for Tables {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let moving = moving(&self.arm, state);
        without(self.model.torque(&moving, array(&state.joints.qdd)), &moving, wrench)
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let moving = moving(&self.arm, state);
        Ok(accelerated(state, &moving, self.acceleration(&moving, with(torque, &moving, wrench))))
    }
    fn torques(&self, states: Groups<'_, 3>, torques: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        one_by_one(states, torques, |[q, qd, qdd]| self.model.torque(&self.arm.pose_unchecked(q).moving(qd), qdd))
    }
    fn accelerations(&self, states: Groups<'_, 3>, accelerations: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        one_by_one(states, accelerations, |[q, qd, tau]| self.acceleration(&self.arm.pose_unchecked(q).moving(qd), tau))
    }
    fn friction(&self, state: &State) -> JointVector {
        moving(&self.arm, state).friction().into()
    }
    fn gravity_torque(&self, state: &State) -> JointVector {
        self.model.matrices(array(&state.joints.q)).g.into()
    }
    fn mass_matrix(&self, state: &State) -> JointMatrix {
        JointMatrix::new(&self.model.matrices(array(&state.joints.q)).a)
    }
}

/// The programs that `derive` has found for the built-in PUMA 560.
#[derive(Clone, Copy, Debug)]
struct Derived {
    arm: Serial<f64, 6>,
    program: Puma560,
}

impl Model for Derived {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        let moving = moving(&self.arm, state);
        let tau = self.program.torque(&moving.pose.q, &moving.qd, &array(&state.joints.qdd));
        without(tau, &moving, wrench)
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let moving = moving(&self.arm, state);
        let qdd = self.program.acceleration(&moving.pose.q, &moving.qd, &with(torque, &moving, wrench));
        Ok(accelerated(state, &moving, qdd))
    }
    fn friction(&self, state: &State) -> JointVector {
        moving(&self.arm, state).friction().into()
    }
    fn gravity_torque(&self, state: &State) -> JointVector {
        self.program.gravity_torque(&array(&state.joints.q)).into()
    }
    fn mass_matrix(&self, state: &State) -> JointMatrix {
        JointMatrix::new(&self.program.mass_matrix(&array(&state.joints.q)))
    }
    fn torques(&self, states: Groups<'_, 3>, torques: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.program.torques(states, torques)
    }
    fn accelerations(&self, states: Groups<'_, 3>, accelerations: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.program.accelerations(states, accelerations)
    }
}
