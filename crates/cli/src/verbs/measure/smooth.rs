//! `smooth`: velocities and accelerations of a log.

use super::{MappingArguments, MappingPlan, PreprocessingArguments};
use crate::failure::Failure;
use crate::output::{Screen, Sink, ending, human};
use clap::Args;
use dalembert::identify::{PreparedLog, Preprocessing};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::report::recording::Recording;
use dalembert::robot::{Joint, Robot};
use serde_json::json;

#[derive(Args)]
#[command(after_help = "\
The result has even times t, q1.., qd1.., qdd1.. and the low-pass filtered tau1.., so that `torque -i` and `compare --states` \
read it.

Examples:
  dalembert smooth run.csv -o smooth.csv --plot smooth.svg
  dalembert smooth run.csv --smoother kalman -o smooth.parquet
  dalembert smooth run.csv --json                 what is wrong with a log, without writing it")]
pub struct SmoothArguments {
    /// A log: CSV, Parquet, .mat, .npy or .npz with times, joint positions and torques
    #[arg(value_name = "LOG")]
    logs: String,
    /// Write the smoothed log: CSV, or Parquet where the name ends so
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Draw positions, velocities and accelerations: SVG or PNG
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Name of a built-in robot or path to a robot file, whose joints these are  [default: as many as the log has, turning]
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

/// `smooth`, ready to run.
pub struct SmoothPlan {
    joints: Vec<Joint>,
    log: String,
    output: Option<String>,
    plot: Option<String>,
    json: bool,
    preprocessing: Preprocessing,
    mapping: MappingPlan,
}

impl SmoothArguments {
    pub fn plan(self) -> Result<SmoothPlan, Failure> {
        let robot = self.robot.as_deref().map(Robot::find).transpose()?;
        let mapping = self.mapping.plan(&robot.as_ref().map_or(Vec::new(), |robot| robot.joints()))?;
        let joints = match robot {
            Some(robot) => robot.joints(),
            None => mapping.joints(&self.logs)?,
        };
        Ok(SmoothPlan {
            preprocessing: self.preprocessing.plan()?,
            mapping,
            log: self.logs,
            output: self.output,
            plot: self.plot,
            json: self.json,
            joints,
        })
    }
}

fn recording(run: &PreparedLog, joints: &[Joint]) -> Result<Recording, Failure> {
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    for (stem, what) in [("q", "position"), ("qd", "velocity"), ("qdd", "acceleration"), ("tau", "torque")] {
        for (i, joint) in joints.iter().enumerate() {
            let units = joint.kind.units();
            let unit = match stem {
                "q" => units.position,
                "qd" => units.speed,
                "qdd" => units.acceleration,
                _ => units.torque,
            };
            columns.push((format!("{stem}{}", i + 1), unit, format!("{what} of joint {}", i + 1)));
        }
    }
    let mut all = Recording::new(columns).map_err(|error| Failure::new(error.to_string()))?;
    // What bridges a hole was not measured.
    for k in (0..run.q[0].len()).filter(|&k| run.sound[k]) {
        let mut row = vec![run.time(k)];
        [&run.q, &run.qd, &run.qdd, &run.tau].iter().for_each(|of| row.extend(of.iter().map(|series| series[k])));
        all.push(&row).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(all)
}

fn chart(run: &PreparedLog, joints: &[Joint]) -> Chart {
    let every = run.q[0].len().div_ceil(1500).max(1);
    let panel = |title: &str, of: &[Vec<f64>], unit: &str| {
        let points = |series: &Vec<f64>| (0..series.len()).step_by(every).map(|k| (run.time(k), series[k])).collect();
        let lines: Vec<Line> =
            of.iter().enumerate().map(|(i, series)| Line { series: i, points: points(series) }).collect();
        Panel {
            title: title.to_owned(),
            y_label: unit.to_owned(),
            y_range: range_of(of.iter().flatten().copied()),
            lines,
        }
    };
    let units = joints[0].kind.units();
    let name =
        |i: usize| Series { name: format!("joint {}", i + 1), color: COLORS[i % COLORS.len()], width: 1.3, dash: "" };
    Chart {
        title: run.name.clone(),
        subtitle: format!("low-pass {} Hz", human(run.cutoff, 3)),
        x_label: "t, s".into(),
        x_range: (run.start, run.time(run.q[0].len() - 1)),
        x_decades: false,
        columns: 2,
        panels: vec![
            panel("positions", &run.q, units.position),
            panel("velocities", &run.qd, units.speed),
            panel("accelerations", &run.qdd, units.acceleration),
            panel("torques", &run.tau, units.torque),
        ],
        series: (0..joints.len()).map(name).collect(),
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

pub fn run(plan: &SmoothPlan, screen: &mut Screen) -> Result<(), Failure> {
    let joints = &plan.joints;
    let mut output = plan.output.as_deref().map(Sink::new).transpose()?;
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let log = plan.mapping.read(&plan.log, joints)?;
    let run = PreparedLog::new(&log, joints, &plan.preprocessing)
        .map_err(|error| Failure::new(format!("bad log: {}: {error}", plan.log)))?;
    if let (Some(sink), Some(name)) = (&mut output, &plan.output) {
        let recording = recording(&run, joints)?;
        let written = match ending(name).as_str() {
            #[cfg(feature = "parquet")]
            "parquet" => recording.write_parquet(sink),
            _ => recording.write_csv(sink),
        };
        written.map_err(|error| Failure::io(&format!("cannot write {name}"), error))?;
    }
    if let Some(sink) = &mut plot {
        sink.picture(&chart(&run, joints).draw())?;
    }
    for sink in [output, plot].into_iter().flatten() {
        sink.finish()?;
    }
    if [&plan.output, &plan.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    let h = &run.health;
    if plan.json {
        screen.json(&json!({
            "rows": h.rows, "step": h.step, "jitter": h.jitter, "backward": h.backward, "gaps": h.gaps.0,
            "longest_gap": h.gaps.1, "unstamped": h.unstamped, "missing": h.missing, "wrapped": h.wrapped, "outliers": h.outliers, "saturated": h.saturated, "rest": h.rest,
            "speeds": h.speeds, "noise": h.noise, "cutoff": run.cutoff, "notes": log.notes, "warnings": log.warnings,
        }));
        return Ok(());
    }
    screen.heading(format!("{}: {} rows", plan.log, h.rows));
    log.notes.iter().for_each(|note| screen.line(format!("  {note}")));
    screen.line(format!(
        "  {} Hz, stamps off by up to {} % of a step, {} gaps, {} rows backward",
        human(1.0 / h.step, 5),
        human(100.0 * h.jitter, 2),
        h.gaps.0,
        h.backward
    ));
    let left_out = run.sound.iter().filter(|sound| !**sound).count();
    if left_out > 0 {
        screen.line(format!(
            "  {} s in and beside gaps are left out of what is written",
            human(left_out as f64 * run.step, 3)
        ));
    }
    if h.unstamped > 0 {
        screen.line(format!("  {} rows have no time", h.unstamped));
    }
    screen.line(format!("  nothing moves for {} % of the time", human(100.0 * h.rest, 3)));
    for (i, joint) in joints.iter().enumerate() {
        let units = joint.kind.units();
        screen.line(format!(
            "  joint {}: at most {} {}; position noise {} {} RMS; {} positions and {} torques stand alone; torque at its limit for {} %",
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
    Ok(())
}
