//! Parquet files, for long runs, large maps and tables: one DOUBLE column per quantity, unit and meaning in the metadata.
//!
//! The metadata of the file has the key `dalembert` with a JSON object from the column's name to its unit and meaning.

use crate::foreign::contained;
use crate::recording::Recording;
use crate::table::{CsvLines, push_field};
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::{ColumnPath, Type};
use serde_json::{Map, Value, json};
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
        let field = |column: &ParquetColumn<'_>| {
            let field = Type::primitive_type_builder(column.name, Physical::DOUBLE);
            field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        };
        let fields = columns.iter().map(field).collect::<Result<_, _>>().map_err(as_io)?;
        let schema = Arc::new(Type::group_type_builder(name).with_fields(fields).build().map_err(as_io)?);
        let about = |column: &ParquetColumn<'_>| {
            (column.name.to_owned(), json!({ "unit": column.unit, "meaning": column.meaning }))
        };
        let about: Map<String, Value> = columns.iter().map(about).collect();
        let metadata = KeyValue::new(String::from("dalembert"), Value::Object(about).to_string());
        // The bytes of doubles of one size side by side compress; whole doubles hardly do.
        let mut properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![metadata]));
        for column in columns.iter().filter(|column| column.few) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column.name), true);
        }
        let writer = SerializedFileWriter::new(output, schema, Arc::new(properties.build())).map_err(as_io)?;
        Ok(Self { writer })
    }

    /// Rows more: a part of each column, in their order.
    pub fn group<'c>(&mut self, columns: impl Iterator<Item = &'c [f64]>) -> io::Result<()> {
        let mut group = self.writer.next_row_group().map_err(as_io)?;
        for column in columns {
            let Some(mut writer) = group.next_column().map_err(as_io)? else { break };
            writer.typed::<DoubleType>().write_batch(column, None, None).map_err(as_io)?;
            writer.close().map_err(as_io)?;
        }
        group.close().map(drop).map_err(as_io)
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
/// an empty field where there is no value. A file that is broken ends in an error, also where its reader panics.
pub fn to_csv(file: File) -> io::Result<impl Read + Send> {
    let open = || -> io::Result<_> {
        let reader = SerializedFileReader::new(file).map_err(as_io)?;
        check_codecs(&reader)?;
        Ok((reader.metadata().file_metadata().schema_descr().root_schema().get_fields().to_vec(), reader.into_iter()))
    };
    let (fields, mut rows) = contained("Parquet", open)?;
    let mut next = move |line: &mut String| {
        let Some(row) = rows.next() else { return Ok(()) };
        for (k, (_, field)) in row.map_err(as_io)?.get_column_iter().enumerate() {
            line.push_str(if k > 0 { "," } else { "" });
            match field {
                Field::Null => {}
                Field::Double(value) => line.push_str(&format!("{value:?}")),
                Field::Float(value) => line.push_str(&format!("{:?}", f64::from(*value))),
                Field::Str(text) => push_field(line, text),
                other => line.push_str(&other.to_string()),
            }
        }
        // A blank line would be no row.
        line.push_str(if line.is_empty() { "\"\"\n" } else { "\n" });
        Ok(())
    };
    // What is left of a reader that has panicked is not asked again.
    let mut broken = false;
    Ok(CsvLines::new(fields.iter().map(|field| field.name()), move |line| {
        if std::mem::replace(&mut broken, true) {
            return Ok(());
        }
        contained("Parquet", || next(line))?;
        broken = false;
        Ok(())
    }))
}

/// Refuses what this build cannot unpack, before any row is read.
fn check_codecs(reader: &SerializedFileReader<File>) -> io::Result<()> {
    let groups = reader.metadata().row_groups().iter();
    for column in groups.flat_map(|group| group.columns()) {
        let codec = column.compression();
        if !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_)) {
            let codec = codec.to_string();
            let codec = codec.split('(').next().unwrap_or_default().to_ascii_lowercase();
            return Err(io::Error::other(format!(
                "its columns are compressed by {codec}, which is not read here: write it uncompressed or by snappy or gzip \
                 (pandas: to_parquet(name, compression=\"snappy\"); polars: write_parquet(name, compression=\"snappy\"))"
            )));
        }
    }
    Ok(())
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
