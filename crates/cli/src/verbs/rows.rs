//! `ik`, `fk`, `torque`, `accel`, `mass`: one state per row, in and out.

use crate::arguments::{RowPlan, TablePlan};
use crate::failure::{Failure, say};
use crate::output::Sink;
use crate::progress::Progress;
use dalembert::report::table::{Header, Reader, Row, TableError};
use dalembert::report::text::number;
use dalembert::robot::rows::{Cell, Output, RowError, TableMismatch};
use dalembert::robot::{Form, Reason, Refused, Violation};
use std::fs::File;
use std::io::{self, Read, Write};

pub fn run(plan: RowPlan) -> Result<(), Failure> {
    let RowPlan { robot, table, evaluation } = &plan;
    let counts = each_row(table, |header: &Header| {
        let bound = evaluation.bind(robot, header);
        let bound = bound.map_err(|error| mismatch(&error))?;
        Ok((bound.columns().to_vec(), Box::new(move |row| bound.evaluate(row))))
    })?;
    counts.tell(evaluation.limits_column);
    Ok(())
}

/// A table that does not fit, with what the options of the command can do about it.
pub fn mismatch(error: &TableMismatch) -> Failure {
    let option = match error {
        TableMismatch::Model(_) => "`dalembert check ROBOT` lists the models that apply",
        TableMismatch::OnlyExact { .. } => "leave out `--model`",
        TableMismatch::NoSuchColumns { .. } => "leave out `--details`, `--breakdown` and `--tensions`",
        TableMismatch::AlreadyTool { .. } => "leave out `--tool`",
        TableMismatch::NoToolSpace { .. } => "leave out `--space`",
        TableMismatch::Missing { .. } | TableMismatch::NoHome(_) => "",
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
        RowError::Refused { source: Refused { reason: Reason::Singular(_), .. }, .. }
        | RowError::Undetermined { .. } => "`ik --details` shows how far a pose of a Delta is from being singular",
        RowError::Limits { .. } => "without `--enforce-limits` a limit that is exceeded is only a warning",
        other => return other.hint(),
    };
    Some(option.to_owned())
}

/// Computes a row.
pub type RowFunction<'r> = Box<dyn for<'t> Fn(&'t Row) -> Result<Output<'t>, RowError> + 'r>;

/// Reads the input, computes every row and writes the output, all or nothing. `bind` is told the header; it says which columns
/// come out, and computes a row.
pub fn each_row<'r>(
    plan: &TablePlan,
    bind: impl FnOnce(&Header) -> Result<(Vec<String>, RowFunction<'r>), Failure>,
) -> Result<Counts, Failure> {
    let name = if plan.input == "-" { "standard input" } else { plan.input.as_str() };
    let cannot_read = |error: io::Error| {
        Failure::io(&format!("cannot read {name}"), error)
            .hint("`--input` takes the path of a CSV file; without it, standard input is read")
    };
    let input: Box<dyn Read> = if plan.input == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(&plan.input).map_err(cannot_read)?)
    };
    let of_table = |error: TableError| {
        let hint = error.hint();
        match error {
            TableError::Read(error) => cannot_read(error),
            error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
        }
    };
    let mut reader = Reader::new(input).map_err(of_table)?;
    let (columns, evaluate) = bind(reader.header()).map_err(|failure| failure.at(name))?;

    let mut sink = Sink::new(&plan.output)?;
    let mut writer = Writer::new(&mut sink, &columns, plan.json)?;
    let mut counts = Counts::default();
    let progress = Progress::rows();
    while let Some(row) = reader.next_row().transpose() {
        progress.row();
        let bad = match row {
            Ok(row) => match evaluate(&row) {
                Ok(output) => {
                    writer.write(&output)?;
                    counts.note(row.line, &output.violations);
                    continue;
                }
                Err(error) => error,
            },
            Err(error) if error.is_about_one_row() => RowError::Table(error),
            Err(error) => return Err(of_table(error)),
        };
        if !plan.skip_bad {
            let hint = match bad {
                RowError::Table(TableError::NotFinite { .. }) => {
                    Some(String::from("leave such rows out of the table, or let `--skip-bad` do it"))
                }
                ref bad => row_hint(bad),
            };
            return Err(Failure::new(format!("{name}, {bad}")).maybe_hint(hint));
        }
        counts.bad += 1;
        progress.beside(|| say(&format!("skipped: {name}, {bad}")));
    }
    writer.finish()?;
    progress.end();
    if counts.good + counts.bad == 0 {
        return Err(of_table(TableError::NoRows));
    }
    if counts.good == 0 {
        return Err(Failure::new(format!("{name}: no row is left, {} skipped", counts.bad)));
    }
    sink.finish()?;
    Ok(counts)
}

/// What is told at the end.
#[derive(Default)]
pub struct Counts {
    good: u64,
    bad: u64,
    over: u64,
    first: Option<(u64, Violation)>,
}

impl Counts {
    fn note(&mut self, line: u64, violations: &[Violation]) {
        self.good += 1;
        if let Some(&violation) = violations.first() {
            self.over += 1;
            self.first.get_or_insert((line, violation));
        }
    }

    /// Tells what was skipped, and which limits were exceeded.
    pub fn tell(&self, has_column: bool) {
        let Self { good, bad, over, .. } = self;
        if *bad > 0 {
            say(&format!("skipped {bad} of {} rows", good + bad));
        }
        if let Some((line, violation)) = &self.first {
            let where_else = if has_column { "the column `limits` names them" } else { "`--limits` adds a column" };
            let (rows, exceed) =
                (if *good == 1 { "row" } else { "rows" }, if *over == 1 { "exceeds" } else { "exceed" });
            say(&format!(
                "warning: {over} of {good} {rows} {exceed} a limit of the robot, first line {line}: {violation} ({where_else})"
            ));
        }
    }
}

/// CSV, or one JSON object per row.
enum Writer<'s> {
    Csv(Box<csv::Writer<&'s mut Sink>>),
    Json(&'s mut Sink, Vec<String>),
}

fn cannot_write(error: impl Into<io::Error>) -> Failure {
    Failure::io("cannot write the output", error.into())
}

impl<'s> Writer<'s> {
    fn new(sink: &'s mut Sink, columns: &[String], json: bool) -> Result<Self, Failure> {
        if json {
            let keys = columns.iter().map(|name| serde_json::Value::from(name.trim()).to_string()).collect();
            return Ok(Self::Json(sink, keys));
        }
        let mut writer = csv::Writer::from_writer(sink);
        writer.write_record(columns).map_err(cannot_write)?;
        Ok(Self::Csv(Box::new(writer)))
    }

    fn write(&mut self, output: &Output<'_>) -> Result<(), Failure> {
        match self {
            Self::Csv(writer) => {
                for cell in &output.cells {
                    match cell {
                        Cell::Text(text) => writer.write_field(text.as_bytes()),
                        Cell::Number(value) => writer.write_field(number(*value)),
                    }
                    .map_err(cannot_write)?;
                }
                writer.write_record(None::<&[u8]>).map_err(cannot_write)
            }
            Self::Json(sink, keys) => {
                let fields: Vec<String> =
                    keys.iter().zip(&output.cells).map(|(key, cell)| format!("{key}:{}", json(cell))).collect();
                writeln!(sink, "{{{}}}", fields.join(",")).map_err(cannot_write)
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Csv(mut writer) => writer.flush().map_err(cannot_write),
            Self::Json(..) => Ok(()),
        }
    }
}

/// A number stays a number, with the digits it came with where JSON can write it so; everything else is a string.
fn json(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Number(value) => number(*value),
        Cell::Text(text) => {
            let text = text.trim();
            let sign_or_point = text.starts_with(['+', '-', '.']) || text.ends_with('.');
            match (serde_json::from_str::<serde_json::Value>(text), text.parse::<f64>()) {
                (Ok(serde_json::Value::Number(_)), _) => text.to_owned(),
                (_, Ok(value)) if value.is_finite() && sign_or_point => number(value),
                _ => serde_json::Value::from(text).to_string(),
            }
        }
    }
}
