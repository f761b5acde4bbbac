//! Smoothing: cubics are kept, sines are found back, covariances are true, outliers hardly matter; the filter has the gain
//! that its formula says.

use super::Random;
use dalembert_identify::butterworth::{LowPass, derivative};
use dalembert_identify::smoother::{Variances, smooth, variances};

fn even(samples: usize, step: f64) -> Vec<f64> {
    (0..samples).map(|k| k as f64 * step).collect()
}

/// A cubic has a constant jerk: the model holds exactly, whatever the variances, with jittering stamps too.
#[test]
fn a_cubic_is_kept() {
    let mut random = Random::new(1);
    let times: Vec<f64> = (0..600).map(|k| (k as f64 + 0.3 * random.uniform()) * 1e-3).collect();
    let q = |t: f64| 0.3 + 2.0 * t - 5.0 * t * t + 8.0 * t * t * t;
    let values: Vec<f64> = times.iter().map(|&t| q(t)).collect();
    let found = smooth(&times, &values, Variances { measurement: 1e-8, snap: 1e2 }).unwrap();
    for (k, &t) in times.iter().enumerate() {
        assert!((found.q[k] - q(t)).abs() < 1e-7, "q at {k}: {:e}", found.q[k] - q(t));
        assert!((found.qd[k] - (2.0 - 10.0 * t + 24.0 * t * t)).abs() < 1e-5, "q̇ at {k}");
        assert!((found.qdd[k] - (-10.0 + 48.0 * t)).abs() < 1e-2, "q̈ at {k}: {}", found.qdd[k] - (-10.0 + 48.0 * t));
    }
}

/// Variances by likelihood: the measured noise is found back, and a sine's derivatives are off by far less than differences would be.
#[test]
fn a_noisy_sine_and_its_derivatives_are_found() {
    let (step, noise, w) = (1e-3, 1e-5, 12.0);
    let times = even(6000, step);
    let mut random = Random::new(2);
    let values: Vec<f64> = times.iter().map(|t| (w * t).sin() + noise * random.normal()).collect();
    let found_variances = variances(&times, &values).unwrap();
    let ratio = found_variances.measurement.sqrt() / noise;
    assert!((0.93..1.07).contains(&ratio), "noise {ratio}");
    let found = smooth(&times, &values, found_variances).unwrap();
    let mut squares = [0.0; 3];
    let inner = 300..5700;
    for k in inner.clone() {
        let t = times[k];
        let truth = [(w * t).sin(), w * (w * t).cos(), -w * w * (w * t).sin()];
        for (i, x) in [found.q[k], found.qd[k], found.qdd[k]].iter().enumerate() {
            squares[i] += (x - truth[i]).powi(2);
        }
    }
    for (i, square) in squares.iter().enumerate() {
        let share = (square / inner.len() as f64).sqrt() / w.powi(i as i32);
        assert!(share < [3e-6, 5e-5, 1e-3][i], "derivative {i}: {share:e}");
    }
}

/// Rounded encoder counts: 17 bits per turn. Position noise is that of rounding, and accelerations of a real motion are
/// good to a per cent.
#[test]
fn an_encoder_of_seventeen_bits() {
    let count = std::f64::consts::TAU / f64::from(1 << 17);
    let times = even(4000, 5e-4);
    let q = |t: f64| 0.8 * (6.0 * t).sin();
    let values: Vec<f64> = times.iter().map(|&t| (q(t) / count).round() * count).collect();
    let found = smooth(&times, &values, variances(&times, &values).unwrap()).unwrap();
    let error = (200..3800).map(|k| (found.qdd[k] + 36.0 * q(times[k])).powi(2)).sum::<f64>() / 3600.0;
    let size = (200..3800).map(|k| (36.0 * q(times[k])).powi(2)).sum::<f64>() / 3600.0;
    assert!((error / size).sqrt() < 0.01, "{}", (error / size).sqrt());
}

#[test]
fn outliers_hardly_matter_and_are_named() {
    let times = even(3000, 1e-3);
    let mut random = Random::new(3);
    let mut values: Vec<f64> = times.iter().map(|t| (5.0 * t).sin() + 1e-4 * random.normal()).collect();
    let tuned = variances(&times, &values).unwrap();
    values[1500] += 0.5;
    values[2000] = f64::NAN;
    let found = smooth(&times, &values, tuned).unwrap();
    assert!(found.outliers.contains(&1500), "{:?}", found.outliers);
    for k in 1480..1520 {
        assert!((found.q[k] - (5.0 * times[k]).sin()).abs() < 2e-3, "{k}: {}", found.q[k] - (5.0 * times[k]).sin());
    }
    assert!((found.q[2000] - (5.0 * times[2000]).sin()).abs() < 2e-4);
}

/// Butterworth's gain 1/√(1 + (tan/tan_c)^2n), squared by the second pass; no phase.
#[test]
fn the_low_pass_filter_has_its_gain_and_no_phase() {
    let (step, cutoff, order) = (1e-3, 50.0, 4);
    let filter = LowPass::new(order, cutoff, step).unwrap();
    let times = even(4000, step);
    let tan = |f: f64| (std::f64::consts::PI * f * step).tan();
    for frequency in [5.0, 20.0, 50.0, 100.0, 200.0] {
        let w = std::f64::consts::TAU * frequency;
        let input: Vec<f64> = times.iter().map(|t| (w * t).sin()).collect();
        let output = filter.filter(&input);
        let gain = 1.0 / (1.0 + (tan(frequency) / tan(cutoff)).powi(2 * order as i32));
        for k in 1000..3000 {
            assert!((output[k] - gain * input[k]).abs() < 1e-9, "{frequency} Hz: {}", output[k] - gain * input[k]);
        }
    }
    // A straight line stays one up to its ends, whose mirror images continue it.
    let line: Vec<f64> = times.iter().map(|t| 3.0 - 2.0 * t).collect();
    let output = filter.filter(&line);
    assert!(output.iter().zip(&line).all(|(a, b)| (a - b).abs() < 1e-9));
    let slope = derivative(&output, step);
    assert!(slope.iter().all(|v| (v + 2.0).abs() < 1e-6));
}
