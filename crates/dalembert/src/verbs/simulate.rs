//! A robot under one control law or several, or a cell of robots and bodies by themselves: recording, figures, report.

use super::motion::{MotionRequest, PLANNING, motion_error, resized};
use super::prelude::*;
use crate::cell::{Cell, CellError, CellRun, CellSettings};
use crate::control::{
    ControlError, ControlRun, Experiment, ExperimentFile, RestVerdict, SetupError, Tuning, comparison,
    comparison_report, comparison_table,
};
use crate::mechanism::MechanismError;
use crate::report::page::Page;
use crate::simulate::{ContactLaw, SimulationError};
use std::f64::consts::TAU;

/// What is simulated.
#[derive(Clone, Debug)]
pub enum SimulateRequest {
    /// A robot under control: its motion, what its controller knows, drives, sensors, and the laws to compare.
    Control(Box<ExperimentFile>),
    /// Robots and bodies by themselves: a scene, or one robot under constant torques ([`Cell::of_robot`]).
    Cell {
        /// What stands where.
        cell: Box<Cell>,
        /// Duration, formulation, integrator.
        settings: CellSettings,
    },
}

impl SimulateRequest {
    /// The usual motion of a robot under its usual control law.
    pub fn new(robot: Robot) -> Self {
        Self::Control(Box::new(ExperimentFile::unplanned(robot)))
    }
}

impl From<MotionRequest> for SimulateRequest {
    /// The motion under the robot's usual control law.
    fn from(MotionRequest { robot, order, pick }: MotionRequest) -> Self {
        let mut file = ExperimentFile::unplanned(robot);
        (file.order, file.pick) = (order, pick);
        Self::Control(Box::new(file))
    }
}

/// What was simulated, also where it ended early.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SimulateOutcome {
    /// A robot under control.
    Control(Box<ControlOutcome>),
    /// Robots and bodies by themselves.
    Cell(Box<CellOutcome>),
}

/// A robot under one control law or several.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ControlOutcome {
    /// Of the experiment; the robot's where it has none.
    pub name: String,
    /// The robot.
    pub robot: String,
    /// The motion.
    pub motion: String,
    /// The controller's model.
    pub model: String,
    /// What the robot carries, kg.
    pub payload: f64,
    /// What the controller assumes, kg.
    pub known_payload: f64,
    /// Bandwidth of the regulators, Hz.
    pub bandwidth_hz: f64,
    /// Damping ratio of the regulators.
    pub damping_ratio: f64,
    /// Sampling period, s.
    pub period: f64,
    /// Samples from reading to acting.
    pub delay: usize,
    /// Samples from one look at the configuration to the next.
    pub configuration_every: usize,
    /// Time that the robot holds after the motion, s.
    pub hold: f64,
    /// Friction, sampling, drive, encoder, pushes, limit violations of the motion: names and texts.
    pub conditions: Vec<(String, String)>,
    /// One per control law.
    pub runs: Vec<ControlRun>,
    /// Everything that the runs needed.
    #[serde(skip)]
    pub experiment: Experiment,
    /// Tracking errors and torques of several laws side by side.
    #[serde(skip)]
    pub comparison: Option<Recording>,
    /// What was noticed.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// Steps of an integrator.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct StepCounts {
    /// Steps taken.
    pub accepted: usize,
    /// Steps tried in vain, of an adaptive method.
    pub rejected: Option<usize>,
}

/// A contact with the numbers of its law.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // those of `ContactLaw`
pub struct SimulatedContact {
    pub name: String,
    pub response: &'static str,
    pub restitution: f64,
    pub friction: f64,
    pub stiffness: f64,
    pub exponent: f64,
    pub resting_speed: f64,
    pub creep_speed: f64,
}

/// An impact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SimulatedImpact {
    /// s.
    pub time: f64,
    /// Name of the contact.
    pub contact: String,
    /// Of the approach, m/s.
    pub speed: f64,
    /// On what touches, N s.
    pub impulse: [f64; 3],
    /// m.
    pub at: [f64; 3],
}

/// A column of a recording, without its values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // those of `Column`
pub struct RecordedColumn {
    pub name: String,
    pub unit: &'static str,
    pub meaning: String,
}

/// Robots and bodies by themselves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CellOutcome {
    /// Of the robot or scene.
    pub name: String,
    /// The equations of motion.
    pub formulation: &'static str,
    /// The integrator with its step or tolerance.
    pub integrator: String,
    /// Time to simulate, s.
    pub duration: f64,
    /// Time that was reached, s.
    pub reached: f64,
    /// Why it ended early.
    pub ended: Option<String>,
    /// Rows of the recording.
    pub rows: usize,
    /// Of the integrator.
    pub steps: StepCounts,
    /// Largest change of the total energy, J.
    pub energy_drift: f64,
    /// Range of the kinetic energy, J.
    pub kinetic_range: f64,
    /// Their ratio, where something moved.
    pub relative_energy_drift: Option<f64>,
    /// What takes or gives energy without being counted.
    pub energy_exchanges: Vec<String>,
    /// How far the worst constraint is open, m or rad.
    pub constraint_drift: f64,
    /// How fast it opens.
    pub constraint_rate: f64,
    /// How far the start was moved onto the constraints, m or rad.
    pub start_moved_by: f64,
    /// Computing time, where time has passed.
    pub seconds_per_simulated_second: Option<f64>,
    /// What may touch.
    pub contacts: Vec<SimulatedContact>,
    /// In time.
    pub impacts: Vec<SimulatedImpact>,
    /// Of the recording.
    pub columns: Vec<RecordedColumn>,
    /// Recording and drawing.
    #[serde(skip)]
    pub run: CellRun,
    /// What was simulated.
    #[serde(skip)]
    pub cell: Cell,
    /// How.
    #[serde(skip)]
    pub settings: CellSettings,
    /// What was noticed.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// Simulates. A run that ends early is an outcome, with the data so far and [`SimulateOutcome::failure`]; so is one that the
/// observer stopped. What cannot begin is an error.
pub fn simulate(request: &SimulateRequest, observer: &mut dyn Observer) -> Result<SimulateOutcome, VerbError> {
    match request {
        SimulateRequest::Control(file) => control(file, observer).map(|it| SimulateOutcome::Control(Box::new(it))),
        SimulateRequest::Cell { cell, settings } => {
            simulate_cell(cell, settings, observer).map(|it| SimulateOutcome::Cell(Box::new(it)))
        }
    }
}

/// Reports the time a thousand times over the run, and asks at every step whether to go on.
fn watched(observer: &mut dyn Observer, end: f64, stage: &str) -> impl FnMut(f64) -> bool {
    let mut next = 0.0;
    move |time| {
        if time >= next {
            observer.progress(time / end, stage);
            next = time + 1e-3 * end;
        }
        !observer.cancelled()
    }
}

fn control(file: &ExperimentFile, observer: &mut dyn Observer) -> Result<ControlOutcome, VerbError> {
    require_computable(&file.experiment.robot)?;
    let mut file = file.clone();
    observer.progress(0.0, PLANNING);
    file.set_up_watched(&mut |share| observer.progress(share, PLANNING)).map_err(|error| match &error {
        SetupError::Robot(cause) => VerbError::new("payload", cause),
        SetupError::Known(cause) => VerbError::new("known-robot", cause),
        SetupError::Motion(cause) => {
            let robot = &file.experiment.robot;
            motion_error(&robot.name, &file.order, cause, file.order.hint(cause, robot, &Pick::default()))
        }
    })?;
    let tunings = tunings(&file)?;
    let experiment = file.experiment;
    let total = experiment.motion.duration() + experiment.hold;
    let mut runs = Vec::new();
    for tuning in &tunings {
        let run = experiment.run(tuning, &mut watched(observer, total, &format!("simulating {}", tuning.label)));
        let run = run.map_err(|error| control_error(&experiment.robot.name, false, &error))?;
        if run.ended.is_ok() {
            let of = format!(" of {}", tuning.label);
            require_finite_columns(&experiment.robot.name, &run.recording, &of)?;
        }
        runs.push(run);
    }
    let comparison = (runs.len() > 1).then(|| comparison(&runs)).transpose();
    let comparison = comparison.map_err(|error| VerbError::new("recording", error))?;
    Ok(ControlOutcome {
        name: experiment.name.clone(),
        robot: experiment.robot.name.clone(),
        motion: experiment.motion_name.clone(),
        model: experiment.model_name().to_owned(),
        payload: experiment.robot.payload(),
        known_payload: experiment.known.payload(),
        bandwidth_hz: experiment.bandwidth / TAU,
        damping_ratio: experiment.damping_ratio,
        period: experiment.sampling.period,
        delay: experiment.sampling.delay,
        configuration_every: experiment.sampling.configuration_every,
        hold: experiment.hold,
        conditions: experiment.conditions(),
        findings: experiment
            .resized
            .clone()
            .map(|captions| resized(&experiment.robot, captions))
            .into_iter()
            .chain(runs.iter().flat_map(run_findings))
            .collect(),
        runs,
        experiment,
        comparison,
    })
}

/// The control laws of an experiment with their gains: each applies, and is there once.
fn tunings(file: &ExperimentFile) -> Result<Vec<Tuning>, VerbError> {
    let mut tunings: Vec<Tuning> = Vec::new();
    for law in &file.laws {
        let tuning = file.experiment.parse_tuning(law);
        let tuning = tuning.map_err(|error| VerbError { hint: error.hint(), ..VerbError::new("law", error) })?;
        let robot = &file.experiment.robot;
        if let Some(why) = robot.refuses(&*tuning.law) {
            let message = format!("the control law `{}` does not apply: {why}", tuning.label);
            let usual = robot.kind().usual_law.as_str();
            return Err(VerbError::new("law-does-not-apply", message).hint(format!("leave it out, or take {usual}")));
        }
        if tunings.iter().any(|other| other.label == tuning.label) {
            let message = format!("the control law `{}` is there twice", tuning.label);
            return Err(VerbError::new("law-twice", message));
        }
        tunings.push(tuning);
    }
    if tunings.is_empty() {
        return Err(VerbError::new("no-law", "there is no control law to run"));
    }
    Ok(tunings)
}

fn require_finite_columns(name: &str, recording: &Recording, of: &str) -> Result<(), VerbError> {
    let mut columns = recording.columns().iter();
    columns.try_for_each(|it| require_finite(name, &format!("column `{}`{of}", it.name), it.values.iter().copied()))
}

/// Why a controlled robot does not begin, or ends early.
fn control_error(robot: &str, begun: bool, error: &ControlError) -> VerbError {
    let code = match error {
        ControlError::OutOfReach { .. } | ControlError::GripOutOfReach { .. } => "out-of-reach",
        ControlError::SingularReference { .. } | ControlError::ReferenceJumps { .. } => "singular-reference",
        ControlError::Singular { .. } => "singular-pose",
        ControlError::Model(_) => "model-does-not-apply",
        _ => "ended-early",
    };
    let what = match (begun, code) {
        (false, _) => " cannot begin:",
        (true, "ended-early") => ": the run ended early,",
        (true, _) => ":",
    };
    VerbError::new(code, format!("{robot}{what} {error}"))
}

/// What the figures of a run say that a reader should know.
fn run_findings(run: &ControlRun) -> Vec<Finding> {
    let (s, law) = (&run.summary, run.tuning.label.as_str());
    let mut all = Vec::new();
    let mut add = |code, text: String, name, value: f64| {
        let finding = Finding::new(code, Severity::Warning, format!("{law}: {text}"));
        all.push(finding.with("law", law).with(name, value));
    };
    if let Err(error) = &run.ended {
        add("ended-early", error.to_string(), "time", s.reached);
    } else if let Some(unrest) = s.verdict.unrest() {
        add("not-at-rest", format!("the robot {}", s.verdict), "joint", unrest.joint as f64);
    }
    if s.cut > 0.0 {
        let text = format!("a limit cuts a torque in {} % of the samples", human(100.0 * s.cut, 3));
        add("torque-cut", text, "share", s.cut);
    }
    if s.range_margin < 0.0 {
        let text = format!("a joint exceeds its range by {}°", human(-s.range_margin.to_degrees(), 3));
        add("joint-range-exceeded", text, "margin", s.range_margin);
    }
    all
}

fn simulate_cell(cell: &Cell, settings: &CellSettings, observer: &mut dyn Observer) -> Result<CellOutcome, VerbError> {
    let run = cell.run(settings, &mut watched(observer, settings.duration, "simulating"));
    let run = run.map_err(|error| cannot_begin(&cell.name, &error))?;
    // A run that broke down says so itself.
    if run.ended.is_ok() {
        require_finite_columns(&cell.name, &run.recording, "")?;
    }
    let s = &run.summary;
    let contacts = cell.contacts.iter().map(|contact| {
        let ContactLaw { response, stiffness, exponent, restitution, friction, resting_speed, creep_speed } =
            contact.law;
        let (name, response) = (contact.name.clone(), response.as_str());
        SimulatedContact { name, response, restitution, friction, stiffness, exponent, resting_speed, creep_speed }
    });
    let impacts = run.impacts.iter().map(|impact| SimulatedImpact {
        time: impact.time,
        contact: cell.contacts[impact.contact].name.clone(),
        speed: impact.speed,
        impulse: impact.impulse.0,
        at: impact.at.0,
    });
    let columns = run.recording.columns().iter();
    let columns =
        columns.map(|it| RecordedColumn { name: it.name.clone(), unit: it.unit, meaning: it.meaning.clone() });
    let ended = run.ended.as_ref().err().map(ToString::to_string);
    let early = |text: &String| match run.ended {
        Err(SimulationError::EnergyDrift { drift, .. }) => {
            Finding::new("energy-drift", Severity::Warning, text).with("drift", drift)
        }
        _ => Finding::new("ended-early", Severity::Warning, text).with("time", s.reached),
    };
    let moved = s.was_repaired().then(|| {
        let text = format!("the start was moved onto the constraints by up to {:.1e} m", s.repaired);
        Finding::new("start-moved", Severity::Note, text).with("by", s.repaired)
    });
    Ok(CellOutcome {
        name: cell.name.clone(),
        formulation: s.formulation.as_str(),
        integrator: s.method.describe(),
        duration: settings.duration,
        reached: s.reached,
        findings: ended.iter().map(early).chain(moved).collect(),
        ended,
        rows: s.rows,
        steps: StepCounts { accepted: s.steps, rejected: s.rejected },
        energy_drift: s.energy_drift,
        kinetic_range: s.kinetic_range,
        relative_energy_drift: s.relative_energy_drift(),
        energy_exchanges: s.exchanges.clone(),
        constraint_drift: s.constraint_drift,
        constraint_rate: s.constraint_rate,
        start_moved_by: s.repaired,
        seconds_per_simulated_second: s.time_per_second(),
        contacts: contacts.collect(),
        impacts: impacts.collect(),
        columns: columns.collect(),
        run,
        cell: cell.clone(),
        settings: *settings,
    })
}

/// Why a cell does not begin.
fn cannot_begin(name: &str, error: &CellError) -> VerbError {
    let (code, hint) = match error {
        CellError::NotExplicit => ("explicit-formulation", None),
        CellError::NotForRattle { .. } => ("rattle", None),
        CellError::TooLong { .. } => ("too-many-rows", None),
        CellError::Simulation(SimulationError::NotPlain { .. }) => ("minimal-formulation", None),
        CellError::Simulation(SimulationError::Inside { .. }) => {
            ("bodies-overlap", Some("start farther out, so that the two just touch"))
        }
        CellError::Simulation(SimulationError::CannotTouch { .. }) => {
            ("no-contact", Some("points touch spheres, boxes and planes; give one of the two a shape"))
        }
        CellError::Mechanism(MechanismError::SingularPose { .. }) => (
            "singular-pose",
            Some(
                "start a little away from this pose: where everything moves along one line, constraints are not independent",
            ),
        ),
        CellError::Mechanism(MechanismError::CannotClose { .. }) => {
            ("constraints-open", Some("start nearer to a pose where all constraints hold, if there is one"))
        }
        _ => ("cannot-begin", None),
    };
    let error = VerbError::new(code, format!("{name} cannot begin: {error}"));
    VerbError { hint: hint.map(str::to_owned), ..error }
}

impl SimulateOutcome {
    /// Heading and tables of figures, for people.
    pub fn tables(&self) -> (String, Vec<Table>) {
        match self {
            Self::Control(it) => {
                let ControlOutcome { experiment, runs, .. } = &**it;
                if let [run] = runs.as_slice() {
                    let heading = format!("{}: {}", experiment.title(), experiment.motion_name);
                    return (heading, vec![Table::list(run.lines(experiment))]);
                }
                let peak = runs.iter().map(|run| run.summary.acceleration_peak).fold(0.0, f64::max);
                let common = experiment.task(peak).into_iter().chain(it.conditions.clone());
                let heading = format!("{}: {} control laws", experiment.title(), runs.len());
                (heading, vec![Table::list(common), comparison_table(experiment, runs)])
            }
            Self::Cell(it) => {
                let heading = format!("{}: simulated {} s", it.name, human(it.reached, 6));
                (heading, vec![Table::list(it.run.lines(&it.cell, &it.settings))])
            }
        }
    }

    /// The recording; of several laws their errors and torques side by side.
    pub fn recording(&self) -> Option<&Recording> {
        match self {
            Self::Control(it) => it.comparison.as_ref().or(it.runs.first().map(|run| &run.recording)),
            Self::Cell(it) => Some(&it.run.recording),
        }
    }

    /// The report with charts and a playback.
    pub fn page(&self) -> Option<Page<'_>> {
        match self {
            Self::Control(it) => match &it.comparison {
                Some(both) => comparison_report(&it.experiment, &it.runs, both),
                None => it.runs.first().map(|run| run.report(&it.experiment)),
            },
            Self::Cell(it) => Some(it.run.report(&it.cell, &it.settings)),
        }
    }

    /// Time that was reached, and time to simulate, s.
    pub fn times(&self) -> [f64; 2] {
        match self {
            Self::Control(it) => {
                let reached = it.runs.iter().map(|run| run.summary.reached).fold(0.0, f64::max);
                [reached, it.experiment.motion.duration() + it.hold]
            }
            Self::Cell(it) => [it.reached, it.duration],
        }
    }

    /// Whether the observer stopped it.
    pub fn is_interrupted(&self) -> bool {
        match self {
            Self::Control(it) => it.runs.iter().any(|run| matches!(run.ended, Err(ControlError::Interrupted { .. }))),
            Self::Cell(it) => matches!(it.run.ended, Err(SimulationError::Interrupted { .. })),
        }
    }

    /// Why it is no result: a cell that ended early, or a robot that no law moves to the end. Of several laws it is a result that
    /// one does not follow the motion.
    pub fn failure(&self) -> Option<VerbError> {
        match self {
            Self::Control(it) if it.runs.iter().any(|run| run.ended.is_ok()) => None,
            Self::Control(it) => {
                let error = it.runs.first()?.ended.as_ref().err()?;
                Some(control_error(&it.robot, true, error))
            }
            Self::Cell(it) => {
                let error = it.run.ended.as_ref().err()?;
                let (code, hint) = match error {
                    SimulationError::StateError { .. } => ("closed-form-ends", None),
                    SimulationError::StepTooSmall { .. } => ("step-too-small", None),
                    SimulationError::Diverged { .. } | SimulationError::NoConvergence { .. } => ("diverged", None),
                    SimulationError::Mechanism { cause: MechanismError::CannotClose { .. }, .. } => {
                        ("constraints-open", None)
                    }
                    SimulationError::PassesThrough { .. } => (
                        "passes-through",
                        Some("a larger `stiffness` of the contact, its `response = \"impulsive\"`, or a smaller step"),
                    ),
                    SimulationError::EnergyDrift { .. } => (
                        "energy-drift",
                        Some("a smaller step or tolerance; for contacts also a smaller load or a larger `stiffness`"),
                    ),
                    SimulationError::TooManySteps { .. } => (
                        "too-many-steps",
                        Some(
                            "a larger step, or an integrator for stiff systems; for contacts a larger `creep_speed` or a smaller `stiffness`",
                        ),
                    ),
                    _ => ("ended-early", None),
                };
                let early = if code == "energy-drift" { "" } else { "the run ended early, " };
                let failure = VerbError::new(code, format!("{}: {early}{error}", it.name));
                Some(VerbError { hint: hint.map(str::to_owned), ..failure })
            }
        }
    }

    /// Whether a longer hold would show if the robot comes to rest.
    pub fn needs_longer_hold(&self) -> bool {
        use RestVerdict::{Creeps, Decays, StillMoves, Unknown};
        let undecided = |run: &ControlRun| {
            let verdict = &run.summary.verdict;
            run.ended.is_ok() && matches!(verdict, Creeps(_) | StillMoves(_) | Decays(_) | Unknown)
        };
        matches!(self, Self::Control(it) if it.runs.iter().any(undecided))
    }
}

impl Outcome for SimulateOutcome {
    fn metrics(&self) -> Vec<Metric> {
        match self {
            Self::Cell(it) => {
                let drifts = [("energy_drift", it.energy_drift, "J"), ("constraint_drift", it.constraint_drift, "m")];
                metrics("", [("reached", it.reached, "s")].into_iter().chain(drifts)).collect()
            }
            Self::Control(it) => it.runs.iter().flat_map(|run| run_metrics(run, it.runs.len() > 1)).collect(),
        }
    }

    fn findings(&self) -> &[Finding] {
        match self {
            Self::Control(it) => &it.findings,
            Self::Cell(it) => &it.findings,
        }
    }
}

/// The scalars of a run; of several with the name of the law in front.
fn run_metrics(run: &ControlRun, several: bool) -> Vec<Metric> {
    let s = &run.summary;
    let prefix = if several { format!("{}.", run.tuning.label) } else { String::new() };
    let (torque, speed) = s.used();
    let scalars = [
        ("error.max", s.error_max, "m"),
        ("error.rms", s.error_rms, "m"),
        ("error.end", s.error_end, "m"),
        ("power.peak", s.power_peak, "W"),
        ("power.mean", s.power_mean, "W"),
        ("torque.used", torque, ""),
        ("speed.used", speed, ""),
        ("samples_cut", s.cut, ""),
        ("cycle_time", s.cycle_time, "s"),
    ];
    let arrival = [("overshoot", s.overshoot, "m"), ("settling", s.settling, "s")].into_iter();
    let arrival = arrival.filter_map(|(name, value, unit)| Some((name, value?, unit)));
    let joints = s.torque_peak.iter().zip(&s.torque_rms).zip(run.summary.torque_units()).enumerate();
    let joints = joints.flat_map(|(i, ((peak, rms), unit))| {
        [("peak", peak), ("rms", rms)].map(|(name, value)| (format!("torque.{}.{name}", i + 1), *value, unit))
    });
    let powers = s.motor_power_peak.iter().enumerate();
    let joints = joints.chain(powers.map(|(i, peak)| (format!("power.{}.peak", i + 1), *peak, "W")));
    metrics(&prefix, scalars.into_iter().chain(arrival)).chain(metrics(&prefix, joints)).collect()
}
