//! `[[robot]]`: where a robot stands, how it starts, what its motors do.

use super::SceneReader;
use crate::cell::{Member, MemberKind, RobotMember, StartPose, StartTorque as Motors};
use crate::robot::built_in;
use crate::robot::file::document::choice;
use crate::robot::file::{Dimension, Dimension::*, FileError, LoadError};
use crate::robot::orientation::rotation;
use crate::robot::{JointKind, Reason, Robot, StateError};
use crate::spatial::{Frame, Twist};
use crate::{Mat3, Vec3};
use std::path::Path;

pub(super) const KEYS: &[&str] = &["name", "robot", "position", "rotation", "start", "torque", "push", "carries"];
pub(super) const START: &[&str] = &["joints", "joint_velocity", "position", "velocity", "rpy", "angular_velocity"];

impl SceneReader<'_, '_> {
    pub(super) fn robots(&mut self, folder: Option<&Path>) -> Result<(), FileError> {
        for number in 1..=self.count("robot")? {
            let path = format!("robot.{number}");
            let robot = self.load(&format!("{path}.robot"), folder)?;
            let name = self.name(&path, Some(robot.name.clone()))?;
            let origin = self.file.vector(&format!("{path}.position"), Length)?.unwrap_or([0.0; 3]);
            let yaw = self.file.scalar(&format!("{path}.rotation"), Angle)?.unwrap_or(0.0);
            let base = Frame { rotation: about_z(yaw), origin: Vec3(origin) };
            let member = self.placed(&path, &name, &robot, base)?;
            let item = MemberKind::Robot(Box::new(member));
            self.cell.members.push(Member { name, item });
        }
        Ok(())
    }

    fn load(&self, path: &str, folder: Option<&Path>) -> Result<Robot, FileError> {
        let Some(named) = self.file.string(path)? else {
            return Err(self.file.missing(path, format!("a file, or one of {}", built_in::names().join(", "))));
        };
        let found = match (built_in::by_name(named), folder) {
            (None, Some(folder)) if named.contains(['.', '/']) => Robot::load(folder.join(named)),
            _ => Robot::find(named),
        };
        found.map_err(|error| {
            let hint = match &error {
                LoadError::Unknown { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
                LoadError::Invalid { error, .. } => error.hint.clone().unwrap_or_default(),
                _ => String::from("paths are from the folder of the scene"),
            };
            let problem = match &error {
                LoadError::Invalid { path, error, .. } => format!("{}, {}", path.display(), error.told()),
                error => error.to_string(),
            };
            self.wrong(path, problem, hint)
        })
    }

    /// A list with one entry per joint; `slides` tells those that do not turn.
    fn per_joint(
        &self,
        path: &str,
        slides: &[bool],
        [turning, sliding]: [Dimension; 2],
    ) -> Result<Option<Vec<f64>>, FileError> {
        let Some(count) = self.file.entries(path) else {
            return self.file.numbers(path, turning); // missing, or no list
        };
        let dimension = |i: usize| if slides.get(i) == Some(&true) { sliding } else { turning };
        (0..count).map(|i| self.needed(&format!("{path}.{}", i + 1), dimension(i))).collect::<Result<_, _>>().map(Some)
    }

    /// Joints or position; without a start `None`.
    fn start_pose(&self, path: &str, slides: &[bool]) -> Result<Option<StartPose>, FileError> {
        let at = |key: &str| format!("{path}.start.{key}");
        let joints = slides.len();
        let q = self.per_joint(&at("joints"), slides, [Angle, Length])?;
        let qd = self.per_joint(&at("joint_velocity"), slides, [AngularSpeed, Speed])?;
        let position = self.file.vector(&at("position"), Length)?;
        let velocity = self.file.vector(&at("velocity"), Speed)?;
        let rpy = self.file.vector(&at("rpy"), Angle)?;
        let spin = self.file.vector(&at("angular_velocity"), AngularSpeed)?;
        // A velocity goes with its own kind of place, or it would be lost.
        let pairs =
            [("joint_velocity", "joints"), ("velocity", "position"), ("rpy", "position"), ("angular_velocity", "rpy")];
        for (key, place) in pairs {
            if self.file.has(&at(key)) && !self.file.has(&at(place)) {
                let problem = format!("`{key}` without `{place}`");
                let hint = format!("`{key}` goes with `{place}`: give both");
                return Err(self.wrong(&at(key), problem, hint));
            }
        }
        match (q, position) {
            (Some(_), Some(_)) => {
                let problem = "both `joints` and `position` are given";
                Err(self.wrong(&at("position"), problem, "keep one: each says where the robot starts"))
            }
            (Some(q), None) => Ok(Some(StartPose::Joints(q, qd.unwrap_or_else(|| vec![0.0; joints])))),
            (None, Some(position)) => {
                let (origin, linear) = (Vec3(position), Vec3(velocity.unwrap_or([0.0; 3])));
                Ok(Some(match rpy {
                    None => StartPose::Position(origin, linear),
                    Some(rpy) => StartPose::Pose(
                        Frame { rotation: rotation(rpy), origin },
                        Twist { linear, angular: Vec3(spin.unwrap_or([0.0; 3])) },
                    ),
                }))
            }
            (None, None) => Ok(None),
        }
    }

    fn motors(&self, path: &str, slides: &[bool]) -> Result<Option<Motors>, FileError> {
        let path = format!("{path}.torque");
        if self.file.is_list(&path) {
            return Ok(self.per_joint(&path, slides, [Torque, Force])?.map(Motors::Constant));
        }
        let hold = choice(self.file, &path, &[("hold", true), ("zero", false)])?;
        Ok(hold.map(|hold| if hold { Motors::Hold } else { Motors::Zero }))
    }

    /// The force that the robot bears in addition to its own weight: it pushes, and carries.
    fn effort(&self, path: &str) -> Result<Vec3<f64>, FileError> {
        let push = self.file.vector(&format!("{path}.push"), Force)?;
        let carries = self.file.scalar(&format!("{path}.carries"), Mass)?;
        Ok(Vec3(push.unwrap_or([0.0; 3])) - self.cell.gravity * carries.unwrap_or(0.0))
    }

    /// `push` and `carries` mean nothing where the torques are given.
    fn refuse_effort(&self, path: &str) -> Result<(), FileError> {
        match ["push", "carries"].iter().find(|key| self.file.has(&format!("{path}.{key}"))) {
            None => Ok(()),
            Some(key) => {
                let problem = format!("`{key}` goes with torque = \"hold\" only");
                Err(self.wrong(&format!("{path}.{key}"), problem, "it adds to the torques that hold the robot"))
            }
        }
    }

    /// The robot where it starts, with the torques of its motors. Where the file does not say, they hold it if they also do
    /// so in its free swing.
    fn placed(&self, path: &str, name: &str, robot: &Robot, base: Frame<f64>) -> Result<RobotMember, FileError> {
        let slides: Vec<bool> = robot.joints().iter().map(|joint| joint.kind == JointKind::Prismatic).collect();
        let refused = |error: StateError| {
            let hint = match error.reason {
                Reason::NotOffered => "start = { joints = [0, \"-30 deg\", …] }",
                _ => "a position is from the centre of the robot's base, and has to be within its workspace",
            };
            self.wrong(&format!("{path}.start"), format!("the start of `{name}`: {error}"), hint)
        };
        let start = self.start_pose(path, &slides)?;
        let mut member = RobotMember::new(robot, base, self.cell.gravity, start.as_ref()).map_err(refused)?;
        let motors = match self.motors(path, &slides)? {
            Some(motors) => motors,
            None if robot.free_swing().is_ok_and(|swing| swing.held.is_some()) => Motors::Hold,
            None => Motors::Zero,
        };
        match &motors {
            Motors::Constant(values) if values.len() != slides.len() => {
                let (path, given, expected) = (format!("{path}.torque"), values.len(), slides.len());
                let problem = format!("`{path}` has {given} entries, but there are {expected} motors");
                return Err(self.wrong(&path, problem, "write \"hold\", \"zero\", or one torque per motor"));
            }
            Motors::Constant(_) | Motors::Zero => self.refuse_effort(path)?,
            Motors::Hold | Motors::HoldAt(_) => {}
        }
        member.set_torque(&motors, self.effort(path)?).map_err(refused)?;
        Ok(member)
    }
}

/// Rz.
fn about_z(angle: f64) -> Mat3<f64> {
    let (sin, cos) = angle.sin_cos();
    Mat3([Vec3([cos, -sin, 0.0]), Vec3([sin, cos, 0.0]), Vec3([0.0, 0.0, 1.0])])
}
