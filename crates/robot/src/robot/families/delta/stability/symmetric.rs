//! The symmetric pose of a symmetric Delta: all arms at one angle, gravity along the axis. Closed form.
//!
//! Per arm, with c = R + L_A cos q, the depth of the platform is L_A sin q + h, h = √(L_B² − c²), and the potential energy
//!
//! ```text
//! V = −g (μ_s sin q + μ_h h),   μ_s = μ + L_A m_g/3,   μ_h = m_g/3                                          (1)
//! K = V″ = g (μ_s sin q − μ_h h″),   h″ = (c L_A cos q − L_A² sin² q)/h − (c L_A sin q)²/h³                 (2)
//! ```
//!
//! (μ: first moment of arm, elbow and the rod's upper share about the motor axis; m_g: mass that weighs like platform,
//! payload and the rods' lower share; g positive downward.) K is the stiffness of the heave mode δq₁ = δq₂ = δq₃ under a
//! constant torque; neither inertia nor damping nor the size of g is in its sign. Usually (μ_s > 0, R > 0, gravity away from
//! the base) K < 0 with arms horizontal and K > 0 with arms straight down: in between lies the crossing. Counterweights turn
//! the sides round, and a platform larger than the base can have a second crossing. With x = cos q, h² = L_B² − c² the condition K = 0, squared, is
//!
//! ```text
//! μ_s² (1 − x²) (h²)³ = μ_h² [L_A (c x − L_A (1 − x²)) h² − c² L_A² (1 − x²)]²,   c = R + L_A x,             (3)
//! ```
//!
//! a polynomial of degree eight in cos q: the crossing is one of its roots, the one at which (2) itself vanishes. There is
//! no formula in radicals for its roots in general; they are the eigenvalues of its companion matrix.

use super::at_rest;
use crate::Scalar;
use crate::delta::{Assembly, Branch, Delta, SINGULAR};
use crate::linear::Matrix;
use crate::robot::stability::Crossing;

/// The constants of (1)–(3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heave {
    /// g, positive where gravity pulls the platform away from the base, m/s².
    pub gravity: f64,
    /// μ_s, kg m.
    pub arm_moment: f64,
    /// μ_h, kg.
    pub platform_share: f64,
    /// R, m.
    pub radius: f64,
    /// L_A, m.
    pub la: f64,
    /// L_B, m.
    pub lb: f64,
}

/// Why a robot has no symmetric pose.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum NotSymmetric {
    /// Its joints do not read the angles of the arms.
    #[error("the joints have zero offsets: the crossings are those of arms whose joints read their angles")]
    Offset,
    /// An arm has its centre of mass beside its line.
    #[error(
        "the centre of mass of upper arm {arm} is beside the line motor axis–elbow: the crossings are those of arms that have it on this line"
    )]
    CenterOfMass { arm: usize },
    #[error("arm {arm} differs from arm 1")]
    Arms { arm: usize },
    #[error("the arms are not 120° apart")]
    Azimuths,
    #[error("gravity ({x}, {y}, {z}) is not along the robot's axis")]
    Gravity { x: f64, y: f64, z: f64 },
    #[error("there is no gravity")]
    Weightless,
}

impl Heave {
    /// The constants of a symmetric robot.
    pub fn of(robot: &Delta<f64>) -> Result<Self, NotSymmetric> {
        let p = robot.parameters();
        let [x, y, z] = p.gravity.0;
        let size = x.hypot(y).hypot(z);
        if size == 0.0 {
            return Err(NotSymmetric::Weightless);
        }
        if x.hypot(y) > 1e-12 * size {
            return Err(NotSymmetric::Gravity { x, y, z });
        }
        if p.arms.iter().any(|arm| arm.zero_offset.is_some()) {
            return Err(NotSymmetric::Offset);
        }
        if let Some(arm) = p.arms.iter().position(|arm| arm.upper_arm.is_off_line()) {
            return Err(NotSymmetric::CenterOfMass { arm: arm + 1 });
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let arms = robot.lumped_arms();
        for (i, arm) in arms.iter().enumerate().skip(1) {
            let pairs = [
                (arm.radius, arms[0].radius),
                (arm.la, arms[0].la),
                (arm.lb, arms[0].lb),
                (arm.moment, arms[0].moment),
                (arm.inertia, arms[0].inertia),
                (arm.m_ca, arms[0].m_ca),
            ];
            // R may be zero as the difference of two radii.
            let near = |(a, b): (f64, f64)| same(a, b) || (a - b).abs() <= 1e-12 * arm.la;
            if !pairs.into_iter().all(near) {
                return Err(NotSymmetric::Arms { arm: i + 1 });
            }
            // cos and sin of the angle to the arm before: 120° one way round or the other.
            let before = &arms[i - 1];
            let cos = arm.cos * before.cos + arm.sin * before.sin;
            let sin = arm.sin * before.cos - arm.cos * before.sin;
            if (cos + 0.5).abs() > 1e-9 || (sin.abs() - 0.75_f64.sqrt()).abs() > 1e-9 {
                return Err(NotSymmetric::Azimuths);
            }
        }
        let share = robot.platform_weight() / 3.0;
        Ok(Self {
            gravity: -z,
            arm_moment: arms[0].moment + arms[0].la * share,
            platform_share: share,
            radius: arms[0].radius,
            la: arms[0].la,
            lb: arms[0].lb,
        })
    }

    /// (2): the stiffness per arm, N m/rad; NaN where the rods cannot meet.
    pub fn stiffness(&self, q: f64) -> f64 {
        let (sin, cos) = Scalar::sin_cos(q);
        let c = self.radius + self.la * cos;
        let h = (self.lb * self.lb - c * c).sqrt();
        let slope = c * self.la * sin;
        let second = (c * self.la * cos - self.la * self.la * sin * sin) / h - slope * slope / (h * h * h);
        self.gravity * (self.arm_moment * sin - self.platform_share * second)
    }

    /// Whether the pose with all arms at one angle has its elbows out: w = L_A(c sin q + h cos q) > 0.
    fn elbows_out(&self, q: f64) -> bool {
        let (sin, cos) = Scalar::sin_cos(q);
        let c = self.radius + self.la * cos;
        let h = (self.lb * self.lb - c * c).sqrt();
        c * sin + h * cos > SINGULAR * self.lb
    }

    /// The crossing in closed form: of several the one next to the arms hanging straight down.
    pub fn crossing(&self) -> Option<Crossing> {
        self.crossings().first().copied()
    }

    /// All crossings in closed form: roots of (3) at which (2) changes its sign, elbows out, from arms straight down to
    /// arms straight up.
    pub fn crossings(&self) -> Vec<Crossing> {
        let (a, b) = (self.la, self.lb);
        // Polynomials in x, lowest power first.
        let c = vec![self.radius, a];
        let s2 = vec![1.0, 0.0, -1.0];
        let h2 = sum(&[b * b], &times(&c, &c), -1.0);
        let left = scaled(&times(&s2, &times(&h2, &times(&h2, &h2))), self.arm_moment * self.arm_moment);
        let bend = sum(&times(&c, &[0.0, a]), &scaled(&s2, a * a), -1.0);
        let bracket = sum(&times(&bend, &h2), &scaled(&times(&times(&c, &c), &s2), a * a), -1.0);
        let right = scaled(&times(&bracket, &bracket), self.platform_share * self.platform_share);
        let mut found: Vec<f64> = Vec::new();
        for x in real_roots(&sum(&left, &right, -1.0)) {
            if !(-1.0..=1.0).contains(&x) {
                continue;
            }
            for q in [x.acos(), -x.acos()] {
                if let Some(root) = self.polished(q)
                    && self.elbows_out(root)
                    && found.iter().all(|other| (other - root).abs() > 1e-7)
                {
                    found.push(root);
                }
            }
        }
        found.retain(|q| q.abs() <= std::f64::consts::FRAC_PI_2);
        found.sort_by(|a, b| b.total_cmp(a));
        // Roots are told apart to 1e-7; nearer to one the sign would be that of rounding.
        let beside = |angle: f64| [angle - 1e-7, angle + 1e-7].map(|q| self.stiffness(q) > 0.0);
        found
            .into_iter()
            .map(|angle| (angle, beside(angle)))
            .filter(|(_, [below, above])| below != above)
            .map(|(angle, [_, stable_above])| Crossing { angle, stable_above })
            .collect()
    }

    /// A root of (3) is one of (2) only if the signs agree; the roots of a polynomial of degree eight have lost some
    /// digits, which secants on (2) bring back.
    fn polished(&self, q: f64) -> Option<f64> {
        let (mut a, mut b) = (q, q + 1e-6);
        for _ in 0..20 {
            let (fa, fb) = (self.stiffness(a), self.stiffness(b));
            if fa == fb {
                break;
            }
            (a, b) = (b, b - fb * (b - a) / (fb - fa));
        }
        let size = self.gravity.abs() * self.arm_moment.abs().max(self.platform_share * self.la);
        ((b - q).abs() < 1e-3 && self.stiffness(b).abs() < 1e-9 * size).then_some(b)
    }
}

/// The same crossings by numbers alone: signs of the heave stiffness from the linearised model (exact derivatives of the
/// three-dimensional robot), bisected. Two that are within an eighth of a degree are not seen.
pub fn numerical_crossings(robot: &Delta<f64>) -> Result<Vec<Crossing>, NotSymmetric> {
    Heave::of(robot)?;
    let stiffness = |q: f64| {
        let pose = robot.at_joints([q; 3], Assembly::Below).ok()?;
        (pose.branches() == [Branch::Out; 3]).then(|| at_rest(&pose).heave())
    };
    const STEPS: i32 = 720;
    let at = |k: i32| f64::from(k) / f64::from(STEPS) * std::f64::consts::FRAC_PI_2;
    let mut found = Vec::new();
    let mut look = |upper: Option<(f64, f64)>, (q, value): (f64, f64)| {
        let Some((last, last_value)) = upper.filter(|upper| upper.1 * value < 0.0) else { return };
        let (mut low, mut high) = (q, last);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            match stiffness(middle) {
                Some(found) if found * value > 0.0 => low = middle,
                _ => high = middle,
            }
        }
        found.push(Crossing { angle: 0.5 * (low + high), stable_above: last_value > 0.0 });
    };
    // The last angle with such a pose, from one that has it to one that does not.
    let edge = |mut inside: (f64, f64), mut outside: f64| {
        for _ in 0..60 {
            let middle = 0.5 * (inside.0 + outside);
            match stiffness(middle) {
                Some(value) => inside = (middle, value),
                None => outside = middle,
            }
        }
        inside
    };
    let (mut before, mut outside): (Option<(f64, f64)>, Option<f64>) = (None, None);
    for q in (-STEPS..=STEPS).rev().map(at) {
        match stiffness(q) {
            Some(0.0) => {} // the neighbours have signs
            Some(value) => {
                let upper = before.or_else(|| outside.map(|outside| edge((q, value), outside)));
                look(upper, (q, value));
                before = Some((q, value));
            }
            None => {
                if let Some(last) = before.take() {
                    look(Some(last), edge(last, q));
                }
                outside = Some(q);
            }
        }
    }
    Ok(found)
}

fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

fn scaled(a: &[f64], factor: f64) -> Vec<f64> {
    a.iter().map(|x| x * factor).collect()
}

fn sum(a: &[f64], b: &[f64], factor: f64) -> Vec<f64> {
    let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|i| at(a, i) + factor * at(b, i)).collect()
}

/// Real parts of the roots that are nearly real: of a root that is nearly double, rounding may make a complex pair.
fn real_roots(polynomial: &[f64]) -> Vec<f64> {
    let largest = polynomial.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let degree = polynomial.iter().rposition(|x| x.abs() > 1e-14 * largest).unwrap_or(0);
    if degree == 0 {
        return Vec::new();
    }
    let lead = polynomial[degree];
    let companion = Matrix::from_fn(degree, degree, |i, j| {
        let shift = if i == j + 1 { 1.0 } else { 0.0 };
        if j + 1 == degree { shift - polynomial[i] / lead } else { shift }
    });
    let roots = crate::linear::eigenvalues(&companion).unwrap_or_default();
    roots.into_iter().filter(|s| s.im.abs() < 1e-4).map(|s| s.re).collect()
}
