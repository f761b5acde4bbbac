//! From the tool back to the joints: accelerations that give the tool one, and torques in the null space, which leave it
//! alone.
//!
//! With six joints or more the tool is its whole frame, six rows of the Jacobian J; with fewer it is its point, three
//! rows. Of all joint accelerations that give the tool the acceleration a, the one nearest to a given q̈_0 is
//!
//! ```text
//! q̈ = q̈_0 + J⁺(a − J̇ q̇ − J q̈_0),   J⁺ = Jᵀ(J Jᵀ)⁻¹                                                          (1)
//! ```
//!
//! which with as many joints as rows is J⁻¹(a − J̇ q̇) whatever q̈_0 is. Torques (1 − J⁺J) τ_0 press nowhere at the tool:
//! (J Jᵀ)⁻¹ J of them is zero.
//!
//! The margin is the least pivot of J Jᵀ over its diagonal entry: sin² of the angle between a row of J and those before
//! it. It has no unit, and it is zero exactly where the tool cannot go in every direction.

use super::{Moving, Pose};
use crate::algebra::solve;
use crate::scalar::Scalar;
use crate::spatial::Twist;

/// The least margin with which [`Moving::joint_acceleration`] answers. At this margin a joint moves a thousand times as fast as the
/// tool in its worst direction, and J Jᵀ has lost six of sixteen digits.
pub const TOOL_SINGULAR: f64 = 1e-6;

/// J⁺ y for the columns of a Jacobian, of the tool's whole frame or of its point, and the margin.
#[inline(always)]
pub(crate) fn lift<S: Scalar>(frame: bool, column: impl Fn(usize) -> Twist<S>, y: Twist<S>, lifted: &mut [S]) -> S {
    if frame { lift_rows::<S, 6>(column, y, lifted) } else { lift_rows::<S, 3>(column, y, lifted) }
}

#[inline(always)]
fn lift_rows<S: Scalar, const R: usize>(column: impl Fn(usize) -> Twist<S>, y: Twist<S>, lifted: &mut [S]) -> S {
    let n = lifted.len();
    let entry = |row: usize, joint: usize| match row {
        0..3 => column(joint).linear[row],
        _ => column(joint).angular[row - 3],
    };
    let mut square = [[S::zero(); R]; R];
    for i in 0..R {
        for j in 0..=i {
            for k in 0..n {
                square[i][j] = square[i][j] + entry(i, k) * entry(j, k);
            }
            square[j][i] = square[i][j];
        }
    }
    let y = y.components();
    let (weights, pivots) = solve(square, core::array::from_fn(|i| y[i]));
    let mut margin = S::one();
    for i in 0..R {
        let part = pivots[i] / square[i][i];
        // In this order NaN, which follows a pivot of zero, stays.
        margin = margin.select_lt(part, margin, part);
    }
    for k in 0..n {
        lifted[k] = S::zero();
        for (i, weight) in weights.iter().enumerate() {
            lifted[k] = lifted[k] + entry(i, k) * *weight;
        }
    }
    margin
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// Whether the joints move the tool's whole frame, and not only its point.
    pub const FRAME: bool = N >= 6;

    /// J⁺ y with its margin. Fewer than three joints have none: the margin is zero, or NaN.
    #[inline(always)]
    fn lift(&self, y: Twist<S>) -> ([S; N], S) {
        let (jacobian, mut lifted) = (self.jacobian(), [S::zero(); N]);
        let column = |k: usize| Twist { linear: jacobian.linear[k], angular: jacobian.angular[k] };
        let margin = lift(Self::FRAME, column, y, &mut lifted);
        (lifted, margin)
    }

    /// How far the pose is from one in which the tool cannot go in every direction; 0 there, at most 1.
    pub fn tool_margin(&self) -> S {
        self.lift(Twist::zero()).1
    }

    /// Of joint torques the part that does not press at the tool: none with three or six joints.
    #[inline(always)]
    pub fn null_space_torque(&self, torque: [S; N]) -> [S; N] {
        if N <= 3 || N == 6 {
            return [S::zero(); N];
        }
        let (pressing, _) = self.lift(self.jacobian().times(torque));
        core::array::from_fn(|i| torque[i] - pressing[i])
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// (1): joint accelerations for an acceleration and an angular acceleration of the tool, base frame, near to `near`.
    /// With fewer than six joints the angular one is not heard. NaN within [`TOOL_SINGULAR`] of a singular pose.
    #[inline(always)]
    pub fn joint_acceleration(&self, tool: Twist<S>, near: [S; N]) -> [S; N] {
        let (more, margin) = self.pose.lift(tool - self.tool_acceleration(near));
        core::array::from_fn(|i| {
            let qdd = near[i] + more[i];
            margin.select_lt(S::from_f64(TOOL_SINGULAR), S::from_f64(f64::NAN), qdd)
        })
    }
}
