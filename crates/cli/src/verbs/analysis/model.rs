//! The linear model of a state or of the states of a motion, as the arguments ask for it.

use super::given::PointArguments;
use super::list;
use crate::prelude::*;
use dalembert::cell::Formulation;
use dalembert::mechanism::Poles;
use dalembert::robot::Cache;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::verbs::linear::{LinearModelRequest, ModelPart};

/// A state and the linear model about it.
#[derive(Args)]
pub struct ModelArguments {
    #[command(flatten)]
    pub point: PointArguments,
    /// State coordinates; a Delta robot has both
    #[arg(long, default_value = "joint", value_parser = coordinates())]
    coordinates: Coordinates,
    /// Outputs, separated by commas: joints, joint-rates, position, velocity, acceleration
    #[arg(long, value_name = "OUTPUTS", default_value = "joints")]
    outputs: String,
    /// Equations of motion; a Delta robot has both
    #[arg(long, default_value = "explicit", value_parser = formulation())]
    formulation: Formulation,
    /// Poles of the constraints of baumgarte, 1/s  [default: -5,-5]
    #[arg(long, value_name = "P1,P2", allow_hyphen_values = true)]
    constraint_poles: Option<String>,
    /// Keep this many states, by balanced truncation
    #[arg(long, value_name = "N")]
    order: Option<usize>,
    /// Scale of each input for balanced truncation, N m  [default: 1]
    ///
    /// One for all, or one each
    #[arg(long, value_name = "TAU", requires = "order", allow_hyphen_values = true)]
    input_size: Option<String>,
    /// Scale of each output for balanced truncation, SI  [default: 1]
    #[arg(long, value_name = "Y", requires = "order", allow_hyphen_values = true)]
    output_size: Option<String>,
    /// Part of the model to keep; with --order, that many of its states
    #[arg(long, value_parser = part())]
    part: Option<ModelPart>,
    /// Report on standard error how the models of a motion are computed
    #[arg(long)]
    verbose: bool,
    /// Do not use programs cached by `derive --cache`
    #[arg(long)]
    no_cache: bool,
}

fn part() -> impl TypedValueParser<Value = ModelPart> {
    one_of([
        (ModelPart::Stable, "stable", "Poles in the open left half plane"),
        (ModelPart::Minimal, "minimal", "Kalman's minimal model: the same transfer function"),
    ])
}

fn coordinates() -> impl TypedValueParser<Value = Coordinates> {
    one_of([
        (Coordinates::Joint, "joint", "Joint angles and rates"),
        (Coordinates::Cartesian, "cartesian", "Platform position and velocity"),
    ])
}

fn formulation() -> impl TypedValueParser<Value = Formulation> {
    let nine = "Bortoff's nine coordinates with stabilised constraints: 18 states";
    one_of([(Formulation::Explicit, "explicit", "Six states"), (Formulation::Baumgarte, "baumgarte", nine)])
}

impl ModelArguments {
    pub fn request(&self) -> Result<LinearModelRequest, Failure> {
        // What is refused is refused before a long file is read and linearised.
        let (coordinates, outputs, is_motion) = (self.coordinates()?, self.outputs()?, self.point.file().is_some());
        LinearModelRequest::check(is_motion, self.order, self.part)?;
        let sizes = |option, text: &Option<String>| {
            text.as_deref().map_or(Ok(vec![1.0]), |text| numbers(option, text, |_| Dimension::Ratio))
        };
        let (robot, states) = self.point.plan(0.0)?;
        Ok(LinearModelRequest {
            robot,
            states,
            is_motion,
            coordinates,
            outputs,
            part: self.part,
            order: self.order,
            input_sizes: sizes("input-size", &self.input_size)?,
            output_sizes: sizes("output-size", &self.output_size)?,
            cache: if self.no_cache { None } else { Cache::standard() },
        })
    }

    /// Shows what is done and, where that is asked for, how the models are computed.
    pub fn progress(&self) -> Progress {
        Progress::start("linearised").verbose(self.verbose)
    }

    fn coordinates(&self) -> Result<Coordinates, Failure> {
        let is_explicit = self.formulation == Formulation::Explicit;
        if self.constraint_poles.is_some() && is_explicit {
            return Err(Failure::new("--constraint-poles are those of --formulation baumgarte"));
        }
        if is_explicit {
            return Ok(self.coordinates);
        }
        if self.coordinates == Coordinates::Cartesian {
            return Err(Failure::new("baumgarte has coordinates of its own: the nine angles")
                .hint("leave out --coordinates, or use --formulation explicit"));
        }
        let roots = self.constraint_poles.as_deref().unwrap_or("-5,-5");
        let roots = list("constraint-poles", roots, Dimension::Ratio, 2)?;
        let poles = Poles::real(roots[0], roots[1]).map_err(Failure::new)?;
        Ok(Coordinates::Constrained(poles))
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
