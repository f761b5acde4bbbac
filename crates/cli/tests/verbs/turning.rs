//! A Delta with a fourth axis from outside: every verb that takes it, and what refuses it.

use super::common::{Done, command, json, number, refused};
use std::fs;
use std::path::Path;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/d3-1200-fourth-axis-assumed.toml");

/// The columns of what a verb makes of a table.
fn computed(folder: &Path, arguments: &[&str], table: &str) -> Vec<(String, f64)> {
    let file = folder.join("in.csv");
    fs::write(&file, table).unwrap();
    let output = command(&[arguments, &["--input", file.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(|line| line.split(','));
    let (names, row) = (lines.next().unwrap(), lines.next().unwrap());
    names.map(str::to_owned).zip(row.map(|x| x.parse().unwrap_or(f64::NAN))).collect()
}

fn of(row: &[(String, f64)], name: &str) -> f64 {
    row.iter().find(|(column, _)| column == name).unwrap_or_else(|| panic!("no column {name} in {row:?}")).1
}

fn csv(row: &[(String, f64)], names: &[&str]) -> String {
    let values: Vec<String> = names.iter().map(|name| format!("{:?}", of(row, name))).collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

const STATE: &str = "x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n0.11,-0.07,-0.85,7.1,0.8,-1.1,0.4,-9,12,7,-15,150\n";

#[test]
fn there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let moved = computed(folder.path(), &["torque", ROBOT], STATE);
    // The angle is the joint, whole turns counted.
    assert_eq!((of(&moved, "q4"), of(&moved, "qd4"), of(&moved, "qdd4")), (7.1, -9.0, 150.0));
    let joints = ["q1", "q2", "q3", "q4", "qd1", "qd2", "qd3", "qd4"];
    let torques = ["tau1", "tau2", "tau3", "tau4"];
    let given = csv(&moved, &[&joints[..], &torques].concat());
    let back = computed(folder.path(), &["accel", ROBOT], &given);
    for (name, expected) in
        [("ax", 12.0), ("ay", 7.0), ("az", -15.0), ("cdd", 150.0), ("x", 0.11), ("c", 7.1), ("cd", -9.0)]
    {
        assert!((of(&back, name) - expected).abs() < 1e-9, "{name}: {} for {expected}", of(&back, name));
    }
    // By joints the same torques; forward and inverse kinematics agree.
    let by_joints = csv(&moved, &[&joints[..], &["qdd1", "qdd2", "qdd3", "qdd4"]].concat());
    let again = computed(folder.path(), &["torque", ROBOT], &by_joints);
    for name in torques {
        assert!((of(&again, name) - of(&moved, name)).abs() < 1e-10 * of(&moved, name).abs().max(1.0), "{name}");
    }
    let place = computed(folder.path(), &["fk", ROBOT], &csv(&moved, &joints[..4]));
    let joint = computed(folder.path(), &["ik", ROBOT], &csv(&place, &["x", "y", "z", "c"]));
    joints[..4].iter().for_each(|q| assert!((of(&joint, q) - of(&moved, q)).abs() < 1e-12, "{q}"));
    // τ = M q̈ + g at rest.
    let still = "x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n0.11,-0.07,-0.85,0.4,0,0,0,0,0,0,0,30\n";
    let turned = computed(folder.path(), &["torque", ROBOT], still);
    let mass = computed(folder.path(), &["mass", ROBOT], "x,y,z,c\n0.11,-0.07,-0.85,0.4\n");
    for i in 1..=4 {
        let expected: f64 = (1..=4)
            .map(|j| of(&mass, &format!("M{}{}", i.min(j), i.max(j))) * of(&turned, &format!("qdd{j}")))
            .sum::<f64>()
            + of(&mass, &format!("g{i}"));
        let torque = of(&turned, &format!("tau{i}"));
        assert!((torque - expected).abs() < 1e-11, "tau{i}: {torque} for {expected}");
    }
}

#[test]
fn a_straight_shaft_is_an_inertia() {
    let folder = tempfile::tempdir().unwrap();
    let above = "x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n0,0,-0.85,1,0,0,0,0,0,0,0,100\n";
    let row = computed(folder.path(), &["torque", ROBOT, "--details"], above);
    // n² J of the rotor, the tool's, and those of tube and rod about their axis.
    let inertia = 25.0 * 0.2e-4 + 1.5e-4 + 0.4e-4 + 0.15e-4;
    assert!((of(&row, "tau4") - 100.0 * inertia).abs() < 1e-14, "{}", of(&row, "tau4"));
    assert!((of(&row, "shaft_length") - (0.05 + 0.85 - 0.04)).abs() < 1e-15 && of(&row, "ball4") < 1e-7);
    // Bent, it feels the platform's motion, and the arms feel its turn.
    let bent = |cd: f64| format!("x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n0.3,0.1,-0.85,1,1,1,0,{cd},0,0,0,0\n");
    let [turning, resting] = [30.0, 0.0].map(|cd| computed(folder.path(), &["torque", ROBOT], &bent(cd)));
    assert!(of(&resting, "tau4").abs() > 1e-6 && (of(&turning, "tau1") - of(&resting, "tau1")).abs() > 1e-6);
}

#[test]
fn it_turns_while_it_moves() -> Done {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("motion.csv");
    let file = file.to_str().unwrap();
    let gcode = folder.path().join("motion.ngc");
    let order =
        ["trajectory", ROBOT, "--turn", "270 deg", "--profile", "time-optimal", "--every", "2 ms", "--out", file];
    let output = command(&[&order[..], &["--gcode", gcode.to_str().unwrap()]].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(file)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[..13].join(","), "t,x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd");
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let column = |name: &str| {
        let place = header.iter().position(|column| *column == name).unwrap();
        rows.iter().map(|row| row[place]).collect::<Vec<f64>>()
    };
    assert_eq!(column("c"), column("q4"));
    let most = |name: &str| column(name).into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!((most("c") - 1.5 * std::f64::consts::PI).abs() < 1e-2, "{}", most("c"));
    assert!(column("c")[0] == 0.0 && column("c").last().unwrap().abs() < 1e-9);
    // Its motor keeps its limits as the others do.
    assert!(most("tau4") < 6.0 * 1.01 && most("qd4") < 60.0 * 1.01 && most("tau1") < 80.0 * 1.01);
    let gcode = fs::read_to_string(gcode)?;
    assert!(gcode.contains(" C0.000000") && gcode.contains(" C26"), "{gcode}");
    // Without a turn it is not slower.
    let time = |more: &[&str]| {
        let order = ["trajectory", ROBOT, "--profile", "time-optimal", "--json"];
        json(&[&order[..], more].concat()).map(|summary| number(&summary["duration"]))
    };
    let [straight, turned] = [time(&[])?, time(&["--turn", "6 rad"])?];
    assert!(straight < turned, "{straight} s and {turned} s");
    // The file can be followed, and motors can be found for it: one for the arms, one for the axis.
    let sized = json(&["size", ROBOT, "--motion", file, "--json"])?;
    let text = sized.to_string();
    assert!(text.contains("[1,2,3]") && text.contains("[4]"), "{text}");
    let simulated = json(&["simulate", ROBOT, "--path", file, "--law", "computed-torque", "--json"])?;
    assert!(!simulated.to_string().is_empty());
    Ok(())
}

#[test]
fn it_moves_under_control_and_alone() {
    for law in ["pd", "feedforward", "computed-torque", "cartesian", "impedance"] {
        let output = command(&["simulate", ROBOT, "--law", law, "--turn", "90 deg", "--json"]);
        assert!(output.status.success(), "{law}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let output = command(&["simulate", ROBOT, "--free", "--duration", "0.2", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = command(&["linearize", ROBOT, "--joints", "0.2,0.2,0.2,1", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("qd4"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_motor_on_the_platform_weighs() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(ROBOT).unwrap();
    let shaft = text.find("[fourth_axis.shaft]").unwrap();
    let on_platform = text[..shaft].replace("gear_ratio = 5", "gear_ratio = 5\nmass = \"0.5 kg\"");
    let file = folder.path().join("motor.toml");
    fs::write(&file, &on_platform).unwrap();
    let axis = computed(folder.path(), &["torque", file.to_str().unwrap()], STATE);
    // The same as a Delta that carries motor and tool.
    let plain = folder.path().join("plain.toml");
    let without =
        on_platform[..on_platform.find("\n[fourth_axis]").unwrap()].replace("mass = \"0.94 kg\"", "mass = \"1.59 kg\"");
    fs::write(&plain, without).unwrap();
    let delta = computed(folder.path(), &["torque", plain.to_str().unwrap()], STATE);
    for name in ["tau1", "tau2", "tau3"] {
        assert!((of(&axis, name) - of(&delta, name)).abs() < 1e-12 * of(&delta, name).abs().max(1.0), "{name}");
    }
    let expected = (25.0 * 0.2e-4 + 1.5e-4) * 150.0 - 0.002 * 9.0 - 0.05;
    assert!((of(&axis, "tau4") - expected).abs() < 1e-12, "{}", of(&axis, "tau4"));
}

/// A Delta whose arms and forearms are written as legs of a parallel robot has the same axis with the same torques.
#[test]
fn any_platform_that_translates_can_have_the_axis() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(ROBOT).unwrap();
    let axis = &text[text.find("\n[fourth_axis]").unwrap()..];
    let legs = r#"
kind = "parallel"
name = "legs"
symmetry = 3
[[leg]]
kind = "rotary"
base = [0.25, 0, 0]
platform = [0.1, 0, 0]
axis = [0, 1, 0]
zero = [1, 0, 0]
arm = { length = 0.375, mass = 1.4, center_of_mass = 0.122, inertia = 0.035 }
rod = { length = 0.9, mass = 0.39, center_of_mass = 0.45, inertia = 0.026325 }
[platform]
mass = 0.94
[home]
position = [0, 0, -0.8]
"#;
    let file = folder.path().join("legs.toml");
    fs::write(&file, format!("{legs}\n{axis}")).unwrap();
    let file = file.to_str().unwrap();
    let torques = ["tau1", "tau2", "tau3", "tau4"];
    let [delta, legs] = [ROBOT, file].map(|robot| computed(folder.path(), &["torque", robot, "--details"], STATE));
    for name in torques.into_iter().chain(["q1", "qd2", "qdd3", "q4", "ball4", "shaft_length", "shaft_spin"]) {
        let (found, expected) = (of(&legs, name), of(&delta, name));
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{name}: {found} for {expected}");
    }
    let joints = ["q1", "q2", "q3", "q4", "qd1", "qd2", "qd3", "qd4"];
    let back = computed(folder.path(), &["accel", file], &csv(&legs, &[&joints[..], &torques].concat()));
    for (name, expected) in [("ax", 12.0), ("az", -15.0), ("cdd", 150.0), ("y", -0.07), ("c", 7.1)] {
        assert!((of(&back, name) - expected).abs() < 1e-9, "{name}: {} for {expected}", of(&back, name));
    }
    let place = ["linearize", "--joints", "0.2,0.2,0.2,1", "--json"];
    let [of_delta, of_legs] =
        [ROBOT, file].map(|robot| json(&[&place[..1], &[robot], &place[1..]].concat()).unwrap()["A"].to_string());
    let numbers = |text: &str| -> Vec<f64> {
        text.split(['[', ']', ',']).filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect()
    };
    for (found, expected) in numbers(&of_legs).iter().zip(numbers(&of_delta)) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} for {expected}");
    }
    let output = command(&["simulate", file, "--law", "computed-torque", "--turn", "90 deg", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Six legs turn their platform themselves.
    let hexa = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/hexa.toml")).unwrap();
    let six = folder.path().join("six.toml");
    fs::write(&six, format!("{hexa}\n{axis}")).unwrap();
    refused(&["check", six.to_str().unwrap()], "this one turns itself");
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(ROBOT).unwrap();
    let with = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let file = folder.path().join(format!("{name}.toml"));
        fs::write(&file, text.replace(from, to)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    for (name, from, to, told) in [
        ("typo", "platform_joint", "platform_jonit", "did you mean `platform_joint`?"),
        ("heavy", "gear_ratio = 5", "gear_ratio = 5\nmass = 1", "with a shaft the motor is on the base"),
        ("thick", "axial_inertia = \"0.15 kg cm^2\"", "axial_inertia = 1", "at most twice the transverse inertia"),
        ("none", "inertia = \"1.5 kg cm^2\"", "", "[fourth_axis.tool] has no `inertia`"),
        ("unit", "platform_joint = \"40 mm\"", "platform_joint = \"40 kg\"", "but a length is needed"),
        ("length", "[\"0.55 m\", \"1.2 m\"]", "[\"1.2 m\", \"0.55 m\"]", "fourth_axis.shaft.length"),
        ("gear", "gear_ratio = 5", "gear_ratio = 0", "`fourth_axis.motor.gear_ratio` is 0"),
        ("halved", "[fourth_axis.shaft.rod]", "[fourth_axis.shaft.rods]", "fourth_axis.shaft"),
    ] {
        refused(&["check", &with(name, from, to)], told);
    }
    let short = with("short", "[\"0.55 m\", \"1.2 m\"]", "[\"0.55 m\", \"0.8 m\"]");
    let states = folder.path().join("states.csv");
    fs::write(&states, STATE).unwrap();
    refused(&["torque", &short, "--input", states.to_str().unwrap()], "the shaft of the fourth axis would be 0.8");
    let plain = folder.path().join("plain.csv");
    fs::write(&plain, "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-0.9,0,0,0,0,0,0\n").unwrap();
    refused(&["torque", ROBOT, "--input", plain.to_str().unwrap()], "columns `c`, `cd`, `cdd` are missing");
    refused(
        &["torque", ROBOT, "--model", "codourey", "--input", states.to_str().unwrap()],
        "is not a model of a Delta robot with a fourth axis",
    );
    refused(&["trajectory", "d3-1200", "--turn", "1"], "does not turn about z");
    refused(&["trajectory", ROBOT, "--turn", "1", "--path", "conveyor"], "has no turn that could be given");
    refused(&["trajectory", ROBOT, "--orientation", "1,0,0"], "turns the tool about z, and in no other direction");
    refused(&["linearize", ROBOT, "--coordinates", "cartesian"], "in joint coordinates only");
    refused(&["derive", ROBOT], "Delta robot with a fourth axis");
    refused(&["map", ROBOT, "reach", "--plane", "roll-pitch", "--out", "no.svg"], "turns the tool about z only");
}

/// What a number is worth is what the torque changes by; the explanation, the maps and the verdict of stability say what the rows say.
#[test]
fn it_is_analysed_as_it_is_computed() -> Done {
    let folder = tempfile::tempdir()?;
    let state =
        ["--position", "0.11,-0.07,-0.85", "--velocity", "0.8,-1.1,0.4", "--acceleration", "12,7,-15", "--json"];
    let row = "x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n0.11,-0.07,-0.85,0,0.8,-1.1,0.4,0,12,7,-15,0\n";
    let computed = |more: &[&str]| computed(folder.path(), &[&["torque", ROBOT], more].concat(), row);
    let plain = computed(&[]);
    let explained = json(&[&["explain", ROBOT], &state[..]].concat())?;
    for i in 1..=4 {
        let (found, expected) = (number(&explained["torque"][i - 1]), of(&plain, &format!("tau{i}")));
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "tau{i}: {found} for {expected}");
    }
    let found = json(&[&["sensitivity", ROBOT], &state[..]].concat())?;
    let parameters = found["parameters"].as_array().ok_or("parameters")?;
    for (name, key, value, by) in [
        ("fourth_axis.shaft.rod.mass", "fourth_axis.shaft.rod.mass", 0.2, 1e-4),
        ("fourth_axis.shaft.platform_joint", "fourth_axis.shaft.platform_joint", 0.04, 1e-5),
        ("fourth_axis.tool.mass", "fourth_axis.tool.mass", 0.15, 1e-4),
        ("payload.mass", "payload.mass", 0.0, 1e-4),
        ("forearm.length", "forearm.length", 0.9, 1e-6),
    ] {
        let one = parameters.iter().find(|one| one["name"] == name).ok_or(format!("no {name} in {found}"))?;
        let set = |value: f64| computed(&["--set", &format!("{key}={value}")]);
        let (low, high) = (if value == 0.0 { 0.0 } else { value - by }, value + by);
        let [low_row, high_row] = [low, high].map(set);
        for i in 0..4 {
            let tau = format!("tau{}", i + 1);
            let expected = (of(&high_row, &tau) - of(&low_row, &tau)) / (high - low);
            let found = number(&one["torque_derivative"][i]);
            assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{name} {tau}: {found} for {expected}");
        }
    }
    let map = folder.path().join("map.csv");
    for kind in ["reach", "condition", "mass", "gravity", "acceleration", "force", "determinant", "stability"] {
        let output = command(&["map", ROBOT, kind, "--count", "5", "--out", map.to_str().ok_or("path")?]);
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // The tool's angle is held by nothing but friction: neutral at best.
    let rest = json(&["stability", ROBOT, "--json"])?;
    assert!(rest["poses"].as_array().is_some_and(|poses| poses.iter().all(|pose| pose["verdict"] != "stable")));
    Ok(())
}
