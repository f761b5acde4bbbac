//! `linearize`: the linear model about a state, for other tools and for state feedback.

pub use super::chart::time_of;
use super::chart::{bode, frequencies};
use super::{
    ComplexPair, DryFriction, LinearModel, LinearModelRequest, PointModel, complex_pairs, complex_text, is_moving,
    linear_model, motion_poles, of_model,
};
use crate::linear::{
    Complex, ExportFormat, LinearMotion, Linearized, Matrix, MotionRegulator, Regulator, StateSpace, lqr, lqr_along,
    place,
};
use crate::report::text::push_numbers;
use crate::verbs::prelude::*;
use serde::Serializer;

/// A linear model, sampled or not, and its state feedback.
#[derive(Clone, Debug)]
pub struct LinearizeRequest {
    /// The model.
    pub model: LinearModelRequest,
    /// Sample time of a discrete model with inputs held, s.
    pub step: Option<f64>,
    /// State feedback.
    pub feedback: Option<FeedbackRequest>,
}

/// How a gain is found.
#[derive(Clone, Debug, PartialEq)]
pub enum FeedbackRequest {
    /// Least integral (sum over samples) of Qp |δq|² + Qv |δq̇|² + R |δτ|²: Qp, Qv, R.
    Lqr([f64; 3]),
    /// These poles, 1/s; for a sampled model inside the unit circle. About one state only.
    Place(Vec<Complex<f64>>),
}

/// A linear model about a state, or along a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)]
pub enum LinearizeOutcome {
    /// About a state.
    Point(LinearPoint),
    /// At each state of a motion.
    Motion(LinearTrajectory),
}

/// A linear model about a state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinearPoint {
    /// Matrices, names, units and the point.
    #[serde(flatten, serialize_with = "point_json")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub model: Linearized,
    /// Name of the robot.
    pub robot: String,
    /// 1/s; z for a sampled model.
    pub poles: Vec<ComplexPair>,
    /// Joints that dry friction holds.
    pub dry_friction: Option<DryFriction>,
    /// Poles of the model without dry friction, where there is some.
    pub poles_without_dry_friction: Option<Vec<ComplexPair>>,
    /// Of a reduced model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hankel_singular_values: Vec<f64>,
    /// K of δτ = −K δx, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Vec<Vec<f64>>>,
    /// Poles with this gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_loop_poles: Option<Vec<ComplexPair>>,
    /// Whether the state is a point of a motion: then the poles do not decide stability.
    #[serde(skip)]
    pub frozen_in_motion: bool,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// Linear models along a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinearTrajectory {
    /// The models, and the gains K and costs P of a regulator.
    #[serde(flatten, serialize_with = "motion_json")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub models: (LinearMotion, Option<MotionRegulator>),
    /// Name of the robot.
    pub robot: String,
    /// Poles at each time.
    pub poles: Vec<Vec<ComplexPair>>,
}

fn point_json<S: Serializer>(model: &Linearized, serializer: S) -> Result<S::Ok, S::Error> {
    model.to_json().serialize(serializer)
}

fn motion_json<S: Serializer>(
    (motion, regulator): &(LinearMotion, Option<MotionRegulator>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    motion.to_json(regulator.as_ref()).serialize(serializer)
}

/// Linearises a robot about a state or along a motion, samples the model and finds its state feedback.
pub fn linearize(request: &LinearizeRequest, observer: &mut dyn Observer) -> Result<LinearizeOutcome, VerbError> {
    let is_reduced = request.model.order.is_some() || request.model.part.is_some();
    match request.feedback {
        Some(FeedbackRequest::Lqr(_)) if is_reduced => {
            return Err(VerbError::new("lqr", "weights of angles and rates are not for the states of a reduced model")
                .hint("regulate the full model, or export the reduced one and weigh its outputs in your own tool"));
        }
        Some(FeedbackRequest::Place(_)) if request.model.is_motion => {
            return Err(VerbError::new("place", "poles are placed about one state, not along a motion"));
        }
        _ => {}
    }
    let model = linear_model(&request.model, observer)?;
    match model {
        LinearModel::Point(point) => about_point(request, *point).map(LinearizeOutcome::Point),
        LinearModel::Motion(motion) => along_motion(request, motion).map(LinearizeOutcome::Motion),
    }
}

fn about_point(request: &LinearizeRequest, point: PointModel) -> Result<LinearPoint, VerbError> {
    let PointModel { mut model, hankel, dry_friction, mut smooth } = point;
    let bad = &of_model(&request.model.robot);
    if let Some(step) = request.step {
        model = model.discrete(step).map_err(bad)?;
        smooth = smooth.map(|smooth| smooth.discrete(step)).transpose().map_err(bad)?;
    }
    let smooth = smooth.map(|smooth| smooth.system.poles()).transpose().map_err(bad)?;
    let regulator = regulator(request.feedback.as_ref(), &model.system, &request.model.robot)?;
    let rows = |gain: &Matrix| gain.row_iter().map(|row| row.iter().copied().collect()).collect();
    Ok(LinearPoint {
        robot: request.model.robot.name.clone(),
        poles: complex_pairs(&model.system.poles().map_err(bad)?),
        findings: dry_friction.iter().map(|friction| friction.finding(true)).collect(),
        dry_friction,
        poles_without_dry_friction: smooth.as_deref().map(complex_pairs),
        hankel_singular_values: hankel,
        gain: regulator.as_ref().map(|regulator| rows(&regulator.gain)),
        closed_loop_poles: regulator.as_ref().map(|regulator| complex_pairs(&regulator.poles)),
        frozen_in_motion: is_moving(&model),
        model,
    })
}

fn along_motion(request: &LinearizeRequest, mut motion: LinearMotion) -> Result<LinearTrajectory, VerbError> {
    let robot = &request.model.robot;
    let bad = &of_model(robot);
    if let Some(step) = request.step {
        motion = motion.discrete(step).map_err(bad)?;
    }
    let regulator = match &request.feedback {
        Some(FeedbackRequest::Lqr(weights)) => {
            let [q, r] = weight_matrices(weights, &motion.points()[0].system);
            Some(lqr_along(&motion, &q, &r, None).map_err(bad)?)
        }
        _ => None,
    };
    let poles = motion_poles(robot, &motion)?;
    Ok(LinearTrajectory { models: (motion, regulator), robot: robot.name.clone(), poles })
}

/// Q and R.
fn weight_matrices([qp, qv, r]: &[f64; 3], system: &StateSpace) -> [Matrix; 2] {
    let (n, m) = system.b.shape();
    let weight = |i: usize| if i < n / 2 { *qp } else { *qv };
    let q = Matrix::from_fn(n, n, |i, j| if i == j { weight(i) } else { 0.0 });
    [q, Matrix::identity(m, m) * *r]
}

fn regulator(
    feedback: Option<&FeedbackRequest>,
    system: &StateSpace,
    robot: &Robot,
) -> Result<Option<Regulator>, VerbError> {
    let found = match feedback {
        None => return Ok(None),
        Some(FeedbackRequest::Lqr(weights)) => {
            let [q, r] = weight_matrices(weights, system);
            lqr(system, &q, &r)
        }
        Some(FeedbackRequest::Place(wanted)) => {
            let is_loose = |s: &&Complex<f64>| if system.step.is_some() { s.norm() >= 1.0 } else { s.re >= 0.0 };
            if let Some(s) = wanted.iter().find(is_loose) {
                let pole = complex_text([s.re, s.im]);
                return Err(match system.step {
                    Some(step) => {
                        VerbError::new("place", format!("{pole} is not inside the unit circle")).hint(format!(
                            "poles of a sampled loop are those of the samples, exp(s step): -5 1/s is {}",
                            human((-5.0 * step).exp(), 6)
                        ))
                    }
                    None => {
                        let message = format!("{pole} 1/s is no pole of a stable loop: deviations would not decay");
                        VerbError::new("place", message).hint("poles of a continuous loop are left of zero")
                    }
                });
            }
            place(system, wanted)
        }
    };
    found.map(Some).map_err(of_model(robot))
}

impl Outcome for LinearizeOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let poles: Vec<&ComplexPair> = match self {
            Self::Point(point) => point.poles.iter().collect(),
            Self::Motion(motion) => motion.poles.iter().flatten().collect(),
        };
        let real = poles.iter().map(|pole| pole[0]).fold(f64::NEG_INFINITY, f64::max);
        let unit = if self.system().step.is_some() { "" } else { "1/s" };
        metrics("", [("largest_real_part", real, unit)]).collect()
    }

    fn findings(&self) -> &[Finding] {
        match self {
            Self::Point(point) => &point.findings,
            Self::Motion(_) => &[],
        }
    }
}

impl LinearizeOutcome {
    /// The model, the first one of a motion.
    pub fn system(&self) -> &StateSpace {
        match self {
            Self::Point(point) => &point.model.system,
            Self::Motion(motion) => &motion.models.0.points()[0].system,
        }
    }

    /// The models as the content of a file.
    pub fn export(&self, format: ExportFormat) -> Result<Vec<u8>, VerbError> {
        match self {
            Self::Point(point) => Ok(point.model.export(format)),
            Self::Motion(motion) => {
                let (models, regulator) = &motion.models;
                models.export(regulator.as_ref(), format).map_err(failed("export", &motion.robot))
            }
        }
    }
}

impl LinearPoint {
    /// The frequency response.
    pub fn chart(&self) -> Chart {
        bode(&self.model, &self.robot)
    }

    /// The frequency response as CSV: `f` in Hz, then `gain_y_u` in SI and `phase_y_u` in rad of each output and input.
    pub fn response_csv(&self) -> String {
        let system = &self.model.system;
        let mut text = String::from("f");
        for (output, input) in system.outputs.iter().flat_map(|output| system.inputs.iter().map(move |i| (output, i))) {
            let name = format!("{}_{}", output.name, input.name);
            text += &format!(",gain_{name},phase_{name}");
        }
        text.push('\n');
        for f in frequencies(system) {
            // On a pole there is no response.
            let Ok(response) = system.at_frequency(f * std::f64::consts::TAU) else { continue };
            let rows = response.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>());
            let numbers = rows.flat_map(|g| [g.norm(), g.arg()]);
            push_numbers(&mut text, [f].into_iter().chain(numbers).map(Some));
        }
        text
    }
}
