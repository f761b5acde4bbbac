//! Files and tables with mistakes: none makes a reader panic, and what is accepted can be worked with.

use crate::mutation::{NUMBERS, Random, cases, mutated, seed};
use dalembert::cell::Scene;
use dalembert::control::ExperimentFile;
use dalembert::motion::MotorList;
use dalembert::report::table::Reader;
use dalembert::robot::rows::{Evaluation, Space, Task};
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use std::path::Path;
use std::sync::OnceLock;

macro_rules! shipped {
    ($($name:literal),*) => { [$(include_str!(concat!("../../../../", $name))),*] };
}

const ROBOTS: [&str; 5] = shipped!(
    "robots/asadi.toml",
    "robots/d3-1200.toml",
    "robots/d3-1200-fourth-axis-assumed.toml",
    "robots/direct-drive-assumed.toml",
    "robots/puma560.toml"
);
const SCENES: [&str; 8] = shipped!(
    "scenes/brick-stack.toml",
    "scenes/delta-presses-a-wall.toml",
    "scenes/drop.toml",
    "scenes/five-bar.toml",
    "scenes/pick-and-place.toml",
    "scenes/puma-slides-on-a-table.toml",
    "scenes/slider-crank.toml",
    "scenes/two-deltas-carry-a-bar.toml"
);
const EXPERIMENTS: [&str; 4] = shipped!(
    "experiments/circle.toml",
    "experiments/puma-wrong-payload.toml",
    "experiments/two-deltas-carry.toml",
    "experiments/wrong-payload.toml"
);
const MOTORS: [&str; 1] = shipped!("motors/akm44g.toml");

/// Tries every case; one that panics or takes longer than a second is told with its text.
fn survive(usual: usize, mut case: impl FnMut(&mut Random) -> (String, Box<dyn FnOnce() + std::panic::UnwindSafe>)) {
    let mut slowest = (std::time::Duration::ZERO, String::new());
    let mut random = Random(seed());
    let count = cases(usual);
    for k in 0..count {
        let (text, run) = case(&mut random);
        let start = std::time::Instant::now();
        assert!(std::panic::catch_unwind(run).is_ok(), "case {k} panics:\n{text}");
        if start.elapsed() > slowest.0 {
            slowest = (start.elapsed(), text);
        }
    }
    assert!(slowest.0.as_secs() < 20, "a case takes {:?}:\n{}", slowest.0, slowest.1);
    println!("{count} cases, the slowest took {:?}", slowest.0);
}

/// Everything cheap that can be asked of a robot that was accepted.
fn ask(robot: &Robot) {
    let joints = robot.joints();
    let _ = (robot.workspace(), robot.numbers(), robot.choices(), robot.warnings.len());
    let ones = JointVector::from_fn(joints.len(), |i| 0.3 * (i as f64 + 1.0));
    let states = [
        robot.home(),
        robot.at_joints(&JointState { q: ones.clone(), qd: ones.clone(), qdd: ones.clone() }, &Pick::default()),
    ];
    for spec in robot.models() {
        let Ok(model) = robot.build_model(spec.name) else { continue };
        for state in states.iter().flatten() {
            let _ = (model.torque(state, Wrench::zero()), model.mass_matrix(state), model.gravity_torque(state));
            let _ = model.accelerated(state, &ones, Wrench::zero());
        }
    }
    // What is written reads back as the same file.
    if let Some(text) = robot.to_toml() {
        let again = Robot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.to_toml().as_deref(), Some(text.as_str()));
    }
}

#[test]
fn robot_files_with_mistakes() {
    survive(4000, |random| {
        let text = mutated(random.one(&ROBOTS), &ROBOTS, random);
        let given = text.clone();
        (
            text,
            Box::new(move || {
                if let Ok(robot) = Robot::parse(&given) {
                    ask(&robot)
                }
            }),
        )
    });
}

#[test]
fn scene_files_with_mistakes() {
    survive(4000, |random| {
        let text = mutated(random.one(&SCENES), &SCENES, random);
        let given = text.clone();
        (text, Box::new(move || drop(Scene::parse(&given, Some(Path::new("../../scenes"))))))
    });
}

/// A scene that was accepted can be run, or says why not.
#[test]
fn scenes_with_mistakes_run_or_refuse() {
    survive(12, |random| {
        let text = mutated(random.one(&SCENES), &SCENES, random);
        let given = text.clone();
        let run = move || {
            let Ok(Scene { cell, mut settings }) = Scene::parse(&given, Some(Path::new("../../scenes"))) else {
                return;
            };
            settings.duration = settings.duration.min(0.02);
            settings.every = settings.every.max(1e-3);
            let start = std::time::Instant::now();
            let outcome = cell.run(&settings, &mut |_| start.elapsed().as_secs() < 5);
            let _ = outcome.map(|outcome| outcome.lines(&cell, &settings));
        };
        (text, Box::new(run))
    });
}

#[test]
fn experiment_files_with_mistakes() {
    survive(60, |random| {
        let text = mutated(random.one(&EXPERIMENTS), &EXPERIMENTS, random);
        let given = text.clone();
        let run = move || {
            let folder = Some(Path::new("../../experiments"));
            if let Ok(file) = ExperimentFile::parse(&given, folder) {
                let _ = file.tunings();
            }
        };
        (text, Box::new(run))
    });
}

#[test]
fn motor_files_with_mistakes() {
    survive(4000, |random| {
        let text = mutated(random.one(&MOTORS), &ROBOTS, random);
        let given = text.clone();
        let run = move || {
            for motor in MotorList::parse(&given).into_iter().flat_map(|list| list.motors) {
                let _ = [0.0, 1e300, -1.0].map(|speed| motor.continuous_torque(speed));
            }
        };
        (text, Box::new(run))
    });
}

fn built_in() -> &'static [Robot] {
    static ALL: OnceLock<Vec<Robot>> = OnceLock::new();
    ALL.get_or_init(|| ROBOTS.iter().map(|text| Robot::parse(text).expect("shipped")).collect())
}

/// A table of states, some columns missing, some cells strange.
fn table(random: &mut Random) -> String {
    const GROUPS: [&str; 8] = [
        "x,y,z",
        "vx,vy,vz",
        "ax,ay,az",
        "q1,q2,q3",
        "q1,q2,q3,q4,q5,q6",
        "qd1,qd2,qd3",
        "tau1,tau2,tau3",
        "t,roll,pitch,yaw,fx,fy,fz",
    ];
    const VALUES: [&str; 6] = ["0", "0.1", "-0.85", "1e3", "-0.4", "0.5"];
    let header: Vec<&str> = (0..1 + random.below(4)).flat_map(|_| random.one(&GROUPS).split(',')).collect();
    let mut text = header.join(",") + "\n";
    for _ in 0..1 + random.below(4) {
        let cell = |random: &mut Random| match random.below(10) {
            0 => random.one(&NUMBERS).to_owned(),
            _ => random.one(&VALUES).to_owned(),
        };
        let row: Vec<String> = header.iter().map(|_| cell(random)).collect();
        text += &(row.join(",") + "\n");
    }
    if random.below(3) == 0 { mutated(&text, &["x,y,z\n\"a,b\n", "q1\r\n"], random) } else { text }
}

/// What comes out of a row is a number, or the row is refused.
#[test]
fn tables_with_mistakes() {
    survive(4000, |random| {
        let text = table(random);
        let tasks = [
            Task::InverseKinematics,
            Task::ForwardKinematics,
            Task::Torque,
            Task::Acceleration,
            Task::Mass(Space::Joint),
            Task::Mass(Space::Tool),
        ];
        let (task, robot) = (tasks[random.below(6)], &built_in()[random.below(ROBOTS.len())]);
        let groups = if random.below(2) == 0 { vec!["details"] } else { Vec::new() };
        let given = text.clone();
        let run = move || {
            let Ok(mut reader) = Reader::new(given.as_bytes()) else { return };
            let evaluation = Evaluation { groups, limits_column: true, ..Evaluation::new(task) };
            let Ok(bound) = evaluation.bind(robot, reader.header()) else { return };
            while let Ok(Some(row)) = reader.next_row() {
                let Ok(output) = bound.evaluate(&row) else { continue };
                assert_eq!(output.values.len(), bound.computed().len());
                for (value, name) in output.values.iter().zip(bound.computed()) {
                    assert!(value.is_finite(), "{name} is {value}");
                }
            }
        };
        (format!("{}\n{text}", robot.name), Box::new(std::panic::AssertUnwindSafe(run)))
    });
}
