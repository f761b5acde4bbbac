//! Frequency response.

use crate::singular::Singular;
use crate::{Complex, ComplexMatrix, LinearError, StateSpace};

impl StateSpace {
    /// The frequency response G = C (s1 − A)⁻¹ B + D at s = jω, for a discrete model at z = e^{jω step}; ω in rad/s.
    pub fn at_frequency(&self, omega: f64) -> Result<ComplexMatrix, LinearError> {
        if !omega.is_finite() {
            return Err(LinearError::BadValue { what: "frequency", value: omega, must: "finite" });
        }
        let s = match self.step {
            None => Complex::new(0.0, omega),
            Some(step) => Complex::from_polar(1.0, omega * step),
        };
        let complex = |m: &crate::Matrix| m.map(|x| Complex::new(x, 0.0));
        let n = self.order();
        let matrix = ComplexMatrix::identity(n, n) * s - complex(&self.a);
        match matrix.lu().solve(&complex(&self.b)) {
            Some(x) if x.iter().all(|x| x.re.is_finite() && x.im.is_finite()) => {
                Ok(complex(&self.c) * x + complex(&self.d))
            }
            _ => Err(LinearError::BadValue { what: "frequency", value: omega, must: "no pole of the model" }),
        }
    }
}

/// The largest gain over all directions of the input: the largest singular value.
pub fn magnitude(response: &ComplexMatrix) -> f64 {
    Singular::of(response).values.first().copied().unwrap_or(0.0)
}

/// `count` frequencies from `first` to `last`, evenly spaced on a logarithmic scale.
pub fn decades(first: f64, last: f64, count: usize) -> Vec<f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|k| first * (last / first).powf(k as f64 / steps)).collect()
}
