//! What is typed in, and how it becomes a plan that is known to make sense.

pub mod numbers;
mod rows;
mod spelling;
mod study;

pub use rows::{
    AccelArguments, ConvertArguments, ConvertPlan, FkArguments, IkArguments, MassArguments, RowPlan, TablePlan,
    TorqueArguments,
};
pub use spelling::{command, parse};
pub use study::{CompareArguments, ExplainArguments, ExplainPlan, OpsArguments, OpsPlan};

use crate::failure::{Failure, say};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dalembert::delta::{Assembly, Branch};
use dalembert::robot::Robot;
use dalembert::robot::file::{Dimension, Warning, quantity};
use dalembert::verbs::{out_of_range, require_computable};

/// Exact dynamic models of robots, Deltas and serial arms: torques, simulation under control, motions, analysis, and a
/// comparison with the published models.
///
/// SI units and radians; z is up; torques are at the joint side of the gear. The platform of a Delta is below its base, at
/// negative z; its joint angles are 0 horizontally outward and positive downward.
#[derive(Parser)]
#[command(
    name = "dalembert",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  dalembert robots                                        the built-in robots
  dalembert check my-robot.toml                           parameters, reach, warnings
  dalembert torque d3-1200 motion.csv                     torques of a motion
  dalembert explain d3-1200 --position 0.1,0,-0.85        one state, step by step
  dalembert compare d3-1200 --plot models.svg             the published models against the exact one
  dalembert simulate d3-1200 --free --report run.html     a free swing, as a report

Exit codes: 0 done, 1 a mistake in the input (explained on standard error), 2 wrong usage,
130 interrupted."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant)] // made once, at the start
pub enum Verb {
    /// List the built-in robots, or show the file of one
    Robots(RobotsArguments),
    /// Parameters, reach, mass matrix, models and warnings of a robot file
    Check(CheckArguments),
    /// Inverse kinematics: joint angles (and rates) of platform positions
    Ik(IkArguments),
    /// Forward kinematics: platform positions (and rates) of joint angles
    Fk(FkArguments),
    /// Inverse dynamics: motor torques of a motion
    Torque(TorqueArguments),
    /// Forward dynamics: accelerations under motor torques
    Accel(AccelArguments),
    /// Mass matrix and holding torques of poses
    Mass(MassArguments),
    /// Convert states to or from the convention of LinuxCNC, Klipper, TwinCAT or a paper
    Convert(ConvertArguments),
    /// One state step by step: every quantity with its formula and equation number
    Explain(ExplainArguments),
    /// Published models against the exact one over a motion, or against measured torques
    Compare(CompareArguments),
    /// Operation counts and evaluation rates of all models, with the published figures
    Ops(OpsArguments),
    /// Simulate a robot or a scene: recording, report, tracking errors
    Simulate(crate::verbs::simulate::SimulateArguments),
    /// Derive explicit programs as Rust, C, Structured Text, Python, LaTeX or JSON
    Derive(crate::verbs::derive::DeriveArguments),
    /// Plan a motion along a path: CSV, G-code, required torques and speeds
    Trajectory(crate::verbs::trajectory::TrajectoryArguments),
    /// Motors and gears that suffice for a motion
    Size(crate::verbs::size::SizeArguments),
    /// The shortest cycle over the workspace, as a map
    Cycle(crate::verbs::cycle::CycleArguments),
    /// Linear model about a state: export, model reduction, state feedback
    Linearize(crate::verbs::analysis::linearize::LinearizeArguments),
    /// Poles and zeros about a state; controllability and observability of each mode
    Poles(crate::verbs::analysis::poles::PolesArguments),
    /// Stability of a robot under constant torques
    Stability(crate::verbs::analysis::stability::StabilityArguments),
    /// A quantity over a slice or a volume of the workspace: pictures and tables
    Map(crate::verbs::analysis::map::MapArguments),
    /// Sensitivity of the torque to each parameter, and its tolerance
    Sensitivity(crate::verbs::analysis::sensitivity::SensitivityArguments),
    /// Velocities and accelerations from a measured log, and the quality of the log
    Smooth(crate::verbs::measure::smooth::SmoothArguments),
    /// Identify masses, inertias and friction from measured logs
    Identify(crate::verbs::measure::identify::IdentifyArguments),
    /// Optimal excitation trajectory of a robot; expected σ of each parameter
    Excite(crate::verbs::measure::excite::ExciteArguments),
    /// Calibrate lengths, radii, angles and zero offsets from measured tool positions
    Calibrate(crate::verbs::measure::calibrate::CalibrateArguments),
    /// Inertia, drive and friction from bench measurements, with tolerances
    Bench(crate::verbs::measure::bench::BenchArguments),
    /// Reproduce the tables and figures of a paper, as a page
    Paper(crate::verbs::paper::PaperArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
}

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

/// A length, m or with unit.
fn length(text: &str) -> Result<f64, String> {
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
