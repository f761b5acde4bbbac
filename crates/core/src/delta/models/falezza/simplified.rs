//! The models `falezza-simplified` and `falezza-simplified-printed`: Falezza et al. 2022, (1)–(5). Frame and symbols:
//! the head of this folder.
//!
//! What the models replace: the upper arm is a uniform rod (centre of mass l₁/2, inertia m₁l₁²/3 about the axis)
//! whatever the file says; half of the forearm's mass sits at the elbow, half at the platform.
//!
//! Corrected (`docs/papers/falezza.md`), for z down:
//!
//! | where | printed | corrected |
//! | --- | --- | --- |
//! | (2), j′_z | −l₁ sin θ | +l₁ sin θ |
//! | V₀, V₁, V₂ and their derivatives | + | − |
//! | (4), a_1i and a_2i | + r | − r |
//! | (5), k_ii | (x cos α + y sin α + r) sin θ − z cos θ | l₁[(x cos α + y sin α − r) sin θ − z cos θ] |
//! | (5), v_i | +½(m₁ + m₂) g l₁ cos θ | −½(m₁ + m₂) g l₁ cos θ |
//! | (5), I | `I_1²[…]` | l₁²[…] (the scan; in both models) |
//!
//! The vector g = (0, 0, −g) of (4) is right for z down, while v_i is right for z up: as printed, the platform hangs
//! and the arms float.

use super::super::super::{Model, Moving, Parameters};
use super::{ChainConstants, to_paper};
use crate::algebra::{Mat3, Vec3};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;

/// The models `falezza-simplified` and `falezza-simplified-printed`: M_s, (4) and (5), corrected or letter by letter.
///
/// As printed it is of no use but to see what the misprints do, and only for upright robots, because it knows gravity as a number.
/// Its `a_1i`, `a_2i` are not the constraint's derivatives, so its λ are not the rods' forces and its mass matrix is
/// neither symmetric nor of use.
#[derive(Clone, Copy, Debug)]
pub struct Simplified<S> {
    chains: [ChainConstants<S>; 3],
    /// The diagonal of M: m₀ + ½ Σ m₂, kg.
    m: S,
    /// The diagonal of I: l₁²(m₁/3 + m₂/2), kg m².
    i: [S; 3],
    /// ½(m₁ + m₂) l₁, kg m.
    moment: [S; 3],
    /// Acceleration of gravity in the paper's frame: −g of (4).
    gravity: Vec3<S>,
    printed: bool,
}

impl<S: Scalar> Simplified<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>, printed: bool) -> Self {
        let chains = map(parameters.arms, |arm| ChainConstants::new(&arm));
        let [a, b, c] = map(chains, |chain| chain.m2);
        let gravity = to_paper(parameters.gravity);
        Self {
            chains,
            m: parameters.platform_mass + (a + b + c).times(0.5),
            i: map(chains, |c| c.l1.square() * (c.m1.times(1.0 / 3.0) + c.m2.times(0.5) + c.elbow)),
            moment: map(chains, |c| c.l1 * ((c.m1 + c.m2).times(0.5) + c.elbow)),
            gravity: if printed { Vec3::new(S::zero(), S::zero(), gravity[2]) } else { gravity },
            printed,
        }
    }
}

impl<S: Scalar> Model<S> for Simplified<S> {
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let (x, xdd) = (to_paper(moving.pose.position), to_paper(acceleration));
        let thetadd = moving.joint_acceleration(acceleration);
        let rows: [(Vec3<S>, S); 3] = from_fn(|n| match self.printed {
            true => self.chains[n].printed_constraint(x, &moving.pose.arms[n]),
            false => self.chains[n].constraint(x, &moving.pose.arms[n]),
        });
        let a = Mat3::from_columns(map(rows, |(column, _)| column));
        let lambda = a.solve((xdd - self.gravity) * self.m.times(0.5)); // (4)
        from_fn(|n| {
            let arm = &moving.pose.arms[n];
            // v_i with any gravity: minus gravity along ∂j′/∂θ, which is (−sin θ, 0, cos θ) in the arm's plane.
            let g = self.chains[n].local(self.gravity);
            let v = match self.printed {
                true => self.moment[n] * self.gravity[2] * arm.cos_q,
                false => self.moment[n] * (g[0] * arm.sin_q - g[2] * arm.cos_q),
            };
            self.i[n] * thetadd[n] + v - (rows[n].1 * lambda[n]).times(2.0) // (5)
        })
    }
}
