//! `bench`: inertia, drives and friction by simple measurements, with tolerances.

use crate::prelude::*;
use clap::Subcommand;
use dalembert::identify::numerics::bench::{Toleranced, TwoWires};
use dalembert::verbs::bench::{BenchOutcome, BenchRequest, bench};

#[derive(Args)]
#[command(after_help = "\
A reading is a number with its unit and, after ±, +- or a colon, its tolerance: `17.4 ± 0.18`, `17.4:1%`. Tolerances are combined \
by root sum of squares, as Armstrong, Khatib and Burdick (1986) do.

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
    /// Inertia of a body that swings on two wires: Armstrong et al., equation 11
    TwoWire {
        /// Mass, kg
        #[arg(long, value_name = "MASS")]
        mass: String,
        /// Distance from each wire to the axis halfway between them, m
        #[arg(long, value_name = "LENGTH")]
        radius: String,
        /// Length of the wires, m
        #[arg(long, value_name = "LENGTH")]
        length: String,
        /// Period of oscillation, s
        #[arg(long, value_name = "TIME")]
        period: String,
        /// Amplitude of the swing
        #[arg(long, value_name = "ANGLE", default_value = "0")]
        amplitude: String,
        /// Acceleration of gravity, m/s²
        #[arg(long, value_name = "G", default_value = "9.81")]
        gravity: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Inertia and damping of a drive that its controller makes a spring, with one or two stiffnesses
    Torsion {
        /// Stiffness, N m/rad; two of them, separated by a comma: a step
        #[arg(long, value_name = "K")]
        stiffness: String,
        /// Period of oscillation, s; one for each stiffness
        #[arg(long, value_name = "TIME")]
        period: String,
        /// Inertia of the arm about the joint in that pose, kg m²
        #[arg(long, value_name = "INERTIA", default_value = "0")]
        arm: String,
        /// Ratio of successive peaks on the same side
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

impl BenchAction {
    fn request(&self) -> Result<BenchRequest, Failure> {
        Ok(match self {
            Self::TwoWire { mass, radius, length, period, amplitude, gravity, .. } => {
                BenchRequest::TwoWires(TwoWires {
                    mass: reading("mass", mass, Dimension::Mass)?,
                    radius: reading("radius", radius, Dimension::Length)?,
                    length: reading("length", length, Dimension::Length)?,
                    period: reading("period", period, Dimension::Time)?,
                    amplitude: not_negative("amplitude", amplitude, Dimension::Angle)?,
                    gravity: number("gravity", gravity, Dimension::Acceleration)?,
                })
            }
            Self::Torsion { stiffness, period, arm, decay, .. } => {
                let list = |option: &str, text: &str, dimension| {
                    text.split(',').map(|part| reading(option, part, dimension)).collect::<Result<Vec<_>, _>>()
                };
                BenchRequest::Torsion {
                    stiffness: list("stiffness", stiffness, Dimension::RotationalStiffness)?,
                    period: list("period", period, Dimension::Time)?,
                    arm: reading("arm", arm, Dimension::Inertia)?,
                    decay: decay.as_ref().map(|text| reading("decay", text, Dimension::Ratio)).transpose()?,
                }
            }
            Self::Breakaway { forward, backward, .. } => {
                let list = |option, text| numbers(option, text, |_| Dimension::Torque);
                BenchRequest::BreakAway { forward: list("forward", forward)?, backward: list("backward", backward)? }
            }
        })
    }
}

pub fn run(arguments: &BenchArguments, screen: &mut Screen) -> Result<(), Failure> {
    let request = arguments.action.request()?;
    let outcome = bench(&request, &mut ())?;
    let (BenchAction::TwoWire { json, .. } | BenchAction::Torsion { json, .. } | BenchAction::Breakaway { json, .. }) =
        &arguments.action;
    if *json {
        return screen.outcome(&outcome);
    }
    screen.heading(match &request {
        BenchRequest::TwoWires(_) => "Two wires",
        BenchRequest::Torsion { stiffness, .. } if stiffness.len() > 1 => "Torsional spring, two stiffnesses",
        BenchRequest::Torsion { .. } => "Torsional spring",
        BenchRequest::BreakAway { .. } => "Break-away",
    });
    for (_, what, found, unit) in outcome.results() {
        let [value, tolerance] = [human(found.value, 5), human(found.tolerance, 2)];
        screen.line(format!("  {what}: {value} ± {tolerance} {unit} ({} %)", human(100.0 * found.share(), 2)));
    }
    if let BenchOutcome::BreakAway(found) = outcome {
        screen.line(format!("  standard deviation of a single reading: {} N m", human(found.scatter, 2)));
    }
    Ok(())
}
