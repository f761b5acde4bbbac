//! What went wrong, as it is shown: cause, place in the file, hint.

use crate::advice::advised;
use dalembert::report::escape;
use dalembert::robot::file::{FileError, LoadError};
use dalembert::verbs::VerbError;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

/// Why a verb ends early.
#[derive(Debug)]
pub enum Failure {
    /// The reader of our output is gone: end quietly.
    BrokenPipe,
    /// Ctrl-C; what there was is written. The message says how far it came.
    Interrupted(String),
    /// A mistake of the user.
    Mistake(Box<Mistake>),
}

/// A mistake of the user.
#[derive(Debug)]
pub struct Mistake {
    error: VerbError,
    excerpt: Option<Excerpt>,
}

/// The line of a file where something is wrong.
#[derive(Debug)]
struct Excerpt {
    number: usize,
    line: String,
    /// In characters.
    marked: Range<usize>,
}

impl Failure {
    pub fn new(message: impl Display) -> Self {
        Self::of(VerbError::new("", message), None)
    }

    fn of(error: VerbError, excerpt: Option<Excerpt>) -> Self {
        Self::Mistake(Box::new(Mistake { error, excerpt }))
    }

    fn with(mut self, change: impl FnOnce(&mut VerbError)) -> Self {
        if let Self::Mistake(mistake) = &mut self {
            change(&mut mistake.error);
        }
        self
    }

    /// Adds where it happened, in front.
    pub fn at(self, place: &str) -> Self {
        self.with(|error| error.message = format!("{place}: {}", error.message))
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with(|error| error.hint = Some(hint.into()))
    }

    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    pub fn because(self, cause: impl Error + Send + Sync + 'static) -> Self {
        self.with(|error| error.source = Some(Box::new(cause)))
    }

    /// A file or stream that cannot be read or written.
    pub fn io(what: &str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::BrokenPipe } else { Self::new(what).because(error) }
    }
}

impl From<VerbError> for Failure {
    fn from(error: VerbError) -> Self {
        match advised(error) {
            error if error.code == "cancelled" => Self::Interrupted(error.message),
            error => Self::of(error, None),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid { path, text, error } => {
                let message = format!("{}, {}", path.display(), error.told());
                let excerpt = Excerpt::of(&text, &error);
                Self::of(VerbError { hint: error.hint, ..VerbError::new("", message) }, excerpt)
            }
            LoadError::Change { change, error } => {
                Self::new(format!("--set {change}: {}", error.problem)).maybe_hint(error.hint)
            }
            LoadError::NotText { .. } => {
                Self::new(error).hint("a robot file is TOML, saved as UTF-8; is this another kind of file?")
            }
            LoadError::Read { path, error } => Self::new(format!("cannot read {}", path.display()))
                .because(error)
                .hint("ROBOT is the name of a built-in robot (`dalembert robots`) or the path to a TOML file"),
            LoadError::Unknown { suggestion, .. } => {
                let hint = match suggestion {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "`dalembert robots` lists the built-in robots; a robot file ends in `.toml`".to_owned(),
                };
                Self::new(&error).hint(hint)
            }
        }
    }
}

impl Excerpt {
    fn of(text: &str, error: &FileError) -> Option<Self> {
        let place = &error.location;
        let line = text.lines().nth(place.line - 1)?.replace('\t', " ");
        let length = text.get(place.span.clone()).map_or(0, |marked| marked.chars().count());
        let start = place.column - 1;
        let end = (start + length).min(line.chars().count()).max(start + 1);
        Some(Self { number: place.line, line, marked: start..end })
    }
}

/// How wide messages are on a terminal; elsewhere nothing is wrapped.
const WIDTH: usize = 100;

/// Shows a mistake on standard error: in colour and wrapped on a terminal, plain and unwrapped elsewhere. Names, keys and
/// cells of files do nothing there, whatever they contain.
pub fn show(mistake: &Mistake) {
    let terminal = io::stderr().is_terminal();
    let coloured = terminal && std::env::var_os("NO_COLOR").is_none();
    let paint = |code: &str, text: &str| if coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let width = if terminal { WIDTH } else { usize::MAX };
    let said = |colour: &str, word: &str, text: &str| {
        let indent = word.chars().count() + 1;
        format!("{} {}\n", paint(colour, word), wrapped(&escape::terminal(text), indent, width))
    };
    let VerbError { message, hint, source, .. } = &mistake.error;
    let mut text = said("31;1", "error:", message);
    if let Some(Excerpt { number, line, marked }) = &mistake.excerpt {
        let (number, line) = (number.to_string(), escape::terminal_in_place(line));
        let blank = " ".repeat(number.len());
        let marks = format!("{}{}", " ".repeat(marked.start), paint("35;1", &"^".repeat(marked.len())));
        text += &format!(" {blank} |\n {} | {line}\n {blank} | {marks}\n", paint("2", &number));
    }
    let mut cause = source.as_deref().map(|cause| cause as &dyn Error);
    while let Some(error) = cause {
        text += &said("31", "  because:", &error.to_string());
        cause = error.source();
    }
    if let Some(hint) = hint {
        text += &said("36", "  help:", hint);
    }
    let _ = write!(io::stderr(), "{text}");
}

/// Breaks lines between words, behind the first with an indent.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines = String::new();
    let mut column = indent;
    for (i, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column.saturating_add(1 + length) > width {
            lines += &format!("\n{}", " ".repeat(indent));
            column = indent;
        } else if i > 0 {
            lines.push(' ');
            column += 1;
        }
        lines += word;
        column += length;
    }
    lines
}

/// One message on standard error. If that is gone there is nobody left to tell.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", escape::terminal(text));
}
