//! What is wrong with a signal, before anything is fitted to it. What is missing is NaN.

use crate::{IdentifyError, same_length};

/// The middle of some values; NaN is left out, NaN of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    if all.is_empty() {
        return f64::NAN;
    }
    let middle = all.len() / 2;
    *all.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// A robust standard deviation: 1.4826 times the median distance from the median, exact for normal noise.
pub fn spread(values: &[f64]) -> f64 {
    let center = median(values.iter().copied());
    1.4826 * median(values.iter().map(|value| (value - center).abs()))
}

/// The least and the largest value; NaN is left out.
pub fn extremes(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)])
}

/// The least difference of neighbours that is not zero: what an encoder counts in; infinite where there is none.
pub(crate) fn least_step(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    steps.filter(|step| *step > 0.0).fold(f64::INFINITY, f64::min)
}

/// What the stamps of a log say.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamps {
    /// The usual step, s.
    pub step: f64,
    /// The largest distance of a step from the usual one, gaps aside, as a share of it.
    pub jitter: f64,
    /// Stamps that are not after the one before, or far ahead of those that follow: their row is useless.
    pub wrong: Vec<usize>,
    /// Steps longer than four usual ones: the row before them, and their length in s.
    pub gaps: Vec<(usize, f64)>,
}

/// The usual step of times that rise; NaN where none does.
pub fn usual_step(times: &[f64]) -> f64 {
    median(times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0))
}

/// Looks at stamps.
pub fn stamps(times: &[f64]) -> Result<Stamps, IdentifyError> {
    const LEAST: usize = 8;
    /// Usual steps that are no gap, and stamps that are looked at after one that is farther ahead.
    const LONGEST: f64 = 4.0;
    const NEXT: usize = 5;
    crate::enough("rows of a log", times.len(), LEAST)?;
    crate::finite("a time", times)?;
    let step = usual_step(times);
    let rising = times.windows(2).filter(|pair| pair[1] > pair[0]).count();
    crate::enough("steps of a log whose times rise", rising, 1)?;
    crate::positive("the usual step of time", step)?;
    let (mut wrong, mut gaps, mut jitter, mut last) = (Vec::new(), Vec::new(), 0.0_f64, f64::NEG_INFINITY);
    for (k, &time) in times.iter().enumerate() {
        let width = time - last;
        // Far ahead alone: most of the next stamps go on where it left.
        let next = &times[k + 1..times.len().min(k + 1 + NEXT)];
        let behind = next.iter().filter(|next| (last..time).contains(next)).count();
        if width <= 0.0 || (width > LONGEST * step && behind * 2 > next.len()) {
            wrong.push(k);
            continue;
        }
        if width > LONGEST * step {
            gaps.extend(k.checked_sub(1).filter(|_| last.is_finite()).map(|before| (before, width)));
        } else {
            jitter = jitter.max((width / step - 1.0).abs());
        }
        last = time;
    }
    Ok(Stamps { step, jitter, wrong, gaps })
}

/// How many rows at a time repeat the row before, where signals are logged faster than they are measured: while several of them move,
/// either all change from one row to the next or none does. One: every row is new. (The counts of coarse encoders stay the same for
/// some rows too, but not those of all joints together.)
pub fn repeats(signals: &[Vec<f64>]) -> usize {
    /// Rows to either side within which a signal moves, or not.
    const REACH: usize = 50;
    /// Rows that are looked at; more add nothing.
    const LOOKED: usize = 100_000;
    let rows = signals.iter().map(Vec::len).min().unwrap_or(0);
    let (mut looked, mut whole, mut last) = (0, 0, None);
    let mut apart = Vec::new();
    for k in REACH..rows.saturating_sub(REACH).min(LOOKED) {
        let moves = |signal: &&Vec<f64>| signal[k + REACH] != signal[k - REACH];
        let lively: Vec<&Vec<f64>> = signals.iter().filter(moves).collect();
        if lively.len() < 2 || lively.len() * 2 < signals.len() {
            last = None;
            continue;
        }
        looked += 1;
        let changed = lively.iter().filter(|signal| signal[k] != signal[k - 1]).count();
        if changed == 0 {
            continue;
        }
        whole += usize::from(changed * 10 >= lively.len() * 9);
        if let Some(last) = last.replace(k) {
            apart.push((k - last) as f64);
        }
    }
    // Nine of ten changes are of all signals, or it is no pattern.
    let usual = median(apart.iter().copied());
    let pattern = looked > 200 && usual > 1.0 && whole * 10 >= (apart.len() + 1) * 9;
    if pattern { usual as usize } else { 1 }
}

/// Values at even times, straight between the neighbours that are there; NaN in gaps longer than `longest` and beyond the
/// ends. `times` rise.
pub fn resample(
    times: &[f64],
    values: &[f64],
    start: f64,
    step: f64,
    samples: usize,
    longest: f64,
) -> Result<Vec<f64>, IdentifyError> {
    same_length("values of a signal", values.len(), times.len())?;
    crate::positive("the step of time", step)?;
    let there: Vec<usize> = (0..times.len()).filter(|&k| !values[k].is_nan()).collect();
    let mut after = 0;
    let mut at = |k: usize| {
        let time = start + step * k as f64;
        while after < there.len() && times[there[after]] < time {
            after += 1;
        }
        let Some(&next) = there.get(after) else {
            // A last sample that is early by rounding is the last one.
            let &last = there.last()?;
            return (time - times[last] <= 1e-6 * step).then(|| values[last]);
        };
        if times[next] - time <= 1e-9 * step {
            return Some(values[next]);
        }
        let before = there[after.checked_sub(1)?];
        let width = times[next] - times[before];
        let share = (time - times[before]) / width;
        (width <= longest).then(|| values[before] + share * (values[next] - values[before]))
    };
    Ok((0..samples).map(|k| at(k).unwrap_or(f64::NAN)).collect())
}

/// Samples that stand alone: farther than `times` robust deviations from the middle of their five nearest neighbours on
/// either side, farther than the signal moves there, and farther than a ten-thousandth of its range (Hampel's filter).
pub fn outliers(values: &[f64], times: f64) -> Vec<usize> {
    const REACH: usize = 5;
    /// The middle of what is there in a window, sorted in place.
    fn middle(window: &[f64], shift: f64) -> f64 {
        let mut all = [0.0; 2 * REACH + 1];
        let mut count = 0;
        for value in window.iter().filter(|value| !value.is_nan()) {
            all[count] = if shift.is_nan() { *value } else { (value - shift).abs() };
            count += 1;
        }
        all[..count].sort_unstable_by(f64::total_cmp);
        if count == 0 { f64::NAN } else { all[count / 2] }
    }
    let window = |k: usize| &values[k.saturating_sub(REACH)..(k + REACH + 1).min(values.len())];
    let off: Vec<f64> = (0..values.len()).map(|k| (values[k] - middle(window(k), f64::NAN)).abs()).collect();
    let [low, high] = extremes(values);
    let least = (times * spread(&off)).max(1e-4 * (high - low)).max(f64::MIN_POSITIVE);
    let far = |k: &usize| {
        // Most samples are near: only of the others the window is looked at again.
        off[*k] > least && {
            let window = window(*k);
            off[*k] > times * 1.4826 * middle(window, middle(window, f64::NAN))
        }
    };
    (0..values.len()).filter(far).collect()
}

/// The share of samples at the largest or the least value, where a signal stays at them for at least `run` samples and comes to
/// them and leaves them at once: a limit that cuts. Zero where there is none. A smooth peak is no limit: within four times the
/// distance of its top it stays twice as long.
pub fn saturated(values: &[f64], run: usize) -> f64 {
    const LONGER: f64 = 1.5;
    let there: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let [low, high] = extremes(&there);
    let range = high - low;
    if range.is_nan() || range <= 0.0 {
        return 0.0;
    }
    // Counts: the least step between neighbours is one of them, and a peak is flat for some samples.
    let count = least_step(&there).min(0.1 * range);
    let near = 1e-3 * range;
    let wide = (4.0 * near).max(2.1 * count);
    let mut cut = 0;
    for limit in [low, high] {
        for piece in there.chunk_by(|a, b| ((a - limit).abs() <= wide) == ((b - limit).abs() <= wide)) {
            let at = piece.iter().filter(|value| (*value - limit).abs() <= near).count();
            if at >= run && piece.len() as f64 <= LONGER * at as f64 {
                cut += at;
            }
        }
    }
    cut as f64 / there.len().max(1) as f64
}

/// Angles that jump by whole turns from one sample to the next, as encoders and controllers wrap them to ±π or 0 … 2π, made steady in
/// place. How many jumps there were. A joint whose usual steps are not far below half a turn is left as it is: jumps are not distinguishable from motion.
/// `times` rise; a jump across a gap counts only where the angle jumps elsewhere too.
pub fn unwrap(times: &[f64], values: &mut [f64]) -> usize {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};
    let there: Vec<usize> = (0..values.len().min(times.len())).filter(|&k| !values[k].is_nan()).collect();
    let by = |pair: &[usize]| values[pair[1]] - values[pair[0]];
    let mut steps: Vec<f64> = there.windows(2).map(|pair| by(pair).abs()).collect();
    if steps.iter().all(|by| *by <= PI) {
        return 0;
    }
    let usual = steps.len() * 9 / 10;
    if *steps.select_nth_unstable_by(usual, f64::total_cmp).1 > FRAC_PI_4 {
        return 0;
    }
    let step = median(there.windows(2).map(|pair| times[pair[1]] - times[pair[0]]));
    let turns = |pair: &[usize]| {
        let whole = (by(pair) / TAU).round();
        let jumps = by(pair).abs() > PI && (by(pair) - whole * TAU).abs() < FRAC_PI_2;
        if jumps { whole } else { 0.0 }
    };
    let near = |pair: &[usize]| times[pair[1]] - times[pair[0]] <= 4.0 * step;
    let wraps = there.windows(2).any(|pair| near(pair) && turns(pair) != 0.0);
    let jumps: Vec<(usize, f64)> = there
        .windows(2)
        .filter(|pair| near(pair) || wraps)
        .map(|pair| (pair[1], turns(pair)))
        .filter(|(_, turns)| *turns != 0.0)
        .collect();
    let mut whole = 0.0;
    for (k, (from, turns)) in jumps.iter().enumerate() {
        whole += turns;
        let until = jumps.get(k + 1).map_or(values.len(), |next| next.0);
        values[*from..until].iter_mut().for_each(|value| *value -= whole * TAU);
    }
    jumps.len()
}

/// Whether anything moves at each sample: some speed is above its threshold within `reach` samples.
pub fn moving(speeds: &[&[f64]], thresholds: &[f64], reach: usize) -> Vec<bool> {
    let samples = speeds.first().map_or(0, |speed| speed.len());
    let moves = |k: usize| speeds.iter().zip(thresholds).any(|(speed, least)| speed[k].abs() > *least);
    let now: Vec<bool> = (0..samples).map(moves).collect();
    let mut count = vec![0usize; samples + 1];
    for k in 0..samples {
        count[k + 1] = count[k] + usize::from(now[k]);
    }
    (0..samples).map(|k| count[(k + reach + 1).min(samples)] > count[k.saturating_sub(reach)]).collect()
}

/// Correlation of a sequence with itself, from lag 0 to a little beyond the last lag (of `most`) at which it is more than
/// noise (3/√n), each with Bartlett's weight 1 − k/(L + 1): what Newey and West (1987) take, so that a covariance made of it
/// is positive. Negative correlation counts too: that of differentiated encoder counts is.
pub fn autocorrelation(values: &[f64], most: usize) -> Vec<f64> {
    let n = values.len();
    let power: f64 = values.iter().map(|x| x * x).sum();
    let most = most.min(n.saturating_sub(1));
    if power <= 0.0 || most == 0 {
        return vec![1.0];
    }
    let at = |lag: usize| values.iter().zip(&values[lag..]).map(|(a, b)| a * b).sum::<f64>() / power;
    let all: Vec<f64> = (0..=most).map(at).collect();
    let last = (1..=most).rev().find(|&lag| all[lag].abs() > 3.0 / (n as f64).sqrt());
    let Some(last) = last else { return vec![1.0] };
    let until = (2 * last + 2).min(most);
    (0..=until).map(|lag| all[lag] * (1.0 - lag as f64 / (until + 1) as f64)).collect()
}
