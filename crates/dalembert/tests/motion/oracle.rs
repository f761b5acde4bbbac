//! The fastest motions with a limited jerk against direct collocation (`golden/README.md`).

use dalembert::Vec3;
use dalembert::limits::JointLimits;
use dalembert::motion::{Arc, MotionLimits, Mover, Path, Polyline, SemiEllipse, time_optimal};
use dalembert::robot::{Pick, Robot};

const CENTER: Vec3<f64> = Vec3([0.0, 0.0, -0.9]);
const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);

fn path(name: &str) -> Box<dyn Path<Point = Vec3<f64>>> {
    match name {
        "line" => Box::new(Polyline::line(Vec3::new(-0.15, 0.0, -0.9), Vec3::new(0.15, 0.0, -0.9)).unwrap()),
        "cycle" => Box::new(Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap()),
        "zigzag" => {
            let points = [[-0.2, -0.1, -0.9], [0.0, 0.1, -0.85], [0.1, -0.1, -0.95], [0.25, 0.05, -0.9]].map(Vec3);
            Box::new(Polyline::new(&points, 0.04).unwrap())
        }
        "semi-ellipse" => Box::new(SemiEllipse::new(CENTER, X, 0.25, 0.05).unwrap()),
        "circle" => Box::new(Arc::circle(CENTER, 0.1).unwrap()),
        other => panic!("{other}"),
    }
}

/// Within 2 % of the optimum, and no faster than it but for what both leave between their grids.
#[test]
fn the_third_order_method_finds_what_direct_collocation_finds() {
    let robot = Mover::of_tool(&Robot::find("d3-1200").unwrap(), None, &Pick::default()).unwrap();
    let free = robot.clone().limited(|_, own| JointLimits { max_torque: 1e9, max_speed: 1e9, ..own });
    let mut count = 0;
    for line in include_str!("../../../../golden/jerk-limited.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells[i].parse::<f64>().unwrap();
        let moved = MotionLimits { speed: number(2), acceleration: number(3), jerk: number(4) };
        let each = MotionLimits { speed: f64::INFINITY, acceleration: number(5), jerk: number(6) };
        let mover = if cells[1] == "1" { &robot } else { &free };
        let best = time_optimal(&path(cells[0]), &mover.clone().within(moved, each), None).unwrap();
        let (found, known) = (best.profile.duration(), number(7));
        println!("{line}: {found:.6} s, {:+.2} %", 100.0 * (found / known - 1.0));
        assert!(found < 1.02 * known && found > 0.998 * known, "{line}: {found}");
        count += 1;
    }
    assert_eq!(count, 10);
}
