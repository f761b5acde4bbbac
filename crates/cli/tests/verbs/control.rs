//! `simulate` of a robot under control, from outside: summary, table, files, and every mistake with its message.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
    command.arg("simulate").args(arguments).current_dir(directory).stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The main job of the README.
#[test]
fn a_robot_does_its_cycle_and_reports() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, error) = run(folder.path(), &["d3-1200"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    for part in [
        "pick-and-place 25/305/25 mm",
        "computed-torque",
        "cycle time",
        "per minute",
        "tracking error",
        "RMS torque",
        "power",
        "of the limit",
        "came to rest",
        "report: report.html",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // What is planned leaves the controller its part of the limits.
    assert!(!out.contains("limits cut"), "{out}");
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.starts_with("<!doctype html>") && report.contains("Tracking error"));
}

/// A report that nobody named replaces an older one and says it, and nothing else.
#[test]
fn an_unnamed_report_replaces_only_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let quick = ["asadi", "--cycle", "1", "--hold", "0"];
    let replaced = "the report of an earlier run is replaced";
    for again in [false, true] {
        let (code, out, error) = run(folder.path(), &quick);
        assert_eq!((code, out.contains(replaced)), (Some(0), again), "{out}{error}");
    }
    fs::write(&report, "<!doctype html><p>mine").unwrap();
    let (code, _, error) = run(folder.path(), &quick);
    assert_eq!(code, Some(1));
    assert!(error.contains("report.html is there, and is not a report of `simulate`"), "{error}");
    assert_eq!(fs::read_to_string(&report).unwrap(), "<!doctype html><p>mine");
    // A name that is given is written as it is.
    let (code, out, _) = run(folder.path(), &[&quick[..], &["--report", "report.html"]].concat());
    assert!(code == Some(0) && !out.contains(replaced) && fs::read_to_string(&report).unwrap().contains("Tracking"));
}

/// A serial arm, the same way; what it has no use for is refused with what it has.
#[test]
fn a_serial_arm_does_its_swing_and_reports() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = run(folder.path(), &["puma560"]);
    assert_eq!(code, Some(0));
    for part in
        ["swing, sine-on-ramp", "computed-torque", "newton-euler", "tracking error", "came to rest", "report.html"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.starts_with("<!doctype html>") && report.contains("Tracking error"));
    let laws = ["--compare", "pd,feedforward,cartesian,impedance", "--payload", "2kg", "--known-payload", "1.6kg"];
    let (code, out, _) = run(folder.path(), &[&["puma560", "--json", "--out", "run.csv"], &laws[..]].concat());
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, json["runs"].as_array().map(Vec::len)), (Some(0), Some(4)));
    let error = |i: usize| json["runs"][i]["error_max"].as_f64().unwrap();
    assert!(error(0) > 5.0 * error(1) && error(2) < 1e-3 && error(3) < 1e-3, "{out}");
    assert_eq!(json["runs"][0]["torque_peak"].as_array().map(Vec::len), Some(6));
    let header = fs::read_to_string(folder.path().join("run.csv")).unwrap();
    assert!(header.starts_with("t,error.pd,") && header.contains("impedance.tau6"));
    // Its tool goes along paths too.
    let (code, out, error) = run(folder.path(), &["puma560", "--path", "pick-and-place", "--json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert!(code == Some(0) && json["runs"][0]["error_max"].as_f64().unwrap() < 5e-3, "{out}{error}");
    let bad = |arguments: &[&str], parts: &[&str]| {
        let (code, out, error) = run(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments:?}");
        for part in parts {
            assert!(error.contains(part), "{part}: {error}");
        }
    };
    bad(&["puma560", "--center", "0,0,0"], &["`center` is for paths of the tool"]);
    bad(&["puma560", "--branch", "in"], &["--branch is for paths of the tool"]);
    bad(&["puma560", "--model", "asadi"], &["there is no `asadi`", "abbreviated"]);
    bad(&["puma560", "--model", "derived", "--payload", "1kg"], &["cannot begin", "another --model"]);
    bad(&["puma560", "--known", "d3-1200"], &["Delta"]);
    let wrist = "line:0,-1,1,0,0,0/0.3,-0.8,1.2,0.3,0.8,0.3";
    let (code, _, error) = run(folder.path(), &["puma560", "--path", wrist, "--law", "cartesian"]);
    assert!(code == Some(1) && error.contains("the tool cannot go in every direction"), "{error}");
}

#[test]
fn laws_are_compared_in_one_table_and_one_report() {
    let folder = tempfile::tempdir().unwrap();
    let laws = "pd,pd+acc,feedforward,computed-torque";
    let (code, out, error) =
        run(folder.path(), &["d3-1200", "--compare", laws, "--out", "run.csv", "--report", "c.html"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let errors: Vec<f64> = laws
        .split(',')
        .map(|law| {
            let row = out.lines().find(|line| line.split_whitespace().next() == Some(law)).unwrap();
            row.split_whitespace().nth(1).unwrap().parse().unwrap()
        })
        .collect();
    assert!(errors[0] > errors[1] && errors[1] > errors[3] && errors[3] > errors[2], "{errors:?}");
    let text = fs::read_to_string(folder.path().join("run.csv")).unwrap();
    let header = text.lines().next().unwrap();
    assert!(header.starts_with("t,error.pd,error.pd+acc,error.feedforward,error.computed-torque,pd.tau1"), "{header}");
    assert!(fs::read_to_string(folder.path().join("c.html")).unwrap().contains("4 control laws compared"));
}

#[test]
fn options_and_files_say_the_same() {
    let experiment = "kind = \"experiment\"\nrobot = \"d3-1200\"\n[motion]\npath = \"semi-ellipse\"\nwidth = \"250 mm\"\nheight = \"50 mm\"\ncycle = \"450 ms\"\n[plant]\npayload = \"1 kg\"\n[controller]\nlaws = [\"feedforward@1ms\"]\npayload = \"0.8 kg\"\nmodel = \"codourey-simplified\"\nbandwidth = 9\n[sampling]\ndelay = 2\n[encoder]\nbits = 16\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("trial.toml"), experiment).unwrap();
    let json = |arguments: &[&str]| -> Value {
        let (code, out, error) = run(folder.path(), &[arguments, &["--json"]].concat());
        assert_eq!(code, Some(0), "{error}");
        serde_json::from_str(&out).unwrap()
    };
    let by_file = json(&["trial.toml"]);
    let by_options = json(&[
        "d3-1200",
        "--motion",
        "semi-ellipse",
        "--width",
        "250mm",
        "--height",
        "50 mm",
        "--cycle",
        "450ms",
        "--payload",
        "1kg",
        "--law",
        "feedforward@1ms",
        "--known-payload",
        "800 g",
        "--model",
        "codourey-simplified",
        "--bandwidth",
        "9",
        "--delay",
        "2",
        "--encoder-bits",
        "16",
    ]);
    assert_eq!(by_file, by_options);
    assert!(by_file["runs"][0]["error_max"].as_f64().unwrap() > 0.0);
    assert_ne!(by_file, json(&["trial.toml", "--delay", "0"]));
    assert_eq!(json(&["trial.toml", "--ideal"])["runs"][0]["samples_cut"], 0.0);
}

/// Every motion by name and through points, and every profile, in closed loop: the words of `trajectory`.
#[test]
fn every_motion_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let json = |arguments: &[&str]| -> Value {
        let (code, out, error) = run(folder.path(), &[&["d3-1200", "--json"][..], arguments].concat());
        assert_eq!((code, error.as_str()), (Some(0), ""), "{arguments:?}");
        serde_json::from_str(&out).unwrap()
    };
    let polyline = "polyline:0,0,-0.9/0.1,0,-0.9/0.1,0.1,-0.85";
    let arc = "arc:0,0,-0.9/0.1,0.1,-0.9/0.2,0,-0.9";
    for path in dalembert::motion::named::names().into_iter().chain([polyline, arc, "line:0,0,-0.9/0.1,0,-850mm"]) {
        let told = json(&["--path", path]);
        let s = &told["runs"][0];
        // Planned with 0.7 of the limits, so none cuts a torque.
        assert!(s["samples_cut"] == 0.0 && s["error_max"].as_f64().unwrap() < 2e-3, "{path}: {s}");
    }
    let limits = ["--speed", "2", "--acceleration", "40"];
    for profile in dalembert::motion::ProfileChoice::ALL.map(dalembert::motion::ProfileChoice::as_str) {
        let options: &[&str] = match profile {
            "minimum-torque" => &["--cycles-per-minute", "120"],
            "trapezoidal" => &limits,
            "double-s" => &["--speed", "2", "--acceleration", "40", "--jerk", "2000"],
            "time-optimal" => &["--smoothing", "5ms"],
            "sine-on-ramp" => &["--ratio", "2"],
            _ => &[],
        };
        let told = json(&[&["--profile", profile][..], options].concat());
        assert!(told["motion"].as_str().unwrap().contains(profile), "{told}");
    }
    // A payload in the name is the robot's: more torque than the same motion without. In 0.9 s or less the corners of the cycle
    // would bring 3 kg to the motors' limit, which cuts.
    let peak = |path: &str| {
        let told = json(&["--path", path, "--cycle", "1000ms"]);
        told["runs"][0]["torque_peak"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(peak("pick-and-place-3kg") > 2.0 * peak("pick-and-place"));
}

/// Options on top of a file change what they say, and nothing else that the file says of the controller.
#[test]
fn what_the_controller_knows_stays_as_the_file_says() {
    let file = root().join("experiments/wrong-payload.toml");
    let folder = tempfile::tempdir().unwrap();
    let json = |arguments: &[&str]| -> Value {
        let all = [&[file.to_str().unwrap(), "--law", "computed-torque", "--json"][..], arguments].concat();
        let (code, out, error) = run(folder.path(), &all);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        serde_json::from_str(&out).unwrap()
    };
    let plain = json(&[]);
    assert_eq!(plain["name"], "wrong payload");
    assert_eq!(plain, json(&["--payload", "1kg"]));
    assert_eq!(plain, json(&["--known", "d3-1200"]));
    assert_eq!(plain, json(&["--known-payload", "800g"]));
    assert_ne!(plain, json(&["--known-payload", "1kg"]));
    // Two cycles of 0.8 s.
    assert_eq!(
        (plain["runs"][0]["cycle_time"].as_f64(), plain["runs"][0]["duration"].as_f64()),
        (Some(0.8), Some(1.6))
    );
}

/// The run must fail with this code, all of `parts` on standard error, and no file.
fn bad(code: i32, arguments: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (found, _, error) = run(folder.path(), arguments);
    assert_eq!(found, Some(code), "{arguments:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: `{part}` is not in\n{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
}

#[test]
fn mistakes_are_explained() {
    bad(1, &["d3-1200", "--law", "feedforwad"], &["no control law `feedforwad`", "did you mean `feedforward`?"]);
    bad(1, &["d3-1200", "--law", "pd@2ms"], &["does not look ahead"]);
    bad(1, &["d3-1200", "--law", "feedforward@2m"], &["no time", "feedforward@2ms"]);
    bad(1, &["d3-1200", "--compare", "pd,pd"], &["there twice"]);
    bad(1, &["d3-1200", "--model", "exakt"], &["--model", "codourey-simplified"]);
    bad(1, &["d3-1200", "--motion", "door"], &["no motion is called `door`", "did you mean `pick-and-place`?"]);
    bad(1, &["d3-1200", "--path", "falezza-center", "--width", "1"], &["`falezza-center` has no width"]);
    bad(1, &["d3-1200", "--profile", "3-4-5", "--ratio", "2"], &["a ratio does not go with the profile 3-4-5"]);
    bad(1, &["d3-1200", "--profile", "minimum-torque"], &["none is given", "--cycle"]);
    bad(1, &["d3-1200", "--share", "1.2"], &["the share of the limits is 1.2"]);
    bad(1, &["d3-1200", "--share", "0.5", "--cycle", "1"], &["here the time is given"]);
    bad(
        1,
        &["d3-1200", "--path", "line:0,0,-0.9/0.1,0,-0.9", "--cycles", "2"],
        &["ends 0.1000 m from where it begins"],
    );
    bad(
        1,
        &["d3-1200", "--path", "line:0,0,-0.9/0.1,0,-0.9", "--center", "0,0,-0.9"],
        &["`line through 2 points` has no center"],
    );
    bad(1, &["d3-1200", "--path", "falezza-limits", "--cycle", "5"], &["leaves no time: the motion rests for 6 s"]);
    bad(1, &["d3-1200", "--width", "1.6"], &["the path at s", "0.719 m around it"]);
    bad(1, &["d3-1200", "--cycle", "0"], &["--cycle is 0, but must be positive"]);
    bad(1, &["d3-1200", "--payload=-1kg"], &["--payload"]);
    bad(
        1,
        &["d3-1200", "--center", "0.5,0,-1.2"],
        &["the path at s", "the platform has most room about (0.000, 0.000, -0.885) m"],
    );
    bad(1, &["d3-1200", "--center", "0.5,0,-1.2", "--cycle", "1"], &["leaves the workspace", "--center"]);
    bad(1, &["d3-1200", "--delay", "40"], &["delay in samples is 40", "at most 15"]);
    bad(1, &["d3-1200", "--bandwidth", "0"], &["bandwidth is 0"]);
    bad(1, &["d3-1200", "--duration", "1"], &["--duration is for free swings", "--cycle"]);
    bad(1, &["d3-1200", "--torque", "zero"], &["--torque", "--free"]);
    bad(1, &["d3-1200", "--free", "--law", "pd"], &["--law is for a robot under control"]);
    bad(2, &["d3-1200", "--law", "pd", "--compare", "pd,pid"], &["cannot be used with"]);
    bad(2, &["d3-1200", "--ideal", "--delay", "1"], &["cannot be used with"]);
    bad(1, &["d3-1200", "--bandwidth", "-3"], &["--bandwidth is -3, but must be positive"]);
    bad(1, &["d3-1200", "--json", "--out", "-"], &["--json and a file on standard output"]);
    // The limit that was passed is only a part of the robot's, and no time helps to hold.
    bad(1, &["d3-1200", "--payload", "30"], &["its limit 56 N m", "with 0.7 of the limits", "a larger share"]);
    bad(1, &["puma560", "--payload", "30"], &["with 0.7 of the limits", "a lighter payload"]);
}

/// Whoever reads a summary, a table or a report knows what was tried.
#[test]
fn runs_state_their_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let load = ["d3-1200", "--payload", "1kg", "--known-payload", "0.8kg"];
    let told = "1 kg, but the controller believes 0.8 kg";
    let (_, out, _) = run(folder.path(), &load);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    for part in [told, "1000 Hz, delay 1 sample", "20 bits, velocity by difference", "drawn by all together"] {
        assert!(out.contains(part) && page.contains(part), "{part}: {out}");
    }
    let (_, out, _) = run(folder.path(), &[&load[..], &["--compare", "pd,computed-torque"]].concat());
    for part in [told, "cycle time", "regulators", "cut %"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (_, out, _) = run(folder.path(), &[&load[..], &["--json"]].concat());
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((json["payload"].as_f64(), json["known_payload"].as_f64()), (Some(1.0), Some(0.8)));
    assert_eq!((json["delay"].as_u64(), json["bandwidth_hz"].as_f64()), (Some(1), Some(12.0)));
    // Twelve bits are too few for this bandwidth: joints that stand are no rest while the motors hammer.
    let (_, out, _) = run(folder.path(), &[&load[..], &["--encoder-bits", "12", "--delay", "2"]].concat());
    assert!(out.contains("motor torque oscillates"), "{out}");
    // Far beyond the limits.
    let (_, out, _) = run(folder.path(), &["d3-1200", "--cycle", "0.3", "--law", "feedforward"]);
    assert!(out.contains("asks for more") && out.contains("its limit 80 N m"), "{out}");
    // One way is no cycle.
    let (_, out, _) = run(folder.path(), &["d3-1200", "--path", "line:-0.1,0,-0.9/0.1,0,-0.9"]);
    assert!(out.contains("one way") && !out.contains("per minute"), "{out}");
}

/// That one law of several loses the motion is a result; that all do is a failure, and what there is of them is kept.
#[test]
fn all_laws_may_lose_the_motion() {
    let folder = tempfile::tempdir().unwrap();
    let lost = ["d3-1200", "--payload", "20kg", "--known-payload", "0", "--cycle", "0.2", "--out", "lost.csv"];
    let (code, out, error) = run(folder.path(), &[&lost[..], &["--compare", "pd,computed-torque"]].concat());
    assert!(code == Some(1) && error.contains("ended early"), "{out}{error}");
    let text = fs::read_to_string(folder.path().join("lost.csv")).unwrap();
    assert!(text.lines().count() > 10 && !text.contains("NaN"), "{text}");
}

/// Everything that an experiment can say about a robot with faults.
const FAULTY: &str = r#"# The controller assumes a payload of 0.8 kg, but the robot carries 1 kg; it has a coarse encoder and a slow bus, and somebody pushes it.
kind = "experiment"
name = "wrong payload"
robot = "d3-1200"

[motion]
path = "pick-and-place"
cycle = "500 ms"
cycles = 2

[plant]
payload = "1 kg"
friction = { viscous = 0.05, coulomb = 0.3, static = 0.4, smoothing_velocity = 0.02 }

[controller]
laws = ["feedforward", "computed-torque"]
payload = "0.8 kg"
knows_friction = false

[sampling]
delay = 2

[encoder]
bits = 12
velocity = "observer"
observer_bandwidth = 100                 # Hz

[[push]]
start = "300 ms"
duration = "20 ms"
force = ["30 N", 0, 0]
"#;

#[test]
fn mistakes_in_experiments_are_located() {
    let text = FAULTY;
    let folder = tempfile::tempdir().unwrap();
    let broken = |from: &str, to: &str, parts: &[&str]| {
        assert!(text.contains(from), "{from}");
        let path = folder.path().join("trial.toml");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        bad(1, &[path.to_str().unwrap()], parts);
    };
    broken("cycles = 2", "cycels = 2", &["unknown key `cycels` in [motion]", "did you mean `cycles`?"]);
    broken(
        "\"pick-and-place\"",
        "\"door\"",
        &["line 7", "no motion is called `door`", "did you mean `pick-and-place`?"],
    );
    broken(
        "cycles = 2",
        "ratio = 2\nprofile = \"parabolic\"",
        &["line 9", "a ratio does not go with the profile parabolic"],
    );
    broken(
        "\"pick-and-place\"",
        "\"pick-and-place\"\nprofile = \"parabolc\"",
        &["line 8", "did you mean \"parabolic\"?"],
    );
    broken("\"pick-and-place\"", "\"circle\"\nheight = 1", &["line 8", "`circle` has no height"]);
    broken("\"pick-and-place\"", "\"line:0,0,-0.9/0,1\"", &["line 7", "point 2, `0,1`, has 2 numbers, but needs 3"]);
    broken("\"pick-and-place\"", "\"pick-and-place\"\nshare = 0.5", &["line 8", "here the time is given"]);
    broken(
        "\"pick-and-place\"",
        "\"pick-and-place\"\ndirection = [0, 1, 1]",
        &["line 7", "must be horizontal, but rises by 0.70"],
    );
    broken("\"pick-and-place\"", "\"circle\"\ndirection = \"y\"", &["line 8", "has no direction"]);
    broken("velocity = \"observer\"\n", "", &["no observer that has a bandwidth"]);
    broken("knows_friction = false", "stiffness = \"4 kN/m\"", &["`controller.stiffness` is of no use", "impedance"]);
    broken("knows_friction = false", "bandwidth = \"12 rad/s\"", &["an angular speed, but a frequency is needed"]);
    broken("[\"feedforward\", \"computed-torque\"]", "[]", &["there is no control law"]);
    broken("bits = 12", "bits = 64", &["64 bits"]);
    broken("\"pick-and-place\"", "\"pick-and-place\"\ndirection = \"north\"", &["line 8", "an angle from x"]);
    broken("\"0.8 kg\"", "\"0.8 m\"", &["a mass is needed"]);
    broken("\"computed-torque\"]", "\"computed-torqe\"]", &["no control law `computed-torqe`", "`computed-torque`"]);
    broken("delay = 2", "delay = 2.5", &["whole number"]);
    broken("robot = \"d3-1200\"", "robot = \"d4\"", &["no robot and no file is called `d4`"]);
    broken("start = \"300 ms\"\n", "", &["`start`"]);
    broken("cycle = \"500 ms\"", "cycle = 0", &["must be positive"]);
}

fn experiment(name: &str) -> String {
    root().join("experiments").join(name).display().to_string()
}

/// Two Deltas with one object: the summary, files and report of every other run, and the squeeze.
#[test]
fn two_deltas_carry_one_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = experiment("two-deltas-carry.toml");
    let (code, out, error) = run(folder.path(), &[&file]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{out}");
    for part in
        ["d3-1200 and d3-1200", "semi-ellipse 300 × 50 mm", "cartesian", "squeeze", "(15, 0, 0) N", "came to rest"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.starts_with("<!doctype html>") && report.contains("squeeze"));
    // Both bases, both platforms and the object between them are drawn.
    assert_eq!(report.matches("\"role\":\"base\"").count(), 2);
    let (code, out, _) = run(folder.path(), &[&file, "--json", "-o", "run.csv", "--known-payload", "1.2kg"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    let of = |key: &str| json["runs"][0].pointer(key).and_then(Value::as_f64).unwrap();
    assert_eq!((code, json["runs"][0]["torque_peak"].as_array().unwrap().len()), (Some(0), 6));
    assert!(of("/squeeze/error_max") > 0.0 && of("/error_max") < 1e-3);
    let table = fs::read_to_string(folder.path().join("run.csv")).unwrap();
    let header = table.lines().next().unwrap();
    assert!(header.ends_with("power6,squeeze_x,squeeze_y,squeeze_z,squeeze_error") && header.contains(",tau6,"));
    for (options, message) in [
        (vec!["--law", "pd"], "the control law `pd` does not apply"),
        (vec!["--free"], "--free is for one robot"),
        (vec!["--center", "0.6,0,-0.85"], "carrier 1 cannot reach its grip at"),
        (vec!["--profile", "time-optimal"], "the profile time-optimal does not go with an object"),
        (vec!["--payload", "-1"], "the object would weigh -1 kg"),
    ] {
        let (code, _, error) = run(folder.path(), &[&[file.as_str()], &options[..]].concat());
        assert!(code == Some(1) && error.contains(message), "{options:?}: {error}");
    }
}

/// What `trajectory` writes, `simulate` follows: with rows at the samples the same run to the last digits.
#[test]
fn a_motion_from_a_file_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let written = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
        command.arg("trajectory").args(arguments).args(["-o", "m.csv"]).current_dir(folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let error_max = |arguments: &[&str]| {
        let (code, out, error) = run(folder.path(), &[arguments, &["--json"]].concat());
        assert_eq!(code, Some(0), "{arguments:?}: {error}");
        serde_json::from_str::<Value>(&out).unwrap()["runs"][0]["error_max"].as_f64().unwrap()
    };
    let line = "line:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0";
    for (robot, motion) in [
        ("d3-1200", &["--path", "semi-ellipse", "--cycle", "500ms"][..]),
        ("puma560", &["--path", line, "--cycle", "1"]),
    ] {
        written(&[&[robot], motion].concat());
        let (direct, file) = (error_max(&[&[robot], motion].concat()), error_max(&[robot, "--motion", "m.csv"]));
        assert!((direct - file).abs() < 1e-9 * direct, "{robot}: {direct} {file}");
    }
    // The last one is the arm's.
    for (arguments, message) in [
        (vec!["d3-1200", "--motion", "m.csv"], "m.csv: there is a column `q4`, but the robot has 3 joints"),
        (vec!["puma560", "--motion", "m.csv", "--cycle", "1"], "--cycle does not go with m.csv"),
        (vec!["puma560", "--motion", "none.csv"], "none.csv: cannot be read"),
        (vec!["puma560", "--motion", "m.csv", "--cycles", "3"], "cannot be repeated"),
    ] {
        let (code, _, error) = run(folder.path(), &arguments);
        assert!(code == Some(1) && error.contains(message), "{arguments:?}: {error}");
    }
    let text = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let wrong = [&lines[..20], &[lines[25], lines[22]], &lines[26..]].concat().join("\n");
    fs::write(folder.path().join("m.csv"), wrong).unwrap();
    let (code, _, error) = run(folder.path(), &["puma560", "--motion", "m.csv"]);
    assert!(code == Some(1) && error.contains("line 22, column `t`: the time is 0.021"), "{error}");
}

/// What does not come to rest is named, with how far and how often; and a longer hold is to be had.
#[test]
fn restlessness_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let json = |arguments: &[&str]| -> Value {
        let (code, out, error) = run(folder.path(), &[&["d3-1200", "--json"], arguments].concat());
        assert_eq!(code, Some(0), "{error}");
        serde_json::from_str(&out).unwrap()
    };
    // So wild that the drives give up.
    let (code, _, error) = run(folder.path(), &["d3-1200", "--bandwidth", "500"]);
    assert!(code == Some(1) && error.contains("exceeds the limit of the drive"), "{error}");
    let wild = json(&["--bandwidth", "300"]);
    let saturated = &wild["runs"][0];
    assert_eq!(saturated["rest"], "saturation", "{saturated}");
    assert!(saturated["unrest"]["cut"].as_f64().is_some_and(|share| share > 0.9), "{saturated}");
    let cycle = json(&["--bandwidth", "60", "--hold", "0.3"]);
    let (cycle, hold) = (&cycle["runs"][0], &cycle["hold"]);
    assert_eq!((hold.as_f64(), cycle["rest"].as_str()), (Some(0.3), Some("limit cycle")), "{cycle}");
    assert!(cycle["unrest"]["frequency"].as_f64().is_some_and(|hertz| (hertz - 77.0).abs() < 3.0), "{cycle}");
    assert!(cycle["unrest"]["by"].as_f64().is_some_and(|by| (0.002..0.01).contains(&by)), "{cycle}");
    assert!(cycle["verdict"].as_str().is_some_and(|text| text.contains("limit cycle") && text.contains("Hz")));
    // A usual run rests, though its motors work by a fraction of a newton metre.
    let calm = json(&["--hold", "500ms"]);
    assert_eq!(calm["runs"][0]["rest"], "settled", "{calm}");
    assert_eq!(calm["runs"][0]["joint_error_peak"].as_array().map(Vec::len), Some(3));
    bad(1, &["d3-1200", "--encoder-bits", "99"], &["more than any encoder has", "at most 40"]);
    bad(1, &["d3-1200", "--hold=-1"], &["--hold"]);
}
