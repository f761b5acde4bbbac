//! The arm as a product of exponentials: T(q) = exp(ξ_1 q_1) … exp(ξ_n q_n) T(0) with the axes ξ_i where they are at q = 0, base
//! frame (Brockett 1984; Murray, Li and Sastry 1994, chapter 3). Locks, reversals and additional joints are then
//! lists of axes, whatever the convention of the file.

use crate::algebra::{Mat3, Vec3};
use crate::scalar::Scalar;
use crate::serial::Joint;
use crate::spatial::{Frame, Twist, rotation_vector};

/// The most joints that the inverse kinematics is for.
pub const MAX_JOINTS: usize = 8;

/// The axis of a joint at q = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screw {
    /// Whether the joint turns, or else slides.
    pub turns: bool,
    /// Unit vector.
    pub axis: Vec3<f64>,
    /// A point of it.
    pub point: Vec3<f64>,
}

impl Screw {
    pub const NONE: Self = Self { turns: true, axis: Vec3([0.0, 0.0, 1.0]), point: Vec3([0.0; 3]) };

    /// exp(ξ q).
    pub fn motion(&self, q: f64) -> Frame<f64> {
        if !self.turns {
            return Frame::at(self.axis * q);
        }
        let rotation = turned(self.axis, q);
        Frame { rotation, origin: self.point - rotation * self.point }
    }

    /// Where the axis is after a motion.
    pub fn moved(&self, by: &Frame<f64>) -> Self {
        Self { turns: self.turns, axis: by.rotation * self.axis, point: by.point(self.point) }
    }

    /// With the same q, the opposite motion.
    pub fn backwards(&self) -> Self {
        Self { axis: -self.axis, ..*self }
    }
}

/// The rotation by `angle` about a unit vector.
pub(super) fn turned(axis: Vec3<f64>, angle: f64) -> Mat3<f64> {
    let (sin, cos) = Scalar::sin_cos(angle);
    let unit = |i: usize| Vec3::from_fn(|k| if k == i { 1.0 } else { 0.0 });
    Mat3::from_columns(crate::array::from_fn(|i| {
        let along = axis * axis[i];
        along + (unit(i) - along) * cos + axis.cross(unit(i)) * sin
    }))
}

/// An arm of up to [`MAX_JOINTS`] joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScrewChain {
    pub screws: [Screw; MAX_JOINTS],
    pub joints: usize,
    /// The tool at q = 0.
    pub zero: Frame<f64>,
    /// The way from the base through the joints to the tool at q = 0: the unit in which errors of position count as those of
    /// angles, m.
    pub length: f64,
}

/// A pose of the tool, and its change with each joint.
pub(super) type Linearised = (Frame<f64>, [Twist<f64>; MAX_JOINTS]);

impl ScrewChain {
    /// By the joints with their frames at q = 0, from the base to the tool; not without joints or with too many.
    pub fn new(path: &[(Joint, Frame<f64>)], zero: Frame<f64>) -> Option<Self> {
        if path.is_empty() || path.len() > MAX_JOINTS {
            return None;
        }
        let mut screws = [Screw::NONE; MAX_JOINTS];
        let mut length = 0.0;
        let mut before = Vec3::zero();
        for (screw, (joint, frame)) in screws.iter_mut().zip(path) {
            let axis = Vec3::from_fn(|k| frame.rotation[k][2]);
            *screw = Screw { turns: *joint == Joint::Revolute, axis, point: frame.origin };
            length += size(frame.origin - before);
            before = frame.origin;
        }
        length += size(zero.origin - before);
        Some(Self { screws, joints: path.len(), zero, length: if length > 0.0 { length } else { 1.0 } })
    }

    /// The tool, base frame.
    pub fn tool(&self, q: &[f64; MAX_JOINTS]) -> Frame<f64> {
        let all = self.screws.iter().zip(q).take(self.joints);
        all.fold(Frame::identity(), |moved, (screw, q)| moved.then(&screw.motion(*q))).then(&self.zero)
    }

    /// The tool and the columns of its Jacobian.
    pub fn linearised(&self, q: &[f64; MAX_JOINTS]) -> Linearised {
        let mut screws = self.screws;
        let mut moved = Frame::identity();
        for (screw, q) in screws.iter_mut().zip(q).take(self.joints) {
            let step = screw.motion(*q);
            *screw = screw.moved(&moved);
            moved = moved.then(&step);
        }
        let tool = moved.then(&self.zero);
        let column = |screw: &Screw| match screw.turns {
            true => Twist { linear: screw.axis.cross(tool.origin - screw.point), angular: screw.axis },
            false => Twist::translation(screw.axis),
        };
        let mut columns = [Twist::zero(); MAX_JOINTS];
        columns.iter_mut().zip(&screws).take(self.joints).for_each(|(slot, screw)| *slot = column(screw));
        (tool, columns)
    }

    /// The arm with some joints held where `q` has them: their axes stay in the list, those behind them are moved.
    pub fn with_held(&self, held: &[bool; MAX_JOINTS], q: &[f64; MAX_JOINTS]) -> Self {
        let mut chain = *self;
        let mut moved = Frame::identity();
        for i in 0..self.joints {
            chain.screws[i] = self.screws[i].moved(&moved);
            if held[i] {
                moved = moved.then(&self.screws[i].motion(q[i]));
            }
        }
        chain.zero = moved.then(&self.zero);
        chain
    }
}

/// How far it is from one frame to another: the way and the rotation vector.
pub(super) fn apart(from: &Frame<f64>, to: &Frame<f64>) -> Twist<f64> {
    Twist { linear: to.origin - from.origin, angular: rotation_vector(from.rotation, to.rotation) }
}

pub(super) fn size(v: Vec3<f64>) -> f64 {
    libm::sqrt(v.norm_squared())
}
