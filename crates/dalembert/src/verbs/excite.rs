//! Optimal excitation trajectories: the motion from which a robot's parameters are identified best.

use super::prelude::*;
use super::smooth::state_columns;
use crate::identify::columns::Parameterization;
use crate::identify::excite::{ComparedMotion, Excitation, ExciteOptions, NoExcitation};
use crate::motion::RobotMotion;

/// For which robot, and within which limits.
#[derive(Clone, Debug)]
pub struct ExciteRequest {
    /// The robot.
    pub robot: Robot,
    /// Duration, limits and search.
    pub options: ExciteOptions,
    /// Which parameters are to be identified. The velocities of friction are not linear parameters: they are left out.
    pub parameterization: Parameterization,
}

impl ExciteRequest {
    /// A D-optimal Fourier series of 10 s for all parameters.
    pub fn new(robot: Robot) -> Self {
        let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
        Self { robot, options: ExciteOptions::default(), parameterization }
    }
}

/// An excitation trajectory and how well it identifies each base parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExciteOutcome {
    /// Its name.
    #[serde(serialize_with = "name_only")]
    #[schemars(with = "String")]
    pub robot: Robot,
    /// The trajectory.
    #[serde(flatten)]
    pub found: Excitation,
}

fn name_only<S: serde::Serializer>(robot: &Robot, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&robot.name)
}

impl Outcome for ExciteOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let Excitation { condition, gain, period, usual, nearest, expected, .. } = &self.found;
        let all = [("condition", *condition, ""), ("gain.random", *gain, ""), ("period", *period, "s")].into_iter();
        let all = all.chain(usual.as_ref().map(|usual| ("gain.usual", usual.gain, "")));
        let all = all.chain(nearest.as_ref().map(|nearest| ("distance.min", nearest.distance, "m")));
        metrics("", all).chain(metrics("sigma.", expected.iter().map(|e| (&e.name, e.sigma, e.unit)))).collect()
    }
}

impl ExciteOutcome {
    /// All periods, s.
    pub fn duration(&self) -> f64 {
        self.found.period * self.found.repeated as f64
    }

    /// t, q, qd, qdd and the torque of each joint, so many samples per second.
    pub fn recording(&self, rate: f64) -> Result<Recording, VerbError> {
        let robot = &self.robot;
        let rows = (self.duration() * rate).round();
        if !(1.0..=1e7).contains(&rows) {
            let message = format!("the rate of {rate} Hz makes {rows} rows, but must make 1 to 10000000");
            return Err(VerbError::new("rate", message));
        }
        let mut all = Recording::new(state_columns(&robot.joints())).map_err(failed("state", &robot.name))?;
        let exact = robot.build_model("exact").map_err(failed("state", &robot.name))?;
        for k in 0..=rows as usize {
            let t = self.duration() * k as f64 / rows;
            let joints = self.found.motion.at(t);
            let state = robot.at_joints(&joints, &Pick::default()).map_err(failed("state", &robot.name))?;
            let torque = exact.torque(&state, Wrench::zero());
            let row = [&[t], &joints.q[..], &joints.qd[..], &joints.qdd[..], &torque[..]].concat();
            all.push(&row).map_err(failed("state", &robot.name))?;
        }
        Ok(all)
    }

    /// The motion of the tool, all periods; none where the tool turns.
    pub fn tool_motion(&self) -> Result<Option<RobotMotion>, VerbError> {
        let repeated =
            |motion: RobotMotion| motion.repeated(self.found.repeated).map_err(|error| VerbError::new("motion", error));
        self.found.motion.of_tool(&self.robot).map(repeated).transpose()
    }

    /// The base parameters as a table: expected standard deviations of this motion and of the others.
    pub fn table(&self) -> Table {
        let Excitation { expected, best_random, usual, .. } = &self.found;
        let rows = expected.iter().enumerate().map(|(k, e)| {
            let [random, usual] = [Some(best_random), usual.as_ref()].map(|other: Option<&ComparedMotion>| {
                other.and_then(|other| other.sigma[k]).map_or("–".to_owned(), |sigma| human(sigma, 2))
            });
            [e.name.clone(), human(e.value, 4), human(e.sigma, 2), random, usual, e.unit.to_owned()]
        });
        let head = ["base parameter of", "robot file", "expected σ", "random", "usual", "unit"];
        Table::of("lrrrrl", head, rows)
    }
}

/// Finds an optimal excitation trajectory.
pub fn excite(request: &ExciteRequest, observer: &mut dyn Observer) -> Result<ExciteOutcome, VerbError> {
    let ExciteRequest { robot, options, parameterization } = request;
    for (field, value, most) in [
        ("share", options.share, 1.0),
        ("noise", options.noise, 1.0),
        ("duration", options.duration, f64::MAX),
        ("speed", options.speed, f64::MAX),
        ("reach", options.reach, f64::MAX),
    ] {
        if !(value > 0.0 && value <= most) {
            let most = if most == 1.0 { ", at most 1" } else { "" };
            return Err(VerbError::new("range", format!("{field} is {value}, but must be positive{most}")));
        }
    }
    let mut progress = |share: f64| {
        observer.progress(share, "searching a trajectory");
        !observer.cancelled()
    };
    let found = crate::identify::excite::excite(robot, parameterization, options, &mut progress);
    let found = found.map_err(|error| match error {
        NoExcitation::Stopped => VerbError::cancelled(),
        error => failed("no-excitation", &robot.name)(error),
    })?;
    Ok(ExciteOutcome { robot: robot.clone(), found })
}
