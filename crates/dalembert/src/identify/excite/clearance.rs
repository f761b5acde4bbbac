//! How near the parts of a robot come to each other: the lines of its drawing, which every family has.
//!
//! A part is a line without thickness: the arms, rods, struts, edges of base and platform, links and joint axes that are drawn. Half of
//! the clearance is therefore the thickness that every part may have. Parts that are nearer to each other at home are joined, or
//! neighbours, and are not looked at.

use super::NoExcitation;
use crate::report::drawing::{Anchor, Shape, Track};
use crate::robot::orientation::of_quaternion;
use crate::robot::{Robot, State};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};
use serde::Serialize;

/// How near parts of the robot come to each other along a motion.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Nearest {
    /// The smallest distance, m; infinite where there are no two parts to look at.
    pub distance: f64,
    /// When, s.
    pub time: f64,
    /// Which two parts: `arm 2`, `rod 5`, in the order of the drawing.
    pub parts: [String; 2],
    /// Pairs of parts that are looked at.
    pub pairs: usize,
    /// Pairs that are nearer than the clearance at home: neighbours, which are not looked at.
    pub neighbours: usize,
}

/// A line of the drawing.
struct DrawnLine {
    name: String,
    ends: [Anchor; 2],
}

/// The parts of a robot that must not come near to each other.
pub(super) struct Clearance {
    /// m.
    pub least: f64,
    parts: Vec<DrawnLine>,
    pairs: Vec<[usize; 2]>,
    neighbours: usize,
    tracks: usize,
}

impl Clearance {
    /// Of a robot that is at home.
    pub fn new(robot: &Robot, home: &State, least: f64) -> Result<Self, NoExcitation> {
        let drawing = robot.drawing(&Frame::identity());
        let mut parts: Vec<DrawnLine> = Vec::new();
        for shape in &drawing.shapes {
            let (role, points, closed) = match shape {
                Shape::Line(role, points) => (role, &points[..], false),
                Shape::Polygon(role, points) => (role, &points[..], true),
                Shape::Cylinder(role, ends, _) => (role, &ends[..], false),
                Shape::Box(..) | Shape::Sphere(..) | Shape::Floor(_) | Shape::Trace(_) => continue,
            };
            let last = points.last().filter(|_| closed).zip(points.first()).map(|(a, b)| [*a, *b]);
            for ends in points.windows(2).map(|ends| [ends[0], ends[1]]).chain(last) {
                let number = parts.iter().filter(|part| part.name.starts_with(role.as_str())).count() + 1;
                parts.push(DrawnLine { name: format!("{} {number}", role.as_str()), ends });
            }
        }
        let mut all = Self { least, parts, pairs: Vec::new(), neighbours: 0, tracks: drawing.tracks.len() };
        let lines = all.lines(robot, home);
        for b in 0..all.parts.len() {
            for a in (0..b).filter(|&a| !together(&all.parts[a], &all.parts[b])) {
                if distance(&lines[a], &lines[b]) >= least {
                    all.pairs.push([a, b]);
                } else {
                    all.neighbours += 1;
                }
            }
        }
        match all.pairs.is_empty() && all.neighbours > 0 {
            true => Err(NoExcitation::AllNear { clearance: least, pairs: all.neighbours }),
            false => Ok(all),
        }
    }

    /// Where the lines are.
    fn lines(&self, robot: &Robot, state: &State) -> Vec<[Vec3<f64>; 2]> {
        let mut tracks = vec![Track::default(); self.tracks];
        robot.draw(state, &Frame::identity(), &mut tracks);
        let frames: Vec<Option<Frame<f64>>> = tracks.iter().map(frame).collect();
        let point = |anchor: &Anchor| {
            let offset = Vec3(anchor.offset);
            match anchor.track {
                None => offset,
                Some(track) => frames
                    .get(track)
                    .and_then(|frame| frame.as_ref())
                    .map_or(Vec3::from_fn(|_| f64::NAN), |frame| frame.point(offset)),
            }
        };
        self.parts.iter().map(|part| [point(&part.ends[0]), point(&part.ends[1])]).collect()
    }

    /// Visits every distance in a state, as a number of the pair.
    pub fn each(&self, robot: &Robot, state: &State, mut visit: impl FnMut(usize, f64)) {
        let lines = self.lines(robot, state);
        for (k, [a, b]) in self.pairs.iter().enumerate() {
            visit(k, distance(&lines[*a], &lines[*b]));
        }
    }

    /// The smallest distance of states at times.
    pub fn nearest(&self, robot: &Robot, states: impl Iterator<Item = (f64, State)>) -> Nearest {
        let mut least = (f64::INFINITY, 0.0, None);
        for (time, state) in states {
            self.each(robot, &state, |k, distance| {
                if distance < least.0 {
                    least = (distance, time, Some(k));
                }
            });
        }
        let (distance, time, pair) = least;
        let name = |side: usize| pair.map_or(String::new(), |k| self.parts[self.pairs[k][side]].name.clone());
        let (pairs, neighbours) = (self.pairs.len(), self.neighbours);
        Nearest { distance, time, parts: [name(0), name(1)], pairs, neighbours }
    }
}

/// Whether two lines hang on the same things: their distance does not change, or they are joined.
fn together(a: &DrawnLine, b: &DrawnLine) -> bool {
    let on = |part: &DrawnLine| {
        let [first, second] = part.ends.map(|end| end.track);
        [first.min(second), first.max(second)]
    };
    on(a) == on(b)
}

/// The last sample of a track.
fn frame(track: &Track) -> Option<Frame<f64>> {
    let origin = Vec3(*track.position.last()?);
    let rotation = match track.rotation.last() {
        Some(four) => of_quaternion(*four)?,
        None => Mat3::diagonal(1.0),
    };
    Some(Frame { rotation, origin })
}

/// Between two lines from end to end: a + s u and b + t v with s and t from 0 to 1 where they are nearest (Ericson 2005, Real-Time
/// Collision Detection, 5.1.9).
fn distance([a, a_end]: &[Vec3<f64>; 2], [b, b_end]: &[Vec3<f64>; 2]) -> f64 {
    let (u, v, r) = (*a_end - *a, *b_end - *b, *a - *b);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(v));
    let (ur, vr) = (u.dot(r), v.dot(r));
    let share = |x: f64, of: f64| if of > 0.0 { (x / of).clamp(0.0, 1.0) } else { 0.0 };
    // Where they are parallel any place is as near as another.
    let mut s = share(uv * vr - ur * vv, (uu * vv - uv * uv).max(0.0));
    let t = share(uv * s + vr, vv);
    // The nearest of the first to where the second ends.
    s = share(uv * t - ur, uu);
    (r + u * s - v * t).norm_squared().sqrt()
}
