//! Quantities over the workspace: what a robot is like with its tool at a position, or turned while it stays at one.
//!
//! A family that can put its tool anywhere says so with [`Mapped`], and has every quantity that follows from its formulas
//! ([`crate::dynamics`]): reach, condition, mass, gravity, acceleration, force, resolution. It adds those that only it has.

use super::orientation::{attitude, rotation};
use super::stability::Held;
use super::{DoesNotApply, Family, Joint, JointKind, Model, Pick, Robot, StateError, ToolState, by_kind};
use crate::array::map;
use crate::dynamics::{self, State as _};
use crate::friction::FrictionLaw;
use crate::limits::JointLimits;
use crate::linear::{Matrix, symmetric_eigenvalues};
use crate::spatial::{Frame, Twist, Wrench};
use crate::{Mat3, Vec3};
use std::sync::Arc;

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whether a position is reached, and if not, why.
    Reach,
    /// Distance from type-1 singularities: transmission margins of a Delta's arms.
    Transmission,
    /// Distance from singularities: determinant of a Delta's rod directions (type 2), of an arm's Jacobian.
    Determinant,
    /// Condition number of the Jacobian of the tool's position: 1 is isotropic.
    Condition,
    /// Entries of the mass matrix in joint coordinates (Codourey 1998, Figures 4 and 5).
    Mass,
    /// Holding torques.
    Gravity,
    /// Largest acceleration of the tool from rest that the motors give in every direction, friction overcome.
    Acceleration,
    /// Largest force at the tool that the motors hold in every direction, without help of friction.
    Force,
    /// What one step of the joints' encoders moves the tool, at most.
    Resolution {
        /// Step of the encoders, joint side, rad (m).
        step: f64,
    },
    /// Stiffness and growth under a constant torque.
    Stability,
    /// Torques of one model less those of another, at rest and accelerating.
    TorqueError {
        /// The model, by its name.
        model: &'static str,
        /// What it is compared with.
        reference: &'static str,
        /// Acceleration of the tool, any direction, m/s².
        acceleration: f64,
    },
}

impl Kind {
    /// Names for a command line, with a default for what they need.
    pub const NAMED: [(&'static str, Self); 11] = [
        ("reach", Self::Reach),
        ("transmission", Self::Transmission),
        ("determinant", Self::Determinant),
        ("condition", Self::Condition),
        ("mass", Self::Mass),
        ("gravity", Self::Gravity),
        ("acceleration", Self::Acceleration),
        ("force", Self::Force),
        ("resolution", Self::Resolution { step: 1e-4 }),
        ("stability", Self::Stability),
        ("torque-error", Self::TorqueError { model: "codourey-simplified", reference: "exact", acceleration: 50.0 }),
    ];

    /// Its name.
    pub fn as_str(&self) -> &'static str {
        let same = |other: &Self| std::mem::discriminant(other) == std::mem::discriminant(self);
        Self::NAMED.iter().find(|(_, kind)| same(kind)).map_or("", |(name, _)| name)
    }

    /// The first channel to look at, of `channels` in all: where every arm or joint has one, the one over all, which is
    /// the last.
    pub fn main_channel(&self, channels: usize) -> usize {
        match self {
            Self::Transmission | Self::Gravity | Self::TorqueError { .. } => channels.saturating_sub(1),
            _ => 0,
        }
    }
}

/// What maps may be told besides the quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapOptions {
    /// Which of several solutions of the inverse kinematics.
    pub pick: Pick,
    /// How the tool is turned, base frame, for robots whose tool turns; by default it points down.
    pub orientation: Option<Mat3<f64>>,
    /// Where the tool stays while it turns, base frame, m: the map is then over orientations, and its places are roll, pitch
    /// and yaw.
    pub position: Option<Vec3<f64>>,
    /// Positions beyond the limits of joints and balls count as not reached; maps of reach always tell them.
    pub within_limits: bool,
    /// Positions with a margin from singularities below this count as not reached, for robots that have such margins; by
    /// default 0.1, but maps of reach and of the margins themselves show them all.
    pub least_margin: Option<f64>,
    /// The model whose mass matrix is mapped; the exact one by default.
    pub mass_model: Option<&'static str>,
}

/// What the three numbers of a place mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Places {
    /// x, y and z of the tool, m, turned like this.
    Positions(Mat3<f64>),
    /// Its roll, pitch and yaw, rad, at this position, m.
    Orientations(Vec3<f64>),
}

impl Places {
    /// As options say; turned as usual where they say nothing.
    pub fn of(options: &MapOptions, family: &dyn Family) -> Result<Self, MapError> {
        match (options.position, options.orientation) {
            (Some(_), Some(_)) => {
                let text = "a map over orientations has no orientation of its own";
                Err(StateError::new(super::Reason::NotOffered, text).into())
            }
            (Some(position), None) => Ok(Self::Orientations(position)),
            (None, turned) => Ok(Self::Positions(turned.unwrap_or_else(|| family.description().usual_orientation))),
        }
    }

    /// The tool at a place.
    pub fn frame(&self, place: Vec3<f64>) -> Frame<f64> {
        match *self {
            Self::Positions(rotation) => Frame { rotation, origin: place },
            Self::Orientations(origin) => Frame { rotation: rotation(place.0), origin },
        }
    }

    /// A box that holds all places that are reached, if this one holds all positions.
    pub fn bounds(&self, positions: [[f64; 2]; 3]) -> [[f64; 2]; 3] {
        use std::f64::consts::{FRAC_PI_2, PI};
        match self {
            Self::Positions(_) => positions,
            Self::Orientations(_) => [[-PI, PI], [-FRAC_PI_2, FRAC_PI_2], [-PI, PI]],
        }
    }

    /// The place of the tool in the middle of what is reached.
    pub fn middle(&self, home: Frame<f64>) -> Vec3<f64> {
        match self {
            Self::Positions(_) => home.origin,
            Self::Orientations(_) => Vec3(attitude(home.rotation)),
        }
    }

    /// Name and unit of each of the three numbers.
    pub fn axes(&self) -> [MapAxis; 3] {
        match self {
            Self::Positions(_) => [("x", "m"), ("y", "m"), ("z", "m")],
            Self::Orientations(_) => [("roll", "rad"), ("pitch", "rad"), ("yaw", "rad")],
        }
    }
}

/// Name and unit of one of the three numbers of a place.
pub type MapAxis = (&'static str, &'static str);

/// One number of a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// As a column.
    pub name: String,
    /// SI; empty for a plain number.
    pub unit: &'static str,
    /// In words.
    pub meaning: &'static str,
    /// Whether the values are numbers of a [`Reason`].
    pub reasons: bool,
}

impl Channel {
    /// A channel of plain numbers.
    pub fn new(name: impl Into<String>, unit: &'static str, meaning: &'static str) -> Self {
        Self { name: name.into(), unit, meaning, reasons: false }
    }
}

/// Why there is no such map.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum MapError {
    #[error("the robot has no torque limit, so there is no largest {what}: give `motor.max_torque` in its file")]
    NoTorqueLimit { what: &'static str },
    #[error("{what} is {value}, but must be {must}")]
    BadValue { what: &'static str, value: f64, must: &'static str },
    #[error(transparent)]
    Model(#[from] DoesNotApply),
    #[error(transparent)]
    StateError(#[from] StateError),
}

/// Why a position is not usable; the number is that of a map of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is: 0.
    Usable,
    /// A Delta, too far from an arm (1, 2, 3): 1 … 3.
    TooFar(usize),
    /// Too close to the motor axis of an arm: 4 … 6.
    TooClose(usize),
    /// Type-1 singular: 7 … 9.
    ArmSingular(usize),
    /// Type-2 singular: 10.
    PlatformSingular,
    /// A joint of a Delta out of its range: 11 … 13.
    JointRange(usize),
    /// A ball joint beyond its angle: 14 … 16, of the fourth to the eighth 27 … 31.
    BallAngle(usize),
    /// Any other robot, too far: 17.
    ToolTooFar,
    /// Any other robot, too close: 18.
    ToolTooClose,
    /// A joint of any other robot (1 … 8) out of its range: 19 … 26.
    SerialRange(usize),
    /// An arm without named postures, no joints that have the tool there, turned like this: 32.
    NoJoints,
}

impl Reason {
    /// How many numbers there are.
    pub const COUNT: usize = 33;

    /// Its number.
    pub fn code(self) -> usize {
        match self {
            Self::Usable => 0,
            Self::TooFar(arm) => arm,
            Self::TooClose(arm) => 3 + arm,
            Self::ArmSingular(arm) => 6 + arm,
            Self::PlatformSingular => 10,
            Self::JointRange(arm) => 10 + arm,
            Self::BallAngle(arm @ 0..=3) => 13 + arm,
            Self::BallAngle(arm) => 23 + arm,
            Self::ToolTooFar => 17,
            Self::ToolTooClose => 18,
            Self::SerialRange(joint) => 18 + joint,
            Self::NoJoints => 32,
        }
    }

    /// The reason of a number, in words.
    pub fn text(code: usize) -> String {
        match code {
            0 => String::from("reached"),
            1..=3 => format!("too far for arm {code}"),
            4..=6 => format!("too close to arm {}", code - 3),
            7..=9 => format!("arm {} singular (type 1)", code - 6),
            10 => String::from("platform singular (type 2)"),
            11..=13 => format!("joint {} out of range", code - 10),
            14..=16 => format!("ball joint {} beyond its angle", code - 13),
            17 => String::from("too far"),
            18 => String::from("too close"),
            19..=26 => format!("joint {} out of range", code - 18),
            27..=31 => format!("ball joint {} beyond its angle", code - 23),
            32 => String::from("no joint positions put the tool there, turned like this"),
            _ => format!("{code}"),
        }
    }
}

/// A robot that can put its tool anywhere, as maps see it: static, so that a map costs little more than its formulas.
pub trait Mapped<const N: usize>: Send + Sync {
    /// The robot at rest with its tool at a place.
    type Pose<'a>: dynamics::State<f64, N>
    where
        Self: 'a;

    /// The reason for a joint (from 1) that is out of its range.
    const OUT_OF_RANGE: fn(usize) -> Reason = Reason::SerialRange;

    /// The robot at rest with its tool there; or why it cannot be, and by how much, m (0 where it is singular only, NaN where that is not known).
    fn at(&self, tool: Frame<f64>) -> Result<Self::Pose<'_>, (Reason, f64)>;

    /// Whether the tool may be there, if that can be said for less than by [`Mapped::at`]: where not, it cannot.
    fn may_reach(&self, tool: Frame<f64>) -> bool {
        self.at(tool).is_ok()
    }

    /// Angles of passive ball joints, rad.
    fn ball_angles(&self, tool: Frame<f64>, pose: &Self::Pose<'_>) -> Option<[f64; N]> {
        let _ = (tool, pose);
        None
    }

    /// Whether every margin from singularities is at least this.
    fn is_clear_by(&self, pose: &Self::Pose<'_>, margin: f64) -> bool {
        let _ = (pose, margin);
        true
    }

    /// Velocity of the tool per velocity of each joint.
    fn jacobian(&self, pose: &Self::Pose<'_>) -> [Vec3<f64>; N] {
        let rows = map([0, 1, 2], |k| pose.torque_of_wrench(Wrench::force(unit(k))));
        crate::array::from_fn(|joint| Vec3::from_fn(|k| rows[k][joint]))
    }

    /// Torque of each joint per acceleration of the tool from rest, which does not turn: M J⁻¹ (a, 0).
    fn torque_per_acceleration(&self, pose: &Self::Pose<'_>) -> [Vec3<f64>; N] {
        let mass = pose.mass_matrix();
        let columns = map([0, 1, 2], |k| pose.joint_acceleration(Twist::translation(unit(k)), [0.0; N]));
        map(mass, |row| Vec3::from_fn(|k| row.iter().zip(columns[k]).map(|(mass, qdd)| mass * qdd).sum()))
    }

    /// A box that holds all positions that are reached, m.
    fn bounds(&self) -> [[f64; 2]; 3];

    /// The middle of the places that are reached, for robots that can say it.
    fn middle(&self, places: &Places) -> Option<Vec3<f64>>;

    /// The numbers of a quantity that only this family has.
    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>>;

    /// Their values.
    fn own_values(&self, kind: &Kind, pose: &Self::Pose<'_>, values: &mut [f64]);
}

fn unit(k: usize) -> Vec3<f64> {
    Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 })
}

/// A robot and a quantity, ready to be evaluated anywhere.
struct Mapper<'r, R, const N: usize> {
    robot: R,
    family: &'r dyn Family,
    joints: [Joint; N],
    places: Places,
    kind: Kind,
    pick: Pick,
    within_limits: bool,
    least_margin: f64,
    /// Of a map of stability.
    held: Option<Held<'r>>,
    /// Another model than the exact one, for its mass matrix.
    mass_model: Option<Box<dyn Model>>,
}

impl<R: Mapped<N>, const N: usize> Mapper<'_, R, N> {
    /// The first limit that a pose exceeds.
    fn limited(&self, tool: Frame<f64>, pose: &R::Pose<'_>) -> Option<Reason> {
        let balls = self.robot.ball_angles(tool, pose);
        let balls = balls.as_ref().map(|balls| &balls[..]);
        first_limit(|i| self.joints[i].limits, &pose.joints().0, balls, R::OUT_OF_RANGE)
    }

    fn is_allowed(&self, tool: Frame<f64>, pose: &R::Pose<'_>) -> bool {
        (self.least_margin == 0.0 || self.robot.is_clear_by(pose, self.least_margin))
            && (!self.within_limits || self.limited(tool, pose).is_none())
    }

    fn evaluate(&self, position: Vec3<f64>, values: &mut [f64]) {
        let tool = self.places.frame(position);
        let found = self.robot.at(tool);
        if self.kind == Kind::Reach {
            let (reason, missing) = match &found {
                Ok(pose) => (self.limited(tool, pose).unwrap_or(Reason::Usable), 0.0),
                Err(unreached) => *unreached,
            };
            values.copy_from_slice(&[reason.code() as f64, missing]);
            return;
        }
        match found {
            Ok(pose) if self.is_allowed(tool, &pose) => match &self.held {
                Some(held) => {
                    let rest = held.with_tool_at(tool, &self.pick);
                    values.copy_from_slice(&rest.map_or([f64::NAN; 3], |rest| rest.told()));
                }
                None => self.at_pose(tool, &pose, values),
            },
            _ => values.fill(f64::NAN),
        }
    }

    fn at_pose(&self, tool: Frame<f64>, pose: &R::Pose<'_>, values: &mut [f64]) {
        match self.kind {
            Kind::Condition => values[0] = condition(&self.robot.jacobian(pose)),
            Kind::Mass => {
                let mut mass = pose.mass_matrix();
                let still = ToolState { pose: tool, ..ToolState::translating(tool.origin, Vec3::zero(), Vec3::zero()) };
                if let Some(model) = &self.mass_model
                    && let Ok(state) = self.family.at_tool(&still, &self.pick)
                {
                    let own = model.mass_matrix(&state);
                    mass = crate::array::from_fn(|i| crate::array::from_fn(|j| own[i][j]));
                }
                let upper = (0..N).flat_map(|i| (i..N).map(move |j| (i, j)));
                values.iter_mut().zip(upper).for_each(|(value, (i, j))| *value = mass[i][j]);
            }
            Kind::Gravity => {
                let torque = pose.gravity();
                values[..N].copy_from_slice(&torque);
                values[N] = torque.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
            }
            // τ = τ_g + row·a: a row, turned in all directions, adds ± |row| |a|.
            Kind::Acceleration => values[0] = self.spare(pose, self.robot.torque_per_acceleration(pose), true),
            Kind::Force => values[0] = self.spare(pose, self.robot.jacobian(pose), false),
            Kind::Resolution { step } => {
                let columns = self.robot.jacobian(pose);
                // The sign of all steps together does not matter: joint 1 keeps its own.
                let moved = |signs: u32| {
                    let all = (1..N).fold(columns[0], |sum: Vec3<f64>, i| {
                        if signs >> (i - 1) & 1 == 1 { sum - columns[i] } else { sum + columns[i] }
                    });
                    all.norm_squared().sqrt()
                };
                values[0] = step * (0..1 << (N - 1)).map(moved).fold(0.0, f64::max);
            }
            kind => self.robot.own_values(&kind, pose, values),
        }
    }

    /// How long a vector may be in every direction, so that no motor needs more than it has; zero where one cannot even
    /// hold the robot. A motor that `sets_off` has to overcome its friction too.
    fn spare(&self, pose: &R::Pose<'_>, rows: [Vec3<f64>; N], sets_off: bool) -> f64 {
        let held = pose.gravity();
        let of = |i: usize| {
            let joint = &self.joints[i];
            let friction = if sets_off { joint.friction.map_or(0.0, |friction| friction.break_away()) } else { 0.0 };
            let left = joint.limits.max_torque - held[i].abs() - friction;
            match rows[i].norm_squared().sqrt() {
                // A joint that has no part in it sets no limit, if it can hold the robot.
                0.0 if left >= 0.0 => f64::INFINITY,
                0.0 => 0.0,
                row => left / row,
            }
        };
        (0..N).map(of).fold(f64::INFINITY, f64::min).max(0.0)
    }
}

/// A quantity of a robot, with numbers at every position, from [`Family::field`].
#[allow(clippy::type_complexity)] // the functions are what they are
pub struct Field<'r> {
    channels: Vec<Channel>,
    places: Places,
    bounds: [[f64; 2]; 3],
    middle: Box<dyn Fn() -> Option<Vec3<f64>> + Send + Sync + 'r>,
    evaluate: Box<dyn Fn(Vec3<f64>, &mut [f64]) + Send + Sync + 'r>,
    may_reach: Box<dyn Fn(Vec3<f64>) -> bool + Send + Sync + 'r>,
}

impl<'r> Field<'r> {
    /// Refuses quantities that the family does not have, or that the robot's file says too little for.
    pub fn new<const N: usize>(
        robot: impl Mapped<N> + 'r,
        family: &'r dyn Family,
        kind: Kind,
        options: &MapOptions,
    ) -> Result<Self, MapError> {
        let all = family.joints();
        let what = kind.as_str();
        let own = robot.own_channels(&kind);
        // Where the family has no formula of its own, from its linear models.
        let held = match (&kind, &own) {
            (Kind::Stability, None) => {
                Some(Held::of(family).map_err(|error| StateError::new(super::Reason::NotOffered, error.0))?)
            }
            _ => None,
        };
        let Some(channels) = own.or_else(|| channels(&kind, &all)) else {
            return Err(StateError::not_offered(&format!("a map of {what}"), family.kind().title).into());
        };
        match kind {
            Kind::Acceleration | Kind::Force if all.iter().any(|joint| !joint.limits.max_torque.is_finite()) => {
                return Err(MapError::NoTorqueLimit { what });
            }
            Kind::Resolution { step } if !(step > 0.0 && step.is_finite()) => {
                return Err(MapError::BadValue { what: "encoder step", value: step, must: "positive and finite" });
            }
            Kind::TorqueError { acceleration, .. } if !(acceleration >= 0.0 && acceleration.is_finite()) => {
                let must = "zero or positive, and finite";
                return Err(MapError::BadValue { what: "acceleration", value: acceleration, must });
            }
            _ => {}
        }
        let shows_margins = matches!(kind, Kind::Reach | Kind::Transmission | Kind::Determinant);
        let least_margin = options.least_margin.unwrap_or(if shows_margins { 0.0 } else { 0.1 });
        let MapOptions { pick, within_limits, mass_model, .. } = options.clone();
        let mass_model = mass_model.map(|name| family.build_model(name)).transpose()?;
        let places = Places::of(options, family)?;
        let bounds = places.bounds(robot.bounds());
        let joints: [Joint; N] = crate::array::from_fn(|i| all[i]);
        let mapper =
            Mapper { robot, family, joints, places, kind, pick, within_limits, least_margin, held, mass_model };
        let mapper = Arc::new(mapper);
        let (same, about) = (mapper.clone(), mapper.clone());
        let evaluate = Box::new(move |position, values: &mut [f64]| mapper.evaluate(position, values));
        let may_reach = Box::new(move |position| same.robot.may_reach(same.places.frame(position)));
        let middle = Box::new(move || about.robot.middle(&places));
        Ok(Self { channels, places, bounds, middle, evaluate, may_reach })
    }

    /// What the numbers are.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The numbers at a position, one per channel; NaN where it is not reached.
    pub fn evaluate(&self, position: Vec3<f64>, values: &mut [f64]) {
        (self.evaluate)(position, values);
    }

    /// Whether the tool may be at a position, whatever the limits of the joints; where not, it cannot.
    pub fn may_reach(&self, position: Vec3<f64>) -> bool {
        (self.may_reach)(position)
    }

    /// A box that holds all positions that are reached, m.
    pub fn bounds(&self) -> [[f64; 2]; 3] {
        self.bounds
    }

    /// The middle of these positions, for robots that can say it.
    pub fn middle(&self) -> Option<Vec3<f64>> {
        (self.middle)()
    }

    /// What the three numbers of a position mean.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Name and unit of each of the three numbers of a position, which are roll, pitch and yaw in a map over orientations.
    pub fn axes(&self) -> [MapAxis; 3] {
        self.places.axes()
    }
}

/// The mass matrix of another model than the exact one, over the same positions: of any robot whose mass can be mapped.
pub fn model_mass<'r>(robot: &'r Robot, model: &str, options: &MapOptions) -> Result<Field<'r>, MapError> {
    robot.field(Kind::Mass, &MapOptions { mass_model: Some(robot.model_name(model)?), ..options.clone() })
}

/// The first limit that is exceeded: joints out of their ranges, then ball joints.
pub(super) fn first_limit(
    limits: impl Fn(usize) -> JointLimits,
    q: &[f64],
    balls: Option<&[f64]>,
    out_of_range: impl Fn(usize) -> Reason,
) -> Option<Reason> {
    let inside = |i: usize| (limits(i).range[0]..=limits(i).range[1]).contains(&q[i]);
    let joint = (0..q.len()).find(|&i| !inside(i)).map(|i| out_of_range(i + 1));
    joint.or_else(|| {
        let balls = balls?;
        (0..q.len()).find(|&i| balls[i].abs() > limits(i).max_ball_angle).map(|i| Reason::BallAngle(i + 1))
    })
}

/// From the eigenvalues of JᵀJ, or of JJᵀ where that is smaller.
fn condition<const N: usize>(columns: &[Vec3<f64>; N]) -> f64 {
    let few = N.min(3);
    let squares = symmetric_eigenvalues(Matrix::from_fn(3, 3, |i, j| match N {
        0..=3 if i.max(j) < N => columns[i].dot(columns[j]),
        0..=3 => 0.0,
        _ => columns.iter().map(|column| column[i] * column[j]).sum(),
    }));
    (squares[2] / squares[3 - few].max(0.0)).sqrt()
}

/// The type-1 margins of a robot's arms or legs, and the least of them.
pub(super) fn transmission_channels(count: usize, meaning: &'static str) -> Vec<Channel> {
    let each = (1..=count).map(|i| Channel::new(format!("transmission{i}"), "", meaning));
    each.chain([Channel::new("transmission", "", "least type-1 margin")]).collect()
}

/// Their values.
pub(super) fn put_transmission(margins: &[f64], values: &mut [f64]) {
    values[..margins.len()].copy_from_slice(margins);
    values[margins.len()] = margins.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
}

/// Whether a type-2 margin and all type-1 margins are at least this.
pub(super) fn are_clear(margin: f64, determinant: f64, transmission: &[f64]) -> bool {
    determinant.abs() >= margin && transmission.iter().all(|of| of.abs() >= margin)
}

/// The numbers of a map of stability, [`AtRest::told`](super::stability::AtRest::told).
fn stability_channels(unit: &'static str) -> Vec<Channel> {
    [
        ("stiffness", unit, "least stiffness under constant torque"),
        ("growth", "1/s", "fastest growth under constant torque"),
        ("least_gain", unit, "least stabilising gain"),
    ]
    .map(|(name, unit, meaning)| Channel::new(name, unit, meaning))
    .to_vec()
}

/// The numbers of a quantity that all families have.
pub(super) fn channels(kind: &Kind, joints: &[Joint]) -> Option<Vec<Channel>> {
    let one = |name: &str, unit, meaning| vec![Channel::new(name, unit, meaning)];
    Some(match kind {
        Kind::Reach => {
            let reasons =
                Channel { reasons: true, ..Channel::new("reach", "", "0 reached, else the number of the reason") };
            vec![reasons, Channel::new("missing", "m", "by how much it is too far or too close")]
        }
        Kind::Condition => one("condition", "", "condition number of the Jacobian of the tool's position"),
        Kind::Mass => {
            let unit = |i: usize, j: usize| match [joints[i].kind, joints[j].kind] {
                [JointKind::Revolute, JointKind::Revolute] => "kg m^2",
                [JointKind::Prismatic, JointKind::Prismatic] => "kg",
                _ => "kg m",
            };
            let upper = (0..joints.len()).flat_map(|i| (i..joints.len()).map(move |j| (i, j)));
            let entry = |(i, j)| Channel::new(format!("M{}{}", i + 1, j + 1), unit(i, j), "entry of the mass matrix");
            upper.map(entry).collect()
        }
        Kind::Gravity => {
            let each = (1..).zip(joints);
            let mut all: Vec<Channel> = each
                .map(|(i, joint)| Channel::new(format!("g{i}"), joint.kind.units().torque, "holding torque"))
                .collect();
            all.push(Channel::new("g", by_kind(joints, ["N m", "N", "N m or N"]), "largest holding torque"));
            all
        }
        Kind::Acceleration => one("acceleration", "m/s^2", "largest acceleration in every direction, tool not turning"),
        Kind::Force => one("force", "N", "largest force in every direction"),
        Kind::Resolution { .. } => one("resolution", "m", "largest move of the tool per encoder step"),
        Kind::Stability => stability_channels(by_kind(joints, ["N m/rad", "N/m", "N m/rad or N/m"])),
        Kind::Transmission | Kind::Determinant | Kind::TorqueError { .. } => return None,
    })
}
