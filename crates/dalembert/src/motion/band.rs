//! Symmetric matrices with a narrow band, by Cholesky's method.

/// A symmetric matrix with `W` − 1 diagonals on each side of the main one.
#[derive(Clone)]
pub(super) struct Band<const W: usize> {
    /// Row i: entries (i, i − W + 1) … (i, i).
    rows: Vec<[f64; W]>,
}

impl<const W: usize> Band<W> {
    /// So much on its diagonal, and nothing else.
    pub fn new(size: usize, diagonal: f64) -> Self {
        let mut row = [0.0; W];
        row[W - 1] = diagonal;
        Self { rows: vec![row; size] }
    }

    /// So many times some values to the entries of row i that end with its diagonal.
    pub fn add(&mut self, i: usize, factor: f64, values: &[f64]) {
        self.rows[i].iter_mut().rev().zip(values.iter().rev()).for_each(|(entry, value)| *entry += factor * value);
    }

    /// Cholesky's factors in its place. What depends on what comes before, but for rounding, becomes zero in [`Band::solve`].
    pub fn factor(&mut self) {
        for i in 0..self.rows.len() {
            let diagonal = self.rows[i][W - 1];
            for k in (0..W.min(i + 1)).rev() {
                let (row, other) = (self.rows[i], self.rows[i - k]);
                let sum = (1..W - k).fold(row[W - 1 - k], |sum, l| sum - row[W - 1 - k - l] * other[W - 1 - l]);
                self.rows[i][W - 1 - k] = match k {
                    0 if sum <= 1e-14 * diagonal => 1e64,
                    0 => sum.sqrt(),
                    _ => sum / other[W - 1],
                };
            }
        }
    }

    /// In the place of the right side.
    pub fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            for k in 1..W.min(i + 1) {
                x[i] -= self.rows[i][W - 1 - k] * x[i - k];
            }
            x[i] /= self.rows[i][W - 1];
        }
        for i in (0..x.len()).rev() {
            x[i] /= self.rows[i][W - 1];
            for k in 1..W.min(i + 1) {
                x[i - k] -= self.rows[i][W - 1 - k] * x[i];
            }
        }
    }
}
