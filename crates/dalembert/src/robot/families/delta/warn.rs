//! What is possible, but odd in the file of a Delta.

use crate::delta::Parameters;
use crate::limits::JointLimits;
use crate::report::text::human;
use crate::robot::file::document::Document;
use crate::robot::file::{Warning, warn::Warnings};

/// Rounding of a value that stands exactly at a bound.
const ROUNDING: f64 = 1.0 + 1e-12;

pub(super) fn warnings(file: &Document<'_>, parameters: &Parameters<f64>, limits: &[JointLimits; 3]) -> Vec<Warning> {
    let mut all = Warnings::new(file);
    all.gravity(parameters.gravity);
    let has_own = file.has("upper_arm.inertia");
    let inertia = if has_own { "upper_arm.inertia" } else { "upper_arm.inertia_about_axis" };
    for (i, (arm, limits)) in parameters.arms.iter().zip(limits).enumerate() {
        let mut warn = |odd: bool, path: &str, problem: String| {
            if odd {
                all.add(path, Some(i + 1), &problem);
            }
        };
        let (upper, rod) = (&arm.upper_arm, &arm.forearm);
        let [own, base] = [arm.platform_radius, arm.base_radius].map(|radius| human(radius, 6));
        warn(
            arm.platform_radius > arm.base_radius,
            "platform.radius",
            format!(" is {own} m, larger than the base's {base} m"),
        );
        let most = upper.mass * upper.length * upper.length;
        warn(
            upper.inertia > most * ROUNDING,
            inertia,
            format!(
                " gives {} kg m² about the arm's own centre of mass, more than mass · length² = {} kg m²: \
                 mass beyond the arm's ends?",
                human(upper.inertia, 6),
                human(most, 6)
            ),
        );
        let [center, length] = [upper.center_of_mass, upper.length].map(|length| human(length, 6));
        warn(
            upper.center_of_mass.abs() > upper.length * ROUNDING,
            "upper_arm.center_of_mass",
            format!(" is {center} m from the motor axis, beyond the elbow at {length} m"),
        );
        // All the mass at the two ends: m ρ(1−ρ) L² is the most a thin rod can have.
        let most = rod.mass * rod.center_of_mass * (rod.length - rod.center_of_mass);
        warn(
            rod.inertia > most * ROUNDING,
            "forearm.inertia",
            format!(
                " is {} kg m², more than the {} kg m² of a rod with all its mass at its ends",
                human(rod.inertia, 6),
                human(most, 6)
            ),
        );
        warn(limits.max_torque == 0.0, "motor.max_torque", " is zero: the motor can hold nothing".to_owned());
        warn(limits.max_speed == 0.0, "motor.max_speed", " is zero: the joint can never move".to_owned());
        all.friction("motor.friction", Some(i + 1), arm.motor.friction, "N m");
    }
    all.sorted()
}
