//! `calibrate`: lengths, radii, angles and zero offsets from measured places of the tool.

use super::columns;
use crate::prelude::*;
use dalembert::identify::calibrate::{CalibrationSetup, NotCalibrated, readings};
use dalembert::identify::firmware::Firmware;
use dalembert::robot::JointKind;
use dalembert::verbs::calibrate::{CalibrateOutcome, CalibrateRequest, calibrate};

const CONTROLLERS: [(Firmware, &str, &str); 3] = [
    (Firmware::Klipper, "klipper", "printer.cfg: delta or rotary_delta"),
    (Firmware::Marlin, "marlin", "M665 and M666"),
    (Firmware::LinuxCnc, "linuxcnc", "lineardeltakins or rotarydeltakins"),
];

/// Whose coordinates were measured: whether their frame is fitted too.
fn frame() -> impl TypedValueParser<Value = bool> {
    one_of([
        (false, "robot", "The robot's base frame"),
        (true, "free", "An instrument's, which stands anywhere; its frame is fitted too"),
    ])
}

#[derive(Args)]
#[command(after_help = "\
A row of the table has joint readings q1, q2 … (rad, or `q1 [deg]`) and a measurement: x, y, z of the tool point of the file (m, or `x [mm]`; \
one or two of them are enough), or the `distance` to the tool point of the previous row. With --plate a row is a touch of one flat \
plate.

With --emit only parameters of the controller are fitted (one radius for all arms, angles of arms 2 and 3, zero offsets). \
The lines of its configuration are printed. --plate is then the bed, which is level by definition. Arms 1, 2, 3 are Klipper's steppers a, b, c, \
Marlin's X, Y, Z, LinuxCNC's joints 0, 1, 2.

Examples:
  dalembert calibrate d3-1200 tracker.csv --frame free -o calibrated.toml
  dalembert calibrate linear-delta probed.csv --plate
  dalembert calibrate linear-delta probed.csv --plate --emit klipper --endstop '0.45,0.45,0.45'
  dalembert calibrate arm.toml points.csv --fit link.2,link.3 --json")]
pub struct CalibrateArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Table of joint readings and measured positions, CSV
    #[arg(value_name = "TABLE")]
    table: String,
    /// Write the calibrated robot file
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Frame of the measurements
    #[arg(long, default_value = "robot", value_parser = frame(), action = clap::ArgAction::Set)]
    frame: bool,
    /// Every row is a contact with one flat plate at an unknown pose
    #[arg(long)]
    plate: bool,
    /// Print the configuration of a controller
    ///
    /// Only its parameters are fitted
    #[arg(long, conflicts_with = "json", value_parser = one_of(CONTROLLERS))]
    emit: Option<Firmware>,
    /// Joint readings at the endstops, rad (m), for --emit
    #[arg(long, value_name = "Q1,Q2,Q3", requires = "emit", allow_hyphen_values = true)]
    endstop: Option<String>,
    /// Height of the bed in the base frame, for --emit without --plate, m  [default: 0]
    #[arg(long, value_name = "Z", requires = "emit", conflicts_with = "plate", allow_hyphen_values = true)]
    bed: Option<String>,
    /// Fit only parameters whose keys start with these  [default: every length and angle]
    #[arg(long, value_name = "KEYS")]
    fit: Option<String>,
    /// Do not fit the zero offsets of the joints
    #[arg(long)]
    no_offsets: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CalibrateArguments {
    /// What is asked of the library, still without the points.
    fn request(&self) -> Result<CalibrateRequest, Failure> {
        let robot = self.robot.find()?;
        let slides = robot.joints().iter().any(|joint| joint.kind == JointKind::Prismatic);
        let dimension = if slides { Dimension::Length } else { Dimension::Angle };
        let endstops = self.endstop.as_deref().map(|text| match numbers("endstop", text, |_| dimension)?[..] {
            [a, b, c] => Ok([a, b, c]),
            ref other => Err(Failure::new(format!("--endstop has {} numbers, but must have 3", other.len()))),
        });
        let keys = |text: &String| text.split(',').map(|key| key.trim().to_owned()).collect();
        Ok(CalibrateRequest {
            setup: CalibrationSetup {
                free_frame: self.frame,
                plate: self.plate,
                only: self.fit.as_ref().map(keys),
                without_offsets: self.no_offsets,
                ..CalibrationSetup::default()
            },
            controller: self.emit,
            endstops: endstops.transpose()?,
            bed: optional(number, "bed", &self.bed, Dimension::Length)?.unwrap_or(0.0),
            ..CalibrateRequest::new(robot, Vec::new())
        })
    }
}

pub fn run(arguments: &CalibrateArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut request = arguments.request()?;
    let mut files = Files::open("robot file", &arguments.out)?;
    let failed = |error: VerbError| match &*error.code {
        "controller" => error.into(),
        _ => Failure::from(error).at(&arguments.table),
    };
    let points = readings(&columns(&arguments.table)?, &request.robot);
    request.points = points.map_err(|error| failed(NotCalibrated::from(error).into()))?;
    let outcome = calibrate(&request, &mut ()).map_err(failed)?;
    files.write("robot file", |sink| {
        match outcome.found.with_offsets().unwrap_or_else(|| outcome.found.robot.clone()).to_toml() {
            Some(text) => sink.text(&text),
            None => Err(Failure::new(format!("a {} has no files", request.robot.kind().title))),
        }
    })?;
    files.show(screen, &outcome, arguments.json, Names::Hidden, |screen| {
        as_text(&request.robot.name, &outcome, screen);
        if let (Some(controller), Some(text)) = (request.controller, &outcome.configuration) {
            let name = CONTROLLERS.iter().find(|(own, ..)| *own == controller).map_or("", |(_, name, _)| name);
            screen.heading(format!("For {name}"));
            text.lines().for_each(|line| screen.line(line));
            if request.endstops.is_none() {
                screen.line("The heights of the switches follow from the joints' readings there: --endstop");
            }
        }
    })
}

fn as_text(name: &str, outcome: &CalibrateOutcome, screen: &mut Screen) {
    let found = &outcome.found;
    let mm = |x: f64| format!("{} mm", human(1e3 * x, 4));
    screen.heading(format!("{name}: residual {} before, {} after (RMS)", mm(found.before), mm(found.after)));
    screen.line(format!(
        "  standard deviation of one measured number {}; condition number {}",
        mm(found.deviation),
        human(found.condition, 3)
    ));
    screen.table(&outcome.table());
    if !found.together.is_empty() {
        screen.heading("Not identifiable individually (kept)");
        found.together.iter().for_each(|text| screen.line(format!("  {text}")));
    }
    if !found.silent.is_empty() {
        screen.line(format!("  No effect on the measurements: {}", found.silent.join(", ")));
    }
    if found.offsets.iter().any(|offset| *offset != 0.0) {
        let list: Vec<String> = found.offsets.iter().map(|offset| format!("{offset:.7}")).collect();
        let list = list.join(",");
        screen.line(match found.with_offsets() {
            Some(_) => format!("  Zero offsets, which the robot file written by -o contains: {list}"),
            None => format!(
                "  Zero offsets, which this robot's file has no place for; add them to the readings: --offset {list}"
            ),
        });
    }
}
