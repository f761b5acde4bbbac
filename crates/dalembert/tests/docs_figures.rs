//! The figures that the documentation quotes are what its programs print today.
//!
//! The arithmetic is the same on every platform (own sine and cosine, correctly rounded square roots, no powers), so the
//! tables are compared letter by letter, their rounding noise included.

#[path = "../examples/numerical_jacobian.rs"]
mod numerical_jacobian;

const STORED: &str = include_str!("../../../docs/experiments/numerical-jacobian.txt");
const PAGE: &str = include_str!("../../../docs/experiments/numerical-jacobian.md");

/// After a wanted change: `cargo run -p dalembert --example numerical_jacobian > docs/experiments/numerical-jacobian.txt`,
/// and the tables into the page.
#[test]
fn numerical_jacobian_prints_what_is_stored_and_shown() {
    let report = numerical_jacobian::report().expect("the built-in robot reaches its poses");
    assert_eq!(report, STORED, "docs/experiments/numerical-jacobian.txt is stale");
    for line in report.lines() {
        assert!(PAGE.contains(line), "docs/experiments/numerical-jacobian.md lacks: {line}");
    }
}
