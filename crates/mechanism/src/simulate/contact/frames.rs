//! Where the bodies that may touch are, how they move, and what a force on them does to the velocities.

use crate::Vec3;
use crate::mechanism::dynamics::direction;
use crate::mechanism::{D1, Mechanism, MechanismScalar, PartId, frame_of};
use crate::{Dual, Scalar};

/// Origin and axes of a body, or a change of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFrame {
    pub origin: Vec3<f64>,
    pub axes: [Vec3<f64>; 3],
}

impl BodyFrame {
    const ZERO: Self = Self { origin: Vec3([0.0; 3]), axes: [Vec3([0.0; 3]); 3] };
    pub const BASE: Self =
        Self { origin: Vec3([0.0; 3]), axes: [Vec3([1.0, 0.0, 0.0]), Vec3([0.0, 1.0, 0.0]), Vec3([0.0, 0.0, 1.0])] };

    /// Of a body whose point, or the change of it, at an offset is known.
    fn of(point: impl Fn([f64; 3]) -> Vec3<f64>) -> Self {
        let (origin, axes) = frame_of(point);
        Self { origin, axes }
    }

    /// A point or direction of the body's frame in the base frame.
    pub fn out(&self, local: Vec3<f64>) -> Vec3<f64> {
        self.origin + self.turn(local)
    }
    pub fn turn(&self, local: Vec3<f64>) -> Vec3<f64> {
        self.axes[0] * local[0] + self.axes[1] * local[1] + self.axes[2] * local[2]
    }
    /// A point of the base frame in the body's frame.
    pub fn inward(&self, point: Vec3<f64>) -> Vec3<f64> {
        let out = point - self.origin;
        Vec3::from_fn(|i| self.axes[i].dot(out))
    }
}

/// A body that touches or is touched; `part` is none for the base.
struct ContactBody {
    part: Option<usize>,
    body: usize,
    frame: BodyFrame,
    /// Its change per second.
    rate: BodyFrame,
    /// Its change along each velocity of its part.
    along: Vec<BodyFrame>,
}

/// All of them; the base is number 0.
pub(super) struct BodyFrames {
    bodies: Vec<ContactBody>,
    lifted: Vec<D1>,
    unit: Vec<f64>,
    direction: Vec<f64>,
}

impl BodyFrames {
    pub fn new() -> Self {
        let base =
            ContactBody { part: None, body: 0, frame: BodyFrame::BASE, rate: BodyFrame::ZERO, along: Vec::new() };
        Self { bodies: vec![base], lifted: Vec::new(), unit: Vec::new(), direction: Vec::new() }
    }

    /// The number of a body, which must be there.
    pub fn number(&mut self, mechanism: &Mechanism, on: Option<(PartId, usize)>) -> usize {
        let Some((part, body)) = on else { return 0 };
        let same = |b: &ContactBody| b.part == Some(part.0) && b.body == body;
        if let Some(number) = self.bodies.iter().position(same) {
            return number;
        }
        let slot = &mechanism.slots[part.0];
        let grow = |room: &mut Vec<f64>, size: usize| room.resize(room.len().max(size), 0.0);
        grow(&mut self.unit, slot.v.len());
        grow(&mut self.direction, slot.q.len());
        self.lifted.resize(self.lifted.len().max(slot.q.len()), D1::from_f64(0.0));
        let (part, along) = (Some(part.0), vec![BodyFrame::ZERO; slot.v.len()]);
        self.bodies.push(ContactBody { part, body, frame: BodyFrame::BASE, rate: BodyFrame::ZERO, along });
        self.bodies.len() - 1
    }

    pub fn frame(&self, number: usize) -> &BodyFrame {
        &self.bodies[number].frame
    }

    /// Where they are.
    pub fn place(&mut self, mechanism: &Mechanism, q: &[f64]) {
        for body in &mut self.bodies {
            let Some(part) = body.part else { continue };
            let slot = &mechanism.slots[part];
            let q = &q[slot.q.clone()];
            let point = |offset| f64::part(slot.part.as_ref()).point(q, body.body, Vec3(offset));
            body.frame = BodyFrame::of(point);
        }
    }

    /// Where they are and how they move.
    pub fn set(&mut self, mechanism: &Mechanism, q: &[f64], v: &[f64]) {
        self.place(mechanism, q);
        for body in &mut self.bodies {
            let Some(part) = body.part else { continue };
            let slot = &mechanism.slots[part];
            let (q, v) = (&q[slot.q.clone()], &v[slot.v.clone()]);
            body.rate = BodyFrame::ZERO;
            for k in 0..v.len() {
                let w = &mut self.direction[..q.len()];
                direction(slot, q, k, &mut self.unit, w);
                let lifted = &mut self.lifted[..q.len()];
                for ((lifted, &value), &w) in lifted.iter_mut().zip(q).zip(w.iter()) {
                    *lifted = Dual { value, derivative: [w] };
                }
                let change = |offset: [f64; 3]| {
                    let point = D1::part(slot.part.as_ref()).point(lifted, body.body, Vec3::from_f64(offset));
                    point.map(|x| x.derivative[0])
                };
                let along = BodyFrame::of(change);
                body.rate.origin = body.rate.origin + along.origin * v[k];
                for i in 0..3 {
                    body.rate.axes[i] = body.rate.axes[i] + along.axes[i] * v[k];
                }
                body.along[k] = along;
            }
        }
    }

    /// Velocity of the point of a body that is at `point`.
    pub fn velocity(&self, number: usize, point: Vec3<f64>) -> Vec3<f64> {
        let body = &self.bodies[number];
        body.rate.out(body.frame.inward(point))
    }

    /// Adds what a force on a body at `point` does along the velocities.
    pub fn push(
        &self,
        mechanism: &Mechanism,
        number: usize,
        point: Vec3<f64>,
        force: Vec3<f64>,
        generalized: &mut [f64],
    ) {
        let body = &self.bodies[number];
        let Some(part) = body.part else { return };
        let local = body.frame.inward(point);
        for (sum, along) in generalized[mechanism.slots[part].v.clone()].iter_mut().zip(&body.along) {
            *sum += along.out(local).dot(force);
        }
    }
}
