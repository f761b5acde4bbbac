//! What a serial arm looks like: joints about their axes, links as the table of Denavit and Hartenberg has them.

use super::array;
use crate::Vec3;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::State;
use crate::robot::orientation::quaternion_near;
use crate::serial::{DhConvention, Joint, Serial};
use crate::spatial::Frame;

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
pub(super) fn drawing<const N: usize>(arm: &Serial<f64, N>, base: &Frame<f64>) -> Drawing {
    let parameters = arm.parameters();
    let tool = parameters.tool.origin;
    let lengths = parameters.links.iter().map(|link| link.dh.a.hypot(link.dh.d));
    let length = lengths.sum::<f64>() + tool.norm_squared().sqrt();
    let radius = |i: usize| length * (RADII[0] + (RADII[1] - RADII[0]) * i as f64 / (N.max(2) - 1) as f64);
    let fixed = |z: f64| Anchor::fixed(base.point(Vec3::new(0.0, 0.0, z)).0);
    // A point of the frame before a joint.
    let before = |i: usize, offset: [f64; 3]| match i.checked_sub(1) {
        Some(track) => Anchor::on(track, offset),
        None => Anchor::fixed(base.point(Vec3(offset)).0),
    };

    let [column, foot] = [COLUMN, FOOT].map(|sizes| sizes.map(|size| size * radius(0)));
    let mut shapes = vec![
        Shape::Cylinder(Role::Base, [fixed(-column[0] - foot[0]), fixed(-column[0])], foot[1]),
        Shape::Cylinder(Role::Base, [fixed(-column[0]), fixed(0.0)], column[1]),
    ];
    for (i, link) in parameters.links.iter().enumerate() {
        let (r, dh) = (radius(i), &link.dh);
        let slides = link.joint == Joint::Prismatic;
        let (along_x, along_axis) = (dh.a != 0.0, slides || dh.d != 0.0);
        let [start, end] = [before(i, [0.0; 3]), Anchor::on(i, [0.0; 3])];
        // Along x and then along the joint's axis, or the other way round.
        let (corner, sides, axis) = match parameters.convention {
            DhConvention::Modified => {
                let at = |z: f64| Anchor::on(i, [0.0, 0.0, z - 0.5 * dh.d]);
                (before(i, [dh.a, 0.0, 0.0]), [along_x, along_axis], [at(-HALF * r), at(HALF * r)])
            }
            DhConvention::Standard => {
                let at = |z: f64| before(i, [0.0, 0.0, z + 0.5 * dh.d]);
                (Anchor::on(i, [-dh.a, 0.0, 0.0]), [along_axis, along_x], [at(-HALF * r), at(HALF * r)])
            }
        };
        let links = sides.into_iter().zip([[start, corner], [corner, end]]);
        shapes.extend(
            links.filter(|(is_there, _)| *is_there).map(|(_, ends)| Shape::Cylinder(Role::Arm, ends, LINK * r)),
        );
        shapes.push(if slides {
            Shape::Box(Role::Arm, end, [1.8 * r; 3])
        } else {
            Shape::Cylinder(Role::Arm, axis, r)
        });
    }
    let flange = N.checked_sub(1).map_or(fixed(0.0), |last| Anchor::on(last, [0.0; 3]));
    shapes.push(Shape::Line(Role::Platform, vec![flange, Anchor::on(N, [0.0; 3])]));
    shapes.push(Shape::Trace(N));
    Drawing { tracks: vec![Track::default(); N + 1], shapes, ..Drawing::default() }
}

pub(super) fn draw<const N: usize>(arm: &Serial<f64, N>, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
    let frames = arm.pose_unchecked(array(&state.joints.q)).frames();
    let Some((tool, links)) = tracks.split_last_mut() else { return };
    for (track, frame) in links.iter_mut().zip(frames) {
        let frame = base.then(&frame);
        track.position.push(frame.origin.0);
        track.rotation.push(quaternion_near(frame.rotation, track.rotation.last()));
    }
    tool.position.push(base.point(state.tool.pose.origin).0);
}
