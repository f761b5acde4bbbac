//! `size`: which motors and gears can do a motion.

use super::motion::{MotionArguments, MotionPlan};
use super::trajectory::violations_json;
use crate::failure::{Failure, say};
use crate::output::{Screen, Table, fixed, human};
use clap::Args;
use dalembert::motion::sizing::{Fit, Sizing, size};
use dalembert::motion::{MotionTable, MotorList, ProfileName, is_file, is_tolerated, length, worst_violations};
use dalembert::robot::{Form, Target, Violation};
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
The motion is done over and over (at a given time by the profile `minimum-torque` unless another is given), so that the \
torques' root mean square counts. A file `motion.csv` has the columns that `trajectory --out` writes: t and x,y,z, vx,vy,vz, \
ax,ay,az, or t and q1.., qd1.., qdd1... Rotor and gear of the robot file are replaced by those of the list. The motors of a \
Delta are alike; the joints of a serial arm are judged one by one. Format of motor lists, criteria: docs/motion.md. Exit code \
0 whether or not a motor suffices.

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
    motion: MotionPlan,
    motors: MotorList,
    json: bool,
}

impl SizeArguments {
    pub fn plan(mut self) -> Result<SizePlan, Failure> {
        let motors = MotorList::find(&self.motors)?;
        let robot = self.motion.robot.find()?;
        self.motion.order.read_points(&robot)?;
        if self.motion.order.path.as_deref().is_some_and(is_file) {
            // Where, how fast and how often is in the file.
            let given = self.motion.order.given_beside(&["path", "payload", "branch"]);
            if let Some(option) = given.or(self.motion.is_timed().then(|| String::from("duration"))) {
                return Err(Failure::new(format!("--{option} does not go with a motion from a file"))
                    .hint("let `trajectory` write the file with it"));
            }
        }
        let profile = if self.motion.is_timed() { ProfileName::MinimumTorque } else { ProfileName::SineOnRamp };
        Ok(SizePlan { motion: self.motion.plan(&robot, profile)?, motors, json: self.json })
    }
}

/// Of a motion that is not from a file.
const SAMPLES: usize = 4000;

pub fn run(plan: &SizePlan, screen: &mut Screen) -> Result<(), Failure> {
    let SizePlan { motion: MotionPlan { robot, order, mover, .. }, motors, json } = plan;
    let motion = if is_file(&order.path) {
        let table = MotionTable::read(&order.path, robot).and_then(MotionTable::consistent);
        let table = table.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
        if let Some(note) = table.note() {
            say(&format!("{}: {note}", order.path));
        }
        table.targets()
    } else {
        plan.motion.timed()?.motion.samples(SAMPLES)
    };
    let sizings = size(mover, &motion, motors)
        .map_err(|error| Failure::new(format!("{}, {}: {error}", robot.name, order.path_name())))?;
    let done = Done { violations: worst_violations(mover, &motion), ..Done::of(&motion) };
    if *json {
        screen.json(&as_json(&plan.motion, &done, &sizings));
    } else {
        as_text(&plan.motion, motors, &done, &sizings, screen);
    }
    Ok(())
}

/// What a motion is, whatever the motor.
struct Done {
    /// From the first to the last state, s.
    duration: f64,
    /// How far its end is from its start, m (rad).
    apart: f64,
    /// Unit of that.
    unit: &'static str,
    /// The limits of the robot's file that it exceeds: when, which.
    violations: Vec<(f64, Violation)>,
}

impl Done {
    fn of(motion: &[(f64, Target)]) -> Self {
        let [(start, first), .., (end, last)] = motion else {
            return Self { duration: 0.0, apart: 0.0, unit: "m", violations: Vec::new() };
        };
        let apart: Vec<f64> = last.moved()[0].iter().zip(first.moved()[0]).map(|(last, first)| last - first).collect();
        let unit = if first.form() == Form::Tool { "m" } else { "rad" };
        Self { duration: end - start, apart: length(&apart), unit, violations: Vec::new() }
    }

    /// A position that is out of its range, where no motor helps.
    fn out_of_range(&self) -> Option<&(f64, Violation)> {
        self.violations.iter().find(|(_, violation)| !violation.quantity.is_driven())
    }

    /// How long it takes, and how often that is.
    fn pace(&self) -> String {
        let duration = human(self.duration, 5);
        if self.apart < 1e-6 {
            format!("  {duration} s, {} times a minute", human(60.0 / self.duration, 4))
        } else {
            format!("  {duration} s, one way: it ends {} {} from where it begins", human(self.apart, 3), self.unit)
        }
    }

    /// The limits of the file that motors of the list would have to be allowed to exceed.
    fn notes(&self, screen: &mut Screen) {
        for (time, violation) in &self.violations {
            if violation.quantity.is_driven() && !is_tolerated(violation) {
                screen.line(format!("  Beyond the robot file: {violation}, at {} s", human(*time, 4)));
            }
        }
    }
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
        format!("{}{} %", if margin >= 0.0 { "+" } else { "" }, hundredths(margin))
    }
}

/// A share in whole hundredths, and with a digit where it is less than one half.
fn hundredths(share: f64) -> String {
    let hundredths = 100.0 * share;
    if hundredths.abs() < 0.5 { human(hundredths, 1) } else { fixed(hundredths, 0) }
}

/// Whether there are motors for the motion.
fn verdict(done: &Done, sizings: &[Sizing]) -> String {
    if let Some((time, violation)) = done.out_of_range() {
        return format!(
            "No: the motion is not for this robot, whatever the motor: {violation}, at {} s",
            human(*time, 4)
        );
    }
    if let [all] = sizings
        && let Some(best) = all.best()
    {
        let (criterion, margin) = best.tightest();
        let verdict = if best.suffices() { "Yes" } else { "No motor is sufficient. The best" };
        return format!("{verdict}: {}, {} at the {criterion}", name(best), percent(margin));
    }
    let without: Vec<String> = sizings
        .iter()
        .filter(|sizing| !sizing.suffices())
        .flat_map(|sizing| sizing.joints.iter().map(usize::to_string))
        .collect();
    match &without[..] {
        [] => String::from("Yes: there is a motor for each joint"),
        [one] => format!("No motor is sufficient for joint {one}"),
        many => format!("No motor is sufficient for joints {}", many.join(", ")),
    }
}

fn as_text(plan: &MotionPlan, motors: &MotorList, done: &Done, sizings: &[Sizing], screen: &mut Screen) {
    screen.heading(format!("{}: {}", plan.robot.name, plan.what()));
    screen.line(done.pace());
    screen.line("");
    screen.heading(verdict(done, sizings));
    done.notes(screen);
    screen.line("");
    if let [all] = sizings {
        let mut table = Table::new("llrrrrrrrrl");
        table.head(head(all.slides));
        all.fits.iter().for_each(|fit| table.row(row(fit, all.slides, all.slides)));
        screen.table(&table);
    } else {
        one_by_one(sizings, screen);
    }
    sources(motors, screen);
}

/// What is told where joints have different motors.
fn one_by_one(sizings: &[Sizing], screen: &mut Screen) {
    let joints = |sizing: &Sizing| sizing.joints.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    screen.line("  The best for each joint:");
    let mut table = Table::new("rllrrrrrrrrl");
    let units = sizings.iter().any(|sizing| sizing.slides);
    table.head(std::iter::once("joint").chain(head(units)));
    for sizing in sizings {
        if let Some(best) = sizing.best() {
            table.row(std::iter::once(joints(sizing)).chain(row(best, sizing.slides, units)));
        }
    }
    screen.table(&table);
    screen.line("");
    screen.line("  Which combination suffices for which joint, and with which margin:");
    let mut table = Table::new(&format!("l{}", "r".repeat(sizings.len())));
    table.head(std::iter::once(String::new()).chain(sizings.iter().map(joints)));
    // Joints that slide have other combinations than those that turn.
    let mut combinations: Vec<String> = Vec::new();
    for combination in sizings.iter().flat_map(|sizing| sizing.fits.iter().map(name)) {
        if !combinations.contains(&combination) {
            combinations.push(combination);
        }
    }
    for combination in combinations {
        let margins = sizings.iter().map(|sizing| match sizing.fits.iter().find(|fit| name(fit) == combination) {
            Some(fit) if fit.suffices() => percent(fit.tightest().1),
            Some(_) => String::from("no"),
            None => String::from("–"),
        });
        table.row(std::iter::once(combination.clone()).chain(margins));
    }
    screen.table(&table);
}

/// What is told of a motor with a gear; where joints slide the units stand with the numbers.
fn head(units: bool) -> [&'static str; 11] {
    let [joint, peak, rms, speed] = match units {
        true => ["joint", "peak", "RMS", "speed"],
        false => ["joint, N m", "peak, N m", "RMS, N m", "speed, 1/min"],
    };
    ["motor", "gear", joint, peak, rms, "heat", speed, "inertia", "peak, W", "mean, W", "margin"]
}

fn row(fit: &Fit, slides: bool, units: bool) -> [String; 11] {
    let (criterion, margin) = fit.tightest();
    let with = |value: f64, digits: usize, unit: &str| match units {
        true => format!("{} {unit}", human(value, digits)),
        false => human(value, digits),
    };
    let at_motor = if fit.linear { "N" } else { "N m" };
    [
        fit.motor.clone(),
        fit.gear.clone().unwrap_or_else(|| "–".to_owned()),
        with(fit.gear_torque.needed, 3, if slides { "N" } else { "N m" }),
        with(fit.peak_torque.needed, 3, at_motor),
        with(fit.rms_torque.needed, 3, at_motor),
        format!("{} %", hundredths(fit.heat())),
        match fit.linear {
            true => with(fit.speed.needed, 4, "m/s"),
            false => with(fit.speed.needed * 60.0 / std::f64::consts::TAU, 4, "1/min"),
        },
        human(fit.inertia_ratio.needed, 3),
        human(fit.peak_power.needed, 3),
        human(fit.mean_power, 3),
        format!("{} {criterion}", percent(margin)),
    ]
}

/// Where the numbers are from.
fn sources(motors: &MotorList, screen: &mut Screen) {
    for motor in &motors.motors {
        if let Some(source) = &motor.source {
            screen.line(format!("  {}: {source}", motor.name));
        }
    }
}

fn as_json(plan: &MotionPlan, done: &Done, sizings: &[Sizing]) -> Value {
    let violations = done.violations.iter().filter(|(_, violation)| !is_tolerated(violation));
    json!({
        "robot": plan.robot.name,
        "motion": plan.order.path,
        "payload": plan.payload,
        "duration": done.duration,
        "apart": done.apart,
        "violations": violations_json(violations),
        "suffices": done.out_of_range().is_none() && sizings.iter().all(Sizing::suffices),
        "groups": sizings.iter().map(|sizing| json!({
            "joints": sizing.joints,
            "slides": sizing.slides,
            "suffices": sizing.suffices(),
            "best": sizing.best().map(name),
            "combinations": sizing.fits.iter().map(combination).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn combination(fit: &Fit) -> Value {
    let (criterion, margin) = fit.tightest();
    json!({
        "motor": fit.motor,
        "gear": fit.gear,
        "ratio": fit.ratio,
        "linear": fit.linear,
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
