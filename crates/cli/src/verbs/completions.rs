//! `completions`: scripts for shells.

use super::spelling::command;
use crate::arguments::CompletionsArguments;
use crate::failure::Failure;
use crate::output::Screen;

pub fn run(arguments: &CompletionsArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "dalembert", &mut script);
    screen.raw(&String::from_utf8_lossy(&script));
    Ok(())
}
