//! Cubic splines from rest to rest: their third derivative is constant between two knots.
//!
//! In the basis of B-splines with ends that count four times, rest at an end means that three coefficients there are
//! the same.

/// s(τ) by its coefficients.
#[derive(Clone)]
pub(super) struct Spline {
    /// Strictly increasing.
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
        let end = knots.last().copied().unwrap_or(0.0);
        let mut spline = Self { knots, c: vec![0.0; count] };
        // Second order: s at the mean of its knots, less a part of the second derivative there.
        for i in 0..count {
            let [a, b, c] = [1, 2, 3].map(|k| spline.knot(i + k));
            let mean = (a + b + c) / 3.0;
            let spread = ((a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2)) / 12.0;
            let h = 1e-4 * end;
            let bend =
                if mean > h && mean < end - h { (s(mean + h) - 2.0 * s(mean) + s(mean - h)) / (h * h) } else { 0.0 };
            spline.c[i] = s(mean) - spread * bend;
        }
        let distance = s(end);
        for k in 0..3 {
            spline.c[k] = 0.0;
            spline.c[count - 1 - k] = distance;
        }
        spline
    }

    /// s, s′, s″, s‴ of the four basis functions that are not zero in a piece, at a part of its width.
    pub fn basis(&self, piece: usize, part: f64) -> [[f64; 4]; 4] {
        let mut basis = [[0.0; 4]; 4];
        for own in 0..4 {
            let unit = std::array::from_fn(|i| if i == own { 1.0 } else { 0.0 });
            let values = self.values(piece, part, unit);
            (0..4).for_each(|order| basis[order][own] = values[order]);
        }
        basis
    }

    /// (s, s′, s″, s‴) in a piece, at a part of its width.
    pub fn state(&self, piece: usize, part: f64) -> [f64; 4] {
        self.values(piece, part, std::array::from_fn(|i| self.c[piece + i]))
    }

    /// The same with the coefficients `d` (de Boor's algorithm: the derivatives of a spline are splines).
    fn values(&self, piece: usize, part: f64, mut d: [f64; 4]) -> [f64; 4] {
        let tau = self.knots[piece] + part * (self.knots[piece + 1] - self.knots[piece]);
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

    /// The same spline with one more knot (Boehm's algorithm), inside of a piece.
    pub fn insert(&mut self, tau: f64) {
        let piece = self.piece(tau);
        let mut c = self.c.clone();
        c.insert(piece + 3, 0.0);
        for i in piece + 1..=piece + 3 {
            let [low, high] = [self.knot(i), self.knot(i + 3)];
            let x = (tau - low) / (high - low);
            c[i] = self.c[i] * x + self.c[i - 1] * (1.0 - x);
        }
        self.c = c;
        self.knots.insert(piece + 1, tau);
    }

    /// Pieces: duration, s̈ at the beginning, s⃛.
    pub fn pieces(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        (0..self.knots.len() - 1).map(|k| {
            let [_, _, bend, jerk] = self.state(k, 0.0);
            (self.knots[k + 1] - self.knots[k], bend, jerk)
        })
    }

    /// The piece in which τ is.
    pub fn piece(&self, tau: f64) -> usize {
        self.knots.partition_point(|knot| *knot <= tau).clamp(1, self.knots.len() - 1) - 1
    }
}
