//! `ops`: what an evaluation costs, beside what the papers say of theirs.

use crate::arguments::OpsPlan;
use crate::failure::Failure;
use crate::output::Screen;
use crate::progress::Progress;
use dalembert::verbs::ops;

pub fn run(plan: &OpsPlan, screen: &mut Screen) -> Result<(), Failure> {
    let outcome = ops(&plan.request, &mut Progress::start("counting and measuring"))?;
    if plan.json {
        return screen.outcome(&outcome);
    }
    screen.heading(format!("{}: what an evaluation costs", outcome.robot));
    if outcome.is_timed() && outcome.debug_build {
        screen.line("  This is a debug build: its times mean nothing. Use `cargo run --release -- ops …`.");
    }
    for (title, table) in outcome.tables() {
        screen.line("");
        screen.heading(title);
        screen.table(&table);
    }
    outcome.do_not_apply.iter().for_each(|reason| screen.line(format!("  {reason}")));
    for (paper, table) in outcome.paper_tables() {
        screen.line("");
        screen.heading(paper.title);
        screen.table(&table);
        paper.notes.iter().for_each(|note| screen.line(format!("  {note}")));
    }
    Ok(())
}
