//! What a contact does: Hunt and Crossley's compliant law with its damping solved for the restitution, and Coulomb's
//! friction.
//!
//! K. H. Hunt and F. R. E. Crossley, *Coefficient of restitution interpreted as damping in vibroimpact*, Journal of
//! Applied Mechanics 42 (1975):
//!
//! ```text
//! F = k δⁿ (1 + d δ̇),   F ≥ 0                                                                             (1)
//! ```
//!
//! Two bodies of reduced mass m that meet with speed u move as m δ̈ = −F. With δ̈ = δ̇ dδ̇/dδ the variables separate,
//! δ̇ dδ̇/(1 + d δ̇) = −(k/m) δⁿ dδ, and the right side has the same integral on the way in and on the way out. So has
//! the left one, from u to 0 as from −e u to 0:
//!
//! ```text
//! a (1 + e) = ln((1 + a)/(1 − e a)),   a = d u                                                            (2)
//! ```
//!
//! whatever k, n and m are. The usual d ≈ 3(1 − e)/2u is the first term of its solution near e = 1; asked for 0.5 it
//! gives a restitution of 0.66, asked for 0.1 one of 0.52. Here (2) is solved.

use super::super::{SimulationError, SimulationResult};
use crate::Vec3;

/// How a contact answers an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// By its compliance: the impact takes the time that it takes.
    #[default]
    Compliant,
    /// At once, by an impulse with Newton's restitution. What comes to rest is carried by the compliance.
    Impulsive,
}

impl Response {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Compliant, Self::Impulsive];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compliant => "compliant",
            Self::Impulsive => "impulsive",
        }
    }
}

/// A contact law. Stiffness and friction count for each point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// How impacts are answered.
    pub response: Response,
    /// k of (1), N/mⁿ.
    pub stiffness: f64,
    /// n of (1): 3/2 for round bodies (Hertz), 1 for a linear spring.
    pub exponent: f64,
    /// e: speed after over speed before an impact, 0 < e ≤ 1.
    pub restitution: f64,
    /// μ of Coulomb.
    pub friction: f64,
    /// Impacts slower than this come to rest, m/s: their restitution is at most [`ContactLaw::REST`].
    pub resting_speed: f64,
    /// The speed v₀ of tanh(v/v₀) that smooths the friction, m/s: what is held by friction creeps more slowly.
    pub creep_speed: f64,
}

impl Default for ContactLaw {
    /// Plastic bricks, roughly.
    fn default() -> Self {
        Self {
            response: Response::Compliant,
            stiffness: 1e7,
            exponent: 1.5,
            restitution: 0.5,
            friction: 0.5,
            resting_speed: 0.02,
            creep_speed: 1e-3,
        }
    }
}

impl std::fmt::Display for ContactLaw {
    /// All its numbers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { response, stiffness, exponent, restitution, friction, resting_speed, creep_speed } = self;
        let response = response.as_str();
        write!(
            f,
            "{response}, restitution {restitution}, friction {friction}, stiffness {stiffness:e} N/m^{exponent}, \
             resting speed {resting_speed} m/s, creep speed {creep_speed} m/s"
        )
    }
}

impl ContactLaw {
    /// The restitution of an impact that is slower than the resting speed, unless the law's own is less.
    pub const REST: f64 = 0.5;

    /// Refuses impossible coefficients.
    pub fn check(&self) -> SimulationResult<()> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        for (what, value, good, must) in [
            ("stiffness", self.stiffness, positive(self.stiffness), "positive"),
            ("exponent", self.exponent, (1.0..=4.0).contains(&self.exponent), "from 1 to 4"),
            (
                "restitution",
                self.restitution,
                (0.01..=1.0).contains(&self.restitution),
                "from 0.01 to 1: (2) has no solution at 0",
            ),
            ("friction", self.friction, self.friction == 0.0 || positive(self.friction), "zero or positive"),
            ("resting speed", self.resting_speed, positive(self.resting_speed), "positive"),
            ("creep speed", self.creep_speed, positive(self.creep_speed), "positive"),
        ] {
            if !good {
                return Err(SimulationError::BadContact { what, value, must });
            }
        }
        Ok(())
    }

    /// d of (1) for an impact with this speed, s/m.
    pub fn damping(&self, speed: f64) -> f64 {
        if speed > self.resting_speed {
            impact_damping(self.restitution) / speed
        } else {
            impact_damping(self.restitution.min(Self::REST)) / self.resting_speed
        }
    }

    /// Elastic and whole force at a depth that grows with `rate`, N.
    pub(crate) fn normal(&self, depth: f64, rate: f64, damping: f64) -> (f64, f64) {
        let elastic = self.stiffness * power(depth.max(0.0), self.exponent);
        (elastic, (elastic * (1.0 + damping * rate)).max(0.0))
    }

    /// k δⁿ⁺¹/(n + 1), J.
    pub(crate) fn stored(&self, depth: f64) -> f64 {
        let depth = depth.max(0.0);
        self.stiffness * power(depth, self.exponent) * depth / (self.exponent + 1.0)
    }

    /// Depth that carries a load at rest, m.
    pub fn depth(&self, load: f64) -> f64 {
        (load.max(0.0) / self.stiffness).powf(1.0 / self.exponent)
    }

    /// The force on a point that slides with `velocity` under the normal force: −μ N tanh(v/v₀).
    pub(crate) fn friction(&self, normal: f64, velocity: Vec3<f64>) -> Vec3<f64> {
        let speed = velocity.norm_squared().sqrt();
        let share = speed / self.creep_speed;
        // tanh(s)/s without 0/0: its series to rounding below 1e-4.
        let slope = if share < 1e-4 { 1.0 - share * share / 3.0 } else { share.tanh() / share };
        velocity * (-self.friction * normal * slope / self.creep_speed)
    }
}

fn power(depth: f64, exponent: f64) -> f64 {
    if exponent == 1.5 {
        depth * depth.sqrt()
    } else if exponent == 1.0 {
        depth
    } else {
        depth.powf(exponent)
    }
}

/// a = d u of (2) for a restitution in (0, 1].
///
/// f(a) = ln(1 + a) − ln(1 − e a) − a(1 + e) starts at 0 downwards, as −(1 − e²)a²/2, and goes to +∞ at 1/e: the root
/// between is the only one. Written with x = −ln(1 − e a), so that e near 0, where a → 1/e, loses no digits:
/// a = (1 − e⁻ˣ)/e.
pub fn impact_damping(restitution: f64) -> f64 {
    let e = restitution;
    if e >= 1.0 {
        return 0.0;
    }
    let a = |x: f64| -(-x).exp_m1() / e;
    // Near e = 1 both logarithms and the linear terms cancel: their series do not.
    let f = |x: f64| {
        let a = a(x);
        if a < 1e-2 {
            // Σ aᵏ (eᵏ + (−1)ᵏ⁺¹)/k from k = 2: the linear terms are gone.
            let mut sum = 0.0;
            for k in (2..12_i32).rev() {
                let sign = if k % 2 == 0 { -1.0 } else { 1.0 };
                sum = sum * a + (e.powi(k) + sign) / f64::from(k);
            }
            sum
        } else {
            (a.ln_1p() + x - a * (1.0 + e)) / (a * a)
        }
    };
    let (mut low, mut high) = (0.0, 1.0);
    while f(high) < 0.0 {
        low = high;
        high *= 2.0;
    }
    // Bisection to neighbouring numbers: at most about sixty steps, and only when an impact begins.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return a(high);
        }
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
}
