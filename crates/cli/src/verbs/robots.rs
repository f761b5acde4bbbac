//! `robots`: what is built in.

use super::check::{parameters_json, reach_json};
use crate::arguments::{RobotsAction, RobotsArguments};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::Robot;
use dalembert::analyze::Reach;
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
        let entry = |robot: &Robot| {
            let mut entry = parameters_json(robot);
            entry["reach"] = reach_json(&Reach::of(&robot.delta));
            entry
        };
        screen.json(&robots.iter().map(entry).collect());
        return Ok(());
    }
    let mut table = Table::new("lrrrrrl");
    table.head(["name", "upper arm", "forearm", "platform", "depth", "radius", "source"]);
    for robot in &robots {
        let parameters = robot.delta.parameters();
        let (arm, reach) = (&parameters.arms[0], Reach::of(&robot.delta));
        table.row([
            robot.name.clone(),
            format!("{} m", human(arm.upper_arm.length, 4)),
            format!("{} m", human(arm.forearm.length, 4)),
            format!("{} kg", human(parameters.platform_mass, 4)),
            format!("{}…{} m", human(-reach.highest, 3), human(-reach.lowest, 3)),
            format!("{} m", human(reach.radius, 3)),
            robot.source.clone().unwrap_or_default(),
        ]);
    }
    screen.table(&table);
    screen.line("");
    screen.line("depth: reach below the base on its axis; radius: disc reached everywhere in the middle of it.");
    screen.line("`dalembert robots show NAME` prints a robot's file, `dalembert check NAME` what follows from it.");
    Ok(())
}

fn show(name: &str, as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robot = Robot::find(name)?;
    if as_json {
        screen.json(&parameters_json(&robot));
        return Ok(());
    }
    match BUILT_IN.iter().find(|built_in| built_in.name == name) {
        Some(built_in) => screen.raw(built_in.text),
        None => screen.raw(&robot.to_toml()),
    }
    Ok(())
}
