//! Whether a robot that shall stand still does: what its recorded hold says.
//!
//! Each joint is looked at for itself. It turns where it comes back by more than an encoder trembles; from one turn to the
//! next is a swing. Swings that keep their size are a limit cycle, swings that grow are a divergence, and a joint that moves
//! without turning creeps. What has turned too seldom to be judged may be on its way to rest: a longer hold shows it.

use super::Encoder;
use crate::report::text::human;
use crate::robot::Joint;
use serde::Serialize;
use std::fmt;

/// Holding still, a joint may tremble by this before it counts as moving: about 0.006°, or three counts.
const TREMBLE: f64 = 1e-4;

/// Swings that keep so much of their size from one to the next go on: a damping ratio below 0.03.
const GOES_ON: f64 = 0.9;

/// Swings whose later half is so much larger than the earlier one grow.
const GROWS: f64 = 1.5;

/// A motor that goes to and fro by so much of its largest torque does not rest, though its joint does.
const HAMMERS: f64 = 0.1;

/// Without a limit of torque: by so much of its own largest torque in the run …
const HAMMERS_OWN: f64 = 0.25;

/// … and by so much of the largest torque of all motors of its kind.
const HAMMERS_ALL: f64 = 0.01;

/// Limits that cut a torque in so much of the hold are why a robot does not stand still.
const SATURATED: f64 = 0.5;

/// What a joint or its motor does instead of standing still.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Unrest {
    /// From 1.
    pub joint: usize,
    /// By how much, from least to largest.
    pub by: f64,
    /// Of what: rad, m, N m or N.
    pub unit: &'static str,
    /// How often, Hz, where it goes to and fro.
    pub frequency: Option<f64>,
    /// The share of the hold in which a limit cut a torque.
    pub cut: f64,
}

impl fmt::Display for Unrest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { joint, by, unit, frequency, cut } = self;
        write!(f, "joint {joint} by {} {unit}", human(*by, 3))?;
        if let Some(frequency) = frequency {
            write!(f, " at {} Hz", human(*frequency, 3))?;
        }
        if *cut > 0.0 {
            write!(f, "; limits cut its torques in {} % of the hold", human(100.0 * cut, 3))?;
        }
        Ok(())
    }
}

/// [`RestVerdict`] as it is serialised.
#[derive(Serialize)]
struct RestReport {
    /// In a sentence.
    verdict: String,
    /// In a word.
    rest: &'static str,
    /// What does not stand still.
    unrest: Option<Unrest>,
}

impl From<RestVerdict> for RestReport {
    fn from(verdict: RestVerdict) -> Self {
        Self { verdict: verdict.to_string(), rest: verdict.as_str(), unrest: verdict.unrest().copied() }
    }
}

/// Whether the robot came to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(into = "RestReport")]
pub enum RestVerdict {
    /// It did.
    Settled,
    /// The joints did, but a motor goes to and fro.
    Hammers(Unrest),
    /// A joint still moves one way.
    Creeps(Unrest),
    /// A joint still moves, and has turned too seldom to be judged.
    StillMoves(Unrest),
    /// A joint swings, less each time.
    Decays(Unrest),
    /// A joint moves, and limits cut the torques in most of the hold.
    Saturates(Unrest),
    /// A joint swings, and no less than before.
    LimitCycle(Unrest),
    /// A joint swings, and more than before.
    Diverges(Unrest),
    /// The run ended early.
    Lost,
    /// There was no hold.
    #[default]
    Unknown,
}

impl RestVerdict {
    /// Whether a reader need not worry.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Settled | Self::Unknown)
    }

    /// In a word, for programs.
    pub fn as_str(&self) -> &'static str {
        self.described().1
    }

    /// What does not stand still.
    pub fn unrest(&self) -> Option<&Unrest> {
        self.described().3
    }

    /// Its rank (the more, the worse), a word, a sentence before and after what does not stand still, and that.
    fn described(&self) -> (u8, &'static str, [&'static str; 2], Option<&Unrest>) {
        match self {
            Self::Unknown => (0, "unknown", ["had no hold in which to come to rest", ""], None),
            Self::Settled => (0, "settled", ["came to rest", ""], None),
            Self::Hammers(it) => (1, "hammering", ["is at rest, but its motor torque oscillates: ", ""], Some(it)),
            Self::Creeps(it) => {
                let text = ["still creeps at the end: ", "; a longer hold shows whether it stops"];
                (2, "creeping", text, Some(it))
            }
            Self::StillMoves(it) => (3, "moving", ["still moves at the end: ", "; a longer hold shows more"], Some(it)),
            Self::Decays(it) => {
                let text = ["still swings at the end, less each time: ", "; a longer hold shows the rest"];
                (4, "decaying", text, Some(it))
            }
            Self::Saturates(it) => (5, "saturation", ["does NOT come to rest, its motors saturate: ", ""], Some(it)),
            Self::LimitCycle(it) => (6, "limit cycle", ["does NOT come to rest, a limit cycle: ", ""], Some(it)),
            Self::Diverges(it) => (7, "divergence", ["does NOT come to rest, it diverges: ", ""], Some(it)),
            Self::Lost => (8, "lost", ["lost the motion: the run ended early", ""], None),
        }
    }
}

impl fmt::Display for RestVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, _, [before, after], unrest) = self.described();
        f.write_str(before)?;
        unrest.map_or(Ok(()), |unrest| unrest.fmt(f))?;
        f.write_str(after)
    }
}

/// From the least to the largest of some values.
fn width(values: &[f64]) -> f64 {
    let [low, high] =
        values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)]);
    (high - low).max(0.0)
}

/// The places at which values turn, and how far they go from one to the next; a turn is where they have come back by more than
/// `tremble`.
fn turns(values: &[f64], tremble: f64) -> Vec<(usize, f64)> {
    let mut turns = Vec::new();
    // Up or down; the least and the largest value since the last turn, with their places.
    let (mut up, mut low, mut high): (Option<bool>, (usize, f64), (usize, f64)) =
        (None, (0, f64::INFINITY), (0, f64::NEG_INFINITY));
    for (k, &value) in values.iter().enumerate() {
        if value < low.1 {
            low = (k, value);
        }
        if value > high.1 {
            high = (k, value);
        }
        if high.1 - value > tremble && up != Some(false) {
            if up.is_some() {
                turns.push((high.0, high.1 - low.1));
            }
            (up, low) = (Some(false), (k, value));
        } else if value - low.1 > tremble && up != Some(true) {
            if up.is_some() {
                turns.push((low.0, high.1 - low.1));
            }
            (up, high) = (Some(true), (k, value));
        }
    }
    turns
}

/// How often values go to and fro, Hz, by their turns.
fn frequency(times: &[f64], turns: &[(usize, f64)]) -> Option<f64> {
    let (&(first, _), &(last, _)) = (turns.first()?, turns.last()?);
    let span = times[last] - times[first];
    (span > 0.0).then(|| 0.5 * (turns.len() - 1) as f64 / span)
}

/// A joint while it is held.
pub struct HeldJoint<'r> {
    /// The joint.
    pub joint: Joint,
    /// Its position at each time.
    pub q: &'r [f64],
    /// The torque of its motor.
    pub torque: &'r [f64],
    /// The largest torque of the run.
    pub torque_peak: f64,
}

/// A hold as it was recorded.
pub struct Hold<'r> {
    /// s.
    pub times: &'r [f64],
    /// All of them.
    pub joints: Vec<HeldJoint<'r>>,
    /// The share of the hold in which a limit cut a torque.
    pub cut: f64,
}

impl Hold<'_> {
    /// The worst of what the joints do, seen through their encoders.
    pub fn verdict(&self, encoder: &Encoder) -> RestVerdict {
        if self.times.len() < 4 {
            return RestVerdict::Unknown;
        }
        let counts = encoder.counts;
        let tremble = if counts > 0.0 { TREMBLE.max(3.0 * std::f64::consts::TAU / counts) } else { TREMBLE };
        let each = (0..self.joints.len()).map(|i| self.of_joint(i, tremble));
        each.fold(RestVerdict::Settled, |worst, next| {
            let by = |verdict: &RestVerdict| verdict.unrest().map_or(0.0, |unrest| unrest.by);
            if (next.described().0, by(&next)) > (worst.described().0, by(&worst)) { next } else { worst }
        })
    }

    fn of_joint(&self, i: usize, tremble: f64) -> RestVerdict {
        let HeldJoint { joint, q, torque, .. } = &self.joints[i];
        let last_quarter = self.times.len() - self.times.len() / 4;
        let units = joint.kind.units();
        let unrest = |by, unit, frequency| Unrest { joint: i + 1, by, unit, frequency, cut: self.cut };
        let moved = width(&q[last_quarter..]);
        if moved <= tremble {
            let ripple = width(&torque[last_quarter..]);
            if ripple <= self.hammering(i) {
                return RestVerdict::Settled;
            }
            let frequency = frequency(self.times, &turns(torque, 0.5 * ripple));
            return RestVerdict::Hammers(unrest(ripple, units.torque, frequency));
        }
        let turns = turns(q, tremble);
        // Before the first turn a swing began when nobody watched.
        let swings: Vec<f64> = turns.iter().skip(1).map(|&(_, by)| by).collect();
        if swings.len() < 2 {
            let unrest = unrest(moved, units.position, None);
            let one_way = turns.last().is_none_or(|&(place, _)| place < self.times.len() / 2);
            return match (self.cut > SATURATED, one_way) {
                (true, _) => RestVerdict::Saturates(unrest),
                (false, true) => RestVerdict::Creeps(unrest),
                (false, false) => RestVerdict::StillMoves(unrest),
            };
        }
        let (earlier, later) = swings.split_at(swings.len() / 2);
        let mean = |swings: &[f64]| swings.iter().sum::<f64>() / swings.len() as f64;
        let ratio = mean(later) / mean(earlier);
        let largest = later.iter().copied().fold(0.0, f64::max);
        let unrest = unrest(largest, units.position, frequency(self.times, &turns));
        // From the middle of the earlier swings to that of the later ones is half of their number.
        if ratio > GROWS {
            RestVerdict::Diverges(unrest)
        } else if ratio.powf(2.0 / swings.len() as f64) > GOES_ON {
            RestVerdict::LimitCycle(unrest)
        } else {
            RestVerdict::Decays(unrest)
        }
    }

    /// The ripple of a motor's torque that is too much.
    fn hammering(&self, i: usize) -> f64 {
        let HeldJoint { joint, torque_peak, .. } = &self.joints[i];
        if joint.limits.max_torque.is_finite() {
            return HAMMERS * joint.limits.max_torque;
        }
        let alike = self.joints.iter().filter(|other| other.joint.kind == joint.kind);
        let most = alike.map(|other| other.torque_peak).fold(0.0, f64::max);
        (HAMMERS_OWN * torque_peak).max(HAMMERS_ALL * most)
    }
}
