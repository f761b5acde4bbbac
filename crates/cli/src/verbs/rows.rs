//! `ik`, `fk`, `torque`, `accel`, `mass`: one state per row, in and out.

use crate::arguments::{RowPlan, TablePlan};
use crate::failure::{Failure, say};
use crate::output::{Sink, ending};
use crate::progress::Progress;
#[cfg(feature = "arrays")]
use dalembert::report::arrays;
#[cfg(feature = "parquet")]
use dalembert::report::parquet::ParquetTable;
use dalembert::report::table::{Header, Reader, Row, TableError, header_line, push_field};
use dalembert::report::text::{DIGITS, push_number};
use dalembert::robot::rows::{Cell, Output, RowError, TableMismatch};
use dalembert::robot::{Form, Reason, Refused, Violation};
use dalembert::suggest::closest;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read};

pub fn run(plan: RowPlan) -> Result<(), Failure> {
    let RowPlan { robot, table, evaluation } = &plan;
    if table.is_parquet() && evaluation.limits_column {
        return Err(Failure::new("a Parquet file holds numbers, and the column `limits` is text")
            .hint("write CSV, or leave out `--limits`"));
    }
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
        RowError::Refused { source: Refused { reason: Reason::Singular(_), .. }, .. }
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
        name if ending(name) == "parquet" => Box::new(dalembert::report::parquet::AsCsv::new(File::open(name)?)?),
        #[cfg(feature = "arrays")]
        name if arrays::is_arrays(&ending(name)) => {
            let table = arrays::read(&ending(name), File::open(name)?).map_err(|error| match error {
                arrays::ArraysError::Read(error) => error,
                error => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
            Box::new(arrays::AsCsv::new(table))
        }
        name => Box::new(File::open(name)?),
    })
}

/// Computes a row.
pub type RowFunction<'r> = Box<dyn for<'t> Fn(&'t Row) -> Result<Output<'t>, RowError> + Sync + 'r>;

/// Reads the input, computes every row and writes the output, all or nothing, or row by row as they come. `bind` is told the header; it says which columns
/// come out, and computes a row. Rows are computed in parallel, a block at a time, while the next one is read.
pub fn each_row<'r>(
    plan: &TablePlan,
    bind: impl FnOnce(&Header) -> Result<(Vec<String>, RowFunction<'r>), Failure>,
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
    let (columns, evaluate) = bind(reader.header()).map_err(|failure| failure.at(name))?;
    let lines = Lines::new(plan, &columns)?;

    let mut sink = if plan.stream { Sink::streaming() } else { Sink::new(&plan.output)? };
    let most = if plan.stream { 1 } else { Block::ROWS };
    let mut written = lines.begin(&mut sink)?;
    let mut counts = Counts::default();
    let progress = Progress::rows();
    let [mut block, mut next] = [Block::default(), Block::default()];
    block.fill(&mut reader, most);
    loop {
        let parts = if block.ended.is_some() || plan.stream {
            block.compute(&evaluate, &lines)
        } else {
            rayon::join(|| block.compute(&evaluate, &lines), || next.fill(&mut reader, most)).0
        };
        for part in parts {
            if !plan.skip_bad
                && let Some(bad) = part.bad.first()
            {
                let hint = match bad {
                    RowError::Table(TableError::NotFinite { .. }) => {
                        Some(String::from("leave such rows out of the table, or let `--skip-bad` do it"))
                    }
                    bad => row_hint(bad),
                };
                return Err(Failure::new(format!("{name}, {bad}")).maybe_hint(hint));
            }
            part.bad.iter().for_each(|bad| progress.beside(|| say(&format!("skipped: {name}, {bad}"))));
            written.add(&part)?;
            counts.add(part.counts);
        }
        progress.rows_more(block.count);
        match block.ended.take() {
            // Not before what there is has been written: more may come late.
            None if plan.stream => block.fill(&mut reader, most),
            None => std::mem::swap(&mut block, &mut next),
            Some(Ok(())) => break,
            Some(Err(error)) => return Err(of_table(error)),
        }
    }
    written.finish()?;
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

/// Rows that are computed together.
#[derive(Default)]
struct Block {
    /// What was read, and what is wrong with it; the first `count` of them, the others are of blocks before.
    rows: Vec<(Row, Option<TableError>)>,
    count: usize,
    /// How the input ended, if it did.
    ended: Option<Result<(), TableError>>,
}

impl Block {
    /// As many rows as are worth a parallel computation, of a size that any memory has.
    const ROWS: usize = 4096;
    const BYTES: usize = 1 << 22;

    /// The next rows of the input, up to `most`.
    fn fill(&mut self, reader: &mut Reader<Box<dyn Read + Send>>, most: usize) {
        let mut bytes = 0;
        self.count = 0;
        while self.count < most && bytes < Self::BYTES {
            if self.rows.len() == self.count {
                self.rows.push(Default::default());
            }
            let (row, bad) = &mut self.rows[self.count];
            *bad = match reader.read(row) {
                Ok(true) => None,
                Err(error) if error.is_about_one_row() => Some(error),
                end => {
                    self.ended = Some(end.map(drop));
                    return;
                }
            };
            bytes += row.size();
            self.count += 1;
        }
    }

    fn compute(&mut self, evaluate: &RowFunction<'_>, lines: &Lines) -> Vec<Part> {
        /// Rows of one thread at a time.
        const PART: usize = 64;
        let part = |rows: &mut [(Row, Option<TableError>)]| Part::new(rows, evaluate, lines);
        match &mut self.rows[..self.count] {
            few if few.len() <= PART => vec![part(few)],
            many => many.par_chunks_mut(PART).map(part).collect(),
        }
    }
}

/// What came of some rows.
struct Part {
    text: String,
    /// Of a Parquet file, row by row.
    numbers: Vec<f64>,
    counts: Counts,
    bad: Vec<RowError>,
}

impl Part {
    fn new(rows: &mut [(Row, Option<TableError>)], evaluate: &RowFunction<'_>, lines: &Lines) -> Self {
        let counts = Counts::default();
        /// A number with all its digits, and a comma.
        const LONGEST: usize = 25;
        let text = String::with_capacity((rows.len() * lines.cells.len() * LONGEST).min(1 << 20));
        let mut part = Self { text, numbers: Vec::new(), counts, bad: Vec::new() };
        for (row, wrong) in rows {
            let evaluated = wrong.take().map_or_else(|| evaluate(row), |wrong| Err(RowError::Table(wrong)));
            let added = evaluated.and_then(|output| {
                lines.push(&mut part, row, &output.cells)?;
                part.counts.note(row.line, &output);
                Ok(())
            });
            if let Err(error) = added {
                part.bad.push(error);
                part.counts.bad += 1;
            }
        }
        part
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
    fn note(&mut self, line: u64, output: &Output<'_>) {
        self.good += 1;
        if let Some(&violation) = output.violations.first() {
            self.over += 1;
            self.first.get_or_insert((line, violation, output.suspicion));
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
        if let Some((line, violation, suspicion)) = &self.first {
            let where_else = if has_column { "the column `limits` names them" } else { "`--limits` adds a column" };
            let (rows, exceed) =
                (if *good == 1 { "row" } else { "rows" }, if *over == 1 { "exceeds" } else { "exceed" });
            say(&format!(
                "warning: {over} of {good} {rows} {exceed} a limit of the robot, first line {line}: {violation} ({where_else}){}",
                suspicion.map_or(String::new(), |text| format!("\n  help: {text}"))
            ));
        }
    }
}

/// How the output is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    /// One object per row.
    Json,
    /// Numbers only.
    Parquet,
}

/// The lines of the output.
struct Lines {
    format: Format,
    /// Which cells of a row, in order, with their names; for JSON as they are written there.
    cells: Vec<(usize, String)>,
    digits: usize,
}

impl Lines {
    /// The columns that are asked for, or all.
    fn new(plan: &TablePlan, columns: &[String]) -> Result<Self, Failure> {
        let format = match (plan.is_parquet(), plan.json) {
            (true, _) => Format::Parquet,
            (false, true) => Format::Json,
            (false, false) => Format::Csv,
        };
        let mut chosen: Vec<usize> = Vec::new();
        for name in plan.columns.iter().map(|name| name.trim()) {
            let names = columns.iter().map(|column| column.trim());
            match names.clone().position(|column| column == name) {
                Some(field) if chosen.contains(&field) => {
                    return Err(Failure::new(format!("--columns names `{name}` twice")));
                }
                Some(field) => chosen.push(field),
                None => {
                    let hint = match closest(name, names.clone()) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("the columns are {}", names.take(40).collect::<Vec<_>>().join(",")),
                    };
                    return Err(Failure::new(format!("--columns: the output has no column `{name}`")).hint(hint));
                }
            }
        }
        if plan.columns.is_empty() {
            chosen = (0..columns.len()).collect();
        }
        let name = |field: usize| match format {
            Format::Csv => columns[field].clone(),
            Format::Json => serde_json::Value::from(columns[field].trim()).to_string(),
            Format::Parquet => columns[field].trim().to_owned(),
        };
        let cells = chosen.into_iter().map(|field| (field, name(field))).collect();
        Ok(Self { format, cells, digits: plan.digits.unwrap_or(DIGITS) })
    }

    /// Writes what stands before the first row.
    fn begin<'s>(&self, sink: &'s mut Sink) -> Result<Written<'s>, Failure> {
        let names = self.cells.iter().map(|(_, name)| name.as_str());
        match self.format {
            Format::Csv => sink.text(&header_line(names))?,
            Format::Json => {}
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let table = ParquetTable::new(names, sink).map_err(cannot_write)?;
                return Ok(Written::Parquet(Box::new(table), self.cells.len()));
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(Failure::new("this build has no Parquet").hint("write CSV")),
        }
        Ok(Written::Text(sink))
    }

    /// Adds a row.
    fn push(&self, part: &mut Part, row: &Row, cells: &[Cell<'_>]) -> Result<(), RowError> {
        let text = &mut part.text;
        let start = text.len();
        if self.format == Format::Parquet {
            let numbers: Vec<f64> = self
                .cells
                .iter()
                .map(|(field, name)| match cells[*field] {
                    Cell::Number(value) => Ok(value),
                    // What passes through has the place that it has in the input.
                    Cell::Text(_) => row.number(*field, name),
                })
                .collect::<Result<_, _>>()?;
            part.numbers.extend(numbers);
            return Ok(());
        }
        let json = self.format == Format::Json;
        for (k, (field, name)) in self.cells.iter().enumerate() {
            if json {
                text.push(if k > 0 { ',' } else { '{' });
                text.push_str(name);
                text.push(':');
            } else if k > 0 {
                text.push(',');
            }
            match &cells[*field] {
                Cell::Number(value) => push_number(text, *value, self.digits),
                Cell::Text(field) if json => push_json(text, field.trim()),
                Cell::Text(field) => push_field(text, field),
            }
        }
        // A blank line would be no row: a single field that is empty is written in quotes.
        let is_blank = text.len() == start;
        text.push_str(if json { "}" } else { ["", "\"\""][usize::from(is_blank)] });
        text.push('\n');
        Ok(())
    }
}

/// A number stays a number, with the digits it came with where JSON can write it so; everything else is a string.
fn push_json(text: &mut String, field: &str) {
    let sign_or_point = field.starts_with(['+', '-', '.']) || field.ends_with('.');
    match (serde_json::from_str::<serde_json::Value>(field), field.parse::<f64>()) {
        (Ok(serde_json::Value::Number(_)), _) => text.push_str(field),
        (_, Ok(value)) if value.is_finite() && sign_or_point => push_number(text, value, DIGITS),
        _ => text.push_str(&serde_json::Value::from(field).to_string()),
    }
}

/// The output as it is being written.
enum Written<'s> {
    Text(&'s mut Sink),
    /// With the number of its columns.
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetTable<'s>>, usize),
}

#[cfg(feature = "parquet")]
fn cannot_write(error: io::Error) -> Failure {
    Failure::io("cannot write the output", error)
}

impl Written<'_> {
    fn add(&mut self, part: &Part) -> Result<(), Failure> {
        match self {
            Self::Text(sink) => sink.text(&part.text),
            #[cfg(feature = "parquet")]
            Self::Parquet(table, width) => {
                part.numbers.chunks(*width).try_for_each(|row| table.push(row)).map_err(cannot_write)
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Text(_) => Ok(()),
            #[cfg(feature = "parquet")]
            Self::Parquet(table, _) => table.finish().map_err(cannot_write),
        }
    }
}
