//! What may touch: surfaces and balls with their distances and normals; boxes against boxes, whose edges cross; two solids that
//! come near each other, how far they may move unwatched, and whether one is hidden in the other.

use super::super::{SimulationError, SimulationResult};
use super::Measure;
use super::frames::{BodyFrame, BodyFrames};
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

/// A box with rounded corners and edges, in the frame of its body.
#[derive(Clone, Copy)]
pub(super) struct RoundedBox {
    pub center: Vec3<f64>,
    pub half: [f64; 3],
    pub rounding: f64,
}

/// A rod along an edge.
struct Edge {
    middle: Vec3<f64>,
    half: f64,
}

/// Edges closer to parallel than this angle touch at their corners only, rad.
const PARALLEL: f64 = 1e-3;
/// Edges that come into sight are in touch where they are at most this much deeper than the boxes overlap.
const DEEPER: f64 = 2.0;

impl RoundedBox {
    /// The middles of its eight corners.
    pub fn corners(&self) -> [Vec3<f64>; 8] {
        std::array::from_fn(|corner| {
            let inner = |i: usize| self.half[i] - self.rounding;
            self.center + Vec3::from_fn(|i| if corner >> i & 1 == 1 { inner(i) } else { -inner(i) })
        })
    }

    /// One of its twelve edges: four along each axis.
    fn edge(&self, number: usize) -> Edge {
        let (axis, corner) = (number / 4, number % 4);
        let inner = |i: usize| self.half[i] - self.rounding;
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut middle = [0.0; 3];
        middle[j] = if corner & 1 == 1 { inner(j) } else { -inner(j) };
        middle[k] = if corner & 2 == 2 { inner(k) } else { -inner(k) };
        Edge { middle: self.center + Vec3(middle), half: inner(axis) }
    }

    /// Half its length along a direction.
    fn extent(&self, frame: &BodyFrame, direction: Vec3<f64>) -> f64 {
        (0..3).map(|i| self.half[i] * frame.axes[i].dot(direction).abs()).sum()
    }
}

/// Two boxes where they are.
pub(super) struct Boxes<'a> {
    blocks: &'a [RoundedBox; 2],
    frames: [&'a BodyFrame; 2],
    centers: [Vec3<f64>; 2],
}

impl<'a> Boxes<'a> {
    pub fn new(blocks: &'a [RoundedBox; 2], frames: [&'a BodyFrame; 2]) -> Self {
        Self { blocks, frames, centers: [0, 1].map(|i| frames[i].out(blocks[i].center)) }
    }

    /// The directions along which boxes that are apart are seen to be: normals of faces, and of pairs of edges (separating
    /// axes). Nearly parallel edges have none that the faces do not have.
    fn axes(&self) -> impl Iterator<Item = Vec3<f64>> {
        let [first, second] = self.frames.map(|frame| frame.axes);
        let crossed = (0..9).filter_map(move |k| {
            let cross = first[k / 3].cross(second[k % 3]);
            let square = cross.norm_squared();
            (square > PARALLEL * PARALLEL).then(|| cross * (1.0 / square.sqrt()))
        });
        first.into_iter().chain(second).chain(crossed)
    }

    /// How far they overlap along a direction of unit length; negative where they are apart.
    fn overlap_along(&self, direction: Vec3<f64>) -> f64 {
        let [a, b] = [0, 1].map(|i| self.blocks[i].extent(self.frames[i], direction));
        a + b - (self.centers[0] - self.centers[1]).dot(direction).abs()
    }

    /// How deep they are in each other: the shortest way out; negative where they are apart.
    pub fn overlap(&self) -> f64 {
        self.axes().map(|axis| self.overlap_along(axis)).fold(f64::INFINITY, f64::min)
    }

    /// The radii of both roundings together.
    pub fn rounding(&self) -> f64 {
        self.blocks[0].rounding + self.blocks[1].rounding
    }

    /// The rods along an edge of each, where they cross. One that touches is `kept` a little longer near its end, where
    /// the corner takes over, so that it does not chatter there. Rods that nobody saw coming (`unseen`) may be the far
    /// sides of boxes that touch elsewhere: they count only as deep as the rods are thick or as the boxes overlap.
    pub fn edges(&self, numbers: [usize; 2], kept: bool, unseen: bool) -> Option<Measure> {
        let ([a, b], centers) = (self.frames, self.centers);
        let [u, w] = [0, 1].map(|i| self.frames[i].axes[numbers[i] / 4]);
        let cross = u.cross(w);
        let square = cross.norm_squared();
        if square < PARALLEL * PARALLEL {
            return None; // the corners touch then
        }
        let [first, second] = [0, 1].map(|i| self.blocks[i].edge(numbers[i]));
        let radius = [0, 1].map(|i| self.blocks[i].rounding);
        let (p, q) = (a.out(first.middle), b.out(second.middle));
        let side = if cross.dot(centers[0] - centers[1]) < 0.0 { -1.0 } else { 1.0 };
        let normal = cross * (side / square.sqrt());
        let between = q - p;
        let (s, t) = (between.cross(w).dot(cross) / square, between.cross(u).dot(cross) / square);
        let faces = normal.dot(p - centers[0]) < 0.0 && normal.dot(q - centers[1]) > 0.0;
        let inner = |edge: &Edge, radius: f64| edge.half - if kept { 0.0 } else { radius };
        if !faces || s.abs() > inner(&first, radius[0]) || t.abs() > inner(&second, radius[1]) {
            return None;
        }
        let gap = -between.dot(normal) - radius[0] - radius[1];
        if unseen && -gap > self.rounding() && self.axes().any(|axis| -gap > DEEPER * self.overlap_along(axis)) {
            return None;
        }
        Some(Measure { gap, normal, at: p + u * s - normal * radius[0] })
    }
}

/// A solid as far as passing matters: a box, or a ball.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    body: usize,
    center: Vec3<f64>,
    half: [f64; 3],
    radius: f64,
}

impl Extent {
    pub fn ball(body: usize, center: Vec3<f64>, radius: f64) -> Self {
        Self { body, center, half: [0.0; 3], radius }
    }

    pub fn block(body: usize, block: &RoundedBox) -> Self {
        Self { body, center: block.center, half: block.half, radius: 0.0 }
    }

    /// How far its corners are from its middle; a ball has none.
    fn reach(&self) -> f64 {
        Vec3(self.half).norm_squared().sqrt()
    }

    /// Half of its least thickness.
    fn thin(&self) -> f64 {
        self.radius + self.half.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Two solids of a contact.
pub(super) struct Passage {
    pub contact: usize,
    extents: [Extent; 2],
    /// Where both are boxes.
    blocks: Option<[RoundedBox; 2]>,
    /// The first, seen from the second, when they were last looked at.
    last: BodyFrame,
    /// How far they were apart then.
    apart: f64,
}

impl Passage {
    pub fn new(contact: usize, extents: [Extent; 2], blocks: Option<[RoundedBox; 2]>) -> Self {
        Self { contact, extents, blocks, last: BodyFrame::BASE, apart: 0.0 }
    }

    /// The first, seen from the second.
    fn relative(&self, frames: &BodyFrames) -> BodyFrame {
        let [a, b] = self.extents.map(|extent| frames.frame(extent.body));
        let inward = |direction: Vec3<f64>| Vec3::from_fn(|i| b.axes[i].dot(direction));
        let [first, second] = self.extents;
        BodyFrame { origin: b.inward(a.out(first.center)) - second.center, axes: a.axes.map(inward) }
    }

    /// Takes notice of where they are.
    pub fn look(&mut self, frames: &BodyFrames) {
        self.last = self.relative(frames);
        let [first, second] = &self.extents;
        let apart = match self.boxes(frames) {
            Some(boxes) => -boxes.overlap(),
            None => {
                let (distance, _) =
                    SurfaceShape::Box { center: [0.0; 3], half: second.half }.distance(self.last.origin);
                distance - first.radius - second.radius
            }
        };
        self.apart = apart.max(0.0);
    }

    /// Positive as long as they have moved by less than they were apart and half their thickness since they were looked at:
    /// so a step does not carry one through the other. Of two boxes half the thickness of the thinner one counts, since what
    /// touches is a corner, whose own thickness is small.
    pub fn guard(&self, frames: &BodyFrames) -> f64 {
        let now = self.relative(frames);
        let [first, second] = &self.extents;
        let turned: f64 = (0..3).map(|i| (now.axes[i] - self.last.axes[i]).norm_squared()).sum();
        let moved = (now.origin - self.last.origin).norm_squared().sqrt() + first.reach() * turned.sqrt();
        let (a, b) = (first.thin(), second.thin());
        self.apart + if self.blocks.is_some() { a.min(b) } else { a + b } - moved
    }

    fn boxes<'a>(&'a self, frames: &'a BodyFrames) -> Option<Boxes<'a>> {
        let blocks = self.blocks.as_ref()?;
        Some(Boxes::new(blocks, [0, 1].map(|i| frames.frame(self.extents[i].body))))
    }

    /// How deep boxes are in each other, where that is more than their rounding: they may cross so that no corner is in
    /// the other.
    pub fn overlap(&self, frames: &BodyFrames) -> Option<f64> {
        let boxes = self.boxes(frames)?;
        let depth = boxes.overlap();
        (depth > boxes.rounding()).then_some(depth)
    }
}
