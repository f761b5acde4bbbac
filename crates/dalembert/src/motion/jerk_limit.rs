//! The fastest profile with a limited jerk.
//!
//! Candidates are the profiles that are known by name and the time-optimal one whose acceleration jumps, averaged over windows
//! of time. Each is stretched until all limits hold. From the fastest of them [`third_order`](super::third_order) goes on, so the
//! answer is never slower than any of them.

use super::fit::{Course, windows};
use super::leg_limits::PathLegs;
use super::third_order::{self, LegMotion};
use super::{MotionLimits, Mover, Path, PathProgress, PlanError, Profile};

/// Whether any jerk is limited.
pub(super) fn is_given(mover: &Mover) -> bool {
    mover.moved().jerk.is_finite() || mover.each().jerk.is_finite()
}

/// Neighbouring windows: one that is so much too long costs some per cent, which the third-order method takes back.
const STEP: f64 = 1.3;

/// What is not worth another candidate or another step, of the time.
const WORTH: f64 = 1e-4;

/// More legs than these would take long; such paths keep the fastest of the candidates.
const LEGS: usize = 60;

/// The fastest profile, given the fastest whose acceleration jumps.
pub(super) fn fastest<P: Path>(course: &Course<'_, P>, unlimited: &Profile) -> Result<Profile, PlanError> {
    let length = course.path.length();
    let along = PathLegs::new(course);
    // Those with a name may be as fast as they can, averaged ones would lose their smoothness.
    let averaged = fastest_of(course, averaged(unlimited), 1.0)?;
    let named = fastest_of(course, named(length, course.mover.moved(), unlimited).collect(), 0.0)?;
    let starts = averaged.into_iter().chain(named);
    let Some(mut found) = starts.min_by(|a, b| a.duration().total_cmp(&b.duration())) else {
        return Err(PlanError::NoLimit);
    };
    if along.ends.len() >= LEGS {
        return Ok(found);
    }
    let Some(mut way) = near(&along, &found) else { return Ok(found) };
    for round in 0..3 {
        if round > 0 {
            way = way.refined(&along)?;
        }
        way = third_order::fastest(&along, way, 30, WORTH)?;
        let profile = course.fitted(&Profile::from_pieces(length, way.spline.pieces()), true)?;
        let gain = found.duration() - profile.duration();
        if gain > 0.0 {
            found = profile;
        }
        // Between the places that were looked at there is more in the first round.
        if round > 0 && gain < WORTH * found.duration() {
            break;
        }
    }
    Ok(found)
}

/// A profile averaged over windows of all sizes.
fn averaged(profile: &Profile) -> Vec<Profile> {
    let [least, most] = windows(profile.duration());
    let count = ((most / least).ln() / STEP.ln()).ceil() as i32;
    (0..count).map(|k| profile.averaged(most * STEP.powi(-k))).collect()
}

/// The fastest of some profiles, each stretched by `least` and as much as all limits demand.
fn fastest_of<P: Path>(
    course: &Course<'_, P>,
    profiles: Vec<Profile>,
    least: f64,
) -> Result<Option<Profile>, PlanError> {
    // A hair more than the limits demand, for the rounding of the pieces.
    let stretched = |profile: Profile| -> Result<Profile, PlanError> {
        Ok(profile.stretched(course.demand(&profile)?.max(least) * (1.0 + 1e-12)))
    };
    let mut candidates = profiles.into_iter().map(stretched).collect::<Result<Vec<Profile>, _>>()?;
    candidates.sort_by(|a, b| a.duration().total_cmp(&b.duration()));
    let mut best: Option<Profile> = None;
    for candidate in candidates {
        if let Some(best) = &best {
            let wanted = best.duration() * (1.0 - WORTH);
            if candidate.duration() >= wanted {
                break;
            }
            // What is not possible in that time is not in less.
            if course.checked(&candidate.stretched(wanted / candidate.duration()))?.tightest > 1.0 {
                continue;
            }
        }
        best = Some(course.fitted(&candidate, false)?);
    }
    Ok(best)
}

/// The shapes with a name whose jerk is finite, of any duration; the last has the speed and acceleration of the fastest one whose
/// acceleration jumps.
fn named(length: f64, limits: MotionLimits, unlimited: &Profile) -> impl Iterator<Item = Profile> {
    const SAMPLES: usize = 200;
    let at = |k: usize| unlimited.at(unlimited.duration() * k as f64 / SAMPLES as f64);
    let most = |value: fn(&PathProgress) -> f64| (0..=SAMPLES).map(|k| value(&at(k)).abs()).fold(0.0, f64::max);
    let reached = MotionLimits { speed: most(|now| now.rate), acceleration: most(|now| now.acceleration), ..limits };
    [
        Profile::polynomial345(length, 1.0),
        Profile::polynomial4567(length, 1.0),
        Profile::sine_on_ramp(length, 1.0, 1.0),
        Profile::double_s(length, MotionLimits::usual(length)),
        Profile::double_s(length, limits),
        Profile::double_s(length, limits.and(reached)),
    ]
    .into_iter()
    .flatten()
    .filter(|profile| profile.peak_jerk().is_finite())
}

/// The motion near a profile, with knots that are evenly spaced on each leg.
fn near<P: Path>(legs: &PathLegs<'_, P>, profile: &Profile) -> Option<LegMotion> {
    /// In all, and on each leg.
    const LEAST: [f64; 2] = [40.0, 5.0];
    let duration = profile.duration();
    let mut times: Vec<f64> = legs.ends.iter().map(|&s| profile.time_of(s)).collect();
    times.push(duration);
    let (mut knots, mut turns) = (vec![0.0], Vec::new());
    for end in times {
        let start = knots[knots.len() - 1];
        let count = (LEAST[0] * (end - start) / duration).max(LEAST[1]).ceil();
        knots.extend((1..=count as usize).map(|k| start + (end - start) * k as f64 / count));
        turns.push(knots.len() - 1);
    }
    turns.pop();
    LegMotion::near(legs, knots, turns, |t| profile.at(t).s)
}
