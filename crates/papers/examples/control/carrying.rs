//! Two Deltas, one object: 1.5 kg over an arc of 300 × 50 mm in 0.4 s, squeezed with 15 N.

use dalembert::Vec3;
use dalembert::control::{ControlRun, Drive, Encoder, Experiment, Law, Pair};
use dalembert::motion::{Direction, PickAndPlace, RobotMotion};
use dalembert::robot::Robot;
use std::error::Error;

/// Two `d3-1200` 1.4 m apart whose platforms hold the object 0.84 m apart, with usual drives and sensors.
pub fn with_payload() -> Result<Experiment, Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?;
    let stroke = PickAndPlace {
        center: Vec3::new(0.0, 0.0, -0.85),
        width: 0.3,
        height: 0.05,
        stroke: 0.4,
        direction: Direction::Y,
    };
    let side = |x: f64| (robot.clone(), Vec3::new(x, 0.0, 0.0), Vec3::new(0.6 * x, 0.0, 0.0));
    let mut pair = Pair::new([side(-0.7), side(0.7)], 1.5);
    pair.squeeze = Vec3::new(15.0, 0.0, 0.0);
    Ok(Experiment::new(Robot::from(pair), "300 × 50 mm", RobotMotion::translating(stroke)))
}

/// The run of both.
pub fn run(both: &Experiment) -> Result<ControlRun, Box<dyn Error>> {
    Ok(both.run(&both.tuning(Law::Cartesian), &mut |_| true)?)
}

/// With ideal drives and sensors, with usual ones, and with an object that is heavier than the controller believes.
pub fn all() -> Result<[(&'static str, ControlRun); 3], Box<dyn Error>> {
    let usual = with_payload()?;
    let mut ideal = usual.clone();
    (ideal.drive, ideal.encoder, ideal.sampling.delay) = (Drive::IDEAL, Encoder::IDEAL, 0);
    let mut wrong = usual.clone();
    wrong.known = wrong.known.with_payload(1.2)?;
    Ok([
        ("ideal drives and sensors", run(&ideal)?),
        ("usual ones", run(&usual)?),
        ("usual, the object 20 % lighter in the law", run(&wrong)?),
    ])
}
