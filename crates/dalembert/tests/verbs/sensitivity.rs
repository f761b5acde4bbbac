//! Sensitivities and tolerances of torques.

use super::{Anything, metric};
use dalembert::robot::Robot;
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::sensitivity::{SensitivityRequest, sensitivity};
use dalembert::verbs::states::motion_states;

#[test]
fn sampling_agrees_with_first_order_at_a_state_and_over_a_motion() -> Result<(), Anything> {
    let robot = Robot::find("d3-1200")?;
    let state = robot.home()?;
    let at_home = sensitivity(&SensitivityRequest::new(robot.clone(), state), &mut ())?;
    let json = serde_json::to_value(&at_home)?;
    let sampled = json["monte_carlo"]["standard_deviation"][0].as_f64().ok_or("one per joint")?;
    let first_order = metric(&at_home, "joint.1.tolerance.combined") / 3f64.sqrt();
    assert!((sampled / first_order - 1.0).abs() < 0.05, "{sampled} {first_order}");
    let motion = motion_states(&MotionRequest::new(robot), 5e-3, &mut ())?;
    let request = SensitivityRequest {
        states: motion.rows.clone(),
        motion: Some(motion.caption),
        samples: Some(50),
        ..SensitivityRequest::new(motion.robot, motion.rows[0].clone())
    };
    let over = sensitivity(&request, &mut ())?;
    assert!(serde_json::to_value(&over)?["parameters"][0]["torque_change"]["rms"].is_array());
    assert!(over.ranked().windows(2).all(|pair| pair[0].effect >= pair[1].effect) && over.totals().len() == 9);
    Ok(())
}
