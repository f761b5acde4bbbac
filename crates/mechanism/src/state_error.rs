//! Why a robot cannot be in a state: what robots and simulations both report.

use crate::chain::ChainError;
use crate::delta::KinematicsError;
use crate::parallel::ParallelError;
use crate::serial::{InverseError, SerialError};

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// Out of reach, by so many metres too far out.
    TooFar(f64),
    /// Out of reach, by so many metres too close.
    TooClose(f64),
    /// At or too near to a singular pose; the margin.
    Singular(f64),
    /// No pose, or no single one, has these joints.
    NoPose,
    /// A number is NaN or infinite.
    NotFinite,
    /// The robot has no inertia there, so that its acceleration is undetermined.
    NoInertia,
    /// Something that this robot does not offer.
    NotOffered,
    /// A list of joints has another length than the robot has joints.
    Length {
        /// Which: `q`, `qd`, `qdd`, `torque`, `near`.
        of: &'static str,
        /// So many joints the robot has.
        expected: u32,
        /// So many numbers are given.
        found: u32,
    },
    /// A state of a robot with other geometry.
    OtherRobot,
}

/// A state that a robot cannot be in. `{:#}` shows its hint too.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateError {
    /// What kind of refusal it is.
    pub reason: Reason,
    /// The arm or joint that refuses, from 1, where one does.
    pub joint: Option<usize>,
    /// In words.
    pub text: String,
    /// What may help.
    pub hint: Option<&'static str>,
}

impl std::fmt::Display for StateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.hint.filter(|_| f.alternate()) {
            Some(hint) => write!(f, "{} ({hint})", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for StateError {}

impl StateError {
    /// A refusal in words.
    pub fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self { reason, joint: None, text: text.into(), hint: None }
    }

    /// What a kind of robot does not offer.
    pub fn not_offered(what: &str, title: &str) -> Self {
        Self::new(Reason::NotOffered, format!("a {title} does not offer {what}"))
    }

    /// Refuses a list of joints with another length than the robot has joints.
    pub fn ensure_length(of: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        let text = format!("{of} has {found} numbers, but the robot has {expected} joints");
        let [expected, found] = [expected, found].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Err(Self::new(Reason::Length { of, expected, found }, text))
    }

    /// The same about an arm or joint, from 1.
    #[must_use]
    pub fn at(self, joint: usize) -> Self {
        Self { joint: Some(joint), ..self }
    }

    /// The same with what may help.
    #[must_use]
    pub fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

impl From<KinematicsError> for StateError {
    fn from(error: KinematicsError) -> Self {
        let text = error.to_string();
        match error {
            KinematicsError::OutOfReach { arm, distance, too_close } => {
                let reason = if too_close { Reason::TooClose(distance) } else { Reason::TooFar(distance) };
                Self::new(reason, text)
                    .at(arm)
                    .hint("positions are in metres in the base frame, z up: the platform is at negative z")
            }
            KinematicsError::OnMotorAxis { arm } => Self::new(Reason::TooClose(0.0), text).at(arm),
            KinematicsError::ArmSingular { arm, margin } => Self::new(Reason::Singular(margin), text).at(arm),
            KinematicsError::ArmNearlySingular { arm, margin } => Self::new(Reason::Singular(margin), text)
                .at(arm)
                .hint("given in joints (q1 …, qd1 …, qdd1 …) the same state keeps its digits"),
            KinematicsError::PlatformSingular { margin } => Self::new(Reason::Singular(margin), text),
            KinematicsError::NoAssembly { .. } => Self::new(Reason::NoPose, text)
                .hint("joint angles are in radians, 0 is horizontal outward, positive is downward"),
            KinematicsError::ElbowsInLine | KinematicsError::NoConvergence { .. } => Self::new(Reason::NoPose, text),
            KinematicsError::NotFinite { .. } => Self::new(Reason::NotFinite, text),
        }
    }
}

impl From<SerialError> for StateError {
    fn from(error: SerialError) -> Self {
        let text = error.to_string();
        match error {
            SerialError::NotFinite { component, .. } => Self::new(Reason::NotFinite, text).at(component),
            SerialError::NoInertia { joint, .. } => Self::new(Reason::NoInertia, text).at(joint),
        }
    }
}

impl From<InverseError> for StateError {
    fn from(error: InverseError) -> Self {
        let text = error.to_string();
        match error {
            InverseError::OutOfReach { distance } if distance > 0.0 => Self::new(Reason::TooFar(distance), text),
            InverseError::OutOfReach { distance } | InverseError::TooNearToAxis { distance } => {
                Self::new(Reason::TooClose(distance.abs()), text)
            }
            _ => Self::new(Reason::NoPose, text),
        }
    }
}

impl From<ChainError> for StateError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::State(error) => error.into(),
            error => Self::new(Reason::NoPose, error.to_string()),
        }
    }
}

impl From<ParallelError> for StateError {
    fn from(error: ParallelError) -> Self {
        let text = error.to_string();
        match error {
            ParallelError::OutOfReach { leg, distance, too_close } => {
                let reason = if too_close { Reason::TooClose(distance) } else { Reason::TooFar(distance) };
                Self::new(reason, text).at(leg).hint("positions are in metres in the base frame")
            }
            ParallelError::OnMotorAxis { leg } => Self::new(Reason::TooClose(0.0), text).at(leg),
            ParallelError::LegSingular { leg, margin } => Self::new(Reason::Singular(margin), text).at(leg),
            ParallelError::PlatformSingular { margin } => Self::new(Reason::Singular(margin), text),
            ParallelError::OtherSide { margin, .. } => Self::new(Reason::Singular(margin), text)
                .hint("stay on home's side of the singular poses, or give the robot's file another `home`"),
            ParallelError::OtherAssembly { .. } => Self::new(Reason::NoPose, text)
                .hint("joints mean the platform that is reached from `home`: another `home` in the robot's file chooses another"),
            ParallelError::NoAssembly { .. } => Self::new(Reason::NoPose, text)
                .hint("stay farther from singular poses; for joints give the platform instead (x, y, z, …), or another `home` in the robot's file"),
            ParallelError::DoesNotTurn => Self::new(Reason::NotOffered, text),
            ParallelError::NotARotation { .. } => Self::new(Reason::NoPose, text),
            ParallelError::NotFinite { .. } => Self::new(Reason::NotFinite, text),
        }
    }
}
