//! Rotors that are out of all proportion to what they move: the commonest mistake of a unit in a robot file.

use crate::parameter::{Place, Unit};
use crate::report::text::human;
use crate::robot::file::numbers::Numbers;
use crate::robot::file::warn::Warnings;
use crate::robot::file::{Document, Warning};
use crate::robot::{JointKind, Robot};

/// By how much the reflected inertia of a rotor can exceed the largest inertia that a joint of the robot moves at home: where joints turn,
/// and where they slide. Geared motors are matched to their load to about one, light wrists are moved by motors made for more, and the
/// fine spindles of positioning hexapods multiply a rotor by 10⁷. A rotor in kg cm² that is read as kg m² is 10⁴ times too large.
const MOST: [f64; 2] = [30.0, 1000.0];

/// With its largest torque and nothing to move, a geared motor speeds up by more than this, rad/s²: servo motors by 10³ to 10⁵, large
/// induction motors by several hundred. In kg cm² that are read as kg m² it is 10⁴ times less.
const LEAST: f64 = 100.0;

/// Units of data sheets, in kg m².
const UNITS: [(&str, f64); 3] = [("kg cm^2", 1e-4), ("kg mm^2", 1e-6), ("g cm^2", 1e-7)];

/// The rotors of a robot, compared with its mass matrix at home without them.
pub(super) fn warnings(file: &Document<'_>, robot: &Robot, common: Option<&'static str>) -> Vec<Warning> {
    let joints = robot.joints();
    let Some(moved) = moved(robot).filter(|_| joints.iter().any(|joint| joint.rotor_inertia > 0.0)) else {
        return Vec::new();
    };
    let all = robot.numbers();
    let tables = robot.kind().part_table.filter(|table| file.has(table)).and_then(|table| file.entries(table));
    let mut warnings = Warnings::new(file);
    for number in all.iter().filter(|number| matches!(number.field.unit, Unit::RotorInertia | Unit::MotorInertia)) {
        // What belongs to no part is that of the last joint, which turns the tool.
        let joint = number.place.part.unwrap_or(joints.len() - 1);
        let slides = joints[joint].kind == JointKind::Prismatic;
        let (reflected, most) = (joints[joint].rotor_inertia, MOST[usize::from(slides)]);
        let largest = (0..joints.len()).filter(|&k| joints[k].kind == joints[joint].kind).map(|k| moved[k]);
        let largest = largest.fold(0.0, f64::max);
        let ratio = all.iter().find(|other| other.place == number.place && other.field.unit == Unit::GearRatio);
        let ratio = ratio.map_or(1.0, |ratio| ratio.value).abs();
        let alone = ratio * joints[joint].limits.max_torque / reflected;
        let is_slow = number.field.unit == Unit::RotorInertia && ratio > 1.0 && alone > 0.0 && alone < LEAST;
        let is_large = largest > 0.0 && reflected > most * largest;
        if !(is_slow || is_large) {
            continue;
        }
        let numbers = Numbers { file, part_table: robot.kind().part_table, common, slides };
        let part = number.place.part.map(|part| tables.map_or(part, |tables| part % tables.max(1)));
        let path = numbers.path(number.field, Place { part, component: None });
        let arm = part.filter(|_| robot.kind().part_table.is_none()).map(|part| part + 1);
        if warnings.has(&path) && !file.is_list(&path) {
            continue;
        }
        let unit = if slides { "kg" } else { "kg m²" };
        let [added, times, load] = [(reflected, 4), (reflected / largest, 3), (largest, 3)].map(|(x, d)| human(x, d));
        let at_joint = match number.field.unit {
            Unit::RotorInertia if ratio != 1.0 => {
                format!("with a gear ratio of {} it adds {added} {unit} at the joint, ", human(ratio, 6))
            }
            _ => format!("it adds {added} {unit} at the joint, "),
        };
        let word = file.words(&path).into_iter().nth(arm.filter(|_| file.is_list(&path)).map_or(0, |arm| arm - 1));
        let bare = word.as_ref().is_some_and(|(_, word)| word.parse::<f64>().is_ok());
        let likely = UNITS.iter().find(|(_, size)| bare && (is_slow || reflected * size < 0.1 * most * largest));
        let question = match likely {
            Some((unit, _)) => format!("should it be \"{} {unit}\"?", human(number.value, 6).replace('−', "-")),
            None if reflected < ratio * ratio * most * largest => "is it that of the joint's side already?".to_owned(),
            None => "is it in another unit?".to_owned(),
        };
        let load = match is_large {
            true => format!("{times} times the {load} {unit} that the bodies have about such a joint at home"),
            false => format!("so that `max_torque` accelerates the motor alone by only {} rad/s²", human(alone, 3)),
        };
        warnings.add(&path, arm, &format!(": {at_joint}{load}: {question}"));
    }
    warnings.sorted()
}

/// What each joint moves at home, without rotors, kg m² (kg).
fn moved(robot: &Robot) -> Option<Vec<f64>> {
    let bare = robot.without_rotors().ok()?;
    let home = bare.home().ok()?;
    let mass = bare.exact()?.mass_matrix(&home);
    Some(mass.iter().enumerate().map(|(i, row)| row[i]).collect())
}
