//! A serial arm under control: the PUMA 560 swings all its joints, known exactly or with a payload that is not.

use dalembert::SerialRobot;
use dalembert::control::{Experiment, Law, Outcome};
use dalembert::motion::MotionOrder;
use dalembert::robots;
use dalembert::serial::Body;
use std::error::Error;

/// Laws in the order of the table.
pub const LAWS: [Law; 6] =
    [Law::Pd, Law::PdAcceleration, Law::Feedforward, Law::ComputedTorque, Law::Cartesian, Law::Impedance];

/// The PUMA with so much at its tool, kg.
pub fn carrying(mass: f64) -> Result<SerialRobot, Box<dyn Error>> {
    Ok(robots::puma560()?.changed(|_, rest| rest.payload = Body { mass, ..Body::zero() })?)
}

/// A law, with the arm known exactly and with a wrong payload.
pub type Row = (Law, [Outcome; 2]);

/// One law, once with the arm as it is and once with 2 kg that the controller takes for 1.6 kg.
pub fn run() -> Result<Vec<Row>, Box<dyn Error>> {
    let order = MotionOrder::along("swing");
    let known = Experiment::ordered(robots::puma560()?, &order)?;
    let mut wrong = Experiment::resting(carrying(2.0)?);
    wrong.known = carrying(1.6)?;
    wrong.follow(&order)?;
    let of = |experiment: &Experiment<SerialRobot>, law| experiment.run(&experiment.tuning(law), &mut |_| true);
    LAWS.into_iter().map(|law| Ok((law, [of(&known, law)?, of(&wrong, law)?]))).collect()
}
