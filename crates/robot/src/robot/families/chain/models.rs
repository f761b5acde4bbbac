//! The dynamic models of open chains: Newton–Euler for all, and those of the PUMA 560.

use super::derived::{Puma560, must_be_built_in, refused};
use super::kernel::{Kernel, array, each};
use super::{ChainRobot, three};
use crate::algebra::solve;
use crate::array::map;
use crate::batch::{ColumnsError, Groups, ManyOf};
use crate::chain::ChainError;
use crate::robot::explanation::Explanation;
use crate::robot::orientation::attitude;
use crate::robot::{DoesNotApply, JointMatrix, JointState, JointVector, Model, ModelSpec, State, StateError};
use crate::serial::puma::{Constants, PumaModel};
use crate::serial::{self, Link, Serial, ToolMotion};
use crate::spatial::{Frame, Twist, Wrench};
use std::sync::Arc;

pub(in crate::robot::families) const MODELS: [ModelSpec; 5] = [
    ModelSpec {
        aliases: &["exact"],
        ..ModelSpec::new("newton-euler", "serial arms: recursive Newton–Euler, exact (`exact` means the same)")
    },
    ModelSpec::new("explicit", "PUMA 560: Armstrong et al. 1986, Tables A2 and A4–A7; exact"),
    ModelSpec::new("explicit-a3", "PUMA 560: the same with the printed constants of Table A3"),
    ModelSpec::new("abbreviated", "PUMA 560: the same after the 1 % significance criterion"),
    ModelSpec::new("derived", "PUMA 560: the program that `derive` has found; exact"),
];

/// The formulas of a model of the PUMA 560.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in loops")]
pub(super) enum PumaFormulas {
    Tables(PumaModel<f64>),
    Derived(Puma560),
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

/// A model of a chain, if it applies.
pub(super) fn build(robot: &ChainRobot, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
    let kernel = kernel(robot, name)?;
    Ok(Box::new(ChainModel { kernel, robot: robot.clone(), is_exact: name == MODELS[0].name }))
}

/// The formulas of a model, if it applies.
pub(super) fn kernel(robot: &ChainRobot, name: &str) -> Result<Arc<dyn Kernel>, DoesNotApply> {
    if name == MODELS[0].name {
        return Ok(robot.kernel.clone());
    }
    if robot.models().iter().all(|model| model.name != name) {
        return Err(DoesNotApply::unknown(name, robot.kind().title, robot.models()));
    }
    let Some(arm) = robot.chain.serial::<6>() else {
        let error = serial::puma::DoesNotApply { field: "link", link: None, assumed: "six links" };
        return Err(refused(name, error));
    };
    Ok(Arc::new(PumaKernel { formulas: puma_formulas(&arm, name)?, arm }))
}

/// None where nothing pushes.
pub(super) fn pushing(wrench: Wrench<f64>) -> Option<Wrench<f64>> {
    (wrench != Wrench::zero()).then_some(wrench)
}

/// A model by its formulas.
#[derive(Debug)]
struct ChainModel {
    kernel: Arc<dyn Kernel>,
    robot: ChainRobot,
    is_exact: bool,
}

impl Model for ChainModel {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        self.kernel.torque(three(&state.joints), wrench)
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let JointState { q, qd, .. } = &state.joints;
        let (qdd, acceleration) = self.kernel.accelerated([q, qd, &self.kernel.pushed(q, torque, wrench)])?;
        let mut state = state.clone();
        (state.joints.qdd, state.tool.acceleration) = (qdd, acceleration);
        Ok(state)
    }
    fn friction(&self, state: &State) -> JointVector {
        self.kernel.friction(&state.joints.qd)
    }
    fn gravity_torque(&self, state: &State) -> JointVector {
        self.kernel.gravity_torque(&state.joints.q)
    }
    fn mass_matrix(&self, state: &State) -> JointMatrix {
        self.kernel.mass_matrix(&state.joints.q)
    }
    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        self.kernel.torque_of_wrench(&state.joints.q, wrench)
    }
    /// The torques in parts; or where every tool is, and how it is turned.
    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let mut columns = Vec::new();
        if group == "breakdown" {
            for (part, torque) in self.robot.breakdown(state, wrench) {
                columns.extend((1..).zip(torque.iter()).map(|(i, value)| (format!("tau{i}_{part}"), *value)));
            }
            return columns;
        }
        for (name, chain) in self.robot.tips().filter(|_| self.is_exact) {
            let Ok((Frame { rotation, origin }, ..)) = chain.tool_motion(three(&state.joints)) else { continue };
            let values = origin.0.into_iter().chain(attitude(rotation));
            let keys = ["x", "y", "z", "roll", "pitch", "yaw"].into_iter();
            columns.extend(keys.zip(values).map(|(key, value)| (format!("{name}_{key}"), value)));
        }
        columns
    }
    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        self.robot.explained(state, wrench).ok().filter(|_| self.is_exact)
    }
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        self.kernel.many(of, states, results)
    }
}

/// A PUMA 560 by one of its models; kinematics and friction are the arm's.
#[derive(Clone, Copy, Debug)]
struct PumaKernel {
    arm: Serial<f64, 6>,
    formulas: PumaFormulas,
}

impl PumaKernel {
    /// The mass matrix, row by row.
    fn mass(&self, q: &[f64]) -> [[f64; 6]; 6] {
        match &self.formulas {
            PumaFormulas::Tables(model) => model.matrices(array(q)).a,
            PumaFormulas::Derived(program) => program.mass_matrix(&array(q)),
        }
    }
}

impl Kernel for PumaKernel {
    fn links(&self) -> &[Link<f64>] {
        self.arm.links()
    }
    fn rigid_torque(&self, state: [&[f64]; 3]) -> JointVector {
        let [q, qd, qdd] = map(state, array);
        match &self.formulas {
            PumaFormulas::Tables(model) => model.matrices(q).torque(qd, qdd).into(),
            PumaFormulas::Derived(program) => program.torque(&q, &qd, &qdd).into(),
        }
    }
    /// A q̈ = τ − torque without acceleration.
    fn acceleration(&self, [q, qd, tau]: [&[f64]; 3]) -> JointVector {
        let bias = self.torque([q, qd, &[0.0; 6]], Wrench::zero());
        solve(self.mass(q), crate::array::from_fn(|i| tau[i] - bias[i])).0.into()
    }
    fn accelerated(&self, state: [&[f64]; 3]) -> Result<(JointVector, Twist<f64>), ChainError> {
        let qdd = self.acceleration(state);
        let [q, qd, _] = map(state, array);
        let acceleration = self.arm.pose_unchecked(q).moving(qd).tool_motion(array(&qdd)).2;
        Ok((qdd, acceleration))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        match &self.formulas {
            PumaFormulas::Tables(model) => model.matrices(array(q)).g.into(),
            PumaFormulas::Derived(program) => program.gravity_torque(&array(q)).into(),
        }
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        JointMatrix::new(&self.mass(q))
    }
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Kernel::tool_motion(&self.arm, state)
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        Kernel::torque_of_wrench(&self.arm, q, wrench)
    }
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        match &self.formulas {
            PumaFormulas::Tables(_) => each::<6>(self, of, states, results),
            PumaFormulas::Derived(program) => program.many(of, states, results),
        }
    }
}
