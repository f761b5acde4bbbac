//! Every verb on every built-in parallel robot: it works, or it refuses by name.

use super::common::{Done, command, json, number, refused};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Random robots of the golden data, and those that are built in.
const GOLDEN: [&str; 11] = ["a", "b", "c", "d", "e", "f", "g", "linear-delta", "hexa", "hexaglide", "stewart"];

const ROBOTS: [&str; 4] = ["linear-delta", "hexa", "hexaglide", "stewart"];

fn piped(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalembert"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The numbers of the columns that start with a stem and a digit, of the only row.
fn columns(csv: &str, stem: &str) -> Vec<f64> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (Some(names), Some(row)) = (lines.next(), lines.next()) else { return Vec::new() };
    let is_it =
        |name: &str| name.strip_prefix(stem).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    names.iter().zip(row).filter(|(name, _)| is_it(name)).filter_map(|(_, cell)| cell.parse().ok()).collect()
}

/// Home of a robot as a row of the platform at rest.
fn home(robot: &str) -> Result<String, Box<dyn std::error::Error>> {
    let position = json(&["check", robot, "--json"])?["home"]["position"].clone();
    let [x, y, z] = [0, 1, 2].map(|k| number(&position[k]));
    Ok(match robot {
        "linear-delta" => format!("x,y,z,vx,vy,vz,ax,ay,az\n{x},{y},{z},0.01,0,0,0,0.1,0\n"),
        _ => format!(
            "x,y,z,roll,pitch,yaw,vx,vy,vz,wx,wy,wz,ax,ay,az,wdx,wdy,wdz\n{x},{y},{z},0.02,0,0.01,0.01,0,0,0,0.02,0,0,0.1,0,0,0,0.1\n"
        ),
    })
}

#[test]
fn tables_go_through_every_verb_of_rows_and_back() -> Done {
    for robot in ROBOTS {
        let row = home(robot)?;
        let torque = piped(&["torque", robot, "--details", "--breakdown", "--tensions"], &row);
        let (q, tau) = (columns(&torque, "q"), columns(&torque, "tau"));
        assert_eq!(q.len(), tau.len());
        // Forward kinematics of these joints, and forward dynamics of these torques.
        let names: Vec<String> = (1..=q.len()).map(|i| format!("q{i}")).collect();
        let cells: Vec<String> = q.iter().map(f64::to_string).collect();
        let back = piped(&["fk", robot], &format!("{}\n{}\n", names.join(","), cells.join(",")));
        let place = |csv: &str| -> Vec<f64> {
            let [names, row] = [0, 1].map(|k| csv.lines().nth(k).unwrap_or("").split(',').collect::<Vec<_>>());
            let of = |axis: &&str| row[names.iter().position(|name| name == axis)?].parse().ok();
            ["x", "y", "z"].iter().filter_map(of).collect()
        };
        for (a, b) in place(&back).iter().zip(place(&row)) {
            assert!((a - b).abs() < 1e-9, "{robot}: {a} {b}");
        }
        piped(&["ik", robot], &row);
        piped(&["mass", robot], &row);
        let accelerated = piped(&["accel", robot], &torque);
        let names: Vec<&str> = torque.lines().next().unwrap_or("").split(',').collect();
        assert!(names.contains(&"determinant") && names.contains(&"tension1_platform"), "{robot}: {names:?}");
        let qdd = columns(&torque, "qdd");
        for (a, b) in columns(&accelerated, "qdd").iter().zip(&qdd) {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{robot}: {a} {b}");
        }
    }
    Ok(())
}

#[test]
fn every_other_verb_works_or_refuses_by_name() -> Done {
    let folder = std::env::temp_dir().join(format!("dalembert-parallel-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for robot in ROBOTS {
        let works = |arguments: &[&str]| {
            let output = command(arguments);
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        };
        works(&["check", robot]);
        works(&["ops", robot]);
        works(&["linearize", robot]);
        works(&["simulate", robot, "--out", &file("run.csv"), "--report", &file("run.html")]);
        works(&["simulate", robot, "--free", "--duration", "0.05", "--out", &file("free.csv")]);
        works(&["trajectory", robot, "--out", &file("motion.csv")]);
        works(&["sensitivity", robot]);
        works(&["map", robot, "condition", "--count", "5", "--out", &file("map.csv")]);
        let turned = ["map", robot, "reach", "--plane", "pitch-yaw", "--count", "5", "--out", &file("turned.svg")];
        match robot {
            "linear-delta" => refused(&turned, "does not turn"),
            _ => works(&turned),
        }
        works(&["derive", robot, "--of", "ik", "--emit", "c", "-o", &file("ik.c")]);
        works(&["explain", robot]);
        works(&["stability", robot, "--plot", &file("stability.svg")]);
        works(&["map", robot, "stability", "--count", "4", "--out", &file("stability.csv")]);
        let found = json(&["stability", robot, "--json"])?;
        for pose in found["poses"].as_array().ok_or("poses")? {
            // The fastest growth is the largest pole that is real, of the linear model at the same pose.
            let q: Vec<String> = pose["joints"].as_array().ok_or("joints")?.iter().map(Value::to_string).collect();
            let poles = json(&["poles", robot, &format!("--joints={}", q.join(",")), "--json"])?;
            let modes = poles["modes"].as_array().ok_or("modes")?.iter().map(|mode| &mode["pole"]);
            let real = modes.filter(|pole| number(&pole[1]) == 0.0).map(|pole| number(&pole[0]));
            let (growth, fastest) = (number(&pose["growth"]), real.fold(0.0, f64::max));
            assert!((growth - fastest).abs() < 1e-6 * (1.0 + fastest), "{robot}: {growth} for {fastest}");
        }
        // Torques that hold a pose find it again.
        let held = json(&["check", robot, "--json"])?;
        let torque: Vec<String> =
            held["home"]["holding_torque"].as_array().ok_or("torque")?.iter().map(Value::to_string).collect();
        let found = json(&["stability", robot, &format!("--torque={}", torque.join(",")), "--json"])?;
        let home = number(&held["home"]["position"][2]);
        let heights: Vec<f64> =
            found["equilibria"].as_array().ok_or("found")?.iter().map(|e| number(&e["position"][2])).collect();
        // Carriages on vertical rails are in balance at every height.
        let anywhere = robot == "linear-delta" && !heights.is_empty();
        assert!(anywhere || heights.iter().any(|z| (z - home).abs() < 1e-9), "{robot}: {heights:?} without {home}");
        assert!(Path::new(&file("run.html")).exists());
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A table by its columns.
type Table = BTreeMap<String, Vec<f64>>;

fn table(csv: &str) -> Table {
    let mut lines = csv.lines().map(|line| line.split(','));
    let mut table: Vec<(String, Vec<f64>)> =
        lines.next().into_iter().flatten().map(|name| (name.to_owned(), Vec::new())).collect();
    for line in lines {
        for ((_, column), cell) in table.iter_mut().zip(line) {
            column.push(cell.parse().unwrap_or(f64::NAN));
        }
    }
    table.into_iter().collect()
}

fn written(table: &Table, names: &[String]) -> String {
    let rows = table.values().next().map_or(0, Vec::len);
    let row = |k: usize| names.iter().map(|name| format!("{:?}", table[name][k])).collect::<Vec<_>>().join(",");
    let mut csv = names.join(",");
    (0..rows).for_each(|k| csv += &format!("\n{}", row(k)));
    csv + "\n"
}

/// What Pinocchio has computed comes out of the command: joints, torques under a force and a moment, accelerations of the platform,
/// mass matrix and holding torques, from angles and from quaternions.
#[test]
fn the_command_computes_what_pinocchio_does() -> Done {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    for name in GOLDEN {
        let file = root.join(format!("robots/parallel-{name}.toml"));
        let robot = if file.exists() { file.to_string_lossy().into_owned() } else { name.to_owned() };
        let data = table(&std::fs::read_to_string(root.join(format!("parallel-{name}-pinocchio.csv")))?);
        let joints = (1..7).take_while(|i| data.contains_key(&format!("q{i}"))).count();
        let each = |stem: &str| (1..=joints).map(|i| format!("{stem}{i}")).collect::<Vec<_>>();
        let axes = |names: &[&str]| -> Vec<String> {
            let all = names.iter().map(|&name| name.to_owned());
            all.filter(|name| data.contains_key(name)).collect()
        };
        let pose = axes(&["x", "y", "z", "roll", "pitch", "yaw"]);
        let velocity = axes(&["vx", "vy", "vz", "wx", "wy", "wz"]);
        let acceleration = axes(&["ax", "ay", "az", "wdx", "wdy", "wdz"]);
        let push = axes(&["fx", "fy", "fz", "mx", "my", "mz"]);
        let near = |what: &str, csv: &str, names: &[String]| {
            let ours = table(csv);
            for k in 0..data["x"].len() {
                let scale = names.iter().map(|name| data[name][k].abs()).fold(0.0, f64::max);
                for name in names {
                    let (ours, theirs) = (ours[name][k], data[name][k]);
                    assert!((ours - theirs).abs() <= 1e-10 * scale, "{robot}, {what}, {name}: {ours} {theirs}");
                }
            }
        };
        let upper: Vec<String> = (1..=joints).flat_map(|i| (i..=joints).map(move |j| format!("M{i}{j}"))).collect();
        let motion = written(&data, &[&pose[..], &velocity, &acceleration, &push].concat());
        let torque = piped(&["torque", &robot], &motion);
        near("torque", &torque, &each("tau"));
        near("joints", &torque, &each("q"));
        let by_joints = written(&data, &[each("q"), each("qd"), each("qdd"), push.clone()].concat());
        near("torque of joints", &piped(&["torque", &robot], &by_joints), &each("tau"));
        let driven = written(&data, &[&pose[..], &velocity, &push, &each("tau")].concat());
        near("acceleration", &piped(&["accel", &robot], &driven), &acceleration);
        let mass = piped(&["mass", &robot], &written(&data, &pose));
        near("mass matrix", &mass, &upper);
        near("holding torques", &mass, &each("g"));
        near("platform", &piped(&["fk", &robot], &written(&data, &each("q"))), &pose);
        if joints == 6 {
            let mut turned = data.clone();
            let halves = |name: &str, k: usize| (data[name][k] / 2.0).sin_cos();
            for k in 0..data["x"].len() {
                let [(sr, cr), (sp, cp), (sy, cy)] = ["roll", "pitch", "yaw"].map(|name| halves(name, k));
                let quaternion = [
                    cr * cp * cy + sr * sp * sy,
                    sr * cp * cy - cr * sp * sy,
                    cr * sp * cy + sr * cp * sy,
                    cr * cp * sy - sr * sp * cy,
                ];
                for (name, value) in ["qw", "qx", "qy", "qz"].into_iter().zip(quaternion) {
                    turned.entry(name.to_owned()).or_default().push(value);
                }
            }
            let four = ["x", "y", "z", "qw", "qx", "qy", "qz"].map(str::to_owned).to_vec();
            let motion = written(&turned, &[&four[..], &velocity, &acceleration, &push].concat());
            near("torque of a quaternion", &piped(&["torque", &robot], &motion), &each("tau"));
        }
    }
    Ok(())
}

/// MuJoCo with six real legs. Its torques are exact; its accelerations go through constraints that are soft, and what is stored is their limit,
/// extrapolated, of which 1e-9 is left.
#[test]
fn the_command_computes_what_mujoco_does() -> Done {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    for name in ["d", "e", "f", "g", "hexa", "hexaglide", "stewart"] {
        let file = root.join(format!("robots/parallel-{name}.toml"));
        let robot = if file.exists() { file.to_string_lossy().into_owned() } else { name.to_owned() };
        let data = table(&std::fs::read_to_string(root.join(format!("parallel-{name}-mujoco.csv")))?);
        let names = |all: &str| all.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let torques = names("tau1 tau2 tau3 tau4 tau5 tau6");
        let (pose, push) = (names("x y z roll pitch yaw"), names("fx fy fz mx my mz"));
        let (velocity, acceleration) = (names("vx vy vz wx wy wz"), names("ax ay az wdx wdy wdz"));
        let near = |csv: &str, ours: &[String], theirs: &[String], tolerance: f64| {
            let found = table(csv);
            for k in 0..data["x"].len() {
                let scale = theirs.iter().map(|name| data[name][k].abs()).fold(0.0, f64::max);
                for (name, expected) in ours.iter().zip(theirs) {
                    let off = (found[name][k] - data[expected][k]).abs();
                    assert!(off <= tolerance * scale, "{robot}, row {k}, {name}: off by {off} of {scale}");
                }
            }
        };
        let motion = written(&data, &[&pose[..], &velocity, &acceleration, &push].concat());
        near(&piped(&["torque", &robot], &motion), &torques, &torques, 1e-10);
        let mut resting = data.clone();
        velocity.iter().for_each(|name| resting.entry(name.clone()).or_default().fill(0.0));
        let driven = written(&resting, &[&pose[..], &velocity, &push, &torques].concat());
        near(&piped(&["accel", &robot], &driven), &acceleration, &names("sax say saz swdx swdy swdz"), 1e-9);
    }
    Ok(())
}
