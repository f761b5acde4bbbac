//! The PUMA 560 against reference data that this library did not make, and random arms against Pinocchio.
//!
//! Every error is relative to the largest component of the same quantity in the same row, the measure of
//! `golden/README.md`.

use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::robots;
use dalembert::serial::Serial;
use dalembert::spatial::Wrench;
use dalembert::symbolic::derive::Of;
use std::collections::BTreeMap;
use std::path::PathBuf;

type Row = BTreeMap<String, f64>;

fn rows(file: &str) -> Vec<Row> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(file);
    let rows: Vec<Row> = csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect();
    assert!(!rows.is_empty(), "{file}");
    rows
}

fn six(row: &Row, stem: &str) -> [f64; 6] {
    std::array::from_fn(|i| row[&format!("{stem}{}", i + 1)])
}

/// The largest difference over the largest golden number.
fn error(ours: &[f64], golden: &[f64]) -> f64 {
    let scale = golden.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
    let error = ours.iter().zip(golden).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
    if (error / scale).is_nan() { f64::INFINITY } else { error / scale }
}

fn puma() -> Serial<f64, 6> {
    robots::puma560().unwrap().arm.arm().unwrap()
}

#[test]
fn puma_inverse_and_forward_dynamics() {
    let puma = puma();
    let (mut worst, mut worst_back) = (0.0_f64, 0.0_f64);
    for row in rows("puma560-dynamics.csv") {
        let moving = puma.at_joints(six(&row, "q")).unwrap().try_moving(six(&row, "qd")).unwrap();
        worst = worst.max(error(&moving.torque(six(&row, "qdd")), &six(&row, "tau")));
        let configuration = moving.pose.configuration();
        worst = worst.max(error(&configuration.torque(six(&row, "qd"), six(&row, "qdd")), &six(&row, "tau")));
        let back = moving.try_acceleration(six(&row, "tau")).unwrap();
        worst_back = worst_back.max(error(&back, &six(&row, "qdd")));
    }
    println!("torque {worst:.1e}, acceleration {worst_back:.1e}");
    assert!(worst <= 1e-12, "{worst:e}");
    assert!(worst_back <= 1e-10, "{worst_back:e}");
}

#[test]
fn puma_mass_matrix_and_gravity() {
    let puma = puma();
    let mut worst = 0.0_f64;
    for row in rows("puma560-mass-gravity.csv") {
        let pose = puma.at_joints(six(&row, "q")).unwrap();
        let golden: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| row[&format!("M{}{}", i.min(j) + 1, i.max(j) + 1)]));
        worst = worst.max(error(pose.mass_matrix().as_flattened(), golden.as_flattened()));
        worst = worst.max(error(pose.mass_matrix_walker_orin().as_flattened(), golden.as_flattened()));
        worst = worst.max(error(&pose.gravity_torque(), &six(&row, "g")));
        let held = pose.moving([0.0; 6]).torque([0.0; 6]);
        worst = worst.max(error(&held, &six(&row, "g")));
    }
    println!("{worst:.1e}");
    assert!(worst <= 1e-12, "{worst:e}");
}

/// A golden robot with its Pinocchio data.
fn pinocchio(name: &str) {
    let robots = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/robots");
    let robot = Robot::load(robots.join(format!("serial-{name}.toml"))).unwrap();
    let exact = robot.build_model("exact").unwrap();
    let n = robot.joints().len();
    let mut worst = BTreeMap::new();
    let mut note = |what: &'static str, ours: &[f64], golden: &[f64]| {
        let entry = worst.entry(what).or_insert(0.0_f64);
        *entry = entry.max(error(ours, golden));
    };
    for row in rows(&format!("serial-{name}-pinocchio.csv")) {
        let read = |stem: &str| -> Vec<f64> { (1..=n).map(|i| row[&format!("{stem}{i}")]).collect() };
        let [q, qd, qdd, tau] = ["q", "qd", "qdd", "tau"].map(|stem| JointVector::new(&read(stem)));
        let state = robot.at_joints(&JointState { q, qd, qdd: qdd.clone() }, &Pick::default()).unwrap();
        note("torque", &exact.torque(&state, Wrench::zero()), &tau);
        note("acceleration", &exact.accelerated(&state, &tau, Wrench::zero()).unwrap().joints.qdd, &qdd);
        let entry = |i: usize, j: usize| row[&format!("M{}{}", i.min(j) + 1, i.max(j) + 1)];
        let golden: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let mass: Vec<f64> = exact.mass_matrix(&state).iter().flat_map(|row| row.to_vec()).collect();
        note("mass", &mass, &golden);
        note("gravity", &exact.gravity_torque(&state), &read("g"));
        note("tool", &state.tool.pose.origin.0, &["x", "y", "z"].map(|name| row[name]));
    }
    println!("serial-{name}: {worst:?}");
    for (what, error) in worst {
        let most = if what == "acceleration" { 1e-10 } else { 1e-12 };
        assert!(error <= most, "serial-{name}: {what} is off by {error:e}");
    }
}

#[test]
fn random_arms_against_pinocchio() {
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        pinocchio(name);
    }
}

/// Forward dynamics of an arm whose links weigh from 10 kg to 10 g, against 50 digits. A change of the inputs by half a unit in the last place
/// moves these accelerations by up to 7e-14: articulated bodies lose no more than that, the derived program, which solves with the mass matrix, twice
/// as much. Pinocchio's articulated bodies are off by 7e-13 on such an arm.
#[test]
fn a_light_wrist_keeps_its_digits() {
    let robots = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/robots");
    let robot = Robot::load(robots.join("light-wrist.toml")).unwrap();
    let exact = robot.model("exact").unwrap();
    let program = robot.compile(Of::Acceleration).unwrap();
    let mut worst = [0.0_f64; 2];
    for row in rows("light-wrist-forward.csv") {
        let [q, qd, tau, qdd] = ["q", "qd", "tau", "qdd"].map(|stem| six(&row, stem));
        let state = JointState { q: q.into(), qd: qd.into(), qdd: JointVector::NONE };
        let state = robot.at_joints(&state, &Pick::default()).unwrap();
        let found = exact.accelerated(&state, &tau.into(), Wrench::zero()).unwrap().joints.qdd;
        let mut derived = [0.0; 6];
        program.one(&[q, qd, tau].concat(), &mut derived, &mut program.scratch()).unwrap();
        worst = [worst[0].max(error(&found, &qdd)), worst[1].max(error(&derived, &qdd))];
    }
    println!("{worst:?}");
    assert!(worst[0] < 1.5e-13 && worst[1] < 3e-13, "{worst:?}");
}
