//! `explain`: one state, step by step.

use crate::arguments::ExplainPlan;
use crate::failure::{Failure, say};
use crate::output::Screen;
use dalembert::verbs::{Outcome, explain};

pub fn run(plan: &ExplainPlan, screen: &mut Screen) -> Result<(), Failure> {
    let outcome = explain(&plan.request, &mut ())?;
    outcome.findings().iter().for_each(|finding| say(&format!("warning: {}", finding.message)));
    if plan.json {
        return screen.outcome(&outcome);
    }
    screen.heading(format!("{}: one state, step by step", outcome.robot));
    outcome.explanation.sources.iter().for_each(|line| screen.line(format!("  {line}")));
    for (title, table) in outcome.tables() {
        screen.line("");
        screen.heading(title);
        screen.table(&table);
    }
    Ok(())
}
