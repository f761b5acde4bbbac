//! Tables of states, one row in and one row out: kinematics, torques, accelerations, mass matrices.
//!
//! [`rows`] reads a table as a stream and writes one, in constant memory and on all processors; [`rows_in_memory`] does the same with
//! columns of numbers. Both compute the same bits, whatever the number of threads.

mod blocks;
mod lines;

use crate::report::table::{Columns, Header, Reader, Row, TableError};
use crate::report::text::DIGITS;
use crate::robot::rows::{Evaluation, Evaluator, Output, RowError, Source, TableMismatch, Task};
use crate::robot::{Cache, Violation};
use crate::threads;
use crate::verbs::prelude::*;
use lines::{Lines, Written};
use std::io::{Read, Write};
use std::time::Instant;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Text with a header line.
    #[default]
    Csv,
    /// One object per row.
    JsonLines,
    /// Numbers only.
    Parquet,
}

/// A table in and out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct TableRequest {
    /// What messages call the input.
    pub name: String,
    /// How the output is written.
    pub format: TableFormat,
    /// Columns of the output, in this order; all if there are none.
    pub columns: Vec<String>,
    /// Significant digits of computed numbers in text, 1 to 17; 17 read back to the same bits.
    pub digits: usize,
    /// Leave bad rows out, and report each as a finding `row-skipped`, instead of stopping at the first.
    pub skip_bad: bool,
    /// Write each row as soon as it is read, one after the other.
    pub stream: bool,
}

impl Default for TableRequest {
    fn default() -> Self {
        Self {
            name: String::from("table"),
            format: TableFormat::Csv,
            columns: Vec::new(),
            digits: DIGITS,
            skip_bad: false,
            stream: false,
        }
    }
}

/// How rows are computed; the results are the same to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowsMethod {
    /// By the model's formulas: a row has the same bits in every table.
    #[default]
    Formulas,
    /// By programs that are derived first, or kept in a cache: serial arms.
    Programs,
}

/// What to compute in each row of a table.
#[derive(Clone, Debug)]
pub struct RowsRequest {
    /// With its payload.
    pub robot: Robot,
    /// What to compute, by which model, and which columns to add.
    pub evaluation: Evaluation,
    /// How rows are computed.
    pub by: RowsMethod,
    /// Programs that may be used.
    pub cache: Option<Cache>,
    /// The table.
    pub table: TableRequest,
}

impl RowsRequest {
    /// The exact model, CSV with all columns, no cache.
    pub fn new(robot: Robot, task: Task) -> Self {
        Self {
            robot,
            evaluation: Evaluation::new(task),
            by: RowsMethod::Formulas,
            cache: None,
            table: TableRequest::default(),
        }
    }
}

/// What came of a table.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RowsOutcome {
    /// Rows that were computed.
    pub rows: u64,
    /// Bad rows that were left out.
    pub skipped: u64,
    /// Rows that exceed a limit of the robot.
    pub over_limits: u64,
    /// `rows-skipped` and `limits-exceeded`, where there are such.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Outcome for RowsOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let all = [("rows", self.rows), ("skipped", self.skipped), ("over_limits", self.over_limits)];
        metrics("", all.map(|(name, count)| (name, count as f64, ""))).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Computes every row of a table and writes the result. What is written is complete only where this is no error.
pub fn rows(
    request: &RowsRequest,
    input: Box<dyn Read + Send>,
    output: &mut (dyn Write + Send),
    observer: &mut dyn Observer,
) -> Result<RowsOutcome, VerbError> {
    let table = &request.table;
    if table.format == TableFormat::Parquet && request.evaluation.limits_column {
        return Err(VerbError::new("text-in-parquet", "a Parquet file holds numbers, and the column `limits` is text"));
    }
    each_row(table, input, output, observer, |header| States::bind(request, header))
}

/// Computes every row of columns in memory: the columns that were asked for, as numbers. Rows are numbered from 1 in messages.
pub fn rows_in_memory(
    request: &RowsRequest,
    table: &Columns,
    observer: &mut dyn Observer,
) -> Result<(Columns, RowsOutcome), VerbError> {
    /// Rows of a block.
    const BLOCK: usize = 4096;
    let name = &request.table.name;
    let of_table = |error| of_table(name, error);
    let header = Header::new(table.names.clone()).map_err(of_table)?;
    if request.evaluation.limits_column {
        let message = "columns of numbers cannot hold the text of the column `limits`";
        return Err(VerbError::new("text-in-numbers", message));
    }
    let mut work = States::bind(request, &header)?;
    let count = table.values.iter().map(Vec::len).min().unwrap_or(0);
    work.prepare(observer)?;
    let (columns, sources) = work.columns();
    let asked = TableRequest { format: TableFormat::Parquet, ..request.table.clone() };
    let lines = Lines::new(&asked, columns, sources)?;
    let compute = |block: usize| {
        let mut part = Part::default();
        let mut rows = vec![Row::default(); blocks::TOGETHER];
        let (start, end) = (block * BLOCK, count.min((block + 1) * BLOCK));
        for first in (start..end).step_by(blocks::TOGETHER) {
            let here = &mut rows[..blocks::TOGETHER.min(end - first)];
            for (k, row) in (first..).zip(here.iter_mut()) {
                row.set_numbers(k as u64 + 1, table.values.iter().map(|column| column[k]));
            }
            part.compute(here, &work, &lines);
        }
        part
    };
    let names = lines.names().map(str::to_owned).collect();
    let mut all = Columns { values: vec![Vec::new(); lines.width()], names, notes: Vec::new() };
    let counts = {
        let mut results = Results::new(&request.table, Written::Columns(&mut all.values), observer);
        let blocks = count.div_ceil(BLOCK);
        for first in (0..blocks).step_by(64) {
            let parts = threads::each(64.min(blocks - first), |k| compute(first + k));
            parts.into_iter().try_for_each(|mut part| results.add(&mut part))?;
        }
        results.counts
    };
    Ok((all, counts.outcome(name)?))
}

/// Rows that are states of a robot.
struct States<'r> {
    evaluator: Evaluator<'r>,
    request: &'r RowsRequest,
}

impl<'r> States<'r> {
    fn bind(request: &'r RowsRequest, header: &Header) -> Result<Self, VerbError> {
        let name = &request.table.name;
        let evaluator = request.evaluation.bind(&request.robot, header).map_err(|error| mismatch(name, &error))?;
        Ok(Self { evaluator, request })
    }
}

impl Computation for States<'_> {
    fn columns(&self) -> (&[String], &[Source]) {
        (self.evaluator.columns(), self.evaluator.sources())
    }

    fn prepare(&mut self, observer: &mut dyn Observer) -> Result<(), VerbError> {
        let begun = Instant::now();
        let text = match self.request.by {
            RowsMethod::Formulas if self.evaluator.takes_columns() => String::from("in columns by the formulas"),
            RowsMethod::Formulas => String::from("row by row by the formulas"),
            RowsMethod::Programs => {
                let programs = self.evaluator.derive_programs(self.request.cache.as_ref()).map_err(|reason| {
                    VerbError::new("no-programs", reason).hint("programs give torque, acceleration and mass of serial arms of up to eight joints, by the exact model, from q, qd, qdd or tau, without forces and further outputs")
                })?;
                format!("{programs}; ready in {:.2} s", begun.elapsed().as_secs_f64())
            }
        };
        observer.found(&Finding::new("rows-method", Severity::Note, text));
        Ok(())
    }

    fn evaluate(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        self.evaluator.evaluate_rows(rows, each);
    }
}

/// A table that does not fit the request. The code says what would make it fit.
pub(super) fn mismatch(name: &str, error: &TableMismatch) -> VerbError {
    VerbError { hint: error.hint(), ..VerbError::new(error.code(), format!("{name}: {error}")) }
}

/// A row that cannot be computed.
pub(super) fn bad_row(name: &str, error: &RowError) -> VerbError {
    VerbError { hint: error.hint(), ..VerbError::new(error.code(), format!("{name}, {error}")) }
}

/// A table that cannot be read.
pub(super) fn of_table(name: &str, error: TableError) -> VerbError {
    let hint = error.hint().map(str::to_owned);
    match error {
        TableError::Read(error) => {
            let message = format!("cannot read {name}");
            VerbError { source: Some(Box::new(error)), ..VerbError::new("cannot-read", message) }
        }
        error => VerbError { hint, ..VerbError::new("bad-table", format!("{name}: {error}")) },
    }
}

fn cannot_write(error: std::io::Error) -> VerbError {
    VerbError { source: Some(Box::new(error)), ..VerbError::new("cannot-write", "cannot write the output") }
}

/// What is computed of the rows of a table.
pub(super) trait Computation: Sync {
    /// The names of the output's columns, and where each comes from.
    fn columns(&self) -> (&[String], &[Source]);

    /// Rows are coming. How they are computed is reported as a finding `rows-method`.
    fn prepare(&mut self, _observer: &mut dyn Observer) -> Result<(), VerbError> {
        Ok(())
    }

    /// Computes rows, and hands them out in their order.
    fn evaluate(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>));
}

/// Reads the input, computes every row and writes the output. `bind` is told the header.
pub(super) fn each_row<C: Computation>(
    table: &TableRequest,
    input: Box<dyn Read + Send>,
    output: &mut (dyn Write + Send),
    observer: &mut dyn Observer,
    bind: impl FnOnce(&Header) -> Result<C, VerbError>,
) -> Result<RowsOutcome, VerbError> {
    let of_table = |error| of_table(&table.name, error);
    let mut reader = Reader::new(input).map_err(of_table)?;
    let mut work = bind(reader.header())?;
    let (columns, sources) = work.columns();
    let lines = Lines::new(table, columns, sources)?;
    let mut results = Results::new(table, lines.begin(output, table.stream)?, observer);
    work.prepare(results.observer)?;
    let results = if table.stream {
        let (mut row, mut part) = (Row::default(), Part::default());
        loop {
            match reader.read(&mut row) {
                Ok(false) => break,
                Ok(true) => part.compute(std::slice::from_ref(&row), &work, &lines),
                Err(error) if error.is_about_one_row() => part.refuse(error),
                Err(error) => return Err(of_table(error)),
            }
            results.add(&mut part)?;
        }
        results
    } else {
        let (ended, results) = blocks::run(blocks::Input::new(reader), results, &work, &lines)?;
        ended.map_err(of_table)?;
        results
    };
    let Results { written, counts, .. } = results;
    written.finish()?;
    counts.outcome(&table.name)
}

/// Where what came of rows is put together, in the order of the input.
struct Results<'a> {
    table: &'a TableRequest,
    written: Written<'a>,
    counts: Counts,
    observer: &'a mut dyn Observer,
}

impl<'a> Results<'a> {
    fn new(table: &'a TableRequest, written: Written<'a>, observer: &'a mut dyn Observer) -> Self {
        Self { table, written, counts: Counts::default(), observer }
    }

    /// The next rows; the part is empty afterwards.
    fn add(&mut self, part: &mut Part) -> Result<(), VerbError> {
        let TableRequest { name, skip_bad, stream, .. } = self.table;
        if self.observer.cancelled() {
            return Err(VerbError::cancelled());
        }
        for bad in part.bad.drain(..) {
            if !skip_bad {
                return Err(bad_row(name, &bad));
            }
            self.observer.found(&Finding::new("row-skipped", Severity::Warning, format!("{name}, {bad}")));
        }
        self.written.add(part, *stream)?;
        self.counts.add(std::mem::take(&mut part.counts));
        self.observer.progress(f64::NAN, &format!("{} rows", self.counts.good + self.counts.bad));
        part.text.clear();
        part.numbers.clear();
        Ok(())
    }
}

/// What came of some rows.
#[derive(Default)]
struct Part {
    text: Vec<u8>,
    /// Of a table of numbers, row by row.
    numbers: Vec<f64>,
    counts: Counts,
    bad: Vec<RowError>,
}

impl Part {
    /// Adds rows.
    fn compute(&mut self, rows: &[Row], work: &impl Computation, lines: &Lines) {
        work.evaluate(rows, &mut |row, evaluated| {
            let added = evaluated.and_then(|output| {
                lines.push(self, row, &output)?;
                self.counts.note(row.line, &output);
                Ok(())
            });
            if let Err(error) = added {
                self.refuse(error);
            }
        });
    }

    /// Adds a row that is bad.
    fn refuse(&mut self, error: impl Into<RowError>) {
        self.bad.push(error.into());
        self.counts.bad += 1;
    }
}

/// What is reported at the end.
#[derive(Default)]
struct Counts {
    good: u64,
    bad: u64,
    over: u64,
    first: Option<(u64, Violation, Option<&'static str>)>,
}

impl Counts {
    fn note(&mut self, line: u64, output: &Output) {
        self.good += 1;
        if let Some(&violation) = output.violations.first() {
            self.over += 1;
            self.first.get_or_insert((line, violation, output.likely_mistake));
        }
    }

    /// Those of later rows.
    fn add(&mut self, later: Self) {
        self.good += later.good;
        self.bad += later.bad;
        self.over += later.over;
        self.first = self.first.or(later.first);
    }

    fn outcome(self, name: &str) -> Result<RowsOutcome, VerbError> {
        let Self { good, bad, over, first } = self;
        match (good, bad) {
            (0, 0) => return Err(of_table(name, TableError::NoRows)),
            (0, _) => return Err(VerbError::new("no-row-left", format!("{name}: no row is left, {bad} skipped"))),
            _ => {}
        }
        let mut findings = Vec::new();
        if bad > 0 {
            let text = format!("skipped {bad} of {} rows", good + bad);
            findings.push(Finding::new("rows-skipped", Severity::Note, text).with("rows", bad as f64));
        }
        if let Some((line, violation, mistake)) = first {
            let rows = if good == 1 { "row" } else { "rows" };
            let exceed = if over == 1 { "exceeds" } else { "exceed" };
            let text = format!("{over} of {good} {rows} {exceed} a limit of the robot, first line {line}: {violation}");
            let found = Finding::new("limits-exceeded", Severity::Warning, text).with("rows", over as f64);
            let found = found.with("line", line as f64).with("column", violation.column());
            let found = found.with("value", violation.value).with("limit", violation.limit);
            findings.push(mistake.into_iter().fold(found, |found, mistake| found.with("likely_mistake", mistake)));
        }
        Ok(RowsOutcome { rows: good, skipped: bad, over_limits: over, findings })
    }
}
