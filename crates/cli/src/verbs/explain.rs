//! `explain`: one state, step by step.

use crate::arguments::numbers::one_each;
use crate::arguments::{AssemblyChoice, BranchChoice, CarryingArguments};
use crate::failure::{Failure, say};
use crate::output::Screen;
use clap::Args;
use dalembert::Vec3;
use dalembert::delta::{Assembly, Branch};
use dalembert::robot::file::{Dimension, quantity};
use dalembert::robot::{JointKind, JointState, JointVector};
use dalembert::spatial::{Twist, Wrench};
use dalembert::verbs::{ExplainRequest, ExplainState, Outcome, explain};

/// Three numbers, in SI or with units.
fn three(text: &str, dimension: Dimension) -> Result<Vec3<f64>, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| quantity(part, dimension)).collect();
    match numbers.map_err(|error| error.to_string())?[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        ref numbers => Err(format!("three numbers are needed, separated by commas; here are {}", numbers.len())),
    }
}

fn place(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Length)
}

fn speeds(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Speed)
}

fn accelerations(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Acceleration)
}

fn angles(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Angle)
}

fn angular_speeds(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::AngularSpeed)
}

fn plain(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Ratio)
}

fn forces(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Force)
}

fn moments(text: &str) -> Result<Vec3<f64>, String> {
    three(text, Dimension::Torque)
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
    #[arg(short, long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = place)]
    position: Option<Vec3<f64>>,
    /// Platform velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = speeds, conflicts_with = "joints")]
    velocity: Option<Vec3<f64>>,
    /// Platform acceleration, m/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = accelerations, conflicts_with = "joints")]
    acceleration: Option<Vec3<f64>>,
    /// Roll, pitch, yaw of a platform that turns, rad or with units  [default: as at home]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, value_parser = angles, conflicts_with = "joints")]
    rpy: Option<Vec3<f64>>,
    /// Its angular velocity, rad/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = angular_speeds, conflicts_with = "joints")]
    angular_velocity: Option<Vec3<f64>>,
    /// Its angular acceleration, rad/s²
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = plain, conflicts_with = "joints")]
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
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = forces)]
    force: Option<Vec3<f64>>,
    /// Its moment on a platform that turns, N m
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = moments)]
    moment: Option<Vec3<f64>>,
    /// The position is that of the tool point, not of the platform centre
    #[arg(long, requires = "position")]
    tool: bool,
    /// Elbow branch for a Cartesian state  [default: out]
    #[arg(long)]
    branch: Option<BranchChoice>,
    /// Assembly for a state in joints  [default: below]
    #[arg(long)]
    assembly: Option<AssemblyChoice>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `explain`, ready to run.
pub struct ExplainPlan {
    pub request: ExplainRequest,
    pub json: bool,
}

impl ExplainArguments {
    pub fn plan(self) -> Result<ExplainPlan, Failure> {
        let or_zero = |v: Option<Vec3<f64>>| v.unwrap_or(Vec3::zero());
        let robot = self.with_payload.find()?;
        let kinds: Vec<JointKind> = robot.joints().iter().map(|joint| joint.kind).collect();
        // Every joint has units of its own: a slide is not an angle.
        let each = |name, text: &Option<String>, [turning, sliding]: [Dimension; 2]| match text {
            Some(text) => {
                let of = |kind: &JointKind| if *kind == JointKind::Revolute { turning } else { sliding };
                let dimensions: Vec<Dimension> = kinds.iter().map(of).collect();
                one_each(name, text, &dimensions).map(|values| JointVector::new(&values))
            }
            None => Ok(JointVector::zero(kinds.len())),
        };
        let state = if self.joints.is_some() {
            let q = each("joints", &self.joints, [Dimension::Angle, Dimension::Length])?;
            let qd = each("joint-velocity", &self.joint_velocity, [Dimension::AngularSpeed, Dimension::Speed])?;
            let of_joints = [Dimension::Ratio, Dimension::Acceleration];
            let qdd = each("joint-acceleration", &self.joint_acceleration, of_joints)?;
            ExplainState::Joints { joints: JointState { q, qd, qdd }, assembly: self.assembly.map(Assembly::from) }
        } else {
            let twist = |linear, angular| Twist { linear: or_zero(linear), angular: or_zero(angular) };
            ExplainState::Tool {
                position: self.position,
                of_tool_point: self.tool,
                rpy: self.rpy,
                velocity: twist(self.velocity, self.angular_velocity),
                acceleration: twist(self.acceleration, self.angular_acceleration),
                branch: self.branch.map(Branch::from),
            }
        };
        let wrench = Wrench { force: or_zero(self.force), moment: or_zero(self.moment) };
        Ok(ExplainPlan { request: ExplainRequest { robot, state, wrench }, json: self.json })
    }
}

pub fn run(plan: &ExplainPlan, screen: &mut Screen) -> Result<(), Failure> {
    let outcome = explain(&plan.request, &mut ())?;
    outcome.findings().iter().for_each(|finding| say(&format!("warning: {}", finding.message)));
    if plan.json {
        return screen.outcome(&outcome);
    }
    screen.heading(format!("{}: one state, step by step", outcome.robot));
    outcome.explanation.sources.iter().for_each(|line| screen.line(format!("  {line}")));
    for (title, table) in outcome.tables() {
        screen.line("");
        screen.heading(title);
        screen.table(&table);
    }
    Ok(())
}
