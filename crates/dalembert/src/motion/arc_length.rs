//! Curves by their arc length.
//!
//! A curve X(θ) with the speed g = |X_θ| has the arc length s = ∫ g dθ. It is summed over panels once. θ(s) begins as the cubic
//! with the right values and slopes at both ends of its panel, and Newton's method on the integral makes it right to the
//! last digits. With θ_s = 1/g, θ_ss = −g′/g³ and θ_sss = (3g′² − g g″)/g⁵ the derivatives by s are
//!
//! ```text
//! X_s = X_θ/g,   X_ss = X_θθ θ_s² + X_θ θ_ss,   X_sss = X_θθθ θ_s³ + 3 X_θθ θ_s θ_ss + X_θ θ_sss              (1)
//! ```

use super::{Local, Point};

/// Gauss–Legendre with eight points: abscissae on (−1, 1) and weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// θ(s) for 0 ≤ θ ≤ `end`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArcLength {
    end: f64,
    /// s and g at the beginning of each panel, and at the end.
    panels: Vec<[f64; 2]>,
}

impl ArcLength {
    /// Of the speed g(θ).
    pub fn new(end: f64, panels: usize, speed: impl Fn(f64) -> f64) -> Self {
        let mut curve = Self { end, panels: vec![[0.0, speed(0.0)]] };
        let (mut sum, start) = (0.0, |k: usize| end * k as f64 / panels as f64);
        for k in 0..panels {
            sum += integral(&speed, start(k), start(k + 1));
            curve.panels.push([sum, speed(start(k + 1))]);
        }
        curve
    }

    /// Of the whole curve.
    pub fn length(&self) -> f64 {
        self.panels.last().map_or(0.0, |last| last[0])
    }

    /// θ(s).
    pub fn parameter(&self, s: f64, speed: impl Fn(f64) -> f64) -> f64 {
        let count = self.panels.len() - 1;
        let panel = self.panels.partition_point(|panel| panel[0] <= s).clamp(1, count) - 1;
        let ([s0, g0], [s1, g1]) = (self.panels[panel], self.panels[panel + 1]);
        let (width, start) = (self.end / count as f64, self.end * panel as f64 / count as f64);
        let (part, slopes) = ((s - s0) / (s1 - s0), [(s1 - s0) / g0 / width, (s1 - s0) / g1 / width]);
        // Hermite's cubic for (θ − start)/width.
        let rest = 1.0 - part;
        let guess = part * (rest * (rest * slopes[0] - part * slopes[1]) + part * (3.0 - 2.0 * part));
        let mut theta = start + width * guess;
        // The cubic is right to a panel to the fourth, so one step is enough for smooth curves, and two for sharp corners.
        for _ in 0..4 {
            let step = (s0 + integral(&speed, start, theta) - s) / speed(theta);
            theta -= step;
            if step.abs() < 1e-9 * width {
                break;
            }
        }
        theta
    }
}

fn integral(speed: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair = |(x, weight): (f64, f64)| weight * (speed(middle - half * x) + speed(middle + half * x));
    half * NODES.into_iter().map(pair).sum::<f64>()
}

impl<P: Point> Local<P> {
    /// (1) from X, X_θ, X_θθ and X_θθθ.
    pub(super) fn by_arc_length([position, first, second, third]: [P; 4]) -> Self {
        let g = first.length();
        let g1 = first.dot(&second) / g;
        let g2 = (second.dot(&second) + first.dot(&third) - g1 * g1) / g;
        let [t1, t2, t3] = [1.0 / g, -g1 / (g * g * g), (3.0 * g1 * g1 - g * g2) / g.powi(5)];
        Self {
            position,
            first: first.times(t1),
            second: second.times(t1 * t1).plus(t2, &first),
            third: third.times(t1 * t1 * t1).plus(3.0 * t1 * t2, &second).plus(t3, &first),
        }
    }
}
