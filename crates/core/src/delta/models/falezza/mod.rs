//! The models of F. Falezza, F. Vesentini, A. Di Flumeri, L. Leopardi, G. Fiori, G. Mistrorigo and R. Muradore, *A
//! novel inverse dynamic model for 3-DoF delta robots*, Mechatronics, 2022, 102752.
//!
//! | model | equations | file |
//! | --- | --- | --- |
//! | `falezza-simplified`, `falezza-simplified-printed` | `M_s`, (1)–(5) | `simplified.rs` |
//! | `falezza-complete` | `M_f`, (6)–(30), corrected: exact for uniform rods | `complete.rs` |
//! | `falezza-complete-printed` | `M_f`, (6)–(30), as printed | `complete_printed.rs` |
//!
//! All four have the coordinates (x, y, z, θ₁, θ₂, θ₃), the three constraints |x − j′_i|² = l₂² and one multiplier λ_i
//! for each: the Cartesian rows of the Lagrange equations give λ, (4) or (29), the joint rows the torques, (5) or (30).
//!
//! | paper | here |
//! | --- | --- |
//! | `x` | `to_paper` of the canonical vector: z **down**, x_F = diag(1, 1, −1) x_can (a reflection) |
//! | `α_i`, `θ_i`, `τ_i` | azimuth φ_i, joint angle q_i, torque: the same |
//! | `r = r_f − r_e`, `l_1`, `l_2` | base radius − platform radius, upper arm, forearm |
//! | `m_0`, `m_1`, `m_2` | platform, upper arm, forearm pair |
//! | `a_1`, `I_1` | the arm's centre of mass; its inertia about it (kinetic energy `T_1`) |
//! | `j′_i` (2) | elbow; its third component is +l₁ sin θ here, as in (6) and (7) |
//! | `g` (4) | minus the acceleration of gravity in the paper's frame |
//! | `I_3`, `k_r`, `h_ext` | added outside, as for every model |
//!
//! The paper's text mixes two frames: (2) and the potentials are written for z up, (6), (7), `a_3i`, `k_ii` and the
//! derivatives of the potential for z down. z down is the one reading under which most of the equations hold, and the
//! printed models use it too. The corrections are in the heads of the files; their evidence is in
//! `docs/papers/falezza.md`.
//!
//! Generalised: every arm may have its own geometry and masses; in the corrected models gravity is any vector. The
//! paper knows no mass at the elbow: where a robot has one, it is a point mass there.

mod complete;
mod complete_printed;
mod simplified;

pub use complete::Complete;
pub use complete_printed::CompletePrinted;
pub use simplified::Simplified;

use super::super::{ArmParameters, ArmPose, Moving};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

/// The angles that place a forearm, rad: two free angles of the passive joint at the elbow.
#[derive(Clone, Copy, Debug)]
pub struct PassiveAngles<S> {
    /// ψ: out of the arm's plane.
    pub psi: S,
    /// γ: in the arm's plane, from the upper arm to the forearm.
    pub gamma: S,
}

/// diag(1, 1, −1): from the canonical frame to the paper's, and back.
#[inline(always)]
fn to_paper<S: Scalar>(v: Vec3<S>) -> Vec3<S> {
    Vec3::new(v[0], v[1], -v[2])
}

/// Constants of one kinematic chain, with the paper's names.
#[derive(Clone, Copy, Debug)]
struct ChainConstants<S> {
    cos_alpha: S,
    sin_alpha: S,
    r: S,
    l1: S,
    l2: S,
    m1: S,
    /// a₁.
    a1: S,
    /// I₁, about the centre of mass.
    i1: S,
    m2: S,
    /// Not in the paper: a point mass at the elbow.
    elbow: S,
}

impl<S: Scalar> ChainConstants<S> {
    fn new(arm: &ArmParameters<S>) -> Self {
        let upper = &arm.upper_arm;
        Self {
            cos_alpha: arm.azimuth.cos,
            sin_alpha: arm.azimuth.sin,
            r: arm.radius(),
            l1: upper.length,
            l2: arm.forearm.length,
            m1: upper.mass,
            a1: upper.center_of_mass,
            i1: upper.inertia,
            m2: arm.forearm.mass,
            elbow: upper.mass_at_elbow(),
        }
    }

    /// Components along the arm's azimuth, across it, and down.
    #[inline(always)]
    fn local(&self, v: Vec3<S>) -> Vec3<S> {
        let (ca, sa) = (self.cos_alpha, self.sin_alpha);
        Vec3::new(v[0] * ca + v[1] * sa, v[1] * ca - v[0] * sa, v[2])
    }

    /// Column i of A and k_ii, half the derivatives of the constraint (2) by x and θ_i:
    /// a = x − j′_i and k = l₁[(x cos α + y sin α − r) sin θ − z cos θ].
    ///
    /// Printed, in (4), (5) and (29): +r in a and k, and no l₁ in k.
    #[inline(always)]
    fn constraint(&self, x: Vec3<S>, arm: &ArmPose<S>) -> (Vec3<S>, S) {
        let (ca, sa, s, c) = (self.cos_alpha, self.sin_alpha, arm.sin_q, arm.cos_q);
        let out = self.r + self.l1 * c;
        let a = Vec3::new(x[0] - out * ca, x[1] - out * sa, x[2] - self.l1 * s);
        let k = self.l1 * ((x[0] * ca + x[1] * sa - self.r) * s - x[2] * c);
        (a, k)
    }

    /// The same as printed.
    #[inline(always)]
    fn printed_constraint(&self, x: Vec3<S>, arm: &ArmPose<S>) -> (Vec3<S>, S) {
        let (ca, sa, s, c) = (self.cos_alpha, self.sin_alpha, arm.sin_q, arm.cos_q);
        let out = self.r - self.l1 * c;
        let a = Vec3::new(x[0] + out * ca, x[1] + out * sa, x[2] - self.l1 * s);
        let k = (x[0] * ca + x[1] * sa + self.r) * s - x[2] * c;
        (a, k)
    }
}

/// One chain's generalised coordinates, velocities and accelerations in the order x, y, z, θ_i.
#[derive(Clone, Copy, Debug)]
struct ChainState<S> {
    sin: S,
    cos: S,
    x: Vec3<S>,
    qd: [S; 4],
    qdd: [S; 4],
}

/// Index of θ_i among the coordinates of a chain.
const THETA: usize = 3;

impl<S: Scalar> ChainState<S> {
    #[inline(always)]
    fn new(moving: &Moving<'_, S>, acceleration: Vec3<S>, qdd: [S; 3], i: usize) -> Self {
        let arm = &moving.pose.arms[i];
        let with = |v: Vec3<S>, joint: S| [v[0], v[1], v[2], joint];
        Self {
            sin: arm.sin_q,
            cos: arm.cos_q,
            x: to_paper(moving.pose.position),
            qd: with(to_paper(moving.velocity), moving.arms[i].qd),
            qdd: with(to_paper(acceleration), qdd[i]),
        }
    }

    /// θ̇, θ̈.
    #[inline(always)]
    fn theta(&self) -> (S, S) {
        (self.qd[THETA], self.qdd[THETA])
    }
}

/// Σ a_c b_c over the coordinates of a chain.
#[inline(always)]
fn sum<S: Scalar>(a: [S; 4], b: [S; 4]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// A value and its partial derivatives by x, y, z, θ_i.
#[derive(Clone, Copy, Debug)]
struct Sloped<S> {
    value: S,
    rate: S,
    acceleration: S,
    /// ∂h/∂q = ∂ḣ/∂q̇.
    by: [S; 4],
    /// d/dt ∂ḣ/∂q̇ = ∂ḣ/∂q.
    by_rate: [S; 4],
}

impl<S: Scalar> Sloped<S> {
    /// From the value, its derivatives and their rates, at a state.
    #[inline(always)]
    fn new(value: S, by: [S; 4], by_rate: [S; 4], state: &ChainState<S>) -> Self {
        let rate = sum(by, state.qd);
        Self { value, rate, acceleration: sum(by, state.qdd) + sum(by_rate, state.qd), by, by_rate }
    }
}

/// An angle of a chain (ψ, γ or β = θ + γ) as a function of x, y, z, θ_i, and everything the equations need of it.
#[derive(Clone, Copy, Debug)]
struct ChainAngle<S> {
    sin: S,
    cos: S,
    rate: S,
    acceleration: S,
    /// ∂ψ/∂q, which is also ∂ψ̇/∂q̇ (22).
    by: [S; 4],
    /// d/dt ∂ψ̇/∂q̇, (23), (24).
    by_rate: [S; 4],
    /// ∂ψ̇/∂q: the same, unless misprinted.
    rate_by: [S; 4],
}

/// k₁ or k₂ of one chain, and everything the equations need of it.
#[derive(Clone, Copy, Debug)]
struct ChainVelocity<S> {
    value: S,
    rate: S,
    /// ∂k/∂q̇.
    by: [S; 4],
    /// d/dt ∂k/∂q̇, (27).
    by_rate: [S; 4],
    /// ∂k/∂q.
    at: [S; 4],
}
