//! What the inputs can move and the outputs can see.

use super::schur::invariant_subspace;
use super::singular::{Singular, left_basis};
use super::{Complex, ComplexMatrix, LinearError, Matrix, RANK, StateSpace};

/// One pole, and how well it is reached and seen (Popov, Belevitch, Hautus).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The pole.
    pub pole: Complex<f64>,
    /// Least singular value of [A − s1, B] over the largest of [A, B]; zero: no input moves the mode.
    pub controllability: f64,
    /// Least singular value of [A − s1; C] over the largest of [A; C]; zero: no output shows it.
    pub observability: f64,
}

/// Kalman's decomposition.
#[derive(Clone, Debug)]
pub struct Kalman {
    /// The part that is reached and seen: the minimal model, with the same transfer function.
    pub minimal: StateSpace,
    /// How many states are reached and seen; reached, not seen; seen, not reached; neither.
    pub dimensions: [usize; 4],
}

/// The stable and the other part of a model, side by side: their transfer functions add up.
#[derive(Clone, Debug)]
pub struct Split {
    /// Poles in the open left half plane.
    pub stable: StateSpace,
    /// All others, those on the axis too. D stays with the stable part.
    pub rest: StateSpace,
}

impl StateSpace {
    /// Every pole with how well it is reached and seen.
    pub fn modes(&self) -> Result<Vec<Mode>, LinearError> {
        let size_b = beside(&self.a, &self.b).norm();
        let size_c = beside(&self.a.transpose(), &self.c.transpose()).norm();
        let poles = self.poles()?;
        Ok(poles
            .into_iter()
            .map(|pole| Mode {
                pole,
                controllability: least(&self.a, &self.b, pole) / size_b.max(f64::MIN_POSITIVE),
                observability: least(&self.a.transpose(), &self.c.transpose(), pole) / size_c.max(f64::MIN_POSITIVE),
            })
            .collect())
    }

    /// How many states the inputs reach (rank of [B, AB, …] by orthogonal steps, [`RANK`]).
    pub fn controllable_states(&self) -> usize {
        reached(&self.a, &self.b).ncols()
    }

    /// How many states the outputs show.
    pub fn observable_states(&self) -> usize {
        reached(&self.a.transpose(), &self.c.transpose()).ncols()
    }

    /// Kalman's decomposition: first the states that are reached, of those the ones that are seen.
    pub fn kalman(&self) -> Kalman {
        let basis = reached(&self.a, &self.b);
        let part = self.projected(&basis.transpose(), &basis);
        let seen = reached(&part.a.transpose(), &part.c.transpose());
        let minimal = part.projected(&seen.transpose(), &seen);
        let (n, reached, seen_of_all, both) = (self.order(), basis.ncols(), self.observable_states(), seen.ncols());
        // Ranks by rounding may disagree by one where a mode is hardly reached.
        let neither = (n + both).saturating_sub(reached + seen_of_all);
        let dimensions = [both, reached - both, seen_of_all.saturating_sub(both), neither];
        Kalman { minimal, dimensions }
    }

    /// The stable part and the rest: two invariant subspaces, so that the two models simply add.
    pub fn split(&self) -> Result<Split, LinearError> {
        self.continuous()?;
        let limit = -1e-9 * self.a.norm();
        let stable = invariant_subspace(&self.a, |s| s.re < limit)?;
        let rest = invariant_subspace(&self.a, |s| s.re >= limit)?;
        let all = beside(&stable, &rest);
        let Some(inverse) = all.clone().try_inverse() else {
            return Err(LinearError::NoConvergence { size: self.order(), iterations: 0 });
        };
        let count = stable.ncols();
        let rows = |from: usize, count: usize| inverse.rows(from, count).into_owned();
        let mut second = self.projected(&rows(count, rest.ncols()), &rest);
        second.d.fill(0.0);
        Ok(Split { stable: self.projected(&rows(0, count), &stable), rest: second })
    }
}

fn beside(a: &Matrix, b: &Matrix) -> Matrix {
    let mut both = Matrix::zeros(a.nrows(), a.ncols() + b.ncols());
    both.columns_mut(0, a.ncols()).copy_from(a);
    both.columns_mut(a.ncols(), b.ncols()).copy_from(b);
    both
}

fn least(a: &Matrix, b: &Matrix, pole: Complex<f64>) -> f64 {
    let n = a.nrows();
    let shifted = ComplexMatrix::from_fn(n, n + b.ncols(), |i, j| match j {
        j if j < n => Complex::new(a[(i, j)], 0.0) - if i == j { pole } else { Complex::new(0.0, 0.0) },
        j => Complex::new(b[(i, j - n)], 0.0),
    });
    Singular::of(&shifted.adjoint()).least()
}

/// An orthonormal basis of the span of B, AB, A²B …: each new direction is what A makes of the last ones and is not
/// there yet.
pub(super) fn reached(a: &Matrix, b: &Matrix) -> Matrix {
    let n = a.nrows();
    let mut basis = Matrix::zeros(n, 0);
    let size = a.norm();
    let mut next = b.clone();
    let mut tolerance = RANK * b.norm();
    while basis.ncols() < n {
        // Twice is enough (Kahan).
        for _ in 0..2 {
            next = &next - &basis * (basis.transpose() * &next);
        }
        let (directions, rank) = left_basis(&next, tolerance);
        if rank == 0 {
            break;
        }
        let found = directions.columns(0, rank).into_owned();
        basis = beside(&basis, &found);
        next = a * found;
        tolerance = RANK * size;
    }
    basis.columns(0, basis.ncols().min(n)).into_owned()
}
