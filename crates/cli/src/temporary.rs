//! Files under another name, until they are complete. None is left behind: not by an error, not by a signal; and what a
//! killed run had to leave is swept away by the next one that writes into the same directory.
//!
//! A temporary file is locked as long as its run lives. So nobody has to guess whether its owner is gone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// `.dalembert-`, six letters or digits, `.part`: nobody else's file is called so.
const PREFIX: &str = ".dalembert-";
const SUFFIX: &str = ".part";

fn is_called_like_ours(name: &str) -> bool {
    let middle = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|middle| middle.len() == 6 && middle.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Those of this run.
static MINE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A new temporary file, locked; with the permissions of the builder.
pub fn create(directory: &Path, builder: &mut tempfile::Builder<'_, '_>) -> io::Result<NamedTempFile> {
    sweep(directory);
    // Once more if another run swept the file before it was locked.
    for _ in 0..100 {
        // Held, so that no signal comes between the file and its entry.
        let mut mine = MINE.lock().unwrap_or_else(PoisonError::into_inner);
        let file = builder.prefix(PREFIX).suffix(SUFFIX).tempfile_in(directory)?;
        // A file system may have no locks; then nobody sweeps there.
        let _ = file.as_file().lock();
        if file.path().exists() {
            mine.push(file.path().to_owned());
            return Ok(file);
        }
    }
    Err(io::Error::other("temporary files vanish"))
}

/// Removes what runs left that are gone.
fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_called_like_ours);
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // For writing: some file systems lock nothing else.
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        match file.try_lock() {
            // Nobody holds it; whether it is swept decides nothing here.
            Ok(()) => drop(fs::remove_file(entry.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// Gives a file its name, once its content is on the disk.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    let mut mine = MINE.lock().unwrap_or_else(PoisonError::into_inner);
    mine.retain(|other| other != file.path());
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The run ends at once: removes its files, and never returns.
pub fn abandon(code: i32) -> ! {
    // The lock is kept, so that nothing is created or renamed any more.
    let mine = MINE.lock().unwrap_or_else(PoisonError::into_inner);
    for path in mine.iter() {
        // There may be none any more.
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}
