//! Recordings as Parquet files, for long runs: one DOUBLE column per quantity, unit and meaning in the metadata.
//!
//! The metadata of the file has the key `dalembert` with a JSON object from the column's name to its unit and meaning.

use super::recording::Recording;
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a group: a reader that wants a part of the time reads a part of the file.
const GROUP: usize = 1 << 16;

impl Recording {
    /// Writes a Parquet file.
    pub fn write_parquet(&self, output: &mut (dyn Write + Send)) -> io::Result<()> {
        self.try_write_parquet(output).map_err(|error| match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(cause) => io::Error::other(cause),
            },
            error => io::Error::other(error),
        })
    }

    fn try_write_parquet(&self, output: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
        let field = |name: &str| {
            Type::primitive_type_builder(name, Physical::DOUBLE)
                .with_repetition(Repetition::REQUIRED)
                .build()
                .map(Arc::new)
        };
        let fields = self.columns().iter().map(|column| field(&column.name)).collect::<Result<_, _>>()?;
        let schema = Arc::new(Type::group_type_builder("run").with_fields(fields).build()?);
        let about: Map<String, Value> = self
            .columns()
            .iter()
            .map(|column| (column.name.clone(), json!({ "unit": column.unit, "meaning": column.meaning })))
            .collect();
        let metadata = KeyValue::new(String::from("dalembert"), Value::Object(about).to_string());
        // The bytes of doubles of one size beside each other compress; whole doubles hardly do.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![metadata]))
            .build();
        let mut file = SerializedFileWriter::new(output, schema, Arc::new(properties))?;
        for start in (0..self.rows()).step_by(GROUP) {
            let end = self.rows().min(start + GROUP);
            let mut group = file.next_row_group()?;
            for column in self.columns() {
                let Some(mut writer) = group.next_column()? else { break };
                writer.typed::<DoubleType>().write_batch(&column.values[start..end], None, None)?;
                writer.close()?;
            }
            group.close()?;
        }
        file.close().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
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
}
