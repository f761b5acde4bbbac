//! Geometric calibration: lengths, radii, angles and zero offsets from where the tool was measured to be.
//!
//! A row has joint readings and what was measured there: coordinates of the tool point (x, y, z, or some of them), the distance to
//! where it was in the row before, or that it touched a plate whose plane is not known. The numbers of the robot
//! are those that its family lists; every length and angle among them is fitted, as far as the measurements determine it.
//!
//! Rows whose readings are alike are one place: they determine no more parameters than one of them. What cannot be the robot of the file
//! is refused, not written: places of another scale, lengths that are off by half, residuals that no robot leaves.

use super::log::{LogError, factor, unit_in, wrong_columns};
use crate::report::table::Columns;
use crate::report::text::human;
use crate::robot::file::Dimension;
use crate::robot::{Change, Joint, JointKind, JointState, JointVector, Number, Pick, Robot, StateError};
use crate::{Mat3, Vec3};
use dalembert_core::parameter::{Tolerance, Unit};
use dalembert_identify::IdentifyError;
use dalembert_identify::nonlinear::{self, NonlinearFit};
use nalgebra::DVector;
use serde::Serialize;
use std::array::from_fn;
use std::collections::HashSet;

/// A row of what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationPoint {
    /// What the joints read, rad (m).
    pub q: Vec<f64>,
    /// Where the tool point was, m, as far as it was measured.
    pub place: [Option<f64>; 3],
    /// How far it was from where it was in the row before, m.
    pub distance: Option<f64>,
}

/// Numbers of a robot that move together, each by its factor, as a controller has them; or one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tied {
    /// As the controller calls it, or its key in the robot file with the part's number.
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
    /// The calibrated robot, without the zero offsets: [`Calibration::with_offsets`] has them.
    #[serde(skip)]
    pub robot: Robot,
    /// Height of the touched plate on the vertical axis, m.
    #[serde(skip)]
    pub plate: Option<f64>,
}

impl Calibration {
    /// The calibrated robot with the zero offsets, so that it takes the readings as they are; none where it has offsets that its file has
    /// no place for.
    pub fn with_offsets(&self) -> Option<Robot> {
        self.robot.changed(&Change::ZeroOffsets(&|i| self.offsets.get(i).copied().unwrap_or(0.0))).ok()
    }
}

/// Why nothing is calibrated. Rows are numbered from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum NotCalibrated {
    /// The table.
    #[error(transparent)]
    Table(#[from] LogError),
    /// A robot that cannot be there, or that does not list its numbers.
    #[error("row {row}: {reason}")]
    Row { row: usize, reason: String },
    /// Numbers that no robot has.
    #[error("there is no such robot: {0}")]
    InvalidParameters(String),
    /// No number is open.
    #[error("no number of the robot begins with {0}")]
    Nothing(String),
    /// Measured lengths of another scale than the robot's.
    #[error("the measured places are {ratio} times as far apart as the robot's tool in these rows{unit}")]
    Scale { ratio: String, unit: String },
    /// A result that is not the robot of the file.
    #[error("{what} would change from {before} to {after} {unit}: this is not the robot of the file")]
    Implausible { what: String, before: String, after: String, unit: &'static str },
    /// No parameters explain the measurements.
    #[error(
        "no parameters explain the measurements: the residual is {after} mm RMS, {percent} % of the spread of the places"
    )]
    Unexplained { after: String, percent: String },
    /// The computation.
    #[error(transparent)]
    Numbers(#[from] IdentifyError),
}

/// Readings that are this close are one place, rad (m).
const ONE_PLACE: f64 = 1e-3;
/// Places this many times as far apart as the robot's, either way, are in another unit.
const OTHER_SCALE: f64 = 10.0;
/// A number that changes by more than this is another robot's: as a share of itself, or of a fifth of the longest; rad.
const OTHER_ROBOT: f64 = 0.5;
/// As a share of the spread of the places, a larger residual explains nothing.
const UNEXPLAINED: f64 = 0.05;

/// The readings of a table: columns `q1` …, `x`, `y`, `z`, `distance`, with units in brackets where they are not SI.
pub fn readings(table: &Columns, robot: &Robot) -> Result<Vec<CalibrationPoint>, LogError> {
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

/// An unknown that no robot file has.
fn unknown(name: String, unit: &'static str) -> Tied {
    Tied { name, unit, value: 0.0, parts: Vec::new() }
}

/// A number of a robot by itself.
fn single(robot: &Robot, number: Number) -> Tied {
    let mut name = match (number.place.part, robot.kind().part_table) {
        (Some(part), Some(table)) => format!("{table}.{}.{}", part + 1, number.field.key),
        (Some(part), None) => format!("{}.{}", number.field.key, part + 1),
        (None, _) => number.field.key.to_owned(),
    };
    if let Some(component) = number.place.component.and_then(|k| number.field.components.get(k)) {
        name = format!("{name}.{component}");
    }
    let unit = if number.field.unit == Unit::Angle { "rad" } else { "m" };
    Tied { name, unit, value: number.value, parts: vec![(number, 1.0)] }
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
    /// In the order in which it is preferred: the instrument's frame, the plate, numbers of the robot, zero offsets.
    open: Vec<Tied>,
    /// How many of them are the frame's and the plate's.
    of_frame: usize,
    of_plate: usize,
}

impl CalibrationProblem<'_> {
    /// Three coordinates and three angles of the instrument.
    fn frame(&self, at: &DVector<f64>) -> [f64; 6] {
        from_fn(|k| if k < self.of_frame { at[k] } else { 0.0 })
    }

    /// a, b and c of a plate z = a + b x + c y.
    fn plate(&self, at: &DVector<f64>) -> [f64; 3] {
        from_fn(|k| if k < self.of_plate { at[self.of_frame + k] } else { 0.0 })
    }

    fn offsets(&self, at: &DVector<f64>) -> Vec<f64> {
        let n = self.robot.joints().len();
        if self.setup.without_offsets { vec![0.0; n] } else { at.as_slice()[at.len() - n..].to_vec() }
    }

    /// The robot with its numbers moved by what was found.
    fn robot(&self, at: &DVector<f64>) -> Result<Robot, NotCalibrated> {
        let is = |own: &Number, asked: &Number| std::ptr::eq(own.field, asked.field) && own.place == asked.place;
        let part = |tied: &Tied, asked: &Number| -> f64 {
            tied.parts.iter().filter(|(own, _)| is(own, asked)).map(|(_, factor)| factor).sum()
        };
        let by = |asked: &Number| self.open.iter().zip(at.iter()).map(|(tied, by)| part(tied, asked) * by).sum();
        self.robot.moved(&by).map_err(|error| NotCalibrated::InvalidParameters(error.to_string()))
    }

    /// Where the tool is in every row.
    fn places(&self, at: &DVector<f64>) -> Result<Vec<Vec3<f64>>, NotCalibrated> {
        let robot = self.robot(at)?;
        let offsets = self.offsets(at);
        let place = |(row, reading): (usize, &CalibrationPoint)| {
            let q = JointVector::from_fn(offsets.len(), |i| reading.q[i] + offsets[i]);
            let found = robot.at_joints(&JointState::at_rest(q), &Pick::default());
            let refused = |error: StateError| NotCalibrated::Row { row: row + 1, reason: error.to_string() };
            found.map(|state| state.tool.pose.origin).map_err(refused)
        };
        self.readings.iter().enumerate().map(place).collect()
    }

    fn residuals(&self, at: &DVector<f64>) -> Result<DVector<f64>, NotCalibrated> {
        let places = self.places(at)?;
        let ([x, y, z, about @ ..], [a, b, c]) = (self.frame(at), self.plate(at));
        let (turn, origin) = (rotation(Vec3(about)), Vec3::new(x, y, z));
        let mut all = Vec::new();
        for (row, reading) in self.readings.iter().enumerate() {
            let seen = turn * places[row] + origin;
            all.extend(reading.place.iter().enumerate().filter_map(|(k, value)| Some(seen[k] - (*value)?)));
            if let Some(distance) = reading.distance.filter(|_| row > 0) {
                all.push((places[row] - places[row - 1]).norm_squared().sqrt() - distance);
            }
            if self.setup.plate {
                let [x, y, z] = places[row].0;
                all.push((z - a - b * x - c * y) / (1.0 + b * b + c * c).sqrt());
            }
        }
        Ok(DVector::from_vec(all))
    }

    /// How many residuals are no repetitions of others.
    fn distinct(&self) -> usize {
        let mut places: Vec<&[f64]> = Vec::new();
        let mut seen = HashSet::new();
        let mut last = 0;
        for (row, reading) in self.readings.iter().enumerate() {
            let alike = |place: &&[f64]| place.iter().zip(&reading.q).all(|(a, b)| (a - b).abs() < ONE_PLACE);
            let here = places.iter().position(alike).unwrap_or_else(|| {
                places.push(&reading.q);
                places.len() - 1
            });
            seen.extend((0..3).filter(|&k| reading.place[k].is_some()).map(|k| (here, k)));
            seen.extend(reading.distance.filter(|_| row > 0).map(|_| (here.max(last), 4 + here.min(last))));
            seen.extend(self.setup.plate.then_some((here, 3)));
            last = here;
        }
        seen.len()
    }

    /// Refuses measurements of another scale.
    fn same_scale(&self, places: &[Vec3<f64>]) -> Result<(), NotCalibrated> {
        let (mut measured, mut computed) = (0.0, 0.0);
        for k in 0..3 {
            let rows = || self.readings.iter().zip(places).filter_map(|(row, place)| Some([row.place[k]?, place[k]]));
            let count = rows().count().max(1) as f64;
            let mean = rows().fold([0.0; 2], |sum, row| [sum[0] + row[0] / count, sum[1] + row[1] / count]);
            measured += rows().map(|row| (row[0] - mean[0]).powi(2)).sum::<f64>();
            computed += rows().map(|row| (row[1] - mean[1]).powi(2)).sum::<f64>();
        }
        for (row, pair) in self.readings.iter().skip(1).zip(places.windows(2)) {
            if let Some(distance) = row.distance {
                measured += distance.powi(2);
                computed += (pair[1] - pair[0]).norm_squared();
            }
        }
        let ratio = (measured / computed).sqrt();
        // Of one place the scale is that of the noise.
        let one_place = computed < ONE_PLACE.powi(2) * places.len() as f64;
        if one_place || !ratio.is_finite() || (1.0 / OTHER_SCALE..OTHER_SCALE).contains(&ratio) {
            return Ok(());
        }
        let units = [("um", 1e6), ("mm", 1e3), ("cm", 1e2), ("in", 1.0 / 0.0254)];
        let near = |(_, scale): &(&str, f64)| (0.6..1.6).contains(&(ratio / scale));
        let unit = units.into_iter().find(near).map_or(String::new(), |(unit, _)| format!("; are they in {unit}?"));
        Err(NotCalibrated::Scale { ratio: human(ratio, 3), unit })
    }

    /// Refuses a result that is no calibration of this robot.
    fn plausible(&self, found: &NonlinearFit) -> Result<(), NotCalibrated> {
        let numbers = || self.open.iter().zip(found.parameters.iter()).filter(|(tied, _)| !tied.parts.is_empty());
        let longest =
            numbers().filter(|(tied, _)| tied.unit == "m").fold(0.0_f64, |most, (tied, _)| most.max(tied.value.abs()));
        for (tied, change) in numbers() {
            let size = if tied.unit == "m" { tied.value.abs().max(0.2 * longest) } else { 1.0 };
            if change.is_nan() || change.abs() > OTHER_ROBOT * size {
                let (before, after) = (human(tied.value, 5), human(tied.value + change, 5));
                return Err(NotCalibrated::Implausible { what: tied.name.clone(), before, after, unit: tied.unit });
            }
        }
        let places = self.places(&found.parameters)?;
        let count = places.len().max(1) as f64;
        let mean = places.iter().fold(Vec3::zero(), |sum, place| sum + *place * (1.0 / count));
        let spread = (places.iter().map(|place| (*place - mean).norm_squared()).sum::<f64>() / count).sqrt();
        if found.after.is_nan() || found.after > UNEXPLAINED * spread {
            let (after, percent) = (human(1e3 * found.after, 3), human(100.0 * found.after / spread, 3));
            return Err(NotCalibrated::Unexplained { after, percent });
        }
        Ok(())
    }
}

/// Calibrates a robot.
pub fn calibrate(
    robot: &Robot,
    readings: &[CalibrationPoint],
    setup: &CalibrationSetup,
) -> Result<Calibration, NotCalibrated> {
    for (row, reading) in readings.iter().enumerate() {
        if let Some(joint) = reading.q.iter().position(|q| !q.is_finite()) {
            let reason = format!("the reading of joint {} is no number", joint + 1);
            return Err(NotCalibrated::Row { row: row + 1, reason });
        }
    }
    let geometric = |number: &Number| {
        // Where a mass is, is no geometry.
        !number.field.key.contains("center_of_mass")
            && matches!(number.field.unit, Unit::Length | Unit::Angle)
            && matches!(number.field.tolerance, Tolerance::Amount | Tolerance::Angle)
    };
    let all = || robot.numbers().into_iter().filter(geometric).map(|number| single(robot, number)).collect();
    let mut numbers: Vec<Tied> = setup.tied.clone().unwrap_or_else(all);
    if let Some(only) = &setup.only {
        numbers.retain(|tied| only.iter().any(|start| tied.name.starts_with(start.as_str())));
        if numbers.is_empty() {
            return Err(NotCalibrated::Nothing(only.join(", ")));
        }
    }
    let frame = ["x", "y", "z", "rotation about x", "rotation about y", "rotation about z"].into_iter();
    let of_frame = if setup.free_frame { 6 } else { 0 };
    let frame = frame.zip(["m", "m", "m", "rad", "rad", "rad"]).take(of_frame);
    let frame = frame.map(|(name, unit)| unknown(format!("frame of the instrument, {name}"), unit));
    let plate = [("height", "m"), ("slope along x", "1"), ("slope along y", "1")].into_iter();
    let of_plate = usize::from(setup.plate) * if setup.level { 1 } else { 3 };
    let plate = plate.take(of_plate).map(|(name, unit)| unknown(format!("plate, {name}"), unit));
    let joints = robot.joints();
    let offset = |(i, joint): (usize, &Joint)| {
        let unit = if joint.kind == JointKind::Prismatic { "m" } else { "rad" };
        unknown(format!("zero offset of joint {}", i + 1), unit)
    };
    let offsets = joints.iter().enumerate().filter(|_| !setup.without_offsets).map(offset);
    let open = frame.chain(plate).chain(numbers).chain(offsets).collect();
    let problem = CalibrationProblem { robot, readings, setup, open, of_frame, of_plate };
    let mut start = DVector::zeros(problem.open.len());
    let places = problem.places(&start)?;
    problem.same_scale(&places)?;
    // A plate starts at the mean height of the touches.
    if setup.plate {
        start[of_frame] = places.iter().map(|place| place[2]).sum::<f64>() / places.len().max(1) as f64;
    }
    /// Of the differences, m and rad.
    const STEP: f64 = 1e-3;
    let found = nonlinear::solve(&|at| problem.residuals(at), &start, STEP, problem.distinct())?;
    problem.plausible(&found)?;
    outcome(&problem, &found)
}

fn outcome(problem: &CalibrationProblem<'_>, found: &NonlinearFit) -> Result<Calibration, NotCalibrated> {
    let robot = problem.robot;
    let open = &problem.open;
    let numbers = found.base.independent.iter().map(|&k| Calibrated {
        name: open[k].name.clone(),
        unit: open[k].unit,
        before: open[k].value,
        after: open[k].value + found.parameters[k],
        sigma: found.sigma[k],
    });
    let with = |(j, &k): (usize, &usize)| {
        let factors = found.base.grouping.column(j);
        let others = factors.iter().zip(&found.base.independent).filter(|(factor, _)| factor.abs() > 1e-3);
        let mut others: Vec<(&f64, &usize)> = others.collect();
        others.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let list: Vec<String> =
            others.iter().map(|(factor, other)| format!("{} {}", human(**factor, 4), open[**other].name)).collect();
        format!("{}: the same as {}", open[k].name, list.join(" + ").replace("+ −", "− "))
    };
    let mut calibrated = problem.robot(&found.parameters)?;
    calibrated.name = format!("{}-calibrated", robot.name);
    let before = robot.source.as_deref().map_or(String::new(), |source| format!("{source}; "));
    calibrated.source = Some(format!("{before}calibrated from {} readings", problem.readings.len()));
    Ok(Calibration {
        robot: calibrated,
        numbers: numbers.collect(),
        offsets: problem.offsets(&found.parameters),
        together: found.base.dependent.iter().enumerate().map(with).collect(),
        silent: found.base.silent.iter().map(|&k| open[k].name.clone()).collect(),
        before: found.before,
        after: found.after,
        deviation: found.deviation,
        condition: found.condition,
        plate: problem.setup.plate.then(|| found.parameters[problem.of_frame]),
    })
}
