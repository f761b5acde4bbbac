//! `poles`: poles, zeros, and how well each is reached and seen.

use super::linearize::{ModelArguments, poles_json, show};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use clap::Args;
use dalembert::analyze::linear::RANK;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
Reached and seen: least singular value of [A - s, B] and [A - s; C] over the largest of [A, B] and [A; C]; below 1e-9 no \
input moves the mode, no output shows it.

Examples:
  dalembert poles d3-1200 --joints 0                     the platform falls away
  dalembert poles d3-1200 --joints '45 deg' --damping 0.3
  dalembert poles d3-1200 --joints '45 deg' --formulation baumgarte --constraint-poles=-4,-6
  dalembert poles puma560 --json")]
pub struct PolesArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &PolesArguments, screen: &mut Screen) -> Result<(), Failure> {
    let (model, name, _) = arguments.model.linearized()?;
    let system = &model.system;
    let bad = |error: dalembert::analyze::linear::LinearError| Failure::new(format!("{name}: {error}"));
    let (modes, zeros) = (system.modes().map_err(bad)?, system.zeros().map_err(bad)?);
    let kalman = system.kalman();
    if arguments.json {
        let modes: Vec<Value> = modes
            .iter()
            .map(|m| {
                json!({ "pole": [m.pole.re, m.pole.im], "controllability": m.controllability, "observability": m.observability })
            })
            .collect();
        let [both, reached, seen, neither] = kalman.dimensions;
        screen.json(&json!({
            "robot": name, "states": system.order(), "modes": modes, "zeros": poles_json(&zeros),
            "kalman": { "controllable_observable": both, "controllable_only": reached, "observable_only": seen, "neither": neither },
        }));
        return Ok(());
    }
    screen.heading(format!("{name}: poles"));
    let mut table = Table::new("lrrlll");
    table.head(["pole, 1/s", "rad/s", "damping ratio", "", "reached", "seen"]);
    let largest = modes.iter().map(|mode| mode.pole.norm()).fold(0.0, f64::max);
    for mode in modes.iter().filter(|mode| mode.pole.im >= 0.0) {
        let size = mode.pole.norm();
        // A double pole at zero is known to half the digits only.
        let oscillates = mode.pole.im > 1e-7 * largest;
        let what = match mode.pole.re {
            re if re.abs() <= 1e-7 * largest && oscillates => "oscillates",
            re if re.abs() <= 1e-7 * largest => "stays",
            re if re > 0.0 => "grows",
            _ if oscillates => "oscillates, decays",
            _ => "decays",
        };
        let word = |value: f64| if value < RANK { String::from("no") } else { human(value, 2) };
        let pole = if oscillates {
            format!("{} ± {}j", human(mode.pole.re, 5), human(mode.pole.im, 5))
        } else {
            show(mode.pole)
        };
        let ratio = if oscillates { human(-mode.pole.re / size, 3) } else { String::new() };
        table.row([pole, human(size, 5), ratio, what.to_owned(), word(mode.controllability), word(mode.observability)]);
    }
    screen.table(&table);
    screen.line("");
    if zeros.is_empty() {
        screen.line("  no transmission zeros");
    } else {
        screen.line(format!("  transmission zeros: {}", zeros.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")));
    }
    let [both, reached, seen, neither] = kalman.dimensions;
    screen.line(format!(
        "  of {} states {both} are reached and seen, {reached} only reached, {seen} only seen, {neither} neither",
        system.order()
    ));
    Ok(())
}
