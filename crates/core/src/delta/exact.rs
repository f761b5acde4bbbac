//! The model `exact`: rigid-body dynamics of any Delta, without approximation.
//!
//! The rod's kinetic energy through its end velocities (elbow C, platform A; `crates/papers/errata.md` §0),
//!
//! ```text
//! T_rod = ½ (m_cc |v_C|² + 2 m_ca v_C·v_A + m_aa |v_A|²)                                                   (1)
//! m_cc = m(1−ρ)² + I/L²,   m_ca = mρ(1−ρ) − I/L²,   m_aa = mρ² + I/L²
//! ```
//!
//! holds for any centre of mass ρL and transverse inertia I. With v_C = e′q̇ and j = s/w (so q̇ = j·Ẋ) the virtual
//! work of all bodies, collected at the joints and at the platform, is
//!
//! ```text
//! n_i = I_i q̈_i + m_ca e′·Ẍ − (μ_i e′ + ν_i e″)·g/L_A  moment about the motor axis                          (2)
//! F   = m_t Ẍ + Σ m_ca (e′q̈ + e″q̇²) − m_g g − f         force on the platform                               (3)
//! τ_i = n_i + w_i λ_i,   Σ λ_i s_i = F                   the rods carry F to the motors                       (4)
//! ```
//!
//! and, with q̈ = j·Ẍ + κ/w substituted, in the form of Asadi & Heydari (39), M Ẍ + C Ẋ + G − f = Jᵀ τ:
//!
//! ```text
//! M = m_t 1 + Σ [I j jᵀ + m_ca (j e′ᵀ + e′ jᵀ)]                                                              (5)
//! C = Σ [I j j̇ᵀ + m_ca (e″ q̇ jᵀ + e′ j̇ᵀ)]               Ṁ − 2C is skew                                       (6)
//! G = −m_g g − Σ (μ e′ + ν e″)·g/L_A j                                                                       (7)
//! ```
//!
//! I_i: inertia about the motor axis of arm, elbow, reflected rotor and m_cc; μ_i: first moment there of arm, elbow
//! and the rod's share m(1−ρ), along the line motor axis–elbow; ν_i: the arm's first moment perpendicular to that line, along
//! e′, zero for most arms. As a vector from the axis the first moment is (−μ e″ + ν e′)/L_A; its derivative by q is
//! (μ e′ + ν e″)/L_A. m_t, m_g: mass that moves and weighs like the platform.

use super::{Arm, Moving, Pose};
use crate::algebra::{Mat3, Vec3, difference, sum, three};
use crate::scalar::Scalar;

/// Loads of the bodies in a motion: a moment about each motor axis and a force at the platform.
#[derive(Clone, Copy, Debug)]
pub struct Loads<S> {
    /// q̈, rad/s².
    pub joint_acceleration: [S; 3],
    /// I q̈, N m.
    pub turning: [S; 3],
    /// m_ca e′·Ẍ, N m.
    pub coupling: [S; 3],
    /// (μ e′ + ν e″)·g/L_A, N m: what the weight does by itself.
    pub weight: [S; 3],
    /// n of (2), N m.
    pub moments: [S; 3],
    /// e′ q̈ + e″ q̇², m/s².
    pub elbow_acceleration: [Vec3<S>; 3],
    /// F of (3), N.
    pub platform: Vec3<S>,
}

impl<S: Scalar> Pose<'_, S> {
    /// Mass matrix in platform coordinates, (5), kg.
    #[inline(always)]
    pub fn cartesian_mass_matrix(&self) -> Mat3<S> {
        let mut m = Mat3::diagonal(self.robot.platform_inertia);
        for (arm, robot) in self.arms.iter().zip(&self.robot.arms) {
            let j = arm.jacobian;
            // I jjᵀ + m_ca(je′ᵀ + e′jᵀ) = a jᵀ + j bᵀ with a = I j + m_ca e′, b = m_ca e′.
            let b = arm.tangent * robot.m_ca;
            m = m + Mat3::outer(j * robot.inertia + b, j) + Mat3::outer(j, b);
        }
        m
    }

    /// Mass matrix in joint coordinates, kg m²: A = Kᵀ M K, multiplied out so that nothing is divided by w.
    #[inline(always)]
    pub fn mass_matrix(&self) -> Mat3<S> {
        let k = self.inverse_jacobian().transpose(); // rows: ∂X/∂q_i
        let m_t = self.robot.platform_inertia;
        // Momentum of the platform for a unit speed of joint j, without its own share m_t k_j/2 counted twice.
        let half: [Vec3<S>; 3] = three(|j| k[j] * m_t.times(0.5) + self.arms[j].tangent * self.robot.arms[j].m_ca);
        Mat3::from_fn(|i, j| {
            let coupling = k[i].dot(half[j]) + k[j].dot(half[i]);
            if i == j { coupling + self.robot.arms[i].inertia } else { coupling }
        })
    }

    /// G of (7): the gravity force in platform coordinates, N.
    #[inline(always)]
    pub fn cartesian_gravity(&self) -> Vec3<S> {
        let g = self.robot.gravity();
        let mut force = -(g * self.robot.platform_weight);
        for (arm, weight) in self.arms.iter().zip(self.weights()) {
            force = force - arm.jacobian * weight;
        }
        force
    }

    /// Torques that hold the robot still, N m.
    #[inline(always)]
    pub fn gravity_torque(&self) -> [S; 3] {
        let g = self.robot.gravity();
        let carried = self.torque_of_wrench(-(g * self.robot.platform_weight));
        difference(carried, self.weights())
    }

    /// Moments about the motor axes of what gravity pulls at: arm, elbow and the rod's share, N m.
    #[inline(always)]
    fn weights(&self) -> [S; 3] {
        self.weights_of(|i| {
            let Arm { moment, offset_moment, .. } = self.robot.arms[i];
            (moment, offset_moment)
        })
    }

    /// (μ e′ + ν e″)·g/L_A for the first moments μ and ν of each arm, N m.
    #[inline(always)]
    pub(super) fn weights_of(&self, moments: impl Fn(usize) -> (S, Option<S>)) -> [S; 3] {
        let g = self.robot.gravity();
        let along = three(|i| self.arms[i].tangent.dot(g) * (moments(i).0 / self.robot.arms[i].la));
        let beside = three(|i| moments(i).1);
        if beside.iter().all(Option::is_none) {
            return along;
        }
        three(|i| {
            let part = |moment| self.arms[i].curvature.dot(g) * (moment / self.robot.arms[i].la);
            beside[i].map_or(along[i], |moment| along[i] + part(moment))
        })
    }

    /// Potential energy against the base centre, J.
    pub fn potential_energy(&self) -> S {
        let g = self.robot.gravity();
        let mut energy = -(g.dot(self.position) * self.robot.platform_weight);
        for (i, arm) in self.arms.iter().enumerate() {
            let (robot, given) = (&self.robot.arms[i], &self.robot.parameters().arms[i]);
            // Along the arm and beside it by the first moments; where the motor axis itself sits does not change.
            let along = robot.in_plane(arm.cos_q, -arm.sin_q) * robot.moment;
            let moments = robot.offset_moment.map_or(along, |beside| along + arm.tangent * (beside / robot.la));
            // The rod's upper share stands on the (shrunk) motor axis; constant, kept for completeness.
            let rest = S::one() - given.forearm.center_of_mass / given.forearm.length;
            let axis_mass = given.upper_arm.mass + given.upper_arm.mass_at_elbow() + given.forearm.mass * rest;
            let axis = robot.in_plane(robot.radius, S::zero()) * axis_mass;
            energy = energy - g.dot(moments + axis);
        }
        energy
    }
}

impl<S: Scalar> Moving<'_, S> {
    /// Torques for a platform acceleration, friction included, no force on the platform, N m.
    #[inline(always)]
    pub fn torque(&self, acceleration: Vec3<S>) -> [S; 3] {
        self.torque_under(acceleration, Vec3::zero())
    }

    /// Torques for a platform acceleration while the environment pushes with `force` on the platform, friction
    /// included, N m.
    #[inline(always)]
    pub fn torque_under(&self, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        sum(self.rigid_torque(acceleration, force), self.dissipation_torque())
    }

    /// (4): torques without friction.
    #[inline(always)]
    pub fn rigid_torque(&self, acceleration: Vec3<S>, force: Vec3<S>) -> [S; 3] {
        let loads = self.loads(acceleration, force);
        sum(loads.moments, self.pose.torque_of_wrench(loads.platform))
    }

    /// (2) and (3), with what they are made of.
    #[inline(always)]
    pub fn loads(&self, acceleration: Vec3<S>, force: Vec3<S>) -> Loads<S> {
        let robot = self.pose.robot;
        let g = robot.gravity();
        let joint_acceleration = self.joint_acceleration(acceleration);
        let platform = acceleration * robot.platform_inertia - g * robot.platform_weight - force;
        let zero = [S::zero(); 3];
        let mut loads = Loads {
            joint_acceleration,
            turning: zero,
            coupling: zero,
            weight: self.pose.weights(),
            moments: zero,
            elbow_acceleration: [Vec3::zero(); 3],
            platform,
        };
        for i in 0..3 {
            let (arm, lumped, motion) = (&self.pose.arms[i], &robot.arms[i], &self.arms[i]);
            loads.turning[i] = lumped.inertia * joint_acceleration[i];
            loads.coupling[i] = lumped.m_ca * arm.tangent.dot(acceleration);
            let inertial = loads.turning[i] + loads.coupling[i];
            loads.moments[i] = inertial - loads.weight[i];
            loads.elbow_acceleration[i] = arm.tangent * joint_acceleration[i] + arm.curvature * motion.qd.square();
            loads.platform = loads.platform + loads.elbow_acceleration[i] * lumped.m_ca;
        }
        loads
    }

    /// Friction at the motors and, where given, damping at the passive joints, N m.
    #[inline(always)]
    pub fn dissipation_torque(&self) -> [S; 3] {
        sum(self.friction_torque(), self.passive_damping_torque())
    }

    /// Friction at the motors, N m.
    #[inline(always)]
    pub fn friction_torque(&self) -> [S; 3] {
        three(|i| match self.pose.robot.parameters().arms[i].motor.friction {
            Some(friction) => friction.torque(self.arms[i].qd),
            None => S::zero(),
        })
    }

    /// Damping of Bortoff's passive coordinates φ₂, φ₃ (the vector `DAMPING` of his Appendix), as joint torques.
    ///
    /// With the rod direction u = (lateral, radial, down) = (s₂s₃, c₂, s₂c₃) the rates are φ̇₂ = −u̇_r/s₂ and
    /// φ̇₃ = (u_d u̇_l − u_l u̇_d)/s₂²; the damping force is the gradient of ½ d (φ̇₂² + φ̇₃²).
    pub fn passive_damping_torque(&self) -> [S; 3] {
        let robot = self.pose.robot;
        if robot.parameters().arms.iter().all(|arm| arm.passive_damping.is_none()) {
            return [S::zero(); 3];
        }
        let mut platform = Vec3::zero();
        let mut moments = [S::zero(); 3];
        for i in 0..3 {
            let (arm, lumped, motion) = (&self.pose.arms[i], &robot.arms[i], &self.arms[i]);
            let damping = robot.parameters().arms[i].passive_damping.unwrap_or(S::zero());
            let radial = lumped.in_plane(S::one(), S::zero());
            let lateral = Vec3::new(-lumped.sin, lumped.cos, S::zero());
            let down = Vec3::new(S::zero(), S::zero(), -S::one());
            let (u_l, u_d) = (arm.rod.dot(lateral), arm.rod.dot(down));
            let across_squared = u_l.square() + u_d.square(); // (L_B s₂)²
            let rate_2 = -(radial * (S::one() / across_squared.sqrt())); // ∂φ̇₂/∂ṡ
            let rate_3 = (lateral * u_d - down * u_l) * (S::one() / across_squared); // ∂φ̇₃/∂ṡ
            let v = motion.rod_velocity;
            let force = (rate_2 * rate_2.dot(v) + rate_3 * rate_3.dot(v)) * damping;
            platform = platform + force;
            moments[i] = -force.dot(arm.tangent); // ṡ = Ẋ − e′q̇
        }
        sum(moments, self.pose.torque_of_wrench(platform))
    }

    /// Platform acceleration under motor torques: forward dynamics, no force on the platform, m/s².
    #[inline(always)]
    pub fn acceleration(&self, torque: [S; 3]) -> Vec3<S> {
        self.acceleration_under(torque, Vec3::zero())
    }

    /// The same while the environment pushes with `force` on the platform.
    #[inline(always)]
    pub fn acceleration_under(&self, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        let driving = difference(torque, self.dissipation_torque());
        let mut right = force - self.pose.cartesian_gravity() - self.cartesian_coriolis();
        for i in 0..3 {
            right = right + self.pose.arms[i].jacobian * driving[i];
        }
        self.pose.cartesian_mass_matrix().solve(right)
    }

    /// C Ẋ of (6), N.
    #[inline(always)]
    pub fn cartesian_coriolis(&self) -> Vec3<S> {
        let mut force = Vec3::zero();
        for i in 0..3 {
            let (arm, lumped, motion) = (&self.pose.arms[i], &self.pose.robot.arms[i], &self.arms[i]);
            let drift = motion.kappa / arm.transmission; // j̇·Ẋ
            force = force
                + arm.jacobian * (lumped.inertia * drift)
                + (arm.tangent * drift + arm.curvature * motion.qd.square()) * lumped.m_ca;
        }
        force
    }

    /// C of (6) in platform coordinates, kg/s: the factorisation with Ṁ − 2C skew.
    #[inline(always)]
    pub fn cartesian_coriolis_matrix(&self) -> Mat3<S> {
        let rates = self.jacobian_rate();
        let mut c = Mat3::zero();
        for i in 0..3 {
            let (arm, lumped, motion) = (&self.pose.arms[i], &self.pose.robot.arms[i], &self.arms[i]);
            let along = arm.jacobian * lumped.inertia + arm.tangent * lumped.m_ca;
            let turning = arm.curvature * (lumped.m_ca * motion.qd);
            c = c + Mat3::outer(along, rates[i]) + Mat3::outer(turning, arm.jacobian);
        }
        c
    }

    /// Coriolis and centrifugal torque, N m.
    #[inline(always)]
    pub fn coriolis(&self) -> [S; 3] {
        // A q̈ + c = Kᵀ(M Ẍ + C Ẋ) with Ẍ = K(q̈ − J̇Ẋ): at q̈ = 0 the platform accelerates by −K J̇ Ẋ.
        let drift = self.platform_acceleration([S::zero(); 3]);
        self.pose.torque_of_wrench(self.pose.cartesian_mass_matrix() * drift + self.cartesian_coriolis())
    }

    /// Coriolis matrix in joint coordinates, N m s: Kᵀ(C K + M K̇), again with Ȧ − 2C skew.
    pub fn coriolis_matrix(&self) -> Mat3<S> {
        let k = self.pose.inverse_jacobian();
        let inner = self.cartesian_coriolis_matrix().product(k)
            + self.pose.cartesian_mass_matrix().product(self.inverse_jacobian_rate());
        k.transpose().product(inner)
    }

    /// Kinetic energy, J.
    pub fn kinetic_energy(&self) -> S {
        let momentum = self.pose.cartesian_mass_matrix() * self.velocity;
        self.velocity.dot(momentum).times(0.5)
    }
}
