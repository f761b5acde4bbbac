//! Newton's method with the exact Jacobian, damped where it has to be (Levenberg 1944, Marquardt 1963), and its starts.
//!
//! The error of a pose is the way and the rotation vector to the target, the way over the length of the arm:
//!
//! ```text
//! min |J δ − e|² + λ |δ|²   over the joints that are not held                                               (1)
//! ```
//!
//! (with an arm angle ψ, whose error is a seventh row)
//! by Gram–Schmidt, each column twice, so that the digits are those of J and not of JᵀJ.

use super::Solution;
use super::arm_angle::ArmAngle;
use super::chain::{MAX_JOINTS, ScrewChain, apart, size};
use crate::array::map;
use crate::spatial::{Frame, Twist};

/// Rows of (1): the pose, the arm angle and the damping.
const ROWS: usize = 7 + MAX_JOINTS;

/// What is solved for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub chain: &'a ScrewChain,
    /// Which joints move; the others are held.
    pub moving: [bool; MAX_JOINTS],
    /// The arm angle that stays, rad.
    pub angle: Option<(&'a ArmAngle, f64)>,
}

/// The missing way, over the length of the arm, and angle: the larger one.
pub(super) fn error(missing: &Twist<f64>, length: f64) -> f64 {
    let [way, angle] = [size(missing.linear) / length, size(missing.angular)];
    if way.is_nan() || angle.is_nan() { f64::INFINITY } else { way.max(angle) }
}

/// The columns of J, and the row of the arm angle.
type Matrix = ([Twist<f64>; MAX_JOINTS], [f64; MAX_JOINTS]);

impl Task<'_> {
    /// The tool, J, and how far the arm angle is off.
    fn linearised(&self, q: &[f64; MAX_JOINTS]) -> (Frame<f64>, Matrix, f64) {
        let (tool, columns) = self.chain.linearised(q);
        let (row, off) = match self.angle {
            Some((angle, goal)) => {
                let now = angle.at(self.chain, q).unwrap_or(f64::NAN);
                (angle.gradient(self.chain, q), libm::remainder(goal - now, 2.0 * core::f64::consts::PI))
            }
            None => ([0.0; MAX_JOINTS], 0.0),
        };
        (tool, (columns, row), off)
    }

    /// Joint velocities for a twist of the tool and a rate of the arm angle, and the margin of J.
    pub fn rates(&self, q: &[f64; MAX_JOINTS], twist: &Twist<f64>, angle: f64) -> ([f64; MAX_JOINTS], f64) {
        let (_, matrix, _) = self.linearised(q);
        least_squares(&matrix, &self.moving, self.chain.length, (twist, angle), 0.0)
    }
}

/// The solution of (1), and the margin of J.
fn least_squares(
    (columns, angles): &Matrix,
    used: &[bool; MAX_JOINTS],
    length: f64,
    (right, angle): (&Twist<f64>, f64),
    damping: f64,
) -> ([f64; MAX_JOINTS], f64) {
    let row = |twist: &Twist<f64>, angle: f64| {
        let mut row = [0.0; ROWS];
        row[..6].copy_from_slice(&Twist { linear: twist.linear * (1.0 / length), angular: twist.angular }.components());
        row[6] = angle;
        row
    };
    let dot = |a: &[f64; ROWS], b: &[f64; ROWS]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut q: [[f64; ROWS]; MAX_JOINTS] = crate::array::from_fn(|i| row(&columns[i], angles[i]));
    let mut rest = row(right, angle);
    let mut r = [[0.0; MAX_JOINTS]; MAX_JOINTS];
    let mut x = [0.0; MAX_JOINTS];
    let mut margin = 1.0_f64;
    for k in (0..MAX_JOINTS).filter(|k| used[*k]) {
        q[k][7 + k] = damping;
        let norm = libm::sqrt(dot(&q[k], &q[k]));
        for _ in 0..2 {
            for j in (0..k).filter(|j| used[*j]) {
                let share = dot(&q[j], &q[k]);
                r[j][k] += share;
                for i in 0..ROWS {
                    q[k][i] -= share * q[j][i];
                }
            }
        }
        r[k][k] = libm::sqrt(dot(&q[k], &q[k]));
        margin = margin.min(if norm > 0.0 { r[k][k] / norm } else { 0.0 });
        if r[k][k] <= 1e-15 * norm || norm == 0.0 {
            r[k][k] = 0.0;
            q[k] = [0.0; ROWS];
            continue;
        }
        q[k] = map(q[k], |entry| entry / r[k][k]);
        x[k] = dot(&q[k], &rest);
        for i in 0..ROWS {
            rest[i] -= x[k] * q[k][i];
        }
    }
    for k in (0..MAX_JOINTS).rev().filter(|k| used[*k]) {
        let known: f64 = (k + 1..MAX_JOINTS).map(|j| r[k][j] * x[j]).sum();
        x[k] = if r[k][k] > 0.0 { (x[k] - known) / r[k][k] } else { 0.0 };
    }
    (x, margin)
}

/// From joints near a solution, or from anywhere, to where the pose is nearest to the target. Held joints stay.
pub(super) fn refined(task: &Task<'_>, target: &Frame<f64>, start: &[f64; MAX_JOINTS], steps: usize) -> Solution {
    // An error that is rounding: some six products of rotations.
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    let mut q = *start;
    let (chain, moving) = (task.chain, &task.moving);
    let (tool, mut matrix, mut off) = task.linearised(&q);
    let mut missing = apart(&tool, target);
    let square = |missing: &Twist<f64>, off: f64| {
        let sum = missing.linear.norm_squared() / (chain.length * chain.length) + missing.angular.norm_squared();
        let sum = sum + off * off;
        if sum.is_nan() { f64::INFINITY } else { sum }
    };
    let mut damping = 0.0;
    for _ in 0..steps {
        let now = square(&missing, off);
        if error(&missing, chain.length).max(off.abs()) <= ROUNDING {
            break;
        }
        let (mut step, _) = least_squares(&matrix, moving, chain.length, (&missing, off), damping);
        // No joint by more than a radian, or the length of the arm, at once.
        let scaled = |i: usize| if chain.screws[i].turns { step[i] } else { step[i] / chain.length };
        let largest = (0..chain.joints).fold(0.0_f64, |m, i| m.max(scaled(i).abs()));
        if largest > 1.0 {
            step = map(step, |x| x / largest);
        }
        let mut next = q;
        next.iter_mut().zip(step).for_each(|(q, step)| *q += step);
        let (tool, new_matrix, new_off) = task.linearised(&next);
        let new_missing = apart(&tool, target);
        if square(&new_missing, new_off) < now {
            let gained = square(&new_missing, new_off) < 0.9 * now;
            (q, matrix, missing, off) = (next, new_matrix, new_missing, new_off);
            damping = if damping < 1e-3 { 0.0 } else { 0.2 * damping };
            if !gained && largest < 1e-13 {
                break;
            }
        } else {
            if damping > 1e2 || largest < 1e-15 {
                break;
            }
            damping = if damping == 0.0 { 1e-3 } else { 4.0 * damping };
        }
    }
    let margin = least_squares(&matrix, moving, chain.length, (&missing, off), 0.0).1;
    Solution { q, missing, margin }
}

/// The point of Halton's sequence with this index, from 1, in the unit cube.
pub(super) fn halton(index: usize) -> [f64; MAX_JOINTS] {
    const PRIMES: [usize; MAX_JOINTS] = [2, 3, 5, 7, 11, 13, 17, 19];
    map(PRIMES, |base| {
        let (mut rest, mut share, mut sum) = (index, 1.0, 0.0);
        while rest > 0 {
            share /= base as f64;
            sum += share * (rest % base) as f64;
            rest /= base;
        }
        sum
    })
}
