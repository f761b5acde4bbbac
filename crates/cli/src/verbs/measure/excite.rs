//! `excite`: the optimal excitation trajectory.

use super::{Choices, choice, finish};
use crate::arguments::CarryingArguments;
use crate::arguments::numbers::positive;
use crate::failure::Failure;
use crate::output::{Screen, Sink, human};
use crate::progress::Progress;
use clap::Args;
use dalembert::identify::excite::{ExciteCriterion, ExciteOptions, MotionBasis, Nearest};
use dalembert::motion::to_gcode;
use dalembert::robot::ToolTurns;
use dalembert::robot::file::Dimension;
use dalembert::verbs::excite::{ExciteOutcome, ExciteRequest, excite};

#[derive(Args)]
#[command(after_help = "\
Every joint moves as a Fourier series or as a spline, starts and ends at rest, and stays within the limits and the workspace of the \
robot file. With --clearance the motion is also free of self-collision. The optimal trajectory has the \
largest information per base parameter, det(YᵀΣ⁻¹Y)^(1/p) (D-optimal), or the smallest condition number of Y. It is compared with \
the best of 1,000 random motions of the same kind and with the robot's pick-and-place cycle. The table has the expected σ of each \
base parameter, before anything is measured.

Examples:
  dalembert excite puma560 -o excite.csv
  dalembert excite d3-1200 --duration 20 --share 0.8 -o excite.csv --gcode excite.ngc
  dalembert excite puma560 --shape spline --criterion condition --clearance '120 mm' -o excite.csv
  dalembert excite d3-1200 --json")]
pub struct ExciteArguments {
    #[command(flatten)]
    robot: CarryingArguments,
    /// Write the motion as CSV: t, q1.., qd1.., qdd1.., tau1..
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write the motion of the tool as G-code, for robots whose tool does not turn
    #[arg(long, value_name = "FILE")]
    gcode: Option<String>,
    /// Duration of all periods together
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    duration: String,
    /// Basis functions of the joint motion
    #[arg(long, value_parser = choice(SHAPES), default_value = "fourier")]
    shape: MotionBasis,
    /// Optimality criterion
    #[arg(long, value_parser = choice(CRITERIA), default_value = "determinant")]
    criterion: ExciteCriterion,
    /// Smallest distance between parts of the robot
    ///
    /// Parts are the lines of its drawing (arms, rods, edges, links), without thickness. Parts that are nearer at home count as neighbours.
    #[arg(long, value_name = "LENGTH")]
    clearance: Option<String>,
    /// Period of the motion  [default: the best of the whole, half, fourth and eighth of the duration]
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// Harmonics of each joint; a spline has as many coefficients, 2 N − 2
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(3..=20))]
    harmonics: u64,
    /// Fraction of the limits used for planning
    #[arg(long, value_name = "FRACTION", default_value = "0.95")]
    share: String,
    /// Maximum speed of joints without a limit in the file, rad/s (m/s)
    #[arg(long, value_name = "SPEED", default_value = "2")]
    max_speed: String,
    /// Range to either side of home, for joints without a range in the file, rad (m)
    #[arg(long, value_name = "REACH", default_value = "1")]
    reach: String,
    /// Noise of the torques, as a fraction of the largest torque of each joint along the motion
    #[arg(long, value_name = "FRACTION", default_value = "0.01")]
    noise: String,
    /// Random initial motions
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    random: u64,
    /// Gradient steps from the best random motion
    #[arg(long, value_name = "N", default_value = "160", value_parser = clap::value_parser!(u64).range(4..=100_000))]
    steps: u64,
    /// Seed of the search: the same seed gives the same motion
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Samples per second of the CSV file, and lines per second of the G-code
    #[arg(long, value_name = "HZ", default_value = "500")]
    rate: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const SHAPES: Choices<MotionBasis> = &[
    ("fourier", MotionBasis::Fourier, "A Fourier series of a common period"),
    (
        "spline",
        MotionBasis::Spline,
        "A spline of degree five on even knots: its jerk is continuous but at rest, where it starts and ends",
    ),
];
const CRITERIA: Choices<ExciteCriterion> = &[
    ("determinant", ExciteCriterion::Determinant, "det(YᵀΣ⁻¹Y), large: small standard deviations on the whole"),
    (
        "condition",
        ExciteCriterion::Condition,
        "The condition number of Y, its columns of length 1, small: no combination is determined much worse than others",
    ),
];

/// `excite`, ready to run.
pub struct ExcitePlan {
    request: ExciteRequest,
    out: Option<String>,
    gcode: Option<String>,
    rate: f64,
    json: bool,
}

impl ExciteArguments {
    pub fn plan(self) -> Result<ExcitePlan, Failure> {
        let share = |option: &str, text: &str| match positive(option, text, Dimension::Ratio)? {
            value if value <= 1.0 => Ok(value),
            value => Err(Failure::new(format!("--{option} is {value}, but must be at most 1"))),
        };
        let robot = self.robot.find()?;
        if self.gcode.is_some() && robot.kind().tool_turns != ToolTurns::No {
            return Err(Failure::new(format!("G-code moves a point, and the tool of {} turns too", robot.name))
                .hint("write the motion of its joints: -o excite.csv"));
        }
        let options = ExciteOptions {
            shape: self.shape,
            criterion: self.criterion,
            clearance: self.clearance.map(|text| positive("clearance", &text, Dimension::Length)).transpose()?,
            harmonics: self.harmonics as usize,
            duration: positive("duration", &self.duration, Dimension::Time)?,
            period: self.period.map(|text| positive("period", &text, Dimension::Time)).transpose()?,
            share: share("share", &self.share)?,
            speed: positive("max-speed", &self.max_speed, Dimension::AngularSpeed)?,
            reach: positive("reach", &self.reach, Dimension::Angle)?,
            noise: share("noise", &self.noise)?,
            random: self.random as usize,
            steps: self.steps as usize,
            seed: self.seed,
            ..ExciteOptions::default()
        };
        Ok(ExcitePlan {
            request: ExciteRequest { options, ..ExciteRequest::new(robot) },
            out: self.out,
            gcode: self.gcode,
            rate: positive("rate", &self.rate, Dimension::Frequency)?,
            json: self.json,
        })
    }
}

pub fn run(plan: &ExcitePlan, screen: &mut Screen) -> Result<(), Failure> {
    let mut output = plan.out.as_deref().map(Sink::new).transpose()?;
    let mut gcode = plan.gcode.as_deref().map(Sink::new).transpose()?;
    let mut progress = Progress::start("searching a trajectory");
    let outcome = excite(&plan.request, &mut progress)?;
    progress.end();
    if let (Some(sink), Some(name)) = (&mut output, &plan.out) {
        let recording =
            outcome.recording(plan.rate).map_err(|error| Failure::from(error).hint("give another --rate"))?;
        recording.write_csv(sink).map_err(|error| Failure::io(&format!("cannot write {name}"), error))?;
    }
    if let (Some(sink), Some(motion)) = (&mut gcode, outcome.tool_motion()?) {
        let robot = &outcome.robot;
        let what = format!("{}: excitation, {} s", robot.name, human(outcome.found.period, 4));
        sink.text(&to_gcode(&motion, 1.0 / plan.rate, &what, &format!("{} centre", robot.kind().moved)))?;
    }
    match finish([output, gcode], [&plan.out, &plan.gcode])? {
        true if plan.json => screen.outcome(&outcome)?,
        true => as_text(&outcome, screen),
        false => {}
    }
    Ok(())
}

fn apart(nearest: &Nearest) -> String {
    let Nearest { distance, time, parts: [a, b], pairs, neighbours } = nearest;
    let counted = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    match pairs {
        0 => "The robot has no two parts that could come near to each other.".to_owned(),
        _ => format!(
            "Smallest distance of {} of its own parts: {} m between {a} and {b} at {} s; {} of neighbours, nearer at home, are not checked.",
            counted(*pairs, "pair"),
            human(*distance, 3),
            human(*time, 3),
            counted(*neighbours, "pair"),
        ),
    }
}

fn as_text(outcome: &ExciteOutcome, screen: &mut Screen) {
    let found = &outcome.found;
    let count = found.expected.len();
    let times = if found.repeated == 1 { String::new() } else { format!(", {} times", found.repeated) };
    screen.heading(format!("{}: excitation trajectory of {} s{times}", outcome.robot.name, human(found.period, 4)));
    screen.line(format!("  {count} base parameters, condition number {}.", human(found.condition, 3)));
    screen.line(format!(
        "  det(YᵀΣ⁻¹Y)^(1/{count}) is {} times that of the best of {} random motions (condition number {}).",
        human(found.best_random.gain, 3),
        found.random_motions,
        human(found.best_random.condition, 3),
    ));
    if let Some(usual) = &found.usual {
        screen.line(match usual.told < count {
            true => format!("  In the same time, {} identifies {} of them.", usual.name, usual.told),
            false => format!(
                "  It is {} times that of {} in the same time (condition number {}).",
                human(usual.gain, 3),
                usual.name,
                human(usual.condition, 3),
            ),
        });
    }
    if let Some(nearest) = &found.nearest {
        screen.line(format!("  {}", apart(nearest)));
    }
    screen.table(&outcome.table());
}
