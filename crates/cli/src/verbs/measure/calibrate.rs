//! `calibrate`: lengths, radii, angles and zero offsets from measured places of the tool.

use super::columns;
use crate::arguments::RobotArguments;
use crate::arguments::numbers::{number, numbers};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use clap::{Args, ValueEnum};
use dalembert::identify::calibrate::{Calibration, CalibrationSetup, NotCalibrated, calibrate, readings};
use dalembert::identify::firmware::Firmware;
use dalembert::robot::file::Dimension;
use dalembert::robot::{JointKind, Robot};
use serde_json::json;

/// A controller
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirmwareChoice {
    /// printer.cfg: delta or rotary_delta
    Klipper,
    /// M665 and M666
    Marlin,
    /// lineardeltakins or rotarydeltakins
    Linuxcnc,
}

/// Whose coordinates were measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FrameChoice {
    /// The robot's base frame
    Robot,
    /// An instrument's, which stands anywhere; its frame is fitted too
    Free,
}

#[derive(Args)]
#[command(after_help = "\
A row of the table has joint readings q1, q2 … (rad, or `q1 [deg]`) and what was measured there: x, y, z of the tool (m, or `x [mm]`; \
one or two of them are enough), or `distance` to where the tool was in the row before. With --plate a row is a touch of one flat \
plate.

With --emit the numbers are those that the controller has (one radius for all arms, angles of arms 2 and 3, the zeros), and it prints \
the lines of its configuration. --plate is then the bed, which is level by definition. Arms 1, 2, 3 are Klipper's steppers a, b, c, \
Marlin's X, Y, Z, LinuxCNC's joints 0, 1, 2.

Examples:
  dalembert calibrate d3-1200 tracker.csv --frame free -o calibrated.toml
  dalembert calibrate linear-delta probed.csv --plate
  dalembert calibrate linear-delta probed.csv --plate --emit klipper --endstop '0.45,0.45,0.45'
  dalembert calibrate arm.toml points.csv --fit link.2,link.3 --json")]
pub struct CalibrateArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Table of joint readings and measured places, CSV
    #[arg(value_name = "TABLE")]
    table: String,
    /// Write the calibrated robot
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Whose coordinates were measured
    #[arg(long, value_enum, default_value = "robot")]
    frame: FrameChoice,
    /// Every row is a touch of one flat plate, wherever it is
    #[arg(long)]
    plate: bool,
    /// Print the values for a controller, and fit only what it has
    #[arg(long, value_enum, conflicts_with = "json")]
    emit: Option<FirmwareChoice>,
    /// What the joints read at their switches, rad (m) or with unit: for the heights that --emit prints
    #[arg(long, value_name = "Q1,Q2,Q3", requires = "emit", allow_hyphen_values = true)]
    endstop: Option<String>,
    /// Height of the bed in the base frame, for --emit without --plate, m  [default: 0]
    #[arg(long, value_name = "Z", requires = "emit", conflicts_with = "plate", allow_hyphen_values = true)]
    bed: Option<String>,
    /// Only numbers whose names begin so  [default: every length and angle]
    #[arg(long, value_name = "KEYS")]
    fit: Option<String>,
    /// Leave the zero offsets of the joints as they are
    #[arg(long)]
    no_offsets: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `calibrate`, ready to run.
pub struct CalibratePlan {
    robot: Robot,
    table: String,
    output: Option<String>,
    setup: CalibrationSetup,
    emit: Option<Firmware>,
    endstop: Option<[f64; 3]>,
    bed: f64,
    json: bool,
}

impl CalibrateArguments {
    pub fn plan(self) -> Result<CalibratePlan, Failure> {
        let only = self.fit.map(|text| text.split(',').map(|key| key.trim().to_owned()).collect());
        let robot = self.robot.find()?;
        let emit = self.emit.map(|choice| match choice {
            FirmwareChoice::Klipper => Firmware::Klipper,
            FirmwareChoice::Marlin => Firmware::Marlin,
            FirmwareChoice::Linuxcnc => Firmware::LinuxCnc,
        });
        let tied = match emit.map(|firmware| firmware.numbers(&robot)).transpose() {
            Ok(tied) => tied,
            Err(error) => return Err(Failure::new(error.to_string())),
        };
        let slides = robot.joints().iter().any(|joint| joint.kind == JointKind::Prismatic);
        let dimension = if slides { Dimension::Length } else { Dimension::Angle };
        let endstop = match &self.endstop {
            Some(text) => match numbers("endstop", text, |_| dimension)?[..] {
                [a, b, c] => Some([a, b, c]),
                ref other => {
                    return Err(Failure::new(format!("--endstop has {} numbers, but must have 3", other.len())));
                }
            },
            None => None,
        };
        Ok(CalibratePlan {
            setup: CalibrationSetup {
                free_frame: self.frame == FrameChoice::Free,
                plate: self.plate,
                level: emit.is_some(),
                tied,
                only,
                without_offsets: self.no_offsets,
            },
            robot,
            table: self.table,
            output: self.output,
            emit,
            endstop,
            bed: self.bed.map_or(Ok(0.0), |text| number("bed", &text, Dimension::Length))?,
            json: self.json,
        })
    }
}

fn failed(name: &str, error: NotCalibrated) -> Failure {
    let hint = match &error {
        NotCalibrated::Table(error) => error.hint(),
        NotCalibrated::Row { .. } => {
            Some("are the readings those of this robot, in rad? write `q1 [deg]` for degrees".into())
        }
        NotCalibrated::Numbers(_) => Some("measure more places, or fit fewer numbers (--fit, --no-offsets)".into()),
        _ => None,
    };
    Failure::new(format!("{name}: {error}")).maybe_hint(hint)
}

pub fn run(plan: &CalibratePlan, screen: &mut Screen) -> Result<(), Failure> {
    let mut output = plan.output.as_deref().map(Sink::new).transpose()?;
    let table = columns(&plan.table)?;
    let rows = readings(&table, &plan.robot).map_err(|error| failed(&plan.table, error.into()))?;
    let found = calibrate(&plan.robot, &rows, &plan.setup).map_err(|error| failed(&plan.table, error))?;
    if let Some(sink) = &mut output {
        match found.robot.to_toml() {
            Some(text) => sink.text(&text)?,
            None => return Err(Failure::new(format!("a {} has no files", plan.robot.kind().title))),
        }
    }
    if let Some(sink) = output {
        sink.finish()?;
    }
    match plan.output.as_deref() {
        Some("-") => {}
        _ if plan.json => screen.json(&as_json(&found)),
        _ => as_text(plan, &found, screen),
    }
    if let Some(firmware) = plan.emit.filter(|_| plan.output.as_deref() != Some("-")) {
        let text = firmware
            .text(&found, plan.endstop, found.plate.unwrap_or(plan.bed))
            .map_err(|error| Failure::new(error.to_string()))?;
        screen.heading(format!("For {}", firmware.name()));
        text.lines().for_each(|line| screen.line(line));
    }
    Ok(())
}

fn as_text(plan: &CalibratePlan, found: &Calibration, screen: &mut Screen) {
    let mm = |x: f64| format!("{} mm", human(1e3 * x, 4));
    screen.heading(format!("{}: off by {} before, {} after", plan.robot.name, mm(found.before), mm(found.after)));
    screen.line(format!(
        "  one measured number is off by {} (σ); condition {}",
        mm(found.deviation),
        human(found.condition, 3)
    ));
    let mut table = Table::new("lrrrrl");
    table.head(["", "robot file", "found", "change", "σ", "unit"]);
    for number in &found.numbers {
        let (scale, unit) = match number.unit {
            "m" => (1e3, "mm"),
            "rad" => (180.0 / std::f64::consts::PI, "deg"),
            other => (1.0, other),
        };
        let cell = |value: f64, digits| human(scale * value, digits);
        table.row([
            number.name.clone(),
            cell(number.before, 7),
            cell(number.after, 7),
            cell(number.after - number.before, 4),
            number.sigma.map_or("–".to_owned(), |sigma| cell(sigma, 2)),
            unit.to_owned(),
        ]);
    }
    screen.table(&table);
    if !found.together.is_empty() {
        screen.heading("Not told by themselves (left as they are)");
        found.together.iter().for_each(|text| screen.line(format!("  {text}")));
    }
    if !found.silent.is_empty() {
        screen.line(format!("  Without effect on what was measured: {}", found.silent.join(", ")));
    }
    if found.offsets.iter().any(|offset| *offset != 0.0) {
        let list: Vec<String> = found.offsets.iter().map(|offset| format!("{offset:.7}")).collect();
        screen.line(format!(
            "  Zero offsets, which a robot file has no place for; add them to the readings: --offset {}",
            list.join(",")
        ));
    }
}

fn as_json(found: &Calibration) -> serde_json::Value {
    let numbers = found.numbers.iter().map(|number| {
        json!({ "name": number.name, "unit": number.unit, "before": number.before, "after": number.after, "sigma": number.sigma })
    });
    json!({
        "before": found.before,
        "after": found.after,
        "deviation": found.deviation,
        "condition": found.condition,
        "numbers": numbers.collect::<Vec<_>>(),
        "offsets": found.offsets,
        "together": found.together,
        "silent": found.silent,
    })
}
