//! What is possible, but odd in the file of a Delta.

use crate::delta::{Azimuth, Parameters};
use crate::limits::JointLimits;
use crate::parameter::Visit;
use crate::report::text::human;
use crate::robot::file::numbers::Numbers;
use crate::robot::file::{
    Warning,
    warn::{STEEL, Warnings},
};
use std::f64::consts::{PI, TAU};

/// Rounding of a value that stands exactly at a bound.
const ROUNDING: f64 = 1.0 + 1e-12;

/// An inertia that is so much too large is in another unit.
const OTHER_UNIT: f64 = 100.0;

pub(super) fn warnings(
    numbers: &Numbers<'_, '_>,
    parameters: &Parameters<f64>,
    limits: &[JointLimits; 3],
    visit_all: impl FnOnce(&mut Visit<'_, f64>),
) -> Vec<Warning> {
    let file = numbers.file;
    let mut all = Warnings::new(file);
    all.units(numbers, visit_all);
    all.gravity(parameters.gravity);
    if parameters.gravity[2] > 0.0 {
        all.add(
            "gravity",
            None,
            " points up, along +z: does the robot stand on its base? Its platform is at negative z",
        );
    }
    if widest_gap(parameters.arms.map(|arm| arm.azimuth)) > PI - 1e-9 && !all.has("base.azimuths") {
        all.add(
            "base.azimuths",
            None,
            " are within half a circle: the arms cannot hold the platform in all directions",
        );
    }
    let has_own = file.has("upper_arm.inertia");
    let inertia = if has_own { "upper_arm.inertia" } else { "upper_arm.inertia_about_axis" };
    for (i, (arm, limits)) in parameters.arms.iter().zip(limits).enumerate() {
        let mut warn = |odd: bool, path: &str, problem: String| {
            if odd {
                all.add(path, Some(i + 1), &problem);
            }
        };
        let (upper, rod) = (&arm.upper_arm, &arm.forearm);
        let question = |inertia: f64, most: f64, usual: &str| {
            if inertia > OTHER_UNIT * most { ": in kg mm² or g mm²?".to_owned() } else { usual.to_owned() }
        };
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
                " gives {} kg m² about the arm's own centre of mass, more than mass · length² = {} kg m²{}",
                human(upper.inertia, 6),
                human(most, 6),
                question(upper.inertia, most, ": mass beyond the arm's ends?")
            ),
        );
        let [center, length] = [upper.center_of_mass, upper.length].map(|length| human(length, 6));
        warn(
            upper.center_of_mass.abs() > upper.length * ROUNDING,
            "upper_arm.center_of_mass",
            format!(" is {center} m from the motor axis, beyond the elbow at {length} m"),
        );
        let offset = upper.center_of_mass_offset.unwrap_or(0.0);
        warn(
            offset.abs() > upper.length * ROUNDING,
            "upper_arm.center_of_mass_offset",
            format!(" is {} m, more than the arm's length of {length} m", human(offset, 6)),
        );
        // All the mass at the two ends: m ρ(1−ρ) L² is the most a thin rod can have.
        let most = rod.mass * rod.center_of_mass * (rod.length - rod.center_of_mass);
        warn(
            rod.inertia > most * ROUNDING,
            "forearm.inertia",
            format!(
                " is {} kg m², more than the {} kg m² of a rod with all its mass at its ends{}",
                human(rod.inertia, 6),
                human(most, 6),
                question(rod.inertia, most, "")
            ),
        );
        warn(limits.max_torque == 0.0, "motor.max_torque", " is zero: the motor can hold nothing".to_owned());
        warn(limits.max_speed == 0.0, "motor.max_speed", " is zero: the joint can never move".to_owned());
        all.friction("motor.friction", Some(i + 1), arm.motor.friction, "N m");
    }
    masses(&mut all, parameters);
    all.sorted()
}

/// A forearm is longer than its upper arm, and no more than so many times.
const LONGEST: f64 = 6.0;

/// What no Delta has, whatever its masses: forearms that are so much shorter or longer than their upper arms.
const PROPORTIONS: [f64; 2] = [0.8, 12.0];

/// Masses that not even steel has; where a length is as odd, the length.
fn masses(all: &mut Warnings<'_, '_>, parameters: &Parameters<f64>) {
    let mut short = false;
    for (i, arm) in parameters.arms.iter().enumerate() {
        let (upper, rod) = (&arm.upper_arm, &arm.forearm);
        // Blocks that are as long as the arm, half as wide and high; rods a fifth.
        let [block, rods] = [upper.length.powi(3) / 4.0, rod.length.powi(3) / 25.0];
        let heavy = upper.mass > STEEL * block || rod.mass > STEEL * rods;
        let [path, name] = match rod.length / upper.length {
            ratio if heavy && ratio < 1.0 => ["forearm.length", "a forearm"],
            ratio if heavy && ratio > LONGEST => ["upper_arm.length", "an upper arm"],
            ratio => {
                let known = all.has("forearm.length") || all.has("upper_arm.length");
                if !known && !(PROPORTIONS[0]..=PROPORTIONS[1]).contains(&ratio) {
                    let [rod, ratio, upper] = [rod.length, ratio, upper.length].map(|x| human(x, 3));
                    let problem = format!(
                        " is {rod} m, {ratio} times the upper arm's {upper} m: is one of them in another unit?"
                    );
                    all.add("forearm.length", Some(i + 1), &problem);
                    short = true;
                }
                all.mass("upper_arm.mass", Some(i + 1), upper.mass, block, "a block");
                all.mass("forearm.mass", Some(i + 1), rod.mass, rods, "thick rods");
                continue;
            }
        };
        short = true;
        let [length, other, mass] = match name {
            "a forearm" => [rod.length, upper.length, rod.mass],
            _ => [upper.length, rod.length, upper.mass],
        };
        let ratio = if name == "a forearm" { 10.0 * length / other } else { other / (10.0 * length) };
        let digit = if (1.0..=LONGEST).contains(&ratio) {
            format!(": should it be {}?", human(10.0 * length, 6))
        } else {
            String::new()
        };
        let [length, other, mass] = [length, other, mass].map(|x| human(x, 6));
        let problem = format!(
            " is {length} m, short compared with the other part's {other} m and for {name} of {mass} kg{digit}"
        );
        all.add(path, Some(i + 1), &problem);
    }
    if !short {
        let third = parameters.arms[0].forearm.length / 3.0;
        all.mass("platform.mass", None, parameters.platform_mass, third.powi(3), "a block");
    }
}

/// The widest angle between two neighbouring arms, rad.
fn widest_gap(azimuths: [Azimuth<f64>; 3]) -> f64 {
    let mut angles = azimuths.map(|azimuth| azimuth.sin.atan2(azimuth.cos));
    angles.sort_by(f64::total_cmp);
    (angles[1] - angles[0]).max(angles[2] - angles[1]).max(TAU + angles[0] - angles[2])
}
