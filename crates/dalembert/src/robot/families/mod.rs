//! The families of robots that come with the library, and the one place that lists them.

pub mod delta;
pub mod serial;

pub use delta::sensitivity::{DeltaState, DeltaTorque};
pub use delta::{Carrier, Pair};
pub use serial::sensitivity::ArmTorque;

use super::closed_loop::ControlError;
use super::file::{self, DeltaRobot, Document, FileError, NoArm, SerialRobot};
use super::{Family, ModelSpec, Robot};

/// The robot that a controller knows, where it is of the same family and size as the one that it moves.
fn known_as<'a, F: Family + 'static>(robot: &F, known: &'a dyn Family) -> Result<&'a F, ControlError> {
    known.as_any().downcast_ref().ok_or_else(|| {
        let [robot, known]: [&dyn Family; 2] = [robot, known];
        match (robot.kind().title, known.kind().title) {
            (one, other) if one == other => {
                ControlError::Joints { robot: robot.joints().len(), known: known.joints().len() }
            }
            (robot, known) => ControlError::OtherKind { robot, known },
        }
    })
}

/// The kinds that robot files have.
pub(crate) const KINDS: [&str; 2] = ["delta", "serial"];

/// The robot of a file: the one registry of the families that have files.
pub(super) fn read(file: &Document<'_>) -> Result<Robot, FileError> {
    match file.string("kind")? {
        Some("delta") => file::read::robot(file).map(Robot::from),
        Some("serial") => {
            let arm = file::serial::robot(file)?;
            Robot::try_from(arm).map_err(|error| file::serial::impossible(file, error))
        }
        Some(kind) => Err(file::read::unknown_kind(file, kind)),
        None => Err(file.missing("kind", "write kind = \"delta\" or kind = \"serial\"")),
    }
}

/// The dynamic models of every family.
pub(crate) fn models() -> Vec<ModelSpec> {
    delta::MODELS.into_iter().chain(serial::MODELS).collect()
}

impl From<DeltaRobot> for Robot {
    fn from(robot: DeltaRobot) -> Self {
        let (name, source, warnings) = (robot.name.clone(), robot.source.clone(), robot.warnings.clone());
        Self { name, source, warnings, family: Box::new(robot) }
    }
}

impl TryFrom<SerialRobot> for Robot {
    type Error = NoArm;
    fn try_from(robot: SerialRobot) -> Result<Self, NoArm> {
        let (name, source, warnings) = (robot.name.clone(), robot.source.clone(), robot.warnings.clone());
        Ok(Self { name, source, warnings, family: serial::family(robot)? })
    }
}
