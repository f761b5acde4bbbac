//! Rows of positions alone, or of positions that are rounded: a smooth motion near them.
//!
//! Differences of rounded numbers would be noise, which a feed-forward law passes on. So each coordinate becomes the spline from
//! rest to rest whose jerk is as small as it can be while it passes no row at more than a tolerance: the half of the last
//! decimal of the rows.

use super::spline::Spline;
use super::{Point, SamplesError, State};

/// Knots at least.
const KNOTS: usize = 64;

/// A row farther than this many tolerances, and than this part of the whole way, is no rounding.
const FAR: (f64, f64) = (20.0, 0.02);

/// A motion near rows.
pub(super) struct Near<P> {
    /// s.
    pub times: Vec<f64>,
    /// The row that is at this time, or else before it.
    pub rows: Vec<usize>,
    pub states: Vec<State<P>>,
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
pub(super) fn near<P: Point>(times: &[f64], positions: &[P]) -> Result<Near<P>, SamplesError> {
    let (Some(&start), Some(&end), Some(&first), true) =
        (times.first(), times.last(), positions.first(), positions.len() >= 2)
    else {
        return Err(SamplesError::TooFew { rows: positions.len() });
    };
    let span = end - start;
    let taus: Vec<f64> = times.iter().map(|t| (t - start) / span).collect();
    let mut knots = taus.clone();
    // Twice as many as rows, since those next to the ends are not free.
    while knots.len() < KNOTS.max(2 * taus.len() - 1) {
        let middles: Vec<f64> = knots.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        knots.extend(middles);
        knots.sort_by(f64::total_cmp);
    }
    let components = first.components().len();
    let mut splines = Vec::with_capacity(components);
    let mut deviation = 0.0_f64;
    for component in 0..components {
        let values: Vec<(f64, f64)> =
            taus.iter().zip(positions).map(|(&tau, p)| (tau, p.components()[component])).collect();
        let numbers = values.iter().map(|value| value.1);
        let [least, most] = numbers.clone().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
        let tolerance = (0.5 * last_decimal(numbers)).max(1e-6 * (most - least)) + 1e-12;
        let (spline, (row, far)) =
            smoothest(&knots, &values, tolerance).ok_or(SamplesError::TooFew { rows: values.len() })?;
        if far > FAR.0 * tolerance && far > FAR.1 * (most - least) {
            return Err(SamplesError::Rough { row, component, far });
        }
        deviation = deviation.max(far);
        splines.push(spline);
    }
    let place = |tau: f64| splines.first().map(|spline| spline.place_of(tau));
    let state = |tau: f64| {
        let mut all = [first.zero(); 3];
        for (component, spline) in splines.iter().enumerate() {
            let [s, v, a, _] = place(tau).map_or([0.0; 4], |place| spline.at(&place));
            let unit = first.unit(component);
            all = [all[0].plus(s, unit), all[1].plus(v / span, unit), all[2].plus(a / (span * span), unit)];
        }
        State { position: all[0], velocity: all[1], acceleration: all[2] }
    };
    let row = |tau: f64| taus.partition_point(|row| *row <= tau).saturating_sub(1);
    Ok(Near {
        times: knots.iter().map(|tau| start + tau * span).collect(),
        rows: knots.iter().map(|&tau| row(tau)).collect(),
        states: knots.iter().map(|&tau| state(tau)).collect(),
        deviation,
    })
}

/// The spline with the least jerk within a tolerance, with its worst row and how far it is from there.
fn smoothest(knots: &[f64], values: &[(f64, f64)], tolerance: f64) -> Option<(Spline, (usize, f64))> {
    let fit = |exponent: f64| {
        let spline = Spline::through(knots, values, 10_f64.powf(exponent))?;
        let far = |(row, value): (usize, &(f64, f64))| (row, (spline.at(&spline.place_of(value.0))[0] - value.1).abs());
        let worst = values.iter().enumerate().map(far).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        Some((spline, worst))
    };
    // Powers of ten of the weight: below the first the jerk counts for nothing, above the last the rows do.
    let (mut low, mut high) = (-24.0, 4.0);
    let mut best = fit(low)?;
    while high - low > 0.05 {
        let middle = 0.5 * (low + high);
        let next = fit(middle)?;
        if next.1.1 <= tolerance {
            (low, best) = (middle, next);
        } else {
            high = middle;
        }
    }
    Some(best)
}
