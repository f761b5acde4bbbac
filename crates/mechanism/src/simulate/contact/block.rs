//! Boxes against boxes: edges that cross, and how far two boxes overlap.

use super::Measure;
use super::frames::BodyFrame;
use crate::Vec3;

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
