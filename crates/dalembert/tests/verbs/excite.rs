//! Optimal excitation trajectories.

use dalembert::Robot;
use dalembert::identify::excite::ExciteOptions;
use dalembert::verbs::excite::{ExciteRequest, excite};
use dalembert::verbs::{Observer, Outcome};

/// Stops as soon as it is asked.
struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

/// A short search beats random motions; wrong fields are named; the observer stops it.
#[test]
fn a_trajectory_is_better_than_random_ones() {
    let options = ExciteOptions { random: 20, steps: 4, ..ExciteOptions::default() };
    let request = ExciteRequest { options, ..ExciteRequest::new(Robot::find("d3-1200").unwrap()) };
    let outcome = excite(&request, &mut ()).unwrap();
    let metrics = outcome.metrics();
    let gain = metrics.iter().find(|metric| metric.name == "gain.random").unwrap().value;
    assert!(gain > 0.9 && metrics.iter().all(|metric| !metric.value.is_nan()), "{metrics:?}");
    assert_eq!(outcome.recording(100.0).unwrap().rows(), 1001);
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!((json["robot"].as_str(), json["shape"].as_str()), (Some("d3-1200"), Some("fourier")));
    assert_eq!(json["expected"].as_array().map(Vec::len), Some(outcome.found.expected.len()));
    assert_eq!(excite(&request, &mut Stop).unwrap_err().code, "cancelled");
    let too_much = ExciteRequest { options: ExciteOptions { share: 1.5, ..request.options.clone() }, ..request };
    assert!(excite(&too_much, &mut ()).unwrap_err().message.contains("share is 1.5"));
}
