//! The semi-ellipse of Codourey 1998, section 5.2, by its arc length.
//!
//! With half the width a, the height b and the angle θ = 0…π,
//!
//! ```text
//! X = C − a e cos θ + b z sin θ,   ds/dθ = g(θ) = √(a² sin²θ + b² cos²θ)                                     (1)
//! ```
//!
//! The arc length is an elliptic integral. It is summed over panels once, and θ(s) is found by Newton's method on the
//! integral to the last digits; the derivatives X′ = X_θ/g and X″ = (X_θθ − X_θ g′/g)/g² are formulas in θ. The path
//! leaves the ground upright and comes down upright.

use super::path::{horizontal, positive};
use super::{Local, Path, PathError, Point};
use dalembert_core::{Scalar, Vec3};
use std::f64::consts::PI;

/// Panels of the integral: with eight points each it is right to rounding for b/a > 1/50.
const PANELS: usize = 256;

/// Up, across and down along half an ellipse.
#[derive(Clone, Debug, PartialEq)]
pub struct SemiEllipse {
    center: Vec3<f64>,
    /// a e.
    across: Vec3<f64>,
    /// b z.
    up: Vec3<f64>,
    /// Arc length at the beginning of each panel, and at the end.
    lengths: Vec<f64>,
}

/// Gauss–Legendre with eight points: abscissae on (−1, 1) and weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

impl SemiEllipse {
    /// Over the ground at `center`, `width` wide along the horizontal `direction`, `height` high.
    pub fn new(center: Vec3<f64>, direction: Vec3<f64>, width: f64, height: f64) -> Result<Self, PathError> {
        let direction = horizontal(direction)?;
        let across = direction.times(0.5 * positive("width", width)?);
        let up = Vec3::new(0.0, 0.0, positive("height", height)?);
        let mut ellipse = Self { center, across, up, lengths: vec![0.0] };
        let mut sum = 0.0;
        for k in 0..PANELS {
            sum += ellipse.integral(panel_start(k), panel_start(k + 1));
            ellipse.lengths.push(sum);
        }
        Ok(ellipse)
    }

    /// X_θ, X_θθ and g.
    fn slopes(&self, theta: f64) -> (Vec3<f64>, Vec3<f64>, f64) {
        let (sin, cos) = Scalar::sin_cos(theta);
        let first = self.across * sin + self.up * cos;
        (first, self.across * cos - self.up * sin, first.length())
    }

    fn integral(&self, from: f64, to: f64) -> f64 {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let pair =
            |(x, weight): (f64, f64)| weight * (self.slopes(middle - half * x).2 + self.slopes(middle + half * x).2);
        half * NODES.into_iter().map(pair).sum::<f64>()
    }

    fn angle(&self, s: f64) -> f64 {
        let panel = self.lengths.partition_point(|&length| length <= s).clamp(1, PANELS) - 1;
        let (start, end) = (panel_start(panel), panel_start(panel + 1));
        let (low, high) = (self.lengths[panel], self.lengths[panel + 1]);
        let mut theta = start + (end - start) * (s - low) / (high - low);
        // From an error of a panel squared, three steps are enough for the last digit.
        for _ in 0..4 {
            theta -= (low + self.integral(start, theta) - s) / self.slopes(theta).2;
        }
        theta
    }
}

fn panel_start(k: usize) -> f64 {
    PI * k as f64 / PANELS as f64
}

impl Path for SemiEllipse {
    type Point = Vec3<f64>;

    fn length(&self) -> f64 {
        self.lengths[PANELS]
    }

    fn at(&self, s: f64) -> Local<Vec3<f64>> {
        let theta = self.angle(s.clamp(0.0, self.length()));
        let (sin, cos) = Scalar::sin_cos(theta);
        let (first, second, g) = self.slopes(theta);
        let tangent = first.times(1.0 / g);
        let bend = second.plus(-tangent.dot(second), tangent); // g′ = X_θ·X_θθ/g
        Local {
            position: self.center - self.across * cos + self.up * sin,
            first: tangent,
            second: bend.times(1.0 / (g * g)),
        }
    }
}
