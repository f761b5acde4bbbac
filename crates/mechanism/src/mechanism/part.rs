//! What a part of a mechanism is, and how one generic description serves values and derivatives.

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
