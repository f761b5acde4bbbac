//! How wrong an abbreviated model can be: a proved bound over the whole range of the joints, the worst that was found, and
//! the RMS.
//!
//! At a pose the torque error of joint i is at most
//!
//! ```text
//! e_i(q) = Σ_j |Δa_ij| a_j + Σ_(j≤k) |Δb_ijk| v_j v_k + |Δg_i|        v, a: limits of velocity, acceleration   (1)
//! ```
//!
//! The maximum of (1) over the joint ranges is bounded by interval arithmetic, the range being cut in two where it matters
//! until the bound is within 2 % of what was found or the budget is spent; a bound it is at every stage. The sum of (1) takes
//! the worst sign of each velocity product by itself, so it need not be reached; what was found beside it has real signs.

use super::model::{Explicit, pairs};
use super::polynomial::JointAngles;
use super::words::{AngleSum, Word};
use crate::extract::Random;
use dalembert_core::Scalar;
use dalembert_core::limits::JointLimits;
use dalembert_core::serial::Joint;
use std::collections::BinaryHeap;
use std::f64::consts::PI;

/// What the joints may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Least and greatest position, rad (m).
    pub position: Vec<[f64; 2]>,
    /// Greatest speed, rad/s (m/s).
    pub velocity: Vec<f64>,
    /// Greatest acceleration, rad/s² (m/s²).
    pub acceleration: Vec<f64>,
}

/// Speed where the robot file gives none, rad/s (m/s).
pub const DEFAULT_SPEED: f64 = 2.0;

/// Acceleration, which no robot file gives, rad/s² (m/s²).
pub const DEFAULT_ACCELERATION: f64 = 10.0;

impl Limits {
    /// Those of a robot file. Where it is silent: a full turn (prismatic: ±1 m), [`DEFAULT_SPEED`] and
    /// [`DEFAULT_ACCELERATION`].
    pub fn of(limits: &[JointLimits], joints: &JointAngles) -> Self {
        let position = limits.iter().zip(&joints.kinds).map(|(limit, kind)| {
            let widest = if *kind == Joint::Revolute { PI } else { 1.0 };
            match limit.range {
                [least, most] if least.is_finite() && most.is_finite() => [least, most],
                _ => [-widest, widest],
            }
        });
        let speed = |limit: &JointLimits| if limit.max_speed.is_finite() { limit.max_speed } else { DEFAULT_SPEED };
        Self {
            position: position.collect(),
            velocity: limits.iter().map(speed).collect(),
            acceleration: vec![DEFAULT_ACCELERATION; limits.len()],
        }
    }
}

/// How far the torque of each joint can be off, N m (N).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TorqueError {
    /// Never more than this: proved.
    pub bound: Vec<f64>,
    /// The most that was found.
    pub found: Vec<f64>,
    /// Over uniformly distributed positions, velocities and accelerations.
    pub rms: Vec<f64>,
}

/// What a search for the bound may spend. Models with very many terms get less of both, so that the time stays bounded; the
/// bound is then wider, but still one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Boxes per joint.
    pub boxes: usize,
    /// Random states.
    pub samples: usize,
}

/// The most terms that are evaluated for the samples, and for the boxes of one joint: a few seconds.
const MAX_EVALUATED: usize = 20_000_000;

impl Default for Budget {
    fn default() -> Self {
        Self { boxes: 10_000, samples: 4_000 }
    }
}

impl Explicit {
    /// How large the torques of this model can be within the limits: of what was dropped from a model, the error.
    pub fn torque_range(&self, limits: &Limits, budget: Budget) -> TorqueError {
        let n = self.count();
        let mut random = Random::new(1);
        let (mut found, mut squares) = (vec![0.0f64; n], vec![0.0; n]);
        let between = |random: &mut Random, [a, b]: [f64; 2]| a + (b - a) * (0.5 + 0.5 * random.signed());
        let samples = budget.samples.min(MAX_EVALUATED / self.terms().max(1)).max(16);
        for _ in 0..samples {
            let q: Vec<f64> = limits.position.iter().map(|&range| between(&mut random, range)).collect();
            let qd: Vec<f64> = limits.velocity.iter().map(|v| v * random.signed()).collect();
            let qdd: Vec<f64> = limits.acceleration.iter().map(|a| a * random.signed()).collect();
            let elements = self.at(&q);
            for (i, torque) in elements.torque(&qd, &qdd).into_iter().enumerate() {
                squares[i] += torque * torque;
                found[i] = found[i].max(worst_at(i, &elements, limits));
            }
        }
        let rms = squares.iter().map(|s| (s / samples as f64).sqrt()).collect();
        let bound = (0..n)
            .map(|i| {
                let (bound, place) = self.bound(i, limits, found[i], budget.boxes, Until::Near);
                found[i] = found[i].max(worst_at(i, &self.at(&place), limits));
                bound
            })
            .collect();
        TorqueError { bound, found, rms }
    }

    /// Whether the torque of joint i is proved to stay within `wanted`.
    pub(crate) fn stays_within(&self, i: usize, limits: &Limits, wanted: f64, boxes: usize) -> bool {
        self.bound(i, limits, 0.0, boxes, Until::Decided(wanted)).0 <= wanted
    }

    /// The bound of (1), and a place where it is large.
    fn bound(&self, i: usize, limits: &Limits, found: f64, boxes: usize, until: Until) -> (f64, Vec<f64>) {
        let row = JointErrorTerms::new(self, i, limits);
        let whole = limits.position.clone();
        let centre = |box_: &[[f64; 2]]| box_.iter().map(|[a, b]| 0.5 * (a + b)).collect::<Vec<f64>>();
        let mut reached = (found, centre(&whole));
        let mut queue = BinaryHeap::from([JointBox { bound: row.bound(&self.joints, &whole), box_: whole }]);
        for _ in 0..boxes.min(MAX_EVALUATED / row.terms().max(1)) {
            let Some(top) = queue.peek() else { break };
            let done = match until {
                // The 2 % are of (1): it is not always reached by real signs.
                Until::Near => top.bound <= reached.0 * 1.02,
                Until::Decided(wanted) => top.bound <= wanted || reached.0 > wanted,
            };
            let width = |j: usize| top.box_[j][1] - top.box_[j][0];
            let widest = (0..self.count()).filter(|&j| row.joints >> j & 1 == 1);
            let Some(j) = widest.max_by(|&a, &b| width(a).total_cmp(&width(b))) else { break };
            if done {
                break;
            }
            let Some(top) = queue.pop() else { break };
            let middle = 0.5 * (top.box_[j][0] + top.box_[j][1]);
            for half in [[top.box_[j][0], middle], [middle, top.box_[j][1]]] {
                let mut box_ = top.box_.clone();
                box_[j] = half;
                let at = centre(&box_);
                let here = row.value(&self.joints, &at);
                if here > reached.0 {
                    reached = (here, at);
                }
                queue.push(JointBox { bound: row.bound(&self.joints, &box_).min(top.bound), box_ });
            }
        }
        // Rounding of a few thousand products and sums.
        let bound = queue.peek().map_or(0.0, |top| top.bound) * (1.0 + 1e-12);
        (bound, reached.1)
    }
}

/// When a search for a bound may end before its budget does.
#[derive(Clone, Copy)]
enum Until {
    /// It is near what was found.
    Near,
    /// It is below this, or something above it was found.
    Decided(f64),
}

/// The largest error at a pose that velocities at their limits, with real signs, and any accelerations reach.
fn worst_at(i: usize, elements: &super::model::ElementValues<f64>, limits: &Limits) -> f64 {
    let n = elements.gravity.len();
    let inertia: f64 =
        (0..n).map(|j| elements.mass[super::derivation::entry(n, i, j)].abs() * limits.acceleration[j]).sum();
    let mut worst = elements.gravity[i].abs();
    for signs in 0..1usize << (n - 1) {
        let speed = |j: usize| if signs >> j & 1 == 1 { -limits.velocity[j] } else { limits.velocity[j] };
        let velocity: f64 = pairs(n).zip(&elements.velocity[i]).map(|((j, k), b)| b * speed(j) * speed(k)).sum();
        worst = worst.max((velocity + elements.gravity[i]).abs());
    }
    inertia + worst
}

/// A part of the joint ranges with its bound.
struct JointBox {
    bound: f64,
    box_: Vec<[f64; 2]>,
}

impl PartialEq for JointBox {
    fn eq(&self, other: &Self) -> bool {
        self.bound == other.bound
    }
}
impl Eq for JointBox {}
impl PartialOrd for JointBox {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for JointBox {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

/// Coefficient and words.
type RowTerm = (f64, Vec<usize>);

/// (1) of one joint: its elements with what multiplies them, in the words that it has.
struct JointErrorTerms {
    words: Vec<Word>,
    /// Each sum with its factor.
    sums: Vec<(Vec<RowTerm>, f64)>,
    /// Joints that it depends on, as bits.
    joints: u8,
}

impl JointErrorTerms {
    fn new(model: &Explicit, i: usize, limits: &Limits) -> Self {
        let n = model.count();
        let mass = (0..n).map(|j| (model.mass(i, j), limits.acceleration[j]));
        let velocity = pairs(n).zip(&model.velocity[i]);
        let velocity = velocity.map(|((j, k), sum)| (sum, limits.velocity[j] * limits.velocity[k]));
        let all = mass.chain(velocity).chain([(&model.gravity[i], 1.0)]);
        let mut words: Vec<Word> = Vec::new();
        let mut local = |number: u8| {
            let word = model.vocabulary.words()[number as usize];
            words.iter().position(|w| *w == word).unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            })
        };
        let mut sums = Vec::new();
        for (sum, factor) in all.filter(|(sum, _)| !sum.terms.is_empty()) {
            let terms = sum.terms.iter().map(|term| {
                let words = term.words.as_slice().iter().map(|&w| local(w)).collect();
                (term.coefficient, words)
            });
            sums.push((terms.collect(), factor));
        }
        let joints = words.iter().flat_map(Word::joints).fold(0, |bits, j| bits | 1 << j);
        Self { words, sums, joints }
    }

    fn terms(&self) -> usize {
        self.sums.iter().map(|(terms, _)| terms.len()).sum()
    }

    /// (1) at a place.
    fn value(&self, joints: &JointAngles, q: &[f64]) -> f64 {
        let words: Vec<f64> = self.words.iter().map(|word| word.value(joints, q)).collect();
        let term =
            |(coefficient, factors): &RowTerm| factors.iter().fold(*coefficient, |product, &w| product * words[w]);
        self.sums.iter().map(|(terms, factor)| terms.iter().map(term).sum::<f64>().abs() * factor).sum()
    }

    /// The bound of (1) over a box.
    fn bound(&self, joints: &JointAngles, box_: &[[f64; 2]]) -> f64 {
        let words: Vec<[f64; 2]> = self.words.iter().map(|word| range(word, joints, box_)).collect();
        self.sums.iter().map(|(terms, factor)| largest(terms, &words) * factor).sum()
    }
}

/// The largest |sum| that the ranges of its words allow.
fn largest(terms: &[RowTerm], words: &[[f64; 2]]) -> f64 {
    let mut total = [0.0, 0.0];
    for (coefficient, factors) in terms {
        let mut product = [*coefficient; 2];
        let mut rest = &factors[..];
        while let [w, more @ ..] = rest {
            let mut range = words[*w];
            rest = more;
            if rest.first() == Some(w) {
                range = square(range);
                rest = &rest[1..];
            }
            product = times(product, range);
        }
        total = [total[0] + product[0], total[1] + product[1]];
    }
    total[0].abs().max(total[1].abs())
}

fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let all = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
    [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

fn square([a, b]: [f64; 2]) -> [f64; 2] {
    let most = (a * a).max(b * b);
    if a <= 0.0 && b >= 0.0 { [0.0, most] } else { [(a * a).min(b * b), most] }
}

/// The values that a word takes in a box.
pub(crate) fn range(word: &Word, joints: &JointAngles, box_: &[[f64; 2]]) -> [f64; 2] {
    let angle = |sum: &AngleSum| {
        (0..joints.count()).filter(|&j| sum[j] != 0).fold([0.0, 0.0], |range: [f64; 2], j| {
            let times = f64::from(sum[j]);
            let ends = box_[j].map(|end| times * (end + joints.offsets[j]));
            [range[0] + ends[0].min(ends[1]), range[1] + ends[0].max(ends[1])]
        })
    };
    match word {
        Word::Cos(sum) => cosine(angle(sum)),
        Word::Sin(sum) => cosine(angle(sum).map(|end| end - 0.5 * PI)),
        Word::Double(sum) => cosine(angle(sum).map(|end| 2.0 * end)),
        Word::Slide(j) => box_[*j],
    }
}

/// cos over an interval, a little widened against rounding.
fn cosine([a, b]: [f64; 2]) -> [f64; 2] {
    // Whether a multiple of the period lies between.
    let between = |offset: f64| ((b - offset) / (2.0 * PI)).floor() >= ((a - offset) / (2.0 * PI)).ceil();
    // The library's own, the same on every platform.
    let (at_a, at_b) = (Scalar::sin_cos(a).1, Scalar::sin_cos(b).1);
    let most = if between(0.0) { 1.0 } else { (at_a.max(at_b) + 1e-15).min(1.0) };
    let least = if between(PI) { -1.0 } else { (at_a.min(at_b) - 1e-15).max(-1.0) };
    [least, most]
}
