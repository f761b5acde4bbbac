//! Base parameters: the combinations of parameters that are identifiable from Y.
//!
//! Going through the columns in order, a column that is a combination of earlier ones adds no rank: its parameter is
//! identifiable only together with theirs. Y π = Y_b (π_b + B π_d) with B = R_b⁻¹ R_bd (Gautier 1991, Numerical calculation of the base
//! inertial parameters of robots, J. Robotic Systems 8(4), (12)–(17)). The order decides which parameters of a group stand
//! first, not which groups there are.

use nalgebra::{DMatrix, DVector};

/// Which parameters go together.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameters {
    /// Columns that stand for a group.
    pub independent: Vec<usize>,
    /// Columns that are identifiable only together with others.
    pub dependent: Vec<usize>,
    /// Columns that do nothing.
    pub silent: Vec<usize>,
    /// B: a row for each independent column, a column for each dependent one.
    pub grouping: DMatrix<f64>,
}

/// What of a column is orthogonal to an orthonormal basis.
pub(crate) fn orthogonal_part(mut column: DVector<f64>, basis: &[DVector<f64>]) -> DVector<f64> {
    // Twice is enough (Kahan, Parlett).
    for direction in basis.iter().chain(basis) {
        let along = direction.dot(&column);
        column.axpy(-along, direction, 1.0);
    }
    column
}

/// Relative to a column's length: below this nothing of it is new.
const NEW: f64 = 1e-9;

impl BaseParameters {
    /// Of rows that excite everything, as random states do.
    pub fn of(y: &DMatrix<f64>) -> Self {
        Self::with_share(y, NEW)
    }

    /// The same, where a column counts as new if more than this share of its length is.
    pub fn with_share(y: &DMatrix<f64>, share: f64) -> Self {
        let lengths: Vec<f64> = y.column_iter().map(|column| column.norm()).collect();
        let most = lengths.iter().copied().fold(0.0, f64::max);
        let mut basis: Vec<DVector<f64>> = Vec::new();
        let (mut independent, mut dependent, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..y.ncols() {
            if lengths[k] <= 1e-13 * most {
                silent.push(k);
                continue;
            }
            let left = orthogonal_part(y.column(k) / lengths[k], &basis);
            let new = left.norm();
            if new > share && basis.len() < y.nrows() {
                basis.push(left / new);
                independent.push(k);
            } else {
                dependent.push(k);
            }
        }
        let qr = y.select_columns(&independent).qr();
        let right = qr.q().tr_mul(&y.select_columns(&dependent));
        let mut grouping = qr.r().solve_upper_triangular(&right).unwrap_or(right);
        // What is rounding of nothing is nothing.
        for (j, mut column) in grouping.column_iter_mut().enumerate() {
            for (i, value) in column.iter_mut().enumerate() {
                let part = value.abs() * lengths[independent[i]] / lengths[dependent[j]];
                if part < 1e-8 {
                    *value = 0.0;
                }
            }
        }
        Self { independent, dependent, silent, grouping }
    }

    /// The base parameters of all parameters.
    pub fn values(&self, all: &DVector<f64>) -> DVector<f64> {
        let of = |columns: &[usize]| DVector::from_iterator(columns.len(), columns.iter().map(|&k| all[k]));
        of(&self.independent) + &self.grouping * of(&self.dependent)
    }

    /// The matrix G with base parameters = G π.
    pub fn matrix(&self, columns: usize) -> DMatrix<f64> {
        let mut g = DMatrix::zeros(self.independent.len(), columns);
        for (i, &k) in self.independent.iter().enumerate() {
            g[(i, k)] = 1.0;
            for (j, &d) in self.dependent.iter().enumerate() {
                g[(i, d)] = self.grouping[(i, j)];
            }
        }
        g
    }

    /// The terms of a base parameter after its first: columns and their factors.
    pub fn terms(&self, row: usize) -> Vec<(usize, f64)> {
        let factor = |(j, &column): (usize, &usize)| (column, self.grouping[(row, j)]);
        self.dependent.iter().enumerate().map(factor).filter(|term| term.1 != 0.0).collect()
    }
}
