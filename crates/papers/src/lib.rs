//! The five papers again: every numbered table and figure, the printed values beside ours, and a verdict.
//!
//! A page is data: [`paper`] makes a [`Paper`], which becomes HTML, JSON and CSV. The experiments are ordinary calls of the
//! library, one module for each paper.
//!
//! ```
//! use dalembert_papers::{PAPERS, PaperVerdict};
//!
//! assert!(PAPERS.iter().any(|paper| paper.name == "codourey"));
//! assert_eq!(PaperVerdict::Corrected.as_str(), "reproduced after correction");
//! ```

mod armstrong;
pub mod asadi;
pub mod bortoff;
pub mod codourey;
pub mod falezza;
mod html;
pub mod plot;

use dalembert::report::chart::{Chart, HeatMap};
use dalembert::verbs::{Metric, Observer, Outcome, VerbError};
use serde::{Serialize, Serializer};
use std::error::Error;
use std::time::Duration;

/// What can go wrong inside of an experiment.
pub type Anything = Box<dyn Error + Send + Sync>;

/// The papers, still without their items.
pub const PAPERS: [Paper; 5] = [asadi::PAPER, armstrong::PAPER, bortoff::PAPER, codourey::PAPER, falezza::PAPER];

/// What came out of a table, a figure or a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PaperVerdict {
    /// As printed.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// After a misprint was corrected, or with a condition that the paper does not state.
    #[serde(rename = "reproduced after correction")]
    Corrected,
    /// What is printed cannot be.
    #[serde(rename = "not reproducible as printed")]
    NotAsPrinted,
    /// The paper says too little: parameters, measurements or definitions are missing. What is shown is the same experiment
    /// with what was assumed.
    #[serde(rename = "not published enough")]
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

/// Our value of what is printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
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

impl From<f64> for Ours {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

/// Nothing where nothing was measured.
impl From<Option<f64>> for Ours {
    fn from(measured: Option<f64>) -> Self {
        measured.map_or(Self::Nothing, Self::Measured)
    }
}

impl From<&str> for Ours {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

/// What should vanish: its size is rounding, and another on every machine.
fn vanishing(value: f64, limit: f64) -> Ours {
    Ours::Words(if value < limit { format!("below {limit:e}") } else { format!("{value:.1e}") })
}

/// A printed value and ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperRow {
    /// What it is.
    pub what: String,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// As printed, letter by letter; none where the paper prints none.
    pub printed: Option<String>,
    /// Ours.
    pub ours: Ours,
    /// Ours less what is printed, where both are numbers.
    pub difference: Option<f64>,
    /// Ours was measured on this machine.
    pub of_this_machine: bool,
}

impl PaperRow {
    /// What it is, its unit, what the paper prints (empty: nothing), and ours.
    pub fn new(what: impl Into<String>, unit: &'static str, printed: impl Into<String>, ours: impl Into<Ours>) -> Self {
        let (printed, ours) = (printed.into(), ours.into());
        let difference = match (&ours, printed.replace('−', "-").parse::<f64>()) {
            // What is only rounding is no difference.
            (Ours::Number(value), Ok(printed)) if (value - printed).abs() <= 1e-12 * printed.abs() => Some(0.0),
            (Ours::Number(value) | Ours::Measured(value), Ok(printed)) => Some(value - printed),
            _ => None,
        };
        let of_this_machine = matches!(ours, Ours::Measured(_));
        let printed = Some(printed).filter(|printed| !printed.is_empty());
        Self { what: what.into(), unit, printed, ours, difference, of_this_machine }
    }
}

/// Printed values and ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonTable {
    /// Above it.
    pub title: String,
    /// One after the other.
    pub rows: Vec<PaperRow>,
}

/// A figure.
#[derive(Clone, Debug)]
pub enum PaperFigure {
    /// Lines in panels.
    Lines(Chart),
    /// Heat maps in one picture, three in a row.
    Heat(Vec<HeatMap>),
}

impl PaperFigure {
    /// As a picture; empty where there is nothing to draw.
    pub fn to_svg(&self) -> String {
        match self {
            Self::Lines(chart) => chart.draw().to_svg(),
            Self::Heat(maps) => HeatMap::draw_all(maps).map_or(String::new(), |picture| picture.to_svg()),
        }
    }

    /// Its numbers.
    pub fn to_csv(&self) -> String {
        match self {
            Self::Lines(chart) => chart.to_csv(),
            Self::Heat(maps) => HeatMap::to_csv(maps),
        }
    }
}

/// A numbered table or figure, or a claim, of a paper.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PaperItem {
    /// `Table 3`, `Figure 7`, `§5.2`.
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
    /// Printed values and ours.
    pub tables: Vec<ComparisonTable>,
    /// Pictures, each with the name of its numbers' file: `falezza-figure-10-2.csv`. [`paper`] names them.
    #[serde(serialize_with = "names")]
    pub figures: Vec<(String, PaperFigure)>,
}

fn names<S: Serializer>(figures: &[(String, PaperFigure)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(figures.iter().map(|(name, _)| name))
}

impl PaperItem {
    /// Without a verdict, nothing to show yet.
    pub fn new(number: &'static str, title: &'static str) -> Self {
        Self { number, title, ..Self::default() }
    }

    /// A drawing that has no numbers.
    pub fn drawing(number: &'static str, title: &'static str, because: &str) -> Self {
        Self { because: because.into(), ..Self::new(number, title) }
    }

    /// What came out of it, and why.
    pub fn verdict(self, verdict: PaperVerdict, because: &str) -> Self {
        Self { verdict: Some(verdict), because: because.into(), ..self }
    }

    /// The errata say more.
    pub fn with_errata(self) -> Self {
        Self { errata: true, ..self }
    }

    /// The command that gives it.
    pub fn by(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// A table more, without rows yet.
    pub fn table(mut self, title: impl Into<String>) -> Self {
        self.tables.push(ComparisonTable { title: title.into(), rows: Vec::new() });
        self
    }

    /// A row more of the last table, as [`PaperRow::new`] has it.
    pub fn row(
        self,
        what: impl Into<String>,
        unit: &'static str,
        printed: impl Into<String>,
        ours: impl Into<Ours>,
    ) -> Self {
        self.rows([PaperRow::new(what, unit, printed, ours)])
    }

    /// Rows more of the last table.
    pub fn rows(mut self, rows: impl IntoIterator<Item = PaperRow>) -> Self {
        if let Some(table) = self.tables.last_mut() {
            table.rows.extend(rows);
        }
        self
    }

    /// A figure more.
    pub fn figure(mut self, figure: PaperFigure) -> Self {
        self.figures.push((String::new(), figure));
        self
    }
}

/// A paper with all that is numbered in it.
#[derive(Clone, Debug, Serialize)]
pub struct Paper {
    /// As it is typed: the first author.
    #[serde(rename = "paper")]
    pub name: &'static str,
    /// Authors, title, place.
    pub citation: &'static str,
    /// What it is about, and what came of it, in a few sentences.
    #[serde(skip)]
    pub about: &'static str,
    /// What was assumed because the paper does not say it.
    pub assumed: &'static [&'static str],
    /// Heading of its section in the errata.
    #[serde(skip)]
    pub errata: &'static str,
    /// In the order of the paper.
    pub items: Vec<PaperItem>,
    /// The experiments that make them.
    #[serde(skip)]
    steps: &'static [Step],
}

/// Which paper, and what its experiments may do.
#[derive(Clone, Debug)]
pub struct PaperRequest {
    /// One of [`PAPERS`].
    pub paper: Paper,
    /// Time spent on each measurement of speed; zero: none is measured.
    pub timing: Duration,
}

/// An experiment: its name, and what it makes.
type Step = (&'static str, fn(&PaperRequest) -> Result<Vec<PaperItem>, Anything>);

/// Runs the experiments of a paper.
pub fn paper(request: &PaperRequest, observer: &mut dyn Observer) -> Result<Paper, VerbError> {
    let mut paper = request.paper.clone();
    let (name, steps) = (paper.name, paper.steps);
    for (k, (at, step)) in steps.iter().enumerate() {
        observer.progress(k as f64 / steps.len() as f64, &format!("{name}: {at}"));
        if observer.cancelled() {
            return Err(VerbError { message: format!("interrupted at {name}, {at}"), ..VerbError::cancelled() });
        }
        let items = step(request).map_err(|error| VerbError::new("experiment-failed", format!("{at}: {error}")))?;
        paper.items.extend(items);
    }
    for item in &mut paper.items {
        let plain: String =
            item.number.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let stem = format!("{name}-{}", plain.trim_matches('-'));
        for (k, (name, _)) in item.figures.iter_mut().enumerate() {
            *name = if k == 0 { format!("{stem}.csv") } else { format!("{stem}-{}.csv", k + 1) };
        }
    }
    Ok(paper)
}

impl Outcome for Paper {
    /// How many tables, figures and claims have each verdict.
    fn metrics(&self) -> Vec<Metric> {
        let count = |verdict| self.items.iter().filter(|item| item.verdict == Some(verdict)).count() as f64;
        [
            ("items.reproduced", PaperVerdict::Reproduced),
            ("items.corrected", PaperVerdict::Corrected),
            ("items.not_as_printed", PaperVerdict::NotAsPrinted),
            ("items.not_published", PaperVerdict::NotPublished),
        ]
        .map(|(name, verdict)| Metric::new(name, count(verdict), ""))
        .into()
    }
}
