//! `ik`, `fk`, `torque`, `accel`, `mass`: one state per row, in and out.

mod blocks;
mod lines;

use crate::arguments::{RowPlan, TablePlan, WayChoice};
use crate::failure::{Failure, say};
use crate::output::{Sink, ending};
use crate::progress::Progress;
#[cfg(feature = "arrays")]
use dalembert::report::arrays;
use dalembert::report::table::{Header, Reader, Row, TableError};
use dalembert::robot::rows::{Evaluator, Output, RowError, Source, TableMismatch};
use dalembert::robot::{Form, Reason, StateError, Violation};
use lines::{Lines, Written};
use std::fs::File;
use std::io::{self, Read};
use std::time::Instant;

pub fn run(plan: RowPlan) -> Result<(), Failure> {
    let RowPlan { robot, table, evaluation, .. } = &plan;
    if table.is_parquet() && evaluation.limits_column {
        return Err(Failure::new("a Parquet file holds numbers, and the column `limits` is text")
            .hint("write CSV, or leave out `--limits`"));
    }
    let counts = each_row(table, |header: &Header| {
        let evaluator = evaluation.bind(robot, header).map_err(|error| mismatch(&error))?;
        Ok(States { evaluator, plan: &plan })
    })?;
    counts.tell(evaluation.limits_column);
    Ok(())
}

/// Rows that are states of a robot.
struct States<'r> {
    evaluator: Evaluator<'r>,
    plan: &'r RowPlan,
}

impl Computation for States<'_> {
    fn columns(&self) -> (&[String], &[Source]) {
        (self.evaluator.columns(), self.evaluator.sources())
    }

    fn many(&self) -> Option<u64> {
        match self.plan.way {
            None => self.evaluator.programs_pay_from(self.plan.cache.as_ref()),
            Some(_) => None,
        }
    }

    fn prepare(&mut self, many: bool) -> Result<(), Failure> {
        let begun = Instant::now();
        let by_programs = match self.plan.way {
            None => many,
            Some(way) => way == WayChoice::Programs,
        };
        let derived = match (by_programs, self.many()) {
            (true, _) => self.evaluator.derive_programs(self.plan.cache.as_ref()),
            (false, Some(many)) => Err(format!("programs are faster from {many} rows on")),
            (false, None) if self.plan.way.is_some() => Err(String::from("so it is asked for")),
            (false, None) => Err(String::from("there is no program for this robot, model or output")),
        };
        match &derived {
            Err(reason) if self.plan.way == Some(WayChoice::Programs) => {
                return Err(Failure::new(format!("--by programs: {reason}"))
                    .hint("programs give torque, acceleration and mass of serial arms of up to eight joints, by the exact model, from q, qd, qdd or tau, without forces and further outputs"));
            }
            _ if !self.plan.verbose => {}
            Ok(told) => say(&format!("{told}; ready in {:.2} s", begun.elapsed().as_secs_f64())),
            Err(reason) => {
                let way = if self.evaluator.takes_columns() { "in columns" } else { "row by row" };
                say(&format!("{way} by the formulas: {reason}"));
            }
        }
        Ok(())
    }

    fn evaluate(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        self.evaluator.evaluate_rows(rows, each);
    }
}

/// A table that does not fit, with what the options of the command can do about it.
pub fn mismatch(error: &TableMismatch) -> Failure {
    let option = match error {
        TableMismatch::Model(_) => "`dalembert check ROBOT` lists the models that apply",
        TableMismatch::OnlyExact { .. } => "leave out `--model`",
        TableMismatch::NoSuchColumns { .. } => "leave out `--details`, `--breakdown`, `--tensions` and `--lambda`",
        TableMismatch::AlreadyTool { .. } => "leave out `--tool`",
        TableMismatch::NoToolSpace { .. } => "leave out `--space`",
        TableMismatch::Missing { .. }
        | TableMismatch::Spelling { .. }
        | TableMismatch::OtherRobot { .. }
        | TableMismatch::NoHome(_) => "",
    };
    let hint: Vec<String> =
        error.hint().into_iter().chain([option.to_owned()]).filter(|text| !text.is_empty()).collect();
    Failure::new(error.to_string()).maybe_hint((!hint.is_empty()).then(|| hint.join("; ")))
}

/// What may help with a row, by the options of the command.
pub fn row_hint(error: &RowError) -> Option<String> {
    let option = match error {
        RowError::Disagreement { form: Form::Tool, .. } => {
            "`--branch in` if the elbows point inward, `--from joints` if the joint columns are right; else remove the columns q1, qd1, …"
        }
        RowError::Disagreement { form: Form::Joints, .. } => {
            "`--assembly above` if the platform is above the elbows; else remove the Cartesian columns"
        }
        RowError::StateError { source: StateError { reason: Reason::Singular(_), .. }, .. }
        | RowError::Undetermined { .. } => "`ik --details` shows how far a pose of a Delta is from being singular",
        RowError::Limits { .. } => "without `--enforce-limits` a limit that is exceeded is only a warning",
        other => return other.hint(),
    };
    Some(option.to_owned())
}

/// The text of a table: CSV from a file or standard input, or a Parquet file or one of arrays (`.mat`, `.npy`, `.npz`) as CSV.
pub fn open_table(name: &str) -> io::Result<Box<dyn Read + Send>> {
    Ok(match name {
        "-" => Box::new(io::stdin()),
        #[cfg(feature = "parquet")]
        name if ending(name) == "parquet" => Box::new(dalembert::report::parquet::ParquetCsv::new(File::open(name)?)?),
        #[cfg(feature = "arrays")]
        name if arrays::is_arrays(&ending(name)) => {
            let table = arrays::read(&ending(name), File::open(name)?).map_err(|error| match error {
                arrays::ArraysError::Read(error) => error,
                error => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
            Box::new(arrays::ArrayCsv::new(table))
        }
        name => Box::new(File::open(name)?),
    })
}

/// What is computed of the rows of a table.
pub trait Computation: Sync {
    /// The names of the output's columns, and where each comes from.
    fn columns(&self) -> (&[String], &[Source]);

    /// From how many rows on it is worth a fraction of a second to make their computation fast; none: never.
    fn many(&self) -> Option<u64> {
        None
    }

    /// Rows are coming, and whether they are so many.
    fn prepare(&mut self, many: bool) -> Result<(), Failure> {
        let _ = many;
        Ok(())
    }

    /// Computes rows, and hands them out in their order.
    fn evaluate(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>));
}

/// Reads the input, computes every row and writes the output, all or nothing, or row by row as they come. `bind` is told the header.
pub fn each_row<C: Computation>(
    plan: &TablePlan,
    bind: impl FnOnce(&Header) -> Result<C, Failure>,
) -> Result<Counts, Failure> {
    let name = if plan.input == "-" { "standard input" } else { plan.input.as_str() };
    let cannot_read = |error: io::Error| {
        Failure::io(&format!("cannot read {name}"), error)
            .hint("`--input` takes the path of a CSV file; without it, standard input is read")
    };
    let input = open_table(&plan.input).map_err(cannot_read)?;
    let of_table = |error: TableError| {
        let hint = error.hint();
        match error {
            TableError::Read(error) => cannot_read(error),
            error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
        }
    };
    let mut reader = Reader::new(input).map_err(of_table)?;
    let mut work = bind(reader.header()).map_err(|failure| failure.at(name))?;
    let (columns, sources) = work.columns();
    let lines = Lines::new(plan, columns, sources)?;
    let mut sink = if plan.stream { Sink::streaming() } else { Sink::new(&plan.output)? };
    let counts = {
        let written = lines.begin(&mut sink)?;
        let mut results =
            Results { name, skip_bad: plan.skip_bad, written, counts: Counts::default(), progress: Progress::rows() };
        let results = if plan.stream {
            work.prepare(false)?;
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
            let mut input = blocks::Input::new(reader);
            let many = work.many().is_some_and(|many| input.look_ahead(many));
            work.prepare(many)?;
            let (ended, results) = blocks::run(input, results, &work, &lines)?;
            ended.map_err(of_table)?;
            results
        };
        let Results { written, counts, progress, .. } = results;
        written.finish()?;
        progress.end();
        counts
    };
    if counts.good + counts.bad == 0 {
        return Err(of_table(TableError::NoRows));
    }
    if counts.good == 0 {
        return Err(Failure::new(format!("{name}: no row is left, {} skipped", counts.bad)));
    }
    sink.finish()?;
    Ok(counts)
}

/// Where what came of rows is put together, in the order of the input.
struct Results<'a> {
    /// Of the input.
    name: &'a str,
    skip_bad: bool,
    written: Written<'a>,
    counts: Counts,
    progress: Progress,
}

impl Results<'_> {
    /// The next rows; the part is empty afterwards.
    fn add(&mut self, part: &mut Part) -> Result<(), Failure> {
        let Self { name, progress, .. } = self;
        for bad in part.bad.drain(..) {
            if self.skip_bad {
                progress.beside(|| say(&format!("skipped: {name}, {bad}")));
                continue;
            }
            let hint = match &bad {
                RowError::Table(TableError::NotFinite { .. }) => {
                    Some(String::from("leave such rows out of the table, or let `--skip-bad` do it"))
                }
                bad => row_hint(bad),
            };
            return Err(Failure::new(format!("{name}, {bad}")).maybe_hint(hint));
        }
        self.written.add(part)?;
        let counts = std::mem::take(&mut part.counts);
        progress.rows_more(counts.good + counts.bad);
        self.counts.add(counts);
        part.text.clear();
        part.numbers.clear();
        Ok(())
    }
}

/// What came of some rows.
#[derive(Default)]
struct Part {
    text: Vec<u8>,
    /// Of a Parquet file, row by row.
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

/// What is told at the end.
#[derive(Default)]
pub struct Counts {
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

    /// Tells what was skipped, and which limits were exceeded.
    pub fn tell(&self, has_column: bool) {
        let Self { good, bad, over, .. } = self;
        if *bad > 0 {
            say(&format!("skipped {bad} of {} rows", good + bad));
        }
        if let Some((line, violation, likely_mistake)) = &self.first {
            let where_else = if has_column { "the column `limits` names them" } else { "`--limits` adds a column" };
            let (rows, exceed) =
                (if *good == 1 { "row" } else { "rows" }, if *over == 1 { "exceeds" } else { "exceed" });
            say(&format!(
                "warning: {over} of {good} {rows} {exceed} a limit of the robot, first line {line}: {violation} ({where_else}){}",
                likely_mistake.map_or(String::new(), |text| format!("\n  help: {text}"))
            ));
        }
    }
}
