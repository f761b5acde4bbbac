//! Which motors and gears can do a motion.
//!
//! The rotor (with the motor side of the gear) is accelerated by the motor itself; what the joint needs goes through the gear,
//! with its efficiency η against whoever drives:
//!
//! ```text
//! T = n J q̈ + τ/(n η)   where τ q̇ > 0,      T = n J q̈ + τ η/n   elsewhere                                     (1)
//! ```
//!
//! with the gear ratio n, the inertia J of rotor and gear at the motor side, and the torque τ at the joint *without* the rotor.
//! `docs/motion.md` lists what a combination has to keep to do the motion; it has the format of lists of motors and gears, too.
//!
//! Where a joint slides, n is that of a spindle, 2π over its lead, rad/m, or 1 of a linear motor, whose J is the mass that moves with it;
//! τ and T are then forces as they come.
//!
//! Of joints that have the same motor, as the arms of a Delta, the worst counts; every other joint is judged by itself.

use super::{CannotDo, Mover};
use crate::robot::file::Dimension::{
    AngularSpeed, Force, GearRatio, Inertia, Length, Mass, Power, Ratio, Share, Speed, Torque,
};
use crate::robot::file::{Dimension, Document, FileError, LoadError, load};
use crate::robot::{InvalidParameters, JointKind, JointVector, Load, MAX_JOINTS, Target};
use crate::suggest::closest;
use std::cmp::Ordering;
use std::f64::consts::TAU;
use std::path::Path;

/// One criterion: what is needed, what there is.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct SizingCriterion {
    /// Its name.
    pub name: &'static str,
    /// The worst of the joints that it is for.
    pub needed: f64,
    /// The limit.
    pub allowed: f64,
}

impl SizingCriterion {
    /// How much more there is than needed, as a share of what is needed; negative: too little.
    pub fn margin(&self) -> f64 {
        if self.needed > 0.0 { self.allowed / self.needed - 1.0 } else { f64::INFINITY }
    }
}

/// A motor with a gear on a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The motor.
    pub motor: String,
    /// The gear, if any.
    pub gear: Option<String>,
    /// Motor speed over joint speed, rad/m of a spindle.
    pub ratio: f64,
    /// Whether the motor is a linear one: N for N m and m/s for rad/s at the motor.
    pub linear: bool,
    /// At the motor, N m.
    pub peak_torque: SizingCriterion,
    /// Root mean square at the motor, against what it gives all the time, N m.
    pub rms_torque: SizingCriterion,
    /// At the motor, rad/s.
    pub speed: SizingCriterion,
    /// Load over motor.
    pub inertia_ratio: SizingCriterion,
    /// At the joint, N m (N).
    pub gear_torque: SizingCriterion,
    /// That a motor gives, W.
    pub peak_power: SizingCriterion,
    /// Mean over time of the positive power, of the worst motor, W.
    pub mean_power: f64,
    /// What the motor gives all the time at its rated speed, W: how large it is.
    pub rated_power: f64,
}

impl Fit {
    /// All criteria.
    pub fn criteria(&self) -> [SizingCriterion; 6] {
        [self.peak_torque, self.rms_torque, self.speed, self.inertia_ratio, self.gear_torque, self.peak_power]
    }

    /// The criterion with the least margin.
    pub fn tightest(&self) -> (&'static str, f64) {
        let all = self.criteria().map(|criterion| (criterion.name, criterion.margin()));
        all.into_iter().fold(("peak torque", f64::INFINITY), |least, next| if next.1 < least.1 { next } else { least })
    }

    /// Whether it can do the motion.
    pub fn suffices(&self) -> bool {
        self.tightest().1 >= 0.0
    }

    /// Which of two is the better choice, the greater: one that suffices, of these the smaller motor, and of one motor the gear with
    /// the larger margin. Of those that do not suffice the one that lacks less.
    pub fn compare(&self, other: &Self) -> Ordering {
        let margin = self.tightest().1.total_cmp(&other.tightest().1);
        match self.suffices() && other.suffices() {
            true => other.rated_power.total_cmp(&self.rated_power).then(margin),
            false => margin,
        }
    }

    /// Share of the heat that the motor bears: the square of the RMS torque over the continuous one.
    pub fn heat(&self) -> f64 {
        (self.rms_torque.needed / self.rms_torque.allowed).powi(2)
    }
}

/// Joints that have the same motor, and what each motor with each gear of a list is for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizing {
    /// From 1.
    pub joints: Vec<usize>,
    /// Whether they slide.
    pub slides: bool,
    /// In the order of the list.
    pub fits: Vec<Fit>,
}

impl Sizing {
    /// Whether any combination can do the motion.
    pub fn suffices(&self) -> bool {
        self.fits.iter().any(Fit::suffices)
    }

    /// The smallest motor that suffices, with the gear that leaves the largest margin; or else the combination that lacks least.
    pub fn best(&self) -> Option<&Fit> {
        self.fits.iter().max_by(|a, b| a.compare(b))
    }
}

/// Why there is no list of motors.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum MotorListError {
    #[error("no list of motors and no file is called `{name}`; built in: {}", BUILT_IN.map(|(name, _)| name).join(", "))]
    Unknown { name: String, suggestion: Option<&'static str> },
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Why no motors can be found for a robot; joints are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum CannotSize {
    #[error(transparent)]
    Motion(#[from] CannotDo),
    #[error("joint {joint} {moves}, and nothing of the list moves it so: it takes {needed}")]
    NothingFits { joint: usize, moves: &'static str, needed: &'static str },
    #[error("the motor of joint {joint} turns with several joints: what is asked of such motors is not computed")]
    Coupled { joint: usize },
    /// There is no such robot without its motors, or no model of it.
    #[error(transparent)]
    Robot(#[from] InvalidParameters),
}

/// Every motor with every gear of a list on a motion.
///
/// Rotor and gear of the robot's own file are replaced by those of the list. Motors count as inertias at their joints; their
/// gyroscopic torques are left out.
pub fn size(mover: &Mover, motion: &[(f64, Target)], list: &MotorList) -> Result<Vec<Sizing>, CannotSize> {
    let slides: Vec<bool> = mover.joints.iter().map(|joint| joint.kind == JointKind::Prismatic).collect();
    if let Some(i) = slides.iter().position(|&slides| pairs(list, slides).next().is_none()) {
        let (moves, needed) = match slides[i] {
            true => ("slides", "a linear motor (`peak_force` …), or a spindle, a [[gear]] with a `lead`"),
            false => ("turns", "a motor that turns and, where the list has gears, a [[gear]] with a `ratio`"),
        };
        return Err(CannotSize::NothingFits { joint: i + 1, moves, needed });
    }
    if let Some(i) = mover.joints.iter().position(|joint| joint.coupling.is_some()) {
        return Err(CannotSize::Coupled { joint: i + 1 });
    }
    let bare = mover.robot.without_rotors()?;
    let model = bare.build_model("exact").map_err(|error| InvalidParameters(error.message))?;
    let pick = &mover.pick;
    // What is asked of each joint, and its load inertia, at each sample.
    let mut rows = Vec::with_capacity(motion.len());
    for (time, target) in motion {
        let cannot = |cause| CannotDo::new(*time, target.moved()[0], cause);
        let load = bare.joint_load(target, pick).map_err(cannot)?;
        let mass = model.mass_matrix(&bare.at(target, pick).map_err(cannot)?);
        rows.push((*time, load, JointVector::from_fn(mass.len(), |i| mass[i][i])));
    }
    let joints: Vec<usize> = (0..mover.joints.len()).collect();
    let (alike, others) = joints.split_at(bare.kind().same_motors.clamp(1, joints.len().max(1)).min(joints.len()));
    let sizing = |joints: &[usize]| Sizing {
        joints: joints.iter().map(|i| i + 1).collect(),
        slides: slides[joints[0]],
        fits: pairs(list, slides[joints[0]]).map(|(motor, gear)| pair(&motor, &gear, &rows, joints)).collect(),
    };
    Ok([alike].into_iter().filter(|alike| !alike.is_empty()).chain(others.chunks(1)).map(sizing).collect())
}

/// Every motor with every gear that moves a joint which slides or turns; a motor alone that needs no gear, or where there are none.
fn pairs(list: &MotorList, slides: bool) -> impl Iterator<Item = (MotorData, Gear)> {
    let direct = Gear {
        name: String::new(),
        slides,
        ratio: 1.0,
        efficiency: 1.0,
        inertia: 0.0,
        max_torque: f64::INFINITY,
        max_speed: f64::INFINITY,
    };
    list.motors.iter().flat_map(move |motor| {
        let gears = match (motor.linear, slides) {
            (true, true) => vec![direct.clone()],
            (true, false) => Vec::new(),
            (false, false) if list.gears.is_empty() => vec![direct.clone()],
            (false, _) => list.gears.iter().filter(|gear| gear.slides == slides).cloned().collect(),
        };
        gears.into_iter().map(|gear| (motor.clone(), gear))
    })
}

/// The worst of some joints; there is at least one.
fn pair(motor: &MotorData, gear: &Gear, rows: &[(f64, Load, JointVector)], joints: &[usize]) -> Fit {
    let (n, inertia) = (gear.ratio, motor.rotor_inertia + gear.inertia);
    let span = match (rows.first(), rows.last()) {
        (Some(first), Some(last)) if last.0 > first.0 => last.0 - first.0,
        _ => 1.0,
    };
    let [mut peak, mut speed, mut ratio, mut output, mut power] = [0.0_f64; 5];
    let mut sums = [[0.0_f64; MAX_JOINTS]; 3]; // T², (n q̇)², positive power, of each joint
    for (k, (time, load, mass)) in rows.iter().enumerate() {
        // Trapezoidal rule over uneven times.
        let before = if k > 0 { time - rows[k - 1].0 } else { 0.0 };
        let after = if k + 1 < rows.len() { rows[k + 1].0 - time } else { 0.0 };
        let weight = 0.5 * (before + after) / span;
        for &i in joints {
            let (tau, qd) = (load.torque[i], load.joints.qd[i]);
            let through = if tau * qd > 0.0 { tau / (n * gear.efficiency) } else { tau * gear.efficiency / n };
            let torque = n * inertia * load.joints.qdd[i] + through; // (1)
            let given = torque * n * qd;
            peak = peak.max(torque.abs());
            speed = speed.max((n * qd).abs());
            ratio = ratio.max(mass[i] / (n * n * inertia));
            output = output.max(tau.abs());
            power = power.max(given);
            sums[0][i] += weight * torque * torque;
            sums[1][i] += weight * n * n * qd * qd;
            sums[2][i] += weight * given.max(0.0);
        }
    }
    // The joint with the largest share of what its motor gives all the time.
    let continuous = |i: usize| motor.continuous_torque(sums[1][i].sqrt());
    let hottest = joints.iter().copied().max_by(|&a, &b| {
        let share = |i: usize| sums[0][i].sqrt() / continuous(i);
        share(a).total_cmp(&share(b))
    });
    let hottest = hottest.unwrap_or(0);
    let criterion = |name, needed, allowed| SizingCriterion { name, needed, allowed };
    Fit {
        motor: motor.name.clone(),
        gear: (!gear.name.is_empty()).then(|| gear.name.clone()),
        ratio: n,
        linear: motor.linear,
        peak_torque: criterion("peak torque", peak, motor.peak_torque),
        rms_torque: criterion("RMS torque", sums[0][hottest].sqrt(), continuous(hottest)),
        speed: criterion("speed", speed, motor.max_speed.min(gear.max_speed)),
        inertia_ratio: criterion("inertia ratio", ratio, motor.max_inertia_ratio),
        gear_torque: criterion("gear torque", output, gear.max_torque),
        peak_power: criterion("peak power", power, motor.peak_power),
        mean_power: sums[2].into_iter().fold(0.0, f64::max),
        rated_power: motor.rated_torque * motor.rated_speed,
    }
}

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
    pub fn find(name_or_path: &str) -> Result<Self, MotorListError> {
        let path = Path::new(name_or_path);
        let found = match BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
            Some((name, text)) => Self::parse(text).map_err(|error| LoadError::Invalid {
                path: (*name).into(),
                text: (*text).to_owned(),
                error: Box::new(error),
            }),
            None if path.extension().is_some() || path.components().count() > 1 || path.exists() => {
                load(path, Self::parse)
            }
            None => {
                let suggestion = closest(&name_or_path.to_lowercase(), BUILT_IN.map(|(name, _)| name));
                return Err(MotorListError::Unknown { name: name_or_path.to_owned(), suggestion });
            }
        };
        Ok(found?)
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
    let efficiency = get("efficiency", Share, Some(1.0), false)?;
    if efficiency > 1.0 {
        let span = file.span(&format!("{path}.efficiency"), None);
        let problem = format!("`{path}.efficiency` is {efficiency}, but no gear gives more than it gets");
        return Err(file.error(span, problem, "write 0.95 or \"95 %\""));
    }
    let slides = second(file, path, &GEARS[1]);
    let (ratio, most) = match slides {
        true => (TAU / get("lead", Length, None, false)?, get("max_force", Force, Some(f64::INFINITY), false)?),
        false => (get("ratio", GearRatio, None, false)?, get("max_torque", Torque, Some(f64::INFINITY), false)?),
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
