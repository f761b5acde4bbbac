//! A square matrix in orthogonal and triangular factors: N equations with N unknowns, without a pivot to choose.
//!
//! Householder's reflections need no comparison of entries, so that the same operations serve every scalar, and are backward stable
//! whatever the matrix (Higham 2002, *Accuracy and stability of numerical algorithms*, Theorem 19.4).

use crate::scalar::Scalar;

/// A = Q R, as N − 1 reflections and an upper triangle.
#[derive(Clone, Copy, Debug)]
pub struct QrFactors<S, const N: usize> {
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

/// What is done for each column, one call after the other: with the column a constant, the compiler unrolls the short loops within.
macro_rules! each_column {
    ($k:ident in $($of:literal)*: $do:block) => {
        $(if $of < N { let $k = $of; $do })*
    };
}

impl<S: Scalar, const N: usize> QrFactors<S, N> {
    /// The factors of a matrix that is given by rows, of which there are no more than six. NaN where it is singular.
    #[inline(always)]
    pub fn of(a: [[S; N]; N]) -> Self {
        const { assert!(N <= 6) };
        let none = [S::zero(); N];
        let mut factors = Self { entries: a, lead: none, scale: none, diagonal: none, inverse: none };
        each_column!(k in 0 1 2 3 4 5: { factors.eliminate(k) });
        factors
    }

    #[inline(always)]
    fn eliminate(&mut self, k: usize) {
        let a = &mut self.entries;
        if k + 1 == N {
            self.diagonal[k] = a[k][k];
            self.inverse[k] = S::one() / a[k][k];
            return;
        }
        // The columns' products below the diagonal: they need not wait for the root.
        let mut products = [S::zero(); N];
        for (j, product) in products.iter_mut().enumerate().skip(k) {
            *product = a[k + 1][k] * a[k + 1][j];
            for row in &a[k + 2..N] {
                *product = *product + row[k] * row[j];
            }
        }
        let norm = (products[k] + a[k][k].square()).sqrt();
        // Away from zero, whatever the sign.
        self.diagonal[k] = a[k][k].select_lt(S::zero(), norm, -norm);
        self.lead[k] = a[k][k] - self.diagonal[k];
        // −d lead; with one division for both.
        let square = self.diagonal[k] * self.lead[k];
        self.scale[k] = -(S::one() / square);
        self.inverse[k] = -(self.scale[k] * self.lead[k]);
        for j in k + 1..N {
            let along = (products[j] + self.lead[k] * a[k][j]) * self.scale[k];
            a[k][j] = a[k][j] - along * self.lead[k];
            for row in &mut a[k + 1..N] {
                row[j] = row[j] - along * row[k];
            }
        }
    }

    #[inline(always)]
    fn reflect(&self, k: usize, x: &mut [S; N]) {
        if k + 1 == N {
            return;
        }
        let mut along = self.entries[k + 1][k] * x[k + 1];
        for i in k + 2..N {
            along = along + self.entries[i][k] * x[i];
        }
        let along = (along + self.lead[k] * x[k]) * self.scale[k];
        x[k] = x[k] - along * self.lead[k];
        for i in k + 1..N {
            x[i] = x[i] - along * self.entries[i][k];
        }
    }

    /// x of A x = `right`.
    #[inline(always)]
    pub fn solve(&self, mut right: [S; N]) -> [S; N] {
        each_column!(k in 0 1 2 3 4 5: { self.reflect(k, &mut right) });
        each_column!(k in 5 4 3 2 1 0: {
            let mut sum = right[k];
            for j in k + 1..N {
                sum = sum - self.entries[k][j] * right[j];
            }
            right[k] = sum * self.inverse[k];
        });
        right
    }

    /// x of Aᵀ x = `right`.
    #[inline(always)]
    pub fn solve_transposed(&self, mut right: [S; N]) -> [S; N] {
        each_column!(k in 0 1 2 3 4 5: {
            let mut sum = right[k];
            for j in 0..k {
                sum = sum - self.entries[j][k] * right[j];
            }
            right[k] = sum * self.inverse[k];
        });
        each_column!(k in 5 4 3 2 1 0: { self.reflect(k, &mut right) });
        right
    }

    /// |D A⁻¹|² by Frobenius with D a diagonal, which is that of D R⁻¹: Q turns only.
    #[inline(always)]
    pub fn inverse_norm_squared(&self, diagonal: [S; N]) -> S {
        let mut squares = S::zero();
        for c in 0..N {
            let mut column = [S::zero(); N];
            column[c] = self.inverse[c];
            squares = squares + (diagonal[c] * column[c]).square();
            for k in (0..c).rev() {
                let mut sum = self.entries[k][c] * column[c];
                for j in k + 1..c {
                    sum = sum + self.entries[k][j] * column[j];
                }
                column[k] = -(sum * self.inverse[k]);
                squares = squares + (diagonal[k] * column[k]).square();
            }
        }
        squares
    }

    /// The determinant.
    #[inline(always)]
    pub fn determinant(&self) -> S {
        let product = self.diagonal.into_iter().reduce(|a, b| a * b).unwrap_or(S::one());
        if N.is_multiple_of(2) { -product } else { product }
    }
}
