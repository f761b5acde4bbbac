//! Bench measurements.

use dalembert::identify::numerics::bench::Toleranced;
use dalembert::verbs::Outcome;
use dalembert::verbs::bench::{BenchRequest, bench};

/// I = k (T/2π)² on a spring; the drive is what is left without the arm; its JSON has the keys of the command's.
#[test]
fn a_joint_on_a_spring_has_the_inertia_of_its_period() {
    let request = |count: usize| BenchRequest::Torsion {
        stiffness: vec![Toleranced::new(120.0, 2.4)],
        period: vec![Toleranced::new(0.7, 0.005); count],
        arm: Toleranced::new(0.35, 0.0),
        decay: None,
    };
    let outcome = bench(&request(1), &mut ()).unwrap();
    let metrics = outcome.metrics();
    let value = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().value;
    let inertia = 120.0 * (0.7 / std::f64::consts::TAU).powi(2);
    assert!(
        (value("inertia.total") - inertia).abs() < 1e-12 && (value("inertia.drive") - inertia + 0.35).abs() < 1e-12
    );
    let json = serde_json::to_value(&outcome).unwrap();
    assert!(json["total"]["tolerance"].is_f64() && json["damping"].is_null(), "{json}");
    assert_eq!(bench(&request(2), &mut ()).unwrap_err().code, "count");
}
