//! The parts that come with the library.

use super::part::MechanismPart;
use crate::delta::ArmParameters;
use crate::delta::models::bortoff::SingleArm;
use crate::spatial::Frame;
use crate::{Dual, Mat3, Scalar, Vec3};

/// One arm of a Delta, Bortoff (1)–(8): motor angle φ₁, forearm angles φ₂ and φ₃; the platform's share sits at its
/// tip. Body 0 is the platform (it only translates), body 1 the elbow.
#[derive(Clone, Copy, Debug)]
pub struct DeltaArm {
    arm: SingleArm<f64>,
    origin: [f64; 3],
    /// How the base is turned; most stand straight, and save the product.
    rotation: Option<Mat3<f64>>,
}

impl DeltaArm {
    /// The arm with its rotor, carrying `share` kg of platform and payload.
    pub fn new(parameters: &ArmParameters<f64>, share: f64) -> Self {
        let mut with_rotor = *parameters;
        with_rotor.upper_arm.inertia += parameters.reflected_rotor_inertia();
        Self { arm: SingleArm::new(&with_rotor, share), origin: [0.0; 3], rotation: None }
    }

    /// The same arm of a robot on a base. (Potential energy stays against the motor axis.)
    pub fn on_base(self, base: Frame<f64>) -> Self {
        let straight = base.rotation == Mat3::diagonal(1.0);
        Self { origin: base.origin.0, rotation: (!straight).then_some(base.rotation), ..self }
    }

    /// A vector of the robot's own frame in that of the mechanism.
    fn up<S: Scalar>(&self, own: Vec3<S>) -> Vec3<S> {
        self.rotation.map_or(own, |rotation| rotation.map(S::from_f64) * own)
    }

    /// A vector of the mechanism's frame in the robot's own.
    fn down<S: Scalar>(&self, vector: Vec3<S>) -> Vec3<S> {
        self.rotation.map_or(vector, |rotation| rotation.transpose().map(S::from_f64) * vector)
    }

    /// Its coordinates with the platform at `position` (in the robot's own frame) and the motor at `q`.
    pub fn angles(&self, position: Vec3<f64>, q: f64) -> [f64; 3] {
        self.arm.angles(position, q).0
    }

    /// Position and velocity of the platform at coordinates and their rates, in the robot's own frame.
    pub fn platform(&self, q: &[f64], v: &[f64]) -> [Vec3<f64>; 2] {
        let tip = self.arm.lift().tip(Vec3::from_fn(|i| Dual::<f64, 1> { value: q[i], derivative: [v[i]] }));
        [tip.map(|x| x.value), tip.map(|x| x.derivative[0])]
    }

    /// The rates of these coordinates while the platform moves with `velocity` and the motor with `qd`.
    pub fn rates(&self, (position, velocity): (Vec3<f64>, Vec3<f64>), (q, qd): (f64, f64)) -> [f64; 3] {
        let moved = |value, rate| Dual::<f64, 1> { value, derivative: [rate] };
        let position = Vec3::from_fn(|i| moved(position[i], velocity[i]));
        self.arm.lift().angles(position, moved(q, qd)).0.map(|angle| angle.derivative[0])
    }
}

fn vec3<S: Scalar>(values: &[S]) -> Vec3<S> {
    Vec3::new(values[0], values[1], values[2])
}

impl MechanismPart for DeltaArm {
    fn coordinates(&self) -> usize {
        3
    }
    fn bodies(&self) -> usize {
        2
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        self.arm.lift().kinetic_energy(vec3(q), vec3(rate))
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        self.arm.lift().potential_energy(vec3(q), self.down(gravity))
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let arm = self.arm.lift();
        let own = if body == 0 { arm.tip(vec3(q)) } else { arm.elbow(vec3(q)) };
        self.up(offset) + Vec3::from_f64(self.origin) + self.up(own)
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let (m, b) = self.arm.lift().mass_and_bias(vec3(q), vec3(v), self.down(gravity));
        for i in 0..3 {
            mass[3 * i..3 * i + 3].copy_from_slice(&m[i].0);
        }
        bias.copy_from_slice(&b.0);
        true
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
        let (w, u) = (q[3], vec3(&q[4..]));
        let twice = S::from_f64(2.0) / (w.square() + u.norm_squared());
        let across = u.cross(offset);
        vec3(q) + offset + (across * w + u.cross(across)) * twice
    }
    fn rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        // q̇ = ½ q ω.
        let (w, u, omega) = (q[3], vec3(&q[4..]), vec3(&v[3..]));
        let du = omega * w + u.cross(omega);
        rate[..3].copy_from_slice(&v[..3]);
        rate[3] = u.dot(omega).times(-0.5);
        for i in 0..3 {
            rate[4 + i] = du[i].times(0.5);
        }
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
        let norm = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            q[3..7].iter_mut().for_each(|x| *x /= norm);
        }
    }
}
