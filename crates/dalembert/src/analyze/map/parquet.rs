//! Volumes as Parquet files, streamed: while one group of layers is written, the next is computed.

use super::{ChannelRange, Field, Grid, fill_row};
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Positions of a row group, about.
const GROUP: usize = 1 << 17;
/// Groups that wait to be written: with the one in work and the one being written all that is in memory.
const WAITING: usize = 1;

/// Evaluates the quantity on a grid and writes `x, y, z` and the channels; positions that are not reached are NaN, so
/// that the file is the grid. `going` is asked once per group with the number of positions done; the answer `false`
/// ends it, and there is no result; else the range of each channel.
pub fn write_parquet(
    field: &dyn Field,
    grid: &Grid,
    output: &mut (dyn Write + Send),
    going: &(dyn Fn(usize) -> bool + Sync),
) -> io::Result<Option<Vec<Option<ChannelRange>>>> {
    let (rows, nx, nc) = (grid.rows(), grid.axes[0].count, field.channels().len());
    let per_group = (GROUP / nx.max(1)).clamp(1, rows.max(1));
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Vec<Vec<f64>>>(WAITING);
        let writer = scope.spawn(move || -> Result<(), ParquetError> {
            let mut file = create(field, output)?;
            for columns in receiver {
                let mut group = file.next_row_group()?;
                for column in &columns {
                    let Some(mut writer) = group.next_column()? else { break };
                    if let ColumnWriter::DoubleColumnWriter(_) = writer.untyped() {
                        writer.typed::<DoubleType>().write_batch(column, None, None)?;
                    }
                    writer.close()?;
                }
                group.close()?;
            }
            file.close().map(drop)
        });
        let mut complete = true;
        let mut ranges = vec![None; nc];
        for first in (0..rows).step_by(per_group) {
            let count = per_group.min(rows - first);
            let mut values = vec![f64::NAN; count * nx * nc];
            values.par_chunks_mut(nx * nc).enumerate().for_each(|(k, row)| fill_row(field, grid, first + k, row));
            let positions = first * nx..(first + count) * nx;
            let columns: Vec<Vec<f64>> = (0..3 + nc)
                .into_par_iter()
                .map(|column| match column {
                    axis @ 0..3 => positions.clone().map(|k| grid.position(k)[axis]).collect(),
                    channel => values.iter().skip(channel - 3).step_by(nc).copied().collect(),
                })
                .collect();
            for (channel, range) in ranges.iter_mut().enumerate() {
                let here = ChannelRange::of(grid, positions.start, columns[3 + channel].iter());
                *range = ChannelRange::and(*range, here);
            }
            // The writer is gone only if it failed; its error follows.
            if sender.send(columns).is_err() {
                break;
            }
            if !going((first + count) * nx) {
                complete = false;
                break;
            }
        }
        drop(sender);
        match writer.join() {
            Ok(Ok(())) => Ok(complete.then_some(ranges)),
            Ok(Err(ParquetError::External(cause))) => Err(match cause.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(cause) => io::Error::other(cause),
            }),
            Ok(Err(error)) => Err(io::Error::other(error)),
            Err(_) => Err(io::Error::other("the writing thread ended unexpectedly")),
        }
    })
}

fn create<'w>(
    field: &dyn Field,
    output: &'w mut (dyn Write + Send),
) -> Result<SerializedFileWriter<&'w mut (dyn Write + Send)>, ParquetError> {
    let column = |name: &str| {
        Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let axes = ["x", "y", "z"];
    let names = axes.into_iter().chain(field.channels().iter().map(|channel| channel.name.as_str()));
    let schema = Type::group_type_builder("map").with_fields(names.map(column).collect::<Result<_, _>>()?).build()?;
    let mut about: Map<String, Value> =
        axes.map(|axis| (axis.to_owned(), json!({ "unit": "m", "meaning": "position" }))).into_iter().collect();
    for channel in field.channels() {
        about.insert(channel.name.clone(), json!({ "unit": channel.unit, "meaning": channel.meaning }));
    }
    let metadata = KeyValue::new(String::from("dalembert"), Value::Object(about).to_string());
    let mut properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![metadata]));
    // A coordinate takes few values.
    for axis in axes {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(axis), true);
    }
    SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties.build()))
}
