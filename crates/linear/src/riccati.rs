//! Riccati's algebraic equations, continuous and discrete: P of the least cost δxᵀ P δx.

use crate::gramian::lyapunov;
use crate::poles::eigenvalues;
use crate::scaled::{cost_ratio, hamiltonian};
use crate::schur::invariant_subspace;
use crate::{LinearError, Matrix};

/// The largest residual of a solution, as a share of the terms of the equation. Newton's method ends at 1e-16 to 1e-14;
/// what it cannot improve to this share is no solution.
const RESIDUAL: f64 = 1e-11;

/// A model in units of equal scale, and its weights.
pub(crate) struct RiccatiProblem {
    /// A; for a discrete model A − 1, because its poles are close to 1 and the difference keeps their digits.
    pub a: Matrix,
    pub b: Matrix,
    pub q: Matrix,
    pub r: Matrix,
    /// R⁻¹.
    pub inverse: Matrix,
    pub discrete: bool,
}

/// The solution, with its gain and its closed loop A − B K, which is stable (for a discrete model, A − B K − 1).
pub(crate) struct RiccatiSolution {
    pub p: Matrix,
    pub gain: Matrix,
    pub closed: Matrix,
}

/// Why there is none.
pub(crate) enum NoSolution {
    /// Some mode is not stable, and not controllable or without weight; or double precision does not suffice. The caller
    /// finds out which.
    NotStabilised,
    /// The residual is this share of the terms of the equation.
    NotSolved(f64),
}

/// The outer error: an iteration did not converge.
type Attempt<T> = Result<Result<T, NoSolution>, LinearError>;

impl RiccatiProblem {
    pub fn solve(&self) -> Attempt<RiccatiSolution> {
        let mut why = NoSolution::NotStabilised;
        for start in self.starts()? {
            match self.improved(start)? {
                Ok(solution) => return Ok(Ok(solution)),
                Err(NoSolution::NotStabilised) => {}
                Err(not_solved) => why = not_solved,
            }
        }
        Ok(Err(why))
    }

    /// B R⁻¹ Bᵀ.
    fn spread(&self) -> Matrix {
        &self.b * &self.inverse * self.b.transpose()
    }

    /// Matrices near P, or at least with a stabilising gain; the best first.
    fn starts(&self) -> Result<Vec<Matrix>, LinearError> {
        let n = self.a.nrows();
        let spread = self.spread();
        if !self.discrete {
            return Ok(laub(&self.a, &spread, &self.q)?.into_iter().collect());
        }
        let a = &self.a + Matrix::identity(n, n);
        // Doubling misses the stabilising solution where an unstable mode costs nothing. Newton's method then starts from
        // the gain of a weight that every mode has, as large as the weight or as what the inputs cost.
        let size = self.q.norm() + 1.0 / spread.norm().max(f64::MIN_POSITIVE);
        let heavy = &self.q + Matrix::identity(n, n) * size;
        Ok([&self.q, &heavy].into_iter().filter_map(|weight| doubled(&a, &spread, weight)).collect())
    }

    /// Newton's method (D. L. Kleinman, IEEE TAC 13, 1968; G. A. Hewer, IEEE TAC 16, 1971) by corrections: each solves the
    /// closed loop's Lyapunov equation for the residual, so that it is the residual that rounding is measured by. It falls
    /// from any stabilising gain and doubles the digits once it is near; as long as it pays.
    fn improved(&self, mut p: Matrix) -> Attempt<RiccatiSolution> {
        let one = Matrix::identity(p.nrows(), p.nrows());
        let mut best: Option<(f64, RiccatiSolution)> = None;
        for _ in 0..60 {
            let Some(gain) = self.gain(&p) else { break };
            let closed = &self.a - &self.b * &gain;
            if !self.is_stable(&closed)? {
                break;
            }
            let (residual, share) = self.residual(&p, &gain);
            let last = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
            let correction = match self.discrete {
                false => Some(lyapunov(&closed.transpose(), &residual)?),
                // X = Aᵀ X A + Q is the limit without inputs.
                true => doubled(&(&closed + &one), &(&one * 0.0), &residual),
            };
            if share < last {
                best = Some((share, RiccatiSolution { p: p.clone(), gain, closed }));
            }
            // At rounding it no longer shrinks; far away it may grow for a while.
            if share < 1e-8 && share >= 0.5 * last || share == 0.0 {
                break;
            }
            let Some(correction) = correction else { break };
            p += correction;
        }
        Ok(match best {
            None => Err(NoSolution::NotStabilised),
            Some((share, _)) if share > RESIDUAL => Err(NoSolution::NotSolved(share)),
            Some((_, solution)) => Ok(solution),
        })
    }

    /// K = R⁻¹ Bᵀ P, or (R + Bᵀ P B)⁻¹ Bᵀ P A.
    fn gain(&self, p: &Matrix) -> Option<Matrix> {
        let n = self.a.nrows();
        match self.discrete {
            false => Some(&self.inverse * self.b.transpose() * p),
            true => discrete_gain([&(&self.a + Matrix::identity(n, n)), &self.b, p, &self.r]),
        }
    }

    /// Aᵀ P + P A − Kᵀ R K + Q, or with A = 1 + Δ the same: Δᵀ P + P Δ + Δᵀ P Δ − Kᵀ (R + Bᵀ P B) K + Q; and its size as
    /// a share of that of the terms.
    fn residual(&self, p: &Matrix, gain: &Matrix) -> (Matrix, f64) {
        let pa = p * &self.a;
        let (square, price) = match self.discrete {
            false => (Matrix::zeros(0, 0), self.r.clone()),
            true => (self.a.transpose() * &pa, &self.r + self.b.transpose() * p * &self.b),
        };
        let cost = gain.transpose() * price * gain;
        let mut residual = &pa + pa.transpose() - &cost + &self.q;
        if self.discrete {
            residual += &square;
        }
        let terms = 2.0 * pa.norm() + square.norm() + cost.norm() + self.q.norm();
        let residual = (&residual + residual.transpose()) * 0.5;
        let share = residual.norm() / terms.max(f64::MIN_POSITIVE);
        // Without weights on a stable model nothing costs anything.
        (residual, if terms == 0.0 { 0.0 } else { share })
    }

    /// |1 + s| < 1 is 2 Re s + |s|² < 0.
    fn is_stable(&self, closed: &Matrix) -> Result<bool, LinearError> {
        if !closed.iter().all(|x| x.is_finite()) {
            return Ok(false);
        }
        let square = if self.discrete { 0.5 } else { 0.0 };
        Ok(eigenvalues(closed)?.iter().all(|s| s.re + square * s.norm_sqr() < 0.0))
    }
}

/// K = (R + Bᵀ P B)⁻¹ Bᵀ P A.
pub(crate) fn discrete_gain([a, b, p, r]: [&Matrix; 4]) -> Option<Matrix> {
    let across = b.transpose() * p;
    (r + &across * b).cholesky().map(|factor| factor.solve(&(across * a)))
}

/// P = X₂ X₁⁻¹ from the stable invariant subspace of the Hamiltonian [A, −B R⁻¹ Bᵀ; −Q, −Aᵀ] (A. J. Laub, IEEE TAC 24,
/// 1979); none where it has another size.
fn laub(a: &Matrix, spread: &Matrix, q: &Matrix) -> Result<Option<Matrix>, LinearError> {
    let n = a.nrows();
    let ratio = cost_ratio(q, spread);
    let basis = invariant_subspace(&hamiltonian(a, &(spread * ratio), &(q / ratio)), |s| s.re < 0.0)?;
    if basis.ncols() != n {
        return Ok(None);
    }
    let top = basis.rows(0, n).into_owned().try_inverse();
    let p = top.map(|top| basis.rows(n, n) * top * ratio);
    Ok(p.map(|p| (&p + p.transpose()) * 0.5))
}

/// The limit of the cost over 1, 2, 4 … samples; none where it grows for ever. Structure-preserving doubling (E. K.-W.
/// Chu, H.-Y. Fan, W.-W. Lin & C.-S. Wang, Int. J. Control 77, 2004).
fn doubled(a: &Matrix, spread: &Matrix, q: &Matrix) -> Option<Matrix> {
    let one = Matrix::identity(a.nrows(), a.nrows());
    let (mut a, mut g, mut h) = (a.clone(), spread.clone(), q.clone());
    for _ in 0..60 {
        let lu = (&one + &g * &h).lu();
        let (va, vg) = (lu.solve(&a)?, lu.solve(&g)?);
        let grown = a.transpose() * &h * &va;
        g += &a * vg * a.transpose();
        a = &a * va;
        h += &grown;
        // Products of symmetric factors lose their symmetry to rounding.
        g = (&g + g.transpose()) * 0.5;
        h = (&h + h.transpose()) * 0.5;
        if !h.iter().all(|x| x.is_finite()) {
            return None;
        }
        if grown.norm() <= 1e-15 * h.norm() {
            return Some(h);
        }
    }
    None
}
