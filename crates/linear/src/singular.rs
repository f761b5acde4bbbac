//! Singular values by one-sided Jacobi rotations (J. Demmel & K. Veselić, SIAM J. Matrix Anal. Appl. 13, 1992).
//!
//! Own code and not nalgebra's: it decides ranks of exactly singular matrices, where a bidiagonal iteration has been seen to
//! lose digits; and it gives all right singular vectors, also those of zero singular values.

use crate::{Complex, ComplexMatrix, Matrix};

/// A = U Σ V*, values sorted from the largest.
#[derive(Clone, Debug)]
pub struct Singular {
    /// As many columns as A has; zero where the value is zero.
    pub u: ComplexMatrix,
    /// Σ.
    pub values: Vec<f64>,
    /// Square and unitary.
    pub v: ComplexMatrix,
}

impl Singular {
    /// Of a matrix of any shape.
    pub fn of(a: &ComplexMatrix) -> Self {
        const SWEEPS: usize = 60;
        let n = a.ncols();
        let (mut work, mut v) = (a.clone(), ComplexMatrix::identity(n, n));
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    turned |= orthogonalise(&mut work, &mut v, p, q);
                }
            }
            if !turned {
                break;
            }
        }
        let size: Vec<f64> = work.column_iter().map(|column| column.norm()).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| size[j].total_cmp(&size[i]));
        let mut u = work.select_columns(&order);
        let values: Vec<f64> = order.iter().map(|&k| size[k]).collect();
        for (mut column, &value) in u.column_iter_mut().zip(&values) {
            if value > 0.0 {
                column /= Complex::new(value, 0.0);
            }
        }
        Self { u, values, v: v.select_columns(&order) }
    }

    /// Of a real matrix.
    pub fn of_real(a: &Matrix) -> Self {
        Self::of(&a.map(|x| Complex::new(x, 0.0)))
    }

    /// How many values exceed the tolerance.
    pub fn rank(&self, tolerance: f64) -> usize {
        self.values.iter().filter(|&&value| value > tolerance).count()
    }

    /// The least value; zero where there is none.
    pub fn least(&self) -> f64 {
        self.values.last().copied().unwrap_or(0.0)
    }
}

/// Rotates columns p and q until they are orthogonal; `false` where they already are.
fn orthogonalise(a: &mut ComplexMatrix, v: &mut ComplexMatrix, p: usize, q: usize) -> bool {
    let (alpha, beta) = (a.column(p).norm_squared(), a.column(q).norm_squared());
    let gamma = a.column(p).dotc(&a.column(q));
    let size = gamma.norm();
    if size <= f64::EPSILON * (alpha * beta).sqrt() || size < f64::MIN_POSITIVE {
        return false;
    }
    let phase = (gamma / size).conj();
    let zeta = (beta - alpha) / (2.0 * size);
    let t = if zeta < 0.0 { -1.0 } else { 1.0 } / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = c * t;
    for m in [a, v] {
        for i in 0..m.nrows() {
            let (x, y) = (m[(i, p)], m[(i, q)] * phase);
            m[(i, p)] = x * c - y * s;
            m[(i, q)] = x * s + y * c;
        }
    }
    true
}

/// An orthogonal matrix whose columns are the left singular vectors of a real matrix, all of them, and the rank.
pub(crate) fn left_basis(a: &Matrix, tolerance: f64) -> (Matrix, usize) {
    let svd = Singular::of_real(&a.transpose());
    (svd.v.map(|x| x.re), svd.rank(tolerance))
}
