//! Circles and arcs, by their arc length.

use super::path::{positive, unit};
use super::{Local, Path, PathError, Point};
use dalembert_core::{Scalar, Vec3};
use std::f64::consts::TAU;

/// X(s) = C + r (e₁ cos(s/r) + e₂ sin(s/r)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    center: Vec3<f64>,
    radius: f64,
    /// Unit vectors: to the start, and along the path at the start.
    outward: Vec3<f64>,
    along: Vec3<f64>,
    length: f64,
}

impl Arc {
    /// Part of a circle about `center`, from `start` on by `angle` (rad) about `axis`, to the right-hand side.
    pub fn new(center: Vec3<f64>, start: Vec3<f64>, axis: Vec3<f64>, angle: f64) -> Result<Self, PathError> {
        let (axis, _) = unit("axis", axis)?;
        let spoke = start - center;
        // Across the axis; what lies along it moves the centre.
        let lift = spoke.dot(axis);
        let (outward, radius) = unit("radius", spoke.plus(-lift, &axis))?;
        let along = axis.cross(outward);
        let length = positive("angle", angle)? * radius;
        Ok(Self { center: center.plus(lift, &axis), radius, outward, along, length })
    }

    /// The horizontal circle about `center`, counterclockwise from its point in the direction of x.
    pub fn circle(center: Vec3<f64>, radius: f64) -> Result<Self, PathError> {
        let start = center + Vec3::new(positive("radius", radius)?, 0.0, 0.0);
        Self::new(center, start, Vec3::new(0.0, 0.0, 1.0), TAU)
    }

    /// The arc through three points.
    pub fn through(from: Vec3<f64>, via: Vec3<f64>, to: Vec3<f64>) -> Result<Self, PathError> {
        let (a, b) = (via - from, to - from);
        let normal = a.cross(b);
        let area = normal.norm_squared();
        // The sine of the angle at the first point: below this, the radius passes a million times the distance.
        if area.is_nan() || area <= 1e-12 * a.norm_squared() * b.norm_squared() {
            return Err(PathError::PointsInLine);
        }
        // Circumcentre of the triangle.
        let toward = (b.cross(normal) * a.norm_squared() + normal.cross(a) * b.norm_squared()) * (-0.5 / area);
        let center = from.plus(-1.0, &toward);
        let spoke = |p: Vec3<f64>| p - center;
        let (first, last) = (spoke(from), spoke(to));
        let axis = normal.times(1.0 / area.sqrt());
        let angle = axis.dot(first.cross(last)).atan2(first.dot(last));
        Self::new(center, from, axis, if angle > 0.0 { angle } else { angle + TAU })
    }
}

impl Path for Arc {
    type Point = Vec3<f64>;

    fn length(&self) -> f64 {
        self.length
    }

    fn at(&self, s: f64) -> Local<Vec3<f64>> {
        let (sin, cos) = Scalar::sin_cos(s.clamp(0.0, self.length) / self.radius);
        let spoke = (self.outward * cos) + (self.along * sin);
        let tangent = (self.along * cos) - (self.outward * sin);
        Local {
            position: self.center.plus(self.radius, &spoke),
            first: tangent,
            second: spoke.times(-1.0 / self.radius),
            third: tangent.times(-1.0 / (self.radius * self.radius)),
        }
    }
}
