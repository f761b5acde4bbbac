//! Where the states of `sensitivity` and `compare` come from: a table as `torque` reads it, or a motion as `trajectory`
//! makes it.

use super::analysis::given::{TimedState, states};
use super::motion::{MotionArguments, profile_parser};
use super::rows::name_of;
use crate::arguments::BranchChoice;
use crate::arguments::numbers::positive;
use crate::failure::Failure;
use crate::output::human;
use clap::Args;
use dalembert::delta::Branch;
use dalembert::motion::ProfileName;
use dalembert::robot::file::Dimension;
use dalembert::robot::{Pick, Robot, Target};
use dalembert::spatial::Wrench;
pub use dalembert::verbs::MAX_STATES;

#[derive(Args)]
pub struct SourceArguments {
    /// Over a motion as `trajectory` knows it: a name, line:P/P, polyline:P/P/P, arc:P/P/P
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, conflicts_with = "states")]
    pub motion: Option<String>,
    /// Motion profile  [default: sine-on-ramp]
    #[arg(long, value_name = "PROFILE", requires = "motion", value_parser = profile_parser())]
    pub profile: Option<ProfileName>,
    /// Time from state to state of the motion  [default: 1 ms]
    #[arg(long, value_name = "TIME", requires = "motion", allow_hyphen_values = true)]
    pub every: Option<String>,
}

/// The times of a motion.
pub fn times(duration: f64, every: f64) -> Result<Vec<f64>, Failure> {
    let steps = (duration / every - 1e-9).ceil().max(1.0);
    if steps >= MAX_STATES as f64 {
        return Err(Failure::new(format!("{steps:.0} states are too many")).hint("give a larger --every"));
    }
    Ok((0..=steps as usize).map(|k| (k as f64 * every).min(duration)).collect())
}

/// A motion that a robot does.
pub struct Source {
    /// The robot, with the payload that the name of the motion says.
    pub robot: Robot,
    /// The motion in words.
    pub what: String,
    pub rows: Vec<TimedState>,
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
    ) -> Result<Option<Source>, Failure> {
        if let Some(path) = &self.motion {
            let mut arguments = MotionArguments::of(&robot.name, path, self.profile, duration);
            arguments.order.payload = payload.map(str::to_owned);
            arguments.order.branch = pick.elbows.map(|branch| match branch {
                Branch::Out => BranchChoice::Out,
                Branch::In => BranchChoice::In,
            });
            let plan = arguments.plan(robot, ProfileName::SineOnRamp)?;
            let row = |(t, target): (f64, Target)| match plan.robot.at(&target, &pick) {
                Ok(state) => Ok(TimedState { time: Some(t), state, wrench: Wrench::zero(), measured: None }),
                Err(error) => Err(Failure::new(format!("{} at t = {} s: {error}", robot.name, human(t, 4)))),
            };
            let rows = plan.targets(self.every()?)?.into_iter().map(row).collect::<Result<_, Failure>>()?;
            return Ok(Some(Source { what: plan.what(), rows, robot: plan.robot }));
        }
        let Some(file) = file else { return Ok(None) };
        let rows = states(robot, file, pick, false)?;
        Ok(Some(Source { robot: robot.clone(), what: format!("states of {}", name_of(file)), rows }))
    }

    fn every(&self) -> Result<f64, Failure> {
        self.every.as_deref().map_or(Ok(1e-3), |text| positive("every", text, Dimension::Time))
    }
}
