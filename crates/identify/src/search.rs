//! The least of a function of one number.

/// Where it is, and the value there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Least {
    /// The argument.
    pub at: f64,
    /// The value.
    pub value: f64,
}

/// The least over a grid, refined between the neighbours of the best point by golden sections. A value that is no number is
/// not the least.
pub fn least(low: f64, high: f64, points: usize, mut f: impl FnMut(f64) -> f64) -> Least {
    let points = points.max(3);
    let step = (high - low) / (points - 1) as f64;
    let mut of = |at: f64| {
        let value = f(at);
        Least { at, value: if value.is_nan() { f64::INFINITY } else { value } }
    };
    let mut best = of(low);
    for k in 1..points {
        let next = of(low + step * k as f64);
        if next.value < best.value {
            best = next;
        }
    }
    // Golden sections halve the place of a least to the square root of rounding, not further: 24 of them.
    let share = 0.5 * (5f64.sqrt() - 1.0);
    let [mut a, mut b] = [(best.at - step).max(low), (best.at + step).min(high)];
    let mut left = of(b - share * (b - a));
    let mut right = of(a + share * (b - a));
    for _ in 0..24 {
        if left.value < right.value {
            (b, right) = (right.at, left);
            left = of(b - share * (b - a));
        } else {
            (a, left) = (left.at, right);
            right = of(a + share * (b - a));
        }
    }
    [left, right].into_iter().fold(best, |best, one| if one.value < best.value { one } else { best })
}
