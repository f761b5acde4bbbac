//! Inverse kinematics of paths with more joints than closed forms and their searches are for.
//!
//! Newton's method with the exact Jacobian, damped where it has to be (Levenberg 1944, Marquardt 1963): of all steps that bring the tool nearer the
//! shortest,
//!
//! ```text
//! δ = Jᵀ (J Jᵀ + λ 1)⁻¹ e                                                                                    (1)
//! ```
//!
//! with the way and the rotation vector e to the target, lengths over the length of the chain.

use super::{ChainRobot, NO_TWIST, reach, size};
use crate::algebra::solve;
use crate::robot::JointVector;
use crate::serial::REACHED;
use crate::spatial::{Frame, Twist, rotation_vector};

/// Steps of a search, and places from which one is begun.
const STEPS: usize = 200;
const STARTS: usize = 16;

/// Joints of the path that bring the tool to the target, from a seed or else from other places within the ranges; or what was missing at least.
pub(super) fn search(robot: &ChainRobot, target: &Frame<f64>, seed: &JointVector) -> Result<JointVector, Twist<f64>> {
    let length = reach(&robot.chain).max(f64::MIN_POSITIVE);
    let mut best: Option<(f64, Twist<f64>)> = None;
    for start in 0..STARTS {
        // Places that fill the ranges evenly: multiples of the golden ratio, another one for each joint.
        let place = |k: usize| {
            let share = (0.618_033_988_749_894_9 * (start * (k + 1)) as f64).fract() - 0.5;
            let [low, high] = robot.range(k);
            let width = if (high - low).is_finite() { high - low } else { std::f64::consts::TAU };
            seed[k] + if start == 0 { 0.0 } else { share * width }
        };
        let (q, missing) = refined(robot, target, JointVector::from_fn(seed.len(), place), length);
        let error = error(&missing, length);
        if error <= 10.0 * REACHED {
            return Ok(q);
        }
        if best.is_none_or(|(least, _)| error < least) {
            best = Some((error, missing));
        }
    }
    Err(best.map_or(Twist::zero(), |(_, missing)| missing))
}

fn error(missing: &Twist<f64>, length: f64) -> f64 {
    let error = (size(missing.linear) / length).max(size(missing.angular));
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Where a search from these joints ends, and what is missing there.
fn refined(robot: &ChainRobot, target: &Frame<f64>, start: JointVector, length: f64) -> (JointVector, Twist<f64>) {
    let all = JointVector::zero(robot.chain.joints());
    // The tool's way to the target, and the columns of J, lengths over that of the chain.
    let linearized = |q: &JointVector| {
        let all = robot.with_path(&all, q);
        let Ok(pose) = robot.chain.at_joints(&all) else { return (NO_TWIST, Vec::new()) };
        let tool = pose.tool();
        let missing =
            Twist { linear: target.origin - tool.origin, angular: rotation_vector(tool.rotation, target.rotation) };
        let jacobian = pose.jacobian();
        let scaled = |twist: Twist<f64>| Twist { linear: twist.linear * (1.0 / length), ..twist }.components();
        let columns = robot.chain.path().iter().map(|&i| scaled(jacobian[i])).collect::<Vec<[f64; 6]>>();
        (missing, columns)
    };
    let mut q = start;
    let (mut missing, mut columns) = linearized(&q);
    let mut damping = 1e-8;
    for _ in 0..STEPS {
        let now = error(&missing, length);
        if now <= 4.0 * f64::EPSILON || columns.is_empty() || damping > 1e4 {
            break;
        }
        let mut square = [[0.0; 6]; 6];
        for column in &columns {
            for i in 0..6 {
                for j in 0..6 {
                    square[i][j] += column[i] * column[j];
                }
            }
        }
        (0..6).for_each(|i| square[i][i] += damping);
        let right = Twist { linear: missing.linear * (1.0 / length), ..missing }.components();
        let (weights, _) = solve(square, right); // (1)
        let step = |column: &[f64; 6]| column.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f64>();
        let largest = columns.iter().map(step).fold(1.0_f64, |most, step| most.max(step.abs()));
        let next = JointVector::from_fn(q.len(), |k| q[k] + step(&columns[k]) / largest);
        let (left, new_columns) = linearized(&next);
        if error(&left, length) < now {
            (q, missing, columns) = (next, left, new_columns);
            damping = (0.1 * damping).max(1e-14);
        } else {
            damping *= 10.0;
        }
    }
    (q, missing)
}
