//! What a model costs on a motion: torque error, and the tracking error that it leaves in a controlled robot.
//!
//! The robot follows the motion by computed torque: the model's torques along the motion, and feedback that makes the joint
//! errors e obey ë + 2ω ė + ω² e = 0. A torque error Δτ of the model then leaves
//!
//! ```text
//! ë + 2ω ė + ω² e = A⁻¹ Δτ,   δX = K e                                                                        (1)
//! ```
//!
//! with the mass matrix A and K = ∂X/∂q along the motion, X the platform's or the tool's position; linear in Δτ, small
//! errors. Between two samples the right side u is held, and with x = e − u/ω², v = ė
//!
//! ```text
//! x(h) = [x + (v + ω x) h] e^(−ωh),   v(h) = [v − ω (v + ω x) h] e^(−ωh)                                       (2)
//! ```

use super::compare::Comparison;
use crate::linear::Matrix;
use serde::Serialize;

/// The cost of one model.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Cost {
    /// The model.
    pub name: &'static str,
    /// Root mean square of its torque error over all joints, N m (N).
    pub torque_rms: f64,
    /// Largest torque error, N m (N).
    pub torque_max: f64,
    /// Root mean square of the torque error over that of the torque without friction and damping.
    pub share: f64,
    /// Largest tracking error at the platform or tool, m; none of a single sample, which is no motion that could be followed.
    pub tracking_max: Option<f64>,
    /// Its root mean square, m.
    pub tracking_rms: Option<f64>,
    /// In a word.
    pub verdict: Verdict,
}

/// Whether a model may be used on a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// To rounding.
    Equal,
    /// Below 1 % of the torque.
    Fine,
    /// Below 5 %.
    Usable,
    /// Below 25 %.
    Poor,
    /// Beyond.
    Unusable,
}

impl Verdict {
    /// All of them, the best first.
    pub const ALL: [Self; 5] = [Self::Equal, Self::Fine, Self::Usable, Self::Poor, Self::Unusable];

    /// The share of the torque that it is below; in a word; in a sentence.
    fn described(self) -> (f64, &'static str, &'static str) {
        match self {
            Self::Equal => (1e-9, "equal", "equal to the exact model, take the fastest of these"),
            Self::Fine => (0.01, "fine", "fine, below 1 % of the torque"),
            Self::Usable => (0.05, "usable", "usable, below 5 % of the torque; feedback has to make up for it"),
            Self::Poor => (0.25, "poor", "poor, feedback carries a good part of the motion"),
            Self::Unusable => (f64::INFINITY, "unusable", "do not use on this robot and motion"),
        }
    }

    /// Of a share of the torque.
    fn of(share: f64) -> Self {
        Self::ALL.into_iter().find(|verdict| share < verdict.described().0).unwrap_or(Self::Unusable)
    }

    /// In a word.
    pub fn as_str(self) -> &'static str {
        self.described().1
    }

    /// In a sentence.
    pub fn text(self) -> &'static str {
        self.described().2
    }
}

/// Why there are no costs; times are in s.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum CostError {
    #[error("time does not grow at t = {t} s: a tracking error needs samples one after the other")]
    Time { t: f64 },
    #[error("the mass matrix is not positive definite at t = {t} s")]
    Mass { t: f64 },
    #[error("the natural frequency is {0} rad/s, but must be positive and finite")]
    Omega(f64),
}

/// The costs of all models that apply, for a loop of natural frequency `omega`, rad/s.
pub fn costs(comparison: &Comparison, omega: f64) -> Result<Vec<Cost>, CostError> {
    if !(omega > 0.0 && omega.is_finite()) {
        return Err(CostError::Omega(omega));
    }
    let (samples, joints, shares) = (&comparison.samples, comparison.joints(), &comparison.weights.shares);
    let grows = |pair: &&[f64]| pair[1].partial_cmp(&pair[0]) == Some(std::cmp::Ordering::Greater);
    if let Some(pair) = samples.t.windows(2).find(|pair| !grows(pair)) {
        return Err(CostError::Time { t: pair[1] });
    }
    let applicable: Vec<_> =
        comparison.models.iter().filter_map(|(name, result)| Some((*name, result.as_ref().ok()?))).collect();
    let mut tracks = vec![Track { error: vec![[0.0; 2]; joints], largest: 0.0, mean_square: 0.0 }; applicable.len()];
    for (k, &t) in samples.t.iter().enumerate() {
        let mass = Matrix::from_row_slice(joints, joints, samples.mass.row(k));
        let Some(factors) = mass.cholesky() else { return Err(CostError::Mass { t }) };
        let (exact, jacobian) = (samples.exact.row(k), samples.jacobian.row(k));
        // After the last sample nothing is left to follow.
        let step = samples.t.get(k + 1).map_or(0.0, |next| next - t);
        for (track, (_, compared)) in tracks.iter_mut().zip(&applicable) {
            let columns = || track.error.iter().zip(jacobian.chunks_exact(3));
            let moved = |axis: usize| columns().map(|([e, _], column)| e * column[axis]).sum::<f64>();
            let square: f64 = (0..3).map(moved).map(|x| x * x).sum(); // |δX|²
            track.largest = track.largest.max(square);
            track.mean_square += shares[k] * square;
            let wrong = compared.torque.row(k).iter().zip(exact).map(|(tau, exact)| tau - exact);
            let push = factors.solve(&Matrix::from_iterator(joints, 1, wrong));
            for (error, u) in track.error.iter_mut().zip(push.as_slice()) {
                *error = tracking_error(*error, *u, omega, step);
            }
        }
    }
    let whole = comparison.rigid.all.rms;
    let costs = applicable.iter().zip(tracks).map(|((name, compared), track)| {
        let (torque_rms, torque_max) = (compared.difference.all.rms, compared.difference.all.maximum);
        let share = if torque_rms == 0.0 { 0.0 } else { torque_rms / whole.max(f64::MIN_POSITIVE) };
        let of_motion = |square: f64| (samples.count() > 1).then(|| square.sqrt());
        let (tracking_max, tracking_rms) = (of_motion(track.largest), of_motion(track.mean_square));
        Cost { name, torque_rms, torque_max, share, tracking_max, tracking_rms, verdict: Verdict::of(share) }
    });
    Ok(costs.collect())
}

/// (2): the error e and its rate ė of a joint after a time `h`, s, under the constant acceleration `u` that its torque
/// error makes; `omega` is the natural frequency of the loop, rad/s.
pub fn tracking_error([e, v]: [f64; 2], u: f64, omega: f64, h: f64) -> [f64; 2] {
    let decay = (-omega * h).exp();
    let rest = u / (omega * omega);
    let x = e - rest;
    let slope = v + omega * x;
    [rest + (x + slope * h) * decay, (v - omega * slope * h) * decay]
}

/// The error of one model along the motion.
#[derive(Clone)]
struct Track {
    /// e and ė of each joint.
    error: Vec<[f64; 2]>,
    /// Of |δX|², m².
    largest: f64,
    mean_square: f64,
}
