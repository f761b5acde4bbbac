//! How the members of a cell are drawn: from their own geometry, nothing invented but line weights.

use super::{Against, BodyShape, Cell, DeltaMember, Item};
use crate::Vec3;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::simulate::Shape as Touched;

/// Distance between the rods of a pair where the robot file does not say, as a part of the forearm's length.
const PAIR: f64 = 0.08;

/// Half the edge of the plate that marks the base of a serial arm, m.
const PLATE: f64 = 0.08;
/// Half the edge of the piece of a plane that is drawn, m.
const PIECE: f64 = 0.25;

/// The drawing of a cell, without samples yet. The order of the tracks is that in which states are observed.
pub(super) fn drawing(cell: &Cell) -> Drawing {
    let mut drawing = Drawing::default();
    for member in &cell.members {
        let first = drawing.tracks.len();
        match &member.item {
            Item::Delta(delta) => {
                drawing.tracks.extend(std::iter::repeat_n(Track::default(), 4));
                draw_delta(&mut drawing, delta, first);
            }
            Item::Arm(arm) => {
                let points = arm.arm.joints() + 1;
                drawing.tracks.extend(std::iter::repeat_n(Track::default(), points));
                let base = |x: f64, y: f64| Anchor::fixed(arm.base.point(Vec3::new(x, y, 0.0)).0);
                let mut line = vec![base(0.0, 0.0)];
                line.extend((0..points).map(|i| Anchor::on(first + i, [0.0; 3])));
                drawing.shapes.push(Shape::Line(Role::Arm, line));
                let plate = vec![base(-PLATE, -PLATE), base(PLATE, -PLATE), base(PLATE, PLATE), base(-PLATE, PLATE)];
                drawing.shapes.push(Shape::Polygon(Role::Base, plate));
                drawing.shapes.push(Shape::Trace(first + points - 1));
            }
            Item::Body(body) => {
                drawing.tracks.push(Track::default());
                let center = Anchor::on(first, [0.0; 3]);
                drawing.shapes.push(match body.shape {
                    BodyShape::Box(size) => Shape::Box(Role::Body, center, size),
                    BodyShape::Sphere(radius) => Shape::Sphere(Role::Body, center, radius),
                    BodyShape::Point => Shape::Sphere(Role::Body, center, 0.01),
                });
                drawing.shapes.push(Shape::Trace(first));
            }
        }
    }
    for contact in &cell.contacts {
        if let Against::Surface(shape) = contact.against {
            let drawn = surface(shape);
            if !drawing.shapes.contains(&drawn) {
                drawing.shapes.push(drawn);
            }
        }
    }
    drawing
}

/// A surface that stands still; of a plane that is no floor a piece.
fn surface(shape: Touched) -> Shape {
    match shape {
        Touched::Plane { through: [_, _, z], normal: [0.0, 0.0, 1.0] } => Shape::Floor(z),
        Touched::Plane { through, normal } => {
            let normal = Vec3(normal);
            let aside = if normal[2].abs() < 0.9 { Vec3([0.0, 0.0, 1.0]) } else { Vec3([1.0, 0.0, 0.0]) };
            let first = aside.cross(normal);
            let first = first * (PIECE / first.norm_squared().sqrt());
            let second = normal.cross(first);
            let corner = |a: f64, b: f64| Anchor::fixed((Vec3(through) + first * a + second * b).0);
            let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            Shape::Polygon(Role::Surface, corners)
        }
        Touched::Box { center, half } => Shape::Box(Role::Surface, Anchor::fixed(center), half.map(|x| 2.0 * x)),
        Touched::Sphere { center, radius } => Shape::Sphere(Role::Surface, Anchor::fixed(center), radius),
    }
}

/// Base, arms, rod pairs and platform. The tracks are the platform and the elbows, these with the platform shrunk to a
/// point as the model has it: the true ones are a platform radius farther out.
fn draw_delta(drawing: &mut Drawing, member: &DeltaMember, first: usize) {
    let arms = &member.delta.parameters().arms;
    let along = |i: usize, length: f64, across: f64| {
        let (cos, sin) = (arms[i].azimuth.cos, arms[i].azimuth.sin);
        [length * cos - across * sin, length * sin + across * cos, 0.0]
    };
    let from = |offset: [f64; 3]| Anchor::fixed(std::array::from_fn(|k| member.origin[k] + offset[k]));
    let base = (0..3).map(|i| from(along(i, arms[i].base_radius, 0.0))).collect();
    let mut shapes = vec![Shape::Polygon(Role::Base, base)];
    let mut platform = Vec::new();
    for i in 0..3 {
        let radius = arms[i].platform_radius;
        let half = 0.5 * member.spacing[i].unwrap_or(PAIR * arms[i].forearm.length);
        let elbow = |across: f64| Anchor::on(first + 1 + i, along(i, radius, across));
        let hip = |across: f64| Anchor::on(first, along(i, radius, across));
        shapes.push(Shape::Line(Role::Arm, vec![from(along(i, arms[i].base_radius, 0.0)), elbow(0.0)]));
        shapes.push(Shape::Line(Role::Arm, vec![elbow(-half), elbow(half)]));
        for across in [-half, half] {
            shapes.push(Shape::Line(Role::Rod, vec![elbow(across), hip(across)]));
            platform.push(hip(across));
        }
    }
    shapes.push(Shape::Polygon(Role::Platform, platform));
    let tool = member.delta.parameters().tool.0;
    if tool != [0.0; 3] {
        shapes.push(Shape::Line(Role::Platform, vec![Anchor::on(first, [0.0; 3]), Anchor::on(first, tool)]));
    }
    shapes.push(Shape::Trace(first));
    drawing.shapes.extend(shapes);
}
