//! Linear models of a robot that is given as its formulas, by way of its family.

use dalembert::delta::{Moving, Pose};
use dalembert::linear::Linearized;
use dalembert::mechanism::Poles;
use dalembert::robot::families::SerialLinks;
use dalembert::robot::linear_model::{Coordinates, LinearTask, LinearizeError, Output};
use dalembert::robot::{Family, JointState, JointVector, Pick, Robot, ToolState};
use dalembert::spatial::Wrench;
use dalembert::{SerialRobot, Vec3, robots as built_in};

pub fn delta(
    moving: &Moving<'_, f64>,
    torque: [f64; 3],
    force: Vec3<f64>,
    coordinates: Coordinates,
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    let pose = &moving.pose;
    let robot = dalembert::DeltaRobot { delta: *pose.robot, ..built_in::asadi().expect("built in") };
    let state = if coordinates == Coordinates::Cartesian {
        let pick = Pick { elbows: Some(pose.branches()[0]), ..Pick::default() };
        robot.at_tool(&ToolState::translating(pose.position, moving.velocity, Vec3::zero()), &pick)?
    } else {
        let pick = Pick { assembly: Some(pose.assembly()), ..Pick::default() };
        let [q, qd, qdd] = [pose.joints(), moving.joint_velocity(), [0.0; 3]].map(JointVector::from);
        robot.at_joints(&JointState { q, qd, qdd }, &pick)?
    };
    let (torque, wrench) = (&torque.into(), Wrench::force(force));
    robot.linearize(&LinearTask { state: &state, torque, wrench, coordinates, outputs })
}

/// Held by its motors.
pub fn delta_at_rest(
    pose: &Pose<'_, f64>,
    coordinates: Coordinates,
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    delta(&pose.moving(Vec3::zero()), pose.gravity_torque(), Vec3::zero(), coordinates, outputs)
}

pub fn delta_baumgarte(
    moving: &Moving<'_, f64>,
    torque: [f64; 3],
    poles: Poles,
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    delta(moving, torque, Vec3::zero(), Coordinates::Constrained(poles), outputs)
}

/// An arm without limits to speak of.
pub fn described(arm: &SerialLinks) -> Robot {
    let mut robot = SerialRobot { arm: arm.clone(), ..built_in::puma560().expect("built in") };
    robot.limits.resize(arm.links().len(), robot.limits[0]);
    robot.tolerances.resize(arm.links().len(), robot.tolerances[0]);
    robot.static_follows.resize(arm.links().len(), false);
    Robot::try_from(robot).expect("an arm")
}

pub fn arm(
    arm: &SerialLinks,
    q: &[f64],
    qd: &[f64],
    torque: &[f64],
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    let robot = described(arm);
    let [q, qd, torque] = [q, qd, torque].map(JointVector::new);
    let state = robot.at_joints(&JointState { q: q.clone(), qd, qdd: JointVector::zero(q.len()) }, &Pick::default())?;
    robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, outputs)
}
