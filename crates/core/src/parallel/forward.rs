//! The platform of given joints: Newton's method on the lengths of the rods,
//!
//! ```text
//! f_i = (|X + r_i − C_i|² − L_i²)/2 = 0,      ∂f_i = (s_i, r_i × s_i)
//! ```
//!
//! with the exact Jacobian, which is B. A step turns the platform by Cayley's rotation, so that it stays a rotation. From a
//! platform that is right to first order one step gives the exact derivatives of any scalar that carries them.
//!
//! Whether the method converges, and to which of the platforms that the joints allow, is decided before it runs, by Kantorovich
//! (Ortega & Rheinboldt 1970, 12.6.2): with β ≥ |B⁻¹|, η the length of the first step and γ a Lipschitz constant of the
//! Jacobian about it, h = β γ η ≤ ½ proves that there is one platform within 2η of the start and that the method goes there.

use super::kinematics::twist;
use super::{Guide, Parallel, Pose};
use crate::algebra::Mat3;
use crate::array::map;
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist};

/// A frame after a small motion: moved, and turned by Cayley's rotation about the base's axes.
#[inline(always)]
fn moved<S: Scalar>(frame: &Frame<S>, by: Twist<S>, turns: bool) -> Frame<S> {
    let origin = frame.origin + by.linear;
    if !turns {
        return Frame { rotation: frame.rotation, origin };
    }
    let half = Mat3::skew(by.angular.map(|x| x.times(0.5)));
    let scale = S::from_f64(2.0) / (S::one() + by.angular.norm_squared().times(0.25));
    let turn = Mat3::diagonal(S::one()) + (half + half.product(half)) * scale;
    Frame { rotation: turn.product(frame.rotation), origin }
}

/// The rotation next to a matrix that is nearly one.
#[inline(always)]
pub(super) fn orthonormal<S: Scalar>(r: Mat3<S>) -> Mat3<S> {
    r.product(Mat3::diagonal(S::from_f64(1.5)) - r.transpose().product(r) * S::from_f64(0.5))
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// f: by how much the squares of the rods' lengths are off, m².
    #[inline(always)]
    fn misfit(&self) -> [S; N] {
        crate::array::from_fn(|i| {
            let length = match self.robot.legs[i].guide {
                Guide::Strut { .. } => self.legs[i].joint[0],
                _ => self.robot.legs[i].length,
            };
            (self.legs[i].rod.norm_squared() - length.square()).times(0.5)
        })
    }
}

impl<S: Scalar, const N: usize> Parallel<S, N> {
    /// The platform after one of Newton's steps.
    #[inline(always)]
    pub(super) fn corrected(&self, near: Frame<S>, q: [S; N]) -> Frame<S> {
        let pose = self.pose_of_both(near, q);
        moved(&near, twist(pose.factors().solve(map(pose.misfit(), |f| -f))), Self::TURNS)
    }

    /// The platform of joints after so many steps from `near`, and the sum of the squares of f_i/|s_i|² that is left.
    #[inline(always)]
    pub fn pose_from_joints_unchecked(&self, q: [S; N], near: Frame<S>, steps: usize) -> (Pose<'_, S, N>, S) {
        let pose = self.pose_of_both((0..steps).fold(near, |near, _| self.corrected(near, q)), q);
        let mut miss = S::zero();
        for (f, leg) in pose.misfit().into_iter().zip(&pose.legs) {
            miss = miss + (f / leg.rod.norm_squared()).square();
        }
        (pose, miss)
    }
}

/// One step of Newton's method, and what is known of those that follow.
pub(super) struct NewtonStep {
    pub next: Frame<f64>,
    /// Kantorovich's h.
    pub bound: f64,
    /// η, m: how far the step goes.
    pub length: f64,
    /// l, m: what turning by one radian counts as.
    pub lever: f64,
}

impl<const N: usize> Parallel<f64, N> {
    /// The step from a platform towards that of joints. Lengths are measured in the platform's own size l: turning by θ moves
    /// as much as l θ does.
    pub(super) fn step(&self, near: Frame<f64>, q: [f64; N]) -> NewtonStep {
        let pose = self.pose_of_both(near, q);
        let factors = pose.factors();
        let lever = pose.legs.iter().map(|leg| leg.lever.norm_squared()).fold(0.0, f64::max);
        let l = if Self::TURNS && lever > 0.0 { libm::sqrt(lever) } else { 1.0 };
        let norm = |x: [f64; N]| {
            let square = |(k, x): (usize, f64)| if k < 3 { x * x } else { (x * l) * (x * l) };
            libm::sqrt(x.into_iter().enumerate().map(square).sum::<f64>())
        };
        let step = factors.solve(map(pose.misfit(), |f| -f));
        let length = norm(step);
        // |B⁻¹| by Frobenius.
        let beta = factors.inverse_norm_squared(crate::array::from_fn(|k| if k < 3 { 1.0 } else { l }));
        // The second derivative of f_i along a unit direction (v, lω): |v + ω × r|² + s·r̈ with |v + ω × r| ≤ √2 and, for a
        // rotation that changes steadily in its vector, |r̈| ≤ 2|r|/l² ≤ 2/l; s grows by at most 2·2η on the way.
        let mut gamma = 0.0;
        for leg in &pose.legs {
            let rod = libm::sqrt(leg.rod.norm_squared()) + 4.0 * length;
            let second = if Self::TURNS { 2.0 + 2.0 * rod / l } else { 1.0 };
            gamma += second * second;
        }
        let bound = libm::sqrt(beta) * libm::sqrt(gamma) * length;
        NewtonStep { next: moved(&near, twist(step), Self::TURNS), bound, length, lever: l }
    }

    /// The misfit of a platform and joints, as a share of the rods' lengths.
    pub(super) fn relative_misfit(&self, tool: Frame<f64>, q: [f64; N]) -> f64 {
        let pose = self.pose_of_both(tool, q);
        let shares = pose.misfit().into_iter().zip(&pose.legs).map(|(f, leg)| (f / leg.rod.norm_squared()).abs());
        shares.fold(0.0, |most: f64, share| if share <= most { most } else { share })
    }
}
