//! `compare`, `explain` and `ops`: numbers, findings and JSON without the command.

use dalembert::robot::{JointState, JointVector, Robot};
use dalembert::verbs::{
    CompareMotion, CompareRequest, CompareStroke, ExplainRequest, ExplainState, OpsRequest, Outcome, compare, explain,
    ops,
};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The cost of a model is the RMS of its difference; a chart, both reports and the table of samples are made of the same numbers.
#[test]
fn models_over_a_stroke() -> Result {
    let mut request = CompareRequest::new(Robot::find("d3-1200")?);
    request.motion = CompareMotion::Own(CompareStroke { samples: Some(20), ..CompareStroke::default() });
    let outcome = compare(&request, &mut ())?;
    let json = serde_json::to_value(&outcome)?;
    let keys: Vec<&String> = json.as_object().ok_or("no object")?.keys().collect();
    let expected = [
        "robot",
        "motion",
        "reference",
        "means_over",
        "exact_torque",
        "exact_torque_without_dissipation",
        "difference_to_exact",
        "bandwidth",
        "costs",
    ];
    assert_eq!(keys, expected);
    assert_eq!(json["motion"]["samples_per_stroke"], 20);
    let metrics = outcome.metrics();
    for cost in &outcome.costs {
        let name = format!("{}.torque.rms", cost.name.replace('-', "_"));
        let metric = metrics.iter().find(|metric| metric.name == name).ok_or("no metric")?;
        assert_eq!((metric.value, metric.unit.as_ref()), (cost.torque_rms, "N m"));
        let large = outcome.findings().iter().any(|finding| finding.values.get("model") == Some(&cost.name.into()));
        assert_eq!(large, cost.share >= 0.05, "{}", cost.name);
    }
    assert_eq!(outcome.to_csv().lines().count(), 81);
    assert_eq!(outcome.chart().panels.len(), 6);
    assert!(outcome.to_markdown().contains("which published model may I use?"));
    Ok(())
}

/// Strokes out of reach are refused with the reach, not with options.
#[test]
fn a_stroke_out_of_reach() -> Result {
    let mut request = CompareRequest::new(Robot::find("d3-1200")?);
    request.motion = CompareMotion::Own(CompareStroke { z: Some(-3.0), ..CompareStroke::default() });
    let error = compare(&request, &mut ()).err().ok_or("accepted")?;
    assert_eq!(error.code, "stroke-out-of-reach");
    assert!(error.hint.is_some_and(|hint| hint.starts_with("on its axis") && !hint.contains("--")));
    Ok(())
}

/// The torques of an explanation are those of the model; angles that look like degrees are a finding.
#[test]
fn a_state_explained() -> Result {
    let robot = Robot::find("puma560")?;
    let mut request = ExplainRequest::new(robot.clone());
    let at_home = explain(&request, &mut ())?;
    let holding = robot.build_model("exact")?.gravity_torque(&robot.home()?);
    for (metric, holding) in at_home.metrics().iter().zip(holding.iter()) {
        assert!((metric.value - holding).abs() < 1e-9, "{metric:?} {holding}");
    }
    assert!(at_home.findings().is_empty());
    let json = serde_json::to_value(&at_home)?;
    let quantity = json["sections"][0]["quantities"][0].as_object().ok_or("no quantity")?;
    let keys: Vec<&String> = quantity.keys().collect();
    assert_eq!(keys, ["symbol", "meaning", "formula", "equation", "unit", "shape", "value"]);
    let still = JointVector::zero(6);
    let q = JointVector::new(&[90.0; 6]);
    request.state = ExplainState::Joints { joints: JointState { q, qd: still.clone(), qdd: still }, assembly: None };
    assert_eq!(explain(&request, &mut ())?.findings()[0].code, "joint-range-exceeded");
    Ok(())
}

/// Counts without times are the same every time, and serialise without the notes of papers.
#[test]
fn operations_are_counted() -> Result {
    let request = OpsRequest::new(Robot::find("d3-1200")?);
    let (outcome, again) = (ops(&request, &mut ())?, ops(&request, &mut ())?);
    assert!(!outcome.is_timed());
    assert_eq!(outcome.metrics(), again.metrics());
    let torque = outcome.metrics().into_iter().find(|metric| metric.name == "exact.torque.operations");
    assert!(torque.is_some_and(|metric| metric.value > 100.0));
    let json = serde_json::to_value(&outcome)?;
    let table = json["published"][0].as_object().ok_or("no table")?;
    assert_eq!(table.keys().collect::<Vec<_>>(), ["title", "columns", "rows"]);
    Ok(())
}
