//! The example in C, compiled without a warning as C99 and as C++, gives what the library gives; what C may give wrongly is refused.

mod refused;

use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library that was built with this test, by the ending of its name: beside it, or a folder above; the newest of them.
fn built(ending: &str) -> Option<PathBuf> {
    let test = std::env::current_exe().expect("a path");
    let folders = test.ancestors().skip(1).take(2);
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder")).flatten();
    let libraries = files.filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with("libdalembert_c") && name.ends_with(ending) && !name.starts_with("libdalembert_compiled")
    });
    libraries.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok()).map(|file| file.path())
}

fn library() -> PathBuf {
    built(".a").expect("the static library is built with its test")
}

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn compiled(compiler: &str, flags: &[&str], example: &str, to: &Path) -> bool {
    built_from(compiler, flags, &crate_folder().join("examples").join(example), to)
}

fn built_from(compiler: &str, flags: &[&str], source: &Path, to: &Path) -> bool {
    let command = Command::new(compiler)
        .args(flags)
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .arg(crate_folder().join("include"))
        .arg(source)
        .args(["-x", "none"])
        .arg(library())
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(to)
        .status();
    command.is_ok_and(|status| status.success())
}

/// The example at the head of the header, as it stands there: with its robot, and with one that is not to be had.
#[test]
fn the_example_of_the_header() {
    let header = std::fs::read_to_string(crate_folder().join("include/dalembert.h")).expect("the header");
    let lines = header.lines().filter_map(|line| line.strip_prefix(" *   "));
    let example: Vec<&str> = lines.collect();
    assert!(example.first().is_some_and(|line| line.contains("robot = NULL")) && example.len() == 7, "{example:?}");
    let folder = tempfile::tempdir().expect("a folder");
    for (robot, told) in [("d3-1200", ""), ("no-such-robot", "no-such-robot")] {
        let body = example.join("\n").replace("d3-1200", robot);
        let text = format!("#include \"dalembert.h\"\n#include <stdio.h>\nint main(void) {{\n{body}\nreturn 0;\n}}\n");
        let (source, program) = (folder.path().join("example.c"), folder.path().join("example"));
        std::fs::write(&source, text).expect("written");
        assert!(built_from("cc", &["-std=c99", "-x", "c"], &source, &program), "{robot}: it compiles");
        let output = Command::new(&program).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.contains(told) && said.is_empty() == told.is_empty(),
            "{robot}: {said}"
        );
    }
}

/// The commands of docs/c.md in a folder that has nothing but the sources, then the same with the shared library.
#[cfg(unix)]
#[test]
fn the_commands_of_the_page() {
    use std::os::unix::fs::symlink;
    if Command::new("pkg-config").arg("--version").output().is_err() {
        eprintln!("not run: there is no pkg-config");
        return;
    }
    let top = crate_folder().ancestors().nth(2).expect("the folder of the sources");
    let page = std::fs::read_to_string(top.join("docs/c.md")).expect("the page");
    let commands = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("commands");
    let folder = tempfile::tempdir().expect("a folder");
    let [clean, home, libraries] = ["clean", "home", "libraries"].map(|name| folder.path().join(name));
    for new in [&clean, &home, &libraries] {
        std::fs::create_dir(new).expect("a folder");
    }
    for name in ["tools", "crates"] {
        symlink(top.join(name), clean.join(name)).expect("a link");
    }
    symlink(library(), libraries.join("libdalembert_c.a")).expect("a link");
    let shared = built(std::env::consts::DLL_SUFFIX).expect("the shared library is built with its test");
    let name = format!("libdalembert_c{}", std::env::consts::DLL_SUFFIX);
    symlink(shared, libraries.join(name)).expect("a link");
    let run = |commands: &str| {
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", commands])
            .current_dir(&clean)
            .env("HOME", &home)
            .env("DALEMBERT_BUILT", &libraries)
            .env_remove("LD_LIBRARY_PATH")
            .output()
            .expect("bash runs");
        assert!(output.status.success(), "{commands}{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let torques = |text: &str| text.lines().rev().take(6).map(str::to_owned).collect::<Vec<_>>();
    let first = run(commands);
    assert!(torques(&first).iter().all(|line| line.split(' ').count() == 3), "{first}");
    let install = commands.lines().next().expect("a command");
    let with = |package: &str| commands.replace(install, "").replace(" dalembert)", &format!(" {package})"));
    assert_eq!(torques(&run(&with("dalembert-shared"))), torques(&first));
    // What is linked statically needs no library of ours when it starts.
    let alone = with("--static dalembert").replace("./torque", "rm ~/dalembert/lib/libdalembert_c.[!a]*; ./torque");
    assert_eq!(torques(&run(&alone)), torques(&first));
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
