//! `identify`: from logs to a robot file.

use super::{MappingArguments, PreprocessingArguments};
use crate::prelude::*;
use dalembert::identify::friction::FrictionCurve;
use dalembert::identify::{CoupledMotor, EstimatorOptions, FitMode, Folds, Parameterization, PriorWeight};
use dalembert::verbs::FindingValue;
use dalembert::verbs::identify::{Grade, IdentifyFinding, IdentifyOutcome, IdentifyRequest, identify, percent};

fn mode() -> impl TypedValueParser<Value = FitMode> {
    let gray = "Bodies as the file has them; rotors, friction, offsets and the payload are fitted: its mass where the file has one, else all of it";
    let factors = "Bodies as the file has them, each times a factor; rotors, friction, offsets and the payload's mass are fitted too";
    one_of([
        (FitMode::Full, "full", "Bodies, rotors, friction and offsets"),
        (FitMode::Gray, "gray", gray),
        (FitMode::Factors, "factors", factors),
        (FitMode::Friction, "friction", "Friction and offsets alone"),
        (FitMode::Payload, "payload", "The payload alone: mass, centre, inertia"),
    ])
}

/// Which shapes are tried besides viscous and Coulomb friction: Stribeck's, and tanh.
fn friction() -> impl TypedValueParser<Value = [bool; 2]> {
    let stribeck = "Viscous and Coulomb friction with a Stribeck term, which falls or rises with the speed";
    let tanh = "Viscous friction and Coulomb friction times tanh(q̇/v_0) with a fitted v_0";
    one_of([
        ([true, true], "auto", "Joint by joint the shape below with the smallest residual"),
        ([true, false], "stribeck", stribeck),
        ([false, true], "tanh", tanh),
        ([false, false], "linear", "Viscous and Coulomb friction"),
    ])
}

#[derive(Args)]
#[command(after_help = "\
Every fold of the data is predicted by a fit to the other folds (of several logs: every log by the others): the residual on this \
held-out data decides. The parameters are physically consistent, and near the robot file as far as that helps to predict held-out data. \
Columns are found by their names (t, q1.., tau1.., and many others), or by the options above. What it does, step by step, and a \
worked example: docs/identification.md. Exit code 0 whatever the verdict.

Examples:
  dalembert identify puma560 run.csv -o identified.toml --report identified.html
  dalembert identify arm.toml run1.csv run2.parquet --json
  dalembert identify arm.toml motors.csv --rate 5000 --position 'Joint_{}' --torque-file currents.csv --torque 'Joint_{}' \\
      --gear 32,32,45,-48,45,32 --offset '0,-90 deg,90 deg,0,0,0'
  dalembert identify arm.toml loaded.csv --mode gray --counterbalance 2
  dalembert identify arm.toml empty.csv --loaded loaded.csv -o loaded.toml
  dalembert identify identified.toml loaded.csv --mode payload -o loaded.toml")]
pub struct IdentifyArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Logs: CSV, Parquet, .mat, .npy or .npz with times, joint positions and torques
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<String>,
    /// Log with an unknown payload
    ///
    /// It is identified from the difference to the other logs. May be repeated
    #[arg(long, value_name = "LOG")]
    loaded: Vec<String>,
    /// Write the identified robot file
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write a page with charts and tables
    #[arg(long, value_name = "FILE.html")]
    report: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Parameters to fit
    #[arg(long, default_value = "full", value_parser = mode())]
    mode: FitMode,
    /// Friction model
    #[arg(long, default_value = "auto", value_parser = friction())]
    friction: [bool; 2],
    /// Weight of the robot file as prior: a number, `auto` (validated), `none` (least squares)
    #[arg(long, value_name = "WEIGHT", default_value = "auto")]
    prior: String,
    /// Delay of the torque against the motion, s  [default: estimated]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    delay: Option<String>,
    /// Reduce the weight of outliers (Huber)
    #[arg(long)]
    robust: bool,
    /// Equal weights for all joints (ordinary least squares), not by their residuals
    #[arg(long)]
    unweighted: bool,
    /// Also estimate base parameters by instrumental variables
    ///
    /// Every other sample is the instrument of the others, so position noise causes no bias
    #[arg(long)]
    instruments: bool,
    /// Also find the essential parameters, σ at most this percentage
    ///
    /// The least certain base parameters are removed first
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, default_missing_value = "10")]
    essential: Option<String>,
    /// Folds for cross-validation
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=50))]
    folds: u64,
    /// Boundaries between the folds, s, instead of equal lengths
    #[arg(long, value_name = "T1,T2,..", conflicts_with = "folds")]
    split: Option<String>,
    /// Coupled motor, as in `6=q5+q6`
    ///
    /// Its rotor and friction are fitted too. May be repeated
    #[arg(long, value_name = "N=SUM")]
    motor: Vec<String>,
    /// Joints with a counterbalance, a torque a sin q + b cos q
    #[arg(long, value_name = "J1,J2,..")]
    counterbalance: Option<String>,
    /// Joints with a spring, a torque k q
    #[arg(long, value_name = "J1,J2,..")]
    spring: Option<String>,
    #[command(flatten)]
    preprocessing: PreprocessingArguments,
    #[command(flatten)]
    mapping: MappingArguments,
}

/// Joints by their numbers, from 1.
fn joints_of(option: &str, text: &Option<String>, joints: usize) -> Result<Vec<usize>, Failure> {
    let one = |part: &str| match part.trim().trim_start_matches('q').parse::<usize>() {
        Ok(number) if (1..=joints).contains(&number) => Ok(number - 1),
        _ => Err(Failure::new(format!("--{option}: `{part}` is no joint; the robot has 1 to {joints}"))),
    };
    text.iter().flat_map(|text| text.split(',')).map(one).collect()
}

/// `6=q5+q6`, `6=q5-0.5*q6`.
fn motor(text: &str, joints: usize) -> Result<CoupledMotor, Failure> {
    let wrong = || {
        Failure::new(format!("--motor: `{text}` is not a motor"))
            .hint("write `6=q5+q6`: the motor's number, and the joints it turns with")
    };
    let (number, sum) = text.split_once('=').ok_or_else(wrong)?;
    let number = number.trim().parse().map_err(|_| wrong())?;
    let signed = sum.replace(' ', "").replace('-', "+-");
    let turn = |part: &str| -> Result<(usize, f64), Failure> {
        let (factor, joint) = match part.split_once('*') {
            Some((factor, joint)) => (factor.parse().map_err(|_| wrong())?, joint),
            None => part.strip_prefix('-').map_or((1.0, part), |joint| (-1.0, joint)),
        };
        let joint: usize = joint.strip_prefix('q').and_then(|joint| joint.parse().ok()).ok_or_else(wrong)?;
        if !(1..=joints).contains(&joint) {
            return Err(Failure::new(format!("--motor: q{joint} is no joint; the robot has 1 to {joints}")));
        }
        Ok((joint - 1, factor))
    };
    let turns = signed.split('+').filter(|part| !part.is_empty()).map(turn).collect::<Result<Vec<_>, _>>()?;
    if turns.is_empty() { Err(wrong()) } else { Ok(CoupledMotor { number, turns }) }
}

impl IdentifyArguments {
    /// What is asked of the library, still without the logs.
    fn request(&self) -> Result<IdentifyRequest, Failure> {
        let robot = self.robot.find()?;
        let joints = robot.joints().len();
        let prior = match self.prior.as_str() {
            "auto" => PriorWeight::Validated,
            "none" => PriorWeight::None,
            text => PriorWeight::Given(positive("prior", text, Dimension::Ratio)?),
        };
        let delay = optional(number, "delay", &self.delay, Dimension::Time)?;
        let essential = optional(positive, "essential", &self.essential, Dimension::Ratio)?;
        let folds = match &self.split {
            Some(text) => Folds::At(numbers("split", text, |_| Dimension::Time)?),
            None => Folds::Parts(self.folds as usize),
        };
        let parameterization = Parameterization {
            mode: self.mode,
            stribeck: self.friction[0],
            tanh: self.friction[1],
            motors: self.motor.iter().map(|text| motor(text, joints)).collect::<Result<_, _>>()?,
            counterbalances: joints_of("counterbalance", &self.counterbalance, joints)?,
            springs: joints_of("spring", &self.spring, joints)?,
            loaded: (self.logs.len()..self.logs.len() + self.loaded.len()).collect(),
        };
        if !self.loaded.is_empty() && self.mode == FitMode::Friction {
            return Err(Failure::new("--loaded: `--mode friction` fits no payload")
                .hint("`--mode full` and `--mode gray` do, from logs with and without it"));
        }
        let estimator = EstimatorOptions {
            prior,
            delay,
            robust: self.robust,
            unweighted: self.unweighted,
            instruments: self.instruments,
            essential: essential.map(|percent| 0.01 * percent),
        };
        let preprocessing = self.preprocessing.plan()?;
        Ok(IdentifyRequest { robot, logs: Vec::new(), preprocessing, parameterization, estimator, folds })
    }
}

pub fn run(arguments: &IdentifyArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut request = arguments.request()?;
    let joints = request.robot.joints();
    let mapping = arguments.mapping.plan(&joints)?;
    let output = arguments.out.as_deref().map(Sink::new).transpose()?;
    let mut files = Files::open("report", &arguments.report)?;
    let mut progress = Progress::start("reading");
    let names = arguments.logs.iter().chain(&arguments.loaded);
    request.logs = names.map(|name| mapping.read(name, &joints)).collect::<Result<Vec<_>, _>>()?;
    let outcome = identify(&request, &mut progress)?;
    drop(progress);
    let mut no_robot = None;
    if let Some(mut sink) = output {
        match outcome.robot.as_ref().map(Robot::to_toml) {
            Ok(Some(text)) => {
                sink.text(&text)?;
                files.add("robot file", sink);
            }
            Ok(None) => return Err(Failure::new(format!("a {} has no files", request.robot.kind().title))),
            Err(reason) => {
                let why = format!("no robot file is written: no robot has these parameters: {reason}");
                let hint = match arguments.prior.as_str() {
                    "none" => {
                        "plain least squares may give physically inconsistent parameters: leave out `--prior none`"
                    }
                    _ => "the findings say what is odd in the log: times, units, signs, order",
                };
                no_robot = Some(Failure::new(why).hint(hint));
            }
        }
    }
    files.write("report", |sink| sink.text(&outcome.page()))?;
    files.show(screen, &outcome, arguments.json, Names::Hidden, |screen| as_text(&outcome, screen))?;
    if outcome.grade() == Grade::Bad {
        say("the result is not to be trusted: see the findings");
    }
    no_robot.map_or(Ok(()), Err)
}

/// The options that deal with findings; `{}` stands for a value of the finding.
const OPTIONS: [(&str, &[&str]); 14] = [
    ("beyond-limits", &["--position-unit", "--gear", "--offset"]),
    ("bias", &["--cutoff"]),
    ("constant-torque", &["--torque"]),
    ("counterbalance", &["--counterbalance {joint}", "--spring {joint}"]),
    ("coupled-motor", &["--motor {motor}"]),
    ("does-not-carry-over", &["--mode gray", "--folds 4"]),
    ("order", &["--position", "--torque"]),
    ("other-size", &["--torque-unit", "--gear", "--torque-constant", "--mode gray"]),
    ("payload", &["--mode gray", "--loaded LOG"]),
    ("saturated", &["--from", "--to"]),
    ("scale", &["--gear", "--position-unit"]),
    ("sign", &["--gear={gear}", "--torque-constant={torque_constant}"]),
    ("wrong-kinematics", &["--offset", "--position-unit"]),
    ("zero-offset", &["--offset"]),
];

/// What to do about a finding, with the options of the command.
fn advice(finding: &IdentifyFinding) -> String {
    if finding.advice.is_empty() {
        return String::new();
    }
    let filled = |option: &&str| {
        let value = |name: &str| match finding.values.get(name)? {
            FindingValue::Number(number) => Some(human(*number, 3)),
            FindingValue::Text(text) => Some(text.clone()),
        };
        match option.split_once('{') {
            Some((option, name)) => Some(option.to_owned() + &value(name.trim_end_matches('}'))?),
            None => Some((*option).to_owned()),
        }
    };
    let options = OPTIONS.iter().find(|(code, _)| *code == finding.code).map_or(&[][..], |(_, options)| *options);
    let options: Vec<String> = options.iter().filter_map(filled).collect();
    let options = if options.is_empty() { String::new() } else { format!(": {}", options.join(", ")) };
    format!(" ({}{options})", finding.advice)
}

fn as_text(outcome: &IdentifyOutcome, screen: &mut Screen) {
    let (name, joints) = &outcome.file;
    screen.heading(format!("{name}: {}", outcome.verdict));
    for finding in &outcome.findings {
        let (grade, name, text) = (finding.grade.as_str(), &finding.name, &finding.text);
        screen.line(format!("  {grade}: {name}: {text}{}", advice(finding)));
    }
    screen.heading("Scores: 100·‖τ − τ̂‖/‖τ‖");
    screen.table(&outcome.score_table());
    let weight = outcome.prior_weight.map(|weight| format!("weight of the robot file {}", human(weight, 3)));
    screen.line(format!(
        "  {} rows for each joint, {} s of motion, filter {} Hz, delay {} ms, {}, condition number {}",
        outcome.rows,
        human(outcome.seconds, 4),
        human(outcome.cutoff, 3),
        human(outcome.delay * 1e3, 3),
        weight.unwrap_or("no prior".to_owned()),
        human(outcome.condition, 3)
    ));
    screen.heading("Parameters");
    screen.table(&outcome.parameter_table());
    if outcome.parameters.iter().any(|parameter| parameter.sigma.is_none()) {
        screen.line("  σ –: torques do not determine it, and the robot file states no tolerance");
    }
    screen.heading("Base parameters (identifiable combinations)");
    screen.table(&outcome.base_table());
    if let Some(few) = &outcome.essential {
        screen.heading(format!("Essential parameters: σ at most {} of the value", percent(100.0 * few.share)));
        screen.table(&few.table());
        let [fit, held_out] = [&few.fit, &few.held_out].map(|score| percent(score.percent()));
        screen.line(format!(
            "  {} of {} base parameters; residual {fit} on the fitted data, {held_out} on held-out data",
            few.kept.len(),
            outcome.base.len()
        ));
    }
    if !outcome.silent.is_empty() {
        screen.line(format!("  Not identifiable from torques: {}", outcome.silent.join(", ")));
    }
    let mut speeds = |what: &str, of: fn(&FrictionCurve) -> Option<f64>| {
        let one = |curve: &FrictionCurve| {
            let unit = joints[curve.joint].kind.units().speed;
            let [value, sigma] = [human(of(curve)?, 3), human(curve.speed_deviation(), 2)];
            Some(format!("{}: {value} ± {sigma} {unit}", curve.joint + 1))
        };
        let all: Vec<String> = outcome.friction.iter().filter_map(one).collect();
        if !all.is_empty() {
            screen.line(format!("  {what} by joint: {}", all.join(", ")));
        }
    };
    speeds("Stribeck velocities", |curve| curve.stribeck_velocity);
    speeds("Smoothing velocities", |curve| curve.smoothing_velocity);
}
