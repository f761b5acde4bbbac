//! What is typed in, and how it becomes a plan that is known to make sense.

use crate::failure::{Failure, say};
use crate::output::resolve;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dalembert::convert::Convention;
use dalembert::delta::{Assembly, Branch, ModelName};
use dalembert::describe::Warning;
use dalembert::record::serial_states::SerialModelName;
use dalembert::record::states::Evaluation;
use dalembert::record::{Form, Space, Task};
use dalembert::serial::puma::PumaModelName;
use dalembert::{AnyRobot, Robot, Vec3};
use std::time::Duration;

/// Exact dynamic models of Delta robots: torques, accelerations, mass matrices, and every published model beside the
/// exact one.
///
/// SI units and radians. z is up and the platform below the base, at negative z; joint angles are 0 horizontally
/// outward and positive downward; torques are at the joint side of the gear.
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
    Explain(ExplainArguments),
    /// All published models against the exact one over a motion
    Compare(CompareArguments),
    /// Operation counts and evaluation rates of all models, beside the papers' own figures
    Ops(OpsArguments),
    /// Let a robot or a scene move: recording, report, and the errors that were measured
    Simulate(crate::verbs::simulate::SimulateArguments),
    /// Derive an explicit program of a robot and write it as Rust, C, Structured Text, LaTeX or JSON
    Derive(crate::verbs::derive::DeriveArguments),
    /// A motion along a path by a law of time: as CSV, as G-code, and what it asks of the robot
    Trajectory(crate::verbs::trajectory::TrajectoryArguments),
    /// Which motors and gears can do a motion
    Size(crate::verbs::size::SizeArguments),
    /// The shortest cycle over the workspace, as a map
    Cycle(crate::verbs::cycle::CycleArguments),
    /// The linear model about a state, with exact derivatives; export, reduction, state feedback
    Linearize(crate::verbs::analysis::linearize::LinearizeArguments),
    /// Poles and zeros about a state, and how well each is reached and seen
    Poles(crate::verbs::analysis::poles::PolesArguments),
    /// Whether a Delta stays where a constant torque holds it
    Stability(crate::verbs::analysis::stability::StabilityArguments),
    /// A quantity over a slice or a volume of the workspace: pictures and tables
    Map(crate::verbs::analysis::map::MapArguments),
    /// What the torque of a state or motion owes to each number of the robot file, and to its tolerance
    Sensitivity(crate::verbs::analysis::sensitivity::SensitivityArguments),
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
    /// Print the file of a built-in robot, with the source of every number; or a file of your own, in SI
    #[command(after_help = "\
Examples:
  dalembert robots show asadi
  dalembert robots show d3-1200 --json                    its parameters in SI, as JSON")]
    Show {
        /// Name of a built-in robot; or path to a robot file, which is printed as it was read: in SI, defaults filled in
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
  dalembert check d3-1200 --json | jq .reach")]
pub struct CheckArguments {
    /// Robot file, or the name of a built-in robot
    #[arg(value_name = "FILE")]
    pub robot: String,
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

/// The form of the state that counts.
#[derive(Clone, Copy, ValueEnum)]
pub enum FromChoice {
    /// x,y,z,...
    Cartesian,
    /// q1,q2,q3,...
    Joints,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SpaceChoice {
    /// Joint angles: kg m², holding torques in N m
    Joint,
    /// Platform position: kg, gravity force in N
    Cartesian,
}

/// The models with a line on each.
pub fn model_help(name: ModelName) -> &'static str {
    match name {
        ModelName::Exact => "rigid-body dynamics without approximation",
        ModelName::Asadi => "Asadi & Heydari 2020, explicit M, C, G; exact",
        ModelName::Bortoff => "Bortoff 2018, nine coordinates and constraint forces; exact",
        ModelName::Codourey => "Codourey 1998 (57), forearms as uniform bars",
        ModelName::CodoureySimplified => "Codourey 1998 (58), forearm mass 2/3 at the elbow, 1/3 at the platform",
        ModelName::FalezzaComplete => "Falezza et al. 2022, complete model, corrected; exact for uniform rods",
        ModelName::FalezzaCompletePrinted => "the same literally as printed",
        ModelName::FalezzaSimplified => "Falezza et al. 2022, simplified model, corrected: half and half, uniform arm",
        ModelName::FalezzaSimplifiedPrinted => "the same literally as printed",
    }
}

fn serial_model_help(name: SerialModelName) -> &'static str {
    match name {
        SerialModelName::Derived => "PUMA 560: the program that `derive` has found; exact",
        SerialModelName::NewtonEuler => "serial arms: recursive Newton–Euler, exact (`exact` means the same)",
        SerialModelName::Puma(PumaModelName::Explicit) => "PUMA 560: Armstrong et al. 1986, Tables A2 and A4–A7; exact",
        SerialModelName::Puma(PumaModelName::ExplicitA3) => "PUMA 560: the same with the printed constants of Table A3",
        SerialModelName::Puma(PumaModelName::Abbreviated) => "PUMA 560: the same after the 1 % significance criterion",
    }
}

/// The models of Delta robots and of serial arms.
fn any_model_parser() -> PossibleValuesParser {
    let deltas = ModelName::ALL.map(|name| PossibleValue::new(name.as_str()).help(model_help(name)));
    let arms = SerialModelName::ALL.map(|name| PossibleValue::new(name.as_str()).help(serial_model_help(name)));
    PossibleValuesParser::new(deltas.into_iter().chain(arms))
}

fn vector(text: &str) -> Result<Vec3<f64>, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if [x, y, z].iter().all(|v| v.is_finite()) => Ok(Vec3::new(x, y, z)),
        Ok(&[_, _, _]) => Err("numbers must be finite".to_owned()),
        Ok(numbers) => Err(format!("three numbers are needed, separated by commas; here are {}", numbers.len())),
        Err(_) => Err("three numbers are needed, separated by commas, e.g. `0.1,0,-0.85`".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a positive number is needed".to_owned()),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| "a number is needed".to_owned())
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("zero or a positive number is needed".to_owned()),
    }
}

/// A robot by its name or file. What is odd in it is told once.
fn find(name: &str) -> Result<Robot, Failure> {
    let robot = Robot::find(name)?;
    tell_warnings(name, &robot.warnings);
    Ok(robot)
}

pub fn tell_warnings(name: &str, warnings: &[Warning]) {
    for warning in warnings {
        say(&format!("warning: {name}, {warning}"));
    }
}

/// A table in and out.
#[derive(Args)]
pub struct TableArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    /// CSV file with a header line, `-` for standard input
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub input: String,
    /// Where the result goes, `-` for standard output; either gets it at the end of the input, and only if all is well
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// Write JSON lines, one object per row, instead of CSV
    #[arg(long)]
    pub json: bool,
    /// Skip bad rows and tell them on standard error, instead of stopping at the first
    #[arg(long)]
    pub skip_bad: bool,
}

/// A table in and out, ready to run.
pub struct TablePlan {
    pub input: String,
    pub output: String,
    pub json: bool,
    pub skip_bad: bool,
}

impl TableArguments {
    fn plan(self) -> TablePlan {
        TablePlan { input: self.input, output: self.output, json: self.json, skip_bad: self.skip_bad }
    }
}

/// What all verbs that compute with rows have in common.
#[derive(Args)]
pub struct RowArguments {
    #[command(flatten)]
    table: TableArguments,
    /// The position columns x,y,z are those of the tool point, not of the platform centre
    #[arg(long)]
    pub tool: bool,
    /// Add singularity margins (transmission1..3, rod_determinant; 0 is singular) and ball angles (ball1..3, rad)
    #[arg(long)]
    pub details: bool,
    /// Add a column `limits` that names what passes a limit of the robot: q1, qd2, tau3, ball1
    #[arg(long)]
    pub limits: bool,
    /// Treat a passed limit as a bad row (otherwise a warning on standard error)
    #[arg(long)]
    pub enforce_limits: bool,
}

/// Which form counts, and which solution.
#[derive(Args)]
pub struct FormArguments {
    /// The form that counts where a row has both; the other is checked to 1e-9
    #[arg(long, value_name = "FORM")]
    pub from: Option<FromChoice>,
    /// Elbow branch for states in Cartesian form
    #[arg(long, default_value = "out")]
    pub branch: BranchChoice,
    /// Assembly for states in joint form
    #[arg(long, default_value = "below")]
    pub assembly: AssemblyChoice,
}

/// What all verbs on dynamics have in common.
#[derive(Args)]
pub struct DynamicsArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Dynamic model
    #[arg(short, long, value_name = "MODEL", default_value = "exact", value_parser = any_model_parser())]
    model: String,
    #[command(flatten)]
    form: FormArguments,
}

impl DynamicsArguments {
    fn plan(self, task: Task) -> Result<RowPlan, Failure> {
        self.rows.plan(task, Some(self.form), &self.model)
    }
}

/// A verb on rows, ready to run.
pub struct RowPlan {
    pub robot: AnyRobot,
    pub serial_model: SerialModelName,
    pub table: TablePlan,
    pub evaluation: Evaluation,
}

impl RowArguments {
    fn plan(self, task: Task, form: Option<FormArguments>, model: &str) -> Result<RowPlan, Failure> {
        let robot = AnyRobot::find(&self.table.robot)?;
        tell_warnings(&self.table.robot, robot.warnings());
        let mut evaluation = Evaluation::new(task);
        let wrong = |kind: &str, known: Vec<&str>| {
            Failure::new(format!("`{model}` is no model of a {kind}")).hint(format!("known are {}", known.join(", ")))
        };
        let mut serial_model = SerialModelName::default();
        match &robot {
            AnyRobot::Delta(_) => {
                let known = || ModelName::ALL.map(ModelName::as_str).to_vec();
                evaluation.model = ModelName::parse(model).ok_or_else(|| wrong("Delta robot", known()))?;
            }
            AnyRobot::Serial(_) => {
                let known = || SerialModelName::ALL.map(SerialModelName::as_str).to_vec();
                serial_model = SerialModelName::parse(model).ok_or_else(|| wrong("serial arm", known()))?;
            }
        }
        evaluation.tool = self.tool;
        evaluation.details = self.details;
        evaluation.limits_column = self.limits;
        evaluation.enforce_limits = self.enforce_limits;
        if let Some(form) = form {
            evaluation.from = form.from.map(|from| match from {
                FromChoice::Cartesian => Form::Cartesian,
                FromChoice::Joints => Form::Joints,
            });
            evaluation.branch = form.branch.into();
            evaluation.assembly = form.assembly.into();
        }
        Ok(RowPlan { robot, serial_model, table: self.table.plan(), evaluation })
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z and, where given, vx,vy,vz and ax,ay,az; adds q1..q3, qd1..qd3, qdd1..qdd3. \
Other columns pass through; q1.. that are there already are replaced.
A serial arm (six joints, spherical wrist): reads x,y,z,roll,pitch,yaw of the tool, adds q1..q6, of the eight \
solutions the one nearest to the row's own q1..q6, or else the first within the joint ranges.

Examples:
  dalembert ik d3-1200 --input poses.csv
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert ik d3-1200 --details
  dalembert ik robot.toml --branch in -i poses.csv -o joints.csv")]
pub struct IkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Elbow branch
    #[arg(long, default_value = "out")]
    branch: BranchChoice,
}

impl IkArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let form = FormArguments { from: None, branch: self.branch, assembly: AssemblyChoice::Below };
        self.rows.plan(Task::InverseKinematics, Some(form), "exact")
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads q1,q2,q3 and, where given, qd1..qd3 and qdd1..qdd3; adds x,y,z, vx,vy,vz, ax,ay,az. \
Other columns pass through; x,y,z.. that are there already are replaced.
A serial arm: reads q1..qn, adds x,y,z,roll,pitch,yaw of the tool (R = Rz(yaw) Ry(pitch) Rx(roll)).

Examples:
  dalembert fk d3-1200 --input joints.csv
  printf 'q1,q2,q3\\n0.3,0.3,0.3\\n' | dalembert fk d3-1200 --tool")]
pub struct FkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Platform below or above the elbows
    #[arg(long, default_value = "below")]
    assembly: AssemblyChoice,
}

impl FkArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let form = FormArguments { from: None, branch: BranchChoice::Out, assembly: self.assembly };
        self.rows.plan(Task::ForwardKinematics, Some(form), "exact")
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z,vx,vy,vz,ax,ay,az or q1..q3,qd1..qd3,qdd1..qdd3, and optionally fx,fy,fz, the force of the environment on \
the platform. Adds the other form, then tau1,tau2,tau3 in N m. Other columns pass through. 17 significant digits.
A serial arm: reads q1..qn,qd1..qdn,qdd1..qddn, adds tau1..taun; the force acts at the tool.

Examples:
  dalembert torque d3-1200 --input motion.csv --output torques.csv
  dalembert torque d3-1200 --model codourey-simplified -i motion.csv
  dalembert torque d3-1200 -i motion.csv --breakdown --tensions
  dalembert torque robot.toml -i motion.csv --skip-bad --limits > torques.csv")]
pub struct TorqueArguments {
    #[command(flatten)]
    dynamics: DynamicsArguments,
    /// Add the torques by term (tau1_inertia, _coriolis, _gravity, _friction, _force) and by body (_motors, _arms,
    /// _forearms, _platform, _payload)
    #[arg(long)]
    breakdown: bool,
    /// Add the tension of each forearm pair at its ends, N (tension1_platform, tension1_elbow, ...); negative: pressed
    #[arg(long)]
    tensions: bool,
}

impl TorqueArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let mut plan = self.dynamics.plan(Task::Torque)?;
        plan.evaluation.breakdown = self.breakdown;
        plan.evaluation.tensions = self.tensions;
        Ok(plan)
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z,vx,vy,vz or q1..q3,qd1..qd3, with tau1,tau2,tau3 and optionally fx,fy,fz. Adds the other form, then \
ax,ay,az,qdd1,qdd2,qdd3. Other columns pass through. 17 significant digits.
A serial arm: reads q1..qn,qd1..qdn,tau1..taun, adds qdd1..qddn.

Examples:
  dalembert accel d3-1200 --input states.csv
  dalembert torque d3-1200 -i motion.csv | dalembert accel d3-1200      there and back")]
pub struct AccelArguments {
    #[command(flatten)]
    dynamics: DynamicsArguments,
}

impl AccelArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        self.dynamics.plan(Task::Acceleration)
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z or q1,q2,q3. Adds the other form, then the upper triangle M11,M12,M13,M22,M23,M33 of the mass matrix and \
the holding torques g1,g2,g3 (with --space cartesian: the gravity force). Other columns pass through.
A serial arm: reads q1..qn, adds M11,M12,..,Mnn (upper triangle by rows) and g1..gn.

Examples:
  dalembert mass d3-1200 --input poses.csv
  printf 'x,y,z\\n0,0,-0.85\\n' | dalembert mass d3-1200 --space cartesian")]
pub struct MassArguments {
    #[command(flatten)]
    dynamics: DynamicsArguments,
    /// Coordinates of the matrix
    #[arg(long, default_value = "joint")]
    space: SpaceChoice,
}

impl MassArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let space = match self.space {
            SpaceChoice::Joint => Space::Joint,
            SpaceChoice::Cartesian => Space::Cartesian,
        };
        self.dynamics.plan(Task::Mass(space))
    }
}

fn convention_parser() -> impl TypedValueParser<Value = Convention> {
    PossibleValuesParser::new(Convention::ALL.map(Convention::name))
        .try_map(|name| Convention::parse(&name).ok_or("no such convention"))
}

#[derive(Args)]
#[command(after_help = "\
Converts x,y,z, vx,vy,vz, ax,ay,az, fx,fy,fz, q1..q3, qd1..qd3, qdd1..qdd3, tau1..tau3, as far as they are there, into \
the axes, arms, angles and units of the convention (mm and deg where it has them) or back. Other columns pass through.

Examples:
  dalembert convert d3-1200 --to linuxcnc -i states.csv
  dalembert convert d3-1200 --from klipper --height 1.2 -i log.csv | dalembert torque d3-1200
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert convert d3-1200 --to bortoff")]
#[group(id = "direction", required = true, multiple = false, args = ["to", "from"])]
pub struct ConvertArguments {
    #[command(flatten)]
    table: TableArguments,
    /// From ours into this convention
    #[arg(long, value_name = "CONVENTION", value_parser = convention_parser())]
    to: Option<Convention>,
    /// From this convention into ours
    #[arg(long, value_name = "CONVENTION", value_parser = convention_parser())]
    from: Option<Convention>,
    /// Height of our base plane above the origin of the convention, m: Klipper's shoulder_height
    #[arg(long, value_name = "M", default_value = "0", value_parser = finite, allow_hyphen_values = true)]
    height: f64,
}

/// `convert`, ready to run.
pub struct ConvertPlan {
    pub robot: Robot,
    pub table: TablePlan,
    pub convention: Convention,
    pub to: bool,
    pub height: f64,
}

impl ConvertArguments {
    pub fn plan(self) -> Result<ConvertPlan, Failure> {
        // clap lets one of the two through, never both or none.
        let Some(convention) = self.to.or(self.from) else { return Err(Failure::new("`--to` or `--from` is needed")) };
        let robot = find(&self.table.robot)?;
        Ok(ConvertPlan { robot, table: self.table.plan(), convention, to: self.to.is_some(), height: self.height })
    }
}

#[derive(Args)]
#[command(after_help = "\
The state is Cartesian (--position, --velocity, --acceleration) or in joints (--joints, --joint-velocity, \
--joint-acceleration); rates that are not given are zero. Without a position: the centre of the workspace.

Examples:
  dalembert explain d3-1200
  dalembert explain d3-1200 --position 0.1,0,-0.85 --velocity 1,0,0 --acceleration 0,0,10
  dalembert explain robot.toml --joints 0.3,0.4,0.5 --json")]
pub struct ExplainArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
    /// Platform position, m
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector)]
    position: Option<Vec3<f64>>,
    /// Platform velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector, conflicts_with = "joints")]
    velocity: Option<Vec3<f64>>,
    /// Platform acceleration, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector, conflicts_with = "joints")]
    acceleration: Option<Vec3<f64>>,
    /// Joint angles, rad
    #[arg(short = 'q', long, value_name = "Q1,Q2,Q3", allow_hyphen_values = true, value_parser = vector, conflicts_with = "position")]
    joints: Option<Vec3<f64>>,
    /// Joint velocities, rad/s
    #[arg(long, value_name = "Q1,Q2,Q3", allow_hyphen_values = true, value_parser = vector, requires = "joints")]
    joint_velocity: Option<Vec3<f64>>,
    /// Joint accelerations, rad/s²
    #[arg(long, value_name = "Q1,Q2,Q3", allow_hyphen_values = true, value_parser = vector, requires = "joints")]
    joint_acceleration: Option<Vec3<f64>>,
    /// Force of the environment on the platform, N
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector)]
    force: Option<Vec3<f64>>,
    /// The position is that of the tool point, not of the platform centre
    #[arg(long, requires = "position")]
    tool: bool,
    /// Elbow branch for a Cartesian state
    #[arg(long, default_value = "out")]
    branch: BranchChoice,
    /// Assembly for a state in joints
    #[arg(long, default_value = "below")]
    assembly: AssemblyChoice,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The state to explain.
pub enum StateGiven {
    Cartesian { position: Option<Vec3<f64>>, velocity: Vec3<f64>, acceleration: Vec3<f64>, branch: Branch },
    Joints { q: Vec3<f64>, qd: Vec3<f64>, qdd: Vec3<f64>, assembly: Assembly },
}

/// `explain`, ready to run.
pub struct ExplainPlan {
    pub robot: Robot,
    pub state: StateGiven,
    pub force: Vec3<f64>,
    pub tool: bool,
    pub json: bool,
}

impl ExplainArguments {
    pub fn plan(self) -> Result<ExplainPlan, Failure> {
        let or_zero = |v: Option<Vec3<f64>>| v.unwrap_or(Vec3::zero());
        let state = match self.joints {
            Some(q) => StateGiven::Joints {
                q,
                qd: or_zero(self.joint_velocity),
                qdd: or_zero(self.joint_acceleration),
                assembly: self.assembly.into(),
            },
            None => StateGiven::Cartesian {
                position: self.position,
                velocity: or_zero(self.velocity),
                acceleration: or_zero(self.acceleration),
                branch: self.branch.into(),
            },
        };
        let (robot, force) = (find(&self.robot)?, or_zero(self.force));
        Ok(ExplainPlan { robot, state, force, tool: self.tool, json: self.json })
    }
}

#[derive(Args)]
#[command(after_help = "\
Without --motion and --input a Delta goes forth and back along x, then along y: a quintic over an arch, at rest at both \
ends; an arm goes once through a part of its joint ranges in 1 s. Differences are model - exact, as in Tables 3-5 of \
Falezza et al. 2022 but without measurement noise. Serial arms: Armstrong's models and the derived program against \
Newton-Euler, for arms like the PUMA 560.

Examples:
  dalembert compare d3-1200
  dalembert compare d3-1200 --z -0.85 --csv models.csv --plot models.svg
  dalembert compare robot.toml --width 0.5 --duration 0.25 --json
  dalembert compare d3-1200 --report models.html          which model may I use?
  dalembert compare robot.toml --motion door-1kg --law time-optimal --report models.html
  dalembert compare robot.toml --input motion.csv --bandwidth 10 --json      my motion
  dalembert compare puma560 --plot models.svg")]
pub struct CompareArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
    #[command(flatten)]
    source: crate::verbs::source::SourceArguments,
    /// Length of a stroke, m  [default: 0.3]
    #[arg(long, value_name = "M", value_parser = positive, allow_hyphen_values = true)]
    width: Option<f64>,
    /// Height of the arch, m  [default: 0.025]
    #[arg(long, value_name = "M", value_parser = not_negative, allow_hyphen_values = true)]
    height: Option<f64>,
    /// Time of one stroke, s  [default: 1/6; of a --motion as short as the robot can]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Height of the ends of the stroke, m  [default: the centre of the workspace]
    #[arg(long, value_name = "M", value_parser = finite, allow_hyphen_values = true)]
    z: Option<f64>,
    /// Samples per stroke  [default: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    samples: Option<u32>,
    /// Elbow branch
    #[arg(long, default_value = "out")]
    branch: BranchChoice,
    /// Write the motion and all torques as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Write a plot as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Write a report on what each model costs in torque and tracking: .html or .md
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// Bandwidth of the feedback that tracking errors assume, Hz
    #[arg(long, value_name = "HZ", default_value = "20", value_parser = positive, allow_hyphen_values = true)]
    bandwidth: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `compare`, ready to run.
pub struct ComparePlan {
    pub robot: AnyRobot,
    pub source: crate::verbs::source::SourceArguments,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub duration: Option<String>,
    pub z: Option<f64>,
    pub samples: Option<u32>,
    pub branch: BranchChoice,
    pub csv: Option<String>,
    pub plot: Option<String>,
    pub report: Option<String>,
    pub bandwidth: f64,
    pub json: bool,
}

impl CompareArguments {
    pub fn plan(self) -> Result<ComparePlan, Failure> {
        if let Some(plot) = &self.plot
            && plot != "-"
            && !plot.to_ascii_lowercase().ends_with(".svg")
        {
            return Err(Failure::new(format!("cannot plot to {plot}: the plot is SVG"))
                .hint("give a name that ends in `.svg`; `rsvg-convert` or a browser makes a PNG of it"));
        }
        if let Some(report) = &self.report
            && ![".html", ".md"].iter().any(|ending| report.to_ascii_lowercase().ends_with(ending))
        {
            return Err(Failure::new(format!("cannot write a report to {report}"))
                .hint("give a name that ends in `.html` or `.md`"));
        }
        if let (Some(csv), Some(plot)) = (&self.csv, &self.plot) {
            if csv == "-" && plot == "-" {
                return Err(Failure::new("CSV and plot cannot both go to standard output"));
            }
            if resolve(csv) == resolve(plot) {
                return Err(Failure::new(format!("CSV and plot cannot both go to {csv}")));
            }
        }
        let robot = AnyRobot::find(&self.robot)?;
        tell_warnings(&self.robot, robot.warnings());
        Ok(ComparePlan {
            robot,
            source: self.source,
            width: self.width,
            height: self.height,
            duration: self.duration,
            z: self.z,
            samples: self.samples,
            branch: self.branch,
            csv: self.csv,
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
  dalembert ops puma560                       beside Armstrong's Tables 1–3; counts only, no times")]
pub struct OpsArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
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
    pub robot: AnyRobot,
    pub budget: Duration,
    pub quick: bool,
    pub json: bool,
}

impl OpsArguments {
    pub fn plan(self) -> Result<OpsPlan, Failure> {
        let budget = if self.no_timing { Duration::ZERO } else { Duration::from_millis(self.milliseconds) };
        let robot = AnyRobot::find(&self.robot)?;
        tell_warnings(&self.robot, robot.warnings());
        Ok(OpsPlan { robot, budget, quick: self.quick, json: self.json })
    }
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
