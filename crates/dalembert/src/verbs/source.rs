//! Robots of requests that come as data, from Python or a page: by name, by file, or as the text of a file.

use crate::robot::Robot;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

/// Where a robot comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum RobotSource {
    /// The name of a built-in robot, or the path of a robot file.
    Name(String),
    /// The same with other values, as in `forearm.mass=0.5`.
    Changed {
        /// Name or path.
        file: String,
        /// Keys and values.
        set: Vec<String>,
    },
    /// A robot file, in TOML.
    Text {
        /// Its text.
        toml: String,
    },
}

impl RobotSource {
    /// The robot.
    pub fn find(&self) -> Result<Robot, String> {
        match self {
            Self::Name(name) => Robot::find(name).map_err(|error| error.to_string()),
            Self::Changed { file, set } => Robot::find_with(file, set).map_err(|error| error.to_string()),
            Self::Text { toml } => Robot::parse(toml).map_err(|error| error.to_string()),
        }
    }
}

/// A robot as the text of its file; for `#[serde(with)]`.
pub(super) fn serialize<S: Serializer>(robot: &Robot, serializer: S) -> Result<S::Ok, S::Error> {
    let toml = robot.to_toml().ok_or_else(|| ser::Error::custom(format!("a {} has no files", robot.kind().title)))?;
    RobotSource::Text { toml }.serialize(serializer)
}

/// A robot from anywhere; for `#[serde(with)]`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Robot, D::Error> {
    RobotSource::deserialize(deserializer)?.find().map_err(de::Error::custom)
}
