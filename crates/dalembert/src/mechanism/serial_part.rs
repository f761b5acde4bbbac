//! A serial arm as a part of mechanisms.

use super::part::Part;
use crate::arm::{ArmVisitor, MOST_JOINTS, SerialArm};
use crate::serial::{Body, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use crate::spatial::Frame;
use crate::{Angle, Scalar, Vec3};

/// A serial arm on its base; its coordinates are the joints. Body 0 is the tool, bodies 1, 2 … are the links, in the
/// frames that the arm's convention attaches to them. The mechanism's gravity counts, not the arm's; friction belongs to
/// the motors ([`super::add_arm`]).
///
/// Evaluated as an arm of four or eight joints, the last of which weigh nothing and do not move: so there are two
/// compiled forms for each scalar, not eight.
#[derive(Clone, Debug)]
pub struct SerialPart {
    joints: usize,
    arm: Padded,
    base: Frame<f64>,
}

const FEW: usize = 4;

#[derive(Clone, Debug)]
enum Padded {
    Few(Box<Serial<f64, FEW>>),
    Many(Box<Serial<f64, MOST_JOINTS>>),
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
    }
}

/// The arm with links added until it has `M`.
fn padded<const N: usize, const M: usize>(arm: &Serial<f64, N>) -> Box<Serial<f64, M>> {
    let SerialParameters { convention, gravity, links, tool, payload } = *arm.parameters();
    let links = std::array::from_fn(|i| links.get(i).copied().unwrap_or_else(nothing));
    Box::new(Serial::new(SerialParameters { convention, gravity, links, tool, payload }))
}

struct Pad;
impl ArmVisitor for Pad {
    type Output = Padded;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Padded {
        if N <= FEW { Padded::Few(padded(arm)) } else { Padded::Many(padded(arm)) }
    }
}

impl SerialPart {
    /// The arm on the base frame.
    pub fn new(arm: &SerialArm) -> Self {
        Self::on_base(arm, Frame::identity())
    }

    /// The arm on a base of its own.
    pub fn on_base(arm: &SerialArm, base: Frame<f64>) -> Self {
        Self { joints: arm.joints(), arm: arm.visit(Pad), base }
    }

    fn visit<V: ArmVisitor>(&self, visitor: V) -> V::Output {
        match &self.arm {
            Padded::Few(arm) => visitor.visit(arm),
            Padded::Many(arm) => visitor.visit(arm),
        }
    }

    /// Gravity as the arm's base frame sees it.
    fn local<S: Scalar>(&self, gravity: Vec3<S>) -> Vec3<S> {
        self.base.rotation.transpose().map(S::from_f64) * gravity
    }
}

/// The given joints, zeros for the added ones.
fn joints<S: Scalar, const N: usize>(values: &[S]) -> [S; N] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(S::zero()))
}

struct Kinetic<'a, S>(&'a [S], &'a [S]);
impl<S: Scalar> ArmVisitor for Kinetic<'_, S> {
    type Output = S;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> S {
        arm.lift().pose_unchecked(joints(self.0)).moving(joints(self.1)).kinetic_energy()
    }
}

struct Potential<'a, S>(&'a [S], Vec3<S>);
impl<S: Scalar> ArmVisitor for Potential<'_, S> {
    type Output = S;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> S {
        arm.lift().with_gravity(self.1).pose_unchecked(joints(self.0)).potential_energy()
    }
}

struct Point<'a, S>(&'a [S], usize, Vec3<S>);
impl<S: Scalar> ArmVisitor for Point<'_, S> {
    type Output = Vec3<S>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec3<S> {
        let arm = arm.lift();
        let pose = arm.pose_unchecked(joints(self.0));
        let frame = match self.1.checked_sub(1) {
            None => pose.tool(),
            Some(link) => pose.frames()[link],
        };
        frame.point(self.2)
    }
}

struct Derived<'a, S>([&'a [S]; 2], Vec3<S>, [&'a mut [S]; 2]);
impl<S: Scalar> ArmVisitor for Derived<'_, S> {
    type Output = ();
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) {
        let arm = arm.lift().with_gravity(self.1);
        let pose = arm.pose_unchecked(joints(self.0[0]));
        let [mass, bias] = self.2;
        let n = bias.len();
        for (row, values) in mass.chunks_mut(n).zip(pose.mass_matrix()) {
            row.copy_from_slice(&values[..n]);
        }
        bias.copy_from_slice(&pose.moving(joints(self.0[1])).rigid_torque([S::zero(); N])[..n]);
    }
}

impl Part for SerialPart {
    fn coordinates(&self) -> usize {
        self.joints
    }
    fn bodies(&self) -> usize {
        self.joints + 1
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        self.visit(Kinetic(q, rate))
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        self.visit(Potential(q, self.local(gravity)))
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        self.base.map(S::from_f64).point(self.visit(Point(q, body, offset)))
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        self.visit(Derived([q, v], self.local(gravity), [mass, bias]));
        true
    }
}
