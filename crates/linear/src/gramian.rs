//! Gramians, Hankel singular values and balanced truncation.
//!
//! The Gramians W_c = ∫ e^{At} B Bᵀ e^{Aᵀt} dt and W_o = ∫ e^{Aᵀt} Cᵀ C e^{At} dt are never formed: their factors
//! W = L Lᵀ come directly from the Schur form (S. Hammarling, IMA J. Numerical Analysis 2, 1982), so that small Hankel
//! singular values are not lost in the square root of rounding. States that no input reaches, or that no output sees, are
//! removed before by orthogonal steps: a model with constraint equations has many such modes at one multiple, defective
//! pole, and a Schur form alone would mix them in. Balanced truncation uses the square-root method (M. S. Tombs &
//! I. Postlethwaite, Int. J. Control 46, 1987).

use crate::schur::Triangular;
use crate::singular::Singular;
use crate::structure::reached;
use crate::{Complex, ComplexMatrix, LinearError, Matrix, StateSpace, beside};

/// Factors of the two Gramians, W = L Lᵀ.
#[derive(Clone, Debug)]
pub struct Gramians {
    /// L of the controllability Gramian: n rows. Its range is the controllable subspace.
    pub controllability: Matrix,
    /// L of the observability Gramian: n rows. Its range is the observable subspace.
    pub observability: Matrix,
}

/// A model of lower order, its states sorted by how much of the input reaches the output through them.
#[derive(Clone, Debug)]
pub struct Balanced {
    /// The reduced model, balanced.
    pub system: StateSpace,
    /// All Hankel singular values of the full model, largest first. The H∞ norm of the error of the reduced model is at most
    /// twice the sum of those that were cut off.
    pub hankel: Vec<f64>,
    /// The states of the reduced model are this times δx.
    pub projection: Matrix,
}

/// A typical size of each input and output, for the reduction of a model: a torque that the motors have, an error that
/// matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// The size of each input, in its unit.
    pub inputs: Vec<f64>,
    /// The size of each output, in its unit.
    pub outputs: Vec<f64>,
}

impl Sizes {
    /// The sizes that lead back to the units.
    fn undone(&self) -> Self {
        let inverse = |sizes: &[f64]| sizes.iter().map(|size| 1.0 / size).collect();
        Self { inputs: inverse(&self.inputs), outputs: inverse(&self.outputs) }
    }
}

impl StateSpace {
    /// The same model with inputs and outputs measured in `sizes`: B S, R⁻¹ C, R⁻¹ D S.
    pub fn measured_in(&self, sizes: &Sizes) -> Result<Self, LinearError> {
        let Sizes { inputs, outputs } = sizes;
        for (what, sizes, count) in
            [("sizes of inputs", inputs, self.inputs.len()), ("sizes of outputs", outputs, self.outputs.len())]
        {
            if sizes.len() != count {
                let (found, expected) = (sizes.len().to_string(), count.to_string());
                return Err(LinearError::Shape { what, found, expected });
            }
            if let Some(&value) = sizes.iter().find(|size| !(**size > 0.0 && size.is_finite())) {
                return Err(LinearError::BadValue { what, value, must: "positive and finite" });
            }
        }
        let entry = |matrix: &Matrix, i: usize, j: usize| matrix[(i, j)];
        Ok(Self {
            b: Matrix::from_fn(self.order(), inputs.len(), |i, j| entry(&self.b, i, j) * inputs[j]),
            c: Matrix::from_fn(outputs.len(), self.order(), |i, j| entry(&self.c, i, j) / outputs[i]),
            d: Matrix::from_fn(outputs.len(), inputs.len(), |i, j| entry(&self.d, i, j) * inputs[j] / outputs[i]),
            ..self.clone()
        })
    }

    /// Factors of the Gramians. A model with a pole that is not stable is refused.
    pub fn gramians(&self) -> Result<Gramians, LinearError> {
        self.continuous()?;
        let poles = self.poles()?;
        // In states of equal scale, x = T z: what is controllable does not depend on their units.
        let scaled = self.scaled()?;
        let (n, t) = (self.order(), &scaled.state);
        // On the axis by rounding is not stable.
        let limit = -1e-12 * scaled.unit;
        if let Some(&pole) = poles.iter().find(|s| s.re >= limit) {
            let stable = poles.iter().filter(|s| s.re < limit).count();
            return Err(LinearError::NotStable { pole, stable, states: self.order() });
        }
        let a = &scaled.a * scaled.unit;
        let b = Matrix::from_fn(n, self.b.ncols(), |i, j| self.b[(i, j)] / t[i]);
        let ct = Matrix::from_fn(n, self.c.nrows(), |i, j| self.c[(j, i)] * t[i]);
        let inputs = factor(&a, &b, &reached(&scaled.a, &scaled.b))?;
        let outputs = factor(&a.transpose(), &ct, &reached(&scaled.a.transpose(), &scaled.c.transpose()))?;
        Ok(Gramians {
            controllability: Matrix::from_fn(n, inputs.ncols(), |i, j| inputs[(i, j)] * t[i]),
            observability: Matrix::from_fn(n, outputs.ncols(), |i, j| outputs[(i, j)] / t[i]),
        })
    }

    /// Balanced truncation to the `order` states that matter most. Without an order, all states whose Hankel singular value
    /// exceeds 1e-10 of the largest are kept: the result is a minimal model.
    ///
    /// The Hankel singular values do not depend on the choice of states, but they, and with them which states matter, depend
    /// on the units of inputs and outputs. Where the units are of several kinds, [`balanced_for`](Self::balanced_for) takes a typical size of each.
    pub fn balanced(&self, order: Option<usize>) -> Result<Balanced, LinearError> {
        let Gramians { controllability, observability } = self.gramians()?;
        let svd = Singular::of_real(&(observability.transpose() * &controllability));
        let mut hankel = svd.values.clone();
        hankel.resize(self.order(), 0.0);
        let largest = hankel.first().copied().unwrap_or(0.0);
        let available = hankel.iter().filter(|&&s| s > 1e-10 * largest).count();
        let wanted = order.unwrap_or(available);
        if wanted > available {
            return Err(LinearError::Order { wanted, available });
        }
        let roots = Matrix::from_diagonal(&nalgebra::DVector::from_fn(wanted, |k, _| 1.0 / hankel[k].sqrt()));
        let right = controllability * svd.v.columns(0, wanted).map(|x| x.re) * &roots;
        let left = roots * svd.u.columns(0, wanted).map(|x| x.re).transpose() * observability.transpose();
        Ok(Balanced { system: self.projected(&left, &right), hankel, projection: left })
    }

    /// Balanced truncation with inputs and outputs divided by their `sizes`. The reduced model has the units of this one;
    /// the Hankel singular values, and with them the error bound, are those of the divided inputs and outputs.
    pub fn balanced_for(&self, order: Option<usize>, sizes: &Sizes) -> Result<Balanced, LinearError> {
        let found = self.measured_in(sizes)?.balanced(order)?;
        Ok(Balanced { system: found.system.measured_in(&sizes.undone())?, ..found })
    }
}

/// L with A L Lᵀ + L Lᵀ Aᵀ + B Bᵀ = 0, real, n × 2r, within the r-dimensional space that B reaches, given its `basis`.
fn factor(a: &Matrix, b: &Matrix, basis: &Matrix) -> Result<Matrix, LinearError> {
    Ok(basis * factor_reached(&(basis.transpose() * a * basis), &(basis.transpose() * b))?)
}

/// L with A L Lᵀ + L Lᵀ Aᵀ + B Bᵀ = 0, real, n × 2n.
///
/// In Schur's form, with the last state split off, A = [A₁ a; 0 α], B = [B₁; b*], the factor U = [U₁ u; 0 υ] has
///
/// ```text
/// υ = |b|/√(−2 Re α),  (A₁ + ᾱ 1) u = −a υ − B₁ b/υ,  and U₁ is the factor for A₁ and B₁ − u (b/υ)*.
/// ```
fn factor_reached(a: &Matrix, b: &Matrix) -> Result<Matrix, LinearError> {
    let n = a.nrows();
    let Triangular { q, t } = Triangular::of(a)?;
    let mut rest = q.adjoint() * b.map(|x| Complex::new(x, 0.0));
    let mut upper = ComplexMatrix::zeros(n, n);
    for k in (0..n).rev() {
        let row: Vec<Complex<f64>> = rest.row(k).iter().copied().collect();
        let size = row.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        let own = size / (-2.0 * t[(k, k)].re).sqrt();
        upper[(k, k)] = Complex::new(own, 0.0);
        if own == 0.0 {
            continue; // no input reaches this state, and none through it
        }
        let direction: Vec<Complex<f64>> = row.iter().map(|x| x.conj() / own).collect();
        for i in (0..k).rev() {
            let mut right = -t[(i, k)] * own;
            for (j, d) in direction.iter().enumerate() {
                right -= rest[(i, j)] * d;
            }
            for j in i + 1..k {
                right -= t[(i, j)] * upper[(j, k)];
            }
            upper[(i, k)] = right / (t[(i, i)] + t[(k, k)].conj());
        }
        for i in 0..k {
            for (j, d) in direction.iter().enumerate() {
                let change = upper[(i, k)] * d.conj();
                rest[(i, j)] -= change;
            }
        }
    }
    let full = q * upper;
    // Real and imaginary part side by side: L Lᵀ is the real part of U U*, and the Gramian is real.
    Ok(beside(&full.map(|z| z.re), &full.map(|z| z.im)))
}

/// X with A X + X Aᵀ + Q = 0 for a symmetric Q: Bartels & Stewart in complex numbers.
pub fn lyapunov(a: &Matrix, q: &Matrix) -> Result<Matrix, LinearError> {
    let n = a.nrows();
    let form = Triangular::of(a)?;
    let (u, t) = (&form.q, &form.t);
    let right = u.adjoint() * q.map(|x| Complex::new(x, 0.0)) * u;
    let mut x = ComplexMatrix::zeros(n, n);
    for k in (0..n).rev() {
        for i in (0..n).rev() {
            let mut sum = -right[(i, k)];
            for j in i + 1..n {
                sum -= t[(i, j)] * x[(j, k)];
            }
            for j in k + 1..n {
                sum -= x[(i, j)] * t[(k, j)].conj();
            }
            x[(i, k)] = sum / (t[(i, i)] + t[(k, k)].conj());
        }
    }
    let full = u * x * u.adjoint();
    Ok(Matrix::from_fn(n, n, |i, j| 0.5 * (full[(i, j)].re + full[(j, i)].re)))
}
