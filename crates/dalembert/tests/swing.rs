//! Conservation of energy over ten seconds of free motion.
//!
//! A constant torque that holds q = 45° on all arms, no friction, start at rest at q = 45° + (0.1, −0.05, 0.03) rad.
//! The torque has the potential −τ·q, so T + V − τ·q is conserved: any error in the mass matrix, the velocity terms or
//! gravity that does not come from one energy makes it drift by a part of T within the first swing.

use dalembert::delta::{Assembly, Branch, Delta, KinematicsError};
use dalembert::{Robot, Vec3, robots};

const STEP: f64 = 2e-4;

/// Position and velocity of the platform.
#[derive(Clone, Copy)]
struct State {
    position: Vec3<f64>,
    velocity: Vec3<f64>,
}

fn rate(robot: &Delta<f64>, state: State, torque: Vec3<f64>) -> Result<State, KinematicsError> {
    let moving = robot.at_position(state.position, Branch::Out)?.moving(state.velocity);
    Ok(State { position: state.velocity, velocity: moving.acceleration(torque) })
}

fn advance(state: State, rate: State, time: f64) -> State {
    State { position: state.position + rate.position * time, velocity: state.velocity + rate.velocity * time }
}

fn runge_kutta(robot: &Delta<f64>, state: State, torque: Vec3<f64>, step: f64) -> Result<State, KinematicsError> {
    let k1 = rate(robot, state, torque)?;
    let k2 = rate(robot, advance(state, k1, step / 2.0), torque)?;
    let k3 = rate(robot, advance(state, k2, step / 2.0), torque)?;
    let k4 = rate(robot, advance(state, k3, step), torque)?;
    let mean = State {
        position: (k1.position + (k2.position + k3.position) * 2.0 + k4.position) * (1.0 / 6.0),
        velocity: (k1.velocity + (k2.velocity + k3.velocity) * 2.0 + k4.velocity) * (1.0 / 6.0),
    };
    Ok(advance(state, mean, step))
}

/// Kinetic energy and T + V − τ·q.
fn energies(robot: &Delta<f64>, state: State, torque: Vec3<f64>) -> Result<(f64, f64), KinematicsError> {
    let pose = robot.at_position(state.position, Branch::Out)?;
    let kinetic = pose.moving(state.velocity).kinetic_energy();
    Ok((kinetic, kinetic + pose.potential_energy() - torque.dot(pose.joints())))
}

fn start(robot: &Delta<f64>) -> Result<State, KinematicsError> {
    let q = Vec3::from_fn(|i| 45_f64.to_radians() + [0.1, -0.05, 0.03][i]);
    Ok(State { position: robot.at_joints(q, Assembly::Below)?.position, velocity: Vec3::zero() })
}

fn swings(robot: &Robot) -> Result<(), KinematicsError> {
    let delta = &robot.delta;
    let torque = delta.at_joints(Vec3([45_f64.to_radians(); 3]), Assembly::Below)?.gravity_torque();
    let mut state = start(delta)?;
    let (_, initial) = energies(delta, state, torque)?;
    let (mut range, mut drift) = (0.0_f64, 0.0_f64);
    for step in 0..(10.0 / STEP) as usize {
        state = runge_kutta(delta, state, torque, STEP)?;
        if step % 50 == 0 {
            let (kinetic, conserved) = energies(delta, state, torque)?;
            range = range.max(kinetic);
            drift = drift.max((conserved - initial).abs());
        }
    }
    println!("{}: drift {drift:.2e} J, range of T {range:.3} J, ratio {:.2e}", robot.name, drift / range);
    assert!(range > 0.01, "the robot swings");
    assert!(drift <= 1e-9 * range, "{}: {drift} of {range}", robot.name);
    Ok(())
}

#[test]
fn energy_is_conserved_for_ten_seconds() -> Result<(), Box<dyn std::error::Error>> {
    swings(&robots::asadi()?)?;
    swings(&robots::d3_1200()?)?;
    Ok(())
}

/// Without torque the Delta falls until an arm is stretched: a named error, not a number.
#[test]
fn a_falling_delta_ends_with_a_named_error() -> Result<(), Box<dyn std::error::Error>> {
    for robot in [robots::asadi()?, robots::d3_1200()?] {
        let mut state = start(&robot.delta)?;
        let end = (0..5000).find_map(|step| match runge_kutta(&robot.delta, state, Vec3::zero(), STEP) {
            Ok(next) => {
                state = next;
                None
            }
            Err(error) => Some((step as f64 * STEP, error)),
        });
        let Some((time, error)) = end else { panic!("{}: still falling after a second", robot.name) };
        println!("{}: after {time:.3} s: {error}", robot.name);
        assert!(time < 0.7);
        assert!(matches!(
            error,
            KinematicsError::OutOfReach { .. }
                | KinematicsError::ArmSingular { .. }
                | KinematicsError::PlatformSingular { .. }
        ));
    }
    Ok(())
}
