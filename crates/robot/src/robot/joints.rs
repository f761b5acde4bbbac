//! Joints of a robot whose number is known only at run time: their numbers, kinds and limits.

use crate::friction::{Friction, FrictionLaw};
use crate::limits::JointLimits;
use crate::mechanism::dense;
use crate::serial::Coupling;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The most joints that a robot may have.
pub const MAX_JOINTS: usize = 64;

/// So many are kept in place; a robot with more joints pays an allocation for each list.
const IN_PLACE: usize = 8;

/// One of something for each joint. Up to eight are no allocation: loops over states may use it freely.
#[derive(Clone)]
pub struct PerJoint<T>(Items<T>);

#[derive(Clone)]
enum Items<T> {
    InPlace(u8, [T; IN_PLACE]),
    Boxed(Box<[T]>),
}

/// One number per joint.
pub type JointVector = PerJoint<f64>;

/// A square matrix with a row per joint.
pub type JointMatrix = PerJoint<JointVector>;

impl JointVector {
    /// No joints.
    pub const NONE: Self = Self(Items::InPlace(0, [0.0; IN_PLACE]));

    /// All joints at zero.
    #[inline]
    pub fn zero(joints: usize) -> Self {
        Self(match joints {
            0..=IN_PLACE => Items::InPlace(joints as u8, [0.0; IN_PLACE]),
            _ => Items::Boxed(vec![0.0; joints.min(MAX_JOINTS)].into()),
        })
    }

    /// As many numbers as a robot may have joints, and no more; the rest is not taken.
    #[inline]
    pub fn new(values: &[f64]) -> Self {
        let mut all = Self::zero(values.len());
        let len = all.len();
        all.copy_from_slice(&values[..len]);
        all
    }

    /// A number for each joint.
    pub fn from_fn(joints: usize, f: impl FnMut(usize) -> f64) -> Self {
        let mut all = Self::zero(joints);
        for (value, computed) in all.iter_mut().zip((0..joints).map(f)) {
            *value = computed;
        }
        all
    }

    /// The numbers as an array, where there are `N` of them.
    pub fn array<const N: usize>(&self) -> Option<[f64; N]> {
        self[..].try_into().ok()
    }
}

impl Default for JointVector {
    /// No joints.
    fn default() -> Self {
        Self::NONE
    }
}

impl<const N: usize> From<[f64; N]> for JointVector {
    fn from(values: [f64; N]) -> Self {
        Self::new(&values)
    }
}

impl<T> Deref for PerJoint<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Items::InPlace(len, items) => &items[..usize::from(*len)],
            Items::Boxed(items) => items,
        }
    }
}

impl<T> DerefMut for PerJoint<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Items::InPlace(len, items) => &mut items[..usize::from(*len)],
            Items::Boxed(items) => items,
        }
    }
}

impl<T: PartialEq> PartialEq for PerJoint<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: serde::Serialize> serde::Serialize for PerJoint<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

impl<T: fmt::Debug> fmt::Debug for PerJoint<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl JointMatrix {
    /// The matrix with these rows.
    pub fn new<const N: usize>(rows: &[[f64; N]; N]) -> Self {
        Self::from_rows(N, |i| &rows[i])
    }

    /// The matrix with these numbers, row by row.
    pub fn of_rows(joints: usize, entries: &[f64]) -> Self {
        Self::from_rows(joints, |i| &entries[i * joints..(i + 1) * joints])
    }

    pub(super) fn from_rows<'a>(joints: usize, row: impl Fn(usize) -> &'a [f64]) -> Self {
        let given = |i: usize| if i < joints { JointVector::new(row(i)) } else { JointVector::NONE };
        Self(match joints {
            0..=IN_PLACE => Items::InPlace(joints as u8, std::array::from_fn(given)),
            _ => Items::Boxed((0..joints).map(given).collect()),
        })
    }
}

/// What a joint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// It turns: rad, N m.
    Revolute,
    /// It slides: m, N.
    Prismatic,
}

impl JointKind {
    /// The unit of its position, of its speed, of its acceleration and of its torque.
    pub fn units(self) -> JointUnits {
        match self {
            Self::Revolute => JointUnits {
                position: "rad",
                speed: "rad/s",
                acceleration: "rad/s^2",
                torque: "N m",
                inertia: "kg m^2",
                damping: "N m s/rad",
                stiffness: "N m/rad",
            },
            Self::Prismatic => JointUnits {
                position: "m",
                speed: "m/s",
                acceleration: "m/s^2",
                torque: "N",
                inertia: "kg",
                damping: "N s/m",
                stiffness: "N/m",
            },
        }
    }

    /// As robot files write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
        }
    }
}

/// The SI units of a joint's quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub struct JointUnits {
    pub position: &'static str,
    pub speed: &'static str,
    pub acceleration: &'static str,
    pub torque: &'static str,
    pub inertia: &'static str,
    pub damping: &'static str,
    pub stiffness: &'static str,
}

/// A driven joint: what it is, what it may do, and what its drive adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Whether it turns or slides.
    pub kind: JointKind,
    /// What joint and drive may do.
    pub limits: JointLimits,
    /// At the motor, joint side.
    pub friction: Option<Friction<f64>>,
    /// Rotor and drive as the joint feels them, kg m² (prismatic: kg).
    pub rotor_inertia: f64,
    /// Other joints that its motor turns with.
    pub coupling: Option<Coupling<f64>>,
}

fn any_coupled(joints: &[Joint]) -> bool {
    joints.iter().any(|joint| joint.coupling.is_some())
}

/// The rates of the motors at the joint sides of their gears, ν = K q̇: those of the joints, but for motors that turn with several.
pub fn motor_rates<'q>(joints: &[Joint], qd: &'q [f64]) -> Cow<'q, [f64]> {
    if !any_coupled(joints) {
        return Cow::Borrowed(qd);
    }
    let rate = |(i, own): (usize, &f64)| {
        let turns = joints.get(i).and_then(|joint| joint.coupling);
        own + turns.map_or(0.0, |all| all.turns().map(|(k, ratio)| ratio * qd.get(k).unwrap_or(&0.0)).sum())
    };
    Cow::Owned(qd.iter().enumerate().map(rate).collect())
}

/// The torques of the motors at the joint sides of their gears, K⁻ᵀ τ: those of the joints, but where motors turn with several. NaN where the
/// motors leave a joint undriven.
pub fn motor_torques<'t>(joints: &[Joint], tau: &'t [f64]) -> Cow<'t, [f64]> {
    if !any_coupled(joints) {
        return Cow::Borrowed(tau);
    }
    let n = tau.len();
    // Kᵀ, row by row.
    let mut matrix = vec![0.0; n * n];
    for (i, joint) in joints.iter().enumerate().take(n) {
        matrix[i * n + i] = 1.0;
        let turns = joint.coupling.iter().flat_map(|all| all.turns().collect::<Vec<_>>());
        turns.filter(|(k, _)| *k < n).for_each(|(k, ratio)| matrix[k * n + i] += ratio);
    }
    let (mut exchanges, mut torques) = (vec![0; n], tau.to_vec());
    if dense::lu(&mut matrix, n, &mut exchanges) < LEAST_PIVOT {
        return Cow::Owned(vec![f64::NAN; n]);
    }
    dense::lu_solve(&matrix, n, &exchanges, &mut torques);
    Cow::Owned(torques)
}

/// Below this share of the largest pivot motors leave a joint undriven.
const LEAST_PIVOT: f64 = 1e-9;

/// A standing joint with dry friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sticking {
    /// From 1.
    pub joint: usize,
    /// It stays as long as its torque is off by less than this, N m (N).
    pub holds: f64,
    /// What a linear model has in place of that: the slope of the smoothing at standstill, N m s/rad (N s/m).
    pub slope: f64,
}

/// The joints with dry friction that stand, as far as their smoothed friction can tell.
pub fn sticking(joints: &[Joint], qd: &[f64]) -> Vec<Sticking> {
    /// In smoothing velocities: of the slope at standstill a share of 2e-4 is left here.
    const STANDS: f64 = 5.0;
    let rates = motor_rates(joints, qd);
    let standing = joints.iter().zip(&*rates).enumerate().filter_map(|(i, (joint, qd))| {
        let friction = joint.friction?;
        let holds = friction.break_away();
        let sticks = holds > 0.0 && qd.abs() < STANDS * friction.smoothing_velocity;
        sticks.then(|| Sticking { joint: i + 1, holds, slope: friction.slope(0.0) - friction.viscous })
    });
    standing.collect()
}

/// The unit of a quantity of several joints: one, or both where some turn and others slide.
pub fn units_of(joints: &[Joint], unit: impl Fn(JointUnits) -> &'static str) -> String {
    let has = |kind: JointKind| joints.iter().any(|joint| joint.kind == kind);
    let kinds = [JointKind::Revolute, JointKind::Prismatic].into_iter().filter(|kind| has(*kind));
    kinds.map(|kind| unit(kind.units())).collect::<Vec<_>>().join(" or ")
}

/// What is so where all joints turn, where all slide, and where some do.
pub fn by_kind<T>(joints: &[Joint], [turn, slide, both]: [T; 3]) -> T {
    match joints.iter().filter(|joint| joint.kind == JointKind::Prismatic).count() {
        0 => turn,
        count if count == joints.len() => slide,
        _ => both,
    }
}

/// What has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// Joint position, limited by a range.
    Position,
    /// Angle of a passive ball joint out of its plane.
    #[serde(rename = "ball angle")]
    BallAngle,
    /// Joint speed.
    Speed,
    /// Joint torque or force.
    Torque,
}

impl Quantity {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::BallAngle => "ball angle",
            Self::Speed => "speed",
            Self::Torque => "torque",
        }
    }

    /// Whether a motor drives it, so that more time or another motor helps.
    pub fn is_driven(self) -> bool {
        matches!(self, Self::Speed | Self::Torque)
    }

    /// The stem of its columns: `q`, `ball`, `qd`, `tau`.
    pub fn column(self) -> &'static str {
        match self {
            Self::Position => "q",
            Self::BallAngle => "ball",
            Self::Speed => "qd",
            Self::Torque => "tau",
        }
    }
}

/// A limit of the robot that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    /// What exceeds it.
    pub quantity: Quantity,
    /// Whether the joint turns or slides.
    #[serde(skip)]
    pub kind: JointKind,
    /// From 1.
    pub joint: usize,
    /// The value.
    pub value: f64,
    /// The limit that it exceeds.
    pub limit: f64,
}

impl Violation {
    /// The column it is about, as the column `limits` names it.
    pub fn column(&self) -> String {
        format!("{}{}", self.quantity.column(), self.joint)
    }

    /// How far beyond its limit, in the quantity's unit. Speed and torque are limited either way, a position at one end.
    pub fn beyond(&self) -> f64 {
        match self.quantity {
            Quantity::Speed | Quantity::Torque => self.value.abs() - self.limit.abs(),
            Quantity::Position | Quantity::BallAngle => (self.value - self.limit).abs(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantity, kind, joint, value, limit } = *self;
        let units = kind.units();
        let (name, unit, scale) = match quantity {
            Quantity::Position if kind == JointKind::Revolute => {
                ("position of joint", "deg", 180.0 / std::f64::consts::PI)
            }
            Quantity::Position => ("position of joint", "m", 1.0),
            Quantity::BallAngle => ("ball angle", "deg", 180.0 / std::f64::consts::PI),
            Quantity::Speed => ("speed of joint", units.speed, 1.0),
            Quantity::Torque => ("torque of joint", units.torque, 1.0),
        };
        let text = |value: f64| crate::report::text::human(value * scale, 5);
        let which = match quantity {
            Quantity::Position if value < limit => "lower ",
            Quantity::Position => "upper ",
            _ => "",
        };
        write!(f, "{name} {joint} is {} {unit}, its {which}limit {} {unit}", text(value), text(limit))
    }
}

/// Which limits a state exceeds, joint by joint; speeds and torques are those of the motors. Ball angles, speeds and torques are looked at where they are given.
pub fn violations(
    joints: &[Joint],
    q: &[f64],
    ball: Option<&[f64]>,
    qd: Option<&[f64]>,
    tau: Option<&[f64]>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    // Drives are limited at their motors.
    let [qd, tau] = [qd.map(|qd| motor_rates(joints, qd)), tau.map(|tau| motor_torques(joints, tau))];
    let [qd, tau] = [qd.as_deref(), tau.as_deref()];
    for (i, joint) in joints.iter().enumerate() {
        let JointLimits { range, max_speed, max_torque, max_ball_angle, .. } = joint.limits;
        let mut note = |quantity: Quantity, values: Option<&[f64]>, [low, high]: [f64; 2]| {
            let Some(&value) = values.and_then(|values| values.get(i)) else { return };
            if value < low || value > high {
                // Speed and torque are limited either way, and their limit is told as one positive number.
                let limit = if value < low && !quantity.is_driven() { low } else { high };
                found.push(Violation { quantity, kind: joint.kind, joint: i + 1, value, limit });
            }
        };
        note(Quantity::Position, Some(q), range);
        note(Quantity::BallAngle, ball, [-max_ball_angle, max_ball_angle]);
        note(Quantity::Speed, qd, [-max_speed, max_speed]);
        note(Quantity::Torque, tau, [-max_torque, max_torque]);
    }
    found
}
