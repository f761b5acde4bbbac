//! Derivations that share no code with the library, and what a rounding error may be measured by: for the property tests
//! and for the validation page.
#![allow(dead_code)] // each program uses its part

use dalembert::delta::{Assembly, Body, Delta, Moving, Parameters, Pose, Term};
use dalembert::{Dual, Mat3, Scalar, Vec3};
use dalembert_proptest::SampledState;

/// Largest magnitude; NaN if there is one.
pub fn largest<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    // `max` would drop a NaN, and with it the failure that it stands for.
    numbers.into_iter().fold(0.0, |m: f64, x| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

/// Frobenius norm.
pub fn norm(m: Mat3<f64>) -> f64 {
    m.0.iter().map(|row| row.norm_squared()).sum::<f64>().sqrt()
}

/// Condition number of a pose: reach root times Jacobian.
pub fn condition(pose: &Pose<'_, f64>) -> f64 {
    let z = pose.position[2];
    let root = (0..3)
        .map(|i| {
            let (arm, la) = (&pose.arms[i], pose.robot.parameters().arms[i].upper_arm.length);
            la * la * (arm.radial * arm.radial + z * z) / (arm.transmission * arm.transmission)
        })
        .fold(1.0, f64::max);
    root * norm(pose.jacobian()) * norm(pose.inverse_jacobian())
}

/// The largest single contribution to the torque: what cancels in the sum.
pub fn torque_scale(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>) -> f64 {
    let parts = moving.breakdown(acceleration, force);
    let cells = Body::ALL.iter().flat_map(|&body| Term::ALL.map(|term| parts.get(body, term)));
    cells.fold(0.0, |m, cell| m.max(largest(&cell)))
}

/// T and V of the robot at (X, Ẋ), written anew: the rod as a rigid body with ω = s × ṡ/L², angles by the textbook
/// formula. Shares no formula with the library.
pub fn energies<S: Scalar>(parameters: &Parameters<f64>, x: Vec3<S>, v: Vec3<S>) -> (S, S) {
    let c = S::from_f64;
    let g = parameters.gravity.map(c);
    let moved = c(parameters.platform_mass + parameters.payload_mass);
    let mut kinetic = moved * v.dot(v) * c(0.5);
    let mut potential = -(moved * g.dot(x));
    for arm in &parameters.arms {
        let (la, lb, radius) = (arm.upper_arm.length, arm.forearm.length, arm.base_radius - arm.platform_radius);
        let radial = Vec3([arm.azimuth.cos, arm.azimuth.sin, 0.0].map(c));
        let lateral = Vec3([-arm.azimuth.sin, arm.azimuth.cos, 0.0].map(c));
        let up = Vec3([0.0, 0.0, 1.0].map(c));
        let (p, t, z) = (x.dot(radial) - c(radius), x.dot(lateral), x[2]);
        let k = (p * p + t * t + z * z + c(la * la - lb * lb)) / c(2.0 * la);
        let r = (p * p + z * z).sqrt();
        let ratio = k / r;
        let q = (-z).atan2(p) - (c(1.0) - ratio * ratio).sqrt().atan2(ratio); // elbows out
        let (sin, cos) = q.sin_cos();
        let outward = radial * cos - up * sin;
        let tangent = (radial * sin + up * cos) * -c(1.0);
        let elbow = radial * c(radius) + outward * c(la);
        let s = x - elbow;
        let qd = s.dot(v) / (s.dot(tangent) * c(la));
        let elbow_velocity = tangent * (c(la) * qd);
        let rho = c(arm.forearm.center_of_mass / lb);
        let center_velocity = elbow_velocity + (v - elbow_velocity) * rho;
        let omega = s.cross(v - elbow_velocity) * c(1.0 / (lb * lb));
        let upper = &arm.upper_arm;
        let rotor = arm.motor.rotor_inertia * arm.motor.gear_ratio * arm.motor.gear_ratio;
        let beside = upper.center_of_mass_offset.unwrap_or(0.0);
        let axis = upper.inertia
            + upper.mass * (upper.center_of_mass * upper.center_of_mass + beside * beside)
            + upper.elbow_mass.unwrap_or(0.0) * la * la
            + rotor;
        kinetic = kinetic
            + (c(axis) * qd * qd
                + c(arm.forearm.mass) * center_velocity.dot(center_velocity)
                + c(arm.forearm.inertia) * omega.dot(omega))
                * c(0.5);
        let center = elbow + s * rho;
        potential = potential
            - g.dot(outward * c(upper.center_of_mass) + tangent * c(beside)) * c(upper.mass)
            - g.dot(elbow) * c(upper.elbow_mass.unwrap_or(0.0))
            - g.dot(center) * c(arm.forearm.mass);
    }
    (kinetic, potential)
}

type Once = Dual<f64, 6>;
type Twice = Dual<Once, 6>;

/// Generalised force of Euler–Lagrange in X: d/dt ∂T/∂Ẋ − ∂T/∂X + ∂V/∂X.
pub fn euler_lagrange(parameters: &Parameters<f64>, state: &SampledState) -> Vec3<f64> {
    let numbers: [f64; 6] = std::array::from_fn(|i| if i < 3 { state.position[i] } else { state.velocity[i - 3] });
    let once = Once::variables(numbers);
    let twice: [Twice; 6] = Twice::variables(once);
    let (t, v) = energies(parameters, Vec3([twice[0], twice[1], twice[2]]), Vec3([twice[3], twice[4], twice[5]]));
    Vec3::from_fn(|i| {
        let momentum = t.derivative[3 + i]; // ∂T/∂Ẋ_i and its own gradient
        let mut force = v.derivative[i].value - t.derivative[i].value;
        for k in 0..3 {
            force += momentum.derivative[k] * state.velocity[k] + momentum.derivative[3 + k] * state.acceleration[k];
        }
        force
    })
}

/// Codourey (47), symmetrised, at joint angles q: A = I_b + m_n JᵀJ + Σ m_ab/3 (JᵀJ + J_uᵀJ_u + ½(J_uᵀJ + JᵀJ_u)).
pub fn codourey_mass_matrix<S: Scalar>(parameters: &Parameters<f64>, q: Vec3<S>) -> Mat3<S> {
    let robot = Delta::new(parameters.lift::<S>());
    let (pose, _) = robot.pose_from_joints_unchecked(q.0, Assembly::Below);
    let j = pose.inverse_jacobian(); // Codourey's J
    let jtj = j.transpose().product(j);
    let c = S::from_f64;
    let mut a = jtj * c(parameters.platform_mass + parameters.payload_mass);
    for (i, arm) in parameters.arms.iter().enumerate() {
        // J_u has e′ as column i and zeros else.
        let j_u = Mat3::from_fn(|row, column| if column == i { pose.arms[i].tangent[row] } else { S::zero() });
        let mixed = j_u.transpose().product(j);
        let bar = jtj + j_u.transpose().product(j_u) + (mixed + mixed.transpose()) * c(0.5);
        a = a + bar * c(arm.forearm.mass / 3.0);
        let inertia = c(arm.arm_axis_inertia() + arm.reflected_rotor_inertia());
        a = a + Mat3::from_fn(|row, column| if row == i && column == i { inertia } else { S::zero() });
    }
    a
}

/// The robot with uniform rods, without elbow masses and with centres of mass of its arms on their lines: what Codourey and Falezza describe.
pub fn with_uniform_rods(robot: &Delta<f64>) -> Delta<f64> {
    let mut parameters = *robot.parameters();
    for arm in &mut parameters.arms {
        arm.forearm.center_of_mass = arm.forearm.length / 2.0;
        arm.forearm.inertia = arm.forearm.mass * arm.forearm.length * arm.forearm.length / 12.0;
        arm.upper_arm.elbow_mass = None;
        arm.upper_arm.center_of_mass_offset = None;
    }
    Delta::new(parameters)
}

/// A value and its rate of change.
pub type Timed = Dual<f64, 1>;

/// d/dt of something along the motion, by one dual number: X(t) = X + Ẋ t + ½ Ẍ t².
pub fn along_the_motion(robot: &Delta<f64>, state: &SampledState) -> (Delta<Timed>, Vec3<Timed>, Vec3<Timed>) {
    let moving = |value: f64, rate: f64| Dual { value, derivative: [rate] };
    let position = Vec3::from_fn(|i| moving(state.position[i], state.velocity[i]));
    let velocity = Vec3::from_fn(|i| moving(state.velocity[i], state.acceleration[i]));
    (robot.lift(), position, velocity)
}

/// Of a matrix along the motion, its derivative.
pub fn rates(m: Mat3<Timed>) -> Mat3<f64> {
    m.map(|entry| entry.derivative[0])
}
