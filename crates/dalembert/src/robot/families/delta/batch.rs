//! Many states of a Delta at once, by its exact model.

use crate::Vec3;
use crate::batch::{ColumnsError, Formula, Groups, Lane, TILE, tiles};
use crate::delta::symmetric::{POSE_LEN, Symmetric, SymmetricPose};
use crate::delta::{Branch, Delta};
use std::array::from_fn;

/// Torques of position, velocity and acceleration of the platform, friction included: [`crate::delta::Moving::torque`] for each row.
pub(super) fn torques(
    robot: &Delta<f64>,
    states: Groups<'_, 3>,
    torques: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    match fast_path(robot) {
        Some(symmetric) => tiles(&Fast::<false>(symmetric), states, torques),
        None => tiles(&General::<false>(*robot), states, torques),
    }
}

/// Accelerations of the platform by its position and velocity, and the torques: [`crate::delta::Moving::acceleration`] for each row.
pub(super) fn accelerations(
    robot: &Delta<f64>,
    states: Groups<'_, 3>,
    accelerations: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    match fast_path(robot) {
        Some(symmetric) => tiles(&Fast::<true>(symmetric), states, accelerations),
        None => tiles(&General::<true>(*robot), states, accelerations),
    }
}

/// The formula for symmetric robots, where it is the whole story: it knows neither friction nor damping.
pub(super) fn fast_path(robot: &Delta<f64>) -> Option<Symmetric<f64>> {
    let frictionless =
        robot.parameters().arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none());
    robot.symmetric().filter(|_| frictionless)
}

/// Any robot: the readable formula, inverse or forward dynamics.
struct General<const FORWARD: bool>(Delta<f64>);

/// A symmetric robot, the same.
struct Fast<const FORWARD: bool>(Symmetric<f64>);

#[inline(always)]
fn row(columns: &[&Lane; 3], i: usize) -> Vec3<f64> {
    Vec3([columns[0][i], columns[1][i], columns[2][i]])
}

#[inline(always)]
fn store(output: &mut [Lane; 3], i: usize, result: [f64; 3]) {
    [output[0][i], output[1][i], output[2][i]] = result;
}

impl<const FORWARD: bool> Formula<3, 3, 3> for General<FORWARD> {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; 3], (): &mut ()) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            let moving = self.0.pose_unchecked(row(position, i), Branch::Out).moving(row(velocity, i));
            let third = row(third, i);
            store(output, i, if FORWARD { moving.acceleration(third.0).0 } else { moving.torque(third) });
        }
    }
}

impl<const FORWARD: bool> Formula<3, 3, 3> for Fast<FORWARD> {
    /// The poses of a tile, between the two stages.
    type Scratch = [Lane; POSE_LEN];

    #[inline(always)]
    fn scratch(&self) -> Self::Scratch {
        [[0.0; TILE]; POSE_LEN]
    }

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; 3], scratch: &mut Self::Scratch) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            let pose = self.0.pose(row(position, i)).to_array();
            for k in 0..POSE_LEN {
                scratch[k][i] = pose[k];
            }
        }
        // Plain loops: a closure per row would be a call per row.
        for i in 0..TILE {
            let pose = SymmetricPose::from_array(from_fn(|k| scratch[k][i]));
            let (velocity, third) = (row(velocity, i), row(third, i));
            let result = match FORWARD {
                true => self.0.acceleration_at(&pose, velocity, third.0).0,
                false => self.0.torque_at(&pose, velocity, third),
            };
            store(output, i, result);
        }
    }
}
