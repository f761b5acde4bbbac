//! `excite`: the optimal excitation trajectory.

use crate::prelude::*;
use dalembert::identify::excite::{ComparedMotion, ExciteCriterion, ExciteOptions, MotionBasis, Nearest};
use dalembert::motion::to_gcode;
use dalembert::robot::ToolTurns;
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
    #[arg(long, default_value = "fourier", value_parser = shape())]
    shape: MotionBasis,
    /// Optimality criterion
    #[arg(long, default_value = "determinant", value_parser = criterion())]
    criterion: ExciteCriterion,
    /// Smallest distance between parts of the robot
    ///
    /// Parts are the lines of its drawing (arms, rods, edges, links), without thickness. Parts that are nearer at home count as neighbours.
    #[arg(long, value_name = "LENGTH")]
    clearance: Option<String>,
    /// Period after which the motion is repeated  [default: it is not]
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

fn shape() -> impl TypedValueParser<Value = MotionBasis> {
    let spline = "A spline of degree five on even knots: its jerk is continuous but at rest, where it starts and ends";
    one_of([
        (MotionBasis::Fourier, "fourier", "A Fourier series of a common period"),
        (MotionBasis::Spline, "spline", spline),
    ])
}

fn criterion() -> impl TypedValueParser<Value = ExciteCriterion> {
    let determinant = "det(YᵀΣ⁻¹Y), large: small standard deviations on the whole";
    let condition = "The condition number of Y, its columns of length 1, small: no combination is determined much worse than others";
    one_of([
        (ExciteCriterion::Determinant, "determinant", determinant),
        (ExciteCriterion::Condition, "condition", condition),
    ])
}

impl ExciteArguments {
    fn request(&self) -> Result<ExciteRequest, Failure> {
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
            clearance: optional(positive, "clearance", &self.clearance, Dimension::Length)?,
            harmonics: self.harmonics as usize,
            duration: positive("duration", &self.duration, Dimension::Time)?,
            period: optional(positive, "period", &self.period, Dimension::Time)?,
            share: share("share", &self.share)?,
            speed: positive("max-speed", &self.max_speed, Dimension::AngularSpeed)?,
            reach: positive("reach", &self.reach, Dimension::Angle)?,
            noise: share("noise", &self.noise)?,
            random: self.random as usize,
            steps: self.steps as usize,
            seed: self.seed,
            ..ExciteOptions::default()
        };
        Ok(ExciteRequest { options, ..ExciteRequest::new(robot) })
    }
}

pub fn run(arguments: &ExciteArguments, screen: &mut Screen) -> Result<(), Failure> {
    let request = arguments.request()?;
    let rate = positive("rate", &arguments.rate, Dimension::Frequency)?;
    let mut files = Files::open("motion", &arguments.out)?.and("G-code", &arguments.gcode)?;
    let outcome = excite(&request, &mut Progress::start("searching a trajectory"))?;
    files.write("motion", |sink| sink.csv(&outcome.recording(rate)?))?;
    let what = format!("{}: excitation, {} s", outcome.robot.name, human(outcome.found.period, 4));
    let point = format!("{} centre", outcome.robot.kind().moved);
    files.write("G-code", |sink| match outcome.tool_motion()? {
        Some(motion) => sink.text(&to_gcode(&motion, 1.0 / rate, &what, &point)),
        None => Ok(()),
    })?;
    files.show(screen, &outcome, arguments.json, Names::Hidden, |screen| as_text(&outcome, screen))
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
    let (found, count) = (&outcome.found, outcome.found.expected.len());
    let times = if found.repeated == 1 { String::new() } else { format!(", {} times", found.repeated) };
    let period = human(found.period, 4);
    screen.heading(format!("{}: excitation trajectory of {period} s{times}", outcome.robot.name));
    screen.line(format!("  {count} base parameters, condition number {}.", human(found.condition, 3)));
    let numbers = |motion: &ComparedMotion| (human(motion.gain, 3), human(motion.condition, 3));
    let ((gain, condition), random) = (numbers(&found.best_random), found.random_motions);
    let best = format!("the best of {random} random motions (condition number {condition})");
    screen.line(format!("  det(YᵀΣ⁻¹Y)^(1/{count}) is {gain} times that of {best}."));
    if let Some(usual) = &found.usual {
        let ((gain, condition), name) = (numbers(usual), &usual.name);
        screen.line(match usual.told < count {
            true => format!("  In the same time, {name} identifies {} of them.", usual.told),
            false => format!("  It is {gain} times that of {name} in the same time (condition number {condition})."),
        });
    }
    if let Some(nearest) = &found.nearest {
        screen.line(format!("  {}", apart(nearest)));
    }
    screen.table(&outcome.table());
}
