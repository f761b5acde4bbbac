//! Verbs that look into a model: `explain`, `compare`, `ops`.

use super::numbers::{number, one_each, positive};
use super::{AssemblyChoice, BranchChoice, CarryingArguments, length};
use crate::failure::Failure;
use crate::verbs::measure::{MappingArguments, MappingPlan, PreprocessingArguments};
use crate::verbs::source::SourceArguments;
use clap::Args;
use dalembert::Vec3;
use dalembert::delta::{Assembly, Branch};
use dalembert::identify::Preprocessing;
use dalembert::robot::file::{Dimension, quantity};
use dalembert::robot::{JointKind, JointState, JointVector, Pick, Robot};
use dalembert::spatial::{Twist, Wrench};
use dalembert::verbs::{CompareMotion, CompareRequest, CompareStroke, ExplainRequest, ExplainState, OpsRequest};
use std::time::Duration;

/// Three numbers, in SI or with units.
fn three(text: &str, dimension: Dimension) -> Result<Vec3<f64>, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| quantity(part, dimension)).collect();
    match numbers.map_err(|error| error.to_string())?[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        ref numbers => Err(format!("three numbers are needed, separated by commas; here are {}", numbers.len())),
    }
}

fn place(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Length)
}

fn speeds(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Speed)
}

fn accelerations(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Acceleration)
}

fn angles(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Angle)
}

fn angular_speeds(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::AngularSpeed)
}

fn plain(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Ratio)
}

fn forces(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Force)
}

fn moments(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Torque)
}

fn extent(text: &str) -> Result<f64, String> {
    length(text).and_then(|value| if value > 0.0 { Ok(value) } else { Err("it must be positive".to_owned()) })
}

fn rise(text: &str) -> Result<f64, String> {
    length(text).and_then(|value| if value >= 0.0 { Ok(value) } else { Err("it must be zero or positive".to_owned()) })
}

fn frequency(text: &str) -> Result<f64, String> {
    let value = quantity(text, Dimension::Frequency).map_err(|error| error.to_string())?;
    if value > 0.0 { Ok(value) } else { Err("it must be positive".to_owned()) }
}

#[derive(Args)]
#[command(after_help = "\
The state is Cartesian (--position, --velocity, --acceleration) or in joints (--joints, --joint-velocity, \
--joint-acceleration); rates that are not given are zero. Without a position: the centre of the workspace. A serial arm: \
A(q), B(q), C(q) and g(q) of Armstrong, Khatib and Burdick 1986, and their lumped constants where it is like the PUMA 560.

Examples:
  dalembert explain d3-1200
  dalembert explain d3-1200 --position 0.1,0,-0.85 --velocity 1,0,0 --acceleration 0,0,10
  dalembert explain robot.toml --joints 0.3,0.4,0.5 --json
  dalembert explain puma560 --joints 0,-0.5,1,0.3,0.4,0.2 --joint-velocity 1")]
pub struct ExplainArguments {
    #[command(flatten)]
    with_payload: CarryingArguments,
    /// Platform position, m or with units
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = place)]
    position: Option<Vec3<f64>>,
    /// Platform velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = speeds, conflicts_with = "joints")]
    velocity: Option<Vec3<f64>>,
    /// Platform acceleration, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = accelerations, conflicts_with = "joints")]
    acceleration: Option<Vec3<f64>>,
    /// Roll, pitch, yaw of a platform that turns, rad or with units  [default: as at home]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, value_parser = angles, conflicts_with = "joints")]
    rpy: Option<Vec3<f64>>,
    /// Its angular velocity, rad/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = angular_speeds, conflicts_with = "joints")]
    angular_velocity: Option<Vec3<f64>>,
    /// Its angular acceleration, rad/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = plain, conflicts_with = "joints")]
    angular_acceleration: Option<Vec3<f64>>,
    /// Joint angles, rad or with units; one value stands for all joints
    #[arg(short = 'q', long, value_name = "Q1,Q2,..", allow_hyphen_values = true, conflicts_with = "position")]
    joints: Option<String>,
    /// Joint velocities, rad/s
    #[arg(long, value_name = "Q1,Q2,..", allow_hyphen_values = true, requires = "joints")]
    joint_velocity: Option<String>,
    /// Joint accelerations, rad/s²
    #[arg(long, value_name = "Q1,Q2,..", allow_hyphen_values = true, requires = "joints")]
    joint_acceleration: Option<String>,
    /// Force of the environment on the platform, N
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = forces)]
    force: Option<Vec3<f64>>,
    /// Its moment on a platform that turns, N m
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = moments)]
    moment: Option<Vec3<f64>>,
    /// The position is that of the tool point, not of the platform centre
    #[arg(long, requires = "position")]
    tool: bool,
    /// Elbow branch for a Cartesian state  [default: out]
    #[arg(long)]
    branch: Option<BranchChoice>,
    /// Assembly for a state in joints  [default: below]
    #[arg(long)]
    assembly: Option<AssemblyChoice>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `explain`, ready to run.
pub struct ExplainPlan {
    pub request: ExplainRequest,
    pub json: bool,
}

impl ExplainArguments {
    pub fn plan(self) -> Result<ExplainPlan, Failure> {
        let or_zero = |v: Option<Vec3<f64>>| v.unwrap_or(Vec3::zero());
        let robot = self.with_payload.find()?;
        let kinds: Vec<JointKind> = robot.joints().iter().map(|joint| joint.kind).collect();
        // Every joint has units of its own: a slide is not an angle.
        let each = |name, text: &Option<String>, [turning, sliding]: [Dimension; 2]| match text {
            Some(text) => {
                let of = |kind: &JointKind| if *kind == JointKind::Revolute { turning } else { sliding };
                let dimensions: Vec<Dimension> = kinds.iter().map(of).collect();
                one_each(name, text, &dimensions).map(|values| JointVector::new(&values))
            }
            None => Ok(JointVector::zero(kinds.len())),
        };
        let state = if self.joints.is_some() {
            let q = each("joints", &self.joints, [Dimension::Angle, Dimension::Length])?;
            let qd = each("joint-velocity", &self.joint_velocity, [Dimension::AngularSpeed, Dimension::Speed])?;
            let of_joints = [Dimension::Ratio, Dimension::Acceleration];
            let qdd = each("joint-acceleration", &self.joint_acceleration, of_joints)?;
            ExplainState::Joints { joints: JointState { q, qd, qdd }, assembly: self.assembly.map(Assembly::from) }
        } else {
            let twist = |linear, angular| Twist { linear: or_zero(linear), angular: or_zero(angular) };
            ExplainState::Tool {
                position: self.position,
                of_tool_point: self.tool,
                rpy: self.rpy,
                velocity: twist(self.velocity, self.angular_velocity),
                acceleration: twist(self.acceleration, self.angular_acceleration),
                branch: self.branch.map(Branch::from),
            }
        };
        let wrench = Wrench { force: or_zero(self.force), moment: or_zero(self.moment) };
        Ok(ExplainPlan { request: ExplainRequest { robot, state, wrench }, json: self.json })
    }
}

#[derive(Args)]
#[command(after_help = "\
Without --motion and --states a Delta moves back and forth along x, then along y: a quintic over an arch, at rest at both \
ends. An arm moves once through a part of its joint ranges in 1 s. Differences are model - exact; \
Tables 3-5 of Falezza et al. 2022 have measured - model (`dalembert paper falezza`). Serial arms: Armstrong's models and the derived program against \
Newton-Euler, for arms like the PUMA 560.

With a log, CSV, Parquet, .mat, .npy or .npz, every model is compared with the measured torques (Falezza's Tables 3-5). Its \
columns are found, and it is smoothed, as in `identify`.

Examples:
  dalembert compare d3-1200
  dalembert compare identified.toml run.csv               the models against measured torques
  dalembert compare d3-1200 --z -0.85 --out models.csv --plot models.svg
  dalembert compare robot.toml --width 0.5 --duration 0.25 --json
  dalembert compare d3-1200 --report models.html          torque and tracking error of each model
  dalembert compare robot.toml --motion pick-and-place-1kg --profile time-optimal --report models.html
  dalembert compare robot.toml --states motion.csv --bandwidth 10 --json
  dalembert compare puma560 --plot models.svg")]
pub struct CompareArguments {
    #[command(flatten)]
    with_payload: CarryingArguments,
    /// Log with times, joint positions and measured torques
    #[arg(value_name = "LOG", conflicts_with_all = ["states", "motion"])]
    logs: Option<String>,
    /// Compare over the states of a CSV file as `torque` reads it
    ///
    /// `-` is standard input
    #[arg(long, value_name = "FILE")]
    states: Option<String>,
    #[command(flatten)]
    source: SourceArguments,
    /// Length of a stroke, m  [default: 0.3]
    #[arg(long, value_name = "M", value_parser = extent, allow_hyphen_values = true)]
    width: Option<f64>,
    /// Height of the arch, m  [default: 0.025]
    #[arg(long, value_name = "M", value_parser = rise, allow_hyphen_values = true)]
    height: Option<f64>,
    /// Time of one stroke, s  [default: 1/6; of a --motion as short as the robot can]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Height of the ends of the stroke, m  [default: the centre of the workspace]
    #[arg(long, value_name = "M", value_parser = length, allow_hyphen_values = true)]
    z: Option<f64>,
    /// Samples per stroke  [default: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=250_000))]
    samples: Option<u32>,
    /// Elbow branch (Delta)  [default: out]
    #[arg(long)]
    branch: Option<BranchChoice>,
    /// Write the motion and all torques as CSV
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write a plot: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Write a report with torque and tracking errors of each model: .html or .md
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// Feedback bandwidth assumed for tracking errors, Hz
    #[arg(long, value_name = "HZ", default_value = "20", value_parser = frequency, allow_hyphen_values = true)]
    bandwidth: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Delay of the torque against the motion  [default: the smallest residual of the exact model]
    #[arg(long, value_name = "TIME", requires = "logs", allow_hyphen_values = true)]
    delay: Option<String>,
    // Last, since their headings are for everything that follows.
    #[command(flatten)]
    preprocessing: PreprocessingArguments,
    #[command(flatten)]
    mapping: MappingArguments,
}

/// `compare`, ready to run but for the states of its motion.
pub struct ComparePlan {
    /// With its payload.
    robot: Robot,
    payload: Option<String>,
    states: Option<String>,
    log: Option<(String, MappingPlan, Preprocessing, Option<f64>)>,
    source: SourceArguments,
    stroke: CompareStroke,
    /// As it was typed.
    duration: Option<String>,
    pick: Pick,
    pub out: Option<String>,
    pub plot: Option<String>,
    pub report: Option<String>,
    bandwidth: f64,
    pub json: bool,
}

impl ComparePlan {
    /// What is asked of the library; a motion is planned, a log or table is read.
    pub fn request(&mut self) -> Result<CompareRequest, Failure> {
        if self.log.is_some() || self.states.is_some() || self.source.motion.is_some() {
            self.refuse_stroke_options("--motion, --states or a log")?;
        } else if self.robot.workspace().is_none() {
            self.refuse_stroke_options(&format!("a {}", self.robot.kind().title))?;
        }
        let (mut robot, pick, duration) = (self.robot.clone(), self.pick.clone(), self.duration.as_deref());
        let motion = match self.log.take() {
            Some((name, mapping, preprocessing, delay)) => {
                CompareMotion::Log { log: mapping.read(&name, &robot.joints())?, preprocessing, delay }
            }
            None => {
                let payload = self.payload.as_deref();
                match self.source.states(&robot, self.states.as_deref(), duration, payload, pick.clone())? {
                    Some(states) => {
                        robot = states.robot;
                        CompareMotion::States { what: states.caption, states: states.rows }
                    }
                    None => {
                        let duration = duration.map(|text| positive("duration", text, Dimension::Time)).transpose()?;
                        CompareMotion::Own(CompareStroke { duration, ..self.stroke })
                    }
                }
            }
        };
        Ok(CompareRequest { robot, motion, pick, bandwidth: self.bandwidth })
    }

    /// An option that the motion has no use for is a mistake.
    fn refuse_stroke_options(&self, why: &str) -> Result<(), Failure> {
        let without_duration = self.states.is_some() || self.log.is_some();
        let given = [
            (self.stroke.width.is_some(), "--width"),
            (self.stroke.height.is_some(), "--height"),
            (self.stroke.z.is_some(), "--z"),
            (self.stroke.samples.is_some(), "--samples"),
            (without_duration && self.duration.is_some(), "--duration"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(Failure::new(format!("{option} does not go with {why}"))),
            None => Ok(()),
        }
    }
}

impl CompareArguments {
    pub fn plan(self) -> Result<ComparePlan, Failure> {
        if let Some(report) = &self.report
            && ![".html", ".md"].iter().any(|ending| report.to_ascii_lowercase().ends_with(ending))
        {
            return Err(Failure::new(format!("cannot write a report to {report}"))
                .hint("give a name that ends in `.html` or `.md`"));
        }
        let robot = self.with_payload.find()?;
        let log = match self.logs {
            Some(name) => {
                let delay = self.delay.map(|text| number("delay", &text, Dimension::Time)).transpose()?;
                Some((name, self.mapping.plan(&robot.joints())?, self.preprocessing.plan()?, delay))
            }
            None => None,
        };
        let stroke =
            CompareStroke { width: self.width, height: self.height, duration: None, z: self.z, samples: self.samples };
        Ok(ComparePlan {
            robot,
            log,
            payload: self.with_payload.payload,
            states: self.states,
            source: self.source,
            stroke,
            duration: self.duration,
            pick: Pick { elbows: self.branch.map(Branch::from), ..Pick::default() },
            out: self.out,
            plot: self.plot,
            report: self.report,
            bandwidth: self.bandwidth,
            json: self.json,
        })
    }
}

#[derive(Args)]
#[command(after_help = "\
Counts: negation and multiplication by 0 or 1 are free, operations between constants too; everything else counts one, \
division and square root included; sine and cosine of one angle are a pair. Rates: one state at a time on this machine.

Examples:
  dalembert ops d3-1200
  dalembert ops d3-1200 --no-timing --json
  dalembert ops puma560                       with Armstrong's Tables 1–3; counts only")]
pub struct OpsArguments {
    #[command(flatten)]
    robot: CarryingArguments,
    /// Time spent on each measurement, ms
    #[arg(long, value_name = "MS", default_value = "50", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    milliseconds: u64,
    /// Count only
    #[arg(long, conflicts_with = "milliseconds")]
    no_timing: bool,
    /// Serial arms: do not search for the fewest operations
    #[arg(long)]
    quick: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `ops`, ready to run.
pub struct OpsPlan {
    pub request: OpsRequest,
    pub json: bool,
}

impl OpsArguments {
    pub fn plan(self) -> Result<OpsPlan, Failure> {
        let budget = if self.no_timing { Duration::ZERO } else { Duration::from_millis(self.milliseconds) };
        let request = OpsRequest { robot: self.robot.find()?, budget, quick: self.quick };
        Ok(OpsPlan { request, json: self.json })
    }
}
