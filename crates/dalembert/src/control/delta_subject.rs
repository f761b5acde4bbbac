//! Experiments with Deltas.

use super::collector::Stage;
use super::experiment::{Experiment, Subject};
use super::outcome::Outcome;
use super::{
    Backlash, ClosedLoop, ControlError, DeltaMechanics, DeltaModel, DeltaWish, Dynamics, Impedance, Motors, Sample,
    Tuning, Wish,
};
use crate::analyze::Reach;
use crate::delta::{AnyModel, Branch, Delta, Limits, ModelName};
use crate::describe::Robot;
use crate::dynamics::State as _;
use crate::friction::Friction;
use crate::motion::{
    BoxedMotion, DeltaMachine, Impossible, Machine, MotionOrder, OrderError, Passed, PlatformState, State,
};
use crate::report::drawing::Track;
use crate::robot::{Family, Form, Pick, ToolState};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};

impl Subject for Robot {
    type Model = ModelName;
    type Point = Vec3<f64>;
    const CONTROLLED: &'static str = "platform";
    const STROKE: f64 = 0.3;

    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> Vec<Limits> {
        self.limits.to_vec()
    }

    fn slides(&self) -> Vec<bool> {
        vec![false; 3]
    }

    fn payload(&self) -> f64 {
        self.delta.parameters().payload_mass
    }

    fn friction(&self) -> Vec<Option<Friction<f64>>> {
        self.delta.parameters().arms.iter().map(|arm| arm.motor.friction).collect()
    }

    fn is_built_like(&self, other: &Self) -> bool {
        let bare = |robot: &Self| {
            let mut parameters = *robot.delta.parameters();
            parameters.payload_mass = 0.0;
            parameters.arms.iter_mut().for_each(|arm| arm.motor.friction = None);
            parameters
        };
        bare(self) == bare(other)
    }

    /// The centre of its workspace.
    fn home(&self) -> Vec3<f64> {
        Reach::of(&self.delta).center
    }

    fn plan(experiment: &Experiment, order: &MotionOrder) -> Result<BoxedMotion<Vec3<f64>>, OrderError> {
        let Experiment { robot, known, branch, .. } = experiment;
        let machine = DeltaMachine { delta: known.delta, limits: robot.limits, branch: *branch };
        Ok(order.timed(&machine, Experiment::<Self>::SHARE)?.motion)
    }

    fn columns(&self) -> [Vec<String>; 3] {
        platform_columns()
    }

    fn point(numbers: &[f64]) -> Vec3<f64> {
        Vec3::from_fn(|i| numbers[i])
    }

    fn strains(experiment: &Experiment, state: &PlatformState) -> Result<Vec<Passed>, Impossible> {
        let Experiment { robot, known, branch, .. } = experiment;
        strains(&DeltaMachine { delta: known.delta, limits: robot.limits, branch: *branch }, state)
    }

    fn model_name(model: ModelName) -> &'static str {
        model.as_str()
    }

    /// With the mass that the platform feels like at the start, the mean over the directions.
    fn impedance(experiment: &Experiment) -> Impedance<f64> {
        let pose = experiment.known.delta.pose_unchecked(experiment.motion.at(0.0).position, experiment.branch);
        let mass: Mat3<f64> = pose.cartesian_mass_matrix();
        let mass = (mass[0][0] + mass[1][1] + mass[2][2]) / 3.0;
        let usual = mass * experiment.bandwidth * experiment.bandwidth;
        Impedance::isotropic(experiment.stiffness.unwrap_or(usual), experiment.damping_ratio, mass)
    }

    fn run(
        experiment: &Experiment,
        tuning: &Tuning,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        let parts = Parts::new(experiment)?;
        let closed = parts.closed_loop(experiment, tuning)?;
        let Experiment { robot, branch, .. } = experiment;
        let base = Frame::identity();
        let stage = Stage {
            drawing: Family::drawing(robot, &base),
            places: &|sample: &Sample<3>, tracks: &mut [Track]| {
                Family::draw(robot, &drawn_at(sample.point[0], *branch), &base, tracks);
            },
        };
        experiment.record(tuning, closed, stage, go_on)
    }
}

/// A platform for a picture.
pub(super) fn drawn_at(position: Vec3<f64>, branch: Branch) -> crate::robot::State {
    crate::robot::State {
        given: Form::Tool,
        pick: Pick { elbows: Some(branch), ..Pick::default() },
        joints: crate::robot::JointState::default(),
        tool: ToolState::translating(position, Vec3::zero(), Vec3::zero()),
    }
}

/// Of a motion of a platform, in a file.
pub(super) fn platform_columns() -> [Vec<String>; 3] {
    ["", "v", "a"].map(|prefix| ["x", "y", "z"].map(|axis| format!("{prefix}{axis}")).into())
}

/// The limits that a state passes.
pub(super) fn strains<M: Machine>(machine: &M, state: &State<M::Point>) -> Result<Vec<Passed>, Impossible> {
    let mut passed = machine.passed(&machine.load(state)?);
    passed.retain(|passed| !passed.is_tolerated());
    Ok(passed)
}

/// What a loop over a Delta borrows.
#[derive(Debug)]
pub struct Parts {
    known: Delta<f64>,
    model: AnyModel<f64>,
    mechanics: DeltaMechanics,
    motors: Motors<3>,
}

/// The loop of an [`Experiment`] with a Delta.
pub type DeltaLoop<'p> = ClosedLoop<3, DeltaMechanics, DeltaModel<'p, f64, AnyModel<f64>>, DeltaWish<'p>>;

impl Parts {
    /// The robots of an experiment, ready to run.
    pub fn new(experiment: &Experiment) -> Result<Self, ControlError> {
        experiment.check()?;
        let Experiment { robot, known, .. } = experiment;
        experiment.model.applies_to(known.delta.parameters())?;
        let mut parameters = *robot.delta.parameters();
        let motors = Motors {
            max_torque: robot.limits.map(|limits| limits.max_torque),
            max_speed: robot.limits.map(|limits| limits.max_speed),
            rotor: parameters.arms.map(|arm| arm.reflected_rotor_inertia()),
            friction: parameters.arms.map(|arm| arm.motor.friction),
        };
        if let Some(Backlash { .. }) = experiment.drive.backlash {
            // Behind a gear with play rotor and friction are the motor's, not the arm's.
            for arm in &mut parameters.arms {
                arm.motor.rotor_inertia = 0.0;
                arm.motor.friction = None;
            }
        }
        Ok(Self {
            known: known.delta,
            model: experiment.model.build(known.delta.parameters()),
            mechanics: DeltaMechanics::new(&Delta::new(parameters), experiment.branch),
            motors,
        })
    }

    /// The loop at the start of the motion, at rest under the torques that the model holds it with.
    pub fn closed_loop<'p>(
        &'p self,
        experiment: &'p Experiment,
        tuning: &Tuning,
    ) -> Result<DeltaLoop<'p>, ControlError> {
        let wish = DeltaWish { robot: &self.known, branch: experiment.branch, motion: &*experiment.motion };
        let first = wish.at(0.0)?;
        let start = experiment
            .robot
            .delta
            .at_position(first.point[0], experiment.branch)
            .map_err(|cause| ControlError::OutOfReach { time: 0.0, cause })?;
        let assembly = start.assembly();
        let model = DeltaModel { robot: &self.known, model: &self.model, assembly, branch: experiment.branch };
        let still = model.at_joints(first.q, [0.0; 3]);
        let setup = experiment.setup(tuning, self.motors, &still);
        let state = [start.position.0, first.point[1].0];
        ClosedLoop::new(self.mechanics, model, wish, setup, state, still.gravity())
    }
}
