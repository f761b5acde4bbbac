//! Sensitivities are with respect to the numbers of the robot *file*: every number is changed in the text of a file, the
//! file is read again, and the torque of the robot that comes out is differenced. Nothing of this goes through the
//! functions that are differentiated, so a number that is forgotten, is changed at the wrong place or does not take with
//! it what follows from it (static friction from `coulomb`, the inertia of a uniform rod from its mass and length) is
//! found out.
//!
//! Differences are central and extrapolated (steps h and 2h), so they are good to h⁴ and to rounding over h: 1e-8 of the
//! larger of the derivative and the torque per step's scale.

use dalembert::analyze::sensitivity::{
    ChainTorque, DeltaState, DeltaTorque, Sensitivity, TorqueOfParameters, sensitivities,
};
use dalembert::delta::{Assembly, Delta};
use dalembert::robot::{JointState, families};
use dalembert::spatial::Wrench;
use dalembert::{DeltaRobot, SerialRobot, Vec3};
use std::collections::BTreeSet;
use std::error::Error;
use toml::{Table, Value};

type Done = Result<(), Box<dyn Error>>;

/// Everything that may follow from something else follows: rods, static friction, the inertia about the arm's own centre.
const SPARSE: &str = r#"
kind = "delta"
name = "sparse"
gravity = [0.3, -0.2, -9.7]
[base]
radius = 0.25
azimuths = [0.1, 2.2, 4.25]
[upper_arm]
length = 0.375
mass = 1.4
center_of_mass = 0.122
inertia_about_axis = 0.0558376
elbow_mass = 0.05
[forearm]
length = 0.9
mass = 0.39
[platform]
radius = 0.1
mass = 0.94
[motor]
rotor_inertia = 1e-4
gear_ratio = 10.0
friction = { viscous = 0.4, coulomb = 5.0 }
[joints]
passive_damping = 0.02
[payload]
mass = 0.5
"#;

/// Nothing follows.
const FULL: &str = r#"
kind = "delta"
name = "full"
gravity = [0.0, 0.0, -9.81]
[base]
radius = 0.25
azimuths = [0.0, 2.0943951023931953, 4.1887902047863905]
[upper_arm]
length = 0.375
mass = 1.4
center_of_mass = 0.122
inertia = 0.035
[forearm]
length = 0.9
mass = 0.39
center_of_mass = 0.43
inertia = 0.027
[platform]
radius = 0.1
mass = 0.94
[motor]
rotor_inertia = 1e-4
gear_ratio = 10.0
friction = { viscous = 0.4, coulomb = 5.0, static = 8.0, stribeck_velocity = 0.15, smoothing_velocity = 0.02 }
[payload]
mass = 0.5
"#;

const ARM: &str = r#"
kind = "serial"
name = "arm"
convention = "modified-dh"
gravity = [0.5, 0.2, -9.6]
[[link]]
joint = "prismatic"
alpha = 0.3
a = 0.1
d = 0.2
theta_offset = 0.4
mass = 3.0
center_of_mass = [0.01, 0.02, 0.03]
inertia = [0.02, 0.03, 0.025, 0.001, 0.002, -0.001]
motor_inertia = 2.0
friction = { coulomb = 12.0, viscous = 3.0 }
[[link]]
joint = "revolute"
alpha = 1.2
a = 0.3
d = 0.05
theta_offset = -0.2
mass = 2.0
center_of_mass = [0.15, 0.01, 0.02]
inertia = [0.01, 0.03, 0.035, 0.0, 0.001, 0.0]
motor_inertia = 0.4
gear_ratio = 50.0
friction = { coulomb = 3.0, static = 4.0, stribeck_velocity = 0.2, smoothing_velocity = 0.05 }
armature = { carrier = 1, axis = [0.0, 0.6, 0.8] }
[[link]]
joint = "revolute"
alpha = -0.7
a = 0.4
d = 0.02
mass = 1.0
center_of_mass = [0.1, 0.0, 0.05]
inertia = [0.004, 0.005, 0.006]
motor_inertia = 0.1
gear_ratio = 80.0
armature = { carrier = 2, axis = [1.0, 0.0, 0.0] }
[tool]
position = [0.05, -0.02, 0.11]
rpy = [0.2, 0.5, -0.9]
[payload]
mass = 1.5
center_of_mass = [0.01, 0.02, 0.04]
inertia = [0.003, 0.002, 0.004, 0.0, 0.0, 0.001]
"#;

/// Where a number of a file stands: keys, then perhaps the place in a list.
type Place = (Vec<String>, Option<usize>);

/// All numbers of a table.
fn numbers(table: &Table, above: &[String]) -> Vec<Place> {
    let mut places = Vec::new();
    for (key, value) in table {
        let path: Vec<String> = above.iter().cloned().chain([key.clone()]).collect();
        match value {
            Value::Float(_) => places.push((path, None)),
            Value::Table(inner) => places.extend(numbers(inner, &path)),
            Value::Array(all) => {
                for (i, entry) in all.iter().enumerate() {
                    match entry {
                        Value::Float(_) => places.push((path.clone(), Some(i))),
                        // [[link]]: link1, link2 …
                        Value::Table(inner) => places.extend(numbers(inner, &[format!("link{}", i + 1)])),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    places
}

/// The file with one number changed, and that number.
fn edited(text: &str, place: &Place, by: f64) -> Result<(String, f64), Box<dyn Error>> {
    let mut root: Table = text.parse()?;
    let (path, index) = place;
    let mut here: Option<&mut Value> = None;
    for key in path {
        here = Some(match (here, key.strip_prefix("link").and_then(|n| n.parse::<usize>().ok())) {
            (None, Some(n)) => {
                root.get_mut("link").and_then(Value::as_array_mut).and_then(|all| all.get_mut(n - 1)).ok_or("a link")?
            }
            (None, None) => root.get_mut(key).ok_or("a key")?,
            (Some(value), _) => value.get_mut(key.as_str()).ok_or("a key")?,
        });
    }
    let mut value = here.ok_or("a place")?;
    if let Some(i) = index {
        value = value.get_mut(*i).ok_or("an entry")?;
    }
    let given = value.as_float().ok_or("a number")?;
    *value = Value::Float(given + by);
    Ok((root.to_string(), given))
}

/// The name of a number among the sensitivities.
fn name((path, index): &Place) -> String {
    let name = path.join(".");
    let ending = match (index, path.last().map(String::as_str)) {
        (None, _) => return name,
        (Some(i), Some("inertia")) => ["xx", "yy", "zz", "xy", "yz", "xz"][*i].to_owned(),
        (Some(i), Some("rpy")) => ["roll", "pitch", "yaw"][*i].to_owned(),
        (Some(i), Some("azimuths")) => format!("of arm {}", i + 1),
        (Some(i), _) => ["x", "y", "z"][*i].to_owned(),
    };
    format!("{name} {ending}")
}

/// Checks every number of a file; gives the names of the sensitivities that stand for no number of it.
fn check(
    text: &str,
    all: &[Sensitivity],
    torque: impl Fn(&str) -> Result<Vec<f64>, Box<dyn Error>>,
) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut left: BTreeSet<String> = all.iter().map(|s| s.parameter.name.clone()).collect();
    let size = torque(text)?.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
    for place in numbers(&text.parse()?, &[]) {
        let name = name(&place);
        let found = all.iter().find(|s| s.parameter.name == name).ok_or(format!("no sensitivity to `{name}`"))?;
        left.remove(&name);
        let (_, given) = edited(text, &place, 0.0)?;
        // Azimuths are kept as sine and cosine: the same a turn apart.
        let apart = found.parameter.value - given;
        let apart = if name.contains("azimuths") { (0.5 * apart).sin() } else { apart };
        assert!(apart.abs() < 1e-12, "{name}: {} {given}", found.parameter.value);
        let h = 1e-4 * given.abs().max(1e-2);
        let at = |by: f64| torque(&edited(text, &place, by)?.0);
        let [far_below, below, above, far_above] = [at(-2.0 * h)?, at(-h)?, at(h)?, at(2.0 * h)?];
        for (i, slope) in found.torque.iter().enumerate() {
            let (near, far) = ((above[i] - below[i]) / (2.0 * h), (far_above[i] - far_below[i]) / (4.0 * h));
            let difference = (4.0 * near - far) / 3.0;
            let scale = difference.abs().max(size / given.abs().max(0.1));
            assert!((slope - difference).abs() < 1e-8 * scale, "{name}, joint {}: {slope} {difference}", i + 1);
        }
    }
    Ok(left)
}

/// The torque of a Delta at a platform state near a pose of its joints: the inverse kinematics is Newton's, on the forward
/// one, so any mixture of elbows is kept.
fn torque_near(robot: &Delta<f64>, start: Vec3<f64>, [x, v, a]: [Vec3<f64>; 3]) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut q = start;
    for _ in 0..30 {
        let pose = robot.at_joints(q.0, Assembly::Below)?;
        q = q + pose.jacobian() * (x - pose.position);
    }
    let moving = robot.at_joints(q.0, Assembly::Below)?.moving(v);
    Ok(moving.torque(a).to_vec())
}

/// All numbers of two files, one of which leaves everything out that may be, with elbows out and with mixed ones, in slow
/// motion, where dry friction depends on everything that it has.
#[test]
fn every_number_of_a_delta_file() -> Done {
    for (text, follows) in [(SPARSE, true), (FULL, false)] {
        let robot = DeltaRobot::parse(text)?;
        for joints in [[0.6, 0.8, 0.7], [3.7, 0.2, 0.3]] {
            let q = Vec3(joints);
            let pose = robot.delta.at_joints(q.0, Assembly::Below)?;
            let mixed = pose.branches().iter().any(|branch| *branch != pose.branches()[0]);
            assert_eq!(mixed, joints[0] > 2.0, "the second pose has an elbow inward");
            let (v, a) = (Vec3::new(0.02, -0.03, 0.015), Vec3::new(3.0, -2.0, 5.0));
            let moving = pose.moving(v);
            let state = DeltaState::of(&moving, a, Vec3::zero());
            let of = |per_arm| DeltaTorque::new(&robot.delta, robot.follows, vec![state], per_arm);
            let nominal: Vec<f64> = of(false).torque(&vec![0.0; of(false).parameters().len()]);
            for (found, expected) in nominal.iter().zip(moving.torque(a)) {
                assert!((found - expected).abs() < 1e-10, "{found} {expected}");
            }
            // A number of the file is one of all arms; azimuths are three.
            let azimuth = |s: &Sensitivity| s.parameter.name.contains("azimuths");
            let alike = sensitivities(&of(false)).into_iter().filter(|s| !azimuth(s));
            let all: Vec<_> = alike.chain(sensitivities(&of(true)).into_iter().filter(azimuth)).collect();
            let rest =
                check(text, &all, |text| torque_near(&DeltaRobot::parse(text)?.delta, q, [pose.position, v, a]))?;
            let expected: &[&str] = if follows {
                &[
                    "forearm.center_of_mass",
                    "forearm.inertia",
                    "motor.friction.smoothing_velocity",
                    "motor.friction.static",
                    "motor.friction.stribeck_velocity",
                ]
            } else {
                &[]
            };
            assert_eq!(rest.iter().map(String::as_str).collect::<Vec<_>>(), expected, "numbers that no file has");
        }
    }
    Ok(())
}

/// The case that a file usually is: `coulomb` alone. Below the Stribeck velocity friction is coulomb · tanh(q̇/v₀), and
/// nothing else, so its derivative is one.
#[test]
fn coulomb_alone() -> Done {
    let robot = DeltaRobot::parse(SPARSE)?;
    let pose = robot.delta.at_joints([0.8; 3], Assembly::Below)?;
    let moving = pose.moving_joints([0.02; 3]);
    let state = DeltaState::of(&moving, Vec3::zero(), Vec3::zero());
    let all = sensitivities(&DeltaTorque::new(&robot.delta, robot.follows, vec![state], false));
    let coulomb = all.iter().find(|s| s.parameter.name == "motor.friction.coulomb").ok_or("it is there")?;
    for slope in &coulomb.torque {
        assert!((slope - 1.0).abs() < 1e-12, "{slope}");
    }
    Ok(())
}

/// All numbers of an arm's file: a slide, twists, motors that are carried and spin, a tool that is turned, a payload.
#[test]
fn every_number_of_an_arm_file() -> Done {
    let (q, qd, qdd) = ([0.2, -0.7, 0.9], [0.06, 0.11, -0.8], [1.5, -2.0, 3.0]);
    let force = Vec3::new(4.0, -3.0, 2.0);
    let family = families::chain::ChainRobot::of_file(SerialRobot::parse(ARM)?)?;
    let state = JointState { q: q.into(), qd: qd.into(), qdd: qdd.into() };
    let torque = ChainTorque::new(&family, vec![(state, Wrench { force, moment: Vec3::zero() })])?;
    assert_eq!(TorqueOfParameters::units(&torque), ["N", "N m", "N m"]);
    let rest = check(ARM, &sensitivities(&torque), |text| {
        let arm = SerialRobot::parse(text)?.arm.arm::<3>().ok_or("three joints")?;
        let moving = arm.at_joints(q)?.try_moving(qd)?;
        let carried = moving.pose.torque_of_wrench(Wrench { force, moment: Vec3::zero() });
        Ok(moving.torque(qdd).iter().zip(carried).map(|(tau, carried)| tau - carried).collect())
    })?;
    // Defaults that the file does not say.
    let expected = [
        "link1.friction.smoothing_velocity",
        "link1.friction.static",
        "link1.friction.stribeck_velocity",
        "link1.gear_ratio",
        "link2.friction.viscous",
        "link3.inertia xy",
        "link3.inertia xz",
        "link3.inertia yz",
        "link3.theta_offset",
    ];
    assert_eq!(rest.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    Ok(())
}
