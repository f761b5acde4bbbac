//! A Delta with four arms, or any other number: `cargo run --release -p dalembert --example four_arms`.
//!
//! With more motors than freedoms the torques are not unique: some combinations only strain the arms. The platform asks for
//!
//! ```text
//! Jᵀ τ = b,   b = m (Ẍ − g) + Σ (Mᵢ Ẍ + Cᵢ Ẋ + Gᵢ) + Jᵀ τ_f                                                (1)
//! ```
//!
//! where arm i with its rods has Mᵢ, Cᵢ and Gᵢ of Asadi & Heydari (39), row jᵢ of J, and motor friction τ_f. Of all τ that satisfy (1)
//!
//! ```text
//! τ = J (Jᵀ J)⁻¹ b                                                                                          (2)
//! ```
//!
//! is the one of least norm. The mechanism of the same arms, their tips joined by constraints, moves under these torques as asked.

use dalembert::delta::{ArmParameters, Azimuth, Branch, Delta, Moving, Parameters};
use dalembert::mechanism::{Coincident, D2, DeltaArm, Mechanism, MechanismError, MechanismPart};
use dalembert::{Dual, Mat3, Vec3};
use std::error::Error;

/// Arms about one platform, which only translates.
pub struct Star {
    /// Each arm as a Delta of three arms like it without a platform: what depends on one arm alone is a third of the sum.
    alike: Vec<Delta<f64>>,
    /// Platform and payload, kg.
    mass: f64,
    gravity: Vec3<f64>,
}

/// A star as a mechanism, in a state.
pub struct Composed {
    /// Parts, constraints and motors.
    pub mechanism: Mechanism,
    /// Coordinates and velocities, three of each arm.
    pub state: [Vec<f64>; 2],
    /// Its first arm, whose tip is the platform.
    pub arm: DeltaArm,
}

impl Star {
    /// With the arms, platform, payload and gravity that `robot` has, `count` of its first arm evenly about the axis.
    pub fn of(robot: &Delta<f64>, count: usize) -> Self {
        let p = robot.parameters();
        let turned = |i: usize| {
            let azimuth = Azimuth::from_radians(std::f64::consts::TAU * i as f64 / count as f64);
            let arms = [ArmParameters { azimuth, ..p.arms[0] }; 3];
            Delta::new(Parameters { arms, platform_mass: 0.0, payload_mass: 0.0, ..*p })
        };
        let mass = p.platform_mass + p.payload_mass;
        Self { alike: (0..count).map(turned).collect(), mass, gravity: p.gravity }
    }

    /// The arms in a state of the platform, elbows out.
    fn moving(&self, position: Vec3<f64>, velocity: Vec3<f64>) -> impl Iterator<Item = Moving<'_, f64>> {
        self.alike.iter().map(move |arm| arm.pose_unchecked(position, Branch::Out).moving(velocity))
    }

    /// The torques of least norm for an acceleration of the platform, (2), N m.
    pub fn torque(&self, position: Vec3<f64>, velocity: Vec3<f64>, acceleration: Vec3<f64>) -> Vec<f64> {
        let mut asked = (acceleration - self.gravity) * self.mass;
        let mut square = Mat3::zero();
        for arm in self.moving(position, velocity) {
            let (pose, row) = (&arm.pose, arm.pose.arms[0].jacobian);
            let three =
                pose.cartesian_mass_matrix() * acceleration + arm.cartesian_coriolis() + pose.cartesian_gravity();
            asked = asked + three * (1.0 / 3.0) + row * arm.friction_torque()[0];
            square = square + Mat3::outer(row, row);
        }
        let shared = square.solve(asked);
        self.moving(position, velocity).map(|arm| arm.pose.arms[0].jacobian.dot(shared)).collect()
    }

    /// The mechanism of its arms, with a motor on each.
    pub fn composed(&self, position: Vec3<f64>, velocity: Vec3<f64>) -> Result<Composed, MechanismError> {
        let mut mechanism = Mechanism::new(self.gravity);
        let (mut state, mut parts) = ([Vec::new(), Vec::new()], Vec::new());
        let share = self.mass / self.alike.len() as f64;
        let models: Vec<DeltaArm> =
            self.alike.iter().map(|arm| DeltaArm::new(&arm.parameters().arms[0], share)).collect();
        for (i, moving) in self.moving(position, velocity).enumerate() {
            let (q, qd, arm) = (moving.pose.arm_angles()[0], moving.arms[0].qd, models[i]);
            state[0].extend(arm.angles(position, q));
            state[1].extend(arm.rates((position, velocity), (q, qd)));
            parts.push(mechanism.add(format!("arm {}", i + 1), arm));
            mechanism.drive_with(parts[i], 0, moving.pose.robot.parameters().arms[0].motor.friction)?;
        }
        for (i, other) in parts.iter().enumerate().skip(1) {
            mechanism.constrain(format!("tips 1 and {}", i + 1), Coincident::new(parts[0].origin(), other.origin()))?;
        }
        Ok(Composed { mechanism, state, arm: models[0] })
    }
}

/// The acceleration of the platform at coordinates, velocities and accelerations of the first arm, m/s².
pub fn platform_acceleration(arm: &DeltaArm, q: &[f64], v: &[f64], acceleration: &[f64]) -> Vec3<f64> {
    let lift = |i: usize| -> D2 {
        let (x, d) = (Dual { value: q[i], derivative: [v[i]] }, Dual { value: v[i], derivative: [acceleration[i]] });
        Dual { value: x, derivative: [d] }
    };
    let tip = MechanismPart::point(arm, &[lift(0), lift(1), lift(2)], 0, Vec3::zero());
    tip.map(|x| x.derivative[0].derivative[0])
}

/// Asserts what it says; a test runs it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let robot = dalembert::robots::d3_1200()?.delta;
    let [position, velocity, acceleration] = [[0.05, -0.08, -0.8], [1.5, 0.6, -0.9], [-12.0, 25.0, 8.0]].map(Vec3);
    for count in [3, 4, 6] {
        let star = Star::of(&robot, count);
        let torque = star.torque(position, velocity, acceleration);
        println!("{count} arms: {torque:.3?} N m");
        // Under these torques the mechanism moves as asked …
        let Composed { mechanism, state: [q, v], arm } = star.composed(position, velocity)?;
        let (moved, _) = mechanism.acceleration(0.0, &q, &v, &torque)?;
        let error = platform_acceleration(&arm, &q, &v, &moved) - acceleration;
        assert!(error.norm_squared().sqrt() < 1e-10, "{error:?}");
        // … and of all torques that do it, its own inverse dynamics finds these: nothing strains the arms.
        let required = mechanism.inverse_dynamics(0.0, &q, &v, &moved)?;
        assert_eq!(required.null_space.len(), count - 3);
        for (ours, theirs) in torque.iter().zip(&required.torque) {
            assert!((ours - theirs).abs() < 1e-10, "{ours} {theirs}");
        }
        if count == 3 {
            let exact = robot.at_position(position, Branch::Out)?.moving(velocity).torque(acceleration);
            for (ours, exact) in torque.iter().zip(exact) {
                assert!((ours - exact).abs() < 1e-11, "{ours} {exact}");
            }
        }
    }
    Ok(())
}
