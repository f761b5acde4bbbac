//! `size`: which motors and gears can do a motion.

use super::motion::{MotionArguments, MotionPlan};
use super::motion_arm::ArmPlan;
use super::size_arm;
use crate::failure::Failure;
use crate::output::{Screen, Table, fixed, human};
use clap::Args;
use dalembert::control::Subject as _;
use dalembert::describe::MotorList;
use dalembert::motion::sizing::{Fit, Sample, samples, size};
use dalembert::motion::{LawName, State};
use dalembert::record::{Reader, TableError};
use dalembert::{AnyRobot, SerialRobot, Vec3};
use serde_json::{Value, json};

#[derive(Args)]
#[command(mut_arg("profile", |profile| profile.alias("law")))]
#[command(after_help = "\
The motion is done over and over (at a given time by the profile `gentlest` unless another is given), so that the torques' root mean square counts. A file `motion.csv` has the columns t, \
x,y,z, vx,vy,vz, ax,ay,az, as `trajectory --out` writes them. Rotor and gear of the robot file are replaced by those of the \
list. Format of motor lists, criteria: docs/motion.md. Exit code 0 whether or not a motor suffices.

The joints of a serial arm may have different motors, so each is judged by itself; a file has the columns t, q1.., qd1.., \
qdd1... Its motions: `dalembert trajectory --help`.

Examples:
  dalembert size d3-1200 --cycles-per-minute 150
  dalembert size d3-1200 --cycles-per-minute 150 --payload 4
  dalembert size d3-1200 --motion motion.csv --motors my-motors.toml --json
  dalembert size puma560 --cycle 2 --payload 2")]
pub struct SizeArguments {
    /// List of motors and gears, or the name of a built-in one
    #[arg(long, value_name = "FILE", default_value = "akm44g")]
    motors: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
}

/// `size`, ready to run.
pub struct SizePlan {
    subject: Subject,
    motors: MotorList,
    json: bool,
}

enum Subject {
    Delta(Box<MotionPlan>),
    Arm(Box<ArmPlan>),
    /// A motion of joints from a file.
    ArmFile(Box<SerialRobot>, String),
}

impl SizeArguments {
    pub fn plan(self) -> Result<SizePlan, Failure> {
        let motors = MotorList::find(&self.motors)?;
        if self.motion.order.path.as_deref().is_some_and(is_file) {
            // Where, how fast and how often is in the file.
            let given = self.motion.order.given_beside(&["path", "payload", "branch"]);
            if let Some(option) = given.or(self.motion.is_timed().then_some("duration")) {
                return Err(Failure::new(format!("--{option} does not go with a motion from a file"))
                    .hint("let `trajectory` write the file with it"));
            }
        }
        let law = if self.motion.is_timed() { LawName::Gentlest } else { LawName::SineOnRamp };
        let robot = AnyRobot::find(&self.motion.robot)?;
        crate::arguments::tell_warnings(&self.motion.robot, robot.warnings());
        let subject = match robot {
            AnyRobot::Delta(robot) => Subject::Delta(Box::new(self.motion.plan_for(*robot, law)?)),
            AnyRobot::Serial(robot) => match &self.motion.order.path {
                Some(path) if is_file(path) => {
                    Subject::ArmFile(Box::new(size_arm::carrying(&self.motion, *robot)?), path.clone())
                }
                _ => Subject::Arm(Box::new(ArmPlan::new(&self.motion, *robot, law)?)),
            },
        };
        Ok(SizePlan { subject, motors, json: self.json })
    }
}

pub fn run(plan: &SizePlan, screen: &mut Screen) -> Result<(), Failure> {
    match &plan.subject {
        Subject::Delta(motion) => of_delta(motion, &plan.motors, plan.json, screen),
        Subject::Arm(motion) => {
            let (what, states) = motion.joint_states(|duration| {
                Ok((0..=SAMPLES).map(|k| duration * f64::from(k) / f64::from(SAMPLES)).collect())
            })?;
            let about =
                size_arm::About { what, motion: &motion.order().path, payload: motion.payload(), motors: &plan.motors };
            size_arm::tell(motion.robot(), &states, &about, plan.json, screen)
        }
        Subject::ArmFile(robot, path) => {
            let states = size_arm::read(path, robot.arm.joints())?;
            let payload = robot.payload();
            let what = format!("{path}, payload {payload} kg");
            let about = size_arm::About { what, motion: path, payload, motors: &plan.motors };
            size_arm::tell(robot, &states, &about, plan.json, screen)
        }
    }
}

/// Of a motion that is not from a file.
const SAMPLES: u32 = 4000;

fn of_delta(plan: &MotionPlan, motors: &MotorList, json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let motion = if is_file(&plan.order.path) {
        read(&plan.order.path)?
    } else {
        samples(&plan.timed()?.motion, SAMPLES as usize)
    };
    let fits = size(&plan.machine, &motion, motors)
        .map_err(|error| Failure::new(format!("{}, {}: {error}", plan.robot.name, plan.order.path)))?;
    let duration = duration(&motion);
    if json {
        screen.json(&as_json(plan, duration, &fits));
    } else {
        as_text(plan, motors, duration, &fits, screen);
    }
    Ok(())
}

/// From the first to the last state, s.
pub fn duration<S>(motion: &[(f64, S)]) -> f64 {
    motion.last().map_or(0.0, |last| last.0) - motion.first().map_or(0.0, |first| first.0)
}

/// Whether a path is a file with the motion.
fn is_file(path: &str) -> bool {
    path.ends_with(".csv")
}

/// A motion in a file.
fn read(name: &str) -> Result<Vec<Sample>, Failure> {
    let columns = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"].map(str::to_owned);
    let three = |numbers: &[f64]| Vec3::from_fn(|i| numbers[i]);
    let state = |(t, n): (f64, Vec<f64>)| {
        let state = State { position: three(&n), velocity: three(&n[3..]), acceleration: three(&n[6..]) };
        (t, state)
    };
    Ok(numbers(name, &columns)?.into_iter().map(state).collect())
}

/// The times and the columns of a motion in a file.
pub fn numbers(name: &str, columns: &[String]) -> Result<Vec<(f64, Vec<f64>)>, Failure> {
    let file = std::fs::File::open(name).map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
    let wrong = |error: TableError| {
        // Other verbs can leave a row out; a motion needs every one.
        let hint = error.hint().filter(|_| !matches!(error, TableError::NotFinite { .. }));
        Failure::new(format!("{name}: {error}")).maybe_hint(hint)
    };
    let mut reader = Reader::new(file).map_err(wrong)?;
    let field = |column: &str| {
        reader.header().position(column).ok_or_else(|| {
            Failure::new(format!("{name} has no column `{column}`"))
                .hint(format!("needed are t, {}", columns.join(", ")))
        })
    };
    let time = field("t")?;
    let fields = columns.iter().map(|column| field(column)).collect::<Result<Vec<_>, _>>()?;
    let mut motion: Vec<(f64, Vec<f64>)> = Vec::new();
    while let Some(row) = reader.next_row().map_err(wrong)? {
        let t = row.number(time, "t").map_err(wrong)?;
        let numbers = fields.iter().zip(columns).map(|(&field, column)| row.number(field, column).map_err(wrong));
        let numbers = numbers.collect::<Result<Vec<f64>, Failure>>()?;
        if motion.last().is_some_and(|last| t <= last.0) {
            return Err(Failure::new(format!("{name}: the time {t} s does not come after the one before")));
        }
        motion.push((t, numbers));
    }
    if motion.len() < 2 {
        return Err(Failure::new(format!("{name}: a motion needs at least two rows")));
    }
    Ok(motion)
}

/// The one that suffices with the largest margin, or else the one that lacks least.
pub fn best(fits: &[Fit]) -> Option<&Fit> {
    fits.iter().max_by(|a, b| a.tightest().1.total_cmp(&b.tightest().1))
}

pub fn name(fit: &Fit) -> String {
    match &fit.gear {
        Some(gear) => format!("{} with gear {gear}", fit.motor),
        None => format!("{}, direct drive", fit.motor),
    }
}

pub fn percent(margin: f64) -> String {
    if margin.is_infinite() {
        "–".to_owned()
    } else {
        format!("{}{} %", if margin >= 0.0 { "+" } else { "" }, fixed(100.0 * margin, 0))
    }
}

fn as_text(plan: &MotionPlan, motors: &MotorList, duration: f64, fits: &[Fit], screen: &mut Screen) {
    let what = if is_file(&plan.order.path) {
        format!("{}, payload {} kg", plan.order.path, plan.payload)
    } else {
        plan.what()
    };
    screen.heading(format!("{}: {what}", plan.robot.name));
    screen.line(format!("  {} s, {} times a minute", human(duration, 5), human(60.0 / duration, 4)));
    if let Some(best) = best(fits) {
        let (criterion, margin) = best.tightest();
        let verdict = if best.suffices() { "Yes" } else { "No" };
        screen.line("");
        screen.heading(format!("{verdict}: {}, {} at the {criterion}", name(best), percent(margin)));
    }
    screen.line("");
    let mut table = Table::new("llrrrrrrrrl");
    table.head(HEAD);
    for fit in fits {
        table.row(row(fit));
    }
    screen.table(&table);
    sources(motors, screen);
}

/// What is told of a motor with a gear.
pub const HEAD: [&str; 11] = [
    "motor",
    "gear",
    "joint, N m",
    "peak, N m",
    "RMS, N m",
    "heat",
    "speed, 1/min",
    "inertia",
    "peak, W",
    "mean, W",
    "margin",
];

pub fn row(fit: &Fit) -> [String; 11] {
    let (criterion, margin) = fit.tightest();
    [
        fit.motor.clone(),
        fit.gear.clone().unwrap_or_else(|| "–".to_owned()),
        fixed(fit.gear_torque.needed, 1),
        fixed(fit.peak_torque.needed, 2),
        fixed(fit.rms_torque.needed, 2),
        format!("{} %", fixed(100.0 * fit.heat(), 0)),
        fixed(fit.speed.needed * 60.0 / std::f64::consts::TAU, 0),
        fixed(fit.inertia_ratio.needed, 1),
        fixed(fit.peak_power.needed, 0),
        fixed(fit.mean_power, 0),
        format!("{} {criterion}", percent(margin)),
    ]
}

/// Where the numbers are from.
pub fn sources(motors: &MotorList, screen: &mut Screen) {
    for motor in &motors.motors {
        if let Some(source) = &motor.source {
            screen.line(format!("  {}: {source}", motor.name));
        }
    }
}

fn as_json(plan: &MotionPlan, duration: f64, fits: &[Fit]) -> Value {
    json!({
        "robot": plan.robot.name,
        "motion": plan.order.path,
        "payload": plan.payload,
        "duration": duration,
        "suffices": fits.iter().any(Fit::suffices),
        "best": best(fits).map(name),
        "combinations": fits.iter().map(combination).collect::<Vec<_>>(),
    })
}

pub fn combination(fit: &Fit) -> Value {
    let (criterion, margin) = fit.tightest();
    json!({
        "motor": fit.motor,
        "gear": fit.gear,
        "ratio": fit.ratio,
        "suffices": fit.suffices(),
        "tightest": { "criterion": criterion, "margin": margin },
        "heat": fit.heat(),
        "peak_power": fit.peak_power.needed,
        "mean_power": fit.mean_power,
        "criteria": fit.criteria().iter().map(|(name, c)| json!({
            "name": name,
            "needed": c.needed,
            "allowed": if c.allowed.is_finite() { Some(c.allowed) } else { None },
        })).collect::<Vec<_>>(),
    })
}
