//! `simulate` of a robot, which may be two with one object, under control: options, run, table, report.

use super::arguments::SimulateArguments;
use super::outputs::Outputs;
use crate::arguments::numbers::{given, not_negative, positive};
use crate::failure::Failure;
use crate::output::{Screen, Table, human, require_finite};
use crate::progress::Progress;
use crate::signals::stop_flag;
use crate::verbs::motion::{OrderArguments, explain};
use clap::Args;
use dalembert::control::{
    Arrival, ControlError, ControlRun, Drive, Encoder, Experiment, ExperimentFile, RestVerdict, SetupError, Tuning,
    comparison, comparison_report, find_robot,
};
use dalembert::motion::{form_of_path, is_file};
use dalembert::robot::file::Dimension;
use dalembert::robot::{Form, Pick, units_of};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// Where the report goes unless said otherwise.
const REPORT: &str = "report.html";

#[derive(Args)]
#[command(next_help_heading = "Control, drives and sensors (docs/control.md)")]
pub struct ControlArguments {
    /// Control law: pd, pid, pd+acc, feedforward, feedforward+mass, gravity+pd, gravity+pid, computed-torque, cartesian,
    /// impedance; feedforward@2ms looks 2 ms ahead  [default: computed-torque]
    #[arg(long, value_name = "LAW")]
    law: Option<String>,
    /// Several control laws, one table and one report
    #[arg(long, value_name = "LAW,LAW,..", conflicts_with = "law")]
    compare: Option<String>,
    /// How often the motion is done  [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cycles: Option<usize>,
    /// What the controller believes it carries  [default: the truth]
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    known_payload: Option<String>,
    /// The robot as the controller knows it, a name or a file  [default: as it is]
    #[arg(long, value_name = "ROBOT")]
    known: Option<String>,
    /// The controller's model  [default: exact; newton-euler for a serial arm]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Bandwidth of the regulator  [default: 12 Hz]
    #[arg(long, value_name = "FREQUENCY", allow_hyphen_values = true)]
    bandwidth: Option<String>,
    /// Sampling period  [default: 1 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    period: Option<String>,
    /// Samples from reading to acting  [default: 1]
    #[arg(long, value_name = "SAMPLES", allow_hyphen_values = true)]
    delay: Option<usize>,
    /// Samples from one look at the configuration to the next: the model's matrices are kept meanwhile  [default: 1]
    #[arg(long, value_name = "SAMPLES", allow_hyphen_values = true)]
    configuration_every: Option<usize>,
    /// Time constant of the motor current  [default: 0.5 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    current_rise: Option<String>,
    /// Bits of the encoder per turn of the joint, 0 for ideal  [default: 20]
    #[arg(long, value_name = "BITS", allow_hyphen_values = true)]
    encoder_bits: Option<usize>,
    /// How long the robot holds after the motion, to see whether it comes to rest  [default: 0.1 s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    hold: Option<String>,
    /// How the controller finds the accelerations of its reference: `differenced` twice from positions in single precision
    #[arg(long, value_name = "HOW", value_parser = ["exact", "differenced"])]
    accelerations: Option<String>,
    /// Drives and sensors without fault, limit and delay
    #[arg(long, conflicts_with_all = ["delay", "current_rise", "encoder_bits"])]
    ideal: bool,
}

/// A robot under control, ready to run.
pub struct ControlPlan {
    experiment: Experiment,
    tunings: Vec<Tuning>,
    outputs: Outputs,
}

impl ControlArguments {
    /// An option that was given, if any.
    pub fn given(&self) -> Option<String> {
        given!(self; law, compare, cycles, known_payload, known, model, bandwidth, period, delay,
            configuration_every, current_rise, encoder_bits,
            hold, accelerations)
        .next()
        .or(self.ideal.then(|| String::from("ideal")))
    }

    /// Puts the options of motion and robots on top of what a file says.
    fn task(&self, motion: &OrderArguments, file: &mut ExperimentFile, planned: bool) -> Result<(), Failure> {
        if let (Some(path), Some(option)) = (&motion.path, motion.given_beside(&["path", "payload", "branch"]))
            && is_file(path)
        {
            return Err(Failure::new(format!("--{option} does not go with {path}: a motion from a file has its own"))
                .hint("give it to `trajectory` when the file is written"));
        }
        let form = form_of_path(motion.path.as_ref().unwrap_or(&file.order.path), &file.experiment.robot);
        motion.change(&mut file.order, form)?;
        file.order.cycles = self.cycles.unwrap_or(file.order.cycles);
        if let Some(branch) = motion.branch {
            if form == Form::Joints {
                return Err(Failure::new("--branch is for paths of the tool")
                    .hint("the joints of --path say where an elbow is"));
            }
            file.pick.elbows = Some(branch.into());
        }
        if let Some(name) = &self.known {
            file.knowledge.robot = Some(find_robot(name)?);
        }
        if let Some(text) = &self.known_payload {
            file.knowledge.payload = Some(not_negative("known-payload", text, Dimension::Mass)?);
        }
        if let Some(name) = &self.model {
            let models = file.experiment.robot.models();
            if !models.iter().any(|spec| spec.is_called(name)) {
                let names: Vec<&str> = models.iter().map(|spec| spec.name).collect();
                return Err(Failure::new(format!("--model: there is no `{name}`"))
                    .hint(format!("there are {}", names.join(", "))));
            }
            file.experiment.model.clone_from(name);
        }
        if let Some(how) = &self.accelerations {
            file.differenced = how == "differenced";
        }
        // Before the motion is set up: accelerations are differenced over this period.
        if let Some(text) = &self.period {
            file.experiment.sampling.period = positive("period", text, Dimension::Time)?;
        }
        let changed = motion.given().is_some()
            || self.cycles.is_some()
            || self.known.is_some()
            || self.accelerations.is_some()
            || self.period.is_some();
        if planned && !changed && self.known_payload.is_none() {
            return Ok(());
        }
        let _progress = Progress::start("planning the motion");
        file.set_up().map_err(|error| match &error {
            SetupError::Robot(cause) => Failure::new(format!("--payload: {cause}")),
            SetupError::Known(cause) => Failure::new(format!("--known, --known-payload: {cause}")),
            SetupError::Motion(cause) => {
                let robot = &file.experiment.robot;
                explain(&robot.name, &file.order, cause, file.order.hint(cause, robot, &Pick::default()))
            }
        })
    }

    fn faults(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        if let Some(text) = &self.bandwidth {
            experiment.bandwidth = std::f64::consts::TAU * positive("bandwidth", text, Dimension::Frequency)?;
        }
        if self.ideal {
            (experiment.drive, experiment.encoder) = (Drive::IDEAL, Encoder::IDEAL);
            experiment.sampling.delay = 0;
        }
        experiment.sampling.delay = self.delay.unwrap_or(experiment.sampling.delay);
        let every = &mut experiment.sampling.configuration_every;
        *every = self.configuration_every.unwrap_or(*every);
        if let Some(text) = &self.current_rise {
            experiment.drive.current_rise = not_negative("current-rise", text, Dimension::Time)?;
        }
        if let Some(bits) = self.encoder_bits {
            experiment.encoder.counts = Encoder::counts_of(bits).ok_or_else(|| {
                Failure::new(format!("--encoder-bits: {bits} bits are more than any encoder has"))
                    .hint("at most 40; 0 for an ideal one")
            })?;
        }
        if let Some(text) = &self.hold {
            experiment.hold = not_negative("hold", text, Dimension::Time)?;
        }
        Ok(())
    }
}

impl SimulateArguments {
    /// What a file says, with the options on top; its motion may be planned already.
    pub(super) fn controlled(mut self, mut file: ExperimentFile, planned: bool) -> Result<ControlPlan, Failure> {
        self.refuse_free_options()?;
        self.motion.read_points(&file.experiment.robot)?;
        let control = &self.control;
        control.task(&self.motion, &mut file, planned)?;
        control.faults(&mut file.experiment)?;
        let laws: Vec<String> = match (&control.law, &control.compare) {
            (Some(law), _) => vec![law.clone()],
            (None, Some(laws)) => laws.split(',').map(str::to_owned).collect(),
            (None, None) => file.laws.clone(),
        };
        let mut tunings: Vec<Tuning> = Vec::new();
        for law in &laws {
            let tuning = file.experiment.parse_tuning(law);
            let tuning = tuning.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
            let robot = &file.experiment.robot;
            if let Some(why) = robot.refuses(&*tuning.law) {
                let failure = Failure::new(format!("the control law `{}` does not apply: {why}", tuning.label));
                return Err(failure.hint(format!("leave it out, or --law {}", robot.kind().usual_law.as_str())));
            }
            if tunings.iter().any(|other| other.label == tuning.label) {
                return Err(Failure::new(format!("the control law `{}` is there twice", tuning.label)));
            }
            tunings.push(tuning);
        }
        let mut outputs = self.outputs()?;
        if outputs.out.is_none() && outputs.report.is_none() && !outputs.json {
            outputs.report = Some(String::from(REPORT));
        }
        Ok(ControlPlan { experiment: file.experiment, tunings, outputs })
    }
}

pub fn run(plan: &ControlPlan, screen: &mut Screen) -> Result<(), Failure> {
    let sinks = plan.outputs.open()?;
    let stop = stop_flag();
    let experiment = &plan.experiment;
    let mut runs = Vec::new();
    for tuning in &plan.tunings {
        let progress = Progress::of("simulated", experiment.motion.duration() + experiment.hold);
        let run = experiment.run(tuning, &mut |time| {
            progress.reached(time);
            !stop.load(Ordering::Relaxed)
        });
        progress.end();
        let run = run.map_err(|error| cannot_begin(experiment, &error))?;
        if run.ended.is_ok() {
            for column in run.recording.columns() {
                let what = format!("column `{}` of {}", column.name, tuning.label);
                require_finite(&experiment.robot.name, &what, column.values.iter().copied())?;
            }
        }
        runs.push(run);
    }
    let both =
        if runs.len() > 1 { Some(comparison(&runs).map_err(|error| Failure::new(error.to_string()))?) } else { None };
    let Some(first) = runs.first() else { return Err(Failure::new("there is no law to run")) };
    let is_interrupted = stop.load(Ordering::Relaxed);
    let page = || match &both {
        Some(both) => comparison_report(experiment, &runs, both).map_or(String::new(), |report| report.to_html()),
        None => first.report(experiment).to_html(),
    };
    let names = sinks.write(both.as_ref().unwrap_or(&first.recording), page, is_interrupted)?;
    let text = |screen: &mut Screen| as_text(experiment, &runs, screen);
    plan.outputs.tell(screen, is_interrupted, || as_json(experiment, &runs), text);
    // Of several laws it is a result that one does not follow the motion; that all fail is a failure.
    match &first.ended {
        _ if is_interrupted => {
            std::mem::replace(screen, Screen::stdout()).finish()?;
            let so_far = format!(
                "{} {} s",
                if names.is_empty() { "simulated" } else { "wrote" },
                human(first.summary.reached, 4)
            );
            Err(Failure::Interrupted(format!("interrupted: {so_far}{names}")))
        }
        Err(error) if runs.iter().all(|run| run.ended.is_err()) => {
            std::mem::replace(screen, Screen::stdout()).finish()?;
            Err(ended_early(experiment, first, error))
        }
        _ => Ok(()),
    }
}

fn cannot_begin(experiment: &Experiment, error: &ControlError) -> Failure {
    let failure = Failure::new(format!("{} cannot begin: {error}", experiment.robot.name));
    match error {
        ControlError::OutOfReach { .. } | ControlError::GripOutOfReach { .. } => {
            failure.hint("give another --center, or a smaller --width; `check` tells the reach")
        }
        ControlError::SingularReference { .. } => failure.hint("give another --path or --center"),
        ControlError::Model(_) => failure.hint("another --model, or none for the exact one"),
        _ => failure,
    }
}

fn ended_early(experiment: &Experiment, run: &ControlRun, error: &ControlError) -> Failure {
    let so_far = format!("simulated {} s", human(run.summary.reached, 4));
    match error {
        ControlError::SingularReference { .. } | ControlError::ReferenceJumps { .. } => {
            Failure::new(format!("{}: {error}", experiment.robot.name))
                .hint("give another --path or --center: no motor helps there; `map` shows where a robot is singular")
        }
        ControlError::OutOfReach { .. } => Failure::new(format!("{}: {error}", experiment.robot.name))
            .hint("give another --center, or a smaller --width; `check` tells the reach"),
        ControlError::Singular { .. } => Failure::new(format!("{}: {error}", experiment.robot.name))
            .hint("the joint laws and impedance go through such poses; or give another --path"),
        _ => Failure::new(format!("{}: the run ended early, {error}", experiment.robot.name))
            .hint(format!("{so_far}; a lower --bandwidth, a longer --cycle or a better model may help")),
    }
}

fn as_text(experiment: &Experiment, runs: &[ControlRun], screen: &mut Screen) {
    if let [run] = runs {
        screen.heading(format!("{}: {}", experiment.title(), experiment.motion_name));
        let mut table = Table::new("ll");
        for (name, value) in run.lines(experiment) {
            table.row([name, value]);
        }
        screen.table(&table);
    } else {
        screen.heading(format!("{}: {} control laws", experiment.title(), runs.len()));
        let mut table = Table::new("ll");
        let peak = runs.iter().map(|run| run.summary.acceleration_peak).fold(0.0, f64::max);
        for (name, value) in experiment.task(peak).into_iter().chain(experiment.conditions()) {
            table.row([name, value]);
        }
        screen.table(&table);
        let mut table = Table::new("lrrrrrrrrrl");
        let unit = units_of(&experiment.robot.joints(), |of| of.torque);
        let heads = ["control law", "max mm", "RMS mm", "end mm", "overshoot mm", "settled ms"].map(str::to_owned);
        let torques = [format!("peak {unit}"), format!("RMS {unit}")];
        let rest = ["peak W", "cut %", "verdict"].map(str::to_owned);
        table.head(heads.into_iter().chain(torques).chain(rest));
        for run in runs {
            let s = &run.summary;
            let most = |values: &[f64]| human(values.iter().copied().fold(0.0, f64::max), 4);
            let arrival =
                |of: fn(Arrival) -> f64| s.arrival.map_or("–".into(), |arrival| human(1e3 * of(arrival), 3));
            let mut figures = [
                human(1e3 * s.error_max, 3),
                human(1e3 * s.error_rms, 3),
                human(1e3 * s.error_end, 3),
                arrival(|arrival| arrival.overshoot),
                arrival(|arrival| arrival.settling),
                most(&s.torque_peak),
                most(&s.torque_rms),
                human(s.power_peak, 4),
                human(100.0 * s.cut, 3),
            ];
            if run.recording.rows() == 0 {
                figures.fill(String::from("–")); // it ended at its first sample
            }
            let told = run.ended.as_ref().map_or_else(ToString::to_string, |()| s.verdict.to_string());
            table.row([run.tuning.label.clone()].into_iter().chain(figures).chain([told]));
        }
        screen.table(&table);
    }
    let undecided = |verdict: &RestVerdict| {
        matches!(
            verdict,
            RestVerdict::Creeps(_) | RestVerdict::StillMoves(_) | RestVerdict::Decays(_) | RestVerdict::Unknown
        )
    };
    if runs.iter().any(|run| run.ended.is_ok() && undecided(&run.summary.verdict)) {
        screen.line(format!("  --hold holds longer than {} s", human(experiment.hold, 3)));
    }
}

fn as_json(experiment: &Experiment, runs: &[ControlRun]) -> Value {
    let all = runs.iter().map(|run| {
        let s = &run.summary;
        let (torque, speed) = s.used();
        json!({
            "law": run.tuning.label,
            "cycle_time": s.cycle_time,
            "duration": s.duration,
            "reached": s.reached,
            "ended": run.ended.as_ref().err().map(ToString::to_string),
            "verdict": s.verdict.to_string(),
            "rest": s.verdict.as_str(),
            "unrest": s.verdict.unrest().map(|unrest| json!({
                "joint": unrest.joint,
                "by": unrest.by,
                "unit": unrest.unit,
                "frequency": unrest.frequency,
                "cut": unrest.cut,
            })),
            "error_max": s.error_max,
            "error_rms": s.error_rms,
            "error_end": s.error_end,
            "overshoot": s.arrival.map(|arrival| arrival.overshoot),
            "settling": s.arrival.map(|arrival| arrival.settling),
            "joint_error_peak": s.joint_error_peak,
            "torque_peak": s.torque_peak,
            "torque_rms": s.torque_rms,
            "speed_peak": s.speed_peak,
            "power_peak": s.power_peak,
            "power_mean": s.power_mean,
            "torque_used": torque,
            "speed_used": speed,
            "samples_cut": s.cut,
            "range_margin": s.range_margin.is_finite().then_some(s.range_margin),
            "squeeze": s.squeeze.map(|squeeze| json!({
                "reference": squeeze.reference.0,
                "error_max": squeeze.error_max,
                "error_rms": squeeze.error_rms,
            })),
        })
    });
    json!({
        "name": experiment.name,
        "robot": experiment.robot.name,
        "motion": experiment.motion_name,
        "model": experiment.model_name(),
        "payload": experiment.robot.payload(),
        "known_payload": experiment.known.payload(),
        "bandwidth_hz": experiment.bandwidth / std::f64::consts::TAU,
        "damping_ratio": experiment.damping_ratio,
        "period": experiment.sampling.period,
        "delay": experiment.sampling.delay,
        "configuration_every": experiment.sampling.configuration_every,
        "hold": experiment.hold,
        "conditions": experiment.conditions().into_iter().map(|(name, value)| json!([name, value])).collect::<Value>(),
        "runs": all.collect::<Vec<_>>(),
    })
}
