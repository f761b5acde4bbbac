//! The same over a motion: root mean square and largest value of each joint instead of one number per state.

use super::{MonteCarloResult, Parameter, ParameterTorque};
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
        for (state, share) in values.chunks(joints.max(1)).zip(weights.shares()) {
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
