//! Mistakes that newcomers make with units, signs, typing and limits, each answered with a sentence that helps; and what the
//! same command says where there is no mistake.

use crate::common::{Done, json, number};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Code, standard output and standard error of a command line in a folder.
fn run(
    folder: &Path,
    arguments: &str,
    input: &str,
) -> Result<(Option<i32>, String, String), Box<dyn std::error::Error>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let _ = child.stdin.take().ok_or("a pipe")?.write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
}

fn shipped(path: &str) -> std::io::Result<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path))
}

const STATE: &str = "x,y,z,vx,vy,vz,ax,ay,az";
const AT_REST: &str = "0,0,-0.8,0,0,0,0,0,0";

#[test]
fn mistakes_are_answered_with_help() -> Done {
    let folder = tempfile::tempdir()?;
    let delta = shipped("robots/d3-1200.toml")?;
    let put = |name: &str, text: &str, pairs: &[(&str, &str)]| {
        let mut text = text.to_owned();
        for (from, to) in pairs {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        fs::write(folder.path().join(name), text)
    };
    put(
        "mm.toml",
        &delta,
        &[("\"0.375 m\"", "375"), ("\"0.9 m\"", "900"), ("\"0.122 m\"", "122"), ("\"0.45 m\"", "450")],
    )?;
    put("deg.toml", &delta, &[("[\"0 deg\", \"120 deg\", \"240 deg\"]", "[0, 120, 240]")])?;
    put("range.toml", &delta, &[("[\"-60 deg\", \"95 deg\"]", "[-60, 95]")])?;
    put("up.toml", &delta, &[("-9.81", "9.81")])?;
    put("typo.toml", &delta, &[("\nlength = \"0.375 m\"", "\nlenght = \"0.375 m\"")])?;
    put("unit.toml", &delta, &[("\"0.375 m\"", "\"375 MM\"")])?;
    put("weak.toml", &delta, &[("\"80 N m\"", "\"80 N mm\"")])?;
    put("narrow.toml", &delta, &[("[\"-60 deg\", \"95 deg\"]", "[\"50 deg\", \"95 deg\"]")])?;
    let (code, motion, error) = run(folder.path(), "trajectory d3-1200 --every 0.01 --out -", "")?;
    assert_eq!(code, Some(0), "{error}");
    let late = |line: &str| match line.split_once(',').and_then(|(t, rest)| Some((t.parse::<f64>().ok()?, rest))) {
        Some((t, rest)) => format!("{},{rest}\n", 1e3 * t),
        None => format!("{line}\n"),
    };
    fs::write(folder.path().join("ms.csv"), motion.lines().map(late).collect::<String>())?;
    let force = format!("{STATE},Fx,Fy,Fz\n{AT_REST},10,0,0\n");
    let four = "q1,q2,q3,q4\n0.1,0.1,0.1,0.1\n";
    for (arguments, input, code, answers) in [
        // Units.
        ("check mm.toml", "", 0, &["`upper_arm.length` is 375 m: should it be \"375 mm\"?"][..]),
        ("check deg.toml", "", 0, &["is 120 rad, 19.1 turns: should it be \"120 deg\"?"]),
        ("check range.toml", "", 0, &["`joints.range` is -60 rad", "should it be \"-60 deg\"?"]),
        ("ik d3-1200", "x,y,z\n100,0,-800\n", 1, &["out of reach", "positions are in metres"]),
        ("fk d3-1200", "q1,q2,q3\n30,30,30\n", 0, &["its upper limit 95 deg", "are the angles degrees?"]),
        ("trajectory d3-1200 --path line:0,0,-800/100,0,-800", "", 1, &["lengths are in m unless they have a unit"]),
        (
            "trajectory puma560 --path joints:0,90,0,0,0,0/9,90,0,0,0,0",
            "",
            1,
            &["angles are in rad unless they have a unit"],
        ),
        ("linearize d3-1200 --joints 20,20,20", "", 0, &["1145.9 deg, its upper limit 95 deg", "as in `45 deg`"]),
        ("explain d3-1200 --joints 20,20,20", "", 0, &["its upper limit 95 deg", "as in `45 deg`"]),
        ("size d3-1200 --path ms.csv", "", 1, &["one of them is in another unit", "if the times were milliseconds"]),
        ("check unit.toml", "", 1, &["unknown unit \"MM\"", "did you mean \"mm\"?"]),
        // Signs.
        (
            "ik d3-1200",
            "x,y,z\n0,0,0.8\n",
            1,
            &["beyond a singular pose (type 2)", "the platform is at negative z: check the sign"],
        ),
        ("ik d3-1200", "x,y,z\n0,0,1.8\n", 1, &["z up: the platform is at negative z"]),
        ("check up.toml", "", 0, &["`gravity` points up, along +z: does the robot stand on its base?"]),
        // Typing.
        ("check typo.toml", "", 1, &["`lenght`", "did you mean `length`?"]),
        ("check d3-1210", "", 1, &["d3-1210", "d3-1200"]),
        ("torque d3-1200", &force, 1, &["column `Fx` but none `fx`", "capital and small letters differ"]),
        ("convert d3-1200 --to klipper", &force, 1, &["column `Fx` but none `fx`"]),
        ("fk d3-1200", four, 1, &["column `q4`, but the robot has 3 joints", "another robot?"]),
        (
            "ik d3-1200",
            "x;y;z\n0;0;-0,8\n",
            1,
            &["separated by commas, not by semicolons", "the decimal sign is a point"],
        ),
        // The wrong verb, or states where a table is read.
        ("ik d3-1200 0 0 -0.8", "", 2, &["states are rows of a CSV with a header such as `x,y,z`"]),
        ("fk d3-1200 --joints 0.3,0.3,0.3", "", 2, &["states are rows of a CSV"]),
        // Limits.
        (
            "check weak.toml",
            "",
            0,
            &["at its home pose it cannot hold itself: torque of joint 1 is", "its limit 0.08 N m"],
        ),
        (
            "check narrow.toml",
            "",
            0,
            &["its home pose is out of range: position of joint 1 is 21.257 deg, its lower limit 50 deg"],
        ),
    ] {
        let (found, out, error) = run(folder.path(), arguments, input)?;
        let told = out + &error;
        assert_eq!(found, Some(code), "{arguments}: {told}");
        for answer in answers {
            assert!(told.contains(answer), "{arguments}: {answer}\n{told}");
        }
    }
    // Without the mistake nothing is said.
    for (arguments, input) in [
        ("check d3-1200", String::new()),
        ("check d3-1200 --payload 500g", String::new()),
        ("linearize d3-1200 --joints 0.3,0.3,0.3", String::new()),
        ("torque d3-1200", format!("{STATE},fx,fy,fz,X,note\n{AT_REST},10,0,0,1,a\n")),
    ] {
        let (code, out, error) = run(folder.path(), arguments, &input)?;
        assert!(code == Some(0) && error.is_empty() && !out.contains("Warnings"), "{arguments}: {error}{out}");
    }
    Ok(())
}

/// Options that mean the same are there under the same name, with units.
#[test]
fn options_combine() -> Done {
    let folder = tempfile::tempdir()?;
    let state = format!("{STATE}\n{AT_REST}\n");
    let bare = run(folder.path(), "torque d3-1200 --columns tau1", &state)?;
    let carried = run(folder.path(), "torque d3-1200 --columns tau1 --payload 2kg", &state)?;
    let set = run(folder.path(), "torque d3-1200 --columns tau1 --set payload.mass=2", &state)?;
    assert!(carried == set && carried.1 != bare.1 && carried.0 == Some(0), "{carried:?}");
    for verb in ["accel", "mass"] {
        let state = format!("{STATE},tau1,tau2,tau3\n{AT_REST},1,1,1\n");
        let [bare, carried] =
            ["", "--payload 2"].map(|payload| run(folder.path(), &format!("{verb} d3-1200 {payload}"), &state));
        let (bare, carried) = (bare?, carried?);
        assert!(carried.0 == Some(0) && carried.1 != bare.1, "{verb}: {carried:?}");
    }
    let torque = |arguments: &[&str]| Ok::<f64, Box<dyn std::error::Error>>(number(&json(arguments)?["torque"][0]));
    let plain = torque(&["explain", "d3-1200", "--position", "0,0,-800mm", "--json"])?;
    assert_eq!(plain, torque(&["explain", "d3-1200", "--position", "0,0,-0.8", "--json"])?);
    assert!(torque(&["explain", "d3-1200", "--position", "0,0,-0.8", "--payload", "2", "--json"])? != plain);
    let heavy = json(&["compare", "d3-1200", "--payload", "2", "--samples", "9", "--width", "200mm", "--json"])?;
    let light = json(&["compare", "d3-1200", "--samples", "9", "--width", "0.2", "--json"])?;
    let rms = |report: &serde_json::Value| number(&report["exact_torque"]["all"]["rms"]);
    assert!(rms(&heavy) > 1.2 * rms(&light));
    let checked = json(&["check", "d3-1200", "--payload", "2", "--json"])?;
    assert_eq!(number(&checked["payload"]["mass"]), 2.0);
    let start = "simulate d3-1200 --free --duration 0.01 --out -";
    let [from, joints] = ["--from 10deg,10deg,10deg", "--joints 10deg,10deg,10deg"]
        .map(|start| run(folder.path(), &format!("simulate d3-1200 --free --duration 0.01 --out - {start}"), ""));
    let (from, joints) = (from?, joints?);
    assert!(from == joints && from.0 == Some(0) && from.1 != run(folder.path(), start, "")?.1, "{from:?}");
    Ok(())
}

/// A forearm that lacks a digit: the home pose is none, and the length is blamed for it.
#[test]
fn what_is_odd_comes_before_a_home_pose_that_is_none() -> Done {
    let folder = tempfile::tempdir()?;
    let text = "kind = \"delta\"\nname = \"short\"\nbase.radius = 0.25\nplatform = { radius = 0.1, mass = 0.94 }\n\
                upper_arm = { length = 0.375, mass = 1.4, center_of_mass = 0.122, inertia = 0.035 }\n\
                forearm = { length = \"48 mm\", mass = 0.39 }\n";
    fs::write(folder.path().join("short.toml"), text)?;
    let (code, _, error) = run(folder.path(), "check short.toml", "")?;
    let told =
        ["`forearm.length` is 0.048 m, short compared with", "should it be 0.48?", "its home pose cannot be used"];
    let places = told.map(|text| error.find(text));
    assert!(code == Some(1) && places.is_sorted() && places[0].is_some(), "{error}");
    assert!(!error.contains("forearm.mass"), "{error}");
    Ok(())
}

/// Positions of a platform that turns need its angles: they are named, not those of the joints.
#[test]
fn positions_of_a_hexapod_lack_its_angles() -> Done {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("pos.csv"), "t,x,y,z\n0,0,0,-0.5\n0.1,0,0,-0.49\n0.2,0,0,-0.48\n")?;
    let (code, _, error) = run(folder.path(), "trajectory hexa --path pos.csv", "")?;
    assert!(code == Some(1) && error.contains("there is no column `roll`"), "{error}");
    Ok(())
}

/// An arm whose ranges do not have zero stands within them, and one with joints that slide is told in metres.
#[test]
fn homes_are_within_the_ranges() -> Done {
    let folder = tempfile::tempdir()?;
    let link = |joint: &str, range: &str| {
        format!(
            "[[link]]\njoint = \"{joint}\"\na = 0.3\nd = 0\nalpha = 0\nmass = 2\ncenter_of_mass = [0, 0, 0]\n\
             inertia = [0.1, 0.1, 0.1]\nrange = {range}\nmax_torque = 500\nmax_speed = 2\n"
        )
    };
    let head = "kind = \"serial\"\nname = \"arm\"\nconvention = \"standard-dh\"\n";
    let text = [head, &link("revolute", "[\"20 deg\", \"160 deg\"]"), &link("prismatic", "[0.2, 0.6]")].concat();
    fs::write(folder.path().join("arm.toml"), text)?;
    let (code, out, error) = run(folder.path(), "check arm.toml", "")?;
    assert!(code == Some(0) && out.contains("No warnings.") && out.contains("  90  deg"), "{out}{error}");
    let (code, out, error) = run(folder.path(), "trajectory arm.toml --duration 1", "")?;
    assert!(code == Some(0) && out.contains("speed, rad/s or m/s") && out.contains("torque, N m or N"), "{out}{error}");
    // Three numbers are a place of the tool, also where there are three joints: the joints are led by `joints:`. Stretched, the tool does
    // not go every way in its plane.
    fs::write(folder.path().join("three.toml"), [head, &link("revolute", "[-2, 2]").repeat(3)].concat())?;
    let (code, _, error) = run(folder.path(), "trajectory three.toml --path line:0.3,0,0/0.4,0,0", "")?;
    assert!(code == Some(1) && error.contains("the arm is stretched"), "{error}");
    let (code, _, error) = run(folder.path(), "trajectory three.toml --path line:0.7,0,0/0.75,0.02,0", "")?;
    assert!(code == Some(0), "{error}");
    let (code, out, error) = run(folder.path(), "trajectory three.toml --path joints:0.3,0,0/0.4,0,0", "")?;
    assert!(code == Some(0) && out.contains("in the joints"), "{out}{error}");
    Ok(())
}
