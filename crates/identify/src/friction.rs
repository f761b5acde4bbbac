//! The shape of friction by separable least squares (Golub and Pereyra 1973).
//!
//! A friction torque is linear in all but its speeds: τ_f = c₁ v + c₂ tanh(v/v_0) + c₃ e^(−(v/v_s)²) tanh(v/v_0). For a given
//! v_s, or v_0, the rest is linear and its best values follow; only the speed is searched for. Columns that do not change with
//! it (bodies, rotors, offsets) are projected out once.

use crate::base::orthogonal_part;
use crate::least_squares::newey_west;
use crate::search::{Least, least};
use crate::{IdentifyError, enough, positive, same_length};
use nalgebra::{DMatrix, DVector};

/// The smoothed sign of a speed.
pub fn sign(speed: f64, smoothing: f64) -> f64 {
    (speed / smoothing).tanh()
}

/// Stribeck's part: 1 at rest, nothing at speeds above v_s, with the sign of the speed.
pub fn stribeck(speed: f64, smoothing: f64, stribeck: f64) -> f64 {
    (-(speed / stribeck).powi(2)).exp() * sign(speed, smoothing)
}

/// How Stribeck's part changes with v_s.
pub fn stribeck_slope(speed: f64, smoothing: f64, stribeck_speed: f64) -> f64 {
    2.0 * speed * speed / stribeck_speed.powi(3) * stribeck(speed, smoothing, stribeck_speed)
}

/// How the smoothed sign changes with v_0.
pub fn sign_slope(speed: f64, smoothing: f64) -> f64 {
    let sign = sign(speed, smoothing);
    -speed / (smoothing * smoothing) * (1.0 - sign * sign)
}

/// The covariance of some parameters when a speed was fitted too: that of the columns `of` of Y, in their order, and of the speed
/// last. `left` is the residual, `slope` how the torque changes with the speed; rows follow each other in time, and the residual may be
/// alike from one to the next (Newey and West 1987, as many lags as are more than noise).
pub fn covariance_with_speed(
    y: &DMatrix<f64>,
    slope: &DVector<f64>,
    left: &DVector<f64>,
    of: &[usize],
) -> Result<DMatrix<f64>, IdentifyError> {
    const MOST_LAGS: usize = 30;
    same_length("slopes", slope.len(), y.nrows())?;
    same_length("residuals", left.len(), y.nrows())?;
    let (rows, p) = y.shape();
    enough("rows", rows, p + 2)?;
    let mut all = y.clone().insert_column(p, 0.0);
    all.set_column(p, slope);
    let lengths: Vec<f64> = all.column_iter().map(|column| column.norm()).collect();
    let scale = |k: usize| if lengths[k] > 0.0 { 1.0 / lengths[k] } else { 0.0 };
    all.column_iter_mut().enumerate().for_each(|(k, mut column)| column *= scale(k));
    // Dependent columns share their effect.
    let inverse =
        all.tr_mul(&all).pseudo_inverse(1e-12).map_err(|_| IdentifyError::Dependent { rank: 0, columns: p })?;
    let lags = crate::signal::autocorrelation(left.as_slice(), MOST_LAGS.min(rows / 10)).len() - 1;
    let mut moments = all;
    moments.column_iter_mut().for_each(|mut column| column.component_mul_assign(left));
    let middle = newey_west(&moments, lags, rows);
    let whole = &inverse * middle * &inverse * (rows as f64 / (rows - p - 1) as f64);
    let wanted: Vec<usize> = of.iter().copied().chain([p]).collect();
    Ok(DMatrix::from_fn(wanted.len(), wanted.len(), |i, j| {
        whole[(wanted[i], wanted[j])] * scale(wanted[i]) * scale(wanted[j])
    }))
}

/// Torques without what some columns explain: what one column more would leave.
#[derive(Clone, Debug)]
pub struct FrictionResidual {
    basis: DMatrix<f64>,
    target: DVector<f64>,
}

impl FrictionResidual {
    /// Of these columns and torques.
    pub fn new(fixed: &DMatrix<f64>, tau: &DVector<f64>) -> Result<Self, IdentifyError> {
        same_length("torques", tau.len(), fixed.nrows())?;
        enough("rows", fixed.nrows(), fixed.ncols() + 2)?;
        let basis = orthonormal(fixed);
        let mut target = tau.clone();
        for _ in 0..2 {
            let along = basis.tr_mul(&target);
            target -= &basis * along;
        }
        Ok(Self { basis, target })
    }

    /// ‖residual‖².
    pub fn left(&self) -> f64 {
        self.target.norm_squared()
    }

    /// ‖residual‖² with one column more, and what that is multiplied by.
    pub fn with(&self, column: &DVector<f64>) -> [f64; 2] {
        let whole = column.norm_squared();
        let squared = whole - self.basis.tr_mul(column).norm_squared();
        // A column that the others can say already says nothing new.
        if squared <= 1e-10 * whole {
            return [self.left(), 0.0];
        }
        let along = column.dot(&self.target);
        [self.left() - along * along / squared, along / squared]
    }

    /// The same with one column more that is fixed.
    pub fn and(&self, column: &DVector<f64>) -> Self {
        let mut new = column.clone();
        for _ in 0..2 {
            let along = self.basis.tr_mul(&new);
            new -= &self.basis * along;
        }
        if new.norm() <= 1e-10 * column.norm() || new.norm() == 0.0 {
            return self.clone();
        }
        let new = new.normalize();
        let target = &self.target - &new * new.dot(&self.target);
        let columns = self.basis.ncols();
        let mut basis = self.basis.clone().insert_column(columns, 0.0);
        basis.set_column(columns, &new);
        Self { basis, target }
    }

    /// Searches the speed of a column between two speeds: the one with the smallest residual, and its ‖residual‖².
    pub fn speed(&self, column: impl Fn(f64) -> DVector<f64>, between: [f64; 2]) -> Result<Least, IdentifyError> {
        let [low, high] = between;
        positive("the least speed of friction", low)?;
        positive("the largest speed of friction", high)?;
        let Least { at, value } = least(low.ln(), high.ln(), 25, |log| self.with(&column(log.exp()))[0]);
        Ok(Least { at: at.exp(), value })
    }
}

/// An orthonormal basis of the columns; dependent ones add nothing.
pub fn orthonormal(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let mut basis: Vec<DVector<f64>> = Vec::new();
    for column in columns.column_iter() {
        let length = column.norm();
        let left = orthogonal_part(column.into_owned(), &basis);
        let new = left.norm();
        if new > 1e-10 * length && new > 0.0 {
            basis.push(left / new);
        }
    }
    if basis.is_empty() { DMatrix::zeros(columns.nrows(), 0) } else { DMatrix::from_columns(&basis) }
}
