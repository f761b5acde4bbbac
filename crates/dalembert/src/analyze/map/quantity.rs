//! What can be mapped.

use super::Field;
use crate::algebra::{difference, three};
use crate::analyze::stability;
use crate::delta::{AnyModel, Branch, Delta, KinematicsError, Limits, ModelDoesNotApply, ModelName, Pose};
use crate::describe::Robot;
use crate::friction::Friction;
use crate::serial::GeometryDoesNotApply;
use crate::{Dual, Vec3};

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whether a position is reached, and if not, why.
    Reach,
    /// Distance from type-1 singularities: transmission margins of the arms.
    Transmission,
    /// Distance from type-2 singularities: determinant of the rod directions.
    Determinant,
    /// Condition number of the Jacobian: 1 is isotropic.
    Condition,
    /// Entries of the mass matrix in joint coordinates (Codourey 1998, Figures 4 and 5).
    Mass,
    /// Holding torques.
    Gravity,
    /// Largest platform acceleration from rest that the motors give in every direction, friction overcome.
    Acceleration,
    /// Largest force at the platform that the motors hold in every direction, without help of friction.
    Force,
    /// What one step of the joints' encoders moves the platform, at most.
    Resolution {
        /// Step of the encoders, joint side, rad.
        step: f64,
    },
    /// Stiffness and growth under a constant torque.
    Stability,
    /// Torques of one model less those of another, at rest and accelerating.
    TorqueError {
        /// The model.
        model: ModelName,
        /// What it is compared with.
        reference: ModelName,
        /// Platform acceleration, any direction, m/s².
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
        (
            "torque-error",
            Self::TorqueError { model: ModelName::CodoureySimplified, reference: ModelName::Exact, acceleration: 50.0 },
        ),
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

    /// The two channels of a map of reach.
    pub(super) fn reach(missing: &'static str) -> Vec<Self> {
        let reasons = Self { reasons: true, ..Self::new("reach", "", "0 reached, else the number of the reason") };
        vec![reasons, Self::new("missing", "m", missing)]
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
    Model(#[from] ModelDoesNotApply),
    #[error("a map needs a closed inverse kinematics, which arms of six joints can have; this one has {joints}")]
    NotSix { joints: usize },
    #[error("a map needs a closed inverse kinematics, and this arm has none: {0}")]
    NoClosedForm(GeometryDoesNotApply),
    #[error("`{kind}` is a map of Deltas, not of serial arms")]
    NotOfArms { kind: &'static str },
}

/// Why a position is not usable; the number is that of a map of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is: 0.
    Usable,
    /// Too far from an arm (1, 2, 3): 1 … 3.
    TooFar(usize),
    /// Too close to the motor axis of an arm: 4 … 6.
    TooClose(usize),
    /// Type-1 singular: 7 … 9.
    ArmSingular(usize),
    /// Type-2 singular: 10.
    PlatformSingular,
    /// A joint out of its range: 11 … 13.
    JointRange(usize),
    /// A ball joint beyond its angle: 14 … 16.
    BallAngle(usize),
    /// A serial arm, wrist too far out: 17.
    ToolTooFar,
    /// A serial arm, wrist too close to the shoulder or to the first axis: 18.
    ToolTooClose,
    /// A joint of a serial arm (1 … 6) out of its range: 19 … 24.
    SerialRange(usize),
}

impl Reason {
    /// How many numbers there are.
    pub const COUNT: usize = 25;

    /// Its number.
    pub fn code(self) -> usize {
        match self {
            Self::Usable => 0,
            Self::TooFar(arm) => arm,
            Self::TooClose(arm) => 3 + arm,
            Self::ArmSingular(arm) => 6 + arm,
            Self::PlatformSingular => 10,
            Self::JointRange(arm) => 10 + arm,
            Self::BallAngle(arm) => 13 + arm,
            Self::ToolTooFar => 17,
            Self::ToolTooClose => 18,
            Self::SerialRange(joint) => 18 + joint,
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
            19..=24 => format!("joint {} out of range", code - 18),
            _ => format!("{code}"),
        }
    }

    pub(crate) fn of(error: &KinematicsError) -> Self {
        match *error {
            KinematicsError::OutOfReach { arm, too_close: false, .. } => Self::TooFar(arm),
            KinematicsError::OutOfReach { arm, .. } | KinematicsError::OnMotorAxis { arm } => Self::TooClose(arm),
            KinematicsError::ArmSingular { arm, .. } => Self::ArmSingular(arm),
            _ => Self::PlatformSingular,
        }
    }

    /// The first limit that a pose passes.
    pub(crate) fn limited(pose: &Pose<'_, f64>, limits: &[Limits; 3]) -> Option<Self> {
        let (q, balls) = (pose.joints(), pose.ball_angles());
        let range = |&i: &usize| !(limits[i].range[0]..=limits[i].range[1]).contains(&q[i]);
        let ball = |&i: &usize| balls[i].abs() > limits[i].max_ball_angle;
        let joint = (0..3).find(range).map(|i| Self::JointRange(i + 1));
        joint.or_else(|| (0..3).find(ball).map(|i| Self::BallAngle(i + 1)))
    }
}

/// A robot and a quantity, ready to be evaluated anywhere.
pub struct Mapper<'r> {
    robot: &'r Delta<f64>,
    limits: [Limits; 3],
    kind: Kind,
    channels: Vec<Channel>,
    /// For the stiffness.
    lifted: Delta<Dual<f64, 3>>,
    models: Option<[AnyModel<f64>; 2]>,
    /// Elbow branch.
    pub branch: Branch,
    /// Positions beyond the limits of joints and balls count as not reached.
    pub within_limits: bool,
    /// Positions with a type-1 or type-2 margin below this count as not reached; maps of reach tell them all.
    pub least_margin: f64,
}

impl<'r> Mapper<'r> {
    /// Elbows out, joint limits not enforced.
    pub fn new(robot: &'r Robot, kind: Kind) -> Result<Self, MapError> {
        let delta = &robot.delta;
        let what = match kind {
            Kind::Acceleration => Some("acceleration"),
            Kind::Force => Some("force"),
            _ => None,
        };
        if let Some(what) = what
            && robot.limits.iter().any(|limit| !limit.max_torque.is_finite())
        {
            return Err(MapError::NoTorqueLimit { what });
        }
        let mut models = None;
        match kind {
            Kind::Resolution { step } if !(step > 0.0 && step.is_finite()) => {
                return Err(MapError::BadValue { what: "encoder step", value: step, must: "positive and finite" });
            }
            Kind::TorqueError { model, reference, acceleration } => {
                if !(acceleration >= 0.0 && acceleration.is_finite()) {
                    let must = "zero or positive, and finite";
                    return Err(MapError::BadValue { what: "acceleration", value: acceleration, must });
                }
                for name in [model, reference] {
                    name.applies_to(delta.parameters())?;
                }
                models = Some([model, reference].map(|name| name.build(delta.parameters())));
            }
            _ => {}
        }
        let channels = channels(&kind);
        Ok(Self {
            robot: delta,
            limits: robot.limits,
            branch: Branch::Out,
            kind,
            channels,
            lifted: delta.lift(),
            models,
            within_limits: false,
            least_margin: 0.0,
        })
    }

    /// The quantity.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    fn allowed(&self, pose: &Pose<'_, f64>) -> bool {
        let clear = |margin: f64| margin.abs() >= self.least_margin;
        (self.least_margin == 0.0
            || (clear(pose.rod_determinant()) && pose.transmission_margins().into_iter().all(clear)))
            && (!self.within_limits || Reason::limited(pose, &self.limits).is_none())
    }

    fn at_pose(&self, pose: &Pose<'_, f64>, values: &mut [f64]) {
        let put = |values: &mut [f64], v: [f64; 3], last: f64| {
            values[..3].copy_from_slice(&v);
            values[3] = last;
        };
        let largest = |v: [f64; 3]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        match self.kind {
            Kind::Reach => {}
            Kind::Transmission => {
                let margins = pose.transmission_margins();
                put(values, margins, margins.iter().fold(f64::INFINITY, |m, x| m.min(x.abs())));
            }
            Kind::Determinant => values[0] = pose.rod_determinant().abs(),
            Kind::Condition => {
                let k = pose.inverse_jacobian();
                let squares = stability::eigenvalues(k.transpose().product(k));
                values[0] = (squares[2] / squares[0].max(0.0)).sqrt();
            }
            Kind::Mass => {
                let m = pose.mass_matrix();
                values[..6].copy_from_slice(&[m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]]);
            }
            Kind::Gravity => {
                let torque = pose.gravity_torque();
                put(values, torque, largest(torque));
            }
            Kind::Acceleration => {
                // τ = τ_g + Kᵀ M a: row i, turned in all directions, adds ± |row| |a|.
                let rows = pose.inverse_jacobian().transpose().product(pose.cartesian_mass_matrix());
                values[0] = self.spare(pose, rows.0, true);
            }
            Kind::Force => values[0] = self.spare(pose, pose.inverse_jacobian().transpose().0, false),
            Kind::Resolution { step } => {
                let k = pose.inverse_jacobian();
                let moved = |signs: [f64; 3]| (k * Vec3(signs)).norm_squared().sqrt();
                let corners = [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]];
                values[0] = step * corners.map(moved).into_iter().fold(0.0, f64::max);
            }
            Kind::Stability => {
                let rest = stability::at_rest_of(&self.lifted, pose);
                values[..3].copy_from_slice(&[rest.stiffnesses()[0], rest.growth(), rest.least_gain()]);
            }
            Kind::TorqueError { acceleration, .. } => {
                let Some([model, reference]) = &self.models else { return };
                let (model, reference) = (model.as_model(), reference.as_model());
                let held = difference(model.gravity_torque(pose), reference.gravity_torque(pose));
                let mass = model.mass_matrix(pose) - reference.mass_matrix(pose);
                let rows = mass.product(pose.jacobian());
                let error = three(|i| held[i].abs() + acceleration * rows[i].norm_squared().sqrt());
                put(values, error, largest(error));
            }
        }
    }

    /// How long a vector may be in every direction, so that no motor needs more than it has; zero where one cannot even
    /// hold the robot. A motor that `sets_off` has to overcome its friction too.
    fn spare(&self, pose: &Pose<'_, f64>, rows: [Vec3<f64>; 3], sets_off: bool) -> f64 {
        let held = pose.gravity_torque();
        let arms = &self.robot.parameters().arms;
        let friction = |i: usize| if sets_off { break_away(arms[i].motor.friction) } else { 0.0 };
        let of = |i: usize| (self.limits[i].max_torque - held[i].abs() - friction(i)) / rows[i].norm_squared().sqrt();
        (0..3).map(of).fold(f64::INFINITY, f64::min).max(0.0)
    }
}

/// What a motor at rest has to overcome before it moves, N m.
pub(super) fn break_away(friction: Option<Friction<f64>>) -> f64 {
    friction.map_or(0.0, |friction| friction.coulomb.max(friction.static_friction))
}

impl Field for Mapper<'_> {
    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn evaluate(&self, position: Vec3<f64>, values: &mut [f64]) {
        let pose = self.robot.at_position(position, self.branch);
        if self.kind == Kind::Reach {
            let reason = match &pose {
                Ok(pose) => Reason::limited(pose, &self.limits).unwrap_or(Reason::Usable),
                Err(error) => Reason::of(error),
            };
            values[0] = reason.code() as f64;
            values[1] = match &pose {
                Ok(_) => 0.0,
                Err(KinematicsError::OutOfReach { distance, .. }) => *distance,
                Err(_) => f64::NAN,
            };
            return;
        }
        match pose {
            Ok(pose) if self.allowed(&pose) => self.at_pose(&pose, values),
            _ => values.fill(f64::NAN),
        }
    }
}

fn channels(kind: &Kind) -> Vec<Channel> {
    let one = |name: &str, unit, meaning| vec![Channel::new(name, unit, meaning)];
    let arms = |name: &str, unit, meaning, last: &str, last_meaning| {
        let mut all: Vec<Channel> = (1..=3).map(|i| Channel::new(format!("{name}{i}"), unit, meaning)).collect();
        all.push(Channel::new(last, unit, last_meaning));
        all
    };
    match kind {
        Kind::Reach => Channel::reach("by how much the forearm is too short or too long"),
        Kind::Transmission => {
            arms("transmission", "", "type-1 margin of an arm", "transmission", "least type-1 margin")
        }
        Kind::Determinant => one("rod_determinant", "", "type-2 margin, |det[s1 s2 s3]|/L^3"),
        Kind::Condition => one("condition", "", "condition number of the Jacobian"),
        Kind::Mass => ["M11", "M12", "M13", "M22", "M23", "M33"]
            .map(|name| Channel::new(name, "kg m^2", "entry of the mass matrix"))
            .to_vec(),
        Kind::Gravity => arms("g", "N m", "holding torque", "g", "largest holding torque"),
        Kind::Acceleration => one("acceleration", "m/s^2", "largest acceleration in every direction"),
        Kind::Force => one("force", "N", "largest force in every direction"),
        Kind::Resolution { .. } => one("resolution", "m", "largest move of the platform per encoder step"),
        Kind::Stability => [
            ("stiffness", "N m/rad", "least stiffness under constant torque"),
            ("growth", "1/s", "fastest growth under constant torque"),
            ("least_gain", "N m/rad", "least stabilising gain"),
        ]
        .map(|(name, unit, meaning)| Channel::new(name, unit, meaning))
        .to_vec(),
        Kind::TorqueError { .. } => arms("error", "N m", "largest torque error", "error", "largest over the motors"),
    }
}
