//! The table `[fourth_axis]` of robot files. Its keys, their units and their defaults are those of the table in
//! [`crate::turning`].

use super::{Translating, TurningRobot};
use crate::friction::Friction;
use crate::limits::{self, JointLimits};
use crate::parameter::{Field, LEAST_AND_MOST, Must, Place, Slot, Tolerance, Unit, Visit};
use crate::report::text::human;
use crate::robot::Robot;
use crate::robot::file::numbers::{Numbers, keys};
use crate::robot::file::warn::Warnings;
use crate::robot::file::write::{TomlText, entries, known_angle, tables_of};
use crate::robot::file::{Document, FileError};
use crate::turning::FourthAxis;

/// The table.
const TABLE: &str = "fourth_axis";
/// The table that a motor on the base needs.
const SHAFT: &str = "fourth_axis.shaft";
/// The number that a motor on the platform has.
const MOTOR_MASS: &str = "fourth_axis.motor.mass";

static LIMITS: [Field; 3] = [
    Field { key: "fourth_axis.range", ..limits::FIELDS[0] },
    Field { key: "fourth_axis.motor.max_torque", ..limits::FIELDS[1] },
    Field { key: "fourth_axis.motor.max_speed", ..limits::FIELDS[2] },
];

static LENGTH: Field =
    Field::new("fourth_axis.shaft.length", "", "length of the shaft", Unit::Length, Must::Limit, Tolerance::None)
        .with_components(&LEAST_AND_MOST);

static BEND: Field = Field::new(
    "fourth_axis.shaft.max_joint_angle",
    "",
    "greatest angle of the universal joints",
    Unit::Angle,
    Must::Limit,
    Tolerance::None,
);

/// Whether a file has a fourth axis.
pub(in crate::robot) fn is_there(file: &Document<'_>) -> bool {
    file.has(TABLE)
}

/// Every number of the table.
fn visit(axis: &mut FourthAxis<f64>, limits: &mut JointLimits, length: &mut [f64; 2], visit: &mut Visit<'_, f64>) {
    axis.visit(visit);
    limits.visit(&LIMITS, Place::WHOLE, visit);
    if axis.shaft.is_some() {
        for (k, slot) in length.iter_mut().enumerate() {
            visit(&LENGTH, Place::WHOLE.component(k), Slot::Number(slot));
        }
        visit(&BEND, Place::WHOLE, Slot::Number(&mut limits.max_ball_angle));
    }
}

/// Any length.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The robot of a file that has the table; `read` reads the robot without it, and leaves the keys that it is told to somebody else.
pub(in crate::robot) fn read<F: Translating>(
    file: &Document<'_>,
    read: impl FnOnce(&Document<'_>, &[&'static str]) -> Result<Robot, FileError>,
) -> Result<Robot, FileError> {
    let numbers = Numbers { file, part_table: None, common: None, slides: false };
    let (mut axis, mut limits, mut length) = (FourthAxis::of_empty_file(file.has(SHAFT)), JointLimits::NONE, ANY);
    let mut known = keys(|each| visit(&mut axis, &mut limits, &mut length, each));
    known.push(MOTOR_MASS);
    let below = read(file, &known)?;
    let Some(robot) = below.of_type::<F>().cloned() else {
        let problem = "a fourth axis turns the tool of a platform that translates, and this one turns itself";
        return Err(file.error(file.span(TABLE, None), problem, "leave out the table: its legs turn the platform"));
    };
    if file.has(SHAFT) && file.has(MOTOR_MASS) {
        return Err(file.error(
            file.span(MOTOR_MASS, None),
            format!("`{MOTOR_MASS}` is of a motor on the platform, but with a shaft the motor is on the base"),
            format!("leave out the mass, or the table [{SHAFT}]"),
        ));
    }
    numbers.read(|each| visit(&mut axis, &mut limits, &mut length, each))?;
    axis.motor.friction = axis.motor.friction.and_then(Friction::of_file);
    let hint = |field: &Field| match field.key {
        MOTOR_MASS => Some("it sits on the platform; a motor on the base has a table [fourth_axis.shaft] instead"),
        "fourth_axis.tool.inertia" => {
            Some("about the tool's own centre of mass, parallel to the axis, as in \"2 kg cm^2\"")
        }
        _ => None,
    };
    numbers.refuse_missing(hint, |each| axis.visit(each))?;
    let at = |key: &str, problem: String, hint: &str| Err(file.error(file.span(key, None), problem, hint));
    if let [x, y, _] = below.kind().tool_offset.0
        && [x, y] != [0.0; 2]
    {
        let problem = format!("`platform.tool` is {} m beside the fourth axis", human(x.hypot(y), 6));
        return at("platform.tool", problem, "the axis turns the tool: its point is on the axis, x and y are 0");
    }
    if let Err(error) = axis.check() {
        return at(error.field, error.to_string(), "see docs/robot-files.md for what each key means");
    }
    let [least, most] = length;
    if most <= 0.0 || least >= most {
        let problem = format!("`{}` is from {} to {} m", LENGTH.key, human(least, 6), human(most, 6));
        return at(LENGTH.key, problem, "the least length, then the largest");
    }
    if limits.max_ball_angle <= 0.0 {
        let problem = format!("`{}` is {} rad, but must be positive", BEND.key, human(limits.max_ball_angle, 6));
        return at(BEND.key, problem, "from the straight joint, as in \"45 deg\"");
    }
    let mut odd = Warnings::new(file);
    odd.units(&numbers, |each| visit(&mut axis, &mut limits, &mut length, each));
    odd.friction("fourth_axis.motor.friction", None, axis.motor.friction, "N m");
    let warnings = below.warnings.into_iter().chain(odd.sorted()).collect();
    let family = Box::new(TurningRobot::new(robot, axis, limits, length));
    Ok(Robot::of_family(below.name, below.source, warnings, family))
}

/// The table as a file has it.
pub(super) fn write<F>(robot: &TurningRobot<F>) -> String {
    let &TurningRobot { mut axis, mut limits, mut length, .. } = robot;
    let entries = entries(false, known_angle, |each| visit(&mut axis, &mut limits, &mut length, each));
    let mut tables = tables_of(&entries);
    // A table before those inside of it.
    tables.sort_by_key(|name| name.matches('.').count());
    let mut text = TomlText::more();
    text.tables(tables, &entries);
    text.finish()
}
