//! `robots`: what is built in.

use super::{check, check_serial};
use crate::arguments::{RobotsAction, RobotsArguments};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::AnyRobot;
use dalembert::analyze::Reach;
use dalembert::robots::BUILT_IN;

pub fn run(arguments: &RobotsArguments, screen: &mut Screen) -> Result<(), Failure> {
    match &arguments.action {
        Some(RobotsAction::Show { name, json }) => show(name, *json, screen),
        None => list(arguments.json, screen),
    }
}

fn list(as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robots: Vec<AnyRobot> =
        BUILT_IN.iter().map(|built_in| AnyRobot::find(built_in.name)).collect::<Result<_, _>>()?;
    if as_json {
        let entry = |robot: &AnyRobot| match robot {
            AnyRobot::Delta(robot) => {
                let mut entry = check::parameters_json(robot);
                entry["reach"] = check::reach_json(&Reach::of(&robot.delta));
                entry
            }
            AnyRobot::Serial(robot) => check_serial::parameters_json(robot),
        };
        screen.json(&robots.iter().map(entry).collect());
        return Ok(());
    }
    let mut table = Table::new("lrrrrrl");
    table.head(["Delta", "upper arm", "forearm", "platform", "depth", "radius", "source"]);
    let mut arms = Table::new("lrrl");
    arms.head(["serial", "joints", "mass", "source"]);
    for robot in &robots {
        let source = robot.source().unwrap_or_default().to_owned();
        match robot {
            AnyRobot::Delta(robot) => {
                let parameters = robot.delta.parameters();
                let (arm, reach) = (&parameters.arms[0], Reach::of(&robot.delta));
                table.row([
                    robot.name.clone(),
                    format!("{} m", human(arm.upper_arm.length, 4)),
                    format!("{} m", human(arm.forearm.length, 4)),
                    format!("{} kg", human(parameters.platform_mass, 4)),
                    format!("{}…{} m", human(-reach.highest, 3), human(-reach.lowest, 3)),
                    format!("{} m", human(reach.radius, 3)),
                    source,
                ]);
            }
            AnyRobot::Serial(robot) => {
                let mass: f64 = robot.arm.links().iter().map(|link| link.body.mass).sum();
                let joints = robot.arm.joints().to_string();
                arms.row([robot.name.clone(), joints, format!("{} kg", human(mass, 4)), source]);
            }
        }
    }
    screen.table(&table);
    screen.line("");
    screen.table(&arms);
    screen.line("");
    screen.line("depth: reach below the base on its axis; radius: disc reached everywhere in the middle of it.");
    screen.line("`dalembert robots show NAME` prints a robot's file, `dalembert check NAME` what follows from it.");
    Ok(())
}

fn show(name: &str, as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robot = AnyRobot::find(name)?;
    match (&robot, as_json) {
        (AnyRobot::Delta(robot), true) => screen.json(&check::parameters_json(robot)),
        (AnyRobot::Serial(robot), true) => screen.json(&check_serial::parameters_json(robot)),
        (robot, false) => match (BUILT_IN.iter().find(|built_in| built_in.name == name), robot) {
            (Some(built_in), _) => screen.raw(built_in.text),
            (None, AnyRobot::Delta(robot)) => screen.raw(&robot.to_toml()),
            (None, AnyRobot::Serial(robot)) => screen.raw(&robot.to_toml()),
        },
    }
    Ok(())
}
