//! Unilateral contact: points and balls on bodies of a mechanism, and planes, boxes and spheres that stand still or
//! belong to bodies, in pairs of any two and in either order. `docs/contact.md` has the theory.
//!
//! ```
//! use dalembert::Vec3;
//! use dalembert::mechanism::{FreeBody, Mechanism};
//! use dalembert::simulate::{Constrained, Contacts, ContactLaw, Rk4, Stabilization, Surface, SurfaceShape, System, Variables};
//! use dalembert::simulate::{WithContacts, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let size = [0.032, 0.016, 0.0096];
//! let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -9.81]));
//! let part = mechanism.add("brick", FreeBody::brick(size, 0.0025));
//! let brick = Surface::of(part, SurfaceShape::brick(size));
//!
//! let mut contacts = Contacts::new(&mechanism);
//! contacts.add("floor", brick, Surface::fixed(SurfaceShape::floor(0.0)), ContactLaw::default())?;
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
mod law;
mod solids;
mod system;

pub use law::{ContactLaw, Response, impact_damping};
pub use solids::{Ball, ContactGeometry, Surface, SurfaceShape};
pub use system::{ContactForce, Happening, Switched, Touchable, WithContacts};

use super::{ContactId, SimulationError, SimulationResult};
use crate::Vec3;
use crate::mechanism::{BodyPoint, Mechanism};
use frames::BodyFrames;
use solids::{Boxes, Extent, Passage, RoundedBox};

pub(super) struct NamedContact {
    pub name: String,
    pub law: ContactLaw,
    /// Half the thickness of the thinner side, m: what is deeper would come out on the other side.
    pub deepest: f64,
}

/// What may touch at one point.
#[derive(Clone, Copy)]
enum Feature {
    /// A ball of body `a` and a shape of body `b`.
    Ball { center: Vec3<f64>, radius: f64, shape: SurfaceShape },
    /// Rods along edges of both.
    Edges { blocks: [RoundedBox; 2], numbers: [usize; 2] },
}

/// A pair of features, and what is known of it between events.
struct ContactPoint {
    contact: usize,
    a: usize,
    b: usize,
    /// Whether `b` belongs to what touches, and not to what is touched.
    reversed: bool,
    feature: Feature,
    /// It touches: the law counts.
    closed: bool,
    /// d of the law, from the speed of the impact that closed it.
    damping: f64,
    /// What is known of it while it is open.
    known: Known,
    /// What it was when the guard was last asked; none where it does not face.
    seen: Option<Measure>,
    /// Its normal in the frame of `b` at the end of the last step, while it touches.
    facing: Option<Vec3<f64>>,
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

impl ContactPoint {
    /// None where the pair does not face each other.
    fn measure(&self, frames: &BodyFrames) -> Option<Measure> {
        let (a, b) = (frames.frame(self.a), frames.frame(self.b));
        match &self.feature {
            Feature::Ball { center, radius, shape } => {
                let center = a.out(*center);
                let (distance, normal) = shape.distance(b.inward(center));
                let normal = b.turn(normal);
                Some(Measure { gap: distance - radius, normal, at: center - normal * *radius })
            }
            Feature::Edges { blocks, numbers } => {
                let unseen = !self.closed && self.known == Known::Unseen;
                Boxes::new(blocks, [a, b]).edges(*numbers, self.closed, unseen)
            }
        }
    }

    /// A force on `a` as one on what touches.
    fn on_first(&self, force: Vec3<f64>) -> Vec3<f64> {
        if self.reversed { -force } else { force }
    }
}

/// What may touch what, and how: the description that [`WithContacts`] simulates.
pub struct Contacts<'m> {
    mechanism: &'m Mechanism,
    frames: BodyFrames,
    contacts: Vec<NamedContact>,
    points: Vec<ContactPoint>,
    passages: Vec<Passage>,
}

/// What a side is in terms of distances, with the number of its body.
enum Solid {
    Balls(Vec<(usize, Vec3<f64>, f64)>),
    Block(usize, RoundedBox),
    Plane(usize, SurfaceShape),
}

impl<'m> Contacts<'m> {
    /// None yet.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        Self { mechanism, frames: BodyFrames::new(), contacts: Vec::new(), points: Vec::new(), passages: Vec::new() }
    }

    /// What may touch what, in either order: balls and surfaces. Forces are reported as they act on the first.
    /// Two planes, and two points, are refused: they cannot touch.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        of: impl Into<ContactGeometry>,
        on: impl Into<ContactGeometry>,
        law: ContactLaw,
    ) -> SimulationResult<ContactId> {
        law.check()?;
        let (of, on) = (self.solid(of.into())?, self.solid(on.into())?);
        let before = (self.contacts.len(), self.points.len(), self.passages.len());
        let deepest = of.half_thickness().min(on.half_thickness());
        self.contacts.push(NamedContact { name: name.into(), law, deepest });
        if let Err(error) = self.pair(&of, &on, false) {
            // A contact that is refused leaves nothing.
            self.contacts.truncate(before.0);
            self.points.truncate(before.1);
            self.passages.truncate(before.2);
            return Err(error);
        }
        Ok(ContactId(before.0))
    }

    /// How far the two sides of a contact are apart where the mechanism has these coordinates, m; negative: how deep
    /// they are in each other.
    pub fn gap(&mut self, contact: ContactId, q: &[f64]) -> SimulationResult<f64> {
        super::check_length("coordinates", q, self.mechanism.coordinates())?;
        self.frames.place(self.mechanism, q);
        Ok(self.least_gap(contact.0))
    }

    /// The same where the bodies are; all its points are open then, and nothing is known of them.
    fn least_gap(&mut self, contact: usize) -> f64 {
        let least = |least: f64, gap: f64| if least.is_nan() || gap >= least { least } else { gap };
        let features = self.points.iter_mut().filter(|point| point.contact == contact).filter_map(|point| {
            (point.closed, point.known) = (false, Known::Unseen);
            point.measure(&self.frames).map(|measure| measure.gap)
        });
        let seen = features.fold(f64::INFINITY, least);
        let passages = self.passages.iter().filter(|passage| passage.contact == contact);
        passages.filter_map(|passage| passage.overlap(&self.frames)).fold(seen, |gap, depth| least(gap, -depth))
    }

    /// All features of two solids of the last contact.
    fn pair(&mut self, of: &Solid, on: &Solid, reversed: bool) -> SimulationResult<()> {
        match (of, on) {
            (Solid::Balls(balls), Solid::Balls(others)) => {
                for &ball in balls {
                    for &other in others {
                        let reversed_here = reversed ^ (other.2 == 0.0);
                        let ((a, center, radius), (b, middle, touched)) =
                            if other.2 == 0.0 { (other, ball) } else { (ball, other) };
                        if touched == 0.0 {
                            return Err(self.cannot_touch("a point cannot touch a point"));
                        }
                        let shape = SurfaceShape::Sphere { center: middle.0, radius: touched };
                        self.point(a, b, reversed_here, Feature::Ball { center, radius, shape })?;
                        self.passage([Extent::ball(a, center, radius), Extent::ball(b, middle, touched)], None);
                    }
                }
            }
            (Solid::Balls(balls), Solid::Block(b, block)) => {
                let shape = SurfaceShape::Box { center: block.center.0, half: block.half };
                for &(a, center, radius) in balls {
                    self.point(a, *b, reversed, Feature::Ball { center, radius, shape })?;
                    self.passage([Extent::ball(a, center, radius), Extent::block(*b, block)], None);
                }
            }
            (Solid::Balls(balls), Solid::Plane(b, shape)) => {
                for &(a, center, radius) in balls {
                    self.point(a, *b, reversed, Feature::Ball { center, radius, shape: *shape })?;
                }
            }
            (Solid::Block(a, block), Solid::Plane(..)) => {
                self.pair(&Solid::corners(*a, block), on, reversed)?;
            }
            (Solid::Block(a, first), Solid::Block(b, second)) => {
                // A plain list of features: whatever way two boxes can touch is one of them.
                for (body, corners, other, flipped) in
                    [(*a, first, (*b, second), false), (*b, second, (*a, first), true)]
                {
                    let shape = SurfaceShape::Box { center: other.1.center.0, half: other.1.half };
                    for center in corners.corners() {
                        let feature = Feature::Ball { center, radius: corners.rounding, shape };
                        self.point(body, other.0, reversed ^ flipped, feature)?;
                    }
                }
                for pair in 0..144 {
                    let feature = Feature::Edges { blocks: [*first, *second], numbers: [pair / 12, pair % 12] };
                    self.point(*a, *b, reversed, feature)?;
                }
                self.passage([Extent::block(*a, first), Extent::block(*b, second)], Some([*first, *second]));
            }
            (Solid::Plane(..), Solid::Plane(..)) => return Err(self.cannot_touch("a plane cannot touch a plane")),
            (Solid::Block(..) | Solid::Plane(..), _) => self.pair(on, of, !reversed)?,
        }
        Ok(())
    }

    fn cannot_touch(&self, why: &'static str) -> SimulationError {
        let contact = self.contacts.last().map_or_else(String::new, |contact| contact.name.clone());
        SimulationError::CannotTouch { contact, why }
    }

    fn solid(&mut self, side: ContactGeometry) -> SimulationResult<Solid> {
        match side {
            ContactGeometry::Balls(balls) => {
                let ball = |ball: &Ball| {
                    if !(ball.radius >= 0.0 && ball.radius.is_finite()) {
                        let must = "zero or positive";
                        let (what, value) = ("radius of a ball", ball.radius);
                        return Err(SimulationError::BadContact { what, value, must });
                    }
                    let (BodyPoint::Fixed(center) | BodyPoint::On { offset: center, .. }) = ball.center;
                    Ok((self.body(&ball.center)?, Vec3(center), ball.radius))
                };
                Ok(Solid::Balls(balls.iter().map(ball).collect::<Result<_, _>>()?))
            }
            ContactGeometry::Surface(Surface { on, shape }) => {
                shape.check()?;
                let body =
                    self.body(&on.map_or(BodyPoint::Fixed([0.0; 3]), |(part, body)| part.on_body(body, [0.0; 3])))?;
                Ok(match shape {
                    SurfaceShape::Plane { .. } => Solid::Plane(body, shape),
                    SurfaceShape::Box { center, half } => {
                        // The radius of its corners and edges: a hundredth of the shortest edge.
                        let rounding = 0.01 * half.iter().map(|half| 2.0 * half).fold(f64::INFINITY, f64::min);
                        Solid::Block(body, RoundedBox { center: Vec3(center), half, rounding })
                    }
                    SurfaceShape::Sphere { center, radius } => Solid::Balls(vec![(body, Vec3(center), radius)]),
                })
            }
        }
    }

    /// A point of the last contact.
    fn point(&mut self, a: usize, b: usize, reversed: bool, feature: Feature) -> SimulationResult<()> {
        let contact = self.contacts.len() - 1;
        if a == b {
            return Err(SimulationError::SameBody { contact: self.contacts[contact].name.clone() });
        }
        self.points.push(ContactPoint {
            contact,
            a,
            b,
            reversed,
            feature,
            closed: false,
            damping: 0.0,
            known: Known::Unseen,
            seen: None,
            facing: None,
        });
        Ok(())
    }

    /// Two solids of the last contact.
    fn passage(&mut self, extents: [Extent; 2], blocks: Option<[RoundedBox; 2]>) {
        self.passages.push(Passage::new(self.contacts.len() - 1, extents, blocks));
    }

    fn body(&mut self, place: &BodyPoint) -> SimulationResult<usize> {
        self.mechanism.check_place(place).map_err(SimulationError::located(0.0))?;
        let on = match *place {
            BodyPoint::Fixed(_) => None,
            BodyPoint::On { part, body, .. } => Some((part, body)),
        };
        Ok(self.frames.number(self.mechanism, on))
    }
}

impl Solid {
    /// Half the least thickness, m. Planes are infinitely thick; a point has no thickness that it could pass with.
    fn half_thickness(&self) -> f64 {
        let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        match self {
            Self::Balls(balls) => least(&mut balls.iter().map(|ball| ball.2).filter(|radius| *radius > 0.0)),
            Self::Block(_, block) => least(&mut block.half.into_iter()),
            Self::Plane(..) => f64::INFINITY,
        }
    }

    /// The corners of a box, as balls.
    fn corners(body: usize, block: &RoundedBox) -> Self {
        Self::Balls(block.corners().map(|center| (body, center, block.rounding)).to_vec())
    }
}
