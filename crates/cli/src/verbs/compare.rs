//! `compare`: the published models against the exact one over a motion.

use super::measure::{MappingArguments, MappingPlan, PreprocessingArguments};
use super::source::SourceArguments;
use crate::arguments::numbers::{number, positive};
use crate::arguments::{BranchChoice, CarryingArguments, length};
use crate::failure::Failure;
use crate::output::{Screen, Sink, human};
use crate::progress::Progress;
use clap::Args;
use dalembert::delta::Branch;
use dalembert::identify::Preprocessing;
use dalembert::robot::file::{Dimension, quantity};
use dalembert::robot::{Pick, Robot};
use dalembert::verbs::{
    CompareModel, CompareMotion, CompareOutcome, CompareRequest, CompareStroke, VerbError, compare,
};

fn extent(text: &str) -> Result<f64, String> {
    length(text).and_then(|value| if value > 0.0 { Ok(value) } else { Err("it must be positive".to_owned()) })
}

fn rise(text: &str) -> Result<f64, String> {
    length(text).and_then(|value| if value >= 0.0 { Ok(value) } else { Err("it must be zero or positive".to_owned()) })
}

fn frequency(text: &str) -> Result<f64, String> {
    let value = quantity(text, Dimension::Frequency).map_err(|error| error.to_string())?;
    if value > 0.0 { Ok(value) } else { Err("it must be positive".to_owned()) }
}

#[derive(Args)]
#[command(after_help = "\
Without --motion and --states a Delta moves back and forth along x, then along y: a quintic over an arch, at rest at both \
ends. An arm moves once through a part of its joint ranges in 1 s. Differences are model - exact; \
Tables 3-5 of Falezza et al. 2022 have measured - model (`dalembert paper falezza`). Serial arms: Armstrong's models and the derived program against \
Newton-Euler, for arms like the PUMA 560.

With a log, CSV, Parquet, .mat, .npy or .npz, every model is compared with the measured torques (Falezza's Tables 3-5). Its \
columns are found, and it is smoothed, as in `identify`.

Examples:
  dalembert compare d3-1200
  dalembert compare identified.toml run.csv               the models against measured torques
  dalembert compare d3-1200 --z -0.85 --out models.csv --plot models.svg
  dalembert compare robot.toml --width 0.5 --duration 0.25 --json
  dalembert compare d3-1200 --report models.html          torque and tracking error of each model
  dalembert compare robot.toml --motion pick-and-place-1kg --profile time-optimal --report models.html
  dalembert compare robot.toml --states motion.csv --bandwidth 10 --json
  dalembert compare puma560 --plot models.svg")]
pub struct CompareArguments {
    #[command(flatten)]
    with_payload: CarryingArguments,
    /// Log with times, joint positions and measured torques
    #[arg(value_name = "LOG", conflicts_with_all = ["states", "motion"])]
    logs: Option<String>,
    /// Compare over the states of a CSV file as `torque` reads it
    ///
    /// `-` is standard input
    #[arg(long, value_name = "FILE")]
    states: Option<String>,
    #[command(flatten)]
    source: SourceArguments,
    /// Length of a stroke, m  [default: 0.3]
    #[arg(long, value_name = "M", value_parser = extent, allow_hyphen_values = true)]
    width: Option<f64>,
    /// Height of the arch, m  [default: 0.025]
    #[arg(long, value_name = "M", value_parser = rise, allow_hyphen_values = true)]
    height: Option<f64>,
    /// Time of one stroke, s  [default: 1/6; of a --motion as short as the robot can]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Height of the ends of the stroke, m  [default: the centre of the workspace]
    #[arg(long, value_name = "M", value_parser = length, allow_hyphen_values = true)]
    z: Option<f64>,
    /// Samples per stroke  [default: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=250_000))]
    samples: Option<u32>,
    /// Elbow branch (Delta)  [default: out]
    #[arg(long)]
    branch: Option<BranchChoice>,
    /// Write the motion and all torques as CSV
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write a plot: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Write a report with torque and tracking errors of each model: .html or .md
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// Feedback bandwidth assumed for tracking errors, Hz
    #[arg(long, value_name = "HZ", default_value = "20", value_parser = frequency, allow_hyphen_values = true)]
    bandwidth: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Delay of the torque against the motion  [default: the smallest residual of the exact model]
    #[arg(long, value_name = "TIME", requires = "logs", allow_hyphen_values = true)]
    delay: Option<String>,
    // Last, since their headings are for everything that follows.
    #[command(flatten)]
    preprocessing: PreprocessingArguments,
    #[command(flatten)]
    mapping: MappingArguments,
}

/// `compare`, ready to run but for the states of its motion.
struct ComparePlan {
    /// With its payload.
    robot: Robot,
    payload: Option<String>,
    states: Option<String>,
    log: Option<(String, MappingPlan, Preprocessing, Option<f64>)>,
    source: SourceArguments,
    stroke: CompareStroke,
    /// As it was typed.
    duration: Option<String>,
    pick: Pick,
    pub out: Option<String>,
    plot: Option<String>,
    report: Option<String>,
    bandwidth: f64,
    json: bool,
}

impl ComparePlan {
    /// What is asked of the library; a motion is planned, a log or table is read.
    fn request(&mut self) -> Result<CompareRequest, Failure> {
        if self.log.is_some() || self.states.is_some() || self.source.motion.is_some() {
            self.refuse_stroke_options("--motion, --states or a log")?;
        } else if self.robot.workspace().is_none() {
            self.refuse_stroke_options(&format!("a {}", self.robot.kind().title))?;
        }
        let (mut robot, pick, duration) = (self.robot.clone(), self.pick.clone(), self.duration.as_deref());
        let motion = match self.log.take() {
            Some((name, mapping, preprocessing, delay)) => {
                CompareMotion::Log { log: mapping.read(&name, &robot.joints())?, preprocessing, delay }
            }
            None => {
                let payload = self.payload.as_deref();
                match self.source.states(&robot, self.states.as_deref(), duration, payload, pick.clone())? {
                    Some(states) => {
                        robot = states.robot;
                        CompareMotion::States { what: states.caption, states: states.rows }
                    }
                    None => {
                        let duration = duration.map(|text| positive("duration", text, Dimension::Time)).transpose()?;
                        CompareMotion::Own(CompareStroke { duration, ..self.stroke })
                    }
                }
            }
        };
        Ok(CompareRequest { robot, motion, pick, bandwidth: self.bandwidth })
    }

    /// An option that the motion has no use for is a mistake.
    fn refuse_stroke_options(&self, why: &str) -> Result<(), Failure> {
        let without_duration = self.states.is_some() || self.log.is_some();
        let given = [
            (self.stroke.width.is_some(), "--width"),
            (self.stroke.height.is_some(), "--height"),
            (self.stroke.z.is_some(), "--z"),
            (self.stroke.samples.is_some(), "--samples"),
            (without_duration && self.duration.is_some(), "--duration"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(Failure::new(format!("{option} does not go with {why}"))),
            None => Ok(()),
        }
    }
}

impl CompareArguments {
    fn plan(self) -> Result<ComparePlan, Failure> {
        if let Some(report) = &self.report
            && ![".html", ".md"].iter().any(|ending| report.to_ascii_lowercase().ends_with(ending))
        {
            return Err(Failure::new(format!("cannot write a report to {report}"))
                .hint("give a name that ends in `.html` or `.md`"));
        }
        let robot = self.with_payload.find()?;
        let log = match self.logs {
            Some(name) => {
                let delay = self.delay.map(|text| number("delay", &text, Dimension::Time)).transpose()?;
                Some((name, self.mapping.plan(&robot.joints())?, self.preprocessing.plan()?, delay))
            }
            None => None,
        };
        let stroke =
            CompareStroke { width: self.width, height: self.height, duration: None, z: self.z, samples: self.samples };
        Ok(ComparePlan {
            robot,
            log,
            payload: self.with_payload.payload,
            states: self.states,
            source: self.source,
            stroke,
            duration: self.duration,
            pick: Pick { elbows: self.branch.map(Branch::from), ..Pick::default() },
            out: self.out,
            plot: self.plot,
            report: self.report,
            bandwidth: self.bandwidth,
            json: self.json,
        })
    }
}

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
