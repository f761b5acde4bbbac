//! The least and the largest friction over an interval of joint speeds.
//!
//! The friction torque is monotone but for a few speeds at which it turns: above standstill it rises to the break-away peak,
//! falls (Stribeck), and rises again (viscous). Between these the extremes are at the ends of an interval, so that looking
//! there and at the turns misses nothing, however narrow the peak is.

use super::Mover;
use crate::robot::Load;
use dalembert_core::friction::{Friction, FrictionLaw};

/// Friction at one joint with the speeds at which it turns.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionRange {
    friction: Friction<f64>,
    turns: Vec<f64>,
}

impl FrictionRange {
    /// Finds them.
    pub fn new(friction: Friction<f64>) -> Self {
        let [low, high] = friction.turns_between();
        // 2 % apart: closer pairs of turns differ by nothing that matters.
        let steps = ((high / low).ln() / 0.02).ceil();
        let mut turns = Vec::new();
        if steps.is_finite() {
            let at = |k: f64| low * (high / low).powf(k / steps);
            for (sign, k) in [1.0, -1.0].into_iter().flat_map(|sign| (0..steps as u32).map(move |k| (sign, k))) {
                let [mut a, mut b] = [0.0, 1.0].map(|next| sign * at(f64::from(k) + next));
                let rises = friction.slope(a) > 0.0;
                if rises != (friction.slope(b) > 0.0) {
                    for _ in 0..50 {
                        let middle = 0.5 * (a + b);
                        if (friction.slope(middle) > 0.0) == rises {
                            a = middle;
                        } else {
                            b = middle;
                        }
                    }
                    turns.push(0.5 * (a + b));
                }
            }
        }
        Self { friction, turns }
    }

    /// At a speed, N m.
    pub fn torque(&self, speed: f64) -> f64 {
        self.friction.torque(speed)
    }

    /// Over all speeds from `low` to `high`, N m.
    pub fn over(&self, low: f64, high: f64) -> [f64; 2] {
        let ends = [self.torque(low), self.torque(high)];
        let mut range = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        for &turn in &self.turns {
            if low < turn && turn < high {
                let value = self.torque(turn);
                range = [range[0].min(value), range[1].max(value)];
            }
        }
        range
    }
}

/// The friction of each joint that has any.
pub(super) struct JointFriction(Vec<Option<FrictionRange>>);

impl JointFriction {
    pub fn of(mover: &Mover) -> Self {
        Self(mover.joints().iter().map(|joint| joint.friction.map(FrictionRange::new)).collect())
    }

    /// The joints that have any.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &FrictionRange)> {
        self.0.iter().enumerate().filter_map(|(i, friction)| Some((i, friction.as_ref()?)))
    }

    /// At a joint (from 0) and its speed, N m.
    pub fn torque(&self, joint: usize, speed: f64) -> f64 {
        self.0.get(joint).and_then(Option::as_ref).map_or(0.0, |friction| friction.torque(speed))
    }

    /// Largest share of a torque limit between two loads that follow each other: friction takes every value that it has at
    /// the speeds between theirs, so that a peak which lies between the two is not missed.
    pub fn share_between(&self, mover: &Mover, ends: [&Load; 2]) -> f64 {
        let mut largest = 0.0_f64;
        for (i, friction) in self.joints() {
            let [a, b] = ends.map(|load| load.joints.qd[i]);
            for extreme in friction.over(a.min(b), a.max(b)) {
                for load in ends {
                    let torque = load.torque[i] - friction.torque(load.joints.qd[i]) + extreme;
                    largest = largest.max(torque.abs() / mover.joints()[i].limits.max_torque);
                }
            }
        }
        largest
    }
}
