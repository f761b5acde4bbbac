//! The verbs that analyse: `linearize`, `poles`, `stability`, `map`, `sensitivity`. They share how a state is given.

pub mod given;
pub mod linearize;
pub mod map;
pub mod model;
pub mod poles;
pub mod sensitivity;
pub mod stability;

use crate::prelude::*;
use dalembert::friction::Friction;
use dalembert::verbs::linear::DryFriction;

/// What if? Another robot than that of the file, for this run.
#[derive(Args)]
pub struct ChangeArguments {
    /// Payload mass, kg or with unit
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Viscous friction at every motor instead of the file's friction, N m s/rad
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    damping: Option<String>,
    /// Mount the robot upside down
    #[arg(long)]
    upside_down: bool,
}

impl ChangeArguments {
    /// The robot, changed. What is odd in it is reported once.
    pub fn find(&self, robot: &RobotArguments) -> Result<Robot, Failure> {
        let mut robot = with_payload(robot.find()?, &self.payload)?;
        let impossible = |error: dalembert::robot::InvalidParameters| Failure::new(error);
        if let Some(viscous) = optional(not_negative, "damping", &self.damping, Dimension::Damping)? {
            robot = robot.with_friction(Some(Friction { viscous, ..Friction::NONE })).map_err(impossible)?;
        }
        if self.upside_down {
            robot = robot.with_gravity(-robot.gravity()).map_err(impossible)?;
        }
        dalembert::verbs::require_computable(&robot)?;
        Ok(robot)
    }
}

/// What dry friction does to an analysis about a robot that stands: nothing where there is none. `linear`: the model has the slope
/// of its smoothing.
fn say_sticking(screen: &mut Screen, friction: Option<&DryFriction>, linear: bool) {
    for sentence in friction.into_iter().flat_map(|friction| friction.sentences(linear)) {
        screen.line(format!("  {sentence}"));
    }
}

/// `count` numbers with or without unit; one stands for all.
fn list(option: &str, text: &str, dimension: Dimension, count: usize) -> Result<Vec<f64>, Failure> {
    one_each(option, text, count, |_| dimension)
}
