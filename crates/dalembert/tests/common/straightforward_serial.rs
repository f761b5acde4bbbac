//! Newton–Euler the way one writes it down first: nalgebra, 3 × 3 rotations, bodies about their centres of mass (Luh, Walker
//! and Paul 1980; Craig's frames). Revolute joints, modified rows. An independent oracle for the tests and the baseline of the
//! benchmark.

use dalembert::serial::SerialParameters;
use nalgebra::{Matrix3, Vector3};

/// A serial arm for this method.
pub struct Arm<const N: usize> {
    parameters: SerialParameters<f64, N>,
}

impl<const N: usize> Arm<N> {
    /// The arm.
    pub fn new(parameters: &SerialParameters<f64, N>) -> Self {
        Self { parameters: *parameters }
    }

    /// Torques of a motion, without friction and payload.
    pub fn torque(&self, q: &[f64; N], qd: &[f64; N], qdd: &[f64; N]) -> [f64; N] {
        let z = Vector3::z();
        let mut rotations = [Matrix3::identity(); N];
        let mut origins = [Vector3::zeros(); N];
        let (mut forces, mut moments) = ([Vector3::zeros(); N], [Vector3::zeros(); N]);
        let (mut w, mut wd) = (Vector3::zeros(), Vector3::zeros());
        let mut a = -Vector3::from(self.parameters.gravity.0);
        for (i, link) in self.parameters.links.iter().enumerate() {
            let (s, c) = (q[i] + link.dh.theta_offset.radians()).sin_cos();
            let (sa, ca) = (link.dh.alpha.sin, link.dh.alpha.cos);
            rotations[i] = Matrix3::new(c, -s, 0.0, s * ca, c * ca, -sa, s * sa, c * sa, ca);
            origins[i] = Vector3::new(link.dh.a, -sa * link.dh.d, ca * link.dh.d);
            let down = rotations[i].transpose();
            a = down * (a + wd.cross(&origins[i]) + w.cross(&w.cross(&origins[i])));
            wd = down * wd + (down * w).cross(&(z * qd[i])) + z * qdd[i];
            w = down * w + z * qd[i];
            let center = Vector3::from(link.body.center_of_mass.0);
            let inertia = Matrix3::from_fn(|r, c| link.body.inertia.full()[r][c]);
            forces[i] = (a + wd.cross(&center) + w.cross(&w.cross(&center))) * link.body.mass;
            moments[i] = inertia * wd + w.cross(&(inertia * w)) + center.cross(&forces[i]);
        }
        let mut torque = [0.0; N];
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for i in (0..N).rev() {
            force += forces[i];
            moment += moments[i];
            torque[i] = moment.dot(&z) + self.parameters.links[i].motor_inertia * qdd[i];
            force = rotations[i] * force;
            moment = rotations[i] * moment + origins[i].cross(&force);
        }
        torque
    }
}
