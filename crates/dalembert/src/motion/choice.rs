//! Laws of time by name, fitted to a path and a robot.

use super::fit::Course;
use super::machine::{Impossible, Load, Machine};
use super::{Law, LawError, MotionLimits, OnPath, Path, PlanError, Planning, State, shortest, slowed, time_optimal};
use crate::delta::Limits;
use dalembert_core::friction::Friction;

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
    /// [`gentlest`]: needs a duration.
    Gentlest,
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
    /// [`LawChoice::Gentlest`] without a duration.
    #[error("the gentlest law is that for a given duration, and none is given")]
    NoDuration,
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
                // As fast as these limits allow, and those of the robot.
                return match pace {
                    Pace::Shortest => Ok(plain(slowed(path, machine, &law)?)),
                    Pace::Slower(factor) => Ok(plain(slowed(path, machine, &law)?.stretched(factor))),
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
                let (law, active) = if factor == 1.0 {
                    (best.law, best.active)
                } else {
                    let law = best.law.stretched(factor);
                    let active = Course::new(path, machine).checked(&law)?.active;
                    (law, active)
                };
                return Ok(Chosen { law, optimal: Some((best.unsmoothed, active)) });
            }
            Self::Gentlest => {
                let Pace::Duration(duration) = pace else { return Err(ChoiceError::NoDuration) };
                return gentlest(path, machine, duration).map(plain);
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

/// The law that does a path in a given time with the smallest torques: the time-optimal one whose torque limits are as
/// small as the time allows, found by bisection. The torque limits of the machine count only relative to each other; speed
/// limits hold.
pub fn gentlest<P: Path, M: Machine<Point = P::Point>>(
    path: &P,
    machine: &M,
    duration: f64,
) -> Result<Law, ChoiceError> {
    if !(duration > 0.0 && duration.is_finite()) {
        return Err(LawError::NotPositive { what: "duration", value: duration }.into());
    }
    let planning = Planning::default();
    let law = |factor: f64| match time_optimal(path, &Weaker::new(machine, factor), &planning) {
        Ok(best) => Ok(Some(best.law)),
        Err(PlanError::CannotHold { .. } | PlanError::Stuck { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut fast = loop {
        match law(high)? {
            Some(law) if law.duration() <= duration => break law,
            // Torque no longer helps: it is the speed that is limited.
            Some(law) if high > 1e6 => {
                return Err(ChoiceError::TooShort { wanted: duration, shortest: law.duration() });
            }
            None if high > 1e6 => return Err(PlanError::Stuck { at: OnPath::of(path, 0.0) }.into()),
            _ => (low, high) = (high, 2.0 * high),
        }
    };
    while fast.duration() < duration * (1.0 - 1e-3) && high - low > 1e-4 * high {
        let middle = 0.5 * (low + high);
        match law(middle)? {
            Some(law) if law.duration() <= duration => (high, fast) = (middle, law),
            _ => low = middle,
        }
    }
    Ok(fast.stretched(duration / fast.duration()))
}

/// A machine with all torque limits times a factor.
struct Weaker<'a, M> {
    machine: &'a M,
    limits: Vec<Limits>,
}

impl<'a, M: Machine> Weaker<'a, M> {
    fn new(machine: &'a M, factor: f64) -> Self {
        let limited = machine.limits().iter().all(|limits| limits.max_torque.is_finite());
        // Where there are no limits to compare, all motors are alike.
        let torque = |limits: &Limits| factor * if limited { limits.max_torque } else { 1.0 };
        let limits = machine.limits().iter().map(|l| Limits { max_torque: torque(l), ..*l }).collect();
        Self { machine, limits }
    }
}

impl<M: Machine> Machine for Weaker<'_, M> {
    type Point = M::Point;
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<M::Point>) -> Result<Load, Impossible> {
        self.machine.load(state)
    }
    fn friction(&self, joint: usize) -> Option<Friction<f64>> {
        self.machine.friction(joint)
    }
}
