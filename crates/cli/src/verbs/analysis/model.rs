//! The linear model of a state or of the states of a motion, as the arguments ask for it.

use super::given::{Given, PointArguments, TimedState, refused};
use super::list;
use crate::failure::{Failure, say};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use dalembert::linear::{LinearError, LinearMotion, Linearized, Matrix, Sizes, StateSpace};
use dalembert::mechanism::Poles;
use dalembert::robot::file::Dimension;
use dalembert::robot::linear_model::{Coordinates, LinearModels, LinearizeError, Output};
use dalembert::robot::{Cache, Robot, Sticking, sticking};

/// A state and the linear model about it.
#[derive(Args)]
pub struct ModelArguments {
    #[command(flatten)]
    pub point: PointArguments,
    /// What the state of the model is; a Delta robot has both
    #[arg(long, default_value = "joint")]
    coordinates: CoordinatesChoice,
    /// What is measured: joints, joint-rates, position, velocity, acceleration; several with commas
    #[arg(long, value_name = "OUTPUTS", default_value = "joints")]
    outputs: String,
    /// Equations of motion; a Delta robot has both
    #[arg(long, default_value = "explicit")]
    formulation: FormulationChoice,
    /// Poles of the constraints of baumgarte, 1/s  [default: -5,-5]
    #[arg(long, value_name = "P1,P2", allow_hyphen_values = true)]
    constraint_poles: Option<String>,
    /// Keep this many states, by balanced truncation
    #[arg(long, value_name = "N")]
    pub order: Option<usize>,
    /// What counts as one of each input where states are cut off, N m; one for all, or one each  [default: 1]
    #[arg(long, value_name = "TAU", requires = "order", allow_hyphen_values = true)]
    input_size: Option<String>,
    /// What counts as one of each output where states are cut off, SI  [default: 1]
    #[arg(long, value_name = "Y", requires = "order", allow_hyphen_values = true)]
    output_size: Option<String>,
    /// Keep a part of the model: the stable modes, or those that are reached and seen; with --order, that many of its states
    #[arg(long)]
    pub part: Option<PartChoice>,
    /// Tell on standard error how the models of a motion are computed
    #[arg(long)]
    verbose: bool,
    /// Do not use programs that `derive --cache` has kept
    #[arg(long)]
    no_cache: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PartChoice {
    /// Poles in the open left half plane
    Stable,
    /// Kalman's minimal model: the same transfer function
    Minimal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CoordinatesChoice {
    /// Joint angles and rates
    Joint,
    /// Platform position and velocity
    Cartesian,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormulationChoice {
    /// Six states
    Explicit,
    /// Bortoff's nine coordinates with stabilised constraints: 18 states
    Baumgarte,
}

/// What came out.
pub enum Model {
    /// About one state.
    Point(Box<PointModel>),
    /// About each state of a motion.
    Motion(LinearMotion),
}

/// A model about one state.
pub struct PointModel {
    pub model: Linearized,
    /// Hankel singular values, where it was reduced.
    pub hankel: Vec<f64>,
    pub robot: Robot,
    /// The joints that dry friction holds.
    pub sticking: Vec<Sticking>,
    /// The whole model without dry friction, where there is some.
    pub smooth: Option<Linearized>,
}

impl ModelArguments {
    /// The robot's name and the model.
    pub fn linearized(&self) -> Result<(String, Model), Failure> {
        // What is refused is refused before a long file is read and linearised.
        let (coordinates, outputs) = (self.coordinates()?, self.outputs()?);
        if self.point.is_motion() && (self.order.is_some() || self.part.is_some()) {
            return Err(Failure::new("--order and --part are for a model about one state, not for a motion")
                .hint("the states of a reduced model mean something else at every point: reduce in your own tool"));
        }
        let Given { robot, states } = self.point.plan(0.0)?;
        let name = robot.name.clone();
        let bad = |error: LinearError| Failure::new(format!("{name}: {error}"));
        let progress = Progress::of("linearised", states.len() as f64);
        let mut models = LinearModels::new(&robot, coordinates, &outputs);
        let cache = if self.no_cache { None } else { Cache::standard() };
        let prepared = models.prepare(states.len(), cache.as_ref());
        if self.verbose {
            progress
                .beside(|| say(&prepared.unwrap_or_else(|reason| format!("state by state by the formulas: {reason}"))));
        }
        let mut points = Vec::with_capacity(states.len());
        for (k, state) in states.iter().enumerate() {
            // A state that fails is named by its number.
            let place = |failure: Failure| {
                if self.point.is_motion() { failure.at(&format!("state {}", k + 1)) } else { failure }
            };
            points.push(about(&robot, state, &mut models).map_err(place)?);
            progress.reached(k as f64);
        }
        progress.end();
        if self.point.is_motion() {
            let times = states.iter().filter_map(|state| state.time).collect();
            return Ok((name.clone(), Model::Motion(LinearMotion::new(times, points).map_err(bad)?)));
        }
        let Some(mut model) = points.into_iter().next() else { return Err(Failure::new("no state")) };
        let mut hankel = Vec::new();
        let mut reduced = match self.part {
            Some(PartChoice::Stable) => {
                model.system.split().map(|split| Some((split.stable, split.projection))).map_err(bad)?
            }
            Some(PartChoice::Minimal) => {
                model.system.kalman().map(|kalman| Some((kalman.minimal, kalman.projection))).map_err(bad)?
            }
            None => None,
        };
        if let Some(order) = self.order {
            if order == 0 {
                return Err(Failure::new("--order is 0, but a model has at least one state")
                    .hint("`--order 1` keeps the one that matters most"));
            }
            let system = reduced.as_ref().map_or(&model.system, |(system, _)| system);
            let sizes = self.sizes(system)?;
            let cut = system.balanced_for(Some(order), &sizes).map_err(|error| match error {
                LinearError::NotStable { .. } => bad(error).hint(
                    "damp the motors (--damping), choose a stable pose (`dalembert stability`), or reduce its stable part: --part stable with --order",
                ),
                error => bad(error),
            })?;
            hankel = cut.hankel;
            let projection = match reduced {
                Some((_, first)) => cut.projection * first,
                None => cut.projection,
            };
            reduced = Some((cut.system, projection));
        }
        if let Some((system, projection)) = reduced {
            // Its states are deviations without a meaning of their own; they move as the full ones do, seen from them.
            let rate = &projection * Matrix::from_column_slice(model.rate.len(), 1, &model.rate);
            model =
                Linearized { state: vec![0.0; system.order()], rate: rate.iter().copied().collect(), system, ..model };
        }
        let (joints, state) = (robot.joints(), &states[0]);
        let sticking = sticking(&joints, &state.state.joints.qd);
        let smooth = match sticking.is_empty() {
            true => None,
            false => {
                let smooth = robot.without_dry_friction().map_err(|error| Failure::new(error.to_string()))?;
                Some(about(&smooth, state, &mut LinearModels::new(&smooth, coordinates, &outputs))?)
            }
        };
        Ok((name, Model::Point(Box::new(PointModel { model, hankel, robot, sticking, smooth }))))
    }

    /// Of inputs and outputs, where a model is reduced.
    fn sizes(&self, system: &StateSpace) -> Result<Sizes, Failure> {
        let of = |option, text: &Option<String>, count| match text {
            Some(text) => list(option, text, Dimension::Ratio, count),
            None => Ok(vec![1.0; count]),
        };
        Ok(Sizes {
            inputs: of("input-size", &self.input_size, system.inputs.len())?,
            outputs: of("output-size", &self.output_size, system.outputs.len())?,
        })
    }

    fn coordinates(&self) -> Result<Coordinates, Failure> {
        if self.constraint_poles.is_some() && self.formulation != FormulationChoice::Baumgarte {
            return Err(Failure::new("--constraint-poles are those of --formulation baumgarte"));
        }
        match (self.formulation, self.coordinates) {
            (FormulationChoice::Explicit, CoordinatesChoice::Joint) => Ok(Coordinates::Joint),
            (FormulationChoice::Explicit, CoordinatesChoice::Cartesian) => Ok(Coordinates::Cartesian),
            (FormulationChoice::Baumgarte, CoordinatesChoice::Cartesian) => {
                Err(Failure::new("baumgarte has coordinates of its own: the nine angles")
                    .hint("leave out --coordinates, or use --formulation explicit"))
            }
            (FormulationChoice::Baumgarte, CoordinatesChoice::Joint) => {
                let roots =
                    list("constraint-poles", self.constraint_poles.as_deref().unwrap_or("-5,-5"), Dimension::Ratio, 2)?;
                let poles = Poles::real(roots[0], roots[1]).map_err(|error| Failure::new(error.to_string()))?;
                Ok(Coordinates::Constrained(poles))
            }
        }
    }

    fn outputs(&self) -> Result<Vec<Output>, Failure> {
        let parse = |name: &str| Output::ALL.into_iter().find(|output| output.as_str() == name.trim());
        let known = || Output::ALL.map(Output::as_str).join(", ");
        let of = |name| {
            parse(name).ok_or_else(|| {
                Failure::new(format!("--outputs: `{name}` is not an output")).hint(format!("known are {}", known()))
            })
        };
        self.outputs.split(',').map(of).collect()
    }
}

/// The linear model about a state, under the torques that belong to its acceleration.
fn about(robot: &Robot, given: &TimedState, models: &mut LinearModels<'_>) -> Result<Linearized, Failure> {
    let model = robot.model("exact").map_err(|error| Failure::new(error.to_string()))?;
    let torque = model.torque(&given.state, given.wrench);
    models.at(&given.state, &torque, given.wrench).map_err(|error| match error {
        LinearizeError::StateError(error) => refused(robot, error),
        error => Failure::new(format!("{}: {error}", robot.name)),
    })
}
