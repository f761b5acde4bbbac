//! `check`: what a robot file says, and what follows from it.

use crate::arguments::{CarryingArguments, CheckArguments, with_payload};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use dalembert::verbs::{CheckOutcome, CheckRequest, check};

pub fn run(arguments: &CheckArguments, screen: &mut Screen) -> Result<(), Failure> {
    let CarryingArguments { robot, payload } = &arguments.with_payload;
    let robot = with_payload(robot.quietly()?, payload.as_deref())?;
    let outcome = check(&CheckRequest { robot }, &mut ())?;
    if let Some(mut sink) = arguments.plot.as_deref().map(Sink::for_picture).transpose()? {
        sink.picture(&outcome.picture())?;
        sink.finish()?;
    }
    if arguments.json {
        return screen.outcome(&outcome);
    }
    as_text(&outcome, screen);
    Ok(())
}

fn as_text(outcome: &CheckOutcome, screen: &mut Screen) {
    let robot = &outcome.robot;
    let (kind, parts) = (robot.kind(), robot.joints().len());
    let choices: String = robot.choices().iter().map(|(_, choice)| format!(", {choice}")).collect();
    let joints = if parts == 1 { "joint" } else { "joints" };
    screen.heading(format!("{}: a {} with {parts} {joints}{choices}", robot.name, kind.title));
    if let Some(source) = &robot.source {
        screen.line(format!("  {source}"));
    }
    screen.line("");
    screen.heading("As read, in SI");
    let (table, alike) = outcome.parameters();
    screen.table(&table);
    if alike {
        screen.line(format!("  One value: the same for all {}s.", kind.part));
    }
    if let Some(workspace) = &outcome.description.workspace {
        screen.line("");
        screen.heading("Reach, by geometry alone");
        let mut table = Table::new("ll");
        let (lowest, highest) = (human(workspace.lowest, 4), human(workspace.highest, 4));
        table.row(["on the axis".to_owned(), format!("z = {lowest} … {highest} m")]);
        table.row(["centre pose".to_owned(), format!("z = {} m, halfway", human(workspace.center[2], 4))]);
        table.row(["disc at the centre's height".to_owned(), format!("radius {} m", human(workspace.radius, 4))]);
        screen.table(&table);
    }
    screen.line("");
    screen.heading("At its home pose");
    let position = outcome.home.position.map(|x| human(x, 5)).join(", ");
    screen.line(format!("  at x, y, z = {position} m"));
    screen.table(&outcome.home_table());
    screen.line("");
    screen.heading("Models");
    screen.table(&outcome.models_table());
    screen.line("");
    if outcome.warnings.is_empty() {
        screen.line("No warnings.");
        return;
    }
    screen.heading("Warnings");
    for warning in &outcome.warnings {
        screen.line(format!("  {warning}"));
    }
}
