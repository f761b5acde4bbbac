//! What can stand in a cell.

use super::Cell;
use crate::Vec3;
use crate::mechanism::FreeBody;
use crate::robot::{JointState, JointVector, Reason, Robot, State, StateError, Target, ToolState, ToolTurns};
use crate::spatial::{Frame, Twist, Wrench};

/// A robot or body with its name.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name.
    pub name: String,
    /// What it is.
    pub item: MemberKind,
}

/// What a member is.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// A robot.
    Robot(Box<RobotMember>),
    /// A body.
    Body(SceneBody),
}

/// A robot at its place, with its start.
#[derive(Clone, Debug)]
pub struct RobotMember {
    /// The robot, in the gravity that its base sees.
    pub robot: Robot,
    /// Its base, scene frame.
    pub base: Frame<f64>,
    /// Where it starts, in its own frame.
    pub start: State,
    /// Constant motor torques, N m (N).
    pub torque: JointVector,
}

/// The outside of a body, about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyShape {
    /// Edges along the body's axes, m.
    Box([f64; 3]),
    /// Radius, m.
    Sphere(f64),
    /// A mass without extension.
    Point,
}

/// How a body can move, with its coordinates and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyMotion {
    /// In space: centre and unit quaternion (w, x, y, z); velocity and angular velocity (body frame).
    Free,
    /// Only its place: centre; velocity.
    Point,
    /// In the x–z plane: x, z, angle from x towards z; their rates.
    Planar,
    /// In a vertical plane along x: angle from x towards z; its rate.
    Pendulum {
        /// What it turns about, scene frame, m.
        pivot: [f64; 3],
        /// Of its motor, N m.
        torque: Option<f64>,
    },
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// kg.
    pub mass: f64,
    /// About its centre, own axes, kg m².
    pub inertia: [f64; 3],
    /// What it looks like.
    pub shape: BodyShape,
    /// How it moves.
    pub motion: BodyMotion,
    /// Its coordinates at the start.
    pub q: Vec<f64>,
    /// Its velocities there.
    pub v: Vec<f64>,
}

impl BodyShape {
    /// Moments of inertia of a uniform body of this shape.
    pub fn inertia(self, mass: f64) -> [f64; 3] {
        match self {
            Self::Box(size) => FreeBody::brick(size, mass).inertia,
            Self::Sphere(radius) => [0.4 * mass * radius * radius; 3],
            Self::Point => [0.0; 3],
        }
    }
}

impl SceneBody {
    /// Where its centre is from the pivot of a pendulum, along its own x axis, m: it hangs by its end.
    pub fn center(&self) -> f64 {
        match (self.motion, self.shape) {
            (BodyMotion::Pendulum { .. }, BodyShape::Box([length, ..])) => 0.5 * length,
            _ => 0.0,
        }
    }

    /// Whether it moves in the x–z plane only.
    pub(super) fn is_planar(&self) -> bool {
        matches!(self.motion, BodyMotion::Planar | BodyMotion::Pendulum { .. })
    }
}

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

/// What the motors of a robot do: constant torques today; control laws would be added here.
#[derive(Clone, Debug, PartialEq)]
pub enum StartTorque {
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
    pub fn set_torque(&mut self, torque: &StartTorque, force: Vec3<f64>) -> Result<(), StateError> {
        self.torque = match torque {
            StartTorque::Zero => JointVector::zero(self.torque.len()),
            StartTorque::Constant(values) => per_joint(&self.robot, "the torque", values)?,
            StartTorque::Hold => self.holding(&self.start, force)?,
            StartTorque::HoldAt(q) => {
                let still = StartPose::Joints(q.clone(), vec![0.0; q.len()]);
                self.holding(&self.robot.start(&still.target(&self.robot)?)?, force)?
            }
        };
        Ok(())
    }

    /// The torques that hold it in a state, and push with `force`.
    fn holding(&self, state: &State, force: Vec3<f64>) -> Result<JointVector, StateError> {
        let exact = self.robot.models().first().map_or("exact", |model| model.name);
        let model =
            self.robot.build_model(exact).map_err(|error| StateError::new(Reason::NotOffered, error.message))?;
        let wrench = Wrench { force: self.base.rotation.transpose() * force, moment: Vec3::zero() };
        let (weight, push) = (model.gravity_torque(state), self.robot.torque_of_wrench(state, wrench)?);
        Ok(JointVector::from_fn(weight.len(), |i| weight[i] + push[i]))
    }
}

impl Cell {
    /// One robot alone. Without a start it does its [free swing](crate::Robot::free_swing): a Delta is held by
    /// constant torques at 45° on all arms and begins near that pose, a serial arm begins at rest with all joints at zero,
    /// without torque. With a start, the torques are those that hold it there; `torque` says otherwise.
    pub fn of_robot(
        robot: &Robot,
        start: Option<&StartPose>,
        torque: Option<&StartTorque>,
    ) -> Result<Self, StateError> {
        let gravity = robot.gravity();
        let mut member = RobotMember::new(robot, Frame::identity(), gravity, start)?;
        let mut held = Some(member.start.clone());
        if start.is_none() {
            let swing = robot.free_swing()?;
            (member.start, held) = (swing.start, swing.held);
        }
        match (torque, held) {
            (None, None) => {}
            (None | Some(StartTorque::Hold), Some(held)) => member.torque = member.holding(&held, Vec3::zero())?,
            (Some(torque), _) => member.set_torque(torque, Vec3::zero())?,
        }
        let mut cell = Self::new(robot.name.clone(), gravity);
        cell.members.push(Member { name: robot.name.clone(), item: MemberKind::Robot(Box::new(member)) });
        Ok(cell)
    }
}
