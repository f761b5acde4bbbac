//! From a document to a robot: the keys, their defaults, and what must hold between them.

use super::document::Document;
use super::units::Dimension::{self, *};
use super::{DeltaRobot, FileError, Follows, warn};
use crate::Vec3;
use crate::delta::{ArmParameters, Azimuth, Delta, Forearm, Limits, Motor, ParameterError, Parameters, UpperArm};
use crate::friction::Friction;
use crate::report::text::human;
use std::array::from_fn;

/// Every table and its keys.
pub(super) const KEYS: [(&str, &[&str]); 9] = [
    (
        "",
        &[
            "kind",
            "name",
            "source",
            "gravity",
            "base",
            "upper_arm",
            "forearm",
            "platform",
            "motor",
            "joints",
            "payload",
        ],
    ),
    ("base", &["radius", "azimuths"]),
    ("upper_arm", &["length", "mass", "center_of_mass", "inertia", "inertia_about_axis", "elbow_mass"]),
    ("forearm", &["length", "mass", "center_of_mass", "inertia", "spacing"]),
    ("platform", &["radius", "mass", "tool"]),
    ("motor", &["rotor_inertia", "gear_ratio", "max_torque", "max_speed", "friction"]),
    ("motor.friction", &["viscous", "coulomb", "static", "stribeck_velocity", "smoothing_velocity"]),
    ("joints", &["range", "max_ball_angle", "passive_damping"]),
    ("payload", &["mass"]),
];

/// What a table cannot do without.
pub(super) const NEEDED: [(&str, &str); 4] = [
    ("base", "radius"),
    ("upper_arm", "length, mass, center_of_mass and inertia"),
    ("forearm", "length and mass"),
    ("platform", "radius and mass"),
];

pub(crate) const DEFAULT_GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// Arms closer together than this are the same arm, rad.
const SAME_AZIMUTH: f64 = 1e-6;

pub(in crate::robot) fn robot(file: &Document<'_>) -> Result<DeltaRobot, FileError> {
    check_kind(file)?;
    file.check_keys(&KEYS)?;
    let name = name(file)?;
    let source = file.string("source")?.map(str::to_owned);
    let parameters = parameters(file)?;
    let limits = limits(file)?;
    let spacing = match file.per_arm("forearm.spacing", Length)? {
        Some(spacing) => spacing.map(Some),
        None => [None; 3],
    };
    for (i, spacing) in spacing.iter().enumerate() {
        if spacing.is_some_and(|spacing| spacing < 0.0) {
            let span = file.span("forearm.spacing", Some(i + 1));
            return Err(file.error(span, "`forearm.spacing` is negative", "it is the distance between the two rods"));
        }
    }
    let delta = Delta::try_new(parameters).map_err(|error| impossible(file, &parameters, error))?;
    let warnings = warn::warnings(file, delta.parameters(), &limits);
    let follows = Follows {
        static_friction: !file.has("motor.friction.static"),
        forearm_center: !file.has("forearm.center_of_mass"),
        forearm_inertia: !file.has("forearm.inertia"),
        upper_arm_inertia: file.has("upper_arm.inertia_about_axis"),
    };
    Ok(DeltaRobot { name, source, delta, limits, spacing, follows, warnings })
}

pub(crate) fn name(file: &Document<'_>) -> Result<String, FileError> {
    match file.string("name")? {
        Some(name) if !name.trim().is_empty() => Ok(name.to_owned()),
        Some(_) => Err(file.error(file.span("name", None), "`name` is empty", "call the robot something")),
        None => Err(file.missing("name", "call the robot something: name = \"…\"")),
    }
}

fn check_kind(file: &Document<'_>) -> Result<(), FileError> {
    match file.string("kind")? {
        Some("delta") => Ok(()),
        Some(kind) => {
            let span = file.span("kind", None);
            Err(match kind {
                "serial" => file.error(
                    span,
                    "this is a serial arm, but a Delta robot is needed here",
                    "what works with serial arms says so in its help",
                ),
                _ => unknown_kind(file, kind),
            })
        }
        None => Err(file.missing("kind", "write kind = \"delta\"")),
    }
}

pub(in crate::robot) fn unknown_kind(file: &Document<'_>, kind: &str) -> FileError {
    let span = file.span("kind", None);
    file.error(span, format!("unknown kind \"{kind}\""), "write kind = \"delta\" or kind = \"serial\"")
}

fn parameters(file: &Document<'_>) -> Result<Parameters<f64>, FileError> {
    let optional = |path: &str, dimension: Dimension, default: f64| -> Result<[f64; 3], FileError> {
        Ok(file.per_arm(path, dimension)?.unwrap_or([default; 3]))
    };
    let gravity = Vec3(file.vector("gravity", Acceleration)?.unwrap_or(DEFAULT_GRAVITY));
    let base_radius = file.required("base.radius", Length)?;
    let azimuths = azimuths(file)?;

    let length = file.required("upper_arm.length", Length)?;
    let mass = file.required("upper_arm.mass", Mass)?;
    let center_of_mass = file.required("upper_arm.center_of_mass", Length)?;
    let inertia = upper_arm_inertia(file, mass, center_of_mass)?;
    let elbow_mass = file.per_arm("upper_arm.elbow_mass", Mass)?;
    let upper_arms: [UpperArm<f64>; 3] = from_fn(|i| UpperArm {
        length: length[i],
        mass: mass[i],
        center_of_mass: center_of_mass[i],
        inertia: inertia[i],
        elbow_mass: elbow_mass.map(|values| values[i]),
    });

    let length = file.required("forearm.length", Length)?;
    let mass = file.required("forearm.mass", Mass)?;
    let center_of_mass = file.per_arm("forearm.center_of_mass", Length)?.unwrap_or(length.map(|l| l / 2.0));
    // A uniform rod: m L²/12.
    let uniform = from_fn(|i| mass[i] * length[i] * length[i] / 12.0);
    let inertia = file.per_arm("forearm.inertia", Inertia)?.unwrap_or(uniform);
    let forearms: [Forearm<f64>; 3] = from_fn(|i| Forearm {
        length: length[i],
        mass: mass[i],
        center_of_mass: center_of_mass[i],
        inertia: inertia[i],
    });

    let platform_radius = file.required("platform.radius", Length)?;
    let platform_mass = match file.scalar("platform.mass", Mass)? {
        Some(mass) => mass,
        None => return Err(file.missing("platform.mass", "it is a mass, as in 0.94 or \"940 g\"")),
    };
    let tool = Vec3(file.vector("platform.tool", Length)?.unwrap_or([0.0; 3]));

    let rotor_inertia = optional("motor.rotor_inertia", Inertia, 0.0)?;
    let gear_ratio = optional("motor.gear_ratio", Ratio, 1.0)?;
    let friction = friction(file)?;
    let passive_damping = optional("joints.passive_damping", Damping, 0.0)?;
    let payload_mass = file.scalar("payload.mass", Mass)?.unwrap_or(0.0);

    Ok(Parameters {
        gravity,
        arms: from_fn(|i| ArmParameters {
            azimuth: azimuths[i],
            base_radius: base_radius[i],
            platform_radius: platform_radius[i],
            upper_arm: upper_arms[i],
            forearm: forearms[i],
            motor: Motor { rotor_inertia: rotor_inertia[i], gear_ratio: gear_ratio[i], friction: friction[i] },
            passive_damping: Some(passive_damping[i]).filter(|&damping| damping != 0.0),
        }),
        platform_mass,
        payload_mass,
        tool,
    })
}

fn azimuths(file: &Document<'_>) -> Result<[Azimuth<f64>; 3], FileError> {
    let path = "base.azimuths";
    let Some(angles) = file.per_arm(path, Angle)? else {
        return Ok([0.0_f64, 120.0, 240.0].map(|degrees| Azimuth::from_radians(degrees.to_radians())));
    };
    let azimuths = angles.map(Azimuth::from_radians);
    for (i, k) in [(0, 1), (0, 2), (1, 2)] {
        let (a, b) = (azimuths[i], azimuths[k]);
        // |e_a − e_b| is the angle between them, if it is small.
        if (a.cos - b.cos).hypot(a.sin - b.sin) < SAME_AZIMUTH {
            return Err(file.error(
                file.span(path, Some(k + 1)),
                format!("arms {} and {} have the same azimuth", i + 1, k + 1),
                "the default is [\"0 deg\", \"120 deg\", \"240 deg\"]",
            ));
        }
    }
    Ok(azimuths)
}

/// About the arm's own centre of mass: as written, or from the one about the motor axis by Steiner's theorem.
fn upper_arm_inertia(file: &Document<'_>, mass: [f64; 3], center_of_mass: [f64; 3]) -> Result<[f64; 3], FileError> {
    let own = file.per_arm("upper_arm.inertia", Inertia)?;
    let axis_path = "upper_arm.inertia_about_axis";
    match (own, file.per_arm(axis_path, Inertia)?) {
        (Some(inertia), None) => Ok(inertia),
        (Some(_), Some(_)) => Err(file.error(
            file.span(axis_path, None),
            "both `inertia` and `inertia_about_axis` are given",
            "keep one: `inertia` is about the arm's own centre of mass, `inertia_about_axis` about the motor axis",
        )),
        (None, None) => Err(file.missing(
            "upper_arm.inertia",
            "give `inertia` about the arm's own centre of mass, or `inertia_about_axis` about the motor axis",
        )),
        (None, Some(about_axis)) => {
            let mut inertia = [0.0; 3];
            for i in 0..3 {
                let steiner = mass[i] * center_of_mass[i] * center_of_mass[i];
                let own = about_axis[i] - steiner;
                // A point mass, rounded: zero, not minus one unit in the last place.
                inertia[i] = if own.abs() <= 4.0 * f64::EPSILON * steiner { 0.0 } else { own };
                if inertia[i] < 0.0 {
                    return Err(file.error(
                        file.span(axis_path, Some(i + 1)),
                        format!(
                            "`{axis_path}` is {}, less than mass · center_of_mass² = {}",
                            human(about_axis[i], 6),
                            human(steiner, 6)
                        ),
                        "about the motor axis it is at least that of all the mass at its centre; is this `inertia`?",
                    ));
                }
            }
            Ok(inertia)
        }
    }
}

fn friction(file: &Document<'_>) -> Result<[Option<Friction<f64>>; 3], FileError> {
    let none = Friction::NONE;
    let read = |key: &str, dimension: Dimension| file.per_arm(&format!("motor.friction.{key}"), dimension);
    let viscous = read("viscous", Damping)?.unwrap_or([none.viscous; 3]);
    let coulomb = read("coulomb", Torque)?.unwrap_or([none.coulomb; 3]);
    let static_friction = read("static", Torque)?.unwrap_or(coulomb);
    let stribeck_velocity = read("stribeck_velocity", AngularSpeed)?.unwrap_or([none.stribeck_velocity; 3]);
    let smoothing_velocity = read("smoothing_velocity", AngularSpeed)?.unwrap_or([none.smoothing_velocity; 3]);
    Ok(from_fn(|i| {
        let any = viscous[i] != 0.0 || coulomb[i] != 0.0 || static_friction[i] != 0.0;
        any.then_some(Friction {
            viscous: viscous[i],
            coulomb: coulomb[i],
            static_friction: static_friction[i],
            stribeck_velocity: stribeck_velocity[i],
            smoothing_velocity: smoothing_velocity[i],
            own: None,
        })
    }))
}

fn limits(file: &Document<'_>) -> Result<[Limits; 3], FileError> {
    let range = file.range("joints.range", Angle)?;
    let limit = |path: &str, dimension: Dimension| -> Result<[f64; 3], FileError> {
        let values = file.limit(path, dimension)?.unwrap_or([f64::INFINITY; 3]);
        match values.iter().position(|&value| value < 0.0) {
            None => Ok(values),
            Some(i) => Err(file.error(
                file.span(path, Some(i + 1)),
                format!("`{path}` is {}, but must not be negative", values[i]),
                "a limit holds in both directions; leave it out for no limit",
            )),
        }
    };
    let max_speed = limit("motor.max_speed", AngularSpeed)?;
    let max_torque = limit("motor.max_torque", Torque)?;
    let max_ball_angle = limit("joints.max_ball_angle", Angle)?;
    Ok(from_fn(|i| Limits {
        range: range.map_or(Limits::NONE.range, |range| range[i]),
        max_speed: max_speed[i],
        max_torque: max_torque[i],
        max_ball_angle: max_ball_angle[i],
    }))
}

/// A parameter no robot can have, at the place where it was written.
fn impossible(file: &Document<'_>, parameters: &Parameters<f64>, error: ParameterError) -> FileError {
    // One value for all arms: no arm is to blame.
    let arm = error.arm.filter(|_| file.is_list(error.field));
    // A default that is impossible comes from another key of the same table.
    let path = match error.field {
        "forearm.center_of_mass" | "forearm.inertia" if !file.has(error.field) => "forearm.length",
        field => field,
    };
    let hint = match error.field {
        "forearm.length" if error.value > 0.0 => {
            let arm = &parameters.arms[error.arm.map_or(0, |arm| arm - 1)];
            format!(
                "upper arm L_A = {} m and forearm L_B = {} m together must be longer than R = {} m, base radius − \
                 platform radius, at one height for all arms",
                human(arm.upper_arm.length, 6),
                human(arm.forearm.length, 6),
                human(arm.radius().abs(), 6)
            )
        }
        "forearm.center_of_mass" => "it is measured from the elbow, along the rod".to_owned(),
        "motor.gear_ratio" => "it is motor speed over joint speed".to_owned(),
        _ => "see docs/robot-files.md for what each key means".to_owned(),
    };
    file.error(file.span(path, arm), format!("{}", ParameterError { arm, ..error }), hint)
}
