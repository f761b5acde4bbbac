//! A run as a table: one schema for log, plot, report and replay. The names of the columns are the interface.

use crate::table::header_line;
use crate::text::push_numbers;
use std::io::{self, Write};

/// One quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// As in the header: `q1`, or `left.q1` where there are several robots.
    pub name: String,
    /// SI; empty for a plain number.
    pub unit: &'static str,
    /// In words.
    pub meaning: String,
    /// One per row.
    pub values: Vec<f64>,
}

/// A table of numbers whose columns say what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    columns: Vec<Column>,
}

/// Why a table cannot be made or grown so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum RecordingError {
    /// A name must mean one column.
    #[error("two columns would be called `{name}`")]
    Duplicate { name: String },
    /// A row of another width.
    #[error("a row of {given} numbers where there are {expected} columns")]
    Width { given: usize, expected: usize },
}

impl Recording {
    /// No rows yet.
    pub fn new(columns: impl IntoIterator<Item = (String, &'static str, String)>) -> Result<Self, RecordingError> {
        let mut all: Vec<Column> = Vec::new();
        for (name, unit, meaning) in columns {
            if all.iter().any(|column| column.name == name) {
                return Err(RecordingError::Duplicate { name });
            }
            all.push(Column { name, unit, meaning, values: Vec::new() });
        }
        Ok(Self { columns: all })
    }

    /// One row more.
    pub fn push(&mut self, row: &[f64]) -> Result<(), RecordingError> {
        if row.len() != self.columns.len() {
            return Err(RecordingError::Width { given: row.len(), expected: self.columns.len() });
        }
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.values.push(value);
        }
        Ok(())
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|column| column.name == name).map(|column| column.values.as_slice())
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Writes CSV: a header, then 17 significant digits, enough to read the same bits back. What a row does not have (of a
    /// run that ended early, say) is NaN here and an empty field there.
    pub fn write_csv(&self, output: &mut dyn Write) -> io::Result<()> {
        let mut line = header_line(self.columns.iter().map(|column| column.name.as_str()));
        for row in 0..self.rows() {
            output.write_all(line.as_bytes())?;
            line.clear();
            let there = |value: f64| (!value.is_nan()).then_some(value);
            push_numbers(&mut line, self.columns.iter().map(|column| there(column.values[row])));
        }
        output.write_all(line.as_bytes())?;
        output.flush()
    }
}
