//! Velocity torques as matrices: Christoffel symbols, Armstrong's B and C, and the two-rate evaluation.
//!
//! The velocity torque is a quadratic form; its polarisation Γ(u, v), linear in both, is what Newton–Euler gives when
//! every product of velocities is written as the mean of u v and v u. Its entries are the Christoffel symbols of the
//! first kind, Γ_i(e_j, e_k) = β^(i,jk) of Armstrong, Khatib and Burdick (6), found without a derivative.

use super::kinematics::{Attached, Links, Moving, Pose, PoseOf, cross_z, crossed};
use super::newton_euler::LinkLoad;
use super::{Inertia, Joint};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

/// ½ (a × (b × r) + b × (a × r)).
#[inline(always)]
fn around<S: Scalar>(a: Vec3<S>, b: Vec3<S>, r: Vec3<S>) -> Vec3<S> {
    S::step(|| (a.cross(b.cross(r)) + b.cross(a.cross(r))) * S::from_f64(0.5))
}

/// The force and the moment that a body asks for, of which the products of its angular velocities are polarised.
#[inline(always)]
fn asked<S: Scalar>(
    body: &Inertia<S>,
    [a, b]: [Vec3<S>; 2],
    turning: Vec3<S>,
    acceleration: Vec3<S>,
) -> (Vec3<S>, Vec3<S>) {
    S::step(|| {
        let force = acceleration * body.mass + turning.cross(body.moment) + around(a, b, body.moment);
        let spun = (a.cross(body.inertia * b) + b.cross(body.inertia * a)) * S::from_f64(0.5);
        (force, body.inertia * turning + spun + body.moment.cross(acceleration))
    })
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'_, S, R, Q> {
    /// Γ(u, v), N m: the torque of the velocity products, for velocities with their angular velocities.
    #[inline(always)]
    fn velocity_products(&self, (u, wu): (&[S], &[Vec3<S>]), (v, wv): (&[S], &[Vec3<S>])) -> R::PerJoint<S> {
        let robot = self.robot;
        let (mut loads, mut torques) = (robot.list([Vec3::zero(); 4]), robot.list(S::zero()));
        let (loads, torque): (&mut [LinkLoad<S>], _) = (loads.as_mut(), torques.as_mut());
        let (links, n) = (robot.links(), loads.len());
        let still = [Vec3::zero(); 4];
        let mut last = still;
        for i in 0..n {
            let step = self.step(i);
            let [turning, acceleration, a, b] = robot.before(i, last, still, |parent| {
                let [turning, acceleration, ..] = loads[parent];
                [turning, acceleration, wu[parent], wv[parent]]
            });
            let mut acceleration = step.down(acceleration + crossed(turning, step.p()) + around(a, b, step.p()));
            let mut turning = step.down(turning);
            let (a, b) = (wu[i], wv[i]);
            let twice = cross_z(a, v[i]) + cross_z(b, u[i]);
            match links[i].joint {
                Joint::Revolute => turning = turning + twice * S::from_f64(0.5),
                Joint::Prismatic => acceleration = acceleration + twice,
            }
            last = [turning, acceleration, a, b];
            let (force, moment) = asked(&links[i].inertia, [a, b], turning, acceleration);
            loads[i] = [turning, acceleration, force, moment];
        }
        for i in 0..n {
            let Some(spin) = links[i].spin else { continue };
            let Some(k) = spin.carrier else { continue };
            let mean = (wu[k] * v[i] + wv[k] * u[i]) * S::from_f64(0.5);
            let [turning, .., moment] = &mut loads[k];
            *moment = *moment + mean.cross(spin.momentum);
            torque[i] = spin.momentum.dot(*turning);
        }
        for i in (0..n).rev() {
            let [.., force, moment] = loads[i];
            torque[i] = torque[i] + links[i].joint.generalized_force(force, moment);
            if let Some(parent) = robot.parent(i) {
                let step = self.step(i);
                let f = step.up(force);
                let [.., before, about] = &mut loads[parent];
                (*before, *about) = (*before + f, *about + step.up(moment) + crossed(step.p(), f));
            }
        }
        torques
    }

    /// A unit velocity of a joint, with its angular velocities.
    #[inline(always)]
    fn unit(&self, joint: usize) -> (R::PerJoint<S>, R::PerJoint<Vec3<S>>) {
        let mut u = self.robot.list(S::zero());
        u.as_mut()[joint] = S::one();
        let omega = self.angular_velocities(u.as_ref());
        (u, omega)
    }

    /// The Christoffel symbols of the first kind, β^(i,jk) with j ≤ k: `each` is given i, j, k and the symbol.
    #[inline(always)]
    pub(crate) fn each_christoffel(&self, mut each: impl FnMut(usize, usize, usize, S)) {
        let n = self.robot.links().len();
        for j in 0..n {
            let (u, wu) = self.unit(j);
            for k in j..n {
                let (v, wv) = self.unit(k);
                let column = self.velocity_products((u.as_ref(), wu.as_ref()), (v.as_ref(), wv.as_ref()));
                column.as_ref().iter().enumerate().for_each(|(i, &symbol)| each(i, j, k, symbol));
            }
        }
    }
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// The Christoffel symbols of the first kind: β^(i,jk) at `[i][j][k]`, kg m².
    #[inline(always)]
    pub fn christoffel(&self) -> [[[S; N]; N]; N] {
        let mut symbols = [[[S::zero(); N]; N]; N];
        self.each_christoffel(|i, j, k, symbol| (symbols[i][j][k], symbols[i][k][j]) = (symbol, symbol));
        symbols
    }

    /// Everything that depends on the configuration alone, to be used for many velocities and accelerations.
    #[inline(always)]
    pub fn configuration(&self) -> Configuration<S, N> {
        Configuration {
            mass_matrix: self.mass_matrix(),
            christoffel: self.christoffel(),
            gravity: self.gravity_torque(),
        }
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// The Coriolis matrix of the Christoffel symbols, N m s: Ṁ − 2C is skew.
    #[inline(always)]
    pub fn coriolis_matrix(&self) -> [[S; N]; N] {
        let mut matrix = [[S::zero(); N]; N];
        for k in 0..N {
            let (v, wv) = self.pose.unit(k);
            let column = self.pose.velocity_products((&self.qd, &self.omega), (&v, &wv));
            for i in 0..N {
                matrix[i][k] = column[i];
            }
        }
        matrix
    }
}

/// A(q), B(q), C(q) and g(q) of Armstrong, Khatib and Burdick (1): Γ = A q̈ + B [q̇q̇] + C [q̇²] + g. Computed at the
/// slow rate of the configuration, evaluated at the fast one of the servo (their Table 2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Configuration<S, const N: usize> {
    /// A, kg m².
    pub mass_matrix: [[S; N]; N],
    /// β^(i,jk) at `[i][j][k]`, kg m²; symmetric in j and k.
    pub christoffel: [[[S; N]; N]; N],
    /// g, N m.
    pub gravity: [S; N],
}

impl<S: Scalar, const N: usize> Configuration<S, N> {
    /// b_ijk = 2 β^(i,jk), the coefficient of q̇_j q̇_k (j < k) in torque i; indices from 0. B is the n × n(n−1)/2
    /// matrix of these with the columns (0,1), (0,2) … (n−2, n−1).
    #[inline(always)]
    pub fn b(&self, i: usize, j: usize, k: usize) -> S {
        self.christoffel[i][j][k].times(2.0)
    }

    /// c_ij = β^(i,jj), the coefficient of q̇_j² in torque i; indices from 0.
    #[inline(always)]
    pub fn c(&self, i: usize, j: usize) -> S {
        self.christoffel[i][j][j]
    }

    /// (1): torques without friction, N m.
    #[inline(always)]
    pub fn torque(&self, qd: [S; N], qdd: [S; N]) -> [S; N] {
        crate::array::from_fn(|i| {
            let mut sum = self.gravity[i];
            for j in 0..N {
                sum = sum + self.mass_matrix[i][j] * qdd[j] + self.c(i, j) * (qd[j] * qd[j]);
                for k in j + 1..N {
                    sum = sum + self.b(i, j, k) * (qd[j] * qd[k]);
                }
            }
            sum
        })
    }
}
