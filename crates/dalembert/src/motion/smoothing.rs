//! Time-optimal profiles made smooth: averaged over a window of time, and stretched until the limits hold again.
//!
//! The averaged profiles of all windows, each stretched by what it needs, are one family. A limit of the jerk picks the fastest
//! of the family that keeps it. Averaged over w and stretched by k, the profile takes k(T + w) and its jerk is the w-th one's
//! over k³, exactly known since it is constant in pieces; so
//!
//! ```text
//! k(T + w) ≥ (T + w) max(1, ∛(jerk(w)/limit))                                                                (1)
//! ```
//!
//! before the model has been asked anything. Windows on a fixed grid are tried in the order of (1), until (1) alone is as
//! long as the best. The grid does not depend on the limit, so a larger one never takes longer.

use super::fit::Course;
use super::{Path, PlanError, Profile};

/// How a time-optimal profile is made smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// Jumps of the acceleration are spread over this time at least, s, at most half of the motion's.
    Window(f64),
    /// |s⃛| stays within this, m/s³ (rad/s³ in joints): the jerk along the path, as in [`MotionLimits`](super::MotionLimits).
    Jerk(f64),
}

/// The windows that can be: of a profile of this duration, s. Shorter, rounding would show; longer, the ramps would be as long
/// as the motion and no smoother.
fn windows(duration: f64) -> [f64; 2] {
    [1e-6 * duration, 0.5 * duration]
}

/// Neighbouring windows of the grid: the jerk goes about as 1/w, so the best of the grid takes at most ∛1.03 = 1 % longer
/// than the best of all.
const STEP: f64 = 1.03;

/// What is not worth another window, of the time.
const WORTH: f64 = 1e-5;

impl Smoothing {
    pub(super) fn check(self) -> Result<(), PlanError> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        match self {
            Self::Window(window) if !positive(window) => Err(PlanError::Smoothing(window)),
            Self::Jerk(jerk) if !positive(jerk) => Err(PlanError::Jerk(jerk)),
            _ => Ok(()),
        }
    }

    /// The profile made smooth, within the limits. Never compressed: that would sharpen what has been smoothed.
    pub(super) fn of<P: Path>(self, course: &Course<'_, P>, profile: &Profile) -> Result<Profile, PlanError> {
        match self {
            Self::Window(window) => {
                let [least, most] = windows(profile.duration());
                if !(least..=most).contains(&window) {
                    return Err(PlanError::SmoothingOfThis { window, least, most });
                }
                course.fitted(&profile.averaged(window), false)
            }
            Self::Jerk(limit) => within_jerk(course, profile, limit),
        }
    }
}

fn within_jerk<P: Path>(course: &Course<'_, P>, profile: &Profile, limit: f64) -> Result<Profile, PlanError> {
    let [least, most] = windows(profile.duration());
    let count = ((most / least).ln() / STEP.ln()).ceil() as i32;
    // A hair more than the limit demands, for the rounding of the pieces.
    let stretch = |smooth: &Profile| (smooth.peak_jerk() / limit).cbrt().max(1.0) * (1.0 + 1e-12);
    let candidate = |k: i32| {
        let window = most * STEP.powi(-k);
        let smooth = profile.averaged(window);
        (window, stretch(&smooth) * smooth.duration()) // (1)
    };
    let mut candidates: Vec<(f64, f64)> = (0..count).map(candidate).collect();
    candidates.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut best: Option<Profile> = None;
    for (window, bound) in candidates {
        let smooth = profile.averaged(window);
        if let Some(best) = &best {
            let wanted = best.duration() * (1.0 - WORTH);
            if bound >= wanted {
                break;
            }
            // Slower would not help the best, and what is not possible in that time is not in less.
            if course.checked(&smooth.stretched(wanted / smooth.duration()))?.tightest > 1.0 {
                continue;
            }
        }
        best = Some(course.fitted(&smooth.stretched(stretch(&smooth)), false)?);
    }
    best.ok_or(PlanError::NoLimit)
}
