//! Stability under constant torques.

use super::{Anything, keys, metric};
use dalembert::robot::Robot;
use dalembert::verbs::stability::{StabilityOutcome, StabilityRequest, stability};

#[test]
fn a_delta_is_stable_with_its_arms_down_and_the_closed_form_agrees() -> Result<(), Anything> {
    let outcome = stability(&StabilityRequest { robot: Robot::find("d3-1200")?, torque: None }, &mut ())?;
    let StabilityOutcome::Symmetric(own) = &outcome else { return Err("a Delta has alike arms".into()) };
    let closed = own.symmetric_crossing_closed_form_rad.ok_or("it has one")?;
    assert!((metric(&outcome, "symmetric_crossing") - closed).abs() < 1e-9);
    assert!(metric(&outcome, "growth") > 0.0 && outcome.chart()?.panels.len() == 2);
    assert_eq!(keys(&outcome)[..2], ["robot", "symmetric_crossing_rad"]);
    Ok(())
}

#[test]
fn other_robots_are_judged_in_the_middle_of_their_workspace() -> Result<(), Anything> {
    let robot = Robot::find("puma560")?;
    let outcome = stability(&StabilityRequest { robot: robot.clone(), torque: None }, &mut ())?;
    assert!(matches!(&outcome, StabilityOutcome::General(own) if !own.poses.is_empty()));
    let error = stability(&StabilityRequest { robot, torque: Some(vec![1.0]) }, &mut ()).expect_err("six are needed");
    assert_eq!(error.code, "torque");
    Ok(())
}
