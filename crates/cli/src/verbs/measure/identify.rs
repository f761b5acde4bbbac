//! `identify`: from logs to a robot file.

use super::{MappingArguments, MappingPlan, PreprocessingArguments};
use crate::arguments::RobotArguments;
use crate::arguments::numbers::{number, positive};
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink, Table, human};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use dalembert::identify::fit::Score;
use dalembert::identify::friction::FrictionCurve;
use dalembert::identify::outcome::{Grade, Identified};
use dalembert::identify::{
    CoupledMotor, Delay, EstimatorOptions, FitMode, Folds, NotIdentified, Parameterization, Preprocessing, PriorWeight,
    Unusable, identify,
};
use dalembert::robot::file::Dimension;
use dalembert::robot::{Joint, Robot};
use serde_json::{Value, json};

#[derive(Clone, Copy, ValueEnum)]
enum ModeChoice {
    /// Bodies, rotors, friction and offsets
    Full,
    /// Bodies as the file has them; rotors, friction, offsets and the payload are fitted: its mass where the file has one, else all of it
    Gray,
    /// Bodies as the file has them, each times a factor; rotors, friction, offsets and the payload's mass are fitted too
    Factors,
    /// Friction and offsets alone
    Friction,
    /// The payload alone: mass, centre, inertia
    Payload,
}

#[derive(Clone, Copy, ValueEnum)]
enum FrictionChoice {
    /// Of the shapes below that which leaves least, joint by joint
    Auto,
    /// Viscous and Coulomb friction with Stribeck's part, which falls or rises with the speed
    Stribeck,
    /// Viscous friction and Coulomb friction times tanh(q̇/v_0) with a fitted v_0
    Tanh,
    /// Viscous and Coulomb friction
    Linear,
}

#[derive(Args)]
#[command(after_help = "\
Every part of the time is predicted by a fit of the other parts (several logs: every log by the others): that score is the one \
to look at. Bodies are always such as can exist, and near to the robot file as far as that helps to predict what was not seen. \
Columns are found by their names (t, q1.., tau1.., and many others), or by the options below. What it does, step by step, and a \
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
    /// A log with a payload that is not known, where the other logs are without: the payload is what makes the difference; may be repeated
    #[arg(long, value_name = "LOG")]
    loaded: Vec<String>,
    /// Write the identified robot
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Write a page with charts and tables
    #[arg(long, value_name = "FILE.html")]
    report: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// What is fitted
    #[arg(long, value_enum, default_value = "full")]
    mode: ModeChoice,
    /// The shape of friction
    #[arg(long, value_enum, default_value = "auto")]
    friction: FrictionChoice,
    /// Weight of the robot file against the log: a number, `auto` (by validation), `none` (plain least squares)
    #[arg(long, value_name = "WEIGHT", default_value = "auto")]
    prior: String,
    /// Delay of the torque against the motion, s  [default: estimated]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    delay: Option<String>,
    /// Rows that are far off count less (Huber)
    #[arg(long)]
    robust: bool,
    /// All joints have the same weight (ordinary least squares), instead of one by what is left at each
    #[arg(long)]
    unweighted: bool,
    /// Also find base parameters by instrumental variables (the columns of every other sample are those of the others), which noise of the
    /// positions does not bias
    #[arg(long)]
    instruments: bool,
    /// Also find the essential parameters: base parameters are left out, the least certain first, until the deviation of each is
    /// at most so many per cent of its value
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, default_missing_value = "10")]
    essential: Option<String>,
    /// Parts of the time that are predicted by the others
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=50))]
    folds: u64,
    /// Times at which it is cut into parts, s, instead of parts of equal length
    #[arg(long, value_name = "T1,T2,..", conflicts_with = "folds")]
    split: Option<String>,
    /// A motor that turns with several joints, as in `6=q5+q6`: its rotor and friction are fitted too; may be repeated
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

/// `identify`, ready to run.
pub struct IdentifyPlan {
    robot: Robot,
    logs: Vec<String>,
    output: Option<String>,
    report: Option<String>,
    json: bool,
    preprocessing: Preprocessing,
    parameterization: Parameterization,
    estimator: EstimatorOptions,
    folds: Folds,
    mapping: MappingPlan,
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
    pub fn plan(self) -> Result<IdentifyPlan, Failure> {
        let robot = self.robot.find()?;
        let joints = robot.joints();
        let prior = match self.prior.as_str() {
            "auto" => PriorWeight::Validated,
            "none" => PriorWeight::None,
            text => PriorWeight::Given(positive("prior", text, Dimension::Ratio)?),
        };
        let delay = match &self.delay {
            Some(text) => Delay::Given(number("delay", text, Dimension::Time)?),
            None => Delay::Estimated,
        };
        let share = |text: &String| Ok::<f64, Failure>(0.01 * positive("essential", text, Dimension::Ratio)?);
        let essential = self.essential.as_ref().map(share).transpose()?;
        let folds = match &self.split {
            Some(text) => Folds::At(crate::arguments::numbers::numbers("split", text, |_| Dimension::Time)?),
            None => Folds::Parts(self.folds as usize),
        };
        let parameterization = Parameterization {
            mode: match self.mode {
                ModeChoice::Full => FitMode::Full,
                ModeChoice::Gray => FitMode::Gray,
                ModeChoice::Factors => FitMode::Factors,
                ModeChoice::Friction => FitMode::Friction,
                ModeChoice::Payload => FitMode::Payload,
            },
            stribeck: matches!(self.friction, FrictionChoice::Stribeck | FrictionChoice::Auto),
            tanh: matches!(self.friction, FrictionChoice::Tanh | FrictionChoice::Auto),
            motors: self.motor.iter().map(|text| motor(text, joints.len())).collect::<Result<_, _>>()?,
            counterbalances: joints_of("counterbalance", &self.counterbalance, joints.len())?,
            springs: joints_of("spring", &self.spring, joints.len())?,
            loaded: (self.logs.len()..self.logs.len() + self.loaded.len()).collect(),
        };
        if !self.loaded.is_empty() && matches!(self.mode, ModeChoice::Friction) {
            return Err(Failure::new("--loaded: `--mode friction` fits no payload")
                .hint("`--mode full` and `--mode gray` do, from logs with and without it"));
        }
        Ok(IdentifyPlan {
            preprocessing: self.preprocessing.plan()?,
            mapping: self.mapping.plan(&joints)?,
            parameterization,
            estimator: EstimatorOptions {
                prior,
                delay,
                robust: self.robust,
                unweighted: self.unweighted,
                instruments: self.instruments,
                essential,
            },
            folds,
            logs: [self.logs, self.loaded].concat(),
            output: self.output,
            report: self.report,
            json: self.json,
            robot,
        })
    }
}

fn failed(robot: &Robot, error: NotIdentified) -> Failure {
    let hint = match &error {
        NotIdentified::Log { source: Unusable::AtRest { .. }, .. } => {
            Some("are the positions in these columns, and in rad? --position, --position-unit")
        }
        NotIdentified::Log { source: Unusable::TooShort { .. }, .. } => {
            Some("measure at least 10 s of lively motion; `excite` finds one")
        }
        NotIdentified::Log { source: Unusable::Numbers(_), .. } => {
            Some("are these the times? --time, --time-unit, --rate")
        }
        NotIdentified::Log { source: Unusable::NoTorque, .. } => {
            Some("choose the columns of measured torques: --torque")
        }
        NotIdentified::Log { source: Unusable::Missing { .. }, .. } => {
            Some("choose another column: --position, --torque")
        }
        _ => None,
    };
    let text = match &error {
        NotIdentified::Robot(_) | NotIdentified::Numbers(_) => format!("{}: {error}", robot.name),
        NotIdentified::Log { .. } => format!("bad log: {error}"),
    };
    Failure::new(text).maybe_hint(hint)
}

pub fn run(plan: &IdentifyPlan, screen: &mut Screen) -> Result<(), Failure> {
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut output, mut report) = (open(&plan.output)?, open(&plan.report)?);
    let joints = plan.robot.joints();
    let progress = Progress::start("reading");
    let read = |name: &String| plan.mapping.read(name, &joints);
    let logs = plan.logs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let found = identify(
        &plan.robot,
        &logs,
        &plan.preprocessing,
        &plan.parameterization,
        &plan.estimator,
        &plan.folds,
        &mut |what| {
            progress.share(what, 0.0);
        },
    );
    let found = found.map_err(|error| failed(&plan.robot, error))?;
    progress.end();
    let mut impossible = None;
    if let Some(sink) = &mut output {
        match found.robot.as_ref().map(Robot::to_toml) {
            Ok(Some(text)) => sink.text(&text)?,
            Ok(None) => return Err(Failure::new(format!("a {} has no files", plan.robot.kind().title))),
            Err(reason) => {
                let why = format!("no robot file is written, for there is no robot with these parameters: {reason}");
                let hint = "plain least squares knows nothing of what bodies can be: leave out `--prior none`";
                impossible = Some(Failure::new(why).hint(hint));
            }
        }
    }
    if impossible.is_some() {
        output = None;
    }
    if let Some(sink) = &mut report {
        let notes: Vec<String> =
            logs.iter().flat_map(|log| log.notes.iter().map(|note| format!("{}: {note}", log.name))).collect();
        sink.text(&found.to_html(&plan.robot.name, &joints, &notes))?;
    }
    for sink in [output, report].into_iter().flatten() {
        sink.finish()?;
    }
    let shown = [&plan.output, &plan.report].into_iter().flatten().all(|name| name != "-");
    if shown && plan.json {
        screen.json(&as_json(&found));
    } else if shown {
        as_text(plan, &joints, &found, screen);
    }
    if found.grade() == Grade::Bad {
        say("the result is not to be trusted: see the findings");
    }
    impossible.map_or(Ok(()), Err)
}

fn percent(x: f64) -> String {
    if x.is_finite() { format!("{} %", human(x, 3)) } else { "–".to_owned() }
}

fn as_text(plan: &IdentifyPlan, joints: &[Joint], found: &Identified, screen: &mut Screen) {
    screen.heading(format!("{}: {}", plan.robot.name, found.verdict()));
    for finding in &found.findings {
        let advice = if finding.advice.is_empty() { String::new() } else { format!(" ({})", finding.advice) };
        screen.line(format!("  {}: {}: {}{advice}", finding.grade.as_str(), finding.name, finding.text));
    }
    screen.heading("Scores: 100·‖τ − τ̂‖/‖τ‖");
    let mut table = Table::new(&"lr".chars().chain(joints.iter().map(|_| 'r')).collect::<String>());
    let numbers = (1..=joints.len()).map(|i| format!("joint {i}"));
    table.head(["".to_owned(), "all".to_owned()].into_iter().chain(numbers));
    let mut row = |name: &str, score: &Score| {
        let cells = [name.to_owned(), percent(score.percent())];
        table.row(cells.into_iter().chain(score.joints().into_iter().map(percent)));
    };
    row("robot file, no fit", &found.file);
    row("fit, seen", &found.fit);
    row("not seen", &found.held_out);
    found.folds.iter().for_each(|(name, score)| row(&format!("  {name}"), score));
    if let Some(written) = &found.written {
        row("identified robot file", written);
    }
    screen.table(&table);
    let prior =
        found.weight.map_or("no prior".to_owned(), |weight| format!("weight of the robot file {}", human(weight, 3)));
    screen.line(format!(
        "  {} rows for each joint, {} s of motion, filter {} Hz, delay {} ms, {prior}, condition {}",
        found.rows,
        human(found.seconds, 4),
        human(found.cutoff, 3),
        human(found.delay * 1e3, 3),
        human(found.condition, 3)
    ));
    screen.heading("Parameters");
    let mut table = Table::new("lrrrll");
    table.head(["", "found", "σ", "robot file", "unit", ""]);
    for p in &found.parameters {
        let prior = p.prior.map_or("–".to_owned(), |prior| human(prior, 4));
        table.row([p.name.clone(), human(p.value, 5), human(p.sigma, 2), prior, p.unit.to_owned(), p.meaning.clone()]);
    }
    screen.table(&table);
    screen.heading("What torques tell (base parameters)");
    let more = found.base.iter().any(|b| b.instrumental.is_some());
    let mut table = Table::new(if more { "lrrrrrr" } else { "lrrrr" });
    let head = ["", "found", "σ", "least squares", "σ", "instrumental", "σ"];
    table.head(head[..if more { 7 } else { 5 }].iter().copied());
    for b in &found.base {
        let pair = |of: Option<[f64; 2]>| of.map_or(["–".into(), "–".into()], |[v, s]| [human(v, 5), human(s, 2)]);
        let mut cells = vec![b.formula.clone(), human(b.value, 5), human(b.sigma, 2)];
        cells.extend(pair(b.plain));
        cells.extend(pair(b.instrumental).into_iter().filter(|_| more));
        table.row(cells);
    }
    screen.table(&table);
    if let Some(few) = &found.essential {
        screen.heading(format!("Essential parameters: σ at most {} of the value", percent(100.0 * few.share)));
        let mut table = Table::new("lrr");
        table.head(["", "least squares", "σ"]);
        for (place, [value, sigma]) in &few.kept {
            table.row([found.base[*place].formula.clone(), human(*value, 5), human(*sigma, 2)]);
        }
        screen.table(&table);
        let [fit, unseen] = [&few.fit, &few.held_out].map(|score| percent(score.percent()));
        screen.line(format!(
            "  {} of {} base parameters; they leave {fit} of what was seen, {unseen} of what was not",
            few.kept.len(),
            found.base.len()
        ));
    }
    if !found.silent.is_empty() {
        screen.line(format!("  Torques tell nothing of {}", found.silent.join(", ")));
    }
    let speeds = |what: &str, of: &dyn Fn(&FrictionCurve) -> Option<f64>, screen: &mut Screen| {
        let one = |curve: &FrictionCurve| {
            let unit = joints[curve.joint].kind.units().speed;
            Some(format!(
                "{}: {} ± {} {unit}",
                curve.joint + 1,
                human(of(curve)?, 3),
                human(curve.speed_deviation(), 2)
            ))
        };
        let all: Vec<String> = found.friction.iter().filter_map(one).collect();
        if !all.is_empty() {
            screen.line(format!("  {what} by joint: {}", all.join(", ")));
        }
    };
    speeds("Stribeck velocities", &|curve| curve.stribeck().map(|[_, at]| at), screen);
    speeds("Smoothing velocities", &FrictionCurve::smoothing, screen);
}

fn score_json(score: &Score) -> Value {
    json!({ "percent": score.percent(), "joints": score.joints() })
}

fn as_json(found: &Identified) -> Value {
    let parameters = found.parameters.iter().map(|p| {
        json!({ "name": p.name, "value": p.value, "sigma": p.sigma, "prior": p.prior, "unit": p.unit, "meaning": p.meaning })
    });
    let base = found.base.iter().map(|b| {
        let [plain, instrumental] =
            [b.plain, b.instrumental].map(|of| of.map(|[value, sigma]| json!({ "value": value, "sigma": sigma })));
        json!({
            "formula": b.formula, "value": b.value, "sigma": b.sigma, "least_squares": plain,
            "instrumental": instrumental, "unit": b.unit,
        })
    });
    let essential = found.essential.as_ref().map(|few| {
        let kept = few.kept.iter().map(|(place, [value, sigma])| {
            json!({ "formula": found.base[*place].formula, "value": value, "sigma": sigma, "unit": found.base[*place].unit })
        });
        json!({
            "share": few.share, "kept": kept.collect::<Vec<_>>(),
            "fit": score_json(&few.fit), "unseen": score_json(&few.held_out),
        })
    });
    let friction = found.friction.iter().map(|curve| {
        let rows = curve.covariance.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>());
        json!({
            "joint": curve.joint + 1, "viscous": curve.values[0], "coulomb": curve.values[1],
            "static_minus_coulomb": curve.stribeck().map(|[more, _]| more),
            "stribeck_velocity": curve.stribeck().map(|[_, at]| at), "smoothing_velocity": curve.smoothing(),
            "covariance": rows.collect::<Vec<_>>(),
        })
    });
    let folds = found.folds.iter().map(|(name, score)| json!({ "name": name, "score": score_json(score) }));
    let findings = found
        .findings
        .iter()
        .map(|f| json!({ "grade": f.grade.as_str(), "name": f.name, "text": f.text, "advice": f.advice }));
    let logs = found.health.iter().map(|(name, h)| {
        json!({
            "name": name, "rows": h.rows, "step": h.step, "jitter": h.jitter, "backward": h.backward,
            "gaps": h.gaps.0, "longest_gap": h.gaps.1, "unstamped": h.unstamped, "missing": h.missing,
            "wrapped": h.wrapped, "outliers": h.outliers, "saturated": h.saturated,
            "rest": h.rest, "speeds": h.speeds, "noise": h.noise,
        })
    });
    json!({
        "verdict": found.verdict(),
        "findings": findings.collect::<Vec<_>>(),
        "scores": {
            "file": score_json(&found.file), "written": found.written.as_ref().map(score_json), "fit": score_json(&found.fit), "unseen": score_json(&found.held_out),
            "parts": folds.collect::<Vec<_>>(),
        },
        "parameters": parameters.collect::<Vec<_>>(),
        "base": base.collect::<Vec<_>>(),
        "essential": essential,
        "silent": found.silent,
        "bodies": found.bodies.iter().map(|(name, margin)| json!({ "name": name, "margin": margin, "possible": *margin > 0.0 })).collect::<Vec<_>>(),
        "delay": found.delay,
        "stribeck_velocities": found.speeds.stribeck,
        "smoothing_velocities": found.speeds.smoothing,
        "friction": friction.collect::<Vec<_>>(),
        "prior_weight": found.weight,
        "condition": found.condition,
        "rows": found.rows,
        "seconds": found.seconds,
        "cutoff": found.cutoff,
        "logs": logs.collect::<Vec<_>>(),
        "robot": found.robot.as_ref().err(),
    })
}
