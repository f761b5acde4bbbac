//! The built-in PUMA 560 for tests.

use dalembert::limits::JointLimits;
use dalembert::serial::Serial;
use dalembert_symbolic::Program;
use dalembert_symbolic::derive::{self, Of, Request};
use std::sync::LazyLock;

/// The built-in PUMA 560 with its joint limits.
pub fn puma() -> (Serial<f64, 6>, Vec<JointLimits>) {
    let robot = dalembert::robots::puma560().expect("built in");
    (robot.arm.arm().expect("six joints"), robot.limits)
}

/// Torque, mass matrix and gravity of the PUMA 560 as the usual search finds them: searched for once for all tests.
pub fn searched_puma() -> &'static [Program; 3] {
    static PROGRAMS: LazyLock<[Program; 3]> = LazyLock::new(|| {
        let robot = dalembert::robots::puma560().expect("built in");
        let arm: Serial<f64, 6> = robot.arm.arm().expect("six joints");
        [Of::Torque, Of::Mass, Of::Gravity].map(|of| {
            let request = Request { source: robot.source.clone(), ..Request::new(&robot.name, of) };
            derive::serial(&arm, &request, &mut |_| ()).expect("derivable").program
        })
    });
    &PROGRAMS
}
