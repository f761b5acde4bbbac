//! Published models against the exact one along a motion.

use dalembert::analyze::compare::{Comparison, compare, pick_and_place};
use dalembert::motion::{Direction, PickAndPlace};
use dalembert::robot::{Pick, Reason};
use dalembert::{Robot, Vec3, robots};

fn usual(z: f64) -> [PickAndPlace; 2] {
    [Direction::X, Direction::Y].map(|direction| PickAndPlace {
        center: Vec3::new(0.0, 0.0, z),
        width: 0.3,
        height: 0.025,
        stroke: 1.0 / 6.0,
        direction,
    })
}

fn compared(robot: &Robot, z: f64, steps: u32) -> Comparison {
    compare(robot, &pick_and_place(robot, &Pick::default(), &usual(z), steps).unwrap()).unwrap()
}

/// Section 5 of `crates/papers/errata.md`, computed there by another program: torque max/RMS 57.7/23.9 N m (d3-1200) and
/// 38.4/18.0 N m (asadi); Codourey's 1/3–2/3 split is off by 1.510/0.640 and 0.420/0.207 N m.
#[test]
fn agrees_with_the_table_of_the_errata() {
    let near = |a: f64, b: f64, tolerance: f64| assert!((a - b).abs() < tolerance, "{a} {b}");
    for (robot, z, [max, rms], [off_max, off_rms]) in [
        (Robot::find("d3-1200").unwrap(), -0.85, [57.7, 23.9], [1.510, 0.640]),
        (Robot::find("asadi").unwrap(), -0.45, [38.4, 18.0], [0.420, 0.207]),
    ] {
        let comparison = compared(&robot, z, 500);
        near(comparison.exact.all.maximum, max, 0.06);
        near(comparison.exact.all.rms, rms, 0.06);
        for (name, result) in &comparison.models {
            let compared = result.as_ref().unwrap();
            match *name {
                "codourey-simplified" => {
                    near(compared.difference.all.maximum, off_max, 0.002);
                    near(compared.difference.all.rms, off_rms, 0.002);
                }
                "asadi" | "bortoff" => assert!(compared.difference.all.maximum < 1e-11),
                _ => {}
            }
        }
    }
}

/// The torques of a robot of a few grams have digits in the legend too.
#[test]
fn the_legend_shows_small_differences() {
    let small = robots::d3_1200().unwrap().changed(|parameters| {
        parameters.platform_mass *= 1e-4;
        for arm in &mut parameters.arms {
            arm.upper_arm.mass *= 1e-4;
            arm.upper_arm.inertia *= 1e-4;
            arm.forearm.mass *= 1e-4;
            arm.forearm.inertia *= 1e-4;
        }
    });
    let comparison = compared(&Robot::new("small", small.unwrap()), -0.85, 100);
    let svg = comparison.to_chart("", "", vec![]).draw().to_svg();
    assert!(svg.contains("codourey-simplified (RMS 6.4") && !svg.contains("RMS 0.00 "), "{svg}");
}

#[test]
fn a_motion_out_of_reach_says_where_and_by_how_much() {
    let robot = Robot::find("asadi").unwrap();
    let error = pick_and_place(&robot, &Pick::default(), &usual(-0.71), 100).unwrap_err();
    assert!(matches!(error.source.reason, Reason::TooFar(_) | Reason::TooClose(_)));
    assert!(error.to_string().contains("would have to be"), "{error}");
}
