//! What a parallel robot looks like: from its own geometry, nothing invented but line weights.

use super::ParallelRobot;
use crate::Vec3;
use crate::parallel::{Chain, Pose};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::orientation::quaternion_near;
use crate::spatial::Frame;

/// Thickness of a strut's cylinder, as a part of its length at home.
const CYLINDER: f64 = 0.025;

/// The order in which joints stand about z: an outline along it does not cross itself.
fn around<const N: usize>(joints: [Vec3<f64>; N]) -> [usize; N] {
    let middle = joints.iter().fold(Vec3::zero(), |sum, joint| sum + *joint) * (1.0 / N as f64);
    let angle = |i: usize| (joints[i][1] - middle[1]).atan2(joints[i][0] - middle[0]);
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    order
}

/// Base, rails, arms, rods or struts, and platform. The tracks are the platform and what the motors move; of a strut that is
/// the end of its cylinder.
pub(super) fn drawing<const N: usize>(robot: &ParallelRobot<N>, base: &Frame<f64>) -> Drawing {
    let parameters = robot.robot.parameters();
    let home = robot.robot.pose_unchecked(parameters.home, robot.robot.branches());
    let fixed = |point| Anchor::fixed(base.point(point).0);
    let place = |i: usize| fixed(parameters.legs[i].base);
    let far = |i: usize| Anchor::on(0, parameters.legs[i].platform.0);
    let near = |i: usize| Anchor::on(1 + i, [0.0; 3]);
    let mut shapes = Vec::new();
    let mut rails = false;
    for (i, leg) in parameters.legs.iter().enumerate() {
        match leg.chain {
            Chain::Rotary { .. } => shapes.push(Shape::Line(Role::Arm, vec![place(i), near(i)])),
            Chain::Slider { direction, rod, .. } => {
                rails = true;
                let [low, high] = robot.limits[i].range;
                let q = home.joints()[i];
                let ends = [
                    if low.is_finite() { low } else { q - rod.length },
                    if high.is_finite() { high } else { q + rod.length },
                ];
                let rail = ends.map(|q| fixed(leg.base + direction * q)).to_vec();
                shapes.push(Shape::Line(Role::Base, rail));
                shapes.push(Shape::Box(Role::Arm, near(i), [0.06 * rod.length; 3]));
            }
            Chain::Strut { .. } => {
                let length = home.legs[i].rod.norm_squared().sqrt();
                shapes.push(Shape::Cylinder(Role::Arm, [place(i), near(i)], CYLINDER * length));
            }
        }
        shapes.push(Shape::Line(Role::Rod, vec![near(i), far(i)]));
    }
    if !rails {
        let corners = around(std::array::from_fn::<_, N, _>(|i| parameters.legs[i].base));
        shapes.insert(0, Shape::Polygon(Role::Base, corners.into_iter().map(place).collect()));
    }
    let corners = around(std::array::from_fn::<_, N, _>(|i| parameters.legs[i].platform));
    shapes.push(Shape::Polygon(Role::Platform, corners.into_iter().map(far).collect()));
    shapes.push(Shape::Trace(0));
    Drawing { tracks: vec![Track::default(); 1 + N], shapes, ..Drawing::default() }
}

pub(super) fn draw<const N: usize>(pose: &Pose<'_, f64, N>, base: &Frame<f64>, tracks: &mut [Track]) {
    let Some((platform, ends)) = tracks.split_first_mut() else { return };
    let frame = base.then(&pose.tool);
    platform.position.push(frame.origin.0);
    platform.rotation.push(quaternion_near(frame.rotation, platform.rotation.last()));
    for (i, track) in ends.iter_mut().enumerate().take(N) {
        let (near, rod, home) =
            (pose.near(i), pose.legs[i].rod, pose.robot.home().point(pose.robot.parameters().legs[i].platform));
        let end = match pose.robot.parameters().legs[i].chain {
            // The cylinder is drawn two thirds as long as the strut is at home.
            Chain::Strut { .. } => {
                let share = ((home - near).norm_squared() / rod.norm_squared()).sqrt() * (2.0 / 3.0);
                near + rod * share.min(1.0)
            }
            _ => near,
        };
        track.position.push(base.point(end).0);
    }
}
