//! Chains in the closed loop, and their linear models. Their coordinates are their joints. Arms with six and seven joints in a row have a loop of
//! their own; else the loop is built for as many as a short arm or any robot may have, and those that a chain has not slide, carry
//! nothing, have a motor of inertia one and stay at zero.

use super::kernel::{self, Kernel};
use super::models::{self, MODELS, pushing};
use super::{ChainRobot, NO_TWIST};
use crate::chain::{Chain, ChainError, ChainMoving};
use crate::dynamics::{Dynamics, Reference, ToolError};
use crate::linear::Linearized;
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop, in_joints};
use crate::robot::families::known_as;
use crate::robot::linear_model::{Coordinates, Evaluated, LinearTask, LinearizeError, Output, linear_model};
use crate::robot::{JointVector, MAX_JOINTS, Reason, StateError};
use crate::spatial::{Frame, Twist, Wrench};
use crate::{Dual, Scalar, Vec3, dynamics, serial};
use std::sync::Arc;

/// A chain with further joints.
#[derive(Clone, Debug)]
pub(super) struct Filled<const N: usize> {
    chain: Chain<f64>,
    kernel: Arc<dyn Kernel>,
}

/// The same in a state.
pub(super) struct FilledState<'a, const N: usize> {
    robot: &'a Filled<N>,
    pub(super) q: [f64; N],
    qd: [f64; N],
}

impl<const N: usize> Filled<N> {
    /// A chain with as many joints as these.
    pub(super) fn exactly(robot: &ChainRobot) -> Option<Self> {
        (robot.chain.joints() == N).then(|| Self { chain: robot.chain.clone(), kernel: robot.kernel.clone() })
    }
}

impl<const N: usize> Dynamics<f64, N> for Filled<N> {
    type At<'a> = FilledState<'a, N>;

    fn at_joints(&self, q: [f64; N], qd: [f64; N]) -> FilledState<'_, N> {
        FilledState { robot: self, q, qd }
    }

    fn friction(&self, _: [f64; N], qd: [f64; N]) -> [f64; N] {
        filled(&self.kernel.friction(&qd), |_| 0.0)
    }
}

/// What the chain's own joints have, and for each of the others what `rest` says.
fn filled<const N: usize>(own: &JointVector, rest: impl Fn(usize) -> f64) -> [f64; N] {
    crate::array::from_fn(|i| own.get(i).copied().unwrap_or_else(|| rest(i)))
}

impl<const N: usize> FilledState<'_, N> {
    /// The numbers of the joints that there are.
    fn own<'v>(&self, all: &'v [f64; N]) -> &'v [f64] {
        &all[..self.robot.chain.joints().min(N)]
    }

    fn state<'v>(&'v self, last: &'v [f64; N]) -> [&'v [f64]; 3] {
        [self.own(&self.q), self.own(&self.qd), self.own(last)]
    }

    fn tool_motion(&self, qdd: &[f64; N]) -> (Frame<f64>, Twist<f64>, Twist<f64>) {
        let motion = self.robot.kernel.tool_motion(self.state(qdd));
        motion.unwrap_or((Frame::at(NO_TWIST.linear), NO_TWIST, NO_TWIST))
    }

    fn moving(&self) -> Result<ChainMoving<'_, f64>, ChainError> {
        self.robot.chain.at_joints(self.own(&self.q))?.moving(self.own(&self.qd))
    }

    /// As [`filled`], NaN where there is no such state.
    fn of_moving(&self, ask: impl FnOnce(&ChainMoving<'_, f64>) -> Result<Vec<f64>, ChainError>) -> [f64; N] {
        match self.moving().and_then(|moving| ask(&moving)) {
            Ok(found) => filled(&JointVector::new(&found), |_| 0.0),
            Err(_) => [f64::NAN; N],
        }
    }
}

impl<const N: usize> dynamics::State<f64, N> for FilledState<'_, N> {
    fn joints(&self) -> ([f64; N], [f64; N]) {
        (self.q, self.qd)
    }
    fn rigid_torque(&self, qdd: [f64; N]) -> [f64; N] {
        filled(&self.robot.kernel.rigid_torque(self.state(&qdd)), |i| qdd[i])
    }
    fn gravity(&self) -> [f64; N] {
        filled(&self.robot.kernel.gravity_torque(self.own(&self.q)), |_| 0.0)
    }
    fn tool(&self) -> Frame<f64> {
        self.tool_motion(&[0.0; N]).0
    }
    fn tool_velocity(&self) -> Twist<f64> {
        self.tool_motion(&[0.0; N]).1
    }
    fn tool_acceleration(&self, qdd: [f64; N]) -> Twist<f64> {
        self.tool_motion(&qdd).2
    }
    fn torque_of_wrench(&self, wrench: Wrench<f64>) -> [f64; N] {
        filled(&self.robot.kernel.torque_of_wrench(self.own(&self.q), wrench), |_| 0.0)
    }
    fn friction(&self) -> [f64; N] {
        self.robot.friction(self.q, self.qd)
    }
    fn torque(&self, qdd: [f64; N], wrench: Wrench<f64>) -> [f64; N] {
        filled(&self.robot.kernel.torque(self.state(&qdd), wrench), |i| qdd[i])
    }
    fn acceleration(&self, torque: [f64; N], wrench: Wrench<f64>) -> [f64; N] {
        let [q, qd, tau] = self.state(&torque);
        let kernel = &self.robot.kernel;
        filled(&kernel.acceleration([q, qd, &kernel.pushed(q, tau, wrench)]), |i| torque[i])
    }
    fn mass_matrix(&self) -> [[f64; N]; N] {
        let own = self.robot.kernel.mass_matrix(self.own(&self.q));
        let n = self.robot.chain.joints();
        let entry = |i: usize, j: usize| match i.max(j) < n {
            true => own[i][j],
            false => f64::from(u8::from(i == j)),
        };
        crate::array::from_fn(|i| crate::array::from_fn(|j| entry(i, j)))
    }
    fn joint_acceleration(&self, tool: Twist<f64>, near: [f64; N]) -> [f64; N] {
        self.of_moving(|moving| moving.joint_acceleration(tool, self.own(&near)))
    }
    fn margin(&self) -> f64 {
        self.moving().map_or(f64::NAN, |moving| moving.pose.tool_margin())
    }
    fn null_space_torque(&self, torque: [f64; N]) -> [f64; N] {
        self.of_moving(|moving| moving.pose.null_space_torque(self.own(&torque)))
    }
    fn tool_error(&self, reference: &Reference<f64, N>) -> ToolError<f64> {
        let goal = FilledState { robot: self.robot, q: reference.q, qd: reference.qd };
        let both = self.moving().and_then(|here| Ok(here.tool_error(&goal.moving()?)));
        let [pose, velocity] = both.unwrap_or([NO_TWIST; 2]);
        ToolError { pose, velocity, acceleration: goal.tool_acceleration(reference.qdd) }
    }
}

impl ChainRobot {
    /// The chain as it moves: behind a gear with play motor and friction are not the link's; the gyroscopic torques of a
    /// motor, which the joint's speed would say, are left out.
    fn plant(&self, task: &LoopTask<'_>) -> Chain<f64> {
        let mut parameters = self.chain.parameters().clone();
        if task.settings.drive.backlash.is_some() {
            for branch in &mut parameters.links {
                let link = &mut branch.link;
                (link.motor_inertia, link.friction, link.armature) = (0.0, None, None);
            }
        }
        self.chain.with_numbers(parameters)
    }

    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        let joints = self.chain.joints();
        if known.chain.joints() != joints {
            return Err(ControlError::Joints { robot: joints, known: known.chain.joints() });
        }
        task.check_law(self.path_length())?;
        self.check_drives(task)?;
        let plant = self.plant(task);
        let own = if task.model == MODELS[0].name {
            self.own_loop::<6>(&plant, known, task).or_else(|| self.own_loop::<7>(&plant, known, task))
        } else {
            None
        };
        own.unwrap_or_else(|| match joints {
            0..=serial::MAX_JOINTS => self.loop_of::<{ serial::MAX_JOINTS }>(plant, known, task),
            _ => self.loop_of::<MAX_JOINTS>(plant, known, task),
        })
    }

    /// Refuses drives whose limits or gears are those of motors that turn with several joints.
    fn check_drives(&self, task: &LoopTask<'_>) -> Result<(), ControlError> {
        let drive = &task.settings.drive;
        let limits =
            |k: usize| self.file.limits.get(k).is_some_and(|own| own.max_torque.min(own.max_speed).is_finite());
        let is_limited = self.coupled().any(limits) && (drive.limited || drive.torque_steps > 0.0);
        match self.coupled().next() {
            Some(k) if is_limited || drive.backlash.is_some() => Err(ControlError::Setting {
                what: "the number of a joint whose drive is simulated with limits or play",
                value: (k + 1) as f64,
                must: "one with a motor of its own: leave out backlash, and max_torque and max_speed, or set `limited = false`",
            }),
            _ => Ok(()),
        }
    }

    /// The loop of an arm with `N` joints in a row.
    fn own_loop<'a, const N: usize>(
        &self,
        plant: &Chain<f64>,
        known: &Self,
        task: &LoopTask<'a>,
    ) -> Option<Result<Box<dyn SampledLoop + 'a>, ControlError>> {
        Some(in_joints::<N, _, _>(self, plant.serial()?, known.chain.serial()?, task))
    }

    /// That of any other chain with up to `N` joints.
    fn loop_of<'a, const N: usize>(
        &self,
        plant: Chain<f64>,
        known: &Self,
        task: &LoopTask<'a>,
    ) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let kernel = models::kernel(known, task.model)?;
        let plant = Filled::<N> { kernel: kernel::of(&plant), chain: plant };
        in_joints(self, plant, Filled::<N> { chain: known.chain.clone(), kernel }, task)
    }

    /// The linear model in its joints.
    pub(super) fn linear_model(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        let LinearTask { state, torque, wrench, coordinates, outputs } = *task;
        type Slope = Dual<f64, 1>;
        if coordinates != Coordinates::Joint {
            let text = format!("a {} has a linear model in joint coordinates only", self.kind().title);
            return Err(StateError::new(Reason::NotOffered, text).into());
        }
        let point = [&state.joints.q[..], &state.joints.qd, torque];
        let refused = |error: ChainError| LinearizeError::from(StateError::from(error));
        self.chain
            .try_moving(point[0], point[1])
            .and_then(|moving| moving.try_acceleration(torque))
            .map_err(refused)?;
        let lifted = self.chain.map(Slope::constant);
        let wrench = pushing(wrench).map(|wrench| wrench.map(Slope::constant));
        let evaluate = |q: &[Slope], qd: &[Slope], torque: &[Slope]| -> Result<Evaluated<Slope>, ChainError> {
            let rate = lifted.acceleration([q, qd, torque], wrench)?;
            let (frame, velocity, acceleration) = lifted.tool_motion([q, qd, &rate])?;
            let tool = [frame.origin, velocity.linear, acceleration.linear];
            Ok(Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool, rate })
        };
        linear_model(&self.joints(), [Output::Joints, Output::JointRates], point, outputs, |q, qd, torque| {
            evaluate(q, qd, torque).unwrap_or_else(|_| {
                // What does not fit together was refused above.
                let none = Slope::from_f64(f64::NAN);
                Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool: [Vec3([none; 3]); 3], rate: vec![none; q.len()] }
            })
        })
    }
}
