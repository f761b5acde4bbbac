//! What a torque owes to each number of the robot file, and what the tolerances of those numbers make of it.
//!
//! The torque is one function of the changes of all parameters, generic over the scalar like every formula: with dual
//! numbers it gives the derivatives, with plain ones a sample of a Monte Carlo run. A Delta keeps its platform motion while
//! its parameters change, a serial arm its joint motion.
//!
//! ```
//! use dalembert::analyze::sensitivity::{DeltaTorque, sensitivities};
//! use dalembert::{Vec3, delta::Branch, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let moving = robot.at_position(Vec3::new(0.1, 0.0, -0.85), Branch::Out)?.moving(Vec3::zero());
//! let torque = DeltaTorque::new(&moving, Vec3::zero(), Vec3::zero(), false);
//! let all = sensitivities(&torque);
//! let platform = all.iter().find(|s| s.parameter.name == "platform.mass").ok_or("it has one")?;
//! // A heavier platform needs more: at rest by its weight alone.
//! assert!(platform.torque.iter().all(|t| *t < 0.0));
//! # Ok(()) }
//! ```

mod arm;
mod delta;
mod propagate;

pub use arm::ArmTorque;
pub use delta::DeltaTorque;
pub use propagate::{FirstOrder, Sampled, first_order, monte_carlo};

use crate::{Dual, Scalar};

/// A number of a robot file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As in the file, with the arm or link where it belongs to one: `upper_arm.mass`, `link2.mass`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// Its value.
    pub value: f64,
}

/// The torques of one state as a function of parameters.
pub trait TorqueOfParameters: Sync {
    /// The parameters, in the order of the changes.
    fn parameters(&self) -> &[Parameter];

    /// The torques with every parameter changed by so much.
    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S>;
}

/// How much the torques change with a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The parameter.
    pub parameter: Parameter,
    /// ∂τ/∂p, one per joint, N m per unit of the parameter.
    pub torque: Vec<f64>,
}

impl Sensitivity {
    /// ∂τ/∂p · p: N m per 100 % of the parameter.
    pub fn relative(&self) -> Vec<f64> {
        self.torque.iter().map(|t| t * self.parameter.value).collect()
    }
}

/// The derivatives of the torques with respect to every parameter, exact.
pub fn sensitivities(torque: &impl TorqueOfParameters) -> Vec<Sensitivity> {
    let parameters = torque.parameters();
    let mut changes = vec![Dual::<f64, 1>::constant(0.0); parameters.len()];
    let mut all = Vec::with_capacity(parameters.len());
    for (k, parameter) in parameters.iter().enumerate() {
        changes[k] = Dual::variable(0.0, 0);
        let column = torque.torque(&changes).iter().map(|t| t.derivative[0]).collect();
        changes[k] = Dual::constant(0.0);
        all.push(Sensitivity { parameter: parameter.clone(), torque: column });
    }
    all
}
