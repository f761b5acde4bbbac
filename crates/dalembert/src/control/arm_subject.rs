//! Experiments with serial arms.

use super::arm_model::PumaControl;
use super::collector::Stage;
use super::delta_subject::strains;
use super::experiment::{Experiment, Subject};
use super::outcome::Outcome;
use super::{ArmMechanics, ArmWish, ClosedLoop, ControlError, Dynamics, Impedance, Motors, Sample, Tuning, Wish};
use crate::Vec3;
use crate::arm::{ArmVisitor, MOST_JOINTS};
use crate::delta::Limits;
use crate::describe::SerialRobot;
use crate::dynamics::State as _;
use crate::friction::Friction;
use crate::motion::{ArmMachine, BoxedMotion, Impossible, MotionOrder, OrderError, Passed, PerJoint, State};
use crate::record::serial_states::SerialModelName;
use crate::report::drawing::Track;
use crate::serial::puma::DoesNotApply;
use crate::serial::{Joint, Serial};
use crate::spatial::{Frame, Wrench};

impl Subject for SerialRobot {
    type Model = SerialModelName;
    type Point = PerJoint;
    const CONTROLLED: &'static str = "tool";
    const STROKE: f64 = 1.0;

    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> Vec<Limits> {
        self.motion_limits()
    }

    fn slides(&self) -> Vec<bool> {
        self.arm.links().iter().map(|link| link.joint == Joint::Prismatic).collect()
    }

    fn payload(&self) -> f64 {
        self.arm.surroundings().payload.mass
    }

    fn friction(&self) -> Vec<Option<Friction<f64>>> {
        self.arm.links().iter().map(|link| link.friction).collect()
    }

    fn is_built_like(&self, other: &Self) -> bool {
        let bare = |robot: &Self| {
            let mut links = robot.arm.links().to_vec();
            links.iter_mut().for_each(|link| link.friction = None);
            let mut rest = robot.arm.surroundings();
            rest.payload.mass = 0.0;
            (links, rest)
        };
        bare(self) == bare(other)
    }

    /// All joints at zero.
    fn home(&self) -> PerJoint {
        [0.0; MOST_JOINTS]
    }

    fn plan(experiment: &Experiment<Self>, order: &MotionOrder) -> Result<BoxedMotion<PerJoint>, OrderError> {
        Ok(order.timed_joints(&experiment.robot, &experiment.known.arm, Experiment::<Self>::SHARE)?.motion)
    }

    fn columns(&self) -> [Vec<String>; 3] {
        let joints = self.arm.joints();
        ["q", "qd", "qdd"].map(|prefix| (1..=joints).map(|i| format!("{prefix}{i}")).collect())
    }

    fn point(numbers: &[f64]) -> PerJoint {
        std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0))
    }

    fn strains(experiment: &Experiment<Self>, state: &State<PerJoint>) -> Result<Vec<Passed>, Impossible> {
        experiment.known.arm.visit(Strains { robot: &experiment.robot, state })
    }

    fn model_name(model: SerialModelName) -> &'static str {
        model.as_str()
    }

    /// With the mass and the inertia that the tool feels like at the start, all joints free, the mean over the directions;
    /// those that move most count most. A stiffness that was asked for changes the springs against turning in proportion.
    fn impedance(experiment: &Experiment<Self>) -> Impedance<f64> {
        let [mass, inertia] = experiment.known.arm.visit(Felt(experiment.motion.at(0.0).position));
        let usual = experiment.bandwidth * experiment.bandwidth;
        let square = experiment.stiffness.map_or(usual, |stiffness| stiffness / mass);
        let damping = 2.0 * experiment.damping_ratio * square.sqrt();
        Impedance::of_tool(mass * square, inertia * square, damping)
    }

    fn run(
        experiment: &Experiment<Self>,
        tuning: &Tuning,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        if experiment.model == SerialModelName::NewtonEuler {
            return experiment.robot.arm.visit(Recursive { experiment, tuning, go_on });
        }
        let (Some(robot), Some(known)) = (experiment.robot.arm.six(), experiment.known.arm.six()) else {
            let assumed = "six, those of the PUMA 560";
            return Err(DoesNotApply { field: "link", link: None, assumed }.into());
        };
        let model = PumaControl::new(experiment.model, known)?;
        ArmParts::new(experiment, robot, known)?.run(experiment, tuning, model, go_on)
    }
}

/// The limit that a state passes.
struct Strains<'a> {
    robot: &'a SerialRobot,
    state: &'a State<PerJoint>,
}

impl ArmVisitor for Strains<'_> {
    type Output = Result<Vec<Passed>, Impossible>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let State { position, velocity, acceleration } = self.state;
        let state = State { position: first(position), velocity: first(velocity), acceleration: first(acceleration) };
        strains(&ArmMachine::new(arm, self.robot), &state)
    }
}

/// Mass, kg, and inertia, kg m²: a force or moment over what it accelerates the tool by in its own direction.
struct Felt(PerJoint);

impl ArmVisitor for Felt {
    type Output = [f64; 2];
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> [f64; 2] {
        let moving = arm.pose_unchecked(first(&self.0)).moving([0.0; N]);
        let jacobian = moving.pose.jacobian();
        let held = moving.pose.gravity_torque();
        let mut sums = [0.0; 2];
        for k in 0..6 {
            let unit = Vec3::from_fn(|i| if i == k % 3 { 1.0 } else { 0.0 });
            let (force, moment) = if k < 3 { (unit, Vec3::zero()) } else { (Vec3::zero(), unit) };
            let moved = jacobian.times(moving.acceleration_under(held, Wrench { force, moment }));
            sums[k / 3] += moved.components()[k];
        }
        // A tool that does not turn has no inertia to speak of.
        sums.map(|sum| if sum > 0.0 { 3.0 / sum } else { 0.0 })
    }
}

/// The run with the recursive model, which every arm has.
struct Recursive<'a> {
    experiment: &'a Experiment<SerialRobot>,
    tuning: &'a Tuning,
    go_on: &'a mut dyn FnMut(f64) -> bool,
}

impl ArmVisitor for Recursive<'_> {
    type Output = Result<Outcome, ControlError>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let Self { experiment, tuning, go_on } = self;
        let known = experiment.known.arm.with_joints::<N>().ok_or(joints(experiment))?;
        ArmParts::new(experiment, arm, &known)?.run(experiment, tuning, known, go_on)
    }
}

fn joints(experiment: &Experiment<SerialRobot>) -> ControlError {
    ControlError::Joints { robot: experiment.robot.arm.joints(), known: experiment.known.arm.joints() }
}

/// As many joints as the arm has.
pub(super) fn first<const N: usize>(all: &PerJoint) -> [f64; N] {
    std::array::from_fn(|i| all[i])
}

/// What a loop over a serial arm borrows.
#[derive(Debug)]
pub struct ArmParts<const N: usize> {
    known: Serial<f64, N>,
    mechanics: ArmMechanics<N>,
    motors: Motors<N>,
}

/// The loop of an [`Experiment`] with a serial arm.
pub type ArmLoop<'p, const N: usize, M> = ClosedLoop<N, ArmMechanics<N>, M, ArmWish<'p, N>>;

impl<const N: usize> ArmParts<N> {
    /// The arms of an experiment, ready to run: `robot` as it is, `known` as its controller knows it.
    pub fn new(
        experiment: &Experiment<SerialRobot>,
        robot: &Serial<f64, N>,
        known: &Serial<f64, N>,
    ) -> Result<Self, ControlError> {
        experiment.check()?;
        let limits: [Limits; N] = experiment.robot.motion_limits().try_into().map_err(|_| joints(experiment))?;
        let mut parameters = *robot.parameters();
        let motors = Motors {
            max_torque: limits.map(|limits| limits.max_torque),
            max_speed: limits.map(|limits| limits.max_speed),
            rotor: parameters.links.map(|link| link.motor_inertia),
            friction: parameters.links.map(|link| link.friction),
        };
        if experiment.drive.backlash.is_some() {
            // Behind a gear with play motor and friction are not the link's; the gyroscopic torques of a motor, which the
            // joint's speed would say, are left out.
            for link in &mut parameters.links {
                link.motor_inertia = 0.0;
                link.friction = None;
                link.armature = None;
            }
        }
        Ok(Self { known: *known, mechanics: ArmMechanics { arm: Serial::new(parameters) }, motors })
    }

    /// The loop at the start of the motion, at rest under the torques that the model holds it with.
    pub fn closed_loop<'p, M: Dynamics<f64, N>>(
        &'p self,
        experiment: &'p Experiment<SerialRobot>,
        tuning: &Tuning,
        model: M,
    ) -> Result<ArmLoop<'p, N, M>, ControlError> {
        if N < tuning.law.least_joints() {
            let why = "a tool that is steered along x, y and z needs three joints";
            return Err(ControlError::LawDoesNotApply { law: tuning.law.as_str(), why });
        }
        let wish = ArmWish { arm: &self.known, motion: &*experiment.motion };
        let reference = wish.at(0.0)?;
        let (setup, held) = {
            let still = model.at_joints(reference.q, [0.0; N]);
            (experiment.setup(tuning, self.motors, &still), still.gravity())
        };
        ClosedLoop::new(self.mechanics, model, wish, setup, [reference.q, reference.qd], held)
    }

    fn run<M: Dynamics<f64, N>>(
        &self,
        experiment: &Experiment<SerialRobot>,
        tuning: &Tuning,
        model: M,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        let closed = self.closed_loop(experiment, tuning, model)?;
        let (robot, base) = (crate::robot::Robot::from(experiment.robot.clone()), Frame::identity());
        let stage = Stage {
            drawing: robot.drawing(&base),
            places: &|sample: &Sample<N>, tracks: &mut [Track]| {
                let joints = crate::robot::JointState::at_rest(sample.q);
                if let Ok(state) = robot.at_joints(&joints, &crate::robot::Pick::default()) {
                    robot.draw(&state, &base, tracks);
                }
            },
        };
        experiment.record(tuning, closed, stage, go_on)
    }
}
