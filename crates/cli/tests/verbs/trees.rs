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
        assert!(good(&format!("explain {robot}"), "").contains("mass matrix"));
        assert!(good(&format!("ops {robot} --quick"), "").contains("newton-euler"));
        assert!(good(&format!("linearize {robot}"), "").contains("16") || robot == LONG);
        assert!(!good(&format!("sensitivity {robot}"), "").is_empty());
        assert!(good(&format!("simulate {robot} --free --duration 0.01"), "").contains("0.01"));
        assert!(good(&format!("simulate {robot} --law computed-torque --cycle 2 --json"), "").contains("tree-"));
        assert!(good(&format!("trajectory {robot} --cycle 2"), "").contains("swing"));
    }
}

#[test]
fn what_is_not_offered_is_said() {
    let row = "x,y,z,roll,pitch,yaw\n0.1,0.1,0.1,0,0,0\n";
    for (arguments, input, told) in [
        ("ik", row, "has no inverse kinematics here"),
        ("map mass", "", "does not offer maps"),
        ("derive --of torque", "", "no program can be derived"),
        ("derive --emit c", "", "no program can be derived"),
        ("derive --emit c --together", "", "no program can be derived"),
    ] {
        let (verb, rest) = arguments.split_once(' ').unwrap_or((arguments, ""));
        let typed = format!("{verb} {TREE} {rest}");
        let (code, _, error) = run(&typed, input);
        assert_eq!(code, Some(1), "{typed}: {error}");
        assert!(error.contains(told), "{typed}: {error}");
    }
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
