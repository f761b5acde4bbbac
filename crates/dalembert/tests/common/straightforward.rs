//! The exact model the way one writes it down first: nalgebra, one matrix equation in the six coordinates
//! (q₁, q₂, q₃, x, y, z) with three Lagrange multipliers, solved by LU. An independent oracle for the tests and the
//! baseline of the benchmark.

use dalembert::delta::Parameters;
use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

/// A Delta robot for this method.
pub struct Robot {
    parameters: Parameters<f64>,
}

impl Robot {
    /// The robot.
    pub fn new(parameters: &Parameters<f64>) -> Self {
        Self { parameters: *parameters }
    }

    /// Torques for a Cartesian state, elbows out.
    ///
    /// M(y) ÿ + c(y, ẏ) − g(y) = [τ; 0] + Φᵀλ with y = (q, X), Φ the gradient of (|X − e_i|² − L²)/2.
    pub fn torque(&self, position: [f64; 3], velocity: [f64; 3], acceleration: [f64; 3]) -> [f64; 3] {
        let p = &self.parameters;
        let (x, v, a) = (Vector3::from(position), Vector3::from(velocity), Vector3::from(acceleration));
        let gravity = Vector3::from(p.gravity.0);
        let mut mass = Matrix6::<f64>::zeros();
        let mut bias = Vector6::<f64>::zeros();
        let mut phi = SMatrix::<f64, 3, 6>::zeros();
        let mut rates = Vector6::<f64>::zeros();
        let mut accelerations = Vector6::<f64>::zeros();
        rates.fixed_rows_mut::<3>(3).copy_from(&v);
        accelerations.fixed_rows_mut::<3>(3).copy_from(&a);
        let moving = p.platform_mass + p.payload_mass;
        mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * moving));
        bias.fixed_rows_mut::<3>(3).copy_from(&(-gravity * moving));
        for (i, arm) in p.arms.iter().enumerate() {
            let (la, lb) = (arm.upper_arm.length, arm.forearm.length);
            let radius = arm.base_radius - arm.platform_radius;
            let (cos, sin) = (arm.azimuth.cos, arm.azimuth.sin);
            let radial = Vector3::new(cos, sin, 0.0);
            let (depth, out) = (-x.z, x.dot(&radial) - radius);
            let across = x.y * cos - x.x * sin;
            let k = (out * out + across * across + depth * depth + la * la - lb * lb) / (2.0 * la);
            let q = depth.atan2(out) - (k / out.hypot(depth)).acos();
            let (sq, cq) = q.sin_cos();
            let elbow = radial * (radius + la * cq) - Vector3::z() * (la * sq);
            let tangent = radial * (-la * sq) - Vector3::z() * (la * cq);
            let curvature = radial * (-la * cq) + Vector3::z() * (la * sq);
            let rod = x - elbow;
            let w = rod.dot(&tangent);
            let qd = rod.dot(&v) / w;
            let rod_rate = v - tangent * qd;
            let qdd = (rod.dot(&a) + rod_rate.dot(&rod_rate) - rod.dot(&curvature) * qd * qd) / w;
            rates[i] = qd;
            accelerations[i] = qdd;
            // Energy of the rod through its centre of mass and its end-to-end velocity.
            let rho = arm.forearm.center_of_mass / lb;
            let spin = arm.forearm.inertia / (lb * lb);
            let m = arm.forearm.mass;
            let upper = &arm.upper_arm;
            let elbow_mass = upper.elbow_mass.unwrap_or(0.0);
            let beside = upper.center_of_mass_offset.unwrap_or(0.0);
            mass[(i, i)] = upper.inertia
                + upper.mass * upper.center_of_mass.hypot(beside).powi(2)
                + elbow_mass * la * la
                + arm.motor.rotor_inertia * arm.motor.gear_ratio * arm.motor.gear_ratio
                + (m * (1.0 - rho) * (1.0 - rho) + spin) * la * la;
            let coupling = m * rho * (1.0 - rho) - spin;
            for axis in 0..3 {
                mass[(i, 3 + axis)] = coupling * tangent[axis];
                mass[(3 + axis, i)] = coupling * tangent[axis];
                mass[(3 + axis, 3 + axis)] += m * rho * rho + spin;
                bias[3 + axis] += coupling * curvature[axis] * qd * qd - m * rho * gravity[axis];
                phi[(i, 3 + axis)] = rod[axis];
            }
            let moment = upper.mass * upper.center_of_mass / la + elbow_mass + m * (1.0 - rho);
            // A centre of mass beside the line moves like an elbow a quarter turn ahead.
            let ahead = -radial * cq + Vector3::z() * sq;
            bias[i] -= moment * tangent.dot(&gravity) + upper.mass * beside * ahead.dot(&gravity);
            phi[(i, i)] = -w;
        }
        let needed = mass * accelerations + bias;
        // Unknowns τ and λ: [E Φᵀ] [τ; λ] = needed.
        let mut system = Matrix6::<f64>::zeros();
        system.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        system.fixed_view_mut::<6, 3>(0, 3).copy_from(&phi.transpose());
        let solution: SVector<f64, 6> = system.lu().solve(&needed).unwrap_or_else(|| Vector6::repeat(f64::NAN));
        [solution[0], solution[1], solution[2]]
    }
}
