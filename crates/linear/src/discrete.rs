//! Sampled models: the input is held between two samples of a controller.

use crate::scaled::{in_units, units};
use crate::{LinearError, Linearized, Matrix, StateSpace};

impl StateSpace {
    /// The discrete model whose input is held for `step` seconds (zero-order hold), exact at the samples:
    /// exp([A B; 0 0] step) = [A_d B_d; 0 1].
    pub fn discrete(&self, step: f64) -> Result<Self, LinearError> {
        self.continuous()?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(LinearError::BadValue { what: "step", value: step, must: "positive and finite" });
        }
        let exp = self.exponential(step)?;
        let (n, m) = self.b.shape();
        Ok(Self {
            a: exp.view((0, 0), (n, n)).into_owned(),
            b: exp.view((0, n), (n, m)).into_owned(),
            step: Some(step),
            ..self.clone()
        })
    }

    /// exp([A B; 0 0] step), computed in units of equal scale: the limit is then on how fast the poles are, not on the units
    /// of the states.
    fn exponential(&self, step: f64) -> Result<Matrix, LinearError> {
        let (n, m) = self.b.shape();
        let mut t = units(&self.a);
        let inner = in_units(&self.a, &t) * step;
        let size = inner.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
        if size.is_nan() || size > 1e4 {
            let must = "below 1e4: take a shorter step";
            return Err(LinearError::BadValue { what: "step × speed of the fastest pole, about", value: size, must });
        }
        // Inputs may have any size: the result is linear in them.
        let column = |j: usize| (0..n).map(|i| (self.b[(i, j)] / t[i] * step).abs()).fold(0.0, f64::max);
        let inputs: Vec<f64> = (0..m).map(|j| if column(j) > 0.0 { 1.0 / column(j) } else { 1.0 }).collect();
        t.extend(inputs);
        let mut both = Matrix::zeros(n + m, n + m);
        both.view_mut((0, 0), (n, n)).copy_from(&inner);
        for j in 0..m {
            for i in 0..n {
                both[(i, n + j)] = self.b[(i, j)] * t[n + j] / t[i] * step;
            }
        }
        let exp = both.exp();
        Ok(Matrix::from_fn(n + m, n + m, |i, j| exp[(i, j)] * t[i] / t[j]))
    }
}

impl Linearized {
    /// The discrete model about the same point. Its `rate` is the change of the state over a step while the input stays
    /// constant: x(t + step) = x₀ + rate + A_d δx + B_d δu, rate = ∫ e^{As} ds ẋ₀ over the step; zero at an equilibrium.
    pub fn discrete(&self, step: f64) -> Result<Self, LinearError> {
        let (n, m) = self.system.b.shape();
        let mut moved = self.system.clone();
        moved.b = moved.b.insert_column(m, 0.0);
        moved.b.column_mut(m).copy_from_slice(&self.rate);
        let moved = moved.discrete(step)?;
        let rate = (0..n).map(|i| moved.b[(i, m)]).collect();
        let b = moved.b.remove_column(m);
        let system = StateSpace { a: moved.a, b, step: moved.step, ..self.system.clone() };
        Ok(Self { system, rate, ..self.clone() })
    }
}
