//! Starts and torques of robots, and the cell of one robot.

use super::{Cell, Item, Member, RobotMember};
use crate::Vec3;
use crate::robot::{JointState, JointVector, Reason, Robot, State, StateError, Target, ToolState, ToolTurns};
use crate::spatial::{Frame, Twist, Wrench};

/// Where a robot starts.
#[derive(Clone, Debug, PartialEq)]
pub enum StartPose {
    /// Joint angles, rad (m), and their rates.
    Joints(Vec<f64>, Vec<f64>),
    /// Position of a tool that does not turn, in the robot's own frame, m, and its velocity. A fourth axis is at zero.
    Position(Vec3<f64>, Vec3<f64>),
    /// Frame of a tool that turns, in the robot's own, and its motion.
    Pose(Frame<f64>, Twist<f64>),
}

/// What the motors of a robot do. A place where controllers would stand beside the constant torques.
#[derive(Clone, Debug, PartialEq)]
pub enum Torque {
    /// Nothing.
    Zero,
    /// Hold it where it starts.
    Hold,
    /// Hold it at other joint angles.
    HoldAt(Vec<f64>),
    /// These, N m or N.
    Constant(Vec<f64>),
}

/// As many numbers as the robot has joints.
fn per_joint(robot: &Robot, what: &str, values: &[f64]) -> Result<JointVector, StateError> {
    let (given, expected) = (values.len(), robot.joints().len());
    if given == expected {
        return Ok(JointVector::new(values));
    }
    Err(StateError::new(Reason::NoPose, format!("{what} has {given} numbers, but the robot has {expected} joints")))
}

impl StartPose {
    fn target(&self, robot: &Robot) -> Result<Target, StateError> {
        match self {
            Self::Joints(q, qd) => {
                let [q, qd] = [per_joint(robot, "the start", q)?, per_joint(robot, "the velocity", qd)?];
                Ok(Target::Joints(JointState { q: q.clone(), qd, qdd: JointVector::zero(q.len()) }))
            }
            Self::Position(..) if robot.kind().tool_turns == ToolTurns::Freely => {
                let title = robot.kind().title;
                let text =
                    format!("a position does not say how the tool of a {title} is turned: give `rpy`, or the joints");
                Err(StateError::new(Reason::NotOffered, text))
            }
            Self::Pose(pose, velocity) => {
                let acceleration = Twist::zero();
                Ok(Target::Tool(ToolState { pose: *pose, velocity: *velocity, acceleration, turn: 0.0 }))
            }
            Self::Position(position, velocity) => {
                Ok(Target::Tool(ToolState::translating(*position, *velocity, Vec3::zero())))
            }
        }
    }
}

impl RobotMember {
    /// A robot on a base, in the gravity of its surroundings (scene frame), without torques. Without a start it is at home.
    pub fn new(
        robot: &Robot,
        base: Frame<f64>,
        gravity: Vec3<f64>,
        start: Option<&StartPose>,
    ) -> Result<Self, StateError> {
        let seen = base.rotation.transpose() * gravity;
        let robot = robot.with_gravity(seen).map_err(|error| StateError::new(Reason::NotFinite, error.to_string()))?;
        let start = match start {
            Some(start) => robot.start(&start.target(&robot)?)?,
            None => robot.home()?,
        };
        let torque = JointVector::zero(robot.joints().len());
        Ok(Self { robot, base, start, torque })
    }

    /// Torques for its motors; where they hold it, they also push with `force` (scene frame, N) on what the tool touches or
    /// carries.
    pub fn set_torque(&mut self, torque: &Torque, force: Vec3<f64>) -> Result<(), StateError> {
        self.torque = match torque {
            Torque::Zero => JointVector::zero(self.torque.len()),
            Torque::Constant(values) => per_joint(&self.robot, "the torque", values)?,
            Torque::Hold => self.holding(&self.start, force)?,
            Torque::HoldAt(q) => {
                let still = StartPose::Joints(q.clone(), vec![0.0; q.len()]);
                self.holding(&self.robot.start(&still.target(&self.robot)?)?, force)?
            }
        };
        Ok(())
    }

    /// The torques that hold it in a state, and push with `force`.
    fn holding(&self, state: &State, force: Vec3<f64>) -> Result<JointVector, StateError> {
        let exact = self.robot.models().first().map_or("exact", |model| model.name);
        let model = self.robot.model(exact).map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        let wrench = Wrench { force: self.base.rotation.transpose() * force, moment: Vec3::zero() };
        let (weight, push) = (model.gravity_torque(state), self.robot.torque_of_wrench(state, wrench));
        Ok(JointVector::from_fn(weight.len(), |i| weight[i] + push[i]))
    }
}

impl Cell {
    /// One robot alone. Without a start it does its [free swing](crate::Robot::free_swing): a Delta is held by
    /// constant torques at 45° on all arms and begins beside that pose, a serial arm begins at rest with all joints at zero,
    /// without torque. With a start, the torques are those that hold it there; `torque` says otherwise.
    pub fn of_robot(robot: &Robot, start: Option<&StartPose>, torque: Option<&Torque>) -> Result<Self, StateError> {
        let gravity = robot.gravity();
        let mut member = RobotMember::new(robot, Frame::identity(), gravity, start)?;
        let mut held = Some(member.start.clone());
        if start.is_none() {
            let swing = robot.free_swing()?;
            (member.start, held) = (swing.start, swing.held);
        }
        match (torque, held) {
            (None, None) => {}
            (None | Some(Torque::Hold), Some(held)) => member.torque = member.holding(&held, Vec3::zero())?,
            (Some(torque), _) => member.set_torque(torque, Vec3::zero())?,
        }
        let mut cell = Self::new(robot.name.clone(), gravity);
        cell.members.push(Member { name: robot.name.clone(), item: Item::Robot(Box::new(member)) });
        Ok(cell)
    }
}
