//! The command with serial arms: there and back against the reference data, and what it refuses.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code, standard output, standard error.
pub fn run(arguments: &str, input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments.split_whitespace())
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

pub fn good(arguments: &str, input: &str) -> String {
    let (code, out, error) = run(arguments, input);
    assert_eq!(code, Some(0), "{arguments}: {error}");
    out
}

/// The columns whose names start with `stem` and a digit, row by row.
pub fn columns(csv: &str, stem: &str) -> Vec<Vec<f64>> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let is_it = |name: &str| {
        name.strip_prefix(stem).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let wanted: Vec<usize> = (0..names.len()).filter(|&i| is_it(names[i])).collect();
    lines.map(|fields| wanted.iter().map(|&i| fields[i].parse().unwrap()).collect()).collect()
}

pub fn close(ours: &[Vec<f64>], golden: &[Vec<f64>], tolerance: f64) {
    assert_eq!(ours.len(), golden.len());
    for (a, b) in ours.iter().zip(golden) {
        assert_eq!(a.len(), b.len());
        let scale = b.iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * scale), "{a:?} {b:?}");
    }
}

pub fn golden(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(name)).unwrap()
}

#[test]
fn there_and_back() {
    let reference = golden("puma560-dynamics.csv");
    let out = good("torque puma560", &reference);
    close(&columns(&out, "tau"), &columns(&reference, "tau"), 1e-12);
    close(&columns(&good("torque puma560 --model explicit", &reference), "tau"), &columns(&reference, "tau"), 1e-12);
    let back = good("accel puma560", &out);
    close(&columns(&back, "qdd"), &columns(&reference, "qdd"), 1e-10);
    let back = good("accel puma560 --model explicit", &out);
    close(&columns(&back, "qdd"), &columns(&reference, "qdd"), 1e-10);
    // Joint 1 of the printed constants is off by up to 3 N m (I1, I3).
    let printed = columns(&good("torque puma560 --model explicit-a3", &reference), "tau");
    assert!(printed.iter().zip(columns(&reference, "tau")).all(|(a, b)| (a[1] - b[1]).abs() < 1.0));

    let reference = golden("puma560-mass-gravity.csv");
    let out = good("mass puma560", &reference);
    close(&columns(&out, "M"), &columns(&reference, "M"), 1e-12);
    close(&columns(&out, "g"), &columns(&reference, "g"), 1e-12);
    // The row's own q chooses among the eight solutions.
    let frames = good("fk puma560", &reference);
    let back = good("ik puma560", &frames);
    close(&columns(&back, "q"), &columns(&reference, "q"), 1e-7);
    let lines: Vec<String> = frames
        .lines()
        .map(|line| line.split(',').rev().take(6).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(","))
        .collect();
    let out = good("ik puma560 --limits", &(lines.join("\n") + "\n"));
    assert!(out.starts_with("x,y,z,roll,pitch,yaw,q1,q2,q3,q4,q5,q6,limits\n"), "{out}");
    let again = good("fk puma560", &out);
    assert_eq!(again.lines().count(), out.lines().count());

    let arm = golden("serial-h-pinocchio.csv");
    let out = good("torque golden/robots/serial-h.toml", &arm);
    close(&columns(&out, "tau"), &columns(&arm, "tau"), 1e-12);
}

#[test]
fn limits_are_told() {
    let state = "q1,q2,q3,q4,q5,q6\n3.0,0,0,0,0,0\n";
    let (code, out, error) = run("fk puma560 --limits", state);
    assert_eq!(code, Some(0));
    assert!(out.trim_end().ends_with(",q1"), "{out}");
    assert!(error.contains("position of joint 1 is 171.89 deg, its upper limit 160 deg"), "{error}");
    assert_eq!(run("fk puma560 --enforce-limits", state).0, Some(1));
}

#[test]
fn mistakes_are_explained() {
    let rest = "q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0\n";
    for (arguments, input, parts) in [
        ("torque puma560", rest, &["qd1", "reads q1..q6"][..]),
        (
            "mass puma560 --space cartesian",
            rest,
            &["the mass matrix of a serial arm is in joint coordinates", "`--space`"],
        ),
        ("mass puma560 --model asadi", rest, &["`asadi` is not a model of a serial arm", "abbreviated"]),
        ("mass d3-1200 --model explicit", "x,y,z\n0,0,-0.8\n", &["`explicit` is not a model of a Delta robot"]),
        ("compare golden/robots/serial-c.toml", "", &["no published model is for this robot", "six links", "`derive`"]),
        ("ik puma560", "x,y,z,roll,pitch,yaw\n2,0,0,0,0,0\n", &["line 2", "too far from the shoulder"]),
        (
            "ik golden/robots/serial-c.toml",
            "x,y,z,roll,pitch,yaw\n2,0,0,0,0,0\n",
            &["the tool cannot be there", "away"],
        ),
        ("ik golden/robots/serial-e.toml", "x,y,z,roll,pitch,yaw\n9,0,0,0,0,0\n", &["out of reach", "away"]),
        ("fk puma560", "q1,q2,q3,q4,q5,q6\n0,0,x,0,0,0\n", &["line 2", "q3"]),
        (
            "torque golden/robots/serial-e.toml --model explicit",
            &golden("serial-e-pinocchio.csv"),
            &["PUMA 560 models assume"],
        ),
    ] {
        let (code, out, error) = run(arguments, input);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments}: {error}");
        for part in parts {
            assert!(error.contains(part), "{arguments}: `{part}` is not in\n{error}");
        }
    }
}

#[test]
fn check_and_show() {
    let out = good("check puma560", "");
    assert!(out.contains("a serial arm with 6 joints, modified-dh") && out.contains("link.3.inertia"), "{out}");
    let report: serde_json::Value = serde_json::from_str(&good("check puma560 --json", "")).unwrap();
    assert_eq!(report["parameters"]["link"]["mass"][1], 17.4);
    assert_eq!(report["parameters"]["convention"], "modified-dh");
    assert_eq!(report["home"]["mass_matrix"].as_array().unwrap().len(), 6);
    assert!(good("robots show puma560", "").starts_with("# The PUMA 560"));
    assert!(good("robots show golden/robots/serial-a.toml", "").contains("kind = \"serial\""));
}

/// Velocities and accelerations go to the tool and back; where the arm is stretched they cannot come back.
#[test]
fn rates_go_there_and_back() {
    // Well away from singular poses, near which the solution itself loses digits.
    let names = ["q", "qd", "qdd"].map(|stem| (1..=6).map(|i| format!("{stem}{i}")).collect::<Vec<_>>().join(","));
    let mut reference = names.join(",") + "\n";
    for row in 0..5 {
        let wave = |k: usize| ((row * 18 + k) as f64 * 0.7).sin();
        let q = [0.3, -0.6, 0.4, 0.5, 0.9, -0.4].into_iter().enumerate().map(|(i, q)| q + 0.2 * wave(i));
        let values = q.chain((6..18).map(|k| 3.0 * wave(k))).map(|x| x.to_string());
        reference += &(values.collect::<Vec<_>>().join(",") + "\n");
    }
    let there = good("fk puma560", &reference);
    assert!(there.lines().next().unwrap().contains("vx,vy,vz,wx,wy,wz,ax,ay,az,wdx,wdy,wdz"));
    // The rows' own q choose the solution; its rates are computed anew.
    let back = good("ik puma560", &there);
    for stem in ["qd", "qdd"] {
        // The Jacobian's condition, about 100, takes two or three of the digits.
        close(&columns(&back, stem), &columns(&reference, stem), 1e-12);
    }
    // Joints 4 and 6 in line: any q4 + q6 would do.
    let singular = "q1,q2,q3,q4,q5,q6,qd1,qd2,qd3,qd4,qd5,qd6\n0.1,-0.5,0.6,0.2,0,0.3,1,1,1,1,1,1\n";
    let there = good("fk puma560", singular);
    let (code, _, error) = run("ik puma560", &there);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("singular"), "{error}");
    let (code, _, error) = run("fk puma560", "q1,q2,q3,q4,q5,q6,qd1\n0,0,0,0,0,0,1\n");
    assert_eq!(code, Some(1));
    assert!(error.contains("qd2"), "{error}");
}

#[test]
fn a_file_of_your_own_is_shown_in_si() {
    let shown = good("robots show golden/robots/serial-c.toml", "");
    assert!(shown.starts_with("kind = \"serial\""), "{shown}");
    assert!(shown.contains("[[link]]"));
}

/// Counts of every kernel, the derived programs never dearer than the algorithms they come from.
#[test]
fn ops_counts_serial_arms() {
    let report: serde_json::Value =
        serde_json::from_str(&good("ops golden/robots/serial-c.toml --quick --json", "")).expect("JSON");
    let costs = report["costs"].as_array().expect("costs");
    let count = |program: &str, task: &str| {
        let cost = costs.iter().find(|cost| cost["program"] == program && cost["task"] == task);
        cost.and_then(|cost| cost["total"].as_u64()).unwrap_or_else(|| panic!("{program}: {task}"))
    };
    assert!(count("derived", "torque") < count("Newton–Euler", "torque"));
    assert!(count("derived", "mass-matrix") < count("composite bodies", "mass-matrix"));
    assert!(count("derived", "gravity") < count("first moments", "gravity"));
    // Only an arm like theirs stands beside the paper's.
    let report: serde_json::Value = serde_json::from_str(&good("ops puma560 --quick --json", "")).expect("JSON");
    let rows = report["published"][0]["rows"].as_array().expect("a table");
    let published = rows.iter().find(|row| row[0] == "Izaguirre and Paul 1985, simplified, as published");
    assert_eq!(published.expect("of Table 3")[2], 58);
}
