//! What `trajectory`, `size` and `cycle` have in common: a motion, as it is typed and as it is planned.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use dalembert::analyze::Reach;
use dalembert::delta::Branch;
use dalembert::describe::{Dimension, quantity};
use dalembert::motion::named::{self, Placement, Task, TaskError, Timed};
use dalembert::motion::{
    Arc, ChoiceError, DeltaMachine, LawChoice, MotionLimits, Pace, PathError, PlanError, Planning, Point, Polyline,
};
use dalembert::{Robot, Vec3};

/// A law of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LawName {
    /// Constant acceleration, then constant deceleration
    Parabolic,
    /// The same with a cruise between (--speed, --acceleration)
    Trapezoidal,
    /// Polynomial without acceleration at the ends
    #[value(name = "3-4-5")]
    Polynomial345,
    /// Polynomial without acceleration and jerk at the ends
    #[value(name = "4-5-6-7")]
    Polynomial4567,
    /// Codourey's sine on ramp (--ratio)
    SineOnRamp,
    /// Limited jerk (--speed, --acceleration, --jerk)
    DoubleS,
    /// As fast as torques and speeds of the robot allow (--smoothing)
    TimeOptimal,
    /// The smallest torques that do it in the given time
    Gentlest,
}

#[derive(Args)]
pub struct MotionArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    /// Name of a motion, or line:P/P, polyline:P/P/P, arc:P/P/P with points P = x,y,z
    #[arg(long, visible_alias = "motion", value_name = "PATH", default_value = "door", allow_hyphen_values = true)]
    pub path: String,
    /// Law of time  [default: sine-on-ramp; time-optimal for `cycle`; gentlest for `size` at a given time]
    #[arg(long, value_name = "LAW")]
    pub law: Option<LawName>,
    /// Time of each stroke, s  [default: as short as the robot can]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "cycles_per_minute")]
    pub duration: Option<String>,
    /// How often the whole motion is done, instead of --duration
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cycles_per_minute: Option<String>,
    /// Peak of the acceleration over that of the deceleration, for sine-on-ramp  [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    ratio: Option<String>,
    /// Largest speed along the path, m/s
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    speed: Option<String>,
    /// Largest acceleration along the path, m/s²
    #[arg(long, value_name = "ACCELERATION", allow_hyphen_values = true)]
    acceleration: Option<String>,
    /// Largest jerk along the path, m/s³
    #[arg(long, value_name = "JERK", allow_hyphen_values = true)]
    jerk: Option<String>,
    /// Time over which time-optimal torques may jump  [default: they jump at once]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    smoothing: Option<String>,
    /// Distance from a corner at which the blend of a polyline begins, m
    #[arg(long, value_name = "LENGTH", default_value = "20 mm", allow_hyphen_values = true)]
    pub blend: String,
    /// Middle of a named motion, m  [default: the centre of the workspace]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    center: Option<String>,
    /// Horizontal direction of its strokes: x, y, or an angle from x
    #[arg(long, value_name = "DIRECTION", default_value = "x", allow_hyphen_values = true)]
    direction: String,
    /// Payload, kg  [default: as the motion's name or the robot file says]
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Elbow branch
    #[arg(long, default_value = "out")]
    pub branch: crate::arguments::BranchChoice,
}

/// A motion of a robot, ready to be timed.
pub struct MotionPlan {
    pub robot: Robot,
    pub machine: DeltaMachine,
    pub path: String,
    pub law: LawChoice,
    pub law_name: LawName,
    pub pace: Pace,
    pub placement: Placement,
    pub payload: f64,
    pub blend: f64,
    cycles_per_minute: Option<f64>,
}

impl LawName {
    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parabolic => "parabolic",
            Self::Trapezoidal => "trapezoidal",
            Self::Polynomial345 => "3-4-5",
            Self::Polynomial4567 => "4-5-6-7",
            Self::SineOnRamp => "sine-on-ramp",
            Self::DoubleS => "double-s",
            Self::TimeOptimal => "time-optimal",
            Self::Gentlest => "gentlest",
        }
    }
}

/// A positive number of an option, with or without its unit.
pub fn positive(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    match number(option, text, dimension)? {
        value if value > 0.0 => Ok(value),
        value => Err(Failure::new(format!("--{option} is {value}, but must be positive"))),
    }
}

/// A number of an option, with or without its unit.
pub fn number(option: &str, text: &str, dimension: Dimension) -> Result<f64, Failure> {
    quantity(text, dimension).map_err(|error| Failure::new(format!("--{option}: {}", error.problem)).hint(error.hint))
}

/// x,y,z.
pub fn point(option: &str, text: &str) -> Result<Vec3<f64>, Failure> {
    let numbers: Vec<f64> =
        text.split(',').map(|part| number(option, part, Dimension::Length)).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        _ => Err(Failure::new(format!(
            "--{option}: a point has three numbers x,y,z, but `{text}` has {}",
            numbers.len()
        ))),
    }
}

impl MotionArguments {
    /// A motion of which little is said: the rest is as without options.
    pub fn of(robot: &str, path: &str) -> Self {
        Self {
            robot: robot.to_owned(),
            path: path.to_owned(),
            law: None,
            duration: None,
            cycles_per_minute: None,
            ratio: None,
            speed: None,
            acceleration: None,
            jerk: None,
            smoothing: None,
            blend: "20 mm".to_owned(),
            center: None,
            direction: "x".to_owned(),
            payload: None,
            branch: crate::arguments::BranchChoice::Out,
        }
    }

    pub fn plan(&self, default_law: LawName) -> Result<MotionPlan, Failure> {
        let robot = Robot::find(&self.robot)?;
        crate::arguments::tell_warnings(&self.robot, &robot.warnings);
        self.plan_for(robot, default_law)
    }

    /// The law of time as it was typed.
    pub fn law(&self, default: LawName) -> Result<(LawName, LawChoice), Failure> {
        let name = self.law.unwrap_or(default);
        Ok((name, self.choice(name)?))
    }

    /// Whether a time is given.
    pub fn is_timed(&self) -> bool {
        self.duration.is_some() || self.cycles_per_minute.is_some()
    }

    /// How long a stroke takes.
    pub fn pace(&self) -> Result<Pace, Failure> {
        Ok(match &self.duration {
            Some(text) => Pace::Duration(positive("duration", text, Dimension::Time)?),
            None => Pace::Shortest,
        })
    }

    /// Where the blend of a corner begins.
    pub fn blend(&self, dimension: Dimension) -> Result<f64, Failure> {
        positive("blend", &self.blend, dimension)
    }

    /// The same for a robot that has been read.
    pub fn plan_for(&self, robot: Robot, default_law: LawName) -> Result<MotionPlan, Failure> {
        let branch: Branch = self.branch.into();
        let given = |option: &str, text: &Option<String>, dimension| {
            text.as_deref().map(|text| positive(option, text, dimension)).transpose()
        };
        let (law_name, law) = self.law(default_law)?;
        let own = robot.delta.parameters().payload_mass;
        let payload = match &self.payload {
            Some(text) => number("payload", text, Dimension::Mass)?,
            None => named::payload(&self.path).unwrap_or(own),
        };
        let machine = DeltaMachine::new(&robot, branch)
            .carrying(payload)
            .map_err(|error| Failure::new(format!("--payload: {error}")))?;
        let center = match &self.center {
            Some(text) => point("center", text)?,
            None => Reach::of(&robot.delta).center,
        };
        let direction = match self.direction.as_str() {
            "x" => Vec3::new(1.0, 0.0, 0.0),
            "y" => Vec3::new(0.0, 1.0, 0.0),
            text => {
                let (sin, cos) = number("direction", text, Dimension::Angle)?.sin_cos();
                Vec3::new(cos, sin, 0.0)
            }
        };
        Ok(MotionPlan {
            robot,
            machine,
            path: self.path.clone(),
            law,
            law_name,
            pace: self.pace()?,
            placement: Placement { center, direction },
            payload,
            blend: self.blend(Dimension::Length)?,
            cycles_per_minute: given("cycles-per-minute", &self.cycles_per_minute, Dimension::Ratio)?,
        })
    }

    fn choice(&self, name: LawName) -> Result<LawChoice, Failure> {
        let given = |option: &str, text: &Option<String>, dimension| {
            text.as_deref().map(|text| positive(option, text, dimension)).transpose()
        };
        // An option that the law has no use for is a mistake.
        let limited = matches!(name, LawName::Trapezoidal | LawName::DoubleS);
        for (option, text, fits) in [
            ("ratio", &self.ratio, name == LawName::SineOnRamp),
            ("speed", &self.speed, limited),
            ("acceleration", &self.acceleration, limited),
            ("jerk", &self.jerk, name == LawName::DoubleS),
            ("smoothing", &self.smoothing, name == LawName::TimeOptimal),
        ] {
            if text.is_some() && !fits {
                return Err(Failure::new(format!("--{option} does not go with --law {}", name.as_str())));
            }
        }
        let speed = given("speed", &self.speed, Dimension::Speed)?;
        let acceleration = given("acceleration", &self.acceleration, Dimension::Acceleration)?;
        let jerk = given("jerk", &self.jerk, Dimension::Ratio)?;
        let limits = (speed.is_some() || acceleration.is_some() || jerk.is_some()).then(|| MotionLimits {
            speed: speed.unwrap_or(f64::INFINITY),
            acceleration: acceleration.unwrap_or(f64::INFINITY),
            jerk: jerk.unwrap_or(f64::INFINITY),
        });
        Ok(match name {
            LawName::Parabolic => LawChoice::Parabolic,
            LawName::Trapezoidal => LawChoice::Trapezoidal(limits),
            LawName::Polynomial345 => LawChoice::Polynomial345,
            LawName::Polynomial4567 => LawChoice::Polynomial4567,
            LawName::SineOnRamp => {
                LawChoice::SineOnRamp { ratio: given("ratio", &self.ratio, Dimension::Ratio)?.unwrap_or(1.0) }
            }
            LawName::DoubleS => LawChoice::DoubleS(limits),
            LawName::Gentlest => LawChoice::Gentlest,
            LawName::TimeOptimal => LawChoice::TimeOptimal(Planning {
                smoothing: given("smoothing", &self.smoothing, Dimension::Time)?,
                ..Planning::default()
            }),
        })
    }
}

impl MotionPlan {
    /// The path as a task.
    fn task(&self) -> Result<Task, Failure> {
        let Some((kind, points)) = self.path.split_once(':') else {
            return Task::named(&self.path, &self.machine, self.placement).map_err(|error| self.explain(&error));
        };
        let points: Vec<Vec3<f64>> = points.split('/').map(|text| point("path", text)).collect::<Result<_, _>>()?;
        let path_error = |error: PathError| self.explain(&error.into());
        match (kind, &points[..]) {
            ("line", &[from, to]) => Ok(Task::once(Polyline::line(from, to).map_err(path_error)?)),
            ("polyline", points) => Ok(Task::once(Polyline::new(points, self.blend).map_err(path_error)?)),
            ("arc", &[from, via, to]) => Ok(Task::once(Arc::through(from, via, to).map_err(path_error)?)),
            ("line", points) => Err(Failure::new(format!("a line has two points, here are {}", points.len()))),
            ("arc", points) => Err(Failure::new(format!("an arc has three points, here are {}", points.len()))),
            _ => Err(Failure::new(format!("--path: there is no kind `{kind}`"))
                .hint("line:P/P, polyline:P/P/P, arc:P/P/P with points x,y,z; or the name of a motion")),
        }
    }

    /// The motion itself.
    pub fn timed(&self) -> Result<Timed, Failure> {
        let task = self.task()?;
        let mut pace = self.pace;
        if let Some(rate) = self.cycles_per_minute {
            let (strokes, rest) = task.strokes();
            let left = 60.0 / rate - rest;
            if left <= 0.0 {
                return Err(Failure::new(format!(
                    "{rate} cycles per minute leave no time: the motion rests for {rest} s"
                )));
            }
            pace = Pace::Duration(left / strokes as f64);
        }
        task.timed(&self.machine, &self.law, pace).map_err(|error| self.explain(&error))
    }

    /// What a motion cannot be, with what to do about it.
    pub fn explain(&self, error: &TaskError) -> Failure {
        let failure = Failure::new(format!("{}, {}: {error}", self.robot.name, self.path));
        match error {
            TaskError::Unknown { suggestion: Some(name), .. } => failure.hint(format!("did you mean `{name}`?")),
            TaskError::Choice { cause: ChoiceError::TooShort { .. }, .. } => {
                failure.hint("give a longer --duration, or leave it out")
            }
            TaskError::Choice { cause: ChoiceError::NoDuration, .. } => {
                failure.hint("give --duration or --cycles-per-minute")
            }
            TaskError::Choice { cause: ChoiceError::Overdetermined, .. } => {
                failure.hint("leave out --duration, or --speed, --acceleration and --jerk")
            }
            TaskError::Choice { cause: ChoiceError::Plan(PlanError::NoLimit), .. } => {
                failure.hint("give max_torque or max_speed in [motor] of the robot file, or a --duration")
            }
            TaskError::Choice { cause: ChoiceError::Plan(_), .. } => {
                let reach = Reach::of(&self.robot.delta);
                failure.hint(format!(
                    "the centre of the workspace is z = {:.4} m, around it {:.4} m are reached: change --center, \
                     --direction or the path",
                    reach.center[2], reach.radius
                ))
            }
            TaskError::Path(PathError::BlendTooLong { .. }) => failure.hint("give a shorter --blend"),
            _ => failure,
        }
    }

    /// One line on what is done.
    pub fn what(&self) -> String {
        let c = self.placement.center.components();
        let place = if self.path.contains(':') {
            String::new()
        } else {
            format!(" about ({:.4}, {:.4}, {:.4}) m", c[0] + 0.0, c[1] + 0.0, c[2] + 0.0)
        };
        format!("{}{place}, {}, payload {} kg", self.path, self.law_name.as_str(), self.payload)
    }
}
