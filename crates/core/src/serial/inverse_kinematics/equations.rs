//! The equations of one and two unknown joints that inverse kinematics in closed form comes down to.
//!
//! A point that a joint moves is on a circle or a line, A + B f_1 + C f_2 with (f_1, f_2) = (cos q, sin q) or (q, q²), and so
//! are its projection on a fixed vector and its squared distance from a fixed point:
//!
//! ```text
//! k + a f_1(x) + b f_2(x) = 0                                     one unknown                                 (1)
//! k + A f(x) + B f(y) = 0,  two rows                              two unknowns                                (2)
//! f(y) = −B⁻¹(k + A f(x)),  |f(y)|² = 1  or  f_2(y) = f_1(y)²     one equation of degree four in x            (3)
//! ```
//!
//! (1) is Paden and Kahan's third subproblem and Elias and Wen's fourth, (2) is the sixth of Elias and Wen, "IK-Geo: Unified robot inverse
//! kinematics using subproblem decomposition", Mechanism and Machine Theory 209 (2025), here with joints that slide as well. Where B is of
//! rank one, a combination of the rows has x alone, and (1) twice replaces (3).

use super::chain::{Screw, size};
use crate::algebra::Vec3;
use crate::array::map;
use core::f64::consts::PI;

/// A list without allocation; what is too much is dropped.
#[derive(Clone, Copy, Debug)]
pub struct List<T, const C: usize> {
    items: [T; C],
    length: usize,
}

impl<T: Copy + Default, const C: usize> List<T, C> {
    pub(super) fn new() -> Self {
        Self { items: [T::default(); C], length: 0 }
    }
    pub(super) fn push(&mut self, item: T) {
        if let Some(slot) = self.items.get_mut(self.length) {
            *slot = item;
            self.length += 1;
        }
    }
    /// What it has, in an order that depends on the input only.
    pub fn as_slice(&self) -> &[T] {
        &self.items[..self.length]
    }
}

/// Relative size below which a coefficient is rounding.
const NOTHING: f64 = 1e-12;

/// The least relative determinant of B for (3), and that up to which rank one is tried as well: the candidates are
/// refined, so both may be right.
const RANK_ONE: [f64; 2] = [1e-9, 1e-3];

/// How far, relatively, an equation may miss its solution and still give the nearest value as a candidate.
const MISSED: f64 = 1e-6;

/// The coefficients 1, f_1, f_2 of a quantity that one joint changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    turns: bool,
    c: [f64; 3],
}

/// Where a joint moves a point or a direction to: A + B f_1 + C f_2 (a line has no C).
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    turns: bool,
    a: Vec3<f64>,
    b: Vec3<f64>,
    c: Vec3<f64>,
}

impl Curve {
    /// A point moved by q, or with `sign` −1 by −q.
    pub fn of_point(screw: &Screw, point: Vec3<f64>, sign: f64) -> Self {
        if !screw.turns {
            return Self { turns: false, a: point, b: screw.axis * sign, c: Vec3::zero() };
        }
        let arm = point - screw.point;
        let along = screw.axis * screw.axis.dot(arm);
        Self { turns: true, a: screw.point + along, b: arm - along, c: screw.axis.cross(arm) * sign }
    }

    /// A direction, which joints that slide leave alone.
    pub fn of_direction(screw: &Screw, direction: Vec3<f64>, sign: f64) -> Self {
        let at_origin = Screw { point: Vec3::zero(), ..*screw };
        match screw.turns {
            true => Self::of_point(&at_origin, direction, sign),
            false => Self { turns: false, a: direction, b: Vec3::zero(), c: Vec3::zero() },
        }
    }

    pub fn along(&self, direction: Vec3<f64>) -> Side {
        Side { turns: self.turns, c: map([self.a, self.b, self.c], |v| v.dot(direction)) }
    }

    pub fn distance_squared(&self, point: Vec3<f64>) -> Side {
        let a = self.a - point;
        let c = match self.turns {
            true => [a.norm_squared() + self.b.norm_squared(), 2.0 * a.dot(self.b), 2.0 * a.dot(self.c)],
            false => [a.norm_squared(), 2.0 * a.dot(self.b), self.b.norm_squared()],
        };
        Side { turns: self.turns, c }
    }
}

impl Side {
    /// (1): where the quantity is `value`. Where the joint does not change it, `seed`.
    pub fn equal_to(&self, value: f64, scale: f64, seed: f64) -> List<f64, 2> {
        let [k, a, b] = self.c;
        one(self.turns, [k - value, a, b], scale, seed)
    }
}

/// (1), up to two solutions; `seed` where any is one.
fn one(turns: bool, [k, a, b]: [f64; 3], scale: f64, seed: f64) -> List<f64, 2> {
    let mut found = List::new();
    if a.abs().max(b.abs()) <= NOTHING * scale {
        if k.abs() <= MISSED * scale {
            found.push(seed);
        }
        return found;
    }
    if turns {
        let radius = libm::hypot(a, b);
        if k.abs() <= (1.0 + MISSED) * radius {
            let (middle, half) = (libm::atan2(-b, -a), {
                // acos(k/r) with its digits near 0 and π.
                let sine = libm::sqrt(((radius - k) * (radius + k)).max(0.0));
                libm::atan2(sine, k)
            });
            found.push(middle + half);
            if half > 0.0 && half < PI {
                found.push(middle - half);
            }
        }
        return found;
    }
    if b.abs() <= NOTHING * a.abs() {
        found.push(-k / a);
        return found;
    }
    let square = a * a - 4.0 * b * k;
    if square >= -MISSED * (a * a + (4.0 * b * k).abs()) {
        let root = libm::sqrt(square.max(0.0));
        let sum = -0.5 * (a + if a < 0.0 { -root } else { root });
        found.push(sum / b);
        if root > 0.0 && sum != 0.0 {
            found.push(k / sum);
        }
    }
    found
}

/// Both equations `x[i] = y[i]`, (2), for joints within `reach`, m, where they slide. Where any value of a joint is right, its
/// seed.
pub(super) fn two(x: [Side; 2], y: [Side; 2], reach: f64, seed: [f64; 2]) -> List<[f64; 2], 24> {
    let mut found = List::new();
    let turns = [x[0].turns, y[0].turns];
    let mut k = [0.0; 2];
    let mut rows = [[[0.0; 2]; 2]; 2]; // of x and of y
    for i in 0..2 {
        // The unit of the unknown is its reach, that of the equation its largest coefficient.
        let unit = |turns: bool| if turns { [1.0, 1.0] } else { [reach, reach * reach] };
        let [ux, uy] = map(turns, unit);
        let raw = [[x[i].c[1] * ux[0], x[i].c[2] * ux[1]], [-y[i].c[1] * uy[0], -y[i].c[2] * uy[1]]];
        let largest = raw.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
        let all = largest.max(x[i].c[0].abs()).max(y[i].c[0].abs());
        let by = if largest > NOTHING * all { 1.0 / largest } else { 0.0 };
        k[i] = (x[i].c[0] - y[i].c[0]) * by;
        for side in 0..2 {
            rows[side][i] = map(raw[side], |c| c * by);
        }
    }
    let [of_x, of_y] = rows;
    let unit = map(turns, |turns| if turns { 1.0 } else { reach });
    let seed = [seed[0] / unit[0], seed[1] / unit[1]];
    let sine = |m: &[[f64; 2]; 2]| {
        let norms = libm::hypot(m[0][0], m[0][1]) * libm::hypot(m[1][0], m[1][1]);
        if norms > NOTHING { (m[0][0] * m[1][1] - m[0][1] * m[1][0]).abs() / norms.max(NOTHING) } else { 0.0 }
    };
    let (sine_x, sine_y) = (sine(&of_x), sine(&of_y));
    let mut push = |x: f64, y: f64| found.push([x * unit[0], y * unit[1]]);
    if sine_y.min(sine_x) > RANK_ONE[0] {
        if sine_y >= sine_x {
            eliminate(turns, k, of_x, of_y, seed[0], &mut |x, y| push(x, y));
        } else {
            eliminate([turns[1], turns[0]], k, of_y, of_x, seed[1], &mut |y, x| push(x, y));
        }
    }
    if sine_y.min(sine_x) <= RANK_ONE[1] {
        if sine_y <= sine_x {
            separate(turns, k, of_x, of_y, seed, &mut |x, y| push(x, y));
        } else {
            separate([turns[1], turns[0]], k, of_y, of_x, [seed[1], seed[0]], &mut |y, x| push(x, y));
        }
    }
    found
}

/// (2) where `of_y` is of rank one or zero.
fn separate(
    turns: [bool; 2],
    k: [f64; 2],
    of_x: [[f64; 2]; 2],
    of_y: [[f64; 2]; 2],
    seed: [f64; 2],
    push: &mut dyn FnMut(f64, f64),
) {
    let norm = map(of_y, |row| row[0] * row[0] + row[1] * row[1]);
    // The row that has y, and the one from which y is taken out.
    let with = usize::from(norm[1] > norm[0]);
    let without = 1 - with;
    let share = match norm[with] > NOTHING * NOTHING {
        true => (of_y[0][0] * of_y[1][0] + of_y[0][1] * of_y[1][1]) / norm[with],
        false => 0.0,
    };
    let alone = |of: [f64; 2]| of[without] - share * of[with];
    let only = [alone(k), alone([of_x[0][0], of_x[1][0]]), alone([of_x[0][1], of_x[1][1]])];
    for &x in one(turns[0], only, 1.0, seed[0]).as_slice() {
        let f = features(turns[0], x);
        let rest = k[with] + of_x[with][0] * f[0] + of_x[with][1] * f[1];
        for &y in one(turns[1], [rest, of_y[with][0], of_y[with][1]], 1.0, seed[1]).as_slice() {
            push(x, y);
        }
    }
}

/// f_1, f_2.
fn features(turns: bool, q: f64) -> [f64; 2] {
    if turns { [libm::cos(q), libm::sin(q)] } else { [q, q * q] }
}

/// (3).
fn eliminate(
    turns: [bool; 2],
    k: [f64; 2],
    of_x: [[f64; 2]; 2],
    of_y: [[f64; 2]; 2],
    seed: f64,
    push: &mut dyn FnMut(f64, f64),
) {
    let determinant = of_y[0][0] * of_y[1][1] - of_y[0][1] * of_y[1][0];
    let inverse = |r: [f64; 2]| {
        [(of_y[0][1] * r[1] - of_y[1][1] * r[0]) / determinant, (of_y[1][0] * r[0] - of_y[0][0] * r[1]) / determinant]
    };
    // f(y) = g[0] + g[1] f_1(x) + g[2] f_2(x).
    let g = [inverse(k), inverse([of_x[0][0], of_x[1][0]]), inverse([of_x[0][1], of_x[1][1]])];
    // The constraint on f(y) as a quadratic form in 1, f_1, f_2 of x.
    let form = |i: usize, j: usize| {
        let first = g[i][0] * g[j][0];
        if turns[1] {
            return first + g[i][1] * g[j][1] - if i + j == 0 { 1.0 } else { 0.0 };
        }
        let linear = [g[0][1], 0.5 * g[1][1], 0.5 * g[2][1]];
        first - if i == 0 { linear[j] } else { 0.0 }
    };
    let (q00, q10, q01) = (form(0, 0), 2.0 * form(0, 1), 2.0 * form(0, 2));
    let (q20, q11, q02) = (form(1, 1), 2.0 * form(1, 2), form(2, 2));
    let mut at = |x: f64| {
        let f = features(turns[0], x);
        let y: [f64; 2] = crate::array::from_fn(|i| g[0][i] + g[1][i] * f[0] + g[2][i] * f[1]);
        push(x, if turns[1] { libm::atan2(y[1], y[0]) } else { y[0] });
    };
    if [q00, q10, q01, q20, q11, q02].iter().all(|c| c.abs() <= NOTHING) {
        at(seed);
        return;
    }
    if !turns[0] {
        let polynomial = [q00, q10, q01 + q20, q11, q02];
        roots(polynomial).as_slice().iter().for_each(|x| at(*x));
        return;
    }
    // t = tan(x/2) from −1 to 1, and the same about the opposite angle.
    for (sign, middle) in [(1.0, 0.0), (-1.0, PI)] {
        let polynomial = [
            q00 + sign * q10 + q20,
            2.0 * sign * q01 + 2.0 * q11,
            2.0 * q00 - 2.0 * q20 + 4.0 * q02,
            2.0 * sign * q01 - 2.0 * q11,
            q00 - sign * q10 + q20,
        ];
        roots(polynomial).as_slice().iter().for_each(|t| at(middle + 2.0 * libm::atan(*t)));
    }
}

/// The real roots of a polynomial of degree four between −1 and 1, and a little beyond: between its extrema, which are the
/// roots of its derivative, and so on. An extremum that nearly touches zero is a candidate too.
fn roots(c: [f64; 5]) -> List<f64, 8> {
    const END: f64 = 1.001;
    const TOUCHES: f64 = 1e-9;
    let mut between: List<f64, 8> = List::new();
    for order in (0..4).rev() {
        // The derivative of this order, lowest power first.
        let mut p = [0.0; 5];
        for power in order..5 {
            p[power - order] = (0..order).fold(c[power], |value, i| value * (power - i) as f64);
        }
        let value = |t: f64| p.iter().rev().fold(0.0, |sum, c| sum * t + c);
        let slope = |t: f64| (1..5).rev().fold(0.0, |sum, i| sum * t + p[i] * i as f64);
        let mut found = List::new();
        let ends = between.as_slice().iter().copied().chain([END]);
        let mut low = -END;
        for high in ends {
            let (mut a, mut b) = (low, high);
            if (value(a) < 0.0) != (value(b) < 0.0) {
                let rising = value(a) < 0.0;
                let mut t = 0.5 * (a + b);
                for _ in 0..100 {
                    let v = value(t);
                    if (v < 0.0) == rising {
                        a = t;
                    } else {
                        b = t;
                    }
                    let next = t - v / slope(t);
                    let next = if next > a && next < b { next } else { 0.5 * (a + b) };
                    let step = (next - t).abs();
                    t = next;
                    if step <= 4.0 * f64::EPSILON {
                        break;
                    }
                }
                found.push(t);
            } else if order == 0 && high < END {
                let size = c.iter().map(|c| c.abs()).sum::<f64>();
                if value(high).abs() <= TOUCHES * size {
                    found.push(high);
                }
            }
            low = high;
        }
        between = found;
    }
    between
}

/// The angle about `axis` from one vector to another, seen along the axis; `None` where one of them is along it.
pub(super) fn turn(axis: Vec3<f64>, from: Vec3<f64>, to: Vec3<f64>) -> Option<f64> {
    let across = |v: Vec3<f64>| v - axis * axis.dot(v);
    let (from, to) = (across(from), across(to));
    (size(from).min(size(to)) > 1e-12).then(|| libm::atan2(axis.dot(from.cross(to)), from.dot(to)))
}
