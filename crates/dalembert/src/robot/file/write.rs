//! From a robot back to its file.

use super::tolerance::{LinkTolerances, Tolerance};
use super::{DeltaRobot, SerialRobot};
use crate::Angle;
use crate::delta::{ArmParameters, Azimuth, Limits};
use crate::friction::Friction;
use crate::robot::orientation::attitude;
use crate::serial::{Body, DhConvention, Joint, SerialLimits};
use crate::spatial::Frame;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

pub(super) fn robot(robot: &DeltaRobot) -> String {
    let p = robot.delta.parameters();
    let arms = |value: fn(&ArmParameters<f64>) -> f64| per_arm(p.arms.each_ref().map(value), number);
    let mut file = File::default();

    file.line("kind", "\"delta\"".to_owned());
    file.line("name", text(&robot.name));
    if let Some(source) = &robot.source {
        file.line("source", text(source));
    }
    file.line("gravity", list(p.gravity.0.map(number)));

    file.table("base");
    file.line("radius", arms(|arm| arm.base_radius));
    file.line("azimuths", list(p.arms.each_ref().map(|arm| azimuth(arm.azimuth))));

    file.table("upper_arm");
    file.line("length", arms(|arm| arm.upper_arm.length));
    file.line("mass", arms(|arm| arm.upper_arm.mass));
    file.line("center_of_mass", arms(|arm| arm.upper_arm.center_of_mass));
    file.line("inertia", arms(|arm| arm.upper_arm.inertia));
    if p.arms.iter().any(|arm| arm.upper_arm.elbow_mass.is_some()) {
        file.line("elbow_mass", arms(|arm| arm.upper_arm.mass_at_elbow()));
    }

    file.table("forearm");
    file.line("length", arms(|arm| arm.forearm.length));
    file.line("mass", arms(|arm| arm.forearm.mass));
    file.line("center_of_mass", arms(|arm| arm.forearm.center_of_mass));
    file.line("inertia", arms(|arm| arm.forearm.inertia));
    if let [Some(a), Some(b), Some(c)] = robot.spacing {
        file.line("spacing", per_arm([a, b, c], number));
    }

    file.table("platform");
    file.line("radius", arms(|arm| arm.platform_radius));
    file.line("mass", number(p.platform_mass));
    file.line("tool", list(p.tool.0.map(number)));

    file.table("motor");
    file.line("rotor_inertia", arms(|arm| arm.motor.rotor_inertia));
    file.line("gear_ratio", arms(|arm| arm.motor.gear_ratio));
    file.limit("max_torque", robot.limits.map(|limits| limits.max_torque), number);
    file.limit("max_speed", robot.limits.map(|limits| limits.max_speed), number);
    if p.arms.iter().any(|arm| arm.motor.friction.is_some()) {
        let friction = |value: fn(Friction<f64>) -> f64| {
            per_arm(p.arms.map(|arm| value(arm.motor.friction.unwrap_or(Friction::NONE))), number)
        };
        file.table("motor.friction");
        file.line("viscous", friction(|f| f.viscous));
        file.line("coulomb", friction(|f| f.coulomb));
        file.line("static", friction(|f| f.static_friction));
        file.line("stribeck_velocity", friction(|f| f.stribeck_velocity));
        file.line("smoothing_velocity", friction(|f| f.smoothing_velocity));
    }

    let ranges = robot.limits.map(|limits| limits.range);
    file.table("joints");
    if ranges != [Limits::NONE.range; 3] {
        let pair = |range: [f64; 2]| format!("[{}, {}]", angle(range[0]), angle(range[1]));
        file.line("range", per_arm(ranges, pair));
    }
    file.limit("max_ball_angle", robot.limits.map(|limits| limits.max_ball_angle), angle);
    if p.arms.iter().any(|arm| arm.passive_damping.is_some()) {
        file.line("passive_damping", arms(|arm| arm.passive_damping.unwrap_or(0.0)));
    }

    file.table("payload");
    file.line("mass", number(p.payload_mass));
    file.text
}

/// A serial arm. The attitude of its tool is written as three angles, so it reads back within rounding; everything else
/// exactly.
pub(super) fn serial(robot: &SerialRobot) -> String {
    let rest = robot.arm.surroundings();
    let mut file = File::default();
    file.line("kind", "\"serial\"".to_owned());
    file.line("name", text(&robot.name));
    if let Some(source) = &robot.source {
        file.line("source", text(source));
    }
    let convention = match rest.convention {
        DhConvention::Modified => "modified-dh",
        DhConvention::Standard => "standard-dh",
    };
    file.line("convention", text(convention));
    file.line("gravity", list(rest.gravity.0.map(number)));
    for (i, link) in robot.arm.links().iter().enumerate() {
        file.table("[link]");
        let revolute = link.joint == Joint::Revolute;
        file.line("joint", text(if revolute { "revolute" } else { "prismatic" }));
        file.line("alpha", known_angle(link.dh.alpha));
        file.line("a", number(link.dh.a));
        file.line("d", number(link.dh.d));
        file.line("theta_offset", known_angle(link.dh.theta_offset));
        body(&mut file, &link.body);
        file.line("motor_inertia", number(link.motor_inertia));
        file.line("gear_ratio", number(link.gear_ratio));
        let limits = &robot.limits[i];
        if limits.range != SerialLimits::NONE.range {
            let value = if revolute { angle } else { number };
            file.line("range", format!("[{}, {}]", value(limits.range[0]), value(limits.range[1])));
        }
        for (key, limit) in [("max_torque", limits.max_torque), ("max_speed", limits.max_speed)] {
            if limit.is_finite() {
                file.line(key, number(limit));
            }
        }
        if let Some(breakaway) = limits.breakaway {
            file.line("breakaway", number(breakaway));
        }
        if let Some(f) = link.friction {
            let entries = [
                ("viscous", f.viscous),
                ("coulomb", f.coulomb),
                ("static", f.static_friction),
                ("stribeck_velocity", f.stribeck_velocity),
                ("smoothing_velocity", f.smoothing_velocity),
            ];
            file.line("friction", inline(entries.map(|(key, value)| (key, number(value)))));
        }
        if let Some(armature) = link.armature {
            let axis = list(armature.axis.0.map(number));
            file.line("armature", inline([("carrier", armature.carrier.to_string()), ("axis", axis)]));
        }
        let t = &robot.tolerances[i];
        if *t != LinkTolerances::default() {
            let all = |tolerances: &[Tolerance]| {
                format!("[{}]", tolerances.iter().map(|t| tolerance(*t)).collect::<Vec<_>>().join(", "))
            };
            let entries = [
                ("mass", tolerance(t.mass)),
                ("center_of_mass", all(&t.center_of_mass)),
                ("inertia", all(&t.inertia)),
                ("motor_inertia", tolerance(t.motor_inertia)),
            ];
            file.line("tolerance", inline(entries));
        }
    }
    if rest.tool != Frame::identity() {
        file.table("tool");
        file.line("position", list(rest.tool.origin.0.map(number)));
        file.line("rpy", list(attitude(rest.tool.rotation).map(angle)));
    }
    if rest.payload != Body::zero() {
        file.table("payload");
        body(&mut file, &rest.payload);
    }
    file.text
}

fn body(file: &mut File, body: &Body<f64>) {
    file.line("mass", number(body.mass));
    file.line("center_of_mass", list(body.center_of_mass.0.map(number)));
    let entries = body.inertia.entries();
    let given = if entries[3..] == [0.0; 3] { &entries[..3] } else { &entries[..] };
    file.line("inertia", format!("[{}]", given.iter().map(|&x| number(x)).collect::<Vec<_>>().join(", ")));
}

fn inline<const N: usize>(entries: [(&str, String); N]) -> String {
    format!("{{ {} }}", entries.map(|(key, value)| format!("{key} = {value}")).join(", "))
}

/// Two plain numbers, as a sum of an absolute part in SI and a percentage.
fn tolerance(tolerance: Tolerance) -> String {
    // The percentage that reads back as the same fraction.
    let percent = (0..=17)
        .map(|digits| format!("{:.digits$}", tolerance.relative * 100.0))
        .find(|text| text.parse::<f64>().is_ok_and(|percent| percent / 100.0 == tolerance.relative))
        .unwrap_or_else(|| number(tolerance.relative * 100.0));
    match (tolerance.absolute == 0.0, tolerance.relative == 0.0) {
        (_, true) => number(tolerance.absolute),
        (true, false) => format!("\"{percent} %\""),
        (false, false) => format!("\"{:?} + {percent} %\"", tolerance.absolute),
    }
}

/// The text so far; a table's head is written with its first line, so that there are no empty tables.
#[derive(Default)]
struct File {
    text: String,
    pending: Option<&'static str>,
}

impl File {
    fn table(&mut self, name: &'static str) {
        self.pending = Some(name);
    }

    fn line(&mut self, key: &str, value: String) {
        // Writing to a string cannot fail.
        if let Some(table) = self.pending.take() {
            let _ = writeln!(self.text, "\n[{table}]");
        }
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// A limit, unless there is none.
    fn limit(&mut self, key: &str, values: [f64; 3], format: fn(f64) -> String) {
        if values.iter().any(|value| value.is_finite()) {
            self.line(key, per_arm(values, format));
        }
    }
}

/// The shortest decimal that reads back as the same double; TOML wants a point or an exponent in it, as `Debug` gives.
fn number(value: f64) -> String {
    format!("{value:?}")
}

/// In degrees, if a short number of degrees reads back as the same double; else in radians.
fn angle(radians: f64) -> String {
    degrees(radians, |angle| angle == radians).unwrap_or_else(|| number(radians))
}

/// An angle that is kept as a pair.
fn known_angle(angle: Angle<f64>) -> String {
    let radians = angle.radians();
    degrees(radians, |radians| Angle::from_radians(radians) == angle).unwrap_or_else(|| number(radians))
}

/// From 0 to 360°, as robot files are written.
fn azimuth(azimuth: Azimuth<f64>) -> String {
    let radians = azimuth.radians();
    let turned = if radians < 0.0 { radians + TAU } else { radians };
    let is_it = |angle| Azimuth::from_radians(angle) == azimuth;
    degrees(turned, is_it).or_else(|| degrees(radians, is_it)).unwrap_or_else(|| number(radians))
}

fn degrees(radians: f64, is_it: impl Fn(f64) -> bool) -> Option<String> {
    if !radians.is_finite() {
        return None;
    }
    (0..=12).find_map(|digits| {
        let text = format!("{:.digits$}", radians.to_degrees());
        let value: f64 = text.parse().ok()?;
        is_it(value * (PI / 180.0)).then(|| format!("\"{text} deg\""))
    })
}

fn list(values: [String; 3]) -> String {
    format!("[{}]", values.join(", "))
}

/// One value where the arms are alike.
fn per_arm<T: PartialEq + Copy>(values: [T; 3], format: impl Fn(T) -> String) -> String {
    if values == [values[0]; 3] { format(values[0]) } else { list(values.map(format)) }
}

/// A quoted text on one line.
fn text(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
