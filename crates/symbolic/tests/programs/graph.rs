//! The graph finds identities by itself: start ⇒ goal.

use dalembert_core::Scalar;
use dalembert_symbolic::{Graph, Group, Quantity, Signature};

#[test]
fn known_identities_fold() {
    let graph = Graph::new();
    let x = graph.input("x", Group::Position, [0.3, 0.7]);
    let y = graph.input("y", Group::Position, [-0.2, 1.1]);
    let (s, c) = x.sin_cos();
    assert_eq!((s * s + c * c).as_number(), Some(1.0));
    assert!((x * y - y * x).is_zero());
    assert!(((x + y) * (x - y) - x * x + y * y).is_zero());
    let (sy, cy) = y.sin_cos();
    let (sum, _) = (x + y).sin_cos();
    assert!((sum - s * cy - c * sy).is_zero());
}

#[test]
fn a_program_does_what_its_formula_does() {
    let graph = Graph::new();
    let q: Vec<_> = (0..2).map(|i| graph.input(&format!("q{i}"), Group::Position, [0.3 + i as f64, 0.7])).collect();
    let (s, c) = (q[0] + q[1]).sin_cos();
    let results = [-(s * q[0]).times(2.0) + c, q[0].sqrt() / (-q[1]).exp()];
    let signature = Signature {
        name: "test".into(),
        inputs: vec![Quantity::new("q", 2, "angles", "rad")],
        outputs: vec![Quantity::new("out", 2, "results", "1")],
        ..Signature::default()
    };
    let program = graph.program(signature, &results, &[]);
    let (a, b) = (0.4f64, 0.9f64);
    let out = program.evaluate(&[a, b]);
    assert!((out[0] - (-2.0 * (a + b).sin() * a + (a + b).cos())).abs() < 1e-15);
    assert!((out[1] - a.sqrt() / (-b).exp()).abs() < 1e-15);
    assert!(program.steps.iter().any(|step| step.name == "s12"));
}
