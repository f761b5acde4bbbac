//! The library against numbers that it did not make: 40- and 50-digit reference data, Pinocchio and MuJoCo.
//!
//! Every error is relative to the largest component of the same quantity in the same row, the measure of
//! `golden/README.md`. A wrong sign, a lost term or a mixed-up arm shows as 1e-3 or more; rounding stays below 1e-13.

use dalembert::delta::{Branch, Model, ModelName, Moving, Pose};
use dalembert::{Mat3, Robot, Vec3};
use std::collections::BTreeMap;
use std::path::PathBuf;

const TOLERANCE: f64 = 1e-12;
const ROBOTS: [&str; 7] = ["asadi", "d3-1200", "generic", "uniform", "mini", "heavy", "friction"];

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

fn robot(name: &str) -> Robot {
    match name {
        "asadi" | "d3-1200" => Robot::find(name).unwrap(),
        _ => Robot::load(golden().join(format!("robots/{name}.toml"))).unwrap(),
    }
}

/// One row of a golden file.
struct Row(BTreeMap<String, f64>);

impl Row {
    fn vector(&self, names: [&str; 3]) -> Vec3<f64> {
        Vec3(names.map(|name| self.0[name]))
    }
    fn position(&self) -> Vec3<f64> {
        self.vector(["x", "y", "z"])
    }
    fn velocity(&self) -> Vec3<f64> {
        self.vector(["vx", "vy", "vz"])
    }
    fn acceleration(&self) -> Vec3<f64> {
        self.vector(["ax", "ay", "az"])
    }
    fn force(&self) -> Vec3<f64> {
        if self.0.contains_key("fx") { self.vector(["fx", "fy", "fz"]) } else { Vec3::zero() }
    }
    fn q(&self) -> Vec3<f64> {
        self.vector(["q1", "q2", "q3"])
    }
    fn qd(&self) -> Vec3<f64> {
        self.vector(["qd1", "qd2", "qd3"])
    }
    fn qdd(&self) -> Vec3<f64> {
        self.vector(["qdd1", "qdd2", "qdd3"])
    }
    fn tau(&self) -> Vec3<f64> {
        self.vector(["tau1", "tau2", "tau3"])
    }
    fn gravity(&self) -> Vec3<f64> {
        self.vector(["g1", "g2", "g3"])
    }
    fn mass(&self) -> Mat3<f64> {
        Mat3([
            self.vector(["M11", "M12", "M13"]),
            self.vector(["M12", "M22", "M23"]),
            self.vector(["M13", "M23", "M33"]),
        ])
    }
}

/// The rows of a golden file; none, if there is no such file.
fn rows(file: &str) -> Vec<Row> {
    let Ok(mut reader) = csv::Reader::from_path(golden().join(file)) else { return Vec::new() };
    reader.deserialize().map(|row| Row(row.unwrap())).collect()
}

/// The worst error of each quantity.
#[derive(Default)]
struct Errors(BTreeMap<&'static str, f64>);

impl Errors {
    fn note(&mut self, what: &'static str, ours: &[f64], golden: &[f64]) {
        let scale = golden.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
        let error = ours.iter().zip(golden).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
        // NaN must not slip through a comparison.
        let error = if (error / scale).is_nan() { f64::INFINITY } else { error / scale };
        let worst = self.0.entry(what).or_default();
        *worst = worst.max(error);
    }
    fn vector(&mut self, what: &'static str, ours: Vec3<f64>, golden: Vec3<f64>) {
        self.note(what, &ours.0, &golden.0);
    }
    fn matrix(&mut self, what: &'static str, ours: Mat3<f64>, golden: Mat3<f64>) {
        self.note(what, ours.0.map(|row| row.0).as_flattened(), golden.0.map(|row| row.0).as_flattened());
    }
    fn finish(self, title: &str) {
        let shown: Vec<String> = self.0.iter().map(|(what, error)| format!("{what} {error:.1e}")).collect();
        println!("{title}: {}", shown.join(", "));
        assert!(!self.0.is_empty(), "{title}: nothing was compared");
        for (what, error) in self.0 {
            assert!(error <= TOLERANCE, "{title}: {what} is off by {error:e}");
        }
    }
}

/// The pose of a row from its position, and again from its joint angles.
fn both_sides<'r>(robot: &'r Robot, row: &Row, branch: Branch) -> [Pose<'r, f64>; 2] {
    let pose = robot.delta.at_position(row.position(), branch).unwrap();
    assert_eq!(pose.branches(), [branch; 3]);
    [pose, robot.delta.at_joints(row.q(), pose.assembly()).unwrap()]
}

fn dynamics(file: &str, robot: &Robot, branch: Branch) {
    let mut errors = Errors::default();
    for row in rows(file) {
        let [pose, from_joints] = both_sides(robot, &row, branch);
        errors.vector("q", pose.joints(), row.q());
        let moving = pose.moving(row.velocity());
        errors.vector("qd", moving.joint_velocity(), row.qd());
        errors.vector("qdd", moving.joint_acceleration(row.acceleration()), row.qdd());
        errors.vector("tau", moving.torque_under(row.acceleration(), row.force()), row.tau());
        errors.vector("acceleration", moving.acceleration_under(row.tau(), row.force()), row.acceleration());

        errors.vector("position from q", from_joints.position, row.position());
        let moving = from_joints.moving_joints(row.qd());
        errors.vector("velocity from qd", moving.velocity, row.velocity());
        let acceleration = moving.platform_acceleration(row.qdd());
        errors.vector("acceleration from qdd", acceleration, row.acceleration());
        errors.vector("tau from joints", moving.torque_under(acceleration, row.force()), row.tau());
    }
    errors.finish(file);
}

#[test]
fn inverse_dynamics() {
    for name in ROBOTS {
        dynamics(&format!("delta-{name}-dynamics.csv"), &robot(name), Branch::Out);
    }
}

#[test]
fn elbows_in() {
    dynamics("delta-generic-elbow-in-dynamics.csv", &robot("generic"), Branch::In);
}

#[test]
fn mass_matrix_and_gravity() {
    for name in ROBOTS.into_iter().filter(|&name| name != "friction") {
        let file = format!("delta-{name}-mass-gravity.csv");
        let robot = robot(name);
        let mut errors = Errors::default();
        for row in rows(&file) {
            let [pose, from_joints] = both_sides(&robot, &row, Branch::Out);
            errors.vector("q", pose.joints(), row.q());
            errors.matrix("M", pose.mass_matrix(), row.mass());
            errors.vector("g", pose.gravity_torque(), row.gravity());
            errors.matrix("M from q", from_joints.mass_matrix(), row.mass());
            errors.vector("g from q", from_joints.gravity_torque(), row.gravity());
        }
        errors.finish(&file);
    }
}

#[test]
fn forward_dynamics() {
    for name in ROBOTS {
        let file = format!("delta-{name}-forward.csv");
        let robot = robot(name);
        let mut errors = Errors::default();
        for row in rows(&file) {
            let moving = robot.delta.at_position(row.position(), Branch::Out).unwrap().moving(row.velocity());
            let acceleration = moving.acceleration(row.tau());
            errors.vector("acceleration", acceleration, row.acceleration());
            errors.vector("qdd", moving.joint_acceleration(acceleration), row.qdd());
        }
        errors.finish(&file);
    }
}

#[test]
fn other_libraries() {
    for name in ["asadi", "d3-1200", "generic"] {
        for library in ["pinocchio", "mujoco"] {
            let file = format!("delta-{name}-{library}.csv");
            let robot = robot(name);
            let mut errors = Errors::default();
            for row in rows(&file) {
                let moving = robot.delta.at_position(row.position(), Branch::Out).unwrap().moving(row.velocity());
                errors.vector("tau", moving.torque(row.acceleration()), row.tau());
            }
            errors.finish(&file);
        }
    }
}

/// The states of a robot's golden files.
fn states<'r>(name: &str, robot: &'r Robot) -> Vec<(Moving<'r, f64>, Row)> {
    let read = |file: String, branch: Branch| {
        rows(&file).into_iter().map(move |row| {
            let pose = robot.delta.at_position(row.position(), branch).unwrap();
            (pose.moving(row.velocity()), row)
        })
    };
    let mut states: Vec<_> = read(format!("delta-{name}-dynamics.csv"), Branch::Out).collect();
    if name == "generic" {
        states.extend(read("delta-generic-elbow-in-dynamics.csv".to_owned(), Branch::In));
    }
    states
}

fn compare_with_golden(model: ModelName, robots: &[&str]) {
    for name in robots {
        let robot = robot(name);
        model.applies_to(robot.delta.parameters()).unwrap();
        let built = model.build(robot.delta.parameters());
        let built: &dyn Model<f64> = built.as_model();
        let mut errors = Errors::default();
        for (moving, row) in states(name, &robot) {
            errors.vector("tau", built.torque(&moving, row.acceleration(), row.force()), row.tau());
            // The interface makes Ẍ = drift + K q̈, so a small acceleration (0.13 m/s² in a row of `uniform`) is what two
            // large terms (40 m/s²) leave over; the error is measured against them. `exact` itself is held to the
            // row's own acceleration in the tests above.
            let drift = moving.platform_acceleration(Vec3::zero());
            let acceleration = built.acceleration(&moving, row.tau(), row.force());
            let (ours, golden) = ([acceleration.0, drift.0], [row.acceleration().0, drift.0]);
            errors.note("acceleration", ours.as_flattened(), golden.as_flattened());
            errors.matrix("M", built.mass_matrix(&moving.pose), moving.pose.mass_matrix());
            errors.vector("g", built.gravity_torque(&moving.pose), moving.pose.gravity_torque());
        }
        errors.finish(&format!("model {} on {name}", model.as_str()));
    }
}

/// A paper's model that is exact agrees with the reference data to rounding.
#[test]
fn exact_models_of_the_papers() {
    for model in [ModelName::Exact, ModelName::Asadi, ModelName::Bortoff] {
        compare_with_golden(model, &ROBOTS);
    }
}

/// Codourey's bars and Falezza's rods are uniform: exact where the robot's are.
#[test]
fn uniform_models_are_exact_for_uniform_rods() {
    for model in [ModelName::Codourey, ModelName::FalezzaComplete] {
        compare_with_golden(model, &["uniform", "d3-1200", "friction"]);
    }
}

/// A file that no test reads would be a promise that nobody keeps.
#[test]
fn every_file_is_used() {
    for entry in std::fs::read_dir(golden()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = name.strip_prefix("delta-").and_then(|name| name.strip_suffix(".csv")) else { continue };
        let used = stem == "generic-elbow-in-dynamics"
            || ROBOTS.iter().any(|robot| {
                let kinds = ["-dynamics", "-mass-gravity", "-forward", "-pinocchio", "-mujoco"];
                stem.strip_prefix(robot).is_some_and(|kind| kinds.contains(&kind))
            });
        assert!(used, "{name}");
    }
}
