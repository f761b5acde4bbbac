//! What the model is worth, through the command: `sensitivity` and `compare`, at a state, over motions and tables.

use crate::common::{Done, command, json, number, refused};
use serde_json::Value;
use std::error::Error;
use std::fs;

/// The entry of a list with this name.
fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    list.as_array().and_then(|all| all.iter().find(|entry| entry["name"] == name)).expect("it is listed")
}

#[test]
fn sensitivities_of_a_state() -> Done {
    let directory = tempfile::tempdir()?;
    let csv = directory.path().join("s.csv").to_str().ok_or("a path")?.to_owned();
    let delta = json(&["sensitivity", "d3-1200", "--samples", "2000", "--out", &csv, "--json"])?;
    assert!(fs::read_to_string(csv)?.starts_with("parameter,unit,value,tolerance,dtau1,dtau2,dtau3\n"));
    assert!(number(&delta["first_order"]["worst"][0]) >= number(&delta["first_order"]["combined"][0]));
    let arguments = ["sensitivity", "puma560", "--joints", "0,-0.8,0.5,0,0.7,0", "--samples", "2000", "--json"];
    let puma = json(&arguments)?;
    assert_eq!(puma, json(&arguments)?, "the same seed, the same numbers");
    assert!(number(&puma["monte_carlo"]["standard_deviation"][1]) > 0.1);
    // With one elbow inward the torque is that of this pose, as `torque` computes it.
    let q = "2.0943951023931953,1.0471975511965976,1.0471975511965976";
    let mixed = json(&["sensitivity", "d3-1200", "--joints", q, "--samples", "0", "--json"])?;
    let table = directory.path().join("q.csv").to_str().ok_or("a path")?.to_owned();
    fs::write(&table, format!("q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n{q},0,0,0,0,0,0\n"))?;
    let output = command(&["torque", "d3-1200", "--input", &table, "--json"]);
    let known: Value = serde_json::from_slice(&output.stdout)?;
    for i in 0..3 {
        let (found, expected) = (number(&mixed["torque"][i]), number(&known[format!("tau{}", i + 1)]));
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    // The same as a motion of one state from that table.
    let table = json(&["sensitivity", "d3-1200", "--states", &table, "--samples", "0", "--json"])?;
    assert!((number(&table["torque"]["max"][1]) - number(&mixed["torque"][1]).abs()).abs() < 1e-9);
    for tolerance in ["-3", "100", "1e5"] {
        refused(&["sensitivity", "asadi", "--tolerance", tolerance], "zero or positive and below 100");
    }
    refused(&["sensitivity", "asadi", "--angle-tolerance", "95 deg"], "below 90 deg");
    refused(&["sensitivity", "puma560", "--per-arm"], "is for Delta robots");
    refused(&["sensitivity", "asadi", "--plot", "x.pdf"], "the plot is SVG");
    Ok(())
}

/// A motion by its name and the same one from the file that `trajectory` writes are the same states.
#[test]
fn sensitivities_over_a_motion() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let (motion, csv, svg) = (at("m.csv"), at("s.csv"), at("s.svg"));
    let line = "line:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0";
    for (robot, path) in [("d3-1200", "pick-and-place-1kg"), ("puma560", line)] {
        let options = ["--duration", "0.5", "--every", "5 ms"];
        let mut trajectory = vec!["trajectory", robot, "--path", path, "--out", &motion];
        trajectory.extend(options);
        assert!(command(&trajectory).status.success());
        let mut by_name =
            vec!["sensitivity", robot, "--motion", path, "--samples", "200", "--out", &csv, "--plot", &svg, "--json"];
        by_name.extend(options);
        let by_name = json(&by_name)?;
        let mut by_file = vec!["sensitivity", robot, "--states", &motion, "--samples", "200", "--json"];
        if robot == "d3-1200" {
            by_file.extend(["--payload", "1 kg"]);
        }
        let by_file = json(&by_file)?;
        assert_eq!(by_name["states"], by_file["states"]);
        for key in ["torque", "first_order", "parameters", "monte_carlo"] {
            near(&by_name[key], &by_file[key], key);
        }
        let mass = if robot == "puma560" { "link2.mass" } else { "platform.mass" };
        let change = &named(&by_name["parameters"], mass)["torque_change"];
        assert!(number(&change["max"][1]) > number(&change["rms"][1]) && number(&change["rms"][1]) > 1e-3);
        assert!(fs::read_to_string(&csv)?.contains(",dtau1_rms,") && fs::read_to_string(&svg)?.contains("Joint 2"));
    }
    refused(&["sensitivity", "d3-1200", "--motion", "pick-and-place", "--position", "0,0,-0.8"], "which one?");
    refused(&["sensitivity", "d3-1200", "--motion", "door"], "did you mean `pick-and-place`");
    refused(&["sensitivity", "d3-1200", "--states", &at("missing.csv")], "cannot read");
    fs::write(at("bad.csv"), "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.8,0,0,0,0,0,0\n0,0,-9,0,0,0,0,0,0\n")?;
    refused(&["sensitivity", "d3-1200", "--states", &at("bad.csv")], "line 3");
    // With times means are over time, without every row counts alike, and the output says which.
    let rows = "0,0,-0.8,0,0,0,0,0,0\n0,0,-0.8,0,0,0,0,0,0\n0,0,-0.8,0,0,0,0,0,60\n";
    let timed: String = rows.lines().zip(["0", "1", "1.002"]).map(|(row, t)| format!("{t},{row}\n")).collect();
    fs::write(at("rows.csv"), format!("x,y,z,vx,vy,vz,ax,ay,az\n{rows}"))?;
    fs::write(at("timed.csv"), format!("t,x,y,z,vx,vy,vz,ax,ay,az\n{timed}"))?;
    let of = |name: &str| json(&["sensitivity", "d3-1200", "--states", &at(name), "--samples", "0", "--json"]);
    let (alike, by_time) = (of("rows.csv")?, of("timed.csv")?);
    assert_eq!((&alike["means_over"], &by_time["means_over"]), (&Value::from("rows"), &Value::from("time")));
    let rms = |found: &Value| number(&found["torque"]["rms"][0]);
    // Held for a second, then pushed for an instant: among three rows a large part, over the time nearly nothing.
    let pushed = number(&by_time["torque"]["max"][0]);
    assert!(rms(&alike) > 0.5 * pushed && rms(&by_time) < 0.25 * pushed, "{alike} {by_time}");
    fs::write(at("back.csv"), "t,x,y,z,vx,vy,vz,ax,ay,az\n1,0,0,-0.8,0,0,0,0,0,0\n0.5,0,0,-0.8,0,0,0,0,0,0\n")?;
    refused(&["sensitivity", "d3-1200", "--states", &at("back.csv")], "rows in order");
    Ok(())
}

/// Equal to 1e-8 of the largest number of a list, the digits that a round trip through a file of 17 leaves.
fn near(a: &Value, b: &Value, place: &str) {
    match (a, b) {
        (Value::Number(_), _) => {
            let (a, b) = (number(a), number(b));
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{place}: {a} {b}");
        }
        (Value::Array(all), _) => all.iter().enumerate().for_each(|(i, a)| near(a, &b[i], place)),
        (Value::Object(all), _) => all.iter().for_each(|(key, a)| near(a, &b[key], key)),
        _ => assert_eq!(a, b, "{place}"),
    }
}

#[test]
fn costs_in_every_form() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    for (name, texts) in [
        ("r.html", &["<svg", "Reach, from the side", "a cylinder of", "Resolution"][..]),
        ("r.md", &["| codourey-simplified |"]),
    ] {
        let name = at(name);
        let found = json(&["compare", "d3-1200", "--z", "-0.85", "--report", &name, "--json"])?;
        let cost = named(&found["costs"], "codourey-simplified");
        assert_eq!(cost["verdict"], "usable");
        assert!(
            (number(&cost["tracking_max"]) - 0.119e-3).abs() < 0.001e-3
                && (number(&cost["share"]) - 0.0268).abs() < 1e-4
        );
        let report = fs::read_to_string(&name)?;
        texts.iter().for_each(|text| assert!(report.contains(text), "{name}: {text}"));
    }
    // No feedback is too stiff, and the elbows of the maps are those of the motion.
    assert!(command(&["compare", "d3-1200", "--bandwidth", "1000", "--report", &at("stiff.md")]).status.success());
    assert!(command(&["compare", "d3-1200", "--branch", "in", "--report", &at("in.html")]).status.success());
    assert_ne!(maps(&at("in.html"))?, maps(&at("r.html"))?);
    assert!(fs::read_to_string(at("in.html"))?.contains("with the elbows in"));
    refused(&["compare", "d3-1200", "--report", "r.doc"], "cannot write a report");
    Ok(())
}

/// The part of a report with the maps.
fn maps(name: &str) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(name)?;
    let start = text.find("What motor 1 feels").ok_or("it has maps")?;
    Ok(text[start..].chars().take(20_000).collect())
}

#[test]
fn my_robot_and_motion() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let (motion, table) = (at("m.csv"), at("t.csv"));
    for (robot, path, model) in [
        ("d3-1200", "semi-ellipse", "codourey-simplified"),
        ("puma560", "line:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0", "abbreviated"),
    ] {
        let options = ["--duration", "0.5", "--every", "5 ms"];
        let trajectory = [&["trajectory", robot, "--path", path, "--out", &motion][..], &options].concat();
        assert!(command(&trajectory).status.success());
        let by_name = json(&[&["compare", robot, "--motion", path, "--json"][..], &options].concat())?;
        let by_file = json(&["compare", robot, "--states", &motion, "--out", &table, "--json"])?;
        near(&by_name["costs"], &by_file["costs"], "costs");
        // The difference is that of `torque` with the two models.
        let arguments = ["torque", robot, "--input", &motion, "--model", model];
        let other = String::from_utf8(command(&arguments).stdout)?;
        let exact = fs::read_to_string(&motion)?;
        let column = |text: &str, name: &str| -> Vec<f64> {
            let place = text.lines().next().and_then(|head| head.split(',').position(|n| n == name)).expect("a column");
            text.lines()
                .skip(1)
                .map(|line| line.split(',').nth(place).and_then(|x| x.parse().ok()).expect("x"))
                .collect()
        };
        let most =
            column(&other, "tau2").iter().zip(column(&exact, "tau2")).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let found = number(&named(&by_file["difference_to_exact"], model)["joints"][1]["maximum"]);
        assert!((found - most).abs() < 1e-9 && most > 1e-3, "{found} {most}");
        assert!(fs::read_to_string(&table)?.contains(&format!("tau2_{model}")));
    }
    let usual = json(&["compare", "puma560", "--json"])?;
    assert_eq!(named(&usual["costs"], "explicit")["verdict"], "equal");
    refused(
        &["compare", "d3-1200", "--motion", "pick-and-place", "--width", "0.2"],
        "does not go with --motion, --states or a log",
    );
    refused(&["compare", "puma560", "--z", "-0.8"], "does not go with a serial arm");
    fs::write(at("no-t.csv"), "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.8,0,0,0,0,0,0\n")?;
    refused(&["compare", "d3-1200", "--states", &at("no-t.csv")], "no column `t`");
    fs::write(at("in.csv"), "t,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n0,2.0944,1.0472,1.0472,0,0,0,0,0,0\n")?;
    refused(&["compare", "d3-1200", "--states", &at("in.csv")], "the elbows are not all on the branch `out`");
    Ok(())
}
