//! The model `falezza-complete`: Falezza et al. 2022, (6)–(30), corrected. Frame and symbols: the head of this folder.
//!
//! The forearm is a uniform rod whatever the file says (a₂ = l₂/2, I₂ = m₂l₂²/12); the upper arm is as the file says.
//! With the corrections the model is exact for such robots: it agrees with `exact` to rounding, although it shares no
//! formula with it. Its price is the detour over the passive angles ψ_i and β_i and their first two derivatives.
//!
//! | paper | here |
//! | --- | --- |
//! | `ψ_i`, `β_i = θ_i + γ_i` (12), (13), (22)–(24) | `ChainAngle`s `psi`, `beta`; their sines and cosines need no angle |
//! | `h_i` | sin ψ_i = h = (−x sin α + y cos α)/l₂ |
//! | `k_1`, `k_2` (10), (11), (27) | `ChainVelocity` `k1`, `k2` |
//! | `∂‖ẋ_2i‖²` (25), (26), (28) | `momentum_rate`, `slope` in `rod` |
//! | `A`, `K`, `b`, `λ` (29), (30) | `bare_torque` |
//!
//! Because β, not γ, is differentiated (∂β/∂θ = 1 + ∂γ/∂θ), x, y, z and θ follow one pattern, and (25) and (26) are one
//! formula with additional terms for θ.
//!
//! Corrected (`docs/papers/falezza.md`):
//!
//! | where | printed | corrected |
//! | --- | --- | --- |
//! | (7), second component | … + a₂ cos ψ sin α | … + a₂ sin ψ cos α |
//! | (9) | with sin α, cos α and a₁²k₂² | k₁² + a₂²ψ̇² cos²ψ + (l₁θ̇ cos θ + a₂k₂)² |
//! | I₂ | m₂l₂²/3, about the end | m₂l₂²/12: the motion of the centre of mass is already in T₂ |
//! | T₂ | I₂β̇² | I₂ cos²ψ β̇² |
//! | (12) | arc cosines of projections on global planes | sin ψ = h as above, β = atan2(z − l₁ sin θ, x cos α + y sin α − r − l₁ cos θ) |
//! | (15)–(17) | + | − (z down) |
//! | (19a–c) | without m₀ẍ | with it |
//! | (19d) | m₁l₁²/4; no ψ | m₁a₁²; with I₂(ψ̈ ∂ψ̇/∂θ̇ + ψ̇ d/dt ∂ψ̇/∂θ̇) |
//! | ∂T/∂θ | γ̇ ∂γ̇/∂θ | β̇ ∂β̇/∂θ |
//! | ∂V/∂z, ∂V/∂θ | m₂g; (m₁/2 + m₂) l₁ | m₀g; m₁a₁ + m₂l₁ |
//! | ψ̈, ∂ψ̇/∂x | ḣ²; h² | hḣ²; hḣ |
//! | (25)–(28) and the derivatives of k₁, k₂ | see the paper's page | derived anew |
//! | (29), (5) | a, k with + r, k without l₁ | `ChainConstants::constraint` |

use super::super::super::{Model, Moving, Parameters, Pose};
use super::{ChainAngle, ChainConstants, ChainState, ChainVelocity, PassiveAngles, Sloped, THETA, to_paper};
use crate::algebra::{Mat3, Vec3};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;

/// The model `falezza-complete`: M_f, (6)–(30), corrected.
#[derive(Clone, Copy, Debug)]
pub struct Complete<S> {
    chains: [ChainConstants<S>; 3],
    m0: S,
    /// Acceleration of gravity in the paper's frame.
    gravity: Vec3<S>,
}

/// What one chain contributes to the Lagrange equations of x, y, z (common to all chains) and of its θ_i.
type Rows<S> = [S; 4];

impl<S: Scalar> ChainConstants<S> {
    /// The forearm in the arm's plane, u (outward) and w (down), and h = sin ψ across it.
    #[inline(always)]
    fn forearm(&self, state: &ChainState<S>) -> [Sloped<S>; 3] {
        let (ca, sa, s, c) = (self.cos_alpha, self.sin_alpha, state.sin, state.cos);
        let (o, one) = (S::zero(), S::one());
        let at = self.local(state.x);
        let (ls, lc) = (self.l1 * s, self.l1 * c);
        let thetad = state.qd[THETA];
        let scale = one / self.l2;
        [
            Sloped::new(at[0] - self.r - lc, [ca, sa, o, ls], [o, o, o, lc * thetad], state),
            Sloped::new(at[2] - ls, [o, o, one, -lc], [o, o, o, ls * thetad], state),
            Sloped::new(at[1] * scale, [-(sa * scale), ca * scale, o, o], [o; 4], state),
        ]
    }

    /// ψ and β, (12)–(13) and (22)–(24) corrected.
    #[inline(always)]
    fn passive(&self, state: &ChainState<S>) -> (ChainAngle<S>, ChainAngle<S>) {
        let [u, w, h] = self.forearm(state);
        // ψ = arcsin h: every derivative is that of h divided by cos ψ, plus h ḣ/cos³ψ from the root.
        let cos_squared = S::one() - h.value.square();
        let cos = cos_squared.sqrt();
        let scale = S::one() / cos;
        let bend = h.value * h.rate * scale / cos_squared;
        let by_rate = from_fn(|c| h.by_rate[c] * scale + h.by[c] * bend); // (24)
        let psi = ChainAngle {
            sin: h.value,
            cos,
            rate: h.rate * scale,
            acceleration: h.acceleration * scale + h.rate * bend,
            by: map(h.by, |d| d * scale), // (22)
            by_rate,
            rate_by: by_rate,
        };
        // β = atan2(w, u): β̇ = (u ẇ − w u̇)/ρ², ρ² = u² + w².
        let scale = S::one() / (u.value.square() + w.value.square());
        let stretch = (u.value * u.rate + w.value * w.rate) * scale.times(2.0); // (ρ²)˙/ρ²
        let by = from_fn(|c| (u.value * w.by[c] - w.value * u.by[c]) * scale);
        let by_rate = from_fn(|c| {
            (u.rate * w.by[c] - w.rate * u.by[c] + u.value * w.by_rate[c] - w.value * u.by_rate[c]) * scale
                - by[c] * stretch
        }); // (23)
        let rate = (u.value * w.rate - w.value * u.rate) * scale;
        let root = scale.sqrt();
        let beta = ChainAngle {
            sin: w.value * root,
            cos: u.value * root,
            rate,
            acceleration: (u.value * w.acceleration - w.value * u.acceleration) * scale - rate * stretch,
            by,
            by_rate,
            rate_by: by_rate,
        };
        (psi, beta)
    }

    /// k₁ and k₂: (10), (11), (27) and the derivatives around (28).
    #[inline(always)]
    fn velocities(
        &self,
        state: &ChainState<S>,
        psi: &ChainAngle<S>,
        beta: &ChainAngle<S>,
    ) -> (ChainVelocity<S>, ChainVelocity<S>) {
        let (thetad, thetadd) = state.theta();
        let (sb, cb, sp, cp) = (beta.sin, beta.cos, psi.sin, psi.cos);
        let (bd, pd, bdd, pdd) = (beta.rate, psi.rate, beta.acceleration, psi.acceleration);
        let (l1, a2) = (self.l1, self.l2.times(0.5));
        // Both are the same two sums, turned by β: the forearm's speed in the arm's plane, outward (k₁, negated) and down.
        let turned = |along: S, across: S| (a2 * (sb * along + cb * across), cb * along - sb * across);
        let (k1, k2) = turned(bd * cp, pd * sp); // (10), (11)
        let along = bdd * cp - (bd * pd * sp).times(2.0);
        let across = pdd * sp + (pd.square() + bd.square()) * cp;
        let (k1d, k2d) = turned(along, across);
        let (mut by_1, mut by_2, mut rate_1, mut rate_2) =
            ([S::zero(); 4], [S::zero(); 4], [S::zero(); 4], [S::zero(); 4]);
        for c in 0..4 {
            let (b, p) = (beta.by[c], psi.by[c]);
            (by_1[c], by_2[c]) = turned(b * cp, p * sp);
            // (27a), (27b), for θ too
            let along = beta.by_rate[c] * cp - (b * pd + p * bd) * sp;
            let across = psi.by_rate[c] * sp + (b * bd + p * pd) * cp;
            (rate_1[c], rate_2[c]) = turned(along, across);
        }
        by_1[THETA] = by_1[THETA] + l1 * state.sin;
        rate_1[THETA] = rate_1[THETA] + l1 * thetad * state.cos;
        // k₁ and k₂ are time derivatives of coordinates, so ∂k/∂q of (28) is d/dt ∂k/∂q̇ of (27).
        let first = ChainVelocity {
            value: l1 * thetad * state.sin + k1,
            rate: l1 * (thetadd * state.sin + thetad.square() * state.cos) + k1d,
            by: by_1,
            by_rate: rate_1,
            at: rate_1,
        };
        let second = ChainVelocity { value: k2, rate: k2d, by: by_2, by_rate: rate_2, at: rate_2 };
        (first, second)
    }

    /// d/dt ∂T₂/∂q̇ − ∂T₂/∂q + ∂V₂/∂q of this chain's forearm: its part of (19), (20).
    #[inline(always)]
    fn rod(&self, state: &ChainState<S>, gravity: Vec3<S>) -> Rows<S> {
        let (psi, beta) = self.passive(state);
        let (k1, k2) = self.velocities(state, &psi, &beta);
        let (s, c) = (state.sin, state.cos);
        let (thetad, thetadd) = state.theta();
        let (sp, cp) = (psi.sin, psi.cos);
        let (l1, l2) = (self.l1, self.l2);
        let i2 = self.m2 * l2.square().times(1.0 / 12.0);
        let half = l2.square().times(0.5);
        let link = l1 * l2;
        let cp_squared = cp.square();
        let turn = cp * sp; // −½ ∂cos²ψ/∂ψ
        let g = self.local(gravity);
        from_fn(|n| {
            let (p, b) = (psi.by[n], beta.by[n]);
            // (25), (26): d/dt ∂‖ẋ₂‖²/∂q̇
            let mut momentum_rate = (k1.rate * k1.by[n] + k1.value * k1.by_rate[n]).times(2.0)
                + half
                    * (cp_squared * (psi.acceleration * p + psi.rate * psi.by_rate[n])
                        - (turn * psi.rate.square() * p).times(2.0)
                        + k2.rate * k2.by[n]
                        + k2.value * k2.by_rate[n])
                + link * (c * (thetadd * k2.by[n] + thetad * k2.by_rate[n]) - s * thetad.square() * k2.by[n]);
            // (28): ∂‖ẋ₂‖²/∂q
            let mut slope = (k1.value * k1.at[n]).times(2.0)
                + half * (cp_squared * psi.rate * psi.rate_by[n] - turn * psi.rate.square() * p + k2.value * k2.at[n])
                + link * thetad * c * k2.at[n];
            if n == THETA {
                let own = l1.square().times(2.0);
                momentum_rate = momentum_rate
                    + own * (thetadd * c.square() - (thetad.square() * c * s).times(2.0))
                    + link * (c * k2.rate - thetad * s * k2.value);
                slope = slope - own * thetad.square() * c * s - link * thetad * s * k2.value;
            }
            // I₂ terms of (19) and of ∂T/∂q
            let spin_rate = cp_squared * (beta.acceleration * b + beta.rate * beta.by_rate[n])
                - (turn * psi.rate * beta.rate * b).times(2.0)
                + psi.acceleration * p
                + psi.rate * psi.by_rate[n];
            let spin_slope =
                cp_squared * beta.rate * beta.rate_by[n] - turn * beta.rate.square() * p + psi.rate * psi.rate_by[n];
            // −g·∂x₂/∂q with (7): ∂V₂/∂q
            let (along, across) = (b * cp, p * sp);
            let out = -(beta.sin * along + beta.cos * across);
            let down = beta.cos * along - beta.sin * across;
            let mut fall = (g[0] * out + g[1] * cp * p + g[2] * down) * l2.times(0.5);
            if n == THETA {
                fall = fall + l1 * (g[2] * c - g[0] * s);
            }
            self.m2 * ((momentum_rate - slope).times(0.5) - fall) + i2 * (spin_rate - spin_slope)
        })
    }

    /// The same of the upper arm and the elbow mass: only θ_i.
    #[inline(always)]
    fn arm(&self, state: &ChainState<S>, gravity: Vec3<S>) -> S {
        let g = self.local(gravity);
        let inertia = self.m1 * self.a1.square() + self.i1 + self.elbow * self.l1.square(); // (19d)
        let moment = self.m1 * self.a1 + self.elbow * self.l1;
        inertia * state.qdd[THETA] - moment * (g[2] * state.cos - g[0] * state.sin)
    }
}

impl<S: Scalar> Complete<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>) -> Self {
        Self {
            chains: map(parameters.arms, |arm| ChainConstants::new(&arm)),
            m0: parameters.platform_mass,
            gravity: to_paper(parameters.gravity),
        }
    }

    /// The passive angles, (12) corrected, in closed form.
    pub fn angles(&self, pose: &Pose<'_, S>) -> [PassiveAngles<S>; 3] {
        let theta = pose.arm_angles();
        let still = pose.moving(Vec3::zero());
        from_fn(|i| {
            let [u, w, h] = self.chains[i].forearm(&ChainState::new(&still, Vec3::zero(), [S::zero(); 3], i));
            let cos = (S::one() - h.value.square()).sqrt();
            PassiveAngles { psi: h.value.atan2(cos), gamma: w.value.atan2(u.value) - theta[i] }
        })
    }
}

impl<S: Scalar> Model<S> for Complete<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let thetadd = moving.joint_acceleration(acceleration);
        let x = to_paper(moving.pose.position);
        let states: [ChainState<S>; 3] = from_fn(|i| ChainState::new(moving, acceleration, thetadd, i));
        let rods: [Rows<S>; 3] = from_fn(|i| self.chains[i].rod(&states[i], self.gravity));
        let constraints: [(Vec3<S>, S); 3] = from_fn(|i| self.chains[i].constraint(x, &moving.pose.arms[i]));
        let a = Mat3::from_columns(map(constraints, |(column, _)| column));
        let platform = (to_paper(acceleration) - self.gravity) * self.m0;
        let b = platform + Vec3::from_fn(|c| rods[0][c] + rods[1][c] + rods[2][c]);
        let lambda = a.solve(b * S::from_f64(0.5)); // (29)
        from_fn(|i| {
            let own = self.chains[i].arm(&states[i], self.gravity) + rods[i][THETA];
            own - (constraints[i].1 * lambda[i]).times(2.0) // (30)
        })
    }
}
