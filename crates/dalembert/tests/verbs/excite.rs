//! Optimal excitation trajectories.

use dalembert::Robot;
use dalembert::identify::excite::ExciteOptions;
use dalembert::identify::numerics::folds;
use dalembert::verbs::excite::{ExciteRequest, excite};
use dalembert::verbs::{Observer, Outcome};

/// Stops as soon as it is asked.
struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Remembers the shares.
#[derive(Default)]
struct Shares(Vec<f64>);

impl Observer for Shares {
    fn progress(&mut self, share: f64, _: &str) {
        self.0.push(share);
    }
}

/// A motor that turns with several joints is excited like others.
#[test]
fn coupled_motors_are_excited() {
    let text = Robot::find("puma560").unwrap().to_toml().unwrap();
    let last = text.rfind("[[link]]").unwrap() + "[[link]]\n".len();
    let robot = Robot::parse(&format!("{}coupling = {{ joint = 5, ratio = 1.0 }}\n{}", &text[..last], &text[last..]));
    let options = ExciteOptions { random: 4, steps: 0, ..ExciteOptions::default() };
    let outcome = excite(&ExciteRequest { options, ..ExciteRequest::new(robot.unwrap()) }, &mut ()).unwrap();
    assert!(outcome.found.condition.is_finite());
}

/// A short search beats random motions; wrong fields are named; the observer stops it.
#[test]
fn a_trajectory_is_better_than_random_ones() {
    let options = ExciteOptions { random: 20, steps: 4, ..ExciteOptions::default() };
    let request = ExciteRequest { options, ..ExciteRequest::new(Robot::find("d3-1200").unwrap()) };
    let mut shares = Shares::default();
    let outcome = excite(&request, &mut shares).unwrap();
    // Progress only grows, is nowhere silent for long, and ends at the end.
    let shares = shares.0;
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] - pair[0] < 0.11), "{shares:?}");
    assert_eq!((shares.first(), shares.last()), (Some(&0.0), Some(&1.0)));
    // One long motion: nothing of it is repeated, so that parts of it are held out against others.
    let motion = &outcome.found.motion;
    let signals: Vec<Vec<f64>> =
        (0..3).map(|i| (0..1000).map(|k| motion.at(0.01 * f64::from(k)).q[i]).collect()).collect();
    assert_eq!((outcome.found.repeated, folds::period(&signals)), (1, None));
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
