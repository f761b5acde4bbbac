//! `sensitivity`: sensitivity of the torque of a state or a motion to each parameter.

use super::given::PointArguments;
use crate::prelude::*;
use crate::verbs::source::SourceArguments;
use dalembert::verbs::sensitivity::{JointNumbers, SensitivityOutcome, SensitivityRequest, sensitivity};
use dalembert::verbs::states::MotionStates;

#[derive(Args)]
#[command(after_help = "\
While a parameter changes, a Delta keeps its platform motion and a serial arm its joint motion. Parameters that the file derives \
from others (static friction, centre of mass and inertia of uniform rods) change with them. \
Tolerances: those of the file (serial arms), or --tolerance and --angle-tolerance; propagated to first order (root sum of squares, \
and worst case) and by Monte Carlo (uniform and independent). \
Gravity, gear ratios, smoothing velocities and directions have none.
Default rates of a serial arm: 1 rad/s and 1 rad/s² at every joint.

Examples:
  dalembert sensitivity d3-1200 --position 0.1,0,-0.85 --acceleration 0,0,50
  dalembert sensitivity d3-1200 --motion pick-and-place --plot tolerances.svg
  dalembert sensitivity robot.toml motion.csv --per-arm --angle-tolerance '0.2 deg' --out sensitivity.csv
  dalembert sensitivity puma560 --joints 0,-0.8,0.5,0,0.7,0 --samples 100000 --json
  dalembert sensitivity puma560 --motion line:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0 --duration 1")]
pub struct SensitivityArguments {
    #[command(flatten)]
    point: PointArguments,
    #[command(flatten)]
    source: SourceArguments,
    /// Time of each stroke of the motion, s  [default: as short as the robot can]
    #[arg(long, value_name = "TIME", requires = "motion", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Parameters of each arm separately, not of all three together (Delta)
    #[arg(long)]
    per_arm: bool,
    /// Tolerance of lengths, masses, inertias and friction, %  [default: the file's; 1 if it has none]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Tolerance of every angle, rad or with unit  [default: none]
    #[arg(long, value_name = "ANGLE", allow_hyphen_values = true)]
    angle_tolerance: Option<String>,
    /// Samples of the Monte Carlo run  [default: 20000, over a motion 1000]
    ///
    /// 0: none
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    samples: Option<u64>,
    /// Seed of the Monte Carlo run
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Write all derivatives as CSV
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Draw the largest contributions as bars: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl SensitivityArguments {
    fn request(&self) -> Result<SensitivityRequest, Failure> {
        let point = &self.point;
        let is_motion = self.source.motion.is_some() || point.file().is_some();
        if is_motion && point.is_state() {
            return Err(Failure::new("a state and a motion are given: which one?")
                .hint("leave out --joints, --position and their rates, or --motion"));
        }
        if self.source.motion.is_some() && point.file().is_some() {
            return Err(Failure::new("a table and a motion are given: which one?").hint("leave out TABLE, or --motion"));
        }
        let of_motion = || {
            let payload = &point.changes.payload;
            self.source.states(&point.found()?, point.file(), &self.duration, payload, Pick::default())
        };
        let (robot, motion, states) = match if is_motion { of_motion()? } else { None } {
            Some(MotionStates { robot, caption, rows }) => (robot, Some(caption), rows),
            None => point.plan(1.0).map(|(robot, states)| (robot, None, states))?,
        };
        Ok(SensitivityRequest {
            robot,
            states,
            motion,
            per_arm: self.per_arm,
            tolerance: optional(number, "tolerance", &self.tolerance, Dimension::Ratio)?,
            angle_tolerance: optional(not_negative, "angle-tolerance", &self.angle_tolerance, Dimension::Angle)?
                .unwrap_or(0.0),
            samples: self.samples,
            seed: self.seed,
        })
    }
}

pub fn run(arguments: &SensitivityArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut files = Files::open("derivatives", &arguments.out)?.and("plot", &arguments.plot)?;
    let request = arguments.request()?;
    let outcome = sensitivity(&request, &mut Progress::start("differentiating and sampling"))?;
    files.write("derivatives", |sink| sink.text(&outcome.to_csv()))?;
    files.write("plot", |sink| sink.picture(&outcome.chart().draw()))?;
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| as_text(&outcome, screen))
}

fn as_text(outcome: &SensitivityOutcome, screen: &mut Screen) {
    const SHOWN: usize = 20;
    let (units, joints) = (&outcome.units, outcome.units.len());
    match &outcome.motion {
        None => screen.heading(format!("{}: sensitivity of the torque of one state to each parameter", outcome.robot)),
        Some(what) => {
            screen.heading(format!("{}: sensitivity of the torques of a motion to each parameter", outcome.robot));
            screen.line(format!("  {what}; {} states; {}", outcome.states, outcome.weighing));
        }
    }
    outcome.findings.iter().for_each(|finding| screen.line(format!("  {}", finding.message)));
    screen.line("");
    let same = units.iter().all(|unit| *unit == units[0]);
    let label = |i: usize| if same { format!("tau{}", i + 1) } else { format!("tau{}, {}", i + 1, units[i]) };
    let labels: Vec<String> = (0..joints).map(label).collect();
    let ranked = outcome.ranked();
    let most = ranked.first().map_or(0.0, |parameter| parameter.effect);
    // What is only rounding is nothing.
    let shown = |x: f64| human(if x.abs() < 1e-12 * most { 0.0 } else { x }, 3);
    let moving = outcome.motion.is_some();
    let first = if moving { "changed by its tolerance: RMS" } else { "changed by its tolerance" };
    let head = [first, "value", "±", ""].into_iter().chain(labels.iter().map(String::as_str));
    let rows = ranked.iter().take(SHOWN).map(|p| {
        let values: Vec<f64> = match &p.torque_change {
            JointNumbers::Motion(change) => change.rms.iter().copied().chain([p.effect]).collect(),
            JointNumbers::State(change) => change.clone(),
        };
        let head = [p.name.clone(), human(p.value, 4), human(p.tolerance, 3), p.unit.to_owned()];
        head.into_iter().chain(values.into_iter().map(shown))
    });
    let columns = format!("lrrl{}", "r".repeat(joints + usize::from(moving)));
    screen.table(&Table::of(&columns, head.chain(moving.then_some("largest")), rows));
    if ranked.len() > SHOWN {
        screen.line(format!("  … and {} more: --out has them all", ranked.len() - SHOWN));
    }
    let head = [""].into_iter().chain(labels.iter().map(String::as_str));
    let rows = outcome.totals().into_iter();
    let rows = rows.map(|(name, values)| [name.to_owned()].into_iter().chain(values.into_iter().map(|x| human(x, 4))));
    let table = Table::of(&format!("l{}", "r".repeat(joints)), head, rows);
    screen.section(if same { format!("All together, {}", units[0]) } else { "All together".to_owned() }, &table);
    if let Some(sampled) = &outcome.monte_carlo {
        screen.line(format!("  {} samples, seed {}", sampled.samples, sampled.seed));
        if sampled.failed > 0 {
            let what = if moving { "do this motion" } else { "be at this state" };
            screen.line(format!("  {} samples cannot {what} and do not count", sampled.failed));
        }
    }
}
