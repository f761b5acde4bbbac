//! Whether a Delta stays where it is held: poses at rest under a constant torque.
//!
//! Every pose is an equilibrium under its own holding torque τ_g(q). Held with that torque and moved by δq, the robot feels
//!
//! ```text
//! A δq̈ + D δq̇ + K δq = 0,   K = ∂τ_g/∂q,   D = ∂τ_f/∂q̇                                                     (1)
//! ```
//!
//! with the mass matrix A > 0, the damping D ≥ 0 of motors and passive joints, and the stiffness K, which is symmetric
//! (the Hessian of the potential energy in joint coordinates). Kelvin, Tait and Chetaev: as many poles are unstable as K
//! has negative eigenvalues, whatever A and D are, and they are real. So stability is a question of statics; damping
//! makes a fall slower, never prevents it.
//!
//! S. A. Bortoff (CCTA 2018, IV-D) found a Delta unstable where its arms are near the horizontal. [`symmetric`] has the
//! condition in closed form.

mod equilibria;
pub mod symmetric;

pub use equilibria::{Equilibrium, equilibria};

use crate::delta::{Delta, KinematicsError, Pose};
use crate::{Dual, Mat3, Vec3};

/// (1) at a pose, in joint coordinates.
#[derive(Clone, Copy, Debug)]
pub struct AtRest {
    /// Mass matrix A, kg m².
    pub mass: Mat3<f64>,
    /// Damping D, N m s/rad.
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

/// The Delta at an equilibrium, as a linear system of second order.
pub fn at_rest(pose: &Pose<'_, f64>) -> AtRest {
    at_rest_of(&pose.robot.lift(), pose)
}

/// The same with the robot lifted before: for many poses of one robot.
pub fn at_rest_of(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> AtRest {
    AtRest { mass: pose.mass_matrix(), damping: damping(lifted, pose), stiffness: stiffness(lifted, pose) }
}

/// K = (∂τ_g/∂X)(∂X/∂q), symmetric up to rounding and then made so.
///
/// On mixed elbow branches through the joints instead: there is no one inverse kinematics to differentiate.
fn stiffness(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> Mat3<f64> {
    let [a, b, c] = pose.branches();
    let k = if a == b && b == c {
        let torque = lifted.pose_unchecked(Vec3(Dual::variables(pose.position.0)), a).gravity_torque();
        Mat3::from_fn(|i, j| torque[i].derivative[j]).product(pose.inverse_jacobian())
    } else {
        let q = Dual::variables(pose.joints());
        let torque = lifted.pose_from_joints_unchecked(q, pose.assembly()).0.gravity_torque();
        Mat3::from_fn(|i, j| torque[i].derivative[j])
    };
    (k + k.transpose()) * 0.5
}

fn damping(lifted: &Delta<Dual<f64, 3>>, pose: &Pose<'_, f64>) -> Mat3<f64> {
    let parameters = pose.robot.parameters();
    if parameters.arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none()) {
        return Mat3::zero();
    }
    let q = pose.joints().map(Dual::constant);
    let still = lifted.pose_from_joints_unchecked(q, pose.assembly()).0.moving_joints(Dual::variables([0.0; 3]));
    let torque = still.dissipation_torque();
    let d = Mat3::from_fn(|i, j| torque[i].derivative[j]);
    (d + d.transpose()) * 0.5
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

/// The robot with its base turned over, or turned in any other way: gravity seen from it.
pub fn mounted(robot: &Delta<f64>, gravity: Vec3<f64>) -> Result<Delta<f64>, KinematicsError> {
    if let Some(component) = gravity.0.iter().position(|g| !g.is_finite()) {
        let value = gravity[component];
        return Err(KinematicsError::NotFinite { what: "gravity", component: component + 1, value });
    }
    let mut parameters = *robot.parameters();
    parameters.gravity = gravity;
    Ok(Delta::new(parameters))
}
