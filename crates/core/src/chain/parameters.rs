//! A chain as it is described.
//!
//! Between the frame of the link before and the row of Denavit and Hartenberg may stand a mount M, so that several joints may be anywhere on
//! one link:
//!
//! ```text
//! modified: frame before → M Rx(α) Tx(a) Rz(θ) Tz(d) → frame of the link, which is that of its joint
//! standard: frame before → M Rz(θ) Tz(d) → frame of the joint → Tx(a) Rx(α) → frame of the link
//! ```

use crate::parameter::Must::Finite;
use crate::parameter::Tolerance::{self, Amount};
use crate::parameter::{
    AXES, ByFunction, ByVisit, Convert, Field, ParameterError, PartKind, Place, ROLL_PITCH_YAW, Unit, Visit,
};
use crate::scalar::Scalar;
use crate::serial::check::{check_base, check_body, check_link, check_rotation};
use crate::serial::parameters::{PAYLOAD, TOOL};
use crate::serial::{Body, LinkParameters, SerialParameters};
use crate::spatial::Frame;
use std::vec::Vec;

/// Where the row of a link starts.
static MOUNT: [Field; 2] = [
    Field::new("mount.position", "o", "position of the mount", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("mount.rpy", "o", "orientation of the mount", Unit::Angle, Finite, Tolerance::Angle)
        .with_components(&ROLL_PITCH_YAW),
];

/// Whose tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOwner {
    /// The tool of the whole chain, on the last link.
    Whole,
    /// That of a link, from 0.
    Link(usize),
}

/// A tool and what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipParameters<S> {
    /// Its frame in the frame of its link.
    pub frame: Frame<S>,
    /// What is carried, in the tool's frame.
    pub payload: Body<S>,
}

/// A link of a chain with the joint before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchParameters<S> {
    /// As of a serial arm.
    pub link: LinkParameters<S>,
    /// The link that it hangs on: 0 is the base, 1 the first link.
    pub parent: usize,
    /// Where its row starts, in the frame of that link, if not in that frame itself.
    pub mount: Option<Frame<S>>,
    /// A tool of its own.
    pub tip: Option<TipParameters<S>>,
}

/// A chain as it is described.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainParameters<S> {
    /// The links, each after its parent.
    pub links: Vec<BranchParameters<S>>,
    /// What belongs to no link: convention, gravity, and the tool and the payload of the last link.
    pub whole: SerialParameters<S, 0>,
}

impl<S: Scalar> BranchParameters<S> {
    fn convert<T: Scalar>(
        &self,
        link: LinkParameters<T>,
        place: Place,
        each: &mut dyn Convert<S, T>,
    ) -> BranchParameters<T> {
        BranchParameters {
            link,
            parent: self.parent,
            mount: self.mount.map(|mount| each.frame(&MOUNT, place, mount)),
            tip: self.tip.map(|tip| TipParameters {
                payload: tip.payload.convert(&PAYLOAD, place, each),
                frame: each.frame(&TOOL, place, tip.frame),
            }),
        }
    }

    /// Visits every number of the link.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        self.link.visit(place, visit);
        self.visit_attached(place, visit);
    }

    /// Those that a link of a serial arm has not: mount, tool and what that carries.
    pub fn visit_attached(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        *self = self.convert(self.link, place, &mut ByVisit(visit));
    }
}

impl<S: Scalar> ChainParameters<S> {
    /// Visits every number, link by link, then those of the whole chain.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        for (i, branch) in self.links.iter_mut().enumerate() {
            branch.visit(Place::part(i), visit);
        }
        self.whole.visit(visit);
    }

    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> ChainParameters<T> {
        let (place, each) = (Place::WHOLE, &mut ByFunction(f));
        let links = self.links.iter().map(|own| own.convert(own.link.convert(place, each), place, each)).collect();
        ChainParameters { links, whole: self.whole.map(f) }
    }
}

impl ChainParameters<f64> {
    /// Refuses numbers that no chain can have.
    pub fn check(&self) -> Result<(), ParameterError> {
        for (i, branch) in self.links.iter().enumerate() {
            let link = Some(i + 1);
            PartKind::Link.ensure_each(|visit| { *branch }.visit(Place::part(i), visit))?;
            check_link(&branch.link, i, self.links.len())?;
            if let Some(mount) = &branch.mount {
                check_rotation(mount.rotation, "mount.rpy", link)?;
            }
            if let Some(tip) = &branch.tip {
                check_rotation(tip.frame.rotation, "tool.rpy", link)?;
                check_body(&tip.payload, "payload.inertia", link)?;
            }
        }
        PartKind::Link.ensure_each(|visit| { self.whole }.visit(visit))?;
        check_base(self.whole.base)?;
        check_rotation(self.whole.tool.rotation, "tool.rotation", None)?;
        check_body(&self.whole.payload, "payload.inertia", None)
    }
}
