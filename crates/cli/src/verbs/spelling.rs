//! The command line as clap reads it: old spellings become new ones, with a note; `--help` is short, `help VERB` long.

use super::Arguments;
use crate::failure::say;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use dalembert::robot::map::Kind;

/// Verbs, an option as it was called, its name.
const RENAMED: [(&str, &str, &str); 2] = [
    ("ik fk torque accel mass convert derive paper smooth identify excite calibrate", "--output", "--out"),
    ("compare cycle sensitivity", "--csv", "--out"),
];

/// The verbs that had the option `--tool`: their positions are those of the tool point in any case.
const HAD_TOOL: &str = "ik fk torque accel mass explain";

/// The command, its help short where an option asks for it.
pub fn command() -> Command {
    let help = Arg::new("help").short('h').long("help").global(true).action(ArgAction::HelpShort).help("Print help");
    shorten(Arguments::command().disable_help_flag(true).arg(help))
}

/// `--help` shows the examples, `help VERB` all that is said about a verb.
fn shorten(command: Command) -> Command {
    let command = command.mut_subcommands(shorten);
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let Some(start) = text.find("Examples:").filter(|start| *start > 0) else { return command };
    let brief = format!("{}\n\nDetails: dalembert help {}", &text[start..], command.get_name());
    command.after_help(brief).after_long_help(text)
}

/// What was typed.
pub fn parse() -> Result<ArgMatches, clap::Error> {
    let mut typed: Vec<_> = std::env::args_os().collect();
    let verb = typed.get(1).and_then(|verb| verb.to_str()).unwrap_or_default().to_owned();
    for (_, old, new) in RENAMED.iter().filter(|(verbs, ..)| verbs.split(' ').any(|name| name == verb)) {
        for word in typed.iter_mut().take_while(|word| *word != "--") {
            let rest = word.to_str().and_then(|text| text.strip_prefix(old)).map(str::to_owned);
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('=')) {
                *word = format!("{new}{rest}").into();
                say(&format!("note: {old} is now {new}"));
            }
        }
    }
    if HAD_TOOL.split(' ').any(|name| name == verb) {
        let before = typed.len();
        typed.retain(|word| word != "--tool");
        if typed.len() < before {
            say("note: --tool is no longer needed: positions are those of the tool point");
        }
    }
    let error = match command().try_get_matches_from(&typed) {
        Err(error) if verb == "map" && error.kind() == ErrorKind::InvalidValue => error,
        other => return other,
    };
    // The quantity before the robot, as it was: whatever it can be exchanged with.
    let is_quantity = |word: &std::ffi::OsString| Kind::NAMED.iter().any(|(name, _)| word == name);
    let Some(quantity) = typed.iter().position(is_quantity) else { return Err(error) };
    let exchanged = (quantity + 1..typed.len()).find_map(|robot| {
        let mut words = typed.clone();
        words.swap(quantity, robot);
        command().try_get_matches_from(words).ok()
    });
    if exchanged.is_some() {
        say("note: map QUANTITY ROBOT is now map ROBOT QUANTITY");
    }
    exchanged.ok_or(error)
}
