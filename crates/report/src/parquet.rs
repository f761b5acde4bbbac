//! Parquet files, for long runs, large maps and tables: one DOUBLE column per quantity, unit and meaning in the metadata.
//!
//! The metadata of the file has the key `dalembert` with a JSON object from the column's name to its unit and meaning.

use crate::recording::Recording;
use crate::table::{header_line, push_field};
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::{ColumnPath, Type};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Rows of a group: a reader that wants a part of the time reads a part of the file.
const GROUP: usize = 1 << 16;

/// A quantity of a file.
pub struct ParquetColumn<'a> {
    /// As a column.
    pub name: &'a str,
    /// SI; empty for a plain number.
    pub unit: &'a str,
    /// In words.
    pub meaning: &'a str,
    /// It takes few values, which are then written once.
    pub few: bool,
}

/// A file that is written group by group.
pub struct ParquetFile<'w> {
    writer: SerializedFileWriter<&'w mut (dyn Write + Send)>,
}

impl<'w> ParquetFile<'w> {
    /// Writes the head of a file of this name with these columns.
    pub fn new(name: &str, columns: &[ParquetColumn<'_>], output: &'w mut (dyn Write + Send)) -> io::Result<Self> {
        Self::create(name, columns, output).map_err(as_io)
    }

    fn create(
        name: &str,
        columns: &[ParquetColumn<'_>],
        output: &'w mut (dyn Write + Send),
    ) -> Result<Self, ParquetError> {
        let field = |column: &ParquetColumn<'_>| {
            let field = Type::primitive_type_builder(column.name, Physical::DOUBLE);
            field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        };
        let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
        let schema = Arc::new(Type::group_type_builder(name).with_fields(fields).build()?);
        let about = |column: &ParquetColumn<'_>| {
            (column.name.to_owned(), json!({ "unit": column.unit, "meaning": column.meaning }))
        };
        let about: Map<String, Value> = columns.iter().map(about).collect();
        let metadata = KeyValue::new(String::from("dalembert"), Value::Object(about).to_string());
        // The bytes of doubles of one size beside each other compress; whole doubles hardly do.
        let mut properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![metadata]));
        for column in columns.iter().filter(|column| column.few) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column.name), true);
        }
        Ok(Self { writer: SerializedFileWriter::new(output, schema, Arc::new(properties.build()))? })
    }

    /// Rows more: a part of each column, in their order.
    pub fn group<'c>(&mut self, columns: impl Iterator<Item = &'c [f64]>) -> io::Result<()> {
        self.try_group(columns).map_err(as_io)
    }

    fn try_group<'c>(&mut self, columns: impl Iterator<Item = &'c [f64]>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in columns {
            let Some(mut writer) = group.next_column()? else { break };
            writer.typed::<DoubleType>().write_batch(column, None, None)?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// All groups have come.
    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.finish().map(drop).map_err(as_io)
    }
}

/// A table that is written row by row.
pub struct ParquetTable<'w> {
    file: ParquetFile<'w>,
    /// Rows that are not yet a group.
    columns: Vec<Vec<f64>>,
}

impl<'w> ParquetTable<'w> {
    /// Writes the head of a file with these columns.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, output: &'w mut (dyn Write + Send)) -> io::Result<Self> {
        let columns: Vec<_> = names.map(|name| ParquetColumn { name, unit: "", meaning: "", few: false }).collect();
        Ok(Self { columns: vec![Vec::new(); columns.len()], file: ParquetFile::new("table", &columns, output)? })
    }

    /// One row more, with a number for each column.
    pub fn push(&mut self, row: &[f64]) -> io::Result<()> {
        self.columns.iter_mut().zip(row).for_each(|(column, &value)| column.push(value));
        if self.columns.first().is_some_and(|column| column.len() >= GROUP) { self.group() } else { Ok(()) }
    }

    fn group(&mut self) -> io::Result<()> {
        self.file.group(self.columns.iter().map(Vec::as_slice))?;
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    /// All rows have come.
    pub fn finish(mut self) -> io::Result<()> {
        self.group()?;
        self.file.finish()
    }
}

/// A Parquet file as the CSV that it would be, for readers of tables: numbers with the digits that read back to the same bits,
/// an empty field where there is no value.
pub struct ParquetCsv {
    rows: RowIter<'static>,
    text: String,
    /// How much of the text has been read.
    start: usize,
}

impl ParquetCsv {
    /// Reads the head of a file.
    pub fn new(file: File) -> io::Result<Self> {
        let reader = SerializedFileReader::new(file).map_err(as_io)?;
        let fields = reader.metadata().file_metadata().schema_descr().root_schema().get_fields().to_vec();
        let text = header_line(fields.iter().map(|field| field.name()));
        Ok(Self { rows: reader.into_iter(), text, start: 0 })
    }
}

impl Read for ParquetCsv {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.start == self.text.len() {
            let Some(row) = self.rows.next() else { return Ok(0) };
            self.text.clear();
            self.start = 0;
            for (k, (_, field)) in row.map_err(as_io)?.get_column_iter().enumerate() {
                self.text.push_str(if k > 0 { "," } else { "" });
                // A string takes everything that is written to it.
                let _ = match field {
                    Field::Null => Ok(()),
                    Field::Double(value) => write!(self.text, "{value:?}"),
                    Field::Float(value) => write!(self.text, "{:?}", f64::from(*value)),
                    Field::Str(text) => {
                        push_field(&mut self.text, text);
                        Ok(())
                    }
                    other => write!(self.text, "{other}"),
                };
            }
            // A blank line would be no row.
            self.text.push_str(if self.text.is_empty() { "\"\"\n" } else { "\n" });
        }
        let count = self.text.as_bytes()[self.start..].as_ref().read(buffer)?;
        self.start += count;
        Ok(count)
    }
}

/// The error of the output below, where there is one.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

impl Recording {
    /// Writes a Parquet file.
    pub fn write_parquet(&self, output: &mut (dyn Write + Send)) -> io::Result<()> {
        let columns = self.columns();
        let about: Vec<ParquetColumn<'_>> = columns
            .iter()
            .map(|column| ParquetColumn { name: &column.name, unit: column.unit, meaning: &column.meaning, few: false })
            .collect();
        let mut file = ParquetFile::new("run", &about, output)?;
        for start in (0..self.rows()).step_by(GROUP) {
            let end = self.rows().min(start + GROUP);
            file.group(columns.iter().map(|column| &column.values[start..end]))?;
        }
        file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::record::RowAccessor;

    /// More rows than a group has; what is read is what was written, to the bit, with its metadata.
    #[test]
    fn parquet_reads_back_to_the_same_bits() -> Result<(), Box<dyn std::error::Error>> {
        let names = ["t", "left.x"];
        let mut recording = Recording::new(names.map(|name| (name.to_owned(), "m", format!("the {name}"))))?;
        for row in 0..GROUP + 10 {
            recording.push(&[row as f64 * 1e-3, (row as f64).sin()])?;
        }
        let mut bytes = Vec::new();
        recording.write_parquet(&mut bytes)?;
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
        let metadata = reader.metadata().file_metadata();
        let read: Vec<&str> = metadata.schema_descr().columns().iter().map(|column| column.name()).collect();
        assert_eq!(read, names);
        let about = &metadata.key_value_metadata().ok_or("no metadata")?[0];
        let about: Value = serde_json::from_str(about.value.as_deref().ok_or("no value")?)?;
        assert_eq!(about["left.x"], json!({ "unit": "m", "meaning": "the left.x" }));
        let mut count = 0;
        for row in reader.get_row_iter(None)? {
            let row = row?;
            for (i, column) in recording.columns().iter().enumerate() {
                assert_eq!(row.get_double(i)?.to_bits(), column.values[count].to_bits());
            }
            count += 1;
        }
        assert_eq!(count, recording.rows());
        Ok(())
    }

    /// There and back through the reader of CSV: more rows than a group has, the same bits.
    #[test]
    fn a_table_reads_back_as_csv() -> Result<(), Box<dyn std::error::Error>> {
        let rows: Vec<[f64; 2]> = (0..GROUP + 3).map(|row| [row as f64, (row as f64).sin() * 1e-30]).collect();
        let mut file = tempfile::tempfile()?;
        let mut table = ParquetTable::new(["t", "a,b"].into_iter(), &mut file)?;
        rows.iter().try_for_each(|row| table.push(row))?;
        table.finish()?;
        let mut reader = crate::table::Reader::new(ParquetCsv::new(file)?)?;
        assert_eq!(reader.header().names(), ["t", "a,b"]);
        for (k, row) in rows.iter().enumerate() {
            let read = reader.next_row()?.ok_or("a row is missing")?;
            assert_eq!(read.line, k as u64 + 2);
            assert_eq!([read.number(0, "t")?, read.number(1, "a,b")?].map(f64::to_bits), row.map(f64::to_bits));
        }
        assert!(reader.next_row()?.is_none());
        Ok(())
    }
}
