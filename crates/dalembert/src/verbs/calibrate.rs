//! Geometric calibration: lengths, radii, angles and zero offsets from measured places of the tool.

use super::prelude::*;
use crate::identify::calibrate::{Calibrated, Calibration, CalibrationPoint, CalibrationSetup, NotCalibrated};
use crate::identify::firmware::{CannotSay, Firmware};

/// What was measured and what is fitted.
#[derive(Clone, Debug)]
pub struct CalibrateRequest {
    /// The robot as its file has it.
    pub robot: Robot,
    /// Joint readings with what was measured there.
    pub points: Vec<CalibrationPoint>,
    /// What is unknown in addition to the robot's parameters.
    pub setup: CalibrationSetup,
    /// A controller: fitted are the parameters that it has, and a touched plate is its bed, which is level.
    pub controller: Option<Firmware>,
    /// The joints' readings at their switches, rad (m), for the controller.
    pub endstops: Option<[f64; 3]>,
    /// Height of the bed in the base frame, m, for the controller; a touched plate has its own.
    pub bed: f64,
}

impl CalibrateRequest {
    /// All lengths and angles and the zero offsets, coordinates in the robot's base frame.
    pub fn new(robot: Robot, points: Vec<CalibrationPoint>) -> Self {
        let setup = CalibrationSetup::default();
        Self { robot, points, setup, controller: None, endstops: None, bed: 0.0 }
    }
}

/// A calibrated robot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CalibrateOutcome {
    /// The parameters.
    #[serde(flatten)]
    pub found: Calibration,
    /// The lines for the controller's configuration.
    #[serde(skip)]
    pub configuration: Option<String>,
    /// What was noticed.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Outcome for CalibrateOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let Calibration { before, after, deviation, condition, numbers, .. } = &self.found;
        let residuals = [("residual.before", *before, "m"), ("residual.after", *after, "m")];
        let fit = [("deviation", *deviation, "m"), ("condition", *condition, "")];
        let of = |number: &Calibrated| (number.name.replace([' ', ','], "_"), number.after, number.unit);
        metrics("", [residuals, fit].concat()).chain(metrics("parameter.", numbers.iter().map(of))).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl CalibrateOutcome {
    /// The parameters as a table, in mm and degrees.
    pub fn table(&self) -> Table {
        let row = |Calibrated { name, before, after, sigma, unit, .. }: &Calibrated| {
            let (scale, unit) = match *unit {
                "m" => (1e3, "mm"),
                "rad" => (180.0 / std::f64::consts::PI, "deg"),
                other => (1.0, other),
            };
            let cell = |value: f64, digits| human(scale * value, digits);
            let sigma = sigma.map_or("–".to_owned(), |sigma| cell(sigma, 2));
            [name.clone(), cell(*before, 7), cell(*after, 7), cell(after - before, 4), sigma, unit.to_owned()]
        };
        let head = ["", "robot file", "found", "change", "σ", "unit"];
        Table::of("lrrrrl", head, self.found.numbers.iter().map(row))
    }
}

impl From<NotCalibrated> for VerbError {
    fn from(error: NotCalibrated) -> Self {
        let (code, hint) = match &error {
            NotCalibrated::Table(error) => ("table", error.hint()),
            NotCalibrated::Row { .. } => {
                ("row", Some("are the readings those of this robot, in rad? write `q1 [deg]` for degrees".into()))
            }
            NotCalibrated::Scale { .. } => {
                ("scale", Some("lengths are in m; write the unit into the heading, as in `x [mm]`".into()))
            }
            NotCalibrated::Implausible { .. }
            | NotCalibrated::Unexplained { .. }
            | NotCalibrated::InvalidParameters(_) => {
                let hint = "are the readings in rad and the places in m (`q1 [deg]`, `x [mm]`), in the frame of the robot, and of the tool \
                            point of the file? Or fit fewer parameters, from places farther apart";
                ("implausible", Some(hint.into()))
            }
            NotCalibrated::Numbers(_) => ("numbers", Some("measure more places, or fit fewer parameters".into())),
            NotCalibrated::Nothing(_) => ("nothing-to-fit", None),
        };
        Self { hint, ..Self::new(code, error) }
    }
}

impl From<CannotSay> for VerbError {
    fn from(error: CannotSay) -> Self {
        Self::new("controller", error)
    }
}

/// Calibrates a robot.
pub fn calibrate(request: &CalibrateRequest, _: &mut dyn Observer) -> Result<CalibrateOutcome, VerbError> {
    let CalibrateRequest { robot, points, controller, .. } = request;
    let mut setup = request.setup.clone();
    if let Some(controller) = controller {
        (setup.tied, setup.level) = (Some(controller.numbers(robot)?), true);
    }
    let found = crate::identify::calibrate::calibrate(robot, points, &setup)?;
    // The controller's coordinates are those of the platform's centre, below which the tool point touches the bed.
    let bed = found.plate.unwrap_or(request.bed) - robot.kind().tool_offset[2];
    let configuration = controller.map(|controller| controller.text(&found, request.endstops, bed)).transpose()?;
    let note = |code, text: String| Finding::new(code, Severity::Note, text);
    let together = found.together.iter().map(|text| note("not-identifiable-individually", text.clone()));
    let silent = (!found.silent.is_empty()).then(|| found.silent.join(", "));
    let silent = silent.map(|names| note("no-effect", format!("no effect on the measurements: {names}")));
    Ok(CalibrateOutcome { findings: together.chain(silent).collect(), found, configuration })
}
