//! What a Delta looks like: from its own geometry, nothing invented but line weights.

use super::{DeltaRobot, pose};
use crate::Vec3;
use crate::delta::Delta;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::State;
use crate::spatial::Frame;

/// Distance between the rods of a pair where the robot file does not say, as a part of the forearm's length.
const PAIR: f64 = 0.08;

/// Base, arms, rod pairs and platform. The tracks are the platform and the elbows, these with the platform shrunk to a
/// point as the model has it: the true ones are a platform radius farther out.
pub(super) fn drawing(robot: &DeltaRobot, base: &Frame<f64>) -> Drawing {
    let parameters = robot.delta.parameters();
    let arms = &parameters.arms;
    // Nothing of it turns as it moves, so that directions of the robot are directions of the scene.
    let along = |i: usize, length: f64, across: f64| {
        let (cos, sin) = (arms[i].azimuth.cos, arms[i].azimuth.sin);
        base.rotation * Vec3([length * cos - across * sin, length * sin + across * cos, 0.0])
    };
    let hip = |i: usize| Anchor::fixed((base.origin + along(i, arms[i].base_radius, 0.0)).0);
    let mut shapes = vec![Shape::Polygon(Role::Base, (0..3).map(hip).collect())];
    let mut platform = Vec::new();
    for i in 0..3 {
        let radius = arms[i].platform_radius;
        let half = 0.5 * robot.spacing[i].unwrap_or(PAIR * arms[i].forearm.length);
        let elbow = |across: f64| Anchor::on(1 + i, along(i, radius, across).0);
        let wrist = |across: f64| Anchor::on(0, along(i, radius, across).0);
        shapes.push(Shape::Line(Role::Arm, vec![hip(i), elbow(0.0)]));
        shapes.push(Shape::Line(Role::Arm, vec![elbow(-half), elbow(half)]));
        for across in [-half, half] {
            shapes.push(Shape::Line(Role::Rod, vec![elbow(across), wrist(across)]));
            platform.push(wrist(across));
        }
    }
    shapes.push(Shape::Polygon(Role::Platform, platform));
    if parameters.tool != Vec3::zero() {
        let tool = Anchor::on(0, (base.rotation * parameters.tool).0);
        shapes.push(Shape::Line(Role::Platform, vec![Anchor::on(0, [0.0; 3]), tool]));
    }
    shapes.push(Shape::Trace(0));
    Drawing { tracks: vec![Track::default(); 4], shapes, ..Drawing::default() }
}

pub(super) fn draw(robot: &Delta<f64>, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
    let pose = pose(robot, state);
    let points = [pose.position].into_iter().chain(pose.arms.map(|arm| arm.elbow));
    for (track, point) in tracks.iter_mut().zip(points) {
        track.position.push(base.point(point).0);
    }
}
