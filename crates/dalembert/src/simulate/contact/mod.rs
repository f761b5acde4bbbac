//! Unilateral contact: points, balls and bricks on bodies of a mechanism against planes, boxes and spheres that stand
//! still or belong to bodies. `docs/contact.md` has the theory.
//!
//! ```
//! use dalembert::Vec3;
//! use dalembert::mechanism::Mechanism;
//! use dalembert::simulate::{Brick, Constrained, Contacts, ContactLaw, Rk4, Shape, Stabilization, Surface, System, Variables};
//! use dalembert::simulate::{WithContacts, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let size = [0.032, 0.016, 0.0096];
//! let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -9.81]));
//! let part = mechanism.add("brick", Brick::body(size, 0.0025));
//! let brick = Brick::new(part, size);
//!
//! let mut contacts = Contacts::new(&mechanism);
//! contacts.brick_on("floor", &brick, Surface::fixed(Shape::floor(0.0)), ContactLaw::default())?;
//! let body = Constrained::new(&mechanism, Variables::Velocity, Stabilization::Projection, &[])?;
//! let mut system = WithContacts::new(body, contacts)?;
//!
//! let start = system.start(0.0, &[&[0.0, 0.0, 0.02, 1.0, 0.0, 0.0, 0.0], &[0.0; 6][..]].concat())?;
//! let mut integrator = Rk4::new(system.size(), 1e-4)?;
//! let result = run(&mut system, &mut integrator, &start, [0.0, 0.5]);
//! result.ended?;
//! assert!((result.states[1][2] - 0.0048).abs() < 1e-5); // it lies on the floor
//! # Ok(()) }
//! ```

mod frames;
mod impulse;
mod law;
mod report;
mod shape;
mod system;

pub use law::{ContactLaw, Response, impact_damping};
pub use report::{ContactForce, Happening, Switched, Touchable};
pub use shape::{Ball, Brick, Shape, Surface};
pub use system::WithContacts;

use super::SimulationError;
use crate::Vec3;
use crate::mechanism::{Mechanism, Place};
use frames::Frames;

/// A named contact: one or several points under one law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactId(pub(crate) usize);

pub(super) struct Contact {
    pub name: String,
    pub law: ContactLaw,
}

/// What may touch at one point.
#[derive(Clone, Copy)]
enum Feature {
    /// A ball of body `a` and a shape of body `b`.
    Ball { center: Vec3<f64>, radius: f64, shape: Shape },
    /// Rods along edges of both.
    Edges { a: Edge, b: Edge },
}

#[derive(Clone, Copy)]
struct Edge {
    middle: Vec3<f64>,
    along: Vec3<f64>,
    half: f64,
    radius: f64,
}

/// A pair of features, and what is known of it between events.
struct Point {
    contact: usize,
    a: usize,
    b: usize,
    feature: Feature,
    /// It touches: the law counts.
    closed: bool,
    /// d of the law, from the speed of the impact that closed it.
    damping: f64,
    /// What is known of it while it is open.
    known: Known,
    /// Its gap when the guard was last asked; none where it does not face.
    gap: Option<f64>,
}

/// Where an open point was at the end of the last step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It did not face.
    Unseen,
    /// It faced, and was apart.
    Apart,
    /// It has just rebounded, and is at rounding distance on either side of the surface.
    Rebound,
}

/// Distance, normal (out of `b`, towards `a`) and place of a pair.
#[derive(Clone, Copy)]
struct Measure {
    gap: f64,
    normal: Vec3<f64>,
    at: Vec3<f64>,
}

impl Point {
    /// None where the pair does not face each other.
    fn measure(&self, frames: &Frames) -> Option<Measure> {
        let (a, b) = (frames.frame(self.a), frames.frame(self.b));
        match self.feature {
            Feature::Ball { center, radius, shape } => {
                let center = a.out(center);
                let (distance, normal) = shape.distance(b.inward(center));
                let normal = b.turn(normal);
                Some(Measure { gap: distance - radius, normal, at: center - normal * radius })
            }
            Feature::Edges { a: first, b: second } => {
                let (p, q) = (a.out(first.middle), b.out(second.middle));
                let (u, w) = (a.turn(first.along), b.turn(second.along));
                let cross = u.cross(w);
                let square = cross.norm_squared();
                if square < PARALLEL * PARALLEL {
                    return None; // the corners touch then
                }
                let side = if cross.dot(a.origin - b.origin) < 0.0 { -1.0 } else { 1.0 };
                let normal = cross * (side / square.sqrt());
                let between = q - p;
                let (s, t) = (between.cross(w).dot(cross) / square, between.cross(u).dot(cross) / square);
                let faces = normal.dot(p - a.origin) < 0.0 && normal.dot(q - b.origin) > 0.0;
                // Near its end an edge leaves the contact to the corner; one that touches is kept a little longer, so
                // that it does not chatter there.
                let inner = |edge: &Edge| edge.half - if self.closed { 0.0 } else { edge.radius };
                if !faces || s.abs() > inner(&first) || t.abs() > inner(&second) {
                    return None;
                }
                let gap = -between.dot(normal) - first.radius - second.radius;
                Some(Measure { gap, normal, at: p + u * s - normal * first.radius })
            }
        }
    }
}

impl Feature {
    /// How deep a contact may be that nobody has seen coming: rods whose axes have passed each other are the far sides
    /// of bricks that touch elsewhere.
    fn deepest(&self) -> f64 {
        match self {
            Self::Ball { .. } => f64::INFINITY,
            Self::Edges { a, b } => a.radius + b.radius,
        }
    }
}

/// Edges closer to parallel than this angle touch at their corners only, rad.
const PARALLEL: f64 = 1e-3;

/// What may touch what, and how: the description that [`WithContacts`] simulates.
pub struct Contacts<'m> {
    mechanism: &'m Mechanism,
    frames: Frames,
    contacts: Vec<Contact>,
    points: Vec<Point>,
}

impl<'m> Contacts<'m> {
    /// None yet.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        Self { mechanism, frames: Frames::new(), contacts: Vec::new(), points: Vec::new() }
    }

    /// Points or balls of bodies against a surface.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        balls: &[Ball],
        surface: Surface,
        law: ContactLaw,
    ) -> Result<ContactId, SimulationError> {
        let id = self.contact(name.into(), law)?;
        self.balls(id, balls, surface)?;
        Ok(id)
    }

    /// A brick's corners against a surface.
    pub fn brick_on(
        &mut self,
        name: impl Into<String>,
        brick: &Brick,
        surface: Surface,
        law: ContactLaw,
    ) -> Result<ContactId, SimulationError> {
        brick.check()?;
        self.add(name, &brick.corners(), surface, law)
    }

    /// Two bricks: the corners of each against the faces of the other, and crossing edges.
    pub fn bricks(
        &mut self,
        name: impl Into<String>,
        first: &Brick,
        second: &Brick,
        law: ContactLaw,
    ) -> Result<ContactId, SimulationError> {
        first.check()?;
        second.check()?;
        let id = self.contact(name.into(), law)?;
        self.balls(id, &first.corners(), second.surface())?;
        self.balls(id, &second.corners(), first.surface())?;
        let a = self.body(&first.part.origin())?;
        let b = self.body(&second.part.origin())?;
        for edge in edges(first) {
            for other in edges(second) {
                self.point(id, a, b, Feature::Edges { a: edge, b: other })?;
            }
        }
        Ok(id)
    }

    /// The name of a contact.
    pub fn name(&self, contact: ContactId) -> &str {
        self.contacts.get(contact.0).map_or("?", |contact| &contact.name)
    }

    fn contact(&mut self, name: String, law: ContactLaw) -> Result<ContactId, SimulationError> {
        law.check()?;
        self.contacts.push(Contact { name, law });
        Ok(ContactId(self.contacts.len() - 1))
    }

    fn balls(&mut self, id: ContactId, balls: &[Ball], surface: Surface) -> Result<(), SimulationError> {
        surface.shape.check()?;
        let on = surface.on.map_or(Place::Fixed([0.0; 3]), |(part, body)| part.on_body(body, [0.0; 3]));
        let b = self.body(&on)?;
        for ball in balls {
            if !(ball.radius >= 0.0 && ball.radius.is_finite()) {
                let must = "zero or positive";
                return Err(SimulationError::BadContact { what: "radius of a ball", value: ball.radius, must });
            }
            let a = self.body(&ball.center)?;
            let (Place::Fixed(center) | Place::On { offset: center, .. }) = ball.center;
            let feature = Feature::Ball { center: Vec3(center), radius: ball.radius, shape: surface.shape };
            self.point(id, a, b, feature)?;
        }
        Ok(())
    }

    fn point(&mut self, id: ContactId, a: usize, b: usize, feature: Feature) -> Result<(), SimulationError> {
        if a == b {
            return Err(SimulationError::SameBody { contact: self.contacts[id.0].name.clone() });
        }
        self.points.push(Point {
            contact: id.0,
            a,
            b,
            feature,
            closed: false,
            damping: 0.0,
            known: Known::Unseen,
            gap: None,
        });
        Ok(())
    }

    fn body(&mut self, place: &Place) -> Result<usize, SimulationError> {
        self.mechanism.check_place(place).map_err(|cause| SimulationError::Mechanism { time: 0.0, cause })?;
        let on = match *place {
            Place::Fixed(_) => None,
            Place::On { part, body, .. } => Some((part, body)),
        };
        Ok(self.frames.number(self.mechanism, on))
    }
}

/// The twelve edges of a brick.
fn edges(brick: &Brick) -> impl Iterator<Item = Edge> + '_ {
    (0..12).map(|number| {
        let (axis, corner) = (number / 4, number % 4);
        let inner = |i: usize| brick.half[i] - brick.rounding;
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut middle = [0.0; 3];
        middle[j] = if corner & 1 == 1 { inner(j) } else { -inner(j) };
        middle[k] = if corner & 2 == 2 { inner(k) } else { -inner(k) };
        let along = std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
        Edge { middle: Vec3(middle), along: Vec3(along), half: inner(axis), radius: brick.rounding }
    })
}
