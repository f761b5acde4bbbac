//! Sizing: the verdict first, numbers for a sweep.

use super::{Anything, metric};
use dalembert::motion::{MotorList, Time};
use dalembert::robot::Robot;
use dalembert::verbs::Outcome;
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::size::{SizeRequest, size};

fn request(per_minute: f64) -> Result<SizeRequest, Anything> {
    let mut motion = MotionRequest::new(Robot::find("d3-1200")?);
    motion.order.time = Some(Time::Cycle(60.0 / per_minute));
    motion.order.profile = SizeRequest::usual_profile(motion.order.time);
    Ok(SizeRequest { motion, motors: MotorList::find("akm44g")? })
}

#[test]
fn a_faster_cycle_leaves_less_margin_until_no_motor_is_sufficient() -> Result<(), Anything> {
    let slow = size(&request(120.0)?, &mut ())?;
    let fast = size(&request(400.0)?, &mut ())?;
    assert!(slow.suffices && slow.findings()[0].code == "motors-sufficient");
    assert!(!fast.suffices && fast.findings()[0].code == "no-motor-sufficient");
    let rms = |outcome| metric(outcome, "joint.1.rms_torque");
    assert!(rms(&slow) < rms(&fast) && metric(&slow, "joint.1.margin") >= 0.0);
    let json = serde_json::to_value(&slow)?;
    assert_eq!(json["suffices"], true);
    assert_eq!(json["groups"][0]["best"], slow.groups[0].best.clone().unwrap_or_default());
    assert!(slow.margins().is_none());
    Ok(())
}

/// Of motors that suffice the smallest is the answer, with its best gear; not the one with the largest margin.
#[test]
fn the_smallest_sufficient_motor_is_best() -> Result<(), Anything> {
    let mut request = request(120.0)?;
    let one = size(&request, &mut ())?;
    let usual = request.motors.motors[0].clone();
    let scaled = |name: &str, factor: f64| {
        let mut motor = usual.clone();
        motor.name = String::from(name);
        for torque in [&mut motor.peak_torque, &mut motor.stall_torque, &mut motor.rated_torque, &mut motor.peak_power]
        {
            *torque *= factor;
        }
        motor.rotor_inertia *= factor;
        motor
    };
    request.motors.motors = vec![scaled("huge", 4.0), usual.clone(), scaled("large", 2.0), scaled("tiny", 0.01)];
    let outcome = size(&request, &mut ())?;
    assert_eq!(outcome.groups[0].best, one.groups[0].best);
    let best = outcome.groups[0].best().ok_or("nothing is best")?;
    assert!(best.suffices && best.motor == usual.name);
    let larger = outcome.groups[0].combinations.iter().filter(|other| other.tightest.margin > best.tightest.margin);
    assert!(larger.clone().count() > 0 && larger.clone().all(|other| other.motor != usual.name));
    assert!(outcome.findings()[0].message.contains(&usual.name), "{}", outcome.findings()[0].message);
    // Where none suffices it is the one that lacks least.
    request.motors.motors = vec![scaled("tiny", 0.01), scaled("small", 0.05)];
    assert_eq!(size(&request, &mut ())?.groups[0].best().map(|best| best.motor.as_str()), Some("small"));
    let error = MotorList::find("AKM44").expect_err("there is no such list").to_string();
    assert!(error.contains("no list of motors") && error.contains("akm44g") && !error.contains("robot"), "{error}");
    Ok(())
}
