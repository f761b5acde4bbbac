//! Verbs on what is measured, as a stranger types them.

use crate::common::{Done, command, json, number, refused};
use std::fmt::Write as _;

/// A log of the d3-1200 with friction along a smooth motion, 500 Hz, exact.
fn log(folder: &std::path::Path) -> Result<String, Box<dyn std::error::Error>> {
    let motion = folder.join("motion.csv").to_str().ok_or("no text")?.to_owned();
    let mut text = String::from("t,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n");
    for k in 0..2000 {
        let t = 2e-3 * f64::from(k);
        let of = |i: f64| {
            let (w, phase) = (2.0 + 0.7 * i, i);
            let (s, c) = (w * t + phase).sin_cos();
            [0.5 + 0.3 * s, 0.3 * w * c, -0.3 * w * w * s]
        };
        let all = [of(0.0), of(1.0), of(2.0)];
        write!(text, "{t}")?;
        (0..3).for_each(|part| all.iter().for_each(|joint| text.push_str(&format!(",{}", joint[part]))));
        text.push('\n');
    }
    std::fs::write(&motion, text)?;
    let out = folder.join("log.csv").to_str().ok_or("no text")?.to_owned();
    let made = command(&["torque", "d3-1200", "--set", "motor.friction.viscous=0.4", "-i", &motion, "-o", &out]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Ok(out)
}

/// `compare ROBOT LOG`: the exact model of the robot that was measured leaves what smoothing leaves, models that approximate
/// more, and the joints have numbers of their own.
#[test]
fn models_are_compared_with_a_log() -> Done {
    let folder = tempfile::tempdir()?;
    let log = log(folder.path())?;
    let right = json(&["compare", "d3-1200", "--set", "motor.friction.viscous=0.4", &log, "--json"])?;
    let percent = |all: &serde_json::Value, name: &str| {
        let models = all["against_measured"].as_array().cloned().unwrap_or_default();
        let own = models.iter().find(|model| model["name"] == name).cloned().unwrap_or_default();
        assert_eq!(own["percent_by_joint"].as_array().map_or(0, Vec::len), 3, "{name}: {own}");
        number(&own["percent"])
    };
    assert!(percent(&right, "exact") < 0.5, "{}", percent(&right, "exact"));
    assert!(percent(&right, "falezza-simplified") > 5.0 * percent(&right, "exact"));
    // Without its friction the exact model is off by it.
    let wrong = json(&["compare", "d3-1200", &log, "--json"])?;
    assert!(percent(&wrong, "exact") > 2.0, "{}", percent(&wrong, "exact"));
    let text = command(&["compare", "d3-1200", &log]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("Against the measured torque") && text.contains("joint 3"), "{text}");
    refused(&["compare", "d3-1200", &log, "--width", "0.3"], "--width");
    Ok(())
}

/// An option that needs a log is not ignored without one.
#[test]
fn options_of_logs_need_a_log() {
    let output = command(&["compare", "d3-1200", "--cutoff", "20"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The same log out of MATLAB's and NumPy's files: found by the same names, refused when it is broken.
#[test]
fn logs_of_other_tools_are_read() -> Done {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/arrays");
    let folder = tempfile::tempdir()?;
    for name in ["plain.mat", "packed.mat", "plain.npz", "packed.npz", "records.npy"] {
        let file = data.join(name).to_str().ok_or("no text")?.to_owned();
        // Twenty samples on a straight line are no log, but they are read as one.
        let output = command(&["smooth", &file, "--json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(
            !text.contains("no positions") && !text.contains("cannot read") && !text.contains("not a "),
            "{name}: {text}"
        );
        let broken = folder.path().join(name);
        let bytes = std::fs::read(&file)?;
        std::fs::write(&broken, &bytes[..bytes.len() / 2])?;
        refused(&["smooth", broken.to_str().ok_or("no text")?, "--json"], "broken");
    }
    // Every verb that reads tables reads them.
    let file = data.join("plain.npz").to_str().ok_or("no text")?.to_owned();
    let output = command(&["fk", "puma560", "-i", &file]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("q4"), "three joints are not six: {text}");
    Ok(())
}

/// `excite` of an arm has no G-code; of a Delta it has, line by line in time.
#[test]
fn excitations_are_written() -> Done {
    refused(&["excite", "puma560", "--gcode", "x.ngc"], "the tool of puma560 turns");
    let folder = tempfile::tempdir()?;
    let [csv, gcode] = ["m.csv", "m.ngc"].map(|name| folder.path().join(name).to_str().unwrap_or_default().to_owned());
    let few = ["--random", "30", "--steps", "6", "--rate", "100"];
    let arguments = [&["excite", "d3-1200", "-o", &csv, "--gcode", &gcode, "--json"][..], &few].concat();
    let found = json(&arguments)?;
    assert!(number(&found["best_random"]["gain"]) > 1.0 && number(&found["repeated"]) >= 1.0, "{found}");
    let (rows, lines) = (std::fs::read_to_string(&csv)?, std::fs::read_to_string(&gcode)?);
    assert_eq!(rows.lines().count(), 1002, "10 s of 100 Hz, both ends, and the names");
    assert_eq!(lines.lines().filter(|line| line.starts_with("G1 ")).count(), 1000);
    // Other shapes and aims, and parts that stay apart.
    let other = ["--shape", "spline", "--criterion", "condition", "--clearance", "100 mm"];
    let found = json(&[&["excite", "d3-1200", "--json"][..], &few, &other].concat())?;
    assert_eq!((found["shape"].as_str(), found["criterion"].as_str()), (Some("spline"), Some("condition")));
    assert!(number(&found["nearest"]["distance"]) >= 0.1 * (1.0 - 1e-9), "{found}");
    refused(&[&["excite", "d3-1200", "--clearance", "5 m"][..], &few].concat(), "nearer to each other");
    refused(&["excite", "d3-1200", "--clearance", "0"], "--clearance is 0");
    // What is written for the joints is a table that `torque` reads, and its torques are those.
    let again = command(&["torque", "d3-1200", "-i", &csv]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    Ok(())
}

/// `calibrate --emit`: the controller's own lines.
#[test]
fn calibrations_are_said_to_controllers() -> Done {
    let folder = tempfile::tempdir()?;
    let table = folder.path().join("touched.csv").to_str().ok_or("no text")?.to_owned();
    let places = folder.path().join("places.csv").to_str().ok_or("no text")?.to_owned();
    let mut text = String::from("q1,q2,q3\n");
    for k in 0..20 {
        let of = |i: i32| 0.36 + 0.05 * f64::from((k * 7 + i * 5) % 11 - 5) / 5.0;
        writeln!(text, "{},{},{}", of(0), of(1), of(2))?;
    }
    std::fs::write(&table, text)?;
    let made = command(&["fk", "linear-delta", "-i", &table, "-o", &places]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let output =
        command(&["calibrate", "linear-delta", &places, "--emit", "klipper", "--endstop", "450 mm,450 mm,450 mm"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in [
        "kinematics: delta",
        "delta_radius: 124.0000",
        "arm_length: 250.0000",
        "angle: 120.00000",
        "position_endstop: 232.9",
    ] {
        assert!(text.contains(line), "{line}: {text}{stderr}");
    }
    refused(&["calibrate", "d3-1200", &places, "--emit", "marlin"], "Marlin knows no Delta");
    Ok(())
}
