//! The models `codourey` and `codourey-simplified`: A. Codourey, *Dynamic modeling of parallel robots for
//! computed-torque control implementation*, IJRR 17(12), 1998, pp. 1325–1336, equations (39)–(59).
//!
//! | paper | here |
//! | --- | --- |
//! | frame, `θ_i`, `q_i` | canonical: the conventions are the same |
//! | `J` of Ẋ = J q̇ (36) | [`inverse_jacobian`](super::super::Pose::inverse_jacobian) |
//! | `J_u,i` (43)–(45) | column i is e′ = [`super::super::ArmPose::tangent`] |
//! | `a_u,i` (56) | `elbow_acceleration` |
//! | `m_b`, `m_c`, `m_ab`, `m_n` | arm, elbow, forearm pair, platform mass |
//! | `I_m` and the payload in `m_n` | added outside, as for every model |
//!
//! Corrected (`crates/papers/errata.md`, §2): the sign of the third component of `b_i` (33), (34); `m_n` missing before Ẍ in
//! (57); minus and R_i in (56) belong to both terms; m_nt = m_n + m_ab; I_bti has m_b/3, as (41); (13), (46), (47)
//! symmetrised. What the models replace: the forearm is a uniform bar whatever the file says; the arm is a uniform
//! bar with an elbow mass, m_b/3 + m_c, if the file has one, and else has its true inertia.

use super::super::{Model, Moving, Parameters, Pose};
use crate::algebra::{Mat3, Vec3, sum};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;

/// Constants of one chain.
#[derive(Clone, Copy, Debug)]
struct ArmConstants<S> {
    /// I_b of (41) without the motor.
    arm_inertia: S,
    /// m_br r_Gb of (54).
    arm_moment: S,
    la: S,
    m_ab: S,
}

fn chains<S: Scalar>(parameters: &Parameters<S>) -> [ArmConstants<S>; 3] {
    map(parameters.arms, |arm| {
        let (upper, la) = (&arm.upper_arm, arm.upper_arm.length);
        let (arm_inertia, arm_moment) = match upper.elbow_mass {
            Some(m_c) => (
                la.square() * (upper.mass.times(1.0 / 3.0) + m_c), // (41)
                la * (upper.mass.times(0.5) + m_c),                // (54)
            ),
            None => (arm.arm_axis_inertia(), arm.arm_moment()),
        };
        ArmConstants { arm_inertia, arm_moment, la, m_ab: arm.forearm.mass }
    })
}

/// The model `codourey`: (57), forearms as uniform rigid bars.
#[derive(Clone, Copy, Debug)]
pub struct Codourey<S> {
    chains: [ArmConstants<S>; 3],
    m_n: S,
    gravity: Vec3<S>,
}

impl<S: Scalar> Codourey<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>) -> Self {
        Self { chains: chains(parameters), m_n: parameters.platform_mass, gravity: parameters.gravity }
    }
}

impl<S: Scalar> Model<S> for Codourey<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let third = S::from_f64(1.0 / 3.0);
        let qdd = moving.joint_acceleration(acceleration);
        let g = self.gravity;
        // Jᵀ(m_n Ẍ − G_n) of (52), plus the platform ends of the three bars (55).
        let mut platform = (acceleration - g) * self.m_n;
        let mut moments = [S::zero(); 3];
        for (i, chain) in self.chains.iter().enumerate() {
            let (arm, qd) = (&moving.pose.arms[i], moving.arms[i].qd);
            let a_u = arm.tangent * qdd[i] + arm.curvature * qd.square(); // (56)
            let bar = chain.m_ab * third;
            let half_weight = g * chain.m_ab.times(0.5);
            // (55): m_ab/3 [Jᵀ(Ẍ + a_u/2) + J_uᵀ(a_u + Ẍ/2)] − ½(J + J_u)ᵀ m_ab g
            platform = platform + (acceleration + a_u * S::from_f64(0.5)) * bar - half_weight;
            let elbow = (a_u + acceleration * S::from_f64(0.5)) * bar - half_weight;
            // I_b q̈ − G_b of (53), (54)
            let weight = arm.tangent.dot(g) * (chain.arm_moment / chain.la);
            moments[i] = chain.arm_inertia * qdd[i] - weight + arm.tangent.dot(elbow);
        }
        sum(moments, moving.pose.torque_of_wrench(platform)) // (57)
    }

    /// (47), symmetrised: I_b + m_n JᵀJ + Σ m_ab/3 (JᵀJ + J_uᵀJ_u + ½(J_uᵀJ + JᵀJ_u)), motor and payload included.
    fn mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        let j = pose.inverse_jacobian().transpose(); // rows: columns of Codourey's J
        let third = S::from_f64(1.0 / 3.0);
        let [a, b, c] = map(self.chains, |chain| chain.m_ab * third);
        let mass = self.m_n + pose.robot.parameters().payload_mass + a + b + c;
        // J_u,i has e′ as its only column: J_uᵀJ_u is L_A² on the diagonal, J_uᵀJ a single row.
        let half_coupling = |i: usize, k: usize| pose.arms[i].tangent.dot(j[k]) * self.chains[i].m_ab.times(1.0 / 6.0);
        Mat3::from_fn(|i, k| {
            let chain = &self.chains[i];
            let entry = j[i].dot(j[k]) * mass + half_coupling(i, k) + half_coupling(k, i);
            if i == k {
                let rotor = pose.robot.parameters().arms[i].reflected_rotor_inertia();
                entry + chain.arm_inertia + rotor + chain.la.square() * chain.m_ab * third // (41), (48)
            } else {
                entry
            }
        })
    }
}

/// The model `codourey-simplified`: (58), two thirds of the forearm's inertia at the elbow, one third at the platform;
/// half and half for gravity.
#[derive(Clone, Copy, Debug)]
pub struct CodoureySimplified<S> {
    /// I_bt, (50).
    i_bt: [S; 3],
    /// Factor of e′·g, (59) divided by L_A.
    moment: [S; 3],
    /// m_nt = m_n + Σ m_ab/3 (m_n + m_ab for three equal forearms).
    m_nt: S,
    /// m_ng = m_n + Σ m_ab/2.
    m_ng: S,
    gravity: Vec3<S>,
}

impl<S: Scalar> CodoureySimplified<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>) -> Self {
        let chains = chains(parameters);
        let [a, b, c] = map(chains, |chain| chain.m_ab);
        let rods = a + b + c;
        Self {
            i_bt: map(chains, |chain| chain.arm_inertia + chain.la.square() * chain.m_ab.times(2.0 / 3.0)),
            moment: map(chains, |chain| chain.arm_moment / chain.la + chain.m_ab.times(0.5)),
            m_nt: parameters.platform_mass + rods.times(1.0 / 3.0),
            m_ng: parameters.platform_mass + rods.times(0.5),
            gravity: parameters.gravity,
        }
    }
}

impl<S: Scalar> Model<S> for CodoureySimplified<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let qdd = moving.joint_acceleration(acceleration);
        let platform = acceleration * self.m_nt - self.gravity * self.m_ng;
        let moments =
            from_fn(|i| self.i_bt[i] * qdd[i] - moving.pose.arms[i].tangent.dot(self.gravity) * self.moment[i]);
        sum(moments, moving.pose.torque_of_wrench(platform)) // (58)
    }

    /// (50): A = I_bt + m_nt JᵀJ, motor and payload included.
    fn mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        let parameters = pose.robot.parameters();
        let j = pose.inverse_jacobian().transpose();
        let mass = self.m_nt + parameters.payload_mass;
        Mat3::from_fn(|i, k| {
            let entry = j[i].dot(j[k]) * mass;
            if i == k { entry + self.i_bt[i] + parameters.arms[i].reflected_rotor_inertia() } else { entry }
        })
    }
}
