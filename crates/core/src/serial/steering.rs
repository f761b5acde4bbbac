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

use super::kinematics::{Links, MovingOf, PoseOf, times};
use crate::algebra::{Vec3, solve};
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist, rotation_vector};

/// The least margin with which [`State::joint_acceleration`](crate::dynamics::State::joint_acceleration) answers. At this margin a joint moves a thousand times as fast as the
/// tool in its worst direction, and J Jᵀ has lost six of sixteen digits.
pub const TOOL_SINGULAR: f64 = 1e-6;

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'_, S, R, Q> {
    /// Whether the joints move the tool's whole frame, and not only its point.
    #[inline(always)]
    pub(crate) fn moves_frame(&self) -> bool {
        self.robot.path().count() >= 6
    }

    /// J⁺ y for the columns of the Jacobian, of the tool's whole frame or of its point, and the margin. Joints that do not move the tool stay;
    /// fewer than three that do have no margin: it is zero, or NaN.
    #[inline(always)]
    fn lift(&self, columns: &[Twist<S>], y: Twist<S>) -> (R::PerJoint<S>, S) {
        if self.moves_frame() { self.lift_rows::<6>(columns, y) } else { self.lift_rows::<3>(columns, y) }
    }

    #[inline(always)]
    fn lift_rows<const ROWS: usize>(&self, columns: &[Twist<S>], y: Twist<S>) -> (R::PerJoint<S>, S) {
        let entry = |row: usize, joint: usize| match row {
            0..3 => columns[joint].linear[row],
            _ => columns[joint].angular[row - 3],
        };
        let mut square = [[S::zero(); ROWS]; ROWS];
        for i in 0..ROWS {
            for j in 0..=i {
                for k in self.robot.path() {
                    square[i][j] = square[i][j] + entry(i, k) * entry(j, k);
                }
                square[j][i] = square[i][j];
            }
        }
        let y = y.components();
        let (weights, pivots) = solve(square, crate::array::from_fn(|i| y[i]));
        let mut margin = S::one();
        for i in 0..ROWS {
            let part = pivots[i] / square[i][i];
            // In this order NaN, which follows a pivot of zero, stays.
            margin = margin.select_lt(part, margin, part);
        }
        let mut lifted = self.robot.list(S::zero());
        for k in self.robot.path() {
            for (i, weight) in weights.iter().enumerate() {
                lifted.as_mut()[k] = lifted.as_ref()[k] + entry(i, k) * *weight;
            }
        }
        (lifted, margin)
    }

    /// How far the pose is from one in which the tool cannot go in every direction; 0 there, at most 1.
    #[inline(always)]
    pub fn tool_margin(&self) -> S {
        self.lift(self.jacobian().as_ref(), Twist::zero()).1
    }

    /// Of joint torques the part that does not press at the tool: none of joints that move it where these are three or six.
    #[inline(always)]
    pub(crate) fn null_space_part(&self, mut torque: R::PerJoint<S>) -> R::PerJoint<S> {
        if let 0..=3 | 6 = self.robot.path().count() {
            self.robot.path().for_each(|i| torque.as_mut()[i] = S::zero());
            return torque;
        }
        let columns = self.jacobian();
        let (pressing, _) = self.lift(columns.as_ref(), times(columns.as_ref(), torque.as_ref()));
        torque.as_mut().iter_mut().zip(pressing.as_ref()).for_each(|(torque, pressing)| *torque = *torque - *pressing);
        torque
    }
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> MovingOf<'_, S, R, Q> {
    /// (1): joint accelerations for an acceleration and an angular acceleration of the tool, base frame, near to `near`. With fewer than six
    /// joints before the tool the angular one is not heard. NaN within [`TOOL_SINGULAR`] of a singular pose.
    #[inline(always)]
    pub(crate) fn steered(&self, acceleration: Twist<S>, mut near: R::PerJoint<S>) -> R::PerJoint<S> {
        let missing = acceleration - self.tool_motion_at(near.as_ref()).2;
        let (more, margin) = self.pose.lift(self.pose.jacobian().as_ref(), missing);
        for (near, more) in near.as_mut().iter_mut().zip(more.as_ref()) {
            *near = margin.select_lt(S::from_f64(TOOL_SINGULAR), S::from_f64(f64::NAN), *near + *more);
        }
        near
    }
}

/// What a tool lacks of another one: pose and velocity, of its whole frame where the joints move it, else of its point.
#[inline(always)]
pub(crate) fn tool_error<S: Scalar>(
    whole: bool,
    (frame, there): (Frame<S>, Twist<S>),
    (here, now): (Frame<S>, Twist<S>),
) -> [Twist<S>; 2] {
    let turn = if whole { rotation_vector(here.rotation, frame.rotation) } else { Vec3::zero() };
    let spin = if whole { there.angular - now.angular } else { Vec3::zero() };
    [
        Twist { linear: frame.origin - here.origin, angular: turn },
        Twist { linear: there.linear - now.linear, angular: spin },
    ]
}
