//! Riccati's equations: P of the least cost δxᵀ P δx, continuous and discrete.

use super::gramian::lyapunov;
use super::poles::eigenvalues;
use super::schur::invariant_subspace;
use super::{LinearError, Matrix};

/// What there is no solution for: some mode is neither stable nor both reached and weighted. The caller finds it.
pub(super) struct NoSolution;

/// Solutions come with the checked promise that the closed loop is stable.
type Solution = Result<Result<Matrix, NoSolution>, LinearError>;

/// P of Aᵀ P + P A − P B R⁻¹ Bᵀ P + Q = 0.
///
/// P = X₂ X₁⁻¹ from the stable invariant subspace of the Hamiltonian [A, −B R⁻¹ Bᵀ; −Q, −Aᵀ] (A. J. Laub, IEEE TAC 24,
/// 1979), then polished by Newton's method (D. L. Kleinman, IEEE TAC 13, 1968).
pub(super) fn continuous([a, b, q, r]: [&Matrix; 4], inverse: &Matrix) -> Solution {
    let n = a.nrows();
    let spread = b * inverse * b.transpose();
    // P = ρ P′ makes both off-diagonal blocks of one size, whatever the weights are measured in.
    let ratio = (q.norm() / spread.norm()).sqrt();
    let ratio = if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
    let mut hamiltonian = Matrix::zeros(2 * n, 2 * n);
    hamiltonian.view_mut((0, 0), (n, n)).copy_from(a);
    hamiltonian.view_mut((0, n), (n, n)).copy_from(&-(&spread * ratio));
    hamiltonian.view_mut((n, 0), (n, n)).copy_from(&-(q / ratio));
    hamiltonian.view_mut((n, n), (n, n)).copy_from(&-a.transpose());
    let basis = invariant_subspace(&hamiltonian, |s| s.re < 0.0)?;
    if basis.ncols() != n {
        return Ok(Err(NoSolution));
    }
    let Some(top) = basis.rows(0, n).into_owned().try_inverse() else { return Ok(Err(NoSolution)) };
    let mut p = basis.rows(n, n) * top * ratio;
    for _ in 0..2 {
        let gain = inverse * b.transpose() * &p;
        let closed = a - b * &gain;
        if eigenvalues(&closed)?.iter().any(|s| s.re >= 0.0) {
            return Ok(Err(NoSolution));
        }
        p = lyapunov(&closed.transpose(), &(q + gain.transpose() * r * &gain))?;
    }
    Ok(Ok(p))
}

/// P of Aᵀ P A − P − Aᵀ P B (R + Bᵀ P B)⁻¹ Bᵀ P A + Q = 0.
///
/// By structure-preserving doubling (E. K.-W. Chu, H.-Y. Fan, W.-W. Lin & C.-S. Wang, Int. J. Control 77, 2004): after k
/// steps the cost of 2ᵏ samples. Then polished by Newton's method (G. A. Hewer, IEEE TAC 16, 1971). Doubling misses the
/// stabilising solution where an unstable mode costs nothing; Newton's method then starts from the gain of a weight that
/// every mode has.
pub(super) fn discrete([a, b, q, r]: [&Matrix; 4], inverse: &Matrix) -> Solution {
    let n = a.nrows();
    let spread = b * inverse * b.transpose();
    // As large as the weight, or as what the inputs cost.
    let size = q.norm() + 1.0 / spread.norm().max(f64::MIN_POSITIVE);
    for weight in [q.clone(), q + Matrix::identity(n, n) * size] {
        let Some(p) = doubled(a, &spread, &weight) else { continue };
        let Some(mut gain) = discrete_gain([a, b, &p, r]) else { continue };
        if !inside(&(a - b * &gain))? {
            continue;
        }
        // Newton's method falls from any stabilising gain; it doubles the digits once it is near.
        let mut last = f64::INFINITY;
        for _ in 0..60 {
            let closed = a - b * &gain;
            if !inside(&closed)? {
                return Ok(Err(NoSolution));
            }
            let Some(p) = stein(&closed.transpose(), &(q + gain.transpose() * r * &gain)) else { break };
            let Some(next) = discrete_gain([a, b, &p, r]) else { break };
            let change = (&next - &gain).norm() / gain.norm().max(f64::MIN_POSITIVE);
            gain = next;
            // At rounding it no longer shrinks.
            if change < 1e-8 && change >= 0.5 * last || change == 0.0 {
                return Ok(if inside(&(a - b * &gain))? { Ok(p) } else { Err(NoSolution) });
            }
            last = change;
        }
    }
    Ok(Err(NoSolution))
}

/// K = (R + Bᵀ P B)⁻¹ Bᵀ P A.
pub(super) fn discrete_gain([a, b, p, r]: [&Matrix; 4]) -> Option<Matrix> {
    let across = b.transpose() * p;
    (r + &across * b).cholesky().map(|factor| factor.solve(&(across * a)))
}

fn inside(a: &Matrix) -> Result<bool, LinearError> {
    Ok(a.iter().all(|x| x.is_finite()) && eigenvalues(a)?.iter().all(|z| z.norm() < 1.0))
}

/// The limit of the cost over 1, 2, 4 … samples; none where it grows for ever.
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

/// X = Σ Aᵏ Q Aᵏᵀ, the solution of X = A X Aᵀ + Q for A inside the unit circle, by doubling (R. A. Smith, SIAM J. Appl.
/// Math. 16, 1968).
fn stein(a: &Matrix, q: &Matrix) -> Option<Matrix> {
    let (mut a, mut x) = (a.clone(), q.clone());
    for _ in 0..60 {
        let more = &a * &x * a.transpose();
        x += &more;
        a = &a * &a;
        if !x.iter().all(|value| value.is_finite()) {
            return None;
        }
        if more.norm() <= 1e-17 * x.norm() {
            return Some((&x + x.transpose()) * 0.5);
        }
    }
    None
}
