//! From a robot to programs: the formulas of `dalembert-core` run with expressions, and the result is checked against the
//! same formulas run with numbers before it is handed out.
//!
//! | of | serial arm | Delta robot | parallel robot |
//! | --- | --- | --- | --- |
//! | `torque` | q, q̇, q̈ → τ | q, q̇, q̈ → τ | – |
//! | `torque-cartesian` | – | X, Ẋ, Ẍ → τ | X, R, (v, ω), (v̇, ω̇) → τ |
//! | `mass` | q → M | q → A | – |
//! | `gravity` | q → g | q → g | – |
//! | `coriolis` | q, q̇ → C q̇ | q, q̇ → C q̇ | – |
//! | `acceleration` | q, q̇, τ → q̈ | q, q̇, τ → q̈ | – |
//! | `fk` | q → tool frame | q → X | – |
//! | `ik` | – | X → q | X, R → q |
//!
//! Friction at the joints is part of `torque` and `acceleration`, as it is everywhere in the library.

mod abbreviated;
mod delta;
mod join;
mod parallel;
mod serial;
mod symbols;
mod verify;

pub use abbreviated::{Abbreviation, abbreviated};
pub use delta::{Refusal, delta};
pub use parallel::parallel;
pub use serial::serial;
pub use verify::{LIMIT, STATES};

use crate::explicit::TorqueError;
use crate::expr::Expr;
use crate::extract::Signature;
use crate::graph::Graph;
use crate::print::identifier;
use crate::program::{Check, Place, Program, Value};
use crate::search::Effort;
use dalembert_core::delta::{Assembly, Branch};
use dalembert_core::serial::SerialError;
use std::fmt;

/// What is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Of {
    /// Inverse dynamics in joint coordinates.
    Torque,
    /// Inverse dynamics from the motion of the platform.
    TorqueCartesian,
    /// Mass matrix in joint coordinates.
    Mass,
    /// Holding torques.
    Gravity,
    /// Torque that the velocity asks for.
    Coriolis,
    /// Forward dynamics.
    Acceleration,
    /// Forward kinematics.
    Fk,
    /// Inverse kinematics.
    Ik,
}

impl Of {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Torque,
        Self::TorqueCartesian,
        Self::Mass,
        Self::Gravity,
        Self::Coriolis,
        Self::Acceleration,
        Self::Fk,
        Self::Ik,
    ];

    /// As the command knows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Torque => "torque",
            Self::TorqueCartesian => "torque-cartesian",
            Self::Mass => "mass",
            Self::Gravity => "gravity",
            Self::Coriolis => "coriolis",
            Self::Acceleration => "acceleration",
            Self::Fk => "fk",
            Self::Ik => "ik",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.as_str() == name)
    }
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is wanted of which robot.
#[derive(Clone, Debug)]
pub struct Request {
    /// The robot's name, as its file says.
    pub robot: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// What to derive.
    pub of: Of,
    /// Every parameter that is not zero stays a symbol.
    pub symbolic: bool,
    /// What may be left out, for fewer operations.
    pub abbreviation: Option<Abbreviation>,
    /// The elbows of a Delta robot whose platform is given.
    pub branch: Branch,
    /// The platform of a Delta robot whose joints are given.
    pub assembly: Assembly,
    /// How long to search for the fewest operations.
    pub effort: Effort,
}

impl Request {
    /// The usual: parameters as numbers, elbows out, platform below, a thorough search.
    pub fn new(robot: &str, of: Of) -> Self {
        Self {
            robot: robot.into(),
            source: None,
            of,
            symbolic: false,
            abbreviation: None,
            branch: Branch::default(),
            assembly: Assembly::default(),
            effort: Effort::default(),
        }
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
    /// How far the torque of an abbreviated model is from the exact one, within the limits of the joints.
    pub left_out: Option<TorqueError>,
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeriveError {
    /// The robot has no such thing.
    #[error("`{of}` cannot be derived for this robot: {reason}")]
    DoesNotApply {
        /// What was wanted.
        of: Of,
        /// Why not.
        reason: String,
    },
    /// The formula has no value where it should have one.
    #[error("`{of}` cannot be derived: {cause}")]
    Undetermined {
        /// What was wanted.
        of: Of,
        /// What the formula says.
        cause: SerialError,
    },
    /// No pose was found to try the program at.
    #[error(
        "`{of}` cannot be derived: of {tried} random poses near the middle of its workspace the robot reaches none"
    )]
    NoPose {
        /// What was wanted.
        of: Of,
        /// How many were tried.
        tried: usize,
    },
    /// The program is not what its formula is.
    #[error(
        "`{of}`: the derived program differs from the formula by {error:.1e} of the largest component (allowed {LIMIT:.0e})"
    )]
    Mismatch {
        /// What was wanted.
        of: Of,
        /// The largest difference.
        error: f64,
    },
}

impl DeriveError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::DoesNotApply { .. } => "docs/derive.md says what can be derived of which robot",
            Self::Undetermined { .. } => "give the last links mass, inertia or a motor",
            Self::NoPose { .. } => "`check` shows the robot's reach",
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
    signature: Signature,
    results: &[Expr<'_>],
    checks: &[(Expr<'_>, u32, &str)],
    effort: Effort,
) -> [Program; 2] {
    let plain = graph.program(signature.clone(), results, checks);
    [graph.cheapest(signature, results, checks, effort.rounds), plain]
}

/// The first program that passes.
fn first_checked(
    programs: impl IntoIterator<Item = Program>,
    of: Of,
    mut check: impl FnMut(Program) -> Result<Derived, DeriveError>,
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

/// How friction joins a rigid program.
enum Friction {
    /// Torques q, q̇, q̈ → τ, of joints whose velocities are the second input.
    AddedToTorque,
    /// Torques of a platform's motion, followed by the joint velocities.
    AddedWithVelocities,
    /// Accelerations q, q̇, τ → q̈.
    TakenFromTorque,
}

/// The program with friction joined to it.
fn with_friction(rigid: Program, friction: &Program, how: Friction) -> Program {
    let joints = friction.results.len();
    let inputs: Vec<Value> = (0..rigid.inputs.iter().map(|quantity| quantity.length).sum())
        .map(|i| Value { negated: false, place: Place::Input(i) })
        .collect();
    let mut whole = Program { steps: Vec::new(), checks: Vec::new(), results: Vec::new(), ..rigid.clone() };
    match how {
        Friction::TakenFromTorque => {
            let (before, torque) = inputs.split_at(2 * joints);
            let loss = join::append(&mut whole, friction, &inputs[joints..2 * joints]);
            let free = join::add(&mut whole, torque, &loss, true);
            whole.results = join::append(&mut whole, &rigid, &[before, &free].concat());
        }
        Friction::AddedToTorque | Friction::AddedWithVelocities => {
            let mut results = join::append(&mut whole, &rigid, &inputs);
            let velocities = match how {
                Friction::AddedWithVelocities => results.split_off(joints),
                _ => inputs[joints..2 * joints].to_vec(),
            };
            let loss = join::append(&mut whole, friction, &velocities);
            whole.results = join::add(&mut whole, &results, &loss, false);
        }
    }
    whole
}

/// The cheapest program, with its checks in front and a word on where it comes from.
fn finish(program: Program, request: &Request, conventions: Vec<String>) -> Program {
    // A check that is a constant holds at all poses.
    let always = |check: &Check| matches!(check.margin.place, Place::Number(x) if x > 0.0);
    let mut program = Program {
        robot: request.robot.clone(),
        source: request.source.clone(),
        conventions,
        ..program.with_tidy_numbers().without_unused_parameters().with_checks_first()
    };
    program.checks.retain(|check| !always(check));
    program
}

/// The name of a program: robot and quantity, as an identifier of every language.
fn program_name(request: &Request) -> String {
    identifier(&format!("{}_{}", request.robot, request.of))
}

/// Derives with sample points from one seed after the other: two values may be equal at the sample points by chance.
fn with_seeds(mut derive: impl FnMut(u64) -> Result<Derived, DeriveError>) -> Result<Derived, DeriveError> {
    let mut result = derive(1);
    for seed in 2..=3 {
        if let Err(DeriveError::Mismatch { .. }) = result {
            result = derive(seed);
        }
    }
    result
}
