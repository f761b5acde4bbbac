//! Linear programs whose unknowns are tied to few neighbours.
//!
//! ```text
//! min z_n   with   g·z ≤ h for every row                                                                     (1)
//! ```
//!
//! A row has [`WIDTH`] neighbouring entries at most. By the interior-point method of Mehrotra 1992 ("On the implementation of a
//! primal-dual interior point method"), whose matrices Gᵀ D G have a narrow band here (Cholesky's method): each of its few dozen
//! steps costs as much as going through the rows once.

/// Neighbouring entries that a row has at most.
pub(super) const WIDTH: usize = 11;

const W: usize = WIDTH;

/// A symmetric matrix with W − 1 diagonals on each side of the main one: entries (i, i − W + 1) … (i, i) of row i.
struct Band(Vec<[f64; W]>);

impl Band {
    /// So many times some values to the entries of row i that end with its diagonal.
    fn add(&mut self, i: usize, factor: f64, values: &[f64]) {
        self.0[i].iter_mut().rev().zip(values.iter().rev()).for_each(|(entry, value)| *entry += factor * value);
    }

    /// Cholesky's factors in its place. What depends on what comes before, but for rounding, becomes zero in [`Band::solve`].
    fn factor(&mut self) {
        for i in 0..self.0.len() {
            let diagonal = self.0[i][W - 1];
            for k in (0..W.min(i + 1)).rev() {
                let (row, other) = (self.0[i], self.0[i - k]);
                let sum = (1..W - k).fold(row[W - 1 - k], |sum, l| sum - row[W - 1 - k - l] * other[W - 1 - l]);
                self.0[i][W - 1 - k] = match k {
                    0 if sum <= 1e-14 * diagonal => 1e64,
                    0 => sum.sqrt(),
                    _ => sum / other[W - 1],
                };
            }
        }
    }

    /// In the place of the right side.
    fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            for k in 1..W.min(i + 1) {
                x[i] -= self.0[i][W - 1 - k] * x[i - k];
            }
            x[i] /= self.0[i][W - 1];
        }
        for i in (0..x.len()).rev() {
            x[i] /= self.0[i][W - 1];
            for k in 1..W.min(i + 1) {
                x[i - k] -= self.0[i][W - 1 - k] * x[i];
            }
        }
    }
}

/// The least of an entry of z with rows g·z ≤ h, which z = 0 satisfies.
pub(super) struct LinearProgram {
    count: usize,
    goal: usize,
    rows: Vec<ProgramRow>,
}

/// Entries of z from `first` on.
struct ProgramRow {
    first: usize,
    g: [f64; WIDTH],
    h: f64,
}

impl ProgramRow {
    fn times(&self, z: &[f64]) -> f64 {
        self.g.iter().zip(&z[self.first..]).map(|(g, z)| g * z).sum()
    }

    /// To the entries of a vector that it has.
    fn add(&self, factor: f64, to: &mut [f64]) {
        self.g.iter().zip(&mut to[self.first..]).for_each(|(g, to)| *to += factor * g);
    }
}

impl LinearProgram {
    /// With so many entries of z, of which one is to be as small as it can be.
    pub fn new(count: usize, goal: usize) -> Self {
        Self { count, goal, rows: Vec::new() }
    }

    /// Another row, in any scale.
    pub fn row(&mut self, first: usize, g: [f64; WIDTH], h: f64) {
        let size = g.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if size > 0.0 {
            self.rows.push(ProgramRow { first, g: g.map(|x| x / size), h: h.max(0.0) / size });
        }
    }

    /// z, or the last one before rounding spoilt it.
    pub fn solve(&self) -> Option<Vec<f64>> {
        let (n, m) = (self.count, self.rows.len());
        let mut z = vec![0.0; n];
        let least = 1e-3;
        let mut w: Vec<f64> = self.rows.iter().map(|row| row.h.max(least)).collect();
        let mut l: Vec<f64> = w.iter().map(|w| (1e-2 / w).clamp(1e-3, 1e3)).collect();
        let mut best = None;
        for _ in 0..60 {
            // Residuals.
            let mut dual = vec![0.0; n];
            dual[self.goal] = 1.0;
            let mut primal = vec![0.0; m];
            for (r, row) in self.rows.iter().enumerate() {
                row.add(l[r], &mut dual);
                primal[r] = row.times(&z) + w[r] - row.h;
            }
            let gap: f64 = w.iter().zip(&l).map(|(w, l)| w * l).sum::<f64>() / m as f64;
            let worst = primal.iter().chain(&dual).fold(0.0_f64, |most, x| most.max(x.abs()));
            if !gap.is_finite() || !worst.is_finite() {
                break;
            }
            if worst < 1e-5 {
                best = Some(z.clone());
            }
            if gap * (m as f64) < 1e-5 * z[self.goal].abs() + 1e-12 && worst < 1e-7 {
                break;
            }
            let mut matrix = Band(vec![std::array::from_fn(|k| if k == W - 1 { 1e-12 } else { 0.0 }); n]);
            for (r, row) in self.rows.iter().enumerate() {
                let d = (l[r] / w[r]).clamp(1e-14, 1e14);
                for (i, g) in row.g.iter().enumerate().filter(|(_, g)| **g != 0.0) {
                    matrix.add(row.first + i, d * g, &row.g[..=i]);
                }
            }
            matrix.factor();
            let direction = |comp: &dyn Fn(usize) -> f64| {
                // l w + l Δw + w Δl = comp, G Δz + Δw = −primal, Gᵀ Δl = −dual
                let mut dz: Vec<f64> = dual.iter().map(|d| -d).collect();
                for (r, row) in self.rows.iter().enumerate() {
                    let t = (comp(r) - l[r] * w[r] + l[r] * primal[r]) / w[r];
                    row.add(-t, &mut dz);
                }
                matrix.solve(&mut dz);
                let dw: Vec<f64> = self.rows.iter().enumerate().map(|(r, row)| -primal[r] - row.times(&dz)).collect();
                let dl: Vec<f64> = (0..m).map(|r| (comp(r) - l[r] * w[r] - l[r] * dw[r]) / w[r]).collect();
                (dz, dw, dl)
            };
            let longest = |x: &[f64], dx: &[f64]| {
                x.iter().zip(dx).fold(1.0_f64, |most, (x, dx)| if *dx < 0.0 { most.min(-x / dx) } else { most })
            };
            let (_, dw, dl) = direction(&|_| 0.0);
            let (p, d) = (longest(&w, &dw), longest(&l, &dl));
            let after: f64 = (0..m).map(|r| (w[r] + p * dw[r]) * (l[r] + d * dl[r])).sum::<f64>() / m as f64;
            let sigma = (after / gap).powi(3).clamp(1e-8, 1.0);
            let (dz, dw, dl) = {
                let comp = |r: usize| sigma * gap - dw[r] * dl[r];
                direction(&comp)
            };
            let (p, d) = (0.995 * longest(&w, &dw), 0.995 * longest(&l, &dl));
            z.iter_mut().zip(&dz).for_each(|(z, dz)| *z += p * dz);
            w.iter_mut().zip(&dw).for_each(|(w, dw)| *w += p * dw);
            l.iter_mut().zip(&dl).for_each(|(l, dl)| *l += d * dl);
        }
        best
    }
}
