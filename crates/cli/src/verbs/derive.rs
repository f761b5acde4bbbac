//! `derive`: explicit programs, printed in the language of the controller.

use crate::arguments::{AssemblyChoice, BranchChoice, find};
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink};
use crate::progress::Progress;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dalembert::robot::file::parse_torque;
use dalembert::symbolic::derive::{Abbreviation, Derived, Of, Request};
use dalembert::symbolic::print::{self, Precision};
use dalembert::symbolic::{Effort, Program};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
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
  dalembert derive my-arm.toml --symbolic --emit latex    with m2, a3, ixx4 ... instead of numbers")]
pub struct DeriveArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
    /// What to derive, or several separated by commas  [default: torque; for C all that the C interface has]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = of_parser())]
    of: Vec<Of>,
    /// The language
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    emit: Language,
    /// Leave out terms below this share of the greatest one in their equation (serial arms; the paper's rule is 0.01)
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "max_error")]
    significance: Option<f64>,
    /// Leave out as much as keeps every joint's torque within this, over the limits of the robot file (serial arms)
    #[arg(long, value_name = "TORQUE", value_parser = torque)]
    max_error: Option<f64>,
    /// Keep every parameter that is not zero as a symbol: m2, a3, ixx4 ...
    #[arg(long)]
    symbolic: bool,
    /// Single precision: float, REAL (C and Structured Text)
    #[arg(long)]
    float: bool,
    /// Do not search for the fewest operations
    #[arg(long)]
    quick: bool,
    /// Elbow branch of a Delta whose platform is given
    #[arg(long, default_value = "out")]
    branch: BranchChoice,
    /// Assembly of a Delta whose joints are given
    #[arg(long, default_value = "below")]
    assembly: AssemblyChoice,
    /// File or directory to write to, `-` for standard output; C becomes FILE.c and FILE.h
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: String,
    /// Print the summary as JSON (needs `--output FILE`)
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Needs no standard library, generic over the number
    Rust,
    /// C99: one header, one source, nothing but math.h
    C,
    /// IEC 61131-3 Structured Text: function blocks
    St,
    /// A document of equations
    Latex,
    /// The program for other programs, as docs/derive.md describes it
    Json,
}

impl Language {
    fn ending(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::C => "c",
            Self::St => "st",
            Self::Latex => "tex",
            Self::Json => "json",
        }
    }
}

fn of_parser() -> impl TypedValueParser<Value = Of> {
    let names = Of::ALL.map(|of| PossibleValue::new(of.as_str()));
    PossibleValuesParser::new(names).try_map(|name| Of::parse(&name).ok_or("unknown"))
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
}

pub fn run(arguments: DeriveArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = find(&arguments.robot)?;
    if arguments.json && arguments.output == "-" {
        return Err(Failure::new("program and summary cannot both go to standard output").hint("give `--output FILE`"));
    }
    if arguments.float && !matches!(arguments.emit, Language::C | Language::St) {
        return Err(Failure::new("`--float` is for C and Structured Text")
            .hint("printed Rust takes any number; LaTeX and JSON have all digits"));
    }
    let stem = print::identifier(&robot.name);
    let place = Place::new(&arguments.output, &stem, arguments.emit)?;
    let mut all: Vec<Of> = Vec::new();
    let usual = if arguments.emit == Language::C { robot.derivations().interface } else { &[Of::Torque] };
    for &of in if arguments.of.is_empty() { usual } else { &arguments.of } {
        if !all.contains(&of) {
            all.push(of);
        }
    }
    let progress = Progress::start("deriving");
    let abbreviation =
        arguments.significance.map(Abbreviation::Significance).or(arguments.max_error.map(Abbreviation::MaxError));
    let mut done = Vec::new();
    for of in all {
        let request = Request {
            robot: robot.name.clone(),
            source: robot.source.clone(),
            of,
            symbolic: arguments.symbolic,
            abbreviation: abbreviation.clone(),
            branch: arguments.branch.into(),
            assembly: arguments.assembly.into(),
            effort: if arguments.quick { Effort::QUICK } else { Effort::default() },
        };
        let start = Instant::now();
        let derived = robot
            .derive(&request, &mut |share| progress.share(&format!("deriving {of}"), share))
            .map_err(|error| Failure::new(format!("{}: {error}", robot.name)).hint(error.hint()))?;
        done.push(Done { derived, seconds: start.elapsed().as_secs_f64() });
    }
    progress.end();
    let programs: Vec<Program> = done.iter().map(|done| done.derived.program.clone()).collect();
    place.write(&programs, arguments.emit, if arguments.float { Precision::Float } else { Precision::Double })?;
    if arguments.json {
        screen.json(&json!({ "files": place.names(), "programs": done.iter().map(Done::json).collect::<Vec<_>>() }));
    } else {
        done.iter().for_each(Done::tell);
        if let Place::Files { .. } = place {
            say(&format!("written: {}", place.names().join(", ")));
        }
    }
    Ok(())
}

impl Done {
    fn tell(&self) {
        let Derived { program, error, states, left_out } = &self.derived;
        say(&format!(
            "{}: {}; {states} states checked, off by {error:.0e} at most; {:.1} s",
            program.name,
            program.operations(),
            self.seconds
        ));
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
        let Derived { program, error, states, left_out } = &self.derived;
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
            "states_checked": states,
            "largest_difference": error,
            "seconds": self.seconds,
            "torque_error": left_out.as_ref().map(|e| json!({ "bound": e.bound, "found": e.found, "rms": e.rms })),
        })
    }
}

/// Where the program goes.
enum Place {
    Screen { stem: String },
    Files { path: PathBuf, stem: String, header: Option<PathBuf> },
}

impl Place {
    fn new(output: &str, robot: &str, language: Language) -> Result<Self, Failure> {
        if output == "-" {
            return Ok(Self::Screen { stem: robot.to_owned() });
        }
        let mut path = PathBuf::from(output);
        if path.is_dir() {
            path = path.join(format!("{robot}.{}", language.ending()));
        } else if language == Language::C && path.extension().is_none_or(|ending| ending != "c") {
            path.set_extension(match path.extension().and_then(|ending| ending.to_str()) {
                None | Some("h") => "c".to_owned(),
                Some(other) => format!("{other}.c"),
            });
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if language == Language::C && (stem.is_empty() || stem.contains(['"', '\\', '\n', '*'])) {
            return Err(Failure::new(format!("cannot include a file called {stem}.h")).hint("give another name"));
        }
        let header = (language == Language::C).then(|| path.with_extension("h"));
        Ok(Self::Files { path, stem, header })
    }

    fn names(&self) -> Vec<String> {
        let name = |path: &Path| path.display().to_string();
        match self {
            Self::Screen { .. } => Vec::new(),
            Self::Files { path, header, .. } => {
                [Some(name(path)), header.as_deref().map(name)].into_iter().flatten().collect()
            }
        }
    }

    fn write(&self, programs: &[Program], language: Language, precision: Precision) -> Result<(), Failure> {
        let text = match language {
            Language::Rust => print::rust::print(programs),
            Language::St => print::st::print(programs, precision),
            Language::Latex => print::latex::print(programs),
            Language::Json => print::json::print_all(programs),
            Language::C => {
                let (Self::Screen { stem } | Self::Files { stem, .. }) = self;
                let files = print::c::print(programs, stem, precision);
                let Self::Files { path, header: Some(header), .. } = self else {
                    return write("-", &files.joined());
                };
                // Both are there before either appears.
                let (mut first, mut second) = (sink(header)?, sink(path)?);
                first.text(&files.header)?;
                second.text(&files.source)?;
                first.finish()?;
                return second.finish();
            }
        };
        match self {
            Self::Screen { .. } => write("-", &text),
            Self::Files { path, .. } => {
                let mut sink = sink(path)?;
                sink.text(&text)?;
                sink.finish()
            }
        }
    }
}

fn sink(path: &Path) -> Result<Sink, Failure> {
    Sink::new(&path.display().to_string())
}

fn write(name: &str, text: &str) -> Result<(), Failure> {
    let mut sink = Sink::new(name)?;
    sink.text(text)?;
    sink.finish()
}
