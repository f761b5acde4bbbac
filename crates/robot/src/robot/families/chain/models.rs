//! The dynamic models of open chains: Newton–Euler for all, and those of the PUMA 560.

use super::derived::{Puma560, must_be_built_in, refused};
use super::kernel::{Kernel, array};
use super::{ChainRobot, three};
use crate::array::map;
use crate::batch::{ColumnsError, Groups, ManyOf, one_by_one};
use crate::chain::ChainError;
use crate::dynamics::State as _;
use crate::robot::explanation::Explanation;
use crate::robot::orientation::attitude;
use crate::robot::{DoesNotApply, JointMatrix, JointState, JointVector, Model, ModelSpec, State, StateError};
use crate::serial::puma::{Constants, PumaModel};
use crate::serial::{self, Serial, ToolMotion};
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
    Ok(Box::new(ChainModel { kernel: kernel(robot, name)?, exact: (name == MODELS[0].name).then(|| robot.clone()) }))
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
    /// Of the exact model the robot.
    exact: Option<ChainRobot>,
}

impl Model for ChainModel {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        self.kernel.torque(three(&state.joints), pushing(wrench))
    }
    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let JointState { q, qd, .. } = &state.joints;
        let (qdd, acceleration) = self.kernel.accelerated([q, qd, torque], pushing(wrench))?;
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
    /// Where every tool is, and how it is turned.
    fn columns(&self, _group: &str, state: &State, _wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let mut columns = Vec::new();
        for (name, chain) in self.exact.iter().flat_map(ChainRobot::tips) {
            let Ok((Frame { rotation, origin }, ..)) = chain.tool_motion(three(&state.joints)) else { continue };
            let values = origin.0.into_iter().chain(attitude(rotation));
            let keys = ["x", "y", "z", "roll", "pitch", "yaw"].into_iter();
            columns.extend(keys.zip(values).map(|(key, value)| (format!("{name}_{key}"), value)));
        }
        columns
    }
    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        self.exact.as_ref().and_then(|robot| robot.explained(state, wrench).ok())
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
    fn rigid(&self, q: [f64; 6], qd: [f64; 6], qdd: [f64; 6]) -> [f64; 6] {
        match &self.formulas {
            PumaFormulas::Tables(model) => model.matrices(q).torque(qd, qdd),
            PumaFormulas::Derived(program) => program.torque(&q, &qd, &qdd),
        }
    }

    /// With friction, which is none where the model has none of its own.
    fn all(&self, q: [f64; 6], qd: [f64; 6], qdd: [f64; 6]) -> [f64; 6] {
        let (rigid, friction) = (self.rigid(q, qd, qdd), Kernel::friction(&self.arm, &qd));
        crate::array::from_fn(|i| rigid[i] + friction[i])
    }

    /// A q̈ = τ − torque without acceleration.
    fn free(&self, q: [f64; 6], qd: [f64; 6], tau: [f64; 6]) -> [f64; 6] {
        match &self.formulas {
            PumaFormulas::Tables(model) => {
                let bias = self.all(q, qd, [0.0; 6]);
                model.matrices(q).solve(crate::array::from_fn(|i| tau[i] - bias[i]))
            }
            PumaFormulas::Derived(program) => program.acceleration(&q, &qd, &tau),
        }
    }

    fn carried(&self, q: [f64; 6], wrench: Option<Wrench<f64>>) -> [f64; 6] {
        wrench.map_or([0.0; 6], |wrench| self.arm.pose_unchecked(q).torque_of_wrench(wrench))
    }
}

impl Kernel for PumaKernel {
    fn rigid_torque(&self, state: [&[f64]; 3]) -> JointVector {
        let [q, qd, qdd] = map(state, array);
        self.rigid(q, qd, qdd).into()
    }
    fn friction(&self, qd: &[f64]) -> JointVector {
        Kernel::friction(&self.arm, qd)
    }
    fn torque(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        let [q, qd, qdd] = map(state, array);
        let (torque, carried) = (self.all(q, qd, qdd), self.carried(q, wrench));
        JointVector::from_fn(6, |i| torque[i] - carried[i])
    }
    fn acceleration(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        let [q, qd, tau] = map(state, array::<6>);
        let carried = self.carried(q, wrench);
        self.free(q, qd, crate::array::from_fn(|i| tau[i] + carried[i])).into()
    }
    fn accelerated(
        &self,
        state: [&[f64]; 3],
        wrench: Option<Wrench<f64>>,
    ) -> Result<(JointVector, Twist<f64>), ChainError> {
        let qdd = self.acceleration(state, wrench);
        let [q, qd, _] = map(state, array);
        let acceleration = self.arm.pose_unchecked(q).moving(qd).tool_acceleration(array(&qdd));
        Ok((qdd, acceleration))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        match &self.formulas {
            PumaFormulas::Tables(model) => model.matrices(array(q)).g.into(),
            PumaFormulas::Derived(program) => program.gravity_torque(&array(q)).into(),
        }
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        match &self.formulas {
            PumaFormulas::Tables(model) => JointMatrix::new(&model.matrices(array(q)).a),
            PumaFormulas::Derived(program) => JointMatrix::new(&program.mass_matrix(&array(q))),
        }
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        Kernel::torque_of_wrench(&self.arm, q, wrench)
    }
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Kernel::tool_motion(&self.arm, state)
    }
    fn tool_margin(&self, q: &[f64]) -> f64 {
        Kernel::tool_margin(&self.arm, q)
    }
    fn joint_rates(&self, q: &[f64], tool: [Twist<f64>; 2]) -> Result<[JointVector; 2], ChainError> {
        Kernel::joint_rates(&self.arm, q, tool)
    }
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        match (&self.formulas, of) {
            (PumaFormulas::Tables(_), ManyOf::Torques) => {
                one_by_one(states, results, |[q, qd, qdd]| self.all(q, qd, qdd))
            }
            (PumaFormulas::Tables(_), ManyOf::Accelerations) => {
                one_by_one(states, results, |[q, qd, tau]| self.free(q, qd, tau))
            }
            (PumaFormulas::Derived(program), ManyOf::Torques) => program.torques(states, results),
            (PumaFormulas::Derived(program), ManyOf::Accelerations) => program.accelerations(states, results),
        }
    }
}
