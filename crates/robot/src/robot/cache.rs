//! Programs that took a search, kept for the next time.
//!
//! A file holds one program, as JSON, with all that it depends on: the robot as a file, the quantity and the build of this library. It is used only where all
//! three are the same to the letter, its checksum is right, and it gives what the robot's exact model gives at states over the ranges of the joints. What
//! is damaged is left alone, and told; so is a directory or a file that somebody else owns or may change.

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
const FORMAT: &str = "dalembert-cache/2";
/// The version, and a hash of the sources: another build may derive other programs.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("DALEMBERT_SOURCES"));

/// Fowler, Noll and Vo's hash, 64 bits: the same on every machine and with every compiler.
fn hash(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([b'\n']));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

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
        let hash = hash(&[BUILD, of.as_str(), &file]);
        let name: String = identifier(&robot.name).chars().take(40).collect();
        Some((self.directory.join(format!("{name}-{of}-{hash}.json")), file))
    }

    /// Makes the directory where there is none, and refuses one in which no program can be kept: before a search that would be in vain.
    pub fn prepare(&self) -> io::Result<()> {
        private::create(&self.directory)?;
        private::check(&self.directory, true)?;
        let trial = self.temporary();
        private::write(&trial, b"")?;
        fs::remove_file(trial)
    }

    /// The name of a file that nobody else writes.
    fn temporary(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        self.directory.join(format!("{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Keeps a program. The file is complete or not there.
    pub fn store(&self, robot: &Robot, of: Of, program: &Program) -> io::Result<PathBuf> {
        let no_file = || io::Error::other(format!("no file can describe {}", robot.name));
        let (path, file) = self.place(robot, of).ok_or_else(no_file)?;
        let program = json::print(program);
        let checksum = hash(&[BUILD, of.as_str(), &file, &program]);
        // The program as a text: its checksum is that of the letters.
        let text = json!({ "format": FORMAT, "dalembert": BUILD, "of": of.as_str(), "robot": file, "program": program, "checksum": checksum });
        self.prepare()?;
        let temporary = self.temporary();
        let written =
            private::write(&temporary, text.to_string().as_bytes()).and_then(|()| fs::rename(&temporary, &path));
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
        let trusted = || {
            private::check(&self.directory, true)?;
            private::check(&path, false)?;
            fs::read_to_string(&path)
        };
        let text = match trusted() {
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
        if !is("dalembert", BUILD) || !is("of", of.as_str()) || !is("robot", &file) {
            return Err(CacheError(format!("{shown} is of another robot or build")));
        }
        let program = all.get("program").and_then(Value::as_str).unwrap_or_default();
        if !is("checksum", &hash(&[BUILD, of.as_str(), &file, program])) {
            return Err(damaged("its checksum is not that of its program".to_owned()));
        }
        let program = json::read(program).map_err(|error| damaged(error.to_string()))?;
        let compiled = Compiled::new(program).map_err(|error| damaged(error.to_string()))?;
        match robot.agrees_with_exact(of, &compiled) {
            true => Ok(Some(compiled)),
            false => Err(CacheError(format!("{shown} does not give what the robot's exact model gives"))),
        }
    }
}

/// Directories and files of this user alone.
#[cfg(unix)]
mod private {
    use std::io::Write;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
    use std::path::Path;
    use std::{env, fs, io};

    /// A directory, if there is none: those above as is usual, the last for nobody else.
    pub fn create(directory: &Path) -> io::Result<()> {
        if directory.is_dir() {
            return Ok(());
        }
        directory.parent().map_or(Ok(()), fs::create_dir_all)?;
        match fs::DirBuilder::new().mode(0o700).create(directory) {
            // Another process was first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
            other => other,
        }
    }

    /// A new file; a link that is there is not followed.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(bytes)
    }

    /// Refuses what is not this user's, or may be changed by others. A directory may be reached by a link, a file may not be one.
    pub fn check(path: &Path, directory: bool) -> io::Result<()> {
        let what = if directory { "the directory" } else { "the file" };
        let found = if directory { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
        let why = if found.is_dir() != directory || !(directory || found.is_file()) {
            if directory { "is a file" } else { "is not a regular file" }
        } else if Some(found.uid()) != user() {
            "belongs to another user"
        } else if found.mode() & 0o022 != 0 {
            "may be changed by other users; `chmod go-w` prevents that"
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("{what} {why}")))
    }

    /// Who runs this process: the owner of its entry where the system lists processes, else of the home directory.
    fn user() -> Option<u32> {
        let home = || fs::metadata(env::var_os("HOME")?).ok();
        fs::metadata("/proc/self").ok().or_else(home).map(|found| found.uid())
    }
}

/// Directories of a user are private as they are.
#[cfg(not(unix))]
mod private {
    use std::path::Path;
    use std::{fs, io};

    pub fn create(directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)
    }

    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(path, bytes)
    }

    pub fn check(path: &Path, _directory: bool) -> io::Result<()> {
        fs::metadata(path).map(|_| ())
    }
}
