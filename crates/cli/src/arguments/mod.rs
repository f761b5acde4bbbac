//! What is typed in, and how it becomes a plan that is known to make sense.

pub mod numbers;
mod rows;

pub use rows::{
    AccelArguments, ConvertArguments, ConvertPlan, FkArguments, IkArguments, MassArguments, RowPlan, TablePlan,
    TorqueArguments,
};

use crate::failure::{Failure, say};
use clap::{Args, Subcommand, ValueEnum};
use dalembert::delta::{Assembly, Branch};
use dalembert::robot::Robot;
use dalembert::robot::file::{Dimension, Warning, quantity};
use dalembert::verbs::{out_of_range, require_computable};

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  dalembert robots
  dalembert robots --json
  dalembert robots show d3-1200 > my-robot.toml           start your own robot from a built-in one"
)]
pub struct RobotsArguments {
    #[command(subcommand)]
    pub action: Option<RobotsAction>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum RobotsAction {
    /// Print the file of a robot, with the source of every number
    #[command(after_help = "\
Examples:
  dalembert robots show asadi
  dalembert robots show d3-1200 --json                    its parameters in SI, as JSON")]
    Show {
        /// Name of a built-in robot, or path to a robot file; a file is printed in SI with its defaults
        name: String,
        /// Print its parameters as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert check my-robot.toml
  dalembert check d3-1200 --json | jq .workspace
  dalembert check hexa --plot hexa.svg                       a drawing
  dalembert check d3-1200 --set forearm.mass=0.5 --set payload.mass=2kg      with other values")]
pub struct CheckArguments {
    #[command(flatten)]
    pub with_payload: CarryingArguments,
    /// Draw the robot at its home pose: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The solution branch of the inverse kinematics.
#[derive(Clone, Copy, ValueEnum)]
pub enum BranchChoice {
    /// Elbows outward, the usual one
    Out,
    /// Elbows inward
    In,
}

impl From<BranchChoice> for Branch {
    fn from(choice: BranchChoice) -> Self {
        match choice {
            BranchChoice::Out => Self::Out,
            BranchChoice::In => Self::In,
        }
    }
}

/// The solution of the forward kinematics.
#[derive(Clone, Copy, ValueEnum)]
pub enum AssemblyChoice {
    /// Platform below the elbows, the usual one
    Below,
    /// Platform above the elbows
    Above,
}

impl From<AssemblyChoice> for Assembly {
    fn from(choice: AssemblyChoice) -> Self {
        match choice {
            AssemblyChoice::Below => Self::Below,
            AssemblyChoice::Above => Self::Above,
        }
    }
}

/// A robot, as its file describes it or otherwise.
#[derive(Args)]
pub struct RobotArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    #[command(flatten)]
    pub changes: FileChanges,
}

/// What if? A file that says something else, for this run.
#[derive(Args, Default)]
pub struct FileChanges {
    /// Override a value of the robot file, as in `forearm.mass=0.5`
    ///
    /// May be repeated. With a unit: `--set "link.2.mass=500 g"`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl RobotArguments {
    /// The robot. What is odd in it is told once.
    pub fn find(&self) -> Result<Robot, Failure> {
        let robot = self.quietly()?;
        tell_warnings(&self.robot, &robot.warnings);
        require_computable(&robot)?;
        Ok(robot)
    }

    /// The robot; what is odd in it is for the caller to tell.
    pub fn quietly(&self) -> Result<Robot, Failure> {
        Ok(Robot::find_with(&self.robot, &self.changes.set)?)
    }
}

/// A robot with what it carries.
#[derive(Args)]
pub struct CarryingArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    /// Payload mass, kg or with unit
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
}

impl CarryingArguments {
    /// The robot. What is odd in it is told once.
    pub fn find(&self) -> Result<Robot, Failure> {
        with_payload(self.robot.find()?, self.payload.as_deref())
    }
}

/// The robot with a payload, if one is given.
pub fn with_payload(robot: Robot, payload: Option<&str>) -> Result<Robot, Failure> {
    let Some(text) = payload else { return Ok(robot) };
    let mass = numbers::not_negative("payload", text, Dimension::Mass)?;
    let robot = robot.with_payload(mass).map_err(|error| Failure::new(format!("--payload: {error}")))?;
    require_computable(&robot)?;
    Ok(robot)
}

/// Tells of a pose that is typed and beyond the ranges of the joints.
pub fn tell_ranges(robot: &Robot, q: &[f64]) {
    if let Some(found) = out_of_range(robot, q) {
        say(&format!("warning: {}", found.message));
    }
}

pub fn tell_warnings(name: &str, warnings: &[Warning]) {
    for warning in warnings {
        say(&format!("warning: {name}, {warning}"));
    }
}

/// What messages call an input.
pub fn name_of(input: &str) -> &str {
    if input == "-" { "standard input" } else { input }
}

/// A length, m or with unit.
pub fn length(text: &str) -> Result<f64, String> {
    quantity(text, Dimension::Length).map_err(|error| error.to_string())
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert completions bash > ~/.local/share/bash-completion/completions/dalembert
  dalembert completions zsh > ~/.zfunc/_dalembert")]
pub struct CompletionsArguments {
    /// The shell
    pub shell: clap_complete::Shell,
}
