//! Parallel robots as a family: against Pinocchio with real loop constraints, files there and back, and what every robot offers.
//! The formulas' own identities are in the tests of the core.

use dalembert::analyze::map::{Plane, PositionGrid, map};
use dalembert::linear::Linearized;
use dalembert::motion::MotionTable;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::map::{Kind, MapOptions};
use dalembert::robot::operations::{Bench, Task};
use dalembert::robot::{Form, JointState, JointVector, Pick, Reason, Robot, ToolState, ToolTurns};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{Angle, Vec3, robots};
use std::collections::BTreeMap;
use std::path::PathBuf;

type Row = BTreeMap<String, f64>;

const BUILT_IN: [&str; 4] = ["linear-delta", "hexa", "hexaglide", "stewart"];

fn golden(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(file)
}

fn rows(file: &str) -> Vec<Row> {
    let rows: Vec<Row> = csv::Reader::from_path(golden(file)).unwrap().deserialize().map(Result::unwrap).collect();
    assert!(!rows.is_empty(), "{file}");
    rows
}

fn three(row: &Row, names: [&str; 3]) -> Vec3<f64> {
    Vec3(names.map(|name| row.get(name).copied().unwrap_or(0.0)))
}

fn joints(row: &Row, stem: &str, count: usize) -> JointVector {
    JointVector::from_fn(count, |i| row[&format!("{stem}{}", i + 1)])
}

fn tool(row: &Row) -> ToolState {
    let rpy = three(row, ["roll", "pitch", "yaw"]).0.map(Angle::from_radians);
    let twist = |linear, angular| Twist { linear: three(row, linear), angular: three(row, angular) };
    ToolState {
        pose: Frame { rotation: dalembert::spatial::roll_pitch_yaw(rpy), origin: three(row, ["x", "y", "z"]) },
        velocity: twist(["vx", "vy", "vz"], ["wx", "wy", "wz"]),
        acceleration: twist(["ax", "ay", "az"], ["wdx", "wdy", "wdz"]),
        turn: 0.0,
    }
}

/// The largest difference over the largest golden number.
fn error(ours: &[f64], golden: &[f64]) -> f64 {
    let scale = golden.iter().fold(0.0, |scale: f64, x| scale.max(x.abs()));
    let error = ours.iter().zip(golden).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
    if (error / scale).is_nan() { f64::INFINITY } else { error / scale }
}

/// What a map over orientations says of a place is true of the robot that is turned like that.
#[test]
fn maps_over_orientations_are_of_the_turned_robot() {
    for name in ["hexa", "hexaglide", "stewart"] {
        let robot = Robot::find(name).unwrap();
        let position = robot.home().unwrap().tool.pose.origin + Vec3::new(0.01, -0.02, 0.01);
        let options = MapOptions { position: Some(position), ..MapOptions::default() };
        let field = robot.field(Kind::Mass, &options).unwrap();
        assert_eq!(field.axes().map(|(name, unit)| format!("{name}/{unit}")), ["roll/rad", "pitch/rad", "yaw/rad"]);
        let (grid, model) =
            (PositionGrid::slice(&field, Plane::Xy, Some(0.05), 9), robot.build_model("exact").unwrap());
        let found = map(&field, &grid, &|_| true).unwrap();
        let mut reached = 0;
        for k in 0..grid.len() {
            let rpy = grid.position(k).0.map(Angle::from_radians);
            let mut tool = ToolState::translating(position, Vec3::zero(), Vec3::zero());
            tool.pose.rotation = dalembert::spatial::roll_pitch_yaw(rpy);
            let state = robot.at_tool(&tool, &Pick::default());
            // Maps look at home's side of the singular poses, states also at which platform their joints mean.
            let on_side = !matches!(&state, Err(error) if error.reason != Reason::NoPose);
            assert_eq!(on_side, found.value(k, 0).is_finite(), "{name} {k}");
            if let Ok(state) = state {
                reached += 1;
                let mass = model.mass_matrix(&state);
                let upper = (0..6).flat_map(|i| (i..6).map(move |j| (i, j)));
                let (ours, theirs): (Vec<f64>, Vec<f64>) =
                    upper.enumerate().map(|(c, (i, j))| (found.value(k, c), mass[i][j])).unzip();
                assert!(error(&ours, &theirs) < 1e-12, "{name} {k}");
            }
        }
        assert!(reached > 10, "{name}: {reached}");
        // Not both, and not of a platform that does not turn.
        let both = MapOptions { orientation: Some(dalembert::Mat3::diagonal(1.0)), ..options.clone() };
        assert!(robot.field(Kind::Mass, &both).is_err());
        assert!(Robot::find("linear-delta").unwrap().field(Kind::Mass, &options).is_err());
    }
}

#[test]
fn parallel_robots_are_as_pinocchio_has_them() {
    for name in ["a", "b", "c", "d", "e", "f", "g"].into_iter().chain(BUILT_IN) {
        let built_in = BUILT_IN.contains(&name).then(|| Robot::find(name).unwrap());
        let robot = built_in.unwrap_or_else(|| Robot::load(golden(&format!("robots/parallel-{name}.toml"))).unwrap());
        let model = robot.build_model("exact").unwrap();
        let n = robot.joints().len();
        let mut worst = [0.0_f64; 6];
        let mut note = |k: usize, error: f64| worst[k] = worst[k].max(error);
        for row in rows(&format!("parallel-{name}-pinocchio.csv")) {
            let wrench = Wrench { force: three(&row, ["fx", "fy", "fz"]), moment: three(&row, ["mx", "my", "mz"]) };
            let given = tool(&row);
            let state = robot.at_tool(&given, &Pick::default()).unwrap();
            let [q, qd, qdd, tau, held] = ["q", "qd", "qdd", "tau", "g"].map(|stem| joints(&row, stem, n));
            note(0, error(&state.joints.q, &q));
            note(1, error(&state.joints.qd, &qd).max(error(&state.joints.qdd, &qdd)));
            note(2, error(&model.torque(&state, wrench), &tau));
            note(3, error(&model.gravity_torque(&state), &held));
            let mass = model.mass_matrix(&state);
            let upper = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
            let (ours, theirs): (Vec<f64>, Vec<f64>) =
                upper.map(|(i, j)| (mass[i][j], row[&format!("M{}{}", i + 1, j + 1)])).unzip();
            note(4, error(&ours, &theirs));
            // The same from the joints, and forward.
            let by_joints = robot.at_joints(&JointState { q, qd, qdd }, &Pick::default()).unwrap();
            note(2, error(&model.torque(&by_joints, wrench), &tau));
            let back = model.accelerated(&by_joints, &tau, wrench).unwrap();
            note(5, error(&back.tool.acceleration.components(), &given.acceleration.components()));
        }
        let [joints, rates, torque, held, mass, forward] = worst;
        println!(
            "{name}: q {joints:.0e}, rates {rates:.0e}, torque {torque:.0e}, holding {held:.0e}, mass {mass:.0e}, forward {forward:.0e}"
        );
        assert!(joints <= 1e-12 && rates <= 1e-10, "{name}: {worst:?}");
        assert!(torque <= 1e-10 && held <= 1e-10 && mass <= 1e-10, "{name}: {worst:?}");
        assert!(forward <= 1e-9, "{name}: {worst:?}");
    }
}

#[test]
fn a_parallel_robot_and_its_file_are_the_same() {
    let golden =
        ["a", "b", "c", "d", "e", "f", "g"].map(|name| Robot::load(golden(&format!("robots/parallel-{name}.toml"))));
    let built_in = BUILT_IN.map(|name| Robot::find(name).unwrap());
    for robot in golden.into_iter().map(Result::unwrap).chain(built_in) {
        let text = robot.to_toml().unwrap();
        let again = Robot::parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", robot.name));
        assert_eq!(robot.numbers().len(), again.numbers().len());
        for (a, b) in robot.numbers().iter().zip(again.numbers()) {
            let exact = a.field.key != "home.rpy";
            assert!(a.field == b.field && (a.value == b.value || !exact), "{}: {} {}", robot.name, a.value, b.value);
        }
        assert_eq!(robot.joints(), again.joints());
        assert_eq!(text, again.to_toml().unwrap());
    }
}

#[test]
fn a_hexapod_stands_on_two_circles() {
    let robot = robots::by_name("stewart").unwrap().unwrap();
    let home = robot.home().unwrap();
    // 3/4 of this is what the cylinders are long, in the file that the numbers are from.
    for q in home.joints.q.iter() {
        assert!((q - 3.153800683985283).abs() < 1e-12, "{q}");
    }
    // At home every strut carries the same, and all of them together the plate and their own weight.
    let held = robot.build_model("exact").unwrap().gravity_torque(&home);
    assert!(held.iter().all(|f| (f - held[0]).abs() < 1e-8 * held[0].abs()), "{held:?}");
    let numbers = robot.numbers();
    let mass = |key: &str| numbers.iter().filter(|n| n.field.key == key).map(|n| n.value).sum::<f64>();
    // By virtual work of lifting: z of the plate by 1, of a piston by 1 − (d/dz)(c u_z), of a cylinder by (d/dz)(c u_z).
    let (length, height, center) = (home.joints.q[0], 2.0, 1.1826752564944811);
    let lift = center * (1.0 / length - height * height / length.powi(3));
    let (cylinders, pistons) = (mass("cylinder.mass"), mass("piston.mass"));
    let power = 9.81 * (mass("platform.mass") + cylinders * lift + pistons * (1.0 - lift));
    let needed = power / (6.0 * height / length);
    assert!((held[0] - needed).abs() < 1e-9 * needed, "{} {needed}", held[0]);
}

#[test]
fn every_built_in_parallel_robot_moves_in_both_forms() {
    for name in BUILT_IN {
        let robot = Robot::find(name).unwrap();
        assert!(robot.warnings.is_empty(), "{name}: {:?}", robot.warnings);
        let home = robot.home().unwrap();
        let model = robot.build_model("exact").unwrap();
        let mut given = home.tool;
        given.pose.origin = given.pose.origin + Vec3::new(0.01, -0.02, 0.03);
        given.velocity.linear = Vec3::new(0.1, 0.2, -0.1);
        given.acceleration.linear = Vec3::new(1.0, -2.0, 3.0);
        if robot.kind().tool_turns != ToolTurns::No {
            given.velocity.angular = Vec3::new(0.1, -0.2, 0.3);
            given.acceleration.angular = Vec3::new(-1.0, 0.5, 2.0);
        }
        let by_tool = robot.at_tool(&given, &Pick::default()).unwrap();
        let by_joints = robot.at_joints(&by_tool.joints, &Pick::default()).unwrap();
        assert_eq!((by_tool.given, by_joints.given), (Form::Tool, Form::Joints));
        let push = Wrench { force: Vec3::new(3.0, 2.0, -1.0), moment: Vec3::zero() };
        let [a, b] = [&by_tool, &by_joints].map(|state| model.torque(state, push));
        assert!(error(&a, &b) < 1e-11, "{name}: {a:?} {b:?}");
        for group in robot.column_groups() {
            let columns = robot.columns(group.name, &by_tool, push).unwrap();
            assert!(!columns.is_empty() && columns.iter().all(|(_, value)| value.is_finite()), "{name} {}", group.name);
        }
        let workspace = robot.workspace().unwrap();
        assert!(workspace.radius > 0.0, "{name}: {workspace:?}");
        for (kind_name, kind) in Kind::NAMED {
            let Ok(field) = robot.field(kind, &MapOptions::default()) else {
                assert!(["stability", "torque-error"].contains(&kind_name), "{name}: {kind_name}");
                continue;
            };
            let mut values = vec![0.0; field.channels().len()];
            field.evaluate(home.tool.pose.origin, &mut values);
            assert!(values.iter().all(|x| x.is_finite()), "{name} {kind_name}: {values:?}");
        }
        let torques = robot.torque_of_parameters(&[(by_tool, push)], false).unwrap();
        let none = vec![0.0; torques.parameters().len()];
        assert!(error(&torques.torque(&none), &a) < 1e-12, "{name}");
    }
}

/// The matrices of the linear model, from exact derivatives, against differences of accelerations.
#[test]
fn linear_models_are_derivatives_of_the_acceleration() {
    for name in BUILT_IN {
        let robot = Robot::find(name).unwrap().with_friction(None).unwrap();
        let home = robot.home().unwrap();
        let model = robot.build_model("exact").unwrap();
        let n = robot.joints().len();
        let qd = JointVector::from_fn(n, |i| 0.05 * (1.0 + i as f64));
        let q = JointVector::from_fn(n, |i| home.joints.q[i] + 0.01 * (i as f64 - 1.0));
        let torque = model.gravity_torque(&home);
        let at = |q: JointVector, qd: JointVector| {
            let state = robot.at_joints(&JointState { q, qd, qdd: JointVector::zero(n) }, &Pick::default()).unwrap();
            model.accelerated(&state, &torque, Wrench::zero()).unwrap().joints.qdd
        };
        let joints = JointState { q: q.clone(), qd: qd.clone(), qdd: JointVector::zero(n) };
        let state = robot.at_joints(&joints, &Pick::default()).unwrap();
        let Linearized { system, .. } =
            robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &[Output::Joints]).unwrap();
        let (a, step) = (&system.a, 1e-5);
        let scale =
            (0..n).flat_map(|i| (0..2 * n).map(move |j| (i, j))).fold(0.0, |m: f64, (i, j)| m.max(a[(n + i, j)].abs()));
        for j in 0..2 * n {
            let shifted = |by: f64| {
                let (mut q, mut qd) = (q.clone(), qd.clone());
                if j < n {
                    q[j] += by
                } else {
                    qd[j - n] += by
                }
                at(q, qd)
            };
            let (more, less) = (shifted(step), shifted(-step));
            for i in 0..n {
                let difference = (more[i] - less[i]) / (2.0 * step);
                // What differences of this step leave: the third derivative times step²/6, and rounding over it.
                assert!(
                    (a[(n + i, j)] - difference).abs() < 1e-5 * scale,
                    "{name} {i} {j}: {} {difference}",
                    a[(n + i, j)]
                );
            }
        }
    }
}

#[test]
fn what_is_no_parallel_robot_is_refused_at_its_place() {
    let text = robots::BUILT_IN.iter().find(|robot| robot.name == "hexa").unwrap().text;
    let refused = |from: &str, to: &str| Robot::parse(&text.replace(from, to)).unwrap_err().to_string();
    for (from, to, expected) in [
        ("symmetry = 3", "symmetry = 2", "4 legs: a parallel robot has three"),
        ("rod.length = \"0.60 m\"", "rod.length = \"0.20 m\"", "rod.length of leg 1"),
        ("axis = [0, 1, 0]", "axis = [0, 0, 0]", "unit vector"),
        ("kind = \"rotary\"", "kind = \"rotari\"", "did you mean \"rotary\"?"),
        ("arm.mass", "arm.mas", "unknown key `mas`"),
        ("rod.mass = \"0.12 kg\"", "rod.mass = \"0.12 m\"", "rod.mass"),
        ("inertia = [\"1.5e-3", "inertia = [\"-1.5e-3", "a tensor of inertia"),
        ("position = [0.0, 0.0, \"-0.52 m\"]", "", "position"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(expected), "{from} → {to}: {error}");
    }
    // A platform whose joints are those of the base made smaller is held nowhere.
    let text = robots::BUILT_IN.iter().find(|robot| robot.name == "stewart").unwrap().text;
    let similar = text.replace("platform_angle = \"10 deg\"", "platform_angle = \"57.5 deg\"");
    let error = Robot::parse(&similar).unwrap_err().to_string();
    assert!(error.contains("hold the platform"), "{error}");
}

#[test]
fn a_state_without_a_platform_is_refused() {
    let robot = Robot::find("stewart").unwrap();
    let home = robot.home().unwrap();
    let mut far = home.joints;
    far.q[0] += 3.0;
    let error = robot.at_joints(&far, &Pick::default()).unwrap_err();
    assert!(error.text.contains("cannot be followed"), "{error}");
    let robot = Robot::find("linear-delta").unwrap();
    let mut turned = robot.home().unwrap().tool;
    turned.pose.rotation = dalembert::robot::orientation::rotation([0.1, 0.0, 0.0]);
    assert!(robot.at_tool(&turned, &Pick::default()).unwrap_err().text.contains("does not turn"));
    turned.pose = Frame::at(Vec3::new(0.4, 0.0, 0.1));
    assert!(robot.at_tool(&turned, &Pick::default()).unwrap_err().text.contains("out of reach of leg"));
}

#[test]
fn many_states_are_as_each_of_them() {
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        let robot = Robot::load(golden(&format!("robots/parallel-{name}.toml"))).unwrap();
        let model = robot.build_model("exact").unwrap();
        let n = robot.joints().len();
        let rows = rows(&format!("parallel-{name}-pinocchio.csv"));
        let column = |stem: &str| rows.iter().map(|row| row[stem]).collect::<Vec<f64>>();
        let names = [
            ["x", "y", "z", "roll", "pitch", "yaw"],
            ["vx", "vy", "vz", "wx", "wy", "wz"],
            ["ax", "ay", "az", "wdx", "wdy", "wdz"],
        ];
        let groups = names.map(|names| names[..n].iter().map(|&name| column(name)).collect::<Vec<_>>());
        let slices = groups.each_ref().map(|group| group.iter().map(Vec::as_slice).collect::<Vec<&[f64]>>());
        let [position, velocity, acceleration] = slices.each_ref().map(Vec::as_slice);
        let mut torques = vec![vec![0.0; rows.len()]; n];
        let mut out: Vec<&mut [f64]> = torques.iter_mut().map(Vec::as_mut_slice).collect();
        model.torques([position, velocity, acceleration], &mut out).unwrap();
        let mut accelerations = vec![vec![0.0; rows.len()]; n];
        let mut out: Vec<&mut [f64]> = accelerations.iter_mut().map(Vec::as_mut_slice).collect();
        let driven: Vec<&[f64]> = torques.iter().map(Vec::as_slice).collect();
        model.accelerations([position, velocity, &driven], &mut out).unwrap();
        for (k, row) in rows.iter().enumerate() {
            let of = |columns: &[Vec<f64>]| columns.iter().map(|column| column[k]).collect::<Vec<f64>>();
            let state = robot.at_tool(&tool(row), &Pick::default()).unwrap();
            let one = model.torque(&state, Wrench::zero());
            assert!(error(&of(&torques), &one) < 1e-13, "{name}, row {k}");
            assert!(error(&of(&accelerations), &of(&groups[2])) < 1e-9, "{name}, row {k}");
        }
    }
}

/// Additions, subtractions, multiplications, divisions and roots of a torque and of an acceleration from the state of the platform.
#[test]
fn operations_are_as_many_as_they_were() {
    let counted = BUILT_IN.map(|name| {
        let robot = Robot::find(name).unwrap();
        let bench = Bench { states: vec![robot.home().unwrap()], budget: std::time::Duration::ZERO, quick: true };
        let costs = robot.operations(&bench);
        let of = |task| costs.iter().find(|cost| cost.task == task).unwrap().operations.arithmetic();
        (name, of(Task::Torque), of(Task::Acceleration))
    });
    let known = [("linear-delta", 235, 223), ("hexa", 1572, 2053), ("hexaglide", 1248, 1509), ("stewart", 1588, 1923)];
    assert_eq!(counted, known);
}

/// A circle along which the platform tilts.
#[test]
fn a_file_with_poses_is_a_motion() {
    let robot = Robot::find("hexa").unwrap();
    let file = std::env::temp_dir().join(format!("dalembert-poses-{}.csv", std::process::id()));
    let mut text = String::from("t,x,y,z,roll,pitch,yaw\n");
    let pose = |t: f64| {
        let u = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
        [0.05 * cos - 0.05, 0.05 * sin, -0.52, 0.1 * sin, 0.1 * (cos - 1.0), 0.0]
    };
    for k in 0..=200 {
        let t = f64::from(k) / 200.0;
        text += &[t].into_iter().chain(pose(t)).map(|x| x.to_string()).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    std::fs::write(&file, text).unwrap();
    let table = MotionTable::read(&file.to_string_lossy(), &robot).unwrap();
    std::fs::remove_file(&file).unwrap();
    let motion = table.motion().unwrap();
    for k in 0..=100 {
        let t = f64::from(k) / 100.0;
        let state = robot.at(&motion.at(t), &Pick::default()).unwrap();
        let found = state.tool.pose.origin;
        let [x, y, z, ..] = pose(t);
        // The joints are smoothed by less than a thousandth of a degree.
        assert!((found - Vec3([x, y, z])).norm_squared().sqrt() < 1e-5, "{t}: {found:?}");
    }
}
