//! Robot files: every mistake is named and points at its line; what is right round-trips.

use dalembert::delta::Parameters;
use dalembert::limits::JointLimits;
use dalembert::robot::file::LoadError;
use dalembert::{DeltaRobot, Robot, SerialRobot, robots};
use proptest::strategy::{Strategy, ValueTree};
use std::fs;
use std::path::PathBuf;

/// A robot without anything optional; the mistakes below are made in it. Line 1 is `kind`.
const PLAIN: &str = r#"kind = "delta"
name = "plain"

[base]
radius = 0.25

[upper_arm]
length = 0.375
mass = 1.40
center_of_mass = 0.122
inertia = 0.035

[forearm]
length = 0.9
mass = 0.39

[platform]
radius = 0.1
mass = 0.94
"#;

/// A line of the plain file, what to put in its place, the line to blame, and what the message and the hint must contain.
type Mistake = (&'static str, &'static str, usize, &'static str, &'static str);

const MISTAKES: &[Mistake] = &[
    // Not TOML, not ours.
    ("length = 0.375", "length = ", 8, "not TOML", "give `length` a value"),
    ("mass = 1.40", "length = 1.40", 9, "duplicate", "keep one"),
    ("mass = 1.40", "mass = 40 g # heavy", 9, "not TOML", "quotes: mass = \"40 g\""),
    ("mass = 1.40", "mass = 1,40", 9, "not TOML", "decimal sign is a point"),
    ("mass = 1.40", "mass = \"1.40 kg", 9, "not TOML", "quote is not closed"),
    ("mass = 1.40", "mass: 1.40", 9, "not TOML", "key = value"),
    ("[forearm]", "[forearm", 13, "not TOML", "brackets"),
    (r#"name = "plain""#, "name = plain", 2, "not TOML", "quotes: name = \"plain\""),
    ("radius = 0.25", "radius = 0.25\nazimuths = [0 deg, 120 deg, 240 deg]", 6, "not TOML", "[\"0 deg\","),
    (r#"kind = "delta""#, r#"kind = "serial""#, 1, "this is a serial arm, but a Delta robot is needed here", "serial"),
    (r#"kind = "delta""#, r#"kind = "scara""#, 1, "unknown kind \"scara\"", "delta"),
    (r#"kind = "delta""#, "", 1, "missing key `kind`", "delta"),
    (r#"kind = "delta""#, "kind = 3", 1, "`kind` must be a text, found a number", "quotes"),
    (r#"name = "plain""#, "", 1, "missing key `name`", "name ="),
    (r#"name = "plain""#, r#"name = """#, 2, "`name` is empty", ""),
    // Unknown keys.
    ("mass = 1.40", "msas = 1.40", 9, "unknown key `msas` in [upper_arm]", "did you mean `mass`?"),
    ("center_of_mass", "centre_of_mass", 10, "unknown key `centre_of_mass`", "`center_of_mass`"),
    ("radius = 0.25", "radius = 0.25\ntool = [0, 0, 0]", 6, "unknown key `tool` in [base]", "[platform]"),
    ("radius = 0.25", "radius = 0.25\ncolour = 1", 6, "unknown key `colour`", "known in [base]: `radius`, `azimuths`"),
    ("[forearm]", "[fore_arm]", 13, "unknown key `fore_arm` at the top", "`forearm`"),
    (
        "radius = 0.25",
        "radius = 0.25\n[motor]\nfriction = { viscus = 1 }",
        7,
        "`viscus` in [motor.friction]",
        "`viscous`",
    ),
    // Missing ones.
    ("mass = 1.40", "", 7, "[upper_arm] has no `mass`", "a mass"),
    ("inertia = 0.035", "", 7, "[upper_arm] has no `inertia`", "`inertia_about_axis`"),
    ("mass = 0.94", "", 17, "[platform] has no `mass`", "a mass"),
    ("[base]\nradius = 0.25", "", 18, "missing table [base]", "add [base] with radius"),
    ("[platform]\nradius = 0.1\nmass = 0.94\n", "", 15, "missing table [platform]", "[platform] with radius and mass"),
    // Wrong types and shapes.
    ("length = 0.375", "length = true", 8, "`upper_arm.length` must be a length, found true or false", "375 mm"),
    ("length = 0.375", "length = { a = 1 }", 8, "must be a length, found a table", "375 mm"),
    ("length = 0.375", "length = [0.3, 0.4]", 8, "has 2 entries, but there are three arms", "one value"),
    ("length = 0.375", "length = [0.3, true, 0.4]", 8, "found true or false", ""),
    ("[base]\nradius = 0.25", "base = 3", 4, "`base` must be a table, found a number", "`radius`"),
    ("mass = 0.94", "mass = 0.94\ntool = 0.1", 20, "`platform.tool` must be a list of three", "a length"),
    ("mass = 0.94", "mass = [0.9, 0.9, 0.9]", 19, "`platform.mass` must be a mass, found a list", ""),
    (r#"name = "plain""#, "name = \"plain\"\ngravity = 9.81", 3, "`gravity` must be a list of three", "m/s^2"),
    // Units.
    ("length = 0.375", r#"length = "375 kg""#, 8, "\"375 kg\" is a mass, but a length is needed", "375 mm"),
    ("length = 0.375", r#"length = "0.375""#, 8, "has no unit", "without quotes"),
    ("length = 0.375", r#"length = "375 nm""#, 8, "unknown unit \"nm\"", "mm"),
    ("length = 0.375", r#"length = "long""#, 8, "does not start with a number", "375 mm"),
    ("mass = 0.94", "mass = 0.94\n[motor]\nmax_speed = \"300 1/h\"", 21, "unknown unit \"h\"", "\"300 rpm\""),
    ("mass = 0.94", "mass = 0.94\n[motor]\ngear_ratio = \"5 deg/rad\"", 21, "a ratio of units", "without quotes"),
    ("inertia = 0.035", r#"inertia = "0.035 kg m""#, 11, "but a moment of inertia is needed", "g m^2"),
    // Impossible values.
    ("mass = 1.40", "mass = -1.40", 9, "upper_arm.mass is -1.4, but must be zero or positive", ""),
    ("mass = 1.40", "mass = [1, 1, -1.40]", 9, "upper_arm.mass of arm 3 is -1.4", ""),
    ("mass = 1.40", "mass = [\n1,\n1,\n-1.40\n]", 12, "upper_arm.mass of arm 3 is -1.4", ""),
    ("mass = 1.40", "mass = nan", 9, "`upper_arm.mass` is NaN, not a number", ""),
    ("mass = 1.40", "mass = inf", 9, "`upper_arm.mass` is inf, not a finite number", ""),
    ("mass = 1.40", "mass = 1e999", 9, "not a finite number", ""),
    ("length = 0.9", "length = 0", 14, "forearm.length is 0, but must be positive", ""),
    (
        "radius = 0.25",
        "radius = 2.5",
        14,
        "forearm.length is 0.9, but must be such that",
        "L_B = 0.9 m together must be longer than R = 2.4 m",
    ),
    ("mass = 0.39", "mass = 0.39\ncenter_of_mass = 1.0", 16, "forearm.center_of_mass is 1", "from the elbow"),
    ("inertia = 0.035", "inertia = 0.035\ninertia_about_axis = 0.05", 12, "both `inertia` and", "keep one"),
    ("inertia = 0.035", "inertia_about_axis = 0.01", 11, "less than mass · center_of_mass²", "is this `inertia`?"),
    ("mass = 0.94", "mass = 0.94\n[motor]\ngear_ratio = 0", 21, "motor.gear_ratio is 0", "motor speed"),
    ("mass = 0.94", "mass = 0.94\n[motor]\nmax_torque = -1", 21, "`motor.max_torque` is -1", "no limit"),
    (
        "mass = 0.94",
        "mass = 0.94\n[motor.friction]\ncoulomb = 1\nsmoothing_velocity = 0",
        22,
        "motor.friction.smoothing_velocity is 0",
        "",
    ),
    ("mass = 0.94", "mass = 0.94\n[joints]\nrange = [1, -1]", 21, "reversed", "[least, most]"),
    ("mass = 0.94", "mass = 0.94\n[joints]\nrange = [1, 2, 3]", 21, "must be a pair", "deg"),
    ("mass = 0.94", "mass = 0.94\n[joints]\nrange = [[-1, 1], [1, -1], [-1, 1]]", 21, "reversed", ""),
    ("mass = 0.39", "mass = 0.39\nspacing = \"-8 cm\"", 16, "`forearm.spacing` is negative", ""),
    (
        "radius = 0.25",
        "radius = 0.25\nazimuths = [\"0 deg\", \"120 deg\", \"360 deg\"]",
        6,
        "arms 1 and 3 have the same azimuth",
        "240 deg",
    ),
    ("radius = 0.25", "radius = 0.25\nazimuths = \"10 deg\"", 6, "arms 1 and 2 have the same azimuth", ""),
];

#[test]
fn mistakes_are_named_and_located() {
    assert!(DeltaRobot::parse(PLAIN).unwrap().warnings.is_empty());
    for &(line, replacement, number, problem, hint) in MISTAKES {
        assert!(PLAIN.contains(line), "{line}");
        let text = PLAIN.replacen(line, replacement, 1);
        let error = DeltaRobot::parse(&text).map(|_| ()).expect_err(replacement);
        let shown = format!("{replacement:?} gave: {error} | {:?}", error.hint);
        assert!(error.problem.contains(problem), "{shown}");
        assert!(error.hint.as_deref().unwrap_or("").contains(hint), "{shown}");
        assert_eq!(error.location.line, number, "{shown}");
        assert!(text.get(error.location.span.clone()).is_some(), "{shown}");
    }
}

#[test]
fn the_span_is_the_value() {
    let text = PLAIN.replace("mass = 1.40", "mass = [1, 1, -1.40]");
    let error = DeltaRobot::parse(&text).unwrap_err();
    assert_eq!(&text[error.location.span.clone()], "-1.40");
    assert_eq!((error.location.line, error.location.column), (9, 15));
    // Columns count characters, spans count bytes.
    let text = PLAIN.replace("mass = 1.40", "mass = \"1 µkg\"");
    let error = DeltaRobot::parse(&format!("# µ\n{text}")).unwrap_err();
    assert_eq!((error.location.line, error.location.column), (10, 8));
}

#[test]
fn odd_values_are_warnings() {
    for (line, replacement, number, problem) in [
        ("radius = 0.1", "radius = 0.3", 18, "`platform.radius` is 0.3 m, larger than the base's 0.25 m"),
        ("inertia = 0.035", "inertia = 0.35", 11, "more than mass · length²"),
        ("inertia = 0.035", "inertia = [0.035, 0.35, 0.035]", 11, "`upper_arm.inertia` of arm 2"),
        ("mass = 0.39", "mass = 0.39\ninertia = 0.08", 16, "all its mass at its ends"),
        ("center_of_mass = 0.122", "center_of_mass = 0.4", 10, "beyond the elbow"),
        ("mass = 0.94", "mass = 0.94\n[motor]\nmax_torque = 0", 21, "`motor.max_torque` is zero"),
        ("mass = 0.94", "mass = 0.94\n[motor.friction]\ncoulomb = 2\nstatic = 1", 22, "below coulomb"),
        ("[base]", "gravity = [0, 0, -981]\n[base]", 4, "`gravity` is 981 m/s²"),
    ] {
        let robot = DeltaRobot::parse(&PLAIN.replacen(line, replacement, 1)).expect(replacement);
        let [warning] = &robot.warnings[..] else { panic!("{replacement}: {:?}", robot.warnings) };
        assert!(warning.problem.contains(problem), "{warning}");
        assert_eq!(warning.location.line, number, "{warning}");
    }
}

/// Millimetres, degrees, grams and turns per minute without their unit: possible, but told, with the unit that is likely meant.
#[test]
fn numbers_in_other_units_are_told() {
    let motor = "mass = 0.94\n[motor]\n";
    for (line, replacement, problem) in [
        ("[base]", "[base]\nazimuths = [0, 120, 240]", "of arm 2 is 120 rad, 19.1 turns: should it be \"120 deg\"?"),
        ("[base]", "[base]\nazimuths = [0, 0.12, 0.24]", "`base.azimuths` are within half a circle"),
        ("length = 0.375", "length = 350", "`upper_arm.length` is 350 m: should it be \"350 mm\"?"),
        (
            "mass = 1.40",
            "mass = 1400",
            "`upper_arm.mass` is 1400 kg, more than a block of steel: should it be \"1400 g\"?",
        ),
        ("mass = 0.39", "mass = 390", "should it be \"390 g\"?"),
        ("mass = 0.94", "mass = 940", "should it be \"940 g\"?"),
        ("inertia = 0.035", "inertia = 35000", "in kg mm² or g mm²?"),
        ("mass = 0.94", &format!("{motor}max_speed = 3000"), "477 turns a second: should it be \"3000 rpm\"?"),
        (
            "mass = 0.94",
            "mass = 0.94\n[joints]\nrange = [-50, 100]",
            "`joints.range` is -50 rad, 7.96 turns: should it be",
        ),
        ("mass = 0.94", "mass = 0.94\n[joints]\nrange = [-10, 1]", "should it be \"-10 deg\"?"),
        ("mass = 0.94", "mass = 0.94\n[joints]\nmax_ball_angle = 60", "should it be \"60 deg\"?"),
        ("[base]", "gravity = [0, 0, 9.81]\n[base]", "`gravity` points up"),
    ] {
        let robot = DeltaRobot::parse(&PLAIN.replacen(line, replacement, 1)).expect(replacement);
        assert!(robot.warnings.iter().any(|w| w.problem.contains(problem)), "{replacement}: {:?}", robot.warnings);
    }
    let arm = include_str!("../../../../robots/puma560.toml");
    for (line, replacement, problem) in [
        ("alpha = \"-90 deg\"", "alpha = 90", "`link.2.alpha` is 90 rad, 14.3 turns: should it be \"90 deg\"?"),
        ("a = 0.4318", "a = 431.8", "`link.3.a` is 431.8 m: should it be \"431.8 mm\"?"),
        ("mass = 17.40", "mass = 17400", "`link.2.mass` is 17400 kg"),
        ("range = [\"-225 deg\", \"45 deg\"]", "range = [-225, 45]", "`link.2.range` is -225 rad"),
    ] {
        assert!(arm.contains(line), "{line}");
        let robot = SerialRobot::parse(&arm.replacen(line, replacement, 1)).expect(replacement);
        assert!(robot.warnings.iter().any(|w| w.problem.contains(problem)), "{replacement}: {:?}", robot.warnings);
    }
}

/// From a toy to a machine that lifts cars: none of them is told to be in other units.
#[test]
fn ordinary_robots_are_not_suspected() {
    // Upper arm, forearm, base and platform radius; their masses (arm, forearms, platform); torque, speed, range.
    for [la, lb, rb, rp, ma, mb, mp, torque, speed, range] in [
        [0.045, 0.110, 0.030, 0.020, 0.060, 0.015, 0.080, 0.15, 8.0, 1.6],
        [0.100, 0.240, 0.050, 0.030, 0.120, 0.040, 0.150, 1.8, 60.0, 1.5],
        [0.235, 0.800, 0.200, 0.045, 1.2, 0.20, 0.35, 40.0, 30.0, 1.7],
        [0.350, 0.800, 0.200, 0.050, 2.5, 0.40, 1.5, 150.0, 25.0, 2.0],
        [0.600, 1.400, 0.400, 0.150, 18.0, 3.0, 12.0, 900.0, 12.0, 1.9],
        [2.000, 4.500, 1.500, 0.500, 250.0, 90.0, 200.0, 20000.0, 3.0, 2.0],
    ] {
        let text = format!(
            "kind = \"delta\"\nname = \"r\"\nbase.radius = {rb}\nplatform = {{ radius = {rp}, mass = {mp} }}\n\
             upper_arm = {{ length = {la}, mass = {ma}, center_of_mass = {}, inertia = {} }}\n\
             forearm = {{ length = {lb}, mass = {mb} }}\nmotor = {{ max_torque = {torque}, max_speed = {speed} }}\n\
             joints = {{ range = [-{range}, {range}], max_ball_angle = 0.9 }}\n",
            la / 3.0,
            ma * la * la / 10.0
        );
        let robot = DeltaRobot::parse(&text).expect("a robot");
        assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    }
    // Joint, a, d, alpha in degrees, mass, range of each link.
    type Link = (&'static str, f64, f64, f64, f64, f64);
    let arms: [&[Link]; 6] = [
        // A toy with servos; a light arm; a heavy one; a SCARA; a gantry; a wrist that turns twice.
        &[
            ("revolute", 0.0, 0.06, 90.0, 0.15, 1.6),
            ("revolute", 0.1, 0.0, 0.0, 0.12, 1.6),
            ("revolute", 0.08, 0.0, 0.0, 0.05, 1.6),
        ],
        &[
            ("revolute", 0.0, 0.089, 90.0, 3.7, 6.284),
            ("revolute", -0.425, 0.0, 0.0, 8.4, 6.284),
            ("revolute", -0.392, 0.0, 0.0, 2.3, 6.3),
        ],
        &[
            ("revolute", 0.6, 1.1, -90.0, 1500.0, 2.6),
            ("revolute", 1.2, 0.0, 0.0, 900.0, 2.3),
            ("revolute", -0.065, 1.2, 90.0, 700.0, 4.4),
        ],
        &[
            ("revolute", 0.325, 0.4, 0.0, 6.0, 2.3),
            ("revolute", 0.275, 0.0, 180.0, 4.0, 2.6),
            ("prismatic", 0.0, 0.0, 0.0, 1.5, 0.2),
        ],
        &[
            ("prismatic", 0.0, 0.0, -90.0, 800.0, 12.0),
            ("prismatic", 0.0, 0.0, 90.0, 300.0, 3.0),
            ("prismatic", 0.0, 0.0, 0.0, 80.0, 1.5),
        ],
        &[
            ("revolute", 0.2, 0.1, 0.0, 5.0, 7.85),
            ("revolute", 0.1, 0.0, 0.0, 2.0, 12.5),
            ("revolute", 0.0, 0.0, 0.0, 1.0, 6.98),
        ],
    ];
    for links in arms {
        let mut text =
            "kind = \"serial\"\nname = \"r\"\nconvention = \"standard-dh\"\ngravity = [0, 0, 9.81]\n".to_owned();
        for (joint, a, d, alpha, mass, range) in links {
            let inertia = mass * 0.01_f64.max(a * a / 6.0);
            text += &format!(
                "[[link]]\njoint = \"{joint}\"\na = {a}\nd = {d}\nalpha = \"{alpha} deg\"\nmass = {mass}\n\
                 center_of_mass = [0, 0, 0]\ninertia = [{inertia}, {inertia}, {inertia}]\nrange = [-{range}, {range}]\n"
            );
        }
        let robot = SerialRobot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(robot.warnings.is_empty(), "{:?}\n{text}", robot.warnings);
    }
    for entry in fs::read_dir("../../robots").expect("a folder").flatten() {
        let (name, text) = (entry.path(), fs::read_to_string(entry.path()).expect("a file"));
        let robot = Robot::parse(&text).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        // The paper's own inertia of link 3 is impossible.
        let others = robot.warnings.iter().filter(|w| !w.problem.contains("no body is so"));
        assert_eq!(others.count(), 0, "{name:?}: {:?}", robot.warnings);
    }
}

#[test]
fn defaults() {
    let robot = DeltaRobot::parse(PLAIN).unwrap();
    let p = robot.delta.parameters();
    assert_eq!(p.gravity.0, [0.0, 0.0, -9.81]);
    assert_eq!((p.payload_mass, p.tool.0), (0.0, [0.0; 3]));
    assert_eq!(p.arms.map(|arm| arm.azimuth.cos), [1.0, -0.5, -0.5]);
    for arm in p.arms {
        assert_eq!(arm.forearm.center_of_mass, 0.45);
        assert!((arm.forearm.inertia - 0.026325).abs() < 1e-17);
        assert_eq!((arm.motor.rotor_inertia, arm.motor.gear_ratio), (0.0, 1.0));
        assert_eq!((arm.motor.friction, arm.passive_damping, arm.upper_arm.elbow_mass), (None, None, None));
    }
    assert_eq!(robot.limits, [JointLimits::NONE; 3]);
    assert_eq!(robot.spacing, [None; 3]);
    assert_eq!(robot.source, None);
}

#[test]
fn everything_optional() {
    let text =
        PLAIN.replace("radius = 0.1", "radius = [0.1, 0.11, 0.12]").replace("[base]", "source = \"here\"\n[base]")
            + r#"
tool = [0, 0, "-50 mm"]
[motor]
rotor_inertia = "0.4 g m^2"
gear_ratio = [10, 11, 12]
max_torque = [80, inf, "90 N m"]
max_speed = "300 rpm"
friction = { viscous = [0, 0.1, 0.2], coulomb = [0, "1 N m", 2], smoothing_velocity = 0.01 }
[joints]
range = [["-60 deg", "95 deg"], [-1, 1], [-inf, inf]]
max_ball_angle = "45 deg"
passive_damping = [0, 0, 0.02]
[payload]
mass = "250 g"
"#;
    let robot = DeltaRobot::parse(&text).unwrap();
    let p = robot.delta.parameters();
    assert_eq!(robot.source.as_deref(), Some("here"));
    assert_eq!(p.tool.0, [0.0, 0.0, -0.05]);
    assert_eq!(p.payload_mass, 0.25);
    assert_eq!(p.arms.map(|arm| arm.platform_radius), [0.1, 0.11, 0.12]);
    assert_eq!(p.arms.map(|arm| arm.motor.gear_ratio), [10.0, 11.0, 12.0]);
    assert_eq!(p.arms[0].motor.friction, None);
    let friction = p.arms[2].motor.friction.unwrap();
    assert_eq!((friction.viscous, friction.coulomb, friction.static_friction), (0.2, 2.0, 2.0));
    assert_eq!((friction.stribeck_velocity, friction.smoothing_velocity), (0.1, 0.01));
    assert_eq!(p.arms.map(|arm| arm.passive_damping), [None, None, Some(0.02)]);
    assert_eq!(robot.limits.map(|limits| limits.max_torque), [80.0, f64::INFINITY, 90.0]);
    assert!((robot.limits[1].max_speed - 10.0 * std::f64::consts::PI).abs() < 1e-14);
    assert_eq!(robot.limits[1].range, [-1.0, 1.0]);
    assert_eq!(robot.limits[2].range, JointLimits::NONE.range);
    round_trips(&robot);
}

#[test]
fn the_inertia_about_the_axis_is_the_same_robot() {
    let about_axis = 0.035 + 1.40 * 0.122 * 0.122;
    let text = PLAIN.replace("inertia = 0.035", &format!("inertia_about_axis = {about_axis}"));
    let inertia = DeltaRobot::parse(&text).unwrap().delta.parameters().arms[0].upper_arm.inertia;
    assert!((inertia - 0.035).abs() < 1e-16);
    // A point mass has none of its own, whatever the rounding.
    let text = PLAIN.replace("inertia = 0.035", &format!("inertia_about_axis = {}", 1.40 * 0.122 * 0.122));
    assert_eq!(DeltaRobot::parse(&text).unwrap().delta.parameters().arms[0].upper_arm.inertia, 0.0);
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn round_trips(robot: &DeltaRobot) {
    let text = robot.to_toml();
    let back = DeltaRobot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!((&back.name, &back.source), (&robot.name, &robot.source));
    assert_eq!((back.limits, back.spacing), (robot.limits, robot.spacing));
    assert_eq!(back.delta.parameters(), robot.delta.parameters(), "{text}");
    assert_eq!(back.to_toml(), text);
}

#[test]
fn the_files_of_the_repository_load_and_round_trip() {
    let mut count = 0;
    for folder in [folder("robots"), folder("golden/robots")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let robot = Robot::load(&path).unwrap_or_else(|error| panic!("{error}: {:?}", error));
            // One with a fourth axis is a robot of four joints: `a_fourth_axis_round_trips`.
            if robot.kind().name != "delta" || robot.joints().len() != 3 {
                continue;
            }
            let robot = DeltaRobot::load(&path).unwrap();
            assert_eq!(path.file_stem().unwrap().to_str(), Some(robot.name.as_str()));
            assert!(robot.warnings.is_empty(), "{}: {:?}", robot.name, robot.warnings);
            round_trips(&robot);
            count += 1;
        }
    }
    assert_eq!(count, 9);
}

#[test]
fn text_is_quoted() {
    let mut robot = DeltaRobot::parse(PLAIN).unwrap();
    robot.name = "a \"b\" \\ µ".to_owned();
    robot.source = Some("# = []\n\r\u{1}\u{7f}".to_owned());
    round_trips(&robot);
    // A name stands in lines of tables, charts and programs.
    for control in ['\n', '\u{1}', '\u{7f}'] {
        robot.name = format!("a{control}b");
        let error = DeltaRobot::parse(&robot.to_toml()).map(drop).unwrap_err();
        assert!(error.to_string().contains("`name` has a line break"), "{error}");
    }
}

#[test]
fn built_in_robots_are_the_reference_robots() {
    let names = ["asadi", "d3-1200", "puma560", "linear-delta", "hexa", "hexaglide", "stewart"];
    assert_eq!(robots::names(), names);
    for built_in in robots::BUILT_IN {
        let robot = robots::by_name(built_in.name).unwrap().unwrap();
        assert_eq!(robot.name, built_in.name);
        let Ok(robot) = DeltaRobot::parse(built_in.text) else { continue };
        let path = folder("golden").join(format!("delta-{}-parameters.json", built_in.name));
        let reference: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let value = |key: &str| reference[key].as_f64().unwrap();
        let p: &Parameters<f64> = robot.delta.parameters();
        for (i, arm) in p.arms.iter().enumerate() {
            let phi = reference["phi"][i].as_f64().unwrap();
            for (what, ours, theirs) in [
                ("cos", arm.azimuth.cos, phi.cos()),
                ("sin", arm.azimuth.sin, phi.sin()),
                ("R", arm.radius(), value("R")),
                ("LA", arm.upper_arm.length, value("LA")),
                ("LB", arm.forearm.length, value("LB")),
                ("mP", p.platform_mass, value("mP")),
                ("m_arm", arm.upper_arm.mass, value("m_arm")),
                ("c_arm", arm.upper_arm.center_of_mass, value("c_arm")),
                ("I_arm", arm.arm_axis_inertia(), value("I_arm")),
                ("I_rot", arm.reflected_rotor_inertia(), value("I_rot")),
                ("m_rod", arm.forearm.mass, value("m_rod")),
                ("rho", arm.rod_ratio(), value("rho")),
                ("I_rod", arm.forearm.inertia, value("I_rod")),
                ("g", -p.gravity[2], value("g")),
            ] {
                assert!((ours - theirs).abs() <= 4e-16, "{} arm {i} {what}: {ours} {theirs}", robot.name);
            }
        }
    }
    assert!(robots::by_name("nobody").is_none());
}

#[test]
fn find_prefers_built_in_names_and_suggests() {
    assert_eq!(DeltaRobot::find("asadi").unwrap().name, "asadi");
    assert_eq!(DeltaRobot::find(folder("golden/robots/mini.toml").to_str().unwrap()).unwrap().name, "mini");
    let error = DeltaRobot::find("asdai").unwrap_err();
    assert!(error.to_string().contains("asadi, d3-1200"), "{error}");
    assert!(matches!(error, LoadError::Unknown { suggestion: Some("asadi"), .. }));
    assert!(matches!(DeltaRobot::find("zzz"), Err(LoadError::Unknown { suggestion: None, .. })));
    assert!(matches!(DeltaRobot::find("no/such/file.toml"), Err(LoadError::Read { .. })));
    assert!(matches!(DeltaRobot::find(""), Err(LoadError::Unknown { .. })));
    let path = std::env::temp_dir().join(format!("dalembert-{}.toml", std::process::id()));
    std::fs::write(&path, "kind = 1").unwrap();
    let found = DeltaRobot::load(&path);
    std::fs::remove_file(&path).unwrap();
    let Err(LoadError::Invalid { text, error, .. }) = found else { panic!("{found:?}") };
    assert_eq!((text.as_str(), error.location.line), ("kind = 1", 1));
}

/// A program that ends with an error, as README.md's does, shows file, line, problem and hint, and nothing else.
#[test]
fn errors_say_it_all_by_themselves() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("my.toml");
    let text = PLAIN.replace("[base]", "[base]\nradios = 1");
    std::fs::write(&path, &text)?;
    let line = text.lines().position(|line| line == "radios = 1").ok_or("a line")? + 1;
    for error in [Robot::load(&path).err(), DeltaRobot::load(&path).err()].into_iter().flatten() {
        let expected = format!("{}, line {line}, column 1: ", path.display());
        for shown in
            [error.to_string(), format!("{error:?}"), format!("{:?}", Box::<dyn std::error::Error>::from(error))]
        {
            assert!(shown.starts_with(&expected), "{shown}");
            assert!(shown.contains("`base.radios`") || shown.contains("`radios`"), "{shown}");
            assert!(shown.contains("did you mean `radius`?") && shown.len() < 400, "{shown}");
        }
    }
    let missing = Robot::load(folder.path().join("none.toml")).expect_err("not there").to_string();
    assert!(missing.starts_with("cannot read ") && missing.contains("No such file"), "{missing}");
    let error = Robot::parse("kind = \"delta\"").expect_err("not a robot");
    assert_eq!(error.to_string(), format!("{error:?}"));
    assert!(error.to_string().starts_with("line 1, column ") && !error.hint.unwrap_or_default().is_empty());
    Ok(())
}

/// A file without an end is read as far as a file may go.
#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_refused() {
    let error = Robot::load("/dev/zero").expect_err("no robot").to_string();
    assert_eq!(error, "cannot read /dev/zero: it has more than 16 MiB, which no such file has");
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the text, there is an answer and no panic.
        #[test]
        fn never_panics(line in 0_usize..19, text in "\\PC{0,20}", quoted in any::<bool>()) {
            let mut lines: Vec<String> = PLAIN.lines().map(str::to_owned).collect();
            let key = lines[line].split('=').next().unwrap_or("").to_owned();
            lines[line] = if quoted { format!("{key}= {text:?}") } else { format!("{key}= {text}") };
            let text = lines.join("\n");
            if let Err(error) = DeltaRobot::parse(&text) {
                prop_assert!(text.get(error.location.span).is_some());
            }
        }

        /// The same for numbers with units.
        #[test]
        fn never_panics_on_quantities(text in "[-+0-9.eE]{0,8} ?[a-zµ°^²/*·0-9 -]{0,8}") {
            let _ = DeltaRobot::parse(&PLAIN.replace("length = 0.375", &format!("length = \"{text}\"")));
        }
    }
}

/// The page that explains the format is true: its file loads without a warning. Its messages are those of the command, which runs them
/// (`crates/cli/tests/pages`).
#[test]
fn the_documentation_is_true() {
    let page = std::fs::read_to_string(folder("docs/robot-files.md")).unwrap();
    let example = page.split("```toml file=example.toml\n").nth(1).unwrap().split("```").next().unwrap();
    let robot = DeltaRobot::parse(example).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    round_trips(&robot);
}

fn changed(robot: &str, changes: &[&str]) -> Result<Robot, String> {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    Robot::find_with(robot, &changes).map_err(|error| match error {
        LoadError::Invalid { text, error, .. } => {
            assert!(text.get(error.location.span.clone()).is_some(), "{error}");
            format!("{} | {}", error.told(), error.hint.as_deref().unwrap_or(""))
        }
        // The change is named, not a line that the file does not have.
        LoadError::Change { change, error } => {
            assert!(changes.contains(&change), "{change}");
            format!("{} | {}", error.problem, error.hint.as_deref().unwrap_or(""))
        }
        error => error.to_string(),
    })
}

/// A changed robot is the one whose file says so.
#[test]
fn a_change_is_what_the_file_would_say() {
    let path = std::env::temp_dir().join(format!("dalembert-changes-{}.toml", std::process::id()));
    std::fs::write(&path, PLAIN).unwrap();
    let file = path.to_str().unwrap();
    // The centre and the inertia of the forearm, which the file leaves out, follow the changed length.
    let found = [changed(file, &["forearm.length=1.1", "payload.mass=2 kg"]), changed(file, &[])];
    std::fs::remove_file(&path).unwrap();
    let [longer, plain] = found.map(|robot| robot.unwrap().to_toml().unwrap());
    let text = PLAIN.replace("length = 0.9", "length = 1.1") + "[payload]\nmass = 2.0\n";
    assert_eq!(longer, DeltaRobot::parse(&text).unwrap().to_toml());
    assert!(longer.contains("center_of_mass = 0.55"), "{longer}");
    assert_eq!(plain, DeltaRobot::parse(PLAIN).unwrap().to_toml());
    // A table, a list, a text; twice the same robot by both names of a link.
    let changes = ["motor.friction={ viscous = 0.1 }", "name=four", "motor.gear_ratio=[10, 11, 12]"];
    let four = changed("d3-1200", &changes).unwrap();
    assert_eq!(four.name, "four");
    assert_eq!(four.joints()[1].friction.unwrap().viscous, 0.1);
    let written = |changes: &[&str]| changed("puma560", changes).unwrap().to_toml().unwrap();
    assert_eq!(written(&["link.2.mass=18"]), written(&["link2.mass = 18000 g"]));
    assert_ne!(written(&["link.2.mass=18"]), written(&[]));
    // Entries of a list have units as numbers have them.
    let quoted = written(&["link3.center_of_mass=[0, \"-7 cm\", 0.014]", "link3.range=[\"-1 rad\", \"50 deg\"]"]);
    assert_eq!(written(&["link3.center_of_mass=[0, -7 cm, 0.014]", "link3.range=[-1 rad, 50 deg]"]), quoted);
    let ranges = "joints.range=[[-50 deg, 90 deg], [-50°, 1.5], [-1, 90 deg]]";
    assert!((changed("d3-1200", &[ranges]).unwrap().joints()[2].limits.range[1].to_degrees() - 90.0).abs() < 1e-12);
    assert_eq!(written(&["link.2.center_of_mass.1=0.1"]).matches("center_of_mass = [0.1,").count(), 1);
}

#[test]
fn a_change_is_checked_as_a_file_is() {
    for (robot, change, part) in [
        ("d3-1200", "forearm.mas=1", "unknown key `mas` in [forearm] | did you mean `mass`?"),
        ("d3-1200", "forarm.mass=1", "unknown key `forarm` at the top | did you mean `forearm`?"),
        ("d3-1200", "forearm.mass=-1", "forearm.mass is -1, but must be zero or positive"),
        ("d3-1200", "forearm.mass=3 m", "`forearm.mass`: \"3 m\" is a length, but a mass is needed"),
        ("d3-1200", "forearm.mass=heavy", "does not start with a number"),
        ("d3-1200", "forearm.mass=nan", "not a number"),
        ("d3-1200", "forearm.mass=[1, 2]", "has 2 entries, but there are three arms"),
        ("d3-1200", "forearm.mass", "does not say which number is which | write KEY=VALUE"),
        ("d3-1200", "forearm.mass=", "does not say which number is which"),
        ("d3-1200", "=3", "does not say which number is which"),
        ("d3-1200", "forearm mass=3", "does not say which number is which"),
        ("d3-1200", "forearm..mass=3", "not TOML"),
        ("d3-1200", "forearm=3", "`forearm` must be a table, found a number"),
        ("d3-1200", "kind=scara", "unknown kind \"scara\""),
        ("d3-1200", "link.2.mass=3", "unknown key `link` at the top"),
        ("puma560", "link.7.mass=3", "there is no entry 7: there are 6"),
        ("puma560", "link.0.mass=3", "there is no entry 0"),
        ("puma560", "link.mass=3", "there is no entry mass"),
        ("puma560", "link.2.mass=-3", "`mass` of link 2 is -3"),
        ("puma560", "link2.gear=3", "unknown key `gear` in [link.2]"),
    ] {
        let error = changed(robot, &[change]).expect_err(change);
        assert!(error.contains(part), "{change}: {error}");
    }
    let twice = changed("d3-1200", &["forearm.mass=1", "forearm.mass=2"]).unwrap_err();
    assert!(twice.contains("duplicate") && twice.contains("keep one of the two"), "{twice}");
    assert!(changed("d3-1201", &["forearm.mass=1"]).unwrap_err().contains("no robot and no file"));
}

/// Every number of a robot can be changed by the key that its table has, and is read back as it was.
#[test]
fn every_number_has_its_key() {
    for name in ["asadi", "d3-1200", "puma560"] {
        let robot = changed(name, &[]).unwrap();
        let mut count = 0;
        let mut numbers = robot.numbers();
        numbers.retain(|number| number.field.key != "tool.rpy");
        for number in &numbers {
            let same = |other: &&dalembert::robot::Number| other.field == number.field;
            let table = robot.kind().part_table.filter(|_| number.place.part.is_some());
            let of_part = |other: &&dalembert::robot::Number| table.is_none() || other.place.part == number.place.part;
            let values: Vec<String> =
                numbers.iter().filter(same).filter(of_part).map(|other| format!("{:?}", other.value)).collect();
            let value = if values.len() == 1 { values[0].clone() } else { format!("[{}]", values.join(", ")) };
            let key = match table {
                Some(table) => format!("{table}.{}.{}", number.place.part.unwrap() + 1, number.field.key),
                None => number.field.key.to_owned(),
            };
            let again = changed(name, &[&format!("{key}={value}")]);
            // The file of this robot says the inertia in another way.
            if again.as_ref().is_err_and(|error| error.contains("both `inertia` and")) {
                continue;
            }
            assert_eq!(
                again.unwrap_or_else(|error| panic!("{key}={value}: {error}")).to_toml(),
                robot.to_toml(),
                "{key}"
            );
            count += 1;
        }
        assert!(count > 30, "{name}: {count}");
    }
}

#[test]
fn a_fourth_axis_round_trips() {
    let text = include_str!("../../../../robots/d3-1200-fourth-axis-assumed.toml");
    let on_platform =
        text.split("[fourth_axis.shaft]").next().unwrap().replace("gear_ratio = 5", "gear_ratio = -5\nmass = 0.4");
    for text in [text, &on_platform] {
        let robot = Robot::parse(text).unwrap();
        assert!(robot.warnings.is_empty() && robot.joints().len() == 4);
        let written = robot.to_toml().unwrap();
        let back = Robot::parse(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!((back.numbers(), back.joints()), (robot.numbers(), robot.joints()), "{written}");
        assert_eq!(back.to_toml().unwrap(), written);
        // What is not there is refused, not left out.
        let error = DeltaRobot::parse(text).unwrap_err();
        assert!(error.problem.contains("fourth_axis"), "{error}");
    }
    let heavier = Robot::parse(text).unwrap().with_payload(2.0).unwrap();
    assert_eq!(heavier.payload(), 2.0);
    assert!(heavier.without_rotors().unwrap().joints().iter().all(|joint| joint.rotor_inertia == 0.0));
    assert!(heavier.with_friction(None).unwrap().is_lossless() && !heavier.is_lossless());
}

/// What looks wrong in the file of a built-in robot with these changes.
fn warned(robot: &str, changes: &[&str]) -> String {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    let robot = Robot::find_with(robot, &changes).unwrap_or_else(|error| panic!("{changes:?}: {error}"));
    let problems = robot.warnings.iter().map(|warning| warning.problem.as_str());
    problems.filter(|problem| !problem.contains("no body is so")).collect::<Vec<_>>().join("\n")
}

/// A rotor in kg cm² that is read as kg m² is 10⁴ times too large; a motor's speed and a length that lacks a digit are named as such.
#[test]
fn other_units_are_told_by_what_they_do() {
    let rotor = "motor.rotor_inertia=0.277";
    for (robot, changes, expected) in [
        ("d3-1200", &[rotor, "motor.gear_ratio=20"][..], "it adds 110.8 kg m² at the joint, 296 times the 0.375 kg m²"),
        ("d3-1200", &[rotor, "motor.gear_ratio=20"], "should it be \"0.277 kg cm^2\"?"),
        ("d3-1200", &["motor.rotor_inertia=[0, 0.277, 0]", "motor.gear_ratio=20"], "`motor.rotor_inertia` of arm 2"),
        ("d3-1200", &["motor.rotor_inertia=0.3 kg m^2", "motor.gear_ratio=20"], "that of the joint's side already?"),
        ("hexa", &["legs.motor.rotor_inertia=0.277"], "`legs.motor.rotor_inertia`: with a gear ratio of 12"),
        (
            "hexaglide",
            &["legs.motor.rotor_inertia=0.277", "legs.motor.gear_ratio=5 mm"],
            "should it be \"0.277 kg cm^2\"?",
        ),
        ("puma560", &["link2.motor_inertia=47100"], "`link.2.motor_inertia`: it adds 47100 kg m² at the joint"),
        (
            "d3-1200",
            &["motor.max_speed=3000 rpm", "motor.gear_ratio=20"],
            "With a gear ratio of 20 the joint's is 15.708 rad/s",
        ),
        ("d3-1200", &["motor.max_speed=314", "motor.gear_ratio=20"], "is it the motor's?"),
        ("d3-1200", &["motor.max_speed=3000 rpm"], "is it the motor's, before a gear?"),
        ("d3-1200", &["forearm.length=90 mm", "forearm.center_of_mass=45 mm"], "`forearm.length` is 0.09 m, short"),
        // No more than such bodies ask for, but no motor of this torque has such a rotor.
        (
            "d3-1200",
            &[rotor, "motor.gear_ratio=5", "motor.max_torque=80"],
            "`max_torque` accelerates the motor alone by only 57.8 rad/s²: should it be \"0.277 kg cm^2\"?",
        ),
        (
            "d3-1200",
            &["forearm.length=480 cm", "forearm.center_of_mass=2.4"],
            "`forearm.length` is 4.8 m, 12.8 times the upper arm's 0.375 m",
        ),
        ("linear-delta", &["leg1.motor.gear_ratio=5"], "5 rad/m, 1.26 m for each turn: should it be \"5 mm\"?"),
        ("linear-delta", &["leg1.motor.gear_ratio=0.005"], "should it be \"0.005 m\"?"),
    ] {
        let warned = warned(robot, changes);
        assert!(warned.contains(expected), "{robot} {changes:?}: {warned}");
        assert!(!warned.contains("rpm\"?") && !warned.contains("forearm.mass"), "{robot} {changes:?}: {warned}");
    }
    let text = PLAIN.replace("length = 0.9", "length = 0.09");
    let robot = DeltaRobot::parse(&text).unwrap();
    let [warning] = &robot.warnings[..] else { panic!("{:?}", robot.warnings) };
    assert!(warning.problem.contains("should it be 0.9?") && warning.location.line == 14, "{warning}");
}

/// Motors of joints that slide: a ratio, a lead, a rotor or the mass of a linear motor, each with its own unit, and none by chance.
#[test]
fn motors_of_slides_are_read_by_their_units() {
    let robot = |changes: &[&str]| changed("hexaglide", changes);
    let felt = |changes: &[&str]| robot(changes).unwrap().joints()[0].rotor_inertia;
    assert_eq!(felt(&["legs.motor.rotor_inertia=16.5 kg"]), 16.5);
    assert_eq!(felt(&["legs.motor.rotor_inertia=16.5"]), 16.5);
    let spindle = felt(&["legs.motor.rotor_inertia=1 kg cm^2", "legs.motor.gear_ratio=400 rad/m"]);
    assert!((spindle - 16.0).abs() < 1e-14, "{spindle}");
    // One turn of a spindle is its lead: n = 2π/lead.
    for lead in ["5 mm", "5 mm/rev", "0.5 cm", "200 rev/m"] {
        let felt = felt(&["legs.motor.rotor_inertia=1 kg cm^2", &format!("legs.motor.gear_ratio={lead}")]);
        let n = std::f64::consts::TAU / 0.005;
        assert!((felt / (1e-4 * n * n) - 1.0).abs() < 1e-15, "{lead}: {felt}");
    }
    for (changes, expected) in [
        (&["legs.motor.rotor_inertia=16.5 kg", "legs.motor.gear_ratio=5 mm"][..], "is a mass, but"),
        (&["legs.motor.rotor_inertia=1 kg cm^2"], "there is no `legs.motor.gear_ratio`"),
        (&["legs.motor.gear_ratio=1:20"], "\"1:20\" is a ratio, but a gear ratio in rad/m or a lead is needed"),
        (&["legs.motor.gear_ratio=200 1/m"], "gear ratio in rad/m or a lead"),
        (&["legs.motor.gear_ratio=0 mm"], "moves nothing"),
        (&["legs.motor.gear_ratio=97 %"], "is a share"),
    ] {
        let error = robot(changes).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    assert!(
        changed("d3-1200", &["motor.gear_ratio=5 mm"]).is_err_and(|error| error.contains("a gear ratio is needed"))
    );
}

/// A number in quotes without a unit is asked for one, with the unit in which such numbers are usually written.
#[test]
fn quoted_numbers_are_asked_for_their_unit() {
    for (change, expected) in [
        ("forearm.length=\"450\"", "as in \"450 mm\"; without quotes 450 is in m"),
        ("forearm.mass=\"390\"", "as in \"390 g\"; without quotes 390 is in kg"),
        ("joints.range=[\"-60\", \"95\"]", "as in \"-60 deg\"; without quotes -60 is in rad"),
        ("motor.max_torque=\"80\"", "as in \"80 N m\"; without quotes 80 is in N m"),
        ("motor.gear_ratio=\"20\"", "write 20 without quotes"),
        ("motor.gear_ratio=3:20", "one side of the ratio \"3:20\" must be 1"),
    ] {
        let error = changed("d3-1200", &[change]).unwrap_err();
        assert!(error.contains(expected), "{change}: {error}");
    }
    let without = warned("d3-1200", &["forearm.length=450"]);
    assert!(without.contains("`forearm.length` is 450 m: should it be \"450 mm\"?"), "{without}");
}

/// A key that all legs share counts where a leg has none of its own; where each has its own, a change of it would do nothing.
#[test]
fn shared_keys_without_effect_are_refused() {
    for (change, key) in [("legs.motor.gear_ratio=400", "motor.gear_ratio"), ("legs.branch=in", "branch")] {
        let error = changed("linear-delta", &[change]).unwrap_err();
        assert!(error.contains(&format!("`legs.{key}` has no effect: every [[leg]] has its own")), "{error}");
        assert!(error.contains(&format!("change `leg.1.{key}`")), "{error}");
    }
    for (robot, change) in [
        ("hexa", "legs.motor.gear_ratio=10"),
        ("hexa", "leg1.motor.gear_ratio=10"),
        ("linear-delta", "legs.motor.friction.viscous=1"),
    ] {
        assert!(
            changed(robot, &[change]).is_ok_and(|changed| changed.to_toml() != Robot::find(robot).unwrap().to_toml()),
            "{robot} {change}"
        );
    }
}

/// Keys that are there for other robots, or under other names.
#[test]
fn missing_keys_have_their_reason() {
    for (robot, change, expected) in [
        ("d3-1200", "base.position=[0, 0, 1]", "Another mounting is another `gravity`"),
        ("hexa", "base.rpy=[0, 0, 1]", "Another mounting is another `gravity`"),
        ("hexa", "legs.zero_offset=0.1", "of a leg it turns `zero`"),
        ("puma560", "link2.zero_offset=0.1", "of a link it is `theta_offset`"),
        ("hexa", "legs.rod.axial_inertia=1", "they transmit no torque about the line"),
        ("d3-1200", "platform.inertia=[1, 1, 1]", "has no effect"),
    ] {
        let error = changed(robot, &[change]).unwrap_err();
        assert!(error.contains(expected), "{robot}, {change}: {error}");
    }
}

/// What [`numbers_in_other_units_are_told`] and its likes say of robots that are as they should be: nothing of the 56 files of this
/// repository, and of random Deltas, whose motors are drawn without regard to their size, 3 % or less. Those have the motor of a large
/// robot on arms of a few centimetres. The gravity of random arms is not the Earth's, and the paper's inertia of link 3 of the PUMA is
/// impossible.
#[test]
fn false_alarms_are_rare() {
    let (mut files, mut alarms) = (0, Vec::new());
    for folder in ["../../robots", "../../golden/robots", "../robot/robots", "../papers/robots"] {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let robot = Robot::parse(&fs::read_to_string(entry.path()).expect("a file")).expect("a robot");
            files += 1;
            alarms.extend(
                robot
                    .warnings
                    .into_iter()
                    .map(|w| w.problem)
                    .filter(|w| !w.contains("not the Earth's") && !w.contains("no body is so")),
            );
        }
    }
    assert!(files > 40 && alarms.is_empty(), "{files} files: {alarms:?}");

    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (count, mut odd) = (400, 0);
    for _ in 0..count {
        let delta = dalembert_proptest::robots().new_tree(&mut runner).unwrap().current();
        let plain = DeltaRobot::parse(PLAIN).unwrap();
        let text = DeltaRobot { name: "random".into(), delta, ..plain }.to_toml();
        let robot = Robot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let told: Vec<String> = robot.warnings.into_iter().map(|w| w.problem).collect();
        // What asks is a guess; that a platform is larger than its base is so. Of the masses, which are drawn regardless of the size,
        // some are more than a block of steel.
        let told: Vec<&String> = told.iter().filter(|w| w.contains('?') && !w.contains("of steel")).collect();
        told.iter().for_each(|problem| eprintln!("{problem}"));
        odd += usize::from(!told.is_empty());
    }
    eprintln!("{odd} of {count}");
    assert!(odd <= 3 * count / 100, "{odd} of {count}");
}

/// URDF writes π with ten or eleven digits; what that is off from a half turn is not dropped. A multiple of 30° that was computed is one.
#[test]
fn angles_keep_their_digits() {
    use dalembert::Angle;
    for text in ["3.14159265359", "1.5707963268", "3.14159265358979", "0.5235987755983"] {
        let angle: f64 = text.parse().unwrap();
        let (found, libm) = (Angle::from_radians(angle), (angle.sin(), angle.cos()));
        assert!((found.sin - libm.0).abs() < 1e-15 && (found.cos - libm.1).abs() < 1e-15, "{text}: {found:?}");
        assert!(![0.0, 0.5].contains(&found.sin.abs()) || ![0.0, 0.5].contains(&found.cos.abs()), "{text}: {found:?}");
    }
    for k in -24..=24 {
        let degrees = 30.0 * f64::from(k);
        for angle in [
            degrees.to_radians(),
            degrees * (std::f64::consts::PI / 180.0),
            std::f64::consts::TAU * f64::from(k) / 12.0,
        ] {
            let Angle { cos, sin } = Angle::from_radians(angle);
            let exact = |x: f64| [0.0, 0.5, 1.0, 0.75_f64.sqrt()].contains(&x.abs());
            assert!(exact(cos) && exact(sin), "{degrees}: {cos} {sin}");
        }
    }
}

/// What is computed for an inertia of zero is a little below it as often as above: it is accepted in every family.
#[test]
fn rounded_inertias_are_no_mistake() {
    let fourth = "../../robots/d3-1200-fourth-axis-assumed.toml";
    for (robot, change) in [
        ("puma560", "link3.inertia=[0.066, 0.0125, -5e-20]"),
        ("puma560", "link3.inertia=[-5e-20, -5e-20, -5e-20]"),
        ("puma560", "link3.inertia=[5.0, 5.0, -5e-15]"),
        ("puma560", "link3.motor_inertia=-5e-20"),
        ("puma560", "payload={ mass = 1, inertia = [0, -5e-20, 0] }"),
        ("d3-1200", "upper_arm.inertia=-5e-20"),
        ("d3-1200", "forearm.inertia=-5e-20"),
        ("d3-1200", "motor.rotor_inertia=-5e-20"),
        ("hexa", "platform.inertia=[0.0015, 0.0015, -5e-20]"),
        ("hexa", "legs.arm.inertia=-5e-20"),
        ("stewart", "legs.piston.inertia=-5e-20"),
        (fourth, "fourth_axis.payload.inertia=-5e-20"),
    ] {
        changed(robot, &[change]).unwrap_or_else(|error| panic!("{robot} {change}: {error}"));
    }
    for (robot, change) in [
        ("puma560", "link3.inertia=[0.066, 0.0125, -1e-10]"),
        ("puma560", "link3.motor_inertia=-1e-10"),
        ("d3-1200", "upper_arm.inertia=-1e-10"),
        ("hexa", "legs.arm.inertia=-1e-10"),
        ("puma560", "link3.mass=-1e-20"),
    ] {
        assert!(changed(robot, &[change]).is_err(), "{robot} {change}");
    }
}

/// What verbs say of a robot: where its middle is, which models it has, in which units its joints are, what was assumed.
#[test]
fn verbs_say_what_they_took() {
    use dalembert::robot::{Pick, ToolState};
    use dalembert::verbs::sensitivity::{SensitivityRequest, sensitivity};
    use dalembert::verbs::{CheckRequest, ExplainRequest, Outcome, check, explain};
    let check = |name: &str| check(&CheckRequest { robot: Robot::find(name).unwrap() }, &mut ()).unwrap();
    assert_eq!(check("d3-1200").center_is(), "halfway");
    assert_eq!(check("stewart").center_is(), "that of the home pose");
    let other = check("../../golden/robots/scara.toml").other_models();
    assert_eq!(other.len(), 1, "{other:?}");
    assert!(other[0].contains("explicit, explicit-a3, abbreviated, derived: the PUMA 560 models"), "{other:?}");
    assert!(check("d3-1200").other_models().is_empty());

    let explained = explain(&ExplainRequest::new(Robot::find("stewart").unwrap()), &mut ()).unwrap();
    let units: Vec<&str> =
        explained.explanation.sections.iter().flat_map(|section| &section.quantities).map(|q| q.unit).collect();
    assert!(units.contains(&"N") && !units.contains(&"rad") && !units.contains(&"rad/s"), "{units:?}");

    // A force where joints slide, whoever asks.
    for (metrics, unit) in [
        (explained.metrics(), "N"),
        (explain(&ExplainRequest::new(Robot::find("d3-1200").unwrap()), &mut ()).unwrap().metrics(), "N m"),
    ] {
        assert!(!metrics.is_empty() && metrics.iter().all(|metric| metric.unit == unit), "{metrics:?}");
    }

    let robot = Robot::find("d3-1200").unwrap();
    let far = ToolState::translating(
        dalembert::Vec3::new(0.0, 0.0, -850.0),
        dalembert::Vec3::zero(),
        dalembert::Vec3::zero(),
    );
    let error = robot.at_tool(&far, &Pick::default()).unwrap_err().to_string();
    assert!(error.contains("positions are in metres: −850 looks like millimetres"), "{error}");

    let request =
        SensitivityRequest { samples: Some(0), ..SensitivityRequest::new(robot.clone(), robot.home().unwrap()) };
    let found = sensitivity(&request, &mut ()).unwrap();
    assert_eq!(found.findings()[0].code, "assumed-tolerance");
    let given = SensitivityRequest { tolerance: Some(2.0), ..request };
    assert!(sensitivity(&given, &mut ()).unwrap().findings().is_empty());

    for (robot, change) in
        [("linear-delta", "platform.center_of_mass=[0, 0, 0.1]"), ("d3-1200", "payload.inertia=[1, 1, 1]")]
    {
        let error = changed(robot, &[change]).unwrap_err();
        assert!(error.contains("has no effect"), "{error}");
    }
}

/// Recordings of a platform that its legs turn say how it is turned.
#[test]
fn recordings_of_hexapods_have_their_orientation() {
    use dalembert::robot::{Pick, TURN_COLUMNS, turn_row};
    let hexa = Robot::find("hexa").unwrap();
    assert!(hexa.turns_by_legs() && !Robot::find("linear-delta").unwrap().turns_by_legs());
    let cell = dalembert::cell::Cell::of_robot(&hexa, None, None).unwrap();
    let settings = dalembert::cell::CellSettings { duration: 0.02, every: 0.01, ..Default::default() };
    let run = cell.run(&settings, &mut |_| true).unwrap();
    let column = |name: &str| run.recording.column(name).unwrap_or_else(|| panic!("no {name}")).to_vec();
    let joints =
        |stem: &str, k: usize| dalembert::robot::JointVector::from_fn(6, |i| column(&format!("{stem}{}", i + 1))[k]);
    let k = column("t").len() - 1;
    let state = dalembert::robot::JointState { q: joints("q", k), qd: joints("qd", k), qdd: joints("qd", k) };
    let tool = hexa.at_joints(&state, &Pick::default()).unwrap().tool;
    for (value, (name, ..)) in turn_row(dalembert::Mat3::diagonal(1.0), &tool).iter().zip(TURN_COLUMNS) {
        assert!((column(name)[k] - value).abs() < 1e-9, "{name}: {} {value}", column(name)[k]);
    }
}
