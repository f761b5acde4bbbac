//! `size`: which motors and gears can do a motion.

use super::motion::{MotionArguments, MotionPlan};
use crate::failure::Failure;
use crate::output::{Screen, Table, fixed, human};
use clap::Args;
use dalembert::Vec3;
use dalembert::describe::MotorList;
use dalembert::motion::sizing::{Fit, Sample, samples, size};
use dalembert::motion::{LawName, State};
use dalembert::record::{Reader, TableError};
use serde_json::{Value, json};

#[derive(Args)]
#[command(mut_arg("profile", |profile| profile.alias("law")))]
#[command(after_help = "\
The motion is done over and over (at a given time by the profile `gentlest` unless another is given), so that the torques' root mean square counts. A file `motion.csv` has the columns t, \
x,y,z, vx,vy,vz, ax,ay,az, as `trajectory --out` writes them. Rotor and gear of the robot file are replaced by those of the \
list. Format of motor lists, criteria: docs/motion.md. Exit code 0 whether or not a motor suffices.

Examples:
  dalembert size d3-1200 --cycles-per-minute 150
  dalembert size d3-1200 --cycles-per-minute 150 --payload 4
  dalembert size d3-1200 --motion motion.csv --motors my-motors.toml --json")]
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
    motion: MotionPlan,
    motors: MotorList,
    json: bool,
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
        Ok(SizePlan { motion: self.motion.plan(law)?, motors, json: self.json })
    }
}

pub fn run(plan: &SizePlan, screen: &mut Screen) -> Result<(), Failure> {
    let motion = if is_file(&plan.motion.order.path) {
        read(&plan.motion.order.path)?
    } else {
        samples(&plan.motion.timed()?.motion, 4000)
    };
    let fits = size(&plan.motion.machine, &motion, &plan.motors)
        .map_err(|error| Failure::new(format!("{}, {}: {error}", plan.motion.robot.name, plan.motion.order.path)))?;
    let duration = motion.last().map_or(0.0, |last| last.0) - motion.first().map_or(0.0, |first| first.0);
    if plan.json {
        screen.json(&as_json(plan, duration, &fits));
    } else {
        as_text(plan, duration, &fits, screen);
    }
    Ok(())
}

/// Whether a path is a file with the motion.
fn is_file(path: &str) -> bool {
    path.ends_with(".csv")
}

/// A motion in a file.
fn read(name: &str) -> Result<Vec<Sample>, Failure> {
    const COLUMNS: [&str; 10] = ["t", "x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"];
    let file = std::fs::File::open(name).map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
    let wrong = |error: TableError| {
        // Other verbs can leave a row out; a motion needs every one.
        let hint = error.hint().filter(|_| !matches!(error, TableError::NotFinite { .. }));
        Failure::new(format!("{name}: {error}")).maybe_hint(hint)
    };
    let mut reader = Reader::new(file).map_err(wrong)?;
    let mut fields = [0; 10];
    for (field, column) in fields.iter_mut().zip(COLUMNS) {
        *field = reader.header().position(column).ok_or_else(|| {
            Failure::new(format!("{name} has no column `{column}`")).hint(format!("needed are {}", COLUMNS.join(", ")))
        })?;
    }
    let mut motion: Vec<Sample> = Vec::new();
    while let Some(row) = reader.next_row().map_err(wrong)? {
        let mut numbers = [0.0; 10];
        for ((number, &field), column) in numbers.iter_mut().zip(&fields).zip(COLUMNS) {
            *number = row.number(field, column).map_err(wrong)?;
        }
        let [t, x, y, z, vx, vy, vz, ax, ay, az] = numbers;
        if motion.last().is_some_and(|last| t <= last.0) {
            return Err(Failure::new(format!("{name}: the time {t} s does not come after the one before")));
        }
        let state = State {
            position: Vec3::new(x, y, z),
            velocity: Vec3::new(vx, vy, vz),
            acceleration: Vec3::new(ax, ay, az),
        };
        motion.push((t, state));
    }
    if motion.len() < 2 {
        return Err(Failure::new(format!("{name}: a motion needs at least two rows")));
    }
    Ok(motion)
}

/// The one that suffices with the largest margin, or else the one that lacks least.
fn best(fits: &[Fit]) -> Option<&Fit> {
    fits.iter().max_by(|a, b| a.tightest().1.total_cmp(&b.tightest().1))
}

fn name(fit: &Fit) -> String {
    match &fit.gear {
        Some(gear) => format!("{} with gear {gear}", fit.motor),
        None => format!("{}, direct drive", fit.motor),
    }
}

fn percent(margin: f64) -> String {
    if margin.is_infinite() {
        "–".to_owned()
    } else {
        format!("{}{} %", if margin >= 0.0 { "+" } else { "" }, fixed(100.0 * margin, 0))
    }
}

fn as_text(plan: &SizePlan, duration: f64, fits: &[Fit], screen: &mut Screen) {
    let what = if is_file(&plan.motion.order.path) {
        format!("{}, payload {} kg", plan.motion.order.path, plan.motion.payload)
    } else {
        plan.motion.what()
    };
    screen.heading(format!("{}: {what}", plan.motion.robot.name));
    screen.line(format!("  {} s, {} times a minute", human(duration, 5), human(60.0 / duration, 4)));
    if let Some(best) = best(fits) {
        let (criterion, margin) = best.tightest();
        let verdict = if best.suffices() { "Yes" } else { "No" };
        screen.line("");
        screen.heading(format!("{verdict}: {}, {} at the {criterion}", name(best), percent(margin)));
    }
    screen.line("");
    let mut table = Table::new("llrrrrrrrrl");
    table.head([
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
    ]);
    for fit in fits {
        let (criterion, margin) = fit.tightest();
        table.row([
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
        ]);
    }
    screen.table(&table);
    for motor in &plan.motors.motors {
        if let Some(source) = &motor.source {
            screen.line(format!("  {}: {source}", motor.name));
        }
    }
}

fn as_json(plan: &SizePlan, duration: f64, fits: &[Fit]) -> Value {
    json!({
        "robot": plan.motion.robot.name,
        "motion": plan.motion.order.path,
        "payload": plan.motion.payload,
        "duration": duration,
        "suffices": fits.iter().any(Fit::suffices),
        "best": best(fits).map(name),
        "combinations": fits.iter().map(|fit| {
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
        }).collect::<Vec<_>>(),
    })
}
