//! The verbs that analyse: `linearize`, `poles`, `stability`, `map`, `sensitivity`. They share how a state is given.

pub mod given;
pub mod linearize;
pub mod map;
mod map_told;
pub mod model;
pub mod poles;
pub mod sensitivity;
pub mod stability;

use crate::arguments::numbers::{not_negative, one_each};
use crate::arguments::{computable, tell_warnings};
use crate::failure::Failure;
use clap::Args;
use dalembert::friction::Friction;
use dalembert::robot::Robot;
use dalembert::robot::file::Dimension;

/// The robot of the file, otherwise: what if?
#[derive(Args)]
pub struct ChangeArguments {
    /// Carry this payload, kg
    #[arg(long, value_name = "KG", allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Viscous friction at every motor instead of the file's friction, N m s/rad
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    damping: Option<String>,
    /// Mount the robot upside down
    #[arg(long)]
    upside_down: bool,
}

impl ChangeArguments {
    /// The robot by its name or file, changed. What is odd in it is told once.
    pub fn find(&self, name: &str) -> Result<Robot, Failure> {
        let mut robot = Robot::find(name)?;
        tell_warnings(name, &robot.warnings);
        let impossible = |error: dalembert::robot::Impossible| Failure::new(error.to_string());
        if let Some(text) = &self.payload {
            robot = robot.carrying(not_negative("payload", text, Dimension::Mass)?).map_err(impossible)?;
        }
        if let Some(text) = &self.damping {
            let viscous = not_negative("damping", text, Dimension::Damping)?;
            robot = robot.with_friction(Some(Friction { viscous, ..Friction::NONE })).map_err(impossible)?;
        }
        if self.upside_down {
            robot = robot.with_gravity(-robot.gravity()).map_err(impossible)?;
        }
        computable(&robot)?;
        Ok(robot)
    }
}

/// `count` numbers with or without unit; one stands for all.
fn list(option: &str, text: &str, dimension: Dimension, count: usize) -> Result<Vec<f64>, Failure> {
    one_each(option, text, &vec![dimension; count])
}
