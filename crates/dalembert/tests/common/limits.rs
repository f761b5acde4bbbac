//! What a planned motion makes of the limits.

use dalembert::motion::{Motion, Mover};
use dalembert::robot::Load;

/// The largest share of a limit and the share of time within 1 % of one, at times that the planner has not looked at.
pub fn seen(mover: &Mover, motion: &impl Motion, samples: u32) -> (f64, f64) {
    seen_in(mover, motion.duration(), samples, |t| mover.load(&motion.at(t)).unwrap())
}

/// The same of what a motion asks for at times up to its duration.
pub fn seen_in(mover: &Mover, duration: f64, samples: u32, load: impl Fn(f64) -> Load) -> (f64, f64) {
    let (mut largest, mut active) = (0.0_f64, 0);
    for k in 0..samples {
        let t = (f64::from(k) + 0.5) / f64::from(samples) * duration;
        let (share, _) = mover.tightest(&load(t));
        largest = largest.max(share);
        active += u32::from(share > 0.99);
    }
    (largest, f64::from(active) / f64::from(samples))
}
