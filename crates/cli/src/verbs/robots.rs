//! `robots`: what is built in.

use crate::arguments::{RobotsAction, RobotsArguments};
use crate::failure::Failure;
use crate::output::Screen;
use dalembert::robot::Robot;
use dalembert::robots::BUILT_IN;
use dalembert::verbs::{RobotDescription, robots};

pub fn run(arguments: &RobotsArguments, screen: &mut Screen) -> Result<(), Failure> {
    match &arguments.action {
        Some(RobotsAction::Show { name, json }) => show(name, *json, screen),
        None if arguments.json => screen.outcome(&robots()?),
        None => {
            screen.table(&robots()?.table());
            screen.line("");
            screen.line("heights: reach on the axis, base frame; radius: disc reached everywhere in the middle of it.");
            screen.line(
                "`dalembert robots show NAME` prints a robot's file, `dalembert check NAME` what follows from it.",
            );
            Ok(())
        }
    }
}

fn show(name: &str, as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let robot = Robot::find(name)?;
    if as_json {
        return screen.outcome(&RobotDescription::new(&robot));
    }
    match BUILT_IN.iter().find(|built_in| built_in.name == name) {
        Some(built_in) => screen.raw(built_in.text),
        None => screen.raw(&robot.to_toml().unwrap_or_default()),
    }
    Ok(())
}
