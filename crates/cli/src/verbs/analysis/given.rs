//! How a state of a robot is given: on the command line, or as the rows of a file.

use super::{ChangeArguments, list};
use crate::prelude::*;
use crate::verbs::source::states;
use dalembert::robot::orientation::rotation;
use dalembert::robot::{Form, JointState, JointVector, State, ToolState, ToolTurns};
use dalembert::spatial::Wrench;
use dalembert::verbs::refused;
use dalembert::verbs::states::TimedState;

const JOINTS: [&str; 3] = ["joints", "joint_velocity", "joint_acceleration"];
const ALL: [&str; 9] = [
    "joints",
    "joint_velocity",
    "joint_acceleration",
    "position",
    "rpy",
    "velocity",
    "angular_velocity",
    "acceleration",
    "torque",
];

/// A state of a robot, or those of a motion, and changes of the robot for this run.
#[derive(Args)]
pub struct PointArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Joint angles, rad or with unit; one value stands for all joints
    #[arg(short = 'q', long, value_name = "Q1,Q2,..", allow_hyphen_values = true)]
    joints: Option<String>,
    /// Joint velocities, rad/s
    #[arg(long, value_name = "V1,V2,..", allow_hyphen_values = true)]
    joint_velocity: Option<String>,
    /// Joint accelerations, rad/s²
    #[arg(long, value_name = "A1,A2,..", allow_hyphen_values = true)]
    joint_acceleration: Option<String>,
    /// Platform position, m  [default: the centre of the workspace]
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    position: Option<String>,
    /// Roll, pitch, yaw of a platform that turns, rad or with unit  [default: as at home]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    rpy: Option<String>,
    /// Platform velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    velocity: Option<String>,
    /// Angular velocity of a platform that turns, rad/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS, hide_short_help = true)]
    angular_velocity: Option<String>,
    /// Platform acceleration, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    acceleration: Option<String>,
    /// Motor torques instead of an acceleration, N m
    #[arg(long, value_name = "T1,T2,..", allow_hyphen_values = true, conflicts_with_all = ["acceleration", "joint_acceleration"])]
    torque: Option<String>,
    /// States of a motion, CSV as `trajectory` writes it
    ///
    /// One state per row. `-` is standard input
    #[arg(value_name = "TABLE", conflicts_with_all = ALL)]
    table: Option<String>,
    /// The same as TABLE
    #[arg(long, value_name = "FILE", conflicts_with_all = ALL, conflicts_with = "table", hide_short_help = true)]
    states: Option<String>,
    #[command(flatten)]
    pub changes: ChangeArguments,
}

impl PointArguments {
    /// The robot as it is found, with its changes for this run.
    pub fn found(&self) -> Result<Robot, Failure> {
        self.changes.find(&self.robot)
    }

    /// The file of states, if one is given: those of a motion.
    pub fn file(&self) -> Option<&str> {
        self.table.as_deref().or(self.states.as_deref())
    }

    pub fn is_state(&self) -> bool {
        given!(self; joints, joint_velocity, joint_acceleration, position, rpy, velocity, angular_velocity, acceleration, torque)
            .next()
            .is_some()
    }

    /// The robot with a state, or the states of a motion in order. `rest`: joint velocities and accelerations where none are given, of
    /// a robot whose states are usually given in joints.
    pub fn plan(&self, rest: f64) -> Result<(Robot, Vec<TimedState>), Failure> {
        let robot = self.found()?;
        let states = match self.file() {
            Some(file) => states(&robot, file, Pick::default(), true)?,
            None => vec![self.state(&robot, rest)?.into()],
        };
        Ok((robot, states))
    }

    /// The state of the command line.
    fn state(&self, robot: &Robot, rest: f64) -> Result<State, Failure> {
        let refused = |error| Failure::from(refused(robot, error));
        let kind = robot.kind();
        let by_tool = given!(self; position, rpy, velocity, angular_velocity, acceleration).next().is_some();
        if by_tool && kind.tool_turns == ToolTurns::Freely && kind.form == Form::Joints {
            return Err(Failure::new(format!("a {} takes its state in joints", kind.title))
                .hint("use --joints, --joint-velocity, --joint-acceleration"));
        }
        let by_joints = given!(self; joints, joint_velocity, joint_acceleration).next().is_some();
        let joints = robot.joints();
        let state = if by_joints || (kind.form == Form::Joints && !by_tool) {
            let rest = if kind.form == Form::Joints { rest } else { 0.0 };
            let rates = |option, text: &Option<String>, of| match text {
                Some(text) => joint_vector(option, text, &joints, of),
                None => Ok(JointVector::from_fn(joints.len(), |_| rest)),
            };
            let q = match &self.joints {
                Some(text) => joint_vector("joints", text, &joints, POSITION)?,
                None => robot.home().map_err(refused)?.joints.q,
            };
            let qd = rates("joint-velocity", &self.joint_velocity, VELOCITY)?;
            let qdd = rates("joint-acceleration", &self.joint_acceleration, ACCELERATION)?;
            robot.at_joints(&JointState { q, qd, qdd }, &Pick::default())
        } else {
            let three = |name, text: &Option<String>, dimension| match text {
                Some(text) => list(name, text, dimension, 3).map(|v| Vec3::new(v[0], v[1], v[2])),
                None => Ok(Vec3::zero()),
            };
            let position = match self.position {
                Some(_) => three("position", &self.position, Dimension::Length)?,
                None => robot.home().map_err(refused)?.tool.pose.origin,
            };
            if let Some(option) =
                given!(self; rpy, angular_velocity).next().filter(|_| kind.tool_turns != ToolTurns::Freely)
            {
                return Err(Failure::new(format!(
                    "--{option}: the platform of a {} does not turn that way",
                    kind.title
                ))
                .hint(format!("leave out --{option}")));
            }
            let velocity = three("velocity", &self.velocity, Dimension::Speed)?;
            let acceleration = three("acceleration", &self.acceleration, Dimension::Acceleration)?;
            let mut tool = ToolState::translating(position, velocity, acceleration);
            // Where no place is given, it is turned as it is at home.
            tool.pose.rotation = match (&self.rpy, &self.position) {
                (Some(_), _) => rotation(three("rpy", &self.rpy, Dimension::Angle)?.0),
                (None, Some(_)) => robot.usual_orientation(),
                (None, None) => robot.home().map_err(refused)?.tool.pose.rotation,
            };
            tool.velocity.angular = three("angular-velocity", &self.angular_velocity, Dimension::AngularSpeed)?;
            robot.at_tool(&tool, &Pick::default())
        };
        if let Ok(state) = &state {
            say_ranges(robot, &state.joints.q);
        }
        let Some(torque) = &self.torque else { return state.map_err(refused) };
        let torque = joint_vector("torque", torque, &joints, EFFORT)?;
        let model = robot.model("exact").map_err(Failure::new)?;
        model.accelerated(&state.map_err(refused)?, &torque, Wrench::zero()).map_err(refused)
    }
}
