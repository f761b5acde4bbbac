//! `size`: which motors and gears can do a motion.

use super::motion::{MotionArguments, say_notes};
use crate::prelude::*;
use dalembert::motion::sizing::MotorListError;
use dalembert::motion::{MotorList, ProfileChoice, is_file};
use dalembert::robot::file::LoadError;
use dalembert::verbs::size::{SizeRequest, size};

#[derive(Args)]
#[command(after_help = "\
The motion is repeated, so the RMS torque counts. With a given cycle time, the default profile is `minimum-torque`. A file `motion.csv` has the columns that `trajectory --out` writes: t and x,y,z, vx,vy,vz, \
ax,ay,az, or t and q1.., qd1.., qdd1... Rotor and gear of the robot file are replaced by those of the list. The motors of a \
Delta are alike; the joints of a serial arm are sized one by one. Motor lists and criteria: docs/motion.md. Exit code \
0 whether or not a motor suffices.

Examples:
  dalembert size d3-1200 --cycles-per-minute 150
  dalembert size d3-1200 --cycles-per-minute 150 --payload 4
  dalembert size d3-1200 --motion motion.csv --motors my-motors.toml --json
  dalembert size puma560 --cycle 2 --payload 2")]
pub struct SizeArguments {
    /// File of motors and gears, or the name of a built-in list
    #[arg(long, value_name = "FILE", default_value = "akm44g")]
    motors: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
}

impl SizeArguments {
    fn request(&mut self) -> Result<SizeRequest, Failure> {
        let motors = MotorList::find(&self.motors).map_err(no_motors)?;
        let robot = self.motion.robot.find()?;
        self.motion.order.read_points(&robot)?;
        if self.motion.order.path.as_deref().is_some_and(is_file) {
            // Where, how fast and how often is in the file.
            let given = self.motion.order.given_beside(&["path", "payload", "branch"]);
            if let Some(option) = given.or(self.motion.is_timed().then(|| String::from("duration"))) {
                return Err(Failure::new(format!("--{option} does not go with a motion from a file"))
                    .hint("let `trajectory` write the file with it"));
            }
        }
        let mut motion = self.motion.request(robot, ProfileChoice::SineOnRamp { ratio: 1.0 })?;
        if self.motion.order.profile.is_none() {
            motion.order.profile = SizeRequest::usual_profile(motion.order.time);
        }
        Ok(SizeRequest { motion, motors })
    }
}

/// Why there is no list of motors.
fn no_motors(error: MotorListError) -> Failure {
    let hint = "--motors takes a file of motors and gears (docs/motion.md), or the built-in list akm44g";
    match error {
        MotorListError::Unknown { suggestion: Some(name), .. } => {
            Failure::new(&error).hint(format!("did you mean `{name}`?"))
        }
        MotorListError::Unknown { .. } => Failure::new(&error).hint(hint),
        MotorListError::Load(LoadError::Read { path, error }) => {
            Failure::new(format!("cannot read {}", path.display())).because(error).hint(hint)
        }
        MotorListError::Load(LoadError::NotText { .. }) => Failure::new(&error).hint(hint),
        MotorListError::Load(error) => error.into(),
    }
}

pub fn run(mut arguments: SizeArguments, screen: &mut Screen) -> Result<(), Failure> {
    let request = arguments.request()?;
    let outcome = size(&request, &mut Progress::start("planning the motion"))?;
    say_notes(&outcome);
    if arguments.json {
        return screen.outcome(&outcome);
    }
    let [verdict, others @ ..] = outcome.findings() else { return Ok(()) };
    screen.heading(format!("{}: {}", outcome.robot, outcome.caption));
    screen.line(format!("  {}", outcome.pace()));
    screen.title(&verdict.message);
    for finding in others.iter().filter(|finding| finding.code == "limit-exceeded") {
        screen.line(format!("  Beyond the robot file: {}", finding.message));
    }
    screen.line("");
    let margins = outcome.margins();
    if margins.is_some() {
        screen.line("  The best for each joint:");
    }
    screen.table(&outcome.table());
    if let Some(margins) = margins {
        screen.line("");
        screen.line("  Which combination suffices for which joint, and with which margin:");
        screen.table(&margins);
    }
    let sources = request.motors.motors.iter().filter_map(|motor| Some((&motor.name, motor.source.as_ref()?)));
    sources.for_each(|(name, source)| screen.line(format!("  {name}: {source}")));
    Ok(())
}
