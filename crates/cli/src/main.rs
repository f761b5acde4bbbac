//! The command `dalembert`: arguments → request → outcome → text, files, exit code.
//!
//! 0: done. 1: a mistake of the user, explained on standard error. 2: wrong usage, as clap explains it. 70: a bug.
//! 130: interrupted by Ctrl-C or SIGTERM; a simulation writes what there was. 141: the reader of standard output went away
//! (`| head`); as other commands, it ends without a word.

mod advice;
mod arguments;
mod failure;
mod files;
mod output;
mod prelude;
mod progress;
mod signals;
mod standard;
mod temporary;
mod verbs;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use dalembert::report::escape;
use failure::Failure;
use output::Screen;
use std::process::ExitCode;
use verbs::{Arguments, Verb};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_bug));
    match std::panic::catch_unwind(run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Failure::BrokenPipe)) => ExitCode::from(signals::BROKEN_PIPE),
        Ok(Err(Failure::Mistake(mistake))) => {
            failure::show(&mistake);
            ExitCode::from(1)
        }
        Ok(Err(Failure::Interrupted(message))) => {
            failure::say(&message);
            ExitCode::from(signals::INTERRUPTED)
        }
        Err(_) => ExitCode::from(70),
    }
}

/// A panic is a bug of ours: say so once, in a sentence that tells its place, not with a backtrace.
fn report_bug(panic: &std::panic::PanicHookInfo<'_>) {
    // The reader of a foreign format gives up: an error of the file.
    if dalembert::report::foreign::is_contained() {
        return;
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("unknown");
        let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        failure::say(&format!(
            "internal error{place}: {text}\nThis is a bug in dalembert; please report it with the command line and the input."
        ));
    });
}

/// Wrong usage, as clap explains it; what was typed does nothing on the terminal.
fn wrong_usage(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let safe = escape::terminal(&text);
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => Some(word),
        _ => None,
    };
    let of_rows = ["ik", "fk", "torque", "accel", "mass"];
    if !error.use_stderr() {
        // Help and versions are results.
        std::process::exit(match Screen::help(error) {
            Ok(()) => 0,
            Err(Failure::BrokenPipe) => signals::BROKEN_PIPE.into(),
            Err(Failure::Mistake(mistake)) => {
                failure::show(&mistake);
                1
            }
            Err(Failure::Interrupted(_)) => signals::INTERRUPTED.into(),
        });
    }
    let hint = match word {
        // States that are typed where a table is read.
        Some(_) if std::env::args().nth(1).is_some_and(|verb| of_rows.contains(&verb.as_str())) => {
            Some("states are rows of a CSV with a header such as `x,y,z`: give the file, or standard input")
        }
        Some(word) if !word.starts_with('-') => Some(
            "a value with a blank needs quotes, as in --payload '1 kg'; a vector has commas and no blanks: 0.1,0,-0.85",
        ),
        _ => None,
    };
    if safe == text && hint.is_none() {
        error.exit();
    }
    failure::say(safe.trim_end());
    if let Some(hint) = hint {
        failure::say(&format!("  help: {hint}"));
    }
    std::process::exit(error.exit_code())
}

fn run() -> Result<(), Failure> {
    let matches = verbs::spelling::parse().unwrap_or_else(|error| wrong_usage(&error));
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| wrong_usage(&error));
    signals::watch()?;
    files::claim(&matches)?;
    let mut screen = Screen::stdout();
    match arguments.verb {
        Verb::Robots(arguments) => verbs::robots::run(&arguments, &mut screen),
        Verb::Check(arguments) => verbs::check::run(&arguments, &mut screen),
        Verb::Ik(arguments) => arguments.run(),
        Verb::Fk(arguments) => arguments.run(),
        Verb::Torque(arguments) => arguments.run(),
        Verb::Accel(arguments) => arguments.run(),
        Verb::Mass(arguments) => arguments.run(),
        Verb::Convert(arguments) => arguments.run(),
        Verb::Explain(arguments) => verbs::explain::run(&arguments, &mut screen),
        Verb::Compare(arguments) => verbs::compare::run(&arguments, &mut screen),
        Verb::Ops(arguments) => verbs::ops::run(&arguments, &mut screen),
        Verb::Simulate(arguments) => verbs::simulate::run(arguments, &mut screen),
        Verb::Derive(arguments) => verbs::derive::run(arguments, &mut screen),
        Verb::Trajectory(arguments) => verbs::trajectory::run(arguments, &mut screen),
        Verb::Size(arguments) => verbs::size::run(arguments, &mut screen),
        Verb::Cycle(arguments) => verbs::cycle::run(arguments, &mut screen),
        Verb::Linearize(arguments) => verbs::analysis::linearize::run(&arguments, &mut screen),
        Verb::Poles(arguments) => verbs::analysis::poles::run(&arguments, &mut screen),
        Verb::Stability(arguments) => verbs::analysis::stability::run(&arguments, &mut screen),
        Verb::Map(arguments) => verbs::analysis::map::run(&arguments, &mut screen),
        Verb::Sensitivity(arguments) => verbs::analysis::sensitivity::run(&arguments, &mut screen),
        Verb::Smooth(arguments) => verbs::measure::smooth::run(&arguments, &mut screen),
        Verb::Identify(arguments) => verbs::measure::identify::run(&arguments, &mut screen),
        Verb::Excite(arguments) => verbs::measure::excite::run(&arguments, &mut screen),
        Verb::Calibrate(arguments) => verbs::measure::calibrate::run(&arguments, &mut screen),
        Verb::Bench(arguments) => verbs::measure::bench::run(&arguments, &mut screen),
        Verb::Paper(arguments) => verbs::paper::run(&arguments, &mut screen),
        Verb::Completions(arguments) => verbs::robots::completions(&arguments, &mut screen),
    }?;
    screen.finish()
}
