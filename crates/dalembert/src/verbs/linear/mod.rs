//! Linear models about a state or along a motion: what `linearize` and `poles` have in common.

mod chart;
pub mod linearize;
pub mod poles;
pub mod under_law;

use super::states::TimedState;
use crate::linear::{Complex, LinearError, LinearMotion, Linearized, Matrix, Sizes, StateSpace};
use crate::robot::linear_model::{Coordinates, LinearModels, LinearizeError, Output};
use crate::robot::{Cache, Sticking, sticking};
use crate::verbs::prelude::*;

/// Linearise a robot about a state, or about each state of a motion.
#[derive(Clone, Debug)]
pub struct LinearModelRequest {
    /// The robot.
    pub robot: Robot,
    /// One state; or those of a motion, each with its time.
    pub states: Vec<TimedState>,
    /// Whether the states are those of a motion.
    pub is_motion: bool,
    /// What the state of the model is.
    pub coordinates: Coordinates,
    /// What is measured.
    pub outputs: Vec<Output>,
    /// Keep this part of the model.
    pub part: Option<ModelPart>,
    /// Keep this many states, by balanced truncation.
    pub order: Option<usize>,
    /// What counts as one of each input for the truncation: one number each, or one for all.
    pub input_sizes: Vec<f64>,
    /// The same for the outputs.
    pub output_sizes: Vec<f64>,
    /// Where derived programs are kept; none: nowhere.
    pub cache: Option<Cache>,
}

impl LinearModelRequest {
    /// The full model in joint coordinates about one state; the joints are measured.
    pub fn new(robot: Robot, state: impl Into<TimedState>) -> Self {
        Self {
            robot,
            states: vec![state.into()],
            is_motion: false,
            coordinates: Coordinates::Joint,
            outputs: vec![Output::Joints],
            part: None,
            order: None,
            input_sizes: vec![1.0],
            output_sizes: vec![1.0],
            cache: Cache::standard(),
        }
    }

    /// Refuses what is not for a motion; cheap, so that it can be asked before the states are read.
    pub fn check(is_motion: bool, order: Option<usize>, part: Option<ModelPart>) -> Result<(), VerbError> {
        if is_motion && (order.is_some() || part.is_some()) {
            return Err(VerbError::new("reduced-motion", "a reduced model is about one state, not along a motion")
                .hint("the states of a reduced model mean something else at every point: reduce in your own tool"));
        }
        if order == Some(0) {
            return Err(VerbError::new("order", "the order is 0, but a model has at least one state")
                .hint("an order of 1 keeps the state that matters most"));
        }
        Ok(())
    }
}

/// A part of a linear model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelPart {
    /// Poles in the open left half plane.
    Stable,
    /// Kalman's minimal model: the same transfer function.
    Minimal,
}

/// What came out.
#[derive(Clone, Debug)]
pub(super) enum LinearModel {
    Point(Box<PointModel>),
    Motion(LinearMotion),
}

/// A model about one state.
#[derive(Clone, Debug)]
pub(super) struct PointModel {
    model: Linearized,
    /// Hankel singular values, where it was reduced.
    hankel: Vec<f64>,
    dry_friction: Option<DryFriction>,
    /// The whole model without dry friction, where there is some.
    smooth: Option<Linearized>,
}

/// Joints at rest that dry friction holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DryFriction {
    /// From 1.
    pub joints: Vec<usize>,
    /// Each stays as long as its torque is off by less than this, N m (N).
    pub holds: Vec<f64>,
    /// Slope of the smoothing in the linear model, N m s/rad (N s/m).
    pub smoothing_slope: Vec<f64>,
    #[serde(skip)]
    units: [String; 2],
}

impl DryFriction {
    /// None where no joint has dry friction and stands.
    pub(super) fn new(joints: &[Joint], qd: &[f64]) -> Option<Self> {
        let sticking: Vec<Sticking> = sticking(joints, qd);
        let unit = |of: fn(JointUnits) -> &'static str| units_of(joints, of);
        (!sticking.is_empty()).then(|| Self {
            joints: sticking.iter().map(|s| s.joint).collect(),
            holds: sticking.iter().map(|s| s.holds).collect(),
            smoothing_slope: sticking.iter().map(|s| s.slope).collect(),
            units: [unit(|of| of.torque), unit(|of| of.speed)],
        })
    }

    /// What it does to an analysis; `linear`: the model has the slope of its smoothing.
    pub fn sentences(&self, linear: bool) -> Vec<String> {
        let list = |mut texts: Vec<String>| {
            texts.dedup();
            texts.join(", ")
        };
        let numbers = |values: &[f64]| list(values.iter().map(|x| human(*x, 4)).collect());
        let joints = list(self.joints.iter().map(usize::to_string).collect());
        let [torque, speed] = &self.units;
        let holds = format!(
            "sticking: these joints stay where they are until their torque is off by more than {} {torque}",
            numbers(&self.holds)
        );
        if !linear {
            return vec![format!("dry friction at joints {joints} is left out of stiffness and growth"), holds];
        }
        let slope = numbers(&self.smoothing_slope);
        let smoothing = format!(
            "dry friction at joints {joints}: at standstill the model has the slope of its smoothing, {slope} {torque} per {speed};"
        );
        vec![smoothing, "rates that follow from it scale with `smoothing_velocity` and are no physics".into(), holds]
    }

    pub(super) fn finding(&self, linear: bool) -> Finding {
        Finding::new("dry-friction", Severity::Note, self.sentences(linear).join(" "))
    }
}

/// An error of a linear model, with the name of its robot.
fn of_model(robot: &Robot) -> impl Fn(LinearError) -> VerbError {
    |error| {
        let (code, hint) = match error {
            LinearError::NotStable { .. } => {
                ("not-stable", Some("damp the motors, choose a stable pose, or reduce its stable part"))
            }
            LinearError::Steps { .. } => {
                ("uneven-steps", Some("the step is the time from state to state, to the last one too"))
            }
            _ => ("linear-model", None),
        };
        VerbError { hint: hint.map(str::to_owned), ..failed(code, &robot.name)(error) }
    }
}

/// The linear model about a state, under the torques that belong to its acceleration.
fn about(robot: &Robot, given: &TimedState, models: &mut LinearModels<'_>) -> Result<Linearized, VerbError> {
    let torque = robot.build_model("exact")?.torque(&given.state, given.wrench);
    models.at(&given.state, &torque, given.wrench).map_err(|error| match error {
        LinearizeError::StateError(error) => refused(robot, error),
        error => failed("linear-model", &robot.name)(error),
    })
}

/// The model; how it is computed is reported as a finding `model-method`.
pub(super) fn linear_model(
    request: &LinearModelRequest,
    observer: &mut dyn Observer,
) -> Result<LinearModel, VerbError> {
    let LinearModelRequest { robot, states, is_motion, coordinates, outputs, .. } = request;
    LinearModelRequest::check(*is_motion, request.order, request.part)?;
    let mut models = LinearModels::new(robot, *coordinates, outputs);
    let prepared = models.prepare(states.len(), request.cache.as_ref());
    let how = prepared.unwrap_or_else(|reason| format!("state by state by the formulas: {reason}"));
    observer.found(&Finding::new("model-method", Severity::Note, how));
    let mut points = Vec::with_capacity(states.len());
    for (k, state) in states.iter().enumerate() {
        stage(observer, k as f64 / states.len() as f64, "linearised")?;
        // A state that fails is named by its number.
        let place = |error: VerbError| match is_motion {
            true => VerbError { message: format!("state {}: {}", k + 1, error.message), ..error },
            false => error,
        };
        points.push(about(robot, state, &mut models).map_err(place)?);
    }
    if *is_motion {
        let times = states.iter().filter_map(|state| state.time).collect();
        let motion = LinearMotion::new(times, points).map_err(of_model(robot))?;
        return Ok(LinearModel::Motion(motion));
    }
    let (Some(model), Some(state)) = (points.into_iter().next(), states.first()) else {
        return Err(VerbError::new("states", "no state"));
    };
    let (model, hankel) = reduced(request, model)?;
    let dry_friction = DryFriction::new(&robot.joints(), &state.state.joints.qd);
    let smooth = dry_friction.as_ref().map(|_| {
        let smooth = robot.without_dry_friction().map_err(|error| VerbError::new("dry-friction", error))?;
        about(&smooth, state, &mut LinearModels::new(&smooth, *coordinates, outputs))
    });
    let smooth = smooth.transpose()?;
    Ok(LinearModel::Point(Box::new(PointModel { model, hankel, dry_friction, smooth })))
}

/// The part of a model that is kept, with its Hankel singular values.
fn reduced(request: &LinearModelRequest, model: Linearized) -> Result<(Linearized, Vec<f64>), VerbError> {
    let bad = &of_model(&request.robot);
    let part = request.part.map(|part| match part {
        ModelPart::Stable => model.system.split().map(|split| (split.stable, split.projection)),
        ModelPart::Minimal => model.system.kalman().map(|kalman| (kalman.minimal, kalman.projection)),
    });
    let mut kept = part.transpose().map_err(bad)?;
    let mut hankel = Vec::new();
    if let Some(order) = request.order {
        let system = kept.as_ref().map_or(&model.system, |(system, _)| system);
        let cut = system.balanced_for(Some(order), &sizes(request, system)?).map_err(bad)?;
        hankel = cut.hankel;
        kept = Some(match kept {
            Some((_, first)) => (cut.system, cut.projection * first),
            None => (cut.system, cut.projection),
        });
    }
    let Some((system, projection)) = kept else { return Ok((model, hankel)) };
    // Its states are deviations without a meaning of their own; they move as the full ones do, seen from them.
    let rate = &projection * Matrix::from_column_slice(model.rate.len(), 1, &model.rate);
    let state = vec![0.0; system.order()];
    Ok((Linearized { state, rate: rate.iter().copied().collect(), system, ..model }, hankel))
}

/// Of inputs and outputs, where a model is reduced.
fn sizes(request: &LinearModelRequest, system: &StateSpace) -> Result<Sizes, VerbError> {
    let of = |code, sizes: &[f64], count: usize| match sizes {
        [one] => Ok(vec![*one; count]),
        sizes if sizes.len() == count => Ok(sizes.to_vec()),
        sizes => Err(VerbError::new(code, format!("{count} numbers are needed, here are {}", sizes.len()))),
    };
    Ok(Sizes {
        inputs: of("input-size", &request.input_sizes, system.inputs.len())?,
        outputs: of("output-size", &request.output_sizes, system.outputs.len())?,
    })
}

/// Whether the point of a model moves, beyond rounding.
fn is_moving(model: &Linearized) -> bool {
    model.rate.iter().fold(0.0_f64, |m, r| m.max(r.abs())) > 1e-9
}

/// Real and imaginary part, 1/s.
pub type ComplexPair = [f64; 2];

fn complex_pairs(values: &[Complex<f64>]) -> Vec<ComplexPair> {
    values.iter().map(|s| [s.re, s.im]).collect()
}

/// A complex number for people.
pub fn complex_text([re, im]: ComplexPair) -> String {
    match im {
        0.0 => human(re, 5),
        im => format!("{}{}{}j", human(re, 5), if im < 0.0 { "-" } else { "+" }, human(im.abs(), 5)),
    }
}

/// The poles of each model of a motion.
fn motion_poles(robot: &Robot, motion: &LinearMotion) -> Result<Vec<Vec<ComplexPair>>, VerbError> {
    let poles = |point: &Linearized| point.system.poles().map(|poles| complex_pairs(&poles));
    motion.points().iter().map(poles).collect::<Result<_, _>>().map_err(of_model(robot))
}

/// About twenty of the models of a motion: time, largest growth (|z| for a sampled model), unstable poles.
pub fn poles_table(times: &[f64], poles: &[Vec<ComplexPair>], discrete: bool) -> Table {
    const SHOWN: usize = 20;
    let growth = |[re, im]: &ComplexPair| if discrete { re.hypot(*im) } else { *re };
    let limit = if discrete { 1.0 + 1e-9 } else { 1e-6 };
    let last = times.len().saturating_sub(1);
    let mut shown: Vec<usize> = (0..=SHOWN.min(last)).map(|k| k * last / SHOWN.min(last).max(1)).collect();
    shown.dedup();
    let row = |k: usize| {
        let largest = poles[k].iter().map(growth).fold(f64::NEG_INFINITY, f64::max);
        let unstable = poles[k].iter().filter(|s| growth(s) > limit).count();
        [human(times[k], 4), human(largest, 4), unstable.to_string()]
    };
    let head = if discrete { ["t, s", "largest |z|", "outside"] } else { ["t, s", "largest Re, 1/s", "to the right"] };
    Table::of("rrrr", head, shown.into_iter().map(row))
}
