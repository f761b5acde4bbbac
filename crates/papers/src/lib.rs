//! The five papers again: every numbered table and figure, the printed values beside ours, and a verdict.
//!
//! A page is data: [`run`] makes a [`Paper`], which becomes HTML, JSON and CSV. The experiments are ordinary calls of the
//! library, one module for each paper.
//!
//! ```
//! use dalembert_papers::{Name, Verdict};
//!
//! assert_eq!(Name::parse("codourey"), Some(Name::Codourey));
//! assert_eq!(Verdict::Corrected.as_str(), "reproduced after correction");
//! ```

mod armstrong;
pub mod asadi;
pub mod bortoff;
pub mod codourey;
pub mod falezza;
mod html;
pub mod plot;

use dalembert::report::chart::{BarChart, Chart, HeatMap};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;

/// What can go wrong inside of an experiment.
pub type Anything = Box<dyn Error + Send + Sync>;

/// A paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Asadi and Heydari 2020.
    Asadi,
    /// Armstrong, Khatib and Burdick 1986.
    Armstrong,
    /// Bortoff 2018.
    Bortoff,
    /// Codourey 1998.
    Codourey,
    /// Falezza et al. 2022.
    Falezza,
}

impl Name {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Asadi, Self::Armstrong, Self::Bortoff, Self::Codourey, Self::Falezza];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asadi => "asadi",
            Self::Armstrong => "armstrong",
            Self::Bortoff => "bortoff",
            Self::Codourey => "codourey",
            Self::Falezza => "falezza",
        }
    }

    /// The paper of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|paper| paper.as_str() == name)
    }
}

/// What came out of a table, a figure or a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperVerdict {
    /// As printed.
    Reproduced,
    /// After a misprint was corrected, or with a condition that the paper does not state.
    Corrected,
    /// What is printed cannot be.
    NotAsPrinted,
    /// The paper says too little: parameters, measurements or definitions are missing. What is shown is the same experiment
    /// with what was assumed.
    NotPublished,
}

impl PaperVerdict {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Corrected => "reproduced after correction",
            Self::NotAsPrinted => "not reproducible as printed",
            Self::NotPublished => "not published enough",
        }
    }
}

/// Our value beside a printed one.
#[derive(Clone, Debug, PartialEq)]
pub enum Ours {
    /// The same on every machine.
    Number(f64),
    /// A time, a rate or a ratio of such: this machine's.
    Measured(f64),
    /// In words.
    Words(String),
    /// None.
    Nothing,
}

/// A printed value beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperRow {
    /// What it is.
    pub what: String,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// As printed, letter by letter; none where the paper prints none.
    pub printed: Option<String>,
    /// Ours.
    pub ours: Ours,
}

impl PaperRow {
    /// Without values yet.
    pub fn new(what: impl Into<String>, unit: &'static str) -> Self {
        Self { what: what.into(), unit, printed: None, ours: Ours::Nothing }
    }

    /// What the paper prints.
    pub fn printed(self, printed: impl Into<String>) -> Self {
        Self { printed: Some(printed.into()), ..self }
    }

    /// What we find.
    pub fn ours(self, value: f64) -> Self {
        Self { ours: Ours::Number(value), ..self }
    }

    /// What we measure on this machine; nothing where nothing was measured.
    pub fn measured(self, value: Option<f64>) -> Self {
        Self { ours: value.map_or(Ours::Nothing, Ours::Measured), ..self }
    }

    /// What we find, in words.
    pub fn words(self, words: impl Into<String>) -> Self {
        Self { ours: Ours::Words(words.into()), ..self }
    }

    /// Ours less what is printed, where both are numbers.
    pub fn difference(&self) -> Option<f64> {
        let printed: f64 = self.printed.as_ref()?.replace('−', "-").parse().ok()?;
        match self.ours {
            // What is only rounding is no difference.
            Ours::Number(value) if (value - printed).abs() <= 1e-12 * printed.abs() => Some(0.0),
            Ours::Number(value) | Ours::Measured(value) => Some(value - printed),
            Ours::Words(_) | Ours::Nothing => None,
        }
    }
}

/// Printed values beside ours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Above it.
    pub title: String,
    /// One after the other.
    pub rows: Vec<PaperRow>,
}

impl Beside {
    /// A table.
    pub fn new(title: impl Into<String>, rows: Vec<PaperRow>) -> Self {
        Self { title: title.into(), rows }
    }
}

/// A figure.
#[derive(Clone, Debug)]
pub enum PaperFigure {
    /// Lines in panels.
    Lines(Chart),
    /// Bars.
    Bars(BarChart),
    /// Heat maps in one picture, so many in a row.
    Heat(Vec<HeatMap>, usize),
}

impl PaperFigure {
    /// As a picture; empty where there is nothing to draw.
    pub fn to_svg(&self) -> String {
        match self {
            Self::Lines(chart) => chart.draw().to_svg(),
            Self::Bars(chart) => chart.draw().to_svg(),
            Self::Heat(maps, columns) => {
                HeatMap::draw_all(maps, *columns).map_or(String::new(), |picture| picture.to_svg())
            }
        }
    }

    /// Its numbers.
    pub fn to_csv(&self) -> String {
        match self {
            Self::Lines(chart) => chart.to_csv(),
            Self::Bars(chart) => chart.to_csv(),
            Self::Heat(maps, _) => HeatMap::to_csv(maps),
        }
    }
}

/// A numbered table or figure, or a claim, of a paper.
#[derive(Clone, Debug)]
pub struct PaperItem {
    /// `Table 3`, `PaperFigure 7`, `§5.2`.
    pub number: &'static str,
    /// What it shows or says.
    pub title: &'static str,
    /// What came out of it; none of a drawing that has no numbers.
    pub verdict: Option<PaperVerdict>,
    /// Why.
    pub because: String,
    /// Whether the errata say more.
    pub errata: bool,
    /// The command that gives it, without the page.
    pub command: &'static str,
    /// Printed values beside ours.
    pub tables: Vec<Beside>,
    /// Pictures.
    pub figures: Vec<PaperFigure>,
}

impl PaperItem {
    /// With a verdict and its reason, nothing to show yet.
    pub fn new(number: &'static str, title: &'static str, verdict: PaperVerdict, because: impl Into<String>) -> Self {
        Self { verdict: Some(verdict), ..Self::drawing(number, title, because) }
    }

    /// A drawing that has no numbers.
    pub fn drawing(number: &'static str, title: &'static str, because: impl Into<String>) -> Self {
        Self {
            number,
            title,
            verdict: None,
            because: because.into(),
            errata: false,
            command: "",
            tables: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// The errata say more.
    pub fn with_errata(self) -> Self {
        Self { errata: true, ..self }
    }

    /// The command that gives it.
    pub fn by(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// A table more.
    pub fn table(mut self, title: impl Into<String>, rows: Vec<PaperRow>) -> Self {
        self.tables.push(Beside::new(title, rows));
        self
    }

    /// A figure more.
    pub fn figure(mut self, figure: PaperFigure) -> Self {
        self.figures.push(figure);
        self
    }
}

/// A paper with all that is numbered in it.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Which.
    pub name: Name,
    /// Authors, title, place.
    pub citation: &'static str,
    /// What it is about, and what came of it, in a few sentences.
    pub about: &'static str,
    /// What was assumed because the paper does not say it.
    pub assumed: Vec<&'static str>,
    /// Heading of its section in the errata.
    pub errata: &'static str,
    /// In the order of the paper.
    pub items: Vec<PaperItem>,
}

/// What a run may do.
#[derive(Clone, Copy, Debug)]
pub struct PaperSettings {
    /// Time spent on each measurement of speed; zero: none is measured.
    pub timing: Duration,
}

/// What is being done, and the share that is done, from 0 to 1; false ends it.
pub type Progress<'p> = &'p mut dyn FnMut(&str, f64) -> bool;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// Somebody wanted it so.
    #[error("interrupted at {at}")]
    Interrupted {
        /// The experiment.
        at: String,
    },
    /// An experiment does not work, which is a defect.
    #[error("{at}: {source}")]
    Failed {
        /// The experiment.
        at: &'static str,
        /// Why.
        source: Anything,
    },
}

/// An experiment: its name, and what it makes.
type Step = (&'static str, fn(&PaperSettings) -> Result<Vec<PaperItem>, Anything>);

/// Runs the experiments of a paper.
pub fn run(name: Name, settings: &PaperSettings, progress: Progress) -> Result<Paper, PaperError> {
    let (mut paper, steps): (Paper, &[Step]) = match name {
        Name::Asadi => (asadi::paper(), asadi::STEPS),
        Name::Armstrong => (armstrong::paper(), armstrong::STEPS),
        Name::Bortoff => (bortoff::paper(), bortoff::STEPS),
        Name::Codourey => (codourey::paper(), codourey::STEPS),
        Name::Falezza => (falezza::paper(), falezza::STEPS),
    };
    for (k, (at, step)) in steps.iter().enumerate() {
        if !progress(at, k as f64 / steps.len() as f64) {
            return Err(PaperError::Interrupted { at: format!("{}, {at}", name.as_str()) });
        }
        paper.items.extend(step(settings).map_err(|source| PaperError::Failed { at, source })?);
    }
    Ok(paper)
}

impl Paper {
    /// The figures with the names of their files, without ending: `asadi-figure-4`, `falezza-figure-10-2`.
    pub fn figures(&self) -> impl Iterator<Item = (String, &PaperFigure)> {
        self.items.iter().flat_map(|item| {
            let plain: String =
                item.number.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            let stem = format!("{}-{}", self.name.as_str(), plain.trim_matches('-'));
            item.figures.iter().enumerate().map(move |(k, figure)| {
                let name = if k == 0 { stem.clone() } else { format!("{stem}-{}", k + 1) };
                (name, figure)
            })
        })
    }

    /// Everything but the pictures.
    pub fn to_json(&self) -> Value {
        let row = |row: &PaperRow| {
            let (ours, machine) = match &row.ours {
                Ours::Number(value) => (json!(value), false),
                Ours::Measured(value) => (json!(value), true),
                Ours::Words(words) => (json!(words), false),
                Ours::Nothing => (Value::Null, false),
            };
            json!({
                "what": row.what, "unit": row.unit, "printed": row.printed, "ours": ours,
                "difference": row.difference(), "of_this_machine": machine,
            })
        };
        let mut names = self.figures().map(|(name, _)| format!("{name}.csv"));
        let items: Vec<Value> = self
            .items
            .iter()
            .map(|item| {
                let tables = item.tables.iter().map(
                    |table| json!({ "title": table.title, "rows": table.rows.iter().map(row).collect::<Vec<_>>() }),
                );
                json!({
                    "number": item.number,
                    "title": item.title,
                    "verdict": item.verdict.map(PaperVerdict::as_str),
                    "because": item.because,
                    "errata": item.errata,
                    "command": item.command,
                    "tables": tables.collect::<Vec<_>>(),
                    "figures": names.by_ref().take(item.figures.len()).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "paper": self.name.as_str(), "citation": self.citation, "assumed": self.assumed, "items": items,
        })
    }
}
