//! Codourey 1998, Figure 8: the arrival with three profiles of the same duration, under his regulator 4.
//!
//! His accelerations of 51, 80 and 120/60 m/s² are those of one path in one time: 4, 2π and 3π/1.5π times L/T².

use super::regulators;
use crate::Anything;
use dalembert::Vec3;
use dalembert::control::ControlRun;
use dalembert::motion::{MotionOrder, Path, ProfileChoice, SemiEllipse, Time};
use std::f64::consts::TAU;

/// Largest acceleration of the parabolic profile, m/s²: with it T follows from the length of the path.
const PARABOLIC: f64 = 51.0;

/// A profile, and what happened at the arrival.
pub struct ProfileArrival {
    /// As in the legend.
    pub name: &'static str,
    /// The run: there, back and hold.
    pub run: ControlRun,
    /// Largest distance, after the time of the arrival, from where the platform comes to rest, m.
    pub overshoot: f64,
    /// Time from the arrival until it stays within 0.1 mm of there, s.
    pub settling: f64,
    /// Largest tangential acceleration of the profile over this path, m/s².
    pub peak: f64,
}

/// All three.
pub fn run() -> Result<Vec<ProfileArrival>, Anything> {
    let mut experiment = regulators::experiment()?;
    // Without an integral it creeps the last tenths of a millimetre against friction: two seconds see the end of that.
    experiment.hold = 2.0;
    let path = SemiEllipse::new(Vec3::zero(), Vec3::new(0.0, 1.0, 0.0), 0.25, 0.05)?;
    let stroke = (4.0 * path.length() / PARABOLIC).sqrt();
    let profiles = [
        ("parabolic, 51 m/s²", ProfileChoice::Parabolic, None, 4.0),
        ("sine on ramp, 80 m/s²", ProfileChoice::SineOnRamp { ratio: 1.0 }, None, TAU),
        ("sine on ramp, 120 and 60 m/s²", ProfileChoice::SineOnRamp { ratio: 1.0 }, Some(2.0), 1.5 * TAU),
    ];
    let mut all = Vec::new();
    for (name, profile, ratio, factor) in profiles {
        let time = Some(Time::Stroke(stroke));
        experiment.follow(&MotionOrder { profile, ratio, time, ..regulators::order() })?;
        let run = regulators::feedforward(&experiment)?;
        let overshoot = run.summary.overshoot.ok_or("it does not come to rest")?;
        let settling = settling(&run).ok_or("nothing was recorded")?;
        let peak = factor * path.length() / (stroke * stroke);
        all.push(ProfileArrival { name, overshoot, settling, peak, run });
    }
    Ok(all)
}

/// Time after the motion until the platform stays within 0.1 mm of where it is in the end, s: friction keeps it off its target.
fn settling(run: &ControlRun) -> Option<f64> {
    let [t, x, y, z] = ["t", "error_x", "error_y", "error_z"].map(|name| run.recording.column(name));
    let (t, axes) = (t?, [x?, y?, z?]);
    let end = t.len().checked_sub(1)?;
    let off = |k: usize| axes.iter().map(|axis| (axis[k] - axis[end]).powi(2)).sum::<f64>().sqrt();
    let last = (0..=end).rev().find(|&k| off(k) > 1e-4)?;
    Some((t[last] - run.summary.duration).max(0.0))
}
