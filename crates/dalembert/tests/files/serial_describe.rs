//! Files of serial arms: every mistake is told at its place, and what is odd is a warning.

use dalembert::robot::families::Tolerance;
use dalembert::robot::{JointState, JointVector, Pick, ToolState};
use dalembert::serial::{DhConvention, Joint};
use dalembert::{Robot, SerialRobot, Vec3, robots};

const PLAIN: &str = r#"kind = "serial"
name = "two"
convention = "standard-dh"

[[link]]
joint = "revolute"
alpha = "90 deg"
a = 0.0
d = "300 mm"
mass = 2.0
center_of_mass = [0.0, "10 cm", 0.0]
inertia = [0.02, 0.01, 0.02]
friction = { viscous = 0.1, coulomb = 1.0 }
range = ["-90 deg", "90 deg"]

[[link]]
joint = "prismatic"
alpha = 0.0
a = 0.0
d = 0.1
theta_offset = "45 deg"
mass = "500 g"
inertia = [0.02, 0.01, 0.02, 0.001, 0.0, 0.0]
motor_inertia = "2 kg"
max_torque = "100 N"
range = ["0 mm", "200 mm"]

[payload]
mass = 1.0
"#;

#[test]
fn a_plain_arm_is_read() {
    let robot = SerialRobot::parse(PLAIN).unwrap();
    assert_eq!(robot.arm.links().len(), 2);
    assert_eq!(robot.arm.surroundings().convention, DhConvention::Standard);
    assert_eq!(robot.arm.surroundings().payload.mass, 1.0);
    let links = robot.arm.links();
    assert_eq!((links[0].joint, links[1].joint), (Joint::Revolute, Joint::Prismatic));
    assert_eq!((links[0].dh.alpha.cos, links[0].dh.alpha.sin), (0.0, 1.0));
    assert_eq!(links[0].body.center_of_mass.0, [0.0, 0.1, 0.0]);
    assert_eq!(links[1].body.inertia.xy, 0.001);
    assert_eq!(links[0].friction.unwrap().static_friction, 1.0);
    assert_eq!(robot.limits[1].range, [0.0, 0.2]);
    assert!(robot.warnings.is_empty());
    assert_eq!(Robot::parse(PLAIN).unwrap().kind().name, "serial");
}

#[test]
fn mistakes_are_told_at_their_line() {
    for (from, to, line, problem) in [
        (r#"kind = "serial""#, r#"kind = "delta""#, 1, "this is a Delta robot, but a serial arm is needed here"),
        (r#"kind = "serial""#, r#"kind = "snake""#, 1, "unknown kind \"snake\""),
        (r#"convention = "standard-dh""#, r#"convention = "craig""#, 3, "`convention` is \"craig\""),
        (r#"convention = "standard-dh""#, "", 1, "missing key `convention`"),
        (r#"joint = "prismatic""#, r#"joint = "screw""#, 17, "`link.2.joint` is \"screw\""),
        ("mass = 2.0", "mas = 2.0", 10, "unknown key `mas` in [link.1]"),
        ("mass = 2.0", "mass = -2.0", 10, "`mass` of link 1 is -2, but must be zero or positive, and finite"),
        ("mass = 2.0", "mass = \"2 m\"", 10, "`link.1.mass`: \"2 m\" is a length, but a mass is needed"),
        ("motor_inertia = \"2 kg\"", "motor_inertia = \"2 kg m^2\"", 24, "but a mass is needed"),
        ("max_torque = \"100 N\"", "max_torque = \"100 N m\"", 25, "but a force is needed"),
        ("inertia = [0.02, 0.01, 0.02]\n", "inertia = [0.02, 0.01]\n", 12, "must be a list of three or six"),
        (
            "[0.02, 0.01, 0.02, 0.001, 0.0, 0.0]",
            "[0.02, 0.01, 0.02, 0.1, 0.0, 0.0]",
            23,
            "no axis has negative inertia",
        ),
        ("viscous = 0.1", "viscous = -0.1", 13, "`friction.viscous` of link 1 is -0.1"),
        (r#"range = ["0 mm", "200 mm"]"#, r#"range = ["200 mm", "0 mm"]"#, 26, "reversed or empty"),
        ("[payload]", "[[payload]]", 28, "`payload` must be a table, found a list"),
        ("[payload]", "[load]", 28, "unknown key `load`"),
    ] {
        let text = PLAIN.replacen(from, to, 1);
        assert_ne!(text, PLAIN, "{from}");
        let error = SerialRobot::parse(&text).unwrap_err();
        assert!(error.problem.contains(problem), "{to}: {}", error.problem);
        assert_eq!(error.location.line, line, "{to}: {error}");
        assert!(error.hint.is_some(), "{to}");
    }
    let none = "kind = \"serial\"\nname = \"x\"\nconvention = \"standard-dh\"\n";
    assert!(SerialRobot::parse(none).unwrap_err().problem.contains("missing key `link`"));
    let link = PLAIN[PLAIN.find("[[link]]").unwrap()..].split("[payload]").next().unwrap();
    let many = format!("{none}{}", link.repeat(33));
    assert!(SerialRobot::parse(&many).unwrap_err().problem.contains("1 to 64 joints, not 66"));
    assert!(SerialRobot::parse("kind = \"serial\"\nlink = 3").is_err());
}

/// Written and read again, an arm is the same; the tool's attitude within rounding.
#[test]
fn a_file_written_is_a_file_read() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let page = std::fs::read_to_string(format!("{root}docs/robot-files.md")).unwrap();
    let documented = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
    let mut texts = vec![PLAIN.to_owned(), documented];
    texts.extend(robots::BUILT_IN.iter().map(|robot| robot.text.to_owned()));
    for entry in std::fs::read_dir(format!("{root}golden/robots")).unwrap() {
        texts.push(std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default());
    }
    let mut arms = 0;
    for robot in texts.iter().filter_map(|text| SerialRobot::parse(text).ok()) {
        arms += 1;
        let back = SerialRobot::parse(&robot.to_toml()).unwrap_or_else(|error| panic!("{error}\n{}", robot.to_toml()));
        assert_eq!(back.arm.links(), robot.arm.links());
        assert_eq!((&back.name, &back.source, &back.limits), (&robot.name, &robot.source, &robot.limits));
        assert_eq!(back.tolerances, robot.tolerances);
        let (ours, theirs) = (back.arm.surroundings(), robot.arm.surroundings());
        assert_eq!((ours.gravity, ours.payload), (theirs.gravity, theirs.payload));
        assert_eq!((ours.convention, ours.tool.origin), (theirs.convention, theirs.tool.origin));
        for (a, b) in ours.tool.rotation.0.iter().zip(theirs.tool.rotation.0) {
            assert!((*a - b).norm_squared() < 1e-30);
        }
    }
    assert!(arms > 3, "{arms}");
}

/// Bytes changed, dropped and doubled at random: an error or a robot that can be computed with, never a panic.
#[test]
fn mutilated_files_do_not_panic() {
    let mut seed = 1_u64;
    let mut random = move |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit.max(1)
    };
    let alphabet = b"0123456789.-+eE\"[]{}=,#\n kgmd%_xnaif\xc3\xa9";
    let mut read = 0;
    for round in 0..6000 {
        let mut bytes = robots::BUILT_IN[round % robots::BUILT_IN.len()].text.as_bytes().to_vec();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = alphabet[random(alphabet.len())],
                1 => bytes.insert(at, alphabet[random(alphabet.len())]),
                2 => drop(bytes.drain(at..(at + random(20)).min(bytes.len()))),
                _ => {
                    let piece = bytes[at..(at + random(40)).min(bytes.len())].to_vec();
                    let to = random(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match Robot::parse(&text) {
            Ok(robot) => {
                read += 1;
                let n = robot.joints().len();
                let q = JointVector::new(&vec![0.3; n]);
                let below = ToolState::translating(Vec3([0.0, 0.0, -0.8]), Vec3::zero(), Vec3::zero());
                let states = [
                    robot.at_joints(&JointState { q: q.clone(), qd: q.clone(), qdd: q }, &Pick::default()),
                    robot.at_tool(&below, &Pick::default()),
                ];
                for state in states.into_iter().flatten() {
                    let exact = robot.build_model("exact").unwrap();
                    let tau = exact.torque(&state, dalembert::spatial::Wrench::zero());
                    let _ = exact.accelerated(&state, &tau, dalembert::spatial::Wrench::zero());
                }
                let _ = Robot::parse(&robot.to_toml().unwrap());
            }
            Err(error) => assert!(error.location.span.start <= text.len()),
        }
    }
    assert!(read > 500, "most mutations hit comments and numbers: {read}");
}

/// Any cut through the file is an error or a robot, never a panic.
#[test]
fn torn_files_do_not_panic() {
    let text = robots::BUILT_IN[2].text;
    for (at, _) in text.char_indices() {
        let _ = Robot::parse(&text[..at]);
    }
    for word in ["0.0", "\"revolute\"", "[", "kg", "="] {
        for other in ["nan", "\"\"", "[]", "1e999", "{}", "-1"] {
            let _ = Robot::parse(&text.replace(word, other));
        }
    }
}

#[test]
fn the_puma_is_tables_4_to_7() {
    let robot = robots::puma560().unwrap();
    assert_eq!(robot.arm.links().len(), 6);
    let tolerance = &robot.tolerances[1];
    assert_eq!(tolerance.mass, Tolerance { absolute: 0.01, relative: 0.01 });
    assert_eq!(tolerance.center_of_mass[2], Tolerance { absolute: 0.003, relative: 0.0 });
    assert_eq!(tolerance.inertia[1].relative, 0.05);
    assert_eq!(robot.limits[1].max_torque, 186.4);
    assert_eq!(robot.limits[5].breakaway, Some(1.2));
    assert_eq!(robot.arm.links()[1].gear_ratio, 107.36);
    // Its measured link 3 violates the triangle inequality: a warning, not an error.
    assert_eq!(robot.warnings.len(), 1);
    assert!(robot.warnings[0].problem.starts_with("`link.3.inertia`"));
}

#[test]
fn the_documentation_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/robot-files.md");
    let page = std::fs::read_to_string(path).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let robot = SerialRobot::parse(example).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    assert!(robot.arm.links()[0].armature.is_some());
    assert_eq!(robot.arm.surroundings().tool.origin.0, [0.0, 0.0, 0.1]);
}

#[test]
fn parts_of_a_tolerance_add_up() {
    let parse = |text: &str| {
        let file = PLAIN.replace("mass = 2.0\n", &format!("mass = 2.0\ntolerance = {{ mass = \"{text}\" }}\n"));
        SerialRobot::parse(&file).map(|robot| robot.tolerances[0].mass)
    };
    for (text, value, expected) in [
        ("0.01 kg + 1 %", 17.4, 0.184),
        ("25 %", 0.82, 0.205),
        ("10 g", 3.0, 0.01),
        ("0.02", 3.0, 0.02),
        ("1%+2%", 1.0, f64::NAN),
    ] {
        match parse(text) {
            Ok(tolerance) => assert!((tolerance.of(value) - expected).abs() < 1e-15, "{text}"),
            Err(_) => assert!(expected.is_nan(), "{text}"),
        }
    }
    for wrong in ["", "-1 %", "3 mm", "much", "1 kg +", "inf"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
