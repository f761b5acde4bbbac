//! Whether a robot stays where constant torques hold it.
//!
//! Every pose is an equilibrium under its own holding torque τ_g(q). Held with that torque and moved by δq, the robot feels
//!
//! ```text
//! A δq̈ + D δq̇ + K δq = 0,   K = ∂τ_g/∂q,   D = ∂τ_f/∂q̇                                                     (1)
//! ```
//!
//! with the mass matrix A > 0, the damping D ≥ 0 of viscous friction and passive joints, and the stiffness K, which is symmetric
//! (the Hessian of the potential energy in joint coordinates). Kelvin, Tait and Chetaev: as many poles are unstable as K
//! has negative eigenvalues, whatever A and D are, and they are real. So stability is a question of statics; damping
//! makes a fall slower, never prevents it. Dry friction has no part in (1): a joint that stands [`Sticking`]s until its torque is
//! off by more than its static friction, and only what then moves obeys (1). (A linear model has the slope of the smoothing of
//! dry friction instead, static friction over smoothing velocity, which is no physics.)
//!
//! [`Sticking`]: super::Sticking

use super::{JointVector, Refused};
use crate::{Mat3, Vec3};

/// A robot with three alike arms, which can say how stable it is under constant torques.
pub trait Stability {
    /// At rest with all arms at one angle, rad; none where there is no such pose with the elbows out.
    fn with_arms_at(&self, angle: f64) -> Option<AtRest>;

    /// Where the heave mode, all arms together, changes between falling and oscillating; or why there is no symmetric pose.
    fn crossings(&self) -> Result<Crossings, Refused>;

    /// The poses that these torques hold, the lowest first.
    fn equilibria(&self, torque: &JointVector) -> Vec<Equilibrium>;
}

/// Where the heave mode changes, from arms straight down to arms straight up, in two independent ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossings {
    /// From the closed form.
    pub closed_form: Vec<Crossing>,
    /// From the derivatives of the whole robot.
    pub numerical: Vec<Crossing>,
}

/// Where the heave mode changes between falling and oscillating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Joint angle, rad.
    pub angle: f64,
    /// Whether it is stable at larger angles (arms lower), as usual robots are.
    pub stable_above: bool,
}

/// A pose at rest under a given torque.
#[derive(Clone, Copy, Debug)]
pub struct Equilibrium {
    /// Joint angles, rad.
    pub joints: [f64; 3],
    /// Platform, m.
    pub position: Vec3<f64>,
    /// Least stiffness, N m/rad.
    pub stiffness: f64,
    /// Fastest growth, 1/s; zero where it is stable.
    pub growth: f64,
    /// Stable or not.
    pub verdict: Verdict,
}

/// (1) at a pose, in joint coordinates.
#[derive(Clone, Copy, Debug)]
pub struct AtRest {
    /// Mass matrix A, kg m².
    pub mass: Mat3<f64>,
    /// Damping D without dry friction, N m s/rad.
    pub damping: Mat3<f64>,
    /// Stiffness K under a constant torque, N m/rad.
    pub stiffness: Mat3<f64>,
}

/// A verdict over all directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some direction falls away.
    Unstable,
    /// None does, but in some direction nothing pulls back either: without weight, or with gravity compensated.
    Neutral,
    /// All directions pull back; with damping at every joint the robot comes back.
    Stable,
}

impl Verdict {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unstable => "unstable",
            Self::Neutral => "neutral",
            Self::Stable => "stable",
        }
    }
}

impl AtRest {
    /// With a torque −gain·δq at every joint: K + gain·1.
    pub fn with_gain(self, gain: f64) -> Self {
        Self { stiffness: self.stiffness + Mat3::diagonal(gain), ..self }
    }

    /// With the gravity compensated at every position: K = 0. Nothing falls, but nothing comes back either.
    pub fn gravity_compensated(self) -> Self {
        Self { stiffness: Mat3::zero(), ..self }
    }

    /// Eigenvalues of K, N m/rad, least first.
    pub fn stiffnesses(&self) -> [f64; 3] {
        eigenvalues(self.stiffness)
    }

    /// Stiffness of the heave mode, all arms together, N m/rad per arm: an eigenvalue of K where the robot is symmetric.
    pub fn heave(&self) -> f64 {
        self.stiffness.0.iter().flat_map(|row| row.0).sum::<f64>() / 3.0
    }

    /// By the sign of the least stiffness; zero is what is below the rounding of the others.
    pub fn verdict(&self) -> Verdict {
        let [least, _, most] = self.stiffnesses();
        let rounding = 4.0 * f64::EPSILON * most.abs().max(least.abs());
        if least > rounding {
            Verdict::Stable
        } else if least < -rounding {
            Verdict::Unstable
        } else {
            Verdict::Neutral
        }
    }

    /// Least gain −gain·δq, the same at every joint, that takes the instability away, N m/rad; zero where there is none.
    /// (With damping, any larger one makes the equilibrium asymptotically stable.)
    pub fn least_gain(&self) -> f64 {
        (-self.stiffnesses()[0]).max(0.0)
    }

    /// The fastest growth, 1/s: the largest real pole; zero where nothing falls.
    ///
    /// Unstable poles are real, and s² A + s D + K is positive definite for every s beyond the largest of them and for
    /// none below it, so Cholesky's method decides each step of a bisection.
    pub fn growth(&self) -> f64 {
        if positive(self.stiffness) || self.stiffnesses()[0] >= 0.0 {
            return 0.0;
        }
        let at = |s: f64| positive(self.mass * (s * s) + self.damping * s + self.stiffness);
        let mut high = 1.0;
        while !at(high) {
            high *= 2.0;
            if high > 1e12 {
                return f64::NAN; // no mass matrix
            }
        }
        let mut low = 0.0;
        // To the last bit: no floating-point number lies between at the end.
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if at(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    }

    /// How many of the six poles are zero: rank defects of K and, where K vanishes, of D.
    ///
    /// With gravity compensated K = 0 and A δq̈ + D δq̇ = 0: three poles are zero with damping at every joint (the robot
    /// stays where it is pushed), six without (it drifts away). Bortoff's IV-E, *renders all equilibria exponentially
    /// stable*, holds with neither.
    pub fn zero_poles(&self) -> usize {
        let defect = |m: Mat3<f64>, size: f64| eigenvalues(m).iter().filter(|x| x.abs() <= 1e-12 * size).count();
        let size = |m: Mat3<f64>| m.0.iter().flat_map(|row| row.0).fold(0.0_f64, |s, x| s.max(x.abs()));
        let scale = size(self.stiffness);
        let null = if scale == 0.0 { 3 } else { defect(self.stiffness, scale) };
        match null {
            0 => 0,
            // δq in the kernel of K: s (s A + D) δq = 0 has a second zero pole for every direction without damping. Told
            // apart exactly only where the kernel is everything or there is no damping at all.
            _ if size(self.damping) == 0.0 => 2 * null,
            3 => 3 + defect(self.damping, size(self.damping)),
            null => null,
        }
    }
}

/// Cholesky's method, as far as it goes.
fn positive(m: Mat3<f64>) -> bool {
    nalgebra::Matrix3::from_fn(|i, j| m[i][j]).cholesky().is_some()
}

/// Eigenvalues of a symmetric matrix, least first: Jacobi's method, which is exact to rounding for three, and keeps digits
/// of the least one that nalgebra's iteration on the tridiagonal form loses.
pub(crate) fn eigenvalues(m: Mat3<f64>) -> [f64; 3] {
    let mut m = m;
    for _ in 0..12 {
        let off = m[0][1].abs() + m[0][2].abs() + m[1][2].abs();
        if off <= 1e-17 * (m[0][0].abs() + m[1][1].abs() + m[2][2].abs()) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            let r = 3 - p - q;
            let (rp, rq) = (m[r][p], m[r][q]);
            let shift = t * m[p][q];
            let mut set = |i: usize, j: usize, value: f64| {
                m.0[i].0[j] = value;
                m.0[j].0[i] = value;
            };
            set(r, p, c * rp - s * rq);
            set(r, q, s * rp + c * rq);
            set(p, q, 0.0);
            m.0[p].0[p] -= shift;
            m.0[q].0[q] += shift;
        }
    }
    let mut values = [m[0][0], m[1][1], m[2][2]];
    values.sort_by(f64::total_cmp);
    values
}
