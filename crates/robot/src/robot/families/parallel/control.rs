//! Parallel robots in the closed loop, their linear models, and what a fourth axis on one of them needs.

use super::{KIND, ParallelRobot, moving};
use crate::linear::Linearized;
use crate::parallel::{Parallel, ParallelModel, ParallelState};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop, in_joints};
use crate::robot::families::turning::Translating;
use crate::robot::families::{known_as, without_drives};
use crate::robot::linear_model::{self, Coordinates, LinearTask, LinearizeError, in_tool};
use crate::robot::{JointVector, Kind, Reason, State, StateError};
use crate::spatial::{Frame, Twist};
use crate::{Dual, Scalar, Vec3};

impl<const N: usize> ParallelRobot<N> {
    /// The loop at the start of its motion. Its coordinates are its joints; plant and model follow the platform that they began
    /// with from step to step.
    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        let plant = if task.settings.drive.backlash.is_some() { without_drives(self).robot } else { self.robot };
        let first = task.first_state()?.tool.pose;
        let plant = ParallelModel::following(plant, first);
        in_joints(self, plant, ParallelModel::following(known.robot, first), task)
    }

    pub(super) fn linear_model(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        let now = moving(&self.robot, task.state);
        let lifted: Parallel<Dual<f64, N>, N> = self.robot.lift();
        let joints = self.joints();
        match task.coordinates {
            Coordinates::Joint => {
                let model = ParallelModel::about(lifted, now.pose.tool.map(Dual::constant));
                linear_model::in_joints(&model, &joints, task)
            }
            Coordinates::Cartesian if N == 3 => {
                let branches = now.pose.branches();
                in_tool(&joints, task, |x, v| {
                    let pose = lifted.pose_unchecked(Frame::at(x), branches);
                    ParallelState::new(pose.moving(Twist::translation(v)))
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
