//! `bench`: inertia, drives and friction by simple measurements, with tolerances.

use crate::arguments::numbers::{not_negative, number};
use crate::failure::Failure;
use crate::output::{Screen, human};
use clap::{Args, Subcommand};
use dalembert::identify::numerics::IdentifyError;
use dalembert::identify::numerics::bench::{Toleranced, TwoWires, break_away, stiffness_step, torsion};
use dalembert::robot::file::Dimension;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
A reading is a number with its unit and, after ±, +- or a colon, its tolerance: `17.4 ± 0.18`, `17.4:1%`. Tolerances are combined \
by root of squares, as Armstrong, Khatib and Burdick (1986) do.

Examples:
  dalembert bench two-wire --mass 17.4:1% --radius 0.25:0.001 --length 0.9:0.002 --period 1.33:0.004 --amplitude '20 deg'
  dalembert bench torsion --stiffness 120:2% --period 0.7:0.005 --arm 0.35 --decay 1.8
  dalembert bench torsion --stiffness 120,260 --period 0.69:0.005,0.47:0.005
  dalembert bench breakaway --forward 6.0,6.4,6.2 --backward=-5.0,-5.2,-4.8")]
pub struct BenchArguments {
    #[command(subcommand)]
    action: BenchAction,
}

#[derive(Subcommand)]
enum BenchAction {
    /// Inertia of a body that swings on two wires, Armstrong et al. (11)
    TwoWire {
        /// Mass, kg
        #[arg(long, value_name = "MASS")]
        mass: String,
        /// From each wire to the axis halfway between them, m
        #[arg(long, value_name = "LENGTH")]
        radius: String,
        /// Of the wires, m
        #[arg(long, value_name = "LENGTH")]
        length: String,
        /// Of one oscillation, s
        #[arg(long, value_name = "TIME")]
        period: String,
        /// Largest angle of the swing
        #[arg(long, value_name = "ANGLE", default_value = "0")]
        amplitude: String,
        /// Acceleration of gravity, m/s²
        #[arg(long, value_name = "G", default_value = "9.81")]
        gravity: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Inertia and damping of a drive from a spring that its controller makes, with one stiffness or a step of it
    Torsion {
        /// Stiffness, N m/rad; two of them, separated by a comma: a step
        #[arg(long, value_name = "K")]
        stiffness: String,
        /// Of one oscillation, s; one for each stiffness
        #[arg(long, value_name = "TIME")]
        period: String,
        /// Inertia of the arm about the joint in that pose, kg m²
        #[arg(long, value_name = "INERTIA", default_value = "0")]
        arm: String,
        /// One peak over the next on the same side
        #[arg(long, value_name = "RATIO")]
        decay: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Static friction from the torques at which a resting joint begins to move
    Breakaway {
        /// Torques forward, N m
        #[arg(long, value_name = "T1,T2,..", allow_hyphen_values = true)]
        forward: String,
        /// Torques backward, N m; usually negative
        #[arg(long, value_name = "T1,T2,..", allow_hyphen_values = true)]
        backward: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `17.4 kg ± 0.18 kg`, `17.4:1%`.
fn reading(option: &str, text: &str, dimension: Dimension) -> Result<Toleranced, Failure> {
    let parts = ["±", "+-", ":"].iter().find_map(|sign| text.split_once(sign));
    let (value, tolerance) = parts.unwrap_or((text, "0"));
    let value = number(option, value, dimension)?;
    let tolerance = match tolerance.trim().strip_suffix('%') {
        Some(percent) => 0.01 * not_negative(option, percent, Dimension::Ratio)? * value.abs(),
        None => not_negative(option, tolerance, dimension)?,
    };
    Ok(Toleranced::new(value, tolerance))
}

fn refused(error: IdentifyError) -> Failure {
    Failure::new(error.to_string())
}

fn as_json(reading: Toleranced) -> Value {
    json!({ "value": reading.value, "tolerance": reading.tolerance })
}

fn line(screen: &mut Screen, what: &str, reading: Toleranced, unit: &str) {
    let share = 100.0 * reading.tolerance / reading.value.abs();
    screen.line(format!(
        "  {what}: {} ± {} {unit} ({} %)",
        human(reading.value, 5),
        human(reading.tolerance, 2),
        human(share, 2)
    ));
}

pub fn run(arguments: &BenchArguments, screen: &mut Screen) -> Result<(), Failure> {
    match &arguments.action {
        BenchAction::TwoWire { mass, radius, length, period, amplitude, gravity, json } => {
            let wires = TwoWires {
                mass: reading("mass", mass, Dimension::Mass)?,
                radius: reading("radius", radius, Dimension::Length)?,
                length: reading("length", length, Dimension::Length)?,
                period: reading("period", period, Dimension::Time)?,
                amplitude: not_negative("amplitude", amplitude, Dimension::Angle)?,
                gravity: number("gravity", gravity, Dimension::Acceleration)?,
            };
            let found = wires.inertia().map_err(refused)?;
            if *json {
                screen.json(&json!({ "inertia": as_json(found.inertia), "with_amplitude": as_json(found.corrected) }));
            } else {
                screen.heading("Two wires");
                line(screen, "inertia for small angles, m g r²/(ω² l)", found.inertia, "kg m²");
                line(screen, "inertia with the angle of the swing", found.corrected, "kg m²");
            }
        }
        BenchAction::Torsion { stiffness, period, arm, decay, json } => {
            let list = |option: &str, text: &str, dimension| {
                text.split(',').map(|part| reading(option, part, dimension)).collect::<Result<Vec<_>, _>>()
            };
            let stiffness = list("stiffness", stiffness, Dimension::RotationalStiffness)?;
            let period = list("period", period, Dimension::Time)?;
            match (stiffness.as_slice(), period.as_slice()) {
                ([stiffness], [period]) => {
                    let decay = decay.as_ref().map(|text| reading("decay", text, Dimension::Ratio)).transpose()?;
                    let arm = reading("arm", arm, Dimension::Inertia)?;
                    let found = torsion(*stiffness, *period, arm, decay).map_err(refused)?;
                    if *json {
                        screen.json(&json!({
                            "total": as_json(found.total), "drive": as_json(found.drive),
                            "damping": found.damping.map(as_json),
                        }));
                    } else {
                        screen.heading("Torsional spring");
                        line(screen, "all that turns", found.total, "kg m²");
                        line(screen, "motor and drive", found.drive, "kg m²");
                        if let Some(damping) = found.damping {
                            line(screen, "damping", damping, "N m s/rad");
                        }
                    }
                }
                (&[a, b], &[s, t]) => {
                    let total = stiffness_step([a, b], [s, t]).map_err(refused)?;
                    let arm = reading("arm", arm, Dimension::Inertia)?;
                    let tolerance = total.tolerance.hypot(arm.tolerance);
                    let drive = Toleranced::new(total.value - arm.value, tolerance);
                    if *json {
                        screen.json(&json!({ "total": as_json(total), "drive": as_json(drive), "damping": null }));
                    } else {
                        screen.heading("Torsional spring, two stiffnesses");
                        line(screen, "all that turns", total, "kg m²");
                        line(screen, "motor and drive", drive, "kg m²");
                    }
                }
                (k, t) => {
                    return Err(Failure::new(format!("{} stiffnesses and {} periods are given", k.len(), t.len()))
                        .hint("give one of each, or two of each for a step of the stiffness"));
                }
            }
        }
        BenchAction::Breakaway { forward, backward, json } => {
            let list = |option, text| crate::arguments::numbers::numbers(option, text, |_| Dimension::Torque);
            let found = break_away(&list("forward", forward)?, &list("backward", backward)?).map_err(refused)?;
            if *json {
                screen.json(&json!({
                    "friction": as_json(found.friction), "holding": as_json(found.holding), "scatter": found.scatter,
                }));
            } else {
                screen.heading("Break-away");
                line(screen, "static friction", found.friction, "N m");
                line(screen, "what holds the joint (gravity, offset)", found.holding, "N m");
                screen.line(format!("  a single reading scatters by {} N m", human(found.scatter, 2)));
            }
        }
    }
    Ok(())
}
