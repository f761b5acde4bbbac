//! Two solids that come near each other: how far they may move unwatched, and whether one is hidden in the other.

use super::SurfaceShape;
use super::block::{Boxes, RoundedBox};
use super::frames::{BodyFrame, BodyFrames};
use crate::Vec3;

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
    /// so a step does not carry one through the other.
    pub fn guard(&self, frames: &BodyFrames) -> f64 {
        let now = self.relative(frames);
        let [first, second] = &self.extents;
        let turned: f64 = (0..3).map(|i| (now.axes[i] - self.last.axes[i]).norm_squared()).sum();
        let moved = (now.origin - self.last.origin).norm_squared().sqrt() + first.reach() * turned.sqrt();
        self.apart + first.thin() + second.thin() - moved
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
