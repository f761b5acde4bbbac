//! Identification: from logs to the parameters of a robot, a score on held-out data and a verdict.
//!
//! The stages are values: [`Log`] → [`PreparedLog`] (even times, smoothed motion, filtered torque) → [`RegressionData`] (rows of the
//! regressor) → [`Fitted`] → [`HeldOut`] and [`Score`] → findings and the [`IdentifyOutcome`].

mod evidence;
mod fit_rules;
mod log_rules;
mod page;
mod verdict;

pub(super) use log_rules::log_findings;
pub use verdict::{Grade, IdentifyFinding};

use crate::identify::columns::{ColumnLayout, FitMode, Parameterization};
use crate::identify::essential::Essential;
use crate::identify::estimates::{BaseEstimate, ParameterEstimate, base_estimates, file_as_fit, parameter_estimates};
use crate::identify::fit::{EstimatorOptions, Fitted, FrictionSpeeds, RegressionData};
use crate::identify::friction::{FrictionCurve, curves};
use crate::identify::identified::identified_robot;
use crate::identify::instruments::{halves, instrumental};
use crate::identify::log::Log;
use crate::identify::prepare::{Health, PreparedLog, Preprocessing, Unusable};
use crate::identify::score::{self, FoldScore, Folds, HeldOut, Prediction, Score};
use crate::verbs::prelude::*;
use dalembert_identify::IdentifyError;
use evidence::Evidence;
use serde::Serializer;

/// What is to be identified, from which logs and how.
#[derive(Clone, Debug)]
pub struct IdentifyRequest {
    /// The robot as its file has it: kinematics, and what is known of its parameters.
    pub robot: Robot,
    /// What was measured. [`Log::from_columns`] makes one of arrays in memory.
    pub logs: Vec<Log>,
    /// How logs are smoothed and filtered.
    pub preprocessing: Preprocessing,
    /// Which parameters are fitted.
    pub parameterization: Parameterization,
    /// How they are fitted.
    pub estimator: EstimatorOptions,
    /// How data are held out.
    pub folds: Folds,
}

impl IdentifyRequest {
    /// All parameters, physically consistent, near to the robot file as far as that helps to predict held-out data; two folds.
    pub fn new(robot: Robot, logs: Vec<Log>) -> Self {
        Self {
            robot,
            logs,
            preprocessing: Preprocessing::default(),
            parameterization: Parameterization::default(),
            estimator: EstimatorOptions::default(),
            folds: Folds::default(),
        }
    }
}

/// Residuals over torques.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IdentifyScores {
    /// The robot file alone, without any fit.
    pub file: Score,
    /// The identified robot by itself, on all rows with its payload: without what a robot file cannot hold.
    pub written: Option<Score>,
    /// On the fitted data.
    pub fit: Score,
    /// On held-out data.
    #[serde(rename = "unseen")]
    pub held_out: Score,
    /// Of each fold that was held out.
    #[serde(rename = "parts")]
    pub folds: Vec<FoldScore>,
}

impl IdentifyScores {
    /// On held-out data, or on the fitted data where nothing was held out.
    pub fn decisive(&self) -> &Score {
        if self.held_out.percent().is_finite() { &self.held_out } else { &self.fit }
    }
}

/// Whether a body is physically consistent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BodyMargin {
    /// The body, or a number that must not be negative.
    pub name: String,
    /// Least over largest eigenvalue of its pseudo-inertia; at most 0: physically inconsistent.
    pub margin: f64,
    /// Whether it is physically consistent.
    pub possible: bool,
}

/// A log and its quality.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IdentifyLog {
    /// Where it comes from.
    pub name: String,
    /// What was wrong with it.
    #[serde(flatten)]
    pub health: Health,
}

/// What was identified.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IdentifyOutcome {
    /// In a word: good, usable, weak, bad.
    pub verdict: &'static str,
    /// Why, the gravest first.
    pub findings: Vec<IdentifyFinding>,
    /// Residuals over torques.
    pub scores: IdentifyScores,
    /// Every parameter.
    pub parameters: Vec<ParameterEstimate>,
    /// The identifiable combinations.
    pub base: Vec<BaseEstimate>,
    /// The few of them that the log determines well, where they were asked for.
    pub essential: Option<Essential>,
    /// Parameters that no torque depends on.
    pub silent: Vec<String>,
    /// Physical consistency of the bodies.
    pub bodies: Vec<BodyMargin>,
    /// Delay of the torque against the motion, s.
    pub delay: f64,
    /// Velocities of the friction model, which are not linear parameters.
    #[serde(flatten)]
    pub speeds: FrictionSpeeds,
    /// The fitted friction curves, with their covariance.
    pub friction: Vec<FrictionCurve>,
    /// Weight of the robot file.
    pub prior_weight: Option<f64>,
    /// Condition number of the base regressor, its columns of length 1.
    pub condition: f64,
    /// Rows of each joint.
    pub rows: usize,
    /// s of motion.
    pub seconds: f64,
    /// Cut-off frequency of the filter, Hz.
    pub cutoff: f64,
    /// The logs and their quality.
    pub logs: Vec<IdentifyLog>,
    /// The identified robot, or why no robot has these parameters.
    #[serde(serialize_with = "reason_only")]
    #[schemars(with = "Option<String>")]
    pub robot: Result<Robot, String>,
    /// Which parameters were fitted.
    #[serde(skip)]
    pub mode: FitMode,
    /// Measured and predicted torque on held-out data, for each joint.
    #[serde(skip)]
    pub predictions: Vec<Prediction>,
    /// The name of the robot file and its joints.
    #[serde(skip)]
    pub file: (String, Vec<Joint>),
    /// The share of the rows of a held-out fold whose motion was fitted too, at most.
    #[serde(skip)]
    seen: f64,
    /// How the logs were read.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// [`IdentifyOutcome::findings`] as every verb has them.
    #[serde(skip)]
    pub common_findings: Vec<Finding>,
}

fn reason_only<S: Serializer>(robot: &Result<Robot, String>, serializer: S) -> Result<S::Ok, S::Error> {
    robot.as_ref().err().serialize(serializer)
}

impl Outcome for IdentifyOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let IdentifyScores { file, written, fit, held_out, .. } = &self.scores;
        let scores =
            [("held_out", Some(held_out)), ("fit", Some(fit)), ("file", Some(file)), ("written", written.as_ref())];
        let scores = scores.into_iter().filter_map(|(name, score)| Some((name, 0.01 * score?.percent(), "")));
        let joints = (1..).zip(held_out.joints()).map(|(i, score): (usize, f64)| (i, 0.01 * score, ""));
        let of = |ParameterEstimate { name, value, sigma, unit, .. }: &ParameterEstimate| {
            let sigma = sigma.map(|sigma| (format!("{name}.sigma"), sigma, *unit));
            std::iter::once((name.clone(), *value, *unit)).chain(sigma)
        };
        metrics("residual.", scores)
            .chain(metrics("residual.held_out.", joints))
            .chain(metrics("", [("condition", self.condition, ""), ("delay", self.delay, "s")]))
            .chain(metrics("parameter.", self.parameters.iter().flat_map(of)))
            .collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.common_findings
    }
}

/// A per cent with its sign; a dash where there is none.
pub fn percent(x: f64) -> String {
    if x.is_finite() { format!("{} %", human(x, 3)) } else { "–".to_owned() }
}

/// A standard deviation; a dash where there is none.
fn deviation(sigma: Option<f64>) -> String {
    sigma.map_or("–".to_owned(), |sigma| human(sigma, 2))
}

/// A value with its standard deviation.
fn pair(of: Option<[f64; 2]>) -> [String; 2] {
    of.map_or(["–".into(), "–".into()], |[value, sigma]| [human(value, 5), human(sigma, 2)])
}

impl IdentifyOutcome {
    /// The worst finding; notes do not count.
    pub fn grade(&self) -> Grade {
        let worst = self.findings.iter().map(|finding| finding.grade).max().unwrap_or(Grade::Good);
        if worst == Grade::Note { Grade::Good } else { worst }
    }

    /// A row for each score: what of, all joints, each joint.
    pub(crate) fn score_rows(&self) -> Vec<Vec<String>> {
        let IdentifyScores { file, written, fit, held_out, folds } = &self.scores;
        let row = |name: &str, score: &Score| {
            let cells = [name.to_owned(), percent(score.percent())];
            cells.into_iter().chain(score.joints().into_iter().map(percent)).collect()
        };
        let mut rows = vec![row("robot file, no fit", file), row("fitted data", fit), row("held-out data", held_out)];
        rows.extend(folds.iter().map(|fold| row(&format!("  {}", fold.name), &fold.score)));
        rows.extend(written.as_ref().map(|score| row("identified robot file", score)));
        rows
    }

    /// The scores as a table.
    pub fn score_table(&self) -> Table {
        let joints = self.file.1.len();
        let numbers = (1..=joints).map(|i| format!("joint {i}"));
        let head = [String::new(), "all".to_owned()].into_iter().chain(numbers);
        Table::of(&format!("lr{}", "r".repeat(joints)), head, self.score_rows())
    }

    /// The parameters as a table.
    pub fn parameter_table(&self) -> Table {
        let row = |p: &ParameterEstimate| {
            let prior = p.prior.map_or("–".to_owned(), |prior| human(prior, 4));
            let (value, sigma) = (human(p.value, 5), deviation(p.sigma));
            [p.name.clone(), value, sigma, prior, p.unit.to_owned(), p.meaning.clone()]
        };
        let head = ["", "found", "σ", "robot file", "unit", ""];
        Table::of("lrrrll", head, self.parameters.iter().map(row))
    }

    /// The base parameters as a table.
    pub fn base_table(&self) -> Table {
        let width = if self.base.iter().any(|b| b.instrumental.is_some()) { 7 } else { 5 };
        let row = |b: &BaseEstimate| {
            let found = [b.formula.clone(), human(b.value, 5), deviation(b.sigma)].into_iter();
            found.chain(pair(b.least_squares)).chain(pair(b.instrumental)).take(width)
        };
        let head = ["", "found", "σ", "least squares", "σ", "instrumental", "σ"];
        Table::of(&"lrrrrrr"[..width], head.into_iter().take(width), self.base.iter().map(row))
    }
}

impl Essential {
    /// As a table.
    pub fn table(&self) -> Table {
        let kept = self.kept.iter().map(|kept| [kept.formula.clone(), human(kept.value, 5), human(kept.sigma, 2)]);
        Table::of("lrr", ["", "least squares", "σ"], kept)
    }
}

/// A log that cannot be used, as every verb says it.
pub(crate) fn unusable(log: &str, error: &Unusable) -> VerbError {
    let (code, hint) = match error {
        Unusable::AtRest { .. } => ("log-at-rest", "are the positions in these columns, and in rad?"),
        Unusable::TooShort { .. } => ("log-too-short", "measure at least 10 s along an excitation trajectory"),
        Unusable::Numbers(_) => ("log-numbers", "are these the times?"),
        Unusable::NoTorque | Unusable::NoTorqueOf { .. } => ("log-no-torque", "choose the columns of measured torques"),
        Unusable::Missing { .. } => ("log-missing", "choose another column"),
    };
    VerbError::new(code, format!("bad log: {log}: {error}")).hint(hint)
}

impl From<IdentifyError> for VerbError {
    fn from(error: IdentifyError) -> Self {
        Self::new("numbers", error)
    }
}

/// Identifies a robot from logs.
pub fn identify(request: &IdentifyRequest, observer: &mut dyn Observer) -> Result<IdentifyOutcome, VerbError> {
    let IdentifyRequest { robot, estimator, .. } = request;
    if request.logs.is_empty() {
        return Err(VerbError::new("no-log", "logs: 0 are given, but at least 1 is needed"));
    }
    let of_robot = |error: VerbError| VerbError { message: format!("{}: {}", robot.name, error.message), ..error };
    let layout = ColumnLayout::new(robot, &request.parameterization);
    let is_coupled = robot.joints().iter().any(|joint| joint.coupling.is_some());
    let layout = layout.map_err(|error: StateError| {
        let error = failed("no-regressor", &robot.name)(error);
        if is_coupled { error.hint("fit linear friction") } else { error }
    })?;
    stage(observer, 0.0, "smoothing")?;
    let prepare = |log: &Log| {
        let prepared = PreparedLog::new(log, &robot.joints(), &request.preprocessing);
        prepared.map_err(|error| unusable(&log.name, &error))
    };
    let prepared = request.logs.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
    stage(observer, 0.1, "computing the regressor")?;
    let data = RegressionData::new(robot, &layout, &prepared).map_err(|error| of_robot(error.into()))?;
    if let Folds::At(instants) = &request.folds {
        let last = (0..data.len()).map(|row| score::time(&data, row)).fold(0.0, f64::max);
        if let Some(outside) = instants.iter().find(|at| !(**at > 0.0 && **at < last)) {
            let message = format!("a boundary between folds is {outside} s, but the logs take {} s", human(last, 4));
            return Err(
                VerbError::new("folds", message).hint("boundaries are times within the logs, which follow each other")
            );
        }
    }
    let mut fold = |share: f64| stage(observer, 0.2 + 0.4 * share, "fitting without the held-out data");
    let held_out = HeldOut::new(&data, &request.folds, estimator, &mut fold).map_err(of_robot)?;
    stage(observer, 0.6, "fitting all data")?;
    let fitted = data.fit(&data.all(), estimator).map_err(|error| of_robot(error.into()))?;
    if estimator.instruments {
        stage(observer, 0.8, "fitting with instrumental variables")?;
    }
    let of_file = file_as_fit(&data);
    let mut outcome = outcome(request, &data, &fitted, &of_file, held_out)?;
    stage(observer, 0.9, "checking")?;
    outcome.findings = findings_of(&Evidence::new(&outcome, &data, &fitted, &of_file));
    outcome.common_findings = outcome.findings.iter().map(IdentifyFinding::common).collect();
    outcome.verdict = match outcome.grade() {
        Grade::Good if outcome.scores.decisive().percent() > verdict::LEVELS[0] => "usable",
        grade => grade.as_str(),
    };
    Ok(outcome)
}

/// What a fit says, before it is judged.
fn outcome(
    request: &IdentifyRequest,
    data: &RegressionData<'_>,
    fitted: &Fitted,
    of_file: &Fitted,
    held_out: HeldOut,
) -> Result<IdentifyOutcome, VerbError> {
    let (robot, layout, prepared) = (&request.robot, data.layout, data.runs);
    let all = data.all();
    let instrumental = match request.estimator.instruments {
        true => {
            let halves = halves(robot, &request.logs, &request.preprocessing);
            instrumental(robot, layout, &halves.map_err(|(log, error)| unusable(&log, &error))?, fitted)?
        }
        false => Vec::new(),
    };
    let friction = curves(data, fitted)?;
    let base = base_estimates(data, fitted, &friction, &instrumental);
    let share = request.estimator.essential;
    let essential = share.map(|share| Essential::new(data, fitted, share, held_out.essential)).transpose()?.flatten();
    let robot_file = identified_robot(robot, data, fitted);
    let written = robot_file.as_ref().ok().map(|it| data.score_of(it, fitted.delay)).transpose()?.flatten();
    let margin = |(name, margin): (&String, f64)| BodyMargin { name: name.clone(), margin, possible: margin > 0.0 };
    let margins = layout.blocks.iter().map(|(name, block, _)| (name, block.margin(&fitted.parameters)));
    let notes = request.logs.iter().flat_map(|log| log.notes.iter().map(|note| format!("{}: {note}", log.name)));
    Ok(IdentifyOutcome {
        verdict: "",
        findings: Vec::new(),
        scores: IdentifyScores {
            file: data.score(of_file, &all)?,
            written,
            fit: data.score(fitted, &all)?,
            held_out: held_out.score,
            folds: held_out.folds,
        },
        parameters: parameter_estimates(data, fitted, &friction),
        base,
        essential,
        silent: data.structure.silent.iter().map(|&k| layout.columns[k].name.clone()).collect(),
        bodies: margins.map(margin).collect(),
        delay: fitted.delay,
        speeds: fitted.speeds.clone(),
        friction,
        prior_weight: fitted.weight,
        condition: fitted.plain.as_ref().map_or(f64::NAN, |plain| plain.estimate.condition),
        rows: data.len(),
        seconds: prepared.iter().map(PreparedLog::seconds).sum(),
        cutoff: prepared.first().map_or(0.0, |log| log.cutoff),
        logs: prepared.iter().map(|log| IdentifyLog { name: log.name.clone(), health: log.health.clone() }).collect(),
        robot: robot_file,
        mode: request.parameterization.mode,
        predictions: held_out.predictions,
        seen: held_out.seen,
        file: (robot.name.clone(), robot.joints()),
        notes: notes.collect(),
        common_findings: Vec::new(),
    })
}

/// All findings, the gravest first.
fn findings_of(e: &Evidence<'_>) -> Vec<IdentifyFinding> {
    let mut all = Evidence::PREDICTION.findings(e);
    all.extend(e.outcome.logs.iter().flat_map(log_findings));
    all.extend(Evidence::RULES.iter().flat_map(|rule| rule.findings(e)));
    all.sort_by_key(|finding| std::cmp::Reverse(finding.grade));
    all
}
