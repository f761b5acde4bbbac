//! `simulate`: a robot or a scene moves; recording, report, summary.

mod arguments;
mod control;

pub use arguments::SimulateArguments;

use crate::advice::advised;
use crate::prelude::*;
use dalembert::verbs::simulate::{SimulateOutcome, simulate};

pub fn run(mut arguments: SimulateArguments, screen: &mut Screen) -> Result<(), Failure> {
    let request = arguments.request()?;
    let mut files = arguments.files()?;
    let mut progress = Progress::stoppable("simulating");
    let outcome = simulate(&request, &mut progress).map_err(|error| match &*error.code {
        "too-many-rows" => Failure::from(error).hint("give a larger --every, or a shorter --duration"),
        "model-does-not-apply" => Failure::from(error).hint("another --model, or none for the exact one"),
        _ => error.into(),
    })?;
    drop(progress);
    let (Some(recording), Some(page)) = (outcome.recording(), outcome.page()) else { return Ok(()) };
    files.write("recording", |sink| sink.recording(recording))?;
    files.write("report", |sink| sink.text(&page.to_html()))?;
    let so_far = {
        let [reached, total] = outcome.times().map(|time| human(time, 6));
        format!("{} {reached} of {total} s", if files.is_empty() { "simulated" } else { "wrote" })
    };
    let text = |screen: &mut Screen| as_text(&outcome, screen);
    if outcome.is_interrupted() {
        // The names of its files are in the message; what is there already is not replaced.
        let printed = files.are_printed();
        let names = files.finish_partial()?.join(" and ");
        match (printed, arguments.json) {
            (true, _) => {}
            (false, true) => screen.outcome(&outcome)?,
            (false, false) => text(screen),
        }
        std::mem::replace(screen, Screen::stdout()).finish()?;
        let to = if names.is_empty() { String::new() } else { format!(" to {names}") };
        return Err(Failure::Interrupted(format!("interrupted: {so_far}{to}")));
    }
    files.show(screen, &outcome, arguments.json, Names::Listed, text)?;
    if arguments.replaces_report {
        screen.line("  (the report of an earlier run is replaced)");
    }
    let Some(error) = outcome.failure().map(advised) else { return Ok(()) };
    std::mem::replace(screen, Screen::stdout()).finish()?;
    let hint = ended_hint(&outcome, &error).or(error.hint.as_deref());
    let hint = hint.map_or(so_far.clone(), |hint| format!("{so_far}; {hint}"));
    Err(Failure::from(error).hint(hint))
}

fn as_text(outcome: &SimulateOutcome, screen: &mut Screen) {
    let (heading, tables) = outcome.tables();
    screen.heading(heading);
    tables.iter().for_each(|table| screen.table(table));
    if let SimulateOutcome::Control(control) = outcome
        && outcome.needs_longer_hold()
    {
        screen.line(format!("  --hold holds longer than {} s", human(control.hold, 3)));
    }
}

/// The options that let a run come to its end.
fn ended_hint(outcome: &SimulateOutcome, error: &VerbError) -> Option<&'static str> {
    Some(match (&*error.code, outcome) {
        ("out-of-reach" | "singular-reference", _) => return None,
        ("singular-pose", _) => "the joint laws and impedance go through such poses; or give another --path",
        ("closed-form-ends", _) => "the closed form ends at a singular pose, --formulation projected goes on",
        ("step-too-small", _) => {
            "no step leads on from here: a singular pose, a motion that leaves the reach, or a tolerance below rounding"
        }
        ("diverged", _) => "a smaller --step, or --integrator dormand-prince, may help",
        ("constraints-open", _) => "a motion that leaves the reach, or too long a --step",
        (_, SimulateOutcome::Control(_)) => "a lower --bandwidth, a longer --cycle or a better model may help",
        (_, SimulateOutcome::Cell(_)) => return None,
    })
}
