//! The built-in PUMA 560 for tests.

use dalembert::limits::JointLimits;
use dalembert::serial::Serial;

/// The built-in PUMA 560 with its joint limits.
pub fn puma() -> (Serial<f64, 6>, Vec<JointLimits>) {
    let robot = dalembert::robots::puma560().expect("built in");
    (robot.arm.arm().expect("six joints"), robot.limits)
}
