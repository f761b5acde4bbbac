//! What came out of a run: its recording, its summary, its verdict.

use super::rest::RestVerdict;
use super::{ControlError, Experiment, Law, Tuning};
use crate::Vec3;
use crate::limits::JointLimits;
use crate::report::drawing::Drawing;
use crate::report::page::Page;
use crate::report::recording::{Column, Recording, RecordingError};
use crate::report::text::{Table, human};
use crate::robot::{Joint, JointKind, JointUnits, units_of};
use serde::{Serialize, Serializer};

/// How two robots that carry one object press it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Squeeze {
    /// What was asked for: the force of the first on the object beyond its share, N.
    #[serde(serialize_with = "components")]
    pub reference: Vec3<f64>,
    /// Largest distance from that, N, over motion and hold.
    pub error_max: f64,
    /// Root mean square of it, N.
    pub error_rms: f64,
}

/// Platform or tool have arrived where they stay within this of their target, m.
pub(super) const NEAR: f64 = 1e-4;

fn components<S: Serializer>(vector: &Vec3<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    vector.0.serialize(serializer)
}

/// The figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ControlSummary {
    /// Of the motion, s.
    pub duration: f64,
    /// Of one of its cycles, s.
    pub cycle_time: f64,
    /// How far the run came, s.
    pub reached: f64,
    /// Whether it came to rest.
    #[serde(flatten)]
    pub verdict: RestVerdict,
    /// Largest tracking error of platform or tool, m, over motion and hold.
    pub error_max: f64,
    /// When that was, s.
    #[serde(skip)]
    pub error_max_at: f64,
    /// Root mean square of the tracking error over the motion, m.
    pub error_rms: f64,
    /// At the end of the hold, m.
    pub error_end: f64,
    /// Largest distance after the time of the arrival from where platform or tool are at the end of the hold, m; none of a run that
    /// ended early.
    pub overshoot: Option<f64>,
    /// Time from then until they stay within 0.1 mm of their target, s; none where they never do, or the run ended early.
    pub settling: Option<f64>,
    /// Largest tracking error of each joint, rad (m).
    pub joint_error_peak: Vec<f64>,
    /// Largest torque of each motor, N m (N).
    pub torque_peak: Vec<f64>,
    /// Root mean square over the motion, N m (N).
    pub torque_rms: Vec<f64>,
    /// Largest speed of each joint, rad/s (m/s).
    pub speed_peak: Vec<f64>,
    /// Largest mechanical power of all motors together, W.
    pub power_peak: f64,
    /// Largest mechanical power of each motor, W.
    pub motor_power_peak: Vec<f64>,
    /// Mean of the positive part of that power, W: what the supply gives if nothing is recovered.
    pub power_mean: f64,
    /// Largest acceleration that was asked of platform or tool, m/s².
    #[serde(skip)]
    pub acceleration_peak: f64,
    /// Part of the samples, as far as the run came, in which a limit cut a torque.
    #[serde(rename = "samples_cut")]
    pub cut: f64,
    /// Least distance of a turning joint to the end of its range, rad; infinite where there is none.
    pub range_margin: f64,
    /// Runge–Kutta steps per sample.
    #[serde(skip)]
    pub substeps: usize,
    /// Simulated seconds per second of computing, recording included.
    #[serde(skip)]
    pub real_time_factor: f64,
    /// Of two robots that carry one object.
    pub squeeze: Option<Squeeze>,
    #[serde(skip)]
    pub(super) joints: Vec<Joint>,
}

impl ControlSummary {
    /// The unit of each motor's torque.
    pub fn torque_units(&self) -> impl Iterator<Item = &'static str> {
        self.joints.iter().map(|joint| joint.kind.units().torque)
    }

    /// The largest part of its limit that any motor used: peak torque, speed.
    pub fn used(&self) -> (f64, f64) {
        let most = |values: &[f64], limit: fn(&JointLimits) -> f64| {
            values.iter().zip(&self.joints).map(|(value, joint)| value / limit(&joint.limits)).fold(0.0, f64::max)
        };
        (most(&self.torque_peak, |limits| limits.max_torque), most(&self.speed_peak, |limits| limits.max_speed))
    }
}

/// A run, also one that ended early.
#[derive(Clone, Debug)]
pub struct ControlRun {
    /// The control law with its gains.
    pub tuning: Tuning,
    /// The figures.
    pub summary: ControlSummary,
    /// A row per sample.
    pub recording: Recording,
    /// Where everything was.
    pub drawing: Drawing,
    /// Why it ended before its time.
    pub ended: Result<(), ControlError>,
}

impl Serialize for ControlRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ControlRunFigures<'r> {
            law: &'r str,
            ended: Option<String>,
            #[serde(flatten)]
            summary: &'r ControlSummary,
            torque_used: f64,
            speed_used: f64,
        }
        let (torque_used, speed_used) = self.summary.used();
        let ended = self.ended.as_ref().err().map(ToString::to_string);
        ControlRunFigures { law: &self.tuning.label, ended, summary: &self.summary, torque_used, speed_used }
            .serialize(serializer)
    }
}

fn list(values: &[f64], digits: usize) -> String {
    values.iter().map(|value| human(*value, digits)).collect::<Vec<_>>().join(", ")
}

fn percent(part: f64) -> String {
    format!("{} %", human(100.0 * part, 3))
}

/// The line of the computing time.
const COMPUTING: &str = "computing";

impl ControlRun {
    /// The motor torques, each with its number from 1.
    fn torques(&self) -> impl Iterator<Item = (usize, &Column)> {
        (1..=self.summary.torque_peak.len())
            .filter_map(|i| Some((i, self.recording.columns().iter().find(|column| column.name == format!("tau{i}"))?)))
    }

    /// Whether the robot came to rest, or why the run ended early.
    pub fn verdict(&self) -> String {
        self.ended.as_ref().map_or_else(ToString::to_string, |()| self.summary.verdict.to_string())
    }

    /// Names and values, the most important first.
    pub fn lines(&self, experiment: &Experiment) -> Vec<(String, String)> {
        let s = &self.summary;
        let (torque, speed) = s.used();
        let e = experiment;
        let [torques, speeds] =
            [|of: JointUnits| of.torque, |of: JointUnits| of.speed].map(|of| units_of(&s.joints, of));
        let of = |part: f64, what: &str, limit: fn(&JointLimits) -> f64| {
            let limited = s.joints.iter().any(|joint| limit(&joint.limits).is_finite());
            if limited { format!(" ({} of the limit)", percent(part)) } else { format!(" (no limit of {what})") }
        };
        let model = match self.tuning.law.built_in() {
            Some(Law::Pd | Law::Pid | Law::PdAcceleration) => String::from("none (Î from the model at the start)"),
            _ => e.model_name().to_owned(),
        };
        let mut law = format!("{}, {}", self.tuning.label, e.regulator());
        if self.tuning.law.looks_ahead() {
            law = format!("{law}, T_m {} ms", human(1e3 * self.tuning.look_ahead, 4));
        }
        let mut lines = vec![
            ("robot", e.robot.name.clone()),
            ("motion", e.motion(s.acceleration_peak)),
            ("control law", law),
            ("controller's model", model),
            e.duration(),
        ];
        let (largest, at, rms) = (mm(s.error_max), human(s.error_max_at, 4), mm(s.error_rms));
        let [torque, speed] =
            [of(torque, "torque", |limits| limits.max_torque), of(speed, "speed", |limits| limits.max_speed)];
        // A run that ended at its first sample has no figures.
        let mut measured = vec![
            ("tracking error", format!("{largest} mm at most (at {at} s), {rms} mm RMS")),
            ("joint error", format!("{} at most", joint_errors(&s.joints, &s.joint_error_peak))),
            ("error at the end", format!("{} mm", mm(s.error_end))),
            ("peak torque", format!("{} {torques}{torque}", list(&s.torque_peak, 4))),
            ("RMS torque", format!("{} {torques}", list(&s.torque_rms, 4))),
            ("peak speed", format!("{} {speeds}{speed}", list(&s.speed_peak, 4))),
            ("peak power", format!("{} W; {} W of all together", list(&s.motor_power_peak, 4), human(s.power_peak, 4))),
            ("mean power", format!("{} W drawn by all together", human(s.power_mean, 4))),
        ];
        if let Some(Squeeze { reference, error_max, error_rms }) = s.squeeze {
            let asked = list(&reference.0, 4);
            let kept = format!("off by {} N at most, {} N RMS", human(error_max, 3), human(error_rms, 3));
            measured.push(("squeeze", format!("({asked}) N asked for, {kept}")));
        }
        if let Some(overshoot) = s.overshoot {
            let reached = match s.settling {
                Some(settling) => format!("within 0.1 mm of the target after {} ms", human(1e3 * settling, 3)),
                None => String::from("not within 0.1 mm of the target"),
            };
            measured.insert(3, ("arrival", format!("overshoot {} mm, {reached}", mm(overshoot))));
        }
        if s.range_margin.is_finite() {
            let beyond = if s.range_margin < 0.0 { ": a joint leaves its range" } else { "" };
            measured.push(("margin of the joints", format!("{}°{beyond}", human(s.range_margin.to_degrees(), 3))));
        }
        if s.cut > 0.0 {
            measured.push(("limits cut", format!("{} of the samples", percent(s.cut))));
        }
        if self.recording.rows() > 0 {
            lines.append(&mut measured);
        }
        lines.push(("verdict", s.verdict.to_string()));
        lines.push((
            COMPUTING,
            format!("{} times real time, {} Runge–Kutta steps per sample", human(s.real_time_factor, 2), s.substeps),
        ));
        let mut lines: Vec<_> = lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        lines.extend(e.conditions());
        lines
    }

    /// The run to look at.
    pub fn report(&self, experiment: &Experiment) -> Page<'_> {
        Page {
            title: format!("{}: {} under {}", experiment.title(), experiment.motion_name, self.tuning.label),
            // The same run gives the same page, whatever the machine does meanwhile.
            summary: self.lines(experiment).into_iter().filter(|(name, _)| name != COMPUTING).collect(),
            outcome: match &self.ended {
                Ok(()) => format!("simulated {} s: the robot {}", human(self.summary.reached, 4), self.summary.verdict),
                Err(error) => format!("ended early: {error}"),
            },
            early: !self.summary.verdict.is_good(),
            recording: &self.recording,
            drawing: &self.drawing,
        }
    }
}

/// The largest errors of the joints that turn and of those that slide.
fn joint_errors(joints: &[Joint], peaks: &[f64]) -> String {
    let most = |kind: JointKind| {
        let alike = joints.iter().zip(peaks).filter(|(joint, _)| joint.kind == kind);
        alike.map(|(_, peak)| *peak).reduce(f64::max)
    };
    let turning = most(JointKind::Revolute).map(|peak| format!("{}°", human(peak.to_degrees(), 3)));
    let sliding = most(JointKind::Prismatic).map(|peak| format!("{} mm", mm(peak)));
    turning.into_iter().chain(sliding).collect::<Vec<_>>().join(" and ")
}

/// Millimetres with three digits.
fn mm(metres: f64) -> String {
    human(1e3 * metres, 3)
}

/// Several runs side by side, a row for each control law.
pub fn comparison_table(experiment: &Experiment, runs: &[ControlRun]) -> Table {
    let mut table = Table::new("lrrrrrrrrrl");
    let unit = units_of(&experiment.robot.joints(), |of| of.torque);
    let heads = ["control law", "max mm", "RMS mm", "end mm", "overshoot mm", "settled ms"].map(str::to_owned);
    let torques = [format!("peak {unit}"), format!("RMS {unit}")];
    let rest = ["peak W", "cut %", "verdict"].map(str::to_owned);
    table.head(heads.into_iter().chain(torques).chain(rest));
    for run in runs {
        let s = &run.summary;
        let most = |values: &[f64]| human(values.iter().copied().fold(0.0, f64::max), 4);
        let arrival = |figure: Option<f64>| figure.map_or("–".into(), mm);
        let mut figures = [
            mm(s.error_max),
            mm(s.error_rms),
            mm(s.error_end),
            arrival(s.overshoot),
            s.settling.map_or(if s.overshoot.is_some() { "never" } else { "–" }.into(), mm),
            most(&s.torque_peak),
            most(&s.torque_rms),
            human(s.power_peak, 4),
            human(100.0 * s.cut, 3),
        ];
        if run.recording.rows() == 0 {
            figures.fill(String::from("–")); // it ended at its first sample
        }
        table.row([run.tuning.label.clone()].into_iter().chain(figures).chain([run.verdict()]));
    }
    table
}

/// One recording of several runs: the tracking errors beside each other, then the torques of each.
pub fn comparison(runs: &[ControlRun]) -> Result<Recording, RecordingError> {
    let longest = runs.iter().max_by_key(|run| run.recording.rows());
    let times = longest.and_then(|run| run.recording.column("t")).unwrap_or(&[]);
    let mut columns = vec![(String::from("t"), "s", String::from("time"))];
    let mut values = vec![times];
    for run in runs {
        let label = &run.tuning.label;
        columns.push((format!("error.{label}"), "m", format!("tracking error, {label}")));
        values.push(run.recording.column("error").unwrap_or(&[]));
    }
    for (label, i, column) in runs.iter().flat_map(|run| run.torques().map(|(i, of)| (&run.tuning.label, i, of))) {
        columns.push((format!("{label}.tau{i}"), column.unit, format!("{}, {label}", column.meaning)));
        values.push(&column.values);
    }
    let mut recording = Recording::new(columns)?;
    for k in 0..times.len() {
        // What ended early is missing from there on.
        let row: Vec<f64> = values.iter().map(|column| column.get(k).copied().unwrap_or(f64::NAN)).collect();
        recording.push(&row)?;
    }
    Ok(recording)
}

/// The report of several runs beside each other; `recording` is their [`comparison`].
pub fn comparison_report<'r>(
    experiment: &Experiment,
    runs: &'r [ControlRun],
    recording: &'r Recording,
) -> Option<Page<'r>> {
    // The one that came farthest is played back, of several the most precise.
    let shown = runs.iter().max_by(|a, b| {
        let key = |run: &ControlRun| (run.summary.reached, -run.summary.error_max);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    let mut summary = vec![(String::from("robot"), experiment.robot.name.clone())];
    summary.extend(experiment.task(shown.summary.acceleration_peak));
    summary.extend(runs.iter().map(|run| {
        let s = &run.summary;
        let peak = s.torque_peak.iter().copied().fold(0.0, f64::max);
        let text = format!(
            "error {} mm at most, {} mm RMS; torque up to {} {}{}; {}",
            mm(s.error_max),
            mm(s.error_rms),
            human(peak, 4),
            units_of(&s.joints, |of| of.torque),
            if s.cut > 0.0 { format!(", cut in {} of the samples", percent(s.cut)) } else { String::new() },
            run.verdict()
        );
        (run.tuning.label.clone(), text)
    }));
    summary.push((String::from("played back"), shown.tuning.label.clone()));
    summary.extend(experiment.conditions());
    let lost = runs.iter().filter(|run| run.ended.is_err()).count();
    let restless = runs.iter().filter(|run| run.ended.is_ok() && !run.summary.verdict.is_good()).count();
    let mut told = format!("{} control laws simulated for up to {} s", runs.len(), human(shown.summary.reached, 4));
    for (count, what) in [(lost, "ended early"), (restless, "did not come to rest")] {
        if count > 0 {
            told = format!("{told}; {count} {what}");
        }
    }
    Some(Page {
        title: format!("{}: {} control laws compared", experiment.title(), runs.len()),
        summary,
        outcome: told,
        early: lost + restless > 0,
        recording,
        drawing: &shown.drawing,
    })
}
