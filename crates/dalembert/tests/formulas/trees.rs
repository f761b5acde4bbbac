//! Long arms and trees of links as robots: against Pinocchio, and against what other parts of the library say of them.
//!
//! Every error is relative to the largest component of the same quantity in the same row, the measure of `golden/README.md`.

use dalembert::Vec3;
use dalembert::linear::Linearized;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::{Form, JointState, JointVector, Number, Pick, Robot, State, Target, ToolState};
use dalembert::spatial::Wrench;
use std::collections::BTreeMap;
use std::path::PathBuf;

type Row = BTreeMap<String, f64>;

fn golden(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(file)
}

fn tree(name: &str) -> Robot {
    Robot::load(golden(&format!("robots/tree-{name}.toml"))).unwrap()
}

const TREES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The largest difference over the largest of the second numbers.
fn error(ours: &[f64], golden: &[f64]) -> f64 {
    assert_eq!(ours.len(), golden.len());
    let scale = golden.iter().fold(1e-300, |scale: f64, x| scale.max(x.abs()));
    let error = ours.iter().zip(golden).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
    if (error / scale).is_nan() { f64::INFINITY } else { error / scale }
}

fn pseudo(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) * 2.0 - 1.0
}

/// Some state of a robot.
fn some_state(robot: &Robot, seed: usize) -> State {
    let n = robot.joints().len();
    let [q, qd, qdd] =
        [(1.0, 100), (0.7, 200), (2.0, 300)].map(|(size, k)| JointVector::from_fn(n, |i| size * pseudo(seed + k + i)));
    robot.at_joints(&JointState { q, qd, qdd }, &Pick::default()).unwrap()
}

#[test]
fn random_trees_against_pinocchio() {
    for name in TREES {
        let robot = tree(name);
        let exact = robot.build_model("exact").unwrap();
        let n = robot.joints().len();
        let mut worst = BTreeMap::new();
        let mut note = |what: &'static str, ours: &[f64], golden: &[f64]| {
            let entry = worst.entry(what).or_insert(0.0_f64);
            *entry = entry.max(error(ours, golden));
        };
        let file = golden(&format!("tree-{name}-pinocchio.csv"));
        let rows: Vec<Row> = csv::Reader::from_path(file).unwrap().deserialize().map(Result::unwrap).collect();
        assert!(rows.len() > 1);
        for row in rows {
            let read = |stem: &str| -> Vec<f64> { (1..=n).map(|i| row[&format!("{stem}{i}")]).collect() };
            let [q, qd, qdd, tau] = ["q", "qd", "qdd", "tau"].map(|stem| JointVector::new(&read(stem)));
            let state = robot.at_joints(&JointState { q, qd, qdd: qdd.clone() }, &Pick::default()).unwrap();
            note("torque", &exact.torque(&state, Wrench::zero()), &tau);
            let [force, moment] =
                [["fx", "fy", "fz"], ["mx", "my", "mz"]].map(|names| Vec3(names.map(|name| row[name])));
            note("pushed", &exact.torque(&state, Wrench { force, moment }), &read("pushed"));
            note("acceleration", &exact.accelerated(&state, &tau, Wrench::zero()).unwrap().joints.qdd, &qdd);
            let entry = |i: usize, j: usize| row[&format!("M{}_{}", i.min(j) + 1, i.max(j) + 1)];
            let golden: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
            let mass: Vec<f64> = exact.mass_matrix(&state).iter().flat_map(|row| row.to_vec()).collect();
            note("mass", &mass, &golden);
            note("gravity", &exact.gravity_torque(&state), &read("g"));
            for tool in robot.tools() {
                let own = robot.with_tool(tool).unwrap();
                let there = own.at_joints(&state.joints, &Pick::default()).unwrap().tool.pose.origin;
                note("tools", &there.0, &["x", "y", "z"].map(|axis| row[&format!("{tool}_{axis}")]));
            }
        }
        println!("tree-{name}: {worst:?}");
        for (what, error) in worst {
            // An acceleration has the rounding of its torque times the condition of the mass matrix.
            let most = if what == "acceleration" { 1e-11 } else { 1e-13 };
            assert!(error <= most, "tree-{name}: {what} is off by {error:e}");
        }
    }
}

/// A file that is written reads back as the same robot, with the tool that was picked.
#[test]
fn files_there_and_back() {
    for name in TREES {
        let robot = tree(name);
        let last = robot.tools().last().cloned().unwrap();
        for robot in [robot.with_tool(&last).unwrap(), robot] {
            let back = Robot::parse(&robot.to_toml().unwrap()).unwrap();
            assert_eq!(back.tools(), robot.tools());
            let [one, other] = [&robot, &back].map(|robot| {
                let state = some_state(robot, 5);
                let torque =
                    robot.build_model("exact").unwrap().torque(&state, Wrench::force(Vec3::new(1.0, 2.0, 3.0)));
                (state.tool.pose.origin.0, torque)
            });
            // Attitudes are written as three angles.
            assert!(error(&one.0, &other.0) < 1e-14 && error(&one.1, &other.1) < 1e-13);
            assert_eq!(robot.numbers().len(), back.numbers().len());
        }
    }
}

/// Eight joints by the formulas of serial arms and as a tree (a tool of its own makes it one).
#[test]
fn an_arm_written_as_a_tree_is_the_same_arm() {
    let text = std::fs::read_to_string(golden("robots/serial-h.toml")).unwrap();
    let arm = Robot::parse(&text).unwrap();
    let tool = "parent = 7\ntool = { name = \"second\" }\n\n[tool]";
    let tree = Robot::parse(&text.replacen("[tool]", tool, 1)).unwrap();
    assert_eq!((arm.kind().title, tree.kind().title), ("serial arm", "tree of links"));
    assert_eq!(tree.tools(), ["tool", "second"]);
    let wrench = Wrench { force: Vec3::new(3.0, -2.0, 9.0), moment: Vec3::new(0.1, 0.4, -0.3) };
    for seed in 0..20 {
        let states = [&arm, &tree].map(|robot| some_state(robot, seed));
        let models = [&arm, &tree].map(|robot| robot.build_model("exact").unwrap());
        let [one, other] = [0, 1].map(|k| models[k].torque(&states[k], wrench));
        assert!(error(&other, &one) < 1e-13);
        let [one, other] = [0, 1].map(|k| models[k].accelerated(&states[k], &one, wrench).unwrap());
        assert!(error(&other.joints.qdd, &one.joints.qdd) < 1e-9);
        assert!(error(&other.tool.acceleration.components(), &one.tool.acceleration.components()) < 1e-9);
        let [one, other] =
            [(&arm, 0), (&tree, 1)].map(|(robot, k)| robot.torque_of_wrench(&states[k], wrench).unwrap());
        assert!(error(&other, &one) < 1e-13);
        let [one, other] = [&arm, &tree].map(|robot| {
            let state = robot.at_joints(&states[0].joints, &Pick::default()).unwrap();
            let explained = robot.explain(&state, wrench).unwrap();
            explained.torque
        });
        assert!(error(&other, &one) < 1e-13);
    }
}

/// The matrices of a linear model against differences of the accelerations.
#[test]
fn linear_models_are_derivatives() {
    let robot = tree("a").without_dry_friction().unwrap();
    let (n, exact, state) = (robot.joints().len(), robot.build_model("exact").unwrap(), some_state(&tree("a"), 3));
    let torque = exact.torque(&state, Wrench::zero());
    let Linearized { system, rate, .. } = robot
        .linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &[Output::Joints, Output::Position])
        .unwrap();
    assert!(error(&rate[n..], &state.joints.qdd) < 1e-9);
    let at = |q: JointVector, qd: JointVector| {
        let joints = JointState { q, qd, qdd: JointVector::zero(n) };
        let state = robot.at_joints(&joints, &Pick::default()).unwrap();
        exact.accelerated(&state, &torque, Wrench::zero()).unwrap().joints.qdd
    };
    let scale = (0..n)
        .flat_map(|i| (0..2 * n).map(move |j| (i, j)))
        .fold(0.0, |m: f64, (i, j)| m.max(system.a[(n + i, j)].abs()));
    for j in 0..2 * n {
        let shifted = |by: f64| {
            let JointState { mut q, mut qd, .. } = state.joints.clone();
            if j < n {
                q[j] += by
            } else {
                qd[j - n] += by
            }
            at(q, qd)
        };
        // Richardson's: what is left is rounding over the step, and the fifth derivative.
        let step = 1e-4;
        let central = |h: f64| {
            let (more, less) = (shifted(h), shifted(-h));
            (0..n).map(|i| (more[i] - less[i]) / (2.0 * h)).collect::<Vec<f64>>()
        };
        let (coarse, fine) = (central(2.0 * step), central(step));
        for i in 0..n {
            let slope = (4.0 * fine[i] - coarse[i]) / 3.0;
            assert!((slope - system.a[(n + i, j)]).abs() < 1e-6 * scale, "{i} {j}: {slope} {}", system.a[(n + i, j)]);
        }
    }
    let refused = robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Cartesian, &[]).unwrap_err();
    assert!(refused.to_string().contains("joint coordinates only"), "{refused}");
}

/// τ = Y π + friction, and the robot that Y's own values make is the same.
#[test]
fn the_regressor_gives_the_torques() {
    for name in ["a", "b", "e"] {
        let robot = tree(name);
        let (n, exact, regressor) =
            (robot.joints().len(), robot.build_model("exact").unwrap(), robot.regressor().unwrap());
        let values: Vec<f64> = regressor.terms().iter().map(|term| term.value).collect();
        let mut y = vec![0.0; n * values.len()];
        for seed in 0..3 {
            let state = some_state(&robot, seed);
            regressor.fill(&state, &mut y);
            let rows = y.chunks(values.len()).map(|row| row.iter().zip(&values).map(|(y, p)| y * p).sum::<f64>());
            let friction = exact.friction(&state);
            let sum: Vec<f64> = rows.zip(friction.iter()).map(|(rigid, friction)| rigid + friction).collect();
            assert!(error(&sum, &exact.torque(&state, Wrench::zero())) < 1e-12);
        }
        let same = regressor.robot(&values).unwrap();
        let (state, exact) = (some_state(&robot, 9), robot.build_model("exact").unwrap());
        let other = same.build_model("newton-euler").unwrap().torque(&state, Wrench::zero());
        assert!(error(&other, &exact.torque(&state, Wrench::zero())) < 1e-12);
    }
}

/// Derivatives of torques by every number of the file against differences of robots with that number moved; rotations against robots that
/// were written with other angles.
#[test]
fn sensitivities_are_derivatives() {
    let robot = tree("a");
    let state = some_state(&robot, 4);
    let push = Wrench { force: Vec3::new(3.0, -2.0, 9.0), moment: Vec3::new(0.1, 0.4, -0.3) };
    let torque = robot.torque_of_parameters(&[(state.clone(), push)], false).unwrap();
    let (numbers, parameters) = (robot.numbers(), torque.parameters());
    assert_eq!(numbers.len(), parameters.len());
    let size = torque.torque(&vec![0.0; parameters.len()]).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(
        (size - robot.build_model("exact").unwrap().torque(&state, push).iter().fold(0.0, |m: f64, x| m.max(x.abs())))
            .abs()
            < 1e-12 * size
    );
    let mut rotations = 0;
    for (k, number) in numbers.iter().enumerate() {
        let slope = torque.derivative(k);
        let rotation = number.field.key.ends_with("rpy");
        rotations += usize::from(rotation);
        let shifted = |h: f64| -> Vec<f64> {
            if rotation {
                // The same function, differenced: that angles mean what a file says is seen by the next test.
                let mut changes = vec![0.0; parameters.len()];
                changes[k] = h;
                return torque.torque(&changes);
            }
            let by = |other: &Number| if (other.field, other.place) == (number.field, number.place) { h } else { 0.0 };
            let moved = robot.moved(&by).unwrap();
            let state = moved.at_joints(&state.joints, &Pick::default()).unwrap();
            moved.build_model("newton-euler").unwrap().torque(&state, push).to_vec()
        };
        let h = 1e-4;
        // A mass or an inertia may not become negative, and a gear ratio or armature moves nothing here.
        let (more, less) = (
            shifted(h),
            if number.value.abs() < h && !rotation { torque.torque(&vec![0.0; parameters.len()]) } else { shifted(-h) },
        );
        let width = if number.value.abs() < h && !rotation { h } else { 2.0 * h };
        for (i, slope) in slope.iter().enumerate() {
            let difference = (more[i] - less[i]) / width;
            let most = 1e-3 * (slope.abs() + size);
            assert!((difference - slope).abs() < most, "{}: {difference} {slope}", parameters[k].name);
        }
    }
    assert!(rotations >= 9, "{rotations}");
}

const TWO_ARMS: &str = r#"
kind = "serial"
name = "two arms"
convention = "modified-dh"

[[link]]
joint = "revolute"
alpha = 0.0
a = 0.0
d = 0.5
mass = 5.0
inertia = [0.1, 0.1, 0.05]

[[link]]
joint = "revolute"
alpha = "-90 deg"
a = 0.0
d = 0.0
mass = 2.0
center_of_mass = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
mount = { position = [0.0, 0.2, 0.0], rpy = [0.0, 0.0, "30 deg"] }
tool = { name = "left", position = [0.4, 0.0, 0.0] }
payload = { mass = 1.0 }

[[link]]
joint = "revolute"
alpha = "-90 deg"
a = 0.0
d = 0.0
mass = 2.0
center_of_mass = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
parent = 1
mount = { position = [0.0, -0.2, 0.0], rpy = [0.0, 0.0, "-30 deg"] }
tool = { name = "right", position = [0.4, 0.0, 0.0] }
"#;

/// Computed by hand: the right arm is the mirror image of the left one, and carries nothing.
#[test]
fn two_arms_on_a_torso() {
    let robot = Robot::parse(TWO_ARMS).unwrap();
    assert_eq!(robot.tools(), ["left", "right"]);
    let right = robot.with_tool("right").unwrap();
    let at = |robot: &Robot, q: [f64; 3]| robot.at_joints(&JointState::at_rest(q), &Pick::default()).unwrap();
    let (half, root) = (0.5, 0.75_f64.sqrt());
    let close = |a: Vec3<f64>, b: [f64; 3]| assert!(error(&a.0, &b) < 1e-15, "{a:?} {b:?}");
    close(at(&robot, [0.0; 3]).tool.pose.origin, [0.4 * root, 0.2 + 0.4 * half, 0.5]);
    close(at(&right, [0.0; 3]).tool.pose.origin, [0.4 * root, -0.2 - 0.4 * half, 0.5]);
    // An arm with its axis horizontal holds its own weight and what it carries; the torso turns about the vertical.
    let g = robot.build_model("exact").unwrap().gravity_torque(&at(&robot, [0.3, 0.0, 0.0]));
    let [left, other] = [-9.81 * (2.0 * 0.2 + 1.0 * 0.4), -9.81 * 2.0 * 0.2];
    assert!(error(&g, &[0.0, left, other]) < 1e-14, "{g:?}");
    // A force at the right tool says nothing to the left arm.
    let pushed = right.torque_of_wrench(&at(&right, [0.0; 3]), Wrench::force(Vec3::new(0.0, 0.0, 1.0))).unwrap();
    assert!(error(&pushed, &[0.0, 0.0, -0.4]) < 1e-15, "{pushed:?}");
    let heavier = robot.with_tool("right").unwrap().with_payload(1.0).unwrap();
    let g = heavier.build_model("exact").unwrap().gravity_torque(&at(&heavier, [0.3, 0.0, 0.0]));
    assert!(error(&g, &[0.0, left, left]) < 1e-14, "{g:?}");
    let columns = robot.columns("details", &at(&robot, [0.0; 3]), Wrench::zero()).unwrap();
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(&names[..6], ["left_x", "left_y", "left_z", "left_roll", "left_pitch", "left_yaw"]);
    assert_eq!(names.len(), 12);
}

/// What cannot be is refused at its place, and what is not offered in plain words.
#[test]
fn what_cannot_be_is_refused() {
    let with = |from: &str, to: &str| {
        assert!(TWO_ARMS.contains(from), "{from}");
        Robot::parse(&TWO_ARMS.replacen(from, to, 1)).unwrap_err()
    };
    for (to, told) in [
        ("parent = 3", "link 3 hangs on itself"),
        ("parent = 9", "link 3 hangs on link 9, but there are 3 links"),
        ("parent = -1", "`link.3.parent` must be a whole number"),
        ("parent = \"torso\"", "`link.3.parent` must be a whole number"),
    ] {
        let error = with("parent = 1", to);
        assert_eq!(error.problem, told);
        assert_eq!(error.location.line, 34, "{error:?}");
    }
    let later = with("mount = { position = [0.0, 0.2", "parent = 3\nmount = { position = [0.0, 0.2");
    assert_eq!(later.problem, "link 2 hangs on link 3, which comes later");
    assert!(later.hint.as_ref().unwrap().contains("written before"), "{later:?}");
    assert_eq!(with("\"right\"", "\"left\"").problem, "two tools are called \"left\"");
    let unknown = Robot::parse(&TWO_ARMS.replacen("convention", "main_tool = \"rihgt\"\nconvention", 1)).unwrap_err();
    assert_eq!(
        (unknown.problem.as_str(), unknown.hint.as_deref().unwrap()),
        ("there is no tool \"rihgt\"", "did you mean \"right\"?")
    );
    let link = "\n[[link]]\njoint = \"revolute\"\nalpha = 0.0\na = 0.1\nd = 0.0\nmass = 1.0\n";
    let many = |count: usize| {
        format!("kind = \"serial\"\nname = \"long\"\nconvention = \"standard-dh\"\n{}", link.repeat(count))
    };
    assert_eq!(Robot::parse(&many(65)).unwrap_err().problem, "an arm has 1 to 64 joints, not 65");
    let snake = Robot::parse(&many(64)).unwrap();
    assert_eq!((snake.joints().len(), snake.kind().title), (64, "long serial arm"));
    let armature = "mass = 2.0\ngear_ratio = 50.0\nmotor_inertia = 0.1\narmature = { carrier = 2, axis = [0, 0, 1] }\nmount = { position = [0.0, -0.2";
    let carrier = with("mount = { position = [0.0, -0.2", armature.strip_prefix("mass = 2.0\n").unwrap());
    assert!(carrier.problem.contains("link 2 carries the motor of joint 3"), "{}", carrier.problem);

    let robot = Robot::parse(TWO_ARMS).unwrap();
    let tool = ToolState::translating(Vec3::new(0.4, 0.4, 0.5), Vec3::zero(), Vec3::zero());
    let error = robot.at(&Target::Tool(tool), &Pick::default()).unwrap_err();
    assert!(error.to_string().starts_with("with 2 joints the tool cannot be there turned like this"), "{error}");
    assert_eq!(robot.kind().form, Form::Joints);
    assert!(robot.build_model("explicit").is_err() && robot.with_tool("third").is_err());
    let wrong = robot.at_joints(&JointState::at_rest([0.0; 4]), &Pick::default()).unwrap_err();
    assert!(wrong.to_string().contains("q has 4 numbers, but the robot has 3 joints"), "{wrong}");
    let not_finite = robot.at_joints(&JointState::at_rest([0.0, f64::NAN, 0.0]), &Pick::default()).unwrap_err();
    assert!(not_finite.to_string().starts_with("q2 is NaN"), "{not_finite}");
    // A joint that moves nothing.
    let text = TWO_ARMS
        .replace("mass = 2.0", "mass = 0.0")
        .replace("inertia = [0.01, 0.02, 0.02]", "inertia = [0.0, 0.0, 0.0]");
    let robot = Robot::parse(&text).unwrap();
    let home = robot.home().unwrap();
    let error =
        robot.build_model("exact").unwrap().accelerated(&home, &JointVector::zero(3), Wrench::zero()).unwrap_err();
    assert!(error.to_string().starts_with("joint 3 moves no inertia"), "{error}");
}
