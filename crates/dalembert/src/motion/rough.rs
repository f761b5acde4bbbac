//! Rows of positions alone, or of positions that are rounded: a smooth motion near them.
//!
//! Differences of rounded numbers would be noise, which a feed-forward law passes on. So each coordinate becomes the function
//! from rest to rest with the least
//!
//! ```text
//! Σ (x(tₖ) − zₖ)² + λ ∫ x⃛² dt                                                                              (1)
//! ```
//!
//! whose pieces are of fifth degree (Reinsch, Smoothing by spline functions, Numer. Math. 10, 1967, (1)–(2), there with x″). λ is
//! as large as the rows allow (his S): their mean square distance from x is what they are rounded by, step²/12. Where the last
//! decimal does not tell it, the differences of sixth order do (Tukey's variate differences, by their median, since a motion
//! may have corners). Fewer than [`MANY`] rows are points to go through: λ is next to nothing, x has the least jerk.
//!
//! The unknowns are x, ẋ, ẍ at each row, as [`SampledMotion`] wants them; three values of x⃛ (Gauss) make the integral of a piece. Row
//! after row is brought to a triangle by reflections (Householder), so that the squares of (1) are never formed: λ may be
//! large.

use super::{Motion, MotionState, Point, SampledMotion, SamplesError};

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

/// The motion near positions at times that grow, with what their last decimal leaves open.
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
    let moving = (count >= MANY && most > 0.0).then(|| fit(taus, values, low, false)).and_then(|free| {
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

/// A line of the equations of (1): factors of x, ẋ, ẍ of a row, of those of the next row, and the right side.
type Line = [f64; 7];

/// The minimum of (1) with λ as a power of ten: x, ẋ, ẍ at each row, at rest at both ends or however the rows have it.
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
    // D, V h, A h² of (2) in `sampled`.
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
