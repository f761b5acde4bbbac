//! What a contact does: Hunt and Crossley's compliant law with its damping solved for the restitution, Coulomb's friction, and
//! impacts that take no time.
//!
//! K. H. Hunt and F. R. E. Crossley, *Coefficient of restitution interpreted as damping in vibroimpact*, Journal of
//! Applied Mechanics 42 (1975):
//!
//! ```text
//! F = k δⁿ (1 + d δ̇),   F ≥ 0                                                                             (1)
//! ```
//!
//! Two bodies that meet with speed u lose and regain as much depth, so that (`docs/contact.md` derives it)
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

/// A contact that takes part.
pub(super) struct ImpactContact {
    /// Speed along the normal that it must have at least afterwards, m/s.
    pub target: f64,
    /// μ.
    pub friction: f64,
}

/// Sweeps after which the impulses are taken as they are: stacked bricks need some hundreds.
const SWEEPS: usize = 20_000;

/// Impacts that take no time: Newton's restitution, Coulomb's friction, through masses and constraints. With the velocities'
/// response K = M⁻¹ − M⁻¹Hᵀ(HM⁻¹Hᵀ)⁻¹HM⁻¹ to an impulse and the directions g of the contacts,
///
/// ```text
/// u⁺ = u⁻ + W P,   W = gᵀK g                                                                              (3)
/// P_n ≥ 0,   u_n⁺ ≥ −e u_n⁻,   P_n (u_n⁺ + e u_n⁻) = 0,   |P_t| ≤ μ P_n, opposed to u_t⁺                 (4)
/// ```
///
/// P of (4), three per contact (normal, two tangents), from W (row by row) and u⁻, for all contacts together by projected
/// gradients with momentum (Nesterov), restarted where they overshoot. Four corners of a brick have three freedoms, so W is
/// singular: the velocities are unique all the same. All contacts are updated at once, not one after the other, so that impulses
/// stay as symmetric as the brick is.
pub(super) fn solve(w: &[f64], before: &[f64], impacts: &[ImpactContact]) -> Vec<f64> {
    let n = before.len();
    // Row sums bound the eigenvalues: a step that always goes down. The same for both tangents, so that friction stays
    // opposed to the sliding.
    let bound = |i: usize| w[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum::<f64>();
    let step = |size: f64| if size > 0.0 { 1.0 / size } else { 0.0 };
    let steps: Vec<[f64; 2]> =
        (0..impacts.len()).map(|c| [step(bound(3 * c)), step(bound(3 * c + 1).max(bound(3 * c + 2)))]).collect();
    let (mut p, mut next, mut ahead) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut momentum = 1.0_f64;
    for _ in 0..SWEEPS {
        let (mut changed, mut size, mut uphill) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (c, impact) in impacts.iter().enumerate() {
            let speed =
                |i: usize| before[i] + w[i * n..(i + 1) * n].iter().zip(&ahead).map(|(w, p)| w * p).sum::<f64>();
            let [i, j, k] = [3 * c, 3 * c + 1, 3 * c + 2];
            let excess = [speed(i) - impact.target, speed(j), speed(k)];
            let normal = (ahead[i] - excess[0] * steps[c][0]).max(0.0);
            let mut tangent = [ahead[j] - excess[1] * steps[c][1], ahead[k] - excess[2] * steps[c][1]];
            let (length, most) = (tangent[0].hypot(tangent[1]), impact.friction * normal);
            if length > most {
                let share = if length > 0.0 { most / length } else { 0.0 };
                tangent = tangent.map(|x| x * share);
            }
            for (row, value) in [(i, normal), (j, tangent[0]), (k, tangent[1])] {
                next[row] = value;
                uphill += excess[row - i] * (value - p[row]);
                changed = changed.max((value - p[row]).abs());
            }
            size = size.max(normal);
        }
        let before_last = momentum;
        momentum = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) };
        let share = if uphill > 0.0 { 0.0 } else { (before_last - 1.0) / momentum };
        for i in 0..n {
            ahead[i] = next[i] + share * (next[i] - p[i]);
        }
        std::mem::swap(&mut p, &mut next);
        if changed <= f64::EPSILON * size {
            break;
        }
    }
    p
}
