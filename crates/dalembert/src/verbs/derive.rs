//! Explicit programs of a robot as source code, each checked against the library's own formula.

use super::prelude::*;
use crate::robot::{CONFIRMED, Cache, CompileError, SinglePrecision};
use crate::symbolic::Program;
use crate::symbolic::derive::{DeriveError, Derived, Domain, LikelyMistake, Of, Request};
use crate::symbolic::explicit::TorqueError;
use crate::symbolic::law::computed_torque;
use crate::symbolic::print::equations::EquationFormat;
use crate::symbolic::print::script::Script;
use crate::symbolic::print::{self, Precision};
use std::path::PathBuf;
use std::time::Instant;

/// The language of printed programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // `about` says it
pub enum DeriveLanguage {
    #[default]
    Rust,
    C,
    Cpp,
    St,
    Plcopen,
    Twincat,
    Numpy,
    Matlab,
    Javascript,
    Julia,
    Latex,
    Markdown,
    Text,
    Listing,
    Json,
}

impl DeriveLanguage {
    /// Each with its name, the ending of its files, and what it is.
    const TABLE: [(Self, &'static str, &'static str, &'static str); 15] = [
        (Self::Rust, "rust", "rs", "Needs no standard library, generic over the number"),
        (Self::C, "c", "c", "C99: one header, one source, nothing but math.h"),
        (Self::Cpp, "cpp", "hpp", "C++11: a header with templates"),
        (Self::St, "st", "st", "IEC 61131-3 Structured Text: function blocks"),
        (Self::Plcopen, "plcopen", "xml", "The same function blocks as a project of PLCopen XML"),
        (Self::Twincat, "twincat", "TcPOU", "One of them as TwinCAT's file of a POU"),
        (Self::Numpy, "numpy", "py", "Python with NumPy"),
        (Self::Matlab, "matlab", "m", "MATLAB and Octave"),
        (Self::Javascript, "javascript", "mjs", "An ES module"),
        (Self::Julia, "julia", "jl", "Julia"),
        (Self::Latex, "latex", "tex", "The explicit model of an arm in LaTeX; of other robots the program"),
        (Self::Markdown, "markdown", "md", "The explicit model of an arm in Markdown"),
        (Self::Text, "text", "txt", "The explicit model of an arm as plain text"),
        (Self::Listing, "listing", "tex", "The program step by step, as LaTeX"),
        (Self::Json, "json", "json", "The program for other programs, as docs/derive.md describes it"),
    ];

    /// All of them.
    pub fn all() -> [Self; 15] {
        Self::TABLE.map(|(language, ..)| language)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        Self::TABLE[self as usize].2
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        Self::TABLE[self as usize].3
    }

    /// Whether it is for controllers, which get every function unless some are named.
    fn is_for_controllers(self) -> bool {
        matches!(self, Self::C | Self::Cpp | Self::St | Self::Plcopen | Self::Twincat)
    }

    /// Whether a file has one function that can be called, with the name of the file.
    fn has_one_function(self) -> bool {
        matches!(self, Self::Matlab | Self::Twincat)
    }

    /// Of the explicit model.
    fn format(self) -> Option<EquationFormat> {
        match self {
            Self::Latex => Some(EquationFormat::Latex),
            Self::Markdown => Some(EquationFormat::Markdown),
            Self::Text => Some(EquationFormat::Text),
            _ => None,
        }
    }
}

/// What is derived for which robot, and how it is printed.
#[derive(Clone, Debug)]
pub struct DeriveRequest {
    /// The robot.
    pub robot: Robot,
    /// What to derive; empty: the torque, in C, C++ and Structured Text all that the C interface has.
    pub of: Vec<Of>,
    /// One program for all, which shares what they have in common.
    pub together: bool,
    /// Put computed torque with its reference around the torque, as one program.
    pub computed_torque: bool,
    /// Parameters, abbreviation, branch, target and effort of each program; robot and quantity are filled in.
    pub options: Request,
    /// The language.
    pub language: DeriveLanguage,
    /// The numbers of the program: single precision is for C and Structured Text.
    pub precision: Precision,
    /// One header with `static inline` functions (C).
    pub inline: bool,
    /// Where the text will be: a file, in C also the header beside it. Several functions of MATLAB or TwinCAT get a file each, named
    /// after this one and the function. None: one text for a stream.
    pub file: Option<PathBuf>,
}

/// A text and the file that it is for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct DerivedFile {
    /// Its path; empty for a stream.
    pub name: String,
    /// What it contains.
    #[serde(skip)]
    pub text: String,
}

/// A program that has passed its check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DerivedProgram {
    /// Robot and quantity, as an identifier.
    pub name: String,
    /// Multiplications.
    pub multiplications: usize,
    /// Additions and subtractions.
    pub additions: usize,
    /// Divisions.
    pub divisions: usize,
    /// Square roots.
    pub square_roots: usize,
    /// All of these.
    pub arithmetic: usize,
    /// Angles whose sine, cosine or both are taken.
    pub sin_cos_pairs: usize,
    /// Arc tangents, exponentials and so on.
    pub other: usize,
    /// The machine that it is to be cheap on.
    pub target: &'static str,
    /// What it costs there, in additions.
    pub cost: f64,
    /// Numbers of the robot that may have been meant to be others.
    pub near: Vec<LikelyMistake>,
    /// Largest difference between single and double precision at the checked states, over the largest component.
    pub single_precision_difference: f64,
    /// The same over the robot's ranges, where single precision is asked for.
    pub single_precision: Option<SinglePrecision>,
    /// States at which it was compared with the formula.
    pub states_checked: usize,
    /// Largest difference from the formula, over the largest component.
    pub largest_difference: f64,
    /// Time that it took, s.
    pub seconds: f64,
    /// Torque error of an abbreviated model.
    pub torque_error: Option<TorqueError>,
    /// The program itself.
    #[serde(skip)]
    pub program: Program,
}

/// The programs and their texts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeriveOutcome {
    /// The texts; in JSON their names.
    pub files: Vec<DerivedFile>,
    /// The programs; none of an explicit model in lumped constants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<DerivedProgram>,
    /// Numbers that may be mistakes.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Outcome for DeriveOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |program: &DerivedProgram| {
            let counts = [(".arithmetic", program.arithmetic), (".sin_cos_pairs", program.sin_cos_pairs)];
            let all = counts.into_iter().map(|(name, count)| (name, count as f64, ""));
            let all = all.chain([(".largest_difference", program.largest_difference, "")]);
            metrics(&program.name, all).collect::<Vec<_>>()
        };
        self.programs.iter().flat_map(of).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl DeriveRequest {
    /// The torque of a robot as Rust, for a stream.
    pub fn new(robot: Robot) -> Self {
        let options = Request { source: robot.source.clone(), ..Request::new(&robot.name, Of::Torque) };
        Self {
            robot,
            of: Vec::new(),
            together: false,
            computed_torque: false,
            options,
            language: DeriveLanguage::default(),
            precision: Precision::default(),
            inline: false,
            file: None,
        }
    }

    /// What is derived, once each.
    fn all(&self) -> Vec<Of> {
        let fits = self.file.is_some() || !self.language.has_one_function();
        let whole = fits && self.language.is_for_controllers() && !self.computed_torque;
        // A robot without programs refuses its torque by name.
        let usual = match self.robot.derivations().interface {
            interface @ [_, ..] if whole => interface,
            _ => &[Of::Torque],
        };
        let all = if self.of.is_empty() { usual } else { &self.of };
        all.iter().enumerate().filter(|(k, of)| !all[..*k].contains(of)).map(|(_, of)| *of).collect()
    }

    /// The robot's name as an identifier: what files are called where nobody says otherwise.
    pub fn stem(&self) -> String {
        let stem = |file: &PathBuf| file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        self.file.as_ref().map_or_else(|| print::identifier(&self.robot.name), stem)
    }

    /// The functions that need a file each: those of a language whose files have one.
    fn separate(&self) -> Vec<String> {
        let all = self.all();
        if !self.language.has_one_function() || self.together || all.len() < 2 {
            return Vec::new();
        }
        all.iter().map(|of| print::identifier(&format!("{}_{of}", self.stem()))).collect()
    }

    /// The files that will be written; none for a stream. What cannot be asked for together is refused.
    pub fn file_names(&self) -> Result<Vec<String>, VerbError> {
        use DeriveLanguage::{C, Plcopen, St, Twincat};
        let is_c = self.language == C;
        if self.inline && !is_c {
            return Err(VerbError::new("inline-not-c", "a header with inline functions is for C"));
        }
        if self.precision == Precision::Float && ![C, St, Plcopen, Twincat].contains(&self.language) {
            return Err(VerbError::new("single-precision", "single precision is for C and Structured Text")
                .hint("printed Rust takes any number; LaTeX and JSON have all digits"));
        }
        if self.options.domain != Domain::default() && self.options.abbreviation.is_none() {
            let message = "speeds, accelerations and a motion are for the error of what is left out";
            return Err(VerbError::new("domain-without-abbreviation", message));
        }
        let separate = self.separate();
        let Some(path) = &self.file else {
            let message = "a file of MATLAB or TwinCAT has one function that can be called, and several are asked for";
            let refused = VerbError::new("one-function-a-file", message);
            return if separate.is_empty() { Ok(Vec::new()) } else { Err(refused) };
        };
        if !separate.is_empty() {
            let name = |name: &String| path.with_file_name(format!("{name}.{}", self.language.ending()));
            return Ok(separate.iter().map(|function| name(function).display().to_string()).collect());
        }
        let stem = self.stem();
        if is_c && (stem.is_empty() || stem.contains(|c: char| c.is_control() || ['"', '\\', '*'].contains(&c))) {
            let message = format!("cannot include a file called {stem}.h");
            return Err(VerbError::new("file-name", message).hint("give another name"));
        }
        let header = is_c.then(|| path.with_extension("h"));
        let source = (!self.inline).then(|| path.clone());
        Ok([source, header].into_iter().flatten().map(|path| path.display().to_string()).collect())
    }

    /// The explicit model in lumped constants, where the language writes it.
    fn equations(&self) -> Result<Option<String>, VerbError> {
        let Some(format) = self.language.format() else { return Ok(None) };
        if self.of.is_empty() && self.options.abbreviation.is_none() && !self.computed_torque {
            let robot = &self.robot;
            match robot.equations() {
                Ok(equations) => {
                    let text = print::equations::print(&robot.name, robot.source.as_deref(), &equations, format);
                    return Ok(Some(text));
                }
                Err(_) if self.language == DeriveLanguage::Latex => {} // the program, then
                Err(error) => return Err(failed("no-explicit-model", &robot.name)(error)),
            }
        }
        match self.language {
            DeriveLanguage::Latex => Ok(None),
            _ => Err(VerbError::new("explicit-model-only", "Markdown and text are for the whole explicit model")),
        }
    }

    /// Derives one program.
    fn program(&self, of: Of, also: &[Of], observer: &mut dyn Observer) -> Result<DerivedProgram, VerbError> {
        let robot = &self.robot;
        let request = Request { of, also: also.to_vec(), ..self.options.clone() };
        let start = Instant::now();
        let mut derived = derive_one(robot, &request, observer)?;
        let measured = if self.precision == Precision::Float { robot.single_precision(&derived.program) } else { None };
        derived.program.conventions.extend(measured.map(|measured| format!("{measured}.")));
        if self.computed_torque {
            let hint = "the platform of this robot's joints is found by iteration, which is no formula: `torque-cartesian` is the \
                        torque of the platform's motion";
            let needs = "computed torque needs a torque of joint positions";
            let program = computed_torque(&derived.program).ok_or(needs);
            derived.program =
                program.map_err(failed("no-torque-of-joints", &robot.name)).map_err(|it| it.hint(hint))?;
        }
        let Derived { program, error, states, left_out, single_error, near } = derived;
        let cost = program.operations();
        Ok(DerivedProgram {
            name: program.name.clone(),
            multiplications: cost.multiplications,
            additions: cost.additions,
            divisions: cost.divisions,
            square_roots: cost.square_roots,
            arithmetic: cost.arithmetic(),
            sin_cos_pairs: cost.sin_cos,
            other: cost.other,
            target: self.options.target.as_str(),
            cost: self.options.target.cost(&cost),
            near,
            single_precision_difference: single_error,
            single_precision: measured,
            states_checked: states,
            largest_difference: error,
            seconds: start.elapsed().as_secs_f64(),
            torque_error: left_out,
            program,
        })
    }

    fn print(&self, programs: &[Program]) -> Vec<String> {
        let (stem, precision) = (self.stem(), self.precision);
        let script = |script| {
            let files = if self.separate().is_empty() { programs.len().max(1) } else { 1 };
            programs.chunks(files).map(|programs| print::script::print(programs, script)).collect()
        };
        match self.language {
            DeriveLanguage::Rust => vec![print::rust::print(programs)],
            DeriveLanguage::St => vec![print::st::print(programs, precision)],
            DeriveLanguage::Plcopen => vec![print::plc::plcopen(programs, &stem, precision)],
            DeriveLanguage::Twincat => programs.iter().map(|program| print::plc::twincat(program, precision)).collect(),
            DeriveLanguage::Cpp => script(Script::Cpp),
            DeriveLanguage::Numpy => script(Script::NumPy),
            DeriveLanguage::Matlab => script(Script::Matlab),
            DeriveLanguage::Javascript => script(Script::JavaScript),
            DeriveLanguage::Julia => script(Script::Julia),
            DeriveLanguage::Json => vec![print::json::print_all(programs)],
            DeriveLanguage::C if self.inline => vec![print::c::print_inline(programs, &stem, precision)],
            DeriveLanguage::C => {
                let files = print::c::print(programs, &stem, precision);
                if self.file.is_none() { vec![files.joined()] } else { vec![files.source, files.header] }
            }
            DeriveLanguage::Latex | DeriveLanguage::Listing | DeriveLanguage::Markdown | DeriveLanguage::Text => {
                vec![print::latex::print(programs)]
            }
        }
    }
}

/// Derives programs, compares each with the library's own formula, and prints them.
pub fn derive(request: &DeriveRequest, observer: &mut dyn Observer) -> Result<DeriveOutcome, VerbError> {
    let names = request.file_names()?;
    let files = |texts: Vec<String>| {
        let names = names.iter().cloned().chain([String::new()]);
        texts.into_iter().zip(names).map(|(text, name)| DerivedFile { name, text }).collect()
    };
    if let Some(text) = request.equations()? {
        return Ok(DeriveOutcome { files: files(vec![text]), programs: Vec::new(), findings: Vec::new() });
    }
    let mut all = request.all();
    let by_parameters = [Of::TorqueParameterDerivatives, Of::AccelerationParameterDerivatives];
    if !request.options.by.is_empty() && !all.iter().any(|of| by_parameters.contains(of)) {
        return Err(VerbError::new("parameters-without-derivatives", "parameters are for derivatives by parameters"));
    }
    let also = if request.together { all.split_off(1) } else { Vec::new() };
    let mut programs: Vec<DerivedProgram> =
        all.into_iter().map(|of| request.program(of, &also, observer)).collect::<Result<_, _>>()?;
    for (program, name) in programs.iter_mut().zip(request.separate()) {
        (program.name, program.program.name) = (name.clone(), name);
    }
    let found =
        |near: &LikelyMistake| Finding::new("near-number", Severity::Warning, near.to_string()).with("snap", near.snap);
    let findings = programs.iter().flat_map(|program| &program.near).map(found).collect();
    let texts = request.print(&programs.iter().map(|program| program.program.clone()).collect::<Vec<_>>());
    Ok(DeriveOutcome { files: files(texts), programs, findings })
}

fn derive_one(robot: &Robot, request: &Request, observer: &mut dyn Observer) -> Result<Derived, VerbError> {
    let of = request.of;
    stage(observer, 0.0, &format!("deriving {of}"))?;
    let derived = robot.derive(request, &mut |share| observer.progress(share, &format!("deriving {of}")));
    derived.map_err(|error: DeriveError| {
        // What else can be derived, or what may help.
        let (offered, hint) = (&robot.derivations().all, error.hint());
        let names: Vec<&str> = offered.iter().map(|of| of.as_str()).collect();
        let hint = match offered.is_empty() || offered.contains(&of) {
            true => hint.to_owned(),
            false => format!("a {} has {}; {hint}", robot.kind().title, names.join(", ")),
        };
        failed("cannot-derive", &robot.name)(error).hint(hint)
    })
}

/// Which programs of a robot are kept for long tables of states, and where.
#[derive(Clone, Debug)]
pub struct DeriveCacheRequest {
    /// The robot.
    pub robot: Robot,
    /// What to derive; empty: what rows of states use.
    pub of: Vec<Of>,
    /// Where programs are kept.
    pub cache: Cache,
}

/// A program that was kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeptProgram {
    /// What it computes.
    pub of: &'static str,
    /// Its arithmetic operations.
    pub operations: usize,
    /// Where it is.
    pub file: String,
    /// Time that it took, s.
    #[serde(skip)]
    pub seconds: f64,
}

/// The programs that were kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeriveCacheOutcome {
    /// One after the other.
    pub kept: Vec<KeptProgram>,
}

impl Outcome for DeriveCacheOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |kept: &KeptProgram| (format!("{}.arithmetic", kept.of), kept.operations as f64, "");
        metrics("", self.kept.iter().map(of)).collect()
    }
}

/// Derives programs with a thorough search, and keeps them for long tables of states.
pub fn derive_cache(
    request: &DeriveCacheRequest,
    observer: &mut dyn Observer,
) -> Result<DeriveCacheOutcome, VerbError> {
    let DeriveCacheRequest { robot, of, cache } = request;
    let offered = &robot.derivations().all;
    let usual = [Of::Torque, Of::Acceleration, Of::Mass, Of::Gravity].into_iter().filter(|of| offered.contains(of));
    let all: Vec<Of> = if of.is_empty() { usual.collect() } else { of.clone() };
    if all.is_empty() {
        let message = format!("{}: a {} has no programs", robot.name, robot.kind().title);
        return Err(VerbError::new("cannot-derive", message));
    }
    let directory = cache.directory().display();
    let whose = |of: Of| format!("cannot keep {of} of {} in {directory}", robot.name);
    if let Some(&of) = all.iter().find(|of| !CONFIRMED.contains(of)) {
        let names = CONFIRMED.map(Of::as_str).join(", ");
        let refused = failed("cannot-keep", &whose(of))(CompileError::Unconfirmed(of));
        return Err(refused.hint(format!("programs of these can be kept: {names}")));
    }
    cache.prepare().map_err(failed("cannot-keep", &format!("no program can be kept in {directory}")))?;
    let mut kept = Vec::new();
    for of in all {
        let start = Instant::now();
        let derived = derive_one(robot, &Request::new(&robot.name, of), observer)?;
        let whose = whose(of);
        let path = cache.store(robot, of, &derived.program).map_err(failed("cannot-keep", &whose))?;
        // What is not found again is of no use; a broken file would only be reported at every run.
        let again = cache.find(robot, of).inspect_err(|_| drop(std::fs::remove_file(&path)));
        let again = again.map_err(failed("cannot-keep", &whose))?;
        again.ok_or("it is not found again").map_err(failed("cannot-keep", &whose))?;
        let (operations, file) = (derived.program.operations().arithmetic(), path.display().to_string());
        kept.push(KeptProgram { of: of.as_str(), operations, file, seconds: start.elapsed().as_secs_f64() });
    }
    Ok(DeriveCacheOutcome { kept })
}
