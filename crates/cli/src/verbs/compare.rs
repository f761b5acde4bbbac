//! `compare`: the published models against the exact one over a motion.

use crate::arguments::CompareArguments;
use crate::failure::Failure;
use crate::output::{Screen, Sink, human};
use crate::progress::Progress;
use dalembert::verbs::{CompareModel, CompareOutcome, VerbError, compare};

pub fn run(arguments: CompareArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut plan = arguments.plan()?;
    // All files can be written, or nothing is computed.
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut csv, mut report) = (open(&plan.out)?, open(&plan.report)?);
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let request = plan.request()?;
    let mut progress = Progress::start("running the models over the motion");
    let outcome = compare(&request, &mut progress).map_err(with_options)?;
    if let Some(sink) = &mut csv {
        sink.text(&outcome.to_csv())?;
    }
    if let Some(sink) = &mut plot {
        sink.picture(&outcome.chart().draw())?;
    }
    if let (Some(sink), Some(file)) = (&mut report, &plan.report) {
        let markdown = file.to_ascii_lowercase().ends_with(".md");
        sink.text(&if markdown { outcome.to_markdown() } else { outcome.to_html() })?;
    }
    progress.end();
    for sink in [csv, plot, report].into_iter().flatten() {
        sink.finish()?;
    }
    // To standard output goes one thing: the report, or the file that was asked for there.
    if [&plan.out, &plan.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if plan.json {
        return screen.outcome(&outcome);
    }
    as_text(&outcome, screen);
    for (name, what) in [(&plan.out, "motion and torques"), (&plan.plot, "plot"), (&plan.report, "report")] {
        if let Some(name) = name {
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }
    Ok(())
}

/// An error with what the options of the command can do about it.
fn with_options(error: VerbError) -> Failure {
    let hint = match error.code.as_ref() {
        "stroke-out-of-reach" => {
            format!("{}: change --z, --width or --height", error.hint.as_deref().unwrap_or_default())
        }
        "log-too-long" => "compare a part of it: --from, --to".to_owned(),
        "mixed-elbows" => {
            "`--branch in` if they all point inward; the published models know no mixed elbows".to_owned()
        }
        "no-times" => "tracking errors need times; `trajectory --out` writes them".to_owned(),
        "no-published-model" => {
            "Armstrong's models are for arms like the PUMA 560; `derive` writes an exact program of any arm".to_owned()
        }
        _ => return error.into(),
    };
    Failure::from(error).hint(hint)
}

fn as_text(outcome: &CompareOutcome, screen: &mut Screen) {
    let CompareOutcome { robot, comparison, reference, .. } = outcome;
    screen.heading(match &outcome.against_measured {
        Some(_) => format!("{robot}: the models against measured torques"),
        None => format!("{robot}: the published models over {}", outcome.motion_kind()),
    });
    screen.line(format!("  {}", outcome.what));
    let (exact, unit) = (&outcome.exact_torque.all, &comparison.unit);
    let (rms, most) = (human(exact.rms, 4), human(exact.maximum, 4));
    screen.line(format!("  torque of `{reference}`: RMS {rms} {unit}, at most {most} {unit}"));
    screen.line(format!("  {}", comparison.weights.weighing().text()));
    screen.line("");
    if let Some(models) = &outcome.against_measured {
        screen.heading("Against the measured torque");
        for table in outcome.measured_tables(models) {
            screen.table(&table);
            screen.line("");
        }
    }
    let names: Vec<&str> = comparison.models.iter().map(|(name, _)| *name).collect();
    if names.is_empty() {
        let kind = outcome.robot_title();
        return screen.line(format!("  there is no published model of a {kind}: `{reference}` is the only one"));
    }
    if outcome.costs.is_empty() {
        return screen.line(format!("  of the published models none is for this robot: {}", names.join(", ")));
    }
    screen.heading(format!("Difference model − {reference}, {unit}"));
    screen.table(&outcome.difference_table());
    screen.line("");
    screen.heading(format!("What it costs, with feedback of {} Hz", human(outcome.bandwidth, 4)));
    screen.table(&outcome.cost_table());
    let refused = outcome.difference_to_exact.iter().filter_map(|model| match model {
        CompareModel::DoesNotApply { does_not_apply, .. } => Some(does_not_apply),
        CompareModel::Applies { .. } => None,
    });
    let refused: Vec<&String> = refused.collect();
    if !refused.is_empty() {
        screen.line("");
        screen.heading("Do not apply to this robot");
        refused.iter().for_each(|reason| screen.line(format!("  {reason}")));
    }
}
