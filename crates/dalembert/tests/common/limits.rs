//! What a planned motion makes of the limits.

use dalembert::motion::{Machine, Motion};

/// The largest share of a limit and the share of time within 1 % of one, at times that the planner has not looked at.
pub fn seen<M: Machine>(machine: &M, motion: &impl Motion<Point = M::Point>, samples: u32) -> (f64, f64) {
    let (mut largest, mut active) = (0.0_f64, 0);
    for k in 0..samples {
        let t = (f64::from(k) + 0.5) / f64::from(samples) * motion.duration();
        let (share, _) = machine.tightest(&machine.load(&motion.at(t)).unwrap());
        largest = largest.max(share);
        active += u32::from(share > 0.99);
    }
    (largest, f64::from(active) / f64::from(samples))
}
