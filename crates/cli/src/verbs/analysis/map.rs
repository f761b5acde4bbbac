//! `map`: a quantity over a slice or a volume of the workspace.

use super::{ChangeArguments, list};
use crate::arguments::tell_warnings;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use crate::progress::Progress;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use dalembert::Robot;
use dalembert::analyze::Reach;
use dalembert::analyze::map::{Grid, Kind, Map, Mapper, Plane, Reason, Usable, map, usable};
use dalembert::delta::ModelName;
use dalembert::describe::{AnyRobot, Dimension};
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
KIND: reach (and the reason), transmission (type-1 margins), determinant (type-2 margin), condition, mass (M11..M33: \
Codourey 1998, Figures 4 and 5), gravity (holding torques), acceleration and force (what the motors give in every \
direction), resolution (platform per encoder step), stability (stiffness, growth and least gain under a constant \
torque), torque-error (a model against another).

--out by its ending: .svg and .png draw one channel, .csv and .parquet hold all; may be given several times. A volume \
(--volume) goes to .csv or, streamed, to .parquet.

Examples:
  dalembert map mass d3-1200 --out mass.svg
  dalembert map stability asadi --plane xz --out stability.png --out stability.csv
  dalembert map reach my-robot.toml --within-limits --json
  dalembert map torque-error d3-1200 --model falezza-simplified --acceleration 30 --out error.svg
  dalembert map mass d3-1200 --volume --count 200 --out volume.parquet")]
pub struct MapArguments {
    /// What is mapped
    #[arg(value_name = "KIND", value_parser = kinds())]
    kind: String,
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
    /// The plane of the slice
    #[arg(long, default_value = "xy")]
    plane: PlaneChoice,
    /// Where the slice is along the axis across it, m  [default: the middle of the reach]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    at: Option<String>,
    /// Map the whole volume instead of a slice
    #[arg(long, conflicts_with_all = ["plane", "at"])]
    volume: bool,
    /// Positions along each axis
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(2..=2000))]
    count: u32,
    /// Which of the quantity's numbers is drawn  [default: the first, or the one over all arms]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// Positions beyond joint ranges and ball angles count as not reached
    #[arg(long)]
    within_limits: bool,
    /// Positions with a type-1 or type-2 margin below this count as not reached: near a singularity everything explodes
    #[arg(long, value_name = "M", default_value = "0.1", allow_hyphen_values = true)]
    least_margin: String,
    /// Step of the joints' encoders for `resolution`, rad
    #[arg(long, value_name = "RAD", default_value = "1e-4", allow_hyphen_values = true)]
    encoder_step: String,
    /// The model of `torque-error`
    #[arg(long, value_name = "MODEL", default_value = "codourey-simplified", value_parser = models())]
    model: String,
    /// What it is compared with
    #[arg(long, value_name = "MODEL", default_value = "exact", value_parser = models())]
    reference: String,
    /// Platform acceleration of `torque-error`, m/s²
    #[arg(long, value_name = "A", default_value = "50", allow_hyphen_values = true)]
    acceleration: String,
    /// Threads; the numbers do not depend on it  [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Where it goes: .svg, .png, .csv, .parquet
    #[arg(short, long, value_name = "FILE")]
    out: Vec<String>,
    #[command(flatten)]
    changes: ChangeArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlaneChoice {
    /// Horizontal
    Xy,
    /// Vertical, along x
    Xz,
    /// Vertical, along y
    Yz,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(Kind::NAMED.map(|(name, _)| name))
}

fn models() -> PossibleValuesParser {
    PossibleValuesParser::new(ModelName::ALL.map(ModelName::as_str))
}

impl MapArguments {
    fn kind(&self) -> Result<Kind, Failure> {
        let named = Kind::NAMED.iter().find(|(name, _)| *name == self.kind).map(|(_, kind)| *kind);
        let model = |name: &str| ModelName::parse(name).ok_or_else(|| Failure::new(format!("no model `{name}`")));
        Ok(match named {
            Some(Kind::Resolution { .. }) => {
                Kind::Resolution { step: list("encoder-step", &self.encoder_step, Dimension::Angle, 1)?[0] }
            }
            Some(Kind::TorqueError { .. }) => Kind::TorqueError {
                model: model(&self.model)?,
                reference: model(&self.reference)?,
                acceleration: list("acceleration", &self.acceleration, Dimension::Acceleration, 1)?[0],
            },
            Some(kind) => kind,
            None => return Err(Failure::new(format!("there is no map `{}`", self.kind))),
        })
    }

    fn grid(&self, robot: &Robot) -> Result<Grid, Failure> {
        if self.volume {
            return Ok(Grid::volume(&robot.delta, self.count as usize));
        }
        let plane = match self.plane {
            PlaneChoice::Xy => Plane::Xy,
            PlaneChoice::Xz => Plane::Xz,
            PlaneChoice::Yz => Plane::Yz,
        };
        let at = self.at.as_deref().map(|text| list("at", text, Dimension::Length, 1)).transpose()?;
        Ok(Grid::slice(&robot.delta, plane, at.map(|at| at[0]), self.count as usize))
    }
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

pub fn run(arguments: &MapArguments, screen: &mut Screen) -> Result<(), Failure> {
    let any = AnyRobot::find(&arguments.robot)?;
    tell_warnings(&arguments.robot, any.warnings());
    let AnyRobot::Delta(mut robot) = any else {
        return Err(Failure::new(format!("{} is a serial arm: maps are of Deltas", arguments.robot)));
    };
    arguments.changes.apply(&mut robot)?;
    let kind = arguments.kind()?;
    let mut mapper = Mapper::new(&robot, kind).map_err(|error| Failure::new(format!("{}: {error}", robot.name)))?;
    mapper.within_limits = arguments.within_limits;
    // Maps of the margins themselves show all of them.
    if !matches!(kind, Kind::Reach | Kind::Transmission | Kind::Determinant) {
        mapper.least_margin = list("least-margin", &arguments.least_margin, Dimension::Ratio, 1)?[0];
    }
    let grid = arguments.grid(&robot)?;
    for name in &arguments.out {
        let known = if arguments.volume { ["csv", "parquet", "", ""] } else { ["svg", "png", "csv", "parquet"] };
        if !known.contains(&ending(name)) || ending(name).is_empty() {
            let what = if arguments.volume { ".csv or .parquet" } else { ".svg, .png, .csv or .parquet" };
            return Err(
                Failure::new(format!("cannot write {name}")).hint(format!("a name that ends in {what} is needed"))
            );
        }
    }
    let channel = match &arguments.channel {
        None => kind.main_channel(),
        Some(name) => mapper.channels().iter().position(|channel| channel.name == *name).ok_or_else(|| {
            let known: Vec<&str> = mapper.channels().iter().map(|channel| channel.name.as_str()).collect();
            Failure::new(format!("no channel `{name}`")).hint(format!("known are {}", known.join(", ")))
        })?,
    };
    let mut sinks = Vec::new();
    for name in &arguments.out {
        sinks.push((name.as_str(), Sink::new(name)?));
    }
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = arguments.threads {
        pool = pool.num_threads(threads as usize);
    }
    let pool = pool.build().map_err(|error| Failure::new("cannot start threads").because(error))?;
    // Parquet alone is streamed; anything else needs the whole map.
    let stream_only = arguments.volume && !sinks.is_empty() && sinks.iter().all(|(name, _)| ending(name) == "parquet");
    let found = if stream_only {
        None
    } else {
        let progress = Progress::of("mapped", (grid.len() / grid.axes[0].count) as f64);
        let report = |row: usize| {
            progress.reached(row as f64);
            true
        };
        let found = pool.install(|| map(&mapper, &grid, &report));
        progress.end();
        found
    };
    for (name, sink) in &mut sinks {
        write(name, sink, &mapper, &grid, found.as_ref(), (channel, &robot.name), &pool)?;
    }
    for (_, sink) in sinks {
        sink.finish()?;
    }
    if arguments.out.iter().any(|name| name == "-") {
        return Ok(());
    }
    if arguments.json {
        screen.json(&as_json(&robot, &mapper, &grid, found.as_ref(), arguments));
    } else {
        as_text(&robot, &mapper, &grid, found.as_ref(), arguments, screen);
    }
    Ok(())
}

fn write(
    name: &str,
    sink: &mut Sink,
    mapper: &Mapper<'_>,
    grid: &Grid,
    found: Option<&Map>,
    (channel, robot): (usize, &str),
    pool: &rayon::ThreadPool,
) -> Result<(), Failure> {
    let failed = |error| Failure::io(&format!("cannot write {name}"), error);
    let picture = || {
        let title = format!("{robot}: {}", mapper.kind().as_str());
        let picture =
            found.and_then(|found| found.heat_map(&mapper.kind(), channel, &title).map(|p| (p.to_svg(), p.to_png())));
        picture.ok_or_else(|| {
            Failure::new("nothing is reached in this slice: there is nothing to draw").hint("change --at or --plane")
        })
    };
    match ending(name) {
        "svg" => sink.text(&picture()?.0),
        "png" => std::io::Write::write_all(sink, &picture()?.1).map_err(failed),
        "csv" => found.map_or(Ok(()), |found| found.write_csv(sink)).map_err(failed),
        _ => parquet(sink, mapper, grid, pool).map_err(failed),
    }
}

#[cfg(feature = "parquet")]
fn parquet(sink: &mut Sink, mapper: &Mapper<'_>, grid: &Grid, pool: &rayon::ThreadPool) -> std::io::Result<()> {
    let progress = Progress::of("written", grid.len() as f64 * 1e-3);
    let report = |count: usize| {
        progress.reached(count as f64 * 1e-3);
        true
    };
    let written = pool.install(|| mapper.write_parquet(grid, sink, &report));
    progress.end();
    written.map(drop)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &mut Sink, _: &Mapper<'_>, _: &Grid, _: &rayon::ThreadPool) -> std::io::Result<()> {
    Err(std::io::Error::other("this build has no Parquet"))
}

fn reasons(found: &Map) -> Vec<(usize, usize)> {
    let mut counts = [0; 17];
    (0..found.grid.len()).for_each(|k| counts[(found.value(k, 0) as usize).min(16)] += 1);
    counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect()
}

fn largest_usable(robot: &Robot, within_limits: bool) -> Option<dalembert::analyze::map::Workspace> {
    let reach = Reach::of(&robot.delta);
    let what = Usable { limits: within_limits.then_some(robot.limits), ..Usable::default() };
    usable(&robot.delta, &what, [reach.lowest, reach.highest], 100)
}

/// The largest diagonal inertia over the least, of all motors: Codourey's measure of how much the inertia changes.
fn inertia_ratio(mapper: &Mapper<'_>, found: &Map) -> Option<f64> {
    if mapper.kind() != Kind::Mass {
        return None;
    }
    let ranges: Option<Vec<_>> = [0, 3, 5].into_iter().map(|k| found.range(k)).collect();
    let ranges = ranges?;
    let largest = ranges.iter().map(|r| r.largest).fold(f64::MIN, f64::max);
    let least = ranges.iter().map(|r| r.least).fold(f64::MAX, f64::min);
    Some(largest / least)
}

fn as_json(robot: &Robot, mapper: &Mapper<'_>, grid: &Grid, found: Option<&Map>, arguments: &MapArguments) -> Value {
    let axes = grid.axes.map(|axis| json!({ "from": axis.from, "to": axis.to, "count": axis.count }));
    let channels: Vec<Value> = mapper
        .channels()
        .iter()
        .enumerate()
        .map(|(k, channel)| {
            let range = found.and_then(|found| found.range(k));
            json!({
                "name": channel.name, "unit": channel.unit, "meaning": channel.meaning,
                "least": range.map(|r| r.least), "least_at": range.map(|r| r.least_at.0),
                "largest": range.map(|r| r.largest), "largest_at": range.map(|r| r.largest_at.0),
                "count": range.map(|r| r.count),
            })
        })
        .collect();
    let mut json = json!({
        "robot": robot.name, "kind": mapper.kind().as_str(), "positions": grid.len(),
        "x": axes[0], "y": axes[1], "z": axes[2], "channels": channels,
    });
    if let Some(ratio) = found.and_then(|found| inertia_ratio(mapper, found)) {
        json["inertia_ratio"] = json!(ratio);
    }
    if mapper.kind() == Kind::Reach {
        if let Some(found) = found {
            json["reasons"] = reasons(found)
                .into_iter()
                .map(|(code, count)| (Reason::text(code), json!(count)))
                .collect::<serde_json::Map<_, _>>()
                .into();
        }
        json["usable"] = largest_usable(robot, arguments.within_limits).map_or(Value::Null, |w| {
            json!({
                "cylinder": { "radius": w.cylinder_radius, "from": w.cylinder[0], "to": w.cylinder[1] },
                "box": { "half_side": w.box_half_side, "from": w.box_heights[0], "to": w.box_heights[1] },
            })
        });
    }
    json
}

fn as_text(
    robot: &Robot,
    mapper: &Mapper<'_>,
    grid: &Grid,
    found: Option<&Map>,
    arguments: &MapArguments,
    screen: &mut Screen,
) {
    let size: Vec<String> = grid.axes.iter().filter(|axis| axis.count > 1).map(|axis| axis.count.to_string()).collect();
    screen.heading(format!("{}: {}, {} positions", robot.name, mapper.kind().as_str(), size.join(" × ")));
    if let Some(found) = found {
        let mut table = Table::new("lrlrll");
        table.head(["", "least", "at x, y, z", "largest", "at x, y, z", ""]);
        for (k, channel) in mapper.channels().iter().enumerate() {
            let Some(range) = found.range(k) else { continue };
            let at = |p: dalembert::Vec3<f64>| p.0.map(|x| human(x, 3)).join(", ");
            table.row([
                channel.name.clone(),
                human(range.least, 4),
                at(range.least_at),
                human(range.largest, 4),
                at(range.largest_at),
                channel.unit.to_owned(),
            ]);
        }
        screen.table(&table);
        if let Some(ratio) = inertia_ratio(mapper, found) {
            screen.line("");
            screen.line(format!("  largest over least diagonal inertia: {}", human(ratio, 4)));
        }
        if mapper.kind() == Kind::Reach {
            screen.line("");
            let all = found.grid.len() as f64;
            for (code, count) in reasons(found) {
                screen.line(format!("  {:5.1} %  {}", 100.0 * count as f64 / all, Reason::text(code)));
            }
        }
    }
    if mapper.kind() == Kind::Reach
        && let Some(w) = largest_usable(robot, arguments.within_limits)
    {
        screen.line("");
        screen.heading("Largest usable regions about the axis (margins at least 0.1)");
        screen.line(format!(
            "  cylinder: radius {} m, z = {} … {} m",
            human(w.cylinder_radius, 4),
            human(w.cylinder[0], 4),
            human(w.cylinder[1], 4)
        ));
        screen.line(format!(
            "  box: {} × {} m, z = {} … {} m",
            human(2.0 * w.box_half_side, 4),
            human(2.0 * w.box_half_side, 4),
            human(w.box_heights[0], 4),
            human(w.box_heights[1], 4)
        ));
    }
    for name in &arguments.out {
        screen.line("");
        screen.line(format!(
            "{}: {name}",
            if ending(name) == "csv" || ending(name) == "parquet" { "data" } else { "plot" }
        ));
    }
}
