//! Linear programs whose unknowns are tied to few neighbours, and all of them to one more.
//!
//! ```text
//! min z_n   with   g·z ≤ h for every row                                                                     (1)
//! ```
//!
//! A row has four neighbouring entries and the last one. By the interior-point method of Mehrotra 1992 ("On the
//! implementation of a primal-dual interior point method"), whose matrices Gᵀ D G have a narrow band and a border here: each
//! of its few dozen steps costs as much as going through the rows once.

use super::band::Band;

/// min z_n with rows g·z ≤ h, where z = 0 satisfies all of them.
pub(super) struct Program {
    /// n.
    free: usize,
    rows: Vec<Row>,
}

/// Entries of four neighbours from `first` on (those that z does not have are left out), and of the last one.
struct Row {
    first: isize,
    g: [f64; 4],
    border: f64,
    h: f64,
}

impl Program {
    /// With n entries that rows tie to their neighbours, and the last one.
    pub fn new(free: usize) -> Self {
        Self { free, rows: Vec::new() }
    }

    /// Another row: its entries from `first` on and its last one, in any scale.
    pub fn row(&mut self, first: isize, g: [f64; 4], border: f64, h: f64) {
        let size = g.iter().fold(border.abs(), |most, x| most.max(x.abs()));
        if size > 0.0 {
            self.rows.push(Row { first, g: g.map(|x| x / size), border: border / size, h: h.max(0.0) / size });
        }
    }

    fn entries<'a>(&self, row: &'a Row) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let free = self.free as isize;
        (0..4).filter_map(move |k| {
            let i = row.first + k as isize;
            (i >= 0 && i < free).then_some((i as usize, row.g[k]))
        })
    }

    fn times(&self, row: &Row, z: &[f64]) -> f64 {
        self.entries(row).map(|(i, g)| g * z[i]).sum::<f64>() + row.border * z[self.free]
    }

    /// The least last entry; none where rounding has spoilt it.
    pub fn solve(&self) -> Option<Vec<f64>> {
        let (n, m) = (self.free + 1, self.rows.len());
        let mut z = vec![0.0; n];
        let least = 1e-3;
        let mut w: Vec<f64> = self.rows.iter().map(|row| row.h.max(least)).collect();
        let mut l: Vec<f64> = w.iter().map(|w| (1e-2 / w).clamp(1e-3, 1e3)).collect();
        for _ in 0..60 {
            // Residuals.
            let mut dual = vec![0.0; n];
            dual[self.free] = 1.0;
            let mut primal = vec![0.0; m];
            for (r, row) in self.rows.iter().enumerate() {
                for (i, g) in self.entries(row) {
                    dual[i] += g * l[r];
                }
                dual[self.free] += row.border * l[r];
                primal[r] = self.times(row, &z) + w[r] - row.h;
            }
            let gap: f64 = w.iter().zip(&l).map(|(w, l)| w * l).sum::<f64>() / m as f64;
            let worst = primal.iter().chain(&dual).fold(0.0_f64, |most, x| most.max(x.abs()));
            if !gap.is_finite() || !worst.is_finite() {
                return None;
            }
            if gap * (m as f64) < 1e-6 * z[self.free].abs() + 1e-12 && worst < 1e-8 {
                break;
            }
            let mut matrix = Band::new(self.free, 1e-12);
            for (r, row) in self.rows.iter().enumerate() {
                let d = l[r] / w[r];
                for (i, g) in self.entries(row) {
                    for (j, f) in self.entries(row) {
                        if j <= i {
                            matrix.band[i][3 - (i - j)] += d * g * f;
                        }
                    }
                    matrix.border[i] += d * g * row.border;
                }
                matrix.corner += d * row.border * row.border;
            }
            matrix.factor();
            let direction = |comp: &dyn Fn(usize) -> f64| {
                // l w + l Δw + w Δl = comp, G Δz + Δw = −primal, Gᵀ Δl = −dual
                let mut right: Vec<f64> = dual.iter().map(|d| -d).collect();
                for (r, row) in self.rows.iter().enumerate() {
                    let t = (comp(r) - l[r] * w[r] + l[r] * primal[r]) / w[r];
                    for (i, g) in self.entries(row) {
                        right[i] -= g * t;
                    }
                    right[self.free] -= row.border * t;
                }
                matrix.solve(&mut right);
                let dz = right;
                let dw: Vec<f64> =
                    self.rows.iter().enumerate().map(|(r, row)| -primal[r] - self.times(row, &dz)).collect();
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
        Some(z)
    }
}
