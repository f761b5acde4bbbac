//! A control law with its gains, and the pushes that a run is troubled with.

use super::{Controller, Gains, Impedance, Law};
use crate::Vec3;
use crate::suggest::closest;

/// A force of the environment on the platform or tool for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// When it begins, s.
    pub start: f64,
    /// How long, s.
    pub duration: f64,
    /// Base frame, N.
    pub force: Vec3<f64>,
}

/// A control law with its gains.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Its name in tables: that of the law, and its look-ahead where it was given.
    pub label: String,
    /// The law, built in or one's own.
    pub law: Box<dyn Controller>,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
}

/// Why a text is no control law.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TuningError {
    #[error("there is no control law `{name}`")]
    Unknown { name: String },
    #[error("the control law `{law}` does not look ahead, so it takes no time after @")]
    NoLook { law: &'static str },
    #[error("`{time}` after @ is no time")]
    Time { time: String },
}

impl TuningError {
    /// What may have been meant.
    pub fn hint(&self) -> Option<String> {
        let names = Law::ALL.map(Law::as_str);
        match self {
            Self::Unknown { name } => Some(match closest(name, names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("control laws are {}", names.join(", ")),
            }),
            Self::NoLook { .. } => Some(String::from("feedforward and feedforward+mass do")),
            Self::Time { .. } => Some(String::from("as in feedforward@2ms")),
        }
    }
}
