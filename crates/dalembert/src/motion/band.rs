//! Symmetric matrices with a narrow band and a border, by Cholesky's method.

/// A symmetric matrix with three diagonals on each side of the main one and a border.
#[derive(Clone)]
pub(super) struct Band {
    /// Row i: entries (i, i − 3) … (i, i).
    pub band: Vec<[f64; 4]>,
    pub border: Vec<f64>,
    pub corner: f64,
}

impl Band {
    /// So much on its diagonal, and nothing else.
    pub fn new(size: usize, diagonal: f64) -> Self {
        Self { band: vec![[0.0, 0.0, 0.0, diagonal]; size], border: vec![0.0; size], corner: diagonal }
    }

    /// Cholesky's factors in its place.
    pub fn factor(&mut self) {
        for i in 0..self.band.len() {
            for k in (0..=3.min(i)).rev() {
                let j = i - k;
                let mut sum = self.band[i][3 - k];
                for l in 1..=3 - k {
                    if j >= l {
                        sum -= self.band[i][3 - k - l] * self.band[j][3 - l];
                    }
                }
                self.band[i][3 - k] = if k == 0 { sum.max(1e-300).sqrt() } else { sum / self.band[j][3] };
            }
        }
        self.corner = {
            let mut u = self.border.clone();
            self.forward(&mut u);
            let square: f64 = u.iter().map(|x| x * x).sum();
            (self.corner - square).max(1e-300)
        };
    }

    fn forward(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            for k in 1..=3.min(i) {
                x[i] -= self.band[i][3 - k] * x[i - k];
            }
            x[i] /= self.band[i][3];
        }
    }

    fn backward(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            x[i] /= self.band[i][3];
            for k in 1..=3.min(i) {
                x[i - k] -= self.band[i][3 - k] * x[i];
            }
        }
    }

    /// In the place of the right side, whose last entry is that of the border.
    pub fn solve(&self, right: &mut [f64]) {
        let Some((last, x)) = right.split_last_mut() else { return };
        let mut u = self.border.clone();
        self.forward(&mut u);
        self.backward(&mut u);
        self.forward(x);
        self.backward(x);
        let dot: f64 = self.border.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
        *last = (*last - dot) / self.corner;
        x.iter_mut().zip(&u).for_each(|(x, u)| *x -= u * *last);
    }
}
