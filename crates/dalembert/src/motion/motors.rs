//! Lists of motors and gears (`docs/motion.md`).

use crate::robot::file::Dimension::{self, AngularSpeed, Force, Inertia, Length, Mass, Power, Ratio, Speed, Torque};
use crate::robot::file::{Document, FileError, LoadError, load};
use std::f64::consts::TAU;
use std::path::Path;

/// A gear between motor and joint; or a spindle, rack or belt, which moves a joint that slides.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// Name.
    pub name: String,
    /// Whether its joint slides.
    pub slides: bool,
    /// Motor speed over joint speed; of a spindle 2π over its lead, rad/m.
    pub ratio: f64,
    /// Of the power that goes through.
    pub efficiency: f64,
    /// At the motor side, kg m².
    pub inertia: f64,
    /// At the joint side, N m (N).
    pub max_torque: f64,
    /// At the motor side, rad/s.
    pub max_speed: f64,
}

/// A motor with its drive. A linear motor has N for N m, m/s for rad/s and kg for kg m².
#[derive(Clone, Debug, PartialEq)]
pub struct MotorData {
    /// Name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// Whether it is a linear motor, which moves a joint that slides without a gear.
    pub linear: bool,
    /// For a short time, N m.
    pub peak_torque: f64,
    /// For a short time, of motor and drive, W. It is what lets the torque droop at high speeds: where it is not known, the
    /// peak torque at the rated speed.
    pub peak_power: f64,
    /// All the time, standing, N m.
    pub stall_torque: f64,
    /// All the time at the rated speed, N m.
    pub rated_torque: f64,
    /// rad/s.
    pub rated_speed: f64,
    /// rad/s.
    pub max_speed: f64,
    /// kg m².
    pub rotor_inertia: f64,
    /// Load inertia over motor inertia that its control bears.
    pub max_inertia_ratio: f64,
}

/// What may be combined.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorList {
    /// `[[motor]]`.
    pub motors: Vec<MotorData>,
    /// `[[gear]]`; without any, the motor drives the joint directly.
    pub gears: Vec<Gear>,
}

impl MotorData {
    /// The torque that it gives all the time at a speed: linear from standing to the rated speed, and on, N m.
    pub fn continuous_torque(&self, speed: f64) -> f64 {
        let share = speed.abs() / self.rated_speed;
        (self.stall_torque + share * (self.rated_torque - self.stall_torque)).max(0.0)
    }
}

/// Motors that come with the library.
const BUILT_IN: [(&str, &str); 1] = [("akm44g", include_str!("../../motors/akm44g.toml"))];

/// What the keys of motors that turn and of linear ones are called: peak, stall and rated torque, inertia.
const FORCES: [[&str; 4]; 2] = [
    ["peak_torque", "stall_torque", "rated_torque", "rotor_inertia"],
    ["peak_force", "stall_force", "rated_force", "moving_mass"],
];
const MOTOR: &[&str] = &["name", "source", "peak_power", "rated_speed", "max_speed", "max_inertia_ratio"];
/// The keys of gears of which the second is that of joints that slide.
const GEARS: [[&str; 2]; 2] = [["ratio", "max_torque"], ["lead", "max_force"]];
const GEAR: &[&str] = &["name", "efficiency", "inertia", "max_speed"];

/// Which of two sets of keys a table has: the second, where it has any of its.
fn second(file: &Document<'_>, path: &str, keys: &[&str]) -> bool {
    keys.iter().any(|key| file.has(&format!("{path}.{key}")))
}

impl MotorList {
    /// The list that a text in the format of `docs/motion.md` describes.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        let motors = file.tables("motor")?;
        let gears = if file.has("gear") { file.tables("gear")? } else { 0 };
        let mut known = vec![(String::new(), vec!["motor", "gear"])];
        known.extend((1..=motors).map(|i| {
            let path = format!("motor.{i}");
            let forces = FORCES[usize::from(second(&file, &path, &FORCES[1]))];
            (path, [MOTOR, &forces].concat())
        }));
        known.extend((1..=gears).map(|i| {
            let path = format!("gear.{i}");
            let ratio = GEARS[usize::from(second(&file, &path, &GEARS[1]))];
            (path, [GEAR, &ratio].concat())
        }));
        file.check_keys(&known)?;
        Ok(Self {
            motors: (1..=motors).map(|i| motor(&file, &format!("motor.{i}"))).collect::<Result<_, _>>()?,
            gears: (1..=gears).map(|i| gear(&file, &format!("gear.{i}"))).collect::<Result<_, _>>()?,
        })
    }

    /// A built-in list by its name (`akm44g`), or else the list in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        match BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
            Some((name, text)) => Self::parse(text).map_err(|error| LoadError::Invalid {
                path: (*name).into(),
                text: (*text).to_owned(),
                error: Box::new(error),
            }),
            None => load(Path::new(name_or_path), Self::parse),
        }
    }
}

fn number(
    file: &Document<'_>,
    path: &str,
    dimension: Dimension,
    default: Option<f64>,
    zero: bool,
) -> Result<f64, FileError> {
    let value = match (file.scalar(path, dimension)?, default) {
        (Some(value), _) => value,
        (None, Some(default)) => return Ok(default),
        (None, None) => {
            let hint = format!("it is {}, as in {}", dimension.name(), dimension.example());
            return Err(file.missing(path, hint));
        }
    };
    if value > 0.0 || (zero && value == 0.0) {
        return Ok(value);
    }
    let must = if zero { "must not be negative" } else { "must be positive" };
    Err(file.error(file.span(path, None), format!("`{path}` is {value}, but {must}"), "check the sign"))
}

fn name(file: &Document<'_>, path: &str) -> Result<String, FileError> {
    let path = format!("{path}.name");
    file.string(&path)?.map(str::to_owned).ok_or_else(|| file.missing(&path, "a text to know it by"))
}

fn motor(file: &Document<'_>, path: &str) -> Result<MotorData, FileError> {
    let linear = second(file, path, &FORCES[1]);
    let [peak, stall, rated, inertia] = FORCES[usize::from(linear)];
    // A linear motor's control bears any load: there is no gear between that could swing.
    let (force, speed, mass, ratio) =
        if linear { (Force, Speed, Mass, f64::INFINITY) } else { (Torque, AngularSpeed, Inertia, 10.0) };
    let get = |key: &str, dimension, default| number(file, &format!("{path}.{key}"), dimension, default, false);
    let rated_speed = get("rated_speed", speed, None)?;
    let peak_torque = get(peak, force, None)?;
    Ok(MotorData {
        name: name(file, path)?,
        source: file.string(&format!("{path}.source"))?.map(str::to_owned),
        linear,
        peak_torque,
        peak_power: get("peak_power", Power, Some(peak_torque * rated_speed))?,
        stall_torque: get(stall, force, None)?,
        rated_torque: get(rated, force, None)?,
        rated_speed,
        max_speed: get("max_speed", speed, Some(rated_speed))?,
        rotor_inertia: get(inertia, mass, None)?,
        max_inertia_ratio: get("max_inertia_ratio", Ratio, Some(ratio))?,
    })
}

fn gear(file: &Document<'_>, path: &str) -> Result<Gear, FileError> {
    let get = |key: &str, dimension, default, zero| number(file, &format!("{path}.{key}"), dimension, default, zero);
    let efficiency = get("efficiency", Ratio, Some(1.0), false)?;
    if efficiency > 1.0 {
        let span = file.span(&format!("{path}.efficiency"), None);
        let problem = format!("`{path}.efficiency` is {efficiency}, but no gear gives more than it gets");
        return Err(file.error(span, problem, "write 0.95 for 95 %"));
    }
    let slides = second(file, path, &GEARS[1]);
    let (ratio, most) = match slides {
        true => (TAU / get("lead", Length, None, false)?, get("max_force", Force, Some(f64::INFINITY), false)?),
        false => (get("ratio", Ratio, None, false)?, get("max_torque", Torque, Some(f64::INFINITY), false)?),
    };
    Ok(Gear {
        name: name(file, path)?,
        slides,
        ratio,
        efficiency,
        inertia: get("inertia", Inertia, Some(0.0), true)?,
        max_torque: most,
        max_speed: get("max_speed", AngularSpeed, Some(f64::INFINITY), false)?,
    })
}
