//! State feedback u = −K δx about a point.

use super::poles::eigenvalues;
use super::riccati;
use super::singular::Singular;
use super::{Complex, ComplexMatrix, LinearError, Matrix, RANK, StateSpace, check_shape};

/// A state feedback.
#[derive(Clone, Debug, PartialEq)]
pub struct Regulator {
    /// K of δu = −K δx.
    pub gain: Matrix,
    /// Poles of A − B K.
    pub poles: Vec<Complex<f64>>,
    /// P of the cost δxᵀ P δx from δx on; of a placed regulator, empty.
    pub cost: Matrix,
}

/// The gain that makes the cost least: ∫ δxᵀ Q δx + δuᵀ R δu of a continuous model, the sum of the same over the samples
/// of a discrete one.
pub fn lqr(system: &StateSpace, q: &Matrix, r: &Matrix) -> Result<Regulator, LinearError> {
    let (n, m) = system.b.shape();
    check_shape("Q", q, (n, n))?;
    check_shape("R", r, (m, m))?;
    let least = |w: &Matrix| (w + w.transpose()).symmetric_eigenvalues().iter().copied().fold(f64::INFINITY, f64::min);
    let (least_q, least_r) = (0.5 * least(q), 0.5 * least(r));
    if least_q < -1e-12 * q.norm() || (q - q.transpose()).amax() > 1e-12 * q.amax() {
        return Err(LinearError::Weight { must: "symmetric and positive semidefinite", least: least_q });
    }
    if least_r <= 0.0 || (r - r.transpose()).amax() > 1e-12 * r.amax() {
        return Err(LinearError::Weight { must: "symmetric and positive definite", least: least_r });
    }
    let Some(inverse) = r.clone().try_inverse() else {
        return Err(LinearError::Weight { must: "regular", least: least_r });
    };
    let (a, b) = (&system.a, &system.b);
    let solution = match system.step {
        None => riccati::continuous([a, b, q, r], &inverse)?,
        Some(_) => riccati::discrete([a, b, q, r], &inverse)?,
    };
    let Ok(cost) = solution else { return Err(left_alone(system, q)?) };
    let gain = match system.step {
        None => inverse * b.transpose() * &cost,
        Some(_) => match riccati::discrete_gain([a, b, &cost, r]) {
            Some(gain) => gain,
            None => return Err(left_alone(system, q)?),
        },
    };
    let poles = eigenvalues(&(a - b * &gain))?;
    Ok(Regulator { gain, poles, cost })
}

/// The mode for which there is no best regulator: not stable, and not reached or not weighted.
fn left_alone(system: &StateSpace, q: &Matrix) -> Result<LinearError, LinearError> {
    let weighed = StateSpace { c: q.clone(), ..system.clone() };
    let modes = weighed.modes()?;
    let stable = |s: Complex<f64>| if system.step.is_some() { s.norm() < 1.0 - RANK } else { s.re < 0.0 };
    let loose = || modes.iter().filter(|mode| !stable(mode.pole));
    let reached = loose().min_by(|x, y| x.controllability.total_cmp(&y.controllability));
    let seen = loose().min_by(|x, y| x.observability.total_cmp(&y.observability));
    Ok(match (reached, seen) {
        (Some(reached), Some(seen)) if seen.observability < reached.controllability => {
            LinearError::NotWeighted { pole: seen.pole }
        }
        (reached, _) => LinearError::NotControllable { pole: reached.map_or(Complex::new(0.0, 0.0), |m| m.pole) },
    })
}

/// The gain that puts the poles where they are wanted, with eigenvectors as far from parallel as the inputs allow
/// (J. Kautsky, N. K. Nichols & P. Van Dooren, Int. J. Control 41, 1985, method 0), so that an error of the model moves
/// them little. A pole may be asked for as often as there are inputs.
///
/// The poles of a discrete model are those of its samples, z: one of exp(−5 step) dies out as −5 1/s does.
pub fn place(system: &StateSpace, wanted: &[Complex<f64>]) -> Result<Regulator, LinearError> {
    let Some(step) = system.step else { return place_continuous(system, wanted) };
    // With (A − 1)/step, B/step and (z − 1)/step the gain is the same; close to 1, where z are, no digit is lost.
    let one = Matrix::identity(system.order(), system.order());
    let slow = StateSpace { a: (&system.a - &one) / step, b: &system.b / step, step: None, ..system.clone() };
    let moved: Vec<Complex<f64>> = wanted.iter().map(|z| (z - 1.0) / step).collect();
    let placed = place_continuous(&slow, &moved)?;
    let poles = placed.poles.iter().map(|s| s * step + 1.0).collect();
    Ok(Regulator { poles, ..placed })
}

fn place_continuous(system: &StateSpace, wanted: &[Complex<f64>]) -> Result<Regulator, LinearError> {
    let n = system.order();
    let wrong = |problem: String| Err(LinearError::WantedPoles { problem });
    if wanted.len() != n {
        return wrong(format!("{} are given, the model has {n} states", wanted.len()));
    }
    if wanted.iter().any(|s| !(s.re.is_finite() && s.im.is_finite())) {
        return wrong(String::from("not all are finite"));
    }
    let size = wanted.iter().map(|s| s.norm()).fold(system.a.norm(), f64::max).max(f64::MIN_POSITIVE);
    // Real ones first, then pairs (upper half plane; the partner is implied).
    let mut ones: Vec<Complex<f64>> = wanted.iter().copied().filter(|s| s.im == 0.0).collect();
    let upper: Vec<Complex<f64>> = wanted.iter().copied().filter(|s| s.im > 0.0).collect();
    let mut lower: Vec<Complex<f64>> = wanted.iter().copied().filter(|s| s.im < 0.0).collect();
    for pole in &upper {
        let Some(k) = lower.iter().position(|s| (s.conj() - pole).norm() <= 1e-12 * size) else {
            return wrong(format!("{} has no conjugate partner", super::show(*pole)));
        };
        lower.swap_remove(k);
    }
    if let Some(pole) = lower.first() {
        return wrong(format!("{} has no conjugate partner", super::show(*pole)));
    }
    let modes = system.modes()?;
    if let Some(mode) = modes.iter().find(|mode| mode.controllability < RANK) {
        return Err(LinearError::NotControllable { pole: mode.pole });
    }
    let range = super::structure::reached(&Matrix::zeros(n, n), &system.b);
    let inputs = range.ncols();
    for pole in wanted {
        let count = wanted.iter().filter(|other| (*other - pole).norm() <= 1e-9 * size).count();
        if count > inputs {
            return wrong(format!("{} is wanted {count} times; {inputs} inputs allow {inputs}", super::show(*pole)));
        }
    }
    ones.extend(upper);
    let spaces: Vec<ComplexMatrix> = ones.iter().map(|&pole| allowed(&system.a, &range, pole)).collect();
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
    let Some((_, x)) = best else { return wrong(String::from("there are none")) };
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
    let svd = Singular::of_real(&system.b);
    let rank = svd.rank(RANK * system.b.norm());
    let mut weighted = svd.v.columns(0, rank).map(|z| z.re);
    for (mut column, value) in weighted.column_iter_mut().zip(&svd.values) {
        column /= *value;
    }
    let gain = weighted * svd.u.columns(0, rank).map(|z| z.re).transpose() * (&system.a - closed);
    let poles = eigenvalues(&(&system.a - &system.b * &gain))?;
    // Found where wanted? A pole asked for k times moves with the k-th root of rounding.
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
    Ok(Regulator { gain, poles, cost: Matrix::zeros(0, 0) })
}

/// The column of each wanted pole, and whether the next one is its partner's.
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

/// Eigenvectors that some gain gives this pole: those that (A − s1) maps into the range of B.
fn allowed(a: &Matrix, range: &Matrix, pole: Complex<f64>) -> ComplexMatrix {
    let n = a.nrows();
    let shifted = ComplexMatrix::from_fn(n, n, |i, j| {
        Complex::new(a[(i, j)], 0.0) - if i == j { pole } else { Complex::new(0.0, 0.0) }
    });
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

/// Something of every allowed direction, never the same twice.
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

/// Each eigenvector once: the allowed one that is closest to orthogonal to all others.
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
