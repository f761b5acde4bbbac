//! Identification from arrays in memory.

use dalembert::Robot;
use dalembert::identify::{EstimatorOptions, FitMode, Folds, Log, Parameterization, PriorWeight};
use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::spatial::Wrench;
use dalembert::verbs::identify::{Grade, IdentifyRequest, identify};
use dalembert::verbs::{Finding, Observer, Outcome, Severity};

/// Remembers the stages.
#[derive(Default)]
struct Stages(Vec<String>);

impl Observer for Stages {
    fn progress(&mut self, _: f64, stage: &str) {
        self.0.push(stage.to_owned());
    }
}

fn log(robot: &Robot) -> Log {
    let exact = robot.build_model("exact").unwrap();
    let times: Vec<f64> = (0..3000).map(|k| 2e-3 * f64::from(k)).collect();
    let (mut positions, mut torques) = (vec![Vec::new(); 3], vec![Vec::new(); 3]);
    for t in &times {
        let of = |order: i32, i: usize| {
            let w = 2.0 + 0.7 * i as f64;
            0.3 * w.powi(order) * (w * t + i as f64 + f64::from(order) * std::f64::consts::FRAC_PI_2).sin()
        };
        let joints = |order: i32| JointVector::from_fn(3, |i| of(order, i) + if order == 0 { 0.5 } else { 0.0 });
        let state = JointState { q: joints(0), qd: joints(1), qdd: joints(2) };
        let there = robot.at_joints(&state, &Pick::default()).unwrap();
        let tau = exact.torque(&there, Wrench::zero());
        (0..3).for_each(|i| positions[i].push(state.q[i]));
        (0..3).for_each(|i| torques[i].push(tau[i]));
    }
    Log::from_columns("memory", times, positions, torques).unwrap()
}

/// Viscous friction that the file does not have is found; scores, metrics and findings agree; a wrong unit is an error of the verdict.
#[test]
fn friction_is_found_without_a_file() {
    let truth = Robot::find_with("d3-1200", &["motor.friction.viscous=0.4".to_owned()]).unwrap();
    let log = log(&truth);
    let request = IdentifyRequest {
        parameterization: Parameterization { mode: FitMode::Friction, stribeck: false, ..Parameterization::default() },
        estimator: EstimatorOptions { prior: PriorWeight::Given(1.0), ..EstimatorOptions::default() },
        ..IdentifyRequest::new(Robot::find("d3-1200").unwrap(), vec![log.clone()])
    };
    let mut stages = Stages::default();
    let outcome = identify(&request, &mut stages).unwrap();
    assert_eq!(stages.0.iter().filter(|stage| stage.contains("held-out")).count(), 2, "{:?}", stages.0);
    assert_eq!((outcome.verdict, outcome.grade()), ("good", Grade::Good), "{:?}", outcome.findings);
    let metrics = outcome.metrics();
    let value = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().value;
    assert!((value("parameter.fv2") - 0.4).abs() < 0.01, "{}", value("parameter.fv2"));
    assert!(value("residual.held_out") < 0.01 && value("residual.file") > value("residual.held_out"));
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!(json["scores"]["unseen"]["percent"].as_f64(), Some(outcome.scores.held_out.percent()));
    let residual = outcome.findings.iter().find(|finding| finding.code == "prediction").unwrap();
    let [left, torque] = outcome.scores.held_out.rms();
    assert!((100.0 * left / torque / outcome.scores.held_out.percent() - 1.0).abs() < 1e-9);
    assert!((1.0..20.0).contains(&torque) && residual.text.ends_with(" N m)"), "{torque}: {}", residual.text);
    assert!(json["stribeck_velocities"].is_array() && json["robot"].is_null(), "{json}");
    let mut thousand = log;
    thousand.torques.iter_mut().flatten().for_each(|tau| *tau *= 1e3);
    let outcome = identify(&IdentifyRequest { logs: vec![thousand], ..request.clone() }, &mut ()).unwrap();
    let size = |finding: &&Finding| finding.code == "other-size" && finding.severity == Severity::Error;
    assert!(outcome.findings().iter().any(|finding| size(&finding)), "{:?}", outcome.findings());
    let beyond = IdentifyRequest { folds: Folds::At(vec![50.0]), ..request.clone() };
    let error = identify(&beyond, &mut ()).unwrap_err();
    assert!(error.code == "folds" && error.message.contains("50 s, but the logs take 5.93 s"), "{}", error.message);
    assert_eq!(identify(&IdentifyRequest { logs: Vec::new(), ..request }, &mut ()).unwrap_err().code, "no-log");
}
