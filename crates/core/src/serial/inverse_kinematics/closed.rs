//! Which arms have a closed form, and its candidates.
//!
//! Six axes ξ_1 … ξ_6, X = exp(ξ_1 q_1) … exp(ξ_6 q_6), h_i the directions, R_i the rotations, p_i points of the axes:
//!
//! ```text
//! spherical wrist (4, 5, 6 meet in c):  E_1 E_2 E_3 c = X c,  R_4 R_5 R_6 = (R_1 R_2 R_3)ᵀ X                  (1)
//! parallel axes 2, 3, 4 along h:        h·R_5 h_6 = h·R_1ᵀ X h_6,  h·E_5 p_6 = h·E_1⁻¹ X p_6                   (2)
//! ```
//!
//! (1) with joints that turn or slide: what E_2 leaves alone (the height along its axis and the distance from it, or two
//! coordinates across it) is the same of E_3 c and of E_1⁻¹ X c: two equations in q_1 and q_3. (2) has two equations in q_1 and q_5.
//! Both are (2) of `equations.rs`. The rest follows joint by joint (Pieper 1968; Elias and Wen 2025, sections 4 and 5). Read from
//! the other end, X⁻¹ = exp(−ξ_6 q_6) …, the same holds for a spherical shoulder and for parallel axes 3, 4, 5.
//!
//! Arms with fewer joints get further ones that stay at zero, placed so that (1) or (2) applies. A joint that slides along the axis about which its
//! neighbour turns changes places with it where that helps.
//!
//! Candidates only: they are refined and checked with the arm itself.

use super::chain::{MAX_JOINTS, Screw, ScrewChain, size};
use super::equations::{Curve, List, turn, two};
use crate::algebra::{Mat3, Vec3};
use crate::spatial::Frame;

/// Axes that are this far from meeting (over the arm's length) or from parallel (rad) do meet or are parallel.
pub(super) const SAME: f64 = 1e-9;

/// Below this the sine between the first and the last axis of a wrist is rounding.
const IN_LINE: f64 = 1e-12;

/// A joint that was added has to be this near to its zero, rad or lengths of the arm, for its candidate to be refined.
const ADDED: f64 = 1e-2;

/// What makes the closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedForm {
    /// Three axes at the end (or the beginning) meet in a point.
    SphericalWrist,
    /// Three consecutive axes are parallel.
    ParallelAxes,
    /// Seven joints, the first and the last three axes meet: an arm angle is free.
    ShoulderAndWrist,
}

pub(super) type Six = [f64; 6];
pub(super) type Candidates = List<[f64; MAX_JOINTS], 64>;

/// An arm with six moving joints as the closed form wants it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    screws: [Screw; 6],
    /// Which joint of the arm it is; `None`: added.
    joints: [Option<usize>; 6],
    pub form: ClosedForm,
    /// Where the wrist's axes meet.
    center: Vec3<f64>,
    /// Read from the other end.
    backwards: bool,
}

impl Plan {
    /// The closed form of the joints that are not held, if it has one.
    pub fn new(chain: &ScrewChain, held: &[bool; MAX_JOINTS]) -> Option<Self> {
        let mut moving: List<usize, MAX_JOINTS> = List::new();
        (0..chain.joints).filter(|i| !held[*i]).for_each(|i| moving.push(i));
        let moving = moving.as_slice();
        if moving.is_empty() || moving.len() > 6 {
            return None;
        }
        // As they are, or with one pair exchanged.
        (0..moving.len()).find_map(|exchanged| {
            let mut order = [0; 6];
            order[..moving.len()].copy_from_slice(moving);
            if exchanged > 0 {
                let [a, b] = [moving[exchanged - 1], moving[exchanged]];
                let (one, other) = (&chain.screws[a], &chain.screws[b]);
                if one.turns == other.turns || !parallel(one.axis, other.axis) {
                    return None;
                }
                (order[exchanged - 1], order[exchanged]) = (b, a);
            }
            Self::completed(chain, &order[..moving.len()])
        })
    }

    /// With joints added behind the last or before the first.
    fn completed(chain: &ScrewChain, order: &[usize]) -> Option<Self> {
        let n = order.len();
        let tool = chain.zero.origin;
        let real = |i: usize| chain.screws[order[i]];
        let mut screws = [Screw::NONE; 6];
        let mut joints = [None; 6];
        for i in 0..n {
            (screws[i], joints[i]) = (real(i), Some(order[i]));
        }
        let last = real(n - 1);
        let turning = |axis, point| Screw { turns: true, axis, point };
        // Points of no special place, so that no added axis meets another by chance.
        let beside = Vec3([0.108, 0.144, 0.24]) * chain.length;
        let sliding = |screws: &mut [Screw]| {
            let directions = [[0.48, 0.64, 0.6], [0.64, -0.6, 0.48], [0.6, 0.48, -0.64]];
            screws.iter_mut().zip(directions).for_each(|(screw, axis)| {
                *screw = Screw { turns: false, axis: Vec3(axis), point: tool };
            });
        };
        let has_wrist = (3..6).contains(&n) && meet_all(chain.length, &real(n - 3), &real(n - 2), &last).is_some();
        match n {
            6 => {}
            _ if has_wrist => {
                // Before the first joint.
                screws.copy_within(0..n, 6 - n);
                joints.copy_within(0..n, 6 - n);
                joints[..6 - n].fill(None);
                sliding(&mut screws[..6 - n]);
            }
            5 => {
                let meeting = if last.turns && real(3).turns { meet(chain.length, &real(3), &last) } else { None };
                screws[5] = match meeting {
                    Some(point) => turning(unit(real(3).axis.cross(last.axis)), point),
                    None => turning(across(last.axis), last.point),
                };
            }
            4 if last.turns => {
                let point = last.point + last.axis * last.axis.dot(tool + beside - last.point);
                let first = across(last.axis);
                (screws[4], screws[5]) = (turning(first, point), turning(last.axis.cross(first), point));
            }
            4 => {
                // Before the first joint: read from the other end, they are the last ones.
                let base = real(0);
                let point = base.point + base.axis * base.axis.dot(beside);
                let first = across(base.axis);
                screws.copy_within(0..4, 2);
                joints.copy_within(0..4, 2);
                (joints[0], joints[1]) = (None, None);
                screws[1] = turning(first, point);
                screws[0] = turning(base.axis.cross(first), point);
            }
            _ => {
                // A wrist beside the tool; joints that slide where the position needs them.
                sliding(&mut screws[n..3]);
                for (k, screw) in screws[3..].iter_mut().enumerate() {
                    *screw = turning(Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 }), tool + beside);
                }
            }
        }
        [false, true].into_iter().find_map(|backwards| {
            if backwards {
                screws.reverse();
                screws.iter_mut().for_each(|screw| *screw = screw.backwards());
                joints.reverse();
            }
            let (form, center) = form(chain.length, &screws)?;
            Some(Self { screws, joints, form, center, backwards })
        })
    }

    /// What may lead to the tool frame `target`; joints that are held are as in `seed`, and so are those that do not matter.
    pub fn candidates(&self, chain: &ScrewChain, target: &Frame<f64>, seed: &[f64; MAX_JOINTS]) -> Candidates {
        let moved = target.then(&chain.zero.inverse());
        let x = if self.backwards { moved.inverse() } else { moved };
        let reach = 2.0 * (chain.length + size(target.origin) + size(self.center));
        let own: Six = crate::array::from_fn(|i| self.joints[i].map_or(0.0, |joint| seed[joint]));
        let mut found = Candidates::new();
        let mut push = |six: Six| {
            let mut q = *seed;
            for i in 0..6 {
                match self.joints[i] {
                    Some(joint) => q[joint] = six[i],
                    None => {
                        let off =
                            if self.screws[i].turns { libm::remainder(six[i], TURN) } else { six[i] / chain.length };
                        if off.is_nan() || off.abs() > ADDED {
                            return;
                        }
                    }
                }
            }
            found.push(q);
        };
        match self.form {
            ClosedForm::SphericalWrist => self.wrist(&x, reach, &own, &mut push),
            ClosedForm::ParallelAxes => self.parallel(&x, reach, &own, &mut push),
            ClosedForm::ShoulderAndWrist => {}
        }
        found
    }

    /// (1).
    fn wrist(&self, x: &Frame<f64>, reach: f64, seed: &Six, push: &mut dyn FnMut(Six)) {
        let [one, two_, three, ..] = &self.screws;
        let goal = x.point(self.center);
        let (from, to) = (Curve::of_point(three, self.center, 1.0), Curve::of_point(one, goal, -1.0));
        let sides = |curve: &Curve| match two_.turns {
            true => [curve.along(two_.axis), curve.distance_squared(two_.point)],
            false => {
                let first = across(two_.axis);
                [curve.along(first), curve.along(two_.axis.cross(first))]
            }
        };
        for &[q1, q3] in two(sides(&to), sides(&from), reach, [seed[0], seed[2]]).as_slice() {
            let (first, third) = (one.motion(-q1), three.motion(q3));
            let (from, to) = (third.point(self.center), first.point(goal));
            let q2 = match two_.turns {
                true => turn(two_.axis, from - two_.point, to - two_.point).unwrap_or(seed[1]),
                false => two_.axis.dot(to - from),
            };
            let before = two_.motion(q2).then(&third).rotation;
            let rotation = before.transpose().product(first.rotation.product(x.rotation));
            let [.., four, five, six] = &self.screws;
            let real = self.joints[5].is_some();
            euler([four, five, six], &rotation, [seed[3], seed[4]], real, &mut |[q4, q5, q6]| {
                push([q1, q2, q3, q4, q5, q6]);
            });
        }
    }

    /// (2).
    fn parallel(&self, x: &Frame<f64>, reach: f64, seed: &Six, push: &mut dyn FnMut(Six)) {
        let [one, two_, three, four, five, six] = &self.screws;
        let h = two_.axis;
        let last = x.rotation * six.axis;
        let left =
            [Curve::of_direction(one, last, -1.0).along(h), Curve::of_point(one, x.point(six.point), -1.0).along(h)];
        let right = [Curve::of_direction(five, six.axis, 1.0).along(h), Curve::of_point(five, six.point, 1.0).along(h)];
        for &[q1, q5] in two(left, right, reach, [seed[0], seed[4]]).as_slice() {
            let (first, fifth) = (one.motion(-q1), five.motion(q5));
            let from = x.rotation.transpose() * (first.rotation.transpose() * h);
            let to = fifth.rotation.transpose() * h;
            let q6 = turn(six.axis, from, to).unwrap_or(seed[5]);
            // E_2 E_3 E_4.
            let plane = first.then(x).then(&fifth.then(&six.motion(q6)).inverse());
            let goal = plane.point(four.point);
            let around = Curve::of_point(three, four.point, 1.0).distance_squared(two_.point);
            let gap = goal - two_.point;
            // In the plane: heights along h are equal by (2).
            let height = four.point - two_.point;
            let (ours, theirs) = (h.dot(gap), h.dot(height));
            let square = gap.norm_squared() - ours * ours + theirs * theirs;
            for &q3 in around.equal_to(square, reach * reach, seed[2]).as_slice() {
                let point = three.motion(q3).point(four.point);
                let q2 = turn(h, point - two_.point, gap).unwrap_or(seed[1]);
                let before = two_.motion(q2).then(&three.motion(q3)).rotation;
                let q4 = angle_about(four.axis, &before.transpose().product(plane.rotation));
                push([q1, q2, q3, q4, q5, q6]);
            }
        }
    }
}

/// Three axes through one point: R_4 R_5 R_6 = the rotation. Where the first and the last are in line, the first joint is as in
/// `seed`, or, if the last is not `real`, that one at zero.
pub(super) fn euler(
    [four, five, six]: [&Screw; 3],
    rotation: &Mat3<f64>,
    seed: [f64; 2],
    real: bool,
    push: &mut dyn FnMut([f64; 3]),
) {
    let bend = Curve::of_direction(five, six.axis, 1.0).along(four.axis);
    for &q5 in bend.equal_to(four.axis.dot(*rotation * six.axis), 1.0, seed[1]).as_slice() {
        let middle = five.motion(q5).rotation;
        let axis = middle * six.axis;
        let in_line = size(axis.cross(four.axis)) <= IN_LINE;
        let q4 = match turn(four.axis, axis, *rotation * six.axis).filter(|_| !in_line) {
            Some(q4) => q4,
            None if real => seed[0],
            None => angle_about(four.axis, &rotation.product(middle.transpose())),
        };
        let before = four.motion(q4).rotation.product(middle);
        // What q_4 is off by near a singular wrist, q_6 takes back.
        push([q4, q5, angle_about(six.axis, &before.transpose().product(*rotation))]);
    }
}

const TURN: f64 = 2.0 * core::f64::consts::PI;

/// The form of six axes, from this end.
fn form(length: f64, screws: &[Screw; 6]) -> Option<(ClosedForm, Vec3<f64>)> {
    let turn = |range: core::ops::Range<usize>| screws[range].iter().all(|screw| screw.turns);
    let [_, two_, three, four, five, six] = screws;
    if let Some(center) = meet_all(length, four, five, six) {
        return Some((ClosedForm::SphericalWrist, center));
    }
    let same = parallel(two_.axis, three.axis) && parallel(three.axis, four.axis);
    if turn(1..4) && six.turns && same {
        return Some((ClosedForm::ParallelAxes, six.point));
    }
    None
}

/// Where three axes that turn meet, if they do and the middle one is not parallel to another.
pub(super) fn meet_all(length: f64, a: &Screw, b: &Screw, c: &Screw) -> Option<Vec3<f64>> {
    let on = |point: &Vec3<f64>| size(c.axis.cross(*point - c.point)) <= SAME * length;
    let turn = a.turns && b.turns && c.turns && !parallel(b.axis, c.axis);
    meet(length, a, b).filter(on).filter(|_| turn)
}

fn parallel(a: Vec3<f64>, b: Vec3<f64>) -> bool {
    size(a.cross(b)) <= SAME
}

/// Where two axes meet, if they do and are not parallel.
fn meet(length: f64, a: &Screw, b: &Screw) -> Option<Vec3<f64>> {
    let normal = a.axis.cross(b.axis);
    let square = normal.norm_squared();
    let between = b.point - a.point;
    if libm::sqrt(square) <= SAME || between.dot(normal).abs() > SAME * length * libm::sqrt(square) {
        return None;
    }
    Some(a.point + a.axis * (between.cross(b.axis).dot(normal) / square))
}

/// The angle of a rotation about a known axis.
fn angle_about(axis: Vec3<f64>, r: &Mat3<f64>) -> f64 {
    let twice = Vec3([r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]]);
    libm::atan2(axis.dot(twice), r[0][0] + r[1][1] + r[2][2] - 1.0)
}

fn unit(v: Vec3<f64>) -> Vec3<f64> {
    v * (1.0 / size(v))
}

/// A unit vector across another.
fn across(axis: Vec3<f64>) -> Vec3<f64> {
    let smallest = (0..3).fold(0, |best, i| if axis[i].abs() < axis[best].abs() { i } else { best });
    unit(axis.cross(Vec3::from_fn(|i| if i == smallest { 1.0 } else { 0.0 })))
}
