//! Surfaces and what may touch them: distances and normals.

use super::super::{SimulationError, SimulationResult};
use crate::Vec3;
use crate::mechanism::{BodyPoint, PartId};

/// A surface, in the frame of what it belongs to, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SurfaceShape {
    /// Everything on the side that the normal points away from is solid.
    Plane {
        /// A point of it.
        through: [f64; 3],
        /// Of unit length, out of the solid.
        normal: [f64; 3],
    },
    /// With its edges along the axes. Against planes and boxes its corners touch as small balls inside it and its edges as
    /// rods of the same radius: bricks of one size, one exactly on the other, rest on corners that are surely over the
    /// face, and a corner that slides in over an edge climbs it instead of catching.
    Box {
        /// Its middle.
        center: [f64; 3],
        /// Half its edges.
        half: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its middle.
        center: [f64; 3],
        /// Of its surface.
        radius: f64,
    },
}

impl SurfaceShape {
    /// The floor at a height, base frame.
    pub fn floor(height: f64) -> Self {
        Self::Plane { through: [0.0, 0.0, height], normal: [0.0, 0.0, 1.0] }
    }

    /// A box with edges of these lengths about the origin.
    pub fn brick(size: [f64; 3]) -> Self {
        Self::Box { center: [0.0; 3], half: size.map(|x| 0.5 * x) }
    }

    pub(super) fn check(&self) -> SimulationResult<()> {
        let refuse = |what, value, must| Err(SimulationError::BadContact { what, value, must });
        match *self {
            Self::Plane { normal, through } => {
                let length = Vec3(normal).norm_squared().sqrt();
                if (length - 1.0).abs() > 1e-9 || length.is_nan() {
                    return refuse("length of a normal", length, "1");
                }
                finite(&through)
            }
            Self::Box { center, half } => {
                if let Some(&value) = half.iter().find(|&&h| !(h > 0.0 && h.is_finite())) {
                    return refuse("half an edge", value, "positive");
                }
                finite(&center)
            }
            Self::Sphere { center, radius } => {
                if !(radius > 0.0 && radius.is_finite()) {
                    return refuse("radius", radius, "positive");
                }
                finite(&center)
            }
        }
    }

    /// Signed distance of a point from the surface, negative in the solid, and the normal there: exact outside, the
    /// way out through the nearest face inside a box.
    pub fn distance(&self, point: Vec3<f64>) -> (f64, Vec3<f64>) {
        match *self {
            Self::Plane { through, normal } => ((point - Vec3(through)).dot(Vec3(normal)), Vec3(normal)),
            Self::Sphere { center, radius } => {
                let out = point - Vec3(center);
                let length = out.norm_squared().sqrt();
                let normal = if length > 0.0 { out * (1.0 / length) } else { Vec3([0.0, 0.0, 1.0]) };
                (length - radius, normal)
            }
            Self::Box { center, half } => {
                let local = point - Vec3(center);
                let beyond = Vec3::from_fn(|i| local[i].abs() - half[i]);
                let outside = Vec3::from_fn(|i| beyond[i].max(0.0) * local[i].signum());
                let length = outside.norm_squared().sqrt();
                if length > 0.0 {
                    return (length, outside * (1.0 / length));
                }
                let face = (0..3).fold(0, |best, i| if beyond[i] > beyond[best] { i } else { best });
                (beyond[face], Vec3::from_fn(|i| if i == face { local[i].signum() } else { 0.0 }))
            }
        }
    }
}

fn finite(values: &[f64]) -> SimulationResult<()> {
    match values.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(SimulationError::BadContact { what: "a coordinate", value, must: "finite" }),
        None => Ok(()),
    }
}

/// A surface that stands still or moves with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The body (part, number of the body); none: the base frame.
    pub on: Option<(PartId, usize)>,
    /// Its shape, in the body's frame.
    pub shape: SurfaceShape,
}

impl Surface {
    /// One that stands still.
    pub fn fixed(shape: SurfaceShape) -> Self {
        Self { on: None, shape }
    }

    /// One that moves with the first body of a part.
    pub fn of(part: PartId, shape: SurfaceShape) -> Self {
        Self { on: Some((part, 0)), shape }
    }
}

/// A point of a body, or a ball about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its middle.
    pub center: BodyPoint,
    /// Zero for a point, m.
    pub radius: f64,
}

impl Ball {
    /// A point of a body.
    pub fn point(center: BodyPoint) -> Self {
        Self { center, radius: 0.0 }
    }
}

/// What touches or is touched.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactGeometry {
    /// Points and balls, each for itself.
    Balls(Vec<Ball>),
    /// A plane, a box or a sphere.
    Surface(Surface),
}

impl From<Ball> for ContactGeometry {
    fn from(ball: Ball) -> Self {
        Self::Balls(vec![ball])
    }
}

impl<const N: usize> From<&[Ball; N]> for ContactGeometry {
    fn from(balls: &[Ball; N]) -> Self {
        Self::Balls(balls.to_vec())
    }
}

impl From<Surface> for ContactGeometry {
    fn from(surface: Surface) -> Self {
        Self::Surface(surface)
    }
}
