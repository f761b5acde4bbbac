//! Starts and torques of robots, and the cell of one robot.

use super::{ArmMember, Cell, DeltaMember, Item, Member};
use crate::algebra::sum;
use crate::analyze::Reach;
use crate::arm::{ArmError, ArmVisitor, SerialArm};
use crate::delta::{Assembly, Branch, KinematicsError, Pose};
use crate::serial::{Serial, SerialError};
use crate::spatial::{Frame, Wrench};
use crate::{AnyRobot, Vec3};

/// Where a robot starts.
#[derive(Clone, Debug, PartialEq)]
pub enum StartPose {
    /// Joint angles, rad (m), and their rates.
    Joints(Vec<f64>, Vec<f64>),
    /// Platform position from the centre of its base, m, and its velocity.
    Position(Vec3<f64>, Vec3<f64>),
}

/// Why a robot cannot start so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum StartError {
    #[error("the start of `{robot}`: {cause}")]
    Unreachable { robot: String, cause: KinematicsError },
    #[error("the start of `{robot}`: {cause}")]
    Arm { robot: String, cause: ArmError },
    #[error("{what} of `{robot}` has {given} numbers, but it has {expected} joints")]
    Joints { robot: String, what: &'static str, given: usize, expected: usize },
    #[error("the start of `{robot}`: some elbows point out and some in, which no simulation here follows")]
    MixedBranches { robot: String },
    #[error("`{robot}` is a serial arm: its start is given by its joints")]
    ArmByPosition { robot: String },
}

/// The swing of the robot's tests and papers: 45° on all arms …
const HOME: f64 = std::f64::consts::FRAC_PI_4;
/// … and how far from it a free swing begins, rad.
const DISPLACEMENT: [f64; 3] = [0.1, -0.05, 0.03];

fn three(robot: &str, what: &'static str, values: &[f64]) -> Result<[f64; 3], StartError> {
    match values {
        &[a, b, c] => Ok([a, b, c]),
        _ => Err(StartError::Joints { robot: robot.to_owned(), what, given: values.len(), expected: 3 }),
    }
}

impl DeltaMember {
    /// Puts the robot at a start.
    pub fn set_start(&mut self, name: &str, start: &StartPose) -> Result<(), StartError> {
        let unreachable = |cause| StartError::Unreachable { robot: name.to_owned(), cause };
        let delta = self.delta;
        let moving = match start {
            StartPose::Joints(q, qd) => delta
                .at_joints(three(name, "the start", q)?, Assembly::Below)
                .and_then(|pose| pose.try_moving_joints(three(name, "the velocity", qd).unwrap_or([0.0; 3]))),
            StartPose::Position(position, velocity) => {
                delta.at_position(*position, Branch::Out).and_then(|pose| pose.try_moving(*velocity))
            }
        };
        if let StartPose::Joints(_, qd) = start {
            three(name, "the velocity", qd)?;
        }
        let moving = moving.map_err(unreachable)?;
        let branches @ [first, ..] = moving.pose.branches();
        if branches.iter().any(|&branch| branch != first) {
            return Err(StartError::MixedBranches { robot: name.to_owned() });
        }
        (self.position, self.velocity, self.branch) = (moving.pose.position, moving.velocity, first);
        Ok(())
    }

    /// The pose where it starts.
    pub fn pose(&self, name: &str) -> Result<Pose<'_, f64>, StartError> {
        self.delta
            .at_position(self.position, self.branch)
            .map_err(|cause| StartError::Unreachable { robot: name.to_owned(), cause })
    }

    /// The torques that hold it where it starts, and push with `force` newtons on what the platform touches or
    /// carries.
    pub fn hold(&mut self, name: &str, force: Vec3<f64>) -> Result<(), StartError> {
        let torque = {
            let pose = self.pose(name)?;
            sum(pose.gravity_torque(), pose.carry(force))
        };
        self.torque = torque;
        Ok(())
    }

    /// 45° on all arms where the robot can do that, else the centre of its workspace.
    fn home(&self) -> Result<[f64; 3], KinematicsError> {
        match self.delta.at_joints([HOME; 3], Assembly::Below) {
            Ok(pose) => Ok(pose.joints()),
            Err(_) => Ok(self.delta.at_position(Reach::of(&self.delta).center, Branch::Out)?.joints()),
        }
    }
}

impl ArmMember {
    /// The arm on a base, in this gravity (scene frame): at rest with all joints at zero, without torque.
    pub fn placed(arm: &SerialArm, base: Frame<f64>, gravity: Vec3<f64>) -> Self {
        let zeros = || vec![0.0; arm.joints()];
        let arm_gravity = base.rotation.transpose() * gravity;
        Self { arm: arm.with_gravity(arm_gravity), base, q: zeros(), qd: zeros(), torque: zeros() }
    }

    /// Puts the arm at a start.
    pub fn set_start(&mut self, name: &str, start: &StartPose) -> Result<(), StartError> {
        let StartPose::Joints(q, qd) = start else {
            return Err(StartError::ArmByPosition { robot: name.to_owned() });
        };
        let expected = self.arm.joints();
        for (what, values) in [("the start", q), ("the velocity", qd)] {
            if values.len() != expected {
                let given = values.len();
                return Err(StartError::Joints { robot: name.to_owned(), what, given, expected });
            }
        }
        (self.q, self.qd) = (q.clone(), qd.clone());
        Ok(())
    }

    /// The torques that hold it where it starts, and push with `force` newtons (scene frame) on what the tool touches
    /// or carries.
    pub fn hold(&mut self, name: &str, force: Vec3<f64>) -> Result<(), StartError> {
        struct Hold<'a>(&'a [f64], Vec3<f64>);
        impl ArmVisitor for Hold<'_> {
            type Output = Result<Vec<f64>, SerialError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                let pose = arm.at_joints(std::array::from_fn(|i| self.0[i]))?;
                let push = pose.jacobian().transpose_times(Wrench { force: self.1, moment: Vec3::zero() });
                Ok(pose.gravity_torque().iter().zip(push).map(|(gravity, push)| gravity + push).collect())
            }
        }
        let force = self.base.rotation.transpose() * force;
        let held = self.arm.visit(Hold(&self.q, force));
        self.torque = held.map_err(|cause| StartError::Arm { robot: name.to_owned(), cause: cause.into() })?;
        Ok(())
    }
}

impl Cell {
    /// One robot alone. Without a start a Delta is held by constant torques at 45° on all arms and begins beside that
    /// pose, so that it swings; a serial arm begins at rest with all joints at zero, without torque. With a start, the
    /// torques are those that hold a Delta, or an arm, there; `torque` says otherwise.
    pub fn alone(robot: &AnyRobot, start: Option<&StartPose>, torque: Option<&Torque>) -> Result<Self, StartError> {
        let name = robot.name().to_owned();
        let (gravity, item) = match robot {
            AnyRobot::Delta(robot) => {
                let gravity = robot.delta.parameters().gravity;
                let mut member = DeltaMember::placed(robot, Vec3::zero(), 0.0, gravity);
                delta_alone(&name, &mut member, start, torque)?;
                (gravity, Item::Delta(Box::new(member)))
            }
            AnyRobot::Serial(robot) => {
                let gravity = robot.arm.surroundings().gravity;
                let mut member = ArmMember::placed(&robot.arm, Frame::identity(), gravity);
                if let Some(start) = start {
                    member.set_start(&name, start)?;
                }
                arm_torque(&name, &mut member, start.is_some(), torque)?;
                (gravity, Item::Arm(Box::new(member)))
            }
        };
        let mut cell = Self::new(name.clone(), gravity);
        cell.members.push(Member { name, item });
        Ok(cell)
    }
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

fn delta_alone(
    name: &str,
    member: &mut DeltaMember,
    start: Option<&StartPose>,
    torque: Option<&Torque>,
) -> Result<(), StartError> {
    let still = |q: [f64; 3]| StartPose::Joints(q.to_vec(), vec![0.0; 3]);
    // What holds is computed at the pose to be held, then the robot goes to its start.
    let (held, start) = match start {
        Some(start) => (start.clone(), start.clone()),
        None => {
            let home = member.home().map_err(|cause| StartError::Unreachable { robot: name.to_owned(), cause })?;
            (still(home), still(sum(home, DISPLACEMENT)))
        }
    };
    match torque.unwrap_or(&Torque::Hold) {
        Torque::Zero => {}
        Torque::Constant(values) => member.torque = three(name, "the torque", values)?,
        Torque::Hold => {
            member.set_start(name, &held)?;
            member.hold(name, Vec3::zero())?;
        }
        Torque::HoldAt(q) => {
            member.set_start(name, &still(three(name, "the pose to hold", q)?))?;
            member.hold(name, Vec3::zero())?;
        }
    }
    member.set_start(name, &start)
}

fn arm_torque(name: &str, member: &mut ArmMember, has_start: bool, torque: Option<&Torque>) -> Result<(), StartError> {
    let expected = member.arm.joints();
    let fits = |what: &'static str, values: &[f64]| {
        let given = values.len();
        let wrong = || StartError::Joints { robot: name.to_owned(), what, given, expected };
        if given == expected { Ok(()) } else { Err(wrong()) }
    };
    match torque {
        Some(Torque::Zero) => Ok(()),
        None if !has_start => Ok(()),
        Some(Torque::Hold) | None => member.hold(name, Vec3::zero()),
        Some(Torque::HoldAt(q)) => {
            fits("the pose to hold", q)?;
            let mut held = ArmMember { q: q.clone(), ..member.clone() };
            held.hold(name, Vec3::zero())?;
            member.torque = held.torque;
            Ok(())
        }
        Some(Torque::Constant(values)) => {
            fits("the torque", values)?;
            member.torque.clone_from(values);
            Ok(())
        }
    }
}
