//! What a name or path leads to: a robot, a scene or an experiment.

use super::document::Document;
use super::experiment::is_of_arm;
use super::{AnyRobot, ExperimentFile, LoadError, SerialRobot, carriers};
use crate::cell::{Scene, read_scene};
use crate::control::Pair;
use std::path::Path;

/// What a name or path leads to.
#[derive(Clone, Debug)]
pub enum SceneOrRobot {
    /// `kind = "scene"`.
    Scene(Box<Scene>),
    /// `kind = "experiment"` with a Delta.
    Experiment(Box<ExperimentFile>),
    /// `kind = "experiment"` with a serial arm.
    ArmExperiment(Box<ExperimentFile<SerialRobot>>),
    /// `kind = "experiment"` with two Deltas that carry one object.
    PairExperiment(Box<ExperimentFile<Pair>>),
    /// Any other kind.
    Robot(Box<AnyRobot>),
}

impl SceneOrRobot {
    /// A built-in robot by its name, or else the robot, the scene or the experiment in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        let folder = Path::new(name_or_path).parent().map(Path::to_owned);
        super::find(name_or_path, |text| {
            let file = Document::parse(text)?;
            match file.string("kind")? {
                Some("scene") => Ok(Self::Scene(Box::new(read_scene(&file, folder.as_deref())?))),
                Some("experiment") if carriers::are_in(&file) => {
                    Ok(Self::PairExperiment(Box::new(super::experiment::read(&file, folder.as_deref())?)))
                }
                Some("experiment") if is_of_arm(&file, folder.as_deref()) => {
                    Ok(Self::ArmExperiment(Box::new(super::experiment::read(&file, folder.as_deref())?)))
                }
                Some("experiment") => {
                    Ok(Self::Experiment(Box::new(super::experiment::read(&file, folder.as_deref())?)))
                }
                Some("delta" | "serial") => Ok(Self::Robot(Box::new(AnyRobot::parse(text)?))),
                Some(kind) => Err(file.error(
                    file.span("kind", None),
                    format!("unknown kind \"{kind}\""),
                    "write kind = \"scene\", \"experiment\", \"delta\" or \"serial\"",
                )),
                None => Err(file.missing(
                    "kind",
                    "write kind = \"scene\" or \"experiment\", or \"delta\" or \"serial\" for a robot",
                )),
            }
        })
    }
}
