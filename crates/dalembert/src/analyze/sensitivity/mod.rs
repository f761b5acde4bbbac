//! What a torque owes to each number of the robot file, and what the tolerances of those numbers make of it: at a state or
//! over a motion.
//!
//! The torque is one function of the changes of all parameters, generic over the scalar like every formula: with dual
//! numbers it gives the derivatives, with plain ones a sample of a Monte Carlo run. A Delta keeps its platform motion while
//! its parameters change, a serial arm its joint motion. A number that the file leaves to follow from others, such as the
//! static friction from `coulomb`, goes with them ([`Follows`](crate::robot::families::Follows)); its own derivative is that of
//! a change of it alone.
//!
//! ```
//! use dalembert::analyze::sensitivity::{DeltaState, DeltaTorque, sensitivities};
//! use dalembert::{Vec3, delta::Branch, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?;
//! let moving = robot.delta.at_position(Vec3::new(0.1, 0.0, -0.85), Branch::Out)?.moving(Vec3::zero());
//! let state = DeltaState::of(&moving, Vec3::zero(), Vec3::zero());
//! let torque = DeltaTorque::new(&robot.delta, robot.follows, vec![state], false);
//! let all = sensitivities(&torque);
//! let platform = all.iter().find(|s| s.parameter.name == "platform.mass").ok_or("it has one")?;
//! // A heavier platform needs more: at rest by its weight alone.
//! assert!(platform.torque.iter().all(|t| *t < 0.0));
//! # Ok(()) }
//! ```

mod motion;

pub use crate::robot::families::{ChainTorque, DeltaState, DeltaTorque};
pub use crate::robot::{Parameter, ParameterTorque, TorqueOfParameters};
pub use motion::{Contribution, MonteCarloResult, OverMotion, Size, Statistics, monte_carlo, over_motion};

/// How much the torques change with a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The parameter.
    pub parameter: Parameter,
    /// ∂τ/∂p, one per state and joint, N m per unit of the parameter.
    pub torque: Vec<f64>,
}

/// The derivatives of the torques with respect to every parameter, exact.
pub fn sensitivities(torque: &dyn ParameterTorque) -> Vec<Sensitivity> {
    let parameters = torque.parameters().iter().enumerate();
    parameters
        .map(|(k, parameter)| Sensitivity { parameter: parameter.clone(), torque: torque.derivative(k) })
        .collect()
}
