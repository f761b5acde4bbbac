//! The drive as it is: current that rises, torque in steps, limits, a gear with backlash.

use super::ControlError;
use super::error::{NOT_NEGATIVE, check};
use crate::friction::Friction;

/// What stands between the commanded torque and the joint, the same for all motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Time constant of the current, s: the torque follows its command as a first-order lag, which delays slow signals by
    /// this time. (Codourey: 2 ms, Asadi & Heydari: 0.5 ms.) Zero for none.
    pub current_rise: f64,
    /// Steps of the torque from zero to the maximum (Armstrong: 2048); zero for none. Needs a torque limit.
    pub torque_steps: f64,
    /// Most that the commanded torque may change, N m/s; infinite for no limit.
    pub max_torque_rate: f64,
    /// Whether the robot's limits of torque and speed hold: a motor gives no more than its torque, and near its top speed
    /// less and less that drives it faster. What drives it from outside, it cannot keep from turning faster still.
    pub limited: bool,
    /// Play in the gear.
    pub backlash: Option<Backlash>,
}

/// A gear that is loose by a gap and elastic beyond. The encoder is at the motor, homed where the run starts, and so is the
/// friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlash {
    /// Full play at the joint side, rad.
    pub gap: f64,
    /// Of the teeth in contact, joint side, N m/rad.
    pub stiffness: f64,
    /// In contact, N m s/rad.
    pub damping: f64,
}

impl Backlash {
    /// How far a motor that holds a torque at rest is ahead of the joint, rad.
    pub fn twist(&self, torque: f64) -> f64 {
        if torque == 0.0 { 0.0 } else { (0.5 * self.gap).copysign(torque) + torque / self.stiffness }
    }

    /// Torque from the motor to the joint: a spring with a dead zone, which pushes and never pulls.
    pub fn torque(&self, twist: f64, rate: f64) -> f64 {
        let half = 0.5 * self.gap;
        if twist > half {
            (self.stiffness * (twist - half) + self.damping * rate).max(0.0)
        } else if twist < -half {
            (self.stiffness * (twist + half) + self.damping * rate).min(0.0)
        } else {
            0.0
        }
    }
}

impl Drive {
    /// Nothing stands in between.
    pub const IDEAL: Self =
        Self { current_rise: 0.0, torque_steps: 0.0, max_torque_rate: f64::INFINITY, limited: false, backlash: None };

    /// What a good drive does: 0.5 ms of current rise, 2048 steps, the robot's limits.
    pub const USUAL: Self = Self { current_rise: 0.5e-3, torque_steps: 2048.0, limited: true, ..Self::IDEAL };

    /// Refuses what no drive can be.
    pub fn check(&self) -> Result<(), ControlError> {
        let Self { current_rise, torque_steps, max_torque_rate, backlash, .. } = *self;
        let size = |x: f64| x >= 0.0 && x.is_finite();
        check("current rise", current_rise, size(current_rise), NOT_NEGATIVE)?;
        check("steps of the torque", torque_steps, size(torque_steps), NOT_NEGATIVE)?;
        check("steps of the torque", torque_steps, torque_steps.fract() == 0.0, "a whole number")?;
        check("torque rate", max_torque_rate, max_torque_rate > 0.0, "positive")?;
        let Some(Backlash { gap, stiffness, damping }) = backlash else { return Ok(()) };
        let must = "positive and finite";
        check("gap of the backlash", gap, size(gap), must)?;
        check("stiffness of the backlash", stiffness, stiffness > 0.0 && size(stiffness), must)?;
        check("damping of the backlash", damping, size(damping), must)
    }
}

/// The motors of a robot: their limits, and what turns with them where a gear has play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motors<const N: usize> {
    /// How many the robot has: the others are only in its formulas.
    pub count: usize,
    /// N m, infinite for none.
    pub max_torque: [f64; N],
    /// rad/s, infinite for none.
    pub max_speed: [f64; N],
    /// Reflected rotor inertia, kg m²: used with [`Drive::backlash`] only, else the robot has it.
    pub rotor: [f64; N],
    /// What their joints' positions measure: rad, or m.
    pub units: [&'static str; N],
    /// Friction at the motors: with [`Drive::backlash`] it acts here, else the robot has it and it only sets the step.
    pub friction: [Option<Friction<f64>>; N],
}

impl<const N: usize> Motors<N> {
    /// Motors without limits, inertia and friction.
    pub const FREE: Self = Self {
        count: N,
        max_torque: [f64::INFINITY; N],
        max_speed: [f64::INFINITY; N],
        rotor: [0.0; N],
        units: ["rad"; N],
        friction: [None; N],
    };
}
