//! Distances of legs and swings of ball joints, against what they mean.

use super::robots::{Dice, KINDS, robot, tool};
use dalembert_core::parallel::{Chain, Parallel};
use dalembert_core::{Mat3, Vec3};

/// Points on the legs, so many on each: no two legs are nearer than is said, and these are nearly as near.
#[test]
fn no_points_of_two_legs_are_nearer_than_the_least_distance() {
    const POINTS: usize = 200;
    let mut dice = Dice(11);
    for kind in KINDS {
        let robot: Parallel<f64, 6> = robot(&mut dice, kind, false);
        for _ in 0..4 {
            let pose = robot.at_tool(tool(&mut dice, &robot)).unwrap();
            let (least, [a, b]) = pose.least_distance();
            let on = |leg: usize, k: usize| pose.near(leg) + pose.legs[leg].rod * (k as f64 / POINTS as f64);
            let between = |i: usize, k: usize| {
                let pairs = (0..=POINTS).flat_map(|p| (0..=POINTS).map(move |q| (p, q)));
                pairs.map(|(p, q)| (on(i, p) - on(k, q)).norm_squared()).fold(f64::INFINITY, f64::min).sqrt()
            };
            let step = pose.legs.iter().map(|leg| leg.rod.norm_squared().sqrt()).fold(0.0, f64::max) / POINTS as f64;
            for i in 0..6 {
                for k in i + 1..6 {
                    assert!(between(i, k) >= least - 1e-15, "{kind:?}: legs {i} {k}, {least}");
                }
            }
            // Between two points a leg is at most half a step away, on either leg.
            assert!(between(a - 1, b - 1) <= least + step, "{kind:?}: {least}");
        }
    }
}

/// A turn about a unit vector, by Rodrigues.
fn about(axis: Vec3<f64>, angle: f64) -> Mat3<f64> {
    let (sin, cos) = angle.sin_cos();
    let n = Mat3::skew(axis);
    Mat3::diagonal(1.0) + n * sin + n.product(n) * (1.0 - cos)
}

#[test]
fn a_ball_joint_swings_by_what_its_leg_turns_in_its_seat() {
    let mut dice = Dice(12);
    for kind in KINDS {
        let robot: Parallel<f64, 6> = robot(&mut dice, kind, false);
        let home = robot.at_tool(robot.home()).unwrap();
        let near = |swings: [f64; 6]| swings.iter().all(|swing| *swing < 1e-7);
        assert!(near(home.base_swings()) && near(home.platform_swings()));
        let pose = robot.at_tool(tool(&mut dice, &robot)).unwrap();
        let ([q, at_home], turned) = ([pose.joints(), home.joints()], pose.tool.rotation);
        let angle = |a: Vec3<f64>, b: Vec3<f64>| a.cross(b).norm_squared().sqrt().atan2(a.dot(b));
        for i in 0..6 {
            let (here, there) = (pose.legs[i].rod, home.legs[i].rod);
            // What the seat has turned by since home.
            let base = match robot.parameters().legs[i].chain {
                Chain::Rotary { axis, .. } => about(axis, q[i] - at_home[i]),
                _ => Mat3::diagonal(1.0),
            };
            let platform = turned.product(robot.home().rotation.transpose());
            for (seat, said) in [(base, pose.base_swings()[i]), (platform, pose.platform_swings()[i])] {
                assert!((angle(here, seat * there) - said).abs() < 1e-12, "{kind:?} {i}: {said}");
            }
        }
    }
}
