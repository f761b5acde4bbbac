//! Where the states of `sensitivity` and `compare` come from: a table as `torque` reads it, or a motion as `trajectory`
//! makes it.

use super::motion::{MotionArguments, profile_parser};
use super::rows::open_table;
use crate::prelude::*;
use dalembert::motion::ProfileChoice;
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::states::{MotionStates, TimedState, motion_states, read_states};

#[derive(Args)]
pub struct SourceArguments {
    /// Motion as in `trajectory`: a name, line:P/P, polyline:P/P/P, arc:P/P/P
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, conflicts_with = "states")]
    pub motion: Option<String>,
    /// Motion profile  [default: sine-on-ramp]
    #[arg(long, value_name = "PROFILE", requires = "motion", value_parser = profile_parser())]
    pub profile: Option<ProfileChoice>,
    /// Time between states of the motion  [default: 1 ms]
    #[arg(long, value_name = "TIME", requires = "motion", allow_hyphen_values = true)]
    pub every: Option<String>,
}

impl SourceArguments {
    /// The states of the motion, or of a file; none where neither is given.
    pub fn states(
        &self,
        robot: &Robot,
        file: Option<&str>,
        duration: &Option<String>,
        payload: &Option<String>,
        pick: Pick,
    ) -> Result<Option<MotionStates>, Failure> {
        if let Some(path) = &self.motion {
            let mut arguments = MotionArguments::of(&robot.name, path, self.profile, duration);
            arguments.order.payload.clone_from(payload);
            arguments.order.branch = pick.elbows;
            let request = arguments.request(robot.clone(), ProfileChoice::SineOnRamp { ratio: 1.0 })?;
            let every = optional(positive, "every", &self.every, Dimension::Time)?.unwrap_or(1e-3);
            let mut progress = Progress::start("planning the motion");
            return Ok(Some(motion_states(&MotionRequest { pick, ..request }, every, &mut progress)?));
        }
        let Some(file) = file else { return Ok(None) };
        let rows = states(robot, file, pick, false)?;
        Ok(Some(MotionStates { robot: robot.clone(), caption: format!("states of {}", name_of(file)), rows }))
    }
}

/// Every row of a table as a state; `timed`: every state needs its time.
pub fn states(robot: &Robot, file: &str, pick: Pick, timed: bool) -> Result<Vec<TimedState>, Failure> {
    let name = name_of(file);
    let input = open_table(file).map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
    Ok(read_states(robot, name, input, pick, timed, &mut Progress::start("rows"))?)
}
