//! The model between two samples of a controller.

use super::{LinearError, Matrix, StateSpace};

impl StateSpace {
    /// The discrete model whose input is held for `step` seconds (zero-order hold), exact at the samples:
    /// exp([A B; 0 0] step) = [A_d B_d; 0 1].
    pub fn discrete(&self, step: f64) -> Result<Self, LinearError> {
        self.continuous()?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(LinearError::BadValue { what: "step", value: step, must: "positive and finite" });
        }
        let (n, m) = self.b.shape();
        let mut both = Matrix::zeros(n + m, n + m);
        both.view_mut((0, 0), (n, n)).copy_from(&(&self.a * step));
        both.view_mut((0, n), (n, m)).copy_from(&(&self.b * step));
        let size = both.lp_norm(1);
        if size > 1e4 {
            return Err(LinearError::BadValue {
                what: "step × ‖A‖",
                value: size,
                must: "below 1e4: take a shorter step",
            });
        }
        let exp = both.exp();
        Ok(Self {
            a: exp.view((0, 0), (n, n)).into_owned(),
            b: exp.view((0, n), (n, m)).into_owned(),
            step: Some(step),
            ..self.clone()
        })
    }

    /// Whether all poles are inside the left half plane, or the unit circle, by more than `margin`.
    pub fn is_stable(&self, margin: f64) -> Result<bool, LinearError> {
        let discrete = self.step.is_some();
        Ok(self.poles()?.iter().all(|s| if discrete { s.norm() < 1.0 - margin } else { s.re < -margin }))
    }
}
