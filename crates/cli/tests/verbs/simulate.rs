//! `simulate` from outside: files, pipes, Ctrl-C, runs that end early, and every mistake with its message.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
    command.arg("simulate").args(arguments).current_dir(directory).stdin(Stdio::null());
    command
}

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(directory, arguments).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Header and numbers of a CSV text.
fn table(text: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').collect();
    (header, lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

#[test]
fn a_swing_goes_to_all_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["d3-1200", "--free", "--duration", "50ms"];
    let with = |more: &[&'static str]| run(folder.path(), &[&short[..], more].concat());
    let (code, out, error) = with(&["--out", "run.csv", "--report", "run.html"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    for part in ["0.05 of 0.05 s", "energy drift", "constraint drift", "accepted", "as planned", "run.html"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let text = fs::read_to_string(folder.path().join("run.csv")).unwrap();
    let (header, rows) = table(&text);
    let expected = "t,q1,q2,q3,qd1,qd2,qd3,x,y,z,vx,vy,vz,tau1,tau2,tau3,qdd1,qdd2,qdd3,kinetic,potential,load,dissipated,total,drift,drift_rate";
    assert_eq!(header.join(","), expected);
    assert_eq!((rows.len(), rows[50][0]), (51, 0.05));
    assert!(fs::read_to_string(folder.path().join("run.html")).unwrap().starts_with("<!doctype html>"));
    // The same run on standard output, and nothing else there.
    let (code, out, _) = with(&["--out", "-"]);
    assert_eq!((code, out), (Some(0), text));
    let (code, out, _) = with(&["--json"]);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, summary["reached"].as_f64(), summary["rows"].as_u64()), (Some(0), Some(0.05), Some(51)));
    assert!(summary["ended"].is_null() && summary["energy_drift"].as_f64().unwrap() < 1e-9);
    #[cfg(feature = "parquet")]
    {
        assert_eq!(with(&["--out", "run.parquet"]).0, Some(0));
        let bytes = fs::read(folder.path().join("run.parquet")).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut child = command(Path::new("."), &["d3-1200", "--free", "--out", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(141), 0));
}

#[test]
fn formulations_integrators_starts_and_torques() {
    let here = Path::new(".");
    let good: [&[&str]; 11] = [
        &["asadi", "--free", "--integrator", "rattle", "--step", "0.5 ms"],
        &["asadi", "--free", "--integrator", "radau", "--tolerance", "1e-7"],
        &["puma560", "--free", "--formulation", "projected"],
        &["asadi", "--free", "--formulation", "baumgarte", "--poles=-10,-30"],
        &["asadi", "--free", "--formulation", "hamiltonian", "--integrator", "midpoint", "--step", "0.5 ms"],
        &["asadi", "--free", "--formulation", "minimal", "--integrator", "rk4"],
        &["d3-1200", "--free", "--position", "0.1, 0, -850 mm", "--velocity", "0,1 m/s,0", "--torque", "zero"],
        &["d3-1200", "--free", "--from", "40 deg,50 deg,45 deg", "--torque", "hold: 45 deg,45 deg,45 deg"],
        &["d3-1200", "--free", "--torque", "-3,-3.5,-4 N m", "--tolerance", "1e-8"],
        &["puma560", "--free", "--from", "0,-0.5,1,0,0.3,0", "--torque", "hold"],
        &["puma560", "--free", "--integrator", "rk4", "--every", "10 ms"],
    ];
    for arguments in good {
        let (code, out, error) = run(here, &[arguments, &["--duration", "20 ms"]].concat());
        assert_eq!(code, Some(0), "{arguments:?}: {error}");
        assert!(out.contains("as planned"), "{out}");
    }
}

#[test]
fn a_fall_into_a_singular_pose_is_told_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, error) =
        run(folder.path(), &["d3-1200", "--free", "--torque", "zero", "--tolerance", "1e-9", "--out", "run.csv"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("0.249 of 2 s") && out.contains("energy drift"), "{out}");
    for part in ["ended early", "singular", "wrote 0.249 of 2 s"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(table(&fs::read_to_string(folder.path().join("run.csv")).unwrap()).1.len(), 250);
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let child = command(folder.path(), &["d3-1200", "--free", "--duration", "8e4", "--every", "1", "--out", "run.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (out, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.starts_with("interrupted: wrote ") && error.contains("of 80000 s"), "{error}");
    assert!(out.contains("energy drift"), "{out}");
    let text = fs::read_to_string(folder.path().join("run.csv")).unwrap();
    let (header, rows) = table(&text);
    assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == header.len()));
    assert!(error.contains(&format!("{} of", rows.len() - 1)), "{error} {}", rows.len());
}

#[test]
fn scenes_run_and_take_other_settings() {
    let (code, out, error) = run(
        &scenes(),
        &["two-deltas-carry-a-bar.toml", "--duration", "10 ms", "--integrator", "rk4", "--step", "1 ms", "--json"],
    );
    assert_eq!(code, Some(0), "{error}");
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["integrator"], "rk4, step 0.001 s");
    assert_eq!(summary["steps"]["accepted"], 10);
    let names: Vec<&str> = summary["columns"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    for name in ["t", "left.q1", "right.tau3", "bar.qw", "left.tips12.fx", "left grip.fz", "total", "drift"] {
        assert!(names.contains(&name), "{name} {names:?}");
    }
}

/// The run must fail with this code, all of `parts` on standard error, nothing on standard output and no file.
fn bad(code: i32, arguments: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (found, out, error) = run(folder.path(), arguments);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{arguments:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: `{part}` is not in\n{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
}

#[test]
fn mistakes_are_explained() {
    let free = |more: &[&'static str]| -> Vec<&'static str> { [&["d3-1200", "--free"], more].concat() };
    bad(1, &["d3-1300", "--free"], &["no robot and no file", "did you mean `d3-1200`?"]);
    bad(1, &free(&["--position", "0,0,-3"]), &["the start of `d3-1200`", "dalembert check"]);
    bad(1, &free(&["--from", "0.1,0.2"]), &["2 numbers", "3 joints"]);
    bad(1, &free(&["--from", "0.1,nan,0.2"]), &["--from", "not a finite number"]);
    bad(1, &free(&["--from", "0.1,2 m,0.2"]), &["--from", "a length, but an angle is needed"]);
    bad(1, &free(&["--velocity", "1,0,0"]), &["--velocity needs a start"]);
    bad(1, &free(&["--torque", "hard"]), &["--torque", "does not start with a number"]);
    bad(1, &free(&["--duration", "0"]), &["--duration is 0, but must be positive"]);
    bad(1, &free(&["--duration", "-2"]), &["--duration is -2"]);
    bad(1, &free(&["--duration", "nan"]), &["--duration", "not a finite number"]);
    bad(1, &free(&["--duration", "2 m"]), &["a length, but a time is needed"]);
    bad(1, &free(&["--duration", "1e9", "--out", "run.csv"]), &["rows", "--every"]);
    bad(1, &free(&["--step", "1 ms"]), &["--step", "dormand-prince chooses its own"]);
    bad(1, &free(&["--integrator", "rk4", "--tolerance", "1e-6"]), &["--tolerance is for dormand-prince"]);
    bad(1, &free(&["--poles", "-1,-2"]), &["--poles is for --formulation baumgarte"]);
    bad(1, &free(&["--formulation", "baumgarte", "--poles", "1,-2"]), &["must be negative"]);
    bad(1, &free(&["--out", "run.xlsx"]), &["no known format", ".parquet"]);
    bad(1, &free(&["--report", "run.pdf"]), &["the report is HTML"]);
    bad(1, &free(&["--out", "-", "--report", "-"]), &["cannot both go to -"]);
    bad(1, &free(&["--out", "no/such/run.csv"]), &["its directory does not exist"]);
    bad(1, &["puma560", "--free", "--position", "0,0,1"], &["serial arm", "--from"]);
    bad(1, &free(&["--integrator", "rattle", "--formulation", "projected"]), &["rattle needs momenta", "hamiltonian"]);
    bad(1, &free(&["--integrator", "rattle", "--tolerance", "1e-6"]), &["rattle has a --step"]);
    bad(1, &free(&["--integrator", "radau", "--step", "1 ms"]), &["radau chooses its own"]);
    bad(2, &free(&["--formulation", "explizit"]), &["invalid value", "explicit"]);
    bad(2, &free(&["--from", "0,0,0", "--position", "0,0,-1"]), &["cannot be used with"]);
}

#[test]
fn mistakes_in_scenes_are_located() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(scenes().join("two-deltas-carry-a-bar.toml")).unwrap();
    let broken = |from: &str, to: &str, more: &[&str], parts: &[&str]| {
        assert!(text.contains(from), "{from}");
        let path = folder.path().join("scene.toml");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        bad(1, &[&[path.to_str().unwrap(), "--out", "run.csv"], more].concat(), parts);
    };
    broken("carries =", "caries =", &[], &["line 15", "unknown key `caries` in [robot.1]", "did you mean `carries`?"]);
    broken("b = { on = \"bar\"", "b = { on = \"baz\"", &[], &["there is no robot or body `baz`", "`bar`"]);
    broken("-1.0], velocity", "-9.0], velocity", &[], &["line 13", "the start of `left`"]);
    broken("duration = \"1 s\"", "duration = \"1 m\"", &[], &["line 7", "a time is needed"]);
    broken("kind = \"scene\"", "kind = \"szene\"", &[], &["unknown kind", "\"scene\""]);
    broken("[run]", "[run]", &["--from", "0,0,0"], &["--from is for one robot"]);
    broken("[run]", "[run]", &["--formulation", "explicit"], &["for one robot alone", "projected"]);
    broken("[run]", "[run]", &["--formulation", "minimal"], &["independent coordinates", "projected"]);
    // The bar cannot be longer than the way between the grips lets it be.
    let hold = "[[constraint]]\nname = \"impossible\"\nkind = \"distance\"\na = \"left\"\nb = \"right\"\nlength = 5\n\n[[constraint]]\nname = \"left grip\"";
    broken("[[constraint]]\nname = \"left grip\"", hold, &[], &["cannot begin", "`"]);
}
