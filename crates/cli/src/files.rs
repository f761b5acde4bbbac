//! The files of a run: none is read and written, none is written twice.

use crate::failure::Failure;
use clap::ArgMatches;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The options whose values are files that a verb writes; every other value that is the name of a file is read. Tests
/// compare it with what `--help` says.
const WRITTEN: [&str; 6] = ["out", "plot", "report", "gcode", "response", "gains"];

/// The options whose values are tables: they are read, may be long, and name no other files.
const TABLES: [&str; 5] = ["table", "input", "states", "logs", "torque_file"];

/// A file by name and, where it is there, by what it is on the disk: two names may be one file.
struct Place {
    name: String,
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

/// Device and number of a file.
#[cfg(unix)]
fn identity(data: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

impl Place {
    /// None for standard input or output, devices and pipes: these are no files that could be lost.
    fn of(name: &str) -> Option<Self> {
        let data = fs::metadata(name);
        if name == "-" || data.as_ref().is_ok_and(|data| !data.is_file()) {
            return None;
        }
        Some(Self { name: name.to_owned(), path: resolve(name), identity: data.ok().as_ref().and_then(identity) })
    }

    fn is(&self, other: &Self) -> bool {
        self.path == other.path || (self.identity.is_some() && self.identity == other.identity)
    }
}

/// The file that a name stands for, there or not: through symbolic links, in a directory without any.
pub fn resolve(name: &str) -> PathBuf {
    let mut path = PathBuf::from(name);
    let parent = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    // As many links as a system follows.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = parent(&path).join(target);
    }
    match (fs::canonicalize(parent(&path)), path.file_name()) {
        (Ok(directory), Some(file)) => directory.join(file),
        _ => path,
    }
}

static READ: OnceLock<Vec<Place>> = OnceLock::new();
static WRITING: Mutex<Vec<Place>> = Mutex::new(Vec::new());

/// Learns from the command line which files are read, and refuses outputs that are among them or that are one file, before
/// anything is computed.
pub fn claim(matches: &ArgMatches) -> Result<(), Failure> {
    let (mut inputs, mut tables, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = Some(matches);
    while let Some(matches) = next {
        for id in matches.ids() {
            let values = matches.try_get_raw(id.as_str()).ok().flatten().into_iter().flatten();
            let names = values.filter_map(|value| value.to_str()).map(str::to_owned);
            let all = match id.as_str() {
                id if WRITTEN.contains(&id) => &mut outputs,
                id if TABLES.contains(&id) => &mut tables,
                _ => &mut inputs,
            };
            all.extend(names);
        }
        next = matches.subcommand().map(|(_, matches)| matches);
    }
    let built_in = |name: &String| dalembert::robots::names().contains(&name.as_str());
    let mut read: Vec<Place> = inputs.iter().filter(|name| !built_in(name)).filter_map(|name| there(name)).collect();
    let named: Vec<Place> = read.iter().flat_map(|file| named_in(&file.path)).collect();
    read.extend(named);
    read.extend(tables.iter().filter_map(|name| there(name)));
    if inputs.iter().chain(&tables).any(|name| name == "-") {
        // A redirected file.
        read.extend(there("/dev/stdin").map(|place| Place { name: "standard input".into(), ..place }));
    }
    let read = READ.get_or_init(|| read);
    for (k, name) in outputs.iter().enumerate() {
        let twice = outputs[..k].iter().any(|other| other == name && name == "-");
        let place = Place::of(name);
        let same = |other: &String| place.as_ref().zip(Place::of(other)).is_some_and(|(a, b)| a.is(&b));
        if twice || outputs[..k].iter().any(same) {
            return Err(two_outputs(name));
        }
        refuse_input(place.as_ref(), read)?;
    }
    Ok(())
}

/// An output is going to be written: it is no input, and nothing else goes there.
pub fn write(name: &str) -> Result<(), Failure> {
    let Some(place) = Place::of(name) else { return Ok(()) };
    refuse_input(Some(&place), READ.get().map_or(&[], Vec::as_slice))?;
    let mut writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if writing.iter().any(|other| other.is(&place)) {
        return Err(two_outputs(name));
    }
    writing.push(place);
    Ok(())
}

fn two_outputs(name: &str) -> Failure {
    Failure::new(format!("two outputs cannot both go to {name}")).hint("give each a name of its own")
}

fn refuse_input(place: Option<&Place>, read: &[Place]) -> Result<(), Failure> {
    let Some(place) = place else { return Ok(()) };
    match read.iter().find(|input| input.is(place)) {
        None => Ok(()),
        Some(input) if input.name == place.name => {
            Err(Failure::new(format!("cannot write {}: this run reads it", place.name)).hint("give another name"))
        }
        Some(input) => {
            let problem = format!("cannot write {}: it is {}, which this run reads", place.name, input.name);
            Err(Failure::new(problem).hint("give another name"))
        }
    }
}

/// A file that is there.
fn there(name: &str) -> Option<Place> {
    Place::of(name).filter(|_| Path::new(name).exists())
}

/// Files that a scene or an experiment names: any of its texts that is the name of a file beside it, or here.
fn named_in(file: &Path) -> Vec<Place> {
    fn texts(value: &toml::Value, all: &mut Vec<String>) {
        match value {
            toml::Value::String(text) => all.push(text.clone()),
            toml::Value::Array(values) => values.iter().for_each(|value| texts(value, all)),
            toml::Value::Table(table) => table.values().for_each(|value| texts(value, all)),
            _ => {}
        }
    }
    let mut text = String::new();
    let Ok(source) = fs::File::open(file) else { return Vec::new() };
    // What cannot be read is refused by its reader, in better words.
    if source.take(dalembert::robot::file::MOST_BYTES).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut all = Vec::new();
    texts(&toml::Value::Table(table), &mut all);
    let folder = file.parent().unwrap_or(Path::new("."));
    let both = all.iter().flat_map(|name| [Some(name.clone()), folder.join(name).to_str().map(str::to_owned)]);
    both.flatten().filter_map(|name| there(&name)).collect()
}
