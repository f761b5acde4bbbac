//! `platform.tool` means the same in every verb: x,y,z, points of paths, centres, maps and G-code are those of the tool point. The
//! platform of a Delta does not turn, so that a robot with a tool t does at p what one without does at p − t.

use super::command::{good, run_in, text};
use std::fs;
use std::path::Path;

/// t, m.
const TOOL: [f64; 3] = [0.03, -0.02, -0.06];

/// A folder with the same robot without and with a tool; the built-in one without it, and lines of its file.
fn robots(name: &str, tool: [f64; 3]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let plain = good(&format!("robots show {name}"), "");
    let with_tool = plain.replace("[platform]\n", &format!("[platform]\ntool = {tool:?}\n"));
    assert_ne!(plain, with_tool);
    fs::write(directory.path().join("plain.toml"), plain).unwrap();
    fs::write(directory.path().join("tool.toml"), with_tool).unwrap();
    directory
}

/// What a command with points `<x,y,z>` prints for both robots, the points of the second moved by its tool.
fn both(directory: &Path, tool: [f64; 3], command: &str, input: &str) -> [String; 2] {
    [("plain", [0.0; 3]), ("tool", tool)].map(|(robot, by)| {
        let moved = |text: &str| {
            let mut parts = text.split(['<', '>']);
            let mut moved = parts.next().unwrap().to_owned();
            while let (Some(point), Some(rest)) = (parts.next(), parts.next()) {
                let numbers: Vec<f64> = point.split(',').map(|x| x.parse().unwrap()).collect();
                let [x, y, z] = [0, 1, 2].map(|i| numbers[i] + by[i]);
                moved += &format!("{x:.12},{y:.12},{z:.12}{rest}");
            }
            moved.replace("ROBOT", robot)
        };
        let output = run_in(directory, &moved(command), &moved(input));
        assert!(output.status.success(), "{command} {robot}: {}", text(&output.stderr));
        text(&output.stdout)
    })
}

/// Two tables that differ in positions by the tool and in nothing else, to a part of what is largest in a column.
fn same_but_for_the_tool([plain, with_tool]: &[String; 2], tool: [f64; 3], tolerance: f64, what: &str) {
    let [ours, theirs] = [with_tool, plain].map(|text| text.lines().collect::<Vec<_>>());
    assert_eq!(ours.len(), theirs.len(), "{what}");
    assert!(ours.len() > 1, "{what}");
    let names: Vec<&str> = theirs[0].split(',').collect();
    assert_eq!(ours[0], theirs[0], "{what}");
    let numbers =
        |line: &&str| -> Vec<f64> { line.split(',').map(|field| field.parse().unwrap_or(f64::NAN)).collect() };
    let rows: Vec<[Vec<f64>; 2]> = ours[1..].iter().zip(&theirs[1..]).map(|(a, b)| [numbers(a), numbers(b)]).collect();
    let mut moved = 0;
    for (i, name) in names.iter().enumerate() {
        let axis = ["x", "y", "z"].iter().position(|axis| name.trim_end_matches("_reference") == *axis);
        moved += usize::from(axis.is_some());
        let by = axis.map_or(0.0, |axis| tool[axis]);
        let largest = rows.iter().map(|[_, plain]| plain[i].abs()).fold(1e-3, f64::max);
        for (row, [ours, plain]) in rows.iter().enumerate() {
            // A field without a number is one in both.
            let off = if ours[i].is_nan() && plain[i].is_nan() { 0.0 } else { (ours[i] - plain[i] - by).abs() };
            assert!(off <= tolerance * largest, "{what}: {name}, row {row}: {} and {}", ours[i], plain[i]);
        }
    }
    assert!(moved >= 3 || names[0] != "x" && !names.contains(&"x"), "{what}: {names:?}");
}

#[test]
fn every_verb_means_the_tool_point() {
    let directory = robots("d3-1200", TOOL);
    let table = |command: &str, input: &str, tolerance: f64| {
        let printed = both(directory.path(), TOOL, command, input);
        same_but_for_the_tool(&printed, TOOL, tolerance, command);
    };
    // Rounding of positions, and what a singular value makes of it.
    let tight = 1e-10;
    let state = "x,y,z,vx,vy,vz,ax,ay,az\n<0.1,0.05,-0.9>,1,-2,0.5,10,20,-30\n<-0.2,0.1,-0.8>,0,1,2,3,4,5\n";
    let joints = "q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n0.3,0.4,0.5,1,2,-1,10,20,30\n0.9,0.8,0.7,0,1,0,0,0,1\n";
    for (verb, options) in [
        ("ik", ""),
        ("ik", " --details"),
        ("torque", ""),
        ("torque", " --model codourey"),
        ("mass", ""),
        ("mass", " --space cartesian"),
    ] {
        table(&format!("{verb} ROBOT.toml{options}"), state, tight);
    }
    for verb in ["fk", "torque", "mass"] {
        table(&format!("{verb} ROBOT.toml"), joints, tight);
    }
    let torques = "x,y,z,vx,vy,vz,tau1,tau2,tau3\n<0.1,0.05,-0.9>,1,-2,0.5,10,20,-3\n";
    table("accel ROBOT.toml", torques, tight);
    table("accel ROBOT.toml", "q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3\n0.3,0.4,0.5,1,2,-1,10,20,30\n", tight);
    // Planned by bisections to 1e-6.
    let planned = 1e-4;
    table("trajectory ROBOT.toml --path line:<-0.1,0,-0.9>/<0.1,0.05,-0.85> --cycle 0.4 --out -", "", 1e-8);
    table(
        "trajectory ROBOT.toml --path pick-and-place --center <0.05,0.02,-0.85> --cycle 0.5 --every 5ms --out -",
        "",
        1e-8,
    );
    table(
        "trajectory ROBOT.toml --path arc:<-0.1,0,-0.9>/<0,0.1,-0.9>/<0.1,0,-0.9> --cycle 0.4 --every 5ms --out -",
        "",
        1e-8,
    );
    table("cycle ROBOT.toml --profile parabolic --count 1 --out -", "", planned);
    let path = "--path line:<-0.05,0,-0.9>/<0.05,0.05,-0.85> --cycle 0.1 --hold 0.01";
    for law in ["computed-torque", "cartesian", "impedance"] {
        // Ideal: one count of an encoder more or less is another torque.
        table(&format!("simulate ROBOT.toml {path} --law {law} --ideal --out -"), "", 1e-6);
    }
    table("simulate ROBOT.toml --free --duration 0.02 --out -", "", 1e-6);
    // Centres that nobody has given are those of the tool, too.
    let [plain, with_tool] = both(directory.path(), TOOL, "trajectory ROBOT.toml --cycle 0.5 --out -", "");
    same_but_for_the_tool(&[plain, with_tool], TOOL, 1e-8, "the centre of the workspace");
}

#[test]
fn gcode_and_motions_from_files_mean_the_tool_point() {
    let directory = robots("d3-1200", TOOL);
    let path = directory.path();
    let gcode = "trajectory ROBOT.toml --path line:<-0.1,0,-0.9>/<0.1,0.05,-0.85> --cycle 0.4 --every 20ms --gcode -";
    let lines = both(path, TOOL, gcode, "").map(|text| {
        let moves = text.lines().filter(|line| line.starts_with("G1 ")).map(|line| {
            let word = |k: usize| line.split(' ').nth(k + 1).unwrap()[1..].parse::<f64>().unwrap();
            [word(0), word(1), word(2)]
        });
        moves.collect::<Vec<_>>()
    });
    assert!(lines[0].len() > 5);
    for (plain, with_tool) in lines[0].iter().zip(&lines[1]) {
        for i in 0..3 {
            assert!((with_tool[i] - plain[i] - 1e3 * TOOL[i]).abs() < 2e-6, "{plain:?} {with_tool:?}");
        }
    }
    // What `trajectory` writes reads back as the same motion.
    both(
        path,
        TOOL,
        "trajectory ROBOT.toml --path line:<-0.1,0,-0.9>/<0.1,0.05,-0.85> --cycle 0.6 --every 5ms --out ROBOT.csv",
        "",
    );
    let [plain, with_tool] = both(path, TOOL, "size ROBOT.toml --motion ROBOT.csv", "");
    let numbers =
        |text: &str| text.lines().skip(1).map(|line| line.replace("tool", "plain")).collect::<Vec<_>>().join("\n");
    assert_eq!(numbers(&plain), numbers(&with_tool));
    let printed = both(path, TOOL, "simulate ROBOT.toml --motion ROBOT.csv --ideal --hold 0.01 --out -", "");
    same_but_for_the_tool(&printed, TOOL, 1e-6, "simulate --motion");
    // The explanation of a state, and where a robot is at home.
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let torque = |text: &str| text.lines().filter(|line| line.contains("τ")).map(words).collect::<Vec<_>>();
    let [plain, with_tool] = both(path, TOOL, "explain ROBOT.toml --position <0.1,0,-0.9>", "");
    assert_eq!(torque(&plain), torque(&with_tool));
    let home = both(path, TOOL, "check ROBOT.toml --json", "").map(|text| {
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        [0, 1, 2].map(|i| json["home"]["position"][i].as_f64().unwrap())
    });
    for i in 0..3 {
        assert!((home[1][i] - home[0][i] - TOOL[i]).abs() < 1e-12, "{home:?}");
    }
}

#[test]
fn maps_and_linear_models_mean_the_tool_point() {
    let directory = robots("d3-1200", TOOL);
    let [tables, models] = [("map", ".csv"), ("linearize", ".json")].map(|(verb, ending)| {
        [("plain", [0.0; 3]), ("tool", TOOL)].map(|(robot, [x, y, z])| {
            let command = match verb {
                "map" => format!(
                    "map {robot}.toml gravity --x={},{} --y={},{} --at={} --count 5",
                    x - 0.2,
                    x + 0.2,
                    y - 0.2,
                    y + 0.2,
                    z - 0.9
                ),
                _ => format!(
                    "linearize {robot}.toml --position={},{},{} --coordinates cartesian --outputs position",
                    x + 0.1,
                    y + 0.05,
                    z - 0.9
                ),
            };
            let output = run_in(directory.path(), &format!("{command} --out {robot}{ending}"), "");
            assert!(output.status.success(), "{command}: {}", text(&output.stderr));
            fs::read_to_string(directory.path().join(format!("{robot}{ending}"))).unwrap()
        })
    });
    same_but_for_the_tool(&tables, TOOL, 1e-10, "map");
    let matrices = models.map(|model| {
        let json: serde_json::Value = serde_json::from_str(&model).unwrap();
        ["A", "B", "C"].map(|name| json[name].to_string())
    });
    let numbers =
        |text: &str| -> Vec<f64> { text.split(['[', ']', ',']).filter_map(|number| number.parse().ok()).collect() };
    for [plain, with_tool] in [0, 1, 2].map(|k| [&matrices[0][k], &matrices[1][k]].map(|text| numbers(text))) {
        assert!(plain.len() >= 18 && plain.len() == with_tool.len());
        for (a, b) in plain.iter().zip(&with_tool) {
            assert!((a - b).abs() <= 1e-11 * a.abs().max(1.0), "{a} {b}");
        }
    }
}

/// Conventions mean the platform: their positions are those of their own joints, whatever the tool.
#[test]
fn converted_positions_are_those_of_the_platform() {
    let directory = robots("d3-1200", TOOL);
    for convention in ["linuxcnc", "klipper", "asadi", "falezza"] {
        let command = format!("convert ROBOT.toml --to {convention}");
        let [plain, with_tool] = both(directory.path(), TOOL, &command, "x,y,z\n<0.1,0.05,-0.9>\n");
        let numbers = |text: &str| -> Vec<f64> {
            text.lines().nth(1).unwrap().split(',').map(|field| field.parse().unwrap()).collect()
        };
        for (a, b) in numbers(&plain).iter().zip(&numbers(&with_tool)) {
            assert!((a - b).abs() < 1e-9, "{convention}: {plain} {with_tool}");
        }
        let there = both(directory.path(), TOOL, &command, "x,y,z\n<0.1,0.05,-0.9>\n");
        let back = run_in(directory.path(), &format!("convert tool.toml --from {convention}"), &there[1]);
        for (own, found) in [0.13, 0.03, -0.96].iter().zip(numbers(&text(&back.stdout))) {
            assert!((own - found).abs() < 1e-12, "{convention}");
        }
    }
}

/// A fourth axis turns the tool: its point is on the axis.
#[test]
fn the_tool_of_a_fourth_axis_is_on_the_axis() {
    let name = "d3-1200-fourth-axis-assumed";
    let file =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots").join(format!("{name}.toml")));
    let file = file.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let write = |robot: &str, tool: [f64; 3]| {
        let text = file.replace("[platform]\n", &format!("[platform]\ntool = {tool:?}\n"));
        fs::write(directory.path().join(format!("{robot}.toml")), text).unwrap();
    };
    let below = [0.0, 0.0, -0.06];
    write("plain", [0.0; 3]);
    write("tool", below);
    write("aside", TOOL);
    let states = "x,y,z,c,vx,vy,vz,cd,ax,ay,az,cdd\n<0.1,0.05,-0.9>,0.5,1,-2,0.5,3,10,20,-30,5\n";
    for command in ["torque ROBOT.toml", "ik ROBOT.toml --details", "mass ROBOT.toml"] {
        same_but_for_the_tool(&both(directory.path(), below, command, states), below, 1e-10, command);
    }
    let moved =
        "trajectory ROBOT.toml --path line:<-0.1,0,-0.9>/<0.1,0.05,-0.85> --turn 90deg --cycle 0.6 --every 5ms --out -";
    same_but_for_the_tool(&both(directory.path(), below, moved, ""), below, 1e-8, moved);
    let run =
        "simulate ROBOT.toml --path line:<-0.05,0,-0.9>/<0.05,0.05,-0.85> --cycle 0.05 --hold 0.01 --ideal --out -";
    same_but_for_the_tool(&both(directory.path(), below, run, ""), below, 1e-6, run);
    let refused = run_in(directory.path(), "check aside.toml", "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("beside the fourth axis"), "{}", text(&refused.stderr));
}
