//! From a document to a serial arm: the keys, their defaults, and what must hold between them.

use super::document::Document;
use super::links::{NoArm, SerialLinks, Surroundings};
use super::tolerance::{self, LinkTolerances};
use super::units::Dimension::{self, *};
use super::{FileError, SerialRobot, Warning, read};
use crate::friction::Friction;
use crate::robot::MOST_JOINTS;
use crate::serial::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, SerialLimits, SerialParameterError};
use crate::spatial::{Frame, roll_pitch_yaw};
use crate::{Angle, Sym3, Vec3};

const TOP: &[&str] = &["kind", "name", "source", "convention", "gravity", "link", "tool", "payload"];
const LINK: &[&str] = &[
    "joint",
    "alpha",
    "a",
    "d",
    "theta_offset",
    "mass",
    "center_of_mass",
    "inertia",
    "motor_inertia",
    "gear_ratio",
    "max_torque",
    "max_speed",
    "breakaway",
    "friction",
    "range",
    "armature",
    "tolerance",
];
const FRICTION: &[&str] = &["viscous", "coulomb", "static", "stribeck_velocity", "smoothing_velocity"];
const ARMATURE: &[&str] = &["carrier", "axis"];
const TOOL: &[&str] = &["position", "rpy"];
const PAYLOAD: &[&str] = &["mass", "center_of_mass", "inertia"];

pub(in crate::robot) fn robot(file: &Document<'_>) -> Result<SerialRobot, FileError> {
    let links = file.tables("link")?;
    check_keys(file, links)?;
    let name = read::name(file)?;
    let source = file.string("source")?.map(str::to_owned);
    if !(1..=MOST_JOINTS).contains(&links) {
        return Err(file.error(
            file.span("link", None),
            NoArm::Joints(links).to_string(),
            "each [[link]] is one joint and what it moves",
        ));
    }
    let paths: Vec<String> = (1..=links).map(|n| format!("link.{n}")).collect();
    let surroundings = Surroundings {
        convention: convention(file)?,
        gravity: Vec3(file.vector("gravity", Acceleration)?.unwrap_or(read::DEFAULT_GRAVITY)),
        tool: tool(file)?,
        payload: body(file, "payload", Some(0.0))?,
    };
    let given: Vec<LinkParameters<f64>> = paths.iter().map(|path| link(file, path)).collect::<Result<_, _>>()?;
    let limits =
        paths.iter().zip(&given).map(|(path, link)| limits(file, path, link.joint)).collect::<Result<_, _>>()?;
    let tolerances: Vec<LinkTolerances> = paths
        .iter()
        .zip(&given)
        .map(|(path, link)| tolerance::of_link(file, path, link.joint))
        .collect::<Result<_, _>>()?;
    let arm = SerialLinks::try_new(&given, surroundings).map_err(|error| impossible(file, error))?;
    let warnings = warnings(file, &arm);
    let static_follows = paths.iter().map(|path| !file.has(&format!("{path}.friction.static"))).collect();
    Ok(SerialRobot { name, source, arm, limits, tolerances, static_follows, warnings })
}

fn check_keys(file: &Document<'_>, links: usize) -> Result<(), FileError> {
    let mut paths = vec![(String::new(), TOP), ("tool".into(), TOOL), ("payload".into(), PAYLOAD)];
    for n in 1..=links {
        paths.push((format!("link.{n}"), LINK));
        paths.push((format!("link.{n}.friction"), FRICTION));
        paths.push((format!("link.{n}.armature"), ARMATURE));
        paths.push((format!("link.{n}.tolerance"), tolerance::KEYS));
    }
    let known: Vec<(&str, &[&str])> = paths.iter().map(|(path, keys)| (path.as_str(), *keys)).collect();
    file.check_keys(&known)
}

fn choice<T: Copy>(file: &Document<'_>, path: &str, choices: &[(&str, T)]) -> Result<T, FileError> {
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let hint = format!("write {}", names.join(" or "));
    match file.string(path)? {
        None => Err(file.missing(path, hint)),
        Some(text) => match choices.iter().find(|(name, _)| *name == text) {
            Some(&(_, value)) => Ok(value),
            None => Err(file.error(file.span(path, None), format!("`{path}` is \"{text}\""), hint)),
        },
    }
}

fn convention(file: &Document<'_>) -> Result<DhConvention, FileError> {
    let choices = [("modified-dh", DhConvention::Modified), ("standard-dh", DhConvention::Standard)];
    choice(file, "convention", &choices)
}

fn required(file: &Document<'_>, path: &str, dimension: Dimension) -> Result<f64, FileError> {
    match file.scalar(path, dimension)? {
        Some(value) => Ok(value),
        None => Err(file.missing(path, format!("it is {}, as in {}", dimension.name(), dimension.example()))),
    }
}

fn link(file: &Document<'_>, path: &str) -> Result<LinkParameters<f64>, FileError> {
    let at = |key: &str| format!("{path}.{key}");
    let joint = choice(file, &at("joint"), &[("revolute", Joint::Revolute), ("prismatic", Joint::Prismatic)])?;
    let (motor, _, _, _) = dimensions(joint);
    Ok(LinkParameters {
        joint,
        dh: DhRow {
            alpha: Angle::from_radians(required(file, &at("alpha"), Angle)?),
            a: required(file, &at("a"), Length)?,
            d: required(file, &at("d"), Length)?,
            theta_offset: Angle::from_radians(file.scalar(&at("theta_offset"), Angle)?.unwrap_or(0.0)),
        },
        body: body(file, path, None)?,
        motor_inertia: file.scalar(&at("motor_inertia"), motor)?.unwrap_or(0.0),
        gear_ratio: file.scalar(&at("gear_ratio"), Ratio)?.unwrap_or(1.0),
        friction: friction(file, &at("friction"), joint)?,
        armature: armature(file, &at("armature"))?,
    })
}

/// What motor inertia, torque, speed and damping measure at a joint.
pub(super) fn dimensions(joint: Joint) -> (Dimension, Dimension, Dimension, Dimension) {
    match joint {
        Joint::Revolute => (Inertia, Torque, AngularSpeed, Damping),
        Joint::Prismatic => (Mass, Force, Speed, LinearDamping),
    }
}

/// Mass (required, unless there is a default), centre of mass and inertia of a table.
fn body(file: &Document<'_>, path: &str, mass: Option<f64>) -> Result<Body<f64>, FileError> {
    let at = |key: &str| format!("{path}.{key}");
    let mass = match (file.scalar(&at("mass"), Mass)?, mass) {
        (Some(mass), _) | (None, Some(mass)) => mass,
        (None, None) => return Err(file.missing(&at("mass"), "it is a mass, as in 0.39 or \"390 g\"")),
    };
    let center_of_mass = Vec3(file.vector(&at("center_of_mass"), Length)?.unwrap_or([0.0; 3]));
    let inertia = match file.three_or_six(&at("inertia"), Inertia)?.as_deref() {
        Some(&[xx, yy, zz]) => Sym3::new([xx, yy, zz, 0.0, 0.0, 0.0]),
        Some(&[xx, yy, zz, xy, yz, xz]) => Sym3::new([xx, yy, zz, xy, yz, xz]),
        _ => Sym3::zero(),
    };
    Ok(Body { mass, center_of_mass, inertia })
}

fn friction(file: &Document<'_>, path: &str, joint: Joint) -> Result<Option<Friction<f64>>, FileError> {
    let (_, torque, speed, damping) = dimensions(joint);
    let read = |key: &str, dimension: Dimension| file.scalar(&format!("{path}.{key}"), dimension);
    let coulomb = read("coulomb", torque)?.unwrap_or(0.0);
    let friction = Friction {
        viscous: read("viscous", damping)?.unwrap_or(0.0),
        coulomb,
        static_friction: read("static", torque)?.unwrap_or(coulomb),
        stribeck_velocity: read("stribeck_velocity", speed)?.unwrap_or(Friction::NONE.stribeck_velocity),
        smoothing_velocity: read("smoothing_velocity", speed)?.unwrap_or(Friction::NONE.smoothing_velocity),
        own: None,
    };
    let any = friction.viscous != 0.0 || friction.coulomb != 0.0 || friction.static_friction != 0.0;
    Ok(any.then_some(friction))
}

fn armature(file: &Document<'_>, path: &str) -> Result<Option<Armature<f64>>, FileError> {
    if !file.has(path) {
        return Ok(None);
    }
    let carrier_path = format!("{path}.carrier");
    let axis_path = format!("{path}.axis");
    let Some(carrier) = file.index(&carrier_path)? else {
        return Err(file.missing(&carrier_path, "the number of the link that carries the motor; 0 is the base"));
    };
    let Some(axis) = file.vector(&axis_path, Ratio)? else {
        return Err(file.missing(&axis_path, "the direction of the motor's axis in that link, as in [0, 0, 1]"));
    };
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return Err(file.error(
            file.span(&axis_path, None),
            format!("`{axis_path}` has no direction"),
            "as in [0, 0, 1]",
        ));
    }
    Ok(Some(Armature { carrier, axis: Vec3(axis.map(|x| x / length)) }))
}

fn limits(file: &Document<'_>, path: &str, joint: Joint) -> Result<SerialLimits, FileError> {
    let (_, torque, speed, _) = dimensions(joint);
    let at = |key: &str| format!("{path}.{key}");
    let position = if joint == Joint::Revolute { Angle } else { Length };
    Ok(SerialLimits {
        range: file.pair(&at("range"), position)?.unwrap_or(SerialLimits::NONE.range),
        max_speed: file.one_limit(&at("max_speed"), speed)?.unwrap_or(f64::INFINITY),
        max_torque: file.one_limit(&at("max_torque"), torque)?.unwrap_or(f64::INFINITY),
        breakaway: file.one_limit(&at("breakaway"), torque)?,
    })
}

/// Position, and roll, pitch and yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll).
fn tool(file: &Document<'_>) -> Result<Frame<f64>, FileError> {
    let origin = Vec3(file.vector("tool.position", Length)?.unwrap_or([0.0; 3]));
    let angles = file.vector("tool.rpy", Angle)?.unwrap_or([0.0; 3]).map(Angle::from_radians);
    Ok(Frame { rotation: roll_pitch_yaw(angles), origin })
}

/// A parameter no arm can have, at the place where it was written.
pub(in crate::robot) fn impossible(file: &Document<'_>, error: NoArm) -> FileError {
    let NoArm::Parameter(error) = error else {
        return file.error(file.span("link", None), error.to_string(), "each [[link]] is one joint and what it moves");
    };
    let SerialParameterError { field, link, .. } = error;
    let path = match (link, field) {
        (Some(n), field) => format!("link.{n}.{field}"),
        (None, "tool.rotation") => "tool.rpy".to_owned(),
        (None, field) => field.to_owned(),
    };
    let hint = match field {
        "inertia" | "payload.inertia" => "about the centre of mass, axes of the link's frame; off the diagonal −∫xy dm",
        "gear_ratio" => "it is motor speed over joint speed",
        _ => "see docs/robot-files.md for what each key means",
    };
    file.error(file.span(&path, None), error.to_string(), hint)
}

/// What is possible, but odd: told, not refused.
fn warnings(file: &Document<'_>, arm: &SerialLinks) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |path: &str, problem: String| {
        warnings.push(Warning { problem, location: file.location(file.span(path, None)) });
    };
    let rest = arm.surroundings();
    let gravity = rest.gravity.norm_squared().sqrt();
    if !(9.5..=10.1).contains(&gravity) {
        warn("gravity", format!("`gravity` is {gravity} m/s², not the Earth's"));
    }
    let bodies = arm.links().iter().enumerate().map(|(i, link)| (format!("link.{}", i + 1), link.body));
    for (path, body) in bodies.chain([("payload".to_owned(), rest.payload)]) {
        let [xx, yy, zz, ..] = body.inertia.entries();
        let (sum, most) = (xx + yy + zz, xx.max(yy).max(zz));
        // The two smaller ones must not be less than the largest; of link 1 of an arm only I_zz may be known.
        let given = [xx, yy, zz].iter().filter(|&&x| x > 0.0).count() > 1;
        if given && sum - most < most * (1.0 - 1e-12) {
            warn(
                &format!("{path}.inertia"),
                format!(
                    "`{path}.inertia`: {most} is more than the other two together, {:.6}: no body is so",
                    sum - most
                ),
            );
        }
    }
    for (i, link) in arm.links().iter().enumerate() {
        if let Some(friction) = link.friction.filter(|f| f.static_friction < f.coulomb) {
            let path = format!("link.{}.friction.static", i + 1);
            let problem = format!("`{path}` is {}, below coulomb = {}", friction.static_friction, friction.coulomb);
            warn(&path, problem);
        }
    }
    warnings.sort_by_key(|warning| warning.location.span.start);
    warnings
}
