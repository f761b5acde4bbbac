//! `check` and `robots`: descriptions serialise with their keys in order, and odd files have findings.

use dalembert::robot::Robot;
use dalembert::verbs::{CheckRequest, Outcome, check, robots};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

#[test]
fn every_built_in_robot_is_checked() -> Result {
    let described = serde_json::to_value(robots()?)?;
    for (built_in, described) in robots()?.robots.iter().zip(described.as_array().ok_or("no list")?) {
        let robot = Robot::find(&built_in.name)?;
        let joints = robot.joints().len();
        let outcome = check(&CheckRequest { robot }, &mut ())?;
        assert!(outcome.findings().iter().all(|finding| finding.code == "robot-file"), "{:?}", outcome.findings());
        let json = serde_json::to_value(&outcome)?;
        let json = json.as_object().ok_or("no object")?;
        let keys: Vec<&str> = json.keys().map(String::as_str).collect();
        let described = described.as_object().ok_or("no object")?;
        let own: Vec<&str> = described.keys().map(String::as_str).chain(["home", "models", "warnings"]).collect();
        assert_eq!(keys, own);
        assert!(described.iter().all(|(key, value)| json.get(key) == Some(value)));
        let metrics = outcome.metrics();
        assert_eq!(metrics.iter().filter(|metric| metric.name.starts_with("holding_torque.")).count(), joints);
        assert!(metrics.iter().all(|metric| metric.value.is_finite()));
    }
    Ok(())
}

/// A drive too weak to hold the robot is a finding with its numbers; a limit that is not there is null.
#[test]
fn a_weak_drive_is_a_finding() -> Result {
    let robot = Robot::find_with("d3-1200", &["motor.max_torque=0.1".into()])?;
    let outcome = check(&CheckRequest { robot }, &mut ())?;
    let found = outcome.findings().first().ok_or("no finding")?;
    assert_eq!((found.code.as_ref(), outcome.findings().len()), ("cannot-hold-home", 3));
    assert_eq!(found.values.get("limit"), Some(&0.1.into()));
    assert_eq!(outcome.warnings[0], found.message);
    let free = serde_json::to_value(check(&CheckRequest { robot: Robot::find("puma560")? }, &mut ())?)?;
    assert!(free["joints"][0]["max_ball_angle"].is_null());
    Ok(())
}

/// Numbers that cannot be computed with are refused, not answered.
#[test]
fn overflow_is_refused() -> Result {
    let robot = Robot::find_with("d3-1200", &["platform.mass=1e300".into()])?;
    let error = check(&CheckRequest { robot }, &mut ()).err().ok_or("accepted")?;
    assert_eq!(error.code, "not-finite");
    Ok(())
}
