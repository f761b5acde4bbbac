//! The model `falezza-complete-printed`: Falezza et al. 2022, (6)–(30), as printed. Frame and symbols: the head of this
//! folder; what is wrong, line by line: `complete.rs` and `docs/papers/falezza.md`.
//!
//! The paper says its model is given with every term; this is what comes out if one types it in. How it was read where
//! the print leaves a choice:
//!
//! - z down; `A` and `K` with + r, `K` without l₁, no m₀ẍ in (19), −m₂g in ∂V/∂z: all as printed.
//! - The derivatives of h_i and n_i are not printed; they are taken of the printed h_i, n_i, without error.
//! - Dots read charitably: where ∂ψ/∂ẋ is printed, whose literal value is zero, ∂ψ̇/∂ẋ is meant; the second pair
//!   "∂k/∂θ" (the one that begins with l₁ sin θ) is ∂k/∂θ̇, and inside it and its d/dt every ∂/∂θ is ∂/∂θ̇.
//! - ḣḣ in ψ̈ is ḣ², n² in ∂γ̇/∂x is n², and so on: no factor is repaired. `c_2`, defined nowhere, is a₂.
//! - The expression printed for d‖ẋ₂‖²/dx serves y and z "by the same pattern", with no other change.

use super::super::super::{Model, Moving, Parameters, Pose};
use super::{ChainAngle, ChainConstants, ChainState, ChainVelocity, PassiveAngles, Sloped, THETA, to_paper};
use crate::algebra::{Mat3, Vec3, difference};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;

/// The model `falezza-complete-printed`: M_f, (6)–(30), letter by letter. Of no use but to see what the misprints do;
/// only for upright robots, because it knows gravity as a number.
///
/// Its velocity terms are **not** a homogeneous quadratic form: the misprinted ψ̈, ∂γ̇/∂x and (25)–(28) mix powers of the
/// velocity (h² where h ḣ is meant, θ̇ where θ̈ is meant, and products of three rates). So
/// [`Model::coriolis_matrix`], which polarises a quadratic form, does not reproduce its velocity torque. The torque is
/// still affine in the acceleration, but with factors that depend on the velocity (ψ̈ ψ̇ in (25), θ̇ θ̈ in (26)):
/// [`Model::mass_matrix`] holds at rest, and the forward dynamics takes its matrix at the velocity.
#[derive(Clone, Copy, Debug)]
pub struct CompletePrinted<S> {
    chains: [ChainConstants<S>; 3],
    g: S,
}

impl<S: Scalar> Sloped<S> {
    /// ψ = arccos h with (13), ψ̈, (22)–(24) and ∂ψ̇/∂q as printed.
    #[inline(always)]
    fn printed_angle(&self) -> ChainAngle<S> {
        let Self { value: h, rate, acceleration, by, by_rate } = *self;
        let sin_squared = S::one() - h.square();
        let sin = sin_squared.sqrt();
        let scale = -(S::one() / sin);
        let cubed = scale / sin_squared; // −1/(1 − h²)^{3/2}
        ChainAngle {
            sin,
            cos: h,
            rate: scale * rate,                                                            // (13)
            acceleration: cubed * (acceleration * sin_squared + rate * rate),              // ḣḣ, printed
            by: map(by, |d| scale * d),                                                    // (22)
            by_rate: from_fn(|c| cubed * (by[c] * h * rate + by_rate[c] * sin_squared)),   // (23), (24)
            rate_by: from_fn(|c| cubed * (by[c] * h.square() + by_rate[c] * sin_squared)), // h², printed
        }
    }
}

impl<S: Scalar> ChainConstants<S> {
    /// h_i and n_i of (12), with the derivatives that the paper leaves to the reader.
    #[inline(always)]
    fn printed_cosines(&self, state: &ChainState<S>) -> (Sloped<S>, Sloped<S>) {
        let (ca, sa, s, c) = (self.cos_alpha, self.sin_alpha, state.sin, state.cos);
        let (r, l1, o) = (self.r, self.l1, S::zero());
        let [x, y, z] = state.x.0;
        let [xd, yd, zd, thetad] = state.qd;
        let (p, pd) = (x * ca + y * sa - r, xd * ca + yd * sa);
        let twice = l1.times(2.0);
        let double = thetad * (c.square() - s.square()); // (sin θ cos θ)˙
        let scale = S::one() / self.l2;
        let scaled = |value: S, by: [S; 4], by_rate: [S; 4]| {
            Sloped::new(value * scale, map(by, |d| d * scale), map(by_rate, |d| d * scale), state)
        };
        let h = scaled(
            c * p - l1 * c.square(),
            [c * ca, c * sa, o, twice * c * s - s * p],
            [-(s * thetad * ca), -(s * thetad * sa), o, twice * double - c * thetad * p - s * pd],
        );
        let ca_squared = ca.square();
        let n = scaled(
            x * c * ca - (r * c + l1 * c.square()) * ca_squared + z * s - l1 * s.square(),
            [c * ca, o, s, (r * s + twice * c * s) * ca_squared + z * c - x * s * ca - twice * s * c],
            [
                -(s * thetad * ca),
                o,
                c * thetad,
                (r * c * thetad + twice * double) * ca_squared + zd * c
                    - z * s * thetad
                    - xd * s * ca
                    - x * c * thetad * ca
                    - twice * double,
            ],
        );
        (h, n)
    }

    /// This chain's part of b of (29) and its row n + c + g of (30).
    #[inline(always)]
    fn printed_rows(&self, state: &ChainState<S>, g: S) -> (Vec3<S>, S) {
        let (h, n) = self.printed_cosines(state);
        let (psi, gamma) = (h.printed_angle(), n.printed_angle());
        let (s, c) = (state.sin, state.cos);
        let (thetad, thetadd) = state.theta();
        let (sb, cb) = (s * gamma.cos + c * gamma.sin, c * gamma.cos - s * gamma.sin); // β = θ + γ
        let (sp, cp) = (psi.sin, psi.cos);
        let (pd, pdd) = (psi.rate, psi.acceleration);
        let (bd, bdd) = (thetad + gamma.rate, thetadd + gamma.acceleration);
        let (ca, sa) = (self.cos_alpha, self.sin_alpha);
        let (l1, l2, m2) = (self.l1, self.l2, self.m2);
        let a2 = l2.times(0.5);
        let one = S::one();
        let i2 = m2 * l2.square().times(1.0 / 3.0);

        let mut k1 = ChainVelocity {
            value: l1 * thetad * s + a2 * (bd * sb * cp + cb * pd * sp), // (10)
            rate: l1 * (thetadd * s + thetad.square() * c)
                + a2 * (bdd * sb * cp + bd.square() * cb * cp)
                + a2 * (cb * (pdd * sp + pd.square() * cp) - (bd * sb * pd * sp).times(2.0)),
            by: [S::zero(); 4],
            by_rate: [S::zero(); 4],
            at: [S::zero(); 4],
        };
        let mut k2 = ChainVelocity {
            value: bd * cb * cp - sb * pd * sp, // (11)
            rate: bdd * cb * cp
                - bd.square() * sb * cp
                - (bd * cb * pd * sp).times(2.0)
                - sb * (pdd * sp + pd.square() * cp),
            ..k1
        };
        for n in 0..3 {
            let (gn, dg, pn, dp) = (gamma.by[n], gamma.by_rate[n], psi.by[n], psi.by_rate[n]);
            k1.by[n] = a2 * (gn * sb * cp + pn * cb * sp);
            k2.by[n] = gn * cb * cp - pn * sb * sp;
            k1.by_rate[n] = a2 * (dg * sb * cp + gn * bd * cb * cp - gn * sb * pd * sp)
                + a2 * (dp * cb * sp - pn * bd * sb * sp + pn * cb * pd * cp); // (27a)
            k2.by_rate[n] = dg * cb * cp
                - gn * bd * sb * cp
                - gn * cb * pd * sp
                - (dp * sb * sp + pn * bd * cb * sp + pn * sb * pd * cp); // (27b)
            let along = gamma.rate_by[n] * cp - bd * pn * sp - gn * pd * sp;
            let across = bd * gn * cp + psi.rate_by[n] * sp + pd * pn * cp;
            k1.at[n] = a2 * (sb * along + cb * across);
            k2.at[n] = cb * along - sb * across;
        }
        {
            // ∂/∂θ̇, d/dt ∂/∂θ̇ and ∂/∂θ, each as printed
            let (gn, dg, pn, dp) = (gamma.by[THETA], gamma.by_rate[THETA], psi.by[THETA], psi.by_rate[THETA]);
            k1.by[THETA] = l1 * s + a2 * ((one + gn) * sb * cp + sb * pn * sp);
            k2.by[THETA] = (one + gn) * cb * cp - sb * pn * sp;
            k1.by_rate[THETA] = (l1 * thetad * c).times(2.0)
                + a2 * ((dg * sb + (bd * (one + gn) * cb).times(2.0)) * cp)
                + a2 * (cb * (dp * sp + (pd * pn * cp).times(2.0)))
                - l2 * sb * sp * ((one + pn * pd) * pd + bd * pn);
            k2.by_rate[THETA] =
                (dg * cb - gn * bd * sb) * cp - gn * cb * pd * sp - (bd * cb * pn + sb * dp) * sp - sb * pn * pd * cp;
            let along = gamma.rate_by[THETA] * cp - bd * pn * sp - (one + gn) * pd * sp;
            k1.at[THETA] = a2 * (sb * along)
                + a2 * (cb * (psi.rate_by[THETA] * sp + bd * gn * cp + pn * pd * cp))
                + l1 * thetad * c; // (28)
            k2.at[THETA] = cb * along + sb * (psi.rate_by[THETA] * sp - bd * (one + gn) * cp - pn * pd * cp); // (28)
        }

        let half = l2.square().times(0.5);
        let (sa_squared, mix) = (sa.square(), cp * ca + sp * sa);
        let turn = cp * sa - sp * ca; // ∂mix/∂ψ
        // The lines that (25) and (26) have in common.
        let momentum_rate = |n: usize| {
            let (pn, dp) = (psi.by[n], psi.by_rate[n]);
            (k1.rate * k1.by[n] + k1.value * k1.by_rate[n]).times(2.0)
                + half * sa_squared * (pdd * pn + pd * dp)
                + l2 * sa * ((pdd * cp * sa - pd * sp * ca) * (k1.by[n] * pd + k1.value * pn))
                + l2 * sa * (mix * (k1.by_rate[n] * pd + k1.by[n] * pdd + k1.value * dp + k1.value * dp))
                + a2 * (k2.rate * k2.by[n] + k2.value * k2.by_rate[n])
        };
        // The lines that ∂‖ẋ₂‖²/∂x and (28) have in common.
        let slope = |n: usize| {
            (k1.value * k1.at[n]).times(2.0)
                + l2 * sa * ((k1.at[n] * pd + k1.value * psi.rate_by[n]) * mix)
                + l2 * sa * (k1.value * pd * psi.by[n] * turn)
        };

        let cartesian = Vec3::from_fn(|n| {
            let link = l2 * l1 * (thetadd * c * k2.by[n] - thetad.square() * s * k2.by[n] + thetad * c * k2.by_rate[n]);
            let momentum_rate = momentum_rate(n) + link; // (25)
            let slope = slope(n) + half * (psi.rate_by[n] * pd * sa_squared + k2.at[n] * (k2.value + l1 * thetad * c));
            let spin_rate = bdd * gamma.by[n] + bd * gamma.by_rate[n] + pdd * psi.by[n] + pd * psi.by_rate[n];
            let spin_slope = gamma.rate_by[n] * bd + pd * psi.rate_by[n];
            let fall = m2 * g * a2 * (gamma.by[n] * cb * cp - sb * psi.by[n] * sp);
            // (19a–c) − ∂T/∂x + ∂V/∂x
            (m2 * momentum_rate).times(0.5) + i2 * spin_rate - ((m2 * slope).times(0.5) + i2 * spin_slope) - fall
        });

        let joint = {
            let n = THETA;
            let momentum_rate = momentum_rate(n)
                + l1.times(2.0) * (thetad * c.square() - (thetad.square() * c * s).times(2.0))
                + l2 * l1
                    * (c * (k2.rate + thetadd * k2.by[n] + thetad * k2.by_rate[n])
                        - thetad * s * (k2.value + thetadd * k2.by[n])); // (26)
            let slope = slope(n) + half * (psi.rate_by[n] * pd * sa_squared + k2.at[n] * k2.value)
                - (l1.square() * thetad.square() * c * s).times(2.0)
                + l2 * l1 * thetad * (c * k2.at[n] - k2.value * s); // (28)
            let arm = (self.m1 * l1.square()).times(0.25) + self.i1 + self.elbow * l1.square();
            let spin_rate = bdd * (one + gamma.by[n]) + bd * gamma.by_rate[n];
            let spin_slope = gamma.rate * gamma.rate_by[n] + pd * psi.rate_by[n];
            let fall = (self.m1.times(0.5) + m2 + self.elbow) * g * l1 * c
                + m2 * g * a2 * ((one + gamma.by[n]) * cb * cp - sb * psi.by[n] * sp);
            // (19d) − ∂T/∂θ + ∂V/∂θ
            arm * thetadd + (m2 * momentum_rate).times(0.5) + i2 * spin_rate
                - ((m2 * slope).times(0.5) + i2 * spin_slope)
                - fall
        };
        (cartesian, joint)
    }
}

impl<S: Scalar> CompletePrinted<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>) -> Self {
        Self { chains: map(parameters.arms, |arm| ChainConstants::new(&arm)), g: -parameters.gravity[2] }
    }

    /// The passive angles, (12) as printed.
    pub fn angles(&self, pose: &Pose<'_, S>) -> [PassiveAngles<S>; 3] {
        let still = pose.moving(Vec3::zero());
        from_fn(|i| {
            let (h, n) = self.chains[i].printed_cosines(&ChainState::new(&still, Vec3::zero(), [S::zero(); 3], i));
            let arccos = |cos: S| (S::one() - cos.square()).sqrt().atan2(cos);
            PassiveAngles { psi: arccos(h.value), gamma: arccos(n.value) }
        })
    }
}

impl<S: Scalar> Model<S> for CompletePrinted<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let thetadd = moving.joint_acceleration(acceleration);
        let x = to_paper(moving.pose.position);
        let rows: [(Vec3<S>, S); 3] =
            from_fn(|i| self.chains[i].printed_rows(&ChainState::new(moving, acceleration, thetadd, i), self.g));
        let constraints: [(Vec3<S>, S); 3] = from_fn(|i| self.chains[i].printed_constraint(x, &moving.pose.arms[i]));
        let a = Mat3::from_columns(map(constraints, |(column, _)| column));
        let [first, second, third] = map(self.chains, |chain| chain.m2);
        // −m₂g in ∂V/∂z, printed for −m₀g; one m₂ for all chains in the paper, their mean here.
        let weight = (first + second + third) * self.g.times(1.0 / 3.0);
        let b = rows[0].0 + rows[1].0 + rows[2].0 - Vec3::new(S::zero(), S::zero(), weight);
        let lambda = a.solve(b * S::from_f64(0.5)); // (29)
        from_fn(|i| rows[i].1 - (constraints[i].1 * lambda[i]).times(2.0)) // (30)
    }

    fn acceleration(&self, moving: &Moving<'_, S>, torque: [S; 3], force: Vec3<S>) -> Vec3<S> {
        let drift = moving.platform_acceleration([S::zero(); 3]);
        let held = self.torque(moving, drift, force);
        let k = moving.pose.inverse_jacobian().transpose();
        let inertia =
            Mat3::from_columns(map(k.0, |column| Vec3(difference(self.torque(moving, drift + column, force), held))));
        moving.platform_acceleration(inertia.solve(Vec3(difference(torque, held))).0)
    }
}
