//! Where the states of `sensitivity` and `compare` come from: a table as `torque` reads it, or a motion as `trajectory`
//! makes it.

use super::motion::{MotionArguments, flagged, profile_parser};
use super::rows::{explained, open_table};
use crate::arguments::numbers::positive;
use crate::arguments::{BranchChoice, name_of};
use crate::failure::Failure;
use crate::progress::Progress;
use clap::Args;
use dalembert::delta::Branch;
use dalembert::motion::ProfileName;
use dalembert::robot::file::Dimension;
use dalembert::robot::{Pick, Robot};
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::states::{MotionStates, TimedState, motion_states, read_states};

#[derive(Args)]
pub struct SourceArguments {
    /// Motion as in `trajectory`: a name, line:P/P, polyline:P/P/P, arc:P/P/P
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, conflicts_with = "states")]
    pub motion: Option<String>,
    /// Motion profile  [default: sine-on-ramp]
    #[arg(long, value_name = "PROFILE", requires = "motion", value_parser = profile_parser())]
    pub profile: Option<ProfileName>,
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
        duration: Option<&str>,
        payload: Option<&str>,
        pick: Pick,
    ) -> Result<Option<MotionStates>, Failure> {
        if let Some(path) = &self.motion {
            let mut arguments = MotionArguments::of(&robot.name, path, self.profile, duration);
            arguments.order.payload = payload.map(str::to_owned);
            arguments.order.branch = pick.elbows.map(|branch| match branch {
                Branch::Out => BranchChoice::Out,
                Branch::In => BranchChoice::In,
            });
            let request = arguments.request(robot.clone(), ProfileName::SineOnRamp)?;
            let request = MotionRequest { pick, ..request };
            let mut progress = Progress::start("planning the motion");
            return motion_states(&request, self.every()?, &mut progress).map(Some).map_err(flagged);
        }
        let Some(file) = file else { return Ok(None) };
        let rows = states(robot, file, pick, false)?;
        Ok(Some(MotionStates { robot: robot.clone(), caption: format!("states of {}", name_of(file)), rows }))
    }

    fn every(&self) -> Result<f64, Failure> {
        self.every.as_deref().map_or(Ok(1e-3), |text| positive("every", text, Dimension::Time))
    }
}

/// Every row of a table as a state; `timed`: every state needs its time.
pub fn states(robot: &Robot, file: &str, pick: Pick, timed: bool) -> Result<Vec<TimedState>, Failure> {
    let name = name_of(file);
    let input = open_table(file).map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
    read_states(robot, name, input, pick, timed, &mut Progress::start("rows")).map_err(explained)
}
