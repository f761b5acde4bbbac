//! Every verb on every built-in parallel robot: it works, or it refuses by name.

use super::common::{Done, command, json, number, refused};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

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
        works(&["map", "condition", robot, "--count", "5", "--out", &file("map.csv")]);
        works(&["derive", robot, "--of", "ik", "--emit", "c", "-o", &file("ik.c")]);
        refused(&["explain", robot], "does not offer an explanation");
        refused(&["stability", robot], "does not offer stability");
        assert!(Path::new(&file("run.html")).exists());
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
