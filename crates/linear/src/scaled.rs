//! Units of equal scale. Whether a mode is controllable must not depend on whether a plant is measured in metres or in
//! millimetres, on its size, or on how steep its friction is. So ranks are decided and equations are solved in coordinates
//! in which all numbers are of about the same size.

use crate::{LinearError, Matrix, StateSpace};

/// A model in coordinates x = T z, u = S w, y = R v with diagonal T, S, R and in the time `unit`·t, so that its numbers are
/// of size one. A discrete model enters with (A − 1)/step and B/step: its poles are close to 1, and the difference keeps
/// their digits.
pub(crate) struct Scaled {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
    /// The diagonal of T.
    pub state: Vec<f64>,
    /// The diagonal of S.
    pub input: Vec<f64>,
    /// 1/s: the poles are `unit` times those of `a` (for a discrete model, (z − 1)/step is).
    pub unit: f64,
}

/// Entries of A below this share of the largest are rounding errors and have no influence on the choice of units. In models
/// of 150 random robot arms with right angles, entries that are zero in exact numbers were 1e-60 to 1e-13 of the largest,
/// and the least true entries 1e-5. Balancing would make such a zero as large as the others, by units 1e8 apart.
const NOISE: f64 = 1e-12;

/// No entry above this is a rounding error: a stiffness per mass of 1e-6 1/s² moves a joint within a quarter of an hour. The
/// ones in A of a plant that touches something hard are no rounding errors of its 1e13 1/s².
const NEVER_NOISE: f64 = 1e-6;

/// The diagonal T that gives corresponding rows and columns of T⁻¹ A T equal norms (B. N. Parlett & C. Reinsch, Numer.
/// Math. 13, 1969).
pub(crate) fn balance(a: &Matrix) -> Vec<f64> {
    let n = a.nrows();
    if n < 2 {
        return vec![1.0; n];
    }
    // Scaled to the size one, and without entries whose squares are zero: else the iteration may not end.
    // A power of two, so that nothing is rounded.
    let size = a.amax().log2().floor().exp2();
    if !size.is_normal() {
        return vec![1.0; n];
    }
    let mut balanced = a.map(|x| x / size).map(|x| if x.abs() < 1e-150 { 0.0 } else { x });
    let diagonal: Vec<f64> =
        nalgebra::linalg::balancing::balance_parlett_reinsch(&mut balanced).iter().copied().collect();
    // A matrix of extreme entries may not survive the scaling.
    let sound = balanced.iter().all(|x| x.is_finite()) && diagonal.iter().all(|t| *t > 0.0 && t.is_finite());
    if sound { diagonal } else { vec![1.0; n] }
}

/// A without the entries that are rounding errors of its largest one.
fn without_noise(a: &Matrix) -> Matrix {
    let least = (NOISE * a.amax()).min(NEVER_NOISE);
    a.map(|x| if x.abs() <= least { 0.0 } else { x })
}

/// T of [`balance`], chosen by the entries that are no rounding errors.
pub(crate) fn units(a: &Matrix) -> Vec<f64> {
    balance(&without_noise(a))
}

/// T⁻¹ A T.
pub(crate) fn in_units(a: &Matrix, t: &[f64]) -> Matrix {
    Matrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * t[j] / t[i])
}

/// T of the units in which Riccati's equation is solved: they balance the Hamiltonian [A, −G; −Q, −Aᵀ], with T⁻¹ for the
/// costates (P. Benner, SIAM J. Sci. Comput. 22, 2000). Weights and inputs must have an influence: the A of a free mass
/// alone does not determine a unit of time.
pub(crate) fn units_of_cost(a: &Matrix, spread: &Matrix, q: &Matrix) -> Vec<f64> {
    let n = a.nrows();
    let both = balance(&hamiltonian(&without_noise(a), spread, q));
    // Powers of two, so that nothing is rounded.
    (0..n).map(|i| (0.5 * (both[i] / both[n + i]).log2()).round().exp2()).collect()
}

/// The Hamiltonian [A, −G; −Q, −Aᵀ] of the cost δxᵀ Q δx and G = B R⁻¹ Bᵀ.
pub(crate) fn hamiltonian(a: &Matrix, g: &Matrix, q: &Matrix) -> Matrix {
    let n = a.nrows();
    let mut all = Matrix::zeros(2 * n, 2 * n);
    all.view_mut((0, 0), (n, n)).copy_from(a);
    all.view_mut((0, n), (n, n)).copy_from(&-g);
    all.view_mut((n, 0), (n, n)).copy_from(&-q);
    all.view_mut((n, n), (n, n)).copy_from(&-a.transpose());
    all
}

/// ρ of P = ρ P′ that makes both off-diagonal blocks of the Hamiltonian of one size, whatever the weights are measured in.
pub(crate) fn cost_ratio(q: &Matrix, g: &Matrix) -> f64 {
    let ratio = (q.norm() / g.norm()).sqrt();
    if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 }
}

fn sizes<'a>(columns: impl Iterator<Item = Vec<f64>> + 'a) -> Vec<f64> {
    let size = |column: Vec<f64>| column.iter().map(|x| x * x).sum::<f64>().sqrt();
    columns.map(size).map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect()
}

impl StateSpace {
    /// A; for a discrete model (A − 1)/step, which is close to the continuous one. Rounding errors of A become zero.
    pub(crate) fn rates(&self) -> Matrix {
        let Some(step) = self.step else { return self.a.clone() };
        let n = self.order();
        // An exponential is a sum of some ten terms.
        let rounding = 16.0 * f64::EPSILON * self.a.amax();
        (&self.a - Matrix::identity(n, n)).map(|x| if x.abs() <= rounding { 0.0 } else { x / step })
    }

    pub(crate) fn scaled(&self) -> Result<Scaled, LinearError> {
        let n = self.order();
        let a = self.rates();
        let b = &self.b / self.step.unwrap_or(1.0);
        let t = units(&a);
        let a = in_units(&a, &t);
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
            crate::check_shape(what, matrix, matrix.shape())?;
        }
        Ok(scaled)
    }
}
