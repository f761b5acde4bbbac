//! What verbs have in common of what is typed in: robots, numbers with their units, choices by name.

use crate::failure::{Failure, say};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dalembert::Vec3;
use dalembert::delta::{Assembly, Branch};
use dalembert::robot::file::{Dimension, Warning, quantity};
use dalembert::robot::{Joint, JointKind, JointVector, Robot};
use dalembert::robots;
use dalembert::verbs::{out_of_range, require_computable};

/// One of some values by its name: value, name, help.
pub fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    all: [(T, &'static str, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let value = |(_, name, help): &(T, &'static str, &'static str)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    };
    PossibleValuesParser::new(all.iter().map(value).collect::<Vec<_>>()).try_map(move |typed| {
        all.iter().find(|(_, name, _)| *name == typed).map(|(value, ..)| value.clone()).ok_or("unknown")
    })
}

/// The solution branch of the inverse kinematics.
pub fn branch() -> impl TypedValueParser<Value = Branch> {
    one_of([(Branch::Out, "out", "Elbows outward, the usual one"), (Branch::In, "in", "Elbows inward")])
}

/// The solution of the forward kinematics.
pub fn assembly() -> impl TypedValueParser<Value = Assembly> {
    one_of([
        (Assembly::Below, "below", "Platform below the elbows, the usual one"),
        (Assembly::Above, "above", "Platform above the elbows"),
    ])
}

/// A robot, as its file describes it or otherwise.
#[derive(Args)]
pub struct RobotArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    #[command(flatten)]
    pub changes: FileChanges,
}

/// What if? A file that says something else, for this run.
#[derive(Args, Default)]
pub struct FileChanges {
    /// Override a value of the robot file, as in `forearm.mass=0.5`
    ///
    /// May be repeated. With a unit: `--set "link.2.mass=500 g"`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl RobotArguments {
    /// The robot. What is odd in it is reported once.
    pub fn find(&self) -> Result<Robot, Failure> {
        let robot = self.quietly()?;
        say_warnings(&self.robot, &robot.warnings);
        require_computable(&robot)?;
        Ok(robot)
    }

    /// The robot; what is odd in it is for the caller to report.
    pub fn quietly(&self) -> Result<Robot, Failure> {
        Ok(Robot::find_with(&self.robot, &self.changes.set)?)
    }
}

/// A robot with what it carries.
#[derive(Args)]
pub struct CarryingArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    /// Payload mass, kg or with unit
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
}

impl CarryingArguments {
    /// The robot. What is odd in it is reported once.
    pub fn find(&self) -> Result<Robot, Failure> {
        with_payload(self.robot.find()?, &self.payload)
    }
}

pub fn with_payload(robot: Robot, payload: &Option<String>) -> Result<Robot, Failure> {
    let Some(mass) = optional(not_negative, "payload", payload, Dimension::Mass)? else { return Ok(robot) };
    let robot = robot.with_payload(mass).map_err(|error| Failure::new(format!("--payload: {error}")))?;
    require_computable(&robot)?;
    Ok(robot)
}

/// Warns of a pose that is typed and beyond the ranges of the joints.
pub fn say_ranges(robot: &Robot, q: &[f64]) {
    if let Some(found) = out_of_range(robot, q) {
        say(&format!("warning: {}", found.message));
    }
}

/// What is odd in a robot; what is odd in a built-in one as it comes, `check` reports.
pub fn say_warnings(name: &str, warnings: &[Warning]) {
    let built_in = robots::BUILT_IN.iter().any(|robot| robot.name == name);
    let known =
        Robot::find(name).ok().filter(|_| built_in && !warnings.is_empty()).map_or(Vec::new(), |own| own.warnings);
    for warning in warnings.iter().filter(|warning| !known.contains(warning)) {
        say(&format!("warning: {name}, {warning}"));
    }
}

/// What messages call an input.
pub fn name_of(input: &str) -> &str {
    if input == "-" { "standard input" } else { input }
}

/// A length, m or with unit.
pub fn length(text: &str) -> Result<f64, String> {
    quantity(text, Dimension::Length).map_err(|error| error.to_string())
}

pub fn number(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    quantity(text, dimension).map_err(|error| Failure::new(format!("--{option}: {}", error.problem)).hint(error.hint))
}

pub fn positive(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    match number(option, text, dimension)? {
        value if value > 0.0 => Ok(value),
        value => Err(Failure::new(format!("--{option} is {value}, but must be positive"))),
    }
}

pub fn not_negative(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    match number(option, text, dimension)? {
        value if value >= 0.0 && value.is_finite() => Ok(value),
        value => Err(Failure::new(format!("--{option} is {value}, but must be zero or positive"))),
    }
}

/// How a number of an option is read: [`number`], [`positive`], [`not_negative`].
type Parse = fn(&str, &str, Dimension) -> Result<f64, Failure>;

pub fn optional(parse: Parse, option: &str, text: &Option<String>, of: Dimension) -> Result<Option<f64>, Failure> {
    text.as_deref().map(|text| parse(option, text, of)).transpose()
}

/// Any number of them, separated by commas, each with what it measures.
pub fn numbers(option: &str, text: &str, dimension: impl Fn(usize) -> Dimension) -> Result<Vec<f64>, Failure> {
    text.split(',').enumerate().map(|(i, part)| number(option, part, dimension(i))).collect()
}

/// So many, each with what it measures; one stands for all.
pub fn one_each(
    option: &str,
    text: &str,
    count: usize,
    dimension: impl Fn(usize) -> Dimension,
) -> Result<Vec<f64>, Failure> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != count && parts.len() != 1 {
        return Err(Failure::new(format!("--{option}: {count} numbers are needed, here are {}", parts.len())));
    }
    (0..count).map(|k| number(option, parts[k.min(parts.len() - 1)], dimension(k))).collect()
}

/// Three; `what` says which.
pub fn three(option: &str, text: &str, dimension: Dimension, what: &str) -> Result<Vec3<f64>, Failure> {
    match numbers(option, text, |_| dimension)?[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        ref many => Err(Failure::new(format!("--{option}: {what}, but `{text}` has {}", many.len()))),
    }
}

/// What a number of a joint measures that turns, and of one that slides.
pub type OfJoint = [Dimension; 2];

pub const POSITION: OfJoint = [Dimension::Angle, Dimension::Length];
pub const VELOCITY: OfJoint = [Dimension::AngularSpeed, Dimension::Speed];
pub const ACCELERATION: OfJoint = [Dimension::Ratio, Dimension::Acceleration];
pub const EFFORT: OfJoint = [Dimension::Torque, Dimension::Force];

/// Every joint has units of its own: a slide is not an angle.
pub fn of_joints(joints: &[Joint], [turning, sliding]: OfJoint) -> impl Fn(usize) -> Dimension {
    move |i| if joints.get(i).is_some_and(|joint| joint.kind == JointKind::Prismatic) { sliding } else { turning }
}

/// One number for each joint; one stands for all.
pub fn joint_vector(option: &str, text: &str, joints: &[Joint], of: OfJoint) -> Result<JointVector, Failure> {
    one_each(option, text, joints.len(), of_joints(joints, of)).map(|values| JointVector::new(&values))
}

/// Those of some options that were given, as they are typed: `given!(self; path, cycle)`.
macro_rules! given {
    ($arguments:expr; $($option:ident),+ $(,)?) => {
        [$((stringify!($option), $arguments.$option.is_some())),+]
            .into_iter()
            .filter(|(_, given)| *given)
            .map(|(option, _)| option.replace('_', "-"))
    };
}
pub(crate) use given;
