//! A square matrix in orthogonal and triangular factors: N equations with N unknowns, without a pivot to choose.
//!
//! Householder's reflections need no comparison of entries, so that the same operations serve every scalar, and are backward stable
//! whatever the matrix (Higham 2002, *Accuracy and stability of numerical algorithms*, Theorem 19.4).

use crate::scalar::Scalar;

/// A = Q R, as N − 1 reflections and an upper triangle.
#[derive(Clone, Copy, Debug)]
pub struct Factors<S, const N: usize> {
    /// Above the diagonal R; the reflections' vectors below and, in `lead`, on it.
    entries: [[S; N]; N],
    lead: [S; N],
    /// 2/|v|² of each reflection.
    scale: [S; N],
    /// The diagonal of R.
    diagonal: [S; N],
    /// One over it.
    inverse: [S; N],
}

impl<S: Scalar, const N: usize> Factors<S, N> {
    /// The factors of a matrix that is given by rows. NaN where it is singular.
    #[inline(always)]
    pub fn of(mut a: [[S; N]; N]) -> Self {
        let zero = S::zero();
        let (mut lead, mut scale, mut diagonal) = ([zero; N], [zero; N], [zero; N]);
        for k in 0..N {
            if k + 1 == N {
                diagonal[k] = a[k][k];
                break;
            }
            let mut square = a[k][k].square();
            for row in a.iter().skip(k + 1) {
                square = square + row[k].square();
            }
            let norm = square.sqrt();
            // Away from zero, whatever the sign.
            diagonal[k] = a[k][k].select_lt(zero, norm, -norm);
            lead[k] = a[k][k] - diagonal[k];
            scale[k] = -(S::one() / (diagonal[k] * lead[k]));
            for j in k + 1..N {
                let mut along = lead[k] * a[k][j];
                for row in a.iter().skip(k + 1) {
                    along = along + row[k] * row[j];
                }
                let along = along * scale[k];
                a[k][j] = a[k][j] - along * lead[k];
                for row in a.iter_mut().skip(k + 1) {
                    row[j] = row[j] - along * row[k];
                }
            }
        }
        Self { entries: a, lead, scale, diagonal, inverse: diagonal.map(|d| S::one() / d) }
    }

    #[inline(always)]
    fn reflect(&self, k: usize, x: &mut [S; N]) {
        let mut along = self.lead[k] * x[k];
        for i in k + 1..N {
            along = along + self.entries[i][k] * x[i];
        }
        let along = along * self.scale[k];
        x[k] = x[k] - along * self.lead[k];
        for i in k + 1..N {
            x[i] = x[i] - along * self.entries[i][k];
        }
    }

    /// x of A x = `right`.
    #[inline(always)]
    pub fn solve(&self, mut right: [S; N]) -> [S; N] {
        for k in 0..N.saturating_sub(1) {
            self.reflect(k, &mut right);
        }
        for k in (0..N).rev() {
            let mut sum = right[k];
            for j in k + 1..N {
                sum = sum - self.entries[k][j] * right[j];
            }
            right[k] = sum * self.inverse[k];
        }
        right
    }

    /// x of Aᵀ x = `right`.
    #[inline(always)]
    pub fn solve_transposed(&self, mut right: [S; N]) -> [S; N] {
        for k in 0..N {
            let mut sum = right[k];
            for j in 0..k {
                sum = sum - self.entries[j][k] * right[j];
            }
            right[k] = sum * self.inverse[k];
        }
        for k in (0..N.saturating_sub(1)).rev() {
            self.reflect(k, &mut right);
        }
        right
    }

    /// The determinant.
    #[inline(always)]
    pub fn determinant(&self) -> S {
        let product = self.diagonal.into_iter().reduce(|a, b| a * b).unwrap_or(S::one());
        if N.is_multiple_of(2) { -product } else { product }
    }
}
