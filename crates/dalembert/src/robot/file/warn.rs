//! What is possible, but odd: told, not refused. A measured value may be odd and yet all there is.

use super::Warning;
use super::document::Document;
use crate::delta::{Limits, Parameters};
use crate::report::text::human;

/// Rounding of a value that stands exactly at a bound.
const ROUNDING: f64 = 1.0 + 1e-12;

pub(super) fn warnings(file: &Document<'_>, parameters: &Parameters<f64>, limits: &[Limits; 3]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let [x, y, z] = parameters.gravity.0;
    let gravity = (x * x + y * y + z * z).sqrt();
    if !(9.5..=10.1).contains(&gravity) {
        let location = file.location(file.span("gravity", None));
        warnings
            .push(Warning { problem: format!("`gravity` is {} m/s², not the Earth's", human(gravity, 6)), location });
    }
    let mut warn = |odd: bool, path: &str, arm: usize, problem: String| {
        let per_arm = file.is_list(path);
        // One value for all arms is odd once.
        if !odd || (!per_arm && arm > 1) {
            return;
        }
        let location = file.location(file.span(path, per_arm.then_some(arm)));
        let which = if per_arm { format!(" of arm {arm}") } else { String::new() };
        warnings.push(Warning { problem: format!("`{path}`{which} {problem}"), location });
    };
    for (i, (arm, limits)) in parameters.arms.iter().zip(limits).enumerate() {
        let n = i + 1;
        let (upper, rod) = (&arm.upper_arm, &arm.forearm);
        warn(
            arm.platform_radius > arm.base_radius,
            "platform.radius",
            n,
            format!("is {} m, larger than the base's {} m", human(arm.platform_radius, 6), human(arm.base_radius, 6)),
        );
        let most = upper.mass * upper.length * upper.length;
        let inertia_path =
            if file.has("upper_arm.inertia") { "upper_arm.inertia" } else { "upper_arm.inertia_about_axis" };
        warn(
            upper.inertia > most * ROUNDING,
            inertia_path,
            n,
            format!(
                "gives {} kg m² about the arm's own centre of mass, more than mass · length² = {} kg m²: \
                 mass beyond the arm's ends?",
                human(upper.inertia, 6),
                human(most, 6)
            ),
        );
        warn(
            upper.center_of_mass.abs() > upper.length * ROUNDING,
            "upper_arm.center_of_mass",
            n,
            format!(
                "is {} m from the motor axis, beyond the elbow at {} m",
                human(upper.center_of_mass, 6),
                human(upper.length, 6)
            ),
        );
        // All the mass at the two ends: m ρ(1−ρ) L² is the most a thin rod can have.
        let most = rod.mass * rod.center_of_mass * (rod.length - rod.center_of_mass);
        warn(
            rod.inertia > most * ROUNDING,
            "forearm.inertia",
            n,
            format!(
                "is {} kg m², more than the {} kg m² of a rod with all its mass at its ends",
                human(rod.inertia, 6),
                human(most, 6)
            ),
        );
        warn(limits.max_torque == 0.0, "motor.max_torque", n, "is zero: the motor can hold nothing".to_owned());
        warn(limits.max_speed == 0.0, "motor.max_speed", n, "is zero: the joint can never move".to_owned());
        if let Some(friction) = arm.motor.friction {
            warn(
                friction.static_friction < friction.coulomb,
                "motor.friction.static",
                n,
                format!(
                    "is {} N m, below coulomb = {} N m",
                    human(friction.static_friction, 6),
                    human(friction.coulomb, 6)
                ),
            );
        }
    }
    warnings.sort_by_key(|warning| warning.location.span.start);
    warnings
}
