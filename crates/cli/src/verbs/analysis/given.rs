//! How a state of a robot is given: on the command line, or as the rows of a file.

use super::{ChangeArguments, list, list_of};
use crate::arguments::tell_warnings;
use crate::failure::Failure;
use crate::output::human;
use crate::progress::Progress;
use crate::verbs::rows::Rows;
use clap::Args;
use dalembert::analyze::Reach;
use dalembert::delta::{Assembly, Branch, KinematicsError, Moving};
use dalembert::describe::{AnyRobot, Dimension};
use dalembert::record::Task;
use dalembert::record::serial_states::{SerialEvaluation, SerialModelName};
use dalembert::record::states::{Cell, Evaluation, RowError};
use dalembert::report::table::{Header, Reader, TableError};
use dalembert::serial::Joint;
use dalembert::{Robot, SerialRobot, Vec3};
use std::fs::File;
use std::io::{self, Read};

const JOINTS: [&str; 3] = ["joints", "joint_velocity", "joint_acceleration"];
const ALL: [&str; 7] =
    ["joints", "joint_velocity", "joint_acceleration", "position", "velocity", "acceleration", "torque"];

/// A state of a robot, or those of a motion, and changes of the robot for this run.
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
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    position: Option<String>,
    /// Platform velocity of a Delta, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    velocity: Option<String>,
    /// Platform acceleration of a Delta, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with_all = JOINTS)]
    acceleration: Option<String>,
    /// Motor torques instead of an acceleration, N m
    #[arg(long, value_name = "T1,T2,..", allow_hyphen_values = true, conflicts_with_all = ["acceleration", "joint_acceleration"])]
    torque: Option<String>,
    /// States of a motion, one per row of a CSV file as `trajectory` writes it; `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ALL)]
    states: Option<String>,
    #[command(flatten)]
    changes: ChangeArguments,
}

/// A robot with a state, or the states of a motion in order.
pub enum Given {
    Delta { robot: Box<Robot>, states: Vec<DeltaState> },
    Serial { robot: Box<SerialRobot>, states: Vec<ArmState> },
}

/// A state of a Delta.
pub struct DeltaState {
    /// Of a row that has it, s.
    pub time: Option<f64>,
    place: Place,
    /// Of the platform.
    pub acceleration: Vec3<f64>,
    /// On the platform.
    pub force: Vec3<f64>,
}

#[derive(Clone, Copy)]
enum Place {
    Platform { position: Vec3<f64>, velocity: Vec3<f64> },
    Joints { q: Vec3<f64>, qd: Vec3<f64> },
}

/// A state of a serial arm.
pub struct ArmState {
    pub time: Option<f64>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
}

impl Place {
    fn moving(self, robot: &Robot) -> Result<Moving<'_, f64>, KinematicsError> {
        match self {
            Self::Platform { position, velocity } => {
                robot.delta.at_position(position, Branch::Out)?.try_moving(velocity)
            }
            Self::Joints { q, qd } => robot.delta.at_joints(q, Assembly::Below)?.try_moving_joints(qd),
        }
    }
}

impl DeltaState {
    /// The robot in it.
    pub fn moving<'r>(&self, robot: &'r Robot) -> Result<Moving<'r, f64>, Failure> {
        self.place.moving(robot).map_err(|error| unreachable_pose(robot, error))
    }
}

impl Given {
    pub fn name(&self) -> &str {
        match self {
            Self::Delta { robot, .. } => &robot.name,
            Self::Serial { robot, .. } => &robot.name,
        }
    }
}

impl PointArguments {
    /// Name or path of the robot.
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// The file of states, if one is given.
    pub fn file(&self) -> Option<&str> {
        self.states.as_deref()
    }

    /// Changes of the robot for this run.
    pub fn changes(&self) -> &ChangeArguments {
        &self.changes
    }

    /// Whether a state is given.
    pub fn is_state(&self) -> bool {
        let joints = [&self.joints, &self.joint_velocity, &self.joint_acceleration];
        let platform = [&self.position, &self.velocity, &self.acceleration, &self.torque];
        joints.into_iter().chain(platform).any(Option::is_some)
    }

    /// Whether the states are those of a motion.
    pub fn is_motion(&self) -> bool {
        self.states.is_some()
    }

    /// `rest`: values of joint velocities and accelerations of a serial arm where none are given.
    pub fn plan(&self, rest: f64) -> Result<Given, Failure> {
        let any = AnyRobot::find(&self.robot)?;
        tell_warnings(&self.robot, any.warnings());
        match any {
            AnyRobot::Delta(mut robot) => {
                self.changes.apply(&mut robot)?;
                let states = match &self.states {
                    Some(file) => delta_rows(&robot, file)?,
                    None => vec![self.delta_state(&robot)?],
                };
                Ok(Given::Delta { robot, states })
            }
            AnyRobot::Serial(robot) => {
                let given = [&self.position, &self.velocity, &self.acceleration];
                if given.iter().any(|given| given.is_some()) || self.changes.any() {
                    return Err(Failure::new("a serial arm takes its state in joints").hint(
                        "use --joints, --joint-velocity, --joint-acceleration; payload and friction are in its file",
                    ));
                }
                let states = match &self.states {
                    Some(file) => arm_rows(&robot, file)?,
                    None => vec![self.arm_state(&robot, rest)?],
                };
                Ok(Given::Serial { robot, states })
            }
        }
    }

    fn delta_state(&self, robot: &Robot) -> Result<DeltaState, Failure> {
        let of = |name, text: &Option<String>, dimension| match text {
            Some(text) => list(name, text, dimension, 3).map(|v| Vec3::new(v[0], v[1], v[2])),
            None => Ok(Vec3::zero()),
        };
        let joints = [&self.joints, &self.joint_velocity, &self.joint_acceleration];
        let in_joints = joints.iter().any(|given| given.is_some());
        let place = if in_joints {
            if self.joints.is_none() {
                return Err(Failure::new("joint velocities need `--joints`"));
            }
            Place::Joints {
                q: of("joints", joints[0], Dimension::Angle)?,
                qd: of("joint-velocity", joints[1], Dimension::AngularSpeed)?,
            }
        } else {
            let position = match &self.position {
                Some(_) => of("position", &self.position, Dimension::Length)?,
                None => Reach::of(&robot.delta).center,
            };
            Place::Platform { position, velocity: of("velocity", &self.velocity, Dimension::Speed)? }
        };
        let moving = place.moving(robot).map_err(|error| unreachable_pose(robot, error))?;
        let acceleration = if self.torque.is_some() {
            moving.acceleration(of("torque", &self.torque, Dimension::Torque)?)
        } else if in_joints {
            moving.platform_acceleration(of("joint-acceleration", joints[2], Dimension::Ratio)?)
        } else {
            of("acceleration", &self.acceleration, Dimension::Acceleration)?
        };
        Ok(DeltaState { time: None, place, acceleration, force: Vec3::zero() })
    }

    fn arm_state(&self, robot: &SerialRobot, rest: f64) -> Result<ArmState, Failure> {
        // Every joint has units of its own: a slide is not an angle.
        let of =
            |name, text: &Option<String>, [turning, sliding]: [Dimension; 2], default| -> Result<Vec<f64>, Failure> {
                let joints = robot.arm.links().iter().map(|link| link.joint);
                let dimensions: Vec<Dimension> =
                    joints.map(|joint| if joint == Joint::Revolute { turning } else { sliding }).collect();
                match text {
                    Some(text) => list_of(name, text, &dimensions),
                    None => Ok(vec![default; dimensions.len()]),
                }
            };
        let q = of("joints", &self.joints, [Dimension::Angle, Dimension::Length], 0.0)?;
        let qd = of("joint-velocity", &self.joint_velocity, [Dimension::AngularSpeed, Dimension::Speed], rest)?;
        let accelerations = [Dimension::Ratio, Dimension::Acceleration];
        let mut qdd = of("joint-acceleration", &self.joint_acceleration, accelerations, rest)?;
        if self.torque.is_some() {
            let tau = of("torque", &self.torque, [Dimension::Torque, Dimension::Force], 0.0)?;
            robot.arm.acceleration(&q, &qd, &tau, &mut qdd).map_err(|error| Failure::new(error.to_string()))?;
        }
        Ok(ArmState { time: None, q, qd, qdd })
    }
}

/// Torques from accelerations where the table has them, accelerations from torques otherwise.
pub fn task(header: &Header, accelerations: &[&str]) -> Task {
    let known = accelerations.iter().any(|name| header.position(name).is_some());
    if known || header.position("tau1").is_none() { Task::Torque } else { Task::Acceleration }
}

fn delta_rows(robot: &Robot, file: &str) -> Result<Vec<DeltaState>, Failure> {
    let bind = |header: &Header| {
        Evaluation::new(task(header, &["ax", "qdd1"]))
            .bind(&robot.delta, robot.limits, header)
            .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
    };
    each(file, bind, |header, number| {
        let three = |names: [&str; 3]| -> Result<Vec3<f64>, TableError> {
            Ok(Vec3([number(names[0])?, number(names[1])?, number(names[2])?]))
        };
        // A form of its own counts only where the file has it; the other one was computed.
        let cartesian = ["x", "y", "z", "vx", "vy", "vz"].iter().all(|name| header.position(name).is_some());
        let place = if cartesian {
            Place::Platform { position: three(["x", "y", "z"])?, velocity: three(["vx", "vy", "vz"])? }
        } else {
            Place::Joints { q: three(["q1", "q2", "q3"])?, qd: three(["qd1", "qd2", "qd3"])? }
        };
        let force = if header.position("fx").is_some() { three(["fx", "fy", "fz"])? } else { Vec3::zero() };
        let time = header.position("t").map(|_| number("t")).transpose()?;
        Ok(DeltaState { time, place, acceleration: three(["ax", "ay", "az"])?, force })
    })
}

/// States of a serial arm by the columns of a table.
pub fn bind_arm<'r>(robot: &'r SerialRobot, header: &Header) -> Result<impl Rows + use<'r>, Failure> {
    let evaluation = SerialEvaluation {
        task: task(header, &["qdd1"]),
        model: SerialModelName::NewtonEuler,
        limits_column: false,
        enforce_limits: false,
    };
    evaluation.bind(robot, header).map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
}

fn arm_rows(robot: &SerialRobot, file: &str) -> Result<Vec<ArmState>, Failure> {
    let bind = |header: &Header| {
        if header.position("fx").is_some() {
            return Err(Failure::new("a force at the tool (columns fx, fy, fz) is not taken here")
                .hint("leave these columns out"));
        }
        bind_arm(robot, header)
    };
    let n = robot.arm.joints();
    each(file, bind, |header, number| {
        let all = |stem: &str| (1..=n).map(|i| number(&format!("{stem}{i}"))).collect::<Result<Vec<f64>, TableError>>();
        let time = header.position("t").map(|_| number("t")).transpose()?;
        Ok(ArmState { time, q: all("q")?, qd: all("qd")?, qdd: all("qdd")? })
    })
}

/// Every row of a table, computed by the rules of columns that `torque` and `accel` have, as a state.
pub fn each<R: Rows, T>(
    file: &str,
    bind: impl FnOnce(&Header) -> Result<R, Failure>,
    state: impl Fn(&Header, &dyn Fn(&str) -> Result<f64, TableError>) -> Result<T, TableError>,
) -> Result<Vec<T>, Failure> {
    let name = if file == "-" { "standard input" } else { file };
    let cannot_read = |error: io::Error| Failure::io(&format!("cannot read {name}"), error);
    let input: Box<dyn Read> =
        if file == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(file).map_err(cannot_read)?) };
    let of_table = |error: TableError| {
        let hint = error.hint();
        match error {
            TableError::Read(error) => cannot_read(error),
            error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
        }
    };
    let mut reader = Reader::new(input).map_err(of_table)?;
    let rows = bind(reader.header()).map_err(|failure| failure.at(name))?;
    let header = reader.header().clone();
    let progress = Progress::rows();
    let mut states = Vec::new();
    while let Some(row) = reader.next_row().map_err(of_table)? {
        progress.row();
        let bad = |error: RowError| {
            let hint = error.hint();
            Failure::new(format!("{name}, {error}")).maybe_hint(hint)
        };
        let output = rows.evaluate(&row).map_err(bad)?;
        let number = |column: &str| -> Result<f64, TableError> {
            let computed = rows.columns().iter().position(|name| name.trim() == column);
            match computed.map(|k| &output.cells[k]) {
                Some(Cell::Number(value)) => Ok(*value),
                _ => row.number(header.position(column).unwrap_or_default(), column),
            }
        };
        states.push(state(&header, &number).map_err(of_table)?);
    }
    progress.end();
    if states.is_empty() { Err(of_table(TableError::NoRows)) } else { Ok(states) }
}

fn unreachable_pose(robot: &Robot, error: KinematicsError) -> Failure {
    let reach = Reach::of(&robot.delta);
    Failure::new(format!("{}: {error}", robot.name)).hint(format!(
        "on its axis this robot reaches z = {} … {} m; positions in m, angles in rad or with unit (\"45 deg\")",
        human(reach.lowest, 4),
        human(reach.highest, 4)
    ))
}
