//! The fit: rows of the regressor, velocities of friction, delay, weights and parameters.

mod search;
mod solve;

pub(crate) use search::likely_delay;

use super::columns::{ColumnLayout, FrictionTerm};
use super::prepare::PreparedLog;
use super::repetition::Repetition;
use crate::robot::{Pick, Robot};
use crate::spatial::Wrench;
use crate::threads;
use dalembert_identify::base::BaseParameters;
use dalembert_identify::least_squares::{self, Estimate};
use dalembert_identify::{IdentifyError, folds};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use serde::ser::SerializeStruct;

/// Squared errors and squared torques of each joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Σ (τ − τ̂)².
    pub errors: Vec<f64>,
    /// Σ τ².
    pub torques: Vec<f64>,
    /// Rows of each joint.
    pub rows: usize,
}

impl Score {
    /// Of no rows.
    pub fn zero(joints: usize) -> Self {
        Self { errors: vec![0.0; joints], torques: vec![0.0; joints], rows: 0 }
    }

    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.errors.iter_mut().zip(&other.errors).for_each(|(a, b)| *a += b);
        self.torques.iter_mut().zip(&other.torques).for_each(|(a, b)| *a += b);
        self.rows += other.rows;
    }

    /// RMS of the error and of the torque over all joints, N m (N).
    pub fn rms(&self) -> [f64; 2] {
        let count = (self.rows * self.errors.len()) as f64;
        [&self.errors, &self.torques].map(|squares| (squares.iter().sum::<f64>() / count).sqrt())
    }

    /// 100 ‖τ − τ̂‖/‖τ‖ over all joints.
    pub fn percent(&self) -> f64 {
        folds::score(self.errors.iter().sum(), self.torques.iter().sum())
    }

    /// The same of each joint.
    pub fn joints(&self) -> Vec<f64> {
        self.errors.iter().zip(&self.torques).map(|(error, torque)| folds::score(*error, *torque)).collect()
    }
}

/// `percent` over all joints, and of each.
impl Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_struct("Score", 2)?;
        all.serialize_field("percent", &self.percent())?;
        all.serialize_field("joints", &self.joints())?;
        all.end()
    }
}

/// How the robot file weighs against the log.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PriorWeight {
    /// Physically consistent parameters, near to the robot file as far as that helps to predict held-out data.
    #[default]
    Validated,
    /// The same with this weight.
    Given(f64),
    /// Not at all: plain least squares, which may give physically inconsistent parameters.
    None,
}

/// How parameters are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EstimatorOptions {
    /// How the robot file weighs against the log.
    pub prior: PriorWeight,
    /// The delay of the torque against the motion, s; positive: the torque is logged later than the motion; none: the most likely one.
    pub delay: Option<f64>,
    /// Outliers have less weight (Huber).
    pub robust: bool,
    /// All joints have the same weight, whatever their noise.
    pub unweighted: bool,
    /// Also estimate base parameters by instrumental variables.
    pub instruments: bool,
    /// Also find the base parameters whose σ is at most this share of their value.
    pub essential: Option<f64>,
}

/// All rows of all runs.
#[derive(Debug)]
pub struct RegressionData<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) layout: &'a ColumnLayout,
    pub(crate) runs: &'a [PreparedLog],
    /// For each joint its rows: columns, and what is known last.
    y: Vec<DMatrix<f64>>,
    /// For each row its run and sample.
    pub(crate) rows: Vec<(usize, usize)>,
    /// Where each row is in its motion.
    pub(crate) repetition: Repetition,
    /// What is identifiable from torques of this robot.
    pub structure: BaseParameters,
    /// Share of samples that the robot cannot be in.
    pub(crate) refused: f64,
}

/// The speeds of friction that it is not linear in, of each joint, rad/s (m/s).
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FrictionSpeeds {
    /// v_s; none: Stribeck's part explains nothing.
    #[serde(rename = "stribeck_velocities")]
    pub stribeck: Vec<Option<f64>>,
    /// v_0 of tanh(q̇/v_0), where that explains more; none: a sign.
    #[serde(rename = "smoothing_velocities")]
    pub smoothing: Vec<Option<f64>>,
}

impl FrictionSpeeds {
    /// The speed of a part, where it was fitted.
    pub(crate) fn of(&self, part: FrictionTerm, joint: usize) -> Option<f64> {
        let all = match part {
            FrictionTerm::Stribeck => &self.stribeck,
            FrictionTerm::Sign => &self.smoothing,
        };
        all.get(joint).copied().flatten()
    }
}

/// A fit.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// One for each column.
    pub parameters: DVector<f64>,
    /// Of the parameters.
    pub covariance: DMatrix<f64>,
    /// The speeds of friction.
    pub speeds: FrictionSpeeds,
    /// s.
    pub delay: f64,
    /// Standard deviation of the residual of each joint, N m (N).
    pub deviations: Vec<f64>,
    /// The prior's weight.
    pub weight: Option<f64>,
    /// Plain weighted least squares in base parameters.
    pub plain: Option<Plain>,
}

/// Plain weighted least squares.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Columns that are estimated: the base parameters that the data determine.
    pub columns: Vec<usize>,
    /// G of base parameters = G π: which combinations of all parameters the data determine.
    pub combinations: DMatrix<f64>,
    /// The estimate, its covariance for rows of variance 1.
    pub estimate: Estimate,
    /// Their covariance, with the autocorrelation of the residual.
    pub covariance: DMatrix<f64>,
    /// Standard deviation of each.
    pub sigma: Vec<f64>,
    /// Covariance of Yᵀ times the residual, of all columns.
    pub(crate) correlated: DMatrix<f64>,
}

/// Rows of a joint with the residual of a fit.
pub(crate) struct Residuals {
    /// Columns.
    pub y: DMatrix<f64>,
    /// Measured torques.
    pub measured: DVector<f64>,
    /// Measured less known and fitted torques.
    pub left: DVector<f64>,
}

/// Rows in which friction's speeds and the delay are looked for: more make no difference and take time.
const SEARCHED: usize = 6000;
/// Delays that are looked for, s.
pub(crate) const LONGEST_DELAY: f64 = 0.1;
/// Squared, as a share of the torque: no measured torque has a smaller residual.
const EXACT: f64 = 1e-6;

/// At most about so many of some rows, evenly.
pub(crate) fn thinned(rows: &[usize], most: usize) -> Vec<usize> {
    rows.iter().copied().step_by(rows.len().div_ceil(most).max(1)).collect()
}

impl<'a> RegressionData<'a> {
    /// The rows of runs.
    pub fn new(robot: &'a Robot, layout: &'a ColumnLayout, runs: &'a [PreparedLog]) -> Result<Self, IdentifyError> {
        let p = layout.columns.len();
        let total: usize = runs.iter().map(|run| run.used.len()).sum();
        let mut y = vec![DMatrix::zeros(total, p + 1); layout.joints];
        let mut rows = Vec::new();
        let mut refused = 0;
        for (r, run) in runs.iter().enumerate() {
            let (own, bad) = layout.rows(robot, run, layout.parameterization.carries(r))?;
            for (all, own) in y.iter_mut().zip(&own) {
                all.view_mut((rows.len(), 0), (own.nrows(), p + 1)).copy_from(own);
            }
            rows.extend(run.used.iter().map(|&sample| (r, sample)));
            refused += bad;
        }
        let samples: usize = runs.iter().map(|run| run.q[0].len()).sum();
        let structure = BaseParameters::of(&layout.random_rows(robot));
        let (refused, repetition) = (refused as f64 / samples.max(1) as f64, Repetition::new(runs, &rows));
        Ok(Self { robot, layout, runs, y, rows, repetition, structure, refused })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// All rows.
    pub fn all(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }

    pub(crate) fn joints(&self) -> usize {
        self.y.len()
    }

    /// The measured torque of a joint at some rows.
    pub(crate) fn measured(&self, joint: usize, rows: &[usize], delay: f64) -> DVector<f64> {
        let of = |&row: &usize| {
            let (run, sample) = self.rows[row];
            self.runs[run].torque(joint, sample, delay)
        };
        DVector::from_iterator(rows.len(), rows.iter().map(of))
    }

    /// A signal of a joint at some rows: its positions `q`, speeds `qd` or accelerations `qdd`.
    pub(crate) fn signal(&self, of: fn(&PreparedLog) -> &[Vec<f64>], joint: usize, rows: &[usize]) -> DVector<f64> {
        let value = |&row: &usize| of(&self.runs[self.rows[row].0])[joint][self.rows[row].1];
        DVector::from_iterator(rows.len(), rows.iter().map(value))
    }

    /// The speeds of a joint at some rows.
    pub(crate) fn speeds_of(&self, joint: usize, rows: &[usize]) -> DVector<f64> {
        self.signal(|run| &run.qd, joint, rows)
    }

    /// The column of a part of friction that changes with a speed, at some rows.
    fn friction_column(
        &self,
        joint: usize,
        rows: &[usize],
        part: FrictionTerm,
        speed: f64,
    ) -> Result<DVector<f64>, IdentifyError> {
        let mut whole = Vec::with_capacity(self.rows.len());
        for run in self.runs {
            whole.extend(self.layout.friction_column(self.robot, run, &run.filter()?, joint, part, speed));
        }
        Ok(DVector::from_iterator(rows.len(), rows.iter().map(|&row| whole[row])))
    }

    /// The columns of a joint at some rows with the parts of friction that have these speeds, and what is known there.
    fn columns(
        &self,
        joint: usize,
        rows: &[usize],
        speeds: &FrictionSpeeds,
    ) -> Result<(DMatrix<f64>, DVector<f64>), IdentifyError> {
        let p = self.layout.columns.len();
        let mut all = DMatrix::zeros(rows.len(), p);
        for column in 0..p {
            let source = self.y[joint].column(column);
            all.column_mut(column).iter_mut().zip(rows).for_each(|(target, &row)| *target = source[row]);
        }
        for part in [FrictionTerm::Stribeck, FrictionTerm::Sign] {
            if let (Some(column), Some(speed)) = (self.layout.friction_of(part, joint), speeds.of(part, joint)) {
                all.set_column(column, &self.friction_column(joint, rows, part, speed)?);
            }
        }
        let known = self.y[joint].column(p);
        Ok((all, DVector::from_iterator(rows.len(), rows.iter().map(|&row| known[row]))))
    }

    /// Fits some rows.
    pub fn fit(&self, rows: &[usize], options: &EstimatorOptions) -> Result<Fitted, IdentifyError> {
        let n = self.joints();
        let mut delay = options.delay.unwrap_or(0.0);
        let some = thinned(rows, SEARCHED);
        let mut speeds = self.speeds(&some, delay)?;
        if options.delay.is_none() {
            delay = likely_delay(n, self.left_when_late(&some, &speeds)?);
            speeds = self.speeds(&some, delay)?;
        }
        let whole = threads::each(n, |joint| {
            self.columns(joint, rows, &speeds).map(|(y, known)| (y, self.measured(joint, rows, delay) - known))
        });
        let whole = whole.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut weights = vec![vec![1.0; rows.len()]; n];
        let parts = self.inner_parts(rows);
        let mut fitted = self.solve(&whole, &parts, &weights, options)?;
        if options.robust {
            for _ in 0..3 {
                for (joint, (y, tau)) in whole.iter().enumerate() {
                    let left = tau - y * &fitted.parameters;
                    weights[joint] = least_squares::huber_weights(left.as_slice());
                }
                fitted = self.solve(&whole, &parts, &weights, options)?;
            }
        }
        Ok(Fitted { speeds, delay, ..fitted })
    }

    /// What a fit predicts at some rows of a joint, and what was measured there.
    pub fn predict(
        &self,
        fitted: &Fitted,
        joint: usize,
        rows: &[usize],
    ) -> Result<(DVector<f64>, DVector<f64>), IdentifyError> {
        let (y, known) = self.columns(joint, rows, &fitted.speeds)?;
        Ok((y * &fitted.parameters + known, self.measured(joint, rows, fitted.delay)))
    }

    /// The columns of a joint at some rows, what was measured there, and the residual.
    pub(crate) fn residuals(&self, fitted: &Fitted, joint: usize, rows: &[usize]) -> Result<Residuals, IdentifyError> {
        let (y, known) = self.columns(joint, rows, &fitted.speeds)?;
        let measured = self.measured(joint, rows, fitted.delay);
        let left = &measured - known - &y * &fitted.parameters;
        Ok(Residuals { y, measured, left })
    }

    /// How well a fit predicts some rows.
    pub fn score(&self, fitted: &Fitted, rows: &[usize]) -> Result<Score, IdentifyError> {
        let mut score = Score { rows: rows.len(), ..Score::zero(self.joints()) };
        for joint in 0..self.joints() {
            let (predicted, measured) = self.predict(fitted, joint, rows)?;
            score.errors[joint] = (predicted - &measured).norm_squared();
            score.torques[joint] = measured.norm_squared();
        }
        Ok(score)
    }

    /// How well a robot by itself predicts the rows in which it carries what it carries: its model, not the columns of the fit. `None`
    /// where it has no model or cannot be in a state.
    pub(crate) fn score_of(&self, robot: &Robot, delay: f64) -> Result<Option<Score>, IdentifyError> {
        let n = self.joints();
        let Ok(model) = robot.build_model("exact") else { return Ok(None) };
        let mut score = Score::zero(n);
        for (r, run) in self.runs.iter().enumerate().filter(|(r, _)| self.layout.parameterization.carries(*r)) {
            let mut torques = vec![0.0; n * run.q[0].len()];
            let all = threads::rows(&mut torques, n, |sample, torque| {
                let there = robot.at_joints(&run.state(sample), &Pick::default());
                there.is_ok_and(|there| {
                    let found = model.torque(&there, Wrench::zero());
                    torque.iter_mut().enumerate().for_each(|(i, torque)| *torque = found[i]);
                    true
                })
            });
            if !all {
                return Ok(None);
            }
            let (filter, rows) = (run.filter()?, || self.rows.iter().filter(move |(run, _)| *run == r));
            score.rows += run.used.len();
            for joint in 0..n {
                let predicted = filter.filter(&torques.iter().skip(joint).step_by(n).copied().collect::<Vec<f64>>());
                for &(_, sample) in rows() {
                    let measured = run.torque(joint, sample, delay);
                    score.errors[joint] += (predicted[sample] - measured).powi(2);
                    score.torques[joint] += measured.powi(2);
                }
            }
        }
        Ok(Some(score))
    }
}
