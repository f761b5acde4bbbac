//! The lines of the output, as CSV, JSON lines or numbers.

use super::{Part, TableFormat, TableRequest, cannot_write};
#[cfg(feature = "parquet")]
use crate::report::parquet::ParquetTable;
use crate::report::table::{Row, header_line};
use crate::report::text::{DIGITS, push_number, push_number_bytes};
use crate::robot::rows::{Output, RowError, Source};
use crate::suggest::closest;
use crate::verbs::prelude::*;
use std::io::Write;
use std::ops::Range;

/// The lines of the output.
pub struct Lines {
    format: TableFormat,
    /// Where the cells of a row come from, in order, with their names; for JSON as they are written there.
    cells: Vec<(Source, String)>,
    /// The same where cells that follow each other in the input are one piece.
    pieces: Vec<Piece>,
    digits: usize,
}

/// Cells of a line of CSV.
enum Piece {
    Fields(Range<usize>),
    Computed(usize),
    Limits,
}

impl Piece {
    /// Cells that are passed on are one piece as long as they follow each other.
    fn all(sources: impl Iterator<Item = Source>) -> Vec<Self> {
        let mut pieces: Vec<Self> = Vec::new();
        for source in sources {
            match (source, pieces.last_mut()) {
                (Source::Field(field), Some(Self::Fields(fields))) if fields.end == field => fields.end += 1,
                (Source::Field(field), _) => pieces.push(Self::Fields(field..field + 1)),
                (Source::Computed(value), _) => pieces.push(Self::Computed(value)),
                (Source::Limits, _) => pieces.push(Self::Limits),
            }
        }
        pieces
    }
}

impl Lines {
    /// The columns that are asked for, or all.
    pub fn new(table: &TableRequest, columns: &[String], sources: &[Source]) -> Result<Self, VerbError> {
        let format = table.format;
        let mut chosen: Vec<usize> = Vec::new();
        for name in table.columns.iter().map(|name| name.trim()) {
            let names = columns.iter().map(|column| column.trim());
            match names.clone().position(|column| column == name) {
                Some(field) if chosen.contains(&field) => {
                    return Err(VerbError::new("bad-columns", format!("the columns name `{name}` twice")));
                }
                Some(field) => chosen.push(field),
                None => {
                    let hint = match closest(name, names.clone()) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("the columns are {}", names.take(40).collect::<Vec<_>>().join(",")),
                    };
                    let message = format!("the output has no column `{name}`");
                    return Err(VerbError::new("bad-columns", message).hint(hint));
                }
            }
        }
        if table.columns.is_empty() {
            chosen = (0..columns.len()).collect();
        }
        let name = |field: usize| match format {
            TableFormat::Csv => columns[field].clone(),
            TableFormat::JsonLines => serde_json::Value::from(columns[field].trim()).to_string(),
            TableFormat::Parquet => columns[field].trim().to_owned(),
        };
        let cells: Vec<_> = chosen.into_iter().map(|field| (sources[field], name(field))).collect();
        let pieces = Piece::all(cells.iter().map(|(source, _)| *source));
        Ok(Self { format, cells, pieces, digits: table.digits })
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// Their names, as they are written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|(_, name)| name.as_str())
    }

    /// Writes what is before the first row; `at_once`: it is not kept in a buffer.
    pub fn begin<'s>(&self, output: &'s mut (dyn Write + Send), at_once: bool) -> Result<Written<'s>, VerbError> {
        match self.format {
            TableFormat::Csv => {
                let written = output.write_all(header_line(self.names()).as_bytes());
                written.and_then(|()| if at_once { output.flush() } else { Ok(()) }).map_err(cannot_write)?;
            }
            TableFormat::JsonLines => {}
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let table = ParquetTable::new(self.names(), output).map_err(cannot_write)?;
                return Ok(Written::Parquet(Box::new(table), self.width()));
            }
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => {
                return Err(VerbError::new("no-parquet", "this build has no Parquet").hint("write CSV"));
            }
        }
        Ok(Written::Text(output))
    }

    /// Adds a row.
    pub fn push(&self, part: &mut Part, row: &Row, output: &Output) -> Result<(), RowError> {
        match self.format {
            TableFormat::Csv => self.push_csv(&mut part.text, row, output),
            TableFormat::JsonLines => part.text.extend_from_slice(self.json(row, output).as_bytes()),
            TableFormat::Parquet => {
                let start = part.numbers.len();
                for (source, name) in &self.cells {
                    match *source {
                        Source::Computed(value) => part.numbers.push(output.values[value]),
                        // Text is refused; numbers that pass through are numbers.
                        Source::Field(field) => match row.number(field, name) {
                            Ok(number) => part.numbers.push(number),
                            Err(error) => {
                                part.numbers.truncate(start);
                                return Err(error.into());
                            }
                        },
                        Source::Limits => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn push_csv(&self, text: &mut Vec<u8>, row: &Row, output: &Output) {
        let start = text.len();
        for (k, piece) in self.pieces.iter().enumerate() {
            if k > 0 {
                text.push(b',');
            }
            match piece {
                Piece::Fields(fields) => row.push_fields(text, fields.clone()),
                Piece::Computed(value) => push_number_bytes(text, output.values[*value], self.digits),
                // Names and blanks.
                Piece::Limits => text.extend_from_slice(output.limits().as_bytes()),
            }
        }
        // A blank line would be no row: a single field that is empty is written in quotes.
        text.extend_from_slice(if text.len() == start { b"\"\"\n" } else { b"\n" });
    }

    fn json(&self, row: &Row, output: &Output) -> String {
        let mut text = String::new();
        for (k, (source, name)) in self.cells.iter().enumerate() {
            text.push(if k > 0 { ',' } else { '{' });
            text.push_str(name);
            text.push(':');
            match *source {
                Source::Computed(value) => push_number(&mut text, output.values[value], self.digits),
                Source::Field(field) => push_json(&mut text, row.text(field).trim()),
                Source::Limits => push_json(&mut text, &output.limits()),
            }
        }
        text.push_str("}\n");
        text
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
pub enum Written<'s> {
    Text(&'s mut (dyn Write + Send)),
    /// In memory, column by column.
    Columns(&'s mut [Vec<f64>]),
    /// With the number of its columns.
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetTable<'s>>, usize),
}

impl Written<'_> {
    /// `at_once`: it is not kept in a buffer.
    pub fn add(&mut self, part: &Part, at_once: bool) -> Result<(), VerbError> {
        let written = match self {
            Self::Text(output) => output.write_all(&part.text),
            Self::Columns(columns) => {
                for row in part.numbers.chunks(columns.len().max(1)) {
                    columns.iter_mut().zip(row).for_each(|(column, &number)| column.push(number));
                }
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(table, width) => part.numbers.chunks(*width).try_for_each(|row| table.push(row)),
        };
        match self {
            Self::Text(output) if at_once => written.and_then(|()| output.flush()),
            _ => written,
        }
        .map_err(cannot_write)
    }

    pub fn finish(self) -> Result<(), VerbError> {
        match self {
            Self::Text(_) | Self::Columns(_) => Ok(()),
            #[cfg(feature = "parquet")]
            Self::Parquet(table, _) => table.finish().map_err(cannot_write),
        }
    }
}
