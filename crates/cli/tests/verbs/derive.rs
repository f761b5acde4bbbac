//! `derive` from outside: files that compile and give the torques of `torque`, and refusals that say why.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dalembert")).args(arguments).current_dir(directory).output().expect("runs")
}

fn good(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn bad(arguments: &[&str], code: i32, parts: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = run(directory.path(), arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: `{part}` is not in\n{error}");
    }
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 0, "something is left behind");
}

#[test]
fn c_of_a_delta_is_two_files_that_answer_as_the_command_does() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let summary = good(at, &["derive", "d3-1200", "--emit", "c", "--quick", "-o", "robot.c", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["files"], serde_json::json!(["robot.c", "robot.h"]));
    assert_eq!(summary["programs"].as_array().map(Vec::len), Some(6));
    assert!(summary["programs"][0]["largest_difference"].as_f64().expect("a number") < 1e-11);
    fs::write(
        at.join("main.c"),
        "#include <stdio.h>\n#include \"robot.h\"\nint main(void) {
            const double x[3] = {0.1, 0.0, -0.85}, v[3] = {1.0, 0.5, 0.0}, a[3] = {0.0, 20.0, 5.0}, far[3] = {9.0, 0.0, 0.0};
            double tau[3], q[3];
            if (d3_1200_torque_cartesian(x, v, a, tau) != 0 || d3_1200_ik(x, q) != 0) return 1;
            printf(\"%.17g %.17g %.17g %d\\n\", tau[0], q[1], tau[2], d3_1200_ik(far, q));
            return 0;\n}\n",
    )
    .expect("written");
    let flags = ["-std=c99", "-pedantic", "-Wall", "-Werror", "robot.c", "main.c", "-lm", "-o", "main"];
    assert!(Command::new("cc").args(flags).current_dir(at).status().expect("a compiler").success());
    let output = Command::new(at.join("main")).output().expect("runs");
    let numbers: Vec<f64> = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(|word| word.parse().expect("a number"))
        .collect();
    fs::write(at.join("state.csv"), "x,y,z,vx,vy,vz,ax,ay,az\n0.1,0,-0.85,1,0.5,0,0,20,5\n").expect("written");
    let table = good(at, &["torque", "d3-1200", "-i", "state.csv"]);
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let values: Vec<f64> =
        lines.next().expect("a row").split(',').map(|word| word.parse().expect("a number")).collect();
    let column = |name: &str| values[names.iter().position(|other| *other == name).expect("a column")];
    for (found, name) in numbers.iter().zip(["tau1", "q2", "tau3"]) {
        assert!((found - column(name)).abs() < 1e-11 * column(name).abs(), "{name}: {found} {}", column(name));
    }
    assert!((1.0..=3.0).contains(&numbers[3]), "out of reach of an arm");
}

#[test]
fn every_language_is_written() {
    let directory = tempfile::tempdir().expect("a directory");
    for (language, part) in [
        ("rust", "pub fn puma560_gravity<M: Math>(q: &[M::Number; 6]) -> [M::Number; 6] {"),
        ("c", "void puma560_gravity(const double q[6], double g[6]);"),
        ("st", "FUNCTION_BLOCK puma560_gravity"),
        ("latex", "\\begin{document}"),
        ("json", "\"format\": \"dalembert-program/1\""),
    ] {
        let text = good(directory.path(), &["derive", "puma560", "--of", "gravity", "--quick", "--emit", language]);
        assert!(text.contains(part), "{text}");
        assert!(text.contains("Armstrong"), "where the numbers come from");
        assert!(text.contains(env!("CARGO_PKG_VERSION")) || language == "latex");
    }
    let text = good(
        directory.path(),
        &["derive", "puma560", "--of", "gravity", "--quick", "--emit", "c", "--symbolic", "--float"],
    );
    assert!(
        text.contains("void puma560_gravity_constants(const puma560_gravity_parameters *parameters, float"),
        "{text}"
    );
    let text =
        good(directory.path(), &["derive", "puma560", "--significance", "0.01", "--of", "gravity", "--emit", "st"]);
    assert!(text.contains("Abbreviated:"), "{text}");
    // Into a directory, under the robot's name.
    good(directory.path(), &["derive", "d3-1200", "--of", "fk", "--quick", "--emit", "st", "-o", "."]);
    assert!(directory.path().join("d3_1200.st").exists());
}

/// A controller gets the same functions in every language of controllers, unless some are named.
#[test]
fn a_controller_gets_every_function_in_each_language() {
    let directory = tempfile::tempdir().expect("a directory");
    for (language, file) in [("c", "d.h"), ("cpp", "d.hpp"), ("st", "d.st"), ("plcopen", "d.xml")] {
        good(directory.path(), &["derive", "d3-1200", "--quick", "--emit", language, "-o", file]);
        let text = fs::read_to_string(directory.path().join(file)).expect("written");
        for function in ["torque_cartesian", "mass", "gravity", "fk", "ik"] {
            assert!(text.contains(&format!("d3_1200_{function}")), "{language}: {function}");
        }
    }
}

/// MATLAB calls the function of a file by the name of the file, and TwinCAT's file has one block: several get a file each.
#[test]
fn functions_that_need_a_file_each_get_one() {
    for (language, ending) in [("matlab", "m"), ("twincat", "TcPOU")] {
        for (out, stem) in [(format!("arm.{ending}"), "arm"), (".".to_owned(), "puma560")] {
            let directory = tempfile::tempdir().expect("a directory");
            let asked = ["derive", "puma560", "--of", "gravity,mass", "--quick", "--emit", language];
            good(directory.path(), &[&asked[..], &["-o", &out]].concat());
            assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 2, "{language}");
            for function in ["gravity", "mass"] {
                let name = format!("{stem}_{function}");
                let text = fs::read_to_string(directory.path().join(format!("{name}.{ending}"))).expect("written");
                let heads: Vec<&str> = match language {
                    "matlab" => text.lines().filter(|line| line.starts_with("function ")).collect(),
                    _ => text.lines().filter(|line| line.contains("FUNCTION_BLOCK ")).collect(),
                };
                assert!(heads.len() == 1 && heads[0].contains(&name), "{language}: {heads:?}");
            }
            bad(&asked, 1, &["one function that can be called", "--out FILE"]);
        }
    }
}

/// What is left out keeps its error where the motion is, and that is less than where the robot can be.
#[test]
fn a_motion_is_a_domain() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let row = |k: usize| {
        let s = f64::from(k as u32) / 20.0;
        let rise = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
        format!("{s},{},{}\n", 0.4 * rise, 0.2 - 0.1 * rise)
    };
    fs::write(at.join("motion.csv"), format!("t,q1,q2\n{}", (0..=20).map(row).collect::<String>())).expect("written");
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/robots/serial-a.toml");
    let derive = ["derive", arm, "--quick", "--max-error", "2 N m", "--json", "-o", "arm.rs"];
    let operations = |more: &[&str]| {
        let summary: serde_json::Value = serde_json::from_str(&good(at, &[&derive[..], more].concat())).expect("JSON");
        let program = &summary["programs"][0];
        program["multiplications"].as_u64().expect("a number") + program["additions"].as_u64().expect("a number")
    };
    let everywhere = operations(&[]);
    assert!(operations(&["--motion", "motion.csv"]) <= everywhere);
    let text = fs::read_to_string(at.join("arm.rs")).expect("written");
    assert!(text.contains("For the motion motion.csv:") && text.contains("positions are"), "{text}");
    bad(&["derive", "puma560", "--motion", "motion.csv"], 1, &["add `--max-error TORQUE`"]);
    bad(&["derive", "puma560", "--max-error", "1 N m", "--motion", "none.csv"], 1, &["none.csv"]);
}

/// Springs are beside the regressor: its columns are those of the arm without them.
#[test]
fn regressors_leave_springs_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let of = |changes: &[&str]| {
        let asked = ["derive", "puma560", "--of", "regressor", "--quick", "--emit", "c"];
        good(directory.path(), &[&asked, changes].concat())
    };
    let sprung = of(&["--set", "link.2.spring={ stiffness = 30, sine = 5, constant = 2 }"]);
    let steps = |text: &str| text.lines().filter(|line| line.contains(" = ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(steps(&sprung), steps(&of(&[])));
}

#[test]
fn what_cannot_be_derived_says_why() {
    bad(&["derive", "puma560", "--of", "ik"], 1, &["chooses among its solutions", "docs/derive.md"]);
    bad(&["derive", "puma560", "--of", "torque-cartesian"], 1, &["a serial arm has `torque`"]);
    bad(&["derive", "d3-1200", "--significance", "0.01"], 1, &["explicit models of serial arms"]);
    bad(&["derive", "puma560", "--of", "acceleration", "--max-error", "1 N m"], 1, &["only torque, mass, gravity"]);
    bad(&["derive", "puma560", "--max-error", "1 kg"], 2, &["a torque is needed"]);
    bad(&["derive", "puma560", "--significance", "1.5"], 2, &["between 0 and 1"]);
    let clash = ["derive", "puma560", "--of", "torque,acceleration", "--together", "--quick"];
    bad(&clash, 1, &["goes in and comes out", "derive them apart"]);
    bad(&["derive", "puma560", "--float"], 1, &["C and Structured Text"]);
    bad(&["derive", "puma560", "--json"], 1, &["standard output"]);
    bad(&["derive", "puma560", "--of", "nonsense"], 2, &["possible values"]);
    bad(&["derive", "puma650"], 1, &["puma560"]);
    bad(&["derive", "puma560", "--of", "gravity", "--quick", "-o", "no/such/place.rs"], 1, &["does not exist"]);
}
