//! Every published model against the exact one over a motion, or against measured torques.

mod motions;
mod pages;

use super::states::TimedState;
use crate::analyze::compare::{Compared, Comparison, Difference, Measured, Summary, compare as run_models};
use crate::analyze::cost::{Cost, Verdict, costs};
use crate::identify::{Log, Preprocessing};
use crate::verbs::prelude::*;
use motions::Subject;
use std::f64::consts::TAU;

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// With its payload.
    pub robot: Robot,
    /// Over which motion.
    pub motion: CompareMotion,
    /// Which solution of the kinematics.
    pub pick: Pick,
    /// Of the feedback that tracking errors assume, Hz.
    pub bandwidth: f64,
}

impl CompareRequest {
    /// Over the motion of its own, with feedback of 20 Hz.
    pub fn new(robot: Robot) -> Self {
        let motion = CompareMotion::Own(CompareStroke::default());
        Self { robot, motion, pick: Pick::default(), bandwidth: 20.0 }
    }
}

/// The motion that models are compared over.
#[derive(Clone, Debug)]
pub enum CompareMotion {
    /// Strokes in the middle of the workspace; of a robot that does not say its workspace, once through a part of its joint ranges.
    Own(CompareStroke),
    /// States with their times.
    States {
        /// In words.
        what: String,
        /// Torques that were measured in them are compared with.
        states: Vec<TimedState>,
    },
    /// A log of positions and torques.
    Log {
        /// As it was measured.
        log: Log,
        /// How it is smoothed.
        preprocessing: Preprocessing,
        /// How much later than the motion its torque is, s; none: where the exact model leaves least.
        delay: Option<f64>,
    },
}

/// A stroke forth and back along x, then along y, over an arch. Through joints only its duration counts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareStroke {
    /// Length, m; none: 0.3, or less where the robot is small.
    pub width: Option<f64>,
    /// Height of the arch, m; none: 0.025, or less where the robot is small.
    pub height: Option<f64>,
    /// Of one stroke, s; none: 1/6, through joints 1.
    pub duration: Option<f64>,
    /// Height of its ends, m; none: the centre of the workspace.
    pub z: Option<f64>,
    /// Per stroke; none: 500.
    pub samples: Option<u32>,
}

/// The motion that was compared over.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)] // as in `CompareStroke`
pub enum ComparedMotion {
    /// Strokes.
    Strokes { width: f64, height: f64, duration: f64, z: f64, samples_per_stroke: u32 },
    /// States; the payload in kg.
    States { what: String, states: usize, payload: f64 },
    /// A log; its delay in s.
    Log { states: usize, payload: f64, what: String, delay: f64 },
}

/// A published model against the exact one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)] // the names say it
pub enum CompareModel {
    /// Model − exact, N m (N).
    Applies {
        #[serde(flatten)]
        difference: Summary,
        name: &'static str,
    },
    /// Why it does not.
    DoesNotApply { name: &'static str, does_not_apply: String },
}

/// All models over a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompareOutcome {
    /// Name of the robot.
    pub robot: String,
    /// The motion.
    pub motion: ComparedMotion,
    /// The exact model.
    pub reference: &'static str,
    /// Whether means are over time or over rows.
    pub means_over: &'static str,
    /// Torque of the exact model, N m (N).
    pub exact_torque: Summary,
    /// The same without friction and damping, which all models have alike.
    pub exact_torque_without_dissipation: Summary,
    /// The other models.
    pub difference_to_exact: Vec<CompareModel>,
    /// Of the feedback that tracking errors assume, Hz.
    pub bandwidth: f64,
    /// What each model costs.
    pub costs: Vec<Cost>,
    /// Every model against measured torques, where there are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_measured: Option<Vec<Measured>>,
    /// The motion in words.
    #[serde(skip)]
    pub what: String,
    /// Torques of all models, sample by sample.
    #[serde(skip)]
    pub comparison: Comparison,
    /// Models that do not apply, or whose errors are large.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    #[serde(skip)]
    subject: Subject,
}

impl Outcome for CompareOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let torques = |name: &str, rms: f64, largest: f64| {
            let unit = || self.comparison.unit.clone();
            metrics(name, [(".torque.rms", rms, unit()), (".torque.max", largest, unit())]).collect::<Vec<_>>()
        };
        let mut all = torques("exact", self.exact_torque.all.rms, self.exact_torque.all.maximum);
        for cost in &self.costs {
            let name = cost.name.replace('-', "_");
            all.extend(torques(&name, cost.torque_rms, cost.torque_max));
            let tracking = cost.tracking_max.map(|error| (".tracking.max", error, "m"));
            all.extend(metrics(&name, [(".share", cost.share, "")].into_iter().chain(tracking)));
        }
        let measured = self.against_measured.iter().flatten();
        let measured = measured.map(|it| (format!("{}.measured.percent", it.name.replace('-', "_")), it.percent, "%"));
        all.extend(metrics("", measured));
        all
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Compares all models of a robot over a motion.
pub fn compare(request: &CompareRequest, observer: &mut dyn Observer) -> Result<CompareOutcome, VerbError> {
    let name = &request.robot.name;
    observer.progress(0.0, "running the models over the motion");
    let motions::Input { what, mut motion, states, mut measured, log, subject } = motions::input(request)?;
    let mut comparison = run_models(&request.robot, &states)
        .map_err(|error| VerbError { message: format!("{name}, {what}: {error}"), ..error.into() })?;
    let mut caption = what;
    if let Some(log) = log {
        comparison = log.filtered(comparison)?;
        let delay = log.delay.unwrap_or_else(|| log.likely_delay(&comparison));
        caption = log.caption(delay);
        measured = Some(log.torques(delay));
        let states = comparison.samples.count();
        motion = ComparedMotion::Log { states, payload: request.robot.payload(), what: caption.clone(), delay };
    }
    // Where all models are for another robot, one reason is enough.
    if let Some((_, Err(reason))) = comparison.models.first()
        && measured.is_none()
        && comparison.models.iter().all(|(_, result)| result.is_err())
    {
        let message = format!("{name}: no published model is for this robot: {reason}");
        return Err(VerbError::new("no-published-model", message)
            .hint("Armstrong's models are for arms like the PUMA 560; an exact program can be derived for any arm"));
    }
    stage(observer, 0.5, "errors of the models")?;
    let costs = costs(&comparison, request.bandwidth * TAU).map_err(failed("no-costs", name))?;
    let sizes = |d: &Difference| [d.mean, d.standard_deviation, d.maximum, d.rms];
    let all = [&comparison.exact.all, &comparison.rigid.all];
    require_finite(name, "the torque of the exact model", all.into_iter().flat_map(sizes))?;
    for cost in &costs {
        let errors = [cost.torque_rms, cost.torque_max, cost.share].into_iter();
        let errors = errors.chain(cost.tracking_max).chain(cost.tracking_rms);
        require_finite(name, &format!("the error of the model `{}`", cost.name), errors)?;
    }
    let against = measured.map(|measured| comparison.against(&measured));
    Ok(CompareOutcome {
        robot: name.clone(),
        motion,
        reference: comparison.reference,
        means_over: comparison.weights.weighing.as_str(),
        exact_torque: comparison.exact.clone(),
        exact_torque_without_dissipation: comparison.rigid.clone(),
        difference_to_exact: comparison.models.iter().map(difference).collect(),
        bandwidth: request.bandwidth,
        against_measured: against,
        what: caption,
        findings: findings(&comparison, &costs),
        comparison,
        costs,
        subject,
    })
}

fn difference((name, result): &(&'static str, Result<Compared, String>)) -> CompareModel {
    match result {
        Ok(compared) => CompareModel::Applies { difference: compared.difference.clone(), name },
        Err(reason) => CompareModel::DoesNotApply { name, does_not_apply: reason.clone() },
    }
}

fn findings(comparison: &Comparison, costs: &[Cost]) -> Vec<Finding> {
    let refused = comparison.models.iter().filter_map(|(name, result)| {
        let reason = result.as_ref().err()?;
        Some(Finding::new("model-does-not-apply", Severity::Note, reason.clone()).with("model", *name))
    });
    let bad = costs.iter().filter(|cost| matches!(cost.verdict, Verdict::Poor | Verdict::Unusable)).map(|cost| {
        let text = format!("{}: {}", cost.name, cost.verdict.text());
        Finding::new("model-error-large", Severity::Warning, text).with("model", cost.name).with("share", cost.share)
    });
    refused.chain(bad).collect()
}
