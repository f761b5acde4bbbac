//! A motion through states that are given at some times, as a file has them.
//!
//! Between two rows each coordinate is the polynomial of fifth degree that has position, velocity and acceleration of both
//! (quintic Hermite interpolation). With s the time since the row before, h the time between the two and
//! D, V, A what position, velocity and acceleration of the row after are beyond x₀ + v₀h + a₀h²/2, v₀ + a₀h and a₀,
//!
//! ```text
//! x = x₀ + v₀ s + a₀ s²/2 + c₃ s³ + c₄ s⁴ + c₅ s⁵                                                            (1)
//! c₃ = (10 D − 4 V h + A h²/2)/h³,  c₄ = (7 V h − 15 D − A h²)/h⁴,  c₅ = (6 D − 3 V h + A h²/2)/h⁵           (2)
//! ```
//!
//! Velocity and acceleration are the derivatives of (1), so the three fit each other, and all are continuous. Where the
//! motion behind the rows is smooth, the position is off by at most h⁶/46080 of its sixth derivative, the velocity is of fifth
//! and the acceleration of fourth order; where its acceleration jumps between two rows, the jump takes that long.

use super::{Motion, MotionState, Point};

/// What the positions of two rows may differ beyond what their velocities and accelerations say, m (rad): what few decimals
/// in a file leave.
const ROUNDING: f64 = 1e-5;

/// The part of its largest speed that a motion may have at its ends and count as resting.
const RESTING: f64 = 1e-3;

/// Why rows are no motion; rows are counted from 0, so are the numbers of a point.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum SamplesError {
    #[error("a motion needs two rows or more, here are {rows}")]
    TooFew { rows: usize },
    #[error("the time is {time} s, but has to be later than {before} s, the time of the row before")]
    Time { row: usize, before: f64, time: f64 },
    #[error("{value} is not finite")]
    NotFinite { row: usize, component: usize, value: f64 },
    #[error("the motion moves at {speed} per second here, but has to begin and end at rest")]
    NotAtRest { row: usize, component: usize, speed: f64 },
    #[error(
        "it moves by {moved} since the row before, but the velocities and accelerations of both say {said}: the columns do not belong together"
    )]
    Apart { row: usize, component: usize, moved: f64, said: f64 },
    #[error(
        "by the positions it moves {moved:.4} forth and back in all, by velocities and times {said:.4}: one of them is in another unit"
    )]
    MotionPace { component: usize, moved: f64, said: f64 },
}

impl SamplesError {
    /// Of which row, from 0.
    pub fn row(&self) -> Option<usize> {
        match *self {
            Self::TooFew { .. } | Self::MotionPace { .. } => None,
            Self::Time { row, .. }
            | Self::NotFinite { row, .. }
            | Self::NotAtRest { row, .. }
            | Self::Apart { row, .. } => Some(row),
        }
    }
}

/// A motion through rows. Time counts from the first of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledMotion<P> {
    /// When each piece begins, and when the last one ends, s.
    times: Vec<f64>,
    pieces: Vec<SamplePiece<P>>,
    ends: [P; 2],
}

/// (1) from one row to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SamplePiece<P> {
    start: MotionState<P>,
    /// c₃, c₄, c₅.
    c: [P; 3],
}

impl<P: Point> SamplePiece<P> {
    /// (2).
    fn between(a: &MotionState<P>, b: &MotionState<P>, h: f64) -> Self {
        let d = b.position.plus(-1.0, &a.position).plus(-h, &a.velocity).plus(-0.5 * h * h, &a.acceleration);
        let v = b.velocity.plus(-1.0, &a.velocity).plus(-h, &a.acceleration).times(h);
        let a2 = b.acceleration.plus(-1.0, &a.acceleration).times(h * h);
        let sum = |x: f64, y: f64, z: f64, power: i32| d.times(x).plus(y, &v).plus(z, &a2).times(h.powi(-power));
        Self { start: a.clone(), c: [sum(10.0, -4.0, 0.5, 3), sum(-15.0, 7.0, -1.0, 4), sum(6.0, -3.0, 0.5, 5)] }
    }

    fn at(&self, s: f64) -> MotionState<P> {
        let Self { start: MotionState { position, velocity, acceleration }, c: [c3, c4, c5] } = self;
        let series = |from: &P, factors: [f64; 3]| from.plus(factors[0], c3).plus(factors[1], c4).plus(factors[2], c5);
        let (s2, s3) = (s * s, s * s * s);
        MotionState {
            position: series(&position.plus(s, velocity).plus(0.5 * s2, acceleration), [s3, s3 * s, s3 * s2]),
            velocity: series(&velocity.plus(s, acceleration), [3.0 * s2, 4.0 * s3, 5.0 * s3 * s]),
            acceleration: series(acceleration, [6.0 * s, 12.0 * s2, 20.0 * s3]),
        }
    }
}

impl<P: Point> SampledMotion<P> {
    /// The motion through states at times, s, from rest to rest.
    pub fn new(times: &[f64], states: &[MotionState<P>]) -> Result<Self, SamplesError> {
        let rows = times.len().min(states.len());
        let (Some(first), Some(last), true) = (states.first(), states.get(rows.wrapping_sub(1)), rows >= 2) else {
            return Err(SamplesError::TooFew { rows });
        };
        belong_together(&times[..rows], &states[..rows])?;
        begin_and_end_at_rest(&states[..rows])?;
        Ok(Self::through(&times[..rows], &states[..rows], [first.position.clone(), last.position.clone()]))
    }

    /// The same for rows that are known to be a motion.
    pub(super) fn through(times: &[f64], states: &[MotionState<P>], ends: [P; 2]) -> Self {
        let piece = |k: usize| SamplePiece::between(&states[k - 1], &states[k], times[k] - times[k - 1]);
        let pieces = (1..times.len()).map(piece).collect();
        Self { times: times.iter().map(|time| time - times[0]).collect(), pieces, ends }
    }
}

/// The largest size of each number over all states.
fn largest<P: Point>(states: &[MotionState<P>], of: fn(&MotionState<P>) -> &P) -> Vec<f64> {
    let mut most = vec![0.0_f64; states.first().map_or(0, |state| state.position.components().len())];
    for state in states {
        most.iter_mut().zip(of(state).components()).for_each(|(most, x)| *most = most.max(x.abs()));
    }
    most
}

/// Rows that are one motion: finite, one after the other, and moving by what their velocities and accelerations say.
pub(super) fn belong_together<P: Point>(times: &[f64], states: &[MotionState<P>]) -> Result<(), SamplesError> {
    follow_each_other(times, states)?;
    agree(times, states, ROUNDING)
}

/// Rows that are finite, one after the other.
pub(super) fn follow_each_other<P: Point>(times: &[f64], states: &[MotionState<P>]) -> Result<(), SamplesError> {
    for (row, (state, &time)) in states.iter().zip(times).enumerate() {
        let all = [&state.position, &state.velocity, &state.acceleration];
        for (component, &value) in all.iter().flat_map(|x| x.components().iter().enumerate()) {
            if !value.is_finite() {
                return Err(SamplesError::NotFinite { row, component, value });
            }
        }
        let before = if row == 0 { f64::NEG_INFINITY } else { times[row - 1] };
        if !(time > before && time.is_finite()) {
            return Err(SamplesError::Time { row, before, time });
        }
    }
    Ok(())
}

/// Positions that move by what velocities and accelerations say, but for some rounding, m (rad).
pub(super) fn agree<P: Point>(times: &[f64], states: &[MotionState<P>], rounding: f64) -> Result<(), SamplesError> {
    let accelerations = largest(states, |state| &state.acceleration);
    for row in 1..states.len().min(times.len()) {
        let (a, b, h) = (&states[row - 1], &states[row], times[row] - times[row - 1]);
        let part = |x: &P, i: usize| x.components()[i];
        for (component, most) in accelerations.iter().enumerate() {
            let of = |x: fn(&MotionState<P>) -> &P| [part(x(a), component), part(x(b), component)];
            let ([x0, x1], [v0, v1], [a0, a1]) = (of(|s| &s.position), of(|s| &s.velocity), of(|s| &s.acceleration));
            // The trapezoid with its correction; a jump of the acceleration on the way changes it by less than h² of it.
            let (moved, said) = (x1 - x0, 0.5 * h * (v0 + v1) + h * h / 12.0 * (a0 - a1));
            if (moved - said).abs() > h * h * most + rounding * (1.0 + x1.abs()) {
                return Err(SamplesError::Apart { row, component, moved, said });
            }
        }
    }
    keep_pace(times, states)
}

/// Velocities and times that say much more than the positions: a time in milliseconds, or a velocity in mm/s, which the check of
/// each step does not see where the step seems long.
fn keep_pace<P: Point>(times: &[f64], states: &[MotionState<P>]) -> Result<(), SamplesError> {
    /// Whatever rows leave out between them, it is less than this.
    const MUCH: f64 = 100.0;
    let mut sums = vec![[0.0; 2]; states.first().map_or(0, |state| state.position.components().len())];
    for (pair, times) in states.windows(2).zip(times.windows(2)) {
        let [a, b] = [&pair[0], &pair[1]];
        for (component, [moved, said]) in sums.iter_mut().enumerate() {
            let part = |x: &P| x.components()[component];
            *moved += (part(&b.position) - part(&a.position)).abs();
            *said += 0.5 * (times[1] - times[0]) * (part(&a.velocity).abs() + part(&b.velocity).abs());
        }
    }
    let odd = |[moved, said]: &[f64; 2]| *said > MUCH * (moved + ROUNDING * states.len() as f64);
    match sums.iter().position(odd) {
        Some(component) => {
            Err(SamplesError::MotionPace { component, moved: sums[component][0], said: sums[component][1] })
        }
        None => Ok(()),
    }
}

/// By how much positions and what velocities and accelerations add up to are apart at most, m (rad).
pub(super) fn drift<P: Point>(times: &[f64], states: &[MotionState<P>]) -> f64 {
    let (mut sum, mut most) = (states.first().map(|state| state.position.clone()), 0.0_f64);
    for row in 1..states.len().min(times.len()) {
        let (a, b, h) = (&states[row - 1], &states[row], times[row] - times[row - 1]);
        let moved = a.velocity.plus(1.0, &b.velocity).times(0.5 * h);
        let moved = moved.plus(h * h / 12.0, &a.acceleration.plus(-1.0, &b.acceleration));
        sum = sum.map(|sum| sum.plus(1.0, &moved));
        most = sum.as_ref().map_or(most, |sum| most.max(b.position.plus(-1.0, sum).length()));
    }
    most
}

fn begin_and_end_at_rest<P: Point>(states: &[MotionState<P>]) -> Result<(), SamplesError> {
    let speeds = largest(states, |state| &state.velocity);
    for row in [0, states.len() - 1] {
        for (component, &speed) in states[row].velocity.components().iter().enumerate() {
            if speed.abs() > RESTING * speeds[component] + 1e-9 {
                return Err(SamplesError::NotAtRest { row, component, speed });
            }
        }
    }
    Ok(())
}

impl<P: Point> Motion for SampledMotion<P> {
    type Point = P;
    fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }
    fn at(&self, t: f64) -> MotionState<P> {
        if t < 0.0 || t > self.duration() {
            return MotionState::still(self.ends[usize::from(t > 0.0)].clone());
        }
        let index = self.times.partition_point(|time| *time <= t).saturating_sub(1).min(self.pieces.len() - 1);
        self.pieces[index].at(t - self.times[index])
    }
    fn breaks(&self) -> Vec<f64> {
        self.times[1..self.times.len() - 1].to_vec()
    }
}
