//! The verbs that analyse, through the command: figures of the literature, files for other tools, refusals.

use serde_json::Value;
use std::error::Error;
use std::fs;
use std::process::{Command, Output};

type Done = Result<(), Box<dyn Error>>;

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dalembert")).args(arguments).output().expect("the command starts")
}

fn json(arguments: &[&str]) -> Result<Value, Box<dyn Error>> {
    let output = command(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn refused(arguments: &[&str], needle: &str) {
    let output = command(arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(text.contains(needle) && !text.contains("internal error"), "{arguments:?}: {text}");
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn stability_tells_the_crossings() -> Done {
    for (robot, degrees) in [("asadi", 16.03), ("d3-1200", 15.55)] {
        let found = json(&["stability", robot, "--json"])?;
        let crossing = number(&found["symmetric_crossing_rad"]);
        assert!((crossing.to_degrees() - degrees).abs() < 0.02);
        assert!((crossing - number(&found["symmetric_crossing_closed_form_rad"])).abs() < 1e-6);
        assert_eq!(found["stable_above"], true);
        // Damping changes the growth, not the crossing; a payload moves it; upside down the other side is stable.
        let damped = json(&["stability", robot, "--damping", "0.5", "--json"])?;
        assert!((number(&damped["symmetric_crossing_rad"]) - crossing).abs() < 1e-9);
        assert!(number(&damped["symmetric_poses"][3]["growth"]) < number(&found["symmetric_poses"][3]["growth"]));
        assert_eq!(damped["symmetric_poses"][3]["zero_poles_with_gravity_compensation"], 3);
        assert_eq!(found["symmetric_poses"][3]["zero_poles_with_gravity_compensation"], 6);
        let loaded = json(&["stability", robot, "--payload", "2 kg", "--json"])?;
        assert!((number(&loaded["symmetric_crossing_rad"]) - crossing).abs() > 1e-4);
        let over = json(&["stability", robot, "--upside-down", "--json"])?;
        assert_eq!(over["stable_above"], false);
    }
    let text = String::from_utf8(command(&["stability", "d3-1200"]).stdout)?;
    assert!(text.contains("heave: falls below 15.5"), "{text}");
    refused(&["stability", "puma560"], "serial arm");
    Ok(())
}

/// Where there is no symmetric pose, null, and the reason.
#[test]
fn a_lopsided_robot_has_no_symmetric_crossing() -> Done {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("lopsided.toml");
    let file = String::from_utf8(command(&["robots", "show", "d3-1200"]).stdout)?;
    let line = file.lines().find(|line| line.starts_with("azimuths")).map(str::to_owned);
    let file = match line {
        Some(line) => file.replace(&line, "azimuths = [\"0 deg\", \"110 deg\", \"240 deg\"]"),
        None => file.replace("[base]\n", "[base]\nazimuths = [\"0 deg\", \"110 deg\", \"240 deg\"]\n"),
    };
    fs::write(&path, file)?;
    let found = json(&["stability", path.to_str().ok_or("a path")?, "--json"])?;
    assert!(found["symmetric_crossing_rad"].is_null() && found["symmetric_crossing_closed_form_rad"].is_null());
    assert_eq!(found["not_symmetric"], "the arms are not 120° apart");
    Ok(())
}

fn complex(value: &Value) -> Vec<(f64, f64)> {
    value.as_array().expect("a list").iter().map(|s| (number(&s[0]), number(&s[1]))).collect()
}

/// Each of one list is near one of the other, and none is used twice.
fn same(found: &[(f64, f64)], expected: &[(f64, f64)], tolerance: f64) -> bool {
    let mut left = expected.to_vec();
    found.len() == expected.len()
        && found.iter().all(|a| {
            let off = |b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
            let near = (0..left.len()).min_by(|&i, &j| off(&left[i]).total_cmp(&off(&left[j])));
            near.is_some_and(|k| off(&left.swap_remove(k)) < tolerance * (1.0 + a.0.hypot(a.1)))
        })
}

/// What python-control reads from the exported files (tools/oracle/linear_models.py) is what we say of the models.
#[test]
fn python_control_finds_the_same_poles() -> Done {
    let golden: Value = serde_json::from_str(include_str!("../../../golden/linear-models.json"))?;
    for case in golden["cases"].as_array().ok_or("cases")? {
        let given: Vec<&str> =
            case["arguments"].as_array().ok_or("arguments")?.iter().filter_map(Value::as_str).collect();
        let model = json(&[&["linearize"], &given[..], &["--json"]].concat())?;
        // Both solve an eigenvalue problem in double precision; a double pole at zero keeps half the digits.
        assert!(same(&complex(&model["poles"]), &complex(&case["poles"]), 1e-7), "{given:?}: {}", model["poles"]);
        if !given.contains(&"--step") {
            let analysed = json(&[&["poles"], &given[..], &["--json"]].concat())?;
            assert!(same(&complex(&analysed["zeros"]), &complex(&case["zeros"]), 1e-7), "{given:?}");
        }
        if let Some(expected) = case["hankel"].as_array() {
            let states = model["A"].as_array().ok_or("A")?.len().to_string();
            let reduced = json(&[&["linearize"], &given[..], &["--order", &states, "--json"]].concat())?;
            for (found, expected) in reduced["hankel_singular_values"].as_array().ok_or("values")?.iter().zip(expected)
            {
                // Theirs are roots of eigenvalues of a product of Gramians: about 1e-8 of the largest.
                assert!(
                    (number(found) - number(expected)).abs() < 1e-7 * number(&expected.clone()).max(1e-3),
                    "{given:?}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn linear_models_reduce_regulate_and_are_written() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let start = ["linearize", "d3-1200", "--joints", "45 deg", "--damping", "0.3"];
    let full = [&start[..], &["--formulation", "baumgarte", "--constraint-poles=-4,-6", "--json"]].concat();
    assert_eq!(json(&full)?["A"].as_array().ok_or("A")?.len(), 18);
    let cut = json(&[&full[..], &["--order", "6"]].concat())?;
    let six = json(&[&start[..], &["--json"]].concat())?;
    assert!(same(&complex(&cut["poles"]), &complex(&six["poles"]), 1e-9));
    for ending in ["mat", "npz", "json"] {
        let name = at(&format!("model.{ending}"));
        assert!(command(&[&start[..], &["--out", &name]].concat()).status.success());
        assert!(fs::metadata(&name)?.len() > 1000);
    }
    let plot = at("bode.svg");
    assert!(command(&[&start[..], &["--plot", &plot]].concat()).status.success());
    assert!(fs::read_to_string(plot)?.contains("frequency response"));
    let placed = json(&["linearize", "asadi", "--joints", "0", "--place=-5,-6,-7,-8,-4+3j,-4-3j", "--json"])?;
    assert!(complex(&placed["closed_loop_poles"]).iter().any(|s| (s.0 + 4.0).hypot(s.1 - 3.0) < 1e-8));
    let best = json(&["linearize", "asadi", "--joints", "0", "--lqr", "100,1,0.01", "--json"])?;
    assert!(complex(&best["closed_loop_poles"]).iter().all(|s| s.0 < 0.0));
    refused(&["linearize", "asadi", "--joints", "0", "--order", "4"], "not stable");
    refused(&["linearize", "asadi", "--place=-5+1j"], "6 states");
    refused(&["linearize", "asadi", "--out", "model.xls"], "unknown ending");
    refused(&["linearize", "asadi", "--outputs", "smell"], "`smell` is none");
    refused(&["linearize", "puma560", "--position", "0,0,0"], "in joints");
    refused(&["linearize", "asadi", "--position", "5,0,-0.4"], "out of reach");
    refused(&["poles", "asadi", "--joints", "1,2"], "3 numbers are needed");
    Ok(())
}

#[test]
fn maps_go_to_files_of_all_kinds() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let names = ["m.svg", "m.png", "m.csv", "m.parquet"].map(at);
    let mut arguments = vec!["map", "mass", "d3-1200", "--count", "60", "--json"];
    names.iter().for_each(|name| arguments.extend(["--out", name]));
    let found = json(&arguments)?;
    assert!(number(&found["inertia_ratio"]) > 2.0);
    assert_eq!(found["channels"][0]["name"], "M11");
    for name in &names {
        assert!(fs::metadata(name)?.len() > 1000, "{name}");
    }
    let one = json(&["map", "stability", "asadi", "--plane", "xz", "--count", "40", "--threads", "1", "--json"])?;
    let many = json(&["map", "stability", "asadi", "--plane", "xz", "--count", "40", "--threads", "3", "--json"])?;
    assert_eq!(one, many);
    assert!(number(&one["channels"][0]["least"]) < 0.0 && number(&one["channels"][0]["largest"]) > 0.0);
    let reach = json(&["map", "reach", "asadi", "--plane", "xz", "--count", "40", "--json"])?;
    assert!(number(&reach["usable"]["cylinder"]["radius"]) > 0.1 && reach["reasons"]["reached"].is_u64());
    let volume = at("v.parquet");
    json(&["map", "gravity", "asadi", "--volume", "--count", "30", "--out", &volume, "--json"])?;
    assert!(fs::metadata(volume)?.len() > 10_000);
    refused(&["map", "mass", "asadi", "--volume", "--out", "v.svg"], "ends in .csv or .parquet");
    refused(&["map", "mass", "asadi", "--channel", "M44"], "no channel");
    refused(&["map", "mass", "asadi", "--at", "5 m", "--out", &at("no.svg")], "nothing is reached");
    refused(&["map", "mass", "puma560"], "serial arm");
    assert_eq!(command(&["map", "beauty", "asadi"]).status.code(), Some(2));
    Ok(())
}
