//! The same over a motion: root mean square and largest value of each joint instead of one number per state.

use super::{Parameter, ParameterTorque};
use crate::analyze::weights::Weights;
use crate::report::chart::{BarChart, BarPanel, ChartBar};
use crate::report::text;
use crate::report::text::human;
use crate::threads;

/// How large something is over a motion, one number per joint.
#[derive(Clone, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Size {
    /// Root mean square over the motion.
    pub rms: Vec<f64>,
    /// Largest magnitude.
    #[serde(rename = "max")]
    pub maximum: Vec<f64>,
}

impl Size {
    /// Of values that come state by state, one per joint.
    pub fn of(values: &[f64], joints: usize, weights: &Weights) -> Self {
        let (mut squares, mut maximum) = (vec![0.0; joints], vec![0.0_f64; joints]);
        for (state, share) in values.chunks(joints.max(1)).zip(&weights.shares) {
            for (i, x) in state.iter().enumerate() {
                squares[i] += share * (x * x);
                maximum[i] = maximum[i].max(x.abs());
            }
        }
        Self { rms: squares.into_iter().map(f64::sqrt).collect(), maximum }
    }

    /// Multiplied.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let all = |values: &[f64]| values.iter().map(|x| x * factor).collect();
        Self { rms: all(&self.rms), maximum: all(&self.maximum) }
    }
}

/// What a parameter does to the torques of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The parameter.
    pub parameter: Parameter,
    /// Half width of its tolerance.
    pub half_width: f64,
    /// ∂τ/∂p, N m per unit of the parameter.
    pub slope: Size,
}

impl Contribution {
    /// The torque change for its tolerance, to first order, N m.
    pub fn change(&self) -> Size {
        self.slope.times(self.half_width)
    }
}

/// Tolerances of the torques over a motion, to first order, N m.
#[derive(Clone, Debug, PartialEq)]
pub struct OverMotion {
    /// Of every parameter.
    pub contributions: Vec<Contribution>,
    /// The torques themselves.
    pub torque: Size,
    /// All tolerances by root of squares, state by state.
    pub combined: Size,
    /// Everything at its worst at once, state by state.
    pub worst: Size,
}

/// The derivatives of the torques of all states with respect to every parameter, exact, and what half widths, one per
/// parameter, make of the torques; each state has its weight. Memory does not grow with states times parameters.
pub fn over_motion(torque: &dyn ParameterTorque, half_widths: &[f64], weights: &Weights) -> OverMotion {
    const AT_ONCE: usize = 16;
    let joints = torque.units().len();
    let parameters = torque.parameters();
    let nominal: Vec<f64> = torque.torque(&vec![0.0; parameters.len()]);
    let (mut squares, mut worst) = (vec![0.0; nominal.len()], vec![0.0; nominal.len()]);
    let mut contributions = Vec::with_capacity(parameters.len());
    let numbers: Vec<usize> = (0..parameters.len().min(half_widths.len())).collect();
    for some in numbers.chunks(AT_ONCE) {
        let slopes: Vec<Vec<f64>> = threads::each(some.len(), |i| torque.derivative(some[i]));
        // In order: the sums do not depend on who computed the slopes.
        for (&k, slopes) in some.iter().zip(slopes) {
            let half_width = half_widths[k];
            for (i, slope) in slopes.iter().enumerate() {
                squares[i] += (slope * half_width) * (slope * half_width);
                worst[i] += (slope * half_width).abs();
            }
            let slope = Size::of(&slopes, joints, weights);
            contributions.push(Contribution { parameter: parameters[k].clone(), half_width, slope });
        }
    }
    let combined: Vec<f64> = squares.into_iter().map(f64::sqrt).collect();
    OverMotion {
        contributions,
        torque: Size::of(&nominal, joints, weights),
        combined: Size::of(&combined, joints, weights),
        worst: Size::of(&worst, joints, weights),
    }
}

impl MonteCarloResult {
    /// Standard deviation over the motion, and the largest difference of any sample to the torque without changes; none
    /// where every sample failed.
    pub fn over(&self, joints: usize, weights: &Weights) -> Option<(Size, Vec<f64>)> {
        let statistics = self.statistics.as_ref()?;
        let far = |(range, nominal): (&[f64; 2], &f64)| (range[1] - nominal).max(nominal - range[0]);
        let largest: Vec<f64> = statistics.range.iter().zip(&self.nominal).map(far).collect();
        Some((Size::of(&statistics.deviation, joints, weights), Size::of(&largest, joints, weights).maximum))
    }
}

/// Bars of one joint, at most.
const MAX_BARS: usize = 9;

impl OverMotion {
    /// What tolerances do to the torques, with one unit per joint. Of the states of a `motion` a bar is the root mean
    /// square, and a thin line ends at the largest value.
    pub fn to_chart(&self, title: String, subtitle: String, units: &[&str], motion: bool) -> BarChart {
        let note = if motion {
            "Bar: root mean square over the motion; thin line: to the largest value. “all”: combined by root of squares."
        } else {
            "“all”: combined by root of squares."
        };
        let panel = |(joint, unit): (usize, &&str)| {
            let (rms, maximum) = (human(self.torque.rms[joint], 3), human(self.torque.maximum[joint], 3));
            BarPanel {
                title: format!("Joint {}", joint + 1),
                about: if motion {
                    format!("torque: RMS {rms}, at most {maximum} {unit}")
                } else {
                    format!("torque: {rms} {unit}")
                },
                x_label: format!("change of the torque, {unit}"),
                bars: self.bars(joint),
            }
        };
        BarChart { title, subtitle, panels: units.iter().enumerate().map(panel).collect(), note: note.to_owned() }
    }

    fn bars(&self, joint: usize) -> Vec<ChartBar> {
        let mut bars: Vec<ChartBar> = self
            .contributions
            .iter()
            .map(|contribution| {
                let change = contribution.change();
                let p = &contribution.parameter;
                let name = format!("{} ± {} {}", p.name, human(contribution.half_width, 2), text::unit(p.unit));
                ChartBar { name, value: change.rms[joint], most: change.maximum[joint], strong: false }
            })
            // What is only rounding is nothing.
            .filter(|bar| bar.most > 1e-12 * self.torque.maximum[joint])
            .collect();
        bars.sort_by(|a, b| b.value.total_cmp(&a.value));
        let left_out = bars.len().saturating_sub(MAX_BARS);
        bars.truncate(MAX_BARS);
        let all = &self.combined;
        let name = if left_out > 0 { format!("all, with {left_out} smaller ones") } else { String::from("all") };
        bars.insert(0, ChartBar { name, value: all.rms[joint], most: all.maximum[joint], strong: true });
        bars
    }
}

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
