//! `sensitivity`: what the torque of a state or of a motion owes to each number of the robot file.

use super::given::{Given, PointArguments, TimedState};
use super::list;
use crate::arguments::numbers::not_negative;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human, require_finite};
use crate::progress::Progress;
use crate::verbs::source::SourceArguments;
use clap::Args;
use dalembert::analyze::sensitivity::{
    OverMotion, Parameter, ParameterTorque, Sampled, Size, monte_carlo, over_motion, sensitivities,
};
use dalembert::analyze::weights::Weights;
use dalembert::report::chart::BarChart;
use dalembert::report::text::number;
use dalembert::robot::file::Dimension;
use dalembert::robot::{Pick, Robot, ToolTurns};
use dalembert::verbs::states::MotionStates;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
A Delta keeps its platform motion while a number changes, a serial arm its joint motion. A number that the file leaves to \
follow from others (static friction from coulomb, the middle and the inertia of uniform rods) goes with them. \
Tolerances: those of the file (serial arms), or --tolerance and --angle-tolerance; propagated to first order (combined \
by root of squares, and everything at its worst) and by Monte Carlo (even within the tolerance, all independent). \
Gravity, gear ratios, smoothing velocities and directions have none.
A serial arm at a state without rates: 1 rad/s and 1 rad/s² at every joint.

Examples:
  dalembert sensitivity d3-1200 --position 0.1,0,-0.85 --acceleration 0,0,50
  dalembert sensitivity d3-1200 --motion pick-and-place --plot tolerances.svg
  dalembert sensitivity robot.toml --states motion.csv --per-arm --angle-tolerance '0.2 deg' --csv sensitivity.csv
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
    /// Every arm's numbers for themselves, instead of all three alike (Delta)
    #[arg(long)]
    per_arm: bool,
    /// Tolerance of lengths, masses, inertias and friction, in percent of them  [default: the file's tolerances; 1 where
    /// it has none at all]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Tolerance of every angle, rad or with unit  [default: none]
    #[arg(long, value_name = "ANGLE", allow_hyphen_values = true)]
    angle_tolerance: Option<String>,
    /// Samples of the Monte Carlo run; 0: none  [default: 20000, over a motion 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    samples: Option<u64>,
    /// Seed of the Monte Carlo run: the same numbers again
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Write all derivatives as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Draw the largest contributions as bars, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct Analysed {
    robot: String,
    /// Of a motion, in words.
    motion: Option<String>,
    weights: Weights,
    units: Vec<&'static str>,
    over: OverMotion,
    /// ∂τ/∂p with their signs, one row per parameter; of a single state only.
    signed: Vec<Vec<f64>>,
    nominal: Vec<f64>,
    sampled: Option<Sampled>,
    samples: u64,
}

impl Analysed {
    fn states(&self) -> usize {
        self.weights.shares().len()
    }
}

/// Half widths, one per parameter.
fn half_widths(arguments: &SensitivityArguments, torque: &dyn ParameterTorque) -> Result<Vec<f64>, Failure> {
    let percent = match &arguments.tolerance {
        Some(text) => Some(list("tolerance", text, Dimension::Ratio, 1)?[0]),
        None if torque.parameters().iter().all(|parameter| parameter.half_width == 0.0) => Some(1.0),
        None => None,
    };
    if let Some(percent) = percent
        && !(0.0..100.0).contains(&percent)
    {
        let problem = format!("--tolerance is {percent} %, but must be zero or positive and below 100");
        return Err(Failure::new(problem).hint("beyond that masses and lengths would be negative"));
    }
    let angle = arguments
        .angle_tolerance
        .as_deref()
        .map_or(Ok(0.0), |text| not_negative("angle-tolerance", text, Dimension::Angle))?;
    if angle >= std::f64::consts::FRAC_PI_2 {
        return Err(Failure::new("--angle-tolerance must be below 90 deg"));
    }
    let width = |parameter: &Parameter| match percent {
        Some(percent) => parameter.half_width(percent / 100.0, angle),
        None => parameter.half_width.max(parameter.half_width(0.0, angle)),
    };
    Ok(torque.parameters().iter().map(width).collect())
}

fn analyse(
    arguments: &SensitivityArguments,
    robot: String,
    motion: Option<(String, Vec<Option<f64>>)>,
    torque: &dyn ParameterTorque,
) -> Result<Analysed, Failure> {
    let (motion, times) = motion.map_or((None, vec![None]), |(what, times)| (Some(what), times));
    let weights = Weights::of(&times)
        .map_err(|error| Failure::new(format!("{robot}: {error}")).hint("without a column `t` all rows count alike"))?;
    let widths = half_widths(arguments, torque)?;
    let progress = Progress::start("differentiating and sampling");
    let units = torque.units();
    let nominal: Vec<f64> = torque.torque(&vec![0.0; widths.len()]);
    if let Some(k) = nominal.iter().position(|tau| !tau.is_finite()) {
        return Err(Failure::new(format!("state {} has no torque: {}", k / units.len() + 1, nominal[k])));
    }
    let over = over_motion(torque, &widths, &weights);
    let sizes = |size: &Size| size.rms.iter().chain(&size.maximum).copied().collect::<Vec<_>>();
    for contribution in &over.contributions {
        let name = format!("the effect of {}", contribution.parameter.name);
        require_finite(&robot, &name, sizes(&contribution.change()))?;
    }
    require_finite(
        &robot,
        "the effect of all tolerances",
        [&over.torque, &over.combined, &over.worst].map(sizes).concat(),
    )?;
    let signed = match motion {
        None => sensitivities(torque).into_iter().map(|s| s.torque).collect(),
        Some(_) => Vec::new(),
    };
    let samples = arguments.samples.unwrap_or(if motion.is_some() { 1000 } else { 20_000 });
    let sampled = (samples > 0).then(|| monte_carlo(torque, &widths, samples, arguments.seed));
    progress.end();
    Ok(Analysed { robot, motion, weights, units, over, signed, nominal, sampled, samples })
}

impl SensitivityArguments {
    /// A state of the command line, or many of a motion.
    fn result(&self) -> Result<Analysed, Failure> {
        let point = &self.point;
        if self.source.motion.is_none() && !point.is_motion() {
            return self.at_a_state();
        }
        if point.is_state() {
            return Err(Failure::new("a state and a motion are given: which one?")
                .hint("leave out --joints, --position and their rates, or --motion"));
        }
        let robot = point.found()?;
        let payload = point.changes().payload.as_deref();
        let duration = self.duration.as_deref();
        match self.source.states(&robot, point.file(), duration, payload, Pick::default())? {
            Some(MotionStates { robot, caption: what, rows }) => {
                let times = rows.iter().map(|row| row.time).collect();
                self.of(&robot, Some((what, times)), &rows)
            }
            None => self.at_a_state(),
        }
    }

    fn at_a_state(&self) -> Result<Analysed, Failure> {
        let Given { robot, states } = self.point.plan(1.0)?;
        self.of(&robot, None, &states)
    }

    fn of(
        &self,
        robot: &Robot,
        motion: Option<(String, Vec<Option<f64>>)>,
        rows: &[TimedState],
    ) -> Result<Analysed, Failure> {
        if self.per_arm && robot.kind().tool_turns == ToolTurns::Freely {
            self.refuse_per_arm()?;
        }
        let states: Vec<_> = rows.iter().map(|row| (row.state.clone(), row.wrench)).collect();
        let torque = robot.torque_of_parameters(&states, self.per_arm);
        let torque = torque.map_err(|error| Failure::new(error.to_string()))?;
        analyse(self, robot.name.clone(), motion, &*torque)
    }

    fn refuse_per_arm(&self) -> Result<(), Failure> {
        if self.per_arm {
            return Err(Failure::new(
                "`--per-arm` is for Delta robots: the links of a serial arm are told apart anyway",
            ));
        }
        Ok(())
    }

    fn outputs(&self) -> Result<[Option<Sink>; 2], Failure> {
        let csv = self.csv.as_deref().map(Sink::new).transpose()?;
        Ok([csv, self.plot.as_deref().map(Sink::for_picture).transpose()?])
    }
}

pub fn run(arguments: &SensitivityArguments, screen: &mut Screen) -> Result<(), Failure> {
    let [mut csv, mut plot] = arguments.outputs()?;
    let result = arguments.result()?;
    if let Some(sink) = &mut csv {
        sink.text(&as_csv(&result))?;
    }
    if let Some(sink) = &mut plot {
        sink.picture(&chart(&result).draw())?;
    }
    for sink in [csv, plot].into_iter().flatten() {
        sink.finish()?;
    }
    if [&arguments.csv, &arguments.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if arguments.json {
        screen.json(&as_json(arguments, &result));
    } else {
        as_text(&result, arguments, screen);
    }
    Ok(())
}

fn chart(result: &Analysed) -> BarChart {
    let title = format!("{}: what tolerances do to the torques", result.robot);
    let subtitle = match &result.motion {
        Some(what) => format!("{what}; {} states", result.states()),
        None => String::from("at one state"),
    };
    result.over.to_chart(title, subtitle, &result.units, result.motion.is_some())
}

fn as_csv(result: &Analysed) -> String {
    let columns =
        |stem: &str, end: &str| -> String { (1..=result.units.len()).map(|i| format!(",{stem}{i}{end}")).collect() };
    let mut text = String::from("parameter,unit,value,tolerance");
    if result.motion.is_some() {
        for (stem, end) in [("dtau", "_rms"), ("dtau", "_max"), ("change", "_rms"), ("change", "_max")] {
            text += &columns(stem, end);
        }
    } else {
        text += &columns("dtau", "");
    }
    text.push('\n');
    for (k, c) in result.over.contributions.iter().enumerate() {
        let change = c.change();
        let values: Vec<f64> = match &result.motion {
            Some(_) => [&c.slope.rms[..], &c.slope.maximum, &change.rms, &change.maximum].concat(),
            None => result.signed[k].clone(),
        };
        let numbers: String =
            [c.parameter.value, c.half_width].iter().chain(&values).map(|&x| format!(",{}", number(x))).collect();
        text += &format!("{},{}{numbers}\n", c.parameter.name, c.parameter.unit);
    }
    text
}

fn as_json(arguments: &SensitivityArguments, result: &Analysed) -> Value {
    let size = |size: &Size| json!({ "rms": size.rms, "max": size.maximum });
    let over = &result.over;
    let moving = result.motion.is_some();
    let parameter = |(k, c): (usize, &dalembert::analyze::sensitivity::Contribution)| {
        let (derivative, change) = if moving {
            (size(&c.slope), size(&c.change()))
        } else {
            let change: Vec<f64> = result.signed[k].iter().map(|t| t * c.half_width).collect();
            (json!(result.signed[k]), json!(change))
        };
        json!({
            "name": c.parameter.name, "unit": c.parameter.unit, "value": c.parameter.value, "tolerance": c.half_width,
            "torque_derivative": derivative, "torque_change": change,
        })
    };
    let parameters: Vec<Value> = over.contributions.iter().enumerate().map(parameter).collect();
    let (torque, combined, worst) = if moving {
        (size(&over.torque), size(&over.combined), size(&over.worst))
    } else {
        (json!(result.nominal), json!(over.combined.rms), json!(over.worst.rms))
    };
    let sampled = result.sampled.as_ref().map(|sampled| {
        let mut all = json!({ "samples": result.samples, "seed": arguments.seed, "failed": sampled.failed });
        if moving {
            let over = sampled.over(result.units.len(), &result.weights);
            all["standard_deviation"] = json!(over.as_ref().map(|(deviation, _)| size(deviation)));
            all["largest_difference"] = json!(over.map(|(_, largest)| largest));
        } else {
            let statistics = sampled.statistics.as_ref();
            all["mean"] = json!(statistics.map(|s| &s.mean));
            all["standard_deviation"] = json!(statistics.map(|s| &s.deviation));
            all["range"] = json!(statistics.map(|s| &s.range));
        }
        all
    });
    json!({
        "robot": result.robot, "motion": result.motion, "states": result.states(),
        "means_over": moving.then(|| result.weights.weighing().as_str()), "units": result.units,
        "torque": torque, "parameters": parameters,
        "first_order": { "combined": combined, "worst": worst },
        "monte_carlo": sampled,
    })
}

fn as_text(result: &Analysed, arguments: &SensitivityArguments, screen: &mut Screen) {
    const SHOWN: usize = 20;
    let joints = result.units.len();
    match &result.motion {
        None => screen.heading(format!("{}: torque of one state and what it owes to each number", result.robot)),
        Some(what) => {
            screen.heading(format!("{}: torques of a motion and what they owe to each number", result.robot));
            screen.line(format!("  {what}; {} states; {}", result.states(), result.weights.weighing().text()));
        }
    }
    screen.line("");
    let same = result.units.iter().all(|unit| *unit == result.units[0]);
    let label = |i: usize| if same { format!("tau{}", i + 1) } else { format!("tau{}, {}", i + 1, result.units[i]) };
    let labels: Vec<String> = (0..joints).map(label).collect();
    let all = &result.over.contributions;
    let effect = |k: usize| all[k].change().maximum.iter().fold(0.0_f64, |m, x| m.max(*x));
    let most = (0..all.len()).map(effect).fold(0.0, f64::max);
    // What is only rounding is nothing.
    let shown = |x: f64| human(if x.abs() < 1e-12 * most { 0.0 } else { x }, 3);
    let mut order: Vec<usize> = (0..all.len()).filter(|&k| effect(k) > 1e-12 * most).collect();
    order.sort_by(|&i, &j| effect(j).total_cmp(&effect(i)));
    let moving = result.motion.is_some();
    let mut table = Table::new(&format!("lrrl{}", "r".repeat(joints + usize::from(moving))));
    let first = if moving { "changed by its tolerance: RMS" } else { "changed by its tolerance" };
    let head = [first, "value", "±", ""].into_iter().chain(labels.iter().map(String::as_str));
    table.head(head.chain(moving.then_some("largest")));
    for &k in order.iter().take(SHOWN) {
        let (p, width) = (&all[k].parameter, all[k].half_width);
        let values: Vec<f64> = match moving {
            true => all[k].change().rms.into_iter().chain([effect(k)]).collect(),
            false => result.signed[k].iter().map(|t| t * width).collect(),
        };
        let head = [p.name.clone(), human(p.value, 4), human(width, 3), p.unit.to_owned()];
        table.row(head.into_iter().chain(values.into_iter().map(shown)));
    }
    screen.table(&table);
    if order.len() > SHOWN {
        screen.line(format!("  … and {} more: --csv has them all", order.len() - SHOWN));
    }
    screen.line("");
    screen.heading(if same { format!("All together, {}", result.units[0]) } else { "All together".to_owned() });
    let mut table = Table::new(&format!("l{}", "r".repeat(joints)));
    table.head(std::iter::once("").chain(labels.iter().map(String::as_str)));
    for (name, values) in together(result) {
        table.row(std::iter::once(name.to_owned()).chain(values.iter().map(|x| human(*x, 4))));
    }
    screen.table(&table);
    if let Some(sampled) = &result.sampled {
        screen.line(format!("  {} samples, seed {}", result.samples, arguments.seed));
        if sampled.failed > 0 {
            let what = if moving { "do this motion" } else { "be at this state" };
            screen.line(format!("  {} samples cannot {what} and do not count", sampled.failed));
        }
    }
    for (name, what) in [(&arguments.csv, "derivatives"), (&arguments.plot, "plot")] {
        if let Some(name) = name {
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }
}

/// The rows of the last table.
fn together(result: &Analysed) -> Vec<(&'static str, Vec<f64>)> {
    let OverMotion { torque, combined, worst, .. } = &result.over;
    let normal = combined.times(1.0 / 3f64.sqrt()).rms;
    let mut rows = Vec::new();
    if result.motion.is_none() {
        rows.push(("torque", result.nominal.clone()));
        rows.push(("± combined, first order", combined.rms.clone()));
        rows.push(("± worst case, first order", worst.rms.clone()));
        if let Some(statistics) = result.sampled.as_ref().and_then(|sampled| sampled.statistics.as_ref()) {
            rows.push(("standard deviation, first order", normal));
            rows.push(("standard deviation, sampled", statistics.deviation.clone()));
            rows.push(("least sampled", statistics.range.iter().map(|r| r[0]).collect()));
            rows.push(("largest sampled", statistics.range.iter().map(|r| r[1]).collect()));
        }
        return rows;
    }
    for (names, size) in [
        (["torque, RMS", "torque, largest"], torque),
        (["± combined, first order, RMS", "± combined, first order, largest"], combined),
        (["± worst case, first order, RMS", "± worst case, first order, largest"], worst),
    ] {
        rows.push((names[0], size.rms.clone()));
        rows.push((names[1], size.maximum.clone()));
    }
    if let Some((deviation, largest)) =
        result.sampled.as_ref().and_then(|sampled| sampled.over(result.units.len(), &result.weights))
    {
        rows.push(("standard deviation, first order, RMS", normal));
        rows.push(("standard deviation, sampled, RMS", deviation.rms));
        rows.push(("largest difference sampled", largest));
    }
    rows
}
