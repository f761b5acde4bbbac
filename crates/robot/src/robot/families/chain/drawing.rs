//! What a chain looks like: joints about their axes, links as the table of Denavit and Hartenberg has them.

use super::reach;
use crate::Vec3;
use crate::chain::Chain;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::State;
use crate::robot::orientation::quaternion_near;
use crate::serial::{DhConvention, Joint};
use crate::spatial::Frame;
use std::iter::successors;

/// Radius of the first and of the last joint, as parts of the arm's length.
const RADII: [f64; 2] = [0.065, 0.028];
/// Half the length of a joint, in radii.
const HALF: f64 = 1.15;
/// Radius of a link, in radii of its joint.
const LINK: f64 = 0.6;
/// What a base has below its frame, in radii of the first joint: depth and radius of column and foot.
const COLUMN: [f64; 2] = [4.0, 0.8];
const FOOT: [f64; 2] = [0.5, 1.7];

/// Base, joints, links and tool. The tracks are the frames of the links and the tool.
pub(super) fn drawing(chain: &Chain<f64>, base: &Frame<f64>) -> Drawing {
    let (parameters, n) = (chain.parameters(), chain.joints());
    let base = &base.then(&parameters.whole.base_frame());
    let length = reach(chain);
    let depth = |i: usize| successors(chain.links()[i].parent, |&k| chain.links()[k].parent).count();
    let last = chain.path().len().max(2) - 1;
    let radius = |i: usize| length * (RADII[0] + (RADII[1] - RADII[0]) * (depth(i) as f64 / last as f64).min(1.0));
    let fixed = |z: f64| Anchor::fixed(base.point(Vec3::new(0.0, 0.0, z)).0);

    let [column, foot] = [COLUMN, FOOT].map(|sizes| sizes.map(|size| size * length * RADII[0]));
    let mut shapes = vec![
        Shape::Cylinder(Role::Base, [fixed(-column[0] - foot[0]), fixed(-column[0])], foot[1]),
        Shape::Cylinder(Role::Base, [fixed(-column[0]), fixed(0.0)], column[1]),
    ];
    for (i, branch) in parameters.links.iter().enumerate() {
        let (r, dh) = (radius(i), &branch.link.dh);
        let mount = branch.mount.unwrap_or(Frame::identity());
        // A point of the frame in which the row starts.
        let before = |offset: [f64; 3]| {
            let offset = mount.point(Vec3(offset));
            match branch.parent.checked_sub(1) {
                Some(track) => Anchor::on(track, offset.0),
                None => Anchor::fixed(base.point(offset).0),
            }
        };
        let slides = branch.link.joint == Joint::Prismatic;
        let (along_x, along_axis) = (dh.a != 0.0, slides || dh.d != 0.0);
        let [start, end] = [before([0.0; 3]), Anchor::on(i, [0.0; 3])];
        // Along x and then along the joint's axis, or the other way round.
        let (corner, sides, axis) = match parameters.whole.convention {
            DhConvention::Modified => {
                let at = |z: f64| Anchor::on(i, [0.0, 0.0, z - 0.5 * dh.d]);
                (before([dh.a, 0.0, 0.0]), [along_x, along_axis], [at(-HALF * r), at(HALF * r)])
            }
            DhConvention::Standard => {
                let at = |z: f64| before([0.0, 0.0, z + 0.5 * dh.d]);
                (Anchor::on(i, [-dh.a, 0.0, 0.0]), [along_axis, along_x], [at(-HALF * r), at(HALF * r)])
            }
        };
        let root = branch.parent.checked_sub(1).map_or(fixed(0.0), |track| Anchor::on(track, [0.0; 3]));
        let to_mount = (mount.origin != Vec3::zero(), [root, start]);
        let links = [to_mount].into_iter().chain(sides.into_iter().zip([[start, corner], [corner, end]]));
        shapes.extend(
            links.filter(|(is_there, _)| *is_there).map(|(_, ends)| Shape::Cylinder(Role::Arm, ends, LINK * r)),
        );
        shapes.push(if slides {
            Shape::Box(Role::Arm, end, [1.8 * r; 3])
        } else {
            Shape::Cylinder(Role::Arm, axis, r)
        });
    }
    let flange = chain.path().last().map_or(fixed(0.0), |&last| Anchor::on(last, [0.0; 3]));
    shapes.push(Shape::Line(Role::Platform, vec![flange, Anchor::on(n, [0.0; 3])]));
    shapes.push(Shape::Trace(n));
    Drawing { tracks: vec![Track::default(); n + 1], shapes, ..Drawing::default() }
}

pub(super) fn draw(chain: &Chain<f64>, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
    let Ok(pose) = chain.at_joints(&state.joints.q) else { return };
    let Some((tool, links)) = tracks.split_last_mut() else { return };
    for (track, frame) in links.iter_mut().zip(pose.frames()) {
        let frame = base.then(&frame);
        track.position.push(frame.origin.0);
        track.rotation.push(quaternion_near(frame.rotation, track.rotation.last()));
    }
    tool.position.push(base.point(state.tool.pose.origin).0);
}
