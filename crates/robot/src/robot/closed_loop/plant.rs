//! What moves in the loop: accelerations from torques, joints from coordinates.

use super::law::RunningLaw;
use super::{ClosedLoop, ControlError, LoopTask, Motors, SampledLoop, Setup};
use crate::Vec3;
use crate::array::map;
use crate::robot::{Family, Joint, JointVector, Pick, Reason, StateError, Target};
use dalembert_core::dynamics::{Dynamics, Reference, State};
use dalembert_core::spatial::Wrench;

/// A robot that torques move. Its coordinates are what its equations of motion are written in: of a Delta the platform's
/// position, of a serial arm its joints.
pub trait Plant<const N: usize> {
    /// Second derivative of the coordinates, NaN where there is none. `force` acts on the platform or tool.
    fn acceleration(&self, x: [f64; N], v: [f64; N], torque: [f64; N], force: Vec3<f64>) -> [f64; N];

    /// Joints and their velocities in a state that the robot can be in, seen at the end of a step.
    fn joints(&mut self, time: f64, x: [f64; N], v: [f64; N]) -> Result<[[f64; N]; 2], StateError>;

    /// The same, unchecked: inside of a step.
    fn joints_unchecked(&self, x: [f64; N], v: [f64; N]) -> [[f64; N]; 2];

    /// Accelerations of the joints where the coordinates have the second derivative `a`.
    fn joint_acceleration(&self, x: [f64; N], v: [f64; N], a: [f64; N]) -> [f64; N];

    /// Position and velocity of the platform or tool.
    fn point(&self, x: [f64; N], v: [f64; N]) -> [Vec3<f64>; 2];
}

/// A plant whose coordinates are its joints.
#[derive(Clone, Copy, Debug)]
pub struct InJoints<D> {
    robot: D,
    /// [`State::side`] when it was last asked; zero before.
    side: f64,
}

impl<D> InJoints<D> {
    /// The plant of a robot with dynamics.
    pub fn new(robot: D) -> Self {
        Self { robot, side: 0.0 }
    }
}

/// Refuses a state on another side of the poses in which motors do not hold the tool than the one before.
pub(crate) fn check_side(last: &mut f64, side: f64) -> Result<(), StateError> {
    if side * std::mem::replace(last, side) < 0.0 {
        let text = "the robot has gone through a singular pose (type 2), in which its motors did not hold the tool";
        return Err(StateError::new(Reason::Singular(side), text));
    }
    Ok(())
}

impl<const N: usize, D: Dynamics<f64, N>> Plant<N> for InJoints<D> {
    fn acceleration(&self, x: [f64; N], v: [f64; N], torque: [f64; N], force: Vec3<f64>) -> [f64; N] {
        self.robot.at_joints(x, v).acceleration(torque, Wrench::force(force))
    }

    fn joints(&mut self, _time: f64, x: [f64; N], v: [f64; N]) -> Result<[[f64; N]; 2], StateError> {
        match x.iter().chain(&v).position(|number| !number.is_finite()) {
            None => {
                check_side(&mut self.side, self.robot.at_joints(x, v).side())?;
                Ok([x, v])
            }
            Some(place) => {
                let joint = place % N + 1;
                Err(StateError::new(Reason::NotFinite, format!("joint {joint} is at no finite place or speed"))
                    .at(joint))
            }
        }
    }

    fn joints_unchecked(&self, x: [f64; N], v: [f64; N]) -> [[f64; N]; 2] {
        [x, v]
    }

    fn joint_acceleration(&self, _x: [f64; N], _v: [f64; N], a: [f64; N]) -> [f64; N] {
        a
    }

    fn point(&self, x: [f64; N], v: [f64; N]) -> [Vec3<f64>; 2] {
        let state = self.robot.at_joints(x, v);
        [state.tool().origin, state.tool_velocity().linear]
    }
}

impl<const N: usize> Motors<N> {
    /// The motors of a robot's joints; those that it lacks are [`Motors::FREE`], with rotors that stay.
    pub fn of(joints: &[Joint]) -> Self {
        let mut motors = Self { count: joints.len().min(N), rotor: [f64::INFINITY; N], ..Self::FREE };
        for (i, joint) in joints.iter().enumerate().take(N) {
            motors.max_torque[i] = joint.limits.max_torque;
            motors.max_speed[i] = joint.limits.max_speed;
            motors.rotor[i] = joint.rotor_inertia;
            motors.units[i] = joint.kind.units().position;
            motors.friction[i] = joint.friction;
        }
        motors
    }
}

impl<'a> LoopTask<'a> {
    /// A setup for a robot in which the model has the inertia of `still`, with the torques that hold it there.
    pub(crate) fn setup<const N: usize>(&self, robot: &dyn Family, still: &impl State<f64, N>) -> Setup<N> {
        Setup::new(self.settings, Motors::of(&robot.joints()), still)
    }

    /// The law as a loop runs it.
    pub(crate) fn running_law(&self) -> RunningLaw {
        RunningLaw::new(self.law, self.known.joints().len(), self.settings.sampling.period)
    }

    /// The state in which the motion starts, by the kinematics that the controller knows.
    pub(crate) fn first_state(&self) -> Result<crate::robot::State, ControlError> {
        let first = self.known.at(&self.motion.at(0.0), self.pick);
        first.map_err(|cause| ControlError::of_reference(0.0, cause))
    }

    /// Refuses a law that steers a point with fewer joints than a point has coordinates.
    pub(crate) fn check_law(&self, joints: usize) -> Result<(), ControlError> {
        if self.law.controls_tool() && joints < 3 {
            let why = "a tool that is steered along x, y and z needs three joints";
            return Err(ControlError::LawDoesNotApply { law: self.law.name().to_owned(), why });
        }
        Ok(())
    }

    /// What the joints should do at a time, by the kinematics that the controller knows. A tool is followed on the solution
    /// next to the last one. `count`: the joints that the robot has, at most `N`.
    fn reference<const N: usize, M: Dynamics<f64, N>>(
        &self,
        model: &M,
        time: f64,
        count: usize,
        near: &mut Option<JointVector>,
    ) -> Result<Reference<f64, N>, ControlError> {
        let joints = match self.motion.at(time) {
            Target::Joints(joints) => joints,
            Target::Tool(tool) => {
                let pick = Pick { near: near.take().or_else(|| self.pick.near.clone()), ..*self.pick };
                let out = |cause| ControlError::of_reference(time, cause);
                let joints = self.known.at_tool(&tool, &pick).map_err(out)?.joints;
                *near = Some(joints.q.clone());
                joints
            }
        };
        let given = [&joints.q, &joints.qd, &joints.qdd];
        if given.iter().any(|all| all.len() != count) {
            return Err(ControlError::Joints { robot: count, known: joints.q.len() });
        }
        // Joints that only the formulas have stay at zero.
        let [q, qd, qdd] = map(given, |all| crate::array::from_fn(|i| all.get(i).copied().unwrap_or(0.0)));
        let state = model.at_joints(q, qd);
        let point = [state.tool().origin, state.tool_velocity().linear, state.tool_acceleration(qdd).linear];
        Ok(Reference { q, qd, qdd, point })
    }
}

/// The loop of a robot whose coordinates are its joints, at the start of its motion, at rest under the torques that the
/// model holds it with. `plant` is `robot` as it moves, behind a gear with play without rotors and friction; `model` is what
/// the controller computes with.
pub fn in_joints<'a, const N: usize, P, M>(
    robot: &dyn Family,
    plant: P,
    model: M,
    task: &LoopTask<'a>,
) -> Result<Box<dyn SampledLoop + 'a>, ControlError>
where
    P: Dynamics<f64, N> + 'a,
    M: Dynamics<f64, N> + 'a,
{
    let task = *task;
    task.check_law(N)?;
    let (mut near, count) = (None, robot.joints().len());
    let first = task.reference(&model, 0.0, count, &mut near)?;
    let (setup, held) = {
        let still = model.at_joints(first.q, [0.0; N]);
        (task.setup(robot, &still), still.gravity())
    };
    let reference = move |model: &M, time: f64| task.reference(model, time, count, &mut near);
    let law = task.running_law();
    Ok(Box::new(ClosedLoop::new(InJoints::new(plant), model, reference, law, setup, [first.q, first.qd], held)?))
}
