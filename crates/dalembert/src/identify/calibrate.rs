//! Geometric calibration: lengths, radii, angles and zero offsets from where the tool was measured to be.
//!
//! A row has joint readings and what was measured there: coordinates of the tool (x, y, z, or some of them), the distance to
//! where the tool was in the row before, or that the tool touched a plate whose plane is not known. The numbers of the robot
//! are those that its family lists; every length and angle among them is fitted, as far as the measurements determine it.

use super::log::{LogError, factor, unit_in, wrong_columns};
use super::table::LogTable;
use crate::report::text::human;
use crate::robot::file::Dimension;
use crate::robot::{JointKind, JointState, JointVector, Number, Pick, Robot};
use crate::{Mat3, Vec3};
use dalembert_core::parameter::{Tolerance, Unit};
use dalembert_identify::IdentifyError;
use dalembert_identify::nonlinear::{self, NonlinearFit};
use nalgebra::DVector;
use serde::Serialize;

/// A row of what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationPoint {
    /// What the joints read, rad (m).
    pub q: Vec<f64>,
    /// Where the tool was, m, as far as it was measured.
    pub place: [Option<f64>; 3],
    /// How far it was from where it was in the row before, m.
    pub distance: Option<f64>,
}

/// Numbers of a robot that a controller has as one: they move together, each by its factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Tied {
    /// As the controller calls it.
    pub name: String,
    /// m or rad.
    pub unit: &'static str,
    /// What the robot file says.
    pub value: f64,
    /// The numbers.
    pub parts: Vec<(Number, f64)>,
}

/// What is unknown in addition to the robot's parameters, and which of those are fitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationSetup {
    /// The coordinates are those of an instrument that stands anywhere: its frame is fitted too.
    pub free_frame: bool,
    /// Every row is a touch of one plate, whose plane is fitted too.
    pub plate: bool,
    /// That plate is level by definition, as the bed of a printer is: only its height is fitted.
    pub level: bool,
    /// Numbers that move together, in place of the robot's own.
    pub tied: Option<Vec<Tied>>,
    /// Only numbers whose name begins so; none: all.
    pub only: Option<Vec<String>>,
    /// Not the zero offsets of joints.
    pub without_offsets: bool,
}

/// A calibrated parameter.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// Its key in the robot file with the part's number, or what it is.
    pub name: String,
    /// m or rad.
    pub unit: &'static str,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Its standard deviation; none: it is not identifiable.
    pub sigma: Option<f64>,
}

/// The result of a calibration.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Calibration {
    /// RMS of the residuals before, m.
    pub before: f64,
    /// After, m.
    pub after: f64,
    /// Standard deviation of one measured number, from the residuals, m.
    pub deviation: f64,
    /// Condition number of the equations, with columns of length 1.
    pub condition: f64,
    /// The identifiable parameters, in order.
    pub numbers: Vec<Calibrated>,
    /// Zero offsets to be added to the readings: one for each joint.
    pub offsets: Vec<f64>,
    /// Parameters that are not identifiable individually, with the sum that is: `platform.radius: the same as −1 base.radius`.
    pub together: Vec<String>,
    /// Parameters without effect on the measurements.
    pub silent: Vec<String>,
    /// The calibrated robot, without zero offsets that its file has no place for.
    #[serde(skip)]
    pub robot: Robot,
    /// Height of the touched plate on the vertical axis, m.
    #[serde(skip)]
    pub plate: Option<f64>,
}

/// Why nothing is calibrated.
#[derive(Debug, thiserror::Error)]
pub enum NotCalibrated {
    /// The table.
    #[error(transparent)]
    Table(#[from] LogError),
    /// A robot that cannot be there, or that does not list its numbers.
    #[error("row {row}: {reason}")]
    Row {
        /// From 1.
        row: usize,
        /// Why.
        reason: String,
    },
    /// Numbers that no robot has.
    #[error("there is no such robot: {0}")]
    InvalidParameters(String),
    /// No number is open.
    #[error("no number of the robot begins with {0}")]
    Nothing(String),
    /// The computation.
    #[error(transparent)]
    Numbers(#[from] IdentifyError),
}

/// The readings of a table: columns `q1` …, `x`, `y`, `z`, `distance`, with units in brackets where they are not SI.
pub fn readings(table: &LogTable, robot: &Robot) -> Result<Vec<CalibrationPoint>, LogError> {
    let column = |name: &str, dimension: Dimension| -> Result<Option<Vec<f64>>, LogError> {
        let found = table.names.iter().position(|own| unit_in(own).0.eq_ignore_ascii_case(name));
        let Some(k) = found else { return Ok(None) };
        let scale = unit_in(&table.names[k]).1.map_or(Ok(1.0), |unit| factor(&unit, dimension))?;
        Ok(Some(table.values[k].iter().map(|x| x * scale).collect()))
    };
    let mut joints = Vec::new();
    for (i, joint) in robot.joints().iter().enumerate() {
        let dimension = if joint.kind == JointKind::Prismatic { Dimension::Length } else { Dimension::Angle };
        let name = format!("q{}", i + 1);
        let names = table.names.join(", ");
        let hint =
            format!("joint readings are q1, q2 …, in rad (m) or with a unit, as in `q1 [deg]`; the table has: {names}");
        joints.push(
            column(&name, dimension)?.ok_or_else(|| wrong_columns(format!("there is no column `{name}`"), hint))?,
        );
    }
    let places = ["x", "y", "z", "distance"].map(|name| column(name, Dimension::Length));
    let places = places.into_iter().collect::<Result<Vec<_>, _>>()?;
    let of = |values: &Option<Vec<f64>>, row: usize| values.as_ref().map(|all| all[row]).filter(|x| x.is_finite());
    let rows = (0..table.rows()).map(|row| CalibrationPoint {
        q: joints.iter().map(|all| all[row]).collect(),
        place: [0, 1, 2].map(|k| of(&places[k], row)),
        distance: of(&places[3], row),
    });
    Ok(rows.collect())
}

/// What is looked for, in the order in which it is preferred.
enum Open {
    /// The instrument: three coordinates, three angles.
    Frame(usize),
    /// z = a + b x + c y.
    Plate(usize),
    /// A number of the robot.
    Number(Number),
    /// Several of them together.
    Tied(Tied),
    /// A zero offset.
    Offset(usize),
}

fn name_of(robot: &Robot, open: &Open) -> (String, &'static str) {
    match open {
        Open::Frame(k) => {
            let names = ["x", "y", "z", "rotation about x", "rotation about y", "rotation about z"];
            (format!("frame of the instrument, {}", names[*k]), if *k < 3 { "m" } else { "rad" })
        }
        Open::Plate(k) => {
            (["plate, height", "plate, slope along x", "plate, slope along y"][*k].to_owned(), ["m", "1", "1"][*k])
        }
        Open::Offset(i) => {
            let slides = robot.joints()[*i].kind == JointKind::Prismatic;
            (format!("zero offset of joint {}", i + 1), if slides { "m" } else { "rad" })
        }
        Open::Tied(tied) => (tied.name.clone(), tied.unit),
        Open::Number(number) => {
            let mut name = match (number.place.part, robot.kind().part_table) {
                (Some(part), Some(table)) => format!("{table}.{}.{}", part + 1, number.field.key),
                (Some(part), None) => format!("{}.{}", number.field.key, part + 1),
                (None, _) => number.field.key.to_owned(),
            };
            if let Some(component) = number.place.component.and_then(|k| number.field.components.get(k)) {
                name = format!("{name}.{component}");
            }
            (name, if number.field.unit == Unit::Angle { "rad" } else { "m" })
        }
    }
}

/// A small rotation by a vector, to second order orthonormal: Cayley's.
fn rotation(r: Vec3<f64>) -> Mat3<f64> {
    let (h, square) = (r * 0.5, 0.25 * r.norm_squared());
    let skew = Mat3::skew(h);
    Mat3::from_fn(|i, j| {
        let unit = if i == j { 1.0 - square } else { 0.0 };
        (unit + 2.0 * h[i] * h[j] + 2.0 * skew[i][j]) / (1.0 + square)
    })
}

struct CalibrationProblem<'a> {
    robot: &'a Robot,
    readings: &'a [CalibrationPoint],
    setup: &'a CalibrationSetup,
    open: Vec<Open>,
}

impl CalibrationProblem<'_> {
    fn value(&self, at: &DVector<f64>, of: impl Fn(&Open) -> bool) -> f64 {
        self.open.iter().position(of).map_or(0.0, |k| at[k])
    }

    /// The robot with its numbers moved by what was found.
    fn robot(&self, at: &DVector<f64>) -> Result<Robot, String> {
        let is = |own: &Number, asked: &Number| std::ptr::eq(own.field, asked.field) && own.place == asked.place;
        let part = |open: &Open, asked: &Number| match open {
            Open::Number(own) if is(own, asked) => 1.0,
            Open::Tied(tied) => tied.parts.iter().filter(|(own, _)| is(own, asked)).map(|(_, factor)| factor).sum(),
            _ => 0.0,
        };
        let by = |asked: &Number| self.open.iter().zip(at.iter()).map(|(open, by)| part(open, asked) * by).sum();
        self.robot.moved(&by).map_err(|error| error.to_string())
    }

    fn offsets(&self, at: &DVector<f64>) -> Vec<f64> {
        let n = self.robot.joints().len();
        (0..n).map(|i| self.value(at, |open| matches!(open, Open::Offset(own) if *own == i))).collect()
    }

    /// Where the tool is in every row; or the row in which the robot cannot be, and why.
    fn places(&self, at: &DVector<f64>) -> Result<Vec<Vec3<f64>>, (usize, String)> {
        let robot = self.robot(at).map_err(|reason| (0, reason))?;
        let offsets = self.offsets(at);
        let place = |(row, reading): (usize, &CalibrationPoint)| {
            let q = JointVector::from_fn(offsets.len(), |i| reading.q[i] + offsets[i]);
            let found = robot.at_joints(&JointState::at_rest(q), &Pick::default());
            found.map(|state| state.tool.pose.origin).map_err(|error| (row + 1, error.to_string()))
        };
        self.readings.iter().enumerate().map(place).collect()
    }

    fn residuals(&self, at: &DVector<f64>) -> Option<DVector<f64>> {
        let places = self.places(at).ok()?;
        let frame = |k: usize| self.value(at, |open| matches!(open, Open::Frame(own) if *own == k));
        let turn = rotation(Vec3::from_fn(|k| frame(3 + k)));
        let origin = Vec3::from_fn(frame);
        let plate = [0, 1, 2].map(|k| self.value(at, |open| matches!(open, Open::Plate(own) if *own == k)));
        let mut all = Vec::new();
        for (row, reading) in self.readings.iter().enumerate() {
            let seen = turn * places[row] + origin;
            all.extend(reading.place.iter().enumerate().filter_map(|(k, value)| Some(seen[k] - (*value)?)));
            if let Some(distance) = reading.distance.filter(|_| row > 0) {
                all.push((places[row] - places[row - 1]).norm_squared().sqrt() - distance);
            }
            if self.setup.plate {
                let [a, b, c] = plate;
                let [x, y, z] = places[row].0;
                all.push((z - a - b * x - c * y) / (1.0 + b * b + c * c).sqrt());
            }
        }
        Some(DVector::from_vec(all))
    }
}

/// Calibrates a robot.
pub fn calibrate(
    robot: &Robot,
    readings: &[CalibrationPoint],
    setup: &CalibrationSetup,
) -> Result<Calibration, NotCalibrated> {
    let mut open: Vec<Open> = (0..if setup.free_frame { 6 } else { 0 }).map(Open::Frame).collect();
    if setup.plate {
        open.extend((0..if setup.level { 1 } else { 3 }).map(Open::Plate));
    }
    let geometric = |number: &Number| {
        // Where a mass is, is no geometry.
        !number.field.key.ends_with("center_of_mass")
            && matches!(number.field.unit, Unit::Length | Unit::Angle)
            && matches!(number.field.tolerance, Tolerance::Amount | Tolerance::Angle)
    };
    let wanted = |open: &Open| {
        let name = name_of(robot, open).0;
        setup.only.as_ref().is_none_or(|only| only.iter().any(|start| name.starts_with(start.as_str())))
    };
    match &setup.tied {
        Some(tied) => open.extend(tied.iter().cloned().map(Open::Tied).filter(wanted)),
        None => open.extend(robot.numbers().into_iter().filter(geometric).map(Open::Number).filter(wanted)),
    }
    let none = !open.iter().any(|open| matches!(open, Open::Number(_) | Open::Tied(_)));
    if let Some(only) = setup.only.as_ref().filter(|_| none) {
        return Err(NotCalibrated::Nothing(only.join(", ")));
    }
    if !setup.without_offsets {
        open.extend((0..robot.joints().len()).map(Open::Offset));
    }
    let problem = CalibrationProblem { robot, readings, setup, open };
    let mut start = DVector::zeros(problem.open.len());
    let places = problem.places(&start).map_err(|(row, reason)| match row {
        0 => NotCalibrated::InvalidParameters(reason),
        row => NotCalibrated::Row { row, reason },
    })?;
    // A plate starts at the mean height of the touches.
    for (k, open) in problem.open.iter().enumerate() {
        if let Open::Plate(0) = open {
            start[k] = places.iter().map(|place| place[2]).sum::<f64>() / places.len().max(1) as f64;
        }
    }
    /// Of the differences, m and rad.
    const STEP: f64 = 1e-3;
    let found = nonlinear::solve(&|at| problem.residuals(at), &start, STEP)?;
    outcome(&problem, &found)
}

fn outcome(problem: &CalibrationProblem<'_>, found: &NonlinearFit) -> Result<Calibration, NotCalibrated> {
    let robot = problem.robot;
    let names: Vec<(String, &'static str)> = problem.open.iter().map(|open| name_of(robot, open)).collect();
    let of_file = |open: &Open| match open {
        Open::Number(number) => number.value,
        Open::Tied(tied) => tied.value,
        _ => 0.0,
    };
    let numbers = found.base.independent.iter().map(|&k| Calibrated {
        name: names[k].0.clone(),
        unit: names[k].1,
        before: of_file(&problem.open[k]),
        after: of_file(&problem.open[k]) + found.parameters[k],
        sigma: found.sigma[k],
    });
    let with = |(j, &k): (usize, &usize)| {
        let factors = found.base.grouping.column(j);
        let others = factors.iter().zip(&found.base.independent).filter(|(factor, _)| factor.abs() > 1e-3);
        let mut others: Vec<(&f64, &usize)> = others.collect();
        others.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let list: Vec<String> =
            others.iter().map(|(factor, other)| format!("{} {}", human(**factor, 4), names[**other].0)).collect();
        format!("{}: the same as {}", names[k].0, list.join(" + ").replace("+ −", "− "))
    };
    let mut calibrated = problem.robot(&found.parameters).map_err(NotCalibrated::InvalidParameters)?;
    calibrated.name = format!("{}-calibrated", robot.name);
    let before = robot.source.as_deref().map_or(String::new(), |source| format!("{source}; "));
    calibrated.source = Some(format!("{before}calibrated from {} readings", problem.readings.len()));
    Ok(Calibration {
        robot: calibrated,
        numbers: numbers.collect(),
        offsets: problem.offsets(&found.parameters),
        together: found.base.dependent.iter().enumerate().map(with).collect(),
        silent: found.base.silent.iter().map(|&k| names[k].0.clone()).collect(),
        before: found.before,
        after: found.after,
        deviation: found.deviation,
        condition: found.condition,
        plate: problem.open.iter().position(|open| matches!(open, Open::Plate(0))).map(|k| found.parameters[k]),
    })
}
