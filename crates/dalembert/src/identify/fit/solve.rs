//! Linear parameters: plain weighted least squares, and physically consistent parameters with a validated prior.

use super::{EstimatorOptions, Fitted, FrictionSpeeds, Plain, PriorWeight, RegressionData};
use crate::threads;
use dalembert_identify::base::BaseParameters;
use dalembert_identify::consistent::{self, DefiniteBlock, Prior};
use dalembert_identify::least_squares::{self, Compressed, Estimate};
use dalembert_identify::{IdentifyError, signal};
use nalgebra::{DMatrix, DVector};

/// Weights of the prior that are tried, and parts of the training data in which they are.
const WEIGHTS: [f64; 10] = [1e-3, 1e-2, 1e-1, 1.0, 3.0, 10.0, 30.0, 1e2, 1e3, 1e5];
const PARTS: usize = 3;
/// Squared errors up to this many times the least are alike.
const ALIKE: f64 = 1.03;
/// The barrier of numbers that only must not be negative, whatever the prior's weight.
const BARRIER: f64 = 1e-2;
/// Rows that are compressed at once.
const CHUNK: usize = 8192;

/// The rows of each joint and each part of the training data, compressed.
struct Pieces {
    parts: usize,
    width: usize,
    all: Vec<Compressed>,
}

impl Pieces {
    fn new(
        whole: &[(DMatrix<f64>, DVector<f64>)],
        part: &[usize],
        weights: &[Vec<f64>],
        width: usize,
    ) -> Result<Self, IdentifyError> {
        let parts = part.iter().max().map_or(1, |last| last + 1);
        let one = |k: usize| {
            let (joint, wanted) = (k / parts, k % parts);
            let (y, tau) = &whole[joint];
            let rows: Vec<usize> = (0..y.nrows()).filter(|&row| part[row] == wanted).collect();
            let mut all = Compressed::empty(width);
            for rows in rows.chunks(CHUNK) {
                let (mut y, mut tau) = (y.select_rows(rows), tau.select_rows(rows));
                for (i, &row) in rows.iter().enumerate() {
                    let weight = weights[joint][row].sqrt();
                    if weight != 1.0 {
                        y.row_mut(i).scale_mut(weight);
                        tau[i] *= weight;
                    }
                }
                all.add(&y, &tau)?;
            }
            Ok::<Compressed, IdentifyError>(all)
        };
        let all = threads::each(whole.len() * parts, one).into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Self { parts, width, all })
    }

    fn of(&self, joint: usize, part: usize) -> &Compressed {
        &self.all[joint * self.parts + part]
    }

    /// The rows of each joint, without those of a part.
    fn groups(&self, without: Option<usize>) -> Vec<Compressed> {
        let group = |joint: usize| {
            let mut all = Compressed::empty(self.width);
            (0..self.parts).filter(|k| Some(*k) != without).for_each(|k| all.merge(self.of(joint, k), 1.0));
            all
        };
        (0..self.all.len() / self.parts).map(group).collect()
    }
}

/// The estimate of some of all columns; zero in the others.
fn in_all_columns(all: usize, columns: &[usize], estimate: &Estimate) -> DVector<f64> {
    let place = |k: usize| columns.iter().position(|&column| column == k);
    DVector::from_fn(all, |k, _| place(k).map_or(0.0, |place| estimate.parameters[place]))
}

impl RegressionData<'_> {
    /// The part of each row in which the prior's weight is validated: whole motions where there are several, since what a motion does
    /// not excite shows in another motion only; else parts of the motion.
    pub(super) fn inner_parts(&self, rows: &[usize]) -> Vec<usize> {
        let motion = |&row: &usize| self.repetition.motion(row);
        let mut motions: Vec<usize> = rows.iter().map(motion).collect();
        motions.sort_unstable();
        motions.dedup();
        if motions.len() > 1 && self.layout.parameterization.loaded.is_empty() {
            let place = |row: &usize| motions.partition_point(|other| *other < motion(row));
            return rows.iter().map(|row| place(row) * PARTS.min(motions.len()) / motions.len()).collect();
        }
        self.repetition.parts(rows, PARTS)
    }

    /// The parameters of rows whose columns are complete.
    pub(super) fn solve(
        &self,
        whole: &[(DMatrix<f64>, DVector<f64>)],
        part: &[usize],
        weights: &[Vec<f64>],
        options: &EstimatorOptions,
    ) -> Result<Fitted, IdentifyError> {
        let pieces = Pieces::new(whole, part, weights, self.layout.columns.len())?;
        let groups = pieces.groups(None);
        let (plain, deviations) = self.least_squares(whole, &groups, options)?;
        let all = least_squares::weighted(&groups, &deviations);
        let consistent = |weight: f64| self.consistent(&all, weight, Some(&plain.correlated));
        let (found, weight) = match options.prior {
            PriorWeight::None => (self.unconstrained(&plain), None),
            PriorWeight::Given(weight) => (consistent(weight), Some(weight)),
            PriorWeight::Validated => {
                let order = self.validated_weights(&pieces, &deviations);
                let mut tried = order.iter().map(|&k| (consistent(WEIGHTS[k]), Some(WEIGHTS[k])));
                tried.find(|(found, _)| found.is_ok()).unwrap_or_else(|| (consistent(1.0), Some(WEIGHTS[0])))
            }
        };
        let (parameters, covariance) = found?;
        let (speeds, delay) = (FrictionSpeeds::default(), 0.0);
        Ok(Fitted { parameters, covariance, speeds, delay, deviations, weight, plain: Some(plain) })
    }

    /// Plain weighted least squares in base parameters, and the deviation of each joint.
    fn least_squares(
        &self,
        whole: &[(DMatrix<f64>, DVector<f64>)],
        groups: &[Compressed],
        options: &EstimatorOptions,
    ) -> Result<(Plain, Vec<f64>), IdentifyError> {
        let (p, rows) = (self.layout.columns.len(), whole.first().map_or(0, |(y, _)| y.nrows()));
        // The base columns that the robot and these rows determine.
        let (columns, combinations) = self.determined(groups);
        let few: Vec<Compressed> = groups.iter().map(|group| group.columns(&columns)).collect();
        let rounds = if options.unweighted { 0 } else { 30 };
        let (estimate, mut deviations) = least_squares::reweighted(&few, rounds)?;
        let left = least_squares::deviations(&few, &estimate.parameters, columns.len());
        if options.unweighted {
            let rms = (left.iter().map(|x| x * x).sum::<f64>() / left.len().max(1) as f64).sqrt();
            deviations = vec![rms; left.len()];
        }
        // No torque is known better than this share of its size: after a perfect fit a prior would weigh nothing.
        for (deviation, (_, tau)) in deviations.iter_mut().zip(whole) {
            *deviation = deviation.max(1e-6 * (tau.norm_squared() / rows.max(1) as f64).sqrt());
        }
        let correlated = self.correlated(whole, &in_all_columns(p, &columns, &estimate), &deviations, columns.len());
        let inverse = least_squares::solve(&least_squares::weighted(&few, &deviations))?.covariance;
        let middle = correlated.select_columns(&columns).select_rows(&columns);
        let covariance = &inverse * middle * &inverse;
        let sigma = (0..columns.len()).map(|k| covariance[(k, k)].max(0.0).sqrt()).collect();
        Ok((Plain { columns, combinations, estimate, covariance, sigma, correlated }, deviations))
    }

    /// Of all parameters with the base parameters of plain least squares, those nearest to the file's.
    fn unconstrained(&self, plain: &Plain) -> Result<(DVector<f64>, DMatrix<f64>), IdentifyError> {
        let p = self.layout.columns.len();
        let (g, start) = (self.structure.matrix(p), self.layout.start.clone());
        let change = &g * in_all_columns(p, &plain.columns, &plain.estimate) - &g * &start;
        let scale = DVector::from_fn(p, |k, _| start[k].abs().max(1e-3));
        let scaled = DMatrix::from_fn(g.nrows(), p, |i, j| g[(i, j)] * scale[j]);
        let moved = scaled.pseudo_inverse(1e-12).map_err(|_| IdentifyError::Dependent { rank: 0, columns: p })?;
        let parameters = start + scale.component_mul(&(moved * change));
        let mut covariance = DMatrix::zeros(p, p);
        for (i, &a) in plain.columns.iter().enumerate() {
            for (j, &b) in plain.columns.iter().enumerate() {
                covariance[(a, b)] = plain.covariance[(i, j)];
            }
        }
        Ok((parameters, covariance))
    }

    /// Weights of the prior in the order in which they are to be tried: by how well they predict each part from the others.
    fn validated_weights(&self, pieces: &Pieces, deviations: &[f64]) -> Vec<usize> {
        let rest = |held: usize| least_squares::weighted(&pieces.groups(Some(held)), deviations);
        let rests: Vec<Compressed> = (0..pieces.parts).map(rest).collect();
        let validated = threads::each(WEIGHTS.len(), |k| {
            let mut error = 0.0;
            for (held, rest) in rests.iter().enumerate() {
                let Ok((found, _)) = self.consistent(rest, WEIGHTS[k], None) else { return f64::INFINITY };
                for (joint, deviation) in deviations.iter().enumerate() {
                    error += pieces.of(joint, held).error(&found) / deviation.powi(2).max(f64::MIN_POSITIVE);
                }
            }
            error
        });
        // The best computable value: the border of physical consistency may stop the iteration.
        let mut order: Vec<usize> = (0..WEIGHTS.len()).collect();
        order.sort_by(|a, b| validated[*a].total_cmp(&validated[*b]));
        // Of weights that predict alike the largest: the validated data are like the fitted data, other motions are not.
        let enough = ALIKE * validated[order[0]];
        let alike = order.iter().filter(|&&k| validated[k] <= enough).count();
        order[..alike].sort_by_key(|&k| std::cmp::Reverse(k));
        order
    }

    /// The base columns that these rows determine, and the combinations of all parameters that they stand for.
    fn determined(&self, groups: &[Compressed]) -> (Vec<usize>, DMatrix<f64>) {
        let mut all = Compressed::empty(self.layout.columns.len());
        groups.iter().for_each(|group| all.merge(group, 1.0));
        let lengths: Vec<f64> = all.r.column_iter().map(|column| column.norm()).collect();
        let most = lengths.iter().copied().fold(0.0, f64::max);
        let place = |k: &usize| lengths[self.structure.independent[*k]] > 1e-12 * most;
        let rows: Vec<usize> = (0..self.structure.independent.len()).filter(place).collect();
        let there: Vec<usize> = rows.iter().map(|&k| self.structure.independent[k]).collect();
        let of_data = BaseParameters::of(&all.r.select_columns(&there));
        let of_robot = self.structure.matrix(lengths.len()).select_rows(&rows);
        (of_data.independent.iter().map(|&k| there[k]).collect(), of_data.matrix(there.len()) * of_robot)
    }

    /// What the sum of g_t = Σ_j Y_jᵀ r_j/σ_j² over the times t varies by, after Newey and West (1987): Σ_l w_l Σ_t g_t g_(t+l)ᵀ.
    /// r is the residual, whatever it comes from: noise of torques, accelerations that are off and so enter all joints at once,
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
        // The residual of a fit is smaller than that of the true parameters.
        let all = (rows * whole.len()) as f64;
        least_squares::newey_west(&moments, lags, ROWS) * (all / (all - free as f64).max(1.0))
    }

    pub(crate) fn prior(&self, all: &Compressed, weight: f64) -> Prior {
        let start = self.layout.start.clone();
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
        // H⁻¹ (M + H − YᵀY) H⁻¹: with rows that are not alike it is H⁻¹.
        let more = correlated.map(|middle| &found.covariance * (middle - all.r.tr_mul(&all.r)) * &found.covariance);
        let covariance = more.map_or(found.covariance.clone(), |more| &found.covariance + more);
        Ok((found.parameters, covariance))
    }
}
