//! What a torque owes to each number of the robot file, and what the tolerances of those numbers make of it: at a state or
//! over a motion.
//!
//! The torque is one function of the changes of all parameters, generic over the scalar like every formula: with dual
//! numbers it gives the derivatives, with plain ones a sample of a Monte Carlo run. A Delta keeps its platform motion while
//! its parameters change, a serial arm its joint motion. A number that the file leaves to follow from others, such as the
//! static friction from `coulomb`, goes with them ([`Follows`](crate::describe::Follows)); its own derivative is that of
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

mod arm;
mod chart;
mod delta;
mod motion;
mod propagate;

pub use arm::{ArmState, ArmTorque};
pub use delta::{DeltaState, DeltaTorque};
pub use motion::{Contribution, OverMotion, Size, over_motion};
pub use propagate::{FirstOrder, Sampled, Statistics, first_order, monte_carlo};

use crate::{Dual, Scalar};

/// What a tolerance of a number can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A length, a mass, an inertia, a friction: a share of it.
    Amount,
    /// An angle: so much, whatever its value; where zero is, is a convention.
    Angle,
    /// Known, or nothing that is made: gravity, gear ratios, directions, and numbers that follow from others.
    Known,
}

/// A number of a robot file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As in the file, with the arm or link where it belongs to one: `upper_arm.mass`, `link2.mass`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// What its tolerance can be.
    pub kind: Kind,
    /// Its value.
    pub value: f64,
}

impl Parameter {
    /// Half width of a tolerance that is a `share` of amounts and an `angle` of angles, rad.
    pub fn half_width(&self, share: f64, angle: f64) -> f64 {
        match self.kind {
            Kind::Amount => self.value.abs() * share,
            Kind::Angle => angle,
            Kind::Known => 0.0,
        }
    }
}

/// The torques of one or more states as a function of parameters.
pub trait TorqueOfParameters: Sync {
    /// The parameters, in the order of the changes.
    fn parameters(&self) -> &[Parameter];

    /// Units of the torques, one per joint: N m, or N where a joint slides.
    fn units(&self) -> Vec<&'static str>;

    /// The torques with every parameter changed by so much: those of the first state, then those of the second …
    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S>;
}

/// How much the torques change with a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The parameter.
    pub parameter: Parameter,
    /// ∂τ/∂p, one per state and joint, N m per unit of the parameter.
    pub torque: Vec<f64>,
}

impl Sensitivity {
    /// ∂τ/∂p · p: N m per 100 % of the parameter.
    pub fn relative(&self) -> Vec<f64> {
        self.torque.iter().map(|t| t * self.parameter.value).collect()
    }
}

/// The derivative of the torques with respect to parameter number `k`, exact.
fn derivative(torque: &impl TorqueOfParameters, k: usize) -> Vec<f64> {
    let mut changes = vec![Dual::<f64, 1>::constant(0.0); torque.parameters().len()];
    changes[k] = Dual::variable(0.0, 0);
    torque.torque(&changes).iter().map(|t| t.derivative[0]).collect()
}

/// The derivatives of the torques with respect to every parameter, exact.
pub fn sensitivities(torque: &impl TorqueOfParameters) -> Vec<Sensitivity> {
    let parameters = torque.parameters().iter().enumerate();
    parameters
        .map(|(k, parameter)| Sensitivity { parameter: parameter.clone(), torque: derivative(torque, k) })
        .collect()
}
