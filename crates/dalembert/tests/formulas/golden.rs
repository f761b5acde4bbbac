//! The library against numbers that it did not make: 40- and 50-digit reference data, Pinocchio and MuJoCo.
//!
//! Every error is relative to the largest component of the same quantity in the same row, the measure of
//! `golden/README.md`. A wrong sign, a lost term or a mixed-up arm shows as 1e-3 or more; rounding stays below 1e-13.

use crate::common::golden;
use dalembert::delta::{Branch, ModelName};

use crate::common::golden::{Errors, LIBRARY_ROBOTS, ROBOTS, robot};

const TOLERANCE: f64 = 1e-12;

fn check(title: &str, errors: Errors) {
    let shown: Vec<String> = errors.worst.iter().map(|(what, error)| format!("{what} {error:.1e}")).collect();
    println!("{title}: {}", shown.join(", "));
    assert!(!errors.worst.is_empty(), "{title}: nothing was compared");
    for (what, error) in errors.worst {
        assert!(error <= TOLERANCE, "{title}: {what} is off by {error:e}");
    }
}

#[test]
fn inverse_dynamics() {
    for name in ROBOTS {
        let file = format!("delta-{name}-dynamics.csv");
        check(&file, golden::dynamics(&file, &robot(name), Branch::Out));
    }
}

#[test]
fn elbows_in() {
    let file = "delta-generic-elbow-in-dynamics.csv";
    check(file, golden::dynamics(file, &robot("generic"), Branch::In));
}

#[test]
fn mass_matrix_and_gravity() {
    for name in ROBOTS.into_iter().filter(|&name| name != "friction") {
        let file = format!("delta-{name}-mass-gravity.csv");
        check(&file, golden::mass_and_gravity(&file, &robot(name)));
    }
}

#[test]
fn forward_dynamics() {
    for name in ROBOTS {
        let file = format!("delta-{name}-forward.csv");
        check(&file, golden::forward(&file, &robot(name)));
    }
}

#[test]
fn other_libraries() {
    for name in LIBRARY_ROBOTS {
        for library in ["pinocchio", "mujoco"] {
            let file = format!("delta-{name}-{library}.csv");
            check(&file, golden::library(&file, &robot(name)));
        }
    }
}

fn compare_with_golden(model: ModelName, robots: &[&str]) {
    for name in robots {
        model.applies_to(robot(name).delta.parameters()).unwrap();
        check(&format!("model {} on {name}", model.as_str()), golden::model(model, name));
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
    for entry in std::fs::read_dir(golden::golden()).unwrap() {
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
