//! `sensitivity`: what the torque of a state owes to each number of the robot file.

use super::given::{Given, PointArguments};
use super::list;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use crate::progress::Progress;
use clap::Args;
use dalembert::Vec3;
use dalembert::analyze::sensitivity::{
    ArmTorque, DeltaTorque, FirstOrder, Sampled, Sensitivity, TorqueOfParameters, first_order, monte_carlo,
    sensitivities,
};
use dalembert::describe::Dimension;
use dalembert::record::number;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
A Delta keeps its platform motion while a number changes, a serial arm its joint motion. Tolerances: those of the file \
(serial arms), or --tolerance of every number; propagated to first order (combined by root of squares, and everything at \
its worst) and by Monte Carlo (even within the tolerance, all independent).
A serial arm without rates: 1 rad/s and 1 rad/s² at every joint.

Examples:
  dalembert sensitivity d3-1200 --position 0.1,0,-0.85 --acceleration 0,0,50
  dalembert sensitivity d3-1200 --per-arm --csv sensitivity.csv
  dalembert sensitivity puma560 --joints 0,-0.8,0.5,0,0.7,0 --samples 100000 --json")]
pub struct SensitivityArguments {
    #[command(flatten)]
    point: PointArguments,
    /// Every arm's numbers for themselves, instead of all three alike (Delta)
    #[arg(long)]
    per_arm: bool,
    /// Tolerance of every number, in percent of it  [default: the file's; 1 where it has none]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Samples of the Monte Carlo run; 0: none
    #[arg(long, value_name = "N", default_value = "20000", value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    samples: u64,
    /// Seed of the Monte Carlo run: the same numbers again
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Write all derivatives as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct Analysed {
    name: String,
    all: Vec<Sensitivity>,
    widths: Vec<f64>,
    first: FirstOrder,
    sampled: Option<Sampled>,
    nominal: Vec<f64>,
}

fn analyse(
    arguments: &SensitivityArguments,
    name: &str,
    torque: &impl TorqueOfParameters,
    known: &[f64],
) -> Result<Analysed, Failure> {
    let all = sensitivities(torque);
    let percent = match &arguments.tolerance {
        Some(text) => Some(list("tolerance", text, Dimension::Ratio, 1)?[0]),
        None if known.iter().all(|width| *width == 0.0) => Some(1.0),
        None => None,
    };
    let widths: Vec<f64> = match percent {
        Some(percent) if !(percent >= 0.0 && percent.is_finite()) => {
            return Err(Failure::new("--tolerance must be zero or positive"));
        }
        // Gravity is known.
        Some(percent) => {
            all.iter()
                .map(|s| {
                    if s.parameter.name.starts_with("gravity") {
                        0.0
                    } else {
                        s.parameter.value.abs() * percent / 100.0
                    }
                })
                .collect()
        }
        None => known.to_vec(),
    };
    let first = first_order(&all, &widths);
    let progress = Progress::start("sampling");
    let sampled = (arguments.samples > 0).then(|| monte_carlo(torque, &widths, arguments.samples, arguments.seed));
    progress.end();
    let nominal = torque.torque(&vec![0.0; all.len()]);
    Ok(Analysed { name: name.to_owned(), all, widths, first, sampled, nominal })
}

pub fn run(arguments: &SensitivityArguments, screen: &mut Screen) -> Result<(), Failure> {
    let csv = arguments.csv.as_deref().map(Sink::new).transpose()?;
    let given = arguments.point.plan(1.0)?;
    let result = match &given {
        Given::Serial { robot, states } => {
            let s = &states[0];
            let torque = ArmTorque::new(robot, &s.q, &s.qd, &s.qdd).map_err(|error| Failure::new(error.to_string()))?;
            analyse(arguments, given.name(), &torque, torque.tolerances())?
        }
        Given::Delta { robot, states } => {
            let moving = states[0].moving(robot)?;
            let torque = DeltaTorque::new(&moving, states[0].acceleration, Vec3::zero(), arguments.per_arm);
            analyse(arguments, given.name(), &torque, &vec![0.0; torque.parameters().len()])?
        }
    };
    if let Some(mut sink) = csv {
        sink.text(&as_csv(&result))?;
        sink.finish()?;
    }
    if arguments.csv.as_deref() == Some("-") {
        return Ok(());
    }
    if arguments.json {
        screen.json(&as_json(arguments, &result));
    } else {
        as_text(&result, arguments, screen);
    }
    Ok(())
}

fn as_csv(result: &Analysed) -> String {
    let joints = result.nominal.len();
    let mut text =
        format!("parameter,unit,value,tolerance{}\n", (1..=joints).map(|i| format!(",dtau{i}")).collect::<String>());
    for (s, width) in result.all.iter().zip(&result.widths) {
        let numbers: String = s.torque.iter().map(|t| format!(",{}", number(*t))).collect();
        text += &format!(
            "{},{},{},{}{numbers}\n",
            s.parameter.name,
            s.parameter.unit,
            number(s.parameter.value),
            number(*width)
        );
    }
    text
}

fn as_json(arguments: &SensitivityArguments, result: &Analysed) -> Value {
    let parameters: Vec<Value> = result
        .all
        .iter()
        .zip(&result.widths)
        .map(|(s, width)| {
            json!({
                "name": s.parameter.name, "unit": s.parameter.unit, "value": s.parameter.value, "tolerance": width,
                "torque_derivative": s.torque,
            })
        })
        .collect();
    json!({
        "robot": result.name, "torque": result.nominal, "parameters": parameters,
        "first_order": { "combined": result.first.combined, "worst": result.first.worst },
        "monte_carlo": result.sampled.as_ref().map(|s| json!({
            "samples": arguments.samples, "seed": arguments.seed, "mean": s.mean, "standard_deviation": s.deviation,
            "range": s.range, "failed": s.failed,
        })),
    })
}

fn as_text(result: &Analysed, arguments: &SensitivityArguments, screen: &mut Screen) {
    const SHOWN: usize = 20;
    let joints = result.nominal.len();
    screen.heading(format!("{}: torque of one state and what it owes to each number", result.name));
    screen.line("");
    let labels: Vec<String> = (1..=joints).map(|i| format!("tau{i}")).collect();
    let mut order: Vec<usize> = (0..result.all.len()).collect();
    let effect = |k: usize| result.all[k].torque.iter().fold(0.0_f64, |m, t| m.max((t * result.widths[k]).abs()));
    order.sort_by(|&i, &j| effect(j).total_cmp(&effect(i)));
    let mut table = Table::new(&format!("lrrl{}", "r".repeat(joints)));
    table.head(["changed by its tolerance", "value", "±", ""].into_iter().chain(labels.iter().map(String::as_str)));
    let shown: Vec<usize> = order.into_iter().filter(|&k| effect(k) > 0.0).collect();
    for &k in shown.iter().take(SHOWN) {
        let p = &result.all[k].parameter;
        let cells = result.all[k].torque.iter().map(|t| human(t * result.widths[k], 3));
        let head = [p.name.clone(), human(p.value, 4), human(result.widths[k], 3), p.unit.to_owned()];
        table.row(head.into_iter().chain(cells));
    }
    screen.table(&table);
    if shown.len() > SHOWN {
        screen.line(format!("  … and {} more: --csv has them all", shown.len() - SHOWN));
    }
    screen.line("");
    screen.heading("All together, N m");
    let mut table = Table::new(&format!("l{}", "r".repeat(joints)));
    table.head(std::iter::once("").chain(labels.iter().map(String::as_str)));
    let mut row = |name: &str, values: &[f64]| {
        table.row(std::iter::once(name.to_owned()).chain(values.iter().map(|x| human(*x, 4))));
    };
    row("torque", &result.nominal);
    row("± combined, first order", &result.first.combined);
    row("± worst case, first order", &result.first.worst);
    if let Some(sampled) = &result.sampled {
        let scaled: Vec<f64> = result.first.combined.iter().map(|x| x / 3f64.sqrt()).collect();
        row("standard deviation, first order", &scaled);
        row("standard deviation, sampled", &sampled.deviation);
        row("least sampled", &sampled.range.iter().map(|r| r[0]).collect::<Vec<_>>());
        row("largest sampled", &sampled.range.iter().map(|r| r[1]).collect::<Vec<_>>());
    }
    screen.table(&table);
    if let Some(sampled) = &result.sampled {
        screen.line(format!("  {} samples, seed {}", arguments.samples, arguments.seed));
        if sampled.failed > 0 {
            screen.line(format!("  {} samples cannot be at this state and do not count", sampled.failed));
        }
    }
    if let Some(name) = &arguments.csv {
        screen.line("");
        screen.line(format!("derivatives: {name}"));
    }
}
