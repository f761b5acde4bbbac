//! Linear models of robots and mechanisms about a state: an equilibrium, or any point of a motion.
//!
//! The matrices come from exact derivatives ([`crate::Dual`]) of the same formulas that simulate and control; nothing is
//! differenced. What can be asked of a linear model is in [`crate::linear`].
//!
//! ```
//! use dalembert::analyze::linearize::{Coordinates, Output, delta_at_rest};
//! use dalembert::{delta::Assembly, Vec3, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let pose = robot.at_joints(Vec3([0.0; 3]), Assembly::Below)?;
//! let model = delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
//! // Arms horizontal: the platform falls away with a time constant of a third of a second (Bortoff 2018, IV-D).
//! assert!((model.poles()?[0].re - 2.95).abs() < 0.005);
//! # Ok(()) }
//! ```

mod baumgarte;
mod mechanism;
mod models;

pub use baumgarte::delta_baumgarte;
pub use mechanism::{Observed, mechanism};
pub use models::{Coordinates, Output, arm, delta, delta_at_rest};

use crate::arm::ArmError;
use crate::delta::KinematicsError;
use crate::linear::LinearError;
use crate::mechanism::MechanismError;

/// Why there is no linear model about this state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LinearizeError {
    #[error(transparent)]
    Kinematics(#[from] KinematicsError),
    #[error(transparent)]
    Arm(#[from] ArmError),
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    #[error(transparent)]
    Linear(#[from] LinearError),
    #[error(
        "the elbows are on different branches here: platform coordinates need one branch, joint coordinates do not"
    )]
    MixedBranches,
    #[error("part `{part}` has coordinates that are not the integrals of its velocities: observe one of its points")]
    NotPlain { part: String },
}
