//! `robots`: the built-in robots; `completions`: scripts for shells.

use super::spelling::command;
use crate::prelude::*;
use clap::Subcommand;
use dalembert::robots::BUILT_IN;
use dalembert::verbs::{RobotDescription, robots};

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  dalembert robots
  dalembert robots --json
  dalembert robots show d3-1200 > my-robot.toml           start your own robot from a built-in one"
)]
pub struct RobotsArguments {
    #[command(subcommand)]
    action: Option<RobotsAction>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum RobotsAction {
    /// Print the file of a robot, with the source of every number
    #[command(after_help = "\
Examples:
  dalembert robots show asadi
  dalembert robots show d3-1200 --json                    its parameters in SI, as JSON")]
    Show {
        /// Name of a built-in robot, or path to a robot file; a file is printed in SI with its defaults
        name: String,
        /// Print its parameters as JSON
        #[arg(long)]
        json: bool,
    },
}

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

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert completions bash > ~/.local/share/bash-completion/completions/dalembert
  dalembert completions zsh > ~/.zfunc/_dalembert")]
pub struct CompletionsArguments {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn completions(arguments: &CompletionsArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "dalembert", &mut script);
    screen.raw(&String::from_utf8_lossy(&script));
    Ok(())
}
