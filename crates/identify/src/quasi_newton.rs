//! The least of a smooth function of many numbers, by its gradient: the limited-memory method of Broyden, Fletcher, Goldfarb and
//! Shanno (Nocedal and Wright 2006, Numerical Optimization, algorithms 7.4 and 7.5) with steps that are halved until they pay.

use nalgebra::DVector;
use std::collections::VecDeque;

/// Where the descent ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// The arguments.
    pub at: DVector<f64>,
    /// The value there.
    pub value: f64,
    /// Steps that were taken.
    pub steps: usize,
}

/// Pairs of steps and changes of the gradient that are remembered.
const REMEMBERED: usize = 12;
/// A step has to gain this share of what the slope promises.
const PAYS: f64 = 1e-4;
/// The descent ends after this many steps in a row that gain less than [`SMALL`], relative to the value's size or 1.
const IDLE: usize = 4;
const SMALL: f64 = 1e-5;

/// Descends from `start` by at most `steps` steps, the first of which has the length `first`. A place where there is no
/// value is not gone to; none: there is none at the start.
pub fn descend(
    value: &dyn Fn(&DVector<f64>) -> Option<f64>,
    gradient: &dyn Fn(&DVector<f64>) -> Option<DVector<f64>>,
    start: &DVector<f64>,
    first: f64,
    steps: usize,
) -> Option<Descent> {
    let mut here = Descent { at: start.clone(), value: value(start)?, steps: 0 };
    let mut slope = gradient(start)?;
    let mut pairs: VecDeque<(DVector<f64>, DVector<f64>)> = VecDeque::new();
    let mut idle = 0;
    while here.steps < steps && idle < IDLE {
        let mut direction = -two_loops(&slope, &pairs);
        let mut along = direction.dot(&slope);
        if along >= 0.0 {
            pairs.clear();
            direction = -slope.clone();
            along = direction.dot(&slope);
        }
        let length = direction.norm();
        if length == 0.0 || !length.is_finite() {
            break;
        }
        let mut share = if pairs.is_empty() { (first / length).min(1.0) } else { 1.0 };
        let next = (0..30).find_map(|_| {
            let at = &here.at + &direction * share;
            let found = value(&at).filter(|found| *found <= here.value + PAYS * share * along);
            share *= 0.5;
            found.map(|found| (at, found))
        });
        let Some((at, found)) = next else {
            // What is remembered of another place misleads: once more along the gradient itself.
            if pairs.is_empty() {
                break;
            }
            pairs.clear();
            continue;
        };
        let next_slope = gradient(&at)?;
        let (moved, changed) = (&at - &here.at, &next_slope - &slope);
        if moved.dot(&changed) > 1e-10 * moved.norm() * changed.norm() {
            pairs.push_back((moved, changed));
            if pairs.len() > REMEMBERED {
                pairs.pop_front();
            }
        }
        idle = if here.value - found < SMALL * here.value.abs().max(1.0) { idle + 1 } else { 0 };
        here = Descent { at, value: found, steps: here.steps + 1 };
        slope = next_slope;
    }
    Some(here)
}

/// The inverse curvature times the gradient.
fn two_loops(slope: &DVector<f64>, pairs: &VecDeque<(DVector<f64>, DVector<f64>)>) -> DVector<f64> {
    let mut left = slope.clone();
    let mut taken = Vec::new();
    for (moved, changed) in pairs.iter().rev() {
        let share = moved.dot(&left) / moved.dot(changed);
        left.axpy(-share, changed, 1.0);
        taken.push(share);
    }
    if let Some((moved, changed)) = pairs.back() {
        left *= moved.dot(changed) / changed.norm_squared();
    }
    for ((moved, changed), share) in pairs.iter().zip(taken.into_iter().rev()) {
        let back = changed.dot(&left) / moved.dot(changed);
        left.axpy(share - back, moved, 1.0);
    }
    left
}
