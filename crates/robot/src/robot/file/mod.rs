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

pub(super) mod built_in;
pub mod document;
pub(super) mod numbers;
pub(super) mod units;
pub(super) mod warn;
pub(super) mod write;

use crate::suggest::closest;
pub use document::Document;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use units::{Dimension, QuantityError, quantity};

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
pub type Warning = FileError;

/// Why there is no robot.
#[derive(thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LoadError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{} is not UTF-8 text, as a robot file is", path.display())]
    NotText { path: PathBuf },
    #[error("{}, {error}", path.display())]
    Invalid { path: PathBuf, text: String, error: Box<FileError> },
    #[error("change {change}: {}{}", error.problem, error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default())]
    Change { change: String, error: Box<FileError> },
    #[error("no robot and no file is called `{name}`; built in: {}", built_in::names().join(", "))]
    Unknown { name: String, suggestion: Option<&'static str> },
}

/// As a program shows it that ends with an error: what [`Display`](std::fmt::Display) says, without the text of the file.
impl std::fmt::Debug for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
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

/// The text of a small file, of a pipe or of a device, up to [`MOST_BYTES`].
pub fn small_text(path: &Path) -> std::io::Result<String> {
    let not_text = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
    String::from_utf8(bounded(path)?).map_err(not_text)
}

/// The bytes of a file, of a pipe or of a device, up to [`MOST_BYTES`].
fn bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(std::io::Error::other("it has more than 16 MiB, which no such file has")),
        false => Ok(bytes),
    }
}

/// Reads and parses a file.
pub fn load<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, LoadError> {
    parsed(path, read(path)?, parse)
}

fn read(path: &Path) -> Result<String, LoadError> {
    let bytes = bounded(path).map_err(|error| LoadError::Read { path: path.into(), error })?;
    String::from_utf8(bytes).map_err(|_| LoadError::NotText { path: path.into() })
}

fn parsed<T>(path: &Path, text: String, parse: impl FnOnce(&str) -> Result<T, FileError>) -> Result<T, LoadError> {
    parse(&text).map_err(|error| LoadError::Invalid { path: path.into(), text, error: Box::new(error) })
}

/// What a built-in robot or a file says, with changes of it.
pub fn find<T>(
    name_or_path: &str,
    changes: &[String],
    parse: impl FnOnce(&str) -> Result<T, FileError>,
) -> Result<T, LoadError> {
    let path = Path::new(name_or_path);
    let looks_like_a_path = path.extension().is_some() || path.components().count() > 1;
    let text = match built_in::BUILT_IN.iter().find(|robot| robot.name == name_or_path) {
        Some(found) => found.text.to_owned(),
        None if looks_like_a_path || path.exists() => read(path)?,
        None => {
            let suggestion = closest(name_or_path, built_in::names());
            return Err(LoadError::Unknown { name: name_or_path.to_owned(), suggestion });
        }
    };
    let changed = document::with_changes(&text, changes)?;
    // Each change is a line of its own, and these are the last ones.
    let first = changed.lines().count() - changes.len() + 1;
    parsed(path, changed, parse).map_err(|error| match error {
        LoadError::Invalid { error, .. } if error.location.line >= first && !changes.is_empty() => {
            let change = changes.get(error.location.line - first).or(changes.last()).cloned().unwrap_or_default();
            LoadError::Change { change, error }
        }
        other => other,
    })
}
