//! The golden data, and how far the library is from it: for the tests and for the validation page.
//!
//! Every error is relative to the largest component of the same quantity in the same row, the measure of
//! `golden/README.md`.
#![allow(dead_code)] // each program uses its part

use dalembert::delta::{Branch, Model, ModelName, Moving, Pose};
use dalembert::{DeltaRobot, Mat3, Vec3};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The robots of the golden files.
pub const ROBOTS: [&str; 7] = ["asadi", "d3-1200", "generic", "uniform", "mini", "heavy", "friction"];

/// The robots that the general libraries were run on.
pub const LIBRARY_ROBOTS: [&str; 3] = ["asadi", "d3-1200", "generic"];

/// Where the files are.
pub fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

/// The robot of a golden file.
pub fn robot(name: &str) -> DeltaRobot {
    match name {
        "asadi" | "d3-1200" => DeltaRobot::find(name).unwrap(),
        _ => DeltaRobot::load(golden().join(format!("robots/{name}.toml"))).unwrap(),
    }
}

/// One row of a golden file.
pub struct Row(BTreeMap<String, f64>);

impl Row {
    fn vector(&self, names: [&str; 3]) -> Vec3<f64> {
        Vec3(names.map(|name| self.0[name]))
    }
    pub fn position(&self) -> Vec3<f64> {
        self.vector(["x", "y", "z"])
    }
    pub fn velocity(&self) -> Vec3<f64> {
        self.vector(["vx", "vy", "vz"])
    }
    pub fn acceleration(&self) -> Vec3<f64> {
        self.vector(["ax", "ay", "az"])
    }
    pub fn force(&self) -> Vec3<f64> {
        if self.0.contains_key("fx") { self.vector(["fx", "fy", "fz"]) } else { Vec3::zero() }
    }
    pub fn q(&self) -> Vec3<f64> {
        self.vector(["q1", "q2", "q3"])
    }
    pub fn qd(&self) -> Vec3<f64> {
        self.vector(["qd1", "qd2", "qd3"])
    }
    pub fn qdd(&self) -> Vec3<f64> {
        self.vector(["qdd1", "qdd2", "qdd3"])
    }
    pub fn tau(&self) -> Vec3<f64> {
        self.vector(["tau1", "tau2", "tau3"])
    }
    pub fn gravity(&self) -> Vec3<f64> {
        self.vector(["g1", "g2", "g3"])
    }
    pub fn mass(&self) -> Mat3<f64> {
        Mat3([
            self.vector(["M11", "M12", "M13"]),
            self.vector(["M12", "M22", "M23"]),
            self.vector(["M13", "M23", "M33"]),
        ])
    }
}

/// The rows of a golden file; none, if there is no such file.
pub fn rows(file: &str) -> Vec<Row> {
    let Ok(mut reader) = csv::Reader::from_path(golden().join(file)) else { return Vec::new() };
    reader.deserialize().map(|row| Row(row.unwrap())).collect()
}

/// The worst error of each quantity.
#[derive(Default)]
pub struct Errors {
    /// How many rows were compared.
    pub rows: usize,
    /// By quantity.
    pub worst: BTreeMap<&'static str, f64>,
}

impl Errors {
    pub fn note(&mut self, what: &'static str, ours: &[f64], golden: &[f64]) {
        let scale = golden.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
        let error = ours.iter().zip(golden).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
        // NaN must not slip through a comparison; `max` would drop one.
        let broken = ours.iter().any(|x| x.is_nan()) || (error / scale).is_nan();
        let worst = self.worst.entry(what).or_default();
        *worst = worst.max(if broken { f64::INFINITY } else { error / scale });
    }
    pub fn vector(&mut self, what: &'static str, ours: Vec3<f64>, golden: Vec3<f64>) {
        self.note(what, &ours.0, &golden.0);
    }
    pub fn matrix(&mut self, what: &'static str, ours: Mat3<f64>, golden: Mat3<f64>) {
        self.note(what, ours.0.map(|row| row.0).as_flattened(), golden.0.map(|row| row.0).as_flattened());
    }
}

/// The pose of a row from its position, and again from its joint angles.
fn both_sides<'r>(robot: &'r DeltaRobot, row: &Row, branch: Branch) -> [Pose<'r, f64>; 2] {
    let pose = robot.delta.at_position(row.position(), branch).unwrap();
    assert_eq!(pose.branches(), [branch; 3]);
    [pose, robot.delta.at_joints(row.q().0, pose.assembly()).unwrap()]
}

/// Inverse dynamics from the Cartesian state and from the joint state.
pub fn dynamics(file: &str, robot: &DeltaRobot, branch: Branch) -> Errors {
    let mut errors = Errors::default();
    for row in rows(file) {
        errors.rows += 1;
        let [pose, from_joints] = both_sides(robot, &row, branch);
        errors.vector("q", Vec3(pose.joints()), row.q());
        let moving = pose.moving(row.velocity());
        errors.vector("qd", Vec3(moving.joint_velocity()), row.qd());
        errors.vector("qdd", Vec3(moving.joint_acceleration(row.acceleration())), row.qdd());
        errors.vector("tau", Vec3(moving.torque_under(row.acceleration(), row.force())), row.tau());
        errors.vector("acceleration", moving.acceleration_under(row.tau().0, row.force()), row.acceleration());

        errors.vector("position from q", from_joints.position, row.position());
        let moving = from_joints.moving_joints(row.qd().0);
        errors.vector("velocity from qd", moving.velocity, row.velocity());
        let acceleration = moving.platform_acceleration(row.qdd().0);
        errors.vector("acceleration from qdd", acceleration, row.acceleration());
        errors.vector("tau from joints", Vec3(moving.torque_under(acceleration, row.force())), row.tau());
    }
    errors
}

/// Mass matrix and holding torques from the position and from the joint angles.
pub fn mass_and_gravity(file: &str, robot: &DeltaRobot) -> Errors {
    let mut errors = Errors::default();
    for row in rows(file) {
        errors.rows += 1;
        let [pose, from_joints] = both_sides(robot, &row, Branch::Out);
        errors.vector("q", Vec3(pose.joints()), row.q());
        errors.matrix("M", pose.mass_matrix(), row.mass());
        errors.vector("g", Vec3(pose.gravity_torque()), row.gravity());
        errors.matrix("M from q", from_joints.mass_matrix(), row.mass());
        errors.vector("g from q", Vec3(from_joints.gravity_torque()), row.gravity());
    }
    errors
}

/// Forward dynamics.
pub fn forward(file: &str, robot: &DeltaRobot) -> Errors {
    let mut errors = Errors::default();
    for row in rows(file) {
        errors.rows += 1;
        let moving = robot.delta.at_position(row.position(), Branch::Out).unwrap().moving(row.velocity());
        let acceleration = moving.acceleration(row.tau().0);
        errors.vector("acceleration", acceleration, row.acceleration());
        errors.vector("qdd", Vec3(moving.joint_acceleration(acceleration)), row.qdd());
    }
    errors
}

/// Torques of a general library.
pub fn library(file: &str, robot: &DeltaRobot) -> Errors {
    let mut errors = Errors::default();
    for row in rows(file) {
        errors.rows += 1;
        let moving = robot.delta.at_position(row.position(), Branch::Out).unwrap().moving(row.velocity());
        errors.vector("tau", Vec3(moving.torque(row.acceleration())), row.tau());
    }
    errors
}

/// The states of a robot's golden files.
pub fn states<'r>(name: &str, robot: &'r DeltaRobot) -> Vec<(Moving<'r, f64>, Row)> {
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

/// A published model in the states of the golden files. The mass matrix and the holding torques are compared with those
/// of `exact`, which has its own comparison above.
pub fn model(name: ModelName, robot_name: &str) -> Errors {
    let robot = robot(robot_name);
    let built = name.build(robot.delta.parameters());
    let built: &dyn Model<f64> = built.as_model();
    let mut errors = Errors::default();
    for (moving, row) in states(robot_name, &robot) {
        errors.rows += 1;
        errors.vector("tau", Vec3(built.torque(&moving, row.acceleration(), row.force())), row.tau());
        // The interface makes Ẍ = drift + K q̈, so a small acceleration (0.13 m/s² in a row of `uniform`) is what two
        // large terms (40 m/s²) leave over; the error is measured against them. `exact` itself is held to the
        // row's own acceleration above.
        let drift = moving.platform_acceleration([0.0; 3]);
        let acceleration = built.acceleration(&moving, row.tau().0, row.force());
        let (ours, golden) = ([acceleration.0, drift.0], [row.acceleration().0, drift.0]);
        errors.note("acceleration", ours.as_flattened(), golden.as_flattened());
        errors.matrix("M", built.mass_matrix(&moving.pose), moving.pose.mass_matrix());
        errors.vector("g", Vec3(built.gravity_torque(&moving.pose)), Vec3(moving.pose.gravity_torque()));
    }
    errors
}
