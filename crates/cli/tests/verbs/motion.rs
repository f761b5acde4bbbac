//! `trajectory`, `size` and `cycle` from outside: files, pipes, JSON, and every mistake with its message.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalembert"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = run(here(), &[arguments, &["--json"]].concat());
    assert_eq!((code, error.as_str()), (Some(0), ""));
    serde_json::from_str(&out).unwrap()
}

/// Header and numbers of a CSV text.
fn table(text: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').collect();
    (header, lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

#[test]
fn a_motion_goes_to_all_kinds_of_files_and_through_torque_to_the_same_torques() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["--out", "m.csv", "--gcode", "m.ngc", "--plot", "m.svg"];
    let (code, out, error) =
        run(folder.path(), &[&["trajectory", "d3-1200", "--duration", "0.3"][..], &files].concat());
    assert_eq!((code, error.as_str()), (Some(0), ""));
    for part in ["duration            0.6 s", "per minute          100", "m.ngc", "m.svg"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let text = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    let (header, rows) = table(&text);
    let expected = "t,x,y,z,vx,vy,vz,ax,ay,az,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3,tau1,tau2,tau3";
    assert_eq!(header.join(","), expected);
    assert_eq!((rows.len(), rows[600][0]), (601, 0.6));
    assert!(fs::read_to_string(folder.path().join("m.ngc")).unwrap().contains("G93\nG1 X"));
    assert!(fs::read_to_string(folder.path().join("m.svg")).unwrap().starts_with("<svg"));
    // The verb `torque` computes the same.
    let (code, again, error) = run(folder.path(), &["torque", "d3-1200", "--input", "m.csv"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let (_, others) = table(&again);
    for (row, other) in rows.iter().zip(&others) {
        for i in 0..22 {
            assert!((row[i] - other[i]).abs() < 1e-9 * (1.0 + row[i].abs()), "column {i}");
        }
    }
    // And `size` takes the file.
    let sized = run(folder.path(), &["size", "d3-1200", "--motion", "m.csv", "--json"]);
    let direct = json(&["size", "d3-1200", "--duration", "0.3", "--profile", "sine-on-ramp"]);
    let sized: Value = serde_json::from_str(&sized.1).unwrap();
    let peak = |v: &Value| v["groups"][0]["combinations"][4]["criteria"][0]["needed"].as_f64().unwrap();
    assert!((peak(&sized) / peak(&direct) - 1.0).abs() < 1e-2);
    // The same rows on standard output, and nothing else there.
    let (_, out, _) = run(folder.path(), &["trajectory", "d3-1200", "--duration", "0.3", "--out", "-"]);
    assert_eq!(out, text);
}

/// Whatever it takes, the rows of a motion are equally far apart and the last one is at rest where it ends.
#[test]
fn rows_of_a_motion_have_equal_steps_and_end_at_rest() {
    for (robot, more) in [
        ("d3-1200", vec!["--duration", "0.3004"]),
        ("d3-1200", vec!["--profile", "parabolic", "--every", "1 ms"]),
        ("d3-1200", vec!["--profile", "time-optimal", "--every", "2 ms"]),
        ("puma560", vec!["--every", "7 ms"]),
        ("../../robots/d3-1200-fourth-axis-assumed.toml", vec!["--duration", "0.7777"]),
    ] {
        let (code, out, error) = run(here(), &[&["trajectory", robot, "--out", "-"][..], &more].concat());
        assert_eq!(code, Some(0), "{error}");
        let (header, rows) = table(&out);
        let step = rows[1][0];
        for (k, row) in rows.iter().enumerate() {
            assert!((row[0] - k as f64 * step).abs() < 1e-12, "{robot}: row {k} at {} s", row[0]);
        }
        let (last, before) = (&rows[rows.len() - 1], &rows[rows.len() - 2]);
        for (i, name) in header.iter().enumerate() {
            let rate =
                name.starts_with('v') || name.starts_with("qd") || name.starts_with("cd") || name.starts_with('a');
            if rate {
                assert!(last[i].abs() < 1e-9, "{robot}: {name} is {} at the end", last[i]);
            }
            if name.starts_with('q') && !name.starts_with("qd") {
                assert!((last[i] - before[i]).abs() < 0.02, "{robot}: {name} jumps at the end");
            }
        }
    }
}

#[test]
fn the_fastest_motion_has_a_limit_active_and_smoothing_has_its_price() {
    let fastest = json(&["trajectory", "d3-1200", "--profile", "time-optimal"]);
    assert!(fastest["limit_active"].as_f64().unwrap() > 0.98);
    for joint in fastest["joints"].as_array().unwrap() {
        assert!(joint["peak_torque"].as_f64().unwrap() <= 80.0 * 1.001);
    }
    let smooth = json(&["trajectory", "d3-1200", "--profile", "time-optimal", "--smoothing", "10ms"]);
    assert_eq!(smooth["unsmoothed"], fastest["unsmoothed"]);
    assert!(smooth["duration"].as_f64() > fastest["duration"].as_f64());
}

/// The picture in docs/motion.md is what the command it names draws. After a wanted change: that command into docs/images.
#[test]
fn the_fastest_motion_is_drawn_as_it_is() {
    let (code, plot, error) = run(here(), &["trajectory", "d3-1200", "--profile", "time-optimal", "--plot", "-"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let stored = fs::read_to_string(here().join("../../docs/images/motion-fastest.svg")).unwrap();
    assert!(plot == stored, "docs/images/motion-fastest.svg is stale");
}

/// 250 mm above 3 Hz (Codourey 1998, section 5.2): the semi-ellipse forth and back by a sine on ramp.
#[test]
fn codoureys_pick_and_place_is_faster_than_3_hz() {
    let smooth = json(&["trajectory", "d3-1200", "--path", "semi-ellipse"]);
    let fastest = json(&["trajectory", "d3-1200", "--path", "semi-ellipse", "--profile", "time-optimal"]);
    let rate = |v: &Value| 1.0 / v["duration"].as_f64().unwrap();
    assert!(rate(&smooth) > 3.0 && rate(&fastest) > rate(&smooth), "{} {}", rate(&smooth), rate(&fastest));
}

#[test]
fn arms_move_in_their_joints() {
    let path = ["--path", ARM];
    let folder = tempfile::tempdir().unwrap();
    let (code, out, error) = run(
        folder.path(),
        &[&["trajectory", "puma560", "--profile", "time-optimal", "--out", "-"][..], &path].concat(),
    );
    // The file of the PUMA has a warning of its own (Armstrong's measured link 3), which only `check` reports.
    assert!(code == Some(0) && !error.contains("warning: puma560, line"), "{error}");
    let (header, rows) = table(&out);
    assert_eq!((header.len(), header[1], header[24]), (25, "q1", "tau6"));
    // Origin plus length times direction: a few roundings.
    assert!(rows[0][1] == 0.0 && (rows.last().unwrap()[1] - 0.8).abs() < 4.0 * f64::EPSILON);
    let (_, told, _) =
        run(folder.path(), &[&["trajectory", "puma560", "--profile", "time-optimal", "--json"][..], &path].concat());
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(told["limit_active"].as_f64().unwrap() > 0.98);
    let half =
        [&["trajectory", "puma560", "--profile", "time-optimal", "--share", "0.5", "--json"][..], &path].concat();
    let half: Value = serde_json::from_str(&run(folder.path(), &half).1).unwrap();
    assert!(half["duration"].as_f64().unwrap() > 1.1 * told["duration"].as_f64().unwrap());
}

/// Its tool along a path, to all kinds of files, and back through `torque` to the same torques.
#[test]
fn arms_move_their_tool() {
    let folder = tempfile::tempdir().unwrap();
    let motion = ["trajectory", "puma560", "--path", "semi-ellipse", "--profile", "time-optimal", "--payload", "1"];
    let files = ["--out", "m.csv", "--gcode", "m.ngc", "--plot", "m.svg", "--json"];
    let (code, out, _) = run(folder.path(), &[&motion[..], &files].concat());
    assert_eq!(code, Some(0));
    let told: Value = serde_json::from_str(&out).unwrap();
    assert!(
        told["limit_active"].as_f64().unwrap() > 0.98 && told["violations"].as_array().unwrap().len() < 2,
        "{told}"
    );
    let text = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    let (header, rows) = table(&text);
    assert_eq!((header.len(), header[1], header[9], header[10], header[33]), (34, "x", "az", "q1", "tau6"));
    let gcode = fs::read_to_string(folder.path().join("m.ngc")).unwrap();
    assert!(gcode.contains("(tool, kept turned as it is, mm;") && gcode.contains(&format!("X{:.6}", 1e3 * rows[0][1])));
    // `fk` finds the tool where the path has it, `torque` the torques of the motion but for the payload's.
    let (code, again, error) = run(folder.path(), &["fk", "puma560", "--input", "m.csv"]);
    assert_eq!(code, Some(0), "{error}");
    let (names, others) = table(&again);
    let column = |name: &str| names.iter().position(|other| *other == name).unwrap();
    for (row, other) in rows.iter().zip(&others) {
        for (i, name) in ["x", "y", "z", "vx", "vy", "vz"].into_iter().enumerate() {
            // The text has all digits; speeds have gone through the inverse of the Jacobian.
            assert!((row[1 + i] - other[column(name)]).abs() < 1e-9, "{name}: {} {}", row[1 + i], other[column(name)]);
        }
    }
    let empty = ["trajectory", "puma560", "--path", "semi-ellipse", "--duration", "1", "--out", "e.csv"];
    assert_eq!(run(folder.path(), &empty).0, Some(0));
    let (code, again, error) = run(folder.path(), &["torque", "puma560", "--input", "e.csv"]);
    assert_eq!(code, Some(0), "{error}");
    let text = fs::read_to_string(folder.path().join("e.csv")).unwrap();
    for (row, other) in table(&text).1.iter().zip(&table(&again).1) {
        for i in 28..34 {
            assert!((row[i] - other[i]).abs() < 1e-9 * (1.0 + row[i].abs()), "column {i}");
        }
    }
    // A limit of the jerk, with its price.
    let smooth = json_beside_warnings(&[&motion[..], &["--jerk", "500"]].concat());
    assert!(smooth["peak_jerk"].as_f64().unwrap() <= 500.0 * (1.0 + 1e-9));
    assert!(smooth["duration"].as_f64() > told["duration"].as_f64() && smooth["unsmoothed"] == told["unsmoothed"]);
}

/// The file of the PUMA has a warning of its own.
fn json_beside_warnings(arguments: &[&str]) -> Value {
    let (code, out, error) = run(here(), &[arguments, &["--json"]].concat());
    assert_eq!(code, Some(0), "{error}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn each_joint_of_an_arm_has_its_motor() {
    let told = json_beside_warnings(&["size", "puma560", "--cycle", "2"]);
    let joints = told["groups"].as_array().unwrap();
    assert_eq!((joints.len(), joints[5]["joints"][0].as_u64()), (6, Some(6)));
    assert_eq!(told["suffices"].as_bool(), Some(joints.iter().all(|joint| joint["suffices"] == true)));
    let folder = tempfile::tempdir().unwrap();
    let write = ["trajectory", "puma560", "--cycle", "2", "--profile", "minimum-torque", "--out", "m.csv"];
    assert_eq!(run(folder.path(), &write).0, Some(0));
    let (code, out, _) = run(folder.path(), &["size", "puma560", "--motion", "m.csv", "--json"]);
    assert_eq!(code, Some(0));
    let again: Value = serde_json::from_str(&out).unwrap();
    let rms = |v: &Value, i: usize| v["groups"][i]["combinations"][0]["criteria"][1]["needed"].as_f64().unwrap();
    for i in 0..6 {
        // 2000 rows against 4000 samples of a motion whose torques jump.
        assert!((rms(&told, i) / rms(&again, i) - 1.0).abs() < 1e-2, "joint {}", i + 1);
    }
    let (_, out, _) = run(here(), &["size", "puma560", "--path", "pick-and-place", "--cycle", "2"]);
    assert!(
        out.contains("Which combination suffices for which joint") && out.contains("AKM44G with gear 1:50"),
        "{out}"
    );
}

#[test]
fn a_map_of_an_arm_has_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let map = ["cycle", "puma560", "--profile", "3-4-5", "--count", "3", "--half-width", "0.5", "--out", "m.csv"];
    let (code, out, error) = run(folder.path(), &map);
    assert!(code == Some(0) && out.contains("fastest: "), "{error}");
    let text = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    assert!(text.lines().count() == 10 && text.contains("the path at s = "), "{text}");
}

#[test]
fn motors_are_judged() {
    let empty = json(&["size", "d3-1200", "--cycles-per-minute", "150"]);
    assert_eq!(
        (empty["suffices"].as_bool(), empty["groups"][0]["best"].as_str()),
        (Some(true), Some("AKM44G with gear 1:25"))
    );
    assert!((empty["duration"].as_f64().unwrap() - 0.4).abs() < 1e-9);
    let (_, out, _) = run(here(), &["size", "d3-1200", "--cycles-per-minute", "150", "--payload", "4"]);
    assert!(out.contains("\nYes: AKM44G with gear 1:50, +5"), "{out}");
    let (_, out, _) = run(here(), &["size", "d3-1200", "--cycles-per-minute", "300", "--payload", "4"]);
    assert!(out.contains("\nNo motor is sufficient. The best: AKM44G"), "{out}");
    // The robot's own drives could not.
    assert!(out.contains("Beyond the robot file: torque of joint") && out.contains("80 N m"), "{out}");
    let (_, out, _) = run(here(), &["size", "d3-1200", "--path", "line:-0.1,0,-0.9/0.1,0,-0.9", "--duration", "0.2"]);
    assert!(out.contains("one way: it ends 0.2 m") && !out.contains("a minute"), "{out}");
}

/// No motor helps a joint that cannot go there, and none is chosen for numbers that do not belong together.
#[test]
fn motions_are_judged_before_motors() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(here().join("../../robots/d3-1200.toml")).unwrap();
    fs::write(folder.path().join("narrow.toml"), text.replace("[\"-60 deg\", \"95 deg\"]", "[\"30 deg\", \"95 deg\"]"))
        .unwrap();
    let order = ["size", "narrow.toml", "--center", "0,0,-0.85", "--cycle", "0.6", "--profile", "sine-on-ramp"];
    let (code, out, _) = run(folder.path(), &order);
    assert!(
        code == Some(0) && out.contains("\nNo: the motion is not for this robot") && out.contains("its lower limit 30")
    );
    let mut frozen = String::from("t,x,y,z,vx,vy,vz,ax,ay,az\n");
    for k in 0..=20 {
        frozen += &format!("{},{},0,-0.9,0,0,0,0,0,0\n", 0.01 * f64::from(k), 0.01 * f64::from(k));
    }
    fs::write(folder.path().join("frozen.csv"), frozen).unwrap();
    let (code, _, error) = run(folder.path(), &["size", "d3-1200", "--motion", "frozen.csv"]);
    assert!(code == Some(1) && error.contains("line 3, column `x`: it moves by 0.01 since"), "{error}");
    assert!(error.contains("say 0: the columns do not belong together"), "{error}");
    fs::write(folder.path().join("one.csv"), "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0,0,-0.9,0,0,0,0,0,0\n").unwrap();
    let (code, _, error) = run(folder.path(), &["size", "d3-1200", "--motion", "one.csv"]);
    assert!(code == Some(1) && error.contains("a motion needs two rows or more"), "{error}");
}

/// A robot of 45 and 110 mm: every verb has a motion that fits it, and tables show more than zeros.
#[test]
fn small_robots_need_no_options() {
    let folder = tempfile::tempdir().unwrap();
    let robot = r#"
kind = "delta"
name = "small"
[base]
radius = "40 mm"
[upper_arm]
length = "45 mm"
mass = "20 g"
center_of_mass = "22 mm"
inertia = "3.5e-6 kg m^2"
[forearm]
length = "110 mm"
mass = "10 g"
[platform]
radius = "20 mm"
mass = "15 g"
[motor]
rotor_inertia = "1e-6 kg m^2"
gear_ratio = 1
max_torque = "0.2 N m"
max_speed = "60 rad/s"
friction = { viscous = 1e-4, coulomb = 0.005 }
[joints]
range = ["-50 deg", "90 deg"]
max_ball_angle = "60 deg"
"#;
    fs::write(folder.path().join("small.toml"), robot).unwrap();
    for arguments in [
        &["trajectory", "small.toml"][..],
        &["trajectory", "small.toml", "--profile", "time-optimal"],
        &["trajectory", "small.toml", "--path", "circle"],
        &["trajectory", "small.toml", "--path", "conveyor"],
        &["trajectory", "small.toml", "--path", "falezza-center"],
        &["trajectory", "small.toml", "--path", "falezza-limits"],
        &["simulate", "small.toml"],
        &["compare", "small.toml"],
        &["cycle", "small.toml", "--count", "3"],
        &["size", "small.toml", "--cycle", "0.3"],
    ] {
        let (code, out, error) = run(folder.path(), arguments);
        assert!(code == Some(0), "{arguments:?}: {error}");
        // The usual size stands nowhere but where the line says that it was made smaller.
        let mut lines = out.lines().filter(|line| !line.contains("instead of"));
        let usual = lines.find(|line| ["/305/", "305 mm", "300 × ", "500 mm"].iter().any(|size| line.contains(size)));
        assert_eq!(usual, None, "{arguments:?}: {out}");
    }
    let (_, out, _) = run(folder.path(), &["trajectory", "small.toml", "--json"]);
    let motion: Value = serde_json::from_str(&out).unwrap();
    let torque = motion["joints"][0]["rms_torque"].as_f64().unwrap();
    let (_, out, _) = run(folder.path(), &["trajectory", "small.toml"]);
    let digits = |x: f64| dalembert::report::text::human(x, 4);
    assert!(torque > 0.0 && out.contains(&digits(torque)), "{torque}: {out}");
}

/// One's own motion: rounded, positions alone, points to go through, other units.
#[test]
fn motions_of_ones_own_are_smoothed_or_named_by_their_unit() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, head: &str, row: &dyn Fn(f64) -> String| {
        let rows: Vec<String> = (0..=300).map(|k| row(f64::from(k) / 300.0)).collect();
        fs::write(folder.path().join(name), format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    };
    // 3-4-5 polynomial over 0.2 m in 0.3 s.
    let x = |y: f64| 0.2 * y * y * y * (10.0 - 15.0 * y + 6.0 * y * y) - 0.1;
    let v = |y: f64| 0.2 / 0.3 * 30.0 * (y * (1.0 - y)).powi(2);
    let a = |y: f64| 0.2 / 0.09 * 60.0 * y * (1.0 - y) * (1.0 - 2.0 * y);
    let full = "t,x,y,z,vx,vy,vz,ax,ay,az";
    write("rounded.csv", full, &|y| format!("{},{:.4},0,-0.9,{},0,0,{},0,0", 0.3 * y, x(y), v(y), a(y)));
    write("alone.csv", "t,x,y,z", &|y| format!("{},{:.4},0,-0.9", 0.3 * y, x(y)));
    write("ms.csv", full, &|y| format!("{},{},0,-0.9,{},0,0,{},0,0", 300.0 * y, x(y), v(y), a(y)));
    write("mm.csv", full, &|y| format!("{},{},0,-900,{},0,0,{},0,0", 0.3 * y, 1e3 * x(y), v(y), a(y)));
    write("all-mm.csv", "t,x,y,z", &|y| format!("{},{:.1},0,-900", 0.3 * y, 1e3 * x(y)));
    fs::write(folder.path().join("points.csv"), "x,y,z\n-0.1,0,-0.9\n-0.1,0,-0.87\n0.1,0,-0.87\n0.1,0,-0.9\n").unwrap();
    for name in ["rounded.csv", "alone.csv"] {
        let (code, out, error) = run(folder.path(), &["trajectory", "d3-1200", "--path", name, "--json"]);
        assert!(code == Some(0) && error.contains("smoothed, at most 0.0"), "{name}: {error}");
        let motion: Value = serde_json::from_str(&out).unwrap();
        // 15/8 and 10/√3 of the mean; rows at 1 ms that are off by 0.05 mm would have 50 m/s² of noise.
        for (key, known, off) in
            [("peak_speed", 1.25, 0.001), ("peak_acceleration", 12.83, 0.005), ("duration", 0.3, 1e-9)]
        {
            let found = motion[key].as_f64().unwrap();
            assert!((found - known).abs() <= off * known, "{name}, {key}: {found}");
        }
        for verb in [&["size", "d3-1200", "--motion", name][..], &["simulate", "d3-1200", "--motion", name]] {
            let (code, out, error) = run(folder.path(), verb);
            assert!(code == Some(0) && (out + &error).contains("smoothed, at most"), "{verb:?}: {error}");
        }
    }
    for (name, hint) in [
        ("ms.csv", "the times were milliseconds"),
        ("mm.csv", "the positions were millimetres"),
        ("all-mm.csv", "millimetres?"),
    ] {
        let (code, _, error) = run(folder.path(), &["trajectory", "d3-1200", "--path", name]);
        assert!(code == Some(1) && error.contains(hint), "{name}: {error}");
    }
    let points = ["trajectory", "d3-1200", "--path", "points.csv", "--acceleration", "20", "--json"];
    let (code, out, error) = run(folder.path(), &points);
    assert!(code == Some(0), "{error}");
    let motion: Value = serde_json::from_str(&out).unwrap();
    let acceleration = motion["peak_acceleration"].as_f64().unwrap();
    assert!((acceleration - 20.0).abs() < 0.02, "{acceleration}");
    // Points take every option of a motion, and it is told how far they are passed: 3/16 · 20 mm · √2.
    for verb in [
        &[
            "trajectory",
            "d3-1200",
            "--path",
            "points.csv",
            "--joint-acceleration",
            "20000 deg/s^2",
            "--profile",
            "3-4-5",
        ][..],
        &["size", "d3-1200", "--path", "points.csv", "--cycle", "0.5"],
        &["simulate", "d3-1200", "--path", "points.csv", "--speed", "0.5"],
    ] {
        let (code, out, error) = run(folder.path(), verb);
        let told = (out + &error).contains("its corners are blended, at most 5.3 mm from its points");
        assert!(code == Some(0) && told, "{verb:?}: {error}");
    }
}

/// Positions alone, in rows of 1 and of 10 ms, whole millimetres and tenths of them; and three of them.
#[test]
fn positions_alone_are_smoothed_by_no_more_than_their_rounding() {
    let folder = tempfile::tempdir().unwrap();
    let trajectory = |rows: u32, decimals: usize, x: &dyn Fn(f64) -> f64| {
        let row = |k: u32| {
            let y = f64::from(k) / f64::from(rows);
            format!("{},{:.decimals$},0,-0.9", 0.3 * y, x(y))
        };
        let all: Vec<String> = (0..=rows).map(row).collect();
        fs::write(folder.path().join("own.csv"), format!("t,x,y,z\n{}\n", all.join("\n"))).unwrap();
        run(folder.path(), &["trajectory", "d3-1200", "--path", "own.csv", "--json"])
    };
    let polynomial = |y: f64| 0.2 * y * y * y * (10.0 - 15.0 * y + 6.0 * y * y) - 0.1;
    let cycloid = |y: f64| 0.2 * (y - (std::f64::consts::TAU * y).sin() / std::f64::consts::TAU) - 0.1;
    for (name, x, peak) in [("polynomial", &polynomial as &dyn Fn(f64) -> f64, 12.83), ("cycloid", &cycloid, 13.963)] {
        for (rows, decimals, off) in [(300, 4, 0.01), (30, 4, 0.01), (300, 3, 0.03), (30, 3, 0.04), (300, 12, 1e-3)] {
            let what = format!("{name}, {rows} rows, {decimals} decimals");
            let (code, out, error) = trajectory(rows, decimals, x);
            assert!(code == Some(0), "{what}: {error}");
            let motion: Value = serde_json::from_str(&out).unwrap();
            let found = motion["peak_acceleration"].as_f64().unwrap();
            assert!((found - peak).abs() < off * peak, "{what}: {found}");
            let told = error.split("at most ").nth(1).and_then(|text| text.split(' ').next()).unwrap();
            let told: f64 = told.parse().unwrap_or_else(|_| panic!("{what}: {error}"));
            // Half of the last decimal, and what the smooth motion is off by.
            assert!(told < 0.7 * 1e3 * 10_f64.powi(-(decimals as i32)) + 1e-6, "{what}: {told} mm");
        }
    }
    // A coordinate that is only rounding has no speed.
    let rows = (0..=300)
        .map(|k| f64::from(k) / 300.0)
        .map(|y| format!("{},{:.9},{:e},-0.9\n", 0.3 * y, polynomial(y), 1e-17 * (1e3 * y).cos()));
    fs::write(folder.path().join("own.csv"), format!("t,x,y,z\n{}", rows.collect::<String>())).unwrap();
    let (code, _, error) = run(folder.path(), &["trajectory", "d3-1200", "--path", "own.csv"]);
    assert!(code == Some(0), "{error}");
    // Three points with times: passed exactly, with the least jerk.
    let (code, out, error) = trajectory(2, 3, &|y| 0.2 * y - 0.1);
    let motion: Value = serde_json::from_str(&out).unwrap();
    let peak = motion["peak_acceleration"].as_f64().unwrap();
    assert!(code == Some(0) && (peak - 12.83).abs() < 0.02, "{peak}: {error}");
    for (rows, decimals) in [(300, 4), (30, 3), (300, 12)] {
        let (code, _, error) = trajectory(rows, decimals, &|y| 0.2 * y - 0.1);
        assert!(code == Some(1) && error.contains("has to begin and end at rest"), "{error}");
    }
}

/// Limits are those of the tool, with every profile.
#[test]
fn limits_hold_at_the_tool() {
    for profile in ["trapezoidal", "3-4-5", "sine-on-ramp", "double-s", "time-optimal"] {
        let motion = json(&["trajectory", "d3-1200", "--profile", profile, "--acceleration", "50", "--speed", "1.5"]);
        let most = |key: &str| motion[key].as_f64().unwrap();
        assert!(most("peak_acceleration") < 50.0 * 1.001 && most("peak_speed") < 1.5 * 1.001, "{profile}: {motion}");
    }
    let motion = json(&["trajectory", "d3-1200", "--profile", "time-optimal", "--jerk", "5000"]);
    let (jerk, duration) = (motion["peak_jerk"].as_f64().unwrap(), motion["duration"].as_f64().unwrap());
    assert!((jerk - 5000.0).abs() < 5.0, "{jerk}");
    let double_s = json(&["trajectory", "d3-1200", "--profile", "double-s", "--jerk", "5000"]);
    assert!(duration <= double_s["duration"].as_f64().unwrap());
}

/// Dry friction jumps where a joint turns back; the minimum-torque profile is found all the same.
#[test]
fn motors_of_robots_with_dry_friction_are_judged() {
    let robot = here().join("../../robots/direct-drive-assumed.toml");
    for path in ["pick-and-place", "semi-ellipse", "line", "circle"] {
        let order = ["size", robot.to_str().unwrap(), "--cycles-per-minute", "100", "--path", path];
        let (code, out, error) = run(here(), &order);
        assert!(code == Some(0) && out.contains("Yes: "), "{path}: {out}{error}");
    }
}

#[test]
fn a_map_goes_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let map = ["cycle", "d3-1200", "--count", "3", "--half-width", "0.4", "--out", "m.csv", "--plot", "m.svg"];
    let (code, out, error) = run(folder.path(), &map);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.contains("fastest: ") && out.contains("400"), "{out}");
    let text = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    assert_eq!(text.lines().count(), 10);
    assert!(text.starts_with("x,y,z,duration,cycles_per_minute,impossible\n"));
    assert!(fs::read_to_string(folder.path().join("m.svg")).unwrap().ends_with("</svg>\n"));
}

/// A limit whose sign is not the angle's is one too, and no time helps to keep it.
#[test]
fn a_range_above_zero_is_enforced() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(here().join("../../robots/d3-1200.toml")).unwrap();
    fs::write(folder.path().join("narrow.toml"), text.replace("[\"-60 deg\", \"95 deg\"]", "[\"30 deg\", \"95 deg\"]"))
        .unwrap();
    let motion = ["trajectory", "narrow.toml", "--center", "0,0,-0.85", "--duration", "0.3"];
    let (code, _, warning) = run(folder.path(), &motion);
    assert!(code == Some(0) && warning.contains("position of joint 1 is 1.59"), "{warning}");
    let (code, out, error) = run(folder.path(), &[&motion[..], &["--enforce-limits"]].concat());
    assert!(code == Some(1) && out.is_empty() && error.contains("its lower limit 30 deg"), "{error}");
    assert!(error.contains("another --center") && !error.contains("more time"), "{error}");
}

/// A motion of the PUMA 560 in its joints.
const ARM: &str = "line:0,-0.5,0.3,0,0.4,0/0.8,-0.2,0,0.3,0.4,0.2";

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("short.csv"), "t,x,y,z\n0,0,0,-0.9\n").unwrap();
    assert_eq!(run(folder.path(), &["trajectory", "d3-1200", "--out", "m.csv"]).0, Some(0));
    for (arguments, code, parts) in [
        (
            &["trajectory", "d3-1200", "--path", "door"][..],
            1,
            &["no motion is called `door`", "did you mean `pick-and-place`?"][..],
        ),
        (&["trajectory", "d3-1200", "--path", "line:0,0,-0.9"], 1, &["a line has 2 points, here are 1"]),
        (&["trajectory", "d3-1200", "--path", "line:0,0/1,1"], 1, &["`0,0`, has 2 numbers, but needs 3"]),
        (&["trajectory", "d3-1200", "--path", "spiral:0,0,-1"], 1, &["there is no kind `spiral`"]),
        (&["trajectory", "d3-1200", "--path", "line:0,0,-0.9/0.9,0,-0.9"], 1, &["s = 0.", "joint"]),
        (
            &["trajectory", "d3-1200", "--path", "line:0,0,-0.9/0,0,-0.9"],
            1,
            &["points 1 and 2 of the path are the same"],
        ),
        (
            &["trajectory", "d3-1200", "--profile", "parabolic", "--jerk", "3"],
            1,
            &["the acceleration of this profile jumps", "double-s"],
        ),
        (
            &["trajectory", "d3-1200", "--acceleration", "50", "--duration", "0.1"],
            1,
            &["0.1000 s is less than the shortest time", "larger limits"],
        ),
        (
            &["trajectory", "d3-1200", "--profile", "time-optimal", "--duration", "10 ms"],
            1,
            &["less than the shortest time"],
        ),
        (&["trajectory", "d3-1200", "--profile", "minimum-torque"], 1, &["none is given", "--cycle"]),
        (&["trajectory", "d3-1200", "--duration", "0.1", "--enforce-limits"], 1, &["torque of joint 1", "limit 80"]),
        (&["trajectory", "d3-1200", "--out", "a", "--gcode", "a"], 1, &["both go to a"]),
        (&["trajectory", "d3-1200", "--profile", "fast"], 2, &["time-optimal"]),
        (
            &["trajectory", "d3-1200", "--profile", "time-optimal", "--jerk", "3", "--smoothing", "1ms"],
            1,
            &["a limit of the jerk finds the smoothing"],
        ),
        (&["trajectory", "d3-1200", "--orientation", "0,0,0"], 1, &["the platform of a Delta robot does not turn"]),
        (&["trajectory", "puma560", "--path", "door"], 1, &["no motion is called `door`"]),
        (&["trajectory", "puma560", "--gcode", "f.ngc"], 1, &["G-code moves a point", "path of the tool"]),
        (
            &["trajectory", "puma560", "--path", "line:0.4,0,0.2/1.4,0,0.2"],
            1,
            &["the path at s = 0.", "too far from the shoulder", "most room about"],
        ),
        (
            &["trajectory", "puma560", "--path", "pick-and-place", "--posture", "up"],
            1,
            &["--posture: `up` is not a posture"],
        ),
        (&["trajectory", "puma560", "--path", "pick-and-place", "--orientation", "1,2"], 1, &["three angles", "has 2"]),
        (&["size", "puma560", "--motion", "short.csv"], 1, &["no column `roll`", "wdz"]),
        (&["cycle", "puma560", "--path", "swing"], 1, &["by name"]),
        (&["trajectory", "puma560", "--path", "line:0,0/1,1"], 1, &["has 2 numbers, but needs 6"]),
        (&["size", "d3-1200", "--motors", "none.toml"], 1, &["cannot read none.toml"]),
        (&["size", "d3-1200", "--motion", "short.csv"], 1, &["a motion needs two rows or more"]),
        (&["size", "d3-1200", "--payload", "-1"], 1, &["payload.mass"]),
        (&["cycle", "d3-1200", "--path", "line:0,0,-0.9/0.1,0,-0.9"], 1, &["by name"]),
        (&["cycle", "d3-1200", "--cycle", "1"], 1, &["shortest cycles"]),
        (&["cycle", "d3-1200", "--profile", "minimum-torque"], 1, &["for a given time"]),
        (&["cycle", "d3-1200", "--path", "circle", "--direction", "y"], 1, &["no direction"]),
        // What would have no effect is refused.
        (&["trajectory", "puma560", "--path", ARM, "--center", "1,2,3"], 1, &["--center is for paths of the tool"]),
        (&["trajectory", "puma560", "--path", ARM, "--direction", "y"], 1, &["--direction is for paths of the tool"]),
        (&["trajectory", "puma560", "--path", ARM, "--branch", "in"], 1, &["--branch is for paths of the tool"]),
        (&["trajectory", "puma560", "--path", ARM, "--width", "0.5"], 1, &["--width is for paths of the tool"]),
        (
            &["trajectory", "puma560", "--posture", "front,positive,positive"],
            1,
            &["--posture is for paths of the tool"],
        ),
        (&["trajectory", "puma560", "--path", ARM, "--blend", "0.1"], 1, &["has no blend"]),
        (&["size", "d3-1200", "--motion", "m.csv", "--cycles-per-minute", "150"], 1, &["--cycles-per-minute", "file"]),
        (&["size", "d3-1200", "--motion", "m.csv", "--duration", "1"], 1, &["--duration", "file"]),
        (&["size", "d3-1200", "--motion", "m.csv", "--profile", "parabolic"], 1, &["--profile", "file"]),
        // Before hours of work, not after.
        (
            &["trajectory", "d3-1200", "--duration", "0.3", "--every", "1e-10", "--gcode", "f.ngc"],
            1,
            &["rows are too many", "--every"],
        ),
        (
            &["trajectory", "d3-1200", "--profile", "time-optimal", "--smoothing", "10 s"],
            1,
            &["smoothing is 10 s", "one half"],
        ),
        (&["trajectory", "d3-1200", "--payload", "500"], 1, &["cannot hold", "m, (", "payload"]),
        (&["cycle", "d3-1200", "--center", "0,0,-0.2", "--count", "1"], 1, &["the path at s"]),
    ] {
        let (found, out, error) = run(folder.path(), arguments);
        assert_eq!((found, out.as_str()), (Some(code), ""), "{arguments:?}: {error}");
        for part in parts {
            assert!(error.contains(part), "{arguments:?}: {error}");
        }
        assert!(!error.contains("panicked") && !error.contains("internal error"), "{error}");
    }
    // A limit that is exceeded is a warning otherwise.
    let (code, _, error) = run(folder.path(), &["trajectory", "d3-1200", "--duration", "0.1"]);
    assert_eq!(code, Some(0));
    assert!(error.starts_with("warning: d3-1200") && error.contains("its limit 80"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}
