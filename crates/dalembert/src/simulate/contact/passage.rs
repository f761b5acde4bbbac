//! Two solids that come near each other: how far they may move unwatched, and whether one is hidden in the other.

use super::block::{Block, Boxes};
use super::frames::{Frame, Frames};
use crate::Vec3;

/// A solid as far as passing matters.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    body: usize,
    center: Vec3<f64>,
    /// Radius of the sphere about it.
    reach: f64,
    /// Half of its least thickness.
    thin: f64,
}

impl Extent {
    pub fn ball(body: usize, center: Vec3<f64>, radius: f64) -> Self {
        Self { body, center, reach: radius, thin: radius }
    }

    pub fn block(body: usize, block: &Block) -> Self {
        let thin = block.half.iter().copied().fold(f64::INFINITY, f64::min);
        Self { body, center: block.center, reach: Vec3(block.half).norm_squared().sqrt(), thin }
    }
}

/// Two solids of a contact.
pub(super) struct Passage {
    pub contact: usize,
    extents: [Extent; 2],
    /// Where both are boxes.
    blocks: Option<[Block; 2]>,
    /// The first, seen from the second, when they were last looked at.
    last: Frame,
}

impl Passage {
    pub fn new(contact: usize, extents: [Extent; 2], blocks: Option<[Block; 2]>) -> Self {
        Self { contact, extents, blocks, last: Frame::BASE }
    }

    /// The first, seen from the second.
    fn relative(&self, frames: &Frames) -> Frame {
        let [a, b] = self.extents.map(|extent| frames.frame(extent.body));
        let inward = |direction: Vec3<f64>| Vec3::from_fn(|i| b.axes[i].dot(direction));
        let [first, second] = self.extents;
        Frame { origin: b.inward(a.out(first.center)) - second.center, axes: a.axes.map(inward) }
    }

    /// Takes notice of where they are.
    pub fn look(&mut self, frames: &Frames) {
        self.last = self.relative(frames);
    }

    /// Positive as long as they have moved by less than half their thickness since they were looked at, or are far
    /// apart: so a step does not carry one through the other.
    pub fn guard(&self, frames: &Frames) -> f64 {
        let now = self.relative(frames);
        let [first, second] = self.extents;
        let turned: f64 = (0..3).map(|i| (now.axes[i] - self.last.axes[i]).norm_squared()).sum();
        let moved = (now.origin - self.last.origin).norm_squared().sqrt() + first.reach * turned.sqrt();
        let near = now.origin.norm_squared().sqrt() - moved < first.reach + second.reach;
        if near { first.thin + second.thin - moved } else { f64::INFINITY }
    }

    /// How deep boxes are in each other, where that is more than their rounding: they may cross so that no corner is in
    /// the other.
    pub fn overlap(&self, frames: &Frames) -> Option<f64> {
        let blocks = self.blocks.as_ref()?;
        let depth = Boxes { blocks, frames: self.extents.map(|extent| frames.frame(extent.body)) }.overlap();
        (depth > blocks[0].rounding + blocks[1].rounding).then_some(depth)
    }
}
