//! What an experiment is about: one robot, or two that carry one object.

use super::collector::Stage;
use super::experiment::Experiment;
use super::outcome::Outcome;
use super::{ControlError, Controller, Impedance, Law, LoopTask, Sample, SampledLoop, Tuning};
use crate::Vec3;
use crate::friction::Friction;
use crate::motion::{self, MotionFileError, MotionOrder, MotionTable, OrderError, RobotMotion, is_tolerated};
use crate::report::drawing::{Drawing, Track};
use crate::robot::file::{FileError, LoadError};
use crate::robot::{
    Form, Impossible, Joint, JointState, JointVector, Load, Model, ModelSpec, Pick, Refused, Robot, State, Target,
    ToolState, Violation, violations,
};
use crate::spatial::{Frame, Wrench};
use std::fmt::Debug;
use std::path::Path;

/// What experiments are made with: a [`Robot`], or a [`Pair`](super::Pair) with its object.
pub trait Subject: Clone + Debug {
    /// The law that moves it unless somebody says otherwise.
    const USUAL_LAW: Law;
    /// The keys at the top of an experiment file that say which it is.
    const KEYS: &'static [&'static str];

    /// The one that the text of an experiment is about; files are looked for in `folder`.
    fn of_experiment(text: &str, folder: Option<&Path>) -> Result<Self, FileError>;
    /// A built-in one by its name, or else the one in a file.
    fn find(name_or_path: &str) -> Result<Self, LoadError>;

    /// Its name.
    fn name(&self) -> &str;
    /// What the controller moves: platform, tool, object.
    fn moved(&self) -> &'static str;
    /// Its driven joints, in order.
    fn joints(&self) -> Vec<Joint>;
    /// What it carries, kg.
    fn payload(&self) -> f64;
    /// The same with another mass to carry, kg.
    fn carrying(&self, mass: f64) -> Result<Self, Impossible>;
    /// The same with this friction at every motor.
    fn with_friction(&self, friction: Option<Friction<f64>>) -> Result<Self, Impossible>;
    /// Whether another has the same numbers, but for payload and friction at the motors.
    fn is_built_like(&self, other: &Self) -> bool;
    /// Refuses another one that its controller cannot take it for.
    fn check_known(&self, _known: &Self) -> Result<(), Impossible> {
        Ok(())
    }
    /// The models that its controller may have.
    fn models(&self) -> &'static [ModelSpec];
    /// Where it rests.
    fn home(&self) -> Target;
    /// What it does unless somebody says otherwise.
    fn usual_order(&self) -> MotionOrder;
    /// Whether a path leads its tool or its joints.
    fn form_of_path(&self, path: &str) -> Form;
    /// The motion that an order means for the subject of an experiment, within its limits, and the solution of the kinematics
    /// that it is followed on.
    fn plan(experiment: &Experiment<Self>, order: &MotionOrder) -> Result<(RobotMotion, Pick), OrderError>;
    /// The motion in a file.
    fn table(&self, file: &str) -> Result<MotionTable, MotionFileError>;
    /// What may help where an order cannot be carried out.
    fn hint(&self, order: &MotionOrder, error: &OrderError) -> Option<String>;
    /// The limits that a target exceeds, as the controller knows the robot; or why the robot cannot be there at all.
    fn violations(experiment: &Experiment<Self>, target: &Target) -> Result<Vec<Violation>, Refused>;
    /// Why a law is not for it; none: it is.
    fn refuses(_law: &dyn Controller) -> Option<&'static str> {
        None
    }
    /// What platform, tool or object shall feel like under the law `impedance`.
    fn impedance(experiment: &Experiment<Self>) -> Impedance<f64>;
    /// The run of an experiment under one law. `go_on` is told the time and may end the run.
    fn run(
        experiment: &Experiment<Self>,
        tuning: &Tuning,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError>;
}

impl Subject for Robot {
    const USUAL_LAW: Law = Law::ComputedTorque;
    const KEYS: &'static [&'static str] = &["robot"];

    fn of_experiment(text: &str, folder: Option<&Path>) -> Result<Self, FileError> {
        super::file::robot(text, folder)
    }

    fn find(name_or_path: &str) -> Result<Self, LoadError> {
        Robot::find(name_or_path)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn moved(&self) -> &'static str {
        self.kind().moved
    }

    fn joints(&self) -> Vec<Joint> {
        self.family().joints()
    }

    fn payload(&self) -> f64 {
        self.family().payload()
    }

    fn carrying(&self, mass: f64) -> Result<Self, Impossible> {
        Robot::carrying(self, mass)
    }

    fn with_friction(&self, friction: Option<Friction<f64>>) -> Result<Self, Impossible> {
        Robot::with_friction(self, friction)
    }

    fn is_built_like(&self, other: &Self) -> bool {
        let bare = |robot: &Self| {
            let bare = robot.family().with_payload(0.0).and_then(|robot| robot.with_frictions(&|_| None));
            bare.map(|robot| robot.to_toml("", None))
        };
        bare(self) == bare(other)
    }

    fn check_known(&self, known: &Self) -> Result<(), Impossible> {
        let [own, other] = [self, known].map(|robot| (robot.kind().title, robot.family().joints().len()));
        match own == other {
            true => Ok(()),
            false => {
                let told = |(title, joints): (&str, usize)| format!("a {title} with {joints} joints");
                Err(Impossible(format!("the robot is {}, but its controller knows {}", told(own), told(other))))
            }
        }
    }

    fn models(&self) -> &'static [ModelSpec] {
        self.family().models()
    }

    fn home(&self) -> Target {
        match self.family().home() {
            Ok(State { tool, .. }) if self.kind().form == Form::Tool => Target::Tool(tool),
            Ok(State { joints, .. }) => Target::Joints(joints),
            Err(_) => Target::Joints(JointState::at_rest(JointVector::zero(self.joints().len()))),
        }
    }

    fn usual_order(&self) -> MotionOrder {
        MotionOrder::usual(&self.kind())
    }

    fn form_of_path(&self, path: &str) -> Form {
        motion::form_of_path(path, self)
    }

    /// For the robot as the controller knows it, within the limits of the robot as it is.
    fn plan(experiment: &Experiment, order: &MotionOrder) -> Result<(RobotMotion, Pick), OrderError> {
        let Experiment { robot, known, pick, .. } = experiment;
        let joints = Subject::joints(robot);
        let mover = order.mover(known, pick)?;
        let mover = mover.limited(|i, own| joints.get(i).map_or(own, |joint| joint.limits));
        Ok((order.timed_by(&mover, Experiment::<Self>::SHARE)?.motion, *mover.pick()))
    }

    fn table(&self, file: &str) -> Result<MotionTable, MotionFileError> {
        MotionTable::read(file, self)
    }

    fn hint(&self, order: &MotionOrder, error: &OrderError) -> Option<String> {
        order.hint(error, self, &Pick::default())
    }

    fn violations(experiment: &Experiment, target: &Target) -> Result<Vec<Violation>, Refused> {
        let Experiment { robot, known, pick, .. } = experiment;
        let Load { joints, torque, ball_angles, .. } = known.load(target, pick)?;
        let own = Subject::joints(robot);
        let mut all = violations(&own, &joints.q, ball_angles.as_deref(), Some(&joints.qd), Some(&torque));
        all.retain(|violation| !is_tolerated(violation));
        Ok(all)
    }

    /// By the mass that platform or tool feels like at the start.
    fn impedance(experiment: &Experiment) -> Impedance<f64> {
        let Experiment { known, motion, pick, bandwidth, damping_ratio, stiffness, .. } = experiment;
        let state = known.at(&motion.at(0.0), pick).ok();
        let Some((state, model)) = state.zip(known.model("exact").ok()) else {
            return Impedance::isotropic(stiffness.unwrap_or(0.0), *damping_ratio, 0.0);
        };
        let square = bandwidth * bandwidth;
        match model.tool_mass(&state) {
            // The mean over the directions.
            Some(felt) => {
                let mass = (felt.mass[0][0] + felt.mass[1][1] + felt.mass[2][2]) / 3.0;
                Impedance::isotropic(stiffness.unwrap_or(mass * square), *damping_ratio, mass)
            }
            // A stiffness that was asked for changes the springs against turning in proportion.
            None => {
                let [mass, inertia] = felt(&*model, &state);
                let square = stiffness.map_or(square, |stiffness| stiffness / mass);
                Impedance::of_tool(mass * square, inertia * square, 2.0 * damping_ratio * square.sqrt())
            }
        }
    }

    fn run(
        experiment: &Experiment,
        tuning: &Tuning,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        let Experiment { robot, pick, .. } = experiment;
        let mut closed = experiment.closed_loop(tuning)?;
        let base = Frame::identity();
        let stage = Stage {
            drawing: Drawing { down: robot.gravity().0, ..robot.drawing(&base) },
            draw: &|sample: &Sample, tracks: &mut [Track]| {
                robot.draw(&drawn(robot, pick, sample.q, sample.point[0]), &base, tracks);
            },
        };
        experiment.record(tuning, &mut *closed, stage, go_on)
    }
}

impl Experiment {
    /// The robot under a control law, at the start of its motion.
    pub fn closed_loop<'a>(&'a self, tuning: &'a Tuning) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let Self { robot, known, motion, pick, .. } = self;
        let (model, law) = (known.model_name(&self.model)?, &*tuning.law);
        robot.closed_loop(&LoopTask {
            known: known.family(),
            model,
            motion,
            pick,
            law,
            settings: self.settings(tuning),
        })
    }
}

/// What is needed of a state to draw it, at rest and unchecked.
pub(super) fn drawn(robot: &Robot, pick: &Pick, q: JointVector, point: Vec3<f64>) -> State {
    State {
        given: robot.kind().form,
        pick: *pick,
        joints: JointState::at_rest(q),
        tool: ToolState::translating(point, Vec3::zero(), Vec3::zero()),
    }
}

/// Mass, kg, and inertia, kg m², that a tool feels like with all joints free: a force or moment over what it accelerates the
/// tool by in its own direction, the mean over the directions; those that move most count most.
fn felt(model: &dyn Model, state: &State) -> [f64; 2] {
    let held = model.gravity_torque(state);
    let mut sums = [0.0; 2];
    for k in 0..6 {
        let unit = Vec3::from_fn(|i| if i == k % 3 { 1.0 } else { 0.0 });
        let (force, moment) = if k < 3 { (unit, Vec3::zero()) } else { (Vec3::zero(), unit) };
        if let Ok(moved) = model.accelerated(state, &held, Wrench { force, moment }) {
            sums[k / 3] += moved.tool.acceleration.components()[k];
        }
    }
    // A tool that does not turn has no inertia to speak of.
    sums.map(|sum| if sum > 0.0 { 3.0 / sum } else { 0.0 })
}
