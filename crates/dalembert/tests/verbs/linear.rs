//! Linear models and poles.

use super::{Anything, keys, metric};
use dalembert::linear::ExportFormat;
use dalembert::robot::{JointState, Pick, Robot};
use dalembert::verbs::linear::linearize::{FeedbackRequest, LinearizeOutcome, LinearizeRequest, linearize};
use dalembert::verbs::linear::poles::{PolesOutcome, poles};
use dalembert::verbs::linear::{LinearModelRequest, ModelPart};

fn request() -> Result<LinearModelRequest, Anything> {
    let robot = Robot::find("d3-1200")?;
    let state = robot.at_joints(&JointState::at_rest([0.0; 3]), &Pick::default())?;
    Ok(LinearModelRequest::new(robot, state))
}

#[test]
fn a_delta_with_horizontal_arms_falls_and_a_gain_holds_it() -> Result<(), Anything> {
    let outcome = poles(&request()?, &mut ())?;
    // Bortoff 2018, IV-D.
    assert!((metric(&outcome, "largest_real_part") - 2.95).abs() < 0.005);
    let PolesOutcome::Point(point) = &outcome else { return Err("one state".into()) };
    assert!(point.kalman.controllable_observable == 6 && point.groups().iter().any(|group| group.behaviour == "grows"));
    let feedback = Some(FeedbackRequest::Lqr([100.0, 1.0, 0.01]));
    let held = linearize(&LinearizeRequest { model: request()?, step: None, feedback }, &mut ())?;
    let LinearizeOutcome::Point(point) = &held else { return Err("one state".into()) };
    assert!(point.closed_loop_poles.iter().flatten().all(|pole| pole[0] < 0.0));
    assert_eq!(keys(&held)[..5], ["A", "B", "C", "D", "Ts"]);
    assert!(!held.export(ExportFormat::Mat)?.is_empty());
    Ok(())
}

#[test]
fn an_unstable_model_is_not_truncated_but_its_stable_part_is() -> Result<(), Anything> {
    let full = LinearModelRequest { order: Some(1), ..request()? };
    assert_eq!(poles(&full, &mut ()).expect_err("it is unstable").code, "not-stable");
    let reduced = LinearModelRequest { part: Some(ModelPart::Stable), ..full };
    let PolesOutcome::Point(point) = poles(&reduced, &mut ())? else { return Err("one state".into()) };
    assert_eq!(point.states, 1);
    Ok(())
}
