//! From tolerances of parameters to tolerances of torques by sampling.

use super::ParameterTorque;
use crate::threads;

/// What a Monte Carlo run found, N m.
#[derive(Clone, Debug, PartialEq)]
pub struct MonteCarloResult {
    /// With all parameters at their values, one per state and joint.
    pub nominal: Vec<f64>,
    /// Of the samples; none where every one failed.
    pub statistics: Option<Statistics>,
    /// Samples with torques that are no numbers: the changed robot cannot be there.
    pub failed: u64,
}

/// Of samples, one per state and joint, N m.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Mean.
    pub mean: Vec<f64>,
    /// Standard deviation.
    pub deviation: Vec<f64>,
    /// Least and largest.
    pub range: Vec<[f64; 2]>,
}

/// Samples every parameter evenly within ± its half width, all independent. To first order the standard deviation is that of all
/// tolerances combined by root of squares, over √3. Sample k depends on the seed and k alone, so the numbers are the same with any number of
/// threads, and one sample can be had again.
pub fn monte_carlo(torque: &dyn ParameterTorque, half_widths: &[f64], samples: u64, seed: u64) -> MonteCarloResult {
    // Few chunks, because each holds sums for every state; they depend on the number of samples alone.
    const CHUNKS: u64 = 64;
    let size = samples.div_ceil(CHUNKS).max(1);
    let count = torque.parameters().len().min(half_widths.len());
    let nominal: Vec<f64> = torque.torque(&vec![0.0; count]);
    let entries = nominal.len();
    let chunks: Vec<Sums> = threads::each(samples.div_ceil(size) as usize, |chunk| {
        let chunk = chunk as u64;
        let mut sums = Sums::new(entries);
        for sample in chunk * size..samples.min((chunk + 1) * size) {
            let changes: Vec<f64> =
                (0..count).map(|k| half_widths[k] * (2.0 * uniform(seed, sample, k as u64) - 1.0)).collect();
            let found = torque.torque(&changes);
            sums.add(found.iter().zip(&nominal).map(|(a, b)| a - b));
        }
        sums
    });
    // In order: the sum of chunks does not depend on who computed them.
    let all = chunks.into_iter().fold(Sums::new(entries), Sums::plus);
    let statistics = (all.failed < samples).then(|| {
        let good = (samples - all.failed) as f64;
        let mean: Vec<f64> = all.first.iter().map(|s| s / good).collect();
        Statistics {
            deviation: all.second.iter().zip(&mean).map(|(s, m)| (s / good - m * m).max(0.0).sqrt()).collect(),
            range: all.range.iter().zip(&nominal).map(|(r, n)| r.map(|x| x + n)).collect(),
            mean: mean.iter().zip(&nominal).map(|(m, n)| m + n).collect(),
        }
    });
    MonteCarloResult { nominal, statistics, failed: all.failed }
}

/// Sums over samples of the differences to the nominal torque: small numbers, so nothing cancels.
struct Sums {
    first: Vec<f64>,
    second: Vec<f64>,
    range: Vec<[f64; 2]>,
    failed: u64,
}

impl Sums {
    fn new(joints: usize) -> Self {
        let range = vec![[f64::INFINITY, f64::NEG_INFINITY]; joints];
        Self { first: vec![0.0; joints], second: vec![0.0; joints], range, failed: 0 }
    }

    fn add(&mut self, differences: impl Iterator<Item = f64>) {
        let differences: Vec<f64> = differences.collect();
        if differences.iter().any(|d| !d.is_finite()) {
            self.failed += 1;
            return;
        }
        for (i, d) in differences.into_iter().enumerate() {
            self.first[i] += d;
            self.second[i] += d * d;
            self.range[i] = [self.range[i][0].min(d), self.range[i][1].max(d)];
        }
    }

    fn plus(mut self, other: Self) -> Self {
        for i in 0..self.first.len() {
            self.first[i] += other.first[i];
            self.second[i] += other.second[i];
            self.range[i] = [self.range[i][0].min(other.range[i][0]), self.range[i][1].max(other.range[i][1])];
        }
        self.failed += other.failed;
        self
    }
}

/// A number in [0, 1) for a sample and a parameter: a counter, mixed (S. Vigna's SplitMix64, twice).
fn uniform(seed: u64, sample: u64, parameter: u64) -> f64 {
    fn mix(mut z: u64) -> u64 {
        z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    let bits = mix(mix(seed ^ mix(sample)) ^ parameter.wrapping_mul(0xd1b5_4a32_d192_ed03));
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
