//! `map`: a quantity over a slice or a volume of the workspace.

use super::prelude::*;
#[cfg(feature = "parquet")]
use crate::analyze::map::ParquetMap;
use crate::analyze::map::{
    ChannelRange, CsvMap, GridAxis, Map, MapSummary, MapWriter, Plane, PositionGrid, map as evaluate, stream,
};
use crate::report::text::human;
use crate::robot::ToolTurns;
use crate::robot::map::{Channel, Field, Kind, MapError, MapOptions, Places, Reason, model_mass};
use crate::robot::orientation::attitude;
use crate::threads;
use serde::Serializer;
use std::io;
use std::sync::Mutex;

/// Map a quantity over the workspace of a robot.
#[derive(Clone, Debug)]
pub struct MapRequest {
    /// The robot.
    pub robot: Robot,
    /// The quantity.
    pub kind: Kind,
    /// Solution of the inverse kinematics, orientation or position of the tool, limits, margins.
    pub options: MapOptions,
    /// The model of a map of mass; none: `exact`.
    pub model: Option<String>,
    /// The plane of a slice; none: the whole volume.
    pub plane: Option<Plane>,
    /// Where the slice is along the axis across it, m (rad); none: the middle of the reach.
    pub at: Option<f64>,
    /// From where to where along each axis, m (rad); none: all that is reached.
    pub ranges: [Option<[f64; 2]>; 3],
    /// Positions along each axis, 2 to 2000.
    pub count: usize,
    /// The channel that a picture shows, or `all`; none: the first, or the one over all arms.
    pub channel: Option<String>,
    /// Threads; the numbers do not depend on it. None: all processors.
    pub threads: Option<usize>,
}

impl MapRequest {
    /// A horizontal slice through the middle with 200 × 200 positions.
    pub fn new(robot: Robot, kind: Kind) -> Self {
        Self {
            robot,
            kind,
            options: MapOptions::default(),
            model: None,
            plane: Some(Plane::Xy),
            at: None,
            ranges: [None; 3],
            count: 200,
            channel: None,
            threads: None,
        }
    }

    fn field(&self) -> Result<Field<'_>, VerbError> {
        let (robot, options) = (&self.robot, &self.options);
        if let Some(margin) = options.least_margin.filter(|margin| !(0.0..1.0).contains(margin)) {
            return Err(VerbError::new("least-margin", format!("least_margin is {margin}, but must be from 0 to 1")));
        }
        let field = match &self.model {
            Some(model) if self.kind == Kind::Mass => model_mass(robot, model, options),
            _ => robot.field(self.kind, options),
        };
        field.map_err(|error| {
            let hint = match &error {
                MapError::StateError(refused) => refused.hint.map(str::to_owned),
                MapError::Model(model) => model.hint.clone(),
                _ => None,
            };
            VerbError { hint, ..failed("no-such-map", &robot.name)(error) }
        })
    }

    fn grid(&self, field: &Field<'_>) -> Result<PositionGrid, VerbError> {
        if !(2..=2000).contains(&self.count) {
            return Err(VerbError::new("count", format!("count is {}, but must be from 2 to 2000", self.count)));
        }
        let mut grid = match self.plane {
            Some(plane) => PositionGrid::slice(field, plane, self.at, self.count),
            None => PositionGrid::volume(field, self.count),
        };
        for ((axis, range), (name, _)) in grid.axes.iter_mut().zip(self.ranges).zip(field.axes()) {
            let Some([from, to]) = range else { continue };
            if axis.count < 2 {
                let message = format!("{name} is a range, but the slice is across {name}");
                return Err(VerbError::new("range-across", message).hint("`at` says where the slice is"));
            }
            if from.partial_cmp(&to) != Some(std::cmp::Ordering::Less) {
                let message = format!("the range of {name}, {from} to {to}, does not begin below its end");
                return Err(VerbError::new("range", message));
            }
            (axis.from, axis.to) = (from, to);
        }
        Ok(grid)
    }

    /// The channel of the picture; none: all of them.
    fn channel(&self, channels: &[Channel]) -> Result<Option<usize>, VerbError> {
        match self.channel.as_deref() {
            None => Ok(Some(self.kind.main_channel(channels.len()))),
            Some("all") => Ok(None),
            Some(name) => channels.iter().position(|channel| channel.name == name).map(Some).ok_or_else(|| {
                let known: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
                VerbError::new("channel", format!("no channel `{name}`"))
                    .hint(format!("known are {}, and all", known.join(", ")))
            }),
        }
    }
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapFormat {
    /// Without positions that are not reached, except for a map of reach.
    Csv,
    /// All positions, NaN where they are not reached.
    Parquet,
}

/// A file that a map is written to while it is computed.
pub struct MapFile<'w> {
    /// As errors name it.
    pub name: String,
    /// Its format.
    pub format: MapFormat,
    /// Where the bytes go.
    pub output: &'w mut (dyn io::Write + Send),
}

impl MapFile<'_> {
    fn writer(&mut self, field: &Field<'_>) -> Result<Box<dyn MapWriter + '_>, VerbError> {
        let writer = match self.format {
            MapFormat::Csv => CsvMap::new(field, &mut *self.output).map(|writer| Box::new(writer) as _),
            #[cfg(feature = "parquet")]
            MapFormat::Parquet => ParquetMap::new(field, &mut *self.output).map(|writer| Box::new(writer) as _),
            #[cfg(not(feature = "parquet"))]
            MapFormat::Parquet => Err(io::Error::other("this build has no Parquet")),
        };
        writer.map_err(|error| cannot_write(&self.name, error))
    }
}

fn cannot_write(name: &str, error: io::Error) -> VerbError {
    VerbError { source: Some(Box::new(error)), ..VerbError::new("write", format!("cannot write {name}")) }
}

/// Evaluates a quantity over a slice or a volume.
pub fn map(request: &MapRequest, observer: &mut dyn Observer) -> Result<MapOutcome, VerbError> {
    map_into(request, &mut [], observer)
}

/// The same, and writes tables. A volume is streamed to them: it is never held in memory.
pub fn map_into(
    request: &MapRequest,
    files: &mut [MapFile<'_>],
    observer: &mut dyn Observer,
) -> Result<MapOutcome, VerbError> {
    let field = request.field()?;
    let (field, grid) = (&field, request.grid(&field)?);
    let drawn = request.channel(field.channels())?;
    let found = threads::on(request.threads, || -> Result<_, VerbError> {
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let mut writers = files.iter_mut().map(|file| file.writer(field)).collect::<Result<Vec<_>, _>>()?;
        let observer = Mutex::new(observer);
        let all = if request.plane.is_some() { grid.len() / grid.axes[0].count } else { grid.len() };
        let going = |done: usize| {
            let Ok(mut observer) = observer.lock() else { return false };
            observer.progress(done as f64 / all as f64, "mapped");
            !observer.cancelled()
        };
        let (map, summary) = if request.plane.is_some() {
            let map = evaluate(field, &grid, &going).ok_or_else(VerbError::cancelled)?;
            for (writer, name) in writers.iter_mut().zip(&names) {
                map.write(writer.as_mut()).map_err(|error| cannot_write(name, error))?;
            }
            let summary = map.summary();
            (Some(map), summary)
        } else {
            let mut all: Vec<&mut dyn MapWriter> = writers.iter_mut().map(|writer| writer.as_mut() as _).collect();
            let summary = stream(field, &grid, &mut all, &going);
            let summary = summary.map_err(|error| cannot_write(&names[error.writer], error.cause))?;
            (None, summary.ok_or_else(VerbError::cancelled)?)
        };
        let reach = (request.kind == Kind::Reach).then(|| MapReach::new(request, &summary));
        Ok((map, summary, reach))
    });
    let (map, summary, reach) = found.map_err(|error| VerbError::new("threads", error))??;
    let channel = |(channel, range): (&Channel, &Option<ChannelRange>)| MapChannel {
        name: channel.name.clone(),
        unit: channel.unit,
        meaning: channel.meaning,
        least: range.map(|r| r.least),
        least_at: range.map(|r| r.least_at.0),
        largest: range.map(|r| r.largest),
        largest_at: range.map(|r| r.largest_at.0),
        count: range.map(|r| r.count),
        reasons: channel.reasons,
    };
    let [x, y, z] = grid.axes;
    let axes = match request.options.position {
        None => MapAxes::Positions { x, y, z },
        Some(_) => MapAxes::Orientations { roll: x, pitch: y, yaw: z },
    };
    let mut findings = Vec::new();
    let channels: Vec<MapChannel> = field.channels().iter().zip(&summary.ranges).map(channel).collect();
    if channels.iter().all(|channel| channel.reasons || channel.least.is_none()) && reach.is_none() {
        let slice = axes.all().into_iter().find(|(_, axis)| axis.count == 1);
        let unit = if request.options.position.is_none() { "m" } else { "rad" };
        let place =
            slice.map_or(String::new(), |(name, axis)| format!(", where {name} is {} {unit}", human(axis.from, 4)));
        let turned = match (request.robot.kind().tool_turns, field.places()) {
            (ToolTurns::Freely, Places::Positions(turned)) => {
                let angles = attitude(*turned).map(|angle| human(angle, 4)).join(", ");
                format!(" with the tool at roll, pitch, yaw = {angles} rad")
            }
            _ => String::new(),
        };
        let message = format!("nothing is reached here{turned}{place}");
        findings.push(Finding::new("nothing-reached", Severity::Warning, message));
    }
    if let Some(reason) = reach.as_ref().and_then(|reach| reach.not_usable.as_ref()) {
        findings.push(Finding::new("no-usable-region", Severity::Warning, reason));
    }
    Ok(MapOutcome {
        robot: request.robot.name.clone(),
        kind: request.kind.as_str(),
        positions: grid.len(),
        channels,
        axes,
        inertia_ratio: inertia_ratio(request, field, &summary),
        position: request.options.position.map(|position| position.0),
        reach,
        map,
        drawn,
        findings,
    })
}

/// A quantity over the workspace, in a few numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapOutcome {
    /// Name of the robot.
    pub robot: String,
    /// Name of the quantity.
    pub kind: &'static str,
    /// Positions of the grid.
    pub positions: usize,
    /// The numbers of the quantity.
    pub channels: Vec<MapChannel>,
    /// The grid.
    #[serde(flatten)]
    pub axes: MapAxes,
    /// Largest over least diagonal inertia over all motors: how much the inertia changes (Codourey).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inertia_ratio: Option<f64>,
    /// For a map of reach.
    #[serde(flatten)]
    pub reach: Option<MapReach>,
    /// The values of a slice.
    #[serde(skip)]
    pub map: Option<Map>,
    /// Where the tool of a map over orientations is, m.
    #[serde(skip)]
    pub position: Option<[f64; 3]>,
    #[serde(skip)]
    drawn: Option<usize>,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// One number of a quantity; no range where nothing is reached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapChannel {
    /// As a column.
    pub name: String,
    /// SI; empty for a plain number.
    pub unit: &'static str,
    /// In words.
    pub meaning: &'static str,
    /// Least value.
    pub least: Option<f64>,
    /// Where, m (rad).
    pub least_at: Option<[f64; 3]>,
    /// Largest value.
    pub largest: Option<f64>,
    /// Where, m (rad).
    pub largest_at: Option<[f64; 3]>,
    /// Positions with a value.
    pub count: Option<usize>,
    /// Whether its values are numbers of reasons.
    #[serde(skip)]
    pub reasons: bool,
}

/// The axes of the grid: positions, or orientations at one position.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)] // the names say it
pub enum MapAxes {
    Positions { x: GridAxis, y: GridAxis, z: GridAxis },
    Orientations { roll: GridAxis, pitch: GridAxis, yaw: GridAxis },
}

impl MapAxes {
    /// Names and ranges.
    pub fn all(&self) -> [(&'static str, GridAxis); 3] {
        match *self {
            Self::Positions { x, y, z } => [("x", x), ("y", y), ("z", z)],
            Self::Orientations { roll, pitch, yaw } => [("roll", roll), ("pitch", pitch), ("yaw", yaw)],
        }
    }
}

/// Why positions are not reached, and the largest usable regions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapReach {
    /// Reasons and how many positions each has.
    #[serde(serialize_with = "pairs")]
    #[schemars(with = "std::collections::BTreeMap<String, usize>")]
    pub reasons: Vec<(String, usize)>,
    /// Numbers of the reasons in a table.
    #[serde(serialize_with = "pairs")]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub reason_numbers: Vec<(String, String)>,
    /// About the axis of the robot.
    pub usable: Option<MapUsable>,
    /// Why there is no usable region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_usable: Option<String>,
    /// The margin of usable regions.
    #[serde(skip)]
    pub margin: f64,
}

/// The largest usable regions about the axis of a robot.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MapUsable {
    /// Margins from singularities are at least this.
    pub margin: f64,
    /// The largest cylinder.
    pub cylinder: UsableCylinder,
    /// The largest box.
    #[serde(rename = "box")]
    pub cuboid: UsableBox,
}

/// A cylinder about the axis of a robot, m.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // the names say it
pub struct UsableCylinder {
    pub radius: f64,
    pub from: f64,
    pub to: f64,
}

/// A box about the axis of a robot, m.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // the names say it
pub struct UsableBox {
    pub half_side: f64,
    pub from: f64,
    pub to: f64,
}

/// Pairs as an object, in their order.
fn pairs<V: Serialize, S: Serializer>(pairs: &[(String, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

impl MapReach {
    fn new(request: &MapRequest, summary: &MapSummary) -> Self {
        let margin = request.options.least_margin.unwrap_or(0.1);
        // Within the limits of the joints, as the map of reach has them.
        let usable = request.robot.usable_region(&request.options.pick, margin);
        let there_are = || summary.reasons.iter().copied().enumerate().filter(|(_, count)| *count > 0);
        Self {
            reasons: there_are().map(|(code, count)| (Reason::text(code), count)).collect(),
            reason_numbers: there_are().map(|(code, _)| (code.to_string(), Reason::text(code))).collect(),
            not_usable: usable.as_ref().and_then(|usable| usable.as_ref().err()).map(ToString::to_string),
            usable: usable.and_then(Result::ok).map(|w| MapUsable {
                margin,
                cylinder: UsableCylinder { radius: w.cylinder_radius, from: w.cylinder[0], to: w.cylinder[1] },
                cuboid: UsableBox { half_side: w.box_half_side, from: w.box_heights[0], to: w.box_heights[1] },
            }),
            margin,
        }
    }
}

/// The largest diagonal inertia over the least, for a robot whose joints are all of one kind.
fn inertia_ratio(request: &MapRequest, field: &Field<'_>, summary: &MapSummary) -> Option<f64> {
    let joints = request.robot.joints();
    if request.kind != Kind::Mass || joints.iter().any(|joint| joint.kind != joints[0].kind) {
        return None;
    }
    let diagonal = |name: &str| (1..=joints.len()).any(|i| name == format!("M{i}{i}"));
    let ranges = field.channels().iter().zip(&summary.ranges).filter(|(channel, _)| diagonal(&channel.name));
    let diagonal: Vec<ChannelRange> = ranges.map(|(_, range)| *range).collect::<Option<_>>()?;
    let largest = diagonal.iter().map(|r| r.largest).fold(f64::MIN, f64::max);
    let least = diagonal.iter().map(|r| r.least).fold(f64::MAX, f64::min);
    Some(largest / least)
}

impl MapOutcome {
    /// The slice as a picture.
    pub fn picture(&self) -> Result<Picture, VerbError> {
        let title = format!("{}: {}", self.robot, self.kind);
        let drawn = self.map.as_ref().and_then(|map| match self.drawn {
            Some(channel) => map.heat_map(channel, &title),
            None => map.heat_maps(&title),
        });
        let nothing = "nothing is reached in this slice: there is nothing to draw";
        let hint = "another plane, place, orientation or posture";
        drawn.ok_or_else(|| VerbError::new("nothing-reached", nothing).hint(hint))
    }

    /// Shares of the positions by reason, from 0 to 1.
    pub fn shares(&self) -> Vec<(&str, f64)> {
        let reasons = self.reach.iter().flat_map(|reach| &reach.reasons);
        reasons.map(|(reason, count)| (reason.as_str(), *count as f64 / self.positions as f64)).collect()
    }
}

impl Outcome for MapOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |MapChannel { name, unit, least, largest, .. }: &MapChannel| {
            let both = [("least", *least), ("largest", *largest)];
            both.map(|(what, value)| value.map(|value| (format!("{name}.{what}"), value, *unit)))
        };
        let channels = self.channels.iter().filter(|channel| !channel.reasons).flat_map(of).flatten();
        let ratio = self.inertia_ratio.map(|ratio| ("inertia_ratio", ratio, ""));
        let reached = self.shares().into_iter().find(|(reason, _)| *reason == Reason::text(0));
        let reached = self.reach.as_ref().map(|_| ("reached", reached.map_or(0.0, |(_, share)| share), ""));
        metrics("", channels).chain(metrics("", ratio.into_iter().chain(reached))).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
