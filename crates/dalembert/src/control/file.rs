//! Experiment files: TOML in, a robot under control with its task out. The format is described in `docs/control.md`.

use super::{Backlash, Encoder, Experiment, Law, Pair, Push, Tuning, TuningError, VelocityFrom};
use crate::Vec3;
use crate::cell::Scene;
use crate::friction::Friction;
use crate::motion::named::{Measures, TaskError};
use crate::motion::{self, MotionOrder, OrderError, ProfileChoice, is_file};
use crate::robot::families::{is_kind, kind_names};
use crate::robot::file::Dimension::{self, *};
use crate::robot::file::document::{Document, choice};
use crate::robot::file::{self, FileError, LoadError};
use crate::robot::{Form, InvalidParameters, JointKind, Number, Pick, Robot, StateError};
use std::f64::consts::TAU;
use std::path::Path;

/// What a name or path leads to.
#[derive(Clone, Debug)]
pub enum SimulationFile {
    /// `kind = "scene"`.
    Scene(Box<Scene>),
    /// `kind = "experiment"`.
    Experiment(Box<ExperimentFile>),
    /// Any other kind.
    Robot(Box<Robot>),
}

impl SimulationFile {
    /// A built-in robot by its name, or else the robot, the scene or the experiment in a file, with changes of what the file says,
    /// as [`Robot::find_with`] has them.
    pub fn find_with(name_or_path: &str, changes: &[String]) -> Result<Self, LoadError> {
        let folder = Path::new(name_or_path).parent().map(Path::to_owned);
        file::find(name_or_path, changes, |text| {
            let (file, folder) = (Document::parse(text)?, folder.as_deref());
            Ok(match file.string("kind")? {
                Some("scene") => Self::Scene(Box::new(Scene::parse(text, folder)?)),
                Some("experiment") => Self::Experiment(Box::new(read(&file, folder)?)),
                Some(kind) if is_kind(kind) => Self::Robot(Box::new(Robot::parse(text)?)),
                Some(kind) => {
                    let hint = format!("write kind = \"scene\", \"experiment\", {}", kind_names());
                    return Err(wrong(&file, "kind", format!("unknown kind \"{kind}\""), hint));
                }
                None => {
                    return Err(file.missing(
                        "kind",
                        format!("write kind = \"scene\" or \"experiment\", or {} for a robot", kind_names()),
                    ));
                }
            })
        })
    }
}

/// An experiment as its file describes it.
#[derive(Clone, Debug)]
pub struct ExperimentFile {
    /// What is to be tried.
    pub experiment: Experiment,
    /// The motion that it follows, as it is ordered.
    pub order: MotionOrder,
    /// Which solution of the kinematics is meant.
    pub pick: Pick,
    /// What the controller is told about the robot.
    pub knowledge: Knowledge,
    /// Whether it finds the accelerations of its reference by differencing positions twice, in single precision.
    pub differenced: bool,
    /// The robot without what the order gives it to carry.
    empty: Robot,
    /// The laws, one or several to compare, as they are written: [`Experiment::parse_tuning`].
    pub laws: Vec<String>,
    /// What the motion was planned for; none while the robot rests.
    planned: Option<PlannedFor>,
}

/// All that a planned motion depends on.
#[derive(Clone, Debug, PartialEq)]
struct PlannedFor {
    order: MotionOrder,
    pick: Pick,
    known: Option<(String, Vec<Number>)>,
    known_payload: Option<f64>,
    knows_friction: bool,
    /// The period over which accelerations are differenced.
    differenced: Option<f64>,
}

/// What a controller is told about the robot that it moves.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Another robot than it is; none: the robot as it is.
    pub robot: Option<Robot>,
    /// What it believes to carry, kg; none: the truth.
    pub payload: Option<f64>,
    /// Whether it knows of the friction.
    pub friction: bool,
}

impl Knowledge {
    /// The robot as it is, and all of it.
    pub const ALL: Self = Self { robot: None, payload: None, friction: true };

    fn of(&self, robot: &Robot) -> Result<Robot, InvalidParameters> {
        let carried = self.payload.unwrap_or(robot.payload());
        let known = self.robot.as_ref().unwrap_or(robot);
        let [own, other] = [robot, known].map(|robot| (robot.kind().title, robot.joints().len()));
        if own != other {
            let told = |(title, joints): (&str, usize)| format!("a {title} with {joints} joints");
            let text = format!("the robot is {}, but its controller knows {}", told(own), told(other));
            return Err(InvalidParameters(text));
        }
        let known = known.with_payload(carried)?;
        if self.friction { Ok(known) } else { known.with_friction(None) }
    }
}

/// Why an experiment cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum SetupError {
    #[error("the robot: {0}")]
    Robot(InvalidParameters),
    #[error("the robot as the controller knows it: {0}")]
    Known(InvalidParameters),
    #[error(transparent)]
    Motion(#[from] OrderError),
}

/// The keys of the tables; those of an experiment with one robot have `robot`, with two `carrier` and `object`.
const KEYS: [(&str, &str); 9] = [
    ("", "kind name source motion plant controller sampling drive encoder push"),
    (
        "motion",
        "path center turn direction width height blend profile ratio speed acceleration jerk joint_speed \
         joint_acceleration joint_jerk smoothing share cycle cycles hold",
    ),
    ("plant", "payload friction"),
    ("plant.friction", "viscous coulomb static stribeck_velocity smoothing_velocity"),
    (
        "controller",
        "accelerations laws robot payload knows_friction model bandwidth damping_ratio slow_pole stiffness look_ahead \
         following_error",
    ),
    ("sampling", "period delay substeps configuration_every"),
    ("drive", "current_rise torque_steps max_torque_rate limited backlash"),
    ("drive.backlash", "gap stiffness damping"),
    ("encoder", "bits noise seed velocity observer_bandwidth"),
];

impl ExperimentFile {
    /// The experiment that a text describes; files of robots and motions are looked for in `folder`.
    pub fn parse(text: &str, folder: Option<&Path>) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        match file.string("kind")? {
            Some("experiment") => read(&file, folder),
            Some(_) => Err(wrong(&file, "kind", "this is no experiment", "write kind = \"experiment\"")),
            None => Err(file.missing("kind", "write kind = \"experiment\"")),
        }
    }

    /// What is done with a robot unless somebody says otherwise: its usual motion under its usual law.
    pub fn usual(robot: Robot) -> Result<Self, SetupError> {
        let mut file = Self::unplanned(robot);
        file.set_up()?;
        Ok(file)
    }

    /// The same while the robot still rests.
    pub fn unplanned(robot: Robot) -> Self {
        let kind = robot.kind();
        let experiment = Experiment::resting(robot.clone());
        let (order, laws) = (MotionOrder::usual(&kind), vec![kind.usual_law.as_str().to_owned()]);
        Self {
            experiment,
            order,
            pick: Pick::default(),
            knowledge: Knowledge::ALL,
            differenced: false,
            empty: robot,
            laws,
            planned: None,
        }
    }

    /// Gives the robot its payload and the controller its knowledge, and plans the motion, where any of these has changed.
    pub fn set_up(&mut self) -> Result<(), SetupError> {
        self.set_up_watched(&mut |_| {})
    }

    /// The same; `tick` is told the share of the planning that is done, from 0 to 1.
    pub fn set_up_watched(&mut self, tick: &mut dyn FnMut(f64)) -> Result<(), SetupError> {
        let Self { order, pick, knowledge, differenced, experiment, .. } = &*self;
        let wanted = PlannedFor {
            order: order.clone(),
            pick: pick.clone(),
            known: knowledge.robot.as_ref().map(|robot| (robot.name.clone(), robot.numbers())),
            known_payload: knowledge.payload,
            knows_friction: knowledge.friction,
            differenced: differenced.then_some(experiment.sampling.period),
        };
        if self.planned.as_ref() == Some(&wanted) {
            return Ok(());
        }
        let robot = match self.order.payload() {
            Some(payload) => self.empty.with_payload(payload),
            None => Ok(self.empty.clone()),
        };
        self.experiment.robot = robot.map_err(SetupError::Robot)?;
        self.experiment.known = self.knowledge.of(&self.experiment.robot).map_err(SetupError::Known)?;
        self.experiment.pick = self.pick.clone();
        self.experiment.follow_watched(&self.order, tick)?;
        if self.differenced {
            let Experiment { motion, sampling, .. } = &mut self.experiment;
            *motion = motion.clone().differenced(sampling.period);
        }
        self.planned = Some(wanted);
        Ok(())
    }

    /// The laws with their gains.
    pub fn tunings(&self) -> Result<Vec<Tuning>, TuningError> {
        self.laws.iter().map(|law| self.experiment.parse_tuning(law)).collect()
    }
}

fn read(file: &Document<'_>, folder: Option<&Path>) -> Result<ExperimentFile, FileError> {
    check_keys(file)?;
    let robot = robot(file, folder)?;
    let mut set = ExperimentFile::unplanned(with_friction(file, &robot)?);
    if let Some(name) = file.string("name")? {
        set.experiment.name = name.to_owned();
    }
    set.order = order(file, folder, &set.experiment.robot)?;
    set.knowledge = Knowledge {
        robot: found(file, "controller.robot", folder)?,
        payload: number(file, "controller.payload", Mass, true)?,
        friction: file.boolean("controller.knows_friction")?.unwrap_or(true),
    };
    set.differenced =
        choice(file, "controller.accelerations", &[("exact", false), ("differenced", true)])?.unwrap_or(false);
    controller(file, &mut set.experiment)?;
    loop_settings(file, &mut set.experiment)?;
    set.set_up().map_err(|error| match &error {
        SetupError::Robot(_) => wrong(file, "plant", error.to_string(), "the robot has to be possible"),
        SetupError::Known(_) => wrong(file, "controller", error.to_string(), "the robot has to be possible"),
        SetupError::Motion(error) => cannot_follow(file, error, &set),
    })?;
    laws(file, &mut set)?;
    Ok(set)
}

/// The laws, and what only some of them need.
fn laws(file: &Document<'_>, set: &mut ExperimentFile) -> Result<(), FileError> {
    let words = file.words("controller.laws");
    if file.has("controller.laws") {
        if words.is_empty() {
            return Err(wrong(file, "controller.laws", "there is no control law", "laws = [\"computed-torque\"]"));
        }
        set.laws = words.iter().map(|(_, law)| law.clone()).collect();
    }
    let mut tunings = Vec::new();
    for (i, law) in set.laws.iter().enumerate() {
        let span = words.get(i).map_or(file.span("controller", None), |(span, _)| span.clone());
        let tuning = set.experiment.parse_tuning(law).map_err(|error| {
            file.error(span.clone(), error.to_string(), error.hint().unwrap_or_else(|| "a control law".into()))
        })?;
        if let Some(why) = set.experiment.robot.refuses(&*tuning.law) {
            let problem = format!("the control law `{law}` does not apply: {why}");
            return Err(file.error(
                span,
                problem,
                format!("laws = [\"{}\"]", set.experiment.robot.kind().usual_law.as_str()),
            ));
        }
        tunings.push(tuning);
    }
    let used = [
        ("stiffness", tunings.iter().any(|tuning| tuning.law.built_in() == Some(Law::Impedance)), "impedance"),
        ("look_ahead", tunings.iter().any(|tuning| tuning.law.looks_ahead()), "feedforward or feedforward+mass"),
        ("slow_pole", tunings.iter().any(|tuning| tuning.law.integrates()), "pid or gravity+pid"),
    ];
    for (key, used, law) in used {
        let path = format!("controller.{key}");
        if file.has(&path) && !used {
            let problem = format!("`{path}` is of no use for these laws");
            return Err(wrong(file, &path, problem, format!("it is for {law}")));
        }
    }
    Ok(())
}

/// Friction of the plant: the break-away torques of its file.
const BREAKAWAY: &str = "breakaway";

fn check_keys(file: &Document<'_>) -> Result<(), FileError> {
    let pair = has_carriers(file);
    let words = |keys: &'static str| keys.split_whitespace().collect::<Vec<_>>();
    // Friction in a word: that of the robot's file.
    let in_a_word = matches!(file.string("plant.friction"), Ok(Some(BREAKAWAY)));
    let tables = KEYS.into_iter().filter(|(path, _)| !(in_a_word && *path == "plant.friction"));
    let mut known: Vec<(String, Vec<&str>)> = tables.map(|(path, keys)| (path.to_owned(), words(keys))).collect();
    known[0].1.extend(if pair { words("carrier object") } else { words("robot") });
    let mut lists = vec![("push", "start duration force")];
    if pair {
        known.push((String::from("object"), words("mass share squeeze")));
        lists.push(("carrier", "robot base grip"));
    }
    for (list, keys) in lists.into_iter().filter(|(list, _)| file.has(list)) {
        known.extend((1..=file.tables(list)?).map(|number| (format!("{list}.{number}"), words(keys))));
    }
    file.check_keys(&known)
}

/// The robot of an experiment, which may be two with one object.
fn robot(file: &Document<'_>, folder: Option<&Path>) -> Result<Robot, FileError> {
    if has_carriers(file) {
        return pair(file, folder);
    }
    found(file, "robot", folder)?
        .ok_or_else(|| file.missing("robot", "the name of a built-in robot, or the path of its file"))
}

/// A built-in robot by its name, or else the robot in a file, which may be that of an experiment.
pub fn find_robot(name_or_path: &str) -> Result<Robot, LoadError> {
    file::find(name_or_path, &[], |text| {
        let file = Document::parse(text)?;
        match file.string("kind")? {
            Some("experiment") => robot(&file, Path::new(name_or_path).parent()),
            _ => Robot::parse(text),
        }
    })
}

/// The robot that a key names: a file beside the experiment, or else as [`find_robot`] has it.
fn found(file: &Document<'_>, path: &str, folder: Option<&Path>) -> Result<Option<Robot>, FileError> {
    let Some(name) = file.string(path)? else { return Ok(None) };
    let beside = folder.map(|folder| folder.join(name)).filter(|path| path.is_file());
    find_robot(&beside.map_or(name.to_owned(), |path| path.display().to_string())).map(Some).map_err(|error| {
        let why = match &error {
            LoadError::Invalid { error, .. } => format!("{name}, {}", error.told()),
            other => other.to_string(),
        };
        wrong(file, path, why, "a built-in robot, or a file beside this one")
    })
}

/// An error at the value of a key.
fn wrong(file: &Document<'_>, path: &str, problem: impl Into<String>, hint: impl Into<String>) -> FileError {
    file.error(file.span(path, None), problem, hint)
}

/// A number that must not be negative, or must be positive.
fn number(file: &Document<'_>, path: &str, dimension: Dimension, zero: bool) -> Result<Option<f64>, FileError> {
    match file.scalar(path, dimension)? {
        Some(value) if value < 0.0 || (value == 0.0 && !zero) => {
            let must = if zero { "must not be negative" } else { "must be positive" };
            let problem = format!("`{path}` is {value}, but {must}");
            Err(wrong(file, path, problem, format!("as in {}", dimension.example())))
        }
        other => Ok(other),
    }
}

/// Puts what the file says into a setting; what it does not say stays.
fn set(file: &Document<'_>, path: &str, dimension: Dimension, zero: bool, setting: &mut f64) -> Result<(), FileError> {
    if let Some(value) = number(file, path, dimension, zero)? {
        *setting = value;
    }
    Ok(())
}

fn order(file: &Document<'_>, folder: Option<&Path>, robot: &Robot) -> Result<MotionOrder, FileError> {
    let positive = |key: &str, dimension| number(file, &format!("motion.{key}"), dimension, false);
    let profiles = ProfileChoice::ALL.map(|profile| (profile.as_str(), profile));
    let usual = MotionOrder::usual(&robot.kind());
    let path = file.string("motion.path")?.map_or(usual.path, |path| match folder.map(|folder| folder.join(path)) {
        Some(beside) if is_file(path) && beside.is_file() => beside.display().to_string(),
        _ => path.to_owned(),
    });
    // What lengths, speeds and accelerations along the path measure.
    let [length, speed, acceleration, jerk] = match motion::form_of_path(&path, robot) {
        Form::Tool => [Length, Speed, Acceleration, Jerk],
        Form::Joints => [Angle, AngularSpeed, AngularAcceleration, AngularJerk],
    };
    Ok(MotionOrder {
        path,
        measures: Measures {
            width: positive("width", Length)?,
            height: positive("height", Length)?,
            blend: positive("blend", length)?,
        },
        center: file.vector("motion.center", Length)?.map(Vec3),
        direction: direction(file)?,
        orientation: None,
        turn: file.scalar("motion.turn", Angle)?,
        payload: number(file, "plant.payload", Mass, true)?,
        profile: choice(file, "motion.profile", &profiles)?.unwrap_or(usual.profile),
        ratio: positive("ratio", Ratio)?,
        speed: positive("speed", speed)?,
        acceleration: positive("acceleration", acceleration)?,
        jerk: positive("jerk", jerk)?,
        joint_speed: positive("joint_speed", AngularSpeed)?,
        joint_acceleration: positive("joint_acceleration", AngularAcceleration)?,
        joint_jerk: positive("joint_jerk", AngularJerk)?,
        smoothing: positive("smoothing", Time)?,
        share: positive("share", Share)?,
        time: positive("cycle", Time)?.map(motion::Time::Cycle),
        cycles: file.index("motion.cycles")?.unwrap_or(usual.cycles),
    })
}

/// A list of three, or x, y, an angle from x.
fn direction(file: &Document<'_>) -> Result<Option<Vec3<f64>>, FileError> {
    const PATH: &str = "motion.direction";
    if file.is_list(PATH) {
        return Ok(file.vector(PATH, Ratio)?.map(Vec3));
    }
    let Some(text) = file.string(PATH)? else { return Ok(None) };
    motion::direction(text).map(Some).map_err(|error| {
        wrong(file, PATH, format!("`{PATH}`: {}", error.problem), "x, y, an angle from x, or a list of three")
    })
}

/// A motion that cannot be, at the key that says it.
fn cannot_follow(file: &Document<'_>, error: &OrderError, set: &ExperimentFile) -> FileError {
    let hint = set.order.hint(error, &set.experiment.known, &Pick::default());
    let key = match error {
        OrderError::Task(TaskError::NoMeasure { what, .. })
        | OrderError::NotOfProfile { what, .. }
        | OrderError::NotPositive { what, .. }
        | OrderError::NotOfJoints { what } => what.rsplit(' ').next().unwrap_or("path"),
        OrderError::Share(_) | OrderError::ShareOfGivenTime => "share",
        OrderError::SmoothingAndJerk => "smoothing",
        OrderError::NotOfFile { what } => what.rsplit(' ').next().unwrap_or("path"),
        OrderError::NoTime { .. } | OrderError::NotOfPair { .. } => "cycle",
        OrderError::NoTool(StateError { joint: Some(carrier), .. }) if file.has("carrier") => {
            return wrong(file, &format!("carrier.{carrier}.base"), error.to_string(), hint.unwrap_or_default());
        }
        OrderError::Repeat(_) => "cycles",
        OrderError::DoesNotTurn { .. } => "turn",
        OrderError::Task(_) | OrderError::Derated { .. } | OrderError::NoTool(_) | OrderError::File(_) => "path",
    };
    let path = format!("motion.{key}");
    let path = if file.has(&path) { &path } else { "motion" };
    wrong(file, path, error.to_string(), hint.unwrap_or_else(|| "docs/control.md lists the keys of [motion]".into()))
}

/// The robot as it is, with the friction that the file gives it.
fn with_friction(file: &Document<'_>, robot: &Robot) -> Result<Robot, FileError> {
    if !file.has("plant.friction") {
        return Ok(robot.clone());
    }
    if let Ok(Some(BREAKAWAY)) = file.string("plant.friction") {
        let impossible = |error: InvalidParameters| {
            wrong(file, "plant.friction", error.to_string(), "Table 7 of a PUMA 560 has such torques")
        };
        return robot.with_breakaway_friction().map_err(impossible);
    }
    let value = |key: &str, dimension, default: f64| -> Result<f64, FileError> {
        Ok(number(file, &format!("plant.friction.{key}"), dimension, true)?.unwrap_or(default))
    };
    // One friction for joints that turn and slide has no unit but the SI of each.
    let joints = robot.joints();
    let has = |kind: JointKind| joints.iter().any(|joint| joint.kind == kind);
    let [damping, torque, speed] = match (has(JointKind::Revolute), has(JointKind::Prismatic)) {
        (true, true) => [Ratio; 3],
        (false, true) => [LinearDamping, Force, Speed],
        _ => [Damping, Torque, AngularSpeed],
    };
    let coulomb = value("coulomb", torque, 0.0)?;
    let friction = Friction {
        viscous: value("viscous", damping, 0.0)?,
        coulomb,
        static_friction: value("static", torque, coulomb)?,
        stribeck_velocity: value("stribeck_velocity", speed, Friction::NONE.stribeck_velocity)?,
        smoothing_velocity: value("smoothing_velocity", speed, Friction::NONE.smoothing_velocity)?,
        own: None,
    };
    robot
        .with_friction(Some(friction))
        .map_err(|error| wrong(file, "plant.friction", error.to_string(), "the robot has to be possible"))
}

fn controller(file: &Document<'_>, experiment: &mut Experiment) -> Result<(), FileError> {
    let specs = experiment.robot.models().iter();
    let models: Vec<(&str, &str)> =
        specs.flat_map(|spec| [&[spec.name], spec.aliases].concat()).map(|name| (name, name)).collect();
    if let Some(model) = choice(file, "controller.model", &models)? {
        experiment.model = model.to_owned();
    }
    let mut hertz = experiment.bandwidth / TAU;
    set(file, "controller.bandwidth", Frequency, false, &mut hertz)?;
    experiment.bandwidth = TAU * hertz;
    set(file, "controller.damping_ratio", Ratio, false, &mut experiment.damping_ratio)?;
    set(file, "controller.slow_pole", Ratio, false, &mut experiment.slow_pole)?;
    experiment.stiffness = number(file, "controller.stiffness", Stiffness, false)?;
    experiment.look_ahead = number(file, "controller.look_ahead", Time, true)?;
    set(file, "controller.following_error", Angle, false, &mut experiment.following_error)
}

fn loop_settings(file: &Document<'_>, experiment: &mut Experiment) -> Result<(), FileError> {
    set(file, "motion.hold", Time, true, &mut experiment.hold)?;
    set(file, "sampling.period", Time, false, &mut experiment.sampling.period)?;
    experiment.sampling.delay = file.index("sampling.delay")?.unwrap_or(experiment.sampling.delay);
    experiment.sampling.substeps = file.index("sampling.substeps")?.unwrap_or(experiment.sampling.substeps);
    let every = &mut experiment.sampling.configuration_every;
    *every = file.index("sampling.configuration_every")?.unwrap_or(*every);
    let drive = &mut experiment.drive;
    set(file, "drive.current_rise", Time, true, &mut drive.current_rise)?;
    set(file, "drive.torque_steps", Ratio, true, &mut drive.torque_steps)?;
    set(file, "drive.max_torque_rate", TorqueRate, false, &mut drive.max_torque_rate)?;
    drive.limited = file.boolean("drive.limited")?.unwrap_or(drive.limited);
    if file.has("drive.backlash") {
        let mut gear = Backlash { gap: 0.0, stiffness: 5e3, damping: 1.0 };
        set(file, "drive.backlash.gap", Angle, true, &mut gear.gap)?;
        set(file, "drive.backlash.stiffness", RotationalStiffness, false, &mut gear.stiffness)?;
        set(file, "drive.backlash.damping", Damping, true, &mut gear.damping)?;
        drive.backlash = Some(gear);
    }
    let encoder = &mut experiment.encoder;
    if let Some(bits) = file.index("encoder.bits")? {
        encoder.counts = Encoder::counts_of(bits).ok_or_else(|| {
            wrong(file, "encoder.bits", format!("{bits} bits are more than any encoder has"), "at most 40, 0: ideal")
        })?;
    }
    set(file, "encoder.noise", Angle, true, &mut encoder.noise)?;
    encoder.seed = file.index("encoder.seed")?.map_or(encoder.seed, |seed| seed as u64);
    let mut bandwidth = 100.0;
    set(file, "encoder.observer_bandwidth", Frequency, false, &mut bandwidth)?;
    let ways = [
        ("tachometer", VelocityFrom::Tachometer),
        ("difference", VelocityFrom::Difference),
        ("observer", VelocityFrom::Observer { bandwidth: TAU * bandwidth }),
    ];
    encoder.velocity = choice(file, "encoder.velocity", &ways)?.unwrap_or(encoder.velocity);
    if file.has("encoder.observer_bandwidth") && !matches!(encoder.velocity, VelocityFrom::Observer { .. }) {
        let problem = "there is no observer that has a bandwidth";
        return Err(wrong(file, "encoder.observer_bandwidth", problem, "velocity = \"observer\""));
    }
    if file.has("push") {
        for push in (1..=file.tables("push")?).map(|number| format!("push.{number}")) {
            let time = |key: &str, zero| -> Result<f64, FileError> {
                let path = format!("{push}.{key}");
                number(file, &path, Time, zero)?.ok_or_else(|| file.missing(&path, "a time, as in \"100 ms\""))
            };
            let path = format!("{push}.force");
            let force =
                file.vector(&path, Force)?.ok_or_else(|| file.missing(&path, "a list of three, each a force"))?;
            let (start, duration) = (time("start", true)?, time("duration", false)?);
            experiment.pushes.push(Push { start, duration, force: Vec3(force) });
        }
    }
    Ok(())
}

/// Whether an experiment is about two robots and their object.
fn has_carriers(file: &Document<'_>) -> bool {
    file.has("carrier") || file.has("object")
}

type Carrier = (Robot, Vec3<f64>, Vec3<f64>);

fn carrier(file: &Document<'_>, number: usize, folder: Option<&Path>) -> Result<Carrier, FileError> {
    let path = |key: &str| format!("carrier.{number}.{key}");
    let vector = |key: &str| -> Result<Vec3<f64>, FileError> {
        let hint = "a list of three, as in [\"-700 mm\", 0, 0]";
        file.vector(&path(key), Length)?.map(Vec3).ok_or_else(|| file.missing(&path(key), hint))
    };
    let robot = found(file, &path("robot"), folder)?
        .ok_or_else(|| file.missing(&path("robot"), "the name of a built-in Delta, or the path of its file"))?;
    Ok((robot, vector("base")?, vector("grip")?))
}

fn pair(file: &Document<'_>, folder: Option<&Path>) -> Result<Robot, FileError> {
    const TWO: &str = "begin each of the two with [[carrier]]: robot, base, grip";
    let count = if file.has("carrier") { file.tables("carrier")? } else { 0 };
    if count != 2 {
        let problem = format!("two robots carry an object, here are {count}");
        return Err(wrong(file, if count > 0 { "carrier" } else { "object" }, problem, TWO));
    }
    let carriers = [carrier(file, 1, folder)?, carrier(file, 2, folder)?];
    let mass =
        number(file, "object.mass", Mass, false)?.ok_or_else(|| file.missing("object.mass", "as in \"1.5 kg\""))?;
    let mut pair = Pair::new(carriers, mass);
    pair.squeeze = file.vector("object.squeeze", Force)?.map_or(pair.squeeze, Vec3);
    pair.share = number(file, "object.share", Share, true)?.unwrap_or(pair.share);
    if pair.share > 1.0 {
        let problem = format!("`object.share` is {}, but must be 0 to 1", pair.share);
        return Err(wrong(file, "object.share", problem, "the part of the object that the first robot carries"));
    }
    let [one, other] = &pair.carriers;
    if one.base == other.base {
        let problem = "both carriers stand at the same place";
        return Err(wrong(file, "carrier.2.base", problem, "give each a base of its own"));
    }
    Ok(Robot::from(pair))
}
