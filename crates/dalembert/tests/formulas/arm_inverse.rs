//! Inverse kinematics of real arms, from their files through the robot: which solution is taken, how its joints move, what is
//! refused.

#[path = "../../../core/tests/core/arms.rs"]
mod arms;

use arms::{Table, ranges, table, tables};
use dalembert::motion::{MotionState as Moved, Mover, Point};
use dalembert::robot::orientation::rotation;
use dalembert::robot::{JointState, JointVector, Pick, Reason, Robot, State, StateError, ToolState};
use dalembert::serial::{DhConvention, PumaBranch};
use dalembert::spatial::{Frame, Twist, rotation_vector};
use dalembert::{SerialRobot, Vec3};
use std::f64::consts::PI;
use std::fmt::Write;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The arm's file, every link with some mass.
fn toml(table: &Table) -> String {
    let convention = if table.convention == DhConvention::Modified { "modified-dh" } else { "standard-dh" };
    let mut text = format!(
        "kind = \"serial\"\nname = \"{}\"\nsource = \"{}\"\nconvention = \"{convention}\"\n[tool]\nposition = [0.0, 0.0, {:?}]\n",
        table.name, table.source, table.tool
    );
    for (alpha, a, d, theta, slides, [low, high]) in &table.rows {
        let (joint, unit) = if *slides { ("prismatic", "m") } else { ("revolute", "deg") };
        writeln!(
            text,
            "[[link]]\njoint = \"{joint}\"\nalpha = \"{alpha} deg\"\na = {a:?}\nd = {d:?}\ntheta_offset = \"{theta} deg\"\nmass = 1.0\n\
             inertia = [0.01, 0.01, 0.01]\nrange = [\"{low} {unit}\", \"{high} {unit}\"]"
        )
        .unwrap();
    }
    text
}

fn robot(table: &Table) -> Robot {
    Robot::try_from(SerialRobot::parse(&toml(table)).unwrap()).unwrap()
}

/// Joints within their ranges.
fn place(table: &Table, random: &mut Random) -> JointVector {
    let all = ranges::<8>(&Table { rows: table.rows.iter().copied().cycle().take(8).collect(), ..table.clone() });
    JointVector::from_fn(table.rows.len(), |i| all[i][0] + (all[i][1] - all[i][0]) * random.next())
}

fn off(a: &Frame<f64>, b: &Frame<f64>) -> f64 {
    (a.origin - b.origin).length().max(rotation_vector(a.rotation, b.rotation).length())
}

fn still(pose: Frame<f64>) -> ToolState {
    ToolState { pose, velocity: Twist::zero(), acceleration: Twist::zero(), turn: 0.0 }
}

/// From joints to the tool and back: to the same joints if they are told, else to some within the ranges.
#[test]
fn there_and_back() {
    for table in tables() {
        let robot = robot(&table);
        let mut random = Random(9);
        let count = if table.name == "general" { 5 } else { 100 };
        for _ in 0..count {
            let q = place(&table, &mut random);
            let there = robot.at_joints(&JointState::at_rest(q.clone()), &Pick::default()).unwrap();
            let near = Pick { near: Some(q.clone()), ..Pick::default() };
            let back = robot.at_tool(&still(there.tool.pose), &near).unwrap();
            let apart = back.joints.q.iter().zip(q.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8, "{}: {apart:e} at {q:?}", table.name);
            let some = robot.at_tool(&still(there.tool.pose), &Pick::default()).unwrap();
            let again = robot.at_joints(&some.joints, &Pick::default()).unwrap();
            assert!(off(&again.tool.pose, &there.tool.pose) <= 1e-12, "{}", table.name);
            let within = |i: usize| {
                let [low, high] = robot.joints()[i].limits.range;
                (low - 1e-9..=high + 1e-9).contains(&some.joints.q[i])
            };
            // With held joints in a few places some poses at the edge of the workspace are not found within the ranges.
            let all = (0..q.len()).all(within);
            assert!(all || q.len() > 6, "{}: {:?} for {q:?}", table.name, some.joints.q);
        }
    }
}

/// The tool's velocity and acceleration lead back to those of the joints, where they are determined; with seven joints to the same
/// of the tool.
#[test]
fn rates_there_and_back() {
    for table in tables() {
        let robot = robot(&table);
        let mut random = Random(4);
        for _ in 0..20 {
            let q = place(&table, &mut random);
            let mut some = || JointVector::from_fn(q.len(), |_| 2.0 * random.next() - 1.0);
            let state = JointState { q: q.clone(), qd: some(), qdd: some() };
            let there = robot.at_joints(&state, &Pick::default()).unwrap();
            let pick = Pick { near: Some(q.clone()), ..Pick::default() };
            let back = match robot.at_tool(&there.tool, &pick) {
                Ok(back) => back,
                Err(error) => {
                    assert!(matches!(error.reason, Reason::Singular(_)), "{}: {error}", table.name);
                    continue;
                }
            };
            let again = robot.at_joints(&back.joints, &Pick::default()).unwrap();
            let parts = |state: &State| [state.tool.velocity.components(), state.tool.acceleration.components()];
            let apart = parts(&again)
                .concat()
                .iter()
                .zip(parts(&there).concat())
                .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            // Rounding times the square of the joints' speeds, which are large near singular poses.
            let fast = back.joints.qd.iter().chain(back.joints.qdd.iter()).fold(1.0_f64, |m, x| m.max(x.abs()));
            assert!(apart < 1e-12 * fast * fast, "{}: {apart:e}", table.name);
            if q.len() <= 6 {
                let joints = |state: &JointState| [&state.qd[..], &state.qdd[..]].concat();
                let apart =
                    joints(&back.joints).iter().zip(joints(&state)).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(apart < 1e-6, "{}: {apart:e}", table.name);
            }
        }
    }
}

/// What an arm cannot do is refused with how much is missing.
#[test]
fn refusals_say_what_is_missing() {
    let ask = |name: &str, origin: [f64; 3], turned: [f64; 3], pick: &Pick| -> StateError {
        let pose = Frame { rotation: rotation(turned), origin: Vec3(origin) };
        robot(&table(name)).at_tool(&still(pose), pick).unwrap_err()
    };
    let far = ask("ur5e", [2.0, 0.0, 0.0], [0.0; 3], &Pick::default());
    assert!(far.to_string().contains("out of reach: the nearest pose that was found is"), "{far}");
    let tilted = ask("scara", [0.5, 0.0, 0.2], [PI - 0.1, 0.0, 0.0], &Pick::default());
    assert!(tilted.to_string().contains("with 4 joints the tool cannot be there turned like this"), "{tilted}");
    let posture = Pick { posture: Some(PumaBranch::ALL[0]), ..Pick::default() };
    let named = ask("ur5e", [0.4, 0.0, 0.2], [0.0; 3], &posture);
    assert_eq!(named.reason, Reason::NotOffered, "{named}");
    // A SCARA cannot turn its tool over.
    let scara = robot(&table("scara"));
    let q = JointVector::from([0.2, 0.4, 0.1, 0.3]);
    let mut tool = scara.at_joints(&JointState::at_rest(q.clone()), &Pick::default()).unwrap().tool;
    tool.velocity.angular = Vec3([0.1, 0.0, 0.0]);
    let error = scara.at_tool(&tool, &Pick { near: Some(q), ..Pick::default() }).unwrap_err();
    assert!(error.to_string().contains("1.000e-1 rad per second"), "{error}");
}

/// Tools go along paths: the tool is where it should be, and speeds and accelerations are those of the positions.
#[test]
fn tools_go_along_paths() {
    // With its tool down the iiwa is found no room in front of it: refused, so far.
    for name in ["ur5e", "panda", "stanford", "scara", "gantry", "general"] {
        let robot = robot(&table(name));
        // Pointing down; of the general arm and the gantry as their middle has it.
        let down = rotation([PI, 0.0, 0.0]);
        let mover = match Mover::of_tool(&robot, Some(down), &Pick::default()) {
            Ok(mover) => mover,
            Err(error) => panic!("{name}: {error}"),
        };
        let (center, radius) = mover.room();
        println!("{name}: room of {radius:.3} m about {center:?}");
        let away = 0.2 * radius;
        let state = Moved {
            position: center + Vec3([0.5 * away, 0.0, -0.5 * away]),
            velocity: Vec3([away, 0.5 * away, away]),
            acceleration: Vec3([-away, away, away]),
        };
        let at = |t: f64| {
            let position = state.position + state.velocity * t + state.acceleration * (0.5 * t * t);
            let velocity = state.velocity + state.acceleration * t;
            mover.load(&Moved { position, velocity, ..state }).unwrap()
        };
        let here = at(0.0);
        let tool = robot.at_joints(&here.joints, &Pick::default()).unwrap().tool;
        assert!((tool.pose.origin - state.position).length() < 1e-12, "{name}");
        assert!(rotation_vector(tool.pose.rotation, down).length() < 1e-12, "{name}");
        assert!((tool.velocity.linear - state.velocity).length() < 1e-9, "{name}");
        assert!((tool.acceleration.linear - state.acceleration).length() < 1e-9, "{name}");
        let h = 1e-4;
        let [before, after] = [at(-h), at(h)];
        for i in 0..here.joints.q.len() {
            let slope = |a: f64, b: f64| (b - a) / (2.0 * h);
            let speed = slope(before.joints.q[i], after.joints.q[i]);
            let acceleration = slope(before.joints.qd[i], after.joints.qd[i]);
            assert!((speed - here.joints.qd[i]).abs() < 1e-5, "{name}: {speed} {}", here.joints.qd[i]);
            assert!((acceleration - here.joints.qdd[i]).abs() < 1e-4, "{name}: {acceleration} {}", here.joints.qdd[i]);
        }
    }
}
