//! `size`: which motors and gears can do a motion.

use super::motion::{MotionArguments, MotionPlan};
use super::motion_arm::ArmPlan;
use super::size_arm;
use crate::failure::Failure;
use crate::output::{Screen, Table, fixed, human};
use clap::Args;
use dalembert::control::Subject as _;
use dalembert::control::is_file;
use dalembert::describe::MotorList;
use dalembert::motion::sizing::{Fit, Sample, samples, size};
use dalembert::motion::{
    LawName, Machine, Passed, Point, Quantity, SamplesError, State, belong_together, passed_limits,
};
use dalembert::report::table::{Reader, TableError};
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
    let done = Done::of(&plan.machine, &motion);
    if json {
        screen.json(&as_json(plan, &done, &fits));
    } else {
        as_text(plan, motors, &done, &fits, screen);
    }
    Ok(())
}

/// What a motion is, whatever the motor.
pub struct Done {
    /// From the first to the last state, s.
    pub duration: f64,
    /// How far its end is from its start, m (rad).
    pub apart: f64,
    /// The limits of the robot's file that it passes: when, which.
    pub passed: Vec<(f64, Passed)>,
}

impl Done {
    pub fn of<M: Machine>(machine: &M, motion: &[(f64, State<M::Point>)]) -> Self {
        let (duration, apart) = match motion {
            [(start, first), .., (end, last)] => (end - start, last.position.plus(-1.0, first.position).length()),
            _ => (0.0, 0.0),
        };
        Self { duration, apart, passed: passed_limits(machine, motion.iter().copied()) }
    }

    /// An angle that it passes, where no motor helps.
    pub fn out_of_range(&self) -> Option<&(f64, Passed)> {
        self.passed.iter().find(|(_, passed)| matches!(passed.quantity, Quantity::JointAngle | Quantity::BallAngle))
    }

    /// How long it takes, and how often that is.
    pub fn pace(&self, unit: &str) -> String {
        let duration = human(self.duration, 5);
        if self.apart < 1e-6 {
            format!("  {duration} s, {} times a minute", human(60.0 / self.duration, 4))
        } else {
            format!("  {duration} s, one way: it ends {} {unit} from where it begins", human(self.apart, 3))
        }
    }

    /// The limits of the file that motors of the list would have to be allowed to pass.
    pub fn notes(&self, screen: &mut Screen) {
        for (time, passed) in &self.passed {
            if matches!(passed.quantity, Quantity::Torque | Quantity::Speed) && !passed.is_tolerated() {
                screen.line(format!("  Beyond the robot file: {passed}, at {} s", human(*time, 4)));
            }
        }
    }

    pub fn passed_json(&self) -> Value {
        let one = |(time, passed): &(f64, Passed)| {
            json!({
                "quantity": passed.quantity.as_str(),
                "joint": passed.joint,
                "value": passed.value,
                "limit": passed.limit,
                "time": time,
            })
        };
        self.passed.iter().filter(|(_, passed)| !passed.is_tolerated()).map(one).collect()
    }
}

/// A motion in a file.
fn read(name: &str) -> Result<Vec<Sample>, Failure> {
    let columns = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"].map(str::to_owned);
    let three = |numbers: &[f64]| Vec3::from_fn(|i| numbers[i]);
    let state = |(t, n): (f64, Vec<f64>)| {
        let state = State { position: three(&n), velocity: three(&n[3..]), acceleration: three(&n[6..]) };
        (t, state)
    };
    one_motion(name, &columns, numbers(name, &columns)?.into_iter().map(state).collect())
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

/// The rows of a file as states, if they are one motion.
pub fn one_motion<P: Point>(
    name: &str,
    columns: &[String],
    motion: Vec<(f64, State<P>)>,
) -> Result<Vec<(f64, State<P>)>, Failure> {
    let (times, states): (Vec<f64>, Vec<State<P>>) = motion.iter().copied().unzip();
    match belong_together(&times, &states) {
        Err(error @ SamplesError::Apart { row, component, .. }) => {
            Err(Failure::new(format!("{name}, row {}, column `{}`: {error}", row + 1, columns[component]))
                .hint("are all columns in SI units, and of the same motion?"))
        }
        Err(error) => Err(Failure::new(format!("{name}: {error}"))),
        Ok(()) => Ok(motion),
    }
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

fn as_text(plan: &MotionPlan, motors: &MotorList, done: &Done, fits: &[Fit], screen: &mut Screen) {
    let what = if is_file(&plan.order.path) {
        format!("{}, payload {} kg", plan.order.path, plan.payload)
    } else {
        plan.what()
    };
    screen.heading(format!("{}: {what}", plan.robot.name));
    screen.line(done.pace("m"));
    if let Some((time, passed)) = done.out_of_range() {
        screen.line("");
        screen.heading(format!(
            "No: the motion is not for this robot, whatever the motor: {passed}, at {} s",
            human(*time, 4)
        ));
    } else if let Some(best) = best(fits) {
        let (criterion, margin) = best.tightest();
        let verdict = if best.suffices() { "Yes" } else { "No" };
        screen.line("");
        screen.heading(format!("{verdict}: {}, {} at the {criterion}", name(best), percent(margin)));
        done.notes(screen);
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

fn as_json(plan: &MotionPlan, done: &Done, fits: &[Fit]) -> Value {
    json!({
        "robot": plan.robot.name,
        "motion": plan.order.path,
        "payload": plan.payload,
        "duration": done.duration,
        "apart": done.apart,
        "passed": done.passed_json(),
        "suffices": done.out_of_range().is_none() && fits.iter().any(Fit::suffices),
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
