//! Smoothing: velocities, accelerations and filtered torques of a log, and its quality.

use super::identify::{IdentifyFinding, IdentifyLog, log_findings, unusable};
use super::prelude::*;
use crate::identify::log::Log;
use crate::identify::prepare::{Health, PreparedLog, Preprocessing};
use crate::report::recording::RecordingError;

/// A log and how it is smoothed.
#[derive(Clone, Debug)]
pub struct SmoothRequest {
    /// What was measured.
    pub log: Log,
    /// The joints of the log.
    pub joints: Vec<Joint>,
    /// How it is smoothed and filtered.
    pub preprocessing: Preprocessing,
}

/// A smoothed log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SmoothOutcome {
    /// Its quality.
    #[serde(flatten)]
    pub health: Health,
    /// Cut-off frequency of the filter, Hz.
    pub cutoff: f64,
    /// How it was read.
    pub notes: Vec<String>,
    /// What looks odd.
    pub warnings: Vec<String>,
    /// Times, motion and torques.
    #[serde(skip)]
    pub signals: PreparedLog,
    /// The joints.
    #[serde(skip)]
    pub joints: Vec<Joint>,
    /// What is wrong with it.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Outcome for SmoothOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let Health { step, jitter, rest, speeds, noise, .. } = &self.health;
        let log =
            [("rate", 1.0 / step, "Hz"), ("jitter", *jitter, ""), ("rest", *rest, ""), ("cutoff", self.cutoff, "Hz")];
        let of = |(i, joint): (usize, &Joint)| {
            let (k, units) = (i + 1, joint.kind.units());
            let speed = (format!("speed.{k}.max"), speeds[i], units.speed);
            metrics("", [speed, (format!("position.{k}.noise"), noise[i], units.position)])
        };
        metrics("", log).chain(self.joints.iter().enumerate().flat_map(of)).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl SmoothOutcome {
    /// Time in and next to gaps, which [`SmoothOutcome::recording`] leaves out, s.
    pub fn left_out(&self) -> f64 {
        self.signals.sound.iter().filter(|sound| !**sound).count() as f64 * self.signals.step
    }

    /// Even times t, q, qd, qdd and tau of each joint.
    pub fn recording(&self) -> Result<Recording, RecordingError> {
        let log = &self.signals;
        let mut all = Recording::new(state_columns(&self.joints))?;
        for k in (0..log.q[0].len()).filter(|&k| log.sound[k]) {
            let mut row = vec![log.time(k)];
            [&log.q, &log.qd, &log.qdd, &log.tau].iter().for_each(|of| row.extend(of.iter().map(|series| series[k])));
            all.push(&row)?;
        }
        Ok(all)
    }

    /// Positions, velocities, accelerations and torques over time.
    pub fn chart(&self) -> Chart {
        let log = &self.signals;
        let every = log.q[0].len().div_ceil(1500).max(1);
        let panel = |title: &str, of: &[Vec<f64>], unit: &str| {
            let points = |series: &[f64]| (0..series.len()).step_by(every).map(|k| (log.time(k), series[k])).collect();
            let line = |(series, values): (usize, &Vec<f64>)| Line { series, points: points(values) };
            // The range is that of all samples, also of those that are not drawn.
            let y_range = range_of(of.iter().flatten().copied());
            Panel { y_range, ..Panel::new(title, unit, of.iter().enumerate().map(line).collect()) }
        };
        let units = self.joints[0].kind.units();
        let end = log.time(log.q[0].len() - 1);
        Chart {
            columns: 2,
            panels: vec![
                panel("positions", &log.q, units.position),
                panel("velocities", &log.qd, units.speed),
                panel("accelerations", &log.qdd, units.acceleration),
                panel("torques", &log.tau, units.torque),
            ],
            series: (0..self.joints.len()).map(|i| Series::new(format!("joint {}", i + 1), color(i), 1.3)).collect(),
            ..Chart::new(log.name.clone(), format!("low-pass {} Hz", human(log.cutoff, 3)), "t, s", (log.start, end))
        }
    }
}

/// The columns t, q1 …, qd1 …, qdd1 …, tau1 … of a recording: name, unit and meaning.
pub(super) fn state_columns(joints: &[Joint]) -> Vec<(String, &'static str, String)> {
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    let quantities = [("q", "position"), ("qd", "velocity"), ("qdd", "acceleration"), ("tau", "torque")];
    for (k, (stem, what)) in quantities.into_iter().enumerate() {
        columns.extend(joints.iter().zip(1..).map(|(joint, i)| {
            let units = joint.kind.units();
            let unit = [units.position, units.speed, units.acceleration, units.torque][k];
            (format!("{stem}{i}"), unit, format!("{what} of joint {i}"))
        }));
    }
    columns
}

/// Smooths a log.
pub fn smooth(request: &SmoothRequest, _: &mut dyn Observer) -> Result<SmoothOutcome, VerbError> {
    let SmoothRequest { log, joints, preprocessing } = request;
    let signals = PreparedLog::new(log, joints, preprocessing).map_err(|error| unusable(&log.name, &error))?;
    let health = signals.health.clone();
    let findings = log_findings(&IdentifyLog { name: log.name.clone(), health: health.clone() });
    Ok(SmoothOutcome {
        health,
        cutoff: signals.cutoff,
        notes: log.notes.clone(),
        warnings: log.warnings.clone(),
        signals,
        joints: joints.clone(),
        findings: findings.iter().map(IdentifyFinding::common).collect(),
    })
}
