//! What a tree of links looks like: a line from each link to those that hang on it, and to its tools.

use super::LinkTree;
use super::tools::Which;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::State;
use crate::robot::orientation::quaternion_near;
use crate::spatial::Frame;

impl LinkTree {
    /// The tracks are the frames of the joints and the tool.
    pub(super) fn shapes(&self, base: &Frame<f64>) -> Drawing {
        let joints = self.formulas.joints();
        let mut shapes = Vec::new();
        for (i, link) in self.formulas.links().iter().enumerate() {
            let end = Anchor::on(i, [0.0; 3]);
            let start = link.parent.map_or(Anchor::fixed(base.origin.0), |parent| Anchor::on(parent, [0.0; 3]));
            shapes.push(Shape::Line(Role::Arm, vec![start, end]));
        }
        let last = match self.which {
            Which::Whole => joints.saturating_sub(1),
            Which::Link(i) => i,
        };
        shapes.push(Shape::Line(Role::Platform, vec![Anchor::on(last, [0.0; 3]), Anchor::on(joints, [0.0; 3])]));
        shapes.push(Shape::Trace(joints));
        Drawing { tracks: vec![Track::default(); joints + 1], shapes, ..Drawing::default() }
    }

    pub(super) fn sample(&self, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
        let (Ok(pose), Some((tool, links))) = (self.formulas.at_joints(&state.joints.q), tracks.split_last_mut())
        else {
            return;
        };
        let frames = pose.joint_frames();
        for (track, frame) in links.iter_mut().zip(frames) {
            let frame = base.then(&frame);
            track.position.push(frame.origin.0);
            track.rotation.push(quaternion_near(frame.rotation, track.rotation.last()));
        }
        tool.position.push(base.point(state.tool.pose.origin).0);
    }
}
