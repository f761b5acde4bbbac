//! Whether a robot that shall stand still does.
//!
//! Each joint is watched for itself while it is held. It swings where it turns back again and again and the last swing is
//! hardly smaller than the one before; turns within the tremble of an encoder are none. What still moves without swinging so
//! may be on its way to rest: a hold that is longer than the slowest pole tells.

use super::Encoder;
use std::fmt;

/// Holding still, a joint may tremble by this before it counts as moving: about 0.006°, or three counts.
const TREMBLE: f64 = 1e-4;

/// A swing that has so much of the one before goes on: a damping ratio below 0.03.
const GOES_ON: f64 = 0.9;

/// Motors that go to and fro by so much of the largest torque of the run do not rest, though the joints do.
const HAMMERS: f64 = 0.25;

/// Whether the robot came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It did.
    Settled,
    /// The joints did, but a motor goes to and fro by so much torque, N m (N), in the last quarter of the hold.
    Hammers(f64),
    /// A joint still moved by so much in the last quarter of the hold, rad (m), and it cannot be told yet whether it stops.
    StillMoves(f64),
    /// A joint swings by so much, rad (m), and no less than before.
    Oscillates(f64),
    /// The run ended early.
    Lost,
    /// There was no hold to tell.
    Unknown,
}

impl Verdict {
    /// Whether a reader should worry.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Settled | Self::Unknown)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let human = crate::report::text::human;
        match *self {
            Self::Settled => f.write_str("came to rest"),
            Self::Hammers(ripple) => {
                write!(f, "stands still, but its motors do NOT: they go to and fro by {} N m", human(ripple, 3))
            }
            Self::StillMoves(way) => {
                write!(f, "still moves at the end, by {} rad; a longer hold tells more", human(way, 2))
            }
            Self::Oscillates(swing) => write!(f, "does NOT come to rest: swings by {} rad", human(swing, 2)),
            Self::Lost => f.write_str("is NOT stable: the run ended early"),
            Self::Unknown => f.write_str("ended as planned; no hold to see it come to rest"),
        }
    }
}

/// Least and largest of what was seen.
#[derive(Clone, Copy, Debug)]
struct Span([f64; 2]);

impl Span {
    const NOTHING: Self = Self([f64::INFINITY, f64::NEG_INFINITY]);

    fn add(&mut self, value: f64) {
        self.0 = [self.0[0].min(value), self.0[1].max(value)];
    }

    fn width(self) -> f64 {
        (self.0[1] - self.0[0]).max(0.0)
    }
}

/// The turns of a joint: from one to the next is a swing.
#[derive(Clone, Copy, Debug)]
struct Swings {
    /// What was seen since the last turn.
    span: Span,
    /// +1: on its way up, −1: down, 0: not known yet.
    way: f64,
    turns: u32,
    /// The last swings, the newest first.
    last: [f64; 2],
}

impl Swings {
    const NONE: Self = Self { span: Span::NOTHING, way: 0.0, turns: 0, last: [0.0; 2] };

    /// A turn is one where the joint has come back by more than `tremble`.
    fn add(&mut self, q: f64, tremble: f64) {
        self.span.add(q);
        let [low, high] = self.span.0;
        let back = if high - q > tremble && self.way >= 0.0 {
            -1.0
        } else if q - low > tremble && self.way <= 0.0 {
            1.0
        } else {
            return;
        };
        if self.way != 0.0 {
            self.turns += 1;
            self.last = [high - low, self.last[0]];
            self.span = Span(if back < 0.0 { [q, high] } else { [low, q] });
        }
        self.way = back;
    }

    /// Two whole swings, the second hardly smaller: the swing between the first two turns began before anybody watched.
    fn go_on(&self) -> bool {
        self.turns >= 3 && self.last[0] > GOES_ON * self.last[1]
    }
}

/// Watches the joints while they are held.
#[derive(Clone, Debug)]
pub struct Rest {
    /// From when to when, s.
    hold: [f64; 2],
    tremble: f64,
    swings: Vec<Swings>,
    /// Joints and torques in the last quarter.
    quarter: [Vec<Span>; 2],
    seen: bool,
}

impl Rest {
    /// A hold of so many seconds after a motion, seen through the encoders of so many joints.
    pub fn after(motion: f64, hold: f64, encoder: &Encoder, joints: usize) -> Self {
        let counts = encoder.counts;
        let tremble = if counts > 0.0 { TREMBLE.max(3.0 * std::f64::consts::TAU / counts) } else { TREMBLE };
        Self {
            hold: [motion, motion + hold],
            tremble,
            swings: vec![Swings::NONE; joints],
            quarter: [0, 1].map(|_| vec![Span::NOTHING; joints]),
            seen: false,
        }
    }

    /// Joints and torques at a time, s; what is before the hold is not looked at.
    pub fn add(&mut self, time: f64, q: &[f64], torque: &[f64]) {
        let [start, end] = self.hold;
        if time <= start {
            return;
        }
        for (swings, q) in self.swings.iter_mut().zip(q) {
            swings.add(*q, self.tremble);
        }
        if time > end - 0.25 * (end - start) {
            self.seen = true;
            for (spans, values) in self.quarter.iter_mut().zip([q, torque]) {
                spans.iter_mut().zip(values).for_each(|(span, value)| span.add(*value));
            }
        }
    }

    /// The verdict on a run that came to its end; `peaks` are the largest torques of the run.
    pub fn verdict(&self, peaks: &[f64]) -> Verdict {
        if !self.seen {
            return Verdict::Unknown;
        }
        let [joints, torques] = &self.quarter;
        let largest = |of: &dyn Fn(usize) -> f64| (0..self.swings.len()).map(of).fold(0.0, f64::max);
        let swing = largest(&|i| if self.swings[i].go_on() { self.swings[i].last[0] } else { 0.0 });
        let way = largest(&|i| joints[i].width());
        let hammering = |i: usize| torques[i].width() > HAMMERS * peaks.get(i).copied().unwrap_or(f64::INFINITY);
        let ripple = largest(&|i| if hammering(i) { torques[i].width() } else { 0.0 });
        if swing > 0.0 && way > self.tremble {
            Verdict::Oscillates(swing)
        } else if way > self.tremble {
            Verdict::StillMoves(way)
        } else if ripple > 0.0 {
            Verdict::Hammers(ripple)
        } else {
            Verdict::Settled
        }
    }
}
