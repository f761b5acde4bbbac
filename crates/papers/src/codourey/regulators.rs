//! Codourey 1998, Figure 7: the regulators on a semi-ellipse with a sine-on-ramp profile.
//!
//! Fair conditions: the controller knows `codourey-simplified` and no friction, the robot is `exact` with friction and 2 ms
//! of current rise, all regulators have the same bandwidth and damping.

use crate::Anything;
use dalembert::Vec3;
use dalembert::control::{ControlRun, Drive, Encoder, Experiment, Law, Sampling, Tuning};
use dalembert::motion::{MotionOrder, Time};
use dalembert::robot::Robot;
use std::f64::consts::TAU;

/// The current's rise, and with it T_m: Codourey, §5.1.
pub const RISE: f64 = 2e-3;

/// The assumed direct-drive robot.
pub fn robot() -> Result<Robot, Anything> {
    Ok(Robot::parse(include_str!("../../robots/direct-drive-assumed.toml"))?)
}

/// 250 × 50 mm along y by a sine on ramp, there in 0.125 s and back in as much.
pub fn order() -> MotionOrder {
    MotionOrder {
        path: "semi-ellipse".into(),
        center: Some(Vec3::new(0.0, 0.0, -0.45)),
        direction: Some(Vec3::new(0.0, 1.0, 0.0)),
        time: Some(Time::Cycle(0.25)),
        ..MotionOrder::default()
    }
}

/// The conditions.
pub fn experiment() -> Result<Experiment, Anything> {
    let robot = robot()?;
    let mut experiment = Experiment::ordered(robot.clone(), &order())?;
    experiment.known = robot.with_friction(None)?;
    experiment.model = String::from("codourey-simplified");
    experiment.sampling = Sampling { delay: 0, ..Sampling::USUAL };
    experiment.drive = Drive { current_rise: RISE, ..Drive::USUAL };
    experiment.encoder = Encoder::USUAL;
    experiment.bandwidth = TAU * 10.0;
    Ok(experiment)
}

/// The four regulators, the fifth with the mass matrix, and computed torque.
pub fn tunings(experiment: &Experiment) -> Vec<Tuning> {
    let with =
        |law: Law, look_ahead: f64, label: &str| Tuning { label: label.into(), look_ahead, ..experiment.tuning(law) };
    vec![
        with(Law::Pd, 0.0, "1: pd"),
        with(Law::PdAcceleration, 0.0, "2: pd+acc"),
        with(Law::Feedforward, 0.0, "3: feedforward T_m=0"),
        with(Law::Feedforward, RISE, "4: feedforward T_m=2ms"),
        with(Law::FeedforwardMass, RISE, "5: feedforward+mass T_m=2ms"),
        with(Law::ComputedTorque, 0.0, "computed-torque"),
    ]
}

/// Regulator 4.
pub fn feedforward(experiment: &Experiment) -> Result<ControlRun, Anything> {
    let tuning = Tuning { look_ahead: RISE, ..experiment.tuning(Law::Feedforward) };
    Ok(experiment.run(&tuning, &mut |_| true)?)
}

/// All of them.
pub fn run() -> Result<Vec<ControlRun>, Anything> {
    let experiment = experiment()?;
    let runs = tunings(&experiment).into_iter().map(|tuning| experiment.run(&tuning, &mut |_| true));
    Ok(runs.collect::<Result<_, _>>()?)
}
