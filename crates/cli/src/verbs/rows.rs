//! `ik`, `fk`, `torque`, `accel`, `mass`: one state per row, in and out.

use crate::arguments::{RowPlan, TablePlan, name_of};
use crate::failure::{Failure, say};
use crate::output::{Sink, cannot_write};
use crate::progress::Progress;
use dalembert::verbs::{Finding, FindingValue, Observer, RowsOutcome, VerbError, rows};
use std::io::{self, Read, Write};
use std::path::Path;

/// What to do about an input that cannot be read.
const INPUT_HINT: &str = "TABLE is the path of a CSV file; without it, standard input is read";

pub fn run(plan: &RowPlan) -> Result<(), Failure> {
    let has_column = plan.request.evaluation.limits_column;
    over_table(&plan.table, plan.verbose, has_column, |input, output, observer| {
        rows(&plan.request, input, output, observer)
    })
}

/// Reads the input, writes the output, all or nothing or row by row as they come, and reports the result.
pub fn over_table(
    plan: &TablePlan,
    verbose: bool,
    has_limits: bool,
    verb: impl FnOnce(Box<dyn Read + Send>, &mut (dyn Write + Send), &mut dyn Observer) -> Result<RowsOutcome, VerbError>,
) -> Result<(), Failure> {
    let name = name_of(&plan.input);
    let input =
        open_table(&plan.input).map_err(|error| Failure::io(&format!("cannot read {name}"), error).hint(INPUT_HINT))?;
    let mut sink = if plan.stream { Sink::streaming() } else { Sink::new(&plan.output)? };
    let mut watch = Watch { progress: Progress::start("rows"), verbose };
    let outcome = verb(input, &mut sink, &mut watch).map_err(|error| {
        let source = error.source.as_ref().and_then(|source| source.downcast_ref());
        match (error.code.as_ref(), source) {
            ("cannot-write", Some(source)) => cannot_write(&plan.output, source),
            ("cannot-read", _) => Failure::from(error).hint(INPUT_HINT),
            ("field-not-finite", _) => {
                Failure::from(error).hint("leave such rows out of the table, or let `--skip-bad` do it")
            }
            _ => explained(error),
        }
    })?;
    watch.progress.end();
    sink.finish()?;
    outcome.findings.iter().for_each(|finding| tell(finding, has_limits));
    Ok(())
}

/// What is shown while rows are computed.
struct Watch {
    progress: Progress,
    verbose: bool,
}

impl Observer for Watch {
    fn progress(&mut self, share: f64, stage: &str) {
        self.progress.share(stage, share);
    }

    fn found(&mut self, finding: &Finding) {
        match finding.code.as_ref() {
            "row-skipped" => self.progress.beside(|| say(&format!("skipped: {}", finding.message))),
            _ if self.verbose => self.progress.beside(|| say(&finding.message)),
            _ => {}
        }
    }
}

/// What was skipped, and which limits were exceeded.
fn tell(finding: &Finding, has_limits: bool) {
    if finding.code != "limits-exceeded" {
        return say(&finding.message);
    }
    let where_else = if has_limits { "the column `limits` names them" } else { "`--limits` adds a column" };
    let help = match finding.values.get("likely_mistake") {
        Some(FindingValue::Text(text)) => format!("\n  help: {text}"),
        _ => String::new(),
    };
    say(&format!("warning: {} ({where_else}){help}", finding.message));
}

/// An error of a table, with what the options of the command can do about it.
pub fn explained(error: VerbError) -> Failure {
    let option = match error.code.as_ref() {
        "bad-columns" => return Failure::from(error).at("--columns"),
        "no-programs" => return Failure::from(error).at("--by programs"),
        "model-does-not-apply" => "`dalembert check ROBOT` lists the models that apply",
        "only-exact" => "leave out `--model`",
        "no-such-columns" => "leave out `--details`, `--breakdown`, `--tensions` and `--lambda`",
        "already-tool" => "leave out `--tool`",
        "no-tool-space" => "leave out `--space`",
        "text-in-parquet" => "write CSV, or leave out `--limits`",
        "joints-disagree" => {
            "`--branch in` if the elbows point inward, `--from joints` if the joint columns are right; else remove the columns q1, qd1, …"
        }
        "tool-disagrees" => "`--assembly above` if the platform is above the elbows; else remove the Cartesian columns",
        "singular" => {
            return Failure::from(error).hint("`ik --details` shows how far a pose of a Delta is from being singular");
        }
        "limit-violation" => "without `--enforce-limits` a limit that is exceeded is only a warning",
        _ => return error.into(),
    };
    let hint: Vec<&str> = error.hint.as_deref().into_iter().chain([option]).collect();
    let hint = hint.join("; ");
    Failure::from(error).hint(hint)
}

/// The text of a table: from a file by its ending, or CSV from standard input.
pub fn open_table(name: &str) -> io::Result<Box<dyn Read + Send>> {
    if name == "-" { Ok(Box::new(io::stdin())) } else { dalembert::report::open_table(Path::new(name)) }
}
