//! Parallel robots in the closed loop, their linear models, and what a fourth axis on one of them needs.

use super::{KIND, ParallelRobot, array, moving};
use crate::linear::Linearized;
use crate::parallel::{Parallel, ParallelModel, ParallelState};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop, in_joints};
use crate::robot::families::known_as;
use crate::robot::families::turning::Translating;
use crate::robot::linear_model::{
    Coordinates, Evaluated, LinearizeError, Output, array as numbers, in_joints as linear_in_joints, linear_model,
};
use crate::robot::{JointVector, Kind, Reason, State, StateError};
use crate::spatial::{Frame, Twist, Wrench};
use crate::{Dual, Scalar, Vec3};

impl<const N: usize> ParallelRobot<N> {
    /// The loop at the start of its motion. Its coordinates are its joints; plant and model follow the platform that they began
    /// with from step to step.
    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        // Behind a gear with play rotor and friction are the motor's, not the leg's.
        let plant = if task.settings.drive.backlash.is_some() { self.driven_by_nothing() } else { self.robot };
        let first = task.first_state()?.tool.pose;
        let plant = ParallelModel::following(plant, first);
        in_joints(self, plant, ParallelModel::following(known.robot, first), task)
    }

    /// The same robot with motors that have neither inertia nor friction.
    fn driven_by_nothing(&self) -> Parallel<f64, N> {
        let mut parameters = *self.robot.parameters();
        for leg in &mut parameters.legs {
            (leg.motor.rotor_inertia, leg.motor.friction) = (0.0, None);
        }
        Parallel::new(parameters)
    }

    pub(super) fn linear_model(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        let now = moving(&self.robot, state);
        let lifted: Parallel<Dual<f64, N>, N> = self.robot.lift();
        let joints = self.joints();
        match coordinates {
            Coordinates::Joint => {
                let model = ParallelModel::about(lifted, now.pose.tool.map(Dual::constant));
                let point = [array(&state.joints.q), now.joint_velocity(), array(torque)];
                linear_in_joints(&model, &joints, point, wrench, outputs)
            }
            Coordinates::Cartesian if N == 3 => {
                let branches = now.pose.branches();
                let point = [&now.pose.tool.origin.0[..], &now.velocity.twist.linear.0, torque];
                let wrench = wrench.map(Dual::constant);
                linear_model(&joints, [Output::Position, Output::Velocity], point, outputs, |x, v, torque| {
                    let pose = lifted.pose_unchecked(Frame::at(Vec3(numbers(x))), branches);
                    let along = pose.moving(Twist::translation(Vec3(numbers(v))));
                    let acceleration = along.acceleration(numbers(torque), wrench).linear;
                    Evaluated {
                        q: along.pose.joints().to_vec(),
                        qd: along.joint_velocity().to_vec(),
                        tool: [along.pose.tool.origin, along.velocity.twist.linear, acceleration],
                        rate: acceleration.0.to_vec(),
                    }
                })
            }
            Coordinates::Cartesian => {
                let text = "a platform that turns has no linear model in coordinates of its position alone";
                Err(StateError::new(Reason::NotOffered, text).hint("use joint coordinates").into())
            }
            Coordinates::Constrained(_) => {
                Err(StateError::not_offered("linear models with constraints", KIND.title).into())
            }
        }
    }
}

/// With a fourth axis.
static TURNING: Kind = Kind { title: "parallel robot with a fourth axis", ..KIND };

impl Translating for ParallelRobot<3> {
    const KIND: &'static Kind = &TURNING;
    type Formulas<S: Scalar + 'static> = ParallelModel<S, 3>;
    type Here<'a> = ParallelState<'a, f64, 3>;

    fn formulas<S: Scalar + 'static>(&self, state: &State) -> ParallelModel<S, 3> {
        let mut model = ParallelModel::following(self.robot.lift(), state.tool.pose.map(S::from_f64));
        model.branches = moving(&self.robot, state).pose.branches();
        model
    }

    fn here(&self, state: &State) -> ParallelState<'_, f64, 3> {
        ParallelState::new(moving(&self.robot, state))
    }

    fn without_drives(&self) -> Self {
        Self { robot: self.driven_by_nothing(), ..self.clone() }
    }
    fn payload(&self) -> f64 {
        self.robot.parameters().payload.mass
    }

    fn gravity(&self) -> Vec3<f64> {
        self.robot.gravity()
    }

    fn ball_angles(&self, state: &State) -> JointVector {
        super::ball_angles(&moving(&self.robot, state).pose).into()
    }
}
