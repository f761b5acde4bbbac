//! Folds: parts of the time, to score a fit on held-out data.
//!
//! Neighbouring samples are nearly equal: a part chosen at random would be known from its neighbours. Parts are therefore
//! whole stretches of time.

/// The part of each of `samples` when time is cut into `parts` stretches of equal length.
pub fn in_time(samples: usize, parts: usize) -> Vec<usize> {
    let parts = parts.clamp(1, samples.max(1));
    (0..samples).map(|k| k * parts / samples.max(1)).collect()
}

/// The part of each time, cut at given instants.
pub fn at_instants(times: &[f64], cuts: &[f64]) -> Vec<usize> {
    times.iter().map(|t| cuts.iter().filter(|cut| *t >= **cut).count()).collect()
}

/// 100 ‖τ − τ̂‖/‖τ‖: the honest score. NaN where nothing was measured.
pub fn score(error_squared: f64, measured_squared: f64) -> f64 {
    100.0 * (error_squared / measured_squared).sqrt()
}
