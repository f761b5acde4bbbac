//! State feedback δu = −K δx about an operating point: linear-quadratic regulator and pole placement.

use crate::poles::eigenvalues;
use crate::riccati::{self, NoSolution};
use crate::scaled::{in_units, units_of_cost};
use crate::singular::Singular;
use crate::{Complex, ComplexMatrix, LinearError, Matrix, RANK, StateSpace, check_shape};

/// A state feedback.
#[derive(Clone, Debug, PartialEq)]
pub struct Regulator {
    /// K of δu = −K δx.
    pub gain: Matrix,
    /// Poles of A − B K.
    pub poles: Vec<Complex<f64>>,
    /// P: the cost from a deviation δx on is δxᵀ P δx. Empty where the gain comes from pole placement.
    pub cost: Matrix,
}

fn least_eigenvalue(w: &Matrix) -> f64 {
    0.5 * (w + w.transpose()).symmetric_eigenvalues().iter().copied().fold(f64::INFINITY, f64::min)
}

pub(crate) fn check_semidefinite(what: &'static str, weight: &Matrix, size: usize) -> Result<(), LinearError> {
    check_shape(what, weight, (size, size))?;
    let least = least_eigenvalue(weight);
    if least < -1e-12 * weight.norm() || (weight - weight.transpose()).amax() > 1e-12 * weight.amax() {
        return Err(LinearError::Weight { must: "symmetric and positive semidefinite", least });
    }
    Ok(())
}

/// Checks the weights for n states and m inputs, and gives R⁻¹.
pub(crate) fn check_weights(q: &Matrix, r: &Matrix, n: usize, m: usize) -> Result<Matrix, LinearError> {
    check_semidefinite("Q", q, n)?;
    check_shape("R", r, (m, m))?;
    let least = least_eigenvalue(r);
    if least <= 0.0 || (r - r.transpose()).amax() > 1e-12 * r.amax() {
        return Err(LinearError::Weight { must: "symmetric and positive definite", least });
    }
    r.clone().try_inverse().ok_or(LinearError::Weight { must: "regular", least })
}

/// The linear-quadratic regulator: the gain that minimises the integral of δxᵀ Q δx + δuᵀ R δu for a continuous model, and
/// the sum of the same over all samples for a discrete one.
pub fn lqr(system: &StateSpace, q: &Matrix, r: &Matrix) -> Result<Regulator, LinearError> {
    let (n, m) = system.b.shape();
    let inverse = check_weights(q, r, n, m)?;
    // In states of equal scale, x = T z.
    let rates = system.rates();
    let step = system.step.unwrap_or(1.0);
    // The cost of a sample is that of its time.
    let t = units_of_cost(&rates, &(&system.b * &inverse * system.b.transpose() / step), &(q / step));
    let problem = riccati::RiccatiProblem {
        a: in_units(&rates, &t) * step,
        b: Matrix::from_fn(n, m, |i, j| system.b[(i, j)] / t[i]),
        q: Matrix::from_fn(n, n, |i, j| q[(i, j)] * t[i] * t[j]),
        r: r.clone(),
        inverse,
        discrete: system.step.is_some(),
    };
    let riccati::RiccatiSolution { p, gain, closed } = match problem.solve()? {
        Ok(solution) => solution,
        Err(why) => {
            return Err(match (left_alone(system, q)?, why) {
                (LinearError::NoRegulator, NoSolution::NotSolved(residual)) => LinearError::NotOptimal { residual },
                (found, _) => found,
            });
        }
    };
    let shift = if problem.discrete { 1.0 } else { 0.0 };
    Ok(Regulator {
        gain: Matrix::from_fn(m, n, |i, j| gain[(i, j)] / t[j]),
        poles: eigenvalues(&closed)?.iter().map(|s| s + shift).collect(),
        cost: Matrix::from_fn(n, n, |i, j| p[(i, j)] / (t[i] * t[j])),
    })
}

/// Why there is no best regulator: a mode that is not stable, and not controllable or without weight.
fn left_alone(system: &StateSpace, q: &Matrix) -> Result<LinearError, LinearError> {
    let signals = (1..=q.nrows()).map(|i| crate::Signal::new(format!("weight{i}"), "")).collect();
    let d = Matrix::zeros(q.nrows(), system.inputs.len());
    let weighed = StateSpace { c: q.clone(), d, outputs: signals, ..system.clone() };
    let stable = |s: Complex<f64>| if system.step.is_some() { s.norm() < 1.0 - 1e-12 } else { s.re < 0.0 };
    let modes = weighed.modes()?;
    let loose = || modes.iter().filter(|mode| !stable(mode.pole));
    if let Some(mode) = loose().find(|mode| !mode.reached) {
        return Ok(LinearError::NotControllable { pole: mode.pole });
    }
    Ok(match loose().find(|mode| !mode.seen) {
        Some(mode) => LinearError::NotWeighted { pole: mode.pole },
        None => LinearError::NoRegulator,
    })
}

/// Pole placement: the gain that puts the poles where they are wanted, with eigenvectors as far from parallel as the inputs
/// allow (J. Kautsky, N. K. Nichols & P. Van Dooren, Int. J. Control 41, 1985, method 0), so that an error of the model
/// moves the poles little. A pole may be wanted as many times as there are inputs.
///
/// The poles of a discrete model are in the z plane: a pole at exp(−5 step) decays as one at −5 1/s does.
pub fn place(system: &StateSpace, wanted: &[Complex<f64>]) -> Result<Regulator, LinearError> {
    if let Some(wrong) = wanted.iter().find(|s| !(s.re.is_finite() && s.im.is_finite())) {
        return Err(LinearError::WantedPoles { problem: format!("{wrong} is not finite") });
    }
    if let Some(mode) = system.modes()?.iter().find(|mode| !mode.reached) {
        return Err(LinearError::NotControllable { pole: mode.pole });
    }
    // In units of equal scale, and for a discrete model with (z − 1)/step: the gain is the same.
    let scaled = system.scaled()?;
    let unit = scaled.unit * system.step.unwrap_or(1.0);
    let shift = if system.step.is_some() { 1.0 } else { 0.0 };
    let moved: Vec<Complex<f64>> = wanted.iter().map(|s| (s - shift) / unit).collect();
    let range = crate::structure::reached(&Matrix::zeros(system.order(), system.order()), &scaled.b);
    check_wanted(wanted, &moved, system.order(), range.ncols())?;
    let (gain, poles) = place_scaled(&scaled.a, &scaled.b, &range, &moved)?;
    let gain = Matrix::from_fn(gain.nrows(), gain.ncols(), |i, j| scaled.input[i] * gain[(i, j)] / scaled.state[j]);
    let poles = poles.iter().map(|s| s * unit + shift).collect();
    Ok(Regulator { gain, poles, cost: Matrix::zeros(0, 0) })
}

/// There must be as many poles as states, complex ones in pairs, none more often than there are inputs. Poles are compared
/// as `moved`, in the units of the solver; messages name them as they were `wanted`.
fn check_wanted(
    wanted: &[Complex<f64>],
    moved: &[Complex<f64>],
    states: usize,
    inputs: usize,
) -> Result<(), LinearError> {
    let wrong = |problem: String| Err(LinearError::WantedPoles { problem });
    if wanted.len() != states {
        return wrong(format!("{} are given, the model has {states} states", wanted.len()));
    }
    let size = moved.iter().map(|s| s.norm()).fold(1.0, f64::max);
    let mut lower: Vec<usize> = (0..states).filter(|&k| wanted[k].im < 0.0).collect();
    for k in (0..states).filter(|&k| wanted[k].im > 0.0) {
        let Some(at) = lower.iter().position(|&j| (moved[j].conj() - moved[k]).norm() <= 1e-12 * size) else {
            return wrong(format!("{} has no conjugate partner", crate::error::show_one(wanted[k])));
        };
        lower.swap_remove(at);
    }
    if let Some(&k) = lower.first() {
        return wrong(format!("{} has no conjugate partner", crate::error::show_one(wanted[k])));
    }
    for (pole, place) in wanted.iter().zip(moved) {
        let count = moved.iter().filter(|other| (*other - place).norm() <= 1e-9 * size).count();
        if count > inputs {
            return wrong(format!(
                "{} is wanted {count} times; {inputs} inputs allow {inputs}",
                crate::error::show(*pole)
            ));
        }
    }
    Ok(())
}

/// The gain and the poles that it gives; `range` is an orthonormal basis of the range of B.
fn place_scaled(
    a: &Matrix,
    b: &Matrix,
    range: &Matrix,
    wanted: &[Complex<f64>],
) -> Result<(Matrix, Vec<Complex<f64>>), LinearError> {
    let (n, inputs) = range.shape();
    let size = wanted.iter().map(|s| s.norm()).fold(a.norm(), f64::max).max(f64::MIN_POSITIVE);
    // Real ones first, then pairs (upper half plane; the partner is implied).
    let mut ones: Vec<Complex<f64>> = wanted.iter().copied().filter(|s| s.im == 0.0).collect();
    ones.extend(wanted.iter().filter(|s| s.im > 0.0));
    let spaces: Vec<ComplexMatrix> = ones.iter().map(|&pole| allowed(a, range, pole)).collect();
    let columns = pairs(&ones);
    let mut best: Option<(f64, ComplexMatrix)> = None;
    let mut x = start(&spaces, &columns, n);
    for _ in 0..20 {
        let svd = Singular::of(&x);
        let spread = svd.values[0] / svd.least();
        if best.as_ref().is_none_or(|(least, _)| spread < *least) {
            best = Some((spread, x.clone()));
        }
        sweep(&mut x, &spaces, &columns);
    }
    let Some((_, x)) = best else { return Ok((Matrix::zeros(b.ncols(), n), Vec::new())) };
    let mut diagonal = ComplexMatrix::zeros(n, n);
    for (pole, &(k, pair)) in ones.iter().zip(&columns) {
        diagonal[(k, k)] = *pole;
        if pair {
            diagonal[(k + 1, k + 1)] = pole.conj();
        }
    }
    let singular = LinearError::Placement { off: f64::INFINITY, inputs };
    let Some(inverse) = x.clone().try_inverse() else { return Err(singular) };
    let closed = (x * diagonal * inverse).map(|z| z.re);
    // A − closed lies in the range of B: the shortest gain that makes it so.
    let svd = Singular::of_real(b);
    let rank = svd.rank(RANK * b.norm());
    let mut weighted = svd.v.columns(0, rank).map(|z| z.re);
    for (mut column, value) in weighted.column_iter_mut().zip(&svd.values) {
        column /= *value;
    }
    let gain = weighted * svd.u.columns(0, rank).map(|z| z.re).transpose() * (a - closed);
    let poles = eigenvalues(&(a - b * &gain))?;
    // Placed as required? A pole of multiplicity k moves with the k-th root of rounding.
    let mut left = poles.clone();
    let mut off = 0.0_f64;
    for pole in wanted {
        let distance = |s: &Complex<f64>| (s - pole).norm();
        if let Some(k) = (0..left.len()).min_by(|&i, &j| distance(&left[i]).total_cmp(&distance(&left[j]))) {
            off = off.max(distance(&left.swap_remove(k)) / size);
        }
    }
    if off.is_nan() || off > 1e-6 {
        return Err(LinearError::Placement { off, inputs });
    }
    Ok((gain, poles))
}

/// The column of each pole's eigenvector, and whether the next column is that of its conjugate partner.
fn pairs(ones: &[Complex<f64>]) -> Vec<(usize, bool)> {
    let mut next = 0;
    ones.iter()
        .map(|pole| {
            let (column, pair) = (next, pole.im != 0.0);
            next += if pair { 2 } else { 1 };
            (column, pair)
        })
        .collect()
}

/// The eigenvectors that this pole can have under some gain: those that A − s1 maps into the range of B.
fn allowed(a: &Matrix, range: &Matrix, pole: Complex<f64>) -> ComplexMatrix {
    let n = a.nrows();
    let mut shifted = a.map(|x| Complex::new(x, 0.0));
    (0..n).for_each(|i| shifted[(i, i)] -= pole);
    let across = (Matrix::identity(n, n) - range * range.transpose()).map(|x| Complex::new(x, 0.0));
    let inputs = range.ncols().min(n);
    Singular::of(&(across * shifted)).v.columns(n - inputs, inputs).into_owned()
}

fn put(x: &mut ComplexMatrix, (k, pair): (usize, bool), vector: &ComplexMatrix) {
    for i in 0..x.nrows() {
        x[(i, k)] = vector[(i, 0)];
        if pair {
            x[(i, k + 1)] = vector[(i, 0)].conj();
        }
    }
}

/// First eigenvectors: a mix of all allowed directions, never the same twice.
fn start(spaces: &[ComplexMatrix], columns: &[(usize, bool)], n: usize) -> ComplexMatrix {
    let mut x = ComplexMatrix::zeros(n, n);
    for (index, (space, &column)) in spaces.iter().zip(columns).enumerate() {
        let weights = ComplexMatrix::from_fn(space.ncols(), 1, |i, _| {
            let number = (1 + index + 3 * i) as f64;
            Complex::new((0.7 * number).cos(), if column.1 { (1.3 * number).sin() } else { 0.0 })
        });
        let vector = space * weights;
        let norm = Complex::new(vector.norm(), 0.0);
        put(&mut x, column, &(vector / norm));
    }
    x
}

/// Replaces each eigenvector once, by the allowed one that is closest to orthogonal to all others.
fn sweep(x: &mut ComplexMatrix, spaces: &[ComplexMatrix], columns: &[(usize, bool)]) {
    let n = x.nrows();
    for (space, &column) in spaces.iter().zip(columns) {
        let mut others = x.clone();
        (0..n).for_each(|i| others[(i, column.0)] = Complex::new(0.0, 0.0));
        let left = Singular::of(&others.adjoint()).v;
        let across = ComplexMatrix::from_fn(n, 1, |i, _| left[(i, n - 1)]);
        let mut vector = space * (space.adjoint() * across);
        if !column.1 {
            // The eigenvector of a real pole is real, up to a factor of size one.
            let largest = vector.iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm()));
            if let Some(largest) = largest.filter(|z| z.norm() > 0.0) {
                let turn = largest.conj() / largest.norm();
                vector = vector.map(|z| Complex::new((z * turn).re, 0.0));
            }
        }
        let norm = vector.norm();
        if norm > 1e-8 {
            put(x, column, &(vector / Complex::new(norm, 0.0)));
        }
    }
}
