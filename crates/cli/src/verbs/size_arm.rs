//! `size` for serial arms: which motor does for which joint.

use super::motion::{MotionArguments, number};
use super::size::{Done, HEAD, best, combination, name, numbers, one_motion, percent, row, sources};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::SerialRobot;
use dalembert::describe::{Described, Dimension, MotorList};
use dalembert::motion::sizing::{Fit, JointSample, size_joints};
use dalembert::motion::{JointsMachine, PerJoint, State};
use serde_json::{Value, json};

/// What is known of a motion.
pub struct About<'a> {
    pub what: String,
    pub motion: &'a str,
    pub payload: f64,
    pub motors: &'a MotorList,
}

/// The robot with the payload that is typed.
pub fn carrying(arguments: &MotionArguments, robot: SerialRobot) -> Result<SerialRobot, Failure> {
    if arguments.order.branch.is_some() {
        return Err(Failure::new("--branch is for Delta robots"));
    }
    let Some(text) = &arguments.order.payload else { return Ok(robot) };
    let payload = number("payload", text, Dimension::Mass)?;
    robot.carrying(payload).map_err(|error| Failure::new(format!("--payload: {error}")))
}

/// A motion of joints in a file.
pub fn read(file: &str, joints: usize) -> Result<Vec<JointSample>, Failure> {
    let columns: Vec<String> =
        ["q", "qd", "qdd"].iter().flat_map(|stem| (1..=joints).map(move |i| format!("{stem}{i}"))).collect();
    let state = |(t, numbers): (f64, Vec<f64>)| {
        let part =
            |k: usize| -> PerJoint { std::array::from_fn(|i| if i < joints { numbers[k * joints + i] } else { 0.0 }) };
        (t, State { position: part(0), velocity: part(1), acceleration: part(2) })
    };
    one_motion(file, &columns, numbers(file, &columns)?.into_iter().map(state).collect())
}

/// Says it.
pub fn tell(
    robot: &SerialRobot,
    motion: &[JointSample],
    about: &About<'_>,
    json: bool,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let joints = size_joints(robot, motion, about.motors)
        .map_err(|error| Failure::new(format!("{}, {}: {error}", robot.name, about.motion)))?;
    let done = Done::of(&JointsMachine::new(robot), motion);
    if json {
        screen.json(&as_json(robot, &done, about, &joints));
    } else {
        as_text(robot, &done, about, &joints, screen);
    }
    Ok(())
}

fn suffices(fits: &[Fit]) -> bool {
    fits.iter().any(Fit::suffices)
}

fn as_text(robot: &SerialRobot, done: &Done, about: &About<'_>, joints: &[Vec<Fit>], screen: &mut Screen) {
    screen.heading(format!("{}: {}", robot.name, about.what));
    screen.line(done.pace("rad"));
    screen.line("");
    let without: Vec<String> =
        joints.iter().enumerate().filter(|(_, fits)| !suffices(fits)).map(|(i, _)| (i + 1).to_string()).collect();
    screen.heading(match &without[..] {
        _ if done.out_of_range().is_some() => {
            String::from("No: the motion leaves the range of a joint, whatever the motor")
        }
        [] => String::from("Yes: there is a motor for each joint"),
        [one] => format!("No: none does for joint {one}"),
        many => format!("No: none does for joints {}", many.join(", ")),
    });
    if let Some((time, passed)) = done.out_of_range() {
        screen.line(format!("  {passed}, at {} s", human(*time, 4)));
    }
    done.notes(screen);
    screen.line("");
    screen.line("  The best for each joint:");
    let mut table = Table::new("rllrrrrrrrrl");
    table.head(std::iter::once("joint").chain(HEAD));
    for (i, fits) in joints.iter().enumerate() {
        if let Some(best) = best(fits) {
            table.row(std::iter::once((i + 1).to_string()).chain(row(best)));
        }
    }
    screen.table(&table);
    screen.line("");
    screen.line("  What does for which joint, and with which margin:");
    let mut table = Table::new(&format!("l{}", "r".repeat(joints.len())));
    table.head(std::iter::once(String::new()).chain((1..=joints.len()).map(|i| i.to_string())));
    let combinations = joints.first().map_or(0, Vec::len);
    for k in 0..combinations {
        let margins = joints.iter().map(|fits| match fits[k].suffices() {
            true => percent(fits[k].tightest().1),
            false => String::from("no"),
        });
        table.row(std::iter::once(name(&joints[0][k])).chain(margins));
    }
    screen.table(&table);
    sources(about.motors, screen);
}

fn as_json(robot: &SerialRobot, done: &Done, about: &About<'_>, joints: &[Vec<Fit>]) -> Value {
    json!({
        "robot": robot.name,
        "motion": about.motion,
        "payload": about.payload,
        "duration": done.duration,
        "apart": done.apart,
        "passed": done.passed_json(),
        "suffices": done.out_of_range().is_none() && joints.iter().all(|fits| suffices(fits)),
        "joints": joints.iter().enumerate().map(|(i, fits)| json!({
            "joint": i + 1,
            "suffices": suffices(fits),
            "best": best(fits).map(name),
            "combinations": fits.iter().map(combination).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}
