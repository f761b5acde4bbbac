//! `map`: a quantity over a slice or a volume of the workspace.

use super::{ChangeArguments, list};
use crate::prelude::*;
use crate::verbs::motion::posture;
use dalembert::analyze::map::Plane;
use dalembert::robot::map::{Kind, MapOptions};
use dalembert::robot::orientation::rotation;
use dalembert::verbs::map::{MapChannel, MapFile, MapFormat, MapOutcome, MapReach, MapRequest, MapUsable, map_into};

#[derive(Args)]
#[command(after_help = "\
QUANTITY: reach (with the reason), condition, mass (M11..M33 as in Codourey 1998, Figures 4 and 5), gravity (holding torques), \
acceleration and force (available in every direction), resolution (tool displacement per encoder step). \
Also determinant: type-2 margin of a Delta, manipulability of an arm. For a Delta: transmission (type-1 margins), \
stability (stiffness, growth and smallest stabilising gain), torque-error (one model against another).

--out by its ending: .svg and .png draw one channel, .csv and .parquet hold all; may be given several times. A volume \
(--volume) is streamed to .csv and .parquet, whatever its size. Ctrl-C ends it and writes nothing, exit code 130. CSV \
leaves out positions without a value; a map of reach has a value at every position. Parquet holds all positions, with NaN \
where there is no value.

Column reach is 0 for a reachable position, otherwise a code: 1-3 too far for that arm, 4-6 too close to \
arm 1-3, 7-9 arm 1-3 singular (type 1), 10 platform singular (type 2); 11-13 joint 1-3 out of range, 14-16 ball joint 1-3 \
beyond its angle; of other robots 17 too far, 18 too close, 19-26 joint 1-8 out of range, 27-31 ball joint 4-8 beyond its angle, \
32 no joint positions put the tool there, turned like this.

Of a serial arm the tool has a constant --orientation (roll, pitch, yaw; default pointing down, or as at home where fewer \
than six joints cannot point it down). An arm like the PUMA is in one --posture, any other takes the solution of `ik`. With --position or a plane of angles the map is over orientations \
at a constant position: roll, pitch, yaw (rad), R = Rz(yaw) Ry(pitch) Rx(roll).

Examples:
  dalembert map d3-1200 mass --out mass.svg
  dalembert map d3-1200 mass --model codourey-simplified --x=-0.3,0.3 --y=-0.3,0.3 --at=-0.85 --channel all --out mass.svg
  dalembert map asadi stability --plane xz --out stability.png --out stability.csv
  dalembert map my-robot.toml reach --within-limits --json
  dalembert map d3-1200 torque-error --model falezza-simplified --acceleration 30 --out error.svg
  dalembert map d3-1200 mass --volume --count 200 --out volume.parquet --out volume.csv
  dalembert map scara.toml mass --at 0.1 --out mass.svg
  dalembert map puma560 condition --plane xz --at 0.3 --out condition.svg
  dalembert map puma560 reach --orientation 0,'90 deg',0 --within-limits --out reach.svg
  dalembert map stewart reach --plane roll-pitch --out tilt.svg
  dalembert map hexa condition --position 0.05,0,-0.5 --plane pitch-yaw --at 0 --out turned.svg")]
pub struct MapArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Quantity to map
    #[arg(value_name = "QUANTITY", value_parser = one_of(Kind::NAMED.map(|(name, kind)| ((kind, name), name, ""))))]
    kind: (Kind, &'static str),
    /// The plane of the slice  [default: xy, with --position roll-pitch]
    #[arg(long, value_parser = planes())]
    plane: Option<(Plane, bool)>,
    /// Position of the slice along its normal, m (rad)  [default: the middle of the reach]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    at: Option<String>,
    /// Map the whole volume instead of a slice
    #[arg(long, conflicts_with_all = ["plane", "at"])]
    volume: bool,
    /// Map over orientations at this position, m  [default: home, with a plane of angles]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "orientation")]
    position: Option<String>,
    /// Range of x, m  [default: the reachable range]
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    x: Option<String>,
    /// Range of y, m
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    y: Option<String>,
    /// Range of z, m
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    z: Option<String>,
    /// Range of roll, rad or with unit  [default: the reachable range]
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    roll: Option<String>,
    /// Range of pitch
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    pitch: Option<String>,
    /// Range of yaw
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    yaw: Option<String>,
    /// Positions along each axis
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(2..=2000))]
    count: u32,
    /// Channel to draw, or `all`  [default: the first, or the one over all arms]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// Exclude positions beyond joint ranges and ball angles
    ///
    /// A map of reach always reports them
    #[arg(long)]
    within_limits: bool,
    /// Exclude positions with a smaller type-1 or type-2 margin  [default: 0.1]
    ///
    /// Near a singularity all values grow without bound. For robots that have such margins.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    least_margin: Option<String>,
    /// Elbow branch (Delta)
    #[arg(long, value_name = "BRANCH", value_parser = branch())]
    branch: Option<Branch>,
    /// Roll, pitch, yaw of the tool or platform, rad or with unit  [default: an arm points down if it can, a platform is as at home]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true)]
    orientation: Option<String>,
    /// Shoulder, elbow and wrist of an arm like the PUMA  [default: front,positive,positive]
    #[arg(long, value_name = "S,E,W")]
    posture: Option<String>,
    /// Step of the joints' encoders for `resolution`, rad  [default: 1e-4]
    #[arg(long, value_name = "RAD", allow_hyphen_values = true)]
    encoder_step: Option<String>,
    /// The model of `torque-error` [default: codourey-simplified], or of `mass` [default: exact]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Reference model of `torque-error`  [default: exact]
    #[arg(long, value_name = "MODEL")]
    reference: Option<String>,
    /// Acceleration of the tool for `torque-error`, m/s²  [default: 50]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    acceleration: Option<String>,
    /// Threads; the numbers do not depend on it  [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Write the map: .svg, .png, .csv, .parquet
    ///
    /// May be given several times
    #[arg(short, long, value_name = "FILE")]
    out: Vec<String>,
    #[command(flatten)]
    changes: ChangeArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A plane, and whether it is one of orientations.
fn planes() -> impl TypedValueParser<Value = (Plane, bool)> {
    one_of([
        ((Plane::Xy, false), "xy", "Horizontal"),
        ((Plane::Xz, false), "xz", "Vertical, along x"),
        ((Plane::Yz, false), "yz", "Vertical, along y"),
        ((Plane::Xy, true), "roll-pitch", "Over orientations: roll and pitch"),
        ((Plane::Xz, true), "roll-yaw", "Roll and yaw"),
        ((Plane::Yz, true), "pitch-yaw", "Pitch and yaw"),
    ])
}

impl MapArguments {
    fn kind(&self, robot: &Robot) -> Result<Kind, Failure> {
        let (kind, name) = self.kind;
        let model = |name: &Option<String>, default: &'static str| {
            let Some(name) = name else { return Ok(default) };
            let known: Vec<&str> = robot.models().iter().map(|spec| spec.name).collect();
            let found = robot.models().iter().find(|spec| spec.is_called(name)).map(|spec| spec.name);
            found.ok_or_else(|| {
                Failure::new(format!("`{name}` is not a model of {}", robot.name))
                    .hint(format!("known are {}", known.join(", ")))
            })
        };
        let resolution = matches!(kind, Kind::Resolution { .. });
        let error = matches!(kind, Kind::TorqueError { .. });
        let margins = matches!(kind, Kind::Transmission | Kind::Determinant);
        for (given, fits, option, of) in [
            (&self.encoder_step, resolution, "--encoder-step", "`resolution`"),
            (&self.model, error || kind == Kind::Mass, "--model", "`torque-error` and `mass`"),
            (&self.reference, error, "--reference", "`torque-error`"),
            (&self.acceleration, error, "--acceleration", "`torque-error`"),
            (&self.least_margin, !margins, "--least-margin", "maps of other things than the margins themselves"),
        ] {
            if given.is_some() && !fits {
                return Err(Failure::new(format!("{option} is for {of}, not for `{name}`")));
            }
        }
        let step = optional(number, "encoder-step", &self.encoder_step, Dimension::Angle)?.unwrap_or(1e-4);
        let acceleration = optional(number, "acceleration", &self.acceleration, Dimension::Acceleration)?;
        Ok(match kind {
            Kind::Resolution { .. } => Kind::Resolution { step },
            Kind::TorqueError { .. } => Kind::TorqueError {
                model: model(&self.model, "codourey-simplified")?,
                reference: model(&self.reference, "exact")?,
                acceleration: acceleration.unwrap_or(50.0),
            },
            kind => kind,
        })
    }

    /// From where to where along each axis of the map.
    fn ranges(&self, turns: bool) -> Result<[Option<[f64; 2]>; 3], Failure> {
        let (positions, angles) = (
            [("x", &self.x), ("y", &self.y), ("z", &self.z)],
            [("roll", &self.roll), ("pitch", &self.pitch), ("yaw", &self.yaw)],
        );
        let (own, others, dimension) = match turns {
            true => (angles, positions, Dimension::Angle),
            false => (positions, angles, Dimension::Length),
        };
        if let Some((name, _)) = others.iter().find(|(_, window)| window.is_some()) {
            let names = own.map(|(own, _)| own).join(", ");
            let problem = format!("--{name} is a range of a map over {name}, and this one is over {names}");
            return Err(Failure::new(problem).hint("--position x,y,z or --plane roll-pitch maps over orientations"));
        }
        let mut ranges = [None; 3];
        for (range, (name, window)) in ranges.iter_mut().zip(own) {
            let Some(text) = window else { continue };
            let values = list(name, text, dimension, 2)?;
            if values[0].partial_cmp(&values[1]) != Some(std::cmp::Ordering::Less) {
                return Err(Failure::new(format!("--{name} {text} is not a range that begins below its end"))
                    .hint(format!("write FROM,TO, as in --{name}=-0.1,0.1; --count says how many places there are")));
            }
            *range = Some([values[0], values[1]]);
        }
        Ok(ranges)
    }

    /// Where the tool stays in a map over orientations.
    fn position(&self, robot: &Robot) -> Result<Option<Vec3<f64>>, Failure> {
        let turns = self.plane.map(|(_, turns)| turns);
        match &self.position {
            Some(_) if turns == Some(false) => {
                Err(Failure::new("with --position the map is over orientations, but --plane is one of positions")
                    .hint("--plane roll-pitch, roll-yaw or pitch-yaw"))
            }
            Some(text) => list("position", text, Dimension::Length, 3).map(|at| Some(Vec3::from_fn(|i| at[i]))),
            None if turns == Some(true) && self.orientation.is_some() => {
                Err(Failure::new("--orientation is for maps over positions, but --plane is one of orientations"))
            }
            None if turns == Some(true) => {
                let home = robot.home().map_err(|error| Failure::new(format!("{}: {error}", robot.name)))?;
                Ok(Some(home.tool.pose.origin))
            }
            None => Ok(None),
        }
    }

    fn options(&self, robot: &Robot) -> Result<MapOptions, Failure> {
        let turned = |text: &String| -> Result<_, Failure> {
            let angles = list("orientation", text, Dimension::Angle, 3)?;
            Ok(rotation([angles[0], angles[1], angles[2]]))
        };
        let least_margin = optional(number, "least-margin", &self.least_margin, Dimension::Ratio)?;
        if least_margin.is_some_and(|margin| !(0.0..1.0).contains(&margin)) {
            return Err(Failure::new("--least-margin must be between 0 and 1"));
        }
        let posture = self.posture.as_deref().map(posture).transpose()?;
        Ok(MapOptions {
            pick: Pick { elbows: self.branch, posture, ..Pick::default() },
            orientation: self.orientation.as_ref().map(turned).transpose()?,
            position: self.position(robot)?,
            within_limits: self.within_limits,
            least_margin,
            mass_model: None,
        })
    }

    fn request(&self) -> Result<MapRequest, Failure> {
        let robot = self.changes.find(&self.robot)?;
        let (kind, options) = (self.kind(&robot)?, self.options(&robot)?);
        let turns = options.position.is_some();
        let across = if turns { Dimension::Angle } else { Dimension::Length };
        Ok(MapRequest {
            at: optional(number, "at", &self.at, across)?,
            ranges: self.ranges(turns)?,
            model: self.model.clone(),
            plane: (!self.volume).then_some(self.plane.map_or(Plane::Xy, |(plane, _)| plane)),
            count: self.count as usize,
            channel: self.channel.clone(),
            threads: self.threads.map(|threads| threads as usize),
            options,
            ..MapRequest::new(robot, kind)
        })
    }

    fn check_outputs(&self) -> Result<(), Failure> {
        for name in &self.out {
            let known = if self.volume { ["csv", "parquet", "", ""] } else { ["svg", "png", "csv", "parquet"] };
            if !known.contains(&ending(name).as_str()) || ending(name).is_empty() {
                let what = if self.volume { ".csv or .parquet" } else { ".svg, .png, .csv or .parquet" };
                let hint = format!("a name that ends in {what} is needed");
                return Err(Failure::new(format!("cannot write {name}")).hint(hint));
            }
        }
        if self.channel.is_some() && !self.out.iter().any(|name| is_picture(name)) {
            return Err(Failure::new("--channel says what is drawn: there is no picture in --out")
                .hint("CSV and Parquet hold all channels"));
        }
        Ok(())
    }
}

fn is_picture(name: &str) -> bool {
    ["svg", "png"].contains(&ending(name).as_str())
}

pub fn run(arguments: &MapArguments, screen: &mut Screen) -> Result<(), Failure> {
    let request = arguments.request()?;
    arguments.check_outputs()?;
    let mut files = Files::default();
    for name in &arguments.out {
        files = files.and(if is_picture(name) { "plot" } else { "data" }, [name])?;
    }
    let mut tables: Vec<MapFile<'_>> = Vec::new();
    for (sink, name) in files.sinks("data").zip(arguments.out.iter().filter(|name| !is_picture(name))) {
        let format = if ending(name) == "csv" { MapFormat::Csv } else { MapFormat::Parquet };
        tables.push(MapFile { name: name.clone(), format, output: sink });
    }
    let outcome = map_into(&request, &mut tables, &mut Progress::stoppable("mapped"));
    let outcome = outcome.map_err(|error| match Failure::from(error) {
        Failure::Interrupted(_) => Failure::Interrupted(String::from("interrupted: nothing is written")),
        failure => failure,
    })?;
    files.write("plot", |sink| sink.picture(&outcome.picture()?))?;
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| show(&outcome, screen))
}

fn show(outcome: &MapOutcome, screen: &mut Screen) {
    let axes = outcome.axes.all();
    let size: Vec<String> =
        axes.iter().filter(|(_, axis)| axis.count > 1).map(|(_, axis)| axis.count.to_string()).collect();
    let places = match outcome.position {
        None => String::from("positions"),
        Some(position) => format!("orientations at {} m", position.map(|x| human(x, 4)).join(", ")),
    };
    screen.heading(format!("{}: {}, {} {places}", outcome.robot, outcome.kind, size.join(" × ")));
    let row = |channel: &MapChannel| {
        let end =
            |value: Option<f64>, at: Option<[f64; 3]>| Some([human(value?, 4), at?.map(|x| human(x, 3)).join(", ")]);
        let ends = [end(channel.least, channel.least_at)?, end(channel.largest, channel.largest_at)?].concat();
        Some([channel.name.clone()].into_iter().chain(ends).chain([channel.unit.to_owned()]))
    };
    let place = format!("at {}", axes.map(|(name, _)| name).join(", "));
    let channels = outcome.channels.iter().filter(|channel| !channel.reasons);
    let table = Table::of("lrlrll", ["", "least", &place, "largest", &place, ""], channels.filter_map(row));
    match table.rows().next() {
        Some(_) => screen.table(&table),
        None => {
            let empty = outcome.findings().iter().find(|finding| finding.code == "nothing-reached");
            screen.line(format!("  {}", empty.map_or("nothing is reached here", |finding| &finding.message)));
        }
    }
    if let Some(ratio) = outcome.inertia_ratio {
        screen.line("");
        screen.line(format!("  largest over least diagonal inertia: {}", human(ratio, 4)));
    }
    if let Some(reach) = &outcome.reach {
        screen.line("");
        for (reason, share) in outcome.shares() {
            screen.line(format!("  {:5.1} %  {reason}", 100.0 * share));
        }
        show_regions(reach, screen);
    }
}

fn show_regions(reach: &MapReach, screen: &mut Screen) {
    if reach.usable.is_none() && reach.not_usable.is_none() {
        return;
    }
    screen.title(format!(
        "Largest usable regions about the axis (within the limits, margins at least {})",
        human(reach.margin, 3)
    ));
    if let Some(reason) = &reach.not_usable {
        screen.line(format!("  {reason}"));
    }
    if let Some(MapUsable { cylinder: c, cuboid: b, .. }) = &reach.usable {
        let heights = |from: f64, to: f64| format!("z = {} … {} m", human(from, 4), human(to, 4));
        screen.line(format!("  cylinder: radius {} m, {}", human(c.radius, 4), heights(c.from, c.to)));
        let side = human(2.0 * b.half_side, 4);
        screen.line(format!("  box: {side} × {side} m, {}", heights(b.from, b.to)));
    }
}
