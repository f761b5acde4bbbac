//! Verbs on tables of states, one state per row in and out: `ik`, `fk`, `torque`, `accel`, `mass`, `convert`.

use crate::output::cannot_write;
use crate::prelude::*;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::value_parser;
use dalembert::DeltaRobot;
use dalembert::convert::Convention;
use dalembert::report::text::DIGITS;
use dalembert::robot::file::MOST_BYTES;
use dalembert::robot::rows::{Evaluation, Space, Task};
use dalembert::robot::{Cache, Form};
use dalembert::robots;
use dalembert::verbs::{
    ConvertDirection, ConvertParametersRequest, ConvertRequest, Finding, FindingValue, Observer, RowsMethod,
    RowsOutcome, RowsRequest, TableFormat, TableRequest, convert, convert_parameters, rows,
};
use std::io::{self, Read, Write};
use std::path::Path;

/// The form of the state that counts.
fn form() -> impl TypedValueParser<Value = Form> {
    one_of([(Form::Tool, "cartesian", "x,y,z,..."), (Form::Joints, "joints", "q1,q2,q3,...")])
}

fn space() -> impl TypedValueParser<Value = Space> {
    let of_tool = "Platform velocity and, where it turns, angular velocity: kg, holding forces in N and N m";
    one_of([
        (Space::Joint, "joint", "Joint angles: kg m², holding torques in N m"),
        (Space::Tool, "cartesian", of_tool),
    ])
}

/// How rows are computed.
fn method() -> impl TypedValueParser<Value = RowsMethod> {
    one_of([
        (RowsMethod::Formulas, "formulas", "Row by row by the model's formulas"),
        (RowsMethod::Programs, "programs", "By derived programs, new or cached by `derive --cache` (serial arms)"),
    ])
}

/// The models of every family of robots.
fn any_model_parser() -> PossibleValuesParser {
    let models = robots::models().into_iter();
    PossibleValuesParser::new(models.map(|spec| PossibleValue::new(spec.name).help(spec.summary)))
}

/// A table in and out.
#[derive(Args)]
struct TableArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Table of states: .csv, .parquet, .mat, .npy, .npz
    ///
    /// One state per row, CSV with a header line. `-` is standard input
    #[arg(value_name = "TABLE", default_value = "-")]
    table: String,
    /// The same as TABLE
    #[arg(short, long, value_name = "FILE", conflicts_with = "table", hide_short_help = true)]
    input: Option<String>,
    /// Result: .csv or .parquet, `-` for standard output
    ///
    /// A file appears when it is complete and without errors
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Write JSON lines, one object per row, instead of CSV
    #[arg(long)]
    json: bool,
    /// Columns to write, in this order
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    columns: Vec<String>,
    /// Significant digits of computed numbers, 1 to 17  [default: 17]
    ///
    /// With 17, numbers read back bit for bit
    #[arg(long, value_name = "DIGITS", value_parser = value_parser!(u8).range(1..=DIGITS as i64))]
    precision: Option<u8>,
    /// Skip bad rows
    ///
    /// They are reported on standard error. Otherwise the first one is an error
    #[arg(long)]
    skip_bad: bool,
    /// Write each row to standard output at once, for a live pipe
    #[arg(long)]
    stream: bool,
}

impl TableArguments {
    fn input(&self) -> &str {
        self.input.as_ref().unwrap_or(&self.table)
    }

    fn request(&self) -> Result<TableRequest, Failure> {
        let Self { out: output, json, columns, precision, skip_bad, stream, .. } = self;
        if *stream && output != "-" {
            let problem = "--stream is for standard output: a file appears when it is complete";
            return Err(Failure::new(problem).hint("leave out --out"));
        }
        if ["mat", "npy", "npz"].contains(&ending(output).as_str()) {
            return Err(Failure::new(format!("{output}: files of arrays are read, not written"))
                .hint("write .csv or .parquet; numpy.genfromtxt and readtable read CSV"));
        }
        let format = match (ending(output).as_str(), json, precision) {
            ("parquet", true, _) => Err("--json writes text, and the output is a Parquet file"),
            ("parquet", _, Some(_)) => Err("--precision is for text: a Parquet file holds numbers as they are"),
            ("parquet", ..) => Ok(TableFormat::Parquet),
            (_, true, _) => Ok(TableFormat::JsonLines),
            _ => Ok(TableFormat::Csv),
        };
        let format = format.map_err(Failure::new)?;
        let (name, digits) = (name_of(self.input()).to_owned(), precision.map_or(DIGITS, usize::from));
        Ok(TableRequest { name, format, columns: columns.clone(), digits, skip_bad: *skip_bad, stream: *stream })
    }
}

/// What all verbs that compute with rows have in common.
#[derive(Args)]
struct RowArguments {
    #[command(flatten)]
    table: TableArguments,
    /// Add singularity margins, ball angles and passive angles
    ///
    /// Columns transmission1..3 and rod_determinant (0 is singular), ball1..3, and of a Delta gamma1..3, psi1..3 (rad)
    #[arg(long)]
    details: bool,
    /// Add a column `limits` with the quantities that exceed a limit: q1, qd2, tau3, ball1
    #[arg(long)]
    limits: bool,
    /// Treat a limit violation as a bad row, not as a warning
    #[arg(long)]
    enforce_limits: bool,
    /// Report on standard error how rows are computed
    #[arg(long)]
    verbose: bool,
}

/// Which form counts, and which solution.
#[derive(Args)]
struct FormArguments {
    /// Form to use where a row has both; the other is checked to 1e-9
    #[arg(long, value_name = "FORM", value_parser = form())]
    from: Option<Form>,
    /// Elbow branch of a Delta for states in Cartesian form  [default: out]
    #[arg(long, value_parser = branch())]
    branch: Option<Branch>,
    /// Assembly of a Delta for states in joint form  [default: below]
    #[arg(long, value_parser = assembly())]
    assembly: Option<Assembly>,
}

/// What all verbs on dynamics have in common.
#[derive(Args)]
struct DynamicsArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Dynamic model
    #[arg(short, long, value_name = "MODEL", default_value = "exact", value_parser = any_model_parser())]
    model: String,
    /// Payload mass, kg or with unit
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    payload: Option<String>,
    /// Method
    ///
    /// The results agree to rounding. Programs are faster for tables of some 50,000 rows and more; their last digits are those of the program
    #[arg(long, value_name = "METHOD", default_value = "formulas", value_parser = method())]
    by: RowsMethod,
    /// Do not use programs cached by `derive --cache`
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    form: FormArguments,
}

impl DynamicsArguments {
    fn run(self, task: Task, groups: &[&'static str]) -> Result<(), Failure> {
        let FormArguments { from, branch, assembly } = self.form;
        let mut request = self.rows.request(task, branch, assembly)?;
        request.robot = with_payload(request.robot, &self.payload)?;
        request.cache = if self.no_cache { None } else { Cache::standard() };
        request.by = self.by;
        request.evaluation.from = from;
        request.evaluation.model = self.model;
        request.evaluation.groups.extend(groups);
        self.rows.run(&request)
    }
}

impl RowArguments {
    fn request(&self, task: Task, elbows: Option<Branch>, assembly: Option<Assembly>) -> Result<RowsRequest, Failure> {
        let robot = self.table.robot.find()?;
        let evaluation = Evaluation {
            pick: Pick { elbows, assembly, ..Pick::default() },
            groups: if self.details { vec!["details"] } else { Vec::new() },
            limits_column: self.limits,
            enforce_limits: self.enforce_limits,
            ..Evaluation::new(task)
        };
        Ok(RowsRequest { robot, evaluation, by: RowsMethod::Formulas, cache: None, table: self.table.request()? })
    }

    fn run(&self, request: &RowsRequest) -> Result<(), Failure> {
        over_table(&self.table, self.verbose, self.limits, |input, output, observer| {
            rows(request, input, output, observer)
        })
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads x,y,z and, where given, vx,vy,vz and ax,ay,az; adds q1..q3, qd1..qd3, qdd1..qdd3. \
Other columns pass through; q1.. that are there already are replaced.
A serial arm: reads x,y,z,roll,pitch,yaw of the tool, adds q1.. of the solution nearest to q1.. of the row, or else of one \
within the joint ranges. In closed form where there is one, by iteration otherwise: docs/conventions.md.
A parallel robot whose platform rotates: reads x,y,z,roll,pitch,yaw of the platform.

Examples:
  dalembert ik d3-1200 poses.csv
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert ik d3-1200 --details
  dalembert ik robot.toml poses.csv --branch in -o joints.csv")]
pub struct IkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Elbow branch of a Delta  [default: out]
    #[arg(long, value_parser = branch())]
    branch: Option<Branch>,
}

impl IkArguments {
    pub fn run(&self) -> Result<(), Failure> {
        self.rows.run(&self.rows.request(Task::InverseKinematics, self.branch, None)?)
    }
}

#[derive(Args)]
#[command(after_help = "\
Reads q1,q2,q3 and, where given, qd1..qd3 and qdd1..qdd3; adds x,y,z, vx,vy,vz, ax,ay,az. \
Other columns pass through; x,y,z.. that are there already are replaced.
A serial arm: reads q1..qn, adds x,y,z,roll,pitch,yaw of the tool (R = Rz(yaw) Ry(pitch) Rx(roll)).

Examples:
  dalembert fk d3-1200 joints.csv
  printf 'q1,q2,q3\\n0.3,0.3,0.3\\n' | dalembert fk d3-1200
  dalembert fk two-arms.toml joints.csv --set main_tool=right --details      all its tools")]
pub struct FkArguments {
    #[command(flatten)]
    rows: RowArguments,
    /// Platform of a Delta below or above the elbows  [default: below]
    #[arg(long, value_parser = assembly())]
    assembly: Option<Assembly>,
}

impl FkArguments {
    pub fn run(&self) -> Result<(), Failure> {
        self.rows.run(&self.rows.request(Task::ForwardKinematics, None, self.assembly)?)
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
    /// Columns tau1_inertia, _coriolis, _gravity, _friction, _force and _motors, _arms, _forearms, _platform, _payload; of a serial arm
    /// tau1_inertia, _coriolis, _gravity, _springs, _friction, _external and _rotors, _link1, _link2, .., _payload
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
    pub fn run(self) -> Result<(), Failure> {
        let all = [(self.breakdown, "breakdown"), (self.tensions, "tensions"), (self.lambda, "lambda")];
        let groups: Vec<&str> = all.into_iter().filter(|(given, _)| *given).map(|(_, group)| group).collect();
        self.dynamics.run(Task::Torque, &groups)
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
    pub fn run(self) -> Result<(), Failure> {
        self.dynamics.run(Task::Acceleration, &[])
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
    #[arg(long, default_value = "joint", value_parser = space())]
    space: Space,
}

impl MassArguments {
    pub fn run(self) -> Result<(), Failure> {
        self.dynamics.run(Task::Mass(self.space), &[])
    }
}

fn convention() -> impl TypedValueParser<Value = Convention> {
    one_of(Convention::ALL.map(|convention| (convention, convention.name(), "")))
}

#[derive(Args)]
#[command(after_help = "\
Converts x,y,z, vx,vy,vz, ax,ay,az, fx,fy,fz, q1..q3, qd1..qd3, qdd1..qdd3, tau1..tau3, where \
present. Axes, arms, angles and units (mm, deg) are those of the convention. Other columns pass through.

Examples:
  dalembert convert d3-1200 states.csv --to linuxcnc
  dalembert convert d3-1200 log.csv --from klipper --height 1.2 | dalembert torque d3-1200
  printf 'x,y,z\\n0.1,0,-0.85\\n' | dalembert convert d3-1200 --to bortoff
  dalembert convert d3-1200 --to linuxcnc --parameters       platformradius, thighlength, ...
  dalembert convert d3-1200 printer.csv --from klipper --parameters --out mine.toml")]
#[group(id = "direction", required = true, multiple = false, args = ["to", "from"])]
pub struct ConvertArguments {
    #[command(flatten)]
    table: TableArguments,
    /// Convention to convert to
    #[arg(long, value_name = "CONVENTION", value_parser = convention())]
    to: Option<Convention>,
    /// Convention to convert from
    #[arg(long, value_name = "CONVENTION", value_parser = convention())]
    from: Option<Convention>,
    /// Height of the base plane above the origin of the convention, m
    ///
    /// Klipper's shoulder_height
    #[arg(long, value_name = "M", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    height: f64,
    /// Convert the robot's parameters instead of states
    ///
    /// With --to, writes a table of the convention's numbers. With --from, reads such a table and writes a robot file;
    /// what the convention does not say stays that of ROBOT
    #[arg(long, conflicts_with_all = ["height", "json", "columns", "precision", "skip_bad", "stream"])]
    parameters: bool,
}

impl ConvertArguments {
    pub fn run(&self) -> Result<(), Failure> {
        let (convention, direction) = match (self.to, self.from) {
            (Some(to), _) => (to, ConvertDirection::To),
            (None, Some(from)) => (from, ConvertDirection::From),
            // clap lets one of the two through, never both or none.
            (None, None) => return Err(Failure::new("`--to` or `--from` is needed")),
        };
        let RobotArguments { robot: name, changes } = &self.table.robot;
        let robot = DeltaRobot::find_with(name, &changes.set)?;
        say_warnings(name, &robot.warnings);
        if self.parameters {
            return self.run_parameters(robot, convention, direction);
        }
        let table = self.table.request()?;
        let request = ConvertRequest { robot, convention, direction, height: self.height, table };
        over_table(&self.table, false, false, |input, output, observer| convert(&request, input, output, observer))
    }
}

impl ConvertArguments {
    fn run_parameters(
        &self,
        robot: DeltaRobot,
        convention: Convention,
        direction: ConvertDirection,
    ) -> Result<(), Failure> {
        let input = self.table.input();
        let table = match direction {
            ConvertDirection::From => {
                let (name, mut text) = (name_of(input).to_owned(), String::new());
                let read = open_table(input).and_then(|table| table.take(MOST_BYTES).read_to_string(&mut text));
                read.map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
                Some((name, text))
            }
            ConvertDirection::To if input != "-" => {
                return Err(Failure::new(format!(
                    "--parameters --to are those of the robot: {input} has no part in it"
                ))
                .hint("leave out TABLE, or --parameters to convert its states"));
            }
            ConvertDirection::To => None,
        };
        let outcome = convert_parameters(&ConvertParametersRequest { robot, convention, table }, &mut ())?;
        outcome.findings.iter().for_each(|finding| say(&format!("warning: {}", finding.message)));
        let mut sink = Sink::new(&self.table.out)?;
        sink.text(&outcome.text)?;
        sink.finish()
    }
}

/// What to do about an input that cannot be read.
const INPUT_HINT: &str = "TABLE is the path of a CSV file; without it, standard input is read";

/// Reads the input, writes the output, all or nothing or row by row as they come, and reports the result.
fn over_table(
    table: &TableArguments,
    verbose: bool,
    has_limits: bool,
    verb: impl FnOnce(Box<dyn Read + Send>, &mut (dyn Write + Send), &mut dyn Observer) -> Result<RowsOutcome, VerbError>,
) -> Result<(), Failure> {
    let name = name_of(table.input());
    let input = open_table(table.input())
        .map_err(|error| Failure::io(&format!("cannot read {name}"), error).hint(INPUT_HINT))?;
    let mut sink = if table.stream { Sink::streaming() } else { Sink::new(&table.out)? };
    let outcome = verb(input, &mut sink, &mut Progress::start("rows").verbose(verbose)).map_err(|error| {
        let source = error.source.as_ref().and_then(|source| source.downcast_ref());
        match (error.code.as_ref(), source) {
            ("cannot-write", Some(source)) => cannot_write(&table.out, source),
            ("cannot-read", _) => Failure::from(error).hint(INPUT_HINT),
            ("field-not-finite", _) => {
                Failure::from(error).hint("leave such rows out of the table, or let `--skip-bad` do it")
            }
            _ => error.into(),
        }
    })?;
    sink.finish()?;
    outcome.findings.iter().for_each(|finding| tell(finding, has_limits));
    Ok(())
}

/// What was skipped, and which limits were exceeded.
fn tell(finding: &Finding, has_limits: bool) {
    if finding.code != "limits-exceeded" {
        return say(&finding.message);
    }
    let where_else = if has_limits { "the column `limits` names them" } else { "`--limits` adds a column" };
    let help = match finding.values.get("likely_mistake") {
        Some(FindingValue::Text(text)) => format!("\n  help: {text}"),
        _ => String::new(),
    };
    say(&format!("warning: {} ({where_else}){help}", finding.message));
}

/// The text of a table: from a file by its ending, or CSV from standard input.
pub fn open_table(name: &str) -> io::Result<Box<dyn Read + Send>> {
    if name == "-" { Ok(Box::new(io::stdin())) } else { dalembert::report::open_table(Path::new(name)) }
}
