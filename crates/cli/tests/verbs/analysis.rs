//! The verbs that analyse, through the command: figures of the literature, files for other tools, refusals.

use crate::common::{Done, command, json, number, refused};
use dalembert::linear::{Matrix, Signal, StateSpace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

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
    // Any other robot at the heights of its workspace, or at home: an arm that stands up falls.
    let arm = json(&["stability", "puma560", "--set", "link.3.gear_ratio=1", "--json"])?;
    assert!(arm["poses"].as_array().is_some_and(|poses| !poses.is_empty()), "{arm}");
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

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row.as_array().expect("a row").iter().map(number).collect())
        .collect();
    Matrix::from_fn(rows.len(), rows.first().map_or(0, Vec::len), |i, j| rows[i][j])
}

/// What python-control reads from the exported files (tools/oracle/linear_models.py) is what we say of the models.
#[test]
fn python_control_finds_the_same_poles() -> Done {
    let golden: Value = serde_json::from_str(include_str!("../../../../golden/linear-models.json"))?;
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
        // The response at 1 Hz has C and D in it.
        let signals = |count: usize| vec![Signal { name: String::new(), unit: "" }; count];
        let matrices = ["A", "B", "C", "D"].map(|key| matrix(&model[key]));
        let (n, m, p) = (matrices[0].nrows(), matrices[1].ncols(), matrices[2].nrows());
        let mut system = StateSpace::new(matrices, signals(n), signals(m), signals(p))?;
        system.step = model["Ts"].as_f64().filter(|step| *step > 0.0);
        let response = system.at_frequency(std::f64::consts::TAU)?;
        for (i, row) in case["response"].as_array().ok_or("response")?.iter().enumerate() {
            for (j, expected) in complex(row).into_iter().enumerate() {
                let off = (response[(i, j)].re - expected.0).hypot(response[(i, j)].im - expected.1);
                assert!(off < 1e-9 * expected.0.hypot(expected.1).max(1e-3), "{given:?} {i} {j}: {off}");
            }
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

/// Gains of python-control (SLICOT's or SciPy's Riccati solvers), continuous and sampled.
#[test]
fn python_control_finds_the_same_regulators() -> Done {
    let golden: Value = serde_json::from_str(include_str!("../../../../golden/linear-models.json"))?;
    for case in golden["regulators"].as_array().ok_or("regulators")? {
        let given: Vec<&str> =
            case["arguments"].as_array().ok_or("arguments")?.iter().filter_map(Value::as_str).collect();
        let found = json(&[&["linearize"], &given[..], &["--json"]].concat())?;
        assert!(same(&complex(&found["closed_loop_poles"]), &complex(&case["poles"]), 1e-8), "{given:?}");
        let numbers = |value: &Value| -> Vec<f64> {
            value
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|row| row.as_array().into_iter().flatten().map(number))
                .collect()
        };
        let (gain, expected) = (numbers(&found["gain"]), numbers(&case["gain"]));
        let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert_eq!(gain.len(), expected.len());
        for (a, b) in gain.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-8 * size, "{given:?}: {a} {b}");
        }
    }
    Ok(())
}

/// A state in motion, given in every way, in both formulations; and all states of a motion.
#[test]
fn linear_models_in_motion() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let state = ["--position", "0.1,0,-0.85", "--velocity", "1,0.5,0", "--json"];
    let moving = [&["linearize", "d3-1200"], &state[..], &["--acceleration", "0,0,20"]].concat();
    let six = json(&moving)?;
    let torque: Vec<String> = six["u0"].as_array().ok_or("input")?.iter().map(|t| number(t).to_string()).collect();
    let pushed = json(&[&["linearize", "d3-1200"], &state[..], &["--torque", &torque.join(",")]].concat())?;
    let all = json(&[&moving[..], &["--formulation", "baumgarte"]].concat())?;
    for i in 0..3 {
        let rate = number(&six["dx0"][3 + i]);
        assert!((number(&pushed["dx0"][3 + i]) - rate).abs() < 1e-9 * (1.0 + rate.abs()));
        assert!((number(&all["dx0"][9 + 3 * i]) - rate).abs() < 1e-9 * (1.0 + rate.abs()));
        assert!((number(&all["B"][9 + 3 * i][0]) - number(&six["B"][3 + i][0])).abs() < 1e-9);
    }
    let csv = at("motion.csv");
    let written = command(&["trajectory", "d3-1200", "--every", "20ms", "--out", &csv]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let rows = fs::read_to_string(&csv)?.lines().count() - 1;
    for formulation in ["explicit", "baumgarte"] {
        let motion = ["linearize", "d3-1200", "--states", &csv, "--formulation", formulation];
        for ending in ["mat", "npz", "json"] {
            let name = at(&format!("{formulation}.{ending}"));
            let output = command(&[&motion[..], &["--out", &name]].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(fs::metadata(&name)?.len() as usize > 8 * rows * 36);
        }
        let found = json(&[&motion[..], &["--json"]].concat())?;
        for key in ["A", "B", "C", "D", "t", "poles"] {
            assert_eq!(found[key].as_array().ok_or(key)?.len(), rows, "{key}");
        }
    }
    let plot = at("poles.svg");
    let poles = json(&["poles", "d3-1200", "--states", &csv, "--plot", &plot, "--json"])?;
    assert_eq!(poles["poles"].as_array().ok_or("poles")?.len(), rows);
    assert!(fs::read_to_string(plot)?.contains("poles along a motion"));
    // A serial arm, with torques instead of accelerations.
    let arm = at("arm.csv");
    let names = |stem: &str| (1..=6).map(|i| format!("{stem}{i}")).collect::<Vec<_>>().join(",");
    let header = format!("t,{},{},{}", names("q"), names("qd"), names("tau"));
    fs::write(
        &arm,
        format!(
            "{header}\n0,0,-0.8,0.5,0,0.7,0,0,0,0,0,0,0,0,20,5,0,0,0\n0.1,0,-0.7,0.5,0,0.7,0,1,0,0,0,0,0,0,20,5,0,0,0\n"
        ),
    )?;
    let found = json(&["linearize", "puma560", "--states", &arm, "--step", "1ms", "--json"])?;
    assert_eq!(found["A"].as_array().ok_or("A")?.len(), 2);
    assert_eq!(number(&found["Ts"]), 1e-3);
    refused(&["linearize", "puma560", "--states", &csv], "missing");
    refused(&["linearize", "d3-1200", "--states", &csv, "--order", "6"], "--order");
    refused(&["linearize", "d3-1200", "--states", &csv, "--place", "-1"], "not for a motion");
    // The regulator along the motion: in the file, in the output and as a table.
    let (gains, file) = (at("gains.csv"), at("regulated.npz"));
    let regulated = ["linearize", "d3-1200", "--states", &csv, "--lqr", "1e4,10,0.01"];
    let found = json(&[&regulated[..], &["--gains", &gains, "--out", &file, "--json"]].concat())?;
    assert_eq!(found["K"].as_array().ok_or("gains")?.len(), rows);
    let table = fs::read_to_string(&gains)?;
    assert!(table.starts_with("t,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3,k_tau1_q1,") && table.lines().count() == rows + 1);
    assert!(fs::read(&file)?.windows(5).any(|bytes| bytes == b"K.npy"));
    let said = String::from_utf8(command(&regulated).stdout)?;
    assert!(said.contains("Gains K(t)"), "{said}");
    refused(&[&regulated[..], &["--step", "1ms"]].concat(), "must follow each other");
    refused(&["linearize", "d3-1200", "--joints", "0", "--lqr", "1,1,1", "--gains", &gains], "regulator of a motion");
    refused(&["linearize", "d3-1200", "--states", &at("none.csv")], "cannot read");
    refused(&["linearize", "asadi", "--joints", "0", "--step", "1ms", "--place=-5,-5,-5,-8,-8,-8"], "unit circle");
    let twice = at("twice.csv");
    fs::write(&twice, "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0,0,-0.85,0,0,0,0,0,0\n0,0,0,-0.85,0,0,0,0,0,0\n")?;
    refused(&["linearize", "d3-1200", "--states", &twice], "times must grow");
    fs::write(&twice, "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.85,0,0,0,0,0,0\n")?;
    refused(&["linearize", "d3-1200", "--states", &twice], "column `t`");
    // Before a row is read, and before any is linearised.
    fs::write(&twice, "x,y,z,vx,vy,vz,ax,ay,az\n0,0,far,0,0,0,0,0,0\n")?;
    refused(&["linearize", "d3-1200", "--states", &twice], "column `t`");
    refused(&["linearize", "d3-1200", "--states", &at("none.csv"), "--order", "2"], "--order");
    fs::write(&twice, "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0,0,-5,0,0,0,0,0,0\n")?;
    refused(&["poles", "d3-1200", "--states", &twice], "line 2");
    assert_eq!(command(&["poles", "d3-1200", "--states", &csv, "--joints", "0"]).status.code(), Some(2));
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
    refused(&[&start[..], &["--order", "7"]].concat(), "order 7");
    refused(&[&start[..], &["--order", "4", "--lqr", "1,1,1"]].concat(), "--lqr weighs angles");
    refused(&[&start[..], &["--constraint-poles=-5,-6"]].concat(), "baumgarte");
    refused(&[&full[..], &["--coordinates", "cartesian"]].concat(), "coordinates of its own");
    let stable = json(&["linearize", "asadi", "--joints", "0", "--part", "stable", "--json"])?;
    assert_eq!(complex(&stable["poles"]).len(), 1);
    let minimal = json(&[&full[..], &["--part", "minimal"]].concat())?;
    assert!(same(&complex(&minimal["poles"]), &complex(&six["poles"]), 1e-9));
    // A reduced model of a point in motion moves as the full one does.
    let moving = [&start[..], &["--joint-velocity", "0.2,0,0", "--json"]].concat();
    let part = json(&[&moving[..], &["--part", "minimal"]].concat())?;
    assert!(part["dx0"].as_array().ok_or("rate")?.iter().any(|r| number(r).abs() > 0.01));
    let response = at("response.csv");
    assert!(command(&[&start[..], &["--response", &response]].concat()).status.success());
    assert!(fs::read_to_string(response)?.starts_with("f,gain_q1_tau1,phase_q1_tau1,gain_q1_tau2"));
    let text = String::from_utf8(command(&[&["poles"], &full[1..full.len() - 1]].concat()).stdout)?;
    assert!(text.contains("6 ×") && text.contains("3 of 6"), "{text}");
    let text = String::from_utf8(command(&["poles", "d3-1200", "--joints", "0", "--joint-velocity", "1"]).stdout)?;
    assert!(text.contains("frozen at a point of a motion") && !text.contains("grows"), "{text}");
    // A slide is not an angle.
    let slide = at("slide.toml");
    fs::write(
        &slide,
        r#"kind = "serial"
name = "slide"
convention = "standard-dh"
[[link]]
joint = "prismatic"
alpha = "90 deg"
a = 0.0
d = 0.0
theta_offset = 0.0
mass = 3.0
center_of_mass = [0.0, 0.0, 0.0]
inertia = [0.01, 0.01, 0.01]
[[link]]
joint = "revolute"
alpha = "0 deg"
a = 0.5
d = 0.0
mass = 1.0
center_of_mass = [-0.25, 0.0, 0.0]
inertia = [0.001, 0.01, 0.01]
"#,
    )?;
    let model = json(&["linearize", &slide, "--joints", "10 cm,45 deg", "--json"])?;
    assert_eq!(number(&model["x0"][0]), 0.1);
    refused(&["linearize", &slide, "--joints", "45 deg,45 deg"], "length");
    refused(&["linearize", "asadi", "--place=-5+1j"], "6 states");
    refused(&["linearize", "asadi", "--out", "model.xls"], "unknown ending");
    refused(&["linearize", "asadi", "--outputs", "smell"], "`smell` is not an output");
    refused(&["linearize", "puma560", "--position", "0,0,0"], "in joints");
    refused(&["linearize", "asadi", "--position", "5,0,-0.4"], "out of reach");
    refused(&["poles", "asadi", "--joints", "1,2"], "3 numbers are needed");
    Ok(())
}

/// The arrays of an `.npz` file by name: shape, whether columns come first, numbers. After NumPy's documentation of the
/// format and the ZIP specification, not after our writer.
fn npz(bytes: &[u8]) -> BTreeMap<String, (Vec<usize>, bool, Vec<f64>)> {
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let (count, mut entry) = (u16_at(end + 10), u32_at(end + 16));
    let mut all = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&bytes[entry..entry + 4], b"PK\x01\x02");
        let (size, name, local) = (u32_at(entry + 24), u16_at(entry + 28), u32_at(entry + 42));
        let title = String::from_utf8_lossy(&bytes[entry + 46..entry + 46 + name]).into_owned();
        entry += 46 + name + u16_at(entry + 30) + u16_at(entry + 32);
        assert_eq!(&bytes[local..local + 4], b"PK\x03\x04");
        let start = local + 30 + u16_at(local + 26) + u16_at(local + 28);
        let data = &bytes[start..start + size];
        assert_eq!(&data[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([data[8], data[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = String::from_utf8_lossy(&data[10..10 + length]).into_owned();
        let shape = header.split('(').nth(1).and_then(|rest| rest.split(')').next()).expect("a shape");
        let shape: Vec<usize> = shape.split(',').filter_map(|text| text.trim().parse().ok()).collect();
        if header.contains("'<f8'") {
            let numbers = data[10 + length..].chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().expect("eight")));
            all.insert(title, (shape, header.contains("'fortran_order': True"), numbers.collect()));
        }
    }
    all
}

/// The numeric arrays of a MAT-file of level 5 by name: shape and numbers, columns first. After The MathWorks' document.
fn mat(bytes: &[u8]) -> BTreeMap<String, (Vec<usize>, Vec<f64>)> {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    assert_eq!(&bytes[124..128], [0x00, 0x01, b'I', b'M']);
    let (mut at, mut all) = (128, BTreeMap::new());
    while at < bytes.len() {
        let (kind, size) = (word(at), word(at + 4));
        assert_eq!(kind, 14, "a matrix");
        let end = at + 8 + size;
        // Flags, dimensions, name, numbers: each with a tag and filled up to eight bytes.
        let mut part = at + 8;
        let mut next = || {
            let (start, size) = (part + 8, word(part + 4));
            part = start + size.next_multiple_of(8);
            (start, size)
        };
        let (flags, _) = next();
        let class = word(flags) & 0xff;
        let (shape, count) = next();
        let shape: Vec<usize> = (0..count / 4).map(|k| word(shape + 4 * k)).collect();
        let (name, length) = next();
        let name = String::from_utf8_lossy(&bytes[name..name + length]).into_owned();
        if class == 6 {
            let (data, size) = next();
            let numbers =
                bytes[data..data + size].chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().expect("eight")));
            all.insert(name, (shape, numbers.collect()));
        }
        at = end.next_multiple_of(8);
    }
    all
}

/// What is in the files is what JSON says, bit for bit: one model and those of a motion.
#[test]
fn files_hold_the_model() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let csv = at("motion.csv");
    fs::write(
        &csv,
        "t,x,y,z,vx,vy,vz,ax,ay,az\n0,0.1,0,-0.85,1,0.5,0,0,0,20\n0.1,0.12,0.01,-0.85,0.9,0.5,0.1,0,3,0\n0.3,0.1,0,-0.8,0,0,0,0,0,0\n",
    )?;
    let point = [
        "linearize",
        "d3-1200",
        "--position",
        "0.1,0,-0.85",
        "--velocity",
        "1,0,0",
        "--outputs",
        "joints,acceleration",
    ];
    let motion = ["linearize", "d3-1200", "--states", &csv, "--outputs", "position,acceleration"];
    for given in [&point[..], &motion[..]] {
        let (npz_name, mat_name) = (at("m.npz"), at("m.mat"));
        let expected = json(&[given, &["--json"]].concat())?;
        for name in [&npz_name, &mat_name] {
            assert!(command(&[given, &["--out", name]].concat()).status.success());
        }
        let (npz, mat) = (npz(&fs::read(&npz_name)?), mat(&fs::read(&mat_name)?));
        let pages = expected["t"].as_array().map_or(1, Vec::len);
        for key in ["A", "B", "C", "D"] {
            let (shape, columns_first, numbers) = &npz[&format!("{key}.npy")];
            let (size, values) = &mat[key];
            for k in 0..pages {
                let page = matrix(if expected["t"].is_null() { &expected[key] } else { &expected[key][k] });
                let (rows, columns) = page.shape();
                let whole = if expected["t"].is_null() { vec![rows, columns] } else { vec![pages, rows, columns] };
                assert_eq!(*shape, whole, "{key}");
                assert_eq!(size[..2], [rows, columns]);
                assert_eq!(size.get(2).copied().unwrap_or(1), pages);
                for i in 0..rows {
                    for j in 0..columns {
                        let in_npz = if *columns_first { j * rows + i } else { i * columns + j } + k * rows * columns;
                        assert_eq!(numbers[in_npz].to_bits(), page[(i, j)].to_bits(), "{key} {k} {i} {j}");
                        assert_eq!(values[k * rows * columns + j * rows + i].to_bits(), page[(i, j)].to_bits());
                    }
                }
            }
        }
        // A number and vectors as NumPy has them: `control.ss(…, m["Ts"])` takes no matrix.
        assert!(npz["Ts.npy"].0.is_empty() && npz["Ts.npy"].2 == [number(&expected["Ts"])]);
        assert_eq!(mat["Ts"].0, [1, 1]);
        for key in ["x0", "u0", "y0", "dx0"] {
            let list = &expected[key];
            assert_eq!(npz[&format!("{key}.npy")].0.len(), if expected["t"].is_null() { 1 } else { 2 });
            let rows: Vec<&Value> =
                if expected["t"].is_null() { vec![list] } else { list.as_array().ok_or(key)?.iter().collect() };
            let flat: Vec<f64> = rows.iter().flat_map(|row| row.as_array().into_iter().flatten().map(number)).collect();
            assert_eq!(npz[&format!("{key}.npy")].2, flat, "{key}");
            assert_eq!(mat[key].1, flat, "{key}");
        }
        if let Some(times) = expected["t"].as_array() {
            assert_eq!(npz["t.npy"].0, [times.len()]);
            assert_eq!(npz["t.npy"].2, times.iter().map(number).collect::<Vec<_>>());
        }
    }
    Ok(())
}

#[test]
fn maps_go_to_files_of_all_kinds() -> Done {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name).to_str().expect("a path").to_owned();
    let names = ["m.svg", "m.png", "m.csv", "m.parquet"].map(at);
    let mut arguments = vec!["map", "d3-1200", "mass", "--count", "60", "--json"];
    names.iter().for_each(|name| arguments.extend(["--out", name]));
    let found = json(&arguments)?;
    assert!(number(&found["inertia_ratio"]) > 2.0);
    assert_eq!(found["channels"][0]["name"], "M11");
    for name in &names {
        assert!(fs::metadata(name)?.len() > 1000, "{name}");
    }
    let one = json(&["map", "asadi", "stability", "--plane", "xz", "--count", "40", "--threads", "1", "--json"])?;
    let many = json(&["map", "asadi", "stability", "--plane", "xz", "--count", "40", "--threads", "3", "--json"])?;
    assert_eq!(one, many);
    assert!(number(&one["channels"][0]["least"]) < 0.0 && number(&one["channels"][0]["largest"]) > 0.0);
    let reach = json(&["map", "asadi", "reach", "--plane", "xz", "--count", "40", "--json"])?;
    assert!(number(&reach["usable"]["cylinder"]["radius"]) > 0.1 && reach["reasons"]["reached"].is_u64());
    let volume = at("v.parquet");
    json(&["map", "asadi", "gravity", "--volume", "--count", "30", "--out", &volume, "--json"])?;
    assert!(fs::metadata(volume)?.len() > 10_000);
    // A volume as text: the same bytes with any number of threads; the reasons are counted on the way.
    let [one, two] = ["one.csv", "two.csv"].map(at);
    for (name, threads) in [(&one, "1"), (&two, "2")] {
        let options = ["--volume", "--count", "60", "--threads", threads, "--out", name, "--json"];
        let found = json(&[&["map", "asadi", "reach"], &options[..]].concat())?;
        let counted = found["reasons"].as_object().ok_or("reasons")?.values().map(number).sum::<f64>();
        assert_eq!(counted, 216_000.0);
    }
    assert!(fs::read(&one)? == fs::read(&two)?);
    assert_eq!(fs::read_to_string(&one)?.lines().count(), 216_001);
    refused(&["map", "asadi", "mass", "--volume", "--out", "v.svg"], "ends in .csv or .parquet");
    refused(&["map", "asadi", "mass", "--channel", "M44", "--out", &at("no.svg")], "no channel");
    refused(&["map", "asadi", "mass", "--channel", "M12"], "no picture");
    refused(&["map", "asadi", "mass", "--at", "5 m", "--out", &at("no.svg")], "nothing is reached");
    let arm = json(&["map", "puma560", "stability", "--count", "6", "--json"])?;
    assert!(number(&arm["channels"][0]["least"]) < 0.0, "{arm}");
    let heavier = |payload| -> Result<f64, Box<dyn std::error::Error>> {
        let found = json(&["map", "puma560", "mass", "--count", "20", "--payload", payload, "--json"])?;
        Ok(number(&found["channels"][0]["largest"]))
    };
    assert!(heavier("2")? > heavier("0")?);
    refused(&["map", "puma560", "mass", "--posture", "up,down,left"], "is not a posture");
    refused(&["map", "d3-1200", "mass", "--orientation", "0,0,0"], "does not turn");
    refused(&["map", "d3-1200", "mass", "--posture", "front,positive,positive"], "for serial arms");
    refused(&["map", "puma560", "mass", "--least-margin", "0.2"], "does not offer margins");
    refused(&["map", "d3-1200", "reach", "--model", "asadi"], "--model is for");
    refused(&["map", "d3-1200", "mass", "--encoder-step", "1e-5"], "--encoder-step is for");
    refused(&["map", "d3-1200", "determinant", "--least-margin", "0.2"], "--least-margin is for");
    refused(&["map", "d3-1200", "mass", "--least-margin", "7"], "between 0 and 1");
    let empty = String::from_utf8(command(&["map", "d3-1200", "mass", "--at", "5", "--count", "10"]).stdout)?;
    assert!(empty.contains("nothing is reached"), "{empty}");
    // A larger margin, a smaller cylinder; joint limits count in both.
    let tight = json(&["map", "asadi", "reach", "--plane", "xz", "--count", "40", "--least-margin", "0.3", "--json"])?;
    assert!(number(&tight["usable"]["cylinder"]["radius"]) < number(&reach["usable"]["cylinder"]["radius"]));
    // Elbows in: regions of their own, or the reason why there are none.
    let inward = ["map", "asadi", "reach", "--plane", "xz", "--count", "40", "--branch", "in", "--json"];
    let found = json(&inward)?;
    assert!(found["usable"] != reach["usable"] && (found["usable"].is_object() || found["not_usable"].is_string()));
    let strict = [&inward[..], &["--least-margin", "0.95"]].concat();
    assert!(json(&strict)?["not_usable"].as_str().is_some_and(|text| text.contains("elbows in")));
    refused(&["map", "puma560", "mass", "--branch", "in"], "for Delta robots, not for a serial arm");
    let arm = ["gravity.svg", "gravity.png", "gravity.csv"].map(at);
    let mut arguments = vec!["map", "puma560", "gravity", "--plane", "xz", "--at", "0.2", "--count", "30", "--json"];
    arm.iter().for_each(|name| arguments.extend(["--out", name]));
    let found = json(&arguments)?;
    assert_eq!(found["channels"].as_array().ok_or("channels")?.len(), 7);
    assert!(arm.iter().all(|name| fs::metadata(name).is_ok_and(|file| file.len() > 1000)));
    assert_eq!(command(&["map", "beauty", "asadi"]).status.code(), Some(2));
    Ok(())
}

/// Ctrl-C ends a long map with code 130 and leaves nothing behind.
#[test]
#[cfg(unix)]
fn a_map_can_be_interrupted() -> Done {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("volume.parquet");
    let name = path.to_str().ok_or("a path")?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(["map", "d3-1200", "stability", "--volume", "--count", "1000", "--out", name])
        .stderr(std::process::Stdio::piped())
        .spawn()?;
    // It has begun when its file of another name is there; it would take minutes.
    while fs::read_dir(directory.path())?.next().is_none() {
        assert!(child.try_wait()?.is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status()?.success());
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("nothing is written"), "{text}");
    assert!(fs::read_dir(directory.path())?.next().is_none(), "nothing is left");
    Ok(())
}

/// With dry friction a robot that stands sticks. What is said does not depend on how its friction is smoothed, or it is said that it
/// does, and the answer without dry friction stands beside it.
#[test]
fn dry_friction_at_rest_is_told() -> Done {
    let directory = tempfile::tempdir()?;
    let plain = String::from_utf8(command(&["robots", "show", "d3-1200"]).stdout)?;
    let rubbing = |smoothing: &str| {
        let path = directory.path().join(format!("{smoothing}.toml"));
        let friction =
            format!("friction = {{ viscous = 0.2, coulomb = 0.3, static = 0.4, smoothing_velocity = {smoothing} }}");
        let text: Vec<&str> = plain.lines().filter(|line| !line.starts_with("friction")).collect();
        let text = text.join("\n").replace("[motor]", &format!("[motor]\n{friction}"));
        fs::write(&path, text).map(|()| path.display().to_string())
    };
    let (coarse, fine) = (rubbing("1e-2")?, rubbing("1e-5")?);
    let (coarse, fine) = (coarse.as_str(), fine.as_str());
    let growth = |robot: &str| -> Result<Value, Box<dyn std::error::Error>> {
        let found = json(&["stability", robot, "--json"])?;
        assert_eq!(found["dry_friction"]["holds"][1], 0.4);
        Ok(found["symmetric_poses"].clone())
    };
    assert_eq!(growth(coarse)?, growth(fine)?);
    assert_eq!(growth(fine)?, json(&["stability", "d3-1200", "--damping", "0.2", "--json"])?["symmetric_poses"]);
    let poles = |robot: &str| json(&["poles", robot, "--joints", "0", "--json"]);
    let (one, other) = (poles(coarse)?, poles(fine)?);
    assert_ne!(one["modes"], other["modes"]);
    assert_eq!(one["poles_without_dry_friction"], other["poles_without_dry_friction"]);
    let slope = number(&other["dry_friction"]["smoothing_slope"][0]);
    assert!((slope / 4e4 - 1.0).abs() < 1e-9, "{slope}");
    let linear = json(&["linearize", fine, "--joints", "0", "--json"])?;
    assert_eq!(linear["poles_without_dry_friction"], other["poles_without_dry_friction"]);
    for verb in ["poles", "linearize", "stability"] {
        let given: &[&str] = if verb == "stability" { &[] } else { &["--joints", "0"] };
        let told = String::from_utf8(command(&[&[verb, fine][..], given].concat()).stdout)?;
        assert!(told.contains("sticking:") && told.contains("more than 0.4 N m"), "{verb}: {told}");
        let smooth = String::from_utf8(command(&[&[verb, "d3-1200"][..], given].concat()).stdout)?;
        assert!(!smooth.contains("sticking"), "{verb}: {smooth}");
    }
    // In motion friction has a slope of its own.
    let moving = json(&["poles", fine, "--joints", "0", "--joint-velocity", "1", "--json"])?;
    assert!(moving["dry_friction"].is_null() && moving["poles_without_dry_friction"].is_null(), "{moving}");
    Ok(())
}

#[test]
fn gains_that_destabilise_and_models_without_states_are_refused() {
    refused(&["linearize", "asadi", "--joints", "0", "--place=5,-5,-5,-8,-8,-8"], "5 1/s is no pole of a stable loop");
    refused(&["linearize", "asadi", "--joints", "45 deg", "--damping", "0.3", "--order", "0"], "--order is 0");
}
