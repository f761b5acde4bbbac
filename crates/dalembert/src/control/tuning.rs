//! A law with its gains, and the pushes that a run is troubled with.

use super::{Gains, Impedance, Law};
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

/// A law with its gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// How it is called in tables; its law's name, and its look-ahead where it was given.
    pub label: String,
    /// The law.
    pub law: Law,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
}

/// Why a text is no law.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TuningError {
    #[error("there is no law `{name}`")]
    Unknown { name: String },
    #[error("the law `{law}` does not look ahead, so it takes no time after @")]
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
                None => format!("laws are {}", names.join(", ")),
            }),
            Self::NoLook { .. } => Some(String::from("feedforward and feedforward+mass do")),
            Self::Time { .. } => Some(String::from("as in feedforward@2ms")),
        }
    }
}
