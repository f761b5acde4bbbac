//! A Delta in the closed loop, and what a fourth axis on it needs. Its coordinates are those of its platform; references come from the
//! platform too.

use super::batch::fast_path;
use super::{KIND, assembly, elbows, moving, pose};
use crate::delta::models::Exact;
use crate::delta::symmetric::Symmetric;
use crate::delta::{Branch, Delta, DeltaModel, DeltaState, KinematicsError, Moving, SINGULAR};
use crate::dynamics::{Dynamics, Reference, State as _};
use crate::robot::closed_loop::{ClosedLoop, ControlError, LoopTask, Plant, SampledLoop, check_side};
use crate::robot::families::DeltaRobot;
use crate::robot::families::turning::Translating;
use crate::robot::families::{known_as, without_drives};
use crate::robot::own::padded;
use crate::robot::{Form, JointState, JointVector, Kind, Pick, State, StateError, Target};
use crate::simulate::ElbowWatch;
use crate::{Scalar, Vec3};
use std::cell::Cell;

/// Below this margin of an arm or of the rods a reference is looked at again by the checked kinematics, which say why.
const LEAST_MARGIN: f64 = 1e-6;

/// A Delta through the exact model, by its fast path where it has one.
#[derive(Clone, Copy, Debug)]
pub struct DeltaPlant {
    robot: Delta<f64>,
    branch: Branch,
    /// For a symmetric robot without friction.
    fast: Option<Symmetric<f64>>,
    watch: ElbowWatch,
    /// The determinant of the rods when it was last seen; zero before.
    side: f64,
}

impl DeltaPlant {
    /// The robot with its elbows on one branch.
    pub fn new(robot: &Delta<f64>, branch: Branch) -> Self {
        let fast = fast_path(robot).filter(|_| branch == Branch::Out);
        Self { robot: *robot, branch, fast, watch: ElbowWatch::default(), side: 0.0 }
    }

    #[inline]
    fn moving(&self, x: [f64; 3], v: [f64; 3]) -> Moving<'_, f64> {
        self.robot.pose_unchecked(Vec3(x), self.branch).moving(Vec3(v))
    }
}

impl Plant<3> for DeltaPlant {
    #[inline]
    fn acceleration(&self, x: [f64; 3], v: [f64; 3], torque: [f64; 3], force: Vec3<f64>) -> [f64; 3] {
        match &self.fast {
            Some(fast) if force.0 == [0.0; 3] => fast.acceleration(Vec3(x), Vec3(v), torque).0,
            _ => self.moving(x, v).acceleration_under(torque, force).0,
        }
    }

    #[inline]
    fn joints(&mut self, time: f64, x: [f64; 3], v: [f64; 3]) -> Result<[[f64; 3]; 2], StateError> {
        let moving = self.robot.pose_unchecked(Vec3(x), self.branch).moving(Vec3(v));
        let stretched = moving.pose.transmission_margins().iter().all(|margin| margin.abs() > SINGULAR);
        let side = moving.pose.rod_determinant();
        if !(stretched && side.abs() > SINGULAR) {
            self.robot.at_position(Vec3(x), self.branch)?;
        }
        check_side(&mut self.side, side)?;
        self.watch.check(time, &moving)?;
        Ok([moving.pose.joints(), moving.joint_velocity()])
    }

    fn joints_unchecked(&self, x: [f64; 3], v: [f64; 3]) -> [[f64; 3]; 2] {
        let moving = self.moving(x, v);
        [moving.pose.joints(), moving.joint_velocity()]
    }

    #[inline]
    fn joint_acceleration(&self, x: [f64; 3], v: [f64; 3], a: [f64; 3]) -> [f64; 3] {
        self.moving(x, v).joint_acceleration(Vec3(a))
    }

    #[inline]
    fn point(&self, x: [f64; 3], v: [f64; 3]) -> [Vec3<f64>; 2] {
        [Vec3(x) + self.robot.parameters().tool, Vec3(v)]
    }
}

/// What a state of the tool point asks of the joints, and the determinant of the rods there: its sign is the side of the type-2
/// singularities on which the platform is.
#[inline]
pub(super) fn reference(
    robot: &Delta<f64>,
    branch: Branch,
    [position, velocity, acceleration]: [Vec3<f64>; 3],
) -> Result<(Reference<f64, 3>, f64), StateError> {
    let platform = robot.platform_of(position);
    let mut pose = robot.pose_unchecked(platform, branch);
    let side = pose.rod_determinant();
    // Negated so that NaN is refused too; the checked way then says why.
    let [a, b, c] = pose.transmission_margins();
    if !([a, b, c, side].iter().all(|margin| margin.abs() > LEAST_MARGIN)) {
        pose = robot.at_position(platform, branch)?;
    }
    let moving = pose.moving(velocity);
    let reference = Reference {
        q: moving.pose.joints(),
        qd: moving.joint_velocity(),
        qdd: moving.joint_acceleration(acceleration),
        point: [position, velocity, acceleration],
    };
    Ok((reference, side))
}

impl DeltaRobot {
    /// What a target asks of the tool point.
    #[inline]
    fn point(&self, target: &Target, pick: &Pick) -> Result<[Vec3<f64>; 3], StateError> {
        match target {
            Target::Tool(tool) => {
                Self::refuse_turning(tool)?;
                Ok([tool.pose.origin, tool.velocity.linear, tool.acceleration.linear])
            }
            Target::Joints(JointState { q, qd, qdd }) => {
                let moving = self.delta.at_joints(padded(q), assembly(pick))?.try_moving_joints(padded(qd))?;
                Ok([moving.pose.tool(), moving.velocity, moving.platform_acceleration(padded(qdd))])
            }
        }
    }

    /// The loop at the start of the motion, at rest under the torques that the model holds the robot with.
    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let task = *task;
        let known: &'a Self = known_as(self, task.known)?;
        let dynamics = known.applying(task.model)?;
        let branch = elbows(task.pick);
        let last_side = Cell::new(0.0);
        let at = move |time: f64| {
            let point = match task.motion.point(time) {
                Some(point) => Ok(point),
                None => known.point(&task.motion.at(time), task.pick),
            };
            point
                .and_then(|point| {
                    let (reference, side) = reference(&known.delta, branch, point)?;
                    // Between two samples the rods did not hold the platform.
                    if side * last_side.replace(side) < 0.0 {
                        return Err(KinematicsError::PlatformSingular { margin: 0.0 }.into());
                    }
                    Ok(reference)
                })
                .map_err(|cause| ControlError::of_reference(time, cause))
        };
        let first = at(0.0)?;
        let start = self
            .delta
            .at_position(self.delta.platform_of(first.point[0]), branch)
            .map_err(|cause| ControlError::of_reference(0.0, cause.into()))?;
        let model = DeltaModel { robot: known.delta, model: dynamics, assembly: start.assembly(), branch };
        let (setup, held) = {
            let still = model.at_joints(first.q, [0.0; 3]);
            (task.setup(self, &still), still.gravity())
        };
        let plant = if task.settings.drive.backlash.is_some() { without_drives(self).delta } else { self.delta };
        let state = [start.position.0, first.point[1].0];
        let law = task.running_law();
        let plant = DeltaPlant::new(&plant, branch);
        Ok(Box::new(ClosedLoop::new(plant, model, move |_: &_, time| at(time), law, setup, state, held)?))
    }
}

/// With a fourth axis.
static TURNING: Kind = Kind { title: "Delta robot with a fourth axis", ..KIND };

impl Translating for DeltaRobot {
    const KIND: &'static Kind = &TURNING;
    type Formulas<S: Scalar + 'static> = DeltaModel<S, Exact>;
    type Here<'a> = DeltaState<'a, f64, Exact>;

    fn formulas<S: Scalar + 'static>(&self, state: &State) -> DeltaModel<S, Exact> {
        let here = pose(&self.delta, state);
        let assembly = match state.given {
            Form::Tool => here.assembly(),
            Form::Joints => assembly(&state.pick),
        };
        DeltaModel { robot: self.delta.lift(), model: Exact, assembly, branch: elbows(&state.pick) }
    }

    fn here(&self, state: &State) -> DeltaState<'_, f64, Exact> {
        DeltaState::new(moving(&self.delta, state), &Exact)
    }

    fn payload(&self) -> f64 {
        self.delta.parameters().payload_mass
    }

    fn gravity(&self) -> Vec3<f64> {
        self.delta.gravity()
    }

    fn tool_height(&self) -> f64 {
        self.delta.parameters().tool[2]
    }

    fn ball_angles(&self, state: &State) -> JointVector {
        pose(&self.delta, state).ball_angles().into()
    }
}
