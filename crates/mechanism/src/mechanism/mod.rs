//! Mechanisms made of parts: Delta arms, serial arms, bodies, pendulums and the user's own, joined by holonomic constraints.
//!
//! After S. A. Bortoff, *Object-oriented modeling and control of Delta robots*, IEEE CCTA 2018. A part is its energies
//! and its points, a constraint is its residual, each one generic function; all derivatives come from dual numbers.
//!
//! ```
//! use dalembert::mechanism::{Coincident, DeltaArm, Mechanism};
//! use dalembert::{Vec3, delta::Branch, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let p = robot.parameters();
//! let pose = robot.at_position(Vec3::new(0.1, 0.0, -0.85), Branch::Out)?;
//! let mut delta = Mechanism::new(p.gravity);
//! let (mut q, mut arms) = (Vec::new(), Vec::new());
//! for i in 0..3 {
//!     let arm = DeltaArm::new(&p.arms[i], p.platform_mass / 3.0);
//!     q.extend(arm.angles(pose.position, pose.joints()[i]));
//!     arms.push(delta.add(format!("arm {}", i + 1), arm));
//!     delta.drive(arms[i], 0)?;
//! }
//! delta.constrain("tips 1 and 2", Coincident::new(arms[0].origin(), arms[1].origin()))?;
//! delta.constrain("tips 1 and 3", Coincident::new(arms[0].origin(), arms[2].origin()))?;
//! let start = delta.assemble(0.0, &q, &[0.0; 9])?;
//! let hold = delta.inverse_dynamics(0.0, &start.q, &start.v, &[0.0; 9])?;
//! assert!((hold.torque[0] - pose.gravity_torque()[0]).abs() < 1e-12);
//! # Ok(()) }
//! ```

pub(crate) mod answers;
mod constraint;
mod delta_part;
pub mod dense;
pub(crate) mod dynamics;
mod equations;
pub(crate) mod observed;
mod parallel_part;
mod parts;

pub use answers::{AssembledState, RequiredTorque};
pub use constraint::{
    Aligned, AnyConstraint, Coincident, Constraint, ConstraintOver, Distance, Guided, MechanismConfiguration,
    MechanismScalar, OnPlane, Prescribed, Swing, TimeFunction, Waypoints,
};
pub use delta_part::{DeltaArm, DeltaMotion, DeltaParts, add_delta, add_delta_at};
pub use dynamics::{ConstraintForce, MechanismDynamics, Poles};
pub use equations::Equations;
pub use observed::{LinearModelError, Linearization, Observed, linear_model};
pub use parallel_part::{ParallelPart, add_parallel};
pub use parts::{
    AnyPart, ChainPart, ClosedOver, D1, D2, D3, EnergyOver, FreeBody, MechanismPart, PartOver, Pendulum, PlanarBody,
    PointMass, WIDTH, add_arm,
};

use crate::friction::Friction;
use crate::{Scalar, Vec3};
use std::ops::Range;

/// A part of a mechanism, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId(pub(crate) usize);

impl PartId {
    /// The origin of the part's first body.
    pub fn origin(self) -> BodyPoint {
        self.at([0.0; 3])
    }

    /// A point of the part's first body, in its frame, m.
    pub fn at(self, offset: [f64; 3]) -> BodyPoint {
        self.on_body(0, offset)
    }

    /// A point of one of the part's bodies.
    pub fn on_body(self, body: usize, offset: [f64; 3]) -> BodyPoint {
        BodyPoint::On { part: self, body, offset }
    }
}

const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Origin and axes of a body whose `point` at an offset is known.
pub(crate) fn frame_of<S: Scalar>(point: impl Fn([f64; 3]) -> Vec3<S>) -> (Vec3<S>, [Vec3<S>; 3]) {
    let origin = point([0.0; 3]);
    (origin, AXES.map(|axis| point(axis) - origin))
}

/// A point that moves with a body, or stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyPoint {
    /// Base frame, m.
    Fixed([f64; 3]),
    /// In the frame of a body, m.
    On {
        /// The part.
        part: PartId,
        /// Which of its bodies.
        body: usize,
        /// In the body's frame, m.
        offset: [f64; 3],
    },
}

impl BodyPoint {
    /// The part that it moves with.
    pub fn part(&self) -> Option<PartId> {
        match *self {
            Self::Fixed(_) => None,
            Self::On { part, .. } => Some(part),
        }
    }
}

/// Why a mechanism, a start or a step was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum MechanismError {
    #[error("`{robot}` cannot be a part of a mechanism: its family does not say how")]
    NotAPart { robot: String },
    #[error("there is no part number {part} in this mechanism")]
    UnknownPart { part: usize },
    #[error("part `{part}` has no body number {body}")]
    UnknownBody { part: String, body: usize },
    #[error("part `{part}` has no coordinate or velocity number {index}")]
    UnknownCoordinate { part: String, index: usize },
    #[error("{what} is {value}, but must be {must}")]
    BadValue { what: &'static str, value: f64, must: &'static str },
    #[error("{what}: {given} numbers where {expected} are needed")]
    WrongLength { what: &'static str, given: usize, expected: usize },
    #[error("{what}[{index}] is {value}, not a finite number")]
    NotFinite { what: &'static str, index: usize, value: f64 },
    #[error("the mass matrix of `{part}` is singular here: one of its coordinates moves nothing")]
    SingularMass { part: String },
    #[error("constraint `{constraint}` (equation {row}) is inactive: nothing that can move changes it")]
    Inactive { constraint: String, row: usize },
    #[error(
        "constraint `{constraint}` (equation {row}) is redundant: it follows from {}, or contradicts it. Remove one of them",
        .follows_from.join(", ")
    )]
    Redundant { constraint: String, row: usize, follows_from: Vec<String> },
    #[error("singular pose: constraint `{constraint}` (equation {row}) is not independent of the others here")]
    SingularPose { constraint: String, row: usize },
    #[error(
        "the constraints cannot be met from here: `{constraint}` is still off by {residual:.3e} after {iterations} steps"
    )]
    CannotClose { constraint: String, residual: f64, iterations: usize },
    #[error("{motors} motors cannot produce every motion of {freedoms} freedoms here")]
    Underactuated { motors: usize, freedoms: usize },
}

/// What a mechanism answers.
pub type MechanismResult<T> = Result<T, MechanismError>;

pub(crate) struct PartEntry {
    pub name: String,
    pub part: Box<dyn AnyPart>,
    pub q: Range<usize>,
    pub v: Range<usize>,
    pub mass: Range<usize>,
    /// w_k among all; empty where they are unit vectors.
    pub directions: Range<usize>,
    /// Places on the part, constraints that it takes part in, their equations, and given forces by place.
    pub places: Vec<usize>,
    pub ties: Vec<usize>,
    pub rows: Vec<usize>,
    pub forces: Vec<(usize, [f64; 3])>,
}

impl PartEntry {
    /// The velocities in groups that are differentiated together.
    pub fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let n = self.v.len();
        (0..n).step_by(WIDTH).map(move |start| start..n.min(start + WIDTH))
    }

    /// q̇ = N v.
    pub fn rate(&self, q: &[f64], v: &[f64], rate: &mut [f64]) {
        match self.is_plain() {
            true => rate.copy_from_slice(v),
            false => f64::part(self.part.as_ref()).rate(q, v, rate),
        }
    }

    /// Whether the velocities are the rates of the coordinates.
    pub fn is_plain(&self) -> bool {
        self.q.len() == self.v.len()
    }

    /// Whether a constraint or a given force acts on the part.
    pub fn is_met(&self) -> bool {
        !self.ties.is_empty() || !self.forces.is_empty()
    }
}

pub(crate) struct ConstraintEntry {
    pub name: String,
    pub constraint: Box<dyn AnyConstraint>,
    pub places: Vec<usize>,
    pub rows: Range<usize>,
    /// It starts open.
    pub open: bool,
}

pub(crate) struct MotorEntry {
    pub velocity: usize,
    pub friction: Option<Friction<f64>>,
}

/// Parts, constraints, motors and forces.
#[derive(Default)]
pub struct Mechanism {
    gravity: [f64; 3],
    pub(crate) slots: Vec<PartEntry>,
    pub(crate) ties: Vec<ConstraintEntry>,
    pub(crate) motors: Vec<MotorEntry>,
    pub(crate) damping: Vec<(usize, f64)>,
    forces: Vec<(BodyPoint, [f64; 3])>,
    /// Where constraints and forces act, each once.
    places: Vec<BodyPoint>,
}

impl Mechanism {
    /// Nothing yet, in this acceleration of gravity.
    pub fn new(gravity: Vec3<f64>) -> Self {
        Self { gravity: gravity.0, ..Self::default() }
    }

    /// Adds a part.
    pub fn add(&mut self, name: impl Into<String>, part: impl MechanismPart) -> PartId {
        let (q, v) = (self.coordinates(), self.velocities());
        let mass = self.slots.last().map_or(0, |slot| slot.mass.end);
        let directions = self.slots.last().map_or(0, |slot| slot.directions.end);
        let (nq, nv) = (part.coordinates(), part.velocities());
        self.slots.push(PartEntry {
            name: name.into(),
            part: Box::new(part),
            q: q..q + nq,
            v: v..v + nv,
            mass: mass..mass + nv * nv,
            directions: directions..directions + if nq == nv { 0 } else { nq * nv },
            places: Vec::new(),
            ties: Vec::new(),
            rows: Vec::new(),
            forces: Vec::new(),
        });
        PartId(self.slots.len() - 1)
    }

    /// Adds a constraint.
    pub fn constrain(&mut self, name: impl Into<String>, constraint: impl Constraint) -> Result<(), MechanismError> {
        self.tie(name, constraint, false)
    }

    /// Adds a constraint; one that is `open` does not count until a simulation closes it: a gripper's hold.
    pub fn tie(
        &mut self,
        name: impl Into<String>,
        constraint: impl Constraint,
        open: bool,
    ) -> Result<(), MechanismError> {
        let places = constraint.places();
        places.iter().try_for_each(|place| self.check_place(place))?;
        constraint.check(self)?;
        let mut parts = constraint.parts();
        parts.sort_unstable_by_key(|part| part.0);
        parts.dedup();
        for part in &parts {
            self.slot(*part)?;
        }
        let first = self.constraint_rows();
        let rows = first..first + Constraint::rows(&constraint);
        let places = places.iter().map(|place| self.place(place)).collect();
        for part in &parts {
            let slot = &mut self.slots[part.0];
            slot.ties.push(self.ties.len());
            slot.rows.extend(rows.clone());
        }
        self.ties.push(ConstraintEntry { name: name.into(), constraint: Box::new(constraint), places, rows, open });
        Ok(())
    }

    /// The number of a place; notes it where it is new.
    fn place(&mut self, place: &BodyPoint) -> usize {
        if let Some(index) = self.places.iter().position(|known| known == place) {
            return index;
        }
        let index = self.places.len();
        self.places.push(*place);
        if let Some(slot) = place.part().and_then(|part| self.slots.get_mut(part.0)) {
            slot.places.push(index);
        }
        index
    }

    /// Puts a motor on a velocity of a part.
    pub fn drive(&mut self, part: PartId, velocity: usize) -> Result<(), MechanismError> {
        self.drive_with(part, velocity, None)
    }

    /// Puts a motor with friction on a velocity of a part.
    pub fn drive_with(
        &mut self,
        part: PartId,
        velocity: usize,
        friction: Option<Friction<f64>>,
    ) -> Result<(), MechanismError> {
        let velocity = self.velocity(part, velocity)?;
        self.motors.push(MotorEntry { velocity, friction });
        Ok(())
    }

    /// Damps a velocity of a part, N s/m or N m s/rad.
    pub fn damp(&mut self, part: PartId, velocity: usize, coefficient: f64) -> Result<(), MechanismError> {
        if !(coefficient >= 0.0 && coefficient.is_finite()) {
            return Err(MechanismError::BadValue { what: "damping", value: coefficient, must: "zero or positive" });
        }
        let velocity = self.velocity(part, velocity)?;
        self.damping.push((velocity, coefficient));
        Ok(())
    }

    /// Pushes at a place with a constant force, base frame, N.
    pub fn push(&mut self, place: BodyPoint, force: Vec3<f64>) -> Result<(), MechanismError> {
        self.check_place(&place)?;
        finite("force", &force.0)?;
        let index = self.place(&place);
        if let Some(slot) = place.part().and_then(|part| self.slots.get_mut(part.0)) {
            slot.forces.push((index, force.0));
        }
        self.forces.push((place, force.0));
        Ok(())
    }

    /// How many coordinates all parts have.
    pub fn coordinates(&self) -> usize {
        self.slots.last().map_or(0, |slot| slot.q.end)
    }

    /// How many velocities all parts have.
    pub fn velocities(&self) -> usize {
        self.slots.last().map_or(0, |slot| slot.v.end)
    }

    /// How many constraint equations there are.
    pub fn constraint_rows(&self) -> usize {
        self.ties.last().map_or(0, |tie| tie.rows.end)
    }

    /// Freedoms that the constraints leave, if they are independent.
    pub fn freedoms(&self) -> usize {
        self.velocities().saturating_sub(self.constraint_rows())
    }

    /// How many motors there are.
    pub fn motors(&self) -> usize {
        self.motors.len()
    }

    /// A place in the base frame, m.
    pub fn point(&self, q: &[f64], place: &BodyPoint) -> Result<Vec3<f64>, MechanismError> {
        length("q", q, self.coordinates())?;
        self.check_place(place)?;
        Ok(self.point_over(q, place))
    }

    /// Where the coordinates and velocities of a part are among all.
    pub fn ranges(&self, part: PartId) -> Result<(Range<usize>, Range<usize>), MechanismError> {
        self.slot(part).map(|slot| (slot.q.clone(), slot.v.clone()))
    }

    pub(crate) fn point_over<S: MechanismScalar>(&self, q: &[S], place: &BodyPoint) -> Vec3<S> {
        match *place {
            BodyPoint::Fixed(point) => Vec3::from_f64(point),
            BodyPoint::On { part, body, offset } => match self.slots.get(part.0) {
                Some(slot) => S::part(slot.part.as_ref()).point(&q[slot.q.clone()], body, Vec3::from_f64(offset)),
                None => Vec3::zero(), // refused by `check_place` before
            },
        }
    }

    /// Refuses coordinates and velocities of another number, and such that are not finite.
    pub(crate) fn check_state(&self, q: &[f64], v: &[f64]) -> Result<(), MechanismError> {
        length("q", q, self.coordinates())?;
        length("v", v, self.velocities())
    }

    fn slot(&self, part: PartId) -> Result<&PartEntry, MechanismError> {
        self.slots.get(part.0).ok_or(MechanismError::UnknownPart { part: part.0 })
    }

    /// The number of a part's coordinate among all; refuses one that is not there.
    pub fn coordinate(&self, part: PartId, index: usize) -> Result<usize, MechanismError> {
        let slot = self.slot(part)?;
        slot.q.clone().nth(index).ok_or_else(|| MechanismError::UnknownCoordinate { part: slot.name.clone(), index })
    }

    pub(crate) fn velocity(&self, part: PartId, index: usize) -> Result<usize, MechanismError> {
        let slot = self.slot(part)?;
        slot.v.clone().nth(index).ok_or_else(|| MechanismError::UnknownCoordinate { part: slot.name.clone(), index })
    }

    /// Refuses a place on a part or body that is not there.
    pub fn check_place(&self, place: &BodyPoint) -> Result<(), MechanismError> {
        let (BodyPoint::Fixed(offset) | BodyPoint::On { offset, .. }) = place;
        finite("place", offset)?;
        if let BodyPoint::On { part, body, .. } = *place {
            let slot = self.slot(part)?;
            if body >= slot.part.bodies() {
                return Err(MechanismError::UnknownBody { part: slot.name.clone(), body });
            }
        }
        Ok(())
    }

    /// A part whose velocities are not the rates of its coordinates.
    pub(crate) fn not_plain(&self) -> Option<&PartEntry> {
        self.slots.iter().find(|slot| !slot.is_plain())
    }

    /// The name of the constraint that an equation belongs to, and the equation's number in it, from 1.
    fn row_name(&self, row: usize) -> (String, usize) {
        let tie = self.ties.iter().find(|tie| tie.rows.contains(&row));
        tie.map_or((String::from("?"), row), |tie| (tie.name.clone(), row - tie.rows.start + 1))
    }
}

fn length(what: &'static str, values: &[f64], expected: usize) -> Result<(), MechanismError> {
    if values.len() != expected {
        return Err(MechanismError::WrongLength { what, given: values.len(), expected });
    }
    finite(what, values)
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), MechanismError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(MechanismError::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}
