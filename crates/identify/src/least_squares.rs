//! Parameters of τ = Y π from many rows, compressed by QR first.
//!
//! All that least squares asks of rows [Y τ] is the triangle R of their QR decomposition: it has as many rows as there are
//! columns, whatever the number of rows. Rows of different variances, and parts of the time, each have their triangle; any
//! choice of weights and parts is then a matter of small matrices.

use crate::{IdentifyError, same_length};
use nalgebra::{DMatrix, DVector};

/// Rows of Y with their τ, as small as they can be.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// Triangle, as many columns as there are parameters.
    pub r: DMatrix<f64>,
    /// What it is to be equal to.
    pub z: DVector<f64>,
    /// What no parameters can remove, squared.
    pub rest: f64,
    /// Rows that went into it.
    pub rows: usize,
    /// ‖τ‖².
    pub measured: f64,
}

impl Compressed {
    /// Of no rows yet.
    pub fn empty(columns: usize) -> Self {
        let (r, z) = (DMatrix::zeros(0, columns), DVector::zeros(0));
        Self { r, z, rest: 0.0, rows: 0, measured: 0.0 }
    }

    /// Of these rows.
    pub fn new(y: &DMatrix<f64>, tau: &DVector<f64>) -> Result<Self, IdentifyError> {
        let mut all = Self::empty(y.ncols());
        all.add(y, tau)?;
        Ok(all)
    }

    /// More rows.
    pub fn add(&mut self, y: &DMatrix<f64>, tau: &DVector<f64>) -> Result<(), IdentifyError> {
        same_length("columns", y.ncols(), self.r.ncols())?;
        same_length("torques", tau.len(), y.nrows())?;
        crate::finite("a number of a row", y.iter().chain(tau.iter()))?;
        // Blocks that fit into the processor's memory: many rows at once would wait for it.
        const BLOCK: usize = 512;
        for first in (0..y.nrows()).step_by(BLOCK) {
            let count = BLOCK.min(y.nrows() - first);
            self.join(&y.rows(first, count).into_owned(), &tau.rows(first, count).into_owned(), 1.0);
        }
        self.rows += y.nrows();
        self.measured += tau.norm_squared();
        Ok(())
    }

    /// The rows of another one too, each times `weight`.
    pub fn merge(&mut self, other: &Self, weight: f64) {
        self.join(&other.r, &other.z, weight);
        self.rest += other.rest * weight * weight;
        self.rows += other.rows;
        self.measured += other.measured * weight * weight;
    }

    fn join(&mut self, y: &DMatrix<f64>, tau: &DVector<f64>, weight: f64) {
        let (p, old, new) = (self.r.ncols(), self.r.nrows(), y.nrows());
        if new == 0 {
            return;
        }
        let mut all = DMatrix::zeros(old + new, p + 1);
        all.view_mut((0, 0), (old, p)).copy_from(&self.r);
        all.view_mut((0, p), (old, 1)).copy_from(&self.z);
        all.view_mut((old, 0), (new, p)).copy_from(&(y * weight));
        all.view_mut((old, p), (new, 1)).copy_from(&(tau * weight));
        let rows = all.nrows().min(p + 1);
        let triangle = all.qr().unpack_r();
        let kept = rows.min(p);
        self.r = triangle.view((0, 0), (kept, p)).into_owned();
        self.z = triangle.column(p).rows(0, kept).into_owned();
        if rows > p {
            self.rest += triangle[(p, p)] * triangle[(p, p)];
        }
    }

    /// ‖τ − Y π‖².
    pub fn error(&self, parameters: &DVector<f64>) -> f64 {
        (&self.z - &self.r * parameters).norm_squared() + self.rest
    }

    /// Only some of the columns, in the given order.
    pub fn columns(&self, of: &[usize]) -> Self {
        let mut all = Self { rows: self.rows, measured: self.measured, rest: self.rest, ..Self::empty(of.len()) };
        all.join(&self.r.select_columns(of), &self.z, 1.0);
        all
    }
}

/// What least squares finds.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The parameters.
    pub parameters: DVector<f64>,
    /// Their covariance, for rows of variance 1.
    pub covariance: DMatrix<f64>,
    /// Largest over least singular value of Y with columns of length 1.
    pub condition: f64,
    /// ‖τ − Y π‖².
    pub error: f64,
}

/// The parameters of independent columns. Rows have been divided by their standard deviation.
pub fn solve(rows: &Compressed) -> Result<Estimate, IdentifyError> {
    let p = rows.r.ncols();
    if rows.r.nrows() < p {
        return Err(IdentifyError::Dependent { rank: rows.r.nrows(), columns: p });
    }
    // Columns of length 1: units do not matter.
    let lengths: Vec<f64> = rows.r.column_iter().map(|column| column.norm()).collect();
    let scaled = DMatrix::from_fn(p, p, |i, j| if lengths[j] > 0.0 { rows.r[(i, j)] / lengths[j] } else { 0.0 });
    let svd = scaled.svd(true, true);
    let most = svd.singular_values.max();
    let rank = svd.singular_values.iter().filter(|s| **s > 1e-12 * most).count();
    let (true, Some(u), Some(v)) = (rank == p, &svd.u, &svd.v_t) else {
        return Err(IdentifyError::Dependent { rank, columns: p });
    };
    let mut turned = u.tr_mul(&rows.z);
    let mut factor = v.transpose();
    for k in 0..p {
        turned[k] /= svd.singular_values[k];
        factor.column_mut(k).scale_mut(1.0 / svd.singular_values[k]);
    }
    let unscaled = v.tr_mul(&turned);
    let parameters = DVector::from_fn(p, |k, _| unscaled[k] / lengths[k]);
    let product = &factor * factor.transpose();
    let covariance = DMatrix::from_fn(p, p, |i, j| product[(i, j)] / (lengths[i] * lengths[j]));
    let error = rows.error(&parameters);
    Ok(Estimate { parameters, covariance, condition: most / svd.singular_values.min(), error })
}

/// Standard deviation of each group of rows from what a fit leaves, `parameters` of them shared among the groups by their
/// rows.
pub fn deviations(groups: &[Compressed], parameters: &DVector<f64>, free: usize) -> Vec<f64> {
    let rows: usize = groups.iter().map(|group| group.rows).sum();
    let share = |group: &Compressed| free as f64 * group.rows as f64 / rows.max(1) as f64;
    let of = |group: &Compressed| (group.error(parameters) / (group.rows as f64 - share(group)).max(1.0)).sqrt();
    groups.iter().map(of).collect()
}

/// Groups of rows, each divided by its deviation, as one.
pub fn weighted(groups: &[Compressed], deviations: &[f64]) -> Compressed {
    let mut all = Compressed::empty(groups.first().map_or(0, |group| group.r.ncols()));
    for (group, deviation) in groups.iter().zip(deviations) {
        // A group without noise does not get all the weight there is.
        let least = 1e-9 * (group.measured / group.rows.max(1) as f64).sqrt();
        let deviation = deviation.max(least);
        if deviation > 0.0 {
            all.merge(group, 1.0 / deviation);
        }
    }
    all
}

/// Weighted least squares whose weights are the deviations that it leaves, until they stay: the estimate, for rows of
/// variance 1, and the deviations.
pub fn reweighted(groups: &[Compressed], rounds: usize) -> Result<(Estimate, Vec<f64>), IdentifyError> {
    let mut now = vec![1.0; groups.len()];
    for round in 0.. {
        let estimate = solve(&weighted(groups, &now))?;
        if round == rounds {
            return Ok((estimate, now));
        }
        let next = deviations(groups, &estimate.parameters, estimate.parameters.len());
        let change = now.iter().zip(&next).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        now = next;
        if change < 1e-6 {
            return Ok((solve(&weighted(groups, &now))?, now));
        }
    }
    Err(IdentifyError::NoConvergence { what: "reweighting", iterations: rounds })
}

/// Huber's weights of residuals: 1 up to 1.345 robust deviations (95 % as efficient as least squares under normal noise),
/// less in proportion beyond.
pub fn huber_weights(residuals: &[f64]) -> Vec<f64> {
    const TUNING: f64 = 1.345;
    let deviation = crate::signal::spread(residuals);
    let weight = |r: &f64| if r.abs() > TUNING * deviation { TUNING * deviation / r.abs() } else { 1.0 };
    residuals.iter().map(weight).collect()
}

/// Columns that are left, with their estimate, when the one whose deviation is the largest share of its value is left out, one after
/// the other, until no share is above `share` (Gautier's essential parameters). Rows have been divided by their standard deviation;
/// `inflation` is how many times its plain deviation that of each parameter is, where what is left is alike from row to row.
pub fn essential(rows: &Compressed, share: f64, inflation: &[f64]) -> Result<(Vec<usize>, Estimate), IdentifyError> {
    crate::positive("the largest share of a deviation", share)?;
    same_length("factors of deviations", inflation.len(), rows.r.ncols())?;
    let mut kept: Vec<usize> = (0..rows.r.ncols()).collect();
    loop {
        let estimate = solve(&rows.columns(&kept))?;
        let of = |k: usize| {
            let deviation = estimate.covariance[(k, k)].max(0.0).sqrt() * inflation[kept[k]];
            deviation / estimate.parameters[k].abs().max(f64::MIN_POSITIVE)
        };
        let worst = (0..kept.len()).max_by(|a, b| of(*a).total_cmp(&of(*b)));
        match worst {
            Some(worst) if of(worst) > share && kept.len() > 1 => {
                kept.remove(worst);
            }
            _ => return Ok((kept, estimate)),
        }
    }
}

/// The covariance of Σ_t g_t, rows g_t that may be correlated over some lags (Newey and West 1987): Σ_l w_l Σ_t g_t g_(t+l)ᵀ. Lags are
/// summed over at most so many rows.
pub fn newey_west(moments: &DMatrix<f64>, lags: usize, most: usize) -> DMatrix<f64> {
    let rows = moments.nrows();
    let some = rows.min(most);
    let mut sum = moments.tr_mul(moments);
    for lag in 1..=lags {
        let weight = (1.0 - lag as f64 / (lags + 1) as f64) * rows as f64 / some as f64;
        let product = moments.rows(0, some - lag).tr_mul(&moments.rows(lag, some - lag)) * weight;
        sum += &product + product.transpose();
    }
    sum
}
