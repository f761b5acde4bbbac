//! `ops`: what an evaluation costs, next to the figures of papers.

use crate::prelude::*;
use dalembert::verbs::{OpsRequest, ops};
use std::time::Duration;

#[derive(Args)]
#[command(after_help = "\
Counts: negation and multiplication by 0 or 1 are free, operations between constants too; everything else counts one, \
division and square root included; sine and cosine of one angle are a pair. Rates: one state at a time on this machine.

Examples:
  dalembert ops d3-1200
  dalembert ops d3-1200 --no-timing --json
  dalembert ops puma560                       with Armstrong's Tables 1–3; counts only")]
pub struct OpsArguments {
    #[command(flatten)]
    robot: CarryingArguments,
    /// Time spent on each measurement, ms
    #[arg(long, value_name = "MS", default_value = "50", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    milliseconds: u64,
    /// Count only
    #[arg(long, conflicts_with = "milliseconds")]
    no_timing: bool,
    /// Serial arms: do not search for the fewest operations
    #[arg(long)]
    quick: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &OpsArguments, screen: &mut Screen) -> Result<(), Failure> {
    let budget = Duration::from_millis(if arguments.no_timing { 0 } else { arguments.milliseconds });
    let request = OpsRequest { robot: arguments.robot.find()?, budget, quick: arguments.quick };
    let outcome = ops(&request, &mut Progress::start("counting and measuring"))?;
    if arguments.json {
        return screen.outcome(&outcome);
    }
    screen.heading(format!("{}: what an evaluation costs", outcome.robot));
    if outcome.is_timed() && outcome.debug_build {
        screen.line("  This is a debug build: its times mean nothing. Use `cargo run --release -- ops …`.");
    }
    outcome.tables().iter().for_each(|(title, table)| screen.section(title, table));
    outcome.do_not_apply.iter().for_each(|reason| screen.line(format!("  {reason}")));
    for (paper, table) in outcome.paper_tables() {
        screen.section(paper.title, &table);
        paper.notes.iter().for_each(|note| screen.line(format!("  {note}")));
    }
    Ok(())
}
