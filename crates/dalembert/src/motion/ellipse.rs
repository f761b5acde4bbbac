//! The semi-ellipse of Codourey 1998, section 5.2, by its arc length.
//!
//! With half the width a, the height b and the angle θ = 0…π,
//!
//! ```text
//! X = C − a e cos θ + b z sin θ,   ds/dθ = g(θ) = √(a² sin²θ + b² cos²θ)                                     (1)
//! ```
//!
//! The arc length is an elliptic integral; [`ArcLength`] finds θ(s). The path leaves the ground upright and comes down upright.

use super::arc_length::ArcLength;
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
    curve: ArcLength,
}

impl SemiEllipse {
    /// Over the ground at `center`, `width` wide along the horizontal `direction`, `height` high.
    pub fn new(center: Vec3<f64>, direction: Vec3<f64>, width: f64, height: f64) -> Result<Self, PathError> {
        let direction = horizontal(direction)?;
        let across = direction.times(0.5 * positive("width", width)?);
        let up = Vec3::new(0.0, 0.0, positive("height", height)?);
        let curve = ArcLength::new(PI, PANELS, |theta| slope(across, up, theta).length());
        Ok(Self { center, across, up, curve })
    }
}

/// X_θ.
fn slope(across: Vec3<f64>, up: Vec3<f64>, theta: f64) -> Vec3<f64> {
    let (sin, cos) = Scalar::sin_cos(theta);
    across * sin + up * cos
}

impl Path for SemiEllipse {
    type Point = Vec3<f64>;

    fn length(&self) -> f64 {
        self.curve.length()
    }

    fn at(&self, s: f64) -> Local<Vec3<f64>> {
        let Self { center, across, up, ref curve } = *self;
        let theta = curve.parameter(s.clamp(0.0, curve.length()), |theta| slope(across, up, theta).length());
        let (sin, cos) = Scalar::sin_cos(theta);
        let (first, second) = (across * sin + up * cos, across * cos - up * sin);
        Local::by_arc_length([center - across * cos + up * sin, first, second, first.times(-1.0)])
    }
}
