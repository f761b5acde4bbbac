//! Programs that took a search, kept for the next time.
//!
//! A file holds one program, as JSON, with all that it depends on: the robot as a file, the quantity and the version of this library. It is used only where all
//! three are the same to the letter, and only after it has given what the robot's exact model gives at some states. What is damaged or
//! of somebody else is left alone, and told.

use super::Robot;
use crate::symbolic::Program;
use crate::symbolic::derive::Of;
use crate::symbolic::print::{identifier, json};
use dalembert_compiled::Compiled;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, io};

/// What stands in the files.
const FORMAT: &str = "dalembert-cache/1";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A directory with programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    directory: PathBuf,
}

/// Why a program that is there is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CacheError(String);

impl Cache {
    /// The cache in this directory, which need not be there yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Where the platform has it: `DALEMBERT_CACHE` if that is set (`off`: nowhere), else `dalembert` in `XDG_CACHE_HOME` or `~/.cache`, on
    /// macOS in `~/Library/Caches`, on Windows in `%LOCALAPPDATA%`.
    pub fn standard() -> Option<Self> {
        let place = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(chosen) = place("DALEMBERT_CACHE") {
            return (chosen != Path::new("off")).then(|| Self::at(chosen));
        }
        // A relative path is to be ignored, says the standard of these directories.
        let absolute = |path: &PathBuf| path.is_absolute();
        let directory = match env::consts::OS {
            "windows" => place("LOCALAPPDATA"),
            "macos" => place("HOME").map(|home| home.join("Library/Caches")),
            _ => place("XDG_CACHE_HOME").filter(absolute).or_else(|| Some(place("HOME")?.join(".cache"))),
        };
        directory.filter(absolute).map(|directory| Self::at(directory.join("dalembert")))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where a program of a robot is, and the robot as it is compared. `None` for robots that no file can describe.
    fn place(&self, robot: &Robot, of: Of) -> Option<(PathBuf, String)> {
        let file = robot.to_toml()?;
        // Fowler, Noll and Vo's hash, 64 bits: the same on every machine and with every compiler.
        let letters = [VERSION, of.as_str(), &file].join("\n");
        let hash = letters
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let name: String = identifier(&robot.name).chars().take(40).collect();
        Some((self.directory.join(format!("{name}-{of}-{hash:016x}.json")), file))
    }

    /// Keeps a program. The file is complete or not there.
    pub fn store(&self, robot: &Robot, of: Of, program: &Program) -> io::Result<PathBuf> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let no_file = || io::Error::other(format!("no file can describe {}", robot.name));
        let (path, file) = self.place(robot, of).ok_or_else(no_file)?;
        let program: Value = serde_json::from_str(&json::print(program))?;
        let text =
            json!({ "format": FORMAT, "dalembert": VERSION, "of": of.as_str(), "robot": file, "program": program });
        fs::create_dir_all(&self.directory)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{count}.tmp", std::process::id()));
        let written = fs::write(&temporary, text.to_string()).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            // There may be none.
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| path)
    }

    /// Whether there is a file for a program, good or not.
    pub fn holds(&self, robot: &Robot, of: Of) -> bool {
        self.place(robot, of).is_some_and(|(path, _)| path.exists())
    }

    /// The program of a robot, ready to run, if one is there; verified.
    pub fn find(&self, robot: &Robot, of: Of) -> Result<Option<Compiled>, CacheError> {
        let Some((path, file)) = self.place(robot, of) else { return Ok(None) };
        let shown = path.display();
        let damaged = |problem: String| CacheError(format!("{shown} is damaged: {problem}"));
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(damaged("it is no text".to_owned()));
            }
            Err(error) => return Err(CacheError(format!("{shown}: {error}"))),
        };
        let all: Value = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        let is = |key: &str, value: &str| all.get(key).and_then(Value::as_str) == Some(value);
        if !is("format", FORMAT) {
            return Err(damaged(format!("its format is not {FORMAT}")));
        }
        if !is("dalembert", VERSION) || !is("of", of.as_str()) || !is("robot", &file) {
            return Err(CacheError(format!("{shown} is of another robot or version")));
        }
        let program = all.get("program").map(Value::to_string).unwrap_or_default();
        let program = json::read(&program).map_err(|error| damaged(error.to_string()))?;
        let compiled = Compiled::new(program).map_err(|error| damaged(error.to_string()))?;
        match robot.agrees_with_exact(of, &compiled) {
            true => Ok(Some(compiled)),
            false => Err(CacheError(format!("{shown} does not give what the robot's exact model gives"))),
        }
    }
}
