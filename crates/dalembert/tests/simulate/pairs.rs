//! Distances of all pairs of shapes, in either order and in random poses, against a computation that knows no corners, edges
//! and faces: the least distance of two boxes is a quadratic program in six bounded numbers, solved by trying all sets of
//! active bounds. A wrong list of features (a face, an edge, a far side forgotten) would be off by as much as the shapes are
//! large.
//!
//! A box touches with rounded corners and edges, so its distance lies between that of the sharp and that of the rounded boxes,
//! and is the latter where a corner is over a face or where edges cross away from their ends.

use dalembert::Vec3;
use dalembert::mechanism::{BodyPoint, FreeBody, Mechanism, PointMass};
use dalembert::simulate::{Ball, ContactGeometry, ContactLaw, Contacts, SimulationError, Surface, SurfaceShape};
use std::error::Error;

/// How many pairs; another number by the environment variable `DALEMBERT_PAIRS`.
const PAIRS: usize = 100_000;

/// Numbers from 0 to 1 (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
    /// From a millimetre to a metre.
    fn length(&mut self) -> f64 {
        1e-3 * 1e3_f64.powf(self.unit())
    }
    fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [self.signed(), self.signed(), self.signed()];
            let square = dot(v, v);
            if square > 0.01 && square <= 1.0 {
                return v.map(|x| x / square.sqrt());
            }
        }
    }
    /// A unit quaternion: any, parallel to the axes, or nearly so.
    fn orientation(&mut self) -> [f64; 4] {
        let tilt = [0.0, 1e-4, 3e-3, 10.0, 10.0, 10.0][self.below(6)];
        let mut q = [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]][self.below(2)];
        q.iter_mut().for_each(|x| *x += tilt * self.signed());
        let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| x / size)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The axes of a body.
fn axes([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// A shape where it is.
#[derive(Clone, Copy, Debug)]
struct Solid {
    kind: Kind,
    center: [f64; 3],
    turned: [f64; 4],
    half: [f64; 3],
    radius: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Box,
    Ball,
    Point,
    Plane,
}

impl Solid {
    fn random(random: &mut Random, kind: Kind, fixed: bool) -> Self {
        let size = random.length();
        let half = match kind {
            Kind::Box => [0.5 * size, 0.5 * random.length(), 0.5 * random.length()],
            _ => [0.0; 3],
        };
        let turned = if fixed && kind == Kind::Box { [1.0, 0.0, 0.0, 0.0] } else { random.orientation() };
        let radius = if kind == Kind::Ball { size } else { 0.0 };
        Self { kind, center: [0.0; 3], turned, half, radius }
    }

    fn reach(&self) -> f64 {
        dot(self.half, self.half).sqrt() + self.radius
    }

    /// As the bodies of the scenes have it.
    fn rounding(&self) -> f64 {
        if self.kind == Kind::Box { 0.02 * self.half.iter().copied().fold(f64::INFINITY, f64::min) } else { 0.0 }
    }

    /// As something that touches; with its coordinates, where it moves.
    fn side(&self, mechanism: &mut Mechanism, fixed: bool) -> (ContactGeometry, Vec<f64>) {
        let Self { center, half, radius, turned, .. } = *self;
        if fixed {
            let shape = match self.kind {
                Kind::Box => SurfaceShape::Box { center, half },
                Kind::Ball => SurfaceShape::Sphere { center, radius },
                Kind::Plane => SurfaceShape::Plane { through: center, normal: axes(turned)[2] },
                Kind::Point => return (Ball::point(BodyPoint::Fixed(center)).into(), Vec::new()),
            };
            return (Surface::fixed(shape).into(), Vec::new());
        }
        if self.kind == Kind::Point {
            let part = mechanism.add("point", PointMass { mass: 1.0 });
            return (Ball::point(part.origin()).into(), center.to_vec());
        }
        let part = mechanism.add("body", FreeBody::brick([1.0; 3], 1.0));
        let side = match self.kind {
            Kind::Box => Surface::of(part, SurfaceShape::brick(half.map(|x| 2.0 * x))).into(),
            _ => Ball { center: part.origin(), radius }.into(),
        };
        (side, [&center[..], &turned].concat())
    }
}

/// The least distance of two boxes: of c + Σ xᵢ dᵢ from zero, |xᵢ| ≤ hᵢ; how many of the x are not at a bound there, and by how
/// much they are inside.
fn least_distance(a: &Solid, b: &Solid, shrunk: [f64; 2]) -> (f64, usize, f64) {
    let (u, w) = (axes(a.turned), axes(b.turned));
    let directions = [u[0], u[1], u[2], w[0], w[1], w[2]];
    let half: [f64; 6] = std::array::from_fn(|i| if i < 3 { a.half[i] - shrunk[0] } else { b.half[i - 3] - shrunk[1] });
    let from = [0, 1, 2].map(|i| a.center[i] - b.center[i]);
    let mut best = (f64::INFINITY, 0, 0.0);
    try_bounds(&directions, &half, 0, from, &mut [0; 3], 0, &mut best);
    (best.0.sqrt(), best.1, best.2)
}

/// All ways to put the numbers from `next` on to a bound or to leave them free, at most three of them.
fn try_bounds(
    directions: &[[f64; 3]; 6],
    half: &[f64; 6],
    next: usize,
    from: [f64; 3],
    free: &mut [usize; 3],
    count: usize,
    best: &mut (f64, usize, f64),
) {
    if next == 6 {
        return try_free(directions, half, from, &free[..count], best);
    }
    for side in [-1.0, 1.0] {
        let to = [0, 1, 2].map(|k| from[k] + side * half[next] * directions[next][k]);
        try_bounds(directions, half, next + 1, to, free, count, best);
        if half[next] == 0.0 {
            return;
        }
    }
    if count < 3 {
        free[count] = next;
        try_bounds(directions, half, next + 1, from, free, count + 1, best);
    }
}

/// The least with these free: normal equations by elimination.
fn try_free(directions: &[[f64; 3]; 6], half: &[f64; 6], from: [f64; 3], free: &[usize], best: &mut (f64, usize, f64)) {
    let n = free.len();
    let mut matrix = [[0.0; 4]; 3];
    for (row, &i) in free.iter().enumerate() {
        for (column, &j) in free.iter().enumerate() {
            matrix[row][column] = dot(directions[i], directions[j]);
        }
        matrix[row][3] = -dot(directions[i], from);
    }
    for k in 0..n {
        if matrix[k][k] < 1e-13 {
            return; // a face or an edge along another: found with one more at a bound
        }
        for row in k + 1..n {
            let factor = matrix[row][k] / matrix[k][k];
            for column in k..4 {
                matrix[row][column] -= factor * matrix[k][column];
            }
        }
    }
    let (mut x, mut at, mut inside) = ([0.0; 3], from, f64::INFINITY);
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k][j] * x[j]).sum();
        x[k] = (matrix[k][3] - known) / matrix[k][k];
        inside = inside.min(half[free[k]] - x[k].abs());
        if inside < 0.0 {
            return;
        }
        (0..3).for_each(|i| at[i] += x[k] * directions[free[k]][i]);
    }
    let square = if n == 3 { 0.0 } else { dot(at, at) };
    if square < best.0 {
        *best = (square, n, inside);
    }
}

/// What the gap must lie between, and whether it must be the latter.
fn reference(a: &Solid, b: &Solid) -> ([f64; 2], bool) {
    if a.kind == Kind::Plane {
        return reference(b, a);
    }
    if b.kind == Kind::Plane {
        let normal = axes(b.turned)[2];
        let (own, r) = (axes(a.turned), a.rounding());
        let core: f64 = (0..3).map(|i| (a.half[i] - r).max(0.0) * dot(own[i], normal).abs()).sum();
        let height = (0..3).map(|i| (a.center[i] - b.center[i]) * normal[i]).sum::<f64>();
        return ([height - core - r - a.radius; 2], true);
    }
    let apart = least_distance(a, b, [0.0; 2]).0 - a.radius - b.radius;
    if a.kind != Kind::Box || b.kind != Kind::Box {
        return ([apart; 2], true); // against a ball a box is sharp
    }
    let (r, s) = (a.rounding(), b.rounding());
    let (core, free, inside) = least_distance(a, b, [r, s]);
    let rounded = core - r - s;
    // A corner over a face, and edges that cross, are exact. Where a corner meets an edge or a corner, the one is a ball and the
    // other is sharp; and within a radius of its end an edge leaves the contact to its corner, up to √2 − 1 radii later.
    let exact = free == 2 && inside > r.max(s);
    ([apart, if exact { rounded } else { rounded + 0.4143 * r.max(s) }], exact)
}

#[test]
fn every_pair_of_shapes_has_its_distance() -> Result<(), Box<dyn Error>> {
    let pairs = std::env::var("DALEMBERT_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(PAIRS);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let bodies = [Kind::Box, Kind::Box, Kind::Ball, Kind::Point];
    let fixtures = [Kind::Plane, Kind::Box, Kind::Box, Kind::Ball];
    let (mut worst, mut bounded, mut sharper, mut touching) = (0.0_f64, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut number = 0;
    while number < pairs {
        let fixed = random.unit() < 0.5;
        let (first, second) = (bodies[random.below(4)], if fixed { fixtures } else { bodies }[random.below(4)]);
        if (first, second) == (Kind::Point, Kind::Point) {
            continue;
        }
        number += 1;
        let mut a = Solid::random(&mut random, first, false);
        let b = Solid::random(&mut random, second, fixed);
        let away = random.unit() * (a.reach() + b.reach()) * 1.2;
        a.center = random.direction().map(|x| x * away);
        let mut mechanism = Mechanism::new(Vec3([0.0; 3]));
        let ((of, mut q), (on, more)) = (a.side(&mut mechanism, false), b.side(&mut mechanism, fixed));
        q.extend(more);
        let mut contacts = Contacts::new(&mechanism);
        let there = contacts.add("there", of.clone(), on.clone(), ContactLaw::default())?;
        let back = contacts.add("back", on, of, ContactLaw::default())?;
        let (gap, reversed) = (contacts.gap(there, &q)?, contacts.gap(back, &q)?);
        let ([least, most], exact) = reference(&a, &b);
        // Positions of a metre are known to 1e-16; the normal of edges that cross at 1e-3 rad to 1e-13.
        let rounding = 1e-12 * (1.0 + away);
        let size = a.reach() + b.reach();
        let two_boxes = (first, second) == (Kind::Box, Kind::Box);
        // Edges within 1e-3 of parallel touch at their ends.
        let parallel = if two_boxes { 1e-3 * a.half.iter().chain(&b.half).copied().fold(0.0, f64::max) } else { 0.0 };
        let nearly = two_boxes
            && (0..9).any(|k| {
                let (u, w) = (axes(a.turned)[k / 3], axes(b.turned)[k % 3]);
                let cosine = dot(u, w).abs();
                cosine < 1.0 && cosine > 1.0 - 5.1e-7
            });
        let most = most + if nearly { parallel } else { 0.0 };
        // In a box only the sign counts here.
        let apart = second == Kind::Plane || least + a.radius + b.radius > 0.0;
        let right = if apart {
            gap >= least - rounding && gap <= most + rounding
        } else {
            gap <= most.max(0.0) + rounding && gap >= -size - rounding
        };
        if !right || (gap - reversed).abs() > rounding {
            wrong.push(format!(
                "{first:?} {second:?} fixed {fixed}: {gap:e} {reversed:e}, {least:e} … {most:e}\n{a:?}\n{b:?}"
            ));
        }
        touching += usize::from(gap < 0.0);
        if apart && exact && !nearly {
            // Where another corner is nearer to a sharp edge than this one to its face, the gap may be a little less.
            let less = two_boxes && gap < most - rounding;
            sharper += usize::from(less);
            worst = if less { worst } else { worst.max((gap - most).abs() / (1.0 + away)) };
        }
        bounded += usize::from(apart && !exact);
    }
    println!(
        "{pairs} pairs, {touching} in touch; off by {worst:.1e}; between sharp and rounded boxes: {bounded} at corners and ends of \
         edges, {sharper} others"
    );
    assert!(wrong.is_empty(), "{} wrong, as\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
    Ok(())
}

/// Two points and two planes cannot touch, and say so; a bar that is through a plate is refused with its depth though no corner of
/// one is in the other, and so are boxes in each other.
#[test]
fn what_cannot_touch_is_refused() -> Result<(), Box<dyn Error>> {
    let mut mechanism = Mechanism::new(Vec3([0.0; 3]));
    let part = mechanism.add("bar", FreeBody::brick([0.02, 0.02, 1.0], 1.0));
    let mut contacts = Contacts::new(&mechanism);
    let law = ContactLaw::default();
    let floor = || Surface::fixed(SurfaceShape::floor(0.0));
    let points = contacts.add("tips", Ball::point(part.origin()), Ball::point(BodyPoint::Fixed([0.0; 3])), law);
    assert!(matches!(points, Err(SimulationError::CannotTouch { ref contact, .. }) if contact == "tips"), "{points:?}");
    let planes = contacts.add("planes", Surface::of(part, SurfaceShape::floor(0.0)), floor(), law);
    assert!(matches!(planes, Err(SimulationError::CannotTouch { .. })), "{planes:?}");
    let itself =
        contacts.add("itself", floor(), Surface::fixed(SurfaceShape::Sphere { center: [0.0; 3], radius: 1.0 }), law);
    assert!(matches!(itself, Err(SimulationError::SameBody { .. })), "{itself:?}");

    use dalembert::simulate::{Constrained, Stabilization, Variables, WithContacts};
    for (half, at, depth) in [
        ([0.2, 0.2, 0.005], [0.0, 0.0, 0.1], 0.21), // through a plate, out at its side
        ([0.2, 0.2, 0.2], [0.0, 0.0, 0.0], 0.21),   // inside a block
        ([0.005, 0.005, 0.1], [0.0, 0.0, 0.1], 0.015), // around a pin
    ] {
        let mut contacts = Contacts::new(&mechanism);
        let fixture = Surface::fixed(SurfaceShape::Box { center: [0.0; 3], half });
        contacts.add("through", Surface::of(part, SurfaceShape::brick([0.02, 0.02, 1.0])), fixture, law)?;
        let inner = Constrained::new(&mechanism, Variables::Velocity, Stabilization::Projection, &[])?;
        let mut system = WithContacts::new(inner, contacts)?;
        let state = [&at[..], &[1.0, 0.0, 0.0, 0.0], &[0.0; 6]].concat();
        match system.start(0.0, &state) {
            Err(SimulationError::Inside { depth: told, .. }) => assert!((told - depth).abs() < 1e-15, "{told} {depth}"),
            other => return Err(format!("{half:?}: {other:?}").into()),
        }
    }
    Ok(())
}
