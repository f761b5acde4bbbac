//! A trajectory, what it demands of the joints, and limits as findings or as an error.

use super::{Anything, keys, metric};
use dalembert::motion::{ProfileChoice, Time};
use dalembert::robot::Robot;
use dalembert::verbs::motion::{MotionRequest, plan};
use dalembert::verbs::trajectory::{TrajectoryRequest, trajectory};
use dalembert::verbs::{Outcome, Severity};

fn fast(cycle: f64) -> Result<TrajectoryRequest, Anything> {
    let mut motion = MotionRequest::new(Robot::find("d3-1200")?);
    motion.order.time = Some(Time::Cycle(cycle));
    Ok(TrajectoryRequest::new(motion))
}

#[test]
fn a_planned_motion_has_metrics_a_table_a_chart_and_gcode() -> Result<(), Anything> {
    let mut request = TrajectoryRequest::new(MotionRequest::new(Robot::find("d3-1200")?));
    request.motion.order.profile = ProfileChoice::TimeOptimal(None);
    let outcome = trajectory(&request, &mut ())?;
    let planned = plan(&request.motion, &mut ())?;
    assert_eq!(metric(&outcome, "duration"), planned.timed.motion.duration());
    assert!(outcome.findings().is_empty() && outcome.limit_active.is_some_and(|share| share > 0.9));
    let recording = outcome.recording()?;
    assert_eq!(recording.columns().len(), 1 + 9 + 12);
    assert!(outcome.gcode()?.contains("G93") && outcome.chart().panels.len() == 3);
    let first = ["robot", "path", "profile", "payload", "center", "held", "length", "duration", "strokes"];
    assert_eq!(keys(&outcome)[..9], first);
    Ok(())
}

#[test]
fn a_limit_that_is_exceeded_is_a_finding_or_an_error() -> Result<(), Anything> {
    let mut request = fast(0.15)?;
    let outcome = trajectory(&request, &mut ())?;
    let exceeded = outcome.findings().iter().find(|finding| finding.code == "limit-exceeded");
    assert!(exceeded.is_some_and(|finding| finding.severity == Severity::Warning));
    request.enforce_limits = true;
    let error = trajectory(&request, &mut ()).expect_err("it is refused");
    assert_eq!(error.code, "limit-exceeded");
    request.every = 1.0;
    assert_eq!(trajectory(&request, &mut ()).expect_err("one row").code, "every");
    Ok(())
}

/// Between the two ends the legs do not hold the platform: a motor would need 3 MN on the way.
#[test]
fn a_path_through_a_singular_pose_is_refused_with_its_place() -> Result<(), Anything> {
    let mut motion = MotionRequest::new(Robot::find("hexaglide")?);
    motion.order.path = String::from("line:0,0,-0.6/-0.26,0.28,-0.5");
    motion.order.time = Some(Time::Cycle(10.0));
    let error = trajectory(&TrajectoryRequest::new(motion), &mut ()).expect_err("it is refused");
    assert!(error.message.contains("type 2") && error.message.contains("at (-0.2"), "{}", error.message);
    Ok(())
}
