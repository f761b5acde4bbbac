//! The files of Deltas: what follows from other keys, what must hold between them, and robots back to files. The keys, their
//! units and their defaults are those of the table in [`crate::delta`].

use super::{KIND, SPACING, warn};
use crate::delta::{ArmParameters, Azimuth, Delta, ParameterError, Parameters};
use crate::friction::Friction;
use crate::limits::{self, JointLimits};
use crate::parameter::{Field, Must, Place, Slot, Tolerance, Unit, Visit};
use crate::report::text::human;
use crate::robot::families::{MORE_MOTORS, refuse_idle, refuse_other_kind};
use crate::robot::file::numbers::{Numbers, keys, tables};
use crate::robot::file::write::{TomlText, azimuth, entries, tables_of};
use crate::robot::file::{self, Document, FileError, LoadError, Warning};
use std::path::Path;

/// A Delta robot as its file describes it.
#[derive(Clone, Debug)]
pub struct DeltaRobot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The robot itself: validated, immutable.
    pub delta: Delta<f64>,
    /// What its joints and drives may do.
    pub limits: [JointLimits; 3],
    /// Distance between the two rods of each forearm, m: for drawing only.
    pub spacing: [Option<f64>; 3],
    /// Numbers that follow from others of the file.
    pub follows: Follows,
    /// What is possible, but odd.
    pub warnings: Vec<Warning>,
}

/// What a file leaves to follow from its other numbers: whoever changes one of those changes these too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// `motor.friction.static` is `coulomb`.
    pub static_friction: bool,
    /// `forearm.center_of_mass` is the middle of the rod.
    pub forearm_center: bool,
    /// `forearm.inertia` is that of a uniform rod.
    pub forearm_inertia: bool,
    /// `upper_arm.inertia` is `inertia_about_axis` less the mass times the squared distance of its centre from the axis.
    pub upper_arm_inertia: bool,
}

impl DeltaRobot {
    /// The robot that a text in the format of `docs/robot-files.md` describes.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        refuse_other_kind(&file, &KIND)?;
        read(&file, &[])
    }

    /// The robot in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        file::load(path.as_ref(), Self::parse)
    }

    /// A built-in robot by its name, or else the robot in a file.
    pub fn find(name_or_path: &str) -> Result<Self, LoadError> {
        Self::find_with(name_or_path, &[])
    }

    /// The same, with changes of what its file says, as [`Robot::find_with`](crate::Robot::find_with) has them.
    pub fn find_with(name_or_path: &str, changes: &[String]) -> Result<Self, LoadError> {
        file::find(name_or_path, changes, Self::parse)
    }

    /// The same robot with other parameters: another payload, other friction.
    pub fn changed(&self, change: impl FnOnce(&mut Parameters<f64>)) -> Result<Self, ParameterError> {
        let mut parameters = *self.delta.parameters();
        change(&mut parameters);
        Ok(Self { delta: Delta::try_new(parameters)?, ..self.clone() })
    }

    /// The robot as a file: SI units, angles in degrees where that loses nothing, one value where the arms are alike.
    ///
    /// Reading it again gives the same robot. An elbow mass of some arms only is written as zero for the others.
    pub fn to_toml(&self) -> String {
        write(self)
    }
}

/// The limits of every joint, where the file of a Delta has them.
static LIMITS: [Field; 3] = [
    Field { key: "joints.range", ..limits::FIELDS[0] },
    Field { key: "motor.max_torque", ..limits::FIELDS[1] },
    Field { key: "motor.max_speed", ..limits::FIELDS[2] },
];

static BALL_ANGLE: Field =
    Field::new("joints.max_ball_angle", "", "greatest ball angle", Unit::Angle, Must::Limit, Tolerance::None);

/// Another way to say `upper_arm.inertia`.
static ABOUT_AXIS: Field = Field::new(
    "upper_arm.inertia_about_axis",
    "",
    "upper arm inertia, motor axis",
    Unit::Inertia,
    Must::NotNegative,
    Tolerance::None,
);

/// Arms closer together than this are the same arm, rad.
const SAME_AZIMUTH: f64 = 1e-6;

/// Every number of a file but those that can also be left out or said otherwise.
fn visit(parameters: &mut Parameters<f64>, limits: &mut [JointLimits; 3], visit: &mut Visit<'_, f64>) {
    parameters.visit(visit);
    for (i, limits) in limits.iter_mut().enumerate() {
        limits.visit(&LIMITS, Place::part(i), visit);
        visit(&BALL_ANGLE, Place::part(i), Slot::Number(&mut limits.max_ball_angle));
    }
}

/// Refuses a file with another number of arms than three.
fn refuse_more_arms(file: &Document<'_>) -> Result<(), FileError> {
    let arms = file.words("base.azimuths");
    match arms.len() {
        0..=3 => Ok(()),
        more => {
            let problem = format!("`base.azimuths` has {more} entries: a robot file of a Delta has three arms");
            Err(file.error(file.span("base.azimuths", None), problem, MORE_MOTORS))
        }
    }
}

/// The Delta of a file; keys that are `beside` it are somebody else's.
pub(in crate::robot) fn read(file: &Document<'_>, beside: &[&'static str]) -> Result<DeltaRobot, FileError> {
    let numbers = Numbers { file, part_table: KIND.part_table, common: None, slides: false };
    refuse_more_arms(file)?;
    let (mut parameters, mut limits) = (Parameters::of_empty_file(), [JointLimits::NONE; 3]);
    let mut known = vec!["kind", "name", "source"];
    known.extend(keys(|each| visit(&mut parameters, &mut limits, each)));
    known.extend([ABOUT_AXIS.key, SPACING.key]);
    known.extend(beside);
    refuse_idle(file)?;
    file.check_keys(&tables("", &known))?;
    let name = file.name()?;
    let source = file.string("source")?.map(str::to_owned);

    numbers.read(|each| visit(&mut parameters, &mut limits, each))?;
    let mut spacing = [None; 3];
    for (i, arm) in parameters.arms.iter_mut().enumerate() {
        let beside = &mut arm.upper_arm.center_of_mass_offset;
        *beside = beside.filter(|_| file.has("upper_arm.center_of_mass_offset"));
        upper_arm_inertia(&numbers, i, arm)?;
        let rod = &mut arm.forearm;
        if rod.center_of_mass.is_nan() {
            rod.center_of_mass = rod.length / 2.0;
        }
        if rod.inertia.is_nan() {
            // A uniform rod: m L²/12.
            rod.inertia = rod.mass * rod.length * rod.length / 12.0;
        }
        arm.motor.friction = arm.motor.friction.and_then(Friction::of_file);
        arm.passive_damping = arm.passive_damping.filter(|&damping| damping != 0.0);
        arm.zero_offset = arm.zero_offset.filter(|&offset| offset != 0.0);
        let upper = &mut arm.upper_arm;
        upper.elbow_mass = upper.elbow_mass.filter(|_| file.has("upper_arm.elbow_mass"));
        spacing[i] = numbers.value(&SPACING, Place::part(i))?;
        if spacing[i].is_some_and(|spacing| spacing < 0.0) {
            let span = file.span(SPACING.key, Some(i + 1));
            return Err(file.error(span, "`forearm.spacing` is negative", "it is the distance between the two rods"));
        }
    }
    let hint = |field: &Field| {
        (field.key == "upper_arm.inertia").then_some(
            "give `inertia` about the arm's own centre of mass, or `inertia_about_axis` about the motor axis",
        )
    };
    numbers.refuse_missing(hint, |each| parameters.visit(each))?;
    refuse_same_azimuths(file, &parameters)?;
    let delta = Delta::try_new(parameters).map_err(|error| impossible(file, &parameters, error))?;
    let (mut of_file, mut and_limits) = (*delta.parameters(), limits);
    let warnings =
        warn::warnings(&numbers, delta.parameters(), &limits, |each| visit(&mut of_file, &mut and_limits, each));
    let follows = Follows {
        static_friction: !file.has("motor.friction.static"),
        forearm_center: !file.has("forearm.center_of_mass"),
        forearm_inertia: !file.has("forearm.inertia"),
        upper_arm_inertia: file.has(ABOUT_AXIS.key),
    };
    Ok(DeltaRobot { name, source, delta, limits, spacing, follows, warnings })
}

fn refuse_same_azimuths(file: &Document<'_>, parameters: &Parameters<f64>) -> Result<(), FileError> {
    let azimuths: [Azimuth<f64>; 3] = parameters.arms.map(|arm| arm.azimuth);
    for (i, k) in [(0, 1), (0, 2), (1, 2)] {
        let (a, b) = (azimuths[i], azimuths[k]);
        // |e_a − e_b| is the angle between them, if it is small.
        if (a.cos - b.cos).hypot(a.sin - b.sin) < SAME_AZIMUTH {
            return Err(file.error(
                file.span("base.azimuths", Some(k + 1)),
                format!("arms {} and {} have the same azimuth", i + 1, k + 1),
                "the default is [\"0 deg\", \"120 deg\", \"240 deg\"]",
            ));
        }
    }
    Ok(())
}

/// About the arm's own centre of mass: as written, or from the one about the motor axis by Steiner's theorem.
fn upper_arm_inertia(numbers: &Numbers<'_, '_>, i: usize, arm: &mut ArmParameters<f64>) -> Result<(), FileError> {
    let (file, upper) = (numbers.file, &mut arm.upper_arm);
    let Some(about_axis) = numbers.value(&ABOUT_AXIS, Place::part(i))? else { return Ok(()) };
    if !upper.inertia.is_nan() {
        return Err(file.error(
            file.span(ABOUT_AXIS.key, None),
            "both `inertia` and `inertia_about_axis` are given",
            "keep one: `inertia` is about the arm's own centre of mass, `inertia_about_axis` about the motor axis",
        ));
    }
    let steiner = upper.steiner();
    let own = about_axis - steiner;
    // A point mass, rounded: zero, not minus one unit in the last place.
    upper.inertia = if own.abs() <= 4.0 * f64::EPSILON * steiner { 0.0 } else { own };
    if upper.inertia < 0.0 {
        let [given, least] = [about_axis, steiner].map(|inertia| human(inertia, 6));
        let beside = upper.center_of_mass_offset.map_or("", |_| " + mass · center_of_mass_offset²");
        return Err(file.error(
            file.span(ABOUT_AXIS.key, Some(i + 1)),
            format!("`{}` is {given}, less than mass · center_of_mass²{beside} = {least}", ABOUT_AXIS.key),
            "about the motor axis it is at least that of all the mass at its centre; is this `inertia`?",
        ));
    }
    Ok(())
}

/// A parameter no robot can have, at the place where it was written.
fn impossible(file: &Document<'_>, parameters: &Parameters<f64>, error: ParameterError) -> FileError {
    // One value for all arms: no arm is to blame.
    let part = error.part.filter(|_| file.is_list(error.field));
    // A default that is impossible comes from another key of the same table.
    let path = match error.field {
        "forearm.center_of_mass" | "forearm.inertia" if !file.has(error.field) => "forearm.length",
        field => field,
    };
    let hint = match error.field {
        "forearm.length" if error.value > 0.0 => {
            let arm = &parameters.arms[error.part.map_or(0, |arm| arm - 1)];
            format!(
                "upper arm L_A = {} m and forearm L_B = {} m together must be longer than R = {} m, base radius − \
                 platform radius, at one height for all arms",
                human(arm.upper_arm.length, 6),
                human(arm.forearm.length, 6),
                human(arm.radius().abs(), 6)
            )
        }
        "forearm.center_of_mass" => {
            let rod = &parameters.arms[error.part.map_or(0, |arm| arm - 1)].forearm;
            let length = human(rod.length, 6);
            format!("it is measured from the elbow, along the rod: is `forearm.length` = {length} m right?")
        }
        "motor.gear_ratio" => "it is motor speed over joint speed".to_owned(),
        _ => "see docs/robot-files.md for what each key means".to_owned(),
    };
    file.error(file.span(path, part), format!("{}", ParameterError { part, ..error }), hint)
}

fn write(robot: &DeltaRobot) -> String {
    let (mut parameters, mut limits) = (*robot.delta.parameters(), robot.limits);
    let mut spacing = robot.spacing.iter().all(Option::is_some).then(|| robot.spacing.map(Option::unwrap_or_default));
    // A key is written for all arms where one has it.
    let arms = &mut parameters.arms;
    if arms.iter().any(|arm| arm.upper_arm.elbow_mass.is_some()) {
        arms.iter_mut().for_each(|arm| arm.upper_arm.elbow_mass = Some(arm.upper_arm.mass_at_elbow()));
    }
    if arms.iter().any(|arm| arm.upper_arm.center_of_mass_offset.is_some()) {
        arms.iter_mut().for_each(|arm| _ = arm.upper_arm.center_of_mass_offset.get_or_insert(0.0));
    }
    if arms.iter().any(|arm| arm.motor.friction.is_some()) {
        arms.iter_mut().for_each(|arm| _ = arm.motor.friction.get_or_insert(Friction::NONE));
    }
    if arms.iter().any(|arm| arm.passive_damping.is_some()) {
        arms.iter_mut().for_each(|arm| _ = arm.passive_damping.get_or_insert(0.0));
    }
    if arms.iter().any(|arm| arm.zero_offset.is_some()) {
        arms.iter_mut().for_each(|arm| _ = arm.zero_offset.get_or_insert(0.0));
    }
    let mut entries = entries(false, azimuth, |each| {
        visit(&mut parameters, &mut limits, each);
        for (i, spacing) in spacing.iter_mut().flatten().enumerate() {
            each(&SPACING, Place::part(i), Slot::Number(spacing));
        }
    });
    // Those of the arms before those of the whole robot, but for what belongs to no table.
    let mut names = vec![""];
    names.extend(tables_of(&entries).into_iter().filter(|name| !name.is_empty()));
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    // What limits the joints stands before what damps them.
    entries.sort_by_key(|(key, _)| ![LIMITS[0].key, BALL_ANGLE.key].contains(key));
    let mut text = TomlText::new(KIND.name, &robot.name, robot.source.as_deref());
    text.tables(names.iter().map(String::as_str), &entries);
    text.finish()
}
