//! Codourey 1998, section 5.2: 250 mm there and back above 3 Hz, in closed loop and within the limits of the drives; and the
//! time-optimal version of the same motion.

use dalembert::control::{ControlRun, Experiment, Law};
use dalembert::motion::{MotionOrder, MotorList, ProfileChoice, Time};
use dalembert::robot::Robot;
use dalembert::{Vec3, robots};
use std::error::Error;

/// One motion of one robot under two laws.
pub struct Fast {
    /// Of the drives.
    pub drives: &'static str,
    /// Of the motion.
    pub profile: &'static str,
    /// Feed-forward that looks ahead, and computed torque.
    pub runs: [ControlRun; 2],
}

/// `d3-1200` with its AKM44G motors behind gears of 1:25: rotors and limits from the list that `size` uses.
pub fn with_real_drives() -> Result<Robot, Box<dyn Error>> {
    let list = MotorList::find("akm44g")?;
    let motor = list.motors.first().ok_or("a motor")?;
    let gear = list.gears.iter().find(|gear| gear.ratio == 25.0).ok_or("a gear of 1:25")?;
    let mut robot = robots::d3_1200()?.changed(|parameters| {
        for arm in &mut parameters.arms {
            arm.motor.rotor_inertia = motor.rotor_inertia + gear.inertia;
            arm.motor.gear_ratio = gear.ratio;
        }
    })?;
    for limits in &mut robot.limits {
        limits.max_torque = motor.peak_torque * gear.ratio * gear.efficiency;
        limits.max_speed = motor.max_speed / gear.ratio;
    }
    Ok(robot.into())
}

/// All of them.
pub fn run() -> Result<Vec<Fast>, Box<dyn Error>> {
    let order = MotionOrder {
        path: "semi-ellipse".into(),
        direction: Some(Vec3::new(0.0, 1.0, 0.0)),
        ..MotionOrder::default()
    };
    let fastest = MotionOrder { profile: ProfileChoice::TimeOptimal(None), smoothing: Some(5e-3), ..order.clone() };
    let profiles = [
        ("sine-on-ramp at 3.2 Hz", MotionOrder { time: Some(Time::Cycle(1.0 / 3.2)), ..order }),
        ("time-optimal, 0.7 of the limits, 5 ms", fastest.clone()),
        ("time-optimal, 0.9 of the limits, 5 ms", MotionOrder { share: Some(0.9), ..fastest.clone() }),
        ("time-optimal, all of the limits, 5 ms", MotionOrder { share: Some(1.0), ..fastest.clone() }),
        ("time-optimal, 0.9 of the limits, not smoothed", MotionOrder { share: Some(0.9), smoothing: None, ..fastest }),
    ];
    let mut all = Vec::new();
    for (drives, robot) in [("80 N m, 30 rad/s", Robot::find("d3-1200")?), ("AKM44G, 1:25", with_real_drives()?)] {
        for (profile, order) in &profiles {
            let experiment = Experiment::ordered(robot.clone(), order)?;
            let run = |law: Law| experiment.run(&experiment.tuning(law), &mut |_| true);
            all.push(Fast { drives, profile, runs: [run(Law::Feedforward)?, run(Law::ComputedTorque)?] });
        }
    }
    Ok(all)
}
