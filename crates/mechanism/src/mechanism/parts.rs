//! The parts that come with the library.

use super::part::MechanismPart;
use crate::array::map;
use crate::{Scalar, Vec3};

/// A vector of three, from the first of these numbers on.
pub(super) fn vec3<S: Scalar>(values: &[S]) -> Vec3<S> {
    Vec3::new(values[0], values[1], values[2])
}

/// The change of a vector by the rotation of a quaternion (w, x, y, z) of any length: 2 (w u × e + u × (u × e))/|q|².
#[inline(always)]
pub(super) fn turning<S: Scalar>(q: &[S]) -> impl Fn(Vec3<S>) -> Vec3<S> + use<S> {
    let (w, u) = (q[0], vec3(&q[1..]));
    let twice = S::from_f64(2.0) / (w.square() + u.norm_squared());
    move |vector| {
        let across = u.cross(vector);
        (across * w + u.cross(across)) * twice
    }
}

/// q̇ = ½ q ω, ω in the body's frame.
#[inline(always)]
pub(super) fn quaternion_rate<S: Scalar>(q: &[S], omega: Vec3<S>, rate: &mut [S]) {
    let (w, u) = (q[0], vec3(&q[1..]));
    rate[0] = u.dot(omega).times(-0.5);
    rate[1..].copy_from_slice(&(omega * w + u.cross(omega)).map(|x| x.times(0.5)).0);
}

/// To unit length.
pub(super) fn normalize_quaternion(q: &mut [f64]) {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        q.iter_mut().for_each(|x| *x /= norm);
    }
}

/// A mass without extension, coordinates x, y, z.
#[derive(Clone, Copy, Debug)]
pub struct PointMass {
    /// kg.
    pub mass: f64,
}

impl MechanismPart for PointMass {
    fn coordinates(&self) -> usize {
        3
    }
    fn kinetic_energy<S: Scalar>(&self, _: &[S], rate: &[S]) -> S {
        vec3(rate).norm_squared().times(0.5 * self.mass)
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        gravity.dot(vec3(q)).times(-self.mass)
    }
    fn point<S: Scalar>(&self, q: &[S], _: usize, offset: Vec3<S>) -> Vec3<S> {
        vec3(q) + offset
    }
}

/// A body that moves in the vertical x–z plane: x and z of its centre of mass, and its angle from x towards z.
#[derive(Clone, Copy, Debug)]
pub struct PlanarBody {
    /// kg.
    pub mass: f64,
    /// About the centre of mass, kg m².
    pub inertia: f64,
}

/// `offset` turned from x towards z.
fn turned<S: Scalar>(angle: S, offset: Vec3<S>) -> Vec3<S> {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(cos * offset[0] - sin * offset[2], offset[1], sin * offset[0] + cos * offset[2])
}

impl MechanismPart for PlanarBody {
    fn coordinates(&self) -> usize {
        3
    }
    fn kinetic_energy<S: Scalar>(&self, _: &[S], rate: &[S]) -> S {
        ((rate[0].square() + rate[1].square()).times(self.mass) + rate[2].square().times(self.inertia)).times(0.5)
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        (gravity[0] * q[0] + gravity[2] * q[1]).times(-self.mass)
    }
    fn point<S: Scalar>(&self, q: &[S], _: usize, offset: Vec3<S>) -> Vec3<S> {
        Vec3::new(q[0], S::zero(), q[1]) + turned(q[2], offset)
    }
}

/// A body that turns about a fixed axis along −y: its angle from x towards z. Offsets are from the pivot.
#[derive(Clone, Copy, Debug)]
pub struct Pendulum {
    /// Base frame, m.
    pub pivot: [f64; 3],
    /// kg.
    pub mass: f64,
    /// From the pivot, along the body's own x axis, m.
    pub center_of_mass: f64,
    /// About the pivot, kg m².
    pub inertia: f64,
}

impl MechanismPart for Pendulum {
    fn coordinates(&self) -> usize {
        1
    }
    fn kinetic_energy<S: Scalar>(&self, _: &[S], rate: &[S]) -> S {
        rate[0].square().times(0.5 * self.inertia)
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        let center = Vec3::from_f64([self.center_of_mass, 0.0, 0.0]);
        gravity.dot(self.point(q, 0, center)).times(-self.mass)
    }
    fn point<S: Scalar>(&self, q: &[S], _: usize, offset: Vec3<S>) -> Vec3<S> {
        Vec3::from_f64(self.pivot) + turned(q[0], offset)
    }
}

/// A rigid body that is free in space: centre of mass and a unit quaternion (w, x, y, z), seven coordinates; velocity
/// of the centre of mass (base frame) and angular velocity (body frame), six velocities. Offsets are from the centre
/// of mass.
#[derive(Clone, Copy, Debug)]
pub struct FreeBody {
    /// kg.
    pub mass: f64,
    /// About the centre of mass, in the body's axes (which are principal), kg m².
    pub inertia: [f64; 3],
}

impl FreeBody {
    /// A homogeneous brick with edges of these lengths, m.
    pub fn brick(size: [f64; 3], mass: f64) -> Self {
        let [x, y, z] = map(size, |x| x * x);
        Self { mass, inertia: map([y + z, z + x, x + y], |sum| sum * mass / 12.0) }
    }
}

impl MechanismPart for FreeBody {
    fn coordinates(&self) -> usize {
        7
    }
    fn velocities(&self) -> usize {
        6
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        // ω = 2 q⁻¹ q̇, for a quaternion of any length.
        let (w, u) = (q[3], vec3(&q[4..]));
        let (dw, du) = (rate[3], vec3(&rate[4..]));
        let square = w.square() + u.norm_squared();
        let omega = (du * w - u * dw - u.cross(du)) * (S::from_f64(2.0) / square);
        let turning = Vec3::from_fn(|i| omega[i].times(self.inertia[i])).dot(omega);
        (vec3(rate).norm_squared().times(self.mass) + turning).times(0.5)
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        gravity.dot(vec3(q)).times(-self.mass)
    }
    fn point<S: Scalar>(&self, q: &[S], _: usize, offset: Vec3<S>) -> Vec3<S> {
        vec3(q) + offset + turning(&q[3..])(offset)
    }
    fn rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        rate[..3].copy_from_slice(&v[..3]);
        quaternion_rate(&q[3..], vec3(&v[3..]), &mut rate[3..]);
    }
    /// Newton and Euler: m v̇ = m g, I ω̇ + ω × Iω = 0.
    fn closed_form<S: Scalar>(&self, _: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let omega = vec3(&v[3..]);
        let turning = omega.cross(Vec3::from_fn(|i| omega[i].times(self.inertia[i])));
        mass.fill(S::zero());
        for i in 0..3 {
            mass[7 * i] = S::from_f64(self.mass);
            mass[7 * (i + 3)] = S::from_f64(self.inertia[i]);
            bias[i] = gravity[i].times(-self.mass);
            bias[i + 3] = turning[i];
        }
        true
    }
    fn normalize(&self, q: &mut [f64]) {
        normalize_quaternion(&mut q[3..]);
    }
}
