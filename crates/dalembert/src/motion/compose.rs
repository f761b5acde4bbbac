//! Motions one after the other.

use super::{Motion, MotionState, PlatformState, Point, length};
use dalembert_core::Vec3;
use std::ops::Deref;

/// A motion of any kind.
pub type BoxedMotion<P> = Box<dyn Motion<Point = P> + Send + Sync>;

impl<D: Deref<Target: Motion>> Motion for D {
    type Point = <D::Target as Motion>::Point;
    fn duration(&self) -> f64 {
        (**self).duration()
    }
    fn at(&self, t: f64) -> MotionState<Self::Point> {
        (**self).at(t)
    }
    fn breaks(&self) -> Vec<f64> {
        (**self).breaks()
    }
}

/// A pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dwell<P> {
    /// Where.
    pub position: P,
    /// s.
    pub duration: f64,
}

impl<P: Point> Motion for Dwell<P> {
    type Point = P;
    fn duration(&self) -> f64 {
        self.duration
    }
    fn at(&self, _t: f64) -> MotionState<P> {
        MotionState::still(self.position.clone())
    }
}

/// Motions one after the other, each where the one before has ended.
pub struct Sequence<P> {
    parts: Vec<(f64, BoxedMotion<P>)>,
    duration: f64,
    /// Where it is before and after.
    ends: [P; 2],
}

/// Two motions that do not fit together; motions are counted from 1, jumps are in m or m/s (rad, rad/s).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum SequenceError {
    #[error("a sequence needs at least one motion")]
    Empty,
    #[error("{what} jumps by {jump:.3e} from motion {part} to motion {}", part + 1)]
    Jump { what: &'static str, jump: f64, part: usize },
}

impl<P: Point> Sequence<P> {
    /// The motions in this order. Position and velocity have to go on; an acceleration may jump.
    pub fn new(motions: Vec<BoxedMotion<P>>) -> Result<Self, SequenceError> {
        let (Some(first), Some(last)) = (motions.first(), motions.last()) else { return Err(SequenceError::Empty) };
        let ends = [first.at(0.0).position, last.at(last.duration()).position];
        for (i, pair) in motions.windows(2).enumerate() {
            let (before, after) = (pair[0].at(pair[0].duration()), pair[1].at(0.0));
            let gaps = [
                ("the position", &before.position, &after.position),
                ("the velocity", &before.velocity, &after.velocity),
            ];
            for (what, before, after) in gaps {
                let jump = length(after.plus(-1.0, before).components());
                // What sums of a few hundred pieces round to.
                if jump > 1e-9 * (1.0 + length(before.components())) {
                    return Err(SequenceError::Jump { what, jump, part: i + 1 });
                }
            }
        }
        let mut duration = 0.0;
        let parts = motions.into_iter().map(|motion| {
            let start = duration;
            duration += motion.duration();
            (start, motion)
        });
        Ok(Self { parts: parts.collect(), duration, ends })
    }
}

impl<P: Point> Motion for Sequence<P> {
    type Point = P;
    fn duration(&self) -> f64 {
        self.duration
    }
    fn at(&self, t: f64) -> MotionState<P> {
        if t < 0.0 || t > self.duration {
            return MotionState::still(self.ends[usize::from(t > 0.0)].clone());
        }
        let index = self.parts.partition_point(|(start, _)| *start <= t).saturating_sub(1);
        let (start, motion) = &self.parts[index];
        motion.at(t - start)
    }
    fn breaks(&self) -> Vec<f64> {
        let mut times = Vec::new();
        for (start, motion) in &self.parts {
            if *start > 0.0 {
                times.push(*start);
            }
            times.extend(motion.breaks().into_iter().map(|t| start + t));
        }
        times
    }
}

/// A motion several times, one after the other.
pub struct Repeated<M> {
    motion: M,
    times: usize,
}

/// A motion that cannot be repeated; the gap is in m (rad).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum RepeatError {
    #[error("{times} times: it can be 1 to {most}")]
    Times { times: usize, most: usize },
    #[error("the motion ends {gap:.4} m from where it begins, so it cannot be repeated")]
    Open { gap: f64 },
}

impl<M: Motion> Repeated<M> {
    /// `times` times `motion`, from rest to rest and back to its beginning.
    pub fn new(motion: M, times: usize) -> Result<Self, RepeatError> {
        const MAX_REPETITIONS: usize = 100_000;
        if !(1..=MAX_REPETITIONS).contains(&times) {
            return Err(RepeatError::Times { times, most: MAX_REPETITIONS });
        }
        let (first, last) = (motion.at(0.0).position, motion.at(motion.duration()).position);
        let gap = length(last.plus(-1.0, &first).components());
        // What sums of a few hundred pieces round to, as in a sequence.
        if times > 1 && gap > 1e-9 * (1.0 + length(first.components())) {
            return Err(RepeatError::Open { gap });
        }
        Ok(Self { motion, times })
    }
}

impl<M: Motion> Motion for Repeated<M> {
    type Point = M::Point;
    fn duration(&self) -> f64 {
        self.times as f64 * self.motion.duration()
    }
    fn at(&self, t: f64) -> MotionState<M::Point> {
        let period = self.motion.duration();
        let done = (t / period).floor().clamp(0.0, (self.times - 1) as f64);
        self.motion.at(t - done * period)
    }
    fn breaks(&self) -> Vec<f64> {
        let (period, inside) = (self.motion.duration(), self.motion.breaks());
        let mut times = Vec::new();
        for k in 0..self.times {
            let start = k as f64 * period;
            if k > 0 {
                times.push(start);
            }
            times.extend(inside.iter().map(|t| start + t));
        }
        times
    }
}

/// A motion whose accelerations are found by differencing its positions twice, in single precision: as a controller finds them
/// that is given positions only (Codourey 1998, §5.1).
#[derive(Clone, Debug)]
pub struct Differenced<M> {
    motion: M,
    step: f64,
}

impl<M: Motion> Differenced<M> {
    /// By differences over `step`, s: the period of the controller.
    pub fn new(motion: M, step: f64) -> Self {
        Self { motion, step }
    }

    fn rounded(&self, t: f64) -> M::Point {
        let position = self.motion.at(t).position;
        let single = position.components().iter().map(|&x| f64::from(x as f32));
        single.enumerate().fold(position.zero(), |sum, (k, x)| sum.plus(x, &position.unit(k)))
    }
}

impl<M: Motion> Motion for Differenced<M> {
    type Point = M::Point;
    fn duration(&self) -> f64 {
        self.motion.duration()
    }
    fn at(&self, t: f64) -> MotionState<M::Point> {
        let [before, here, after] = [-self.step, 0.0, self.step].map(|dt| self.rounded(t + dt));
        let second = after.plus(-2.0, &here).plus(1.0, &before);
        MotionState { acceleration: second.times(1.0 / (self.step * self.step)), ..self.motion.at(t) }
    }
    fn breaks(&self) -> Vec<f64> {
        self.motion.breaks()
    }
}

/// The horizontal axis of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along x.
    X,
    /// Along y.
    Y,
}

impl Direction {
    /// `x` or `y`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
        }
    }
}

/// One pick-and-place cycle: a stroke forth over an arch and the same back, at rest at both ends.
///
/// With the quintic u(s) = 10 s³ − 15 s⁴ + 6 s⁵ of the time s = t/T of one stroke,
///
/// ```text
/// across = width (u − ½),   up = 16 height u²(1 − u)²                                                        (1)
/// ```
///
/// so velocity and acceleration vanish at both ends and the arch touches the ground along the ground. For the usual
/// 300 × 25 mm in 1/6 s: at most 3.375 m/s and 66.6 m/s².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickAndPlace {
    /// Middle of the stroke, on the ground, m.
    pub center: Vec3<f64>,
    /// Length of the stroke, m.
    pub width: f64,
    /// Height of the arch, m.
    pub height: f64,
    /// Time of one stroke, half a cycle, s.
    pub stroke: f64,
    /// Axis of the stroke.
    pub direction: Direction,
}

impl PickAndPlace {
    /// The state at time `t`, s. The cycle is two strokes, and repeats.
    pub fn at(&self, t: f64) -> PlatformState {
        let cycles = t / (2.0 * self.stroke);
        let phase = 2.0 * (cycles - cycles.floor()); // 0…1 forth, 1…2 back
        let (s, sign) = if phase < 1.0 { (phase, 1.0) } else { (phase - 1.0, -1.0) };
        let rate = 1.0 / self.stroke;
        let u = s * s * s * (10.0 + s * (6.0 * s - 15.0));
        let ud = 30.0 * s * s * (1.0 - s) * (1.0 - s) * rate;
        let udd = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * rate * rate;
        // b = 16 u²(1 − u)², b′ = 32 u(1 − u)(1 − 2u), b″ = 32 (1 − 6u + 6u²)
        let rest = u * (1.0 - u);
        let (b, b1, b2) = (16.0 * rest * rest, 32.0 * rest * (1.0 - 2.0 * u), 32.0 * (1.0 - 6.0 * rest));
        let place = |across: f64, up: f64| match self.direction {
            Direction::X => Vec3::new(across, 0.0, up),
            Direction::Y => Vec3::new(0.0, across, up),
        };
        PlatformState {
            position: self.center + place(sign * self.width * (u - 0.5), self.height * b),
            velocity: place(sign * self.width * ud, self.height * b1 * ud),
            acceleration: place(sign * self.width * udd, self.height * (b2 * ud * ud + b1 * udd)),
        }
    }
}

/// One cycle; [`PickAndPlace::at`] of the type itself repeats it.
impl Motion for PickAndPlace {
    type Point = Vec3<f64>;
    fn duration(&self) -> f64 {
        2.0 * self.stroke
    }
    fn at(&self, t: f64) -> PlatformState {
        if t < 0.0 || t > 2.0 * self.stroke { Self::at(self, 0.0) } else { Self::at(self, t) }
    }
    fn breaks(&self) -> Vec<f64> {
        vec![self.stroke]
    }
}
