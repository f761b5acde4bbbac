//! What comes out: parameters with their σ, scores on what was not seen, a verdict in words, and the robot.

use super::columns::{ColumnQuantity, Layout, Mode, Parameterization, Part};
use super::essential::{Essential, essential};
use super::fit::{Data, EstimatorOptions, Fitted, PriorWeight, Score, Speeds};
use super::friction::{FrictionCurve, curves, nearest_tanh};
use super::instruments::{halves, instrumental};
use super::log::Log;
use super::prepare::{Health, Preprocessing, Run, Unusable};
use crate::friction::Friction;
use crate::robot::{Robot, StateError};
use crate::spring::Spring;
use dalembert_identify::{IdentifyError, folds};
use nalgebra::{DMatrix, DVector};

/// How time is cut, to score on what was not seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Folds {
    /// Into so many stretches of equal length; several logs: each is one.
    Parts(usize),
    /// At these times, s.
    At(Vec<f64>),
}

/// Why nothing can be identified.
#[derive(Debug, thiserror::Error)]
pub enum NotIdentified {
    /// The robot has no regressor.
    #[error(transparent)]
    Robot(#[from] StateError),
    /// A log that cannot be used.
    #[error("{log}: {source}")]
    Log {
        /// Its name.
        log: String,
        /// Why.
        source: Unusable,
    },
    /// The computation.
    #[error(transparent)]
    Numbers(#[from] IdentifyError),
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// As it should be.
    Good,
    /// To know.
    Note,
    /// The result suffers.
    Weak,
    /// The result is not to be used.
    Bad,
}

impl Grade {
    /// As JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Weak => "weak",
            Self::Bad => "bad",
        }
    }
}

/// A sentence of the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How grave it is.
    pub grade: Grade,
    /// In short: `thin excitation`.
    pub name: &'static str,
    /// What was found, with its numbers.
    pub text: String,
    /// What to do.
    pub advice: String,
}

/// A parameter as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `Ixx2`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// In words.
    pub meaning: String,
    /// What the robot file says.
    pub prior: Option<f64>,
    /// What was found.
    pub value: f64,
    /// Its standard deviation.
    pub sigma: f64,
}

/// A base parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped {
    /// With its grouping: `Izz1 + Ia1 + Iyy2 + 0.0518 m3`.
    pub formula: String,
    /// SI.
    pub unit: &'static str,
    /// By plain weighted least squares; none where the data does not tell it.
    pub plain: Option<[f64; 2]>,
    /// By instrumental variables, where they were asked for.
    pub instrumental: Option<[f64; 2]>,
    /// Of the parameters that were found.
    pub value: f64,
    /// Its standard deviation.
    pub sigma: f64,
}

/// What a fit predicted of a joint's torque while it had not seen it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// s; of several logs one after the other.
    pub times: Vec<f64>,
    /// N m (N).
    pub measured: Vec<f64>,
    /// N m (N).
    pub predicted: Vec<f64>,
    /// rad/s (m/s).
    pub speeds: Vec<f64>,
}

/// What was identified.
#[derive(Debug)]
pub struct Identified {
    /// The robot as it was found, or why there cannot be such a robot.
    pub robot: Result<Robot, String>,
    /// What was fitted.
    pub mode: Mode,
    /// Every parameter.
    pub parameters: Vec<Found>,
    /// The combinations that torques tell.
    pub base: Vec<Grouped>,
    /// The few of them that the log tells well, where they were asked for.
    pub essential: Option<Essential>,
    /// Parameters that torques never tell: no column of theirs is anything but zero.
    pub silent: Vec<String>,
    /// Bodies with the margin of their pseudo-inertia; at most 0: there is no such body.
    pub bodies: Vec<(String, f64)>,
    /// The fit of all rows: what was seen.
    pub fit: Score,
    /// On what was not seen.
    pub held_out: Score,
    /// The robot file alone, without any fit.
    pub file: Score,
    /// The identified robot by itself, all rows in which it carries what it carries: without what a robot file cannot hold.
    pub written: Option<Score>,
    /// Each part that was held out.
    pub folds: Vec<(String, Score)>,
    /// The delay of the torque, s.
    pub delay: f64,
    /// The speeds of friction of each joint that it is not linear in.
    pub speeds: Speeds,
    /// The friction of each joint that was fitted, with its covariance.
    pub friction: Vec<FrictionCurve>,
    /// The prior's weight.
    pub weight: Option<f64>,
    /// Of plain least squares in base parameters.
    pub condition: f64,
    /// Rows of each joint.
    pub rows: usize,
    /// s of motion.
    pub seconds: f64,
    /// What was wrong with the logs.
    pub health: Vec<(String, Health)>,
    /// The cut-off of the filter, Hz.
    pub cutoff: f64,
    /// In words, the gravest first.
    pub findings: Vec<Finding>,
    /// Predictions of what was not seen, for each joint.
    pub predictions: Vec<Prediction>,
}

fn sum_text(terms: &[(String, f64)]) -> String {
    let mut text = String::new();
    for (k, (name, factor)) in terms.iter().enumerate() {
        let size = factor.abs();
        let sign = if *factor < 0.0 { "−" } else { "+" };
        match (k, *factor < 0.0) {
            (0, false) => {}
            (0, true) => text += "−",
            _ => text += &format!(" {sign} "),
        }
        if (size - 1.0).abs() > 1e-9 {
            text += &format!("{} ", crate::report::text::human(size, 5));
        }
        text += name;
    }
    text
}

/// Identifies a robot from logs. `progress` is told what is done.
pub fn identify(
    robot: &Robot,
    logs: &[Log],
    preprocessing: &Preprocessing,
    parameterization: &Parameterization,
    options: &EstimatorOptions,
    folds: &Folds,
    progress: &mut dyn FnMut(&str),
) -> Result<Identified, NotIdentified> {
    let joints = robot.joints();
    let layout = Layout::new(robot, parameterization)?;
    progress("smoothing");
    let ready = |log: &Log| {
        Run::new(log, &joints, preprocessing).map_err(|source| NotIdentified::Log { log: log.name.clone(), source })
    };
    let runs = logs.iter().map(ready).collect::<Result<Vec<Run>, _>>()?;
    progress("computing the regressor");
    let data = Data::new(robot, &layout, &runs)?;
    let all: Vec<usize> = (0..data.len()).collect();
    let (parts, names) = parts(&data, folds);
    let mut predictions = vec![Prediction::default(); joints.len()];
    let mut held_out = Score::zero(joints.len());
    let mut each = Vec::new();
    let mut few_held_out = Score::zero(joints.len());
    for (k, name) in names.iter().enumerate().filter(|_| names.len() > 1) {
        progress("fitting what is not held out");
        let train: Vec<usize> = all.iter().copied().filter(|&row| parts[row] != k).collect();
        let test: Vec<usize> = all.iter().copied().filter(|&row| parts[row] == k).collect();
        if train.is_empty() || test.is_empty() {
            continue;
        }
        let fitted = data.fit(&train, options)?;
        let score = data.score(&fitted, &test)?;
        held_out.add(&score);
        each.push((name.clone(), score));
        if let Some(share) = options.essential
            && let Some(few) = essential(&data, &fitted, &train, share)?
        {
            few_held_out.add(&data.score(&few.fitted, &test)?);
        }
        for (joint, prediction) in predictions.iter_mut().enumerate() {
            let (predicted, measured) = data.predict(&fitted, joint, &test)?;
            prediction.times.extend(test.iter().map(|&row| time(&data, row)));
            prediction.measured.extend(measured.iter());
            prediction.predicted.extend(predicted.iter());
            prediction.speeds.extend(data.speeds_of(joint, &test));
        }
    }
    progress("fitting everything");
    let fitted = data.fit(&all, options)?;
    let fit = data.score(&fitted, &all)?;
    let few = match options.essential {
        Some(share) => essential(&data, &fitted, &all, share)?.map(|few| (share, few)),
        None => None,
    };
    let few = match few {
        Some((share, few)) => {
            let rows = base_rows(&data, &fitted);
            let place = |column: usize| rows.iter().position(|&row| data.structure.independent[row] == column);
            let kept = few.kept.iter().filter_map(|(column, value)| Some((place(*column)?, *value))).collect();
            let fit = data.score(&few.fitted, &all)?;
            Some(Essential { share, kept, fit, held_out: few_held_out })
        }
        None => None,
    };
    let instrumental = match options.instruments {
        true => {
            progress("fitting with instruments");
            let runs = halves(robot, logs, preprocessing);
            let runs = runs.map_err(|(log, source)| NotIdentified::Log { log, source })?;
            instrumental(robot, &layout, &runs, &fitted)?
        }
        false => Vec::new(),
    };
    let of_file = of_file(&data, robot);
    let file = data.score(&of_file, &all)?;
    let parameters = found(&data, &fitted);
    let bodies = layout.blocks.iter().map(|(name, block, _)| (name.clone(), block.margin(&fitted.parameters)));
    let seconds = runs.iter().map(Run::seconds).sum();
    let identified = identified_robot(robot, &data, &fitted);
    let written = match &identified {
        Ok(identified) => data.score_of(identified, fitted.delay)?,
        Err(_) => None,
    };
    let mut result = Identified {
        robot: identified,
        mode: parameterization.mode,
        parameters,
        base: grouped(&data, &fitted, &instrumental),
        essential: few,
        silent: data.structure.silent.iter().map(|&k| layout.columns[k].name.clone()).collect(),
        bodies: bodies.collect(),
        fit,
        held_out,
        file,
        written,
        folds: each,
        delay: fitted.delay,
        speeds: fitted.speeds.clone(),
        friction: curves(&data, &fitted)?,
        weight: fitted.weight,
        condition: fitted.plain.as_ref().map_or(f64::NAN, |plain| plain.estimate.condition),
        rows: data.len(),
        seconds,
        health: runs.iter().map(|run| (run.name.clone(), run.health.clone())).collect(),
        cutoff: runs.first().map_or(0.0, |run| run.cutoff),
        findings: Vec::new(),
        predictions,
    };
    progress("judging");
    result.findings = super::verdict::findings(&result, &data, &fitted, &of_file, options.prior == PriorWeight::None);
    Ok(result)
}

/// Time of a row; logs follow each other.
fn time(data: &Data<'_>, row: usize) -> f64 {
    let (run, sample) = data.rows[row];
    let before: f64 = data.runs[..run].iter().map(|run| run.step * run.q[0].len() as f64).sum();
    before + data.runs[run].time(sample)
}

/// The part of each row, and the names of the parts.
fn parts(data: &Data<'_>, folds: &Folds) -> (Vec<usize>, Vec<String>) {
    match folds {
        // Where the logs are compared, each is needed: a part of the time of each.
        Folds::Parts(count) if !data.layout.parameterization.loaded.is_empty() => {
            let mut parts = Vec::new();
            for run in data.runs {
                parts.extend(folds::in_time(run.used.len(), *count));
            }
            (parts, (1..=*count).map(|k| format!("part {k} of each log")).collect())
        }
        Folds::Parts(_) if data.runs.len() > 1 => {
            let parts = data.rows.iter().map(|(run, _)| *run).collect();
            (parts, data.runs.iter().map(|run| run.name.clone()).collect())
        }
        Folds::Parts(count) => {
            let parts = folds::in_time(data.len(), *count);
            let span = |k: usize| {
                let of = || (0..data.len()).filter(|&row| parts[row] == k).map(|row| time(data, row));
                let (low, high) = (of().fold(f64::INFINITY, f64::min), of().fold(0.0, f64::max));
                format!("{low:.3} … {high:.3} s")
            };
            let names = (0..*count).map(span).collect();
            (parts, names)
        }
        Folds::At(instants) => {
            let times: Vec<f64> = (0..data.len()).map(|row| time(data, row)).collect();
            let parts = folds::at_instants(&times, instants);
            let name = |k: usize| match (k.checked_sub(1).and_then(|k| instants.get(k)), instants.get(k)) {
                (None, Some(to)) => format!("before {to} s"),
                (Some(from), Some(to)) => format!("{from} … {to} s"),
                (Some(from), None) => format!("from {from} s on"),
                (None, None) => "all".to_owned(),
            };
            (parts, (0..=instants.len()).map(name).collect())
        }
    }
}

/// The robot file as if it had been fitted.
fn of_file(data: &Data<'_>, robot: &Robot) -> Fitted {
    let columns = &data.layout.columns;
    let p = columns.len();
    let prior = DVector::from_fn(p, |k, _| columns[k].prior.unwrap_or(0.0));
    let joints = robot.joints();
    Fitted {
        parameters: prior,
        covariance: DMatrix::zeros(p, p),
        // Its columns have the smoothing of the file as they are.
        speeds: Speeds {
            stribeck: joints.iter().map(|joint| joint.friction.map(|friction| friction.stribeck_velocity)).collect(),
            smoothing: Vec::new(),
        },
        delay: 0.0,
        deviations: Vec::new(),
        weight: None,
        plain: None,
    }
}

/// Whether a column was fitted: Stribeck's part of a joint only where it tells anything.
fn is_fitted(column: &super::columns::Column, fitted: &Fitted) -> bool {
    !matches!(column.quantity, ColumnQuantity::Stribeck(joint) if fitted.speeds.of(Part::Stribeck, joint).is_none())
}

/// Base parameters that were fitted: rows of the structure.
fn base_rows(data: &Data<'_>, fitted: &Fitted) -> Vec<usize> {
    let base = &data.structure.independent;
    (0..base.len()).filter(|&row| is_fitted(&data.layout.columns[base[row]], fitted)).collect()
}

/// The covariance of all parameters. The torques tell base parameters β = G π: these have the covariance of `grouped`. How a base
/// parameter is split between the parameters in it is known from the robot file alone: that part is the file's. Near to the file the
/// covariance of the fit is C; K = C Gᵀ (G C Gᵀ)⁻¹ is how parameters follow β, and with E that of β it is C − K G C + K E Kᵀ.
fn covariance(data: &Data<'_>, fitted: &Fitted) -> DMatrix<f64> {
    let (c, g) = (&fitted.covariance, data.structure.matrix(data.layout.columns.len()));
    let (Some(plain), Some(_)) = (&fitted.plain, fitted.weight) else { return c.clone() };
    let along = &g * c;
    let own = &along * g.transpose();
    let b = own.nrows();
    let lengths = DVector::from_fn(b, |k, _| own[(k, k)].max(f64::MIN_POSITIVE).sqrt());
    let scaled = DMatrix::from_fn(b, b, |i, j| own[(i, j)] / (lengths[i] * lengths[j]));
    let Ok(inverse) = scaled.pseudo_inverse(1e-12) else { return c.clone() };
    let inverse = DMatrix::from_fn(b, b, |i, j| inverse[(i, j)] / (lengths[i] * lengths[j]));
    let k = along.tr_mul(&inverse);
    // Base parameters that the log does not tell stay as the file has them.
    let mut e = own.clone();
    let values = &g * &fitted.parameters;
    let place = |row: usize| plain.columns.iter().position(|&column| column == data.structure.independent[row]);
    let places: Vec<Option<usize>> = (0..b).map(place).collect();
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places.iter().enumerate() {
            let (Some(a), Some(b)) = (a, b) else {
                if a.is_some() != b.is_some() {
                    e[(i, j)] = 0.0;
                }
                continue;
            };
            let moved = |row: usize, at: usize| values[row] - plain.estimate.parameters[at];
            e[(i, j)] = plain.covariance[(*a, *b)] + moved(i, *a) * moved(j, *b);
        }
    }
    c - &k * &along + &k * e * k.transpose()
}

fn found(data: &Data<'_>, fitted: &Fitted) -> Vec<Found> {
    let covariance = covariance(data, fitted);
    let of = |(k, column): (usize, &super::columns::Column)| Found {
        name: column.name.clone(),
        unit: column.unit,
        meaning: column.meaning.clone(),
        prior: column.prior,
        value: fitted.parameters[k],
        sigma: covariance[(k, k)].max(0.0).sqrt(),
    };
    let all = data.layout.columns.iter().enumerate();
    all.filter(|(_, column)| is_fitted(column, fitted)).map(of).collect()
}

fn grouped(data: &Data<'_>, fitted: &Fitted, instrumental: &[(usize, [f64; 2])]) -> Vec<Grouped> {
    let columns = &data.layout.columns;
    let base = &data.structure;
    let g = base.matrix(columns.len());
    let values = &g * &fitted.parameters;
    let covariance = &g * &fitted.covariance * g.transpose();
    let of = |row: usize| {
        let first = base.independent[row];
        let mut terms = vec![(columns[first].name.clone(), 1.0)];
        terms.extend(base.terms(row).into_iter().map(|(k, factor)| (columns[k].name.clone(), factor)));
        let plain = fitted.plain.as_ref().and_then(|plain| {
            let k = plain.columns.iter().position(|&k| k == first)?;
            Some([plain.estimate.parameters[k], plain.covariance[(k, k)].max(0.0).sqrt()])
        });
        let own = covariance[(row, row)].max(0.0).sqrt();
        Grouped {
            formula: sum_text(&terms),
            unit: columns[first].unit,
            plain,
            instrumental: instrumental.iter().find(|(column, _)| *column == first).map(|found| found.1),
            value: values[row],
            // What was known before is a belief, no measurement: as uncertain as least squares, and by what it moved the value.
            sigma: plain.map_or(own, |[value, sigma]| sigma.hypot(values[row] - value)),
        }
    };
    base_rows(data, fitted).into_iter().map(of).collect()
}

/// The largest speed of a joint.
pub(super) fn fastest(data: &Data<'_>, joint: usize) -> f64 {
    data.runs.iter().map(|run| run.health.speeds[joint]).fold(0.0, f64::max)
}

/// As a share of a joint's torque a constant torque is nothing to speak of below this.
const COUNTS: f64 = 0.003;

/// The robot with what was found. What its file cannot hold (coupled motors; of all but arms springs, counterbalances and constant
/// torques) is left out: [`Identified::written`] says what that costs.
fn identified_robot(robot: &Robot, data: &Data<'_>, fitted: &Fitted) -> Result<Robot, String> {
    let layout = data.layout;
    let values: Vec<f64> = fitted.parameters.iter().copied().collect();
    let family = layout.regressor.robot(&layout.terms(&values)).map_err(|error| error.to_string())?;
    let of = |quantity: ColumnQuantity| {
        layout.columns.iter().position(|column| column.quantity == quantity).map(|k| values[k])
    };
    let joints = robot.joints();
    let friction = |i: usize| -> Option<Friction<f64>> {
        let old = joints[i].friction;
        let (Some(viscous), Some(coulomb)) = (of(ColumnQuantity::Viscous(i)), of(ColumnQuantity::Coulomb(i))) else {
            return old;
        };
        // Where the file has no friction the sign of the speed is smoothed as it was in the fit.
        let smoothing_velocity = data.runs.iter().map(|run| 0.5 * run.resting[i]).fold(0.0, f64::max);
        let old = old.unwrap_or(Friction { smoothing_velocity, ..Friction::NONE });
        let speed = fitted.speeds.of(Part::Stribeck, i);
        let more = speed.and(of(ColumnQuantity::Stribeck(i))).unwrap_or(0.0);
        let coulomb = coulomb.max(0.0);
        // Static friction is not below Coulomb friction: what rises with the speed is a tanh in the file.
        let rises = speed.filter(|_| more < 0.0);
        let tanh = rises.map(|at| nearest_tanh(coulomb, [more, at], fastest(data, i))[0]);
        Some(Friction {
            viscous: viscous.max(0.0),
            coulomb,
            static_friction: coulomb + more.max(0.0),
            stribeck_velocity: speed.filter(|_| more >= 0.0).unwrap_or(old.stribeck_velocity),
            smoothing_velocity: fitted.speeds.of(Part::Sign, i).or(tanh).unwrap_or(old.smoothing_velocity),
            ..old
        })
    };
    let found = robot.with_family(family).with_frictions(&friction).map_err(|error| error.to_string())?;
    let deviation = |quantity: ColumnQuantity| {
        let k = layout.columns.iter().position(|column| column.quantity == quantity);
        k.map_or(0.0, |k| fitted.covariance[(k, k)].max(0.0).sqrt())
    };
    let rows: Vec<usize> = (0..data.len()).collect();
    let spring = |i: usize, old: Option<Spring<f64>>| {
        // A constant torque counts where it is more than noise, or large enough that what was found with it would be off without.
        let torque = data.measured(i, &rows, fitted.delay);
        let size = torque.norm() / (rows.len().max(1) as f64).sqrt();
        let least = (3.0 * deviation(ColumnQuantity::Offset(i))).min(COUNTS * size);
        let constant = of(ColumnQuantity::Offset(i)).filter(|value| value.abs() > least);
        let found =
            [of(ColumnQuantity::Spring(i)), of(ColumnQuantity::Sine(i)), of(ColumnQuantity::Cosine(i)), constant];
        let [stiffness, sine, cosine, constant] = found.map(|value| value.unwrap_or(0.0));
        let old = old.unwrap_or(Spring::NONE);
        // Two springs side by side are one that is relaxed between them; that of the fit is relaxed at zero.
        let (both, pulled) = (old.stiffness + stiffness, old.stiffness * old.rest);
        let (rest, left) = if both == 0.0 { (0.0, -pulled) } else { (pulled / both, 0.0) };
        let constant = old.constant + constant + left;
        Spring { stiffness: both, rest, sine: old.sine + sine, cosine: old.cosine + cosine, constant }.of_file()
    };
    let mut found = found.with_springs(&spring).unwrap_or(found);
    found.name = format!("{}-identified", robot.name);
    let logs: Vec<&str> = data.runs.iter().map(|run| run.name.as_str()).collect();
    found.source = Some(format!("identified from {}", logs.join(", ")));
    Ok(found)
}
