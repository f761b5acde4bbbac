//! A serial arm as a part of mechanisms.

use super::MechanismError;
use super::part::MechanismPart;
use crate::serial::{Body, DhRow, Joint, LinkParameters, Pose, Serial, SerialParameters};
use crate::spatial::Frame;
use crate::{Angle, Scalar, Vec3};

/// A serial arm on its base; its coordinates are the joints. Body 0 is the tool, bodies 1, 2 … are the links, in the
/// frames that the arm's convention attaches to them. The mechanism's gravity counts, not the arm's; friction belongs to
/// the motors ([`super::add_arm`]).
///
/// Evaluated as an arm of `M` joints, the last of which weigh nothing and do not move: so a few compiled forms for each
/// scalar serve arms with any number of joints.
#[derive(Clone, Debug)]
pub struct SerialPart<const M: usize> {
    joints: usize,
    arm: Box<Serial<f64, M>>,
    base: Frame<f64>,
}

/// A link that adds nothing: same frame, no mass; it slides, so that it has no sine.
fn nothing() -> LinkParameters<f64> {
    LinkParameters {
        joint: Joint::Prismatic,
        dh: DhRow { alpha: Angle::ZERO, a: 0.0, d: 0.0, theta_offset: Angle::ZERO },
        body: Body::zero(),
        motor_inertia: 0.0,
        gear_ratio: 1.0,
        friction: None,
        armature: None,
        spring: None,
    }
}

/// The given joints, zeros for the added ones.
fn joints<S: Scalar, const M: usize>(values: &[S]) -> [S; M] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(S::zero()))
}

impl<const M: usize> SerialPart<M> {
    /// The arm on a base; it may have up to `M` joints.
    pub fn new<const N: usize>(arm: &Serial<f64, N>, base: Frame<f64>) -> Result<Self, MechanismError> {
        if N > M {
            let must = "at most that of the part";
            return Err(MechanismError::BadValue { what: "number of joints", value: N as f64, must });
        }
        let SerialParameters { convention, gravity, links, tool, payload } = *arm.parameters();
        let links = std::array::from_fn(|i| links.get(i).copied().unwrap_or_else(nothing));
        let arm = Box::new(Serial::new(SerialParameters { convention, gravity, links, tool, payload }));
        Ok(Self { joints: N, arm, base })
    }

    /// Gravity as the arm's base frame sees it.
    fn local<S: Scalar>(&self, gravity: Vec3<S>) -> Vec3<S> {
        self.base.rotation.transpose().map(S::from_f64) * gravity
    }
}

impl<const M: usize> MechanismPart for SerialPart<M> {
    fn coordinates(&self) -> usize {
        self.joints
    }
    fn bodies(&self) -> usize {
        self.joints + 1
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        self.arm.lift().pose_unchecked(joints(q)).moving(joints(rate)).kinetic_energy()
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        self.arm.lift().with_gravity(self.local(gravity)).pose_unchecked(joints(q)).potential_energy()
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let arm = self.arm.lift();
        let pose: Pose<'_, S, M> = arm.pose_unchecked(joints(q));
        let frame = match body.checked_sub(1) {
            None => pose.tool(),
            Some(link) => pose.frames()[link],
        };
        self.base.map(S::from_f64).point(frame.point(offset))
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let arm = self.arm.lift().with_gravity(self.local(gravity));
        let pose = arm.pose_unchecked(joints(q));
        let n = bias.len();
        for (row, values) in mass.chunks_mut(n).zip(pose.mass_matrix()) {
            row.copy_from_slice(&values[..n]);
        }
        bias.copy_from_slice(&pose.moving(joints(v)).rigid_torque([S::zero(); M])[..n]);
        true
    }
}
