//! A drawing in space at one of its rows, seen obliquely from above: a picture without a viewer.

use super::picture::{INK, Picture, TextStyle};
use crate::drawing::{Anchor, Drawing, Role, Shape};

const SIZE: f64 = 480.0;
const MARGIN: f64 = 28.0;
/// From where it is seen: turned about z, then from above, rad.
const TURN: f64 = 0.45;
const ABOVE: f64 = 0.4;

type Point = [f64; 3];

/// v turned by a unit quaternion (w, x, y, z).
fn turned([w, x, y, z]: [f64; 4], v: Point) -> Point {
    let cross = |a: Point, b: Point| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let t = cross([x, y, z], v).map(|x| 2.0 * x);
    let u = cross([x, y, z], t);
    [0, 1, 2].map(|i: usize| v[i] + w * t[i] + u[i])
}

/// What is drawn of a shape: its outline, whether that is closed, what it belongs to, and how thick it is, m.
struct Outline {
    points: Vec<Point>,
    closed: bool,
    role: Role,
    thick: f64,
}

fn color(role: Role) -> &'static str {
    match role {
        Role::Base | Role::Surface => "#8a8a8a",
        Role::Arm => "#0072b2",
        Role::Rod => "#56b4e9",
        Role::Platform => "#d55e00",
        Role::Body => "#009e73",
    }
}

/// The drawing at a row, parts that are nearer over those behind them.
pub fn view(drawing: &Drawing, row: usize, title: &str) -> Picture {
    let place = |anchor: &Anchor| -> Point {
        let Some(track) = anchor.track.and_then(|track| drawing.tracks.get(track)) else { return anchor.offset };
        let offset = track.rotation.get(row).map_or(anchor.offset, |&turn| turned(turn, anchor.offset));
        let at = track.position.get(row).copied().unwrap_or([f64::NAN; 3]);
        [0, 1, 2].map(|i: usize| at[i] + offset[i])
    };
    // To the right, upward, and towards the eye.
    let seen = |point: Point| -> Point {
        let [x, y, z] = drawing.turn().map_or(point, |turn| turned(turn, point));
        let ((st, ct), (sa, ca)) = (TURN.sin_cos(), ABOVE.sin_cos());
        let (right, away) = (ct * x + st * y, ct * y - st * x);
        [right, ca * z + sa * away, sa * z - ca * away]
    };
    let mut strokes: Vec<Outline> = Vec::new();
    let mut add = |role, points: Vec<Point>, closed, thick| strokes.push(Outline { points, closed, role, thick });
    for shape in &drawing.shapes {
        match shape {
            Shape::Line(role, anchors) => add(*role, anchors.iter().map(place).collect(), false, 0.0),
            Shape::Polygon(role, anchors) => add(*role, anchors.iter().map(place).collect(), true, 0.0),
            Shape::Cylinder(role, ends, radius) => add(*role, ends.iter().map(place).collect(), false, 2.0 * radius),
            Shape::Sphere(role, anchor, radius) => add(*role, vec![place(anchor); 2], false, 2.0 * radius),
            Shape::Box(role, anchor, size) => {
                let corner = |[x, y, z]: [f64; 3]| {
                    let [a, b, c] = anchor.offset;
                    let offset = [a + 0.5 * x * size[0], b + 0.5 * y * size[1], c + 0.5 * z * size[2]];
                    place(&Anchor { offset, ..*anchor })
                };
                let top = [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]];
                let front = [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]];
                for face in [top, front] {
                    add(*role, face.map(corner).into(), true, 0.0);
                }
            }
            Shape::Floor(_) | Shape::Trace(_) => {}
        }
    }
    for stroke in &mut strokes {
        stroke.points.iter_mut().for_each(|point| *point = seen(*point));
    }
    let all = || strokes.iter().flat_map(|stroke| &stroke.points);
    let range = |k: usize| super::range_of(all().map(|point| point[k]));
    let ((left, right), (low, high)) = (range(0), range(1));
    let scale = (SIZE - 2.0 * MARGIN) / (right - left).max(high - low).max(1e-9);
    let place = |point: &Point| (MARGIN + scale * (point[0] - left), 2.0 * MARGIN + scale * (high - point[1]));
    let mut picture = Picture::new(2.0 * MARGIN + scale * (right - left), 3.0 * MARGIN + scale * (high - low));
    let depth = |stroke: &Outline| stroke.points.iter().map(|point| point[2]).sum::<f64>() / stroke.points.len() as f64;
    strokes.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    for Outline { points, closed, role, thick } in &strokes {
        let text: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (text, color) = (text.join(" "), color(*role));
        let width = (thick * scale).max(if *role == Role::Rod { 2.0 } else { 3.0 });
        let common = format!("points=\"{text}\" stroke=\"{color}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        picture.markup(match closed {
            true => format!("<polygon {common} stroke-width=\"2\" fill=\"{color}\" fill-opacity=\"0.25\"/>"),
            false => format!("<polyline {common} stroke-width=\"{width:.1}\" fill=\"none\"/>"),
        });
    }
    picture.text((MARGIN, 20.0), TextStyle { color: INK, bold: true, ..TextStyle::PLAIN }, title);
    picture
}
