//! The model `asadi`: F. Asadi and A. Heydari, *Analytical dynamic modeling of Delta robot with experimental
//! verification*, Proc IMechE K 234(3), 2020, pp. 623–630, equations (19)–(22) and (39)–(43).
//!
//! | paper | here |
//! | --- | --- |
//! | `X`, z **down**, `φ_i`, arm along y′ | the canonical frame; `X_can = diag(1, 1, −1) X_A`, `φ_can = φ_A + π/2` |
//! | `J`, `J̇` (9), (12) | [`Pose::jacobian`], [`Moving::jacobian_rate`] (the same in both frames: q, q̇, q̈ are) |
//! | `O_iᵀR_iᵀ` | `frame`: rows x′ (motor axis), y (along the arm), z (e′ direction) in the base frame |
//! | `J_K`, `J_C` (20), (21) | `j_k`, `j_c` in [`Asadi::explicit`]; `J_L` (19) is folded into the arm's inertia and moment |
//! | `m_C`, `m_A`, `m_K`, `M_K`, `I_K`, `r_K` (22) | [`Asadi::three_masses`], and the forearm's mass, inertia, ratio |
//! | `I_mo`, `τ_fric` | added outside, as for every model |
//!
//! Corrected (`crates/papers/errata.md`, §1): (40) prints `m_P + 3 m_B` for `m_P + 3 m_A`; the Appendix's `m_K` is the pair's
//! mass `M_K` of (22), not the point mass; (42) holds with gravity along +z of the paper, i.e. as a vector.
//! Generalised: each arm has its own lengths and masses, and its centre of mass may be beside its line. Exact for any rod with 0 < r_K < 1.

use super::super::{Model, Moving, Parameters, Pose};
use crate::algebra::{Mat3, Vec3, difference};
use crate::array::map;
use crate::scalar::Scalar;

/// Constants of one leg.
#[derive(Clone, Copy, Debug)]
struct LegConstants<S> {
    l_l: S,
    /// I_L + m_L (r_L l_L)², about the motor axis: what (40) collects from J_L.
    arm_inertia: S,
    /// m_L r_L l_L.
    arm_moment: S,
    /// Not in the paper: the same for a leg whose centre of mass is beside its line.
    offset_moment: Option<S>,
    r_k: S,
    m_c: S,
    m_a: S,
    m_k: S,
}

/// The model `asadi`.
#[derive(Clone, Copy, Debug)]
pub struct Asadi<S> {
    legs: [LegConstants<S>; 3],
    m_p: S,
    gravity: Vec3<S>,
}

/// The matrices of (39), M Ẍ + C Ẋ + G − F = Jᵀ τ, for the bare robot.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitMatrices<S> {
    /// (40), kg.
    pub m: Mat3<S>,
    /// (41), kg/s.
    pub c: Mat3<S>,
    /// (42), N.
    pub g: Vec3<S>,
}

impl<S: Scalar> Asadi<S> {
    /// The model's constants; (22) in closed form.
    pub fn new(parameters: &Parameters<S>) -> Self {
        let legs = map(parameters.arms, |arm| {
            let rod = &arm.forearm;
            let r_k = arm.rod_ratio();
            let rest = S::one() - r_k;
            let spin = rod.inertia / rod.length.square();
            LegConstants {
                l_l: arm.upper_arm.length,
                arm_inertia: arm.arm_axis_inertia(),
                arm_moment: arm.arm_moment(),
                offset_moment: arm.arm_offset_moment(),
                r_k,
                m_c: spin / r_k,
                m_a: spin / rest,
                m_k: rod.mass - spin / (r_k * rest),
            }
        });
        Self { legs, m_p: parameters.platform_mass, gravity: parameters.gravity }
    }

    /// The point masses m_C, m_A, m_K of each forearm, (22), kg.
    pub fn three_masses(&self) -> [[S; 3]; 3] {
        map(self.legs, |leg| [leg.m_c, leg.m_a, leg.m_k])
    }

    /// O_iᵀR_iᵀ: the axes of the motor-leg frame as rows. The paper's x′ is the motor axis, y the arm, z = x′ × y in
    /// its left-handed image here, i.e. the direction of e′ (downward for a horizontal arm).
    fn frame(pose: &Pose<'_, S>, i: usize) -> Mat3<S> {
        let (arm, azimuth) = (&pose.arms[i], &pose.robot.parameters().arms[i].azimuth);
        let plane = |radial: S, z: S| Vec3::new(radial * azimuth.cos, radial * azimuth.sin, z);
        let axis = Vec3::new(-azimuth.sin, azimuth.cos, S::zero());
        Mat3([axis, plane(arm.cos_q, -arm.sin_q), plane(-arm.sin_q, -arm.cos_q)])
    }

    /// (40)–(42). The drift column of (41) is [0; −Ẋᵀ J_iᵀ J_i; J̇_i].
    pub fn explicit(&self, moving: &Moving<'_, S>) -> ExplicitMatrices<S> {
        let pose = &moving.pose;
        let rates = moving.jacobian_rate();
        let [a, b, c] = map(self.legs, |leg| leg.m_a);
        let platform = self.m_p + a + b + c; // m_P + 3 m_A
        let mut matrices =
            ExplicitMatrices { m: Mat3::diagonal(platform), c: Mat3::zero(), g: -(self.gravity * platform) };
        for (i, leg) in self.legs.iter().enumerate() {
            let j_i = pose.arms[i].jacobian;
            let frame = Self::frame(pose, i);
            let unit = Mat3([Vec3::zero(), Vec3::zero(), j_i]); // [0; 0; J_i]
            let drift = Mat3([Vec3::zero(), -(j_i * moving.arms[i].qd), rates[i]]); // [0; −ẊᵀJᵀJ; J̇]
            let j_c = unit * leg.l_l; // (21)
            let j_k = unit * ((S::one() - leg.r_k) * leg.l_l) + frame * leg.r_k; // (20)
            // m_C l_L J_Cᵀ + m_K (1 − r_K) l_L J_Kᵀ of (40), (41); the leg itself, J_L of (19), is a plain rotation.
            let carried = (j_c * (leg.m_c * leg.l_l) + j_k * (leg.m_k * (S::one() - leg.r_k) * leg.l_l)).transpose();
            matrices.m = matrices.m
                + carried.product(unit)
                + j_k.transpose().product(frame) * (leg.m_k * leg.r_k)
                + Mat3::outer(j_i, j_i) * leg.arm_inertia;
            matrices.c = matrices.c + carried.product(drift) + Mat3::outer(j_i, rates[i]) * leg.arm_inertia;
            let pull = frame * self.gravity; // O_iᵀR_iᵀ g
            let weight = (j_c * leg.m_c + unit * leg.arm_moment + j_k * leg.m_k).transpose();
            matrices.g = matrices.g - weight * pull;
            if let Some(beside) = leg.offset_moment {
                // Towards z of the leg's frame: it moves along −y.
                matrices.g = matrices.g + j_i * (pull[1] * beside);
            }
        }
        matrices
    }

    /// The state-space form (43): Ẍ = −M⁻¹(C Ẋ + G − F) + M⁻¹ Jᵀ (τ − τ_fric), with rotor and payload in M, C and G.
    /// Returns the drift and the input matrix, so that `Ẍ = drift + input · (τ − τ_fric)`.
    pub fn state_space(&self, moving: &Moving<'_, S>, force: Vec3<S>) -> (Vec3<S>, Mat3<S>) {
        let pose = &moving.pose;
        let full = self.with_additions(moving);
        let inverse = full.m.inverse();
        let drift = inverse * (force - full.g - full.c * moving.velocity);
        (drift, inverse.product(pose.jacobian().transpose()))
    }

    /// (39) of the whole robot: I_mo and the payload included.
    fn with_additions(&self, moving: &Moving<'_, S>) -> ExplicitMatrices<S> {
        let parameters = moving.pose.robot.parameters();
        let rates = moving.jacobian_rate();
        let mut full = self.explicit(moving);
        full.m = full.m + Mat3::diagonal(parameters.payload_mass);
        full.g = full.g - parameters.gravity * parameters.payload_mass;
        for i in 0..3 {
            let rotor = parameters.arms[i].reflected_rotor_inertia();
            let j_i = moving.pose.arms[i].jacobian;
            full.m = full.m + Mat3::outer(j_i, j_i) * rotor;
            full.c = full.c + Mat3::outer(j_i, rates[i]) * rotor;
        }
        full
    }
}

impl<S: Scalar> Model<S> for Asadi<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let ExplicitMatrices { m, c, g } = self.explicit(moving);
        moving.pose.torque_of_wrench(m * acceleration + c * moving.velocity + g) // (39)
    }

    fn cartesian_mass_matrix(&self, pose: &Pose<'_, S>) -> Mat3<S> {
        self.with_additions(&pose.moving(Vec3::zero())).m
    }

    fn cartesian_coriolis_matrix(&self, moving: &Moving<'_, S>) -> Mat3<S> {
        self.with_additions(moving).c
    }

    fn acceleration(&self, moving: &Moving<'_, S>, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        let (drift, input) = self.state_space(moving, force);
        drift + input * Vec3(difference(torque, moving.dissipation_torque()))
    }
}
