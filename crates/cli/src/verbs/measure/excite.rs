//! `excite`: a motion that tells most of a robot's parameters.

use crate::arguments::CarryingArguments;
use crate::arguments::numbers::positive;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use dalembert::identify::Parameterization;
use dalembert::identify::excite::{
    ComparedMotion, Excitation, ExciteCriterion, ExciteOptions, MotionBasis, Nearest, excite,
};
use dalembert::motion::to_gcode;
use dalembert::report::recording::Recording;
use dalembert::robot::file::Dimension;
use dalembert::robot::{Pick, Robot, ToolTurns};
use dalembert::spatial::Wrench;
use serde_json::json;

#[derive(Args)]
#[command(after_help = "\
Every joint moves as a Fourier series or as a spline, starts and ends at rest, and stays within the ranges, speeds, torques, ball \
angles and workspace of the robot file; with --clearance the robot's own parts stay apart too. Among such motions the one is \
searched for that tells the base parameters best: det(YᵀΣ⁻¹Y)^(1/p), the information per parameter, is largest (D-optimal), or the \
condition number of Y is smallest. It is compared with the best of 1,000 random motions of the same kind and with the robot's \
pick-and-place cycle. The table has the σ of each parameter that is to be expected, before anything is measured.

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
    output: Option<String>,
    /// Write the motion of the tool as G-code, for robots whose tool does not turn
    #[arg(long, value_name = "FILE")]
    gcode: Option<String>,
    /// How long it goes on
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    duration: String,
    /// How joints move
    #[arg(long, value_enum, default_value = "fourier")]
    shape: ShapeChoice,
    /// What makes a motion good
    #[arg(long, value_enum, default_value = "determinant")]
    criterion: CriterionChoice,
    /// How near the robot's own parts may come to each other: the lines of its drawing (arms, rods, edges, links), without thickness. Parts that are nearer at
    /// home count as neighbours
    #[arg(long, value_name = "LENGTH")]
    clearance: Option<String>,
    /// After which the motion is repeated  [default: as tells most: the whole time, or the half, fourth or eighth of it]
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// Harmonics of each joint; a spline has as many coefficients, 2 N − 2
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(3..=20))]
    harmonics: u64,
    /// Share of every limit that is used
    #[arg(long, value_name = "SHARE", default_value = "0.95")]
    share: String,
    /// Speed of joints whose file has no limit, rad/s (m/s)
    #[arg(long, value_name = "SPEED", default_value = "2")]
    max_speed: String,
    /// To either side of the home position, of joints whose file has no range, rad (m)
    #[arg(long, value_name = "REACH", default_value = "1")]
    reach: String,
    /// Noise of the torques, as a share of the largest torque of each joint along the motion
    #[arg(long, value_name = "SHARE", default_value = "0.01")]
    noise: String,
    /// Random motions that are tried first, and compared with
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    random: u64,
    /// Steps uphill from the best of them
    #[arg(long, value_name = "N", default_value = "160", value_parser = clap::value_parser!(u64).range(4..=100_000))]
    steps: u64,
    /// Seed of the search: the same motion again
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Samples per second of the CSV file, and lines per second of the G-code
    #[arg(long, value_name = "HZ", default_value = "500")]
    rate: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeChoice {
    /// A Fourier series of a common period
    Fourier,
    /// A spline of degree five on even knots: its jerk is continuous but at rest, where it starts and ends
    Spline,
}

#[derive(Clone, Copy, ValueEnum)]
enum CriterionChoice {
    /// det(YᵀΣ⁻¹Y) is large: parameters are told well on the whole
    Determinant,
    /// The condition number of Y, its columns of length 1, is small: no combination is told much worse than others
    Condition,
}

/// `excite`, ready to run.
pub struct ExcitePlan {
    robot: Robot,
    output: Option<String>,
    gcode: Option<String>,
    options: ExciteOptions,
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
        Ok(ExcitePlan {
            options: ExciteOptions {
                shape: match self.shape {
                    ShapeChoice::Fourier => MotionBasis::Fourier,
                    ShapeChoice::Spline => MotionBasis::Spline,
                },
                criterion: match self.criterion {
                    CriterionChoice::Determinant => ExciteCriterion::Determinant,
                    CriterionChoice::Condition => ExciteCriterion::Condition,
                },
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
            },
            robot,
            output: self.output,
            gcode: self.gcode,
            rate: positive("rate", &self.rate, Dimension::Frequency)?,
            json: self.json,
        })
    }
}

fn recording(plan: &ExcitePlan, found: &Excitation) -> Result<Recording, Failure> {
    let joints = plan.robot.joints();
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", plan.robot.name));
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    for stem in ["q", "qd", "qdd", "tau"] {
        for (i, joint) in joints.iter().enumerate() {
            let units = joint.kind.units();
            let unit = match stem {
                "q" => units.position,
                "qd" => units.speed,
                "qdd" => units.acceleration,
                _ => units.torque,
            };
            columns.push((format!("{stem}{}", i + 1), unit, String::new()));
        }
    }
    let mut all = Recording::new(columns).map_err(|error| failed(&error))?;
    let exact = plan.robot.model("exact").map_err(|error| failed(&error))?;
    let duration = found.motion.period * found.repeated as f64;
    let rows = (duration * plan.rate).round();
    if !(1.0..=1e7).contains(&rows) {
        return Err(Failure::new(format!("{rows} rows are too many or too few")).hint("give another --rate"));
    }
    for k in 0..=rows as usize {
        let t = duration * k as f64 / rows;
        let joints = found.motion.at(t);
        let state = plan.robot.at_joints(&joints, &Pick::default()).map_err(|error| failed(&error))?;
        let torque = exact.torque(&state, Wrench::zero());
        let row: Vec<f64> = [t]
            .into_iter()
            .chain(joints.q.iter().chain(joints.qd.iter()).chain(joints.qdd.iter()).chain(torque.iter()).copied())
            .collect();
        all.push(&row).map_err(|error| failed(&error))?;
    }
    Ok(all)
}

pub fn run(plan: &ExcitePlan, screen: &mut Screen) -> Result<(), Failure> {
    let mut output = plan.output.as_deref().map(Sink::new).transpose()?;
    let mut gcode = plan.gcode.as_deref().map(Sink::new).transpose()?;
    let progress = Progress::start("searching a motion");
    // Stribeck's part is not linear in its speed: it is left to the log.
    let parameterization = Parameterization { stribeck: false, ..Parameterization::default() };
    let found =
        excite(&plan.robot, &parameterization, &plan.options, &|share| progress.share("searching a motion", share))
            .map_err(|error| Failure::new(format!("{}: {error}", plan.robot.name)))?;
    progress.end();
    if let (Some(sink), Some(name)) = (&mut output, &plan.output) {
        recording(plan, &found)?
            .write_csv(sink)
            .map_err(|error| Failure::io(&format!("cannot write {name}"), error))?;
    }
    if let (Some(sink), Some(motion)) = (&mut gcode, found.motion.of_tool(&plan.robot)) {
        let what = format!("{}: excitation, {} s", plan.robot.name, human(found.motion.period, 4));
        let motion = motion.repeated(found.repeated).map_err(|error| Failure::new(error.to_string()))?;
        sink.text(&to_gcode(&motion, 1.0 / plan.rate, &what, &format!("{} centre", plan.robot.kind().moved)))?;
    }
    for sink in [output, gcode].into_iter().flatten() {
        sink.finish()?;
    }
    if [&plan.output, &plan.gcode].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    match plan.json {
        true => screen.json(&as_json(plan, &found)),
        false => as_text(plan, &found, screen),
    }
    Ok(())
}

fn as_json(plan: &ExcitePlan, found: &Excitation) -> serde_json::Value {
    let expected =
        found.expected.iter().map(|e| json!({ "name": e.name, "unit": e.unit, "value": e.value, "sigma": e.sigma }));
    let compared = |other: &ComparedMotion| {
        json!({
            "name": other.name, "gain": other.gain, "condition": other.condition, "told": other.told, "sigma": other.sigma,
        })
    };
    json!({
        "robot": plan.robot.name, "shape": found.motion.shape.as_str(), "criterion": plan.options.criterion.as_str(), "period": found.motion.period, "repeated": found.repeated, "random_motions": found.random,
        "condition": found.condition, "gain": found.best_random.gain, "best_random": compared(&found.best_random),
        "usual": found.usual.as_ref().map(compared), "expected": expected.collect::<Vec<_>>(),
        "start": found.motion.start, "coefficients": found.motion.coefficients,
        "nearest": found.nearest.as_ref().map(|nearest| json!({
            "distance": nearest.distance, "time": nearest.time, "parts": nearest.parts, "pairs": nearest.pairs,
            "neighbours": nearest.neighbours,
        })),
    })
}

fn apart(nearest: &Nearest) -> String {
    let Nearest { distance, time, parts: [a, b], pairs, neighbours } = nearest;
    let counted = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    let neighbours = format!("{} of parts are nearer at home and are not looked at", counted(*neighbours, "pair"));
    match pairs {
        0 => "It has no two parts that could come near to each other.".to_owned(),
        _ => format!(
            "Of {} of its own parts, {a} and {b} come nearest: {} m at {} s; {neighbours}.",
            counted(*pairs, "pair"),
            human(*distance, 3),
            human(*time, 3),
        ),
    }
}

fn as_text(plan: &ExcitePlan, found: &Excitation, screen: &mut Screen) {
    let count = found.expected.len();
    let times = if found.repeated == 1 { String::new() } else { format!(", {} times", found.repeated) };
    screen.heading(format!("{}: a motion of {} s{times}", plan.robot.name, human(found.motion.period, 4)));
    screen.line(format!("  It tells {count} base parameters, condition {}.", human(found.condition, 3)));
    screen.line(format!(
        "  det(YᵀΣ⁻¹Y)^(1/{count}) is {} times that of the best of {} random motions (condition {}).",
        human(found.best_random.gain, 3),
        found.random,
        human(found.best_random.condition, 3),
    ));
    if let Some(usual) = &found.usual {
        screen.line(match usual.told < count {
            true => format!("  For as long, {} tells {} of them.", usual.name, usual.told),
            false => format!(
                "  It is {} times that of {} for as long (condition {}).",
                human(usual.gain, 3),
                usual.name,
                human(usual.condition, 3),
            ),
        });
    }
    if let Some(nearest) = &found.nearest {
        screen.line(format!("  {}", apart(nearest)));
    }
    let mut table = Table::new("lrrrrl");
    table.head(["base parameter of", "robot file", "expected σ", "random", "usual", "unit"]);
    for (k, e) in found.expected.iter().enumerate() {
        let of = |other: Option<&ComparedMotion>| {
            other.and_then(|other| other.sigma[k]).map_or("–".to_owned(), |sigma| human(sigma, 2))
        };
        table.row([
            e.name.clone(),
            human(e.value, 4),
            human(e.sigma, 2),
            of(Some(&found.best_random)),
            of(found.usual.as_ref()),
            e.unit.to_owned(),
        ]);
    }
    screen.table(&table);
}
