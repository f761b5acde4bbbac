//! Smoothing a log.

use dalembert::Robot;
use dalembert::identify::{Log, Preprocessing};
use dalembert::verbs::Outcome;
use dalembert::verbs::smooth::{SmoothRequest, smooth};

/// A sine with a gap: its speed is found, the gap is a finding, and the table leaves it out.
#[test]
fn a_sine_has_its_speed_and_its_gap() {
    let times: Vec<f64> = (0..4000).map(|k| 2e-3 * f64::from(k)).filter(|t| !(3.0..3.5).contains(t)).collect();
    let positions = vec![times.iter().map(|t| 0.5 * (3.0 * t).sin()).collect(); 3];
    let torques = vec![times.iter().map(|t| 4.0 * (3.0 * t).cos()).collect(); 3];
    let log = Log::from_columns("sine", times, positions, torques).unwrap();
    let joints = Robot::find("d3-1200").unwrap().joints();
    let outcome = smooth(&SmoothRequest { log, joints, preprocessing: Preprocessing::default() }, &mut ()).unwrap();
    assert!((outcome.health.speeds[1] - 1.5).abs() < 0.01, "{:?}", outcome.health.speeds);
    assert_eq!(outcome.findings().iter().map(|finding| &*finding.code).collect::<Vec<_>>(), ["gaps"]);
    assert!(outcome.left_out() > 0.4 && outcome.recording().unwrap().rows() < 4000);
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!((json["gaps"].as_u64(), json["rows"].as_u64()), (Some(1), Some(3750)), "{json}");
    let uneven = Log::from_columns("uneven", vec![0.0, 1.0], vec![vec![0.0]], vec![vec![0.0, 0.0]]);
    assert!(uneven.unwrap_err().to_string().contains("1 rows, but there are 2 times"));
}
