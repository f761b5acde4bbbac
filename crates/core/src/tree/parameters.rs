//! A link of a tree as it is described, and what is lumped from it.
//!
//! Between the frame of the link before and the row of Denavit and Hartenberg stands a mount M, so that several joints may be anywhere on one link:
//!
//! ```text
//! modified: frame before → M Rx(α) Tx(a) Rz(θ) Tz(d) → frame of the link, which is that of its joint
//! standard: frame before → M Rz(θ) Tz(d) → frame of the joint → Tx(a) Rx(α) → frame of the link
//! ```

use crate::algebra::{Mat3, Vec3};
use crate::friction::Friction;
use crate::parameter::Must::Finite;
use crate::parameter::Tolerance::{self, Amount};
use crate::parameter::{AXES, Field, Place, ROLL_PITCH_YAW, Slot, Unit, Visit};
use crate::scalar::Scalar;
use crate::serial::{
    Body, DhConvention, Inertia, Joint, LinkParameters, PAYLOAD, SerialParameters, Spin, TOOL, along_x, axis,
};
use crate::spatial::Frame;
use crate::spring::Spring;

/// Where the row of a link starts.
static MOUNT: [Field; 2] = [
    Field::new("mount.position", "o", "position of the mount", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("mount.rpy", "o", "orientation of the mount", Unit::Angle, Finite, Tolerance::Angle)
        .with_components(&ROLL_PITCH_YAW),
];

/// A tool and what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipParameters<S> {
    /// Its frame in the frame of its link.
    pub frame: Frame<S>,
    /// What is carried, in the tool's frame.
    pub payload: Body<S>,
}

/// A link of a tree with the joint before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchParameters<S> {
    /// As of a serial arm.
    pub link: LinkParameters<S>,
    /// The link that it hangs on: 0 is the base, 1 the first link.
    pub parent: usize,
    /// Where its row starts, in the frame of that link.
    pub mount: Frame<S>,
    /// A tool of its own.
    pub tip: Option<TipParameters<S>>,
}

impl<S> BranchParameters<S> {
    /// Visits every number of the link.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        self.link.visit(place, visit);
        self.visit_attached(place, visit);
    }

    /// Those that a link of a serial arm has not: mount, tool and what that carries.
    pub fn visit_attached(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        visit_frame(&mut self.mount, &MOUNT, place, visit);
        if let Some(tip) = &mut self.tip {
            tip.payload.visit(&PAYLOAD, place, visit);
            visit_frame(&mut tip.frame, &TOOL, place, visit);
        }
    }
}

fn visit_frame<S>(frame: &mut Frame<S>, fields: &'static [Field; 2], place: Place, visit: &mut Visit<'_, S>) {
    let [position, rpy] = fields;
    for (k, slot) in frame.origin.0.iter_mut().enumerate() {
        visit(position, place.component(k), Slot::Number(slot));
    }
    for k in 0..3 {
        visit(rpy, place.component(k), Slot::Rotation(&mut frame.rotation));
    }
}

impl<S: Scalar> BranchParameters<S> {
    /// Every parameter as a scalar of another kind.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> BranchParameters<T> {
        BranchParameters {
            link: self.link.map(&mut f),
            parent: self.parent,
            mount: self.mount.map(&mut f),
            tip: self.tip.map(|tip| TipParameters { frame: tip.frame.map(&mut f), payload: tip.payload.map(&mut f) }),
        }
    }

    /// From the link's frame, as it is given, to that of its joint.
    fn moved(&self, convention: DhConvention) -> Frame<S> {
        match convention {
            DhConvention::Standard => along_x(self.link.dh.alpha, self.link.dh.a),
            DhConvention::Modified => Frame::identity(),
        }
    }
}

/// What the formulas need of one link, in the frame of its joint.
#[derive(Clone, Copy, Debug)]
pub struct TreeLink<S> {
    /// The link that it hangs on; none: the base.
    pub parent: Option<usize>,
    /// What its joint does: it turns about z or slides along it.
    pub joint: Joint,
    /// The joint's frame at q = 0 in the frame of the parent's joint.
    pub placed: Frame<S>,
    /// Of the link and what its tools carry.
    pub inertia: Inertia<S>,
    /// Reflected inertia of motor and drive.
    pub motor: S,
    /// At the joint.
    pub friction: Option<Friction<S>>,
    /// Springs and counterbalances at the joint.
    pub spring: Option<Spring<S>>,
    /// Spin of the armature.
    pub spin: Option<Spin<S>>,
}

/// A tool that is given in the frame of a link, in the frame of the link's joint. None where there is no such link.
pub fn tip_frame<S: Scalar>(
    branches: &[BranchParameters<S>],
    link: usize,
    tool: &Frame<S>,
    convention: DhConvention,
) -> Option<Frame<S>> {
    branches.get(link).map(|branch| branch.moved(convention).then(tool))
}

impl<S: Scalar> TreeLink<S> {
    /// The link `i` (from 0) of a tree whose last link carries the tool and the payload of `whole`. None where there is no such link or
    /// parent.
    pub fn new(branches: &[BranchParameters<S>], i: usize, whole: &SerialParameters<S, 0>) -> Option<Self> {
        let convention = whole.convention;
        let branch = branches.get(i)?;
        let (link, moved) = (&branch.link, branch.moved(convention));
        let parent = branch.parent.checked_sub(1);
        let before = match parent {
            Some(parent) => branches.get(parent)?.moved(convention),
            None => Frame::identity(),
        };
        let row = match convention {
            DhConvention::Standard => Frame::identity(),
            DhConvention::Modified => along_x(link.dh.alpha, link.dh.a),
        };
        let along_z = Frame {
            origin: Vec3([S::zero(), S::zero(), link.dh.d]),
            rotation: about_z(link.dh.theta_offset.sin, link.dh.theta_offset.cos),
        };
        let tips = [
            branch.tip,
            (i + 1 == branches.len()).then_some(TipParameters { frame: whole.tool, payload: whole.payload }),
        ];
        let mut inertia = Inertia::new(&link.body, &moved);
        for tip in tips.into_iter().flatten() {
            inertia = inertia.plus(Inertia::new(&tip.payload, &moved.then(&tip.frame)));
        }
        Some(Self {
            parent,
            joint: link.joint,
            placed: before.then(&branch.mount).then(&row).then(&along_z),
            inertia,
            motor: link.motor_inertia,
            friction: link.friction,
            spring: link.spring,
            spin: link.armature.map(|armature| {
                let carrier = armature.carrier.checked_sub(1).filter(|&k| k < branches.len());
                let axis = carrier.map_or(armature.axis, |k| branches[k].moved(convention).rotation * armature.axis);
                Spin { carrier, momentum: axis * (link.motor_inertia / link.gear_ratio) }
            }),
        })
    }

    /// The joint's frame in the frame of the parent's joint; of one that turns by its sine and cosine.
    #[inline(always)]
    pub(super) fn frame(&self, q: S, (sin, cos): (S, S)) -> Frame<S> {
        let Frame { rotation, origin } = self.placed;
        match self.joint {
            Joint::Revolute => {
                let turned = |row: Vec3<S>| Vec3([row[0] * cos + row[1] * sin, row[1] * cos - row[0] * sin, row[2]]);
                Frame { rotation: Mat3(rotation.0.map(turned)), origin }
            }
            Joint::Prismatic => Frame { rotation, origin: origin + axis(&self.placed) * q },
        }
    }

    /// The same with every number a scalar of another kind: what is lumped stays lumped.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> TreeLink<T> {
        TreeLink {
            parent: self.parent,
            joint: self.joint,
            placed: self.placed.map(f),
            inertia: self.inertia.map(f),
            motor: f(self.motor),
            friction: self.friction.map(|friction| friction.map(f)),
            spring: self.spring.map(|spring| spring.map(f)),
            spin: self.spin.map(|spin| Spin { carrier: spin.carrier, momentum: spin.momentum.map(f) }),
        }
    }
}

/// Rz.
fn about_z<S: Scalar>(sin: S, cos: S) -> Mat3<S> {
    let (o, l) = (S::zero(), S::one());
    Mat3([Vec3([cos, -sin, o]), Vec3([sin, cos, o]), Vec3([o, o, l])])
}
