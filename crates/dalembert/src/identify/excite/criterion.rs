//! The criterion of an excitation trajectory, as a number that is to be small, with its derivatives by the information M = YᵀΣ⁻¹Y.
//!
//! ```text
//! determinant: −ln det M / p                                                    ∂/∂M = −M⁻¹/p
//! condition:   ln (σ_max/σ_min) of Y with columns of length 1, smoothed: with C = D⁻¹MD⁻¹, D² = diag M, and its eigenvalues λ
//!              (ln Σ λˢ + ln Σ λ⁻ˢ)/2s                                          ∂/∂C = G = ½ V (λˢ⁻¹/Σλˢ − λ⁻ˢ⁻¹/Σλ⁻ˢ) Vᵀ
//!                                                                               ∂/∂M = D⁻¹GD⁻¹ − diag((GC)_kk/M_kk)
//! ```
//!
//! The largest and the smallest singular value have no derivative where two of them meet, and the search drives them together; the
//! smoothed ones are off by at most (ln p)/2s each.

use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};
use serde::Serialize;

/// What is made large or small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExciteCriterion {
    /// The determinant of the information, large (D-optimal): the volume of what the parameters may be is small.
    #[default]
    Determinant,
    /// The condition number of the regressor, its columns of length 1, small: no combination of parameters is determined much worse than others.
    Condition,
}

/// s.
const SHARPNESS: f64 = 16.0;

impl ExciteCriterion {
    /// The number of an information; none where a parameter is not identifiable.
    pub fn value(self, m: &DMatrix<f64>) -> Option<f64> {
        let value = match self {
            Self::Determinant => {
                let factor = Cholesky::new(m.clone())?;
                -(2.0 * factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum::<f64>()) / m.nrows() as f64
            }
            Self::Condition => {
                let (c, _) = scaled(m);
                let values = c.symmetric_eigenvalues();
                (log_sum(&values, SHARPNESS)? + log_sum(&values, -SHARPNESS)?) / (2.0 * SHARPNESS)
            }
        };
        Some(value).filter(|value| value.is_finite())
    }

    /// Its derivatives by the information.
    pub fn slope(self, m: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        match self {
            Self::Determinant => Some(Cholesky::new(m.clone())?.inverse() / -(m.nrows() as f64)),
            Self::Condition => {
                let (c, lengths) = scaled(m);
                let SymmetricEigen { eigenvalues, eigenvectors } = SymmetricEigen::new(c.clone());
                let [large, small] = [log_sum(&eigenvalues, SHARPNESS)?, log_sum(&eigenvalues, -SHARPNESS)?];
                let slopes = eigenvalues.map(|value| {
                    let log = SHARPNESS * value.ln();
                    0.5 * ((log - large).exp() - (-log - small).exp()) / value
                });
                let mut weighted = eigenvectors.clone();
                weighted.column_iter_mut().zip(&slopes).for_each(|(mut column, slope)| column *= *slope);
                let g = weighted * eigenvectors.transpose();
                let own = (&g * &c).diagonal();
                let mut all = DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| g[(i, j)] / (lengths[i] * lengths[j]));
                (0..m.nrows()).for_each(|k| all[(k, k)] -= own[k] / m[(k, k)]);
                Some(all)
            }
        }
    }
}

/// The information for columns of length 1, and the lengths.
fn scaled(m: &DMatrix<f64>) -> (DMatrix<f64>, DVector<f64>) {
    let lengths = m.diagonal().map(f64::sqrt);
    (DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] / (lengths[i] * lengths[j])), lengths)
}

/// ln Σ λˢ; none where an eigenvalue is not positive.
fn log_sum(values: &DVector<f64>, s: f64) -> Option<f64> {
    let logs = values.map(|value| s * value.ln());
    let most = logs.max();
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    Some(most + sum.ln()).filter(|sum| sum.is_finite())
}
