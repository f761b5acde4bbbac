//! `derive`: explicit programs, printed in the language of the controller.

use crate::arguments::{AssemblyChoice, BranchChoice, CarryingArguments};
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink};
use crate::progress::Progress;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dalembert::motion::MotionTable;
use dalembert::robot::file::parse_torque;
use dalembert::robot::{Cache, Robot, SinglePrecision};
use dalembert::symbolic::derive::{Abbreviation, DeriveError, Derived, Domain, Of, Request};
use dalembert::symbolic::law::computed_torque;
use dalembert::symbolic::print::equations::EquationFormat;
use dalembert::symbolic::print::script::Script;
use dalembert::symbolic::print::{self, Precision};
use dalembert::symbolic::{Effort, Program, Target};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args)]
#[command(after_help = "\
Every program is compared with the library's own formula at random states before it is written; a program that differs is \
not written. docs/derive.md describes the printed code: arguments, error codes, loading it into a controller.

Examples:
  dalembert derive puma560 > puma560_torque.rs            torques as Rust, for no_std
  dalembert derive d3-1200 --emit c -o d3_1200.c          all programs of a Delta as C99: d3_1200.c and d3_1200.h
  dalembert derive d3-1200 --of ik --emit st -o ik.st     a function block for a PLC
  dalembert derive puma560 --significance 0.01 --emit c   without what is below 1 %
  dalembert derive puma560 --max-error \"0.5 N m\"          the cheapest torque within an error
  dalembert derive puma560 --max-error \"0.5 N m\" --motion weld.csv   the same over one motion
  dalembert derive puma560 --of mass,bias --together      both in one function that shares its sines
  dalembert derive puma560 --of torque-parameter-derivatives --by bodies   what each mass and inertia does to the torques
  dalembert derive d3-1200 --of acceleration-parameter-derivatives --by la,lb1   lengths: all upper arms, forearm 1
  dalembert derive puma560 --law computed-torque --emit st  a controller as a function block
  dalembert derive puma560 --emit numpy -o puma560.py     torques as Python
  dalembert derive puma560 --emit latex -o puma560.tex    the explicit model as people write it
  dalembert derive my-arm.toml --symbolic --emit listing  with m2, a3, ixx4 ... instead of numbers
  dalembert derive my-arm.toml --cache                    for `torque`, `accel` and `mass` of long tables")]
pub struct DeriveArguments {
    #[command(flatten)]
    robot: CarryingArguments,
    /// What to derive, or several separated by commas  [default: torque; for C all that the C interface has]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = of_parser())]
    of: Vec<Of>,
    /// What derivatives by parameters are by: symbols (m2), keys (mass, link2.mass) or bodies, geometry, friction, gravity  [default: all]
    #[arg(long, value_name = "PARAMETER", value_delimiter = ',')]
    by: Vec<String>,
    /// One function for all of them, which shares what they have in common
    #[arg(long)]
    together: bool,
    /// The language
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    emit: Language,
    /// Leave out terms below this share of the greatest one in their equation (serial arms; the paper's rule is 0.01)
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "max_error")]
    significance: Option<f64>,
    /// Leave out as much as keeps every joint's torque within this, over the limits of the robot file (serial arms)
    #[arg(long, value_name = "TORQUE", value_parser = torque)]
    max_error: Option<f64>,
    /// Greatest joint speeds for that bound, instead of the robot file's: one, or one for each joint (rad/s, m/s)
    #[arg(long, value_name = "SPEED", value_delimiter = ',', value_parser = positive)]
    speed: Vec<f64>,
    /// Greatest joint accelerations for that bound  [default: 10]  (rad/s^2, m/s^2)
    #[arg(long, value_name = "ACCELERATION", value_delimiter = ',', value_parser = positive)]
    acceleration: Vec<f64>,
    /// A motion (CSV as `trajectory` writes it) whose positions, speeds and accelerations that bound is for
    #[arg(long, value_name = "FILE", conflicts_with_all = ["speed", "acceleration"])]
    motion: Option<String>,
    /// The machine whose costs count: what a sine is worth beside a product
    #[arg(long, value_name = "TARGET", default_value = "count", value_parser = target_parser())]
    target: Target,
    /// Take numbers that are this near to a quarter turn (rad) or to each other (share) for it, e.g. 1e-9 (serial arms)
    #[arg(long, value_name = "NEAR", value_parser = share)]
    snap: Option<f64>,
    /// Keep every parameter that is not zero as a symbol: m2, a3, ixx4 ...
    #[arg(long)]
    symbolic: bool,
    /// The numbers of the program: f64, or f32, which is float and REAL (C and Structured Text)  [default: f64]
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "f32", default_value = "f64", hide_default_value = true)]
    float: FloatChoice,
    /// One header with `static inline` functions (C)
    #[arg(long)]
    inline: bool,
    /// Do not search for the fewest operations
    #[arg(long)]
    quick: bool,
    /// Put a control law and its reference around the torque, as one function
    #[arg(long, value_name = "LAW", conflicts_with_all = ["of", "together", "significance", "max_error"])]
    law: Option<LawChoice>,
    /// Elbow branch of a Delta whose platform is given
    #[arg(long, default_value = "out")]
    branch: BranchChoice,
    /// Assembly of a Delta whose joints are given
    #[arg(long, default_value = "below")]
    assembly: AssemblyChoice,
    /// File or directory to write to, `-` for standard output; C becomes FILE.c and FILE.h
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: String,
    /// Print the summary as JSON (needs `--output FILE` or `--cache`)
    #[arg(long)]
    json: bool,
    /// Print nothing: keep the searched programs where `torque`, `accel` and `mass` find them for long tables  [default for --of: what these use]
    #[arg(long, conflicts_with_all = ["emit", "output", "together", "significance", "max_error", "motion", "snap", "symbolic", "float",
        "inline", "quick", "law", "branch", "assembly", "target"])]
    cache: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FloatChoice {
    /// Single precision; its error over the robot's ranges is measured
    F32,
    /// Double precision
    F64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LawChoice {
    /// tau(q, qd, rdd + kd (rd - qd) + kp (r - q)), the reference r from start to goal within a duration
    ComputedTorque,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Needs no standard library, generic over the number
    Rust,
    /// C99: one header, one source, nothing but math.h
    C,
    /// C++11: a header with templates
    Cpp,
    /// IEC 61131-3 Structured Text: function blocks
    St,
    /// The same function blocks as a project of PLCopen XML
    Plcopen,
    /// One of them as TwinCAT's file of a POU
    Twincat,
    /// Python with NumPy
    Numpy,
    /// MATLAB and Octave
    Matlab,
    /// An ES module
    Javascript,
    /// Julia
    Julia,
    /// The explicit model of an arm as people write it; of other robots the program
    Latex,
    /// The same as Markdown (arms)
    Markdown,
    /// The same as text (arms)
    Text,
    /// The program step by step, as LaTeX
    Listing,
    /// The program for other programs, as docs/derive.md describes it
    Json,
}

impl Language {
    fn ending(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::C => "c",
            Self::Cpp => "hpp",
            Self::St => "st",
            Self::Plcopen => "xml",
            Self::Twincat => "TcPOU",
            Self::Numpy => "py",
            Self::Matlab => "m",
            Self::Javascript => "mjs",
            Self::Julia => "jl",
            Self::Latex | Self::Listing => "tex",
            Self::Markdown => "md",
            Self::Text => "txt",
            Self::Json => "json",
        }
    }

    /// Of equations.
    fn format(self) -> Option<EquationFormat> {
        match self {
            Self::Latex => Some(EquationFormat::Latex),
            Self::Markdown => Some(EquationFormat::Markdown),
            Self::Text => Some(EquationFormat::Text),
            _ => None,
        }
    }
}

fn of_parser() -> impl TypedValueParser<Value = Of> {
    let names = Of::ALL.map(|of| PossibleValue::new(of.as_str()));
    PossibleValuesParser::new(names).try_map(|name| Of::parse(&name).ok_or("unknown"))
}

fn target_parser() -> impl TypedValueParser<Value = Target> {
    let names = Target::ALL.map(|target| PossibleValue::new(target.as_str()));
    PossibleValuesParser::new(names).try_map(|name| Target::parse(&name).ok_or("unknown"))
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
        _ => Err("a share between 0 and 1 is needed, e.g. 0.01".to_owned()),
    }
}

fn torque(text: &str) -> Result<f64, String> {
    match parse_torque(text)? {
        torque if torque > 0.0 && torque.is_finite() => Ok(torque),
        _ => Err("a positive torque is needed, e.g. \"0.5 N m\"".to_owned()),
    }
}

/// One program and what is to be said of it.
struct Done {
    derived: Derived,
    seconds: f64,
    target: Target,
    /// What single precision loses, where that is wanted.
    single: Option<SinglePrecision>,
}

pub fn run(arguments: DeriveArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.robot.find()?;
    if arguments.cache {
        return keep(&robot, &arguments, screen);
    }
    if arguments.json && arguments.output == "-" {
        return Err(Failure::new("program and summary cannot both go to standard output").hint("give `--output FILE`"));
    }
    if arguments.inline && arguments.emit != Language::C {
        return Err(Failure::new("`--inline` is for C").hint("add `--emit c`"));
    }
    let of_controllers = [Language::C, Language::St, Language::Plcopen, Language::Twincat];
    let single = arguments.float == FloatChoice::F32;
    if single && !of_controllers.contains(&arguments.emit) {
        return Err(Failure::new("`--float` is for C and Structured Text")
            .hint("printed Rust takes any number; LaTeX and JSON have all digits"));
    }
    let steered = arguments.motion.is_some() || !arguments.speed.is_empty() || !arguments.acceleration.is_empty();
    if steered && arguments.significance.is_none() && arguments.max_error.is_none() {
        return Err(Failure::new("`--speed`, `--acceleration` and `--motion` are for the error of what is left out")
            .hint("add `--max-error TORQUE` or `--significance SHARE`"));
    }
    let domain = match &arguments.motion {
        None => {
            Domain { speed: arguments.speed.clone(), acceleration: arguments.acceleration.clone(), ..Domain::default() }
        }
        Some(file) => MotionTable::read(file, &robot)
            .and_then(MotionTable::consistent)
            .and_then(|table| table.domain(&robot))
            .map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?,
    };
    let stem = print::identifier(&robot.name);
    let place = Place::open(&arguments.output, &stem, arguments.emit, arguments.inline)?;
    let of_torque = arguments.of.is_empty() && arguments.significance.is_none() && arguments.max_error.is_none();
    if let Some(format) = arguments.emit.format()
        && of_torque
        && arguments.law.is_none()
    {
        match robot.equations() {
            Ok(equations) => {
                let text = print::equations::print(&robot.name, robot.source.as_deref(), &equations, format);
                let files = place.put(&[text])?;
                if arguments.json {
                    screen.json(&json!({ "files": files }));
                } else if !files.is_empty() {
                    say(&format!("written: {}", files.join(", ")));
                }
                return Ok(());
            }
            Err(_) if arguments.emit == Language::Latex => {} // the program, then
            Err(error) => {
                return Err(
                    Failure::new(format!("{}: {error}", robot.name)).hint("`--emit listing` writes the program")
                );
            }
        }
    }
    if matches!(arguments.emit, Language::Markdown | Language::Text) {
        return Err(Failure::new("Markdown and text are for the whole explicit model")
            .hint("leave `--of`, `--significance` and `--max-error` out, or use `--emit listing`"));
    }
    let mut all: Vec<Of> = Vec::new();
    // A robot without programs refuses its torque by name.
    let usual = match robot.derivations().interface {
        [_, ..] if arguments.emit == Language::C && arguments.law.is_none() => robot.derivations().interface,
        _ => &[Of::Torque],
    };
    for &of in if arguments.of.is_empty() { usual } else { &arguments.of } {
        if !all.contains(&of) {
            all.push(of);
        }
    }
    if arguments.emit == Language::Twincat && all.len() > 1 && !arguments.together {
        return Err(Failure::new("TwinCAT's file of a POU has one function block")
            .hint("give one `--of`, add `--together`, or use `--emit plcopen`, which TwinCAT imports too"));
    }
    let by_parameters = [Of::TorqueParameterDerivatives, Of::AccelerationParameterDerivatives];
    if !arguments.by.is_empty() && !all.iter().any(|of| by_parameters.contains(of)) {
        return Err(Failure::new("`--by` is for derivatives by parameters")
            .hint("add `--of torque-parameter-derivatives` or `--of acceleration-parameter-derivatives`"));
    }
    let progress = Progress::start("deriving");
    let abbreviation =
        arguments.significance.map(Abbreviation::Significance).or(arguments.max_error.map(Abbreviation::MaxError));
    let mut done = Vec::new();
    let also = if arguments.together { all.split_off(1) } else { Vec::new() };
    for of in all {
        let request = Request {
            robot: robot.name.clone(),
            source: robot.source.clone(),
            of,
            also: also.clone(),
            by: arguments.by.clone(),
            symbolic: arguments.symbolic,
            abbreviation: abbreviation.clone(),
            domain: domain.clone(),
            snap: arguments.snap,
            target: arguments.target,
            branch: arguments.branch.into(),
            assembly: arguments.assembly.into(),
            effort: if arguments.quick { Effort::QUICK } else { Effort::default() },
        };
        let start = Instant::now();
        let mut derived = robot
            .derive(&request, &mut |share| progress.share(&format!("deriving {of}"), share))
            .map_err(|error| Failure::new(format!("{}: {error}", robot.name)).hint(hint(&robot, of, &error)))?;
        let measured = if single { robot.single_precision(&derived.program) } else { None };
        derived.program.conventions.extend(measured.map(|measured| format!("{}.", in_words(&measured))));
        if let Some(LawChoice::ComputedTorque) = arguments.law {
            derived.program = computed_torque(&derived.program).ok_or_else(|| {
                Failure::new(format!("{}: computed torque needs a torque of joint positions", robot.name)).hint(
                    "the platform of this robot's joints is found by iteration, which is no formula: `--of torque-cartesian` has the \
                     torque of the platform's motion",
                )
            })?;
        }
        let (seconds, target) = (start.elapsed().as_secs_f64(), arguments.target);
        done.push(Done { derived, seconds, target, single: measured });
    }
    progress.end();
    let programs: Vec<Program> = done.iter().map(|done| done.derived.program.clone()).collect();
    let precision = if single { Precision::Float } else { Precision::Double };
    let files = place.write(&programs, arguments.emit, precision)?;
    if arguments.json {
        screen.json(&json!({ "files": files, "programs": done.iter().map(Done::json).collect::<Vec<_>>() }));
    } else {
        done.iter().for_each(Done::tell);
        if !files.is_empty() {
            say(&format!("written: {}", files.join(", ")));
        }
    }
    Ok(())
}

/// `--cache`: searches, and keeps what was found.
fn keep(robot: &Robot, arguments: &DeriveArguments, screen: &mut Screen) -> Result<(), Failure> {
    let cache = Cache::standard().ok_or_else(|| {
        Failure::new("there is no cache: DALEMBERT_CACHE is `off`, or the home directory is not known")
            .hint("let DALEMBERT_CACHE name a directory")
    })?;
    let offered = robot.derivations().all;
    let usual = [Of::Torque, Of::Acceleration, Of::Mass, Of::Gravity].into_iter().filter(|of| offered.contains(of));
    let all: Vec<Of> = if arguments.of.is_empty() { usual.collect() } else { arguments.of.clone() };
    if all.is_empty() {
        return Err(Failure::new(format!("{}: a {} has no programs", robot.name, robot.kind().title)));
    }
    let progress = Progress::start("deriving");
    let (mut kept, mut told) = (Vec::new(), Vec::new());
    for of in all {
        let start = Instant::now();
        let request = Request::new(&robot.name, of);
        let derived = robot
            .derive(&request, &mut |share| progress.share(&format!("deriving {of}"), share))
            .map_err(|error| Failure::new(format!("{}: {error}", robot.name)).hint(hint(robot, of, &error)))?;
        let cannot = |reason: &str| Failure::new(format!("cannot keep {of} of {}: {reason}", robot.name));
        let path = cache.store(robot, of, &derived.program).map_err(|error| cannot(&error.to_string()))?;
        // What is not found again is of no use.
        match cache.find(robot, of) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(cannot("it is not found again")),
            Err(error) => {
                // It would only be told of at every run.
                let _ = std::fs::remove_file(&path);
                return Err(cannot(&error.to_string()));
            }
        }
        let operations = derived.program.operations().arithmetic();
        told.push(format!("{of}: {operations} operations, {:.1} s: {}", start.elapsed().as_secs_f64(), path.display()));
        kept.push(json!({ "of": of.as_str(), "operations": operations, "file": path.display().to_string() }));
    }
    progress.end();
    if arguments.json {
        screen.json(&json!({ "kept": kept }));
    } else {
        told.iter().for_each(|line| say(line));
    }
    Ok(())
}

/// What else there is, or what may help.
fn hint(robot: &Robot, of: Of, error: &DeriveError) -> String {
    let offered = robot.derivations().all;
    if offered.is_empty() || offered.contains(&of) {
        return error.hint().to_owned();
    }
    let names: Vec<&str> = offered.iter().map(|of| of.as_str()).collect();
    format!("a {} has {}; {}", robot.kind().title, names.join(", "), error.hint())
}

fn in_words(single: &SinglePrecision) -> String {
    format!(
        "Single precision: off by {:.0e} of the largest component at most (RMS {:.0e}), over {} random states within the robot's ranges",
        single.most, single.rms, single.states
    )
}

impl Done {
    fn tell(&self) {
        let Derived { program, error, states, left_out, near, .. } = &self.derived;
        let cost = match self.target {
            Target::Count => String::new(),
            target => format!(" (worth {:.0} additions on {})", target.cost(&program.operations()), target.as_str()),
        };
        say(&format!(
            "{}: {}{cost}; {states} states checked, off by {error:.0e} at most; {:.1} s",
            program.name,
            program.operations(),
            self.seconds
        ));
        if let Some(single) = &self.single {
            say(&format!("  {}", in_words(single)));
        }
        for likely_mistake in near {
            say(&format!("warning: {likely_mistake}; `--snap {:e}` does so", likely_mistake.snap()));
        }
        if let Some(error) = left_out {
            let row = |values: &[f64]| values.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", ");
            say(&format!(
                "  torque error of what was left out, joint by joint, N m (N): at most {}",
                row(&error.bound)
            ));
            say(&format!("  found {}; RMS {}", row(&error.found), row(&error.rms)));
        }
    }

    fn json(&self) -> Value {
        let Derived { program, error, states, left_out, single_error, near } = &self.derived;
        let cost = program.operations();
        json!({
            "name": program.name,
            "multiplications": cost.multiplications,
            "additions": cost.additions,
            "divisions": cost.divisions,
            "square_roots": cost.square_roots,
            "arithmetic": cost.arithmetic(),
            "sin_cos_pairs": cost.sin_cos,
            "other": cost.other,
            "target": self.target.as_str(),
            "cost": self.target.cost(&cost),
            "near": near.iter().map(|likely_mistake| json!({
                "numbers": likely_mistake.numbers.iter().map(|near| json!({
                    "name": near.name, "value": near.value, "meant": near.meant
                })).collect::<Vec<_>>(),
                "operations": likely_mistake.operations,
                "instead": likely_mistake.instead,
                "snap": likely_mistake.snap(),
            })).collect::<Vec<_>>(),
            "single_precision_difference": single_error,
            "single_precision": self.single.map(|single| json!({
                "states": single.states, "most": single.most, "rms": single.rms
            })),
            "states_checked": states,
            "largest_difference": error,
            "seconds": self.seconds,
            "torque_error": left_out.as_ref().map(|e| json!({ "bound": e.bound, "found": e.found, "rms": e.rms })),
        })
    }
}

/// Where the program goes: files that can be written, or standard output.
struct Place {
    /// What the files are called, without their endings.
    stem: String,
    /// The files; none for standard output.
    names: Vec<String>,
    /// Of C the source and the header.
    sinks: Vec<Sink>,
    /// C as a header alone.
    inline: bool,
}

impl Place {
    fn open(output: &str, robot: &str, language: Language, inline: bool) -> Result<Self, Failure> {
        if output == "-" {
            return Ok(Self { stem: robot.to_owned(), names: Vec::new(), sinks: vec![Sink::new("-")?], inline });
        }
        let mut path = PathBuf::from(output);
        if path.is_dir() {
            path = path.join(format!("{robot}.{}", language.ending()));
        } else if output.ends_with(std::path::is_separator) {
            Sink::new(output)?; // refused: there is no such directory
        } else if language == Language::C && path.extension().is_none_or(|ending| ending != "c") {
            path.set_extension(match path.extension().and_then(|ending| ending.to_str()) {
                None | Some("h") => "c".to_owned(),
                Some(other) => format!("{other}.c"),
            });
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let is_c = language == Language::C;
        if is_c && (stem.is_empty() || stem.contains(|c: char| c.is_control() || ['"', '\\', '*'].contains(&c))) {
            return Err(Failure::new(format!("cannot include a file called {stem}.h")).hint("give another name"));
        }
        let header = is_c.then(|| path.with_extension("h"));
        let source = (!inline).then(|| path.clone());
        let names: Vec<String> = [source, header].into_iter().flatten().map(shown).collect();
        let sinks = names.iter().map(|name| Sink::new(name)).collect::<Result<_, Failure>>()?;
        Ok(Self { stem, names, sinks, inline })
    }

    fn write(self, programs: &[Program], language: Language, precision: Precision) -> Result<Vec<String>, Failure> {
        let texts = match language {
            Language::Rust => vec![print::rust::print(programs)],
            Language::St => vec![print::st::print(programs, precision)],
            Language::Plcopen => vec![print::plc::plcopen(programs, &self.stem, precision)],
            Language::Twincat => programs.iter().map(|program| print::plc::twincat(program, precision)).collect(),
            Language::Cpp => vec![print::script::print(programs, Script::Cpp)],
            Language::Numpy => vec![print::script::print(programs, Script::NumPy)],
            Language::Matlab => vec![print::script::print(programs, Script::Matlab)],
            Language::Javascript => vec![print::script::print(programs, Script::JavaScript)],
            Language::Julia => vec![print::script::print(programs, Script::Julia)],
            Language::Latex | Language::Listing | Language::Markdown | Language::Text => {
                vec![print::latex::print(programs)]
            }
            Language::Json => vec![print::json::print_all(programs)],
            Language::C if self.inline => vec![print::c::print_inline(programs, &self.stem, precision)],
            Language::C => {
                let files = print::c::print(programs, &self.stem, precision);
                if self.names.is_empty() { vec![files.joined()] } else { vec![files.source, files.header] }
            }
        };
        self.put(&texts)
    }

    fn put(mut self, texts: &[String]) -> Result<Vec<String>, Failure> {
        // All are there before one appears.
        for (sink, text) in self.sinks.iter_mut().zip(texts) {
            sink.text(text)?;
        }
        self.sinks.into_iter().try_for_each(Sink::finish)?;
        Ok(self.names)
    }
}

fn shown(path: PathBuf) -> String {
    path.display().to_string()
}
