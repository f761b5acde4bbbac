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
