//! The command from outside: files, reports and usage; every mistake with its message, its exit code and nothing left behind. Tables
//! of states are in `rows`.

use crate::rows::{Csv, agree};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `dalembert` with these arguments, separated by blanks, and this standard input, in a directory.
pub fn run_in(directory: &Path, arguments: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A child that refuses its arguments may be gone before it reads.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn run(arguments: &str, input: &str) -> Output {
    run_in(&root(), arguments, input)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The run must succeed; its standard output.
pub fn good(arguments: &str, input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The run must fail with this code, print nothing on standard output and all of `parts` on standard error.
pub fn bad(code: i32, arguments: &str, input: &str, parts: &[&str]) {
    let output = run(arguments, input);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    assert_eq!(text(&output.stdout), "", "{arguments}");
    for part in parts {
        assert!(error.contains(part), "{arguments}: `{part}` is not in\n{error}");
    }
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn a_failure_leaves_no_file_and_success_replaces_it() {
    let directory = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let output = run_in(directory.path(), "ik d3-1200 -o out.csv", "x,y,z\n0,0,-0.8\n0,0,-3\n");
    assert_eq!((output.status.code(), files()), (Some(1), 0));
    let output = run_in(directory.path(), "ik d3-1200 -o out.csv", "x,y,z\n0,0,-0.8\n");
    assert_eq!((output.status.code(), files()), (Some(0), 1));
    // A file that is read is not replaced: neither by a failure nor by a success.
    let before = fs::read_to_string(directory.path().join("out.csv")).unwrap();
    let output = run_in(directory.path(), "torque d3-1200 -i out.csv -o out.csv", "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(directory.path().join("out.csv")).unwrap(), before);
    let output = run_in(directory.path(), "mass d3-1200 -i out.csv -o out.csv", "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write out.csv: this run reads it"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(directory.path().join("out.csv")).unwrap(), before);
    // compare writes neither file if the motion is out of reach.
    let output = run_in(directory.path(), "compare asadi --width 2 --out a.csv --plot a.svg", "");
    assert_eq!((output.status.code(), files()), (Some(1), 1));
    let output = run_in(directory.path(), "ik d3-1200 -o missing/out.csv", "x,y,z\n0,0,-0.8\n");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("cannot write missing/out.csv: its directory does not exist"), "{error}");
    assert!(error.contains("create the directory first") && !error.contains(".dalembert-"), "{error}");
}

/// Both files of compare, or none.
#[test]
fn compare_leaves_no_half_result() {
    let directory = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let output = run_in(directory.path(), "compare d3-1200 --out left.csv --plot missing/x.svg", "");
    assert_eq!((output.status.code(), files()), (Some(1), 0));
    for arguments in ["--out x.svg --plot x.svg", "--out ./x.svg --plot x.svg"] {
        let output = run_in(directory.path(), &format!("compare d3-1200 {arguments}"), "");
        assert_eq!((output.status.code(), files()), (Some(1), 0));
        assert!(text(&output.stderr).contains("cannot both go to"), "{}", text(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn read_only_files_are_kept_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let (kept, link) = (directory.path().join("kept.csv"), directory.path().join("link.csv"));
    fs::write(&kept, "precious").unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).unwrap();
    let output = run_in(directory.path(), "ik d3-1200 -o kept.csv", "x,y,z\n0,0,-0.8\n");
    assert_eq!((output.status.code(), fs::read_to_string(&kept).unwrap().as_str()), (Some(1), "precious"));
    assert!(text(&output.stderr).contains("kept.csv: it is there and read-only"), "{}", text(&output.stderr));
    // A link stays a link, whether its target is there or not.
    fs::create_dir(directory.path().join("below")).unwrap();
    symlink("below/target.csv", &link).unwrap();
    for _ in 0..2 {
        let output = run_in(directory.path(), "ik d3-1200 -o link.csv", "x,y,z\n0,0,-0.8\n");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(directory.path().join("below/target.csv")).unwrap().starts_with("x,y,z,q1"));
    }
}

#[test]
fn robot_files_point_at_the_place() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("bad.toml"), "kind = \"delta\"\nname = \"x\"\n[base]\nradios = 1\n").unwrap();
    let output = run_in(directory.path(), "check bad.toml", "");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    for part in ["error: bad.toml, line 4, column 1", "radios = 1", "did you mean `radius`?"] {
        assert!(error.contains(part), "{error}");
    }
    let good_file = good("robots show d3-1200", "");
    for (file, parts) in [
        (b"kind = \"delta\" # \xff".to_vec(), ["bad.toml is not UTF-8 text", "saved as UTF-8"]),
        (good_file.replace("\"0.94 kg\"", "40 g").into(), ["not TOML", "mass = \"40 g\""]),
        (good_file.replace("\"0.94 kg\"", "1e308").into(), ["is not finite", "are the units right?"]),
        (good_file.split("[platform]").next().unwrap().into(), ["missing table [platform]", "with radius and mass"]),
    ] {
        fs::write(directory.path().join("bad.toml"), file).unwrap();
        let output = run_in(directory.path(), "check bad.toml", "");
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    bad(1, "check d3-120", "", &["built in: asadi, d3-1200", "did you mean `d3-1200`?"]);
    bad(1, "check nowhere.toml", "", &["cannot read nowhere.toml", "No such file"]);
    bad(1, "torque nobody", "", &["no robot and no file is called `nobody`"]);
}

/// What is odd in a robot file is told once, whatever the verb; the result is the same.
#[test]
fn warnings_of_a_robot_file_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let odd = good("robots show d3-1200", "").replace("\"0.122 m\"", "\"0.4 m\"");
    fs::write(directory.path().join("odd.toml"), odd).unwrap();
    let state = "x,y,z,vx,vy,vz,ax,ay,az,tau1,tau2,tau3\n0,0,-.85,0,0,0,0,0,0,0,0,0\n";
    for verb in ["torque", "accel", "mass", "ik"] {
        let output = run_in(directory.path(), &format!("{verb} odd.toml"), state);
        assert_eq!(output.status.code(), Some(0));
        let error = text(&output.stderr);
        assert_eq!(error.matches("warning: odd.toml, line").count(), 1, "{error}");
        assert!(error.contains("beyond the elbow"), "{error}");
    }
    let output = run_in(directory.path(), "fk odd.toml", "q1,q2,q3\n0.3,0.3,0.3\n");
    assert!(text(&output.stderr).contains("warning: odd.toml, line"));
}

#[test]
fn states_convert_there_and_back() {
    let state = "id,x,y,z,q1,q2,q3,tau1,tau2,tau3\nA,0.1,0,-0.85,0.1,0.2,0.3,1,2,3\n";
    let linuxcnc = good("convert d3-1200 --to linuxcnc", state);
    let there = Csv::new(&linuxcnc);
    // Millimetres, arm 1 along −y, degrees.
    let near = |names: [&str; 3], expected: [f64; 3]| {
        for (a, b) in there.numbers(0, &names.map(String::from)).iter().zip(expected) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    };
    near(["x", "y", "z"], [0.0, -100.0, -850.0]);
    near(["q1", "q2", "q3"], [0.1_f64, 0.2, 0.3].map(f64::to_degrees));
    near(["tau1", "tau2", "tau3"], [1.0, 2.0, 3.0]);
    agree(&good("convert d3-1200 --from linuxcnc", &linuxcnc), &Csv::new(state), &["x", "q", "tau"]);
    let klipper = Csv::new(&good("convert d3-1200 --to klipper --height 1", state));
    assert!((klipper.numbers(0, &["z".to_owned()])[0] - 150.0).abs() < 1e-9);
    bad(1, "convert d3-1200 --to klipper", "a,b\n1,2\n", &["no column of a state", "x,y,z"]);
    bad(1, "convert d3-1200 --to klipper", "x,y\n1,2\n", &["only some of the columns x,y,z are there"]);
    bad(1, "convert golden/robots/generic.toml --to bortoff", state, &["arm 2 is"]);
    bad(2, "convert d3-1200", state, &["--to"]);
    bad(2, "convert d3-1200 --to klipper --from klipper", state, &["cannot be used with"]);
    bad(2, "convert d3-1200 --to fanuc", state, &["linuxcnc, klipper"]);
}

/// SI and radians, with the keys of robot files.
#[test]
fn json_of_a_robot_has_the_keys_of_its_file() {
    let check: serde_json::Value = serde_json::from_str(&good("check d3-1200 --json", "")).unwrap();
    let show: serde_json::Value = serde_json::from_str(&good("robots show d3-1200 --json", "")).unwrap();
    let list: serde_json::Value = serde_json::from_str(&good("robots --json", "")).unwrap();
    for report in [&check, &show, &list[1]] {
        let parameters = &report["parameters"];
        assert_eq!(parameters["upper_arm"]["inertia"], serde_json::json!([0.035, 0.035, 0.035]));
        assert_eq!(parameters["platform"]["mass"], 0.94);
        let degrees = |value: &serde_json::Value| value.as_f64().unwrap().to_degrees();
        assert!((degrees(&parameters["base"]["azimuths"][2]) - 240.0).abs() < 1e-12);
        assert!((degrees(&report["joints"][0]["range"][1]) - 95.0).abs() < 1e-12);
        assert!(report["joints"][0]["friction"].is_null());
        assert!(parameters["motor"].get("friction").is_none());
    }
    assert!(check["workspace"]["lowest"].as_f64().unwrap() < -1.2);
    assert_eq!(list[1]["workspace"], check["workspace"]);
}

/// The tool point, as in the verbs on rows.
#[test]
fn explain_takes_the_tool_point() {
    let directory = tempfile::tempdir().unwrap();
    let file = good("robots show d3-1200", "").replace("\"0.94 kg\"", "\"0.94 kg\"\ntool = [0, 0, -0.05]");
    fs::write(directory.path().join("tool.toml"), file).unwrap();
    let explain = |arguments: &str| {
        let output = run_in(directory.path(), &format!("explain tool.toml --json {arguments}"), "");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["torque"][0].as_f64().unwrap()
    };
    let [tool, also] = ["--position 0.1,0,-0.9", "--tool --position 0.1,0,-0.9"].map(explain);
    let plain = serde_json::from_str::<serde_json::Value>(&good("explain d3-1200 --json --position 0.1,0,-0.85", ""));
    assert!((tool - plain.unwrap()["torque"][0].as_f64().unwrap()).abs() < 1e-12 && tool == also);
}

/// With friction the fast path of symmetric robots is not taken, and not told.
#[test]
fn ops_tells_what_is_run() {
    let ops = |robot: &str| good(&format!("ops {robot} --no-timing"), "");
    assert!(ops("d3-1200").contains("exact, symmetric"));
    let friction = ops("golden/robots/friction.toml");
    assert!(friction.contains("exact, batched") && !friction.contains("exact, symmetric"), "{friction}");
}

/// On a terminal only, not in a pipe.
#[test]
fn no_sign_of_life_in_a_pipe() {
    let output = run("ops d3-1200 --milliseconds 40", "");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

/// A number of the robot can be another for this run: as if its file said so.
#[test]
fn the_robot_can_be_otherwise() {
    let state = "x,y,z,vx,vy,vz,ax,ay,az\n0.1,0,-0.85,0,0,0,0,0,0\n";
    let plain = good("torque d3-1200", state);
    let heavy = good("torque d3-1200 --set forearm.mass=0.5 --set payload.mass=2kg", state);
    let directory = std::env::temp_dir().join(format!("dalembert-set-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let shown = good("robots show golden/robots/mini.toml", "");
    let file = directory.join("mini.toml");
    std::fs::write(&file, shown.replacen("[payload]\nmass = 0.0", "[payload]\nmass = 2.0", 1)).unwrap();
    let path = file.to_str().unwrap();
    assert_ne!(plain, heavy);
    let state = "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.15,0,0,0,0,0,0\n";
    let by_file = good(&format!("torque {path}"), state);
    assert_eq!(good("torque golden/robots/mini.toml --set payload.mass=2", state), by_file);
    std::fs::remove_dir_all(&directory).unwrap();
    bad(1, "torque d3-1200 --set forearm.mas=0.5", state, &["unknown key `mas` in [forearm]", "did you mean `mass`?"]);
    bad(1, "simulate d3-1200 --free --set forearm.mass=3m", "", &["is a length, but a mass is needed"]);
    bad(2, "torque d3-1200 --set", state, &["--set"]);
    // The change is named, not a line that the file does not have.
    bad(
        1,
        "check d3-1200 --set payload.mass=1 --set forearm.mass=-1",
        "",
        &["error: --set forearm.mass=-1: forearm.mass is -1"],
    );
    bad(1, "check d3-1200 --set heavy", "", &["error: --set heavy: it does not say which", "KEY=VALUE"]);
}

#[test]
fn wrong_usage_is_code_2() {
    bad(2, "", "", &["Usage: dalembert <COMMAND>"]);
    bad(2, "torque", "", &["<ROBOT>"]);
    bad(2, "torque d3-1200 --model newton", "", &["invalid value 'newton'", "codourey-simplified"]);
    bad(2, "ik d3-1200 --branch left", "", &["possible values: out, in"]);
    bad(2, "explain d3-1200 --position 1,2", "", &["three numbers are needed"]);
    bad(2, "explain d3-1200 --position 0.1 0 -0.85", "", &["unexpected argument '0'", "commas and no blanks"]);
    bad(
        2,
        "simulate d3-1200 --payload 1 kg",
        "",
        &["unexpected argument 'kg'", "needs quotes, as in --payload '1 kg'"],
    );
    bad(2, "explain d3-1200 --position 0,0,-1 --joints 0,0,0", "", &["cannot be used with"]);
    bad(2, "compare d3-1200 --width -1", "", &["width"]);
}

#[test]
fn compare_writes_numbers_csv_and_plot() {
    let directory = tempfile::tempdir().unwrap();
    let output =
        run_in(directory.path(), "compare d3-1200 --z -0.85 --samples 100 --out all.csv --plot all.svg --json", "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let model = |name: &str| {
        let models = report["difference_to_exact"].as_array().unwrap();
        models.iter().find(|model| model["name"] == name).unwrap()["all"]["rms"].as_f64().unwrap()
    };
    // crates/papers/errata.md, section 5.
    assert!(model("asadi") < 1e-12 && model("falezza-complete") < 1e-12);
    assert!((model("codourey-simplified") - 0.640).abs() < 0.005);
    assert!((model("falezza-simplified") - 3.305).abs() < 0.02);
    let csv = Csv::new(&fs::read_to_string(directory.path().join("all.csv")).unwrap());
    assert_eq!(csv.rows.len(), 400);
    assert!(csv.column("tau3_falezza-simplified") > 0);
    let svg = fs::read_to_string(directory.path().join("all.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.matches("<path").count() >= 6 && svg.contains("Joint 3"));
    // What compare wrote is a table like any other.
    let torque = run_in(directory.path(), "torque d3-1200 -i all.csv", "");
    assert_eq!(torque.status.code(), Some(0), "{}", text(&torque.stderr));
    bad(1, "compare d3-1200 --plot plot.pdf", "", &["the plot is SVG", "ends in `.svg`"]);
    bad(1, "compare asadi --z -0.71", "", &["leaves the workspace", "would have to be", "--width"]);
}

#[test]
fn every_report_has_json() {
    for arguments in [
        "robots --json",
        "robots show asadi --json",
        "check d3-1200 --json",
        "explain asadi --json",
        "ops asadi --no-timing --json",
    ] {
        let output = good(arguments, "");
        serde_json::from_str::<serde_json::Value>(&output).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    }
}

/// Times are measured, whatever they are.
#[test]
fn ops_measures() {
    let report: serde_json::Value = serde_json::from_str(&good("ops d3-1200 --milliseconds 1 --json", "")).unwrap();
    for cost in report["costs"].as_array().unwrap() {
        assert!(cost["seconds"].as_f64().unwrap() > 0.0, "{cost}");
    }
    let text = good("ops d3-1200 --milliseconds 1", "");
    assert!(text.contains("Codourey Table 1") && text.contains("105 % longer"));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(good(&format!("completions {shell}"), "").contains("skip-bad"), "{shell}");
    }
}

/// A reader that goes away ends the command without a word, with the code of other commands: 128 + SIGPIPE.
#[test]
fn a_broken_pipe_is_quiet() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(["explain", "d3-1200"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(141), ""));
}

/// Spellings of former versions do the same, with a note on standard error that is not in the result.
#[test]
fn old_spellings_work_with_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let row = "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.52,1,0,0,0,0,5\n";
    fs::write(directory.path().join("poses.csv"), row).unwrap();
    for (old, new, note) in [
        ("ik asadi --output - poses.csv", "ik asadi poses.csv --out -", "note: --output is now --out\n"),
        ("mass asadi --output=- -i poses.csv", "mass asadi poses.csv", "note: --output is now --out\n"),
        (
            "convert asadi --to klipper --output - poses.csv",
            "convert asadi poses.csv --to klipper",
            "note: --output is now --out\n",
        ),
        ("compare asadi --samples 9 --csv -", "compare asadi --samples 9 --out -", "note: --csv is now --out\n"),
        ("cycle asadi --count 1 --csv -", "cycle asadi --count 1 --out -", "note: --csv is now --out\n"),
        ("sensitivity asadi --samples 9 --csv=-", "sensitivity asadi --samples 9 -o -", "note: --csv is now --out\n"),
        (
            "map mass --count 4 asadi --json",
            "map asadi mass --count 4 --json",
            "note: map QUANTITY ROBOT is now map ROBOT QUANTITY\n",
        ),
        ("fk asadi --input -", "fk asadi", ""),
        ("sensitivity asadi --samples 9 --states poses.csv", "sensitivity asadi poses.csv --samples 9", ""),
    ] {
        let input = "q1,q2,q3\n0.3,0.3,0.3\n";
        let [old, new] = [old, new].map(|arguments| (arguments, run_in(directory.path(), arguments, input)));
        let error = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(new.1.status.success() && old.1.status.success(), "{}: {}", old.0, error(&old.1));
        assert_eq!(old.1.stdout, new.1.stdout, "{} and {}", old.0, new.0);
        assert_eq!(error(&old.1), format!("{note}{}", error(&new.1)), "{}", old.0);
    }
}

/// `-h` and `--help` are a summary, `help VERB` has all that is said about a verb.
#[test]
fn help_is_short_and_long() {
    let help = |arguments: &str| String::from_utf8(run(arguments, "").stdout).unwrap();
    assert_eq!(help("torque -h"), help("torque --help"));
    assert!(help("torque -h").len() < help("help torque").len());
    assert!(help("torque -h").contains("dalembert help torque") && !help("torque -h").contains("Other columns pass"));
    assert!(help("help torque").contains("Other columns pass") && !help("help torque").contains("--output"));
}
