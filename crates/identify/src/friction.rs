//! The shape of friction by separable least squares (Golub and Pereyra 1973).
//!
//! A friction torque is linear in all but its speeds: τ_f = c₁ v + c₂ tanh(v/v_0) + c₃ e^(−(v/v_s)²) tanh(v/v_0). For a given
//! v_s the rest is linear and its best values follow; only v_s is searched for. Columns that do not change with it (bodies,
//! rotors, offsets) are projected out once.

use crate::search::{Least, least};
use crate::{IdentifyError, positive, same_length};
use nalgebra::{DMatrix, DVector};

/// The smoothed sign of a speed.
pub fn sign(speed: f64, smoothing: f64) -> f64 {
    (speed / smoothing).tanh()
}

/// Stribeck's part: 1 at rest, nothing at speeds above v_s, with the sign of the speed.
pub fn stribeck(speed: f64, smoothing: f64, stribeck: f64) -> f64 {
    (-(speed / stribeck).powi(2)).exp() * sign(speed, smoothing)
}

/// The v_s that leaves least, what it leaves (squared), and what is left without that part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// v_s.
    pub stribeck: f64,
    /// ‖residual‖² with Stribeck's part.
    pub left: f64,
    /// ‖residual‖² without it.
    pub without: f64,
}

/// Searches v_s between two speeds. `fixed` are the columns that do not depend on it, among them v and its sign.
pub fn stribeck_speed(
    fixed: &DMatrix<f64>,
    tau: &DVector<f64>,
    speeds: &[f64],
    smoothing: f64,
    between: [f64; 2],
) -> Result<Speed, IdentifyError> {
    same_length("torques", tau.len(), fixed.nrows())?;
    same_length("speeds", speeds.len(), fixed.nrows())?;
    positive("the smoothing speed", smoothing)?;
    let [low, high] = between;
    positive("the least Stribeck speed", low)?;
    positive("the largest Stribeck speed", high)?;
    if fixed.nrows() <= fixed.ncols() + 1 {
        return Err(IdentifyError::TooFew { what: "rows", found: fixed.nrows(), least: fixed.ncols() + 2 });
    }
    let basis = orthonormal(fixed);
    let mut target = tau.clone();
    for _ in 0..2 {
        let along = basis.tr_mul(&target);
        target -= &basis * along;
    }
    let without = target.norm_squared();
    let left = |log: f64| {
        let column = DVector::from_iterator(speeds.len(), speeds.iter().map(|&v| stribeck(v, smoothing, log.exp())));
        let whole = column.norm_squared();
        let squared = whole - basis.tr_mul(&column).norm_squared();
        // A column that the others can say already says nothing new.
        if squared <= 1e-10 * whole { without } else { without - column.dot(&target).powi(2) / squared }
    };
    let Least { at, value } = least(low.ln(), high.ln(), 25, left);
    Ok(Speed { stribeck: at.exp(), left: value, without })
}

/// An orthonormal basis of the columns; dependent ones add nothing.
pub fn orthonormal(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let mut basis: Vec<DVector<f64>> = Vec::new();
    for column in columns.column_iter() {
        let length = column.norm();
        let mut left = column.into_owned();
        for _ in 0..2 {
            for direction in &basis {
                let along = direction.dot(&left);
                left.axpy(-along, direction, 1.0);
            }
        }
        let new = left.norm();
        if new > 1e-10 * length && new > 0.0 {
            basis.push(left / new);
        }
    }
    if basis.is_empty() { DMatrix::zeros(columns.nrows(), 0) } else { DMatrix::from_columns(&basis) }
}
