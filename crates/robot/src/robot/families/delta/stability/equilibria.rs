//! All poses that a given constant torque holds.

use super::at_rest;
use crate::algebra::difference;
use crate::delta::{Assembly, Branch, Delta};
use crate::robot::stability::Equilibrium;
use crate::{Dual, Mat3, Vec3};

/// The equilibria with elbows out and platform below that Newton's method finds from `starts`³ (at most 100³) joint angles
/// spread over a whole turn, sorted by height, the lowest first. What no start leads to is not found; joint ranges are not
/// looked at.
pub fn equilibria(robot: &Delta<f64>, torque: [f64; 3], starts: u32) -> Vec<Equilibrium> {
    let lifted: Delta<Dual<f64, 3>> = robot.lift();
    let starts = starts.clamp(1, 100);
    let at = |k: u32| std::f64::consts::PI * ((2.0 * f64::from(k) + 1.0) / f64::from(starts) - 1.0);
    let mut found: Vec<Equilibrium> = Vec::new();
    for number in 0..starts.pow(3) {
        let start = [number % starts, number / starts % starts, number / starts / starts].map(at);
        let Some(q) = newton(robot, &lifted, torque, start) else { continue };
        let apart = |other: &Equilibrium| Vec3::from_fn(|i| other.joints[i] - q[i]).norm_squared();
        if found.iter().any(|other| apart(other) < 1e-12) {
            continue;
        }
        let Ok(pose) = robot.at_joints(q, Assembly::Below) else { continue };
        found.push(Equilibrium::of(q.into(), pose.tool(), &at_rest(&pose)));
    }
    found.sort_by(|a, b| a.position[2].total_cmp(&b.position[2]));
    found
}

fn newton(robot: &Delta<f64>, lifted: &Delta<Dual<f64, 3>>, torque: [f64; 3], start: [f64; 3]) -> Option<[f64; 3]> {
    let mut q = start;
    for _ in 0..50 {
        let pose = robot.at_joints(q, Assembly::Below).ok()?;
        if pose.branches() != [Branch::Out; 3] {
            return None;
        }
        let along = lifted.pose_from_joints_unchecked(Dual::variables(q), Assembly::Below).0.gravity_torque();
        let unbalanced = Vec3(difference(along.map(|t| t.value), torque));
        let step = Mat3::from_fn(|i, j| along[i].derivative[j]).solve(unbalanced);
        let size = step.norm_squared().sqrt();
        if size < 1e-12 {
            return Some(pose.joints()); // within a turn
        }
        // Not farther at once than an arm's width: the region is small and its rim singular.
        q = difference(q, (step * (0.3 / size).min(1.0)).0);
    }
    None
}
