//! `explain`: one state, step by step.

use crate::prelude::*;
use dalembert::robot::file::quantity;
use dalembert::robot::{JointState, JointVector};
use dalembert::spatial::{Twist, Wrench};
use dalembert::verbs::{ExplainRequest, ExplainState, explain};

/// Three numbers, in SI or with units.
fn three(dimension: Dimension) -> impl Fn(&str) -> Result<Vec3<f64>, String> + Clone {
    move |text| {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| quantity(part, dimension)).collect();
        match numbers.map_err(|error| error.to_string())?[..] {
            [x, y, z] => Ok(Vec3::new(x, y, z)),
            ref numbers => Err(format!("three numbers are needed, separated by commas; here are {}", numbers.len())),
        }
    }
}

#[derive(Args)]
#[command(after_help = "\
The state is Cartesian (--position, --velocity, --acceleration) or in joints (--joints, --joint-velocity, \
--joint-acceleration); rates that are not given are zero. Without a position: the centre of the workspace. A serial arm: \
A(q), B(q), C(q) and g(q) of Armstrong, Khatib and Burdick 1986, and their lumped constants where it is like the PUMA 560.

Examples:
  dalembert explain d3-1200
  dalembert explain d3-1200 --position 0.1,0,-0.85 --velocity 1,0,0 --acceleration 0,0,10
  dalembert explain robot.toml --joints 0.3,0.4,0.5 --json
  dalembert explain puma560 --joints 0,-0.5,1,0.3,0.4,0.2 --joint-velocity 1")]
pub struct ExplainArguments {
    #[command(flatten)]
    with_payload: CarryingArguments,
    /// Platform position, m or with units
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Length))]
    position: Option<Vec3<f64>>,
    /// Platform velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Speed), conflicts_with = "joints")]
    velocity: Option<Vec3<f64>>,
    /// Platform acceleration, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Acceleration), conflicts_with = "joints")]
    acceleration: Option<Vec3<f64>>,
    /// Roll, pitch, yaw of a platform that turns, rad or with units  [default: as at home]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, value_parser = three(Dimension::Angle), conflicts_with = "joints")]
    rpy: Option<Vec3<f64>>,
    /// Its angular velocity, rad/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::AngularSpeed), conflicts_with = "joints")]
    angular_velocity: Option<Vec3<f64>>,
    /// Its angular acceleration, rad/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Ratio), conflicts_with = "joints")]
    angular_acceleration: Option<Vec3<f64>>,
    /// Joint angles, rad or with units; one value stands for all joints
    #[arg(short = 'q', long, value_name = "Q1,Q2,..", allow_hyphen_values = true, conflicts_with = "position")]
    joints: Option<String>,
    /// Joint velocities, rad/s
    #[arg(long, value_name = "Q1,Q2,..", allow_hyphen_values = true, requires = "joints")]
    joint_velocity: Option<String>,
    /// Joint accelerations, rad/s²
    #[arg(long, value_name = "Q1,Q2,..", allow_hyphen_values = true, requires = "joints")]
    joint_acceleration: Option<String>,
    /// Force of the environment on the platform, N
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Force))]
    force: Option<Vec3<f64>>,
    /// Its moment on a platform that turns, N m
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three(Dimension::Torque))]
    moment: Option<Vec3<f64>>,
    /// Elbow branch for a Cartesian state  [default: out]
    #[arg(long, value_parser = branch())]
    branch: Option<Branch>,
    /// Assembly for a state in joints  [default: below]
    #[arg(long, value_parser = assembly())]
    assembly: Option<Assembly>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ExplainArguments {
    fn request(&self) -> Result<ExplainRequest, Failure> {
        let or_zero = |v: Option<Vec3<f64>>| v.unwrap_or(Vec3::zero());
        let robot = self.with_payload.find()?;
        let joints = robot.joints();
        let each = |option, text: &Option<String>, of| match text {
            Some(text) => joint_vector(option, text, &joints, of),
            None => Ok(JointVector::zero(joints.len())),
        };
        let state = if self.joints.is_some() {
            let q = each("joints", &self.joints, POSITION)?;
            let qd = each("joint-velocity", &self.joint_velocity, VELOCITY)?;
            let qdd = each("joint-acceleration", &self.joint_acceleration, ACCELERATION)?;
            ExplainState::Joints { joints: JointState { q, qd, qdd }, assembly: self.assembly }
        } else {
            let twist = |linear, angular| Twist { linear: or_zero(linear), angular: or_zero(angular) };
            ExplainState::Tool {
                position: self.position,
                rpy: self.rpy,
                velocity: twist(self.velocity, self.angular_velocity),
                acceleration: twist(self.acceleration, self.angular_acceleration),
                branch: self.branch,
            }
        };
        let wrench = Wrench { force: or_zero(self.force), moment: or_zero(self.moment) };
        Ok(ExplainRequest { robot, state, wrench })
    }
}

pub fn run(arguments: &ExplainArguments, screen: &mut Screen) -> Result<(), Failure> {
    let outcome = explain(&arguments.request()?, &mut ())?;
    outcome.findings().iter().for_each(|finding| say(&format!("warning: {}", finding.message)));
    if arguments.json {
        return screen.outcome(&outcome);
    }
    screen.heading(format!("{}: one state, step by step", outcome.robot));
    outcome.explanation.sources.iter().for_each(|line| screen.line(format!("  {line}")));
    outcome.tables().for_each(|(title, table)| screen.section(title, &table));
    Ok(())
}
