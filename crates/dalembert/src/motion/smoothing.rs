//! Time-optimal profiles made smooth: averaged over a window of time, and stretched until the limits hold again.

use super::fit::Course;
use super::{Path, PlanError, Profile};

/// The windows that can be: of a profile of this duration, s. Shorter, rounding would show; longer, the ramps would be as long
/// as the motion and no smoother.
pub(super) fn windows(duration: f64) -> [f64; 2] {
    [1e-6 * duration, 0.5 * duration]
}

/// The profile averaged over a window, s, within the limits. Never compressed: that would sharpen what has been smoothed.
pub(super) fn smoothed<P: Path>(course: &Course<'_, P>, profile: &Profile, window: f64) -> Result<Profile, PlanError> {
    let [least, most] = windows(profile.duration());
    if !(least..=most).contains(&window) {
        return Err(PlanError::SmoothingOfThis { window, least, most });
    }
    course.fitted(&profile.averaged(window), false)
}
