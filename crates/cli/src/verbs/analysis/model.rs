//! The linear model of a state or of the states of a motion, as the arguments ask for it.

use super::given::{Given, PointArguments};
use super::list;
use crate::arguments::numbers::numbers;
use crate::failure::{Failure, say};
use clap::{Args, ValueEnum};
use dalembert::mechanism::Poles;
use dalembert::robot::Cache;
use dalembert::robot::file::Dimension;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::verbs::VerbError;
use dalembert::verbs::linear::{LinearModelRequest, ModelPart};

/// A state and the linear model about it.
#[derive(Args)]
pub struct ModelArguments {
    #[command(flatten)]
    pub point: PointArguments,
    /// State coordinates; a Delta robot has both
    #[arg(long, default_value = "joint")]
    coordinates: CoordinatesChoice,
    /// Outputs, separated by commas: joints, joint-rates, position, velocity, acceleration
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
    /// Scale of each input for balanced truncation, N m  [default: 1]
    ///
    /// One for all, or one each
    #[arg(long, value_name = "TAU", requires = "order", allow_hyphen_values = true)]
    input_size: Option<String>,
    /// Scale of each output for balanced truncation, SI  [default: 1]
    #[arg(long, value_name = "Y", requires = "order", allow_hyphen_values = true)]
    output_size: Option<String>,
    /// Part of the model to keep; with --order, that many of its states
    #[arg(long)]
    pub part: Option<PartChoice>,
    /// Report on standard error how the models of a motion are computed
    #[arg(long)]
    verbose: bool,
    /// Do not use programs cached by `derive --cache`
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

impl ModelArguments {
    pub fn request(&self) -> Result<LinearModelRequest, Failure> {
        // What is refused is refused before a long file is read and linearised.
        let (coordinates, outputs, is_motion) = (self.coordinates()?, self.outputs()?, self.point.is_motion());
        let part = self.part.map(|part| match part {
            PartChoice::Stable => ModelPart::Stable,
            PartChoice::Minimal => ModelPart::Minimal,
        });
        LinearModelRequest::check(is_motion, self.order, part).map_err(flagged)?;
        let sizes = |option, text: &Option<String>| {
            text.as_deref().map_or(Ok(vec![1.0]), |text| numbers(option, text, |_| Dimension::Ratio))
        };
        let Given { robot, states } = self.point.plan(0.0)?;
        Ok(LinearModelRequest {
            robot,
            states,
            is_motion,
            coordinates,
            outputs,
            part,
            order: self.order,
            input_sizes: sizes("input-size", &self.input_size)?,
            output_sizes: sizes("output-size", &self.output_size)?,
            cache: if self.no_cache { None } else { Cache::standard() },
        })
    }

    /// How the models were computed, where that is asked for.
    pub fn say_how(&self, computed_by: &str) {
        if self.verbose {
            say(computed_by);
        }
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

/// An error of a verb about linear models, with the options of the command.
pub fn flagged(error: VerbError) -> Failure {
    let code = error.code.clone();
    let named = |error: VerbError| {
        let message = format!("--{code}: {}", error.message);
        Failure::from(VerbError { message, ..error })
    };
    match code.as_ref() {
        "input-size" | "output-size" | "place" => named(error),
        "reduced-motion" => {
            let message = String::from("--order and --part are for a model about one state, not for a motion");
            VerbError { message, ..error }.into()
        }
        "order" => {
            let message = String::from("--order is 0, but a model has at least one state");
            Failure::from(VerbError { message, ..error }).hint("`--order 1` keeps the one that matters most")
        }
        "lqr" => {
            let message = "--lqr weighs angles and rates, which the states of --order and --part are not";
            VerbError { message: message.to_owned(), ..error }.into()
        }
        "not-stable" => Failure::from(error).hint(
            "damp the motors (--damping), choose a stable pose (`dalembert stability`), or reduce its stable part: --part stable with --order",
        ),
        "uneven-steps" => {
            Failure::from(error).hint("--step is the time from row to row of the file, to the last row too")
        }
        _ => error.into(),
    }
}
