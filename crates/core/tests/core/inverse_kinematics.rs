//! Inverse kinematics of serial arms: every solution leads back to its target, none is missing, and what cannot be reached is
//! refused.
//!
//! `DALEMBERT_POSES=100000` for more poses of each arm than a test has time for.

use super::arms::{Table, arm, ranges, table, tables};
use dalembert_core::serial::{ClosedForm, Inverse, MAX_JOINTS, Method, PumaGeometry, Serial, Solution, times};
use dalembert_core::spatial::{Frame, Twist, rotation_vector};
use dalembert_core::{Mat3, Vec3};
use std::f64::consts::{PI, TAU};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    /// A place within ranges.
    fn within<const N: usize>(&mut self, ranges: &[[f64; 2]; N]) -> [f64; N] {
        ranges.map(|[low, high]| low + (high - low) * self.next())
    }
}

fn poses(usual: usize) -> usize {
    std::env::var("DALEMBERT_POSES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn padded<const N: usize>(q: &[f64; N]) -> [f64; MAX_JOINTS] {
    std::array::from_fn(|i| q.get(i).copied().unwrap_or(0.0))
}

fn cut<const N: usize>(q: &[f64; MAX_JOINTS]) -> [f64; N] {
    std::array::from_fn(|i| q[i])
}

fn off(a: &Frame<f64>, b: &Frame<f64>) -> f64 {
    let norm = |v: Vec3<f64>| v.norm_squared().sqrt();
    norm(a.origin - b.origin).max(norm(rotation_vector(a.rotation, b.rotation)))
}

/// The same joints but for whole turns.
fn same<const N: usize>(slides: &[bool], a: &[f64; N], b: &[f64; N], within: f64) -> bool {
    (0..N).all(|i| {
        let apart = a[i] - b[i];
        (if slides[i] { apart } else { apart - TAU * (apart / TAU).round() }).abs() < within
    })
}

macro_rules! for_joints {
    ($table:expr, $test:ident ( $($argument:expr),* )) => {
        match $table.rows.len() {
            3 => $test::<3>($($argument),*),
            4 => $test::<4>($($argument),*),
            5 => $test::<5>($($argument),*),
            6 => $test::<6>($($argument),*),
            7 => $test::<7>($($argument),*),
            n => panic!("{n} joints"),
        }
    };
}

/// Where we came from is found, every solution reaches the target to 1e-12, and no two are the same.
fn round_trips<const N: usize>(table: &Table, count: usize) {
    let robot: Serial<f64, N> = arm(table);
    let inverse = Inverse::new(&robot).unwrap();
    let ranges = ranges::<N>(table);
    let slides: Vec<bool> = table.rows.iter().map(|row| row.4).collect();
    let mut random = Random(5);
    let (mut worst, mut solutions, mut missed, mut singular) = (0.0_f64, 0, 0, 0);
    let mut histogram = [0; 17];
    for _ in 0..count {
        let q = random.within(&ranges);
        let target = robot.at_joints(q).unwrap().tool();
        // Of a redundant arm the seed says which; else it does not matter.
        let seed = if N > 6 { padded(&q) } else { [0.0; MAX_JOINTS] };
        let found = inverse.solve(&target, &seed).unwrap();
        for solution in found.as_slice() {
            let error = off(&robot.at_joints(cut(&solution.q)).unwrap().tool(), &target);
            worst = worst.max(error);
            assert!(error <= 1e-12, "{}: {error:e} at {q:?}, {solution:?}", table.name);
        }
        let all: Vec<[f64; N]> = found.as_slice().iter().map(|solution| cut(&solution.q)).collect();
        let margin = inverse.margin(&padded(&q));
        if !all.iter().any(|other| same(&slides, &q, other, 1e-6)) {
            // Within sight of a singular pose joints are known to the root of rounding only.
            if margin < 1e-6 { singular += 1 } else { missed += 1 }
        }
        solutions += all.len();
        histogram[all.len()] += 1;
    }
    println!(
        "{:10} {:?}, held {:?}: {count} poses, {:.3} solutions each {histogram:?}, worst error {worst:.1e}, start missed {missed} times (singular {singular})",
        table.name,
        inverse.method(),
        (0..N).filter(|i| inverse.held()[*i]).collect::<Vec<_>>(),
        solutions as f64 / count as f64,
    );
    assert_eq!(missed, 0, "{}", table.name);
}

#[test]
fn every_solution_leads_back() {
    for table in tables().iter().filter(|table| table.name != "general") {
        for_joints!(table, round_trips(table, poses(2000)));
    }
    for_joints!(table("general"), round_trips(&table("general"), poses(2000) / 100));
}

/// Newton's method of the test's own, with the formulas of the arm: from a start to a solution, if it gets there.
///
/// The arm angle of an arm that has one is a seventh equation, its derivatives are differences.
fn newton<const N: usize>(
    robot: &Serial<f64, N>,
    inverse: &Inverse,
    held: &[bool; MAX_JOINTS],
    (target, angle): (&Frame<f64>, Option<f64>),
    mut q: [f64; N],
) -> Option<[f64; N]> {
    let mut damping = 1e-2;
    let off = |q: [f64; N]| match (angle, inverse.arm_angle(&padded(&q))) {
        (None, _) => 0.0,
        (Some(goal), Some(angle)) => (goal - angle + PI).rem_euclid(TAU) - PI,
        (Some(_), None) => 1.0,
    };
    let residual = |q: [f64; N]| {
        let tool = robot.at_joints(q).unwrap().tool();
        let turn = rotation_vector(tool.rotation, target.rotation);
        let way = target.origin - tool.origin;
        [way[0], way[1], way[2], turn[0], turn[1], turn[2], off(q)]
    };
    let square = |r: &[f64; 7]| r.iter().map(|x| x * x).sum::<f64>();
    let mut rest = residual(q);
    for _ in 0..80 {
        if square(&rest) < 1e-24 {
            return Some(q);
        }
        let jacobian = robot.at_joints(q).unwrap().jacobian();
        let slope = |j: usize| {
            let at = |step: f64| off(std::array::from_fn(|i| q[i] + if i == j { step } else { 0.0 }));
            if angle.is_some() { (at(-1e-6) - at(1e-6)) / 2e-6 } else { 0.0 }
        };
        let columns: [[f64; 7]; N] = std::array::from_fn(|j| {
            let [a, b, c, d, e, f] = jacobian[j].components();
            if held[j] { [0.0; 7] } else { [a, b, c, d, e, f, slope(j)] }
        });
        let mut matrix = [[0.0; N]; N];
        let mut right = [0.0; N];
        for i in 0..N {
            let dot = |a: [f64; 7], b: [f64; 7]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            for j in 0..N {
                matrix[i][j] = dot(columns[i], columns[j]) + if i == j { damping * damping + 1e-14 } else { 0.0 };
            }
            right[i] = dot(columns[i], rest);
        }
        let (step, _) = dalembert_core::algebra::solve(matrix, right);
        let next: [f64; N] = std::array::from_fn(|i| q[i] + step[i]);
        let new = residual(next);
        if square(&new) < square(&rest) {
            (q, rest, damping) = (next, new, damping * 0.3);
        } else {
            damping = (damping * 4.0).max(1e-6);
            if damping > 1e3 {
                return None;
            }
        }
    }
    None
}

/// What a search from hundreds of starts finds is among the solutions.
fn against_brute_force<const N: usize>(table: &Table, count: usize, starts: usize) {
    let robot: Serial<f64, N> = arm(table);
    let inverse = Inverse::new(&robot).unwrap();
    let ranges = ranges::<N>(table);
    let slides: Vec<bool> = table.rows.iter().map(|row| row.4).collect();
    let mut random = Random(77);
    let (mut ours, mut theirs) = (0, 0);
    for _ in 0..count {
        let q = random.within(&ranges);
        let target = robot.at_joints(q).unwrap().tool();
        let angle = inverse.arm_angle(&padded(&q));
        let held = if angle.is_some() { [false; MAX_JOINTS] } else { inverse.held() };
        let found = inverse.solve(&target, &padded(&q)).unwrap();
        let found: Vec<[f64; N]> = found.as_slice().iter().map(|solution| cut(&solution.q)).collect();
        let mut all: Vec<[f64; N]> = Vec::new();
        for _ in 0..starts {
            let start = std::array::from_fn(|i| match (held[i], slides[i]) {
                (true, _) => q[i],
                (false, true) => q[i] + 2.0 * random.next() - 1.0,
                (false, false) => PI * (2.0 * random.next() - 1.0),
            });
            let Some(solution) = newton(&robot, &inverse, &held, (&target, angle), start) else { continue };
            if !all.iter().any(|other| same(&slides, &solution, other, 1e-4)) {
                let margin = inverse.margin(&padded(&solution));
                let there = found.iter().any(|other| same(&slides, &solution, other, 1e-5));
                assert!(there || margin < 1e-5, "{}: {solution:?} (margin {margin:e}) is not in {found:?}", table.name);
                all.push(solution);
            }
        }
        ours += found.len();
        theirs += all.len();
    }
    println!("{:10} {count} poses: {ours} solutions, {theirs} by brute force", table.name);
}

#[test]
fn no_solution_is_missing() {
    for table in tables().iter().filter(|table| table.name != "general") {
        for_joints!(table, against_brute_force(table, poses(20).min(300), 300));
    }
    for_joints!(table("general"), against_brute_force(&table("general"), poses(4).min(100), 600));
}

/// The formulas of the PUMA and the general ones have the same solutions.
#[test]
fn the_puma_both_ways() {
    let robot: Serial<f64, 6> = arm(&table("puma"));
    let (inverse, puma) = (Inverse::new(&robot).unwrap(), PumaGeometry::new(&robot).unwrap());
    let mut random = Random(3);
    for _ in 0..1000 {
        let target = robot.at_joints(random.within(&[[-3.0, 3.0]; 6])).unwrap().tool();
        let general = inverse.solve(&target, &[0.0; 8]).unwrap();
        let own: Vec<_> = puma.solve(&target).unwrap().into_iter().flatten().collect();
        assert_eq!(general.as_slice().len(), own.len());
        for solution in own {
            let there = |other: &Solution| same(&[false; 6], &solution.q, &cut(&other.q), 1e-9);
            assert_eq!(general.as_slice().iter().filter(|other| there(other)).count(), 1);
        }
    }
}

#[test]
fn methods_are_as_expected() {
    use ClosedForm::{ParallelAxes, ShoulderAndWrist, SphericalWrist};
    for table in tables() {
        fn method<const N: usize>(table: &Table) -> Method {
            Inverse::new(&arm::<N>(table)).unwrap().method()
        }
        let expected = match table.name {
            "ur5e" | "parallel" => Method::Closed(ParallelAxes),
            "general" => Method::Search,
            "iiwa" => Method::Closed(ShoulderAndWrist),
            _ => Method::Closed(SphericalWrist),
        };
        assert_eq!(for_joints!(table, method(&table)), expected, "{}: {}", table.name, table.source);
    }
}

/// At singular poses the target is still reached, the margin says what they are, and joints that do not matter stay as they were.
#[test]
fn singular_poses() {
    fn check<const N: usize>(table: &Table, q: [f64; N]) {
        let robot: Serial<f64, N> = arm(table);
        let inverse = Inverse::new(&robot).unwrap();
        let target = robot.at_joints(q).unwrap().tool();
        let found = inverse.solve(&target, &padded(&q)).unwrap();
        assert!(!found.as_slice().is_empty(), "{}: {q:?}", table.name);
        for solution in found.as_slice() {
            let error = off(&robot.at_joints(cut(&solution.q)).unwrap().tool(), &target);
            assert!(error <= 1e-12, "{}: {error:e}", table.name);
        }
        let least = found.as_slice().iter().map(|solution| solution.margin).fold(1.0, f64::min);
        assert!(least < 1e-6, "{}: {q:?} has a margin of {least:e}", table.name);
        let slides: Vec<bool> = table.rows.iter().map(|row| row.4).collect();
        let near = |solution: &Solution| same(&slides, &q, &cut(&solution.q), 1e-6);
        assert!(found.as_slice().iter().any(near), "{}: {q:?} is not in {:?}", table.name, found.as_slice());
    }
    // Stretched elbow, wrist in line, both; shoulder over the wrist.
    check(&table("ur5e"), [0.3, -1.0, 0.0, 0.4, 0.8, 0.2]);
    check(&table("ur5e"), [0.3, -1.0, 0.9, 0.4, 0.0, 0.2]);
    check(&table("puma"), [0.3, -0.5, 0.4, 0.7, 0.0, 0.2]);
    check(&table("stanford"), [0.3, 0.8, 0.6, 0.7, 0.0, 0.2]);
    check(&table("gantry"), [0.3, 0.8, 0.6, 0.7, 0.0, 0.2]);
    check(&table("iiwa"), [0.3, 0.8, 0.2, 1.1, 0.5, 0.0, 0.4]);
    check(&table("scara"), [0.3, 0.0, 0.1, 0.5]);
    check(&table("youbot"), [0.3, 0.4, 0.0, 0.5, 0.7]);
    check(&table("four"), [0.3, 0.4, 79.38_f64.to_radians(), 0.5]);
}

/// Out of reach, and what an arm with few joints cannot do: no solution, and how much is missing.
#[test]
fn what_is_missing_is_told() {
    let robot: Serial<f64, 6> = arm(&table("ur5e"));
    let inverse = Inverse::new(&robot).unwrap();
    let mut target = robot.at_joints([0.3, -1.0, 0.0, 0.4, 0.8, 0.2]).unwrap().tool();
    target.origin = target.origin * 3.0;
    assert!(inverse.solve(&target, &[0.0; 8]).unwrap().as_slice().is_empty());
    let nearest = inverse.nearest(&target, &[0.0; 8]).unwrap();
    assert!(!inverse.reaches(&nearest) && nearest.missing.linear.norm_squared().sqrt() > 0.5, "{nearest:?}");
    // A SCARA cannot tilt its tool: 0.1 rad are missing, whatever it does.
    let robot: Serial<f64, 4> = arm(&table("scara"));
    let inverse = Inverse::new(&robot).unwrap();
    let q = [0.3, 0.5, 0.1, 0.2];
    let mut target = robot.at_joints(q).unwrap().tool();
    let (sin, cos) = 0.1_f64.sin_cos();
    target.rotation =
        target.rotation.product(Mat3([Vec3([1.0, 0.0, 0.0]), Vec3([0.0, cos, -sin]), Vec3([0.0, sin, cos])]));
    assert!(inverse.solve(&target, &[0.0; 8]).unwrap().as_slice().is_empty());
    let missing = inverse.nearest(&target, &padded(&q)).unwrap().missing;
    assert!((missing.angular.norm_squared().sqrt() - 0.1).abs() < 1e-6, "{missing:?}");
    assert!(missing.linear.norm_squared().sqrt() < 1e-6, "{missing:?}");
}

/// The tool goes there without a jump, and to the same joints as it came from.
#[test]
fn following_does_not_jump() {
    fn check<const N: usize>(table: &Table, q: [f64; N], way: [f64; 3]) {
        let robot: Serial<f64, N> = arm(table);
        let inverse = Inverse::new(&robot).unwrap();
        let mut target = robot.at_joints(q).unwrap().tool();
        target.origin = target.origin + Vec3(way);
        let there = inverse.follow(&target, &padded(&q)).unwrap().expect(table.name);
        assert!(off(&robot.at_joints(cut(&there.q)).unwrap().tool(), &target) < 1e-12);
        let back = inverse.follow(&robot.at_joints(q).unwrap().tool(), &there.q).unwrap().expect(table.name);
        assert!((0..N).all(|i| (back.q[i] - q[i]).abs() < 1e-9), "{}: {:?} from {q:?}", table.name, back.q);
    }
    check(&table("ur5e"), [0.3, -1.0, 0.9, 0.4, 0.8, 0.2], [0.05, 0.04, -0.1]);
    check(&table("panda"), [0.3, 0.2, 0.1, -1.5, 0.4, 1.6, 0.2], [0.05, 0.04, -0.1]);
    check(&table("general"), [0.3, -1.0, 0.9, 0.4, 0.8, 0.2], [0.03, 0.04, -0.05]);
    check(&table("scara"), [0.3, -1.0, 0.1, 0.4], [-0.05, 0.04, -0.05]);
}

/// All solutions of an arm with spherical shoulder and wrist have the arm angle of the seed, and the angle is what it says: that of
/// the planes through shoulder, elbow and wrist, from the frames of the links.
#[test]
fn the_arm_angle_is_kept() {
    let robot: Serial<f64, 7> = arm(&table("iiwa"));
    let inverse = Inverse::new(&robot).unwrap();
    let mut random = Random(13);
    for _ in 0..1000 {
        let q: [f64; 7] = random.within(&[[-2.0, 2.0]; 7]);
        let pose = robot.at_joints(q).unwrap();
        let frames = pose.frames();
        let (shoulder, elbow, wrist) = (frames[0].origin, frames[2].origin, frames[4].origin);
        let angle = inverse.arm_angle(&padded(&q)).unwrap();
        let line = wrist - shoulder;
        let one = Vec3([0.0, 0.0, 1.0]).cross(line);
        let other = (elbow - shoulder).cross(line);
        let sine = one.cross(other).dot(line) / line.norm_squared().sqrt();
        assert!((angle - sine.atan2(one.dot(other))).abs() < 1e-12);
        let found = inverse.solve(&pose.tool(), &padded(&q)).unwrap();
        assert_eq!(found.as_slice().len(), 8);
        for solution in found.as_slice() {
            let apart = inverse.arm_angle(&solution.q).unwrap() - angle;
            assert!((apart - TAU * (apart / TAU).round()).abs() < 1e-11, "{apart:e}");
        }
    }
}

/// Rates of joints are those of following the tool: velocities and accelerations against differences.
#[test]
fn rates_are_those_of_following() {
    fn check<const N: usize>(table: &Table, q: [f64; N], along: [f64; 3]) {
        let robot: Serial<f64, N> = arm(table);
        let inverse = Inverse::new(&robot).unwrap();
        let tool = robot.at_joints(q).unwrap().tool();
        let along = Twist::translation(Vec3(along));
        let at = |time: f64| {
            let origin = tool.origin + along.linear * time;
            cut::<N>(&inverse.follow(&Frame { origin, ..tool }, &padded(&q)).unwrap().expect(table.name).q)
        };
        let (qd, missing, _) = inverse.rates(&padded(&q), &along);
        assert!(missing.linear.norm_squared() + missing.angular.norm_squared() < 1e-24, "{}", table.name);
        let moving = robot.at_joints(q).unwrap().moving(cut(&qd));
        let drift = times(&moving.jacobian_rate(), &cut::<N>(&qd));
        let (qdd, ..) = inverse.accelerations(&padded(&q), &qd, &(Twist::zero() - drift));
        // Differences of fourth order: the step to the fourth, and rounding over the step squared.
        let h = 2e-3;
        let [a, b, c, d, e] = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| at(k * h));
        for i in 0..N {
            let first = (a[i] - 8.0 * b[i] + 8.0 * d[i] - e[i]) / (12.0 * h);
            let second = (-a[i] + 16.0 * b[i] - 30.0 * c[i] + 16.0 * d[i] - e[i]) / (12.0 * h * h);
            assert!((first - qd[i]).abs() < 1e-8, "{}, joint {}: {first} {}", table.name, i + 1, qd[i]);
            assert!((second - qdd[i]).abs() < 1e-7, "{}, joint {}: {second} {}", table.name, i + 1, qdd[i]);
        }
    }
    check(&table("iiwa"), [0.3, 0.8, 0.2, 1.1, 0.5, 0.9, 0.4], [0.1, 0.2, -0.1]);
    check(&table("panda"), [0.3, 0.2, 0.1, -1.5, 0.4, 1.6, 0.2], [0.1, 0.2, -0.1]);
    check(&table("ur5e"), [0.3, -1.0, 0.9, 0.4, 0.8, 0.2], [0.1, 0.2, -0.1]);
    check(&table("scara"), [0.3, -1.0, 0.1, 0.4], [0.1, 0.1, -0.1]);
}

/// Eight joints, and one to three: all have an inverse kinematics.
#[test]
fn few_and_many_joints() {
    fn check<const N: usize>(rows: &Table) {
        let mut table = rows.clone();
        table.rows.truncate(N);
        round_trips::<N>(&table, 200);
    }
    let mut eight = table("iiwa");
    eight.rows.insert(0, (90.0, 0.0, 0.3, 0.0, true, [-0.5, 0.5]));
    check::<8>(&eight);
    check::<3>(&table("ur5e"));
    check::<3>(&table("stanford"));
    check::<3>(&table("skew"));
    check::<3>(&table("gantry"));
    check::<2>(&table("skew"));
    check::<2>(&table("scara"));
    check::<1>(&table("ur5e"));
    // A spherical wrist, or a spherical shoulder, and fewer joints on its other side than a position needs.
    for (from, to) in [(1, 6), (2, 6), (3, 6)] {
        let mut wrist = table("skew");
        wrist.rows = wrist.rows[from..to].to_vec();
        for_joints!(wrist, round_trips(&wrist, 200));
        let mut shoulder = table("iiwa");
        shoulder.rows.truncate(7 - from);
        for_joints!(shoulder, round_trips(&shoulder, 200));
    }
}

/// An arm whose numbers are a little off from a closed form, as calibrated ones are, is searched and all solutions are found.
#[test]
fn calibrated_arms_are_solved() {
    let mut table = table("ur5e");
    for (i, row) in table.rows.iter_mut().enumerate() {
        row.0 += 0.02 * (1.7 * i as f64).sin();
        row.1 += 3e-4 * (2.3 * i as f64 + 1.0).cos();
        row.2 += 3e-4 * (1.1 * i as f64).cos();
    }
    assert_eq!(Inverse::new(&arm::<6>(&table)).unwrap().method(), Method::Search);
    round_trips::<6>(&table, 20);
    against_brute_force::<6>(&table, 4, 400);
}

/// A spherical wrist behind any three joints that turn or slide, in skew directions, and before them.
#[test]
fn any_three_first_joints() {
    for kinds in 0..8 {
        let mut table = table("skew");
        for (i, row) in table.rows.iter_mut().take(3).enumerate() {
            if kinds >> i & 1 == 1 {
                (row.4, row.5) = (true, [-0.4, 0.6]);
            }
        }
        println!("kinds {kinds:03b}, first joint last");
        round_trips::<6>(&table, 200);
        against_brute_force::<6>(&table, 5, 300);
    }
}
