//! `[[robot]]`: where a robot stands, how it starts, what its motors do.

use super::Reader;
use crate::cell::{ArmMember, DeltaMember, Item, Member, StartError, StartPose};
use crate::describe::units::Dimension::{self, *};
use crate::describe::{AnyRobot, FileError, LoadError};
use crate::robots;
use crate::serial::Joint;
use crate::spatial::Frame;
use crate::{Mat3, Vec3};
use std::path::Path;

pub(super) const KEYS: &[&str] = &["name", "robot", "position", "rotation", "start", "torque", "push", "carries"];
pub(super) const START: &[&str] = &["joints", "joint_velocity", "position", "velocity"];

/// What the motors do.
enum Motors {
    Hold,
    Constant(Vec<f64>),
}

impl Reader<'_, '_> {
    pub(super) fn robots(&mut self, folder: Option<&Path>) -> Result<(), FileError> {
        for number in 1..=self.count("robot")? {
            let path = format!("robot.{number}");
            let robot = self.load(&format!("{path}.robot"), folder)?;
            let name = self.name(&path, Some(robot.name().to_owned()))?;
            let origin = self.file.vector(&format!("{path}.position"), Length)?.unwrap_or([0.0; 3]);
            let yaw = self.file.scalar(&format!("{path}.rotation"), Angle)?.unwrap_or(0.0);
            let item = match &robot {
                AnyRobot::Delta(robot) => {
                    let mut member = DeltaMember::placed(robot, Vec3(origin), yaw, self.cell.gravity);
                    self.start_delta(&path, &name, &mut member, yaw)?;
                    Item::Delta(Box::new(member))
                }
                AnyRobot::Serial(robot) => {
                    let base = Frame { rotation: about_z(yaw), origin: Vec3(origin) };
                    let mut member = ArmMember::placed(&robot.arm, base, self.cell.gravity);
                    self.start_arm(&path, &name, &mut member)?;
                    Item::Arm(Box::new(member))
                }
            };
            self.cell.members.push(Member { name, item });
        }
        Ok(())
    }

    fn load(&self, path: &str, folder: Option<&Path>) -> Result<AnyRobot, FileError> {
        let Some(named) = self.file.string(path)? else {
            return Err(self.file.missing(path, format!("a file, or one of {}", robots::names().join(", "))));
        };
        let found = match (robots::by_name(named), folder) {
            (None, Some(folder)) if named.contains(['.', '/']) => AnyRobot::load(folder.join(named)),
            _ => AnyRobot::find(named),
        };
        found.map_err(|error| {
            let hint = match &error {
                LoadError::Unknown { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
                LoadError::Invalid { error, .. } => error.hint.clone().unwrap_or_default(),
                _ => String::from("paths are from the folder of the scene"),
            };
            let problem = match &error {
                LoadError::Invalid { path, error, .. } => format!("{}, {error}", path.display()),
                error => error.to_string(),
            };
            self.file.error(self.file.span(path, None), problem, hint)
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
        // A velocity goes with its own kind of place, or it would be lost.
        for (key, place) in [("joint_velocity", "joints"), ("velocity", "position")] {
            if self.file.has(&at(key)) && !self.file.has(&at(place)) {
                let problem = format!("`{key}` without `{place}`");
                let hint = format!("`{key}` goes with `{place}`: give both");
                return Err(self.file.error(self.file.span(&at(key), None), problem, hint));
            }
        }
        match (q, position) {
            (Some(_), Some(_)) => Err(self.file.error(
                self.file.span(&at("position"), None),
                "both `joints` and `position` are given",
                "keep one: each says where the robot starts",
            )),
            (Some(q), None) => Ok(Some(StartPose::Joints(q, qd.unwrap_or_else(|| vec![0.0; joints])))),
            (None, Some(position)) => Ok(Some(StartPose::Position(Vec3(position), Vec3(velocity.unwrap_or([0.0; 3]))))),
            (None, None) => Ok(None),
        }
    }

    fn motors(&self, path: &str, slides: &[bool]) -> Result<Option<Motors>, FileError> {
        let path = format!("{path}.torque");
        if self.file.is_list(&path) {
            return Ok(self.per_joint(&path, slides, [Torque, Force])?.map(Motors::Constant));
        }
        let choices = [("hold", true), ("zero", false)];
        Ok(super::choice(self.file, &path, &choices)?
            .map(|hold| if hold { Motors::Hold } else { Motors::Constant(Vec::new()) }))
    }

    /// The force that the robot bears beside its own weight: it pushes, and carries. `None` where neither is said.
    fn effort(&self, path: &str) -> Result<Option<Vec3<f64>>, FileError> {
        let push = self.file.vector(&format!("{path}.push"), Force)?;
        let carries = self.file.scalar(&format!("{path}.carries"), Mass)?;
        let force = Vec3(push.unwrap_or([0.0; 3])) - self.cell.gravity * carries.unwrap_or(0.0);
        Ok((push.is_some() || carries.is_some()).then_some(force))
    }

    /// `push` and `carries` mean nothing where the torques are given.
    fn refuse_effort(&self, path: &str) -> Result<(), FileError> {
        match ["push", "carries"].iter().find(|key| self.file.has(&format!("{path}.{key}"))) {
            None => Ok(()),
            Some(key) => {
                let span = self.file.span(&format!("{path}.{key}"), None);
                let problem = format!("`{key}` goes with torque = \"hold\" only");
                Err(self.file.error(span, problem, "it adds to the torques that hold the robot"))
            }
        }
    }

    fn start_error(&self, path: &str, error: &StartError) -> FileError {
        let hint = match error {
            StartError::Joints { .. } => "`dalembert check` tells what joints a robot has",
            StartError::ArmByPosition { .. } => "start = { joints = [0, \"-30 deg\", …] }",
            _ => "`dalembert check` tells the reach of a robot; a position is from the centre of its base",
        };
        self.file.error(self.file.span(&format!("{path}.start"), None), error.to_string(), hint)
    }

    fn start_delta(&self, path: &str, name: &str, member: &mut DeltaMember, yaw: f64) -> Result<(), FileError> {
        let pose = match self.start_pose(path, &[false; 3])? {
            // A position is given in the robot's own axes, as everywhere else.
            Some(StartPose::Position(position, velocity)) => {
                StartPose::Position(about_z(yaw) * position, about_z(yaw) * velocity)
            }
            Some(pose) => pose,
            None => {
                let hint = "start = { position = [0, 0, -0.85] }, or start = { joints = [\"45 deg\", …] }";
                return Err(self.file.missing(&format!("{path}.start"), hint));
            }
        };
        member.set_start(name, &pose).map_err(|error| self.start_error(path, &error))?;
        match self.motors(path, &[false; 3])? {
            Some(Motors::Hold) | None => {
                let force = self.effort(path)?.unwrap_or(Vec3::zero());
                member.hold(name, force).map_err(|error| self.start_error(path, &error))
            }
            Some(Motors::Constant(values)) => {
                self.refuse_effort(path)?;
                member.torque = match values[..] {
                    [] => [0.0; 3],
                    [a, b, c] => [a, b, c],
                    _ => return Err(self.wrong_torques(path, values.len(), 3)),
                };
                Ok(())
            }
        }
    }

    fn start_arm(&self, path: &str, name: &str, member: &mut ArmMember) -> Result<(), FileError> {
        let slides: Vec<bool> = member.arm.links().iter().map(|link| link.joint == Joint::Prismatic).collect();
        let joints = slides.len();
        if let Some(pose) = self.start_pose(path, &slides)? {
            member.set_start(name, &pose).map_err(|error| self.start_error(path, &error))?;
        }
        let motors = self.motors(path, &slides)?;
        if let Some(Motors::Hold) = motors {
            let force = self.effort(path)?.unwrap_or(Vec3::zero());
            return member.hold(name, force).map_err(|error| self.start_error(path, &error));
        }
        self.refuse_effort(path)?;
        match motors {
            Some(Motors::Constant(values)) if values.len() == joints => {
                member.torque = values;
                Ok(())
            }
            Some(Motors::Constant(values)) if !values.is_empty() => Err(self.wrong_torques(path, values.len(), joints)),
            _ => Ok(()), // no torque
        }
    }

    fn wrong_torques(&self, path: &str, given: usize, expected: usize) -> FileError {
        let path = format!("{path}.torque");
        let problem = format!("`{path}` has {given} entries, but there are {expected} motors");
        self.file.error(self.file.span(&path, None), problem, "write \"hold\", \"zero\", or one torque per motor")
    }
}

/// Rz.
fn about_z(angle: f64) -> Mat3<f64> {
    let (sin, cos) = angle.sin_cos();
    Mat3([Vec3([cos, -sin, 0.0]), Vec3([sin, cos, 0.0]), Vec3([0.0, 0.0, 1.0])])
}
