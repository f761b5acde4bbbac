//! Rauch, Tung and Striebel's smoother for position, velocity and acceleration of a noisy position.
//!
//! The model is a jerk that wanders (its derivative is white with intensity s): x = (q, q̇, q̈, q⃛), measured z = q + noise of
//! variance r. Between samples Δ apart x ← F x, P ← F P Fᵀ + Q with F_ij = Δ^(j−i)/(j−i)! and
//! Q_ij = s Δ^(7−i−j)/((3−i)!(3−j)!(7−i−j)). Stamps may jitter, samples may be missing (NaN).
//!
//! r and s are found where the innovations ν_k with their variances S_k are most likely (Schweppe 1965): with s = ρ r the best
//! r for a ρ is the mean of ν²/S, what is left is a search in one number, log ρ. A sample whose innovation is beyond three
//! deviations counts less, as Huber's estimate has it: its r grows in proportion.
//! Rauch, Tung, Striebel, Maximum likelihood estimates of linear dynamic systems, AIAA J. 3(8), 1965, (3.28)–(3.31). The way
//! back is Bryson and Frazier's in Bierman's form (Automatica 9, 1973), which gives the same and inverts no matrix: with λ = 0 at the
//! end, x_s = x − P λ after the measurement of a sample, and λ ← Fᵀ ((1 − K H)ᵀ λ − Hᵀ ν/S) for the sample before.

use crate::search::least;
use crate::{IdentifyError, positive, same_length, signal};
use nalgebra::{Matrix4, Vector4};

/// The two variances of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variances {
    /// r, of a measured position: the square of its unit.
    pub measurement: f64,
    /// s, intensity of the jerk's derivative: unit² / s⁷.
    pub snap: f64,
}

impl Variances {
    /// The cut-off of Butterworth's filter of fourth order that does the same when it passes forward and backward, Hz, of
    /// samples `step` apart: far from the ends the smoother passes S/(S + r Δ) = 1/(1 + (ω/ω_c)⁸), S = s/ω⁸ being the spectrum
    /// of a wandering jerk's position, so ω_c⁸ = s/(r Δ).
    pub fn cutoff(&self, step: f64) -> f64 {
        (self.snap / (self.measurement * step)).powf(0.125) / std::f64::consts::TAU
    }
}

/// A smoothed signal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Smoothed {
    /// Position.
    pub q: Vec<f64>,
    /// Velocity.
    pub qd: Vec<f64>,
    /// Acceleration.
    pub qdd: Vec<f64>,
    /// Samples that counted less.
    pub outliers: Vec<usize>,
}

/// Innovations beyond this many deviations count less.
const HUBER: f64 = 3.0;
/// Samples from which variances are estimated; more add nothing.
const TUNED: usize = 12_000;
/// Samples that are smoothed at once, so that memory is bounded; the next ones start this much earlier.
const CHUNK: usize = 50_000;
const OVERLAP: usize = 1_000;

/// F and Q/s of a step.
fn transition(step: f64) -> (Matrix4<f64>, Matrix4<f64>) {
    const FACTORIAL: [f64; 4] = [1.0, 1.0, 2.0, 6.0];
    let f = Matrix4::from_fn(|i, j| if j < i { 0.0 } else { step.powi((j - i) as i32) / FACTORIAL[j - i] });
    let q = Matrix4::from_fn(|i, j| {
        let power = 7 - i - j;
        step.powi(power as i32) / (FACTORIAL[3 - i] * FACTORIAL[3 - j] * power as f64)
    });
    (f, q)
}

/// A sample on the way forward: x and P after it, and for the way back how it was measured and the step before it.
#[derive(Clone, Copy)]
struct Passed {
    x: Vector4<f64>,
    p: Matrix4<f64>,
    /// K, ν and S, where there was a measurement.
    measured: Option<(Vector4<f64>, f64, f64)>,
    /// From the sample before.
    step: f64,
}

#[derive(Default)]
struct Filtered {
    passed: Vec<Passed>,
    outliers: Vec<usize>,
    /// Sum of ν²/S and of log S over `count` samples, with r = 1.
    squares: f64,
    logs: f64,
    count: usize,
}

/// A run of the filter over times in units of the usual step, s = `ratio` r. `scale` is r where outliers are looked for and the samples are
/// kept for the way back.
fn filter(times: &[f64], values: &[f64], ratio: f64, scale: Option<f64>) -> Filtered {
    let first = values.iter().copied().find(|value| !value.is_nan()).unwrap_or(0.0);
    let mut x = Vector4::new(first, 0.0, 0.0, 0.0);
    // The first sample is the position; its motion is unknown, a million deviations per step either way.
    let mut p = Matrix4::from_diagonal(&Vector4::new(1e2, 1e12, 1e12, 1e12));
    let passed = Vec::with_capacity(scale.map_or(0, |_| times.len()));
    let mut all = Filtered { passed, ..Filtered::default() };
    let mut step = f64::NAN;
    let (mut f, mut q) = (Matrix4::identity(), Matrix4::zeros());
    for (k, &z) in values.iter().enumerate() {
        if k > 0 {
            let width = times[k] - times[k - 1];
            if width != step {
                (f, q) = transition(width);
                q *= ratio;
                step = width;
            }
            (x, p) = (f * x, f * p * f.transpose() + q);
        }
        let mut measured = None;
        if !z.is_nan() {
            let innovation = z - x[0];
            let variance = p[(0, 0)];
            let mut r = 1.0;
            if let Some(scale) = scale {
                let deviations = innovation.abs() / ((variance + 1.0) * scale).sqrt();
                if deviations > HUBER && k > 8 {
                    // S grows to S·d/3, so that the step is that of an innovation of three deviations.
                    r = (variance + 1.0) * deviations / HUBER - variance;
                    all.outliers.push(k);
                }
            }
            let s = variance + r;
            let gain = p.column(0) / s;
            x += gain * innovation;
            // Joseph's form stays symmetric and positive.
            let mut keep_share = Matrix4::<f64>::identity();
            for i in 0..4 {
                keep_share[(i, 0)] -= gain[i];
            }
            p = keep_share * p * keep_share.transpose() + gain * gain.transpose() * r;
            measured = Some((gain, innovation, s));
            // The first samples only determine the start.
            if k >= 4 {
                all.squares += innovation * innovation / s;
                all.logs += s.ln();
                all.count += 1;
            }
        }
        if scale.is_some() {
            all.passed.push(Passed { x, p, measured, step: if k > 0 { step } else { 0.0 } });
        }
    }
    all
}

/// Finds the variances of a signal: those that make its innovations most likely.
pub fn variances(times: &[f64], values: &[f64]) -> Result<Variances, IdentifyError> {
    same_length("values of a signal", values.len(), times.len())?;
    let step = signal::stamps(times)?.step;
    // The liveliest stretch: at rest the motion cannot be estimated.
    let n = values.len();
    let window = TUNED.min(n);
    let travel = |from: usize| -> f64 {
        let there: Vec<f64> = values[from..from + window].iter().step_by(16).copied().filter(|v| !v.is_nan()).collect();
        there.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum()
    };
    let starts = (0..=(n - window)).step_by((window / 2).max(1));
    let from = starts.map(|from| (from, travel(from))).max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |best| best.0);
    let part = &values[from..from + window];
    let scaled: Vec<f64> = times[from..from + window].iter().map(|t| (t - times[from]) / step).collect();
    // No encoder resolves more than 1e-8 of its range, and none more than its own steps.
    let [low, high] = signal::extremes(part);
    let quantum = Some(signal::least_step(part)).filter(|step| step.is_finite()).unwrap_or(0.0);
    let floor = (quantum.powi(2) / 12.0).max((1e-8 * (high - low)).powi(2)).max(1e-30);
    let fit = |log: f64| {
        let all = filter(&scaled, part, log.exp(), None);
        let r = (all.squares / all.count.max(1) as f64).max(floor);
        // Minus twice the logarithm of the likelihood, with r at its best or at the encoder's own noise.
        let value = all.squares / r + all.logs + all.count as f64 * r.ln();
        (value, r)
    };
    // From hardly any motion within thousands of samples to motion that is as large as the noise within one.
    let best = least(-40.0, 6.0, 24, |log| fit(log).0);
    let (_, r) = fit(best.at);
    Ok(Variances { measurement: r, snap: r * best.at.exp() / step.powi(7) })
}

/// Smooths a signal with variances that are known.
pub fn smooth(times: &[f64], values: &[f64], variances: Variances) -> Result<Smoothed, IdentifyError> {
    same_length("values of a signal", values.len(), times.len())?;
    positive("the variance of a measured position", variances.measurement)?;
    positive("the intensity of the snap", variances.snap)?;
    let step = signal::stamps(times)?.step;
    let (n, r) = (values.len(), variances.measurement);
    let ratio = variances.snap * step.powi(7) / r;
    let mut all = Smoothed::default();
    let mut done = 0;
    while done < n {
        let from = done.saturating_sub(OVERLAP);
        let until = (done + CHUNK).min(n);
        let to = (until + OVERLAP).min(n);
        let part = &values[from..to];
        let scaled: Vec<f64> = times[from..to].iter().map(|t| (t - times[from]) / step).collect();
        let Filtered { mut passed, outliers, .. } = filter(&scaled, part, ratio, Some(r));
        let mut lambda = Vector4::zeros();
        for sample in passed.iter_mut().rev() {
            sample.x -= sample.p * lambda;
            if let Some((gain, innovation, s)) = sample.measured {
                // (1 − K H)ᵀ of a vector: its first component less Kᵀ of it.
                lambda[0] -= gain.dot(&lambda) + innovation / s;
            }
            lambda = transition(sample.step).0.transpose() * lambda;
        }
        let rate = 1.0 / step;
        for Passed { x, .. } in &passed[done - from..until - from] {
            all.q.push(x[0]);
            all.qd.push(x[1] * rate);
            all.qdd.push(x[2] * rate * rate);
        }
        all.outliers.extend(outliers.into_iter().map(|k| k + from).filter(|k| (done..until).contains(k)));
        done = until;
    }
    Ok(all)
}
