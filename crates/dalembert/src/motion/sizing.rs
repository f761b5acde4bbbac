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
//! A combination can do the motion if
//!
//! - the largest |T| is within the peak torque, the largest n|q̇| within the speeds of motor and gear, and the largest power
//!   T n q̇ that the motor gives within the peak power;
//! - the root mean square of T is within what the motor gives all the time at its root-mean-square speed (heat);
//! - the largest load inertia M_ii/n² is within `max_inertia_ratio` times J;
//! - the largest |τ| is within the gear's torque.
//!
//! Where a joint slides, n is that of a spindle, 2π over its lead, rad/m, or 1 of a linear motor, whose J is the mass that moves with it;
//! τ and T are then forces as they come.
//!
//! Of joints that have the same motor, as the arms of a Delta, the worst counts; every other joint is judged by itself.

use super::motors::{Gear, MotorData};
use super::{CannotDo, MotorList, Mover};
use crate::robot::{InvalidParameters, JointKind, JointVector, Load, MAX_JOINTS, Target};

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

    /// The combination that suffices with the largest margin, or else the one that lacks least.
    pub fn best(&self) -> Option<&Fit> {
        self.fits.iter().max_by(|a, b| a.tightest().1.total_cmp(&b.tightest().1))
    }
}

/// Why no motors can be found for a robot; joints are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum CannotSize {
    #[error(transparent)]
    Motion(#[from] CannotDo),
    #[error("joint {joint} {moves}, and nothing of the list moves it so: it takes {needed}")]
    NothingFits { joint: usize, moves: &'static str, needed: &'static str },
    /// There is no such robot without its motors, or no model of it.
    #[error(transparent)]
    Robot(#[from] InvalidParameters),
}

/// Every motor with every gear of a list on a motion.
///
/// Rotor and gear of the robot's own file are replaced by those of the list. Motors count as inertias at their joints; their
/// gyroscopic torques are left out.
pub fn size(mover: &Mover, motion: &[(f64, Target)], list: &MotorList) -> Result<Vec<Sizing>, CannotSize> {
    let slides: Vec<bool> = mover.joints().iter().map(|joint| joint.kind == JointKind::Prismatic).collect();
    if let Some(i) = slides.iter().position(|&slides| pairs(list, slides).next().is_none()) {
        let (moves, needed) = match slides[i] {
            true => ("slides", "a linear motor (`peak_force` …), or a spindle, a [[gear]] with a `lead`"),
            false => ("turns", "a motor that turns and, where the list has gears, a [[gear]] with a `ratio`"),
        };
        return Err(CannotSize::NothingFits { joint: i + 1, moves, needed });
    }
    let bare = mover.robot().without_rotors()?;
    let model = bare.model("exact").map_err(|error| InvalidParameters(error.message))?;
    let pick = mover.pick();
    // What is asked of each joint, and its load inertia, at each sample.
    let mut rows = Vec::with_capacity(motion.len());
    for (time, target) in motion {
        let cannot = |cause| CannotDo::new(*time, target.moved()[0], cause);
        let load = bare.joint_load(target, pick).map_err(cannot)?;
        let mass = model.mass_matrix(&bare.at(target, pick).map_err(cannot)?);
        rows.push((*time, load, JointVector::from_fn(mass.len(), |i| mass[i][i])));
    }
    let joints: Vec<usize> = (0..mover.joints().len()).collect();
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
    }
}
