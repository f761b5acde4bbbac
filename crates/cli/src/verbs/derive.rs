//! `derive`: explicit programs, printed in the language of the controller.

use crate::prelude::*;
use clap::builder::PossibleValue;
use dalembert::motion::MotionTable;
use dalembert::robot::Cache;
use dalembert::robot::file::parse_torque;
use dalembert::symbolic::derive::{Abbreviation, Domain, Of, Request};
use dalembert::symbolic::print::Precision;
use dalembert::symbolic::{Effort, Target};
use dalembert::verbs::derive::{
    DeriveCacheRequest, DeriveLanguage, DeriveRequest, DerivedProgram, derive, derive_cache,
};
use dalembert::verbs::{Finding, FindingValue};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "\
Every program is compared with the library's own formula at random states before it is written. A program that differs is \
not written. docs/derive.md describes the printed code: arguments, error codes, loading it into a controller.

Examples:
  dalembert derive puma560 > puma560_torque.rs            torques as Rust, for no_std
  dalembert derive d3-1200 --emit c -o d3_1200.c          all programs of a Delta as C99: d3_1200.c and d3_1200.h
  dalembert derive d3-1200 --of ik --emit st -o ik.st     a function block for a PLC
  dalembert derive puma560 --significance 0.01 --emit c   without terms below 1 %
  dalembert derive puma560 --max-error \"0.5 N m\"          the fewest operations within an error
  dalembert derive puma560 --max-error \"0.5 N m\" --motion weld.csv   the same over one motion
  dalembert derive puma560 --of mass,bias --together      both in one function that shares its sines
  dalembert derive puma560 --of torque-parameter-derivatives --by bodies   derivatives of the torques by masses and inertias
  dalembert derive d3-1200 --of acceleration-parameter-derivatives --by la,lb1   lengths: all upper arms, forearm 1
  dalembert derive puma560 --law computed-torque --emit st  a controller as a function block
  dalembert derive puma560 --emit numpy -o puma560.py     torques as Python
  dalembert derive puma560 --of torque,mass --emit matlab -o puma560.m   puma560_torque.m and puma560_mass.m
  dalembert derive puma560 --emit latex -o puma560.tex    the explicit model for a document
  dalembert derive my-arm.toml --symbolic --emit listing  with m2, a3, ixx4 ... instead of numbers
  dalembert derive my-arm.toml --cache                    for `torque`, `accel` and `mass` of long tables")]
pub struct DeriveArguments {
    #[command(flatten)]
    robot: CarryingArguments,
    /// What to derive, separated by commas  [default: torque; for C, C++ and Structured Text all functions of the C interface]
    #[arg(long, value_name = "QUANTITY", value_delimiter = ',', value_parser = one_of(Of::ALL.map(|of| (of, of.as_str(), ""))))]
    of: Vec<Of>,
    /// Parameters to differentiate by  [default: all]
    ///
    /// Symbols (m2), keys (mass, link2.mass) or the groups bodies, geometry, friction, gravity
    #[arg(long, value_name = "PARAMETER", value_delimiter = ',')]
    by: Vec<String>,
    /// One function for all quantities, with shared subexpressions
    #[arg(long)]
    together: bool,
    /// Output language
    #[arg(long, value_name = "LANGUAGE", default_value = "rust", value_parser = one_of(DeriveLanguage::all().map(|it| (it, it.as_str(), it.about()))))]
    emit: DeriveLanguage,
    /// Drop terms below this fraction of the largest term of their equation
    ///
    /// For serial arms. Armstrong's rule is 0.01
    #[arg(long, value_name = "FRACTION", value_parser = share, conflicts_with = "max_error")]
    significance: Option<f64>,
    /// Drop terms while every joint torque stays within this error
    ///
    /// Over the limits of the robot file, for serial arms
    #[arg(long, value_name = "TORQUE", value_parser = torque)]
    max_error: Option<f64>,
    /// Maximum joint speeds for --max-error, rad/s (m/s): one, or one per joint  [default: the robot file's]
    #[arg(long, value_name = "SPEED", value_delimiter = ',', value_parser = positive)]
    speed: Vec<f64>,
    /// Maximum joint accelerations for --max-error, rad/s² (m/s²)  [default: 10]
    #[arg(long, value_name = "ACCELERATION", value_delimiter = ',', value_parser = positive)]
    acceleration: Vec<f64>,
    /// Motion over which --max-error holds, CSV as `trajectory` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["speed", "acceleration"])]
    motion: Option<String>,
    /// Cost model of the target machine: sine and cosine relative to a product
    #[arg(long, value_name = "TARGET", default_value = "count", value_parser = one_of(Target::ALL.map(|it| (it, it.as_str(), ""))))]
    target: Target,
    /// Tolerance for rounding angles to quarter turns and merging equal numbers, e.g. 1e-9
    ///
    /// For serial arms
    #[arg(long, value_name = "TOLERANCE", value_parser = share)]
    snap: Option<f64>,
    /// Keep nonzero parameters as symbols: m2, a3, ixx4 ...
    #[arg(long)]
    symbolic: bool,
    /// Number type: f64, or f32 (float, REAL) for C and Structured Text  [default: f64]
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "f32", default_value = "f64", hide_default_value = true,
        value_parser = precision())]
    float: Precision,
    /// One header with `static inline` functions (C)
    #[arg(long)]
    inline: bool,
    /// Do not search for the fewest operations
    #[arg(long)]
    quick: bool,
    /// Control law with its reference, as one function
    #[arg(long, value_name = "LAW", conflicts_with_all = ["of", "together", "significance", "max_error"], value_parser = laws())]
    law: Option<String>,
    /// Elbow branch of a Delta whose platform is given
    #[arg(long, default_value = "out", value_parser = branch())]
    branch: Branch,
    /// Assembly of a Delta whose joints are given
    #[arg(long, default_value = "below", value_parser = assembly())]
    assembly: Assembly,
    /// File or directory, `-` for standard output
    ///
    /// C becomes FILE.c and FILE.h. Several functions of MATLAB or TwinCAT become FILE_torque.m, FILE_mass.m ...
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: String,
    /// Print the summary as JSON (needs `--out FILE` or `--cache`)
    #[arg(long)]
    json: bool,
    /// Cache the programs for long tables of `torque`, `accel` and `mass`
    ///
    /// Print nothing
    #[arg(long, conflicts_with_all = ["emit", "out", "together", "significance", "max_error", "motion", "snap", "symbolic", "float",
        "inline", "quick", "law", "branch", "assembly", "target"])]
    cache: bool,
}

fn precision() -> impl TypedValueParser<Value = Precision> {
    one_of([
        (Precision::Float, "f32", "Single precision; its error over the robot's ranges is measured"),
        (Precision::Double, "f64", "Double precision"),
    ])
}

fn laws() -> [PossibleValue; 1] {
    let help = "tau(q, qd, rdd + kd (rd - qd) + kp (r - q)), the reference r from start to goal within a duration";
    [PossibleValue::new("computed-torque").help(help)]
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a positive number is needed, in rad or m".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a fraction between 0 and 1 is needed, e.g. 0.01".to_owned()),
    }
}

fn torque(text: &str) -> Result<f64, String> {
    match parse_torque(text)? {
        torque if torque > 0.0 && torque.is_finite() => Ok(torque),
        _ => Err("a positive torque is needed, e.g. \"0.5 N m\"".to_owned()),
    }
}

pub fn run(arguments: DeriveArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.robot.find()?;
    if arguments.cache {
        return keep(robot, arguments.of, arguments.json, screen);
    }
    if arguments.json && arguments.out == "-" {
        return Err(Failure::new("program and summary cannot both go to standard output").hint("give `--out FILE`"));
    }
    let (json, output) = (arguments.json, arguments.out.clone());
    let mut request = arguments.request(robot)?;
    request.file = file(&output, &request)?;
    let names = request.file_names()?;
    let mut files = Files::open("program", if names.is_empty() { std::slice::from_ref(&output) } else { &names })?;
    let outcome = derive(&request, &mut Progress::start("deriving"))?;
    for (sink, file) in files.sinks("program").zip(&outcome.files) {
        sink.text(&file.text)?;
    }
    files.finish()?;
    if json {
        return screen.outcome(&outcome);
    }
    outcome.programs.iter().for_each(tell);
    outcome.findings.iter().for_each(warn);
    if !names.is_empty() {
        say(&format!("written: {}", names.join(", ")));
    }
    Ok(())
}

impl DeriveArguments {
    fn request(self, robot: Robot) -> Result<DeriveRequest, Failure> {
        let abbreviation =
            self.significance.map(Abbreviation::Significance).or(self.max_error.map(Abbreviation::MaxError));
        let domain = match &self.motion {
            Some(file) if abbreviation.is_some() => MotionTable::read(file, &robot)
                .and_then(MotionTable::consistent)
                .and_then(|table| table.domain(&robot))
                .map_err(|error| Failure::new(&error).maybe_hint(error.hint()))?,
            _ => {
                Domain { speed: self.speed, acceleration: self.acceleration, motion: self.motion, ..Domain::default() }
            }
        };
        let request = DeriveRequest::new(robot);
        Ok(DeriveRequest {
            of: self.of,
            together: self.together,
            computed_torque: self.law.is_some(),
            options: Request {
                by: self.by,
                symbolic: self.symbolic,
                abbreviation,
                domain,
                snap: self.snap,
                branch: self.branch,
                assembly: self.assembly,
                target: self.target,
                effort: if self.quick { Effort::QUICK } else { Effort::default() },
                ..request.options
            },
            language: self.emit,
            precision: self.float,
            inline: self.inline,
            ..request
        })
    }
}

/// The file that `--out` means: in a directory one with the robot's name, in C with its ending.
fn file(output: &str, request: &DeriveRequest) -> Result<Option<PathBuf>, Failure> {
    let mut path = PathBuf::from(output);
    if output == "-" {
        return Ok(None);
    } else if path.is_dir() {
        path = path.join(format!("{}.{}", request.stem(), request.language.ending()));
    } else if output.ends_with(std::path::is_separator) {
        Sink::new(output)?; // refused: there is no such directory
    } else if request.language == DeriveLanguage::C && path.extension().is_none_or(|ending| ending != "c") {
        path.set_extension(match path.extension().and_then(|ending| ending.to_str()) {
            None | Some("h") => "c".to_owned(),
            Some(other) => format!("{other}.c"),
        });
    }
    Ok(Some(path))
}

/// `--cache`: searches, and keeps what was found.
fn keep(robot: Robot, of: Vec<Of>, json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let cache = Cache::standard().ok_or_else(|| {
        Failure::new("there is no cache: DALEMBERT_CACHE is `off`, or the home directory is not known")
            .hint("let DALEMBERT_CACHE name a directory")
    })?;
    let outcome = derive_cache(&DeriveCacheRequest { robot, of, cache }, &mut Progress::start("deriving"))?;
    if json {
        return screen.outcome(&outcome);
    }
    for kept in &outcome.kept {
        say(&format!("{}: {} operations, {:.1} s: {}", kept.of, kept.operations, kept.seconds, kept.file));
    }
    Ok(())
}

fn tell(done: &DerivedProgram) {
    let cost = match done.target {
        "count" => String::new(),
        target => format!(" (worth {:.0} additions on {target})", done.cost),
    };
    say(&format!(
        "{}: {}{cost}; {} states checked, off by {:.0e} at most; {:.1} s",
        done.name,
        done.program.operations(),
        done.states_checked,
        done.largest_difference,
        done.seconds
    ));
    if let Some(single) = &done.single_precision {
        say(&format!("  {single}"));
    }
    if let Some(error) = &done.torque_error {
        let row = |values: &[f64]| values.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", ");
        say(&format!("  torque error of what was left out, joint by joint, N m (N): at most {}", row(&error.bound)));
        say(&format!("  found {}; RMS {}", row(&error.found), row(&error.rms)));
    }
}

fn warn(finding: &Finding) {
    let snap = match finding.values.get("snap") {
        Some(FindingValue::Number(snap)) => format!("; `--snap {snap:e}` does so"),
        _ => String::new(),
    };
    say(&format!("warning: {}{snap}", finding.message));
}
