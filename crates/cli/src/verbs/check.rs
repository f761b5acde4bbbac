//! `check`: what a robot file says, and what follows from it.

use crate::prelude::*;
use dalembert::verbs::{CheckOutcome, CheckRequest, check};

#[derive(Args)]
#[command(after_help = "\
Examples:
  dalembert check my-robot.toml
  dalembert check d3-1200 --json | jq .workspace
  dalembert check hexa --plot hexa.svg                       a drawing
  dalembert check d3-1200 --set forearm.mass=0.5 --set payload.mass=2kg      with other values")]
pub struct CheckArguments {
    #[command(flatten)]
    with_payload: CarryingArguments,
    /// Draw the robot at its home pose: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &CheckArguments, screen: &mut Screen) -> Result<(), Failure> {
    let CarryingArguments { robot, payload } = &arguments.with_payload;
    let name = robot.robot.clone();
    let robot = with_payload(robot.quietly()?, payload)?;
    let warnings = robot.warnings.clone();
    // What is odd in the file may be why its home pose is none.
    let outcome = check(&CheckRequest { robot }, &mut ()).inspect_err(|_| say_warnings(&name, &warnings))?;
    let mut files = Files::open("plot", &arguments.plot)?;
    files.write("plot", |sink| sink.picture(&outcome.picture()))?;
    files.show(screen, &outcome, arguments.json, Names::Hidden, |screen| as_text(&outcome, screen))
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
    let (table, alike) = outcome.parameters();
    screen.section("As read, in SI", &table);
    if alike {
        screen.line(format!("  One value: the same for all {}s.", kind.part));
    }
    if let Some(workspace) = &outcome.description.workspace {
        let (lowest, highest) = (human(workspace.lowest, 4), human(workspace.highest, 4));
        let reach = [
            ("on the axis", format!("z = {lowest} … {highest} m")),
            ("centre pose", format!("z = {} m, {}", human(workspace.center[2], 4), outcome.center_is())),
            ("disc at the centre's height", format!("radius {} m", human(workspace.radius, 4))),
        ];
        screen.section("Reach, by geometry alone", &Table::list(reach));
    }
    screen.title("At its home pose");
    let position = outcome.home.position.map(|x| human(x, 5)).join(", ");
    screen.line(format!("  at x, y, z = {position} m"));
    screen.table(&outcome.home_table());
    screen.section("Models", &outcome.models_table());
    outcome.other_models().iter().for_each(|line| screen.line(format!("  {line}")));
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
