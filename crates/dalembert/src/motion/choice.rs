//! Motion profiles by name, fitted to a path and a robot.

use super::fit::Course;
use super::profile::positive;
use super::time_optimal::{self, Tick, time_optimal};
use super::{MotionLimits, Mover, OnPath, Path, PlanError, Profile};
use crate::limits::JointLimits;

/// A motion profile that still lacks its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProfileChoice {
    /// Constant acceleration, then constant deceleration: [`Profile::parabolic`].
    Parabolic,
    /// [`Profile::trapezoidal`]; without limits, a third of the time each to speed up, to cruise and to slow down. A limit of
    /// the jerk is left aside.
    Trapezoidal(Option<MotionLimits>),
    /// [`Profile::polynomial345`].
    Polynomial345,
    /// [`Profile::polynomial4567`].
    Polynomial4567,
    /// [`Profile::sine_on_ramp`].
    SineOnRamp {
        /// Peak of the acceleration over that of the deceleration.
        ratio: f64,
    },
    /// [`Profile::double_s`]; without limits, speed : acceleration : jerk are 1.5 : 6 : 60 of the distance and second.
    DoubleS(Option<MotionLimits>),
    /// [`time_optimal`], with its smoothing, s.
    TimeOptimal(Option<f64>),
    /// [`minimum_torque`]: needs a duration.
    MinimumTorque,
}

/// How long a motion takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionPace {
    /// As short as the profile can be within the limits of the robot.
    Shortest,
    /// So many times as long as the robot needs.
    Slower(f64),
    /// s.
    Duration(f64),
}

/// A profile for a path, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The profile.
    pub profile: Profile,
    /// Of a time-optimal profile: what it would take without smoothing, s, and how much of the time a limit is active.
    pub optimal: Option<(f64, f64)>,
}

impl ProfileChoice {
    /// All of them, with the numbers that they have unless somebody says otherwise.
    pub const ALL: [Self; 8] = [
        Self::Parabolic,
        Self::Trapezoidal(None),
        Self::Polynomial345,
        Self::Polynomial4567,
        Self::SineOnRamp { ratio: 1.0 },
        Self::DoubleS(None),
        Self::TimeOptimal(None),
        Self::MinimumTorque,
    ];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parabolic => "parabolic",
            Self::Trapezoidal(_) => "trapezoidal",
            Self::Polynomial345 => "3-4-5",
            Self::Polynomial4567 => "4-5-6-7",
            Self::SineOnRamp { .. } => "sine-on-ramp",
            Self::DoubleS(_) => "double-s",
            Self::TimeOptimal(_) => "time-optimal",
            Self::MinimumTorque => "minimum-torque",
        }
    }

    /// The profile for a path. The limits that it has itself hold beside those of the mover.
    pub fn along<P: Path>(&self, path: &P, mover: &Mover, pace: MotionPace) -> Result<Chosen, PlanError> {
        self.watched(path, mover, pace, &mut |_| {})
    }

    /// The same; `tick` is told the share that is done.
    pub(super) fn watched<P: Path>(
        &self,
        path: &P,
        mover: &Mover,
        pace: MotionPace,
        tick: Tick<'_>,
    ) -> Result<Chosen, PlanError> {
        let length = path.length();
        let plain = |profile: Profile| Chosen { profile, optimal: None };
        let (shape, own) = match *self {
            Self::TimeOptimal(smoothing) => return optimal(path, mover, smoothing, pace, tick),
            Self::MinimumTorque => {
                let MotionPace::Duration(duration) = pace else { return Err(PlanError::NoDuration) };
                return weakest(path, mover, duration, tick).map(plain);
            }
            Self::Parabolic => (Profile::parabolic(length, 1.0)?, None),
            Self::Polynomial345 => (Profile::polynomial345(length, 1.0)?, None),
            Self::Polynomial4567 => (Profile::polynomial4567(length, 1.0)?, None),
            Self::SineOnRamp { ratio } => (Profile::sine_on_ramp(length, 1.0, ratio)?, None),
            Self::Trapezoidal(own) => {
                let own = own.unwrap_or(MotionLimits { speed: 1.5 * length, acceleration: 4.5 * length, jerk: 0.0 });
                let own = MotionLimits { jerk: f64::INFINITY, ..own };
                (Profile::double_s(length, own)?, matches!(self, Self::Trapezoidal(Some(_))).then_some(own))
            }
            Self::DoubleS(own) => (Profile::double_s(length, own.unwrap_or(MotionLimits::usual(length)))?, own),
        };
        let mover = match own {
            Some(own) => &mover.clone().within(own.and(mover.moved), mover.each),
            None => mover,
        };
        // With limits of its own it is as fast as these allow, and those of the robot; else as fast as the robot can.
        let fastest = || Course::new(path, mover).fitted(&shape, own.is_none());
        Ok(plain(match pace {
            MotionPace::Shortest => fastest()?,
            MotionPace::Slower(factor) => fastest()?.stretched(factor),
            MotionPace::Duration(wanted) => lasting(path, mover, &shape, wanted)?,
        }))
    }
}

fn optimal<P: Path>(
    path: &P,
    mover: &Mover,
    smoothing: Option<f64>,
    pace: MotionPace,
    tick: Tick<'_>,
) -> Result<Chosen, PlanError> {
    let best = time_optimal::watched(path, mover, smoothing, tick)?;
    let factor = match pace {
        MotionPace::Shortest => 1.0,
        MotionPace::Slower(factor) => factor,
        MotionPace::Duration(wanted) => enough(wanted, best.profile.duration())? / best.profile.duration(),
    };
    let (mut profile, mut active) = (best.profile, best.active);
    if factor != 1.0 {
        profile = profile.stretched(factor);
        active = Course::new(path, mover).checked(&profile)?.active;
    }
    Ok(Chosen { profile, optimal: Some((best.unsmoothed, active)) })
}

/// The time that is wanted, unless it is less than the shortest.
fn enough(wanted: f64, shortest: f64) -> Result<f64, PlanError> {
    // What rounding takes away is not asked for.
    if wanted < shortest * (1.0 - 1e-9) { Err(PlanError::TooShort { wanted, shortest }) } else { Ok(wanted) }
}

/// A profile of a given duration, within the limits of a [`Mover::within`], whatever the robot can.
fn lasting<P: Path>(path: &P, mover: &Mover, shape: &Profile, wanted: f64) -> Result<Profile, PlanError> {
    let wanted = positive("duration", wanted)?;
    enough(wanted, shape.duration() * Course::new(path, mover).demand(shape)?)?;
    Ok(shape.stretched(wanted / shape.duration()))
}

/// The profile that does a path in a given time with the smallest torques: the time-optimal one whose torque limits are as
/// small as the time allows, found by bisection. The torque limits of the robot count only relative to each other; speed
/// limits hold.
pub fn minimum_torque<P: Path>(path: &P, mover: &Mover, duration: f64) -> Result<Profile, PlanError> {
    weakest(path, mover, duration, &mut |_| {})
}

fn weakest<P: Path>(path: &P, mover: &Mover, duration: f64, tick: Tick<'_>) -> Result<Profile, PlanError> {
    let duration = positive("duration", duration)?;
    /// Of the common profile.
    const SAMPLES: u32 = 200;
    // Where there are no limits to compare, all motors are alike.
    let limited = mover.joints.iter().all(|joint| joint.limits.max_torque.is_finite());
    let torque = |limits: &JointLimits| if limited { limits.max_torque } else { 1.0 };
    let weaker = |factor: f64| mover.clone().limited(|_, own| JointLimits { max_torque: factor * torque(&own), ..own });
    let profile = |factor: f64| match time_optimal(path, &weaker(factor), None) {
        Ok(best) => Ok(Some(best.profile)),
        Err(PlanError::CannotHold { .. } | PlanError::Stuck { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    // Whatever the size of the robot: a common profile of this duration shows how much torque is enough, unless speed is limited.
    let common = Profile::polynomial345(path.length(), duration)?;
    let course = Course::new(path, mover);
    let mut enough = 0.0_f64;
    for k in 0..=SAMPLES {
        let along = common.at(duration * f64::from(k) / f64::from(SAMPLES));
        let load = course.load(along.s, along.rate, along.acceleration)?;
        let shares = load.torque.iter().zip(&mover.joints).map(|(value, joint)| value.abs() / torque(&joint.limits));
        enough = shares.fold(enough, f64::max);
    }
    // Nothing to do for a robot without weight that stands still: any torque is enough.
    let (mut low, mut high) = (0.0, if enough > 0.0 { enough } else { 1.0 });
    let most = 1e6 * high;
    let mut fast = loop {
        match profile(high)? {
            Some(profile) if profile.duration() <= duration => break profile,
            // Torque no longer helps: it is the speed that is limited.
            Some(profile) if high > most => {
                return Err(PlanError::TooShort { wanted: duration, shortest: profile.duration() });
            }
            None if high > most => return Err(PlanError::Stuck { at: OnPath::of(path, 0.0, &mover.joints) }),
            _ => (low, high) = (high, 2.0 * high),
        }
    };
    while fast.duration() < duration * (1.0 - 1e-3) && high - low > 1e-4 * high {
        let middle = 0.5 * (low + high);
        // From a half to 1e-4.
        tick((1.0 - ((high - low) / (1e-4 * high)).log10() / 4.0).clamp(0.0, 1.0));
        match profile(middle)? {
            Some(profile) if profile.duration() <= duration => (high, fast) = (middle, profile),
            _ => low = middle,
        }
    }
    Ok(fast.stretched(duration / fast.duration()))
}
