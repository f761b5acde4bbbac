//! Arms whose base frame stands somewhere in the world.
//!
//! Where the base stands is known twice without it: the same arm in its own base frame under turned gravity, whose tool and forces are moved by
//! hand, and a tree of links whose first one hangs on a mount there. Gravity that stays with the base breaks the torques; a frame that is
//! forgotten breaks the tool, the wrench, the energy, or the way back to the joints.

use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::spatial::{Frame, Wrench, roll_pitch_yaw};
use dalembert::{Angle, Robot, Vec3};

const PLACE: &str = "{ position = [0.5, \"-200 mm\", 1.5], rpy = [\"180 deg\", \"20 deg\", -0.4] }";
const GRAVITY: [f64; 3] = [0.3, -0.2, -9.81];

fn frame() -> Frame<f64> {
    let rpy = [180.0_f64, 20.0, (-0.4_f64).to_degrees()].map(|degrees| Angle::from_radians(degrees.to_radians()));
    Frame { rotation: roll_pitch_yaw(rpy), origin: Vec3::new(0.5, -0.2, 1.5) }
}

/// An arm with a spherical wrist, one without, and one with seven joints: each solved in another way.
fn arms() -> Vec<String> {
    let text = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        Robot::find_with("puma560", &changes).unwrap().to_toml().unwrap()
    };
    let (puma, offset) = (text(&["payload.mass=2"]), text(&["link.5.a=0.08"]));
    let seventh = "[[link]]\njoint = \"revolute\"\nalpha = \"-90 deg\"\na = 0.0\nd = 0.1\nmass = 0.3\ninertia = [0.01, 0.02, 0.03]\n";
    let seven = format!("{puma}\n{seventh}");
    [puma, offset, seven].map(|text| with(&text, "gravity", &format!("{GRAVITY:?}"))).to_vec()
}

/// The file with another value of a key of the top.
fn with(text: &str, key: &str, value: &str) -> String {
    let rest: String =
        text.lines().filter(|line| !line.starts_with(&format!("{key} = "))).map(|line| format!("{line}\n")).collect();
    rest.replacen("convention", &format!("{key} = {value}\nconvention"), 1)
}

fn joints(n: usize) -> JointState {
    let numbers = |scale: f64| JointVector::from_fn(n, |i| scale * (1.7 * i as f64 + 0.4).sin());
    JointState { q: numbers(0.9), qd: numbers(1.3), qdd: numbers(-2.1) }
}

fn push() -> Wrench<f64> {
    Wrench { force: Vec3::new(10.0, -4.0, 25.0), moment: Vec3::new(0.3, 2.0, -1.1) }
}

fn near(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}: {a} instead of {b}");
    }
}

fn numbers(frame: &Frame<f64>) -> Vec<f64> {
    frame.rotation.0.iter().flat_map(|row| row.0).chain(frame.origin.0).collect()
}

/// Torques, accelerations, mass matrix, tool, energy: as in the base's own frame, everything turned by hand.
#[test]
fn the_world_is_that_of_the_base_moved() {
    let (place, back) = (frame(), frame().rotation.transpose());
    for text in arms() {
        let robot = Robot::parse(&with(&text, "base", PLACE)).unwrap();
        let own = Robot::parse(&text).unwrap().with_gravity(back * Vec3(GRAVITY)).unwrap();
        let (given, pick) = (joints(robot.joints().len()), Pick::default());
        let [here, there] = [&robot, &own].map(|robot| robot.at_joints(&given, &pick).unwrap());
        let tool = place.then(&there.tool.pose);
        near("tool", &numbers(&here.tool.pose), &numbers(&tool), 1e-14);
        for (moved, own) in
            [(here.tool.velocity, there.tool.velocity), (here.tool.acceleration, there.tool.acceleration)]
        {
            near("linear", &moved.linear.0, &(place.rotation * own.linear).0, 1e-13);
            near("angular", &moved.angular.0, &(place.rotation * own.angular).0, 1e-13);
        }
        let [model, of_own] = [&robot, &own].map(|robot| robot.model("exact").unwrap());
        let turned = Wrench { force: back * push().force, moment: back * push().moment };
        let torque = model.torque(&here, push()).unwrap();
        // A few hundred roundings of torques up to 100 N m.
        near("torque", &torque, &of_own.torque(&there, turned).unwrap(), 1e-13);
        near("gravity", &model.gravity_torque(&here).unwrap(), &of_own.gravity_torque(&there).unwrap(), 1e-13);
        let accelerated = model.accelerated(&here, &torque, push()).unwrap();
        near("acceleration", &accelerated.joints.qdd, &given.qdd, 1e-9);
        // The origin of the world is not that of the base: the weight of the whole arm and its payload stands between them.
        let [one, other] = [(&robot, &here), (&own, &there)].map(|(robot, at)| robot.energy(at).unwrap());
        let mass: f64 =
            robot.numbers().iter().filter(|n| matches!(n.field.key, "mass" | "payload.mass")).map(|n| n.value).sum();
        let lifted = -mass * Vec3(GRAVITY).dot(place.origin);
        near("kinetic", &[one.kinetic], &[other.kinetic], 1e-13);
        near("potential", &[one.potential.unwrap()], &[other.potential.unwrap() + lifted], 1e-12);
    }
}

/// A tree whose first link hangs on a mount there has the same torques, tool, linear model and free motion.
#[test]
fn a_base_is_a_mount_of_the_first_link() {
    for text in arms() {
        let based = Robot::parse(&with(&text, "base", PLACE)).unwrap();
        let tree = Robot::parse(&text.replacen("[[link]]", &format!("[[link]]\nmount = {PLACE}"), 1)).unwrap();
        let (given, pick) = (joints(based.joints().len()), Pick::default());
        let [a, b] = [&based, &tree].map(|robot| robot.at_joints(&given, &pick).unwrap());
        near("tool", &numbers(&a.tool.pose), &numbers(&b.tool.pose), 1e-14);
        let torque =
            [(&based, &a), (&tree, &b)].map(|(robot, at)| robot.model("exact").unwrap().torque(at, push()).unwrap());
        near("torque", &torque[0], &torque[1], 1e-13);
        let models = [&based, &tree].map(|robot| robot.model("exact").unwrap());
        let [one, other] = [0, 1].map(|k| models[k].accelerated([&a, &b][k], &torque[k], Wrench::zero()).unwrap());
        near("acceleration", &one.joints.qdd, &other.joints.qdd, 1e-9);
        near("of the tool", &one.tool.acceleration.components(), &other.tool.acceleration.components(), 1e-9);
        let slopes = [(&based, &a), (&tree, &b)].map(|(robot, at)| {
            let found = robot.torque_derivatives(at).unwrap();
            let rows = [found.dq, found.dqd, found.dqdd];
            rows.iter().flat_map(|rows| rows.iter().flat_map(|row| row.to_vec())).collect::<Vec<f64>>()
        });
        near("slopes", &slopes[0], &slopes[1], 1e-11);
    }
}

/// Joints are found again from the tool in the world, in closed form and by search.
#[test]
fn the_way_back_starts_in_the_world() {
    for text in arms() {
        let robot = Robot::parse(&with(&text, "base", PLACE)).unwrap();
        let given = joints(robot.joints().len());
        let state = robot.at_joints(&given, &Pick::default()).unwrap();
        let pick = Pick { near: Some(given.q.clone()), ..Pick::default() };
        let found = robot.at_tool(&state.tool, &pick).unwrap();
        near("q", &found.joints.q, &given.q, 1e-9);
        let again = robot.at_joints(&found.joints, &Pick::default()).unwrap();
        near("velocity", &again.tool.velocity.components(), &state.tool.velocity.components(), 1e-9);
        near("acceleration", &again.tool.acceleration.components(), &state.tool.acceleration.components(), 1e-8);
        assert!(robot.reachable_sphere(&robot.usual_orientation(), &Pick::default()).is_ok());
    }
}

/// The file is written and read again; the published models, which know gravity along z only, refuse.
#[test]
fn a_base_is_written_and_the_tables_of_the_puma_refuse_it() {
    // Without the gravity that the tables refuse anyway.
    let text = arms().remove(0).replace(&format!("gravity = {GRAVITY:?}\n"), "");
    let robot = Robot::parse(&with(&text, "base", PLACE)).unwrap();
    let again = Robot::parse(&robot.to_toml().unwrap()).unwrap();
    let a = robot.numbers();
    assert_eq!(a.len(), again.numbers().len());
    let [here, there] = [&robot, &again].map(|robot| robot.at_joints(&joints(6), &Pick::default()).unwrap());
    near("tool", &numbers(&there.tool.pose), &numbers(&here.tool.pose), 1e-14);
    assert!(a.iter().any(|number| number.field.key == "base.rpy"));
    assert!(robot.model("explicit").unwrap_err().to_string().contains("base.rpy"));
    assert!(robot.model("derived").unwrap_err().to_string().contains("base.position"));
    // A base that is only somewhere else leaves the torques alone, and the tables.
    let moved = with(&text, "base", "{ position = [1, 2, 3] }").replace(&format!("gravity = {GRAVITY:?}\n"), "");
    let moved = Robot::parse(&moved).unwrap();
    let state = moved.at_joints(&joints(6), &Pick::default()).unwrap();
    let [exact, explicit] =
        ["exact", "explicit"].map(|name| moved.model(name).unwrap().torque(&state, push()).unwrap());
    near("explicit", &explicit, &exact, 1e-12);
    // None is none.
    let none = Robot::parse(&with(&text, "base", "{ position = [0, 0, 0] }")).unwrap();
    assert_eq!(none.numbers().len(), Robot::parse(&text).unwrap().numbers().len());
    let error = Robot::parse(&with(&text, "base", "{ radius = 1 }")).unwrap_err();
    assert!(error.to_string().contains("radius"), "{error}");
}

/// How the torque depends on how the base is turned: exactly, against differences.
#[test]
fn torques_know_how_the_base_is_turned() {
    let text = arms().remove(0);
    let robot = Robot::parse(&with(&text, "base", PLACE)).unwrap();
    let state = robot.at_joints(&joints(6), &Pick::default()).unwrap();
    let states = [(state.clone(), push())];
    let torques = robot.torque_of_parameters(&states, false).unwrap();
    let parameters = torques.parameters().to_vec();
    for (angle, component) in ["roll", "pitch", "yaw"].into_iter().enumerate() {
        let k = parameters.iter().position(|own| own.name == format!("base.rpy {component}")).unwrap();
        let at = |by: f64| {
            let mut rpy = [180.0_f64.to_radians(), 20.0_f64.to_radians(), -0.4];
            rpy[angle] += by;
            let place = format!("{{ position = [0.5, -0.2, 1.5], rpy = {rpy:?} }}");
            let moved = Robot::parse(&with(&text, "base", &place)).unwrap();
            moved
                .model("exact")
                .unwrap()
                .torque(&moved.at_joints(&state.joints, &Pick::default()).unwrap(), push())
                .unwrap()
        };
        let (h, slope) = (1e-3, torques.derivative(k));
        for (i, slope) in slope.iter().enumerate() {
            let differences = (8.0 * (at(h)[i] - at(-h)[i]) - (at(2.0 * h)[i] - at(-2.0 * h)[i])) / (12.0 * h);
            assert!((slope - differences).abs() < 1e-8 * slope.abs().max(1.0), "{component}: {slope} {differences}");
        }
    }
}
