//! `compare`: the published models against the exact one over a motion.

use super::measure::{MappingArguments, PreprocessingArguments};
use super::source::SourceArguments;
use crate::prelude::*;
use dalembert::robot::file::quantity;
use dalembert::verbs::{CompareMotion, CompareOutcome, CompareRequest, CompareStroke, compare};

fn positive_length(text: &str) -> Result<f64, String> {
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
    #[arg(long, value_name = "M", value_parser = positive_length, allow_hyphen_values = true)]
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
    #[arg(long, value_parser = branch())]
    branch: Option<Branch>,
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

impl CompareArguments {
    /// What is asked of the library; a motion is planned, a log or table is read.
    fn request(&self, mut robot: Robot) -> Result<CompareRequest, Failure> {
        if self.logs.is_some() || self.states.is_some() || self.source.motion.is_some() {
            self.refuse_stroke_options("--motion, --states or a log")?;
        } else if robot.workspace().is_none() {
            self.refuse_stroke_options(&format!("a {}", robot.kind().title))?;
        }
        let pick = Pick { elbows: self.branch, ..Pick::default() };
        let payload = &self.with_payload.payload;
        let motion = if let Some(name) = &self.logs {
            CompareMotion::Log {
                delay: optional(number, "delay", &self.delay, Dimension::Time)?,
                log: self.mapping.plan(&robot.joints())?.read(name, &robot.joints())?,
                preprocessing: self.preprocessing.plan()?,
            }
        } else if let Some(states) =
            self.source.states(&robot, self.states.as_deref(), &self.duration, payload, pick.clone())?
        {
            robot = states.robot;
            CompareMotion::States { what: states.caption, states: states.rows }
        } else {
            let duration = optional(positive, "duration", &self.duration, Dimension::Time)?;
            let Self { width, height, z, samples, .. } = *self;
            CompareMotion::Own(CompareStroke { width, height, duration, z, samples })
        };
        Ok(CompareRequest { robot, motion, pick, bandwidth: self.bandwidth })
    }

    /// An option that the motion has no use for is a mistake.
    fn refuse_stroke_options(&self, why: &str) -> Result<(), Failure> {
        let without_duration = self.states.is_some() || self.logs.is_some();
        let duration = given!(self; duration).filter(|_| without_duration);
        match given!(self; width, height, z, samples).chain(duration).next() {
            Some(option) => Err(Failure::new(format!("--{option} does not go with {why}"))),
            None => Ok(()),
        }
    }
}

pub fn run(arguments: &CompareArguments, screen: &mut Screen) -> Result<(), Failure> {
    let report = arguments.report.as_deref().unwrap_or_default();
    if arguments.report.is_some() && !["html", "md"].contains(&ending(report).as_str()) {
        return Err(Failure::new(format!("cannot write a report to {report}"))
            .hint("give a name that ends in `.html` or `.md`"));
    }
    let robot = arguments.with_payload.find()?;
    let files = Files::open("motion and torques", &arguments.out)?.and("plot", &arguments.plot)?;
    let mut files = files.and("report", &arguments.report)?;
    let request = arguments.request(robot)?;
    let mut progress = Progress::start("running the models over the motion");
    let outcome = compare(&request, &mut progress)?;
    files.write("motion and torques", |sink| sink.text(&outcome.to_csv()))?;
    files.write("plot", |sink| sink.picture(&outcome.chart().draw()))?;
    let is_markdown = ending(report) == "md";
    files.write("report", |sink| sink.text(&if is_markdown { outcome.to_markdown() } else { outcome.to_html() }))?;
    drop(progress);
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| as_text(&outcome, screen))
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
    screen.line(format!("  {}", comparison.weights.weighing.text()));
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
    let cost = format!("What it costs, with feedback of {} Hz", human(outcome.bandwidth, 4));
    screen.section(cost, &outcome.cost_table());
    let mut refused = outcome.findings.iter().filter(|finding| finding.code == "model-does-not-apply").peekable();
    if refused.peek().is_some() {
        screen.title("Do not apply to this robot");
        refused.for_each(|finding| screen.line(format!("  {}", finding.message)));
    }
}
