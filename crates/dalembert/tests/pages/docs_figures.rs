//! The figures that the documentation quotes are what the library computes today.
//!
//! The arithmetic of the experiment is the same on every platform (own sine and cosine, correctly rounded square roots, no powers), so the
//! tables are compared letter by letter, their rounding noise included.

use dalembert::delta::models::bortoff::Bortoff;
use dalembert::delta::{Assembly, Branch};
use dalembert::{Vec3, robots};

#[path = "../../examples/numerical_jacobian.rs"]
mod numerical_jacobian;

const STORED: &str = include_str!("../../../../docs/experiments/numerical-jacobian.txt");
const PAGE: &str = include_str!("../../../../docs/experiments/numerical-jacobian.md");

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

/// `docs/papers/asadi.md`: the paper's experiment, a circle of 250 mm at 1 rad/s and 450 mm depth, is nearly static.
/// What is left of the torques without gravity is 5 % of them.
#[test]
fn asadis_circle_tests_gravity_and_little_else() {
    let robot = robots::asadi().expect("a built-in robot").delta;
    let rms = |torques: &[Vec3<f64>]| {
        let sum: f64 = torques.iter().map(|tau| tau.norm_squared()).sum();
        (sum / (3.0 * torques.len() as f64)).sqrt()
    };
    let (gravity, rest): (Vec<_>, Vec<_>) = (0..360)
        .map(|degree| {
            let (sin, cos) = f64::from(degree).to_radians().sin_cos();
            let outward = Vec3::new(0.25 * cos, 0.25 * sin, 0.0);
            let pose = robot.at_position(outward + Vec3::new(0.0, 0.0, -0.45), Branch::Out).expect("reachable");
            let held = Vec3(pose.gravity_torque());
            (held, Vec3(pose.moving(Vec3::new(-0.25 * sin, 0.25 * cos, 0.0)).torque(-outward)) - held)
        })
        .unzip();
    assert!((rms(&gravity) - 1.646).abs() < 1e-3, "{}", rms(&gravity));
    assert!((rms(&rest) - 0.079).abs() < 1e-3, "{}", rms(&rest));
}

/// `docs/papers/bortoff.md`: from one control cycle ago (3 mm at 3 m/s and 1 kHz) two Newton steps give nine decimals,
/// from 5 cm away three do.
#[test]
fn bortoffs_newton_converges_in_two_or_three_steps() {
    for (robot, z) in [(robots::d3_1200(), -0.85), (robots::asadi(), -0.45)] {
        let robot = robot.expect("a built-in robot").delta;
        let model = Bortoff::new(robot.parameters());
        let at = |d: f64| {
            let position = Vec3::new(0.05 + 0.6 * d, 0.02 + 0.64 * d, z + 0.48 * d);
            robot.at_position(position, Branch::Out).expect("reachable")
        };
        for (distance, steps) in [(0.003, 2), (0.05, 3)] {
            let (start, goal) = (at(0.0), at(distance));
            // The correction of the last step is below 1e-3, so by then the error is its square.
            let solution = model.newton_forward(goal.joints(), start.nine_angles(), 1e-3).expect("convergence");
            let off = (solution.position - goal.position).norm_squared().sqrt();
            assert!(solution.iterations == steps && off < 1e-9, "{distance} m: {} steps, {off} m", solution.iterations);
        }
    }
}

/// `docs/papers/bortoff.md`: with all arms at the same angle and constant torques, heave is stable where the holding
/// torque grows with q. Where it stops growing is the crossing.
#[test]
fn the_open_loop_turns_unstable_where_the_page_says() {
    for (robot, crossing, at_45) in [(robots::asadi(), 16.03, 0.72), (robots::d3_1200(), 15.55, 2.88)] {
        let robot = robot.expect("a built-in robot").delta;
        let holding = |q: f64| {
            let pose = robot.at_joints([q, q, q], Assembly::Below).expect("a symmetric pose");
            pose.gravity_torque()[0]
        };
        let stiffness = |degrees: f64| {
            let (q, step) = (degrees.to_radians(), 1e-5);
            (holding(q + step) - holding(q - step)) / (2.0 * step)
        };
        assert!(stiffness(0.0) < 0.0 && stiffness(crossing - 0.01) < 0.0 && stiffness(crossing + 0.01) > 0.0);
        assert!((stiffness(45.0) - at_45).abs() < 0.005, "{}", stiffness(45.0));
    }
}
