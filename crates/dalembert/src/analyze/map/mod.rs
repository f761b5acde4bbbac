//! Quantities over the workspace: slices and volumes of a grid, in parallel, the same numbers with any number of threads.
//! What a quantity is at a position, a robot says: [`crate::robot::map`].
//!
//! ```
//! use dalembert::analyze::map::{Plane, PositionGrid, map};
//! use dalembert::robot::Robot;
//! use dalembert::robot::map::{Kind, MapOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::find("d3-1200")?;
//! let mass = robot.field(Kind::Mass, &MapOptions::default())?;
//! let slice = PositionGrid::slice(&mass, Plane::Xy, None, 50);
//! let found = map(&mass, &slice, &|_| true).ok_or("interrupted")?;
//! let m11 = found.range(0).ok_or("nothing is reached")?;
//! assert!(m11.largest > 2.0 * m11.least); // what one motor feels changes by more than a factor of two
//! # Ok(()) }
//! ```

#[cfg(feature = "parquet")]
mod parquet;

#[cfg(feature = "parquet")]
pub use parquet::ParquetMap;

use crate::Vec3;
use crate::report::chart::{self, HeatMap, HeatValues, Picture};
use crate::report::table::header_line;
use crate::report::text::{self, human, push_numbers};
use crate::robot::map::{Channel, Field, MapAxis, Reason};
use crate::threads;
use std::io::{self, Write};

/// Evenly spaced values.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct GridAxis {
    /// First value, m (rad).
    pub from: f64,
    /// Last value, m (rad).
    pub to: f64,
    /// How many; one: only the first.
    pub count: usize,
}

impl GridAxis {
    /// One value.
    pub fn at(value: f64) -> Self {
        Self { from: value, to: value, count: 1 }
    }

    /// Value number `k`.
    pub fn value(&self, k: usize) -> f64 {
        if k == 0 || self.count < 2 {
            return self.from;
        }
        self.from + (self.to - self.from) * (k as f64 / (self.count - 1) as f64)
    }
}

/// The plane of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plane {
    /// Horizontal.
    #[default]
    Xy,
    /// Vertical, through y.
    Xz,
    /// Vertical, through x.
    Yz,
}

impl Plane {
    /// The axes in it and the one across: 0, 1, 2 are x, y, z.
    pub fn axes(self) -> [usize; 3] {
        match self {
            Self::Xy => [0, 1, 2],
            Self::Xz => [0, 2, 1],
            Self::Yz => [1, 2, 0],
        }
    }
}

/// Positions of platform or tool on a grid. Position number k: x runs fastest, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionGrid {
    /// x, y, z.
    pub axes: [GridAxis; 3],
}

impl PositionGrid {
    /// A slice with `count` × `count` positions over all that is reached, at a given value across (default: the middle).
    pub fn slice(field: &Field<'_>, plane: Plane, across: Option<f64>, count: usize) -> Self {
        let mut grid = Self::volume(field, count);
        let (axis, z) = (plane.axes()[2], grid.axes[2]);
        let middle = || field.middle().unwrap_or(Vec3::new(0.0, 0.0, 0.5 * (z.from + z.to)))[axis];
        grid.axes[axis] = GridAxis::at(across.unwrap_or_else(middle));
        grid
    }

    /// `count`³ positions over all that is reached, as 41³ positions show it, and one of their steps more.
    pub fn volume(field: &Field<'_>, count: usize) -> Self {
        const COARSE: usize = 41;
        let coarse = Self { axes: field.bounds().map(|[from, to]| GridAxis { from, to, count: COARSE }) };
        let mut reached = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for position in (0..coarse.len()).map(|k| coarse.position(k)).filter(|&position| field.may_reach(position)) {
            for (range, x) in reached.iter_mut().zip(position.0) {
                *range = [range[0].min(x), range[1].max(x)];
            }
        }
        let axes = std::array::from_fn(|i| {
            let whole = coarse.axes[i];
            let step = (whole.to - whole.from) / (COARSE - 1) as f64;
            match reached[i] {
                [low, high] if low <= high => GridAxis { from: low - step, to: (high + step).min(whole.to), count },
                _ => GridAxis { count, ..whole },
            }
        });
        Self { axes }
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position number `k`.
    pub fn position(&self, k: usize) -> Vec3<f64> {
        let [x, y, z] = self.axes;
        Vec3::new(x.value(k % x.count), y.value(k / x.count % y.count), z.value(k / x.count / y.count))
    }

    /// Rows of positions that differ in x only.
    fn rows(&self) -> usize {
        self.axes[1].count * self.axes[2].count
    }
}

/// A quantity on a grid.
#[derive(Clone, Debug)]
pub struct Map {
    /// Where.
    pub grid: PositionGrid,
    /// What the three numbers of a position are.
    pub axes: [MapAxis; 3],
    /// What.
    pub channels: Vec<Channel>,
    /// One value per channel and position, the channels of a position side by side; NaN where it is not reached.
    pub values: Vec<f64>,
}

/// Least and largest value of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelRange {
    /// Least.
    pub least: f64,
    /// Where, m.
    pub least_at: Vec3<f64>,
    /// Largest.
    pub largest: f64,
    /// Where, m.
    pub largest_at: Vec3<f64>,
    /// At how many positions there is a value.
    pub count: usize,
}

impl ChannelRange {
    /// Of the values of the positions from number `first` on.
    fn of<'v>(grid: &PositionGrid, first: usize, values: impl Iterator<Item = &'v f64>) -> Option<Self> {
        let mut found: Option<[(usize, f64); 2]> = None;
        let mut count = 0;
        for (k, &value) in values.enumerate().filter(|(_, value)| value.is_finite()) {
            count += 1;
            let [least, largest] = found.unwrap_or([(k, value); 2]);
            let here = (k, value);
            let least = if value < least.1 { here } else { least };
            found = Some([least, if value > largest.1 { here } else { largest }]);
        }
        found.map(|[(i, least), (j, largest)]| Self {
            least,
            least_at: grid.position(first + i),
            largest,
            largest_at: grid.position(first + j),
            count,
        })
    }

    /// Of both; where values are equal, the place of the first.
    fn and(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (first, second) else { return first.or(second) };
        let (least, least_at) = if b.least < a.least { (b.least, b.least_at) } else { (a.least, a.least_at) };
        let (largest, largest_at) =
            if b.largest > a.largest { (b.largest, b.largest_at) } else { (a.largest, a.largest_at) };
        Some(Self { least, least_at, largest, largest_at, count: a.count + b.count })
    }
}

/// Evaluates a quantity on a grid, rows of it in parallel with the feature `parallel`. `going` is asked once per row with how many
/// are done; `None` if it says no.
pub fn map(mapper: &Field<'_>, grid: &PositionGrid, going: &(dyn Fn(usize) -> bool + Sync)) -> Option<Map> {
    let channels = mapper.channels().to_vec();
    let width = grid.axes[0].count * channels.len();
    let mut values = vec![f64::NAN; grid.rows() * width];
    let done = std::sync::atomic::AtomicUsize::new(0);
    let complete = threads::rows(&mut values, width, |row, target| {
        fill_row(mapper, grid, row, target);
        going(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1)
    });
    complete.then_some(Map { grid: *grid, axes: mapper.axes(), channels, values })
}

fn fill_row(mapper: &Field<'_>, grid: &PositionGrid, row: usize, target: &mut [f64]) {
    let (nx, nc) = (grid.axes[0].count, mapper.channels().len());
    for (k, values) in target.chunks_mut(nc).enumerate() {
        mapper.evaluate(grid.position(row * nx + k), values);
    }
}

impl Map {
    /// The value of a channel at a position, by number.
    pub fn value(&self, position: usize, channel: usize) -> f64 {
        self.values[position * self.channels.len() + channel]
    }

    /// Least and largest of a channel; none where nothing is reached.
    pub fn range(&self, channel: usize) -> Option<ChannelRange> {
        ChannelRange::of(&self.grid, 0, self.values.iter().skip(channel).step_by(self.channels.len().max(1)))
    }

    /// The two axes that a slice spans; none of a volume or a line.
    pub fn plane(&self) -> Option<[usize; 2]> {
        let wide: Vec<usize> = (0..3).filter(|&i| self.grid.axes[i].count > 1).collect();
        match wide[..] {
            [u, v] => Some([u, v]),
            _ => None,
        }
    }
}

/// Distinct and safe for colour-blind readers: reached, then the reasons.
const COLORS: [u32; Reason::COUNT] = [
    0xf4f4f4, 0x0072b2, 0x4a9bd1, 0x9ac8e8, 0xd55e00, 0xe98a45, 0xf7bd92, 0x000000, 0x444444, 0x888888, 0xcc79a7,
    0x009e73, 0x4cc3a0, 0xa5e3d0, 0xe69f00, 0xf0c04c, 0xf8e0a6, 0x0072b2, 0xd55e00, 0x009e73, 0x4cc3a0, 0xa5e3d0,
    0xe69f00, 0xf0c04c, 0xf8e0a6, 0xcc79a7, 0x888888, 0xe69f00, 0xf0c04c, 0xf8e0a6, 0xcc79a7, 0x888888, 0x0072b2,
];

impl Map {
    /// A picture of one channel; none of a volume, or where nothing is reached.
    pub fn heat_map(&self, channel: usize, title: &str) -> Option<Picture> {
        self.chart(channel, title)?.draw()
    }

    /// All channels of a slice in one picture, three in a row.
    pub fn heat_maps(&self, title: &str) -> Option<Picture> {
        let maps: Option<Vec<HeatMap>> = (0..self.channels.len()).map(|channel| self.chart(channel, title)).collect();
        HeatMap::draw_all(&maps?)
    }

    fn chart(&self, channel: usize, title: &str) -> Option<HeatMap> {
        let axes = self.plane()?;
        let what = self.channels.get(channel)?;
        let across = (0..3).find(|axis| !axes.contains(axis)).unwrap_or(2);
        let (name, of) = self.axes[across];
        let at = format!("{name} = {} {of}", human(self.grid.axes[across].from, 4));
        let unit = if what.unit.is_empty() { String::new() } else { format!(", {}", text::unit(what.unit)) };
        // The axis across has one value, so the number of a position is that of the plane.
        let values = (0..self.grid.len()).map(|k| self.value(k, channel));
        Some(HeatMap {
            title: title.to_owned(),
            subtitle: format!("{}: {}{unit}; {at}", what.name, what.meaning),
            axes: axes.map(|axis| {
                let GridAxis { from, to, count } = self.grid.axes[axis];
                let (name, unit) = self.axes[axis];
                chart::HeatAxis { label: format!("{name}, {unit}"), range: (from, to), count }
            }),
            values: if what.reasons {
                let kinds = COLORS.iter().enumerate().map(|(code, &color)| (color, Reason::text(code)));
                HeatValues::Kinds(values.map(|code| code as usize).collect(), kinds.collect())
            } else {
                HeatValues::Numbers(values.collect())
            },
        })
    }
}

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

/// Summary of a map in a few numbers.
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
