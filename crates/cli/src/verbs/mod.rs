//! The verbs, and what is typed for each: one file per verb (`ik`, `fk`, `torque`, `accel` and `mass` share `rows`).

pub mod analysis;
pub mod check;
pub mod compare;
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
pub mod spelling;
pub mod trajectory;

use clap::{Parser, Subcommand};

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
130 interrupted, 141 nobody reads standard output any more."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant)] // made once, at the start
pub enum Verb {
    /// List the built-in robots, or show the file of one
    Robots(robots::RobotsArguments),
    /// Parameters, reach, mass matrix, models and warnings of a robot file
    Check(check::CheckArguments),
    /// Inverse kinematics: joint angles (and rates) of platform positions
    Ik(rows::IkArguments),
    /// Forward kinematics: platform positions (and rates) of joint angles
    Fk(rows::FkArguments),
    /// Inverse dynamics: motor torques of a motion
    Torque(rows::TorqueArguments),
    /// Forward dynamics: accelerations under motor torques
    Accel(rows::AccelArguments),
    /// Mass matrix and holding torques of poses
    Mass(rows::MassArguments),
    /// Convert states or parameters: conventions of LinuxCNC, Klipper, TwinCAT or a paper
    Convert(rows::ConvertArguments),
    /// One state step by step: every quantity with its formula and equation number
    Explain(explain::ExplainArguments),
    /// Published models against the exact one over a motion, or against measured torques
    Compare(compare::CompareArguments),
    /// Operation counts and evaluation rates of all models, with the published figures
    Ops(ops::OpsArguments),
    /// Simulate a robot or a scene: recording, report, tracking errors
    Simulate(simulate::SimulateArguments),
    /// Derive explicit programs as Rust, C, Structured Text, Python, LaTeX or JSON
    Derive(derive::DeriveArguments),
    /// Plan a motion along a path: CSV, G-code, required torques and speeds
    Trajectory(trajectory::TrajectoryArguments),
    /// Motors and gears that suffice for a motion
    Size(size::SizeArguments),
    /// The shortest cycle over the workspace, as a map
    Cycle(cycle::CycleArguments),
    /// Linear model about a state: export, model reduction, state feedback
    Linearize(analysis::linearize::LinearizeArguments),
    /// Poles and zeros about a state; controllability and observability of each mode
    Poles(analysis::poles::PolesArguments),
    /// Stability of a robot under constant torques
    Stability(analysis::stability::StabilityArguments),
    /// A quantity over a slice or a volume of the workspace: pictures and tables
    Map(analysis::map::MapArguments),
    /// Sensitivity of the torque to each parameter, and its tolerance
    Sensitivity(analysis::sensitivity::SensitivityArguments),
    /// Velocities and accelerations from a measured log, and the quality of the log
    Smooth(measure::smooth::SmoothArguments),
    /// Identify masses, inertias and friction from measured logs
    Identify(measure::identify::IdentifyArguments),
    /// Optimal excitation trajectory of a robot; expected σ of each parameter
    Excite(measure::excite::ExciteArguments),
    /// Calibrate lengths, radii, angles and zero offsets from measured tool positions
    Calibrate(measure::calibrate::CalibrateArguments),
    /// Inertia, drive and friction from bench measurements, with tolerances
    Bench(measure::bench::BenchArguments),
    /// Reproduce the tables and figures of a paper, as a page
    Paper(paper::PaperArguments),
    /// Print a completion script for a shell
    Completions(robots::CompletionsArguments),
}
