//! Maps of any size to files: while one group of rows is written, the next is computed; no more is held in memory.

use super::{Channel, ChannelRange, Field, Map, PositionGrid, Reason, fill_row};
use crate::report::table::header_line;
use crate::report::text::push_numbers;
use crate::threads;
use std::io::{self, Write};

/// Rows of a group: about 2¹⁷ positions.
fn rows_per_group(grid: &PositionGrid) -> usize {
    ((1 << 17) / grid.axes[0].count.max(1)).clamp(1, grid.rows().max(1))
}

/// A file that takes a map group by group, in the order of the positions.
pub trait MapWriter: Send {
    /// The values of the positions from number `first` on, the channels of a position side by side.
    fn group(&mut self, grid: &PositionGrid, first: usize, values: &[f64]) -> io::Result<()>;

    /// All groups have come.
    fn finish(&mut self) -> io::Result<()>;
}

/// Writing failed.
#[derive(Debug, thiserror::Error)]
#[error("output {}: {cause}", writer + 1)]
pub struct StreamError {
    /// Which of the writers, from 0.
    pub writer: usize,
    /// Why.
    #[source]
    pub cause: io::Error,
}

/// What is told of a map in a few numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSummary {
    /// Least and largest value of each channel; none where nothing is reached.
    pub ranges: Vec<Option<ChannelRange>>,
    /// How many positions have each [`Reason`], by its number; empty where no channel has reasons.
    pub reasons: Vec<usize>,
}

impl MapSummary {
    fn new(channels: &[Channel]) -> Self {
        let reasons = if channels.iter().any(|channel| channel.reasons) { Reason::COUNT } else { 0 };
        Self { ranges: vec![None; channels.len()], reasons: vec![0; reasons] }
    }

    fn add(&mut self, channels: &[Channel], grid: &PositionGrid, first: usize, values: &[f64]) {
        for (k, (channel, range)) in channels.iter().zip(&mut self.ranges).enumerate() {
            let of_channel = || values.iter().skip(k).step_by(channels.len());
            *range = ChannelRange::and(*range, ChannelRange::of(grid, first, of_channel()));
            if channel.reasons {
                of_channel().for_each(|&code| self.reasons[(code as usize).min(Reason::COUNT - 1)] += 1);
            }
        }
    }
}

/// Evaluates a quantity on a grid into files, in parallel with the feature `parallel`. `going` is asked once per group with how
/// many positions are done; the answer `false` ends it, the files are then incomplete, and there is no result.
pub fn stream(
    field: &Field<'_>,
    grid: &PositionGrid,
    writers: &mut [&mut dyn MapWriter],
    going: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Option<MapSummary>, StreamError> {
    let (channels, rows, nx) = (field.channels(), grid.rows(), grid.axes[0].count);
    let width = nx * channels.len();
    let per_group = rows_per_group(grid);
    let compute = |first: usize| {
        let mut values = vec![f64::NAN; per_group.min(rows.saturating_sub(first)) * width];
        threads::rows(&mut values, width, |k, row| {
            fill_row(field, grid, first + k, row);
            true
        });
        values
    };
    let mut summary = MapSummary::new(channels);
    let mut values = compute(0);
    for first in (0..rows).step_by(per_group) {
        let (next, written) = threads::join(
            || compute(first + per_group),
            || {
                summary.add(channels, grid, first * nx, &values);
                each(writers, |writer| writer.group(grid, first * nx, &values))
            },
        );
        written?;
        if !going(rows.min(first + per_group) * nx) {
            return Ok(None);
        }
        values = next;
    }
    each(writers, |writer| writer.finish())?;
    Ok(Some(summary))
}

fn each(
    writers: &mut [&mut dyn MapWriter],
    mut what: impl FnMut(&mut dyn MapWriter) -> io::Result<()>,
) -> Result<(), StreamError> {
    let mut all = writers.iter_mut().enumerate();
    all.try_for_each(|(k, writer)| what(*writer).map_err(|cause| StreamError { writer: k, cause }))
}

impl Map {
    /// Ranges, and how often each reason.
    pub fn summary(&self) -> MapSummary {
        let mut summary = MapSummary::new(&self.channels);
        summary.add(&self.channels, &self.grid, 0, &self.values);
        summary
    }

    /// Into a file.
    pub fn write(&self, writer: &mut dyn MapWriter) -> io::Result<()> {
        let positions = rows_per_group(&self.grid) * self.grid.axes[0].count.max(1);
        for (k, values) in self.values.chunks(positions * self.channels.len().max(1)).enumerate() {
            writer.group(&self.grid, k * positions, values)?;
        }
        writer.finish()
    }
}

/// `x,y,z` (or `roll,pitch,yaw`) and the channels as CSV. Positions that are not reached are left out, except of a map of reach.
pub struct CsvMap<'w> {
    output: &'w mut (dyn Write + Send),
    width: usize,
}

impl<'w> CsvMap<'w> {
    /// Writes the line of names.
    pub fn new(field: &Field<'_>, output: &'w mut (dyn Write + Send)) -> io::Result<Self> {
        let channels = field.channels();
        let axes = field.axes().map(|(name, _)| name).into_iter();
        let names = axes.chain(channels.iter().map(|channel| channel.name.as_str()));
        output.write_all(header_line(names).as_bytes())?;
        Ok(Self { output, width: channels.len() })
    }
}

/// Some positions as text.
fn lines(grid: &PositionGrid, first: usize, values: &[f64], width: usize) -> String {
    let mut text = String::new();
    for (k, values) in values.chunks(width).enumerate().filter(|(_, values)| !values.iter().all(|x| x.is_nan())) {
        push_numbers(&mut text, grid.position(first + k).0.iter().chain(values).map(|&value| Some(value)));
    }
    text
}

impl MapWriter for CsvMap<'_> {
    fn group(&mut self, grid: &PositionGrid, first: usize, values: &[f64]) -> io::Result<()> {
        // Digits take longer than most quantities: they are made in parallel.
        const POSITIONS: usize = 1 << 10;
        let width = self.width.max(1);
        let parts: Vec<&[f64]> = values.chunks(POSITIONS * width).collect();
        let texts = threads::each(parts.len(), |k| lines(grid, first + k * POSITIONS, parts[k], width));
        texts.iter().try_for_each(|text| self.output.write_all(text.as_bytes()))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
