//! The `f64` edge: margins become errors.

use super::{Body, LinkParameters, Moving, Pose, Serial, SerialParameters, ToolMotion};
use crate::algebra::Mat3;
use crate::parameter::{ParameterError, PartKind, ROUNDED_INERTIA};
use crate::spatial::Frame;
use thiserror::Error;

/// Why a state was refused. Joints are numbered from 1, as the columns `q1`, `q2` … are.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum SerialError {
    /// An input is NaN or infinite; components from 1.
    #[error("{what}{component} is {value}, not a finite number")]
    NotFinite { what: &'static str, component: usize, value: f64 },
    /// The joint moves nothing that has inertia: its acceleration is undetermined. The pivot is what it would have to move.
    #[error("joint {joint} moves no inertia ({pivot:.2e} kg m²): its acceleration is undetermined")]
    NoInertia { joint: usize, pivot: f64 },
}

/// Refuses NaN and infinity.
pub(crate) fn finite(what: &'static str, values: &[f64]) -> Result<(), SerialError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(SerialError::NotFinite { what, component: i + 1, value: values[i] }),
        None => Ok(()),
    }
}

/// Refuses accelerations of joints that have nothing to move, by their pivots.
pub(crate) fn check_pivots(pivots: &[f64], mass: impl Fn(usize) -> f64) -> Result<(), SerialError> {
    // Against rounding of the inertias that a pivot is the difference of.
    let nothing = |i: &usize| pivots[*i] <= 1e-14 * mass(*i).abs();
    // A pivot of zero makes others NaN: the zero is to blame.
    let n = pivots.len();
    match (0..n).rev().find(nothing).or((0..n).find(|&i| pivots[i].is_nan())) {
        Some(i) => Err(SerialError::NoInertia { joint: i + 1, pivot: pivots[i] }),
        None => Ok(()),
    }
}

impl<const N: usize> Serial<f64, N> {
    /// The arm with these parameters, if there can be such an arm.
    pub fn try_new(parameters: SerialParameters<f64, N>) -> Result<Self, ParameterError> {
        check(&parameters)?;
        Ok(Self::new(parameters))
    }

    /// The pose with the joints at `q`.
    pub fn at_joints(&self, q: [f64; N]) -> Result<Pose<'_, f64, N>, SerialError> {
        finite("q", &q)?;
        Ok(self.pose_unchecked(q))
    }
}

impl<'r, const N: usize> Pose<'r, f64, N> {
    /// With joint velocities that are checked to be finite.
    pub fn try_moving(self, qd: [f64; N]) -> Result<Moving<'r, f64, N>, SerialError> {
        finite("qd", &qd)?;
        Ok(self.moving(qd))
    }
}

impl<const N: usize> Moving<'_, f64, N> {
    /// The tool's frame, velocity and acceleration for accelerations that are checked to be finite.
    pub fn try_tool_motion(&self, qdd: [f64; N]) -> Result<ToolMotion<f64>, SerialError> {
        finite("qdd", &qdd)?;
        Ok(self.tool_motion(qdd))
    }

    /// Forward dynamics, unless a joint has nothing to move.
    pub fn try_acceleration(&self, torque: [f64; N]) -> Result<[f64; N], SerialError> {
        finite("tau", &torque)?;
        let (qdd, pivots) = self.acceleration_and_pivots(torque);
        let mass = self.pose.mass_matrix();
        check_pivots(&pivots, |i| mass[i][i])?;
        Ok(qdd)
    }
}

/// Signs and finiteness.
fn check<const N: usize>(p: &SerialParameters<f64, N>) -> Result<(), ParameterError> {
    PartKind::Link.ensure_each(|visit| { *p }.visit(visit))?;
    for (i, link) in p.links.iter().enumerate() {
        check_link(link, i, N)?;
    }
    check_base(p.base)?;
    check_rotation(p.tool.rotation, "tool.rotation", None)?;
    check_body(&p.payload, "payload.inertia", None)
}

/// Body, coupling and armature of a link, whose number is from 0, of so many.
pub(crate) fn check_link(link: &LinkParameters<f64>, i: usize, links: usize) -> Result<(), ParameterError> {
    let n = Some(i + 1);
    check_body(&link.body, "inertia", n)?;
    if let Some(coupling) = link.coupling {
        let [first, second] = coupling.joints;
        let is_other = |joint: usize| joint != i + 1 && joint <= links;
        let must = "the number of another joint";
        PartKind::Link.ensure(first != 0 && is_other(first), "coupling.joint", n, first as f64, must)?;
        let (field, must) = ("coupling.second_joint", "the number of a third joint");
        PartKind::Link.ensure(is_other(second) && second != first, field, n, second as f64, must)?;
        let must = "left out where the motor turns with several joints: its gyroscopic torques are not modelled";
        let carrier = link.armature.map_or(0.0, |armature| armature.carrier as f64);
        PartKind::Link.ensure(link.armature.is_none(), "armature.carrier", n, carrier, must)?;
    }
    if let Some(armature) = link.armature {
        let (carrier, must) = (armature.carrier as f64, "the base (0) or a link up to its own");
        PartKind::Link.ensure(armature.carrier <= i + 1, "armature.carrier", n, carrier, must)?;
        let length = armature.axis.norm_squared();
        PartKind::Link.ensure((length - 1.0).abs() < 1e-9, "armature.axis", n, length, "a unit vector")?;
    }
    Ok(())
}

pub(crate) fn check_base(base: Option<Frame<f64>>) -> Result<(), ParameterError> {
    base.map_or(Ok(()), |base| check_rotation(base.rotation, "base.rpy", None))
}

pub(crate) fn check_rotation(
    rotation: Mat3<f64>,
    field: &'static str,
    link: Option<usize>,
) -> Result<(), ParameterError> {
    let (off, determinant) = (rotation.off_orthonormal(), rotation.determinant());
    PartKind::Link.ensure(off < 1e-9 && determinant > 0.0, field, link, determinant, "a rotation")
}

/// A tensor of inertia has no negative eigenvalue; the last digits of a computed one are forgiven.
pub(crate) fn check_body(body: &Body<f64>, field: &'static str, link: Option<usize>) -> Result<(), ParameterError> {
    let [xx, yy, zz, xy, yz, xz] = body.inertia.entries();
    let most = xx.max(yy).max(zz);
    // What taking mass · distance² away leaves of zero is a share of either.
    let rounding = 1e-14 * (most + body.mass * body.center_of_mass.norm_squared()) + ROUNDED_INERTIA;
    for x in [xx, yy, zz] {
        PartKind::Link.ensure(x >= -rounding, field, link, x, "zero or positive on the diagonal, and finite")?;
    }
    let must = "such that no axis has negative inertia";
    for minor in [xx * yy - xy * xy, yy * zz - yz * yz, xx * zz - xz * xz] {
        PartKind::Link.ensure(minor >= -1e-9 * most * most - rounding * rounding, field, link, minor, must)?;
    }
    let whole = body.inertia.full().determinant();
    let least = -1e-9 * most * most * most - rounding * rounding * rounding;
    PartKind::Link.ensure(whole >= least, field, link, whole, must)
}
