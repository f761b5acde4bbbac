//! What experiment files need to know of a robot, Delta or serial arm.

use super::document::Document;
use super::experiment::robot;
use super::units::Dimension;
use super::{FileError, LoadError, Robot, SerialRobot};
use crate::arm::NoArm;
use crate::control::Subject;
use crate::delta::{ModelName, ParameterError};
use crate::friction::Friction;
use crate::motion::{MotionOrder, OrderError};
use crate::record::serial_states::SerialModelName;
use crate::robot::Pick;
use std::path::Path;

/// Why a robot cannot be as a file or an option wants it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoRobot {
    /// A Delta.
    #[error(transparent)]
    Delta(#[from] ParameterError),
    /// A serial arm.
    #[error(transparent)]
    Arm(#[from] NoArm),
    /// The object that two Deltas carry.
    #[error("the object would weigh {0} kg, but has to weigh zero or more")]
    Object(f64),
}

/// A robot, or two with their object, that experiment files are about.
pub trait Described: Subject + std::fmt::Debug {
    /// In words.
    const KIND: &'static str;
    /// The models that its controller may have.
    const MODELS: &'static [Self::Model];
    /// What lengths, speeds and accelerations along its paths measure.
    const ALONG: [Dimension; 3];

    /// The keys at the top of an experiment file that say which robot.
    const KEYS: &'static [&'static str] = &["robot"];
    /// The law that moves it unless somebody says otherwise.
    const USUAL_LAW: &'static str = "computed-torque";

    /// The one that the text of an experiment is about; files are looked for in `folder`.
    fn of_experiment(text: &str, folder: Option<&Path>) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        robot(&file, "robot", folder)?
            .ok_or_else(|| file.missing("robot", "the name of a built-in robot, or the path of its file"))
    }
    /// A built-in one by its name, or else the one in a file.
    fn find_described(name_or_path: &str) -> Result<Self, LoadError>;
    /// The one in a file.
    fn load_described(path: &Path) -> Result<Self, LoadError>;
    /// The same with another payload, kg.
    fn carrying(&self, payload: f64) -> Result<Self, NoRobot>;
    /// The same with this friction at every motor.
    fn rubbing(&self, friction: Option<Friction<f64>>) -> Result<Self, NoRobot>;
    /// What it does unless somebody says otherwise.
    fn usual_order() -> MotionOrder;
    /// What may help where an order cannot be carried out.
    fn hint(&self, error: &OrderError) -> Option<String>;
}

impl Described for Robot {
    const KIND: &'static str = "Delta";
    const MODELS: &'static [ModelName] = &ModelName::ALL;
    const ALONG: [Dimension; 3] = [Dimension::Length, Dimension::Speed, Dimension::Acceleration];

    fn find_described(name_or_path: &str) -> Result<Self, LoadError> {
        Self::find(name_or_path)
    }
    fn load_described(path: &Path) -> Result<Self, LoadError> {
        Self::load(path)
    }
    fn carrying(&self, payload: f64) -> Result<Self, NoRobot> {
        Ok(self.changed(|parameters| parameters.payload_mass = payload)?)
    }
    fn rubbing(&self, friction: Option<Friction<f64>>) -> Result<Self, NoRobot> {
        Ok(self.changed(|parameters| parameters.arms.iter_mut().for_each(|arm| arm.motor.friction = friction))?)
    }
    fn usual_order() -> MotionOrder {
        MotionOrder::default()
    }
    fn hint(&self, error: &OrderError) -> Option<String> {
        MotionOrder::default().hint(error, &crate::robot::Robot::from(self.clone()), &Pick::default())
    }
}

impl Described for SerialRobot {
    const KIND: &'static str = "serial arm";
    const MODELS: &'static [SerialModelName] = &SerialModelName::ALL;
    const ALONG: [Dimension; 3] = [Dimension::Angle, Dimension::AngularSpeed, Dimension::Ratio];

    fn find_described(name_or_path: &str) -> Result<Self, LoadError> {
        Self::find(name_or_path)
    }
    fn load_described(path: &Path) -> Result<Self, LoadError> {
        Self::load(path)
    }
    /// Its centre of mass and inertia stay as the file has them: at the tool, and none.
    fn carrying(&self, payload: f64) -> Result<Self, NoRobot> {
        Ok(self.changed(|_, rest| rest.payload.mass = payload)?)
    }
    fn rubbing(&self, friction: Option<Friction<f64>>) -> Result<Self, NoRobot> {
        Ok(self.changed(|links, _| links.iter_mut().for_each(|link| link.friction = friction))?)
    }
    fn usual_order() -> MotionOrder {
        MotionOrder::along("swing")
    }
    fn hint(&self, error: &OrderError) -> Option<String> {
        Self::usual_order().hint(error, &crate::robot::Robot::from(self.clone()), &Pick::default())
    }
}
