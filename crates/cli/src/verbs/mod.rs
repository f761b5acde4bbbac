//! The verbs, and what is typed for each: one file per verb (`ik`, `fk`, `torque`, `accel` and `mass` share `rows`).

pub mod analysis;
pub mod check;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod cycle;
pub mod derive;
pub mod explain;
pub mod measure;
pub mod motion;
pub mod ops;
pub mod paper;
pub mod robots;
pub mod rows;
pub mod simulate;
pub mod size;
pub mod source;
pub mod trajectory;

use crate::arguments::{
    AccelArguments, CheckArguments, CompletionsArguments, ConvertArguments, FkArguments, IkArguments, MassArguments,
    RobotsArguments, TorqueArguments,
};
use clap::{Parser, Subcommand};

/// Exact dynamic models of robots, Deltas and serial arms: torques, simulation under control, motions, analysis, and every
/// published model beside the exact one.
///
/// SI units and radians; z is up; torques are at the joint side of the gear. The platform of a Delta is below its base, at
/// negative z; its joint angles are 0 horizontally outward and positive downward.
#[derive(Parser)]
#[command(
    name = "dalembert",
    version,
    max_term_width = 100,
    after_long_help = "\
Examples:
  dalembert robots                                        the built-in robots
  dalembert check my-robot.toml                           what a robot file says
  dalembert torque d3-1200 --input motion.csv             torques of a motion
  dalembert explain d3-1200 --position 0.1,0,-0.85        one state, step by step
  dalembert compare d3-1200 --plot models.svg             the published models against the exact one
  dalembert simulate d3-1200 --free --report run.html     a free swing, to look at

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
    /// Read a robot file and say what it describes: parameters, reach, mass matrix, models, warnings
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
    /// States into another convention (LinuxCNC, Klipper, TwinCAT, the papers' own) or out of it
    Convert(ConvertArguments),
    /// One state step by step: every intermediate quantity with its formula and equation number
    Explain(explain::ExplainArguments),
    /// All published models against the exact one over a motion, or against measured torques
    Compare(compare::CompareArguments),
    /// Operation counts and evaluation rates of all models, beside the papers' own figures
    Ops(ops::OpsArguments),
    /// Let a robot or a scene move: recording, report, and the errors that were measured
    Simulate(simulate::SimulateArguments),
    /// Derive an explicit program of a robot and write it as Rust, C, Structured Text, LaTeX or JSON
    Derive(derive::DeriveArguments),
    /// A motion along a path by a motion profile: as CSV, as G-code, and what it asks of the robot
    Trajectory(trajectory::TrajectoryArguments),
    /// Which motors and gears can do a motion
    Size(size::SizeArguments),
    /// The shortest cycle over the workspace, as a map
    Cycle(cycle::CycleArguments),
    /// The linear model about a state, with exact derivatives; export, reduction, state feedback
    Linearize(analysis::linearize::LinearizeArguments),
    /// Poles and zeros about a state, and how controllable and observable each mode is
    Poles(analysis::poles::PolesArguments),
    /// Whether a robot stays where a constant torque holds it
    Stability(analysis::stability::StabilityArguments),
    /// A quantity over a slice or a volume of the workspace: pictures and tables
    Map(analysis::map::MapArguments),
    /// Sensitivity of the torque to each parameter, at a state or over a motion, and its tolerance
    Sensitivity(analysis::sensitivity::SensitivityArguments),
    /// Velocities and accelerations of a measured log, and its quality
    Smooth(measure::smooth::SmoothArguments),
    /// Masses, inertias and friction from measured logs: the robot file, its certainty, a verdict
    Identify(measure::identify::IdentifyArguments),
    /// The optimal excitation trajectory of a robot, and the expected σ of each parameter
    Excite(measure::excite::ExciteArguments),
    /// Lengths, radii, angles and zero offsets from measured places of the tool
    Calibrate(measure::calibrate::CalibrateArguments),
    /// Inertia from two wires, drives from a spring, friction from break-away, with tolerances
    Bench(measure::bench::BenchArguments),
    /// A paper's tables and figures again, the printed values beside ours, as a page
    Paper(paper::PaperArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
}
