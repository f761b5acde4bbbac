//! The torques of arms in parts, each part known in another way.
//!
//! A term or a body that is forgotten, counted twice or in another frame breaks the sum. A share that is that of another term or body breaks
//! one of the other comparisons: inertia with the torque that is added to a robot at rest without weight, Coriolis with differences of the mass
//! matrix, gravity with differences of the potential energy, the wrench with the power at the tool, a body with the torque that twice the body adds.

use dalembert::robot::{JointState, JointVector, Pick, State};
use dalembert::spatial::Wrench;
use dalembert::{Robot, Vec3};
use std::collections::BTreeMap;

/// A SCARA in millimetres and degrees, its base tilted, with friction, a spring, rotors and a payload.
const SCARA: &str = r#"
kind = "serial"
name = "own-scara"
convention = "modified-dh"
base = { position = ["100 mm", "-200 mm", "700 mm"], rpy = ["12 deg", "-7 deg", "33 deg"] }
payload = { mass = "1500 g", center_of_mass = ["10 mm", 0, "40 mm"], inertia = [0.002, 0.003, 0.0015] }
tool = { position = [0, 0, "60 mm"], rpy = ["180 deg", 0, 0] }

[[link]]
joint = "revolute"
alpha = 0
a = 0
d = "180 mm"
mass = "6 kg"
center_of_mass = ["120 mm", "5 mm", "20 mm"]
inertia = [0.02, 0.08, 0.09]
motor_inertia = 0.3
friction = { coulomb = 0.4, viscous = 0.8 }
spring = { stiffness = "20 N m/rad", rest = "10 deg", cosine = -3 }

[[link]]
joint = "revolute"
alpha = 0
d = 0
a = "225 mm"
mass = "4 kg"
center_of_mass = ["90 mm", "-3 mm", 0]
inertia = [0.01, 0.03, 0.035]
motor_inertia = 0.1

[[link]]
joint = "prismatic"
alpha = 0
d = 0
a = "175 mm"
mass = "900 g"
center_of_mass = [0, "2 mm", "-80 mm"]
inertia = [0.004, 0.004, 0.0003]
motor_inertia = 12
spring = { stiffness = "400 N/m", rest = "-30 mm" }

[[link]]
joint = "revolute"
alpha = 0
a = 0
d = 0
mass = "200 g"
center_of_mass = ["4 mm", 0, "10 mm"]
inertia = [0.0002, 0.0002, 0.0001]
motor_inertia = 0.002
"#;

fn robots() -> Vec<Robot> {
    let golden = |name: &str, changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        let path = format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Robot::find_with(&path, &changes).unwrap()
    };
    let two_arms = Robot::parse(include_str!("../common/two-arms.toml")).unwrap();
    let puma = Robot::find("puma560").unwrap();
    let ur5e = golden("ur5e", &["payload.mass=3", "payload.center_of_mass=[0.02,0,0.1]", "link.2.motor_inertia=0.5"]);
    vec![
        Robot::parse(SCARA).unwrap(),
        puma,
        ur5e,
        golden("serial-d", &[]),
        golden("serial-h", &[]),
        golden("tree-a", &[]),
        two_arms,
    ]
}

/// Joints, rates and accelerations without a special place.
fn joints(robot: &Robot) -> JointState {
    let numbers =
        |scale: f64, phase: f64| JointVector::from_fn(robot.joints().len(), |i| scale * (1.7 * i as f64 + phase).sin());
    JointState { q: numbers(0.9, 0.4), qd: numbers(1.3, 1.1), qdd: numbers(-2.1, 2.3) }
}

fn at(robot: &Robot, joints: &JointState) -> State {
    robot.at_joints(joints, &Pick::default()).unwrap()
}

fn push() -> Wrench<f64> {
    Wrench { force: Vec3::new(10.0, -4.0, 25.0), moment: Vec3::new(0.3, 2.0, -1.1) }
}

/// Every part by the end of its columns' names, and these in order.
fn parts(robot: &Robot, state: &State) -> (Vec<String>, BTreeMap<String, Vec<f64>>) {
    let columns = robot.columns("breakdown", state, push()).unwrap();
    let n = robot.joints().len();
    let (mut order, mut found) = (Vec::new(), BTreeMap::new());
    for part in columns.chunks(n) {
        let end = part[0].0.strip_prefix("tau1_").unwrap().to_owned();
        for (i, (name, _)) in part.iter().enumerate() {
            assert_eq!(*name, format!("tau{}_{end}", i + 1), "{}", robot.name);
        }
        assert!(found.insert(end.clone(), part.iter().map(|(_, value)| *value).collect::<Vec<_>>()).is_none(), "{end}");
        order.push(end);
    }
    (order, found)
}

fn near(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {a} instead of {b}");
    }
}

const TERMS: [&str; 6] = ["inertia", "coriolis", "gravity", "springs", "friction", "external"];

#[test]
fn the_parts_add_up() {
    for robot in robots() {
        let name = &robot.name;
        let state = at(&robot, &joints(&robot));
        let (order, parts) = parts(&robot, &state);
        assert_eq!(order[..6], TERMS, "{name}");
        let n = robot.joints().len();
        assert_eq!(order[6..8], ["rotors", "link1"], "{name}");
        assert!(order[6 + n] == format!("link{n}") && order[7 + n].ends_with("payload"), "{name}: {order:?}");
        let sum =
            |names: &[String]| -> Vec<f64> { (0..n).map(|i| names.iter().map(|part| parts[part][i]).sum()).collect() };
        let torque = robot.model("exact").unwrap().torque(&state, push()).unwrap();
        // Rounding of sums of up to fifteen recursions.
        near(name, &sum(&order[..6]), &torque, 1e-13);
        near(name, &sum(&order[6..]), &sum(&order[..3]), 1e-12);
    }
}

#[test]
fn every_term_is_known_in_another_way() {
    for robot in robots() {
        let (name, given) = (&robot.name, joints(&robot));
        let n = robot.joints().len();
        let state = at(&robot, &given);
        let (_, parts) = parts(&robot, &state);
        let model = robot.model("exact").unwrap();
        // Without weight, springs and friction, from rest.
        let bare = robot.with_gravity(Vec3::zero()).unwrap().with_friction(None).unwrap();
        let bare = bare.with_springs(&|_, _| None).unwrap();
        let still = JointState { qd: JointVector::zero(n), ..given.clone() };
        let inertia = bare.model("exact").unwrap().torque(&at(&bare, &still), Wrench::zero()).unwrap();
        near(&format!("{name} inertia"), &parts["inertia"], &inertia, 1e-12);
        // Σ (∂M_ij/∂q_k − ½ ∂M_jk/∂q_i) q̇_j q̇_k; fourth-order differences with this step know ten digits.
        let h = 1e-3;
        let slope = |k: usize| -> Vec<Vec<f64>> {
            let mass = |by: f64| {
                let mut q = given.q.clone();
                q[k] += by;
                model.mass_matrix(&at(&robot, &JointState::at_rest(q))).unwrap()
            };
            let all = [mass(h), mass(-h), mass(2.0 * h), mass(-2.0 * h)];
            let entry =
                |i: usize, j: usize| (8.0 * (all[0][i][j] - all[1][i][j]) - (all[2][i][j] - all[3][i][j])) / (12.0 * h);
            (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
        };
        let slopes: Vec<_> = (0..n).map(slope).collect();
        let qd = &given.qd;
        let coriolis: Vec<f64> = (0..n)
            .map(|i| {
                let pairs = (0..n).flat_map(|j| (0..n).map(move |k| (j, k)));
                pairs.map(|(j, k)| (slopes[k][i][j] - 0.5 * slopes[i][j][k]) * qd[j] * qd[k]).sum()
            })
            .collect();
        near(&format!("{name} coriolis"), &parts["coriolis"], &coriolis, 1e-8);
        // Weight: the slope of the potential energy of the robot without springs.
        let weight = robot.with_springs(&|_, _| None).unwrap();
        let potential = |i: usize, by: f64| {
            let mut q = given.q.clone();
            q[i] += by;
            weight.energy(&at(&weight, &JointState::at_rest(q))).unwrap().potential.unwrap()
        };
        let slope = |i: usize| {
            let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(|by| potential(i, by));
            (8.0 * (a - b) - (c - d)) / (12.0 * h)
        };
        near(&format!("{name} gravity"), &parts["gravity"], &(0..n).map(slope).collect::<Vec<_>>(), 1e-8);
        near(&format!("{name} friction"), &parts["friction"], &model.friction(&state).unwrap(), 0.0);
        // Each joint alone at the speed one: the power of the wrench at the tool.
        let power = |i: usize| {
            let qd = JointVector::from_fn(n, |k| f64::from(u8::from(k == i)));
            let tool = at(&robot, &JointState { qd, ..given.clone() }).tool.velocity;
            -(tool.linear.dot(push().force) + tool.angular.dot(push().moment))
        };
        near(&format!("{name} external"), &parts["external"], &(0..n).map(power).collect::<Vec<_>>(), 1e-12);
    }
}

/// Springs: stiffness (q − rest) + … of the file, at the joints that have them.
#[test]
fn springs_are_those_of_the_file() {
    let robot = Robot::parse(SCARA).unwrap();
    let given = joints(&robot);
    let (_, parts) = parts(&robot, &at(&robot, &given));
    let q = &given.q;
    let first = 20.0 * (q[0] - 10.0_f64.to_radians()) - 3.0 * q[0].cos();
    near("springs", &parts["springs"], &[first, 0.0, 400.0 * (q[2] + 0.03), 0.0], 1e-14);
}

/// A link, the payload or the rotors twice as heavy add their share once more.
#[test]
fn a_body_adds_its_share() {
    for robot in robots() {
        let given = joints(&robot);
        let (_, parts) = parts(&robot, &at(&robot, &given));
        let torque = |robot: &Robot| robot.model("exact").unwrap().torque(&at(robot, &given), push()).unwrap();
        let own = torque(&robot);
        let added = |to: &Robot| torque(to).iter().zip(own.iter()).map(|(a, b)| a - b).collect::<Vec<_>>();
        for link in 0..robot.joints().len() {
            let twice = robot.moved(&|number| {
                let is_body = number.place.part == Some(link) && ["mass", "inertia"].contains(&number.field.key);
                if is_body { number.value } else { 0.0 }
            });
            near(
                &format!("{} {link}", robot.name),
                &parts[&format!("link{}", link + 1)],
                &added(&twice.unwrap()),
                1e-11,
            );
        }
        let bare: Vec<f64> = added(&robot.without_rotors().unwrap()).iter().map(|x| -x).collect();
        near(&format!("{} rotors", robot.name), &parts["rotors"], &bare, 1e-11);
        let twice = robot.moved(&|number| {
            let is_carried = ["payload.mass", "payload.inertia"].contains(&number.field.key);
            if is_carried { number.value } else { 0.0 }
        });
        let carried = parts.iter().filter(|(part, _)| part.ends_with("payload"));
        let carried: Vec<f64> = carried
            .map(|(_, torque)| torque.clone())
            .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())
            .unwrap();
        near(&format!("{} payload", robot.name), &carried, &added(&twice.unwrap()), 1e-11);
    }
}

/// Only the exact model has parts; others are refused by name.
#[test]
fn the_parts_are_those_of_the_exact_model() {
    let robot = Robot::find("puma560").unwrap();
    let groups: Vec<_> = robot.column_groups().iter().map(|group| (group.name, group.exact_only)).collect();
    assert_eq!(groups, [("breakdown", true)]);
}
