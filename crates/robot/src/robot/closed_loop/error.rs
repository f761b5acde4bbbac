//! Why a loop could not begin, or why it ended.

use crate::mechanism::MechanismError;
use crate::robot::{DoesNotApply, Reason, StateError};
use crate::serial::TOOL_SINGULAR;
use crate::simulate::SimulationError;

/// Why a loop could not begin, or why it ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum ControlError {
    #[error("at {time:.4} s the robot cannot go on: {cause}")]
    CannotGoOn { time: f64, cause: StateError },
    #[error("the motion leaves the workspace at {time:.4} s: {cause}")]
    OutOfReach { time: f64, cause: StateError },
    #[error("the motion goes through a singular pose at {time:.4} s: {cause}")]
    SingularReference { time: f64, cause: StateError },
    #[error(
        "the motion goes through a singular pose at {time:.4} s: within {period} s the reference of joint {joint} jumps by {jump:.3} {unit}"
    )]
    ReferenceJumps { time: f64, period: f64, joint: usize, jump: f64, unit: &'static str },
    #[error(
        "at {time:.4} s the tracking error of joint {joint} is {error:.3} {unit}, which exceeds the limit of the drive, {limit} {unit}"
    )]
    FollowingError { time: f64, joint: usize, error: f64, limit: f64, unit: &'static str },
    #[error(
        "at {time:.4} s the control law has no answer for joint {joint}: the measured joints belong to no pose that it knows"
    )]
    NoAnswer { time: f64, joint: usize },
    #[error(
        "at {time:.4} s the tool cannot go in every direction, so a control law in its coordinates has no answer: margin {margin:.1e}, least {TOOL_SINGULAR:.0e}"
    )]
    Singular { time: f64, margin: f64 },
    #[error(
        "within {period} s after {time:.4} s coordinate {coordinate} leaves what the robot can reach, or what numbers can tell"
    )]
    Diverged { time: f64, period: f64, coordinate: usize },
    #[error("{what} is {value}, but must be {must}")]
    Setting { what: &'static str, value: f64, must: &'static str },
    #[error(
        "friction or gear are so stiff that a sample would need {needed:.0} steps, and at most {MOST_SUBSTEPS} are taken"
    )]
    TooStiff { needed: f64 },
    #[error("backlash needs a rotor that turns in it, but motor {motor} has no rotor inertia")]
    NoRotor { motor: usize },
    #[error("the control law `{law}` does not apply: {why}")]
    LawDoesNotApply { law: String, why: &'static str },
    #[error(transparent)]
    Model(#[from] DoesNotApply),
    #[error("the robot has {robot} joints, but its controller knows one with {known}")]
    Joints { robot: usize, known: usize },
    #[error("the robot is a {robot}, but its controller knows a {known}")]
    OtherKind { robot: &'static str, known: &'static str },
    #[error("a {kind} does not offer {what}")]
    NotOffered { kind: &'static str, what: &'static str },
    #[error("carrier {carrier} cannot reach its grip at {time:.4} s of the motion: {cause}")]
    GripOutOfReach { carrier: usize, time: f64, cause: StateError },
    #[error("both carriers stand at the same place, and their platforms hold the object at the same place")]
    SamePlace,
    #[error("the room for the loop's mechanism holds that of another loop: each needs its own")]
    RoomTaken,
    #[error("two robots and their object do not fit together: {0}")]
    Mechanism(Box<MechanismError>),
    #[error("two robots and their object cannot go on: {0}")]
    Simulation(Box<SimulationError>),
    #[error("interrupted at {time:.4} s")]
    Interrupted { time: f64 },
}

impl ControlError {
    /// A reference that the robot cannot follow at a time.
    pub(crate) fn of_reference(time: f64, cause: StateError) -> Self {
        match cause.reason {
            Reason::Singular(_) => Self::SingularReference { time, cause },
            _ => Self::OutOfReach { time, cause },
        }
    }
}

impl From<MechanismError> for ControlError {
    fn from(error: MechanismError) -> Self {
        Self::Mechanism(Box::new(error))
    }
}

impl From<SimulationError> for ControlError {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(Box::new(error))
    }
}

/// More substeps than this are refused: the run would take for ever, and a stiffness that needs them is a slip.
pub(super) const MOST_SUBSTEPS: usize = 1000;

/// What a size must be.
pub(super) const NOT_NEGATIVE: &str = "zero or positive, and finite";

/// Refuses a setting that is not as it must be.
pub(super) fn check(what: &'static str, value: f64, ok: bool, must: &'static str) -> Result<(), ControlError> {
    if ok { Ok(()) } else { Err(ControlError::Setting { what, value, must }) }
}
