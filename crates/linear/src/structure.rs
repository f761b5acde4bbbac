//! Controllability and observability: mode by mode, and as Kalman's decomposition.

use crate::poles::eigenvalues;
use crate::schur::invariant_subspace;
use crate::singular::{Singular, left_basis};
use crate::{Complex, LinearError, Matrix, RANK, StateSpace, beside};

/// One pole, and how well it is controllable and observable (the test of Popov, Belevitch and Hautus).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SystemMode {
    /// The pole.
    pub pole: Complex<f64>,
    /// Whether it is controllable. Of several poles in one place, some may be controllable and others not.
    pub reached: bool,
    /// Whether it is observable.
    pub seen: bool,
    /// The least singular value of [A − s1, B], scaled to size one: the distance from a model with an uncontrollable mode at
    /// this s.
    pub controllability: f64,
    /// The least singular value of [A − s1; C], scaled to size one: the distance from a model with an unobservable mode at
    /// this s.
    pub observability: f64,
}

/// Kalman's decomposition.
#[derive(Clone, Debug)]
pub struct Kalman {
    /// The part that is controllable and observable: the minimal model, with the same transfer function.
    pub minimal: StateSpace,
    /// The numbers of states that are controllable and observable; controllable only; observable only; neither.
    pub dimensions: [usize; 4],
    /// The states of the minimal model are this times δx.
    pub projection: Matrix,
}

/// The stable part of a model and the rest, in parallel: the sum of their transfer functions is that of the model.
#[derive(Clone, Debug)]
pub struct Split {
    /// The part with the poles in the open left half plane, and D.
    pub stable: StateSpace,
    /// The part with all other poles, also those on the imaginary axis; its D is zero.
    pub rest: StateSpace,
    /// The states of the stable part are this times δx.
    pub projection: Matrix,
}

impl StateSpace {
    /// Every pole, with its controllability and observability.
    pub fn modes(&self) -> Result<Vec<SystemMode>, LinearError> {
        let scaled = self.scaled()?;
        let (at, ct) = (scaled.a.transpose(), scaled.c.transpose());
        let (inputs, outputs) = (reached(&scaled.a, &scaled.b), reached(&at, &ct));
        let poles = self.poles()?;
        let place = |s: Complex<f64>| match self.step {
            None => s / scaled.unit,
            Some(step) => (s - 1.0) / (step * scaled.unit),
        };
        let places: Vec<Complex<f64>> = poles.iter().map(|&s| place(s)).collect();
        let moved = among(&places, &eigenvalues(&(inputs.transpose() * &scaled.a * &inputs))?);
        let shown = among(&places, &eigenvalues(&(outputs.transpose() * &scaled.a * &outputs))?);
        let mode = |k: usize| SystemMode {
            pole: poles[k],
            reached: moved[k],
            seen: shown[k],
            controllability: least(&scaled.a, &scaled.b, places[k]),
            observability: least(&at, &ct, places[k]),
        };
        Ok((0..poles.len()).map(mode).collect())
    }

    /// The number of controllable states: the rank of [B, AB, …], found by orthogonal steps and [`RANK`] after scaling.
    pub fn controllable_states(&self) -> Result<usize, LinearError> {
        let scaled = self.scaled()?;
        Ok(reached(&scaled.a, &scaled.b).ncols())
    }

    /// The number of observable states.
    pub fn observable_states(&self) -> Result<usize, LinearError> {
        let scaled = self.scaled()?;
        Ok(reached(&scaled.a.transpose(), &scaled.c.transpose()).ncols())
    }

    /// Kalman's decomposition: first the controllable states, and of those the observable ones.
    pub fn kalman(&self) -> Result<Kalman, LinearError> {
        let scaled = self.scaled()?;
        let basis = reached(&scaled.a, &scaled.b);
        let (a, c) = (basis.transpose() * &scaled.a * &basis, &scaled.c * &basis);
        let seen = reached(&a.transpose(), &c.transpose());
        let both_basis = &basis * &seen;
        let n = self.order();
        let right = Matrix::from_fn(n, seen.ncols(), |i, j| scaled.state[i] * both_basis[(i, j)]);
        let projection = Matrix::from_fn(seen.ncols(), n, |i, j| both_basis[(j, i)] / scaled.state[j]);
        let minimal = self.projected(&projection, &right);
        let (reached, seen_of_all, both) = (basis.ncols(), self.observable_states()?, seen.ncols());
        // Ranks by rounding may disagree by one where a mode is hardly reached.
        let neither = (n + both).saturating_sub(reached + seen_of_all);
        let dimensions = [both, reached - both, seen_of_all.saturating_sub(both), neither];
        Ok(Kalman { minimal, dimensions, projection })
    }

    /// The stable part and the rest: two invariant subspaces, so that the two models are in parallel.
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
        let projection = rows(0, count);
        Ok(Split { stable: self.projected(&projection, &stable), rest: second, projection })
    }
}

/// Which of `all` are among `some`: each of `some` stands for the nearest one that is not yet taken.
fn among(all: &[Complex<f64>], some: &[Complex<f64>]) -> Vec<bool> {
    let mut found = vec![false; all.len()];
    for one in some {
        let left = (0..all.len()).filter(|&k| !found[k]);
        let nearest = left.min_by(|&i, &j| (all[i] - one).norm().total_cmp(&(all[j] - one).norm()));
        if let Some(k) = nearest {
            found[k] = true;
        }
    }
    found
}

fn least(a: &Matrix, b: &Matrix, pole: Complex<f64>) -> f64 {
    let mut both = beside(a, b).map(|x| Complex::new(x, 0.0));
    (0..a.nrows()).for_each(|i| both[(i, i)] -= pole);
    Singular::of(&both.adjoint()).least()
}

/// An orthonormal basis of the controllable subspace, the span of B, AB, A²B …: the new directions are A times the last
/// ones, less what is in the basis already.
pub(crate) fn reached(a: &Matrix, b: &Matrix) -> Matrix {
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
