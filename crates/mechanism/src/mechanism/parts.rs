//! What a part of a mechanism is, how one generic description serves values and derivatives, and the parts of the library.

use super::{Mechanism, MechanismError, PartId};
use crate::array::map;
use crate::chain::Chain;
use crate::spatial::Frame;
use crate::{Dual, Scalar, Vec3};

/// A value and one directional derivative.
pub type D1 = Dual<f64, 1>;
/// The same twice, for second derivatives.
pub type D2 = Dual<D1, 1>;
/// Three times: the linearisation of what needs second derivatives.
pub type D3 = Dual<D2, 1>;
/// How many derivatives are taken at once: one processor register, or two, and most parts have no more freedoms.
pub const WIDTH: usize = 4;

/// A part of a mechanism: its energies and where its points are, each written once for any scalar. Mass matrix,
/// velocity terms and gravity follow from the energies by differentiation.
pub trait MechanismPart: Send + Sync + 'static {
    /// How many numbers say where the part is.
    fn coordinates(&self) -> usize;

    /// How many numbers say how it moves: its freedoms. Fewer than the coordinates where these have an inner
    /// condition (a unit quaternion); then [`MechanismPart::rate`] and [`MechanismPart::normalize`] are needed.
    fn velocities(&self) -> usize {
        self.coordinates()
    }

    /// How many bodies [`MechanismPart::point`] knows.
    fn bodies(&self) -> usize {
        1
    }

    /// Kinetic energy from the coordinates and their rates of change, J. Quadratic in the rates.
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S;

    /// Potential energy in the acceleration of gravity, J.
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S;

    /// Where the point at `offset` in the frame of a body is, base frame, m.
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S>;

    /// Rate of change of the coordinates, linear in the velocities. Only asked where there are fewer velocities than
    /// coordinates; otherwise the velocities are the rates.
    fn rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        let _ = q;
        rate.copy_from_slice(v);
    }

    /// Restores the inner condition of the coordinates.
    fn normalize(&self, q: &mut [f64]) {
        let _ = q;
    }

    /// Mass matrix (row by row) and bias (velocity terms and gravity, as they stand on the left of the equation of
    /// motion) where somebody has derived them; `false`: they come from the energies.
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let _ = (q, v, gravity, mass, bias);
        false
    }
}

/// Places and rates of a [`MechanismPart`] for one kind of scalar: what can be called through a pointer. Implemented for every
/// part, as the two traits below.
#[allow(missing_docs)] // as in `MechanismPart`
pub trait PartOver<S> {
    fn point(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S>;
    fn rate(&self, q: &[S], v: &[S], rate: &mut [S]);
}

/// Energies of a [`MechanismPart`] for one kind of scalar.
#[allow(missing_docs)] // as in `MechanismPart`
pub trait EnergyOver<S> {
    fn kinetic_energy(&self, q: &[S], rate: &[S]) -> S;
    fn potential_energy(&self, q: &[S], gravity: Vec3<S>) -> S;
}

/// The closed form of a [`MechanismPart`] for one kind of scalar.
#[allow(missing_docs)] // as in `MechanismPart`
pub trait ClosedOver<S> {
    fn closed_form(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool;
}

impl<P: MechanismPart, S: Scalar> PartOver<S> for P {
    fn point(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        MechanismPart::point(self, q, body, offset)
    }
    fn rate(&self, q: &[S], v: &[S], rate: &mut [S]) {
        MechanismPart::rate(self, q, v, rate);
    }
}

impl<P: MechanismPart, S: Scalar> EnergyOver<S> for P {
    fn kinetic_energy(&self, q: &[S], rate: &[S]) -> S {
        MechanismPart::kinetic_energy(self, q, rate)
    }
    fn potential_energy(&self, q: &[S], gravity: Vec3<S>) -> S {
        MechanismPart::potential_energy(self, q, gravity)
    }
}

impl<P: MechanismPart, S: Scalar> ClosedOver<S> for P {
    fn closed_form(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        MechanismPart::closed_form(self, q, v, gravity, mass, bias)
    }
}

/// A [`MechanismPart`] for every scalar that a mechanism asks it with, and no other: each is compiled code.
#[allow(missing_docs)] // as in `MechanismPart`
pub trait AnyPart:
    PartOver<f64>
    + PartOver<D1>
    + PartOver<D2>
    + PartOver<D3>
    + PartOver<Dual<f64, WIDTH>>
    + PartOver<Dual<D1, WIDTH>>
    + EnergyOver<f64>
    + EnergyOver<Dual<f64, WIDTH>>
    + EnergyOver<Dual<D1, WIDTH>>
    + EnergyOver<Dual<D2, WIDTH>>
    + ClosedOver<f64>
    + ClosedOver<D1>
    + Send
    + Sync
{
    fn bodies(&self) -> usize;
    fn normalize(&self, q: &mut [f64]);
}

impl<P: MechanismPart> AnyPart for P {
    fn bodies(&self) -> usize {
        MechanismPart::bodies(self)
    }
    fn normalize(&self, q: &mut [f64]) {
        MechanismPart::normalize(self, q);
    }
}

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
        gravity.dot(MechanismPart::point(self, q, 0, center)).times(-self.mass)
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

/// A chain on its base; its coordinates are the joints. Body 0 is the tool, bodies 1, 2 … are the links, in the frames that the chain's
/// convention attaches to them. The mechanism's gravity counts, not the chain's; friction belongs to the motors ([`add_arm`]).
#[derive(Clone, Debug)]
pub struct ChainPart {
    chain: Chain<f64>,
    base: Frame<f64>,
}

impl ChainPart {
    /// The chain on a base.
    pub fn new(chain: impl Into<Chain<f64>>, base: Frame<f64>) -> Self {
        Self { chain: chain.into(), base }
    }

    /// In the mechanism's gravity, as the chain's base frame sees it.
    fn under<S: Scalar>(&self, gravity: Vec3<S>) -> Chain<S> {
        self.chain.lift().with_gravity(self.base.rotation.transpose().map(S::from_f64) * gravity)
    }
}

impl MechanismPart for ChainPart {
    fn coordinates(&self) -> usize {
        self.chain.joints()
    }
    fn bodies(&self) -> usize {
        self.chain.joints() + 1
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        let chain = self.chain.lift();
        let moving = chain.at_joints(q).and_then(|pose| pose.moving(rate));
        moving.map_or(S::from_f64(f64::NAN), |moving| moving.kinetic_energy())
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        let chain = self.under(gravity);
        chain.at_joints(q).map_or(S::from_f64(f64::NAN), |pose| pose.potential_energy())
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let chain = self.chain.lift();
        let frame = chain.at_joints(q).ok().and_then(|pose| match body.checked_sub(1) {
            None => Some(pose.tool()),
            Some(link) => pose.frames().get(link).copied(),
        });
        let none = || Frame::at(Vec3([S::from_f64(f64::NAN); 3]));
        self.base.map(S::from_f64).point(frame.unwrap_or_else(none).point(offset))
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let chain = self.under(gravity);
        let Ok(pose) = chain.at_joints(q) else { return false };
        mass.copy_from_slice(&pose.mass_matrix());
        let still = vec![S::zero(); v.len()];
        match pose.moving(v).and_then(|moving| moving.rigid_torque(&still)) {
            Ok(torque) => bias.copy_from_slice(&torque),
            Err(_) => return false,
        }
        true
    }
}

/// Adds a chain on a base, with a motor and its friction on every joint.
pub fn add_arm(
    mechanism: &mut Mechanism,
    name: &str,
    chain: impl Into<Chain<f64>>,
    base: Frame<f64>,
) -> Result<PartId, MechanismError> {
    let chain = chain.into();
    let frictions: Vec<_> = chain.links().iter().map(|link| link.friction).collect();
    if chain.links().iter().any(|link| link.coupling.is_some() && link.friction.is_some()) {
        let (what, must) = ("friction of a motor that turns with several joints", "left out in a mechanism");
        return Err(MechanismError::BadValue { what, value: 1.0, must });
    }
    let part = mechanism.add(name, ChainPart::new(&chain, base));
    for (joint, friction) in frictions.into_iter().enumerate() {
        mechanism.drive_with(part, joint, friction)?;
    }
    Ok(part)
}
