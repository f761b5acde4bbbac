//! From a robot to programs: the formulas of `dalembert-core` run with expressions, and the result is checked against the
//! same formulas run with numbers before it is handed out.
//!
//! docs/derive.md lists what there is of which kind of robot, with inputs and outputs.
//!
//! The platform of a parallel robot whose joints are given is found by iteration, which is no formula: where other robots take q, its
//! programs take the platform.
//!
//! Friction at the joints is part of `torque`, `bias`, `acceleration` and the derivatives, as it is everywhere in the library.

mod closed;
mod combined;
mod delta;
mod formulas;
mod friction;
mod parallel;
mod parameters;
mod quantities;
mod regressor;
mod serial;
mod size;
mod symbols;
mod tidy;
mod verify;

pub use crate::of::Of;
pub use delta::{delta, delta_regressor};
pub use parallel::{parallel, parallel_regressor};
pub use regressor::ParameterColumn;
pub use serial::{Abbreviation, Domain, NearNumber, abbreviated, equations, numbers, serial};
pub use verify::{LIMIT, STATES};

use crate::explicit::TorqueError;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::print::identifier;
use crate::program::{Check, Operation, Program, ProgramParameter, Quantity, ValueSource};
use crate::search::Effort;
use crate::target::Target;
use dalembert_core::chain::ChainError;
use dalembert_core::delta::{Assembly, Branch};
use serde::Serialize;
use std::fmt;

/// What is wanted of which robot. The default: parameters as numbers, elbows out, platform below, a thorough search.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The robot's name, as its file says.
    pub robot: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// What to derive.
    pub of: Of,
    /// What else the same program is to give (serial arms).
    pub also: Vec<Of>,
    /// What derivatives by parameters are by: symbols (`m2`), keys of the robot file (`mass`, `link2.mass`) or kinds (`bodies`,
    /// `geometry`, `friction`, `gravity`); all parameters where it is empty.
    pub by: Vec<String>,
    /// Every parameter that is not zero stays a symbol.
    pub symbolic: bool,
    /// What may be left out, for fewer operations.
    pub abbreviation: Option<Abbreviation>,
    /// What the joints are taken to do for the error of an abbreviated model.
    pub domain: Domain,
    /// Numbers that are so near to a quarter turn, or to another number, are taken for it (serial arms): radians, or a share.
    pub snap: Option<f64>,
    /// The elbows of a Delta robot whose platform is given.
    pub branch: Branch,
    /// The platform of a Delta robot whose joints are given.
    pub assembly: Assembly,
    /// The machine that it is to be cheap on.
    pub target: Target,
    /// How long to search for the cheapest program.
    pub effort: Effort,
}

impl Request {
    /// The usual for a robot with this name.
    pub fn new(robot: &str, of: Of) -> Self {
        Self { robot: robot.into(), of, ..Self::default() }
    }

    /// A program of this name for these things that has no steps yet.
    fn signature(
        &self,
        all: &[Of],
        [inputs, outputs]: [Vec<Quantity>; 2],
        parameters: Vec<ProgramParameter>,
    ) -> Program {
        let names: Vec<&str> = self.all().iter().map(|of| of.as_str()).collect();
        let name = identifier(&format!("{}_{}", self.robot, names.join("_")));
        let title = all.iter().map(|of| of.title()).collect::<Vec<_>>().join("; ");
        Program { name, title, inputs, outputs, parameters, ..Program::default() }
    }

    /// All that the program is to give.
    pub(crate) fn all(&self) -> Vec<Of> {
        let mut all = vec![self.of];
        for &of in &self.also {
            if !all.contains(&of) {
                all.push(of);
            }
        }
        all
    }
}

/// A program that has passed its check.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The program.
    pub program: Program,
    /// The largest difference from the formula over all states that were tried, over the largest component of the result.
    pub error: f64,
    /// How many states were tried.
    pub states: usize,
    /// The largest difference between the program in single and in double precision at these states, over the largest
    /// component of the result.
    pub single_error: f64,
    /// Numbers of the robot that may have been meant to be others, with what that costs.
    pub near: Vec<LikelyMistake>,
    /// How far the torque of an abbreviated model is from the exact one, within the limits of the joints.
    pub left_out: Option<TorqueError>,
}

/// Numbers that were taken as they are, and may have been meant to be others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LikelyMistake {
    /// The numbers.
    pub numbers: Vec<NearNumber>,
    /// Operations of a program without a search, with the numbers as they are.
    pub operations: usize,
    /// The same with what they may mean.
    pub instead: usize,
    /// The least [`Request::snap`] that takes them for what they may mean.
    pub snap: f64,
}

impl fmt::Display for LikelyMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> =
            self.numbers.iter().map(|near| format!("{} = {} (near {})", near.name, near.value, near.meant)).collect();
        write!(
            f,
            "{}: taken as they are; taken for what they are near to, a program without a search has {} operations instead of {}",
            all.join(", "),
            self.instead,
            self.operations
        )
    }
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages name the fields
pub enum DeriveError {
    /// The robot has no such thing.
    #[error("`{of}` cannot be derived for this robot: {reason}")]
    DoesNotApply { of: Of, reason: String },
    /// The formula has no value where it should have one.
    #[error("`{of}` cannot be derived: {cause}")]
    Undetermined { of: Of, cause: ChainError },
    /// No pose was found to try the program at.
    #[error(
        "`{of}` cannot be derived: the robot reaches none of {tried} random poses near the centre of its workspace"
    )]
    NoPose { of: Of, tried: usize },
    /// The program is not what its formula is.
    #[error(
        "`{of}`: the derived program differs from the formula by {error:.1e} of the largest component (allowed {LIMIT:.0e})"
    )]
    Mismatch { of: Of, error: f64 },
}

impl DeriveError {
    fn refused(of: Of, reason: impl Into<String>) -> Self {
        Self::DoesNotApply { of, reason: reason.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::DoesNotApply { .. } => "docs/derive.md lists what can be derived for each kind of robot",
            Self::Undetermined { .. } => "give the last links mass, inertia or a motor",
            Self::NoPose { .. } => "the robot's workspace says what it reaches",
            Self::Mismatch { .. } => {
                "parameters many orders of magnitude apart cancel in the formula; if yours do not, this is a bug"
            }
        }
    }
}

/// Programs for these results: the one with the fewest operations that are found without another formula, and, should
/// that be less exact than it may be, the formula as it is written.
fn candidates(
    graph: &Graph,
    signature: Program,
    results: &[Expr<'_>],
    checks: &[(Expr<'_>, Check)],
    effort: Effort,
) -> [Program; 2] {
    let plain = graph.program(signature.clone(), results, checks);
    [graph.cheapest(signature, results, checks, effort.rounds), plain]
}

/// The first program that passes.
fn first_checked(
    programs: impl IntoIterator<Item = Program>,
    of: Of,
    check: &mut dyn FnMut(Program) -> Result<Derived, DeriveError>,
) -> Result<Derived, DeriveError> {
    let mut result = Err(DeriveError::Mismatch { of, error: f64::NAN });
    for program in programs {
        result = check(program);
        if !matches!(result, Err(DeriveError::Mismatch { .. })) {
            break;
        }
    }
    result
}

/// The cheapest program, with its checks in front and a word on where it comes from.
fn finish(program: Program, request: &Request, conventions: Vec<String>) -> Program {
    // A check that is a constant holds at all poses.
    let always = |check: &Check| matches!(check.margin.place, ValueSource::Number(x) if x > check.least);
    let mut program = Program {
        robot: request.robot.clone(),
        source: request.source.clone(),
        conventions,
        ..tidy::without_factors(program)
            .with_folded_numbers()
            .with_tidy_numbers()
            .without_unused_parameters()
            .with_checks_first()
    };
    program.checks.retain(|check| !always(check));
    let divisors = divisors(&program);
    if !divisors.is_empty() {
        program.conventions.push(format!("Divides by expressions in {}: these must not be zero.", divisors.join(", ")));
    }
    program
}

/// The parameters that something divides by which depends on parameters alone.
fn divisors(program: &Program) -> Vec<String> {
    fn below(program: &Program, place: ValueSource, names: &mut Vec<String>) {
        match place {
            ValueSource::Parameter(i) if !names.contains(&program.parameters[i].name) => {
                names.push(program.parameters[i].name.clone());
            }
            ValueSource::Step(i) => {
                program.steps[i].operation.values().iter().for_each(|value| below(program, value.place, names));
            }
            _ => {}
        }
    }
    let mut names = Vec::new();
    for step in &program.steps {
        if let Operation::Div(_, divisor) = step.operation {
            let constant = match divisor.place {
                ValueSource::Step(i) => program.steps[i].constant,
                ValueSource::Parameter(_) => true,
                ValueSource::Number(_) | ValueSource::Input(_) => false,
            };
            if constant {
                below(program, divisor.place, &mut names);
            }
        }
    }
    names
}
