//! What went wrong, as it is shown: cause, place in the file, hint.

use crate::advice::advised;
use dalembert::report::escape;
use dalembert::robot::file::{FileError, LoadError};
use dalembert::verbs::VerbError;
use std::error::Error;
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
    message: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
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
    /// A mistake with its message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Mistake(Box::new(Mistake { message: message.into(), cause: None, hint: None, excerpt: None }))
    }

    /// Adds where it happened, in front.
    pub fn at(mut self, place: &str) -> Self {
        if let Self::Mistake(mistake) = &mut self {
            mistake.message = format!("{place}: {}", mistake.message);
        }
        self
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Mistake(mistake) = &mut self {
            mistake.hint = Some(hint.into());
        }
        self
    }

    /// Adds a hint if there is one.
    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds what it comes from.
    pub fn because(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        if let Self::Mistake(mistake) = &mut self {
            mistake.cause = Some(Box::new(cause));
        }
        self
    }

    /// A file or stream that cannot be read or written.
    pub fn io(what: &str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::BrokenPipe } else { Self::new(what).because(error) }
    }
}

impl From<VerbError> for Failure {
    fn from(error: VerbError) -> Self {
        let VerbError { code, message, hint, source: cause } = advised(error);
        match &*code {
            "cancelled" => Self::Interrupted(message),
            _ => Self::Mistake(Box::new(Mistake { message, cause, hint, excerpt: None })),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid { path, text, error } => Self::Mistake(Box::new(Mistake {
                message: format!("{}, {}", path.display(), error.told()),
                cause: None,
                hint: error.hint.clone(),
                excerpt: Excerpt::of(&text, &error),
            })),
            LoadError::Change { change, error } => {
                Self::new(format!("--set {change}: {}", error.problem)).maybe_hint(error.hint)
            }
            LoadError::NotText { .. } => {
                Self::new(error.to_string()).hint("a robot file is TOML, saved as UTF-8; is this another kind of file?")
            }
            LoadError::Read { path, error } => Self::new(format!("cannot read {}", path.display()))
                .because(error)
                .hint("ROBOT is the name of a built-in robot (`dalembert robots`) or the path to a TOML file"),
            LoadError::Unknown { suggestion, .. } => {
                let hint = match suggestion {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "`dalembert robots` lists the built-in robots; a robot file ends in `.toml`".to_owned(),
                };
                Self::new(error.to_string()).hint(hint)
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
    let mut text = said("31;1", "error:", &mistake.message);
    if let Some(Excerpt { number, line, marked }) = &mistake.excerpt {
        let (number, line) = (number.to_string(), escape::terminal_in_place(line));
        let blank = " ".repeat(number.len());
        let marks = format!("{}{}", " ".repeat(marked.start), paint("35;1", &"^".repeat(marked.len())));
        text += &format!(" {blank} |\n {} | {line}\n {blank} | {marks}\n", paint("2", &number));
    }
    let mut cause = mistake.cause.as_deref().map(|cause| cause as &dyn Error);
    while let Some(error) = cause {
        text += &said("31", "  because:", &error.to_string());
        cause = error.source();
    }
    if let Some(hint) = &mistake.hint {
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
