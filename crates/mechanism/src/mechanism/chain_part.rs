//! An open chain as a part of mechanisms.

use super::part::MechanismPart;
use super::{Mechanism, MechanismError, PartId};
use crate::chain::Chain;
use crate::spatial::Frame;
use crate::{Scalar, Vec3};

/// A chain on its base; its coordinates are the joints. Body 0 is the tool, bodies 1, 2 … are the links, in the frames that the chain's
/// convention attaches to them. The mechanism's gravity counts, not the chain's; friction belongs to the motors ([`add_arm`]).
#[derive(Clone, Debug)]
pub struct ChainPart {
    chain: Chain<f64>,
    base: Frame<f64>,
}

impl ChainPart {
    /// The chain on a base.
    pub fn new(chain: impl Into<Chain<f64>>, base: Frame<f64>) -> Self {
        Self { chain: chain.into(), base }
    }

    /// In the mechanism's gravity, as the chain's base frame sees it.
    fn under<S: Scalar>(&self, gravity: Vec3<S>) -> Chain<S> {
        self.chain.lift().with_gravity(self.base.rotation.transpose().map(S::from_f64) * gravity)
    }
}

impl MechanismPart for ChainPart {
    fn coordinates(&self) -> usize {
        self.chain.joints()
    }
    fn bodies(&self) -> usize {
        self.chain.joints() + 1
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        let chain = self.chain.lift();
        let moving = chain.at_joints(q).and_then(|pose| pose.moving(rate));
        moving.map_or(S::from_f64(f64::NAN), |moving| moving.kinetic_energy())
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        let chain = self.under(gravity);
        chain.at_joints(q).map_or(S::from_f64(f64::NAN), |pose| pose.potential_energy())
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let chain = self.chain.lift();
        let frame = chain.at_joints(q).ok().and_then(|pose| match body.checked_sub(1) {
            None => Some(pose.tool()),
            Some(link) => pose.frames().get(link).copied(),
        });
        let none = || Frame::at(Vec3([S::from_f64(f64::NAN); 3]));
        self.base.map(S::from_f64).point(frame.unwrap_or_else(none).point(offset))
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let chain = self.under(gravity);
        let Ok(pose) = chain.at_joints(q) else { return false };
        mass.copy_from_slice(&pose.mass_matrix());
        let still = vec![S::zero(); v.len()];
        match pose.moving(v).and_then(|moving| moving.rigid_torque(&still)) {
            Ok(torque) => bias.copy_from_slice(&torque),
            Err(_) => return false,
        }
        true
    }
}

/// Adds a chain on a base, with a motor and its friction on every joint.
pub fn add_arm(
    mechanism: &mut Mechanism,
    name: &str,
    chain: impl Into<Chain<f64>>,
    base: Frame<f64>,
) -> Result<PartId, MechanismError> {
    let chain = chain.into();
    let frictions: Vec<_> = chain.links().iter().map(|link| link.friction).collect();
    let part = mechanism.add(name, ChainPart::new(&chain, base));
    for (joint, friction) in frictions.into_iter().enumerate() {
        mechanism.drive_with(part, joint, friction)?;
    }
    Ok(part)
}
