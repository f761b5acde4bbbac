//! What `trajectory`, `size`, `cycle` and `simulate` have in common: a motion, as it is typed and as it is planned.

use crate::prelude::*;
use dalembert::motion::{self, MotionOrder, ProfileChoice, Time, form_of_path, is_file, named};
use dalembert::robot::orientation::rotation;
use dalembert::robot::{Form, ToolTurns};
use dalembert::serial::PumaBranch;
use dalembert::verbs::motion::{MotionRequest, posture_words};

pub fn profile_parser() -> impl TypedValueParser<Value = ProfileChoice> {
    one_of(ProfileChoice::ALL.map(|profile| {
        let help = match profile {
            ProfileChoice::Parabolic => "constant acceleration, then constant deceleration",
            ProfileChoice::Trapezoidal(_) => "the same with constant speed between (shaped by --speed, --acceleration)",
            ProfileChoice::Polynomial345 => "polynomial without acceleration at the ends",
            ProfileChoice::Polynomial4567 => "polynomial without acceleration and jerk at the ends",
            ProfileChoice::SineOnRamp { .. } => "Codourey's sine on ramp (--ratio)",
            ProfileChoice::DoubleS(_) => "constant jerk in seven pieces (shaped by --speed, --acceleration, --jerk)",
            ProfileChoice::TimeOptimal(_) => "as fast as all limits allow (--smoothing)",
            ProfileChoice::MinimumTorque => "smallest torques for the given time",
        };
        (profile, profile.as_str(), help)
    }))
}

/// The options of a motion, the same for all verbs that have one.
#[derive(Args, Default)]
#[command(next_help_heading = "Motion (docs/motion.md)")]
pub struct OrderArguments {
    /// Path: a name, points or a .csv file  [default: pick-and-place; swing for a serial arm]
    ///
    /// Points: line:P/P, polyline:P/P/P, arc:P/P/P with P = x,y,z of the tool, or joints:Q/Q/.. with poses Q = q1,q2,.. A file has
    /// times and positions, or waypoints.
    #[arg(long, visible_alias = "motion", value_name = "PATH", allow_hyphen_values = true)]
    pub path: Option<String>,
    /// Motion profile  [default: sine-on-ramp]
    #[arg(long, value_name = "PROFILE", value_parser = profile_parser())]
    pub profile: Option<ProfileChoice>,
    /// Cycle time, back and forth  [default: the shortest in which the profile keeps --share of the limits]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    cycle: Option<String>,
    /// Cycles per minute, instead of --cycle
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, conflicts_with = "cycle")]
    cycles_per_minute: Option<String>,
    /// Fraction of the torque and speed limits used for planning  [default: 1; 0.7 for `simulate`]
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    share: Option<String>,
    /// Width of a named motion, diameter of a circle; its height stays  [default: its own, less where space is limited]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    width: Option<String>,
    /// Height of a named motion  [default: its own]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    height: Option<String>,
    /// Distance from a corner at which its blend begins  [default: 20 mm, less on short segments]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub blend: Option<String>,
    /// Centre of a named motion  [default: the centre of the workspace]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    center: Option<String>,
    /// Horizontal direction of its strokes: x, y, or an angle from x  [default: x]
    #[arg(long, value_name = "DIRECTION", allow_hyphen_values = true)]
    direction: Option<String>,
    /// Rotation of the fourth axis on each stroke, back and forth  [default: none]
    #[arg(long, value_name = "ANGLE", allow_hyphen_values = true)]
    turn: Option<String>,
    /// Ratio of peak acceleration to peak deceleration, for sine-on-ramp  [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    ratio: Option<String>,
    /// Maximum tool speed, m/s, in addition to the robot's limits
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    speed: Option<String>,
    /// Maximum tool acceleration (norm), m/s²
    #[arg(long, value_name = "ACCELERATION", allow_hyphen_values = true)]
    acceleration: Option<String>,
    /// Maximum tool jerk, m/s³
    #[arg(long, value_name = "JERK", allow_hyphen_values = true)]
    jerk: Option<String>,
    /// Maximum speed of each joint, rad/s
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    joint_speed: Option<String>,
    /// Maximum acceleration of each joint, rad/s²
    #[arg(long, value_name = "ACCELERATION", allow_hyphen_values = true)]
    joint_acceleration: Option<String>,
    /// Maximum jerk of each joint, rad/s³
    #[arg(long, value_name = "JERK", allow_hyphen_values = true)]
    joint_jerk: Option<String>,
    /// Time over which time-optimal torques change, instead of --jerk  [default: 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    smoothing: Option<String>,
    /// Payload mass, kg  [default: of the named motion or the robot file]
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    pub payload: Option<String>,
    /// Elbow branch  [default: out]
    #[arg(long, value_parser = branch())]
    pub branch: Option<Branch>,
}

#[derive(Args)]
pub struct MotionArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    #[command(flatten)]
    pub order: OrderArguments,
    /// Time of each stroke, instead of --cycle
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["cycle", "cycles_per_minute"])]
    duration: Option<String>,
    /// Roll, pitch, yaw of the tool along its path  [default: 180 deg,0,0, pointing down]
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true)]
    pub orientation: Option<String>,
    /// Shoulder, elbow and wrist of an arm on a path of its tool  [default: the largest margin to the joint limits]
    #[arg(long, value_name = "S,E,W")]
    pub posture: Option<String>,
}

impl OrderArguments {
    /// An option that was given, if any.
    pub fn given(&self) -> Option<String> {
        self.given_beside(&[])
    }

    /// An option that was given and is none of `known`, if any.
    pub fn given_beside(&self, known: &[&str]) -> Option<String> {
        given!(self; path, profile, cycle, cycles_per_minute, share, width, height, blend, center, direction, turn, ratio, speed,
            acceleration, jerk, joint_speed, joint_acceleration, joint_jerk, smoothing, payload, branch)
        .find(|option| !known.contains(&option.as_str()))
    }

    /// The points of a file that has no times in the place of its name.
    pub fn read_points(&mut self, robot: &Robot) -> Result<(), Failure> {
        if let Some(path) = self.path.as_mut().filter(|path| is_file(path)) {
            let points = motion::waypoints(path, robot);
            let points = points.map_err(|error| Failure::new(&error).maybe_hint(error.hint()))?;
            *path = points.unwrap_or_else(|| path.clone());
        }
        Ok(())
    }

    /// Puts what was typed in the place of what is there. Another path brings its own measures with it and keeps a place that
    /// it has a use for, another profile brings its own numbers. Lengths, speeds and accelerations are those of the tool or of
    /// joints.
    pub fn change(&self, order: &mut MotionOrder, form: Form) -> Result<(), Failure> {
        use Dimension::{Acceleration, Angle, AngularAcceleration, AngularJerk, AngularSpeed, Jerk, Length, Speed};
        let [length, speed, acceleration, jerk] = match form {
            Form::Tool => [Length, Speed, Acceleration, Jerk],
            Form::Joints => [Angle, AngularSpeed, AngularAcceleration, AngularJerk],
        };
        if let Some(path) = self.path.as_ref().filter(|path| is_file(path)) {
            // The file says all that there is to a motion.
            let (payload, cycles) = (order.payload, order.cycles);
            *order = MotionOrder { path: path.clone(), payload, cycles, ..MotionOrder::default() };
        } else if let Some(path) = &self.path {
            (order.path, order.measures) = (path.clone(), Default::default());
            let [center, direction] = named::has_place(path);
            (order.center, order.direction) = (order.center.filter(|_| center), order.direction.filter(|_| direction));
        }
        if let Some(profile) = self.profile {
            // Limits stay: they go with every profile.
            *order = MotionOrder { profile, ratio: None, smoothing: None, ..order.clone() };
        }
        for (option, text, dimension, setting) in [
            ("width", &self.width, Dimension::Length, &mut order.measures.width),
            ("height", &self.height, Dimension::Length, &mut order.measures.height),
            ("blend", &self.blend, length, &mut order.measures.blend),
            ("ratio", &self.ratio, Dimension::Ratio, &mut order.ratio),
            ("speed", &self.speed, speed, &mut order.speed),
            ("acceleration", &self.acceleration, acceleration, &mut order.acceleration),
            ("jerk", &self.jerk, jerk, &mut order.jerk),
            ("joint-speed", &self.joint_speed, AngularSpeed, &mut order.joint_speed),
            ("joint-acceleration", &self.joint_acceleration, AngularAcceleration, &mut order.joint_acceleration),
            ("joint-jerk", &self.joint_jerk, AngularJerk, &mut order.joint_jerk),
            ("smoothing", &self.smoothing, Dimension::Time, &mut order.smoothing),
            ("share", &self.share, Dimension::Ratio, &mut order.share),
        ] {
            *setting = optional(positive, option, text, dimension)?.or(*setting);
        }
        let cycle = optional(positive, "cycle", &self.cycle, Dimension::Time)?;
        let rate = optional(positive, "cycles-per-minute", &self.cycles_per_minute, Dimension::Ratio)?;
        order.time = cycle.or(rate.map(|rate| 60.0 / rate)).map(Time::Cycle).or(order.time);
        if let Some(text) = &self.center {
            order.center = Some(three("center", text, Dimension::Length, "a point has three numbers x,y,z")?);
        }
        if let Some(text) = &self.direction {
            let wrong =
                |error: dalembert::robot::file::QuantityError| Failure::new(format!("--direction: {}", error.problem));
            order.direction = Some(motion::direction(text).map_err(|e| wrong(e).hint("x, y, or an angle from x"))?);
        }
        order.turn = optional(number, "turn", &self.turn, Dimension::Angle)?.or(order.turn);
        order.payload = optional(number, "payload", &self.payload, Dimension::Mass)?.or(order.payload);
        Ok(())
    }
}

impl MotionArguments {
    /// A motion of which only this is said.
    pub fn of(robot: &str, path: &str, profile: Option<ProfileChoice>, duration: &Option<String>) -> Self {
        let order = OrderArguments { path: Some(path.to_owned()), profile, ..OrderArguments::default() };
        let robot = RobotArguments { robot: robot.to_owned(), changes: FileChanges::default() };
        Self { robot, order, duration: duration.clone(), orientation: None, posture: None }
    }

    /// Whether a time is given.
    pub fn is_timed(&self) -> bool {
        self.duration.is_some() || self.order.cycle.is_some() || self.order.cycles_per_minute.is_some()
    }

    /// What is ordered of a robot, by a profile unless another is typed, and else as usual for it.
    fn order(&self, robot: &Robot, profile: ProfileChoice) -> Result<MotionOrder, Failure> {
        let mut order = MotionOrder { profile, ..MotionOrder::usual(&robot.kind()) };
        let form = form_of_path(self.order.path.as_ref().unwrap_or(&order.path), robot);
        self.order.change(&mut order, form)?;
        let stroke = optional(positive, "duration", &self.duration, Dimension::Time)?;
        order.time = stroke.map(Time::Stroke).or(order.time);
        if let Some(text) = &self.orientation {
            let kind = robot.kind();
            if kind.tool_turns == ToolTurns::No {
                let problem = format!("--orientation: the {} of a {} does not turn", kind.moved, kind.title);
                return Err(Failure::new(problem));
            }
            let angles = three("orientation", text, Dimension::Angle, "there are three angles roll, pitch, yaw")?;
            order.orientation = Some(rotation(angles.0));
        }
        let of_tool = self.order.given_beside(&IN_JOINTS);
        match of_tool.or_else(|| given!(self; posture, orientation).next()) {
            Some(option) if form == Form::Joints => {
                let path = order.path_name();
                Err(Failure::new(format!("--{option} is for paths of the tool, and {path} is one of joints")))
            }
            _ => Ok(order),
        }
    }

    /// The request, with a profile unless another is typed.
    pub fn request(&self, robot: Robot, profile: ProfileChoice) -> Result<MotionRequest, Failure> {
        let order = self.order(&robot, profile)?;
        let pick = Pick {
            elbows: self.order.branch,
            posture: self.posture.as_deref().map(posture).transpose()?,
            ..Pick::default()
        };
        Ok(MotionRequest { robot, order, pick })
    }
}

/// What goes with a motion from pose to pose of the joints.
#[rustfmt::skip]
const IN_JOINTS: [&str; 15] = [
    "path", "profile", "cycle", "cycles-per-minute", "share", "blend", "ratio", "speed", "acceleration", "jerk",
    "joint-speed", "joint-acceleration", "joint-jerk", "smoothing",
    "payload",
];

/// Says on standard error what a verb noticed about a motion: where it is not as it was asked for.
pub fn say_notes(outcome: &impl Outcome) {
    let notes = outcome.findings().iter().filter(|it| ["path-deviation", "motion-resized"].contains(&&*it.code));
    notes.for_each(|note| say(&note.message));
}

/// `front|back,positive|negative,positive|negative`: shoulder, elbow, wrist.
pub fn posture(text: &str) -> Result<PumaBranch, Failure> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let found = match words[..] {
        [_, _, _] => PumaBranch::ALL.into_iter().find(|branch| words == posture_words(*branch)),
        _ => None,
    };
    found.ok_or_else(|| {
        Failure::new(format!("--posture: `{text}` is not a posture"))
            .hint("shoulder front or back, elbow and wrist positive or negative: front,positive,negative")
    })
}
