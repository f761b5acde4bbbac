//! Cubic splines from rest to rest: their third derivative is constant between two knots.
//!
//! In the basis of B-splines with ends that count four times, rest at an end means that three coefficients there are
//! the same.

use super::band::Band;

/// The basis functions that are not zero at a place: the first of the four, and the values of s, s′, s″, s‴ for each.
pub(super) struct Place {
    pub first: usize,
    /// Of the first derivative, then of the second and so on.
    pub basis: [[f64; 4]; 4],
}

/// s(τ) by its coefficients.
#[derive(Clone)]
pub(super) struct Spline {
    /// 0 … 1, strictly increasing.
    pub knots: Vec<f64>,
    /// Two more than there are knots.
    pub c: Vec<f64>,
}

impl Spline {
    /// The knot `i` of the clamped sequence: the ends count four times.
    fn knot(&self, i: usize) -> f64 {
        self.knots[i.saturating_sub(3).min(self.knots.len() - 1)]
    }

    /// The spline near a function of τ.
    pub fn near(knots: Vec<f64>, s: impl Fn(f64) -> f64) -> Self {
        let count = knots.len() + 2;
        let mut spline = Self { knots, c: vec![0.0; count] };
        // Second order: s at the mean of its knots, less a part of the second derivative there.
        for i in 0..count {
            let [a, b, c] = [1, 2, 3].map(|k| spline.knot(i + k));
            let mean = (a + b + c) / 3.0;
            let spread = ((a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2)) / 12.0;
            let h = 1e-4;
            let bend =
                if mean > h && mean < 1.0 - h { (s(mean + h) - 2.0 * s(mean) + s(mean - h)) / (h * h) } else { 0.0 };
            spline.c[i] = s(mean) - spread * bend;
        }
        let distance = s(1.0);
        for k in 0..3 {
            spline.c[k] = 0.0;
            spline.c[count - 1 - k] = distance;
        }
        spline
    }

    /// In a piece, at a part of its width.
    pub fn place(&self, piece: usize, part: f64) -> Place {
        let tau = self.knots[piece] + part * (self.knots[piece + 1] - self.knots[piece]);
        let mut basis = [[0.0; 4]; 4];
        // Each coefficient by itself: the derivatives of a spline have splines for coefficients.
        for (own, values) in (0..4).map(|own| (own, self.values(piece, tau, own))) {
            (0..4).for_each(|order| basis[order][own] = values[order]);
        }
        Place { first: piece, basis }
    }

    /// s, s′, s″, s‴ of the basis function `own` of a piece (de Boor's algorithm on the derivatives' coefficients).
    fn values(&self, piece: usize, tau: f64, own: usize) -> [f64; 4] {
        let mut d = [0.0; 4];
        d[own] = 1.0;
        let mut values = [0.0; 4];
        for order in 0..4 {
            let degree = 3 - order;
            let mut e = d;
            for level in 1..=degree {
                for i in (level..=degree).rev() {
                    let low = self.knot(piece + order + i);
                    let high = self.knot(piece + order + i + 1 + degree - level);
                    let x = (tau - low) / (high - low);
                    e[i] = e[i - 1] * (1.0 - x) + e[i] * x;
                }
            }
            values[order] = e[degree];
            for i in 0..degree {
                let [low, high] = [self.knot(piece + order + i + 1), self.knot(piece + order + i + 1 + degree)];
                d[i] = degree as f64 * (d[i + 1] - d[i]) / (high - low);
            }
        }
        values
    }

    /// (s, s′, s″, s‴).
    pub fn at(&self, place: &Place) -> [f64; 4] {
        place.basis.map(|basis| (0..4).map(|i| basis[i] * self.c[place.first + i]).sum())
    }

    /// The same spline with a knot in the middle of each piece.
    pub fn halved(&self) -> Self {
        let mut spline = self.clone();
        for piece in (0..self.knots.len() - 1).rev() {
            let tau = 0.5 * (self.knots[piece] + self.knots[piece + 1]);
            let mut c = spline.c.clone();
            c.insert(piece + 3, 0.0);
            for i in piece + 1..=piece + 3 {
                let [low, high] = [spline.knot(i), spline.knot(i + 3)];
                let x = (tau - low) / (high - low);
                c[i] = spline.c[i] * x + spline.c[i - 1] * (1.0 - x);
            }
            spline.c = c;
            spline.knots.insert(piece + 1, tau);
        }
        spline
    }

    /// Pieces over a time: duration, s̈ at the beginning, s⃛.
    pub fn pieces(&self, time: f64) -> Vec<(f64, f64, f64)> {
        let piece = |k: usize| {
            let [_, _, bend, jerk] = self.at(&self.place(k, 0.0));
            ((self.knots[k + 1] - self.knots[k]) * time, bend / (time * time), jerk / time.powi(3))
        };
        (0..self.knots.len() - 1).map(piece).collect()
    }

    /// The piece in which τ is.
    pub fn piece(&self, tau: f64) -> usize {
        self.knots.partition_point(|knot| *knot <= tau).clamp(1, self.knots.len() - 1) - 1
    }

    /// The place of τ.
    pub fn place_of(&self, tau: f64) -> Place {
        let piece = self.piece(tau);
        self.place(piece, (tau - self.knots[piece]) / (self.knots[piece + 1] - self.knots[piece]))
    }

    /// From the first value to the last, near the others: least squares, with `weight` on the mean square of the third
    /// derivative.
    pub fn through(knots: &[f64], values: &[(f64, f64)], weight: f64) -> Option<Self> {
        let (&(_, first), &(_, last)) = (values.first()?, values.last()?);
        let count = knots.len() + 2;
        let free = count.checked_sub(6)?;
        let mut spline = Self { knots: knots.to_vec(), c: vec![0.0; count] };
        for k in 0..3 {
            (spline.c[k], spline.c[count - 1 - k]) = (first, last);
        }
        let mut matrix = Band::new(free, 1e-14);
        let mut right = vec![0.0; free + 1];
        let mut add = |place: &Place, order: usize, value: f64, weight: f64| {
            let inside = |i: usize| (place.first + i).checked_sub(3).filter(|i| *i < free);
            let fixed: f64 = (0..4)
                .filter(|&i| inside(i).is_none())
                .map(|i| place.basis[order][i] * spline.c[place.first + i])
                .sum();
            for (i, row) in (0..4).filter_map(|i| inside(i).map(|row| (i, row))) {
                right[row] += weight * place.basis[order][i] * (value - fixed);
                for (j, column) in (0..=i).filter_map(|j| inside(j).map(|column| (j, column))) {
                    matrix.band[row][3 - (row - column)] += weight * place.basis[order][i] * place.basis[order][j];
                }
            }
        };
        for &(tau, value) in values {
            add(&spline.place_of(tau), 0, value, 1.0);
        }
        for piece in 0..knots.len() - 1 {
            add(&spline.place(piece, 0.5), 3, 0.0, weight * (knots[piece + 1] - knots[piece]));
        }
        matrix.factor();
        matrix.solve(&mut right);
        spline.c[3..3 + free].copy_from_slice(&right[..free]);
        Some(spline)
    }
}
