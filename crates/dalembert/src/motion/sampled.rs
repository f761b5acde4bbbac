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
//! Velocity and acceleration are the derivatives of (1), so the three fit each other. Where the
//! motion behind the rows is smooth, the position is off by at most h⁶/46080 of its sixth derivative, the velocity is of fifth
//! and the acceleration of fourth order. Where its acceleration jumps once between two rows, by A at the time s₁, then
//!
//! ```text
//! V = A (h − s₁),  D = A (h − s₁)²/2,                                                                        (3)
//! ```
//!
//! and the polynomial would swing beyond both accelerations. Two rows closer than a tenth of the widest distance between rows,
//! as a writer puts them beside a jump, that (3) explains ten times better than a ramp from one acceleration to the other, have
//! this jump, and (1) for the rest.

use super::{Motion, MotionState, Point};

/// What the positions of two rows may differ beyond what their velocities and accelerations say, m (rad): what few decimals
/// in a file leave.
const ROUNDING: f64 = 1e-5;

/// Rows closer than this part of the widest distance may have a jump of the acceleration between them.
const CLOSE: f64 = 0.1;

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
    /// s₁ and A of (3).
    jump: Option<(f64, P)>,
}

impl<P: Point> SamplePiece<P> {
    /// (2).
    fn between(a: &MotionState<P>, b: &MotionState<P>, h: f64, close: bool) -> Self {
        let d = b.position.plus(-1.0, &a.position).plus(-h, &a.velocity).plus(-0.5 * h * h, &a.acceleration);
        let v = b.velocity.plus(-1.0, &a.velocity).plus(-h, &a.acceleration).times(h);
        let a2 = b.acceleration.plus(-1.0, &a.acceleration).times(h * h);
        let later = if close { jump([&d, &v, &a2]) } else { None };
        let [d, v, a2] = match later {
            Some(later) => [d.plus(-0.5 * later * later, &a2), v.plus(-later, &a2), a2.zero()],
            None => [d, v, a2],
        };
        let jump = later.map(|later| (h * (1.0 - later), b.acceleration.plus(-1.0, &a.acceleration)));
        let sum = |x: f64, y: f64, z: f64, power: i32| d.times(x).plus(y, &v).plus(z, &a2).times(h.powi(-power));
        Self { start: a.clone(), c: [sum(10.0, -4.0, 0.5, 3), sum(-15.0, 7.0, -1.0, 4), sum(6.0, -3.0, 0.5, 5)], jump }
    }

    fn at(&self, s: f64) -> MotionState<P> {
        let Self { start: MotionState { position, velocity, acceleration }, c: [c3, c4, c5], jump } = self;
        let series = |from: &P, factors: [f64; 3]| from.plus(factors[0], c3).plus(factors[1], c4).plus(factors[2], c5);
        let (s2, s3) = (s * s, s * s * s);
        let smooth = MotionState {
            position: series(&position.plus(s, velocity).plus(0.5 * s2, acceleration), [s3, s3 * s, s3 * s2]),
            velocity: series(&velocity.plus(s, acceleration), [3.0 * s2, 4.0 * s3, 5.0 * s3 * s]),
            acceleration: series(acceleration, [6.0 * s, 12.0 * s2, 20.0 * s3]),
        };
        match jump {
            Some((start, by)) if s >= *start => MotionState {
                position: smooth.position.plus(0.5 * (s - start) * (s - start), by),
                velocity: smooth.velocity.plus(s - start, by),
                acceleration: smooth.acceleration.plus(1.0, by),
            },
            _ => smooth,
        }
    }
}

/// The part of the time between two rows that is left after a jump (3), where there is one; D, V h and A h² are given.
fn jump<P: Point>([d, v, a2]: [&P; 3]) -> Option<f64> {
    /// So much better than a ramp.
    const BETTER: f64 = 0.1;
    let size = |d: P, v: P| 10.0 * d.length() + 4.0 * v.length();
    let later = v.dot(a2) / a2.dot(a2);
    let jumps = || size(d.plus(-0.5 * later * later, a2), v.plus(-later, a2));
    let ramps = || size(d.plus(-1.0 / 6.0, a2), v.plus(-0.5, a2));
    (later > 0.0 && later < 1.0 && jumps() < BETTER * ramps()).then_some(later)
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
        let widest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        let piece = |k: usize| {
            let h = times[k] - times[k - 1];
            SamplePiece::between(&states[k - 1], &states[k], h, h < CLOSE * widest)
        };
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
        let jumps = self.times.iter().zip(&self.pieces).filter_map(|(time, piece)| Some(time + piece.jump.as_ref()?.0));
        let mut breaks: Vec<f64> = self.times[1..self.times.len() - 1].iter().copied().chain(jumps).collect();
        breaks.sort_by(f64::total_cmp);
        breaks
    }
}

/// Rows from which they are more than points to go through.
const MANY: usize = 20;

/// Rows of the motion that is made of them at least.
const FINE: usize = 64;

/// The part of its largest speed with which a motion would begin or end, were it not made to rest, and is refused.
const MOVING: f64 = 0.25;

/// Powers of ten of λ, with the mean time between two rows as the unit: below the first it counts for nothing.
const POWERS: [f64; 2] = [-12.0, 18.0];

/// A motion near rows.
pub(super) struct NearRows<P> {
    /// s.
    pub times: Vec<f64>,
    /// The row that is at this time, or else before it.
    pub rows: Vec<usize>,
    pub states: Vec<MotionState<P>>,
    /// Its largest distance from a row in one coordinate, m (rad).
    pub deviation: f64,
}

/// The last decimal of some numbers: 0.0001 for 0.1234 and 0.5; 0 where there are nine or more.
pub(super) fn last_decimal(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let fits = |step: f64| {
        let whole = |x: f64| ((x / step).round() * step - x).abs() < 1e-6 * step + 1e-15 * x.abs();
        values.clone().all(whole)
    };
    (0..9).map(|k| 10_f64.powi(-k)).find(|&step| fits(step)).unwrap_or(0.0)
}

/// The smooth motion near positions alone, or positions that are rounded, at times that grow.
///
/// Differences of rounded numbers would be noise, which a feed-forward law passes on. So each coordinate becomes the function
/// from rest to rest with the least
///
/// ```text
/// Σ (x(tₖ) − zₖ)² + λ ∫ x⃛² dt                                                                              (4)
/// ```
///
/// whose pieces are of fifth degree (Reinsch, Smoothing by spline functions, Numer. Math. 10, 1967, (1)–(2), there with x″). λ is
/// as large as the rows allow (his S): their mean square distance from x is what they are rounded by, step²/12. Where the last
/// decimal does not tell it, the differences of sixth order do (Tukey's variate differences, by their median, since a motion
/// may have corners). Fewer than [`MANY`] rows are points to go through: λ is next to nothing, x has the least jerk.
///
/// The unknowns are x, ẋ, ẍ at each row; three values of x⃛ (Gauss) make the integral of a piece. Row after row is brought to a
/// triangle by reflections (Householder), so that the squares of (4) are never formed: λ may be large.
pub(super) fn near<P: Point>(times: &[f64], positions: &[P]) -> Result<NearRows<P>, SamplesError> {
    let (Some(&start), Some(&end), Some(first), true) =
        (times.first(), times.last(), positions.first(), positions.len() >= 2)
    else {
        return Err(SamplesError::TooFew { rows: positions.len() });
    };
    let step = (end - start) / (times.len() - 1) as f64;
    let taus: Vec<f64> = times.iter().map(|t| (t - start) / step).collect();
    let mut states = vec![MotionState::still(first.zero()); times.len()];
    let mut deviation = 0.0_f64;
    for component in 0..first.components().len() {
        let values: Vec<f64> = positions.iter().map(|p| p.components()[component]).collect();
        let smooth = smoothest(&taus, &values);
        let off = values.iter().zip(&smooth.states).map(|(value, state)| (state[0] - value).abs());
        deviation = off.fold(deviation, f64::max);
        if let Some((row, speed)) = smooth.moving {
            return Err(SamplesError::NotAtRest { row, component, speed: speed / step });
        }
        let unit = first.unit(component);
        for (state, [x, v, a]) in states.iter_mut().zip(smooth.states) {
            *state = MotionState {
                position: state.position.plus(x, &unit),
                velocity: state.velocity.plus(v / step, &unit),
                acceleration: state.acceleration.plus(a / (step * step), &unit),
            };
        }
    }
    // The same motion in finer rows, for those who look at rows only.
    let motion = SampledMotion::through(times, &states, [first.clone(), first.clone()]);
    let parts = FINE.div_ceil(times.len() - 1);
    let fine = |row: usize| {
        let width = if row + 1 < times.len() { (times[row + 1] - times[row]) / parts as f64 } else { 0.0 };
        let count = if row + 1 < times.len() { parts } else { 1 };
        (0..count).map(move |part| (row, part, part as f64 * width))
    };
    let places: Vec<(usize, usize, f64)> = (0..times.len()).flat_map(fine).collect();
    let state = |&(row, part, after): &(usize, usize, f64)| match part {
        0 => states[row].clone(),
        _ => motion.at(times[row] - start + after),
    };
    Ok(NearRows {
        times: places.iter().map(|(row, _, after)| times[*row] + after).collect(),
        rows: places.iter().map(|place| place.0).collect(),
        states: places.iter().map(state).collect(),
        deviation,
    })
}

/// x, ẋ, ẍ of a coordinate at each row.
struct Smooth {
    states: Vec<[f64; 3]>,
    /// The row with which it begins or ends, and how fast, where the rows do not rest there.
    moving: Option<(usize, f64)>,
}

/// A coordinate that moves less in all rests, m or rad, or a share of its value: rounding has no speed.
const NOTHING: f64 = 1e-12;

/// The smoothest motion from rest to rest that the rows allow; the unit of time is the mean step.
fn smoothest(taus: &[f64], values: &[f64]) -> Smooth {
    let count = values.len();
    let decimal = last_decimal(values.iter().copied());
    let noise = match count {
        0..MANY => 0.0,
        _ if (1e-9..=1.01e-3).contains(&decimal) => decimal / 12_f64.sqrt(),
        _ => scatter(taus, values),
    };
    let [mut low, mut high] = POWERS;
    while count >= MANY && high - low > 0.05 {
        let middle = 0.5 * (low + high);
        let states = fit(taus, values, middle, true);
        let off: f64 = states.iter().zip(values).map(|(state, value)| (state[0] - value).powi(2)).sum();
        if off <= count as f64 * noise * noise {
            low = middle;
        } else {
            high = middle;
        }
    }
    let states = fit(taus, values, low, true);
    let most = states.iter().fold(0.0_f64, |most, state| most.max(state[1].abs()));
    // How it would begin and end if nobody told it to rest.
    let size = values.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    let moving = (count >= MANY && most * count as f64 > NOTHING * size)
        .then(|| fit(taus, values, low, false))
        .and_then(|free| {
            let ends = [0, count - 1].map(|row| (row, free[row][1]));
            ends.into_iter().find(|(_, speed)| speed.abs() > MOVING * most)
        });
    Smooth { states, moving }
}

/// Standard deviation of the noise in rows: from differences over seven neighbours, in which polynomials of fifth degree vanish.
fn scatter(taus: &[f64], values: &[f64]) -> f64 {
    let difference = |(taus, values): (&[f64], &[f64])| {
        let factor = |i: usize| {
            let others = (0..taus.len()).filter(|&j| j != i).map(|j| taus[i] - taus[j]);
            1.0 / others.product::<f64>()
        };
        let (sum, squares) = (0..taus.len()).map(|i| (i, factor(i))).fold((0.0, 0.0), |(sum, squares), (i, factor)| {
            (sum + factor * (values[i] - values[0]), squares + factor * factor)
        });
        sum.abs() / squares.sqrt()
    };
    let mut all: Vec<f64> = taus.windows(7).zip(values.windows(7)).map(difference).collect();
    all.sort_by(f64::total_cmp);
    // The median of a normal distribution's sizes is 0.6745 deviations.
    all.get(all.len() / 2).copied().unwrap_or(0.0) / 0.6745
}

/// A line of the equations of (4): factors of x, ẋ, ẍ of a row, of those of the next row, and the right side.
type Line = [f64; 7];

/// The minimum of (4) with λ as a power of ten: x, ẋ, ẍ at each row, at rest at both ends or however the rows have it.
fn fit(taus: &[f64], values: &[f64], power: f64, rest: bool) -> Vec<[f64; 3]> {
    let weight = 10_f64.powf(0.5 * power);
    let (last, from) = (taus.len() - 1, values[0]);
    let is_end = |row: usize| rest && (row == 0 || row == last);
    let mut triangles: Vec<[Line; 3]> = Vec::with_capacity(taus.len());
    let mut lines: Vec<Line> = Vec::with_capacity(9);
    for (row, value) in values.iter().enumerate() {
        lines.push([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, value - from]);
        if is_end(row) {
            lines.extend([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]);
        }
        if row < last {
            for mut line in jerks(taus[row + 1] - taus[row]) {
                line.iter_mut().for_each(|factor| *factor *= weight);
                // What is zero needs no factor.
                for (end, factors) in [(row, [1, 2]), (row + 1, [4, 5])] {
                    factors.into_iter().filter(|_| is_end(end)).for_each(|i| line[i] = 0.0);
                }
                lines.push(line);
            }
        }
        reflect(&mut lines);
        triangles.push(std::array::from_fn(|i| lines.get(i).copied().unwrap_or_default()));
        // What is left is about the next row.
        lines = lines.iter().skip(3).take(3).map(|line| [line[3], line[4], line[5], 0.0, 0.0, 0.0, line[6]]).collect();
    }
    let mut states = vec![[0.0; 3]; taus.len()];
    let mut next = [0.0; 3];
    for (state, triangle) in states.iter_mut().zip(&triangles).rev() {
        for i in (0..3).rev() {
            let line = triangle[i];
            let known: f64 = (i + 1..3).map(|k| line[k] * state[k]).chain((0..3).map(|k| line[3 + k] * next[k])).sum();
            state[i] = if line[i] == 0.0 { 0.0 } else { (line[6] - known) / line[i] };
        }
        next = *state;
    }
    states.iter_mut().for_each(|state| state[0] += from);
    states
}

/// Three values of x⃛ in a piece of some width, whose squares add up to its integral.
fn jerks(h: f64) -> [Line; 3] {
    // D, V h, A h² of (2).
    let d = [-1.0, -h, -0.5 * h * h, 1.0, 0.0, 0.0];
    let v = [0.0, -h, -h * h, 0.0, h, 0.0];
    let a = [0.0, 0.0, -h * h, 0.0, 0.0, h * h];
    let aside = 0.15_f64.sqrt();
    [(0.5 - aside, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + aside, 5.0 / 18.0)].map(|(part, share)| {
        let factor = (share * h).sqrt() / h.powi(3);
        std::array::from_fn(|i| match i {
            6 => 0.0,
            _ => {
                let c3 = 10.0 * d[i] - 4.0 * v[i] + 0.5 * a[i];
                let c4 = -15.0 * d[i] + 7.0 * v[i] - a[i];
                let c5 = 6.0 * d[i] - 3.0 * v[i] + 0.5 * a[i];
                factor * (6.0 * c3 + 24.0 * c4 * part + 60.0 * c5 * part * part)
            }
        })
    })
}

/// Zeros below the diagonal of the first six columns (Householder).
fn reflect(lines: &mut [Line]) {
    for column in 0..6.min(lines.len()) {
        let length = lines[column..].iter().map(|line| line[column] * line[column]).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        let mut mirror: Vec<f64> = lines[column..].iter().map(|line| line[column]).collect();
        mirror[0] += length.copysign(mirror[0]);
        let size: f64 = mirror.iter().map(|x| x * x).sum();
        for k in column..7 {
            let along: f64 = lines[column..].iter().zip(&mirror).map(|(line, x)| line[k] * x).sum();
            let factor = 2.0 * along / size;
            lines[column..].iter_mut().zip(&mirror).for_each(|(line, x)| line[k] -= factor * x);
        }
    }
}
