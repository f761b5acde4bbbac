//! What went wrong, as it is shown: cause, place in the file, hint.

use dalembert::report::escape;
use dalembert::robot::file::LoadError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::error::Error;
use std::fmt;
use std::io::{self, IsTerminal, Write};

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
    place: Option<(NamedSource<String>, LabeledSpan)>,
}

impl Failure {
    /// A mistake with its message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Mistake(Box::new(Mistake { message: message.into(), cause: None, hint: None, place: None }))
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

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid { path, text, error } => {
                let name = path.display().to_string();
                let span = error.location.span.clone();
                Self::Mistake(Box::new(Mistake {
                    message: format!("{name}, {}", error.told()),
                    cause: None,
                    hint: error.hint.clone(),
                    place: Some((NamedSource::new(name, text), LabeledSpan::new_with_span(Some("here".into()), span))),
                }))
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

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Mistake {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

impl Diagnostic for Mistake {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.place.as_ref().map(|(_, label)| Box::new(std::iter::once(label.clone())) as Box<dyn Iterator<Item = _>>)
    }
}

/// A cause whose text does nothing on a terminal.
#[derive(Debug)]
struct Told(String, Option<Box<Told>>);

impl Told {
    fn of(error: &(dyn Error + 'static)) -> Self {
        Self(escape::terminal(&error.to_string()).into_owned(), error.source().map(|source| Box::new(Self::of(source))))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Told {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

impl Mistake {
    /// As it may stand on a terminal: names, keys and cells of files do nothing there.
    fn told(&self) -> Self {
        let text = |text: &String| escape::terminal(text).into_owned();
        let place = self.place.as_ref().map(|(source, label)| {
            let inner = escape::terminal_in_place(source.inner()).into_owned();
            (NamedSource::new(escape::line(source.name()), inner), label.clone())
        });
        Self {
            message: text(&self.message),
            cause: self.cause.as_deref().map(|cause| Box::new(Told::of(cause)) as Box<dyn Error + Send + Sync>),
            hint: self.hint.as_ref().map(text),
            place,
        }
    }
}

/// Shows a mistake on standard error: in colour and wrapped on a terminal, plain and unwrapped elsewhere.
pub fn show(mistake: &Mistake) {
    let mistake = &mistake.told();
    let colored = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let handler = match (io::stderr().is_terminal(), colored) {
        (true, true) => GraphicalReportHandler::new_themed(GraphicalTheme::unicode()).with_width(100),
        (true, false) => GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100),
        _ => GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(4000),
    };
    let mut text = String::new();
    if handler.render_report(&mut text, mistake).is_err() {
        text = mistake.to_string();
    }
    // Without the drawing, the mark before the message is a plain word.
    match text.trim_end().strip_prefix("  x ") {
        Some(rest) => say_drawn(&format!("error: {rest}")),
        None => say_drawn(text.trim_end()),
    }
}

/// One message on standard error. If that is gone there is nobody left to tell.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", escape::terminal(text));
}

/// A message that is already safe on a terminal, and may be in colour.
fn say_drawn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
