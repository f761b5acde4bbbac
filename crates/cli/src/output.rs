//! Where results go: the screen, files that appear only when complete, aligned tables.

use crate::failure::Failure;
use crate::{files, standard, temporary};
use dalembert::report::chart::Picture;
use dalembert::report::escape;
use dalembert::report::recording::Recording;
pub use dalembert::report::text::{Table, fixed, human};
use dalembert::verbs::{TOO_LARGE, TOO_LARGE_HINT};
use std::fs;
use std::io::{self, BufRead, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};

/// Standard output for reports, buffered until the end; headings stand out on a terminal.
pub struct Screen {
    text: String,
    styled: bool,
    /// A cell that should be a number.
    not_a_number: Option<String>,
}

impl Screen {
    pub fn stdout() -> Self {
        let styled = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { text: String::new(), styled, not_a_number: None }
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(escape::terminal(text.as_ref()).trim_end());
        self.text.push('\n');
    }

    /// The text of a file: as it is, unless people look at it.
    pub fn raw(&mut self, text: &str) {
        let text = if io::stdout().is_terminal() { escape::terminal(text) } else { text.into() };
        self.text.push_str(&text);
    }

    pub fn heading(&mut self, text: impl AsRef<str>) {
        self.styled_line("\x1b[1m", text.as_ref());
    }

    /// A heading after a blank line.
    pub fn title(&mut self, text: impl AsRef<str>) {
        self.line("");
        self.heading(text);
    }

    fn styled_line(&mut self, style: &str, text: &str) {
        let start = self.text.len();
        self.line(text);
        if self.styled {
            self.text.insert_str(start, style);
            self.text.insert_str(self.text.len() - 1, "\x1b[0m");
        }
    }

    /// A table, indented by two.
    pub fn table(&mut self, table: &Table) {
        if let Some(line) = table.rows().find(|row| row.iter().any(|cell| cell == "NaN")) {
            self.not_a_number.get_or_insert(line.join(" "));
        }
        for (is_head, line) in table.lines() {
            let line = format!("  {line}");
            if is_head { self.styled_line("\x1b[2m", &line) } else { self.line(line) }
        }
    }

    /// A heading and a table, after a blank line.
    pub fn section(&mut self, heading: impl AsRef<str>, table: &Table) {
        self.title(heading);
        self.table(table);
    }

    /// An outcome of the library as a JSON document.
    pub fn outcome(&mut self, outcome: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(outcome)
            .map_err(|error| Failure::new("cannot write the outcome as JSON").because(error))?;
        self.text.push_str(&escape::json(&format!("{text}\n")));
        Ok(())
    }

    pub fn finish(self) -> Result<(), Failure> {
        // What verbs have not refused; it must not look like a result.
        if let Some(line) = self.not_a_number {
            return Err(Failure::new(format!("`{line}`: {TOO_LARGE}")).hint(TOO_LARGE_HINT));
        }
        Self::print(|stdout| stdout.write_all(self.text.as_bytes()), self.text.is_empty())
    }

    /// Help, or the version: results as any other.
    pub fn help(error: &clap::Error) -> Result<(), Failure> {
        Self::print(|_| error.print(), false)
    }

    fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>, empty: bool) -> Result<(), Failure> {
        let mut stdout = io::stdout();
        let there = if empty { Ok(()) } else { standard::require_output() };
        there
            .and_then(|()| write(&mut stdout))
            .and_then(|()| stdout.flush())
            .map_err(|error| Failure::io("cannot write to standard output", error))
    }
}

/// What follows the last point of a file's name, in small letters.
pub fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// A result that appears only when it is complete.
///
/// A file is written under another name in the same directory and renamed at the end, once it is on the disk. Standard output
/// gets everything at the end, held in memory up to 64 MiB and in a temporary file beyond.
pub struct Sink {
    /// As it was typed.
    name: String,
    target: BufWriter<Target>,
}

enum Target {
    /// Standard output, text by text as it comes.
    Streamed,
    Held {
        file: tempfile::SpooledTempFile,
        device: bool,
    },
    Renamed {
        file: tempfile::NamedTempFile,
        path: PathBuf,
    },
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Streamed => to_stdout(&mut &*bytes).map(|()| bytes.len()),
            Self::Held { file, .. } => file.write(bytes),
            Self::Renamed { file, .. } => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Streamed => Ok(()),
            Self::Held { file, .. } => file.flush(),
            Self::Renamed { file, .. } => file.flush(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

/// In words of its own: the system's may have the name of the temporary file, which nobody knows.
pub fn cannot_write(name: &str, error: &io::Error) -> Failure {
    let mistake = |reason: &str, hint: &str| Failure::new(format!("cannot write {name}: {reason}")).hint(hint);
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        io::ErrorKind::NotFound => mistake("its directory does not exist", "create the directory first"),
        io::ErrorKind::NotADirectory => mistake("it is below something that is no directory", "choose another place"),
        io::ErrorKind::PermissionDenied => mistake("permission denied", "choose a place where you may write"),
        io::ErrorKind::ReadOnlyFilesystem => mistake("the disk is read-only", "choose another place"),
        io::ErrorKind::StorageFull => mistake("the disk is full", "make room, or choose another place"),
        kind => Failure::new(format!("cannot write {name}: {kind}")),
    }
}

impl Sink {
    /// A file for a picture, whose name ends in what it is; standard output gets SVG.
    pub fn for_picture(name: &str) -> Result<Self, Failure> {
        if name == "-" || ["svg", "png"].contains(&ending(name).as_str()) {
            return Self::new(name);
        }
        Err(Failure::new(format!("cannot plot to {name}: the plot is SVG or PNG"))
            .hint("give a name that ends in `.svg` or `.png`"))
    }

    /// Writes a picture, as the name of the file says.
    pub fn picture(&mut self, picture: &Picture) -> Result<(), Failure> {
        if !picture.is_finite() {
            return Err(Failure::new(format!("cannot draw {}: {TOO_LARGE}", self.name)).hint(TOO_LARGE_HINT));
        }
        if ending(&self.name) != "png" {
            return self.text(&picture.to_svg());
        }
        #[cfg(feature = "png")]
        let written = picture.to_png().and_then(|bytes| self.write_all(&bytes));
        #[cfg(not(feature = "png"))]
        let written = Err(io::Error::other("this build has no PNG"));
        written.map_err(|error| Failure::io(&format!("cannot write {}", self.name), error))
    }

    /// Writes a recording, as Parquet where the name of the file says so.
    pub fn recording(&mut self, recording: &Recording) -> Result<(), Failure> {
        #[cfg(feature = "parquet")]
        if ending(&self.name) == "parquet" {
            let written = recording.write_parquet(self);
            return written.map_err(|error| Failure::io(&format!("cannot write {}", self.name), error));
        }
        self.csv(recording)
    }

    pub fn csv(&mut self, recording: &Recording) -> Result<(), Failure> {
        let written = recording.write_csv(self);
        written.map_err(|error| Failure::io(&format!("cannot write {}", self.name), error))
    }

    /// Standard output, which gets every text at once.
    pub fn streaming() -> Self {
        Self { name: "-".to_owned(), target: BufWriter::new(Target::Streamed) }
    }

    /// A file, or standard output for `-`.
    pub fn new(name: &str) -> Result<Self, Failure> {
        const HELD: usize = 64 << 20;
        let sink = |target| Ok(Self { name: name.to_owned(), target: BufWriter::new(target) });
        let held = |device| Target::Held { file: tempfile::spooled_tempfile(HELD), device };
        if name == "-" {
            return sink(held(false));
        }
        files::write(name)?;
        let there = fs::metadata(name);
        match &there {
            Err(_) if name.ends_with(std::path::is_separator) => {
                return Err(Failure::new(format!("cannot write {name}: it names a directory, which does not exist"))
                    .hint("give a file name"));
            }
            Ok(data) if data.is_dir() => {
                return Err(Failure::new(format!("cannot write {name}: it is a directory")).hint("give a file name"));
            }
            // A device or pipe cannot be renamed over.
            Ok(data) if !data.is_file() => return sink(held(true)),
            Ok(data) if data.permissions().readonly() => {
                return Err(Failure::new(format!("cannot write {name}: it is there and read-only"))
                    .hint("make it writable, or give another name"));
            }
            _ => {}
        }
        let path = files::resolve(name);
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Like any new file (the umask applies), or like the one that is replaced.
            let mode = there.map_or(0o666, |data| data.permissions().mode());
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = temporary::create(directory, &mut builder).map_err(|error| cannot_write(name, &error))?;
        sink(Target::Renamed { file, path })
    }

    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    pub fn bytes(&mut self, text: &[u8]) -> Result<(), Failure> {
        let mut written = self.write_all(text);
        if let Target::Streamed = self.target.get_ref() {
            written = written.and_then(|()| self.flush());
        }
        written.map_err(|error| cannot_write(&self.name, &error))
    }

    /// Makes what there is of an interrupted result appear, and tells under which name: what is complete and older is kept.
    pub fn finish_partial(mut self) -> Result<String, Failure> {
        if let Target::Renamed { path, .. } = self.target.get_mut()
            && path.exists()
        {
            let partial = |name: &Path| match name.extension().and_then(|ending| ending.to_str()) {
                Some(ending) => name.with_extension(format!("partial.{ending}")),
                None => name.with_extension("partial"),
            };
            (*path, self.name) = (partial(path), partial(Path::new(&self.name)).display().to_string());
        }
        let name = self.name.clone();
        self.finish().map(|()| name)
    }

    pub fn finish(self) -> Result<(), Failure> {
        let Self { name, target } = self;
        let target = target.into_inner().map_err(|error| cannot_write(&name, error.error()))?;
        match target {
            Target::Streamed => Ok(()),
            Target::Renamed { file, path } => {
                temporary::persist(file, &path).map_err(|error| cannot_write(&name, &error))
            }
            Target::Held { mut file, device } => {
                file.rewind().map_err(|error| Failure::io("cannot read the held output back", error))?;
                if device {
                    let copied = fs::OpenOptions::new()
                        .write(true)
                        .open(&name)
                        .and_then(|mut device| io::copy(&mut file, &mut device));
                    copied.map(drop).map_err(|error| cannot_write(&name, &error))
                } else {
                    let copied = to_stdout(&mut file);
                    copied.map_err(|error| Failure::io("cannot write to standard output", error))
                }
            }
        }
    }
}

/// The files that a verb writes, each with what it is: all can be written, or nothing is computed; all are complete before one appears.
#[derive(Default)]
pub struct Files {
    all: Vec<(&'static str, Sink)>,
}

/// How the names of files are shown below a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Not at all.
    Hidden,
    /// As further lines of the last table.
    Listed,
    /// Each after a blank line.
    Apart,
}

impl Files {
    pub fn open<'a>(what: &'static str, names: impl IntoIterator<Item = &'a String>) -> Result<Self, Failure> {
        Self::default().and(what, names)
    }

    /// Further files; a plot is a picture.
    pub fn and<'a>(mut self, what: &'static str, names: impl IntoIterator<Item = &'a String>) -> Result<Self, Failure> {
        for name in names {
            let sink = if what == "plot" { Sink::for_picture(name)? } else { Sink::new(name)? };
            self.all.push((what, sink));
        }
        Ok(self)
    }

    pub fn add(&mut self, what: &'static str, sink: Sink) {
        self.all.push((what, sink));
    }

    pub fn sinks(&mut self, what: &str) -> impl Iterator<Item = &mut Sink> {
        self.all.iter_mut().filter(move |(kind, _)| *kind == what).map(|(_, sink)| sink)
    }

    /// Writes the files of one kind, if there are any.
    pub fn write(&mut self, what: &str, to: impl FnMut(&mut Sink) -> Result<(), Failure>) -> Result<(), Failure> {
        self.sinks(what).try_for_each(to)
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether one is standard output.
    pub fn are_printed(&self) -> bool {
        self.all.iter().any(|(_, sink)| sink.name == "-")
    }

    /// `--json` and a file cannot both go to standard output.
    pub fn refuse_json(&self, json: bool) -> Result<(), Failure> {
        let twice = json && self.are_printed();
        if twice { Err(Failure::new("--json and a file on standard output cannot both be printed")) } else { Ok(()) }
    }

    pub fn finish(self) -> Result<(), Failure> {
        self.all.into_iter().try_for_each(|(_, sink)| sink.finish())
    }

    /// Publishes the partial result of an interrupted run; returns the names of the files.
    pub fn finish_partial(self) -> Result<Vec<String>, Failure> {
        self.all.into_iter().map(|(_, sink)| sink.finish_partial()).collect()
    }

    /// Lets all appear, and shows an outcome. To standard output goes one thing: the file that was asked for there, JSON, or the text.
    pub fn show(
        self,
        screen: &mut Screen,
        outcome: &impl serde::Serialize,
        json: bool,
        names: Names,
        text: impl FnOnce(&mut Screen),
    ) -> Result<(), Failure> {
        let (printed, named) =
            (self.are_printed(), self.all.iter().map(|(what, sink)| format!("{what}: {}", sink.name)));
        let named: Vec<String> = named.collect();
        self.finish()?;
        if printed {
            return Ok(());
        }
        if json {
            return screen.outcome(outcome);
        }
        text(screen);
        for line in named {
            match names {
                Names::Hidden => {}
                Names::Listed => screen.line(format!("  {line}")),
                Names::Apart => {
                    screen.line("");
                    screen.line(line);
                }
            }
        }
        Ok(())
    }
}

/// Copies a file to standard output; on a terminal, as text that does nothing there.
fn to_stdout(file: &mut (impl io::Read + ?Sized)) -> io::Result<()> {
    standard::require_output()?;
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        let mut lines = io::BufReader::new(file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            stdout.write_all(escape::terminal(&String::from_utf8_lossy(&line)).as_bytes())?;
            line.clear();
        }
    } else {
        io::copy(file, &mut stdout)?;
    }
    stdout.flush()
}
