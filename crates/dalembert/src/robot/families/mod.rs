//! The families of robots that come with the library, and the one place that lists them.

pub mod delta;
pub mod serial;

use super::closed_loop::ControlError;
use super::{Family, ModelSpec, Robot};
use crate::AnyRobot;

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

/// The robot of a file.
pub(super) fn registered(robot: AnyRobot) -> Robot {
    let (name, source, warnings) =
        (robot.name().to_owned(), robot.source().map(str::to_owned), robot.warnings().to_vec());
    let family: Box<dyn Family> = match robot {
        AnyRobot::Delta(robot) => robot,
        AnyRobot::Serial(robot) => serial::family(*robot),
    };
    Robot { name, source, warnings, family }
}

/// The dynamic models of every family.
pub(crate) fn models() -> Vec<ModelSpec> {
    delta::MODELS.into_iter().chain(serial::MODELS).collect()
}

impl From<crate::Robot> for Robot {
    fn from(robot: crate::Robot) -> Self {
        registered(AnyRobot::Delta(Box::new(robot)))
    }
}

impl From<AnyRobot> for Robot {
    fn from(robot: AnyRobot) -> Self {
        registered(robot)
    }
}

impl From<crate::SerialRobot> for Robot {
    fn from(robot: crate::SerialRobot) -> Self {
        registered(AnyRobot::Serial(Box::new(robot)))
    }
}
