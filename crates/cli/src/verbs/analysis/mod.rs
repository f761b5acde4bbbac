//! The verbs that analyse: `linearize`, `poles`, `stability`, `map`, `sensitivity`. They share how a state is given.

pub mod given;
pub mod linearize;
pub mod map;
mod map_report;
pub mod model;
pub mod poles;
pub mod sensitivity;
pub mod stability;

use crate::arguments::numbers::{not_negative, one_each};
use crate::arguments::{RobotArguments, with_payload};
use crate::failure::Failure;
use crate::output::{Screen, human};
use clap::Args;
use dalembert::friction::Friction;
use dalembert::robot::file::Dimension;
use dalembert::robot::{JointUnits, Robot, Sticking, units_of};
use serde_json::{Value, json};

/// The robot of the file, otherwise: what if?
#[derive(Args)]
pub struct ChangeArguments {
    /// Carry this payload, kg or with unit
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
    /// The robot, changed. What is odd in it is told once.
    pub fn find(&self, robot: &RobotArguments) -> Result<Robot, Failure> {
        let mut robot = with_payload(robot.find()?, self.payload.as_deref())?;
        let impossible = |error: dalembert::robot::InvalidParameters| Failure::new(error.to_string());
        if let Some(text) = &self.damping {
            let viscous = not_negative("damping", text, Dimension::Damping)?;
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
fn tell_sticking(screen: &mut Screen, robot: &Robot, sticking: &[Sticking], linear: bool) {
    if sticking.is_empty() {
        return;
    }
    let list = |of: &dyn Fn(&Sticking) -> String| {
        let mut all: Vec<String> = sticking.iter().map(of).collect();
        all.dedup();
        all.join(", ")
    };
    let joints = list(&|s| s.joint.to_string());
    let unit = |of: fn(JointUnits) -> &'static str| units_of(&robot.joints(), of);
    if linear {
        screen.line(format!(
            "  dry friction at joints {joints}: at standstill the model has the slope of its smoothing, {} {} per {};",
            list(&|s| human(s.slope, 4)),
            unit(|of| of.torque),
            unit(|of| of.speed)
        ));
        screen.line("  rates that follow from it scale with `smoothing_velocity` and are no physics");
    } else {
        screen.line(format!("  dry friction at joints {joints} is left out of stiffness and growth"));
    }
    screen.line(format!(
        "  sticking: these joints stay where they are until their torque is off by more than {} {}",
        list(&|s| human(s.holds, 4)),
        unit(|of| of.torque)
    ));
}

/// The same for programs; null where there is none.
fn sticking_json(sticking: &[Sticking]) -> Value {
    if sticking.is_empty() {
        return Value::Null;
    }
    let of = |value: &dyn Fn(&Sticking) -> Value| sticking.iter().map(value).collect::<Value>();
    json!({
        "joints": of(&|s| json!(s.joint)),
        "holds": of(&|s| json!(s.holds)),
        "smoothing_slope": of(&|s| json!(s.slope)),
    })
}

/// `count` numbers with or without unit; one stands for all.
fn list(option: &str, text: &str, dimension: Dimension, count: usize) -> Result<Vec<f64>, Failure> {
    one_each(option, text, &vec![dimension; count])
}
