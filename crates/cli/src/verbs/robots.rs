//! `robots`: what is built in.

use super::check::robot_json;
use crate::arguments::{RobotsAction, RobotsArguments};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::robot::Robot;
use dalembert::robots::BUILT_IN;

pub fn run(arguments: &RobotsArguments, screen: &mut Screen) -> Result<(), Failure> {
    match &arguments.action {
        Some(RobotsAction::Show { name, json }) => show(name, *json, screen),
        None => list(arguments.json, screen),
    }
}

fn list(as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robots: Vec<Robot> = BUILT_IN.iter().map(|built_in| Robot::find(built_in.name)).collect::<Result<_, _>>()?;
    if as_json {
        screen.json(&robots.iter().map(robot_json).collect());
        return Ok(());
    }
    let mut table = Table::new("llrrrrl");
    table.head(["name", "kind", "joints", "moving mass", "heights", "radius", "source"]);
    for robot in &robots {
        // All masses of the file together.
        let masses = robot.numbers().into_iter().filter(|number| number.field.unit == dalembert::parameter::Unit::Mass);
        let [heights, radius] = robot.workspace().map_or([String::new(), String::new()], |workspace| {
            let [lowest, highest] = workspace.heights;
            [format!("{} … {} m", human(lowest, 3), human(highest, 3)), format!("{} m", human(workspace.radius, 3))]
        });
        table.row([
            robot.name.clone(),
            robot.kind().title.to_owned(),
            robot.joints().len().to_string(),
            format!("{} kg", human(masses.map(|number| number.value).sum(), 4)),
            heights,
            radius,
            robot.source.clone().unwrap_or_default(),
        ]);
    }
    screen.table(&table);
    screen.line("");
    screen.line("heights: reach on the axis, base frame; radius: disc reached everywhere in the middle of it.");
    screen.line("`dalembert robots show NAME` prints a robot's file, `dalembert check NAME` what follows from it.");
    Ok(())
}

fn show(name: &str, as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robot = Robot::find(name)?;
    if as_json {
        screen.json(&robot_json(&robot));
    } else {
        match BUILT_IN.iter().find(|built_in| built_in.name == name) {
            Some(built_in) => screen.raw(built_in.text),
            None => screen.raw(&robot.to_toml().unwrap_or_default()),
        }
    }
    Ok(())
}
