//! The verbs that analyse: `linearize`, `poles`, `stability`, `map`, `sensitivity`. They share how a state is given.

pub mod linearize;
pub mod map;
pub mod poles;
pub mod sensitivity;
pub mod stability;

use crate::arguments::tell_warnings;
use crate::failure::Failure;
use crate::output::human;
use clap::Args;
use dalembert::analyze::Reach;
use dalembert::delta::{Assembly, Branch, Delta, KinematicsError, Moving};
use dalembert::describe::{AnyRobot, Dimension, quantity};
use dalembert::friction::Friction;
use dalembert::{Robot, SerialRobot, Vec3};

/// A state of a robot, and changes of the robot for this run.
#[derive(Args)]
pub struct PointArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    robot: String,
    /// Joint angles, rad or with unit; one value stands for all joints
    #[arg(short = 'q', long, value_name = "Q1,Q2,..", allow_hyphen_values = true)]
    joints: Option<String>,
    /// Joint velocities, rad/s
    #[arg(long, value_name = "V1,V2,..", allow_hyphen_values = true)]
    joint_velocity: Option<String>,
    /// Joint accelerations, rad/s²
    #[arg(long, value_name = "A1,A2,..", allow_hyphen_values = true)]
    joint_acceleration: Option<String>,
    /// Platform position of a Delta, m  [default: the centre of the workspace]
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = ["joints", "joint_velocity", "joint_acceleration"])]
    position: Option<String>,
    /// Platform velocity of a Delta, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = ["joints", "joint_velocity", "joint_acceleration"])]
    velocity: Option<String>,
    /// Platform acceleration of a Delta, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = ["joints", "joint_velocity", "joint_acceleration"])]
    acceleration: Option<String>,
    #[command(flatten)]
    changes: ChangeArguments,
}

/// The robot of the file, otherwise: what if?
#[derive(Args)]
pub struct ChangeArguments {
    /// Carry this payload, kg (Delta)
    #[arg(long, value_name = "KG", allow_hyphen_values = true)]
    payload: Option<String>,
    /// Viscous friction at every motor instead of the file's friction, N m s/rad (Delta)
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    damping: Option<String>,
    /// Mount the robot upside down (Delta)
    #[arg(long)]
    upside_down: bool,
}

impl ChangeArguments {
    pub fn apply(&self, robot: &mut Robot) -> Result<(), Failure> {
        let mut parameters = *robot.delta.parameters();
        if let Some(text) = &self.payload {
            parameters.payload_mass = one("payload", text, Dimension::Mass)?;
        }
        if let Some(text) = &self.damping {
            let viscous = one("damping", text, Dimension::Damping)?;
            for arm in &mut parameters.arms {
                arm.motor.friction = Some(Friction { viscous, ..Friction::NONE });
            }
        }
        if self.upside_down {
            parameters.gravity = -parameters.gravity;
        }
        robot.delta = Delta::try_new(parameters).map_err(|error| Failure::new(error.to_string()))?;
        Ok(())
    }

    fn any(&self) -> bool {
        self.payload.is_some() || self.damping.is_some() || self.upside_down
    }
}

/// A robot in a state.
pub enum Point {
    Delta { robot: Box<Robot>, position: Vec3<f64>, velocity: Vec3<f64>, acceleration: Vec3<f64> },
    DeltaJoints { robot: Box<Robot>, q: Vec3<f64>, qd: Vec3<f64>, qdd: Vec3<f64> },
    Serial { robot: Box<SerialRobot>, q: Vec<f64>, qd: Vec<f64>, qdd: Vec<f64> },
}

impl PointArguments {
    /// `rest`: values of joint velocities and accelerations of a serial arm where none are given.
    pub fn plan(&self, rest: f64) -> Result<Point, Failure> {
        let any = AnyRobot::find(&self.robot)?;
        tell_warnings(&self.robot, any.warnings());
        match any {
            AnyRobot::Delta(mut robot) => {
                self.changes.apply(&mut robot)?;
                let of = |name, text: &Option<String>, dimension| match text {
                    Some(text) => list(name, text, dimension, 3).map(|v| Vec3::new(v[0], v[1], v[2])),
                    None => Ok(Vec3::zero()),
                };
                let joints = [&self.joints, &self.joint_velocity, &self.joint_acceleration];
                if joints.iter().any(|given| given.is_some()) {
                    if self.joints.is_none() {
                        return Err(Failure::new("joint velocities need `--joints`"));
                    }
                    return Ok(Point::DeltaJoints {
                        robot,
                        q: of("joints", joints[0], Dimension::Angle)?,
                        qd: of("joint-velocity", joints[1], Dimension::AngularSpeed)?,
                        qdd: of("joint-acceleration", joints[2], Dimension::Ratio)?,
                    });
                }
                let position = match &self.position {
                    Some(_) => of("position", &self.position, Dimension::Length)?,
                    None => Reach::of(&robot.delta).center,
                };
                let velocity = of("velocity", &self.velocity, Dimension::Speed)?;
                let acceleration = of("acceleration", &self.acceleration, Dimension::Acceleration)?;
                Ok(Point::Delta { robot, position, velocity, acceleration })
            }
            AnyRobot::Serial(robot) => {
                let given = [&self.position, &self.velocity, &self.acceleration];
                if given.iter().any(|given| given.is_some()) || self.changes.any() {
                    return Err(Failure::new("a serial arm takes its state in joints").hint(
                        "use --joints, --joint-velocity, --joint-acceleration; payload and friction are in its file",
                    ));
                }
                let n = robot.arm.joints();
                let of = |name, text: &Option<String>, dimension, default| match text {
                    Some(text) => list(name, text, dimension, n),
                    None => Ok(vec![default; n]),
                };
                let q = of("joints", &self.joints, Dimension::Angle, 0.0)?;
                let qd = of("joint-velocity", &self.joint_velocity, Dimension::AngularSpeed, rest)?;
                let qdd = of("joint-acceleration", &self.joint_acceleration, Dimension::Ratio, rest)?;
                Ok(Point::Serial { robot, q, qd, qdd })
            }
        }
    }
}

/// A Delta in motion and the acceleration of its platform.
type MovingDelta<'r> = (Moving<'r, f64>, Vec3<f64>);

impl Point {
    pub fn name(&self) -> &str {
        match self {
            Self::Delta { robot, .. } | Self::DeltaJoints { robot, .. } => &robot.name,
            Self::Serial { robot, .. } => &robot.name,
        }
    }

    /// The moving Delta with its platform acceleration; none of a serial arm.
    pub fn moving(&self) -> Result<Option<MovingDelta<'_>>, Failure> {
        match self {
            Self::Delta { robot, position, velocity, acceleration } => {
                let bad = |error| unreachable_pose(robot, error);
                let pose = robot.delta.at_position(*position, Branch::Out).map_err(bad)?;
                Ok(Some((pose.try_moving(*velocity).map_err(bad)?, *acceleration)))
            }
            Self::DeltaJoints { robot, q, qd, qdd } => {
                let bad = |error| unreachable_pose(robot, error);
                let pose = robot.delta.at_joints(*q, Assembly::Below).map_err(bad)?;
                let moving = pose.try_moving_joints(*qd).map_err(bad)?;
                Ok(Some((moving, moving.platform_acceleration(*qdd))))
            }
            Self::Serial { .. } => Ok(None),
        }
    }
}

fn unreachable_pose(robot: &Robot, error: KinematicsError) -> Failure {
    let reach = Reach::of(&robot.delta);
    Failure::new(format!("{}: {error}", robot.name)).hint(format!(
        "on its axis this robot reaches z = {} … {} m; positions in m, angles in rad or with unit (\"45 deg\")",
        human(reach.lowest, 4),
        human(reach.highest, 4)
    ))
}

/// `count` numbers with or without unit; one stands for all.
fn list(option: &str, text: &str, dimension: Dimension, count: usize) -> Result<Vec<f64>, Failure> {
    let mut values = Vec::new();
    for part in text.split(',') {
        let value = quantity(part, dimension)
            .map_err(|error| Failure::new(format!("--{option}: {}", error.problem)).hint(error.hint))?;
        values.push(value);
    }
    match values[..] {
        [one] => Ok(vec![one; count]),
        _ if values.len() == count => Ok(values),
        _ => Err(Failure::new(format!("--{option}: {count} numbers are needed, here are {}", values.len()))),
    }
}

fn one(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    let values = list(option, text, dimension, 1)?;
    match values[..] {
        [value] if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(Failure::new(format!("--{option}: one number, zero or positive, is needed"))),
    }
}
