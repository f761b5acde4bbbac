//! The example in C, compiled without a warning as C99 and as C++, gives what the library gives.

use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library that was built with this test: beside it, or a folder above; the newest of them.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folders = test.ancestors().skip(1).take(2);
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder")).flatten();
    let libraries = files.filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with("libdalembert_c") && name.ends_with(".a")
    });
    let newest = libraries.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    newest.expect("the static library is built with its test").path()
}

fn compiled(compiler: &str, flags: &[&str], example: &str, to: &Path) -> bool {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let command = Command::new(compiler)
        .args(flags)
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .arg(crate_folder.join("include"))
        .arg(crate_folder.join("examples").join(example))
        .args(["-x", "none"])
        .arg(library())
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(to)
        .status();
    command.is_ok_and(|status| status.success())
}

#[test]
fn a_c_program_gets_the_librarys_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("torque");
    assert!(compiled("cc", &["-std=c99", "-x", "c"], "torque.c", &program), "the example compiles as C99");
    if Command::new("c++").arg("--version").output().is_ok() {
        assert!(
            compiled("c++", &["-std=c++17", "-x", "c++"], "torque.c", &folder.path().join("torque-cpp")),
            "and as C++"
        );
    }
    for name in ["puma560", "d3-1200", "linear-delta"] {
        let output = Command::new(&program).arg(name).output().expect("it runs");
        let robot = Robot::find(name).expect("a robot");
        let joints = robot.joints().len();
        let of = |from: f64, step: f64| JointVector::from_fn(joints, |i| from + step * i as f64);
        let (q, qd, qdd) = (of(0.5, 0.02), of(0.3, -0.1), of(1.0, 0.5));
        let Ok(state) = robot.at_joints(&JointState { q, qd, qdd: qdd.clone() }, &Pick::default()) else {
            assert!(!output.status.success(), "{name}: refused here, so refused there");
            continue;
        };
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let torque = robot.build_model("exact").expect("a model").torque(&state, Wrench::zero());
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text.lines().count(), joints);
        for (i, line) in text.lines().enumerate() {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            assert_eq!(numbers[0].to_bits(), torque[i].to_bits(), "{name}: joint {}", i + 1);
            // A thousand roundings of the largest torque.
            let size = torque.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            assert!((numbers[2] - torque[i]).abs() < 1e-13 * size, "{name}: {line}");
            // The way back is well-conditioned at these poses.
            assert!((numbers[1] - qdd[i]).abs() < 1e-11 * qdd[i].abs(), "{name}: {line}");
        }
    }
    let unknown = Command::new(&program).arg("no-such-robot").output().expect("it runs");
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no-such-robot"));
}

/// Rows, columns, views, threads and every machine give the bits of single calls; single precision as many digits as it has.
#[test]
fn every_layout_from_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("batch");
    assert!(compiled("cc", &["-std=c99", "-x", "c"], "batch.c", &program), "the example compiles as C99");
    for (robot, quantity, states) in [
        ("puma560", "torque", "1003"),
        ("puma560", "mass", "77"),
        ("d3-1200", "acceleration", "50001"),
        ("puma560", "torque", "0"),
    ] {
        let output = Command::new(&program).args([robot, quantity, states]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{robot}, {quantity}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let last = text.lines().last().expect("a line");
        let apart = last.split(' ').nth(2).expect("a number").parse::<f64>().expect("a number");
        // Some hundreds of roundings of 6e-8.
        assert!(apart < 1e-4, "{robot}, {quantity}: {last}");
    }
}

/// The loop of a controller runs, and the model answers in time.
#[cfg(target_os = "linux")]
#[test]
fn a_loop_at_one_kilohertz() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("loop");
    assert!(compiled("cc", &["-std=c99", "-O2", "-x", "c"], "loop.c", &program), "the example compiles");
    let output = Command::new(&program).args(["puma560", "20000", "50"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        text.contains("one call of the model, 20000 times") && text.contains("every millisecond, 50 times"),
        "{text}"
    );
}
