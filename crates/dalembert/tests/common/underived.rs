//! A part whose closed form is hidden: its mass matrix and bias come from its energies.

use dalembert::mechanism::MechanismPart;
use dalembert::{Scalar, Vec3};

pub struct Underived<P>(pub P);

impl<P: MechanismPart> MechanismPart for Underived<P> {
    fn coordinates(&self) -> usize {
        MechanismPart::coordinates(&self.0)
    }
    fn velocities(&self) -> usize {
        MechanismPart::velocities(&self.0)
    }
    fn rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        MechanismPart::rate(&self.0, q, v, rate);
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        MechanismPart::kinetic_energy(&self.0, q, rate)
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        MechanismPart::potential_energy(&self.0, q, gravity)
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        MechanismPart::point(&self.0, q, body, offset)
    }
}
