//! Robot files: TOML in, a validated robot out, and back. The format is described in `docs/robot-files.md`.
//!
//! ```
//! let text = r#"
//! kind = "delta"
//! name = "desk"
//! [base]
//! radius = "60 mm"
//! [upper_arm]
//! length = "90 mm"
//! mass = "40 g"
//! center_of_mass = "45 mm"
//! inertia = "0.03 g m^2"
//! [forearm]
//! length = "200 mm"
//! mass = "18 kg m"
//! [platform]
//! radius = "25 mm"
//! mass = "45 g"
//! "#;
//! let error = dalembert::DeltaRobot::parse(text).unwrap_err();
//! assert_eq!(error.location.line, 13);
//! assert_eq!(error.problem, r#"`forearm.mass`: "18 kg m" is something else, but a mass is needed"#);
//!
//! let robot = dalembert::DeltaRobot::parse(&text.replace("18 kg m", "18 g")).unwrap();
//! assert_eq!(robot.delta.parameters().arms[0].forearm.mass, 0.018);
//! ```

pub(crate) mod document;
pub(super) mod links;
pub(crate) mod read;
pub(super) mod serial;
mod tolerance;
mod units;
mod warn;
mod write;

use super::{Robot, families};
use crate::delta::{Delta, Limits, ParameterError, Parameters};
use crate::robot::built_in;
use crate::serial::{LinkParameters, SerialLimits};
use crate::suggest::closest;
pub(crate) use document::Document;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use links::{NoArm, SerialLinks, Surroundings};
pub use tolerance::{LinkTolerances, Tolerance};
pub use units::{Dimension, QuantityError, quantity};

/// A Delta robot as its file describes it.
#[derive(Clone, Debug)]
pub struct DeltaRobot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The robot itself: validated, immutable.
    pub delta: Delta<f64>,
    /// What its joints and drives may do.
    pub limits: [Limits; 3],
    /// Distance between the two rods of each forearm, m: for drawing only.
    pub spacing: [Option<f64>; 3],
    /// Numbers that follow from others of the file.
    pub follows: Follows,
    /// What is possible, but odd.
    pub warnings: Vec<Warning>,
}

/// What a file leaves to follow from its other numbers: whoever changes one of those changes these too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// `motor.friction.static` is `coulomb`.
    pub static_friction: bool,
    /// `forearm.center_of_mass` is the middle of the rod.
    pub forearm_center: bool,
    /// `forearm.inertia` is that of a uniform rod.
    pub forearm_inertia: bool,
    /// `upper_arm.inertia` is `inertia_about_axis` less mass · center_of_mass².
    pub upper_arm_inertia: bool,
}

/// A serial arm as its file describes it.
#[derive(Clone, Debug)]
pub struct SerialRobot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The arm itself: validated, immutable.
    pub arm: SerialLinks,
    /// What its joints and drives may do, one entry per joint.
    pub limits: Vec<SerialLimits>,
    /// How well its numbers are known, one entry per link.
    pub tolerances: Vec<LinkTolerances>,
    /// Of each link, whether its static friction is `coulomb` because the file gives none.
    pub static_follows: Vec<bool>,
    /// What is possible, but odd.
    pub warnings: Vec<Warning>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// In bytes.
    pub span: Range<usize>,
}

impl Location {
    fn of(text: &str, span: Range<usize>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, span }
    }
}

/// What is wrong in a robot file, and where.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.told(), hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default())]
pub struct FileError {
    /// What is wrong.
    pub problem: String,
    /// Where.
    pub location: Location,
    /// How it might be mended.
    pub hint: Option<String>,
}

impl FileError {
    /// What is wrong and where, without the hint.
    pub fn told(&self) -> String {
        format!("line {}, column {}: {}", self.location.line, self.location.column, self.problem)
    }
}

/// As a program shows it that ends with an error: what [`Display`](std::fmt::Display) says, not how it is stored.
impl std::fmt::Debug for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Something in a robot file that can be, but seldom is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What is odd.
    pub problem: String,
    /// Where.
    pub location: Location,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.location.line, self.location.column, self.problem)
    }
}

/// Why there is no robot.
#[derive(thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no text.
    #[error("{} is not UTF-8 text, as a robot file is", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// The file does not describe a robot.
    #[error("{}, {error}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Its text, to show the place.
        text: String,
        /// What is wrong in it.
        error: Box<FileError>,
    },
    /// Neither a built-in robot nor a file.
    #[error("no robot and no file is called `{name}`; built in: {}", built_in::names().join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in robot that may have been meant.
        suggestion: Option<&'static str>,
    },
}

/// As a program shows it that ends with an error: what [`Display`](std::fmt::Display) says, without the text of the file.
impl std::fmt::Debug for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl DeltaRobot {
    /// The robot that a text in the format of `docs/robot-files.md` describes.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        read::robot(&Document::parse(text)?)
    }

    /// The robot in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        load(path.as_ref(), Self::parse)
    }

    /// A built-in robot by its name, or else the robot in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        find(name_or_path, Self::parse)
    }

    /// The same robot with other parameters: another payload, other friction.
    pub fn changed(&self, change: impl FnOnce(&mut Parameters<f64>)) -> Result<Self, ParameterError> {
        let mut parameters = *self.delta.parameters();
        change(&mut parameters);
        Ok(Self { delta: Delta::try_new(parameters)?, ..self.clone() })
    }

    /// The robot as a file: SI units, angles in degrees where that loses nothing, one value where the arms are alike.
    ///
    /// Reading it again gives the same robot. An elbow mass of some arms only is written as zero for the others.
    pub fn to_toml(&self) -> String {
        write::robot(self)
    }
}

impl SerialRobot {
    /// The serial arm that a text in the format of `docs/robot-files.md` describes.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        match file.string("kind")? {
            Some("serial") => serial::robot(&file),
            Some("delta") => Err(file.error(
                file.span("kind", None),
                "this is a Delta robot, but a serial arm is needed here",
                "a serial arm has kind = \"serial\"",
            )),
            Some(kind) => Err(read::unknown_kind(&file, kind)),
            None => Err(file.missing("kind", "write kind = \"serial\"")),
        }
    }

    /// The serial arm in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        load(path.as_ref(), Self::parse)
    }

    /// A built-in arm by its name, or else the arm in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        find(name_or_path, Self::parse)
    }

    /// The same arm with other links or another payload, if there can be such an arm.
    pub fn changed(&self, change: impl FnOnce(&mut [LinkParameters<f64>], &mut Surroundings)) -> Result<Self, NoArm> {
        let (mut links, mut rest) = (self.arm.links().to_vec(), self.arm.surroundings());
        change(&mut links, &mut rest);
        Ok(Self { arm: SerialLinks::try_new(&links, rest)?, ..self.clone() })
    }

    /// The arm as a file, in SI units and degrees. Reading it again gives the same arm (the tool's attitude within
    /// rounding).
    pub fn to_toml(&self) -> String {
        write::serial(self)
    }
}

impl Robot {
    /// The robot that a text in the format of `docs/robot-files.md` describes, of whatever family.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        families::read(&Document::parse(text)?)
    }

    /// The robot in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        load(path.as_ref(), Self::parse)
    }

    /// A built-in robot by its name, or else the robot in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        find(name_or_path, Self::parse)
    }
}

/// A torque as people write it: a number in N m, or with its unit (`"0.5 N m"`, `"20 mNm"`). An error says what is wrong.
pub fn parse_torque(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) => Ok(number),
        Err(_) => {
            units::parse(text, units::Dimension::Torque).map_err(|error| format!("{}; {}", error.problem, error.hint))
        }
    }
}

/// No file that describes a robot, a scene, an experiment or motors is larger: what is, has no end or is something else.
pub const MOST_BYTES: u64 = 16 << 20;

/// The bytes of a file, of a pipe or of a device, up to [`MOST_BYTES`].
fn bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(std::io::Error::other("it has more than 16 MiB, which no such file has")),
        false => Ok(bytes),
    }
}

pub(crate) fn load<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, LoadError> {
    let bytes = bounded(path).map_err(|error| LoadError::Read { path: path.into(), error })?;
    let text = String::from_utf8(bytes).map_err(|_| LoadError::NotText { path: path.into() })?;
    parse(&text).map_err(|error| LoadError::Invalid { path: path.into(), text, error: Box::new(error) })
}

pub(crate) fn find<T>(name_or_path: &str, parse: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, LoadError> {
    if let Some(found) = built_in::BUILT_IN.iter().find(|robot| robot.name == name_or_path) {
        return parse(found.text).map_err(|error| LoadError::Invalid {
            path: found.name.into(),
            text: found.text.to_owned(),
            error: Box::new(error),
        });
    }
    let path = Path::new(name_or_path);
    let looks_like_a_path = path.extension().is_some() || path.components().count() > 1;
    if looks_like_a_path || path.exists() {
        return load(path, parse);
    }
    Err(LoadError::Unknown { name: name_or_path.to_owned(), suggestion: closest(name_or_path, built_in::names()) })
}
