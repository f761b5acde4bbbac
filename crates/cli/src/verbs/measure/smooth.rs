//! `smooth`: velocities and accelerations of a log.

use super::{MappingArguments, PreprocessingArguments};
use crate::prelude::*;
use dalembert::verbs::smooth::{SmoothOutcome, SmoothRequest, smooth};

#[derive(Args)]
#[command(after_help = "\
The result has even times t, q1.., qd1.., qdd1.. and the low-pass filtered tau1.., as `torque` and `compare --states` \
read it.

Examples:
  dalembert smooth run.csv -o smooth.csv --plot smooth.svg
  dalembert smooth run.csv --smoother kalman -o smooth.parquet
  dalembert smooth run.csv --json                 only the quality of the log")]
pub struct SmoothArguments {
    /// A log: CSV, Parquet, .mat, .npy or .npz with times, joint positions and torques
    #[arg(value_name = "LOG")]
    logs: String,
    /// Write the smoothed log: .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Draw positions, velocities and accelerations: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Robot of the log, a name or a file  [default: revolute joints, as many as the log has]
    #[arg(long, value_name = "ROBOT")]
    robot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    preprocessing: PreprocessingArguments,
    #[command(flatten)]
    mapping: MappingArguments,
}

pub fn run(arguments: &SmoothArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.robot.as_deref().map(Robot::find).transpose()?;
    let mapping = arguments.mapping.plan(&robot.as_ref().map_or(Vec::new(), |robot| robot.joints()))?;
    let joints = match robot {
        Some(robot) => robot.joints(),
        None => mapping.joints(&arguments.logs)?,
    };
    let preprocessing = arguments.preprocessing.plan()?;
    let mut files = Files::open("log", &arguments.out)?.and("plot", &arguments.plot)?;
    let log = mapping.read(&arguments.logs, &joints)?;
    let outcome = smooth(&SmoothRequest { log, joints, preprocessing }, &mut ())?;
    files.write("log", |sink| sink.recording(&outcome.recording().map_err(Failure::new)?))?;
    files.write("plot", |sink| sink.picture(&outcome.chart().draw()))?;
    files.show(screen, &outcome, arguments.json, Names::Hidden, |screen| as_text(&arguments.logs, &outcome, screen))
}

fn as_text(name: &str, outcome: &SmoothOutcome, screen: &mut Screen) {
    let h = &outcome.health;
    screen.heading(format!("{name}: {} rows", h.rows));
    outcome.notes.iter().for_each(|note| screen.line(format!("  {note}")));
    screen.line(format!(
        "  {} Hz, time stamps off by up to {} % of a step, {} gaps, {} rows backward",
        human(1.0 / h.step, 5),
        human(100.0 * h.jitter, 2),
        h.gaps,
        h.backward
    ));
    if let Some(row) = h.first_backward {
        screen.line(format!("  left out: rows whose time jumps back, or far ahead alone; the first is row {row}"));
    }
    if outcome.left_out() > 0.0 {
        screen.line(format!("  {} s in and next to gaps are not written", human(outcome.left_out(), 3)));
    }
    if h.unstamped > 0 {
        screen.line(format!("  {} rows have no time", h.unstamped));
    }
    screen.line(format!("  at rest for {} % of the time", human(100.0 * h.rest, 3)));
    for (i, joint) in outcome.joints.iter().enumerate() {
        let units = joint.kind.units();
        screen.line(format!(
            "  joint {}: at most {} {}; position noise {} {} RMS; {} positions and {} torques are outliers; torque at its limit for {} %",
            i + 1,
            human(h.speeds[i], 3),
            units.speed,
            human(h.noise[i], 2),
            units.position,
            h.outliers[i][0],
            h.outliers[i][1],
            human(100.0 * h.saturated[i], 2)
        ));
        if h.missing[i] != [0, 0] {
            screen.line(format!("    no number in {} positions and {} torques", h.missing[i][0], h.missing[i][1]));
        }
        if h.wrapped[i] > 0 {
            screen.line(format!("    the positions jump by a turn {} times: unwrapped", h.wrapped[i]));
        }
    }
}
