//! How a state of a robot is given: on the command line, or as the rows of a file.

use super::{ChangeArguments, list, list_of};
use crate::arguments::tell_warnings;
use crate::failure::Failure;
use crate::output::human;
use crate::progress::Progress;
use crate::verbs::rows::{mismatch, row_hint};
use clap::Args;
use dalembert::Vec3;
use dalembert::analyze::Reach;
use dalembert::delta::{Assembly, Branch, KinematicsError, Moving};
use dalembert::describe::{AnyRobot, Dimension};
use dalembert::describe::{Robot as DeltaRobot, SerialRobot};
use dalembert::report::table::{Reader, TableError};
use dalembert::robot::rows::{Evaluation, RowError, Task};
use dalembert::robot::{Form, JointVector, Pick, Robot, State};
use dalembert::serial::Joint;
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
    Delta { robot: Box<DeltaRobot>, states: Vec<DeltaState> },
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
    fn moving(self, robot: &DeltaRobot) -> Result<Moving<'_, f64>, KinematicsError> {
        match self {
            Self::Platform { position, velocity } => {
                robot.delta.at_position(position, Branch::Out)?.try_moving(velocity)
            }
            Self::Joints { q, qd } => robot.delta.at_joints(q.0, Assembly::Below)?.try_moving_joints(qd.0),
        }
    }
}

impl DeltaState {
    /// The robot in it.
    pub fn moving<'r>(&self, robot: &'r DeltaRobot) -> Result<Moving<'r, f64>, Failure> {
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

    fn delta_state(&self, robot: &DeltaRobot) -> Result<DeltaState, Failure> {
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
            moving.acceleration(of("torque", &self.torque, Dimension::Torque)?.0)
        } else if in_joints {
            moving.platform_acceleration(of("joint-acceleration", joints[2], Dimension::Ratio)?.0)
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

fn delta_rows(robot: &DeltaRobot, file: &str) -> Result<Vec<DeltaState>, Failure> {
    let states = states(&Robot::new(&robot.name, robot.clone()), file, Pick::default())?;
    let of = |row: &TimedState| {
        let State { given, joints, tool, .. } = &row.state;
        let place = match given {
            Form::Tool => Place::Platform { position: tool.pose.origin, velocity: tool.velocity.linear },
            Form::Joints => {
                let three = |joints: &JointVector| Vec3::from_fn(|i| joints[i]);
                Place::Joints { q: three(&joints.q), qd: three(&joints.qd) }
            }
        };
        DeltaState { time: row.time, place, acceleration: tool.acceleration.linear, force: row.force }
    };
    Ok(states.iter().map(of).collect())
}

fn arm_rows(robot: &SerialRobot, file: &str) -> Result<Vec<ArmState>, Failure> {
    let states = states(&Robot::from(robot.clone()), file, Pick::default())?;
    if states.iter().any(|row| row.has_force) {
        return Err(Failure::new("a force at the tool (columns fx, fy, fz) is not taken here")
            .hint("leave these columns out")
            .at(if file == "-" { "standard input" } else { file }));
    }
    let of = |row: TimedState| {
        let [q, qd, qdd] = [row.state.joints.q, row.state.joints.qd, row.state.joints.qdd].map(|all| all.to_vec());
        ArmState { time: row.time, q, qd, qdd }
    };
    Ok(states.into_iter().map(of).collect())
}

/// A state of a table.
pub struct TimedState {
    /// Of a row that has it, s.
    pub time: Option<f64>,
    pub state: State,
    /// On the tool.
    pub force: Vec3<f64>,
    /// Whether the table has a force.
    pub has_force: bool,
}

/// Every row of a table as a state, by the rules of columns that `torque` and `accel` have: accelerations where the table has
/// them, else those that its torques cause.
pub fn states(robot: &Robot, file: &str, pick: Pick) -> Result<Vec<TimedState>, Failure> {
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
    let header = reader.header().clone();
    let has = |column: &str| header.position(column).is_some();
    let known = has("qdd1") || (robot.kind().form == Form::Tool && has("ax"));
    let task = if known || !has("tau1") { Task::Torque } else { Task::Acceleration };
    let rows =
        Evaluation { pick, ..Evaluation::new(task) }.bind(robot, &header).map_err(|error| mismatch(&error).at(name))?;
    let progress = Progress::rows();
    let mut states = Vec::new();
    while let Some(row) = reader.next_row().map_err(of_table)? {
        progress.row();
        let bad = |error: RowError| Failure::new(format!("{name}, {error}")).maybe_hint(row_hint(&error));
        let (state, force) = rows.describe(&row).map_err(bad)?;
        let time = header.position("t").map(|field| row.number(field, "t")).transpose().map_err(of_table)?;
        states.push(TimedState { time, state, force, has_force: has("fx") });
    }
    progress.end();
    if states.is_empty() { Err(of_table(TableError::NoRows)) } else { Ok(states) }
}

fn unreachable_pose(robot: &DeltaRobot, error: KinematicsError) -> Failure {
    let reach = Reach::of(&robot.delta);
    Failure::new(format!("{}: {error}", robot.name)).hint(format!(
        "on its axis this robot reaches z = {} … {} m; positions in m, angles in rad or with unit (\"45 deg\")",
        human(reach.lowest, 4),
        human(reach.highest, 4)
    ))
}
