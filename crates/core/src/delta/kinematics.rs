//! Position, velocity and acceleration of platform and joints, both ways, in closed form.
//!
//! Sources: the loop closure |s_i|² = L_B² of Codourey 1998, (28)–(38), and Asadi & Heydari 2020, (4)–(12).
//!
//! | symbol | here | what |
//! | --- | --- | --- |
//! | `φ_i`, `R` | `arm.cos`, `arm.sin`, `arm.radius` | azimuth; base radius − platform radius |
//! | `p`, `t` | `radial`, `lateral` | platform seen from the motor axis: in the arm's plane, across it |
//! | `s_i` (Codourey), `U_i` (Asadi) | `rod` | elbow → platform |
//! | `−b_i` (Codourey), `T_i` (Asadi) | `tangent` | e′ = ∂elbow/∂q |
//! | `w` | `transmission` | s·e′, so that w q̇ = s·Ẋ |
//! | `h` | `h` | (p² + t² + z² + `L_A`² − `L_B`²)/2 = `L_A`(p cos q − z sin q) |
//!
//! What differs from the papers: the inverse kinematics never forms an angle. In the arm's plane the closure reads
//! `h = L_A(p cos q − z sin q)` and the transmission is `w = −L_A(p sin q + z cos q)`, so `h² + w² = L_A²(p² + z²)`:
//! the root of the quadratic *is* the transmission, and
//!
//! ```text
//! w = ±√(L_A² r² − h²),  L_A cos q = (p h − z w)/r²,  L_A sin q = −(z h + p w)/r²,  r² = p² + z²
//! ```
//!
//! which is free of the 0/0 cases that Codourey (§4.2) warns of: the only one left is r = 0, the platform joint on
//! the motor axis, where q is truly undetermined.

use super::{Arm, Delta};
use crate::algebra::{Mat3, Vec3, difference, three};
use crate::array::map;
use crate::scalar::Scalar;

/// Which of the two elbow positions that reach the same platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Branch {
    /// Elbows out, w > 0: the usual working branch.
    #[default]
    Out,
    /// Elbows in, w < 0.
    In,
}

impl Branch {
    /// Of w.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Out { 1.0 } else { -1.0 }
    }
}

/// Which of the two platform positions that the same elbows allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assembly {
    /// Below the plane through the elbows (towards −z of the base frame).
    #[default]
    Below,
    /// Above it.
    Above,
}

/// One arm at a pose.
#[derive(Clone, Copy, Debug)]
pub struct ArmPose<S> {
    /// p: from the motor axis to the platform joint, along the arm's azimuth, m.
    pub radial: S,
    /// t: the same across the arm's plane, m.
    pub lateral: S,
    /// h = `L_A`(p cos q − z sin q), m².
    pub h: S,
    /// cos q.
    pub cos_q: S,
    /// sin q.
    pub sin_q: S,
    /// w = s·e′, m²: zero where the arm and its rod line up (type-1 singularity).
    pub transmission: S,
    /// Margin of the reach: w² before the root, m⁴. Negative: this arm cannot reach the platform.
    pub discriminant: S,
    /// Elbow (with the platform shrunk to a point), base frame, m.
    pub elbow: Vec3<S>,
    /// e′ = ∂elbow/∂q, m.
    pub tangent: Vec3<S>,
    /// e″ = ∂²elbow/∂q², m.
    pub curvature: Vec3<S>,
    /// s: elbow → platform, m.
    pub rod: Vec3<S>,
    /// Row of the Jacobian, j = s/w, so that q̇ = j·Ẋ, 1/m.
    pub jacobian: Vec3<S>,
}

/// The robot at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'r, S> {
    /// The robot.
    pub robot: &'r Delta<S>,
    /// Platform centre, base frame, m.
    pub position: Vec3<S>,
    /// The arms.
    pub arms: [ArmPose<S>; 3],
}

/// The motion of one arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmMotion<S> {
    /// Joint velocity, rad/s.
    pub qd: S,
    /// ṡ: velocity of the platform relative to the elbow, m/s.
    pub rod_velocity: Vec3<S>,
    /// κ of w q̈ = s·Ẍ + κ, m²/s².
    pub kappa: S,
}

/// The robot at a pose with a velocity.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'r, S> {
    /// The pose.
    pub pose: Pose<'r, S>,
    /// Platform velocity, m/s.
    pub velocity: Vec3<S>,
    /// The arms' motion.
    pub arms: [ArmMotion<S>; 3],
}

impl<S: Scalar> Arm<S> {
    /// Components in the arm's frame: along its azimuth and across it.
    #[inline(always)]
    fn horizontal(&self, v: Vec3<S>) -> (S, S) {
        (v[0] * self.cos + v[1] * self.sin, v[1] * self.cos - v[0] * self.sin)
    }

    /// A vector of the arm's plane in the base frame.
    #[inline(always)]
    pub(crate) fn in_plane(&self, radial: S, z: S) -> Vec3<S> {
        Vec3::new(radial * self.cos, radial * self.sin, z)
    }

    /// The arm when sine and cosine of its joint are known.
    #[inline(always)]
    fn pose(&self, position: Vec3<S>, h: S, transmission: S, discriminant: S, cos_q: S, sin_q: S) -> ArmPose<S> {
        let (along, lateral) = self.horizontal(position);
        let (reach, drop) = (self.la * cos_q, self.la * sin_q);
        let elbow = self.in_plane(self.radius + reach, -drop);
        let rod = position - elbow;
        ArmPose {
            radial: along - self.radius,
            lateral,
            h,
            cos_q,
            sin_q,
            transmission,
            discriminant,
            elbow,
            tangent: self.in_plane(-drop, -reach),
            curvature: self.in_plane(-reach, drop),
            rod,
            jacobian: rod * (S::one() / transmission),
        }
    }

    /// Inverse kinematics of this arm; see the head of this file.
    #[inline(always)]
    fn at_position(&self, position: Vec3<S>, branch: Branch) -> ArmPose<S> {
        let sign = branch.sign();
        let z = position[2];
        let (along, _) = self.horizontal(position);
        let p = along - self.radius;
        let h = position.norm_squared().times(0.5) - self.radius * along + self.h_offset;
        let r_squared = p * p + z * z;
        let discriminant = self.la_squared * r_squared - h * h;
        let w = discriminant.sqrt().times(sign);
        let scale = S::one() / (r_squared * self.la);
        let cos_q = (p * h - z * w) * scale;
        let sin_q = -(z * h + p * w) * scale;
        self.pose(position, h, w, discriminant, cos_q, sin_q)
    }
}

impl<S: Scalar> Delta<S> {
    /// The platform centre with the tool point at a place.
    #[inline(always)]
    pub fn platform_of(&self, tool: Vec3<S>) -> Vec3<S> {
        tool - self.parameters().tool
    }

    /// Inverse kinematics for any scalar: nothing is checked, the margins are in the result
    /// ([`ArmPose::discriminant`], [`Pose::rod_determinant`]).
    #[inline(always)]
    pub fn pose_unchecked(&self, position: Vec3<S>, branch: Branch) -> Pose<'_, S> {
        Pose { robot: self, position, arms: three(|i| self.arms[i].at_position(position, branch)) }
    }

    /// Forward kinematics for any scalar: the platform where the three spheres about the elbows meet. The margin is
    /// the discriminant that comes with it (m²; negative: the rods do not meet).
    ///
    /// With y = X − e₁, d₂ = e₂ − e₁, d₃ = e₃ − e₁ the differences of the sphere equations are linear,
    /// y·d_k = (|d_k|² + L₁² − L_k²)/2, and leave a line along n = d₂ × d₃ that pierces the first sphere twice.
    #[inline(always)]
    pub fn pose_from_joints_unchecked(&self, q: [S; 3], assembly: Assembly) -> (Pose<'_, S>, S) {
        let sin_cos: [(S, S); 3] = three(|i| self.arms[i].angle_of(q[i]).sin_cos());
        let elbows: [Vec3<S>; 3] = three(|i| {
            let (arm, (sin_q, cos_q)) = (&self.arms[i], sin_cos[i]);
            arm.in_plane(arm.radius + arm.la * cos_q, -(arm.la * sin_q))
        });
        let length_squared: [S; 3] = three(|i| self.arms[i].lb.square());
        let (d2, d3) = (elbows[1] - elbows[0], elbows[2] - elbows[0]);
        let k2 = (d2.norm_squared() + length_squared[0] - length_squared[1]).times(0.5);
        let k3 = (d3.norm_squared() + length_squared[0] - length_squared[2]).times(0.5);
        let n = d2.cross(d3);
        let n_squared = n.norm_squared();
        let foot = (d3.cross(n) * k2 + n.cross(d2) * k3) * (S::one() / n_squared);
        let margin = length_squared[0] - foot.norm_squared();
        // The side below the elbow plane is −n or +n, whichever points down.
        let down = n[2].select_lt(S::zero(), S::one(), -S::one());
        let sign = match assembly {
            Assembly::Below => down,
            Assembly::Above => -down,
        };
        let position = elbows[0] + foot + n * ((margin / n_squared).sqrt() * sign);
        let arms = three(|i| {
            let (arm, (sin_q, cos_q)) = (&self.arms[i], sin_cos[i]);
            let z = position[2];
            let p = arm.horizontal(position).0 - arm.radius;
            let h = arm.la * (p * cos_q - z * sin_q);
            let w = -(arm.la * (p * sin_q + z * cos_q));
            arm.pose(position, h, w, w * w, cos_q, sin_q)
        });
        (Pose { robot: self, position, arms }, margin)
    }
}

/// One of [`Pose::arm_angles`], by its sine and cosine, the transmission of its arm and the platform's height.
#[inline(always)]
pub fn joint_angle<S: Scalar>(sin_q: S, cos_q: S, transmission: S, z: S) -> S {
    use core::f64::consts::{FRAC_PI_2, TAU};
    let (zero, quarter, turn) = (S::zero(), S::from_f64(FRAC_PI_2), S::from_f64(TAU));
    let q = sin_q.atan2(cos_q);
    let up = q.select_lt(-quarter, q + turn, q);
    let down = quarter.select_lt(q, q - turn, q);
    // Elbows in: w and z have the same sign.
    zero.select_lt(transmission * z, z.select_lt(zero, up, down), q)
}

impl<'r, S: Scalar> Pose<'r, S> {
    /// The tool point, base frame, m: X + [`super::Parameters::tool`], since the platform does not turn.
    #[inline(always)]
    pub fn tool(&self) -> Vec3<S> {
        self.position + self.robot.parameters().tool
    }

    /// What the joints read, rad: [`Pose::arm_angles`] less the arms' zero offsets.
    #[inline(always)]
    pub fn joints(&self) -> [S; 3] {
        let angles = self.arm_angles();
        three(|i| self.robot.arms[i].reading_of(angles[i]))
    }

    /// Angles of the arms below the horizontal, rad, without a jump inside either elbow branch: in (−π, π] with the elbows out; with the elbows in,
    /// where arms work around ±180°, in (−π/2, 3π/2] for a platform below the base and in (−3π/2, π/2] above it.
    #[inline(always)]
    pub fn arm_angles(&self) -> [S; 3] {
        three(|i| {
            let ArmPose { sin_q, cos_q, transmission, .. } = self.arms[i];
            joint_angle(sin_q, cos_q, transmission, self.position[2])
        })
    }

    /// J of q̇ = J Ẋ: Asadi & Heydari (9).
    #[inline(always)]
    pub fn jacobian(&self) -> Mat3<S> {
        Mat3(map(self.arms, |arm| arm.jacobian))
    }

    /// K of Ẋ = K q̇: Codourey (36), the inverse of [`Pose::jacobian`] without dividing by the transmissions.
    #[inline(always)]
    pub fn inverse_jacobian(&self) -> Mat3<S> {
        let [a, b, c] = self.arms;
        let bc = b.rod.cross(c.rod);
        let scale = S::one() / a.rod.dot(bc);
        Mat3::from_columns([
            bc * (scale * a.transmission),
            c.rod.cross(a.rod) * (scale * b.transmission),
            a.rod.cross(b.rod) * (scale * c.transmission),
        ])
    }

    /// Type-1 margin of each arm in [−1, 1]: sine of the angle between upper arm and rod in the arm's plane times the
    /// rod's share in that plane, w/(`L_A` `L_B`). Zero: the motor cannot move the platform along the rod.
    #[inline(always)]
    pub fn transmission_margins(&self) -> [S; 3] {
        three(|i| self.arms[i].transmission / (self.robot.arms[i].la * self.robot.arms[i].lb))
    }

    /// Type-2 margin in [−1, 1]: the volume that the three rod directions span. Zero: the platform moves freely
    /// although the motors hold.
    #[inline(always)]
    pub fn rod_determinant(&self) -> S {
        let [a, b, c] = map(self.arms, |arm| arm.rod);
        let lengths = self.robot.arms[0].lb * self.robot.arms[1].lb * self.robot.arms[2].lb;
        a.dot(b.cross(c)) / lengths
    }

    /// λ with Σ λ_i s_i = `force`: the rods that carry a force on the platform.
    #[inline(always)]
    pub(crate) fn rod_forces(&self, force: Vec3<S>) -> [S; 3] {
        let [a, b, c] = map(self.arms, |arm| arm.rod);
        let bc = b.cross(c);
        let scale = S::one() / a.dot(bc);
        let af = a.cross(force);
        [bc.dot(force) * scale, c.dot(af) * scale, -(b.dot(af) * scale)]
    }

    /// Joint torques that carry a force on the platform, Kᵀ `force`.
    #[inline(always)]
    pub fn torque_of_wrench(&self, force: Vec3<S>) -> [S; 3] {
        let lambda = self.rod_forces(force);
        three(|i| lambda[i] * self.arms[i].transmission)
    }

    /// The next stage, from the platform velocity.
    #[inline(always)]
    pub fn moving(self, velocity: Vec3<S>) -> Moving<'r, S> {
        let arms = three(|i| {
            let (robot, arm) = (&self.robot.arms[i], &self.arms[i]);
            let qd = arm.jacobian.dot(velocity);
            let rod_velocity = velocity - arm.tangent * qd;
            // s·s̈ + |ṡ|² = 0 with s·e″ = L_A² − h: what Codourey (37) and Asadi (10) differentiate.
            let kappa = rod_velocity.norm_squared() + (arm.h - robot.la_squared) * qd.square();
            ArmMotion { qd, rod_velocity, kappa }
        });
        Moving { pose: self, velocity, arms }
    }

    /// The next stage, from the joint velocities.
    #[inline(always)]
    pub fn moving_joints(self, qd: [S; 3]) -> Moving<'r, S> {
        let velocity = self.inverse_jacobian() * Vec3(qd);
        self.moving(velocity)
    }
}

impl<S: Scalar> Moving<'_, S> {
    /// Joint velocities, rad/s.
    #[inline(always)]
    pub fn joint_velocity(&self) -> [S; 3] {
        map(self.arms, |arm| arm.qd)
    }

    /// q̈ for a platform acceleration: Asadi & Heydari (11).
    #[inline(always)]
    pub fn joint_acceleration(&self, acceleration: Vec3<S>) -> [S; 3] {
        three(|i| {
            let arm = &self.pose.arms[i];
            arm.jacobian.dot(acceleration) + self.arms[i].kappa / arm.transmission
        })
    }

    /// Ẍ for joint accelerations: Codourey (37).
    #[inline(always)]
    pub fn platform_acceleration(&self, qdd: [S; 3]) -> Vec3<S> {
        let drift = three(|i| self.arms[i].kappa / self.pose.arms[i].transmission);
        self.pose.inverse_jacobian() * Vec3(difference(qdd, drift))
    }

    /// J̇ of q̈ = J Ẍ + J̇ Ẋ: Asadi & Heydari (12), row by row j̇ = (ṡ − j ẇ)/w with ẇ = ṡ·e′ + s·e″ q̇.
    #[inline(always)]
    pub fn jacobian_rate(&self) -> Mat3<S> {
        Mat3(three(|i| {
            let (arm, motion) = (&self.pose.arms[i], &self.arms[i]);
            let w_rate = motion.rod_velocity.dot(arm.tangent) + arm.rod.dot(arm.curvature) * motion.qd;
            (motion.rod_velocity - arm.jacobian * w_rate) * (S::one() / arm.transmission)
        }))
    }

    /// K̇ of Ẍ = K q̈ + K̇ q̇: the bracket of Codourey (37), −K J̇ K.
    pub fn inverse_jacobian_rate(&self) -> Mat3<S> {
        let k = self.pose.inverse_jacobian();
        k.product(self.jacobian_rate()).product(k) * -S::one()
    }
}
