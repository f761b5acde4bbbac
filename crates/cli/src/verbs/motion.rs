//! What `trajectory`, `size`, `cycle` and `simulate` have in common: a motion, as it is typed and as it is planned.

use crate::failure::Failure;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dalembert::control::is_file;
use dalembert::describe::{Described, Dimension, quantity};
use dalembert::motion::named::{self, TaskError, Timed};
use dalembert::motion::{self, ChoiceError, DeltaMachine, LawName, MotionOrder, OrderError, Point, Time, Workspace};
use dalembert::{Robot, Vec3};

fn profile_help(law: LawName) -> &'static str {
    match law {
        LawName::Parabolic => "constant acceleration, then constant deceleration",
        LawName::Trapezoidal => "the same with a cruise between (--speed, --acceleration)",
        LawName::Polynomial345 => "polynomial without acceleration at the ends",
        LawName::Polynomial4567 => "polynomial without acceleration and jerk at the ends",
        LawName::SineOnRamp => "Codourey's sine on ramp (--ratio)",
        LawName::DoubleS => "limited jerk (--speed, --acceleration, --jerk)",
        LawName::TimeOptimal => "as fast as torques and speeds of the robot allow (--jerk, --smoothing)",
        LawName::Gentlest => "the smallest torques that do it in the given time",
    }
}

pub fn profile_parser() -> impl TypedValueParser<Value = LawName> {
    PossibleValuesParser::new(LawName::ALL.map(|law| PossibleValue::new(law.as_str()).help(profile_help(law))))
        .try_map(|name| LawName::ALL.into_iter().find(|law| law.as_str() == name).ok_or("no such profile"))
}

/// The options of a motion, the same for all verbs that have one.
#[derive(Args, Default)]
#[command(next_help_heading = "Motion (docs/motion.md)")]
pub struct OrderArguments {
    /// Where to go: a name, or line:P/P, polyline:P/P/P, arc:P/P/P with points P = x,y,z; of a serial arm line:Q/Q or
    /// polyline:Q/Q/Q with poses Q = q1,q2,..; for `simulate` also a .csv with the motion  [default: door; of an arm:
    /// swing]
    #[arg(long, visible_alias = "motion", value_name = "PATH", allow_hyphen_values = true)]
    pub path: Option<String>,
    /// When to be where: the law of time  [default: sine-on-ramp]
    #[arg(long, value_name = "PROFILE", value_parser = profile_parser())]
    pub profile: Option<LawName>,
    /// Time of the whole motion once, there and back  [default: as short as --share of the limits allows]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    cycle: Option<String>,
    /// How often a minute, instead of --cycle
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, conflicts_with = "cycle")]
    cycles_per_minute: Option<String>,
    /// Part of the torque and speed limits that the shortest time is planned with  [default: 1; 0.7 for `simulate`]
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    share: Option<String>,
    /// Width of a named motion, a circle's diameter  [default: as its name says]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    width: Option<String>,
    /// Height of a named motion  [default: as its name says]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    height: Option<String>,
    /// Distance from a corner at which its blend begins  [default: 20 mm]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub blend: Option<String>,
    /// Middle of a named motion  [default: the centre of the workspace]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    center: Option<String>,
    /// Horizontal direction of its strokes: x, y, or an angle from x  [default: x]
    #[arg(long, value_name = "DIRECTION", allow_hyphen_values = true)]
    direction: Option<String>,
    /// Peak of the acceleration over that of the deceleration, for sine-on-ramp  [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    ratio: Option<String>,
    /// Largest speed along the path, m/s; the limits of the robot hold beside these three
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    speed: Option<String>,
    /// Largest acceleration along the path, m/s²
    #[arg(long, value_name = "ACCELERATION", allow_hyphen_values = true)]
    acceleration: Option<String>,
    /// Largest jerk along the path, m/s³; of time-optimal, the fastest smoothing that keeps it
    #[arg(long, value_name = "JERK", allow_hyphen_values = true)]
    jerk: Option<String>,
    /// Time over which time-optimal torques may jump, instead of --jerk  [default: they jump at once]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    smoothing: Option<String>,
    /// What the robot carries, kg  [default: as the motion's name or the robot file says]
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Elbow branch  [default: out]
    #[arg(long)]
    pub branch: Option<crate::arguments::BranchChoice>,
}

#[derive(Args)]
pub struct MotionArguments {
    /// Name of a built-in robot, or path to a robot file
    #[arg(value_name = "ROBOT")]
    pub robot: String,
    #[command(flatten)]
    pub order: OrderArguments,
    /// Time of each stroke, instead of --cycle
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["cycle", "cycles_per_minute"])]
    duration: Option<String>,
    /// Roll, pitch, yaw at which an arm keeps its tool on a path of the tool  [default: 180 deg,0,0, pointing down]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true)]
    pub orientation: Option<String>,
    /// Shoulder, elbow and wrist of an arm on a path of its tool  [default: those with the most room]
    #[arg(long, value_name = "S,E,W")]
    pub posture: Option<String>,
}

/// A motion of a point, of a platform unless it is a tool, ready to be timed.
pub struct MotionPlan<R = Robot, W = DeltaMachine> {
    pub robot: R,
    pub machine: W,
    pub order: MotionOrder,
    pub payload: f64,
    /// How a tool is held, in words.
    pub held: Option<String>,
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

/// Three numbers.
pub fn three(option: &str, text: &str, dimension: Dimension, what: &str) -> Result<[f64; 3], Failure> {
    let numbers: Vec<f64> = text.split(',').map(|part| number(option, part, dimension)).collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .map_err(|numbers: Vec<f64>| Failure::new(format!("--{option}: {what}, but `{text}` has {}", numbers.len())))
}

/// x,y,z.
fn point(option: &str, text: &str) -> Result<Vec3<f64>, Failure> {
    three(option, text, Dimension::Length, "a point has three numbers x,y,z").map(Vec3)
}

impl OrderArguments {
    /// An option that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        self.given_beside(&[])
    }

    /// An option that was given and is none of `known`, if any.
    pub fn given_beside(&self, known: &[&str]) -> Option<&'static str> {
        [
            ("path", self.path.is_some()),
            ("profile", self.profile.is_some()),
            ("cycle", self.cycle.is_some()),
            ("cycles-per-minute", self.cycles_per_minute.is_some()),
            ("share", self.share.is_some()),
            ("width", self.width.is_some()),
            ("height", self.height.is_some()),
            ("blend", self.blend.is_some()),
            ("center", self.center.is_some()),
            ("direction", self.direction.is_some()),
            ("ratio", self.ratio.is_some()),
            ("speed", self.speed.is_some()),
            ("acceleration", self.acceleration.is_some()),
            ("jerk", self.jerk.is_some()),
            ("smoothing", self.smoothing.is_some()),
            ("payload", self.payload.is_some()),
            ("branch", self.branch.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| (given && !known.contains(&option)).then_some(option))
    }

    /// Puts what was typed in the place of what is there. Another path brings its own measures with it and keeps a place that
    /// it has a use for, another profile brings its own numbers. Lengths, speeds and accelerations are `along` what moves.
    pub fn change(&self, order: &mut MotionOrder, along: [Dimension; 3]) -> Result<(), Failure> {
        let [length, speed, acceleration] = along;
        if let Some(path) = self.path.as_ref().filter(|path| is_file(path)) {
            // The file says all that there is to a motion.
            let (payload, cycles) = (order.payload, order.cycles);
            *order = MotionOrder { path: path.clone(), payload, cycles, ..MotionOrder::default() };
        } else if let Some(path) = &self.path {
            (order.path, order.measures) = (path.clone(), Default::default());
            let [center, direction] = named::has_place(path);
            (order.center, order.direction) = (order.center.filter(|_| center), order.direction.filter(|_| direction));
        }
        if let Some(law) = self.profile {
            let MotionOrder { ratio, speed, acceleration, jerk, smoothing, .. } = MotionOrder::default();
            *order = MotionOrder { law, ratio, speed, acceleration, jerk, smoothing, ..order.clone() };
        }
        for (option, text, dimension, setting) in [
            ("width", &self.width, Dimension::Length, &mut order.measures.width),
            ("height", &self.height, Dimension::Length, &mut order.measures.height),
            ("blend", &self.blend, length, &mut order.measures.blend),
            ("ratio", &self.ratio, Dimension::Ratio, &mut order.ratio),
            ("speed", &self.speed, speed, &mut order.speed),
            ("acceleration", &self.acceleration, acceleration, &mut order.acceleration),
            (
                "jerk",
                &self.jerk,
                if length == Dimension::Length { Dimension::Jerk } else { Dimension::Ratio },
                &mut order.jerk,
            ),
            ("smoothing", &self.smoothing, Dimension::Time, &mut order.smoothing),
            ("share", &self.share, Dimension::Ratio, &mut order.share),
        ] {
            if let Some(text) = text {
                *setting = Some(positive(option, text, dimension)?);
            }
        }
        if let Some(text) = &self.cycle {
            order.time = Some(Time::Cycle(positive("cycle", text, Dimension::Time)?));
        }
        if let Some(text) = &self.cycles_per_minute {
            order.time = Some(Time::Cycle(60.0 / positive("cycles-per-minute", text, Dimension::Ratio)?));
        }
        if let Some(text) = &self.center {
            order.center = Some(point("center", text)?);
        }
        if let Some(text) = &self.direction {
            let wrong =
                |error: dalembert::describe::QuantityError| Failure::new(format!("--direction: {}", error.problem));
            order.direction = Some(motion::direction(text).map_err(|e| wrong(e).hint("x, y, or an angle from x"))?);
        }
        if let Some(text) = &self.payload {
            order.payload = Some(number("payload", text, Dimension::Mass)?);
        }
        Ok(())
    }
}

impl MotionArguments {
    /// A motion of which only this is said.
    pub fn of(robot: &str, path: &str, profile: Option<LawName>, duration: Option<&str>) -> Self {
        let order = OrderArguments { path: Some(path.to_owned()), profile, ..OrderArguments::default() };
        Self { robot: robot.to_owned(), order, duration: duration.map(str::to_owned), orientation: None, posture: None }
    }

    /// Whether a time is given.
    pub fn is_timed(&self) -> bool {
        self.duration.is_some() || self.order.cycle.is_some() || self.order.cycles_per_minute.is_some()
    }

    /// What is ordered, by a law unless another is typed, and else as usual.
    pub fn order(&self, law: LawName, usual: MotionOrder, along: [Dimension; 3]) -> Result<MotionOrder, Failure> {
        let mut order = MotionOrder { law, ..usual };
        self.order.change(&mut order, along)?;
        if let Some(text) = &self.duration {
            order.time = Some(Time::Stroke(positive("duration", text, Dimension::Time)?));
        }
        Ok(order)
    }

    /// The motion of a Delta.
    pub fn plan_for(&self, robot: Robot, default: LawName) -> Result<MotionPlan, Failure> {
        for (option, given) in [("orientation", &self.orientation), ("posture", &self.posture)] {
            if given.is_some() {
                return Err(Failure::new(format!("--{option} is for serial arms: a platform does not turn")));
            }
        }
        let order = self.order(default, MotionOrder::default(), Robot::ALONG)?;
        let payload = order.payload().unwrap_or(robot.delta.parameters().payload_mass);
        let branch = self.order.branch.unwrap_or(crate::arguments::BranchChoice::Out);
        let machine = DeltaMachine::new(&robot, branch.into())
            .carrying(payload)
            .map_err(|error| Failure::new(format!("--payload: {error}")))?;
        Ok(MotionPlan { robot, machine, order, payload, held: None })
    }
}

/// What a motion cannot be, with what to do about it.
pub fn explain<R: Described>(robot: &R, order: &MotionOrder, error: &OrderError) -> Failure {
    let failure = match error {
        // It names the file itself.
        OrderError::File(_) => Failure::new(format!("{}: {error}", robot.name())),
        _ => Failure::new(format!("{}, {}: {error}", robot.name(), order.path)),
    };
    match error {
        OrderError::Task(TaskError::Choice { cause: ChoiceError::NoDuration, .. }) => failure.hint("give --cycle"),
        OrderError::Task(TaskError::Choice { cause: ChoiceError::Overdetermined, .. }) => {
            failure.hint("leave out the time, or --speed, --acceleration and --jerk")
        }
        _ => failure.maybe_hint(robot.hint(error)),
    }
}

impl<R: Described, W: Workspace> MotionPlan<R, W> {
    /// The motion itself.
    pub fn timed(&self) -> Result<Timed, Failure> {
        self.order.timed(&self.machine, 1.0).map_err(|error| self.explain(&error))
    }

    /// What a motion cannot be, with what to do about it.
    pub fn explain(&self, error: &OrderError) -> Failure {
        let beyond = matches!(
            error,
            OrderError::Task(TaskError::Choice { cause: ChoiceError::Plan(_), .. } | TaskError::Follow(_))
        );
        if R::KIND == Robot::KIND || !beyond {
            return explain(&self.robot, &self.order, error);
        }
        let (center, room) = self.machine.middle();
        let [x, y, z] = center.0;
        Failure::new(format!("{}, {}: {error}", self.robot.name(), self.order.path)).hint(format!(
            "the tool has most room about ({x:.3}, {y:.3}, {z:.3}) m, {room:.3} m: another center, direction, width, \
             orientation, posture or path"
        ))
    }

    /// One line on what is done.
    pub fn what(&self) -> String {
        let center = self.order.placement(&self.machine).center;
        let c = center.components();
        let place = if self.order.path.contains(':') {
            String::new()
        } else {
            format!(" about ({:.4}, {:.4}, {:.4}) m", c[0] + 0.0, c[1] + 0.0, c[2] + 0.0)
        };
        let path = named::caption(&self.order.path, self.order.measures);
        let held = self.held.as_ref().map_or(String::new(), |held| format!(", {held}"));
        format!("{path}{place}, {}, payload {} kg{held}", self.order.law.as_str(), self.payload)
    }
}
