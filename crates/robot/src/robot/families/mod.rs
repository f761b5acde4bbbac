//! The families of robots that come with the library, and the one place that lists them.

pub mod chain;
pub mod delta;
pub mod parallel;
mod rotors;
pub mod turning;

pub use chain::file::SerialRobot;
pub use chain::links::{NoArm, SerialLinks, Surroundings};
pub use chain::tolerance::{LinkTolerances, Tolerance};
pub use chain::{ChainRobot, ChainTorque, LumpedConstant, lumped_constants};
pub use delta::file::{DeltaRobot, Follows};
pub use delta::sensitivity::{DeltaState, DeltaTorque};
pub use delta::{Carrier, Pair};
pub use parallel::ParallelRobot;
pub use turning::{Translating, TurningRobot};

use super::closed_loop::ControlError;
use super::file::{Document, FileError};
use super::{Change, Family, Kind, ModelSpec, Robot};
use std::any::Any;

/// The robot that a controller knows, where it is of the same family and size as the one that it moves.
fn known_as<'a, F: Family>(robot: &F, known: &'a dyn Family) -> Result<&'a F, ControlError> {
    (known as &dyn Any).downcast_ref().ok_or_else(|| {
        let [robot, known]: [&dyn Family; 2] = [robot, known];
        match (robot.kind().title, known.kind().title) {
            (one, other) if one == other => {
                ControlError::Joints { robot: robot.joints().len(), known: known.joints().len() }
            }
            (robot, known) => ControlError::OtherKind { robot, known },
        }
    })
}

/// The same robot with motors that have neither inertia nor friction: behind a gear with play these are the motor's, not the arm's.
fn without_drives<F: Family + Clone>(robot: &F) -> F {
    let bare = robot.changed(&Change::NoRotors).and_then(|bare| bare.changed(&Change::Friction(&|_| None)));
    bare.ok().and_then(|bare| (&*bare as &dyn Any).downcast_ref().cloned()).unwrap_or_else(|| robot.clone())
}

/// What to do with a platform that has more motors than freedoms.
const MORE_MOTORS: &str = "a platform with more motors than freedoms, such as four arms in a star, has no unique torques, and no robot file says \
                           which: in Rust, `crates/dalembert/examples/four_arms.rs` computes those of least norm, and a mechanism of the \
                           arms simulates it (docs/simulation.md)";

/// Refuses the numbers of a body that have no effect where it does not turn, with the reason.
fn refuse_idle(file: &Document<'_>) -> Result<(), FileError> {
    let paths = ["platform.center_of_mass", "platform.inertia", "payload.center_of_mass", "payload.inertia"];
    let Some(path) = paths.into_iter().find(|path| file.has(path)) else { return Ok(()) };
    let problem = format!("`{path}` has no effect: three arms or legs move the platform without turning it");
    let hint = "leave it out: every point of the platform moves alike, so that its mass is all that counts";
    Err(file.error(file.span(path, None), problem, hint))
}

/// A kind of robot, and how its files are read.
type Registered = (&'static Kind, fn(&Document<'_>) -> Result<Robot, FileError>);

/// The one registry: the families that have files, by the kind that a file names, and how each reads its own.
static WITH_FILES: [Registered; 3] = [
    (&delta::KIND, |file| match turning::file::is_there(file) {
        true => {
            turning::file::read::<DeltaRobot>(file, |file, beside| delta::file::read(file, beside).map(Robot::from))
        }
        false => delta::file::read(file, &[]).map(Robot::from),
    }),
    (&parallel::KIND, |file| match turning::file::is_there(file) {
        true => turning::file::read::<ParallelRobot<3>>(file, parallel::file::read),
        false => parallel::file::read(file, &[]),
    }),
    (&chain::KIND, |file| {
        let arm = chain::file::read(file)?;
        Robot::try_from(arm).map_err(|error| chain::file::impossible(file, error))
    }),
];

/// The robot of a file.
pub(super) fn read(file: &Document<'_>) -> Result<Robot, FileError> {
    let (kind, read) = registered(file, &to_write())?;
    let mut robot = read(file)?;
    let common = (kind.name == parallel::KIND.name).then_some(parallel::file::COMMON);
    robot.warnings.extend(rotors::warnings(file, &robot, common));
    robot.warnings.sort_by_key(|warning| warning.location.span.start);
    Ok(robot)
}

/// Refuses a file of another family.
fn refuse_other_kind(file: &Document<'_>, wanted: &Kind) -> Result<(), FileError> {
    let (kind, _) = registered(file, &format!("kind = \"{}\"", wanted.name))?;
    if kind.name == wanted.name {
        return Ok(());
    }
    let problem = format!("this is a {}, but a {} is needed here", kind.title, wanted.title);
    let hint = kinds(", ", |kind| format!("kind = \"{}\" is a {}", kind.name, kind.title));
    Err(file.error(file.span("kind", None), problem, hint))
}

/// The family that a file names; `wanted` is what to write where it names none.
fn registered(file: &Document<'_>, wanted: &str) -> Result<&'static Registered, FileError> {
    let Some(name) = file.string("kind")? else {
        return Err(file.missing("kind", format!("write {wanted}")));
    };
    WITH_FILES.iter().find(|(kind, _)| kind.name == name).ok_or_else(|| {
        file.error(file.span("kind", None), format!("unknown kind \"{name}\""), format!("write {}", to_write()))
    })
}

/// Whether robot files have this kind.
pub fn is_kind(name: &str) -> bool {
    WITH_FILES.iter().any(|(kind, _)| kind.name == name)
}

/// For hints: `"delta" or "serial"`.
pub fn kind_names() -> String {
    kinds(" or ", |kind| format!("\"{}\"", kind.name))
}

fn to_write() -> String {
    kinds(" or ", |kind| format!("kind = \"{}\"", kind.name))
}

fn kinds(between: &str, text: impl Fn(&Kind) -> String) -> String {
    WITH_FILES.iter().map(|(kind, _)| text(kind)).collect::<Vec<_>>().join(between)
}

/// The dynamic models of every family, each name once.
pub fn models() -> Vec<ModelSpec> {
    delta::MODELS.into_iter().chain(chain::MODELS).collect()
}

impl From<DeltaRobot> for Robot {
    fn from(robot: DeltaRobot) -> Self {
        let (name, source, warnings) = (robot.name.clone(), robot.source.clone(), robot.warnings.clone());
        Self::of_family(name, source, warnings, Box::new(robot))
    }
}

impl TryFrom<SerialRobot> for Robot {
    type Error = NoArm;
    fn try_from(robot: SerialRobot) -> Result<Self, NoArm> {
        let (name, source, warnings) = (robot.name.clone(), robot.source.clone(), robot.warnings.clone());
        Ok(Self::of_family(name, source, warnings, Box::new(ChainRobot::of_file(robot)?)))
    }
}
