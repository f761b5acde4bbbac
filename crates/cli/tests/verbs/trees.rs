//! The command with long arms and trees of links: every verb that takes them, and what is refused.

use super::serial::{close, columns, golden, good, run};

const TREE: &str = "golden/robots/tree-b.toml";
const LONG: &str = "golden/robots/tree-e.toml";

/// Torques, accelerations, masses and places against Pinocchio.
#[test]
fn rows_there_and_back() {
    for name in ["b", "e"] {
        let (robot, reference) =
            (format!("golden/robots/tree-{name}.toml"), golden(&format!("tree-{name}-pinocchio.csv")));
        // Without the wrench of the reference, which other columns have.
        let still = reference.replacen("fx,fy,fz,mx,my,mz", "a,b,c,d,e,f", 1);
        let out = good(&format!("torque {robot}"), &still);
        close(&columns(&out, "tau"), &columns(&reference, "tau"), 1e-12);
        let pushed = good(&format!("torque {robot}"), &reference);
        close(&columns(&pushed, "tau"), &columns(&reference, "pushed"), 1e-12);
        let back = good(&format!("accel {robot}"), &out);
        close(&columns(&back, "qdd"), &columns(&reference, "qdd"), 1e-9);
        let mass = good(&format!("mass {robot}"), &still);
        close(&columns(&mass, "M1_"), &columns(&reference, "M1_"), 1e-12);
        close(&columns(&mass, "g"), &columns(&reference, "g"), 1e-12);
    }
    let reference = golden("tree-b-pinocchio.csv").replacen("tip1_x", "where", 1);
    let out = good(&format!("fk {TREE} --details"), &reference);
    let column = |csv: &str, wanted: &str| -> Vec<f64> {
        let place = csv.lines().next().unwrap().split(',').position(|name| name == wanted).unwrap();
        csv.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
    };
    for (ours, theirs) in column(&out, "tip1_x").iter().zip(column(&out, "where")) {
        assert!((ours - theirs).abs() < 1e-13, "{ours} {theirs}");
    }
    // The main tool of the file is tip1; another one by --set.
    for (tool, stem) in [("", "tip1"), (" --set main_tool=tool", "tool")] {
        let out = good(&format!("fk {TREE}{tool} --details"), &reference);
        assert_eq!(column(&out, "x"), column(&out, &format!("{stem}_x")));
    }
}

#[test]
fn every_verb_that_takes_them() {
    for robot in [TREE, LONG] {
        assert!(good(&format!("check {robot}"), "").contains("joints"));
        assert!(good(&format!("explain {robot}"), "").contains("kinetic energy matrix"));
        assert!(good(&format!("ops {robot} --quick"), "").contains("newton-euler"));
        assert!(good(&format!("linearize {robot}"), "").contains("16") || robot == LONG);
        assert!(!good(&format!("sensitivity {robot}"), "").is_empty());
        assert!(good(&format!("simulate {robot} --free --duration 0.01"), "").contains("0.01"));
        assert!(good(&format!("simulate {robot} --law computed-torque --cycle 2 --json"), "").contains("tree-"));
        assert!(good(&format!("trajectory {robot} --cycle 2"), "").contains("swing"));
    }
}

/// Two arms on one base, 13 joints, odd frames: inverse kinematics, programs and laws of the tool, as of an arm.
#[test]
fn what_an_arm_can_do() {
    const TWO: &str = "crates/dalembert/tests/common/two-arms.toml";
    let header: Vec<String> = (1..=13).map(|joint| format!("q{joint}")).collect();
    let state = format!("{}\n{}\n", header.join(","), ["0.1"; 13].join(","));
    let tool = good(&format!("fk {TWO}"), &state);
    let back = good(&format!("fk {TWO}"), &good(&format!("ik {TWO}"), &tool));
    for stem in ["x", "y", "z", "roll", "pitch", "yaw"] {
        close(&columns(&back, stem), &columns(&tool, stem), 1e-12);
    }
    assert!(good(&format!("derive {TWO} --of torque --emit c --quick -o -"), "").contains("two_arms_torque"));
    for verb in ["poles", "stability", "sensitivity", "compare"] {
        assert!(good(&format!("{verb} {TWO}"), "").contains("two-arms"), "{verb}");
    }
    for law in ["cartesian", "impedance"] {
        assert!(good(&format!("simulate {TWO} --law {law} --cycle 2"), "").contains("two-arms"), "{law}");
    }
    assert!(good(&format!("size {TWO} --cycle 2"), "").contains("two-arms"));
}

#[test]
fn maps_need_inverse_kinematics_in_closed_form() {
    let (code, _, error) = run(&format!("map {TREE} mass"), "");
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("8 joints and no inverse kinematics in closed form"), "{error}");
}

/// A tree may carry something at its end and at a branch: `check` shows both.
#[test]
fn payloads_of_branches_are_shown_beside_that_of_the_end() {
    let shown = good("check golden/robots/tree-a.toml", "");
    let rows: Vec<&str> = shown.lines().filter(|line| line.trim_start().starts_with("payload mass")).collect();
    assert!(rows.len() == 2 && rows.iter().any(|row| row.contains("1.897")), "{shown}");
    let parameters = &serde_json::from_str::<serde_json::Value>(&good("check golden/robots/tree-a.toml --json", ""))
        .unwrap()["parameters"];
    assert!(parameters["payload"]["mass"].is_number(), "{parameters}");
    assert!(parameters["link"]["payload"]["mass"].as_array().unwrap().iter().any(|mass| mass == 1.897), "{parameters}");
}

/// The payload of a tool on a link has symbols of its own: `derive` compares the program with the formula at other values of all symbols.
#[test]
fn symbols_of_a_tool_on_a_link() {
    good(&format!("derive {TREE} --of gravity --quick --symbolic"), "");
}
