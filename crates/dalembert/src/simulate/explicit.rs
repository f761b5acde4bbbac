//! The Delta in minimal coordinates: platform position and velocity, or momentum, through the exact model.

use super::{Energies, Residual, SimulationError, System, Variables};
use crate::delta::{Branch, Delta, KinematicsError, Moving};
use crate::{Dual, Vec3};

/// A Delta with constant torques; a state is (X, Ẋ) or (X, P = M Ẋ).
#[derive(Clone, Copy, Debug)]
pub struct ExplicitDelta {
    robot: Delta<f64>,
    /// For Ṁ along the motion.
    differentiated: Delta<Dual<f64, 1>>,
    branch: Branch,
    variables: Variables,
    /// Motor torques, N m.
    pub torque: Vec3<f64>,
    last: Option<Transmissions>,
}

/// Transmissions w of the arms at a time, and their rates.
#[derive(Clone, Copy, Debug)]
struct Transmissions {
    time: f64,
    value: Vec3<f64>,
    rate: Vec3<f64>,
}

fn vec3(values: &[f64]) -> Vec3<f64> {
    Vec3::new(values[0], values[1], values[2])
}

impl ExplicitDelta {
    /// The robot with its elbows on one branch.
    pub fn new(robot: &Delta<f64>, branch: Branch, variables: Variables, torque: Vec3<f64>) -> Self {
        Self { robot: *robot, differentiated: robot.lift(), branch, variables, torque, last: None }
    }

    /// The state at a platform position and velocity.
    pub fn state(&self, position: Vec3<f64>, velocity: Vec3<f64>) -> Result<[f64; 6], KinematicsError> {
        let second = match self.variables {
            Variables::Velocity => velocity,
            Variables::Momentum => self.robot.at_position(position, self.branch)?.cartesian_mass_matrix() * velocity,
        };
        Ok(std::array::from_fn(|i| if i < 3 { position[i] } else { second[i - 3] }))
    }

    /// The moving robot in a state.
    #[inline(always)] // a moved pose costs as much as its kinematics
    pub fn moving(&self, time: f64, state: &[f64]) -> Result<Moving<'_, f64>, SimulationError> {
        super::check_length("state", state, 6)?;
        let pose = self.robot.pose_unchecked(vec3(state), self.branch);
        pose.check_reach().map_err(|cause| SimulationError::Kinematics { time, cause })?;
        let second = vec3(&state[3..]);
        Ok(match self.variables {
            Variables::Velocity => pose.moving(second),
            Variables::Momentum => pose.moving(pose.cartesian_mass_matrix().solve(second)),
        })
    }
}

impl System for ExplicitDelta {
    fn size(&self) -> usize {
        6
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        let moving = self.moving(time, state)?;
        let velocity = moving.velocity;
        let acceleration = moving.acceleration(self.torque);
        let second = match self.variables {
            Variables::Velocity => acceleration,
            Variables::Momentum => {
                // Ṗ = M Ẍ + Ṁ Ẋ, Ṁ by a dual number along the motion.
                let along = Vec3::from_fn(|i| Dual { value: state[i], derivative: [velocity[i]] });
                let mass = self.differentiated.pose_unchecked(along, self.branch).cartesian_mass_matrix();
                let drift = mass.map(|entry| entry.derivative[0]) * velocity;
                mass.map(|entry| entry.value) * acceleration + drift
            }
        };
        rate[..3].copy_from_slice(&velocity.0);
        rate[3..].copy_from_slice(&second.0);
        Ok(())
    }

    /// Where an arm stretches, w goes through zero with a finite rate and the elbow changes over to the other branch,
    /// while the platform turns back. A fixed step that lands beyond would go on with the wrong branch and never
    /// notice. The step before tells: a w that would have been zero within two steps does not turn back in one.
    fn project(&mut self, time: f64, state: &mut [f64]) -> Result<bool, SimulationError> {
        let moving = self.moving(time, state)?;
        let value = Vec3::from_fn(|i| moving.pose.arms[i].transmission);
        let rate = Vec3::from_fn(|i| {
            let (arm, motion) = (&moving.pose.arms[i], &moving.arms[i]);
            motion.rod_velocity.dot(arm.tangent) + arm.rod.dot(arm.curvature) * motion.qd
        });
        if let Some(last) = self.last.filter(|last| last.time < time) {
            for i in 0..3 {
                let expected = last.value[i] + 2.0 * last.rate[i] * (time - last.time);
                let closing = last.rate[i] * last.value[i] < 0.0 && rate[i] * last.rate[i] < 0.0;
                if closing && expected * last.value[i] < 0.0 {
                    let arm = &self.robot.parameters().arms[i];
                    let margin = expected / (arm.upper_arm.length * arm.forearm.length);
                    let cause = KinematicsError::ArmSingular { arm: i + 1, margin };
                    return Err(SimulationError::Kinematics { time, cause });
                }
            }
        }
        self.last = Some(Transmissions { time, value, rate });
        Ok(false)
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        let moving = self.moving(time, state)?;
        Ok(Energies {
            kinetic: moving.kinetic_energy(),
            potential: moving.pose.potential_energy(),
            load: -self.torque.dot(moving.pose.joints()),
        })
    }

    /// Nothing can drift: what is left is how well the rods close, by rounding.
    fn residual(&mut self, time: f64, state: &[f64]) -> Result<Residual, SimulationError> {
        let moving = self.moving(time, state)?;
        let mut residual = Residual::default();
        for (i, arm) in moving.pose.arms.iter().enumerate() {
            let length = self.robot.parameters().arms[i].forearm.length;
            let off = (arm.rod.norm_squared().sqrt() - length).abs();
            residual.position = residual.position.max(off);
            residual.velocity = residual.velocity.max((arm.rod.dot(moving.arms[i].rod_velocity) / length).abs());
        }
        Ok(residual)
    }
}
