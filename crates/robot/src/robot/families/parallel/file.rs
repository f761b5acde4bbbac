//! The files of parallel robots: legs one by one, what they have in common, symmetric ones, and robots back to files. The keys,
//! their units and their defaults are those of the table in [`crate::parallel`].

use super::{KIND, ParallelRobot};
use crate::delta::Branch;
use crate::friction::Friction;
use crate::limits::{self, JointLimits};
use crate::parallel::{Chain, LegParameters, Parallel, ParallelParameters};
use crate::parameter::{Field, Must, ParameterError, Place, Slot, Tolerance, Unit, Visit};
use crate::robot::families::{MORE_MOTORS, refuse_idle};
use crate::robot::file::document::choice;
use crate::robot::file::numbers::{Numbers, keys, tables};
use crate::robot::file::units::{self, Dimension};
use crate::robot::file::warn::Warnings;
use crate::robot::file::write::{TomlText, entries, known_angle, text};
use crate::robot::file::{Document, FileError, Warning};
use crate::robot::{Family, Robot};
use crate::{Angle, Vec3};
use std::f64::consts::TAU;

/// The limits of every joint, where a leg's table has them.
static LIMITS: [Field; 3] = [
    limits::FIELDS[0],
    Field { key: "motor.max_torque", ..limits::FIELDS[1] },
    Field { key: "motor.max_speed", ..limits::FIELDS[2] },
];

static BALL_ANGLE: Field =
    Field::new("max_ball_angle", "", "greatest ball angle", Unit::Angle, Must::Limit, Tolerance::None);

/// The table of what all legs have in common.
pub(in crate::robot) const COMMON: &str = "legs";
/// The one arrangement that has a name, and the table with its measures.
const HEXAPOD: &str = "hexapod";
const CIRCLES: [(&str, Dimension); 6] = [
    ("circles.base_radius", Dimension::Length),
    ("circles.base_angle", Dimension::Angle),
    ("circles.platform_radius", Dimension::Length),
    ("circles.platform_angle", Dimension::Angle),
    ("circles.base_height", Dimension::Length),
    ("circles.platform_height", Dimension::Length),
];

const KINDS: [&str; 3] = ["rotary", "slider", "strut"];
const BRANCHES: [(&str, Branch); 2] = [("out", Branch::Out), ("in", Branch::In)];

fn kind_of(chain: &Chain<f64>) -> &'static str {
    match chain {
        Chain::Rotary { .. } => KINDS[0],
        Chain::Slider { .. } => KINDS[1],
        Chain::Strut { .. } => KINDS[2],
    }
}

/// Every number of a leg's table.
fn visit(leg: &mut LegParameters<f64>, limits: &mut JointLimits, place: Place, visit: &mut Visit<'_, f64>) {
    leg.visit(place, visit);
    limits.visit(&LIMITS, place, visit);
    visit(&BALL_ANGLE, place, Slot::Number(&mut limits.max_ball_angle));
}

/// How the legs are given: so many tables, each for so many legs about z.
struct Layout {
    tables: usize,
    symmetry: usize,
    /// Base and platform joints of the two tables that a hexapod stands for.
    circles: Option<[[Vec3<f64>; 2]; 2]>,
}

impl Layout {
    fn read(file: &Document<'_>) -> Result<Self, FileError> {
        if let Some(arrangement) = file.string("arrangement")? {
            if arrangement != HEXAPOD {
                let problem = format!("unknown arrangement \"{arrangement}\"");
                let hint = "write arrangement = \"hexapod\", or give each [[leg]]";
                return Err(file.error(file.span("arrangement", None), problem, hint));
            }
            if file.has("leg") || file.has("symmetry") {
                let hint = "its legs are said by [circles] and [legs]; leave out `arrangement` to give each [[leg]]";
                return Err(file.error(
                    file.span("arrangement", None),
                    "a hexapod has no [[leg]] and no `symmetry`",
                    hint,
                ));
            }
            return Ok(Self { tables: 2, symmetry: 3, circles: Some(circles(file)?) });
        }
        let (tables, symmetry) = (file.tables("leg")?, file.index("symmetry")?.unwrap_or(1));
        match tables.saturating_mul(symmetry) {
            3 | 6 => Ok(Self { tables, symmetry, circles: None }),
            legs => {
                let path = if symmetry == 1 { "leg" } else { "symmetry" };
                let problem = format!("{legs} legs: a parallel robot has three, which translate its platform, or six");
                Err(file.error(file.span(path, None), problem, MORE_MOTORS))
            }
        }
    }

    /// The table (from 1) of a leg (from 0).
    fn table(&self, leg: usize) -> usize {
        leg % self.tables + 1
    }
}

/// Pairs on two circles: on the base at 0°, 120° and 240° ± the base's angle, on the platform at 60°, 180° and 300° ± the
/// platform's. Legs go from a pair of the base to its two neighbours on the platform.
fn circles(file: &Document<'_>) -> Result<[[Vec3<f64>; 2]; 2], FileError> {
    let mut values = [0.0; 6];
    for (i, (value, (path, dimension))) in values.iter_mut().zip(CIRCLES).enumerate() {
        match file.scalar(path, dimension)? {
            Some(given) => *value = given,
            None if i < 4 => {
                let hint = format!("it is {}, as in {}", dimension.name(), dimension.example());
                return Err(file.missing(path, hint));
            }
            None => {}
        }
    }
    let [base, base_angle, platform, platform_angle, base_height, platform_height] = values;
    let on = |radius: f64, angle: f64, height: f64| {
        let Angle { cos, sin } = Angle::from_radians(angle);
        Vec3::new(radius * cos, radius * sin, height)
    };
    let third = TAU / 3.0;
    let leg = |at: f64, to: f64| [on(base, at, base_height), on(platform, to, platform_height)];
    Ok([leg(base_angle, 0.5 * third - platform_angle), leg(third - base_angle, 0.5 * third + platform_angle)])
}

/// The robot of a file; keys that are `beside` it are somebody else's.
pub(in crate::robot) fn read(file: &Document<'_>, beside: &[&'static str]) -> Result<Robot, FileError> {
    // Whatever the legs are.
    let mut any = ParallelParameters::of_empty_file([LegParameters::of_empty_file(Chain::of_empty_file()[2]); 6]);
    check_top(file, beside, &mut any)?;
    let layout = Layout::read(file)?;
    let name = file.name()?;
    let source = file.string("source")?.map(str::to_owned);
    let mut legs = Vec::new();
    for table in 0..layout.tables {
        legs.push((empty_leg(file, &layout, table)?, JointLimits::NONE));
    }
    check_legs(file, &layout, &mut legs)?;
    for (table, (leg, limits)) in legs.iter_mut().enumerate() {
        read_leg(file, table, leg, limits)?;
    }
    let all: Vec<(LegParameters<f64>, JointLimits)> = (0..layout.symmetry)
        .flat_map(|turn| {
            let angle = Angle::from_radians(TAU * turn as f64 / layout.symmetry as f64);
            legs.iter().map(move |(leg, limits)| (turned(*leg, angle), *limits))
        })
        .collect();
    let (family, warnings) = match all.len() {
        3 => whole::<3>(file, beside, &layout, &all)?,
        _ => whole::<6>(file, beside, &layout, &all)?,
    };
    Ok(Robot::of_family(name, source, warnings, family))
}

/// The same leg turned about z.
fn turned(leg: LegParameters<f64>, Angle { cos, sin }: Angle<f64>) -> LegParameters<f64> {
    // No negative zeros, which a file would not give back.
    let turn = |v: Vec3<f64>| Vec3::new(cos * v[0] - sin * v[1] + 0.0, sin * v[0] + cos * v[1] + 0.0, v[2]);
    let chain = match leg.chain {
        Chain::Rotary { axis, zero, length, arm, rod } => {
            Chain::Rotary { axis: turn(axis), zero: turn(zero), length, arm, rod }
        }
        Chain::Slider { direction, carriage, rod } => Chain::Slider { direction: turn(direction), carriage, rod },
        strut @ Chain::Strut { .. } => strut,
    };
    LegParameters { base: turn(leg.base), platform: turn(leg.platform), chain, ..leg }
}

fn whole<const N: usize>(
    file: &Document<'_>,
    beside: &[&'static str],
    layout: &Layout,
    all: &[(LegParameters<f64>, JointLimits)],
) -> Result<(Box<dyn Family>, Vec<Warning>), FileError> {
    let mut parameters = ParallelParameters::of_empty_file(std::array::from_fn::<_, N, _>(|i| all[i].0));
    let numbers = Numbers { file, part_table: None, common: None, slides: false };
    check_top(file, beside, &mut parameters)?;
    numbers.read(|each| parameters.visit_whole(each))?;
    numbers.refuse_missing(|_| None, |each| parameters.visit_whole(each))?;
    let robot = Parallel::try_new(parameters).map_err(|error| impossible(file, layout, error))?;
    let mut warnings = Warnings::new(file);
    warnings.units(&numbers, |each| parameters.visit_whole(each));
    warnings.gravity(parameters.gravity);
    for (i, &(mut leg, mut limits)) in all.iter().enumerate().take(layout.tables) {
        let numbers = Numbers { file, part_table: KIND.part_table, common: Some(COMMON), slides: leg.slides() };
        warnings.units(&numbers, |each| visit(&mut leg, &mut limits, Place::part(i), each));
    }
    for (i, leg) in parameters.legs.iter().enumerate().take(layout.tables) {
        let own = format!("leg.{}.motor.friction", layout.table(i));
        let path = if file.has(&own) { own } else { format!("{COMMON}.motor.friction") };
        warnings.friction(&path, None, leg.motor.friction, if leg.slides() { "N" } else { "N m" });
    }
    let robot = ParallelRobot { robot, limits: std::array::from_fn(|i| all[i].1) };
    Ok((Box::new(robot), warnings.sorted()))
}

/// The tables of the top; a platform that does not turn has fewer keys.
fn check_top<const N: usize>(
    file: &Document<'_>,
    beside: &[&'static str],
    parameters: &mut ParallelParameters<f64, N>,
) -> Result<(), FileError> {
    let mut paths = vec!["kind", "name", "source", "symmetry", "arrangement", "leg", COMMON];
    paths.extend(CIRCLES.map(|(path, _)| path));
    paths.extend(keys(|each| parameters.visit_whole(each)));
    paths.extend(beside);
    if !ParallelParameters::<f64, N>::TURNS {
        refuse_idle(file)?;
    }
    file.check_keys(&tables("", &paths))
}

/// The keys of a leg are those of its kind; those of what legs have in common are of any of their kinds.
fn check_legs(
    file: &Document<'_>,
    layout: &Layout,
    legs: &mut [(LegParameters<f64>, JointLimits)],
) -> Result<(), FileError> {
    let (mut known, mut of_legs) = (Vec::new(), Vec::new());
    for (i, (leg, limits)) in legs.iter_mut().enumerate() {
        let friction = leg.motor.friction;
        leg.motor.friction = Some(Friction::NONE);
        let mut own = vec!["kind", "branch"];
        own.extend(keys(|each| visit(leg, limits, Place::WHOLE, each)));
        leg.motor.friction = friction;
        if layout.circles.is_none() {
            known.extend(tables(&format!("leg.{}", i + 1), &own));
        }
        of_legs.push(own);
    }
    let common = of_legs.concat();
    known.extend(tables(COMMON, &common));
    file.check_keys(&known)?;
    let mut shared = common.iter().map(|key| (key, format!("{COMMON}.{key}"))).filter(|(_, path)| file.has(path));
    let counts = |(i, own): (usize, &Vec<&str>), key| own.contains(key) && !file.has(&format!("leg.{}.{key}", i + 1));
    let idle = shared.find(|(key, _)| !of_legs.iter().enumerate().any(|leg| counts(leg, key)));
    idle.map_or(Ok(()), |(key, path)| {
        let problem = format!("`{path}` has no effect: every [[leg]] has its own `{key}`");
        Err(file.error(file.span(&path, None), problem, format!("change `leg.1.{key}`, or leave one of the two out")))
    })
}

/// What a leg's table or, where that does not say it, the table of all legs says.
fn said<T>(
    table: usize,
    key: &str,
    read: impl Fn(&str) -> Result<Option<T>, FileError>,
) -> Result<Option<T>, FileError> {
    match read(&format!("leg.{table}.{key}"))? {
        Some(own) => Ok(Some(own)),
        None => read(&format!("{COMMON}.{key}")),
    }
}

/// A leg of the kind that the file says, with nothing else said but its branch and, of a hexapod, its joints.
fn empty_leg(file: &Document<'_>, layout: &Layout, i: usize) -> Result<LegParameters<f64>, FileError> {
    let table = i + 1;
    let chains = Chain::of_empty_file();
    let choices: [(&str, Chain<f64>); 3] = std::array::from_fn(|k| (KINDS[k], chains[k]));
    let Some(chain) = said(table, "kind", |path| choice(file, path, &choices))? else {
        let path = if layout.circles.is_some() { format!("{COMMON}.kind") } else { format!("leg.{table}.kind") };
        return Err(file.missing(&path, "write \"rotary\", \"slider\" or \"strut\""));
    };
    let mut leg = LegParameters::of_empty_file(chain);
    if let Some(circles) = &layout.circles {
        [leg.base, leg.platform] = circles[i];
    }
    leg.branch = said(table, "branch", |path| choice(file, path, &BRANCHES))?.unwrap_or(Branch::Out);
    Ok(leg)
}

fn read_leg(
    file: &Document<'_>,
    i: usize,
    leg: &mut LegParameters<f64>,
    limits: &mut JointLimits,
) -> Result<(), FileError> {
    let place = Place::part(i);
    let numbers = Numbers { file, part_table: KIND.part_table, common: Some(COMMON), slides: leg.slides() };
    numbers.read(|each| visit(leg, limits, place, each))?;
    if leg.slides() {
        check_slide_motor(&numbers, i)?;
    }
    leg.motor.friction = leg.motor.friction.and_then(Friction::of_file);
    match &mut leg.chain {
        Chain::Rotary { axis, zero, rod, .. } => {
            *axis = unit(*axis);
            // Its part across the axis counts.
            let along = axis.dot(*zero);
            *zero = unit(if along.abs() < 1e-15 { *zero } else { *zero - *axis * along });
            follow(rod);
        }
        Chain::Slider { direction, rod, .. } => {
            *direction = unit(*direction);
            follow(rod);
        }
        Chain::Strut { .. } => {}
    }
    numbers.refuse_missing(|_| None, |each| leg.visit(place, each))
}

/// The mass of a linear motor has no gear; the rotor of a motor that turns has one.
fn check_slide_motor(numbers: &Numbers<'_, '_>, i: usize) -> Result<(), FileError> {
    let file = numbers.file;
    let [rotor, gear] = ["rotor_inertia", "gear_ratio"].map(|key| {
        let own = format!("leg.{}.motor.{key}", i + 1);
        if file.has(&own) { own } else { format!("{COMMON}.motor.{key}") }
    });
    let Some((span, text)) = file.words(&rotor).into_iter().next() else { return Ok(()) };
    let [is_mass, turns] = [Dimension::Mass, Dimension::Inertia].map(|dimension| units::parse(&text, dimension).ok());
    let has_ratio = file.scalar(&gear, Dimension::SlideRatio)?.is_some_and(|ratio| ratio != 1.0);
    if is_mass.is_some() && has_ratio {
        let problem = format!("`{rotor}` is a mass, but `{gear}` says that the motor turns");
        let hint = "give the rotor's inertia, as in \"0.2 kg cm^2\"; a linear motor has no gear ratio";
        return Err(file.error(span, problem, hint));
    }
    if turns.is_some_and(|inertia| inertia != 0.0) && !file.has(&gear) {
        let problem = format!("`{rotor}` is that of a motor that turns, but the joint slides and there is no `{gear}`");
        let hint = "give the ratio or the lead, as in \"400 rad/m\" or \"5 mm\"; of a linear motor give its mass, as in \"16.5 kg\"";
        return Err(file.error(span, problem, hint));
    }
    Ok(())
}

/// A vector of length one; one that already is stays as it is.
fn unit(v: Vec3<f64>) -> Vec3<f64> {
    let square = v.norm_squared();
    if (square - 1.0).abs() < 1e-15 || square.is_nan() || square <= 0.0 { v } else { v * (1.0 / square.sqrt()) }
}

/// What is left out of a rod is that of a uniform one.
fn follow(rod: &mut crate::parallel::Rod<f64>) {
    if rod.center_of_mass.is_nan() {
        rod.center_of_mass = rod.length / 2.0;
    }
    if rod.inertia.is_nan() {
        rod.inertia = rod.mass * rod.length * rod.length / 12.0;
    }
}

/// A parameter no robot can have, at the place where it was written.
fn impossible(file: &Document<'_>, layout: &Layout, error: ParameterError) -> FileError {
    let path = match error.part {
        Some(leg) => {
            let own = format!("leg.{}.{}", layout.table(leg - 1), error.field);
            if file.has(&own) || layout.circles.is_some() && !file.has(&format!("{COMMON}.{}", error.field)) {
                own
            } else {
                format!("{COMMON}.{}", error.field)
            }
        }
        None => error.field.to_owned(),
    };
    let hint = match error.field {
        "home.position" => "platform joints on the base's figure made smaller hold nothing: turn or shift the pairs",
        "motor.gear_ratio" => "it is motor speed over joint speed: of a slide rad/m, or a lead as in \"5 mm\"",
        "platform.inertia" | "payload.inertia" => {
            "about the centre of mass, axes of the platform; off the diagonal −∫xy dm"
        }
        _ => "see docs/robot-files.md for what each key means",
    };
    file.error(file.span(&path, None), error.to_string(), hint)
}

/// The attitude of home is written as three angles, so it reads back within rounding; everything else exactly.
pub(super) fn write<const N: usize>(robot: &ParallelRobot<N>, name: &str, source: Option<&str>) -> String {
    let mut parameters = *robot.robot.parameters();
    let mut file = TomlText::new(KIND.name, name, source);
    let whole = entries(false, known_angle, |each| parameters.visit_whole(each));
    file.tables([""], &whole);
    for (leg, limits) in parameters.legs.iter_mut().zip(robot.limits) {
        let mut limits = limits;
        file.table("[leg]");
        file.line("kind", &text(kind_of(&leg.chain)));
        for (name, _) in BRANCHES.iter().filter(|(_, branch)| *branch == leg.branch && leg.branch != Branch::Out) {
            file.line("branch", &text(name));
        }
        let slides = leg.slides();
        for (key, value) in entries(slides, known_angle, |each| visit(leg, &mut limits, Place::WHOLE, each)) {
            file.line(key, &value);
        }
    }
    file.tables(["platform", "payload", "home"], &whole);
    file.finish()
}
