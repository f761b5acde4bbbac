//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::{MotionArguments, flagged};
use crate::arguments::numbers::positive;
use crate::failure::Failure;
use crate::output::{Screen, Sink, human};
use crate::progress::Progress;
use clap::Args;
use dalembert::motion::MotionOrder;
use dalembert::robot::file::Dimension;
use dalembert::verbs::cycle::{CyclePlace, CycleRequest, cycle};

#[derive(Args)]
#[command(after_help = "\
A cycle is the whole named motion, back and forth for pick-and-place, within the torque and speed limits of the robot file. \
The default profile is `time-optimal`. Each point of the map is the centre of a cycle. The tool of \
an arm with a spherical wrist keeps its --orientation. The default motion is pick-and-place for every robot.

Examples:
  dalembert cycle d3-1200
  dalembert cycle d3-1200 --payload 4 --count 11 --out map.csv --plot map.svg
  dalembert cycle d3-1200 --path semi-ellipse --profile sine-on-ramp --json
  dalembert cycle puma560 --count 5 --out map.csv")]
pub struct CycleArguments {
    /// Half width of the map, m  [default: the radius of the workspace]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    half_width: Option<String>,
    /// Points per row and column
    #[arg(long, value_name = "N", default_value = "7", value_parser = clap::value_parser!(u32).range(1..=201))]
    count: u32,
    /// Write the map as CSV
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Draw the map: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
}

pub fn run(mut arguments: CycleArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.motion.robot.find()?;
    // Not every robot's usual motion has a place that could be moved about.
    arguments.motion.order.path.get_or_insert_with(|| MotionOrder::default().path);
    let half_width = arguments.half_width.as_deref();
    let request = CycleRequest {
        half_width: half_width.map(|text| positive("half-width", text, Dimension::Length)).transpose()?,
        count: arguments.count as usize,
        motion: arguments.motion.request(robot, CycleRequest::USUAL_PROFILE)?,
    };
    let mut plot = arguments.plot.as_deref().map(Sink::for_picture).transpose()?;
    let mut csv = arguments.out.as_deref().map(Sink::new).transpose()?;
    let outcome = cycle(&request, &mut Progress::start("cycles")).map_err(flagged)?;
    if let Some(sink) = &mut csv {
        sink.text(&outcome.map.to_csv())?;
    }
    if let Some(sink) = &mut plot {
        sink.picture(&outcome.picture().map_err(|error| Failure::from(error).hint("give --count 2 or more"))?)?;
    }
    for sink in [csv, plot].into_iter().flatten() {
        sink.finish()?;
    }
    if [&arguments.out, &arguments.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if arguments.json {
        return screen.outcome(&outcome);
    }
    screen.heading(outcome.title());
    screen.line(format!("  {}", outcome.caption));
    screen.table(&outcome.table());
    let CyclePlace { center, duration, .. } = &outcome.fastest;
    let [x, y, z] = center.map(|x| human(x, 4));
    screen.line(format!("  fastest: {} s at ({x}, {y}, {z}) m", human(duration.unwrap_or(f64::NAN), 4)));
    for (name, what) in [(&arguments.out, "map"), (&arguments.plot, "plot")] {
        if let Some(name) = name {
            screen.line(format!("  {what}: {name}"));
        }
    }
    Ok(())
}
