//! State feedback along a motion: the linear-quadratic regulator of a time-varying system.
//!
//! The least cost from a deviation δx at time t on is δxᵀ P(t) δx. P is integrated backwards from the end of the motion:
//!
//! ```text
//! −Ṗ = Aᵀ P + P A − P B R⁻¹ Bᵀ P + Q,             K = R⁻¹ Bᵀ P                                   continuous     (1)
//! P_k = Q + Aᵀ P_{k+1} (A − B K),                 K = (R + Bᵀ P_{k+1} B)⁻¹ Bᵀ P_{k+1} A          samples        (2)
//! ```
//!
//! (H. Kwakernaak & R. Sivan, *Linear Optimal Control Systems*, 1972, theorems 3.4 and 6.28). (1) is solved as P = Y X⁻¹ with
//! the linear flow [Ẋ; Ẏ] = [A, −B R⁻¹ Bᵀ; −Q, −Aᵀ] [X; Y], whose exponential over a step keeps P symmetric and is exact
//! where the system stays the same. Between two states of the motion the flow's matrix goes in a straight line, M + s D about
//! the middle of a step; the exponent of a step h is then, to fourth order (W. Magnus, Comm. Pure Appl. Math. 7, 1954),
//!
//! ```text
//! h M − h³/12 (M D − D M)                                                                                       (3)
//! ```

use crate::control::{check_semidefinite, check_weights, lqr};
use crate::riccati::discrete_gain;
use crate::scaled::{cost_ratio, hamiltonian, in_units, units};
use crate::{LinearError, LinearMotion, Matrix, Signal};

/// State feedback δu = −K(t) δx along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionRegulator {
    /// K at each time of the motion. For sampled models the last gain repeats the one before: no sample follows it.
    pub gains: Vec<Matrix>,
    /// P at each time: the cost from there to the end is δxᵀ P δx.
    pub costs: Vec<Matrix>,
}

/// The gains of least cost along a motion. The cost is the integral of δxᵀ Q δx + δuᵀ R δu (for sampled models, the sum)
/// plus δxᵀ `end` δx at the last state. Without an `end`, that last term is the cost of holding the last state for ever with
/// the regulator of the last model, which is right where the motion ends at rest.
///
/// Sampled models must follow each other at their sample time: the input is held from one state to the next.
pub fn lqr_along(
    motion: &LinearMotion,
    q: &Matrix,
    r: &Matrix,
    end: Option<&Matrix>,
) -> Result<MotionRegulator, LinearError> {
    let (times, points) = (motion.times(), motion.points());
    let last = &points[points.len() - 1].system;
    let (n, m) = last.b.shape();
    let inverse = check_weights(q, r, n, m)?;
    let end = match end {
        Some(end) => {
            check_semidefinite("P", end, n)?;
            end.clone()
        }
        None => lqr(last, q, r)?.cost,
    };
    if let Some(step) = last.step {
        // Times of a file have about six digits after the point.
        let off = |pair: &[f64]| (pair[1] - pair[0] - step).abs() > 1e-6 * step + 1e-9;
        if let Some(k) = times.windows(2).position(off) {
            return Err(LinearError::Steps { row: k + 2, found: times[k + 1] - times[k], expected: step });
        }
        return samples(motion, [q, r], end);
    }
    // In states that weigh alike, x = T z, the same along the motion; P = ρ P′ as for one point.
    let t = units(&last.a);
    let spread = |k: usize| {
        let b = &points[k].system.b;
        let spread = b * &inverse * b.transpose();
        Matrix::from_fn(n, n, |i, j| spread[(i, j)] / (t[i] * t[j]))
    };
    let weight = Matrix::from_fn(n, n, |i, j| q[(i, j)] * t[i] * t[j]);
    let ratio = cost_ratio(&weight, &spread(points.len() - 1));
    let flow = |k: usize| hamiltonian(&in_units(&points[k].system.a, &t), &(spread(k) * ratio), &(&weight / ratio));
    let mut p = Matrix::from_fn(n, n, |i, j| end[(i, j)] * t[i] * t[j] / ratio);
    let mut costs = vec![end];
    let mut after = flow(points.len() - 1);
    for k in (0..points.len() - 1).rev() {
        let (before, step) = (flow(k), times[k + 1] - times[k]);
        p = backwards(p, [&before, &after], step)
            .ok_or(LinearError::NoGain { time: times[k] })
            .and_then(|found| found.map_err(|value| LinearError::Fast { time: times[k], value }))?;
        costs.push(Matrix::from_fn(n, n, |i, j| p[(i, j)] * ratio / (t[i] * t[j])));
        after = before;
    }
    costs.reverse();
    let gain = |(k, p): (usize, &Matrix)| &inverse * points[k].system.b.transpose() * p;
    Ok(MotionRegulator { gains: costs.iter().enumerate().map(gain).collect(), costs })
}

/// P at the beginning of an interval from P at its end, where the flow goes from `before` to `after`. Where the product of
/// the fastest pole and the length of the interval is too large, that product; nothing where the cost is infinite.
fn backwards(mut p: Matrix, [before, after]: [&Matrix; 2], step: f64) -> Option<Result<Matrix, f64>> {
    let n = p.nrows();
    let size = |flow: &Matrix| flow.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max) * step;
    let fastest = size(before).max(size(after));
    if fastest.is_nan() || fastest > 1e4 {
        return Some(Err(fastest));
    }
    // Parts over which X stays well away from singular.
    let parts = fastest.ceil().max(1.0);
    let (h, slope) = (-step / parts, (after - before) / step);
    let mut flow = Matrix::identity(2 * n, n);
    for k in (0..parts as usize).rev() {
        let place = (k as f64 + 0.5) / parts;
        let middle = before * (1.0 - place) + after * place;
        flow.view_mut((n, 0), (n, n)).copy_from(&p);
        let twist = &middle * &slope - &slope * &middle;
        let moved = (middle * h - twist * (h * h * h / 12.0)).exp() * &flow; // (3)
        let top = moved.rows(0, n).into_owned().try_inverse()?;
        p = moved.rows(n, n) * top;
        p = (&p + p.transpose()) * 0.5;
    }
    p.iter().all(|x| x.is_finite()).then_some(Ok(p))
}

/// (2).
fn samples(motion: &LinearMotion, [q, r]: [&Matrix; 2], end: Matrix) -> Result<MotionRegulator, LinearError> {
    let points = motion.points();
    let (mut gains, mut costs) = (Vec::new(), vec![end.clone()]);
    let mut p = end;
    for k in (0..points.len().saturating_sub(1)).rev() {
        let (a, b) = (&points[k].system.a, &points[k].system.b);
        let time = motion.times()[k];
        let gain = discrete_gain([a, b, &p, r]).ok_or(LinearError::NoGain { time })?;
        let closed = a - b * &gain;
        // Joseph's form: a sum of squares, positive also with rounding.
        p = q + gain.transpose() * r * &gain + closed.transpose() * &p * &closed;
        if !p.iter().all(|x| x.is_finite()) {
            return Err(LinearError::NoGain { time });
        }
        p = (&p + p.transpose()) * 0.5;
        gains.push(gain);
        costs.push(p.clone());
    }
    gains.reverse();
    costs.reverse();
    match gains.last().cloned() {
        Some(gain) => gains.push(gain),
        None => gains.push(lqr(&points[0].system, q, r)?.gain),
    }
    Ok(MotionRegulator { gains, costs })
}

impl MotionRegulator {
    /// What a controller needs for u = u₀(t) − K(t) (x − x₀(t)), as CSV: the time `t`, the states x₀ and inputs u₀ of the
    /// motion, and the gains `k_INPUT_STATE`.
    pub fn to_csv(&self, motion: &LinearMotion) -> String {
        let system = &motion.points()[0].system;
        let name = |signal: &Signal| signal.name.clone();
        let mut names = vec![String::from("t")];
        names.extend(system.states.iter().chain(&system.inputs).map(name));
        for input in &system.inputs {
            names.extend(system.states.iter().map(|state| format!("k_{}_{}", input.name, state.name)));
        }
        let mut text = names.join(",") + "\n";
        for ((time, point), gain) in motion.times().iter().zip(motion.points()).zip(&self.gains) {
            let gain = gain.transpose();
            let values = [*time].into_iter().chain(point.state.iter().chain(&point.input).copied());
            // All digits; + 0.0: no minus before a zero.
            let number = |value: f64| format!("{:.16e}", value + 0.0);
            text += &values.chain(gain.iter().copied()).map(number).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }
}
