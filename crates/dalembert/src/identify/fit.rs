//! The fit: weights, friction's speeds, delay, the prior's weight by validation inside the training data, and parameters.

use super::columns::{ColumnLayout, ColumnQuantity, FrictionTerm};
use super::prepare::PreparedLog;
use super::score::Score;
use crate::robot::{JointState, JointVector, Pick, Robot};
use crate::spatial::Wrench;
use crate::threads;
use dalembert_identify::base::BaseParameters;
use dalembert_identify::consistent::{self, DefiniteBlock, Prior};
use dalembert_identify::friction::{self, orthonormal};
use dalembert_identify::least_squares::{self, Compressed, Estimate};
use dalembert_identify::search::least;
use dalembert_identify::{IdentifyError, folds, signal};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// What the bodies are held to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PriorWeight {
    /// Bodies that can be, near to the robot file as far as that helps to predict what was not seen.
    #[default]
    Validated,
    /// The same with this weight.
    Given(f64),
    /// Nothing: plain least squares, whose bodies may be impossible.
    None,
}

/// The delay of the torque against the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Delay {
    /// Where the fit is best.
    #[default]
    Estimated,
    /// s; positive: the torque is logged later than the motion.
    Given(f64),
}

/// How it is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EstimatorOptions {
    /// What the bodies are held to.
    pub prior: PriorWeight,
    /// The delay.
    pub delay: Delay,
    /// Rows that are far off count less.
    pub robust: bool,
    /// All joints have the same weight, whatever their noise.
    pub unweighted: bool,
    /// Base parameters by instrumental variables too.
    pub instruments: bool,
    /// Base parameters whose deviation is at most this share of their value are looked for too.
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
    /// What the robot can tell at all.
    pub(crate) structure: BaseParameters,
    /// Share of samples that the robot cannot be in.
    pub(crate) refused: f64,
}

/// The speeds of friction that it is not linear in, of each joint, rad/s (m/s).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrictionSpeeds {
    /// v_s; none: Stribeck's part tells nothing.
    #[serde(rename = "stribeck_velocities")]
    pub stribeck: Vec<Option<f64>>,
    /// v_0 of tanh(q̇/v_0), where that tells more; none: a sign.
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

/// What a fit found.
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
    /// What is left at each joint, N m (N).
    pub deviations: Vec<f64>,
    /// The prior's weight.
    pub weight: Option<f64>,
    /// Plain weighted least squares in base parameters.
    pub plain: Option<Plain>,
}

/// Plain weighted least squares.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Columns that are estimated: the base parameters that the data tells.
    pub columns: Vec<usize>,
    /// The estimate, its covariance for rows of variance 1.
    pub estimate: Estimate,
    /// Their covariance, what is left being as much alike from row to row as it is.
    pub covariance: DMatrix<f64>,
    /// Standard deviation of each: the same.
    pub sigma: Vec<f64>,
}

/// Rows of a joint and what a fit leaves of them.
pub(crate) struct Residuals {
    /// Columns.
    pub y: DMatrix<f64>,
    /// Measured torques.
    pub measured: DVector<f64>,
    /// Less what is known and what was fitted.
    pub left: DVector<f64>,
}

/// Weights of the prior that are tried, and parts of the training data in which they are.
const WEIGHTS: [f64; 10] = [1e-3, 1e-2, 1e-1, 1.0, 3.0, 10.0, 30.0, 1e2, 1e3, 1e5];
const PARTS: usize = 3;
/// Squared errors up to this many times the least are alike.
const ALIKE: f64 = 1.03;
/// The barrier of numbers that only must not be negative, whatever the prior's weight.
const BARRIER: f64 = 1e-2;
/// Rows in which friction's speeds and the delay are looked for: more make no difference and take time.
const SEARCHED: usize = 6000;
/// Rows that are compressed at once.
const CHUNK: usize = 8192;
/// Delays that are looked for, s.
pub(crate) const LONGEST_DELAY: f64 = 0.1;
/// Squared, as a share of the torque: less is left of nothing that was measured.
const EXACT: f64 = 1e-6;

/// The most likely delay of measured torques, s, within [`LONGEST_DELAY`]; `left` is told a joint and a delay, and says which share of the
/// torque's square a model then leaves. Where every joint has a noise of its own, the sum of logarithms is least: a joint that is not
/// explained, or has a delay of its own, hardly counts.
pub(crate) fn likely_delay(joints: usize, left: impl Fn(usize, f64) -> f64) -> f64 {
    let unlikely = |delay: f64| (0..joints).map(|joint| (left(joint, delay) + EXACT).ln()).sum::<f64>();
    let best = least(-LONGEST_DELAY, LONGEST_DELAY, 51, unlikely);
    // Nothing gained is nothing found.
    let gained = unlikely(0.0) - best.value > 0.002 * joints as f64;
    if gained { best.at } else { 0.0 }
}

impl<'a> RegressionData<'a> {
    /// The rows of runs.
    pub fn new(robot: &'a Robot, layout: &'a ColumnLayout, runs: &'a [PreparedLog]) -> Result<Self, IdentifyError> {
        let p = layout.columns.len();
        let total: usize = runs.iter().map(|run| run.used.len()).sum();
        let mut y = vec![DMatrix::zeros(total, p + 1); layout.joints()];
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
        Ok(Self { robot, layout, runs, y, rows, structure, refused: refused as f64 / samples.max(1) as f64 })
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// What torques of this robot tell at all.
    pub fn structure(&self) -> &BaseParameters {
        &self.structure
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
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

    /// The speeds of a joint at some rows.
    pub(crate) fn speeds_of(&self, joint: usize, rows: &[usize]) -> Vec<f64> {
        rows.iter().map(|&row| self.runs[self.rows[row].0].qd[joint][self.rows[row].1]).collect()
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

    /// How the torque of a joint at some rows changes with the speed of a part, for a factor of 1.
    pub(crate) fn speed_slope(
        &self,
        joint: usize,
        rows: &[usize],
        part: FrictionTerm,
        speed: f64,
    ) -> Result<DVector<f64>, IdentifyError> {
        // A hundredth of the speed either way: the column goes through the filter as it is.
        let [low, high] = [0.99 * speed, 1.01 * speed];
        let [a, b] = [high, low].map(|speed| self.friction_column(joint, rows, part, speed));
        Ok((a? - b?) / (high - low))
    }

    /// The speeds of friction of each joint from some rows: of the two shapes that which leaves less, where it tells anything.
    fn speeds(&self, rows: &[usize], delay: f64) -> Result<FrictionSpeeds, IdentifyError> {
        let one = |joint: usize| -> Result<[Option<f64>; 2], IdentifyError> {
            let falls = self.layout.friction_of(FrictionTerm::Stribeck, joint);
            let rises =
                self.layout.friction_of(FrictionTerm::Sign, joint).filter(|_| self.layout.parameterization.tanh);
            if falls.is_none() && rises.is_none() {
                return Ok([None; 2]);
            }
            let (mut y, known) = self.columns(joint, rows, &FrictionSpeeds::default())?;
            let tau = self.measured(joint, rows, delay) - known;
            let speeds = DVector::from_vec(self.speeds_of(joint, rows));
            let fastest = speeds.amax();
            let resting = self.runs.iter().map(|run| run.resting[joint]).fold(0.0, f64::max);
            if fastest < 20.0 * resting || rows.len() < y.ncols() + 10 {
                return Ok([None; 2]);
            }
            // One parameter more lowers the error by about its share of the rows; ten times that is no accident.
            let tells = |without: f64, left: f64| (without - left) / left > 10.0 / rows.len() as f64;
            let between = [4.0 * resting, 0.7 * fastest];
            let sign = self.layout.friction_of(FrictionTerm::Sign, joint).map(|k| (k, y.column(k).into_owned()));
            sign.iter().for_each(|(k, _)| y.column_mut(*k).fill(0.0));
            let rest = friction::FrictionResidual::new(&y, &tau)?;
            let dry = sign.as_ref().map_or_else(|| rest.clone(), |(_, column)| rest.and(column));
            let (mut best, mut least) = ([None; 2], dry.left());
            if falls.is_some() {
                let part = |at: f64| speeds.map(|v| friction::stribeck(v, 0.5 * resting, at));
                let found = dry.speed(part, between)?;
                if tells(found.without, found.left) {
                    (best, least) = ([Some(found.at), None], found.left);
                }
            }
            if rises.is_some() {
                let found = rest.speed(|at: f64| speeds.map(|v| friction::sign(v, at)), between)?;
                // Judged by the column as it is fitted, which goes through the filter.
                let [left, factor] = rest.with(&self.friction_column(joint, rows, FrictionTerm::Sign, found.at)?);
                if factor > 0.0 && left < least && tells(dry.left(), left) {
                    best = [None, Some(found.at)];
                }
            }
            Ok(best)
        };
        let all = threads::each(self.joints(), one).into_iter().collect::<Result<Vec<_>, _>>()?;
        let of = |k: usize| all.iter().map(|found| found[k]).collect();
        Ok(FrictionSpeeds { stribeck: of(0), smoothing: of(1) })
    }

    /// What plain least squares leaves of each joint as a share of its torque, squared, when that is a delay late.
    fn left_when_late<'s>(
        &'s self,
        rows: &'s [usize],
        speeds: &FrictionSpeeds,
    ) -> Result<impl Fn(usize, f64) -> f64 + 's, IdentifyError> {
        let bases = threads::each(self.joints(), |joint| {
            self.columns(joint, rows, speeds).map(|(y, known)| (orthonormal(&y), known))
        });
        let bases = bases.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(move |joint: usize, delay: f64| {
            let (basis, known): &(DMatrix<f64>, DVector<f64>) = &bases[joint];
            let tau = self.measured(joint, rows, delay) - known;
            let along = basis.tr_mul(&tau);
            let energy = tau.norm_squared();
            if energy > 0.0 { (energy - along.norm_squared()).max(0.0) / energy } else { 0.0 }
        })
    }

    /// The delay at which plain least squares leaves least.
    fn delay(&self, rows: &[usize], speeds: &FrictionSpeeds) -> Result<f64, IdentifyError> {
        Ok(likely_delay(self.joints(), self.left_when_late(rows, speeds)?))
    }

    /// Joints whose own torque is later than those of the others by more than a few samples, s, where that explains it far better.
    pub(crate) fn late_joints(&self, fitted: &Fitted) -> Result<Vec<(usize, f64)>, IdentifyError> {
        /// By so much, s; what is then left, squared, is at most this share.
        const APART: f64 = 4e-3;
        const TELLS: f64 = 0.5;
        let rows: Vec<usize> = (0..self.len()).step_by(self.len().div_ceil(SEARCHED).max(1)).collect();
        let left = self.left_when_late(&rows, &fitted.speeds)?;
        let own = |joint: usize| {
            let best = least(-LONGEST_DELAY, LONGEST_DELAY, 51, |delay| left(joint, delay));
            let apart = best.at - fitted.delay;
            let tells = best.value + EXACT < TELLS * (left(joint, fitted.delay) + EXACT);
            (apart.abs() > APART && tells).then_some((joint, apart))
        };
        Ok((0..self.joints()).filter_map(own).collect())
    }

    /// Fits some rows.
    pub fn fit(&self, rows: &[usize], options: &EstimatorOptions) -> Result<Fitted, IdentifyError> {
        let n = self.joints();
        let mut delay = match options.delay {
            Delay::Given(delay) => delay,
            Delay::Estimated => 0.0,
        };
        let some: Vec<usize> = rows.iter().copied().step_by(rows.len().div_ceil(SEARCHED).max(1)).collect();
        let mut speeds = self.speeds(&some, delay)?;
        if options.delay == Delay::Estimated {
            delay = self.delay(&some, &speeds)?;
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

    /// The part of each row in which the prior's weight is validated: whole runs where there are several, since what a motion does
    /// not tell shows in another motion only; else parts of the time.
    fn inner_parts(&self, rows: &[usize]) -> Vec<usize> {
        let mut runs: Vec<usize> = rows.iter().map(|&row| self.rows[row].0).collect();
        let of_rows = runs.clone();
        runs.dedup();
        if runs.len() > 1 && self.layout.parameterization.loaded.is_empty() {
            let place = |run: &usize| runs.iter().position(|other| other == run).unwrap_or(0);
            return of_rows.iter().map(|run| place(run) * PARTS.min(runs.len()) / runs.len()).collect();
        }
        let mut parts = Vec::new();
        for run in &runs {
            parts.extend(folds::in_time(of_rows.iter().filter(|of| *of == run).count(), PARTS));
        }
        parts
    }

    /// The parameters of rows whose columns are complete.
    fn solve(
        &self,
        whole: &[(DMatrix<f64>, DVector<f64>)],
        part: &[usize],
        weights: &[Vec<f64>],
        options: &EstimatorOptions,
    ) -> Result<Fitted, IdentifyError> {
        let p = self.layout.columns.len();
        let rows = whole.first().map_or(0, |(y, _)| y.nrows());
        let parts = part.iter().max().map_or(1, |last| last + 1);
        let pieces = threads::each(whole.len() * parts, |k| {
            let (joint, wanted) = (k / parts, k % parts);
            let of: Vec<usize> = (0..rows).filter(|&row| part[row] == wanted).collect();
            let mut all = Compressed::empty(p);
            for of in of.chunks(CHUNK) {
                let (y, tau) = &whole[joint];
                let (mut y, mut tau) = (y.select_rows(of), tau.select_rows(of));
                for (i, &row) in of.iter().enumerate() {
                    let weight = weights[joint][row].sqrt();
                    if weight != 1.0 {
                        y.row_mut(i).scale_mut(weight);
                        tau[i] *= weight;
                    }
                }
                all.add(&y, &tau)?;
            }
            Ok::<Compressed, IdentifyError>(all)
        });
        let pieces = pieces.into_iter().collect::<Result<Vec<_>, _>>()?;
        let group = |joint: usize, without: Option<usize>| {
            let mut all = Compressed::empty(p);
            (0..parts).filter(|k| Some(*k) != without).for_each(|k| all.merge(&pieces[joint * parts + k], 1.0));
            all
        };
        let groups: Vec<Compressed> = (0..whole.len()).map(|joint| group(joint, None)).collect();
        // What the robot and these rows can tell.
        let columns = self.told(&groups);
        let few: Vec<Compressed> = groups.iter().map(|group| group.columns(&columns)).collect();
        let rounds = if options.unweighted { 0 } else { 30 };
        let (estimate, mut deviations) = least_squares::reweighted(&few, rounds)?;
        let left = least_squares::deviations(&few, &estimate.parameters, columns.len());
        if options.unweighted {
            let rms = (left.iter().map(|x| x * x).sum::<f64>() / left.len().max(1) as f64).sqrt();
            deviations = vec![rms; left.len()];
        }
        // No torque is known better than this share of its size: after a perfect fit what was known before would weigh nothing.
        for (deviation, (_, tau)) in deviations.iter_mut().zip(whole) {
            *deviation = deviation.max(1e-6 * (tau.norm_squared() / rows.max(1) as f64).sqrt());
        }
        let mut plain = DVector::zeros(p);
        columns.iter().zip(estimate.parameters.iter()).for_each(|(&k, value)| plain[k] = *value);
        let correlated = self.correlated(whole, &plain, &deviations, columns.len());
        let scaled = least_squares::weighted(&few, &deviations);
        let inverse = least_squares::solve(&scaled)?.covariance;
        let middle = correlated.select_columns(&columns).select_rows(&columns);
        let sandwich = &inverse * middle * &inverse;
        let sigma = (0..columns.len()).map(|k| sandwich[(k, k)].max(0.0).sqrt()).collect();
        let plain_fit = Plain { columns: columns.clone(), estimate, covariance: sandwich.clone(), sigma };
        let all = least_squares::weighted(&groups, &deviations);
        let (parameters, covariance, weight) = match options.prior {
            PriorWeight::None => {
                // Of all parameters that say the same, those nearest to the file's.
                let (g, start) = (self.structure.matrix(p), DVector::from_column_slice(&self.layout.start));
                let base_plain = &g * &plain;
                let change = base_plain - &g * &start;
                let scale = DVector::from_fn(p, |k, _| start[k].abs().max(1e-3));
                let scaled = DMatrix::from_fn(g.nrows(), p, |i, j| g[(i, j)] * scale[j]);
                let moved =
                    scaled.pseudo_inverse(1e-12).map_err(|_| IdentifyError::Dependent { rank: 0, columns: p })?;
                let parameters = start + scale.component_mul(&(moved * change));
                let mut covariance = DMatrix::zeros(p, p);
                for (i, &a) in columns.iter().enumerate() {
                    for (j, &b) in columns.iter().enumerate() {
                        covariance[(a, b)] = sandwich[(i, j)];
                    }
                }
                (parameters, covariance, None)
            }
            PriorWeight::Given(weight) => {
                let (parameters, covariance) = self.consistent(&all, weight, Some(&correlated))?;
                (parameters, covariance, Some(weight))
            }
            PriorWeight::Validated => {
                let rests: Vec<Compressed> = (0..parts)
                    .map(|held| {
                        let rest: Vec<Compressed> = (0..whole.len()).map(|joint| group(joint, Some(held))).collect();
                        least_squares::weighted(&rest, &deviations)
                    })
                    .collect();
                let validated = threads::each(WEIGHTS.len(), |k| {
                    let mut error = 0.0;
                    for (held, rest) in rests.iter().enumerate() {
                        let Ok((found, _)) = self.consistent(rest, WEIGHTS[k], None) else { return f64::INFINITY };
                        for joint in 0..whole.len() {
                            let piece = &pieces[joint * parts + held];
                            error += piece.error(&found) / deviations[joint].powi(2).max(f64::MIN_POSITIVE);
                        }
                    }
                    error
                });
                // The best that can be computed: the border of what bodies can be may stop the iteration.
                let mut order: Vec<usize> = (0..WEIGHTS.len()).collect();
                order.sort_by(|a, b| validated[*a].total_cmp(&validated[*b]));
                // Of weights that predict alike the largest: what was validated is like what was fitted, other motions are not.
                let enough = ALIKE * validated[order[0]];
                let alike = order.iter().filter(|&&k| validated[k] <= enough).count();
                order[..alike].sort_by_key(|&k| std::cmp::Reverse(k));
                let mut tried = order.iter().map(|&k| (k, self.consistent(&all, WEIGHTS[k], Some(&correlated))));
                let first = tried.find(|(_, found)| found.is_ok());
                let (best, found) = first.unwrap_or_else(|| (0, self.consistent(&all, 1.0, Some(&correlated))));
                let (parameters, covariance) = found?;
                (parameters, covariance, Some(WEIGHTS[best]))
            }
        };
        Ok(Fitted {
            parameters,
            covariance,
            speeds: FrictionSpeeds::default(),
            delay: 0.0,
            deviations,
            weight,
            plain: Some(plain_fit),
        })
    }

    /// The base columns that these rows tell.
    fn told(&self, groups: &[Compressed]) -> Vec<usize> {
        let mut all = Compressed::empty(self.layout.columns.len());
        groups.iter().for_each(|group| all.merge(group, 1.0));
        let lengths: Vec<f64> = all.r.column_iter().map(|column| column.norm()).collect();
        let most = lengths.iter().copied().fold(0.0, f64::max);
        let there: Vec<usize> =
            self.structure.independent.iter().copied().filter(|&k| lengths[k] > 1e-12 * most).collect();
        let of_data = BaseParameters::of(&all.r.select_columns(&there));
        of_data.independent.iter().map(|&k| there[k]).collect()
    }

    /// What the sum of g_t = Σ_j Y_jᵀ r_j/σ_j² over the times t varies by, after Newey and West (1987): Σ_l w_l Σ_t g_t g_(t+l)ᵀ.
    /// r is what is left, whatever it comes from: noise of torques, accelerations that are off and so enter all joints at once,
    /// signs that change too early; it may be larger at some times than at others, and alike from row to row.
    fn correlated(
        &self,
        whole: &[(DMatrix<f64>, DVector<f64>)],
        at: &DVector<f64>,
        deviations: &[f64],
        free: usize,
    ) -> DMatrix<f64> {
        /// Lags that are looked at, and rows in which; more make no difference and take time.
        const LAGS: usize = 30;
        const ROWS: usize = 20_000;
        let p = at.len();
        let rows = whole.first().map_or(0, |(y, _)| y.nrows());
        let parts = threads::each(whole.len(), |joint| {
            let (y, tau) = &whole[joint];
            let mut left = tau - y * at;
            let lags = signal::autocorrelation(left.as_slice(), LAGS.min(rows / 10)).len() - 1;
            left.scale_mut(1.0 / deviations[joint].max(f64::MIN_POSITIVE).powi(2));
            let mut moments = y.clone();
            moments.column_iter_mut().for_each(|mut column| column.component_mul_assign(&left));
            (moments, lags)
        });
        let lags = parts.iter().map(|(_, lags)| *lags).max().unwrap_or(0);
        let moments = parts.into_iter().fold(DMatrix::zeros(rows, p), |sum, (part, _)| sum + part);
        let mut sum = moments.tr_mul(&moments);
        let some = rows.min(ROWS);
        for lag in 1..=lags {
            let weight = (1.0 - lag as f64 / (lags + 1) as f64) * rows as f64 / some as f64;
            let product = moments.rows(0, some - lag).tr_mul(&moments.rows(lag, some - lag)) * weight;
            sum += &product + product.transpose();
        }
        // A fit leaves less than what the truth would leave.
        let all = (rows * whole.len()) as f64;
        sum * (all / (all - free as f64).max(1.0))
    }

    pub(crate) fn prior(&self, all: &Compressed, weight: f64) -> Prior {
        let start = DVector::from_column_slice(&self.layout.start);
        let blocks: Vec<(DefiniteBlock, f64)> = self
            .layout
            .blocks
            .iter()
            .map(|(_, block, there)| (block.clone(), if *there { 1.0 } else { (BARRIER / weight).min(1.0) }))
            .collect();
        let known = self.layout.tolerances.iter().map(|(block, own)| (block.clone(), own / weight));
        let blocks: Vec<(DefiniteBlock, f64)> = blocks.into_iter().chain(known).collect();
        let mut held = vec![false; start.len()];
        blocks.iter().flat_map(|(block, _)| &block.entries).for_each(|entry| held[entry.2] = true);
        // What is in no block is held by next to nothing, and at zero.
        let springs = DVector::from_fn(start.len(), |k, _| {
            let length = all.r.column(k).norm_squared();
            if held[k] { 0.0 } else { 1e-12 * length + 1e-9 }
        });
        Prior { blocks, parameters: start, springs }
    }

    fn consistent(
        &self,
        all: &Compressed,
        weight: f64,
        correlated: Option<&DMatrix<f64>>,
    ) -> Result<(DVector<f64>, DMatrix<f64>), IdentifyError> {
        let found = consistent::solve(all, &self.prior(all, weight), weight)?;
        let covariance = match correlated {
            Some(middle) => {
                // H⁻¹ (M + H − YᵀY) H⁻¹: with rows that are not alike it is H⁻¹.
                let (square, _) = all.normal();
                let more = &found.covariance * (middle - square) * &found.covariance;
                found.covariance + more
            }
            None => found.covariance,
        };
        Ok((found.parameters, covariance))
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

    /// The columns of a joint at some rows, what was measured there, and what a fit leaves of it.
    pub(crate) fn residuals(&self, fitted: &Fitted, joint: usize, rows: &[usize]) -> Result<Residuals, IdentifyError> {
        let (y, known) = self.columns(joint, rows, &fitted.speeds)?;
        let measured = self.measured(joint, rows, fitted.delay);
        let left = &measured - known - &y * &fitted.parameters;
        Ok(Residuals { y, measured, left })
    }

    /// How well a fit predicts some rows.
    pub fn score(&self, fitted: &Fitted, rows: &[usize]) -> Result<Score, IdentifyError> {
        let mut score = Score::zero(self.joints());
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
        let Ok(model) = robot.model("exact") else { return Ok(None) };
        let mut score = Score::zero(n);
        for (r, run) in self.runs.iter().enumerate().filter(|(r, _)| self.layout.parameterization.carries(*r)) {
            let mut torques = vec![0.0; n * run.q[0].len()];
            let all = threads::rows(&mut torques, n, |sample, torque| {
                let of = |from_run: &[Vec<f64>]| JointVector::from_fn(n, |i| from_run[i][sample]);
                let state = JointState { q: of(&run.q), qd: of(&run.qd), qdd: of(&run.qdd) };
                let there = robot.at_joints(&state, &Pick::default());
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

    /// The share of a joint's torque that is friction, to judge what is left.
    pub(crate) fn friction_columns(&self, joint: usize) -> Vec<usize> {
        let own = |quantity: &ColumnQuantity| matches!(quantity, ColumnQuantity::Viscous(i) | ColumnQuantity::Coulomb(i) | ColumnQuantity::Stribeck(i) if *i == joint);
        (0..self.layout.columns.len()).filter(|&k| own(&self.layout.columns[k].quantity)).collect()
    }
}
