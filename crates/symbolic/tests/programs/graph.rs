//! The graph finds identities by itself: start ⇒ goal.

use dalembert_core::Scalar;
use dalembert_symbolic::{Graph, Group, Program, Quantity};

#[test]
fn known_identities_fold() {
    let graph = Graph::new();
    let x = graph.input("x", Group::Position, 0.3);
    let y = graph.input("y", Group::Position, -0.2);
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
    let q: Vec<_> = (0..2).map(|i| graph.input(&format!("q{i}"), Group::Position, 0.3 + i as f64)).collect();
    let (s, c) = (q[0] + q[1]).sin_cos();
    let results = [-(s * q[0]).times(2.0) + c, q[0].sqrt() / (-q[1]).exp()];
    let signature = Program {
        name: "test".into(),
        inputs: vec![Quantity::new("q", 2, "angles", "rad")],
        outputs: vec![Quantity::new("out", 2, "results", "1")],
        ..Program::default()
    };
    let program = graph.program(signature, &results, &[]);
    let (a, b) = (0.4f64, 0.9f64);
    let out = program.evaluate(&[a, b]);
    assert!((out[0] - (-2.0 * (a + b).sin() * a + (a + b).cos())).abs() < 1e-15);
    assert!((out[1] - a.sqrt() / (-b).exp()).abs() < 1e-15);
    assert!(program.steps.iter().any(|step| step.name == "s12"));
}

/// Numbers that are near each other are not the same, and equal ones are, however they were computed.
#[test]
fn numbers_are_what_they_are() {
    let graph = Graph::new();
    let x = graph.input("x", Group::Position, 0.7);
    let number = |value: f64| dalembert_symbolic::Expr::from_f64(value);
    for (a, b) in
        [(0.3, 0.300000000001), (1.0, 1.0 + f64::EPSILON), (0.1 + 0.2, 0.3), (1e-300, 1.0000000000000002e-300)]
    {
        assert!(!(x * number(a) - x * number(b)).is_zero(), "{a} {b}");
    }
    // As decimals, to the last digit.
    assert!((x * number(0.1) + x * number(0.2) - x * number(0.3)).is_zero());
    assert_eq!((number(0.0001) + number(0.00042)).as_number(), Some(0.00052));
    assert_eq!((number(0.7) * number(0.1) / number(0.7)).as_number(), Some(0.1));
    // Roots, and the sines of 15, 45 and 60 degrees.
    let root = (x * x + number(2.0)).sqrt();
    assert!((root * root - x * x - number(2.0)).is_zero());
    let third = number(std::f64::consts::FRAC_PI_3);
    assert!((third.sin_cos().0.square() - number(0.75)).is_zero());
    let (s, c) = number(0.3).sin_cos();
    assert!((s * s + c * c - number(1.0)).is_zero());
    // A choice is none of its branches.
    let choice = x.select_lt(number(1.0), x, -x);
    assert!(!(choice - x).is_zero() && !(choice + x).is_zero());
}
