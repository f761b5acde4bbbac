//! Base parameters: the combinations of parameters that Y can tell.
//!
//! Going through the columns in order, a column that is a combination of earlier ones adds no rank: its parameter is told
//! only together with theirs. Y π = Y_b (π_b + B π_d) with B = R_b⁻¹ R_bd (Gautier 1991, Numerical calculation of the base
//! inertial parameters of robots, J. Robotic Systems 8(4), (12)–(17)). The order decides which parameters of a group stand
//! first, not which groups there are; the rank is checked by a QR decomposition with pivots.

use nalgebra::{DMatrix, DVector};

/// Which parameters go together.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameters {
    /// Columns that stand for a group.
    pub independent: Vec<usize>,
    /// Columns that are told with others.
    pub dependent: Vec<usize>,
    /// Columns that do nothing.
    pub silent: Vec<usize>,
    /// B: a row for each independent column, a column for each dependent one.
    pub grouping: DMatrix<f64>,
    /// The rank by pivots; the number of independent columns unless rounding blurs it.
    pub rank: usize,
    /// The last singular direction's distance from the first lost one: how clear the rank is.
    pub gap: f64,
}

/// Relative to a column's length: below this nothing of it is new.
const NEW: f64 = 1e-9;

impl BaseParameters {
    /// Of rows that excite everything, as random states do.
    pub fn of(y: &DMatrix<f64>) -> Self {
        Self::told(y, NEW)
    }

    /// The same, where a column counts as new if more than this share of its length is.
    pub fn told(y: &DMatrix<f64>, share: f64) -> Self {
        let p = y.ncols();
        let lengths: Vec<f64> = y.column_iter().map(|column| column.norm()).collect();
        let most = lengths.iter().copied().fold(0.0, f64::max);
        let mut basis: Vec<DVector<f64>> = Vec::new();
        let (mut independent, mut dependent, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..p {
            if lengths[k] <= 1e-13 * most {
                silent.push(k);
                continue;
            }
            let mut left = y.column(k) / lengths[k];
            // Twice is enough (Kahan, Parlett).
            for _ in 0..2 {
                for direction in &basis {
                    let along = direction.dot(&left);
                    left.axpy(-along, direction, 1.0);
                }
            }
            let new = left.norm();
            if new > share && basis.len() < y.nrows() {
                basis.push(left / new);
                independent.push(k);
            } else {
                dependent.push(k);
            }
        }
        let all = y.select_columns(&independent);
        let qr = all.qr();
        let (q, r) = (qr.q(), qr.r());
        let right = q.tr_mul(&y.select_columns(&dependent));
        let mut grouping = r.solve_upper_triangular(&right).unwrap_or(right);
        // What is rounding of nothing is nothing.
        for (j, mut column) in grouping.column_iter_mut().enumerate() {
            for (i, value) in column.iter_mut().enumerate() {
                let part = value.abs() * lengths[independent[i]] / lengths[dependent[j]];
                if part < 1e-8 {
                    *value = 0.0;
                }
            }
        }
        let scaled = DMatrix::from_fn(y.nrows(), p, |i, j| if lengths[j] > 0.0 { y[(i, j)] / lengths[j] } else { 0.0 });
        let pivots = scaled.col_piv_qr();
        let r = pivots.r();
        let diagonal: Vec<f64> = (0..r.nrows().min(r.ncols())).map(|k| r[(k, k)].abs()).collect();
        let first = diagonal.first().copied().unwrap_or(0.0);
        let rank = diagonal.iter().filter(|x| **x > share * first).count();
        let gap = match (rank.checked_sub(1).and_then(|k| diagonal.get(k)), diagonal.get(rank)) {
            (Some(last), Some(lost)) if *lost > 0.0 => last / lost,
            _ => f64::INFINITY,
        };
        Self { independent, dependent, silent, grouping, rank, gap }
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

    /// The terms of a base parameter beside its first: columns and their factors.
    pub fn terms(&self, row: usize) -> Vec<(usize, f64)> {
        let factor = |(j, &column): (usize, &usize)| (column, self.grouping[(row, j)]);
        self.dependent.iter().enumerate().map(factor).filter(|term| term.1 != 0.0).collect()
    }
}
