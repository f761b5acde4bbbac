//! Verbs on tables of states: `ik`, `fk`, `torque`, `accel`, `mass`, `convert`.

use super::{AssemblyChoice, BranchChoice, RobotArguments, length, name_of, tell_warnings, with_payload};
use crate::failure::Failure;
use crate::output::ending;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, value_parser};
use dalembert::DeltaRobot;
use dalembert::convert::Convention;
use dalembert::report::text::DIGITS;
use dalembert::robot::rows::{Evaluation, Space, Task};
use dalembert::robot::{Cache, Form, Pick};
use dalembert::robots;
use dalembert::verbs::{ConvertDirection, ConvertRequest, RowsMethod, RowsRequest, TableFormat, TableRequest};

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
    /// Platform velocity and, where it turns, angular velocity: kg, holding forces in N and N m
    Cartesian,
}

/// How rows are computed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodChoice {
    /// Row by row by the model's formulas
    Formulas,
    /// By derived programs, new or cached by `derive --cache` (serial arms)
    Programs,
}

/// The models of every family of robots.
fn any_model_parser() -> PossibleValuesParser {
    let models = robots::models().into_iter();
    PossibleValuesParser::new(models.map(|spec| PossibleValue::new(spec.name).help(spec.summary)))
}

/// A table in and out.
#[derive(Args)]
pub struct TableArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    /// Table of states: .csv, .parquet, .mat, .npy, .npz
    ///
    /// One state per row, CSV with a header line. `-` is standard input
    #[arg(value_name = "TABLE", default_value = "-")]
    pub table: String,
    /// The same as TABLE
    #[arg(short, long, value_name = "FILE", conflicts_with = "table", hide_short_help = true)]
    pub input: Option<String>,
    /// Result: .csv or .parquet, `-` for standard output
    ///
    /// A file appears when it is complete and without errors
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub out: String,
    /// Write JSON lines, one object per row, instead of CSV
    #[arg(long)]
    pub json: bool,
    /// Columns to write, in this order
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Significant digits of computed numbers, 1 to 17  [default: 17]
    ///
    /// With 17, numbers read back bit for bit
    #[arg(long, value_name = "DIGITS", value_parser = value_parser!(u8).range(1..=DIGITS as i64))]
    pub precision: Option<u8>,
    /// Skip bad rows
    ///
    /// They are reported on standard error. Otherwise the first one is an error
    #[arg(long)]
    pub skip_bad: bool,
    /// Write each row to standard output at once, for a live pipe
    #[arg(long)]
    pub stream: bool,
}

/// The files of a table.
pub struct TablePlan {
    pub input: String,
    pub output: String,
    /// Row by row, to standard output.
    pub stream: bool,
}

impl TableArguments {
    fn plan(self) -> Result<(TablePlan, TableRequest), Failure> {
        let Self { table, input, out: output, json, columns, precision, skip_bad, stream, .. } = self;
        if stream && output != "-" {
            return Err(Failure::new("--stream is for standard output: a file appears when it is complete")
                .hint("leave out --out"));
        }
        if ["mat", "npy", "npz"].contains(&ending(&output).as_str()) {
            return Err(Failure::new(format!("{output}: files of arrays are read, not written"))
                .hint("write .csv or .parquet; numpy.genfromtxt and readtable read CSV"));
        }
        let format = match (ending(&output).as_str(), json, precision) {
            ("parquet", true, _) => {
                return Err(Failure::new("--json writes text, and the output is a Parquet file"));
            }
            ("parquet", _, Some(_)) => {
                return Err(Failure::new("--precision is for text: a Parquet file holds numbers as they are"));
            }
            ("parquet", ..) => TableFormat::Parquet,
            (_, true, _) => TableFormat::JsonLines,
            _ => TableFormat::Csv,
        };
        let input = input.unwrap_or(table);
        let (name, digits) = (name_of(&input).to_owned(), precision.map_or(DIGITS, usize::from));
        let request = TableRequest { name, format, columns, digits, skip_bad, stream };
        Ok((TablePlan { input, output, stream }, request))
    }
}

/// What all verbs that compute with rows have in common.
#[derive(Args)]
pub struct RowArguments {
    #[command(flatten)]
    table: TableArguments,
    /// x,y,z are the position of the tool point, not of the platform centre
    #[arg(long)]
    pub tool: bool,
    /// Add singularity margins, ball angles and passive angles
    ///
    /// Columns transmission1..3 and rod_determinant (0 is singular), ball1..3, and of a Delta gamma1..3, psi1..3 (rad)
    #[arg(long)]
    pub details: bool,
    /// Add a column `limits` with the quantities that exceed a limit: q1, qd2, tau3, ball1
    #[arg(long)]
    pub limits: bool,
    /// Treat a limit violation as a bad row, not as a warning
    #[arg(long)]
    pub enforce_limits: bool,
    /// Report on standard error how rows are computed
    #[arg(long)]
    pub verbose: bool,
}

/// Which form counts, and which solution.
#[derive(Args)]
pub struct FormArguments {
    /// Form to use where a row has both; the other is checked to 1e-9
    #[arg(long, value_name = "FORM")]
    pub from: Option<FromChoice>,
    /// Elbow branch of a Delta for states in Cartesian form  [default: out]
    #[arg(long)]
    pub branch: Option<BranchChoice>,
    /// Assembly of a Delta for states in joint form  [default: below]
    #[arg(long)]
    pub assembly: Option<AssemblyChoice>,
}

/// What all verbs on dynamics have in common.
#[derive(Args)]
pub struct DynamicsArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Dynamic model
    #[arg(short, long, value_name = "MODEL", default_value = "exact", value_parser = any_model_parser())]
    model: String,
    /// Payload mass, kg or with unit
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    payload: Option<String>,
    /// Method  [default: the faster one for this number of rows]
    ///
    /// The results agree to rounding
    #[arg(long, value_name = "METHOD")]
    by: Option<MethodChoice>,
    /// Do not use programs cached by `derive --cache`
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    form: FormArguments,
}

impl DynamicsArguments {
    fn plan(self, task: Task) -> Result<RowPlan, Failure> {
        let plan = self.rows.plan(task, self.form, self.model)?;
        let cache = if self.no_cache { None } else { Cache::standard() };
        let robot = with_payload(plan.request.robot, self.payload.as_deref())?;
        let by = self.by.map(|by| match by {
            MethodChoice::Formulas => RowsMethod::Formulas,
            MethodChoice::Programs => RowsMethod::Programs,
        });
        Ok(RowPlan { request: RowsRequest { robot, by, cache, ..plan.request }, ..plan })
    }
}

/// A verb on rows, ready to run.
pub struct RowPlan {
    pub request: RowsRequest,
    pub table: TablePlan,
    /// Report how rows are computed.
    pub verbose: bool,
}

impl RowArguments {
    fn plan(self, task: Task, form: FormArguments, model: String) -> Result<RowPlan, Failure> {
        let robot = self.table.robot.find()?;
        let evaluation = Evaluation {
            model,
            from: form.from.map(|from| match from {
                FromChoice::Cartesian => Form::Tool,
                FromChoice::Joints => Form::Joints,
            }),
            pick: Pick {
                elbows: form.branch.map(Into::into),
                assembly: form.assembly.map(Into::into),
                ..Pick::default()
            },
            tool: self.tool,
            groups: if self.details { vec!["details"] } else { Vec::new() },
            limits_column: self.limits,
            enforce_limits: self.enforce_limits,
            ..Evaluation::new(task)
        };
        let (files, table) = self.table.plan()?;
        let request = RowsRequest { robot, evaluation, by: None, cache: None, table };
        Ok(RowPlan { request, table: files, verbose: self.verbose })
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z and, where given, vx,vy,vz and ax,ay,az; adds q1..q3, qd1..qd3, qdd1..qdd3. \
Other columns pass through; q1.. that are there already are replaced.
A serial arm (six joints, spherical wrist): reads x,y,z,roll,pitch,yaw of the tool, adds q1..q6, of the eight \
solutions the one nearest to q1..q6 of the row, or the first within the joint ranges.

Examples:
  dalembert ik d3-1200 poses.csv
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert ik d3-1200 --details
  dalembert ik robot.toml poses.csv --branch in -o joints.csv")]
pub struct IkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Elbow branch of a Delta  [default: out]
    #[arg(long)]
    branch: Option<BranchChoice>,
}

impl IkArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let form = FormArguments { from: None, branch: self.branch, assembly: None };
        self.rows.plan(Task::InverseKinematics, form, String::from("exact"))
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads q1,q2,q3 and, where given, qd1..qd3 and qdd1..qdd3; adds x,y,z, vx,vy,vz, ax,ay,az. \
Other columns pass through; x,y,z.. that are there already are replaced.
A serial arm: reads q1..qn, adds x,y,z,roll,pitch,yaw of the tool (R = Rz(yaw) Ry(pitch) Rx(roll)).

Examples:
  dalembert fk d3-1200 joints.csv
  printf 'q1,q2,q3\\n0.3,0.3,0.3\\n' | dalembert fk d3-1200 --tool
  dalembert fk two-arms.toml joints.csv --set main_tool=right --details      all its tools")]
pub struct FkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Platform of a Delta below or above the elbows  [default: below]
    #[arg(long)]
    assembly: Option<AssemblyChoice>,
}

impl FkArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let form = FormArguments { from: None, branch: None, assembly: self.assembly };
        self.rows.plan(Task::ForwardKinematics, form, String::from("exact"))
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z,vx,vy,vz,ax,ay,az or q1..q3,qd1..qd3,qdd1..qdd3, and optionally fx,fy,fz, the force of the environment on \
the platform. Adds the other form, then tau1,tau2,tau3 in N m. Other columns pass through.
A serial arm: reads q1..qn,qd1..qdn,qdd1..qddn, adds tau1..taun; the force acts at the tool.
Where the tool turns: also roll,pitch,yaw (or qw,qx,qy,qz), wx,wy,wz, wdx,wdy,wdz, and optionally the moment mx,my,mz; \
of a fourth axis c, cd, cdd and mz.

Examples:
  dalembert torque d3-1200 motion.csv --out torques.csv
  dalembert torque d3-1200 motion.csv --model codourey-simplified
  dalembert torque d3-1200 motion.csv --breakdown --tensions
  dalembert torque d3-1200 motion.csv --columns t,tau1,tau2,tau3 --precision 6
  dalembert torque d3-1200 motion.parquet -o torques.parquet
  dalembert torque robot.toml motion.csv --skip-bad --limits > torques.csv")]
pub struct TorqueArguments {
    #[command(flatten)]
    dynamics: DynamicsArguments,
    /// Add the torques by term and by body
    ///
    /// Columns tau1_inertia, _coriolis, _gravity, _friction, _force and _motors, _arms, _forearms, _platform, _payload
    #[arg(long)]
    breakdown: bool,
    /// Add the tension of each forearm pair at its ends, N
    ///
    /// Columns tension1_platform, tension1_elbow, ...; compression is negative
    #[arg(long)]
    tensions: bool,
    /// Add the constraint forces of Bortoff's model of a Delta, N
    ///
    /// Columns lambda1 ... lambda6 of its nine-coordinate form
    #[arg(long)]
    lambda: bool,
}

impl TorqueArguments {
    pub fn plan(self) -> Result<RowPlan, Failure> {
        let mut plan = self.dynamics.plan(Task::Torque)?;
        plan.request.evaluation.groups.extend(self.breakdown.then_some("breakdown"));
        plan.request.evaluation.groups.extend(self.tensions.then_some("tensions"));
        plan.request.evaluation.groups.extend(self.lambda.then_some("lambda"));
        Ok(plan)
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z,vx,vy,vz or q1..q3,qd1..qd3, with tau1,tau2,tau3 and optionally fx,fy,fz. Adds the other form, then \
ax,ay,az,qdd1,qdd2,qdd3. Other columns pass through.
A serial arm: reads q1..qn,qd1..qdn,tau1..taun, adds qdd1..qddn.
Where the tool turns: also its angles and rates, and optionally the moment mx,my,mz, as `torque` reads them.

Examples:
  dalembert accel d3-1200 states.csv
  dalembert torque d3-1200 motion.csv | dalembert accel d3-1200      forward and back")]
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
the holding torques g1,g2,g3 (with --space cartesian: in coordinates of the platform, with v and ω where it turns). Other columns pass through.
A serial arm: reads q1..qn, adds M11,M12,..,Mnn (upper triangle by rows) and g1..gn.

Examples:
  dalembert mass d3-1200 poses.csv
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
            SpaceChoice::Cartesian => Space::Tool,
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
Converts x,y,z, vx,vy,vz, ax,ay,az, fx,fy,fz, q1..q3, qd1..qd3, qdd1..qdd3, tau1..tau3, where \
present. Axes, arms, angles and units (mm, deg) are those of the convention. Other columns pass through.

Examples:
  dalembert convert d3-1200 states.csv --to linuxcnc
  dalembert convert d3-1200 log.csv --from klipper --height 1.2 | dalembert torque d3-1200
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert convert d3-1200 --to bortoff")]
#[group(id = "direction", required = true, multiple = false, args = ["to", "from"])]
pub struct ConvertArguments {
    #[command(flatten)]
    table: TableArguments,
    /// Convention to convert to
    #[arg(long, value_name = "CONVENTION", value_parser = convention_parser())]
    to: Option<Convention>,
    /// Convention to convert from
    #[arg(long, value_name = "CONVENTION", value_parser = convention_parser())]
    from: Option<Convention>,
    /// Height of the base plane above the origin of the convention, m
    ///
    /// Klipper's shoulder_height
    #[arg(long, value_name = "M", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    height: f64,
}

/// `convert`, ready to run.
pub struct ConvertPlan {
    pub request: ConvertRequest,
    pub table: TablePlan,
}

impl ConvertArguments {
    pub fn plan(self) -> Result<ConvertPlan, Failure> {
        let (convention, direction) = match (self.to, self.from) {
            (Some(to), _) => (to, ConvertDirection::To),
            (None, Some(from)) => (from, ConvertDirection::From),
            // clap lets one of the two through, never both or none.
            (None, None) => return Err(Failure::new("`--to` or `--from` is needed")),
        };
        let RobotArguments { robot: name, changes } = &self.table.robot;
        let robot = DeltaRobot::find_with(name, &changes.set)?;
        tell_warnings(name, &robot.warnings);
        let (files, table) = self.table.plan()?;
        let request = ConvertRequest { robot, convention, direction, height: self.height, table };
        Ok(ConvertPlan { request, table: files })
    }
}
