//! Maps as Parquet files.

use super::{Field, MapWriter, PositionGrid};
use crate::report::parquet::{ParquetColumn, ParquetFile};
use crate::threads;
use std::io::{self, Write};

/// `x, y, z` (or `roll, pitch, yaw`) and the channels as Parquet, a row group per group. Positions that are not reached are NaN, so that the file
/// is the grid.
pub struct ParquetMap<'w> {
    file: ParquetFile<'w>,
    width: usize,
}

impl<'w> ParquetMap<'w> {
    /// Writes the head of the file.
    pub fn new(field: &Field<'_>, output: &'w mut (dyn Write + Send)) -> io::Result<Self> {
        let meaning = |unit| if unit == "m" { "position" } else { "orientation" };
        let axes = field.axes().map(|(name, unit)| ParquetColumn { name, unit, meaning: meaning(unit), few: true });
        let channels = field.channels().iter().map(|c| ParquetColumn {
            name: &c.name,
            unit: c.unit,
            meaning: c.meaning,
            few: false,
        });
        let about: Vec<ParquetColumn<'_>> = axes.into_iter().chain(channels).collect();
        Ok(Self { file: ParquetFile::new("map", &about, output)?, width: about.len() - 3 })
    }
}

impl MapWriter for ParquetMap<'_> {
    fn group(&mut self, grid: &PositionGrid, first: usize, values: &[f64]) -> io::Result<()> {
        let width = self.width.max(1);
        let positions = first..first + values.len() / width;
        let columns: Vec<Vec<f64>> = threads::each(3 + self.width, |column| match column {
            axis @ 0..3 => positions.clone().map(|k| grid.position(k)[axis]).collect(),
            channel => values.iter().skip(channel - 3).step_by(width).copied().collect(),
        });
        self.file.group(columns.iter().map(Vec::as_slice))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}
