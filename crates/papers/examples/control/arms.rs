//! A serial arm under control: the PUMA 560 swings all its joints, known exactly or with a payload that is not.

use dalembert::control::{ControlRun, Experiment, Law};
use dalembert::motion::MotionOrder;
use dalembert::robot::Robot;
use std::error::Error;

/// Laws in the order of the table.
pub const LAWS: [Law; 6] =
    [Law::Pd, Law::PdAcceleration, Law::Feedforward, Law::ComputedTorque, Law::Cartesian, Law::Impedance];

/// A law, with the arm known exactly and with a wrong payload.
pub type Row = (Law, [ControlRun; 2]);

/// One law, once with the arm as it is and once with 2 kg that the controller takes for 1.6 kg.
pub fn run() -> Result<Vec<Row>, Box<dyn Error>> {
    let robot = Robot::find("puma560")?;
    let order = MotionOrder::usual(&robot.kind());
    let known = Experiment::ordered(robot.clone(), &order)?;
    let mut wrong = Experiment::resting(robot.with_payload(2.0)?);
    wrong.known = robot.with_payload(1.6)?;
    wrong.follow(&order)?;
    let of = |experiment: &Experiment, law| experiment.run(&experiment.tuning(law), &mut |_| true);
    LAWS.into_iter().map(|law| Ok((law, [of(&known, law)?, of(&wrong, law)?]))).collect()
}
