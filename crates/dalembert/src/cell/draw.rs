//! How the members of a cell are drawn.

use super::{Against, BodyShape, Cell, MemberKind, SceneBody};
use crate::Vec3;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::simulate::SurfaceShape as Touched;
use std::ops::Range;

/// Half the edge of the piece of a plane that is drawn, m.
const PIECE: f64 = 0.25;

/// The drawing of a cell, without samples yet, and the tracks of each member.
pub(super) fn drawing(cell: &Cell) -> (Drawing, Vec<Range<usize>>) {
    let mut drawing = Drawing { down: cell.gravity.0, ..Drawing::default() };
    let mut tracks = Vec::new();
    for member in &cell.members {
        let first = drawing.tracks.len();
        drawing.append(match &member.item {
            MemberKind::Robot(robot) => robot.robot.drawing(&robot.base),
            MemberKind::Body(body) => draw_body(body),
        });
        tracks.push(first..drawing.tracks.len());
    }
    for contact in &cell.contacts {
        if let Against::Surface(shape) = contact.against {
            let drawn = surface(shape);
            if !drawing.shapes.contains(&drawn) {
                drawing.shapes.push(drawn);
            }
        }
    }
    (drawing, tracks)
}

fn draw_body(body: &SceneBody) -> Drawing {
    let center = Anchor::on(0, [0.0; 3]);
    let solid = match body.shape {
        BodyShape::Box(size) => Shape::Box(Role::Body, center, size),
        BodyShape::Sphere(radius) => Shape::Sphere(Role::Body, center, radius),
        BodyShape::Point => Shape::Sphere(Role::Body, center, 0.01),
    };
    Drawing { tracks: vec![Track::default()], shapes: vec![solid, Shape::Trace(0)], ..Drawing::default() }
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
