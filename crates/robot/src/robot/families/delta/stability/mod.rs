//! Whether a Delta stays where constant torques hold it: (1) of [`crate::robot::stability`] at its poses.
//!
//! S. A. Bortoff (CCTA 2018, IV-D) found a Delta unstable where its arms are near the horizontal. [`symmetric`] has the
//! condition in closed form.

mod equilibria;
pub mod symmetric;

pub use equilibria::equilibria;

use self::symmetric::{Heave, numerical_crossings};
use super::DeltaRobot;
use crate::delta::{Assembly, Branch, Delta, Pose};
use crate::friction::FrictionLaw;
use crate::linear::Matrix;
use crate::robot::own::padded;
use crate::robot::stability::{AtRest, Crossings, Equilibrium, Stability};
use crate::robot::{JointVector, Reason, StateError};
use crate::{Dual, Mat3, Vec3};

impl Stability for DeltaRobot {
    fn with_arms_at(&self, angle: f64) -> Option<AtRest> {
        let pose = self.delta.at_joints([angle; 3], Assembly::Below).ok()?;
        (pose.branches() == [Branch::Out; 3]).then(|| at_rest(&pose))
    }

    fn crossings(&self) -> Result<Crossings, StateError> {
        let refused = |error: symmetric::NotSymmetric| StateError::new(Reason::NoPose, error.to_string());
        let closed_form = Heave::of(&self.delta).map_err(refused)?.crossings();
        Ok(Crossings { closed_form, numerical: numerical_crossings(&self.delta).map_err(refused)? })
    }

    fn equilibria(&self, torque: &JointVector) -> Vec<Equilibrium> {
        equilibria(&self.delta, padded(torque), 16)
    }
}

/// The Delta at an equilibrium, as a linear system of second order.
pub fn at_rest(pose: &Pose<'_, f64>) -> AtRest {
    at_rest_of(&pose.robot.lift(), pose)
}

/// The same with the robot lifted before: for many poses of one robot.
pub fn at_rest_of(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> AtRest {
    let [mass, damping, stiffness] = [pose.mass_matrix(), damping(lifted, pose), stiffness(lifted, pose)]
        .map(|m| Matrix::from_fn(3, 3, |i, j| m[i][j]));
    AtRest { mass, damping, stiffness, rounding: 4.0 * f64::EPSILON }
}

/// K = (∂τ_g/∂X)(∂X/∂q), symmetric up to rounding and then made so.
///
/// On mixed elbow branches through the joints instead: there is no one inverse kinematics to differentiate.
fn stiffness(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> Mat3<f64> {
    let [a, b, c] = pose.branches();
    let k = if a == b && b == c {
        let torque = lifted.pose_unchecked(Vec3(Dual::variables(pose.position.0)), a).gravity_torque();
        Mat3::from_fn(|i, j| torque[i].derivative[j]).product(pose.inverse_jacobian())
    } else {
        let q = Dual::variables(pose.joints());
        let torque = lifted.pose_from_joints_unchecked(q, pose.assembly()).0.gravity_torque();
        Mat3::from_fn(|i, j| torque[i].derivative[j])
    };
    (k + k.transpose()) * 0.5
}

/// Of viscous friction and passive joints. Dry friction has no slope at rest: it holds, or it gives way.
fn damping(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> Mat3<f64> {
    let arms = &pose.robot.parameters().arms;
    let viscous = |i: usize| arms[i].motor.friction.map_or(0.0, |friction| friction.without_dry().slope(0.0));
    let motors = Mat3::from_fn(|i, j| if i == j { viscous(i) } else { 0.0 });
    if arms.iter().all(|arm| arm.passive_damping.is_none()) {
        return motors;
    }
    let q = pose.joints().map(Dual::constant);
    let still = lifted.pose_from_joints_unchecked(q, pose.assembly()).0.moving_joints(Dual::variables([0.0; 3]));
    let torque = still.passive_damping_torque();
    let d = Mat3::from_fn(|i, j| torque[i].derivative[j]);
    motors + (d + d.transpose()) * 0.5
}
