//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::{MotionArguments, say_notes};
use crate::prelude::*;
use dalembert::motion::MotionOrder;
use dalembert::verbs::cycle::{CycleOutcome, CyclePlace, CycleRequest, cycle};

#[derive(Args)]
#[command(after_help = "\
A cycle is the whole named motion, back and forth for pick-and-place, within the torque and speed limits of the robot file. \
The default profile is `time-optimal`. Each point of the map is the centre of a cycle. The tool of \
a serial arm keeps its --orientation. The default motion is pick-and-place for every robot.

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
    let request = CycleRequest {
        half_width: optional(positive, "half-width", &arguments.half_width, Dimension::Length)?,
        count: arguments.count as usize,
        motion: arguments.motion.request(robot, CycleRequest::USUAL_PROFILE)?,
    };
    let mut files = Files::open("map", &arguments.out)?.and("plot", &arguments.plot)?;
    let outcome = cycle(&request, &mut Progress::start("cycles"))?;
    say_notes(&outcome);
    files.write("map", |sink| sink.text(&outcome.map.to_csv()))?;
    files.write("plot", |sink| {
        sink.picture(&outcome.picture().map_err(|error| Failure::from(error).hint("give --count 2 or more"))?)
    })?;
    files.show(screen, &outcome, arguments.json, Names::Listed, |screen| as_text(&outcome, screen))
}

fn as_text(outcome: &CycleOutcome, screen: &mut Screen) {
    screen.heading(outcome.title());
    screen.line(format!("  {}", outcome.caption));
    screen.table(&outcome.table());
    let CyclePlace { center, duration, .. } = &outcome.fastest;
    let [x, y, z] = center.map(|x| human(x, 4));
    screen.line(format!("  fastest: {} s at ({x}, {y}, {z}) m", human(duration.unwrap_or(f64::NAN), 4)));
}
