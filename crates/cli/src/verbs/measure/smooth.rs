//! `smooth`: velocities and accelerations of a log.

use super::{MappingArguments, MappingPlan, PreprocessingArguments, finish, log_hint};
use crate::failure::Failure;
use crate::output::{Screen, Sink, ending, human};
use clap::Args;
use dalembert::identify::Preprocessing;
use dalembert::robot::{Joint, Robot};
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

/// `smooth`, ready to run.
pub struct SmoothPlan {
    joints: Vec<Joint>,
    log: String,
    out: Option<String>,
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
            out: self.out,
            plot: self.plot,
            json: self.json,
            joints,
        })
    }
}

pub fn run(plan: &SmoothPlan, screen: &mut Screen) -> Result<(), Failure> {
    let mut output = plan.out.as_deref().map(Sink::new).transpose()?;
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let (joints, preprocessing) = (plan.joints.clone(), plan.preprocessing.clone());
    let log = plan.mapping.read(&plan.log, &joints)?;
    let outcome = smooth(&SmoothRequest { log, joints, preprocessing }, &mut ()).map_err(log_hint)?;
    if let (Some(sink), Some(name)) = (&mut output, &plan.out) {
        let recording = outcome.recording().map_err(|error| Failure::new(error.to_string()))?;
        let written = match ending(name).as_str() {
            #[cfg(feature = "parquet")]
            "parquet" => recording.write_parquet(sink),
            _ => recording.write_csv(sink),
        };
        written.map_err(|error| Failure::io(&format!("cannot write {name}"), error))?;
    }
    if let Some(sink) = &mut plot {
        sink.picture(&outcome.chart().draw())?;
    }
    match finish([output, plot], [&plan.out, &plan.plot])? {
        true if plan.json => screen.outcome(&outcome)?,
        true => as_text(&plan.log, &outcome, screen),
        false => {}
    }
    Ok(())
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
