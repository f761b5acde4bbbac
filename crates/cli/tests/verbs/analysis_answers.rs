//! What the verbs of analysis answer: the same to the same question, in the units of the question, and not more than is
//! known. Advice can be followed.

use crate::common::{Done, command, json, number, refused};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Symmetric, in inches, with joint ranges.
const SYMMETRIC: &str = r#"
kind = "delta"
name = "sym"
[base]
radius = "7.3 in"
azimuths = ["37 deg", "157 deg", "277 deg"]
[upper_arm]
length = "9.1 in"
mass = "1.7 lb"
center_of_mass = "3.3 in"
inertia = "4500 kg mm^2"
[forearm]
length = "23 in"
mass = "0.55 lb"
[platform]
radius = "1.9 in"
mass = "1.3 lb"
[motor]
rotor_inertia = "0.03 g m^2"
gear_ratio = 15
max_torque = "30 N m"
max_speed = "300 rpm"
[joints]
range = ["-40 deg", "85 deg"]
"#;

fn written(directory: &Path, name: &str, text: &str) -> Result<String, Box<dyn std::error::Error>> {
    let path = directory.join(name);
    fs::write(&path, text)?;
    Ok(path.to_str().ok_or("a path")?.to_owned())
}

/// The PUMA at its default pose has right angles: entries that are zero in exact numbers must not decide anything.
#[test]
fn regulators_of_the_puma_at_right_angles() -> Done {
    let found = json(&["linearize", "puma560", "--lqr", "100,1,0.01", "--json"])?;
    let poles: Vec<f64> = found["closed_loop_poles"].as_array().ok_or("poles")?.iter().map(|s| number(&s[0])).collect();
    // scipy.linalg.solve_continuous_are on the same matrices: real parts from -54.7 to -2.9.
    assert!(poles.iter().all(|re| (-55.0..-2.8).contains(re)), "{poles:?}");
    let poles = json(&["poles", "puma560", "--json"])?;
    for mode in poles["modes"].as_array().ok_or("modes")? {
        assert!(number(&mode["controllability"]) > 1e-3 && number(&mode["observability"]) > 1e-3, "{mode}");
        let size = number(&mode["pole"][0]).hypot(number(&mode["pole"][1]));
        assert!(size == 0.0 || size > 0.1, "{mode}");
    }
    Ok(())
}

/// Poles that are wanted are told as they were written.
#[test]
fn wanted_poles_keep_their_units() -> Done {
    let directory = tempfile::tempdir()?;
    let robot = written(directory.path(), "symmetric.toml", SYMMETRIC)?;
    let start = ["linearize", &robot, "--joints", "0.3"];
    for (step, poles, needle) in [
        ("", "--place=-1+2j,-2,-3,-4,-5,-6", "-1 + 2j has no conjugate partner"),
        ("", "--place=-1-2j,-2,-3,-4,-5,-6", "-1 - 2j has no conjugate partner"),
        ("", "--place=-1,-1,-1,-1,-3,-4", "-1.0000 is wanted 4 times"),
        ("--step=1ms", "--place=0.9,0.9,0.9,0.9,0.8,0.7", "0.9000 is wanted 4 times"),
    ] {
        let mut arguments = start.to_vec();
        arguments.extend([step, poles].into_iter().filter(|text| !text.is_empty()));
        refused(&arguments, needle);
    }
    Ok(())
}

/// A model that cannot be truncated says which part can, and it can.
#[test]
fn the_stable_part_is_truncated() -> Done {
    let directory = tempfile::tempdir()?;
    let robot = written(directory.path(), "symmetric.toml", SYMMETRIC)?;
    let start = ["linearize", &robot, "--joints", "0", "--damping", "0.2"];
    refused(&[&start[..], &["--order", "4"]].concat(), "--part stable with --order");
    let cut = json(&[&start[..], &["--part", "stable", "--order", "3", "--json"]].concat())?;
    assert_eq!(cut["A"].as_array().ok_or("A")?.len(), 3);
    assert_eq!(cut["dx0"].as_array().ok_or("dx0")?.len(), 3);
    let [first, last] = [0, 3].map(|k| number(&cut["hankel_singular_values"][k]));
    assert!(first > last && last > 0.0);
    Ok(())
}

/// What the constraints of Baumgarte put into the pencil is no zero of the transfer function; zeros at the origin are there.
#[test]
fn zeros_are_those_of_the_transfer_function() -> Done {
    let all = ["poles", "d3-1200", "--joints", "45 deg", "--damping", "0.3", "--json"];
    assert_eq!(json(&all)?["zeros"], Value::Array(Vec::new()));
    let baumgarte = [&all[..], &["--formulation", "baumgarte", "--constraint-poles=-4,-6"]].concat();
    assert_eq!(json(&baumgarte)?["zeros"], Value::Array(Vec::new()));
    let zeros = json(&["poles", "asadi", "--joints", "0.5", "--outputs", "acceleration", "--json"])?;
    let zeros = zeros["zeros"].as_array().ok_or("zeros")?;
    assert!(zeros.len() == 6 && zeros.iter().all(|s| number(&s[0]) == 0.0 && number(&s[1]) == 0.0), "{zeros:?}");
    Ok(())
}

/// Files are what their names say; several at once; a legend shows the marks.
#[test]
fn files_are_what_they_are_called() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    for verb in ["stability", "linearize", "poles"] {
        refused(&[verb, "d3-1200", "--plot", &at("x.pdf")], "the plot is SVG");
    }
    let (mat, npz, svg) = (at("m.mat"), at("m.npz"), at("m.svg"));
    let both = ["linearize", "d3-1200", "--joints", "0.5", "--out", &mat, "--out", &npz];
    assert!(command(&both).status.success());
    assert!(fs::metadata(&mat)?.len() > 500 && fs::metadata(&npz)?.len() > 500);
    refused(&["linearize", "d3-1200", "--joints", "0.5", "--out", &mat, "--out", &mat], "cannot both go to");
    let plotted = ["poles", "d3-1200", "--joints", "45 deg", "--formulation", "baumgarte", "--plot", &svg];
    assert!(command(&plotted).status.success());
    let text = fs::read_to_string(&svg)?;
    assert!(text.contains(">×</text>") && text.contains(">○</text>"), "signs in the legend");
    assert!(text.contains("poles in one place: ") && text.contains("(12 ×)"), "twelve that look like one");
    Ok(())
}

/// Advice names options that the verb has.
#[test]
fn advice_can_be_followed() -> Done {
    let directory = tempfile::tempdir()?;
    let states = written(
        directory.path(),
        "nan.csv",
        "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0,0,-0.8,0,0,0,0,0,0\n0.1,0,0,NaN,0,0,0,0,0,0\n",
    )?;
    for verb in ["linearize", "poles", "sensitivity", "compare"] {
        let output = command(&[verb, "d3-1200", "--states", &states]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("leave such rows out") && !text.contains("--skip-bad"), "{verb}: {text}");
    }
    refused(&["torque", "d3-1200", "--input", &states], "--skip-bad");
    refused(
        &["compare", "puma560", "--branch", "in"],
        "elbows out or in, and a platform below or above, are for Delta robots",
    );
    Ok(())
}

/// The largest usable box is one, whoever asks; and the reasons of a map have their numbers.
#[test]
fn the_usable_box_is_one() -> Done {
    let directory = tempfile::tempdir()?;
    let robot = written(directory.path(), "symmetric.toml", SYMMETRIC)?;
    let report = directory.path().join("r.html").to_str().ok_or("a path")?.to_owned();
    let map = json(&["map", &robot, "reach", "--count", "21", "--json"])?;
    assert_eq!(map["reason_numbers"]["0"], "reached");
    assert_eq!(
        map["reason_numbers"].as_object().map(serde_json::Map::len),
        map["reasons"].as_object().map(serde_json::Map::len)
    );
    assert!(command(&["compare", &robot, "--report", &report]).status.success());
    let text = fs::read_to_string(&report)?;
    let side = text.split("a box of ").nth(1).and_then(|rest| rest.split(' ').next()).ok_or("a box")?;
    // Told with three digits.
    let off = side.parse::<f64>()? / (2.0 * number(&map["usable"]["box"]["half_side"])) - 1.0;
    assert!(off.abs() < 2e-3, "{side}: {off}");
    assert!(text.contains("<code>exact</code>") && !text.contains("`exact`"), "HTML, not Markdown");
    assert!(text.contains("also beyond joint ranges"));
    Ok(())
}

/// A percentage of three unlike numbers is three amounts.
#[test]
fn a_share_is_of_each_arm_s_own_number() -> Done {
    let directory = tempfile::tempdir()?;
    let file = String::from_utf8(command(&["robots", "show", "d3-1200"]).stdout)?;
    let friction = "[motor]\nfriction = { coulomb = [0.5, 0.4, 0.3], smoothing_velocity = 1e-3 }\n";
    let robot = written(directory.path(), "unlike.toml", &file.replace("[motor]\n", friction))?;
    let state = ["--position", "0.05,-0.03,-0.85", "--velocity", "1,-0.5,0.3", "--samples", "0", "--json"];
    let found = json(&[&["sensitivity", &robot], &state[..]].concat())?;
    let apart = json(&[&["sensitivity", &robot, "--per-arm"], &state[..]].concat())?;
    for (i, coulomb) in [0.5, 0.4, 0.3].into_iter().enumerate() {
        let name = format!("motor.friction.coulomb of arm {}", i + 1);
        for found in [&found, &apart] {
            let all = found["parameters"].as_array().ok_or("parameters")?;
            let entry = all.iter().find(|entry| entry["name"] == name.as_str()).ok_or("it is listed")?;
            assert_eq!(number(&entry["tolerance"]), 0.01 * coulomb);
            assert!((number(&entry["torque_change"][i]).abs() - 0.01 * coulomb).abs() < 1e-6, "{entry}");
        }
    }
    // One number of the file stays one.
    let all = found["parameters"].as_array().ok_or("parameters")?;
    assert!(all.iter().any(|entry| entry["name"] == "upper_arm.mass"));
    Ok(())
}

/// One row is no motion: there is nothing to follow, rather than no error.
#[test]
fn one_row_has_no_tracking_error() -> Done {
    let directory = tempfile::tempdir()?;
    let states = written(directory.path(), "one.csv", "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0.1,0,-0.8,0,0,0,10,0,0\n")?;
    let found = json(&["compare", "d3-1200", "--states", &states, "--json"])?;
    assert!(found["costs"].as_array().ok_or("costs")?.iter().all(|cost| cost["tracking_max"].is_null()));
    assert!(found["costs"].as_array().ok_or("costs")?.iter().any(|cost| number(&cost["share"]) > 0.01));
    Ok(())
}
