//! In which frame the quantities of a link are expressed, and how vectors go from one to the next.
//!
//! Joints with parallel axes that follow each other form a group. The quantities of a link are expressed in its own frame,
//! or in the frame of its group, which does not turn with the group's joints: for the PUMA's joints 2 and 3 that is the
//! vertical plane of the arm, where angular velocities have two components and the sums θ2 + θ3 appear by themselves.

use super::arm::{MassMoments, SymbolicArm, Turn, tilt, turn};
use crate::Expr;
use dalembert_core::{Scalar, Sym3, Vec3};

type E<'g> = Expr<'g>;
fn back((s, c): Turn<'_>) -> Turn<'_> {
    (-s, c)
}

fn both<'g>((s, c): Turn<'g>, (t, d): Turn<'g>) -> Turn<'g> {
    (s * d + c * t, c * d - s * t)
}

/// The frames of all links at a pose.
pub(crate) struct LinkFrames<'g> {
    /// Whether link i is expressed in the frame of its group.
    grouped: Vec<bool>,
    /// Whether link i belongs to the group of the link before.
    joined: Vec<bool>,
    alpha: Vec<Turn<'g>>,
    /// The turn of link i against the frame before its joint.
    own: Vec<Turn<'g>>,
    /// The turn of link i against the frame of its group.
    total: Vec<Turn<'g>>,
    /// Origin of frame i against the one before, in the frame in which the link before is expressed.
    pub p: Vec<Vec3<E<'g>>>,
}

impl<'g> LinkFrames<'g> {
    /// `wanted`: which links are to be expressed in the frame of their group.
    pub fn new(arm: &SymbolicArm<'g>, q: &[E<'g>], wanted: &[bool]) -> Self {
        let n = arm.joints();
        let mut frames = Self {
            grouped: wanted.to_vec(),
            joined: vec![false; n],
            alpha: arm.links.iter().map(|link| link.alpha).collect(),
            own: Vec::new(),
            total: Vec::new(),
            p: Vec::new(),
        };
        let mut angle = E::zero();
        let mut offset = (E::zero(), E::one());
        for (i, link) in arm.links.iter().enumerate() {
            let parallel = link.alpha.0.is_zero() && link.alpha.1.as_number() == Some(1.0);
            let joined = i > 0 && parallel && link.revolute && arm.links[i - 1].revolute && frames.grouped[i - 1];
            frames.joined[i] = joined;
            let own = if link.revolute { both(q[i].sin_cos(), link.theta) } else { link.theta };
            if !link.revolute {
                frames.grouped[i] = false;
            }
            (angle, offset) = match (joined, link.revolute) {
                (true, _) => (angle + q[i], both(offset, link.theta)),
                (false, true) => (q[i], link.theta),
                (false, false) => (E::zero(), link.theta),
            };
            frames.own.push(own);
            frames.total.push(if link.revolute { both(angle.sin_cos(), offset) } else { link.theta });
            let mut p = link.origin;
            if !link.revolute {
                p = p + arm.axis(i) * q[i];
            }
            frames.p.push(if i > 0 && frames.grouped[i - 1] { turn(frames.total[i - 1], p) } else { p });
        }
        frames
    }

    /// Whether link i is expressed in the frame of its group.
    pub fn grouped(&self, i: usize) -> bool {
        self.grouped[i]
    }

    /// The axis of joint i where the link before is expressed.
    pub fn axis_before(&self, i: usize) -> Vec3<E<'g>> {
        let (s, c) = self.alpha[i];
        let axis = Vec3([E::zero(), -s, c]);
        if i > 0 && self.grouped[i - 1] && !self.joined[i] { turn(self.total[i - 1], axis) } else { axis }
    }

    /// A vector from where the link before is expressed to where link i is.
    pub fn down(&self, i: usize, v: Vec3<E<'g>>) -> Vec3<E<'g>> {
        if self.joined[i] {
            return if self.grouped[i] { v } else { turn(back(self.total[i]), v) };
        }
        let v = if i > 0 && self.grouped[i - 1] { turn(back(self.total[i - 1]), v) } else { v };
        let v = tilt(back(self.alpha[i]), v);
        if self.grouped[i] { v } else { turn(back(self.own[i]), v) }
    }

    /// A vector from where link i is expressed to where the link before is.
    pub fn up(&self, i: usize, v: Vec3<E<'g>>) -> Vec3<E<'g>> {
        if self.joined[i] {
            return if self.grouped[i] { v } else { turn(self.total[i], v) };
        }
        let v = tilt(self.alpha[i], if self.grouped[i] { v } else { turn(self.own[i], v) });
        if i > 0 && self.grouped[i - 1] { turn(self.total[i - 1], v) } else { v }
    }

    /// A vector of frame i where link i is expressed.
    pub fn own_vector(&self, i: usize, v: Vec3<E<'g>>) -> Vec3<E<'g>> {
        if self.grouped[i] { turn(self.total[i], v) } else { v }
    }

    /// The body of link i where the link is expressed.
    pub fn body(&self, i: usize, body: MassMoments<'g>) -> MassMoments<'g> {
        if self.grouped[i] { turned(self.total[i], body) } else { body }
    }

    /// A body of link i, about its origin, where the link before is expressed, about the same origin.
    pub fn body_up(&self, i: usize, body: MassMoments<'g>) -> MassMoments<'g> {
        if self.joined[i] {
            return if self.grouped[i] { body } else { turned(self.total[i], body) };
        }
        let body = tilted(self.alpha[i], if self.grouped[i] { body } else { turned(self.own[i], body) });
        if i > 0 && self.grouped[i - 1] { turned(self.total[i - 1], body) } else { body }
    }
}

/// A body turned about z.
pub(crate) fn turned<'g>((s, c): Turn<'g>, body: MassMoments<'g>) -> MassMoments<'g> {
    let [xx, yy, zz, xy, yz, xz] = body.second.entries();
    // The planar part turns with twice the angle; what is the same in all directions does not turn at all.
    let e = c * (xx - yy) - s * xy.times(2.0);
    let cross = turn((s, c), Vec3([xz, yz, E::zero()]));
    let second = Sym3::new([yy + c * e, xx - c * e, zz, xy + s * e, cross[1], cross[0]]);
    MassMoments { mass: body.mass, moment: turn((s, c), body.moment), second }
}

/// A body turned about x by a constant angle.
fn tilted<'g>(alpha: Turn<'g>, body: MassMoments<'g>) -> MassMoments<'g> {
    let (s, c) = alpha;
    let [xx, yy, zz, xy, yz, xz] = body.second.entries();
    let e = c * (yy - zz) - s * yz.times(2.0);
    let second = Sym3::new([xx, zz + c * e, yy - c * e, c * xy - s * xz, yz + s * e, s * xy + c * xz]);
    MassMoments { mass: body.mass, moment: tilt(alpha, body.moment), second }
}
