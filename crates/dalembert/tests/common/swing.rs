//! Free motion of a Delta under constant torques, by Runge and Kutta: for the test and for the validation page.

use dalembert::Vec3;
use dalembert::delta::{Assembly, Branch, Delta, KinematicsError};

/// Of time, s.
const STEP: f64 = 2e-4;

/// Position and velocity of the platform.
#[derive(Clone, Copy)]
struct State {
    position: Vec3<f64>,
    velocity: Vec3<f64>,
}

fn rate(robot: &Delta<f64>, state: State, torque: Vec3<f64>) -> Result<State, KinematicsError> {
    let moving = robot.at_position(state.position, Branch::Out)?.moving(state.velocity);
    Ok(State { position: state.velocity, velocity: moving.acceleration(torque.0) })
}

fn advance(state: State, rate: State, time: f64) -> State {
    State { position: state.position + rate.position * time, velocity: state.velocity + rate.velocity * time }
}

/// One step.
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
    Ok((kinetic, kinetic + pose.potential_energy() - torque.dot(Vec3(pose.joints()))))
}

/// At rest at q = 45° + (0.1, −0.05, 0.03) rad.
fn start(robot: &Delta<f64>) -> Result<State, KinematicsError> {
    let q = Vec3::from_fn(|i| 45_f64.to_radians() + [0.1, -0.05, 0.03][i]);
    Ok(State { position: robot.at_joints(q.0, Assembly::Below)?.position, velocity: Vec3::zero() })
}

/// What ten seconds of swinging showed.
#[derive(Clone, Copy, Debug)]
pub struct Swing {
    /// Largest kinetic energy, J.
    pub range: f64,
    /// Largest change of T + V − τ·q, J.
    pub drift: f64,
}

/// Ten seconds from [`start`] under the torques that hold 45°.
pub fn swing(robot: &Delta<f64>) -> Result<Swing, KinematicsError> {
    let torque = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?.gravity_torque();
    let mut state = start(robot)?;
    let (_, initial) = energies(robot, state, Vec3(torque))?;
    let mut result = Swing { range: 0.0, drift: 0.0 };
    for step in 0..(10.0 / STEP) as usize {
        state = runge_kutta(robot, state, Vec3(torque), STEP)?;
        if step % 50 == 0 {
            let (kinetic, conserved) = energies(robot, state, Vec3(torque))?;
            result.range = result.range.max(kinetic);
            result.drift = result.drift.max((conserved - initial).abs());
        }
    }
    Ok(result)
}
