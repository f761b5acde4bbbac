//! Tables of states through the command: good runs against the reference data, and every mistake with its message.

use crate::command::{bad, good, root, run, run_in, text};
use std::fs;

/// The columns of a CSV text by name.
pub struct Csv {
    names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Csv {
    pub fn new(text: &str) -> Self {
        let split = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
        let mut lines = text.lines().map(split);
        Self { names: lines.next().unwrap(), rows: lines.collect() }
    }
    pub fn column(&self, name: &str) -> usize {
        self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no column {name} in {:?}", self.names))
    }
    pub fn numbers(&self, row: usize, names: &[String]) -> Vec<f64> {
        names.iter().map(|name| self.rows[row][self.column(name)].parse().unwrap()).collect()
    }
    fn only(&self, names: &[&str]) -> String {
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            let fields: Vec<_> = names.iter().map(|name| row[self.column(name)].clone()).collect();
            text += &(fields.join(",") + "\n");
        }
        text
    }
}

/// Every group of columns agrees to 1e-12 of the largest component of the group in the row.
pub fn agree(computed: &str, reference: &Csv, groups: &[&str]) {
    let computed = Csv::new(computed);
    assert_eq!(computed.rows.len(), reference.rows.len());
    for group in groups {
        let names: Vec<String> = match *group {
            "M" => ["M11", "M12", "M13", "M22", "M23", "M33"].map(String::from).into(),
            "x" => ["x", "y", "z"].map(String::from).into(),
            "v" | "a" => ["x", "y", "z"].map(|axis| format!("{group}{axis}")).into(),
            stem => [1, 2, 3].map(|arm| format!("{stem}{arm}")).into(),
        };
        for row in 0..reference.rows.len() {
            let (ours, theirs) = (computed.numbers(row, &names), reference.numbers(row, &names));
            let scale = theirs.iter().fold(0.0_f64, |scale, x| scale.max(x.abs()));
            for (a, b) in ours.iter().zip(&theirs) {
                assert!((a - b).abs() <= 1e-12 * scale, "{group}, row {row}: {a} {b}");
            }
        }
    }
}

fn golden(name: &str) -> Csv {
    Csv::new(&fs::read_to_string(root().join("golden").join(name)).unwrap())
}

const CARTESIAN: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"];
const JOINTS: [&str; 9] = ["q1", "q2", "q3", "qd1", "qd2", "qd3", "qdd1", "qdd2", "qdd3"];

#[test]
fn torques_agree_with_the_reference_from_either_form() {
    for robot in ["d3-1200", "asadi"] {
        let reference = golden(&format!("delta-{robot}-dynamics.csv"));
        let from_position = good(&format!("torque {robot} --input -"), &reference.only(&CARTESIAN));
        agree(&from_position, &reference, &["q", "qd", "qdd", "tau"]);
        let expected = [&CARTESIAN[..], &JOINTS[..], &["tau1", "tau2", "tau3"]].concat();
        assert_eq!(Csv::new(&from_position).names, expected);
        let from_joints = good(&format!("torque {robot}"), &reference.only(&JOINTS));
        agree(&from_joints, &reference, &["x", "v", "a", "tau"]);
        let expected = [&JOINTS[..], &CARTESIAN[..], &["tau1", "tau2", "tau3"]].concat();
        assert_eq!(Csv::new(&from_joints).names, expected);
    }
}

#[test]
fn a_robot_file_and_external_forces() {
    let reference = golden("delta-generic-dynamics.csv");
    let input = reference.only(&[&CARTESIAN[..], &["fx", "fy", "fz"]].concat());
    agree(&good("torque golden/robots/generic.toml", &input), &reference, &["q", "qd", "qdd", "tau"]);
    let reference = golden("delta-generic-elbow-in-dynamics.csv");
    let input = reference.only(&[&CARTESIAN[..], &["fx", "fy", "fz"]].concat());
    agree(&good("torque golden/robots/generic.toml --branch in", &input), &reference, &["qd", "qdd", "tau"]);
}

#[test]
fn accelerations_and_mass_matrices_agree_with_the_reference() {
    let reference = golden("delta-d3-1200-forward.csv");
    let input = reference.only(&["x", "y", "z", "vx", "vy", "vz", "tau1", "tau2", "tau3"]);
    let output = good("accel d3-1200", &input);
    agree(&output, &reference, &["a", "qdd"]);
    assert_eq!(&Csv::new(&output).names[15..], ["ax", "ay", "az", "qdd1", "qdd2", "qdd3"]);
    let reference = golden("delta-d3-1200-mass-gravity.csv");
    agree(&good("mass d3-1200", &reference.only(&["q1", "q2", "q3"])), &reference, &["x", "M", "g"]);
    let cartesian = Csv::new(&good("mass d3-1200 --space cartesian", "x,y,z\n0,0,-0.85\n"));
    // At the centre, horizontal and vertical decouple and gravity is vertical.
    let names: Vec<String> = ["M12", "M13", "M23", "g1", "g2"].map(String::from).into();
    assert!(cartesian.numbers(0, &names).iter().all(|x| x.abs() < 1e-12));
}

/// There and back, with models that are exact for this robot.
#[test]
fn verbs_pipe() {
    let input = golden("delta-d3-1200-dynamics.csv").only(&CARTESIAN);
    for model in ["exact", "asadi", "bortoff", "codourey", "falezza-complete"] {
        let torque = good(&format!("torque d3-1200 --model {model}"), &input);
        agree(&good(&format!("accel d3-1200 --model {model}"), &torque), &Csv::new(&input), &["x", "v"]);
    }
    let joints = good("ik d3-1200", &input);
    agree(&good("fk d3-1200", &Csv::new(&joints).only(&JOINTS)), &Csv::new(&input), &["x", "v", "a"]);
}

#[test]
fn columns_pass_through_and_are_replaced_in_place() {
    let output = good("mass d3-1200", "note,M11,x,y,z,id\n\"a,b\",old,0.0,0,-8.5e-1,007\n");
    let (header, row) = output.split_once('\n').unwrap();
    assert_eq!(header, "note,M11,x,y,z,id,q1,q2,q3,M12,M13,M22,M23,M33,g1,g2,g3");
    assert!(row.starts_with("\"a,b\",3.") && row.contains(",0.0,0,-8.5e-1,007,"), "{row}");
}

#[test]
fn a_joint_beyond_half_a_turn_keeps_its_turn() {
    let reference = golden("delta-generic-elbow-in-dynamics.csv");
    let both = reference.only(&["x", "y", "z", "q1", "q2", "q3"]);
    agree(&good("mass golden/robots/generic.toml --branch in", &both), &reference, &["q"]);
    bad(1, "mass golden/robots/generic.toml", &both, &["line 2, column `q1`", "does not agree", "--branch in"]);
}

#[test]
fn tool_point_details_breakdown_and_tensions() {
    let directory = tempfile::tempdir().unwrap();
    let with_tool =
        good("robots show d3-1200", "").replace("mass = \"0.94 kg\"", "mass = \"0.94 kg\"\ntool = [0, 0, -0.05]");
    fs::write(directory.path().join("tool.toml"), with_tool).unwrap();
    let tool = run_in(directory.path(), "ik tool.toml --tool", "x,y,z\n0.1,0,-0.9\n");
    assert!(text(&tool.stderr).contains("--tool is no longer needed"), "{}", text(&tool.stderr));
    let tool = Csv::new(&text(&tool.stdout));
    let plain = Csv::new(&good("ik d3-1200 --details", "x,y,z\n0.1,0,-0.85\n"));
    let names: Vec<String> = ["q1", "q2", "q3"].map(String::from).into();
    for (a, b) in tool.numbers(0, &names).iter().zip(plain.numbers(0, &names)) {
        assert!((a - b).abs() < 1e-14);
    }
    assert_eq!(
        plain.names[6..].join(","),
        "transmission1,transmission2,transmission3,rod_determinant,ball1,ball2,ball3,gamma1,gamma2,gamma3,psi1,psi2,psi3"
    );

    let state = "x,y,z,vx,vy,vz,ax,ay,az,fx,fy,fz\n0.1,0,-0.85,1,2,3,10,20,30,1,2,3\n";
    let parts = Csv::new(&good("torque d3-1200 --breakdown --tensions", state));
    let sum = |suffixes: &[&str]| -> f64 {
        suffixes.iter().map(|suffix| parts.numbers(0, &[format!("tau2_{suffix}")])[0]).sum()
    };
    let tau = parts.numbers(0, &["tau2".to_owned()])[0];
    assert!((sum(&["inertia", "coriolis", "gravity", "friction", "force"]) - tau).abs() < 1e-12);
    assert!((sum(&["motors", "arms", "forearms", "platform", "payload"]) - tau).abs() < 1e-12);
    assert!(parts.column("tension3_elbow") > 0);
    bad(1, "torque d3-1200 --model asadi --breakdown", state, &["`exact`, not of `asadi`"]);
}

#[test]
fn json_lines_have_the_same_digits() {
    let output = good("ik d3-1200 --json", "id,x,y,z\nA1,0.1,0,-.85\n");
    assert!(output.starts_with("{\"id\":\"A1\",\"x\":0.1,\"y\":0,\"z\":-8.4999999999999998e-1,"), "{output}");
    let csv = Csv::new(&good("ik d3-1200", "x,y,z\n0.1,0,-.85\n"));
    assert!(output.contains(&format!("\"q1\":{},", csv.rows[0][csv.column("q1")])));
}

#[test]
fn mistakes_in_a_table_name_line_and_column() {
    let hint = "the first line names the columns";
    bad(1, "ik d3-1200", "", &["input is empty", hint]);
    bad(1, "ik d3-1200", "x,y,z\n", &["a header but no rows", hint]);
    bad(1, "ik d3-1200", "x,y\n1,2\n", &["column `z` is missing", "inverse kinematics reads x,y,z"]);
    bad(1, "ik d3-1200", "x,y,z,x\n1,2,3,4\n", &["column `x` appears twice", "fields 1 and 4"]);
    bad(1, "ik d3-1200", "x,y,z,\n1,2,3,4\n", &["field 4 of the header is empty"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,-0.8\n0,0\n", &["line 3: 2 fields where the header has 3"]);
    bad(1, "ik d3-1200", "x,y,z\r\n0,0,-0.8\r\n\r\n0,abc,-0.8\r\n", &["line 4, column `y`: `abc` is not a number"]);
    bad(1, "ik d3-1200", "x,y,z\n0,,-0.8\n", &["line 2, column `y`: the field is empty"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,NaN\n", &["line 2, column `z`: `NaN` is not a finite number"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,inf\n", &["`inf` is not a finite number"]);
    bad(1, "ik d3-1200", "x,y,z,ax,ay,az\n0,0,-0.8,1,1,1\n", &["columns `vx`, `vy`, `vz` are missing"]);
    bad(1, "torque d3-1200", "x,y,z\n0,0,-0.8\n", &["`vx`, `vy`, `vz`, `ax`, `ay`, `az` are missing"]);
    bad(1, "torque d3-1200", "q1,q2,q3,qd1,qd2,qd3,qdd1\n0,0,0,0,0,0,0\n", &["columns `qdd2`, `qdd3` are missing"]);
    bad(1, "accel d3-1200", "x,y,z,vx,vy,vz\n0,0,-0.8,0,0,0\n", &["columns `tau1`, `tau2`, `tau3` are missing"]);
    bad(1, "accel d3-1200", "x,y,z,vx,vy,vz,tau1,tau2,tau3,fx\n0,0,-0.8,0,0,0,0,0,0,0\n", &["`fy`, `fz` are missing"]);
    bad(1, "mass d3-1200", "a,b\n1,2\n", &["columns `x`, `y`, `z` are missing", "or q1..q3"]);
    bad(1, "mass d3-1200 --from joints", "x,y,z\n0,0,-0.8\n", &["columns `q1`, `q2`, `q3` are missing"]);
    bad(1, "ik d3-1200 --input nowhere.csv", "", &["cannot read nowhere.csv", "No such file", "path of a CSV file"]);
    bad(1, "ik d3-1200 --input .", "", &["cannot read .", "path of a CSV file"]);
}

/// A quote that swallows rows is an error, with `--skip-bad` too.
#[test]
fn rows_are_not_swallowed_by_a_quote() {
    let input = "x,y,z,n\n0,0,-0.8,\"abc\n0,0,-0.8,q\n";
    bad(1, "ik d3-1200", input, &["line 2: a double quote is opened and never closed", "written twice"]);
    bad(1, "ik d3-1200 --skip-bad", input, &["line 2: a double quote is opened and never closed"]);
    let input = "x,y,z,n\n0,0,-0.8,\"abc\n0,0,-0.8,\"q\"\n";
    bad(1, "ik d3-1200", input, &["line 3: text after the closing double quote of a field that was opened in line 2"]);
}

/// Files of other habits: what was found is shown, and what to do about it.
#[test]
fn tables_of_other_habits_are_explained() {
    let commas = "fields are separated by commas, not by";
    bad(1, "ik d3-1200", "x;y;z\n0;0;-0,8\n", &["the header is `x;y;z`", commas, "semicolons", "a point"]);
    bad(1, "ik d3-1200", "x\ty\tz\n0\t0\t-0.8\n", &[commas, "tabs"]);
    bad(1, "ik d3-1200", "x y z\n0 0 -0.8\n", &[commas, "blanks"]);
    bad(1, "ik d3-1200", "# my poses\nx,y,z\n0,0,-0.8\n", &["the header is `# my poses`", "no comments"]);
    bad(1, "ik d3-1200", "X,Y,Z\n0,0,-0.8\n", &["the header is `X,Y,Z`", "did you mean `x` for `X`?"]);
    bad(1, "ik d3-1200", "0.1,0,-0.8\n", &["here it has numbers"]);
    bad(1, "ik d3-1200", "0,0,-0.8\n", &["here it has numbers"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,-0,8\n", &["4 fields where the header has 3", "the decimal sign is a point"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,NaN\n", &["`NaN` is not a finite number", "--skip-bad"]);
    let directory = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> = "x,y,z\n0,0,-0.8\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [[&[0xff, 0xfe], &utf16[..]].concat(), utf16, b"x,y,z,\xe9\n".to_vec()] {
        fs::write(directory.path().join("in.csv"), bytes).unwrap();
        let output = run_in(directory.path(), "ik d3-1200 -i in.csv", "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            error.contains("in.csv: line 1: not valid UTF-8") && error.contains("save the table as UTF-8"),
            "{error}"
        );
    }
}

/// In ik and fk the other form is a result: what stood there is replaced.
#[test]
fn kinematics_replace_stale_results() {
    let names: Vec<String> = ["q1", "q2", "q3"].map(String::from).into();
    let fresh = Csv::new(&good("ik d3-1200", "x,y,z\n0.1,0,-0.8\n"));
    let stale = Csv::new(&good("ik d3-1200", "q1,x,y,z,q2,q3\n9,0.1,0,-0.8,old,\n"));
    assert_eq!(stale.names.join(","), "q1,x,y,z,q2,q3");
    assert_eq!(stale.numbers(0, &names), fresh.numbers(0, &names));
    // The other branch after the usual one is the other branch alone.
    let inward = good("ik d3-1200 --branch in", "x,y,z\n0.1,0,-0.8\n");
    assert_eq!(good("ik d3-1200 --branch in", &good("ik d3-1200", "x,y,z\n0.1,0,-0.8\n")), inward);
    // A full turn more is the same angle, and stays.
    let q = fresh.numbers(0, &names).iter().map(|q| q + std::f64::consts::TAU).collect::<Vec<_>>();
    let turned = format!("x,y,z,q1,q2,q3\n0.1,0,-0.8,{},{},{}\n", q[0], q[1], q[2]);
    for (a, b) in Csv::new(&good("ik d3-1200", &turned)).numbers(0, &names).iter().zip(&q) {
        assert!((a - b).abs() < 1e-12);
    }
    let forward = Csv::new(&good("fk d3-1200", "q1,q2,q3,x,y,z\n0.3,0.3,0.3,7,,old\n"));
    assert_eq!(forward.names.join(","), "q1,q2,q3,x,y,z");
    assert!(forward.numbers(0, &["z".to_owned()])[0] < -0.5);
}

/// What overflows and what has no value are told apart.
#[test]
fn infinity_and_nan_are_different() {
    let directory = tempfile::tempdir().unwrap();
    let heavy = good("robots show d3-1200", "").replace("\"0.94 kg\"", "1e308");
    fs::write(directory.path().join("heavy.toml"), heavy).unwrap();
    let header = "x,y,z,vx,vy,vz,ax,ay,az,tau1,tau2,tau3\n0.1,0.05,-.85,";
    for (arguments, row, says) in [
        ("torque heavy.toml", "0,0,0,0,0,0,0,0,0", "mass matrix or torque at its home pose is not finite"),
        ("torque d3-1200", "0,0,0,1e308,1e308,1e308,0,0,0", "becomes -inf: the numbers of this row"),
        ("accel d3-1200", "0,0,0,0,0,0,1e308,-1e308,1e308", "`ax` becomes NaN: the numbers of this row"),
    ] {
        let output = run_in(directory.path(), arguments, &format!("{header}{row}\n"));
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
}

/// Huge numbers are shown as powers of ten.
#[test]
fn messages_stay_short() {
    for (arguments, input) in [
        ("mass d3-1200", "x,y,z,q1,q2,q3\n0,0,-0.8,1e300,0,0\n"),
        ("torque d3-1200 --enforce-limits", "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-.85,0,0,0,1e200,0,0\n"),
        ("torque d3-1200", "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-.85,1e200,0,0,0,0,0\n"),
    ] {
        let output = run(arguments, input);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(!error.contains("0000000"), "{error}");
    }
    bad(1, "mass d3-1200", "x,y,z,q1,q2,q3\n0,0,-0.8,1e300,0,0\n", &["`q1`: 1e300 does not agree with"]);
}

#[test]
fn impossible_states_say_why() {
    bad(1, "ik d3-1200", "x,y,z\n0,0,-3\n", &["line 2: out of reach of arm 1", "1.728748 m longer", "metres"]);
    bad(1, "ik d3-1200", "x,y,z\n0,0,-0.2\n", &["out of reach", "shorter"]);
    // Stretched out, and all three forearms parallel, since this robot's base and platform are equally wide.
    bad(1, "ik asadi", "x,y,z\n0,0,-0.72\n", &["line 2: singular", "--details"]);
    let wide = "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-.85,1e200,0,0,0,0,0\n";
    bad(1, "torque d3-1200", wide, &["too large to compute with"]);
    // Forearms too short to meet when the upper arms are horizontal.
    let directory = tempfile::tempdir().unwrap();
    let short = good("robots show d3-1200", "").replace("\"0.9 m\"", "\"0.5 m\"").replace("\"0.45 m\"", "\"0.25 m\"");
    fs::write(directory.path().join("short.toml"), short).unwrap();
    let output = run_in(directory.path(), "fk short.toml", "q1,q2,q3\n0,0,0\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("line 2: the forearms cannot meet"), "{}", text(&output.stderr));
    bad(1, "explain d3-1200 --position 0,0,-3", "", &["out of reach", "reaches z ="]);
}

#[test]
fn limits_warn_mark_or_refuse() {
    let state = "x,y,z,vx,vy,vz,ax,ay,az\n0,0,-.85,0,0,0,0,0,0\n0,0,-.85,0,0,0,900,0,0\n";
    let output = run("torque d3-1200", state);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stderr)
            .contains("1 of 2 rows exceeds a limit of the robot, first line 3: torque of joint 1 is −626.55 N m")
    );
    let marked = Csv::new(&good("torque d3-1200 --limits", state));
    let column = marked.column("limits");
    assert_eq!((marked.rows[0][column].as_str(), marked.rows[1][column].as_str()), ("", "tau1 tau2 tau3"));
    bad(1, "torque d3-1200 --enforce-limits", state, &["line 3: torque of joint 1 is −626.55 N m, its limit 80 N m"]);
}

#[test]
fn bad_rows_can_be_skipped_and_are_told() {
    let input = "x,y,z\n0,0,-3\n0,0,-0.8\n0,0\n0,a,-0.8\n";
    let output = run("ik d3-1200 --skip-bad", input);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(Csv::new(&text(&output.stdout)).rows.len(), 1);
    let error = text(&output.stderr);
    for part in ["line 2: out of reach", "line 4: 2 fields", "line 5, column `y`", "skipped 3 of 4 rows"] {
        assert!(error.contains(part), "{error}");
    }
    bad(1, "ik d3-1200 --skip-bad", "x,y,z\n0,0,-3\n", &["no row is left"]);
}

/// A table of many blocks: rows keep their order, and what is bad is told in the order of its lines.
#[test]
fn many_rows_keep_their_order() {
    let place = |i: u32| 0.1 * f64::from(i).sin();
    let row = |i: u32| if i % 2500 == 7 { format!("{i},0,a,-0.8\n") } else { format!("{i},{:?},0,-0.8\n", place(i)) };
    let input = String::from("id,x,y,z\n") + &(0..10_000).map(row).collect::<String>();
    let output = run("ik d3-1200 --skip-bad", &input);
    let told = text(&output.stderr);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("column `y`")).collect();
    assert_eq!(lines.len(), 4, "{told}");
    for (k, line) in lines.iter().enumerate() {
        assert!(line.contains(&format!("line {},", 2500 * k + 9)), "{told}");
    }
    let table = Csv::new(&text(&output.stdout));
    assert_eq!(table.rows.len(), 9_996);
    let ids: Vec<u32> = table.rows.iter().map(|row| row[0].parse().unwrap()).collect();
    assert!(ids.is_sorted());
    // The same as alone.
    for i in [0, 4_095, 4_096, 9_999] {
        let alone = Csv::new(&good("ik d3-1200", &(String::from("id,x,y,z\n") + &row(i))));
        assert!(table.rows.contains(&alone.rows[0]), "{i}");
    }
    bad(1, "ik d3-1200", &input, &["line 9,", "column `y`"]);
    // The first mistake counts, although the open quote ends the table.
    bad(1, "ik d3-1200", &(input.clone() + "\"1,0,0,-0.8\n"), &["line 9,", "column `y`"]);
    bad(1, "ik d3-1200 --skip-bad", &(input + "\"1,0,0,-0.8\n"), &["line 10002", "never closed"]);
}

#[test]
fn columns_and_digits_are_chosen() {
    let state = "t,x,y,z,vx,vy,vz,ax,ay,az\n0.250,0.1,0,-0.85,1,2,3,10,20,30\n";
    let all = Csv::new(&good("torque d3-1200", state));
    let chosen = good("torque d3-1200 --columns tau2,t,q1", state);
    assert_eq!(chosen, all.only(&["tau2", "t", "q1"]));
    for digits in [1, 3, 17] {
        let short = Csv::new(&good(&format!("torque d3-1200 --precision {digits}"), state));
        for (name, (full, short)) in all.names.iter().zip(all.rows[0].iter().zip(&short.rows[0])) {
            let computed = name.starts_with('q') || name.starts_with("tau");
            let value: f64 = full.parse().unwrap();
            // What passes through keeps its text.
            assert_eq!(*short, if computed { format!("{value:.*e}", digits - 1) } else { full.clone() }, "{name}");
        }
    }
    let json = good("torque d3-1200 --json --columns t,tau1 --precision 2", state);
    let tau: f64 = all.rows[0][all.column("tau1")].parse().unwrap();
    assert_eq!(json, format!("{{\"t\":0.250,\"tau1\":{tau:.1e}}}\n"));
    // A single field that is empty is still a row.
    assert_eq!(good("ik d3-1200 --limits --columns limits", "x,y,z\n0,0,-0.8\n"), "limits\n\"\"\n");
    bad(1, "torque d3-1200 --columns t,tua1", state, &["no column `tua1`", "did you mean `tau1`?"]);
    bad(1, "torque d3-1200 --columns colour", state, &["no column `colour`", "the columns are t,x,y,z"]);
    bad(1, "torque d3-1200 --columns t,x,t", state, &["`t` twice"]);
    bad(1, "convert d3-1200 --to bortoff --columns xx", state, &["no column `xx`", "did you mean"]);
    for precision in ["0", "18", "x"] {
        bad(2, &format!("torque d3-1200 --precision {precision}"), state, &["--precision"]);
    }
}

#[test]
fn tables_come_and_go_as_parquet() {
    let directory = tempfile::tempdir().unwrap();
    let at = |arguments: &str, input: &str| {
        let output = run_in(directory.path(), arguments, input);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let state = "t,x,y,z,vx,vy,vz,ax,ay,az\n0.250,0.1,0,-0.85,1,2,3,10,20,30\n0.5,0.1,0.1,-0.85,1,2,3,10,20,30\n";
    at("torque d3-1200 -o torques.parquet", state);
    let there = "accel d3-1200 --columns ax,ay,az,qdd1,qdd2,qdd3";
    assert_eq!(at(&format!("{there} -i torques.parquet"), ""), at(there, &at("torque d3-1200", state)));
    at("torque d3-1200 -i torques.parquet -o short.parquet --columns t,tau3", "");
    let names = at("convert d3-1200 --to asadi -i torques.parquet", "");
    assert!(names.starts_with("t,x,y,z,vx,vy,vz,ax,ay,az,q1,"), "{names}");
    at("linearize d3-1200 --states torques.parquet --json", "");

    let refused = |arguments: &str, input: &str, part: &str| {
        let output = run_in(directory.path(), arguments, input);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        assert!(text(&output.stderr).contains(part), "{arguments}: {}", text(&output.stderr));
        assert!(!directory.path().join("no.parquet").exists());
    };
    refused("ik d3-1200 -o no.parquet", "note,x,y,z\nhere,0,0,-0.8\n", "line 2, column `note`: `here` is not a number");
    refused("ik d3-1200 -o no.parquet --json", "x,y,z\n0,0,-0.8\n", "--json");
    refused("ik d3-1200 -o no.parquet --precision 3", "x,y,z\n0,0,-0.8\n", "--precision");
    refused("ik d3-1200 -o no.parquet --limits", "x,y,z\n0,0,-0.8\n", "`limits` is text");
    fs::write(directory.path().join("bad.parquet"), "x,y,z\n0,0,-0.8\n").unwrap();
    refused("ik d3-1200 -i bad.parquet", "", "cannot read bad.parquet");
}
