//! Units that weigh alike. Whether a mode is reached must not depend on whether a robot is measured in metres or in
//! millimetres, on its size, or on how steep its friction is; so ranks are decided and equations solved in coordinates
//! whose numbers are of one size.

use super::{LinearError, Matrix, StateSpace};

/// A model in coordinates x = T z, u = S w, y = R v with diagonal T, S, R, in the time `unit`·t: its numbers are of size
/// one. Of a discrete model, (A − 1)/step and B/step: close to 1, where z are, no digit is lost.
pub(super) struct Scaled {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
    /// The diagonal of T.
    pub state: Vec<f64>,
    /// The diagonal of S.
    pub input: Vec<f64>,
    /// 1/s: poles are `unit` times those of `a` (of a discrete model, (z − 1)/step).
    pub unit: f64,
}

/// The diagonal T that makes rows and columns of T⁻¹ A T alike (B. N. Parlett & C. Reinsch, Numer. Math. 13, 1969).
pub(super) fn balance(a: &Matrix) -> Vec<f64> {
    let n = a.nrows();
    if n < 2 {
        return vec![1.0; n];
    }
    let mut balanced = a.clone();
    let diagonal: Vec<f64> =
        nalgebra::linalg::balancing::balance_parlett_reinsch(&mut balanced).iter().copied().collect();
    // A matrix of extreme entries may not survive the scaling.
    let sound = balanced.iter().all(|x| x.is_finite()) && diagonal.iter().all(|t| *t > 0.0 && t.is_finite());
    if sound { diagonal } else { vec![1.0; n] }
}

fn sizes<'a>(columns: impl Iterator<Item = Vec<f64>> + 'a) -> Vec<f64> {
    let size = |column: Vec<f64>| column.iter().map(|x| x * x).sum::<f64>().sqrt();
    columns.map(size).map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect()
}

impl StateSpace {
    pub(super) fn scaled(&self) -> Result<Scaled, LinearError> {
        let n = self.order();
        let (mut a, mut b) = (self.a.clone(), self.b.clone());
        if let Some(step) = self.step {
            a = (a - Matrix::identity(n, n)) / step;
            b /= step;
        }
        let t = balance(&a);
        let a = Matrix::from_fn(n, n, |i, j| a[(i, j)] * t[j] / t[i]);
        let unit = match a.norm() {
            size if size > 0.0 && size.is_finite() => size,
            _ => 1.0,
        };
        let b = Matrix::from_fn(n, b.ncols(), |i, j| b[(i, j)] / t[i]);
        let c = Matrix::from_fn(self.c.nrows(), n, |i, j| self.c[(i, j)] * t[j]);
        let s = sizes(b.column_iter().map(|column| column.iter().copied().collect()));
        let r = sizes(c.row_iter().map(|row| row.iter().copied().collect()));
        // z' = (A/unit) z + (B S)/unit w …: with w = unit·u/|column| every column has the size one.
        let input: Vec<f64> = s.iter().map(|s| unit / s).collect();
        let scaled = Scaled {
            a: a / unit,
            b: Matrix::from_fn(n, b.ncols(), |i, j| b[(i, j)] / s[j]),
            c: Matrix::from_fn(c.nrows(), n, |i, j| c[(i, j)] / r[i]),
            d: Matrix::from_fn(c.nrows(), s.len(), |i, j| self.d[(i, j)] * input[j] / r[i]),
            state: t,
            input,
            unit,
        };
        for (what, matrix) in [("A", &scaled.a), ("B", &scaled.b), ("C", &scaled.c), ("D", &scaled.d)] {
            super::check_shape(what, matrix, matrix.shape())?;
        }
        Ok(scaled)
    }
}
