//! Surfaces and what may touch them: distances and normals.

use super::super::SimulationError;
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
    /// With its edges along the axes.
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

    pub(super) fn check(&self) -> Result<(), SimulationError> {
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

fn finite(values: &[f64]) -> Result<(), SimulationError> {
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

/// A brick: a box whose middle is the origin of its body. Against planes and boxes its corners touch as small balls inside
/// it and its edges as rods of the same radius: bricks of one size, one exactly on the other, rest on corners that are
/// surely over the face, and a corner that slides in over an edge climbs it instead of catching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brick {
    /// The part that it is.
    pub part: PartId,
    /// Half its edges, m.
    pub half: [f64; 3],
    /// Radius of its corners and edges, m.
    pub rounding: f64,
}

/// A hundredth of the shortest edge: the radius of the corners and edges of a box that says nothing else.
pub(super) fn rounding(half: [f64; 3]) -> f64 {
    0.01 * half.iter().map(|half| 2.0 * half).fold(f64::INFINITY, f64::min)
}

impl Brick {
    /// With edges of these lengths and a rounding of a hundredth of the shortest.
    pub fn new(part: PartId, size: [f64; 3]) -> Self {
        let half = size.map(|x| 0.5 * x);
        Self { part, half, rounding: rounding(half) }
    }

    /// The free body of a homogeneous brick.
    pub fn body(size: [f64; 3], mass: f64) -> crate::mechanism::FreeBody {
        let [x, y, z] = size.map(|x| x * x);
        crate::mechanism::FreeBody { mass, inertia: [y + z, z + x, x + y].map(|sum| sum * mass / 12.0) }
    }

    /// Its faces.
    pub fn surface(&self) -> Surface {
        Surface::of(self.part, SurfaceShape::Box { center: [0.0; 3], half: self.half })
    }

    pub(super) fn check(&self) -> Result<(), SimulationError> {
        self.surface().shape.check()?;
        let least = self.half.iter().copied().fold(f64::INFINITY, f64::min);
        if !(self.rounding > 0.0 && self.rounding < least) {
            let must = "positive and less than half the shortest edge";
            return Err(SimulationError::BadContact { what: "rounding of a brick", value: self.rounding, must });
        }
        Ok(())
    }
}

/// What touches or is touched.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactGeometry {
    /// Points and balls, each for itself.
    Balls(Vec<Ball>),
    /// A box with a rounding of its own.
    Brick(Brick),
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

impl From<&Brick> for ContactGeometry {
    fn from(brick: &Brick) -> Self {
        Self::Brick(*brick)
    }
}

impl From<Surface> for ContactGeometry {
    fn from(surface: Surface) -> Self {
        Self::Surface(surface)
    }
}
