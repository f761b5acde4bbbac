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
pub enum RecordingError {
    /// A name must mean one column.
    #[error("two columns would be called `{name}`")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A row of another width.
    #[error("a row of {given} numbers where there are {expected} columns")]
    Width {
        /// Numbers given.
        given: usize,
        /// Columns.
        expected: usize,
    },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_reads_back_to_the_same_bits() -> Result<(), Box<dyn std::error::Error>> {
        let mut recording = Recording::new(["t", "a b", "c,d"].map(|name| (name.to_owned(), "m", String::new())))?;
        let rows = [[0.0, 1.0 / 3.0, -1e-300], [0.1, f64::MAX, 5e-324]];
        for row in &rows {
            recording.push(row)?;
        }
        let mut bytes = Vec::new();
        recording.write_csv(&mut bytes)?;
        let mut reader = crate::table::Reader::new(bytes.as_slice())?;
        assert_eq!(reader.header().names(), ["t", "a b", "c,d"]);
        for row in rows {
            let read = reader.next_row()?.ok_or("a row is missing")?;
            for (i, value) in row.into_iter().enumerate() {
                assert_eq!(read.number(i, "")?.to_bits(), value.to_bits());
            }
        }
        Ok(())
    }

    #[test]
    fn a_name_means_one_column_and_rows_are_whole() -> Result<(), RecordingError> {
        let columns = |names: [&str; 2]| names.map(|name| (name.to_owned(), "", String::new()));
        assert_eq!(Recording::new(columns(["t", "t"])), Err(RecordingError::Duplicate { name: "t".into() }));
        let mut recording = Recording::new(columns(["t", "x"]))?;
        assert_eq!(recording.push(&[1.0]), Err(RecordingError::Width { given: 1, expected: 2 }));
        Ok(())
    }
}
