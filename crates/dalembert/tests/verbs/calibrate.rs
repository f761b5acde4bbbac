//! Geometric calibration.

use dalembert::Robot;
use dalembert::identify::calibrate::{CalibrationPoint, CalibrationSetup};
use dalembert::identify::firmware::Firmware;
use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::verbs::Outcome;
use dalembert::verbs::calibrate::{CalibrateRequest, calibrate};

/// Forearms that are 2 mm longer than the file says are found from exact places, and Klipper gets them.
#[test]
fn longer_forearms_are_found() {
    let truth = Robot::find_with("d3-1200", &["forearm.length=0.902".to_owned()]).unwrap();
    let point = |k: i32| {
        let q: Vec<f64> = (0..3).map(|i| 0.4 + 0.06 * f64::from((k * 7 + i * 5) % 11 - 5)).collect();
        let state = truth.at_joints(&JointState::at_rest(JointVector::new(&q)), &Pick::default()).unwrap();
        CalibrationPoint { q, place: state.tool.pose.origin.0.map(Some), distance: None }
    };
    let points: Vec<CalibrationPoint> = (0..30).map(point).collect();
    let setup =
        CalibrationSetup { only: Some(vec!["forearm.length".into()]), without_offsets: true, ..Default::default() };
    let request = CalibrateRequest { setup, ..CalibrateRequest::new(Robot::find("d3-1200").unwrap(), points) };
    let outcome = calibrate(&request, &mut ()).unwrap();
    let metrics = outcome.metrics();
    let lengths: Vec<f64> =
        metrics.iter().filter(|metric| metric.name.contains("forearm.length")).map(|metric| metric.value).collect();
    assert!(lengths.len() == 3 && lengths.iter().all(|length| (length - 0.902).abs() < 1e-8), "{metrics:?}");
    let json = serde_json::to_value(&outcome).unwrap();
    assert!(json["before"].as_f64() > Some(1e-4) && json["after"].as_f64() < Some(1e-9), "{json}");
    assert!(json.get("robot").is_none() && json["numbers"][0]["name"].is_string(), "{json}");
    let marlin = CalibrateRequest { controller: Some(Firmware::Marlin), ..request };
    assert_eq!(calibrate(&marlin, &mut ()).unwrap_err().code, "controller");
}
