//! Laws of time by name, fitted to a path and a robot.

use super::machine::Machine;
use super::{Law, LawError, MotionLimits, Path, PlanError, Planning, shortest, time_optimal};

/// A law that still lacks its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawChoice {
    /// [`Law::parabolic`].
    Parabolic,
    /// [`Law::trapezoidal`]; without limits, a third of the time each to speed up, to cruise and to slow down.
    Trapezoidal(Option<MotionLimits>),
    /// [`Law::polynomial345`].
    Polynomial345,
    /// [`Law::polynomial4567`].
    Polynomial4567,
    /// [`Law::sine_on_ramp`].
    SineOnRamp {
        /// Peak of the acceleration over that of the deceleration.
        ratio: f64,
    },
    /// [`Law::double_s`]; without limits, speed : acceleration : jerk are 1.5 : 6 : 60 of the distance and second.
    DoubleS(Option<MotionLimits>),
    /// [`time_optimal`].
    TimeOptimal(Planning),
}

/// How long a motion takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As short as the robot can.
    Shortest,
    /// So many times as long as the robot needs.
    Slower(f64),
    /// s.
    Duration(f64),
}

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// A number of the law.
    #[error(transparent)]
    Law(#[from] LawError),
    /// The path, or the limits of the robot.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A time-optimal motion cannot be hurried.
    #[error("{wanted:.4} s is less than the shortest time along this path, {shortest:.4} s")]
    TooShort {
        /// s.
        wanted: f64,
        /// s.
        shortest: f64,
    },
    /// The duration follows from the limits.
    #[error("speed, acceleration and jerk say how long it takes: there is no room for a duration")]
    Overdetermined,
}

/// A law for a path, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The law.
    pub law: Law,
    /// Of a time-optimal law: what it would take without smoothing, s, and how much of the time a limit is active.
    pub optimal: Option<(f64, f64)>,
}

impl LawChoice {
    /// The law for a path.
    pub fn along<P: Path, M: Machine<Point = P::Point>>(
        &self,
        path: &P,
        machine: &M,
        pace: Pace,
    ) -> Result<Chosen, ChoiceError> {
        let length = path.length();
        let plain = |law: Law| Chosen { law, optimal: None };
        let shape = match *self {
            Self::Trapezoidal(Some(limits)) | Self::DoubleS(Some(limits)) => {
                let limits = match self {
                    Self::Trapezoidal(_) => MotionLimits { jerk: f64::INFINITY, ..limits },
                    _ => limits,
                };
                let law = Law::double_s(length, limits)?;
                return match pace {
                    Pace::Shortest => Ok(plain(law)),
                    Pace::Slower(factor) => Ok(plain(law.stretched(factor))),
                    Pace::Duration(_) => Err(ChoiceError::Overdetermined),
                };
            }
            Self::TimeOptimal(planning) => {
                let best = time_optimal(path, machine, &planning)?;
                let fastest = best.law.duration();
                let factor = match pace {
                    Pace::Shortest => 1.0,
                    Pace::Slower(factor) => factor,
                    // What rounding takes away is not asked for.
                    Pace::Duration(wanted) if wanted < fastest * (1.0 - 1e-9) => {
                        return Err(ChoiceError::TooShort { wanted, shortest: fastest });
                    }
                    Pace::Duration(wanted) => wanted / fastest,
                };
                let law = if factor == 1.0 { best.law } else { best.law.stretched(factor) };
                return Ok(Chosen { law, optimal: Some((best.unsmoothed, best.active)) });
            }
            Self::Parabolic => Law::parabolic(length, 1.0)?,
            Self::Trapezoidal(None) => Law::trapezoidal(length, 1.5 * length, 4.5 * length)?,
            Self::Polynomial345 => Law::polynomial345(length, 1.0)?,
            Self::Polynomial4567 => Law::polynomial4567(length, 1.0)?,
            Self::SineOnRamp { ratio } => Law::sine_on_ramp(length, 1.0, ratio)?,
            Self::DoubleS(None) => {
                let limits = MotionLimits { speed: 1.5 * length, acceleration: 6.0 * length, jerk: 60.0 * length };
                Law::double_s(length, limits)?
            }
        };
        Ok(plain(match pace {
            Pace::Shortest => shortest(path, machine, &shape)?,
            Pace::Slower(factor) => shortest(path, machine, &shape)?.stretched(factor),
            Pace::Duration(wanted) if wanted > 0.0 && wanted.is_finite() => shape.stretched(wanted / shape.duration()),
            Pace::Duration(value) => return Err(LawError::NotPositive { what: "duration", value }.into()),
        }))
    }
}
